// SPDX-License-Identifier: BSD-3-Clause
// lone_operations_need_no_batch: where each put or get is waited for, the kernel copies
// the next at once, if that is its carrier, its time is known and nothing is under way.
// Needs core/rma, core/object and core/base.

#include "batch_fakes.h"

static void start(bool is_put, bool has_request, size_t bytes)
{
    static const struct datatype byte = {.plain_size = 1, .is_contiguous = true};
    int err = -1;
    CHECK(batch_move_at_once(is_put, has_request, &window, &peer, memory, 0,
                             (MPI_Count)bytes, &byte, &err));
    CHECK(err == 0);
}

static void move(bool is_put, size_t bytes)
{
    start(is_put, false, bytes);
}

static void await_all(void)
{
    order_complete();
    CHECK(traffic_send(&traffic, true) == 0);
    answer();
    CHECK(peer_is_quiet(&peer));
}

// A put that is waited for, so that the next operation is taken for one, too.
static void begin_lone(void)
{
    begin_local(SHM_WAIT_NONE, false);
    peer.unit = 1;
    peer.end = 2 * JOINT_BYTES;
    traffic.is_lone = false;
    finish_put(0, 8);
    await_all();
    CHECK(by_kernel.copies + sent.count == 1);
    by_kernel.copies = sent.count = 0;
}

static void a_lone_operation_needs_no_batch(void)
{
    begin_lone();
    move(true, 8);
    CHECK(by_kernel.copies == 1 && by_kernel.bytes == 8 && peer_is_quiet(&peer));
    order_complete();
    move(false, 4 * SHORT_BYTES);
    CHECK(by_kernel.copies == 2 && peer_is_quiet(&peer));
    CHECK(by_kernel.local[0].iov_base == memory);
    move(false, 8); // is not waited for alone
    move(false, 16);
    CHECK(by_kernel.copies == 2 && traffic.batch->request.count == 2);
    await_all();
    move(false, 8);
    CHECK(by_kernel.copies == 3 && traffic.batch != NULL);
    await_all();
    move(false, JOINT_BYTES);
    CHECK(by_kernel.copies == 4 && traffic.batch != NULL);
    await_all();
}

// Its long operand is the program's again when the call returns.
static void a_put_with_a_request_needs_no_batch(void)
{
    begin_lone();
    traffic.is_lone = false;
    start(true, true, 2 * SHORT_BYTES);
    CHECK(by_kernel.copies == 1 && peer_is_quiet(&peer));
    start(true, true, 8);
    CHECK(by_kernel.copies == 1 && traffic.batch != NULL);
    await_all();
}

static void a_target_that_polls_is_copied_to_where_that_takes_less(void)
{
    struct carrier_times *times = &traffic.times[carrier_class(4 * SHORT_BYTES)];
    begin_lone();
    target_waits = SHM_WAIT_POLLS;
    move(true, 8);
    CHECK(by_kernel.copies == 0 && last_sent(1)->count == 1);
    await_all();
    begin_lone();
    target_waits = SHM_WAIT_POLLS;
    *times = (struct carrier_times){
        .shortest = {2000, 1}, .uses = 129, .is_copied = true, .untimed = 1};
    move(true, 4 * SHORT_BYTES);
    CHECK(by_kernel.copies == 1 && peer_is_quiet(&peer) && times->uses == 129);
    order_complete();
    move(true, 4 * SHORT_BYTES); // the next one is timed
    CHECK(by_kernel.copies == 1 && traffic.batch != NULL);
    await_all();
    CHECK(by_kernel.copies == 2 && times->uses == 130);
}

static void some_lone_operations_go_the_long_way(void)
{
    begin_lone();
    process.thread_level = MPI_THREAD_MULTIPLE; // other threads need not wait
    move(true, 8);
    CHECK(by_kernel.copies == 0 && traffic.batch != NULL);
    process.thread_level = MPI_THREAD_SINGLE;
    await_all();
    begin_lone();
    by_kernel.error = MPI_ERR_OTHER; // is found once more, and counted
    move(true, 8);
    CHECK(by_kernel.copies == 0 && traffic.batch != NULL);
    by_kernel.error = 0;
    await_all();
    begin_lone();
    net_counter_issue(&traffic.counter);
    move(true, 8);
    CHECK(by_kernel.copies == 0 && traffic.batch != NULL);
    net_counter_complete(&traffic.counter, 0);
    await_all();
}

int main(void)
{
    target_open();
    a_lone_operation_needs_no_batch();
    a_put_with_a_request_needs_no_batch();
    a_target_that_polls_is_copied_to_where_that_takes_less();
    some_lone_operations_go_the_long_way();
    free(traffic.spare);
    return 0;
}
