// SPDX-License-Identifier: BSD-3-Clause
// One of two processes that use sessions, or not; see sessions_are_local.
//
// usage: alone first|late|idle FILE [meet]
//   first  has a session from beginning to end, then makes the file
//   late   begins its own when the file is there
//   idle   waits for the file and never calls MPI
//   meet   afterwards makes a communicator in another session
#define _GNU_SOURCE
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(int is_true, const char *claim)
{
    if (is_true)
        return;
    fprintf(stderr, "%s is not true\n", claim);
    abort();
}
#define CHECK(claim) check((claim), #claim)

static MPI_Group open_world(MPI_Session *session)
{
    MPI_Group world;
    int size;
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session) == MPI_SUCCESS);
    CHECK(MPI_Group_from_session_pset(*session, "mpi://WORLD", &world) == MPI_SUCCESS);
    CHECK(MPI_Group_size(world, &size) == MPI_SUCCESS && size == 2);
    return world;
}

// All that MPI lets a process do before it communicates.
static void be_alone(void)
{
    MPI_Session session;
    MPI_Group world = open_world(&session), self, both;
    MPI_Datatype pair;
    MPI_Info info;
    int result, rank, bytes;
    char value[8];
    int room = sizeof value, flag, length = -1;
    static char buffer[100];
    void *detached;
    CHECK(MPI_Group_from_session_pset(session, "mpi://SELF", &self) == MPI_SUCCESS);
    CHECK(MPI_Group_rank(self, &rank) == MPI_SUCCESS && rank == 0);
    CHECK(MPI_Group_union(self, world, &both) == MPI_SUCCESS);
    CHECK(MPI_Group_compare(both, world, &result) == MPI_SUCCESS);
    CHECK(result == MPI_IDENT || result == MPI_SIMILAR);
    CHECK(MPI_Session_get_pset_info(session, "mpi://WORLD", &info) == MPI_SUCCESS);
    CHECK(MPI_Info_get_string(info, "mpi_size", &room, value, &flag) == MPI_SUCCESS);
    CHECK(flag && strcmp(value, "2") == 0);
    CHECK(MPI_Type_contiguous(2, MPI_INT, &pair) == MPI_SUCCESS);
    CHECK(MPI_Type_size(pair, &bytes) == MPI_SUCCESS && bytes == 2 * sizeof(int));
    CHECK(MPI_Session_attach_buffer(session, buffer, sizeof buffer) == MPI_SUCCESS);
    CHECK(MPI_Session_flush_buffer(session) == MPI_SUCCESS);
    CHECK(MPI_Session_detach_buffer(session, &detached, &length) == MPI_SUCCESS);
    CHECK(detached == buffer && length == sizeof buffer);
    CHECK(MPI_Group_from_session_pset(session, "none", &both) == MPI_ERR_ARG);
    MPI_Info_free(&info);
    MPI_Type_free(&pair);
    MPI_Group_free(&both);
    MPI_Group_free(&self);
    MPI_Group_free(&world);
    CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
}

static void meet(void)
{
    MPI_Session session;
    MPI_Group world = open_world(&session);
    MPI_Comm comm;
    int one = 1, sum;
    CHECK(MPI_Comm_create_from_group(world, "here", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                     &comm) == MPI_SUCCESS);
    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    CHECK(sum == 2);
    MPI_Comm_free(&comm);
    MPI_Group_free(&world);
    CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    CHECK(argc > 2);
    const char *role = argv[1], *file = argv[2];
    while (strcmp(role, "first") != 0 && access(file, F_OK) != 0)
        usleep(1000);
    if (strcmp(role, "idle") == 0)
        return 0;
    be_alone();
    if (strcmp(role, "first") == 0) {
        FILE *made = fopen(file, "w");
        CHECK(made != NULL && fclose(made) == 0);
    }
    if (argc > 3)
        meet();
    return 0;
}
