// SPDX-License-Identifier: BSD-3-Clause
// Looking at messages before they are received (MPI-4.1 3.8.1 to 3.8.3).
#include "pt2pt/handlers.h"
#include "pt2pt/probe.h"
#include "pt2pt/transfer.h"

#include <oriel_core.h>
#include <stdlib.h>

static struct message message_no_proc = {.object = {.references = 1}};

void messages_of_nobody_start(void)
{
    object_open_predefined(&message_no_proc.object, KIND_MESSAGE,
                           (uintptr_t)MPI_MESSAGE_NO_PROC);
}

void messages_of_nobody_stop(void)
{
    object_close_predefined(&message_no_proc.object);
}

// A probe: the parameters that it matches, and the message that it has found.
struct probe {
    struct transfer_parameters parameters;
    bool is_taking; // it shall not match anything else
    struct unexpected *unexpected;
    struct envelope envelope; // of the message that is found
};

static struct probe probe_for(int source, int tag, struct communicator *comm,
                              bool is_taking)
{
    return (struct probe){.parameters = {.comm = comm,
                                         .rank = source,
                                         .tag = tag,
                                         .channel = CHANNEL_USER},
                          .is_taking = is_taking};
}

static void probe_found(struct probe *probe)
{
    struct unexpected *unexpected = probe->unexpected;
    probe->envelope = unexpected->envelope;
    unexpected->is_taken = probe->is_taking;
    if (races_are_checked() && probe->is_taking)
        envelope_order(unexpected->peer, &unexpected->envelope, NULL);
    else if (races_are_checked())
        races_probed(unexpected->peer, envelope_key(&unexpected->envelope));
    if (probe->is_taking) // its sender would ask in vain: it is not in the queue
        unexpected_keep(unexpected);
}

// Callers hold the message lock; once it is free another thread may take the message.
static bool probe_look(void *argument)
{
    struct probe *probe = argument;
    probe->unexpected = probe->is_taking ? unexpected_take(&probe->parameters)
                                         : unexpected_find(&probe->parameters);
    if (probe->unexpected != NULL)
        probe_found(probe);
    return probe->unexpected != NULL;
}

static void explain_probe(const void *argument, struct explanation *explanation)
{
    const struct probe *probe = argument;
    if (unexpected_find(&probe->parameters) == NULL)
        parameters_explain(&probe->parameters, explanation);
}

static bool probe_look_locked(struct probe *probe)
{
    message_lock();
    bool has_found = probe_look(probe);
    message_unlock();
    return has_found;
}

static int probe_look_once(struct probe *probe, int *flag)
{
    *flag = probe_look_locked(probe);
    if (!*flag) {
        message_progress_and_yield();
        *flag = probe_look_locked(probe);
    }
    return message_looked(*flag);
}

static void probe_tell(const struct probe *probe, MPI_Status *status)
{
    status_set(status, probe->envelope.source, probe->envelope.tag,
               probe->envelope.bytes, false);
}

int oriel_probe(int source, int tag, struct communicator *comm, MPI_Status *status)
{
    struct probe probe = probe_for(source, tag, comm, false);
    if (source == MPI_PROC_NULL) {
        status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
        return 0;
    }
    int err = message_wait(probe_look, &probe, explain_probe);
    if (!err)
        probe_tell(&probe, status);
    return err;
}

int oriel_iprobe(int source, int tag, struct communicator *comm, int *flag,
                 MPI_Status *status)
{
    struct probe probe = probe_for(source, tag, comm, false);
    *flag = true;
    if (source == MPI_PROC_NULL) {
        status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
        return 0;
    }
    int err = probe_look_once(&probe, flag);
    if (*flag)
        probe_tell(&probe, status);
    return err;
}

// ---- messages that are taken

static void message_destroy(struct object *object)
{
    struct message *message = (struct message *)object;
    object_release(message->comm);
    free(message);
}

// Makes the object of a message that may come; it keeps the communicator.
static int message_make(struct communicator *comm, struct message **made)
{
    struct message *message = malloc(sizeof *message);
    if (message == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a message");
    *message = (struct message){.comm = comm};
    object_init(&message->object, message_destroy);
    object_retain(comm);
    int err = object_open(&message->object, KIND_MESSAGE);
    if (!err)
        *made = message;
    return err;
}

static int take_from_nobody(struct message **message, MPI_Status *status)
{
    *message = &message_no_proc;
    status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    return 0;
}

int oriel_mprobe(int source, int tag, struct communicator *comm,
                 struct message **message, MPI_Status *status)
{
    if (source == MPI_PROC_NULL)
        return take_from_nobody(message, status);
    struct probe probe = probe_for(source, tag, comm, true);
    struct message *taken = NULL;
    int err = message_make(comm, &taken);
    if (err)
        return err;
    err = message_wait(probe_look, &probe, explain_probe);
    if (err) {
        object_close(&taken->object);
        return err;
    }
    taken->unexpected = probe.unexpected;
    probe_tell(&probe, status);
    *message = taken;
    return 0;
}

// Takes the message that was found, unless another thread has taken it.
static int take_now(struct probe *probe, struct message **message)
{
    int err = message_make(probe->parameters.comm, message);
    if (err)
        return err;
    probe->is_taking = true;
    probe_look_locked(probe);
    (*message)->unexpected = probe->unexpected;
    if (probe->unexpected == NULL) {
        object_close(&(*message)->object);
        *message = NULL;
    }
    return 0;
}

int oriel_improbe(int source, int tag, struct communicator *comm, int *flag,
                  struct message **message, MPI_Status *status)
{
    struct probe probe = probe_for(source, tag, comm, false);
    *flag = true;
    if (source == MPI_PROC_NULL)
        return take_from_nobody(message, status);
    *message = NULL;
    int err = probe_look_once(&probe, flag);
    if (*flag)
        err = take_now(&probe, message);
    *flag = *message != NULL;
    if (*flag)
        probe_tell(&probe, status);
    return err;
}
