/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts and values of mpi.h are those of the MPI-5.0 standard ABI. Compiling this
 * file, as C99, C11 and C++, is the test.
 */
#include <mpi.h>

/* An array of negative size does not compile. */
#define CLAIM(name, truth) typedef char name[(truth) ? 1 : -1]

CLAIM(status_has_32_bytes, sizeof(MPI_Status) == 32);
CLAIM(source_comes_first, offsetof(MPI_Status, MPI_SOURCE) == 0);
CLAIM(tag_comes_second, offsetof(MPI_Status, MPI_TAG) == 4);
CLAIM(error_comes_third, offsetof(MPI_Status, MPI_ERROR) == 8);
CLAIM(addresses_are_as_wide_as_pointers, sizeof(MPI_Aint) == sizeof(void *));
CLAIM(counts_have_64_bits, sizeof(MPI_Count) == 8 && (MPI_Count)-1 < 0);
CLAIM(offsets_have_64_bits, sizeof(MPI_Offset) == 8 && (MPI_Offset)-1 < 0);
CLAIM(handles_are_pointers, sizeof(MPI_Win) == sizeof(void *));

CLAIM(error_classes_are_the_abi_s, MPI_SUCCESS == 0 && MPI_ERR_RMA_RANGE == 48 &&
                                       MPI_ERR_WIN == 56 && MPI_ERR_LASTCODE == 16383);
CLAIM(special_ranks_are_the_abi_s, MPI_PROC_NULL == -3 && MPI_UNDEFINED == -32766);
CLAIM(assertions_are_the_abi_s,
      MPI_MODE_NOCHECK == 1024 && MPI_MODE_NOSUCCEED == 16384);
CLAIM(locks_are_the_abi_s, MPI_LOCK_EXCLUSIVE == 301 && MPI_LOCK_SHARED == 302);
CLAIM(thread_levels_ascend, MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED &&
                                MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED &&
                                MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);

/* The preprocessor knows the versions. */
#if MPI_VERSION != 5 || MPI_SUBVERSION != 0 || MPI_ABI_VERSION != 1
#error "the versions are not those of the MPI-5.0 ABI"
#endif

/* Integer constants label cases. */
int is_shared(int lock_type);
int is_shared(int lock_type)
{
    switch (lock_type) {
    case MPI_LOCK_SHARED:
        return 1;
    case MPI_LOCK_EXCLUSIVE:
    default:
        return 0;
    }
}

/* Handles and predefined callbacks have the types that procedures take. */
int use_types(void);
int use_types(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Datatype type = MPI_DOUBLE;
    MPI_Op op = MPI_SUM;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Win_copy_attr_function *copy = MPI_WIN_DUP_FN;
    MPI_Win_delete_attr_function *drop = MPI_WIN_NULL_DELETE_FN;
    MPI_Status *status = MPI_STATUS_IGNORE;
    const void *place = MPI_IN_PLACE;
    return comm != MPI_COMM_NULL && win == MPI_WIN_NULL && type != MPI_DATATYPE_NULL &&
           op != MPI_OP_NULL && info == MPI_INFO_NULL && copy && !drop && !status &&
           place;
}

/* Both names of a procedure have one type. */
int (*put)(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
           MPI_Win) = MPI_Put;
int (*put_for_tools)(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
                     MPI_Win) = PMPI_Put;
int (*large_put)(const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                 MPI_Datatype, MPI_Win) = MPI_Put_c;
