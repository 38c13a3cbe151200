// SPDX-License-Identifier: BSD-3-Clause
// The report of a job: ranks append lines, each a `result` of SARIF (OASIS SARIF 2.1.0,
// 3.27); the log is a head, these lines with commas between, and a tail.
#include "launch.h"

#include "base/rule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool report_refuse(const char *path)
{
    say("--report %s: %s", path, strerror(errno));
    return false;
}

bool report_begin(const char *path)
{
    FILE *file = fopen(path, "w");
    return file != NULL && fclose(file) == 0 ? true : report_refuse(path);
}

static void put_head(FILE *out)
{
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
          "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"Oriel\","
          "\"version\":\"" ORIEL_VERSION "\",\"rules\":[",
          out);
    for (enum rule rule = 0; rule < RULES; rule++)
        fprintf(out,
                "%s\n{\"id\":\"%s\",\"shortDescription\":{\"text\":\"%s\"},"
                "\"defaultConfiguration\":{\"level\":\"%s\"}}",
                rule > 0 ? "," : "", rule_texts[rule].name, rule_texts[rule].meaning,
                rule_level_name(rule));
    fputs("]}},\"results\":[", out);
}

// A process that was killed while it wrote has left a line without an end.
static void put_results(FILE *out, FILE *lines)
{
    char *line = NULL;
    size_t room = 0;
    bool is_first = true;
    for (ssize_t length; (length = getline(&line, &room, lines)) > 0;) {
        if (line[length - 1] != '\n')
            break;
        line[length - 1] = '\0';
        fprintf(out, "%s\n%s", is_first ? "" : ",", line);
        is_first = false;
    }
    free(line);
}

// The log takes the place of the lines at once.
static bool log_write(const char *path, const char *temporary)
{
    FILE *lines = fopen(path, "r");
    FILE *out = lines ? fopen(temporary, "w") : NULL;
    if (out != NULL) {
        put_head(out);
        put_results(out, lines);
        fputs("]}]}\n", out);
    }
    if (lines != NULL)
        fclose(lines);
    bool is_written = out != NULL && !ferror(out);
    is_written = out != NULL && fclose(out) == 0 && is_written;
    return is_written && rename(temporary, path) == 0;
}

bool report_end(const char *path)
{
    size_t length = strlen(path);
    if (length < 6 || strcmp(path + length - 6, ".sarif") != 0)
        return true;
    char *temporary;
    if (asprintf(&temporary, "%s.lines", path) < 0)
        return report_refuse(path);
    bool is_written = log_write(path, temporary);
    if (!is_written)
        report_refuse(path);
    free(temporary);
    return is_written;
}
