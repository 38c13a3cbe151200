// SPDX-License-Identifier: BSD-3-Clause
// The objects whose handles a program still holds when it calls MPI_Finalize.
#include "left_open.h"

#include "collective/collective.h"
#include "window/window.h"

static const struct left_kind {
    enum object_kind kind;
    const char *name;
} kinds[] = {
    {KIND_WIN, "window"},        {KIND_COMM, "communicator"},
    {KIND_DATATYPE, "datatype"}, {KIND_REQUEST, "request"},
    {KIND_MESSAGE, "message"},   {KIND_GROUP, "group"},
    {KIND_OP, "operation"},      {KIND_INFO, "info"},
    {KIND_KEYVAL, "keyval"},     {KIND_ERRHANDLER, "error handler"},
};

static const char *name_of(enum object_kind kind, const void *object)
{
    switch (kind) {
    case KIND_WIN:
        return object_name_or_none(((const struct window *)object)->name);
    case KIND_COMM:
        return object_name_or_none(((const struct communicator *)object)->name);
    default:
        return "";
    }
}

// At the call that has opened it. Objects of the same call are counted.
static void object_tell(const struct left_kind *kind, const struct object *object)
{
    const char *name = name_of(kind->kind, object);
    struct call_site site = {.rank = process.rank, .address = object->opened_at};
    finding_tell(RULE_LEFT_OPEN, &site, 1, "this %s%s%s has not been freed", kind->name,
                 *name ? " " : "", name);
}

static void kind_tell(const struct left_kind *kind)
{
    uint32_t at = 0;
    for (const struct object *object;
         (object = object_next_open(kind->kind, &at)) != NULL;)
        object_tell(kind, object);
}

// An epoch between two fences without an operation may stay.
static bool has_epoch(const struct window *window)
{
    enum access access = epoch_access(&window->epoch);
    return (access != ACCESS_NONE && access != ACCESS_FENCE) ||
           window_is_exposed(window);
}

static void epochs_tell(const struct call_site *site)
{
    uint32_t at = 0;
    for (struct window *window; (window = object_next_open(KIND_WIN, &at)) != NULL;) {
        const char *name = object_name_or_none(window->name);
        if (has_epoch(window))
            finding_tell(RULE_OPEN_EPOCH, site, 1, "window %s: %s",
                         *name != '\0' ? name : "without a name",
                         window_is_exposed(window)
                             ? "it is exposed by MPI_Win_post; MPI_Win_wait is missing"
                             : window_epoch(window));
    }
}

void left_open_tell(void)
{
    struct call_site site = {.rank = process.rank, .call = "MPI_Finalize"};
    if (process.options.check >= CHECK_BASIC)
        epochs_tell(&site);
    if (process.options.analyses & ANALYSIS_ERRORS)
        returned_errors_tell();
    if ((process.options.analyses & ANALYSIS_LEAKS) == 0)
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        kind_tell(&kinds[i]);
}
