// SPDX-License-Identifier: BSD-3-Clause
// The launcher's map is read exactly or refused; machines are split into nodes of
// consecutive members, numbered by their lowest ranks.
#include "boot/driver.h"
#include "boot/nodes.h"
#include "check.h"

#include <string.h>

enum { MOST = 64 };

struct process process;

static void check_map(const char *text, int size, const int *expected)
{
    int machine_of[MOST];
    CHECK(mapping_parse(text, size, machine_of) == 0);
    CHECK(memcmp(machine_of, expected, (size_t)size * sizeof *expected) == 0);
}

static void maps_are_read(void)
{
    check_map("(vector,(0,1,4))", 4, (int[]){0, 0, 0, 0});
    check_map("(vector,(0,2,2))", 4, (int[]){0, 0, 1, 1});
    check_map("(vector,(0,1,2),(1,1,3))", 5, (int[]){0, 0, 1, 1, 1});
    check_map("(vector,(1,1,1),(0,1,2))", 3, (int[]){1, 0, 0});
    check_map("(vector,(0,2,1))", 5, (int[]){0, 1, 0, 1, 0}); // begun again
    check_map("(vector,(0,9,9))", 3, (int[]){0, 0, 0});       // more than needed
}

static void nonsense_is_refused(void)
{
    static const char *const maps[] = {
        "",
        "(vector",
        "(vector)",
        "(vector,)",
        "(vector,())",
        "(vector,(0,1))",
        "(vector,(0,1,4)",
        "(vector,(0,1,4)))",
        "(vector,(0,1,4),)",
        "(vector,(0,1,4)) ",
        "(vector,(0,0,4))",
        "(vector,(0,1,0))",
        "(vector,(0,-1,4))",
        "(vector,(-1,1,4))",
        "(vector,( 0,1,4))",
        "(vector,(0x0,1,4))",
        "(vector,(99999999999999999999,1,4))",
        "(vector,(0,99999999999999999999,4))",
        "(vector,(4,1,4))", // more machines than processes
        "(vector,(3,2,2))",
        "(list,(0,1,4))",
    };
    int machine_of[MOST], error_class;
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        CHECK(mapping_parse(maps[i], 4, machine_of) == MPI_ERR_OTHER);
        CHECK(strstr(error_detail(&error_class), maps[i]));
    }
}

static void machines_go_by_their_lowest_ranks(void)
{
    enum { SIZE = 100000 };
    static const uint64_t few[] = {7, UINT64_MAX, 7, 0, UINT64_MAX, 7};
    static uint64_t values[SIZE];
    static int machine_of[SIZE];
    CHECK(machines_number(few, 6, machine_of) == 0);
    CHECK(memcmp(machine_of, (int[]){0, 1, 0, 3, 1, 0}, 6 * sizeof(int)) == 0);
    for (int rank = 0; rank < SIZE; rank++) // each alone: n log n steps, not n * n
        values[rank] = (uint64_t)(SIZE - rank);
    CHECK(machines_number(values, SIZE, machine_of) == 0);
    for (int rank = 0; rank < SIZE; rank++)
        CHECK(machine_of[rank] == rank);
}

// ---- a launcher that tells machines, but none of `unknown`
static int unknown, exchanges;

static bool told_machine(struct boot *boot, int rank, uint32_t *machine)
{
    (void)boot;
    *machine = 40 + (uint32_t)rank / 2;
    return rank != unknown;
}

static int put_nothing(struct boot *boot, const char *key, const char *value)
{
    (void)boot, (void)key, (void)value;
    exchanges++;
    return MPI_ERR_OTHER;
}

static int get_nothing(struct boot *boot, int rank, const char *key, char *value,
                       size_t value_size)
{
    (void)boot, (void)rank, (void)value, (void)value_size;
    return fail(MPI_ERR_NAME, "nobody has put %s", key);
}

static void numbers_of_machines_need_no_exchange(void)
{
    static const struct boot_driver driver = {
        .put = put_nothing, .get = get_nothing, .machine = told_machine};
    struct boot boot = {.rank = 3, .size = 5, .driver = &driver};
    unknown = -1;
    CHECK(boot_find_nodes(&boot) == 0 && exchanges == 0);
    CHECK(boot.node == 1 && boot.node_count == 3 && boot.node_size == 2);
    CHECK(boot.machine_size == 2);
    nodes_free(&boot);
    unknown = 4;
    boot = (struct boot){.rank = 3, .size = 5, .driver = &driver};
    CHECK(boot_find_nodes(&boot) == MPI_ERR_OTHER && exchanges == 1);
}

static void check_split(int size, const int *machine_of, int parts, int nodes,
                        const int *expected)
{
    int node_of[MOST];
    CHECK(machines_split(machine_of, size, parts, node_of) == nodes);
    CHECK(memcmp(node_of, expected, (size_t)size * sizeof *expected) == 0);
}

static void machines_are_split(void)
{
    const int one[] = {0, 0, 0, 0, 0};
    check_split(5, one, 1, 1, (int[]){0, 0, 0, 0, 0});
    check_split(5, one, 2, 2, (int[]){0, 0, 0, 1, 1});
    check_split(5, one, 5, 5, (int[]){0, 1, 2, 3, 4});
    check_split(5, one, 1000, 5, (int[]){0, 1, 2, 3, 4});
    const int alternating[] = {1, 0, 1, 0};
    check_split(4, alternating, 1, 2, (int[]){0, 1, 0, 1});
    check_split(4, alternating, 2, 4, (int[]){0, 1, 2, 3});
    const int uneven[] = {3, 3, 3, 0};
    check_split(4, uneven, 2, 3, (int[]){0, 0, 1, 2});
}

// Whatever the number of parts, each is used, and their sizes differ by at most one.
static void parts_are_even(void)
{
    int machine_of[MOST] = {0}, node_of[MOST];
    for (int size = 1; size <= MOST; size++)
        for (int parts = 1; parts <= size; parts++) {
            int members[MOST] = {0};
            CHECK(machines_split(machine_of, size, parts, node_of) == parts);
            for (int rank = 0; rank < size; rank++)
                members[node_of[rank]]++;
            for (int node = 0; node < parts; node++)
                CHECK(members[node] == size / parts ||
                      members[node] == size / parts + 1);
        }
}

// What a map of one group gives without a table is what tables give.
static void check_block(const char *text, int size, int parts)
{
    int machine_of[MOST], node_of[MOST], of_machine;
    int block = mapping_block(text, size, parts, &of_machine);
    CHECK(mapping_parse(text, size, machine_of) == 0);
    CHECK(machines_split(machine_of, size, parts, node_of) > 0);
    for (int rank = 0; block > 0 && rank < size; rank++) {
        CHECK(machine_of[rank] == rank / of_machine);
        CHECK(node_of[rank] == rank / block);
    }
}

static void blocks_need_no_table(void)
{
    char text[64];
    int of_machine;
    for (int size = 2; size <= 12; size++)
        for (int machines = 1; machines <= size; machines++)
            for (int each = 1; each <= size + 1; each++)
                for (int parts = 1; parts <= each; parts++) {
                    snprintf(text, sizeof text, "(vector,(0,%d,%d))", machines, each);
                    check_block(text, size, parts);
                }
    CHECK(mapping_block("(vector,(0,3,2))", 6, 1, &of_machine) == 2);
    CHECK(mapping_block("(vector,(0,3,4))", 12, 2, &of_machine) == 2);
    CHECK(mapping_block("(vector,(0,1,8))", 8, 4, &of_machine) == 2);
    CHECK(mapping_block("(vector,(0,3,1))", 6, 1, &of_machine) == 0);
    CHECK(mapping_block("(vector,(0,1,2),(1,1,2))", 4, 1, &of_machine) == 0);
    CHECK(mapping_block("", 4, 1, &of_machine) == 0);
}

int main(void)
{
    blocks_need_no_table();
    machines_go_by_their_lowest_ranks();
    numbers_of_machines_need_no_exchange();
    maps_are_read();
    nonsense_is_refused();
    machines_are_split();
    parts_are_even();
    return 0;
}
