// SPDX-License-Identifier: BSD-3-Clause
// The limit of memory is that of the process's control group and of those above it, in
// both versions of control groups, in a container and without; the files are made up.
#include "check.h"

#include <string.h>
#include <sys/stat.h>

struct process process;

static char root[] = "/tmp/oriel-groups-XXXXXX";

// Writes a file below the root, and makes its folders.
static void write_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "we");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static size_t limit_with(const char *mounts, const char *groups)
{
    write_file("/proc/self/mountinfo", mounts);
    write_file("/proc/self/cgroup", groups);
    return group_limit_find(root).bytes;
}

#define ROOT_MOUNT "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
#define MOUNT_2 ROOT_MOUNT "30 22 0:26 / /cg rw,nosuid shared:4 - cgroup2 none rw\n"
#define MOUNT_1                                                                        \
    ROOT_MOUNT "31 22 0:27 / /cg1/cpu rw - cgroup cgroup rw,cpu\n"                     \
               "32 22 0:28 / /cg1/memory rw - cgroup cgroup rw,memory\n"

static void least_of_own_and_upper_groups_counts(void)
{
    write_file("/cg/a/b/memory.max", "3000\n");
    write_file("/cg/a/memory.max", "2000\n");
    write_file("/cg/a/b/c/memory.max", "max\n");
    write_file("/cg/d/memory.max", "max\n");
    CHECK(limit_with(MOUNT_2, "0::/a/b/c\n") == 2000);
    CHECK(limit_with(MOUNT_2, "0::/a\n") == 2000);
    write_file("/cg/a/b/memory.max", "1000\n");
    CHECK(limit_with(MOUNT_2, "0::/a/b/c\n") == 1000);
    CHECK(limit_with(MOUNT_2, "0::/d\n") == SIZE_MAX);
    CHECK(limit_with(MOUNT_2, "0::/\n") == SIZE_MAX);
    CHECK(limit_with(MOUNT_2, "0::/../elsewhere\n") == SIZE_MAX);
}

static void first_version_counts_too(void)
{
    write_file("/cg1/memory/job/memory.limit_in_bytes", "5000\n");
    write_file("/cg1/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("/cg1/cpu/other/memory.limit_in_bytes", "1\n");
    CHECK(limit_with(MOUNT_1, "4:memory:/job/step\n1:cpu:/other\n0::/\n") == 5000);
    CHECK(limit_with(MOUNT_1, "4:cpu,memory:/job\n") == 5000);
    CHECK(limit_with(MOUNT_1, "4:memory:/\n") == 9223372036854771712u);
    CHECK(limit_with(MOUNT_1, "1:cpu:/other\n") == SIZE_MAX);
}

// What is mounted in a container may be its own group, by its path outside.
static void group_of_a_container_is_found(void)
{
    static const char mounts[] =
        "32 22 0:28 /docker/1234 /in/memory rw - cgroup cgroup rw,memory\n";
    write_file("/in/memory/memory.limit_in_bytes", "7000\n");
    write_file("/in/memory/part/memory.limit_in_bytes", "6000\n");
    CHECK(limit_with(mounts, "4:memory:/docker/1234\n") == 7000);
    CHECK(limit_with(mounts, "4:memory:/docker/1234/part\n") == 6000);
    CHECK(limit_with(mounts, "4:memory:/docker/12345\n") == 7000);
}

static void identity_is_that_of_the_limiting_group(void)
{
    write_file("/cg/e/memory.max", "4000\n");
    write_file("/cg/e/1/memory.max", "4000\n");
    write_file("/cg/e/2/memory.max", "3000\n");
    write_file("/proc/self/cgroup", "0::/e/1\n");
    uint64_t one = group_limit_find(root).identity;
    write_file("/proc/self/cgroup", "0::/e/2\n");
    uint64_t two = group_limit_find(root).identity;
    write_file("/proc/self/cgroup", "0::/e\n");
    CHECK(one == group_limit_find(root).identity && one != two);
}

static void nonsense_is_no_limit(void)
{
    write_file("/cg/f/memory.max", "");
    CHECK(limit_with(MOUNT_2, "0::/f\n") == SIZE_MAX);
    CHECK(limit_with(MOUNT_2, "") == SIZE_MAX);
    CHECK(limit_with("", "0::/a\n") == SIZE_MAX);
    CHECK(limit_with("a - cgroup2\n", "0\n") == SIZE_MAX);
    CHECK(group_limit_find("/no/such/root").bytes == SIZE_MAX);
}

int main(void)
{
    char command[64];
    CHECK(mkdtemp(root));
    least_of_own_and_upper_groups_counts();
    first_version_counts_too();
    group_of_a_container_is_found();
    write_file("/proc/self/mountinfo", MOUNT_2);
    identity_is_that_of_the_limiting_group();
    nonsense_is_no_limit();
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command) == 0 ? 0 : 1;
}
