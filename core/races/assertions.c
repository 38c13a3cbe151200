// SPDX-License-Identifier: BSD-3-Clause
// Assertions of MPI_Win_fence and MPI_Win_post that turn out to be false (MPI-4.1 12.5.5).
#include "races/state.h"

// ---- no put -----------------------------------------------------------------------------
static bool is_update(const struct access_facts *facts)
{
    return facts->kind == WATCHED_PUT ||
           (facts->kind == WATCHED_ACCUMULATE && !facts_are_read(facts));
}

// The promise that an access of an operation falls under; NULL if there is none.
static const struct no_put *promise_of(const struct watched_window *window,
                                       const struct access_facts *facts)
{
    const struct no_put *promise = facts->epoch == IN_START ? &window->posted
                                   : facts->epoch == IN_FENCE
                                       ? &window->fenced[facts->fence % 2]
                                       : NULL;
    bool is_given = promise != NULL && promise->is_given;
    return is_given && (facts->epoch == IN_START || promise->fence == facts->fence)
               ? promise
               : NULL;
}

static struct call_site site_own(const struct watched_window *window, uint32_t site,
                                 char words[WORDS_BYTES])
{
    struct site_text text = site_text(process.races->rank, site);
    window_words(window, words);
    return (struct call_site){.rank = process.races->rank,
                              .call = text.procedure,
                              .source = text.source,
                              .object = words};
}

void promise_compare(const struct access *access)
{
    const struct access_facts *facts = &access->facts;
    const struct no_put *promise = promise_of(access->window, facts);
    if (promise == NULL || !is_update(facts))
        return;
    char words[2][WORDS_BYTES], bytes[WORDS_BYTES];
    struct call_site sites[] = {site_own(access->window, promise->site, words[0]),
                                site_of(access, words[1])};
    bytes_words(access, access, bytes);
    finding_tell(
        RULE_FALSE_ASSERTION, sites, 2,
        "asserts MPI_MODE_NOPUT, but an operation updates %s, of the memory of "
        "rank %d before it is closed again",
        bytes, process.races->rank);
}

// ---- no store -----------------------------------------------------------------------------
static void stores_compare(struct watched_window *window, int assert, uint32_t site)
{
    char words[2][WORDS_BYTES];
    if (!(assert &MPI_MODE_NOSTORE) || !window->has_stored)
        return;
    struct call_site sites[] = {site_own(window, site, words[0]),
                                site_own(window, window->stored, words[1])};
    finding_tell(RULE_FALSE_ASSERTION, sites, 2,
                 "asserts MPI_MODE_NOSTORE, but the program has stored to the memory "
                 "since it has synchronised last");
}

void stores_forget(struct watched_window *window)
{
    window->has_stored = false;
}

// ---- what all have to give --------------------------------------------------------------
static const char *flag_name(int flag)
{
    return flag == MPI_MODE_NOPRECEDE ? "MPI_MODE_NOPRECEDE" : "MPI_MODE_NOSUCCEED";
}

// One of the two processes tells: it has given what the other one has not.
void fences_compare(const struct watched_window *window, int given, uint32_t site,
                    int job_rank, const struct come_clock *other)
{
    static const int flags[] = {MPI_MODE_NOPRECEDE, MPI_MODE_NOSUCCEED};
    char words[2][WORDS_BYTES];
    for (int i = 0; i < 2; i++) {
        if (!(given & flags[i]) || (other->signature & (uint32_t)flags[i]))
            continue;
        struct site_text text = site_text(job_rank, other->site);
        struct call_site sites[] = {site_own(window, site, words[0]),
                                    {.rank = job_rank,
                                     .call = text.procedure,
                                     .source = text.source,
                                     .object = words[0]}};
        finding_tell(RULE_FALSE_ASSERTION, sites, 2,
                     "asserts %s, but rank %d does not; all have to, if one does",
                     flag_name(flags[i]), job_rank);
    }
}

// ---- the calls ----------------------------------------------------------------------------
// Before the accesses of the epoch that ends are complete. Those of the one that begins have
// the new number, since the accesses of both may come while others have left the fence.
uint32_t assertions_fence(struct watched_window *window, int assert)
{
    uint32_t site = site_now();
    window->fences++;
    window->fenced[window->fences % 2] =
        (struct no_put){(assert &MPI_MODE_NOPUT) != 0, window->fences, site};
    stores_compare(window, assert, site);
    stores_forget(window);
    return site;
}

void races_wait(struct watched_window *window)
{
    if (window != NULL)
        stores_forget(window);
}

void races_post(struct watched_window *window, int assert)
{
    if (window == NULL)
        return;
    message_lock();
    uint32_t site = site_now();
    window->posted = (struct no_put){(assert &MPI_MODE_NOPUT) != 0, 0, site};
    stores_compare(window, assert, site);
    stores_forget(window);
    message_unlock();
}
