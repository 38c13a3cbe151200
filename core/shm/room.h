// SPDX-License-Identifier: BSD-3-Clause
// Limits on the size of the segment and of its heaps.
#pragma once

#include "shm/shm.h"

#include <sys/resource.h>

// Why a heap is as large as it is.
enum bound { BOUND_WANTED, BOUND_ADDRESSES, BOUND_FILE_SIZE };
struct room {
    size_t bytes; // of a segment at most
    enum bound bound;
};
struct room room_find(void);
// The soft limit of file sizes is there for files that grow by mistake; the segment takes
// what the hard one allows. Beyond that the system answers with a signal. True if the
// soft limit has been raised for `bytes`; *before is for the caller to set it again.
bool file_limit_raise(size_t bytes, struct rlimit *before);
const char *room_reason(enum bound bound); // for people, with what changes it
// Makes the file so long whatever the soft limit says; false with errno.
bool file_set_length(int file, size_t bytes);
// Learns what memory this process's control group leaves to the heaps.
void group_enter(struct shm *shm);
