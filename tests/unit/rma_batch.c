// SPDX-License-Identifier: BSD-3-Clause
// batches_are_sent_as_they_should: short puts that follow each other become one span, a
// batch leaves when it is full or another kind comes; the kernel copies the batches for a
// local peer that does not poll, one that polls is sent messages, several if one is too
// short, unless the kernel took less time for such operations, and helps with long ones;
// what is wrong with the traffic of a peer is noticed. Needs core/rma, core/object and
// core/base.

#include "batch_fakes.h"

static const uint64_t SECOND = 1000000000;

static size_t seen; // bytes of the memory in messages

#define NOTICED(member, wrong) CHECK_NOTICED(traffic_is_valid(&traffic), member, wrong)

static void neighbours_become_one_span(void)
{
    add(OPERATION_PUT, 0, 8);
    add(OPERATION_PUT, 8, 8);
    add(OPERATION_PUT, 32, 8);
    CHECK(sent.count == 0 && traffic.batch->request.count == 2);
    CHECK(traffic.batch->request.spans[0].bytes == 16);
    CHECK(traffic_send(&traffic, false) == 0 && traffic.batch == NULL &&
          traffic.batches == 1);
    const struct rma_request *request = last_sent(1);
    CHECK(request->window == 77 && request->origin == 1 && request->count == 2);
    CHECK(sent.bytes == request_bytes(2) + 24);
}

static void another_kind_sends_the_batch(void)
{
    add(OPERATION_PUT, 0, 8);
    add(OPERATION_GET, 100, 8);
    CHECK(last_sent(2)->kind.operands == 1 && traffic.replies == NULL);
    add(OPERATION_PUT, 0, 8);
    CHECK(last_sent(3)->kind.fetches == 1 && traffic.replies->bytes == 8);
    CHECK(traffic.replies->results[0].address == memory + 100);
}

static void a_long_piece_is_divided(void)
{
    add(OPERATION_PUT, 8, MESSAGE_MAX);
    CHECK(last_sent(4)->count == 1 &&
          sent.bytes ==
              traffic.batch_max - sizeof(struct rma_span)); // for a second one
    CHECK(traffic_send(&traffic, false) == 0);
    CHECK(last_sent(5)->count == 1 && traffic.batches == 5);
}

static void what_is_wrong_with_traffic_is_noticed(void)
{
    NOTICED(traffic.batches, 0); // but a reply is under way
    NOTICED(traffic.batches, 6); // of which the counter knows five
    NOTICED(traffic.batches, -1);
    NOTICED(traffic.replies_end, &traffic.replies);
    NOTICED(traffic.replies->bytes, 9);
    add(OPERATION_GET, 0, 8);
    NOTICED(traffic.batch->bytes, 16);
    NOTICED(traffic.batch->request.count, 0);
    NOTICED(traffic.batch->request.kind, (struct batch_kind){.operands = 3});
    NOTICED(traffic.counter.completed,
            traffic.counter.completed + 1); // the batch is under way, too
    free(traffic.batch);
    free(traffic.spare);
    free(traffic.replies);
}

// ---- a local peer ---------------------------------------------------------------
static void the_kernel_copies_while_the_peer_does_not_poll(void)
{
    begin_local(SHM_WAIT_NONE, false);
    finish_put(0, 8);
    finish_put(8, 8);
    finish_put(2 * SHORT_BYTES, 2 * SHORT_BYTES);
    CHECK(by_kernel.copies == 0 && sent.count == 0 && !peer_is_quiet(&peer));
    CHECK(traffic_send(&traffic, true) == 0 && peer_is_quiet(&peer));
    CHECK(by_kernel.copies == 1 && by_kernel.count == 2 && sent.count == 0);
    CHECK(by_kernel.remote[0].iov_base == (void *)member.local.place);
    CHECK(by_kernel.local[0].iov_base != memory); // short ones are the program's again
    CHECK(by_kernel.local[1].iov_base == memory + 2 * SHORT_BYTES);
}

static void a_message_goes_to_a_peer_that_polls(void)
{
    begin_local(SHM_WAIT_POLLS, false);
    finish_put(0, 8);
    CHECK(sent.count == 1 && by_kernel.copies == 0 && by_kernel.roused == 0);
    answer();
    add(OPERATION_PUT, 0, 2 * SHORT_BYTES);
    add(OPERATION_PUT, 4 * SHORT_BYTES, 2 * SHORT_BYTES);
    CHECK(traffic_send(&traffic, true) == 0 && last_sent(2)->count == 2);
    CHECK(sent.bytes == request_bytes(2) + 4 * SHORT_BYTES);
    CHECK(memcmp(sent.data + request_bytes(2) + 2 * SHORT_BYTES,
                 memory + 4 * SHORT_BYTES, 2 * SHORT_BYTES) == 0);
    answer();
    CHECK(peer_is_quiet(&peer));
}

static void the_memory_of_the_last_reply_serves_the_next(void)
{
    begin_local(SHM_WAIT_POLLS, false);
    struct pending_reply *spare = calloc(1, sizeof *spare + sizeof *spare->results);
    CHECK(spare != NULL);
    traffic.spare_reply = spare;
    add(OPERATION_GET, 0, 8);
    add(OPERATION_GET, 16, 8); // two results need more
    CHECK(traffic_send(&traffic, true) == 0);
    CHECK(traffic.replies != NULL && traffic.spare_reply == spare);
    answer();
    add(OPERATION_GET, 0, 8);
    CHECK(traffic_send(&traffic, true) == 0);
    CHECK(traffic.replies == spare && traffic.spare_reply == NULL);
    CHECK(spare->count == 1 && spare->results[0].bytes == 8);
    answer();
}

static void a_peer_that_stops_polling_is_roused(void)
{
    begin_local(SHM_WAIT_POLLS, true);
    finish_put(0, 8);
    CHECK(sent.count == 1 && by_kernel.roused == 0);
    for (int i = 0; i < 1000; i++)
        traffic_await(&traffic);
    CHECK(by_kernel.roused == 1);
    answer();
}

// A put and its flush, `since` nanoseconds after the copy before.
static void put_and_flush(size_t bytes, uint64_t since)
{
    traffic.last_copy = clock_nanoseconds() - since;
    finish_put(0, bytes);
    CHECK(traffic_send(&traffic, true) == 0);
    answer();
}

static void copies_in_a_row_wake_a_peer_that_sleeps(void)
{
    begin_local(SHM_WAIT_SLEEPS, false);
    for (int i = 0; i < 100; i++)
        put_and_flush(8, SECOND);
    CHECK(by_kernel.copies == 100 && sent.count == 0);
    for (int i = 0; i < 1000000 && sent.count == 0; i++) // unless the test is held up
        put_and_flush(8, 0);
    CHECK(by_kernel.copies > 100 && sent.count == 1 && by_kernel.roused == 0);
    put_and_flush(8, 0);
    CHECK(sent.count == 1 && peer_is_quiet(&peer));
}

static void a_peer_that_wakes_and_leaves_is_roused(void)
{
    begin_local(SHM_WAIT_SLEEPS, true);
    for (int i = 0; i < 1000000 && sent.count == 0; i++)
        put_and_flush(8, 0);
    for (int i = 0; i < 1000; i++)
        traffic_await(&traffic);
    CHECK(sent.count == 1 && by_kernel.roused == 1);
}

// The next part of a batch whose only span has the same offset at both ends.
static int look_at_part(void)
{
    const struct rma_request *request = (const void *)sent.data;
    const struct rma_span *span = request->spans;
    CHECK(sent.bytes <= MESSAGE_MAX && request->count == 1);
    CHECK(span->offset == seen &&
          span->bytes <= MESSAGE_MAX - sizeof(struct rma_reply));
    if (request->kind.operands)
        CHECK(memcmp(sent.data + request_bytes(1), memory + seen, span->bytes) == 0);
    seen += span->bytes;
    return 0;
}

static void what_fits_in_no_message_goes_in_parts(enum operation_kind kind)
{
    begin_local(SHM_WAIT_POLLS, false);
    seen = 0;
    look_at_message = look_at_part;
    for (size_t at = 0; at < sizeof memory; at += sizeof memory / 4)
        add(kind, at, sizeof memory / 4);
    CHECK(traffic_send(&traffic, true) == 0 && by_kernel.copies == 0);
    CHECK(sent.count == 3 && seen == sizeof memory);
    CHECK(traffic.batches == 3 && net_counter_pending(&traffic.counter) == 3);
    look_at_message = NULL;
    answer();
    CHECK(peer_is_quiet(&peer));
}

static void short_spans_share_parts(void)
{
    enum { STEP = 1700, OF_PART = 4, SPANS = sizeof memory / STEP };
    begin_local(SHM_WAIT_POLLS, false);
    for (size_t i = 0; i < SPANS; i++)
        add(OPERATION_PUT, i * STEP, STEP - 1);
    CHECK(traffic_send(&traffic, true) == 0 && by_kernel.copies == 0);
    CHECK(sent.count == (SPANS + OF_PART - 1) / OF_PART);
    answer();
}

// ---- times of the carriers ----------------------------------------------------------
static void carriers_took(uint64_t message, uint64_t copy)
{
    for (int i = 0; i < TIMED_CLASSES; i++)
        traffic.times[i] = (struct carrier_times){
            .shortest = {message, copy}, .uses = 129, .is_copied = copy < message};
}

static void the_carrier_that_takes_less_is_used(void)
{
    const uint64_t never = UINT64_MAX;
    begin_local(SHM_WAIT_POLLS, false);
    carriers_took(never, 1);
    finish_put(0, 4 * SHORT_BYTES);
    CHECK(sent.count == 0 && by_kernel.copies == 0); // not before it is waited for
    CHECK(traffic_send(&traffic, true) == 0 && peer_is_quiet(&peer));
    CHECK(sent.count == 0 && by_kernel.copies == 1);
    carriers_took(1, never);
    finish_put(0, 4 * SHORT_BYTES);
    CHECK(sent.count == 1 && by_kernel.copies == 1);
    answer();
}

// Short ones, several, and those of an epoch that the target ends are sent as ever.
static void others_go_by_message(void)
{
    begin_local(SHM_WAIT_POLLS, false);
    carriers_took(UINT64_MAX, 1);
    finish_put(0, SHORT_BYTES / 2);
    CHECK(sent.count == 1);
    answer();
    finish_put(0, 4 * SHORT_BYTES);
    finish_put(8 * SHORT_BYTES, 4 * SHORT_BYTES);
    CHECK(last_sent(2)->count == 2);
    answer();
    window.epoch.access = ACCESS_START;
    for (int left = 1; left >= 0; left--) {
        traffic.in_epoch = left ? 0 : EPOCH_MESSAGES;
        add(OPERATION_PUT, 0, 4 * SHORT_BYTES);
        CHECK(traffic.batch->is_left == left);
        CHECK(traffic_send(&traffic, true) == 0 && sent.count == 4 - left);
    }
    window.epoch.access = ACCESS_LOCK;
    answer();
    CHECK(by_kernel.copies == 0 && peer_is_quiet(&peer));
}

// Both carriers are tried, and their times kept: of a message until its answer.
static void both_carriers_are_timed(void)
{
    unsigned class = carrier_class(4 * SHORT_BYTES);
    const struct carrier_times *times = &traffic.times[class];
    begin_local(SHM_WAIT_POLLS, false);
    carriers_took(0, 0);
    traffic.times[class].uses = 0;
    finish_put(0, 4 * SHORT_BYTES);
    CHECK(sent.count == 1 && times->uses == 0);
    answer();
    CHECK(times->uses == 1 && times->shortest[false] > 0 && times->shortest[true] == 0);
    for (int i = 0; i < 3; i++)
        put_and_flush(4 * SHORT_BYTES, 0);
    CHECK(times->uses == 4 && by_kernel.copies > 0 && times->shortest[true] > 0);
}

// It had to wait for what comes after it.
static void a_message_before_others_is_not_timed(void)
{
    const struct carrier_times *times = &traffic.times[carrier_class(4 * SHORT_BYTES)];
    begin_local(SHM_WAIT_POLLS, false);
    carriers_took(1, UINT64_MAX);
    finish_put(0, 4 * SHORT_BYTES);
    finish_put(8 * SHORT_BYTES, 8);
    CHECK(traffic_send(&traffic, true) == 0);
    answer();
    CHECK(peer_is_quiet(&peer) && times->uses == 129 && traffic.timed.times == NULL);
}

static void the_other_carrier_is_tried_now_and_then(void)
{
    enum { USES = 100000 };
    struct carrier_times times = {0};
    int copies = 0;
    for (int i = 0; i < USES; i++) {
        copies += times.is_copied;
        carrier_took(&times, times.is_copied, times.is_copied ? 2000 : 1000);
    }
    CHECK(copies > 0 && copies < USES / 100);
    for (int i = 0; i < USES; i++) { // from now on messages take longer
        copies += times.is_copied;
        carrier_took(&times, times.is_copied, times.is_copied ? 2000 : 4000);
    }
    CHECK(copies > USES * 98 / 100);
}

// An interruption is no reason to change.
static void one_long_time_does_not_count(void)
{
    struct carrier_times times = {.shortest = {1000, 2000}, .uses = 129};
    carrier_took(&times, false, 1000000);
    CHECK(!times.is_copied && times.shortest[false] < 2000);
}

// Most need no clock when both times are known, until the other carrier is tried.
static void one_of_sixteen_is_timed(void)
{
    struct carrier_times times = {.shortest = {2000, 1000}, .uses = 129};
    carrier_took(&times, true, 1000);
    for (int i = 0; i < 15; i++)
        CHECK(times.is_copied && carrier_untimed(&times));
    CHECK(!carrier_untimed(&times));
    times.uses = 255;
    carrier_took(&times, true, 1000);
    CHECK(!times.is_copied && !carrier_untimed(&times));
}

static void carriers_are_chosen_by_their_times(void)
{
    the_carrier_that_takes_less_is_used();
    others_go_by_message();
    both_carriers_are_timed();
    a_message_before_others_is_not_timed();
    the_other_carrier_is_tried_now_and_then();
    one_long_time_does_not_count();
    one_of_sixteen_is_timed();
    carriers_took(1, UINT64_MAX);
}

static int refuse_the_second(void)
{
    return sent.count == 2 ? MPI_ERR_NO_MEM : 0;
}

static void a_part_that_cannot_be_sent_fails_the_flush(void)
{
    begin_local(SHM_WAIT_POLLS, false);
    add(OPERATION_PUT, 0, sizeof memory);
    look_at_message = refuse_the_second;
    CHECK(traffic_send(&traffic, true) == MPI_ERR_NO_MEM && sent.count == 2);
    look_at_message = NULL;
    CHECK(traffic.batches == 1 && net_counter_pending(&traffic.counter) == 1);
    answer();
    CHECK(peer_is_quiet(&peer) && traffic_take_error(&traffic) == MPI_ERR_NO_MEM);
}

// The memory itself does not matter.
static void add_long(enum operation_kind kind, struct net_counter *counter)
{
    struct operation operation = operation_of(kind, 0);
    struct piece piece = {.bytes = JOINT_BYTES};
    operation.counter = counter;
    CHECK(batch_add_piece(&operation, &piece) == 0);
}

static void the_target_helps_with_long_batches(enum operation_kind kind)
{
    begin_local(true, false);
    joint_is_allowed = true;
    add_long(kind, NULL);
    CHECK(traffic_send(&traffic, false) == 0);
    CHECK(sent.count == 1 && sent.kind == MESSAGE_RMA_HELP && by_kernel.copies == 0);
    CHECK(joint_begun.spans_bytes == JOINT_BYTES && joint_begun.side.count == 1 &&
          joint_begun.side.bytes == JOINT_BYTES && !joint_begun.side.is_helper &&
          joint_begun.side.is_writer == (kind == OPERATION_PUT));
    CHECK(!peer_is_quiet(&peer) && traffic.joints != NULL);
    joint_begun.ended(joint_begun.argument, MPI_ERR_OTHER); // the memory is not there
    CHECK(peer_is_quiet(&peer) && traffic.joints == NULL);
    CHECK(traffic_take_error(&traffic) == MPI_ERR_RMA_RANGE);
}

static void a_request_awaits_its_joint_copy(void)
{
    struct net_counter counter = {0};
    begin_local(true, false);
    add_long(OPERATION_PUT, &counter);
    CHECK(traffic_send(&traffic, false) == 0 && net_counter_pending(&counter) == 1);
    joint_begun.ended(joint_begun.argument, 0);
    CHECK(net_counter_pending(&counter) == 0 && peer_is_quiet(&peer));
    CHECK(traffic_take_error(&traffic) == 0);
}

// Whose operand the program has back when the call returns.
static void a_put_that_completes_at_once_has_no_help(void)
{
    begin_local(true, false);
    add_long(OPERATION_PUT, NULL);
    traffic.batch->completes_at_once = true;
    CHECK(traffic_send(&traffic, false) == 0 && by_kernel.copies == 1);
    CHECK(sent.count == 0 && peer_is_quiet(&peer));
}

static void joint_copies_that_are_given_up_are_errors(void)
{
    begin_local(true, false);
    add_long(OPERATION_GET, NULL);
    CHECK(traffic_send(&traffic, false) == 0 && traffic.joints != NULL);
    traffic_abandon(&traffic);
    CHECK(traffic.joints == NULL && peer_is_quiet(&peer));
    CHECK(traffic_take_error(&traffic) == MPI_ERR_PROC_ABORTED);
    joint_is_allowed = false;
}

static void the_kernel_copies_alone_without_a_joint_copy(void)
{
    begin_local(true, false);
    add_long(OPERATION_GET, NULL);
    CHECK(traffic_send(&traffic, false) == 0 && by_kernel.copies == 1);
    CHECK(sent.count == 0 && by_kernel.bytes == JOINT_BYTES && peer_is_quiet(&peer));
}

static void local_peers_have_two_carriers(void)
{
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (char)i;
    the_kernel_copies_while_the_peer_does_not_poll();
    a_message_goes_to_a_peer_that_polls();
    the_memory_of_the_last_reply_serves_the_next();
    a_peer_that_stops_polling_is_roused();
    copies_in_a_row_wake_a_peer_that_sleeps();
    a_peer_that_wakes_and_leaves_is_roused();
    carriers_are_chosen_by_their_times();
    what_fits_in_no_message_goes_in_parts(OPERATION_PUT);
    what_fits_in_no_message_goes_in_parts(OPERATION_GET);
    short_spans_share_parts();
    a_part_that_cannot_be_sent_fails_the_flush();
    the_target_helps_with_long_batches(OPERATION_PUT);
    the_target_helps_with_long_batches(OPERATION_GET);
    a_request_awaits_its_joint_copy();
    a_put_that_completes_at_once_has_no_help();
    joint_copies_that_are_given_up_are_errors();
    the_kernel_copies_alone_without_a_joint_copy();
    traffic.is_copied = false;
    peer.lock_record = NULL;
    sent.count = 0;
}

int main(void)
{
    target_open();
    local_peers_have_two_carriers();
    neighbours_become_one_span();
    another_kind_sends_the_batch();
    a_long_piece_is_divided();
    what_is_wrong_with_traffic_is_noticed();
    return 0;
}
