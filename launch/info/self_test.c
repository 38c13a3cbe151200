// SPDX-License-Identifier: BSD-3-Clause
// The self-test: jobs of two processes, in one node and in two, which put and get.
#include "info.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- a process of the job -------------------------------------------------------------
int self_test_rank(void)
{
    int rank, size, *memory, got = -1;
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    *memory = -1;
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    bool is_right = *memory == before;
    MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    is_right &= got == rank && size == 2;
    MPI_Win_free(&win);
    MPI_Finalize();
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

// ---- the job --------------------------------------------------------------------------
static _Noreturn void run_job(int output, bool has_two_nodes)
{
    char *launcher = path_beside("mpiexec"), *self = path_beside("oriel-info");
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    setenv("ORIEL_FAKE_NODES", has_two_nodes ? "2" : "1", 1);
    setenv("ORIEL_VERBOSE", "1", 1);
    if (launcher && self)
        execl(launcher, launcher, "-n", "2", "--timeout", "60", self, "--rank",
              (char *)NULL);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", launcher ? launcher : "mpiexec",
            strerror(errno));
    _exit(EXIT_FAILURE);
}

// Keeps the first bytes of what the job says.
static void read_all(int output, char *said, size_t bytes)
{
    char lost[4096];
    size_t used = 0;
    ssize_t got;
    do {
        bool is_full = used + 1 == bytes;
        got = read(output, is_full ? lost : said + used,
                   is_full ? sizeof lost : bytes - used - 1);
        used += is_full || got < 0 ? 0 : (size_t)got;
    } while (got > 0 || (got < 0 && errno == EINTR));
    said[used] = '\0';
}

// Returns the exit status as waitpid() gives it, or -1.
static int run_and_read(bool has_two_nodes, char *said, size_t bytes)
{
    int ends[2], status = -1;
    if (pipe(ends) != 0)
        return -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        run_job(ends[1], has_two_nodes);
    close(ends[1]);
    read_all(ends[0], said, bytes);
    close(ends[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return status;
}

static double milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

// The last line that is not empty: of a failure the report of mpiexec.
static const char *last_line(char *said)
{
    size_t length = strlen(said);
    while (length > 0 && said[length - 1] == '\n')
        said[--length] = '\0';
    char *newline = strrchr(said, '\n');
    return newline ? newline + 1 : said;
}

static bool test_job(struct report *report, const char *name, bool has_two_nodes)
{
    char said[8192] = "";
    double begin = milliseconds_now();
    bool is_right = run_and_read(has_two_nodes, said, sizeof said) == 0;
    char *network = strstr(said, "network: ");
    if (!is_right) {
        report_value(report, name, "failed: %s", last_line(said));
    } else if (network) {
        network[strcspn(network, "\n")] = '\0';
        report_value(report, name, "works, %.0f ms, %s", milliseconds_now() - begin,
                     network);
    } else {
        report_value(report, name, "works, %.0f ms", milliseconds_now() - begin);
    }
    return is_right;
}

bool self_test(struct report *report)
{
    report_open(report, "self-test");
    bool is_right = test_job(report, "one node", false);
    is_right &= test_job(report, "two nodes", true);
    report_close(report);
    return is_right;
}
