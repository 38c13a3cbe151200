// SPDX-License-Identifier: BSD-3-Clause
// Launchers that speak PMIx: Open MPI's mpirun, PRRTE's prterun, Slurm's pmix plugin.
#include "boot/driver.h"
#include "boot/pmix_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct pmix {
    void *library;
    struct pmix_functions functions;
    struct pmix_process own;
};

static const struct {
    const char *name;
    size_t field; // its place in struct pmix_functions
} function_table[] = {
    {"PMIx_Init", offsetof(struct pmix_functions, init)},
    {"PMIx_Finalize", offsetof(struct pmix_functions, finalize)},
    {"PMIx_Abort", offsetof(struct pmix_functions, abort)},
    {"PMIx_Put", offsetof(struct pmix_functions, put)},
    {"PMIx_Commit", offsetof(struct pmix_functions, commit)},
    {"PMIx_Fence", offsetof(struct pmix_functions, fence)},
    {"PMIx_Get", offsetof(struct pmix_functions, get)},
    {"PMIx_Error_string", offsetof(struct pmix_functions, error_string)},
};

static int library_open(struct pmix *pmix)
{
    pmix->library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
    if (pmix->library == NULL)
        return fail(MPI_ERR_OTHER,
                    "a PMIx launcher has started this process, but there is no PMIx "
                    "library: %s; install it or start with Oriel's own mpiexec",
                    dlerror());
    for (size_t i = 0; i < sizeof function_table / sizeof function_table[0]; i++) {
        void *function = dlsym(pmix->library, function_table[i].name);
        if (function == NULL)
            return fail(MPI_ERR_OTHER, "the PMIx library has no %s",
                        function_table[i].name);
        memcpy((char *)&pmix->functions + function_table[i].field, &function,
               sizeof function);
    }
    return 0;
}

static int pmix_refuse(const struct pmix *pmix, const char *what, int status)
{
    return fail(MPI_ERR_OTHER, "the PMIx launcher refuses %s: %s", what,
                pmix->functions.error_string(status));
}

static struct pmix_hint hint_flag(const char *key)
{
    struct pmix_hint info = {.value = {.type = PMIX_TYPE_BOOL, .data.flag = true}};
    snprintf(info.key, sizeof info.key, "%s", key);
    return info;
}

// Does not wait for a value that is missing.
static int pmix_get_value(const struct pmix *pmix, uint32_t rank, const char *key,
                          struct pmix_datum **value)
{
    struct pmix_process owner = pmix->own;
    struct pmix_hint at_once = hint_flag("pmix.immediate");
    owner.rank = rank;
    return pmix->functions.get(&owner, key, &at_once, 1, value);
}

// Reads a number of the whole job; it stays as it is if the launcher does not tell it.
static void learn_number(const struct pmix *pmix, uint32_t rank, const char *key,
                         int *number)
{
    struct pmix_datum *value;
    if (pmix_get_value(pmix, rank, key, &value) != 0)
        return;
    // Slurm gives an int for PMIX_APPNUM; a negative one is a large uint32.
    bool is_number = value->type == PMIX_TYPE_UINT32 || value->type == PMIX_TYPE_INT;
    if (is_number && value->data.uint32 <= JOB_SIZE_MAX)
        *number = (int)value->data.uint32;
    free(value);
}

// ---- the driver -------------------------------------------------------------------
static int pmix_put(struct boot *boot, const char *key, const char *value)
{
    const struct pmix *pmix = boot->driver_state;
    struct pmix_datum text = {.type = PMIX_TYPE_STRING, .data.string = (char *)value};
    int status = pmix->functions.put(PMIX_SCOPE_GLOBAL, key, &text);
    return status == 0 ? 0 : pmix_refuse(pmix, key, status);
}

static int pmix_fence(struct boot *boot)
{
    const struct pmix *pmix = boot->driver_state;
    struct pmix_process all = pmix->own;
    struct pmix_hint collect = hint_flag("pmix.collect");
    all.rank = PMIX_WHOLE_JOB;
    int status = pmix->functions.commit();
    if (status == 0)
        status = pmix->functions.fence(&all, 1, &collect, 1);
    return status == 0 ? 0 : pmix_refuse(pmix, "an exchange", status);
}

// A PMIx launcher has no keys of its own.
static int pmix_get(struct boot *boot, int rank, const char *key, char *value,
                    size_t value_size)
{
    struct pmix_datum *found;
    if (rank == BOOT_LAUNCHER ||
        pmix_get_value(boot->driver_state, (uint32_t)rank, key, &found) != 0)
        return fail(MPI_ERR_NAME, "nobody has put the key %s", key);
    bool fits =
        found->type == PMIX_TYPE_STRING && strlen(found->data.string) < value_size;
    if (fits)
        strcpy(value, found->data.string);
    if (found->type == PMIX_TYPE_STRING)
        free(found->data.string);
    free(found);
    return fits ? 0
                : fail(MPI_ERR_OTHER,
                       "the launcher's value of %s is no text or longer than %zu bytes",
                       key, value_size - 1);
}

// All of them come from the process's own server, which has them from the start.
static bool pmix_machine(struct boot *boot, int rank, uint32_t *machine)
{
    struct pmix_datum *found;
    if (pmix_get_value(boot->driver_state, (uint32_t)rank, "pmix.nodeid", &found) != 0)
        return false;
    bool is_number = found->type == PMIX_TYPE_UINT32;
    *machine = found->data.uint32;
    free(found);
    return is_number;
}

static void pmix_abort(struct boot *boot, int code, const char *why)
{
    const struct pmix *pmix = boot->driver_state;
    struct pmix_process all = pmix->own;
    all.rank = PMIX_WHOLE_JOB;
    pmix->functions.abort(code, why, &all, 1);
}

static void pmix_finalize(struct boot *boot)
{
    const struct pmix *pmix = boot->driver_state;
    int status = pmix->functions.finalize(NULL, 0);
    if (status != 0)
        log_verbose("PMIx_Finalize: %s", pmix->functions.error_string(status));
}

// The library stays loaded: its threads may not have ended.
static void pmix_close(struct boot *boot)
{
    free(boot->driver_state);
}

static const struct boot_driver pmix_driver = {
    .put = pmix_put,
    .fence = pmix_fence,
    .get = pmix_get,
    .machine = pmix_machine,
    .abort = pmix_abort,
    .finalize = pmix_finalize,
    .close = pmix_close,
};

// ---- start ------------------------------------------------------------------------
static int pmix_learn(struct pmix *pmix, struct boot *boot)
{
    int err = library_open(pmix);
    if (err)
        return err;
    int status = pmix->functions.init(&pmix->own, NULL, 0);
    if (status != 0)
        return pmix_refuse(pmix, "to be spoken to", status);
    boot->size = -1;
    learn_number(pmix, PMIX_WHOLE_JOB, "pmix.job.size", &boot->size);
    learn_number(pmix, PMIX_WHOLE_JOB, "pmix.univ.size", &boot->universe_size);
    learn_number(pmix, pmix->own.rank, "pmix.appnum", &boot->app_number);
    if (boot->size < 1 || pmix->own.rank >= (uint32_t)boot->size)
        return fail(MPI_ERR_OTHER, "the PMIx launcher says rank %u of %d processes",
                    pmix->own.rank, boot->size);
    boot->rank = (int)pmix->own.rank;
    return 0;
}

int pmix_start(struct boot *boot)
{
    struct pmix *pmix = calloc(1, sizeof *pmix);
    if (!pmix)
        return fail(MPI_ERR_NO_MEM, "no memory to speak to the launcher");
    int err = pmix_learn(pmix, boot);
    if (err) {
        free(pmix);
        return err;
    }
    boot->launcher = "PMIx";
    boot->driver = &pmix_driver;
    boot->driver_state = pmix;
    snprintf(boot->job, sizeof boot->job, "pmix-%016llx",
             (unsigned long long)text_hash(pmix->own.name_space));
    return 0;
}
