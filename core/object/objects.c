// SPDX-License-Identifier: BSD-3-Clause
// Start and stop of the layer: the objects that MPI provides.
#include "object/private.h"
#include "object/request.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

// What MPI_INFO_ENV tells (MPI-4.1 11.2.1), as far as this process knows it.
static int describe_environment(struct info *info)
{
    char size[16], folder[MPI_MAX_INFO_VAL];
    struct utsname machine;
    snprintf(size, sizeof size, "%d", process.boot->size);
    int err = info_put(info, "command", program_invocation_name);
    if (!err)
        err = info_put(info, "maxprocs", size);
    if (!err && uname(&machine) == 0)
        err = info_put(info, "arch", machine.machine);
    if (!err && getcwd(folder, sizeof folder) != NULL)
        err = info_put(info, "wdir", folder);
    return err;
}

int objects_start(void)
{
    objects.last_code = MPI_ERR_LASTCODE + objects.added_count;
    for (int i = 0; i < predefined_datatype_count; i++) {
        struct datatype *type = &predefined_datatypes[i];
        datatype_commit(type);
        if (type->size <= 8)
            type->quick_row = (uint16_t)basic_row(type->basic);
        object_open_predefined(&type->object, KIND_DATATYPE,
                               predefined_datatype_codes[i]);
    }
    for (int i = 0; i < predefined_op_count; i++)
        object_open_predefined(&predefined_ops[i].object, KIND_OP,
                               (uintptr_t)predefined_ops[i].code);
    object_open_predefined(&errors_are_fatal.object, KIND_ERRHANDLER,
                           (uintptr_t)MPI_ERRORS_ARE_FATAL);
    object_open_predefined(&errors_abort.object, KIND_ERRHANDLER,
                           (uintptr_t)MPI_ERRORS_ABORT);
    object_open_predefined(&errors_return.object, KIND_ERRHANDLER,
                           (uintptr_t)MPI_ERRORS_RETURN);
    object_open_predefined(&group_empty.object, KIND_GROUP, (uintptr_t)MPI_GROUP_EMPTY);
    object_open_predefined(&info_env.object, KIND_INFO, (uintptr_t)MPI_INFO_ENV);
    int err = requests_start();
    return err ? err : describe_environment(&info_env);
}

void objects_stop(void)
{
    requests_stop();
    sections_forget();
    parameterized_forget();
    errors_forget();
    info_clear(&info_env);
}
