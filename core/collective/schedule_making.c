// SPDX-License-Identifier: BSD-3-Clause
// Schedules while they are made, and their memory.
#include "collective/refusal.h"
#include "collective/step.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- memory. That of a schedule which has ended is kept for the next one, so that a call
// in a loop allocates nothing.

enum { SPARE_STEPS = 64 }; // the most that are kept

static void schedule_free_memory(struct schedule *schedule)
{
    free(schedule->transfers);
    free(schedule->steps);
    free(schedule);
}

static struct schedule *take_spare(void) // NULL: there is none
{
    return atomic_exchange(&process.collectives->spare, NULL);
}

static bool keep_spare(struct schedule *schedule)
{
    struct schedule *none = NULL;
    return process.collectives != NULL && schedule->step_room <= SPARE_STEPS &&
           atomic_compare_exchange_strong(&process.collectives->spare, &none, schedule);
}

void schedules_stop(void)
{
    message_lock();
    message_follow(NULL); // of whatever the program has not waited for
    message_unlock();
    struct schedule *spare = take_spare();
    if (spare != NULL)
        schedule_free_memory(spare);
}

static void scratch_free(struct schedule *schedule)
{
    while (schedule->memory != NULL) {
        struct memory *memory = schedule->memory;
        schedule->memory = memory->next;
        free(memory);
    }
}

static void schedule_destroy(struct object *object)
{
    struct schedule *schedule = (struct schedule *)object;
    for (int i = 0; i < schedule->step_count; i++) {
        struct step *step = &schedule->steps[i];
        object_release(step->from.type);
        object_release(step->to.type);
        object_release(step->op);
    }
    scratch_free(schedule);
    section_copies_free(schedule->copies);
    request_clear(&schedule->request);
    if (!keep_spare(schedule))
        schedule_free_memory(schedule);
}

static int schedule_new(struct communicator *comm, enum channel channel, int tag,
                        struct schedule **schedule)
{
    struct schedule *made = take_spare();
    if (made == NULL)
        made = calloc(1, sizeof *made);
    else
        *made = (struct schedule){.steps = made->steps,
                                  .step_room = made->step_room,
                                  .transfers = made->transfers,
                                  .transfers_allocated = made->transfers_allocated};
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a collective operation");
    request_init(&made->request, &schedule_requests, comm, schedule_destroy);
    made->channel = channel;
    made->tag = tag;
    *schedule = made;
    return 0;
}

int schedule_make(struct communicator *comm, struct schedule **schedule)
{
    int tag = schedule_number(comm);
    int err = schedule_new(comm, CHANNEL_SCHEDULE, tag, schedule);
    if (unlikely(err))
        refusal_send_unlocked(comm, NULL, tag, err);
    return err;
}

int schedule_make_tagged(struct communicator *comm, const struct group *members,
                         int tag, struct schedule **schedule)
{
    int err = schedule_new(comm, CHANNEL_GROUP, tag, schedule);
    if (!err)
        (*schedule)->apart = members;
    return err;
}

void schedule_free(struct schedule *schedule)
{
    object_release(schedule);
}

// ---- steps

static void break_schedule(struct schedule *schedule)
{
    schedule->broken =
        fail(MPI_ERR_NO_MEM,
             "no memory for another step of a collective operation, after %d",
             schedule->step_count);
}

static void append_step(struct schedule *schedule, struct step step)
{
    if (schedule->step_count == schedule->step_room) {
        int room = schedule->step_room ? 2 * schedule->step_room : 8;
        struct step *steps = realloc(schedule->steps, (size_t)room * sizeof *steps);
        if (steps == NULL) {
            break_schedule(schedule);
            return;
        }
        schedule->steps = steps;
        schedule->step_room = room;
    }
    schedule->steps[schedule->step_count++] = step;
    if (step.from.type != NULL)
        object_retain(step.from.type);
    if (step.to.type != NULL)
        object_retain(step.to.type);
    if (step.op != NULL)
        object_retain(step.op);
}

static void append_transfer(struct schedule *schedule, struct step step)
{
    if (step.rank == MPI_PROC_NULL)
        return;
    if (++schedule->appended > schedule->transfer_room)
        schedule->transfer_room = schedule->appended;
    append_step(schedule, step);
}

void schedule_send(struct schedule *schedule, struct communicator *comm,
                   struct elements from, int rank)
{
    append_transfer(
        schedule,
        (struct step){.kind = STEP_SEND, .rank = rank, .comm = comm, .from = from});
}

void schedule_receive(struct schedule *schedule, struct communicator *comm,
                      struct elements to, int rank)
{
    append_transfer(
        schedule,
        (struct step){.kind = STEP_RECEIVE, .rank = rank, .comm = comm, .to = to});
}

void schedule_wait(struct schedule *schedule)
{
    if (schedule->appended > 0)
        append_step(schedule, (struct step){.kind = STEP_WAIT});
    schedule->appended = 0;
}

void schedule_copy(struct schedule *schedule, struct elements from, struct elements to)
{
    append_step(schedule, (struct step){.kind = STEP_COPY, .from = from, .to = to});
}

void schedule_reduce(struct schedule *schedule, struct op *op, struct elements in,
                     void *inout)
{
    struct elements to = {inout, in.count, in.type};
    append_step(schedule,
                (struct step){.kind = STEP_REDUCE, .from = in, .to = to, .op = op});
}

void schedule_call(struct schedule *schedule, int (*call)(void *argument),
                   void *argument)
{
    append_step(schedule,
                (struct step){.kind = STEP_CALL, .call = call, .argument = argument});
}

struct elements schedule_scratch(struct schedule *schedule, MPI_Count count,
                                 struct datatype *type)
{
    MPI_Aint first = 0, last = 0;
    datatype_span(type, count, &first, &last);
    struct memory *memory = malloc(sizeof *memory + (size_t)(last - first));
    if (memory == NULL) {
        break_schedule(schedule);
        return (struct elements){NULL, 0, type};
    }
    memory->next = schedule->memory;
    schedule->memory = memory;
    return (struct elements){memory->bytes - first, count, type};
}

// For as many as are under way at once, and one, so that there is always some memory.
static bool make_room_for_transfers(struct schedule *schedule)
{
    int needed = schedule->transfer_room + 1;
    size_t bytes = (size_t)needed * sizeof(struct transfer *);
    if (needed > schedule->transfers_allocated) {
        void *transfers = realloc(schedule->transfers, bytes);
        if (transfers == NULL)
            return false;
        schedule->transfers = transfers;
        schedule->transfers_allocated = needed;
    }
    memset(schedule->transfers, 0, bytes);
    return true;
}

int schedule_close(struct schedule *schedule)
{
    if (schedule->is_closed)
        return schedule->broken;
    schedule_wait(schedule);
    schedule->is_closed = make_room_for_transfers(schedule);
    if (!schedule->is_closed)
        break_schedule(schedule);
    assert(schedule_is_valid(schedule));
    return schedule->broken;
}
