// SPDX-License-Identifier: BSD-3-Clause
// Colors of what people are told, on terminals only.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// By the user, as https://no-color.org has it, or by the terminal.
static inline bool color_is_refused(void)
{
    const char *refusal = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return (refusal != NULL && *refusal != '\0') ||
           (terminal != NULL && strcmp(terminal, "dumb") == 0);
}

// What MPIEXEC_COLOR is in a rank whose standard error mpiexec passes on to a terminal: which
// file that is, since the program's may be another one. False if the file is none.
enum { COLOR_FILE_BYTES = 48 };
static inline bool color_file(int fd, char text[COLOR_FILE_BYTES])
{
    struct stat file;
    bool is_known = fstat(fd, &file) == 0;
    if (is_known)
        snprintf(text, COLOR_FILE_BYTES, "%ju:%ju", (uintmax_t)file.st_dev,
                 (uintmax_t)file.st_ino);
    return is_known;
}

// Escape sequences of ECMA-48.
#define COLOR_END "\033[0m"
#define COLOR_HEAD "\033[1m"
#define COLOR_SOURCE "\033[36m"
#define COLOR_WARNING "\033[1;35m"
#define COLOR_ERROR "\033[1;31m"
