// SPDX-License-Identifier: BSD-3-Clause
// bulk_accumulates_are_carried_out_in_order: a target reads, combines and writes chunk by
// chunk whatever the order in which accesses complete, answers what goes wrong with an
// error, and touches nothing for a request that makes no sense; an origin sends one
// request, believes only its reply, and lets nothing overtake it. For a local peer the
// kernel reads the operands, if messages take long. Needs core/rma, core/object and
// core/base.

#include "rma/bulk.h"
#include "window_fakes.h"

#include <stdlib.h>
#include <time.h>

enum { ELEMENTS = 100000, TARGET = 3, ORIGIN = 9, ORIGIN_IN_WINDOW = 1 };
enum { SUM = 33, MAXLOC = 57, REPLACE = 60, NO_OP = 61 };

static int64_t memory[ELEMENTS + 1], operands[ELEMENTS], results[ELEMENTS];
static struct lock_record record;
static const int ranks[] = {0, ORIGIN, 2, TARGET};
enum { MEMBERS = sizeof ranks / sizeof *ranks, LOCAL = 2, LOCAL_IN_WINDOW = 2 };
enum { IN_JOB = 50 }; // the target of the own operations
static struct group group = {.size = MEMBERS, .ranks = ranks};
static struct communicator comm = {.rank = TARGET, .node_size = 1, .peers = &group};
static struct peer_traffic traffic = {.replies_end = &traffic.replies,
                                      .batch_max =
                                          MESSAGE_MAX - sizeof(struct sync_head)};
static struct member member = {.handle = 77};
static struct peer peer = {
    .rank = 5, .job_rank = IN_JOB, .member = &member, .traffic = &traffic};
static struct peer *bucket[] = {&peer};
static struct window window = {
    .comm = &comm,
    .size_of_group = MEMBERS,
    .base = memory,
    .size = sizeof(int64_t[ELEMENTS]),
    .is_ordered = true,
    .lock_records = &record,
    .peers = {.buckets = bucket, .bucket_count = 1, .count = 1},
    .epoch.access = ACCESS_LOCK,
};

// The clock goes on by so much with each look.
static long nanoseconds_a_look;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static long now;
    (void)clock;
    now += nanoseconds_a_look;
    *time = (struct timespec){now / 1000000000, now % 1000000000};
    return 0;
}

// The record is not in a segment, so no process is ever within it.
_Thread_local struct presence *presence_own = &no_presence;
struct presence no_presence = {.admitting = ~(uint32_t)ADMITTING};

void shm_make_presence(struct shm *shm)
{
    (void)shm;
}

bool shm_can_await_leaves(const struct shm *shm)
{
    (void)shm;
    return false;
}

void shm_await_leaves(const struct shm *shm, const void *object)
{
    (void)shm, (void)object;
}

bool shm_is_alive(const struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    return true;
}

enum shm_wait shm_wait_of(const struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    return SHM_WAIT_NONE;
}

bool shm_is_computing(const struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    return false;
}

void shm_rouse(struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    CHECK(false);
}

void shm_open_memory(struct shm *shm)
{
    (void)shm;
}

int shm_copy_spans_to(struct shm *shm, int node_rank, struct iovec *remote,
                      struct iovec *local, size_t count)
{
    (void)shm, (void)node_rank, (void)remote, (void)local, (void)count;
    CHECK(false);
    return 0;
}

int shm_copy_spans_from(struct shm *shm, int node_rank, struct iovec *local,
                        struct iovec *remote, size_t count)
{
    return shm_copy_spans_to(shm, node_rank, remote, local, count);
}

static int read_error;
static int reads; // by the kernel

int shm_copy_from(struct shm *shm, int node_rank, void *local, uint64_t remote,
                  size_t bytes)
{
    (void)shm;
    CHECK(node_rank == LOCAL);
    reads++;
    if (!read_error)
        memcpy(local, (const void *)(uintptr_t)remote, bytes);
    return read_error;
}

static void destroy(struct object *object)
{
    (void)object;
}

static const struct datatype *type_int64(void)
{
    return handle_object(KIND_DATATYPE, (uintptr_t)MPI_INT64_T);
}

static void fill(void)
{
    for (int i = 0; i < ELEMENTS; i++) {
        memory[i] = 1000 + i;
        operands[i] = 3 * i;
        results[i] = -1;
    }
    memory[ELEMENTS] = -7;
    sent.count = waiting_count = 0;
}

// ---- the target ------------------------------------------------------------------
static struct rma_request new_request(int op, bool fetches, size_t elements)
{
    return (struct rma_request){.window = (uint32_t)object_handle(&window),
                                .reply_to = 0x4321,
                                .origin = ORIGIN_IN_WINDOW,
                                .kind = {.operands = op != NO_OP,
                                         .fetches = fetches,
                                         .op = (uint8_t)op,
                                         .basic = (uint8_t)type_int64()->basic->number},
                                .count = 1,
                                .spans = {{0, elements * sizeof *memory}}};
}

static void deliver_from(int source, const struct rma_request *request, uint64_t number,
                         size_t bytes)
{
    _Alignas(8) char message[MESSAGE_MAX];
    struct bulk_places places = {
        number, {0, (uintptr_t)operands}, {0, (uintptr_t)results}};
    memcpy(message, request, request_bytes(1));
    memcpy(message + request_bytes(1), &places, sizeof places);
    handlers[MESSAGE_RMA_BULK](source, message, bytes);
}

static void deliver(const struct rma_request *request, uint64_t number, size_t bytes)
{
    deliver_from(ORIGIN, request, number, bytes);
}

static void ask(const struct rma_request *request, uint64_t number)
{
    deliver(request, number, request_bytes(1) + sizeof(struct bulk_places));
}

static void check_answer(int count, uint64_t number, int error)
{
    const struct bulk_reply *reply = (const void *)sent.data;
    CHECK(sent.count == count && sent.rank == ORIGIN &&
          sent.kind == MESSAGE_RMA_BULK_REPLY && sent.bytes == sizeof *reply);
    CHECK(reply->head.window == 0x4321 && reply->head.rank == TARGET);
    CHECK(reply->number == number && reply->head.error == error);
}

static void check_sums(int times, bool were_fetched)
{
    for (int i = 0; i < ELEMENTS; i++) {
        CHECK(memory[i] == 1000 + i + times * 3 * i);
        CHECK(results[i] == (were_fetched ? 1000 + i + (times - 1) * 3 * i : -1));
    }
    CHECK(memory[ELEMENTS] == -7);
}

static void all_elements_are_combined(void)
{
    for (int fetches = 0; fetches < 2; fetches++) {
        struct rma_request request = new_request(SUM, fetches, ELEMENTS);
        fill();
        ask(&request, 1);
        check_answer(1, 1, 0);
        check_sums(1, fetches);
    }
    struct rma_request request = new_request(NO_OP, true, ELEMENTS);
    ask(&request, 2);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(results[i] == memory[i]);
}

// Carries out one of the accesses that wait, the last one first.
static void complete_last(void)
{
    struct net_access access = waiting[--waiting_count];
    access_carry_out(&access);
}

// Some accesses are under way at once; the second request, which replaces what the first
// has added to, begins while that is at work.
static void requests_stay_in_order(void)
{
    struct rma_request sum = new_request(SUM, true, ELEMENTS);
    struct rma_request replace = new_request(REPLACE, false, ELEMENTS);
    fill();
    access_waits = true;
    ask(&sum, 1);
    ask(&replace, 2);
    CHECK(waiting_count > 1 && sent.count == 0);
    while (waiting_count > 0)
        complete_last();
    access_waits = false;
    CHECK(sent.count == 2);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(memory[i] == 3 * i && results[i] == 1000 + i);
}

static void lost_operands_are_an_error(void)
{
    struct rma_request request = new_request(SUM, false, ELEMENTS);
    fill();
    access_error = MPI_ERR_PROC_ABORTED;
    ask(&request, 3);
    access_error = 0;
    check_answer(1, 3, MPI_ERR_PROC_ABORTED);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(memory[i] == 1000 + i);
    ask(&request, 4);
    check_answer(2, 4, 0);
    check_sums(1, false);
}

static void memory_that_goes_away_is_an_error(void)
{
    struct rma_request request = new_request(SUM, false, ELEMENTS);
    fill();
    access_waits = true;
    ask(&request, 5);
    window.size = 8;
    while (waiting_count > 0)
        complete_last();
    access_waits = false;
    window.size = sizeof(int64_t[ELEMENTS]);
    check_answer(1, 5, MPI_ERR_RMA_RANGE);
    CHECK(memory[1] == 1001);
}

static void check_wrong(const struct rma_request *request, int error)
{
    fill();
    ask(request, 6);
    check_answer(1, 6, error);
    check_sums(0, false);
}

static void nonsense_is_refused(void)
{
    struct rma_request request = new_request(SUM, false, ELEMENTS + 1);
    check_wrong(&request, MPI_ERR_RMA_RANGE);
    request = new_request(SUM, false, 10);
    request.spans[0].offset = UINT64_MAX - 79;
    check_wrong(&request, MPI_ERR_RMA_RANGE);
    request = new_request(SUM, false, 0);
    check_wrong(&request, MPI_ERR_INTERN);
    request = new_request(SUM, false, 10);
    request.spans[0].bytes = 79;
    check_wrong(&request, MPI_ERR_INTERN);
    request = new_request(MAXLOC, false, 10);
    check_wrong(&request, MPI_ERR_INTERN);
    request = new_request(SUM, false, 10);
    request.kind.operands = 2;
    check_wrong(&request, MPI_ERR_INTERN);
    request = new_request(PLAIN_COPY, false, 10);
    check_wrong(&request, MPI_ERR_INTERN);
    request = new_request(SUM, false, 10);
    request.count = 2;
    check_wrong(&request, MPI_ERR_INTERN);
    fill();
    int before = refused;
    request = new_request(SUM, false, 10);
    deliver(&request, 1, request_bytes(1) + sizeof(struct bulk_places) - 1);
    request.origin = 2; // another process than the sender
    ask(&request, 1);
    request.window = 0;
    ask(&request, 1);
    CHECK(refused == before + 3 && sent.count == 0);
    check_sums(0, false);
}

static int answer_to_local(struct rma_request request)
{
    const struct bulk_reply *reply = (const void *)sent.data;
    fill();
    request.origin = LOCAL_IN_WINDOW;
    deliver_from(LOCAL, &request, 8, request_bytes(1) + sizeof(struct bulk_places));
    CHECK(sent.count == 1 && sent.rank == LOCAL && reply->number == 8 &&
          sent.kind == MESSAGE_RMA_BULK_REPLY);
    return reply->head.error;
}

static void the_kernel_reads_for_local_peers(void)
{
    struct rma_request request = new_request(SUM, false, ELEMENTS);
    reads = 0;
    CHECK(answer_to_local(request) == 0 && reads > 1);
    check_sums(1, false);
    read_error = MPI_ERR_OTHER;
    CHECK(answer_to_local(request) == MPI_ERR_BUFFER);
    check_sums(0, false);
    read_error = 0;
    request.spans[0].offset = 8;
    CHECK(answer_to_local(request) == MPI_ERR_RMA_RANGE);
    CHECK(answer_to_local(new_request(SUM, true, ELEMENTS)) == MPI_ERR_INTERN);
    CHECK(answer_to_local(new_request(NO_OP, true, ELEMENTS)) == MPI_ERR_INTERN);
    check_sums(0, false);
}

// ---- the origin ------------------------------------------------------------------
static void accumulate(size_t elements, struct net_counter *counter)
{
    const struct op *op = handle_object(KIND_OP, SUM);
    struct operation operation = {
        .kind = OPERATION_ACCUMULATE,
        .origin = {(char *)operands, (MPI_Count)elements, type_int64()},
        .target = {.rank = 5, .count = (MPI_Count)elements, .type = type_int64()},
        .window = &window,
        .op = op,
        .peer = &peer,
        .counter = counter,
        .bytes = elements * sizeof *operands,
    };
    CHECK(batch_accumulate(&operation) == 0 && traffic_is_valid(&traffic));
}

static void answer(uint64_t number, int error)
{
    struct bulk_reply reply = {{(uint32_t)object_handle(&window), 5, 0, error}, number};
    handlers[MESSAGE_RMA_BULK_REPLY](IN_JOB, &reply, sizeof reply);
    CHECK(traffic_is_valid(&traffic));
}

static void answer_batch(void)
{
    struct rma_reply reply = {(uint32_t)object_handle(&window), 5, 0, 0};
    handlers[MESSAGE_RMA_REPLY](IN_JOB, &reply, sizeof reply);
}

static void one_request_is_sent(void)
{
    struct net_counter own = {0};
    int regions = registered; // of the target
    fill();
    accumulate(ELEMENTS, NULL);
    const struct rma_request *request = (const void *)sent.data;
    CHECK(sent.count == 1 && sent.kind == MESSAGE_RMA_BULK && sent.rank == IN_JOB);
    CHECK(request->spans[0].bytes == sizeof operands && registered == regions + 1);
    accumulate(ELEMENTS, &own);
    CHECK(sent.count == 2 && net_counter_pending(&traffic.counter) == 2);
    CHECK(net_counter_pending(&own) == 1 && registered == regions + 2);
    int before = refused;
    answer(traffic.bulk_number + 1, 0);
    CHECK(refused == before + 1 && net_counter_pending(&traffic.counter) == 2);
    answer(traffic.bulk_number, MPI_ERR_RMA_RANGE); // in any order
    CHECK(net_counter_pending(&own) == 0 && registered == regions + 1);
    CHECK(net_counter_take_error(&own) == MPI_ERR_RMA_RANGE);
    answer(traffic.bulk_number - 1, 0);
    CHECK(net_counter_pending(&traffic.counter) == 0 && registered == regions);
    CHECK(traffic_take_error(&traffic) == MPI_ERR_RMA_RANGE);
    answer(traffic.bulk_number - 1, 0); // once more
    CHECK(refused == before + 2);
}

// The fake of message_wait wants that what is waited for is true already.
static void a_batch_goes_before(void)
{
    fill();
    net_counter_issue(&traffic.counter); // so that the batch is kept back
    accumulate(1, NULL);
    CHECK(sent.count == 0 && traffic.batch != NULL);
    accumulate(ELEMENTS, NULL);
    CHECK(sent.count == 2 && sent.kind == MESSAGE_RMA_BULK && traffic.batch == NULL);
    answer(traffic.bulk_number, 0);
    answer_batch();
    net_counter_complete(&traffic.counter, 0);
}

// Batches and bulk requests that an accumulate on a local peer sends; all are answered.
static void accumulate_locally(size_t elements, int batches, int requests)
{
    uint64_t last = traffic.bulk_number;
    fill();
    accumulate(elements, NULL);
    CHECK(traffic_send(&traffic, false) == 0); // what aggregates
    if (sent.count != batches + requests)
        fprintf(stderr, "%d messages, not %d\n", sent.count, batches + requests);
    CHECK(sent.count == batches + requests);
    CHECK(traffic.batches == batches && traffic.bulk_count == requests);
    for (int i = 0; i < batches; i++)
        answer_batch();
    while (traffic.bulk_number > last)
        answer(++last, 0);
    CHECK(traffic.bulk_count == 0 && net_counter_pending(&traffic.counter) == 0);
}

// Batches have 8 KiB, and bulk requests 256 KiB.
static void slow_parts_turn_to_requests(void)
{
    int regions = registered;
    peer.lock_record = &record;
    traffic.is_copied = true;
    nanoseconds_a_look = 300;
    accumulate_locally(32 << 10, 32, 0);
    nanoseconds_a_look = 3000;
    accumulate_locally(2 << 10, 2, 0);   // too short
    accumulate_locally(32 << 10, 32, 0); // once may be an accident
    accumulate_locally(65 << 10, 1, 2);
    for (int i = 1; i < 16; i++)
        accumulate_locally(64 << 10, 0, 2);
    nanoseconds_a_look = 300; // which is found out once in a while
    accumulate_locally(32 << 10, 32, 0);
    accumulate_locally(32 << 10, 32, 0);
    CHECK(registered == regions);
}

int main(void)
{
    static struct shm shm = {.node_rank = 0, .node_size = 1};
    static const int nodes[] = {[ORIGIN] = 1, [IN_JOB] = 0};
    static const int node_ranks[] = {[LOCAL] = LOCAL, [IN_JOB] = 4};
    static struct boot boot = {.size = 1, .node_of = nodes, .node_rank_of = node_ranks};
    process.shm = &shm;
    process.boot = &boot;
    traffic.peer = &peer;
    peer.window = &window;
    CHECK(objects_start() == 0);
    datatypes_start();
    object_init(&window.object, destroy);
    CHECK(object_open(&window.object, KIND_WIN) == 0);
    rma_start_serving();
    all_elements_are_combined();
    requests_stay_in_order();
    lost_operands_are_an_error();
    memory_that_goes_away_is_an_error();
    nonsense_is_refused();
    the_kernel_reads_for_local_peers();
    one_request_is_sent();
    a_batch_goes_before();
    slow_parts_turn_to_requests();
    rma_stop_serving();
    CHECK(registered == 0 && process.bulks == NULL);
    return 0;
}
