// SPDX-License-Identifier: BSD-3-Clause
// What the program of properties says of a call: that it succeeds, that it fails with a
// class, that two calls end alike. A crash is an outcome like an error, so that one run
// finds all faults; a call that does not return is reported by an alarm.
#pragma once

#include <mpi.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CRASHED = -1, SECONDS = 30 };

static const char *procedure, *condition; // of the call under way
static int faults, calls, world_rank;
static volatile int outcome; // error class of the last call, or CRASHED
static sigjmp_buf before_call;

// ---- calls ------------------------------------------------------------------------
static void leave_call(int signal)
{
    if (signal != SIGALRM)
        siglongjmp(before_call, 1);
    fprintf(stderr, "%s: %s: does not return\n", procedure, condition);
    _exit(1);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = leave_call, .sa_flags = SA_NODEFER};
    const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS && MPI_Error_class(code, &class) != MPI_SUCCESS)
        return code; // of the tool information interface
    return class;
}

// Sets `outcome`.
#define CALL(...)                                                                      \
    do {                                                                               \
        alarm(SECONDS);                                                                \
        calls++;                                                                       \
        if (sigsetjmp(before_call, 1) == 0)                                            \
            outcome = class_of(__VA_ARGS__);                                           \
        else                                                                           \
            outcome = CRASHED;                                                         \
    } while (0)

// ---- claims -----------------------------------------------------------------------
static const char *spoken(int class)
{
    static char texts[2][MPI_MAX_ERROR_STRING];
    static int next;
    char *text = texts[next ^= 1];
    int length;
    if (class == CRASHED)
        return "a crash";
    if (MPI_Error_string(class, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof texts[0], "code %d", class);
    return text;
}

// One of several objects says it for all.
static bool is_new_fault(void)
{
    static const char *of, *when;
    bool is_new = of != procedure || when != condition;
    of = procedure;
    when = condition;
    faults += is_new;
    return is_new;
}

static void fault(const char *expected)
{
    if (is_new_fault())
        fprintf(stderr, "rank %d: %s: %s: gives %s, not %s\n", world_rank, procedure,
                condition, spoken(outcome), expected);
}

static void gives(int class)
{
    if (outcome != class)
        fault(spoken(class));
}

static void returns(void)
{
    if (outcome == CRASHED)
        fault("a return");
}

static void fails(void)
{
    if (outcome == CRASHED || outcome == MPI_SUCCESS)
        fault("an error");
}

static void holds(bool claim, const char *text)
{
    if (!claim && is_new_fault())
        fprintf(stderr, "rank %d: %s: %s: not so: %s\n", world_rank, procedure,
                condition, text);
}

// A claim about calls that only some objects of a kind allow: one of them succeeds.
struct claim {
    struct claim *before;
    const char *procedure, *condition;
    int outcome;
    bool succeeds;
};
static struct claim *last_claim;

static void succeeds_somewhere(struct claim *claim)
{
    returns();
    if (claim->procedure == NULL) {
        claim->before = last_claim;
        last_claim = claim;
    }
    claim->succeeds = claim->succeeds || outcome == MPI_SUCCESS;
    if (claim->succeeds && claim->procedure != NULL)
        return;
    claim->procedure = procedure;
    claim->condition = condition;
    claim->outcome = outcome;
}

static void look_at_claims(void)
{
    for (struct claim *claim = last_claim; claim != NULL; claim = claim->before) {
        procedure = claim->procedure;
        condition = claim->condition;
        outcome = claim->outcome;
        if (!claim->succeeds)
            fault("success for any object");
    }
}
