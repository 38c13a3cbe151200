// SPDX-License-Identifier: BSD-3-Clause
// program_of_1998: a program as they were written when MPI-2 was new. It includes mpi.h
// and nothing else of MPI, and has what such programs have: a ring and a grid with halos,
// derived datatypes, an operation of its own, attributes, exceptions, and a queue of work
// in a window, whose counters stand side by side because there was no fetch-and-op yet.
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <vector>

using std::cerr;
using std::endl;

// ---- a grid of cells with a halo, exchanged by messages and by a window ---------------
class Field {
public:
    Field(const MPI::Intracomm& comm, int rows, int columns);
    ~Field();
    double& at(int i, int j) { return cells[i * (width + 2) + j]; }
    void fill(double value);
    void exchange_by_messages();
    void exchange_by_window();
    bool halo_is_of(double above, double below);
    int up, down;

private:
    int height, width;
    std::vector<double> cells;
    MPI::Cartcomm grid;
    MPI::Datatype row;
    MPI::Win win;
};

Field::Field(const MPI::Intracomm& comm, int rows, int columns)
    : height(rows), width(columns), cells((rows + 2) * (columns + 2))
{
    int dims[1] = { comm.Get_size() };
    bool periods[1] = { true };
    MPI::Compute_dims(comm.Get_size(), 1, dims);
    grid = comm.Create_cart(1, dims, periods, false);
    grid.Shift(0, 1, up, down);
    row = MPI::DOUBLE.Create_contiguous(columns + 2);
    row.Commit();
    win = MPI::Win::Create(&cells[0], cells.size() * sizeof(double), sizeof(double),
                           MPI::INFO_NULL, grid);
    win.Set_name("field");
}

Field::~Field()
{
    win.Free();
    row.Free();
    grid.Free();
}

void Field::fill(double value)
{
    for (int i = 0; i < height + 2; i++)
        for (int j = 0; j < width + 2; j++)
            at(i, j) = i == 0 || i == height + 1 ? -1 : value;
}

void Field::exchange_by_messages()
{
    MPI::Request requests[4];
    requests[0] = grid.Irecv(&at(0, 0), 1, row, up, 1);
    requests[1] = grid.Irecv(&at(height + 1, 0), 1, row, down, 2);
    requests[2] = grid.Isend(&at(height, 0), 1, row, down, 1);
    requests[3] = grid.Isend(&at(1, 0), 1, row, up, 2);
    MPI::Status statuses[4];
    MPI::Request::Waitall(4, requests, statuses);
    if (statuses[0].Get_source() != up || statuses[1].Get_count(row) != 1)
        throw "the halo came from somebody else";
}

void Field::exchange_by_window()
{
    win.Fence(MPI::MODE_NOPRECEDE);
    win.Put(&at(height, 0), 1, row, down, 0, 1, row);
    win.Put(&at(1, 0), 1, row, up, (height + 1) * (width + 2), 1, row);
    win.Fence(MPI::MODE_NOSUCCEED);
}

bool Field::halo_is_of(double above, double below)
{
    for (int j = 0; j < width + 2; j++)
        if (at(0, j) != above || at(height + 1, j) != below)
            return false;
    return true;
}

// ---- a queue: each task is taken by one process --------------------------------------
class Queue {
public:
    explicit Queue(const MPI::Intracomm& comm);
    ~Queue() { win.Free(); }
    int next();

private:
    int rank, size, taken;
    std::vector<int> counters;
    MPI::Win win;
};

Queue::Queue(const MPI::Intracomm& comm)
    : rank(comm.Get_rank()), size(comm.Get_size()), taken(0), counters(size)
{
    MPI::Aint bytes = rank == 0 ? size * sizeof(int) : 0;
    win = MPI::Win::Create(&counters[0], bytes, sizeof(int), MPI::INFO_NULL, comm);
}

// The number of a task is how many all have taken before.
int Queue::next()
{
    const int one = 1;
    std::vector<int> others(size);
    win.Lock(MPI::LOCK_EXCLUSIVE, 0, 0);
    for (int i = 0; i < size; i++)
        if (i == rank)
            win.Accumulate(&one, 1, MPI::INT, 0, i, 1, MPI::INT, MPI::SUM);
        else
            win.Get(&others[i], 1, MPI::INT, 0, i, 1, MPI::INT);
    win.Unlock(0);
    int before = taken++;
    for (int i = 0; i < size; i++)
        before += i == rank ? 0 : others[i];
    return before;
}

// ---- an operation and an attribute of its own ----------------------------------------
struct Range {
    double least, most;
};

static void join(const void* in, void* inout, int length, const MPI::Datatype&)
{
    const Range* one = static_cast<const Range*>(in);
    Range* other = static_cast<Range*>(inout);
    for (int i = 0; i < length; i++) {
        other[i].least = std::min(other[i].least, one[i].least);
        other[i].most = std::max(other[i].most, one[i].most);
    }
}

static int copy_count(const MPI::Comm&, int, void* copies, void* in, void* out, bool& flag)
{
    ++*static_cast<int*>(copies);
    *static_cast<void**>(out) = in;
    flag = true;
    return MPI::SUCCESS;
}

static int drop_count(MPI::Comm&, int, void*, void* copies)
{
    --*static_cast<int*>(copies);
    return MPI::SUCCESS;
}

static bool operations_join(const MPI::Intracomm& comm)
{
    MPI::Datatype pair = MPI::DOUBLE.Create_contiguous(2);
    pair.Commit();
    MPI::Op joined;
    joined.Init(join, true);
    Range mine = { double(comm.Get_rank()), double(comm.Get_rank()) }, all;
    comm.Allreduce(&mine, &all, 1, pair, joined);
    joined.Free();
    pair.Free();
    return all.least == 0 && all.most == comm.Get_size() - 1;
}

static bool attributes_are_copied(const MPI::Intracomm& comm)
{
    int copies = 0, value = 7, *found = 0;
    int key = MPI::Comm::Create_keyval(copy_count, drop_count, &copies);
    MPI::Intracomm first = comm.Dup();
    first.Set_attr(key, &value);
    MPI::Comm& second = first.Clone();
    bool is_there = second.Get_attr(key, &found);
    bool is_copied = is_there && found == &value && copies == 1;
    second.Free();
    delete &second;
    bool is_dropped = copies == 0;
    first.Free();
    MPI::Comm::Free_keyval(key);
    return is_copied && is_dropped && key == MPI::KEYVAL_INVALID;
}

static bool errors_are_exceptions(const MPI::Intracomm& comm)
{
    int nothing = 0;
    try {
        comm.Send(&nothing, 1, MPI::INT, comm.Get_size(), 0);
    } catch (MPI::Exception& error) {
        return error.Get_error_class() == MPI::ERR_RANK
            && std::strlen(error.Get_error_string()) > 0;
    }
    return false;
}

// ---- all of it -----------------------------------------------------------------------
static const char* wrong()
{
    MPI::Intracomm& world = MPI::COMM_WORLD;
    int rank = world.Get_rank(), size = world.Get_size();
    Field field(world, 6, 10);
    for (int step = 0; step < 4; step++) {
        field.fill(100 * step + rank);
        if (step % 2)
            field.exchange_by_window();
        else
            field.exchange_by_messages();
        if (!field.halo_is_of(100 * step + field.up, 100 * step + field.down))
            return "the halo is not that of the neighbours";
    }
    Queue queue(world);
    const int tasks = 20;
    int mine = 0, all = 0;
    for (int task = queue.next(); task < tasks; task = queue.next())
        mine += task;
    world.Reduce(&mine, &all, 1, MPI::INT, MPI::SUM, 0);
    if (rank == 0 && all != tasks * (tasks - 1) / 2)
        return "a task was done twice, or by nobody";
    world.Bcast(&all, 1, MPI::INT, 0);
    if (all == 0 || size < 1 || !operations_join(world))
        return "the operation is wrong";
    if (!attributes_are_copied(world))
        return "the attribute is not copied";
    return errors_are_exceptions(world) ? 0 : "an error is no exception";
}

int main(int argc, char* argv[])
{
    MPI::Init(argc, argv);
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    const char* message = 0;
    try {
        message = wrong();
    } catch (MPI::Exception& error) {
        cerr << "error " << error.Get_error_code() << ": " << error.Get_error_string() << endl;
        MPI::COMM_WORLD.Abort(error.Get_error_code());
    } catch (const char* thrown) {
        message = thrown;
    }
    if (message)
        cerr << message << endl;
    MPI::Finalize();
    return message != 0;
}
