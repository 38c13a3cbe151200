// SPDX-License-Identifier: BSD-3-Clause
// only_what_is_sealed_and_new_is_taken: messages between nodes that are sent again as
// they were recorded, that are changed in any bit, cut, lengthened, or recorded on their
// way to another process, are refused and counted; those that follow them are taken. A
// number that does not come is a loss, which waits know of. pads_differ: a pad that was
// made ahead is the one that is made when it is needed, and each number and each receiver
// has another one.
#include "message/engine.h"

#include "message_job.h"

enum { WORDS_MAX = 150 }; // more than are condensed together

static int taken[JOB_MAX];

// What a process sends to another as its message of this number.
static void fill(uint64_t words[WORDS_MAX], int source, int destination, int number,
                 size_t bytes)
{
    for (uint64_t i = 0; i < WORDS_MAX; i++)
        words[i] = i;
    words[0] = (uint64_t)(source << 16 | destination) << 32 | (uint64_t)number;
    words[1] = bytes;
}

static void handle(int source, const void *message, size_t bytes)
{
    uint64_t words[WORDS_MAX];
    fill(words, source, process.rank, taken[source]++, bytes);
    CHECK(bytes <= sizeof words && memcmp(message, words, bytes) == 0);
}

// Sends a sealed message or what somebody has made of it.
static void send_raw(int rank, const struct sealed *sealed, size_t bytes)
{
    char message[NET_MESSAGE_MAX] = {0};
    bool sent = false;
    memcpy(message, sealed, bytes < sizeof *sealed ? bytes : sizeof *sealed);
    while (!sent) {
        CHECK(net_send(process.net, rank, message, bytes, &sent) == 0);
        message_progress();
    }
}

// Sends a message that has not come yet with each bit changed, cut and lengthened;
// returns how often.
static uint64_t send_changed(int rank, struct sealed *sealed, size_t bytes)
{
    char *at = (char *)sealed;
    uint64_t count = 0;
    for (size_t bit = 0; bit < 8 * bytes; bit++, count++) {
        at[bit / 8] = (char)(at[bit / 8] ^ 1 << bit % 8);
        send_raw(rank, sealed, bytes);
        at[bit / 8] = (char)(at[bit / 8] ^ 1 << bit % 8);
    }
    for (size_t length = 0; length < bytes; length++, count++)
        send_raw(rank, sealed, length);
    send_raw(rank, sealed, bytes + 1);
    send_raw(rank, sealed, NET_MESSAGE_MAX);
    return count + 2;
}

static size_t seal(int rank, size_t bytes, struct sealed *sealed)
{
    static int sent[JOB_MAX];
    uint64_t words[WORDS_MAX];
    fill(words, process.rank, rank, sent[rank]++, bytes);
    memset(sealed, 0, sizeof *sealed);
    return message_seal(process.messages, rank, QUESTION, words, bytes, NULL, 0,
                        sealed);
}

static bool is_never(void *unused)
{
    (void)unused;
    return false;
}

static void a_gap_is_a_loss(void)
{
    struct sealed sealed;
    int other = 1 - process.rank, before = taken[other], err = 0;
    meet();
    seal(other, 16, &sealed); // never sent
    send_raw(other, &sealed, seal(other, 16, &sealed));
    CHECK(message_wait(is_never, NULL, NULL) == MPI_ERR_PROC_ABORTED);
    CHECK(strstr(error_detail(&err), "lost") && taken[other] == before);
}

// Seals the same 16 bytes under this number.
static uint64_t seal_under(int rank, uint64_t number)
{
    struct sealed sealed;
    process.messages->numbers[rank].sent = number - 1;
    message_seal(process.messages, rank, QUESTION, "0123456789abcdef", 16, NULL, 0,
                 &sealed);
    CHECK(sealed.number == number);
    return sealed.seal;
}

static void pads_differ(void)
{
    struct messages *messages = process.messages;
    int other = 1 - process.rank;
    uint64_t before = messages->numbers[other].sent;
    uint64_t seals[] = {seal_under(other, 1000), 0, seal_under(process.rank, 1001)};
    seal_under(other, 1000);
    seals_prepare(messages);
    CHECK(messages->seals.pads_due == 0 && messages->seals.pads[other].number == 1001);
    uint64_t pad = messages->seals.pads[other].value;
    seals[1] = seal_under(other, 1001);
    CHECK(seals[0] != seals[1] && seals[1] != seals[2]);
    CHECK(seal_under(other, 1001) == seals[1]); // its pad was not made ahead
    messages->seals.pads[other] =
        (struct pad){~pad, 1001, (uint32_t)process.rank, (uint32_t)other};
    messages->seals.pads_due = 0;
    CHECK(seal_under(other, 1001) != seals[1]); // what was made ahead is used
    messages->seals = (struct seals){0};
    seals_start(messages,
                &(struct secret){messages->secret.low, messages->secret.high});
    CHECK(seal_under(other, 1001) == seals[1]);
    messages->numbers[other].sent = before;
    messages->numbers[process.rank].sent = 0;
}

static bool has_taken(void *argument)
{
    return taken[1 - process.rank] == *(int *)argument;
}

static void body(void)
{
    static const size_t lengths[] = {16, 17, 24, sizeof(uint64_t[WORDS_MAX])};
    struct numbers *numbers = process.messages->numbers;
    int sent = 0, other = 1 - process.rank;
    uint64_t refused = 0;
    handle_kind(QUESTION, handle);
    meet();
    pads_differ();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct sealed elsewhere, first, second;
        meet();
        numbers[process.rank].sent = numbers[other].sent; // new to the other, too
        send_raw(other, &elsewhere, seal(process.rank, lengths[i], &elsewhere));
        size_t bytes = seal(other, lengths[i], &first);
        refused += send_changed(other, &first, bytes);
        send_raw(other, &first, bytes);
        send_raw(other, &first, bytes);
        send_raw(other, &second, seal(other, lengths[i], &second));
        sent += 2;
        refused += 2; // that of elsewhere and the second of the first
        CHECK(message_wait(has_taken, &sent, NULL) == 0);
        CHECK(counter_value(COUNTER_MESSAGES_REFUSED) == refused);
    }
    a_gap_is_a_loss();
}

int main(void)
{
    CHECK(run_job((struct job){
              .nodes = 2, .node_size = 1, .spin_microseconds = 5, .body = body}) == 0);
    return 0;
}
