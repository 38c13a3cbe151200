// SPDX-License-Identifier: BSD-3-Clause
// Lines of the PMI-1 wire protocol, as both processes and mpiexec read and write them.
#include "boot/boot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int wire_receive(struct wire *wire)
{
    size_t room = sizeof wire->bytes - wire->used;
    if (room == 0) {
        errno = EMSGSIZE;
        return -1;
    }
    ssize_t got;
    do
        got = read(wire->fd, wire->bytes + wire->used, room);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        wire->used += (size_t)got;
    return (int)got;
}

bool wire_line(struct wire *wire, char line[WIRE_LINE_BYTES])
{
    char *end = memchr(wire->bytes, '\n', wire->used);
    if (!end)
        return false;
    size_t length = (size_t)(end - wire->bytes);
    memcpy(line, wire->bytes, length);
    line[length] = '\0';
    wire->used -= length + 1;
    memmove(wire->bytes, end + 1, wire->used);
    return true;
}

bool wire_send(struct wire *wire, const char *format, ...)
{
    char line[WIRE_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line) {
        errno = EMSGSIZE;
        return false;
    }
    line[length++] = '\n'; // replaces the terminating zero
    for (int sent = 0; sent < length;) {
        ssize_t now =
            send(wire->fd, line + sent, (size_t)(length - sent), MSG_NOSIGNAL);
        if (now < 0 && errno != EINTR)
            return false;
        sent += now > 0 ? (int)now : 0;
    }
    return true;
}

bool wire_word(const char *line, const char *key, char *value, size_t value_size)
{
    size_t length = strlen(key);
    for (const char *word = line; *word != '\0'; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        if (strncmp(word, key, length) != 0 || word[length] != '=')
            continue;
        const char *start = word + length + 1;
        size_t bytes = strcspn(start, " ");
        if (bytes >= value_size)
            return false;
        memcpy(value, start, bytes);
        value[bytes] = '\0';
        return true;
    }
    return false;
}

bool wire_number(const char *line, const char *key, int minimum, int maximum,
                 int *number)
{
    char text[16];
    if (!wire_word(line, key, text, sizeof text))
        return false;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end != '\0' || value < minimum || value > maximum)
        return false;
    *number = (int)value;
    return true;
}
