// SPDX-License-Identifier: BSD-3-Clause
// The invariants of schedules.
#include "collective/step.h"

static bool is_transfer(const struct step *step)
{
    return step->kind == STEP_SEND || step->kind == STEP_RECEIVE;
}

static bool elements_are_valid(struct elements elements)
{
    return elements.type != NULL && elements.count >= 0;
}

static bool transfer_step_is_valid(const struct step *step)
{
    return step->comm != NULL && step->rank >= 0 &&
           step->rank < step->comm->peers->size &&
           elements_are_valid(step->kind == STEP_SEND ? step->from : step->to);
}

static bool step_is_valid(const struct step *step)
{
    switch (step->kind) {
    case STEP_SEND:
    case STEP_RECEIVE:
        return transfer_step_is_valid(step);
    case STEP_REDUCE:
        return step->op != NULL && elements_are_valid(step->from) &&
               elements_are_valid(step->to);
    case STEP_COPY:
        return elements_are_valid(step->from) && elements_are_valid(step->to);
    case STEP_CALL:
        return step->call != NULL;
    case STEP_WAIT:
        return true;
    }
    return false;
}

// Valid steps, with as many transfers between two waits as there is room for. A broken
// schedule lacks steps and never runs.
static bool steps_are_valid(const struct schedule *schedule)
{
    int transfers = 0, most = 0;
    for (int i = 0; i < schedule->step_count; i++) {
        const struct step *step = &schedule->steps[i];
        if (!step_is_valid(step))
            return false;
        transfers = step->kind == STEP_WAIT ? 0 : transfers + is_transfer(step);
        most = transfers > most ? transfers : most;
    }
    return schedule->broken ||
           (most == schedule->transfer_room && transfers == schedule->appended);
}

static bool transfers_are_valid(const struct schedule *schedule)
{
    int most = schedule->is_closed ? schedule->transfer_room : 0;
    if (schedule->transfer_count < 0 || schedule->transfer_count > most)
        return false;
    for (int i = 0; i < schedule->transfer_count; i++)
        if (schedule->transfers[i] == NULL)
            return false;
    return true;
}

// A schedule ends with its last step, when all that it has begun has ended.
static bool run_end_is_valid(const struct schedule *schedule)
{
    return !request_is_complete(&schedule->request) ||
           (schedule->next == schedule->step_count && schedule->transfer_count == 0);
}

bool schedule_is_valid(const struct schedule *schedule)
{
    return request_is_valid(&schedule->request) && schedule->request.owner != NULL &&
           schedule->step_count >= 0 && schedule->step_count <= schedule->step_room &&
           schedule->next >= 0 && schedule->next <= schedule->step_count &&
           steps_are_valid(schedule) && transfers_are_valid(schedule) &&
           run_end_is_valid(schedule);
}
