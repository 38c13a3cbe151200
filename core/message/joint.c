// SPDX-License-Identifier: BSD-3-Clause
// Joint copies that this process has begun, until their last bytes are there, and those
// with which it helps. A helper that copies the last bytes says so by a message; the
// process that has begun the copy may find that out before.
#include "message/engine.h"

static int process_of(int rank)
{
    return boot_local_rank(process.boot, rank);
}

bool message_joint_begin(int rank, uint64_t bytes, joint_ended *ended, void *argument,
                         struct joint_name *name)
{
    message_joint_look();
    if (!shm_joint_begin(process.shm, bytes, name))
        return false;
    process.messages->joints[name->index] = (struct joint){.ended = ended,
                                                           .argument = argument,
                                                           .name = *name,
                                                           .helper = process_of(rank)};
    return true;
}

static int joint_close(struct joint *joint)
{
    joint->ended = NULL;
    return shm_joint_end(process.shm, joint->name, joint->helper);
}

// `ended` may begin another one.
static void joint_finish(struct joint *joint)
{
    joint_ended *ended = joint->ended;
    void *argument = joint->argument;
    int err = joint_close(joint);
    ended(argument, err);
}

void message_joint_look(void)
{
    for (int i = 0; i < JOINT_COPIES; i++) {
        struct joint *joint = &process.messages->joints[i];
        if (joint->ended != NULL && shm_joint_is_complete(process.shm, joint->name))
            joint_finish(joint);
    }
}

void message_joint_leave(struct joint_name name)
{
    joint_close(&process.messages->joints[name.index]);
}

void message_joint_help(int rank, const struct joint_side *side)
{
    if (shm_joint_work(process.shm, side))
        message_send(rank, MESSAGE_HELPED, NULL, 0, NULL, 0);
}

static void handle_helped(int source, const void *message, size_t bytes)
{
    (void)source, (void)message, (void)bytes; // whoever sends it, only the copies tell
    message_joint_look();
}

void joints_start(void)
{
    message_register(&(struct message_kind){MESSAGE_HELPED, handle_helped, false}, 1);
}
