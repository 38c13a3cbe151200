// SPDX-License-Identifier: BSD-3-Clause
// The node's segment: made by the leader, mapped by everyone, never named.
#include "shm/alloc.h"
#include "shm/control.h"
#include "shm/copy.h"
#include "shm/local_peer.h"
#include "shm/ring.h"
#include "shm/room.h"
#include "shm/shared_heap.h"
#include "shm/shared_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Differs between builds with different layouts of the control area or the rings.
static const uint64_t SHM_LAYOUT = UINT64_C(0x4f7269656c000001) +
                                   (sizeof(struct shm_control) << 24) +
                                   (sizeof(struct peer_record) << 16) + RING_BYTES;
enum { HEAP_MIN = 1 << 20 };

static size_t records_bytes(int node_size)
{
    return sizeof(struct shm_control) + (size_t)node_size * sizeof(struct peer_record);
}

static void set_sizes(struct shm *shm, size_t heap_bytes)
{
    size_t size = (size_t)shm->node_size;
    shm->control_bytes = round_up(records_bytes(shm->node_size), page_bytes()) +
                         round_up(rings_bytes(shm->node_size), page_bytes()) +
                         round_up(shm->common_bytes, page_bytes());
    shm->heap_bytes = heap_bytes;
    shm->bytes = shm->control_bytes + size * heap_bytes;
}

// A core dump would hold the whole segment, and touch every page of it: heaps of local
// peers and all that nobody has allocated. It holds the records, and of this process's
// heap what has been allocated (heap.c).
static void keep_out_of_dumps(const struct shm *shm)
{
    struct piece pieces[PIECES];
    int count = pieces_of(shm, pieces);
    for (int i = 0; i < count; i++)
        madvise(shm->base + pieces[i].offset, pieces[i].bytes, MADV_DONTDUMP);
    madvise(shm->base, round_up(records_bytes(shm->node_size), page_bytes()),
            MADV_DODUMP);
}

static void segment_unmap(const struct shm *shm)
{
    struct piece pieces[PIECES];
    for (int i = 0, count = pieces_of(shm, pieces); i < count; i++)
        munmap(shm->base + pieces[i].offset, pieces[i].bytes);
}

static bool map_whole(struct shm *shm, int file)
{
    void *base = mmap(NULL, shm->bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, file, 0);
    shm->base = base != MAP_FAILED ? base : NULL;
    return shm->base != NULL;
}

// The file that has this process's heap, and where in the segment it begins.
static void heap_file_note(struct shm *shm, int file)
{
    struct stat status = {0};
    const struct shared_heap *shared = shm->shared;
    shm->heap_file.number = shared ? shared->file : file;
    shm->heap_file.start = shared ? shm_offset(shm, shared->heap.base) : 0;
    fstat(shm->heap_file.number, &status);
    shm->heap_file.device = status.st_dev;
    shm->heap_file.inode = status.st_ino;
}

static bool segment_map(struct shm *shm, int file)
{
    if (!shared_heap_enclose(shm, file) && !map_whole(shm, file))
        return false;
    shm->control = (struct shm_control *)shm->base;
    shm->common =
        shm->base + shm->control_bytes - round_up(shm->common_bytes, page_bytes());
    heap_file_note(shm, file);
    keep_out_of_dumps(shm);
    return true;
}

static int refuse_room(const struct shm *shm, const struct room *room)
{
    return fail(MPI_ERR_NO_MEM,
                "the segment of a node of %d processes takes %zu bytes at least, but "
                "%zu is the most by %s",
                shm->node_size, shm->control_bytes + (size_t)shm->node_size * HEAP_MIN,
                room->bytes, room_reason(room->bound));
}

// Maps as large heaps as there is room for. Tools such as valgrind have less address
// space than the kernel says.
static int map_largest(struct shm *shm, int file, size_t wanted)
{
    struct room room = room_find();
    set_sizes(shm, 0);
    size_t size = (size_t)shm->node_size, page = page_bytes();
    size_t left = room.bytes > shm->control_bytes ? room.bytes - shm->control_bytes : 0;
    size_t most = (left / size) & ~(page - 1);
    if (most < HEAP_MIN)
        return refuse_room(shm, &room);
    size_t asked = wanted < most ? round_up(wanted, page) : most, heap_bytes;
    for (heap_bytes = asked; heap_bytes >= HEAP_MIN;
         heap_bytes = round_up(heap_bytes / 2, page)) {
        set_sizes(shm, heap_bytes);
        if (file_set_length(file, shm->bytes) && segment_map(shm, file)) {
            shm->control->bound = heap_bytes < asked ? BOUND_ADDRESSES
                                  : asked < wanted   ? room.bound
                                                     : BOUND_WANTED;
            return 0;
        }
    }
    return fail(MPI_ERR_NO_MEM,
                "no address space for the heaps of %d processes, of %zu bytes each at "
                "first and at least %d: %s",
                shm->node_size, asked, HEAP_MIN, strerror(errno));
}

// A set of CPUs as the kernel takes it.
union core_set {
    cpu_set_t set;
    uint64_t words[CORE_WORDS];
};
_Static_assert(sizeof(cpu_set_t) == CORE_WORDS * sizeof(uint64_t), "one bit per CPU");

// Those that this process may use, and those of the whole job if the launcher tells them.
static void announce_cores(struct shm *shm)
{
    union core_set mine, all;
    boot_cores(all.words, CORE_WORDS);
    if (sched_getaffinity(0, sizeof mine.set, &mine.set) != 0)
        return;
    for (int i = 0; i < CORE_WORDS; i++)
        atomic_fetch_or(&shm->control->cores[i], mine.words[i] | all.words[i]);
}

void shm_use_all_cores(const struct shm *shm, pthread_t thread)
{
    union core_set all;
    for (int i = 0; i < CORE_WORDS; i++)
        all.words[i] = atomic_load(&shm->control->cores[i]);
    pthread_setaffinity_np(thread, sizeof all.set, &all.set);
}

int shm_cores(const struct shm *shm)
{
    int count = 0;
    for (int i = 0; i < CORE_WORDS; i++)
        count += __builtin_popcountll(atomic_load(&shm->control->cores[i]));
    return count > 0 ? count : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static struct shm *shm_new(const struct boot *boot, size_t common_bytes)
{
    struct shm *shm = calloc(1, sizeof *shm);
    if (!shm)
        return NULL;
    shm->node_rank = boot->node_rank;
    shm->node_size = boot->node_size;
    shm->common_bytes = common_bytes;
    shm->file = -1;
    return shm;
}

// Does a copy from the leader's private memory work here?
static void try_copy(struct shm *shm)
{
    uint64_t word = 0;
    if (shm_copy_from(shm, 0, &word, shm->control->leader_word, sizeof word) != 0 ||
        word != SHM_LAYOUT)
        atomic_store(&shm->control->copies_fail, 1);
}

// The segment is mapped: makes this process a member of its node.
static int shm_enter(struct shm *shm)
{
    int err = own_heap_open(shm);
    if (err)
        return err;
    err = rings_open(shm,
                     shm->base + round_up(records_bytes(shm->node_size), page_bytes()));
    if (err) {
        own_heap_close(shm);
        return err;
    }
    announce_cores(shm);
    presences_open(shm);
    peer_record_fill(shm);
    group_enter(shm);
    return 0;
}

static void shm_free_all(struct shm *shm)
{
    if (shm->base)
        segment_unmap(shm);
    if (shm->file >= 0)
        close(shm->file);
    free(shm);
}

static int make_segment(struct shm *shm, size_t heap_bytes)
{
    shm->file = memfd_create("oriel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (shm->file < 0)
        return fail(MPI_ERR_NO_MEM, "no shared memory: memfd_create: %s",
                    strerror(errno));
    int err = map_largest(shm, shm->file, heap_bytes ? heap_bytes : machine_bytes());
    if (err)
        return err;
    // A file that nobody can shorten is one whose mapped pages do not vanish.
    if (fcntl(shm->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return fail(MPI_ERR_OTHER, "the segment cannot be sealed: %s", strerror(errno));

    struct shm_control *control = shm->control;
    control->layout = SHM_LAYOUT;
    control->heap_bytes = shm->heap_bytes;
    control->node_size = (uint64_t)shm->node_size;
    control->leader_word = (uint64_t)(uintptr_t)&SHM_LAYOUT;
    memory_open_for_trial(shm);
    return shm_enter(shm);
}

int shm_create(const struct boot *boot, size_t heap_bytes, size_t common_bytes,
               struct shm **shm, char descriptor[SHM_DESCRIPTOR_MAX])
{
    struct shm *made = shm_new(boot, common_bytes);
    if (!made)
        return fail(MPI_ERR_NO_MEM, "no memory for the description of the segment");
    int err = make_segment(made, heap_bytes);
    if (err) {
        shm_free_all(made);
        return err;
    }
    snprintf(descriptor, SHM_DESCRIPTOR_MAX, "%d:%d:%zu", (int)getpid(), made->file,
             made->heap_bytes);
    *shm = made;
    return 0;
}

static int map_segment(struct shm *shm, const char *descriptor)
{
    int pid, file;
    size_t heap_bytes;
    if (sscanf(descriptor, "%d:%d:%zu", &pid, &file, &heap_bytes) != 3)
        return fail(MPI_ERR_OTHER, "the node's leader has sent \"%s\", no segment",
                    descriptor);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, file);
    shm->file = open(path, O_RDWR | O_CLOEXEC);
    if (shm->file < 0)
        return fail(
            MPI_ERR_OTHER,
            "the node's segment cannot be opened at %s: %s; processes of one node "
            "need one user, one PID name space and /proc",
            path, strerror(errno));
    set_sizes(shm, heap_bytes);
    struct stat status;
    bool fits = fstat(shm->file, &status) == 0 && (size_t)status.st_size == shm->bytes;
    bool is_mapped = fits && segment_map(shm, shm->file);
    int reason = errno;
    if (!fits)
        return fail(MPI_ERR_OTHER, "the node's segment is not of this build of Oriel");
    if (!is_mapped)
        return fail(MPI_ERR_NO_MEM,
                    "no address space for the node's %zu bytes: %s; a "
                    "smaller ORIEL_HEAP or a larger `ulimit -v` helps",
                    shm->bytes, strerror(reason));
    if (shm->control->layout != SHM_LAYOUT ||
        shm->control->node_size != (uint64_t)shm->node_size)
        return fail(MPI_ERR_OTHER, "the node's segment is not of this build of Oriel");
    return 0;
}

int shm_attach(const struct boot *boot, size_t common_bytes, const char *descriptor,
               struct shm **shm)
{
    struct shm *made = shm_new(boot, common_bytes);
    if (!made)
        return fail(MPI_ERR_NO_MEM, "no memory for the description of the segment");
    int err = map_segment(made, descriptor);
    if (!err)
        err = shm_enter(made);
    if (err) {
        shm_free_all(made);
        return err;
    }
    try_copy(made);
    *shm = made;
    return 0;
}

int shm_attached(struct shm *shm)
{
    memory_close_after_trial(shm);
    return shared_heaps_attach(shm);
}

void shm_stop(struct shm *shm)
{
    atomic_store(&peer_record_of(shm, shm->node_rank)->state, PEER_STOPPED);
    memory_close(shm);
    rings_close(shm);
    shared_ranges_forget(shm);
    own_heap_close(shm);
    shm_free_all(shm);
}
