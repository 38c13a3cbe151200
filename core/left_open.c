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
        return ((const struct window *)object)->name;
    case KIND_COMM:
        return ((const struct communicator *)object)->name;
    default:
        return "";
    }
}

static void kind_tell(const struct left_kind *kind, const struct call_site *site)
{
    uint32_t at = 0;
    int nameless = 0;
    for (void *object; (object = object_next_open(kind->kind, &at)) != NULL;) {
        const char *name = name_of(kind->kind, object);
        nameless += *name == '\0';
        if (*name != '\0')
            finding_tell(RULE_LEFT_OPEN, site, 1, "%s %s has not been freed",
                         kind->name, name);
    }
    if (nameless > 0)
        finding_tell(RULE_LEFT_OPEN, site, 1, "%d %s%s %s not been freed", nameless,
                     kind->name, nameless > 1 ? "s" : "",
                     nameless > 1 ? "have" : "has");
}

void left_open_tell(void)
{
    struct call_site site = {.rank = process.rank, .call = "MPI_Finalize"};
    if ((process.options.analyses & ANALYSIS_LEAKS) == 0)
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        kind_tell(&kinds[i], &site);
}
