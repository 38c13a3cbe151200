// SPDX-License-Identifier: BSD-3-Clause
// The invariants of rings, as one process sees its ends. The other end moves meanwhile.
#include "shm/ring.h"

static bool ring_end_is_valid(const struct ring_end *end)
{
    return end->position == end->bytes % DATA_BYTES && end->position % 8 == 0 &&
           end->consumed <= end->bytes;
}

// Nothing is behind the last record, and the receiver has shown no more than was sent.
bool ring_sender_is_valid(const struct ring_end *out)
{
    uint64_t shown = atomic_load(&out->ring->consumed);
    return ring_end_is_valid(out) && out->bytes - out->consumed <= DATA_BYTES &&
           out->consumed <= shown && shown <= out->bytes &&
           atomic_load(head_at(out->ring, out->position)) == 0;
}

static bool record_is_valid(uint64_t word, size_t position)
{
    size_t bytes = (uint32_t)word;
    switch (word >> 48) {
    case RECORD_NONE:
        return true;
    case RECORD_WRAP:
        return position > 0;
    case RECORD_IN_CELL:
        return bytes >= CELL_MESSAGE_MIN && bytes <= SHM_MESSAGE_MAX &&
               position + record_bytes(sizeof(struct cell_record)) + HEAD_BYTES <=
                   DATA_BYTES;
    case RECORD_MESSAGE:
        return bytes <= SHM_MESSAGE_MAX &&
               position + record_bytes(bytes) + HEAD_BYTES <= DATA_BYTES;
    default:
        return false;
    }
}

bool ring_receiver_is_valid(const struct ring_end *in)
{
    return ring_end_is_valid(in) && in->bytes - in->consumed <= DATA_BYTES &&
           atomic_load(&in->ring->consumed) == in->consumed &&
           record_is_valid(atomic_load(head_at(in->ring, in->position)), in->position);
}

static bool sender_is_listed_once(const struct shm_rings *rings, int index)
{
    for (int i = 0; i < index; i++)
        if (rings->senders[i] == rings->senders[index])
            return false;
    return true;
}

// A ring that was never used is not touched, lest it gets pages.
bool rings_are_valid(const struct shm *shm)
{
    const struct shm_rings *rings = shm->rings;
    if (rings->sender_count < 0 || rings->sender_count > shm->node_size)
        return false;
    for (int i = 0; i < rings->sender_count; i++)
        if (rings->senders[i] < 0 || rings->senders[i] >= shm->node_size ||
            !sender_is_listed_once(rings, i) ||
            !ring_receiver_is_valid(&rings->in[rings->senders[i]]))
            return false;
    for (const struct ring_end *out = rings->out; out < rings->out + shm->node_size;
         out++)
        if (out->is_in_use ? !ring_sender_is_valid(out) : out->bytes != 0)
            return false;
    return true;
}
