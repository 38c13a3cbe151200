// SPDX-License-Identifier: BSD-3-Clause
// random_messages_obey_the_order: all ranks draw the same plan of messages; receivers
// take theirs by rank and tag, by one of them or by neither, posted or probed for, and a
// model says which message each receive must have got. The seed is printed when a claim
// fails, and may be the program's argument.
#include "window_test.h"

#include <stdint.h>

enum { MESSAGES = 60, ROUNDS = 25, TAGS = 3, LONGEST = 40000, WAYS = 4 };

struct planned {
    int from, to, tag, length, way;
    int stamp;     // its number in the plan
    bool is_taken; // by a receive, in the model
};

static struct planned plan[MESSAGES];
static uint64_t state;
static long seed = 1;

static int draw(int below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (uint64_t)below);
}

static void claim(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d of %d, seed %ld: %s\n", rank, size, seed, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int draw_length(void)
{
    static const int limits[] = {8, 300, 8200, LONGEST};
    return 4 + draw(limits[draw(4)] - 3);
}

static void draw_plan(void)
{
    for (int i = 0; i < MESSAGES; i++)
        plan[i] = (struct planned){.from = draw(size),
                                   .to = draw(size),
                                   .tag = draw(TAGS),
                                   .length = draw_length(),
                                   .way = draw(WAYS),
                                   .stamp = i};
}

// ---- sends
static unsigned char *out[MESSAGES];

static void start_send(const struct planned *message, MPI_Request *request)
{
    static int (*const ways[WAYS])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                                   MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Ibsend,
                                                     MPI_Isend};
    MPI_Datatype every_second;
    unsigned char *bytes = out[message->stamp] = malloc(2 * LONGEST);
    int step = message->way == 3 ? 2 : 1;
    for (int i = 0; i < message->length; i++)
        bytes[i * step] = pattern(message->from, (size_t)i, message->stamp);
    for (int i = 0; i < 4; i++)
        bytes[i * step] = (unsigned char)(message->stamp >> 8 * i);
    if (step == 1) {
        ways[message->way](bytes, message->length, MPI_BYTE, message->to, message->tag,
                           MPI_COMM_WORLD, request);
        return;
    }
    MPI_Type_vector(message->length, 1, 2, MPI_BYTE, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Isend(bytes, 1, every_second, message->to, message->tag, MPI_COMM_WORLD,
              request);
    MPI_Type_free(&every_second);
}

// ---- receives
struct receive {
    int from, tag; // as given to MPI
    unsigned char *bytes;
    MPI_Status status;
};

static struct receive receives[MESSAGES];

// Each message has a receive of its pattern, in random order.
static int draw_receives(void)
{
    int pattern_of_round = draw(4), count = 0; // drawn alike on all ranks
    for (int i = 0; i < MESSAGES; i++) {
        bool by_rank = pattern_of_round & 1, by_tag = pattern_of_round & 2;
        int place = draw(i + 1);
        if (plan[i].to != rank)
            continue;
        struct receive receive = {.from = by_rank ? plan[i].from : MPI_ANY_SOURCE,
                                  .tag = by_tag ? plan[i].tag : MPI_ANY_TAG,
                                  .bytes = malloc(LONGEST)};
        place = place > count ? count : place;
        receives[count++] = receives[place];
        receives[place] = receive;
    }
    return count;
}

static void take_probed(struct receive *receive)
{
    MPI_Message message;
    MPI_Mprobe(receive->from, receive->tag, MPI_COMM_WORLD, &message, &receive->status);
    MPI_Mrecv(receive->bytes, LONGEST, MPI_BYTE, &message, &receive->status);
}

// ---- the model
// The first message of the sender that the receive matches and no earlier one has got.
static struct planned *expected(const struct receive *receive)
{
    for (int i = 0; i < MESSAGES; i++)
        if (!plan[i].is_taken && plan[i].to == rank &&
            plan[i].from == receive->status.MPI_SOURCE &&
            (receive->tag == MPI_ANY_TAG || receive->tag == plan[i].tag))
            return &plan[i];
    return NULL;
}

static void check_receive(struct receive *receive)
{
    struct planned *message = expected(receive);
    int length = -1, stamp = 0;
    claim(message != NULL, "a message that nobody has sent");
    message->is_taken = true;
    MPI_Get_count(&receive->status, MPI_BYTE, &length);
    for (int i = 3; i >= 0; i--)
        stamp = stamp << 8 | receive->bytes[i];
    claim(stamp == message->stamp, "messages out of order");
    claim(length == message->length && receive->status.MPI_TAG == message->tag,
          "a wrong status");
    for (int i = 4; i < length; i++)
        claim(receive->bytes[i] == pattern(message->from, (size_t)i, stamp),
              "wrong data");
    free(receive->bytes);
}

static void run_round(void)
{
    MPI_Request sends[MESSAGES], posted[MESSAGES];
    int sent = 0, waits = 0;
    draw_plan();
    int count = draw_receives();
    int probed = draw(3) == 0 ? MESSAGES : 0; // all of a round, for the order's sake
    bool sends_first = draw(2);
    for (int i = 0; i < count && !probed && !sends_first; i++)
        MPI_Irecv(receives[i].bytes, LONGEST, MPI_BYTE, receives[i].from,
                  receives[i].tag, MPI_COMM_WORLD, &posted[waits++]);
    for (int i = 0; i < MESSAGES; i++)
        if (plan[i].from == rank)
            start_send(&plan[i], &sends[sent++]);
    for (int i = waits; i < count && !probed; i++)
        MPI_Irecv(receives[i].bytes, LONGEST, MPI_BYTE, receives[i].from,
                  receives[i].tag, MPI_COMM_WORLD, &posted[waits++]);
    for (int i = 0; i < count && probed; i++)
        take_probed(&receives[i]);
    for (int i = 0; i < waits; i++)
        MPI_Wait(&posted[i], &receives[i].status);
    MPI_Waitall(sent, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++)
        check_receive(&receives[i]);
    for (int i = 0; i < MESSAGES; i++) {
        free(out[i]);
        out[i] = NULL;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (argc > 1)
        seed = atol(argv[1]);
    state = 88172645463325252u ^ (uint64_t)seed * 0x9e3779b97f4a7c15u;
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    for (int round = 0; round < ROUNDS; round++)
        run_round();
    return finish();
}
