// SPDX-License-Identifier: BSD-3-Clause
// Remote writes and reads: split into parts that the provider takes, each completed
// when its data is in place.

#include "net/private.h"

// Everything that one part needs.
struct part {
    enum operation_kind kind;
    int rank;
    struct local local;
    struct net_place target;
};

static ssize_t post(struct net *net, struct operation *access, const struct part *part)
{
    struct iovec local = {part->local.memory, part->local.bytes};
    void *descriptor = part->local.descriptor;
    struct fi_rma_iov remote = {part->target.address, part->local.bytes,
                                part->target.key};
    struct fi_msg_rma message = {
        .msg_iov = &local,
        .desc = &descriptor,
        .iov_count = 1,
        .addr = net->peers[part->rank].address,
        .rma_iov = &remote,
        .rma_iov_count = 1,
        .context = access,
    };
    // Never fi_inject_write: its completion says nothing about the target.
    return part->kind == WRITING ? fi_writemsg(net->endpoint, &message,
                                               FI_DELIVERY_COMPLETE | FI_COMPLETION)
                                 : fi_readmsg(net->endpoint, &message, FI_COMPLETION);
}

// One try: 0, -FI_EAGAIN when the network is busy, or another libfabric code.
static ssize_t try_part(struct net *net, struct part part, struct net_counter *counter)
{
    struct operation *access = pool_take(&net->accesses);
    if (!access)
        return -FI_EAGAIN;
    access->kind = part.kind;
    access->rank = part.rank;
    access->bytes = part.local.bytes;
    access->counter = counter;
    ssize_t code = -local_prepare(net, access, &part.local);
    if (!code) {
        code = post(net, access, &part);
        if (!code)
            return 0;
        local_finish(net, access, false);
    }
    pool_give(&net->accesses, access);
    return code;
}

static int start_part(struct net *net, const struct part *part,
                      struct net_counter *counter, bool *started)
{
    struct net_peer *peer = &net->peers[part->rank];
    *started = false;
    ssize_t code = peer->error ? -FI_EAGAIN : try_part(net, *part, counter);
    if (unlikely(code == -FI_EAGAIN))
        return net_still_trying(net, part->rank);
    if (code)
        return net_fail_peer(net, part->rank, (int)-code,
                             part->kind == WRITING ? "a write to" : "a read from");
    *started = peer->is_reached = true;
    net_counter_issue(counter);
    if (counter->total != NULL)
        net_counter_issue(counter->total);
    return 0;
}

int net_access(struct net *net, struct net_access *access)
{
    struct part part = {.kind = access->is_write ? WRITING : READING,
                        .rank = access->rank};
    while (access->bytes > 0) {
        size_t bytes = access->bytes < net->part_max ? access->bytes : net->part_max;
        bool started;
        part.local = (struct local){.memory = access->local, .bytes = bytes};
        part.target = access->target;
        int err = start_part(net, &part, access->counter, &started);
        if (err || !started)
            return err;
        access->local = (char *)access->local + bytes;
        access->bytes -= bytes;
        access->target.address += bytes;
        count_alone(access->is_write ? COUNTER_NETWORK_WRITE_BYTES
                                     : COUNTER_NETWORK_READ_BYTES,
                    bytes);
    }
    count_alone(access->is_write ? COUNTER_NETWORK_WRITES : COUNTER_NETWORK_READS, 1);
    return 0;
}
