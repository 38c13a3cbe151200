// SPDX-License-Identifier: BSD-3-Clause
// The making of explanations.
#include "message/long_wait.h"

static void explanation_append(struct explanation *explanation, struct awaited awaited)
{
    if (explanation->count < AWAITED_MAX)
        explanation->list[explanation->count++] = awaited;
    else
        explanation->is_open |= awaited.is_alternative;
}

void awaited_add(struct explanation *explanation, struct awaited awaited)
{
    awaited.is_alternative = explanation->is_any && explanation->count > 0;
    explanation_append(explanation, awaited);
}

void awaited_or(struct explanation *explanation, struct awaited awaited)
{
    awaited.is_alternative = explanation->count > 0;
    explanation_append(explanation, awaited);
}

void awaited_say(struct explanation *explanation, const char *format, ...)
{
    if (explanation->text[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(explanation->text, sizeof explanation->text, format, arguments);
    va_end(arguments);
}

// ---- ranks -------------------------------------------------------------------------
void rank_list_add(struct rank_list *list, int rank)
{
    int named = list->count < RANKS_NAMED ? list->count : RANKS_NAMED, at = named;
    while (at > 0 && list->ranks[at - 1] >= rank)
        at--;
    if (at < named && list->ranks[at] == rank)
        return;
    for (int i = named < RANKS_NAMED ? named : RANKS_NAMED - 1; i > at; i--)
        list->ranks[i] = list->ranks[i - 1];
    if (at < RANKS_NAMED)
        list->ranks[at] = rank;
    list->count++;
}

void rank_list_write(const struct rank_list *list, char *text, size_t bytes)
{
    int named = list->count < RANKS_NAMED ? list->count : RANKS_NAMED;
    size_t used = (size_t)snprintf(text, bytes, "rank%s", list->count == 1 ? "" : "s");
    for (int i = 0; i < named && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s %d", i > 0 ? "," : "",
                                 list->ranks[i]);
    if (list->count > named && used < bytes)
        snprintf(text + used, bytes - used, " and %d more", list->count - named);
}
