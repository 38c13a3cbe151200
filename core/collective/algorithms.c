// SPDX-License-Identifier: BSD-3-Clause
// The algorithms that move data from and to all peers, as steps of a schedule; see
// schedule.h.
#include "collective/portions.h"

#include <stdlib.h>

// Dissemination: after round k every peer has heard, directly or not, of 2^(k+1).
void append_barrier(struct schedule *schedule, const struct peers *peers)
{
    struct elements nothing = elements_of(NULL, 0, byte_type());
    for (int distance = 1; distance < peers->size; distance *= 2) {
        peers_send(schedule, peers, nothing, (peers->own + distance) % peers->size);
        peers_receive(schedule, peers, nothing,
                      (peers->own - distance + peers->size) % peers->size);
        schedule_wait(schedule);
    }
}

// ---- from one to all

// Scatter and allgather: each peer gets a share and passes it on to all, so that no
// peer sends more than twice the data. Types may differ from process to process; shares
// that all agree on are of bytes.
static void append_broadcast_shares(struct schedule *schedule,
                                    const struct peers *peers, struct elements data,
                                    int root)
{
    MPI_Count bytes = (MPI_Count)elements_bytes(data);
    bool is_packed = data.type->is_contiguous;
    struct elements packed = elements_of(data.at, bytes, byte_type());
    if (!is_packed)
        packed = schedule_scratch(schedule, bytes, byte_type());
    if (!is_packed && peers->own == root)
        schedule_copy(schedule, data, packed);
    struct portions shares = shared_portions(packed, peers->size);
    append_share(schedule, peers, &shares, root);
    append_allgather(schedule, peers, &shares);
    if (!is_packed && peers->own != root)
        schedule_copy(schedule, packed, data);
}

void append_broadcast(struct schedule *schedule, const struct peers *peers,
                      struct elements data, int root)
{
    if (peers->size <= 2 || elements_bytes(data) <= LONG_BYTES)
        append_spread(schedule, peers, data, root);
    else
        append_broadcast_shares(schedule, peers, data, root);
}

// ---- from all to all

typedef void transfer_with(struct schedule *schedule, const struct peers *peers,
                           struct elements elements, int index);

// Sends to or receives from a peer the portions from `first` on, where portion 0 comes
// after the last.
static void append_run(struct schedule *schedule, const struct peers *peers,
                       transfer_with *transfer, int index, const struct portions *all,
                       int first, int count)
{
    int behind = peers->size - first, straight = count < behind ? count : behind;
    transfer(schedule, peers, portions_joined(all, first, straight), index);
    if (straight < count)
        transfer(schedule, peers, portions_joined(all, 0, count - straight), index);
}

// Bruck's algorithm. Before each round a peer has its own portion and those of the
// `known` - 1 peers behind.
void append_allgather(struct schedule *schedule, const struct peers *peers,
                      const struct portions *all)
{
    int size = peers->size, own = peers->own;
    for (int known = 1; known < size; known *= 2) {
        int count = known < size - known ? known : size - known;
        int next = (own + known) % size, previous = (own + size - known) % size;
        append_run(schedule, peers, peers_receive, next, all, next, count);
        append_run(schedule, peers, peers_send, previous, all, own, count);
        schedule_wait(schedule);
    }
}

// Ring algorithm: in each round a peer passes on the portion that came in the round
// before.
void append_ring(struct schedule *schedule, const struct peers *peers,
                 const struct portions *all)
{
    int size = peers->size, at = peers->own;
    for (int round = 1; round < size; round++) {
        peers_send(schedule, peers, portion_of(all, at), (peers->own + 1) % size);
        at = (at + size - 1) % size;
        peers_receive(schedule, peers, portion_of(all, at),
                      (peers->own + size - 1) % size);
        schedule_wait(schedule);
    }
}

int numbers_lay_out(struct numbers counts, int size, MPI_Count **starts,
                    MPI_Count *total)
{
    MPI_Count *made = malloc((size_t)size * sizeof *made);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for %d displacements", size);
    *total = 0;
    for (int i = 0; i < size; i++) {
        made[i] = *total;
        *total += number_at(counts, i);
    }
    *starts = made;
    return 0;
}
