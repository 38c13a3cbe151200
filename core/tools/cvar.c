// SPDX-License-Identifier: BSD-3-Clause
// Control variables (MPI-4.1 15.3.6): the options, each with the name of its
// environment variable. A value written before the library starts replaces that of the
// environment.
#include "tools/tools.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

static bool is_index(int cvar_index)
{
    return cvar_index >= 0 && cvar_index < option_count;
}

static MPI_Datatype type_of(const struct option *option)
{
    switch (option->type) {
    case OPTION_BYTES:
        return MPI_UNSIGNED_LONG;
    case OPTION_TEXT:
        return MPI_CHAR;
    default:
        return MPI_INT;
    }
}

int oriel_t_cvar_get_num(int *num_cvar)
{
    int err = tools_check();
    if (!err)
        result_store(num_cvar, option_count);
    return err;
}

int oriel_t_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity,
                          MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc,
                          int *desc_len, int *bind, int *scope)
{
    int err = tools_check();
    if (err)
        return err;
    if (!is_index(cvar_index))
        return MPI_T_ERR_INVALID_INDEX;
    const struct option *option = &option_table[cvar_index];
    give_text(option->name, strlen(option->name), name, name_len);
    give_text(option->description, strlen(option->description), desc, desc_len);
    result_store(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    result_store(bind, MPI_T_BIND_NO_OBJECT);
    result_store(scope, option->is_common ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL);
    if (datatype != NULL)
        *datatype = type_of(option);
    if (enumtype != NULL)
        *enumtype = enum_of_option(option);
    return 0;
}

int oriel_t_cvar_get_index(const char *name, int *cvar_index)
{
    int err = tools_check();
    if (err)
        return err;
    if (name == NULL || cvar_index == NULL)
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < option_count; i++)
        if (strcmp(option_table[i].name, name) == 0) {
            *cvar_index = i;
            return 0;
        }
    return MPI_T_ERR_INVALID_NAME;
}

int oriel_t_cvar_handle_alloc(int cvar_index, void *obj_handle,
                              MPI_T_cvar_handle *handle, int *count)
{
    (void)obj_handle; // no variable belongs to an object
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    int err = is_index(cvar_index) ? 0 : MPI_T_ERR_INVALID_INDEX;
    struct MPI_ABI_T_cvar_handle *made = NULL;
    if (!err && handle == NULL)
        err = MPI_T_ERR_INVALID;
    if (!err && (made = malloc(sizeof *made)) == NULL)
        err = MPI_T_ERR_MEMORY;
    if (!err) {
        const struct option *option = &option_table[cvar_index];
        *made = (struct MPI_ABI_T_cvar_handle){tools->cvars, option};
        tools->cvars = *handle = made;
        result_store(count, option->type == OPTION_TEXT ? OPTION_TEXT_BYTES : 1);
    }
    tools_leave();
    return err;
}

// The link to a handle in the list; to NULL if the handle is none.
static MPI_T_cvar_handle *cvar_find(struct tools *tools, MPI_T_cvar_handle handle)
{
    MPI_T_cvar_handle *link = &tools->cvars;
    while (*link != NULL && *link != handle)
        link = &(*link)->next;
    return link;
}

int oriel_t_cvar_handle_free(MPI_T_cvar_handle *handle)
{
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    MPI_T_cvar_handle *link = handle ? cvar_find(tools, *handle) : NULL;
    bool is_known = link != NULL && *link != NULL;
    if (is_known) {
        *link = (*handle)->next;
        free(*handle);
        *handle = MPI_T_CVAR_HANDLE_NULL;
    }
    tools_leave();
    return is_known ? 0 : MPI_T_ERR_INVALID_HANDLE;
}

static int option_of(MPI_T_cvar_handle handle, const struct option **option)
{
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    struct MPI_ABI_T_cvar_handle *found = *cvar_find(tools, handle);
    if (found != NULL)
        *option = found->option;
    tools_leave();
    return found ? 0 : MPI_T_ERR_INVALID_HANDLE;
}

int oriel_t_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    const struct option *option;
    int err = option_of(handle, &option);
    if (!err && buf == NULL)
        err = MPI_T_ERR_INVALID;
    if (err)
        return err;
    pthread_mutex_lock(&process.life);
    memcpy(buf, option_field(option, &process.options), option_bytes(option));
    pthread_mutex_unlock(&process.life);
    return 0;
}

static int write_option(const struct option *option, const void *value)
{
    if (process.has_started && !option->is_late)
        return MPI_T_ERR_CVAR_SET_NOT_NOW;
    return option_set(option, &process.options, value) ? MPI_T_ERR_INVALID : 0;
}

int oriel_t_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
    const struct option *option;
    int err = option_of(handle, &option);
    if (!err && buf == NULL)
        err = MPI_T_ERR_INVALID;
    if (err)
        return err;
    pthread_mutex_lock(&process.life);
    err = write_option(option, buf);
    pthread_mutex_unlock(&process.life);
    return err;
}
