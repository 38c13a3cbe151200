// SPDX-License-Identifier: BSD-3-Clause
// Lines of the PMI-1 wire come whole, however they were cut on the way; words are found
// by their whole name only.
#include "boot/boot.h"
#include "check.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static void words_are_found_by_their_whole_name(void)
{
    char value[8];
    const char *line = "cmd=get  key=a=b xkey=no rc=-1 empty= last=z";
    CHECK(wire_word(line, "cmd", value, sizeof value) && strcmp(value, "get") == 0);
    CHECK(wire_word(line, "key", value, sizeof value) && strcmp(value, "a=b") == 0);
    CHECK(wire_word(line, "empty", value, sizeof value) && strcmp(value, "") == 0);
    CHECK(wire_word(line, "last", value, sizeof value) && strcmp(value, "z") == 0);
    CHECK(!wire_word(line, "ke", value, sizeof value));
    CHECK(!wire_word(line, "b", value, sizeof value));
    CHECK(!wire_word("", "cmd", value, sizeof value));
    CHECK(!wire_word("key", "key", value, sizeof value));
    CHECK(wire_word("v=1234567", "v", value, sizeof value));
    CHECK(!wire_word("v=12345678", "v", value, sizeof value));
}

static void numbers_are_checked(void)
{
    int number = 5;
    CHECK(wire_number("n=12", "n", 0, 12, &number) && number == 12);
    CHECK(wire_number("n=-3", "n", -5, 12, &number) && number == -3);
    CHECK(!wire_number("n=13", "n", 0, 12, &number));
    CHECK(!wire_number("n=1x", "n", 0, 12, &number));
    CHECK(!wire_number("n=", "n", 0, 12, &number));
    CHECK(!wire_number("n=99999999999999999999", "n", 0, 12, &number));
    CHECK(!wire_number("m=1", "n", 0, 12, &number));
    CHECK(number == -3);
}

static void lines_come_whole(void)
{
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    struct wire wire = {.fd = ends[0]}, other = {.fd = ends[1]};
    char line[WIRE_LINE_BYTES];

    CHECK(write(ends[1], "one\ntw", 6) == 6);
    CHECK(wire_receive(&wire) == 6);
    CHECK(wire_line(&wire, line) && strcmp(line, "one") == 0);
    CHECK(!wire_line(&wire, line));
    CHECK(wire_send(&other, "o %d", 2));
    CHECK(wire_receive(&wire) > 0);
    CHECK(wire_line(&wire, line) && strcmp(line, "two 2") == 0);
    CHECK(!wire_line(&wire, line));

    close(ends[1]);
    CHECK(wire_receive(&wire) == 0);
    CHECK(!wire_send(&wire, "to nobody") && errno == EPIPE);
    close(ends[0]);
}

static void endless_line_is_refused(void)
{
    int ends[2];
    char many[WIRE_LINE_BYTES + 1];
    memset(many, 'x', sizeof many);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(write(ends[1], many, sizeof many) == sizeof many);
    struct wire wire = {.fd = ends[0]};
    int got;
    while ((got = wire_receive(&wire)) > 0)
        CHECK(!wire_line(&wire, (char[WIRE_LINE_BYTES]){0}));
    CHECK(got == -1 && errno == EMSGSIZE);

    many[sizeof many - 1] = '\0';
    CHECK(!wire_send(&wire, "%s", many) && errno == EMSGSIZE);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    words_are_found_by_their_whole_name();
    numbers_are_checked();
    lines_come_whole();
    endless_line_is_refused();
    return 0;
}
