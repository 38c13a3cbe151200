// SPDX-License-Identifier: BSD-3-Clause
// base: what every layer may use. No MPI semantics, no network, no segments. One header
// per subject; this one includes them all.
//
// Glossary
//   process   the one global of the library; each layer hangs its state there
//   detail    what exactly was wrong, with the values; kept per thread until the
//             entry point raises the error handler
//   option    a setting read once from an ORIEL_ environment variable
#pragma once

#include <mpi.h> // constants, MPI_Aint, MPI_Count, MPI_Status: types only, no calls
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/atomic.h"
#include "base/carrier_times.h"
#include "base/clock.h"
#include "base/color.h"
#include "base/compiler.h"
#include "base/copy.h"
#include "base/counter.h"
#include "base/error.h"
#include "base/event.h"
#include "base/fault.h"
#include "base/finding.h"
#include "base/futex.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/option.h"
#include "base/process.h"
#include "base/rule.h"
#include "base/source_line.h"
#include "base/spelling.h"
#include "base/start.h"
#include "base/thread.h"
