// SPDX-License-Identifier: BSD-3-Clause
// messages_of_every_size_arrive_whole_and_in_order, also when many more are sent than
// there are buffers and when the receiver sleeps on the descriptor. With connections they
// come to few buffers, which are in the cache.

#include "net_pair.h"

#include <poll.h>

enum { FLOOD = 3000 };

static struct {
    size_t count, bytes;
    unsigned next; // seed that the next message must have
    bool is_wrong;
    const void *buffers[RECEIVE_BUFFERS];
    int buffer_count;
} got;

static void note_buffer(const void *buffer)
{
    int i = 0;
    while (i < got.buffer_count && got.buffers[i] != buffer)
        i++;
    CHECK(i < RECEIVE_BUFFERS);
    got.buffers[i] = buffer;
    if (i == got.buffer_count)
        got.buffer_count++;
}

static bool receive(const void *message, size_t bytes)
{
    note_buffer(message);
    if (!is_filled(message, bytes, got.next++))
        got.is_wrong = true;
    got.count++;
    got.bytes = bytes;
    return true;
}

// The message is made where the network sends it from, or elsewhere.
static void send_filled(struct pair *pair, size_t bytes, bool in_place, unsigned seed)
{
    unsigned char elsewhere[NET_MESSAGE_MAX];
    bool sent = false;
    while (!sent) {
        void *message = in_place ? net_outbox(pair->net) : elsewhere;
        fill(message, bytes, seed);
        CHECK(net_send(pair->net, pair->peer, message, bytes, &sent) == 0);
        if (!sent)
            net_poll(pair->net);
    }
}

static size_t await(struct pair *pair, size_t count)
{
    while (got.count < count)
        net_poll(pair->net);
    CHECK(!got.is_wrong);
    return got.bytes;
}

// Returns how many messages each side has got.
static size_t every_size(struct pair *pair)
{
    const size_t sizes[] = {
        1, 8, 63, 64, 65, 255, 1000, 4096, 8000, 16000, net_message_max(pair->net)};
    size_t count = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < 2; way++) {
            if (pair->rank == 0)
                send_filled(pair, sizes[i], way == 0, (unsigned)count);
            CHECK(await(pair, ++count) == sizes[i]);
            if (pair->rank == 1)
                send_filled(pair, sizes[i], way == 1, (unsigned)count - 1);
        }
    return count;
}

// `before` messages have been exchanged; the peer may have begun already.
static size_t flood_both_ways(struct pair *pair, size_t before)
{
    for (size_t i = 0; i < FLOOD; i++)
        send_filled(pair, 1 + (i * 37) % net_message_max(pair->net), i % 2 == 0,
                    (unsigned)(before + i));
    await(pair, before + FLOOD);
    return before + FLOOD;
}

// A message wakes a receiver that was told it may sleep.
static void sleeper_wakes(struct pair *pair, size_t before)
{
    char word = 's';
    if (pair->rank == 0) {
        hear(pair, &word, 1);
        send_filled(pair, 100, 100, (unsigned)before);
        return;
    }
    struct pollfd descriptor = {.fd = net_descriptor(pair->net), .events = POLLIN};
    while (!net_may_sleep(pair->net, false))
        net_poll(pair->net);
    tell(pair, &word, 1);
    CHECK(poll(&descriptor, 1, 30000) == 1);
    await(pair, before + 1);
}

int main(void)
{
    struct pair pair = pair_open(receive);
    size_t count = every_size(&pair);
    count = flood_both_ways(&pair, count);
    CHECK(!has_connections(pair.net) || got.buffer_count <= RECEIVES_AT_FIRST + 1);
    meet(&pair);
    if (net_descriptor(pair.net) >= 0)
        sleeper_wakes(&pair, count);
    return pair_close(&pair);
}
