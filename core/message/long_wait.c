// SPDX-License-Identifier: BSD-3-Clause
// The list of long waits, and what they say of themselves.
#include "message/long_wait.h"
#include "message/engine.h"
#include "message/inquiry.h"

static const uint64_t SECOND = 1000000000; // nanoseconds

static _Thread_local struct long_wait own_wait;

// ---- the list --------------------------------------------------------------------
static void long_wait_list(struct long_wait *wait)
{
    struct messages *messages = process.messages;
    wait->called_at = calling_address();
    wait->entry = calling_entry();
    message_lock();
    if (++messages->waits.number == 0)
        messages->waits.number = 1;
    wait->number = messages->waits.number;
    wait->next = messages->waits.first;
    messages->waits.first = wait;
    message_unlock();
}

void long_wait_end(void)
{
    struct long_wait *wait = &own_wait;
    wait->start = 0;
    if (wait->number == 0)
        return;
    message_lock();
    struct long_wait **link = &process.messages->waits.first;
    while (*link != wait)
        link = &(*link)->next;
    *link = wait->next;
    inquiry_end(wait);
    wait->number = 0;
    message_unlock();
}

bool long_wait_is_listed(void)
{
    return own_wait.number != 0;
}

struct long_wait *long_wait_find(uint32_t number)
{
    struct long_wait *wait = process.messages->waits.first;
    while (wait != NULL && wait->number != number)
        wait = wait->next;
    return wait;
}

// ---- explanations ----------------------------------------------------------------
void awaited_register(enum awaited_kind kind, awaited_explainer *explain)
{
    process.messages->explainers[kind] = explain;
}

void holdings_register(holdings_teller *tell)
{
    process.messages->tell_holdings = tell;
}

// Do all calls wait that the program has made? Where several threads may call, each thread
// that is not Oriel's must be in one of them.
static bool is_blocked(void)
{
    long waits = 0;
    for (const struct long_wait *wait = process.messages->waits.first; wait != NULL;
         wait = wait->next)
        waits++;
    return process.thread_level < MPI_THREAD_MULTIPLE
               ? waits > 0
               : waits == shm_threads() - message_threads();
}

// The program goes on when one of its threads does.
static void explain_call(const struct awaited *awaited, struct explanation *explanation)
{
    for (const struct long_wait *wait = process.messages->waits.first; wait != NULL;
         wait = wait->next)
        awaited_or(explanation, (struct awaited){.rank = awaited->rank,
                                                 .number = wait->number,
                                                 .kind = AWAITED_WAIT});
}

static void wait_explain(const struct long_wait *wait, struct explanation *explanation)
{
    explanation->state = wait->number;
    if (wait->explain != NULL)
        wait->explain(wait->argument, explanation);
}

static void explain_wait(const struct awaited *awaited, struct explanation *explanation)
{
    const struct long_wait *wait = long_wait_find(awaited->number);
    if (wait != NULL)
        wait_explain(wait, explanation);
}

void awaited_explain(const struct awaited *awaited, struct explanation *explanation)
{
    awaited_explainer *explain = awaited->kind == AWAITED_CALL   ? explain_call
                                 : awaited->kind == AWAITED_WAIT ? explain_wait
                                                                 : NULL;
    explanation->state = 0;
    explanation->count = 0;
    explanation->is_open = explanation->is_any = false;
    explanation->text[0] = '\0';
    if (explain == NULL)
        explain = process.messages->explainers[awaited->kind];
    if (explain != NULL && is_blocked())
        explain(awaited, explanation);
    if (explanation->is_open)
        explanation->count = 0;
}

void long_wait_tell(const struct long_wait *wait, struct wait_words *words)
{
    struct explanation explanation = {.count = 0};
    wait_explain(wait, &explanation);
    *words = (struct wait_words){.call = ""};
    entry_text(wait->entry, words->call);
    source_line_text(wait->called_at, words->source);
    snprintf(words->text, sizeof words->text, "%s", explanation.text);
    if (process.messages->tell_holdings != NULL)
        process.messages->tell_holdings(words->holdings, sizeof words->holdings);
}

// ---- for the launcher ----------------------------------------------------------------
// Has this process itself nothing of what is awaited? Its lock may be meant, or another's.
static bool is_not_own(const struct awaited *awaited)
{
    struct explanation own;
    if (awaited->rank != process.boot->rank || awaited->kind != AWAITED_RELEASE ||
        !is_blocked())
        return false;
    awaited_explain(awaited, &own);
    return own.count == 0;
}

// Of a schedule of this process, what that waits for.
static void ranks_awaited(const struct long_wait *wait, struct rank_list *ranks)
{
    struct explanation of_wait = {.count = 0}, of_steps = {.count = 0};
    wait_explain(wait, &of_wait);
    const struct explanation *explanation = &of_wait;
    if (of_wait.count == 1 && of_wait.list[0].kind == AWAITED_STEPS) {
        awaited_explain(&of_wait.list[0], &of_steps);
        explanation = &of_steps;
    }
    for (int i = 0; i < explanation->count; i++)
        if (!is_not_own(&explanation->list[i]))
            rank_list_add(ranks, explanation->list[i].rank);
}

static size_t long_wait_write(const struct long_wait *wait, uint64_t now, char *text,
                              size_t bytes)
{
    struct wait_words words;
    struct rank_list list = {.count = 0};
    char ranks[RANKS_TEXT_BYTES] = "";
    long_wait_tell(wait, &words);
    ranks_awaited(wait, &list);
    if (list.count > 0)
        rank_list_write(&list, ranks, sizeof ranks);
    return (size_t)snprintf(text, bytes, "%s at %s waits%s%s %s%s%s, for %.1f s",
                            words.call, words.source, list.count > 0 ? " for " : "",
                            ranks, words.text,
                            words.holdings[0] != '\0' ? "; holds " : "", words.holdings,
                            1e-9 * (double)(now - wait->start));
}

static void long_waits_tell(uint64_t now)
{
    char text[WIRE_LINE_BYTES / 2] = "";
    size_t used = 0;
    message_lock();
    for (const struct long_wait *wait = process.messages->waits.first;
         wait != NULL && used < sizeof text; wait = wait->next) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                 used > 0 ? "; " : "");
        if (used < sizeof text)
            used += long_wait_write(wait, now, text + used, sizeof text - used);
    }
    message_unlock();
    boot_tell(process.boot, text);
}

// Returns when to look again.
static uint64_t long_wait_report(struct long_wait *wait, uint64_t now)
{
    uint64_t waited = now - wait->start;
    uint64_t look = now + (waited < SECOND ? waited : SECOND);
    if (wait->number == 0)
        long_wait_list(wait);
    if (boot_must_tell(process.boot))
        long_waits_tell(now);
    uint64_t inquiry = inquiry_look(wait, now);
    return look < inquiry ? look : inquiry;
}

int long_wait_look(wait_explainer *explain, const void *argument, uint64_t since,
                   uint64_t *next)
{
    struct long_wait *wait = &own_wait;
    uint64_t now = clock_nanoseconds();
    if (wait->start == 0) {
        uint64_t start = since != 0 ? since : now;
        *wait = (struct long_wait){.start = start,
                                   .next_look = start + LONG_WAIT,
                                   .explain = explain,
                                   .argument = argument};
    }
    if (now >= wait->next_look) {
        int err = message_check_deaths();
        if (err)
            return err;
        wait->next_look = long_wait_report(wait, now);
    }
    *next = wait->next_look;
    return 0;
}
