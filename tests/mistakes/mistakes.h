// SPDX-License-Identifier: BSD-3-Clause
// The corpus: pairs of programs, wrong and right, that differ by one line. Each function
//
//     // run: -n 3 -env ORIEL_CHECK races      (of mpiexec; without it: -n 2)
//     void its_name(bool wrong)
//
// is a whole program; where the process itself accesses memory that is not there, a line
// "may end by a signal" stands above it, too. At the line of each call that a report must name stands what that
// must be: the rule, or the class of the error, and words of the text if they matter:
//
//     MPI_Put(...); // mistake: rule-name "words"
//
// A comment that has a line of its own is about the next one.
//
// The right one must say nothing and end with 0. test_mistakes.py reads and runs them.
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
