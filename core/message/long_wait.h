// SPDX-License-Identifier: BSD-3-Clause
// Waits that have lasted for a tenth of a second, each of one thread.
#pragma once

#include "message/message.h"

static const uint64_t LONG_WAIT = 100000000; // nanoseconds

struct long_wait {
    uint64_t start; // 0: the thread does not wait, or not for long
    uint64_t next_look;
    wait_explainer *explain;
    const void *argument;
    const void *called_at; // see calling_address
    const void *entry;     // see calling_entry
    uint32_t number;       // of those of the process; 0: it is not in their list
    bool is_reported;
    unsigned doublings; // of the patience of its next inquiry
    uint64_t next_inquiry;
    struct long_wait *next;
};

// Looks at the calling thread's wait, which has lasted since `since`, or since the first
// look at it if that is 0. After a tenth of a second, and then ever less often, at last
// once a second, it is listed, deaths are looked for, the launcher may ask, and when it is
// time what it waits for is asked, which ends the job where that is wanted. *next: when to
// look again; an earlier look costs a look at the clock. Errors as message_check_deaths.
// The message lock is free.
int long_wait_look(wait_explainer *explain, const void *argument, uint64_t since,
                   uint64_t *next);
// The thread waits no longer.
void long_wait_end(void);
// Is the thread's wait in the list?
bool long_wait_is_listed(void);

// Explains something that is awaited of this process. Callers of all these hold the message
// lock.
void awaited_explain(const struct awaited *awaited, struct explanation *explanation);
struct long_wait *long_wait_find(uint32_t number);

// The lowest of some ranks, in order, and how many there are.
enum { RANKS_NAMED = 8, RANKS_TEXT_BYTES = 128 };
struct rank_list {
    int ranks[RANKS_NAMED];
    int count;
};
void rank_list_add(struct rank_list *list, int rank);
// "rank 1", "ranks 1, 2" or "ranks 1, 2, 3, 4, 5, 6, 7, 8 and 9 more".
void rank_list_write(const struct rank_list *list, char *text, size_t bytes);

// A wait in words.
struct wait_words {
    char call[SOURCE_TEXT_BYTES];       // "MPI_Recv"
    char source[SOURCE_TEXT_BYTES];     // "ring.c:12 (main)"
    char text[WAIT_TEXT_BYTES];         // see struct explanation
    char holdings[2 * WAIT_TEXT_BYTES]; // "": none
};
void long_wait_tell(const struct long_wait *wait, struct wait_words *words);
