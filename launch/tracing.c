// SPDX-License-Identifier: BSD-3-Clause
// A job that is traced: its folder, and what is made of it when the job has ended.
#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// What an earlier job has left would be taken for a part of this one.
static void remove_old_files(const char *folder)
{
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && (strcmp(dot, ".trace") == 0 || strcmp(dot, ".text") == 0))
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory)
        closedir(directory);
}

// Makes the folder, whose absolute path becomes the job's.
static void open_folder(const char *folder)
{
    char path[PATH_MAX];
    if ((mkdir(folder, 0777) < 0 && errno != EEXIST) || !realpath(folder, path)) {
        say("--trace %s: %s", folder, strerror(errno));
        exit(EXIT_FAILURE);
    }
    remove_old_files(path);
    setenv("ORIEL_TRACE", path, 1);
}

void tracing_begin(struct plan *plan)
{
    static char temporary[] = "/tmp/oriel-trace-XXXXXX";
    const char *folder =
        plan->trace_folder ? plan->trace_folder : getenv("ORIEL_TRACE");
    plan->keeps_trace = folder && *folder != '\0';
    plan->is_traced = plan->keeps_trace || plan->prints_summary;
    if (!plan->is_traced)
        return;
    if (!plan->keeps_trace && !(folder = mkdtemp(temporary))) {
        say("--summary: no folder in /tmp: %s", strerror(errno));
        exit(EXIT_FAILURE);
    }
    open_folder(folder);
}

void tracing_end(const struct plan *plan)
{
    if (!plan->is_traced)
        return;
    char *program = path_beside("oriel-trace");
    const char *arguments[] = {"oriel-trace", getenv("ORIEL_TRACE"), NULL, NULL, NULL};
    int count = 2;
    if (plan->prints_summary)
        arguments[count++] = "--summary";
    if (!plan->keeps_trace)
        arguments[count++] = "--discard";
    pid_t reader = fork();
    if (reader == 0) {
        execv(program ? program : "", (char **)arguments);
        say("cannot run %s: %s", program ? program : "oriel-trace", strerror(errno));
        _exit(EXIT_NOT_EXECUTABLE);
    }
    waitpid(reader, NULL, 0);
    free(program);
}
