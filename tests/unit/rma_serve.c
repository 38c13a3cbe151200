// SPDX-License-Identifier: BSD-3-Clause
// batches_touch_only_the_window: a target carries out well-formed batches and answers
// the others with an error, having touched nothing; an origin believes only replies
// that it waits for. Needs core/rma/target.c, core/rma/reply.c, core/object/handle.c and core/base.

#include "rma/batch.h"
#include "window_fakes.h"

enum { BYTES = 4096, EDGE = 64, TARGET = 3, ORIGIN = 9, REPLY_TO = 0x4321 };

static unsigned char memory[EDGE + BYTES + EDGE]; // the window is the middle
static const int ranks[] = {0, ORIGIN, 2, 3};
enum { ORIGIN_IN_WINDOW = 1, MEMBERS = sizeof ranks / sizeof *ranks };
static struct group group = {.size = MEMBERS, .ranks = ranks};
static struct communicator comm = {.rank = TARGET, .node_size = 1, .peers = &group};
static struct peer_traffic traffic = {.replies_end = &traffic.replies};
static struct peer peer = {.rank = 5, .job_rank = 50, .traffic = &traffic};
static struct peer *bucket[] = {&peer};
static struct window window = {
    .comm = &comm,
    .size_of_group = MEMBERS,
    .base = memory + EDGE,
    .size = BYTES,
    .peers = {.buckets = bucket, .bucket_count = 1, .count = 1},
};

static void destroy(struct object *object)
{
    (void)object;
}

static struct rma_request new_request(bool is_put, uint8_t count)
{
    return (struct rma_request){.window = (uint32_t)object_handle(&window),
                                .reply_to = REPLY_TO,
                                .origin = ORIGIN_IN_WINDOW,
                                .kind = {.operands = is_put, .fetches = !is_put},
                                .count = count};
}

// Delivers a request with `data_bytes` bytes of 0xaa behind its spans.
static void deliver(const struct rma_request *request, uint32_t spans,
                    size_t data_bytes)
{
    _Alignas(8) char message[MESSAGE_MAX];
    CHECK(request_bytes(spans) + data_bytes <= sizeof message);
    memcpy(message, request, request_bytes(spans));
    memset(message + request_bytes(spans), 0xaa, data_bytes);
    sent.count = 0;
    handlers[MESSAGE_RMA](ORIGIN, message, request_bytes(spans) + data_bytes);
}

static const struct rma_reply *check_reply(int error, size_t data_bytes)
{
    const struct rma_reply *reply = (const void *)sent.data;
    CHECK(sent.count == 1 && sent.rank == ORIGIN && sent.kind == MESSAGE_RMA_REPLY);
    CHECK(sent.bytes == sizeof *reply + data_bytes);
    CHECK(reply->window == REPLY_TO && reply->rank == TARGET && reply->error == error);
    return reply;
}

static int changed(void)
{
    int count = 0;
    for (size_t i = 0; i < sizeof memory; i++)
        count += memory[i] == 0xaa;
    memset(memory, 0, sizeof memory);
    return count;
}

static void good_batches_are_carried_out(void)
{
    struct rma_request put = new_request(true, 3);
    put.spans[0] = (struct rma_span){0, 8};
    put.spans[1] = (struct rma_span){100, 16};
    put.spans[2] = (struct rma_span){BYTES - 4, 4};
    deliver(&put, 3, 28);
    check_reply(0, 0);
    CHECK(memory[EDGE] == 0xaa && memory[EDGE + 100] == 0xaa);
    CHECK(memory[EDGE + BYTES - 1] == 0xaa && memory[EDGE + BYTES] == 0);
    CHECK(changed() == 28);

    struct rma_request get = new_request(false, 2);
    get.spans[0] = (struct rma_span){8, 4};
    get.spans[1] = (struct rma_span){BYTES - 4, 4};
    memcpy(memory + EDGE + 8, "abcd", 4);
    memcpy(memory + EDGE + BYTES - 4, "wxyz", 4);
    deliver(&get, 2, 0);
    CHECK(memcmp(check_reply(0, 8) + 1, "abcdwxyz", 8) == 0);
    changed();
}

static void check_range_refused(uint64_t offset, uint64_t bytes, size_t data_bytes)
{
    for (int is_put = 0; is_put <= 1; is_put++) {
        struct rma_request request = new_request(is_put, 1);
        request.spans[0] = (struct rma_span){offset, bytes};
        deliver(&request, 1, is_put ? data_bytes : 0);
        const struct rma_reply *reply = (const void *)sent.data;
        CHECK(reply->error == MPI_ERR_RMA_RANGE || reply->error == MPI_ERR_INTERN);
        check_reply(reply->error, 0);
        CHECK(changed() == 0);
    }
}

static void ranges_outside_are_refused(void)
{
    check_range_refused(BYTES, 1, 1);
    check_range_refused(BYTES - 7, 8, 8);
    check_range_refused((uint64_t)-8, 8, 8);
    check_range_refused((uint64_t)-EDGE, 16, 16);
    check_range_refused(0, (uint64_t)-1, 8);
    check_range_refused(UINT64_MAX - 3, 8, 8);
}

static void lengths_must_agree(void)
{
    struct rma_request put = new_request(true, 1);
    put.spans[0] = (struct rma_span){0, 16};
    deliver(&put, 1, 8);
    check_reply(MPI_ERR_INTERN, 0);
    deliver(&put, 1, 24);
    check_reply(MPI_ERR_INTERN, 0);
    put.count = 2; // more spans than the message has
    deliver(&put, 1, 8);
    check_reply(MPI_ERR_INTERN, 0);
    put.count = UINT8_MAX;
    deliver(&put, 1, 16);
    check_reply(MPI_ERR_INTERN, 0);
    struct rma_request get = new_request(false, 3);
    for (int i = 0; i < 3; i++)
        get.spans[i] = (struct rma_span){0, BYTES}; // more than a local reply holds
    deliver(&get, 3, 0);
    check_reply(MPI_ERR_INTERN, 0);
    CHECK(changed() == 0);
    longest_message = MESSAGE_MAX_BETWEEN_NODES;
    deliver(&get, 3, 0);
    check_reply(0, 3 * (size_t)BYTES);
    longest_message = MESSAGE_MAX;
}

static void too_many_spans_are_refused(void)
{
    struct {
        struct rma_request request;
        struct rma_span more[8];
    } get = {.request = new_request(false, SPANS_MAX)};
    for (int i = 0; i < SPANS_MAX; i++)
        get.request.spans[i] = (struct rma_span){(uint64_t)i, 1};
    deliver(&get.request, SPANS_MAX, 0);
    check_reply(0, SPANS_MAX);
    get.request.count++;
    deliver(&get.request, SPANS_MAX + 1, 0);
    check_reply(MPI_ERR_INTERN, 0);
}

static void empty_spans_are_refused(void)
{
    struct rma_request get = new_request(false, 2);
    get.spans[0] = (struct rma_span){0, 8};
    deliver(&get, 2, 0);
    check_reply(MPI_ERR_INTERN, 0);
}

static void others_than_members_are_ignored(void)
{
    struct rma_request put = new_request(true, 1);
    put.spans[0] = (struct rma_span){0, 8};
    int before = refused;
    const int32_t wrong[] = {-1, 0, 2, MEMBERS, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put.origin = wrong[i];
        deliver(&put, 1, 8);
        CHECK(sent.count == 0 && changed() == 0 && refused == before + (int)i + 1);
    }
}

static void unknown_windows_are_ignored(void)
{
    struct rma_request put = new_request(true, 1);
    put.spans[0] = (struct rma_span){0, 8};
    put.window ^= HANDLE_GENERATION; // another generation
    deliver(&put, 1, 8);
    CHECK(sent.count == 0 && changed() == 0);
    handlers[MESSAGE_RMA](ORIGIN, &put, 8); // not even a head
    CHECK(sent.count == 0 && changed() == 0);
}

static void await(char *first, char *second)
{
    struct pending_reply *pending =
        calloc(1, sizeof *pending + 2 * sizeof *pending->results);
    CHECK(pending != NULL);
    pending->bytes = 8;
    pending->count = 2;
    pending->results[0].address = first;
    pending->results[1].address = second;
    pending->results[0].bytes = pending->results[1].bytes = 4;
    *traffic.replies_end = pending;
    traffic.replies_end = &pending->next;
    traffic.counter.issued++;
    traffic.batches++;
}

static void await_one(char *result)
{
    await(result, NULL);
    traffic.replies->count = 1;
    traffic.replies->results[0].bytes = 8;
}

static struct {
    struct rma_reply head;
    char data[16];
} reply;

static void answer(int source, size_t data_bytes)
{
    handlers[MESSAGE_RMA_REPLY](source, &reply, sizeof reply.head + data_bytes);
}

static void the_memory_of_one_result_is_kept(void)
{
    char to[2][4], all[8] = {0};
    reply.head = (struct rma_reply){
        .window = (uint32_t)object_handle(&window), .rank = 5, .fetches = true};
    memcpy(reply.data, "abcdefgh", 8);
    await(to[0], to[1]);
    answer(50, 8);
    CHECK(traffic.spare_reply == NULL);
    await_one(all);
    const struct pending_reply *first = traffic.replies;
    answer(50, 8);
    CHECK(traffic.spare_reply == first && memcmp(all, "abcdefgh", 8) == 0);
    await_one(all);
    answer(50, 8);
    CHECK(traffic.spare_reply == first && traffic.counter.completed == 3);
    free(traffic.spare_reply);
    traffic = (struct peer_traffic){.replies_end = &traffic.replies};
}

static void replies_arrive_in_order(void)
{
    char to[4][4] = {0};
    await(to[0], to[1]);
    await(to[2], to[3]);
    reply.head = (struct rma_reply){
        .window = (uint32_t)object_handle(&window), .rank = 5, .fetches = true};
    memcpy(reply.data, "abcdefgh", 8);
    answer(51, 8); // not the target
    CHECK(traffic.counter.completed == 0);
    answer(50, 8);
    CHECK(traffic.counter.completed == 1 &&
          memcmp(to, "abcdefgh\0\0\0\0\0\0\0\0", 16) == 0);
    answer(50, 12); // not what was asked for
    CHECK(traffic.counter.completed == 2 && traffic.counter.error == MPI_ERR_INTERN);
    CHECK(memcmp(to[2], "\0\0\0\0\0\0\0\0", 8) == 0 && traffic.replies == NULL);
    answer(50, 8); // nothing is under way
    CHECK(traffic.counter.completed == 2);
    traffic.counter.error = 0;
    traffic.counter.issued++; // an access of the network
    reply.head.fetches = false;
    answer(50, 0); // but no batch
    CHECK(traffic.counter.completed == 2);
    traffic.counter.completed++;
    traffic.counter.issued++;
    traffic.batches++; // a put
    reply.head.fetches = true;
    answer(50, 8); // but no get
    CHECK(traffic.counter.completed == 3);
    reply.head.fetches = false;
    reply.head.error = -1; // no error class
    answer(50, 0);
    reply.head.error = MPI_ERR_LASTCODE;
    answer(50, 0);
    CHECK(traffic.counter.completed == 3);
    reply.head.error = MPI_ERR_RMA_RANGE;
    answer(50, 0);
    CHECK(traffic.counter.completed == 4 && traffic.batches == 0 &&
          traffic.counter.error == MPI_ERR_RMA_RANGE);
}

int main(void)
{
    object_init(&window.object, destroy);
    CHECK(object_open(&window.object, KIND_WIN) == 0);
    rma_start_serving();
    good_batches_are_carried_out();
    ranges_outside_are_refused();
    lengths_must_agree();
    too_many_spans_are_refused();
    empty_spans_are_refused();
    others_than_members_are_ignored();
    unknown_windows_are_ignored();
    the_memory_of_one_result_is_kept();
    replies_arrive_in_order();
    return 0;
}
