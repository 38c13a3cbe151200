// SPDX-License-Identifier: BSD-3-Clause
// Types of numbers that Fortran has and C has only by names of its compilers.
#pragma once

__extension__ typedef __int128 int128_t;
__extension__ typedef _Float16 float16_t;
__extension__ typedef _Float16 _Complex complex_float16_t;
#if defined(__clang__)
__extension__ typedef __float128 float128_t;
typedef _Complex float complex_float128_t __attribute__((mode(TC)));
#else
__extension__ typedef _Float128 float128_t;
__extension__ typedef _Float128 _Complex complex_float128_t;
#endif
