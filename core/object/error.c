// SPDX-License-Identifier: BSD-3-Clause
// Error classes, codes and strings (MPI-4.1 9.4, 9.5). The code of an error that Oriel
// finds is its class; codes above MPI_ERR_LASTCODE are the program's.
#include "object/error_codes.h"
#include "object/returned.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

struct added_error {
    int class; // itself for a class
    bool is_removed;
    char *text;
};

// The entry of a code that the program has added, or NULL. The lock is held.
static struct added_error *find_added(int code)
{
    int index = code - MPI_ERR_LASTCODE - 1;
    bool is_known =
        index >= 0 && index < objects.added_count && !objects.added[index].is_removed;
    return is_known ? &objects.added[index] : NULL;
}

static int unknown_code(const char *argument, int code)
{
    return fail(MPI_ERR_ARG, "%s = %d: is not an error code of MPI or of this program",
                argument, code);
}

static int not_added(const char *argument, int code)
{
    return fail(MPI_ERR_ARG, "%s = %d: was not added by this program", argument, code);
}

static void note_look(int code)
{
    if (unlikely(process.options.analyses & ANALYSIS_ERRORS))
        returned_errors_seen(code);
}

int oriel_error_class(int errorcode, int *errorclass)
{
    note_look(errorcode);
    if (is_error_class(errorcode)) {
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

bool error_describe(int code, char text[MPI_MAX_ERROR_STRING])
{
    int detailed;
    const char *detail = error_detail(&detailed);
    if (is_error_class(code)) {
        bool has_detail = code != MPI_SUCCESS && detailed == code && *detail != '\0';
        snprintf(text, MPI_MAX_ERROR_STRING, "%s: %s%s%s", error_texts[code].name,
                 error_texts[code].text, has_detail ? ": " : "",
                 has_detail ? detail : "");
        return true;
    }
    pthread_mutex_lock(&objects.lock);
    const struct added_error *added = find_added(code);
    snprintf(text, MPI_MAX_ERROR_STRING, "%s", added && added->text ? added->text : "");
    pthread_mutex_unlock(&objects.lock);
    return added != NULL;
}

int oriel_error_string(int errorcode, char *string, int *resultlen)
{
    char text[MPI_MAX_ERROR_STRING];
    note_look(errorcode);
    if (!error_describe(errorcode, text))
        return unknown_code("errorcode", errorcode);
    *resultlen = (int)strlen(text);
    memcpy(string, text, (size_t)*resultlen + 1);
    return 0;
}

// The place of a code that was removed, or a new one; -1 if there is no memory. The lock
// is held. MPI_LASTUSEDCODE only grows (9.5).
static int place_for_code(void)
{
    for (int i = 0; i < objects.added_count; i++)
        if (objects.added[i].is_removed)
            return i;
    size_t count = (size_t)objects.added_count + 1;
    struct added_error *added = realloc(objects.added, count * sizeof *added);
    if (added == NULL)
        return -1;
    objects.added = added;
    objects.last_code = MPI_ERR_LASTCODE + (int)count;
    return objects.added_count++;
}

// Adds a code of the given class, or a class of its own.
static int error_code_add(const int *class, int *code)
{
    pthread_mutex_lock(&objects.lock);
    int index = place_for_code();
    if (index >= 0) {
        *code = MPI_ERR_LASTCODE + 1 + index;
        objects.added[index] = (struct added_error){.class = class ? *class : *code};
    }
    pthread_mutex_unlock(&objects.lock);
    return index >= 0 ? 0 : fail(MPI_ERR_NO_MEM, "no memory for an error code");
}

int oriel_add_error_class(int *errorclass)
{
    return error_code_add(NULL, errorclass);
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
    return error_code_add(&class, errorcode);
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
    return added ? 0 : not_added("errorcode", errorcode);
}

int oriel_remove_error_string(int errorcode)
{
    pthread_mutex_lock(&objects.lock);
    struct added_error *added = find_added(errorcode);
    char *text = added ? added->text : NULL;
    if (added != NULL)
        added->text = NULL;
    pthread_mutex_unlock(&objects.lock);
    if (added != NULL && text == NULL)
        return fail(MPI_ERR_ARG, "errorcode = %d: has no text", errorcode);
    free(text);
    return added ? 0 : not_added("errorcode", errorcode);
}

static void remove_added(struct added_error *added)
{
    free(added->text);
    *added = (struct added_error){.is_removed = true};
}

// The number of codes of a class, besides itself. The lock is held.
static int count_codes(int class)
{
    int codes = 0;
    for (int i = 0; i < objects.added_count; i++)
        codes += !objects.added[i].is_removed && objects.added[i].class == class;
    return codes - 1;
}

int oriel_remove_error_class(int errorclass)
{
    int codes = 0;
    pthread_mutex_lock(&objects.lock);
    struct added_error *added = find_added(errorclass);
    if (added != NULL && added->class != errorclass)
        added = NULL;
    if (added != NULL)
        codes = count_codes(errorclass);
    if (added != NULL && codes == 0)
        remove_added(added);
    pthread_mutex_unlock(&objects.lock);
    if (added == NULL)
        return not_added("errorclass", errorclass);
    return codes == 0 ? 0
                      : fail(MPI_ERR_ARG, "errorclass = %d: still has %d error codes",
                             errorclass, codes);
}

// The text has to be removed first (9.5).
int oriel_remove_error_code(int errorcode)
{
    pthread_mutex_lock(&objects.lock);
    struct added_error *added = find_added(errorcode);
    if (added != NULL && added->class == errorcode)
        added = NULL; // a class
    bool has_text = added != NULL && added->text != NULL;
    if (added != NULL && !has_text)
        remove_added(added);
    pthread_mutex_unlock(&objects.lock);
    if (added == NULL)
        return not_added("errorcode", errorcode);
    return has_text ? fail(MPI_ERR_ARG, "errorcode = %d: still has a text", errorcode)
                    : 0;
}

void errors_forget(void)
{
    for (int i = 0; i < objects.added_count; i++)
        free(objects.added[i].text);
    free(objects.added);
    objects.added = NULL;
    objects.added_count = 0;
}
