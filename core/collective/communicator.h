// SPDX-License-Identifier: BSD-3-Clause
// The making of communicators.
#pragma once

#include "collective/schedule.h"

enum { TAG_SHARED_BUFFER, TAG_SPLIT };

// Returns a context that is unique in the job without agreement.
uint64_t context_next(void);
// A communicator over `group`, of which this process is a member, without context,
// shared buffer and error handler.
int communicator_plan(const struct communicator *parent, struct group *group,
                      struct communicator **planned);
// Makes a communicator over `group`, without handle and attributes; NULL for a member of
// `parent` that is to be in none. All members of `parent` call it, with groups of which a
// process is in one at most. One that comes with an error `err` makes the call fail for
// all, and all return every error.
int communicator_make(struct communicator *parent, struct group *group, int err,
                      struct communicator **made);
// A communicator over the first `count` members, with `topology`, whose reference is
// taken over; the others have NULL and get none. All return an error if one has `err`.
int topology_communicator(struct communicator *comm_old, int count, int err,
                          struct topology *topology, struct communicator **made);
// Frees a communicator whose making has failed: its shared buffer has no other users.
// NULL is allowed.
void communicator_abandon(struct communicator *comm);
// All members of an intracommunicator return an error if one has one.
int communicator_agree(struct communicator *comm, int err);
// Makes a communicator over the members of `group` alone, which send their messages
// over `carrier` with a tag.
int communicator_make_apart(struct communicator *carrier, int tag, struct group *group,
                            struct errhandler *errhandler, struct communicator **made);
// Completes a planned communicator that has a context: shared buffer and error handler.
// All its members call it and return every error; on an error the communicator is
// abandoned.
int communicator_set_up(struct communicator *comm, struct errhandler *errhandler);
// Gives the program a handle, or none for NULL.
int communicator_publish(struct communicator *made, struct communicator **newcomm);

// Derives a tag from a text that the members of a group have in common.
int tag_of_text(const char *text);
// Gives `made` a context that both groups agree on: rank 0 of `local` asks the leader
// of the other group, a remote rank of `comm`.
void append_swap_contexts(struct schedule *schedule, struct communicator *comm,
                          struct communicator *local, int remote_leader,
                          struct communicator *made);
// Like MPI_Comm_split on an intracommunicator, without a handle; NULL without a color.
int split_members(struct communicator *comm, int color, int key,
                  struct communicator **made);

// MPI_ERR_GROUP unless all of `group` are in the group of `comm`.
int check_subset(const struct communicator *comm, const struct group *group);
// The members of both groups with one color, in the order of keys; NULL for those
// without one, or without partners.
int intercommunicator_split(struct communicator *comm, int color, int key,
                            struct communicator **made);
