// SPDX-License-Identifier: BSD-3-Clause
// For tests of batches at their origin: a window with one target, on another node or a local
// peer, which the tests play with the kernel that copies to it.
#pragma once

#include "rma/batch.h"
#include "window_fakes.h"

#include <stdlib.h>

enum { TARGET = 5, IN_JOB = 50 };

static struct communicator comm = {.rank = 1};
static struct member member = {.handle = 77};
static struct peer_traffic traffic = {.replies_end = &traffic.replies,
                                      .batch_max =
                                          MESSAGE_MAX - sizeof(struct sync_head)};
static struct peer peer = {
    .rank = TARGET, .job_rank = IN_JOB, .member = &member, .traffic = &traffic};
static struct lock_record record; // a local peer has one
static struct window window = {.comm = &comm, .epoch.access = ACCESS_LOCK};
static char memory[2 * MESSAGE_MAX];

// The local peer, and what the kernel would have copied.
static enum shm_wait target_waits;
static bool stops_waiting; // with the first message
static bool target_computes;
static struct {
    int copies, roused; // the test sets them back
    int error;          // of copies without a batch
    size_t count, bytes;
    struct iovec remote[SPANS_MAX], local[SPANS_MAX];
} by_kernel;

enum shm_wait shm_wait_of(const struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    return stops_waiting && sent.count > 0 ? SHM_WAIT_NONE : target_waits;
}

bool shm_is_computing(const struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    return target_computes;
}

void shm_open_memory(struct shm *shm)
{
    (void)shm;
}

void shm_rouse(struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    by_kernel.roused++;
}

int shm_copy_spans_to(struct shm *shm, int node_rank, struct iovec *remote,
                      struct iovec *local, size_t count)
{
    (void)shm, (void)node_rank;
    by_kernel.copies++;
    by_kernel.count = count;
    by_kernel.bytes = 0;
    for (size_t i = 0; i < count; i++) {
        CHECK(remote[i].iov_len == local[i].iov_len);
        by_kernel.remote[i] = remote[i];
        by_kernel.local[i] = local[i];
        by_kernel.bytes += local[i].iov_len;
    }
    return 0;
}

int shm_copy_spans_from(struct shm *shm, int node_rank, struct iovec *local,
                        struct iovec *remote, size_t count)
{
    return shm_copy_spans_to(shm, node_rank, remote, local, count);
}

int shm_copy_from(struct shm *shm, int node_rank, void *local, uint64_t remote,
                  size_t bytes)
{
    struct iovec here = {local, bytes}, there = {(void *)(uintptr_t)remote, bytes};
    return by_kernel.error ? by_kernel.error
                           : shm_copy_spans_from(shm, node_rank, &here, &there, 1);
}

int shm_copy_to(struct shm *shm, int node_rank, uint64_t remote, const void *local,
                size_t bytes)
{
    return shm_copy_from(shm, node_rank, (void *)local, remote, bytes);
}

static void destroy(struct object *object)
{
    (void)object;
}

static void target_open(void)
{
    traffic.peer = &peer;
    peer.window = &window;
    object_init(&window.object, destroy);
    CHECK(object_open(&window.object, KIND_WIN) == 0);
}

static struct operation operation_of(enum operation_kind kind, uint64_t offset)
{
    return (struct operation){.kind = kind,
                              .origin = {.address = memory},
                              .window = &window,
                              .peer = &peer,
                              .offset = offset};
}

// Adds so many bytes, which are at the same offset at both ends.
static void add(enum operation_kind kind, size_t offset, size_t bytes)
{
    struct operation operation = operation_of(kind, 0);
    struct piece piece = {(MPI_Aint)offset, (MPI_Aint)offset, bytes};
    CHECK(batch_add_piece(&operation, &piece) == 0);
    CHECK(traffic_is_valid(&traffic));
}

static const struct rma_request *last_sent(int count)
{
    CHECK(sent.count == count && sent.rank == IN_JOB && sent.kind == MESSAGE_RMA);
    return (const void *)sent.data;
}

static void begin_local(enum shm_wait wait, bool stops)
{
    static int node_ranks[IN_JOB + 1];
    static struct boot boot = {.node_rank_of = node_ranks};
    process.boot = &boot;
    traffic.is_copied = true;
    peer.lock_record = &record;
    traffic.is_awaited_soon = false;
    target_waits = wait;
    stops_waiting = stops;
    sent.count = by_kernel.copies = by_kernel.roused = 0;
}

static void finish_put(size_t offset, size_t bytes)
{
    add(OPERATION_PUT, offset, bytes);
    struct operation operation = operation_of(OPERATION_PUT, offset);
    CHECK(batch_finish(&operation) == 0);
}

// The target answers all batches.
static void answer(void)
{
    while (traffic.batches > 0) {
        traffic.batches--;
        net_counter_complete(&traffic.counter, 0);
    }
    for (struct pending_reply *reply; (reply = traffic.replies) != NULL;) {
        traffic.replies = reply->next;
        free(reply);
    }
    traffic.replies_end = &traffic.replies;
}
