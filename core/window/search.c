// SPDX-License-Identifier: BSD-3-Clause
// Search of attached memory, see attachments.c, by local peers and by the owner.
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

// The attachment with the address; NULL if there is none.
static const struct attachment *attachment_with(struct attachment_list list,
                                                uint64_t address)
{
    uint64_t i = attachments_up_to(list, address);
    while (i > 0 && attachment_is_empty(list, i - 1))
        i--;
    return i > 0 && attachment_end(list, i - 1) > address ? &list.first[i - 1] : NULL;
}

uint64_t attachments_end(struct attachment_list list, uint64_t address, uint64_t enough)
{
    const struct attachment *first = attachment_with(list, address);
    uint64_t end = address;
    if (first == NULL)
        return address;
    for (uint64_t i = (uint64_t)(first - list.first); end < enough && i < list.count;
         i++) {
        if (attachment_is_empty(list, i))
            continue;
        if (end != address && word_read(&list.first[i].address) != end)
            break;
        end = attachment_end(list, i);
    }
    return end;
}

// ---- what is mapped here ------------------------------------------------------
// Of [begin, end), what the owner has in its mapping of the segment.
static struct found_attachment found_in_segment(const struct attachments *attached,
                                                uint64_t begin, uint64_t end)
{
    uint64_t segment = attached->segment, segment_end = segment + process.shm->bytes;
    uint64_t first = begin > segment ? begin : segment;
    uint64_t last = end < segment_end ? end : segment_end;
    if (first >= last)
        return (struct found_attachment){0};
    return (struct found_attachment){.address = first,
                                     .bytes = last - first,
                                     .memory = shm_at(process.shm, first - segment)};
}

static struct found_attachment found_shared(const struct attachment *attachment)
{
    return (struct found_attachment){
        .address = word_read(&attachment->shared),
        .bytes = word_read(&attachment->shared_bytes),
        .memory = shm_at(process.shm, word_read(&attachment->offset)),
    };
}

static bool found_has(const struct found_attachment *found, uint64_t address,
                      uint64_t bytes)
{
    uint64_t at = address - found->address;
    return at < found->bytes && bytes <= found->bytes - at;
}

// What is mapped of the attachment with the address and of those that follow up to `end`.
// Memory in the segment may be several attachments.
static struct found_attachment found_around(const struct attachments *attached,
                                            struct attachment_list list,
                                            uint64_t address, uint64_t end)
{
    const struct attachment *attachment = attachment_with(list, address);
    if (attachment == NULL)
        return (struct found_attachment){0};
    struct found_attachment found =
        found_in_segment(attached, word_read(&attachment->address), end);
    if (found_has(&found, address, 1))
        return found;
    bool is_in_segment = found.bytes > 0; // in part
    found = found_shared(attachment);
    if (!is_in_segment && found.bytes == 0)
        found.unmapped = (struct unmapped_attachment){
            .address = word_read(&attachment->address),
            .bytes = word_read(&attachment->bytes),
        };
    return found;
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
                      uint64_t bytes, struct found_attachment *found)
{
    uint64_t version, enough, end = 0;
    struct found_attachment mapped = {0};
    struct attachment_list list;
    if (__builtin_add_overflow(address, bytes, &enough))
        return MPI_ERR_RMA_RANGE;
    int err = 0;
    unsigned spins = 0;
    for (; !err; err = message_backoff(&spins, NULL, NULL)) {
        if (!attachments_look(attached, &version, &list))
            continue;
        end = attachments_end(list, address, enough);
        if (found != NULL && end >= enough)
            mapped = found_around(attached, list, address, end);
        atomic_thread_fence(memory_order_acquire);
        if (word_read(&attached->version) == version)
            break;
    }
    message_backoff_end(spins);
    if (err || end < enough)
        return err ? err : MPI_ERR_RMA_RANGE;
    if (found == NULL)
        return 0;
    *found = mapped;
    if (!found_has(&mapped, address, bytes))
        *found = (struct found_attachment){.unmapped = mapped.unmapped};
    found->version = found->unmapped.version = version;
    return 0;
}
