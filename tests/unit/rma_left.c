// SPDX-License-Identifier: BSD-3-Clause
// targets_that_end_the_epoch_are_left_operations: short ones, in a few messages that need no
// answer, and none that the kernel had better copy. Needs core/rma, core/object and core/base.

#include "batch_fakes.h"

static void begin_active(enum access access, bool computes)
{
    begin_local(SHM_WAIT_NONE, false);
    window.epoch.access = access;
    target_computes = computes;
}

static void end_active(void)
{
    answer();
    CHECK(peer_is_quiet(&peer));
    window.epoch.access = ACCESS_LOCK;
    target_computes = false;
}

static void a_target_that_ends_the_epoch_takes_messages(enum access access)
{
    begin_active(access, false);
    finish_put(0, 8);
    finish_put(2 * SHORT_BYTES, 2 * SHORT_BYTES);
    CHECK(sent.count == 0 && traffic_can_part(&traffic));
    CHECK(traffic_send(&traffic, true) == 0 && peer_is_quiet(&peer));
    CHECK(last_sent(1)->kind.is_noticed && by_kernel.copies == 0);
    CHECK(traffic_take_left(&traffic) == (access == ACCESS_FENCE_USED));
    CHECK(!traffic_take_left(&traffic));
    end_active();
}

// Only a fence has a target take what fetches.
static void gets_are_left_to_a_fence(void)
{
    begin_active(ACCESS_FENCE_USED, false);
    add(OPERATION_GET, 0, 8);
    CHECK(traffic_send(&traffic, true) == 0 && !last_sent(1)->kind.is_noticed);
    CHECK(traffic_take_left(&traffic) && traffic_is_in_order(&traffic) &&
          !peer_is_quiet(&peer));
    end_active();
    begin_active(ACCESS_START, false);
    add(OPERATION_GET, 0, 8);
    CHECK(!traffic_can_part(&traffic));
    CHECK(traffic_send(&traffic, true) == 0 && by_kernel.copies == 1);
    end_active();
}

static void the_kernel_copies_while_the_target_computes(void)
{
    begin_active(ACCESS_FENCE_USED, true);
    finish_put(0, 8);
    CHECK(!traffic_can_part(&traffic));
    CHECK(traffic_send(&traffic, true) == 0 && by_kernel.copies == 1);
    CHECK(sent.count == 0 && !traffic_take_left(&traffic));
    end_active();
}

static void the_kernel_copies_while_the_target_sleeps(void)
{
    begin_active(ACCESS_FENCE_USED, false);
    target_waits = SHM_WAIT_SLEEPS;
    finish_put(0, 8);
    CHECK(traffic_send(&traffic, true) == 0 && by_kernel.copies == 1);
    CHECK(sent.count == 0 && !traffic_take_left(&traffic));
    end_active();
}

static void a_target_is_left_some_messages_only(void)
{
    begin_active(ACCESS_START, false);
    for (int i = 0; i < 2 * EPOCH_MESSAGES; i++)
        add(OPERATION_PUT, 0, MESSAGE_MAX - CACHE_LINE);
    CHECK(traffic_send(&traffic, true) == 0);
    CHECK(sent.count == EPOCH_MESSAGES - 1 && by_kernel.copies > 0);
    end_active();
}

static void long_spans_are_copied_by_the_kernel(void)
{
    static char from[EPOCH_BYTES + 1];
    begin_active(ACCESS_FENCE_USED, false);
    finish_put(0, 8);
    struct operation operation = operation_of(OPERATION_PUT, 0);
    operation.origin.address = from;
    CHECK(batch_add_piece(&operation, &(struct piece){.bytes = sizeof from}) == 0);
    CHECK(sent.count == 1 && traffic_send(&traffic, true) == 0);
    CHECK(sent.count == 1 && by_kernel.copies == 1 && by_kernel.bytes == sizeof from);
    CHECK(traffic_take_left(&traffic));
    end_active();
}

int main(void)
{
    target_open();
    begin_local(SHM_WAIT_NONE, false);
    a_target_that_ends_the_epoch_takes_messages(ACCESS_FENCE_USED);
    a_target_that_ends_the_epoch_takes_messages(ACCESS_START);
    gets_are_left_to_a_fence();
    the_kernel_copies_while_the_target_computes();
    the_kernel_copies_while_the_target_sleeps();
    a_target_is_left_some_messages_only();
    long_spans_are_copied_by_the_kernel();
    return 0;
}
