// SPDX-License-Identifier: BSD-3-Clause
// Standard output and error of the ranks, passed on in whole lines. mpiexec does not
// block: output that the reader does not take waits here, then in the ranks' pipes.
#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SINK_FULL = 1 << 16,
    READ_BYTES = 1 << 14,
    LINE_BYTES = 1 << 20, // a longer line is passed on in parts
    PIPE_BYTES_MAX = 1 << 20,
};

// Makes room for `more` bytes behind `used`.
static bool bytes_grow(char **bytes, size_t *room, size_t used, size_t more)
{
    if (*room - used >= more)
        return true;
    size_t larger = 2 * (used + more);
    char *moved = realloc(*bytes, larger);
    if (!moved)
        return false;
    *bytes = moved;
    *room = larger;
    return true;
}

static void sink_close(struct sink *sink)
{
    sink->fd = -1;
    sink->start = sink->used = 0;
}

void sink_put(struct sink *sink, const char *bytes, size_t count)
{
    if (sink->fd < 0 || count == 0)
        return;
    if (!bytes_grow(&sink->bytes, &sink->room, sink->used, count)) {
        say("no memory for %zu bytes of output, which are lost", count);
        return;
    }
    memcpy(sink->bytes + sink->used, bytes, count);
    sink->used += count;
}

bool sink_is_full(const struct sink *sink)
{
    return sink->used - sink->start >= SINK_FULL;
}

// After POLLOUT a pipe takes PIPE_BUF bytes at once. The part ends with a whole line if
// it can, because the other sink may be the same file.
void sink_write(struct sink *sink)
{
    const char *bytes = sink->bytes + sink->start;
    size_t count = sink->used - sink->start;
    if (count > PIPE_BUF) {
        const char *end = memrchr(bytes, '\n', PIPE_BUF);
        count = end ? (size_t)(end + 1 - bytes) : PIPE_BUF;
    }
    ssize_t written = write(sink->fd, bytes, count);
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
        if (sink->is_file)
            say("cannot write a file of output: %s", strerror(errno));
        sink_close(sink);
        return;
    }
    sink->start += written > 0 ? (size_t)written : 0;
    if (sink->start == sink->used)
        sink->start = sink->used = 0;
}

void sink_drain(struct sink *sink)
{
    while (sink->fd >= 0 && sink->used > sink->start) {
        poll(&(struct pollfd){sink->fd, POLLOUT, 0}, 1, -1);
        sink_write(sink);
    }
}

// Hands `count` bytes, which end with a line or with all there is, to the sink.
static void source_pass_on(struct source *source, size_t count)
{
    const char *bytes = source->bytes;
    for (const char *end = bytes + count; bytes < end;) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *next = newline ? newline + 1 : end;
        if (!source->is_inside_line)
            sink_put(source->sink, source->tag, strlen(source->tag));
        sink_put(source->sink, bytes, (size_t)(next - bytes));
        source->is_inside_line = !newline;
        bytes = next;
    }
    if (source->sink->is_file)
        sink_drain(source->sink);
    source->used -= count;
    memmove(source->bytes, source->bytes + count, source->used);
}

// `added` bytes have come behind those in use.
static void pass_on_lines(struct source *source, size_t added)
{
    const char *old_end = source->bytes + source->used;
    source->used += added;
    const char *newline = memrchr(old_end, '\n', added);
    if (newline)
        source_pass_on(source, (size_t)(newline + 1 - source->bytes));
    else if (source->used > LINE_BYTES)
        source_pass_on(source, source->used);
}

// Ends the last line, which has no end yet, so that the next rank's tag begins a line.
static void source_close(struct source *source)
{
    source_pass_on(source, source->used);
    if (source->is_inside_line && source->tag[0] != '\0')
        sink_put(source->sink, "\n", 1);
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
    free(source->bytes);
    source->bytes = NULL;
}

void source_read(struct source *source)
{
    bool has_reader = source->sink->fd >= 0;
    ssize_t got = -1;
    if (has_reader &&
        bytes_grow(&source->bytes, &source->room, source->used, READ_BYTES)) {
        got = read(source->fd, source->bytes + source->used, READ_BYTES);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
    }
    if (got <= 0)
        source_close(source);
    else
        pass_on_lines(source, (size_t)got);
}

void source_take(struct source *source, const char *bytes, size_t count)
{
    if (count == 0 || !bytes_grow(&source->bytes, &source->room, source->used, count))
        return;
    memcpy(source->bytes + source->used, bytes, count);
    pass_on_lines(source, count);
}

void source_drain(struct source *source)
{
    // A process that has left the group may write for ever: a pipe's content is enough.
    for (int reads = 0; reads < PIPE_BYTES_MAX / READ_BYTES && source->fd >= 0; reads++)
        if (poll(&(struct pollfd){source->fd, POLLIN, 0}, 1, 0) > 0)
            source_read(source);
    if (source->fd >= 0 || source->used > 0)
        source_close(source);
}
