// SPDX-License-Identifier: BSD-3-Clause
// tool_events: what events are, who is told of them and how (MPI-4.1 15.3.8), before,
// while and after MPI runs.
#include "window_test.h"

#include <stdatomic.h>
#include <unistd.h>

enum { TEXT = 128, ELEMENTS = 4, LEVELS = 4, LONG = 100000 };

static const MPI_T_cb_safety levels[LEVELS] = {
    MPI_T_CB_REQUIRE_NONE,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED,
    MPI_T_CB_REQUIRE_THREAD_SAFE,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
};

// What a callback has seen last. It may run in any thread.
struct seen {
    atomic_int calls, frees, drops;
    _Atomic(MPI_Count) elements[ELEMENTS], time;
    _Atomic(MPI_T_event_instance) instance;
    _Atomic(MPI_T_event_registration) registration;
    atomic_bool frees_itself;
    bool only_own; // messages that this process sends to itself
};

static void on_free(MPI_T_event_registration registration, MPI_T_cb_safety safety,
                    void *data)
{
    struct seen *seen = data;
    CHECK(registration == seen->registration && safety != MPI_T_CB_REQUIRE_NONE);
    seen->frees++;
}

static void on_drop(MPI_Count count, MPI_T_event_registration registration, int source,
                    MPI_T_cb_safety safety, void *data)
{
    struct seen *seen = data;
    CHECK(registration == seen->registration && source == 0);
    CHECK(safety == MPI_T_CB_REQUIRE_THREAD_SAFE);
    seen->drops += (int)count;
}

static void read_all(MPI_T_event_instance instance, struct seen *seen)
{
    MPI_Count copied[ELEMENTS], one, time, now;
    int source = -1, count = 0;
    CHECK(MPI_T_event_copy(instance, copied) == MPI_SUCCESS);
    while (MPI_T_event_read(instance, count, &one) == MPI_SUCCESS) {
        CHECK(count < ELEMENTS && one == copied[count]);
        seen->elements[count++] = one;
    }
    CHECK(MPI_T_event_read(instance, -1, &one) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_event_read(instance, count, &one) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_event_read(instance, 0, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_copy(instance, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_get_source(instance, &source) == MPI_SUCCESS && source == 0);
    CHECK(MPI_T_event_get_source(instance, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_get_timestamp(instance, &time) == MPI_SUCCESS);
    CHECK(MPI_T_event_get_timestamp(instance, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_source_get_timestamp(source, &now) == MPI_SUCCESS && time <= now);
    seen->time = time;
}

static void on_event(MPI_T_event_instance instance,
                     MPI_T_event_registration registration, MPI_T_cb_safety safety,
                     void *data)
{
    struct seen *seen = data;
    CHECK(safety == MPI_T_CB_REQUIRE_THREAD_SAFE && registration == seen->registration);
    MPI_Count first = -1;
    MPI_T_event_read(instance, 0, &first);
    if (seen->only_own && first != rank)
        return; // another process is in a collective call already
    read_all(instance, seen);
    seen->instance = instance;
    seen->calls++;
    if (seen->frees_itself) {
        CHECK(MPI_T_event_handle_free(registration, data, on_free) == MPI_SUCCESS);
        CHECK(seen->frees == 0); // not before this has returned
        CHECK(MPI_T_event_handle_free(registration, data, on_free) ==
              MPI_T_ERR_INVALID_HANDLE);
    }
}

static void must_not_be_called(MPI_T_event_instance instance,
                               MPI_T_event_registration registration,
                               MPI_T_cb_safety safety, void *data)
{
    (void)instance, (void)registration, (void)safety;
    CHECK(data == NULL && "was not to be called");
}

static int index_of(const char *name)
{
    int index = -1;
    CHECK(MPI_T_event_get_index(name, &index) == MPI_SUCCESS && index >= 0);
    return index;
}

static MPI_T_event_registration ask(const char *name, struct seen *seen)
{
    MPI_T_event_registration made;
    CHECK(MPI_T_event_handle_alloc(index_of(name), NULL, MPI_INFO_NULL, &made) ==
          MPI_SUCCESS);
    seen->registration = made;
    return made;
}

// Tells it of events as the library raises them.
static MPI_T_event_registration listen(const char *name, struct seen *seen)
{
    MPI_T_event_registration made = ask(name, seen);
    CHECK(MPI_T_event_register_callback(made, MPI_T_CB_REQUIRE_THREAD_SAFE,
                                        MPI_INFO_NULL, seen, on_event) == MPI_SUCCESS);
    return made;
}

static void end(MPI_T_event_registration registration, struct seen *seen)
{
    int before = seen->frees;
    CHECK(MPI_T_event_handle_free(registration, seen, on_free) == MPI_SUCCESS);
    while (seen->frees == before) // another thread may be just telling it
        usleep(100);
}

// ---- what there is

static void check_empty(MPI_Info *info)
{
    int keys = -1;
    CHECK(MPI_Info_get_nkeys(*info, &keys) == MPI_SUCCESS && keys == 0);
    CHECK(MPI_Info_free(info) == MPI_SUCCESS);
}

static void every_source_is_told(void)
{
    int count = 0;
    CHECK(MPI_T_source_get_num(&count) == MPI_SUCCESS && count > 0);
    for (int i = 0; i < count; i++) {
        char name[TEXT], description[TEXT];
        int name_room = sizeof name, room = sizeof description;
        MPI_T_source_order order = 0;
        MPI_Count ticks = 0, last = 0, one, other;
        MPI_Info info;
        CHECK(MPI_T_source_get_info(i, name, &name_room, description, &room, &order,
                                    &ticks, &last, &info) == MPI_SUCCESS);
        CHECK(name_room == (int)strlen(name) + 1 && name_room > 1 && room > 1);
        CHECK(order == MPI_T_SOURCE_ORDERED || order == MPI_T_SOURCE_UNORDERED);
        check_empty(&info);
        CHECK(MPI_T_source_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                    NULL) == MPI_SUCCESS);
        CHECK(MPI_T_source_get_timestamp(i, &one) == MPI_SUCCESS);
        usleep(10000);
        CHECK(MPI_T_source_get_timestamp(i, &other) == MPI_SUCCESS);
        CHECK(other - one >= ticks / 100 && other - one < 60 * ticks && other <= last);
        CHECK(MPI_T_source_get_timestamp(i, NULL) == MPI_T_ERR_INVALID);
    }
    CHECK(MPI_T_source_get_timestamp(count, &(MPI_Count){0}) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_source_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID_INDEX);
}

// Their names are an enumeration; they lie one after another in a copy.
static void elements_have_names(const char *event, MPI_T_enum names, int count)
{
    char name[TEXT];
    int room = sizeof name, items = -1, value;
    CHECK(MPI_T_enum_get_info(names, &items, name, &room) == MPI_SUCCESS);
    CHECK(items == count && strcmp(name, event) == 0);
    for (int i = 0; i < count; i++) {
        room = sizeof name;
        CHECK(MPI_T_enum_get_item(names, i, &value, name, &room) == MPI_SUCCESS);
        CHECK(value == i && room > 1);
    }
}

static void every_event_is_told(void)
{
    int count = 0;
    CHECK(MPI_T_event_get_num(&count) == MPI_SUCCESS && count > 0);
    for (int i = 0; i < count; i++) {
        char name[TEXT], description[TEXT];
        int name_room = sizeof name, room = sizeof description, verbosity, bind;
        int elements = ELEMENTS, few = 0;
        MPI_Datatype types[ELEMENTS];
        MPI_Aint places[ELEMENTS];
        MPI_T_enum names;
        MPI_Info info;
        CHECK(MPI_T_event_get_info(i, name, &name_room, &verbosity, types, places,
                                   &elements, &names, &info, description, &room,
                                   &bind) == MPI_SUCCESS);
        CHECK(name_room == (int)strlen(name) + 1 && index_of(name) == i && room > 1);
        CHECK(bind == MPI_T_BIND_NO_OBJECT && verbosity == MPI_T_VERBOSITY_TUNER_BASIC);
        CHECK(elements > 0 && elements <= ELEMENTS);
        for (int j = 0; j < elements; j++)
            CHECK(types[j] == MPI_COUNT &&
                  places[j] == j * (MPI_Aint)sizeof(MPI_Count));
        elements_have_names(name, names, elements);
        check_empty(&info);
        types[0] = MPI_CHAR;
        CHECK(MPI_T_event_get_info(i, NULL, NULL, NULL, types, NULL, &few, NULL, NULL,
                                   NULL, NULL, NULL) == MPI_SUCCESS);
        CHECK(few == elements && types[0] == MPI_CHAR);
    }
    CHECK(MPI_T_event_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                               NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_event_get_index("none", &count) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_event_get_index("call_slept", NULL) == MPI_T_ERR_INVALID);
}

static void every_event_is_in_a_category(void)
{
    int categories, events, own, indices[64], all = 0;
    bool seen[64] = {false};
    CHECK(MPI_T_category_get_num(&categories) == MPI_SUCCESS);
    CHECK(MPI_T_event_get_num(&events) == MPI_SUCCESS);
    for (int i = 0; i < categories; i++) {
        CHECK(MPI_T_category_get_num_events(i, &own) == MPI_SUCCESS);
        CHECK(MPI_T_category_get_events(i, 64, indices) == MPI_SUCCESS);
        for (int j = 0; j < own; j++) {
            CHECK(!seen[indices[j]]);
            seen[indices[j]] = true;
        }
        all += own;
    }
    CHECK(all == events);
    CHECK(MPI_T_category_get_events(categories, 0, NULL) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_events(0, 1, NULL) == MPI_T_ERR_INVALID);
}

// ---- bad arguments

static void refuse_all(MPI_T_event_registration bad, int error)
{
    MPI_Info info;
    MPI_T_cb_safety safe = MPI_T_CB_REQUIRE_THREAD_SAFE;
    CHECK(MPI_T_event_register_callback(bad, safe, MPI_INFO_NULL, NULL, on_event) ==
          error);
    CHECK(MPI_T_event_callback_set_info(bad, safe, MPI_INFO_NULL) == error);
    CHECK(MPI_T_event_callback_get_info(bad, safe, &info) == error);
    CHECK(MPI_T_event_handle_set_info(bad, MPI_INFO_NULL) == error);
    CHECK(MPI_T_event_handle_get_info(bad, &info) == error);
    CHECK(MPI_T_event_set_dropped_handler(bad, on_drop) == error);
    CHECK(MPI_T_event_handle_free(bad, NULL, NULL) == error);
}

static void refuse_instance(MPI_T_event_instance bad, int error)
{
    MPI_Count number;
    CHECK(MPI_T_event_read(bad, 0, &number) == error);
    CHECK(MPI_T_event_copy(bad, &number) == error);
    CHECK(MPI_T_event_get_timestamp(bad, &number) == error);
    CHECK(MPI_T_event_get_source(bad, &(int){0}) == error);
}

static void nothing_works_without_the_interface(void)
{
    int number;
    MPI_T_event_registration made;
    CHECK(MPI_T_source_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_source_get_timestamp(0, &(MPI_Count){0}) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_event_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_event_get_index("", &number) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &made) ==
          MPI_T_ERR_NOT_INITIALIZED);
    refuse_all(NULL, MPI_T_ERR_NOT_INITIALIZED);
    refuse_instance(NULL, MPI_T_ERR_NOT_INITIALIZED);
}

static void bad_arguments_are_refused(void)
{
    int count;
    struct seen seen = {0};
    MPI_T_event_registration made;
    MPI_Info info, stale;
    MPI_Info_create(&info);
    stale = info;
    MPI_Info_free(&info);
    CHECK(MPI_T_event_get_num(&count) == MPI_SUCCESS);
    CHECK(MPI_T_event_handle_alloc(count, NULL, MPI_INFO_NULL, &made) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_event_handle_alloc(-1, NULL, MPI_INFO_NULL, &made) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_handle_alloc(0, NULL, stale, &made) == MPI_T_ERR_INVALID);
    made = ask("call_slept", &seen);
    CHECK(MPI_T_event_register_callback(made, (MPI_T_cb_safety)1, MPI_INFO_NULL, NULL,
                                        on_event) == MPI_T_ERR_INVALID);
    for (int i = 0; i < LEVELS; i++) {
        CHECK(MPI_T_event_register_callback(made, levels[i], stale, NULL, on_event) ==
              MPI_T_ERR_INVALID);
        CHECK(MPI_T_event_callback_get_info(made, levels[i], &info) ==
              MPI_T_ERR_INVALID); // there is no function
    }
    CHECK(MPI_T_event_handle_set_info(made, stale) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_handle_get_info(made, NULL) == MPI_T_ERR_INVALID);
    end(made, &seen);
    refuse_all(made, MPI_T_ERR_INVALID_HANDLE);
    refuse_all(NULL, MPI_T_ERR_INVALID_HANDLE);
    refuse_instance(NULL, MPI_T_ERR_INVALID_HANDLE);
}

static void hints_are_taken_and_none_is_followed(void)
{
    struct seen seen = {0};
    MPI_T_event_registration made = ask("call_slept", &seen);
    MPI_T_cb_safety safe = MPI_T_CB_REQUIRE_THREAD_SAFE;
    MPI_Info info, used;
    MPI_Info_create(&info);
    MPI_Info_set(info, "hint", "value");
    CHECK(MPI_T_event_handle_set_info(made, info) == MPI_SUCCESS);
    CHECK(MPI_T_event_handle_get_info(made, &used) == MPI_SUCCESS);
    check_empty(&used);
    CHECK(MPI_T_event_register_callback(made, safe, info, &seen, on_event) ==
          MPI_SUCCESS);
    CHECK(MPI_T_event_callback_set_info(made, safe, info) == MPI_SUCCESS);
    CHECK(MPI_T_event_callback_get_info(made, safe, &used) == MPI_SUCCESS);
    check_empty(&used);
    CHECK(MPI_T_event_register_callback(made, safe, info, NULL, NULL) == MPI_SUCCESS);
    CHECK(MPI_T_event_callback_set_info(made, safe, info) == MPI_T_ERR_INVALID);
    MPI_Info_free(&info);
    CHECK(MPI_T_event_handle_free(made, NULL, NULL) == MPI_SUCCESS);
}

// ---- being told

// Sends to itself what it has not asked for yet.
static void be_surprised(int tag)
{
    int message = 5, flag = 0;
    MPI_Request request;
    MPI_Isend(&message, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Iprobe(rank, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&message, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void unexpected_messages_are_told(void)
{
    struct seen seen = {.only_own = true}, other = {.only_own = true};
    MPI_T_event_registration one = listen("unexpected_message", &seen);
    MPI_T_event_registration two = listen("unexpected_message", &other);
    be_surprised(77);
    CHECK(seen.calls == 1 && other.calls == 1);
    CHECK(seen.elements[0] == rank && seen.elements[1] == 77);
    CHECK(seen.elements[2] == sizeof(int) && seen.time == other.time);
    refuse_instance(seen.instance, MPI_T_ERR_INVALID_HANDLE); // it is over
    other.frees_itself = true;
    be_surprised(78);
    CHECK(seen.calls == 2 && other.calls == 2 && other.frees == 1);
    be_surprised(79);
    CHECK(seen.calls == 3 && other.calls == 2);
    refuse_all(two, MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_THREAD_SAFE,
                                        MPI_INFO_NULL, NULL, NULL) == MPI_SUCCESS);
    be_surprised(80);
    CHECK(seen.calls == 3);
    end(one, &seen);
    be_surprised(81);
    CHECK(seen.calls == 3 && seen.frees == 1);
}

// The lowest level that is enough is called; if none is, the event is lost.
static void levels_of_safety_are_kept(void)
{
    struct seen seen = {.only_own = true};
    MPI_T_event_registration made = ask("unexpected_message", &seen);
    for (int i = 0; i < LEVELS; i++)
        CHECK(MPI_T_event_register_callback(made, levels[i], MPI_INFO_NULL, &seen,
                                            i == 2 ? on_event : must_not_be_called) ==
              MPI_SUCCESS);
    CHECK(MPI_T_event_set_dropped_handler(made, on_drop) == MPI_SUCCESS);
    be_surprised(1);
    CHECK(seen.calls == 1 && seen.drops == 0);
    MPI_T_event_register_callback(made, levels[2], MPI_INFO_NULL, NULL, NULL);
    MPI_T_event_register_callback(made, levels[3], MPI_INFO_NULL, &seen, on_event);
    be_surprised(2);
    CHECK(seen.calls == 2 && seen.drops == 0);
    MPI_T_event_register_callback(made, levels[3], MPI_INFO_NULL, NULL, NULL);
    be_surprised(3);
    CHECK(seen.calls == 2 && seen.drops >= 1);
    CHECK(MPI_T_event_set_dropped_handler(made, NULL) == MPI_SUCCESS);
    int drops = seen.drops;
    be_surprised(4);
    CHECK(seen.calls == 2 && seen.drops == drops);
    end(made, &seen);
}

// The first rank lets the others wait until all of them have slept, which takes longer on
// a machine with other load.
static void sleeps_are_told(void)
{
    struct seen seen = {0};
    MPI_T_event_registration made = listen("call_slept", &seen);
    int before, pause = 50000;
    do {
        before = seen.calls;
        if (rank == 0)
            usleep((useconds_t)pause);
        MPI_Barrier(MPI_COMM_WORLD);
        pause *= 2;
    } while (any(rank > 0 && seen.calls == before) && pause < 2000000);
    CHECK(rank == 0 || (seen.calls > before && seen.elements[0] > 0));
    end(made, &seen);
}

static void progress_threads_are_told_of(void)
{
    struct seen seen = {0};
    MPI_T_event_registration made = listen("progress_thread_slept", &seen);
    while (any(seen.calls == 0)) // messages wake it while the program does not look
        usleep(1000 * (1 + (unsigned)rank));
    CHECK(seen.elements[0] > 0);
    end(made, &seen);
}

// Whoever sends only is soon ahead of the process that has to keep what it is sent.
static void delays_are_told(void)
{
    struct seen seen = {0};
    char message[1000] = {0};
    MPI_T_event_registration made = listen("message_delayed", &seen);
    int sent = 0, last = size - 1;
    if (rank == 0) {
        for (; seen.calls == 0 && sent < LONG; sent++)
            MPI_Send(message, sizeof message, MPI_CHAR, last, 5, MPI_COMM_WORLD);
        CHECK(seen.elements[0] == last && seen.elements[1] >= (int)sizeof message);
        MPI_Send(&sent, 1, MPI_INT, last, 6, MPI_COMM_WORLD);
    } else if (rank == last) {
        MPI_Recv(&sent, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < sent; i++)
            MPI_Recv(message, sizeof message, MPI_CHAR, 0, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    end(made, &seen);
}

static void registrations_of_memory_are_told(void)
{
    static char memory[LONG];
    struct seen seen = {0};
    MPI_T_event_registration made = listen("memory_registered", &seen);
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    CHECK(seen.calls > 0 && seen.elements[0] >= LONG && seen.elements[1] >= 0);
    MPI_Win_free(&window);
    end(made, &seen);
}

static void start_tools(void)
{
    int provided;
    CHECK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
}

static void describe_all(void)
{
    every_source_is_told();
    every_event_is_told();
    every_event_is_in_a_category();
    bad_arguments_are_refused();
    hints_are_taken_and_none_is_followed();
}

int main(int argc, char **argv)
{
    nothing_works_without_the_interface();
    start_tools();
    describe_all();
    struct seen early = {0}, left = {0};
    MPI_T_event_registration before = listen("unexpected_message", &early);
    start(&argc, &argv);
    be_surprised(6);
    CHECK(early.calls > 0);
    end(before, &early);
    unexpected_messages_are_told();
    levels_of_safety_are_kept();
    if (size > 1) {
        sleeps_are_told();
        delays_are_told();
    }
    if (!is_one_node()) {
        progress_threads_are_told_of();
        registrations_of_memory_are_told();
    }
    listen("unexpected_message", &left);
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    be_surprised(7);
    CHECK(left.calls == 0 && left.frees == 0); // it has ended with the interface
    start_tools();
    int code = finish();
    describe_all();
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    nothing_works_without_the_interface();
    return code;
}
