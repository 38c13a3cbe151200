// SPDX-License-Identifier: BSD-3-Clause
// Predefined operations (MPI-4.1 6.9.2, 12.3.4); their loops are in predefined.c.
#include "object/object.h"

#include <string.h>

static const int replace = (int)(intptr_t)MPI_REPLACE, no_op = (int)(intptr_t)MPI_NO_OP;

void oriel_op_invoker(uintptr_t handle, op_invoker *invoke)
{
    struct op *op = handle_object(KIND_OP, handle);
    if (op != NULL)
        op->invoke = invoke;
}

int op_check(const struct op *op, const struct datatype *type)
{
    if (type->object.is_predefined && type->basic->kernels[op_index(op)] != NULL)
        return 0;
    return fail(MPI_ERR_OP, "op = %s: is not defined for %s in a reduction", op->name,
                type->name ? type->name : "a derived datatype");
}

void op_apply(const struct op *op, const struct basic *basic, const void *in,
              void *inout, MPI_Count count)
{
    if (op->code == replace)
        memcpy(inout, in, (size_t)count * basic->bytes);
    else if (op->code != no_op)
        basic->kernels[op_index(op)](in, inout, count);
}
