// SPDX-License-Identifier: BSD-3-Clause
// The environment variables of launchers, which can be read at any time.
#include "boot/driver.h"

#include <errno.h>
#include <stdlib.h>

int environment_number(const char *name, int maximum, int *number)
{
    const char *text = getenv(name);
    if (!text)
        return fail(MPI_ERR_OTHER, "the launcher has not set %s", name);
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end != '\0' || value < 0 || value > maximum)
        return fail(MPI_ERR_OTHER,
                    "%s=%s: the launcher must give a number from 0 to %d", name, text,
                    maximum);
    *number = (int)value;
    return 0;
}

void boot_cores(uint64_t words[], int count)
{
    const char *text = getenv("MPIEXEC_CORES");
    for (int i = 0; i < count; i++) {
        char *end = NULL;
        words[i] = text ? strtoull(text, &end, 16) : 0;
        text = end && *end == ',' ? end + 1 : NULL;
    }
}

int foreign_tasks(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    return tasks ? atoi(tasks) : 1;
}

int boot_job_size(void)
{
    int size;
    if (process.job_size > 0)
        return process.job_size;
    if (getenv("PMI_FD") || getenv("PMI_PORT"))
        return environment_number("PMI_SIZE", JOB_SIZE_MAX, &size) ? 0 : size;
    return getenv("PMIX_NAMESPACE") || foreign_tasks() > 1 ? 0 : 1;
}
