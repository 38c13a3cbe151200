// SPDX-License-Identifier: BSD-3-Clause
// Exchange of network addresses between nodes. Those of the leaders go through the
// launcher. Processes send theirs to their leader, leaders send those of their node to
// the other leaders, and each leader passes them on to its local peers.
#include "message/addresses.h"
#include "message/engine.h"

#include <stdlib.h>
#include <string.h>

struct address {
    int32_t rank;
    uint32_t bytes;
    char name[NET_ADDRESS_MAX];
};
enum { REFUSAL_SECONDS = 5 }; // until a leader that is out of reach counts as dead
enum { ADDRESSES_PER_MESSAGE = MESSAGE_MAX / sizeof(struct address) };

struct address_book {
    struct address *own; // leader: [node_size] of its node
    int own_count;       // of them, known so far
    int connected;       // processes of other nodes
    int error;           // the first error class
    uint64_t start;
};

static bool is_node_leader(void)
{
    return process.boot->node_rank == 0;
}

static struct address own_address(void)
{
    struct address address = {.rank = process.boot->rank};
    address.bytes = (uint32_t)net_address(process.net, address.name);
    return address;
}

// ---- the leaders' addresses, as text

struct node_descriptor {
    struct secret secret;
    int lifeline; // port
    struct address address;
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
    struct address *address = &descriptor->address;
    const char *text = strchr(whole, ',');
    int used = 0;
    if (!text ||
        sscanf(text, ",%16llx%16llx,%d,%n", &low, &high, &descriptor->lifeline,
               &used) != 3 ||
        used == 0)
        return fail(MPI_ERR_OTHER, "\"%s\" is no descriptor of a node", whole);
    descriptor->secret = (struct secret){low, high};
    text += used;
    address->bytes = 0;
    unsigned byte;
    while (address->bytes < NET_ADDRESS_MAX && sscanf(text, "%2x", &byte) == 1) {
        address->name[address->bytes++] = (char)byte;
        text += 2;
    }
    return 0;
}

static int node_descriptor_read(int node, struct node_descriptor *descriptor)
{
    char key[32], text[NODE_DESCRIPTOR_MAX];
    snprintf(key, sizeof key, "oriel-node-%d", node);
    int err =
        boot_get(process.boot, boot_leader(process.boot, node), key, text, sizeof text);
    return err ? err : node_descriptor_parse(text, descriptor);
}

// Every process needs the secret, which node 0 has chosen; a leader also connects with
// the other leaders.
int node_descriptors_read(struct messages *messages)
{
    const struct boot *boot = process.boot;
    for (int node = 0; node < (is_node_leader() ? boot->node_count : 1); node++) {
        struct node_descriptor descriptor;
        int err = node_descriptor_read(node, &descriptor);
        if (err)
            return err;
        if (node == 0) {
            seals_start(messages, &descriptor.secret);
            net_set_secret(process.net, &descriptor.secret);
        }
        if (is_node_leader() && node != boot->node)
            err = net_connect(process.net, boot_leader(boot, node),
                              descriptor.address.name, descriptor.address.bytes);
        if (err)
            return err;
    }
    return 0;
}

int node_lifeline_take(int node, char host[NET_HOST_MAX])
{
    struct node_descriptor descriptor;
    if (node_descriptor_read(node, &descriptor))
        return NET_NO_LIFELINE;
    return net_lifeline_take(process.net, descriptor.address.name,
                             descriptor.address.bytes, descriptor.lifeline, host);
}

// ---- all addresses, by messages

static int tell_leaders(const struct address_book *book)
{
    const struct boot *boot = process.boot;
    for (int node = 0; node < boot->node_count; node++)
        for (int i = 0; i < boot->node_size && node != boot->node;
             i += ADDRESSES_PER_MESSAGE) {
            int left = boot->node_size - i;
            size_t count =
                left < ADDRESSES_PER_MESSAGE ? (size_t)left : ADDRESSES_PER_MESSAGE;
            int err =
                message_send(boot_leader(boot, node), MESSAGE_ADDRESSES, book->own + i,
                             count * sizeof(struct address), NULL, 0);
            if (err)
                return err;
        }
    return 0;
}

static int hear_local_peer(struct address_book *book, int rank,
                           const struct address *address)
{
    book->own[boot_local_rank(process.boot, rank)] = *address;
    return ++book->own_count == process.boot->node_size ? tell_leaders(book) : 0;
}

static int hear_node(struct address_book *book, const struct address *addresses,
                     size_t count)
{
    const struct boot *boot = process.boot;
    for (size_t i = 0; i < count; i++) {
        int err = net_connect(process.net, addresses[i].rank, addresses[i].name,
                              addresses[i].bytes);
        if (err)
            return err;
        book->connected++;
    }
    for (int peer = 1; peer < boot->node_size && is_node_leader(); peer++) {
        int err = message_send(boot->node_members[peer], MESSAGE_ADDRESSES, addresses,
                               count * sizeof *addresses, NULL, 0);
        if (err)
            return err;
    }
    return 0;
}

// A process may send its own address to its leader, a leader those of its node to other
// leaders and those of other nodes to its local peers.
static bool may_tell(int source, const struct address *address)
{
    const struct boot *boot = process.boot;
    if (address->rank < 0 || address->rank >= boot->size ||
        address->bytes > NET_ADDRESS_MAX)
        return false;
    int node = boot_node(boot, address->rank), teller = boot_node(boot, source);
    if (is_node_leader() && teller == boot->node)
        return address->rank == source;
    return boot_leader(boot, teller) == source && node != boot->node &&
           teller == (is_node_leader() ? node : boot->node);
}

static bool are_valid(int source, const struct address *addresses, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *addresses; i++)
        if (!may_tell(source, &addresses[i]))
            return false;
    return bytes > 0 && bytes % sizeof *addresses == 0;
}

static void handle_addresses(int source, const void *message, size_t bytes)
{
    struct address_book *book = process.messages->book;
    size_t count = bytes / sizeof(struct address);
    if (!book || !are_valid(source, message, bytes)) {
        message_refuse(source, "a list of addresses");
        return;
    }
    bool is_from_local_peer = is_node_leader() && boot_is_local(process.boot, source);
    int err = is_from_local_peer ? hear_local_peer(book, source, message)
                                 : hear_node(book, message, count);
    if (err && !book->error)
        book->error = err;
}

// A leader that refuses its lifeline may have died. If a firewall has refused it, the
// addresses come all the same.
static int check_refusal(const struct messages *messages)
{
    uint64_t waited = clock_nanoseconds() - messages->book->start;
    if (atomic_load(&messages->watched.descriptor) != NET_LIFELINE_REFUSED ||
        waited < REFUSAL_SECONDS * UINT64_C(1000000000))
        return 0;
    return fail(MPI_ERR_PROC_ABORTED,
                "rank %d (at %s) has died: connections are refused, and addresses have "
                "not come in %d s",
                messages->watched.rank, messages->watched.host, REFUSAL_SECONDS);
}

static bool is_book_full(void *argument)
{
    struct address_book *book = argument;
    const struct boot *boot = process.boot;
    bool has_told = !is_node_leader() || book->own_count == boot->node_size;
    bool is_full = has_told && book->connected == boot->size - boot->node_size;
    if (!is_full && !book->error)
        book->error = check_refusal(process.messages);
    return is_full || book->error;
}

static int fill_book(struct messages *messages)
{
    struct address_book *book = messages->book;
    message_register(&(struct message_kind){MESSAGE_ADDRESSES, handle_addresses, false},
                     1);
    struct address mine = own_address();
    message_lock();
    int err = is_node_leader() ? hear_local_peer(book, mine.rank, &mine)
                               : message_send(process.boot->first, MESSAGE_ADDRESSES,
                                              &mine, sizeof mine, NULL, 0);
    message_unlock();
    if (!err)
        err = message_wait(is_book_full, book, NULL);
    return err ? err : book->error;
}

// The network thread handles messages with addresses, too.
static void book_set(struct messages *messages, struct address_book *book)
{
    message_lock();
    messages->book = book;
    message_unlock();
}

int addresses_exchange(struct messages *messages)
{
    struct address_book book = {.start = clock_nanoseconds()};
    if (is_node_leader()) {
        book.own = calloc((size_t)process.boot->node_size, sizeof *book.own);
        if (!book.own)
            return fail(MPI_ERR_NO_MEM, "no memory for the addresses of the node");
    }
    book_set(messages, &book);
    int err = fill_book(messages);
    book_set(messages, NULL);
    free(book.own);
    return err;
}
