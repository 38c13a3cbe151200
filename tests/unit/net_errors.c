// SPDX-License-Identifier: BSD-3-Clause
// errors_have_an_end_and_a_class: an access with a wrong key or outside the region
// fails and changes nothing; a peer that is killed gives errors, not a hang; so does
// one that was gone before it was first reached. The time for that goes on only while the
// process tries.

#include "net_pair.h"

enum { MEMORY = 1 << 16 };

static unsigned char memory[3 * MEMORY]; // the region is the middle
static struct net_remote target;

static bool receive(const void *message, size_t bytes)
{
    (void)message;
    (void)bytes;
    return true;
}

static unsigned char local[2 * MEMORY];

static int write_once(struct pair *pair, struct net_remote place, size_t bytes)
{
    struct net_counter counter = {0};
    int err = access_all(pair->net, true, local, bytes, place, &counter);
    return err ? err : wait_for(pair->net, &counter);
}

static int read_once(struct pair *pair, struct net_remote place, size_t bytes)
{
    struct net_counter counter = {0};
    int err = access_all(pair->net, false, local, bytes, place, &counter);
    return err ? err : wait_for(pair->net, &counter);
}

static struct pair open_pair(struct net_region *region)
{
    struct pair pair = pair_open(receive);
    memset(memory, 0xee, sizeof memory);
    CHECK(net_register(pair.net, memory + MEMORY, MEMORY, 0, region) == 0);
    struct net_remote own = region->remote;
    tell(&pair, &own, sizeof own);
    hear(&pair, &target, sizeof target);
    return pair;
}

// In a pair of processes of its own, since some providers give the connection up.
static int bad_place_fails(bool has_wrong_key, bool reads)
{
    struct net_region region;
    struct pair pair = open_pair(&region);
    struct net_remote bad = target;
    if (has_wrong_key)
        bad.key ^= 0x5555;
    else
        bad.address += MEMORY - 8;
    if (pair.rank == 0) {
        CHECK(write_once(&pair, target, 8) == 0);
        int err = reads ? read_once(&pair, bad, 16) : write_once(&pair, bad, 16);
        CHECK(err == MPI_ERR_RMA_RANGE || err == MPI_ERR_PROC_ABORTED);
        CHECK(strstr(error_detail(&err), "rank 1"));
    }
    meet(&pair);
    if (pair.rank == 1)
        for (size_t i = 0; i < sizeof memory; i++)
            CHECK(memory[i] == (i >= MEMORY && i < MEMORY + 8 ? 0 : 0xee));
    return pair_close(&pair);
}

static void check_lost(struct pair *pair)
{
    bool sent;
    CHECK(write_once(pair, target, 8) == MPI_ERR_PROC_ABORTED);
    CHECK(read_once(pair, target, 8) == MPI_ERR_PROC_ABORTED);
    CHECK(net_send(pair->net, 1, local, 100, &sent) == MPI_ERR_PROC_ABORTED);
    CHECK(!sent);
    CHECK(net_take_lost(pair->net) == 1);
    CHECK(net_take_lost(pair->net) == -1);
}

static void end_child(struct pair *pair)
{
    kill(pair->child, SIGKILL);
    CHECK(waitpid(pair->child, NULL, 0) == pair->child);
}

static void serve_for_ever(struct pair *pair)
{
    for (;;)
        net_poll(pair->net);
}

static int killed_peer_fails(void)
{
    struct net_region region;
    struct pair pair = open_pair(&region);
    if (pair.rank == 1)
        serve_for_ever(&pair);
    CHECK(write_once(&pair, target, 8) == 0);

    struct net_counter counter = {0};
    kill(pair.child, SIGSTOP); // so that some of what follows is under way when it dies
    for (int i = 0; i < 50; i++) {
        CHECK(access_all(pair.net, true, local, MEMORY, target, &counter) == 0);
        CHECK(access_all(pair.net, false, local, MEMORY, target, &counter) == 0);
    }
    end_child(&pair);
    CHECK(wait_for(pair.net, &counter) == MPI_ERR_PROC_ABORTED);
    check_lost(&pair);
    net_stop(pair.net);
    return 0;
}

static int peer_that_was_never_there_fails(void)
{
    struct net_region region;
    struct pair pair = open_pair(&region);
    if (pair.rank == 1)
        serve_for_ever(&pair);
    end_child(&pair);
    pair.net->connect_seconds = 0.5;
    CHECK(write_once(&pair, target, 8) == MPI_ERR_PROC_ABORTED);
    check_lost(&pair);
    net_stop(pair.net);
    return 0;
}

// Nobody listens at port 1 of this host.
static int refused_lifeline_is_known(void)
{
    struct net_region region;
    struct pair pair = open_pair(&region);
    char address[NET_ADDRESS_MAX], host[NET_HOST_MAX];
    size_t bytes = net_address(pair.net, address);
    CHECK(net_lifeline_take(pair.net, address, bytes, 1, host) == NET_LIFELINE_REFUSED);
    CHECK(net_lifeline_take(pair.net, address, bytes, 0, host) == NET_NO_LIFELINE);
    return pair_close(&pair);
}

static int standing_still_is_no_error(void)
{
    struct net_region region;
    struct pair pair = open_pair(&region);
    if (pair.rank == 0) {
        struct net_counter counter = {0};
        struct net_access access = {1, true, local, 8, target, &counter};
        pair.net->connect_seconds = 3;
        CHECK(net_access(pair.net, &access) == 0 && access.bytes == 8);
        sleep(4);
        CHECK(write_once(&pair, target, 8) == 0);
    } else {
        sleep(4); // and does not answer
    }
    return pair_close(&pair);
}

int main(void)
{
    return bad_place_fails(true, false) || bad_place_fails(false, false) ||
           bad_place_fails(true, true) || bad_place_fails(false, true) ||
           killed_peer_fails() || peer_that_was_never_there_fails() ||
           refused_lifeline_is_known() || standing_still_is_no_error();
}
