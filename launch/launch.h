// SPDX-License-Identifier: BSD-3-Clause
// launch: mpiexec, which starts the processes of a job, is their PMI-1 server, passes
// their output on and ends them all when one fails. On other hosts a relay does what
// needs to be done there: mpiexec again, started by a launch agent such as ssh.
//
// Glossary
//   section  what stands between colons on the command line: some ranks of one program
//   plan     the whole command line, understood
//   job      the running processes
//   group    the process group of all ranks and what they start
//   link     the way to the relay on one host: frames to it and from it
//   guard    a process that leads the group and kills it when mpiexec is gone
//   source   standard output or error of one rank; whole lines leave it
//   sink     standard output or error of mpiexec
#pragma once

#include "boot/boot.h" // the PMI-1 wire

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

enum {
    EXIT_USAGE = 2,
    EXIT_TIMEOUT = 124, // as that of timeout(1)
    EXIT_NOT_EXECUTABLE = 126,
    EXIT_NOT_FOUND = 127
};

// ---- plan ---------------------------------------------------------------------------
struct setting {
    const char *name, *value; // of an environment variable
};
struct settings {
    struct setting *list;
    int count;
};

// Where ranks run; without any, on this machine.
struct host {
    const char *name;
    int slots; // 0: not said
};
struct hosts {
    struct host *list;
    int count;
};

struct section {
    int ranks;
    char **argv;             // of the program, ends with NULL
    const char *directory;   // where it runs, NULL: here
    const char *search_path; // directories that may have the program, NULL: PATH
    struct settings settings;
    struct hosts hosts; // of its own; without any, those of the plan
    char *path;         // of the program, set by programs_find
};

// Which cores a rank may run on: a share of those that mpiexec may use, if the ranks of
// a machine are not more than these; all of them; or the next one of its kind.
enum binding {
    BIND_SHARE,
    BIND_NOT,
    BIND_CORE,
    BIND_THREAD,
    BIND_SOCKET,
    BIND_DOMAIN // of memory (NUMA)
};

enum { UNIVERSE_OF_JOB, UNIVERSE_UNKNOWN = -1, UNIVERSE_OF_HOSTS = -2 };

struct sink;
struct plan {
    struct section *sections;
    int section_count;
    int ranks; // of all sections
    int universe;
    int timeout; // seconds, 0: none
    struct settings settings;
    struct hosts hosts; // of all sections, each once
    int per_host;       // ranks on each, whatever its slots are; 0: not said
    bool maps_by_host;  // the next rank goes to the next host
    char *agent;        // words of the command that runs another one on a host
    const char *output_pattern, *error_pattern; // of files, NULL: none
    bool tags_output, merges_errors, is_verbose;
    bool keeps_job; // when one of its ranks dies
    bool shares_heap;
    const char *trace_folder; // as it was given, or NULL
    bool prints_summary;      // of the trace
    bool is_traced, keeps_trace;
    enum binding binding;
    bool reports_binding;
    const char *report; // file of findings, absolute, NULL: none
    int check_exit;     // exit code of a job with findings that ends well, 0: none
};

// Understands the command line or exits: EXIT_USAGE with a message, 0 after --help.
void arguments_parse(int argc, char **argv, struct plan *plan);
// Finds each section's program and directory, or exits with EXIT_NOT_FOUND or
// EXIT_NOT_EXECUTABLE and a message.
void programs_find(struct plan *plan);

// Adds the hosts of a list such as "one:2,two:2" or "one slots=2", which is taken apart.
// False when it is no such list.
bool hosts_parse(char *text, struct hosts *hosts);
// Adds the hosts that are not there yet. False without memory.
bool hosts_unite(struct hosts *hosts, const struct hosts *added);
// The host of each rank, in the order of the ranks: as many as it has slots on the first
// host of its section, then on the next ones, and round again. False without memory.
bool hosts_place(const struct plan *plan, int *host_of);

// A plan with the directory and the environment of this process, as a relay reads it,
// which then has them too. False when the bytes are no plan; they stay in use.
void plan_write(const struct plan *plan, struct sink *sink);
bool plan_read(char *bytes, size_t count, struct plan *plan);

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
    int fd;       // -1 once nobody reads it any more
    bool is_file; // of its own, to which lines are written at once
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

void sink_put(struct sink *sink, const char *bytes, size_t count);
// Hands whole lines of a rank's output to the sink.
void source_take(struct source *source, const char *bytes, size_t count);
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
// The descriptor whose input goes to rank 0 on another host, or -1.
int input_of_distant(struct input *input);
void input_poll(const struct input *input, struct pollfd polls[2]);
void input_forward(struct input *input, const struct pollfd polls[2]);

// ---- job ----------------------------------------------------------------------------
// Steps of the early end of a job. A rank that aborts may have output to write.
enum job_end_step {
    END_NOT,
    END_EXPECTED, // some ranks may be the cause
    END_OTHERS,   // all ranks but those that abort have got SIGTERM
    END_ALL,      // all have got SIGTERM; who remains gets SIGKILL
};

// How a rank has ended before its time, or aborts. The greater, the more likely it is
// the cause of the failure of others.
enum cause {
    CAUSE_NONE,    // also once it has been reported
    CAUSE_FOLLOWS, // aborts because another has died
    CAUSE_LEFT,    // exited with code 0, but without MPI_Finalize
    CAUSE_FAILED,  // exited with another code, or aborts
    CAUSE_KILLED,  // by a signal
};

enum rank_state { RANK_STARTED, RANK_INITIALIZED, RANK_FINALIZED };

struct rank {
    int number;
    pid_t pid;
    bool has_ended, is_aborting;
    enum cause cause;
    int status; // of its end as waitpid() gives it, or the code with which it aborts
    const struct section *section;
    int app_number;
    enum rank_state state;
    bool is_in_barrier;
    struct wire wire;
    struct source output, error;
    struct link *link; // to its host, NULL on this machine
    int far;           // the other end of its wire when it has a link, or -1
    bool tells_waits;  // on request
    char *wait;        // what it has told, or NULL
};

// The cores on which this process may run, each with its hardware threads; or what else
// ranks are bound to.
struct cores {
    cpu_set_t *list;
    int count; // 0: not known
};

struct job {
    const struct plan *plan;
    struct rank *ranks;
    int size;
    int started; // ranks whose process is known
    int running;
    pid_t group; // of the guard and all ranks
    struct store *store;
    char name[64];
    int waiting; // ranks in the barrier
    struct link *links;
    int link_count;
    int distant_input; // what is to be sent to a distant rank 0, or -1
    struct sink output, error;
    struct output_file *files;
    struct input input;
    sigset_t inherited_mask; // for the ranks, as all that follows
    struct sigaction inherited_pipe_action;
    struct rlimit inherited_files;
    struct cores cores;
    int signals;        // signalfd
    int interrupted_by; // first SIGINT, SIGTERM, SIGHUP or SIGQUIT, or 0
    uint64_t interrupted_at;
    enum job_end_step end_step;
    uint64_t deadline;       // of this step, in nanoseconds
    uint64_t time_limit;     // when the job ends at the latest, 0: never
    bool is_over_time;       // the ranks have been asked what they wait for
    uint64_t waits_deadline; // when what they have told is printed, 0: not asked
    int exit_code;
    int late_exit_code; // of a rank after its MPI_Finalize
    bool has_findings;  // as some rank has told at its end
};

// Starts the guard, then all ranks. Nonzero when the system refuses, after a message.
int job_start(struct job *job);
// Serves the ranks until all have ended; returns mpiexec's exit code.
int job_run(struct job *job);

// The program that a rank runs.
const struct section *section_of(const struct plan *plan, int rank, int *app_number);
// A rank has ended, with a status as waitpid() gives it.
void rank_ended(struct job *job, struct rank *rank, int status);
// Sends a signal to all ranks and what they have started, or to one rank.
void job_signal(const struct job *job, int number);
void rank_signal(const struct rank *rank, int number);
// Kills what is left of the group on this machine.
void group_kill(const struct job *job);

// Says how `failed` has ended and ends the job, which exits with `exit_code`: all ranks
// but those that are aborting get SIGTERM now, these a moment later, and what is left
// after a grace period gets SIGKILL. The first call counts.
void job_end(struct job *job, struct rank *failed, int exit_code, const char *format,
             ...) PRINTF_LIKE(4, 5);
// A rank has asked to end the job.
void job_abort(struct job *job, struct rank *rank, int code);
// Reports the cause of failure and ends the job, once all ranks are known that may be
// the cause, or enough time has passed.
void job_find_cause(struct job *job);
// Takes the next step towards the end when its time has come, which the time limit of the
// job may begin; returns the milliseconds that poll() may wait, -1 for ever.
int job_step_towards_end(struct job *job);

// Finds where the output of a rank goes; false after a message.
bool rank_open_sinks(struct job *job, struct rank *rank);
// Starts one process with its sockets and pipes; `input` becomes its standard input.
// Nonzero with errno; then nothing is tidied up, since mpiexec will exit.
int rank_start(struct job *job, struct rank *rank, int input);

// Finds what ranks are bound to.
void binding_find_cores(struct cores *cores, enum binding binding);
// Tells them in the environment: MPIEXEC_CORES, a bit for each CPU, in hexadecimal words
// of 64 from the lowest on.
void binding_tell(const struct cores *cores);
// Binds the calling process, which becomes the rank. Its environment is already set.
void binding_apply(const struct job *job, const struct rank *rank);

// The file to which ranks append findings: begun before they start, so that it is there
// without any, and made a whole log of SARIF 2.1.0 at their end if its name ends in
// .sarif. False after a message.
bool report_begin(const char *path);
bool report_end(const char *path);

// The path of a file that is installed with this program, from its folder on; NULL
// without memory.
char *path_beside(const char *name);
// Puts such a library before what the environment has preloaded.
void library_preload(const char *name);

// Whether the job is traced, as the command line or ORIEL_TRACE has it; makes the trace's
// folder and tells the ranks. Exits with a message if there can be none.
void tracing_begin(struct plan *plan);
// Makes what is to be read of the trace, and prints the summary if that is wanted.
void tracing_end(const struct plan *plan);

pid_t guard_start(void);

// One more rank has its pid. When all have, a debugger finds them in a table.
void debugger_tell_started(struct job *job);
// Tells a debugger that the job ends early.
void debugger_tell_end(const char *reason);

// Asks the ranks what they wait for; false: none of them can tell.
bool waits_ask(struct job *job);
void waits_hear(struct job *job, struct rank *rank, const char *text);
// Prints it when all have told or enough time has passed; returns the milliseconds that
// poll() may wait, -1 for ever.
int waits_step(struct job *job);

void signals_open(struct job *job);
// Handles what has come on job->signals, except that children have ended: true then.
bool signals_handle(struct job *job);

// ---- links --------------------------------------------------------------------------
enum frame_kind {
    FRAME_HELLO,   // from a relay: its version
    FRAME_PLAN,    // to it
    FRAME_START,   // to it: the numbers of its ranks
    FRAME_STARTED, // a rank's process number
    FRAME_WIRE,    // what a rank and mpiexec say to each other
    FRAME_INPUT,   // for rank 0; nothing: its end
    FRAME_OUTPUT,
    FRAME_ERROR,
    FRAME_SIGNAL, // to a rank, or with rank -1 to all
    FRAME_ENDED,  // a rank's status as waitpid() gives it
};
struct frame {
    enum frame_kind kind;
    int rank;
    char *bytes; // until the next is taken; a zero follows
    size_t count;
};
struct frames {
    int fd;
    char *bytes, *taken;
    size_t used, room;
};
enum frame_state { FRAME_INCOMPLETE, FRAME_TAKEN, FRAME_NONSENSE };

void frame_put(struct sink *sink, enum frame_kind kind, int rank, const void *bytes,
               size_t count);
int frames_receive(struct frames *frames); // as read()
enum frame_state frame_take(struct frames *frames, struct frame *frame);

struct link {
    struct job *job;
    const char *host;
    pid_t agent;
    struct frames from;
    struct sink to;
    bool is_greeted;
    int running; // ranks
};
enum { LINK_FROM, LINK_TO, LINK_POLLS };

// Starts a relay on each host of the plan and has it start its ranks.
int links_start(struct job *job);
void links_stop(struct job *job); // when no rank runs any more
void link_watch(const struct link *link, struct pollfd polls[LINK_POLLS]);
void link_serve(struct link *link, const struct pollfd polls[LINK_POLLS]);
// Forwards the answers of mpiexec to a distant rank.
void rank_forward(struct rank *rank);
void distant_input_forward(struct job *job);

// Runs a relay; returns its exit code.
int relay_run(void);

// Answers the rank's requests. Closes the wire at its end.
void pmi_serve(struct job *job, struct rank *rank);
// Ends the job if ranks wait for one that has ended.
void pmi_check_barrier(struct job *job);

// Monotonic.
uint64_t now_nanoseconds(void);
