// SPDX-License-Identifier: BSD-3-Clause
// Reads that do not come. A software provider that finds no memory to read from may tell
// neither process. So a process asks the owner of memory that it has been reading for a
// second to touch it. An owner whose memory is gone then ends by the signal, as it does
// where its own code copies.
#include "message/deaths.h"
#include "message/engine.h"

struct touch {
    struct net_remote memory;
    uint64_t bytes;
};

static void touch_ask(int rank, const struct net_remote *memory, size_t bytes)
{
    struct touch touch = {*memory, bytes};
    message_send(rank, MESSAGE_TOUCH, &touch, sizeof touch, NULL, 0);
}

void late_reads_look(void)
{
    if (process.net == NULL)
        return;
    message_lock();
    net_tell_late_reads(process.net, clock_nanoseconds(), touch_ask);
    message_unlock();
}

// Nothing is registered there any more if the read has come meanwhile.
static void handle_touch(int source, const void *message, size_t bytes)
{
    const struct touch *touch = message;
    if (bytes != sizeof *touch)
        message_refuse(source, "a request to touch memory");
    else
        net_touch(process.net, &touch->memory, touch->bytes);
}

void touches_start(void)
{
    message_register(
        &(struct message_kind){MESSAGE_TOUCH, handle_touch, .can_fail = true}, 1);
}
