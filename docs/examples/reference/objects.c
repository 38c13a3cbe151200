// SPDX-License-Identifier: BSD-3-Clause
// Communicators, datatypes, memory, error handlers. Any number of processes.
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int rank, size, next, before;

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void communicators(void)
{
    // example: MPI_Comm_split, MPI_Comm_free
    // Rows of a grid that is two processes wide: processes with the same color share a row.
    MPI_Comm row;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    int place, width;
    MPI_Comm_rank(row, &place);
    MPI_Comm_size(row, &width);
    MPI_Comm_free(&row);
    // end of example
    require(place == rank % 2 && width <= 2, "a place in a row of two");

    // example: MPI_Comm_dup
    // A library communicates apart from the program that calls it.
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Barrier(own);
    MPI_Comm_free(&own);
    // end of example
    require(own == MPI_COMM_NULL, "a freed communicator");
}

static void datatypes(void)
{
    double matrix[4][5];
    for (int i = 0; i < 20; i++)
        matrix[i / 5][i % 5] = 100 * rank + i;
    // example: MPI_Type_vector, MPI_Type_commit, MPI_Type_free
    // A column of a matrix of 4 rows and 5 columns: 4 elements, each 5 after the one before.
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 5, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv_replace(&matrix[0][4], 1, column, next, 0, before, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    // end of example
    require(matrix[0][4] == 100 * before + 4 && matrix[3][4] == 100 * before + 19,
            "a column");
    require(matrix[3][3] == 100 * rank + 18, "the column beside it");

    // example: MPI_Type_create_struct, MPI_Type_create_resized
    struct particle {
        double place[3];
        int kind;
    };
    struct particle particles[2] = {{{rank, 0, 0}, 1}, {{rank, 1, 1}, 2}};
    MPI_Datatype fields, particle;
    MPI_Type_create_struct(2, (int[]){3, 1},
                           (MPI_Aint[]){0, offsetof(struct particle, kind)},
                           (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(struct particle),
                            &particle); // with its padding
    MPI_Type_commit(&particle);
    MPI_Bcast(particles, 2, particle, 0, MPI_COMM_WORLD);
    MPI_Type_free(&particle);
    MPI_Type_free(&fields);
    // end of example
    require(particles[1].place[0] == 0 && particles[1].kind == 2,
            "particles of process 0");
}

static void memory(void)
{
    // example: MPI_Alloc_mem, MPI_Free_mem
    // In memory of MPI, a window of MPI_Win_create is as fast as one of MPI_Win_allocate.
    int *numbers;
    MPI_Win win;
    MPI_Alloc_mem(10 * sizeof(int), MPI_INFO_NULL, &numbers);
    MPI_Win_create(numbers, 10 * sizeof(int), sizeof(int), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    int value = numbers[0];
    MPI_Win_free(&win);
    MPI_Free_mem(numbers);
    // end of example
    require(value == before, "the rank of the process before");
}

static void errors(void)
{
    // example: MPI_Comm_set_errhandler, MPI_Error_string, MPI_Error_class
    // Errors come back instead of ending the program.
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, class;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code =
        MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD); // there is no rank `size`
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &class);
        MPI_Error_string(code, text, &length);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    // end of example
    require(code != MPI_SUCCESS && class == MPI_ERR_RANK && strlen(text) > 0,
            "an error of the rank");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    communicators();
    datatypes();
    memory();
    errors();
    // example: MPI_Abort
    if (size < 1)
        MPI_Abort(MPI_COMM_WORLD, 3); // ends all processes; mpiexec exits with 3
    // end of example
    return MPI_Finalize();
}
