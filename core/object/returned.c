// SPDX-License-Identifier: BSD-3-Clause
// Errors that calls have returned to the program, until it asks what they are.
#include "object/returned.h"

#include <stdlib.h>
#include <string.h>

enum { RETURNED_MAX = 256, REASON_BYTES = MPI_MAX_ERROR_STRING + 64 };

struct returned_error {
    int code;
    const char *call;
    const void *address; // of the call in the program
    char object[MPI_MAX_OBJECT_NAME + 16], reason[REASON_BYTES];
};

static bool is_noted(int code, const void *address)
{
    for (int i = 0; i < objects.returned_count; i++)
        if (objects.returned[i].code == code && objects.returned[i].address == address)
            return true;
    return false;
}

// The lock is held.
static struct returned_error *place_for_error(void)
{
    if (objects.returned == NULL)
        objects.returned = calloc(RETURNED_MAX, sizeof *objects.returned);
    return objects.returned != NULL && objects.returned_count < RETURNED_MAX
               ? &objects.returned[objects.returned_count++]
               : NULL;
}

void returned_error_note(const char *call, const char *object, int code,
                         const char *reason)
{
    const void *address = calling_address();
    pthread_mutex_lock(&objects.lock);
    struct returned_error *error = is_noted(code, address) ? NULL : place_for_error();
    if (error != NULL) {
        *error =
            (struct returned_error){.code = code, .call = call, .address = address};
        snprintf(error->object, sizeof error->object, "%s", object ? object : "");
        snprintf(error->reason, sizeof error->reason, "%s", reason);
    }
    pthread_mutex_unlock(&objects.lock);
}

void returned_errors_seen(int code)
{
    int kept = 0;
    pthread_mutex_lock(&objects.lock);
    for (int i = 0; i < objects.returned_count; i++)
        if (objects.returned[i].code != code)
            objects.returned[kept++] = objects.returned[i];
    objects.returned_count = kept;
    pthread_mutex_unlock(&objects.lock);
}

void returned_errors_tell(void)
{
    for (int i = 0; i < objects.returned_count; i++) {
        const struct returned_error *error = &objects.returned[i];
        struct call_site site = {.rank = process.rank,
                                 .call = error->call,
                                 .address = error->address,
                                 .object = *error->object ? error->object : NULL};
        finding_tell(RULE_UNSEEN_ERROR, &site, 1,
                     "has returned an error that the program has not looked at: %s",
                     error->reason);
    }
    free(objects.returned);
    objects.returned = NULL;
    objects.returned_count = 0;
}
