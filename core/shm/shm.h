// SPDX-License-Identifier: BSD-3-Clause
// shm: memory and messages between the processes of one node.
//
// Glossary
//   segment     one sparse memfd per node, mapped by all its processes: records of the
//               processes, message rings, then one heap per process. It has no name, so
//               nothing is left behind when processes die.
//   local peer  another process of the same node; named by its node_rank
//   offset      position in the segment: the same memory in every process of the node
//   heap        the part of the segment from which one process allocates; all map it
//   ring        single-producer single-consumer queue of messages for one pair of
//               processes
//   shared pages  pages of the program's own memory that are pages of the heap as well
//   doorbell    a futex word of a process: rung when one of its threads sleeps
//   presence    a word of a thread: the object in the segment at which it works
#pragma once

#include "boot/boot.h"

#include <sys/uio.h>

struct shm {
    char *base;   // where the segment is mapped here
    size_t bytes; // of the whole segment
    int node_rank, node_size;
    void *common; // for the layer above: zeros at first, the same of all processes
    size_t common_bytes;
    size_t control_bytes;        // up to the first heap
    size_t heap_bytes;           // of one process's heap
    struct shm_control *control; // private: at the start of the segment
    struct shm_heap *heap;       // private: the allocator of this process's heap
    struct shared_heap *shared;  // private: the heap is a preloaded library's, or NULL
    struct shm_rings *rings;     // private: this process's ends of the rings
    _Atomic(int) opening;        // private: may local peers copy?
    int file;                    // private: a descriptor of the segment
    struct {
        int number;              // of a descriptor
        uint64_t device, inode;  // which file it was
        uint64_t start;          // offset of its first byte
    } heap_file;                 // private: of the file that has this process's heap
    struct shared_range *ranges; // private: pages that are shared in place
};

// The leader makes the segment and attaches to it. `common_bytes` are the same in all
// processes of the node. `descriptor` becomes a text without
// blanks by which its local peers attach; it stays valid until the leader calls
// shm_stop. MPI_ERR_NO_MEM when the limits of the process leave no room for it.
enum { SHM_DESCRIPTOR_MAX = 80 };
int shm_create(const struct boot *boot, size_t heap_bytes, size_t common_bytes,
               struct shm **shm, char descriptor[SHM_DESCRIPTOR_MAX]);
// MPI_ERR_OTHER when the leader's segment cannot be opened or is of another build.
int shm_attach(const struct boot *boot, size_t common_bytes, const char *descriptor,
               struct shm **shm);
// To be called by each process when all have attached. MPI_ERR_OTHER when a heap that a
// local peer has begun before the start cannot be mapped.
int shm_attached(struct shm *shm);
// Unmaps the segment: memory from its heaps is gone. Local peers that still run keep
// it.
void shm_stop(struct shm *shm);

// CPUs on which the processes that have attached so far may run.
int shm_cores(const struct shm *shm);
// Lets the thread run on all of these, wherever its process is bound.
void shm_use_all_cores(const struct shm *shm, pthread_t thread);

// ---- heap ---------------------------------------------------------------------
// Memory that every process of the node reaches. `alignment` is a power of two, at
// least 64 is used, and the page for a page or more. Contents are undefined. Any thread
// may call. MPI_ERR_NO_MEM, with sizes, when the heap has no such piece, or when all
// heaps of the node together would hold more than the memory of the machine or of its
// processes' control group: pages come only when they are touched, so that a larger
// promise could end in a killed process.
int shm_alloc(struct shm *shm, size_t bytes, size_t alignment, void **memory);
// Does nothing when `memory` is not the start of an allocation of this process.
void shm_free(struct shm *shm, void *memory);
// The bytes asked for at `memory` when it is the start of an allocation of this
// process; else 0. An allocation of 0 bytes counts as 1.
size_t shm_allocated(struct shm *shm, const void *memory);

// Is [address, address+bytes) inside the segment? One comparison, no lookup.
static inline bool shm_contains(const struct shm *shm, const void *address,
                                size_t bytes)
{
    size_t offset = (size_t)((const char *)address - shm->base);
    return offset < shm->bytes && bytes <= shm->bytes - offset;
}
static inline uint64_t shm_offset(const struct shm *shm, const void *address)
{
    return (uint64_t)((const char *)address - shm->base);
}
static inline void *shm_at(const struct shm *shm, uint64_t offset)
{
    return shm->base + offset;
}

// ---- pages shared in place ------------------------------------------------------
// Pages of the program's own memory that are pages of this process's heap as well.
struct shared_pages {
    char *address; // where the program has them
    size_t bytes;  // 0: none
    uint64_t offset;
};
// Shares the whole pages of the program's memory, or, if some of them are shared already,
// these. A refusal gives MPI_ERR_OTHER or MPI_ERR_NO_MEM and says why; then nothing has
// changed. Meanwhile nobody may store into the memory. Callers hold the message lock.
int shm_share(struct shm *shm, const void *memory, size_t bytes,
              struct shared_pages *shared);
// Makes pages private that nobody else has shared, with their contents. Callers hold the
// message lock.
void shm_unshare(struct shm *shm, const struct shared_pages *shared);
// Gives a forked child copies of all shared pages.
void shm_unshare_in_child(const struct shm *shm);
// Are some of the memory's whole pages shared?
bool shm_has_shared(const struct shm *shm, const void *memory, size_t bytes);

// ---- memory that is not in the segment ------------------------------------------
// Single copies to and from the address space of a local peer (process_vm_writev and
// _readv). A range that is not all mapped gives MPI_ERR_OTHER if it is the peer's, and
// MPI_ERR_BUFFER if it is this process's, with the bytes before the hole copied;
// MPI_ERR_PROC_ABORTED when the local peer is gone; MPI_ERR_UNSUPPORTED_OPERATION when the
// system forbids such copies (then the caller uses messages). Callers hold the message lock.
int shm_copy_to(struct shm *shm, int node_rank, uint64_t remote, const void *local,
                size_t bytes);
int shm_copy_from(struct shm *shm, int node_rank, void *local, uint64_t remote,
                  size_t bytes);
// The same for `count` spans, at most SHM_SPANS_MAX, by one call of the system: each
// local one has as many bytes as the remote one, and at least one. The arrays are used
// up. Callers need not hold the message lock.
enum { SHM_SPANS_MAX = 1024 };
int shm_copy_spans_to(struct shm *shm, int node_rank, struct iovec *remote,
                      struct iovec *local, size_t count);
int shm_copy_spans_from(struct shm *shm, int node_rank, struct iovec *local,
                        struct iovec *remote, size_t count);
// Does the system allow such copies? Every process tries it when it attaches; the
// answer is the same for all processes of the node once all have attached.
bool shm_can_copy(const struct shm *shm);
// Local peers may copy to and from this process from now on, which the kernel may have
// to be told. To be called before a local peer learns of the memory; any thread may
// call.
void shm_open_memory(struct shm *shm);

// ---- joint copies ------------------------------------------------------------------
// A copy between the memories of two processes that both carry out: the one that begins it
// and its helper, if that comes in time (joint_copy.c). Whoever begins one tells the helper
// its name.
enum { JOINT_COPIES = 4, JOINT_SPANS_MAX = 192 }; // of a process at once; of a copy

struct joint_name {
    uint32_t index, number;
};
struct joint_copy { // in the peer record of the process that begins it
    _Alignas(CACHE_LINE) _Atomic(uint64_t) taken; // its number, and how much is taken
    _Atomic(uint64_t) left;                       // bytes that are not copied yet
    _Atomic(int) error;                           // class of the first one, or 0
    bool is_used;
};
// What one of the two processes does in it.
struct joint_side {
    struct joint_name name;
    bool is_helper;
    bool is_writer;                     // to the partner's memory; else it reads that
    int partner;                        // node_rank of the other process
    const struct iovec *local, *remote; // [count], each two of the same length
    size_t count;
    uint64_t bytes;
};

// Begins one of some bytes; false when too many are under way. One thread at a time
// begins and ends them.
bool shm_joint_begin(struct shm *shm, uint64_t bytes, struct joint_name *name);
// Copies until nothing is left to take, or nothing of that name. True for the one of the
// two processes that completes the copy.
bool shm_joint_work(struct shm *shm, const struct joint_side *side);
bool shm_joint_is_complete(const struct shm *shm, struct joint_name name);
// Ends one that this process has begun, of which it has copied all that it could take;
// waits until the helper has. The class of an error of either, as that of this process:
// MPI_ERR_BUFFER if its memory is not there, MPI_ERR_OTHER if the helper's is not.
int shm_joint_end(struct shm *shm, struct joint_name name, int helper);

// ---- rings --------------------------------------------------------------------
enum { SHM_MESSAGE_MAX = 8192 + 2 * CACHE_LINE }; // bytes of one message in a ring

// Puts one message of two parts into the ring towards node_rank (a process may send to
// itself) and rings its doorbell; false when the ring is full. `kind` is the caller's.
// One thread at a time sends.
bool shm_send(struct shm *shm, int node_rank, uint16_t kind, const void *head,
              size_t head_bytes, const void *body, size_t body_bytes);

// Would messages be taken of so many bytes together, each of SHM_PART_MIN or more but
// for the last one, if nothing else is sent before them?
enum { SHM_PART_MIN = 2048 };
bool shm_has_room(struct shm *shm, int node_rank, size_t bytes);

// Hands waiting messages, at most `limit` of each sender, to `receive`; returns how
// many. The bytes are valid during the call only and aligned to 8. `receive` may send
// but not receive; when it returns false the message stays where it is. One thread at a
// time receives, and none sends meanwhile but from `receive`.
int shm_receive(struct shm *shm, int limit,
                bool (*receive)(int node_rank, uint16_t kind, const void *message,
                                size_t bytes));

// ---- waiting ------------------------------------------------------------------
// Threads that are blocked in calls and the progress thread sleep on
// doorbells of their own. To sleep: arm the bell, look once more for work, then sleep
// with the ticket; whatever is sent after arming ends the sleep.
enum shm_bell { SHM_BELL_CALL, SHM_BELL_PROGRESS, SHM_BELLS };
uint32_t shm_arm(struct shm *shm, enum shm_bell bell);
// The ticket of a bell that is not armed, for a sleep that only shm_rouse is to end.
uint32_t shm_ticket(const struct shm *shm, enum shm_bell bell);
void shm_sleep(struct shm *shm, enum shm_bell bell, uint32_t ticket,
               uint64_t nanoseconds);
// The last sleeper has woken. It looks for work after this call: a sender that has rung
// for it has not rung for the progress thread.
void shm_disarm(struct shm *shm, enum shm_bell bell);

// Wakes the threads of node_rank that sleep in calls or, if there are none, its
// sleeping progress thread. Costs one load when nobody sleeps. A caller that has
// changed a word of shared memory must have done so by a sequentially consistent
// operation.
void shm_ring(struct shm *shm, int node_rank);
// Wakes the progress thread of node_rank even if it has not armed its bell: it naps while
// the program polls. Costs a call of the system.
void shm_rouse(struct shm *shm, int node_rank);
// Wakes only this process's own threads in calls, or only its progress thread.
void shm_ring_own(struct shm *shm, enum shm_bell bell);

// What a process does in a long wait: it polls the rings without a pause, so that messages
// are answered at once, or it sleeps and polls after the next message.
enum shm_wait { SHM_WAIT_NONE, SHM_WAIT_POLLS, SHM_WAIT_SLEEPS };
// Tells local peers. Who shows that it waits no longer polls once more afterwards: a
// message may have been sent meanwhile.
void shm_show_wait(struct shm *shm, enum shm_wait wait);
// The answer of a caller that has sent the process a message is right unless the process
// takes the message by its last poll.
enum shm_wait shm_wait_of(const struct shm *shm, int node_rank);
// Would a message wake the progress thread of a process that computes?
bool shm_is_computing(const struct shm *shm, int node_rank);

// ---- presences ------------------------------------------------------------------
// A thread enters an object in the segment if a word of that admits it, and leaves it
// again, each by one plain store to a word of its own. Who has changed the object's word
// can wait until no thread is within that was admitted before (presence.c).
enum { ADMITTING = 1 }; // value of an object's word

struct presence {
    _Alignas(CACHE_LINE) _Atomic(uintptr_t) object; // its address in the process, or 0
    uint32_t admitting;                             // ADMITTING
    _Atomic(int) thread;                            // the kernel's number of its owner
    uintptr_t base;                                 // of the segment in the process
    uint64_t next; // offset of another of the process, 0: it is the last
};
// Of a thread that has none yet: one that is never admitted.
extern _Thread_local struct presence *presence_own
    __attribute__((tls_model("initial-exec")));
extern struct presence no_presence;

// NULL: not admitted.
static inline struct presence *presence_enter(const void *object,
                                              const _Atomic(uint32_t) *word)
{
    struct presence *own = presence_own;
    atomic_store_explicit(&own->object, (uintptr_t)object, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); // the waiter has the processor's made
    if (likely(atomic_load_explicit(word, memory_order_acquire) == own->admitting))
        return own;
    atomic_store_explicit(&own->object, 0, memory_order_release);
    return NULL;
}
static inline void presence_leave(struct presence *own)
{
    atomic_store_explicit(&own->object, 0, memory_order_release);
}

// Gives the calling thread a presence, unless there is no memory.
void shm_make_presence(struct shm *shm);
// Can leaves be awaited? Where the system refuses membarrier, they cannot; the answer is
// the same for all processes of the node once all have attached.
bool shm_can_await_leaves(const struct shm *shm);
// Waits until all threads of the node have left the object that had entered it before
// the caller's latest store to it. What they did there has happened then. Costs some
// microseconds.
void shm_await_leaves(const struct shm *shm, const void *object);

// ---- local peers ---------------------------------------------------------------
// Threads of this process.
long shm_threads(void);
// False when the process has ended without shm_stop. Costs some microseconds.
bool shm_is_alive(const struct shm *shm, int node_rank);
// Tells local peers on which core this process waits. True when a local peer that does
// not sleep has last waited there: it may need the core to answer. Costs a look at each
// local peer.
bool shm_shares_core(struct shm *shm);
int shm_pid(const struct shm *shm, int node_rank); // 0 before it has attached
// A descriptor that becomes readable when the process, which has attached, ends; -1
// where the system offers none.
int shm_watch(const struct shm *shm, int node_rank);

// The first death in the job of which the node has heard, or the first loss: of messages
// from a process or to it, without which others wait in vain.
struct death {
    int rank; // in the job
    int error_class;
    bool is_lost;
    char where[87]; // or why it is lost
};
// False when one was known before.
bool shm_tell_death(struct shm *shm, const struct death *death);
const struct death *shm_death(const struct shm *shm); // NULL: none is known
