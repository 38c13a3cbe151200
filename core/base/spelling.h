// SPDX-License-Identifier: BSD-3-Clause
// How much a misspelt name resembles one that exists.
#pragma once

#include <stddef.h>

// The insertions, deletions, replacements and swaps of neighbours that make one name of
// the other; names of more than 40 bytes resemble none.
int spelling_distance(const char *one, size_t one_length, const char *two,
                      size_t two_length);
// From this distance on a known name does not resemble one of `length` bytes.
int spelling_limit(size_t length);
