// SPDX-License-Identifier: BSD-3-Clause
// sessions: before, beside and without MPI_Init; their process sets, communicators and
// error handlers (MPI-4.1 7.3.2, 9.3.4, 11.3). With an argument: no MPI_Init at all.
#include "window_test.h"

#include <pthread.h>

enum { LONG = 60000 };

static int handled_code, handled_count;
static MPI_Session handled;

static void handle_error(MPI_Session *session, int *code, ...)
{
    handled = *session;
    handled_code = *code;
    handled_count++;
}

static MPI_Session open_session(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
    CHECK(session != MPI_SESSION_NULL);
    return session;
}

static void close_session(MPI_Session *session)
{
    CHECK(MPI_Session_finalize(session) == MPI_SUCCESS);
    CHECK(*session == MPI_SESSION_NULL);
}

static MPI_Comm communicator_of(MPI_Session session, const char *pset, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    CHECK(MPI_Group_from_session_pset(session, pset, &group) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                     &comm) == MPI_SUCCESS);
    MPI_Group_free(&group);
    return comm;
}

static void sets_have_names_and_sizes(MPI_Session session)
{
    int count, members;
    bool has_world = false, has_self = false;
    CHECK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count) == MPI_SUCCESS);
    for (int i = 0; i < count; i++) {
        char name[MPI_MAX_PSET_NAME_LEN], value[16];
        int needed = 0, length = sizeof value, flag;
        MPI_Info info;
        MPI_Group group;
        CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &needed, NULL) ==
              MPI_SUCCESS);
        CHECK(needed > 1 && needed <= MPI_MAX_PSET_NAME_LEN);
        CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &needed, name) ==
              MPI_SUCCESS);
        CHECK((int)strlen(name) + 1 == needed);
        has_world |= strcmp(name, "mpi://WORLD") == 0;
        has_self |= strcmp(name, "mpi://SELF") == 0;
        CHECK(MPI_Session_get_pset_info(session, name, &info) == MPI_SUCCESS);
        CHECK(MPI_Info_get_string(info, "mpi_size", &length, value, &flag) ==
              MPI_SUCCESS);
        MPI_Info_free(&info);
        CHECK(MPI_Group_from_session_pset(session, name, &group) == MPI_SUCCESS);
        MPI_Group_size(group, &members);
        CHECK(flag && atoi(value) == members);
        MPI_Group_free(&group);
    }
    CHECK(has_world && has_self);
    int room = 5;
    char cut[8];
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &room, cut) ==
          MPI_SUCCESS);
    CHECK(strlen(cut) == 4 && room > 5);
}

// They are URIs, so that their letters may be small or capital ones.
static void names_of_sets_have_no_case(MPI_Session session)
{
    const char *const names[] = {"mpi://world", "MPI://SELF", "Mpi://Self"};
    MPI_Group group;
    MPI_Info info;
    int members, in_world;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Group_size(group, &in_world);
    MPI_Group_free(&group);
    for (int i = 0; i < 3; i++) {
        CHECK_CLASS(MPI_Group_from_session_pset(session, names[i], &group),
                    MPI_SUCCESS);
        MPI_Group_size(group, &members);
        CHECK(members == (i == 0 ? in_world : 1));
        MPI_Group_free(&group);
        CHECK_CLASS(MPI_Session_get_pset_info(session, names[i], &info), MPI_SUCCESS);
        MPI_Info_free(&info);
    }
}

static void a_handler_is_raised_before_its_session(void)
{
    MPI_Errhandler handler;
    int before = handled_count;
    handled = MPI_SESSION_NULL;
    CHECK(MPI_Session_create_errhandler(handle_error, &handler) == MPI_SUCCESS);
    CHECK_CLASS(MPI_Session_init(MPI_INFO_NULL, handler, NULL), MPI_ERR_ARG);
    CHECK(handled_count == before + 1 && handled == MPI_SESSION_NULL);
    CHECK(handled_code == MPI_ERR_ARG);
    MPI_Errhandler_free(&handler);
}

static void communicators_of_sets_communicate(MPI_Session session)
{
    MPI_Comm comm = communicator_of(session, "mpi://WORLD", "sessions");
    MPI_Comm alone = communicator_of(session, "mpi://SELF", "alone");
    int me, all, sum, one = 1;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    CHECK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    CHECK(sum == all * (all - 1) / 2);
    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, alone) == MPI_SUCCESS);
    CHECK(sum == 1);
    MPI_Win window;
    int *memory, next = (me + 1) % all;
    CHECK(MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm, &memory,
                           &window) == MPI_SUCCESS);
    MPI_Win_fence(0, window);
    CHECK(MPI_Put(&me, 1, MPI_INT, next, 0, 1, MPI_INT, window) == MPI_SUCCESS);
    MPI_Win_fence(0, window);
    CHECK(*memory == (me + all - 1) % all);
    MPI_Win_free(&window);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&comm);
}

static void errors_reach_the_handler_of_the_session(MPI_Session session)
{
    MPI_Errhandler handler, found;
    MPI_Group group;
    int before = handled_count;
    CHECK(MPI_Session_create_errhandler(handle_error, &handler) == MPI_SUCCESS);
    CHECK(MPI_Session_set_errhandler(session, handler) == MPI_SUCCESS);
    CHECK(MPI_Session_get_errhandler(session, &found) == MPI_SUCCESS);
    CHECK(found == handler);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&handler);
    CHECK_CLASS(MPI_Group_from_session_pset(session, "app://none", &group),
                MPI_ERR_ARG);
    CHECK(handled_count == before + 1 && handled == session);
    CHECK(handled_code == MPI_ERR_ARG);
    CHECK(MPI_Session_call_errhandler(session, MPI_ERR_IO) == MPI_SUCCESS);
    CHECK(handled_count == before + 2 && handled_code == MPI_ERR_IO);
    CHECK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    int room = 0, some = 9;
    CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &some, NULL),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 99, &room, NULL),
                MPI_ERR_ARG);
    CHECK(handled_count == before + 2);
}

static void the_thread_level_is_told(MPI_Session session)
{
    MPI_Info info;
    char level[32];
    int room = sizeof level, flag;
    CHECK(MPI_Session_get_info(session, &info) == MPI_SUCCESS);
    CHECK(MPI_Info_get_string(info, "thread_level", &room, level, &flag) ==
          MPI_SUCCESS);
    CHECK(flag && strncmp(level, "MPI_THREAD_", 11) == 0);
    MPI_Info_free(&info);
}

// Sent back and forth by a process to itself, so that it is known when one has left.
static void send_and_receive(MPI_Comm comm, int me)
{
    static char out[LONG], in[LONG];
    out[LONG - 1] = 'x';
    in[LONG - 1] = 0;
    CHECK(MPI_Bsend(out, LONG, MPI_CHAR, me, 1, comm) == MPI_SUCCESS);
    CHECK_CLASS(MPI_Bsend(out, LONG, MPI_CHAR, me, 2, comm), MPI_ERR_BUFFER);
    CHECK(MPI_Recv(in, LONG, MPI_CHAR, me, 1, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(in[LONG - 1] == 'x');
}

static void buffers_are_for_all_communicators_of_a_session(MPI_Session session)
{
    static char buffer[LONG + MPI_BSEND_OVERHEAD];
    MPI_Comm made = communicator_of(session, "mpi://WORLD", "buffers"), copy, part;
    MPI_Request flush;
    void *detached = NULL;
    int me, length = -1;
    MPI_Comm_rank(made, &me);
    MPI_Comm_dup(made, &copy);
    MPI_Comm_split(copy, me % 2, -me, &part);
    CHECK_CLASS(MPI_Session_detach_buffer(session, &detached, &length), MPI_ERR_BUFFER);
    CHECK(MPI_Session_attach_buffer(session, buffer, sizeof buffer) == MPI_SUCCESS);
    CHECK_CLASS(MPI_Session_attach_buffer(session, buffer, 1), MPI_ERR_BUFFER);
    send_and_receive(made, me);
    CHECK(MPI_Session_flush_buffer(session) == MPI_SUCCESS);
    send_and_receive(copy, me);
    CHECK(MPI_Session_iflush_buffer(session, &flush) == MPI_SUCCESS);
    CHECK(MPI_Wait(&flush, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Comm_rank(part, &me);
    send_and_receive(part, me);
    CHECK(MPI_Session_detach_buffer(session, &detached, &length) == MPI_SUCCESS);
    CHECK(detached == buffer && length == (int)sizeof buffer);
    CHECK_CLASS(MPI_Bsend(buffer, 1, MPI_CHAR, me, 1, part), MPI_ERR_BUFFER);
    MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&made);
}

static void *open_and_close(void *unused)
{
    for (int i = 0; i < 100; i++) {
        MPI_Session session = open_session();
        close_session(&session);
    }
    return unused;
}

static void threads_open_sessions_at_once(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, open_and_close, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void check_world(bool is_initialized, bool is_finalized)
{
    int flag;
    MPI_Initialized(&flag);
    CHECK(flag == is_initialized);
    MPI_Finalized(&flag);
    CHECK(flag == is_finalized);
}

static void check_session(MPI_Session session)
{
    sets_have_names_and_sizes(session);
    names_of_sets_have_no_case(session);
    a_handler_is_raised_before_its_session();
    communicators_of_sets_communicate(session);
    errors_reach_the_handler_of_the_session(session);
    the_thread_level_is_told(session);
    buffers_are_for_all_communicators_of_a_session(session);
}

int main(int argc, char **argv)
{
    MPI_Session early = open_session();
    check_world(false, false);
    check_session(early);
    MPI_Count length = -1;
    void *detached;
    CHECK(MPI_Session_attach_buffer_c(early, &length, 8) == MPI_SUCCESS);
    CHECK(MPI_Session_detach_buffer_c(early, &detached, &length) == MPI_SUCCESS);
    CHECK(detached == &length && length == 8);
    CHECK(MPI_Session_attach_buffer(early, MPI_BUFFER_AUTOMATIC, 0) == MPI_SUCCESS);
    close_session(&early); // with its buffer
    threads_open_sessions_at_once();
    MPI_Session second = open_session(); // one may follow another
    check_session(second);
    if (argc > 1) {
        close_session(&second);
        return 0;
    }
    start(&argc, &argv);
    MPI_Session beside = open_session();
    check_world(true, false);
    check_session(beside);
    close_session(&second);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    check_world(true, true);
    check_session(beside); // it outlives the World Model
    close_session(&beside);
    MPI_Session late;
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &late) == MPI_ERR_OTHER);
}
