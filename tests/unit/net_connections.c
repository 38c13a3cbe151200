// SPDX-License-Identifier: BSD-3-Clause
// connections_are_made_once_and_only_with_the_job: two processes that send to each other
// at once have one connection, and all their messages arrive; who does not know the
// job's secret is not connected with; and who sleeps is woken by the first message of a
// peer that it has never talked with, as by later ones.
#include "net_pair.h"

#include <poll.h>

enum { ROUNDS = 20, MESSAGES = 30 };

static int received;

static bool receive(const void *message, size_t bytes)
{
    CHECK(is_filled(message, bytes, (unsigned)received));
    received++;
    return true;
}

static int send_once(struct pair *pair, unsigned seed, size_t bytes)
{
    unsigned char message[4000];
    bool sent = false;
    int err = 0;
    fill(message, bytes, seed);
    while (!err && !sent) {
        err = net_send(pair->net, pair->peer, message, bytes, &sent);
        net_poll(pair->net);
    }
    return err;
}

static int both_at_once(void)
{
    struct pair pair = pair_open(receive);
    received = 0;
    for (int i = 0; i < MESSAGES; i++)
        CHECK(send_once(&pair, (unsigned)i, 10 + 100 * (size_t)i) == 0);
    while (received < MESSAGES)
        net_poll(pair.net);
    meet(&pair);
    CHECK(pair.net->peers[pair.peer].endpoint != NULL);
    return pair_close(&pair);
}

static int stranger_is_refused(void)
{
    struct pair pair = pair_open(receive);
    received = 0;
    net_set_secret(pair.net, &(struct secret){7, pair.rank == 0 ? 7 : 8});
    if (pair.rank == 0) {
        pair.net->connect_seconds = 1;
        CHECK(send_once(&pair, 0, 100) == MPI_ERR_PROC_ABORTED);
    }
    meet(&pair);
    CHECK(received == 0);
    return pair_close(&pair);
}

static void sleep_until_received(struct pair *pair, int count)
{
    struct pollfd network[] = {{net_descriptor(pair->net), POLLIN, 0},
                               {net_event_descriptor(pair->net), POLLIN, 0}};
    while (received < count)
        if (net_poll(pair->net) == 0 && net_may_sleep(pair->net, false))
            CHECK(poll(network, 2, 20000) >= 1);
}

static int sleeper_is_woken(void)
{
    struct pair pair = pair_open(receive);
    received = 0;
    for (int i = 0; i < 3; i++) {
        usleep(pair.rank == 0 ? 100000 : 0);
        if (pair.rank == 0)
            CHECK(send_once(&pair, (unsigned)i, 300) == 0);
        else
            sleep_until_received(&pair, i + 1);
        meet(&pair);
    }
    return pair_close(&pair);
}

int main(void)
{
    snprintf(process.options.provider, sizeof process.options.provider, "tcp");
    struct pair pair = pair_open(receive);
    if (!has_connections(pair.net)) { // libfabric 1.18 and later connect themselves
        int code = pair_close(&pair);
        return code ? code : 77;
    }
    if (pair_close(&pair) != 0)
        return 1;
    for (int i = 0; i < ROUNDS; i++)
        if (both_at_once() != 0)
            return 1;
    return stranger_is_refused() || sleeper_is_woken();
}
