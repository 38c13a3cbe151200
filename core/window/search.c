// SPDX-License-Identifier: BSD-3-Clause
// Search of attached memory, see attach.c, by local peers at every access and by the
// owner.
#include "window/attachments.h"

uint64_t attachments_up_to(struct attachment_list list, uint64_t address)
{
    uint64_t low = 0, high = list.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (word_read(&list.first[middle].address) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool attachment_is_empty(struct attachment_list list, uint64_t i)
{
    return word_read(&list.first[i].bytes) == 0;
}

// The end of attachment number i.
static uint64_t attachment_end(struct attachment_list list, uint64_t i)
{
    return word_read(&list.first[i].address) + word_read(&list.first[i].bytes);
}

uint64_t attachments_end(struct attachment_list list, uint64_t address, uint64_t enough)
{
    uint64_t i = attachments_up_to(list, address), end = address;
    while (i > 0 && attachment_is_empty(list, i - 1))
        i--;
    if (i == 0 || attachment_end(list, i - 1) <= address)
        return address;
    for (i--; end < enough && i < list.count; i++) {
        if (attachment_is_empty(list, i))
            continue;
        if (end != address && word_read(&list.first[i].address) != end)
            break;
        end = attachment_end(list, i);
    }
    return end;
}

// Where bytes that are attached lie in the segment.
static uint64_t bytes_offset(struct attachment_list list, uint64_t address,
                             uint64_t bytes)
{
    uint64_t i = attachments_up_to(list, address);
    while (i > 0 && attachment_is_empty(list, i - 1))
        i--;
    if (i == 0)
        return NOT_MAPPED;
    const struct attachment *attachment = &list.first[i - 1];
    uint64_t at = address - word_read(&attachment->shared);
    uint64_t shared_bytes = word_read(&attachment->shared_bytes);
    return at < shared_bytes && bytes <= shared_bytes - at
               ? word_read(&attachment->offset) + at
               : NOT_MAPPED;
}

// Lies in the segment what the owner has in its mapping of it?
static uint64_t segment_offset(const struct attachments *attached, uint64_t address,
                               uint64_t bytes)
{
    uint64_t offset = address - attached->segment, size = process.shm->bytes;
    return offset < size && bytes <= size - offset ? offset : NOT_MAPPED;
}

// False while the owner is changing the array.
static bool attachments_look(const struct attachments *attached, uint64_t *version,
                             struct attachment_list *list)
{
    *version = atomic_load_explicit(&attached->version, memory_order_acquire);
    *list = (struct attachment_list){shm_at(process.shm, word_read(&attached->place)),
                                     word_read(&attached->count)};
    atomic_thread_fence(memory_order_acquire);
    return *version % 2 == 0 && word_read(&attached->version) == *version;
}

int attachments_check(const struct attachments *attached, uint64_t address,
                      uint64_t bytes, uint64_t *offset)
{
    uint64_t version, enough, end = 0, place = segment_offset(attached, address, bytes);
    bool may_be_shared = place == NOT_MAPPED && offset != NULL;
    struct attachment_list list;
    if (__builtin_add_overflow(address, bytes, &enough))
        return MPI_ERR_RMA_RANGE;
    int err = 0;
    unsigned spins = 0;
    for (; !err; err = message_backoff(&spins)) {
        if (!attachments_look(attached, &version, &list))
            continue;
        end = attachments_end(list, address, enough);
        if (may_be_shared)
            place = bytes_offset(list, address, bytes);
        atomic_thread_fence(memory_order_acquire);
        if (word_read(&attached->version) == version)
            break;
    }
    message_backoff_end(spins);
    if (offset != NULL)
        *offset = place;
    return err || end >= enough ? err : MPI_ERR_RMA_RANGE;
}
