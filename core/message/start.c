// SPDX-License-Identifier: BSD-3-Clause
// Start and stop of shared memory, network and the progress engine.
#include "message/addresses.h"
#include "message/deaths.h"
#include "message/engine.h"
#include "message/inquiry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// The leader makes the segment and tells its local peers and the other leaders, with
// the job's one exchange through the launcher. After the second barrier all have
// attached: the launcher misses a process that dies before, local peers one that dies
// later.
static int open_node(void)
{
    struct boot *boot = process.boot;
    char key[32], descriptor[NODE_DESCRIPTOR_MAX];
    snprintf(key, sizeof key, "oriel-node-%d", boot->node);
    bool is_leader = boot->node_rank == 0;
    if (is_leader) {
        int err = shm_create(boot, process.options.heap_bytes, addresses_bytes(boot),
                             &process.shm, descriptor);
        if (err)
            return err;
        size_t used = strlen(descriptor);
        if (process.net)
            node_descriptor_write(process.net,
                                  &(struct secret){random_bits(), random_bits()},
                                  net_lifeline_offer(process.net), descriptor + used,
                                  sizeof descriptor - used);
        err = boot_put(boot, key, descriptor);
        start_step("segment");
        if (err)
            return err;
    }
    int err = boot_fence(boot);
    start_step("launcher's exchange");
    if (!err && !is_leader)
        err = boot_get(boot, boot->first, key, descriptor, sizeof descriptor);
    if (!err && !is_leader)
        err = shm_attach(boot, addresses_bytes(boot), descriptor, &process.shm);
    if (!err && process.net)
        err = addresses_open();
    start_step("attaching");
    if (!err)
        err = boot_fence(boot);
    start_step("launcher's barrier");
    return err ? err : shm_attached(process.shm);
}

static int connect_all(struct messages *messages)
{
    const struct boot *boot = process.boot;
    messages->backlogs = calloc((size_t)boot->size, sizeof *messages->backlogs);
    if (!messages->backlogs)
        return fail(MPI_ERR_NO_MEM, "no memory for messages to %d processes",
                    boot->size);
    int err = spares_start(messages);
    if (err)
        return err;
    bool has_network = boot->node_count > 1;
    if (has_network) {
        messages->numbers = calloc((size_t)boot->size, sizeof *messages->numbers);
        if (!messages->numbers)
            return fail(MPI_ERR_NO_MEM, "no memory to number messages");
        err = net_start(&process.net, boot->size, deliver_from_network);
        if (err)
            return err;
        log_verbose("network between %d nodes: %s", boot->node_count,
                    net_provider(process.net));
    }
    err = open_node();
    if (err)
        return err;
    log_verbose("node of %d processes, %zu bytes of heap each", boot->node_size,
                process.shm->heap_bytes);
    joints_start();
    inquiries_start();
    messages->is_crowded =
        boot->machine_size > 1 && boot->machine_size > shm_cores(process.shm);
    if (!has_network)
        return 0;
    seals_start(messages, addresses_secret());
    net_set_secret(process.net, addresses_secret());
    addresses_start();
    gaps_start();
    touches_start();
    deaths_watch(messages);
    start_step("lifeline");
    return network_thread_start(messages);
}

static void close_all(struct messages *messages)
{
    progress_threads_stop(messages);
    if (messages->watched.descriptor >= 0)
        close(messages->watched.descriptor);
    if (process.net)
        net_stop(process.net);
    process.net = NULL;
    if (process.shm)
        shm_stop(process.shm);
    process.shm = NULL;
    for (int rank = 0; messages->backlogs && rank < process.boot->size; rank++)
        queue_clear(messages, &messages->backlogs[rank].queue);
    free(messages->backlogs);
    free(messages->numbers);
    queue_clear(messages, &messages->early);
    spares_stop(messages);
    free(messages);
    process.messages = NULL;
}

int messages_start(void)
{
    struct messages *messages = calloc(1, sizeof *messages);
    if (!messages)
        return fail(MPI_ERR_NO_MEM, "no memory for the progress engine");
    messages->has_threads = process.thread_level == MPI_THREAD_MULTIPLE;
    messages->wakeup = messages->watched.descriptor = -1;
    process.messages = messages;
    return 0;
}

int messages_connect(void)
{
    int err = connect_all(process.messages);
    if (err)
        close_all(process.messages);
    return err;
}

// Does anybody wait for what is queued for this rank? Leaders that have stopped tell no
// addresses.
static bool is_owed(const struct messages *messages, int rank)
{
    const struct queued_message *queued = messages->backlogs[rank].queue.first;
    if (!boot_is_local(process.boot, rank) && !addresses_can_find(rank))
        return false;
    while (queued != NULL && queued->kind == MESSAGE_ADDRESS_QUESTION)
        queued = queued->next;
    return queued != NULL;
}

static bool is_nothing_owed(void *argument)
{
    const struct messages *messages = argument;
    int rank = messages->first_backlog - 1;
    while (rank >= 0 && !is_owed(messages, rank))
        rank = messages->backlogs[rank].next - 1;
    return rank < 0;
}

void messages_stop(void)
{
    struct messages *messages = process.messages;
    int err = process.shm ? message_wait(is_nothing_owed, messages, NULL) : 0;
    if (err)
        log_verbose("messages to other processes are lost: %s", error_detail(&err));
    close_all(messages);
}
