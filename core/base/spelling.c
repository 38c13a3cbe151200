// SPDX-License-Identifier: BSD-3-Clause
// Damerau's distance between two names.
#include "base/spelling.h"

enum { NAME_BYTES = 40 };

static int least_of(int one, int two)
{
    return one < two ? one : two;
}

int spelling_distance(const char *one, size_t one_length, const char *two,
                      size_t two_length)
{
    int table[NAME_BYTES + 1][NAME_BYTES + 1];
    if (one_length > NAME_BYTES || two_length > NAME_BYTES)
        return NAME_BYTES;
    for (size_t i = 0; i <= one_length; i++)
        for (size_t j = 0; j <= two_length; j++) {
            int *distance = &table[i][j];
            if (i == 0 || j == 0) {
                *distance = (int)(i + j);
                continue;
            }
            *distance = least_of(table[i - 1][j], table[i][j - 1]) + 1;
            int replaced = table[i - 1][j - 1] + (one[i - 1] != two[j - 1]);
            *distance = least_of(*distance, replaced);
            if (i > 1 && j > 1 && one[i - 1] == two[j - 2] && one[i - 2] == two[j - 1])
                *distance = least_of(*distance, table[i - 2][j - 2] + 1);
        }
    return table[one_length][two_length];
}

int spelling_limit(size_t length)
{
    return length < 4 ? 2 : (int)length / 3 + 2;
}
