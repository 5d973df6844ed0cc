/* SPDX-License-Identifier: MIT
 * The time of impact of two circles at 400 bits (GNU MPFR), and the error of an answer in f32 or f64 against it.
 *
 * The inputs are taken exactly. Sums of products of inputs are rounded once, to 400 bits, whatever their exponents: so
 * the signs of a, b, c and d are exact, and the roots have relative errors of some 2^-398; they are less accurate where
 * |p| / r is so large that 400 bits do not resolve the position at contact. Written from carom/toi.h, not from the
 * kernels.
 *
 * Condition. Where |q| = r with q = p + v t, small changes dp, dv, dr move t by
 *     dt = -(q.dp + t q.dv - r dr) / (q.v),
 * the differential of |p + v t|^2 = r^2. If each input moves by at most eps of its own amount, |dt| is at most eps
 * times
 *     S = (|qx px| + |qy py| + |t| (|qx vx| + |qy vy|) + r r) / |q.v|,
 * and S / |t| is the condition number of t. At a root q.v = -sqrt d (entry). An error of t in units of eps x condition
 * is |error| / (eps S), which also has a meaning where t is 0. eps is 2^-52 or 2^-23. None of these units, nor that of
 * positions, is less than the least positive number implies: a subnormal t cannot be more exact.
 */
#ifndef CAROM_TESTS_TOI_MPFR_TOI_H
#define CAROM_TESTS_TOI_MPFR_TOI_H

#include <carom/base.h>
#include <mpfr.h>

#define MPFR_TOI_BITS 400

/* Decisions about pairs with a distance from tangency, or from contact, below this many eps x max(|p|, r) may be wrong:
 * rounding the inputs moves them by as much. */
#define MPFR_TOI_BAND 4

/* The questions of toi.h. */
typedef enum toi_question {
    TOI_AHEAD,  /* most variants */
    TOI_TICK,   /* CAROM_TOI_NORMALISED */
    TOI_BEHIND, /* CAROM_TOI_BACKWARD */
    TOI_QUESTIONS
} toi_question;

typedef enum toi_kind { TOI_NAN, TOI_NEVER, TOI_NOW, TOI_ROOT } toi_kind; /* TOI_NOW: 0; TOI_ROOT: the entry */

/* A pair and its exact results. */
typedef struct exact_toi {
    double pair[5];
    carom_precision precision;
    bool has_nan, has_infinity; /* then all below is 0 or unset */
    bool moves, meets;          /* a > 0; and d >= 0: there are an entry and an exit, whatever their signs */
    int sign_b, sign_c;
    mpfr_t entry;        /* the earlier root, if `meets` */
    mpfr_t entry_spread; /* S there; +infinity at tangency */
    mpfr_t start_spread; /* S of contact at t = 0, if b is not 0 */
    mpfr_t extent;       /* max(|p|, r) */
    double gap, passing; /* |p| - r and, if `moves`, (distance of closest approach) - r, over the extent */
} exact_toi;

void exact_toi_init(exact_toi *x);
void exact_toi_clear(exact_toi *x);

/* pair: px, py, vx, vy, r; floats if f32. x is initialised. */
void exact_toi_solve(exact_toi *x, carom_precision precision, const double pair[5]);

toi_kind exact_toi_kind(const exact_toi *x, toi_question question);

/* The answer, rounded to the pair's precision. */
double exact_toi_time(const exact_toi *x, toi_question question);

typedef struct toi_verdict {
    bool hit;    /* by the exact answer */
    bool broken; /* the contract is: a NaN that no input has, none where one has, a time of the wrong sign (-0 too) */
    bool missed; /* an impact, or that there is contact already (exactly 0, answered by something else) */
    bool false_hit;   /* an impact that is none, or contact (0) where there is none yet */
    bool outside;     /* missed or false, and outside the band */
    bool timed;       /* the exact answer is a root and the answer finite: */
    double ulp;       /* the error of t in units in the last place of the exact one */
    double position;  /* ||p + v t| - r| / (eps max(|p|, r)) */
    double condition; /* the error of t in units of eps x condition; also where the exact answer is 0 */
} toi_verdict;

toi_verdict exact_toi_judge(const exact_toi *x, toi_question question, double answer);

#endif
