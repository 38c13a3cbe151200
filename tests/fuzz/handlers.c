// SPDX-License-Identifier: BSD-3-Clause
// Messages of two processes on other nodes to one that has windows, locks that it has
// asked for, operations under way, sends and posted receives. Windows and buffers are
// allocations of exactly their size, so that the sanitizer sees each byte beside them.
//
// The input is a list of messages: a byte for kind and sender, two for the length.
#include "../unit/window_fakes.h"
#include "fuzz.h"
#include "pt2pt/probe.h"
#include "pt2pt/transfer.h"
#include "rma/batch.h"
#include "shm/control.h"
#include "window/attachments.h"
#include "window/open.h"

#include <sys/mman.h>

enum { SELF, ONE, OTHER, SIZE };
enum { WINDOW_BYTES = 1000, LONG = 100000, SHORT = 300, CONTEXT = 77, TAG = 5 };

// ---- what the process is --------------------------------------------------------------
static const int nodes[SIZE] = {0, 1, 2}, firsts[SIZE],
                 ranks[SIZE] = {SELF, ONE, OTHER};
static struct boot boot = {.rank = SELF,
                           .size = SIZE,
                           .node_count = SIZE,
                           .node_size = 1,
                           .node_of = nodes,
                           .node_rank_of = firsts,
                           .node_members = ranks,
                           .leaders = ranks};
static struct group group = {.object.references = 1, .size = SIZE, .ranks = ranks};
static struct communicator comm = {.object.references = 1,
                                   .group = &group,
                                   .peers = &group,
                                   .size = SIZE,
                                   .rank = SELF,
                                   .context = CONTEXT,
                                   .node_size = 1,
                                   .node_members = ranks,
                                   .leader_count = SIZE};
static struct attachment attachment; // all of the segment
static struct {
    struct shm_control control;
    struct peer_record record;
} node; // of this process alone
static struct presence presence = {.admitting = ADMITTING};
static struct shm shm = {.node_rank = 0,
                         .node_size = 1,
                         .base = (char *)&attachment,
                         .bytes = sizeof attachment,
                         .control = &node.control};

enum { PLAIN, DYNAMIC, WINDOWS };
static struct window windows[WINDOWS];
static struct lock_record records[WINDOWS];
static struct member members[WINDOWS];

// What else the layers above messages call, but handlers do not.
int message_poll(void)
{
    return 0;
}

void message_bundle_kind(int kind, _Atomic(bool) *has_left)
{
    (void)kind, (void)has_left;
}

bool message_has_room(int rank, size_t bytes)
{
    (void)rank, (void)bytes;
    return false;
}

void net_access_withdraw(struct net *net, const struct net_counter *counter)
{
    (void)net, (void)counter; // nothing waits
}

bool net_has_cheap_access(const struct net *net)
{
    (void)net;
    return false;
}

void message_progress_and_yield(void)
{
}

int message_looked(bool has_found)
{
    (void)has_found;
    return 0;
}

void message_follow(message_follower *follower)
{
    (void)follower;
}

int message_serve(void)
{
    return 0;
}

int message_check_deaths(void)
{
    return 0;
}

static void nothing(struct object *object)
{
    (void)object;
}

static void start(void)
{
    static bool has_started;
    if (has_started)
        return;
    has_started = true;
    static const struct peer_owner operations = {
        .send = send_none, .serve = request_serve, .answered = reply_handle};
    process.boot = &boot;
    process.shm = &shm;
    process.windows->peer_owner = &operations;
    presence_own = &presence;
    must(objects_start() == 0);
    datatypes_start();
    for (int i = 0; i < WINDOWS; i++) { // their handles are the same in every run
        object_init(&windows[i].object, nothing);
        must(object_open(&windows[i].object, KIND_WIN) == 0);
        members[i].handle = (uint32_t)object_handle(&windows[i]);
    }
    locks_start();
    notices_start();
    rma_start_serving();
}

// ---- windows --------------------------------------------------------------------------
// Two operations that fetch and one that does not are under way, and a lock is asked for.
struct towards {
    struct peer peer;
    struct peer_traffic traffic;
    struct net_counter request;
    char *places[2];
};

static void await(struct towards *towards, int which, struct net_counter *counter)
{
    size_t bytes = 24;
    struct peer_traffic *traffic = &towards->traffic;
    struct pending_reply *pending =
        calloc(1, sizeof *pending + sizeof *pending->results);
    must(pending != NULL);
    towards->places[which] = malloc(bytes);
    *pending = (struct pending_reply){.bytes = bytes, .count = 1, .counter = counter};
    pending->results[0].address = towards->places[which];
    pending->results[0].bytes = bytes;
    *traffic->replies_end = pending;
    traffic->replies_end = &pending->next;
    net_counter_issue(&traffic->counter);
    if (counter != NULL)
        net_counter_issue(counter);
}

static void open_peer(struct towards *towards, const struct member *member)
{
    towards->peer = (struct peer){.rank = ONE,
                                  .job_rank = ONE,
                                  .member = member,
                                  .lock = LOCK_SENT,
                                  .is_asked = true,
                                  .traffic = &towards->traffic};
    towards->traffic = (struct peer_traffic){
        .peer = &towards->peer, .batches = 3, .replies_end = &towards->traffic.replies};
    towards->request = (struct net_counter){.issued = 0};
    atomic_fetch_add(&process.windows->asked_locks, 1);
    await(towards, 0, &towards->request);
    await(towards, 1, NULL);
    net_counter_issue(&towards->traffic.counter);
}

static void close_peer(struct towards *towards)
{
    must(towards->traffic.counter.completed <= towards->traffic.counter.issued);
    must(towards->request.completed <= towards->request.issued);
    must(peer_lock_state(&towards->peer) != LOCK_NONE);
    for (struct pending_reply *reply = towards->traffic.replies, *next; reply;
         reply = next) {
        next = reply->next;
        free(reply);
    }
    free(towards->places[0]);
    free(towards->places[1]);
}

// A page between two that are not mapped, always at the same address, which the input
// can name.
static const uintptr_t ATTACHED_AT = 0x10000000;

static void *attached_memory(void)
{
    static void *memory;
    if (memory == NULL)
        memory = mmap((void *)ATTACHED_AT, page_bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    must(memory == (void *)ATTACHED_AT);
    memset(memory, 0, page_bytes());
    return memory;
}

static void open_windows(struct towards *towards, struct peer **bucket)
{
    for (int i = 0; i < WINDOWS; i++) {
        struct object object = windows[i].object;
        bool is_dynamic = i == DYNAMIC;
        void *memory = is_dynamic ? attached_memory() : calloc(1, WINDOW_BYTES);
        must(memory != NULL);
        records[i] = (struct lock_record){.serving = 0};
        windows[i] = (struct window){
            .object = object,
            .comm = &comm,
            .size_of_group = SIZE,
            .flavor = is_dynamic ? MPI_WIN_FLAVOR_DYNAMIC : MPI_WIN_FLAVOR_ALLOCATE,
            .base = is_dynamic ? NULL : memory,
            .size = is_dynamic ? 0 : WINDOW_BYTES,
            .lock_records = &records[i],
            .traits = TRAIT_NODES,
        };
    }
    attachment = (struct attachment){.address = ATTACHED_AT, .bytes = page_bytes()};
    records[DYNAMIC].attachments.count = 1;
    open_peer(towards, &members[PLAIN]);
    *bucket = &towards->peer;
    windows[PLAIN].peers =
        (struct peers){.buckets = bucket, .bucket_count = 1, .count = 1};
}

static void close_windows(struct towards *towards)
{
    close_peer(towards);
    for (int i = 0; i < WINDOWS; i++) {
        for (int stripe = 0; stripe < LOCK_STRIPES; stripe++)
            must(records[i].stripes[stripe] == 0);
        distant_locks_free(&windows[i]);
        notices_free(&windows[i]);
        free(windows[i].base);
    }
    atomic_store(&process.windows->asked_locks, 0);
}

// ---- messages -------------------------------------------------------------------------
static const struct {
    MPI_Datatype type;
    int count, rank, tag;
    bool is_send, is_synchronous;
} plans[] = {
    {MPI_BYTE, SHORT, ONE, TAG, false, false},
    {MPI_BYTE, LONG, ONE, TAG, false, false},
    {MPI_SHORT_INT, 20, MPI_ANY_SOURCE, TAG, false, false}, // has gaps
    {MPI_SHORT_INT, 20, OTHER, MPI_ANY_TAG, false, false},
    {MPI_BYTE, LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, false, false},
    {MPI_BYTE, LONG, ONE, TAG, true, false},
    {MPI_BYTE, SHORT, OTHER, TAG, true, true},
};
enum { TRANSFERS = sizeof plans / sizeof *plans };

static void open_transfers(struct transfer *transfers)
{
    must(pt2pt_start() == 0);
    for (int i = 0; i < TRANSFERS; i++) {
        struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)plans[i].type);
        struct transfer_parameters parameters = {
            .comm = &comm,
            .buffer = calloc((size_t)plans[i].count, (size_t)type->extent),
            .count = plans[i].count,
            .type = type,
            .rank = plans[i].rank,
            .tag = plans[i].tag,
            .channel = CHANNEL_USER,
            .is_send = plans[i].is_send,
            .is_synchronous = plans[i].is_synchronous};
        must(parameters.buffer != NULL &&
             transfer_init(&transfers[i], &parameters) == 0);
        transfer_pack(&transfers[i]);
        must(transfer_begin(&transfers[i]) == 0);
    }
}

static void close_transfers(struct transfer *transfers)
{
    for (int i = 0; i < TRANSFERS; i++) {
        void *buffer = transfers[i].parameters.buffer;
        transfer_hide(&transfers[i]);
        transfer_clear(&transfers[i]);
        free(buffer);
    }
    pt2pt_stop();
}

// ---- the input ------------------------------------------------------------------------
static void deliver(uint8_t head, const uint8_t *bytes, size_t count)
{
    static const int kinds[16] = {
        // 0: none that these layers have registered
        [1] = MESSAGE_LAST, [2] = MESSAGE_EAGER, MESSAGE_RTS,    MESSAGE_DONE,
        MESSAGE_GET,        MESSAGE_FRAGMENT,    MESSAGE_CANCEL, MESSAGE_LOCK,
        MESSAGE_GRANT,      MESSAGE_UNLOCK,      MESSAGE_RMA,    MESSAGE_RMA_REPLY,
        MESSAGE_REFUSAL,    MESSAGE_NOTICE,      MESSAGE_PART};
    message_handler *handler = handlers[kinds[head / 2 % 16]];
    void *message = malloc(count); // no byte more
    if (message == NULL || handler == NULL || count > MESSAGE_MAX_BETWEEN_NODES) {
        free(message);
        return;
    }
    if (count > 0)
        memcpy(message, bytes, count);
    handler(head % 2 ? ONE : OTHER, message, count);
    free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct towards towards;
    struct peer *bucket;
    struct transfer transfers[TRANSFERS];
    start();
    open_windows(&towards, &bucket);
    open_transfers(transfers);
    for (size_t at = 0; at + 3 <= count;) {
        size_t length = bytes[at + 1] | (size_t)bytes[at + 2] << 8;
        uint8_t head = bytes[at];
        at += 3;
        if (length > count - at)
            length = count - at;
        deliver(head, bytes + at, length);
        at += length;
    }
    close_transfers(transfers);
    close_windows(&towards);
    return 0;
}
