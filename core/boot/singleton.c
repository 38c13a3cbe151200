// SPDX-License-Identifier: BSD-3-Clause
// A program that was started without a launcher: a job of one process, which keeps its
// keys itself.
#include "boot/driver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pair {
    struct pair *next;
    char key[WIRE_KEY_BYTES];
    char value[WIRE_VALUE_BYTES];
};

static struct pair *key_find(const struct boot *boot, const char *key)
{
    struct pair *pair = boot->driver_state;
    while (pair && strcmp(pair->key, key) != 0)
        pair = pair->next;
    return pair;
}

static int singleton_put(struct boot *boot, const char *key, const char *value)
{
    if (key_find(boot, key))
        return fail(MPI_ERR_OTHER, "the key %s has been put twice", key);
    struct pair *pair = malloc(sizeof *pair);
    if (!pair)
        return fail(MPI_ERR_NO_MEM, "no memory for the key %s", key);
    snprintf(pair->key, sizeof pair->key, "%s", key);
    snprintf(pair->value, sizeof pair->value, "%s", value);
    pair->next = boot->driver_state;
    boot->driver_state = pair;
    return 0;
}

static int singleton_fence(struct boot *boot)
{
    (void)boot; // nobody to wait for
    return 0;
}

static int singleton_get(struct boot *boot, int rank, const char *key, char *value,
                         size_t value_size)
{
    (void)rank; // there is one
    const struct pair *pair = key_find(boot, key);
    if (!pair)
        return fail(MPI_ERR_NAME, "nobody has put the key %s", key);
    if (strlen(pair->value) >= value_size)
        return fail(MPI_ERR_INTERN, "the value of %s does not fit in %zu bytes", key,
                    value_size);
    strcpy(value, pair->value);
    return 0;
}

static void singleton_abort(struct boot *boot, int code, const char *why)
{
    (void)boot, (void)code, (void)why; // nobody to tell
}

static void singleton_finalize(struct boot *boot)
{
    (void)boot; // nobody to tell
}

static void singleton_close(struct boot *boot)
{
    for (struct pair *pair = boot->driver_state, *next; pair; pair = next) {
        next = pair->next;
        free(pair);
    }
}

static const struct boot_driver singleton_driver = {
    .put = singleton_put,
    .fence = singleton_fence,
    .get = singleton_get,
    .abort = singleton_abort,
    .finalize = singleton_finalize,
    .close = singleton_close,
};

int singleton_start(struct boot *boot)
{
    boot->rank = 0;
    boot->size = 1;
    boot->launcher = "singleton";
    boot->driver = &singleton_driver;
    snprintf(boot->job, sizeof boot->job, "single-%d-%016llx", (int)getpid(),
             (unsigned long long)random_bits());
    return 0;
}
