/* SPDX-License-Identifier: MIT
 * A build without cairo: pictures are SVG only.
 */
#include "paint.h"

bool picture_can_paint(void)
{
    return false;
}

_Noreturn static void die(void)
{
    carom_die("this build draws SVG only: it was made without cairo (Debian: libcairo2-dev)");
}

bool picture_png(const picture *p, FILE *file)
{
    (void)p;
    (void)file;
    die();
}

void picture_pixels(const picture *p, unsigned char *pixels)
{
    (void)p;
    (void)pixels;
    die();
}
