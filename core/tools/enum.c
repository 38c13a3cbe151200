// SPDX-License-Identifier: BSD-3-Clause
// Enumerations (MPI-4.1 15.3.5): the words that an option may be, and the names of the
// elements of an event.
#include "tools/tools.h"

#include <oriel_core.h>
#include <string.h>

struct enumeration {
    const char *name, *words;
};

// False if the handle is none.
static bool enum_find(MPI_T_enum enumtype, struct enumeration *found)
{
    if (enumtype == MPI_T_ENUM_NULL)
        return false;
    for (int i = 0; i < option_count; i++)
        if (enum_of_option(&option_table[i]) == enumtype) {
            *found =
                (struct enumeration){option_table[i].name, option_table[i].allowed};
            return true;
        }
    for (int i = 0; i < EVENT_COUNT; i++)
        if (enum_of_event(&event_table[i]) == enumtype) {
            *found = (struct enumeration){event_table[i].name, event_table[i].elements};
            return true;
        }
    return false;
}

int words_count(const char *words)
{
    const char *word;
    int count = 0;
    while (word_at(words, count, &word) > 0)
        count++;
    return count;
}

int oriel_t_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
    struct enumeration found;
    int err = tools_check();
    if (err)
        return err;
    if (!enum_find(enumtype, &found))
        return MPI_T_ERR_INVALID_HANDLE;
    result_store(num, words_count(found.words));
    give_text(found.name, strlen(found.name), name, name_len);
    return 0;
}

int oriel_t_enum_get_item(MPI_T_enum enumtype, int index, int *value, char *name,
                          int *name_len)
{
    struct enumeration found;
    int err = tools_check();
    if (err)
        return err;
    if (!enum_find(enumtype, &found))
        return MPI_T_ERR_INVALID_HANDLE;
    const char *word;
    size_t length = index >= 0 ? word_at(found.words, index, &word) : 0;
    if (length == 0)
        return MPI_T_ERR_INVALID_ITEM;
    result_store(value, index);
    give_text(word, length, name, name_len);
    return 0;
}
