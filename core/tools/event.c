// SPDX-License-Identifier: BSD-3-Clause
// Types and sources of events (MPI-4.1 15.3.8): what they are. All come from one source,
// the library in this process, whose clock counts nanoseconds.
#include "tools/tools.h"

#include "object/object.h"

#include <oriel_core.h>
#include <string.h>

const struct event_type event_table[EVENT_COUNT] = {
    [EVENT_UNEXPECTED_MESSAGE] = {"unexpected_message", CATEGORY_MESSAGES,
                                  "source|tag|bytes",
                                  "a message has come before its receive was posted"},
    [EVENT_MESSAGE_DELAYED] = {"message_delayed", CATEGORY_MESSAGES,
                               "destination|bytes",
                               "an active message has to wait, because a ring is full "
                               "or the network busy"},
    [EVENT_CALL_SLEPT] = {"call_slept", CATEGORY_WAITING, "nanoseconds",
                          "a blocked call has slept"},
    [EVENT_PROGRESS_THREAD_SLEPT] = {"progress_thread_slept", CATEGORY_WAITING,
                                     "nanoseconds",
                                     "a thread that makes progress has slept"},
    [EVENT_MEMORY_REGISTERED] = {"memory_registered", CATEGORY_NETWORK,
                                 "bytes|nanoseconds",
                                 "memory has been registered with the network, which "
                                 "took so long"},
    [EVENT_PROCESS_DIED] = {"process_died", CATEGORY_WAITING, "rank",
                            "a call has found that a process has died; told once"},
};

int give_no_info(MPI_Info *info)
{
    struct info *made;
    if (info == NULL)
        return 0;
    if (info_make(&made) || object_open(&made->object, KIND_INFO))
        return MPI_T_ERR_MEMORY;
    *info = (MPI_Info)(uintptr_t)made->object.handle;
    return 0;
}

// ---- sources

static int check_source(int source_index)
{
    int err = tools_check();
    bool is_index = source_index >= 0 && source_index < SOURCE_COUNT;
    return err ? err : is_index ? 0 : MPI_T_ERR_INVALID_INDEX;
}

int oriel_t_source_get_num(int *num_sources)
{
    int err = tools_check();
    if (!err)
        result_store(num_sources, SOURCE_COUNT);
    return err;
}

// Threads may tell their events in another order than they have read the clock.
int oriel_t_source_get_info(int source_index, char *name, int *name_len, char *desc,
                            int *desc_len, MPI_T_source_order *ordering,
                            MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                            MPI_Info *info)
{
    static const char own_name[] = "process", description[] = "Oriel in this process";
    int err = check_source(source_index);
    if (!err)
        err = give_no_info(info);
    if (err)
        return err;
    give_text(own_name, strlen(own_name), name, name_len);
    give_text(description, strlen(description), desc, desc_len);
    if (ordering != NULL)
        *ordering = MPI_T_SOURCE_UNORDERED;
    if (ticks_per_second != NULL)
        *ticks_per_second = 1000000000;
    if (max_ticks != NULL)
        *max_ticks = INT64_MAX;
    return 0;
}

int oriel_t_source_get_timestamp(int source_index, MPI_Count *timestamp)
{
    int err = check_source(source_index);
    if (!err && timestamp == NULL)
        err = MPI_T_ERR_INVALID;
    if (!err)
        *timestamp = (MPI_Count)clock_nanoseconds();
    return err;
}

// ---- event types

int oriel_t_event_get_num(int *num_events)
{
    int err = tools_check();
    if (!err)
        result_store(num_events, EVENT_COUNT);
    return err;
}

// *room becomes the number of elements.
static void give_elements(const struct event_type *type, MPI_Datatype datatypes[],
                          MPI_Aint displacements[], int *room)
{
    if (room == NULL)
        return;
    int count = words_count(type->elements);
    for (int i = 0; i < count && i < *room; i++) {
        if (datatypes != NULL)
            datatypes[i] = MPI_COUNT;
        if (displacements != NULL)
            displacements[i] = i * (MPI_Aint)sizeof(MPI_Count);
    }
    *room = count;
}

int oriel_t_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                           MPI_Datatype array_of_datatypes[],
                           MPI_Aint array_of_displacements[], int *num_elements,
                           MPI_T_enum *enumtype, MPI_Info *info, char *desc,
                           int *desc_len, int *bind)
{
    int err = tools_check();
    if (!err && (event_index < 0 || event_index >= EVENT_COUNT))
        err = MPI_T_ERR_INVALID_INDEX;
    if (!err)
        err = give_no_info(info);
    if (err)
        return err;
    const struct event_type *type = &event_table[event_index];
    give_text(type->name, strlen(type->name), name, name_len);
    give_text(type->description, strlen(type->description), desc, desc_len);
    result_store(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
    give_elements(type, array_of_datatypes, array_of_displacements, num_elements);
    result_store(bind, MPI_T_BIND_NO_OBJECT);
    if (enumtype != NULL)
        *enumtype = enum_of_event(type);
    return 0;
}

int oriel_t_event_get_index(const char *name, int *event_index)
{
    int err = tools_check();
    if (err)
        return err;
    if (name == NULL || event_index == NULL)
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < EVENT_COUNT; i++)
        if (strcmp(event_table[i].name, name) == 0) {
            *event_index = i;
            return 0;
        }
    return MPI_T_ERR_INVALID_NAME;
}
