// SPDX-License-Identifier: BSD-3-Clause
// messages_of_every_size_arrive_whole_and_in_order, between 2 and 4 processes and from
// a process to itself, also when rings are full; a full ring is rung when it has room;
// a ring that is emptied again and again touches few pages, and so do the cells of long
// messages; what is wrong with a ring is noticed.
#include "shm/ring.h"
#include "shm_node.h"

#include <sched.h>

enum { KIND = 0xfedc };

// Every size once, in an order that differs for each sender.
enum { SIZES = SHM_MESSAGE_MAX + 1, STRIDE = 5003 };

static struct {
    int expected[NODE_MAX]; // next message of each sender
    int node_rank, total;
} got;

static size_t size_of(int sender, int index)
{
    return ((size_t)index * STRIDE + (size_t)sender * 17) % SIZES;
}

// What is sent: a run of ascending bytes that starts elsewhere for every message.
static unsigned char bytes_upwards[SHM_MESSAGE_MAX + 256];

static const unsigned char *text_of(int sender, int receiver, int index)
{
    return bytes_upwards + (unsigned char)(sender * 7 + receiver * 13 + index * 31);
}

static bool receive(int sender, uint16_t kind, const void *message, size_t bytes)
{
    int index = got.expected[sender]++;
    CHECK(kind == (KIND ^ sender));
    CHECK(bytes == size_of(sender, index));
    CHECK((uintptr_t)message % 8 == 0);
    CHECK(memcmp(message, text_of(sender, got.node_rank, index), bytes) == 0);
    got.total++;
    return true;
}

static bool send_one(struct shm *shm, int receiver, int index)
{
    int sender = shm->node_rank;
    const unsigned char *text = text_of(sender, receiver, index);
    size_t bytes = size_of(sender, index), head = bytes / 3;
    return shm_send(shm, receiver, (uint16_t)(KIND ^ sender), text, head, text + head,
                    bytes - head);
}

static void all_to_all(struct shm *shm)
{
    int sent[NODE_MAX] = {0}, size = shm->node_size, left = size * SIZES;
    got.node_rank = shm->node_rank;
    while (left > 0 || got.total < size * SIZES) {
        for (int receiver = 0; receiver < size; receiver++)
            while (sent[receiver] < SIZES && send_one(shm, receiver, sent[receiver])) {
                CHECK(rings_are_valid(shm));
                sent[receiver]++;
                left--;
            }
        // Now and then one message at a time, so that rings stay full.
        if (shm_receive(shm, got.total % 7 ? 64 : 1, receive) == 0)
            sched_yield();
    }
    meet(shm, 2);
    CHECK(shm_receive(shm, 64, receive) == 0);
}

static bool count_only(int sender, uint16_t kind, const void *message, size_t bytes)
{
    (void)sender, (void)kind, (void)message, (void)bytes;
    got.total++;
    return true;
}

// The sender fills the ring and sleeps; nothing but the room that the receiver makes
// can wake it in time.
static void full_ring(struct shm *shm)
{
    static const char text[1000];
    if (shm->node_rank == 0) {
        int count = 0;
        while (shm_send(shm, 1, KIND, text, sizeof text, NULL, 0))
            count++;
        CHECK(count >= 16);
        uint32_t ticket = shm_arm(shm, SHM_BELL_CALL);
        CHECK(!shm_send(shm, 1, KIND, text, sizeof text, NULL, 0));
        meet(shm, 2);
        uint64_t start = clock_nanoseconds();
        shm_sleep(shm, SHM_BELL_CALL, ticket, UINT64_C(20000000000));
        CHECK(clock_nanoseconds() - start < UINT64_C(10000000000));
        CHECK(shm_send(shm, 1, KIND, text, sizeof text, NULL, 0));
        atomic_store(&board->word, (uint64_t)count + 1);
    } else {
        meet(shm, 2);
        while (atomic_load(&board->word) == 0 || got.total < (int)board->word)
            shm_receive(shm, 64, count_only);
        CHECK(got.total == (int)board->word);
    }
}

// Short messages to a receiver that takes them at once touch the low part only; what is
// longer, or waits, has the whole ring.
static void the_low_part_is_enough_while_the_receiver_keeps_up(struct shm *shm)
{
    static const char text[1000];
    const struct ring_end *out = &shm->rings->out[0];
    for (int i = 0; i < 5000; i++) {
        CHECK(shm_send(shm, 0, KIND, text, (size_t)i % sizeof text, NULL, 0));
        CHECK(out->position <= LOW_BYTES + sizeof text + 2 * CACHE_LINE);
        CHECK(shm_receive(shm, 1, count_only) == 1);
    }
    size_t room = DATA_BYTES - RECORD_MAX - STEP_BYTES - 2 * CACHE_LINE, sent = 0;
    while (shm_send(shm, 0, KIND, text, sizeof text, NULL, 0))
        sent += record_bytes(sizeof text);
    CHECK(sent >= LOW_BYTES / 2);
    while (shm_receive(shm, 64, count_only) > 0)
        ;
    for (sent = 0; shm_send(shm, 0, KIND, text, sizeof text, NULL, 0);)
        sent += record_bytes(sizeof text);
    CHECK(sent >= room);
    while (shm_receive(shm, 64, count_only) > 0)
        ;
    CHECK(rings_are_valid(shm));
}

// What there is said to be room for is taken, wherever the ring's position is.
static void room_is_what_is_taken(struct shm *shm)
{
    static const char text[SHM_PART_MIN];
    enum { PARTS = 40 };
    for (int i = 0; i < 2000; i++) {
        CHECK(shm_has_room(shm, 0, PARTS * sizeof text));
        for (int part = 0; part < PARTS; part++)
            CHECK(shm_send(shm, 0, KIND, text, sizeof text, NULL, 0));
        while (shm_receive(shm, 64, count_only) > 0)
            ;
        for (int j = 0; j < i % 9; j++)
            CHECK(shm_send(shm, 0, KIND, text, (size_t)i % sizeof text, NULL, 0));
        while (shm_receive(shm, 64, count_only) > 0)
            ;
    }
    CHECK(!shm_has_room(shm, 0, DATA_BYTES));
    for (int i = 0; i < shm->rings->cell_count; i++)
        CHECK(!atomic_load(&shm->rings->cells[i].is_used));
    CHECK(rings_are_valid(shm));
}

static bool stay(int sender, uint16_t kind, const void *message, size_t bytes)
{
    (void)sender, (void)kind, (void)message, (void)bytes;
    return false;
}

// Long messages lie in cells, each in another, until their receiver has taken them; when
// no cell is left they lie in the ring.
static void long_messages_lie_in_cells(struct shm *shm)
{
    static const char text[CELL_MESSAGE_MIN];
    const struct shm_rings *rings = shm->rings;
    int count = 0, used = 0;
    while (shm_send(shm, 0, KIND, text, sizeof text, NULL, 0))
        count++;
    for (int i = 0; i < rings->cell_count; i++)
        used += atomic_load(&rings->cells[i].is_used);
    CHECK(used == rings->cell_count && count > used + 100);
    CHECK(shm_receive(shm, 64, stay) == 0);
    CHECK(atomic_load(&rings->cells[0].is_used));
    got.total = 0;
    while (shm_receive(shm, 64, count_only) > 0)
        ;
    CHECK(got.total == count && !atomic_load(&rings->cells[0].is_used));
    CHECK(shm_send(shm, 0, KIND, text, sizeof text, NULL, 0));
    CHECK(rings_are_valid(shm) && shm_receive(shm, 1, count_only) == 1);
}

// Messages that are taken one by one use one cell, and one more for each CELL_PAYS_BYTES;
// those that wait together have a cell each.
static void few_cells_are_used_at_first(struct shm *shm)
{
    static const char text[CELL_MESSAGE_MIN];
    const struct shm_rings *rings = shm->rings;
    int of_cell = CELL_PAYS_BYTES / sizeof text;
    for (int i = 0; i < 3 * of_cell; i++) {
        CHECK(shm_send(shm, 0, KIND, text, sizeof text, NULL, 0));
        CHECK(rings->cells_begun == 1 + i / of_cell);
        CHECK(shm_receive(shm, 1, count_only) == 1);
    }
    for (int i = 0; i < 8; i++)
        CHECK(shm_send(shm, 0, KIND, text, sizeof text, NULL, 0));
    CHECK(rings->cells_begun == 8);
    CHECK(shm_receive(shm, 64, count_only) == 8);
}

#define NOTICED(member, wrong) CHECK_NOTICED(rings_are_valid(shm), member, wrong)

static void what_is_wrong_with_a_ring_is_noticed(struct shm *shm)
{
    struct shm_rings *rings = shm->rings;
    struct ring_end *out = &rings->out[0], *in = &rings->in[0];
    char *data = out->ring->data;
    CHECK(shm_send(shm, 0, KIND, data, 100, NULL, 0));
    CHECK(shm_receive(shm, 1, count_only) == 1);
    CHECK(shm_send(shm, 0, KIND, data, 100, NULL, 0)); // waits at the position of `in`
    uint64_t *word = (uint64_t *)(void *)(data + in->position);
    NOTICED(out->position, out->position + 8);
    NOTICED(out->bytes, out->bytes + 8);
    NOTICED(out->consumed, out->bytes + 1); // room that there is not
    NOTICED(out->is_in_use, false);
    NOTICED(*(uint64_t *)(void *)(data + out->position), 1); // a record nobody sent
    NOTICED(out->ring->consumed, out->bytes + 1);
    NOTICED(in->position, in->position + 4);
    NOTICED(in->bytes, in->bytes + DATA_BYTES + 8);
    NOTICED(in->consumed, in->bytes);
    NOTICED(*word, *word + SHM_MESSAGE_MAX); // too long for a message
    NOTICED(*word, (uint64_t)(RECORD_WRAP + 1) << 48);
    NOTICED(rings->sender_count, 2); // listed twice
    NOTICED(rings->senders[0], 1);
    CHECK(shm_receive(shm, 1, count_only) == 1);
}

int main(void)
{
    for (size_t i = 0; i < sizeof bytes_upwards; i++)
        bytes_upwards[i] = (unsigned char)i;
    return run_node(1, 1 << 20, all_to_all) || run_node(2, 1 << 20, all_to_all) ||
           run_node(4, 1 << 20, all_to_all) || run_node(2, 1 << 20, full_ring) ||
           run_node(1, 1 << 20, the_low_part_is_enough_while_the_receiver_keeps_up) ||
           run_node(1, 1 << 20, room_is_what_is_taken) ||
           run_node(1, 1 << 20, long_messages_lie_in_cells) ||
           run_node(1, 1 << 20, few_cells_are_used_at_first) ||
           run_node(1, 1 << 20, what_is_wrong_with_a_ring_is_noticed);
}
