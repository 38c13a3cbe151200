// SPDX-License-Identifier: BSD-3-Clause
// Network addresses, each found when the network first wants it. Those of the leaders are
// with the launcher; a leader tells those of its node when it is asked. What one process
// has found is in a table in the segment, for all of its node.
#include "message/addresses.h"
#include "message/engine.h"

#include <stdlib.h>
#include <string.h>

struct address {
    // Of a leader that has been asked: by which node rank, from 1 on, and until when others
    // of its node leave it at that. They ask themselves if that process does not go on.
    _Atomic(int) asker;
    _Atomic(uint32_t) bytes; // 0: not known yet
    _Atomic(uint64_t) asked_until;
    char name[NET_ADDRESS_MAX];
};

struct address_table {
    struct secret secret; // of the job
    struct address of[];  // [size of the job]
};

// As leaders tell them.
struct told_address {
    int32_t rank;
    uint32_t bytes;
    char name[NET_ADDRESS_MAX];
};
enum { ADDRESSES_PER_MESSAGE = MESSAGE_MAX / sizeof(struct told_address) };

// With the address that the answer goes to, lest its leader is asked for that.
struct address_question {
    int32_t wanted; // rank
    uint32_t bytes;
    char name[NET_ADDRESS_MAX];
};

static const uint64_t PATIENCE =
    100000000; // nanoseconds for the answer to another process

static struct address_table *address_table(void)
{
    return process.shm->common;
}

static struct address *address_entry(int rank)
{
    return &address_table()->of[rank];
}

static int leader_of(int rank)
{
    return boot_leader(process.boot, boot_node(process.boot, rank));
}

size_t addresses_bytes(const struct boot *boot)
{
    return boot->node_count > 1 ? sizeof(struct address_table) +
                                      (size_t)boot->size * sizeof(struct address)
                                : 0;
}

const struct secret *addresses_secret(void)
{
    return &address_table()->secret;
}

// Two processes of the node may write the same.
static void address_write(int rank, const char *name, size_t bytes)
{
    struct address *address = address_entry(rank);
    memcpy(address->name, name, bytes);
    atomic_store_explicit(&address->bytes, (uint32_t)bytes, memory_order_release);
}

static size_t address_read(int rank, const char **name)
{
    const struct address *address = address_entry(rank);
    *name = address->name;
    return atomic_load_explicit(&address->bytes, memory_order_acquire);
}

// ---- the leaders' addresses, as text

struct node_descriptor {
    struct secret secret;
    int lifeline; // port
    size_t bytes;
    char name[NET_ADDRESS_MAX];
};

void node_descriptor_write(const struct net *net, const struct secret *secret,
                           int lifeline, char *text, size_t text_size)
{
    char name[NET_ADDRESS_MAX];
    size_t bytes = net_address(net, name);
    int used = snprintf(text, text_size, ",%016llx%016llx,%d,",
                        (unsigned long long)secret->low,
                        (unsigned long long)secret->high, lifeline);
    for (size_t i = 0; i < bytes; i++)
        used += snprintf(text + used, text_size - (size_t)used, "%02x",
                         (unsigned char)name[i]);
}

static int node_descriptor_parse(const char *whole, struct node_descriptor *descriptor)
{
    unsigned long long low, high;
    const char *text = strchr(whole, ',');
    int used = 0;
    if (!text ||
        sscanf(text, ",%16llx%16llx,%d,%n", &low, &high, &descriptor->lifeline,
               &used) != 3 ||
        used == 0)
        return fail(MPI_ERR_OTHER, "\"%s\" is no descriptor of a node", whole);
    descriptor->secret = (struct secret){low, high};
    text += used;
    descriptor->bytes = 0;
    unsigned byte;
    while (descriptor->bytes < NET_ADDRESS_MAX && sscanf(text, "%2x", &byte) == 1) {
        descriptor->name[descriptor->bytes++] = (char)byte;
        text += 2;
    }
    return descriptor->bytes > 0
               ? 0
               : fail(MPI_ERR_OTHER, "\"%s\" has no address of a node", whole);
}

static int node_descriptor_read(int node, struct node_descriptor *descriptor)
{
    char key[32], text[NODE_DESCRIPTOR_MAX];
    snprintf(key, sizeof key, "oriel-node-%d", node);
    int err =
        boot_get(process.boot, boot_leader(process.boot, node), key, text, sizeof text);
    return err ? err : node_descriptor_parse(text, descriptor);
}

// Leaders connect with the first one, lest nodes with different networks wait for ever.
static int first_node_learn(void)
{
    struct node_descriptor first;
    int err = node_descriptor_read(0, &first);
    if (err)
        return err;
    address_table()->secret = first.secret;
    if (process.boot->node == 0)
        return 0;
    int leader = boot_leader(process.boot, 0);
    address_write(leader, first.name, first.bytes);
    return net_connect(process.net, leader, first.name, first.bytes);
}

int addresses_open(void)
{
    char name[NET_ADDRESS_MAX];
    address_write(process.boot->rank, name, net_address(process.net, name));
    return process.boot->node_rank == 0 ? first_node_learn() : 0;
}

int node_lifeline_take(int node, char host[NET_HOST_MAX])
{
    struct node_descriptor descriptor;
    if (node_descriptor_read(node, &descriptor))
        return NET_NO_LIFELINE;
    return net_lifeline_take(process.net, descriptor.name, descriptor.bytes,
                             descriptor.lifeline, host);
}

// ---- finding

static void leader_find(int leader)
{
    struct node_descriptor descriptor;
    int err = node_descriptor_read(boot_node(process.boot, leader), &descriptor);
    int error_class;
    if (err)
        message_lost(leader, err, error_detail(&error_class));
    else
        address_write(leader, descriptor.name, descriptor.bytes);
}

// Is this process to ask? Not if another one of its node has asked lately, or this one since.
static bool question_take(struct address *leader)
{
    int own = process.boot->node_rank + 1;
    uint64_t now = clock_nanoseconds(), until = atomic_load(&leader->asked_until);
    if (now < until || atomic_load(&leader->asker) == own ||
        !atomic_compare_exchange_strong(&leader->asked_until, &until, now + PATIENCE))
        return false;
    atomic_store(&leader->asker, own);
    return true;
}

static void question_end(struct address *leader)
{
    atomic_store(&leader->asker, 0);
    atomic_store(&leader->asked_until, 0);
}

static void leader_ask(int rank)
{
    int leader = leader_of(rank);
    if (!question_take(address_entry(leader)))
        return;
    struct address_question question = {.wanted = rank};
    question.bytes = (uint32_t)net_address(process.net, question.name);
    int err = message_send(leader, MESSAGE_ADDRESS_QUESTION, &question, sizeof question,
                           NULL, 0);
    if (err)
        question_end(address_entry(leader));
    if (err == MPI_ERR_NO_MEM)
        message_starve();
}

bool addresses_can_find(int rank)
{
    const char *name;
    return rank == leader_of(rank) || address_read(rank, &name) > 0;
}

void addresses_find(int rank)
{
    const char *name;
    size_t bytes = address_read(rank, &name);
    if (bytes == 0 && rank == leader_of(rank)) {
        leader_find(rank);
        bytes = address_read(rank, &name);
    } else if (bytes == 0) {
        leader_ask(rank);
    }
    if (bytes == 0)
        return;
    int error_class, err = net_connect(process.net, rank, name, bytes);
    if (err == MPI_ERR_NO_MEM)
        message_starve();
    else if (err)
        message_lost(rank, err, error_detail(&error_class));
}

// ---- questions and answers

static bool is_job_rank(int32_t rank)
{
    return rank >= 0 && rank < process.boot->size;
}

static bool is_length(uint32_t bytes)
{
    return bytes > 0 && bytes <= NET_ADDRESS_MAX;
}

static void handle_question(int source, const void *message, size_t bytes)
{
    const struct boot *boot = process.boot;
    const struct address_question *question = message;
    if (bytes != sizeof *question || boot->node_rank != 0 ||
        boot_is_local(boot, source) || !is_job_rank(question->wanted) ||
        !boot_is_local(boot, question->wanted) || !is_length(question->bytes)) {
        message_refuse(source, "a question for an address");
        return;
    }
    address_write(source, question->name, question->bytes);
    struct told_address told[ADDRESSES_PER_MESSAGE] = {0};
    int place = boot_local_rank(boot, question->wanted);
    int count = 0, peer = place - place % ADDRESSES_PER_MESSAGE;
    for (; count < ADDRESSES_PER_MESSAGE && peer < boot->node_size; peer++, count++) {
        const char *name;
        told[count].rank = boot->node_members[peer];
        told[count].bytes = (uint32_t)address_read(told[count].rank, &name);
        memcpy(told[count].name, name, told[count].bytes);
    }
    message_send(source, MESSAGE_ADDRESSES, told, (size_t)count * sizeof *told, NULL,
                 0);
}

static bool are_valid(int source, const struct told_address *told, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *told; i++)
        if (!is_job_rank(told[i].rank) || leader_of(told[i].rank) != source ||
            !is_length(told[i].bytes))
            return false;
    return bytes > 0 && bytes % sizeof *told == 0;
}

// Local peers may wait for them, too.
static void handle_addresses(int source, const void *message, size_t bytes)
{
    const struct told_address *told = message;
    if (boot_is_local(process.boot, source) || !are_valid(source, told, bytes)) {
        message_refuse(source, "a list of addresses");
        return;
    }
    for (size_t i = 0; i < bytes / sizeof *told; i++)
        address_write(told[i].rank, told[i].name, told[i].bytes);
    question_end(address_entry(source));
    for (int peer = 0; peer < process.boot->node_size; peer++)
        if (peer != process.boot->node_rank)
            shm_ring(process.shm, peer);
}

void addresses_start(void)
{
    static const struct message_kind kinds[] = {
        {MESSAGE_ADDRESS_QUESTION, handle_question, .can_fail = true},
        {MESSAGE_ADDRESSES, handle_addresses, .can_fail = false}};
    message_register(kinds, sizeof kinds / sizeof kinds[0]);
}
