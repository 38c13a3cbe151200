// SPDX-License-Identifier: BSD-3-Clause
// What the files of window/ share among themselves: the constructor and its memory
// sources.
#pragma once

#include "window/window.h"

// What a window is to become.
struct window_plan {
    int flavor;
    struct communicator *comm; // the program's
    struct info *info;         // may be NULL
    MPI_Aint size, unit;       // of the own part
    void *memory;              // the caller's, or NULL
    // The source of the memory: sets base, size and allocation of the window. All
    // members call it, even one that has failed already.
    int (*bring)(const struct window_plan *plan, struct window *window);
};

// Collective over plan->comm. All members return the same error class, and then nothing
// is left of the window. On success the program holds its handle.
int window_open(const struct window_plan *plan, struct window **window);
// Undoes all that window_open did. Collective on the node where that spans nodes; no
// member uses the window any more.
void window_close(struct window *window);

// The sources. A dynamic window begins as one on no memory of the caller's.
int bring_callers(const struct window_plan *plan, struct window *window);
int bring_own(const struct window_plan *plan, struct window *window);
int bring_shared(const struct window_plan *plan, struct window *window);

// MPI_ERR_BUFFER or MPI_ERR_SIZE if what a program gives is no memory of that size, as
// far as anyone can tell.
int check_memory(const void *memory, MPI_Aint size);
// Frees what MPI_Free_mem has kept for windows, unless another window uses it.
void kept_memory_free(void);
// Forgets it, when the segment is about to go.
void kept_memory_forget(void);

void peers_free(struct window *window);
void distant_locks_free(struct window *window);
void locks_start(void);
void locks_stop(void);
void notices_free(struct window *window);
void notices_start(void);
void notices_stop(void);

// ---- dynamic windows ----------------------------------------------------------
// In an array that others read while it changes.
struct attachment {
    _Atomic(uint64_t) address, bytes; // in the owner's process
};
static inline uint64_t peek(const _Atomic(uint64_t) *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

// What a search sees.
struct attachment_list {
    const struct attachment *first; // sorted by address
    uint64_t count;
};
// The number of attachments at `address` or below.
uint64_t attachments_up_to(struct attachment_list list, uint64_t address);
// Where the attachments that follow each other without a gap from the one with
// `address` end, or some place from `enough` on; `address` itself if that is not
// attached. Empty ones are no gap.
uint64_t attachments_end(struct attachment_list list, uint64_t address,
                         uint64_t enough);
bool attachment_is_empty(struct attachment_list list, uint64_t i);

// Of a dynamic window whose lock records exist: names this process's attachments, gives
// back their list.
void attachments_make(struct window *window);
void attachments_free(struct window *window);
// Is anything of [address, address + bytes) attached? Callers hold the message lock.
bool attachments_overlap(const struct window *window, uint64_t address, uint64_t bytes);

// ---- hints --------------------------------------------------------------------
// The hints of a window: every key that Oriel knows with the value in use.
int hints_choose(struct window *window, const struct info *given);
// The power of two, at least CACHE_LINE, that `info` asks for.
size_t hint_alignment(const struct info *info);
// Makes sure that this process serves its mates while it computes, if any operation on
// the window could need it.
int window_serve(struct window *window);
