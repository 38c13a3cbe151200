// SPDX-License-Identifier: BSD-3-Clause
// distant_locks_share_the_queue: origins on other nodes, whom the target serves, and
// processes of its node queue on one lock record; a message can release only what its
// sender has; a wrong count of tickets is noticed. Needs core/window/lock.c, core/object/handle.c and core/base.

#include "window/open.h"
#include "window_fakes.h"

#include <unistd.h>

// As in lock.c: the format is part of what is tested.
struct lock_message {
    uint32_t window, reply_to;
    int32_t rank, origin, type, error;
};

enum { TARGET = 3, OWN_JOB_RANK = 7, REPLY_TO = 0x1234 };

static struct lock_record record;
static struct member member;
static const int ranks[] = {0, 1, 2, OWN_JOB_RANK, 4, 5};
enum { MEMBERS = sizeof ranks / sizeof *ranks };
static struct group group = {.size = MEMBERS, .ranks = ranks};
static struct communicator comm = {.rank = TARGET, .node_size = 1, .peers = &group};
static struct window window = {.comm = &comm,
                               .size_of_group = MEMBERS,
                               .lock_records = &record,
                               .traits = TRAIT_NODES};

static void destroy(struct object *object)
{
    (void)object;
}

static void send_to_target(int origin, int kind, int type)
{
    struct lock_message message = {.window = member.handle,
                                   .reply_to = REPLY_TO,
                                   .rank = TARGET,
                                   .origin = origin,
                                   .type = type};
    handlers[kind](origin, &message, sizeof message);
}

static void ask(int origin, int type)
{
    send_to_target(origin, MESSAGE_LOCK, type);
}

static void release(int origin, int type)
{
    send_to_target(origin, MESSAGE_UNLOCK, type);
}

// Exactly `count` messages have been sent; the last is a grant to `origin`.
static void check_granted(int count, int origin, int error)
{
    const struct lock_message *message = (const void *)sent.data;
    CHECK(sent.count == count);
    CHECK(sent.kind == MESSAGE_GRANT && sent.rank == origin);
    CHECK(sent.bytes == sizeof *message);
    CHECK(message->window == REPLY_TO && message->rank == TARGET);
    CHECK(message->error == error);
    sent.count = 0;
}

static struct peer local_peer(int type)
{
    return (struct peer){.lock_record = &record,
                         .member = &member,
                         .job_rank = OWN_JOB_RANK,
                         .lock_type = type,
                         .lock = LOCK_ASKED};
}

static void readers_enter_together(void)
{
    ask(1, MPI_LOCK_SHARED);
    check_granted(1, 1, 0);
    ask(2, MPI_LOCK_SHARED);
    check_granted(1, 2, 0);
    ask(4, MPI_LOCK_EXCLUSIVE);
    CHECK(sent.count == 0);
    ask(5, MPI_LOCK_SHARED); // behind the writer
    CHECK(sent.count == 0);
    CHECK_NOTICED(distant_locks_are_valid(&window), record.distant, 1);
    release(1, MPI_LOCK_SHARED);
    CHECK(sent.count == 0);
    release(2, MPI_LOCK_SHARED);
    check_granted(1, 4, 0);
    release(4, MPI_LOCK_EXCLUSIVE);
    check_granted(1, 5, 0);
    release(5, MPI_LOCK_SHARED);
    CHECK(sent.count == 0 && window.distant_locks == NULL && record.distant == 0);
}

// A local peer that unlocks tells the target, which then grants.
static void mates_tell_that_the_queue_moved(void)
{
    struct peer peer = local_peer(MPI_LOCK_EXCLUSIVE);
    CHECK(peer_lock(&window, &peer) == 0);
    ask(1, MPI_LOCK_EXCLUSIVE);
    CHECK(sent.count == 0 && record.distant == 1);
    CHECK(peer_unlock(&window, &peer) == 0);
    CHECK(sent.count == 1 && sent.kind == MESSAGE_UNLOCK && sent.rank == OWN_JOB_RANK);
    char told[sizeof(struct lock_message)];
    CHECK(sent.bytes == sizeof told);
    memcpy(told, sent.data, sizeof told);
    sent.count = 0;
    handlers[MESSAGE_UNLOCK](9, told, sizeof told);
    check_granted(1, 1, 0);
    release(1, MPI_LOCK_EXCLUSIVE);
    peer = local_peer(MPI_LOCK_SHARED);
    CHECK(peer_lock(&window, &peer) == 0);
    CHECK(peer_unlock(&window, &peer) == 0);
    CHECK(sent.count == 0); // nobody waits
}

static void only_holders_release(void)
{
    ask(1, MPI_LOCK_EXCLUSIVE);
    check_granted(1, 1, 0);
    ask(2, MPI_LOCK_EXCLUSIVE);
    release(2, MPI_LOCK_EXCLUSIVE); // waits, but holds nothing
    release(3, MPI_LOCK_EXCLUSIVE); // a stranger
    CHECK(sent.count == 0);
    release(1, MPI_LOCK_EXCLUSIVE);
    check_granted(1, 2, 0);
    release(2, MPI_LOCK_EXCLUSIVE);
    release(2, MPI_LOCK_EXCLUSIVE); // a second time
    CHECK(record.next == record.serving && record.left == record.entered);
}

static void nonsense_is_refused(void)
{
    uint32_t queued = record.next;
    ask(1, 12345);
    ask(9, MPI_LOCK_SHARED);      // no member
    ask(TARGET, MPI_LOCK_SHARED); // of another number in the job
    CHECK(sent.count == 0 && refused == 3);
    member.handle ^= HANDLE_GENERATION; // another generation
    ask(1, MPI_LOCK_EXCLUSIVE);
    check_granted(1, 1, MPI_ERR_WIN);
    release(1, MPI_LOCK_EXCLUSIVE);
    member.handle ^= HANDLE_GENERATION;
    struct lock_message message = {.window = member.handle, .type = MPI_LOCK_EXCLUSIVE};
    handlers[MESSAGE_LOCK](1, &message, sizeof message - 4);
    CHECK(sent.count == 0 && refused == 4 && record.next == queued);
}

static void a_lock_is_asked_for_once(void)
{
    ask(1, MPI_LOCK_SHARED);
    check_granted(1, 1, 0);
    ask(1, MPI_LOCK_SHARED);
    CHECK(sent.count == 0 && refused == 5);
    release(1, MPI_LOCK_SHARED);
    ask(1, MPI_LOCK_SHARED);
    check_granted(1, 1, 0);
    release(1, MPI_LOCK_SHARED);
}

static void an_exposed_part_is_not_locked(void)
{
    uint32_t queued = record.next;
    record.is_exposed = true;
    ask(1, MPI_LOCK_SHARED);
    check_granted(1, 1, MPI_ERR_RMA_CONFLICT);
    CHECK(record.next == queued);
    record.is_exposed = false;
}

// As origin: the request goes out, and only the target's answer counts.
static void an_origin_waits_for_its_target(void)
{
    struct peer peer = {.rank = 5,
                        .job_rank = 50,
                        .member = &member,
                        .lock_type = MPI_LOCK_SHARED,
                        .lock = LOCK_ASKED};
    struct peer *bucket[] = {&peer};
    window.peers = (struct peers){.buckets = bucket, .bucket_count = 1, .count = 1};
    CHECK(peer_lock(&window, &peer) == 0);
    CHECK(sent.count == 1 && sent.kind == MESSAGE_LOCK && sent.rank == 50);
    CHECK(peer_lock_state(&peer) == LOCK_ASKED);
    struct lock_message grant = {.window = member.handle, .rank = 5};
    handlers[MESSAGE_GRANT](51, &grant, sizeof grant); // from another rank
    CHECK(peer_lock_state(&peer) == LOCK_ASKED);
    handlers[MESSAGE_GRANT](50, &grant, sizeof grant);
    CHECK(peer_await_lock(&peer) == 0 && peer_lock_state(&peer) == LOCK_HELD);
    CHECK(peer_unlock(&window, &peer) == 0);
    CHECK(sent.count == 2 && sent.kind == MESSAGE_UNLOCK);
    peer.lock = LOCK_ASKED;
    grant.error = -1; // no error class
    handlers[MESSAGE_GRANT](50, &grant, sizeof grant);
    CHECK(peer_lock_state(&peer) == LOCK_ASKED);
    grant.error = MPI_ERR_WIN;
    handlers[MESSAGE_GRANT](50, &grant, sizeof grant);
    CHECK(peer_await_lock(&peer) == MPI_ERR_RMA_SYNC);
    peer.lock = LOCK_ASKED;
    grant.error = MPI_ERR_RMA_CONFLICT;
    handlers[MESSAGE_GRANT](50, &grant, sizeof grant);
    CHECK(peer_await_lock(&peer) == MPI_ERR_RMA_CONFLICT);
    CHECK(peer_unlock(&window, &peer) == 0 && peer_lock_state(&peer) == LOCK_NONE);
    CHECK(sent.count == 2);
    peer.lock = LOCK_NONE;
    window.peers = (struct peers){0};
}

int main(void)
{
    object_init(&window.object, destroy);
    CHECK(object_open(&window.object, KIND_WIN) == 0);
    member.handle = (uint32_t)object_handle(&window);
    locks_start();
    readers_enter_together();
    mates_tell_that_the_queue_moved();
    only_holders_release();
    nonsense_is_refused();
    a_lock_is_asked_for_once();
    an_exposed_part_is_not_locked();
    an_origin_waits_for_its_target();
    return 0;
}
