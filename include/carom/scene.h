/* SPDX-License-Identifier: MIT
 * Scenes: describe your own world of circles, walls, polygons, arcs and a box. Carom checks and freezes the
 * description; a frozen scene is a game (game.h), so batches, forks, hashes, saves and rollouts work as for any game.
 *
 *     carom_scene_desc desc = carom_scene_desc_default();         describe
 *     desc.bodies = bodies, desc.body_count = 3;
 *     carom_scene_create(&desc, &scene, &problem);                check and freeze: "body 2: radius -1 is not positive"
 *     carom_worlds_desc w = carom_worlds_desc_default(carom_scene_game(scene));
 *     carom_worlds_create(&w, &worlds);
 *     carom_worlds_step(worlds, 0.1, 10);                         ten ticks of 0.1 s
 *
 * You choose the units. Every world of a batch has the scene's bodies, in order. A body that is not `active` does not
 * move and collides with nothing. To add or remove bodies set the field `active`; the scene's bodies are the capacity.
 *
 * Fields of a world (in addition to those of worlds.h); n = bodies
 *     x, y, vx, vy   n reals each
 *     user           n x int32 for the caller's own use, copied, saved and hashed; only with desc.user_words
 *     active         n x int8: 0 or 1
 * Scenes with CAROM_OWN_CLOCK and without slow bodies also have the records from which x and y are computed; see
 * "Records across ticks".
 *     record_x, record_y, record_time     n reals each
 *     record_vx, record_vy                n reals each, if some body is accelerated
 *     record_tick                         n x int32
 *     record_dt                           a real
 *     record_numbers                      an int32, if numbers other than dt may differ by world: a hash of them
 * You may set all of them between ticks. carom_worlds_set() returns CAROM_ERROR_VALUE if a number is not finite, a
 * position is beyond CAROM_SCENE_RANGE_F32/_F64 of the origin, a fixed body has a velocity, or an active body's centre
 * is outside a periodic box. carom_worlds_create() returns it for f32 if a body's start or dt is beyond the range of
 * f32. A world that leaves these limits during a tick faults.
 *
 * Worlds that differ. A parameter that has a spread, or is named in desc.varies, may differ from world to world: it
 * becomes a field of role CAROM_ROLE_PARAMETER, which the caller may set between ticks like any other. Everything else
 * in the scene stays the same, and a scene in which nothing differs has none of these fields.
 *     radius, mass, restitution, damping, ax, ay, action_scale    n reals each, if it may differ for any body
 *     wall_ax, wall_ay, wall_bx, wall_by                          a real for each wall
 *     corner_x, corner_y                                          a real for each corner, polygon by polygon
 *     dt                                                          a real
 *     wall_there, polygon_there                                   int8, 0 or 1, for each wall, each polygon
 * Every game draws the parameters that have a spread, by the world's seed, id and episode, and resets the others to the
 * description. If both ends of a wall, or two neighbouring corners of a polygon, are drawn at the same point, they
 * are drawn again, at most 16 times; after that the world starts frozen, with CAROM_FAULT_RANGE. The field dt is the
 * length of a tick in calls that give none (step.dt = 0). A field refuses the same values as the description; a fixed
 * body stays fixed, the mass of any other body stays finite, and a scene whose ax or ay may differ counts as one with
 * accelerations, whatever the values. Each world plays, to the bit, like the only world of a scene described with its
 * numbers, with one exception: a sensor that is not there still ends records at each tick (see "Records across ticks"
 * below), so such a world rounds differently from a scene without that sensor.
 *
 * Memory in the deep engine, bytes per body, f64 / f32, plus some kilobytes. A world: 33 / 17; with records across
 * ticks 61 / 33, or 77 / 41 with accelerations; 4 more with user_words; 8 / 4 more for each parameter of bodies that
 * may differ. A thread, independent of the number of worlds: 207 in either precision; with records across ticks 255, or
 * 259 with accelerations; 8 / 4 more for each parameter of bodies that may differ, except action_scale; 16 / 8 more
 * with a speed_limit or bodies that act; 37 / 21 more with a tick hook; 256 more for each body that acts; 560 / 308
 * more if bodies may settle. The scene, shared by all batches: 230.
 *
 * A tick of length dt
 *   0. The scene's tick hook is called, then the action (see below) is taken.
 *   1. Speeds above speed_limit are reduced to it, in the same direction.
 *   2. Bodies move for dt, p(t) = p + v t + a t^2 / 2, and impacts are played in order of time. Two bodies can collide
 *      if both are active, the category of each is in the other's mask, and not both are fixed; for walls, polygons and
 *      solid sides see carom_scene_wall. Simultaneous impacts are played in order of (lower, higher id); ids are bodies
 *      0..n-1, then the box's sides (left, right, lower, upper), walls, polygons, arcs.
 *   3. A centre that rounding left beyond a periodic side is put on it. Velocities of bodies are multiplied by
 *      1 - damping.
 * Under CAROM_OWN_CLOCK (the default) a body's record (its position and velocity, and when they were taken) changes
 * only in its own impacts and when it crosses a periodic side. A time of impact is computed from the two bodies'
 * records alone, starting at the later one. Under CAROM_ADVANCE_ALL every impact moves all bodies to its time, as
 * turn-based games do. Each of the two gives the same bits on every instruction set and in both engines; their results
 * differ from each other by rounding. Two ticks in one call give the same bits as two calls. A tick of 2 dt differs
 * from two ticks of dt, by rounding and because steps 0, 1 and 3 happen once a tick.
 *
 * Records across ticks. Under CAROM_OWN_CLOCK, unless a body is slow, records outlive ticks: the fields x, y (and vx,
 * vy of accelerated bodies) are computed from the record at the end of each tick, so that rounding does not accumulate.
 * With age = (tick - record_tick) dt - record_time a body is at record_x + vx age, or at record_x + record_vx age + ax
 * age^2 / 2, or on the periodic side if rounding left it beyond. If a body's fields disagree with its record at the
 * start of a tick, after step 1, it starts a new record (tick, 0, x, y, vx, vy). So callers, hooks, actions, damping
 * and speed limits change x, y, vx and vy as in any scene and can ignore records. A body also starts a new record when
 * it becomes active (record_tick of inactive bodies is -1), when dt changes, in every tick if it is a sensor or can
 * meet one, and after 2^20 ticks; in scenes with accelerations also after 256 ticks, or before the distance since the
 * record, (|v| + |a| t) t, exceeds 32 radii, but not before the next tick. Settled bodies start one at the end of the
 * tick. All bodies of a world start one after a change of a parameter that differs by world (a radius, a wall, what is
 * there). Records are part of the state: if you copy a world field by field, copy them, too.
 *
 * Impacts. Let n be the unit normal from the second body, or the wall, to the first, and u = -(v1 - v2).n > 0 the speed
 * of approach; e = e1 e2 the product of the two restitutions.
 *     bodies   impulse j = max((1 + e) u / (1/m1 + 1/m2), least_impulse): v1 += j/m1 n, v2 -= j/m2 n. j is divided by
 *              the square of the rounded n, so that the energy of elastic impacts has no trend
 *     walls    v1 += (1 + e) u n
 *     sensors  record an event when a circle first touches them from outside, and change nothing. The same two are
 *              recorded again after one of them has had another impact, or in a later tick.
 *     arcs     as walls. A body that hits an arc from inside leaves fast enough not to hit it again within 1/512 (f32:
 *              1/32) of a length: the body's radius or, if that is greater, 1/64 of the arc's, but at most the radius
 *              of the circle that its centre stays in. If it arrived at most twice as fast as that, it keeps its
 *              speed: so it can roll around in an arc for ever, with a bounded number of impacts. Each impact removes
 *              overlap as in scenes with accelerations
 * Contact time. An impact within contact_time of the last impact of either body is elastic (e = 1: the TC model, Luding
 * and McNamara, Granular Matter 1, 1998). Accelerated bodies part with a speed of at least a * contact_time / 2, where
 * a is the acceleration into the wall, or for two bodies the greater of theirs. So a body that rests on a floor has
 * speeds of about a * contact_time and dt / contact_time impacts per tick, and one in a pile of L layers about half of
 * L * dt / contact_time, unless it settles before.
 *
 * Settling. Bodies that lean on each other would collide without end: each impact takes a share of the remaining speed,
 * and acceleration gives it back. So a group of bodies that have had too many short impacts in a row is solved as a
 * whole: its contacts get the least impulses after which nothing approaches for the rest of the tick, and the bodies
 * move on without acceleration until the tick ends. Momentum is conserved, and energy does not grow. So every tick has
 * a bounded number of short impacts, whatever the geometry. A settling is recorded, and counts, as one impact of the
 * two bodies that met, with the impulse of their contact. This happens in scenes in which an impact may lose energy (a
 * body, wall, polygon or solid side has a restitution below 1) or which have a contact_time, unless they have a
 * response_hook or slow bodies. It has no settings, and none of it outlives the tick. kernel/scenes/settle.h has the
 * exact rule.
 *
 * Endless ticks. A world with more than max_events impacts in a tick returns to the tick's start and freezes with
 * CAROM_FAULT_EVENTS. So does one that crosses periodic sides too often: more than 64 * max_events times, or more than
 * the default if max_events is 0. Only endless ticks reach the default, a million plus a thousand per body; that takes
 * some tenths of a second. Their causes are elastic bodies that are too fast for the space they have, wedged bodies
 * with restitution 1 and no contact_time, or a response_hook that lets things collide for ever.
 *
 * Overlap. Nothing passes through sides, walls, polygons or bodies. Let z be 2^-18 (f32; f64: 2^-47) times the sum of a
 * circle's |x|, |y|, the distance that it moves in a tick, and the wall's greatest |x| + |y|: some tens of spacings of
 * coordinates. With records across ticks |x| and |y| are those of the record, and an accelerated body's distance is
 * that for which its record lasts.
 *     Rounding leaves overlaps below z, however long things rest on each other. Without accelerations an overlap may
 *     grow while a body parts so slowly that its coordinates do not change; a centre comes no nearer to a wall than
 *     z/2.
 *     Walls and polygons treat a circle of radius 0, or any below z, as one of radius z.
 *     Bodies that overlap, at the start or because a caller put them there, collide at once if they approach, or, if
 *     they are accelerated, as soon as they get closer than they were; if they part, nothing happens. In scenes with
 *     accelerations each impact removes at most 1/64 of the lesser radius, or z, of the overlap; in other scenes an
 *     overlap ends as the bodies move.
 * A body so fast that the third power of these lengths overflows meets no wall.
 *
 * Slow bodies. Between two slow bodies, and between a slow body and a wall or polygon, the end of the tick decides: an
 * impact is left out if without it they would overlap there by less than the sum of both their z (or half of the
 * radius, if that is less), or by less than 2^-20 of that more than before. All other impacts of slow bodies are played
 * at their times like any other: nothing passes through, at any speed, and overlaps of slow bodies stay below z, for
 * two bodies below the sum of both. So bodies pushed together come to rest after some impacts per tick, whatever their
 * restitution; only a body wedged between several others may still collide without end. Bodies that move by less than
 * their radius in a tick follow the rule of Cornell's RoboCup simulator (find overlaps at the end of the tick, and go
 * back to their times). A scene with slow bodies has no accelerations and CAROM_OWN_CLOCK.
 *
 * Players. There are 1 to CAROM_MAX_PLAYERS, numbered from 0 to the greatest `player` of a body. A player acts with its
 * bodies that have `acts`, equally many for all players. A player's action has 2 numbers (x, y) for each of these, in
 * the order of bodies:
 *     0 "normalised"   floats in [-1, 1] (clamped; NaN counts as 0), in units of action_scale; see desc.action
 *     1 "impulse"      doubles: v += impulse / mass
 *     2 "velocity"     doubles: v = the numbers; NaN leaves a component as it is
 * A body that is not active does not act.
 *
 * Rules (carom_scene_rule) define rewards and the end of a game: that a body meets something, gets nearer to something,
 * is within a zone or acts, how far the nearest body is, or that a tick has passed. A game is also over at any sensor
 * if ends_at_sensor is set, and truncated after last_tick ticks if that is not 0. Rewards (carom_game_reward_kind):
 *     game     desc.reward, and what the rules give to the player's bodies; in the tick that decides a game also the
 *              result: 1 for the winner, -1 / (players - 1) for each other player
 *     result   the result only
 *     own      only with rules: an agent for each body that acts; what the rules give to it, and its player's result
 * The result is 0 without a winner. desc.reward and the final value of a rollout (desc.final_value) are player 0's;
 * each other player gets their negative divided by players - 1, so that the sum over players is 0, up to rounding.
 *
 * Observations (carom_game_observation_kind)
 *     raw      one agent per player; all see the same: x, y, vx, vy of bodies 0..min(n, CAROM_SCENE_OBSERVED)-1
 *     ego      only with views (carom_scene_view): an agent for each view, player 0's first; x, y, vx, vy of its body,
 *              then, relative to these, x, y, vx, vy of each body that it sees; in a periodic box of the image nearest
 *              along each axis
 *     lidar    only if desc.lidar has rays: an agent for each body that acts, player 0's first; see carom_scene_lidar
 * Numbers are clamped to +-FLT_MAX; 0 for inactive bodies (relative numbers: if either body is inactive). The counter
 * `goals` counts events at sensors.
 */
#ifndef CAROM_SCENE_H
#define CAROM_SCENE_H

#include <carom/game.h>
#include <carom/toi.h>
#include <carom/toi_arcs.h>
#include <carom/toi_walls.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_SCENE_BODIES 1048576    /* at most; as many walls, polygons, corners of all polygons, and arcs */
#define CAROM_SCENE_OBSERVED 64       /* bodies in an observation */
#define CAROM_SCENE_VIEWS 64          /* views at most */
#define CAROM_SCENE_RULES 256         /* rules at most */
#define CAROM_SCENE_RAYS 256          /* rays of a body */
#define CAROM_SCENE_LIDAR 65536       /* numbers that the rays of all bodies give */
#define CAROM_SCENE_RANGE_F32 65536.0 /* of a coordinate */
#define CAROM_SCENE_RANGE_F64 1073741824.0

typedef struct carom_scene_body {
    double x, y, vx, vy; /* at the start of every game */
    double radius;       /* >= 0 */
    double mass;        /* in [1e-30, 1e30]; INFINITY: fixed, it does not move, change (vx = vy = ax = ay = 0) or act */
    double restitution; /* in [0, 1] */
    double damping;     /* in [0, 1]: the share of its velocity that it loses each tick */
    double ax, ay;      /* a constant acceleration */
    /* Every game draws x, y, vx and vy uniformly within these distances of the numbers above, by the world's seed, id
     * and episode; >= 0, and 0 by default: always the same. 0 for a fixed body's velocity. Bodies may then overlap. */
    double x_spread, y_spread, vx_spread, vy_spread;
    uint32_t category, mask;
    bool sensor, slow, inactive, acts; /* a fixed body does not act */
    int32_t user;
    uint32_t player;     /* its owner, below CAROM_MAX_PLAYERS */
    double action_scale; /* multiplies its "normalised" actions, in addition to the scene's; 1 */
    /* As x_spread, for parameters; see "Worlds that differ". Both ends of each range must be valid values of the
     * parameter. */
    double radius_spread, mass_spread, restitution_spread, damping_spread, ax_spread, ay_spread, action_scale_spread;
} carom_scene_body;

/* A segment from a to b, two different points. One-sided: it stops only circles whose centre is to the left, seen from
 * a to b. With category and mask 0, the default, every body meets it. With a mask only bodies of one of these
 * categories do; with a category only those with one of these in their mask; for all others it does not exist, not even
 * as a sensor. The same holds for polygons and the solid sides of a box. */
typedef struct carom_scene_wall {
    double ax, ay, bx, by;
    double restitution; /* in [0, 1]; it absorbs the share 1 - restitution^2 of the energy of the normal motion */
    bool one_sided, sensor;
    uint32_t category, mask;                           /* 0: every body meets it */
    double ax_spread, ay_spread, bx_spread, by_spread; /* as those of a body */
} carom_scene_wall;

/* A closed outline of corners, convex or concave, in either direction; circles may be inside or outside. */
typedef struct carom_scene_polygon {
    const double *x, *y; /* [corners] */
    uint32_t corners;    /* 3 at least; neighbours must be different points, in f32, too */
    double restitution;
    bool sensor;
    uint32_t category, mask;   /* as of a wall */
    double x_spread, y_spread; /* as those of a body; each corner is drawn separately */
} carom_scene_polygon;

/* A curved wall: an arc of the circle around (x, y). It runs counterclockwise from the direction of a to that of b,
 * both seen from (x, y); a and b need not be on the circle, so you need not compute angles. If a == b (both 0 by
 * default) it is the whole circle. Its ends, where these directions meet the circle, act as points. A circle that is
 * not smaller than the arc's cannot touch it from inside. Like a wall, an arc may stop circles on one side only. */
typedef struct carom_scene_arc {
    double x, y, radius; /* radius > 0 */
    double ax, ay, bx, by;
    double restitution;
    carom_arc_sides sides; /* CAROM_ARC_BOTH by default: which circles it stops */
    bool sensor;
    uint32_t category, mask; /* as of a wall */
} carom_scene_arc;

typedef enum carom_scene_sides {
    CAROM_SIDES_OPEN,    /* no sides */
    CAROM_SIDES_SOLID,   /* whole circles stay within */
    CAROM_SIDES_PERIODIC /* a centre that leaves through one side enters through the opposite one */
} carom_scene_sides;

/* A pair of sides that is not open must leave room for every body, and the centres of active bodies must lie between
 * them. Fixed bodies ignore solid sides, and so do bodies that category and mask let pass. */
typedef struct carom_scene_box {
    double x0, y0, x1, y1;
    carom_scene_sides horizontal; /* left and right sides */
    carom_scene_sides vertical;   /* lower and upper sides */
    double restitution;           /* of solid sides */
    uint32_t category, mask;      /* of all solid sides, as of a wall */
} carom_scene_box;

typedef enum carom_advance { CAROM_OWN_CLOCK, CAROM_ADVANCE_ALL } carom_advance;

typedef enum carom_engine {
    CAROM_ENGINE_AUTO, /* by CAROM_SCENE_CROSSOVER */
    CAROM_ENGINE_WIDE, /* one world per SIMD lane; every pair is checked */
    CAROM_ENGINE_DEEP  /* one pair per SIMD lane; each world has a uniform grid and an event queue */
} carom_engine;

/* CAROM_ENGINE_AUTO chooses the deep engine from this number on: in f64 of bodies + half the walls, arcs and corners of
 * polygons; in f32 of half of them all. */
#define CAROM_SCENE_CROSSOVER 192

/* Values of carom_event.kind. Between two bodies carom_event.impulse is the impulse. At a side, wall, polygon or arc it
 * is the change of the body's velocity along the normal, as if the mass were 1, except for a settling, where it is the
 * impulse of the contact. carom_contact.impulse always uses the body's mass. */
typedef enum carom_impact_kind {
    CAROM_IMPACT_BODY,    /* second: the other body */
    CAROM_IMPACT_SIDE,    /* second: 0 left, 1 right, 2 lower, 3 upper */
    CAROM_IMPACT_WALL,    /* second: the wall; part: feature as in toi_walls.h */
    CAROM_IMPACT_POLYGON, /* second: the polygon; part: feature as in toi_walls.h */
    CAROM_IMPACT_ARC      /* second: the arc; part: feature as in toi_arcs.h */
} carom_impact_kind;

/* An impact as a response hook gets it, before it takes effect; kind, first, second and part as in carom_event. */
typedef struct carom_impact {
    uint64_t world_id;
    double time; /* since the start of the tick */
    uint32_t kind, first, second, part;
    double x1, y1, x2, y2; /* centres (of a wall: the centre of the circle) */
    double nx, ny;         /* from the second to the first */
    double inverse_mass1, inverse_mass2;
    double vx1, vy1, vx2, vy2; /* in: velocities before; out: after */
} carom_impact;

/* Worlds [first, first + count) of a batch, all of one tile, none of them frozen (except for a final value), at the
 * start of a tick: fields in place, body e of world first + l at [e * stride + l], with l = 0..count-1. Either the f32
 * or the f64 pointers are set, by precision; the others are NULL. A tick hook may change the fields; a hook for a
 * measure writes value[l] only. */
typedef struct carom_scene_range {
    carom_precision precision;
    size_t first, count; /* first: in a rollout, of all roots x K */
    size_t stride;       /* from a body to the next: CAROM_TILE, or 1 in worlds of the deep engine */
    double dt;
    const int32_t *tick; /* [count] ticks played so far */
    float *x32, *y32, *vx32, *vy32;
    double *x64, *y64, *vx64, *vy64;
    int8_t *active;
    int32_t *user; /* NULL unless desc.user_words */
    double *value; /* [count], out: the reward or final value; NULL for a tick hook */
} carom_scene_range;

/* Several threads call hooks at the same time, for different worlds. A hook must depend only on its arguments;
 * otherwise results would depend on threads. A response hook gets several impacts at once, each of another world: up to
 * 16 in the wide engine, which plays worlds side by side, and one in the deep engine. A world never has two, since its
 * next impact depends on this one. The number depends on the instruction set; what the hook does must not depend on
 * it. */
typedef void carom_response_hook(void *user, size_t count, carom_impact *impacts);
typedef void carom_range_hook(void *user, const carom_scene_range *range);

typedef enum carom_measure_kind {
    CAROM_MEASURE_NONE,     /* 0 */
    CAROM_MEASURE_DISTANCE, /* minus the distance of `body`, active or not, from (x, y) */
    CAROM_MEASURE_ENERGY,   /* kinetic energy of all active bodies of finite mass */
    CAROM_MEASURE_IMPACTS,  /* impacts of `body` in this tick (as a final value: 0) */
    CAROM_MEASURE_USER      /* hook(user, range) writes range->value */
} carom_measure_kind;

typedef struct carom_scene_measure {
    carom_measure_kind kind;
    uint32_t body;
    double x, y;
    carom_range_hook *hook;
} carom_scene_measure;

/* What a number of a "normalised" action, times action_scale, does. */
typedef enum carom_scene_action {
    CAROM_ACTION_IMPULSE,     /* v += number / mass */
    CAROM_ACTION_VELOCITY,    /* v = number */
    CAROM_ACTION_ACCELERATION /* v += number * dt */
} carom_scene_action;

typedef enum carom_rule_kind {
    /* The number of impacts, and events at sensors, between `body` and something in the tick. */
    CAROM_RULE_MEETS_BODY,    /* any body of one of the categories in `category` */
    CAROM_RULE_MEETS_SIDE,    /* side `which` of the box, a solid one: 0 left, 1 right, 2 lower, 3 upper */
    CAROM_RULE_MEETS_WALL,    /* wall `which` */
    CAROM_RULE_MEETS_POLYGON, /* polygon `which` */
    CAROM_RULE_MEETS_SENSOR,  /* anything, if it or the other is a sensor */
    /* The decrease of the distance of its centre from the tick's start to its end, in a periodic box to the nearest
     * image; 0 unless both are active. */
    CAROM_RULE_NEARS_BODY,  /* from body `which` */
    CAROM_RULE_NEARS_POINT, /* from (x, y) */
    /* 1 in a tick at whose end this holds and the body is active. */
    CAROM_RULE_WITHIN, /* its centre is in the zone x to x1, y to y1, borders included */
    CAROM_RULE_TICK,   /* always */
    /* a^2 + b^2 of the two numbers of its action: in [0, 2] for "normalised", where they are clamped, otherwise as
     * given, with NaN as 0; 0 unless it is active at the end of the tick. `body` must be one that acts. */
    CAROM_RULE_ACTS,
    /* At the end of the tick the distance between its centre and that of the nearest other active body with one of the
     * categories in `category` (in a periodic box: its nearest image); 0 if there is none or it is not active. */
    CAROM_RULE_NEAREST,
    CAROM_RULE_MEETS_ARC /* how often `body` meets arc `which` in the tick, as above */
} carom_rule_kind;

typedef struct carom_scene_rule {
    carom_rule_kind kind;
    uint32_t body; /* the body that it is about */
    uint32_t category, which;
    double x, y;
    double reward;  /* for each unit of the above: a meeting, a length, a tick, an action */
    int32_t to;     /* the body that gets the reward, one that acts; -1: `body` */
    bool ends;      /* the game is over after a tick in which they meet, or the body is within the zone */
    int32_t winner; /* of such a game, or -1. If rules name several in one tick, there is no winner. */
    double x1, y1;  /* of a zone: its corner opposite to (x, y); x <= x1, y <= y1 */
} carom_scene_rule;

/* What an agent sees: `count` other bodies relative to `body`. The agent belongs to that body's player. `count` is the
 * same for all views, and all players must have equally many views. */
typedef struct carom_scene_view {
    uint32_t body;          /* need not act */
    const uint32_t *bodies; /* [count], all different, without `body` */
    uint32_t count;         /* less than CAROM_SCENE_OBSERVED */
} carom_scene_view;

/* Rays from the centre of each body that acts, in directions that do not turn with it. Each gives, in this order:
 *     distance   to the first thing it meets, as a share of the range; 1 if it meets nothing
 *     body       1 if that is a body, else 0
 *     wall       1 if it is a wall, a polygon, an arc or a solid side of the box, else 0
 *     category   for each category in `tells`, lowest bit first: 1 if the thing has it, else 0
 *     away       the velocity of the thing relative to the body, along the ray: positive if the two part
 *     aside      the same at 90 degrees to the ray, towards +y for a ray along +x; both are 0 if it meets nothing
 * A ray that begins within a body has distance 0 and meets that body; among things at the same distance it meets the
 * one with the lowest id. It passes through its own body and through inactive ones. It meets both sides of a wall; of a
 * one-sided wall or arc only the side that stops circles. In a periodic box it continues from the opposite side; the
 * range is at most half of the box, less the greatest radius. All numbers are 0 while the body itself is inactive.
 * Distances are as exact as those of carom/query.h. */
typedef struct carom_scene_lidar {
    uint32_t rays;      /* of a body, at most CAROM_SCENE_RAYS; 0 (the default): there is no lidar */
    double range;       /* > 0 */
    double first, step; /* ray k goes at the angle first + k step, in radians from +x towards +y; both within a turn,
                           2 pi. step 0 (the default): evenly all around */
    uint32_t mask;      /* rays meet bodies of these categories, and walls, arcs, polygons and sides that have one of
                           them or no category at all; all by default */
    uint32_t tells;     /* categories that have a number in a ray's output; 0 by default */
    bool sensors;       /* whether rays also meet sensors; false by default */
} carom_scene_lidar;

/* Parameters that may differ from world to world, as bits. */
typedef enum carom_scene_varies {
    CAROM_VARIES_RADIUS = 1,
    CAROM_VARIES_MASS = 2,
    CAROM_VARIES_RESTITUTION = 4,
    CAROM_VARIES_DAMPING = 8,
    CAROM_VARIES_AX = 16,
    CAROM_VARIES_AY = 32,
    CAROM_VARIES_ACTION_SCALE = 64,
    CAROM_VARIES_WALLS = 128,
    CAROM_VARIES_CORNERS = 256,
    CAROM_VARIES_DT = 512,
    CAROM_VARIES_THERE = 1024 /* which walls and polygons are there */
} carom_scene_varies;

/* A value alone in a comment, or after a semicolon at its end, is the default. */
typedef struct carom_scene_desc {
    size_t size; /* sizeof(carom_scene_desc), set by carom_scene_desc_default() */
    const carom_scene_body *bodies;
    uint32_t body_count; /* 1 to CAROM_SCENE_BODIES */
    const carom_scene_wall *walls;
    uint32_t wall_count;
    const carom_scene_polygon *polygons;
    uint32_t polygon_count;
    const carom_scene_arc *arcs;
    uint32_t arc_count;
    carom_scene_box box;
    double dt;                /* of a tick in carom_worlds_play() and rollouts; within f32 for worlds in f32; 1 */
    double speed_limit;       /* INFINITY */
    double least_impulse;     /* 0 */
    double contact_time;      /* 0 */
    uint32_t max_events;      /* of a tick; 0 (default): 1,000,000 + 1,000 per body */
    uint32_t last_tick;       /* 0: none */
    bool ends_at_sensor;      /* a game is over (CAROM_TERMINATED) after a tick with an event at a sensor; false */
    carom_toi_variant solver; /* CAROM_TOI_FAST; or another that follows toi.h, except `normalised` and `backward` */
    carom_advance advance;
    carom_engine engine;
    double action_scale;           /* 1 */
    carom_scene_action action;     /* CAROM_ACTION_IMPULSE */
    const carom_scene_rule *rules; /* [rule_count]: rewards and ends */
    uint32_t rule_count;
    const carom_scene_view *views; /* [view_count]: what agents see */
    uint32_t view_count;
    carom_scene_lidar lidar; /* rays of bodies that act */
    bool user_words;         /* worlds have the field `user` */
    carom_scene_measure reward, final_value;
    carom_range_hook *tick_hook;        /* NULL: none */
    carom_response_hook *response_hook; /* NULL: the response described above */
    void *user;                         /* for the hooks */
    uint32_t varies;                    /* bits of carom_scene_varies: parameters that you set in each world; 0 */
    double dt_spread;                   /* as those of a body */
} carom_scene_desc;

/* No bodies, no walls, an open box. */
CAROM_API carom_scene_desc carom_scene_desc_default(void);
/* At the origin at rest: radius 1, mass 1, restitution 1, category 1, mask of all ones. */
CAROM_API carom_scene_body carom_scene_body_default(void);
/* Body 0 meets a body of any category: reward 0, to itself; the game continues; no winner. */
CAROM_API carom_scene_rule carom_scene_rule_default(void);

typedef struct carom_scene carom_scene; /* frozen: immutable, shared by any number of batches and threads */

/* Copies, checks and freezes the description. CAROM_ERROR_VALUE if a number is out of its range, CAROM_ERROR_ARGUMENT
 * for anything else; *problem (may be NULL) says which. Free *scene with carom_scene_destroy(), after the batches that
 * use it; it is NULL after an error. */
CAROM_API carom_status carom_scene_create(const carom_scene_desc *desc, carom_scene **scene, carom_problem *problem);
CAROM_API void carom_scene_destroy(carom_scene *scene); /* NULL is allowed */

/* The scene as a game: for carom_worlds_desc_default() and rollouts. It lives as long as the scene. */
CAROM_API const carom_game *carom_scene_game(const carom_scene *scene);

/* Its description, with the scene's own copies of the arrays. */
CAROM_API const carom_scene_desc *carom_scene_describe(const carom_scene *scene);

/* The engine that it uses, with CAROM_ENGINE_AUTO resolved as for f64. */
CAROM_API carom_engine carom_scene_engine(const carom_scene *scene);

/* A scene as JSON text, see examples/scenes/: an object with the keys of carom_scene_desc (no size, counts, hooks or
 * user); "bodies", "walls", "polygons", "arcs", "rules" and "views" are lists of objects with their keys. Missing keys
 * have the defaults of carom_scene_body_default() and carom_scene_rule_default(), restitution 1, or what the keys
 * "body" and "wall" set for the whole list. Enumerators are "periodic", "advance_all", "deep", "meets_wall", ...;
 * solvers have their names; infinity is "infinite". Points are [x, y]: "a" and "b" of a wall or an arc, "at" of an arc,
 * measure or rule, "from" and "to" of a box, "corner" of a rule, which is its x1 and y1; "corners" of a polygon are a
 * list of points. "about" is a comment, everywhere. CAROM_ERROR_UNSUPPORTED in a build without a JSON library. Reading:
 * CAROM_ERROR_FORMAT if the text is not JSON, or has an unknown key or a wrong type; otherwise as carom_scene_create().
 * *problem (may be NULL) says where: "bodies[3].radius: a number is expected". */
CAROM_API carom_status carom_scene_read_json(const char *text, size_t length, carom_scene **scene,
                                             carom_problem *problem);
/* *text is NUL-terminated; free it with carom_text_free(). Numbers are exact, so reading it gives the same scene.
 * CAROM_ERROR_ARGUMENT if the scene has hooks, which JSON cannot hold. */
CAROM_API carom_status carom_scene_write_json(const carom_scene *scene, char **text);
CAROM_API void carom_text_free(char *text);

/* Plays `ticks` ticks of length dt > 0 without actions. Only for worlds of a scene (CAROM_ERROR_ARGUMENT). The same as
 * carom_worlds_play() with step.dt = dt and step.actions = NULL, which can also record impacts. */
CAROM_API carom_status carom_worlds_step(carom_worlds *worlds, double dt, size_t ticks);

#ifdef __cplusplus
}
#endif
#endif
