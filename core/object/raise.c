// SPDX-License-Identifier: BSD-3-Clause
// The raising of errors (MPI-4.1 9.3): generated entry points call these, no one else.
#include "object/error_codes.h"
#include "object/returned.h"

#include <oriel_core.h>
#include <time.h>

enum { ERROR_NAME_BYTES = 48, OBJECT_TEXT_BYTES = MPI_MAX_OBJECT_NAME + 16 };

static const char *library_state(void)
{
    switch (atomic_load(&process.state)) {
    case PROCESS_NEW:
        return " (MPI is not initialized)";
    case PROCESS_FINALIZED:
        return " (MPI has been finalized)";
    default:
        return "";
    }
}

// The detail of the error, such as "target_rank = 9: must be a rank of the window's group
// (0..3) or MPI_PROC_NULL", and its name.
static void code_describe(int code, char text[MPI_MAX_ERROR_STRING],
                          char name[ERROR_NAME_BYTES])
{
    int detailed;
    const char *detail = error_detail(&detailed);
    if (code > 0 && is_error_class(code)) {
        bool has_detail = detailed == code && *detail != '\0';
        snprintf(text, MPI_MAX_ERROR_STRING, "%s",
                 has_detail ? detail : error_texts[code].text);
        snprintf(name, ERROR_NAME_BYTES, "%s", error_texts[code].name);
        return;
    }
    error_describe(code, text);
    snprintf(name, ERROR_NAME_BYTES, "error code %d", code);
}

// "window halo", or NULL if the program has given it no name.
static const char *object_name(const struct call *call, struct object *object,
                               char text[OBJECT_TEXT_BYTES])
{
    bool is_window = call->raised_on == KIND_WIN;
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;
    if (object == NULL || object->is_predefined)
        return NULL;
    if (is_window)
        oriel_win_get_name((struct window *)object, name, &length);
    else if (call->raised_on == KIND_COMM)
        oriel_comm_get_name((struct communicator *)object, name, &length);
    snprintf(text, OBJECT_TEXT_BYTES, "%s %s", is_window ? "window" : "communicator",
             name);
    return *name != '\0' ? text : NULL;
}

// A launcher that ends the job for a death names its cause; who only follows needs not. It
// comes late on a machine with much else to do.
static void await_end_of_job(void)
{
    enum { SECONDS = 2 };
    nanosleep(&(struct timespec){.tv_sec = SECONDS}, NULL);
}

static _Noreturn void call_die(const struct call *call, struct object *object, int code)
{
    char detail[MPI_MAX_ERROR_STRING], name[ERROR_NAME_BYTES];
    char text[MPI_MAX_ERROR_STRING + 64], about[OBJECT_TEXT_BYTES];
    code_describe(code, detail, name);
    snprintf(text, sizeof text, "%s%s", detail, library_state());
    if (code == MPI_ERR_PROC_ABORTED)
        await_end_of_job();
    finding_tell_error(name, calling_address(), call->name,
                       object_name(call, object, about), text);
    snprintf(text, sizeof text, "%s [%s]", detail, name);
    boot_abort(process.boot, code, text);
}

// Where this thread's next error is raised; kept alive for that.
static _Thread_local struct object *error_owner;

void raise_on(void *object)
{
    if (object != NULL)
        object_retain(object);
    object_release(error_owner);
    error_owner = object;
}

// The object of a call on a request or message may be gone; its owner is meant.
static bool has_handler(enum object_kind kind)
{
    return kind == KIND_COMM || kind == KIND_WIN || kind == KIND_SESSION;
}

static void return_note(const struct call *call, struct object *object, int code)
{
    char detail[MPI_MAX_ERROR_STRING], name[ERROR_NAME_BYTES];
    char reason[MPI_MAX_ERROR_STRING + 64], about[OBJECT_TEXT_BYTES];
    code_describe(code, detail, name);
    snprintf(reason, sizeof reason, "%s (%s)", name, detail);
    returned_error_note(call->name, object_name(call, object, about), code, reason);
}

static void errhandler_run(const struct call *call, const struct errhandler *handler,
                           struct object *object, uintptr_t handle, int error_class)
{
    if (handler->function == NULL && handler != &errors_return)
        call_die(call, object, error_class);
    if (handler->function != NULL)
        handler->invoke(handler->function, handle, error_class);
    else if (unlikely(process.options.analyses & ANALYSIS_ERRORS))
        return_note(call, object, error_class);
}

// Another thread may set another handler meanwhile.
static void run_of_object(const struct call *call, struct object *object,
                          int error_class)
{
    struct errhandler *handler = errhandler_of(object);
    errhandler_run(call, handler, object, object_handle(object), error_class);
    object_release(handler);
}

// The handle that a handler gets where there is no object yet.
static uintptr_t null_handle(enum object_kind kind)
{
    switch (kind) {
    case KIND_WIN:
        return (uintptr_t)MPI_WIN_NULL;
    case KIND_SESSION:
        return (uintptr_t)MPI_SESSION_NULL;
    default:
        return (uintptr_t)MPI_COMM_NULL;
    }
}

int raise_error(const struct call *call, void *raised_on, int error_class)
{
    struct object *object = has_handler(call->raised_on) ? raised_on : error_owner;
    const struct errhandler *given =
        call->raised_on == KIND_ERRHANDLER ? raised_on : NULL;
    if (object == NULL && process.self != NULL)
        object = &process.self->object;
    if (given != NULL)
        errhandler_run(call, given, NULL, null_handle(given->applies_to), error_class);
    else if (object != NULL)
        run_of_object(call, object, error_class);
    else
        call_die(call, NULL, error_class);
    raise_on(NULL);
    return error_class;
}

int raise_argument(const struct call *call, void *object, int error_class,
                   const char *argument, intmax_t value, const char *rule, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    va_list arguments;
    va_start(arguments, rule);
    vsnprintf(text, sizeof text, rule, arguments);
    va_end(arguments);
    fail(error_class, "%s = %jd: %s", argument, value, text);
    return raise_error(call, object, error_class);
}

// The names that say more than the numbers of the ABI.
static const char *null_name(uintptr_t handle)
{
    static const struct {
        uintptr_t handle;
        const char *name;
    } nulls[] = {
        {(uintptr_t)MPI_COMM_NULL, "MPI_COMM_NULL"},
        {(uintptr_t)MPI_GROUP_NULL, "MPI_GROUP_NULL"},
        {(uintptr_t)MPI_WIN_NULL, "MPI_WIN_NULL"},
        {(uintptr_t)MPI_INFO_NULL, "MPI_INFO_NULL"},
        {(uintptr_t)MPI_ERRHANDLER_NULL, "MPI_ERRHANDLER_NULL"},
        {(uintptr_t)MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL"},
        {(uintptr_t)MPI_OP_NULL, "MPI_OP_NULL"},
        {(uintptr_t)MPI_REQUEST_NULL, "MPI_REQUEST_NULL"},
        {(uintptr_t)MPI_MESSAGE_NULL, "MPI_MESSAGE_NULL"},
        {(uintptr_t)MPI_SESSION_NULL, "MPI_SESSION_NULL"},
    };
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (nulls[i].handle == handle)
            return nulls[i].name;
    return NULL;
}

int raise_handle(const struct call *call, void *object, int error_class,
                 const char *argument, uintptr_t handle)
{
    static const uintptr_t highest_code = 1023;
    const char *name = null_name(handle);
    if (*library_state() != '\0' && handle <= highest_code)
        fail(error_class, "must be called between MPI_Init and MPI_Finalize");
    else if (name != NULL)
        fail(error_class, "%s = %s: is a null handle", argument, name);
    else
        fail(error_class, "%s = %#jx: %s", argument, (uintmax_t)handle,
             handle <= highest_code ? "is of the wrong kind"
                                    : "is a freed handle or was never one");
    return raise_error(call, object, error_class);
}

int raise_null(const struct call *call, void *object, const char *argument)
{
    fail(MPI_ERR_ARG, "%s = NULL: must be an address", argument);
    return raise_error(call, object, MPI_ERR_ARG);
}

int raise_address(const struct call *call, void *object, const char *argument,
                  const char *constant)
{
    fail(MPI_ERR_BUFFER, "%s = %s: this buffer cannot be that", argument, constant);
    return raise_error(call, object, MPI_ERR_BUFFER);
}

int oriel_fail(int error_class, const char *text)
{
    return fail(error_class, "%s", text);
}

int oriel_raise(const struct call *call, uintptr_t handle, int error_class)
{
    return raise_error(call, handle_object(call->raised_on, handle), error_class);
}
