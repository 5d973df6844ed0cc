/* SPDX-License-Identifier: MIT
 * The game "fantastic_bits": Fantastic Bits, as its published referee plays it, bit for bit in f64.
 *
 * Two players with two wizards each carry and throw snaffles through the other's goal, while two bludgers chase them;
 * mana buys spells. Player 0 attacks x = 16000, player 1 attacks x = 0. The field is 16000 x 7500, y points down; one
 * tick = one turn. Bodies have 13 slots:
 *     0..3     wizards; 0 and 1 are player 0's                  radius 400, mass 1
 *     4..10    snaffles; 9 and 10 are empty if there are five   radius 150, mass 0.5
 *     11, 12   bludgers                                         radius 200, mass 8
 * The referee numbers its entities without gaps: wizards 0..3, snaffles from 4, bludgers after them, then 4 posts. Only
 * command lines and actions of the kind "referee" use these ids; fields hold slots.
 *
 * Fields (in addition to those of worlds.h)
 *     x, y, vx, vy   13 reals each, one per slot; whole numbers between ticks
 *     hold           4 x int8: slot of the snaffle in the wizard's hand, or -1
 *     wait           4 x int8: 0..3, ticks until the wizard may grab again
 *     countdown      16 x int8, [wizard * 4 + spell]: ticks that the spell still lasts, as of the last tick
 *     target         16 x int8, likewise: slot, or -1
 *     cast           4 x int8: the spell cast in the last tick, which takes effect in the next, or -1
 *     cast_target    4 x int8: its slot, or -1
 *     alive          7 x int8: 1 until the snaffle is in a goal
 *     ignores        7 x int8: if bit k is set, this snaffle and snaffle k do not collide while they overlap
 *     last           2 x int8: the wizard that the bludger struck last, or -1
 *     score          2 x int8: goals; -1 for a player who has lost by a bad command
 *     mana           2 x int8: 0..100
 *     winner         int8: -1 undecided or a draw, else the player
 *     snaffles       int8: 5 or 7 (parameter)
 * |x|, |y| stay within 2^24 and |vx|, |vy| within 2^25 (f64), or 2^16 and 2^17 (f32): a world that leaves that range
 * has CAROM_FAULT_RANGE. A tick of more than CAROM_FANTASTIC_BITS_STEPS steps, or with max_events events, is
 * CAROM_FAULT_EVENTS; the referee has no such limits, and no game has been seen to come near them.
 *
 * Action kinds: numbers per player, first its lower wizard's
 *     "referee"      4 doubles per wizard: (CAROM_FANTASTIC_BITS_MOVE or _THROW, x, y, power) or (a spell, id, 0, 0),
 *                    in the referee's ids, as a bot prints them; carom_fantastic_bits_read_line() reads them from a
 *                    line. A bad command loses the game, as in the referee: an unknown verb, a coordinate beyond
 *                    +-99999999, a power outside 0..150 (MOVE) or 0..500 (THROW), a THROW with empty hands, a target
 *                    that is missing or forbidden; and anything that is not a number. Fractions are allowed.
 *     "normalised"   5 floats per wizard in [-1, 1] (clamped; NaN counts as 0): (dx, dy, power, spell, target). spell
 *                    in [0.2, 0.4) is Obliviate, [0.4, 0.6) Petrificus, [0.6, 0.8) Accio, from 0.8 on Flipendo, on the
 *                    slot floor((target + 1) * 6.5) (at most 12), if that is allowed and there is mana; otherwise the
 *                    wizard throws if it holds a snaffle, and else moves: towards (x + 1000 dx, y + 1000 dy), with
 *                    (power + 1) * 250 or (power + 1) * 75. No such action is a bad command.
 *
 * Ends: a player who has reached snaffles / 2 + 1 goals, no snaffle alive when the tick's forces acted (so one tick
 * after the last goal), or a bad command. These terminate. After tick 200 the game is truncated. The higher score wins.
 *
 * Reward of player p: the tick's change of (goals of p - goals of the other), plus 1 in the tick in which the game ends
 * with winner p, minus 1 in the tick in which it ends with the other as winner.
 * The kind of reward `own` (game.h), two agents per player, its wizards: the same, and, if the wizard held a snaffle
 * when the tick began, how far that snaffle moved in the tick towards the goal that the wizard attacks / 16000.
 * Final value of a rollout (rollout.h): `game`: V_0 = the sum over living snaffles of (x - 8000) / 16000, V_1 = -V_0.
 * `match` is a weighted sum of CAROM_FANTASTIC_BITS_VALUE_WEIGHTS features (lengths in 16000 units). For goal, near,
 * rivals, control and majority, wizards and snaffles are where they would be in two ticks at their speeds, but within
 * the field:
 *     goal       how much nearer the living snaffles are to the middle of the other's goal than to that of the own,
 *                summed
 *     near       minus the distances of the own wizards to snaffles, a different one for each, with the least sum
 *     speed      the snaffles' speed towards the other's goal / 1000, summed
 *     held       own wizards that hold a snaffle, minus the other's
 *     mana       own mana / 100
 *     danger     minus how near bludgers are to own wizards: 1 where they touch, 0 from 2000 units on, summed
 *     defend     the distance along x of the nearest snaffle from the own goal line; 1 if there is none
 *     rivals     the distances of the other's wizards to snaffles, likewise
 *     control    for each snaffle (d' - d) / (d + d' + 0.025), where d is the distance of the nearest own wizard and d'
 *                that of the other's, summed
 *     majority   1 if the own wizards are nearer to as many snaffles as they still need to win, minus 1 if that holds
 *                for the other's
 *
 * Observation, CAROM_FANTASTIC_BITS_OBSERVATION floats, from player p's side: for its wizards, then the other's
 *     x / 16000, y / 7500, vx / 1000, vy / 1000, 1 if it holds a snaffle,
 * for the 7 snaffles x, y, vx, vy likewise and 1 if alive (all 0 if not), for the bludgers x, y, vx, vy; then mana of p
 * / 100, scores of p and of the other / goals to win, 1 or -1 for the direction in which p attacks, tick / 200.
 *
 * Observation `ego` (game.h), CAROM_FANTASTIC_BITS_EGO floats per wizard, two wizards per player, in axes in which its
 * player attacks +x (for player 1 the field is turned by 180 degrees); places and velocities are relative to its own.
 * First
 *     its vx, vy / 1000, 1 if it holds a snaffle, wait / 3; its distance from the upper and the lower side / 7500;
 *     the unit vector to the middle of the goal that it attacks, distance / 16000, and the same for its own goal; the
 *     ticks that each of its four spells still lasts / 6; mana / 100, scores of its player and of the other / goals to
 *     win, tick / 200;
 * for each of 7 snaffles CAROM_FANTASTIC_BITS_EGO_SNAFFLE numbers
 *     place / 16000, velocity / 1000, 1 if alive, 1 if one of its player's wizards holds it and -1 if one of the
 *     other's does (all 0 if not alive);
 * for the other wizard of its player, then those of the other player, CAROM_FANTASTIC_BITS_EGO_WIZARD numbers
 *     place / 16000, velocity / 1000, 1 if it holds a snaffle;
 * for the bludgers place / 16000, velocity / 1000. "Upper" refers to these axes.
 *
 * f32 is a variant of the rules, not the referee's: overlapping bodies must approach for a contact to count, and are
 * pushed apart by at least 4 units in the last place of the greatest coordinate; a grab prevented by another wizard is
 * not an event.
 *
 * Events (carom_step): first is the slot of the acting body. second is the slot of the other; for a post, 13..16 in the
 * referee's order; for a wall, 17 right, 18 left, 19 bottom, 20 top; for a goal, 21 + the player who scores. A wizard
 * with a snaffle is a grab; events without effect are left out.
 */
#ifndef CAROM_FANTASTIC_BITS_H
#define CAROM_FANTASTIC_BITS_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_FANTASTIC_BITS_OBSERVATION 68
#define CAROM_FANTASTIC_BITS_EGO_OWN 20
#define CAROM_FANTASTIC_BITS_EGO_SNAFFLE 6
#define CAROM_FANTASTIC_BITS_EGO_WIZARD 5
#define CAROM_FANTASTIC_BITS_EGO_BLUDGER 4
#define CAROM_FANTASTIC_BITS_EGO 85
#define CAROM_FANTASTIC_BITS_STEPS 256

/* Slots, and the numbers of posts, walls and goals in events. */
#define CAROM_FANTASTIC_BITS_SNAFFLE 4
#define CAROM_FANTASTIC_BITS_BLUDGER 11
#define CAROM_FANTASTIC_BITS_POST 13
#define CAROM_FANTASTIC_BITS_WALL 17
#define CAROM_FANTASTIC_BITS_GOAL 21

/* Verbs of the kind "referee". */
#define CAROM_FANTASTIC_BITS_BAD (-1.0) /* a line that the referee cannot read */
#define CAROM_FANTASTIC_BITS_VALUE_WEIGHTS 10
#define CAROM_FANTASTIC_BITS_MOVE 0.0
#define CAROM_FANTASTIC_BITS_THROW 1.0
#define CAROM_FANTASTIC_BITS_OBLIVIATE 2.0
#define CAROM_FANTASTIC_BITS_PETRIFICUS 3.0
#define CAROM_FANTASTIC_BITS_ACCIO 4.0
#define CAROM_FANTASTIC_BITS_FLIPENDO 5.0

typedef struct carom_fantastic_bits_options {
    size_t size; /* sizeof(carom_fantastic_bits_options), set by carom_fantastic_bits_options_default() */
    /* The referee makes the start of a game from a seed. By default each game draws seeds by the batch's seed and the
     * world's id and episode, until one has the wanted number of snaffles. */
    uint32_t snaffles;    /* 5, 7, or 0 (default) for either. Only for drawn seeds */
    const int64_t *seeds; /* seed_count seeds to use instead; copied. Game e of world id uses seed
                             (id + e) mod seed_count */
    uint32_t seed_count;
} carom_fantastic_bits_options;

CAROM_API carom_fantastic_bits_options carom_fantastic_bits_options_default(void);

/* Reads a command line as the referee does (a message at its end is allowed) into the 4 numbers of the kind "referee".
 * CAROM_ERROR_VALUE if it cannot be read; numbers[0] is then CAROM_FANTASTIC_BITS_BAD: play these numbers to lose as
 * with the referee. The game checks whether a command is allowed, this function does not. */
CAROM_API carom_status carom_fantastic_bits_read_line(const char *line, double numbers[4]);

#ifdef __cplusplus
}
#endif
#endif
