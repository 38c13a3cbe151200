// SPDX-License-Identifier: BSD-3-Clause
// messages_go_by_what_took_less_time, those of middle length, and
// no_send_waits_for_a_receiver_that_was_late twice: the next messages to it are eager, twice
// as many when it is late again. The data are kept of the_send_that_no_receive_is_posted_for,
// the_send_whose_message_is_taken and the_send_that_is_half_of_an_exchange.
#include "transfers.h"

#include "pt2pt/middle.h"
#include "pt2pt/probe.h"

enum { LENGTH = 16384, LIMIT = 20 };

static const uint64_t LONG_AGO = 1000000000; // ns, more than any message takes here
static char bytes[LENGTH];

// The next message to rank 1 is a copy.
static struct middle_times *prefer_copies(uint64_t message)
{
    if (process.matching->middle_times == NULL)
        process.matching->middle_times = calloc(2, sizeof(struct middle_times));
    CHECK(process.matching->middle_times != NULL);
    struct middle_times *times = &process.matching->middle_times[1];
    *times = (struct middle_times){
        .sizes[0] = {.shortest = {message, 1}, .uses = 129, .is_copied = true}};
    return times;
}

static void send_length(void)
{
    CHECK(oriel_send(bytes, LENGTH, type_of(MPI_BYTE), 1, 5, process.world) == 0);
}

// The receive is posted before the message is sent, lest its data be kept.
static void receive_length(uint64_t copies)
{
    uint64_t before = counter_value(COUNTER_PROCESS_COPIES);
    struct transfer *receive = receive_start(CHANNEL_USER, bytes, LENGTH, 0, 5);
    meet();
    CHECK(transfer_finish(receive, MPI_STATUS_IGNORE) == 0);
    CHECK(counter_value(COUNTER_PROCESS_COPIES) - before == copies);
}

static void send_to_posted(void)
{
    meet();
    send_length();
}

static void messages_go_by_what_took_less_time(void)
{
    if (process.boot->rank == 0) {
        prefer_copies(LONG_AGO);
        send_to_posted();
        prefer_copies(LONG_AGO)->sizes[0].is_copied = false;
        send_to_posted();
        CHECK(process.matching->middle_times[1].timed_eager != NULL);
    } else {
        receive_length(1);
        receive_length(0);
    }
    meet(); // the answer to the eager message has been sent,
    message_progress();
    if (process.boot->rank == 0) // and has come
        CHECK(process.matching->middle_times[1].timed_eager == NULL);
}

// The receiver is late: any copy takes more than some times this nanosecond.
static void send_to_late(void)
{
    struct middle_times *times = &process.matching->middle_times[1];
    times->eager_left = 0;
    times->sizes[0] = (struct carrier_times){{1, 1}, .uses = 129, .is_copied = true};
    send_to_posted();
}

// Rank 1 would keep data that are not eager before it receives them.
static void no_send_waits_for_a_receiver_that_was_late(void)
{
    if (process.boot->rank == 0) {
        struct middle_times *times = prefer_copies(1);
        send_to_late();
        CHECK(times->eager_left == 0); // once may be an interruption
        send_to_late();
        uint32_t eager = times->eager_left;
        CHECK(eager > 1);
        send_length();
        meet();
        CHECK(times->eager_left == eager - 1);
        send_to_late();
        CHECK(times->eager_left == 2 * eager);
    } else {
        receive_length(1);
        receive_length(1);
        uint64_t before = counter_value(COUNTER_PROCESS_COPIES);
        meet();
        CHECK(oriel_recv(bytes, LENGTH, type_of(MPI_BYTE), 0, 5, process.world,
                         MPI_STATUS_IGNORE) == 0);
        CHECK(counter_value(COUNTER_PROCESS_COPIES) == before);
        receive_length(1);
    }
}

// ---- sends that end before their receive is posted, and begin when rank 1 has counted copies

static void receive_kept(uint64_t before)
{
    CHECK(counter_value(COUNTER_PROCESS_COPIES) == before + 1);
    CHECK(oriel_recv(bytes, LENGTH, type_of(MPI_BYTE), 0, 5, process.world,
                     MPI_STATUS_IGNORE) == 0);
    CHECK(counter_value(COUNTER_PROCESS_COPIES) == before + 1);
}

static void the_send_that_no_receive_is_posted_for(void)
{
    uint64_t before = counter_value(COUNTER_PROCESS_COPIES);
    meet();
    if (process.boot->rank == 0) {
        prefer_copies(LONG_AGO);
        send_length();
    }
    meet();
    if (process.boot->rank == 1)
        receive_kept(before);
}

static void the_send_whose_message_is_taken(void)
{
    struct message *message = NULL;
    MPI_Message handle;
    meet();
    if (process.boot->rank == 0) {
        prefer_copies(LONG_AGO);
        send_length();
    } else {
        CHECK(oriel_mprobe(0, 5, process.world, &message, MPI_STATUS_IGNORE) == 0);
    }
    meet();
    if (process.boot->rank == 0)
        return;
    handle = (MPI_Message)(uintptr_t)message->object.handle;
    CHECK(oriel_mrecv(bytes, LENGTH, type_of(MPI_BYTE), &handle, MPI_STATUS_IGNORE) ==
          0);
}

static void the_send_that_is_half_of_an_exchange(void)
{
    uint64_t before = counter_value(COUNTER_PROCESS_COPIES);
    struct datatype *byte = type_of(MPI_BYTE);
    meet();
    if (process.boot->rank == 0) {
        prefer_copies(LONG_AGO);
        CHECK(oriel_sendrecv(bytes, LENGTH, byte, 1, 5, NULL, 0, byte, 1, 6,
                             process.world, MPI_STATUS_IGNORE) == 0);
    } else {
        CHECK(oriel_send(NULL, 0, byte, 0, 6, process.world) == 0);
    }
    meet();
    if (process.boot->rank == 1)
        receive_kept(before);
}

static void body(void)
{
    alarm(LIMIT); // a hang is a failure
    CHECK(objects_start() == 0);
    datatypes_start();
    CHECK(pt2pt_start() == 0);
    CHECK(collectives_start() == 0);
    world_open();
    if (shm_can_copy(process.shm) && !message_is_crowded()) {
        messages_go_by_what_took_less_time();
        no_send_waits_for_a_receiver_that_was_late();
        the_send_that_no_receive_is_posted_for();
        the_send_whose_message_is_taken();
        the_send_that_is_half_of_an_exchange();
    }
    CHECK(collective_barrier(process.world) == 0);
    world_close();
    collectives_stop();
    pt2pt_stop();
    datatypes_stop();
    objects_stop();
}

int main(void)
{
    return run_job(
        (struct job){.nodes = 1, .node_size = 2, .spin_microseconds = 5, .body = body});
}
