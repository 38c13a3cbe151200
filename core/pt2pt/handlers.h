// SPDX-License-Identifier: BSD-3-Clause
// Receipt of matched messages, and the handlers of messages.
#pragma once

#include "pt2pt/match.h"

// The receiver of a long message needs nothing more of it, or withdraws it for its sender.
struct done {
    uint32_t sender; // id
    uint16_t is_cancelled;
    uint16_t is_missing; // the data are not where the sender has said
};

// A request to send, which its sender withdraws or whose data the receiver is to keep.
struct unmatched {
    uint64_t context;
    uint32_t sender; // id
    uint32_t unused;
};

// Goes on with a message that has been unexpected, which is gone afterwards.
void receive_unexpected(struct transfer *transfer, struct unexpected *unexpected);
void receive_rts(struct transfer *transfer, int peer, const struct envelope *envelope,
                 const void *key);
// ORIEL_CHECK=races: the message is matched, by a receive or, with NULL, by MPI_Mprobe.
void envelope_order(int peer, const struct envelope *envelope,
                    const struct transfer *receive);
// Copies the data of a request to send that may be kept, and tells its sender, for which the
// send has ended.
void unexpected_keep(struct unexpected *unexpected);
// Asks the receiver to drop what it has not matched, and to say so.
int send_cancel(struct transfer *transfer);
// Ends a receive and tells its sender, which waits for that.
void receive_end_and_tell(struct transfer *transfer, int error);

// ---- joint copies (joint_receive.c)
// Copies a message from where it lies in a local peer, which is asked to help; false,
// with nothing done, if it is not worth that or cannot be.
bool receive_jointly(struct transfer *transfer, uint64_t place);
// Gives up a receive that its sender may still write to.
void receive_leave_joint(struct transfer *transfer);
message_handler help_handle;

void handlers_start(void);
void handlers_stop(void);
