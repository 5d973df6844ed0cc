/* SPDX-License-Identifier: MIT
 * The built-in players of stones. They decide on a push; this file also says it in every kind of action. Plain C at
 * width 1, in double precision for both precisions of worlds.
 */
#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64

#include "base/random.h"
#include "games/stones/stones.h"
#include "simd/elementary.h"

#define RULES_FIELDS STONES_FIELDS
#include "tick/policy.h"

#include <string.h>

enum { STRIKE, RANDOM };

typedef struct stone {
    double x, y, speed, radius; /* of the centre */
    bool in_play;
} stone;

/* place: among the own stones at rest and in play; below 0: no push. */
typedef struct intent {
    int stone;
    double course, speed, curve;
} intent;

static stone stone_of(see_world w, int i)
{
    const double radius = see_radius(w, i);
    const stone s = {see_px(w, i) + radius, see_py(w, i) + radius, see_speed(w, i), radius, see_in_play(w, i) != 0};
    return s;
}

static bool may_push(const stone *s)
{
    return s->in_play && s->speed == 0;
}

static double uniform(random_stream *stream)
{
    return random_word(stream) * (1.0 / 4294967296.0);
}

/* How good it is to drive `target` along the line from `from`: outwards, from near by, and near the edge. */
static double chance(const stone *from, const stone *target)
{
    const double dx = target->x - from->x, dy = target->y - from->y;
    const double far = __builtin_sqrt(dx * dx + dy * dy),
                 out = __builtin_sqrt(target->x * target->x + target->y * target->y);
    const double outwards = (dx * target->x + dy * target->y) / (far * out + 1);
    return outwards + out / 400 - far / 250;
}

/* As soon as the own stones rest, the best of them is pushed at the best target, a little off. */
static intent strike(const stone stones[STONES_MAX], int player, random_stream *stream)
{
    intent wanted = {-1, 0, 0, 0};
    double best = -1e9;
    for (int i = player; i < STONES_MAX; i += 2) {
        if (stones[i].in_play && stones[i].speed != 0) {
            wanted.stone = -1;
            return wanted;
        }
        for (int j = 1 - player; j < STONES_MAX && stones[i].in_play; j += 2) {
            const double worth = stones[j].in_play ? chance(&stones[i], &stones[j]) : best;
            if (worth > best) {
                best = worth;
                wanted.stone = i;
                wanted.course = v_atan2(stones[j].y - stones[i].y, stones[j].x - stones[i].x);
            }
        }
    }
    wanted.course += (uniform(stream) - 0.5) * 0.06;
    wanted.speed = STONES_MAX_SPEED;
    return wanted;
}

static intent random_intent(const stone stones[STONES_MAX], int player, random_stream *stream)
{
    int own[STONES_MAX], count = 0;
    for (int i = player; i < STONES_MAX; i += 2) {
        if (may_push(&stones[i])) {
            own[count++] = i;
        }
    }
    intent wanted = {-1, (2 * uniform(stream) - 1) * V_PI, uniform(stream) * STONES_MAX_SPEED, 2 * uniform(stream) - 1};
    if (count > 0) {
        wanted.stone = own[random_below(stream, (uint32_t)count)];
    }
    wanted.curve = random_below(stream, 2) == 0 ? 0 : wanted.curve;
    return wanted;
}

/* The intent in numbers of a kind of action; all 0 is no push. */
static void say(const stone stones[STONES_MAX], const intent *wanted, size_t kind, int player, void *actions)
{
    if (kind == STONES_NORMALISED) {
        float *numbers = (float *)actions + (size_t)player * STONES_PUSH_SIZE;
        int place = 0, count = 0;
        for (int i = player; i < STONES_MAX; i += 2) {
            place += may_push(&stones[i]) && i < wanted->stone;
            count += may_push(&stones[i]);
        }
        memset(numbers, 0, STONES_PUSH_SIZE * sizeof *numbers);
        if (wanted->stone >= 0) {
            numbers[0] = (float)((place + 0.5) / count * 2 - 1);
            numbers[1] = (float)(wanted->course / V_PI);
            numbers[2] = (float)(wanted->speed / STONES_MAX_SPEED);
            numbers[3] = (float)wanted->curve;
        }
        return;
    }
    const size_t count = kind == STONES_ENGINE ? CAROM_STONES_PUSHES : 1;
    double *numbers = (double *)actions + (size_t)player * STONES_PUSH_SIZE * count;
    memset(numbers, 0, STONES_PUSH_SIZE * count * sizeof *numbers);
    if (wanted->stone >= 0) {
        numbers[0] = wanted->stone;
        numbers[1] = wanted->course;
        numbers[2] = wanted->speed;
        numbers[3] = wanted->curve;
    }
}

void carom_stones_policy(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions)
{
    const see_world w = see_world_at(asked->tile, asked->worlds->desc.precision, lane);
    stone stones[STONES_MAX];
    for (int i = 0; i < STONES_MAX; i++) {
        stones[i] = stone_of(w, i);
    }
    random_stream stream = random_begin(asked->seeds[lane], see_world_id(w), STONES_DRAW_POLICY,
                                        (uint32_t)see_episode(w, 0) << 10 ^ (uint32_t)see_tick(w, 0));
    for (int player = 0; player < 2; player++) {
        const intent wanted =
            policy == STRIKE ? strike(stones, player, &stream) : random_intent(stones, player, &stream);
        say(stones, &wanted, kind, player, actions);
    }
}
