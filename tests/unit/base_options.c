// SPDX-License-Identifier: BSD-3-Clause
// Options come from the environment with their defaults; a value that does not parse is
// an error that names variable, value and remedy.
#include "check.h"

#include <string.h>

static struct options read_with(const char *name, const char *value)
{
    struct options options = {0};
    setenv(name, value, 1);
    CHECK(options_read(&options) == 0);
    unsetenv(name);
    return options;
}

static void check_refused(const char *name, const char *value, const char *remedy)
{
    struct options options = {0};
    int error_class;
    setenv(name, value, 1);
    CHECK(options_read(&options) == MPI_ERR_ARG);
    unsetenv(name);
    const char *detail = error_detail(&error_class);
    CHECK(error_class == MPI_ERR_ARG);
    CHECK(strstr(detail, name) && strstr(detail, value) && strstr(detail, remedy));
}

static void defaults_hold_when_nothing_is_set(void)
{
    struct options options = read_with("ORIEL_CHECK", ""); // empty is as not set
    CHECK(options.check == CHECK_FULL && !options.verbose && options.fake_nodes == 1);
    CHECK(options.provider[0] == '\0' && options.progress_thread);
    CHECK(options.spin_microseconds > 0 && options.heap_bytes == 0);
}

static void every_kind_of_value_is_read(void)
{
    CHECK(read_with("ORIEL_CHECK", "off").check == CHECK_OFF);
    CHECK(read_with("ORIEL_CHECK", "basic").check == CHECK_BASIC);
    CHECK(read_with("ORIEL_CHECK", "leaks,basic").check == CHECK_BASIC);
    CHECK(read_with("ORIEL_CHECK", "leaks").check == CHECK_FULL);
    CHECK(read_with("ORIEL_CHECK", "off,leaks").analyses == ANALYSIS_LEAKS);
    CHECK(read_with("ORIEL_CHECK", "errors,leaks").analyses ==
          (ANALYSIS_ERRORS | ANALYSIS_LEAKS));
    CHECK(read_with("ORIEL_CHECK", "full").analyses == 0);
    CHECK(strcmp(read_with("ORIEL_REPORT", "a b").report, "a b") == 0);
    CHECK(read_with("ORIEL_VERBOSE", "1").verbose);
    CHECK(!read_with("ORIEL_PROGRESS", "off").progress_thread);
    CHECK(read_with("ORIEL_FAKE_NODES", "3").fake_nodes == 3);
    CHECK(read_with("ORIEL_SPIN", "0").spin_microseconds == 0);
    CHECK(strcmp(read_with("ORIEL_PROVIDER", "tcp").provider, "tcp") == 0);
    CHECK(read_with("ORIEL_HEAP", "4096").heap_bytes == 4096);
    CHECK(read_with("ORIEL_HEAP", "64K").heap_bytes == (size_t)64 << 10);
    CHECK(read_with("ORIEL_HEAP", "2G").heap_bytes == (size_t)2 << 30);
    CHECK(read_with("ORIEL_HEAP", "1T").heap_bytes == (size_t)1 << 40);
    CHECK(read_with("ORIEL_SHARE_PAGES", "windows").share_pages !=
          read_with("ORIEL_SHARE_PAGES", "off").share_pages);
}

static void a_limit_of_waits_is_read(void)
{
    CHECK(strcmp(read_with("ORIEL_STUCK", "").stuck, "10") == 0);
    CHECK(strcmp(read_with("ORIEL_STUCK", "0.5,abort").stuck, "0.5,abort") == 0);
    CHECK(stuck_limit_of("10").nanoseconds == UINT64_C(10000000000));
    CHECK(!stuck_limit_of("10").must_abort);
    CHECK(stuck_limit_of("0.5,abort").nanoseconds == 500000000);
    CHECK(stuck_limit_of("0.5,abort").must_abort);
    CHECK(stuck_limit_of("off").nanoseconds == 0);
    check_refused("ORIEL_STUCK", "0", "seconds[,abort]|off");
    check_refused("ORIEL_STUCK", "-1", "seconds[,abort]|off");
    check_refused("ORIEL_STUCK", "10,stop", "seconds[,abort]|off");
    check_refused("ORIEL_STUCK", "1e99", "seconds[,abort]|off");
}

static void nonsense_is_refused(void)
{
    check_refused("ORIEL_CHECK", "ful", "off|basic|full");
    check_refused("ORIEL_CHECK", "full|basic", "off|basic|full");
    check_refused("ORIEL_CHECK", "full,basic", "leaks");
    check_refused("ORIEL_CHECK", "full,", "leaks");
    check_refused("ORIEL_CHECK", "leak", "leaks");
    check_refused("ORIEL_VERBOSE", "yes", "0|1");
    check_refused("ORIEL_FAKE_NODES", "-1", "number");
    check_refused("ORIEL_FAKE_NODES", "2x", "number");
    check_refused("ORIEL_SPIN", "99999999999999999999", "number");
    check_refused("ORIEL_HEAP", "2Q", "64M");
    check_refused("ORIEL_HEAP", "2GB", "64M");
    check_refused("ORIEL_HEAP", "-1", "64M");
    check_refused("ORIEL_HEAP", "18446744073709551615K", "64M");
    check_refused("ORIEL_SHARE_PAGES", "true", "off|windows");
}

static void list_names_every_variable(void)
{
    char *text;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    options_list(file);
    fclose(file);
    int lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        line += strspn(line, " ");
        CHECK(option_exists(line, strcspn(line, "=")));
    }
    CHECK(lines == 10);
    CHECK(!option_exists("ORIEL_CHECKS", 12) && !option_exists("ORIEL_CHEC", 10));
    free(text);
}

static void a_misspelt_variable_resembles_one(void)
{
    const struct option *nearest = option_nearest("ORIEL_CHEKC", 11);
    CHECK(nearest != NULL && strcmp(nearest->name, "ORIEL_CHECK") == 0);
    CHECK(option_nearest("SOMETHING_ELSE", 14) == NULL);
    CHECK(option_nearest("ORIEL_MPIEXEC", 13) == NULL);
    CHECK(option_nearest("ORIEL_GENERATED", 15) == NULL);
}

int main(void)
{
    defaults_hold_when_nothing_is_set();
    every_kind_of_value_is_read();
    a_limit_of_waits_is_read();
    nonsense_is_refused();
    list_names_every_variable();
    a_misspelt_variable_resembles_one();
    return 0;
}
