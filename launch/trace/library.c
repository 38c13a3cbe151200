// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end of the library that is traced.
#include "trace.h"

static bool is_running(void)
{
    int is_started, is_stopped;
    PMPI_Initialized(&is_started);
    PMPI_Finalized(&is_stopped);
    return is_started && !is_stopped;
}

// The predefined objects have the same numbers in all processes, whoever uses them first.
void trace_library_begins(void)
{
    if (!recorder_get())
        return;
    struct header *header = file_header();
    if (!is_running()) {
        header->has_ended = 1;
        return;
    }
    int rank, size;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    header->rank = rank;
    header->size = size;
    trace_communicator_begins(MPI_COMM_WORLD);
    trace_communicator_begins(MPI_COMM_SELF);
    clocks_compare_first(header);
}

void trace_library_ends(void)
{
    if (!recorder_get() || !is_running())
        return;
    struct header *header = file_header();
    clocks_compare_last(header);
    sites_print_files();
    moment_take(&header->last);
}
