// SPDX-License-Identifier: BSD-3-Clause
// launch: mpiexec, which starts the processes of a job on this machine, is their PMI-1
// server, passes their output on and ends them all when one fails.
//
// Glossary
//   section  what stands between colons on the command line: some ranks of one program
//   plan     the whole command line, understood
//   job      the running processes
//   group    the process group of all ranks and what they start
//   guard    a process that leads the group and kills it when mpiexec is gone
//   source   standard output or error of one rank; whole lines leave it
//   sink     standard output or error of mpiexec
#pragma once

#include "boot/boot.h" // the PMI-1 wire

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { EXIT_USAGE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

// ---- plan ---------------------------------------------------------------------------
struct setting {
    const char *name, *value; // of an environment variable
};
struct settings {
    struct setting *list;
    int count;
};

struct section {
    int ranks;
    char **argv;           // of the program, ends with NULL
    const char *directory; // where it runs, NULL: here
    struct settings settings;
    char *path; // of the program, set by programs_find
};

struct plan {
    struct section *sections;
    int section_count;
    int ranks; // of all sections
    struct settings settings;
    bool tags_output, is_verbose;
};

// Understands the command line or exits: EXIT_USAGE with a message, 0 after --help.
void arguments_parse(int argc, char **argv, struct plan *plan);
// Finds each section's program and directory, or exits with EXIT_NOT_FOUND or
// EXIT_NOT_EXECUTABLE and a message.
void programs_find(struct plan *plan);

// One line "mpiexec: ..." on standard error.
void say(const char *format, ...) PRINTF_LIKE(1, 2);

// ---- store: the key-value space of a job --------------------------------------------
struct store;
struct store *store_make(int ranks);
// False when the key exists or memory is used up.
bool store_put(struct store *store, const char *key, const char *value);
const char *store_get(const struct store *store, const char *key); // or NULL

// ---- output -------------------------------------------------------------------------
struct sink {
    int fd; // -1 once nobody reads it any more
    char *bytes;
    size_t start, used, room;
};

struct source {
    int fd; // -1 after its end
    struct sink *sink;
    char *bytes;
    size_t used, room;
    bool is_inside_line; // the sink has got the beginning of a line
    char tag[16];        // goes before each line
};

// Takes what has come and hands whole lines to the sink; the rest at the end. Closes
// the source at its end, or when its sink is closed: then the rank gets SIGPIPE.
void source_read(struct source *source);
// The sink has so much to write that its sources must wait.
bool sink_is_full(const struct sink *sink);
// Writes a part that does not block where poll() said POLLOUT.
void sink_write(struct sink *sink);
// At the end of the job: takes what is in the pipe and closes the source.
void source_drain(struct source *source);
// The same for a sink: writes all, and blocks for it.
void sink_drain(struct sink *sink);

// ---- input --------------------------------------------------------------------------
// A terminal does not give its input to a group in the background, which the ranks are:
// mpiexec reads it for rank 0. Any other input is inherited by rank 0, so that only
// what it reads is consumed.
struct input {
    int terminal; // -1: nothing to forward
    int pipe;     // to rank 0, non-blocking
    char bytes[4096];
    size_t start, end; // read from the terminal and not yet written
};
// The descriptor that becomes rank 0's standard input.
int input_open(struct input *input);
void input_poll(const struct input *input, struct pollfd polls[2]);
void input_forward(struct input *input, const struct pollfd polls[2]);

// ---- job ----------------------------------------------------------------------------
// How a job ends before its time. A rank that aborts may have output to write.
enum job_end_step {
    END_NOT,
    END_OTHERS, // all ranks but those that abort have got SIGTERM
    END_ALL,    // all have got SIGTERM; who remains gets SIGKILL
};

enum rank_state { RANK_STARTED, RANK_INITIALIZED, RANK_FINALIZED };

struct rank {
    int number;
    pid_t pid;
    bool has_ended, is_aborting;
    const struct section *section;
    int app_number;
    enum rank_state state;
    bool is_in_barrier;
    struct wire wire;
    struct source output, error;
};

struct job {
    const struct plan *plan;
    struct rank *ranks;
    int size;
    int running;
    pid_t group; // of the guard and all ranks
    struct store *store;
    char name[64];
    int waiting; // ranks in the barrier
    struct sink output, error;
    struct input input;
    sigset_t inherited_mask; // for the ranks, as all that follows
    struct sigaction inherited_pipe_action;
    struct rlimit inherited_files;
    int signals;        // signalfd
    int interrupted_by; // first SIGINT, SIGTERM, SIGHUP or SIGQUIT, or 0
    uint64_t interrupted_at;
    enum job_end_step end_step;
    uint64_t deadline; // of this step, in nanoseconds
    int exit_code;
};

// Starts the guard, then all ranks. Nonzero when the system refuses, after a message.
int job_start(struct job *job);
// Serves the ranks until all have ended; returns mpiexec's exit code.
int job_run(struct job *job);

// Says what `culprit` did and ends the job, which exits with `exit_code`: all ranks but
// those that are aborting get SIGTERM now, these a moment later, and what is left after
// a grace period gets SIGKILL. The first call counts.
void job_end(struct job *job, struct rank *culprit, int exit_code, const char *format,
             ...) PRINTF_LIKE(4, 5);

// Starts one process with its sockets and pipes; `input` becomes its standard input.
// Nonzero with errno; then nothing is tidied up, since mpiexec will exit.
int rank_start(struct job *job, struct rank *rank, int input);

pid_t guard_start(void);

void signals_open(struct job *job);
// Handles what has come on job->signals, except that children have ended: true then.
bool signals_handle(struct job *job);

// Answers what the rank has said. Closes the wire at its end.
void pmi_serve(struct job *job, struct rank *rank);
// Ends the job if ranks wait for one that has ended.
void pmi_check_barrier(struct job *job);

// Monotonic.
uint64_t now_nanoseconds(void);
