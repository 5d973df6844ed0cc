/* SPDX-License-Identifier: MIT
 * Rays, and circles that move along one, against circles, edges and rings: lane by lane against answers at 256 bits
 * (GNU MPFR). Compiled like a kernel, once per instruction set and precision; exits with 77 if this machine cannot run
 * it. CAROM_TEST_LONG: 10^7 rays of each kind.
 *
 * Half of the rays pass a rim or an end by a little. An answer of hit or miss may be wrong only if they pass within 16
 * eps S of it, and a distance is within 16 eps S / q, as toi/ray.h says. A circle against an edge is checked in
 * reverse: its answer must be between the exact ones for radii that are larger and smaller by 16 eps S.
 */
#include "test.h"

#include <mpfr.h>

#include "tests/simd/this_isa.h"
#include "toi/ray_arc.h"

#define EPSILON (CAROM_REAL_BITS == 64 ? DBL_EPSILON : (double)FLT_EPSILON)
#define BOUND 16 /* in eps S, or eps S / q */
#define BITS 256
#define NEAREST MPFR_RNDN

static uint64_t rng;

/* ---- exact numbers ---- */

typedef struct exact {
    mpfr_t o[2], u[2], a[2], b[2], e[2]; /* start, unit vector; seen from the start: centre or ends; b - a */
    mpfr_t t, q, h, s, v;
} exact;

static exact x;

SET_UP
{
    needs_this_isa();
    mpfr_set_default_prec(BITS);
    mpfr_inits2(BITS, x.o[0], x.o[1], x.u[0], x.u[1], x.a[0], x.a[1], x.b[0], x.b[1], x.e[0], x.e[1], x.t, x.q, x.h,
                x.s, x.v, (mpfr_ptr)0);
}

TEAR_DOWN
{
    mpfr_clears(x.o[0], x.o[1], x.u[0], x.u[1], x.a[0], x.a[1], x.b[0], x.b[1], x.e[0], x.e[1], x.t, x.q, x.h, x.s, x.v,
                (mpfr_ptr)0);
    mpfr_free_cache();
}

static void norm(mpfr_ptr to, mpfr_t v[2])
{
    mpfr_fmma(to, v[0], v[0], v[1], v[1], NEAREST);
    mpfr_sqrt(to, to, NEAREST);
}

/* The start and the direction, made a unit vector. */
static void set_ray(const double ray[4])
{
    for (int k = 0; k < 2; k++) {
        mpfr_set_d(x.o[k], ray[k], NEAREST);
        mpfr_set_d(x.u[k], ray[2 + k], NEAREST);
    }
    norm(x.t, x.u);
    mpfr_div(x.u[0], x.u[0], x.t, NEAREST);
    mpfr_div(x.u[1], x.u[1], x.t, NEAREST);
}

static void set_seen(mpfr_t to[2], const double at[2])
{
    for (int k = 0; k < 2; k++) {
        mpfr_set_d(to[k], at[k], NEAREST);
        mpfr_sub(to[k], to[k], x.o[k], NEAREST);
    }
}

/* The exact results for a ray and an obstacle. */
typedef struct truth {
    double distance; /* INFINITY: missed */
    double size;     /* S */
    double q;
    double passing; /* how far the ray passes from where it would be just met */
} truth;

/* In t: half of the chord that a circle of radius r cuts out of a line at the distance h from its centre. Returns its
 * share of r. */
static double half_chord(double r)
{
    mpfr_d_sub(x.t, r, x.h, NEAREST);
    mpfr_add_d(x.s, x.h, r, NEAREST);
    mpfr_mul(x.t, x.t, x.s, NEAREST);
    mpfr_sqrt(x.t, x.t, NEAREST);
    mpfr_div_d(x.q, x.t, r, NEAREST);
    return mpfr_get_d(x.q, NEAREST);
}

/* A circle around `centre`, as seen from the start. */
static truth true_disc(mpfr_t centre[2], double r)
{
    truth is = {(double)INFINITY, 0, 1, 0};
    norm(x.s, centre);
    mpfr_fmms(x.h, centre[0], x.u[1], centre[1], x.u[0], NEAREST);
    mpfr_fmma(x.v, centre[0], x.u[0], centre[1], x.u[1], NEAREST);
    mpfr_sub_d(x.t, x.s, r, NEAREST);
    const double gap = mpfr_get_d(x.t, NEAREST);
    is.size = fmax(mpfr_get_d(x.s, NEAREST), r);

    mpfr_abs(x.h, x.h, NEAREST);
    mpfr_sub_d(x.t, x.h, r, NEAREST);
    is.passing = fmin(fabs(mpfr_get_d(x.t, NEAREST)), fabs(gap));
    if (gap <= 0) {
        is.distance = 0;
    } else if (mpfr_sgn(x.v) > 0 && mpfr_sgn(x.t) <= 0) {
        /* v - sqrt(r^2 - h^2), where v is p.u */
        is.q = half_chord(r);
        mpfr_sub(x.t, x.v, x.t, NEAREST);
        is.distance = mpfr_get_d(x.t, NEAREST);
    }
    return is;
}

/* The edge a, b as seen from the start, by a ray. */
static truth true_edge(void)
{
    truth is = {(double)INFINITY, 0, 1, 0};
    norm(x.s, x.a);
    norm(x.t, x.b);
    const double far_a = mpfr_get_d(x.s, NEAREST), far_b = mpfr_get_d(x.t, NEAREST);
    is.size = fmin(far_a, far_b);

    mpfr_fmms(x.h, x.u[0], x.a[1], x.u[1], x.a[0], NEAREST);
    mpfr_fmms(x.v, x.u[0], x.b[1], x.u[1], x.b[0], NEAREST);
    const double a = mpfr_get_d(x.h, NEAREST), b = mpfr_get_d(x.v, NEAREST);
    norm(x.s, x.e);
    const double length = mpfr_get_d(x.s, NEAREST);
    mpfr_fmms(x.q, x.u[0], x.e[1], x.u[1], x.e[0], NEAREST);
    mpfr_fmms(x.t, x.a[0], x.e[1], x.a[1], x.e[0], NEAREST);
    const double height = fabs(mpfr_get_d(x.t, NEAREST)) / length;
    mpfr_div(x.t, x.t, x.q, NEAREST);
    const double t = mpfr_get_d(x.t, NEAREST);

    is.q = fabs(mpfr_get_d(x.q, NEAREST)) / length;
    const double passing = fmin(fmin(fabs(a) / far_a, fabs(b) / far_b), height / is.size); /* each has its own S */
    if (fmin(a, b) <= 0 && fmax(a, b) >= 0 && t >= 0) {
        is.distance = t;
        is.size = fmax(is.size, t);
    }
    is.passing = passing * is.size;
    return is;
}

/* The edge a, b, met by a circle of radius w > 0: the distance alone. */
static double true_capsule(double w)
{
    const truth a = true_disc(x.a, w), b = true_disc(x.b, w);
    double best = fmin(a.distance, b.distance);

    /* The long sides, each a line that is met at the height w, where the foot is within the edge. */
    norm(x.s, x.e);
    mpfr_fmms(x.h, x.a[0], x.e[1], x.a[1], x.e[0], NEAREST); /* height of the start times |e|; falls by u x e */
    mpfr_fmms(x.q, x.u[0], x.e[1], x.u[1], x.e[0], NEAREST);
    if (mpfr_sgn(x.h) < 0) {
        mpfr_neg(x.h, x.h, NEAREST);
        mpfr_neg(x.q, x.q, NEAREST);
    }
    mpfr_mul_d(x.t, x.s, w, NEAREST);
    mpfr_sub(x.t, x.h, x.t, NEAREST);
    if (mpfr_sgn(x.t) <= 0) {
        mpfr_set_d(x.t, 0, NEAREST);
    } else if (mpfr_sgn(x.q) > 0) {
        mpfr_div(x.t, x.t, x.q, NEAREST);
    } else {
        return best;
    }
    mpfr_fmma(x.v, x.u[0], x.e[0], x.u[1], x.e[1], NEAREST);
    mpfr_mul(x.v, x.v, x.t, NEAREST);
    mpfr_fmma(x.h, x.a[0], x.e[0], x.a[1], x.e[1], NEAREST);
    mpfr_fmma(x.q, x.b[0], x.e[0], x.b[1], x.e[1], NEAREST);
    if (mpfr_cmp(x.v, x.h) >= 0 && mpfr_cmp(x.v, x.q) <= 0) {
        best = fmin(best, mpfr_get_d(x.t, NEAREST));
    }
    return best;
}

/* ---- random rays ---- */

static real random_real(double low, double high)
{
    return (real)rng_in(&rng, low, high);
}

/* A factor in [-1.5, 1.5], often close to 1 or -1. */
static double aim(void)
{
    const double near = 1 + rng_in(&rng, -1, 1) * ldexp(1, -rng_below(&rng, CAROM_REAL_BITS == 64 ? 50 : 22));
    return rng_one_in(&rng, 2) ? rng_in(&rng, -1.5, 1.5) : rng_one_in(&rng, 2) ? near : -near;
}

/* A length between 2^-8 and 2^8. */
static double random_size(void)
{
    return ldexp(rng_in(&rng, 1, 2), rng_below(&rng, 16) - 8);
}

typedef struct lanes_of {
    real ox[LANES], oy[LANES], ux[LANES], uy[LANES], w[LANES];
    real ax[LANES], ay[LANES], bx[LANES], by[LANES], r[LANES];
    real t[LANES], near[LANES];
} lanes_of;

/* A ray that passes (x, y) at `aside` to its left. */
static void aim_ray(lanes_of *l, int k, double px, double py, double aside)
{
    const double dx = px - (double)l->ox[k], dy = py - (double)l->oy[k], length = hypot(dx, dy);
    l->ux[k] = (real)(dx - aside * dy / length);
    l->uy[k] = (real)(dy + aside * dx / length);
}

static void fill(lanes_of *l)
{
    for (int k = 0; k < LANES; k++) {
        const double size = random_size();
        l->ox[k] = random_real(-size, size);
        l->oy[k] = random_real(-size, size);
        l->ax[k] = random_real(-size, size);
        l->ay[k] = random_real(-size, size);
        const double other = rng_one_in(&rng, 3) ? random_size() : size;
        l->bx[k] = (real)((double)l->ax[k] + rng_in(&rng, -other, other));
        l->by[k] = (real)((double)l->ay[k] + rng_in(&rng, -other, other));
        l->r[k] = (real)(rng_one_in(&rng, 3) ? random_size() : rng_in(&rng, 0.01, 0.5) * size);
        l->w[k] = (real)(rng_one_in(&rng, 3) ? random_size() : rng_in(&rng, 0.01, 0.5) * size);
    }
}

static void make_unit(lanes_of *l)
{
    vreal ux = v_loadu(l->ux), uy = v_loadu(l->uy);
    rays_unit(&ux, &uy);
    v_storeu(l->ux, ux);
    v_storeu(l->uy, uy);
}

static void seen_exactly(const lanes_of *l, int k)
{
    set_ray((double[4]){(double)l->ox[k], (double)l->oy[k], (double)l->ux[k], (double)l->uy[k]});
    set_seen(x.a, (double[2]){(double)l->ax[k], (double)l->ay[k]});
    set_seen(x.b, (double[2]){(double)l->bx[k], (double)l->by[k]});
    mpfr_sub(x.e[0], x.b[0], x.a[0], NEAREST);
    mpfr_sub(x.e[1], x.b[1], x.a[1], NEAREST);
}

/* The greatest error seen, in eps S / q. */
static double worst;

static void check(const char *what, const lanes_of *l, int k, truth is)
{
    const double t = (double)l->t[k], unit = EPSILON * is.size;
    if ((t < (double)INFINITY) != (is.distance < (double)INFINITY) || (t == 0) != (is.distance == 0)) {
        if (is.passing > BOUND * unit) {
            fail_msg("%s, lane %d: %g instead of %g; it passes by %g eps S", what, k, t, is.distance,
                     is.passing / unit);
        }
    } else if (t < (double)INFINITY) {
        const double error = fabs(t - is.distance) * is.q / unit;
        worst = fmax(worst, error);
        if (!(error <= BOUND)) {
            fail_msg("%s, lane %d: %.17g instead of %.17g: %g eps S / q, q = %g", what, k, t, is.distance, error, is.q);
        }
    }
}

static int rays(void)
{
    return at_length(10000000, 60000, 8000) / LANES;
}

TEST(test_discs)
{
    rng = test_seed(2901);
    worst = 0;
    int hits = 0, misses = 0;
    for (int round = 0; round < rays(); round++) {
        lanes_of l;
        fill(&l);
        for (int k = 0; k < LANES; k++) {
            aim_ray(&l, k, (double)l.ax[k], (double)l.ay[k], aim() * (double)l.r[k]);
        }
        make_unit(&l);
        const rays_disc q = rays_disc_of(v_loadu(l.ox), v_loadu(l.oy), v_loadu(l.ax), v_loadu(l.ay), v_loadu(l.r));
        v_storeu(l.t, rays_disc_met(q, v_loadu(l.ux), v_loadu(l.uy)));
        for (int k = 0; k < LANES; k++) {
            seen_exactly(&l, k);
            const truth is = true_disc(x.a, (double)l.r[k]);
            check("disc", &l, k, is);
            hits += is.distance > 0 && is.distance < (double)INFINITY;
            misses += is.distance == (double)INFINITY;
        }
    }
    printf("discs: %d hits, %d misses, %.2f eps S / q\n", hits, misses, worst);
    assert_true(hits > rays() * LANES / 4 && misses > rays() * LANES / 10);
}

TEST(test_edges)
{
    rng = test_seed(2902);
    worst = 0;
    int hits = 0, misses = 0;
    for (int round = 0; round < rays(); round++) {
        lanes_of l;
        fill(&l);
        for (int k = 0; k < LANES; k++) { /* to a point on the edge's line: 1 and -1 are its ends */
            const double at = aim(), mx = ((double)l.ax[k] + (double)l.bx[k]) / 2;
            const double my = ((double)l.ay[k] + (double)l.by[k]) / 2;
            aim_ray(&l, k, mx + at * ((double)l.bx[k] - mx), my + at * ((double)l.by[k] - my), 0);
        }
        make_unit(&l);
        const rays_edge q =
            rays_edge_of(v_loadu(l.ox), v_loadu(l.oy), v_loadu(l.ax), v_loadu(l.ay), v_loadu(l.bx), v_loadu(l.by));
        v_storeu(l.t, rays_edge_met(q, v_loadu(l.ux), v_loadu(l.uy)));
        for (int k = 0; k < LANES; k++) {
            seen_exactly(&l, k);
            const truth is = true_edge();
            check("edge", &l, k, is);
            hits += is.distance < (double)INFINITY;
            misses += is.distance == (double)INFINITY;
        }
    }
    printf("edges: %d hits, %d misses, %.2f eps S / q\n", hits, misses, worst);
    assert_true(hits > rays() * LANES / 4 && misses > rays() * LANES / 10);
}

TEST(test_capsules)
{
    rng = test_seed(2903);
    for (int round = 0; round < rays() / 2; round++) {
        lanes_of l;
        fill(&l);
        for (int k = 0; k < LANES; k++) {
            const bool end = rng_one_in(&rng, 2);
            const double at = aim(), mx = ((double)l.ax[k] + (double)l.bx[k]) / 2;
            const double my = ((double)l.ay[k] + (double)l.by[k]) / 2;
            aim_ray(&l, k, mx + at * ((double)l.bx[k] - mx), my + at * ((double)l.by[k] - my),
                    end ? aim() * (double)l.w[k] : 0);
        }
        make_unit(&l);
        const rays_edge q =
            rays_edge_of(v_loadu(l.ox), v_loadu(l.oy), v_loadu(l.ax), v_loadu(l.ay), v_loadu(l.bx), v_loadu(l.by));
        v_storeu(l.t, rays_edge_met_by(q, v_loadu(l.w), v_loadu(l.ux), v_loadu(l.uy)));
        for (int k = 0; k < LANES; k++) {
            seen_exactly(&l, k);
            norm(x.s, x.a);
            norm(x.t, x.b);
            const double t = (double)l.t[k], w = (double)l.w[k];
            const double size = fmax(fmax(mpfr_get_d(x.s, NEAREST), mpfr_get_d(x.t, NEAREST)), w);
            const double slack = BOUND * EPSILON * size;
            const double first = true_capsule(w + slack), last = w > slack ? true_capsule(w - slack) : (double)INFINITY;
            if (!(t >= first - slack && t <= last + slack)) {
                fail_msg("capsule, lane %d: %.17g is not between %.17g and %.17g", k, t, first, last);
            }
        }
    }
}

/* A ring of radius r: from outside like a disc, from inside the exit. */
static truth true_ring(double r)
{
    truth is = true_disc(x.a, r);
    if (is.distance != 0) {
        return is;
    }
    is.q = half_chord(r); /* true_disc() has left |p x u| in h, p.u in v */
    mpfr_add(x.t, x.v, x.t, NEAREST);
    is.distance = mpfr_get_d(x.t, NEAREST);
    return is;
}

/* In arcs, each an eighth of the ring, so that joints are tried, too. */
TEST(test_rings)
{
    enum { ARCS = 8 };
    static const real ends[ARCS][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    rng = test_seed(2906);
    worst = 0;
    int hits = 0, from_within = 0;
    for (int round = 0; round < rays() / 4; round++) {
        lanes_of l;
        fill(&l);
        for (int k = 0; k < LANES; k++) {
            const double aside = aim() * (double)l.r[k];
            if (rng_one_in(&rng, 2)) { /* within */
                l.ax[k] = (real)((double)l.ox[k] + rng_in(&rng, -0.7, 0.7) * (double)l.r[k]);
                l.ay[k] = (real)((double)l.oy[k] + rng_in(&rng, -0.7, 0.7) * (double)l.r[k]);
            }
            if (rng_one_in(&rng, 4)) { /* at a joint, where rounding may put it on neither arc */
                const real *end = ends[rng_below(&rng, ARCS)];
                const double grow = (double)l.r[k] / hypot((double)end[0], (double)end[1]);
                aim_ray(&l, k, (double)l.ax[k] + (double)end[0] * grow, (double)l.ay[k] + (double)end[1] * grow, 0);
            } else {
                aim_ray(&l, k, (double)l.ax[k], (double)l.ay[k], aside);
            }
        }
        make_unit(&l);
        const vreal cx = v_loadu(l.ax), cy = v_loadu(l.ay), r = v_loadu(l.r), zero = v_set1(0);
        const vreal ux = v_loadu(l.ux), uy = v_loadu(l.uy), ox = v_loadu(l.ox), oy = v_loadu(l.oy);
        vreal t = v_set1(RAYS_NEVER), gap = v_set1(RAYS_NEVER);
        for (int e = 0; e < ARCS; e++) {
            const real *a = ends[e], *b = ends[(e + 1) % ARCS];
            const arc_shape s = arc_shape_of(cx, cy, r, cx + v_set1(a[0]) * r, cy + v_set1(a[1]) * r,
                                             cx + v_set1(b[0]) * r, cy + v_set1(b[1]) * r);
            const rays_arc q = rays_arc_of(ox, oy, s);
            t = v_min(rays_arc_met(q, zero, ux, uy), t);
            gap = v_min(near_arc(&q), gap);
        }
        v_storeu(l.t, t);
        v_storeu(l.near, gap);
        for (int k = 0; k < LANES; k++) {
            seen_exactly(&l, k);
            const truth is = true_ring((double)l.r[k]);
            check("ring", &l, k, is);
            norm(x.s, x.a);
            const double far = mpfr_get_d(x.s, NEAREST);
            assert_true(fabs((double)l.near[k] - fabs(far - (double)l.r[k])) <= BOUND * EPSILON * is.size);
            hits += is.distance < (double)INFINITY;
            from_within += far < (double)l.r[k];
        }
    }
    printf("rings: %d hits, %d from within, %.2f eps S / q\n", hits, from_within, worst);
    assert_true(from_within > rays() * LANES / 16 && hits > from_within);
}

/* No ray from inside a fan of edges that share their ends passes between them. */
TEST(test_no_gaps)
{
    enum { EDGES = 24 };
    const double turn = 2 * 3.14159265358979 / (double)EDGES;
    rng = test_seed(2904);
    for (int round = 0; round < rays() / 8; round++) {
        real px[EDGES], py[EDGES];
        for (int e = 0; e < EDGES; e++) {
            const double angle = (e + rng_in(&rng, -0.3, 0.3)) * turn;
            px[e] = (real)(3 * cos(angle) + 100);
            py[e] = (real)(3 * sin(angle) - 70);
        }
        lanes_of l;
        for (int k = 0; k < LANES; k++) { /* at a corner, up to rounding */
            const int e = rng_below(&rng, EDGES);
            l.ox[k] = random_real(99, 101);
            l.oy[k] = random_real(-71, -69);
            aim_ray(&l, k, (double)px[e], (double)py[e], 0);
        }
        make_unit(&l);
        vreal t = v_set1(RAYS_NEVER);
        for (int e = 0; e < EDGES; e++) {
            const int n = (e + 1) % EDGES;
            const rays_edge q =
                rays_edge_of(v_loadu(l.ox), v_loadu(l.oy), v_set1(px[e]), v_set1(py[e]), v_set1(px[n]), v_set1(py[n]));
            t = v_min(rays_edge_met(q, v_loadu(l.ux), v_loadu(l.uy)), t);
        }
        assert_true(m_all(v_lt(t, v_set1(6))));
    }
}

/* Unit vectors of any length, distances of points, and rays along an edge's line. */
TEST(test_small_parts)
{
    rng = test_seed(2905);
    for (int round = 0; round < rays() / 8; round++) {
        lanes_of l;
        fill(&l);
        for (int k = 0; k < LANES; k++) {
            const int range = CAROM_REAL_BITS == 64 ? 1000 : 120;
            l.ux[k] = (real)ldexp(rng_in(&rng, -1, 1), rng_below(&rng, 2 * range) - range);
            l.uy[k] = rng_one_in(&rng, 2) ? 0 : (real)ldexp(rng_in(&rng, -1, 1), rng_below(&rng, 2 * range) - range);
        }
        const lanes_of before = l;
        make_unit(&l);
        const rays_disc d = rays_disc_of(v_loadu(l.ox), v_loadu(l.oy), v_loadu(l.ax), v_loadu(l.ay), v_loadu(l.r));
        const rays_edge e =
            rays_edge_of(v_loadu(l.ox), v_loadu(l.oy), v_loadu(l.ax), v_loadu(l.ay), v_loadu(l.bx), v_loadu(l.by));
        v_storeu(l.t, near_disc(d, v_loadu(l.r)));
        v_storeu(l.near, near_edge(e));
        for (int k = 0; k < LANES; k++) {
            const long double x0 = (long double)before.ux[k], y0 = (long double)before.uy[k], size = hypotl(x0, y0);
            const long double off = hypotl((long double)l.ux[k] - x0 / size, (long double)l.uy[k] - y0 / size);
            assert_true(size == 0 || off <= 2 * (long double)EPSILON);

            const long double ax = (long double)l.ax[k] - (long double)l.ox[k];
            const long double ay = (long double)l.ay[k] - (long double)l.oy[k], far = hypotl(ax, ay);
            const long double gap = fmaxl(far - (long double)l.r[k], 0);
            assert_true(fabsl((long double)l.t[k] - gap) <= 4 * (long double)EPSILON * fmaxl(far, (long double)l.r[k]));

            const long double ex = (long double)l.bx[k] - (long double)l.ax[k];
            const long double ey = (long double)l.by[k] - (long double)l.ay[k];
            const long double foot = fminl(fmaxl(-(ax * ex + ay * ey) / (ex * ex + ey * ey), 0), 1);
            const long double apart = hypotl(ax + foot * ex, ay + foot * ey);
            assert_true(fabsl((long double)l.near[k] - apart) <= 8 * (long double)EPSILON * (far + apart));
        }
    }

    /* From before, between and beyond the ends; and away. */
    const rays_edge ahead = rays_edge_of(v_set1(0), v_set1(1), v_set1(3), v_set1(1), v_set1(2), v_set1(1));
    const rays_edge around = rays_edge_of(v_set1(0), v_set1(1), v_set1(3), v_set1(1), v_set1(-2), v_set1(1));
    assert_true(m_all(v_eq(rays_edge_met(ahead, v_set1(1), v_set1(0)), v_set1(2))));
    assert_true(m_all(v_eq(rays_edge_met(around, v_set1(1), v_set1(0)), v_set1(0))));
    assert_true(m_all(v_eq(rays_edge_met(ahead, v_set1(-1), v_set1(0)), v_set1(RAYS_NEVER))));

    /* A side: before it, in it, and away from it. */
    assert_true(m_all(v_eq(rays_box_met(v_set1(3), v_set1(REAL(0.5))), v_set1(6))));
    assert_true(m_all(v_eq(rays_box_met(v_set1(0), v_set1(-1)), v_set1(0))));
    assert_true(m_all(v_eq(rays_box_met(v_set1(3), v_set1(-1)), v_set1(RAYS_NEVER))));
}
