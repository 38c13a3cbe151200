// SPDX-License-Identifier: BSD-3-Clause
// Registered memory: regions that peers reach, and local memory of an access where the
// provider wants that registered too.

#include "net/network.h"

#include <stdlib.h>
#include <string.h>

// Keys are random where we may choose them, or hashes under the job's secret, so that no
// stranger can guess one. A provider that chooses them itself need not have room for ours.
static uint64_t choose_key(const struct net *net, uint64_t common)
{
    size_t bytes = net->info->domain_attr->mr_key_size;
    uint64_t key =
        common > 0 ? keyed_hash(&net->secret, common, "key", 3) : random_bits();
    if (bytes == 0)
        return 0;
    return bytes < 8 ? key >> (64 - 8 * bytes) : key;
}

static int bind_to_endpoint(struct net *net, struct fid_mr *registration)
{
    if (!(net->info->domain_attr->mr_mode & FI_MR_ENDPOINT))
        return 0;
    int code = fi_mr_bind(registration, &net->endpoint->fid, 0);
    return code ? code : fi_mr_enable(registration);
}

int region_register(struct net *net, const void *memory, size_t bytes, uint64_t access,
                    uint64_t common, struct fid_mr **registration)
{
    uint64_t start = clock_nanoseconds();
    int code = -FI_ENOKEY;
    for (int try = 0; try < 8 && code == -FI_ENOKEY; try++) // the key may be in use
        code = fi_mr_reg(net->domain, memory, bytes, access, 0,
                         choose_key(net, try == 0 ? common : 0), 0, registration, NULL);
    if (code)
        return -code;
    code = bind_to_endpoint(net, *registration);
    if (code)
        fi_close(&(*registration)->fid);
    else if (event_is_wanted(EVENT_MEMORY_REGISTERED))
        event_raise(
            EVENT_MEMORY_REGISTERED,
            (MPI_Count[]){(MPI_Count)bytes, (MPI_Count)(clock_nanoseconds() - start)});
    return -code;
}

int net_register(struct net *net, void *memory, size_t bytes, uint64_t common,
                 struct net_region *result)
{
    *result = (struct net_region){0};
    if (bytes == 0)
        return 0; // no access to it passes the origin's check of its range
    struct open_region *region = calloc(1, sizeof *region);
    if (!region)
        return fail(MPI_ERR_NO_MEM, "no memory to describe a region of %zu bytes",
                    bytes);
    int code = region_register(net, memory, bytes,
                               FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE,
                               common, &region->registration);
    if (code) {
        free(region);
        return net_fail(code, "registering memory for remote access");
    }
    region->memory = memory;
    region->bytes = bytes;
    region->next = net->regions;
    net->regions = region;
    bool by_address = net->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
    *result = (struct net_region){
        .remote = {.key = fi_mr_key(region->registration),
                   .address = by_address ? (uint64_t)(uintptr_t)memory : 0},
        .handle = region,
    };
    return 0;
}

void region_drop(struct net *net, struct open_region *region)
{
    struct open_region **link = &net->regions;
    while (*link != region)
        link = &(*link)->next;
    *link = region->next;
    int code = fi_close(&region->registration->fid);
    if (code)
        log_verbose("closing a network region: %s", fi_strerror(-code));
    free(region);
}

void net_deregister(struct net *net, struct net_region *region)
{
    if (region->handle)
        region_drop(net, region->handle);
    *region = (struct net_region){0};
}

// The memory that peers name so, or NULL: it is not registered.
static const char *region_memory(const struct net *net, const struct net_remote *remote,
                                 size_t bytes)
{
    bool by_address = net->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
    struct open_region *region = net->regions;
    while (region != NULL && fi_mr_key(region->registration) != remote->key)
        region = region->next;
    if (region == NULL)
        return NULL;
    uint64_t begin = by_address ? (uintptr_t)region->memory : 0;
    uint64_t offset = remote->address - begin;
    bool is_inside = offset <= region->bytes && bytes <= region->bytes - offset;
    return is_inside ? region->memory + offset : NULL;
}

void net_touch(const struct net *net, const struct net_remote *memory, size_t bytes)
{
    const char *at = region_memory(net, memory, bytes);
    size_t page = page_bytes();
    for (size_t done = 0; at != NULL && done < bytes;
         done += page - (uintptr_t)(at + done) % page)
        __atomic_load_n(at + done, __ATOMIC_RELAXED);
}

static void *descriptor_of(struct net *net, const char *memory, size_t bytes)
{
    for (struct open_region *region = net->regions; region; region = region->next) {
        size_t offset = (size_t)(memory - region->memory);
        if (offset < region->bytes && bytes <= region->bytes - offset)
            return fi_mr_desc(region->registration);
    }
    return NULL;
}

static int access_bounce(struct net *net, struct net_operation *access)
{
    access->bounce = pool_take(&net->sends);
    if (!access->bounce)
        return FI_EAGAIN;
    access->memory = access->bounce->buffer;
    access->descriptor = net->buffers_descriptor;
    if (access->kind == WRITING)
        memcpy(access->memory, access->local, access->bytes);
    return 0;
}

// Memory in an open region is registered already; little is copied; the rest is
// registered for this one access, since no event tells when memory is unmapped.
int local_prepare(struct net *net, struct net_operation *access)
{
    access->memory = access->local;
    access->descriptor = NULL;
    access->bounce = NULL;
    access->registration = NULL;
    if (!net->must_register)
        return 0;
    access->descriptor = descriptor_of(net, access->local, access->bytes);
    if (access->descriptor)
        return 0;
    if (access->bytes <= net->message_max)
        return access_bounce(net, access);
    int code = region_register(net, access->local, access->bytes, FI_READ | FI_WRITE, 0,
                               &access->registration);
    if (!code)
        access->descriptor = fi_mr_desc(access->registration);
    return code;
}

void local_finish(struct net *net, struct net_operation *access, bool is_ok)
{
    if (access->bounce) {
        if (access->kind == READING && is_ok)
            memcpy(access->local, access->memory, access->bytes);
        pool_give(&net->sends, access->bounce);
    }
    if (access->registration)
        fi_close(&access->registration->fid);
}
