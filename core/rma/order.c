// SPDX-License-Identifier: BSD-3-Clause
// The full barrier and the poll that fast calls have left.
#include "rma/rma.h"

// The first call of a thread settles, which finds out whether each call is told of.
_Thread_local int32_t order_left = 0;

// Barriers do not put off polls for ever. A poll may run functions of the program, but
// none that call MPI.
void order_settle(void)
{
    static _Thread_local unsigned barriers __attribute__((tls_model("initial-exec")));
    bool is_late = order_left == -1;
    if (!is_late) {
        atomic_thread_fence(memory_order_seq_cst);
        is_late = ++barriers % CALLS_PER_POLL == 0;
    }
    order_left = races_are_checked() ? 0 : CALLS_PER_POLL - 1; // each call is told of
    if (is_late)
        message_progress();
}
