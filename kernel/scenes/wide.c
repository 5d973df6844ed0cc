/* SPDX-License-Identifier: MIT
 * The wide engine: a lane a world; see scenes/engine.h.
 */
#include "scenes/wide_play.h"

static size_t wide_row_bytes(const scene_frozen *s, size_t element)
{
    return wide_round_up((size_t)s->bodies * CAROM_TILE * element);
}

static size_t wide_scratch_bytes(const scene_frozen *s)
{
    return 6 * wide_row_bytes(s, sizeof(real)) + wide_row_bytes(s, sizeof(int32_t)) +
           wide_round_up(((size_t)s->walls + s->polygons) * sizeof(wide_box));
}

static wide wide_begin(scene_tick *k)
{
    const scene_frozen *s = k->scene;
    const size_t row = wide_row_bytes(s, sizeof(real));
    unsigned char *memory = (unsigned char *)k->scratch;
    wide w;
    w.k = k;
    w.s = s;
    w.x = (real *)(void *)memory;
    w.y = (real *)(void *)(memory + row);
    w.vx = (real *)(void *)(memory + 2 * row);
    w.vy = (real *)(void *)(memory + 3 * row);
    w.t = (real *)(void *)(memory + 4 * row);
    w.near = (real *)(void *)(memory + 5 * row);
    w.last = (int32_t *)(void *)(memory + 6 * row);
    w.boxes = (wide_box *)(void *)(memory + 6 * row + wide_row_bytes(s, sizeof(int32_t)));
    w.width = v_set1(s->x1 - s->x0);
    w.height = v_set1(s->y1 - s->y0);
    w.images = wide_images(s);
    wide_find_boxes(&w);
    for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
        if ((k->worlds >> lane & 1) != 0) {
            w.crossed[lane] = 0;
            k->impacts[lane] = k->sensed[lane] = k->watched_impacts[lane] = 0;
            k->fault[lane] = 0;
        }
    }
    return w;
}

/* The records of a register group at the start of the tick. */
static void wide_load(const wide *w, unsigned at)
{
    const scene_frozen *s = w->s;
    const int8_t *actives = scene_actives(w->k);
    for (uint32_t b = 0; b < s->bodies; b++) {
        const size_t row = (size_t)b * CAROM_TILE + at;
        const vmask active = m_not(i_eq(i_load8(actives + row), i_set1(0)));
        const vreal nowhere = v_set1((real)__builtin_nan(""));
        v_store(w->x + row, v_select(active, v_load(scene_reals(w->k, s->x) + row), nowhere));
        v_store(w->y + row, v_select(active, v_load(scene_reals(w->k, s->y) + row), nowhere));
        v_store(w->vx + row, v_load(scene_reals(w->k, s->vx) + row));
        v_store(w->vy + row, v_load(scene_reals(w->k, s->vy) + row));
        v_store(w->t + row, v_set1(0));
        i_store32(w->last + row, i_set1(-1));
        v_store(w->near + row, wide_near(s, wide_circle(w, b, at), w->k->dt));
    }
}

/* Moves the lanes that are done to the end of the tick, in the tile. */
static void wide_finish(const wide *w, unsigned at, unsigned done)
{
    const scene_frozen *s = w->s;
    const int8_t *actives = scene_actives(w->k);
    const vreal end = v_set1(w->k->dt);
    for (uint32_t b = 0; b < s->bodies; b++) {
        const size_t row = (size_t)b * CAROM_TILE + at;
        const vmask moves = m_andnot(m_from_bits(done), i_eq(i_load8(actives + row), i_set1(0)));
        const scene_circle c = scene_moved(s, wide_circle(w, b, at), end);
        real *x = scene_reals(w->k, s->x) + row, *y = scene_reals(w->k, s->y) + row;
        real *vx = scene_reals(w->k, s->vx) + row, *vy = scene_reals(w->k, s->vy) + row;
        v_store(x, v_select(moves, c.x, v_load(x)));
        v_store(y, v_select(moves, c.y, v_load(y)));
        v_store(vx, v_select(moves, c.vx, v_load(vx)));
        v_store(vy, v_select(moves, c.vy, v_load(vy)));
    }
}

static void wide_group(wide *w, unsigned at, unsigned worlds)
{
    const bool level = w->s->advance == CAROM_ADVANCE_ALL;
    unsigned active = worlds, faulty = 0;
    wide_load(w, at);
    for (bool start = true; active != 0; start = false) {
        wide_first first = wide_scan(w, at, level || start);
        unsigned have = active & m_bits(v_lt(first.time, v_set1(SCENE_NEVER)));
        if (have != active && w->s->late) {
            const vmask none = m_from_bits(active & ~have);
            wide_first late = wide_none();
            wide_scan_late(w, at, &late);
            first.time = v_select(none, late.time, first.time);
            first.nx = v_select(none, late.nx, first.nx);
            first.ny = v_select(none, late.ny, first.ny);
            first.first = i_select(none, late.first, first.first);
            first.second = i_select(none, late.second, first.second);
            first.part = i_select(none, late.part, first.part);
            have = active & m_bits(v_lt(first.time, v_set1(SCENE_NEVER)));
        }
        active = have;
        if (active != 0) {
            const unsigned over = wide_play(w, at, &first, active);
            active &= ~over;
            faulty |= over;
        }
    }
    wide_finish(w, at, worlds & ~faulty);
}

static void wide_tick(scene_tick *k)
{
    wide w = wide_begin(k);
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        const unsigned worlds = k->worlds >> at & ((1u << (LANES - 1) << 1) - 1);
        if (worlds != 0) {
            wide_group(&w, at, worlds);
        }
    }
}

CAROM_EXTERN const scene_engine CAROM_KERNEL(scene_wide);
const scene_engine CAROM_KERNEL(scene_wide) = {wide_scratch_bytes, wide_tick};
