// SPDX-License-Identifier: BSD-3-Clause
// tools: the tool information interface (MPI-4.1 15.3), before, while and after the
// library runs. Its procedures return error codes and raise none.
//
// Glossary
//   control variable      an option (base/option.h); its index is that in option_table
//   performance variable  a counter (base/counter.h); its index is the counter
//   level                 a performance variable that goes up and down; it is always on
//   session               separates what one tool starts, stops and resets from others
//   event type            what base/event.h calls an event; its index is that number
//   registration          a tool's wish to be told of events of a type
//   instance              one event, while tools are told of it
#pragma once

#include "base/base.h"

// Handles are addresses that programs hold. They are only compared until they have been
// found in these lists, so that a stale one is noticed.
struct MPI_ABI_T_cvar_handle {
    struct MPI_ABI_T_cvar_handle *next;
    const struct option *option;
};

struct MPI_ABI_T_pvar_handle {
    struct MPI_ABI_T_pvar_handle *next;
    enum counter counter;
    bool is_started;
    uint64_t value; // counted while it was started, up to its last start
    uint64_t start; // the counter then
};

struct MPI_ABI_T_pvar_session {
    struct MPI_ABI_T_pvar_session *next;
    struct MPI_ABI_T_pvar_handle *handles;
};

// A function for each level of safety; NULL where there is none.
enum { SAFETY_COUNT = 4 };
struct listener {
    MPI_T_event_cb_function *call;
    void *user_data;
};

// It stays while a tool is told of an event, even if it has been freed.
struct MPI_ABI_T_event_registration {
    struct MPI_ABI_T_event_registration *next;
    enum event event;
    struct listener listeners[SAFETY_COUNT];
    MPI_T_event_dropped_cb_function *dropped;
    int calls; // of a listener, not yet returned
    bool is_freed;
    MPI_T_event_free_cb_function *freed;
    void *freed_data;
};

struct MPI_ABI_T_event_instance {
    struct MPI_ABI_T_event_instance *next;
    enum event event;
    const MPI_Count *elements;
    MPI_Count time; // clock_nanoseconds()
};

// State that tools hold.
struct tools {
    pthread_mutex_t lock; // guards what follows
    int users;            // calls of MPI_T_init_thread without their MPI_T_finalize
    struct MPI_ABI_T_cvar_handle *cvars;
    struct MPI_ABI_T_pvar_session *sessions;
    struct MPI_ABI_T_event_registration *registrations;
    struct MPI_ABI_T_event_instance *instances;
};

// Locks and gives what tools hold, until tools_leave; NULL, with nothing locked, when
// the interface is not initialized.
struct tools *tools_enter(void);
void tools_leave(void);
// MPI_T_ERR_NOT_INITIALIZED, or 0: for what needs no lock.
int tools_check(void);

// ---- results: NULL for one that the caller does not want (15.3.3)
static inline void result_store(int *to, int value)
{
    if (to != NULL)
        *to = value;
}
// *room becomes what the text needs with its terminator; a longer text is cut.
void give_text(const char *text, size_t length, char *buffer, int *room);

// ---- enumerations: the words of an option, the names of the elements of an event
int words_count(const char *words);
static inline MPI_T_enum enum_of_option(const struct option *option)
{
    return option->type == OPTION_CHOICE ? (MPI_T_enum)option : MPI_T_ENUM_NULL;
}

// ---- categories
enum category {
    CATEGORY_SETTINGS, // all control variables
    CATEGORY_MESSAGES,
    CATEGORY_NODE,
    CATEGORY_NETWORK,
    CATEGORY_WAITING,
    CATEGORY_COUNT
};

// ---- performance variables
void pvar_handles_free(MPI_T_pvar_session session);

struct pvar {
    const char *name;
    enum category category;
    int var_class;
    const char *description;
};
extern const struct pvar pvar_table[COUNTER_COUNT];
static inline bool pvar_is_level(enum counter counter)
{
    return pvar_table[counter].var_class == MPI_T_PVAR_CLASS_LEVEL;
}

// ---- events
struct event_type {
    const char *name;
    enum category category;
    const char *elements; // their names, separated by |; each is an MPI_COUNT
    const char *description;
};
extern const struct event_type event_table[EVENT_COUNT];
static inline MPI_T_enum enum_of_event(const struct event_type *type)
{
    return (MPI_T_enum)type;
}
enum { SOURCE_COUNT = 1 };
// A new info without keys: nothing more is told of sources and events, and no hint has
// an effect.
int give_no_info(MPI_Info *info);

// Tells all tools that want to know (event_source.callback).
void events_tell(enum event event, const MPI_Count elements[]);
// Frees all that tools have left.
void registrations_free(struct tools *tools);
