// SPDX-License-Identifier: BSD-3-Clause
// The launcher's end of the PMI-1 wire: size and rank, a key-value space, a barrier.
#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef bool answer_function(struct job *job, struct rank *rank, const char *line);

static bool answer_init(struct job *job, struct rank *rank, const char *line)
{
    (void)job;
    int version;
    if (!wire_number(line, "pmi_version", 1, 1, &version))
        return wire_send(&rank->wire, "cmd=response_to_init rc=-1 pmi_version=1 "
                                      "pmi_subversion=1");
    rank->state = RANK_INITIALIZED;
    return wire_send(&rank->wire,
                     "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1");
}

static bool answer_maxes(struct job *job, struct rank *rank, const char *line)
{
    (void)line;
    return wire_send(&rank->wire,
                     "cmd=maxes rc=0 kvsname_max=%zu keylen_max=%d "
                     "vallen_max=%d",
                     sizeof job->name, WIRE_KEY_BYTES, WIRE_VALUE_BYTES);
}

static bool answer_name(struct job *job, struct rank *rank, const char *line)
{
    (void)line;
    return wire_send(&rank->wire, "cmd=my_kvsname rc=0 kvsname=%s", job->name);
}

static bool answer_universe(struct job *job, struct rank *rank, const char *line)
{
    (void)line;
    int universe = job->plan->universe;
    if (universe == UNIVERSE_UNKNOWN)
        return wire_send(&rank->wire, "cmd=universe_size rc=-1");
    return wire_send(&rank->wire, "cmd=universe_size rc=0 size=%d",
                     universe == UNIVERSE_OF_JOB ? job->size : universe);
}

static bool answer_app_number(struct job *job, struct rank *rank, const char *line)
{
    (void)job, (void)line;
    return wire_send(&rank->wire, "cmd=appnum rc=0 appnum=%d", rank->app_number);
}

static bool answer_put(struct job *job, struct rank *rank, const char *line)
{
    char key[WIRE_KEY_BYTES], value[WIRE_VALUE_BYTES];
    bool is_put = wire_word(line, "key", key, sizeof key) &&
                  wire_word(line, "value", value, sizeof value) &&
                  store_put(job->store, key, value);
    return wire_send(&rank->wire, is_put ? "cmd=put_result rc=0 msg=success"
                                         : "cmd=put_result rc=-1 msg=refused");
}

static bool answer_get(struct job *job, struct rank *rank, const char *line)
{
    char key[WIRE_KEY_BYTES];
    const char *value = NULL;
    if (wire_word(line, "key", key, sizeof key))
        value = store_get(job->store, key);
    if (!value)
        return wire_send(&rank->wire,
                         "cmd=get_result rc=-1 msg=key_not_found value=unknown");
    return wire_send(&rank->wire, "cmd=get_result rc=0 msg=success value=%s", value);
}

static bool answer_barrier(struct job *job, struct rank *rank, const char *line)
{
    (void)line;
    if (!rank->is_in_barrier)
        job->waiting++;
    rank->is_in_barrier = true;
    if (job->waiting < job->size) {
        pmi_check_barrier(job);
        return true;
    }
    job->waiting = 0;
    for (int i = 0; i < job->size; i++) {
        job->ranks[i].is_in_barrier = false;
        // A rank that has died meanwhile is noticed by its end.
        wire_send(&job->ranks[i].wire, "cmd=barrier_out rc=0");
    }
    return true;
}

static bool answer_finalize(struct job *job, struct rank *rank, const char *line)
{
    int findings;
    if (wire_number(line, "findings", 1, INT_MAX, &findings))
        job->has_findings = true;
    rank->state = RANK_FINALIZED;
    return wire_send(&rank->wire, "cmd=finalize_ack rc=0");
}

static bool answer_abort(struct job *job, struct rank *rank, const char *line)
{
    int code = EXIT_FAILURE;
    wire_number(line, "exitcode", -0x7fffffff, 0x7fffffff, &code);
    char why[WIRE_LINE_BYTES] = "";
    wire_word(line, "message", why, sizeof why);
    if (job->plan->is_verbose && *why != '\0')
        say("rank %d gives as reason: %s", rank->number, why);
    job_abort(job, rank, code);
    return true;
}

static bool answer_tells_waits(struct job *job, struct rank *rank, const char *line)
{
    (void)job, (void)line;
    rank->tells_waits = true;
    return true;
}

static bool answer_wait(struct job *job, struct rank *rank, const char *line)
{
    const char *text = strstr(line, "text=");
    if (text != NULL)
        waits_hear(job, rank, text + strlen("text="));
    return true;
}

static const struct {
    const char *command;
    answer_function *answer;
} commands[] = {
    {"init", answer_init},
    {"get_maxes", answer_maxes},
    {"get_my_kvsname", answer_name},
    {"get_universe_size", answer_universe},
    {"get_appnum", answer_app_number},
    {"put", answer_put},
    {"get", answer_get},
    {"barrier_in", answer_barrier},
    {"finalize", answer_finalize},
    {"abort", answer_abort},
    {"tells_waits", answer_tells_waits},
    {"wait", answer_wait},
};

// False when the rank cannot be served any more; then errno says why.
static bool pmi_answer(struct job *job, struct rank *rank, const char *line)
{
    char command[WIRE_KEY_BYTES] = "";
    wire_word(line, "cmd", command, sizeof command);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].command, command) == 0)
            return commands[i].answer(job, rank, line);
    job_end(job, rank, 1, "asked the launcher for '%.80s', which it does not offer",
            line);
    return true;
}

void pmi_serve(struct job *job, struct rank *rank)
{
    int got = wire_receive(&rank->wire);
    if (got < 0 && errno == EAGAIN)
        return;
    if (got < 0 && errno == EMSGSIZE)
        job_end(job, rank, 1, "sent the launcher a line of more than %d bytes",
                WIRE_LINE_BYTES);
    char line[WIRE_LINE_BYTES];
    while (got > 0 && wire_line(&rank->wire, line)) {
        if (!pmi_answer(job, rank, line)) {
            if (errno != EPIPE) // that one is noticed by the rank's end
                job_end(job, rank, 1, "does not read the launcher's answers");
            got = -1;
        }
    }
    if (got <= 0) {
        close(rank->wire.fd);
        rank->wire.fd = -1;
    }
}

void pmi_check_barrier(struct job *job)
{
    for (int i = 0; i < job->size && job->waiting > 0; i++)
        if (job->ranks[i].has_ended && job->ranks[i].cause == CAUSE_NONE)
            job_end(job, &job->ranks[i], 1,
                    "has ended, but %d of %d ranks wait for it in MPI_Init or another "
                    "common step",
                    job->waiting, job->size);
}
