/* SPDX-License-Identifier: MIT
 * Resolving the earliest impact of every lane (RULES.md, section 3): move the bodies back to its time, give them new
 * velocities, and move them to the end of the tick again.
 */
#ifndef CAROM_GAMES_SOCCER_RESPOND_H
#define CAROM_GAMES_SOCCER_RESPOND_H

#include "games/soccer/detect.h"

/* One body in every lane, in memory, so that single lanes can be set. */
typedef struct soccer_side {
    alignas(64) real x[LANES];
    alignas(64) real y[LANES];
    alignas(64) real vx[LANES];
    alignas(64) real vy[LANES];
    alignas(64) real mass[LANES];
} soccer_side;

/* The impacts of a register group, one per lane. */
typedef struct soccer_impact {
    int first[LANES], second[LANES]; /* bodies; second is SOCCER_WALL + the wall's number at a wall */
    soccer_side one, other;
    alignas(64) real restitution[LANES];
    unsigned walls, along_y; /* lanes with a wall; those with the top or bottom one, which turns vy round */
} soccer_impact;

/* Numbers with which lanes without a body compute harmlessly. */
CAROM_LANE void soccer_clear(soccer_side *side)
{
    const vreal zero = v_set1(REAL(0.0));
    v_store(side->x, zero);
    v_store(side->y, zero);
    v_store(side->vx, zero);
    v_store(side->vy, zero);
    v_store(side->mass, v_set1(REAL(1.0)));
}

CAROM_LANE void soccer_get(const soccer_context *context, rounds_row *rows, soccer_side *side, unsigned l, int i)
{
    side->x[l] = rows[ROW(i, X)][l];
    side->y[l] = rows[ROW(i, Y)][l];
    side->vx[l] = rows[ROW(i, VX)][l];
    side->vy[l] = rows[ROW(i, VY)][l];
    side->mass[l] = i < context->robots ? soccer_rules_of(context)->robot_mass : soccer_rules_of(context)->ball_mass;
}

/* Writes a body back to lane l; its last impact is now at `time`. */
CAROM_LANE void soccer_put(const soccer_context *context, rounds_row *rows, const soccer_side *side, unsigned l, int i,
                           real time)
{
    rows[ROW(i, X)][l] = side->x[l];
    rows[ROW(i, Y)][l] = side->y[l];
    rows[ROW(i, VX)][l] = side->vx[l];
    rows[ROW(i, VY)][l] = side->vy[l];
    rows[BEGIN(context, i)][l] = time;
}

/* Decodes the impacts of the lanes `hit` and collects their bodies: an impact touches few numbers of a lane, which are
 * read one by one. */
CAROM_LANE void soccer_read_impacts(const soccer_context *context, rounds_row *rows, vreal code, unsigned hit,
                                    soccer_impact *m)
{
    const soccer_rules *r = soccer_rules_of(context);
    alignas(64) real codes[LANES];
    v_store(codes, code);
    m->walls = m->along_y = 0;
    soccer_clear(&m->one);
    soccer_clear(&m->other);
    v_store(m->restitution, v_set1(REAL(1.0)));

    /* The restitution is that of a wall, of a pair with a ball (the second body, as balls come last) or of two
     * robots. */
    EACH_LANE (l, hit) {
        const int i = SOCCER_CODE_FIRST((int)codes[l]), j = SOCCER_CODE_SECOND((int)codes[l]);
        m->first[l] = i;
        m->second[l] = j;
        soccer_get(context, rows, &m->one, l, i);
        if (j >= SOCCER_WALL) {
            m->walls |= 1u << l;
            m->along_y |= (unsigned)(j >= SOCCER_WALL + 2) << l;
            m->restitution[l] = r->wall_restitution;
        } else {
            soccer_get(context, rows, &m->other, l, j);
            m->restitution[l] = j >= context->robots ? r->ball_restitution : r->robot_restitution;
        }
    }
}

/* Newton's impact of two circles at (x1, y1), (x2, y2), with masses m1, m2 and restitution e. With e = 1 every
 * operation is the original's. Where the centres coincide, which the original leaves open, the circles part along the
 * line on which they came. */
CAROM_LANE void soccer_bounce(vreal x1, vreal y1, vreal x2, vreal y2, vreal m1, vreal m2, vreal e, vreal *vx1,
                              vreal *vy1, vreal *vx2, vreal *vy2)
{
    const vreal one = v_set1(REAL(1.0));

    /* The normal. */
    vreal dx = x1 - x2, dy = y1 - y2;
    const vmask apart = v_gt(dx * dx + dy * dy, v_set1(REAL(0.0)));
    dx = v_select(apart, dx, *vx2 - *vx1);
    dy = v_select(apart, dy, *vy2 - *vy1);
    const vreal k = one / v_sqrt(dx * dx + dy * dy);
    dx = dx * k;
    dy = dy * k;

    /* Split the velocities into parts along it and across it. */
    const vreal dot1 = *vx1 * dx + *vy1 * dy, dot2 = *vx2 * dx + *vy2 * dy;
    const vreal par1x = dot1 * dx, par1y = dot1 * dy, par2x = dot2 * dx, par2y = dot2 * dy;
    const vreal perp1x = *vx1 - par1x, perp1y = *vy1 - par1y;
    const vreal perp2x = *vx2 - par2x, perp2y = *vy2 - par2y;

    /* Exchange momentum along the normal; what is across stays. */
    const vreal c1 = one / (m1 + m2), both = one + e;
    const vreal dm1 = m1 - e * m2, dm2 = e * m1 - m2;
    const vreal twice1 = both * m1, twice2 = both * m2;
    *vx1 = c1 * (dm1 * par1x + twice2 * par2x) + perp1x;
    *vy1 = c1 * (dm1 * par1y + twice2 * par2y) + perp1y;
    *vx2 = c1 * (twice1 * par1x - dm2 * par2x) + perp2x;
    *vy2 = c1 * (twice1 * par1y - dm2 * par2y) + perp2y;
}

/* Appends the impact of lane l to the recording of its world, if that has room. Events give the part of the tick that
 * is left. */
static void soccer_record(const tick_run *run, const soccer_impact *m, unsigned l, real time, int32_t home)
{
    carom_event *event = run_record(run, (unsigned)home);
    if (event != NULL) {
        event->left = (double)(-time * soccer_rules_of(run->context)->rate);
        event->first = (uint32_t)m->first[l];
        event->second = (uint32_t)m->second[l];
        event->part = 0;
        event->x = event->y = 0;
    }
}

/* Resolves the impacts `code` of the lanes `hit`, at `time`. home[l] is the world of lane l. */
CAROM_LANE void soccer_resolve(tick_run *run, rounds_row *rows, vreal time, vreal code, unsigned hit,
                               const int32_t *home)
{
    const soccer_context *context = run->context;
    soccer_impact m;
    soccer_read_impacts(context, rows, code, hit, &m);

    /* Back to the time of the impact. */
    vreal vx1 = v_load(m.one.vx), vy1 = v_load(m.one.vy), vx2 = v_load(m.other.vx), vy2 = v_load(m.other.vy);
    const vreal x1 = v_load(m.one.x) + vx1 * time, y1 = v_load(m.one.y) + vy1 * time;
    const vreal x2 = v_load(m.other.x) + vx2 * time, y2 = v_load(m.other.y) + vy2 * time;

    /* Late impacts of a tick are elastic, so that chains of them end. */
    const vreal count = soccer_row(rows, COUNT(context)) + v_set1(REAL(1.0));
    v_storeu(rows[COUNT(context)], count);
    const vmask elastic = v_ge(count, v_set1((real)CAROM_SOCCER_ELASTIC));
    const vreal e = v_select(elastic, v_set1(REAL(1.0)), v_load(m.restitution));

    /* New velocities: a wall turns the normal part round. Both responses are computed in every lane, then one is
     * taken. */
    const vmask walls = m_from_bits(m.walls), along_y = m_from_bits(m.along_y);
    const vreal wall_vx = v_select(along_y, vx1, -e * vx1);
    const vreal wall_vy = v_select(along_y, -e * vy1, vy1);
    soccer_bounce(x1, y1, x2, y2, v_load(m.one.mass), v_load(m.other.mass), e, &vx1, &vy1, &vx2, &vy2);
    vx1 = v_select(walls, wall_vx, vx1);
    vy1 = v_select(walls, wall_vy, vy1);

    /* To the end of the tick again. */
    v_store(m.one.x, x1 - vx1 * time);
    v_store(m.one.y, y1 - vy1 * time);
    v_store(m.one.vx, vx1);
    v_store(m.one.vy, vy1);
    v_store(m.other.x, x2 - vx2 * time);
    v_store(m.other.y, y2 - vy2 * time);
    v_store(m.other.vx, vx2);
    v_store(m.other.vy, vy2);

    /* Write back what has changed, lane by lane. */
    alignas(64) real times[LANES];
    v_store(times, time);
    EACH_LANE (l, hit) {
        const int i = m.first[l], j = m.second[l];
        soccer_put(context, rows, &m.one, l, i, times[l]);
        if (j < SOCCER_WALL) {
            soccer_put(context, rows, &m.other, l, j, times[l]);
            if (i < context->robots && j >= context->robots) { /* a robot that strikes a ball frees it */
                rows[HOLDER(context, j - context->robots)][l] = -1;
            }
        }
        if (run_records(run)) {
            soccer_record(run, &m, l, times[l], home[l]);
        }
    }
    run_count_impacts(run, (unsigned)__builtin_popcount(hit));
}

/* ---- the step of a round: see tick/rounds.h ---- */

/* One round (tick/rounds.h): resolve the impact that the round before has found, then find the next. The first round
 * has none to resolve, so that worlds without impacts drop out before any is and resolving has full registers. */
CAROM_LANE unsigned rounds_step(tick_run *run, unsigned nth, rounds_row *rows, unsigned there, const int32_t *home,
                                bool last)
{
    (void)nth;
    const soccer_context *context = run->context;
    const vreal code = soccer_row(rows, CODE(context)), zero = v_set1(REAL(0.0));
    const unsigned known = there & m_bits(v_gt(code, zero));
    if (known != 0) {
        soccer_resolve(run, rows, soccer_row(rows, TIME(context)), code, known, home);
    }

    const soccer_first first = soccer_look(context, rows, m_from_bits(there));
    const unsigned hit = there & m_bits(v_gt(first.code, zero));
    v_storeu(rows[TIME(context)], first.time);
    v_storeu(rows[CODE(context)], first.code);

    /* In the last round a world that still has an impact has too many for a tick. */
    EACH_LANE (l, last ? hit : 0) {
        run_overrun(run, (unsigned)home[l]);
    }
    return hit;
}

#endif
