/* SPDX-License-Identifier: MIT
 * The built-in players of fall: `still` and `random`. Plain C, in double precision whatever the worlds' precision.
 */
#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64

#include "base/random.h"
#include "games/fall/fall.h"

#define RULES_FIELDS FALL_FIELDS
#include "tick/policy.h"

enum { STILL, RANDOM };

#define KICKS_ONE_IN 32 /* ticks: `random` kicks in one of them on average */

static double size_of(double a)
{
    return a < 0 ? -a : a;
}

/* A random number in [-1, 1], a multiple of 1/1000. */
static double draw(random_stream *stream)
{
    return random_below(stream, 2001) / 1000.0 - 1;
}

/* The actions of the player of a world that draws with `seed`. */
static void decide(see_world w, uint64_t seed, size_t policy, float *numbers)
{
    numbers[0] = numbers[1] = 0;
    if (policy == RANDOM) {
        random_stream stream = random_begin(seed, see_world_id(w), FALL_DRAW_POLICY,
                                            (uint32_t)see_episode(w, 0) << 12 ^ (uint32_t)see_tick(w, 0));
        if (random_below(&stream, KICKS_ONE_IN) == 0) {
            const double x = draw(&stream), y = draw(&stream);
            const double most = v_max(v_max(size_of(x), size_of(y)), 0.001);
            numbers[0] = (float)(x / most);
            numbers[1] = (float)(y / most);
        }
    }
}

#if SEE_LANES == 1

static void fall_act(const policy_question *question)
{
    decide(see_world_at(question->tile, question->precision, 0), question->seeds[0], question->policy,
           (float *)question->actions);
}

POLICY_KERNEL(fall_policy, fall_act)

#else

void carom_fall_policy(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions)
{
    (void)kind;
    decide(see_world_at(asked->tile, asked->worlds->desc.precision, lane), asked->seeds[lane], policy,
           (float *)actions);
}

#endif
