// SPDX-License-Identifier: BSD-3-Clause
// The rules that programs break although no call returns an error: a row for each.
#pragma once

enum rule {
    RULE_CONFLICT,
    RULE_ACCUMULATE_TYPES,
    RULE_ACCUMULATE_OPERATIONS,
    RULE_BUFFER_IN_USE,
    RULE_TYPE_MISMATCH,
    RULE_FALSE_ASSERTION,
    RULE_MEMORY_GONE,
    RULE_UNKNOWN_SETTING,
    RULE_UNKNOWN_KEY,
    RULE_UNUSED_VALUE,
    RULE_WINDOW_MISMATCH,
    RULE_OPEN_EPOCH,
    RULE_LEFT_OPEN,
    RULE_UNSEEN_ERROR,
    RULE_DEADLOCK,
    RULES,
};

// As SARIF has them.
enum rule_level { LEVEL_WARNING, LEVEL_ERROR };

struct rule_text {
    const char *name; // stable: it stands in reports, and tools filter by it
    enum rule_level level;
    const char *meaning; // for people, one line
};
extern const struct rule_text rule_texts[RULES];

// "warning" or "error".
const char *rule_level_name(enum rule rule);
