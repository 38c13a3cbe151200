// SPDX-License-Identifier: BSD-3-Clause
// writes_and_reads_of_any_size_and_number_are_exact, whole or split into parts, with
// local memory registered or not; nothing next to the range is touched. What is read
// comes also behind messages that nobody has taken yet. Of long ones a part is under way,
// and what has not begun can be withdrawn. Reads that take a second are told of, and only
// registered memory is touched for them.

#include "net_pair.h"

#include <sys/mman.h>

enum {
    MEMORY = 9 << 20,
    CHUNK = 512 << 10,
    GUARD = 64,
    MANY = 20000,
    UNTAKEN = RECEIVE_BUFFERS / 2
};

static unsigned char *memory; // the region, with guards around it
static unsigned char *local;
static struct net_remote target;

static bool receive(const void *message, size_t bytes)
{
    (void)message;
    (void)bytes;
    return true;
}

static struct net_remote place_at(size_t offset)
{
    return (struct net_remote){target.key, target.address + offset};
}

// Writes a pattern, reads it back elsewhere, and lets the target look.
static void write_then_read(struct pair *pair, size_t bytes, size_t offset)
{
    struct net_counter counter = {0};
    unsigned char *back = local + MEMORY + GUARD;
    memset(back - 1, 0, bytes + 2);
    fill(local, bytes, (unsigned)bytes);
    CHECK(access_all(pair->net, true, local, bytes, place_at(offset), &counter) == 0);
    CHECK(wait_for(pair->net, &counter) == 0);
    CHECK(access_all(pair->net, false, back, bytes, place_at(offset), &counter) == 0);
    CHECK(wait_for(pair->net, &counter) == 0);
    CHECK(is_filled(back, bytes, (unsigned)bytes));
    CHECK(back[-1] == 0 && back[bytes] == 0);
    size_t parts = bytes ? (bytes - 1) / pair->net->access_max + 1 : 0;
    // Some wait once.
    CHECK(counter.issued >= 2 * parts && counter.issued <= 2 * (parts + 1));
}

static void every_size(struct pair *pair)
{
    static const size_t sizes[] = {0,     1,      7,       8,       64,         65,
                                   4096,  4097,   16383,   16384,   16385,      65536,
                                   99999, 524288, 1000003, 4 << 20, MEMORY - 13};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t offset = i % 13, bytes = sizes[i];
        if (pair->rank == 0)
            write_then_read(pair, bytes, offset);
        meet(pair);
        if (pair->rank == 1)
            CHECK(is_filled(memory + offset, bytes, (unsigned)bytes));
        meet(pair);
    }
    if (pair->rank == 1)
        for (int i = 1; i <= GUARD; i++)
            CHECK(memory[-i] == 0xee && memory[MEMORY + i - 1] == 0xee);
}

// Far more operations than the provider holds at once.
static void many_outstanding(struct pair *pair)
{
    if (pair->rank == 0) {
        struct net_counter writes = {0}, reads = {0};
        unsigned char *back = local + MEMORY + GUARD;
        fill(local, MANY * 8, 5);
        for (size_t i = 0; i < MANY; i++)
            CHECK(access_all(pair->net, true, local + 8 * i, 8, place_at(8 * i),
                             &writes) == 0);
        CHECK(wait_for(pair->net, &writes) == 0);
        CHECK(writes.issued == MANY && atomic_load(&writes.completed) == MANY);
        for (size_t i = 0; i < MANY; i++)
            CHECK(access_all(pair->net, false, back + 8 * i, 8, place_at(8 * i),
                             &reads) == 0);
        CHECK(wait_for(pair->net, &reads) == 0);
        CHECK(is_filled(back, MANY * 8, 5));
    }
    meet(pair);
}

// The rest of a long write begins when a part of it is complete, and counts as under way.
static void few_chunks_are_under_way(struct pair *pair)
{
    struct net_peer *peer = &pair->net->peers[1];
    if (pair->rank == 0) {
        struct net_counter total = {0}, counter = {.total = &total};
        struct net_access write = {1,           true,    local, 5 * CHUNK + 1,
                                   place_at(0), &counter};
        fill(local, 5 * CHUNK + 1, 7);
        CHECK(net_access(pair->net, &write) == 0 && write.bytes == 0);
        CHECK(peer->access_bytes == 2 * CHUNK && peer->waiting_accesses == 1);
        CHECK(!accesses_may_begin(pair->net)); // so that its thread may sleep
        CHECK(counter.issued == 3 && total.issued == 3);
        while (net_counter_pending(&counter) > 0) {
            net_poll(pair->net);
            CHECK(peer->access_bytes < 3 * CHUNK);
            CHECK(peer->waiting_accesses == 0 || net_counter_pending(&total) > 0);
        }
        CHECK(counter.issued == 7 && total.issued == 7 &&
              net_counter_pending(&total) == 0);
        CHECK(peer->access_bytes == 0 && peer->waiting_accesses == 0);
    }
    meet(pair);
    if (pair->rank == 1)
        CHECK(is_filled(memory, 5 * CHUNK + 1, 7));
    meet(pair);
}

static void what_waits_is_withdrawn(struct pair *pair)
{
    if (pair->rank == 0) {
        struct net_counter pending[2] = {0};
        for (int i = 0; i < 2; i++) {
            struct net_access read = {1,         false,       local + i * 5 * CHUNK,
                                      5 * CHUNK, place_at(0), &pending[i]};
            CHECK(net_access_queued(pair->net, &read) == 0);
        }
        net_access_withdraw(pair->net, &pending[0]);
        CHECK(pair->net->peers[1].waiting_accesses == 1);
        CHECK(wait_for(pair->net, &pending[0]) == 0 && pending[0].issued == 3);
        CHECK(wait_for(pair->net, &pending[1]) == 0 && pending[1].issued == 6);
        CHECK(is_filled(local + 5 * CHUNK, 5 * CHUNK, 7));
    }
    meet(pair);
}

static struct {
    int count, rank;
    struct net_remote place;
    size_t bytes;
} late;

static void note_late(int rank, const struct net_remote *place, size_t bytes)
{
    late.count++;
    late.rank = rank;
    late.place = *place;
    late.bytes = bytes;
}

// Nothing is polled meanwhile.
static void late_reads_are_told_of(struct pair *pair)
{
    static const uint64_t second = 1000000000;
    if (pair->rank == 0) {
        struct net_counter counter = {0};
        struct net_access read = {1, false, local, 1000, place_at(24), &counter};
        struct net_access write = {1, true, local + 1000, 8, place_at(9000), &counter};
        CHECK(net_access(pair->net, &read) == 0 && read.bytes == 0);
        CHECK(net_access(pair->net, &write) == 0 && write.bytes == 0);
        net_tell_late_reads(pair->net, 1, note_late);
        net_tell_late_reads(pair->net, second, note_late);
        CHECK(late.count == 0);
        net_tell_late_reads(pair->net, second + 1, note_late);
        net_tell_late_reads(pair->net, 2 * second, note_late);
        CHECK(late.count == 1 && late.rank == 1 && late.bytes == 1000);
        CHECK(late.place.key == target.key &&
              late.place.address == target.address + 24);
        CHECK(wait_for(pair->net, &counter) == 0);
        net_tell_late_reads(pair->net, 9 * second, note_late);
        CHECK(late.count == 1);
    }
    meet(pair);
}

// The page behind the region is not there.
static void only_registered_memory_is_touched(const struct pair *pair)
{
    size_t page = page_bytes();
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct net_region region;
    CHECK(pages != MAP_FAILED && munmap(pages + page, page) == 0);
    CHECK(net_register(pair->net, pages + 8, page - 8, 0, &region) == 0);
    struct net_remote place = region.remote;
    net_touch(pair->net, &place, page - 8);
    net_touch(pair->net, &place, page - 7);
    net_touch(pair->net, &place, SIZE_MAX);
    place.address += page;
    net_touch(pair->net, &place, 1);
    place = (struct net_remote){region.remote.key + 1, region.remote.address};
    net_touch(pair->net, &place, 2 * page);
    net_deregister(pair->net, &region);
    net_touch(pair->net, &place, 2 * page);
    munmap(pages, page);
}

// More messages than receives are posted at first are ahead of the answer.
static void read_behind_messages(struct pair *pair)
{
    char word = 'b';
    if (pair->rank == 1) {
        bool sent;
        for (int i = 0; i < UNTAKEN; i += sent) {
            CHECK(net_send(pair->net, 0, &word, 1, &sent) == 0);
            net_poll(pair->net);
        }
        tell(pair, &word, 1);
    } else {
        struct net_counter counter = {0};
        struct net_access access = {1, false, local, 8, target, &counter};
        CHECK(recv(pair->wire, &word, 1, 0) == 1);
        CHECK(net_access(pair->net, &access) == 0 && access.bytes == 0);
        while (net_counter_pending(&counter) > 0)
            net_progress(pair->net);
    }
    meet(pair);
}

// Memory that the other side told us of.
static void open_region(struct pair *pair, struct net_region *region)
{
    struct net_region empty;
    memset(memory - GUARD, 0xee, MEMORY + 2 * GUARD);
    CHECK(net_register(pair->net, memory, 0, 0, &empty) == 0);
    net_deregister(pair->net, &empty);
    CHECK(net_register(pair->net, memory, MEMORY, 0, region) == 0);
    struct net_remote own = region->remote;
    tell(pair, &own, sizeof own);
    hear(pair, &target, sizeof target);
}

int main(void)
{
    memory = (unsigned char *)malloc(MEMORY + 2 * GUARD) + GUARD;
    local = malloc(2 * MEMORY + 2 * GUARD);
    struct pair pair = pair_open(receive);
    struct net_region region;
    open_region(&pair, &region);

    every_size(&pair);
    many_outstanding(&pair);
    read_behind_messages(&pair);
    few_chunks_are_under_way(&pair);
    what_waits_is_withdrawn(&pair);
    late_reads_are_told_of(&pair);
    only_registered_memory_is_touched(&pair);
    pair.net->access_max = 10000;
    every_size(&pair);
    pair.net->must_register = true;
    every_size(&pair);
    pair.net->access_max = 1000003; // small parts bounce, large ones are registered
    every_size(&pair);
    many_outstanding(&pair);

    meet(&pair);
    net_deregister(pair.net, &region);
    free(local);
    free(memory - GUARD);
    return pair_close(&pair);
}
