// SPDX-License-Identifier: BSD-3-Clause
// requests_are_valid_in_each_state: a request that completes, one that is abandoned, and a
// persistent one; what is wrong with a request is noticed. Needs the core.

#include "check.h"
#include "object/object.h"

#define NOTICED(member, wrong) CHECK_NOTICED(request_is_valid(&request), member, wrong)

static int destroyed;

static void destroy(struct object *object)
{
    request_clear((struct request *)object);
    destroyed++;
}

static int start(struct request *request)
{
    CHECK(request_is_valid(request) && !request_is_complete(request));
    return 0;
}

static const struct request_kind kind = {.start = start};
static const struct request_kind kind_that_must_end = {.must_end = true};

static void a_request_is_active_until_it_is_finished(void)
{
    struct request request;
    MPI_Request handle = NULL;
    MPI_Status status;
    request_init(&request, &kind, NULL, destroy);
    CHECK(object_open(&request.object, KIND_REQUEST) == 0);
    CHECK(request_is_valid(&request));
    request_complete(&request, MPI_ERR_TRUNCATE);
    CHECK(request_is_valid(&request) && request_is_complete(&request));
    CHECK(request_finish(&request, &handle, &status) == MPI_ERR_TRUNCATE);
    CHECK(handle == MPI_REQUEST_NULL && destroyed == 1);
}

static void an_abandoned_request_ends_by_itself(void)
{
    struct request request;
    request_init(&request, &kind, NULL, destroy);
    request.is_abandoned = true;
    CHECK(request_is_valid(&request));
    request_complete(&request, 0);
    CHECK(destroyed == 2);
}

static void what_is_wrong_with_a_request_is_noticed(void)
{
    struct request request;
    request_init(&request, &kind, NULL, destroy);
    NOTICED(request.kind, NULL);
    NOTICED(request.is_active, false); // it is not persistent
    NOTICED(request.error, MPI_ERR_TRUNCATE);
    NOTICED(request.is_told, true);
    NOTICED(request.object.references, 0);
    request_complete(&request, MPI_ERR_TRUNCATE);
    NOTICED(request.error, MPI_ERR_LASTCODE + 1);
    NOTICED(request.is_complete, false);
    NOTICED(request.is_told, true); // nobody asks that of its kind
    request.kind = &kind_that_must_end;
    request.is_told = request.is_persistent = true;
    CHECK(request_is_valid(&request));
    request.is_active = false;
    CHECK(request_is_valid(&request));
}

int main(void)
{
    struct boot boot = {.size = 1};
    process.boot = &boot;
    CHECK(objects_start() == 0);
    a_request_is_active_until_it_is_finished();
    an_abandoned_request_ends_by_itself();
    what_is_wrong_with_a_request_is_noticed();
    CHECK(request_is_valid(&request_done));
    objects_stop();
    return 0;
}
