// SPDX-License-Identifier: BSD-3-Clause
// only_well_formed_accumulates_are_carried_out: a target combines elements as a request
// says, and touches nothing when operation, type, spans or lengths do not fit together.
// A stripe that a dead process held is taken over.

#include "rma/atomic.h"
#include "rma/batch.h"
#include "window_fakes.h"

enum { BYTES = 1024, EDGE = 64, TARGET = 3, ORIGIN = 9, REPLY_TO = 0x4321 };
enum { SUM = 33, MAXLOC = 57, REPLACE = 60, NO_OP = 61 };

static _Alignas(64) char memory[EDGE + BYTES + EDGE]; // the window is the middle
static char *const base = memory + EDGE;
static struct lock_record record;
static const int ranks[] = {0, ORIGIN, 2, 3};
enum { ORIGIN_IN_WINDOW = 1, MEMBERS = sizeof ranks / sizeof *ranks };
static struct group group = {.size = MEMBERS, .ranks = ranks};
static struct communicator comm = {.rank = TARGET, .node_size = 1, .peers = &group};
static struct window window = {.comm = &comm,
                               .size_of_group = MEMBERS,
                               .base = memory + EDGE,
                               .size = BYTES,
                               .lock_records = &record};

static void destroy(struct object *object)
{
    (void)object;
}

static uint8_t number_of(MPI_Datatype type)
{
    const struct datatype *datatype = handle_object(KIND_DATATYPE, (uintptr_t)type);
    return (uint8_t)datatype->basic->number;
}

static struct {
    struct rma_request head;
    char data[64];
} request;

// A request for one span with so many operands.
static void ask(int op, MPI_Datatype type, unsigned operands, bool fetches,
                struct rma_span span)
{
    request.head = (struct rma_request){.window = (uint32_t)object_handle(&window),
                                        .reply_to = REPLY_TO,
                                        .origin = ORIGIN_IN_WINDOW,
                                        .kind = {.operands = operands & 0xf,
                                                 .fetches = fetches,
                                                 .op = (uint8_t)op,
                                                 .basic = number_of(type)},
                                        .count = 1,
                                        .spans = {span}};
}

// Delivers the request followed by `bytes` of `data`; the error of the reply.
static int deliver(const void *data, size_t bytes)
{
    _Alignas(8) char message[MESSAGE_MAX] = {0};
    size_t head = request_bytes(request.head.count);
    CHECK(head + bytes <= sizeof message);
    memcpy(message, &request.head, head);
    memcpy(message + head, data, bytes);
    sent.count = 0;
    handlers[MESSAGE_RMA](ORIGIN, message, head + bytes);
    CHECK(sent.count == 1 && sent.rank == ORIGIN && sent.kind == MESSAGE_RMA_REPLY);
    return ((const struct rma_reply *)(const void *)sent.data)->error;
}

static const void *fetched(size_t bytes)
{
    CHECK(sent.bytes == sizeof(struct rma_reply) + bytes);
    return sent.data + sizeof(struct rma_reply);
}

static void elements_are_combined(void)
{
    int64_t mine[2] = {5, 6}, there[2] = {10, 20};
    for (int shift = 0; shift < 8; shift += 3) { // the latter are not aligned
        memcpy(base + shift, there, sizeof there);
        ask(SUM, MPI_INT64_T, 1, true, (struct rma_span){(uint64_t)shift, 16});
        CHECK(deliver(mine, 16) == 0 && memcmp(fetched(16), there, 16) == 0);
        CHECK(memcmp(base + shift, (int64_t[]){15, 26}, 16) == 0);
        ask(NO_OP, MPI_INT64_T, 0, true, (struct rma_span){(uint64_t)shift, 16});
        CHECK(deliver(mine, 0) == 0 &&
              memcmp(fetched(16), (int64_t[]){15, 26}, 16) == 0);
    }
    memcpy(base, there, sizeof there);
    ask(COMPARE_AND_SWAP, MPI_INT64_T, 2, true, (struct rma_span){0, 8});
    CHECK(deliver((int64_t[]){7, 10}, 16) == 0 && memcmp(fetched(8), there, 8) == 0);
    CHECK(memcmp(base, (int64_t[]){7, 20}, 16) == 0);
    CHECK(deliver((int64_t[]){8, 10}, 16) == 0);
    CHECK(memcmp(base, (int64_t[]){7, 20}, 16) == 0);
}

// A short and an int, with a gap between that is nobody's.
static void pairs_leave_their_padding_alone(void)
{
    memcpy(base, (char[]){1, 0, 99, 99, 5, 0, 0, 0}, 8);
    ask(MAXLOC, MPI_SHORT_INT, 1, true, (struct rma_span){0, 2});
    request.head.count = 2;
    request.head.spans[1] = (struct rma_span){4, 4};
    CHECK(deliver((char[]){2, 0, 6, 0, 0, 0}, 6) == 0);
    CHECK(memcmp(fetched(6), (char[]){1, 0, 5, 0, 0, 0}, 6) == 0);
    CHECK(memcmp(base, (char[]){2, 0, 99, 99, 6, 0, 0, 0}, 8) == 0);
    static const struct rma_span wrong[][2] = {
        {{0, 2}, {2, 4}}, {{0, 2}, {8, 4}}, {{0, 4}, {4, 2}}, {{0, 1}, {4, 5}}};
    for (int i = 0; i < 4; i++) {
        memcpy(request.head.spans, wrong[i], sizeof wrong[i]);
        CHECK(deliver((char[]){3, 0, 7, 0, 0, 0}, 6) == MPI_ERR_INTERN);
    }
    request.head.count = 1; // half a pair
    CHECK(deliver((char[]){3, 0}, 2) == MPI_ERR_INTERN);
    CHECK(memcmp(base, (char[]){2, 0, 99, 99, 6, 0, 0, 0}, 8) == 0);
}

static void check_refused(size_t data_bytes)
{
    static const char data[64] = {1, 1, 1, 1};
    char before[sizeof memory];
    memcpy(before, memory, sizeof before);
    int error = deliver(data, data_bytes);
    CHECK(error == MPI_ERR_INTERN || error == MPI_ERR_RMA_RANGE);
    CHECK(memcmp(before, memory, sizeof before) == 0);
}

static void nonsense_is_refused(void)
{
    struct rma_span span = {0, 8};
    ask(MAXLOC, MPI_INT64_T, 1, false, span); // not defined for the type
    check_refused(8);
    for (int op = 2; op < 256; op += op == 32 ? 32 : 1) {
        ask(op, MPI_INT64_T, 1, false, span);
        bool exists = op > 32 && op < 64 && op != NO_OP &&
                      handle_object(KIND_OP, (uintptr_t)op) != NULL;
        if (!exists)
            check_refused(8);
    }
    ask(SUM, MPI_INT64_T, 1, false, span);
    for (int basic = basic_count; basic < 256; basic++) {
        request.head.kind.basic = (uint8_t)basic;
        check_refused(8);
    }
    ask(SUM, MPI_INT64_T, 1, false, (struct rma_span){0, 12}); // half an element
    check_refused(12);
    ask(SUM, MPI_INT64_T, 0, true, span); // nothing to add
    check_refused(0);
    ask(SUM, MPI_INT64_T, 2, true, span);
    check_refused(16);
    ask(SUM, MPI_INT64_T, 1, true, span); // other lengths than it says
    check_refused(0);
    check_refused(16);
    ask(NO_OP, MPI_INT64_T, 0, false, span);
    check_refused(0);
    ask(COMPARE_AND_SWAP, MPI_DOUBLE, 2, true, span);
    check_refused(16);
    ask(COMPARE_AND_SWAP, MPI_INT64_T, 2, true, (struct rma_span){0, 16});
    check_refused(32);
    ask(COMPARE_AND_SWAP, MPI_INT64_T, 1, true, span);
    check_refused(8);
}

static void ranges_outside_are_refused(void)
{
    static const struct rma_span outside[] = {
        {BYTES, 8}, {BYTES - 4, 8}, {(uint64_t)-8, 8}, {(uint64_t)-8, 16}};
    for (int i = 0; i < 4; i++) {
        ask(REPLACE, MPI_INT64_T, 1, true, outside[i]);
        check_refused(outside[i].bytes);
    }
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

// Node rank 1, whose stamp is 2, has died.
int shm_copy_from(struct shm *shm, int node_rank, void *local, uint64_t remote,
                  size_t bytes)
{
    (void)shm, (void)node_rank, (void)local, (void)remote, (void)bytes;
    CHECK(false);
    return 0;
}

bool shm_is_alive(const struct shm *shm, int node_rank)
{
    (void)shm;
    return node_rank == 0;
}

static void dead_holders_are_succeeded(void)
{
    int64_t one = 1, before = 4;
    memcpy(base + 4, &before, sizeof before);
    atomic_store(&record.stripes[0], 2);
    ask(SUM, MPI_INT64_T, 1, false, (struct rma_span){4, 8}); // not aligned
    CHECK(deliver(&one, 8) == 0 && memcmp(base + 4, (int64_t[]){5}, 8) == 0);
    CHECK(atomic_load(&record.stripes[0]) == 0);
}

int main(void)
{
    static struct shm shm = {.node_rank = 0, .node_size = 2};
    static struct boot boot = {.size = 1};
    process.shm = &shm;
    process.boot = &boot;
    CHECK(objects_start() == 0);
    datatypes_start();
    object_init(&window.object, destroy);
    CHECK(object_open(&window.object, KIND_WIN) == 0);
    rma_start_serving();
    elements_are_combined();
    pairs_leave_their_padding_alone();
    nonsense_is_refused();
    ranges_outside_are_refused();
    dead_holders_are_succeeded();
    return 0;
}
