#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { SLOTS = 1024, NUMBERS = 2000, KEYS = 500 };

// Adds one to the count of a key, in whichever process and slot the key is or comes.
static void table_count(int64_t key, int size, MPI_Win win)
{
    static const int64_t empty = 0, one = 1;
    int64_t hash = key * 2654435761 / 1024, found;
    int target = hash % size;
    for (int64_t slot = hash / size;; slot++) {
        MPI_Aint place = slot % SLOTS * 2; // of the key; its count comes after it
        MPI_Compare_and_swap(&key, &empty, &found, MPI_INT64_T, target, place, win);
        MPI_Win_flush(target, win);
        if (found == empty || found == key) {
            MPI_Accumulate(&one, 1, MPI_INT64_T, target, place + 1, 1, MPI_INT64_T,
                           MPI_SUM, win);
            return;
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    int64_t *table, mine[2] = {0, 0}, all[2]; // keys, and how often they came
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(SLOTS * 2 * sizeof(int64_t), sizeof(int64_t), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &table, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 2 * SLOTS; i++)
        table[i] = 0;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);

    for (int i = 0; i < NUMBERS; i++)
        table_count((i * 7 + rank) % KEYS + 1, size, win);

    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int slot = 0; slot < SLOTS; slot++) {
        mine[0] += table[2 * slot] != 0;
        mine[1] += table[2 * slot + 1];
    }
    printf("rank %d has %d keys\n", rank, (int)mine[0]);
    MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return all[0] != KEYS || all[1] != (int64_t)size * NUMBERS;
}
