// SPDX-License-Identifier: BSD-3-Clause
// mpicxx_support.h: what the members of mpicxx.h are made of, and Exception.
//
// An error handler in C++ may throw, but not through the library, which is C: what it
// throws is kept until the C function has returned, and goes on from there.
#ifndef ORIEL_MPICXX_SUPPORT_H
#define ORIEL_MPICXX_SUPPORT_H

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

namespace MPI
{

// Thrown where ERRORS_THROW_EXCEPTIONS is the error handler (MPI-2.2 16.1.7).
class Exception : public std::exception
{
  public:
    explicit Exception(int error_code) : code(error_code)
    {
        int length;
        PMPI_Error_class(code, &error_class);
        PMPI_Error_string(code, string, &length);
    }
    int Get_error_code() const
    {
        return code;
    }
    int Get_error_class() const
    {
        return error_class;
    }
    const char *Get_error_string() const
    {
        return string;
    }
    const char *what() const noexcept override
    {
        return string;
    }

  private:
    int code, error_class = MPI_ERR_UNKNOWN;
    char string[MPI_MAX_ERROR_STRING] = "";
};

namespace detail
{

// ---- what libmpi_abi has for other languages (core/object/language.h) ----------------
typedef void Function(void); // a function of the program, whatever its arguments

extern "C" {
typedef void Errhandler_invoker(Function *, std::uintptr_t handle, int code);
void oriel_errhandler_invoker(std::uintptr_t errhandler, Errhandler_invoker *invoke);

typedef void Op_invoker(Function *, const void *in, void *inout, MPI_Count length,
                        std::uintptr_t datatype);
void oriel_op_invoker(std::uintptr_t op, Op_invoker *invoke);

struct Request_invokers {
    int (*query)(Function *, MPI_Aint *extra_state, MPI_Status *status);
    int (*free)(Function *, MPI_Aint *extra_state);
    int (*cancel)(Function *, MPI_Aint *extra_state, int complete);
};
void oriel_request_invokers(std::uintptr_t request, const Request_invokers *invoke,
                            MPI_Aint *variable);
}

// ---- errors --------------------------------------------------------------------------
// What an error handler has thrown. A pointer, because that costs nothing to look at.
inline thread_local std::exception_ptr *thrown = nullptr;

inline void keep_thrown()
{
    delete thrown; // a handler may have called MPI, and have failed twice
    thrown = new std::exception_ptr(std::current_exception());
}

inline void rethrow()
{
    if (thrown == nullptr)
        return;
    std::exception_ptr kept = *thrown;
    delete thrown;
    thrown = nullptr;
    std::rethrow_exception(kept);
}

// The code that a C function has returned. Without an exception the error handler has
// decided that the program goes on.
inline void check(int code)
{
    if (__builtin_expect(code != MPI_SUCCESS, 0))
        rethrow();
}

// ---- objects -------------------------------------------------------------------------
// What each class holds: a handle, or a status.
template <class C> class Held
{
  public:
    typedef C c_type;
    constexpr Held(C in_c) : held(in_c)
    {
    }
    operator C() const
    {
        return held;
    }
    C *c_address()
    {
        return &held;
    }
    const C *c_address() const
    {
        return &held;
    }

  protected:
    C held;
};

// An array of objects is one of what they hold.
template <class X> typename X::c_type *in_c(X array[])
{
    static_assert(std::is_standard_layout_v<X> &&
                  sizeof(X) == sizeof(typename X::c_type));
    return reinterpret_cast<typename X::c_type *>(array);
}
template <class X> const typename X::c_type *in_c(const X array[])
{
    return in_c(const_cast<X *>(array));
}

// An array of bools as ints, while a call lasts; what C has changed comes back then.
class Flags
{
  public:
    Flags(const bool bools[], int length) : count(bools && length > 0 ? length : 0)
    {
        if (bools != nullptr)
            ints = new int[static_cast<std::size_t>(count) + 1];
        for (int i = 0; i < count; i++)
            ints[i] = bools[i];
    }
    Flags(bool bools[], int length) : Flags(static_cast<const bool *>(bools), length)
    {
        changed = bools;
    }
    Flags(const Flags &) = delete;
    Flags &operator=(const Flags &) = delete;
    ~Flags()
    {
        for (int i = 0; changed != nullptr && i < count; i++)
            changed[i] = ints[i] != 0;
        delete[] ints;
    }
    operator int *() const
    {
        return ints;
    }

  private:
    int count, *ints = nullptr;
    bool *changed = nullptr;
};

// ---- functions of the program --------------------------------------------------------
// Members get an object of what they are given: its `in_c` says what C gets for each
// function and for the state, and `made` tells the library how to call the functions.

struct C_function {
    Function *function;
    template <class F> operator F *() const
    {
        return reinterpret_cast<F *>(function);
    }
};
template <class F> Function *plain(F *function)
{
    return reinterpret_cast<Function *>(function);
}
template <class C> std::uintptr_t code_of(C handle)
{
    return reinterpret_cast<std::uintptr_t>(handle);
}
template <class X> X object_of(std::uintptr_t handle)
{
    return X(reinterpret_cast<typename X::c_type>(handle));
}

template <class X> class Errhandler_functions
{
  public:
    typedef void Handler(X &, int *, ...);
    C_function in_c(Handler *handler) const
    {
        return {plain(handler)};
    }
    void made(MPI_Errhandler errhandler) const
    {
        oriel_errhandler_invoker(code_of(errhandler), invoke);
    }

  private:
    static void invoke(Function *handler, std::uintptr_t handle, int code)
    {
        try {
            X object = object_of<X>(handle);
            reinterpret_cast<Handler *>(handler)(object, &code);
        } catch (...) {
            keep_thrown();
        }
    }
};
template <class X> Errhandler_functions<X> functions(void (*)(X &, int *, ...))
{
    return {};
}

template <class N, class D> class Op_functions
{
  public:
    typedef void Combiner(const void *, void *, N, const D &);
    C_function in_c(Combiner *combiner) const
    {
        return {plain(combiner)};
    }
    void made(MPI_Op op) const
    {
        oriel_op_invoker(code_of(op), invoke);
    }

  private:
    static void invoke(Function *combiner, const void *in, void *inout,
                       MPI_Count length, std::uintptr_t datatype) noexcept
    {
        reinterpret_cast<Combiner *>(combiner)(in, inout, static_cast<N>(length),
                                               object_of<D>(datatype));
    }
};
template <class N, class D>
Op_functions<N, D> functions(void (*)(const void *, void *, N, const D &))
{
    return {};
}

template <class S> class Request_functions
{
  public:
    typedef int Query(void *, S &);
    typedef int Free(void *);
    typedef int Cancel(void *, bool);
    explicit Request_functions(void *extra_state) : state_in_c(extra_state)
    {
    }
    template <class F> C_function in_c(F *function) const
    {
        return {plain(function)};
    }
    void *in_c(void *) const
    {
        return state_in_c;
    }
    void made(MPI_Request request) const
    {
        static const Request_invokers invokers = {query, free, cancel};
        oriel_request_invokers(code_of(request), &invokers, nullptr);
    }

  private:
    static int query(Function *function, MPI_Aint *state, MPI_Status *status) noexcept
    {
        S result(*status);
        int code = reinterpret_cast<Query *>(function)(pointer(state), result);
        *status = result;
        return code;
    }
    static int free(Function *function, MPI_Aint *state) noexcept
    {
        return reinterpret_cast<Free *>(function)(pointer(state));
    }
    static int cancel(Function *function, MPI_Aint *state, int complete) noexcept
    {
        return reinterpret_cast<Cancel *>(function)(pointer(state), complete != 0);
    }
    static void *pointer(MPI_Aint *state)
    {
        return reinterpret_cast<void *>(*state);
    }
    void *state_in_c;
};
template <class S>
Request_functions<S> functions(int (*)(void *, S &), int (*)(void *),
                               int (*)(void *, bool), void *extra_state)
{
    return Request_functions<S>(extra_state);
}

// The functions of an attribute reach those of C++ by the extra state.
template <class X> class Attribute_functions
{
  public:
    typedef int Copy(const X &, int, void *, void *, void *, bool &);
    typedef int Drop(X &, int, void *, void *);
    Attribute_functions(Copy *copy, Drop *drop, void *extra_state)
        : state(keep(new State{copy, drop, extra_state, nullptr}))
    {
    }
    C_function in_c(Copy *copy) const
    {
        return {is_predefined(plain(copy)) ? plain(copy) : plain(copy_in_c)};
    }
    C_function in_c(Drop *drop) const
    {
        return {is_predefined(plain(drop)) ? plain(drop) : plain(drop_in_c)};
    }
    void *in_c(void *) const
    {
        return state;
    }
    void made(int) const
    {
    }

  private:
    struct State {
        Copy *copy;
        Drop *drop;
        void *extra_state;
        State *next;
    };
    typedef typename X::c_type Handle;

    // The constants are small numbers.
    static bool is_predefined(Function *function)
    {
        return reinterpret_cast<std::uintptr_t>(function) < 16;
    }
    // States stay in a list: an attribute may outlive its key, and nothing tells when the
    // last one is gone.
    static State *keep(State *state)
    {
        static std::atomic<State *> states;
        state->next = states.load();
        while (!states.compare_exchange_weak(state->next, state)) {
        }
        return state;
    }
    static int copy_in_c(Handle old, int keyval, void *state, void *value, void *copied,
                         int *flag) noexcept
    {
        const State *own = static_cast<State *>(state);
        bool is_copied = *flag != 0;
        int code =
            own->copy(X(old), keyval, own->extra_state, value, copied, is_copied);
        *flag = is_copied;
        return code;
    }
    static int drop_in_c(Handle handle, int keyval, void *value, void *state) noexcept
    {
        const State *own = static_cast<State *>(state);
        X object(handle);
        return own->drop(object, keyval, value, own->extra_state);
    }
    State *state;
};
template <class X>
Attribute_functions<X>
functions(int (*copy)(const X &, int, void *, void *, void *, bool &),
          int (*drop)(X &, int, void *, void *), void *extra_state)
{
    return Attribute_functions<X>(copy, drop, extra_state);
}

// ---- the error handler that throws ---------------------------------------------------
// A handler belongs to one kind of object; this one is made where it is given to one.
inline MPI_Errhandler throwing_errhandler()
{
    static char place;
    return reinterpret_cast<MPI_Errhandler>(&place);
}

template <class X> class Given_errhandler
{
  public:
    Given_errhandler(MPI_Errhandler errhandler)
        : handle(errhandler), is_made(errhandler == throwing_errhandler())
    {
        if (is_made)
            handle = X::Create_errhandler(throw_exception);
    }
    Given_errhandler(const Given_errhandler &) = delete;
    Given_errhandler &operator=(const Given_errhandler &) = delete;
    ~Given_errhandler()
    {
        if (is_made) // the object has it now
            PMPI_Errhandler_free(&handle);
    }
    operator MPI_Errhandler() const
    {
        return handle;
    }

  private:
    static void throw_exception(X &, int *code, ...)
    {
        throw Exception(*code);
    }
    MPI_Errhandler handle;
    bool is_made;
};

} // namespace detail
} // namespace MPI

#endif
