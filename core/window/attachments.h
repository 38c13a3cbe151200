// SPDX-License-Identifier: BSD-3-Clause
// Attached memory of a member of a dynamic window.
#pragma once

#include "window/window.h"

// An element of an array that others read while it changes.
struct attachment {
    _Atomic(uint64_t) address, bytes;       // in the owner's process
    _Atomic(uint64_t) shared, shared_bytes; // the same of shared pages; no bytes: none
    _Atomic(uint64_t) offset;               // of those in the segment
};
static inline uint64_t word_read(const _Atomic(uint64_t) *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

// The array as a search sees it.
struct attachment_list {
    const struct attachment *first; // sorted by address
    uint64_t count;
};
// The number of attachments at `address` or below.
uint64_t attachments_up_to(struct attachment_list list, uint64_t address);
// The end of the attachments that follow each other without a gap from the one with
// `address`, or some address from `enough` on; `address` itself if that is not
// attached. Empty ones are no gap.
uint64_t attachments_end(struct attachment_list list, uint64_t address,
                         uint64_t enough);
bool attachment_is_empty(struct attachment_list list, uint64_t i);

static inline struct shared_pages attachment_pages(const struct attachment *attachment)
{
    return (struct shared_pages){
        .address = (char *)(uintptr_t)word_read(&attachment->shared),
        .bytes = word_read(&attachment->shared_bytes),
        .offset = word_read(&attachment->offset),
    };
}

// Of a dynamic window whose lock records exist: names this process's attachments, gives
// back their list.
void attachments_make(struct window *window);
void attachments_free(struct window *window);

// ---- the own list; callers hold the message lock
struct attachment_list attachments_own(const struct window *window);
// Is anything of [address, address + bytes) attached?
bool attachments_overlap(const struct window *window, uint64_t address, uint64_t bytes);
// MPI_ERR_RMA_ATTACH if something of it is attached.
int attachments_add(struct window *window, const struct attachment *attachment);
// Erases the attachment that begins at `base` and says which of its pages are shared;
// false if there is none.
bool attachments_take(struct window *window, const void *base,
                      struct shared_pages *shared);
