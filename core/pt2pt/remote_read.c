// SPDX-License-Identifier: BSD-3-Clause
// Long messages between nodes. The sender registers its data and tells the remote key
// with its request to send; the receiver reads the data from where they lie into where
// they belong. A provider may end the connection when a key is not valid any more, so
// that data stay registered until their receiver is done, whatever becomes of the send.
#include "pt2pt/remote_read.h"
#include "pt2pt/handlers.h"

#include <stdlib.h>

// ---- at the sender ---------------------------------------------------------------

// The data of a send while their receiver may read them.
struct exposed_data {
    struct net_region region;
    struct exposed_data *next; // among those of sends that were given up
    int peer;
    uint32_t sender; // id that the send had
    char *packed;    // data that the send has left behind, or NULL
};

static void exposed_data_free(struct exposed_data *exposed)
{
    net_deregister(process.net, &exposed->region);
    free(exposed->packed);
    free(exposed);
}

bool send_expose(struct transfer *transfer, struct envelope *envelope, uint64_t *key)
{
    struct exposed_data *exposed = calloc(1, sizeof *exposed);
    if (exposed == NULL || net_register(process.net, transfer->data,
                                        (size_t)transfer->bytes, 0, &exposed->region)) {
        free(exposed);
        return false;
    }
    transfer->exposed = exposed;
    envelope->place = exposed->region.remote.address;
    *key = exposed->region.remote.key;
    return true;
}

void send_conceal(struct transfer *transfer)
{
    exposed_data_free(transfer->exposed);
    transfer->exposed = NULL;
}

void send_leave_exposed(struct transfer *transfer)
{
    struct exposed_data *exposed = transfer->exposed;
    exposed->peer = transfer->peer;
    exposed->sender = transfer->id;
    exposed->packed = transfer->packed;
    exposed->next = process.matching->left_exposed;
    process.matching->left_exposed = exposed;
    transfer->packed = NULL;
    transfer->exposed = NULL;
}

bool left_exposed_end(int peer, uint32_t sender)
{
    struct exposed_data **link = &process.matching->left_exposed;
    while (*link != NULL && ((*link)->peer != peer || (*link)->sender != sender))
        link = &(*link)->next;
    struct exposed_data *exposed = *link;
    if (exposed == NULL)
        return false;
    *link = exposed->next;
    exposed_data_free(exposed);
    return true;
}

void left_exposed_free_all(void)
{
    struct exposed_data *exposed;
    while ((exposed = process.matching->left_exposed) != NULL) {
        process.matching->left_exposed = exposed->next;
        exposed_data_free(exposed);
    }
}

// ---- at the receiver -------------------------------------------------------------

// A remote read under way. It outlives a receive that is given up.
struct remote_read {
    struct net_counter counter;
    int peer;
    uint32_t sender, receiver; // ids of the send and the receive
    bool *has_ended;           // for who waits, or NULL
};

static void receive_end_read(struct transfer *transfer, int err)
{
    transfer->read = NULL;
    transfer->received = err ? 0 : transfer->wanted;
    receive_end_and_tell(transfer, err);
}

// A part of the data has come; the read ends with the last one.
static void remote_read_go_on(struct net_counter *counter)
{
    struct remote_read *read = (struct remote_read *)counter;
    if (net_counter_pending(counter) > 0)
        return;
    struct transfer *transfer = transfer_of(read->receiver, false, read->peer);
    struct done done = {.sender = read->sender};
    int err = net_counter_take_error(counter);
    if (transfer != NULL)
        receive_end_read(transfer, err);
    else
        message_send(read->peer, MESSAGE_DONE, &done, sizeof done, NULL, 0);
    if (read->has_ended != NULL)
        *read->has_ended = true;
    free(read);
}

bool receive_by_remote_read(struct transfer *transfer, uint64_t address, uint64_t key)
{
    struct remote_read *read = malloc(sizeof *read);
    if (read == NULL)
        return false;
    *read = (struct remote_read){.counter.completed_one = remote_read_go_on,
                                 .peer = transfer->peer,
                                 .sender = transfer->sender,
                                 .receiver = transfer->id};
    struct net_access access = {.rank = transfer->peer,
                                .local = transfer->data,
                                .bytes = (size_t)transfer->wanted,
                                .target = {.key = key, .address = address},
                                .counter = &read->counter};
    transfer->read = read;
    net_counter_issue(&read->counter); // until it has begun
    net_counter_complete(&read->counter, net_access_queued(process.net, &access));
    return true;
}

// The network writes to the memory of the receive until then. A sender that does not
// answer for so long has stopped.
void receive_await_read(struct transfer *transfer)
{
    bool has_ended = false;
    struct remote_read *read = transfer->read;
    double end = clock_seconds() + 1;
    read->has_ended = &has_ended;
    transfer->read = NULL;
    net_access_withdraw(process.net, &read->counter);
    while (!has_ended && clock_seconds() < end)
        net_progress(process.net);
    if (has_ended)
        return;
    read->has_ended = NULL;
    transfer->packed = NULL; // not to be used again
}

bool transfer_is_accessed(struct transfer *transfer)
{
    if (transfer->exposed == NULL)
        return transfer->read != NULL;
    return send_cancel(transfer) == 0;
}
