// SPDX-License-Identifier: BSD-3-Clause
// Memory that virtual processes share or reach over the network.
#include "virtual.h"

#include <string.h>

// ---- net -------------------------------------------------------------------------------
// The network finds memory by a key that the library chooses, as over TCP, or by one of
// its own.
struct played_region {
    uint64_t key;
    char *memory;
    struct played_region *next;
};

int net_register(struct net *net, void *memory, size_t bytes, uint64_t common,
                 struct net_region *region)
{
    static uint64_t keys = (uint64_t)1 << 63;
    bool has_own = world.machine->network_keys;
    (void)net, (void)bytes;
    struct played_region *played = must(__real_calloc(1, sizeof *played));
    played->key = common > 0 && !has_own ? common : keys++;
    played->memory = has_own ? NULL : memory; // where offsets begin
    played->next = world.current->regions;
    world.current->regions = played;
    *region =
        (struct net_region){{played->key, has_own ? (uintptr_t)memory : 0}, played};
    return 0;
}

void net_deregister(struct net *net, struct net_region *region)
{
    struct played_region **at = &world.current->regions, *played = region->handle;
    (void)net;
    while (*at != played)
        at = &(*at)->next;
    *at = played->next;
    __real_free(played);
    *region = (struct net_region){.handle = NULL};
}

static char *remote_memory(const struct net_access *access)
{
    const struct played_region *region = world.all[access->rank].regions;
    while (region != NULL && region->key != access->target.key)
        region = region->next;
    if (region == NULL)
        die("an access to memory that is not registered");
    return (char *)((uintptr_t)region->memory + access->target.address);
}

int net_access_queued(struct net *net, const struct net_access *access)
{
    (void)net;
    const struct cost *cost = &world.machine->network;
    struct usage *usage = &world.current->usage;
    char *remote = remote_memory(access);
    memcpy(access->is_write ? remote : access->local,
           access->is_write ? access->local : remote, access->bytes);
    usage->clock += cost->overhead + (uint64_t)(cost->byte * (double)access->bytes);
    usage->accesses++;
    net_counter_issue(access->counter);
    struct mail *done = mail_make(ACCESS_DONE, sizeof access->counter,
                                  usage->clock + 2 * cost->latency);
    memcpy(done->data, &access->counter, sizeof access->counter);
    mail_deliver(done, world.current->boot.rank);
    return 0;
}

int net_access(struct net *net, struct net_access *access)
{
    if (!net_reaches(access->rank))
        return 0;
    int err = net_access_queued(net, access);
    access->bytes = 0; // that are left
    return err;
}

void net_access_withdraw(struct net *net, const struct net_counter *counter)
{
    (void)net, (void)counter; // nothing waits
}

int net_progress(struct net *net)
{
    (void)net;
    return message_poll();
}

bool net_has_cheap_access(const struct net *net)
{
    (void)net;
    return true;
}

// ---- shm -------------------------------------------------------------------------------
// In front of the memory.
struct allocation {
    size_t bytes;
    int meetings; // of all, before
};

int shm_alloc(struct shm *shm, size_t bytes, size_t alignment, void **memory)
{
    size_t *used = &world.used[world.current->boot.node];
    size_t unit = alignment > CACHE_LINE ? alignment : CACHE_LINE;
    size_t place = (*used + CACHE_LINE + unit - 1) / unit * unit;
    if (place + bytes > NODE_BYTES)
        return fail(MPI_ERR_NO_MEM, "the segment of a node is full");
    struct allocation allocation = {bytes, world.meetings};
    memcpy(shm->base + place - CACHE_LINE, &allocation, sizeof allocation);
    *used = place + bytes;
    *memory = shm->base + place;
    world.current->usage.node_memory += (int64_t)bytes;
    return 0;
}

void shm_free(struct shm *shm, void *memory)
{
    struct allocation allocation;
    (void)shm;
    if (memory == NULL)
        return;
    memcpy(&allocation, (char *)memory - CACHE_LINE, sizeof allocation);
    if (allocation.meetings == world.meetings)
        world.current->usage.node_memory -= (int64_t)allocation.bytes;
    drop_pages(memory, allocation.bytes);
}

size_t shm_allocated(struct shm *shm, const void *memory)
{
    (void)shm, (void)memory;
    return 0;
}

static int copy_memory(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    double time = world.machine->node.byte * (double)bytes;
    world.current->usage.clock += world.machine->node.overhead + (uint64_t)time;
    return 0;
}

int shm_copy_to(struct shm *shm, int node_rank, uint64_t remote, const void *local,
                size_t bytes)
{
    (void)shm, (void)node_rank;
    return copy_memory((void *)(uintptr_t)remote, local, bytes);
}

int shm_copy_from(struct shm *shm, int node_rank, void *local, uint64_t remote,
                  size_t bytes)
{
    (void)shm, (void)node_rank;
    return copy_memory(local, (void *)(uintptr_t)remote, bytes);
}

bool shm_can_copy(const struct shm *shm)
{
    (void)shm;
    return true;
}

bool shm_is_alive(const struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    return true;
}

void shm_open_memory(struct shm *shm)
{
    (void)shm;
}

void shm_ring(struct shm *shm, int node_rank)
{
    struct virtual *peer = &world.all[world.current->boot.first + node_rank];
    (void)shm;
    if (peer->held != NULL)
        ready_at(peer, world.current->usage.clock + world.machine->line);
}

void shm_rouse(struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
}

bool shm_is_computing(const struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    return false;
}

enum shm_wait shm_wait_of(const struct shm *shm, int node_rank)
{
    (void)shm, (void)node_rank;
    return SHM_WAIT_NONE;
}

long shm_threads(void)
{
    return 1;
}

struct presence no_presence;
_Thread_local struct presence *presence_own = &no_presence;

void shm_make_presence(struct shm *shm)
{
    (void)shm;
}

bool shm_can_await_leaves(const struct shm *shm)
{
    (void)shm;
    return false;
}

void shm_await_leaves(const struct shm *shm, const void *object)
{
    (void)shm, (void)object;
}

static int copy_spans(struct iovec *to, struct iovec *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        copy_memory(to[i].iov_base, from[i].iov_base, to[i].iov_len);
    return 0;
}

int shm_copy_spans_to(struct shm *shm, int node_rank, struct iovec *remote,
                      struct iovec *local, size_t count)
{
    (void)shm, (void)node_rank;
    return copy_spans(remote, local, count);
}

int shm_copy_spans_from(struct shm *shm, int node_rank, struct iovec *local,
                        struct iovec *remote, size_t count)
{
    (void)shm, (void)node_rank;
    return copy_spans(local, remote, count);
}

bool shm_joint_work(struct shm *shm, const struct joint_side *side)
{
    (void)shm, (void)side;
    die("there are no joint copies");
}

bool shm_has_shared(const struct shm *shm, const void *memory, size_t bytes)
{
    (void)shm, (void)memory, (void)bytes;
    return false;
}

int shm_share(struct shm *shm, const void *memory, size_t bytes,
              struct shared_pages *shared)
{
    (void)shm, (void)memory, (void)bytes, (void)shared;
    return fail(MPI_ERR_OTHER, "pages of virtual processes are not shared");
}

void shm_unshare(struct shm *shm, const struct shared_pages *shared)
{
    (void)shm, (void)shared;
}

void shm_unshare_in_child(const struct shm *shm)
{
    (void)shm;
}
