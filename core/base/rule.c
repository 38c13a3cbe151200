// SPDX-License-Identifier: BSD-3-Clause
// The table of rules. It depends on nothing else, since mpiexec writes it into reports.
#include "base/rule.h"

const struct rule_text rule_texts[RULES] = {
    [RULE_CONFLICT] = {"conflicting-accesses", LEVEL_ERROR,
                       "accesses to the same memory of a window conflict, and nothing "
                       "orders them (MPI-4.1 12.7)"},
    [RULE_ACCUMULATE_TYPES] = {"accumulate-types", LEVEL_ERROR,
                               "accumulates of different datatypes that nothing orders "
                               "update the same memory (MPI-4.1 12.7.1)"},
    [RULE_ACCUMULATE_OPERATIONS] =
        {"accumulate-operations", LEVEL_ERROR,
         "accumulates of different operations that nothing "
         "orders update the same memory, although the window "
         "has accumulate_ops=same_op_no_op (MPI-4.1 12.2.1)"},
    [RULE_BUFFER_IN_USE] = {"buffer-in-use", LEVEL_ERROR,
                            "a call accesses a buffer of another one that is not "
                            "complete (MPI-4.1 3.7.2, 12.3)"},
    [RULE_TYPE_MISMATCH] = {"type-mismatch", LEVEL_ERROR,
                            "the data of two buffers that belong together are of "
                            "different types (MPI-4.1 3.3.1, 12.3)"},
    [RULE_FALSE_ASSERTION] = {"false-assertion", LEVEL_ERROR,
                              "the program does what a call has asserted that it does "
                              "not (MPI-4.1 12.5.5)"},
    [RULE_MEMORY_GONE] = {"memory-gone", LEVEL_ERROR,
                          "the program gives back memory that a window still has "
                          "(MPI-4.1 12.2.5)"},
    [RULE_UNKNOWN_SETTING] = {"unknown-setting", LEVEL_WARNING,
                              "a variable is named as a setting of Oriel and is none"},
    [RULE_UNKNOWN_KEY] = {"unknown-key", LEVEL_WARNING,
                          "an info key resembles one that windows know and is none"},
    [RULE_UNUSED_VALUE] = {"unused-value", LEVEL_WARNING,
                           "the value of an info key makes no sense and is not used"},
    [RULE_WINDOW_MISMATCH] = {"window-mismatch", LEVEL_ERROR,
                              "the members of a window do not open it in the same way"},
    [RULE_OPEN_EPOCH] = {"open-epoch", LEVEL_ERROR,
                         "an epoch has not been closed before MPI_Finalize"},
    [RULE_LEFT_OPEN] = {"left-open", LEVEL_WARNING,
                        "an object has not been freed before MPI_Finalize"},
    [RULE_UNSEEN_ERROR] = {"unseen-error", LEVEL_WARNING,
                           "a call has returned an error, and the program has asked "
                           "neither for its class nor for its text"},
    [RULE_DEADLOCK] = {"deadlock", LEVEL_ERROR,
                       "calls wait for each other, so that none of them can return"},
};

const char *rule_level_name(enum rule rule)
{
    return rule_texts[rule].level == LEVEL_ERROR ? "error" : "warning";
}
