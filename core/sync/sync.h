// SPDX-License-Identifier: BSD-3-Clause
// sync: the procedures that open, close and order epochs (MPI-4.1 12.5). The rules:
//
//   call              allowed in                      afterwards
//   fence             none, fence                     fence; none if NOSUCCEED
//   lock              none, unused fence, lock (of    lock
//                     other targets)
//   lock_all          none, unused fence              lock_all
//   unlock            lock (of this target)           lock; none after the last
//   unlock_all        lock_all                        none
//   flush family      lock (of this target), lock_all unchanged
//   start             none, unused fence              start
//   complete          start                           none
//   free              none, unused fence
//
// Beside that a window is exposed from post to wait or a test that is true. Then post,
// fence and free are not allowed; post is not allowed in a fence epoch that was used.
//
// Anything else gives MPI_ERR_RMA_SYNC and changes nothing. A member's memory must not
// be locked and exposed at once: who finds it so gets MPI_ERR_RMA_CONFLICT.
//
// Glossary
//   complete  an operation is complete when its data is in the target's memory (put) or
//             here (get); loads and stores are at once, others are counted by their
//             peer
//   quiet     nothing is under way
#pragma once

#include "window/window.h"

// Returns when every operation on the peer is complete; the error of one that failed.
int sync_complete_counted(struct peer *peer);
static inline int sync_complete(struct peer *peer)
{
    return likely(peer->traffic == NULL) ? 0 : sync_complete_counted(peer);
}
// The same for all peers of the window; the first error of any.
int sync_complete_all(struct window *window);
// Sends all operations of a fence epoch, and waits for those that no member of this node
// takes from its ring. *has_left: messages for those members. The first error of any.
int sync_leave_all(struct window *window, bool *has_left);
// ORIEL_CHECK=races: all that this process has done at the peer, or at all with NULL, is
// complete; those that it tells of the end of an epoch learn it before.
void sync_watched(struct window *window, struct peer *peer);
// Sends the last operations of an epoch with the message that ends it at the target. Where
// copies or network accesses are under way, which messages may overtake, that is left to
// the end of the epoch.
void sync_part(struct peer *peer);
