// SPDX-License-Identifier: BSD-3-Clause
// later_members: what came after MPI-2 is there by the same rules: windows that allocate,
// requests, flushes, atomics, nonblocking collectives, matched probes, sessions, and
// members that end in _c for large counts.
#include "check.h"

static void windows_allocate_and_fetch()
{
    MPI::Intracomm world = MPI::COMM_WORLD;
    const int rank = world.Get_rank(), size = world.Get_size(), next = (rank + 1) % size;
    long *memory = nullptr;
    MPI::Win win = MPI::Win::Allocate(2 * sizeof(long), sizeof(long), MPI::INFO_NULL,
                                      world, memory);
    memory[0] = memory[1] = 0;
    world.Barrier();
    win.Lock_all(MPI::MODE_NOCHECK);
    const long value = 100 + rank, one = 1;
    MPI::Request request = win.Rput(&value, 1, MPI::LONG, next, 0, 1, MPI::LONG);
    request.Wait();
    win.Flush(next);
    long before = -1;
    win.Fetch_and_op(&one, &before, MPI::LONG, 0, 1, MPI::SUM);
    win.Flush_all();
    CHECK(0 <= before && before < size);
    win.Put_c(&value, MPI::Count(1), MPI::LONG, next, 0, MPI::Count(1), MPI::LONG);
    win.Unlock_all();
    world.Barrier();
    CHECK(memory[0] == 100 + (rank + size - 1) % size && (rank || memory[1] == size));
    win.Free();
}

static void members_share_memory()
{
    MPI::Intracomm node = MPI::COMM_WORLD.Split_type(MPI::COMM_TYPE_SHARED, 0,
                                                     MPI::INFO_NULL);
    int *own = nullptr, *first = nullptr, unit = 0;
    MPI::Aint size = 0;
    MPI::Win win = MPI::Win::Allocate_shared(sizeof(int), sizeof(int), MPI::INFO_NULL,
                                             node, own);
    win.Fence(0);
    *own = 7 + node.Get_rank();
    win.Fence(0);
    win.Shared_query(0, size, unit, first);
    CHECK(*first == 7 && size == sizeof(int) && unit == sizeof(int));
    win.Fence(0);
    win.Free();
    node.Free();
}

static void dynamic_windows_are_attached_to()
{
    double there = 0;
    MPI::Win win = MPI::Win::Create_dynamic(MPI::INFO_NULL, MPI::COMM_SELF);
    win.Attach(&there, sizeof there);
    const double value = 2.5;
    win.Lock(MPI::LOCK_EXCLUSIVE, 0, 0);
    win.Put(&value, 1, MPI::DOUBLE, 0, MPI::Get_address(&there), 1, MPI::DOUBLE);
    win.Unlock(0);
    CHECK(there == 2.5);
    win.Detach(&there);
    win.Free();
}

static void collectives_go_on_by_requests()
{
    MPI::Intracomm world = MPI::COMM_WORLD, copy;
    const int rank = world.Get_rank(), size = world.Get_size();
    int sum = 0, last = rank;
    MPI::Request requests[3];
    requests[0] = world.Iallreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
    requests[1] = world.Ibcast(&last, 1, MPI::INT, size - 1);
    requests[2] = world.Idup(copy);
    MPI::Request::Waitall(3, requests);
    CHECK(sum == size * (size - 1) / 2 && last == size - 1);
    CHECK(MPI::Comm::Compare(copy, world) == MPI::CONGRUENT);
    MPI::Prequest barrier = copy.Barrier_init(MPI::INFO_NULL);
    barrier.Start();
    barrier.Wait();
    barrier.Free();
    copy.Free();
}

static void messages_are_matched()
{
    const int sent = 42;
    int got = 0;
    MPI::Request request = MPI::COMM_SELF.Isend(&sent, 1, MPI::INT, 0, 3);
    MPI::Status status;
    MPI::Message message;
    while (!MPI::COMM_SELF.Improbe(MPI::ANY_SOURCE, 3, message, status)) {
    }
    CHECK(status.Get_count_c(MPI::INT) == 1);
    message.Mrecv(&got, 1, MPI::INT);
    request.Wait();
    CHECK(got == 42 && message == MPI::MESSAGE_NULL);
}

// ---- an operation that takes large counts ---------------------------------------------
static MPI::Count longest;

static void larger(const void *in, void *inout, MPI::Count length, const MPI::Datatype &type)
{
    CHECK(type == MPI::SHORT);
    longest = length;
    for (MPI::Count i = 0; i < length; i++)
        static_cast<short *>(inout)[i] =
            static_cast<short>(2 * static_cast<const short *>(in)[i]);
}

static void operations_take_large_counts()
{
    MPI::Op op;
    op.Init_c(larger, false);
    CHECK(!op.Is_commutative());
    const short in[4] = {1, 2, 3, 4};
    short inout[4] = {};
    op.Reduce_local_c(in, inout, 4, MPI::SHORT);
    CHECK(longest == 4 && inout[3] == 8);
    op.Free();
    CHECK(op == MPI::OP_NULL);
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    windows_allocate_and_fetch();
    members_share_memory();
    dynamic_windows_are_attached_to();
    collectives_go_on_by_requests();
    messages_are_matched();
    operations_take_large_counts();
    int major = 0, minor = -1;
    MPI::Get_version(major, minor);
    CHECK(major == MPI_VERSION && minor == MPI_SUBVERSION && MPI::Wtime() > 0);
    MPI::Pcontrol(1);
    MPI::Finalize();
    return failures != 0;
}
