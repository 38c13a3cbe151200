// SPDX-License-Identifier: BSD-3-Clause
// The nodes of the job, from the launcher's map or its numbers of machines, or by an exchange
// of machine identities.
#include "boot/driver.h"
#include "boot/nodes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the launcher's map -----------------------------------------------------------

// A number followed by the byte `after`; leaves `text` behind it.
static bool take_number(const char **text, char after, int minimum, int *number)
{
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    long value = strtol(*text, &end, 10);
    if (*end != after || value < minimum || value > JOB_SIZE_MAX)
        return false;
    *text = end + 1;
    *number = (int)value;
    return true;
}

// Places ranks from *rank on by the group "first,machines,ranks)" at *text.
static bool map_take_group(const char **text, int size, int *machine_of, int *rank)
{
    int first, machines, each;
    if (!take_number(text, ',', 0, &first) || !take_number(text, ',', 1, &machines) ||
        !take_number(text, ')', 1, &each))
        return false;
    for (int machine = first; machine < first + machines && *rank < size; machine++) {
        for (int i = 0; i < each && *rank < size; i++) {
            if (machine >= size)
                return false;
            machine_of[(*rank)++] = machine;
        }
    }
    return true;
}

int mapping_parse(const char *text, int size, int *machine_of)
{
    static const char opening[] = "(vector";
    if (strncmp(text, opening, strlen(opening)) != 0)
        goto nonsense;
    for (int rank = 0; rank < size;) {
        const char *group = text + strlen(opening);
        do {
            if (strncmp(group, ",(", 2) != 0)
                goto nonsense;
            group += 2;
            if (!map_take_group(&group, size, machine_of, &rank))
                goto nonsense;
        } while (*group == ',');
        if (strcmp(group, ")") != 0)
            goto nonsense;
    }
    return 0;

nonsense:
    return fail(MPI_ERR_OTHER,
                "the launcher's map of %d processes makes no sense: '%.200s'", size,
                text);
}

// ---- without a map ----------------------------------------------------------------

// A number that two processes have in common if and only if they can share memory: of
// the running kernel and the PID name space.
static uint64_t machine_identity(void)
{
    char text[1024] = "";
    size_t used = 0;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file) {
        used = fread(text, 1, 64, file);
        fclose(file);
    }
    ssize_t length = readlink("/proc/self/ns/pid", text + used, 64);
    used += length > 0 ? (size_t)length : 0;
    gethostname(text + used, sizeof text - used - 1);
    return text_hash(text);
}

struct placed {
    uint64_t value;
    int rank;
};

static int placed_compare(const void *one, const void *other)
{
    const struct placed *a = one, *b = other;
    return a->value != b->value ? (a->value > b->value) - (a->value < b->value)
                                : (a->rank > b->rank) - (a->rank < b->rank);
}

int machines_number(const uint64_t *values, int size, int *machine_of)
{
    struct placed *placed = malloc((size_t)size * sizeof *placed);
    if (!placed)
        return fail(MPI_ERR_NO_MEM, "no memory to sort %d processes", size);
    for (int rank = 0; rank < size; rank++)
        placed[rank] = (struct placed){values[rank], rank};
    qsort(placed, (size_t)size, sizeof *placed, placed_compare);
    for (int i = 0, lowest = 0; i < size; i++) {
        if (placed[i].value != placed[lowest].value)
            lowest = i;
        machine_of[placed[i].rank] = placed[lowest].rank;
    }
    free(placed);
    return 0;
}

static bool launcher_tells_machines(struct boot *boot, uint64_t *machines)
{
    uint32_t machine;
    for (int rank = 0; rank < boot->size; rank++) {
        if (!boot->driver->machine || !boot->driver->machine(boot, rank, &machine))
            return false;
        machines[rank] = machine;
    }
    return true;
}

static int exchange_identities(struct boot *boot, uint64_t *identities)
{
    char key[WIRE_KEY_BYTES], value[WIRE_VALUE_BYTES];
    snprintf(key, sizeof key, "oriel-machine-%d", boot->rank);
    snprintf(value, sizeof value, "%016llx", (unsigned long long)machine_identity());
    int err = boot_put(boot, key, value);
    if (!err)
        err = boot_fence(boot);
    for (int rank = 0; rank < boot->size && !err; rank++) {
        snprintf(key, sizeof key, "oriel-machine-%d", rank);
        err = boot_get(boot, rank, key, value, sizeof value);
        if (!err)
            identities[rank] = strtoull(value, NULL, 16);
    }
    return err;
}

// All processes get the same answer of the launcher.
static int find_machines(struct boot *boot, int *machine_of)
{
    uint64_t *values = malloc((size_t)boot->size * sizeof *values);
    if (!values)
        return fail(MPI_ERR_NO_MEM, "no memory for a table of %d processes",
                    boot->size);
    int err =
        launcher_tells_machines(boot, values) ? 0 : exchange_identities(boot, values);
    if (!err)
        err = machines_number(values, boot->size, machine_of);
    free(values);
    return err;
}

// ---- nodes that are blocks --------------------------------------------------------

int mapping_block(const char *text, int size, int parts, int *of_machine)
{
    static const char opening[] = "(vector,(";
    const char *group = text + strlen(opening);
    int first, machines, each;
    if (strncmp(text, opening, strlen(opening)) != 0 ||
        !take_number(&group, ',', 0, &first) ||
        !take_number(&group, ',', 1, &machines) ||
        !take_number(&group, ')', 1, &each) || strcmp(group, ")") != 0 || first > 0)
        return 0;
    if (machines == 1 || each > size)
        each = size;
    if ((int64_t)machines * each < size)
        return 0; // further ranks begin with the first machine again
    if (parts > each)
        parts = each;
    *of_machine = each;
    return parts == 1 || (each % parts == 0 && size % each == 0) ? each / parts : 0;
}

static int ranks_in_block(const struct boot *boot, int block)
{
    int left = boot->size - boot->rank / block * block;
    return left < block ? left : block;
}

static int describe_blocks(struct boot *boot, int block)
{
    int count = ranks_in_block(boot, block);
    int *members = malloc((size_t)count * sizeof *members);
    if (members == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a node of %d processes", count);
    boot->block = block;
    boot->node = boot->rank / block;
    boot->node_count = (boot->size - 1) / block + 1;
    boot->first = boot->node * block;
    boot->node_rank = boot->rank - boot->first;
    boot->node_size = count;
    for (int i = 0; i < count; i++)
        members[i] = boot->first + i;
    boot->node_members = members;
    return 0;
}

// ---- nodes ------------------------------------------------------------------------

int machines_split(const int *machine_of, int size, int parts, int *node_of)
{
    struct machine {
        int ranks, placed, node;
    } *machines = calloc((size_t)size, sizeof *machines);
    if (!machines)
        return -1;
    for (int rank = 0; rank < size; rank++)
        machines[machine_of[rank]].ranks++;
    int nodes = 0;
    for (int rank = 0; rank < size; rank++) {
        struct machine *machine = &machines[machine_of[rank]];
        int64_t blocks = parts < machine->ranks ? parts : machine->ranks;
        int64_t place = machine->placed++;
        bool opens_block = place == 0 || place * blocks / machine->ranks !=
                                             (place - 1) * blocks / machine->ranks;
        if (opens_block)
            machine->node = nodes++;
        node_of[rank] = machine->node;
    }
    free(machines);
    return nodes;
}

static int count_equal(const int *values, int size, int rank)
{
    int count = 0;
    for (int i = 0; i < size; i++)
        count += values[i] == values[rank];
    return count;
}

// How many ranks each node has one behind the other, if it has no others; else 0.
static int find_block(const int *node_of, int size)
{
    int block = 1;
    while (block < size && node_of[block] == 0)
        block++;
    for (int rank = block; rank < size; rank++)
        if (node_of[rank] != rank / block)
            return 0;
    return block;
}

static void tables_place(struct boot *boot, const int *tables)
{
    boot->node_of = tables;
    boot->node_rank_of = tables + boot->size;
    boot->leaders = boot->node_rank_of + boot->size;
}

size_t boot_tables_bytes(const struct boot *boot)
{
    size_t size = (size_t)boot->size, nodes = (size_t)boot->node_count;
    return boot->block > 0 ? 0 : (2 * size + nodes) * sizeof(int);
}

void boot_copy_tables(const struct boot *boot, void *shared)
{
    memcpy(shared, boot->tables, boot_tables_bytes(boot));
}

void boot_use_tables(struct boot *boot, const void *shared)
{
    tables_place(boot, shared);
    free(boot->tables);
    boot->tables = NULL;
}

// Derives the other tables from that of nodes. MPI_ERR_NO_MEM.
static int describe_tables(struct boot *boot, const int *node_of)
{
    size_t size = (size_t)boot->size;
    size_t own = (size_t)count_equal(node_of, boot->size, boot->rank);
    int *counts = calloc((size_t)boot->node_count, sizeof *counts);
    int *members = malloc(own * sizeof *members);
    int *tables = malloc(boot_tables_bytes(boot));
    if (counts == NULL || members == NULL || tables == NULL) {
        free(counts);
        free(members);
        free(tables);
        return fail(MPI_ERR_NO_MEM, "no memory for the tables of %d processes",
                    boot->size);
    }
    int *node_rank_of = tables + size, *leaders = node_rank_of + size;
    boot->node = node_of[boot->rank];
    memcpy(tables, node_of, size * sizeof *tables);
    for (int rank = 0; rank < boot->size; rank++) {
        int node = node_of[rank];
        if (counts[node] == 0)
            leaders[node] = rank;
        if (node == boot->node)
            members[counts[node]] = rank;
        node_rank_of[rank] = counts[node]++;
    }
    free(counts);
    boot->tables = tables;
    tables_place(boot, tables);
    boot->node_members = members;
    boot->node_size = (int)own;
    boot->node_rank = node_rank_of[boot->rank];
    boot->first = members[0];
    return 0;
}

static int describe_nodes(struct boot *boot, const int *node_of)
{
    int block = find_block(node_of, boot->size);
    return block > 0 ? describe_blocks(boot, block) : describe_tables(boot, node_of);
}

// By a map of any form, or without one.
static int find_by_tables(struct boot *boot, const char *map, int parts)
{
    size_t size = (size_t)boot->size;
    int *machine_of = malloc(2 * size * sizeof *machine_of);
    if (machine_of == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to find the nodes of %d processes",
                    boot->size);
    int *node_of = machine_of + size;
    int err = *map == '\0' ? find_machines(boot, machine_of)
                           : mapping_parse(map, boot->size, machine_of);
    if (!err) {
        boot->machine_size = count_equal(machine_of, boot->size, boot->rank);
        boot->node_count = machines_split(machine_of, boot->size, parts, node_of);
        if (boot->node_count < 1)
            err = fail(MPI_ERR_NO_MEM, "no memory to place %d processes", boot->size);
    }
    if (!err)
        err = describe_nodes(boot, node_of);
    free(machine_of);
    return err;
}

// From the launcher's PMI_process_mapping or its numbers of machines, or else by an exchange
// of machine identities, then split by ORIEL_FAKE_NODES.
int boot_find_nodes(struct boot *boot)
{
    char map[WIRE_VALUE_BYTES] = "(vector,(0,1,1))";
    int parts = process.options.fake_nodes > 1 ? process.options.fake_nodes : 1;
    int err = 0, of_machine;
    if (boot->size > 1)
        err = boot_get(boot, BOOT_LAUNCHER, "PMI_process_mapping", map, sizeof map);
    if (err == MPI_ERR_NAME)
        *map = '\0';
    else if (err)
        return err;
    int block = mapping_block(map, boot->size, parts, &of_machine);
    if (block == 0)
        return find_by_tables(boot, map, parts);
    boot->machine_size = ranks_in_block(boot, of_machine);
    return describe_blocks(boot, block);
}

void nodes_free(struct boot *boot)
{
    free((int *)boot->node_members);
    free(boot->tables);
}
