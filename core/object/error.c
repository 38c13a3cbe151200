// SPDX-License-Identifier: BSD-3-Clause
// Error classes, codes and strings (MPI-4.1 9.4, 9.5). The code of an error that Oriel
// finds is its class; codes above MPI_ERR_LASTCODE are the program's.
#include "object/private.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

struct added_error {
    int class; // itself for a class
    char *text;
};

static bool is_ours(int code)
{
    return code >= 0 && code < error_text_count;
}

// The entry of a code that the program has added, or NULL. The lock is held.
static struct added_error *find_added(int code)
{
    int index = code - MPI_ERR_LASTCODE - 1;
    return index >= 0 && index < objects.added_count ? &objects.added[index] : NULL;
}

static int unknown_code(const char *argument, int code)
{
    return fail(MPI_ERR_ARG, "%s = %d: is not an error code of MPI or of this program",
                argument, code);
}

int oriel_error_class(int errorcode, int *errorclass)
{
    if (is_ours(errorcode)) {
        *errorclass = errorcode;
        return 0;
    }
    pthread_mutex_lock(&objects.lock);
    const struct added_error *added = find_added(errorcode);
    if (added != NULL)
        *errorclass = added->class;
    pthread_mutex_unlock(&objects.lock);
    return added ? 0 : unknown_code("errorcode", errorcode);
}

void error_describe(int code, char text[MPI_MAX_ERROR_STRING])
{
    int detailed;
    const char *detail = error_detail(&detailed);
    if (is_ours(code)) {
        bool has_detail = code != MPI_SUCCESS && detailed == code && *detail != '\0';
        snprintf(text, MPI_MAX_ERROR_STRING, "%s: %s%s%s", error_texts[code].name,
                 error_texts[code].text, has_detail ? ": " : "",
                 has_detail ? detail : "");
        return;
    }
    pthread_mutex_lock(&objects.lock);
    const struct added_error *added = find_added(code);
    snprintf(text, MPI_MAX_ERROR_STRING, "%s", added && added->text ? added->text : "");
    pthread_mutex_unlock(&objects.lock);
}

int oriel_error_string(int errorcode, char *string, int *resultlen)
{
    int class;
    int err = oriel_error_class(errorcode, &class);
    if (err)
        return err;
    char text[MPI_MAX_ERROR_STRING];
    error_describe(errorcode, text);
    *resultlen = (int)strlen(text);
    memcpy(string, text, (size_t)*resultlen + 1);
    return 0;
}

// Adds a code of the given class, or a class of its own.
static int add(const int *class, int *code)
{
    pthread_mutex_lock(&objects.lock);
    size_t count = (size_t)objects.added_count + 1;
    struct added_error *added = realloc(objects.added, count * sizeof *added);
    if (added != NULL) {
        *code = MPI_ERR_LASTCODE + (int)count;
        added[count - 1] = (struct added_error){.class = class ? *class : *code};
        objects.added = added;
        objects.added_count++;
        objects.last_code = *code;
    }
    pthread_mutex_unlock(&objects.lock);
    return added ? 0 : fail(MPI_ERR_NO_MEM, "no memory for %zu error codes", count);
}

int oriel_add_error_class(int *errorclass)
{
    return add(NULL, errorclass);
}

int oriel_add_error_code(int errorclass, int *errorcode)
{
    int class = 0;
    int err = oriel_error_class(errorclass, &class);
    if (err)
        return err;
    if (class != errorclass)
        return fail(MPI_ERR_ARG, "errorclass = %d: is an error code of class %d",
                    errorclass, class);
    return add(&class, errorcode);
}

int oriel_add_error_string(int errorcode, const char *string)
{
    char *text = strndup(string, MPI_MAX_ERROR_STRING - 1);
    if (text == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for an error string");
    pthread_mutex_lock(&objects.lock);
    struct added_error *added = find_added(errorcode);
    char *unused = text;
    if (added != NULL) {
        unused = added->text;
        added->text = text;
    }
    pthread_mutex_unlock(&objects.lock);
    free(unused);
    return added ? 0
                 : fail(MPI_ERR_ARG, "errorcode = %d: was not added by this program",
                        errorcode);
}

void errors_forget(void)
{
    for (int i = 0; i < objects.added_count; i++)
        free(objects.added[i].text);
    free(objects.added);
    objects.added = NULL;
    objects.added_count = 0;
}
