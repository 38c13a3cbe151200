// SPDX-License-Identifier: BSD-3-Clause
// providers_that_want_registration_get_it: Oriel works with networks of all modes of
// memory registration, among them those of networks that this machine has not. A fake
// provider stands before the real one: it asks for a mode, breaks if it does not get
// what the mode demands, and counts what it gets.
#include "net_pair.h"

enum { BYTES = 200000, MAX_REGIONS = 64 };

static int modes;    // FI_MR_*: what the fake demands
static bool is_poor; // it takes no keys of users, and nobody can sleep on its queues
static unsigned char exposed[BYTES],
    local[2 * BYTES]; // at one address in both processes

// ---- memory regions of the fake ------------------------------------------------------

// Its handle is the descriptor that the user must hand over with local memory.
struct region {
    struct fid_mr mr;
    struct fid_mr *real;
    const char *memory;
    size_t bytes;
    const struct fid *endpoint; // FI_MR_ENDPOINT: bound to
    bool is_open, is_enabled;
};

static struct {
    struct region regions[MAX_REGIONS];
    struct fi_ops queue_fid_ops;
    const struct fi_ops *real_queue_fid;
    int open_queues;
    size_t key_size; // of the real one
    struct fi_ops_fabric fabric_ops;
    struct fi_ops_domain domain_ops;
    struct fi_ops_mr mr_ops;
    struct fi_ops_rma rma_ops;
    struct fi_ops_msg msg_ops;
    const struct fi_ops_fabric *real_fabric;
    const struct fi_ops_domain *real_domain;
    const struct fi_ops_mr *real_mr;
    const struct fi_ops_rma *real_rma;
    const struct fi_ops_msg *real_msg;
    const struct fid *endpoint;
    uint64_t next_key;
    unsigned bound, checked; // regions, buffers
} fake;

static int close_region(struct fid *object)
{
    struct region *region = (struct region *)object;
    CHECK(region->is_open);
    region->is_open = false;
    return fi_close(&region->real->fid);
}

static int bind_region(struct fid *object, struct fid *to, uint64_t flags)
{
    struct region *region = (struct region *)object;
    CHECK((modes & FI_MR_ENDPOINT) && to == fake.endpoint && flags == 0);
    region->endpoint = to;
    fake.bound++;
    return 0;
}

static int control_region(struct fid *object, int command, void *argument)
{
    struct region *region = (struct region *)object;
    CHECK(command == FI_ENABLE && argument == NULL && region->endpoint != NULL);
    region->is_enabled = true;
    region->mr.key = fi_mr_key(region->real);
    return 0;
}

static int make_region(struct fid *domain, const void *memory, size_t bytes,
                       uint64_t access, uint64_t offset, uint64_t key, uint64_t flags,
                       struct fid_mr **mr, void *context)
{
    static struct fi_ops ops = {.size = sizeof ops,
                                .close = close_region,
                                .bind = bind_region,
                                .control = control_region};
    struct region *region = fake.regions;
    while (region->is_open)
        CHECK(++region < fake.regions + MAX_REGIONS);
    CHECK(!is_poor || key == 0);
    if (modes & FI_MR_PROV_KEY) // whatever the user wishes
        key = ++fake.next_key;
    *region = (struct region){.memory = memory, .bytes = bytes, .is_open = true};
    int code = fake.real_mr->reg(domain, memory, bytes, access, offset, key, flags,
                                 &region->real, context);
    if (code)
        return code;
    region->is_enabled = !(modes & FI_MR_ENDPOINT);
    region->mr.fid = (struct fid){.fclass = FI_CLASS_MR, .ops = &ops};
    region->mr.mem_desc = region;
    region->mr.key = region->is_enabled ? fi_mr_key(region->real) : FI_KEY_NOTAVAIL;
    *mr = &region->mr;
    return 0;
}

// The real descriptor of local memory that the user hands over with ours.
static void *check_local(const void *memory, size_t bytes, void *descriptor)
{
    const struct region *region = descriptor;
    if (!(modes & FI_MR_LOCAL))
        return NULL;
    CHECK(region != NULL && region->is_open && region->is_enabled);
    size_t offset = (size_t)((const char *)memory - region->memory);
    CHECK(offset <= region->bytes && bytes <= region->bytes - offset);
    fake.checked++;
    return fi_mr_desc(region->real);
}

// ---- the objects on the way there ----------------------------------------------------

static ssize_t
access_by(ssize_t (*real)(struct fid_ep *, const struct fi_msg_rma *, uint64_t),
          struct fid_ep *endpoint, const struct fi_msg_rma *message, uint64_t flags)
{
    struct fi_msg_rma passed = *message;
    struct fi_rma_iov target = *message->rma_iov;
    CHECK(message->iov_count == 1 && message->rma_iov_count == 1);
    if (modes & FI_MR_VIRT_ADDR) // the real one counts from the region's begin
        target.addr -= (uintptr_t)exposed;
    passed.rma_iov = &target;
    void *descriptor = check_local(message->msg_iov->iov_base,
                                   message->msg_iov->iov_len, message->desc[0]);
    passed.desc = &descriptor;
    return real(endpoint, &passed, flags);
}

static ssize_t write_message(struct fid_ep *endpoint, const struct fi_msg_rma *message,
                             uint64_t flags)
{
    return access_by(fake.real_rma->writemsg, endpoint, message, flags);
}

static ssize_t read_message(struct fid_ep *endpoint, const struct fi_msg_rma *message,
                            uint64_t flags)
{
    return access_by(fake.real_rma->readmsg, endpoint, message, flags);
}

static ssize_t send_message(struct fid_ep *endpoint, const void *memory, size_t bytes,
                            void *descriptor, fi_addr_t to, void *context)
{
    return fake.real_msg->send(endpoint, memory, bytes,
                               check_local(memory, bytes, descriptor), to, context);
}

static ssize_t receive_message(struct fid_ep *endpoint, void *memory, size_t bytes,
                               void *descriptor, fi_addr_t from, void *context)
{
    return fake.real_msg->recv(endpoint, memory, bytes,
                               check_local(memory, bytes, descriptor), from, context);
}

static int refuse_control(struct fid *object, int command, void *argument)
{
    (void)object, (void)argument;
    CHECK(command == FI_GETWAIT);
    return -FI_ENOSYS;
}

static int close_queue(struct fid *object)
{
    fake.open_queues--;
    return fake.real_queue_fid->close(object);
}

static int open_queue(struct fid_domain *domain, struct fi_cq_attr *attributes,
                      struct fid_cq **queue, void *context)
{
    int code = fake.real_domain->cq_open(domain, attributes, queue, context);
    CHECK(code == 0 && ++fake.open_queues == 1);
    fake.real_queue_fid = (*queue)->fid.ops;
    fake.queue_fid_ops = *(*queue)->fid.ops;
    fake.queue_fid_ops.close = close_queue;
    if (is_poor)
        fake.queue_fid_ops.control = refuse_control;
    (*queue)->fid.ops = &fake.queue_fid_ops;
    return 0;
}

static int open_endpoint(struct fid_domain *domain, struct fi_info *info,
                         struct fid_ep **endpoint, void *context)
{
    info->domain_attr->mr_mode &= ~modes;
    int code = fake.real_domain->endpoint(domain, info, endpoint, context);
    info->domain_attr->mr_mode |= modes;
    CHECK(code == 0);
    fake.endpoint = &(*endpoint)->fid;
    fake.real_rma = (*endpoint)->rma;
    fake.rma_ops = *(*endpoint)->rma;
    fake.rma_ops.writemsg = write_message;
    fake.rma_ops.readmsg = read_message;
    (*endpoint)->rma = &fake.rma_ops;
    fake.real_msg = (*endpoint)->msg;
    fake.msg_ops = *(*endpoint)->msg;
    fake.msg_ops.send = send_message;
    fake.msg_ops.recv = receive_message;
    (*endpoint)->msg = &fake.msg_ops;
    return 0;
}

static int open_domain(struct fid_fabric *fabric, struct fi_info *info,
                       struct fid_domain **domain, void *context)
{
    size_t key_size = info->domain_attr->mr_key_size;
    info->domain_attr->mr_mode &= ~modes; // the real one does not hear of them
    info->domain_attr->mr_key_size = fake.key_size;
    int code = fake.real_fabric->domain(fabric, info, domain, context);
    info->domain_attr->mr_mode |= modes;
    info->domain_attr->mr_key_size = key_size;
    CHECK(code == 0);
    fake.real_domain = (*domain)->ops;
    fake.domain_ops = *(*domain)->ops;
    fake.domain_ops.endpoint = open_endpoint;
    fake.domain_ops.cq_open = open_queue;
    (*domain)->ops = &fake.domain_ops;
    fake.real_mr = (*domain)->mr;
    fake.mr_ops = *(*domain)->mr;
    fake.mr_ops.reg = make_region;
    (*domain)->mr = &fake.mr_ops;
    return 0;
}

// By the linker's --wrap, Oriel calls these.
int __real_fi_fabric(struct fi_fabric_attr *, struct fid_fabric **, void *);
int __wrap_fi_fabric(struct fi_fabric_attr *, struct fid_fabric **, void *);
int __real_fi_getinfo(uint32_t, const char *, const char *, uint64_t,
                      const struct fi_info *, struct fi_info **);
int __wrap_fi_getinfo(uint32_t, const char *, const char *, uint64_t,
                      const struct fi_info *, struct fi_info **);

int __wrap_fi_fabric(struct fi_fabric_attr *attributes, struct fid_fabric **fabric,
                     void *context)
{
    int code = __real_fi_fabric(attributes, fabric, context);
    CHECK(code == 0);
    fake.real_fabric = (*fabric)->ops;
    fake.fabric_ops = *(*fabric)->ops;
    fake.fabric_ops.domain = open_domain;
    (*fabric)->ops = &fake.fabric_ops;
    return 0;
}

int __wrap_fi_getinfo(uint32_t version, const char *node, const char *service,
                      uint64_t flags, const struct fi_info *hints,
                      struct fi_info **offers)
{
    CHECK((hints->domain_attr->mr_mode & modes) == modes); // the user knows them all
    int code = __real_fi_getinfo(version, node, service, flags, hints, offers);
    for (struct fi_info *info = *offers; info != NULL; info = info->next) {
        info->domain_attr->mr_mode |= modes;
        fake.key_size = info->domain_attr->mr_key_size;
        if (is_poor)
            info->domain_attr->mr_key_size = 0;
    }
    return code;
}

// ---- the tests -------------------------------------------------------------------------

static size_t received;

static bool receive(const void *message, size_t bytes)
{
    CHECK(is_filled(message, bytes, 7));
    received += bytes;
    return true;
}

static void exchange_messages(struct pair *pair)
{
    const size_t sizes[] = {1, 100, 1000, 8000, net_message_max(pair->net)};
    size_t expected = 0;
    received = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bool sent = false;
        fill(local, sizes[i], 7);
        while (!sent) {
            CHECK(net_send(pair->net, pair->peer, local, sizes[i], &sent) == 0);
            net_poll(pair->net);
        }
        expected += sizes[i];
    }
    while (received < expected)
        net_poll(pair->net);
}

static void write_and_read(struct pair *pair, struct net_remote target)
{
    static const size_t sizes[] = {1, 8, 3000, NET_MESSAGE_MAX, 100000, BYTES - 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct net_counter counter = {0};
        struct net_remote place = {target.key, target.address + i};
        unsigned char *back = local + BYTES;
        fill(local, sizes[i], (unsigned)i);
        memset(back, 0, sizes[i]);
        CHECK(access_all(pair->net, true, local, sizes[i], place, &counter) == 0);
        CHECK(wait_for(pair->net, &counter) == 0);
        CHECK(access_all(pair->net, false, back, sizes[i], place, &counter) == 0);
        CHECK(wait_for(pair->net, &counter) == 0);
        CHECK(is_filled(back, sizes[i], (unsigned)i));
    }
}

static int open_regions(void)
{
    int count = 0;
    for (int i = 0; i < MAX_REGIONS; i++)
        count += fake.regions[i].is_open;
    return count;
}

static int try_modes(int tried, bool is_tried_poor)
{
    modes = tried;
    is_poor = is_tried_poor;
    memset(&fake, 0, sizeof fake);
    struct pair pair = pair_open(receive);
    CHECK((net_descriptor(pair.net) < 0) == is_poor);
    int buffers = modes & FI_MR_LOCAL ? 1 : 0;
    CHECK(open_regions() == buffers);
    struct net_region region;
    CHECK(net_register(pair.net, exposed, BYTES, 0, &region) == 0);
    CHECK(region.remote.key != FI_KEY_NOTAVAIL);
    CHECK(!(modes & FI_MR_PROV_KEY) || region.remote.key == fake.next_key);
    CHECK(region.remote.address == (modes & FI_MR_VIRT_ADDR ? (uintptr_t)exposed : 0));
    struct net_remote own = region.remote, target;
    tell(&pair, &own, sizeof own);
    hear(&pair, &target, sizeof target);
    exchange_messages(&pair);
    if (pair.rank == 0)
        write_and_read(&pair, target);
    meet(&pair);
    CHECK((fake.bound > 0) == ((modes & FI_MR_ENDPOINT) != 0));
    CHECK((fake.checked > 0) == ((modes & FI_MR_LOCAL) != 0));
    net_deregister(pair.net, &region);
    CHECK(open_regions() == buffers); // each that was made for an access is closed
    return pair_close(&pair) != 0 || open_regions() != 0 || fake.open_queues != 0;
}

int main(void)
{
    static const int combinations[] = {
        0,
        FI_MR_LOCAL,
        FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY, // as verbs' remote side
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
        FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY, // as cxi
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
            FI_MR_ENDPOINT,
    };
    // The networks that it stands for have endpoints that lead to all peers.
    snprintf(process.options.provider, sizeof process.options.provider, "tcp;ofi_rxm");
    for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++)
        if (try_modes(combinations[i], false) != 0)
            return 1;
    return try_modes(FI_MR_ALLOCATED | FI_MR_PROV_KEY, true);
}
