// SPDX-License-Identifier: BSD-3-Clause
// Clocks: ticks are converted by two moments that are far apart; the monotonic clocks of
// hosts are compared by messages to rank 0 and back, of which the quickest counts
// (Cristian's algorithm), at the start and at the end, since clocks drift.
#include "trace.h"

#include "base/ticks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { COMPARISONS = 16, TAG = 32767 };

static uint64_t clock_read(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Of some tries the one that took least, so that no interrupt came between the clocks.
void moment_take(struct moment *moment)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = ticks_now();
        uint64_t monotonic = clock_read(CLOCK_MONOTONIC);
        uint64_t spent = ticks_now() - before;
        if (spent < least) {
            least = spent;
            *moment = (struct moment){before + spent / 2, monotonic, 0};
        }
    }
    moment->real = clock_read(CLOCK_REALTIME);
}

// A kernel that has been started once, and the time namespace.
void clock_domain_find(char domain[DOMAIN_BYTES])
{
    char boot[64] = "";
    struct stat times = {0};
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, boot, sizeof boot - 1) : 0;
    if (fd >= 0)
        close(fd);
    boot[length > 0 ? strcspn(boot, "\n") : 0] = '\0';
    stat("/proc/self/ns/time", &times);
    memset(domain, 0, DOMAIN_BYTES);
    snprintf(domain, DOMAIN_BYTES, "%s/%llu", boot, (unsigned long long)times.st_ino);
}

// ---- comparing ------------------------------------------------------------------------
static void answer_rank(int rank)
{
    uint64_t now;
    for (int i = 0; i < COMPARISONS; i++) {
        PMPI_Recv(&now, 0, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        now = clock_read(CLOCK_MONOTONIC);
        PMPI_Send(&now, sizeof now, MPI_BYTE, rank, TAG, MPI_COMM_WORLD);
    }
}

static void ask_root(struct alignment *alignment)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < COMPARISONS; i++) {
        uint64_t theirs, before = clock_read(CLOCK_MONOTONIC);
        PMPI_Send(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
        uint64_t spent = clock_read(CLOCK_MONOTONIC) - before;
        if (spent < least) {
            least = spent;
            uint64_t middle = before + spent / 2;
            *alignment =
                (struct alignment){middle, (int64_t)(theirs - middle), spent / 2};
        }
    }
}

// Which ranks have another clock than rank 0; only rank 0 knows, and keeps it.
static char *differing;

static void compare_clocks(struct header *header, int which)
{
    if (header->rank != 0 && *differing)
        ask_root(&header->alignments[which]);
    for (int i = 1; header->rank == 0 && i < header->size; i++)
        if (differing[i])
            answer_rank(i);
}

struct common {
    uint64_t job;
    char clock_domain[DOMAIN_BYTES];
};

void clocks_compare_first(struct header *header)
{
    struct common common = {0};
    char differs;
    if (getrandom(&common.job, sizeof common.job, 0) < 0)
        common.job = header->first.real;
    memcpy(common.clock_domain, header->clock_domain, DOMAIN_BYTES);
    PMPI_Bcast(&common, sizeof common, MPI_BYTE, 0, MPI_COMM_WORLD);
    header->job = common.job;
    differs = memcmp(common.clock_domain, header->clock_domain, DOMAIN_BYTES) != 0;
    differing = calloc((size_t)header->size, 1);
    if (!differing)
        PMPI_Abort(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    PMPI_Gather(&differs, 1, MPI_BYTE, differing, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (header->rank != 0)
        *differing = differs;
    compare_clocks(header, 0);
}

void clocks_compare_last(struct header *header)
{
    if (!differing)
        return;
    compare_clocks(header, 1);
    free(differing);
    differing = NULL;
}
