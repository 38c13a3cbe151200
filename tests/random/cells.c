// SPDX-License-Identifier: BSD-3-Clause
// Cells, and what the operations do with them.
#include "random.h"

struct cell cell_any(struct random *random)
{
    const struct cell cells[] = {
        {MPI_INT8_T, 1, SIGNED},  {MPI_UINT8_T, 1, UNSIGNED},
        {MPI_INT16_T, 2, SIGNED}, {MPI_UINT16_T, 2, UNSIGNED},
        {MPI_INT, 4, SIGNED},     {MPI_UINT32_T, 4, UNSIGNED},
        {MPI_INT64_T, 8, SIGNED}, {MPI_UINT64_T, 8, UNSIGNED},
        {MPI_LONG, 8, SIGNED},    {MPI_AINT, 8, SIGNED},
        {MPI_FLOAT, 4, FLOATING}, {MPI_DOUBLE, 8, FLOATING},
    };
    return cells[random_below(random, sizeof cells / sizeof *cells)];
}

union number {
    int64_t integer;
    uint64_t natural;
    double real;
};

static union number cell_load(const struct cell *cell, const void *at)
{
    union number number = {0};
    if (cell->sort == FLOATING) {
        float small;
        memcpy(cell->bytes == 4 ? (void *)&small : (void *)&number.real, at,
               cell->bytes);
        if (cell->bytes == 4)
            number.real = small;
        return number;
    }
    memcpy(&number.natural, at, cell->bytes); // little end first
    int unused = 64 - 8 * (int)cell->bytes;
    if (cell->sort == SIGNED)
        number.integer = (int64_t)(number.natural << unused) >> unused;
    return number;
}

static void cell_store(const struct cell *cell, union number number, void *at)
{
    float small = (float)number.real;
    if (cell->sort == FLOATING && cell->bytes == 4)
        memcpy(at, &small, sizeof small);
    else
        memcpy(at, &number, cell->bytes);
}

void cell_fill(const struct cell *cell, void *bytes, size_t cells, uint64_t seed)
{
    struct random random = {seed};
    for (size_t i = 0; i < cells; i++) {
        union number number = {.natural = random_next(&random)};
        if (cell->sort == FLOATING)
            number.real = (double)(int)(number.natural % 2001) - 1000;
        cell_store(cell, number, (char *)bytes + i * cell->bytes);
    }
}

MPI_Op cell_operation(const struct cell *cell, struct random *random)
{
    MPI_Op operations[] = {MPI_SUM, MPI_MIN,  MPI_MAX,     MPI_PROD,
                           MPI_BOR, MPI_BXOR, MPI_REPLACE, MPI_NO_OP};
    MPI_Op operation;
    bool fits;
    do {
        int index = random_below(random, 8);
        operation = operations[index];
        fits = cell->sort != FLOATING || index < 3 || index > 5;
    } while (!fits);
    return operation;
}

static bool is_less(const struct cell *cell, union number one, union number other)
{
    if (cell->sort == FLOATING)
        return one.real < other.real;
    if (cell->sort == SIGNED)
        return one.integer < other.integer;
    return one.natural < other.natural;
}

void cell_combine(const struct cell *cell, MPI_Op operation, const void *in,
                  void *inout)
{
    union number a = cell_load(cell, in), b = cell_load(cell, inout);
    if (operation == MPI_NO_OP)
        return;
    if (operation == MPI_REPLACE)
        b = a;
    else if (operation == MPI_SUM && cell->sort == FLOATING)
        b.real += a.real;
    else if (operation == MPI_SUM)
        b.natural += a.natural;
    else if (operation == MPI_PROD)
        b.natural *= a.natural;
    else if (operation == MPI_BOR)
        b.natural |= a.natural;
    else if (operation == MPI_BXOR)
        b.natural ^= a.natural;
    else if (is_less(cell, a, b) == (operation == MPI_MIN))
        b = a;
    cell_store(cell, b, inout);
}
