// SPDX-License-Identifier: BSD-3-Clause
// Enumerations (MPI-4.1 15.3.5): the words that an option may be.
#include "tools/tools.h"

#include <oriel_core.h>
#include <string.h>

// The option whose words it stands for, or NULL.
static const struct option *option_of(MPI_T_enum enumtype)
{
    for (int i = 0; i < option_count && enumtype != MPI_T_ENUM_NULL; i++)
        if (enum_of(&option_table[i]) == enumtype)
            return &option_table[i];
    return NULL;
}

int oriel_t_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
    int err = tools_check();
    if (err)
        return err;
    const struct option *option = option_of(enumtype);
    if (option == NULL)
        return MPI_T_ERR_INVALID_HANDLE;
    const char *word;
    int count = 0;
    while (option_word(option, count, &word) > 0)
        count++;
    give(num, count);
    give_text(option->name, strlen(option->name), name, name_len);
    return 0;
}

int oriel_t_enum_get_item(MPI_T_enum enumtype, int index, int *value, char *name,
                          int *name_len)
{
    int err = tools_check();
    if (err)
        return err;
    const struct option *option = option_of(enumtype);
    if (option == NULL)
        return MPI_T_ERR_INVALID_HANDLE;
    const char *word;
    size_t length = index >= 0 ? option_word(option, index, &word) : 0;
    if (length == 0)
        return MPI_T_ERR_INVALID_ITEM;
    give(value, index);
    give_text(word, length, name, name_len);
    return 0;
}
