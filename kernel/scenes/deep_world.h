/* SPDX-License-Identifier: MIT
 * A scene's world in the deep engine: bodies in order of cells, the next events of each, and the cells.
 */
#ifndef CAROM_SCENES_DEEP_WORLD_H
#define CAROM_SCENES_DEEP_WORLD_H

#include "base/progress.h"
#include "deep/state.h"
#include "scenes/engine.h"
#include "scenes/motion.h"
#include "scenes/settle.h"

#define DEEP_CHUNK 1024 /* events, or bodies, between two checks of the cancel flag */
#define DEEP_IMAGES 3   /* of a body, in either direction of a periodic box: 0, -w, w */

/* One cache line: a body's record (see motion.h), and its data for predictions of other bodies. */
typedef struct deep_body {
    alignas(64) real x;
    real y, vx, vy;
    real t; /* the body's own time, in the tick `tick`: x .. vy are as of then */
    real r;
    int32_t tick;
    uint32_t changes; /* counts the record's changes: predictions with an older count are stale */
    uint32_t cell;    /* as of grid_name(), or DEEP_NOWHERE */
    int32_t id;       /* in the scene */
} deep_body;

#define DEEP_STRIDE (64 / sizeof(real)) /* reals from a body to the next */

/* A body's next events, each as the tick in which it is due and its time there: the body waits for the earliest. */
typedef struct deep_plan {
    alignas(64) deep_meeting meeting;
    real wall;                            /* its contact with a side, wall or polygon */
    real leaves;                          /* it leaves its cell */
    real met;                             /* time of its last meeting; valid if its record is of the present tick */
    int32_t meets_in, hits_in, leaves_in; /* the ticks; DEEP_NOT_DUE where the time is infinite */
    int32_t last;                         /* the id of what it met last, or -1 */
    uint32_t wall_id;
    uint8_t image; /* of the meeting, as seen by the body with the lower id: see motion.h */
    uint8_t way;   /* to the next cell: 0 left, 1 right, 2 lower, 3 upper */
} deep_plan;

#define DEEP_NOT_DUE INT32_MAX

/* A time, as a tick and the time within it. */
typedef struct deep_due {
    int32_t tick;
    real time;
} deep_due;

/* How a body has settled: see scenes/deep_settle.h. */
typedef enum deep_state {
    DEEP_FREE,    /* not at all */
    DEEP_SETTLED, /* it moves without acceleration until the end of the tick */
    DEEP_AS_ONE   /* it does so, with the same velocity as its whole group */
} deep_state;

/* A body's data for settling. */
typedef struct deep_rest {
    real struck;     /* the time of its last counted impact */
    real vx, vy;     /* of a settled body: its velocity at the end of the tick; until then it moves with its record's */
    uint32_t shorts; /* short impacts in a row */
    int32_t member;  /* 1 + its index in deep_world.group; 0: not in it */
    uint8_t state;   /* deep_state */
    uint8_t meetings; /* with other settled bodies since its group was last solved or united */
    uint8_t rounds;   /* how often such meetings have led to solving its group */
} deep_rest;

/* A body moved to the time at which its group settles. */
typedef struct deep_spot {
    real x, y, vx, vy;
    real r, rough; /* its radius; the possible rounding error of its position, see scene_fuzz() */
} deep_spot;

/* The record of a body before its first change in a tick. */
typedef struct deep_undo {
    real x, y, vx, vy, t;
    int32_t body, tick;
} deep_undo;

/* A world. All arrays are in the thread's scratch. Records, predictions and cells may live on from tick to tick of a
 * call (`alive`), without being written to the tile until that is necessary (deep_catch_up()). Results never depend on
 * that. */
typedef struct deep_world {
    bool alive;          /* all below are as of the end of the previous tick */
    bool leaves_box;     /* a body may be where rounding exceeds `slack`: set up the world again for the next tick */
    unsigned char *tile; /* of this world, if it is alive */
    uint32_t numbers;    /* the hash of the world's own numbers, if records depend on any */
    int32_t until;       /* the tick for which it is set up again at the latest */
    int32_t *renew;      /* [loop.bodies], in scenes with accelerations: the tick in which the record ends */
    deep_undo *undo;     /* [undo_count], if records outlive ticks: this tick's changes */
    uint32_t undo_count;
    uint32_t queue_for; /* bodies that the queue has room for */
    uint64_t played;    /* events of the last tick, crossings of cells included */
    uint64_t lived;     /* of all ticks since the world was set up */
    real roam;          /* a bound on |x| + |y| + radius, as `slack` assumes */
    real travel;        /* time during which a body must stay within that */
    real horizon;       /* time from the start of this tick after which no event is searched for */
    scene_tick *tick;
    unsigned lane; /* of the tile: 0 unless the world comes from the wide engine */
    const scene_frozen *scene;
    deep_loop loop; /* queue and cells, of the active bodies only */
    real dt, inverse_dt;
    int32_t now;      /* the current tick; loop.now is the time in it */
    int32_t *due;     /* [loop.bodies]: the tick of its next event */
    deep_body *body;  /* [loop.bodies], in order of their cells at the tick's start, then those outside the cells */
    deep_plan *plan;  /* [loop.bodies] */
    int32_t *outside; /* bodies outside the cells: large ones, and those that move too fast */
    uint32_t outside_count;

    /* Cells: column c of the grid lies between edges_x[c - 1] and edges_x[c]. */
    real *edges_x, *edges_y;           /* [columns + 1], [rows + 1]; the outermost are infinite */
    uint32_t inner_x[2], inner_y[2];   /* the first and last column, and row, from which no side is within reach */
    real x0, y0, inverse_x, inverse_y; /* start of column and row 1; columns and rows per unit of length */
    real cell_width;
    real slack;    /* more than the rounding error of a body's computed position */
    real overlap;  /* of cells: an accelerated body leaves its cell this far beyond its edge */
    real farthest; /* a bound on |x| + |y| of the records of earlier ticks, at the start of the tick */
    real far;      /* a body that may move further than this within a tick is outside the cells */

    bool images;             /* the box is periodic */
    bool narrow_x, narrow_y; /* so narrow that two bodies may see each other in several images */
    bool equal;              /* all radii are equal */
    bool simple;             /* every pair strikes, without accelerations, by the default solver */
    real shift_x[DEEP_IMAGES], shift_y[DEEP_IMAGES]; /* of images: 0, -width, width; 0, -height, height */

    /* Only until there are plans, which share their memory. */
    real *start;           /* x, y, vx, vy at the tick's start, in order of ids, or at its end, in order of bodies */
    uint32_t *start_cells; /* in order of ids */
    int32_t *ids;          /* of the active bodies */
    int32_t *order;        /* [body]: its index in ids[] */

    bool cancelled;                    /* by the caller */
    uint32_t impacts, sensed, watched; /* as in scene_tick */
    uint64_t passages;                 /* through periodic sides */

    /* Settling, see deep_settle.h. */
    bool counts;       /* short impacts are counted: rest[] is valid */
    bool settled;      /* a body has settled in this tick */
    bool calm;         /* the current impact is one of settled bodies: no restitution */
    bool spent_only;   /* while a group is gathered: only spent bodies join it */
    bool stuck;        /* a group that moves as one cannot move */
    deep_rest *rest;   /* [loop.bodies] */
    deep_spot *spot;   /* [loop.bodies], valid for members of the group */
    int32_t *group;    /* bodies that settle now */
    int32_t *partners; /* bodies that one of them touches */
    uint32_t group_count, partner_count;
    settle_group settling;
    real common_x, common_y; /* the velocity of a group that moves as one */
    struct {
        real nx, ny;
        uint32_t part;
    } wall_hit; /* the contact with a wall that leads to settling, if events are recorded */
} deep_world;

typedef deep_world rules_world;
#include "deep/loop.h"

/* Has the caller cancelled the call? Once seen, it stays so. */
CAROM_LANE bool deep_is_cancelled(deep_world *w)
{
    w->cancelled = w->cancelled || progress_cancelled(w->tick->cancel);
    return w->cancelled;
}

/* Counts an impact, also for the scene's rules. */
CAROM_LANE void deep_tally(deep_world *w, const scene_impact *seen, bool senses)
{
    const scene_tick *k = w->tick;
    const bool pair = seen->kind == CAROM_IMPACT_BODY;
    w->impacts++;
    w->sensed += senses;
    w->watched += seen->first == k->watched || (pair && seen->second == k->watched);
    if (k->met != NULL) {
        scene_count_meeting(k, w->lane, seen->first, seen->id, senses);
    }
}

/* ---- times ---- */

/* The first tick, from tick l on, in which a time of e after the start of l is due, and its time there. It is never
 * before the current tick, within rounding. */
CAROM_LANE deep_due deep_due_of(const deep_world *w, int32_t l, real e)
{
    const deep_due never = {DEEP_NOT_DUE, SCENE_NEVER};
    deep_due due = {l, e > 0 ? e : 0};
    if (!w->scene->goes_on) {
        due.time = e;
        return e <= w->dt ? due : never; /* the loop ends slightly later than the tick */
    }

    /* Correct a quotient that rounding has made too large or too small, by the rule itself. */
    if (!(e <= w->dt)) {
        const real ticks = e * w->inverse_dt;
        if (!(ticks < (real)(DEEP_NOT_DUE / 2)) || (int32_t)ticks > DEEP_NOT_DUE - 2 - l) {
            return never;
        }
        int32_t passed = (int32_t)ticks;
        while (passed > 0 && e - (real)(passed - 1) * w->dt <= w->dt) {
            passed--;
        }
        while (!(e - (real)passed * w->dt <= w->dt)) {
            passed++;
        }
        due.tick = l + passed;
        due.time = e - (real)passed * w->dt;
        due.time = due.time > 0 ? due.time : 0;
    }

    if (due.tick < w->now) {
        due.tick = w->now;
        due.time = 0;
    }
    return due;
}

/* The time of an event in this tick, or infinity if it is due in a later one. */
CAROM_LANE real deep_if_now(const deep_world *w, int32_t tick, real time)
{
    return tick == w->now ? time : SCENE_NEVER;
}

CAROM_LANE bool deep_is_before(int32_t tick, real time, int32_t other_tick, real other)
{
    return tick < other_tick || (tick == other_tick && time < other);
}

/* A due time as seen from the start of this tick, with rounding errors. */
CAROM_LANE real deep_from_now(const deep_world *w, int32_t tick, real time)
{
    return tick == DEEP_NOT_DUE ? SCENE_NEVER : (real)(tick - w->now) * w->dt + time;
}

/* ---- records in lanes ---- */

/* Is the body accelerated? Settled ones have had their acceleration for the rest of the tick. */
CAROM_LANE bool deep_falls(const deep_world *w, size_t i)
{
    return !w->settled || w->rest[i].state == DEEP_FREE;
}
CAROM_LANE real deep_ax(const deep_world *w, size_t i)
{
    return w->scene->accelerates && deep_falls(w, i) ? w->scene->ax[w->body[i].id] : 0;
}
CAROM_LANE real deep_ay(const deep_world *w, size_t i)
{
    return w->scene->accelerates && deep_falls(w, i) ? w->scene->ay[w->body[i].id] : 0;
}

CAROM_LANE real deep_lane0(vreal a)
{
    real lanes[LANES];
    v_storeu(lanes, a);
    return lanes[0];
}

/* The same body in all lanes. */
CAROM_LANE scene_circle deep_repeat(const deep_world *w, const deep_body *b)
{
    const size_t i = (size_t)(b - w->body);
    scene_circle c;
    c.x = v_set1(b->x);
    c.y = v_set1(b->y);
    c.vx = v_set1(b->vx);
    c.vy = v_set1(b->vy);
    c.k = v_set1((real)(b->tick - w->now));
    c.t = v_set1(b->t);
    c.r = v_set1(b->r);
    c.ax = v_set1(deep_ax(w, i));
    c.ay = v_set1(deep_ay(w, i));
    return c;
}

/* Body i at `time` of this tick. */
CAROM_LANE scene_circle deep_moved(const deep_world *w, int32_t i, real time)
{
    return scene_moved(w->scene, deep_repeat(w, &w->body[i]), v_set1(time), v_set1(w->dt));
}

/* The bodies which[0..LANES), one in each lane. */
CAROM_LANE scene_circle deep_gather(const deep_world *w, const int32_t *which)
{
    const scene_frozen *s = w->scene;
    vreal fields[V_ROWS];
    scene_circle c;

    /* Whole records are transposed: x to t are adjacent. */
    v_rows(&w->body[0].x, DEEP_STRIDE, which, fields);
    c.x = fields[0];
    c.y = fields[1];
    c.vx = fields[2];
    c.vy = fields[3];
    c.k = v_set1(0);
    c.t = fields[4];
    if (s->goes_on) {
        int32_t ticks[LANES];
        for (int l = 0; l < LANES; l++) {
            ticks[l] = w->body[which[l]].tick;
        }
        c.k = v_from_int(i_sub(i_loadu32(ticks), i_set1(w->now)));
    }

    if (w->equal) {
        c.r = v_set1(w->body[which[0]].r);
    } else {
        real r[LANES];
        for (int l = 0; l < LANES; l++) {
            r[l] = w->body[which[l]].r;
        }
        c.r = v_loadu(r);
    }

    c.ax = c.ay = v_set1(0);
    if (s->accelerates) {
        real ax[LANES], ay[LANES];
        for (int l = 0; l < LANES; l++) {
            ax[l] = deep_ax(w, (size_t)which[l]);
            ay[l] = deep_ay(w, (size_t)which[l]);
        }
        c.ax = v_loadu(ax);
        c.ay = v_loadu(ay);
    }
    return c;
}

/* Call before the record of body i changes. */
CAROM_LANE void deep_touch(deep_world *w, int32_t i)
{
    deep_body *b = &w->body[i];
    b->changes++;
    if (b->tick != w->now) {
        const deep_undo undo = {b->x, b->y, b->vx, b->vy, b->t, i, b->tick};
        w->undo[w->undo_count++] = undo;
        b->tick = w->now;
        w->plan[i].met = -SCENE_NEVER;
    }
}

/* Call after the record of body i has changed: notes when it ends, and whether the body may move too far. */
static void deep_plan_renewal(deep_world *w, int32_t i)
{
    const deep_body *b = &w->body[i];
    const real speed = scene_amount(b->vx) + scene_amount(b->vy);
    const real gain = scene_amount(deep_ax(w, i)) + scene_amount(deep_ay(w, i));
    const real way = (speed + gain * w->travel) * w->travel;
    w->leaves_box = w->leaves_box || !(scene_amount(b->x) + scene_amount(b->y) + b->r + way <= w->roam);
    if (w->scene->accelerates) {
        const real life = deep_lane0(record_life(w->scene, deep_repeat(w, b), v_set1(w->dt)));
        w->renew[i] = b->tick < INT32_MAX - (int32_t)life ? b->tick + (int32_t)life : INT32_MAX;
    }
}

/* Makes c, the same in all lanes, the record of body i. */
CAROM_LANE void deep_keep(deep_world *w, int32_t i, scene_circle c)
{
    deep_body *b = &w->body[i];
    deep_touch(w, i);
    b->x = deep_lane0(c.x);
    b->y = deep_lane0(c.y);
    b->vx = deep_lane0(c.vx);
    b->vy = deep_lane0(c.vy);
    b->t = deep_lane0(c.t);
}

/* ---- cells ---- */

/* The cell of a position. For bodies that are large, or too fast, deep_take_outside() overrides it. */
CAROM_LANE uint32_t deep_cell_at(const deep_world *w, real x, real y)
{
    return grid_name(grid_index(w->loop.cells.rows, y - w->y0, w->inverse_y),
                     grid_index(w->loop.cells.columns, x - w->x0, w->inverse_x));
}

/* The distance that a body may move until the end of the tick, in either direction. */
CAROM_LANE real deep_way(const deep_world *w, const deep_body *b)
{
    const size_t i = (size_t)(b - w->body);
    const real speed = scene_amount(b->vx) + scene_amount(b->vy);
    const real gain = (scene_amount(deep_ax(w, i)) + scene_amount(deep_ay(w, i))) * w->dt;
    return (speed + gain) * w->dt;
}

CAROM_LANE void deep_take_outside(deep_world *w, int32_t i)
{
    w->body[i].cell = DEEP_NOWHERE;
    w->outside[w->outside_count++] = i;
}

/* Moves a body to the cell of its record, after an event has changed its position or speed. */
CAROM_LANE void deep_place(deep_world *w, int32_t i)
{
    deep_body *b = &w->body[i];
    if (b->cell == DEEP_NOWHERE) {
        return;
    }

    const uint32_t cell = deep_cell_at(w, b->x, b->y);
    const bool tame = deep_way(w, b) <= w->far;
    if (cell != b->cell || !tame) {
        grid_remove(&w->loop.cells, b->cell, i);
        b->cell = cell;
        if (tame) {
            grid_insert(&w->loop.cells, cell, i);
        } else {
            deep_take_outside(w, i);
        }
    }
}

/* Plans when, and in which direction, an accelerated body leaves its cell. The edges are taken an overlap further out,
 * and the search starts now, when the body is inside: so every crossing moves it by at least an overlap, and it cannot
 * cross one edge back and forth forever. */
static void deep_plan_leaving_accelerated(deep_world *w, int32_t i)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    deep_plan *p = &w->plan[i];

    /* Distances to the four edges, at the present time. */
    const real *x = &w->edges_x[grid_column(b->cell)], *y = &w->edges_y[grid_row(b->cell)];
    const real now = b->tick == w->now && b->t > w->loop.now ? b->t : w->loop.now;
    const scene_circle c = deep_moved(w, i, now);
    const vreal low_x = c.x - v_set1(x[-1] - w->overlap), high_x = v_set1(x[0] + w->overlap) - c.x;
    const vreal low_y = c.y - v_set1(y[-1] - w->overlap), high_y = v_set1(y[0] + w->overlap) - c.y;

    real wait[4];
    wait[0] = deep_lane0(scene_reaches(s, low_x, c.vx, c.ax));
    wait[1] = deep_lane0(scene_reaches(s, high_x, -c.vx, -c.ax));
    wait[2] = deep_lane0(scene_reaches(s, low_y, c.vy, c.ay));
    wait[3] = deep_lane0(scene_reaches(s, high_y, -c.vy, -c.ay));

    p->way = 0;
    for (uint8_t way = 1; way < 4; way++) {
        p->way = wait[way] < wait[p->way] ? way : p->way;
    }
    const deep_due due = deep_due_of(w, w->now, now + wait[p->way]);
    p->leaves_in = due.tick;
    p->leaves = due.time;
}

/* The last step of every prediction: also notes the tick in which the body's next event is due. */
CAROM_LANE void deep_plan_leaving(deep_world *w, int32_t i)
{
    deep_plan *p = &w->plan[i];
    if (w->body[i].cell == DEEP_NOWHERE) {
        p->leaves_in = DEEP_NOT_DUE;
        p->leaves = SCENE_NEVER;
    } else if (w->scene->accelerates) {
        deep_plan_leaving_accelerated(w, i);
    } else {
        const deep_departure d = deep_departs(w, i, w->edges_x, w->edges_y);
        const deep_due due = deep_due_of(w, w->body[i].tick, d.time);
        p->leaves_in = due.tick;
        p->leaves = due.time;
        p->way = d.way;
    }

    const int32_t impact = p->meets_in < p->hits_in ? p->meets_in : p->hits_in;
    w->due[i] = impact < p->leaves_in ? impact : p->leaves_in;
    if (w->scene->goes_on) {
        deep_plan_renewal(w, i);
        w->due[i] = w->scene->accelerates && w->renew[i] < w->due[i] ? w->renew[i] : w->due[i];
    }
}

#endif
