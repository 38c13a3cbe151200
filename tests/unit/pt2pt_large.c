// SPDX-License-Identifier: BSD-3-Clause
// messages_of_every_size_arrive_whole: to itself, in a node by a copy, between nodes by
// a remote read, and in fragments where the system forbids the copy or the network the
// registration; from the segment and from private memory; with and without gaps; many
// at once.
#include "transfers.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

enum { BIGGEST = 1500007, AT_ONCE = 40 };

static unsigned char pattern(size_t at, int seed)
{
    return (unsigned char)(at * 131 + at / 257 + (unsigned)seed);
}

static void fill(unsigned char *bytes, size_t size, int seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern(i, seed);
}

static void check_filled(const unsigned char *bytes, size_t size, int seed)
{
    for (size_t i = 0; i < size; i++)
        CHECK(bytes[i] == pattern(i, seed));
}

// Around the ring of members; `out` and `in` have one byte more than the message.
static void pass_on(unsigned char *out, unsigned char *in, size_t size)
{
    int own = process.world->rank, count = process.world->size;
    int to = (own + 1) % count, from = (own + count - 1) % count;
    fill(out, size, own);
    in[size] = 0xee;
    struct transfer *receive =
        receive_start(CHANNEL_COLLECTIVE, in, (MPI_Count)size, from, 1);
    CHECK(pt2pt_send(process.world, out, size, to, 1) == 0);
    CHECK(transfer_finish(receive, MPI_STATUS_IGNORE) == 0);
    check_filled(in, size, from);
    CHECK(in[size] == 0xee);
}

static void every_size(void)
{
    static const size_t sizes[] = {0,     1,      7900,   8191,   8192,
                                   8193,  8279,   8280,   8281,   65535,
                                   65536, 131072, 131073, 262144, BIGGEST};
    unsigned char *out = malloc(BIGGEST + 1), *in = malloc(BIGGEST + 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        pass_on(out, in, sizes[i]);
    free(in);
    free(out);
}

static void from_the_segment(void)
{
    void *out, *in;
    size_t size = 300001; // of the heaps that message_job.h asks for
    CHECK(shm_alloc(process.shm, size + 1, 64, &out) == 0);
    CHECK(shm_alloc(process.shm, size + 1, 64, &in) == 0);
    pass_on(out, in, size);
    shm_free(process.shm, in);
    shm_free(process.shm, out);
}

// Every member sends to every member, and receives in the opposite order.
static void many_at_once(void)
{
    size_t size = 20011;
    int own = process.world->rank, count = process.world->size;
    unsigned char *out = malloc(AT_ONCE * size), *in = malloc(AT_ONCE * size);
    struct transfer *sends[AT_ONCE], *receives[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        fill(out + (size_t)i * size, size, own + i);
        sends[i] = send_start(CHANNEL_USER, out + (size_t)i * size, (MPI_Count)size,
                              (own + i) % count, i);
    }
    for (int i = AT_ONCE - 1; i >= 0; i--)
        receives[i] =
            receive_start(CHANNEL_USER, in + (size_t)i * size, (MPI_Count)size,
                          (own + AT_ONCE * count - i) % count, i);
    for (int i = 0; i < AT_ONCE; i++) {
        CHECK(transfer_finish(receives[i], MPI_STATUS_IGNORE) == 0);
        check_filled(in + (size_t)i * size, size,
                     (own + AT_ONCE * count - i) % count + i);
    }
    for (int i = 0; i < AT_ONCE; i++)
        CHECK(transfer_finish(sends[i], MPI_STATUS_IGNORE) == 0);
    free(in);
    free(out);
}

// Every second int; the program frees its type while the transfers are under way.
static void with_gaps(MPI_Count elements)
{
    int own = process.world->rank, count = process.world->size;
    int to = (own + 1) % count, from = (own + count - 1) % count;
    size_t ints = (size_t)elements * 4;
    int *out = malloc(ints * sizeof *out), *in = malloc(ints * sizeof *in);
    struct datatype *type;
    CHECK(oriel_type_vector(2, 1, 2, type_of(MPI_INT), &type, false) == 0);
    CHECK(oriel_type_commit(type) == 0);
    for (size_t i = 0; i < ints; i++) {
        out[i] = (int)i + own;
        in[i] = -1;
    }
    struct transfer *send, *receive;
    message_lock();
    CHECK(pt2pt_begin_receive(process.world, CHANNEL_USER, in, elements, type, from, 2,
                              &receive) == 0);
    CHECK(pt2pt_begin_send(process.world, CHANNEL_USER, out, elements, type, to, 2,
                           &send) == 0);
    message_unlock();
    CHECK(oriel_type_free(type) == 0);
    CHECK(transfer_finish(receive, MPI_STATUS_IGNORE) == 0);
    CHECK(transfer_finish(send, MPI_STATUS_IGNORE) == 0);
    for (size_t i = 0; i < (size_t)elements * 3; i++) // elements are 3 ints apart
        CHECK(in[i] == (i % 3 != 1 ? (int)i + from : -1));
    free(in);
    free(out);
}

// As a container may, for this process and those that it makes.
static void forbid_copies(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static bool copies_are_forbidden;

static void claims(void)
{
    CHECK(collective_barrier(process.world) == 0); // all have tried to copy
    if (copies_are_forbidden && process.shm->node_size > 1)
        CHECK(!shm_can_copy(process.shm));
    every_size();
    from_the_segment();
    many_at_once();
    with_gaps(10);
    with_gaps(30000);
}

int main(void)
{
    int code = run_all_jobs(claims);
    forbid_copies();
    copies_are_forbidden = true;
    registers = false;
    return code || run_all_jobs(claims);
}
