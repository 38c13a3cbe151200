// SPDX-License-Identifier: BSD-3-Clause
// Start and stop of the layer: the objects that MPI provides.
#include "object/private.h"
#include "object/request.h"

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
    object_open_predefined(&group_empty.object, KIND_GROUP, (uintptr_t)MPI_GROUP_EMPTY);
    object_open_predefined(&info_env.object, KIND_INFO, (uintptr_t)MPI_INFO_ENV);
    int err = requests_start();
    return err ? err : environment_describe(&info_env);
}

void objects_stop(void)
{
    requests_stop();
    sections_forget();
    parameterized_forget();
    errors_forget();
    info_clear(&info_env);
}
