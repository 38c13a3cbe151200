// SPDX-License-Identifier: BSD-3-Clause
// Windows and communicators get a number in the order in which they are made, and are
// described, by kind, members and name, when they are first used.
#include "trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { COMMUNICATOR, WINDOW };

struct object {
    uintptr_t handle; // 0: the place is free
    int32_t number;
    bool is_described;
};

static struct {
    pthread_mutex_t mutex;
    struct object *table; // hashed by handle, with open addressing
    size_t room, used;    // places; those that are or were taken
    int32_t next;
} objects = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// ---- the table ------------------------------------------------------------------------
static struct object *place_of_handle(uintptr_t handle)
{
    size_t last = objects.room - 1; // room is a power of two
    size_t place = (handle * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
    while (objects.table[place & last].handle != handle &&
           objects.table[place & last].handle != 0)
        place++;
    return &objects.table[place & last];
}

static bool table_grow(void)
{
    struct object *before = objects.table;
    size_t room = objects.room;
    struct object *table = calloc(room ? 2 * room : 64, sizeof *table);
    if (!table)
        return false;
    objects.table = table;
    objects.room = room ? 2 * room : 64;
    objects.used = 0;
    for (size_t i = 0; i < room; i++)
        if (before[i].handle != 0 && before[i].number != TRACE_NONE) {
            *place_of_handle(before[i].handle) = before[i];
            objects.used++;
        }
    free(before);
    return true;
}

// The object of a handle, a new one if it is not known; NULL without memory.
static struct object *object_of(uintptr_t handle)
{
    if (2 * objects.used >= objects.room && !table_grow())
        return NULL;
    struct object *object = place_of_handle(handle);
    if (object->handle == 0)
        objects.used++;
    if (object->handle == 0 || object->number == TRACE_NONE)
        *object = (struct object){handle, objects.next++, false};
    return object;
}

// ---- descriptions ---------------------------------------------------------------------
// The ranks of a group in MPI_COMM_WORLD, runs of them as "first-last"; those of a program
// of sessions alone are the group's own.
static void print_members(MPI_Group group, FILE *text)
{
    int size, is_started = 0;
    PMPI_Group_size(group, &size);
    int *own = malloc(2 * (size_t)size * sizeof *own), *world = own + size;
    if (!own)
        return;
    for (int i = 0; i < size; i++)
        own[i] = world[i] = i;
    PMPI_Initialized(&is_started);
    if (is_started) {
        MPI_Group all;
        PMPI_Comm_group(MPI_COMM_WORLD, &all);
        PMPI_Group_translate_ranks(group, size, own, all, world);
        PMPI_Group_free(&all);
    }
    for (int first = 0, last; first < size; first = last + 1) {
        for (last = first; last + 1 < size && world[last + 1] == world[last] + 1;)
            last++;
        fprintf(text, "%s%d-%d", first ? "," : "", world[first], world[last]);
    }
    free(own);
}

// An object that has no members, or no name, has "-".
static void print_object(enum kind kind, int32_t number, MPI_Group group,
                         const char *name)
{
    char *members = NULL;
    size_t bytes;
    FILE *text = open_memstream(&members, &bytes);
    if (!text)
        return;
    print_members(group, text);
    fclose(text);
    file_print("%s %d %s %.*s\n", kind == WINDOW ? "window" : "communicator", number,
               bytes > 0 ? members : "-", (int)strcspn(name, "\n"), name);
    free(members);
}

static void describe_window(MPI_Win win, int32_t number)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;
    MPI_Group group;
    PMPI_Win_get_name(win, name, &length);
    PMPI_Win_get_group(win, &group);
    print_object(WINDOW, number, group, name);
    PMPI_Group_free(&group);
}

// Ranks of an intercommunicator are those of the other group.
static void describe_communicator(MPI_Comm comm, int32_t number)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length, is_inter;
    MPI_Group group;
    PMPI_Comm_get_name(comm, name, &length);
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
        PMPI_Comm_remote_group(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    print_object(COMMUNICATOR, number, group, name);
    PMPI_Group_free(&group);
}

static void describe_object(enum kind kind, uintptr_t handle, int32_t number)
{
    if (kind == WINDOW)
        describe_window((MPI_Win)handle, number);
    else
        describe_communicator((MPI_Comm)handle, number);
}

// ---- what procedures ask --------------------------------------------------------------
static int find_object(enum kind kind, uintptr_t handle)
{
    int32_t number = TRACE_NONE;
    bool is_new = false;
    pthread_mutex_lock(&objects.mutex);
    struct object *object = object_of(handle);
    if (object) {
        number = object->number;
        is_new = !object->is_described;
        object->is_described = true;
    }
    pthread_mutex_unlock(&objects.mutex);
    if (is_new)
        describe_object(kind, handle, number);
    return number;
}

static struct known_object *object_known(struct recorder *recorder, uintptr_t handle)
{
    return &recorder->objects[(handle * UINT64_C(0x9e3779b97f4a7c15)) >>
                              (64 - OBJECTS_CACHED_BITS)];
}

static int number_of_object(enum kind kind, uintptr_t handle)
{
    struct recorder *recorder = recorder_get();
    if (!recorder)
        return TRACE_NONE;
    struct known_object *known = object_known(recorder, handle);
    if (__builtin_expect(known->handle != handle, 0))
        *known = (struct known_object){handle, find_object(kind, handle)};
    return known->number;
}

int trace_window(MPI_Win win)
{
    return win == MPI_WIN_NULL ? TRACE_NONE : number_of_object(WINDOW, (uintptr_t)win);
}

int trace_communicator(MPI_Comm comm)
{
    return comm == MPI_COMM_NULL ? TRACE_NONE
                                 : number_of_object(COMMUNICATOR, (uintptr_t)comm);
}

static void object_begins(uintptr_t handle)
{
    if (!recorder_get())
        return;
    pthread_mutex_lock(&objects.mutex);
    object_of(handle);
    pthread_mutex_unlock(&objects.mutex);
}

void trace_window_begins(MPI_Win win)
{
    object_begins((uintptr_t)win);
}

void trace_communicator_begins(MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL)
        object_begins((uintptr_t)comm);
}

void trace_window_named(MPI_Win win)
{
    int number = trace_window(win);
    if (number != TRACE_NONE)
        describe_object(WINDOW, (uintptr_t)win, number);
}

void trace_communicator_named(MPI_Comm comm)
{
    int number = trace_communicator(comm);
    if (number != TRACE_NONE)
        describe_object(COMMUNICATOR, (uintptr_t)comm, number);
}

// Another object may get the handle. A thread that has kept it cannot use it any more.
static void object_ends(uintptr_t handle)
{
    struct recorder *recorder = recorder_get();
    if (!recorder)
        return;
    object_known(recorder, handle)->handle = 0;
    pthread_mutex_lock(&objects.mutex);
    if (objects.room > 0)
        place_of_handle(handle)->number = TRACE_NONE;
    pthread_mutex_unlock(&objects.mutex);
}

void trace_window_ends(MPI_Win win)
{
    object_ends((uintptr_t)win);
}

void trace_communicator_ends(MPI_Comm comm)
{
    object_ends((uintptr_t)comm);
}

uint64_t trace_type_bytes(MPI_Datatype datatype)
{
    struct recorder *recorder = recorder_get();
    if (!recorder || datatype == MPI_DATATYPE_NULL)
        return 0;
    if (__builtin_expect(recorder->datatype != (uintptr_t)datatype, 0)) {
        MPI_Count bytes = 0;
        PMPI_Type_size_c(datatype, &bytes);
        recorder->type_bytes = bytes > 0 ? (uint64_t)bytes : 0;
        recorder->datatype = (uintptr_t)datatype;
    }
    return recorder->type_bytes;
}
