// SPDX-License-Identifier: BSD-3-Clause
// member_tables_keep_all_values: of random members, in no more bytes than tell them apart.
// Needs the core.

#include "check.h"
#include "window/member_table.h"

#include <string.h>

enum { MEMBERS = 7, ROUNDS = 3000 };

static uint64_t random_bits_of(int bits)
{
    uint64_t value = 0;
    for (int i = 0; i < bits; i++)
        value = value << 1 | (uint64_t)random_between(0, 1);
    return value;
}

// All members have the same, or differ in the lowest bits.
static void choose_values(uint64_t values[MEMBERS][MEMBER_VALUES], int bits)
{
    for (int i = 0; i < MEMBER_VALUES; i++) {
        uint64_t common = random_bits_of(random_between(0, 64));
        bool is_equal = random_between(0, 1);
        for (int member = 0; member < MEMBERS; member++)
            values[member][i] = is_equal ? common : common ^ random_bits_of(bits);
    }
}

// What an allreduce of all members gives.
static struct member_bounds reduced(uint64_t values[MEMBERS][MEMBER_VALUES])
{
    struct member_bounds all = {0}, one;
    for (int member = 0; member < MEMBERS; member++) {
        member_bounds_begin(&one, values[member]);
        for (int i = 0; i < MEMBER_VALUES; i++) {
            if (all.most[i] < one.most[i])
                all.most[i] = one.most[i];
            if (all.not_least[i] < one.not_least[i])
                all.not_least[i] = one.not_least[i];
        }
    }
    return all;
}

static void check_table(uint64_t values[MEMBERS][MEMBER_VALUES], int bits)
{
    struct member_bounds bounds = reduced(values);
    struct member_table table = member_table_plan(&bounds);
    CHECK(table.row_bytes <= (size_t)MEMBER_VALUES * (size_t)((bits + 7) / 8));
    table.rows = malloc(MEMBERS * table.row_bytes + 1);
    for (int member = 0; member < MEMBERS; member++)
        member_table_write(&table, member, values[member]);
    for (int member = 0; member < MEMBERS; member++)
        for (int i = 0; i < MEMBER_VALUES; i++)
            CHECK(member_table_read(&table, member, i) == values[member][i]);
    free(table.rows);
}

static void equal_members_need_no_rows(void)
{
    uint64_t values[MEMBERS][MEMBER_VALUES] = {0};
    for (int member = 0; member < MEMBERS; member++)
        memcpy(values[member], (uint64_t[]){1 << 20, 8, UINT64_MAX, 0, 7},
               sizeof values[member]);
    struct member_bounds bounds = reduced(values);
    CHECK(member_table_plan(&bounds).row_bytes == 0);
    values[3][VALUE_UNIT]++;
    bounds = reduced(values);
    CHECK(member_table_plan(&bounds).row_bytes == 1);
}

int main(void)
{
    uint64_t values[MEMBERS][MEMBER_VALUES];
    for (int round = 0; round < ROUNDS; round++) {
        int bits = random_between(0, 64);
        choose_values(values, bits);
        check_table(values, bits);
    }
    equal_members_need_no_rows();
    return 0;
}
