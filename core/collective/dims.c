// SPDX-License-Identifier: BSD-3-Clause
// Balanced grids (MPI-4.1 8.5.2). The factors are those whose largest and smallest
// differ least, and among equal ones those with the smallest largest factor, then the
// smallest second one and so on.
#include "collective/collective.h"

#include <limits.h>
#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIVISORS_MAX = 1600, // of any int
    FACTORS_MAX = 31     // of an int, at least one is 1 where there are so many
};

// Branch and bound over factors in descending order, from small ones to large ones.
struct search {
    int divisors[DIVISORS_MAX]; // ascending
    int divisor_count;
    int count; // factors of the product
    int factors[FACTORS_MAX], best[FACTORS_MAX];
    int spread; // of the best: its first factor less its last
};

static int compare_ascending(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

static void find_divisors(struct search *search, int number)
{
    int count = 0;
    for (int low = 1; low <= number / low; low++) {
        if (number % low != 0)
            continue;
        search->divisors[count++] = low;
        if (low != number / low)
            search->divisors[count++] = number / low;
    }
    qsort(search->divisors, (size_t)count, sizeof(int), compare_ascending);
    search->divisor_count = count;
}

// base^exponent, or anything above `most`.
static MPI_Count power_up_to(int most, int base, int exponent)
{
    MPI_Count power = 1;
    for (int i = 0; i < exponent && power <= most; i++)
        power *= base;
    return power;
}

// Whether `left` factors of the product can all be so large that the spread shrinks.
static bool may_improve(const struct search *search, int left, int product)
{
    int least = search->factors[0] - search->spread + 1;
    return least <= 1 || power_up_to(product, least, left) <= product;
}

static void choose_factors(struct search *search, int done, int product)
{
    int left = search->count - done;
    if (left == 0) {
        memcpy(search->best, search->factors, sizeof search->best);
        search->spread = search->factors[0] - search->factors[done - 1];
        return;
    }
    int most = done > 0 ? search->factors[done - 1] : product;
    for (int i = 0; i < search->divisor_count; i++) {
        int factor = search->divisors[i];
        if (factor > most || factor > product)
            return;
        // The factors to come are not above this one.
        if (product % factor != 0 || power_up_to(product, factor, left) < product)
            continue;
        search->factors[done] = factor;
        if (!may_improve(search, left, product))
            return;
        choose_factors(search, done + 1, product / factor);
    }
}

// Fills the dimensions that are 0 with factors of `product`.
static void dims_balance(int product, int open, int ndims, int dims[])
{
    struct search search = {.count = open < FACTORS_MAX ? open : FACTORS_MAX,
                            .spread = INT_MAX};
    find_divisors(&search, product);
    choose_factors(&search, 0, product);
    for (int i = 0, next = 0; i < ndims; i++)
        if (dims[i] == 0) {
            dims[i] = next < search.count ? search.best[next] : 1;
            next++;
        }
}

int oriel_dims_create(int nnodes, int ndims, int dims[])
{
    int left = nnodes, open = 0;
    bool fits = true;
    for (int i = 0; i < ndims; i++) {
        open += dims[i] == 0;
        fits = fits && (dims[i] == 0 || left % dims[i] == 0);
        left /= dims[i] > 0 ? dims[i] : 1;
    }
    if (!fits || (open == 0 && left != 1))
        return fail(MPI_ERR_DIMS, "%d processes do not fit the dimensions given",
                    nnodes);
    if (open > 0)
        dims_balance(left, open, ndims, dims);
    return 0;
}
