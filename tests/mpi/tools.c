// SPDX-License-Identifier: BSD-3-Clause
// tools: control and performance variables before, while and after MPI runs; all errors
// are returned (MPI-4.1 15.3). With an argument: settings made by a tool before MPI_Init
// hold afterwards.
#include "window_test.h"

enum { TEXT = 128, VALUE = 2048, LONG = 100000 };

static int cvar_index(const char *name)
{
    int index = -1;
    CHECK(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS && index >= 0);
    return index;
}

// Ints only.
static int cvar_value(const char *name)
{
    MPI_T_cvar_handle handle;
    int count = 0, value = -1;
    CHECK(MPI_T_cvar_handle_alloc(cvar_index(name), NULL, &handle, &count) ==
          MPI_SUCCESS);
    CHECK(count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    return value;
}

static int cvar_write(const char *name, const void *value)
{
    MPI_T_cvar_handle handle;
    int count;
    CHECK(MPI_T_cvar_handle_alloc(cvar_index(name), NULL, &handle, &count) ==
          MPI_SUCCESS);
    int err = MPI_T_cvar_write(handle, value);
    CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
    return err;
}

static void nothing_works_before_the_start(void)
{
    int number;
    MPI_T_pvar_session session;
    MPI_T_cvar_handle handle;
    CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_cvar_handle_alloc(0, NULL, &handle, &number) ==
          MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_pvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_category_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_category_changed(&number) == MPI_T_ERR_NOT_INITIALIZED);
}

static void words_of_a_variable_are_told(const char *variable, MPI_T_enum words)
{
    int count = 0, length = 0, value = -1;
    char name[TEXT];
    CHECK(MPI_T_enum_get_info(words, &count, NULL, &length) == MPI_SUCCESS);
    CHECK(count > 1 && length == (int)strlen(variable) + 1);
    CHECK(MPI_T_enum_get_info(words, &count, name, &length) == MPI_SUCCESS);
    CHECK(strcmp(name, variable) == 0);
    for (int i = 0; i < count; i++) {
        length = sizeof name;
        CHECK(MPI_T_enum_get_item(words, i, &value, name, &length) == MPI_SUCCESS);
        CHECK(value == i && length == (int)strlen(name) + 1 && length > 1);
    }
    CHECK(MPI_T_enum_get_item(words, count, &value, name, &length) ==
          MPI_T_ERR_INVALID_ITEM);
    CHECK(MPI_T_enum_get_item(words, -1, &value, name, &length) ==
          MPI_T_ERR_INVALID_ITEM);
}

static void every_control_variable_is_told(void)
{
    int count, choices = 0;
    CHECK(MPI_T_cvar_get_num(&count) == MPI_SUCCESS && count > 0);
    for (int i = 0; i < count; i++) {
        char name[TEXT], description[TEXT], cut[4], values[VALUE];
        int name_room = sizeof name, room = sizeof description, few = sizeof cut;
        int verbosity, bind, scope, elements;
        MPI_Datatype type;
        MPI_T_enum words;
        MPI_T_cvar_handle handle;
        CHECK(MPI_T_cvar_get_info(i, name, &name_room, &verbosity, &type, &words,
                                  description, &room, &bind, &scope) == MPI_SUCCESS);
        CHECK(strncmp(name, "ORIEL_", 6) == 0 && name_room == (int)strlen(name) + 1);
        CHECK(room == (int)strlen(description) + 1 && room > 1);
        CHECK(verbosity == MPI_T_VERBOSITY_USER_BASIC && bind == MPI_T_BIND_NO_OBJECT);
        CHECK(scope == MPI_T_SCOPE_LOCAL || scope == MPI_T_SCOPE_ALL_EQ);
        CHECK(cvar_index(name) == i);
        CHECK(MPI_T_cvar_get_info(i, cut, &few, NULL, NULL, NULL, NULL, NULL, NULL,
                                  NULL) == MPI_SUCCESS);
        CHECK(strcmp(cut, "ORI") == 0 && few == name_room);
        CHECK(MPI_T_cvar_handle_alloc(i, NULL, &handle, &elements) == MPI_SUCCESS);
        CHECK(elements <= VALUE);
        CHECK(MPI_T_cvar_read(handle, values) == MPI_SUCCESS);
        CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
        CHECK((type == MPI_CHAR) == (elements > 1));
        CHECK(type == MPI_INT || words == MPI_T_ENUM_NULL);
        if (words != MPI_T_ENUM_NULL)
            words_of_a_variable_are_told(name, words);
        choices += words != MPI_T_ENUM_NULL;
    }
    CHECK(choices > 0);
}

static void bad_control_variables_are_refused(void)
{
    int count, value = 0, index;
    MPI_T_cvar_handle handle, freed;
    MPI_T_enum none = MPI_T_ENUM_NULL;
    CHECK(MPI_T_cvar_get_num(&count) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_get_index("ORIEL_", &index) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_cvar_get_index("ORIEL_CHECK", NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                              NULL) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_cvar_handle_alloc(-1, NULL, &handle, &count) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_cvar_handle_alloc(0, NULL, &handle, &count) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_read(handle, NULL) == MPI_T_ERR_INVALID);
    freed = handle;
    CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_read(freed, &value) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_cvar_write(freed, &value) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_cvar_handle_free(&freed) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_cvar_handle_free(&handle) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_enum_get_info(none, &count, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_enum_get_item((MPI_T_enum)&count, 0, &value, NULL, NULL) ==
          MPI_T_ERR_INVALID_HANDLE);
    value = 99;
    CHECK(cvar_write("ORIEL_CHECK", &value) == MPI_T_ERR_INVALID);
    value = -1;
    CHECK(cvar_write("ORIEL_SPIN", &value) == MPI_T_ERR_INVALID);
    char endless[VALUE];
    memset(endless, 'x', sizeof endless);
    CHECK(cvar_write("ORIEL_PROVIDER", endless) != MPI_SUCCESS);
}

// The check of arguments is turned off and on while MPI runs; what the library has
// started with cannot change.
static void some_control_variables_change_while_mpi_runs(void)
{
    int off = 0, full = cvar_value("ORIEL_CHECK"), nodes = 7;
    CHECK(cvar_write("ORIEL_CHECK", &off) == MPI_SUCCESS);
    CHECK(cvar_value("ORIEL_CHECK") == off);
    CHECK(MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, -5, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(cvar_write("ORIEL_CHECK", &full) == MPI_SUCCESS);
    CHECK_CLASS(MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, -5, MPI_COMM_WORLD),
                MPI_ERR_TAG);
    CHECK(cvar_write("ORIEL_FAKE_NODES", &nodes) == MPI_T_ERR_CVAR_SET_NOT_NOW);
}

static MPI_T_pvar_handle pvar(MPI_T_pvar_session session, const char *name, int class)
{
    int index, count = 0;
    MPI_T_pvar_handle handle;
    CHECK(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) ==
          MPI_SUCCESS);
    CHECK(count == 1);
    return handle;
}

static unsigned long long pvar_value(MPI_T_pvar_session session,
                                     MPI_T_pvar_handle handle)
{
    unsigned long long value = 12345;
    CHECK(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS);
    return value;
}

static void every_performance_variable_is_told(void)
{
    int count, index;
    CHECK(MPI_T_pvar_get_num(&count) == MPI_SUCCESS && count > 0);
    for (int i = 0; i < count; i++) {
        char name[TEXT], description[TEXT];
        int name_room = sizeof name, room = sizeof description, class, verbosity;
        int bind, is_readonly, is_continuous, is_atomic;
        MPI_Datatype type;
        MPI_T_enum words;
        CHECK(MPI_T_pvar_get_info(i, name, &name_room, &verbosity, &class, &type,
                                  &words, description, &room, &bind, &is_readonly,
                                  &is_continuous, &is_atomic) == MPI_SUCCESS);
        CHECK(name_room == (int)strlen(name) + 1 && room > 1);
        CHECK(type == MPI_UNSIGNED_LONG_LONG && words == MPI_T_ENUM_NULL);
        CHECK(bind == MPI_T_BIND_NO_OBJECT && verbosity == MPI_T_VERBOSITY_TUNER_BASIC);
        CHECK(is_continuous == (class == MPI_T_PVAR_CLASS_LEVEL));
        CHECK(is_readonly == is_continuous && is_atomic == !is_continuous);
        CHECK(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS && index == i);
        CHECK(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_TIMER, &index) ==
              MPI_T_ERR_INVALID_NAME);
    }
    CHECK(MPI_T_pvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                              NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
}

// Sends to itself twice what it has not asked for yet.
static void be_surprised(void)
{
    int message = 5;
    MPI_Request requests[2];
    for (int i = 0; i < 2; i++)
        MPI_Isend(&message, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[i]);
    int flag = 0;
    while (!flag)
        MPI_Iprobe(rank, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&message, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&message, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void counters_count_while_they_are_started(void)
{
    MPI_T_pvar_session one, other;
    unsigned long long value;
    CHECK(MPI_T_pvar_session_create(&one) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_session_create(&other) == MPI_SUCCESS);
    MPI_T_pvar_handle mine = pvar(one, "unexpected_messages", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle theirs =
        pvar(other, "unexpected_messages", MPI_T_PVAR_CLASS_COUNTER);
    CHECK(MPI_T_pvar_start(one, mine) == MPI_SUCCESS);
    be_surprised();
    value = pvar_value(one, mine);
    CHECK(value >= 1 && pvar_value(other, theirs) == 0); // not started
    CHECK(MPI_T_pvar_start(other, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_stop(one, mine) == MPI_SUCCESS);
    be_surprised();
    CHECK(pvar_value(one, mine) == value && pvar_value(other, theirs) >= 1);
    CHECK(MPI_T_pvar_start(one, mine) == MPI_SUCCESS);
    be_surprised();
    CHECK(pvar_value(one, mine) > value);
    CHECK(MPI_T_pvar_readreset(one, mine, &value) == MPI_SUCCESS && value > 0);
    CHECK(pvar_value(one, mine) == 0);
    value = 1000;
    CHECK(MPI_T_pvar_write(one, mine, &value) == MPI_SUCCESS);
    be_surprised();
    CHECK(pvar_value(one, mine) > 1000);
    CHECK(MPI_T_pvar_reset(one, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    CHECK(pvar_value(one, mine) == 0 && pvar_value(other, theirs) > 0);
    CHECK(MPI_T_pvar_read(one, theirs, &value) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_pvar_handle_free(other, &mine) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_pvar_handle_free(one, &mine) == MPI_SUCCESS);
    CHECK(mine == MPI_T_PVAR_HANDLE_NULL);
    CHECK(MPI_T_pvar_session_free(&other) == MPI_SUCCESS); // with its handles
    CHECK(other == MPI_T_PVAR_SESSION_NULL);
    CHECK(MPI_T_pvar_session_free(&one) == MPI_SUCCESS);
}

static void levels_rise_and_fall(void)
{
    MPI_T_pvar_session session;
    unsigned long long value, before;
    void *memory;
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    MPI_T_pvar_handle heap = pvar(session, "heap_bytes", MPI_T_PVAR_CLASS_LEVEL);
    before = pvar_value(session, heap);
    MPI_Alloc_mem(LONG, MPI_INFO_NULL, &memory);
    CHECK(pvar_value(session, heap) >= before + LONG);
    MPI_Free_mem(memory);
    CHECK(pvar_value(session, heap) == before);
    CHECK(MPI_T_pvar_start(session, heap) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK(MPI_T_pvar_stop(session, heap) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_write(session, heap, &before) == MPI_T_ERR_PVAR_NO_WRITE);
    CHECK(MPI_T_pvar_reset(session, heap) == MPI_T_ERR_PVAR_NO_WRITE);
    CHECK(MPI_T_pvar_readreset(session, heap, &value) == MPI_T_ERR_PVAR_NO_ATOMIC);
    CHECK(MPI_T_pvar_read(session, heap, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
}

static void bad_sessions_are_refused(void)
{
    int count, value;
    MPI_T_pvar_session session, freed;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, -1, NULL, &handle, &count) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_HANDLE_NULL) ==
          MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_pvar_handle_free(session, &handle) == MPI_T_ERR_INVALID_HANDLE);
    freed = session;
    CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_session_free(&session) == MPI_T_ERR_INVALID_SESSION);
    CHECK(MPI_T_pvar_session_free(&freed) == MPI_T_ERR_INVALID_SESSION);
    CHECK(MPI_T_pvar_handle_alloc(freed, 0, NULL, &handle, &count) ==
          MPI_T_ERR_INVALID_SESSION);
    CHECK(MPI_T_pvar_read(freed, handle, &value) == MPI_T_ERR_INVALID_SESSION);
    CHECK(MPI_T_pvar_start(freed, MPI_T_PVAR_ALL_HANDLES) == MPI_T_ERR_INVALID_SESSION);
}

// What is sent to others is counted by its path, and only there.
static void paths_are_told_apart(void)
{
    static const char *const bytes[] = {"node_message_bytes", "network_message_bytes"};
    static const char *const messages[] = {"node_messages", "network_messages"};
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handles[4];
    unsigned long long sent = 0, sent_bytes = 0;
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        handles[i] = pvar(session, messages[i], MPI_T_PVAR_CLASS_COUNTER);
        handles[2 + i] = pvar(session, bytes[i], MPI_T_PVAR_CLASS_AGGREGATE);
    }
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    for (int i = 0; i < 10; i++) {
        char out[100] = {0}, in[100];
        MPI_Sendrecv(out, sizeof out, MPI_CHAR, right(), 0, in, sizeof in, MPI_CHAR,
                     left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++) {
        sent += pvar_value(session, handles[i]);
        sent_bytes += pvar_value(session, handles[2 + i]);
    }
    CHECK(sent >= 10 && sent_bytes >= 1000);
    if (is_one_node())
        CHECK(pvar_value(session, handles[1]) == 0);
    CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
}

static void every_variable_is_in_a_category(void)
{
    int categories, cvars, pvars, all_cvars = 0, all_pvars = 0, index, stamp = -1;
    CHECK(MPI_T_category_get_num(&categories) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_get_num(&cvars) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_num(&pvars) == MPI_SUCCESS);
    bool seen[64] = {false};
    for (int i = 0; i < categories; i++) {
        char name[TEXT], description[TEXT];
        int name_room = sizeof name, room = sizeof description;
        int own_cvars, own_pvars, within, indices[64];
        CHECK(MPI_T_category_get_info(i, name, &name_room, description, &room,
                                      &own_cvars, &own_pvars, &within) == MPI_SUCCESS);
        CHECK(name_room == (int)strlen(name) + 1 && room > 1 && within == 0);
        CHECK(MPI_T_category_get_index(name, &index) == MPI_SUCCESS && index == i);
        CHECK(MPI_T_category_get_categories(i, 64, indices) == MPI_SUCCESS);
        memset(indices, -1, sizeof indices);
        CHECK(MPI_T_category_get_cvars(i, 64, indices) == MPI_SUCCESS);
        for (int j = 0; j < own_cvars; j++)
            CHECK(indices[j] == j);
        CHECK(indices[own_cvars] == -1);
        CHECK(MPI_T_category_get_pvars(i, 64, indices) == MPI_SUCCESS);
        for (int j = 0; j < own_pvars; j++) {
            CHECK(!seen[indices[j]]);
            seen[indices[j]] = true;
        }
        memset(indices, -1, sizeof indices);
        CHECK(MPI_T_category_get_pvars(i, 1, indices) == MPI_SUCCESS);
        CHECK(indices[1] == -1);
        all_cvars += own_cvars;
        all_pvars += own_pvars;
    }
    CHECK(all_cvars == cvars && all_pvars == pvars);
    CHECK(MPI_T_category_get_index("none", &index) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_category_get_num_events(categories, &index) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_pvars(-1, 0, NULL) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_cvars(0, 1, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_category_changed(&stamp) == MPI_SUCCESS && stamp == 0);
}

static void start_tools(void)
{
    int provided = -1;
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(provided >= MPI_THREAD_SINGLE);
}

// Sets what the library starts with.
static void settings_of_a_tool_hold(int *argc, char ***argv)
{
    int off = 0, microseconds = 3;
    start_tools();
    CHECK(cvar_write("ORIEL_PROGRESS", &off) == MPI_SUCCESS);
    CHECK(cvar_write("ORIEL_SPIN", &microseconds) == MPI_SUCCESS);
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    start(argc, argv);
    start_tools();
    CHECK(cvar_value("ORIEL_PROGRESS") == off);
    CHECK(cvar_value("ORIEL_SPIN") == microseconds);
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
}

static void variables_are_read(void)
{
    every_control_variable_is_told();
    bad_control_variables_are_refused();
    every_performance_variable_is_told();
    bad_sessions_are_refused();
    every_variable_is_in_a_category();
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        settings_of_a_tool_hold(&argc, &argv);
        return finish();
    }
    nothing_works_before_the_start();
    start_tools();
    variables_are_read();
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    start_tools(); // as often as one likes
    variables_are_read();
    some_control_variables_change_while_mpi_runs();
    counters_count_while_they_are_started();
    levels_rise_and_fall();
    paths_are_told_apart();
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    int code = finish();
    variables_are_read();
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
    return code;
}
