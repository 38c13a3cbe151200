// SPDX-License-Identifier: BSD-3-Clause
// Start and stop of the layer: the objects that MPI provides.
#include "object/environment.h"
#include "object/error_codes.h"

int objects_start(void)
{
    objects.last_code = MPI_ERR_LASTCODE + objects.added_count;
    object_open_predefined(&group_empty.object, KIND_GROUP, (uintptr_t)MPI_GROUP_EMPTY);
    object_open_predefined(&info_env.object, KIND_INFO, (uintptr_t)MPI_INFO_ENV);
    int err = requests_start();
    return err ? err : environment_describe(&info_env);
}

void objects_stop(void)
{
    requests_stop();
    errors_forget();
    info_clear(&info_env);
}
