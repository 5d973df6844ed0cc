/* SPDX-License-Identifier: MIT
 * The rules of stones, from top to bottom: the start, pushes, the end of a tick, the tick, rewards and the end of a
 * game. The sweeps, in which stones hit each other, are in sweep.h.
 *
 * stones has a separate tick (RULES_PLAY_OWN). The common ticks take impacts in the order of their times; sweeps do
 * not: they go through the stones in the order of their list, and a stone that was hit starts again with the time that
 * it has left.
 */
#ifndef CAROM_GAMES_STONES_RULES_H
#define CAROM_GAMES_STONES_RULES_H

#include "base/random.h"
#include "games/stones/sweep.h"

/* ---- the start, and valid states ---- */

/* A random number in [-8, 8], a multiple of 1/256, which is exact in both precisions. */
static real stones_jitter(random_stream *stream)
{
    return (real)((int32_t)random_below(stream, 2 * STONES_START_JITTER + 1) - STONES_START_JITTER) / 256;
}

/* A new game: two blocks of stones, four in a column, that face each other. Player 1's block is player 0's rotated by
 * 180 degrees. */
static void rules_start(const stones_context *context, uint64_t seed, tick_world w)
{
    random_stream stream = random_begin(seed, world_id(w), STONES_DRAW_GAME, world_episode(w));
    real x = 0, y = 0, power = 1;
    for (int i = 0; i < STONES_MAX; i++) {
        /* Stones 0, 2, ... are player 0's; each is followed by its mirror image. */
        const int column = i / 2 / STONES_START_COLUMN, row = i / 2 % STONES_START_COLUMN;
        if (i % 2 == 0) {
            x = (real)(STONES_START_LEFT - STONES_START_APART * column) + stones_jitter(&stream);
            y = (real)(STONES_START_TOP + STONES_START_APART * row) + stones_jitter(&stream);
            power = (real)(1 + random_below(&stream, STONES_START_POWERS));
        } else {
            x = -x;
            y = -y;
        }

        *at_px(w, i) = x - (real)STONES_START_RADIUS;
        *at_py(w, i) = y - (real)STONES_START_RADIUS;
        *at_radius(w, i) = (real)STONES_START_RADIUS;
        *at_power(w, i) = power;
        *at_friction(w, i) = (real)STONES_START_FRICTION;
        *at_unused(w, i) = -1;
        *at_speed(w, i) = *at_course(w, i) = 0;
        *at_curve(w, i) = *at_shot_course(w, i) = *at_origin_x(w, i) = *at_origin_y(w, i) = 0;
        *at_shot_distance(w, i) = *at_shot_traveled(w, i) = 0;
        *at_next_x(w, i) = *at_next_y(w, i) = 0;
        *at_shot(w, i) = 0;
        *at_in_play(w, i) = (uint32_t)i < context->stones;
    }
    *at_sweeps(w, 0) = 0;
    *at_winner(w, 0) = -1;
}

/* False for NaN, as every comparison with it is. */
static bool stones_is_in(real value, real least, real most)
{
    return value >= least && value <= most;
}

static bool stones_is_near(real value, real range)
{
    return stones_is_in(value, -range, range);
}

/* Is this state valid? */
static bool rules_check(const stones_context *context, tick_world w)
{
    for (int i = 0; i < STONES_MAX; i++) {
        const real places[] = {*at_px(w, i),     *at_py(w, i),     *at_origin_x(w, i), *at_origin_y(w, i),
                               *at_next_x(w, i), *at_next_y(w, i), *at_speed(w, i),    *at_shot_traveled(w, i)};
        for (int k = 0; k < 8; k++) {
            if (!stones_is_near(places[k], STONES_RANGE)) {
                return false;
            }
        }

        /* Each parameter has its bounds; only stones of the batch can be in play. */
        if (!stones_is_near(*at_course(w, i), (real)STONES_COURSE) ||
            !stones_is_near(*at_shot_course(w, i), (real)STONES_COURSE) || *at_speed(w, i) < 0 ||
            !stones_is_near(*at_curve(w, i), (real)STONES_CURVE) ||
            !stones_is_near(*at_shot_distance(w, i), REAL_MAX) || !stones_is_in(*at_unused(w, i), -1, 1) ||
            !stones_is_in(*at_radius(w, i), (real)STONES_LEAST, (real)STONES_MOST_RADIUS) ||
            !stones_is_in(*at_power(w, i), (real)STONES_LEAST, (real)STONES_MOST_POWER) ||
            !stones_is_in(*at_friction(w, i), (real)STONES_LEAST, (real)STONES_MOST_FRICTION) ||
            !stones_is_in(*at_shot(w, i), 0, 1) || !stones_is_in(*at_in_play(w, i), 0, (uint32_t)i < context->stones)) {
            return false;
        }
    }
    return stones_is_in(*at_sweeps(w, 0), 0, STONES_SWEEPS) && stones_is_in(*at_winner(w, 0), -1, 1);
}

/* Derived fields: cosine and sine of the courses, by the lanes' functions for the same bits. */
static void rules_derive(const stones_context *context, tick_world w)
{
    (void)context;
    alignas(64) real cosine[LANES], sine[LANES];
    for (int i = 0; i < STONES_MAX; i++) {
        vreal s, c;
        fd_sincos(v_set1(*at_course(w, i)), &s, &c);
        v_store(cosine, c);
        v_store(sine, s);
        *at_course_cos(w, i) = cosine[0];
        *at_course_sin(w, i) = sine[0];
    }
}

/* ---- RULES.md, Pushes: the path ---- */

/* How far a push with `speed` takes a stone: the sum of its speeds, speed * friction^k, down to STONES_STOP_SPEED. */
CAROM_LANE vreal stones_travel(vreal speed, vreal friction)
{
    vreal one = v_set1(REAL(1.0)), stop = v_set1((real)STONES_STOP_SPEED) / speed;
#if CAROM_REAL_BITS == 64
    vreal n = fd_log(stop) / fd_log(friction);
    vreal left = fd_pow(friction, n + one);
#else
    vreal left = stop * friction;
#endif
    return speed * (one - left) / (one - friction);
}

/* The path of a push: curve k, course c at its beginning, its origin (the stone's corner then) and its length. */
typedef struct stones_path {
    vreal curve, course, origin_x, origin_y, distance;
} stones_path;

/* The phase of a path after `progress`: 0 at its beginning, pi at its end. */
CAROM_LANE vreal stones_phase(const stones_path *path, vreal progress)
{
    return progress / path->distance * v_set1(V_PI);
}

/* The point of a path at `progress`. See RULES.md, Pushes. */
CAROM_LANE void stones_point(const stones_path *path, vreal progress, vreal *x, vreal *y)
{
    vreal zero = v_set1(REAL(0.0)), side = zero, angle = path->course, s, c;

    /* A straight path has neither offset nor angle. Where the phase is out of range the path has no point: NaN. */
    vmask bent = v_ne(path->curve, zero);
    if (m_any(bent)) {
        vreal phase = stones_phase(path, progress);
        fd_sincos(phase, &s, &c);
        s = v_select(stones_within(phase, FD_RANGE), s, zero / zero);
        side = v_select(bent, s * path->curve, zero);
        angle = v_select(bent, angle - fd_atan(side / phase), angle);
    }

    vreal r = stones_length(progress, side / v_set1(V_PI) * path->distance);
    fd_sincos(angle, &s, &c);
    *x = path->origin_x + c * r;
    *y = path->origin_y + s * r;
}

/* The course from corner (x, y) to corner (to_x, to_y), computed between the centres as the plugin does. */
CAROM_LANE vreal stones_aim(vreal x, vreal y, vreal radius, vreal to_x, vreal to_y)
{
    return fd_atan2(to_y + radius - (y + radius), to_x + radius - (x + radius));
}

/* ---- RULES.md, Pushes ---- */

/* Pushes stone name[lane] in the given lanes. If `own` is a player, only that player's stones at rest may be pushed;
 * -1: any stone in play. An illegal push has no effect. */
CAROM_LANE void stones_push(stones_group *g, vint name, vreal course, vreal speed, vreal curve, vmask lanes, int own)
{
    vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), half = v_set1(REAL(0.5));
    lanes = m_and(lanes,
                  m_and(v_ge(speed, v_set1((real)STONES_LEAST_SPEED)),
                        m_and(stones_within(course, (real)STONES_COURSE), stones_within(curve, (real)STONES_CURVE))));

    speed = v_min(speed, v_set1((real)STONES_MAX_SPEED));
    uint32_t bits = stones_named(i_and(name, i_set1(STONES_MAX - 1)), m_bits(lanes));
    bits &= own < 0 ? UINT32_MAX : own == 0 ? 0x55555555u : 0xaaaaaaaau;
    bits &= g->stones < STONES_MAX ? (UINT32_C(1) << g->stones) - 1 : UINT32_MAX;

    /* Lanes mostly push different stones: collect their numbers, so that the path is computed once. */
    vmask found = m_from_bits(0), shot = found;
    vreal x = zero, y = zero, radius = one, friction = half, next_x = zero, next_y = zero;
    EACH_STONE (i, bits) {
        vmask is = m_and(m_and(lanes, i_eq(name, i_set1((int32_t)i))), m_from_bits(g->in_play[i]));
        if (own >= 0) {
            is = m_and(is, v_eq(g->speed[i], zero));
        }
        found = m_or(found, is);
        shot = m_or(shot, m_and(is, m_from_bits(g->shot[i])));
        x = v_select(is, g->x[i], x);
        y = v_select(is, g->y[i], y);
        radius = v_select(is, stones_radius(g, i), radius);
        friction = v_select(is, get_friction(g->w, i), friction);
        next_x = v_select(is, g->next_x[i], next_x);
        next_y = v_select(is, g->next_y[i], next_y);
    }
    if (!m_any(found)) {
        return;
    }

    /* The path. Lanes without a push may hold anything, so give them a harmless speed. */
    speed = v_select(found, speed, one);
    stones_path path = {curve, course + curve * v_set1(V_HALF_PI), x, y, stones_travel(speed, friction)};
    found = m_and(found, stones_within(stones_phase(&path, speed), FD_RANGE));

    /* A stone that is still on a path, or rests at the end of one unhit, first moves to that path's next point. */
    vmask fresh = m_andnot(found, shot);
    if (m_any(fresh)) {
        vreal first_x, first_y;
        stones_point(&path, speed, &first_x, &first_y);
        next_x = v_select(fresh, first_x, next_x);
        next_y = v_select(fresh, first_y, next_y);
    }

    vreal aim = stones_aim(x, y, radius, next_x, next_y), s, c;
    fd_sincos(aim, &s, &c);
    EACH_STONE (i, bits) {
        vmask is = m_and(found, i_eq(name, i_set1((int32_t)i)));
        g->course[i] = v_select(is, aim, g->course[i]);
        g->cos[i] = v_select(is, c, g->cos[i]);
        g->sin[i] = v_select(is, s, g->sin[i]);
        g->speed[i] = v_select(is, speed, g->speed[i]);
        g->distance[i] = v_select(is, path.distance, g->distance[i]);
        g->shot_course[i] = v_select(is, path.course, g->shot_course[i]);
        g->curve[i] = v_select(is, curve, g->curve[i]);
        g->origin_x[i] = v_select(is, x, g->origin_x[i]);
        g->origin_y[i] = v_select(is, y, g->origin_y[i]);
        g->traveled[i] = v_select(is, zero, g->traveled[i]);
        g->next_x[i] = v_select(is, next_x, g->next_x[i]);
        g->next_y[i] = v_select(is, next_y, g->next_y[i]);
        g->shot[i] = (uint16_t)(g->shot[i] | m_bits(is));
    }
    g->changed |= bits;
}

/* The push in numbers e .. e + 3 of an action: stone, course, speed, curve. */
CAROM_LANE void stones_push_numbered(stones_group *g, tick_numbers numbers, unsigned e, int own)
{
    vreal speed = number_f64(numbers, e + 2);
    vmask lanes = m_and(m_from_bits(g->active), v_gt(speed, v_set1(REAL(0.0))));
    if (m_any(lanes)) {
        vreal number = number_f64(numbers, e);
        lanes = m_and(lanes, m_and(v_ge(number, v_set1(REAL(0.0))), v_lt(number, v_set1((real)STONES_MAX))));
        number = v_select(lanes, number, v_set1(REAL(0.0)));
        lanes = m_and(lanes, v_eq(number, v_trunc(number)));
        stones_push(g, v_truncate(number), number_f64(numbers, e + 1), speed, number_f64(numbers, e + 3), lanes, own);
    }
}

/* Clamps a to [-1, 1]; NaN becomes 0. */
CAROM_LANE vreal stones_clamped(vreal a)
{
    a = v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
    return v_max(v_min(a, v_set1(REAL(1.0))), v_set1(REAL(-1.0)));
}

/* The push in numbers e .. e + 3 of a normalised action, whose first chooses among the stones that the player may
 * push. */
CAROM_LANE void stones_push_normalised(stones_group *g, tick_numbers numbers, unsigned e, int player)
{
    vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), count = zero;
    vreal speed = stones_clamped(number_f32(numbers, e + 2));
    vmask lanes = m_and(m_from_bits(g->active), v_gt(speed, zero));
    if (!m_any(lanes)) {
        return;
    }

    /* Count the stones that may be pushed. */
    for (int i = player; i < g->stones; i += 2) {
        vmask may = m_and(m_from_bits(g->in_play[i]), v_eq(g->speed[i], zero));
        count = count + v_select(may, one, zero);
    }
    vreal half = v_set1(REAL(0.5)), where = stones_clamped(number_f32(numbers, e));
    vreal place = (where + one) * half * count;
    place = v_min(v_trunc(place), count - one); /* -1 if there is none */

    /* Find the stone at that position. */
    vint name = i_set1(STONES_MAX);
    for (int i = player; i < g->stones; i += 2) {
        vmask may = m_and(m_from_bits(g->in_play[i]), v_eq(g->speed[i], zero));
        name = i_select(m_and(may, v_eq(place, zero)), i_set1(i), name);
        place = v_select(may, place - one, place);
    }

    lanes = m_and(lanes, i_gt(i_set1(STONES_MAX), name));
    stones_push(g, name, stones_clamped(number_f32(numbers, e + 1)) * v_set1(V_PI),
                speed * v_set1((real)STONES_MAX_SPEED), stones_clamped(number_f32(numbers, e + 3)), lanes, player);
}

/* All pushes of the tick. */
CAROM_LANE void stones_act(const tick_run *run, stones_group *g)
{
    for (unsigned player = 0; player < 2; player++) {
        const uint32_t kind = run_kind_of(run, run->tick->kind, player);
        const tick_numbers numbers = run_numbers_of(run, run_numbers(run, g->home), run->tick->kind, player);
        const unsigned pushes = kind == STONES_ENGINE ? CAROM_STONES_PUSHES : 1;
        unsigned e = player * pushes * STONES_PUSH_SIZE;
        if (kind == STONES_NORMALISED) {
            stones_push_normalised(g, numbers, e, (int)player);
            continue;
        }
        for (unsigned k = 0; k < pushes; k++, e += STONES_PUSH_SIZE) {
            stones_push_numbered(g, numbers, e, kind == STONES_ENGINE ? -1 : (int)player);
        }
    }
}

/* ---- RULES.md, The end of a tick ---- */

/* Moves stone i for the rest of its tick and slows it down. On a path it goes to its next point, and the one after that
 * is computed, with the speed before friction. */
CAROM_LANE void stones_move(stones_group *g, uint32_t i)
{
    vmask moving = m_from_bits(g->moving[i] & g->active), shot = m_and(moving, m_from_bits(g->shot[i]));
    vreal speed = g->speed[i], unused = g->unused[i], zero = v_set1(REAL(0.0));
    vreal x = g->x[i] + g->cos[i] * speed * unused;
    vreal y = g->y[i] + g->sin[i] * speed * unused;
    vreal traveled = g->traveled[i] + speed;
    if (m_any(shot)) {
        const stones_path path = {g->curve[i], g->shot_course[i], g->origin_x[i], g->origin_y[i], g->distance[i]};
        vreal next_x, next_y;
        x = v_select(shot, g->next_x[i], x);
        y = v_select(shot, g->next_y[i], y);
        stones_point(&path, traveled + speed, &next_x, &next_y);
        g->next_x[i] = v_select(shot, next_x, g->next_x[i]);
        g->next_y[i] = v_select(shot, next_y, g->next_y[i]);
    }

    speed = speed * get_friction(g->w, i);
    speed = v_select(v_lt(speed, v_set1((real)STONES_STOP_SPEED)), zero, speed);
    g->x[i] = v_select(moving, x, g->x[i]);
    g->y[i] = v_select(moving, y, g->y[i]);
    g->traveled[i] = v_select(moving, traveled, g->traveled[i]);
    g->speed[i] = v_select(moving, speed, g->speed[i]);
    g->unused[i] = v_select(moving, zero, g->unused[i]);
}

/* Moves all stones, and turns those on a path to their next point. Each step is done for all stones before the next
 * one, because steps of different stones are independent and overlap in the processor. */
CAROM_LANE void stones_move_all(stones_group *g)
{
    uint32_t moving = 0, turning = 0;
    for (uint32_t i = 0; i < (uint32_t)g->stones; i++) {
        const unsigned lanes = g->moving[i] & g->active;
        moving |= (uint32_t)(lanes != 0) << i;
        turning |= (uint32_t)((lanes & g->shot[i]) != 0) << i;
    }

    EACH_STONE (i, moving) {
        stones_move(g, i);
    }
    EACH_STONE (i, turning) {
        vreal course = stones_aim(g->x[i], g->y[i], stones_radius(g, i), g->next_x[i], g->next_y[i]);
        g->course[i] = v_select(m_from_bits(g->moving[i] & g->active & g->shot[i]), course, g->course[i]);
    }
    EACH_STONE (i, turning) {
        /* In every lane: an unchanged course gives the same sine and cosine. */
        fd_sincos(g->course[i], &g->sin[i], &g->cos[i]);
    }
    g->changed |= moving;
}

/* The plugin's collisionCheck: the first pair whose corners are closer than the sum of radii gets courses as in a
 * hit. */
CAROM_LANE void stones_check_pairs(stones_group *g)
{
    unsigned lanes = g->active;
    for (uint32_t i = 0; i < (uint32_t)g->stones; i++) {
        for (uint32_t j = i + 1; j < (uint32_t)g->stones && lanes != 0; j++) {
            vreal apart = stones_length(g->x[i] - g->x[j], g->y[i] - g->y[j]);
            vmask near = v_lt(apart, stones_radius(g, i) + stones_radius(g, j));
            near = m_and(near, m_from_bits(lanes & g->in_play[i] & g->in_play[j]));
            if (!m_any(near)) {
                continue;
            }

            /* The first of the pair is the striker: it leaves across the normal, the other along it. */
            vreal n = fd_atan2(g->y[j] - g->y[i], g->x[j] - g->x[i]), s, c;
            vreal tangent = stones_tangent(n, stones_relative(g->course[i], n));
            fd_sincos(tangent, &s, &c);
            g->course[i] = v_select(near, tangent, g->course[i]);
            g->cos[i] = v_select(near, c, g->cos[i]);
            g->sin[i] = v_select(near, s, g->sin[i]);
            fd_sincos(n, &s, &c);
            g->course[j] = v_select(near, n, g->course[j]);
            g->cos[j] = v_select(near, c, g->cos[j]);
            g->sin[j] = v_select(near, s, g->sin[j]);
            g->changed |= UINT32_C(1) << i | UINT32_C(1) << j;
            lanes &= ~m_bits(near);
        }
    }
}

/* The active lanes in which all numbers are in range; *nan: other lanes that hold a NaN. Stones that have not changed
 * are already in range. */
CAROM_LANE vmask stones_in_range(const stones_group *g, unsigned *nan)
{
    vmask in_range = m_from_bits(g->active);
    EACH_STONE (i, g->changed) {
        vmask shot = m_from_bits(g->shot[i]), there = m_from_bits(g->in_play[i] & g->active);
        vreal zero = v_set1(REAL(0.0));

        /* Path points count only on a path. */
        const vreal numbers[6] = {g->x[i],
                                  g->y[i],
                                  g->speed[i],
                                  g->traveled[i],
                                  v_select(shot, g->next_x[i], zero),
                                  v_select(shot, g->next_y[i], zero)};

        vmask good = stones_within(g->course[i], (real)STONES_COURSE);
        for (int k = 0; k < 6; k++) {
            good = m_and(good, stones_within(numbers[k], STONES_RANGE));
        }

        vmask bad = m_andnot(there, good);
        if (m_any(bad)) {
            vmask is_nan = v_ne(g->course[i], g->course[i]);
            for (int k = 0; k < 6; k++) {
                is_nan = m_or(is_nan, v_ne(numbers[k], numbers[k]));
            }
            *nan |= m_bits(m_and(bad, is_nan));
            in_range = m_andnot(in_range, bad);
        }
    }
    return in_range;
}

/* Takes stones outside the ring out of play. out[p] counts those of player p in each lane; returns all. */
CAROM_LANE unsigned stones_leave(stones_group *g, vmask keep, vreal out[2])
{
    vreal ring = v_set1((real)g->context->ring), one = v_set1(REAL(1.0)), zero = v_set1(REAL(0.0));
    unsigned all = 0;
    for (uint32_t i = 0; i < (uint32_t)g->stones; i++) {
        vreal x = g->x[i] + stones_radius(g, i), y = g->y[i] + stones_radius(g, i);
        vmask outside = v_gt(x * x + y * y, ring * ring);
        outside = m_and(outside, m_and(keep, m_from_bits(g->in_play[i])));
        unsigned bits = m_bits(outside);
        if (bits != 0) {
            all += (unsigned)__builtin_popcount(bits);
            out[i & 1] = out[i & 1] + v_select(outside, one, zero);
            g->speed[i] = v_select(outside, zero, g->speed[i]);
            g->shot[i] = (uint16_t)(g->shot[i] & ~bits);
            g->in_play[i] = (uint16_t)(g->in_play[i] & ~bits);
            g->changed |= UINT32_C(1) << i;
        }
    }
    return all;
}

/* ---- a tick: load a register group, push, sweep, move, store; then the next group ---- */

/* Records the positions of stones before the last step of the tick. */
static inline void stones_record_moved(const tick_run *run, const stones_group *g)
{
    const vreal none = v_set1(REAL(0.0));
    for (unsigned i = 0; i < STONES_MAX; i++) {
        const bool there = (int)i < g->stones;
        const vreal where[4] = {there ? g->x[i] : none, there ? g->y[i] : none, there ? g->speed[i] : none,
                                there ? g->unused[i] : none};
        run_record_moved(run, g->home, STONES_MAX, i, where);
    }
}

/* The tick of one group. */
CAROM_LANE void stones_play_group(tick_run *run, stones_group *g)
{
    stones_load(g);
    if (run_records_contacts(run)) {
        __builtin_memset(run->own->clock, 0, sizeof run->own->clock);
    }
    stones_act(run, g);
    stones_sweep_all(run, g);
    if (run_records_moved(run)) {
        stones_record_moved(run, g);
    }

    stones_move_all(g);
    if (g->context->check) {
        stones_check_pairs(g);
    }

    /* Worlds out of range are not stored: they keep their state from the start of the tick. */
    unsigned nan = 0;
    const vmask keep = stones_in_range(g, &nan);
    const unsigned bad = g->active & ~m_bits(keep);
    if (bad != 0) {
        run_fault(run, g->home, bad & nan, CAROM_FAULT_NAN);
        run_fault(run, g->home, bad & ~nan, CAROM_FAULT_RANGE);
    }

    vreal *out = run->own->out[g->home / LANES];
    out[0] = out[1] = v_set1(REAL(0.0));
    if (g->context->ring > 0) {
        run_count_goals(run, stones_leave(g, keep, out));
    }

    const tick_kept kept = {keep, false};
    stones_store(g, kept);
    run_keep(run, g->home, kept);
}

/* The tick of all active groups of the run. */
CAROM_LANE void rules_play(tick_run *run)
{
    stones_group *g = &run->own->group;
    g->context = run->context;
    g->stones = (int)g->context->stones;
    EACH_ACTIVE_GROUP (run, number, home) {
        g->w = run_world(run, home);
        g->home = home;
        g->active = run->groups[number].active;
        stones_play_group(run, g);
    }
}

/* ---- rewards and the end ---- */

/* Rewards: stones that went out, the other's minus the player's own. Returns the lanes whose game may be over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    (void)kept;
    const vreal *out = run->own->out[home / LANES];
    if (reward != NULL) {
        reward[0] = out[1] - out[0];
        reward[1] = out[0] - out[1];
    }
    vmask any = v_gt(out[0] + out[1], v_set1(REAL(0.0)));
    vmask late = i_gt(get_tick(w), i_set1((int32_t)run->context->ticks - 1));
    return m_bits(m_or(any, late));
}

/* Stones of a player in play. */
static int stones_count(tick_world w, int player)
{
    int count = 0;
    for (int i = player; i < STONES_MAX; i += 2) {
        count += *at_in_play(w, i);
    }
    return count;
}

/* Decides a game in which a player has no stones left, or that has run out of ticks. */
static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    (void)home;
    const int left[2] = {stones_count(w, 0), stones_count(w, 1)};
    const bool lost = run->context->ring > 0 && (left[0] == 0 || left[1] == 0);
    if (!lost && world_tick(w) < (int32_t)run->context->ticks) {
        return verdict_running();
    }

    const int winner = left[0] > left[1] ? 0 : left[1] > left[0] ? 1 : -1;
    *at_winner(w, 0) = (int8_t)winner;
    return verdict_of(lost ? CAROM_TERMINATED : CAROM_TRUNCATED, winner);
}

#endif
