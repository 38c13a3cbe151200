// SPDX-License-Identifier: BSD-3-Clause
// Rings, which lie in the segment behind the control area, this process's ends of them,
// and the records in a ring.
#pragma once

#include "shm/shm.h"

enum { RING_BYTES = 256 << 10 };

// From one sender to one receiver. A record is a head word and the message, padded to 8.
// The head word behind the last record is always 0. A record never wraps: RECORD_WRAP
// says that the next one is at the start of `data`. The sender goes back there early
// while the receiver keeps up, so that only a pair of processes with much under way
// touches more than the low part.
struct ring {
    // Written by the receiver, read by the sender only when the ring seems full.
    _Alignas(CACHE_LINE) _Atomic(uint64_t) consumed; // bytes so far
    _Atomic(uint32_t) is_full; // the sender waits for room and wants to be rung
    _Atomic(uint32_t) next; // 1 + node_rank: next in the receiver's list of newcomers
    _Alignas(CACHE_LINE) char data[RING_BYTES - CACHE_LINE];
};
_Static_assert(sizeof(struct ring) == RING_BYTES, "rings are a power of two apart");

enum { HEAD_BYTES = 8, DATA_BYTES = RING_BYTES - CACHE_LINE };

// The receiver shows what it has consumed in steps of this size. The largest record
// with the space skipped before it fits beside one step, so that a sender never waits
// for room that is there but not shown.
enum { STEP_BYTES = 8 << 10, RECORD_MAX = HEAD_BYTES + SHM_MESSAGE_MAX };
_Static_assert(STEP_BYTES + 2 * (RECORD_MAX + CACHE_LINE) <= DATA_BYTES, "room");

// The sender starts over behind the low part if the receiver keeps up, which has shown
// all but two steps then and may have consumed all but one: at the start there is room
// for these and the largest record. It uses the whole ring for some laps when the
// receiver does not keep up, or for what is longer.
enum { LOW_BYTES = 32 << 10, KEEPS_UP_BYTES = 2 * STEP_BYTES, FAR_LAPS = 8 };
_Static_assert(KEEPS_UP_BYTES + RECORD_MAX + 2 * CACHE_LINE <= LOW_BYTES, "room");

// Head word of a record: mark, kind and length in bits 48-63, 32-47 and 0-31.
enum record_mark { RECORD_NONE, RECORD_MESSAGE, RECORD_IN_CELL, RECORD_WRAP };

// Long messages lie in cells of their sender, of which the record of a ring says only
// where. The sender takes some of them in turn. Their number grows when the next ones are
// still used, and with the bytes that are sent: a cell that is used after many others has
// left the caches of both cores for the one that they share, from where lines come two or
// three times as fast, but its first use costs the page faults of both processes, as much
// as ten messages and more. Without a free cell long messages lie in the ring too.
struct cell {
    _Alignas(CACHE_LINE) _Atomic(bool) is_used; // until the receiver has its message
    _Alignas(CACHE_LINE) char data[SHM_MESSAGE_MAX + CACHE_LINE];
};
enum {
    CELL_MESSAGE_MIN = 1024,
    CELLS_OF_PROCESS = 256, // as two cores' own caches; or less, that those of a large
    CELLS_OF_NODE = 32768,  // node take 264 MiB at most
    CELLS_OF_HEAP = 8,      // and at most one part in so many of the heap
    CELL_TRIES = 4,
    CELL_PAYS_BYTES = 256 << 10, // of messages in cells, for which another cell pays
};

// Record of a message in a cell.
struct cell_record {
    uint64_t message; // offset in the segment
    uint64_t cell;    // likewise
};

struct ring_end {
    struct ring *ring;
    size_t position;   // of the next record in `data`
    uint64_t bytes;    // sent or consumed so far, with the space skipped at the end
    uint64_t consumed; // of them, as last seen by the sender or shown by the receiver
    bool is_in_use;    // sender: the receiver watches the ring
    uint8_t far_laps;  // sender: so many times it goes on behind the low part
};

struct shm_rings {
    struct ring_end *out; // [node_size] towards each process
    struct ring_end *in;  // [node_size] from each process
    int *senders;         // [sender_count] whose rings are in use
    int sender_count;
    bool has_tried_cells; // to make them
    struct cell *cells;   // [cell_count] of this process
    int cell_count, next_cell;
    int cells_begun;       // which are used in turn; others have no pages yet
    size_t bytes_in_cells; // of messages since the last one was begun
};

// Bytes of a record in the ring, without the head word behind it.
static inline size_t record_bytes(size_t message)
{
    return HEAD_BYTES + round_up(message, 8);
}

static inline _Atomic(uint64_t) *head_at(struct ring *ring, size_t position)
{
    return (_Atomic(uint64_t) *)(ring->data + position);
}

// Whether the counts of an end agree with its position, with what the other end can have
// seen or shown, and with the record at the position.
bool ring_sender_is_valid(const struct ring_end *out);
bool ring_receiver_is_valid(const struct ring_end *in);
// Whether the ends of this process that are in use are valid, and each sender is listed
// once.
bool rings_are_valid(const struct shm *shm);

size_t rings_bytes(int node_size);
int rings_open(struct shm *shm, char *memory);
void rings_close(struct shm *shm);
