// SPDX-License-Identifier: BSD-3-Clause
// environment: error codes come and go, infos describe the process, the deprecated
// procedures of infos still work (MPI-4.1 9.1.2, 9.5, 10, 16.3).
#include "window_test.h"

#include <unistd.h>

static void error_codes_are_removed_and_used_again(void)
{
    int class, code, found, again, length;
    char text[MPI_MAX_ERROR_STRING];
    CHECK(MPI_Add_error_class(&class) == MPI_SUCCESS);
    CHECK(MPI_Add_error_code(class, &code) == MPI_SUCCESS);
    CHECK(MPI_Add_error_string(code, "too late") == MPI_SUCCESS);
    CHECK(MPI_Remove_error_string(code) == MPI_SUCCESS);
    CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS && length == 0);
    CHECK_CLASS(MPI_Remove_error_class(class), MPI_ERR_ARG); // it still has a code
    MPI_Add_error_string(code, "too late");
    CHECK_CLASS(MPI_Remove_error_code(code), MPI_ERR_ARG); // it still has a text
    CHECK(MPI_Remove_error_string(code) == MPI_SUCCESS);
    CHECK(MPI_Remove_error_code(code) == MPI_SUCCESS);
    CHECK_CLASS(MPI_Error_class(code, &found), MPI_ERR_ARG);
    CHECK(MPI_Remove_error_class(class) == MPI_SUCCESS);
    CHECK_CLASS(MPI_Remove_error_class(class), MPI_ERR_ARG);
    CHECK(MPI_Add_error_class(&again) == MPI_SUCCESS && again == class);
    CHECK(MPI_Remove_error_class(again) == MPI_SUCCESS);
}

static void check_value(MPI_Info info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL];
    int room = sizeof value, flag;
    CHECK(MPI_Info_get_string(info, key, &room, value, &flag) == MPI_SUCCESS);
    CHECK(flag && strcmp(value, expected) == 0);
}

static void versions_are_told(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int major, minor, length;
    MPI_Info info;
    CHECK(MPI_Get_version(&major, &minor) == MPI_SUCCESS);
    CHECK(major == MPI_VERSION && minor == MPI_SUBVERSION);
    CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS);
    CHECK(length > 0 && length == (int)strlen(text));
    CHECK(MPI_Abi_get_version(&major, &minor) == MPI_SUCCESS);
    CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
    CHECK(MPI_Abi_get_info(&info) == MPI_SUCCESS);
    check_value(info, "mpi_aint_size", sizeof(MPI_Aint) == 8 ? "8" : "4");
    check_value(info, "mpi_count_size", "8");
    MPI_Info_free(&info);
}

// The library knows the Fortran compiler, so that a program can ask but not tell
// (MPI-5.0 20.3).
static void fortran_is_described(void)
{
    MPI_Info info;
    int32_t yes = -1, no = -1, is_set;
    int64_t wide[3] = {-1, -1, -1};
    CHECK(MPI_Abi_get_fortran_info(&info) == MPI_SUCCESS);
    check_value(info, "mpi_integer_size", "4");
    check_value(info, "mpi_logical_size", "4");
    check_value(info, "mpi_double_precision_size", "8");
    check_value(info, "mpi_integer16_supported", "true");
    check_value(info, "mpi_double_complex_supported", "true");
    CHECK(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set) == MPI_SUCCESS);
    CHECK(is_set && yes == 1 && no == 0);
    CHECK(MPI_Abi_get_fortran_booleans(8, &wide[1], &wide[0], &is_set) == MPI_SUCCESS);
    CHECK(is_set && wide[1] == 1 && wide[0] == 0 && wide[2] == -1);
    CHECK(MPI_Abi_get_fortran_booleans(3, &yes, &no, &is_set) == MPI_SUCCESS);
    CHECK(!is_set && yes == 1);
    CHECK_CLASS(MPI_Abi_get_fortran_booleans(0, &yes, &no, &is_set), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(4, &yes, &no), MPI_ERR_ABI);
    MPI_Info_free(&info);
}

// What was asked for is told apart from what there is, which all objects support
// (MPI-4.1 11.4.3).
static void kinds_of_memory_are_told(void)
{
    static const char all[] =
        "system,mpi,mpi:alloc_mem,mpi:win_allocate,mpi:win_allocate_shared";
    int number;
    MPI_Info info;
    MPI_Session session;
    MPI_Win win;
    check_value(MPI_INFO_ENV, "mpi_memory_alloc_kinds", "system,lunar");
    MPI_Comm_get_info(MPI_COMM_WORLD, &info);
    check_value(info, "mpi_memory_alloc_kinds", all);
    MPI_Info_free(&info);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_get_info(session, &info);
    check_value(info, "mpi_memory_alloc_kinds", all);
    MPI_Info_free(&info);
    MPI_Session_finalize(&session);
    MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_info(win, &info);
    check_value(info, "mpi_memory_alloc_kinds", all);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
}

static void the_process_is_described(void)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length, level, is_main;
    CHECK(MPI_Get_processor_name(name, &length) == MPI_SUCCESS);
    CHECK(length > 0 && length == (int)strlen(name));
    CHECK(MPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_SINGLE);
    CHECK(MPI_Is_thread_main(&is_main) == MPI_SUCCESS && is_main);
}

// Nothing that MPI does here takes hours, and a tick is much shorter than a second.
static void time_goes_on(void)
{
    double begin = MPI_Wtime(), now = begin;
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
    while (now == begin)
        now = MPI_Wtime();
    CHECK(now > begin && now < begin + 3600);
}

static void an_info_describes_the_start(void)
{
    MPI_Info info;
    char *arguments[] = {"solver", "-n", "3", NULL};
    char folder[MPI_MAX_INFO_VAL], processes[16];
    CHECK(getcwd(folder, sizeof folder) != NULL);
    snprintf(processes, sizeof processes, "%d", size);
    CHECK(MPI_Info_create_env(3, arguments, &info) == MPI_SUCCESS);
    check_value(info, "command", "solver");
    check_value(info, "argv", "-n 3");
    check_value(info, "wdir", folder);
    check_value(info, "maxprocs", processes);
    MPI_Info_free(&info);
    CHECK(MPI_Info_create_env(0, NULL, &info) == MPI_SUCCESS);
    int flag, length;
    CHECK(MPI_Info_get_valuelen(info, "argv", &length, &flag) == MPI_SUCCESS && !flag);
    MPI_Info_free(&info);
}

// What MPI_Get_hw_resource_info names can guide MPI_Comm_split_type.
static void resources_guide_splits(void)
{
    MPI_Info resources, hint;
    MPI_Comm part;
    int count;
    CHECK(MPI_Get_hw_resource_info(&resources) == MPI_SUCCESS);
    CHECK(MPI_Info_get_nkeys(resources, &count) == MPI_SUCCESS && count > 0);
    for (int i = 0; i < count; i++) {
        char key[MPI_MAX_INFO_KEY];
        CHECK(MPI_Info_get_nthkey(resources, i, key) == MPI_SUCCESS);
        MPI_Info_create(&hint);
        MPI_Info_set(hint, "mpi_hw_resource_type", key);
        CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, hint,
                                  &part) == MPI_SUCCESS);
        CHECK(part != MPI_COMM_NULL);
        MPI_Comm_free(&part);
        MPI_Info_free(&hint);
    }
    MPI_Info_free(&resources);
}

static void duplicates_of_infos_are_their_own(void)
{
    MPI_Info info, twin;
    int flag, length;
    MPI_Info_create(&info);
    MPI_Info_set(info, "order", "random");
    CHECK(MPI_Info_dup(info, &twin) == MPI_SUCCESS);
    CHECK(MPI_Info_delete(info, "order") == MPI_SUCCESS);
    CHECK_CLASS(MPI_Info_delete(info, "order"), MPI_ERR_INFO_NOKEY);
    CHECK(MPI_Info_get_valuelen(info, "order", &length, &flag) == MPI_SUCCESS && !flag);
    check_value(twin, "order", "random");
    MPI_Info_free(&info);
    MPI_Info_free(&twin);
}

static void values_are_cut_to_the_length_given(void)
{
    MPI_Info info;
    char value[8];
    int flag, length;
    MPI_Info_create(&info);
    MPI_Info_set(info, "order", "random");
    CHECK(MPI_Info_get_valuelen(info, "order", &length, &flag) == MPI_SUCCESS);
    CHECK(flag && length == 6);
    memset(value, '#', sizeof value);
    CHECK(MPI_Info_get(info, "order", 6, value, &flag) == MPI_SUCCESS);
    CHECK(flag && strcmp(value, "random") == 0 && value[7] == '#');
    memset(value, '#', sizeof value);
    CHECK(MPI_Info_get(info, "order", 3, value, &flag) == MPI_SUCCESS);
    CHECK(flag && strcmp(value, "ran") == 0 && value[4] == '#');
    CHECK(MPI_Info_get(info, "chaos", 3, value, &flag) == MPI_SUCCESS && !flag);
    CHECK_CLASS(MPI_Info_get(info, "order", -1, value, &flag), MPI_ERR_ARG);
    MPI_Info_free(&info);
}

// A string without room may be NULL (MPI-4.1 10).
static void strings_with_room_are_needed(void)
{
    MPI_Info info;
    int flag, room = 0;
    MPI_Info_create(&info);
    MPI_Info_set(info, "order", "random");
    CHECK(MPI_Info_get_string(info, "order", &room, NULL, &flag) == MPI_SUCCESS);
    CHECK(flag && room == 7);
    CHECK_CLASS(MPI_Info_get_string(info, "order", &room, NULL, &flag), MPI_ERR_ARG);
    MPI_Info_free(&info);
}

// Our launcher tells the size of the job before MPI starts, and it is known at the end.
static void the_job_is_described(void)
{
    MPI_Info info;
    char text[16];
    int flag;
    CHECK(MPI_Info_create_env(0, NULL, &info) == MPI_SUCCESS);
    CHECK(MPI_Info_get(info, "maxprocs", sizeof text - 1, text, &flag) == MPI_SUCCESS);
    CHECK(flag && atoi(text) >= 1 && (size == 0 || atoi(text) == size));
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    MPI_Info early;
    char command[MPI_MAX_INFO_VAL];
    int flag;
    setenv("ORIEL_MEMORY_KINDS", "system,lunar", 1);
    CHECK(MPI_Info_create_env(argc, argv, &early) == MPI_SUCCESS);
    CHECK(MPI_Info_get(early, "command", sizeof command - 1, command, &flag) ==
          MPI_SUCCESS);
    CHECK(flag && strcmp(command, argv[0]) == 0);
    MPI_Info_free(&early);
    the_job_is_described();
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    versions_are_told();
    fortran_is_described();
    kinds_of_memory_are_told();
    the_process_is_described();
    time_goes_on();
    error_codes_are_removed_and_used_again();
    an_info_describes_the_start();
    resources_guide_splits();
    duplicates_of_infos_are_their_own();
    values_are_cut_to_the_length_given();
    strings_with_room_are_needed();
    CHECK(MPI_Pcontrol(1, "more", 2.0) == MPI_SUCCESS);
    MPI_Finalize();
    the_job_is_described();
}
