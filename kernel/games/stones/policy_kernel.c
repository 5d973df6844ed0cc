/* SPDX-License-Identifier: MIT
 * The built-in players of stones in lanes: `strike` and `random`. They choose a push in double precision, whatever the
 * worlds' precision; the end of this file converts it to each kind of action.
 */
#include "games/stones/stones.h"
#include "simd/elementary.h"

#define RULES_FIELDS STONES_FIELDS
#include "tick/policy.h"

enum { STRIKE, RANDOM };

/* For each stone of a player. */
#define EACH_STONE(i, player) for (int i = (player); i < STONES_MAX; i += 2)

/* The stones that may be pushed in the worlds of a tile. */
typedef struct standing {
    alignas(64) int32_t resting[2][SEE_LANES]; /* bit b: stone 2 b + player is in play and rests */
    unsigned ready[2];                         /* worlds in which no stone of the player moves, as bits */
} standing;

/* The pushes of one player in the worlds of a tile. stone: below 0 for no push. */
typedef struct intents {
    alignas(64) double course[SEE_LANES];
    double speed[SEE_LANES], curve[SEE_LANES];
    int32_t stone[SEE_LANES];
} intents;

/* Finds the resting stones of both players. */
static void look_at(const policy_question *question, standing *stones)
{
    stones->ready[0] = stones->ready[1] = 0;
    EACH_SEEN_GROUP(at)
    {
        const see_world w = see_world_at(question->tile, question->precision, at);
        for (int player = 0; player < 2; player++) {
            vint resting = i_set1(0);
            vmask ready = m_below(LANES);
            EACH_STONE (i, player) {
                const vmask out = i_eq(see_in_play(w, i), i_set1(0)), still = v_eq(see_speed(w, i), v_set1(0));
                resting = i_or(resting, i_select(m_andnot(still, out), i_set1(1 << i / 2), i_set1(0)));
                ready = m_and(ready, m_or(out, still));
            }
            i_store32(&stones->resting[player][at], resting);
            stones->ready[player] |= m_bits(ready) << at;
        }
    }
}

static double uniform(uint32_t word)
{
    return word * (1.0 / 4294967296.0);
}

/* ---- strike: once all own stones rest, push the best of them at the best target, slightly off ---- */

/* Centres of the stones in the worlds that act, packed. The second half of each row is room for v_compress() to
 * overrun. */
typedef struct packed {
    alignas(64) double x[STONES_MAX][2 * SEE_LANES];
    double y[STONES_MAX][2 * SEE_LANES];
    int32_t in_play[STONES_MAX][2 * SEE_LANES];
} packed;

/* Packs the given worlds, as bits: in most ticks few of a tile have to act. */
static void pack(const policy_question *question, unsigned worlds, packed *to)
{
    unsigned done = 0;
    EACH_SEEN_GROUP(at)
    {
        const see_world w = see_world_at(question->tile, question->precision, at);
        const vmask taken = m_from_bits(worlds >> at & m_bits(m_below(LANES)));
        for (int i = 0; i < STONES_MAX && m_any(taken); i++) {
            const vreal radius = see_radius(w, i);
            v_compress(&to->x[i][done], taken, see_px(w, i) + radius);
            v_compress(&to->y[i][done], taken, see_py(w, i) + radius);
            i_compress(&to->in_play[i][done], taken, see_in_play(w, i));
        }
        done += (unsigned)__builtin_popcount(m_bits(taken));
    }
}

/* One stone in LANES packed worlds. */
typedef struct centre {
    vmask in_play;
    vreal x, y;
    vreal out, edge; /* of a target: its distance from the middle, and how much it adds to the target's worth */
} centre;

/* Stone i of the LANES packed worlds from `at` on. Lanes that are not `there` hold no world. */
CAROM_LANE centre centre_of(const packed *worlds, int i, unsigned at, vmask there)
{
    const vreal none = v_set1(0);
    const centre c = {m_andnot(there, i_eq(i_loadu32(&worlds->in_play[i][at]), i_set1(0))),
                      v_select(there, v_load(&worlds->x[i][at]), none),
                      v_select(there, v_load(&worlds->y[i][at]), none), none, none};
    return c;
}

/* The worth of a push along the line to a target (dx, dy) away: best outwards, from near by, near the edge. */
CAROM_LANE vreal chance(const centre *target, vreal dx, vreal dy)
{
    const vreal far = v_sqrt(dx * dx + dy * dy);
    const vreal along = dx * target->x + dy * target->y;
    const vreal outwards = along / (far * target->out + v_set1(1));
    return outwards + target->edge - far / v_set1(250);
}

/* The best stone to push and its course, in LANES packed worlds. -1: there is none. */
CAROM_LANE vint aim(const packed *worlds, unsigned at, vmask there, int player, vreal *course)
{
    vreal best = v_set1(-1e9), best_dx = v_set1(0), best_dy = v_set1(0);
    vint best_stone = i_set1(-1);

    /* The other's stones in play in some lane, and the numbers that do not depend on the own stone. */
    centre targets[STONES_MAX / 2];
    int target_count = 0;
    EACH_STONE (j, 1 - player) {
        centre *target = &targets[target_count];
        *target = centre_of(worlds, j, at, there);
        if (m_any(target->in_play)) {
            target->out = v_sqrt(target->x * target->x + target->y * target->y);
            target->edge = target->out / v_set1(400);
            target_count++;
        }
    }

    /* Try every own stone with every target. */
    EACH_STONE (i, player) {
        const centre own = centre_of(worlds, i, at, there);
        for (int j = 0; j < target_count && m_any(own.in_play); j++) {
            const centre *target = &targets[j];
            const vreal dx = target->x - own.x, dy = target->y - own.y, worth = chance(target, dx, dy);
            const vmask better = m_and(m_and(own.in_play, target->in_play), v_gt(worth, best));
            best = v_select(better, worth, best);
            best_dx = v_select(better, dx, best_dx);
            best_dy = v_select(better, dy, best_dy);
            best_stone = i_select(better, i_set1(i), best_stone);
        }
    }
    *course = v_atan2(best_dy, best_dx);
    return best_stone;
}

/* The pushes of a player in all worlds of a tile. In worlds where both draw, player 1 draws after player 0. */
static void strike(const policy_question *question, const standing *stones, const random_streams *streams, int player,
                   intents *wanted)
{
    const unsigned worlds = stones->ready[player], count = (unsigned)__builtin_popcount(worlds);
    const unsigned later = player == 0 ? 0 : stones->ready[0];
    alignas(64) double course[SEE_LANES] = {0};
    int32_t chosen[SEE_LANES] = {0};

    packed all;
    pack(question, worlds, &all);
    for (unsigned at = 0; at < count; at += LANES) {
        vreal to;
        i_store32(&chosen[at], aim(&all, at, m_below(count - at), player, &to));
        v_store(&course[at], to);
    }
    for (unsigned l = 0; l < SEE_LANES; l++) {
        wanted->course[l] = wanted->curve[l] = 0;
        wanted->speed[l] = STONES_MAX_SPEED;
        wanted->stone[l] = -1;
    }

    /* Unpack, and add a small random error to the aim. */
    unsigned k = 0;
    EACH_LANE (l, worlds) {
        wanted->course[l] = course[k] + (uniform(streams->words[later >> l & 1][l]) - 0.5) * 0.06;
        wanted->stone[l] = chosen[k++];
    }
}

/* ---- random: any own stone at rest ---- */

/* The random push of one world, on a straight path in half the cases. */
static void random_push(random_lane *draws, unsigned resting, int player, unsigned l, intents *wanted)
{
    wanted->course[l] = (2 * uniform(random_lane_word(draws)) - 1) * V_PI;
    wanted->speed[l] = uniform(random_lane_word(draws)) * STONES_MAX_SPEED;
    const double curve = 2 * uniform(random_lane_word(draws)) - 1;
    wanted->stone[l] = -1;
    if (resting != 0) {
        const uint32_t place = random_lane_below(draws, (uint32_t)__builtin_popcount(resting));
        for (uint32_t k = 0; k < place; k++) {
            resting &= resting - 1;
        }
        wanted->stone[l] = 2 * __builtin_ctz(resting) + player;
    }
    wanted->curve[l] = random_lane_below(draws, 2) == 0 ? 0 : curve;
}

/* ---- actions ---- */

/* Writes pushes in the requested kind of action. No push is all zeros. */
CAROM_LANE void put_action(const policy_question *question, const standing *stones, unsigned at, int player,
                           const intents *wanted)
{
    const vint pushed = i_load32(&wanted->stone[at]), zero = i_set1(0), one = i_set1(1);
    const vmask none = i_gt(zero, pushed);
    const vreal nothing = v_set1(0), course = v_select(none, nothing, v_load(&wanted->course[at]));
    const vreal speed = v_select(none, nothing, v_load(&wanted->speed[at]));
    const vreal curve = v_select(none, nothing, v_load(&wanted->curve[at]));

    /* `normalised` selects a stone by its position among those at rest: aim at the middle of that position's range. */
    if (question->kind == STONES_NORMALISED) {
        const vint resting = i_load32(&stones->resting[player][at]);
        vint place = zero, count = zero;
        EACH_STONE (i, player) {
            const vint counts = i_select(i_eq(i_and(resting, i_set1(1 << i / 2)), zero), zero, one);
            count = i_add(count, counts);
            place = i_add(place, i_select(i_gt(pushed, i_set1(i)), counts, zero));
        }
        const vreal share = (v_from_int(place) + v_set1(0.5)) / v_from_int(count);
        const vreal choice = share * v_set1(2) - v_set1(1);
        act_put_f32(question, at, player * STONES_PUSH_SIZE, v_select(none, nothing, choice));
        act_put_f32(question, at, player * STONES_PUSH_SIZE + 1, course / v_set1(V_PI));
        act_put_f32(question, at, player * STONES_PUSH_SIZE + 2, speed / v_set1(STONES_MAX_SPEED));
        act_put_f32(question, at, player * STONES_PUSH_SIZE + 3, curve);
        return;
    }

    const int size = STONES_PUSH_SIZE * (question->kind == STONES_ENGINE ? CAROM_STONES_PUSHES : 1), e = player * size;
    act_put_f64(question, at, e, v_select(none, nothing, v_from_int(pushed)));
    act_put_f64(question, at, e + 1, course);
    act_put_f64(question, at, e + 2, speed);
    act_put_f64(question, at, e + 3, curve);
    for (int k = STONES_PUSH_SIZE; k < size; k++) {
        act_put_f64(question, at, e + k, nothing);
    }
}

static void stones_act(const policy_question *question)
{
    standing stones;
    intents wanted[2];
    random_streams streams;
    look_at(question, &stones);

    /* Choose. Words are generated for a whole tile at once; `strike` draws only for players whose stones all rest. */
    if (question->policy == STRIKE) {
        if ((stones.ready[0] | stones.ready[1]) != 0) {
            see_streams(question, STONES_DRAW_POLICY, 10, 1, &streams);
        }
        for (int player = 0; player < 2; player++) {
            if ((question->players >> player & 1) != 0) {
                strike(question, &stones, &streams, player, &wanted[player]);
            }
        }
    } else {
        see_streams(question, STONES_DRAW_POLICY, 10, 3, &streams); /* five words per player */
        for (unsigned l = 0; l < SEE_LANES; l++) {
            random_lane draws = {&streams, l, 0};
            for (int player = 0; player < 2; player++) {
                random_push(&draws, (unsigned)stones.resting[player][l], player, l, &wanted[player]);
            }
        }
    }

    EACH_SEEN_GROUP(at)
    {
        for (int player = 0; player < 2; player++) {
            if ((question->players >> player & 1) != 0) {
                put_action(question, &stones, at, player, &wanted[player]);
            }
        }
    }
}

POLICY_KERNEL(stones_policy, stones_act)
