// SPDX-License-Identifier: BSD-3-Clause
// Long messages that their receiver reads over the network. Callers hold the message
// lock.
#pragma once

#include "pt2pt/transfer.h"

// Lets the data of a send be read until send_conceal; false where that is not possible.
bool send_expose(struct transfer *transfer, struct envelope *envelope, uint64_t *key);
void send_conceal(struct transfer *transfer);
// The send is about to be given up: its data can be read on until left_exposed_end, which
// is false if there are none of that send.
void send_leave_exposed(struct transfer *transfer);
bool left_exposed_end(int peer, uint32_t sender);
void left_exposed_free_all(void);

// Begins to read what a receive wants; false when there is no memory to. Then the
// receive ends by itself.
bool receive_by_remote_read(struct transfer *transfer, uint64_t address, uint64_t key);
// Is the data of a transfer that is to be given up read? The receiver of a send is asked
// to end that.
bool transfer_is_accessed(struct transfer *transfer);
// The receive has been given up while its data are read: waits for their end.
void receive_await_read(struct transfer *transfer);
