// SPDX-License-Identifier: BSD-3-Clause
// distant_locks_share_the_queue: origins on other nodes, whom the target serves, and
// processes of its node queue on one lock record; a message can release only what its
// sender has; a wrong count of tickets is noticed; operations that travel with a request
// are carried out when the lock is granted, and before it is released. Needs core/window/lock.c,
// core/window/distant_lock.c, core/object/handle.c and core/base.

#include "window/open.h"
#include "window_fakes.h"

#include <unistd.h>

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
    struct sync_head message = {.window = member.handle,
                                .reply_to = REPLY_TO,
                                .rank = TARGET,
                                .origin = origin,
                                .type = (int16_t)type};
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
    const struct sync_head *message = (const void *)sent.data;
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
    char told[sizeof(struct sync_head)];
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
    struct sync_head message = {.window = member.handle, .type = MPI_LOCK_EXCLUSIVE};
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

// ---- operations that travel with requests ------------------------------------------
enum { SERVED_MAX = 8 };

// What the target has carried out, by the first byte of each batch.
static struct {
    int count;
    char batches[SERVED_MAX + 1];
    int errors[SERVED_MAX], granted[SERVED_MAX], left[SERVED_MAX];
} served;

static void serve(int source, const void *request, size_t bytes, int error,
                  const struct sync_head *grant)
{
    CHECK(served.count < SERVED_MAX && bytes == 8 && source > 0);
    served.batches[served.count] = *(const char *)request;
    served.errors[served.count] = error;
    served.granted[served.count] = grant != NULL;
    served.left[served.count] = record.left + record.serving;
    CHECK(grant == NULL || (grant->window == REPLY_TO && grant->error == error));
    served.count++;
}

static void answered(int source, const void *message, size_t bytes)
{
    CHECK(source == 50 && bytes == 8);
    served.batches[served.count++] = *(const char *)message;
}

static struct peer_owner operations = {
    .send = send_none, .serve = serve, .answered = answered};

static void begin_serving(void)
{
    memset(&served, 0, sizeof served);
    sent.count = 0;
    process.windows->peer_owner = &operations;
}

// Type 0: the lock has been asked for before.
static void operate(int origin, int type, bool releases, char name)
{
    struct {
        struct sync_head head;
        char batch[8];
    } message = {.head = {.window = member.handle,
                          .reply_to = REPLY_TO,
                          .rank = TARGET,
                          .origin = origin,
                          .type = (int16_t)type,
                          .releases = releases},
                 .batch = {name}};
    handlers[MESSAGE_LOCK](origin, &message, sizeof message);
}

// One message and one answer.
static void a_free_lock_is_taken_and_released_at_once(void)
{
    uint32_t before = record.serving, left = record.left;
    begin_serving();
    operate(1, MPI_LOCK_EXCLUSIVE, true, 'a');
    CHECK(strcmp(served.batches, "a") == 0 && served.granted[0] && !served.errors[0]);
    CHECK(served.left[0] == (int)(before + left)); // under the lock
    CHECK(record.serving == before + 1 && record.next == record.serving);
    operate(1, MPI_LOCK_SHARED, true, 'b');
    CHECK(strcmp(served.batches, "ab") == 0 && record.left == left + 1);
    CHECK(record.entered == record.left && window.distant_locks == NULL);
    CHECK(sent.count == 0); // the answer went with the operations' own
}

static void operations_wait_for_their_lock(void)
{
    begin_serving();
    struct peer peer = local_peer(MPI_LOCK_EXCLUSIVE);
    CHECK(peer_lock(&window, &peer) == 0);
    operate(1, MPI_LOCK_EXCLUSIVE, false, 'a');
    operate(1, 0, false, 'b');
    operate(2, MPI_LOCK_SHARED, true, 'd');
    operate(1, 0, true, 'c');
    operate(4, MPI_LOCK_EXCLUSIVE, true, 'e');
    CHECK(served.count == 0 && sent.count == 0 && record.distant == 3);
    CHECK(peer_unlock(&window, &peer) == 0);
    struct sync_head told = {.window = member.handle};
    handlers[MESSAGE_UNLOCK](9, &told, sizeof told);
    CHECK(strcmp(served.batches, "abcde") == 0);
    for (int i = 0; i < 5; i++)
        CHECK(served.granted[i] == (i == 0 || i >= 3) && served.errors[i] == 0);
    CHECK(served.left[2] < served.left[3] && served.left[3] < served.left[4]);
    CHECK(window.distant_locks == NULL && record.distant == 0);
    CHECK(record.next == record.serving && record.left == record.entered);
}

static void a_held_lock_is_released_behind_operations(void)
{
    begin_serving();
    ask(1, MPI_LOCK_EXCLUSIVE);
    check_granted(1, 1, 0);
    operate(1, 0, false, 'a');
    ask(2, MPI_LOCK_SHARED);
    CHECK(sent.count == 0);
    operate(1, 0, true, 'b');
    CHECK(strcmp(served.batches, "ab") == 0 && !served.granted[0]);
    check_granted(1, 2, 0);
    release(2, MPI_LOCK_SHARED);
    ask(4, MPI_LOCK_EXCLUSIVE);
    release(4, MPI_LOCK_EXCLUSIVE);
    CHECK(window.distant_locks == NULL);
}

// Nothing is carried out without the lock, and each batch is answered.
static void operations_fail_where_the_lock_is_refused(void)
{
    begin_serving();
    record.is_exposed = true;
    operate(1, MPI_LOCK_EXCLUSIVE, false, 'a');
    operate(1, 0, true, 'b');
    record.is_exposed = false;
    CHECK(strcmp(served.batches, "ab") == 0);
    CHECK(served.granted[0] && served.errors[0] == MPI_ERR_RMA_CONFLICT);
    CHECK(!served.granted[1] && served.errors[1] == MPI_ERR_RMA_CONFLICT);
    int before = refused;
    member.handle ^= HANDLE_GENERATION;
    operate(1, MPI_LOCK_EXCLUSIVE, true, 'c');
    CHECK(served.granted[2] && served.errors[2] == MPI_ERR_WIN && refused == before);
    operate(1, 0, true, 'd');
    CHECK(served.count == 3 && refused == before + 1);
    member.handle ^= HANDLE_GENERATION;
    CHECK(window.distant_locks == NULL && record.next == record.serving);
}

// ---- the origin ---------------------------------------------------------------------
static struct peer distant;

static void open_distant(void)
{
    static struct peer *bucket[] = {&distant};
    distant = (struct peer){.rank = 5,
                            .job_rank = 50,
                            .member = &member,
                            .window = &window,
                            .lock_type = MPI_LOCK_SHARED};
    window.peers = (struct peers){.buckets = bucket, .bucket_count = 1, .count = 1};
    sent.count = 0;
}

static void want(void)
{
    peer_want_lock(&distant, MPI_LOCK_SHARED, false);
    CHECK(peer_lock(&window, &distant) == 0);
    CHECK(peer_lock_state(&distant) == LOCK_WANTED && locks_are_asked());
}

static void grant(int source, int error)
{
    struct sync_head head = {.window = member.handle, .rank = 5, .error = error};
    handlers[MESSAGE_GRANT](source, &head, sizeof head);
}

static const struct sync_head *last_sent(int count, int kind)
{
    CHECK(sent.count == count && sent.kind == kind && sent.rank == 50);
    return (const void *)sent.data;
}

// The request waits for the first operations, and only the target's answer counts.
static void a_lock_without_operations_is_one_message(void)
{
    open_distant();
    want();
    CHECK(sent.count == 0);
    peer_part(&distant);
    const struct sync_head *head = last_sent(1, MESSAGE_LOCK);
    CHECK(head->type == MPI_LOCK_SHARED && head->releases && head->rank == 5);
    CHECK(peer_lock_state(&distant) == LOCK_SENT);
    grant(51, 0); // from another rank
    CHECK(peer_lock_state(&distant) == LOCK_SENT);
    grant(50, -1); // no error class
    CHECK(peer_lock_state(&distant) == LOCK_SENT && locks_are_asked());
    grant(50, 0);
    CHECK(peer_await_lock(&distant) == 0 && peer_lock_state(&distant) == LOCK_HELD);
    CHECK(peer_unlock(&window, &distant) == 0 && sent.count == 1);
    CHECK(peer_lock_state(&distant) == LOCK_NONE && !locks_are_asked());
}

static void a_lock_that_is_held_is_released_by_a_message(void)
{
    open_distant();
    want();
    struct sync_head head;
    CHECK(peer_sync_head(&distant, &head) == MESSAGE_LOCK && head.type != 0);
    peer_sync_sent(&distant); // with operations
    CHECK(peer_sync_head(&distant, &head) == MESSAGE_LOCK && head.type == 0);
    grant(50, 0);
    CHECK(peer_sync_head(&distant, &head) == 0);
    CHECK(peer_unlock(&window, &distant) == 0);
    CHECK(last_sent(1, MESSAGE_UNLOCK)->type != 0);
    CHECK(!distant.is_parting && !distant.has_parted); // nor in the next epoch
}

// The notice of completion goes with the last operations, or alone.
static void a_target_is_told_of_completion(void)
{
    struct sync_head head;
    open_distant();
    distant.is_target = true;
    CHECK(peer_sync_head(&distant, &head) == 0); // more may follow
    distant.is_parting = true;
    CHECK(peer_sync_head(&distant, &head) == MESSAGE_LAST);
    CHECK(head.type == NOTICE_COMPLETE && head.rank == TARGET);
    distant.is_parting = false;
    peer_part(&distant);
    CHECK(last_sent(1, MESSAGE_NOTICE)->type == NOTICE_COMPLETE);
    CHECK(peer_take_parted(&distant) && !peer_take_parted(&distant));
}

static void an_answer_may_come_late(void)
{
    open_distant();
    want();
    struct sync_head head;
    CHECK(peer_sync_head(&distant, &head) == MESSAGE_LOCK);
    peer_sync_sent(&distant);
    CHECK(peer_unlock(&window, &distant) == 0); // the wait has failed
    CHECK(last_sent(1, MESSAGE_UNLOCK)->type != 0 && locks_are_asked());
    grant(50, 0);
    CHECK(peer_lock_state(&distant) == LOCK_NONE && !locks_are_asked());
    grant(50, 0); // a second time
    CHECK(!locks_are_asked());
    want();
    CHECK(peer_unlock(&window, &distant) == 0 && sent.count == 1); // never sent
    CHECK(peer_lock_state(&distant) == LOCK_NONE && !locks_are_asked());
}

// The first answer comes, and another thread wants a lock and leaves; then the second.
static void lock_is_wanted_meanwhile(void)
{
    grant(50, 0);
    if (sent.count > 1)
        return;
    CHECK(peer_unlock(&window, &distant) == 0);
    want();
}

static void what_is_wanted_meanwhile_is_asked_for(void)
{
    open_distant();
    want();
    comes_meanwhile = lock_is_wanted_meanwhile;
    CHECK(locks_await_answers() == 0 && !locks_are_asked());
    comes_meanwhile = NULL;
    last_sent(3, MESSAGE_LOCK);
    CHECK(peer_unlock(&window, &distant) == 0);
}

static void a_refused_lock_is_an_error(void)
{
    const struct {
        int answer, expected;
    } refusals[] = {{MPI_ERR_WIN, MPI_ERR_RMA_SYNC},
                    {MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_CONFLICT}};
    for (int i = 0; i < 2; i++) {
        open_distant();
        want();
        peer_part(&distant);
        grant(50, refusals[i].answer);
        CHECK(peer_await_lock(&distant) == refusals[i].expected);
        CHECK(peer_unlock(&window, &distant) == 0 && sent.count == 1);
        CHECK(peer_lock_state(&distant) == LOCK_NONE);
    }
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
    a_free_lock_is_taken_and_released_at_once();
    operations_wait_for_their_lock();
    a_held_lock_is_released_behind_operations();
    operations_fail_where_the_lock_is_refused();
    a_lock_without_operations_is_one_message();
    a_lock_that_is_held_is_released_by_a_message();
    a_target_is_told_of_completion();
    an_answer_may_come_late();
    what_is_wanted_meanwhile_is_asked_for();
    a_refused_lock_is_an_error();
    return 0;
}
