// SPDX-License-Identifier: BSD-3-Clause
// What the system allows that Oriel makes use of.
#include "info.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static void report_bytes(struct report *report, const char *name, size_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double number = (double)bytes;
    for (; number >= 1024 && unit < 4; unit++)
        number /= 1024;
    report_value(report, name, "%.*f %s", unit > 0 && number < 100 ? 1 : 0, number,
                 units[unit]);
}

static void report_limit(struct report *report, const char *name, int resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    if (limit.rlim_cur == RLIM_INFINITY)
        report_value(report, name, "unlimited");
    else if (resource == RLIMIT_NOFILE)
        report_value(report, name, "%llu, at most %llu",
                     (unsigned long long)limit.rlim_cur,
                     (unsigned long long)limit.rlim_max);
    else
        report_bytes(report, name, (size_t)limit.rlim_cur);
}

// The first line of a file, or "not there".
static const char *read_line(const char *path, char *line, int bytes)
{
    FILE *file = fopen(path, "re");
    if (!file || !fgets(line, bytes, file))
        snprintf(line, (size_t)bytes, "not there");
    line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
    return line;
}

static void report_copies(struct report *report)
{
    static const char *const meanings[] = {
        "copies between processes are allowed",
        "copies are allowed to those whom a process names, as Oriel does",
        "copies need CAP_SYS_PTRACE; messages take their place",
        "no copies; messages take their place"};
    char line[128];
    read_line("/proc/sys/kernel/yama/ptrace_scope", line, sizeof line);
    int scope = *line >= '0' && *line <= '3' && line[1] == '\0' ? *line - '0' : -1;
    report_value(report, "ptrace_scope", "%s: %s", line,
                 meanings[scope < 0 ? 0 : scope]);
}

static void report_calls(struct report *report)
{
    long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    bool is_there = commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    report_value(report, "membarrier", "%s", is_there ? "expedited" : "not there");
    int memory = memfd_create("oriel-info", MFD_CLOEXEC);
    report_value(report, "shared memory", "%s",
                 memory >= 0 ? "memfd" : "memfd_create fails");
    if (memory >= 0)
        close(memory);
}

void report_limits(struct report *report)
{
    char line[256];
    struct utsname system;
    cpu_set_t cores;
    report_open(report, "limits");
    if (uname(&system) == 0)
        report_value(report, "system", "%s %s %s", system.sysname, system.release,
                     system.machine);
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        report_value(report, "processors", "%d", CPU_COUNT(&cores));
    report_bytes(report, "memory", machine_bytes());
    struct group_limit group = group_limit_find("");
    if (group.bytes < machine_bytes())
        report_bytes(report, "memory of group", group.bytes);
    report_limit(report, "address space", RLIMIT_AS);
    report_limit(report, "file size", RLIMIT_FSIZE);
    report_limit(report, "locked memory", RLIMIT_MEMLOCK);
    report_limit(report, "open files", RLIMIT_NOFILE);
    report_calls(report);
    report_copies(report);
    const char *const folder = "/sys/kernel/mm/transparent_hugepage";
    char path[128];
    snprintf(path, sizeof path, "%s/enabled", folder);
    report_value(report, "huge pages", "%s", read_line(path, line, sizeof line));
    snprintf(path, sizeof path, "%s/shmem_enabled", folder);
    report_value(report, "huge shared pages", "%s", read_line(path, line, sizeof line));
    report_close(report);
}
