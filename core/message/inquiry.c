// SPDX-License-Identifier: BSD-3-Clause
// Inquiries. One asks and collects the graph of what depends on what; a process that
// computes does not answer, or answers that it may go on. What cannot come about by that
// is a deadlock only if nothing was under way between the answers. So each dependence on
// the way is checked once more: the process that depends asks the other one whether its
// answer still holds, and then looks at its own. The answer comes behind all messages that
// the other one has sent before, and that one has made no call since. The process that is
// the first to get what it awaits would have had to get it before its check, which finds it
// waiting: so none is the first. What other processes or the progress of messages bring
// about is no dependence. Only the lowest rank of a deadlock reports it.
#include "message/deaths.h"
#include "message/engine.h"
#include "message/inquiry.h"

#include <stdlib.h>

enum inquiry_step {
    STEP_ASK,     // to who is awaited: what does it depend on?
    STEP_ANSWER,  // with the list
    STEP_CHECK,   // to who depends: is it so?
    STEP_CONFIRM, // from that to who is awaited
    STEP_HELD,    // and back
    STEP_CHECKED, // and to who inquires
    STEP_TELL,    // to who waits: in words
    STEP_TOLD,    // with the words
    INQUIRY_STEPS
};

// The head of all messages.
struct inquiry_head {
    uint16_t step;
    uint16_t holds;    // what has been checked
    uint32_t number;   // of the inquiry
    int32_t inquirer;  // rank in the job
    int32_t count;     // of what follows an answer
    struct awaited on; // what depends,
    struct awaited of; // and what it depends on
    uint64_t on_state, of_state;
};
_Static_assert(sizeof(struct inquiry_head) + AWAITED_MAX * sizeof(struct awaited) <=
                   MESSAGE_MAX,
               "an answer is one message");

struct inquiry {
    const struct long_wait *wait;
    uint32_t number;
    enum { IS_ASKING, IS_CHECKING, IS_BEING_TOLD } stage;
    uint64_t since;    // of the stage
    uint64_t patience; // for its answers
    int open;          // messages of the stage that are not answered
    bool has_failed;   // a check, or for lack of memory
    struct knot knot;
};

static const uint64_t SOON = 20000000;      // nanoseconds between looks at an inquiry,
static const uint64_t PATIENCE = 200000000; // and for an answer, at the first inquiry
static const uint64_t RETRY = 100000000;    // after a check that has failed

// Of the patience of the next inquiries: on a busy machine answers take long.
enum { DOUBLINGS_MAX = 4 };

// ---- questions -------------------------------------------------------------------
static void head_send(int rank, const struct inquiry_head *head, const void *body,
                      size_t bytes)
{
    message_send(rank, MESSAGE_INQUIRY, head, sizeof *head, body, bytes);
}

static void inquiry_ask(struct inquiry *inquiry, enum inquiry_step step, int on, int of)
{
    const struct knot_node *nodes = inquiry->knot.nodes;
    struct inquiry_head head = {.step = (uint16_t)step,
                                .number = inquiry->number,
                                .inquirer = process.boot->rank,
                                .on = nodes[on].what,
                                .of = nodes[of].what,
                                .on_state = nodes[on].state,
                                .of_state = nodes[of].state};
    inquiry->open++;
    head_send(nodes[on].what.rank, &head, NULL, 0);
}

static void stage_begin(struct inquiry *inquiry, int stage, uint64_t now)
{
    inquiry->stage = stage;
    inquiry->since = now;
    inquiry->open = 0;
}

// ---- answers ---------------------------------------------------------------------
// 0: it may come.
static uint64_t state_of(const struct explanation *explanation)
{
    size_t bytes = (size_t)explanation->count * sizeof *explanation->list;
    uint64_t hash =
        hash_go_on(HASH_OF_NOTHING, &explanation->state, sizeof explanation->state);
    return explanation->count == 0 ? 0 : hash_go_on(hash, explanation->list, bytes) | 1;
}

static bool does_hold(const struct awaited *what, uint64_t state)
{
    struct explanation explanation;
    awaited_explain(what, &explanation);
    return state_of(&explanation) == state;
}

static void question_answer(struct inquiry_head *head)
{
    struct explanation explanation;
    awaited_explain(&head->on, &explanation);
    head->step = STEP_ANSWER;
    head->count = explanation.count;
    head->on_state = state_of(&explanation);
    head_send(head->inquirer, head, explanation.list,
              (size_t)explanation.count * sizeof *explanation.list);
}

static void wait_tell(struct inquiry_head *head)
{
    struct wait_words words = {.call = ""};
    const struct long_wait *wait = long_wait_find(head->on.number);
    if (wait != NULL)
        long_wait_tell(wait, &words);
    head->step = STEP_TOLD;
    head->holds = wait != NULL;
    head_send(head->inquirer, head, &words, sizeof words);
}

static void dependence_check(struct inquiry_head *head)
{
    head->step = STEP_CONFIRM;
    head_send(head->of.rank, head, NULL, 0);
}

static void dependence_confirm(struct inquiry_head *head)
{
    head->step = STEP_HELD;
    head->holds = does_hold(&head->of, head->of_state);
    head_send(head->on.rank, head, NULL, 0);
}

static void dependence_held(struct inquiry_head *head)
{
    head->step = STEP_CHECKED;
    head->holds = head->holds && does_hold(&head->on, head->on_state);
    head_send(head->inquirer, head, NULL, 0);
}

// ---- what the inquirer hears -----------------------------------------------------
static void hear_answer(struct inquiry *inquiry, const struct inquiry_head *head,
                        const struct awaited *list)
{
    struct knot *knot = &inquiry->knot;
    int node = knot_node(knot, &head->on), before = knot->count;
    if (node < 0 || knot->nodes[node].is_answered)
        return;
    inquiry->open--;
    knot->nodes[node].state = head->on_state;
    if (!knot_explain(knot, node, list, head->count)) {
        inquiry->has_failed = true;
        return;
    }
    for (int i = before; i < knot->count; i++)
        inquiry_ask(inquiry, STEP_ASK, i, i);
}

static void hear_words(struct inquiry *inquiry, const struct inquiry_head *head,
                       const struct wait_words *words)
{
    int node = knot_node(&inquiry->knot, &head->on);
    struct wait_words *kept = malloc(sizeof *kept);
    inquiry->open--;
    inquiry->has_failed |= !head->holds;
    if (node < 0 || kept == NULL) {
        free(kept);
        return;
    }
    *kept = *words;
    free(inquiry->knot.nodes[node].words);
    inquiry->knot.nodes[node].words = kept;
}

// An inquiry that has ended, or gone on without the answer, hears it no more.
static void answer_hear(const struct inquiry_head *head, const void *body)
{
    struct inquiry *inquiry = process.messages->inquiry;
    if (inquiry == NULL || inquiry->number != head->number)
        return;
    if (head->step == STEP_ANSWER && inquiry->stage == IS_ASKING) {
        hear_answer(inquiry, head, body);
    } else if (head->step == STEP_CHECKED && inquiry->stage == IS_CHECKING) {
        inquiry->open--;
        inquiry->has_failed |= !head->holds;
    } else if (head->step == STEP_TOLD && inquiry->stage == IS_BEING_TOLD) {
        hear_words(inquiry, head, body);
    }
}

static bool is_in_job(int rank)
{
    return rank >= 0 && rank < process.boot->size;
}

static bool is_inquiry(const struct inquiry_head *head, size_t body_bytes)
{
    size_t expected = 0;
    if (head->step == STEP_ANSWER)
        expected = (size_t)(uint32_t)head->count * sizeof(struct awaited);
    if (head->step == STEP_TOLD)
        expected = sizeof(struct wait_words);
    return head->step < INQUIRY_STEPS && is_in_job(head->inquirer) &&
           is_in_job(head->on.rank) && is_in_job(head->of.rank) &&
           head->on.kind < AWAITED_KINDS && head->of.kind < AWAITED_KINDS &&
           body_bytes == expected;
}

static bool are_in_job(const struct awaited *list, int count)
{
    bool are = true;
    for (int i = 0; i < count; i++)
        are &= is_in_job(list[i].rank) && list[i].kind < AWAITED_KINDS;
    return are;
}

static void handle_inquiry(int source, const void *message, size_t bytes)
{
    static void (*const steps[INQUIRY_STEPS])(struct inquiry_head *) = {
        [STEP_ASK] = question_answer,
        [STEP_CHECK] = dependence_check,
        [STEP_CONFIRM] = dependence_confirm,
        [STEP_HELD] = dependence_held,
        [STEP_TELL] = wait_tell,
    };
    const struct inquiry_head *head = message;
    if (bytes < sizeof *head || !is_inquiry(head, bytes - sizeof *head) ||
        (head->step == STEP_ANSWER &&
         !are_in_job((const void *)(head + 1), head->count))) {
        message_refuse(source, "an inquiry");
        return;
    }
    struct inquiry_head own = *head;
    if (steps[head->step] != NULL)
        steps[head->step](&own);
    else
        answer_hear(head, head + 1);
}

// ---- the course of an inquiry ----------------------------------------------------
static void inquiry_begin(struct long_wait *wait, uint64_t now)
{
    struct messages *messages = process.messages;
    struct inquiry *inquiry = calloc(1, sizeof *inquiry);
    struct awaited root = {
        .rank = process.boot->rank, .number = wait->number, .kind = AWAITED_WAIT};
    if (inquiry == NULL)
        return;
    unsigned doublings = wait->doublings;
    wait->doublings += doublings < DOUBLINGS_MAX;
    *inquiry = (struct inquiry){.wait = wait,
                                .number = ++messages->inquiries,
                                .patience = PATIENCE << doublings};
    messages->inquiry = inquiry;
    stage_begin(inquiry, IS_ASKING, now);
    if (knot_node(&inquiry->knot, &root) == 0)
        inquiry_ask(inquiry, STEP_ASK, 0, 0);
}

void inquiry_end(const struct long_wait *wait)
{
    struct inquiry *inquiry = process.messages->inquiry;
    if (inquiry == NULL || inquiry->wait != wait)
        return;
    process.messages->inquiry = NULL;
    knot_free(&inquiry->knot);
    free(inquiry);
}

// False if there is nothing to check.
static bool inquiry_check(struct inquiry *inquiry, uint64_t now)
{
    struct knot *knot = &inquiry->knot;
    knot_find(knot);
    if (inquiry->has_failed || knot_lowest_rank(knot) != process.boot->rank)
        return false;
    stage_begin(inquiry, IS_CHECKING, now);
    for (int i = 0; i < knot->count; i++)
        for (int e = 0; e < knot->nodes[i].edge_count; e++)
            if (knot->nodes[i].is_reached && knot->nodes[i].edges[e].is_blocking)
                inquiry_ask(inquiry, STEP_CHECK, i, knot->nodes[i].edges[e].to);
    return true;
}

static void inquiry_learn_words(struct inquiry *inquiry, uint64_t now)
{
    struct knot *knot = &inquiry->knot;
    stage_begin(inquiry, IS_BEING_TOLD, now);
    for (int i = 0; i < knot->count; i++)
        if (knot->nodes[i].is_in_knot && knot->nodes[i].what.kind == AWAITED_WAIT)
            inquiry_ask(inquiry, STEP_TELL, i, i);
}

// The node with words whose rank is the lowest above this one; -1: there is none.
static int next_told(const struct knot *knot, int rank)
{
    int next = -1;
    for (int i = 0; i < knot->count; i++)
        if (knot->nodes[i].words != NULL && knot->nodes[i].what.rank > rank &&
            (next < 0 || knot->nodes[i].what.rank < knot->nodes[next].what.rank))
            next = i;
    return next;
}

enum { REASON_BYTES = RANKS_TEXT_BYTES + 3 * WAIT_TEXT_BYTES + 32 };

static void reason_write(const struct knot *knot, int node, char reason[REASON_BYTES])
{
    const struct wait_words *words = knot->nodes[node].words;
    char ranks[RANKS_TEXT_BYTES];
    knot_ranks(knot, node, ranks, sizeof ranks);
    snprintf(reason, REASON_BYTES, "waits for %s %s%s%s", ranks, words->text,
             words->holdings[0] != '\0' ? "; holds " : "", words->holdings);
}

// One wait of each process, of which this is the first.
static void knot_report(const struct knot *knot)
{
    struct call_site sites[FINDING_SITES_MAX];
    char(*reasons)[REASON_BYTES] = calloc(FINDING_SITES_MAX, sizeof *reasons);
    int count = 0;
    for (int node = next_told(knot, -1);
         node >= 0 && count < FINDING_SITES_MAX && reasons != NULL;
         node = next_told(knot, knot->nodes[node].what.rank)) {
        const struct wait_words *words = knot->nodes[node].words;
        reason_write(knot, node, reasons[count]);
        sites[count] = (struct call_site){.rank = knot->nodes[node].what.rank,
                                          .call = words->call,
                                          .source = words->source,
                                          .text = reasons[count]};
        count++;
    }
    if (count > 0)
        finding_tell(RULE_DEADLOCK, sites, count, "deadlock: %s", reasons[0]);
    free(reasons);
}

// The other ranks shall end by the launcher, and not tell that this one has died.
static _Noreturn void job_abort_stuck(void)
{
    boot_ask_to_abort(process.boot, MPI_ERR_PENDING, "deadlock");
    deaths_await_others(process.messages);
    boot_abort(process.boot, MPI_ERR_PENDING, "deadlock");
}

// True when a deadlock has been found and reported. The wait's next inquiry is set when
// this one has ended.
static bool inquiry_go_on(struct inquiry *inquiry, struct long_wait *wait, uint64_t now)
{
    uint64_t patience = inquiry->patience;
    bool has_all = inquiry->open == 0, is_late = now - inquiry->since > patience;
    if (inquiry->stage == IS_ASKING && (has_all || is_late) &&
        inquiry_check(inquiry, now))
        return false;
    if (inquiry->stage == IS_CHECKING && has_all && !inquiry->has_failed) {
        inquiry_learn_words(inquiry, now);
        return false;
    }
    bool is_over =
        inquiry->stage == IS_ASKING
            ? has_all || is_late
            : has_all || inquiry->has_failed || now - inquiry->since > 5 * patience;
    if (!is_over)
        return false;
    bool is_found = inquiry->stage == IS_BEING_TOLD && !inquiry->has_failed;
    if (is_found)
        knot_report(&inquiry->knot);
    else if (inquiry->stage != IS_ASKING)
        wait->next_inquiry = now + RETRY;
    wait->is_reported |= is_found;
    inquiry_end(wait);
    return is_found;
}

static bool is_of_wait(const struct inquiry *inquiry, const struct long_wait *wait)
{
    return inquiry != NULL && inquiry->wait == wait;
}

uint64_t inquiry_look(struct long_wait *wait, uint64_t now)
{
    struct stuck_limit limit = stuck_limit_of(process.options.stuck);
    if (limit.nanoseconds == 0 || wait->is_reported)
        return UINT64_MAX;
    if (wait->next_inquiry == 0)
        wait->next_inquiry = wait->start + limit.nanoseconds;
    struct messages *messages = process.messages;
    bool is_found = false;
    message_lock();
    if (is_of_wait(messages->inquiry, wait)) {
        is_found = inquiry_go_on(messages->inquiry, wait, now);
    } else if (messages->inquiry == NULL && now >= wait->next_inquiry) {
        wait->next_inquiry = now + limit.nanoseconds;
        inquiry_begin(wait, now);
    }
    bool is_under_way = is_of_wait(messages->inquiry, wait);
    message_unlock();
    if (is_found && limit.must_abort)
        job_abort_stuck();
    return is_under_way ? now + SOON : wait->next_inquiry;
}

void inquiries_start(void)
{
    message_register(
        &(struct message_kind){MESSAGE_INQUIRY, handle_inquiry, .can_fail = true}, 1);
}
