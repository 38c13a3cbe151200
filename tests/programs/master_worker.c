// SPDX-License-Identifier: BSD-3-Clause
// Master and workers: rank 0 hands out tasks of different lengths; it probes for whoever
// answers next. A worker probes for the length and the tag of what it gets.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 200, WORK = 1, STOP, RESULT };

static void give(int task, int worker)
{
    int length = task % 50 + 1, *numbers = malloc((length + 1) * sizeof *numbers);
    numbers[0] = task;
    for (int i = 1; i <= length; i++)
        numbers[i] = i * task;
    MPI_Send(numbers, length + 1, MPI_INT, worker, WORK, MPI_COMM_WORLD);
    free(numbers);
}

static int master(int workers)
{
    int next = 0, wrong = 0, done = 0;
    for (int worker = 1; worker <= workers; worker++)
        if (next < TASKS)
            give(next++, worker);
    while (workers > 0 && done < TASKS) {
        MPI_Status status;
        int answer[2];
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        wrong += status.MPI_TAG != RESULT;
        MPI_Recv(answer, 2, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        int length = answer[0] % 50 + 1;
        wrong += answer[1] != answer[0] * (length * (length + 1) / 2);
        done++;
        if (next < TASKS)
            give(next++, status.MPI_SOURCE);
    }
    for (int worker = 1; worker <= workers; worker++)
        MPI_Send(NULL, 0, MPI_INT, worker, STOP, MPI_COMM_WORLD);
    return wrong;
}

static void work(void)
{
    for (;;) {
        MPI_Message message;
        MPI_Status status;
        int length;
        MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_INT, &length);
        int *numbers = malloc((length + 1) * sizeof *numbers);
        MPI_Mrecv(numbers, length, MPI_INT, &message, MPI_STATUS_IGNORE);
        if (status.MPI_TAG == STOP) {
            free(numbers);
            return;
        }
        int answer[2] = {numbers[0], 0};
        for (int i = 1; i < length; i++)
            answer[1] += numbers[i];
        free(numbers);
        MPI_Send(answer, 2, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        wrong = master(size - 1);
    else
        work();
    if (wrong)
        fprintf(stderr, "%d wrong answers\n", wrong);
    MPI_Finalize();
    return wrong != 0;
}
