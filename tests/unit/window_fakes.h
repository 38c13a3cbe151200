// SPDX-License-Identifier: BSD-3-Clause
// Messages that go nowhere: what a unit of window/ or rma/ sends is kept for the test,
// and the handlers it registers are called by the test. For tests of one process and
// tests whose processes share no more than a mapping.
#pragma once

#include "check.h"
#include "window/window.h"

#include <sched.h>
#include <string.h>

// No operations are aggregated.
static int send_none(struct peer *peer)
{
    (void)peer;
    return 0;
}

static const struct peer_owner no_operations = {.send = send_none};
struct process process = {.windows = &(struct windows){.peer_owner = &no_operations}};

static message_handler *handlers[MESSAGE_KINDS];

static struct sent {
    int count; // the test sets it back
    int rank;  // the last one
    int kind;
    size_t bytes;
    _Alignas(8) char data[MESSAGE_MAX_BETWEEN_NODES];
} sent;
static int (*look_at_message)(void); // what the test does with each one, or NULL

void message_register(const struct message_kind kinds[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        handlers[kinds[i].number] = kinds[i].handler;
}

void message_unregister(const struct message_kind kinds[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        handlers[kinds[i].number] = NULL;
}

static size_t longest_message = MESSAGE_MAX;

size_t message_max(int rank)
{
    (void)rank;
    return longest_message;
}

int message_send(int rank, int kind, const void *head, size_t head_bytes,
                 const void *body, size_t body_bytes)
{
    CHECK(head_bytes + body_bytes <= longest_message);
    sent.count++;
    sent.rank = rank;
    sent.kind = kind;
    sent.bytes = head_bytes + body_bytes;
    memcpy(sent.data, head, head_bytes);
    if (body_bytes > 0)
        memcpy(sent.data + head_bytes, body, body_bytes);
    return look_at_message != NULL ? look_at_message() : 0;
}

static bool joint_is_allowed; // a joint copy, whose end the test calls
static struct {
    joint_ended *ended;
    void *argument;
    struct joint_side side; // its spans are gone
    size_t spans_bytes;
} joint_begun;

bool message_is_crowded(void)
{
    return false;
}

bool message_is_in_ring(int rank)
{
    (void)rank;
    return true;
}

bool message_joint_begin(int rank, uint64_t bytes, joint_ended *ended, void *argument,
                         struct joint_name *name)
{
    (void)rank, (void)bytes;
    *name = (struct joint_name){1, 2};
    joint_begun.ended = ended;
    joint_begun.argument = argument;
    return joint_is_allowed;
}

void message_joint_look(void)
{
}

void message_joint_leave(struct joint_name name)
{
    CHECK(name.index == 1 && name.number == 2);
}

bool shm_joint_work(struct shm *shm, const struct joint_side *side)
{
    (void)shm;
    joint_begun.side = *side;
    joint_begun.spans_bytes = 0;
    for (size_t i = 0; i < side->count; i++) {
        CHECK(side->local[i].iov_len == side->remote[i].iov_len);
        joint_begun.spans_bytes += side->local[i].iov_len;
    }
    return false;
}

void message_joint_help(int rank, const struct joint_side *side)
{
    (void)rank;
    shm_joint_work(process.shm, side);
}

static int refused; // messages

void message_refuse(int source, const char *what)
{
    (void)source, (void)what;
    refused++;
}

void message_defer(void)
{
    CHECK(false); // there is memory
}

void message_starve(void)
{
    CHECK(false);
}

void message_lock(void)
{
}

void message_wake(void)
{
}

int message_progress(void)
{
    return 0;
}

bool message_try_lock(void)
{
    return true;
}

bool message_lock_unless_held(void)
{
    return true;
}

int message_drain(void)
{
    return 0;
}

int message_known_death(void)
{
    return 0;
}

uint32_t message_waiting(void)
{
    return 0;
}

int message_wait_for_backlog(int rank)
{
    (void)rank;
    return 0;
}

void message_unlock(void)
{
}

int message_backoff(unsigned *spins, wait_explainer *explain, const void *argument)
{
    (void)explain, (void)argument;
    if (++*spins % 64 == 0)
        sched_yield();
    return 0;
}

void message_backoff_end(unsigned spins)
{
    (void)spins;
}

// Registered memory is accessed in this process, at once or when the test says so.
static int registered;
static bool access_waits;
static int access_error;
static struct net_access waiting[16];
static int waiting_count;

int net_register(struct net *net, void *memory, size_t bytes, uint64_t common,
                 struct net_region *region)
{
    (void)common;
    (void)net;
    registered++;
    *region = (struct net_region){{bytes, (uintptr_t)memory}, memory};
    return 0;
}

void net_deregister(struct net *net, struct net_region *region)
{
    (void)net;
    registered -= region->handle != NULL;
    *region = (struct net_region){.handle = NULL};
}

static inline void access_carry_out(const struct net_access *access)
{
    char *remote = (char *)(uintptr_t)access->target.address;
    if (!access_error && access->is_write)
        memcpy(remote, access->local, access->bytes);
    else if (!access_error)
        memcpy(access->local, remote, access->bytes);
    net_counter_complete(access->counter, access_error);
}

int net_access_queued(struct net *net, const struct net_access *access)
{
    (void)net;
    net_counter_issue(access->counter);
    if (access_waits)
        waiting[waiting_count++] = *access;
    else
        access_carry_out(access);
    return 0;
}

int net_progress(struct net *net)
{
    (void)net;
    return 0;
}

void awaited_register(enum awaited_kind kind, awaited_explainer *explain)
{
    (void)kind, (void)explain;
}

void holdings_register(holdings_teller *tell)
{
    (void)tell;
}

// Only what this plays comes; what is waited for must be true then.
static void (*comes_meanwhile)(void);

int message_wait(bool (*done)(void *argument), void *argument, wait_explainer *explain)
{
    (void)explain;
    if (comes_meanwhile != NULL)
        comes_meanwhile();
    CHECK(done(argument));
    return 0;
}
