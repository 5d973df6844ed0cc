/* SPDX-License-Identifier: MIT
 * Pictures of a laboratory: disks coloured by psi6, the order of the directions to their neighbours.
 */
#include "lab/lab.h"

#include <carom/measures.h>

#include "base/fpenv.h"
#include "base/memory.h"
#include "picture/picture.h"

#include <math.h>
#include <stdio.h>

#define MARGIN 0.02 /* around the box, as a share of its width */

/* The order of the disks at one time. */
typedef struct order {
    double *re, *im; /* psi6 of each disk, in one block of memory that starts at re */
    double whole;    /* |mean of psi6| */
} order;

static carom_status measure(carom_lab *lab, order *o)
{
    const carom_lab_info *i = &lab->info;
    const carom_region box = {i->x0, i->y0, i->width, i->height, i->periodic_x, i->periodic_y};
    o->re = carom_memory_take(2 * i->bodies * sizeof *o->re);
    if (o->re == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    o->im = o->re + i->bodies;
    carom_lab_read(lab);
    const carom_status status = carom_measure_order(&box, i->bodies, lab->now.x, lab->now.y, false, o->re, o->im, NULL);
    if (status != CAROM_OK) {
        carom_memory_release(o->re);
        return status;
    }

    double re = 0, im = 0;
    for (size_t k = 0; k < i->bodies; k++) {
        re += o->re[k];
        im += o->im[k];
    }
    o->whole = sqrt(re * re + im * im) / (double)i->bodies;
    return CAROM_OK;
}

/* ---- colours ---- */

/* 0 to 4 once around the circle, without any function of the C library whose last bit may differ between machines. */
static double around(double re, double im)
{
    const double sum = fabs(re) + fabs(im), part = sum > 0 ? im / sum : 0;
    return re >= 0 ? (part >= 0 ? part : 4 + part) : 2 - part;
}

/* The share of a primary colour at a hue in [0, 4), which is greatest at `at`. */
static double primary(double hue, double at)
{
    const double apart = fabs(hue - at), nearest = fmin(apart, 4 - apart);
    return fmin(fmax(2 - 1.5 * nearest, 0), 1);
}

/* The direction of psi6 is the hue, its absolute value the saturation. */
static colour colour_of(double re, double im)
{
    const double amount = fmin(sqrt(re * re + im * im), 1), hue = around(re, im);
    colour mixed = 0;
    for (int k = 0; k < 3; k++) {
        const double part = 0.72 + amount * (0.1 + 0.85 * primary(hue, k * 4.0 / 3) - 0.72);
        mixed = mixed << 8 | (colour)(fmin(part, 1) * 255 + 0.5);
    }
    return mixed << 8 | 255;
}

/* ---- the picture ---- */

static carom_status size_of(const carom_lab *lab, const carom_picture_desc *desc, carom_look_view *view,
                            uint32_t *height)
{
    const carom_lab_info *i = &lab->info;
    if (desc->width < CAROM_PICTURE_LEAST || desc->width > CAROM_PICTURE_MOST || desc->width % 2 != 0 ||
        !(i->width > 0 && i->height > 0)) {
        return CAROM_ERROR_VALUE;
    }
    const double edge = MARGIN * i->width;
    *view = (carom_look_view){
        .x0 = i->x0 - edge, .y0 = i->y0 - edge, .x1 = i->x0 + i->width + edge, .y1 = i->y0 + i->height + edge};
    const double field = 2 * ceil(desc->width * (view->y1 - view->y0) / (view->x1 - view->x0) / 2 - 1e-6);
    const double whole = field + (desc->captions ? CAPTION_HEIGHT / 2 : 0);
    if (!(whole >= CAROM_PICTURE_LEAST && whole <= CAROM_PICTURE_MOST)) {
        return CAROM_ERROR_VALUE;
    }
    *height = (uint32_t)whole;
    return CAROM_OK;
}

static void draw_box(const carom_lab_info *i, const mapping *m, picture *p, colour stroke)
{
    const double x0 = to_x(m, i->x0), x1 = to_x(m, i->x0 + i->width);
    const double y0 = to_y(m, i->y0), y1 = to_y(m, i->y0 + i->height);
    carom_mark_line(p, x0, y0, x1, y0, stroke, 1.5);
    carom_mark_line(p, x1, y0, x1, y1, stroke, 1.5);
    carom_mark_line(p, x1, y1, x0, y1, stroke, 1.5);
    carom_mark_line(p, x0, y1, x0, y0, stroke, 1.5);
}

static carom_status draw(carom_lab *lab, const carom_picture_desc *desc, picture *p)
{
    carom_look_view view;
    uint32_t height;
    order o;
    carom_status status = size_of(lab, desc, &view, &height);
    status = status == CAROM_OK ? measure(lab, &o) : status;
    if (status != CAROM_OK) {
        return status;
    }

    const carom_lab_info *i = &lab->info;
    const theme *colours = &carom_themes[desc->dark ? 1 : 0];
    const mapping m = carom_picture_map(&view, desc->width);
    char said[96];
    snprintf(said, sizeof said, "%zu disks, time %.6g, |psi6| of all %.3f", i->bodies, carom_lab_clock(lab), o.whole);
    carom_marks_begin(p, desc->width, height, colours->ground, said);
    draw_box(i, &m, p, colours->style[CAROM_LOOK_WALL]);
    for (size_t k = 0; k < i->bodies; k++) {
        const colour of = colour_of(o.re[k], o.im[k]);
        carom_mark_circle(p, to_x(&m, lab->now.x[k]), to_y(&m, lab->now.y[k]), i->radii[k] * m.scale, of,
                          carom_picture_pale(colours->text, 0.5), 0.5);
    }
    if (desc->captions) {
        carom_mark_text(p, 10, height - 10.0, 13, -1, colours->text, said);
    }

    carom_memory_release(o.re);
    if (p->failed) {
        carom_marks_free(p);
        return CAROM_ERROR_MEMORY;
    }
    return CAROM_OK;
}

static bool is_asked(const carom_lab *lab, const carom_picture_desc *desc)
{
    return lab != NULL && desc != NULL && desc->size == sizeof *desc;
}

carom_status carom_lab_picture_size(const carom_lab *lab, const carom_picture_desc *desc, uint32_t *width,
                                    uint32_t *height)
{
    carom_look_view view;
    if (!is_asked(lab, desc) || width == NULL || height == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    const carom_status status = size_of(lab, desc, &view, height);
    fp_end(caller);
    *width = status == CAROM_OK ? desc->width : *width;
    return status;
}

carom_status carom_lab_picture_pixels(carom_lab *lab, const carom_picture_desc *desc, uint8_t *rgb)
{
    picture p;
    if (!is_asked(lab, desc) || rgb == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    const carom_status status = draw(lab, desc, &p);
    if (status == CAROM_OK) {
        carom_marks_rgb(&p, rgb);
        carom_marks_free(&p);
    }
    fp_end(caller);
    return status;
}

carom_status carom_lab_picture_svg(carom_lab *lab, const carom_picture_desc *desc, char **text)
{
    picture p;
    if (text == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *text = NULL;
    if (!is_asked(lab, desc)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    carom_status status = draw(lab, desc, &p);
    if (status == CAROM_OK) {
        size_t size;
        *text = carom_marks_svg(&p, &size);
        carom_marks_free(&p);
        status = *text == NULL ? CAROM_ERROR_MEMORY : CAROM_OK;
    }
    fp_end(caller);
    return status;
}
