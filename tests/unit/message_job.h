// SPDX-License-Identifier: BSD-3-Clause
// A job of forked processes for the tests of message: the launcher is a table in shared
// memory, and the network between its nodes is a datagram socket per process that takes
// only a few messages at a time.
#pragma once

#include "check.h"
#include "message/message.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOB_MAX = 16, PATIENCE = 100 };

struct process process;

// The kinds of messages of the tests.
enum { QUESTION = MESSAGE_NEXT_KIND, ANSWER, OTHER, LAST };

static inline void handle_kind(int number, message_handler *handler)
{
    message_register(&(struct message_kind){number, handler, false}, 1);
}

// ---- launcher

struct board {
    struct {
        char key[64], value[1024];
    } pairs[JOB_MAX];
    _Atomic(int) pair_count;
    _Atomic(int) arrived;
    _Atomic(int) words[8]; // for the tests
};
static struct board *board;

int boot_put(struct boot *boot, const char *key, const char *value)
{
    (void)boot;
    CHECK(strlen(key) < 64 && strlen(value) < 1024 && !strpbrk(value, " \n"));
    int at = atomic_fetch_add(&board->pair_count, 1);
    strcpy(board->pairs[at].key, key);
    strcpy(board->pairs[at].value, value);
    return 0;
}

int boot_fence(struct boot *boot)
{
    int arrived = atomic_fetch_add(&board->arrived, 1) + 1;
    int all = (arrived + boot->size - 1) / boot->size * boot->size;
    while (atomic_load(&board->arrived) < all)
        usleep(50);
    return 0;
}

int boot_get(struct boot *boot, int rank, const char *key, char *value,
             size_t value_size)
{
    (void)boot, (void)rank;
    for (int i = 0; i < atomic_load(&board->pair_count); i++)
        if (strcmp(board->pairs[i].key, key) == 0) {
            snprintf(value, value_size, "%s", board->pairs[i].value);
            return 0;
        }
    return fail(MPI_ERR_OTHER, "nobody has put %s", key);
}

// Errors are returned here, not raised.
_Noreturn void boot_abort(struct boot *boot, int code, const char *why)
{
    (void)boot, (void)code;
    fprintf(stderr, "abort: %s\n", why);
    _exit(1);
}

void boot_ask_to_abort(struct boot *boot, int code, const char *why)
{
    boot_abort(boot, code, why);
}

// This launcher never asks what a process waits for.
static int looks_at_launcher;
bool boot_must_tell(struct boot *boot)
{
    (void)boot;
    looks_at_launcher++;
    return false;
}

void boot_tell(struct boot *boot, const char *text)
{
    (void)boot, (void)text;
}

// Like boot_fence, but makes progress, as a barrier does.
static void meet(void)
{
    int size = process.boot->size, arrived = atomic_fetch_add(&board->arrived, 1) + 1;
    int all = (arrived + size - 1) / size * size;
    while (atomic_load(&board->arrived) < all)
        if (message_progress() == 0)
            sched_yield();
}

// ---- network

struct net {
    int socket;
    bool (*receive)(const void *message, size_t bytes);
    struct sockaddr_un peers[JOB_MAX];
    socklen_t lengths[JOB_MAX]; // 0: not known
    bool is_wanted[JOB_MAX];
};

int net_start(struct net **net, int size,
              bool (*receive)(const void *message, size_t bytes))
{
    struct net *made = calloc(1, sizeof *made);
    struct sockaddr_un any = {.sun_family = AF_UNIX};
    CHECK(size <= JOB_MAX && made);
    made->receive = receive;
    made->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    CHECK(made->socket >= 0);
    // The kernel chooses a name that is in no file system.
    CHECK(bind(made->socket, (struct sockaddr *)&any, sizeof any.sun_family) == 0);
    *net = made;
    return 0;
}

void net_stop(struct net *net)
{
    close(net->socket);
    free(net);
}

size_t net_address(const struct net *net, char address[NET_ADDRESS_MAX])
{
    struct sockaddr_un name;
    socklen_t length = sizeof name;
    CHECK(getsockname(net->socket, (struct sockaddr *)&name, &length) == 0);
    memcpy(address, &name, length);
    return length;
}

int net_connect(struct net *net, int rank, const void *address, size_t bytes)
{
    memcpy(&net->peers[rank], address, bytes);
    net->lengths[rank] = (socklen_t)bytes;
    return 0;
}

int net_take_wanted(struct net *net)
{
    for (int rank = 0; rank < JOB_MAX; rank++)
        if (net->is_wanted[rank]) {
            net->is_wanted[rank] = false;
            return rank;
        }
    return -1;
}

size_t net_message_max(const struct net *net)
{
    (void)net;
    return NET_MESSAGE_MAX;
}

void *net_outbox(struct net *net)
{
    _Alignas(8) static char message[NET_MESSAGE_MAX];
    (void)net;
    return message;
}

int net_send(struct net *net, int rank, const void *message, size_t bytes, bool *sent)
{
    CHECK(bytes <= NET_MESSAGE_MAX);
    *sent = false;
    if (net->lengths[rank] == 0) {
        net->is_wanted[rank] = true;
        return 0;
    }
    ssize_t count =
        sendto(net->socket, message, bytes, MSG_NOSIGNAL,
               (const struct sockaddr *)&net->peers[rank], net->lengths[rank]);
    *sent = count >= 0;
    if (count < 0 && errno != EAGAIN && errno != ENOBUFS)
        return fail(MPI_ERR_OTHER, "sendto: %s", strerror(errno));
    return 0;
}

// Memory of another process is reached by its pid in place of a key.
static bool registers = true; // the test may have it refused

int net_register(struct net *net, void *memory, size_t bytes, uint64_t common,
                 struct net_region *region)
{
    (void)common;
    (void)net, (void)bytes;
    if (!registers)
        return fail(MPI_ERR_OTHER, "no memory is registered");
    *region = (struct net_region){
        .remote = {.key = (uint64_t)getpid(), .address = (uintptr_t)memory},
        .handle = memory,
    };
    return 0;
}

void net_deregister(struct net *net, struct net_region *region)
{
    (void)net;
    *region = (struct net_region){.handle = NULL};
}

int net_access_queued(struct net *net, const struct net_access *access)
{
    struct iovec local = {access->local, access->bytes};
    struct iovec remote = {(void *)(uintptr_t)access->target.address, access->bytes};
    pid_t pid = (pid_t)access->target.key;
    (void)net;
    ssize_t count = access->is_write ? process_vm_writev(pid, &local, 1, &remote, 1, 0)
                                     : process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (count != (ssize_t)access->bytes)
        return fail(MPI_ERR_PROC_ABORTED, "process_vm_readv: %s", strerror(errno));
    net_counter_issue(access->counter);
    net_counter_complete(access->counter, 0);
    return 0;
}

void net_access_withdraw(struct net *net, const struct net_counter *counter)
{
    (void)net, (void)counter; // nothing waits
}

int net_lifeline_offer(struct net *net)
{
    (void)net;
    return 0;
}

int net_lifeline_take(const struct net *net, const void *address, size_t bytes,
                      int port, char host[NET_HOST_MAX])
{
    (void)net, (void)address, (void)bytes, (void)host;
    CHECK(port == 0);
    return NET_NO_LIFELINE;
}

bool net_lifeline_is_cut(int lifeline)
{
    (void)lifeline;
    return false;
}

// A deferred message is handed over again by the next poll.
int net_poll(struct net *net)
{
    _Alignas(8) static char message[NET_MESSAGE_MAX];
    static ssize_t deferred;
    int count = 0;
    for (; count < 8; count++) {
        ssize_t bytes =
            deferred > 0 ? deferred : recv(net->socket, message, sizeof message, 0);
        if (bytes < 0)
            break;
        deferred = net->receive(message, (size_t)bytes) ? 0 : bytes;
        if (deferred > 0)
            break;
    }
    return count;
}

int net_progress(struct net *net)
{
    (void)net;
    return 0;
}

void net_set_secret(struct net *net, const struct secret *secret)
{
    (void)net, (void)secret;
}

void net_tell_late_reads(struct net *net, uint64_t now, net_read_teller *tell)
{
    (void)net, (void)now, (void)tell; // each is complete when it returns
}

void net_touch(const struct net *net, const struct net_remote *memory, size_t bytes)
{
    (void)net, (void)memory, (void)bytes;
}

bool net_take_doubt(struct net *net)
{
    (void)net;
    return false;
}

bool net_is_starved(const struct net *net)
{
    (void)net;
    return false;
}

bool net_has_cheap_access(const struct net *net)
{
    (void)net;
    return false;
}

int net_take_lost(struct net *net)
{
    (void)net;
    return -1;
}

int net_descriptor(const struct net *net)
{
    return net->socket;
}

int net_event_descriptor(const struct net *net)
{
    (void)net;
    return -1;
}

bool net_may_sleep(struct net *net, bool is_busy)
{
    (void)net;
    return !is_busy;
}

const char *net_provider(const struct net *net)
{
    (void)net;
    return "sockets of the test";
}

// ---- the job

struct job {
    int nodes, node_size;
    int spin_microseconds;
    bool progress_thread;
    int thread_level;
    void (*body)(void);
};

static void be_rank(const struct job *job, int rank)
{
    static int members[JOB_MAX];
    int size = job->nodes * job->node_size;
    static struct boot boot;
    boot = (struct boot){.rank = rank,
                         .size = size,
                         .node = rank / job->node_size,
                         .node_count = job->nodes,
                         .node_rank = rank % job->node_size,
                         .node_size = job->node_size,
                         .first = rank / job->node_size * job->node_size,
                         .machine_size = size,
                         .block = job->node_size,
                         .node_members = members};
    for (int i = 0; i < job->node_size; i++)
        members[i] = boot.node * job->node_size + i;
    process = (struct process){
        .rank = rank, .boot = &boot, .thread_level = job->thread_level};
    process.options.spin_microseconds = job->spin_microseconds;
    process.options.progress_thread = job->progress_thread;
    process.options.heap_bytes = 1 << 20;
}

static void run_rank(const struct job *job, int rank)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(PATIENCE);
    be_rank(job, rank);
    CHECK(messages_start() == 0 && messages_connect() == 0);
    CHECK((process.net != NULL) == (job->nodes > 1));
    job->body();
    meet();
    messages_stop();
    CHECK(!process.shm && !process.net && !process.messages);
    exit(0);
}

// The number of processes that did not end with exit code 0.
static int run_job(struct job job)
{
    pid_t children[JOB_MAX];
    int size = job.nodes * job.node_size, failures = 0;
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(board != MAP_FAILED);
    alarm(PATIENCE); // a hang is a failure
    for (int rank = 0; rank < size; rank++) {
        children[rank] = fork();
        CHECK(children[rank] >= 0);
        if (children[rank] == 0)
            run_rank(&job, rank);
    }
    for (int rank = 0; rank < size; rank++) {
        int status;
        CHECK(waitpid(children[rank], &status, 0) == children[rank]);
        failures += status != 0;
    }
    munmap(board, sizeof *board);
    return failures;
}
