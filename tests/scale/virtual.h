// SPDX-License-Identifier: BSD-3-Clause
// The state of virtual processes, for the files of this folder.
#pragma once

#include "world.h"

#include <setjmp.h>
#include <stddef.h>

static const size_t NODE_BYTES = (size_t)1 << 32; // of address space for a segment

// ---- memory, not counted ---------------------------------------------------------------
enum { PAGE_BYTES = 4096 };
_Noreturn void die(const char *why);
// The whole pages of the memory become zeros that take no memory until they are used.
void drop_pages(void *memory, size_t bytes);
// `memory`, which is not NULL.
void *must(void *memory);
// The C library's own; the linker has all of the program call others (--wrap).
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);

// ---- virtual processes -----------------------------------------------------------------
// A message on its way, or that waits to be handled.
struct mail {
    struct mail *next;
    uint64_t arrival;
    int source, destination, kind;
    size_t bytes;
    _Alignas(16) char data[];
};

// The handles of windows, which members have alike if they open windows alike; those of
// other objects are common to all virtual processes.
enum { WINDOW_SLOTS = 8 };
struct window_handles {
    uintptr_t handles[WINDOW_SLOTS];
    struct object *objects[WINDOW_SLOTS];
    uint32_t fresh, oldest, newest, free;
};

struct virtual
{
    // While another one runs: its part of struct process, of which all have the findings
    // in common, and its windows.
    _Alignas(16) char own_process[offsetof(struct process, findings)];
    struct window_handles windows;
    struct boot boot;
    struct shm shm;
    jmp_buf place;
    uint64_t ready; // when it is to run, NEVER: nothing has come
    int heap_index; // in the queue of those that are ready, -1: in none
    bool has_begun, is_over;
    bool watches;        // is among the watchers of its node
    bool looked_in_vain; // at a word of its node's memory, since its turn began
    struct mail *first, *last;
    struct played_region *regions; // registered memory
    message_follower *follower;
    int *peers;              // [usage.peers] of other nodes, to which it has sent
    int *known, known_count; // whose addresses its network has
    struct mail *held;       // for others of other nodes, the oldest first
    struct usage usage;
    int64_t allocated;
};

struct world {
    struct virtual *all, *current;
    int count, node_size, over;
    const struct machine *machine;
    void (*body)(void);
    message_handler *handlers[MESSAGE_KINDS];
    char *stacks;           // of all
    char **segments;        // [nodes]
    size_t *used;           // [nodes] bytes of each segment
    struct watchers {       // that poll words of their node's memory
        int count, *ranks;  // [node_size]
    } * watchers;           // [nodes]
    int meetings;           // of all, so far
    uint64_t released;      // the time of the last one
    struct virtual **queue; // a heap: those that are ready, the earliest first
    int queue_length;
    jmp_buf scheduler;
};
extern struct world world;

// Has it run at `time`, or earlier if it was to.
void ready_at(struct virtual *virtual, uint64_t time);
// Has it look at its node's memory again when another process of the node has run.
void watch_node(struct virtual *virtual);
// Lets the others run until this one is ready.
void give_way(void);

// ---- mail ------------------------------------------------------------------------------
enum { ACCESS_DONE = -1 }; // kind of mail to oneself: a remote access is complete
// From the process that runs. The receiver frees it.
struct mail *mail_make(int kind, size_t bytes, uint64_t arrival);
void mail_deliver(struct mail *mail, int rank);
// Has the network of the process that runs the address of that one? Else it asks for it.
bool net_reaches(int rank);
