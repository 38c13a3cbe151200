// SPDX-License-Identifier: BSD-3-Clause
// Source lines are found in the debug information of the program, by any thread, and what
// else is known of an address is said without it.
#include "check.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>

void library_called_from(char *text, int bytes);

static bool hides_libraries;

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);

void *__wrap_dlopen(const char *name, int flags)
{
    return hides_libraries ? NULL : __real_dlopen(name, flags);
}

// An address in the call of this function.
static __attribute__((noinline)) const void *own_address(void)
{
    return (const char *)__builtin_return_address(0) - 1;
}

static bool text_begins(const char *text, const char *function, int line)
{
    char expected[SOURCE_TEXT_BYTES];
    snprintf(expected, sizeof expected, "base_source_line.c:%d (%s)", line, function);
    return strncmp(text, expected, strlen(expected)) == 0;
}

static void an_address_has_a_line(void)
{
    char text[SOURCE_TEXT_BYTES];
    const int line = __LINE__ + 1;
    source_line_text(own_address(), text);
    CHECK(text_begins(text, "an_address_has_a_line", line));
}

static void a_library_finds_its_call(void)
{
    char text[SOURCE_TEXT_BYTES];
    const int line = __LINE__ + 1;
    library_called_from(text, sizeof text);
    CHECK(text_begins(text, "a_library_finds_its_call", line));
}

static void nowhere_has_no_line(void)
{
    struct source_line found;
    char text[SOURCE_TEXT_BYTES];
    CHECK(!source_line_find(NULL, &found) && found.line == 0);
    CHECK(strcmp(source_line_text(NULL, text), "+0x0") == 0);
}

static void *look_many_times(void *unused)
{
    for (int i = 0; i < 20; i++)
        a_library_finds_its_call();
    for (int i = 0; i < 20; i++)
        an_address_has_a_line();
    return unused;
}

static void threads_may_look(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, look_many_times, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

// In a child, whose first lookup this is.
static void without_libdw_there_is_an_offset(void)
{
    int status;
    pid_t child = fork();
    if (child != 0) {
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        return;
    }
    struct source_line found;
    char text[SOURCE_TEXT_BYTES];
    hides_libraries = true;
    CHECK(!source_line_find(own_address(), &found) && found.offset > 0);
    source_line_text(own_address(), text);
    CHECK(strncmp(text, "base_source_line+0x", 19) == 0);
    _exit(0);
}

int main(void)
{
    if (dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL) == NULL)
        return 77;
    without_libdw_there_is_an_offset();
    threads_may_look();
    nowhere_has_no_line();
}
