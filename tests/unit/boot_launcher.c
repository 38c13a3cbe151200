// SPDX-License-Identifier: BSD-3-Clause
// Against a launcher played by this test: a good one is believed, one that talks
// nonsense or goes away gives an error that quotes it, an unknown one gives its remedy.
#include "boot/driver.h"
#include "check.h"

#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

// What the launcher says to each line that it hears; NULL: it goes away.
struct script {
    int fd;
    const char *const *answers;
};

static void *play(void *argument)
{
    struct script *script = argument;
    struct wire wire = {.fd = script->fd};
    char line[WIRE_LINE_BYTES];
    for (const char *const *answer = script->answers; *answer; answer++) {
        int got = 1;
        while (got > 0 && !wire_line(&wire, line))
            got = wire_receive(&wire);
        if (got <= 0 || !wire_send(&wire, "%s", *answer))
            break;
    }
    shutdown(script->fd, SHUT_RDWR);
    return NULL;
}

static void set_environment(const char *fd, const char *rank, const char *size)
{
    setenv("PMI_FD", fd, 1);
    setenv("PMI_RANK", rank, 1);
    setenv("PMI_SIZE", size, 1);
}

// Without a goodbye if there is an error.
static int find_nodes(struct boot *boot, void (*inspect)(const struct boot *))
{
    int err = boot_find_nodes(boot);
    if (!err) {
        inspect(boot);
        boot_stop(boot);
        return 0;
    }
    boot->driver->close(boot);
    free(boot);
    return err;
}

// boot_start() and boot_find_nodes() as rank 1 of 3 under a launcher that answers so; on
// success, inspects what was learnt and stops.
static int start_under(const char *const *answers, void (*inspect)(const struct boot *))
{
    struct boot *boot;
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    char fd[16];
    snprintf(fd, sizeof fd, "%d", ends[0]);
    set_environment(fd, "1", "3");
    struct script script = {ends[1], answers};
    pthread_t launcher;
    CHECK(pthread_create(&launcher, NULL, play, &script) == 0);
    int err = boot_start(&boot);
    if (!err)
        err = find_nodes(boot, inspect);
    pthread_join(launcher, NULL);
    close(ends[1]); // ends[0] has been closed by boot
    CHECK(close(ends[0]) < 0);
    return err;
}

#define INIT "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
#define MAXES "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024"
#define NAME "cmd=my_kvsname kvsname=kvs_1"
#define UNIVERSE "cmd=universe_size size=8 rc=0"
#define APP "cmd=appnum appnum=2 rc=0"
#define MAP(text) "cmd=get_result rc=0 msg=success value=" text
#define GOOD_UNTIL_MAP INIT, MAXES, NAME, UNIVERSE, APP

static void check_belief(const struct boot *boot)
{
    CHECK(boot->rank == 1 && boot->size == 3 && process.rank == 1);
    CHECK(boot->app_number == 2 && boot->universe_size == 8);
    CHECK(boot->node_count == 2 && boot->node == 1 && boot->node_size == 1);
    CHECK(boot->leaders[0] == 0 && boot->leaders[1] == 1);
    CHECK(boot->node_of[2] == 0 && boot->node_rank_of[2] == 1);
}

static void good_launcher_is_believed(void)
{
    static const char *const answers[] = {GOOD_UNTIL_MAP, MAP("(vector,(0,2,1))"),
                                          "cmd=finalize_ack", NULL};
    CHECK(start_under(answers, check_belief) == 0);
}

static void check_ignorance(const struct boot *boot)
{
    CHECK(boot->app_number == -1 && boot->universe_size == -1);
}

static void check_small_universe(const struct boot *boot)
{
    CHECK(boot->app_number == -1 && boot->universe_size == 3);
}

static void what_a_launcher_does_not_know_is_unset(void)
{
    static const char *const nothing[] = {INIT,
                                          MAXES,
                                          NAME,
                                          "cmd=universe_size rc=-1",
                                          "cmd=appnum rc=-1",
                                          MAP("(vector,(0,2,1))"),
                                          "cmd=finalize_ack",
                                          NULL};
    CHECK(start_under(nothing, check_ignorance) == 0);
    static const char *const negative[] = {INIT,
                                           MAXES,
                                           NAME,
                                           "cmd=universe_size size=-1 rc=0",
                                           "cmd=appnum appnum=-1 rc=0",
                                           MAP("(vector,(0,2,1))"),
                                           "cmd=finalize_ack",
                                           NULL};
    CHECK(start_under(negative, check_ignorance) == 0);
    static const char *const cores[] = {INIT,
                                        MAXES,
                                        NAME,
                                        "cmd=universe_size size=2 rc=0",
                                        "cmd=appnum rc=0",
                                        MAP("(vector,(0,2,1))"),
                                        "cmd=finalize_ack",
                                        NULL};
    CHECK(start_under(cores, check_small_universe) == 0);
}

static void nonsense_is_refused(void)
{
    static const struct {
        const char *quoted; // what the error must say
        const char *answers[8];
    } cases[] = {
        {"gone", {NULL}},
        {"gone", {INIT, MAXES, NULL}},
        {"rc=-1", {"cmd=response_to_init pmi_version=1 rc=-1", NULL}},
        {"hello", {"hello", NULL}},
        {"cmd=maxes", {INIT, NAME, NULL}},
        {"no sense", {INIT, "cmd=maxes keylen_max=0 vallen_max=1024", NULL}},
        {"no sense", {INIT, "cmd=maxes keylen_max=64", NULL}},
        {"no key-value", {INIT, MAXES, "cmd=my_kvsname name=x", NULL}},
        {"no sense", {GOOD_UNTIL_MAP, MAP("(vector,(0,1))"), NULL}},
        {"missing", {GOOD_UNTIL_MAP, "cmd=get_result rc=0", NULL}},
        {"gone", {GOOD_UNTIL_MAP, NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int error_class;
        CHECK(start_under(cases[i].answers, NULL) == MPI_ERR_OTHER);
        CHECK(strstr(error_detail(&error_class), cases[i].quoted));
    }
}

static void check_exchange(const struct boot *boot)
{
    CHECK(boot->node_count == 2 && boot->node_of[0] == boot->node_of[2]);
    CHECK(boot->node == 1 && boot->node_size == 1);
}

static void missing_map_is_replaced_by_an_exchange(void)
{
#define MISSING "cmd=get_result rc=-1 msg=key_not_found value=unknown"
    static const char *const answers[] = {GOOD_UNTIL_MAP,
                                          MISSING,
                                          "cmd=put_result rc=0",
                                          "cmd=barrier_out",
                                          MAP("00000000000000aa"),
                                          MAP("00000000000000bb"),
                                          MAP("00000000000000aa"),
                                          "cmd=finalize_ack",
                                          NULL};
    CHECK(start_under(answers, check_exchange) == 0);
    static const char *const lost[] = {
        GOOD_UNTIL_MAP,    MISSING, "cmd=put_result rc=0",
        "cmd=barrier_out", MISSING, NULL};
    CHECK(start_under(lost, NULL) == MPI_ERR_NAME);
}

static void check_refused(const char *quoted)
{
    struct boot *boot;
    int error_class;
    CHECK(boot_start(&boot) == MPI_ERR_OTHER);
    CHECK(strstr(error_detail(&error_class), quoted));
}

static void bad_environment_is_refused(void)
{
    static const char *const cases[][4] = {
        {"three", "0", "2", "PMI_FD=three"}, {"-1", "0", "2", "PMI_FD=-1"},
        {"999", "0", "2", "unset PMI_FD"},   {"0", "x", "2", "PMI_RANK=x"},
        {"0", "0", "", "PMI_SIZE="},         {"0", "2", "2", "rank 2 of 2"},
        {"0", "0", "0", "rank 0 of 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(dup2(STDOUT_FILENO, 0) == 0); // boot closes it
        set_environment(cases[i][0], cases[i][1], cases[i][2]);
        check_refused(cases[i][3]);
    }
    unsetenv("PMI_SIZE");
    CHECK(dup2(STDOUT_FILENO, 0) == 0);
    setenv("PMI_FD", "0", 1);
    setenv("PMI_RANK", "0", 1);
    check_refused("not set PMI_SIZE");
    unsetenv("PMI_FD");
    unsetenv("PMI_RANK");
}

static void port_tells_rank_and_size(void)
{
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    CHECK(bind(listener, (struct sockaddr *)&address, bytes) == 0);
    CHECK(listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &bytes) == 0);
    char port[32];
    snprintf(port, sizeof port, "127.0.0.1:%d", ntohs(address.sin_port));
    setenv("PMI_PORT", port, 1);
    setenv("PMI_ID", "5", 1);

    static const char *const answers[] = {
        "cmd=initack rc=0\ncmd=set size=1\ncmd=set rank=0\ncmd=set debug=0",
        GOOD_UNTIL_MAP, "cmd=finalize_ack", NULL};
    pid_t child = fork();
    if (child == 0) {
        struct script script = {accept(listener, NULL, NULL), answers};
        play(&script);
        _exit(0);
    }
    struct boot *boot;
    CHECK(boot_start(&boot) == 0);
    CHECK(boot->rank == 0 && boot->size == 1);
    boot_stop(boot);
    CHECK(waitpid(child, NULL, 0) == child);
    close(listener);

    setenv("PMI_PORT", "nowhere", 1);
    check_refused("host:port");
    setenv("PMI_PORT", port, 1); // nobody listens there any more
    check_refused(port);
    unsetenv("PMI_PORT");
    unsetenv("PMI_ID");
}

static void foreign_launcher_is_named_with_remedy(void)
{
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    check_refused("srun --mpi=pmi2");
    setenv("SLURM_STEP_NUM_TASKS", "1", 1); // srun -n 1: alone is what is meant
    struct boot *boot;
    CHECK(boot_start(&boot) == 0);
    boot_stop(boot);
    unsetenv("SLURM_STEP_NUM_TASKS");
    setenv("PMIX_NAMESPACE", "nobody's", 1); // no server is there
    check_refused("PMIx");
    unsetenv("PMIX_NAMESPACE");
}

static void process_alone_keeps_its_keys(void)
{
    struct boot *boot;
    char value[8];
    CHECK(boot_start(&boot) == 0);
    CHECK(boot_find_nodes(boot) == 0);
    CHECK(boot->rank == 0 && boot->size == 1 && boot->node_count == 1);
    CHECK(boot->app_number == -1 && boot->universe_size == -1);
    CHECK(boot_put(boot, "key", "value") == 0);
    CHECK(boot_put(boot, "key", "again") == MPI_ERR_OTHER);
    CHECK(boot_put(boot, "two words", "value") == MPI_ERR_INTERN);
    CHECK(boot_put(boot, "other", "two\nlines") == MPI_ERR_INTERN);
    CHECK(boot_fence(boot) == 0);
    CHECK(boot_get(boot, 0, "key", value, sizeof value) == 0 &&
          !strcmp(value, "value"));
    CHECK(boot_get(boot, 0, "key", value, 5) == MPI_ERR_INTERN);
    CHECK(boot_get(boot, 0, "nothing", value, sizeof value) == MPI_ERR_NAME);
    boot_stop(boot);
}

int main(void)
{
    good_launcher_is_believed();
    what_a_launcher_does_not_know_is_unset();
    nonsense_is_refused();
    missing_map_is_replaced_by_an_exchange();
    bad_environment_is_refused();
    port_tells_rank_and_size();
    foreign_launcher_is_named_with_remedy();
    process_alone_keeps_its_keys();
    return 0;
}
