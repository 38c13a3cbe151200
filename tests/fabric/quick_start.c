// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into the ranks of tests of several nodes: libfabric is ready in a fifth of its
// time. Its verbs provider reads all of /proc/kallsyms, to see whether a driver can share
// memory of GPUs, and libinfinipath sleeps hundreds of times to measure a clock. Both happen
// in each process, whichever provider is wanted, and change nothing of what tests look at.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*open_file)(const char *, const char *);
    if (open_file == NULL)
        open_file = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return open_file(strcmp(path, "/proc/kallsyms") == 0 ? "/dev/null" : path, mode);
}

// All other sleeps are as long as they are meant to be.
int usleep(useconds_t microseconds)
{
    Dl_info caller;
    if (dladdr(__builtin_return_address(0), &caller) != 0 &&
        strstr(caller.dli_fname, "libinfinipath") != NULL)
        return 0;
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    return nanosleep(&time, NULL);
}
