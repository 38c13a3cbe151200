// SPDX-License-Identifier: BSD-3-Clause
// A core that only remembers: what the entry points are linked with to see what they pass
// on, what they raise, and what they make of results.
#pragma once

#include "oriel.h"
#include "check.h"
#include "no_races.h"

#include <string.h>

struct process process = {.state = PROCESS_ACTIVE, .options.check = CHECK_FULL};
struct objects objects;
// Of no use where no call is a usual one.
_Thread_local int32_t order_left;
struct request request_done;
void copy_long(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

// ---- objects that handles stand for -------------------------------------------------
static struct communicator world = {.size = 4};
static struct group group = {.size = 3};
static const struct lock_record no_lock_record = {.is_exposed = true};
const struct peer nobody = {.rank = MPI_PROC_NULL,
                            .lock_record = (struct lock_record *)&no_lock_record};
const struct peer attached_target = {.rank = MPI_PROC_NULL};
static struct window window = {.epoch.current = &nobody,
                               .epoch.last_locked = (struct peer *)&nobody,
                               .self = (struct peer *)&nobody,
                               .size_of_group = 4,
                               .flavor = MPI_WIN_FLAVOR_CREATE};
static struct window dynamic = {.epoch.current = &nobody,
                                .epoch.last_locked = (struct peer *)&nobody,
                                .self = (struct peer *)&nobody,
                                .size_of_group = 4,
                                .flavor = MPI_WIN_FLAVOR_DYNAMIC};
static struct info info;
static struct datatype integer = {
    .size = 4, .is_committed = true, .object.is_predefined = true};
static struct datatype vector = {.size = 12, .is_committed = true};
static struct datatype uncommitted = {.size = 12};

enum { FIRST_HANDLE = HANDLE_GENERATION + 1024 }; // generation 1, no ABI code

static uintptr_t place(enum object_kind kind, struct object *object, uintptr_t handle)
{
    object->handle = (uint32_t)handle;
    objects.of[kind].handles[handle & (HANDLE_SLOTS - 1)] = handle;
    objects.of[kind].objects[handle & (HANDLE_SLOTS - 1)] = object;
    return handle;
}

static MPI_Win a_window, a_dynamic_window;
static MPI_Group a_group;
static MPI_Info an_info;
static MPI_Datatype a_vector, not_committed;
static const uintptr_t never_a_handle = FIRST_HANDLE + 100;

static void place_objects(void)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        objects.of[kind].handles[0] = never_a_handle; // 0 is none either
    place(KIND_COMM, &world.object, (uintptr_t)MPI_COMM_WORLD);
    place(KIND_DATATYPE, &integer.object, (uintptr_t)MPI_INT);
    a_window = (MPI_Win)place(KIND_WIN, &window.object, FIRST_HANDLE);
    a_dynamic_window = (MPI_Win)place(KIND_WIN, &dynamic.object, FIRST_HANDLE + 1);
    a_group = (MPI_Group)place(KIND_GROUP, &group.object, FIRST_HANDLE + 2);
    an_info = (MPI_Info)place(KIND_INFO, &info.object, FIRST_HANDLE + 3);
    a_vector = (MPI_Datatype)place(KIND_DATATYPE, &vector.object, FIRST_HANDLE + 4);
    not_committed =
        (MPI_Datatype)place(KIND_DATATYPE, &uncommitted.object, FIRST_HANDLE + 5);
}

// ---- what was raised ----------------------------------------------------------------
static struct {
    int error_class; // 0: nothing
    const char *procedure, *argument;
    void *object; // whose error handler
    enum object_kind kind;
    intmax_t value;
    char rule[200];
} raised;

static int remember(const struct call *call, void *object, int error_class,
                    const char *argument, intmax_t value)
{
    raised.error_class = error_class;
    raised.procedure = call->name;
    raised.kind = call->raised_on;
    raised.object = object;
    raised.argument = argument;
    raised.value = value;
    return error_class;
}

int raise_error(const struct call *call, void *object, int error_class)
{
    return remember(call, object, error_class, "", 0);
}

int raise_argument(const struct call *call, void *object, int error_class,
                   const char *argument, intmax_t value, const char *rule, ...)
{
    va_list arguments;
    va_start(arguments, rule);
    vsnprintf(raised.rule, sizeof raised.rule, rule, arguments);
    va_end(arguments);
    return remember(call, object, error_class, argument, value);
}

int raise_handle(const struct call *call, void *object, int error_class,
                 const char *argument, uintptr_t handle)
{
    return remember(call, object, error_class, argument, (intmax_t)handle);
}

int raise_null(const struct call *call, void *object, const char *argument)
{
    return remember(call, object, MPI_ERR_ARG, argument, 0);
}

int raise_address(const struct call *call, void *object, const char *argument,
                  const char *constant)
{
    (void)constant;
    return remember(call, object, MPI_ERR_BUFFER, argument, 0);
}

int fail(int error_class, const char *format, ...)
{
    (void)format;
    return error_class;
}

const char *error_detail(int *error_class)
{
    *error_class = raised.error_class;
    return raised.rule;
}

// ---- what the core was asked to do --------------------------------------------------
static int core_calls;
static int core_answer; // what every function returns

static int answer(void)
{
    core_calls++;
    return core_answer;
}

// Forgets what came before.
static void start_over(void)
{
    memset(&raised, 0, sizeof raised);
    core_calls = core_answer = 0;
}

// The call raised this and never reached the core.
static bool was_refused(int code, int error_class, const char *argument, void *object)
{
    bool is_so = code == error_class && raised.error_class == error_class &&
                 strcmp(raised.argument, argument) == 0 && raised.object == object &&
                 core_calls == 0;
    start_over();
    return is_so;
}

// The call reached the core and raised nothing.
static bool was_done(int code)
{
    bool is_so = code == MPI_SUCCESS && raised.error_class == 0 && core_calls == 1;
    start_over();
    return is_so;
}
