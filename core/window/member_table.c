// SPDX-License-Identifier: BSD-3-Clause
// The values of a window's members.
#include "window/member_table.h"

void member_bounds_begin(struct member_bounds *bounds,
                         const uint64_t values[MEMBER_VALUES])
{
    for (int i = 0; i < MEMBER_VALUES; i++) {
        bounds->most[i] = values[i];
        bounds->not_least[i] = ~values[i];
    }
}

static uint8_t bytes_for(uint64_t most)
{
    uint8_t bytes = 0;
    for (; most > 0; most >>= 8)
        bytes++;
    return bytes;
}

struct member_table member_table_plan(const struct member_bounds *bounds)
{
    struct member_table table = {0};
    for (int i = 0; i < MEMBER_VALUES; i++) {
        uint64_t least = ~bounds->not_least[i];
        table.values[i].least = least;
        table.values[i].bytes = bytes_for(bounds->most[i] - least);
        table.values[i].at = (uint8_t)table.row_bytes;
        table.row_bytes += table.values[i].bytes;
    }
    return table;
}

// The index in the rows of the difference of a value.
static size_t difference_index(const struct member_table *table, int member, int value)
{
    return (size_t)member * table->row_bytes + table->values[value].at;
}

void member_table_write(const struct member_table *table, int member,
                        const uint64_t values[MEMBER_VALUES])
{
    for (int i = 0; i < MEMBER_VALUES; i++) {
        uint64_t difference = values[i] - table->values[i].least;
        size_t at = difference_index(table, member, i);
        for (int byte = 0; byte < table->values[i].bytes; byte++)
            table->rows[at++] = (unsigned char)(difference >> 8 * byte);
    }
}

uint64_t member_table_read(const struct member_table *table, int member,
                           enum member_value value)
{
    uint64_t difference = 0;
    size_t at = difference_index(table, member, value);
    for (int byte = 0; byte < table->values[value].bytes; byte++)
        difference |= (uint64_t)table->rows[at++] << 8 * byte;
    return table->values[value].least + difference;
}
