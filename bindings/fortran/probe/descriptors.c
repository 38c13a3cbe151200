// SPDX-License-Identifier: BSD-3-Clause
// What C sees of the arguments of main.f90.
#include <descriptor.h>
#include <stdint.h>
#include <string.h>

// External procedures, as f08/choice_entries.c has them.
void probe_buffer_(const struct descriptor *descriptor, int64_t facts[34],
                   const void *ierror);
void probe_text_(const int64_t *before, const char *text, int64_t *length,
                 size_t text_length);

void probe_change(void);
int probe_length(const char *string);
typedef void generic_function(void);
void probe_call(void (*invoke)(generic_function *function, int *number),
                generic_function *function, int *number);

extern char probe_block[];
static int *kept;

void probe_buffer_(const struct descriptor *descriptor, int64_t facts[34],
                   const void *ierror)
{
    int rank = descriptor_rank(descriptor);
    memset(facts, 0, 34 * sizeof facts[0]);
    facts[0] = (int64_t)(intptr_t)descriptor_address(descriptor);
    facts[1] = rank;
    facts[2] = (int64_t)descriptor_element_bytes(descriptor);
    for (int i = 0; i < rank && i < 15; i++) {
        facts[3 + i] = descriptor_extent(descriptor, i);
        facts[18 + i] = descriptor_stride(descriptor, i);
    }
    if (rank == 0)
        facts[32] = descriptor_address(descriptor) == probe_block;
    facts[33] = ierror != NULL;
    kept = descriptor_address(descriptor);
}

void probe_text_(const int64_t *before, const char *text, int64_t *length,
                 size_t text_length)
{
    *length = *before == 21 && text[0] == 'n' ? (int64_t)text_length : -1;
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
