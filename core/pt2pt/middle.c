// SPDX-License-Identifier: BSD-3-Clause
// The protocol of messages of middle length. An eager message is copied twice, by both
// processes at the same time, and its lines go from core to core; the kernel copies it
// once, for the receiver, in a system call. Which takes less depends on how far the cores
// are from each other, so that both are timed.
//
// A copy makes the sender wait for its receiver. So only calls that wait for their send
// choose it, and not after a receiver was late; and a call that has waited for some time
// has the receiver keep the data as it keeps those of an eager message, so that sends end
// without a receive as they do otherwise.
#include "pt2pt/middle.h"
#include "pt2pt/handlers.h"
#include "pt2pt/requests.h"

#include <stdlib.h>

enum {
    TRIES = 4,          // copies in a row: one among eager messages takes much longer
    FIRST_USES = 16,    // in which memory is touched, and copies take long
    LATE = 4,           // times what eager messages take: the receiver was elsewhere
    EAGER_AFTER = 16,   // messages to a receiver that was late are eager,
    LATE_DOUBLINGS = 8, // twice as many when it was late again
    PATIENCE = 50000    // ns of waiting for the receiver
};

// Longer than a copy takes. The last look before a wait sleeps comes later than that.
static uint64_t wait_before_keeping(void)
{
    uint64_t spin = 1000 * (uint64_t)process.options.spin_microseconds;
    return spin < PATIENCE ? spin : PATIENCE;
}

// The class of a length; MIDDLE_SIZES if it is not a middle one.
static unsigned middle_size(uint64_t bytes)
{
    unsigned size = 0;
    if (bytes <= PART_MAX)
        return MIDDLE_SIZES;
    while (size < MIDDLE_SIZES && bytes > (uint64_t)2 * PART_MAX << size)
        size++;
    return size;
}
_Static_assert((int)EAGER_IN_PARTS_MAX == PART_MAX << MIDDLE_SIZES,
               "no size is left out");

// With MPI_THREAD_MULTIPLE the thread that polls for all does not look after the sends of
// others. On a crowded node a sender that waits gives its core away for long.
// ORIEL_CHECK=races orders eager messages otherwise than those with an answer.
static bool has_choice(const struct transfer *transfer)
{
    return transfer->parameters.is_awaited &&
           middle_size(transfer->bytes) < MIDDLE_SIZES &&
           is_local_peer(transfer->peer) && shm_can_copy(process.shm) &&
           process.thread_level < MPI_THREAD_MULTIPLE && !message_is_crowded() &&
           !races_are_checked();
}

// Of a transfer that has a choice; NULL without memory.
static struct middle_times *times_of(int peer)
{
    struct middle_times **times = &process.matching->middle_times;
    if (*times == NULL)
        *times = calloc((size_t)process.shm->node_size, sizeof **times);
    return *times == NULL ? NULL : &(*times)[boot_local_rank(process.boot, peer)];
}

static struct carrier_times *times_of_size(struct middle_times *times,
                                           const struct transfer *transfer)
{
    return &times->sizes[middle_size(transfer->bytes)];
}

// ---- the choice

static bool choose_carrier(struct middle_times *times, const struct carrier_times *size)
{
    if (times->eager_left > 0) {
        times->eager_left--;
        return false;
    }
    if (times->tried == size && times->tries_left > 0) {
        times->tries_left--;
        return true;
    }
    bool copies_sooner = carrier_copies_sooner(size);
    if (times->timed_eager != NULL)
        return copies_sooner;
    if (size->is_copied && !copies_sooner) {
        times->tried = size;
        times->tries_left = TRIES - 1;
    }
    return size->is_copied;
}

bool middle_is_copied(const struct transfer *transfer)
{
    struct middle_times *times = has_choice(transfer) ? times_of(transfer->peer) : NULL;
    return times != NULL && choose_carrier(times, times_of_size(times, transfer));
}

// ---- times

bool middle_begin(const struct transfer *transfer, bool is_eager)
{
    struct middle_times *times = has_choice(transfer) ? times_of(transfer->peer) : NULL;
    if (times == NULL)
        return false;
    times->send_begun = clock_nanoseconds();
    times->is_copied = !is_eager;
    struct carrier_times *size = times_of_size(times, transfer);
    if (!is_eager || transfer->parameters.is_synchronous || times->eager_left > 0 ||
        times->timed_eager != NULL || carrier_untimed(size))
        return false;
    times->timed_eager = size;
    times->eager_begun = times->send_begun;
    return true;
}

void middle_eager_received(int peer)
{
    struct middle_times *times = is_local_peer(peer) ? times_of(peer) : NULL;
    if (times == NULL || times->timed_eager == NULL) {
        message_refuse(peer, "the receipt of a message");
        return;
    }
    carrier_took(times->timed_eager, false, clock_nanoseconds() - times->eager_begun);
    times->timed_eager = NULL;
}

static bool was_late(const struct carrier_times *size, uint64_t took)
{
    return took > wait_before_keeping() ||
           (size->uses >= FIRST_USES && took > LATE * size->shortest[false]);
}

void middle_received(const struct transfer *transfer)
{
    struct middle_times *times = has_choice(transfer) ? times_of(transfer->peer) : NULL;
    if (times == NULL)
        return;
    struct carrier_times *size = times_of_size(times, transfer);
    uint64_t took = clock_nanoseconds() - times->send_begun;
    times->late = times->is_copied && was_late(size, took) ? times->late + 1 : 0;
    if (times->late > 1) { // once is an interruption
        unsigned again = times->late - 2;
        times->eager_left = EAGER_AFTER
                            << (again < LATE_DOUBLINGS ? again : LATE_DOUBLINGS);
    }
    carrier_took(size, times->is_copied, took);
}

// ---- waiting for the receiver

bool middle_may_be_kept(const struct transfer *transfer)
{
    return has_choice(transfer) && !transfer->parameters.is_synchronous;
}

struct send_waited {
    const struct transfer *send;
    struct request *request; // that is waited for
    uint64_t patience_ends;  // UINT64_MAX: the receiver is not asked any more
};

static int ask_to_keep(const struct transfer *transfer)
{
    struct unmatched keep = {.context = transfer->parameters.comm->context,
                             .sender = transfer->id};
    return message_send(transfer->peer, MESSAGE_KEEP, &keep, sizeof keep, NULL, 0);
}

static bool is_complete_or_kept(void *argument)
{
    struct send_waited *waited = argument;
    if (request_is_complete(waited->request))
        return true;
    if (clock_nanoseconds() < waited->patience_ends)
        return false;
    bool has_left = request_is_complete(&waited->send->request);
    if (has_left || !ask_to_keep(waited->send))
        waited->patience_ends = UINT64_MAX;
    return false;
}

static void explain_send(const void *argument, struct explanation *explanation)
{
    const struct send_waited *waited = argument;
    request_explain(waited->request, explanation);
}

int send_wait(const struct transfer *send, struct request *request)
{
    if (request_is_complete(&send->request) || !middle_may_be_kept(send))
        return request_wait(request);
    struct send_waited waited = {send, request,
                                 clock_nanoseconds() + wait_before_keeping()};
    return message_wait(is_complete_or_kept, &waited, explain_send);
}
