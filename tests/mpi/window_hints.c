// SPDX-License-Identifier: BSD-3-Clause
// hints_do_what_they_say: locks that are not needed cost nothing and are refused, memory
// is aligned and placed as asked, and every hint in use is shown.
#include "window_test.h"

#include <dirent.h>

static MPI_Comm node;
static int node_rank, node_size;

static MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

// Is that the value in use? NULL: the key is not shown.
static bool is_shown(MPI_Win win, const char *key, const char *expected)
{
    MPI_Info info;
    char value[128] = "";
    int length = sizeof value, flag;
    MPI_Win_get_info(win, &info);
    MPI_Info_get_string(info, key, &length, value, &flag);
    MPI_Info_free(&info);
    return expected == NULL ? !flag : flag && strcmp(value, expected) == 0;
}

static int threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = -2; // . and ..
    while (readdir(tasks) != NULL)
        count++;
    closedir(tasks);
    return count;
}

// ---- no_locks -----------------------------------------------------------------------
static MPI_Win open_without_locks(int *memory)
{
    MPI_Win win;
    MPI_Info info = info_of("no_locks", "true");
    MPI_Win_create(memory, sizeof *memory, 1, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    return_errors(win);
    CHECK(is_shown(win, "no_locks", "true"));
    return win;
}

static void add_one_to_each(MPI_Win win, int *memory, int expected)
{
    int one = 1;
    MPI_Win_fence(0, win);
    for (int target = 0; target < size; target++)
        MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(*memory == expected);
    MPI_Barrier(MPI_COMM_WORLD);
}

// Mates cannot map the memory, so that without the hint a thread serves them.
static void locks_are_not_prepared(void)
{
    int memory = 0, before = threads();
    MPI_Win win = open_without_locks(&memory);
    CHECK(threads() == before);
    if (size > 1) {
        CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win), MPI_ERR_RMA_SYNC);
        CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    }
    add_one_to_each(win, &memory, size);
    MPI_Info info = info_of("no_locks", "false");
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    CHECK(is_shown(win, "no_locks", "false"));
    const char *progress = getenv("ORIEL_PROGRESS");
    bool may_serve = progress == NULL || strcmp(progress, "off") != 0;
    if (node_size == size && size > 1 && may_serve)
        CHECK(threads() == before + 1);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_unlock(right(), win), MPI_SUCCESS);
    MPI_Win_free(&win);
}

// ---- where memory is ----------------------------------------------------------------
static bool is_aligned(const void *memory, const char *alignment)
{
    return (uintptr_t)memory % strtoul(alignment, NULL, 10) == 0;
}

static void memory_is_aligned(const char *alignment)
{
    MPI_Info info = info_of("mpi_minimum_memory_alignment", alignment);
    void *odd, *memory;
    MPI_Win win;
    MPI_Alloc_mem(1, MPI_INFO_NULL, &odd); // moves what follows
    MPI_Alloc_mem(100, info, &memory);
    CHECK(is_aligned(memory, alignment));
    MPI_Free_mem(memory);
    MPI_Win_allocate(100 + rank, 1, info, MPI_COMM_WORLD, &memory, &win);
    CHECK(is_aligned(memory, alignment));
    CHECK(is_shown(win, "mpi_minimum_memory_alignment", alignment));
    MPI_Win_free(&win);
    MPI_Win_allocate_shared(100 + rank, 1, info, node, &memory, &win);
    CHECK(node_rank != 0 || is_aligned(memory, alignment)); // the others' parts follow
    MPI_Win_free(&win);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(100 + rank, 1, info, node, &memory, &win);
    CHECK(is_aligned(memory, alignment));
    MPI_Win_free(&win);
    MPI_Free_mem(odd);
    MPI_Info_free(&info);
}

// The distance from a part of 100 bytes to the next.
static ptrdiff_t distance(MPI_Win win)
{
    MPI_Aint bytes;
    int unit;
    char *first, *second;
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    MPI_Win_shared_query(win, 1, &bytes, &unit, &second);
    return second - first;
}

static void parts_are_apart_if_asked(void)
{
    MPI_Info info = info_of("alloc_shared_noncontig", "true");
    MPI_Win together, apart;
    void *base;
    MPI_Win_allocate_shared(100, 1, MPI_INFO_NULL, node, &base, &together);
    MPI_Win_allocate_shared(100, 1, info, node, &base, &apart);
    CHECK(is_shown(together, "alloc_shared_noncontig", "false"));
    CHECK(is_shown(apart, "alloc_shared_noncontig", "true"));
    CHECK((uintptr_t)base % 64 == 0);
    if (node_size > 1)
        CHECK(distance(together) == 100 && distance(apart) != 100);
    MPI_Win_free(&apart);
    MPI_Win_free(&together);
    MPI_Info_free(&info);
}

// ---- accumulates -------------------------------------------------------------------
enum { ELEMENTS = 20000, UPDATES = 10000 };

static unsigned long long granularity_changes(MPI_T_pvar_session session,
                                              MPI_T_pvar_handle changes)
{
    unsigned long long made;
    CHECK(MPI_T_pvar_readreset(session, changes, &made) == MPI_SUCCESS);
    return made;
}

// Updates of single elements, of many and of single ones again, at the process itself.
static void update_all(MPI_Win win, int64_t *elements)
{
    static int64_t ones[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        elements[i] = !(ones[i] = 1);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    for (int i = 0; i < 2 * UPDATES; i++) {
        if (i == UPDATES)
            MPI_Accumulate(ones, ELEMENTS, MPI_INT64_T, rank, 0, ELEMENTS, MPI_INT64_T,
                           MPI_SUM, win);
        MPI_Accumulate(ones, 1, MPI_INT64_T, rank, 8, 1, MPI_INT64_T, MPI_SUM, win);
    }
    MPI_Win_unlock(rank, win);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(elements[i] == (i == 1 ? 2 * UPDATES + 1 : 1));
}

static void a_given_granularity_is_kept(const char *bytes, bool is_kept)
{
    MPI_Info info = info_of("mpi_accumulate_granularity", bytes);
    MPI_T_pvar_session session;
    MPI_T_pvar_handle changes;
    int provided, index, count;
    MPI_Win win;
    void *base;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    CHECK(MPI_T_pvar_get_index("granularity_changes", MPI_T_PVAR_CLASS_COUNTER,
                               &index) == MPI_SUCCESS);
    MPI_T_pvar_handle_alloc(session, index, NULL, &changes, &count);
    MPI_T_pvar_start(session, changes);
    MPI_Win_allocate(ELEMENTS * 8, 1, info, MPI_COMM_WORLD, &base, &win);
    granularity_changes(session, changes);
    update_all(win, base);
    CHECK((granularity_changes(session, changes) == 0) == is_kept);
    MPI_Win_free(&win);
    MPI_Info_free(&info);
    MPI_T_finalize();
}

// ---- what is shown ------------------------------------------------------------------
static const struct hint {
    const char *key, *standard, *valid, *invalid;
    bool may_change;
} hints[] = {
    {"no_locks", "false", "true", "perhaps", true},
    {"accumulate_ordering", "rar,raw,war,waw", "none", "raw,", true},
    {"accumulate_ordering", "rar,raw,war,waw", "waw,rar", "no", true},
    {"accumulate_ops", "same_op_no_op", "same_op", "any", true},
    {"mpi_accumulate_granularity", "0", "4096", "-1", false},
    {"same_size", "false", "true", "yes", false},
    {"same_disp_unit", "false", "true", "", false},
    {"mpi_assert_memory_alloc_kinds", NULL, "system,mpi:alloc_mem", "system,lunar",
     true},
    {"mpi_assert_memory_alloc_kinds", NULL, "mpi", "mpi:", true},
};
enum { HINTS = sizeof hints / sizeof *hints };

static MPI_Win open_with(MPI_Info info, int flavor)
{
    static int memory;
    MPI_Win win;
    void *base;
    if (flavor == MPI_WIN_FLAVOR_CREATE)
        MPI_Win_create(&memory, sizeof memory, 1, info, MPI_COMM_WORLD, &win);
    else if (flavor == MPI_WIN_FLAVOR_ALLOCATE)
        MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &base, &win);
    else if (flavor == MPI_WIN_FLAVOR_SHARED)
        MPI_Win_allocate_shared(8, 1, info, node, &base, &win);
    else
        MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win);
    return win;
}

static void a_hint_is_shown(const struct hint *hint, int flavor)
{
    MPI_Info valid = info_of(hint->key, hint->valid);
    MPI_Info invalid = info_of(hint->key, hint->invalid);
    MPI_Win win = open_with(MPI_INFO_NULL, flavor);
    CHECK(is_shown(win, hint->key, hint->standard));
    MPI_Win_set_info(win, invalid);
    CHECK(is_shown(win, hint->key, hint->standard));
    MPI_Win_set_info(win, valid);
    CHECK(is_shown(win, hint->key, hint->may_change ? hint->valid : hint->standard));
    MPI_Win_free(&win);
    win = open_with(valid, flavor);
    CHECK(is_shown(win, hint->key, hint->valid));
    MPI_Win_free(&win);
    win = open_with(invalid, flavor);
    CHECK(is_shown(win, hint->key, hint->standard));
    MPI_Win_free(&win);
    MPI_Info_free(&valid);
    MPI_Info_free(&invalid);
}

static void hints_are_shown(int flavor)
{
    for (int i = 0; i < HINTS; i++)
        a_hint_is_shown(&hints[i], flavor);
    bool is_allocated =
        flavor == MPI_WIN_FLAVOR_ALLOCATE || flavor == MPI_WIN_FLAVOR_SHARED;
    MPI_Info unknown = info_of("color", "blue");
    MPI_Win win = open_with(unknown, flavor);
    MPI_Info_free(&unknown);
    CHECK(is_shown(win, "color", NULL));
    CHECK(is_shown(win, "mpi_minimum_memory_alignment", is_allocated ? "64" : NULL));
    CHECK(is_shown(win, "alloc_shared_noncontig",
                   flavor == MPI_WIN_FLAVOR_SHARED ? "false" : NULL));
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    node = node_comm();
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_size);
    locks_are_not_prepared();
    memory_is_aligned("256");
    memory_is_aligned("65536");
    parts_are_apart_if_asked();
    a_given_granularity_is_kept("0", false);
    a_given_granularity_is_kept("8", true);
    a_given_granularity_is_kept("4096", true);
    hints_are_shown(MPI_WIN_FLAVOR_CREATE);
    hints_are_shown(MPI_WIN_FLAVOR_ALLOCATE);
    hints_are_shown(MPI_WIN_FLAVOR_SHARED);
    hints_are_shown(MPI_WIN_FLAVOR_DYNAMIC);
    MPI_Comm_free(&node);
    return finish();
}
