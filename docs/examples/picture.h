// SPDX-License-Identifier: BSD-3-Clause
// Writes a field of numbers as a picture, for the examples.
#pragma once

// Writes field[row * columns + column], scaled from `low` (dark) to `high` (bright), as a
// PNG file; the first row is at the top. Returns 0, or 1 if the file cannot be written.
int write_picture(const char *file, const double *field, int columns, int rows,
                  double low, double high);
