// SPDX-License-Identifier: BSD-3-Clause
// Generated from bindings/c/prototypes.h.j2 and spec/. Do not edit.
int MPI_Move(const void *buffer, int count, MPI_Datatype datatype, int target,
             int assert, MPI_Win win);
int MPI_Move_c(const void *buffer, MPI_Count count, MPI_Datatype datatype, int target,
               int assert, MPI_Win win);
int MPI_Open(MPI_Comm comm, int n, const int ranks[], MPI_Watch_function *watch,
             void *base, MPI_Win *win);
int MPI_Label(MPI_Win win, char *name, int *length);
double MPI_Clock(void);
int MPI_Close(int mode, void *result, MPI_Win *win);
int MPI_Gather(void *parts, void *whole, const int counts[], const MPI_Datatype types[],
               MPI_Op op, int root, MPI_Comm comm);
int MPI_Gather_c(void *parts, void *whole, const MPI_Count counts[],
                 const MPI_Datatype types[], MPI_Op op, int root, MPI_Comm comm);
int MPI_Graph(int n, const int degrees[], const int edges[], const int *weights,
              const int ranges[][3], MPI_Sum_function *update, void *state,
              MPI_Win *win);
int MPI_Choose(int n, int *size, int *first, int indices[], int *flag,
               MPI_Status *status);
int MPI_Choose_c(int n, MPI_Count *size, MPI_Count *rest, int *first, int indices[],
                 int *flag, MPI_Status *status);
int MPI_Set(const char *name, int key);
int MPI_Convert(int *key, int extra);
int oriel_move(const void *buffer, MPI_Count count, struct datatype *datatype,
               int target, int assert, struct window *win, _Bool is_large);
int oriel_open(struct communicator *comm, int n, const int ranks[],
               generic_function *watch, void *base, struct window **win);
int oriel_label(struct window *win, char *name, int *length);
double oriel_clock(void);
int oriel_close(int mode, void *result, struct window *win);
int oriel_gather(void *parts, void *whole, struct numbers counts,
                 const MPI_Datatype types[], struct operation *op, int root,
                 struct communicator *comm);
int oriel_set_graph(int n, const int degrees[], const int edges[], const int *weights,
                    const int ranges[][3], generic_function *update, void *state,
                    struct window *win);
int oriel_choose(int n, MPI_Count *size, MPI_Count *rest, int *first, int indices[],
                 int *flag, MPI_Status *status);
int oriel_set(const char *name, int key);
int oriel_convert(int *key, int extra);
typedef int MPI_Watch_function(MPI_Win *win, ...);
typedef void MPI_Sum_function(int n, void *state);
typedef void MPI_Sum_function_c(MPI_Count n, void *state);
