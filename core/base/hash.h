// SPDX-License-Identifier: BSD-3-Clause
// Random bits, and hashes under a secret.
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t random_bits(void); // unpredictable: job secrets, keys

// A secret of the processes of the job.
struct secret {
    uint64_t low, high;
};
// A number that nobody can find for bytes without the secret; `first` stands for eight
// more bytes before them.
uint64_t keyed_hash(const struct secret *secret, uint64_t first, const void *bytes,
                    size_t count);
