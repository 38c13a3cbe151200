// SPDX-License-Identifier: BSD-3-Clause
// Mistakes in names of settings, of keys and of their values.
#include "mistakes.h"

void misspelt_variable(bool wrong)
{
    setenv(wrong ? "ORIEL_CHEKC" : "ORIEL_CHECK", "full", 1);
    MPI_Init(NULL, NULL); // mistake: unknown-setting "did you mean ORIEL_CHECK?"
    MPI_Finalize();
}
