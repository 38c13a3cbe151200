// SPDX-License-Identifier: BSD-3-Clause
// Limits on the size of the segment and on the memory of all heaps together, by the
// limits of the process and of its control group.
#include "shm/control.h"
#include "shm/room.h"

#include <errno.h>
#include <unistd.h>

// RLIM_INFINITY is the largest number.
static struct room room_lower(struct room room, rlim_t bytes, enum bound bound)
{
    return bytes < room.bytes ? (struct room){(size_t)bytes, bound} : room;
}

// Where address space is limited, half of it stays for the program.
struct room room_find(void)
{
    struct room room = {(size_t)1 << 45, BOUND_ADDRESSES}; // user space has 2^47 bytes
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        room = room_lower(room, limit.rlim_cur / 2, BOUND_ADDRESSES);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0)
        room = room_lower(room, limit.rlim_max, BOUND_FILE_SIZE);
    return room;
}

bool file_limit_raise(size_t bytes, struct rlimit *before)
{
    if (getrlimit(RLIMIT_FSIZE, before) != 0 || bytes <= before->rlim_cur)
        return false;
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){before->rlim_max, before->rlim_max});
    return true;
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

bool file_set_length(int file, size_t bytes)
{
    struct rlimit limit;
    bool is_raised = file_limit_raise(bytes, &limit);
    bool is_set = ftruncate(file, (off_t)bytes) == 0;
    int reason = errno;
    if (is_raised)
        setrlimit(RLIMIT_FSIZE, &limit);
    errno = reason;
    return is_set;
}

// Processes of one control group share its memory limit. If processes of a node are in
// several groups, the node's heaps together have the machine's memory.
void group_enter(struct shm *shm)
{
    struct shm_control *control = shm->control;
    struct group_limit group = group_limit_find("");
    atomic_store(&shm->heap->own.limit, group.bytes);
    if (shm->node_rank == 0) {
        control->group = group.identity;
        uint64_t machine = machine_bytes();
        atomic_store(&control->heaps.limit,
                     group.bytes < machine ? group.bytes : machine);
    } else if (control->group != group.identity) {
        atomic_store(&control->heaps.limit, machine_bytes());
    }
}
