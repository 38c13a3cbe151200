// SPDX-License-Identifier: BSD-3-Clause
// batches_are_sent_as_they_should: short puts that follow each other become one span, a
// batch leaves when it is full or another kind comes; what is wrong with the traffic of
// a peer is noticed. Needs core/rma, core/object and core/base.

#include "rma/batch.h"
#include "window_fakes.h"

#include <stdlib.h>

enum { TARGET = 5, IN_JOB = 50 };

static struct communicator comm = {.rank = 1};
static struct member member = {.handle = 77};
static struct peer_traffic traffic = {.replies_end = &traffic.replies};
static struct peer peer = {
    .rank = TARGET, .job_rank = IN_JOB, .member = &member, .traffic = &traffic};
static struct window window = {.comm = &comm, .epoch.access = ACCESS_LOCK};
static char memory[2 * MESSAGE_MAX];

#define NOTICED(member, wrong) CHECK_NOTICED(traffic_is_valid(&traffic), member, wrong)

static void destroy(struct object *object)
{
    (void)object;
}

static struct operation operation_of(enum operation_kind kind, uint64_t offset)
{
    return (struct operation){.kind = kind,
                              .origin = {.address = memory},
                              .window = &window,
                              .peer = &peer,
                              .offset = offset};
}

// Adds so many bytes, which are at the same offset at both ends.
static void add(enum operation_kind kind, size_t offset, size_t bytes)
{
    struct operation operation = operation_of(kind, 0);
    struct piece piece = {(MPI_Aint)offset, (MPI_Aint)offset, bytes};
    CHECK(batch_add_piece(&operation, &piece) == 0);
    CHECK(traffic_is_valid(&traffic));
}

static const struct rma_request *last_sent(int count)
{
    CHECK(sent.count == count && sent.rank == IN_JOB && sent.kind == MESSAGE_RMA);
    return (const void *)sent.data;
}

static void neighbours_become_one_span(void)
{
    add(OPERATION_PUT, 0, 8);
    add(OPERATION_PUT, 8, 8);
    add(OPERATION_PUT, 32, 8);
    CHECK(sent.count == 0 && traffic.batch->request.count == 2);
    CHECK(traffic.batch->request.spans[0].bytes == 16);
    CHECK(traffic_send(&traffic) == 0 && traffic.batch == NULL && traffic.batches == 1);
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
          sent.bytes == MESSAGE_MAX - sizeof(struct rma_span)); // room for a second one
    CHECK(traffic_send(&traffic) == 0);
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
    NOTICED(traffic.counter.completed, 1); // the batch is under way, too
    free(traffic.batch);
    free(traffic.replies);
}

int main(void)
{
    traffic.peer = &peer;
    object_init(&window.object, destroy);
    CHECK(object_open(&window.object, KIND_WIN) == 0);
    neighbours_become_one_span();
    another_kind_sends_the_batch();
    a_long_piece_is_divided();
    what_is_wrong_with_traffic_is_noticed();
    return 0;
}
