// SPDX-License-Identifier: BSD-3-Clause
// An MPI program some of whose ranks die; the others go on with one kind of call until
// it fails and say by which error. See test_survivors.py.
//
// usage: survivors CALL RANK ..., where the given ranks die
#include <mpi.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static bool dies[64];
static int victim; // the first that dies
static MPI_Win win;

// ---- calls that need the dead

static int receive(void)
{
    int value;
    return MPI_Recv(&value, 1, MPI_INT, victim, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int receive_any(void)
{
    int value;
    return MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
}

static int send_long(void)
{
    static char data[1 << 20];
    return MPI_Send(data, sizeof data, MPI_BYTE, victim, 0, MPI_COMM_WORLD);
}

static int barrier(void)
{
    return MPI_Barrier(MPI_COMM_WORLD);
}

static int fence(void)
{
    return MPI_Win_fence(0, win);
}

static int make_window(void)
{
    MPI_Win another;
    return MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &another);
}

// The dead had it locked.
static int lock_held(void)
{
    return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim == 0 ? 1 : 0, 0, win);
}

static int in_lock(int (*access)(void))
{
    int err = MPI_Win_lock(MPI_LOCK_SHARED, victim, 0, win);
    if (!err)
        err = access();
    if (!err)
        err = MPI_Win_flush(victim, win);
    int end = MPI_Win_unlock(victim, win);
    return err ? err : end;
}

static int put_once(void)
{
    static char data[1 << 16];
    return MPI_Put(data, sizeof data, MPI_BYTE, victim, 0, sizeof data, MPI_BYTE, win);
}

static int put(void)
{
    return in_lock(put_once);
}

static int accumulate_once(void)
{
    int one = 1;
    return MPI_Accumulate(&one, 1, MPI_INT, victim, 0, 1, MPI_INT, MPI_SUM, win);
}

static int accumulate(void)
{
    return in_lock(accumulate_once);
}

static int start_epoch(void)
{
    MPI_Group world, target;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &victim, &target);
    int err = MPI_Win_start(target, 0, win);
    if (!err)
        err = accumulate_once();
    MPI_Group_free(&world);
    MPI_Group_free(&target);
    return err;
}

static const struct {
    const char *name;
    int (*call)(void);
} calls[] = {
    {"receive", receive},       {"receive_any", receive_any},
    {"send", send_long},        {"barrier", barrier},
    {"fence", fence},           {"window", make_window},
    {"lock", lock_held},        {"put", put},
    {"accumulate", accumulate}, {"start", start_epoch},
};

static void call_until_it_fails(const char *name)
{
    char text[MPI_MAX_ERROR_STRING];
    int err = MPI_SUCCESS, length;
    double begin = MPI_Wtime();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        while (strcmp(calls[i].name, name) == 0 && err == MPI_SUCCESS)
            err = calls[i].call();
    MPI_Error_string(err, text, &length);
    printf("rank %d after %.1f s: %s\n", rank, MPI_Wtime() - begin, text);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    void *base;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    victim = atoi(argv[2]);
    for (int i = 2; i < argc; i++)
        dies[atoi(argv[i])] = true;
    MPI_Win_allocate(1 << 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (strcmp(argv[1], "fence") == 0)
        MPI_Win_fence(0, win);
    if (strcmp(argv[1], "lock") == 0 && rank == victim) {
        int target = victim == 0 ? 1 : 0;
        lock_held();
        MPI_Put("", 1, MPI_BYTE, target, 0, 1, MPI_BYTE, win);
        MPI_Win_flush(target, win); // so it has been granted
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (dies[rank])
        raise(SIGKILL);
    call_until_it_fails(argv[1]);
    return MPI_Finalize() == MPI_SUCCESS; // that needs the dead, too
}
