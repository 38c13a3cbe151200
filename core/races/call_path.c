// SPDX-License-Identifier: BSD-3-Clause
// Where the program has called the procedure that is under way. To unwind the stack takes
// microseconds. But where Oriel's functions have frames of a fixed size, as those of C have,
// the same way through them leaves the same return addresses at the same places, and the
// program's one is behind them; so the ways that were unwound once are compared first.
#include "races/state.h"

#include <string.h>
#include <unwind.h>

// The frame of call_place is the one from which places count; it is the second one.
struct unwinding {
    struct call_path path;
    const char *base;
    int skipped; // frames
};

// ---- what is of Oriel -----------------------------------------------------------------
// Of addresses that have been looked at before it is known.
static const struct known_code *code_look_up(const void *address)
{
    struct known_code *known =
        &process.races->codes[((uintptr_t)address * 0x9e3779b1u >> 8) % KNOWN_CODES];
    if (known->address != address) {
        enum code_owner owner = code_owner(address);
        known->is_of_oriel = owner != CODE_OF_OTHERS;
        known->is_core = owner == CODE_OF_CORE;
        known->address = address;
    }
    return known;
}

// ---- unwinding ------------------------------------------------------------------------
// At each frame but the first its return address is below the end of the one before.
static _Unwind_Reason_Code frame_take(struct _Unwind_Context *context, void *argument)
{
    struct unwinding *unwinding = argument;
    struct call_path *path = &unwinding->path;
    const void *address = (const void *)_Unwind_GetIP(context);
    const char *place = (const char *)_Unwind_GetCFA(context) - sizeof address;
    if (unwinding->skipped++ < 2)
        return _URC_NO_REASON;
    const struct known_code *code = code_look_up(address);
    path->is_fixed &= memcmp(place, &address, sizeof address) == 0 &&
                      (code->is_core || !code->is_of_oriel);
    if (code->is_core)
        path->entry = (const char *)address - 1;
    path->frames[path->count++] = (struct call_frame){place - unwinding->base, address};
    path->is_complete = !code->is_of_oriel;
    return path->is_complete || path->count == PATH_FRAMES ? _URC_END_OF_STACK
                                                           : _URC_NO_REASON;
}

static const void *address_at(const char *base, const struct call_frame *frame)
{
    const void *address;
    memcpy(&address, base + frame->place, sizeof address);
    return address;
}

// All but the last one, which is the program's.
static bool path_is_same(const struct call_path *path, const char *base)
{
    for (int i = 0; i < path->count - 1; i++)
        if (address_at(base, &path->frames[i]) != path->frames[i].address)
            return false;
    return path->count > 0;
}

static struct call_place path_place(const struct call_path *path, const void *address)
{
    return (struct call_place){(const char *)address - 1, path->entry};
}

static __attribute__((noinline)) struct call_place place_unwind(const char *base)
{
    struct races *races = process.races;
    struct unwinding unwinding = {.base = base, .path.is_fixed = true};
    _Unwind_Backtrace(frame_take, &unwinding);
    const struct call_path *path = &unwinding.path;
    if (!path->is_complete)
        return (struct call_place){0};
    if (path->is_fixed)
        races->paths[races->path_count++ % CALL_PATHS] = *path;
    return path_place(path, path->frames[path->count - 1].address);
}

// Callers hold the message lock.
__attribute__((noinline)) struct call_place call_place(void)
{
    const struct races *races = process.races;
    const char *base = __builtin_frame_address(0);
    for (int i = 0; i < CALL_PATHS; i++) {
        const struct call_path *path = &races->paths[i];
        if (path_is_same(path, base))
            return path_place(path, address_at(base, &path->frames[path->count - 1]));
    }
    struct call_place place = place_unwind(base);
    __asm__ volatile(""); // no tail call: the frame must be there meanwhile
    return place;
}
