// SPDX-License-Identifier: BSD-3-Clause
// Predefined operations (MPI-4.1 6.9.2, 12.3.4); their loops are in predefined.c.
#include "object/object.h"

#include <string.h>

static const int replace = (int)(intptr_t)MPI_REPLACE, no_op = (int)(intptr_t)MPI_NO_OP;

// All but the two operations that take any datatype.
static bool needs_kernel(const struct op *op)
{
    return op->code != replace && op->code != no_op;
}

int op_check(const struct op *op, const struct datatype *type)
{
    if (!needs_kernel(op) || (type->basic && type->basic->kernels[op_index(op)]))
        return 0;
    return fail(MPI_ERR_OP, "%s is not defined for %s", op->name,
                type->name ? type->name : "this derived datatype");
}

void op_apply(const struct op *op, const struct basic *basic, const void *in,
              void *inout, MPI_Count count)
{
    if (needs_kernel(op))
        basic->kernels[op_index(op)](in, inout, count);
    else if (op->code == replace)
        memcpy(inout, in, (size_t)count * basic->bytes);
}
