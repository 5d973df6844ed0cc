/* SPDX-License-Identifier: MIT
 * Arrays of accelerating circles and walls in both precisions, and the calls of carom/toi_accelerated.h on them.
 */
#ifndef CAROM_TESTS_TOI_ACCELERATED_BATCH_H
#define CAROM_TESTS_TOI_ACCELERATED_BATCH_H

#include "test.h"

#include <float.h>

#include "quartic_cases.h"

enum { MOST = 4096, OBSTACLE = 4 };

static uint64_t seed;

/* Arrays of both precisions; each call converts the doubles to floats. */
static double in64[QUARTIC_INPUTS][MOST], wall64[OBSTACLE][MOST], out64[5][MOST];
static float in32[QUARTIC_INPUTS][MOST], wall32[OBSTACLE][MOST], out32[5][MOST];
static int32_t whole[MOST];

#define FOR_EACH_ISA(isa)                                                                                              \
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++)                                               \
        if (carom_isa_force(isa) == CAROM_OK)

static inline void put(size_t i, const double in[QUARTIC_INPUTS])
{
    for (int k = 0; k < QUARTIC_INPUTS; k++) {
        in64[k][i] = in[k];
    }
}

static inline void to_floats(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < QUARTIC_INPUTS; k++) {
            in32[k][i] = (float)in64[k][i];
        }
        for (int k = 0; k < OBSTACLE; k++) {
            wall32[k][i] = (float)wall64[k][i];
        }
    }
}

static inline void from_floats(size_t n)
{
    for (int k = 0; k < 5; k++) {
        for (size_t i = 0; i < n; i++) {
            out64[k][i] = (double)out32[k][i];
        }
    }
}

static inline carom_toi_motion_f32 motion32(void)
{
    return (carom_toi_motion_f32){in32[0], in32[1], in32[2], in32[3], in32[4], in32[5], in32[6]};
}

static inline carom_toi_motion_f64 motion64(void)
{
    return (carom_toi_motion_f64){in64[0], in64[1], in64[2], in64[3], in64[4], in64[5], in64[6]};
}

/* The answers of the first n motions, in out64[0]. */
static inline void times(bool single, carom_toi_quartic variant, size_t n, double limit)
{
    const carom_toi_motion_f32 m32 = motion32();
    const carom_toi_motion_f64 m64 = motion64();
    if (single) {
        to_floats(n);
        assert_int_equal(carom_toi_accelerated_f32(variant, n, &m32, (float)limit, out32[0]), CAROM_OK);
        from_floats(n);
    } else {
        assert_int_equal(carom_toi_accelerated_f64(variant, n, &m64, limit, out64[0]), CAROM_OK);
    }
}

typedef enum obstacle { LINE, POINT, SEGMENT, BOX, OBSTACLES } obstacle;

/* Hits in out64[0..2] and whole[]; of LINE roots in out64[0..3] and their number. */
static inline void hits(bool single, obstacle what, size_t n, double limit)
{
    const carom_toi_motion_f32 m32 = motion32();
    const carom_toi_motion_f64 m64 = motion64();
    carom_status status = CAROM_OK;
    if (single) {
        const carom_toi_points_f32 p = {wall32[0], wall32[1]};
        const carom_toi_segments_f32 s = {wall32[0], wall32[1], wall32[2], wall32[3]};
        const carom_toi_boxes_f32 b = {wall32[0], wall32[1], wall32[2], wall32[3]};
        const carom_toi_hits_f32 h = {out32[0], out32[1], out32[2], whole};
        float *const roots[4] = {out32[0], out32[1], out32[2], out32[3]};
        const float latest = (float)limit;
        to_floats(n);
        status = what == LINE      ? carom_toi_accelerated_line_roots_f32(n, &m32, &s, roots, whole)
                 : what == POINT   ? carom_toi_accelerated_point_f32(n, &m32, &p, latest, &h)
                 : what == SEGMENT ? carom_toi_accelerated_segment_f32(n, &m32, &s, latest, &h)
                                   : carom_toi_accelerated_box_f32(n, &m32, &b, latest, &h);
        from_floats(n);
    } else {
        const carom_toi_points_f64 p = {wall64[0], wall64[1]};
        const carom_toi_segments_f64 s = {wall64[0], wall64[1], wall64[2], wall64[3]};
        const carom_toi_boxes_f64 b = {wall64[0], wall64[1], wall64[2], wall64[3]};
        const carom_toi_hits_f64 h = {out64[0], out64[1], out64[2], whole};
        double *const roots[4] = {out64[0], out64[1], out64[2], out64[3]};
        status = what == LINE      ? carom_toi_accelerated_line_roots_f64(n, &m64, &s, roots, whole)
                 : what == POINT   ? carom_toi_accelerated_point_f64(n, &m64, &p, limit, &h)
                 : what == SEGMENT ? carom_toi_accelerated_segment_f64(n, &m64, &s, limit, &h)
                                   : carom_toi_accelerated_box_f64(n, &m64, &b, limit, &h);
    }
    assert_int_equal(status, CAROM_OK);
}

/* Equal within `ulps` units in the last place of the precision; infinities and NaN exactly. */
static inline bool close_to(bool single, double got, double expected, double ulps)
{
    if (isnan(expected) || isinf(expected) || expected == 0) {
        return isnan(expected) ? isnan(got) : got == expected;
    }
    return fabs(got - expected) <= ulps * (single ? (double)FLT_EPSILON : DBL_EPSILON) * fabs(expected);
}

#endif
