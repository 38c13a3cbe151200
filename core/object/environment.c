// SPDX-License-Identifier: BSD-3-Clause
// Info objects that describe the process: how it was started, what it runs on.
#include "object/environment.h"

#include <errno.h>
#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// Some launchers tell it in the environment, others not before MPI has started.
static int describe_job(struct info *info)
{
    char size[16];
    int processes = boot_job_size();
    if (processes == 0)
        return 0;
    snprintf(size, sizeof size, "%d", processes);
    return info_put(info, "maxprocs", size);
}

// What mpiexec was asked for; MPI_Comm_get_info tells what there is.
static int describe_request(struct info *info)
{
    const char *kinds = getenv("ORIEL_MEMORY_KINDS");
    bool is_value = kinds && strnlen(kinds, MPI_MAX_INFO_VAL) < MPI_MAX_INFO_VAL;
    return is_value ? info_put(info, "mpi_memory_alloc_kinds", kinds) : 0;
}

int memory_kinds_show(struct info *info)
{
    return info_put(
        info, "mpi_memory_alloc_kinds",
        "system,mpi,mpi:alloc_mem,mpi:win_allocate,mpi:win_allocate_shared");
}

int environment_describe(struct info *info)
{
    char folder[MPI_MAX_INFO_VAL];
    struct utsname machine;
    int err = info_put(info, "command", program_invocation_name);
    if (!err)
        err = describe_job(info);
    if (!err && uname(&machine) == 0)
        err = info_put(info, "arch", machine.machine);
    if (!err && getcwd(folder, sizeof folder) != NULL)
        err = info_put(info, "wdir", folder);
    return err ? err : describe_request(info);
}

// The arguments with blanks between them, as far as a value has room.
static int describe_arguments(struct info *info, int argc, char *argv[])
{
    char text[MPI_MAX_INFO_VAL] = "";
    size_t length = 0;
    if (argc < 1 || argv == NULL)
        return 0;
    for (int i = 1; i < argc && length < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                   i > 1 ? " " : "", argv[i]);
    int err = info_put(info, "command", argv[0]);
    return err || argc == 1 ? err : info_put(info, "argv", text);
}

static int info_give(struct info *made, int err, struct info **info)
{
    if (err) {
        object_release(made);
        return err;
    }
    *info = made;
    return object_open(&made->object, KIND_INFO);
}

int oriel_info_create_env(int argc, char *argv[], struct info **info)
{
    struct info *made = NULL;
    int err = info_make(&made);
    if (err)
        return err;
    err = environment_describe(made);
    if (!err)
        err = describe_arguments(made, argc, argv);
    return info_give(made, err, info);
}

// The one resource by which MPI_Comm_split_type splits: nobody has two of it.
int oriel_get_hw_resource_info(struct info **hw_info)
{
    struct info *made = NULL;
    int err = info_make(&made);
    return err ? err
               : info_give(made, info_put(made, "mpi_shared_memory", "true"), hw_info);
}
