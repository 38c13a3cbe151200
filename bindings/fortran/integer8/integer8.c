// SPDX-License-Identifier: BSD-3-Clause
// Conversions for INTEGERs of 8 bytes (integers.h, oriel_integer8.f90), and that the
// library knows of them: MPI_INTEGER and MPI_LOGICAL have their size.
#include <integers.h>

static void __attribute__((constructor)) start(void)
{
    oriel_integers_are_wide();
}

static bool is_ignored(void *argument)
{
    return address_unless_ignored(argument) != argument;
}

void *oriel_address_of_copy(void *argument, void *copy)
{
    return is_ignored(argument) ? address_unless_ignored(argument) : copy;
}

void oriel_narrow(void *argument, int64_t count, int copy[])
{
    const int64_t *integers = argument;
    for (int64_t i = 0; i < count && !is_ignored(argument); i++)
        copy[i] = to_int(integers[i]);
}

void oriel_widen(const int copy[], int64_t count, void *argument)
{
    int64_t *integers = argument;
    for (int64_t i = 0; i < count && !is_ignored(argument); i++)
        integers[i] = copy[i];
}
