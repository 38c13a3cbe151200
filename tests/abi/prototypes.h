// SPDX-License-Identifier: BSD-3-Clause
// The procedures that program.c calls.
int MPI_Abi_get_info(MPI_Info *info);
int MPI_Abi_get_version(int *abi_major, int *abi_minor);
int MPI_Accumulate(const void *origin, int origin_count, MPI_Datatype origin_type,
                   int rank, MPI_Aint disp, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Win win);
int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info,
                        MPI_Comm *made);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Errhandler_free(MPI_Errhandler *handler);
int MPI_Error_class(int code, int *error_class);
int MPI_Finalize(void);
int MPI_Get_c(void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank,
              MPI_Aint disp, MPI_Count count, MPI_Datatype type, MPI_Win win);
int MPI_Get_version(int *version, int *subversion);
int MPI_Group_free(MPI_Group *group);
int MPI_Group_rank(MPI_Group group, int *rank);
int MPI_Info_free(MPI_Info *info);
int MPI_Info_get_string(MPI_Info info, const char *key, int *length, char *value,
                        int *flag);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int rank,
            MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win);
int MPI_Type_size(MPI_Datatype type, int *size);
int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                     void *base, MPI_Win *win);
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *function,
                              MPI_Errhandler *handler);
int MPI_Win_create_keyval(MPI_Win_copy_attr_function *copy,
                          MPI_Win_delete_attr_function *drop, int *keyval,
                          void *extra_state);
int MPI_Win_fence(int assertion, MPI_Win win);
int MPI_Win_flush(int rank, MPI_Win win);
int MPI_Win_free(MPI_Win *win);
int MPI_Win_free_keyval(int *keyval);
int MPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag);
int MPI_Win_get_group(MPI_Win win, MPI_Group *group);
int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win);
int MPI_Win_set_attr(MPI_Win win, int keyval, void *value);
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler);
int MPI_Win_unlock(int rank, MPI_Win win);
