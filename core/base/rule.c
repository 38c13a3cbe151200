// SPDX-License-Identifier: BSD-3-Clause
// The table of rules. It depends on nothing else, since mpiexec writes it into reports.
#include "base/rule.h"

const struct rule_text rule_texts[RULES] = {
    [RULE_UNKNOWN_SETTING] = {"unknown-setting", LEVEL_WARNING,
                              "a variable is named as a setting of Oriel and is none"},
    [RULE_LEFT_OPEN] = {"left-open", LEVEL_WARNING,
                        "an object has not been freed before MPI_Finalize"},
    [RULE_DEADLOCK] = {"deadlock", LEVEL_ERROR,
                       "calls wait for each other, so that none of them can return"},
};

const char *rule_level_name(enum rule rule)
{
    return rule_texts[rule].level == LEVEL_ERROR ? "error" : "warning";
}
