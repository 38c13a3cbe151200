// SPDX-License-Identifier: BSD-3-Clause
// oriel-info: the command.
#include "info.h"

#include <dirent.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char HELP[] =
    "usage: oriel-info [--json] [--test]\n\n"
    "Says what this Oriel is, which networks it finds, its settings with their\n"
    "values, and what the system allows.\n\n"
    "  --json     as JSON\n"
    "  --test     run two processes that put and get, in one node and in two;\n"
    "             exit with 1 if that fails\n"
    "  --help     print this help\n"
    "  --version  print the version\n";

char *path_beside(const char *name)
{
    char self[4096], *path;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    int folder = slash ? (int)(slash - self) : 0;
    return asprintf(&path, "%.*s/%s", folder, self, name) < 0 ? NULL : path;
}

static void report_library(struct report *report)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, version = 0, subversion = 0;
    char *prefix = path_beside("..");
    char *whole = prefix ? realpath(prefix, NULL) : NULL;
    MPI_Get_library_version(text, &length);
    MPI_Get_version(&version, &subversion);
    report_open(report, "oriel");
    report_value(report, "version", "%s", ORIEL_VERSION);
    report_value(report, "library", "%.*s", (int)strcspn(text, "\n"), text);
    report_value(report, "standard", "MPI %d.%d", version, subversion);
    report_value(report, "prefix", "%s", whole ? whole : "unknown");
    report_value(report, "C compiler", "%s", ORIEL_C_COMPILER);
    report_value(report, "build type", "%s", ORIEL_BUILD_TYPE);
    report_value(report, "built with libfabric", "%s", ORIEL_FABRIC_VERSION);
    report_close(report);
    free(prefix);
    free(whole);
}

// A layer says in a file for which compiler it is, and how wide its INTEGERs are.
static void report_layer(struct report *report, const char *folder, const char *name)
{
    char *path, line[256];
    if (asprintf(&path, "%s/%s/compiler", folder, name) < 0)
        return;
    FILE *file = fopen(path, "re");
    if (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        report_value(report, name, "%s", line);
    }
    if (file)
        fclose(file);
    free(path);
}

static void report_fortran(struct report *report)
{
    char *folder = path_beside(ORIEL_LAYERS);
    DIR *layers = folder ? opendir(folder) : NULL;
    report_open(report, "fortran layers");
    for (struct dirent *entry; layers && (entry = readdir(layers));)
        if (*entry->d_name != '.')
            report_layer(report, folder, entry->d_name);
    report_close(report);
    if (layers)
        closedir(layers);
    free(folder);
}

static bool print_report(bool is_json, bool has_test)
{
    struct report report = {.is_json = is_json};
    bool is_right = true;
    report_library(&report);
    report_fortran(&report);
    report_providers(&report);
    report_settings(&report);
    report_limits(&report);
    if (has_test)
        is_right = self_test(&report);
    if (is_json)
        report_close(&report);
    return is_right;
}

int main(int argc, char **argv)
{
    bool is_json = false, has_test = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rank") == 0)
            return self_test_rank();
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(HELP, stdout);
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--version") == 0) {
            puts("oriel-info (Oriel) " ORIEL_VERSION);
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--json") == 0) {
            is_json = true;
        } else if (strcmp(argv[i], "--test") == 0) {
            has_test = true;
        } else {
            fprintf(stderr, "oriel-info: unknown option %s\n%s", argv[i], HELP);
            return 2;
        }
    }
    return print_report(is_json, has_test) ? EXIT_SUCCESS : EXIT_FAILURE;
}
