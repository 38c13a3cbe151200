// SPDX-License-Identifier: BSD-3-Clause
// Every process sees what all others have put before a fence, whoever launched the job,
// and agrees with them on the map of nodes. Alone it is a unit test; tests/launch runs
// it as a job, and tells it how to end:
//   crash R | leave R | fail R | abort R    rank R ends so before the others finalize
//   sleep                                   all wait for a signal
#include "boot/boot.h"
#include "check.h"

#include <signal.h>
#include <string.h>

// What each process tells the others: its rank and node.
static void value_of(const struct boot *boot, int rank, char descriptor[64])
{
    snprintf(descriptor, 64, "%d/%d", rank, boot_node(boot, rank));
}

static void exchange(struct boot *boot, int round)
{
    char key[WIRE_KEY_BYTES], descriptor[64], value[64];
    snprintf(key, sizeof key, "round-%d-%d", round, boot->rank);
    value_of(boot, boot->rank, descriptor);
    CHECK(boot_put(boot, key, descriptor) == 0);
    CHECK(boot_fence(boot) == 0);
    for (int rank = 0; rank < boot->size; rank++) {
        snprintf(key, sizeof key, "round-%d-%d", round, rank);
        value_of(boot, rank, descriptor);
        CHECK(boot_get(boot, rank, key, value, sizeof value) == 0);
        CHECK(strcmp(value, descriptor) == 0);
    }
    CHECK(boot_get(boot, BOOT_LAUNCHER, "nobody's", value, sizeof value) ==
          MPI_ERR_NAME);
}

static void check_map(const struct boot *boot)
{
    CHECK(boot->node_members[boot->node_rank] == boot->rank);
    CHECK(boot_leader(boot, boot->node) == boot->node_members[0]);
    CHECK(boot->first == boot->node_members[0]);
    for (int i = 0; i < boot->node_size; i++) {
        CHECK(boot_node(boot, boot->node_members[i]) == boot->node);
        CHECK(boot_local_rank(boot, boot->node_members[i]) == i);
        CHECK(i == 0 || boot->node_members[i - 1] < boot->node_members[i]);
    }
    for (int rank = 0; rank < boot->size; rank++)
        CHECK(boot_is_local(boot, rank) == (boot_node(boot, rank) == boot->node));
    for (int node = 1; node < boot->node_count; node++)
        CHECK(boot_leader(boot, node - 1) < boot_leader(boot, node));
}

static void end_as_told(struct boot *boot, const char *how)
{
    if (strcmp(how, "crash") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "leave") == 0)
        exit(0);
    if (strcmp(how, "fail") == 0)
        exit(3);
    if (strcmp(how, "abort") == 0)
        boot_abort(boot, 42, "as told");
}

int main(int argc, char **argv)
{
    struct boot *boot;
    CHECK(options_read(&process.options) == 0);
    CHECK(boot_start(&boot) == 0);
    CHECK(boot_find_nodes(boot) == 0);
    check_map(boot);
    exchange(boot, 1);
    exchange(boot, 2);
    printf("rank %d of %d on node %d of %d, app %d\n", boot->rank, boot->size,
           boot->node, boot->node_count, boot->app_number);
    fflush(stdout);
    if (argc > 2 && atoi(argv[2]) == boot->rank)
        end_as_told(boot, argv[1]);
    if (argc > 1)
        pause();
    boot_stop(boot);
    return 0;
}
