// SPDX-License-Identifier: BSD-3-Clause
// Remote writes and reads: split into parts that the provider takes, each completed
// when its data is in place.

#include "net/private.h"

#include <sched.h>

enum { SPINS = 1000 };

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
                      struct net_counter *counter)
{
    struct net_peer *peer = &net->peers[part->rank];
    int spins = 0;
    ssize_t code;
    while (likely(!peer->error) &&
           unlikely((code = try_part(net, *part, counter)) == -FI_EAGAIN)) {
        if (net_progress(net) > 0)
            spins = 0;
        else if (++spins > SPINS)
            sched_yield();
        int err = net_still_trying(net, part->rank);
        if (err)
            return err;
    }
    if (peer->error)
        return net_still_trying(net, part->rank);
    if (code)
        return net_fail_peer(net, part->rank, (int)-code,
                             part->kind == WRITING ? "a write to" : "a read from");
    peer->is_reached = true;
    net_counter_issue(counter);
    if (counter->total != NULL)
        net_counter_issue(counter->total);
    return 0;
}

static int start_access(struct net *net, struct part part, struct net_counter *counter)
{
    char *memory = part.local.memory;
    size_t bytes = part.local.bytes;
    for (size_t done = 0; done < bytes; done += part.local.bytes) {
        size_t rest = bytes - done;
        part.local.memory = memory + done;
        part.local.bytes = rest < net->part_max ? rest : net->part_max;
        int err = start_part(net, &part, counter);
        if (err)
            return err;
        part.target.address += part.local.bytes;
    }
    return 0;
}

int net_write(struct net *net, int rank, const void *local, size_t bytes,
              struct net_place target, struct net_counter *counter)
{
    struct part whole = {WRITING, rank, {(void *)local, bytes, NULL}, target};
    count_alone(COUNTER_NETWORK_WRITES, 1);
    count_alone(COUNTER_NETWORK_WRITE_BYTES, bytes);
    return start_access(net, whole, counter);
}

int net_read(struct net *net, int rank, void *local, size_t bytes,
             struct net_place target, struct net_counter *counter)
{
    struct part whole = {READING, rank, {local, bytes, NULL}, target};
    count_alone(COUNTER_NETWORK_READS, 1);
    count_alone(COUNTER_NETWORK_READ_BYTES, bytes);
    return start_access(net, whole, counter);
}
