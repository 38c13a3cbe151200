// SPDX-License-Identifier: BSD-3-Clause
// two_processes_share_a_copy: all bytes of all spans are copied, also if the helper does
// not come or comes too late, and one of both finds the copy complete. A hole in the
// memory is an error at the end, and so is a helper that dies with a piece.
#include "shm_node.h"

enum { ROUNDS = 3000, SPANS = 7, LARGEST = 1 << 20, MARGIN = 64 };
enum { BEGINNER, HELPER };

static unsigned char source[LARGEST + SPANS * MARGIN], target[sizeof source];

// What the beginner tells the helper, in place of a message.
struct copy {
    struct joint_name name;
    uint64_t bytes;
    size_t count;
    struct iovec source[SPANS], target[SPANS];
};
static struct {
    struct copy copies[ROUNDS];
    _Atomic(int) begun, completed;
    void *hole; // at the same address in both
} * told;

static uint32_t state = 1;

static uint32_t draw(uint32_t limit)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

static void pause_a_while(void)
{
    for (uint32_t i = draw(2) ? draw(20000) : 0; i > 0; i--)
        cpu_relax();
}

static void copy_draw(struct copy *copy)
{
    size_t at = 0, longest;
    copy->count = 1 + draw(SPANS);
    longest = draw(2) ? LARGEST / copy->count : 5000;
    for (size_t i = 0; i < copy->count; i++) {
        size_t length = 1 + draw((uint32_t)longest);
        copy->source[i] = (struct iovec){source + at, length};
        copy->target[i] = (struct iovec){target + at, length};
        copy->bytes += length;
        at += length + MARGIN;
    }
}

// The beginner reads from the helper, in which `source` is at the same address.
static bool work_on(struct shm *shm, const struct copy *copy)
{
    bool is_helper = shm->node_rank == HELPER;
    struct joint_side side = {.name = copy->name,
                              .is_helper = is_helper,
                              .is_writer = is_helper,
                              .partner = 1 - shm->node_rank,
                              .local = is_helper ? copy->source : copy->target,
                              .remote = is_helper ? copy->target : copy->source,
                              .count = copy->count,
                              .bytes = copy->bytes};
    return shm_joint_work(shm, &side);
}

static void check_copy(const struct copy *copy)
{
    for (size_t i = 0; i < copy->count; i++) {
        size_t length = copy->target[i].iov_len;
        const unsigned char *bytes = copy->target[i].iov_base;
        CHECK(memcmp(bytes, copy->source[i].iov_base, length) == 0);
        CHECK(bytes[length] == 0);
    }
}

static void copy_in_rounds(struct shm *shm)
{
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (unsigned char)(1 + i % 251);
    meet(shm, 2);
    for (int round = 0; round < ROUNDS; round++) {
        struct copy *copy = &told->copies[round];
        if (shm->node_rank == BEGINNER) {
            memset(target, 0, sizeof target);
            copy_draw(copy);
            CHECK(shm_joint_begin(shm, copy->bytes, &copy->name));
            atomic_store(&told->begun, round + 1);
        } else {
            spin_until(&told->begun, round + 1);
        }
        pause_a_while();
        atomic_fetch_add(&told->completed, work_on(shm, copy));
        if (shm->node_rank == BEGINNER) {
            CHECK(shm_joint_end(shm, copy->name, HELPER) == 0);
            check_copy(copy);
        }
    }
    meet(shm, 3);
    CHECK(atomic_load(&told->completed) == ROUNDS);
}

static void use_all_records(struct shm *shm)
{
    struct joint_name names[JOINT_COPIES + 1];
    for (int i = 0; i < JOINT_COPIES; i++)
        CHECK(shm_joint_begin(shm, 1, &names[i]));
    CHECK(!shm_joint_begin(shm, 1, &names[JOINT_COPIES]));
    struct copy copy = {.name = names[1],
                        .bytes = 1,
                        .count = 1,
                        .source[0] = {source, 1},
                        .target[0] = {target, 1}};
    CHECK(!shm_joint_is_complete(shm, copy.name));
    CHECK(work_on(shm, &copy) && shm_joint_is_complete(shm, copy.name));
    CHECK(shm_joint_end(shm, copy.name, HELPER) == 0);
    CHECK(shm_joint_begin(shm, 1, &names[JOINT_COPIES]));
    CHECK(names[JOINT_COPIES].index == copy.name.index &&
          names[JOINT_COPIES].number != copy.name.number);
    CHECK(!work_on(shm, &copy)); // it is another one's by now
}

static void records_are_used_again(struct shm *shm)
{
    if (shm->node_rank == BEGINNER)
        use_all_records(shm);
    meet(shm, 2);
}

// Whoever of the two meets it, the error says whose memory is not there.
static void copy_with_hole(struct shm *shm, void *from, void *to, int error)
{
    struct copy *copy = &told->copies[0];
    if (shm->node_rank == BEGINNER) {
        *copy = (struct copy){.bytes = LARGEST, .count = 1};
        copy->source[0] = (struct iovec){from, LARGEST};
        copy->target[0] = (struct iovec){to, LARGEST};
        CHECK(shm_joint_begin(shm, copy->bytes, &copy->name));
    }
    meet(shm, 2);
    work_on(shm, copy);
    if (shm->node_rank == BEGINNER)
        CHECK(shm_joint_end(shm, copy->name, HELPER) == error);
    meet(shm, 3);
}

static void a_hole_is_an_error(struct shm *shm)
{
    copy_with_hole(shm, source, told->hole, MPI_ERR_BUFFER);
}

static void a_hole_of_the_helper_is_another_error(struct shm *shm)
{
    copy_with_hole(shm, told->hole, target, MPI_ERR_OTHER);
}

// The helper takes what is left after the first half, and dies.
static void a_helper_dies(struct shm *shm)
{
    struct copy *copy = &told->copies[0];
    if (shm->node_rank == BEGINNER) {
        *copy = (struct copy){.bytes = 4096, .count = 1};
        copy->source[0] = (struct iovec){source, 4096};
        copy->target[0] = (struct iovec){target, 4096};
        CHECK(shm_joint_begin(shm, copy->bytes, &copy->name));
    }
    meet(shm, 2);
    if (shm->node_rank == HELPER) {
        atomic_fetch_add(&peer_record_of(shm, BEGINNER)->joint_copies[0].taken, 1);
        atomic_store(&told->begun, -1);
        kill(getpid(), SIGKILL);
    }
    while (atomic_load(&told->begun) != -1)
        usleep(50);
    CHECK(!work_on(shm, copy) && !shm_joint_is_complete(shm, copy->name));
    CHECK(shm_joint_end(shm, copy->name, HELPER) == MPI_ERR_PROC_ABORTED);
}

static void skip_where_forbidden(struct shm *shm)
{
    if (!shm_can_copy(shm))
        exit(77);
}

int main(void)
{
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                -1, 0);
    CHECK(told != MAP_FAILED);
    told->hole = mmap(NULL, LARGEST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (run_node(2, 1 << 20, skip_where_forbidden) == 77)
        return 77;
    CHECK(run_node(2, 1 << 20, copy_in_rounds) == 0);
    CHECK(run_node(2, 1 << 20, records_are_used_again) == 0);
    CHECK(run_node(2, 1 << 20, a_hole_is_an_error) == 0);
    CHECK(run_node(2, 1 << 20, a_hole_of_the_helper_is_another_error) == 0);
    CHECK(run_node(2, 1 << 20, a_helper_dies) == 1); // the killed one
    return 0;
}
