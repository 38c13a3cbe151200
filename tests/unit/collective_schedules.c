// SPDX-License-Identifier: BSD-3-Clause
// schedules_are_valid from the first step that is appended to the end of their run; what
// is wrong with a schedule is noticed. Needs the core.

#include "collective_job.h"

#include "collective/step.h"

#define NOTICED(member, wrong) CHECK_NOTICED(schedule_is_valid(schedule), member, wrong)

static int called;

static int count_call(void *argument)
{
    CHECK(schedule_is_valid(argument));
    called++;
    return 0;
}

// Two messages to itself, a copy, a reduction and a call, with waits between them.
static struct schedule *append_all(int from[4], int to[4])
{
    struct communicator *world = process.world;
    struct datatype *integer = type_of(MPI_INT);
    struct schedule *schedule;
    CHECK(schedule_make(world, &schedule) == 0 && schedule_is_valid(schedule));
    for (int i = 0; i < 2; i++) {
        schedule_receive(schedule, world, elements_of(&to[i], 1, integer), 0);
        schedule_send(schedule, world, elements_of(&from[i], 1, integer), 0);
        CHECK(schedule_is_valid(schedule));
    }
    schedule_wait(schedule);
    schedule_copy(schedule, elements_of(&from[2], 2, integer),
                  elements_of(&to[2], 2, integer));
    schedule_reduce(schedule, op_of(MPI_SUM), elements_of(from, 4, integer), to);
    schedule_call(schedule, count_call, schedule);
    CHECK(schedule_is_valid(schedule));
    return schedule;
}

static void a_schedule_is_valid_to_its_end(void)
{
    int from[4] = {1, 2, 3, 4}, to[4] = {0};
    struct schedule *schedule = append_all(from, to);
    CHECK(schedule_close(schedule) == 0 && schedule_is_valid(schedule));
    CHECK(schedule_run(schedule) == 0 && called == 1);
    for (int i = 0; i < 4; i++)
        CHECK(to[i] == 2 * from[i]);
}

static void what_is_wrong_with_a_schedule_is_noticed(void)
{
    int from[4] = {0}, to[4] = {0};
    struct schedule *schedule = append_all(from, to);
    CHECK(schedule_close(schedule) == 0 && schedule->step_count == 8);
    struct step *steps = schedule->steps;
    NOTICED(schedule->step_count, schedule->step_room + 1);
    NOTICED(schedule->next, schedule->step_count + 1);
    NOTICED(schedule->transfer_room, 3);
    NOTICED(schedule->transfer_count, 1); // none has begun
    NOTICED(schedule->transfer_count, 5);
    NOTICED(schedule->appended, 1);
    NOTICED(schedule->request.is_complete, true);
    NOTICED(schedule->request.is_active, false);
    NOTICED(schedule->request.owner, NULL);
    NOTICED(steps[0].kind, STEP_WAIT);
    NOTICED(steps[0].rank, 1);
    NOTICED(steps[0].to.type, NULL);
    NOTICED(steps[1].from.count, -1);
    NOTICED(steps[4].kind, STEP_CALL);
    NOTICED(steps[5].from.type, NULL);
    NOTICED(steps[6].op, NULL);
    NOTICED(steps[7].call, NULL);
    schedule_free(schedule);
}

static void claims(void)
{
    a_schedule_is_valid_to_its_end();
    what_is_wrong_with_a_schedule_is_noticed();
}

int main(void)
{
    job_claims = claims;
    return run_job((struct job){
        .nodes = 1, .node_size = 1, .spin_microseconds = 5, .body = job_body});
}
