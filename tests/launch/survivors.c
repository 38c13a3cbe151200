// SPDX-License-Identifier: BSD-3-Clause
// An MPI program some of whose ranks die; the others go on with one kind of call until
// it fails and say by which error, and of which death they were told by an event. See
// test_survivors.py.
//
// usage: survivors CALL RANK ..., where the given ranks die
#include <mpi.h>

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

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

// One of many looks in vain.
static int test(void)
{
    static MPI_Request request = MPI_REQUEST_NULL;
    static int value;
    int has_come;
    if (request == MPI_REQUEST_NULL)
        MPI_Irecv(&value, 1, MPI_INT, victim, 0, MPI_COMM_WORLD, &request);
    return MPI_Test(&request, &has_come, MPI_STATUS_IGNORE);
}

static int probe(void)
{
    int has_come;
    return MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &has_come, MPI_STATUS_IGNORE);
}

static int send_long(void)
{
    static char data[1 << 20];
    return MPI_Send(data, sizeof data, MPI_BYTE, victim, 0, MPI_COMM_WORLD);
}

static int send_short(void)
{
    return MPI_Send("", 1, MPI_BYTE, victim, 0, MPI_COMM_WORLD);
}

// Only its leader, the victim, could tell where the next one is, unless that is known.
static int send_next(void)
{
    static char data[1 << 20];
    int next = victim + 1;
    return rank == next
               ? receive()
               : MPI_Send(data, sizeof data, MPI_BYTE, next, 0, MPI_COMM_WORLD);
}

static int start_short(void)
{
    MPI_Request request;
    int err = MPI_Isend("", 1, MPI_BYTE, victim, 0, MPI_COMM_WORLD, &request);
    return err ? err : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int barrier(void)
{
    return MPI_Barrier(MPI_COMM_WORLD);
}

static int allreduce(void)
{
    int one = 1, sum;
    return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static int barrier_later(void)
{
    MPI_Request request;
    int err = MPI_Ibarrier(MPI_COMM_WORLD, &request);
    return err ? err : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void open_fence(void)
{
    MPI_Win_fence(0, win);
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

static int free_window(void)
{
    return MPI_Win_free(&win);
}

// ---- locks that the dead had

static void victim_locks(int type)
{
    int target = victim == 0 ? 1 : 0;
    if (rank != victim)
        return;
    MPI_Win_lock(type, target, 0, win);
    MPI_Put("", 1, MPI_BYTE, target, 0, 1, MPI_BYTE, win);
    MPI_Win_flush(target, win); // so it has been granted
}

static void victim_locks_alone(void)
{
    victim_locks(MPI_LOCK_EXCLUSIVE);
}

static void victim_shares_lock(void)
{
    victim_locks(MPI_LOCK_SHARED);
}

// Others are in the queue, too.
static int lock(void)
{
    int target = victim == 0 ? 1 : 0;
    int err = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    int end = err ? 0 : MPI_Win_unlock(target, win); // that waits for the grant
    return err ? err : end;
}

static int lock_all(void)
{
    int target = victim == 0 ? 1 : 0;
    int err = MPI_Win_lock_all(0, win);
    if (err)
        return err;
    err = MPI_Put("", 1, MPI_BYTE, target, 0, 1, MPI_BYTE, win);
    int end = MPI_Win_unlock_all(win);
    return err ? err : end;
}

// ---- accesses to the dead

// What is not locked is not unlocked: that error's text would take the place of the first.
static int in_lock(int (*access)(void))
{
    int err = MPI_Win_lock(MPI_LOCK_SHARED, victim, 0, win);
    if (err)
        return err;
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

static int rget_once(void)
{
    static char data[1 << 16];
    MPI_Request request;
    int err = MPI_Rget(data, sizeof data, MPI_BYTE, victim, 0, sizeof data, MPI_BYTE,
                       win, &request);
    return err ? err : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int rget(void)
{
    return in_lock(rget_once);
}

static int fetch_once(void)
{
    int one = 1, before;
    return MPI_Fetch_and_op(&one, &before, MPI_INT, victim, 0, MPI_SUM, win);
}

static int fetch(void)
{
    return in_lock(fetch_once);
}

static MPI_Group group_of_victim(void)
{
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &victim, &group);
    MPI_Group_free(&world);
    return group;
}

static int start_epoch(void)
{
    MPI_Group target = group_of_victim();
    int err = MPI_Win_start(target, 0, win);
    if (!err)
        err = accumulate_once();
    MPI_Group_free(&target);
    return err;
}

static void post(void)
{
    MPI_Group origin = group_of_victim();
    if (rank != victim)
        MPI_Win_post(origin, 0, win);
    MPI_Group_free(&origin);
}

static int wait(void)
{
    return MPI_Win_wait(win);
}

static int test_exposed(void)
{
    int is_complete;
    return MPI_Win_test(win, &is_complete);
}

static const struct {
    const char *name;
    int (*call)(void);
    void (*before)(void); // the deaths, or NULL
} calls[] = {
    {"receive", receive, NULL},
    {"receive_any", receive_any, NULL},
    {"test", test, NULL},
    {"probe", probe, NULL},
    {"send", send_long, NULL},
    {"send_short", send_short, NULL},
    {"send_next", send_next, NULL},
    {"start_short", start_short, NULL},
    {"barrier", barrier, NULL},
    {"ibarrier", barrier_later, NULL},
    {"allreduce", allreduce, NULL},
    {"fence", fence, open_fence},
    {"window", make_window, NULL},
    {"free", free_window, NULL},
    {"finalize", MPI_Finalize, NULL},
    {"lock", lock, victim_locks_alone},
    {"lock_shared", lock, victim_shares_lock},
    {"lock_all", lock_all, victim_locks_alone},
    {"put", put, NULL},
    {"rget", rget, NULL},
    {"fetch", fetch, NULL},
    {"accumulate", accumulate, NULL},
    {"start", start_epoch, NULL},
    {"wait", wait, post},
    {"test_exposed", test_exposed, post},
};

static int find_call(const char *name)
{
    int i = 0;
    while (strcmp(calls[i].name, name) != 0)
        i++;
    return i;
}

// ---- what a tool is told

static atomic_int told_count, told_rank;

static void hear(MPI_T_event_instance instance, MPI_T_event_registration registration,
                 MPI_T_cb_safety safety, void *data)
{
    MPI_Count dead;
    (void)registration, (void)safety, (void)data;
    MPI_T_event_read(instance, 0, &dead);
    told_rank = (int)dead;
    told_count++;
}

static void listen(void)
{
    MPI_T_event_registration registration;
    int provided, event;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MPI_T_event_get_index("process_died", &event);
    MPI_T_event_handle_alloc(event, NULL, MPI_INFO_NULL, &registration);
    MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_THREAD_SAFE,
                                  MPI_INFO_NULL, NULL, hear);
}

// Another thread may be the one that tells it, and be about to.
static void await_telling(void)
{
    for (int i = 0; i < 1000 && told_count == 0; i++)
        thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void call_until_it_fails(int (*call)(void))
{
    char text[MPI_MAX_ERROR_STRING];
    int err = MPI_SUCCESS, length;
    double begin = MPI_Wtime();
    while (err == MPI_SUCCESS)
        err = call();
    double seconds = MPI_Wtime() - begin;
    MPI_Error_string(err, text, &length);
    if (strstr(text, "has died") != NULL)
        await_telling();
    printf("rank %d after %.1f s, told %d times of %d: %s\n", rank, seconds, told_count,
           told_rank, text);
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
    listen();
    int call = find_call(argv[1]), has_ended;
    if (calls[call].before)
        calls[call].before();
    MPI_Barrier(MPI_COMM_WORLD);
    if (dies[rank])
        raise(SIGKILL);
    call_until_it_fails(calls[call].call);
    MPI_Finalized(&has_ended);
    return has_ended || MPI_Finalize() == MPI_SUCCESS; // that needs the dead, too
}
