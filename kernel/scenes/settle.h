/* SPDX-License-Identifier: MIT
 * Settling: how a group of bodies that lean on each other comes to rest within a bounded number of impacts.
 *
 * Impacts of single pairs never end among wedged bodies: each takes a share of the remaining speed, and acceleration
 * gives it back. So a group whose bodies have had too many short impacts in a row is solved as a whole: its contacts
 * get the least impulses, none of them pulling, after which nothing approaches for the rest of the tick.
 * scenes/deep_settle.h finds the bodies of a group.
 *
 * The rule. |v| of a vector is the sum of the absolute values of its components, r of two bodies the smaller radius, z
 * as under "Overlap" in carom/scene.h (of two bodies the sum; for a side without the wall's size), h the rest of the
 * tick.
 *   1. The first min(32 + 2 bodies, 1024) impacts of a world's tick are played as usual. From then on each moving body
 *      counts its short impacts in a row. An impact is short if the body has travelled at most max(r/1024, z), with
 *      (|v| + |a| t) t as the distance for the time t, since the last one that counted. Impacts with e = 1 do not count
 *      if there is no contact_time, nor do sensors. The ninth short impact in a row makes the two settle instead.
 *   2. The group is every body connected with these two by gaps of at most max(r/1024, z) between bodies that collide.
 *      What never moves is part of the group but connects nothing. All are moved to the time of the impact.
 *   3. Its touches are its pairs, and its bodies with sides, walls and polygons, whose gaps are at most max(r/128, z),
 *      in order of (lower, higher id; a polygon's edges in turn), at most 4 bodies + 16. The cushion of a touch is
 *      c = min(max(r/2^17, 2 z), r/128), in f32 with 2^13 for 2^17.
 *   4. Each body starts from v + a h. Each touch gets an impulse >= 0, so that afterwards its speed of parting is at
 *      least 0 or, if its gap g is wider than c, at least -(g - c)/h, within a tolerance of c/(2 dt). The impulses are
 *      found in at most 60 steps plus 16 times the root of the group's size, and scaled down if that leaves less
 *      energy. So the velocities are those after impacts with restitution 0: momentum is conserved, and the energy
 *      relative to v + a h does not grow.
 *   5. Until the end of the tick the bodies have no acceleration. They move with the mean of the velocities before and
 *      after, plus what a second run of the same kind adds so that touches part with at least -(g - c)/h or, where
 *      g < c, with min(c - g, r/64)/max(h, dt/16). At the end of the tick they have the velocities of step 4: the
 *      added motion has no energy.
 *   6. Settled bodies that meet each other, or something that never moves, do so with e = 0, by the velocities of step
 *      4, and move on with these. After four such meetings their group is solved again. If that has happened four times
 *      without a free body joining, the body is spent; so are all bodies of a group that was not solved within the
 *      steps. A spent body moves as one with what it meets, and with connected spent bodies that close in, at the
 *      velocity of their common centre, minus its components into walls. That velocity is 0 if it still has one, or if
 *      among them is a fixed body or one that has met walls or sides more than four times since it began to move as
 *      one. A whole group that was at rest (|v| <= |a| dt / 16 for each body) and was not solved does the same.
 *   7. A free body that meets a settled one with u > 2 |a| dt (the Euclidean length here) and e > 0 bounces: the group
 *      is solved with that touch parting with e u, and the body stays free. Otherwise it joins, at the latest with its
 *      ninth short impact.
 *
 * How it is solved
 *     a touch     a contact of two things, or a small gap between them: a normal, and the least speed of parting
 *     a run       finds the impulses of all touches by the accelerated projected gradient (Nesterov, with restarts
 *                 after O'Donoghue and Candes, Foundations of Computational Mathematics 15, 2015). A touch's step is
 *                 divided by the number of touches of its bodies, so that all steps together do not overshoot
 *     two runs    The first finds the velocities at the end of the tick. The second starts from the mean of those
 *                 before and after, and finds the velocities with which bodies move until then. It also opens gaps
 *                 narrower than a cushion, so that the solver's errors cause no impacts in the next tick. The motion
 *                 that it adds carries no kinetic energy: it is gone at the end of the tick.
 *
 * Everything is computed one number at a time, and sums follow the order of touches, which is that of ids, so the bits
 * do not depend on lanes or cells.
 *
 * Tried, with worse results: pairs without restitution, then rafts of one velocity (heaps and funnels freeze);
 * Gauss-Seidel instead of accelerated gradients (a heap of 36 needs 200 sweeps where this takes 60 steps); gaps opened
 * by a real velocity (energy without bound where the rest of the tick is short); one limit of 60 steps for all groups
 * (heaps of 400 freeze).
 */
#ifndef CAROM_SCENES_SETTLE_H
#define CAROM_SCENES_SETTLE_H

#include "scenes/motion.h"

/* Limits by count. */
#define SETTLE_SHORTS 8   /* short impacts in a row before a body settles */
#define SETTLE_MEETINGS 4 /* of a settled body with others like it, before its group is solved again */
#define SETTLE_ROUNDS 4   /* solutions of a body's group before it moves as one */
#define SETTLE_STEPS 60   /* of a run; a group that is not at rest has more: */
#define SETTLE_MORE 16    /* steps, times the root of the number of members */

/* Members are at rest if they are slower than the speed that their acceleration gives them in this share of a tick. */
#define SETTLE_SLOW REAL(0.0625)

/* Lengths in radii, the smaller radius of the two for gaps. */
#define SETTLE_STRIDE REAL(0x1p-10) /* an impact is short if its body has moved no further since the last one */
#define SETTLE_GROUP REAL(0x1p-10)  /* the widest gap between two bodies of one group that connects them */
#define SETTLE_TOUCH REAL(0x1p-7)   /* the widest gap of a touch */
#define SETTLE_PUSH REAL(0x1p-6)    /* the largest amount by which a gap is opened in a tick */
#define SETTLE_HURRY REAL(0.0625)   /* of a tick: the least time over which a gap is opened */
#if CAROM_REAL_BITS == 64
#define SETTLE_CUSHION REAL(0x1p-17) /* gaps are opened until they are this wide */
#else
#define SETTLE_CUSHION REAL(0x1p-13)
#endif

/* A body of the group that is solved. */
typedef struct settle_member {
    real ux, uy;         /* out: the velocity after a run */
    real free_x, free_y; /* in: the velocity before a run */
    real inverse_mass;
    real vx, vy;      /* before the first run: its velocity; before the second: that at the end of the tick */
    real r;           /* radius */
    int32_t body;     /* the engine's index */
    uint32_t touches; /* the number of touches that include it */
    bool arrives;     /* it bounces off the group and stays free: its acceleration is for later */
} settle_member;

/* A contact, or small gap, of two members, or of one (second < 0) with something that does not move. */
typedef struct settle_touch {
    int32_t first, second; /* indices of members */
    real nx, ny;           /* unit normal from the second to the first */
    real want;             /* the least speed of separation; below 0: they may still approach */
    real slack;            /* tolerance of that */
    real step;             /* impulse per unit of missing speed, in one step of a run */
    real push, before;     /* the present impulse, and that one step earlier */
    real ahead;            /* the impulse extrapolated from both, where the gradient is taken */
} settle_touch;

/* For a touch: the width of its gap, the least width that it should have, and the smaller radius. */
typedef struct settle_gap {
    real gap, cushion, r;
} settle_gap;

/* The arrays belong to the engine. */
typedef struct settle_group {
    settle_member *members;
    settle_touch *touches;
    settle_gap *gaps; /* [touch_count] */
    uint32_t member_count, touch_count;
    uint32_t touch_most; /* room for touches */
    real left, dt;       /* the rest of the tick, and the whole of it */
    bool rests;          /* all members are at rest */
} settle_group;

CAROM_LANE real settle_root(real a)
{
    return CAROM_REAL_BITS == 64 ? (real)__builtin_sqrt((double)a) : (real)__builtin_sqrtf((float)a);
}
CAROM_LANE real settle_less(real a, real b)
{
    return a < b ? a : b;
}
CAROM_LANE real settle_more(real a, real b)
{
    return a > b ? a : b;
}

/* A limit for gaps: a share of the smaller radius r, but no less than rounding. */
CAROM_LANE real settle_within(real share, real r, real rough)
{
    return settle_more(share * r, rough);
}

/* The width to which gaps are opened: wider than rounding, and narrower than those of touches. */
CAROM_LANE real settle_cushion(real r, real rough)
{
    return settle_less(settle_more(SETTLE_CUSHION * r, 2 * rough), SETTLE_TOUCH * r);
}

/* Adds a touch, if there is room for it; r is the smaller radius, rough the possible rounding error of the gap. Gaps
 * that may close within the rest of the tick count only if there is a rest. */
CAROM_LANE void settle_add(settle_group *g, int32_t first, int32_t second, real nx, real ny, real gap, real r,
                           real rough)
{
    const real cushion = settle_cushion(r, rough);
    if (g->touch_count == g->touch_most || (!(g->left > 0) && gap > cushion)) {
        return;
    }

    settle_gap *apart = &g->gaps[g->touch_count];
    settle_touch *t = &g->touches[g->touch_count++];
    apart->gap = gap, apart->cushion = cushion, apart->r = r;
    t->first = first, t->second = second;
    t->nx = nx, t->ny = ny;
    t->want = gap > cushion ? -((gap - cushion) / g->left) : 0;
    t->slack = cushion / (2 * g->dt);

    g->members[first].touches++;
    if (second >= 0) {
        g->members[second].touches++;
    }
}

/* The speed of separation of a touch. */
CAROM_LANE real settle_parting(const settle_group *g, const settle_touch *t)
{
    const settle_member *i = &g->members[t->first];
    if (t->second < 0) {
        return i->ux * t->nx + i->uy * t->ny;
    }
    const settle_member *j = &g->members[t->second];
    return (i->ux - j->ux) * t->nx + (i->uy - j->uy) * t->ny;
}

/* Applies an impulse to the two members of a touch. */
CAROM_LANE void settle_strike(settle_group *g, const settle_touch *t, real impulse)
{
    settle_member *i = &g->members[t->first];
    const real on_i = impulse * i->inverse_mass;
    i->ux = i->ux + on_i * t->nx;
    i->uy = i->uy + on_i * t->ny;
    if (t->second >= 0) {
        settle_member *j = &g->members[t->second];
        const real on_j = impulse * j->inverse_mass;
        j->ux = j->ux - on_j * t->nx;
        j->uy = j->uy - on_j * t->ny;
    }
}

/* Resets all velocities to those before the run. */
CAROM_LANE void settle_free(settle_group *g)
{
    for (uint32_t k = 0; k < g->member_count; k++) {
        settle_member *m = &g->members[k];
        m->ux = m->free_x, m->uy = m->free_y;
    }
}

/* One step of the accelerated gradient: the impulses continue by `weight` of the last step, and from there against the
 * gradient. False if every touch has the speed that it wants: then `ahead` is the solution. *along < 0: because of its
 * momentum the step as a whole goes uphill. */
CAROM_LANE bool settle_step(settle_group *g, real weight, real *along)
{
    bool misses = false;

    /* Extrapolate. Impulses never pull. */
    settle_free(g);
    for (uint32_t k = 0; k < g->touch_count; k++) {
        settle_touch *t = &g->touches[k];
        t->ahead = settle_more(t->push + weight * (t->push - t->before), 0);
        settle_strike(g, t, t->ahead);
    }

    /* The gradient is the speed that each touch lacks under these impulses. */
    *along = 0;
    for (uint32_t k = 0; k < g->touch_count; k++) {
        settle_touch *t = &g->touches[k];
        const real miss = t->want - settle_parting(g, t), next = settle_more(t->ahead + miss * t->step, 0);
        misses = misses || miss > t->slack;
        *along = *along + miss * (next - t->push);
        t->before = t->push;
        t->push = next;
    }
    return misses;
}

/* The share of all impulses that leaves the least energy. It is 1 for the exact solution, and never more. Velocities
 * must be those after all impulses. */
CAROM_LANE real settle_share(settle_group *g)
{
    real asked = 0, given = 0;

    for (uint32_t k = 0; k < g->touch_count; k++) {
        const settle_touch *t = &g->touches[k];
        const settle_member *i = &g->members[t->first];
        real start = i->free_x * t->nx + i->free_y * t->ny;
        if (t->second >= 0) {
            const settle_member *j = &g->members[t->second];
            start = (i->free_x - j->free_x) * t->nx + (i->free_y - j->free_y) * t->ny;
        }

        asked = asked + t->push * (t->want - start);
        given = given + t->push * (settle_parting(g, t) - start);
    }
    return asked < given ? settle_more(asked / given, 0) : 1;
}

/* A run, from the velocities free_x, free_y to ux, uy. False if the touches did not reach the speeds that they want
 * within the steps. */
static bool settle_run(settle_group *g)
{
    bool misses = true;
    real pace = 0, along = 0;

    /* A step gives a touch the speed that it lacks, if all touches of its bodies step at once. */
    for (uint32_t k = 0; k < g->touch_count; k++) {
        settle_touch *t = &g->touches[k];
        const settle_member *i = &g->members[t->first];
        real weight = (real)i->touches * i->inverse_mass;
        if (t->second >= 0) {
            const settle_member *j = &g->members[t->second];
            weight = weight + (real)j->touches * j->inverse_mass;
        }
        t->step = 1 / weight;
        t->push = t->before = 0;
    }

    /* Steps, with increasing momentum until that leads in a wrong direction. */
    const real most = SETTLE_STEPS + (g->rests ? 0 : SETTLE_MORE * settle_root((real)g->member_count));
    for (real step = 0; step < most && misses; step += 1) {
        misses = settle_step(g, pace / (pace + 3), &along);
        pace = along < 0 ? 0 : pace + 1;
    }

    /* The velocities under the final impulses; scaled down if these add energy, as they may after too few steps. */
    settle_free(g);
    for (uint32_t k = 0; k < g->touch_count; k++) {
        settle_touch *t = &g->touches[k];
        t->push = misses ? t->push : t->ahead;
        settle_strike(g, t, t->push);
    }
    const real share = settle_share(g);
    if (share < 1) {
        settle_free(g);
        for (uint32_t k = 0; k < g->touch_count; k++) {
            settle_touch *t = &g->touches[k];
            t->push = t->push * share;
            settle_strike(g, t, t->push);
        }
    }
    return !misses;
}

/* Between the runs: keeps the first one's velocities, and sets up the second one. */
CAROM_LANE void settle_turn(settle_group *g)
{
    const real hurry = settle_more(g->left, g->dt * SETTLE_HURRY);

    /* It starts from the mean of the velocities before and after the first run. */
    for (uint32_t k = 0; k < g->member_count; k++) {
        settle_member *m = &g->members[k];
        m->free_x = m->arrives ? m->ux : (m->vx + m->ux) * REAL(0.5);
        m->free_y = m->arrives ? m->uy : (m->vy + m->uy) * REAL(0.5);
        m->vx = m->ux, m->vy = m->uy;
    }

    /* Touches narrower than their cushion are opened, others may close up to it. */
    for (uint32_t k = 0; k < g->touch_count; k++) {
        settle_touch *t = &g->touches[k];
        const settle_gap *a = &g->gaps[k];
        t->want = a->gap < a->cushion ? settle_less(a->cushion - a->gap, SETTLE_PUSH * a->r) / hurry
                                      : -((a->gap - a->cushion) / g->left);
        t->slack = a->cushion / (2 * hurry);
    }
}

#endif
