// SPDX-License-Identifier: BSD-3-Clause
// errors_in_cxx: each error handler does in C++ what MPI-2.2 16.1.7 says, for
// communicators, windows and sessions; what a handler throws arrives at the caller.
#include "check.h"

#include <stdexcept>
#include <string>
#include <thread>

static void thrown_errors_have_code_class_and_text()
{
    MPI::Intracomm comm = MPI::COMM_WORLD.Dup();
    comm.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    bool is_thrown = false;
    try {
        comm.Send(MPI::BOTTOM, -1, MPI::INT, 0, 0);
    } catch (const MPI::Exception &error) {
        is_thrown = true;
        CHECK(error.Get_error_class() == MPI::ERR_COUNT);
        CHECK(MPI::Get_error_class(error.Get_error_code()) == MPI::ERR_COUNT);
        char text[MPI::MAX_ERROR_STRING];
        int length = 0;
        MPI::Get_error_string(error.Get_error_code(), text, length);
        CHECK(length > 0 && error.Get_error_string() == std::string(text));
        CHECK(error.what() == std::string(text));
    }
    CHECK(is_thrown);
    MPI::Intracomm copy = comm.Dup(); // has the handler, too
    is_thrown = false;
    try {
        copy.Split(-5, 0);
    } catch (const std::exception &) {
        is_thrown = true;
    }
    CHECK(is_thrown);
    copy.Free();
    comm.Free();
}

static void windows_and_sessions_throw()
{
    int memory = 0, thrown = 0;
    MPI::Win win = MPI::Win::Create(&memory, sizeof memory, sizeof memory,
                                    MPI::INFO_NULL, MPI::COMM_WORLD);
    win.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        win.Unlock(0);
    } catch (const MPI::Exception &error) {
        thrown += error.Get_error_class() == MPI::ERR_RMA_SYNC;
    }
    try {
        win.Call_errhandler(MPI::ERR_ARG);
    } catch (const MPI::Exception &error) {
        thrown += error.Get_error_code() == MPI::ERR_ARG;
    }
    win.Free();
    MPI::Session session =
        MPI::Session::Init(MPI::INFO_NULL, MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        session.Get_pset_info("there is no such set");
    } catch (const MPI::Exception &) {
        thrown++;
    }
    session.Finalize();
    CHECK(thrown == 3);
}

static void returned_errors_leave_the_results()
{
    MPI::Intracomm comm = MPI::COMM_WORLD.Dup();
    comm.Set_errhandler(MPI::ERRORS_RETURN);
    MPI::Request request = comm.Isend(MPI::BOTTOM, -1, MPI::INT, 0, 0);
    CHECK(request == MPI::REQUEST_NULL);
    CHECK(comm.Split(-5, 0) == MPI::COMM_NULL);
    comm.Free();
}

// ---- handlers of the program ----------------------------------------------------------
static int last_code;

static void remember(MPI::Comm &comm, int *code, ...)
{
    last_code = *code;
    CHECK(comm.Get_size() == MPI::COMM_WORLD.Get_size());
}

static void refuse(MPI::Win &, int *code, ...)
{
    throw std::out_of_range(code[0] == MPI::ERR_RANK ? "rank" : "else");
}

static void handlers_get_the_object_and_the_code()
{
    MPI::Intracomm comm = MPI::COMM_WORLD.Dup();
    MPI::Errhandler handler = MPI::Comm::Create_errhandler(remember);
    comm.Set_errhandler(handler);
    handler.Free();
    CHECK(handler == MPI::ERRHANDLER_NULL);
    comm.Send(MPI::BOTTOM, 0, MPI::INT, 0, -7);
    CHECK(last_code == MPI::ERR_TAG);
    comm.Call_errhandler(MPI::ERR_BUFFER);
    CHECK(last_code == MPI::ERR_BUFFER);
    MPI::Errhandler found = comm.Get_errhandler();
    MPI::COMM_SELF.Set_errhandler(found); // works on another object, too
    found.Free();
    MPI::COMM_SELF.Set_errhandler(MPI::ERRORS_ARE_FATAL);
    comm.Free();
}

static void handlers_throw_what_they_like()
{
    MPI::Win win = MPI::Win::Create_dynamic(MPI::INFO_NULL, MPI::COMM_WORLD);
    MPI::Errhandler handler = MPI::Win::Create_errhandler(refuse);
    win.Set_errhandler(handler);
    std::string said;
    try {
        win.Lock(MPI::LOCK_SHARED, -9, 0);
    } catch (const std::out_of_range &error) {
        said = error.what();
    }
    CHECK(said == "rank");
    win.Set_errhandler(MPI::ERRORS_ARE_FATAL);
    handler.Free();
    win.Free();
}

// An exception belongs to the thread that has called.
static void threads_do_not_share_exceptions()
{
    MPI::Intracomm comm = MPI::COMM_SELF.Dup();
    comm.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    auto fail = [&comm](int rounds, int *caught) {
        for (int i = 0; i < rounds; i++)
            try {
                comm.Send(MPI::BOTTOM, 0, MPI::INT, 0, -1);
            } catch (const MPI::Exception &) {
                ++*caught;
            }
    };
    int here = 0, there = 0;
    std::thread other(fail, 500, &there);
    fail(500, &here);
    other.join();
    CHECK(here == 500 && there == 500);
    comm.Free();
}

int main(int argc, char **argv)
{
    CHECK(MPI::Init_thread(argc, argv, MPI::THREAD_MULTIPLE) == MPI::THREAD_MULTIPLE);
    thrown_errors_have_code_class_and_text();
    windows_and_sessions_throw();
    returned_errors_leave_the_results();
    handlers_get_the_object_and_the_code();
    handlers_throw_what_they_like();
    threads_do_not_share_exceptions();
    MPI::Finalize();
    CHECK(MPI::Is_finalized());
    return failures != 0;
}
