// SPDX-License-Identifier: BSD-3-Clause
// mpiexec: starts an MPI job (MPI-4.1 11.5).
#include "base/color.h"
#include "launch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void say(const char *format, ...)
{
    char line[1024];
    bool is_colored = isatty(STDERR_FILENO) && !color_is_refused();
    int used = snprintf(line, sizeof line, "%smpiexec:%s ",
                        is_colored ? COLOR_HEAD : "", is_colored ? COLOR_END : "");
    int room = (int)sizeof line - used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + used, (size_t)room, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    used += length < room ? length : room - 1;
    line[used++] = '\n'; // replaces the terminating zero
    ssize_t written = write(STDERR_FILENO, line, (size_t)used);
    (void)written; // nowhere to complain to
}

// A closed standard descriptor would be given to a socket and overwritten in the ranks.
static void open_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
}

// Says whether the ranks' standard error is shown on a terminal; see core/base/color.h.
static void color_tell(const struct plan *plan)
{
    int shown = plan->merges_errors ? STDOUT_FILENO : STDERR_FILENO;
    const char *files =
        plan->merges_errors ? plan->output_pattern : plan->error_pattern;
    if (isatty(shown) && files == NULL)
        setenv("MPIEXEC_COLOR", "1", 1);
    else
        unsetenv("MPIEXEC_COLOR");
}

// A job of many ranks needs more files than the usual soft limit.
static void raise_file_limit(struct rlimit *before)
{
    getrlimit(RLIMIT_NOFILE, before);
    struct rlimit most = {.rlim_cur = before->rlim_max, .rlim_max = before->rlim_max};
    setrlimit(RLIMIT_NOFILE, &most);
}

int main(int argc, char **argv)
{
    static struct plan plan; // what they own is theirs until the process ends
    static struct job job = {.plan = &plan};
    open_standard_files();
    if (argc == 2 && strcmp(argv[1], "--relay") == 0)
        return relay_run();
    arguments_parse(argc, argv, &plan);
    programs_find(&plan);
    if (plan.report != NULL && !report_begin(plan.report))
        return EXIT_USAGE;
    tracing_begin(&plan);
    color_tell(&plan);
    raise_file_limit(&job.inherited_files);
    signals_open(&job);
    if (job_start(&job) != 0)
        return EXIT_FAILURE;
    int code = job_run(&job);
    tracing_end(&plan);
    return code;
}
