// SPDX-License-Identifier: BSD-3-Clause
// The trace's file, its chunks, and which thread records in which. These are mapped, so
// that the file has the records of a process that is killed.
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum file_state { FILE_NOT_OPEN, FILE_OPEN, FILE_REFUSED };

static struct {
    pthread_mutex_t mutex;
    _Atomic(enum file_state) state;
    int fd;
    FILE *text;
    struct header *header;
    uint64_t sequence, written; // chunks begun, and chunks written to the ring
    int ring[RING_CHUNKS];      // their places in the file
    uint32_t threads;
    struct recorder *free; // of threads that have ended
    pthread_key_t key;     // whose destructor sees that a thread ends
} trace = {.mutex = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

// The library is loaded with the program, so that its thread-local data are at hand.
static _Thread_local struct recorder *own __attribute__((tls_model("initial-exec")));

struct header *file_header(void)
{
    return trace.header;
}

void file_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(trace.text, format, arguments);
    va_end(arguments);
    fflush(trace.text);
}

// ---- opening --------------------------------------------------------------------------
static int environment_number(const char *const *names)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && *text != '\0')
            return atoi(text);
    }
    return 0;
}

// The rank and the size are those that launchers tell, until MPI_Init has returned.
static void header_fill(struct header *header, const char *host)
{
    static const char *const ranks[] = {"PMI_RANK", "PMIX_RANK", "SLURM_PROCID", NULL};
    static const char *const sizes[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE",
                                        "SLURM_NTASKS", NULL};
    memcpy(header->magic, "ORIELTRC", sizeof header->magic);
    header->version = TRACE_VERSION;
    header->header_bytes = HEADER_BYTES;
    header->chunk_bytes = CHUNK_BYTES;
    header->rank = environment_number(ranks);
    header->size = environment_number(sizes);
    header->pid = (uint32_t)getpid();
    snprintf(header->host, sizeof header->host, "%s", host);
    clock_domain_find(header->clock_domain);
    moment_take(&header->first);
    header->last = header->first;
}

static bool open_pair(const char *folder, const char *host)
{
    char path[4096];
    int length = snprintf(path, sizeof path - 8, "%s/%s-%d", folder, host, getpid());
    if (length < 0 || length >= (int)sizeof path - 8) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return false;
    memcpy(path + length, ".text", 6);
    trace.text = fopen(path, "we");
    memcpy(path + length, ".trace", 7);
    trace.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (!trace.text || trace.fd < 0)
        return false;
    errno = posix_fallocate(trace.fd, 0, HEADER_BYTES);
    if (errno)
        return false;
    void *place =
        mmap(NULL, HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, trace.fd, 0);
    trace.header = place;
    return place != MAP_FAILED;
}

static void print_procedures(void)
{
    for (int i = 0; i < trace_procedure_count; i++) {
        const struct traced_procedure *its = &trace_procedures[i];
        file_print("procedure %d %s %s %s %s\n", i, its->name, its->works_on, its->data,
                   its->shared);
    }
    file_print("program %s\n", program_invocation_name);
}

// A thread that ends leaves its recorder, chunk and all, to one that comes.
static void recorder_leave(void *recorder)
{
    struct recorder *left = recorder;
    own = NULL;
    pthread_mutex_lock(&trace.mutex);
    memset(left->recent, 0, sizeof left->recent);
    left->next_free = trace.free;
    trace.free = left;
    pthread_mutex_unlock(&trace.mutex);
}

static enum file_state trace_open(void)
{
    const char *folder = getenv("ORIEL_TRACE");
    char host[HOST_BYTES] = "";
    if (!folder || *folder == '\0')
        return FILE_REFUSED;
    gethostname(host, sizeof host - 1);
    if (!open_pair(folder, host) || pthread_key_create(&trace.key, recorder_leave)) {
        fprintf(stderr, "Oriel: no trace of process %d: cannot write to %s: %s\n",
                getpid(), folder, strerror(errno));
        return FILE_REFUSED;
    }
    header_fill(trace.header, host);
    print_procedures();
    sites_print_files();
    return FILE_OPEN;
}

// ---- chunks ---------------------------------------------------------------------------
static off_t place_of_chunk(int index)
{
    return HEADER_BYTES + (off_t)index * CHUNK_BYTES;
}

// Where in the file the next full chunk goes; the mutex is held.
static int ring_next(void)
{
    int *place = &trace.ring[trace.written++ % RING_CHUNKS];
    if (trace.written <= RING_CHUNKS)
        *place = (int)trace.header->chunks++;
    return *place;
}

void chunk_write(struct recorder *recorder)
{
    struct chunk *chunk = recorder->chunk;
    pthread_mutex_lock(&trace.mutex);
    chunk->unwritten = recorder->unwritten;
    if (pwrite(trace.fd, chunk, CHUNK_BYTES, place_of_chunk(ring_next())) !=
        CHUNK_BYTES)
        recorder->unwritten += chunk->used; // the disk is full
    chunk->used = 0;
    chunk->sequence = trace.sequence++;
    moment_take(&trace.header->last);
    pthread_mutex_unlock(&trace.mutex);
}

// The chunk of a new thread. Its space on the disk is had before it is written to, which
// could not fail.
static struct chunk *chunk_map(void)
{
    off_t place = place_of_chunk((int)trace.header->chunks);
    if (posix_fallocate(trace.fd, place, CHUNK_BYTES) != 0)
        return NULL;
    void *chunk = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_POPULATE, trace.fd, place);
    if (chunk == MAP_FAILED)
        return NULL;
    trace.header->chunks++;
    return chunk;
}

// ---- recorders ------------------------------------------------------------------------
static struct recorder *recorder_make(void)
{
    struct recorder *made = trace.free;
    if (made) {
        trace.free = made->next_free;
        return made;
    }
    made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->chunk = chunk_map();
    if (!made->chunk) {
        free(made);
        return NULL;
    }
    made->chunk->sequence = trace.sequence++;
    made->chunk->thread = trace.threads++;
    return made;
}

static struct recorder *recorder_open(void)
{
    pthread_mutex_lock(&trace.mutex);
    if (trace.state == FILE_NOT_OPEN)
        trace.state = trace_open();
    if (trace.state == FILE_OPEN)
        own = recorder_make();
    pthread_mutex_unlock(&trace.mutex);
    if (own)
        pthread_setspecific(trace.key, own);
    return own;
}

struct recorder *recorder_get(void)
{
    if (__builtin_expect(own != NULL, 1))
        return own;
    return trace.state == FILE_REFUSED ? NULL : recorder_open();
}
