// SPDX-License-Identifier: BSD-3-Clause
// Accesses that collective calls, epochs, locks and flags order.
#include "ordered.h"

// ---- collective calls -----------------------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void persistent_barrier(bool wrong)
{
    MPI_Request request;
    MPI_Win win = locked_window_open();
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int turn = 0; turn < 3; turn++) {
        if (rank == turn)
            // mistake: conflicting-accesses
            MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush_all(win);
        if (!wrong)
            MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void persistent_collectives_in_any_order(bool wrong)
{
    int given = 1, sum, first = 1;
    MPI_Request requests[2];
    MPI_Win win = locked_window_open();
    MPI_Allreduce_init(&given, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[0]);
    MPI_Bcast_init(&first, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    if (!wrong)
        MPI_Startall(2, requests);
    for (int done = 0; !done;)
        MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void nonblocking_reduction(bool wrong)
{
    int given = 1, sum, done = wrong;
    MPI_Request request;
    MPI_Win win = locked_window_open();
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    MPI_Iallreduce(&given, &sum, 1, MPI_INT, MPI_SUM,
                   wrong ? MPI_COMM_SELF : MPI_COMM_WORLD, &request);
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    locked_window_close(win);
}

// What a broadcast gives comes from its root.
// run: -n 3 -env ORIEL_CHECK races
void nonblocking_broadcast_from_its_root(bool wrong)
{
    int value = 1;
    MPI_Request request;
    MPI_Win win = locked_window_open();
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    MPI_Ibcast(&value, 1, MPI_INT, wrong ? 2 : 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void reduction_of_neighbours(bool wrong)
{
    int sent[2] = {0}, received[2], sizes[] = {3}, periods[] = {1};
    MPI_Comm ring;
    MPI_Win win = locked_window_open();
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    if (!wrong)
        MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Comm_free(&ring);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void communicator_of_a_group(bool wrong)
{
    MPI_Comm pair;
    MPI_Group all, group;
    MPI_Win win = locked_window_open();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, (int[]){0, 2}, &group);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    if (rank != OWNER && !wrong) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &pair);
        MPI_Comm_free(&pair);
    }
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void duplicate_that_is_begun(bool wrong)
{
    MPI_Comm copy;
    MPI_Request request;
    MPI_Win win = locked_window_open();
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    MPI_Comm_idup(wrong ? MPI_COMM_SELF : MPI_COMM_WORLD, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Comm_free(&copy);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void barrier_of_two_groups(bool wrong)
{
    MPI_Comm part, bridge;
    MPI_Win win = locked_window_open();
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2, 0, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 2 ? 0 : 2, 0, &bridge);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(wrong ? part : bridge);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&part);
    locked_window_close(win);
}

// ---- other windows --------------------------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void fence_of_another_window(bool wrong)
{
    double *memory;
    MPI_Win other, win = locked_window_open();
    MPI_Win_allocate(8, 8, MPI_INFO_NULL, wrong ? MPI_COMM_SELF : MPI_COMM_WORLD,
                     &memory, &other);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, other);
    MPI_Win_fence(0, other);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, other);
    MPI_Win_free(&other);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void exposure_of_another_window(bool wrong)
{
    double *memory;
    int done = 0;
    MPI_Group all, partner;
    MPI_Win other, win = locked_window_open();
    MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &other);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, rank == 0 ? (int[]){2} : (int[]){0}, &partner);
    if (rank == 0) {
        MPI_Win_start(partner, 0, other);
        if (wrong)
            MPI_Win_complete(other);
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        if (!wrong)
            MPI_Win_complete(other);
    }
    if (rank == 2) {
        MPI_Win_post(partner, 0, other);
        while (!done)
            MPI_Win_test(other, &done);
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    }
    MPI_Group_free(&partner);
    MPI_Group_free(&all);
    MPI_Win_free(&other);
    locked_window_close(win);
}

// Rank 2 begins to access when rank 0 has posted.
// run: -n 3 -env ORIEL_CHECK races
void start_after_its_post(bool wrong)
{
    double *memory;
    MPI_Group all, partner;
    MPI_Win other, win = locked_window_open();
    MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &other);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, rank == 0 ? (int[]){2} : (int[]){0}, &partner);
    if (rank == 0) {
        if (wrong)
            MPI_Win_post(partner, 0, other);
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        if (!wrong)
            MPI_Win_post(partner, 0, other);
        MPI_Win_wait(other);
    }
    if (rank == 2) {
        MPI_Win_start(partner, 0, other);
        MPI_Put(values, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, other);
        MPI_Win_complete(other);
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    }
    MPI_Group_free(&partner);
    MPI_Group_free(&all);
    MPI_Win_free(&other);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void window_that_is_opened_between(bool wrong)
{
    double memory;
    MPI_Win other, win = locked_window_open();
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    MPI_Win_create(&memory, 8, 8, MPI_INFO_NULL, wrong ? MPI_COMM_SELF : MPI_COMM_WORLD,
                   &other);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_free(&other);
    locked_window_close(win);
}

// ---- what programs make of accumulates ------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void flag_that_is_fetched(bool wrong)
{
    double one = 1, flag = 0;
    MPI_Win win = locked_window_open();
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        if (!wrong)
            MPI_Win_flush(OWNER, win);
        MPI_Accumulate(&one, 1, MPI_DOUBLE, OWNER, 0, 1, MPI_DOUBLE, MPI_REPLACE, win);
        MPI_Win_flush(OWNER, win);
    }
    while (rank == 2 && flag < 1) {
        MPI_Fetch_and_op(NULL, &flag, MPI_DOUBLE, OWNER, 0, MPI_NO_OP, win);
        MPI_Win_flush(OWNER, win);
    }
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void lock_of_compare_and_swap(bool wrong)
{
    long free = 0, taken = 1, was;
    MPI_Win win = locked_window_open();
    for (int turn = 0; turn < 3 && rank != OWNER; turn++) {
        do {
            MPI_Compare_and_swap(&taken, &free, &was, MPI_LONG, OWNER, 0, win);
            MPI_Win_flush(OWNER, win);
        } while (was != free);
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        if (!wrong)
            MPI_Win_flush(OWNER, win);
        MPI_Accumulate(&free, 1, MPI_LONG, OWNER, 0, 1, MPI_LONG, MPI_REPLACE, win);
        MPI_Win_flush(OWNER, win);
    }
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void exclusive_locks_in_turn(bool wrong)
{
    double *memory;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(CELLS * sizeof(double), sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &win);
    for (int turn = 0; turn < 5; turn++) {
        MPI_Win_lock(wrong ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, OWNER, 0, win);
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_flush(OWNER, win);
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        MPI_Win_unlock(OWNER, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
}

// ---- requests of operations -----------------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void get_with_a_request(bool wrong)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win win = locked_window_open();
    if (rank == 0 && wrong)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    if (rank == 0 && !wrong)
        MPI_Rget(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void requests_and_a_flush(bool wrong)
{
    double before;
    MPI_Request requests[3];
    MPI_Win win = locked_window_open();
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Rput(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win, &requests[0]);
        MPI_Raccumulate(values + 1, 1, MPI_DOUBLE, OWNER, 4, 1, MPI_DOUBLE, MPI_SUM,
                        win, &requests[1]);
        MPI_Rget_accumulate(values + 2, 1, MPI_DOUBLE, &before, 1, MPI_DOUBLE, OWNER, 5,
                            1, MPI_DOUBLE, MPI_SUM, win, &requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    if (!wrong)
        MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 3, MPI_DOUBLE, OWNER, 3, 3, MPI_DOUBLE, win);
    locked_window_close(win);
}

// ---- memory of windows ----------------------------------------------------------------
// A flag that rank 2 reads by loads.
// run: -n 3 -env ORIEL_CHECK races -env ORIEL_FAKE_NODES 1
void flag_in_a_shared_window(bool wrong)
{
    int *flag;
    MPI_Win shared, win = locked_window_open();
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &flag, &shared);
    MPI_Win_lock_all(0, shared);
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(shared, 0, &size, &unit, &flag);
    if (rank == 0)
        *flag = 0;
    MPI_Win_sync(shared);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
        if (!wrong)
            MPI_Win_flush(OWNER, win);
        MPI_Win_sync(shared);
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    }
    if (rank == 2) {
        while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0)
            MPI_Win_sync(shared);
        MPI_Win_sync(shared);
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    }
    MPI_Win_unlock_all(shared);
    MPI_Win_free(&shared);
    locked_window_close(win);
}

// run: -n 3 -env ORIEL_CHECK races
void attached_memory_that_is_used_again(bool wrong)
{
    MPI_Aint place;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Win_attach(win, values, sizeof values);
        MPI_Get_address(values, &place);
        MPI_Bcast(&place, 1, MPI_AINT, OWNER, MPI_COMM_WORLD);
        double value = rank;
        if (rank == turn) {
            MPI_Win_lock(MPI_LOCK_SHARED, OWNER, 0, win);
            // mistake: conflicting-accesses
            MPI_Put(&value, 1, MPI_DOUBLE, OWNER, place, 1, MPI_DOUBLE, win);
        }
        if (rank == turn && !wrong)
            MPI_Win_unlock(OWNER, win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_detach(win, values);
    }
    if (wrong)
        MPI_Win_unlock(OWNER, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

// ---- sessions -------------------------------------------------------------------------
// run: -n 3 -env ORIEL_CHECK races
void communicator_of_a_session(bool wrong)
{
    double *memory;
    MPI_Session session;
    MPI_Group all;
    MPI_Comm comm;
    MPI_Win win;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "ordered", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                               &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(CELLS * sizeof(double), sizeof(double), MPI_INFO_NULL, comm,
                     &memory, &win);
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        // mistake: conflicting-accesses
        MPI_Put(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    if (!wrong)
        MPI_Barrier(comm);
    if (rank == 2)
        // mistake: conflicting-accesses
        MPI_Get(values, 1, MPI_DOUBLE, OWNER, 3, 1, MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
}
