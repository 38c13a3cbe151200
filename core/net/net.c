// SPDX-License-Identifier: BSD-3-Clause
// Opening and closing the network: one endpoint, one table of addresses, one completion
// queue with a descriptor to sleep on.

#include "net/network.h"

#include <stdlib.h>

static void close_object(struct fid *object, const char *what)
{
    int code = fi_close(object);
    if (code)
        log_verbose("closing the network's %s: %s", what, fi_strerror(-code));
}

static int open_domain(struct net *net)
{
    int code = fi_fabric(net->info->fabric_attr, &net->fabric, NULL);
    if (code)
        return net_fail(-code, "opening the network");
    code = fi_domain(net->fabric, net->info, &net->domain, NULL);
    if (code)
        return net_fail(-code, "opening the network's domain");
    if (has_connections(net))
        return 0;
    struct fi_av_attr attributes = {.type = FI_AV_TABLE, .count = (size_t)net->size};
    code = fi_av_open(net->domain, &attributes, &net->addresses, NULL);
    return code ? net_fail(-code, "opening the network's table of addresses") : 0;
}

static int open_queue(struct net *net, enum fi_wait_obj wait_object)
{
    struct fi_cq_attr attributes = {
        .size = net->sends.size + net->receives.size + net->accesses.size,
        .format = FI_CQ_FORMAT_MSG,
        .wait_obj = wait_object,
    };
    return fi_cq_open(net->domain, &attributes, &net->completions, NULL);
}

static bool is_not_offered(int code)
{
    return code == -FI_ENOSYS || code == -FI_EOPNOTSUPP;
}

// Where nobody can sleep on the queue, a plain one takes its place.
static int open_completions(struct net *net)
{
    int code = open_queue(net, FI_WAIT_FD);
    if (!code) {
        code = fi_control(&net->completions->fid, FI_GETWAIT, &net->descriptor);
        if (is_not_offered(code))
            close_object(&net->completions->fid, "first completion queue");
    }
    if (is_not_offered(code)) {
        net->completions = NULL;
        net->descriptor = net->event_descriptor = -1;
        code = open_queue(net, FI_WAIT_NONE);
    }
    return code ? net_fail(-code, "opening the network's completion queue") : 0;
}

static int open_endpoint(struct net *net)
{
    if (has_connections(net))
        return connections_open(net);
    int code = fi_endpoint(net->domain, net->info, &net->endpoint, NULL);
    if (!code)
        code = fi_ep_bind(net->endpoint, &net->addresses->fid, 0);
    if (!code)
        code = fi_ep_bind(net->endpoint, &net->completions->fid, FI_TRANSMIT | FI_RECV);
    if (!code)
        code = fi_enable(net->endpoint);
    net->receiver = net->endpoint;
    net->named = &net->endpoint->fid;
    return code ? net_fail(-code, "opening the network's endpoint") : 0;
}

// Providers with endpoints of their own send longer messages in another way, with a round
// trip.
enum { PROVIDER_EAGER_MAX = 16 << 10 };

// A software provider writes the bytes of an operation to its socket at once. What the
// other end does not take soon leaves the caches, so that a long access goes in chunks,
// and few of them are under way to a peer.
enum { CHUNK_BYTES = 512 * 1024, UNDER_WAY_MAX = 2 * CHUNK_BYTES };

static void choose_chunks(struct net *net)
{
    if (net->access_max > CHUNK_BYTES)
        net->access_max = CHUNK_BYTES;
    net->under_way_max = UNDER_WAY_MAX;
}

static void set_limits(struct net *net)
{
    const struct fi_info *info = net->info;
    size_t inject = info->tx_attr->inject_size;
    net->inject_max = inject < INJECT_MAX ? inject : INJECT_MAX;
    net->message_max = has_connections(net) ? NET_MESSAGE_MAX : PROVIDER_EAGER_MAX;
    net->access_max = info->ep_attr->max_msg_size;
    net->connect_seconds = 30;
    net->must_register = info->domain_attr->mr_mode & FI_MR_LOCAL;
    net->has_cheap_access = provider_is_hardware(info);
    net->under_way_max = SIZE_MAX;
    if (!net->has_cheap_access)
        choose_chunks(net);
}

static int open_pools(struct net *net)
{
    size_t at_once = net->info->tx_attr->size;
    int err = pool_open(&net->accesses, at_once < ACCESSES_MAX ? at_once : ACCESSES_MAX,
                        WRITING);
    if (!err)
        err = pool_open(&net->sends, SEND_BUFFERS, SENDING);
    if (!err)
        err = pool_open(&net->receives, RECEIVE_BUFFERS, RECEIVING);
    return err;
}

int net_start(struct net **result, int size,
              bool (*receive)(const void *message, size_t bytes))
{
    struct net *net = calloc(1, sizeof *net + (size_t)size * sizeof *net->peers);
    if (!net)
        return fail(MPI_ERR_NO_MEM, "no memory for %d network peers", size);
    net->size = size;
    net->receive = receive;
    net->lifelines = net->lost = net->descriptor = net->event_descriptor = -1;
    net->waiting_end = &net->waiting;

    start_step("tables");
    int err = provider_choose(process.options.provider, &net->info);
    start_step_of_libfabric("providers");
    if (err)
        goto close;
    set_limits(net);
    if ((err = open_pools(net)) || (err = open_domain(net)) ||
        (err = open_completions(net)) || (err = open_endpoint(net)))
        goto close;
    start_step_of_libfabric("endpoint");
    err = messages_open(net);
    start_step("buffers");
    if (err)
        goto close;
    *result = net;
    return 0;

close:
    net_stop(net);
    return err;
}

// Also closes a network that has been opened in part.
void net_stop(struct net *net)
{
    if (net->receiver)
        messages_flush(net);
    lifelines_end(net);
    while (net->regions)
        region_drop(net, net->regions);
    // The endpoint goes first: the provider may use buffers until it is closed.
    if (net->endpoint)
        close_object(&net->endpoint->fid, "endpoint");
    else
        connections_close(net);
    messages_close(net);
    accesses_drop(net);
    if (net->completions)
        close_object(&net->completions->fid, "completion queue");
    if (net->events)
        close_object(&net->events->fid, "event queue");
    if (net->addresses)
        close_object(&net->addresses->fid, "table of addresses");
    if (net->domain)
        close_object(&net->domain->fid, "domain");
    if (net->fabric)
        close_object(&net->fabric->fid, "fabric");
    pool_close(&net->accesses);
    pool_close(&net->sends);
    pool_close(&net->receives);
    fi_freeinfo(net->info);
    free(net);
}

int net_descriptor(const struct net *net)
{
    return net->descriptor;
}

int net_event_descriptor(const struct net *net)
{
    return net->event_descriptor;
}

static bool has_unhandled(const struct net *net)
{
    return net->arrived.first || net->unposted.first || accesses_may_begin(net);
}

bool net_may_sleep(struct net *net, bool is_busy)
{
    struct fid *objects[] = {&net->completions->fid};
    if (net->descriptor < 0 || has_unhandled(net))
        return false;
    if (has_connections(net))
        return connections_may_sleep(net) && !has_unhandled(net);
    return !is_busy && fi_trywait(net->fabric, objects, 1) == FI_SUCCESS;
}

size_t net_message_max(const struct net *net)
{
    return net->message_max;
}

bool net_has_cheap_access(const struct net *net)
{
    return net->has_cheap_access;
}

const char *net_provider(const struct net *net)
{
    return net->info->fabric_attr->prov_name;
}
