// SPDX-License-Identifier: BSD-3-Clause
// Source lines, by libdw of elfutils. The few functions that are used of it are declared
// here and the library is loaded when a line is first asked for, so that neither building
// nor running needs it otherwise.
#include "base/base.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { FRAMES_MAX = 64, TAG_INLINED_SUBROUTINE = 0x1d, TAG_SUBPROGRAM = 0x2e };

// Debugging information entry; its members are libdw's.
struct dw_entry {
    void *members[3];
    long padding;
};

struct dwfl_callbacks {
    void *find_elf, *find_debug_info, *section_address;
    char **path;
};

// Types of libdw are passed as void *. Its addresses have 64 bits.
struct debug_functions {
    void *(*begin)(const struct dwfl_callbacks *callbacks);
    void (*end)(void *dwfl);
    void (*report_begin)(void *dwfl);
    int (*report_process)(void *dwfl, pid_t process);
    int (*report_end)(void *dwfl, void *removed, void *argument);
    void *(*module_at)(void *dwfl, uint64_t address);
    const char *(*symbol_at)(void *module, uint64_t address);
    void *(*line_at)(void *module, uint64_t address);
    const char *(*line_info)(void *line, uint64_t *address, int *number, int *column,
                             uint64_t *modified, uint64_t *length);
    struct dw_entry *(*unit_at)(void *module, uint64_t address, uint64_t *bias);
    int (*scopes_at)(struct dw_entry *unit, uint64_t address, struct dw_entry **scopes);
    int (*tag_of)(struct dw_entry *entry);
    const char *(*name_of)(struct dw_entry *entry);
};

struct debug_info {
    pthread_mutex_t lock; // libdw is used by one thread at a time
    void *library;
    struct dwfl_callbacks callbacks;
    struct debug_functions functions;
    void *dwfl; // NULL: there is no library
};

static const struct {
    const char *name;
    size_t field; // its place in struct debug_info
} symbol_table[] = {
    {"dwfl_linux_proc_find_elf", offsetof(struct debug_info, callbacks.find_elf)},
    {"dwfl_build_id_find_debuginfo",
     offsetof(struct debug_info, callbacks.find_debug_info)},
    {"dwfl_begin", offsetof(struct debug_info, functions.begin)},
    {"dwfl_end", offsetof(struct debug_info, functions.end)},
    {"dwfl_report_begin", offsetof(struct debug_info, functions.report_begin)},
    {"dwfl_linux_proc_report", offsetof(struct debug_info, functions.report_process)},
    {"dwfl_report_end", offsetof(struct debug_info, functions.report_end)},
    {"dwfl_addrmodule", offsetof(struct debug_info, functions.module_at)},
    {"dwfl_module_addrname", offsetof(struct debug_info, functions.symbol_at)},
    {"dwfl_module_getsrc", offsetof(struct debug_info, functions.line_at)},
    {"dwfl_lineinfo", offsetof(struct debug_info, functions.line_info)},
    {"dwfl_module_addrdie", offsetof(struct debug_info, functions.unit_at)},
    {"dwarf_getscopes", offsetof(struct debug_info, functions.scopes_at)},
    {"dwarf_tag", offsetof(struct debug_info, functions.tag_of)},
    {"dwarf_diename", offsetof(struct debug_info, functions.name_of)},
};

// ---- the library -----------------------------------------------------------------
static bool symbols_find(struct debug_info *info)
{
    for (size_t i = 0; i < sizeof symbol_table / sizeof *symbol_table; i++) {
        void *symbol = dlsym(info->library, symbol_table[i].name);
        if (symbol == NULL)
            return false;
        memcpy((char *)info + symbol_table[i].field, &symbol, sizeof symbol);
    }
    return true;
}

static void debug_info_free(struct debug_info *info)
{
    if (info->dwfl != NULL)
        info->functions.end(info->dwfl);
    if (info->library != NULL)
        dlclose(info->library);
    pthread_mutex_destroy(&info->lock);
    free(info);
}

static struct debug_info *debug_info_open(void)
{
    struct debug_info *info = calloc(1, sizeof *info);
    if (info == NULL)
        return NULL;
    pthread_mutex_init(&info->lock, NULL);
    info->library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (info->library != NULL && symbols_find(info))
        info->dwfl = info->functions.begin(&info->callbacks);
    return info;
}

// It stays until the process ends, since lines are asked for after MPI_Finalize as well.
static struct debug_info *debug_info_get(void)
{
    struct debug_info *known = atomic_load(&process.debug_info);
    struct debug_info *made = known == NULL ? debug_info_open() : NULL;
    if (made == NULL ||
        atomic_compare_exchange_strong(&process.debug_info, &known, made))
        return made != NULL ? made : known;
    debug_info_free(made);
    return known;
}

// ---- lookups ---------------------------------------------------------------------
// The program may have loaded and unloaded libraries since the last lookup.
static void *module_find(struct debug_info *info, uint64_t address)
{
    info->functions.report_begin(info->dwfl);
    info->functions.report_process(info->dwfl, getpid());
    info->functions.report_end(info->dwfl, NULL, NULL);
    return info->functions.module_at(info->dwfl, address);
}

static void text_set(char *text, size_t bytes, const char *value)
{
    snprintf(text, bytes, "%s", value != NULL ? value : "");
}

// A module's procedure is __module_MOD_procedure to gfortran and _QMmodulePprocedure to
// flang.
static const char *procedure_of(const char *symbol)
{
    const char *end = NULL;
    if (symbol != NULL && strncmp(symbol, "_Q", 2) == 0)
        end = strrchr(symbol, 'P');
    else if (symbol != NULL && strncmp(symbol, "__", 2) == 0)
        end = strstr(symbol, "_MOD_");
    return end == NULL ? symbol : end + (*end == 'P' ? 1 : 5);
}

// The name in the source of the function that the address is in, also if it is inlined;
// not that of a module's procedure, since libdw does not look into modules.
static void find_name_in_source(const struct debug_functions *dw, void *module,
                                uint64_t address, struct source_line *found)
{
    uint64_t bias = 0;
    struct dw_entry *unit = dw->unit_at(module, address, &bias), *scopes = NULL;
    int count = unit != NULL ? dw->scopes_at(unit, address - bias, &scopes) : 0;
    for (int i = 0; i < count && found->function[0] == '\0'; i++) {
        int tag = dw->tag_of(&scopes[i]);
        if (tag == TAG_SUBPROGRAM || tag == TAG_INLINED_SUBROUTINE)
            text_set(found->function, sizeof found->function, dw->name_of(&scopes[i]));
    }
    free(scopes);
}

static void find_in_debug_info(struct debug_info *info, uint64_t address,
                               struct source_line *found)
{
    const struct debug_functions *dw = &info->functions;
    void *module = module_find(info, address);
    void *line = module != NULL ? dw->line_at(module, address) : NULL;
    if (line != NULL)
        text_set(found->file, sizeof found->file,
                 dw->line_info(line, NULL, &found->line, NULL, NULL, NULL));
    if (module != NULL)
        find_name_in_source(dw, module, address, found);
    if (module != NULL && found->function[0] == '\0')
        text_set(found->function, sizeof found->function,
                 procedure_of(dw->symbol_at(module, address)));
}

bool source_line_find(const void *address, struct source_line *found)
{
    Dl_info object = {0};
    *found = (struct source_line){.offset = (uintptr_t)address};
    if (dladdr(address, &object) != 0) {
        text_set(found->object, sizeof found->object, object.dli_fname);
        text_set(found->function, sizeof found->function, object.dli_sname);
        found->offset -= (uintptr_t)object.dli_fbase;
    }
    struct debug_info *info = debug_info_get();
    if (info == NULL || info->dwfl == NULL)
        return false;
    pthread_mutex_lock(&info->lock);
    found->function[0] = '\0'; // dladdr knows only what is exported
    find_in_debug_info(info, (uintptr_t)address, found);
    pthread_mutex_unlock(&info->lock);
    return found->line > 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *source_line_text(const void *address, char text[SOURCE_TEXT_BYTES])
{
    struct source_line found;
    bool has_line = source_line_find(address, &found);
    int used = has_line ? snprintf(text, SOURCE_TEXT_BYTES, "%.80s:%d",
                                   base_name(found.file), found.line)
                        : snprintf(text, SOURCE_TEXT_BYTES, "%.80s+0x%zx",
                                   base_name(found.object), found.offset);
    if (found.function[0] != '\0')
        snprintf(text + used, SOURCE_TEXT_BYTES - (size_t)used, " (%.80s)",
                 found.function);
    return text;
}

// ---- the call that is under way --------------------------------------------------
// The code of a static library has a section of its own in the program (OrielStatic.cmake),
// whose ends the linker names; shared libraries have no such section.
extern const char __start_oriel_code[] WEAK_AND_HIDDEN;
extern const char __stop_oriel_code[] WEAK_AND_HIDDEN;
extern const char __start_oriel_fortran_code[] WEAK_AND_HIDDEN;
extern const char __stop_oriel_fortran_code[] WEAK_AND_HIDDEN;

static bool is_between(const void *address, const char *start, const char *stop)
{
    return (uintptr_t)address - (uintptr_t)start < (size_t)(stop - start);
}

enum code_owner code_owner(const void *address)
{
    Dl_info own, object;
    if (is_between(address, __start_oriel_code, __stop_oriel_code))
        return CODE_OF_CORE;
    if (is_between(address, __start_oriel_fortran_code, __stop_oriel_fortran_code))
        return CODE_OF_LAYER;
    if (dladdr((void *)(uintptr_t)code_owner, &own) == 0 ||
        dladdr(address, &object) == 0)
        return CODE_OF_OTHERS;
    if (__start_oriel_code == NULL && object.dli_fbase == own.dli_fbase)
        return CODE_OF_CORE;
    return strncmp(base_name(object.dli_fname), "liboriel_", 9) == 0 ? CODE_OF_LAYER
                                                                     : CODE_OF_OTHERS;
}

bool code_owner_is_known(void)
{
    Dl_info own, program;
    return __start_oriel_code != NULL ||
           (dladdr((void *)(uintptr_t)code_owner, &own) != 0 &&
            dladdr((void *)getauxval(AT_ENTRY), &program) != 0 &&
            own.dli_fbase != program.dli_fbase);
}

const void *calling_address(void)
{
    void *frames[FRAMES_MAX]; // return addresses, which may be those of a next line
    int count = backtrace(frames, FRAMES_MAX), i = 0;
    while (i < count && code_owner((char *)frames[i] - 1) != CODE_OF_OTHERS)
        i++;
    return i < count ? (char *)frames[i] - 1 : NULL;
}

// Where the frames of the handler end.
static int frame_of(void *const frames[], int count, const void *instruction)
{
    int i = 0;
    while (i < count && frames[i] != instruction)
        i++;
    return i;
}

bool faults_below_core(const void *instruction)
{
    void *frames[FRAMES_MAX];
    int count = backtrace(frames, FRAMES_MAX), i = frame_of(frames, count, instruction);
    while (i < count && code_owner((char *)frames[i] - 1) != CODE_OF_CORE)
        i++;
    return i < count;
}

const void *faulting_call(const void *instruction, const void **entry)
{
    void *frames[FRAMES_MAX];
    enum code_owner owner;
    int count = backtrace(frames, FRAMES_MAX), i = frame_of(frames, count, instruction);
    *entry = NULL;
    if (i < count && code_owner(frames[i]) == CODE_OF_OTHERS)
        i++;
    for (; i < count; i++) {
        owner = code_owner((char *)frames[i] - 1);
        if (owner == CODE_OF_OTHERS)
            return (char *)frames[i] - 1;
        if (owner == CODE_OF_CORE)
            *entry = (char *)frames[i] - 1;
    }
    return NULL;
}

const void *calling_entry(void)
{
    void *frames[FRAMES_MAX];
    const void *entry = NULL;
    int count = backtrace(frames, FRAMES_MAX);
    for (int i = 0; i < count && code_owner((char *)frames[i] - 1) == CODE_OF_CORE; i++)
        entry = (char *)frames[i] - 1;
    return entry;
}

// An entry point that has a fast form leaves the rest to a function of its own.
const char *entry_text(const void *entry, char text[SOURCE_TEXT_BYTES])
{
    static const char fast_rest[] = "checked_";
    struct source_line found = {.function = ""};
    Dl_info exported = {0};
    dladdr(entry, &exported);
    if (exported.dli_sname == NULL)
        source_line_find(entry, &found);
    const char *name = exported.dli_sname != NULL ? exported.dli_sname : found.function;
    if (strncmp(name, fast_rest, sizeof fast_rest - 1) == 0)
        name += sizeof fast_rest - 1;
    if (strncmp(name, "PMPI_", 5) == 0)
        name++;
    snprintf(text, SOURCE_TEXT_BYTES, "%s",
             strncmp(name, "MPI_", 4) == 0 ? name : "a call");
    return text;
}
