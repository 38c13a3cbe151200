// SPDX-License-Identifier: BSD-3-Clause
// What is under way: messages are datagrams of local sockets, accesses are copies by
// the kernel to and from the memory of another process, which does not take part.
#include "provider.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct datagram_head {
    uint64_t due;
    unsigned trips;
};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static size_t chance(size_t limit)
{
    static uint64_t state = 88172645463325252u; // xorshift (Marsaglia)
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % limit);
}

static void trips_reach(unsigned trips)
{
    if (atomic_load(&provider.trips) < trips)
        atomic_store(&provider.trips, trips);
}

static _Noreturn void misuse(const char *what)
{
    fprintf(stderr, "fabric: %s\n", what);
    abort();
}

// ---- the socket -------------------------------------------------------------------

static socklen_t socket_name(const struct name *name, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1,
                          "fake-fabric-%d-%u", (int)name->pid, name->number);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int traffic_open(void)
{
    static uint32_t numbers;
    struct sockaddr_un address;
    provider.own = (struct name){.pid = (int32_t)getpid(),
                                 .number = ++numbers,
                                 .regions = (uintptr_t)provider.regions};
    provider.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t bytes = socket_name(&provider.own, &address);
    if (provider.socket < 0 ||
        bind(provider.socket, (struct sockaddr *)&address, bytes) != 0)
        return -errno;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); // others copy to and from this process
    return 0;
}

void traffic_close(void)
{
    close(provider.socket);
}

// ---- local memory -----------------------------------------------------------------

static void check_local(const void *memory, size_t bytes, const void *descriptor)
{
    const struct region *region = descriptor;
    if (!(provider.modes & FI_MR_LOCAL))
        return;
    if (region == NULL || region->key == 0 || !region->is_enabled)
        misuse("local memory is not registered");
    size_t offset = (size_t)((const char *)memory - region->memory);
    if (offset > region->bytes || bytes > region->bytes - offset)
        misuse("local memory is not that of its descriptor");
}

// ---- completions ------------------------------------------------------------------

static void complete(void *context, uint64_t flags, size_t bytes, uint64_t due,
                     unsigned trips, int error)
{
    if (provider.completion_count == COMPLETIONS)
        misuse("a completion queue overflows");
    provider.completions[provider.completion_count++] = (struct completion){
        .entry = {.op_context = context, .flags = flags, .len = bytes},
        .error = error,
        .due = due,
        .trips = trips};
}

// ---- messages ---------------------------------------------------------------------

static ssize_t datagram_send(const void *memory, size_t bytes, fi_addr_t to)
{
    struct sockaddr_un address;
    struct datagram_head head = {now() + provider.latency,
                                 atomic_load(&provider.trips) + 1};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)memory, bytes}};
    struct msghdr message = {.msg_name = &address, .msg_iov = parts, .msg_iovlen = 2};
    if (to >= provider.peer_count || bytes > MESSAGE_BYTES)
        return -FI_EINVAL;
    message.msg_namelen = socket_name(&provider.peers[to], &address);
    if (sendmsg(provider.socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return errno == EAGAIN || errno == ENOBUFS ? -FI_EAGAIN : -FI_ECONNREFUSED;
    atomic_fetch_add(&provider.messages, 1);
    atomic_fetch_add(&provider.packets, (bytes + PACKET_BYTES - 1) / PACKET_BYTES);
    atomic_fetch_add(&provider.bytes, bytes);
    return 0;
}

static ssize_t message_send(struct fid_ep *endpoint, const void *memory, size_t bytes,
                            void *descriptor, fi_addr_t to, void *context)
{
    (void)endpoint;
    check_local(memory, bytes, descriptor);
    ssize_t code = datagram_send(memory, bytes, to);
    if (code == 0)
        complete(context, FI_SEND | FI_MSG, 0, 0, 0, 0);
    return code;
}

static ssize_t message_inject(struct fid_ep *endpoint, const void *memory, size_t bytes,
                              fi_addr_t to)
{
    (void)endpoint;
    if (bytes > INJECT_BYTES)
        misuse("a message is too long to be injected");
    return datagram_send(memory, bytes, to);
}

static ssize_t message_receive(struct fid_ep *endpoint, void *memory, size_t bytes,
                               void *descriptor, fi_addr_t from, void *context)
{
    (void)endpoint, (void)from;
    check_local(memory, bytes, descriptor);
    if (provider.receive_count == RECEIVES)
        return -FI_EAGAIN;
    size_t place = (provider.first_receive + provider.receive_count++) % RECEIVES;
    provider.receives[place] = (struct receive){context, memory, bytes};
    return 0;
}

struct fi_ops_msg message_ops = {.size = sizeof message_ops,
                                 .send = message_send,
                                 .inject = message_inject,
                                 .recv = message_receive};

// Has a datagram come whose trip is over?
static bool datagram_has_come(void)
{
    struct datagram_head head;
    return recv(provider.socket, &head, sizeof head, MSG_PEEK | MSG_DONTWAIT) ==
               (ssize_t)sizeof head &&
           head.due <= now();
}

static void datagrams_receive(void)
{
    while (provider.receive_count > 0 && datagram_has_come()) {
        struct receive *receive = &provider.receives[provider.first_receive];
        struct datagram_head head;
        struct iovec parts[] = {{&head, sizeof head},
                                {receive->memory, receive->bytes}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        ssize_t bytes = recvmsg(provider.socket, &message, MSG_DONTWAIT);
        if (bytes < (ssize_t)sizeof head)
            return;
        provider.first_receive = (provider.first_receive + 1) % RECEIVES;
        provider.receive_count--;
        complete(receive->context, FI_RECV | FI_MSG, (size_t)bytes - sizeof head, 0,
                 head.trips, message.msg_flags & MSG_TRUNC ? FI_ETRUNC : 0);
    }
}

// ---- accesses ---------------------------------------------------------------------

static ssize_t access_begin(const struct fi_msg_rma *message, bool is_write)
{
    if (message->iov_count != 1 || message->rma_iov_count != 1 ||
        message->addr >= provider.peer_count)
        return -FI_EINVAL;
    if (provider.access_count == ACCESSES)
        return -FI_EAGAIN;
    size_t bytes = message->msg_iov->iov_len;
    check_local(message->msg_iov->iov_base, bytes,
                message->desc != NULL ? message->desc[0] : NULL);
    size_t packets = (bytes + PACKET_BYTES - 1) / PACKET_BYTES;
    provider.accesses[provider.access_count++] =
        (struct access){.context = message->context,
                        .is_write = is_write,
                        .local = message->msg_iov->iov_base,
                        .bytes = bytes,
                        .packets = packets,
                        .first = packets > 0 ? chance(packets) : 0,
                        .address = message->rma_iov->addr,
                        .key = message->rma_iov->key,
                        .target = provider.peers[message->addr],
                        .due = now() + 2 * provider.latency,
                        .trips = atomic_load(&provider.trips) + 2};
    atomic_fetch_add(&provider.accesses_begun, 1);
    atomic_fetch_add(&provider.packets, packets);
    atomic_fetch_add(&provider.bytes, bytes);
    return 0;
}

static ssize_t access_write(struct fid_ep *endpoint, const struct fi_msg_rma *message,
                            uint64_t flags)
{
    (void)endpoint;
    if (!(flags & FI_DELIVERY_COMPLETE))
        misuse("the completion of a write says nothing about its target");
    return access_begin(message, true);
}

static ssize_t access_read(struct fid_ep *endpoint, const struct fi_msg_rma *message,
                           uint64_t flags)
{
    (void)endpoint, (void)flags;
    return access_begin(message, false);
}

struct fi_ops_rma access_ops = {
    .size = sizeof access_ops, .writemsg = access_write, .readmsg = access_read};

// The target's memory of a remote address, or NULL with an error.
static char *remote_memory(struct access *access)
{
    struct region region;
    const char *table = (const char *)(uintptr_t)access->target.regions;
    size_t index = (size_t)(access->key >> 32);
    struct iovec here = {&region, sizeof region};
    struct iovec there = {(char *)table + index * sizeof region, sizeof region};
    access->error = FI_EIO;
    if (index < REGIONS &&
        process_vm_readv(access->target.pid, &here, 1, &there, 1, 0) < 0)
        return NULL;
    access->error = FI_EACCES;
    uint64_t offset = access->address - region.base;
    if (index >= REGIONS || region.key != access->key || !region.is_enabled ||
        offset > region.bytes || access->bytes > region.bytes - offset ||
        !(region.rights & (access->is_write ? FI_REMOTE_WRITE : FI_REMOTE_READ)))
        return NULL;
    access->error = 0;
    return region.memory + offset;
}

static void packet_copy(struct access *access)
{
    char *remote = remote_memory(access);
    if (remote == NULL) {
        access->packets_done = access->packets;
        return;
    }
    size_t packet = (access->first + access->packets_done++) % access->packets;
    size_t offset = packet * PACKET_BYTES, left = access->bytes - offset;
    size_t bytes = left < PACKET_BYTES ? left : PACKET_BYTES;
    struct iovec here = {access->local + offset, bytes},
                 there = {remote + offset, bytes};
    ssize_t copied = access->is_write
                         ? process_vm_writev(access->target.pid, &here, 1, &there, 1, 0)
                         : process_vm_readv(access->target.pid, &here, 1, &there, 1, 0);
    if (copied != (ssize_t)bytes) {
        access->error = FI_EIO;
        access->packets_done = access->packets;
    }
}

// Carries out some packets of some accesses.
static void accesses_advance(void)
{
    size_t tries = 4 * provider.access_count;
    for (size_t i = 0; i < tries && provider.access_count > 0; i++) {
        size_t place = chance(provider.access_count);
        struct access *access = &provider.accesses[place];
        for (size_t packets = 1 + chance(64);
             packets > 0 && access->packets_done < access->packets; packets--)
            packet_copy(access);
        if (access->packets_done < access->packets)
            continue;
        complete(access->context, FI_RMA | (access->is_write ? FI_WRITE : FI_READ), 0,
                 access->due, access->trips, access->error);
        *access = provider.accesses[--provider.access_count];
    }
}

// ---- the completion queue ---------------------------------------------------------

// Receives are reported in their order, which is that of each sender; others in any.
static struct completion *completion_choose(void)
{
    uint64_t time = now();
    if (provider.completion_count == 0)
        return NULL;
    size_t first = chance(provider.completion_count);
    for (size_t i = 0; i < provider.completion_count; i++) {
        size_t place = (first + i) % provider.completion_count;
        struct completion *chosen = &provider.completions[place];
        if (chosen->entry.flags & FI_RECV) {
            chosen = provider.completions;
            while (!(chosen->entry.flags & FI_RECV))
                chosen++;
        }
        if (chosen->due <= time)
            return chosen;
    }
    return NULL;
}

static void completion_take(struct completion *completion)
{
    size_t place = (size_t)(completion - provider.completions);
    size_t behind = --provider.completion_count - place;
    trips_reach(completion->trips);
    memmove(completion, completion + 1, behind * sizeof *completion);
}

static ssize_t queue_read(struct fid_cq *queue, void *memory, size_t count)
{
    (void)queue;
    struct fi_cq_msg_entry *entries = memory;
    struct completion *completion;
    size_t read = 0;
    accesses_advance();
    datagrams_receive();
    while (read < count && (completion = completion_choose()) != NULL) {
        if (completion->error != 0)
            return read > 0 ? (ssize_t)read : -FI_EAVAIL;
        entries[read++] = completion->entry;
        completion_take(completion);
    }
    return read > 0 ? (ssize_t)read : -FI_EAGAIN;
}

static ssize_t queue_read_error(struct fid_cq *queue, struct fi_cq_err_entry *entry,
                                uint64_t flags)
{
    (void)queue, (void)flags;
    for (size_t i = 0; i < provider.completion_count; i++) {
        struct completion *completion = &provider.completions[i];
        if (completion->error == 0)
            continue;
        *entry = (struct fi_cq_err_entry){.op_context = completion->entry.op_context,
                                          .flags = completion->entry.flags,
                                          .err = completion->error};
        completion_take(completion);
        return 1;
    }
    return -FI_EAGAIN;
}

struct fi_ops_cq queue_ops = {
    .size = sizeof queue_ops, .read = queue_read, .readerr = queue_read_error};

bool traffic_is_idle(void)
{
    return provider.access_count == 0 && provider.completion_count == 0 &&
           !datagram_has_come();
}
