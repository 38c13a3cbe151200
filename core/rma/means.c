// SPDX-License-Identifier: BSD-3-Clause
// The means of a peer, chosen when it is made, and its traffic if it needs one.
#include "rma/bulk.h"

#include <assert.h>
#include <stdlib.h>

// No operation passes the check of its range on memory without a byte.
static const struct means *means_choose(const struct window *window,
                                        const struct peer *peer)
{
    bool is_dynamic = window->flavor == MPI_WIN_FLAVOR_DYNAMIC;
    bool is_distant = peer->lock_record == NULL;
    if (is_dynamic)
        return is_distant ? &means_distant_attached : &means_attached;
    if (is_distant)
        return &means_network;
    if (peer->member->local.shared.bytes > 0 && peer->rank != window->comm->rank)
        return &means_shared;
    return peer->base != NULL || peer->member->size == 0 ? &means_load : &means_batch;
}

static int peer_open(const struct window *window, struct peer *peer)
{
    const struct means *means = means_choose(window, peer);
    bool is_watched = races_are_checked();
    peer->means = is_watched ? &means_watched : means;
    peer->watched = is_watched ? means : NULL;
    if (means == &means_load)
        return 0;
    struct peer_traffic *traffic = calloc(1, sizeof *traffic);
    if (traffic == NULL)
        return MPI_ERR_NO_MEM;
    traffic->peer = peer;
    traffic->replies_end = &traffic->replies;
    traffic->batch_max = batch_limit(peer->job_rank);
    traffic->is_copied = peer->lock_record != NULL && shm_can_copy(process.shm);
    peer->traffic = traffic;
    return 0;
}

// Replies to a window that is gone are refused, so that none is waited for.
static void traffic_free(struct peer_traffic *traffic)
{
    assert(traffic->joints == NULL); // every epoch has ended
    while (traffic->replies != NULL) {
        struct pending_reply *reply = traffic->replies;
        traffic->replies = reply->next;
        free(reply);
    }
    free(traffic->spare_reply);
    bulks_free(traffic);
    free(traffic->batch);
    free(traffic->spare);
    free(traffic);
}

static void peer_close(struct peer *peer)
{
    if (peer->traffic != NULL)
        traffic_free(peer->traffic);
}

static int peer_send(struct peer *peer)
{
    return peer->traffic != NULL ? traffic_send(peer->traffic, false) : 0;
}

const struct peer_owner rma_peers = {.open = peer_open,
                                     .close = peer_close,
                                     .send = peer_send,
                                     .serve = request_serve,
                                     .answered = reply_handle};
