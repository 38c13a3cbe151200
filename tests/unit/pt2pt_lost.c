// SPDX-License-Identifier: BSD-3-Clause
// a_lost_peer_is_an_error_for_who_needs_it, not a hang: when it is gone before it is
// sent to, when it dies after it has offered a long message, and when it dies after it
// has asked for one.
#include "transfers.h"

#include <poll.h>
#include <sys/syscall.h>

enum { LONG = 3000000, LIMIT = 20 };

static char bytes[LONG];

// Makes no progress, so that what rank 1 has sent before is still to come. A process
// that nobody has waited for still has its pid: only a descriptor shows its end.
static void await_death(void)
{
    int descriptor = (int)syscall(SYS_pidfd_open, atomic_load(&board->words[0]), 0);
    struct pollfd end = {.fd = descriptor, .events = POLLIN};
    CHECK(end.fd >= 0);
    CHECK(poll(&end, 1, LIMIT * 1000) == 1);
    close(end.fd);
}

static void die(void)
{
    kill(getpid(), SIGKILL);
}

static void start(void)
{
    CHECK(objects_start() == 0);
    datatypes_start();
    CHECK(pt2pt_start() == 0);
    CHECK(collectives_start() == 0);
    if (process.boot->rank == 1)
        atomic_store(&board->words[0], getpid());
    meet();
    alarm(LIMIT); // a hang is a failure
}

static struct transfer *send_long(int to)
{
    return send_start(CHANNEL_COLLECTIVE, bytes, LONG, to, 5);
}

static struct transfer *receive_long(int from)
{
    return receive_start(CHANNEL_COLLECTIVE, bytes, LONG, from, 5);
}

static void send_to_the_dead(void)
{
    start();
    if (process.boot->rank == 1)
        die();
    await_death();
    CHECK(pt2pt_send(process.world, bytes, 8, 1, 5) != 0);
    _exit(0);
}

// Rank 0 asks for the data of an offer that has come from a process now gone.
static void sender_dies(void)
{
    start();
    if (process.boot->rank == 1) {
        send_long(0);
        die();
    }
    await_death();
    CHECK(transfer_finish(receive_long(1), MPI_STATUS_IGNORE) != 0);
    _exit(0);
}

// Rank 0 gets the request for its data when who asked is gone.
static void receiver_dies(void)
{
    start();
    if (process.boot->rank == 1) {
        receive_long(0);
        while (message_progress() == 0) // until the offer has come
            sched_yield();
        die();
    }
    struct transfer *send = send_long(1);
    await_death();
    CHECK(transfer_finish(send, MPI_STATUS_IGNORE) != 0);
    _exit(0);
}

static void run(void (*body)(void))
{
    // One failure: the process that kills itself.
    CHECK(run_job((struct job){
              .nodes = 2, .node_size = 1, .spin_microseconds = 5, .body = body}) == 1);
}

int main(void)
{
    run(send_to_the_dead);
    run(sender_dies);
    registers = false; // the receiver cannot read, and asks
    run(receiver_dies);
    return 0;
}
