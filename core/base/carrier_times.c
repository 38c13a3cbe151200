// SPDX-License-Identifier: BSD-3-Clause
#include "base/carrier_times.h"

enum {
    USES_TO_TRY = 128, // one of so many goes by the carrier that took longer
    FORGETTING = 8,    // a part of the shortest time, with each longer one
    UNTIMED = 15,      // of so many and one, when both carriers are known
    DELAY = 8          // a part of its time: a copy begins when it is waited for
};

// The first times tell less: memory is touched and caches are filled.
static bool tries_the_other(uint32_t uses)
{
    bool is_power_of_two = (uses & (uses - 1)) == 0;
    return uses < USES_TO_TRY ? is_power_of_two : uses % USES_TO_TRY == 0;
}

bool carrier_copies_sooner(const struct carrier_times *times)
{
    uint64_t copy = times->shortest[true];
    return copy + copy / DELAY < times->shortest[false];
}

// The shortest time is compared: others have interruptions in them. It is forgotten bit by
// bit, since the processes may have been moved to other cores.
void carrier_took(struct carrier_times *times, bool is_copied, uint64_t took)
{
    uint64_t *shortest = &times->shortest[is_copied];
    bool is_shorter = *shortest == 0 || took < *shortest;
    *shortest = is_shorter ? took : *shortest + *shortest / FORGETTING;
    bool tries = tries_the_other(++times->uses);
    times->is_copied = carrier_copies_sooner(times) != tries;
    times->untimed = times->uses > USES_TO_TRY && !tries ? UNTIMED : 0;
}
