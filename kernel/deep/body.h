/* SPDX-License-Identifier: MIT
 * A body of the deep engine, and the time at which two of them meet.
 */
#ifndef CAROM_DEEP_BODY_H
#define CAROM_DEEP_BODY_H

#include "deep/state.h"

/* One cache line: a body's record, and the earliest meeting that its last prediction found. */
typedef struct deep_body {
    alignas(64) real x;
    real y, vx, vy;
    real t;                   /* the body's own time: x .. vy are as of then */
    real meeting;             /* time of the meeting; infinity: none */
    int32_t partner;          /* in the meeting */
    uint32_t partner_changes; /* the partner's `changes` when the meeting was predicted: stale if they differ now */
    uint32_t changes;         /* counts those of the record */
    uint32_t cell;            /* as of grid_name() */
} deep_body;

#define DEEP_STRIDE (64 / sizeof(real)) /* reals from a body to the next */

typedef struct deep_records {
    vreal x, y, vx, vy, t;
} deep_records;

/* The same body in all lanes. */
CAROM_LANE deep_records deep_repeat(const deep_body *b)
{
    deep_records r;
    r.x = v_set1(b->x);
    r.y = v_set1(b->y);
    r.vx = v_set1(b->vx);
    r.vy = v_set1(b->vy);
    r.t = v_set1(b->t);
    return r;
}

/* The bodies which[0..LANES), one in each lane. */
CAROM_LANE deep_records deep_gather(const deep_body *bodies, const int32_t *which)
{
    vreal fields[V_ROWS];
    deep_records r;
    v_rows(&bodies[0].x, DEEP_STRIDE, which, fields);
    r.x = fields[0];
    r.y = fields[1];
    r.vx = fields[2];
    r.vy = fields[3];
    r.t = fields[4];
    return r;
}

/* When disks of diameter 1 meet, from the later of their times on: that time itself where they touch and approach,
 * infinity where they do not meet. The shift, to an image of j, is added to its position; swapping i and j and the sign
 * of the shift changes no bit. The equation is the variant cross-citardauq of toi.h, without cancellation in d, nor
 * where the meeting is near. */
CAROM_LANE vreal deep_meeting(deep_records i, deep_records j, vreal shift_x, vreal shift_y)
{
    const vreal zero = v_set1(0);

    /* Relative position and velocity, at the later time. */
    vreal start = v_max(i.t, j.t), di = start - i.t, dj = start - j.t;
    vreal px = j.x + j.vx * dj - (i.x + i.vx * di);
    vreal py = j.y + j.vy * dj - (i.y + i.vy * di);
    px = px + shift_x;
    py = py + shift_y;
    vreal vx = j.vx - i.vx, vy = j.vy - i.vy;

    vreal b = px * vx + py * vy;
    vreal c = px * px + py * py - v_set1(1);
    vreal a = vx * vx + vy * vy;
    vreal cross = px * vy - py * vx, d = a - cross * cross;

    vmask approaching = v_lt(b, zero), inside = v_le(c, zero);
    vmask meet = m_and(approaching, m_or(inside, v_ge(d, zero)));
    vreal root = v_sqrt(v_max(d, zero)), wait = c / (root - b);
    vreal time = start + v_select(inside, zero, wait);
    return v_select(meet, time, v_set1(DEEP_NEVER));
}

#endif
