// SPDX-License-Identifier: BSD-3-Clause
// examples_of_passive_target_synchronisation: what MPI-4.1 12.8 shows as fragments,
// completed to programs: a barrier, two kinds of mutual exclusion and a list made of
// atomic operations, and a pipeline of requests.
#include "window_test.h"

static const int zero = 0, one = 1, minus_one = -1;

static void replace(const int *value, int target, MPI_Aint displacement, MPI_Win win)
{
    MPI_Accumulate(value, 1, MPI_INT, target, displacement, 1, MPI_INT, MPI_REPLACE,
                   win);
    MPI_Win_flush(target, win);
}

static int fetch(int target, MPI_Aint displacement, MPI_Win win)
{
    int value;
    MPI_Fetch_and_op(NULL, &value, MPI_INT, target, displacement, MPI_NO_OP, win);
    MPI_Win_flush(target, win);
    return value;
}

// A window of some integers, all 0, in a lock_all epoch.
static struct opened open_integers(int count)
{
    struct opened opened = open_allocated(count * (int)sizeof(int), sizeof(int));
    memset(opened.base, 0, (size_t)count * sizeof(int));
    MPI_Win_lock_all(0, opened.win);
    MPI_Win_sync(opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    return opened;
}

static void close_integers(struct opened *opened)
{
    MPI_Win_unlock_all(opened->win);
    close_allocated(opened);
}

// ---- an atomic counter as a barrier ---------------------------------------------------
// Nobody leaves before all have come: each leaves a mark before it comes.
static void a_counter_is_a_barrier(void)
{
    enum { COUNTER, MARKS };
    struct opened opened = open_integers(2);
    if (rank == 0)
        replace(&size, 0, COUNTER, opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Accumulate(&one, 1, MPI_INT, 0, MARKS, 1, MPI_INT, MPI_SUM, opened.win);
    MPI_Win_flush(0, opened.win);
    MPI_Accumulate(&minus_one, 1, MPI_INT, 0, COUNTER, 1, MPI_INT, MPI_SUM, opened.win);
    while (fetch(0, COUNTER, opened.win) != 0)
        ;
    CHECK(fetch(0, MARKS, opened.win) == size);
    close_integers(&opened);
}

// ---- mutual exclusion -----------------------------------------------------------------
// The flags lie on cache lines of their own: a store to one may be delayed behind a load
// of the other.
enum {
    FLAGS,
    FLAG_WORDS = 32,
    TURN = 2 * FLAG_WORDS,
    COUNT = 3 * FLAG_WORDS,
    ARRIVED = 4 * FLAG_WORDS,
    WORDS
};
enum { ENTRIES = 40, ENTRIES_OF_A_NODE = 100000 };

// Without exclusion updates would be lost.
static void raise_count(MPI_Win win)
{
    int value;
    MPI_Get(&value, 1, MPI_INT, 0, COUNT, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    value++;
    MPI_Put(&value, 1, MPI_INT, 0, COUNT, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
}

// Both want to enter at once; who comes last is ahead, so each hesitates, ever differently.
static void begin_together(int round, MPI_Win win)
{
    int players = size > 1 ? 2 : 1, arrived;
    MPI_Fetch_and_op(&one, &arrived, MPI_INT, 0, ARRIVED, MPI_SUM, win);
    while (fetch(0, ARRIVED, win) < players * (round + 1))
        ;
    for (volatile int i = round * (7 + 4 * rank) % 41; i > 0; i--)
        ;
}

// Peterson's algorithm: each of two processes says that it wants to enter and lets the
// other one go first.
static void two_exclude_each_other(void)
{
    struct opened opened = open_integers(WORDS);
    int other = 1 - rank, entries = is_one_node() ? ENTRIES_OF_A_NODE : ENTRIES;
    MPI_Aint own = FLAGS + rank * FLAG_WORDS, others = FLAGS + other * FLAG_WORDS;
    for (int i = 0; rank < 2 && i < entries; i++) {
        begin_together(i, opened.win);
        replace(&one, 0, own, opened.win);
        replace(&other, 0, TURN, opened.win);
        while (fetch(0, others, opened.win) == 1 && fetch(0, TURN, opened.win) == other)
            ;
        raise_count(opened.win);
        replace(&zero, 0, own, opened.win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(fetch(0, COUNT, opened.win) == (size > 1 ? 2 : 1) * entries);
    close_integers(&opened);
}

static void compare_and_swap_excludes(void)
{
    struct opened opened = open_integers(WORDS);
    for (int i = 0; i < ENTRIES; i++) {
        int held = 1;
        while (held) {
            MPI_Compare_and_swap(&one, &zero, &held, MPI_INT, 0, FLAGS, opened.win);
            MPI_Win_flush(0, opened.win);
        }
        raise_count(opened.win);
        MPI_Compare_and_swap(&zero, &one, &held, MPI_INT, 0, FLAGS, opened.win);
        MPI_Win_flush(0, opened.win);
        CHECK(held == 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(fetch(0, COUNT, opened.win) == size * ENTRIES);
    close_integers(&opened);
}

// ---- a pipeline of requests -------------------------------------------------------------
enum { DEPTH = 4, BLOCKS = 25, BLOCK = 64 };

// Squares all blocks of the right neighbour: DEPTH of them are on their way at a time.
static void requests_make_a_pipeline(void)
{
    struct opened opened = open_integers(BLOCKS * BLOCK);
    int *memory = opened.base, data[DEPTH][BLOCK];
    MPI_Request put_requests[DEPTH], get_request;
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        memory[i] = rank + i;
    MPI_Win_sync(opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < BLOCKS; i++) {
        int slot = i % DEPTH;
        if (i >= DEPTH)
            MPI_Wait(&put_requests[slot], MPI_STATUS_IGNORE);
        MPI_Rget(data[slot], BLOCK, MPI_INT, right(), i * BLOCK, BLOCK, MPI_INT,
                 opened.win, &get_request);
        MPI_Wait(&get_request, MPI_STATUS_IGNORE);
        for (int j = 0; j < BLOCK; j++)
            data[slot][j] *= data[slot][j];
        MPI_Rput(data[slot], BLOCK, MPI_INT, right(), i * BLOCK, BLOCK, MPI_INT,
                 opened.win, &put_requests[slot]);
    }
    MPI_Waitall(DEPTH, put_requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(opened.win);
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        CHECK(memory[i] == (rank + i) * (rank + i));
    close_integers(&opened);
}

// ---- a list in a dynamic window -----------------------------------------------------------
enum { ELEMENTS = 10 };

struct place {
    MPI_Aint address;
    int rank;
};
struct element {
    struct place next; // rank -1: this is the last one
    int value;
};

static struct element *elements[ELEMENTS]; // of this rank

static struct place new_element(int i, MPI_Win win)
{
    struct place place = {.rank = rank};
    MPI_Alloc_mem(sizeof(struct element), MPI_INFO_NULL, &elements[i]);
    *elements[i] = (struct element){.next = {.rank = -1}, .value = 100 * rank + i};
    MPI_Win_attach(win, elements[i], sizeof(struct element));
    MPI_Get_address(elements[i], &place.address);
    return place;
}

static MPI_Aint field_at(struct place place, size_t field)
{
    return MPI_Aint_add(place.address, (MPI_Aint)field);
}

static struct place follow(struct place from, MPI_Win win)
{
    struct place next;
    MPI_Get_accumulate(NULL, 0, MPI_AINT, &next.address, 1, MPI_AINT, from.rank,
                       field_at(from, offsetof(struct element, next.address)), 1,
                       MPI_AINT, MPI_NO_OP, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &next.rank, 1, MPI_INT, from.rank,
                       field_at(from, offsetof(struct element, next.rank)), 1, MPI_INT,
                       MPI_NO_OP, win);
    MPI_Win_flush(from.rank, win);
    return next;
}

// Whoever replaces -1 by its rank has the place behind the last element, and then tells
// the address.
static void append(struct place *tail, struct place added, MPI_Win win)
{
    for (int found = 0; found != -1;) {
        MPI_Compare_and_swap(&added.rank, &minus_one, &found, MPI_INT, tail->rank,
                             field_at(*tail, offsetof(struct element, next.rank)), win);
        MPI_Win_flush(tail->rank, win);
        if (found == -1) {
            MPI_Accumulate(&added.address, 1, MPI_AINT, tail->rank,
                           field_at(*tail, offsetof(struct element, next.address)), 1,
                           MPI_AINT, MPI_REPLACE, win);
            MPI_Win_flush(tail->rank, win);
            *tail = added;
        } else {
            struct place next = {0, 0};
            while (next.address == 0)
                next = follow(*tail, win);
            *tail = next;
        }
    }
}

// Every rank finds the elements of all, those of one rank in the order of its calls.
static void walk(struct place head, MPI_Win win)
{
    int *seen = calloc((size_t)size, sizeof *seen), length = 0;
    for (struct place at = follow(head, win); at.rank != -1; at = follow(at, win)) {
        int value;
        MPI_Get(&value, 1, MPI_INT, at.rank,
                field_at(at, offsetof(struct element, value)), 1, MPI_INT, win);
        MPI_Win_flush(at.rank, win);
        CHECK(value == 100 * at.rank + ++seen[at.rank]);
        length++;
    }
    CHECK(length == size * (ELEMENTS - 1));
    free(seen);
}

static void a_list_grows_at_its_end(void)
{
    MPI_Win win;
    struct place head;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    head = new_element(0, win);
    MPI_Bcast(&head, sizeof head, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    struct place tail = head;
    for (int i = 1; i < ELEMENTS; i++)
        append(&tail, new_element(i, win), win);
    MPI_Barrier(MPI_COMM_WORLD);
    walk(head, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ELEMENTS; i++) {
        MPI_Win_detach(win, elements[i]);
        MPI_Free_mem(elements[i]);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    a_counter_is_a_barrier();
    two_exclude_each_other();
    compare_and_swap_excludes();
    requests_make_a_pipeline();
    a_list_grows_at_its_end();
    return finish();
}
