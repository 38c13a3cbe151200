// SPDX-License-Identifier: BSD-3-Clause
// The launcher, and messages between virtual processes.
#include "virtual.h"

#include "message/addresses.h"
#include "message/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- boot ------------------------------------------------------------------------------
int boot_get(struct boot *boot, int rank, const char *key, char *value,
             size_t value_size)
{
    int node;
    (void)rank;
    world.current->usage.values++;
    if (sscanf(key, "oriel-node-%d", &node) == 1) {
        const struct virtual *leader = &world.all[node * world.node_size];
        node_descriptor_write((const struct net *)leader, &(struct secret){0}, 0, value,
                              value_size);
    } else {
        snprintf(value, value_size, "(vector,(0,%d,%d))", boot->size / world.node_size,
                 world.node_size);
    }
    return 0;
}

int boot_put(struct boot *boot, const char *key, const char *value)
{
    (void)boot, (void)key, (void)value;
    die("nothing is put to the launcher");
}

int boot_fence(struct boot *boot)
{
    (void)boot;
    die("no fence of the launcher is needed");
}

int boot_job_size(void)
{
    return world.count;
}

void boot_abort(struct boot *boot, int code, const char *why)
{
    (void)boot, (void)code;
    die(why);
}

// ---- addresses of other nodes ----------------------------------------------------------
// The address of a process is its rank.
size_t net_address(const struct net *net, char address[NET_ADDRESS_MAX])
{
    int rank = ((const struct virtual *)net)->boot.rank;
    memcpy(address, &rank, sizeof rank);
    return sizeof rank;
}

static bool is_known(const struct virtual *own, int rank)
{
    for (int i = 0; i < own->known_count; i++)
        if (own->known[i] == rank)
            return true;
    return false;
}

int net_connect(struct net *net, int rank, const void *address, size_t bytes)
{
    struct virtual *own = (struct virtual *)net;
    int count = own->known_count;
    if (bytes != sizeof rank || memcmp(address, &rank, bytes) != 0)
        die("an address is not that of its process");
    if (is_known(own, rank))
        return 0;
    if ((count & (count - 1)) == 0) // doubles the room
        own->known =
            must(__real_realloc(own->known, 2 * ((size_t)count + 1) * sizeof(int)));
    own->known[own->known_count++] = rank;
    for (struct mail **link = &own->held, *mail; (mail = *link) != NULL;)
        if (mail->destination == rank) {
            *link = mail->next;
            mail->arrival = own->usage.clock + world.machine->network.latency;
            mail_deliver(mail, rank);
        } else {
            link = &mail->next;
        }
    return 0;
}

bool net_reaches(int rank)
{
    if (world.all[rank].boot.node == world.current->boot.node)
        return true;
    if (!is_known(world.current, rank))
        addresses_find(rank);
    return is_known(world.current, rank);
}

// Addresses may be in the table now.
static void held_find(const struct virtual *own)
{
    const struct mail *mail = own->held;
    while (mail != NULL)
        mail = net_reaches(mail->destination) ? own->held : mail->next;
}

int net_lifeline_take(const struct net *net, const void *address, size_t bytes,
                      int port, char host[NET_HOST_MAX])
{
    (void)net, (void)address, (void)bytes, (void)port, (void)host;
    return NET_NO_LIFELINE;
}

uint64_t clock_nanoseconds(void)
{
    return world.current->usage.clock;
}

double clock_seconds(void)
{
    return 1e-9 * (double)clock_nanoseconds();
}

// ---- message ---------------------------------------------------------------------------

void message_register(const struct message_kind kinds[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        world.handlers[kinds[i].number] = kinds[i].handler;
}

void message_unregister(const struct message_kind kinds[], size_t count)
{
    (void)kinds, (void)count; // other virtual processes still have them
}

static const struct cost *cost_to(int rank)
{
    bool is_near = world.all[rank].boot.node == world.current->boot.node;
    return is_near ? &world.machine->node : &world.machine->network;
}

void mail_deliver(struct mail *mail, int rank)
{
    struct virtual *to = &world.all[rank];
    struct mail **link = &to->first;
    if (to->first != NULL && to->last->arrival <= mail->arrival)
        link = &to->last->next;
    while (*link != NULL && (*link)->arrival <= mail->arrival)
        link = &(*link)->next;
    mail->next = *link;
    *link = mail;
    if (mail->next == NULL)
        to->last = mail;
    ready_at(to, mail->arrival);
}

struct mail *mail_make(int kind, size_t bytes, uint64_t arrival)
{
    struct mail *mail = must(__real_malloc(sizeof *mail + bytes));
    *mail = (struct mail){.arrival = arrival,
                          .source = world.current->boot.rank,
                          .kind = kind,
                          .bytes = bytes};
    return mail;
}

// Peers are few.
static void note_peer(struct virtual *own, int rank)
{
    uint64_t count = own->usage.peers;
    for (uint64_t i = 0; i < count; i++)
        if (own->peers[i] == rank)
            return;
    if ((count & (count - 1)) == 0) // doubles the room
        own->peers = must(__real_realloc(own->peers, 2 * (count + 1) * sizeof(int)));
    own->peers[count] = rank;
    own->usage.peers++;
}

static void count_message(int rank, size_t bytes)
{
    struct virtual *own = world.current;
    own->usage.messages++;
    own->usage.bytes += bytes;
    if (world.all[rank].boot.node != own->boot.node) {
        own->usage.network_messages++;
        note_peer(own, rank);
    }
}

int message_send(int rank, int kind, const void *head, size_t head_bytes,
                 const void *body, size_t body_bytes)
{
    struct usage *usage = &world.current->usage;
    size_t bytes = head_bytes + body_bytes;
    if (rank != world.current->boot.rank) {
        const struct cost *cost = cost_to(rank);
        usage->clock += cost->overhead + (uint64_t)(cost->byte * (double)bytes);
        count_message(rank, bytes);
    }
    uint64_t way = rank != world.current->boot.rank ? cost_to(rank)->latency : 0;
    struct mail *mail = mail_make(kind, bytes, usage->clock + way);
    memcpy(mail->data, head, head_bytes);
    if (body_bytes > 0)
        memcpy(mail->data + head_bytes, body, body_bytes);
    if (net_reaches(rank)) {
        mail_deliver(mail, rank);
        return 0;
    }
    struct mail **link = &world.current->held;
    while (*link != NULL)
        link = &(*link)->next;
    mail->destination = rank;
    *link = mail;
    return 0;
}

static void mail_handle(struct mail *mail)
{
    if (mail->kind == ACCESS_DONE) {
        struct net_counter *counter;
        memcpy(&counter, mail->data, sizeof counter);
        net_counter_complete(counter, 0);
        return;
    }
    if (mail->source != world.current->boot.rank)
        world.current->usage.clock += cost_to(mail->source)->overhead;
    if (world.handlers[mail->kind] == NULL)
        die("a message of an unknown kind");
    world.handlers[mail->kind](mail->source, mail->data, mail->bytes);
}

int message_poll(void)
{
    struct virtual *own = world.current;
    int events = 0;
    while (own->first != NULL && own->first->arrival <= own->usage.clock) {
        struct mail *mail = own->first;
        own->first = mail->next;
        mail_handle(mail);
        __real_free(mail);
        events++;
    }
    held_find(own);
    if (own->follower != NULL)
        events += own->follower(false);
    return events;
}

int message_wait(bool (*done)(void *argument), void *argument, wait_explainer *explain)
{
    (void)explain;
    for (;;) {
        message_poll();
        if (done == NULL || done(argument))
            return 0;
        give_way();
    }
}

int message_wait_locked(bool (*done)(void *argument), void *argument,
                        wait_explainer *explain)
{
    message_unlock();
    return message_wait(done, argument, explain);
}

// The word that the caller polls is not known, so that it looks again whenever a process
// of the node has run; but not when that one has looked in vain, too.
int message_backoff(unsigned *spins, wait_explainer *explain, const void *argument)
{
    (void)explain, (void)argument;
    if (message_poll() > 0) {
        *spins = 0;
        return 0;
    }
    watch_node(world.current);
    world.current->looked_in_vain = (*spins)++ > 0;
    give_way();
    return 0;
}

void message_backoff_end(unsigned spins)
{
    (void)spins;
}

int message_progress(void)
{
    return message_poll();
}

void message_progress_and_yield(void)
{
    message_poll();
}

void message_follow(message_follower *follower)
{
    world.current->follower = follower;
}

// Nobody asks what a virtual process waits for.
void awaited_register(enum awaited_kind kind, awaited_explainer *explain)
{
    (void)kind, (void)explain;
}

void holdings_register(holdings_teller *tell)
{
    (void)tell;
}

void message_lock(void)
{
}

void message_unlock(void)
{
}

bool message_try_lock(void)
{
    return true;
}

bool message_lock_unless_held(void)
{
    return true;
}

void message_wake(void)
{
}

bool message_is_crowded(void)
{
    return false;
}

uint32_t message_waiting(void)
{
    return 0;
}

void message_bundle_kind(int kind, _Atomic(bool) *has_left)
{
    (void)kind, (void)has_left;
}

bool message_is_in_ring(int rank)
{
    (void)rank;
    return true;
}

// Between nodes as over a network with accesses in hardware.
size_t message_max(int rank)
{
    enum { MESSAGE_OF_NETWORK = 16 << 10 };
    return boot_is_local(process.boot, rank) ? (size_t)MESSAGE_MAX
                                             : MESSAGE_OF_NETWORK - CACHE_LINE;
}

bool message_has_backlog(void)
{
    return false;
}

bool message_has_room(int rank, size_t bytes)
{
    (void)rank, (void)bytes;
    return true;
}

int message_looked(bool has_found)
{
    (void)has_found;
    return 0;
}

int message_check_deaths(void)
{
    return 0;
}

int message_known_death(void)
{
    return 0;
}

int message_threads(void)
{
    return 0;
}

int message_drain(void)
{
    message_poll();
    return 0;
}

int message_serve(void)
{
    return 0;
}

int message_await_ring(int rank)
{
    (void)rank;
    return 0;
}

int message_wait_for_backlog(int rank)
{
    (void)rank;
    return 0;
}

void message_refuse(int source, const char *what)
{
    fprintf(stderr, "scale: a message of rank %d is refused: %s\n", source, what);
    exit(1);
}

void message_lost(int rank, int error_class, const char *why)
{
    (void)rank, (void)error_class;
    die(why);
}

void message_defer(void)
{
    die("a message is deferred");
}

void message_starve(void)
{
    die("there is no memory");
}

bool message_joint_begin(int rank, uint64_t bytes, joint_ended *ended, void *argument,
                         struct joint_name *name)
{
    (void)rank, (void)bytes, (void)ended, (void)argument, (void)name;
    return false; // all are under way
}

void message_joint_look(void)
{
}

void message_joint_leave(struct joint_name name)
{
    (void)name;
}

void message_joint_help(int rank, const struct joint_side *side)
{
    (void)rank, (void)side;
    die("there are no joint copies");
}
