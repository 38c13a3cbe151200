// SPDX-License-Identifier: BSD-3-Clause
// Which predefined operations an MPI library takes for which predefined datatypes, for
// any MPI library. One line is written for each datatype that mpi.h knows and each
// operation: both names, whether a reduction takes them and whether an accumulate does.
//
// usage: probe [FIRST [all]]
//
// FIRST is the pair to begin with, behind one that ended the program. Without `all` no
// accumulate of what reductions refuse is tried: a library that notices it at the end
// of the epoch does not come back.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 64 }; // for an element of any datatype

static _Alignas(64) unsigned char memory[ROOM];

static int is_reduced(MPI_Datatype type, MPI_Op op)
{
    _Alignas(64) unsigned char in[ROOM], inout[ROOM];
    memset(in, 1, ROOM);
    memset(inout, 1, ROOM);
    return MPI_Reduce_local(in, inout, 1, type, op) == MPI_SUCCESS;
}

static int is_accumulated(MPI_Win win, MPI_Datatype type, MPI_Op op)
{
    _Alignas(64) unsigned char in[ROOM], result[ROOM];
    int error;
    memset(in, 1, ROOM);
    memset(memory, 1, ROOM);
    MPI_Win_fence(0, win);
    error = op == MPI_NO_OP ? MPI_Get_accumulate(in, 1, type, result, 1, type, 0, 0, 1,
                                                 type, op, win)
                            : MPI_Accumulate(in, 1, type, 0, 0, 1, type, op, win);
    return MPI_Win_fence(0, win) == MPI_SUCCESS && error == MPI_SUCCESS;
}

static void probe(MPI_Win win, const char *type_name, MPI_Datatype type,
                  const char *op_name, MPI_Op op, int is_tried)
{
    int is_moved = op == MPI_REPLACE || op == MPI_NO_OP;
    printf("%s %s ", type_name, op_name);
    fflush(stdout);
    int by_reduction = is_reduced(type, op);
    int by_accumulate =
        (by_reduction || is_moved || is_tried) && is_accumulated(win, type, op);
    printf("%d %d\n", by_reduction, by_accumulate);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int pair = 0, first = argc > 1 ? atoi(argv[1]) : 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        fclose(stdout);
    MPI_Win_create(memory, ROOM, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
#define PROBE(type, op)                                                                \
    if (type != MPI_DATATYPE_NULL && pair++ >= first)                                  \
    probe(win, #type, type, #op, op, argc > 2)
#include "pairs.h" // PROBE(MPI_INT, MPI_SUM); ... by operations.py
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
