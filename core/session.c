// SPDX-License-Identifier: BSD-3-Clause
// Sessions and their process sets (MPI-4.1 11.3). All sessions of a process share one
// running library; a session is a user of it, with an error handler.
#include "process.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const process_sets[] = {"mpi://WORLD", "mpi://SELF"};
enum {
    SET_WORLD,
    SET_SELF,
    SET_COUNT,
};

static void session_destroy(struct object *object)
{
    object_release(object->errhandler);
    send_buffer_free(((struct session *)object)->buffer);
    free(object);
}

static int session_make(struct errhandler *errhandler, struct session **session)
{
    struct session *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a session");
    object_init(&made->object, session_destroy);
    int err = oriel_session_set_errhandler(made, errhandler);
    if (err)
        object_release(made);
    else
        *session = made;
    return err;
}

// Nobody knows what other sessions and MPI_Init will ask for: the first starts the
// library for threads.
int oriel_session_init(struct info *info, struct errhandler *errhandler,
                       struct session **session)
{
    (void)info; // every level of thread support that it may ask for is granted
    struct session *made = NULL;
    int err = session_make(errhandler, &made);
    if (err)
        return err;
    err = process_enter(MPI_THREAD_MULTIPLE);
    if (err) {
        object_release(made);
        return err;
    }
    err = object_open(&made->object, KIND_SESSION);
    if (err) {
        process_leave();
        return err;
    }
    *session = made;
    return 0;
}

int oriel_session_finalize(struct session *session)
{
    int err = oriel_session_flush_buffer(session);
    if (!err)
        err = process_leave();
    if (!err)
        object_close(&session->object);
    return err;
}

// ---- process sets

// SET_COUNT after fail(). Names are URIs, whose scheme and authority have no case.
static int find_set(const char *name)
{
    for (int i = 0; i < SET_COUNT; i++)
        if (strcasecmp(name, process_sets[i]) == 0)
            return i;
    fail(MPI_ERR_ARG, "pset_name = \"%.64s\": must be %s or %s", name,
         process_sets[SET_WORLD], process_sets[SET_SELF]);
    return SET_COUNT;
}

static int set_size(int set)
{
    return set == SET_WORLD ? process.boot->size : 1;
}

int oriel_session_get_num_psets(struct session *session, struct info *info,
                                int *npset_names)
{
    (void)session, (void)info; // no hint has an effect
    *npset_names = SET_COUNT;
    return 0;
}

// *pset_len becomes what the name needs with its terminator; 0 leaves pset_name alone.
int oriel_session_get_nth_pset(struct session *session, struct info *info, int n,
                               int *pset_len, char *pset_name)
{
    (void)session, (void)info; // no hint has an effect
    if (n >= SET_COUNT)
        return fail(MPI_ERR_ARG, "n = %d: must be less than the number of sets, %d", n,
                    SET_COUNT);
    if (*pset_len > 0)
        snprintf(pset_name, (size_t)*pset_len, "%s", process_sets[n]);
    *pset_len = (int)strlen(process_sets[n]) + 1;
    return 0;
}

int oriel_group_from_session_pset(struct session *session, const char *pset_name,
                                  struct group **newgroup)
{
    int set = find_set(pset_name);
    if (set == SET_COUNT)
        return MPI_ERR_ARG;
    struct group *made = NULL;
    int err = group_make_regular(set == SET_WORLD ? 0 : process.boot->rank, 1,
                                 set_size(set), session, &made);
    if (!err)
        err = object_open(&made->object, KIND_GROUP);
    if (!err)
        *newgroup = made;
    return err;
}

// ---- what sessions and sets tell

// An info with one key, and with the kinds of memory for a session.
static int info_of(const char *key, const char *value, bool has_kinds,
                   struct info **info)
{
    struct info *made = NULL;
    int err = info_make(&made);
    if (err)
        return err;
    err = info_put(made, key, value);
    if (!err && has_kinds)
        err = memory_kinds_show(made);
    if (err)
        object_release(made);
    else
        err = object_open(&made->object, KIND_INFO);
    if (!err)
        *info = made;
    return err;
}

static const char *thread_level_name(int level)
{
    switch (level) {
    case MPI_THREAD_SINGLE:
        return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
        return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
        return "MPI_THREAD_SERIALIZED";
    default:
        return "MPI_THREAD_MULTIPLE";
    }
}

int oriel_session_get_info(struct session *session, struct info **info_used)
{
    (void)session;
    return info_of("thread_level", thread_level_name(process.thread_level), true,
                   info_used);
}

int oriel_session_get_pset_info(struct session *session, const char *pset_name,
                                struct info **info)
{
    (void)session;
    int set = find_set(pset_name);
    if (set == SET_COUNT)
        return MPI_ERR_ARG;
    char size[16];
    snprintf(size, sizeof size, "%d", set_size(set));
    return info_of("mpi_size", size, false, info);
}
