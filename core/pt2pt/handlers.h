// SPDX-License-Identifier: BSD-3-Clause
// Receipt of matched messages, and the handlers of messages.
#pragma once

#include "pt2pt/match.h"

void receive_eager(struct transfer *transfer, int peer, const struct envelope *envelope,
                   const void *data);
void receive_rts(struct transfer *transfer, int peer, const struct envelope *envelope);

void handlers_start(void);
void handlers_stop(void);
