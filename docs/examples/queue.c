#include <mpi.h>
#include <stdio.h>

enum { TASKS = 5000, NEXT = 0, SUM = 1 }; // NEXT and SUM are places in the window

static int divisors_of(int number)
{
    int divisors = 0;
    for (int i = 1; i <= number; i++)
        divisors += number % i == 0;
    return divisors;
}

int main(int argc, char **argv)
{
    int rank, *cells, task, done = 0, missing = 0;
    const int one = 1;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &cells, &win);
    MPI_Win_lock_all(0, win);
    cells[NEXT] = cells[SUM] = 0;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);

    for (;;) {
        MPI_Fetch_and_op(&one, &task, MPI_INT, 0, NEXT, MPI_SUM, win);
        MPI_Win_flush(0, win);
        if (task >= TASKS)
            break;
        int divisors = divisors_of(task + 1); // the work
        MPI_Accumulate(&divisors, 1, MPI_INT, 0, SUM, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush_local(0, win);
        done++;
    }

    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d has done %d tasks\n", rank, done);
    for (int i = 1; i <= TASKS && rank == 0; i++)
        missing += TASKS / i; // so many numbers up to TASKS have the divisor i
    if (rank == 0)
        missing -= cells[SUM];
    MPI_Win_free(&win);
    MPI_Finalize();
    return missing != 0;
}
