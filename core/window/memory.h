// SPDX-License-Identifier: BSD-3-Clause
// Memory of windows.
#pragma once

#include "window/window.h"

// MPI_ERR_BUFFER or MPI_ERR_SIZE if the program's memory cannot have that size.
int check_memory(const void *memory, MPI_Aint size);
// An open window that exposes some of this memory, or NULL. Callers hold the message lock.
const struct window *window_user_of(const void *memory, size_t bytes);
// Keeps memory that the program frees if a window uses it. MPI_ERR_BASE if it is not the
// program's to free.
int kept_memory_keep(void *memory, size_t bytes, bool *is_kept);
// Frees memory that MPI_Free_mem has kept for windows, unless another window uses it.
void kept_memory_free(void);
// Forgets it, when the segment is about to go.
void kept_memory_forget(void);
