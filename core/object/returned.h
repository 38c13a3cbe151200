// SPDX-License-Identifier: BSD-3-Clause
// Errors that calls have returned, with ORIEL_CHECK=errors. object.h has what tells them.
#pragma once

#include "object/object.h"

// A call has returned an error of this code, for this reason. The object may be NULL.
void returned_error_note(const char *call, const char *object, int code,
                         const char *reason);
// The program has asked for the class or the text of this code.
void returned_errors_seen(int code);
