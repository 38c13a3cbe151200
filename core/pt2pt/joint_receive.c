// SPDX-License-Identifier: BSD-3-Clause
// Long messages of local peers that lie in private memory: the receiver copies them, and
// so does the sender as soon as it handles the call for help. The sender's request ends
// with the receive, so that both buffers are there until the last byte is copied.
#include "pt2pt/handlers.h"
#include "pt2pt/transfer.h"

// From here on the help is worth its messages.
enum { JOINT_MIN = 64 * 1024 };

struct help {
    uint64_t place;  // address of the receive's data
    uint64_t bytes;  // that it wants
    uint32_t sender; // id
    uint32_t unused;
    struct joint_name joint;
};

static int job_node_rank(int peer)
{
    return boot_local_rank(process.boot, peer);
}

// ---- at the receiver
static bool sender_can_help(const struct transfer *transfer)
{
    const struct shm *shm = process.shm;
    return transfer->wanted >= JOINT_MIN && shm_can_copy(shm) &&
           !shm_is_computing(shm, job_node_rank(transfer->peer));
}

static void joint_receive_ended(void *argument, int error)
{
    struct transfer *transfer = argument;
    transfer->is_joint = false;
    transfer->received = error ? 0 : transfer->wanted;
    receive_end_and_tell(transfer, error);
}

// Without it the sender just does not come.
static void ask_for_help(const struct transfer *transfer)
{
    struct help help = {.place = (uintptr_t)transfer->data,
                        .bytes = transfer->wanted,
                        .sender = transfer->sender,
                        .joint = transfer->joint};
    shm_open_memory(process.shm);
    message_send(transfer->peer, MESSAGE_HELP, &help, sizeof help, NULL, 0);
}

bool receive_jointly(struct transfer *transfer, uint64_t place)
{
    if (!sender_can_help(transfer) ||
        !message_joint_begin(transfer->peer, transfer->wanted, joint_receive_ended,
                             transfer, &transfer->joint))
        return false;
    transfer->is_joint = true;
    ask_for_help(transfer);
    struct iovec remote = {(void *)(uintptr_t)place, (size_t)transfer->wanted};
    struct iovec local = {transfer->data, (size_t)transfer->wanted};
    shm_joint_work(process.shm,
                   &(struct joint_side){.name = transfer->joint,
                                        .partner = job_node_rank(transfer->peer),
                                        .local = &local,
                                        .remote = &remote,
                                        .count = 1,
                                        .bytes = transfer->wanted});
    message_joint_look();
    return true;
}

void receive_leave_joint(struct transfer *transfer)
{
    if (transfer->is_joint)
        message_joint_leave(transfer->joint);
    transfer->is_joint = false;
}

// ---- at the sender
static bool help_is_good(int peer, const struct help *help, const struct transfer *send)
{
    return send != NULL && is_local_peer(peer) && help->bytes <= send->bytes &&
           help->joint.index < JOINT_COPIES;
}

void help_handle(int peer, const void *message, size_t bytes)
{
    const struct help *help = message;
    const struct transfer *send =
        bytes == sizeof *help ? transfer_of(help->sender, true, peer) : NULL;
    if (!help_is_good(peer, help, send)) {
        message_refuse(peer, "a call for help");
        return;
    }
    struct iovec local = {send->data, (size_t)help->bytes};
    struct iovec remote = {(void *)(uintptr_t)help->place, (size_t)help->bytes};
    message_joint_help(peer, &(struct joint_side){.name = help->joint,
                                                  .is_helper = true,
                                                  .is_writer = true,
                                                  .partner = job_node_rank(peer),
                                                  .local = &local,
                                                  .remote = &remote,
                                                  .count = 1,
                                                  .bytes = help->bytes});
}
