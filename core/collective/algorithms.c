// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of collective calls, as steps of a schedule; see schedule.h.
#include "collective/portions.h"

// Long data goes through trees in pieces, so that all levels work at once.
enum { PIECE_BYTES = 64 * 1024 };

static int rank_of(const struct peers *peers, int index)
{
    return peers->ranks ? peers->ranks[index] : index;
}

static void send_to(struct schedule *schedule, const struct peers *peers,
                    struct elements from, int index)
{
    schedule_send(schedule, peers->comm, from, rank_of(peers, index));
}

static void receive_from(struct schedule *schedule, const struct peers *peers,
                         struct elements to, int index)
{
    schedule_receive(schedule, peers->comm, to, rank_of(peers, index));
}

static MPI_Count piece_of(struct elements data)
{
    MPI_Count size = data.type->size, count = size ? PIECE_BYTES / size : data.count;
    return count > 0 ? count : 1;
}

// Dissemination: after round k every peer has heard, directly or not, of 2^(k+1).
void append_barrier(struct schedule *schedule, const struct peers *peers)
{
    struct elements nothing = elements_of(NULL, 0, byte_type());
    for (int distance = 1; distance < peers->size; distance *= 2) {
        send_to(schedule, peers, nothing, (peers->own + distance) % peers->size);
        receive_from(schedule, peers, nothing,
                     (peers->own - distance + peers->size) % peers->size);
        schedule_wait(schedule);
    }
}

// Binomial tree over the peers, numbered from the root on.
static void append_broadcast_piece(struct schedule *schedule, const struct peers *peers,
                                   struct elements piece, int root)
{
    int size = peers->size, own = (peers->own - root + size) % size, distance = 1;
    while (distance < size && !(own & distance))
        distance *= 2;
    if (own != 0) {
        receive_from(schedule, peers, piece, (own - distance + root) % size);
        schedule_wait(schedule);
    }
    for (distance /= 2; distance > 0; distance /= 2)
        if (own + distance < size)
            send_to(schedule, peers, piece, (own + distance + root) % size);
}

static void append_broadcast_long(struct schedule *schedule, const struct peers *peers,
                                  struct elements bytes, int root)
{
    for (MPI_Count done = 0; done < bytes.count; done += PIECE_BYTES) {
        MPI_Count left = bytes.count - done;
        MPI_Count count = left < PIECE_BYTES ? left : PIECE_BYTES;
        append_broadcast_piece(schedule, peers, elements_part(bytes, done, count),
                               root);
    }
    schedule_wait(schedule);
}

// Types may differ from process to process; pieces that all agree on are of bytes.
void append_broadcast(struct schedule *schedule, const struct peers *peers,
                      struct elements data, int root)
{
    MPI_Count bytes = (MPI_Count)elements_bytes(data);
    if (bytes <= PIECE_BYTES) {
        append_broadcast_piece(schedule, peers, data, root);
        schedule_wait(schedule);
        return;
    }
    struct elements packed = elements_of(data.at, bytes, byte_type());
    if (!data.type->is_contiguous)
        packed = schedule_scratch(schedule, bytes, byte_type());
    if (peers->own == root)
        schedule_copy(schedule, data, packed);
    append_broadcast_long(schedule, peers, packed, root);
    if (peers->own != root)
        schedule_copy(schedule, packed, data);
}

// Binomial tree towards `first`; a peer's own part is the left operand. Returns where
// the result is at `first`: `in` itself, or one of the two spaces.
static struct elements append_reduce_tree(struct schedule *schedule,
                                          const struct peers *peers, struct op *op,
                                          struct elements in, void *spaces[2],
                                          int first)
{
    int size = peers->size, own = (peers->own - first + size) % size, turn = 0;
    struct elements result = in;
    for (int distance = 1; distance < size; distance *= 2) {
        if (own & distance) {
            send_to(schedule, peers, result, (own - distance + first) % size);
            schedule_wait(schedule);
            break;
        }
        if (own + distance >= size)
            continue;
        struct elements other = elements_of(spaces[turn], in.count, in.type);
        receive_from(schedule, peers, other, (own + distance + first) % size);
        schedule_wait(schedule);
        schedule_reduce(schedule, op, result, other.at);
        result = other;
        turn = !turn;
    }
    return result;
}

// The tree keeps the order of ranks when it is numbered from rank 0 on; then rank 0
// passes the result on to the root.
static void append_reduce_piece(struct schedule *schedule, const struct peers *peers,
                                struct op *op, struct elements in, struct elements out,
                                void *spaces[2], int root)
{
    int first = op->is_commutative ? root : 0;
    struct elements result = append_reduce_tree(schedule, peers, op, in, spaces, first);
    if (peers->own == first && first == root)
        schedule_copy(schedule, result, out);
    else if (peers->own == first)
        send_to(schedule, peers, result, root);
    else if (peers->own == root)
        receive_from(schedule, peers, out, first);
    schedule_wait(schedule);
}

void append_reduce(struct schedule *schedule, const struct peers *peers, struct op *op,
                   struct elements in, void *out, int root)
{
    MPI_Count piece = piece_of(in);
    if (piece > in.count)
        piece = in.count;
    void *spaces[2] = {NULL, NULL};
    for (int i = 0; i < 2 && peers->size > 1; i++)
        spaces[i] = schedule_scratch(schedule, piece, in.type).at;
    struct elements result = {out, in.count, in.type};
    for (MPI_Count done = 0; done < in.count; done += piece) {
        MPI_Count count = in.count - done < piece ? in.count - done : piece;
        append_reduce_piece(schedule, peers, op, elements_part(in, done, count),
                            elements_part(result, done, count), spaces, root);
    }
}

// In each round a peer passes on the portion that came in the round before.
void append_ring(struct schedule *schedule, const struct peers *peers,
                 const struct portions *all)
{
    int size = peers->size, at = peers->own;
    for (int round = 1; round < size; round++) {
        send_to(schedule, peers, portion(all, at), (peers->own + 1) % size);
        at = (at + size - 1) % size;
        receive_from(schedule, peers, portion(all, at), (peers->own + size - 1) % size);
        schedule_wait(schedule);
    }
}
