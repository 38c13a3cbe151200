// SPDX-License-Identifier: BSD-3-Clause
// Messages of middle length between local peers: longer than a record of a ring, and short
// enough to be eager in parts. A call that waits for its send takes the protocol that has
// taken less time before.
#pragma once

#include "pt2pt/transfer.h"

// In place of the id of a send that has left, of which the sender wants to know when it is
// received. No transfer has this id, since generations begin with 1.
enum { TIMED_EAGER = 1 };

enum { MIDDLE_SIZES = 3 }; // up to 16, 32 and 64 KiB

// Times of this process's messages of middle length to one local peer.
struct middle_times {
    struct carrier_times sizes[MIDDLE_SIZES];
    struct carrier_times
        *timed_eager; // size of the eager message that is timed, or NULL
    uint64_t eager_begun, send_begun;  // when that message began, and the last send
    const struct carrier_times *tried; // size of which the next messages are copied
    uint32_t tries_left;               // so many
    uint32_t eager_left;               // messages that are eager after a late receiver
    uint32_t late;                     // copies in a row for which it was late
    bool is_copied;                    // is the last send?
};

// Is the message to be copied by the kernel, as its receiver asks it to, and not eager?
bool middle_is_copied(const struct transfer *transfer);
// The send begins. Is the receiver to answer to TIMED_EAGER?
bool middle_begin(const struct transfer *transfer, bool is_eager);
// A process has said that it has the message of TIMED_EAGER, or that of this send.
void middle_eager_received(int peer);
void middle_received(const struct transfer *transfer);

// May the receiver be asked to keep the data of this request to send?
bool middle_may_be_kept(const struct transfer *transfer);
// Waits for a request that ends with a send with is_awaited, or later. Errors as
// message_wait.
int send_wait(const struct transfer *send, struct request *request);
