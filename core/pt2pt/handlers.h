// SPDX-License-Identifier: BSD-3-Clause
// Receipt of matched messages, and the handlers of messages.
#pragma once

#include "pt2pt/match.h"

// The first bytes of a message have come; the rest follows in parts.
void receive_eager(struct transfer *transfer, int peer, const struct envelope *envelope,
                   const void *data, size_t bytes);
// Goes on with a message that has been unexpected, which is gone afterwards.
void receive_unexpected(struct transfer *transfer, struct unexpected *unexpected);
void receive_rts(struct transfer *transfer, int peer, const struct envelope *envelope);

void handlers_start(void);
void handlers_stop(void);
