// SPDX-License-Identifier: BSD-3-Clause
// Processes that do not lead their nodes find each other while one of those that they need
// for that waits outside of MPI until they have. Two nodes of two processes each.
//
// usage: first_contact leader|asker FOLDER
//   leader  that of the receiver waits outside
//   asker   the first of the senders' node to ask that leader does; needs ORIEL_PROGRESS=off
#include <mpi.h>

#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

enum { LEADER = 0, ASKER = 1, OTHER_LEADER = 2, RECEIVER = 3 };

static const char *folder;

static void path_of(const char *flag, char path[4096])
{
    snprintf(path, 4096, "%s/%s", folder, flag);
}

static void flag_raise(const char *flag)
{
    char path[4096];
    path_of(flag, path);
    FILE *file = fopen(path, "w");
    if (file != NULL)
        fclose(file);
}

// Makes no call of MPI.
static void flag_await(const char *flag)
{
    char path[4096];
    path_of(flag, path);
    while (access(path, F_OK) != 0)
        thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void send_to_receiver(void)
{
    MPI_Send(NULL, 0, MPI_BYTE, RECEIVER, 0, MPI_COMM_WORLD);
}

static void receive_from(int source)
{
    MPI_Recv(NULL, 0, MPI_BYTE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void leader_waits(int rank)
{
    if (rank == ASKER)
        send_to_receiver();
    if (rank == OTHER_LEADER)
        flag_await("received");
    if (rank == RECEIVER) {
        receive_from(ASKER);
        flag_raise("received");
    }
}

static void asker_waits(int rank)
{
    MPI_Request request;
    if (rank == ASKER) {
        MPI_Isend(NULL, 0, MPI_BYTE, RECEIVER, 0, MPI_COMM_WORLD, &request);
        flag_raise("asked");
        flag_await("received");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == LEADER) {
        flag_await("asked");
        send_to_receiver();
    }
    if (rank == RECEIVER) {
        receive_from(LEADER);
        flag_raise("received");
        receive_from(ASKER);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 || size != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    folder = argv[2];
    if (strcmp(argv[1], "leader") == 0)
        leader_waits(rank);
    else
        asker_waits(rank);
    MPI_Finalize();
    return 0;
}
