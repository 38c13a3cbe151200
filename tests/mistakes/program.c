// SPDX-License-Identifier: BSD-3-Clause
// Runs one program of the corpus: its name, and "wrong" or "right".
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    void (*program)(bool wrong) = NULL;
    if (argc == 3)
        *(void **)&program = dlsym(RTLD_DEFAULT, argv[1]);
    if (program == NULL) {
        fprintf(stderr, "usage: %s PROGRAM wrong|right\n", argv[0]);
        return 2;
    }
    program(strcmp(argv[2], "wrong") == 0);
    return 0;
}
