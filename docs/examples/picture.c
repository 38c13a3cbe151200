// SPDX-License-Identifier: BSD-3-Clause
// Writes a field of numbers as a PNG file through libpng's simplified interface.
#include "picture.h"

#include <png.h>
#include <stdlib.h>

// Colours between which a value is interpolated, from cold to hot.
static const double palette[][3] = {
    {0.05, 0.03, 0.20}, {0.25, 0.05, 0.45}, {0.65, 0.15, 0.40},
    {0.93, 0.40, 0.20}, {0.99, 0.75, 0.25}, {1.00, 1.00, 0.85},
};
enum { STEPS = sizeof palette / sizeof palette[0] - 1 };

static void colour(double value, unsigned char pixel[3])
{
    double place = (value < 0 ? 0 : value > 1 ? 1 : value) * STEPS;
    int step = place < STEPS ? (int)place : STEPS - 1;
    for (int k = 0; k < 3; k++) {
        double from = palette[step][k], to = palette[step + 1][k];
        pixel[k] = (unsigned char)(255 * (from + (place - step) * (to - from)) + 0.5);
    }
}

int write_picture(const char *file, const double *field, int columns, int rows,
                  double low, double high)
{
    size_t cells = (size_t)columns * (size_t)rows;
    unsigned char *pixels = malloc(3 * cells);
    if (!pixels)
        return 1;
    for (size_t i = 0; i < cells; i++)
        colour((field[i] - low) / (high - low), pixels + 3 * i);

    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)columns,
                       .height = (png_uint_32)rows,
                       .format = PNG_FORMAT_RGB};
    int written = png_image_write_to_file(&image, file, 0, pixels, 0, NULL);
    free(pixels);
    return written ? 0 : 1;
}
