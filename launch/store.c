// SPDX-License-Identifier: BSD-3-Clause
// The key-value space that the ranks of a job share: a hash table with chains.
#include "launch.h"

#include <stdlib.h>
#include <string.h>

struct pair {
    struct pair *next;
    char *value;
    char key[]; // followed by the value
};

struct store {
    size_t mask; // number of chains - 1
    struct pair *chains[];
};

struct store *store_make(int ranks)
{
    size_t chains = 16;
    while (chains < 4 * (size_t)ranks)
        chains *= 2;
    struct store *store = calloc(1, sizeof *store + chains * sizeof store->chains[0]);
    if (store)
        store->mask = chains - 1;
    return store;
}

static size_t chain_of(const struct store *store, const char *key)
{
    size_t hash = 0;
    for (; *key != '\0'; key++)
        hash = hash * 31 + (unsigned char)*key;
    return hash & store->mask;
}

const char *store_get(const struct store *store, const char *key)
{
    const struct pair *pair = store->chains[chain_of(store, key)];
    while (pair && strcmp(pair->key, key) != 0)
        pair = pair->next;
    return pair ? pair->value : NULL;
}

bool store_put(struct store *store, const char *key, const char *value)
{
    if (store_get(store, key))
        return false;
    size_t key_bytes = strlen(key) + 1, value_bytes = strlen(value) + 1;
    struct pair *pair = malloc(sizeof *pair + key_bytes + value_bytes);
    if (!pair)
        return false;
    pair->value = pair->key + key_bytes;
    memcpy(pair->key, key, key_bytes);
    memcpy(pair->value, value, value_bytes);
    struct pair **chain = &store->chains[chain_of(store, key)];
    pair->next = *chain;
    *chain = pair;
    return true;
}
