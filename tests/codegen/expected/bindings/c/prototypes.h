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
int oriel_move(const void *buffer, MPI_Count count, struct datatype *datatype,
               int target, int assert, struct window *win, _Bool is_large);
int oriel_open(struct communicator *comm, int n, const int ranks[],
               generic_function *watch, void *base, struct window **win);
int oriel_label(struct window *win, char *name, int *length);
double oriel_clock(void);
int oriel_close(int mode, void *result, struct window *win);
typedef int MPI_Watch_function(MPI_Win *win);
