// SPDX-License-Identifier: BSD-3-Clause
// Remote writes and reads: split into operations that the provider takes, each complete
// when its data is in place.
#include "net/network.h"

// Sets up an operation for as much of the access as the provider takes at once. 0, or a
// libfabric code (negative); -FI_EAGAIN while too many are under way.
static inline __attribute__((always_inline)) ssize_t
operation_prepare(struct net *net, const struct net_access *access,
                  struct net_operation **prepared)
{
    if (!access_may_begin(net, access->rank))
        return -FI_EAGAIN;
    struct net_operation *operation = pool_take(&net->accesses);
    if (operation == NULL)
        return -FI_EAGAIN;
    operation->kind = access->is_write ? WRITING : READING;
    operation->rank = access->rank;
    operation->bytes =
        access->bytes < net->access_max ? access->bytes : net->access_max;
    operation->target = access->target;
    operation->seen_at = 0;
    operation->local = access->local;
    operation->counter = access->counter;
    int code = local_prepare(net, operation);
    if (unlikely(code))
        pool_give(&net->accesses, operation);
    *prepared = operation;
    return -code;
}

// The provider has not taken the operation.
static void operation_undo(struct net *net, struct net_operation *operation)
{
    local_finish(net, operation, false);
    pool_give(&net->accesses, operation);
}

// The error of an access that the provider has refused, or 0 to try again later.
static int access_refused(struct net *net, const struct net_access *access,
                          ssize_t code)
{
    if (code == -FI_EAGAIN)
        return net_still_trying(net, access->rank);
    return net_fail_peer(net, access->rank, (int)-code,
                         access->is_write ? "a write to" : "a read from");
}

// The provider has taken the first `bytes` bytes.
static inline __attribute__((always_inline)) void
access_advance(struct net_peer *peer, struct net_access *access, size_t bytes)
{
    peer->is_reached = true;
    peer->access_bytes += bytes;
    access->local = (char *)access->local + bytes;
    access->bytes -= bytes;
    access->target.address += bytes;
    access_count_begin(access->counter);
    count_alone(access->is_write ? COUNTER_NETWORK_WRITE_BYTES
                                 : COUNTER_NETWORK_READ_BYTES,
                bytes);
    if (access->bytes == 0)
        count_alone(access->is_write ? COUNTER_NETWORK_WRITES : COUNTER_NETWORK_READS,
                    1);
}

// Never fi_inject_write: its completion says nothing about the target.
static inline __attribute__((always_inline)) int parts_begin(struct net *net,
                                                             struct net_access *access)
{
    struct net_peer *peer = &net->peers[access->rank];
    while (access->bytes > 0) {
        struct net_operation *operation = NULL;
        ssize_t code = peer->error      ? -FI_EAGAIN
                       : peer->endpoint ? operation_prepare(net, access, &operation)
                                        : connection_begin(net, access->rank);
        if (unlikely(code))
            return access_refused(net, access, code);
        struct iovec local = {operation->memory, operation->bytes};
        struct fi_rma_iov remote = {access->target.address, operation->bytes,
                                    access->target.key};
        struct fi_msg_rma message = {.msg_iov = &local,
                                     .desc = &operation->descriptor,
                                     .iov_count = 1,
                                     .addr = peer->address,
                                     .rma_iov = &remote,
                                     .rma_iov_count = 1,
                                     .context = operation};
        code = access->is_write ? fi_writemsg(peer->endpoint, &message,
                                              FI_DELIVERY_COMPLETE | FI_COMPLETION)
                                : fi_readmsg(peer->endpoint, &message, FI_COMPLETION);
        if (unlikely(code)) {
            operation_undo(net, operation);
            return access_refused(net, access, code);
        }
        access_advance(peer, access, operation->bytes);
    }
    return 0;
}

// net_access has the loop in itself: a put is one call less on its way.
int access_begin(struct net *net, struct net_access *access)
{
    return parts_begin(net, access);
}

// Leaves the rest to net_poll, unless many wait for the peer.
static __attribute__((noinline)) int leave_rest(struct net *net,
                                                struct net_access *access)
{
    if (access_may_begin(net, access->rank) ||
        net->peers[access->rank].waiting_accesses >= ACCESSES_MAX)
        return 0;
    int err = access_queue(net, access);
    if (!err)
        access->bytes = 0;
    return err;
}

int net_access(struct net *net, struct net_access *access)
{
    int err = parts_begin(net, access);
    return err || likely(access->bytes == 0) ? err : leave_rest(net, access);
}

// ---- reads that do not come
static const uint64_t LATE = 1000000000; // nanoseconds

// The first look only notes when it was.
static bool is_late(struct net_operation *operation, uint64_t now)
{
    if (operation->seen_at != 0 && now - operation->seen_at < LATE)
        return false;
    bool is_first_look = operation->seen_at == 0;
    operation->seen_at = now;
    return !is_first_look;
}

void net_tell_late_reads(struct net *net, uint64_t now, net_read_teller *tell)
{
    if (net->has_cheap_access)
        return;
    for (size_t i = 0; i < net->accesses.fresh; i++) {
        struct net_operation *operation = &net->accesses.operations[i];
        if (operation->kind == READING && operation->bytes > 0 &&
            is_late(operation, now))
            tell(operation->rank, &operation->target, operation->bytes);
    }
}
