// SPDX-License-Identifier: BSD-3-Clause
// Info objects (MPI-4.1 10): ordered lists of (key, value). One lock guards all of them;
// they may be used before MPI_Init and by several threads.
#include "object/environment.h"

#include <limits.h>
#include <oriel_core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct info info_env;

static void pair_free(struct info_pair *pair)
{
    free(pair->key);
    free(pair->value);
}

void info_clear(struct info *info)
{
    for (int i = 0; i < info->count; i++)
        pair_free(&info->pairs[i]);
    free(info->pairs);
    info->pairs = NULL;
    info->count = info->room = 0;
}

static void info_destroy(struct object *object)
{
    struct info *info = (struct info *)object;
    info_clear(info);
    free(info);
}

int info_make(struct info **info)
{
    struct info *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for an info object");
    object_init(&made->object, info_destroy);
    *info = made;
    return 0;
}

// ---- with the lock held

static struct info_pair *pair_find(const struct info *info, const char *key)
{
    for (int i = 0; i < info->count; i++)
        if (strcmp(info->pairs[i].key, key) == 0)
            return &info->pairs[i];
    return NULL;
}

// A new pair at the end, still without key and value.
static struct info_pair *pair_append(struct info *info)
{
    if (info->count == info->room) {
        int room = info->room ? 2 * info->room : 4;
        void *pairs = realloc(info->pairs, (size_t)room * sizeof *info->pairs);
        if (pairs == NULL)
            return NULL;
        info->pairs = pairs;
        info->room = room;
    }
    return &info->pairs[info->count];
}

static int pair_set(struct info *info, const char *key, const char *value)
{
    char *new_value = strdup(value);
    struct info_pair *pair = pair_find(info, key);
    if (pair != NULL && new_value != NULL) {
        free(pair->value);
        pair->value = new_value;
        return 0;
    }
    char *new_key = strdup(key);
    pair = pair_append(info);
    if (new_key == NULL || new_value == NULL || pair == NULL) {
        free(new_key);
        free(new_value);
        return fail(MPI_ERR_NO_MEM, "no memory for info key \"%s\"", key);
    }
    *pair = (struct info_pair){new_key, new_value};
    info->count++;
    return 0;
}

static int pairs_copy(const struct info *from, struct info *to)
{
    int err = 0;
    for (int i = 0; !err && i < from->count; i++)
        err = pair_set(to, from->pairs[i].key, from->pairs[i].value);
    return err;
}

// ---- for the library

static void infos_enter(void)
{
    pthread_mutex_lock(&objects.infos_lock);
}

static void infos_leave(void)
{
    pthread_mutex_unlock(&objects.infos_lock);
}

int info_put(struct info *info, const char *key, const char *value)
{
    infos_enter();
    int err = pair_set(info, key, value);
    infos_leave();
    return err;
}

static int info_copy(const struct info *from, struct info **copy)
{
    struct info *made = NULL;
    int err = info_make(&made);
    if (err)
        return err;
    infos_enter();
    if (from != NULL)
        err = pairs_copy(from, made);
    infos_leave();
    if (err)
        object_release(made);
    else
        *copy = made;
    return err;
}

// The length of the value, of which as much is copied as there is room for; -1 if the
// key is not set.
static int value_get(const struct info *info, const char *key, char *value, int room)
{
    infos_enter();
    const struct info_pair *pair = pair_find(info, key);
    int length = pair ? (int)strlen(pair->value) : -1;
    if (pair != NULL && room > 0)
        snprintf(value, (size_t)room, "%s", pair->value);
    infos_leave();
    return length;
}

bool info_value(const struct info *info, const char *key, char value[MPI_MAX_INFO_VAL])
{
    return info != NULL && value_get(info, key, value, MPI_MAX_INFO_VAL) >= 0;
}

bool info_key(const struct info *info, int index, char key[MPI_MAX_INFO_KEY + 1])
{
    pthread_mutex_lock(&objects.infos_lock);
    bool is_there = index < info->count;
    if (is_there)
        snprintf(key, MPI_MAX_INFO_KEY + 1, "%s", info->pairs[index].key);
    pthread_mutex_unlock(&objects.infos_lock);
    return is_there;
}

bool info_flag(const struct info *info, const char *key, bool otherwise)
{
    char value[MPI_MAX_INFO_VAL];
    if (!info_value(info, key, value))
        return otherwise;
    if (strcasecmp(value, "true") == 0)
        return true;
    return strcasecmp(value, "false") == 0 ? false : otherwise;
}

// ---- for the program

static int check_key(const char *key)
{
    size_t length = strnlen(key, MPI_MAX_INFO_KEY);
    if (length > 0 && length < MPI_MAX_INFO_KEY)
        return 0;
    return fail(MPI_ERR_INFO_KEY, "key \"%.32s%s\": must have 1 to %d characters", key,
                length > 32 ? "..." : "", MPI_MAX_INFO_KEY - 1);
}

static int check_changeable(const struct info *info)
{
    if (!info->object.is_predefined)
        return 0;
    return fail(MPI_ERR_INFO, "info = MPI_INFO_ENV: cannot be changed or freed");
}

int oriel_info_create(struct info **info)
{
    int err = info_make(info);
    return err ? err : object_open(&(*info)->object, KIND_INFO);
}

// The bytes of the integers that the ABI leaves to the platform (MPI-5.0 20).
int oriel_abi_get_info(struct info **info)
{
    static const struct {
        const char *key;
        size_t bytes;
    } sizes[] = {
        {"mpi_aint_size", sizeof(MPI_Aint)},
        {"mpi_count_size", sizeof(MPI_Count)},
        {"mpi_offset_size", sizeof(MPI_Offset)},
    };
    struct info *made = NULL;
    int err = info_make(&made);
    if (err)
        return err;
    for (size_t i = 0; !err && i < sizeof sizes / sizeof sizes[0]; i++) {
        char value[24];
        snprintf(value, sizeof value, "%zu", sizes[i].bytes);
        err = info_put(made, sizes[i].key, value);
    }
    if (err) {
        object_release(made);
        return err;
    }
    *info = made;
    return object_open(&made->object, KIND_INFO);
}

int oriel_info_set(struct info *info, const char *key, const char *value)
{
    int err = check_changeable(info);
    if (!err)
        err = check_key(key);
    if (err)
        return err;
    if (strnlen(value, MPI_MAX_INFO_VAL) == MPI_MAX_INFO_VAL)
        return fail(MPI_ERR_INFO_VALUE,
                    "value of key \"%s\": must have at most %d characters", key,
                    MPI_MAX_INFO_VAL - 1);
    return info_put(info, key, value);
}

// *buflen becomes what the whole value needs with its terminator; at most the *buflen
// bytes that came in are written, 0 leaves `value` alone (MPI-4.1 10).
int oriel_info_get_string(struct info *info, const char *key, int *buflen, char *value,
                          int *flag)
{
    int err = check_key(key);
    if (err)
        return err;
    int length = value_get(info, key, value, *buflen);
    *flag = length >= 0;
    if (length >= 0)
        *buflen = length + 1;
    return 0;
}

// The deprecated procedures count characters without the terminator (16.3).
int oriel_info_get(struct info *info, const char *key, int valuelen, char *value,
                   int *flag)
{
    int room = valuelen < INT_MAX ? valuelen + 1 : valuelen;
    return oriel_info_get_string(info, key, &room, value, flag);
}

int oriel_info_get_valuelen(struct info *info, const char *key, int *valuelen,
                            int *flag)
{
    int room = 0;
    int err = oriel_info_get_string(info, key, &room, NULL, flag);
    if (!err && *flag)
        *valuelen = room - 1;
    return err;
}

int oriel_info_get_nkeys(struct info *info, int *nkeys)
{
    infos_enter();
    *nkeys = info->count;
    infos_leave();
    return 0;
}

int oriel_info_get_nthkey(struct info *info, int n, char *key)
{
    infos_enter();
    int count = info->count;
    if (n >= 0 && n < count)
        strcpy(key, info->pairs[n].key);
    infos_leave();
    if (n >= 0 && n < count)
        return 0;
    return fail(MPI_ERR_ARG, "n = %d: must be less than the number of keys, %d", n,
                count);
}

static bool pair_remove(struct info *info, const char *key)
{
    struct info_pair *pair = pair_find(info, key);
    if (pair == NULL)
        return false;
    pair_free(pair);
    info->count--;
    memmove(pair, pair + 1, (size_t)(info->pairs + info->count - pair) * sizeof *pair);
    return true;
}

int oriel_info_delete(struct info *info, const char *key)
{
    int err = check_changeable(info);
    if (!err)
        err = check_key(key);
    if (err)
        return err;
    infos_enter();
    bool was_set = pair_remove(info, key);
    infos_leave();
    return was_set ? 0 : fail(MPI_ERR_INFO_NOKEY, "key \"%s\": is not set", key);
}

int oriel_info_dup(struct info *info, struct info **newinfo)
{
    int err = info_copy(info, newinfo);
    return err ? err : object_open(&(*newinfo)->object, KIND_INFO);
}

int oriel_info_free(struct info *info)
{
    int err = check_changeable(info);
    if (!err)
        object_close(&info->object);
    return err;
}
