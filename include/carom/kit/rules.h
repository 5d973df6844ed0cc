/* SPDX-License-Identifier: MIT
 * What the rules of a game are written with. A game from outside is one source file:
 *
 *     #define RULES_NAME sumo ...               what the game is: see below
 *     #include <carom/kit/rules.h>
 *     ...                                       its rules: functions rules_...(), as they are declared here
 *     #include <carom/kit/game.h>               last
 *
 * docs/games.md leads from nothing to a trained policy; `carom-new-game NAME FOLDER` writes a small game to begin with;
 * examples/sumo and examples/air_hockey are whole ones. `carom-kit build game.c -o game.so` compiles the file once for
 * every instruction set and precision, and once for the host.
 *
 * These two headers are all that a game includes of Carom, and what this one declares is all that its rules may call:
 * carom/kit/engine/ is what the library's own kernels are made of, and may change with every version. carom-kit refuses
 * a game that includes a header of it, or names something in it that is not declared here.
 *
 * Bodies are circles that move straight on between impacts. The kit keeps their x, y, vx, vy, finds the impacts by
 * rules_next(), plays them by rules_hit() in the order of time, moves, stores, checks ranges, records, freezes, begins
 * anew, forks and saves. A tick:
 *
 *     rules_command   what the actions do to velocities
 *     rules_next      the earliest impact in the time that is left;   rules_hit   one impact: while there is one
 *     RULES_FINISH    the end of the motion: friction
 *     rules_settle    what follows: goals, rewards;                   rules_decide   is the game over?
 *     rules_observe   what players see
 *
 * Worlds stand in lanes: a vreal has one real number of each of LANES worlds, + - * / work on it, and a vmask says of
 * which worlds something is true. `if` is for what is the same in all worlds; else v_select() chooses. Rules of one
 * world, rules_start(), rules_decide() and rules_policy(), are plain C. Beside a vreal write v_number(2.5), never 2.5,
 * which may compile, but in f32 rounds differently from one instruction set to another. Do not call the C library.
 *
 * Before this file a game defines
 *     RULES_NAME           its name, in small letters, digits and _
 *     RULES_TITLE          "its title"
 *     RULES_PLAYERS        sides that act and are rewarded: 1 to 4
 *     RULES_BODIES         circles of a world: 1 to 255
 *     RULES_FAR_X, RULES_FAST   most of |x| and |y|, and of |vx| and |vy|, of any body. A world in which a tick ends
 *                          beyond takes a fault; one that is given is refused
 *     RULES_ACTIONS(X)     kinds of action, 1 to 4, as X(name, F32 or F64, numbers of a player); one is `normalised`:
 *                          F32, in [-1, 1]
 *     RULES_SEEN(X)        the numbers that a player sees, as X(name, "unit", least, most): least and most must hold
 *                          for any world within RULES_FAR_X and RULES_FAST; they are not tested. -INFINITY and
 *                          INFINITY are allowed
 *     RULES_POLICIES(X)    built-in policies, as X(name), numbered from 0: at least one; the first is the default
 * and if it likes
 *     RULES_FAR_Y          most of |y|, if it is another
 *     RULES_EVENTS         most impacts of a tick, at least 2; 64 by default. A world with time left after so many
 *                          takes a fault, unless rules_hit() stops it:
 *                          return v_ge(impact_count(impact), v_number(RULES_EVENTS))
 *     RULES_STATE          what else a world holds: a macro of four macros, REAL, INT32, INT16 and INT8, of
 *                          (name, count, STATE). For all lanes, get_name(w, i) reads element i, as a vreal (REAL) or a
 *                          vint (the others), and set_name(w, i, a, kept_in(mask)) writes it in the worlds of mask.
 *                          For one world, at_name(w, i) is a pointer to it. The same goes for x, y, vx and vy
 *     RULES_OPTIONS        what it leaves open, a macro of three macros: COUNT and NUMBER (uint32_t and double) of
 *                          (name, default, least, most, "meaning"), FLAG (uint32_t) of (name, default, "meaning").
 *                          They are the members of rules_options, and options like those of any game: for programs
 *                          (carom_game_set_option()), `--set`, Python, replays
 *     RULES_NOTES(X)       what rules remember from rules_command() to rules_settle(), as X(name, count): vreals in
 *                          tick_bodies, 0 when the tick begins
 *     RULES_DRIVEN         the first so many bodies move as commanded, whatever they meet: mallets
 *     RULES_COUNTS         "goals": what rules_settle() counts
 *     RULES_FINISH         the name of a function (const rules_options *, tick_bodies *) for the end of the motion
 *     RULES_CHECK          the name of a function bool (const rules_options *, tick_world): may a world be given so,
 *                          beyond what the ranges of bodies say? Without it other fields may hold anything
 *     RULES_AGENTS         bodies that a player acts with: what each of them gains, by rules_settle_own(), is the kind
 *                          of reward `own`; with
 *     RULES_EGO_SEEN(X)    like RULES_SEEN, what each of them sees, by rules_observe_ego(), is the kind of observation
 *                          `ego`
 *     RULES_LIDAR_RAYS     1 to 64: what each of them sees by as many rays, evenly all around, by rules_lidar(), is the
 *                          kind of observation `lidar`, which GPUs do not have; with
 *     RULES_LIDAR_MEETS(X) kinds of things that rays meet, as X(name), and if it likes
 *     RULES_LIDAR_SEEN(X)  like RULES_SEEN, what the body sees beside its rays
 *     RULES_TOUCH          the name of a function (const rules_options *, unsigned first, unsigned kind,
 *                          unsigned second, impact_touch *): what touches in such an impact, for recordings
 *                          (carom_contact)
 *     RULES_WEIGHTS(X)     features of a final value, as X(name, default weight): rules_features() tells them, and
 *                          their sum by weights is the kind of value `weighted`
 *     RULES_POLICY_LANES   rules_policy() is written in lanes, and compiled for every instruction set
 *     RULES_LOOK           a game_look, in `#if defined(CAROM_KIT_HOST)`: how a world is drawn. Without it bodies are
 *                          drawn where they are
 *
 * Names. The kit owns all names that begin with carom_, CAROM_, kit_, KIT_, rules_, RULES_, run_, RUN_, tick_, TICK_,
 * world_, WORLD_, field_, state_, STATE_, see_, SEE_, seen_, ego_, own_, thing_, lidar_, number_, view_, value_, end_,
 * verdict_, one_, ONE_, checked, CHECKED, game_, GAME_, look_, LOOK_, worklist, rounds_, ROUNDS_, motion_, MOTION_,
 * EACH_, TILE_; bodies_, impact_, time_, action_, draw_; get_, set_, at_ before the name of a field; v_, V_, i_, I_,
 * m_, fdlibm_, random_, RANDOM_, philox_, PHILOX_, hash_, HASH_, mix64, circles_, equation_, root_, rays_, RAYS_; real,
 * REAL, LANES, LANES_ALL, vreal, vint, vmask. A game does well to give its own names a prefix, too.
 *
 * A wrong number is refused. When a game is opened or adopted, some of its worlds are played with every number looked
 * at by which the rules name a part of what the tick holds: elements of fields, bodies, numbers of observations and
 * actions, players, rewards; all that a player sees must be set. `carom check` plays more worlds so. A number that is
 * wrong only in states which these do not come to is not found.
 */
#ifndef CAROM_KIT_RULES_H
#define CAROM_KIT_RULES_H

#if !defined(RULES_NAME) || !defined(RULES_TITLE) || !defined(RULES_PLAYERS) || !defined(RULES_BODIES) ||              \
    !defined(RULES_FAR_X) || !defined(RULES_FAST) || !defined(RULES_ACTIONS) || !defined(RULES_SEEN) ||                \
    !defined(RULES_POLICIES)
#error "a game defines RULES_NAME and the others before it includes carom/kit/rules.h"
#endif

#include "carom/kit/engine/words.h"

/* ---- arithmetic: see the head. A comparison with NaN is false ---- */

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

/* ---- bodies, and when they meet ---- */

/* tick_bodies has vreal x[RULES_BODIES], y, vx, vy, and the notes. */

/* When two circles meet whose centres are (px, py) apart, and move apart by (vx, vy) a tick: `reach` is the sum of
 * their radii. 0: they touch, and approach. Infinite: never. */
CAROM_LANE vreal time_circles(vreal px, vreal py, vreal vx, vreal vy, double reach);

/* When a circle's centre, between -wall and wall, comes to the one that it moves towards. NaN: at rest on it. */
CAROM_LANE vreal time_wall(vreal x, vreal v, double wall);

/* Bodies i and j touch: they are thrown apart. share_i, share_j: of the change of their relative velocity, 1 in sum: a
 * half each if they are as heavy, 1 and 0 if j cannot be moved. bounce: 1, elastic, to 0. lanes: where it is so. */
CAROM_LANE void bodies_collide(tick_bodies *b, int i, int j, double share_i, double share_j, double bounce,
                               vmask lanes);

/* A wall at `wall` or -`wall` throws one coordinate of a body back: x and vx, or y and vy. */
CAROM_LANE void bodies_reflect(vreal *x, vreal *v, double wall, double bounce, vmask lanes);

/* rules_next() offers what a body may meet: at the time `t` of now, the body `first` meets something of the game's
 * `kind`, number `second`: below 256 each. The earliest of those before the end of the tick is taken; of equal times
 * the first that is offered. */
CAROM_LANE void impact_offer(tick_impact *next, vreal t, unsigned first, unsigned kind, unsigned second);

/* Of discs that are alike, bodies from .. to - 1: all that they may meet of each other, as impacts of a kind with the
 * number of the second; and what these do. */
CAROM_LANE void impact_offer_pairs(tick_impact *next, const tick_bodies *b, unsigned from, unsigned to, unsigned kind,
                                   double reach);
CAROM_LANE void bodies_collide_pairs(tick_bodies *b, const tick_impact *impact, unsigned from, unsigned to,
                                     unsigned kind, double bounce);

/* What RULES_TOUCH fills in. All is 0, and `body` -1, before.
 *     int body         the second, if it is a body; -1: a wall, or the like, with
 *     double nx, ny    its unit normal, on either side
 *     double radius    of the first
 *     double mass[2]   of the first and of the second; 0: impacts do not move it */
typedef struct impact_touch impact_touch;

/* The worlds in which this is it. */
CAROM_LANE vmask impact_is(const tick_impact *impact, unsigned first, unsigned kind, unsigned second);
CAROM_LANE vreal impact_left(const tick_impact *impact);  /* time left in the tick */
CAROM_LANE vreal impact_count(const tick_impact *impact); /* impacts of the tick so far, this one included */

/* ---- actions, observations ---- */

CAROM_LANE uint32_t action_kind(tick_actions actions, unsigned player); /* action_<name of the kind> */
CAROM_LANE vreal action_number(tick_actions actions, unsigned player, unsigned k);
CAROM_LANE vreal action_unit(tick_actions actions, unsigned player, unsigned k); /* within [-1, 1]; 0 if it is NaN */
/* k: seen_<name of the number>, which count from 0 in the order of RULES_SEEN */
CAROM_LANE void view_put(tick_view view, unsigned player, unsigned k, vreal a);

/* ---- one world, or LANES that begin with it ---- */

CAROM_LANE tick_world world_of(tick_world w, unsigned l); /* number l of these */
CAROM_LANE uint64_t world_id(tick_world w);
CAROM_LANE uint32_t world_episode(tick_world w); /* games finished before this one */
CAROM_LANE int32_t world_tick(tick_world w);     /* ticks played */
CAROM_LANE vint get_tick(tick_world w);
CAROM_LANE tick_kept kept_in(vmask lanes); /* for set_name(): the worlds that are written */
static inline uint32_t random_word(random_stream *stream);
static inline uint32_t random_below(random_stream *stream, uint32_t n);
static inline double random_number(uint32_t word); /* in [-1, 1) */
/* The game is over, by CAROM_TERMINATED or CAROM_TRUNCATED. winner: a player, or -1: nobody. The kit adds 1 to the
 * winner's reward of this tick and -1 / (RULES_PLAYERS - 1) to that of each other player; nothing if nobody has won. */
static inline tick_verdict verdict_of(carom_end end, int winner);
static inline tick_verdict verdict_running(void);

/* EACH_LANE (l, bits) { ... }: for each lane l of bits */
#if !defined(EACH_LANE)
#error "for (l, bits): each lane l of bits"
#endif

/* ---- the rules: what a game defines ---- */

/* A new game. All fields are 0. */
KIT_RULE void rules_start(const rules_options *options, random_stream *draws, tick_world w);

/* What the actions do to velocities and notes. Positions stay. */
CAROM_LANE void rules_command(const rules_options *options, tick_world w, tick_actions actions, tick_bodies *b);

/* Offers all that could be the earliest impact. */
CAROM_LANE void rules_next(const rules_options *options, const tick_bodies *b, tick_impact *next);

/* Plays an impact: bodies are where it happens. What this does to worlds that have none is undone. Returns the worlds
 * in which nothing moves any more until the tick is over. */
CAROM_LANE vmask rules_hit(const rules_options *options, tick_bodies *b, const tick_impact *impact);

/* What follows from the end of the motion. kept, as bits: the worlds whose fields it may write; set_name() writes in
 * those of m_and(mask, m_from_bits(kept)). b: bodies and notes at the end of the tick. reward: of every player, to be
 * set, without the reward for winning, which verdict_of() gives. *counted: RULES_COUNTS, to be added to. Returns the
 * worlds whose game may be over, as bits: rules_decide() is called for these. The tick is counted already. */
CAROM_LANE unsigned rules_settle(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward, unsigned *counted);

/* Is this game over? */
KIT_RULE tick_verdict rules_decide(const rules_options *options, tick_world w);

CAROM_LANE void rules_observe(const rules_options *options, tick_world w, tick_view view);

/* What a state is worth to every player, at the end of a rollout: to be set. */
CAROM_LANE void rules_value(const rules_options *options, tick_world w, vreal *value);

#if defined(RULES_AGENTS)
/* After rules_settle(): what each body gained that players act with. reward[RULES_PLAYERS * RULES_AGENTS]. */
CAROM_LANE void rules_settle_own(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward);
#endif
#if defined(RULES_EGO_SEEN)
CAROM_LANE void rules_observe_ego(const rules_options *options, tick_world w, tick_view view);
/* agent: of all players' bodies; k: ego_<name of the number>. */
CAROM_LANE void view_put_ego(tick_view view, unsigned agent, unsigned k, vreal a);
#endif
#if defined(RULES_LIDAR_RAYS)
/* What one body sees by rays: sets each number of RULES_LIDAR_SEEN, says where the body is, then names all that its
 * rays may meet. They meet the nearest thing; of equally near ones the first that is named. */
CAROM_LANE void rules_lidar(const rules_options *options, tick_world w, tick_lidar *lidar);
CAROM_LANE unsigned lidar_agent(const tick_lidar *lidar);                /* which one, of all players' bodies */
CAROM_LANE void lidar_own(const tick_lidar *lidar, unsigned k, vreal a); /* k: own_<name of the number> */
/* cosine, sine: of the angle in which ray 0 goes; the others follow towards +y from +x. Distances are seen in units of
 * `range`, beyond which rays meet nothing, and velocities in units of `speed`. Without this call all rays see 0. */
CAROM_LANE void lidar_from(tick_lidar *lidar, vreal x, vreal y, vreal vx, vreal vy, vreal cosine, vreal sine,
                           double range, double speed);
/* thing: thing_<name of the kind> */
CAROM_LANE void lidar_circle(tick_lidar *lidar, unsigned thing, vreal x, vreal y, vreal vx, vreal vy, double radius);
CAROM_LANE void lidar_wall(tick_lidar *lidar, unsigned thing, double ax, double ay, double bx, double by);
#endif
#if defined(RULES_WEIGHTS)
/* features[]: in the order of RULES_WEIGHTS, to be set. */
CAROM_LANE void rules_features(const rules_options *options, tick_world w, unsigned player, vreal *features);
#endif

/* ---- policies and looks ---- */

/* In `#if defined(CAROM_KIT_POLICY)`. Without RULES_POLICY_LANES `#if defined(CAROM_KIT_HOST)` does as well, and a
 * vreal is here a plain double, of one world. Policies decide in f64, whatever the worlds' precision, and see the
 * field x by see_x(w, i). rules_policy() sets the numbers of `player`, which rules_command() reads by action_number(),
 * for policy number `policy`, in kind of action number `kind`. */
#if defined(CAROM_KIT_POLICY)
CAROM_LANE vreal draw_number(tick_draws *draws); /* in [-1, 1) */
CAROM_LANE vint see_tick(see_world w, int zero);
CAROM_LANE void rules_policy(const rules_options *options, see_world w, int player, unsigned policy, unsigned kind,
                             tick_draws *draws, vreal *numbers);
#endif

#if defined(CAROM_KIT_HOST)
/* A row of a look_group table: `many` bodies from body `at` on. */
#define LOOK_BODIES(title, at, many, its_style, its_radius)                                                            \
    {.name = (title), .count = (many), .style = (its_style), .radius = (its_radius), .mass = 1, LOOK_AT(at)}
typedef look_group look_group;
typedef look_number look_number; /* {"score", player or -1, "field", element} */
/* .view, .groups, .group_count, .numbers, .number_count; .shapes: a function (const carom_worlds *worlds, size_t world,
 * look_sink *sink). carom/look.h describes the view (carom_look_view) and lists the styles */
typedef game_look game_look;
typedef look_sink look_sink;
static inline void look_line(look_sink *sink, carom_look_style style, double x, double y, double x2, double y2);
static inline void look_circle(look_sink *sink, carom_look_style style, double x, double y, double radius);
static inline void look_text(look_sink *sink, carom_look_style style, double x, double y, double radius,
                             const char *text);
static inline void look_box(look_sink *sink, carom_look_style style, double x0, double y0, double x1, double y1);
#endif

#endif
