// SPDX-License-Identifier: BSD-3-Clause
// Drivers, each of which speaks to one kind of launcher.
#pragma once

#include "boot/boot.h"

// The functions that speak to one kind of launcher. A driver's start function sets
// rank, size, job, launcher, driver and driver_state, and app_number and universe_size
// if the launcher tells them; if it fails, it leaves nothing behind.
struct boot_driver {
    int (*put)(struct boot *boot, const char *key, const char *value);
    int (*fence)(struct boot *boot);
    int (*get)(struct boot *boot, int rank, const char *key, char *value,
               size_t value_size);
    // The number of the machine that a rank is on. False: the launcher does not say. NULL:
    // it never does, or in its map.
    bool (*machine)(struct boot *boot, int rank, uint32_t *machine);
    void (*abort)(struct boot *boot, int code, const char *why); // returns
    bool (*must_tell)(struct boot *boot); // see boot.h; NULL: never
    void (*tell)(struct boot *boot, const char *text);
    void (*finalize)(struct boot *boot); // says goodbye
    void (*close)(struct boot *boot);    // frees driver_state
};

enum { JOB_SIZE_MAX = 1 << 24 }; // more ranks than that is nonsense from a launcher

int pmi1_start(struct boot *boot);
// The number in an environment variable of the launcher, at most `maximum`.
int environment_number(const char *name, int maximum, int *number);
// The number of processes that a launcher without a driver has started.
int foreign_tasks(void);
int pmix_start(struct boot *boot);
int singleton_start(struct boot *boot);
