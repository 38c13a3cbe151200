// SPDX-License-Identifier: BSD-3-Clause
// The choice of a driver for the launcher, and what all drivers have in common.
#include "boot/driver.h"
#include "boot/nodes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// A launcher that Oriel does not understand is fine for one process; of several, each
// would be a job by itself. Such a launcher tells the number of processes.
static int refuse_foreign(void)
{
    if (foreign_tasks() > 1)
        return fail(MPI_ERR_OTHER,
                    "Slurm's srun has started %d processes without PMI-1 or PMIx, one "
                    "of which Oriel needs: start them with srun --mpi=pmi2",
                    foreign_tasks());
    return 0;
}

static int connect_launcher(struct boot *boot)
{
    if (getenv("PMI_FD") || getenv("PMI_PORT"))
        return pmi1_start(boot);
    if (getenv("PMIX_NAMESPACE"))
        return pmix_start(boot);
    int err = refuse_foreign();
    return err ? err : singleton_start(boot);
}

int boot_start(struct boot **result)
{
    struct boot *boot = calloc(1, sizeof *boot);
    if (!boot)
        return fail(MPI_ERR_NO_MEM, "no memory for the boot layer");
    boot->app_number = boot->universe_size = -1;
    int err = connect_launcher(boot);
    if (err) {
        free(boot);
        return err;
    }
    // Some launchers count cores, and start more processes than that.
    if (boot->universe_size >= 0 && boot->universe_size < boot->size)
        boot->universe_size = boot->size;
    process.rank = boot->rank;
    process.job_size = boot->size;
    *result = boot;
    return 0;
}

// Whether every launcher can carry the text. `room` counts the terminating zero.
static bool is_word(const char *text, size_t room)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (!isgraph((unsigned char)text[i]))
            return false;
    return length > 0 && length < room;
}

int boot_put(struct boot *boot, const char *key, const char *value)
{
    if (!is_word(key, WIRE_KEY_BYTES) || !is_word(value, WIRE_VALUE_BYTES))
        return fail(MPI_ERR_INTERN, "key '%s' or its value of %zu bytes is no word",
                    key, strlen(value));
    return boot->driver->put(boot, key, value);
}

int boot_fence(struct boot *boot)
{
    return boot->driver->fence(boot);
}

int boot_get(struct boot *boot, int rank, const char *key, char *value,
             size_t value_size)
{
    return boot->driver->get(boot, rank, key, value, value_size);
}

void boot_ask_to_abort(struct boot *boot, int code, const char *why)
{
    boot->driver->abort(boot, code, why);
}

bool boot_must_tell(struct boot *boot)
{
    return boot->driver->must_tell != NULL && boot->driver->must_tell(boot);
}

void boot_tell(struct boot *boot, const char *text)
{
    boot->driver->tell(boot, text);
}

// exit() and not _exit(): what the program has printed, in C or Fortran, is wanted most
// when it fails.
_Noreturn void boot_abort(struct boot *boot, int code, const char *why)
{
    int exit_code = (code & 0xff) != 0 ? code & 0xff : EXIT_FAILURE;
    process_set_state(PROCESS_FINALIZED);
    if (boot)
        boot->driver->abort(boot, exit_code, why);
    exit(exit_code);
}

void boot_stop(struct boot *boot)
{
    boot->driver->finalize(boot);
    boot->driver->close(boot);
    nodes_free(boot);
    free(boot);
}
