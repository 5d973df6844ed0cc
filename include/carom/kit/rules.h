/* SPDX-License-Identifier: MIT
 * The functions and types for writing the rules of a plug-in game. Such a game is one source file:
 *
 *     #define RULES_NAME sumo ...               describe the game: see below
 *     #include <carom/kit/rules.h>
 *     ...                                       the rules: functions rules_...(), as declared here
 *     #include <carom/kit/game.h>               last
 *
 * docs/games.md is a tutorial, from an empty file to a trained policy. `carom-new-game NAME FOLDER` writes a small game
 * to start from; examples/sumo and examples/air_hockey are complete games. `carom-kit build game.c -o game.so` compiles
 * the file once for every instruction set and precision, and once for the host.
 *
 * Include only these two headers of Carom, and call only what this one declares. carom/kit/engine/ holds the internals
 * of the library's kernels, which may change with every version. carom-kit refuses a game that includes a header from
 * there or uses an engine name that is not declared here.
 *
 * Bodies are circles that move in straight lines between impacts. The kit keeps their x, y, vx and vy, finds impacts by
 * calling rules_next(), plays them in order of time by calling rules_hit(), moves the bodies, checks ranges, and
 * stores, records, freezes, restarts, forks and saves worlds. A tick:
 *
 *     rules_command   apply the actions to velocities
 *     rules_next      find the earliest impact in the remaining time; rules_hit   play it; repeat until there is none
 *     RULES_FINISH    the end of the motion: friction
 *     rules_settle    consequences: goals, rewards;                   rules_decide   is the game over?
 *     rules_observe   what players see
 *
 * The rules run one world per SIMD lane: a vreal holds a real number for each of LANES worlds and supports + - * /; a
 * vmask says for which worlds a condition holds. Use `if` only for conditions that are the same in all worlds, and
 * v_select() otherwise. The rules for one world, rules_start(), rules_decide() and rules_policy(), are plain C. Next to
 * a vreal write v_number(2.5), not 2.5: the bare constant may compile, but in f32 it rounds differently on different
 * instruction sets. Do not call the C library.
 *
 * Before including this file, define
 *     RULES_NAME           the name, in lower-case letters, digits and _
 *     RULES_TITLE          "the title"
 *     RULES_PLAYERS        number of players, each of which acts and is rewarded: 1 to 4
 *     RULES_BODIES         number of circles in a world: 1 to 255
 *     RULES_FAR_X, RULES_FAST   limits of |x| and |y|, and of |vx| and |vy|, for every body. A world that exceeds them
 *                          at the end of a tick faults; a state that exceeds them is refused
 *     RULES_ACTIONS(X)     1 to 4 kinds of action, as X(name, F32 or F64, numbers per player); one must be
 *                          `normalised`: F32, in [-1, 1]
 *     RULES_SEEN(X)        the numbers that a player sees, as X(name, "unit", least, most). least and most must hold
 *                          for every world within RULES_FAR_X and RULES_FAST; this is not checked. -INFINITY and
 *                          INFINITY are allowed
 *     RULES_POLICIES(X)    built-in policies, as X(name), numbered from 0; at least one. The first is the default
 * Optionally, define
 *     RULES_FAR_Y          the limit of |y|, if it differs from that of |x|
 *     RULES_EVENTS         the most impacts in a tick, at least 2; 64 by default. A world with time left after that
 *                          many faults, unless rules_hit() stops it:
 *                          return v_ge(impact_count(impact), v_number(RULES_EVENTS))
 *     RULES_STATE          further state of a world: a macro of four macros, REAL, INT32, INT16 and INT8, each applied
 *                          to (name, count, STATE). For all lanes, get_name(w, i) reads element i, as a vreal (REAL) or
 *                          a vint (the others), and set_name(w, i, a, kept_in(mask)) writes it in the worlds of mask.
 *                          For one world, at_name(w, i) points to it. The same functions exist for x, y, vx and vy
 *     RULES_OPTIONS        the game's options: a macro of three macros, COUNT and NUMBER (uint32_t and double), applied
 *                          to (name, default, least, most, "meaning"), and FLAG (uint32_t), applied to
 *                          (name, default, "meaning"). They become the members of rules_options, and are set like those
 *                          of any game: by carom_game_set_option(), `--set`, Python or a replay
 *     RULES_NOTES(X)       what the rules remember from rules_command() to rules_settle(), as X(name, count): vreals in
 *                          tick_bodies, 0 at the start of a tick
 *     RULES_DRIVEN         how many of the first bodies move as commanded, whatever they collide with: mallets
 *     RULES_COUNTS         "goals": what rules_settle() counts
 *     RULES_FINISH         name of a function (const rules_options *, tick_bodies *), called at the end of the motion
 *     RULES_CHECK          name of a function bool (const rules_options *, tick_world), which accepts or refuses a
 *                          state set by the caller, beyond the range check of bodies. Without it other fields may hold
 *                          any value
 *     RULES_AGENTS         number of bodies that a player acts with. Each one's reward, from rules_settle_own(), is the
 *                          kind of reward `own`
 *     RULES_EGO_SEEN(X)    only with RULES_AGENTS. Like RULES_SEEN: what each of these bodies sees, from
 *                          rules_observe_ego(); the kind of observation `ego`
 *     RULES_LIDAR_RAYS     only with RULES_AGENTS. 1 to 64: each of these bodies sees by that many rays, evenly spaced
 *                          all around, from rules_lidar(); the kind of observation `lidar`, which GPUs do not support
 *     RULES_LIDAR_MEETS(X) required with RULES_LIDAR_RAYS: the kinds of things that rays can hit, as X(name)
 *     RULES_LIDAR_SEEN(X)  optional with RULES_LIDAR_RAYS. Like RULES_SEEN: what the body sees in addition to its rays
 *     RULES_TOUCH          name of a function (const rules_options *, unsigned first, unsigned kind,
 *                          unsigned second, impact_touch *), which describes the contact of an impact for recordings
 *                          (carom_contact)
 *     RULES_WEIGHTS(X)     features of a final value, as X(name, default weight), computed by rules_features(). Their
 *                          weighted sum is the kind of value `weighted`
 *     RULES_POLICY_LANES   define it if rules_policy() is written in lanes, to be compiled for every instruction set
 *     RULES_LOOK           a game_look, within `#if defined(CAROM_KIT_HOST)`: how to draw a world. Without it only the
 *                          bodies are drawn
 *
 * Names. The kit reserves all names that begin with carom_, CAROM_, kit_, KIT_, rules_, RULES_, run_, RUN_, tick_,
 * TICK_, world_, WORLD_, field_, state_, STATE_, see_, SEE_, seen_, ego_, own_, thing_, lidar_, number_, view_, value_,
 * end_, verdict_, one_, ONE_, checked, CHECKED, game_, GAME_, look_, LOOK_, worklist, rounds_, ROUNDS_, motion_,
 * MOTION_, EACH_, TILE_; bodies_, impact_, time_, action_, draw_; get_, set_, at_ before the name of a field; v_, V_,
 * i_, I_, m_, fdlibm_, random_, RANDOM_, philox_, PHILOX_, hash_, HASH_, mix64, circles_, equation_, root_, rays_,
 * RAYS_; real, REAL, LANES, LANES_ALL, vreal, vint, vmask. Give your own names a prefix of the game.
 *
 * Index checks. When a game is opened or adopted, the library plays a few of its worlds and checks every index that the
 * rules pass to the tick: elements of fields, bodies, numbers of observations and actions, players, rewards. The rules
 * must also set everything that a player sees. A game that fails is refused. `carom check` plays more worlds in this
 * way. An index that is wrong only in states that these worlds never reach is not detected.
 */
#ifndef CAROM_KIT_RULES_H
#define CAROM_KIT_RULES_H

#if !defined(RULES_NAME) || !defined(RULES_TITLE) || !defined(RULES_PLAYERS) || !defined(RULES_BODIES) ||              \
    !defined(RULES_FAR_X) || !defined(RULES_FAST) || !defined(RULES_ACTIONS) || !defined(RULES_SEEN) ||                \
    !defined(RULES_POLICIES)
#error "a game defines RULES_NAME and the others before it includes carom/kit/rules.h"
#endif

#include "carom/kit/engine/words.h"

/* ---- arithmetic: see the top of this file. Comparisons with NaN are false ---- */

CAROM_LANE vreal v_number(double a); /* the same number in every lane; (real)a of one world */
CAROM_LANE vreal v_min(vreal a, vreal b);
CAROM_LANE vreal v_max(vreal a, vreal b);
CAROM_LANE vreal v_abs(vreal a);
CAROM_LANE vreal v_sqrt(vreal a);
CAROM_LANE vreal v_floor(vreal a);
CAROM_LANE void v_sincos(vreal angle, vreal *sine, vreal *cosine);
CAROM_LANE vmask v_lt(vreal a, vreal b);
CAROM_LANE vmask v_le(vreal a, vreal b);
CAROM_LANE vmask v_gt(vreal a, vreal b);
CAROM_LANE vmask v_ge(vreal a, vreal b);
CAROM_LANE vmask v_eq(vreal a, vreal b);
CAROM_LANE vmask v_ne(vreal a, vreal b);
CAROM_LANE vreal v_select(vmask m, vreal a, vreal b); /* a where m is true, else b */
CAROM_LANE vreal v_flip(vmask m, vreal a);            /* -a where m is true, else a */
CAROM_LANE vreal v_from_int(vint a);
CAROM_LANE vint i_set1(int32_t a);
CAROM_LANE vint i_add(vint a, vint b);
CAROM_LANE vint i_sub(vint a, vint b);
CAROM_LANE vmask i_eq(vint a, vint b);
CAROM_LANE vmask i_gt(vint a, vint b);
CAROM_LANE vint i_select(vmask m, vint a, vint b);
CAROM_LANE vmask m_and(vmask a, vmask b);
CAROM_LANE vmask m_or(vmask a, vmask b);
CAROM_LANE vmask m_not(vmask a);
CAROM_LANE vmask m_andnot(vmask a, vmask b); /* a and not b */
CAROM_LANE bool m_any(vmask a);
CAROM_LANE unsigned m_bits(vmask a); /* bit l is lane l */
CAROM_LANE vmask m_from_bits(unsigned bits);
CAROM_LANE vreal dot_product(vreal ax, vreal ay, vreal bx, vreal by);

/* ---- bodies and their times of impact ---- */

/* tick_bodies has vreal x[RULES_BODIES], y, vx, vy, and the notes. */

/* The time until two circles touch, with centres (px, py) apart and relative velocity (vx, vy) per tick. reach: the sum
 * of their radii. 0: they touch and approach. Infinite: never. */
CAROM_LANE vreal time_circles(vreal px, vreal py, vreal vx, vreal vy, double reach);

/* The time until a circle's centre, which is between -wall and wall, reaches the one of the two that it moves towards.
 * NaN: it rests on one of them. */
CAROM_LANE vreal time_wall(vreal x, vreal v, double wall);

/* Bodies i and j touch and bounce off each other. share_i, share_j: the shares of the change of their relative
 * velocity, 1 in total: 0.5 each for equal masses, 1 and 0 if j is immovable. bounce: from 1, elastic, to 0. lanes:
 * where they collide. */
CAROM_LANE void bodies_collide(tick_bodies *b, int i, int j, double share_i, double share_j, double bounce,
                               vmask lanes);

/* A body bounces off a wall at `wall` or -`wall`. Pass one coordinate: x and vx, or y and vy. */
CAROM_LANE void bodies_reflect(vreal *x, vreal *v, double wall, double bounce, vmask lanes);

/* For rules_next(): offers an impact. At time t from now the body `first` collides with number `second` of the game's
 * `kind` of things; each of these is below 256. The earliest impact before the end of the tick is taken, and among
 * equal times the one that was offered first. */
CAROM_LANE void impact_offer(tick_impact *next, vreal t, unsigned first, unsigned kind, unsigned second);

/* For equal discs, bodies from .. to - 1: offer all impacts between them, as impacts of `kind` with the second body's
 * number, and play such an impact. */
CAROM_LANE void impact_offer_pairs(tick_impact *next, const tick_bodies *b, unsigned from, unsigned to, unsigned kind,
                                   double reach);
CAROM_LANE void bodies_collide_pairs(tick_bodies *b, const tick_impact *impact, unsigned from, unsigned to,
                                     unsigned kind, double bounce);

/* Filled in by RULES_TOUCH. On entry everything is 0 and `body` is -1.
 *     int body         the second body; -1: a wall or the like, with
 *     double nx, ny    its unit normal, in either direction
 *     double radius    of the first body
 *     double mass[2]   of the first and the second; 0: impacts do not move it */
typedef struct impact_touch impact_touch;

/* The worlds in which the impact is this one. */
CAROM_LANE vmask impact_is(const tick_impact *impact, unsigned first, unsigned kind, unsigned second);
CAROM_LANE vreal impact_left(const tick_impact *impact);  /* time left in the tick */
CAROM_LANE vreal impact_count(const tick_impact *impact); /* impacts of the tick so far, this one included */

/* ---- actions, observations ---- */

CAROM_LANE uint32_t action_kind(tick_actions actions, unsigned player); /* action_<kind name> */
CAROM_LANE vreal action_number(tick_actions actions, unsigned player, unsigned k);
CAROM_LANE vreal action_unit(tick_actions actions, unsigned player, unsigned k); /* within [-1, 1]; 0 for NaN */
/* k: seen_<name of the number>, numbered from 0 in the order of RULES_SEEN */
CAROM_LANE void view_put(tick_view view, unsigned player, unsigned k, vreal a);

/* ---- one world, or LANES that begin with it ---- */

CAROM_LANE tick_world world_of(tick_world w, unsigned l); /* world l of the LANES */
CAROM_LANE uint64_t world_id(tick_world w);
CAROM_LANE uint32_t world_episode(tick_world w); /* games finished before this one */
CAROM_LANE int32_t world_tick(tick_world w);     /* ticks played */
CAROM_LANE vint get_tick(tick_world w);
CAROM_LANE tick_kept kept_in(vmask lanes); /* for set_name(): the worlds to write */
static inline uint32_t random_word(random_stream *stream);
static inline uint32_t random_below(random_stream *stream, uint32_t n);
static inline double random_number(uint32_t word); /* in [-1, 1) */
/* The game is over. end: CAROM_TERMINATED or CAROM_TRUNCATED. winner: a player, or -1 for none. With a winner the kit
 * adds 1 to its reward of this tick and -1 / (RULES_PLAYERS - 1) to that of every other player. */
static inline tick_verdict verdict_of(carom_end end, int winner);
static inline tick_verdict verdict_running(void);

/* EACH_LANE (l, bits) { ... }: runs the block for each lane l in bits */
#if !defined(EACH_LANE)
#error "for (l, bits): each lane l of bits"
#endif

/* ---- the rules: what a game defines ---- */

/* Starts a new game. All fields are 0 on entry. */
KIT_RULE void rules_start(const rules_options *options, random_stream *draws, tick_world w);

/* Applies the actions to velocities and notes; must not change positions. */
CAROM_LANE void rules_command(const rules_options *options, tick_world w, tick_actions actions, tick_bodies *b);

/* Offers every impact that could be the earliest. */
CAROM_LANE void rules_next(const rules_options *options, const tick_bodies *b, tick_impact *next);

/* Plays an impact. The bodies have already moved to it. Changes to worlds without an impact are discarded. Returns the
 * worlds in which nothing moves any more until the end of the tick. */
CAROM_LANE vmask rules_hit(const rules_options *options, tick_bodies *b, const tick_impact *impact);

/* Applies the consequences of the motion. kept: the worlds whose fields it may write, as bits; pass kept_in(m_and(mask,
 * m_from_bits(kept))) to set_name(). b: bodies and notes at the end of the tick. reward: set one per player, without
 * the reward for winning, which verdict_of() adds. *counted: add what RULES_COUNTS names. The tick is already counted.
 * Returns the worlds whose game may be over, as bits; rules_decide() is called for these. */
CAROM_LANE unsigned rules_settle(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward, unsigned *counted);

/* Is this game over? */
KIT_RULE tick_verdict rules_decide(const rules_options *options, tick_world w);

CAROM_LANE void rules_observe(const rules_options *options, tick_world w, tick_view view);

/* Sets what a state is worth to each player, at the end of a rollout. */
CAROM_LANE void rules_value(const rules_options *options, tick_world w, vreal *value);

#if defined(RULES_AGENTS)
/* Called after rules_settle(): sets the reward of each body that players act with. reward[RULES_PLAYERS *
 * RULES_AGENTS]. */
CAROM_LANE void rules_settle_own(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward);
#endif
#if defined(RULES_EGO_SEEN)
CAROM_LANE void rules_observe_ego(const rules_options *options, tick_world w, tick_view view);
/* agent: index among the bodies of all players; k: ego_<name of the number> */
CAROM_LANE void view_put_ego(tick_view view, unsigned agent, unsigned k, vreal a);
#endif
#if defined(RULES_LIDAR_RAYS)
/* What one body sees by rays: sets each number of RULES_LIDAR_SEEN, calls lidar_from() with the body's position, then
 * names everything that its rays can hit. A ray hits the nearest thing; among equally near ones, the one named
 * first. */
CAROM_LANE void rules_lidar(const rules_options *options, tick_world w, tick_lidar *lidar);
CAROM_LANE unsigned lidar_agent(const tick_lidar *lidar);                /* its index among the bodies of all players */
CAROM_LANE void lidar_own(const tick_lidar *lidar, unsigned k, vreal a); /* k: own_<name of the number> */
/* cosine, sine: of the direction of ray 0; the others follow, turning from +x towards +y. Distances are in units of
 * `range`, beyond which rays hit nothing, and velocities in units of `speed`. Without this call all rays read 0. */
CAROM_LANE void lidar_from(tick_lidar *lidar, vreal x, vreal y, vreal vx, vreal vy, vreal cosine, vreal sine,
                           double range, double speed);
/* thing: thing_<name of the kind> */
CAROM_LANE void lidar_circle(tick_lidar *lidar, unsigned thing, vreal x, vreal y, vreal vx, vreal vy, double radius);
CAROM_LANE void lidar_wall(tick_lidar *lidar, unsigned thing, double ax, double ay, double bx, double by);
#endif
#if defined(RULES_WEIGHTS)
/* Sets features[], in the order of RULES_WEIGHTS. */
CAROM_LANE void rules_features(const rules_options *options, tick_world w, unsigned player, vreal *features);
#endif

/* ---- policies and looks ---- */

/* Write policies within `#if defined(CAROM_KIT_POLICY)`. Without RULES_POLICY_LANES `#if defined(CAROM_KIT_HOST)`
 * works, too, and a vreal is a plain double, of one world. Policies compute in f64, whatever the worlds' precision, and
 * read the field x by see_x(w, i). rules_policy() sets the numbers of `player`, which rules_command() reads by
 * action_number(); policy and kind are numbers in the order of RULES_POLICIES and RULES_ACTIONS. */
#if defined(CAROM_KIT_POLICY)
CAROM_LANE vreal draw_number(tick_draws *draws); /* in [-1, 1) */
CAROM_LANE vint see_tick(see_world w, int zero);
CAROM_LANE void rules_policy(const rules_options *options, see_world w, int player, unsigned policy, unsigned kind,
                             tick_draws *draws, vreal *numbers);
#endif

#if defined(CAROM_KIT_HOST)
/* A row of a look_group table: `many` bodies, starting with body `at`. */
#define LOOK_BODIES(title, at, many, its_style, its_radius)                                                            \
    {.name = (title), .count = (many), .style = (its_style), .radius = (its_radius), .mass = 1, LOOK_AT(at)}
typedef look_group look_group;
typedef look_number look_number; /* {"score", player or -1, "field", element} */
/* .view, .groups, .group_count, .numbers, .number_count; .shapes: a function (const carom_worlds *worlds, size_t world,
 * look_sink *sink). carom/look.h describes the view (carom_look_view) and lists the styles. */
typedef game_look game_look;
typedef look_sink look_sink;
static inline void look_line(look_sink *sink, carom_look_style style, double x, double y, double x2, double y2);
static inline void look_circle(look_sink *sink, carom_look_style style, double x, double y, double radius);
static inline void look_text(look_sink *sink, carom_look_style style, double x, double y, double radius,
                             const char *text);
static inline void look_box(look_sink *sink, carom_look_style style, double x0, double y0, double x1, double y1);
#endif

#endif
