// SPDX-License-Identifier: BSD-3-Clause
// Stands for libFuzzer where no clang is: gives the files of the folders that are named
// on the command line to the target, so that what was once found stays tested. Flags of
// libFuzzer are ignored.
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>

enum { MOST_BYTES = 1 << 16 };

static void try_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(MOST_BYTES);
    if (file == NULL || bytes == NULL)
        abort();
    size_t count = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, count);
    free(bytes);
}

static int try_folder(const char *path)
{
    DIR *folder = opendir(path);
    int files = 0;
    if (folder == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.') {
            try_file(path, entry->d_name);
            files++;
        }
    closedir(folder);
    return files;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-')
            files += try_folder(argv[i]);
    printf("%d files\n", files);
    return files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
