// SPDX-License-Identifier: BSD-3-Clause
// Categories of variables and events (MPI-4.1 15.3.9). They are fixed, and none is in
// another.
#include "tools/tools.h"

#include <oriel_core.h>
#include <string.h>

static const struct {
    const char *name, *description;
} categories[CATEGORY_COUNT] = {
    [CATEGORY_SETTINGS] = {"settings", "what environment variables set, too"},
    [CATEGORY_MESSAGES] = {"messages", "messages, whatever their path"},
    [CATEGORY_NODE] = {"node", "what passes through the memory of this node"},
    [CATEGORY_NETWORK] = {"network", "what passes between nodes"},
    [CATEGORY_WAITING] = {"waiting", "sleep and progress"},
};

static enum category category_of_pvar(int index)
{
    return pvar_table[index].category;
}

static enum category category_of_event(int index)
{
    return event_table[index].category;
}

// Of the first `count` indices, gives at most `len` that are in the category, and tells
// how many are.
static int indices_in(enum category category, enum category (*category_of)(int index),
                      int count, int len, int indices[])
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        if (category_of(i) != category)
            continue;
        if (found < len)
            indices[found] = i;
        found++;
    }
    return found;
}

static int pvars_in(enum category category, int len, int indices[])
{
    return indices_in(category, category_of_pvar, COUNTER_COUNT, len, indices);
}

static int events_in(enum category category, int len, int indices[])
{
    return indices_in(category, category_of_event, EVENT_COUNT, len, indices);
}

static int category_check(int cat_index)
{
    int err = tools_check();
    bool is_index = cat_index >= 0 && cat_index < CATEGORY_COUNT;
    return err ? err : is_index ? 0 : MPI_T_ERR_INVALID_INDEX;
}

static int check_array(int cat_index, int len, const int indices[])
{
    int err = category_check(cat_index);
    return err ? err : len < 0 || (len > 0 && !indices) ? MPI_T_ERR_INVALID : 0;
}

int oriel_t_category_get_num(int *num_cat)
{
    int err = tools_check();
    if (!err)
        result_store(num_cat, CATEGORY_COUNT);
    return err;
}

int oriel_t_category_get_info(int cat_index, char *name, int *name_len, char *desc,
                              int *desc_len, int *num_cvars, int *num_pvars,
                              int *num_categories)
{
    int err = category_check(cat_index);
    if (err)
        return err;
    const char *its_name = categories[cat_index].name;
    const char *description = categories[cat_index].description;
    give_text(its_name, strlen(its_name), name, name_len);
    give_text(description, strlen(description), desc, desc_len);
    result_store(num_cvars, cat_index == CATEGORY_SETTINGS ? option_count : 0);
    result_store(num_pvars, pvars_in((enum category)cat_index, 0, NULL));
    result_store(num_categories, 0);
    return 0;
}

int oriel_t_category_get_num_events(int cat_index, int *num_events)
{
    int err = category_check(cat_index);
    if (!err)
        result_store(num_events, events_in((enum category)cat_index, 0, NULL));
    return err;
}

int oriel_t_category_get_index(const char *name, int *cat_index)
{
    int err = tools_check();
    if (err)
        return err;
    if (name == NULL || cat_index == NULL)
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (strcmp(categories[i].name, name) == 0) {
            *cat_index = i;
            return 0;
        }
    return MPI_T_ERR_INVALID_NAME;
}

int oriel_t_category_get_cvars(int cat_index, int len, int indices[])
{
    int err = check_array(cat_index, len, indices);
    for (int i = 0; !err && cat_index == CATEGORY_SETTINGS && i < option_count; i++)
        if (i < len)
            indices[i] = i;
    return err;
}

int oriel_t_category_get_pvars(int cat_index, int len, int indices[])
{
    int err = check_array(cat_index, len, indices);
    if (!err)
        pvars_in((enum category)cat_index, len, indices);
    return err;
}

int oriel_t_category_get_events(int cat_index, int len, int indices[])
{
    int err = check_array(cat_index, len, indices);
    if (!err)
        events_in((enum category)cat_index, len, indices);
    return err;
}

int oriel_t_category_get_categories(int cat_index, int len, int indices[])
{
    return check_array(cat_index, len, indices);
}

int oriel_t_category_changed(int *update_number)
{
    int err = tools_check();
    if (!err)
        result_store(update_number, 0);
    return err;
}
