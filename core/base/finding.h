// SPDX-License-Identifier: BSD-3-Clause
// Findings: what is wrong with a program although no call returns an error. People get
// lines on standard error, tools get the file of ORIEL_REPORT, and mpiexec their number.
#pragma once

#include "base/compiler.h"
#include "base/rule.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

// A call of the program that a finding names. What is not known is NULL.
struct call_site {
    int rank;            // in the job
    const char *call;    // "MPI_Put"
    const void *address; // of the call, in this process
    const char *source;  // of one in another process: "heat.c:33"
    const char *object;  // what it is about: "window halo"
    const char *text;    // what it does there, if there is more than one site
};

enum {
    FINDINGS_MAX = 256,
    FINDING_LABEL_BYTES = 160,
    FINDING_TEXT_BYTES = 1024,
    FINDING_SITES_MAX = 64
};

struct findings {
    pthread_mutex_t lock;
    unsigned total; // also those that were not printed
    int count;      // of those that differ, at most FINDINGS_MAX
    struct known_finding {
        uint64_t hash;
        unsigned times;
        char label[FINDING_LABEL_BYTES]; // "MPI_Put [rule] at heat.c:33"
    } known[FINDINGS_MAX];
    int file; // of ORIEL_REPORT, 0: not open yet, -1: cannot be opened
};

// Tells that the program breaks a rule at `count` sites, of which the first is the one
// that shows it; 0 sites are allowed. The text says what is wrong, with the values. The
// same rule at the same calls is printed once and counted; without source lines the text
// must be the same, too. Of the first site, if it is the call that is under way here, the
// address need not be given. From any thread.
void finding_tell(enum rule rule, const struct call_site sites[], int count,
                  const char *format, ...) PRINTF_LIKE(4, 5);
// The line for an error that ends the job, and its result in the file. The address is that
// of the call in the program.
void finding_tell_error(const char *error_name, const void *address, const char *call,
                        const char *object, const char *text);
// Prints how often what was printed once has been found, and forgets it all.
void findings_close(void);
