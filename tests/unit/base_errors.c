// SPDX-License-Identifier: BSD-3-Clause
// The detail of an error belongs to the thread that failed and may be built upon.
#include "check.h"

#include <pthread.h>
#include <string.h>

static void *fail_elsewhere(void *unused)
{
    int error_class;
    CHECK(strcmp(error_detail(&error_class), "") == 0 && error_class == 0);
    CHECK(fail(MPI_ERR_TAG, "tag %d", 7) == MPI_ERR_TAG);
    return unused;
}

int main(void)
{
    int error_class;
    CHECK(fail(MPI_ERR_RANK, "rank = %d", 9) == MPI_ERR_RANK);

    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, fail_elsewhere, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK(strcmp(error_detail(&error_class), "rank = 9") == 0);
    CHECK(error_class == MPI_ERR_RANK);

    const char *before = error_detail(&error_class);
    CHECK(fail(MPI_ERR_OTHER, "while opening: %s", before) == MPI_ERR_OTHER);
    CHECK(strcmp(error_detail(&error_class), "while opening: rank = 9") == 0);

    char endless[4 * MPI_MAX_ERROR_STRING];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    CHECK(fail(MPI_ERR_OTHER, "%s", endless) == MPI_ERR_OTHER);
    CHECK(strlen(error_detail(&error_class)) == MPI_MAX_ERROR_STRING - 1);
    return 0;
}
