// SPDX-License-Identifier: BSD-3-Clause
// infos_keep_order_and_lengths: MPI-4.1 10.
// Needs the core.

#include "check.h"
#include "object/object.h"

#include <oriel_core.h>
#include <string.h>

static bool has_value(const struct info *info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL];
    return info_value(info, key, value) && strcmp(value, expected) == 0;
}

static void keys_keep_the_order_in_which_they_were_set(void)
{
    struct info *info;
    char key[MPI_MAX_INFO_KEY], expected[16];
    int count;
    CHECK(oriel_info_create(&info) == 0);
    for (int i = 0; i < 50; i++) {
        snprintf(expected, sizeof expected, "key%d", i);
        CHECK(oriel_info_set(info, expected, "old") == 0);
        CHECK(oriel_info_set(info, "key0", expected) == 0);
    }
    CHECK(oriel_info_get_nkeys(info, &count) == 0 && count == 50);
    CHECK(oriel_info_delete(info, "key10") == 0);
    for (int i = 0; i < 49; i++) {
        snprintf(expected, sizeof expected, "key%d", i < 10 ? i : i + 1);
        CHECK(oriel_info_get_nthkey(info, i, key) == 0);
        CHECK(strcmp(key, expected) == 0);
    }
    CHECK(has_value(info, "key0", "key49"));
    CHECK(oriel_info_get_nthkey(info, 49, key) == MPI_ERR_ARG);
    CHECK(oriel_info_get_nthkey(info, -1, key) == MPI_ERR_ARG);
    CHECK(oriel_info_delete(info, "key10") == MPI_ERR_INFO_NOKEY);
    CHECK(oriel_info_free(info) == 0);
}

static void get_string(struct info *info, int length, const char *expected)
{
    char value[16] = "untouched";
    int flag = -1;
    int err = oriel_info_get_string(info, "key", &length, value, &flag);
    CHECK(err == 0 && flag == 1 && length == 6);
    CHECK(strcmp(value, expected) == 0);
}

static void strings_are_cut_to_the_buffer(void)
{
    struct info *info;
    int length = 16, flag = -1;
    char value[16] = "untouched";
    CHECK(oriel_info_create(&info) == 0);
    CHECK(oriel_info_set(info, "key", "value") == 0);
    get_string(info, 0, "untouched");
    get_string(info, 1, "");
    get_string(info, 5, "valu");
    get_string(info, 6, "value");
    get_string(info, 16, "value");
    CHECK(oriel_info_get_string(info, "none", &length, value, &flag) == 0);
    CHECK(flag == 0 && length == 16 && strcmp(value, "untouched") == 0);
    CHECK(oriel_info_free(info) == 0);
}

static void long_keys_and_values_are_errors(void)
{
    struct info *info;
    static char text[MPI_MAX_INFO_VAL + 1];
    CHECK(oriel_info_create(&info) == 0);
    memset(text, 'x', MPI_MAX_INFO_VAL);
    CHECK(oriel_info_set(info, "key", text) == MPI_ERR_INFO_VALUE);
    text[MPI_MAX_INFO_VAL - 1] = '\0';
    CHECK(oriel_info_set(info, "key", text) == 0);
    text[MPI_MAX_INFO_KEY] = '\0';
    CHECK(oriel_info_set(info, text, "value") == MPI_ERR_INFO_KEY);
    text[MPI_MAX_INFO_KEY - 1] = '\0';
    CHECK(oriel_info_set(info, text, "value") == 0);
    CHECK(oriel_info_set(info, "", "value") == MPI_ERR_INFO_KEY);
    CHECK(oriel_info_delete(info, "") == MPI_ERR_INFO_KEY);
    CHECK(info->count == 2);
    CHECK(oriel_info_free(info) == 0);
}

static void a_duplicate_is_independent(void)
{
    struct info *info, *copy;
    CHECK(oriel_info_create(&info) == 0);
    CHECK(oriel_info_set(info, "one", "1") == 0);
    CHECK(oriel_info_set(info, "two", "2") == 0);
    CHECK(oriel_info_dup(info, &copy) == 0);
    CHECK(oriel_info_set(info, "one", "changed") == 0);
    CHECK(oriel_info_delete(info, "two") == 0);
    CHECK(has_value(copy, "one", "1"));
    CHECK(has_value(copy, "two", "2"));
    CHECK(object_handle(copy) != object_handle(info));
    CHECK(oriel_info_free(info) == 0);
    CHECK(oriel_info_free(copy) == 0);
}

static void flags_are_true_or_false_or_else(void)
{
    struct info *info;
    CHECK(info_make(&info) == 0);
    CHECK(info_put(info, "yes", "TRUE") == 0);
    CHECK(info_put(info, "no", "false") == 0);
    CHECK(info_put(info, "odd", "maybe") == 0);
    CHECK(info_flag(info, "yes", false) && !info_flag(info, "no", true));
    CHECK(info_flag(info, "odd", true) && !info_flag(info, "odd", false));
    CHECK(info_flag(info, "none", true) && !info_flag(NULL, "none", false));
    object_release(info);
}

static void the_environment_cannot_be_changed(void)
{
    struct info *environment = handle_object(KIND_INFO, (uintptr_t)MPI_INFO_ENV);
    CHECK(environment != NULL);
    CHECK(has_value(environment, "maxprocs", "7"));
    CHECK(oriel_info_set(environment, "maxprocs", "8") == MPI_ERR_INFO);
    CHECK(oriel_info_delete(environment, "maxprocs") == MPI_ERR_INFO);
    CHECK(oriel_info_free(environment) == MPI_ERR_INFO);
}

int main(void)
{
    keys_keep_the_order_in_which_they_were_set(); // also before the layer has started
    process.job_size = 7;
    CHECK(objects_start() == 0);
    strings_are_cut_to_the_buffer();
    long_keys_and_values_are_errors();
    a_duplicate_is_independent();
    flags_are_true_or_false_or_else();
    the_environment_cannot_be_changed();
    objects_stop();
    return 0;
}
