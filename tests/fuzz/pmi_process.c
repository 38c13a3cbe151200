// SPDX-License-Identifier: BSD-3-Clause
// What a launcher says to a process over the PMI-1 wire: answers to questions, the map
// of nodes, values that others have put.
#include "boot/boot.h"
#include "fuzz.h"

#include <stdio.h>

struct process process = {.rank = -1, .options.fake_nodes = 1};

enum { RANK = 1, SIZE = 5 };

static void set_number(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv(name, text, 1);
}

static void check(const struct boot *boot)
{
    must(boot->rank == RANK && boot->size == SIZE);
    must(boot->node_count >= 1 && boot->node_count <= SIZE);
    for (int rank = 0; rank < SIZE; rank++)
        must(boot_node(boot, rank) >= 0 && boot_node(boot, rank) < boot->node_count);
    must(boot->node_members[boot->node_rank] == RANK);
}

static void use(struct boot *boot)
{
    char value[256];
    check(boot);
    boot_put(boot, "key", "value");
    boot_fence(boot);
    if (boot_get(boot, 0, "key", value, sizeof value) == 0)
        must(strlen(value) < sizeof value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct boot *boot;
    int ends[2];
    speak(bytes, count, ends);
    set_number("PMI_FD", ends[0]);
    set_number("PMI_RANK", RANK);
    set_number("PMI_SIZE", SIZE);
    if (boot_start(&boot) == 0) { // closes its end if not
        if (boot_find_nodes(boot) == 0)
            use(boot);
        boot_stop(boot);
    }
    close(ends[1]);
    return 0;
}
