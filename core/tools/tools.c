// SPDX-License-Identifier: BSD-3-Clause
// What all of the tool information interface has in common (MPI-4.1 15.3).
#include "tools/tools.h"

#include <stdio.h>

struct tools *tools_enter(void)
{
    struct tools *tools = process.tools;
    pthread_mutex_lock(&tools->lock);
    if (tools->users > 0)
        return tools;
    pthread_mutex_unlock(&tools->lock);
    return NULL;
}

void tools_leave(void)
{
    pthread_mutex_unlock(&process.tools->lock);
}

int tools_check(void)
{
    if (tools_enter() == NULL)
        return MPI_T_ERR_NOT_INITIALIZED;
    tools_leave();
    return 0;
}

void give_text(const char *text, size_t length, char *buffer, int *room)
{
    if (room == NULL)
        return;
    if (buffer != NULL && *room > 0)
        snprintf(buffer, (size_t)*room, "%.*s", (int)length, text);
    *room = (int)length + 1;
}
