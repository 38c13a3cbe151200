// SPDX-License-Identifier: BSD-3-Clause
// Schedules from their beginning to their end.
#include "collective/awaited.h"
#include "collective/refusal.h"
#include "collective/shared_buffer.h"
#include "collective/step.h"

#include <assert.h>
#include <stdlib.h>

// ---- while they run; the message lock is held

static void note_error(struct schedule *schedule, int error)
{
    if (schedule->error == 0)
        schedule->error = error;
}

// False when there is no memory now: the step is tried again later.
static bool begin_transfer(struct schedule *schedule, const struct step *step)
{
    struct transfer **transfer = &schedule->transfers[schedule->transfer_count];
    const struct elements *from = &step->from, *to = &step->to;
    int err =
        step->kind == STEP_SEND
            ? pt2pt_begin_send(step->comm, schedule->channel, from->at, from->count,
                               from->type, step->rank, schedule->tag, transfer)
            : pt2pt_begin_receive(step->comm, schedule->channel, to->at, to->count,
                                  to->type, step->rank, schedule->tag, transfer);
    if (unlikely(err == MPI_ERR_NO_MEM)) {
        message_starve();
        return false;
    }
    if (err)
        note_error(schedule, err);
    else if (*transfer != NULL)
        schedule->transfer_count++;
    return true;
}

// Gives up all transfers under way.
static void abandon_transfers(struct schedule *schedule)
{
    for (int i = 0; i < schedule->transfer_count; i++)
        pt2pt_abandon(schedule->transfers[i]);
    schedule->transfer_count = 0;
}

// The schedule ends with the last transfer whose memory another node accesses.
static void end_early(struct schedule *schedule, int error)
{
    int left = 0;
    note_error(schedule, error);
    for (int i = 0; i < schedule->transfer_count; i++)
        if (!pt2pt_withdraw(schedule->transfers[i]))
            schedule->transfers[left++] = schedule->transfers[i];
    schedule->transfer_count = left;
    schedule->next = schedule->step_count;
}

static const struct communicator *owner_of(const struct schedule *schedule)
{
    return (const struct communicator *)schedule->request.owner;
}

static void schedule_refuse_others(struct schedule *schedule, int error)
{
    refusal_send(owner_of(schedule), schedule->apart, schedule->tag, error);
    end_early(schedule, error);
}

bool schedule_refused(uint64_t context, bool is_apart, int tag, int error_class)
{
    for (struct schedule *schedule = process.collectives->schedules; schedule != NULL;
         schedule = schedule->next_active)
        if ((schedule->apart != NULL) == is_apart && schedule->tag == tag &&
            owner_of(schedule)->context == context &&
            schedule->next < schedule->step_count) {
            end_early(schedule, fail_refused(error_class));
            return true;
        }
    return false;
}

// Ends the transfers that are done; true when none are left. The rest keeps its order.
static bool end_transfers(struct schedule *schedule)
{
    int left = 0;
    for (int i = 0; i < schedule->transfer_count; i++) {
        struct transfer *transfer = schedule->transfers[i];
        if (pt2pt_is_done(transfer))
            note_error(schedule, pt2pt_end_exactly(transfer));
        else
            schedule->transfers[left++] = transfer;
    }
    schedule->transfer_count = left;
    return left == 0;
}

// A process whose step has failed goes on, because others wait for its messages, unless
// lengths differ.
static bool run_step(struct schedule *schedule, const struct step *step)
{
    switch (step->kind) {
    case STEP_SEND:
    case STEP_RECEIVE:
        return begin_transfer(schedule, step);
    case STEP_COPY:
        note_error(schedule, elements_copy(step->from, step->to));
        break;
    case STEP_REDUCE:
        op_reduce(step->op, step->from.type, step->from.at, step->to.at,
                  step->from.count);
        break;
    case STEP_CALL:
        note_error(schedule, step->call(step->argument));
        break;
    case STEP_WAIT:
        break;
    }
    return true;
}

static bool may_run(struct schedule *schedule, const struct step *step,
                    bool is_progress_thread)
{
    if (step->kind == STEP_WAIT)
        return end_transfers(schedule);
    return !(is_progress_thread && step->op != NULL && step->op->function != NULL);
}

static int schedule_advance(struct schedule *schedule, bool is_progress_thread)
{
    int before = schedule->next;
    assert(schedule_is_valid(schedule));
    while (schedule->next < schedule->step_count) {
        const struct step *step = &schedule->steps[schedule->next];
        if (!may_run(schedule, step, is_progress_thread) || !run_step(schedule, step))
            break;
        schedule->next++;
    }
    if (unlikely(schedule->error == MPI_ERR_TRUNCATE) &&
        before < schedule->step_count && schedule->channel == CHANNEL_SCHEDULE)
        schedule_refuse_others(schedule, schedule->error);
    if (unlikely(schedule->next == schedule->step_count))
        end_transfers(schedule); // if it has ended early
    assert(schedule_is_valid(schedule));
    return schedule->next - before;
}

static bool is_under_way(const struct schedule *schedule)
{
    return schedule->next < schedule->step_count || schedule->transfer_count > 0;
}

// After a death members may be in different calls, whose lengths do not fit together.
static void schedule_complete(struct schedule *schedule)
{
    int death = schedule->error == MPI_ERR_TRUNCATE ? message_known_death() : 0;
    if (unlikely(death))
        schedule->error = death;
    section_copies_return(schedule->copies);
    request_complete(&schedule->request, schedule->error);
}

static int schedules_advance(bool is_progress_thread)
{
    int events = 0;
    struct schedule **link = &process.collectives->schedules;
    while (*link != NULL) {
        struct schedule *schedule = *link;
        events += schedule_advance(schedule, is_progress_thread);
        if (is_under_way(schedule)) {
            link = &schedule->next_active;
            continue;
        }
        *link = schedule->next_active;
        schedule_complete(schedule);
    }
    if (process.collectives->schedules == NULL)
        message_follow(NULL);
    return events;
}

static int schedule_begin(struct schedule *schedule)
{
    int err = schedule_close(schedule);
    if (err)
        return err;
    schedule->next = 0;
    schedule->error = 0;
    section_copies_renew(schedule->copies);
    message_lock();
    if (unlikely(process.collectives->refusals != NULL))
        err = refusal_take(owner_of(schedule), schedule->apart != NULL, schedule->tag);
    if (unlikely(err)) // who refused it has told all
        end_early(schedule, fail_refused(err));
    schedule_advance(schedule, false);
    if (is_under_way(schedule)) {
        schedule->next_active = process.collectives->schedules;
        process.collectives->schedules = schedule;
        message_follow(schedules_advance);
    } else {
        schedule_complete(schedule);
    }
    message_unlock();
    return 0;
}

static int schedule_restart(struct request *request)
{
    return schedule_begin((struct schedule *)request);
}

static int schedule_result(struct request *request, MPI_Status *status)
{
    (void)status;
    if (races_are_checked())
        races_return_buffers_of(request);
    return request->error;
}

const struct request_kind schedule_requests = {.start = schedule_restart,
                                               .result = schedule_result,
                                               .explain = schedule_explain,
                                               .must_end = true};

// Removes a schedule whose messages will not come.
static void schedule_abandon(struct schedule *schedule)
{
    message_lock();
    struct schedule **link = &process.collectives->schedules;
    while (*link != NULL && *link != schedule)
        link = &(*link)->next_active;
    if (*link != NULL)
        *link = schedule->next_active;
    abandon_transfers(schedule);
    message_unlock();
}

static bool schedule_is_complete(void *schedule)
{
    return request_is_complete(schedule);
}

static void explain_schedule(const void *schedule, struct explanation *explanation)
{
    schedule_explain(schedule, explanation);
}

// One that only sends has often run when it has begun. Then it is not polled for, which may
// be calls of the system, unless messages wait until they can be sent.
static bool has_run_at_once(struct schedule *schedule)
{
    if (!request_is_complete(&schedule->request))
        return false;
    message_lock();
    bool has_backlog = message_has_backlog();
    message_unlock();
    return !has_backlog;
}

int schedule_run(struct schedule *schedule)
{
    int err = schedule_begin(schedule);
    if (unlikely(err))
        return schedule_refuse(schedule, err);
    if (!has_run_at_once(schedule))
        err = message_wait(schedule_is_complete, schedule, explain_schedule);
    if (unlikely(err)) {
        schedule_abandon(schedule);
        if (err != MPI_ERR_PROC_ABORTED) // of a death the others learn by themselves
            return schedule_refuse(schedule, err);
    } else {
        err = schedule->error;
    }
    if (unlikely(err == MPI_ERR_PROC_ABORTED))
        shared_buffer_break(owner_of(schedule));
    schedule_free(schedule);
    return err;
}

int schedule_refuse(struct schedule *schedule, int err)
{
    refusal_send_unlocked(owner_of(schedule), schedule->apart, schedule->tag, err);
    schedule_free(schedule);
    return err;
}

// The handle comes first: once begun, the schedule belongs to the message lock.
static int schedule_publish(struct schedule *schedule, struct request **request)
{
    int err = schedule_close(schedule);
    if (err)
        return schedule_refuse(schedule, err);
    object_retain(schedule);
    err = object_open(&schedule->request.object, KIND_REQUEST);
    if (err)
        return schedule_refuse(schedule, err);
    object_release(schedule);
    *request = &schedule->request;
    return 0;
}

int schedule_start(struct schedule *schedule, struct request **request)
{
    int err = schedule_publish(schedule, request);
    return err ? err : schedule_begin(schedule);
}

int schedule_keep(struct schedule *schedule, struct request **request)
{
    request_make_persistent(&schedule->request);
    return schedule_publish(schedule, request);
}

// An operation that is not persistent has begun, and may have ended, before it gets its
// copies; the program has not seen the request yet.
void oriel_copy_keep(struct section_copy *copy, bool is_changed, MPI_Request request)
{
    struct schedule *schedule = (struct schedule *)request_of_handle(request);
    message_lock();
    section_copies_add(&schedule->copies, copy, is_changed);
    if (request_is_complete(&schedule->request))
        section_copies_return(schedule->copies);
    message_unlock();
}
