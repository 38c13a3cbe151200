// SPDX-License-Identifier: BSD-3-Clause
// Typed buffers.
#include "collective/schedule.h"

int elements_copy(struct elements from, struct elements to)
{
    size_t room = elements_bytes(to), bytes = elements_bytes(from);
    blocks_copy(blocks_of(from.type, from.count), from.at, blocks_of(to.type, to.count),
                to.at, bytes < room ? bytes : room);
    if (bytes <= room)
        return 0;
    return fail(MPI_ERR_TRUNCATE, "%zu bytes do not fit into %zu", bytes, room);
}

struct datatype *byte_type(void)
{
    return handle_object(KIND_DATATYPE, (uintptr_t)MPI_BYTE);
}
