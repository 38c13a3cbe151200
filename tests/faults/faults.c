// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into the processes of a job, it lets one thing fail in one of them: the
// n-th allocation of Oriel's library, or the n-th that it asks of libfabric, or the n-th
// that libfabric says is complete. What the library frees is overwritten.
//   FAULT="what number rank"  alloc: returns NULL; allocs: so do all that follow
//                             post: is refused with one of several codes
//                             drop: a message is taken, and lost without a name
//                             end: a completion turns into an error
//   FAULT_COUNTS=path         a line "rank what count" for each is added at the end
// A program that finds fault_next among its symbols lets the next of a kind fail.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>

enum fault { ALLOC, ALLOCS, POST, DROP, END, FAULTS };
static const char *const names[FAULTS] = {"alloc", "allocs", "post", "drop", "end"};

static atomic_int counts[FAULTS];
static enum fault wanted = FAULTS;
static int wanted_number, rank = -1;
static int wanted_code;                      // of libfabric; 0: one of several
static uintptr_t library_begin, library_end; // its code

static bool is_due(enum fault fault)
{
    int number = atomic_fetch_add(&counts[fault], 1) + 1;
    return fault == wanted &&
           (number == wanted_number || (fault == ALLOCS && number > wanted_number));
}

void fault_next(const char *name, int code);

__attribute__((visibility("default"))) void fault_next(const char *name, int code)
{
    wanted = FAULTS;
    for (int i = 0; i < FAULTS; i++)
        if (strcmp(name, names[i]) == 0) {
            wanted_number = atomic_load(&counts[i]) + 1;
            wanted_code = code;
            wanted = i;
        }
}

static void say(const char *what, uintptr_t caller)
{
    char line[120];
    int length =
        snprintf(line, sizeof line, "fault: rank %d: %s %d fails, %#lx\n", rank, what,
                 wanted_number, caller ? (unsigned long)(caller - library_begin) : 0ul);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

static int find_library(struct dl_phdr_info *info, size_t bytes, void *unused)
{
    (void)bytes, (void)unused;
    if (strstr(info->dlpi_name, "libmpi_abi.so") == NULL)
        return 0;
    library_begin = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            library_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
                          info->dlpi_phdr[i].p_memsz;
    return 1;
}

__attribute__((constructor)) static void faults_start(void)
{
    const char *fault = getenv("FAULT"), *own = getenv("PMI_RANK");
    char name[16];
    int faulty;
    dl_iterate_phdr(find_library, NULL);
    if (own != NULL)
        rank = atoi(own);
    if (fault == NULL ||
        sscanf(fault, "%15s %d %d", name, &wanted_number, &faulty) != 3)
        return;
    for (int i = 0; i < FAULTS && faulty == rank; i++)
        if (strcmp(name, names[i]) == 0)
            wanted = i;
}

__attribute__((destructor)) static void faults_stop(void)
{
    const char *path = getenv("FAULT_COUNTS");
    FILE *file = path && rank >= 0 ? fopen(path, "a") : NULL;
    if (file == NULL)
        return;
    for (int i = 0; i < FAULTS; i++)
        fprintf(file, "%d %s %d\n", rank, names[i], atomic_load(&counts[i]));
    fclose(file);
}

// ---- allocations

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static bool is_in_library(uintptr_t at)
{
    return at >= library_begin && at < library_end;
}

static bool must_fail(void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (!is_in_library(at))
        return false;
    bool one = is_due(ALLOC), more = is_due(ALLOCS);
    if (!one && !more)
        return false;
    if (one || atomic_load(&counts[ALLOCS]) == wanted_number)
        say("allocation", at);
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return must_fail(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes)
{
    return must_fail(__builtin_return_address(0)) ? NULL : __libc_calloc(number, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return must_fail(__builtin_return_address(0)) ? NULL
                                                  : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return must_fail(__builtin_return_address(0)) ? NULL
                                                  : __libc_memalign(alignment, bytes);
}

// What Oriel's library frees is overwritten, so that nobody uses it unnoticed.
void free(void *memory)
{
    if (memory != NULL && is_in_library((uintptr_t)__builtin_return_address(0)))
        memset(memory, 0x55, malloc_usable_size(memory));
    __libc_free(memory);
}

// ---- libfabric: its tables of functions are replaced when objects are opened

static const int codes[] = {FI_EIO, FI_ENOMEM, FI_ECONNRESET, FI_EINVAL};

static int code_of(void)
{
    if (wanted_code != 0)
        return wanted_code;
    return codes[(size_t)wanted_number % (sizeof codes / sizeof *codes)];
}

static struct fi_ops_fabric fabric_ops;
static struct fi_ops_domain domain_ops;
static struct fi_ops_msg message_ops;
static struct fi_ops_rma access_ops;
static struct fi_ops_cq queue_ops;
static int (*real_domain)(struct fid_fabric *, struct fi_info *, struct fid_domain **,
                          void *);
static int (*real_queue)(struct fid_domain *, struct fi_cq_attr *, struct fid_cq **,
                         void *);
static int (*real_endpoint)(struct fid_domain *, struct fi_info *, struct fid_ep **,
                            void *);
static struct fi_ops_msg real_message;
static struct fi_ops_rma real_access;
static struct fi_ops_cq real_cq;

// What the next read of the queue tells as failed, and what comes after it.
static bool has_failure;
static struct fi_cq_err_entry failure;
static struct fi_cq_msg_entry later[64];
static size_t later_count;

static bool is_refused(void)
{
    if (!is_due(POST))
        return false;
    say("post", 0);
    return true;
}

static bool is_dropped(void *context)
{
    if (!is_due(DROP))
        return false;
    say("message", 0);
    failure = (struct fi_cq_err_entry){
        .op_context = context, .flags = FI_SEND, .err = code_of()};
    has_failure = true;
    return true;
}

static ssize_t send_message(struct fid_ep *ep, const void *buf, size_t len, void *desc,
                            fi_addr_t dest, void *context)
{
    if (is_refused())
        return -code_of();
    return is_dropped(context) ? 0
                               : real_message.send(ep, buf, len, desc, dest, context);
}

static ssize_t send_msg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
    if (is_refused())
        return -code_of();
    return is_dropped(msg->context) ? 0 : real_message.sendmsg(ep, msg, flags);
}

static ssize_t inject(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest)
{
    if (is_refused())
        return -code_of();
    return is_dropped(NULL) ? 0 : real_message.inject(ep, buf, len, dest);
}

static ssize_t write_msg(struct fid_ep *ep, const struct fi_msg_rma *msg,
                         uint64_t flags)
{
    return is_refused() ? -code_of() : real_access.writemsg(ep, msg, flags);
}

static ssize_t read_msg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
{
    return is_refused() ? -code_of() : real_access.readmsg(ep, msg, flags);
}

static ssize_t read_later(struct fi_cq_msg_entry *entries)
{
    size_t count = later_count;
    memcpy(entries, later, count * sizeof *entries);
    later_count = 0;
    return (ssize_t)count;
}

static ssize_t read_queue(struct fid_cq *cq, void *buf, size_t most)
{
    struct fi_cq_msg_entry *entries = buf;
    if (most == 0) // libfabric's own look, before a sleep
        return real_cq.read(cq, buf, most);
    if (has_failure)
        return -FI_EAVAIL;
    if (later_count > 0)
        return read_later(entries);
    ssize_t count = real_cq.read(cq, buf, most);
    for (ssize_t i = 0; i < count; i++) {
        if (!is_due(END))
            continue;
        say("completion", 0);
        failure = (struct fi_cq_err_entry){.op_context = entries[i].op_context,
                                           .flags = entries[i].flags,
                                           .err = code_of()};
        has_failure = true;
        later_count = (size_t)(count - i - 1);
        memcpy(later, entries + i + 1, later_count * sizeof *later);
        return i > 0 ? i : -FI_EAVAIL;
    }
    return count;
}

static ssize_t read_failure(struct fid_cq *cq, struct fi_cq_err_entry *entry,
                            uint64_t flags)
{
    if (!has_failure)
        return real_cq.readerr(cq, entry, flags);
    *entry = failure;
    has_failure = false;
    return 1;
}

static int open_queue(struct fid_domain *domain, struct fi_cq_attr *attributes,
                      struct fid_cq **cq, void *context)
{
    int code = real_queue(domain, attributes, cq, context);
    if (code != 0)
        return code;
    real_cq = *(*cq)->ops;
    queue_ops = real_cq;
    queue_ops.read = read_queue;
    queue_ops.readerr = read_failure;
    (*cq)->ops = &queue_ops;
    return 0;
}

static int open_endpoint(struct fid_domain *domain, struct fi_info *info,
                         struct fid_ep **ep, void *context)
{
    int code = real_endpoint(domain, info, ep, context);
    if (code != 0)
        return code;
    real_message = *(*ep)->msg;
    message_ops = real_message;
    message_ops.send = send_message;
    message_ops.sendmsg = send_msg;
    message_ops.inject = inject;
    (*ep)->msg = &message_ops;
    real_access = *(*ep)->rma;
    access_ops = real_access;
    access_ops.writemsg = write_msg;
    access_ops.readmsg = read_msg;
    (*ep)->rma = &access_ops;
    return 0;
}

static int open_domain(struct fid_fabric *fabric, struct fi_info *info,
                       struct fid_domain **domain, void *context)
{
    int code = real_domain(fabric, info, domain, context);
    if (code != 0)
        return code;
    real_queue = (*domain)->ops->cq_open;
    real_endpoint = (*domain)->ops->endpoint;
    domain_ops = *(*domain)->ops;
    domain_ops.cq_open = open_queue;
    domain_ops.endpoint = open_endpoint;
    (*domain)->ops = &domain_ops;
    return 0;
}

static int (*real_fabric)(struct fi_fabric_attr *, struct fid_fabric **, void *);

static int open_fabric(struct fi_fabric_attr *attributes, struct fid_fabric **fabric,
                       void *context)
{
    int code = real_fabric(attributes, fabric, context);
    if (code != 0)
        return code;
    real_domain = (*fabric)->ops->domain;
    fabric_ops = *(*fabric)->ops;
    fabric_ops.domain = open_domain;
    (*fabric)->ops = &fabric_ops;
    return 0;
}

// Oriel finds libfabric's functions by this.
void *dlvsym(void *restrict library, const char *restrict name,
             const char *restrict version)
{
    static void *(*real)(void *, const char *, const char *);
    if (real == NULL)
        real =
            (void *(*)(void *, const char *, const char *))dlsym(RTLD_NEXT, "dlvsym");
    void *found = real(library, name, version);
    if (found == NULL || strcmp(name, "fi_fabric") != 0)
        return found;
    real_fabric = (int (*)(struct fi_fabric_attr *, struct fid_fabric **, void *))found;
    return (void *)open_fabric;
}
