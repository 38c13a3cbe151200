// SPDX-License-Identifier: BSD-3-Clause
// only_what_is_sealed_and_new_is_taken: messages between nodes that are sent again as
// they were recorded, that are changed in any bit, cut, lengthened, or recorded on their
// way to another process, are refused and counted; those that follow them are taken.
#include "message/private.h"

#include "message_job.h"

enum { WORDS = 3 };

static int taken[JOB_MAX];

static void handle(int source, const void *message, size_t bytes)
{
    uint64_t words[WORDS];
    CHECK(bytes == sizeof words);
    memcpy(words, message, sizeof words);
    CHECK(words[0] == (uint64_t)source && words[1] == (uint64_t)taken[source]);
    taken[source]++;
}

static void send_one(int rank)
{
    static uint64_t sent[JOB_MAX];
    uint64_t words[WORDS] = {(uint64_t)process.rank, sent[rank]++, 1};
    message_lock();
    CHECK(message_send(rank, MESSAGE_EAGER, words, sizeof words, NULL, 0) == 0);
    message_unlock();
}

// Sends what was sent last to a rank, with one bit changed (none: below 0).
static void send_raw(const char *recorded, int rank, size_t bytes, int bit)
{
    char message[NET_MESSAGE_MAX];
    bool sent = false;
    memcpy(message, recorded, bytes);
    if (bit >= 0)
        message[bit / 8] = (char)(message[bit / 8] ^ 1 << bit % 8);
    while (!sent) {
        CHECK(net_send(process.net, rank, message, bytes, NULL, 0, &sent) == 0);
        message_progress();
    }
}

static int forge(int rank)
{
    static char recorded[NET_MESSAGE_MAX];
    size_t bytes = last_sent.bytes;
    int count = 0;
    memcpy(recorded, last_sent.message, bytes + 8);
    for (int bit = -1; bit < 8 * (int)bytes; bit++, count++)
        send_raw(recorded, rank, bytes, bit);
    for (size_t length = 0; length < bytes; length++, count++)
        send_raw(recorded, rank, length, -1);
    send_raw(recorded, rank, bytes + 1, -1);
    send_raw(recorded, rank, NET_MESSAGE_MAX, -1);
    return count + 2;
}

static bool has_taken_two(void *argument)
{
    (void)argument;
    return taken[1 - process.rank] == 2;
}

// A message for itself, were it to come from the network, and the one for another rank.
static int send_elsewhere(int rank)
{
    struct sealed sealed;
    size_t bytes = message_seal(process.messages, process.rank, MESSAGE_EAGER, NULL, 0,
                                NULL, 0, &sealed);
    send_raw((const char *)&sealed, rank, bytes, -1);
    return 1;
}

static void body(void)
{
    uint64_t refused = 0;
    message_register(MESSAGE_EAGER, handle);
    meet();
    send_one(1 - process.rank);
    refused += (uint64_t)forge(1 - process.rank);
    refused += (uint64_t)send_elsewhere(1 - process.rank);
    send_one(1 - process.rank);
    CHECK(message_wait(has_taken_two, NULL) == 0);
    CHECK(atomic_load(&process.counters[COUNTER_MESSAGES_REFUSED]) == refused);
    CHECK(process.messages->numbers[1 - process.rank].taken > 2);
}

int main(void)
{
    CHECK(run_job((struct job){
              .nodes = 2, .node_size = 1, .spin_microseconds = 5, .body = body}) == 0);
    return 0;
}
