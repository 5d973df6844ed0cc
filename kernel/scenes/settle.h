/* SPDX-License-Identifier: MIT
 * Settling: how a group of bodies that lean on each other comes to rest within a bounded number of impacts.
 *
 * Impacts one pair at a time never end where bodies are wedged: each takes a share of what is left, and acceleration
 * gives it back. So a group whose bodies have had too many short impacts in a row is solved as a whole: its contacts
 * get the least impulses, none of them pulling, after which nothing approaches for the rest of the tick. The rule is
 * "Settling" in carom/scene.h; which bodies are in a group is found in scenes/deep_settle.h.
 *
 *     a touch     two things whose gap is small: a normal, and the velocity along it at which they have to part
 *     a run       finds the impulses of all touches by the accelerated projected gradient (Nesterov, with restarts
 *                 after O'Donoghue and Candes, Foundations of Computational Mathematics 15, 2015). A step of one touch
 *                 is divided by the touches of its bodies, so that all steps together do not overshoot
 *     two runs    The first finds the velocities at the end of the tick. The second starts from the mean of those
 *                 before and after, and finds the velocities with which bodies move until then: it also opens gaps
 *                 below a cushion, so that errors of the solver are no impacts in the next tick. What it adds is
 *                 motion without kinetic energy: it is gone at the end of the tick.
 *
 * Everything is computed one number at a time, sums in the order of touches, which is that of the ids of the two
 * things: so the bits depend neither on lanes nor on cells.
 *
 * Tried: pairs without restitution, and then rafts of one velocity: heaps and funnels freeze. Gauss-Seidel instead of
 * accelerated gradients: a heap of 36 needs 200 sweeps where this takes 60 steps. Gaps opened by a real velocity:
 * energy without bound where a tick's rest is short. One limit of 60 steps for all groups: heaps of 400 freeze.
 */
#ifndef CAROM_SCENES_SETTLE_H
#define CAROM_SCENES_SETTLE_H

#include "scenes/motion.h"

#define SETTLE_SHORTS 8          /* impacts in a row that a body may have before it settles */
#define SETTLE_MEETINGS 4        /* of a settled body with others like it, before its group is solved again */
#define SETTLE_ROUNDS 4          /* how often a body's group is solved before it moves as one */
#define SETTLE_STEPS 60          /* of a run at most, and */
#define SETTLE_MORE 16           /* times the root of its members more, unless they rest; */
#define SETTLE_SLOW REAL(0.0625) /* they do if they are slower than what they are accelerated by in so much of a tick */
#define SETTLE_STRIDE REAL(0x1p-10) /* radii: an impact is short if its body went no further since the last one; */
#define SETTLE_GROUP REAL(0x1p-10)  /* a gap across which bodies are in one group; */
#define SETTLE_TOUCH REAL(0x1p-7)   /* and one at which they touch */
#define SETTLE_PUSH REAL(0x1p-6)    /* the most by which a gap is opened in a tick */
#define SETTLE_HURRY REAL(0.0625)   /* ticks: gaps are opened in no less time */
#if CAROM_REAL_BITS == 64
#define SETTLE_CUSHION REAL(0x1p-17) /* radii */
#else
#define SETTLE_CUSHION REAL(0x1p-13)
#endif

/* A body of the group that is solved. */
typedef struct settle_member {
    real ux, uy;         /* the velocity that a run ends with, */
    real free_x, free_y; /* and starts from */
    real inverse_mass;
    real vx, vy;      /* now: what its energy is of */
    real r;           /* radius */
    int32_t body;     /* which one of the engine's */
    uint32_t touches; /* that it takes part in */
    bool arrives;     /* it only strikes the group: it keeps its acceleration, and may go on */
} settle_member;

/* Two members, or one and what does not move (second < 0). n is from the second to the first. */
typedef struct settle_touch {
    int32_t first, second;
    real nx, ny;
    real want;  /* the least speed of parting */
    real slack; /* and by how much it may be missed */
    real step, push, before, ahead;
} settle_touch;

/* How far apart they are, and by how much they should be at least. */
typedef struct settle_gap {
    real gap, cushion, r; /* r: the lesser radius */
} settle_gap;

typedef struct settle_group {
    settle_member *members;
    settle_touch *touches;
    settle_gap *gaps; /* of touches */
    uint32_t member_count, touch_count, touch_most;
    real left, dt; /* of the tick */
    bool rests;    /* all members are at rest */
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

/* The gap across which things of radius r, the lesser one, are in one group, or touch. */
CAROM_LANE real settle_within(real share, real r, real rough)
{
    return settle_more(share * r, rough);
}

CAROM_LANE real settle_cushion(real r, real rough)
{
    return settle_less(settle_more(SETTLE_CUSHION * r, 2 * rough), SETTLE_TOUCH * r);
}

/* Notes a touch, if there is room for it; r: the lesser radius. What may close within the tick's rest counts only if
 * there is a rest. */
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

/* The speed at which a touch parts. */
CAROM_LANE real settle_parting(const settle_group *g, const settle_touch *t)
{
    const settle_member *i = &g->members[t->first];
    if (t->second < 0) {
        return i->ux * t->nx + i->uy * t->ny;
    }
    const settle_member *j = &g->members[t->second];
    return (i->ux - j->ux) * t->nx + (i->uy - j->uy) * t->ny;
}

/* What an impulse does. */
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

CAROM_LANE void settle_free(settle_group *g)
{
    for (uint32_t k = 0; k < g->member_count; k++) {
        settle_member *m = &g->members[k];
        m->ux = m->free_x, m->uy = m->free_y;
    }
}

/* One step of all touches, from impulses that are `weight` of the last step's way ahead of it. False if none of them
 * misses what it wants: then `ahead` is the answer. *along < 0: impulses run away from the answer. */
CAROM_LANE bool settle_step(settle_group *g, real weight, real *along)
{
    bool misses = false;
    settle_free(g);
    for (uint32_t k = 0; k < g->touch_count; k++) {
        settle_touch *t = &g->touches[k];
        t->ahead = settle_more(t->push + weight * (t->push - t->before), 0);
        settle_strike(g, t, t->ahead);
    }
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

/* The impulses' share that leaves the least energy: all of them for the exact answer, and never more than all. */
CAROM_LANE real settle_share(settle_group *g)
{
    real asked = 0, given = 0;
    for (uint32_t k = 0; k < g->touch_count; k++) { /* velocities are those under all impulses */
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

/* From free_* to u*: a run. False if it has not come to an end. */
static bool settle_run(settle_group *g)
{
    bool misses = true;
    real pace = 0, along = 0;
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
    const real most = SETTLE_STEPS + (g->rests ? 0 : SETTLE_MORE * settle_root((real)g->member_count));
    for (real step = 0; step < most && misses; step += 1) {
        misses = settle_step(g, pace / (pace + 3), &along);
        pace = along < 0 ? 0 : pace + 1;
    }
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

/* From what the first run has found to what the second one starts from, and wants. */
CAROM_LANE void settle_turn(settle_group *g)
{
    const real hurry = settle_more(g->left, g->dt * SETTLE_HURRY);
    for (uint32_t k = 0; k < g->member_count; k++) {
        settle_member *m = &g->members[k];
        m->free_x = m->arrives ? m->ux : (m->vx + m->ux) * REAL(0.5);
        m->free_y = m->arrives ? m->uy : (m->vy + m->uy) * REAL(0.5);
        m->vx = m->ux, m->vy = m->uy;
    }
    for (uint32_t k = 0; k < g->touch_count; k++) {
        settle_touch *t = &g->touches[k];
        const settle_gap *a = &g->gaps[k];
        t->want = a->gap < a->cushion ? settle_less(a->cushion - a->gap, SETTLE_PUSH * a->r) / hurry
                                      : -((a->gap - a->cushion) / g->left);
        t->slack = a->cushion / (2 * hurry);
    }
}

#endif
