// SPDX-License-Identifier: BSD-3-Clause
// Operations that are not in use, and queues of operations. Memory of an operation that
// has never been used stays untouched.

#include "net/network.h"

#include <stdlib.h>

int pool_open(struct pool *pool, size_t size, enum operation_kind kind)
{
    struct net_operation *operations = calloc(size, sizeof *operations);
    if (!operations)
        return fail(MPI_ERR_NO_MEM, "no memory for %zu network operations", size);
    *pool = (struct pool){.operations = operations, .size = size, .kind = kind};
    return 0;
}

void pool_close(struct pool *pool)
{
    free(pool->operations);
    *pool = (struct pool){0};
}

struct net_operation *pool_next(struct pool *pool)
{
    if (pool->free)
        return pool->free;
    return pool->fresh < pool->size ? &pool->operations[pool->fresh] : NULL;
}

struct net_operation *pool_take(struct pool *pool)
{
    struct net_operation *operation = pool_next(pool);
    if (operation && operation == pool->free) {
        pool->free = operation->next;
    } else if (operation) {
        pool->fresh++;
        operation->kind = pool->kind;
    }
    return operation;
}

void pool_give(struct pool *pool, struct net_operation *operation)
{
    operation->bytes = 0;
    operation->next = pool->free;
    pool->free = operation;
}

void queue_put(struct queue *queue, struct net_operation *operation)
{
    operation->next = NULL;
    if (queue->first)
        queue->last->next = operation;
    else
        queue->first = operation;
    queue->last = operation;
}

struct net_operation *queue_take(struct queue *queue)
{
    struct net_operation *operation = queue->first;
    if (operation)
        queue->first = operation->next;
    return operation;
}
