// SPDX-License-Identifier: BSD-3-Clause
// Sessions and handles of performance variables (MPI-4.1 15.3.7). The counters run
// always; a handle remembers where it was started. Levels are what they are: they cannot
// be started, stopped or changed.
#include "tools/tools.h"

#include <oriel_core.h>
#include <stdlib.h>

// ---- their lists

// The link to a session in the list; to NULL if it is none.
static MPI_T_pvar_session *find_session(struct tools *tools, MPI_T_pvar_session session)
{
    MPI_T_pvar_session *link = &tools->sessions;
    while (*link != NULL && *link != session)
        link = &(*link)->next;
    return link;
}

static MPI_T_pvar_handle *find_handle(MPI_T_pvar_session session,
                                      MPI_T_pvar_handle handle)
{
    MPI_T_pvar_handle *link = &session->handles;
    while (*link != NULL && *link != handle)
        link = &(*link)->next;
    return link;
}

void pvar_handles_free(MPI_T_pvar_session session)
{
    while (session->handles != NULL) {
        MPI_T_pvar_handle handle = session->handles;
        session->handles = handle->next;
        free(handle);
    }
}

// Locks, until tools_leave, and says whether there is such a session; if not, nothing is
// locked.
static int session_enter(MPI_T_pvar_session session)
{
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    if (*find_session(tools, session) != NULL)
        return 0;
    tools_leave();
    return MPI_T_ERR_INVALID_SESSION;
}

int oriel_t_pvar_session_create(MPI_T_pvar_session *pe_session)
{
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    int err = pe_session ? 0 : MPI_T_ERR_INVALID;
    MPI_T_pvar_session made = err ? NULL : malloc(sizeof *made);
    if (!err && made == NULL)
        err = MPI_T_ERR_MEMORY;
    if (!err) {
        *made = (struct MPI_ABI_T_pvar_session){.next = tools->sessions};
        tools->sessions = *pe_session = made;
    }
    tools_leave();
    return err;
}

int oriel_t_pvar_session_free(MPI_T_pvar_session *pe_session)
{
    int err = pe_session ? session_enter(*pe_session) : MPI_T_ERR_INVALID_SESSION;
    if (err)
        return err;
    *find_session(process.tools, *pe_session) = (*pe_session)->next;
    pvar_handles_free(*pe_session);
    free(*pe_session);
    *pe_session = MPI_T_PVAR_SESSION_NULL;
    tools_leave();
    return 0;
}

int oriel_t_pvar_handle_alloc(MPI_T_pvar_session pe_session, int pvar_index,
                              void *obj_handle, MPI_T_pvar_handle *handle, int *count)
{
    (void)obj_handle; // no variable belongs to an object
    int err = session_enter(pe_session);
    if (err)
        return err;
    MPI_T_pvar_handle made = NULL;
    if (pvar_index < 0 || pvar_index >= COUNTER_COUNT)
        err = MPI_T_ERR_INVALID_INDEX;
    else if (handle == NULL)
        err = MPI_T_ERR_INVALID;
    else if ((made = malloc(sizeof *made)) == NULL)
        err = MPI_T_ERR_MEMORY;
    if (!err) {
        *made = (struct MPI_ABI_T_pvar_handle){
            .next = pe_session->handles,
            .counter = (enum counter)pvar_index,
            .is_started = pvar_is_level(pvar_index),
        };
        pe_session->handles = *handle = made;
        result_store(count, 1);
    }
    tools_leave();
    return err;
}

int oriel_t_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle *handle)
{
    int err = session_enter(pe_session);
    if (err)
        return err;
    MPI_T_pvar_handle *link = handle ? find_handle(pe_session, *handle) : NULL;
    bool is_known = link != NULL && *link != NULL;
    if (is_known) {
        *link = (*handle)->next;
        free(*handle);
        *handle = MPI_T_PVAR_HANDLE_NULL;
    }
    tools_leave();
    return is_known ? 0 : MPI_T_ERR_INVALID_HANDLE;
}

// ---- what is done with them. Each is an error for some variables.

static uint64_t pvar_value(const struct MPI_ABI_T_pvar_handle *handle)
{
    return counter_value(handle->counter);
}

static int pvar_start(struct MPI_ABI_T_pvar_handle *handle, uint64_t *value)
{
    (void)value;
    if (pvar_is_level(handle->counter))
        return MPI_T_ERR_PVAR_NO_STARTSTOP;
    if (!handle->is_started)
        handle->start = pvar_value(handle);
    handle->is_started = true;
    return 0;
}

static uint64_t value_at(const struct MPI_ABI_T_pvar_handle *handle, uint64_t now)
{
    return handle->value + (handle->is_started ? now - handle->start : 0);
}

static int read_value(struct MPI_ABI_T_pvar_handle *handle, uint64_t *value)
{
    *value = value_at(handle, pvar_value(handle));
    return 0;
}

static int pvar_stop(struct MPI_ABI_T_pvar_handle *handle, uint64_t *value)
{
    (void)value;
    if (pvar_is_level(handle->counter))
        return MPI_T_ERR_PVAR_NO_STARTSTOP;
    read_value(handle, &handle->value);
    handle->is_started = false;
    return 0;
}

static int write_value(struct MPI_ABI_T_pvar_handle *handle, uint64_t *value)
{
    if (pvar_is_level(handle->counter))
        return MPI_T_ERR_PVAR_NO_WRITE;
    handle->value = *value;
    handle->start = pvar_value(handle);
    return 0;
}

static int pvar_reset(struct MPI_ABI_T_pvar_handle *handle, uint64_t *value)
{
    (void)value;
    return write_value(handle, &(uint64_t){0});
}

static int read_and_reset(struct MPI_ABI_T_pvar_handle *handle, uint64_t *value)
{
    if (pvar_is_level(handle->counter))
        return MPI_T_ERR_PVAR_NO_ATOMIC;
    uint64_t now = pvar_value(handle);
    *value = value_at(handle, now);
    handle->value = 0;
    handle->start = now;
    return 0;
}

typedef int pvar_action(struct MPI_ABI_T_pvar_handle *handle, uint64_t *value);

static int with_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                       pvar_action *act, uint64_t *value)
{
    int err = session_enter(session);
    if (err)
        return err;
    if (*find_handle(session, handle) == NULL)
        err = MPI_T_ERR_INVALID_HANDLE;
    else
        err = value ? act(handle, value) : MPI_T_ERR_INVALID;
    tools_leave();
    return err;
}

// All handles stand for those with which it can be done.
static int with_some(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                     pvar_action *act)
{
    if (handle != MPI_T_PVAR_ALL_HANDLES)
        return with_handle(session, handle, act, &(uint64_t){0});
    int err = session_enter(session);
    if (err)
        return err;
    for (MPI_T_pvar_handle one = session->handles; one != NULL; one = one->next)
        act(one, NULL);
    tools_leave();
    return 0;
}

int oriel_t_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
    return with_some(pe_session, handle, pvar_start);
}

int oriel_t_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
    return with_some(pe_session, handle, pvar_stop);
}

int oriel_t_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
    return with_some(pe_session, handle, pvar_reset);
}

int oriel_t_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle,
                      void *buf)
{
    return with_handle(pe_session, handle, read_value, buf);
}

int oriel_t_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle,
                       const void *buf)
{
    const uint64_t *value = buf;
    return with_handle(pe_session, handle, write_value,
                       value ? &(uint64_t){*value} : NULL);
}

int oriel_t_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle,
                           void *buf)
{
    return with_handle(pe_session, handle, read_and_reset, buf);
}
