// SPDX-License-Identifier: BSD-3-Clause
// locks_exclude_and_are_fair: of processes that share a lock record, a writer is alone,
// readers are together but not with a writer, and who comes first is served first.
// Needs core/window/lock.c, core/object/handle.c and core/base.

#include "window/window.h"
#include "window_fakes.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 4, ROUNDS = 20000, WORDS = 16 };

// What the processes share.
static struct shared {
    struct lock_record record;
    volatile uint64_t words[WORDS]; // all equal unless a writer is at work
    _Atomic(int) readers, writes;
    _Atomic(int) order;
    int served[PROCESSES];
} * shared;

static struct communicator comm = {.node_size = 1};
static struct window window = {.comm = &comm};

static struct peer peer_of(int type)
{
    return (struct peer){
        .lock_record = &shared->record, .lock_type = type, .lock = LOCK_ASKED};
}

static void take(struct peer *peer, int type)
{
    *peer = peer_of(type);
    CHECK(peer_lock(&window, peer) == 0);
    CHECK(peer_lock_state(peer) == LOCK_HELD);
}

static void give(struct peer *peer)
{
    CHECK(peer_unlock(&window, peer) == 0);
    CHECK(peer_lock_state(peer) == LOCK_NONE);
}

static void write_all(void)
{
    struct peer peer;
    take(&peer, MPI_LOCK_EXCLUSIVE);
    CHECK(shared->readers == 0);
    uint64_t value = shared->words[0] + 1;
    for (int i = 0; i < WORDS; i++)
        shared->words[i] = value;
    give(&peer);
}

static void read_all(void)
{
    struct peer peer;
    take(&peer, MPI_LOCK_SHARED);
    shared->readers++;
    for (int i = 1; i < WORDS; i++)
        CHECK(shared->words[i] == shared->words[0]);
    shared->readers--;
    give(&peer);
}

// Every third turn of a process writes.
static void read_and_write(int number)
{
    for (int round = 0; round < ROUNDS; round++)
        if ((round + number) % 3 == 0)
            write_all();
        else
            read_all();
}

static uint64_t writes_of(int number)
{
    uint64_t writes = 0;
    for (int round = 0; round < ROUNDS; round++)
        writes += (round + number) % 3 == 0;
    return writes;
}

// Waits in the queue behind those before it and notes when it was served.
static void wait_in_queue(int number)
{
    while (shared->record.next != shared->record.serving + (uint32_t)number + 1)
        sched_yield();
    struct peer peer;
    take(&peer, number % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE);
    shared->served[number] = shared->order++;
    give(&peer);
}

// A child that ends with its parent, so that a failed check leaves nothing behind.
static bool is_child(void)
{
    pid_t parent = getpid();
    if (fork() != 0)
        return false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    return true;
}

static void run_all(void (*work)(int number))
{
    for (int number = 0; number < PROCESSES; number++)
        if (is_child()) {
            work(number);
            _exit(0);
        }
    for (int number = 0; number < PROCESSES; number++) {
        int status;
        CHECK(wait(&status) > 0);
        CHECK(status == 0);
    }
}

static void no_update_is_lost(void)
{
    uint64_t expected = 0;
    for (int number = 0; number < PROCESSES; number++)
        expected += writes_of(number);
    run_all(read_and_write);
    CHECK(shared->words[0] == expected);
    CHECK(shared->readers == 0);
}

// The queue is filled while the test holds the lock, and then served in order.
static void first_come_is_first_served(void)
{
    struct peer peer;
    take(&peer, MPI_LOCK_EXCLUSIVE);
    uint32_t held = shared->record.serving;
    if (is_child()) {
        run_all(wait_in_queue);
        _exit(0);
    }
    while (shared->record.next != held + 1 + PROCESSES)
        sched_yield();
    give(&peer);
    int status;
    CHECK(wait(&status) > 0 && status == 0);
    for (int number = 0; number < PROCESSES; number++)
        CHECK(shared->served[number] == number);
}

static void read_once(int number)
{
    (void)number;
    read_all();
}

static void readers_do_not_wait_for_readers(void)
{
    struct peer peer;
    take(&peer, MPI_LOCK_SHARED);
    run_all(read_once);
    give(&peer);
}

// The writer is served, but has to wait until the last reader has left.
static void a_writer_waits_for_readers(void)
{
    struct peer first, second;
    take(&first, MPI_LOCK_SHARED);
    take(&second, MPI_LOCK_SHARED);
    uint32_t queued = shared->record.next;
    if (is_child()) {
        write_all();
        shared->writes++;
        _exit(0);
    }
    while (shared->record.next == queued)
        sched_yield();
    give(&first);
    for (int turn = 0; turn < 1000; turn++)
        sched_yield();
    CHECK(shared->writes == 0);
    give(&second);
    CHECK(wait(NULL) > 0 && shared->writes == 1);
}

// The counters of a lock record wrap after 2^32 locks.
static void counters_may_wrap(void)
{
    shared->record.next = shared->record.serving = UINT32_MAX - 100;
    shared->record.entered = shared->record.left = UINT32_MAX - 50;
    memset((void *)shared->words, 0, sizeof shared->words);
    no_update_is_lost();
    CHECK(shared->record.serving < UINT32_MAX / 2);
    CHECK(shared->record.left == shared->record.entered);
}

int main(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    window.lock_records = &shared->record;
    no_update_is_lost();
    readers_do_not_wait_for_readers();
    a_writer_waits_for_readers();
    first_come_is_first_served();
    counters_may_wrap();
    CHECK(sent.count == 0); // on one node nothing is told to anyone
    return 0;
}
