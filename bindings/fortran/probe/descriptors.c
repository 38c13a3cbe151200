// SPDX-License-Identifier: BSD-3-Clause
// What C sees of the arguments of main.f90.
#include <ISO_Fortran_binding.h>
#include <stdint.h>
#include <string.h>

void probe_describe(const CFI_cdesc_t *descriptor, int64_t facts[33]);
void probe_change(void);
int probe_length(const char *string);
typedef void generic_function(void);
void probe_call(void (*invoke)(generic_function *function, int *number),
                generic_function *function, int *number);

extern char probe_block[];
static int *kept;

void probe_describe(const CFI_cdesc_t *descriptor, int64_t facts[33])
{
    memset(facts, 0, 33 * sizeof facts[0]);
    facts[0] = (int64_t)(intptr_t)descriptor->base_addr;
    facts[1] = descriptor->rank;
    facts[2] = (int64_t)descriptor->elem_len;
    for (int i = 0; i < descriptor->rank && i < 15; i++) {
        facts[3 + i] = descriptor->dim[i].extent;
        facts[18 + i] = descriptor->dim[i].sm;
    }
    if (descriptor->rank == 0)
        facts[32] = descriptor->base_addr == probe_block;
    kept = descriptor->base_addr;
}

void probe_change(void)
{
    *kept = 2;
}

int probe_length(const char *string)
{
    return (int)strlen(string);
}

void probe_call(void (*invoke)(generic_function *function, int *number),
                generic_function *function, int *number)
{
    invoke(function, number);
}
