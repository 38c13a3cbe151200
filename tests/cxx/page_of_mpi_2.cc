// SPDX-License-Identifier: BSD-3-Clause
// page_of_mpi_2: the C++ bindings that MPI-2 prints for windows are there with exactly
// these types, and do what the page says.
#include "check.h"

#include <type_traits>

static_assert(std::is_same_v<decltype(&MPI::Win::Create),
                             MPI::Win (*)(const void *, MPI::Aint, int,
                                          const MPI::Info &, const MPI::Intracomm &)>);
static_assert(std::is_same_v<decltype(&MPI::Win::Free), void (MPI::Win::*)()>);
static_assert(
    std::is_same_v<decltype(&MPI::Win::Get_group), MPI::Group (MPI::Win::*)() const>);

static void windows_have_the_group_of_their_communicator()
{
    int memory[4] = {};
    MPI::Win win = MPI::Win::Create(memory, sizeof memory, sizeof *memory,
                                    MPI::INFO_NULL, MPI::COMM_WORLD);
    CHECK(win != MPI::WIN_NULL);
    MPI::Group group = win.Get_group();
    MPI::Group world = MPI::COMM_WORLD.Get_group();
    CHECK(MPI::Group::Compare(group, world) == MPI::IDENT);
    group.Free();
    world.Free();
    CHECK(group == MPI::GROUP_NULL);
    win.Free();
    CHECK(win == MPI::WIN_NULL);
}

static void size_0_exposes_no_memory()
{
    MPI::Win win = MPI::Win::Create(MPI::BOTTOM, 0, 1, MPI::INFO_NULL, MPI::COMM_WORLD);
    win.Fence(0);
    win.Fence(MPI::MODE_NOSUCCEED);
    win.Free();
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    windows_have_the_group_of_their_communicator();
    size_0_exposes_no_memory();
    MPI::Finalize();
    return failures != 0;
}
