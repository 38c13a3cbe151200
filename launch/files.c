// SPDX-License-Identifier: BSD-3-Clause
// Files for the output of ranks. A file that several ranks or streams share is open once.
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output_file {
    struct output_file *next;
    char *path;
    struct sink sink;
};

static void write_host(FILE *text, const struct rank *rank)
{
    char own[256] = "";
    gethostname(own, sizeof own - 1);
    fputs(rank->link ? rank->link->host : own, text);
}

// The pattern with %r as the rank, %R as the rank with zeros before it, %h as its host.
static char *fill_pattern(const char *pattern, const struct job *job,
                          const struct rank *rank)
{
    char *path = NULL;
    size_t bytes;
    FILE *text = open_memstream(&path, &bytes);
    if (!text)
        return NULL;
    int digits = snprintf(NULL, 0, "%d", job->size - 1);
    for (; *pattern != '\0'; pattern++) {
        char letter = *pattern == '%' && pattern[1] != '\0' ? *++pattern : '\0';
        if (letter == 'r' || letter == 'R')
            fprintf(text, "%0*d", letter == 'R' ? digits : 1, rank->number);
        else if (letter == 'h')
            write_host(text, rank);
        else
            fputc(*pattern, text);
    }
    fclose(text);
    return path;
}

// Makes the folders that lead to a file.
static void make_folders(char *path)
{
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0777); // open() says what is wrong
        *slash = '/';
    }
}

static struct output_file *file_open(struct job *job, char *path)
{
    make_folders(path);
    struct output_file *file = calloc(1, sizeof *file);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (!file || fd < 0) {
        say("cannot write the output to %s: %s", path, strerror(errno));
        free(file);
        return NULL;
    }
    *file = (struct output_file){job->files, path, {.fd = fd, .is_file = true}};
    job->files = file;
    return file;
}

// The sink for a stream of a rank; NULL after a message when its file cannot be written.
static struct sink *sink_of(struct job *job, const struct rank *rank,
                            const char *pattern, struct sink *otherwise)
{
    if (!pattern)
        return otherwise;
    char *path = fill_pattern(pattern, job, rank);
    struct output_file *file = path ? job->files : NULL;
    while (file && strcmp(file->path, path) != 0)
        file = file->next;
    if (!file && path)
        file = file_open(job, path);
    if (!file || file->path != path)
        free(path);
    return file ? &file->sink : NULL;
}

bool rank_open_sinks(struct job *job, struct rank *rank)
{
    const struct plan *plan = job->plan;
    rank->output.sink = sink_of(job, rank, plan->output_pattern, &job->output);
    rank->error.sink = plan->merges_errors
                           ? rank->output.sink
                           : sink_of(job, rank, plan->error_pattern, &job->error);
    if (plan->tags_output)
        snprintf(rank->output.tag, sizeof rank->output.tag, "[%d] ", rank->number);
    memcpy(rank->error.tag, rank->output.tag, sizeof rank->error.tag);
    return rank->output.sink && rank->error.sink;
}
