// SPDX-License-Identifier: BSD-3-Clause
// Whether what one buffer has can be taken as what another one holds (MPI-4.1 3.3.1,
// 12.3). Types are told apart by size, and by whether they have bits: what has several
// names, such as MPI_INT and MPI_INTEGER, is let pass.
#include "races/state.h"

static const struct basic *basic_of(MPI_Datatype type)
{
    const struct datatype *predefined = handle_object(KIND_DATATYPE, (uintptr_t)type);
    return predefined->basic;
}

// Bytes and packed data match all others.
uint32_t signature_of(const struct datatype *type)
{
    const struct basic *basic = type != NULL ? type->basic : NULL;
    bool is_any =
        basic == NULL || basic == basic_of(MPI_BYTE) || basic == basic_of(MPI_PACKED);
    return is_any ? 0 : 1 + basic->number;
}

static bool is_integer(const struct basic *basic)
{
    return basic->kernels[(uintptr_t)MPI_BAND & ((1 << OP_BITS) - 1)] != NULL;
}

bool signatures_differ(uint32_t one, uint32_t other)
{
    uint32_t count = (uint32_t)basic_count;
    if (one == other || one == 0 || other == 0 || one > count || other > count)
        return false;
    const struct basic *a = &basics[one - 1], *b = &basics[other - 1];
    return a->bytes != b->bytes || (a->bytes > 1 && is_integer(a) != is_integer(b));
}

void signature_words(uint32_t signature, char words[WORDS_BYTES])
{
    const struct basic *basic = &basics[signature - 1];
    snprintf(words, WORDS_BYTES, "%s of %zu byte%s",
             basic->bytes == 1   ? "characters"
             : is_integer(basic) ? "integers"
                                 : "numbers",
             basic->bytes, basic->bytes == 1 ? "" : "s");
}
