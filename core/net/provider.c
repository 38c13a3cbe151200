// SPDX-License-Identifier: BSD-3-Clause
// The choice of libfabric's provider: all that offer messages and remote memory
// access are asked for, the best by a table of preferences is taken.

#include "net/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

struct preference {
    const char *provider;
    int score;        // 0: never used
    bool is_hardware; // carries out remote accesses without the processors
    const char *reason;
};

static const struct preference preferences[] = {
    {"cxi", 90, true, "remote access in hardware"},
    {"psm3", 80, false, "reliable datagrams over the host's network"},
    {"opx", 80, false, "reliable datagrams over Omni-Path"},
    {"psm2", 75, false, "reliable datagrams over Omni-Path"},
    {"verbs;ofi_rxm", 70, true, "remote access in hardware"},
    {"efa", 60, false, "reliable datagrams over EFA"},
    {"tcp", 50, false, "works on any network"},
    {"tcp;ofi_rxm", 40, false, "works on any network"},
    {"udp;ofi_rxd", 20, false, "works on any network"},
    {"sockets", 10, false, "nothing better was offered"},
    {"shm", 0, false, "checks neither keys nor bounds"},
    {"net", 0, false, "loses remote accesses"},
    {"net;ofi_rxm", 0, false, "loses remote accesses"},
};

static const struct preference unknown = {NULL, 15, false, "not known, but able"};

static const struct preference *preference_for(const char *provider)
{
    for (size_t i = 0; i < sizeof preferences / sizeof *preferences; i++)
        if (strcmp(preferences[i].provider, provider) == 0)
            return &preferences[i];
    return &unknown;
}

bool provider_is_hardware(const struct fi_info *info)
{
    return preference_for(info->fabric_attr->prov_name)->is_hardware;
}

static struct fi_info *hints_make(const char *wanted)
{
    struct fi_info *hints = fi_allocinfo();
    if (!hints)
        return NULL;
    hints->caps = FI_MSG | FI_RMA | FI_SEND | FI_RECV | FI_READ | FI_WRITE |
                  FI_REMOTE_READ | FI_REMOTE_WRITE;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    bool may_connect = *wanted == '\0' || strcmp(wanted, "tcp") == 0;
    hints->ep_attr->type = may_connect ? FI_EP_UNSPEC : FI_EP_RDM;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED |
                                  FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->fabric_attr->prov_name = *wanted ? strdup(wanted) : NULL;
    return hints;
}

// Of a provider's addresses: one that other hosts can reach comes first.
static int address_score(const struct fi_info *info)
{
    if (!info->src_addr)
        return 3;
    if (info->addr_format == FI_SOCKADDR_IN) {
        const struct sockaddr_in *ip4 = info->src_addr;
        return ntohl(ip4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET ? 1 : 3;
    }
    if (info->addr_format == FI_SOCKADDR_IN6) {
        const struct sockaddr_in6 *ip6 = info->src_addr;
        if (IN6_IS_ADDR_LOOPBACK(&ip6->sin6_addr))
            return 1;
        return IN6_IS_ADDR_LINKLOCAL(&ip6->sin6_addr) ? 0 : 2;
    }
    return 3;
}

// Endpoints that lead to all peers, or connections over TCP.
static bool has_able_endpoints(const struct fi_info *info)
{
    return info->ep_attr->type == FI_EP_RDM ||
           (info->ep_attr->type == FI_EP_MSG &&
            strcmp(info->fabric_attr->prov_name, "tcp") == 0);
}

// Higher is better; negative when it cannot be used.
static int provider_score(const struct fi_info *info)
{
    int preferred = preference_for(info->fabric_attr->prov_name)->score;
    bool is_able = info->domain_attr->mr_key_size <= sizeof(uint64_t) &&
                   info->ep_attr->max_msg_size >= NET_MESSAGE_MAX &&
                   info->ep_attr->msg_prefix_size == 0 && has_able_endpoints(info);
    if (info->ep_attr->type == FI_EP_MSG)
        preferred--;
    return preferred && is_able ? 4 * preferred + address_score(info) : -1;
}

static const struct fi_info *best_of(const struct fi_info *offers)
{
    const struct fi_info *best = NULL;
    for (const struct fi_info *info = offers; info; info = info->next)
        if (provider_score(info) > (best ? provider_score(best) : -1))
            best = info;
    return best;
}

static int nothing_found(const char *wanted)
{
    if (!wanted)
        return fail(MPI_ERR_OTHER,
                    "libfabric offers no network with messages and remote "
                    "memory access; see `fi_info -t FI_EP_RDM`");
    const struct preference *preference = preference_for(wanted);
    return fail(
        MPI_ERR_OTHER, "ORIEL_PROVIDER=%s cannot be used: %s; see `fi_info -l`", wanted,
        preference->score ? "libfabric does not offer it here" : preference->reason);
}

int provider_choose(const char *wanted, struct fi_info **info)
{
    int err = library_check();
    if (err)
        return err;
    struct fi_info *hints = hints_make(wanted), *offers = NULL;
    if (!hints)
        return fail(MPI_ERR_NO_MEM, "no memory to ask libfabric for its providers");
    int code = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &offers);
    fi_freeinfo(hints);
    if (code && code != -FI_ENODATA)
        return net_fail(-code, "asking for network providers");

    const struct fi_info *best = best_of(offers);
    if (!best) {
        err = nothing_found(wanted);
    } else if (!(*info = fi_dupinfo(best))) {
        err = fail(MPI_ERR_NO_MEM, "no memory to describe a network provider");
    } else {
        const char *name = best->fabric_attr->prov_name;
        log_verbose("network: %s on %s (%s)", name, best->domain_attr->name,
                    *wanted ? "ORIEL_PROVIDER" : preference_for(name)->reason);
    }
    fi_freeinfo(offers);
    return err;
}
