// SPDX-License-Identifier: BSD-3-Clause
// The PMI-1 wire protocol, spoken by MPICH's Hydra, Slurm's pmi2 plugin, Flux and our
// own mpiexec: over an inherited socket (PMI_FD), or to a port that tells rank and size
// (PMI_PORT and PMI_ID). Every answer of a launcher is checked.
#include "boot/driver.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KVSNAME_BYTES = 256 };

struct pmi1 {
    struct wire wire;
    pthread_mutex_t lock;   // guards the wire
    bool is_of_oriel;       // the launcher may ask what this process waits for
    int key_max, value_max; // longest key and value that the launcher takes, with zero
    char kvsname[KVSNAME_BYTES];
};

// The launcher's question what this process waits for: it does not wait.
static bool is_question(const char *line)
{
    return strcmp(line, "cmd=tell_wait") == 0;
}

// Waits for the launcher's next line, which must have the word cmd=`command`.
static int listen_for(struct pmi1 *pmi1, const char *command,
                      char answer[WIRE_LINE_BYTES])
{
    while (!wire_line(&pmi1->wire, answer) || is_question(answer)) {
        if (memchr(pmi1->wire.bytes, '\n', pmi1->wire.used) != NULL)
            continue;
        int got = wire_receive(&pmi1->wire);
        if (got <= 0)
            return fail(MPI_ERR_OTHER, "the launcher has not said cmd=%s: %s", command,
                        got == 0 ? "it has gone" : strerror(errno));
    }
    char word[WIRE_KEY_BYTES];
    if (!wire_word(answer, "cmd", word, sizeof word) || strcmp(word, command) != 0)
        return fail(MPI_ERR_OTHER, "the launcher said '%.200s' instead of cmd=%s",
                    answer, command);
    return 0;
}

// Asks the launcher and waits for its answer, which must have the word cmd=`command`.
static int pmi1_ask(struct pmi1 *pmi1, const char *question, const char *command,
                    char answer[WIRE_LINE_BYTES])
{
    pthread_mutex_lock(&pmi1->lock);
    int err = 0;
    if (!wire_send(&pmi1->wire, "%s", question))
        err = fail(MPI_ERR_OTHER, "cannot say '%.200s' to the launcher: %s", question,
                   errno == EPIPE ? "it has gone" : strerror(errno));
    if (!err)
        err = listen_for(pmi1, command, answer);
    pthread_mutex_unlock(&pmi1->lock);
    return err;
}

// The launcher reports success by rc=0, or by not mentioning rc.
static bool is_success(const char *answer)
{
    char rc[16] = "0";
    wire_word(answer, "rc", rc, sizeof rc);
    return strcmp(rc, "0") == 0;
}

static int ask_successfully(struct pmi1 *pmi1, const char *question,
                            const char *command, char answer[WIRE_LINE_BYTES])
{
    int err = pmi1_ask(pmi1, question, command, answer);
    if (!err && !is_success(answer))
        return fail(MPI_ERR_OTHER, "the launcher answered '%.200s' to '%.200s'", answer,
                    question);
    return err;
}

static int pmi1_put(struct boot *boot, const char *key, const char *value)
{
    struct pmi1 *pmi1 = boot->driver_state;
    if (strlen(key) >= (size_t)pmi1->key_max ||
        strlen(value) >= (size_t)pmi1->value_max)
        return fail(
            MPI_ERR_OTHER,
            "key %s with %zu bytes: the launcher takes keys up to %d, values up "
            "to %d bytes",
            key, strlen(value), pmi1->key_max - 1, pmi1->value_max - 1);
    char question[WIRE_LINE_BYTES], answer[WIRE_LINE_BYTES];
    snprintf(question, sizeof question, "cmd=put kvsname=%s key=%s value=%s",
             pmi1->kvsname, key, value);
    return ask_successfully(pmi1, question, "put_result", answer);
}

static int pmi1_fence(struct boot *boot)
{
    char answer[WIRE_LINE_BYTES];
    return ask_successfully(boot->driver_state, "cmd=barrier_in", "barrier_out",
                            answer);
}

// One space for the keys of all.
static int pmi1_get(struct boot *boot, int rank, const char *key, char *value,
                    size_t value_size)
{
    (void)rank;
    struct pmi1 *pmi1 = boot->driver_state;
    char question[WIRE_LINE_BYTES], answer[WIRE_LINE_BYTES];
    snprintf(question, sizeof question, "cmd=get kvsname=%s key=%s", pmi1->kvsname,
             key);
    int err = pmi1_ask(pmi1, question, "get_result", answer);
    if (err)
        return err;
    if (!is_success(answer))
        return fail(MPI_ERR_NAME, "nobody has put the key %s", key);
    if (!wire_word(answer, "value", value, value_size))
        return fail(MPI_ERR_OTHER,
                    "the launcher's value of %s is missing or longer than "
                    "%zu bytes",
                    key, value_size - 1);
    return 0;
}

static void pmi1_abort(struct boot *boot, int code, const char *why)
{
    struct pmi1 *pmi1 = boot->driver_state;
    char message[512]; // as one word
    snprintf(message, sizeof message, "%s", why);
    for (char *c = message; *c != '\0'; c++)
        if (!isgraph((unsigned char)*c))
            *c = '_';
    wire_send(&pmi1->wire, "cmd=abort exitcode=%d message=%s", code, message);
}

static bool pmi1_must_tell(struct boot *boot)
{
    struct pmi1 *pmi1 = boot->driver_state;
    char line[WIRE_LINE_BYTES];
    if (!pmi1->is_of_oriel || pthread_mutex_trylock(&pmi1->lock) != 0)
        return false;
    if (poll(&(struct pollfd){pmi1->wire.fd, POLLIN, 0}, 1, 0) > 0)
        wire_receive(&pmi1->wire);
    bool must = wire_line(&pmi1->wire, line) && is_question(line);
    pthread_mutex_unlock(&pmi1->lock);
    return must;
}

static void pmi1_tell(struct boot *boot, const char *text)
{
    struct pmi1 *pmi1 = boot->driver_state;
    pthread_mutex_lock(&pmi1->lock);
    wire_send(&pmi1->wire, "cmd=wait text=%s", text);
    pthread_mutex_unlock(&pmi1->lock);
}

static void pmi1_finalize(struct boot *boot)
{
    char question[64] = "cmd=finalize", answer[WIRE_LINE_BYTES];
    if (process.findings.total > 0) // a word that only our mpiexec knows
        snprintf(question, sizeof question, "cmd=finalize findings=%d",
                 (int)(process.findings.total & INT_MAX));
    if (pmi1_ask(boot->driver_state, question, "finalize_ack", answer) != 0) {
        int error_class;
        log_verbose("%s", error_detail(&error_class));
    }
}

static void pmi1_close(struct boot *boot)
{
    struct pmi1 *pmi1 = boot->driver_state;
    close(pmi1->wire.fd);
    pthread_mutex_destroy(&pmi1->lock);
    free(pmi1);
}

static const struct boot_driver pmi1_driver = {
    .put = pmi1_put,
    .fence = pmi1_fence,
    .get = pmi1_get,
    .abort = pmi1_abort,
    .must_tell = pmi1_must_tell,
    .tell = pmi1_tell,
    .finalize = pmi1_finalize,
    .close = pmi1_close,
};

// PMI_FD: the launcher has left us an open socket.
static int open_inherited(struct pmi1 *pmi1, struct boot *boot)
{
    int err = environment_number("PMI_FD", 1 << 20, &pmi1->wire.fd);
    if (!err)
        err = environment_number("PMI_RANK", JOB_SIZE_MAX, &boot->rank);
    if (!err)
        err = environment_number("PMI_SIZE", JOB_SIZE_MAX, &boot->size);
    if (err)
        return err;
    if (fcntl(pmi1->wire.fd, F_SETFD, FD_CLOEXEC) < 0) {
        err = fail(MPI_ERR_OTHER,
                   "PMI_FD=%d is not open here: unset PMI_FD to run this "
                   "program on its own",
                   pmi1->wire.fd);
        pmi1->wire.fd = -1;
    }
    return err;
}

static int pmi1_connect(const char *host, const char *port, int *connected)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *addresses;
    int error = getaddrinfo(host, port, &hints, &addresses);
    if (error)
        return fail(MPI_ERR_OTHER, "PMI_PORT=%s:%s: %s", host, port,
                    gai_strerror(error));
    int fd = -1;
    for (struct addrinfo *address = addresses; address && fd < 0;
         address = address->ai_next) {
        fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, address->ai_addr, address->ai_addrlen) < 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(addresses);
    if (fd < 0)
        return fail(MPI_ERR_OTHER,
                    "cannot connect to the launcher at PMI_PORT=%s:%s: %s", host, port,
                    strerror(errno));
    *connected = fd;
    return 0;
}

// PMI_PORT: the launcher tells rank and size to the process with the right PMI_ID.
static int open_port(struct pmi1 *pmi1, struct boot *boot)
{
    char host[256], question[64], answer[WIRE_LINE_BYTES];
    const char *place = getenv("PMI_PORT");
    const char *colon = strrchr(place, ':');
    if (!colon || colon == place || (size_t)(colon - place) >= sizeof host)
        return fail(MPI_ERR_OTHER, "PMI_PORT=%s: must be host:port", place);
    snprintf(host, sizeof host, "%.*s", (int)(colon - place), place);

    int id;
    int err = environment_number("PMI_ID", JOB_SIZE_MAX, &id);
    if (!err)
        err = pmi1_connect(host, colon + 1, &pmi1->wire.fd);
    if (err)
        return err;
    snprintf(question, sizeof question, "cmd=initack pmiid=%d", id);
    err = ask_successfully(pmi1, question, "initack", answer);
    boot->rank = -1;
    for (int i = 0; i < 3 && !err; i++) { // size, rank and debug
        err = listen_for(pmi1, "set", answer);
        wire_number(answer, "size", 1, JOB_SIZE_MAX, &boot->size);
        wire_number(answer, "rank", 0, JOB_SIZE_MAX, &boot->rank);
    }
    return err;
}

// Agrees on the version, and learns the limits and the name of the key-value space.
static int pmi1_greet(struct pmi1 *pmi1)
{
    char answer[WIRE_LINE_BYTES];
    int err = ask_successfully(pmi1, "cmd=init pmi_version=1 pmi_subversion=1",
                               "response_to_init", answer);
    if (err)
        return err;
    err = ask_successfully(pmi1, "cmd=get_maxes", "maxes", answer);
    if (err)
        return err;
    if (!wire_number(answer, "keylen_max", 1, 1 << 30, &pmi1->key_max) ||
        !wire_number(answer, "vallen_max", 1, 1 << 30, &pmi1->value_max))
        return fail(MPI_ERR_OTHER, "the launcher's limits '%.200s' make no sense",
                    answer);
    err = ask_successfully(pmi1, "cmd=get_my_kvsname", "my_kvsname", answer);
    if (err)
        return err;
    if (!wire_word(answer, "kvsname", pmi1->kvsname, sizeof pmi1->kvsname))
        return fail(MPI_ERR_OTHER, "the launcher names no key-value space: '%.200s'",
                    answer);
    return 0;
}

// Asks for a number; it stays as it is if the launcher does not know it.
static int ask_number(struct pmi1 *pmi1, const char *question, const char *command,
                      const char *word, int *number)
{
    char answer[WIRE_LINE_BYTES];
    int err = pmi1_ask(pmi1, question, command, answer);
    if (!err && is_success(answer))
        wire_number(answer, word, 0, JOB_SIZE_MAX, number);
    return err;
}

static int pmi1_learn(struct pmi1 *pmi1, struct boot *boot)
{
    int err = getenv("PMI_FD") ? open_inherited(pmi1, boot) : open_port(pmi1, boot);
    if (err)
        return err;
    if (boot->size < 1 || boot->rank < 0 || boot->rank >= boot->size)
        return fail(MPI_ERR_OTHER, "the launcher says rank %d of %d processes",
                    boot->rank, boot->size);
    err = pmi1_greet(pmi1);
    if (!err)
        err = ask_number(pmi1, "cmd=get_universe_size", "universe_size", "size",
                         &boot->universe_size);
    if (!err)
        err = ask_number(pmi1, "cmd=get_appnum", "appnum", "appnum", &boot->app_number);
    return err;
}

int pmi1_start(struct boot *boot)
{
    struct pmi1 *pmi1 = calloc(1, sizeof *pmi1);
    if (!pmi1)
        return fail(MPI_ERR_NO_MEM, "no memory to speak to the launcher");
    pmi1->wire.fd = -1;
    pthread_mutex_init(&pmi1->lock, NULL);
    int err = pmi1_learn(pmi1, boot);
    if (err) {
        if (pmi1->wire.fd >= 0)
            close(pmi1->wire.fd);
        free(pmi1);
        return err;
    }
    pmi1->is_of_oriel = strncmp(pmi1->kvsname, "oriel_", 6) == 0 &&
                        wire_send(&pmi1->wire, "cmd=tells_waits");
    boot->launcher = "PMI-1";
    boot->driver = &pmi1_driver;
    boot->driver_state = pmi1;
    snprintf(boot->job, sizeof boot->job, "pmi-%016llx",
             (unsigned long long)text_hash(pmi1->kvsname));
    return 0;
}
