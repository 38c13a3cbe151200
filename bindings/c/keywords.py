# SPDX-License-Identifier: BSD-3-Clause
"""Words that cannot be names in mpi.h, which C and C++ read."""

C = frozenset(
    """_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn
    _Static_assert _Thread_local asm auto break case char const constexpr continue default
    do double else enum extern float for goto if inline int long register restrict return
    short signed sizeof static struct switch typedef typeof typeof_unqual union unsigned
    void volatile while""".split()
)
CXX = frozenset(
    """alignas alignof and and_eq bitand bitor bool catch char16_t char32_t char8_t class
    co_await co_return co_yield compl concept const_cast consteval constinit decltype
    delete dynamic_cast explicit export false friend mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public reinterpret_cast requires
    static_assert static_cast template this thread_local throw true try typeid typename
    using virtual wchar_t xor xor_eq""".split()
)


def reserved(name: str) -> str:
    """What the name is if no argument may have it, else ""."""
    if name in C:
        return "a keyword of C"
    return "a keyword of C++" if name in CXX else ""
