// SPDX-License-Identifier: BSD-3-Clause
// What boot/ believes of the PMIx library's ABI is what its header says.
#include "boot/pmix_library.h"

#include <pmix.h>
#include <stdbool.h>

#define SAME(claim) _Static_assert(claim, #claim)

SAME(sizeof(struct pmix_process) == sizeof(pmix_proc_t));
SAME(offsetof(struct pmix_process, rank) == offsetof(pmix_proc_t, rank));
SAME(sizeof(struct pmix_datum) == sizeof(pmix_value_t));
SAME(offsetof(struct pmix_datum, data) == offsetof(pmix_value_t, data));
SAME(sizeof(struct pmix_hint) == sizeof(pmix_info_t));
SAME(offsetof(struct pmix_hint, flags) == offsetof(pmix_info_t, flags));
SAME(offsetof(struct pmix_hint, value) == offsetof(pmix_info_t, value));
SAME(PMIX_TYPE_BOOL == PMIX_BOOL && PMIX_TYPE_STRING == PMIX_STRING);
SAME(PMIX_TYPE_INT == PMIX_INT && PMIX_TYPE_UINT32 == PMIX_UINT32);
SAME(PMIX_SCOPE_GLOBAL == PMIX_GLOBAL);
SAME(PMIX_SUCCESS == 0);

int main(void)
{
    return PMIX_WHOLE_JOB == PMIX_RANK_WILDCARD ? 0 : 1;
}
