// SPDX-License-Identifier: BSD-3-Clause
// classes: the classes of namespace MPI convert to handles of C and back, clone, and give
// objects of the classes that MPI-2.2 names.
#include "check.h"

#include <cstring>
#include <type_traits>
#include <vector>

static_assert(std::is_base_of_v<MPI::Comm, MPI::Nullcomm>);
static_assert(std::is_base_of_v<MPI::Intracomm, MPI::Cartcomm>);
static_assert(std::is_base_of_v<MPI::Intracomm, MPI::Distgraphcomm>);
static_assert(std::is_base_of_v<MPI::Comm, MPI::Intercomm>);
static_assert(std::is_base_of_v<MPI::Request, MPI::Prequest>);
static_assert(std::is_base_of_v<MPI::Request, MPI::Grequest>);
static_assert(std::is_same_v<decltype(MPI::COMM_WORLD), MPI::Intracomm>);
static_assert(std::is_same_v<decltype(MPI::INT), const MPI::Datatype>);
static_assert(sizeof(MPI::Request) == sizeof(MPI_Request));
static_assert(sizeof(MPI::Status) == sizeof(MPI_Status));
static_assert(MPI::ANY_SOURCE == MPI_ANY_SOURCE && MPI::THREAD_MULTIPLE == MPI_THREAD_MULTIPLE);

static void handles_go_to_c_and_back()
{
    MPI_Comm in_c = MPI::COMM_WORLD;
    CHECK(in_c == MPI_COMM_WORLD && MPI::COMM_WORLD == MPI_COMM_WORLD);
    MPI::Intracomm again = in_c;
    CHECK(again == MPI::COMM_WORLD && again != MPI::COMM_SELF);
    MPI::Datatype type = MPI_DOUBLE;
    CHECK(type == MPI::DOUBLE && MPI::BOOL == MPI_CXX_BOOL && MPI::TWOINT == MPI_2INT);
    CHECK(MPI::COMPLEX == MPI_CXX_FLOAT_COMPLEX && MPI::F_COMPLEX == MPI_COMPLEX);
    MPI::Cartcomm none;
    CHECK(none == MPI::COMM_NULL);
    again = MPI::COMM_NULL;
    CHECK(again == MPI_COMM_NULL);
    MPI_Status status;
    std::memset(&status, 0, sizeof status);
    status.MPI_TAG = 17;
    MPI::Status own = status;
    CHECK(own.Get_tag() == 17);
    own.Set_source(3);
    CHECK(MPI_Status(own).MPI_SOURCE == 3);
}

static void communicators_are_of_their_classes()
{
    MPI::Intracomm world = MPI::COMM_WORLD;
    int size = world.Get_size(), rank = world.Get_rank();
    const bool periods[2] = {true, false}, both[2] = {true, false};
    int dims[2] = {0, 0};
    MPI::Compute_dims(size, 2, dims);
    MPI::Cartcomm grid = world.Create_cart(2, dims, periods, false);
    bool found[3] = {false, true, true};
    int sides[2], coords[2];
    grid.Get_topo(2, sides, found, coords);
    CHECK(found[0] && !found[1] && found[2] && sides[0] == dims[0]);
    CHECK(grid.Get_dim() == 2 && grid.Get_cart_rank(coords) == rank);
    CHECK(grid.Get_topology() == MPI::CART && world.Get_topology() == MPI::UNDEFINED);
    MPI::Cartcomm line = grid.Sub(both);
    CHECK(line.Get_dim() == 1 && line.Get_size() == dims[0]);
    MPI::Comm &clone = line.Clone();
    CHECK(dynamic_cast<MPI::Cartcomm *>(&clone) != nullptr);
    CHECK(MPI::Comm::Compare(clone, line) == MPI::CONGRUENT);
    clone.Free();
    delete &clone;
    line.Free();
    grid.Free();

    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI::Distgraphcomm ring = world.Dist_graph_create_adjacent(
        1, &left, 1, &right, MPI::INFO_NULL, false);
    int in = 0, out = 0, from = -1, to = -1;
    CHECK(!ring.Get_dist_neighbors_count(in, out) && in == 1 && out == 1);
    ring.Get_dist_neighbors(1, &from, 1, &to);
    CHECK(from == left && to == right);
    int told = -1;
    ring.Neighbor_allgather(&rank, 1, MPI::INT, &told, 1, MPI::INT);
    CHECK(told == left);
    ring.Free();
}

static void intercommunicators_join_two_groups()
{
    MPI::Intracomm world = MPI::COMM_WORLD;
    int rank = world.Get_rank(), size = world.Get_size();
    if (size < 2)
        return;
    MPI::Intracomm half = world.Split(rank % 2, rank);
    MPI::Intercomm both = half.Create_intercomm(0, world, 1 - rank % 2, 5);
    CHECK(both.Is_inter() && !half.Is_inter());
    CHECK(both.Get_size() + both.Get_remote_size() == size);
    MPI::Intracomm merged = both.Merge(rank % 2 == 1);
    CHECK(merged.Get_size() == size);
    MPI::Intercomm copy = both.Dup();
    copy.Free();
    merged.Free();
    both.Free();
    half.Free();
}

static void requests_are_waited_for_as_arrays()
{
    MPI::Intracomm world = MPI::COMM_WORLD;
    const int size = world.Get_size(), rank = world.Get_rank();
    std::vector<int> sent(2, rank), got(2, -1);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI::Prequest kept[2];
    kept[0] = world.Recv_init(&got[0], 1, MPI::INT, before, 9);
    kept[1] = world.Send_init(&sent[0], 1, MPI::INT, next, 9);
    for (int round = 0; round < 3; round++) {
        sent[0] = 10 * round + rank;
        MPI::Prequest::Startall(2, kept);
        MPI::Status statuses[2];
        MPI::Request::Waitall(2, kept, statuses);
        CHECK(got[0] == 10 * round + before && statuses[0].Get_source() == before);
        CHECK(statuses[0].Get_count(MPI::INT) == 1 && !statuses[0].Is_cancelled());
    }
    kept[0].Free();
    kept[1].Free();
    CHECK(kept[0] == MPI::REQUEST_NULL);

    MPI::Request requests[2];
    requests[0] = world.Irecv(&got[1], 1, MPI::INT, MPI::ANY_SOURCE, 11);
    requests[1] = world.Isend(&sent[1], 1, MPI::INT, next, 11);
    int index = -1;
    MPI::Status status;
    while (!MPI::Request::Testany(2, requests, index, status)) {
    }
    CHECK(index == 0 || index == 1);
    CHECK(MPI::Request::Waitany(2, requests) == 1 - index);
    CHECK(got[1] == before);
}

// ---- generalized requests ------------------------------------------------------------
static int queried, freed;

static int query(void *state, MPI::Status &status)
{
    queried++;
    status.Set_elements(MPI::BYTE, *static_cast<int *>(state));
    status.Set_cancelled(false);
    return MPI::SUCCESS;
}
static int release(void *state)
{
    freed += *static_cast<int *>(state);
    return MPI::SUCCESS;
}
static int cancel(void *, bool is_complete)
{
    return is_complete ? MPI::SUCCESS : MPI::ERR_OTHER;
}

static void generalized_requests_call_the_program()
{
    int bytes = 24;
    MPI::Grequest request = MPI::Grequest::Start(query, release, cancel, &bytes);
    MPI::Status status;
    CHECK(!request.Test(status));
    request.Complete();
    request.Wait(status);
    CHECK(queried == 1 && freed == 24 && status.Get_elements(MPI::BYTE) == 24);
}

// ---- attributes of windows and datatypes ---------------------------------------------
static int dropped;

static int drop_of_window(MPI::Win &win, int, void *value, void *state)
{
    CHECK(win != MPI::WIN_NULL && state == &dropped);
    dropped += *static_cast<int *>(value);
    return MPI::SUCCESS;
}

static void predefined_functions_copy_attributes()
{
    int value = 3, *found = nullptr;
    int key = MPI::Datatype::Create_keyval(MPI::Datatype::DUP_FN,
                                           MPI::Datatype::NULL_DELETE_FN, nullptr);
    MPI::Datatype type = MPI::INT.Create_vector(2, 1, 3), copy;
    type.Set_attr(key, &value);
    copy = type.Dup();
    CHECK(copy.Get_attr(key, &found) && found == &value);
    MPI::Aint lb = -1, extent = 0;
    copy.Get_extent(lb, extent);
    CHECK(lb == 0 && extent == 4 * static_cast<MPI::Aint>(sizeof(int)));
    copy.Delete_attr(key);
    CHECK(!copy.Get_attr(key, &found));
    MPI::Datatype::Free_keyval(key);
    copy.Free();
    type.Free();
}

static void windows_drop_attributes_when_freed()
{
    int value = 5, *base = nullptr;
    int key = MPI::Win::Create_keyval(MPI::Win::NULL_COPY_FN, drop_of_window, &dropped);
    MPI::Win win = MPI::Win::Create(&value, sizeof value, 1, MPI::INFO_NULL,
                                    MPI::COMM_WORLD);
    win.Set_attr(key, &value);
    CHECK(win.Get_attr(MPI::WIN_BASE, &base) && base == &value);
    win.Free();
    CHECK(dropped == 5);
    MPI::Win::Free_keyval(key);
}

static void infos_hold_words()
{
    MPI::Info info = MPI::Info::Create();
    info.Set("no_locks", "true");
    char value[32] = "", key[MPI::MAX_INFO_KEY] = "";
    int length = 0;
    CHECK(info.Get("no_locks", 31, value) && std::strcmp(value, "true") == 0);
    CHECK(info.Get_valuelen("no_locks", length) && length == 4);
    info.Get_nthkey(0, key);
    CHECK(info.Get_nkeys() == 1 && std::strcmp(key, "no_locks") == 0);
    MPI::Info copy = info.Dup();
    info.Delete("no_locks");
    CHECK(!info.Get("no_locks", 31, value) && copy.Get_nkeys() == 1);
    copy.Free();
    info.Free();
}

static void groups_are_sets_of_ranks()
{
    MPI::Group world = MPI::COMM_WORLD.Get_group();
    const int last = world.Get_size() - 1, ranges[1][3] = {{0, last, 1}};
    MPI::Group one = world.Incl(1, &last), rest = world.Excl(1, &last);
    MPI::Group all = MPI::Group::Union(rest, one), none = MPI::Group::Intersect(rest, one);
    MPI::Group same = world.Range_incl(1, ranges);
    CHECK(MPI::Group::Compare(all, world) == MPI::IDENT && none == MPI::GROUP_EMPTY);
    CHECK(MPI::Group::Compare(same, world) == MPI::IDENT);
    const int first = 0;
    int there = -1;
    MPI::Group::Translate_ranks(one, 1, &first, world, &there);
    CHECK(there == last);
    for (MPI::Group *group : {&one, &rest, &all, &same, &world})
        group->Free();
}

static void memory_is_packed_and_unpacked()
{
    const int numbers[3] = {1, 2, 3};
    int again[3] = {}, position = 0;
    std::vector<char> packed(MPI::INT.Pack_size(3, MPI::COMM_WORLD));
    const int room = static_cast<int>(packed.size());
    MPI::INT.Pack(numbers, 3, packed.data(), room, position, MPI::COMM_WORLD);
    position = 0;
    MPI::INT.Unpack(packed.data(), room, again, 3, position, MPI::COMM_WORLD);
    CHECK(std::memcmp(numbers, again, sizeof again) == 0 && position > 0);
    void *memory = MPI::Alloc_mem(100, MPI::INFO_NULL), *attached = nullptr;
    MPI::Attach_buffer(memory, 100);
    CHECK(MPI::Detach_buffer(attached) == 100 && attached == memory);
    MPI::Free_mem(memory);
}

int main()
{
    MPI::Init();
    CHECK(MPI::Is_initialized() && !MPI::Is_finalized());
    handles_go_to_c_and_back();
    communicators_are_of_their_classes();
    intercommunicators_join_two_groups();
    requests_are_waited_for_as_arrays();
    generalized_requests_call_the_program();
    predefined_functions_copy_attributes();
    windows_drop_attributes_when_freed();
    infos_hold_words();
    groups_are_sets_of_ranks();
    memory_is_packed_and_unpacked();
    MPI::Finalize();
    return failures != 0;
}
