// SPDX-License-Identifier: BSD-3-Clause
// The handler runs where the fault has come, be it within malloc or while a lock is held.
// So it tells only of faults in Oriel's own code, in the functions that copy for it, and
// where the network accesses the memory of windows: none of them holds a lock that telling
// needs. Afterwards the process ends by the same signal as without the handler, at the same
// instruction, with its core dump; the access is not tried again, since there may be memory
// by then that telling has taken.
#include "base/base.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { COPY_CODE_BYTES = 4096 }; // memmove has less

// The address of the instruction, or NULL where it is not known how that is told.
static const void *fault_instruction(const void *context)
{
    const ucontext_t *state = context;
#if defined(__x86_64__)
    return (const void *)(uintptr_t)state->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)(uintptr_t)state->uc_mcontext.pc;
#else
    (void)state;
    return NULL;
#endif
}

static bool is_in_copy(const void *instruction)
{
    void *(*const copies[])(void *, const void *, size_t) = {memcpy, memmove};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if ((uintptr_t)instruction - (uintptr_t)copies[i] < COPY_CODE_BYTES)
            return true;
    return false;
}

// Of a buffer that the program has given to the call that is under way.
static void fault_tell(const void *instruction, const void *memory)
{
    const void *entry, *caller = faulting_call(instruction, &entry);
    char call[SOURCE_TEXT_BYTES], text[FINDING_TEXT_BYTES];
    if (entry == NULL || caller == NULL)
        return;
    snprintf(text, sizeof text, "there is no memory at %p that it could access",
             memory);
    finding_tell_error("MPI_ERR_BUFFER", caller, entry_text(entry, call), NULL, text);
}

// Most often it is a call of another process that accesses the memory.
static void exposure_tell(const char *object, const void *memory)
{
    char text[FINDING_TEXT_BYTES];
    snprintf(text, sizeof text,
             "there is no memory any more at %p, which this process exposes in %s",
             memory, object);
    finding_tell_error("MPI_ERR_RMA_RANGE", NULL, NULL, NULL, text);
}

static bool is_exposed(const void *instruction, const void *memory,
                       char text[SOURCE_TEXT_BYTES])
{
    return process.name_exposure != NULL &&
           process.name_exposure(memory, text, SOURCE_TEXT_BYTES) &&
           faults_below_core(instruction);
}

static void fault_explain(const void *instruction, const void *memory)
{
    char object[SOURCE_TEXT_BYTES];
    if (is_exposed(instruction, memory, object))
        exposure_tell(object, memory);
    else if (is_in_copy(instruction) || code_owner(instruction) != CODE_OF_OTHERS)
        fault_tell(instruction, memory);
}

static void fault_handle(int number, siginfo_t *fault, void *context)
{
    const void *instruction = fault_instruction(context);
    signal(number, SIG_DFL);
    bool is_access = fault->si_code > 0; // and not a signal that somebody has sent
    if (is_access && instruction != NULL && code_owner_is_known())
        fault_explain(instruction, fault->si_addr);
    raise(number); // it comes when this function returns
}

void faults_watch(void)
{
    struct sigaction now, own = {.sa_sigaction = fault_handle, .sa_flags = SA_SIGINFO};
    sigemptyset(&own.sa_mask);
    bool is_free = sigaction(SIGSEGV, NULL, &now) == 0 &&
                   (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL;
    if (is_free && process.options.check >= CHECK_BASIC)
        sigaction(SIGSEGV, &own, NULL);
}

void faults_leave(void)
{
    struct sigaction now;
    if (sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
        now.sa_sigaction == fault_handle)
        signal(SIGSEGV, SIG_DFL);
}

void faults_name_exposures(exposure_namer *name)
{
    process.name_exposure = name;
}
