// SPDX-License-Identifier: BSD-3-Clause
// errors_reach_their_handler: MPI-4.1 9.3 to 9.5.
// Needs the core. The C library's own lines are not wanted, so libdw is not found.

#include "check.h"
#include "object/object.h"

#include <oriel_core.h>
#include <string.h>
#include <sys/wait.h>

void *__wrap_dlopen(const char *name, int flags);

void *__wrap_dlopen(const char *name, int flags)
{
    (void)name, (void)flags;
    return NULL;
}

static struct communicator self = {.object.errhandler = &errors_are_fatal};
static struct communicator comm = {.object.errhandler = &errors_return};
static const struct call call = {"MPI_Test", KIND_COMM};
static const struct call call_without_object = {"MPI_Test", 0};

// What the handler below has been called with.
static uintptr_t handled;
static int handled_code, handled_count;

static void handle_error(MPI_Comm *handle, int *code, ...)
{
    handled = (uintptr_t)*handle;
    handled_code = *code;
    handled_count++;
}

static void texts_name_the_class_and_the_detail(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, class;
    CHECK(fail(MPI_ERR_RANK, "rank = %d: must be small", 9) == MPI_ERR_RANK);
    CHECK(oriel_error_string(MPI_ERR_RANK, text, &length) == 0);
    CHECK(strcmp(text, "MPI_ERR_RANK: rank is not valid: rank = 9: must be small") ==
          0);
    CHECK(length == (int)strlen(text));
    CHECK(oriel_error_string(MPI_ERR_TAG, text, &length) == 0);
    CHECK(strcmp(text, "MPI_ERR_TAG: tag is not valid") == 0);
    CHECK(oriel_error_string(MPI_SUCCESS, text, &length) == 0);
    CHECK(strcmp(text, "MPI_SUCCESS: no error") == 0);
    for (int code = 0; code <= MPI_ERR_ABI; code++)
        CHECK(oriel_error_class(code, &class) == 0 && class == code);
    for (int code = MPI_T_ERR_CANNOT_INIT; code <= MPI_T_ERR_PVAR_NO_ATOMIC; code++) {
        CHECK(oriel_error_class(code, &class) == 0 && class == code);
        CHECK(oriel_error_string(code, text, &length) == 0);
        CHECK(strncmp(text, "MPI_T_ERR_", 10) == 0 && strstr(text, ": ") != NULL);
    }
    CHECK(oriel_error_class(MPI_ERR_ABI + 1, &class) == MPI_ERR_ARG);
    CHECK(oriel_error_class(MPI_T_ERR_CANNOT_INIT - 1, &class) == MPI_ERR_ARG);
    CHECK(oriel_error_class(-1, &class) == MPI_ERR_ARG);
    CHECK(oriel_error_class(MPI_ERR_LASTCODE, &class) == MPI_ERR_ARG);
    CHECK(oriel_error_string(MPI_ERR_LASTCODE + 1, text, &length) == MPI_ERR_ARG);
}

static void programs_add_classes_codes_and_texts(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, code, other, found, length;
    CHECK(oriel_add_error_class(&class) == 0);
    CHECK(oriel_add_error_code(class, &code) == 0);
    CHECK(oriel_add_error_code(MPI_ERR_IO, &other) == 0);
    CHECK(class > MPI_ERR_LASTCODE && code > class && other > code);
    CHECK(oriel_error_class(class, &found) == 0 && found == class);
    CHECK(oriel_error_class(code, &found) == 0 && found == class);
    CHECK(oriel_error_class(other, &found) == 0 && found == MPI_ERR_IO);
    CHECK(oriel_error_string(code, text, &length) == 0 && length == 0 && !*text);
    CHECK(oriel_add_error_string(code, "too cold") == 0);
    CHECK(oriel_add_error_string(code, "too hot") == 0);
    CHECK(oriel_error_string(code, text, &length) == 0 && !strcmp(text, "too hot"));
    CHECK(oriel_add_error_string(MPI_ERR_IO, "mine") == MPI_ERR_ARG);
    CHECK(oriel_add_error_code(code, &other) == MPI_ERR_ARG);
    CHECK(oriel_add_error_code(other + 1, &other) == MPI_ERR_ARG);
}

static void programs_remove_what_they_added(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, code, again, found, length;
    CHECK(oriel_add_error_class(&class) == 0);
    CHECK(oriel_add_error_code(class, &code) == 0);
    CHECK(oriel_add_error_string(code, "too late") == 0);
    CHECK(oriel_remove_error_string(code) == 0);
    CHECK(oriel_error_string(code, text, &length) == 0 && length == 0);
    CHECK(oriel_remove_error_string(code) == MPI_ERR_ARG);
    CHECK(oriel_remove_error_class(class) == MPI_ERR_ARG);
    CHECK(oriel_remove_error_class(code) == MPI_ERR_ARG);
    CHECK(oriel_remove_error_code(class) == MPI_ERR_ARG);
    CHECK(oriel_remove_error_code(MPI_ERR_IO) == MPI_ERR_ARG);
    CHECK(oriel_add_error_string(code, "too late") == 0);
    CHECK(oriel_remove_error_code(code) == MPI_ERR_ARG);
    CHECK(oriel_error_string(code, text, &length) == 0 && length == 8);
    CHECK(oriel_remove_error_string(code) == 0);
    CHECK(oriel_remove_error_code(code) == 0);
    CHECK(oriel_error_class(code, &found) == MPI_ERR_ARG);
    CHECK(oriel_remove_error_code(code) == MPI_ERR_ARG);
    int last = objects.last_code;
    CHECK(oriel_add_error_code(class, &again) == 0 && again == code);
    CHECK(objects.last_code == last);
    CHECK(oriel_error_string(again, text, &length) == 0 && length == 0);
    CHECK(oriel_remove_error_code(again) == 0);
    CHECK(oriel_remove_error_class(class) == 0);
    CHECK(oriel_error_class(class, &found) == MPI_ERR_ARG);
}

static void a_handler_is_called_with_handle_and_code(void)
{
    struct errhandler *handler, *same;
    CHECK(oriel_comm_create_errhandler((generic_function *)handle_error, &handler) ==
          0);
    uintptr_t first = object_handle(handler);
    CHECK(oriel_comm_set_errhandler(&comm, handler) == 0);
    CHECK(oriel_errhandler_free(handler) == 0);
    CHECK(handle_object(KIND_ERRHANDLER, first) == NULL);
    CHECK(raise_error(&call, &comm, MPI_ERR_TAG) == MPI_ERR_TAG);
    CHECK(handled == object_handle(&comm) && handled_code == MPI_ERR_TAG);
    CHECK(oriel_comm_call_errhandler(&comm, MPI_ERR_IO) == 0);
    CHECK(handled_code == MPI_ERR_IO && handled_count == 2);
    CHECK(oriel_comm_get_errhandler(&comm, &same) == 0 && same == handler);
    CHECK(handle_object(KIND_ERRHANDLER, object_handle(same)) == handler);
    CHECK(oriel_errhandler_free(same) == 0);
    CHECK(oriel_comm_set_errhandler(&comm, &errors_return) == 0);
    CHECK(raise_error(&call, &comm, MPI_ERR_TAG) == MPI_ERR_TAG && handled_count == 2);
}

static void a_handler_is_for_one_kind_of_object(void)
{
    struct errhandler *handler;
    CHECK(oriel_win_create_errhandler((generic_function *)handle_error, &handler) == 0);
    CHECK(oriel_comm_set_errhandler(&comm, handler) == MPI_ERR_ERRHANDLER);
    CHECK(comm.object.errhandler == &errors_return);
    CHECK(oriel_errhandler_free(handler) == 0);
}

static void errors_without_object_go_to_self(void)
{
    struct errhandler *handler;
    int before = handled_count;
    CHECK(oriel_comm_create_errhandler((generic_function *)handle_error, &handler) ==
          0);
    CHECK(oriel_comm_set_errhandler(&self, handler) == 0);
    CHECK(raise_error(&call_without_object, &comm, MPI_ERR_ARG) == MPI_ERR_ARG);
    CHECK(raise_handle(&call, NULL, MPI_ERR_COMM, "comm", 77) == MPI_ERR_COMM);
    CHECK(handled_count == before + 2 && handled == (uintptr_t)MPI_COMM_SELF);
    CHECK(oriel_comm_set_errhandler(&self, &errors_are_fatal) == 0);
    CHECK(oriel_errhandler_free(handler) == 0);
}

// Runs `raise` in a child and checks its exit code and all that it prints.
static void dies(void (*raise)(void), int code, const char *expected)
{
    int pipes[2], status;
    CHECK(pipe(pipes) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        raise();
        _exit(0);
    }
    close(pipes[1]);
    char text[4096] = "";
    size_t length = 0;
    ssize_t count;
    while ((count = read(pipes[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)count;
    close(pipes[0]);
    CHECK(waitpid(child, &status, 0) == child);
    if (strcmp(text, expected) != 0)
        fprintf(stderr, "printed: %s", text);
    CHECK(strcmp(text, expected) == 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == code);
}

static void raise_rank(void)
{
    raise_argument(&call, &self, MPI_ERR_RANK, "target_rank", 9,
                   "must be a rank of the window's group (0..%d)", 3);
}

static void raise_stale(void)
{
    raise_handle(&call, NULL, MPI_ERR_WIN, "win", 0x400400);
}

static void raise_in_place(void)
{
    raise_address(&call, NULL, "origin_addr", "MPI_IN_PLACE");
}

static void raise_early(void)
{
    process.self = NULL;
    atomic_store(&process.state, PROCESS_NEW);
    raise_null(&call, NULL, "flag");
}

static void raise_late(void)
{
    process.self = NULL;
    atomic_store(&process.state, PROCESS_FINALIZED);
    raise_error(&call, NULL, MPI_ERR_OTHER);
}

static void fatal_handlers_print_one_line_and_end_the_job(void)
{
    dies(raise_rank, MPI_ERR_RANK,
         "oriel: rank 0: MPI_Test: target_rank = 9: must be a rank of the window's "
         "group "
         "(0..3) [MPI_ERR_RANK]\n");
    dies(raise_stale, MPI_ERR_WIN,
         "oriel: rank 0: MPI_Test: win = 0x400400: is a freed handle or was never one "
         "[MPI_ERR_WIN]\n");
    dies(raise_in_place, MPI_ERR_BUFFER,
         "oriel: rank 0: MPI_Test: origin_addr = MPI_IN_PLACE: this buffer cannot be "
         "that [MPI_ERR_BUFFER]\n");
    dies(raise_early, MPI_ERR_ARG,
         "oriel: rank 0: MPI_Test: flag = NULL: must be an address "
         "(MPI is not initialized) [MPI_ERR_ARG]\n");
    fail(MPI_ERR_ARG, "another class");
    dies(raise_late, MPI_ERR_OTHER,
         "oriel: rank 0: MPI_Test: error that no other class describes "
         "(MPI has been finalized) [MPI_ERR_OTHER]\n");
}

int main(void)
{
    CHECK(options_read(&process.options) == 0);
    CHECK(boot_start(&process.boot) == 0);
    CHECK(objects_start() == 0);
    atomic_store(&process.state, PROCESS_ACTIVE);
    object_open_predefined(&self.object, KIND_COMM, (uintptr_t)MPI_COMM_SELF);
    object_open_predefined(&comm.object, KIND_COMM, (uintptr_t)MPI_COMM_WORLD);
    process.self = &self;
    texts_name_the_class_and_the_detail();
    programs_add_classes_codes_and_texts();
    programs_remove_what_they_added();
    a_handler_is_called_with_handle_and_code();
    a_handler_is_for_one_kind_of_object();
    errors_without_object_go_to_self();
    fatal_handlers_print_one_line_and_end_the_job();
    objects_stop();
    return 0;
}
