// SPDX-License-Identifier: BSD-3-Clause
// The objects of libfabric's interface, and the functions that libfabric exports.
#include "provider.h"

#include <stdlib.h>
#include <string.h>

struct provider provider;

static int close_nothing(struct fid *object)
{
    (void)object;
    return 0;
}

// ---- memory regions ---------------------------------------------------------------

static int region_close(struct fid *object)
{
    ((struct region *)object)->key = 0;
    return 0;
}

static int region_bind(struct fid *object, struct fid *endpoint, uint64_t flags)
{
    (void)object, (void)flags;
    return endpoint == &provider.endpoint.fid ? 0 : -FI_EINVAL;
}

static void region_enable(struct region *region)
{
    region->is_enabled = true;
    region->mr.key = region->key;
}

static int region_control(struct fid *object, int command, void *argument)
{
    (void)argument;
    if (command != FI_ENABLE)
        return -FI_ENOSYS;
    region_enable((struct region *)object);
    return 0;
}

static struct fi_ops region_ops = {.size = sizeof region_ops,
                                   .close = region_close,
                                   .bind = region_bind,
                                   .control = region_control};

// Its place in the table is the upper half of its key. Keys are the provider's, also
// where the user may wish for one.
static int region_open(struct fid *domain, const void *memory, size_t bytes,
                       uint64_t access, uint64_t offset, uint64_t key, uint64_t flags,
                       struct fid_mr **mr, void *context)
{
    (void)domain, (void)offset, (void)key, (void)flags;
    size_t place = 0;
    while (place < REGIONS && provider.regions[place].key != 0)
        place++;
    if (place == REGIONS)
        return -FI_ENOSPC;
    struct region *region = &provider.regions[place];
    *region = (struct region){
        .rights = access,
        .base = provider.modes & FI_MR_VIRT_ADDR ? (uintptr_t)memory : 0,
        .memory = (char *)(uintptr_t)memory,
        .bytes = bytes};
    region->key = (uint64_t)place << 32 | (++provider.next_key & 0xffffffff);
    region->mr.fid =
        (struct fid){.fclass = FI_CLASS_MR, .context = context, .ops = &region_ops};
    region->mr.mem_desc = region;
    region->mr.key = FI_KEY_NOTAVAIL;
    if (!(provider.modes & FI_MR_ENDPOINT))
        region_enable(region);
    *mr = &region->mr;
    return 0;
}

static struct fi_ops_mr registration_ops = {.size = sizeof registration_ops,
                                            .reg = region_open};

// ---- addresses --------------------------------------------------------------------

static int addresses_insert(struct fid_av *addresses, const void *names, size_t count,
                            fi_addr_t *inserted, uint64_t flags, void *context)
{
    (void)addresses, (void)flags, (void)context;
    const struct name *name = names;
    for (size_t i = 0; i < count; i++) {
        if (provider.peer_count == PEERS)
            return (int)i;
        inserted[i] = provider.peer_count;
        provider.peers[provider.peer_count++] = name[i];
    }
    return (int)count;
}

static struct fi_ops plain_ops = {.size = sizeof plain_ops, .close = close_nothing};
static struct fi_ops_av address_ops = {.size = sizeof address_ops,
                                       .insert = addresses_insert};

static int addresses_open(struct fid_domain *domain, struct fi_av_attr *attributes,
                          struct fid_av **addresses, void *context)
{
    (void)domain, (void)attributes;
    provider.addresses = (struct fid_av){
        .fid = {.fclass = FI_CLASS_AV, .context = context, .ops = &plain_ops},
        .ops = &address_ops};
    *addresses = &provider.addresses;
    return 0;
}

// ---- the completion queue ---------------------------------------------------------

static int queue_control(struct fid *object, int command, void *argument)
{
    (void)object;
    if (command != FI_GETWAIT)
        return -FI_ENOSYS;
    *(int *)argument = provider.socket;
    return 0;
}

static struct fi_ops queue_fid_ops = {
    .size = sizeof queue_fid_ops, .close = close_nothing, .control = queue_control};

static int queue_open(struct fid_domain *domain, struct fi_cq_attr *attributes,
                      struct fid_cq **queue, void *context)
{
    (void)domain;
    if (attributes->format != FI_CQ_FORMAT_MSG)
        return -FI_ENOSYS;
    provider.completion_queue = (struct fid_cq){
        .fid = {.fclass = FI_CLASS_CQ, .context = context, .ops = &queue_fid_ops},
        .ops = &queue_ops};
    *queue = &provider.completion_queue;
    return 0;
}

// ---- the endpoint -----------------------------------------------------------------

static int endpoint_bind(struct fid *object, struct fid *to, uint64_t flags)
{
    (void)object, (void)to, (void)flags;
    return 0;
}

static int endpoint_control(struct fid *object, int command, void *argument)
{
    (void)object, (void)argument;
    return command == FI_ENABLE ? 0 : -FI_ENOSYS;
}

static int endpoint_name(struct fid *object, void *address, size_t *bytes)
{
    (void)object;
    if (*bytes < sizeof provider.own)
        return -FI_ETOOSMALL;
    memcpy(address, &provider.own, sizeof provider.own);
    *bytes = sizeof provider.own;
    return 0;
}

static struct fi_ops endpoint_fid_ops = {.size = sizeof endpoint_fid_ops,
                                         .close = close_nothing,
                                         .bind = endpoint_bind,
                                         .control = endpoint_control};
static struct fi_ops_cm name_ops = {.size = sizeof name_ops, .getname = endpoint_name};

static int endpoint_open(struct fid_domain *domain, struct fi_info *info,
                         struct fid_ep **endpoint, void *context)
{
    (void)domain, (void)info;
    provider.endpoint = (struct fid_ep){
        .fid = {.fclass = FI_CLASS_EP, .context = context, .ops = &endpoint_fid_ops},
        .cm = &name_ops,
        .msg = &message_ops,
        .rma = &access_ops};
    *endpoint = &provider.endpoint;
    return 0;
}

// ---- domain and fabric ------------------------------------------------------------

static int domain_close(struct fid *object)
{
    (void)object;
    traffic_close();
    return 0;
}

static struct fi_ops domain_fid_ops = {.size = sizeof domain_fid_ops,
                                       .close = domain_close};
static struct fi_ops_domain domain_ops = {.size = sizeof domain_ops,
                                          .av_open = addresses_open,
                                          .cq_open = queue_open,
                                          .endpoint = endpoint_open};

static int domain_open(struct fid_fabric *fabric, struct fi_info *info,
                       struct fid_domain **domain, void *context)
{
    (void)fabric;
    provider.modes = (uint64_t)info->domain_attr->mr_mode;
    provider.domain = (struct fid_domain){
        .fid = {.fclass = FI_CLASS_DOMAIN, .context = context, .ops = &domain_fid_ops},
        .ops = &domain_ops,
        .mr = &registration_ops};
    *domain = &provider.domain;
    return traffic_open();
}

static int fabric_trywait(struct fid_fabric *fabric, struct fid **objects, int count)
{
    (void)fabric, (void)objects, (void)count;
    return traffic_is_idle() ? FI_SUCCESS : -FI_EAGAIN;
}

static struct fi_ops_fabric fabric_ops = {
    .size = sizeof fabric_ops, .domain = domain_open, .trywait = fabric_trywait};

// ---- exported functions -----------------------------------------------------------

struct description {
    struct fi_info info;
    struct fi_tx_attr sends;
    struct fi_rx_attr receives;
    struct fi_ep_attr endpoint;
    struct fi_domain_attr domain;
    struct fi_fabric_attr fabric;
};

static char *text_copy(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

struct fi_info *fi_dupinfo(const struct fi_info *info)
{
    struct description *copy = calloc(1, sizeof *copy);
    if (copy == NULL)
        return NULL;
    if (info != NULL)
        *copy = *(const struct description *)info;
    copy->info.next = NULL;
    copy->info.tx_attr = &copy->sends;
    copy->info.rx_attr = &copy->receives;
    copy->info.ep_attr = &copy->endpoint;
    copy->info.domain_attr = &copy->domain;
    copy->info.fabric_attr = &copy->fabric;
    copy->fabric.prov_name = text_copy(copy->fabric.prov_name);
    copy->domain.name = text_copy(copy->domain.name);
    return &copy->info;
}

void fi_freeinfo(struct fi_info *info)
{
    if (info == NULL)
        return;
    free(info->fabric_attr->prov_name);
    free(info->domain_attr->name);
    free(info);
}

static bool is_software(void)
{
    const char *played = getenv("FAKE_FABRIC");
    return played != NULL && strcmp(played, "software") == 0;
}

int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
               const struct fi_info *hints, struct fi_info **info)
{
    (void)version, (void)node, (void)service, (void)flags;
    char *name = is_software() ? "tcp" : "cxi", *wanted = hints->fabric_attr->prov_name;
    int modes = is_software() ? 0 : HARDWARE_MODES;
    if ((wanted != NULL && strcmp(wanted, name) != 0) ||
        (hints->domain_attr->mr_mode & modes) != modes)
        return -FI_ENODATA;
    struct description offer = {
        .info = {.caps = hints->caps, .addr_format = FI_FORMAT_UNSPEC},
        .sends = {.inject_size = INJECT_BYTES,
                  .size = ACCESSES,
                  .msg_order = FI_ORDER_SAS},
        .receives = {.size = RECEIVES, .msg_order = FI_ORDER_SAS},
        .endpoint = {.type = FI_EP_RDM, .max_msg_size = 1 << 30},
        .domain = {.mr_mode = modes, .mr_key_size = 8, .name = "fake"},
        .fabric = {.prov_name = name}};
    *info = fi_dupinfo(&offer.info);
    return *info != NULL ? 0 : -FI_ENOMEM;
}

int fi_fabric(struct fi_fabric_attr *attributes, struct fid_fabric **fabric,
              void *context)
{
    (void)attributes;
    const char *latency = getenv("FAKE_FABRIC_LATENCY");
    memset(&provider, 0, sizeof provider);
    provider.latency = latency != NULL ? strtoull(latency, NULL, 10) * 1000 : 0;
    provider.fabric = (struct fid_fabric){
        .fid = {.fclass = FI_CLASS_FABRIC, .context = context, .ops = &plain_ops},
        .ops = &fabric_ops};
    *fabric = &provider.fabric;
    return 0;
}

const char *fi_strerror(int code)
{
    return strerror(code);
}

void fake_fabric_counts(struct fabric_counts *counts)
{
    *counts = (struct fabric_counts){.messages = atomic_load(&provider.messages),
                                     .accesses = atomic_load(&provider.accesses_begun),
                                     .packets = atomic_load(&provider.packets),
                                     .bytes = atomic_load(&provider.bytes),
                                     .trips = atomic_load(&provider.trips)};
}

void fake_fabric_restart(void)
{
    atomic_store(&provider.messages, 0);
    atomic_store(&provider.accesses_begun, 0);
    atomic_store(&provider.packets, 0);
    atomic_store(&provider.bytes, 0);
    atomic_store(&provider.trips, 0);
}
