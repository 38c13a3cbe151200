// SPDX-License-Identifier: BSD-3-Clause
// Which accesses conflict (MPI-4.1 12.7), and what people are told of those that do.
#include "races/state.h"

enum { NO_OP = (int)(intptr_t)MPI_NO_OP };

// ---- conflicts ------------------------------------------------------------------------
bool facts_are_read(const struct access_facts *facts)
{
    return facts->kind == WATCHED_GET || facts->kind == WATCHED_LOAD ||
           (facts->kind == WATCHED_ACCUMULATE && facts->op == NO_OP);
}

static bool is_load_or_store(const struct access_facts *facts)
{
    return facts->kind == WATCHED_LOAD || facts->kind == WATCHED_STORE;
}

// Accumulates by one window are atomic by element where types agree (12.7.1), and those of
// one origin are in order (12.7.2). Operations may differ from one another only if one of
// them is MPI_NO_OP (12.2.1); MPI_Compare_and_swap is let pass.
static bool accumulates_conflict(const struct access *one, const struct access *other)
{
    const struct access_facts *a = &one->facts, *b = &other->facts;
    if (one->window != other->window)
        return true;
    if (one->stamp->origin == other->stamp->origin)
        return false;
    bool may_differ =
        a->op == b->op || a->op == NO_OP || b->op == NO_OP || a->op == 0 || b->op == 0;
    return a->type != b->type || !may_differ;
}

bool accesses_conflict(const struct access *one, const struct access *other)
{
    const struct access_facts *a = &one->facts, *b = &other->facts;
    if ((facts_are_read(a) && facts_are_read(b)) ||
        (is_load_or_store(a) && is_load_or_store(b)))
        return false;
    return a->kind != WATCHED_ACCUMULATE || b->kind != WATCHED_ACCUMULATE ||
           accumulates_conflict(one, other);
}

// ---- reports --------------------------------------------------------------------------
static const char *const epoch_words[] = {
    [IN_FENCE] = "a fence epoch",
    [IN_START] = "an epoch of MPI_Win_start",
    [IN_SHARED_LOCK] = "an epoch with a shared lock",
    [IN_EXCLUSIVE_LOCK] = "an epoch with an exclusive lock",
    [IN_UNCHECKED_LOCK] = "an epoch with a lock by MPI_MODE_NOCHECK",
    [IN_NO_EPOCH] = "no epoch",
};

// Of two accumulates, what about them may not differ.
static enum rule rule_of(const struct access *one, const struct access *other)
{
    const struct access_facts *a = &one->facts, *b = &other->facts;
    if (a->kind != WATCHED_ACCUMULATE || b->kind != WATCHED_ACCUMULATE ||
        one->window != other->window)
        return RULE_CONFLICT;
    return a->type != b->type ? RULE_ACCUMULATE_TYPES : RULE_ACCUMULATE_OPERATIONS;
}

// What would have ordered the two.
static const char *remedy_of(const struct access *one, const struct access *other)
{
    const struct access_facts *a = &one->facts, *b = &other->facts;
    bool is_same_origin = one->stamp->origin == other->stamp->origin;
    if (a->epoch == IN_FENCE || b->epoch == IN_FENCE)
        return "MPI_Win_fence between them";
    bool is_own = is_load_or_store(a) || is_load_or_store(b);
    if (is_own && (a->epoch == IN_START || b->epoch == IN_START))
        return "MPI_Win_wait before a load or store, and MPI_Win_post after it,";
    if (a->epoch == IN_START || b->epoch == IN_START)
        return is_same_origin ? "MPI_Win_complete between them"
                              : "an exposure epoch for each, one after the other";
    if (is_same_origin)
        return "MPI_Win_flush between them";
    if (a->epoch == IN_UNCHECKED_LOCK || b->epoch == IN_UNCHECKED_LOCK)
        return "MPI_LOCK_EXCLUSIVE for both, without MPI_MODE_NOCHECK,";
    return "MPI_LOCK_EXCLUSIVE for both, or a flush by the first and then a message or "
           "a barrier";
}

void window_words(const struct watched_window *window, char words[WORDS_BYTES])
{
    const char *name = object_name_or_none(*window->plan.name);
    if (*name != '\0')
        snprintf(words, WORDS_BYTES, "window %s", name);
    else
        snprintf(words, WORDS_BYTES, "window %u", window->number);
}

struct call_site site_of(const struct access *access, char words[WORDS_BYTES])
{
    struct site_text text = site_text(access->stamp->origin, access->facts.site);
    window_words(access->window, words);
    return (struct call_site){
        .rank = access->stamp->origin,
        .call = text.procedure,
        .source = text.source,
        .object = words,
        .text = is_load_or_store(&access->facts) ? "the memory's owner"
                                                 : epoch_words[access->facts.epoch],
    };
}

void bytes_words(const struct access *one, const struct access *other,
                 char words[WORDS_BYTES])
{
    const struct access_facts *a = &one->facts;
    struct range common = {0};
    ranges_meet(&one->interval.range, &other->interval.range, &common);
    uint64_t begin = common.begin - window_base(one->window);
    uint64_t end = common.end - window_base(one->window);
    int used = snprintf(words, WORDS_BYTES, "bytes %ju to %ju", (uintmax_t)begin,
                        (uintmax_t)end - 1);
    if (a->element > 1 && a->element == other->facts.element)
        snprintf(words + used, WORDS_BYTES - (size_t)used,
                 ", from element %ju of %u bytes on", (uintmax_t)(begin / a->element),
                 a->element);
}

// What the second of two accesses is.
static void second_words(const struct access *one, enum rule rule,
                         char words[WORDS_BYTES])
{
    const struct access_facts *a = &one->facts;
    const char *what = rule == RULE_ACCUMULATE_TYPES        ? "with another datatype "
                       : rule == RULE_ACCUMULATE_OPERATIONS ? "with another operation "
                                                            : "";
    if (is_load_or_store(a))
        snprintf(words, WORDS_BYTES, "a %s of the program does",
                 a->kind == WATCHED_LOAD ? "load" : "store");
    else
        snprintf(words, WORDS_BYTES, "another call does %sin %s", what,
                 epoch_words[a->epoch]);
}

// What is said is about the newer one, or about the operation that a load or store meets.
void conflict_tell(const struct access *one, const struct access *other)
{
    if (is_load_or_store(&other->facts)) {
        const struct access *owners = other;
        other = one;
        one = owners;
    }
    char words[2][WORDS_BYTES], bytes[WORDS_BYTES], second[WORDS_BYTES];
    struct call_site sites[] = {site_of(other, words[0]), site_of(one, words[1])};
    enum rule rule = rule_of(one, other);
    bytes_words(one, other, bytes);
    second_words(one, rule, second);
    finding_tell(
        rule, sites, 2,
        "accesses %s, of the memory of rank %d, as %s; nothing orders the two: "
        "%s would",
        bytes, process.races->rank, second, remedy_of(one, other));
}
