// SPDX-License-Identifier: BSD-3-Clause
// How large the segment may be: what the limits of the process leave.
#include "shm/private.h"

#include <sys/resource.h>

// RLIM_INFINITY is the largest number.
static struct room lesser(struct room room, rlim_t bytes, enum bound bound)
{
    return bytes < room.bytes ? (struct room){(size_t)bytes, bound} : room;
}

// Where address space is limited, half of it stays for the program.
struct room room_find(void)
{
    struct room room = {(size_t)1 << 45, BOUND_ADDRESSES}; // user space has 2^47 bytes
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        room = lesser(room, limit.rlim_cur / 2, BOUND_ADDRESSES);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0)
        room = lesser(room, limit.rlim_max, BOUND_FILE_SIZE);
    return room;
}

const char *room_reason(enum bound bound)
{
    switch (bound) {
    case BOUND_ADDRESSES:
        return "address space, of which the program keeps half (ulimit -v)";
    case BOUND_FILE_SIZE:
        return "the hard limit of file sizes (ulimit -f)";
    default:
        return "ORIEL_HEAP";
    }
}
