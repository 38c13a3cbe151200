// SPDX-License-Identifier: BSD-3-Clause
// Operations (MPI-4.1 6.9.2, 6.9.5, 12.3.4); the loops of the predefined ones are in
// predefined.c.
#include "datatype/datatype.h"

#include <limits.h>
#include <oriel_core.h>
#include <stdlib.h>

static const int replace = (int)(intptr_t)MPI_REPLACE, no_op = (int)(intptr_t)MPI_NO_OP;

void oriel_op_invoker(uintptr_t handle, op_invoker *invoke)
{
    struct op *op = handle_object(KIND_OP, handle);
    if (op != NULL)
        op->invoke = invoke;
}

int op_check(const struct op *op, const struct datatype *type)
{
    if (op->function != NULL)
        return 0;
    if (type->object.is_predefined && type->basic->kernels[op_index(op)] != NULL)
        return 0;
    return fail(MPI_ERR_OP, "op = %s: is not defined for %s in a reduction", op->name,
                type->name ? type->name : "a derived datatype");
}

void op_apply(const struct op *op, const struct basic *basic, const void *in,
              void *inout, MPI_Count count)
{
    if (op->code == replace)
        copy_bytes(inout, in, (size_t)count * basic->bytes);
    else if (op->code != no_op)
        basic->kernels[op_index(op)](in, inout, count);
}

// A function that takes an int gets so many elements at a time.
static void reduce_in_parts(const struct op *op, const struct datatype *type,
                            const char *in, char *inout, MPI_Count count)
{
    uintptr_t handle = object_handle(type);
    MPI_Count most = op->is_large ? count : INT_MAX;
    for (MPI_Count part, done = 0; done < count; done += part) {
        part = count - done < most ? count - done : most;
        MPI_Aint offset = done * type->extent;
        op->invoke(op->function, in + offset, inout + offset, part, handle);
    }
}

void op_reduce(const struct op *op, const struct datatype *type, const void *in,
               void *inout, MPI_Count count)
{
    if (op->function == NULL)
        op_apply(op, type->basic, in, inout, count);
    else
        reduce_in_parts(op, type, in, inout, count);
}

// ---- operations of the program

static void op_invoke_in_c(generic_function *function, const void *in, void *inout,
                           MPI_Count count, uintptr_t datatype)
{
    int length = (int)count;
    MPI_Datatype type = (MPI_Datatype)datatype;
    ((MPI_User_function *)function)((void *)in, inout, &length, &type);
}

static void invoke_large_in_c(generic_function *function, const void *in, void *inout,
                              MPI_Count count, uintptr_t datatype)
{
    MPI_Datatype type = (MPI_Datatype)datatype;
    ((MPI_User_function_c *)function)((void *)in, inout, &count, &type);
}

static void op_destroy(struct object *object)
{
    free(object);
}

int oriel_op_create(generic_function *user_fn, int commute, struct op **op,
                    bool is_large)
{
    struct op *made = malloc(sizeof *made);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for an operation");
    *made = (struct op){.is_commutative = commute,
                        .is_large = is_large,
                        .name = "an operation of the program",
                        .function = user_fn,
                        .invoke = is_large ? invoke_large_in_c : op_invoke_in_c};
    object_init(&made->object, op_destroy);
    *op = made;
    return object_open(&made->object, KIND_OP);
}

int oriel_op_free(struct op *op)
{
    object_close(&op->object);
    return 0;
}

int oriel_op_commutative(struct op *op, int *commute)
{
    *commute = op->is_commutative;
    return 0;
}
