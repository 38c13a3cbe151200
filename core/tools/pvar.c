// SPDX-License-Identifier: BSD-3-Clause
// Performance variables (MPI-4.1 15.3.7): what they are.
#include "tools/tools.h"

#include <oriel_core.h>
#include <string.h>

const struct pvar pvar_table[COUNTER_COUNT] = {
    [COUNTER_NODE_MESSAGES] = {"node_messages", CATEGORY_NODE, MPI_T_PVAR_CLASS_COUNTER,
                               "active messages sent to processes of this node"},
    [COUNTER_NODE_MESSAGE_BYTES] = {"node_message_bytes", CATEGORY_NODE,
                                    MPI_T_PVAR_CLASS_AGGREGATE,
                                    "bytes of active messages sent to processes of "
                                    "this node"},
    [COUNTER_PROCESS_COPIES] = {"process_copies", CATEGORY_NODE,
                                MPI_T_PVAR_CLASS_COUNTER,
                                "copies by the kernel from or to the private memory of "
                                "another process of this node"},
    [COUNTER_PROCESS_COPY_BYTES] = {"process_copy_bytes", CATEGORY_NODE,
                                    MPI_T_PVAR_CLASS_AGGREGATE,
                                    "bytes of these copies"},
    [COUNTER_GRANULARITY_CHANGES] = {"granularity_changes", CATEGORY_NODE,
                                     MPI_T_PVAR_CLASS_COUNTER,
                                     "how often accumulates of this process have "
                                     "changed the granularity of exposed memory"},
    [COUNTER_HEAP_BYTES] = {"heap_bytes", CATEGORY_NODE, MPI_T_PVAR_CLASS_LEVEL,
                            "bytes in use of this process's shared heap"},
    [COUNTER_NETWORK_MESSAGES] = {"network_messages", CATEGORY_NETWORK,
                                  MPI_T_PVAR_CLASS_COUNTER,
                                  "active messages sent to other nodes"},
    [COUNTER_NETWORK_MESSAGE_BYTES] = {"network_message_bytes", CATEGORY_NETWORK,
                                       MPI_T_PVAR_CLASS_AGGREGATE,
                                       "bytes of active messages sent to other nodes"},
    [COUNTER_NETWORK_WRITES] = {"network_writes", CATEGORY_NETWORK,
                                MPI_T_PVAR_CLASS_COUNTER,
                                "writes to the memory of processes of other nodes"},
    [COUNTER_NETWORK_WRITE_BYTES] = {"network_write_bytes", CATEGORY_NETWORK,
                                     MPI_T_PVAR_CLASS_AGGREGATE,
                                     "bytes of these writes"},
    [COUNTER_NETWORK_READS] = {"network_reads", CATEGORY_NETWORK,
                               MPI_T_PVAR_CLASS_COUNTER,
                               "reads of the memory of processes of other nodes"},
    [COUNTER_NETWORK_READ_BYTES] = {"network_read_bytes", CATEGORY_NETWORK,
                                    MPI_T_PVAR_CLASS_AGGREGATE, "bytes of these reads"},
    [COUNTER_MESSAGES_HANDLED] = {"messages_handled", CATEGORY_MESSAGES,
                                  MPI_T_PVAR_CLASS_COUNTER,
                                  "active messages that have arrived"},
    [COUNTER_MESSAGES_DELAYED] = {"messages_delayed", CATEGORY_MESSAGES,
                                  MPI_T_PVAR_CLASS_COUNTER,
                                  "active messages that had to wait, since a ring was "
                                  "full or the network busy"},
    [COUNTER_MESSAGES_REFUSED] =
        {"messages_refused", CATEGORY_MESSAGES, MPI_T_PVAR_CLASS_COUNTER,
         "what has come of strangers on the network, and active "
         "messages that make no sense"},
    [COUNTER_UNEXPECTED] = {"unexpected_messages", CATEGORY_MESSAGES,
                            MPI_T_PVAR_CLASS_COUNTER,
                            "messages that came before their receive was posted"},
    [COUNTER_UNEXPECTED_NOW] = {"unexpected_messages_waiting", CATEGORY_MESSAGES,
                                MPI_T_PVAR_CLASS_LEVEL,
                                "messages that wait for their receive"},
    [COUNTER_CALL_SLEEPS] = {"call_sleeps", CATEGORY_WAITING, MPI_T_PVAR_CLASS_COUNTER,
                             "how often blocked calls have gone to sleep"},
    [COUNTER_PROGRESS_THREAD_WAKEUPS] =
        {"progress_thread_wakeups", CATEGORY_WAITING, MPI_T_PVAR_CLASS_COUNTER,
         "how often the threads that make progress have woken"},
};

int oriel_t_pvar_get_num(int *num_pvar)
{
    int err = tools_check();
    if (!err)
        result_store(num_pvar, COUNTER_COUNT);
    return err;
}

int oriel_t_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity,
                          int *var_class, MPI_Datatype *datatype, MPI_T_enum *enumtype,
                          char *desc, int *desc_len, int *bind, int *readonly,
                          int *continuous, int *atomic)
{
    int err = tools_check();
    if (err)
        return err;
    if (pvar_index < 0 || pvar_index >= COUNTER_COUNT)
        return MPI_T_ERR_INVALID_INDEX;
    const struct pvar *pvar = &pvar_table[pvar_index];
    give_text(pvar->name, strlen(pvar->name), name, name_len);
    give_text(pvar->description, strlen(pvar->description), desc, desc_len);
    result_store(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
    result_store(var_class, pvar->var_class);
    result_store(bind, MPI_T_BIND_NO_OBJECT);
    result_store(readonly, pvar_is_level(pvar_index));
    result_store(continuous, pvar_is_level(pvar_index));
    result_store(atomic, !pvar_is_level(pvar_index));
    if (datatype != NULL)
        *datatype = MPI_UNSIGNED_LONG_LONG;
    if (enumtype != NULL)
        *enumtype = MPI_T_ENUM_NULL;
    return 0;
}

int oriel_t_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
    int err = tools_check();
    if (err)
        return err;
    if (name == NULL || pvar_index == NULL)
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (pvar_table[i].var_class == var_class &&
            strcmp(pvar_table[i].name, name) == 0) {
            *pvar_index = i;
            return 0;
        }
    return MPI_T_ERR_INVALID_NAME;
}
