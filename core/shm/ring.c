// SPDX-License-Identifier: BSD-3-Clause
// Messages between two processes of a node. The receiver watches the head word of the
// next record, so that a short message moves one cache line. A ring that was never used
// is neither watched nor touched: its sender puts it on the receiver's list of
// newcomers with the first message.
//
// Acquire and release are enough for what the two ends tell each other. Sequentially
// consistent are only the two places where an end first writes and then looks whether
// the other one sleeps, while that one first says that it will sleep and then looks for
// what has been written: the head word before the doorbell, and `consumed` before
// `is_full`.
#include "shm/control.h"
#include "shm/heap.h"
#include "shm/ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD_BYTES = 8 * CACHE_LINE }; // some short messages

static uint64_t head_word(enum record_mark mark, uint16_t kind, size_t bytes)
{
    return (uint64_t)mark << 48 | (uint64_t)kind << 32 | bytes;
}

size_t rings_bytes(int node_size)
{
    return (size_t)node_size * (size_t)node_size * sizeof(struct ring);
}

int rings_open(struct shm *shm, char *memory)
{
    size_t size = (size_t)shm->node_size, self = (size_t)shm->node_rank;
    struct shm_rings *rings = calloc(1, sizeof *rings);
    if (!rings)
        goto no_memory;
    shm->rings = rings;
    rings->out = calloc(size, sizeof *rings->out);
    rings->in = calloc(size, sizeof *rings->in);
    rings->senders = calloc(size, sizeof *rings->senders);
    if (!rings->out || !rings->in || !rings->senders)
        goto no_memory;
    struct ring *all = (struct ring *)memory; // [receiver][sender]
    for (size_t peer = 0; peer < size; peer++) {
        rings->out[peer].ring = &all[peer * size + self];
        rings->in[peer].ring = &all[self * size + peer];
    }
    return 0;

no_memory:
    rings_close(shm);
    return fail(MPI_ERR_NO_MEM, "no memory for the rings of %zu processes", size);
}

void rings_close(struct shm *shm)
{
    if (!shm->rings)
        return;
    if (shm->rings->cells)
        shm_free(shm, shm->rings->cells);
    free(shm->rings->out);
    free(shm->rings->in);
    free(shm->rings->senders);
    free(shm->rings);
    shm->rings = NULL;
}

static void look_at_consumed(struct ring_end *out)
{
    out->consumed = atomic_load_explicit(&out->ring->consumed, memory_order_acquire);
}

// Behind the last place that a record can have, and where the low part is enough.
static bool starts_over(struct ring_end *out, size_t record)
{
    if (likely(out->position < LOW_BYTES))
        return false;
    if (out->position + record + HEAD_BYTES > DATA_BYTES)
        return true;
    if (out->far_laps > 0)
        return false;
    if (out->bytes - out->consumed > KEEPS_UP_BYTES)
        look_at_consumed(out);
    if (out->bytes - out->consumed > KEEPS_UP_BYTES)
        out->far_laps = FAR_LAPS;
    return out->far_laps == 0;
}

// Are there `bytes` to write, as far as the receiver is known to be? Looks again when
// not, and asks to be rung when there is room.
static bool has_room(struct ring_end *out, size_t bytes)
{
    if (likely(out->bytes + bytes - out->consumed <= DATA_BYTES))
        return true;
    look_at_consumed(out);
    if (out->bytes + bytes - out->consumed <= DATA_BYTES)
        return true;
    atomic_store(&out->ring->is_full, 1);
    out->consumed = atomic_load(&out->ring->consumed);
    return out->bytes + bytes - out->consumed <= DATA_BYTES;
}

// The ring's first message has been sent: lets the receiver know that there is a ring.
static void join_newcomers(struct shm *shm, int node_rank, struct ring_end *out)
{
    struct peer_record *record = peer_record_of(shm, node_rank);
    uint32_t latest = atomic_load(&record->newcomers);
    do
        atomic_store(&out->ring->next, latest);
    while (!atomic_compare_exchange_weak(&record->newcomers, &latest,
                                         (uint32_t)shm->node_rank + 1));
    out->is_in_use = true;
}

// The doorbell is looked at only when all stores are done, and those that follow soon go
// to lines that the receiver has read: they are fetched meanwhile.
static void fetch_ahead(const struct ring_end *out)
{
    if (likely(out->position + AHEAD_BYTES < DATA_BYTES))
        prefetch_for_store(out->ring->data + out->position + AHEAD_BYTES);
}

bool shm_has_room(struct shm *shm, int node_rank, size_t bytes)
{
    struct ring_end *out = &shm->rings->out[node_rank];
    size_t records = (bytes / SHM_PART_MIN + 1) * 2 * CACHE_LINE + bytes;
    size_t most =
        records + RECORD_MAX + CACHE_LINE; // with the space skipped at the end
    if (out->bytes + most - out->consumed > DATA_BYTES)
        look_at_consumed(out);
    if (out->bytes + most - out->consumed > DATA_BYTES)
        return false;
    if (out->far_laps < 2) // lest the low part is all there is
        out->far_laps = 2;
    return true;
}

// Makes the cells of this process, in its heap, with its first long message; none if there
// is no memory.
static void cells_make(struct shm *shm)
{
    struct shm_rings *rings = shm->rings;
    size_t of_heap = shm->heap_bytes / CELLS_OF_HEAP / sizeof(struct cell);
    int count = CELLS_OF_NODE / shm->node_size;
    count = count < CELLS_OF_PROCESS ? count : CELLS_OF_PROCESS;
    count = (size_t)count < of_heap ? count : (int)of_heap;
    size_t bytes = (size_t)count * sizeof(struct cell);
    const struct quota *exceeded;
    const struct block *block =
        count > 0 ? heap_allocate(shm->heap, bytes, CACHE_LINE, &exceeded) : NULL;
    rings->has_tried_cells = true;
    if (block == NULL)
        return;
    struct cell *cells = (void *)(shm->heap->base + block->start);
    if (block->bytes / 2 > bytes) { // the heap had no memory to cut it to size
        heap_free(shm->heap, cells);
        rings->has_tried_cells = false;
        return;
    }
    rings->cells = cells;
    rings->cell_count = count;
}

// The next of the cells in turn that its last receiver has left, or NULL.
static struct cell *cell_left(struct shm_rings *rings)
{
    for (int i = 0; i < CELL_TRIES && i < rings->cells_begun; i++) {
        struct cell *cell = &rings->cells[rings->next_cell];
        rings->next_cell = (rings->next_cell + 1) % rings->cells_begun;
        if (!atomic_load_explicit(&cell->is_used, memory_order_acquire)) {
            prefetch_for_store(&rings->cells[rings->next_cell]);
            return cell;
        }
    }
    return NULL;
}

// Must another cell join those in turn, because none of them is free or they have been
// used for much?
static bool must_begin_cell(const struct shm_rings *rings, const struct cell *left)
{
    return rings->cells_begun < rings->cell_count &&
           (left == NULL || rings->bytes_in_cells >= CELL_PAYS_BYTES);
}

// A free cell for a message of so many bytes, or NULL.
static struct cell *cell_take(struct shm *shm, size_t bytes)
{
    struct shm_rings *rings = shm->rings;
    if (unlikely(!rings->has_tried_cells))
        cells_make(shm);
    struct cell *cell = cell_left(rings);
    rings->bytes_in_cells += bytes;
    if (unlikely(must_begin_cell(rings, cell))) {
        cell = &rings->cells[rings->cells_begun++];
        rings->bytes_in_cells = 0;
    }
    if (cell != NULL)
        atomic_store_explicit(&cell->is_used, true, memory_order_relaxed);
    return cell;
}

// Where a record of so many bytes begins; false when the ring is full.
static bool find_place(struct ring_end *out, size_t record, size_t *at, size_t *skipped)
{
    bool over = starts_over(out, record);
    *skipped = over ? DATA_BYTES - out->position : 0;
    *at = over ? 0 : out->position;
    if (!has_room(out, *skipped + record + HEAD_BYTES)) {
        out->far_laps = FAR_LAPS;
        return false;
    }
    if (over && out->far_laps > 0)
        out->far_laps--;
    return true;
}

static void put_parts(char *message, const void *head, size_t head_bytes,
                      const void *body, size_t body_bytes)
{
    if (head_bytes > 0)
        memcpy(message, head, head_bytes);
    if (body_bytes > 0)
        copy_bytes(message + head_bytes, body, body_bytes);
}

// The body begins at a cache line.
static struct cell_record put_into_cell(const struct shm *shm, struct cell *cell,
                                        const void *head, size_t head_bytes,
                                        const void *body, size_t body_bytes)
{
    char *message = cell->data + (-head_bytes & (CACHE_LINE - 1) & ~(size_t)7);
    put_parts(message, head, head_bytes, body, body_bytes);
    return (struct cell_record){shm_offset(shm, message), shm_offset(shm, cell)};
}

// Shows the receiver the record at `at`, behind which is nothing yet.
static void ring_publish(struct ring_end *out, uint64_t word, size_t at, size_t record,
                         size_t skipped)
{
    struct ring *ring = out->ring;
    atomic_store_explicit(head_at(ring, at + record), 0, memory_order_relaxed);
    if (skipped) {
        atomic_store_explicit(head_at(ring, 0), word, memory_order_relaxed);
        atomic_store(head_at(ring, out->position), head_word(RECORD_WRAP, 0, 0));
    } else {
        atomic_store(head_at(ring, at), word);
    }
    out->position = at + record;
    out->bytes += skipped + record;
    fetch_ahead(out);
}

bool shm_send(struct shm *shm, int node_rank, uint16_t kind, const void *head,
              size_t head_bytes, const void *body, size_t body_bytes)
{
    struct ring_end *out = &shm->rings->out[node_rank];
    size_t bytes = head_bytes + body_bytes, at, skipped;
    assert(bytes <= SHM_MESSAGE_MAX && ring_sender_is_valid(out));
    struct cell *cell = bytes >= CELL_MESSAGE_MIN ? cell_take(shm, bytes) : NULL;
    size_t record = record_bytes(cell ? sizeof(struct cell_record) : bytes);
    if (!find_place(out, record, &at, &skipped)) {
        if (cell)
            atomic_store_explicit(&cell->is_used, false, memory_order_relaxed);
        return false;
    }
    char *place = out->ring->data + at + HEAD_BYTES;
    if (cell)
        *(struct cell_record *)(void *)place =
            put_into_cell(shm, cell, head, head_bytes, body, body_bytes);
    else
        put_parts(place, head, head_bytes, body, body_bytes);
    ring_publish(out, head_word(cell ? RECORD_IN_CELL : RECORD_MESSAGE, kind, bytes),
                 at, record, skipped);
    if (unlikely(!out->is_in_use))
        join_newcomers(shm, node_rank, out);
    assert(ring_sender_is_valid(out));
    if (unlikely(is_bell_armed(peer_record_of(shm, node_rank))))
        shm_ring(shm, node_rank);
    return true;
}

// Watches the rings that have come into use.
static void add_newcomers(struct shm *shm)
{
    struct shm_rings *rings = shm->rings;
    struct peer_record *record = peer_record_of(shm, shm->node_rank);
    uint32_t next = atomic_exchange(&record->newcomers, 0);
    while (next) {
        struct ring_end *in = &rings->in[next - 1];
        rings->senders[rings->sender_count++] = (int)next - 1;
        next = atomic_load(&in->ring->next);
    }
}

static void show_consumed(struct shm *shm, int node_rank, struct ring_end *in)
{
    if (in->bytes - in->consumed < STEP_BYTES)
        return;
    in->consumed = in->bytes;
    atomic_store(&in->ring->consumed, in->consumed);
    if (unlikely(atomic_load(&in->ring->is_full)) &&
        atomic_exchange(&in->ring->is_full, 0))
        shm_ring(shm, node_rank);
}

typedef bool receive_message(int node_rank, uint16_t kind, const void *message,
                             size_t bytes);

// False when the message stays in its cell.
static bool receive_from_cell(struct shm *shm, int node_rank, uint64_t word,
                              const struct cell_record *record,
                              receive_message *receive)
{
    struct cell *cell = shm_at(shm, record->cell);
    if (unlikely(!receive(node_rank, (uint16_t)(word >> 32),
                          shm_at(shm, record->message), (uint32_t)word)))
        return false;
    atomic_store_explicit(&cell->is_used, false, memory_order_release);
    return true;
}

// Takes the record at the position of the ring, whose head word is given; false when the
// message stays.
static bool receive_record(struct shm *shm, int node_rank, uint64_t word,
                           receive_message *receive)
{
    struct ring_end *in = &shm->rings->in[node_rank];
    const char *message = in->ring->data + in->position + HEAD_BYTES;
    bool is_in_cell = word >> 48 == RECORD_IN_CELL;
    size_t bytes = is_in_cell ? sizeof(struct cell_record) : (uint32_t)word;
    if (unlikely(is_in_cell
                     ? !receive_from_cell(shm, node_rank, word, (const void *)message,
                                          receive)
                     : !receive(node_rank, (uint16_t)(word >> 32), message, bytes)))
        return false;
    in->position += record_bytes(bytes);
    in->bytes += record_bytes(bytes);
    assert(ring_receiver_is_valid(in));
    return true;
}

static int receive_from(struct shm *shm, int node_rank, int limit,
                        receive_message *receive)
{
    struct ring_end *in = &shm->rings->in[node_rank];
    int count = 0;
    while (count < limit) {
        uint64_t word =
            atomic_load_explicit(head_at(in->ring, in->position), memory_order_acquire);
        if (word >> 48 == RECORD_NONE)
            break;
        if (word >> 48 == RECORD_WRAP) {
            in->bytes += DATA_BYTES - in->position;
            in->position = 0;
            continue;
        }
        if (unlikely(!receive_record(shm, node_rank, word, receive)))
            break;
        count++;
    }
    show_consumed(shm, node_rank, in);
    return count;
}

int shm_receive(struct shm *shm, int limit,
                bool (*receive)(int node_rank, uint16_t kind, const void *message,
                                size_t bytes))
{
    struct shm_rings *rings = shm->rings;
    assert(rings_are_valid(shm));
    if (unlikely(atomic_load(&peer_record_of(shm, shm->node_rank)->newcomers)))
        add_newcomers(shm);
    int count = 0;
    for (int i = 0; i < rings->sender_count; i++)
        count += receive_from(shm, rings->senders[i], limit, receive);
    assert(rings_are_valid(shm));
    return count;
}
