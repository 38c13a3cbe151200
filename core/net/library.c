// SPDX-License-Identifier: BSD-3-Clause
// Loads libfabric when a job needs a network. A job of one node does not pay for it;
// and libraries that it brings along install signal handlers of their own when they are
// loaded (libpsm2 prints a trace and exits), which are taken out again, so that a crash
// of the program looks like one. The five functions that libfabric does not inline are
// defined here under their own names and find the real ones.
#include "net/network.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

// Receive buffers that ofi_rxm posts, over TCP for all connections together: its own
// choice is 4096, for 68 MiB in each process. Attributes of an endpoint say nothing of
// them, only the environment does, and the user's word there stays.
static const char BUFFERS_NAME[] = "FI_OFI_RXM_MSG_RX_SIZE", BUFFERS[] = "128";

static void *library_load(void)
{
    void *library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library != NULL)
        return library;
    setenv(BUFFERS_NAME, BUFFERS, 0);
    struct sigaction before[NSIG];
    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, NULL, &before[signal]);
    library = dlopen("libfabric.so.1", RTLD_NOW);
    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, &before[signal], NULL);
    return library;
}

// NULL when libfabric, or this version of its interface, is not on the machine.
static void *library_function(const char *name, const char *version)
{
    void *library = library_load();
    return library ? dlvsym(library, name, version) : NULL;
}

int library_check(void)
{
    if (library_function("fi_getinfo", "FABRIC_1.3") != NULL)
        return 0;
    return fail(MPI_ERR_OTHER,
                "a job of several nodes needs libfabric 1.17 or newer: %s", dlerror());
}

int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
               const struct fi_info *hints, struct fi_info **info)
{
    int (*real)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                struct fi_info **) = library_function("fi_getinfo", "FABRIC_1.3");
    return real ? real(version, node, service, flags, hints, info) : -FI_ENOSYS;
}

void fi_freeinfo(struct fi_info *info)
{
    void (*real)(struct fi_info *) = library_function("fi_freeinfo", "FABRIC_1.3");
    if (real)
        real(info);
}

struct fi_info *fi_dupinfo(const struct fi_info *info)
{
    struct fi_info *(*real)(const struct fi_info *) =
        library_function("fi_dupinfo", "FABRIC_1.3");
    return real ? real(info) : NULL;
}

int fi_fabric(struct fi_fabric_attr *attributes, struct fid_fabric **fabric,
              void *context)
{
    int (*real)(struct fi_fabric_attr *, struct fid_fabric **, void *) =
        library_function("fi_fabric", "FABRIC_1.1");
    return real ? real(attributes, fabric, context) : -FI_ENOSYS;
}

const char *fi_strerror(int code)
{
    const char *(*real)(int) = library_function("fi_strerror", "FABRIC_1.0");
    return real ? real(code) : strerror(code);
}
