// SPDX-License-Identifier: BSD-3-Clause
// The transcript, the objects behind handles, and all else that entry points and the
// Fortran layer need of a core but its functions.
#include "echo.h"
#include "unusual.h"

#include <stdlib.h>
#include <string.h>

struct process process = {.state = PROCESS_ACTIVE, .options.check = CHECK_FULL};
struct objects objects;

enum {
    OBJECTS = 16,
    OF_SECTION = OBJECTS - 1,
    FIRST_HANDLE = HANDLE_GENERATION + 1024 // generation 1, no ABI code
};
static const char *const kind_names[KIND_COUNT] = {
    [KIND_COMM] = "COMM",
    [KIND_GROUP] = "GROUP",
    [KIND_WIN] = "WIN",
    [KIND_INFO] = "INFO",
    [KIND_DATATYPE] = "DATATYPE",
    [KIND_ERRHANDLER] = "ERRHANDLER",
    [KIND_OP] = "OP",
    [KIND_REQUEST] = "REQUEST",
    [KIND_MESSAGE] = "MESSAGE",
    [KIND_SESSION] = "SESSION",
};

// ---- objects -------------------------------------------------------------------------
static union {
    struct object object;
    struct communicator communicator;
    struct group group;
    struct window window;
    struct datatype datatype;
} placed[KIND_COUNT][OBJECTS];

static enum object_kind kind_of(const char *name)
{
    for (int kind = 1; kind < KIND_COUNT; kind++)
        if (kind_names[kind] && strcmp(kind_names[kind], name) == 0)
            return kind;
    printf("no kind of object is called %s\n", name);
    exit(1);
}

static void set_slot(enum object_kind kind, struct object *object, uintptr_t handle)
{
    object->handle = (uint32_t)handle;
    objects.of[kind].handles[handle & (HANDLE_SLOTS - 1)] = handle;
    objects.of[kind].objects[handle & (HANDLE_SLOTS - 1)] = object;
}

static struct topology topologies[OBJECTS];

__attribute__((constructor)) static void place_objects(void)
{
    for (int kind = 1; kind < KIND_COUNT; kind++)
        for (int i = 0; i < OBJECTS; i++) {
            struct object *object = &placed[kind][i].object;
            object->is_predefined = 3 <= i && i <= 5;
            set_slot(kind, object, FIRST_HANDLE + (uintptr_t)(kind * OBJECTS + i));
        }
    for (int kind = 0; kind < KIND_COUNT; kind++)
        objects.of[kind].handles[0] = FIRST_HANDLE - 1; // 0 is none
    for (int i = 0; i < OBJECTS; i++) {
        struct window *window = &placed[KIND_WIN][i].window;
        epoch_init(&window->epoch);
        window->self = (struct peer *)&nobody;
        placed[KIND_COMM][i].communicator.peers = &placed[KIND_GROUP][i].group;
        placed[KIND_COMM][i].communicator.size = 20 + 4 * i;
        placed[KIND_COMM][i].communicator.rank = 1;
        placed[KIND_COMM][i].communicator.topology = &topologies[i];
        topologies[i].ndims = 3 + i;
        topologies[i].in_degree = 5 + i;
        topologies[i].out_degree = 7 + i;
        placed[KIND_GROUP][i].group.size = 20 + 4 * i;
        placed[KIND_WIN][i].window.size_of_group = 20 + 4 * i;
        placed[KIND_DATATYPE][i].datatype.is_committed = i != 6;
    }
}

uintptr_t echo_handle_of(const char *kind, int number)
{
    return FIRST_HANDLE + (uintptr_t)(kind_of(kind) * OBJECTS + number);
}

void *echo_object_of(const char *kind, int number)
{
    return handle_object(kind_of(kind), echo_handle_of(kind, number));
}

void echo_place(const char *kind, uintptr_t handle)
{
    static struct object constants[64];
    static int used;
    struct object *object = &constants[used++ % 64];
    object->is_predefined = true;
    set_slot(kind_of(kind), object, handle);
}

// ---- the transcript ------------------------------------------------------------------
static struct {
    intmax_t results;
    int has_objects, error;
    int (*memory)[ECHO_ROWS];
    generic_function *own[64];
} now;
static int own_memory[ECHO_COLUMNS][ECHO_ROWS];

void echo_memory(int memory[ECHO_COLUMNS][ECHO_ROWS])
{
    now.memory = memory;
}

int *echo_column(int column)
{
    return now.memory[column];
}

void echo_own_function(int number, generic_function *function)
{
    now.own[number] = function;
}

void echo_call(const char *entry, intmax_t results, int has_objects, int error)
{
    printf("call %s\n", entry);
    now.results = results;
    now.has_objects = has_objects;
    now.error = error;
    if (!now.memory)
        now.memory = own_memory;
    for (int column = 0; column < ECHO_COLUMNS; column++)
        for (int row = 0; row < ECHO_ROWS; row++)
            now.memory[column][row] = 100 * column + row;
}

void echo_core(const char *name)
{
    printf("core %s\n", name);
}

void echo_number(const char *verb, const char *name, intmax_t value)
{
    printf("%s %s %jd\n", verb, name, value);
}

void echo_real(const char *verb, const char *name, double value)
{
    printf("%s %s %g\n", verb, name, value);
}

void echo_text(const char *verb, const char *name, const char *text)
{
    printf("%s %s [%s]\n", verb, name, text ? text : "(null)");
}

static void print_handle(uintptr_t handle)
{
    uintptr_t index = handle - FIRST_HANDLE;
    if (index < KIND_COUNT * OBJECTS)
        printf(" %s %d", kind_names[index / OBJECTS], (int)(index % OBJECTS));
    else
        printf(" %jd", (intmax_t)handle);
}

void echo_handle(const char *verb, const char *name, uintptr_t handle)
{
    printf("%s %s", verb, name);
    print_handle(handle);
    printf("\n");
}

void echo_object(const char *name, const void *object)
{
    if (object)
        echo_handle("saw", name, object_handle(object));
    else
        printf("saw %s nothing\n", name);
}

void echo_status(const char *verb, const char *name, const MPI_Status *status)
{
    const int *numbers = (const int *)status;
    if (!status)
        return;
    printf("%s %s", verb, name);
    for (size_t i = 0; i < sizeof *status / sizeof *numbers; i++)
        printf(" %d", numbers[i]);
    printf("\n");
}

void echo_function(const char *name, generic_function *function)
{
    for (int i = 0; i < 64; i++)
        if (now.own[i] && now.own[i] == function) {
            printf("saw %s own %d\n", name, i);
            return;
        }
    echo_number("saw", name, (intptr_t)function);
}

void echo_column_text(int column)
{
    printf("got buffer %d", column);
    for (int row = 0; row < ECHO_ROWS; row++)
        printf(" %d", now.memory[column][row]);
    printf("\n");
}

// ---- results -------------------------------------------------------------------------
intmax_t echo_result(int position)
{
    return now.results + 10 * position;
}

int echo_has_objects(void)
{
    return now.has_objects;
}

int echo_error(void)
{
    return now.error;
}

void *echo_result_object(enum object_kind kind, int position)
{
    return now.has_objects ? &placed[kind][7 + position % 8] : NULL;
}

uintptr_t echo_result_handle(enum object_kind kind, int position)
{
    return object_handle(&placed[kind][7 + position % 8]);
}

void echo_give_status(MPI_Status *status, int position, int index)
{
    int *numbers = (int *)status;
    if (!status)
        return;
    for (size_t i = 0; i < sizeof *status / sizeof *numbers; i++)
        numbers[i] = (int)echo_result(position) + index + (int)i;
}

void echo_string(char *string, int position)
{
    if (string) // NULL where the program only asks for its length
        sprintf(string, "result %d", position);
}

void echo_buffer(const char *name, const void *address, bool is_changed, int position)
{
    intptr_t offset = (intptr_t)address - (intptr_t)now.memory;
    if ((uintptr_t)address < 4096) {
        printf("saw %s address %jd\n", name, (intmax_t)address);
    } else if (0 <= offset && offset < (intptr_t)sizeof own_memory) {
        int index = (int)(offset / (intptr_t)sizeof(int));
        printf("saw %s buffer %d + %d\n", name, index / ECHO_ROWS, index % ECHO_ROWS);
    } else {
        int *copy = (int *)address;
        printf("saw %s copy %d %d %d\n", name, copy[0], copy[1], copy[2]);
        for (int i = 0; is_changed && i < 3; i++)
            copy[i] = (int)echo_result(position) + i;
    }
}

// ---- errors --------------------------------------------------------------------------
static int raised(const struct call *call, const void *object, int error_class)
{
    printf("raised %d by %s for %s on", error_class, call->name,
           call->raised_on ? kind_names[call->raised_on] : "self");
    if (object)
        print_handle(object_handle(object));
    else
        printf(" nothing");
    printf("\n");
    return error_class;
}

int raise_error(const struct call *call, void *object, int error_class)
{
    return raised(call, object, error_class);
}

int raise_argument(const struct call *call, void *object, int error_class,
                   const char *argument, intmax_t value, const char *rule, ...)
{
    (void)rule;
    echo_handle("bad", argument, (uintptr_t)value);
    return raised(call, object, error_class);
}

int raise_handle(const struct call *call, void *object, int error_class,
                 const char *argument, uintptr_t handle)
{
    echo_handle("bad", argument, handle);
    return raised(call, object, error_class);
}

int raise_null(const struct call *call, void *object, const char *argument)
{
    echo_text("bad", argument, NULL);
    return raised(call, object, MPI_ERR_ARG);
}

int raise_address(const struct call *call, void *object, const char *argument,
                  const char *constant)
{
    echo_text("bad", argument, constant);
    return raised(call, object, MPI_ERR_BUFFER);
}

int fail(int error_class, const char *format, ...)
{
    (void)format;
    return error_class;
}

const char *error_detail(int *error_class)
{
    *error_class = 0;
    return "";
}

int oriel_fail(int error_class, const char *text)
{
    return fail(error_class, "%s", text);
}

int oriel_raise(const struct call *call, uintptr_t handle, int error_class)
{
    bool has_object = call->raised_on != 0;
    return raised(call, has_object ? handle_object(call->raised_on, handle) : NULL,
                  error_class);
}

// ---- for the Fortran layer ------------------------------------------------------------
int oriel_section_open(struct typed_buffer *buffer, const struct section *section,
                       MPI_Count count, MPI_Datatype type)
{
    printf("section of %jd bytes", (intmax_t)section->element_bytes);
    for (int i = 0; i < section->rank; i++)
        printf(", %jd by %jd", (intmax_t)section->dimension[i].extent,
               (intmax_t)section->dimension[i].stride);
    printf(": %jd of", (intmax_t)count);
    print_handle((uintptr_t)type);
    printf("\n");
    struct open_section *opened = malloc(sizeof *opened);
    opened->whole = (MPI_Datatype)echo_handle_of("DATATYPE", OF_SECTION);
    atomic_init(&opened->users, 1);
    *buffer = (struct typed_buffer){buffer->address, 1, opened->whole, opened};
    return 0;
}

int oriel_vector_open(struct typed_buffer *buffer, MPI_Count element_bytes,
                      MPI_Count count, MPI_Datatype type, MPI_Count extent,
                      MPI_Aint stride)
{
    struct section section = {element_bytes, 1, {{extent, stride}}};
    return oriel_section_open(buffer, &section, count, type);
}

void oriel_section_drop(struct open_section *opened)
{
    echo_handle("closed", "section", (uintptr_t)opened->whole);
    free(opened);
}

static void print_ends(struct numbers numbers, int count)
{
    printf(" %jd to %jd", (intmax_t)number_at(numbers, 0),
           (intmax_t)number_at(numbers, count - 1));
}

int oriel_demand_check(const struct demand *demand, const char *name, MPI_Count bytes)
{
    int blocks = demand->blocks;
    printf("%s of %jd bytes: %d of", name, (intmax_t)bytes, blocks);
    if (demand->counts.at)
        print_ends(demand->counts, blocks);
    else
        printf(" %jd", (intmax_t)demand->count);
    print_handle((uintptr_t)(demand->types ? demand->types[0] : demand->type));
    if (demand->types)
        print_handle((uintptr_t)demand->types[blocks - 1]);
    if (demand->displacements.at)
        print_ends(demand->displacements, blocks);
    printf("\n");
    return 0;
}

// A copy of elements in one dimension, in which it also says where they are.
struct section_copy {
    struct section section;
    char *at;
    char bytes[];
};

static void copy_elements(struct section_copy *copy, bool is_back)
{
    size_t bytes = (size_t)copy->section.element_bytes;
    char *element = copy->at, *packed = copy->bytes;
    for (MPI_Count i = 0; i < copy->section.dimension[0].extent; i++) {
        memcpy(is_back ? element : packed, is_back ? packed : element, bytes);
        element += copy->section.dimension[0].stride;
        packed += bytes;
    }
}

int oriel_copy_make(struct kept_buffer *buffer, const struct section *section,
                    const struct demand *demand, const char *name)
{
    MPI_Count bytes = section->element_bytes * section->dimension[0].extent;
    struct section_copy *copy = malloc(sizeof *copy + (size_t)bytes);
    copy->section = *section;
    copy->at = buffer->address;
    copy_elements(copy, false);
    *buffer = (struct kept_buffer){copy->bytes, copy};
    return oriel_demand_check(demand, name, bytes);
}

// An operation ends here when it has begun.
void oriel_copy_close(struct section_copy *copy, bool is_changed)
{
    if (is_changed)
        copy_elements(copy, true);
    free(copy);
}

void oriel_copy_keep(struct section_copy *copy, bool is_changed, MPI_Request request)
{
    echo_handle("kept", "by", (uintptr_t)request);
    oriel_copy_close(copy, is_changed);
}

bool oriel_is_root(uintptr_t comm, int root)
{
    return communicator_is_root(handle_object(KIND_COMM, comm), root);
}

int oriel_own_rank(uintptr_t comm)
{
    return ((const struct communicator *)handle_object(KIND_COMM, comm))->rank;
}

void oriel_datatype_is_small(uintptr_t datatype)
{
    echo_handle("small", "is", datatype);
}

void oriel_errhandler_invoker(uintptr_t errhandler, errhandler_invoker *invoke)
{
    echo_handle(invoke ? "invoker" : "none", "of", errhandler);
}

void oriel_op_invoker(uintptr_t op, op_invoker *invoke)
{
    echo_handle(invoke ? "invoker" : "none", "of", op);
}

void oriel_request_invokers(uintptr_t request, const struct grequest_invokers *invoke,
                            MPI_Aint *variable)
{
    bool are_all = invoke->query && invoke->free && invoke->cancel && variable;
    echo_handle(are_all ? "invoker" : "none", "of", request);
}

void oriel_keyval_invokers(int keyval, copy_invoker *copy, delete_invoker *drop)
{
    echo_number(copy && drop ? "invokers" : "none", "of", keyval);
}

void oriel_attribute_is_integer(enum object_kind kind, uintptr_t handle, int keyval,
                                MPI_Aint value)
{
    printf("integer in %s", kind_names[kind]);
    print_handle(handle);
    printf(" %d %jd\n", keyval, (intmax_t)value);
}

// One more than the pointer, so that the caller is seen to use it.
MPI_Aint oriel_attribute_integer(enum object_kind kind, uintptr_t handle, int keyval,
                                 void *value)
{
    printf("integer of %s", kind_names[kind]);
    print_handle(handle);
    printf(" %d %jd\n", keyval, (intmax_t)value);
    return (MPI_Aint)value + 1;
}
