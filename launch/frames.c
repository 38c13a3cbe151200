// SPDX-License-Identifier: BSD-3-Clause
// Frames between mpiexec and its relay on another host: each is a header and bytes,
// over the standard input and output that the launch agent connects.
#include "launch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    READ_BYTES = 1 << 16,
    FRAME_MAX = 1 << 26, // more than any plan
};

// All in network byte order.
struct header {
    uint32_t magic, kind, rank, bytes;
};
static const uint32_t MAGIC = 0x4f72696c; // "Oril": what else comes is no frame

void frame_put(struct sink *sink, enum frame_kind kind, int rank, const void *bytes,
               size_t count)
{
    struct header header = {htonl(MAGIC), htonl(kind), htonl((uint32_t)rank),
                            htonl((uint32_t)count)};
    sink_put(sink, (const char *)&header, sizeof header);
    sink_put(sink, bytes, count);
}

int frames_receive(struct frames *frames)
{
    if (frames->room - frames->used < READ_BYTES) {
        size_t room = 2 * frames->room + READ_BYTES;
        char *moved = realloc(frames->bytes, room);
        if (!moved)
            return -1;
        frames->bytes = moved;
        frames->room = room;
    }
    ssize_t got;
    do
        got = read(frames->fd, frames->bytes + frames->used, READ_BYTES);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        frames->used += (size_t)got;
    return (int)got;
}

enum frame_state frame_take(struct frames *frames, struct frame *frame)
{
    struct header header;
    free(frames->taken);
    frames->taken = NULL;
    if (frames->used < sizeof header)
        return FRAME_INCOMPLETE;
    memcpy(&header, frames->bytes, sizeof header);
    size_t bytes = ntohl(header.bytes);
    if (ntohl(header.magic) != MAGIC || bytes > FRAME_MAX)
        return FRAME_NONSENSE;
    if (frames->used < sizeof header + bytes)
        return FRAME_INCOMPLETE;
    frames->taken = malloc(bytes + 1);
    if (!frames->taken)
        return FRAME_NONSENSE;
    memcpy(frames->taken, frames->bytes + sizeof header, bytes);
    frames->taken[bytes] = '\0';
    frames->used -= sizeof header + bytes;
    memmove(frames->bytes, frames->bytes + sizeof header + bytes, frames->used);
    *frame = (struct frame){.kind = (enum frame_kind)ntohl(header.kind),
                            .rank = (int)ntohl(header.rank),
                            .bytes = frames->taken,
                            .count = bytes};
    return FRAME_TAKEN;
}
