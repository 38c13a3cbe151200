// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of reductions among peers. All combine operands of neighbors only, the
// lower rank's on the left, and so keep the order of ranks.
#include "collective/portions.h"

#include <stdlib.h>

// A peer's partial result, and room of the same size for a received one.
struct operand {
    struct elements value, spare;
};

// All operands have one type, so that an operand at the same address needs no copy.
static void append_move(struct schedule *schedule, struct elements from,
                        struct elements to)
{
    if (from.at != to.at)
        schedule_copy(schedule, from, to);
}

// Sees to room for a received result, other than the memory of the program's operand.
static void operand_make_room(struct schedule *schedule, struct operand *operand,
                              struct elements in)
{
    if (operand->spare.at == NULL || operand->spare.at == in.at)
        operand->spare = schedule_scratch(schedule, in.count, in.type);
}

// Combines the partial result with the received one.
static void append_combine(struct schedule *schedule, struct op *op,
                           struct operand *operand, bool comes_from_below)
{
    struct elements value = operand->value, other = operand->spare;
    if (comes_from_below) {
        schedule_reduce(schedule, op, other, value.at);
        return;
    }
    schedule_reduce(schedule, op, value, other.at);
    *operand = (struct operand){other, value};
}

// ---- a power of two of peers, by workers, some of which work for two

// Folding to a power of two: of more peers, the first ones form pairs, of which the
// second works for both.
struct workers {
    int count, pairs;
    int own;    // index among the workers of a peer, or of the one that works for it
    bool works; // the peer itself
};

static struct workers workers_of(const struct peers *peers, int index)
{
    struct workers workers = {.count = 1};
    while (workers.count <= peers->size / 2)
        workers.count *= 2;
    workers.pairs = peers->size - workers.count;
    bool is_in_pair = index < 2 * workers.pairs;
    workers.own = is_in_pair ? index / 2 : index - workers.pairs;
    workers.works = !is_in_pair || index % 2 == 1;
    return workers;
}

// The peer that is a worker.
static int worker_peer(const struct workers *workers, int index)
{
    return index < workers->pairs ? 2 * index + 1 : index + workers->pairs;
}

// Folds each pair's operands into its worker's.
static void append_join(struct schedule *schedule, const struct peers *peers,
                        const struct workers *workers, struct op *op,
                        struct operand *operand)
{
    if (workers->own >= workers->pairs)
        return;
    if (workers->works)
        peers_receive(schedule, peers, operand->spare, peers->own - 1);
    else
        peers_send(schedule, peers, operand->value, peers->own + 1);
    schedule_wait(schedule);
    if (workers->works)
        append_combine(schedule, op, operand, true);
}

// A folded peer receives the result from its worker.
static void append_part(struct schedule *schedule, const struct peers *peers,
                        const struct workers *workers, struct elements result)
{
    if (workers->own >= workers->pairs)
        return;
    if (workers->works)
        peers_send(schedule, peers, result, peers->own - 1);
    else
        peers_receive(schedule, peers, result, peers->own + 1);
    schedule_wait(schedule);
}

// ---- short data: everything goes each way

// Recursive doubling: in round k workers have the result of 2^k neighbors.
static void append_doubling(struct schedule *schedule, const struct peers *peers,
                            const struct workers *workers, struct op *op,
                            struct elements in, struct operand *operand)
{
    for (int distance = 1; distance < workers->count; distance *= 2) {
        int partner = worker_peer(workers, workers->own ^ distance);
        operand_make_room(schedule, operand, in);
        peers_receive(schedule, peers, operand->spare, partner);
        peers_send(schedule, peers, operand->value, partner);
        schedule_wait(schedule);
        append_combine(schedule, op, operand, workers->own & distance);
    }
}

// Binomial tree towards `first`, where it returns the result; `room`, which may be NULL, is
// room for an operand.
static struct elements append_reduce_tree(struct schedule *schedule,
                                          const struct peers *peers, struct op *op,
                                          struct elements in, char *room, int first)
{
    int size = peers->size, own = (peers->own - first + size) % size;
    struct operand operand = {in, {room, in.count, in.type}};
    for (int distance = 1; distance < size; distance *= 2) {
        if (own & distance) {
            peers_send(schedule, peers, operand.value, (own - distance + first) % size);
            schedule_wait(schedule);
            break;
        }
        if (own + distance >= size)
            continue;
        operand_make_room(schedule, &operand, in);
        peers_receive(schedule, peers, operand.spare, (own + distance + first) % size);
        schedule_wait(schedule);
        append_combine(schedule, op, &operand, false);
    }
    return operand.value;
}

// The tree keeps the order of ranks when it is numbered from rank 0 on. Returns where
// the result is.
static int append_reduce_short(struct schedule *schedule, const struct peers *peers,
                               struct op *op, struct elements in, struct elements out,
                               int root, struct elements *result)
{
    int first = op->is_commutative ? root : 0;
    char *room = peers->own == root ? out.at : NULL;
    *result = append_reduce_tree(schedule, peers, op, in, room, first);
    return first;
}

// ---- long data: each worker combines a part of it

// Recursive halving: workers at a doubling distance split the parts that both have.
// Returns the part that this worker has combined in the end.
static int append_halving(struct schedule *schedule, const struct peers *peers,
                          const struct workers *workers, struct op *op,
                          const struct portions *value, const struct portions *spare)
{
    int first = 0, count = workers->count;
    for (int distance = 1; distance < workers->count; distance *= 2) {
        int partner = worker_peer(workers, workers->own ^ distance);
        bool is_above = workers->own & distance;
        count /= 2;
        int kept = is_above ? first + count : first;
        int given = is_above ? first : first + count;
        struct operand operand = {portions_joined(value, kept, count),
                                  portions_joined(spare, kept, count)};
        struct elements home = operand.value;
        peers_receive(schedule, peers, operand.spare, partner);
        peers_send(schedule, peers, portions_joined(value, given, count), partner);
        schedule_wait(schedule);
        append_combine(schedule, op, &operand, is_above || op->is_commutative);
        append_move(schedule, operand.value, home);
        first = kept;
    }
    return first;
}

enum { ALL_WORKERS = -1 };

// Recursive doubling of the parts: gathers them on all workers or on one.
static void append_unite(struct schedule *schedule, const struct peers *peers,
                         const struct workers *workers, const struct portions *value,
                         int own_part, int root)
{
    int first = own_part, count = 1;
    for (int distance = workers->count / 2; distance > 0; distance /= 2) {
        int partner = worker_peer(workers, workers->own ^ distance);
        bool is_above = workers->own & distance;
        bool is_away = root != ALL_WORKERS && (workers->own ^ root) & distance;
        int other = is_above ? first - count : first + count;
        if (root == ALL_WORKERS || !is_away)
            peers_receive(schedule, peers, portions_joined(value, other, count),
                          partner);
        if (root == ALL_WORKERS || is_away)
            peers_send(schedule, peers, portions_joined(value, first, count), partner);
        schedule_wait(schedule);
        if (is_away)
            return;
        first = is_above ? other : first;
        count *= 2;
    }
}

// Rabenseifner's algorithm: leaves the result on all workers or on one, in place of
// their values.
static void append_halved(struct schedule *schedule, const struct peers *peers,
                          const struct workers *workers, struct op *op,
                          const struct operand *operand, int root)
{
    struct portions value = shared_portions(operand->value, workers->count);
    struct portions spare = shared_portions(operand->spare, workers->count);
    int part = append_halving(schedule, peers, workers, op, &value, &spare);
    append_unite(schedule, peers, workers, &value, part, root);
}

// Returns the worker that gets the result for the root.
static int append_reduce_long(struct schedule *schedule, const struct peers *peers,
                              struct op *op, struct elements in, struct elements out,
                              int root, struct elements *result)
{
    struct workers workers = workers_of(peers, peers->own);
    struct workers of_root = workers_of(peers, root);
    struct operand operand = {.value = in};
    if (workers.works) {
        operand.spare = schedule_scratch(schedule, in.count, in.type);
        operand.value =
            peers->own == root ? out : schedule_scratch(schedule, in.count, in.type);
        append_move(schedule, in, operand.value);
    }
    append_join(schedule, peers, &workers, op, &operand);
    if (workers.works)
        append_halved(schedule, peers, &workers, op, &operand, of_root.own);
    *result = operand.value;
    return worker_peer(&of_root, of_root.own);
}

// ---- the operations

static bool is_long(struct elements data, const struct peers *peers, size_t limit)
{
    return elements_bytes(data) > limit && data.count >= peers->size;
}

// Of two peers one sends all that it has in any case.
void append_reduce(struct schedule *schedule, const struct peers *peers, struct op *op,
                   struct elements in, void *out, int root)
{
    struct elements to = {out, in.count, in.type}, result;
    int holder = peers->size > 2 && is_long(in, peers, LONG_BYTES)
                     ? append_reduce_long(schedule, peers, op, in, to, root, &result)
                     : append_reduce_short(schedule, peers, op, in, to, root, &result);
    if (holder == root && peers->own == root)
        append_move(schedule, result, to);
    else if (peers->own == holder && holder != root)
        peers_send(schedule, peers, result, root);
    else if (peers->own == root)
        peers_receive(schedule, peers, to, holder);
    schedule_wait(schedule);
}

// Two peers that halve send as much as others, in twice the rounds.
enum { LONG_BYTES_OF_TWO = 512 * 1024 };

// Where the first operand to be combined is that of a higher rank, the result takes its
// place, and the own operand stays where it is.
static bool is_first_from_above(const struct workers *workers)
{
    return workers->count > 1 && workers->own >= workers->pairs &&
           workers->own % 2 == 0;
}

void append_allreduce(struct schedule *schedule, const struct peers *peers,
                      struct op *op, struct elements in, void *out)
{
    struct workers workers = workers_of(peers, peers->own);
    struct elements to = {out, in.count, in.type};
    struct operand operand = {in, to};
    bool halves = is_long(in, peers, peers->size > 2 ? LONG_BYTES : LONG_BYTES_OF_TWO);
    if (halves || !is_first_from_above(&workers)) {
        append_move(schedule, in, to);
        operand = (struct operand){.value = to};
        if (workers.works && peers->size > 1)
            operand.spare = schedule_scratch(schedule, in.count, in.type);
    }
    append_join(schedule, peers, &workers, op, &operand);
    if (workers.works && halves)
        append_halved(schedule, peers, &workers, op, &operand, ALL_WORKERS);
    else if (workers.works)
        append_doubling(schedule, peers, &workers, op, in, &operand);
    append_move(schedule, operand.value, to);
    append_part(schedule, peers, &workers, to);
}

// ---- a part to each

// The worker that halving leaves a part to: bits of the index come in reverse.
static int worker_of_part(const struct workers *workers, int part)
{
    int index = 0;
    for (int bit = 1; bit < workers->count; bit *= 2, part /= 2)
        index = 2 * index + part % 2;
    return index;
}

// Brings the blocks of all peers into the order of the workers that get them. Fills
// `counts` and `starts` of the workers' parts.
static void append_ordering(struct schedule *schedule, const struct workers *workers,
                            const struct portions *blocks, struct elements value,
                            MPI_Count counts[], MPI_Count starts[])
{
    MPI_Count start = 0;
    for (int part = 0; part < workers->count; part++) {
        int index = worker_of_part(workers, part), last = worker_peer(workers, index);
        starts[part] = start;
        for (int i = index < workers->pairs ? last - 1 : last; i <= last; i++) {
            struct elements block = portion_of(blocks, i);
            schedule_copy(schedule, block, elements_part(value, start, block.count));
            start += block.count;
        }
        counts[part] = start - starts[part];
    }
}

// A worker's part goes to its own block and that of the peer that it works for.
static void append_parting(struct schedule *schedule, const struct peers *peers,
                           const struct workers *workers, struct elements part,
                           struct elements out)
{
    struct elements other = elements_part(part, 0, part.count - out.count);
    if (workers->works)
        schedule_copy(schedule, elements_part(part, other.count, out.count), out);
    append_part(schedule, peers, workers, workers->works ? other : out);
}

static void append_parts(struct schedule *schedule, const struct peers *peers,
                         struct op *op, const struct portions *blocks, void *out,
                         MPI_Count numbers[])
{
    struct workers workers = workers_of(peers, peers->own);
    struct elements own = portion_of(blocks, peers->own), part = {.type = own.type};
    MPI_Count total = portions_joined(blocks, 0, peers->size).count;
    MPI_Count *starts = numbers + workers.count;
    struct operand operand = {.value = schedule_scratch(schedule, total, own.type)};
    append_ordering(schedule, &workers, blocks, operand.value, numbers, starts);
    if (workers.works)
        operand.spare = schedule_scratch(schedule, total, own.type);
    append_join(schedule, peers, &workers, op, &operand);
    if (workers.works) {
        struct portions value =
            listed_portions(operand.value.at, (struct numbers){numbers, true},
                            (struct numbers){starts, true}, own.type);
        struct portions spare = value;
        spare.at = operand.spare.at;
        part = portion_of(
            &value, append_halving(schedule, peers, &workers, op, &value, &spare));
    }
    append_parting(schedule, peers, &workers, part,
                   (struct elements){out, own.count, own.type});
}

int append_reduce_scatter(struct schedule *schedule, const struct peers *peers,
                          struct op *op, const struct portions *blocks, void *out)
{
    MPI_Count *numbers = malloc(2 * (size_t)peers->size * sizeof *numbers);
    if (numbers == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for %d displacements", peers->size);
    append_parts(schedule, peers, op, blocks, out, numbers);
    free(numbers);
    return 0;
}
