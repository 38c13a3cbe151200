// SPDX-License-Identifier: BSD-3-Clause
// A finding is printed once for the same calls and counted, and ORIEL_REPORT has it as a
// line of JSON.
#include "check.h"

#include <string.h>
#include <sys/wait.h>

static const char path[] = "base_finding_report";

static void tell_thrice(void)
{
    struct call_site sites[] = {
        {.rank = 2,
         .call = "MPI_Put",
         .source = "a b.c:7 (main)",
         .object = "window x"},
        {.rank = 1, .call = "MPI_Get", .source = "c.c:8", .text = "4 \"bytes\""},
    };
    for (int i = 0; i < 3; i++)
        finding_tell(RULE_LEFT_OPEN, sites, 2, "number %d", i);
    sites[1].source = "c.c:9";
    finding_tell(RULE_LEFT_OPEN, sites, 2, "another line");
    finding_tell(RULE_LEFT_OPEN, NULL, 0, "nowhere 1");
    finding_tell(RULE_LEFT_OPEN, NULL, 0, "nowhere 2");
    CHECK(process.findings.total == 6);
    findings_close();
    CHECK(process.findings.total == 0);
}

static void tell_too_many(void)
{
    for (int i = 0; i < FINDINGS_MAX + 5; i++)
        finding_tell(RULE_LEFT_OPEN, NULL, 0, "number %d", i);
    findings_close();
}

// What a function prints on standard error.
static char *printed_by(void (*function)(void))
{
    static char text[1 << 16];
    int pipes[2], status;
    CHECK(pipe(pipes) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        function();
        _exit(0);
    }
    close(pipes[1]);
    size_t length = 0;
    ssize_t count;
    while ((count = read(pipes[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    close(pipes[0]);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return text;
}

static void each_is_printed_once_and_counted(void)
{
    static const char expected[] =
        "oriel: rank 0: MPI_Put of rank 2 on window x: number 0 [left-open] at a b.c:7 "
        "(main)\n"
        "oriel: rank 0:   MPI_Get of rank 1 at c.c:8: 4 \"bytes\"\n"
        "oriel: rank 0: MPI_Put of rank 2 on window x: another line [left-open] at a "
        "b.c:7 (main)\n"
        "oriel: rank 0:   MPI_Get of rank 1 at c.c:9: 4 \"bytes\"\n"
        "oriel: rank 0: nowhere 1 [left-open]\n"
        "oriel: rank 0: nowhere 2 [left-open]\n"
        "oriel: rank 0: MPI_Put of rank 2 on window x [left-open] at a b.c:7 (main): "
        "found 3 times\n";
    CHECK(strcmp(printed_by(tell_thrice), expected) == 0);
}

static void lines_of_the_report_are_results(void)
{
    static const char first[] =
        "{\"ruleId\":\"left-open\",\"level\":\"warning\",\"message\":{\"text\":"
        "\"number "
        "0\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"a%"
        "20b."
        "c\"},\"region\":{\"startLine\":7}},\"logicalLocations\":[{\"name\":\"MPI_"
        "Put\","
        "\"kind\":\"function\"}],\"message\":{\"text\":\"MPI_Put of rank 2 on window "
        "x\"},\"properties\":{\"rank\":2,\"object\":\"window "
        "x\"}}],\"relatedLocations\":"
        "[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"c.c\"},\"region\":{"
        "\"startLine\":8}},\"logicalLocations\":[{\"name\":\"MPI_Get\",\"kind\":"
        "\"function\"}],\"message\":{\"text\":\"MPI_Get of rank 1: 4 \\\"bytes\\\"\"},"
        "\"properties\":{\"rank\":1}}],\"properties\":{\"rank\":0}}\n";
    char text[4096] = "";
    unlink(path);
    snprintf(process.options.report, OPTION_TEXT_BYTES, "%s", path);
    printed_by(tell_thrice);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL && fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    unlink(path);
    CHECK(strncmp(text, first, strlen(first)) == 0);
    process.options.report[0] = '\0';
}

static void more_than_can_be_kept_are_counted(void)
{
    const char *text = printed_by(tell_too_many);
    CHECK(strstr(text, "number 255 ") && !strstr(text, "number 256 "));
    CHECK(strstr(text, "5 more findings, after the first 256 that differ"));
}

int main(void)
{
    process.rank = 0;
    process.options.are_read = true;
    each_is_printed_once_and_counted();
    lines_of_the_report_are_results();
    more_than_can_be_kept_are_counted();
    return 0;
}
