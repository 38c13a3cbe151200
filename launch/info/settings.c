// SPDX-License-Identifier: BSD-3-Clause
// The settings, from the table of the library, and what the environment says of them.
#include "info.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

static void report_option(struct report *report, const struct option *option)
{
    const char *value = getenv(option->name);
    bool is_set = value && *value != '\0';
    report_open(report, option->name);
    report_value(report, "value", "%s", is_set ? value : option->standard);
    report_value(report, "default", "%s", option->standard);
    report_value(report, "allowed", "%s", option->allowed);
    report_value(report, "meaning", "%s", option->description);
    report_close(report);
}

void report_settings(struct report *report)
{
    struct options options = {0};
    int error_class;
    report_open(report, "settings");
    for (int i = 0; i < option_count; i++)
        report_option(report, &option_table[i]);
    report_close(report);
    report_open(report, "mistakes");
    if (options_read(&options) != 0)
        report_value(report, "setting", "%s", error_detail(&error_class));
    for (char **entry = environ; *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, *entry);
        if (strncmp(name, "ORIEL_", strlen("ORIEL_")) == 0 &&
            !option_exists(*entry, length))
            report_value(report, name, "is no setting of Oriel");
    }
    report_close(report);
}
