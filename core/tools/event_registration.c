// SPDX-License-Identifier: BSD-3-Clause
// Registrations for events (MPI-4.1 15.3.8), and their callbacks. Events are raised by
// any thread, with locks of the library held, so that callbacks must be safe for
// threads and keep to this interface. The lock of the tools is not held meanwhile.
#include "tools/tools.h"

#include "object/object.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

static const MPI_T_cb_safety levels[SAFETY_COUNT] = {
    MPI_T_CB_REQUIRE_NONE,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED,
    MPI_T_CB_REQUIRE_THREAD_SAFE,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
};
enum { DEMANDED = 2 }; // the place of MPI_T_CB_REQUIRE_THREAD_SAFE

// ---- registrations

static bool is_told_of(const struct MPI_ABI_T_event_registration *registration)
{
    bool has_listener = false;
    for (int i = 0; i < SAFETY_COUNT; i++)
        has_listener |= registration->listeners[i].call != NULL;
    return has_listener && !registration->is_freed;
}

static void update_wanted(const struct tools *tools)
{
    uint32_t wanted = 0;
    for (MPI_T_event_registration at = tools->registrations; at != NULL; at = at->next)
        if (is_told_of(at))
            wanted |= UINT32_C(1) << at->event;
    events_want(wanted, events_tell);
}

void registrations_free(struct tools *tools)
{
    while (tools->registrations != NULL) {
        MPI_T_event_registration registration = tools->registrations;
        tools->registrations = registration->next;
        free(registration);
    }
    update_wanted(tools);
}

// Takes out one that is freed and used no more, or gives NULL.
static MPI_T_event_registration take_freed(struct tools *tools)
{
    MPI_T_event_registration *link = &tools->registrations, found;
    while ((found = *link) != NULL && (!found->is_freed || found->calls > 0))
        link = &found->next;
    if (found != NULL)
        *link = found->next;
    return found;
}

// The tool hears of the end when it can be told of no more events. The caller has counted
// itself as a user of the interface, so that this does not end, and is none any more.
static void end_freed_and_leave(struct tools *tools, MPI_T_cb_safety safety)
{
    MPI_T_event_registration registration;
    while ((registration = take_freed(tools)) != NULL) {
        tools_leave();
        if (registration->freed != NULL)
            registration->freed(registration, safety, registration->freed_data);
        free(registration);
        tools_enter();
    }
    tools_leave();
    oriel_t_finalize();
}

// Locks, until tools_leave, and says whether there is such a registration; if not,
// nothing is locked.
static int registration_enter(MPI_T_event_registration registration)
{
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    MPI_T_event_registration at = tools->registrations;
    while (at != NULL && at != registration)
        at = at->next;
    if (at != NULL && !at->is_freed)
        return 0;
    tools_leave();
    return MPI_T_ERR_INVALID_HANDLE;
}

// Hints have no effect, but must be those of an info.
static bool is_info(MPI_Info info)
{
    return info == MPI_INFO_NULL || handle_object(KIND_INFO, (uintptr_t)info) != NULL;
}

int oriel_t_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info,
                               MPI_T_event_registration *event_registration)
{
    (void)obj_handle; // no event belongs to an object
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    MPI_T_event_registration made = NULL;
    int err = 0;
    if (event_index < 0 || event_index >= EVENT_COUNT)
        err = MPI_T_ERR_INVALID_INDEX;
    else if (event_registration == NULL || !is_info(info))
        err = MPI_T_ERR_INVALID;
    else if ((made = calloc(1, sizeof *made)) == NULL)
        err = MPI_T_ERR_MEMORY;
    if (!err) {
        made->event = (enum event)event_index;
        made->next = tools->registrations;
        tools->registrations = *event_registration = made;
    }
    tools_leave();
    return err;
}

int oriel_t_event_handle_free(MPI_T_event_registration event_registration,
                              void *user_data,
                              MPI_T_event_free_cb_function *free_cb_function)
{
    int err = registration_enter(event_registration);
    if (err)
        return err;
    event_registration->is_freed = true;
    event_registration->freed = free_cb_function;
    event_registration->freed_data = user_data;
    update_wanted(process.tools);
    process.tools->users++;
    end_freed_and_leave(process.tools, MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    return 0;
}

int oriel_t_event_handle_set_info(MPI_T_event_registration event_registration,
                                  MPI_Info info)
{
    int err = registration_enter(event_registration);
    if (err)
        return err;
    tools_leave();
    return is_info(info) ? 0 : MPI_T_ERR_INVALID;
}

int oriel_t_event_handle_get_info(MPI_T_event_registration event_registration,
                                  MPI_Info *info_used)
{
    int err = registration_enter(event_registration);
    if (err)
        return err;
    tools_leave();
    return info_used ? give_no_info(info_used) : MPI_T_ERR_INVALID;
}

// ---- their functions

// SAFETY_COUNT if it is no level.
static int safety_level(MPI_T_cb_safety safety)
{
    int place = 0;
    while (place < SAFETY_COUNT && levels[place] != safety)
        place++;
    return place;
}

int oriel_t_event_register_callback(MPI_T_event_registration event_registration,
                                    MPI_T_cb_safety cb_safety, MPI_Info info,
                                    void *user_data,
                                    MPI_T_event_cb_function *event_cb_function)
{
    int place = safety_level(cb_safety), err = registration_enter(event_registration);
    if (err)
        return err;
    if (place == SAFETY_COUNT || !is_info(info))
        err = MPI_T_ERR_INVALID;
    if (!err) {
        event_registration->listeners[place] =
            (struct listener){event_cb_function, user_data};
        update_wanted(process.tools);
    }
    tools_leave();
    return err;
}

// Is there a function for that level?
static int check_listener(MPI_T_event_registration registration, MPI_T_cb_safety safety)
{
    int place = safety_level(safety), err = registration_enter(registration);
    if (err)
        return err;
    if (place == SAFETY_COUNT || registration->listeners[place].call == NULL)
        err = MPI_T_ERR_INVALID;
    tools_leave();
    return err;
}

int oriel_t_event_callback_set_info(MPI_T_event_registration event_registration,
                                    MPI_T_cb_safety cb_safety, MPI_Info info)
{
    int err = check_listener(event_registration, cb_safety);
    return err ? err : is_info(info) ? 0 : MPI_T_ERR_INVALID;
}

int oriel_t_event_callback_get_info(MPI_T_event_registration event_registration,
                                    MPI_T_cb_safety cb_safety, MPI_Info *info_used)
{
    int err = check_listener(event_registration, cb_safety);
    return err ? err : info_used ? give_no_info(info_used) : MPI_T_ERR_INVALID;
}

int oriel_t_event_set_dropped_handler(
    MPI_T_event_registration event_registration,
    MPI_T_event_dropped_cb_function *dropped_cb_function)
{
    int err = registration_enter(event_registration);
    if (err)
        return err;
    event_registration->dropped = dropped_cb_function;
    tools_leave();
    return 0;
}

// ---- telling

// The function for the lowest level that is enough; if there is none, of the highest
// level that there is.
static int listener_choose(const struct listener listeners[SAFETY_COUNT])
{
    int place = DEMANDED;
    while (place < SAFETY_COUNT && listeners[place].call == NULL)
        place++;
    if (place < SAFETY_COUNT)
        return place;
    for (place = DEMANDED; place > 0 && listeners[place].call == NULL;)
        place--;
    return place;
}

// A function that does not stand threads is not called: the event is lost.
static void tell_one(MPI_T_event_registration registration,
                     MPI_T_event_instance instance)
{
    int place = listener_choose(registration->listeners);
    struct listener listener = registration->listeners[place];
    MPI_T_event_dropped_cb_function *dropped = registration->dropped;
    registration->calls++;
    tools_leave();
    if (place >= DEMANDED)
        listener.call(instance, registration, levels[DEMANDED], listener.user_data);
    else if (dropped != NULL)
        dropped(1, registration, 0, levels[DEMANDED], listener.user_data);
    tools_enter();
    registration->calls--;
}

static void unlink_instance(struct tools *tools, MPI_T_event_instance instance)
{
    MPI_T_event_instance *link = &tools->instances;
    while (*link != instance)
        link = &(*link)->next;
    *link = instance->next;
}

void events_tell(enum event event, const MPI_Count elements[])
{
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return;
    struct MPI_ABI_T_event_instance instance = {
        .next = tools->instances,
        .event = event,
        .elements = elements,
        .time = (MPI_Count)clock_nanoseconds(),
    };
    tools->instances = &instance;
    tools->users++;
    MPI_T_event_registration at, next;
    for (at = tools->registrations; at != NULL; at = next) {
        if (at->event == event && is_told_of(at))
            tell_one(at, &instance);
        next = at->next;
    }
    unlink_instance(tools, &instance);
    end_freed_and_leave(tools, levels[DEMANDED]);
}

// ---- what they are told

// Locks, until tools_leave, and says whether tools are just told of it; if not, nothing
// is locked.
static int enter_instance(MPI_T_event_instance instance)
{
    struct tools *tools = tools_enter();
    if (tools == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    MPI_T_event_instance at = tools->instances;
    while (at != NULL && at != instance)
        at = at->next;
    if (at != NULL)
        return 0;
    tools_leave();
    return MPI_T_ERR_INVALID_HANDLE;
}

int oriel_t_event_read(MPI_T_event_instance event_instance, int element_index,
                       void *buffer)
{
    int err = enter_instance(event_instance);
    if (err)
        return err;
    int count = words_count(event_table[event_instance->event].elements);
    if (element_index < 0 || element_index >= count)
        err = MPI_T_ERR_INVALID_INDEX;
    else if (buffer == NULL)
        err = MPI_T_ERR_INVALID;
    else
        memcpy(buffer, &event_instance->elements[element_index], sizeof(MPI_Count));
    tools_leave();
    return err;
}

int oriel_t_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
    int err = enter_instance(event_instance);
    if (err)
        return err;
    int count = words_count(event_table[event_instance->event].elements);
    if (buffer == NULL)
        err = MPI_T_ERR_INVALID;
    else
        memcpy(buffer, event_instance->elements, (size_t)count * sizeof(MPI_Count));
    tools_leave();
    return err;
}

int oriel_t_event_get_timestamp(MPI_T_event_instance event_instance,
                                MPI_Count *event_timestamp)
{
    int err = enter_instance(event_instance);
    if (err)
        return err;
    if (event_timestamp == NULL)
        err = MPI_T_ERR_INVALID;
    else
        *event_timestamp = event_instance->time;
    tools_leave();
    return err;
}

int oriel_t_event_get_source(MPI_T_event_instance event_instance, int *source_index)
{
    int err = enter_instance(event_instance);
    if (err)
        return err;
    if (source_index == NULL)
        err = MPI_T_ERR_INVALID;
    else
        *source_index = 0;
    tools_leave();
    return err;
}
