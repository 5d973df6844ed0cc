/* SPDX-License-Identifier: MIT
 * Scenes: worlds of one's own. Circles, walls, polygons, arcs and a box are described, checked and frozen; a frozen
 * scene is a game (game.h), so batches, forks, hashes, saves and rollouts work for it as for any game.
 *
 *     carom_scene_desc desc = carom_scene_desc_default();         describe
 *     desc.bodies = bodies, desc.body_count = 3;
 *     carom_scene_create(&desc, &scene, &problem);                check and freeze: "body 2: radius -1 is not positive"
 *     carom_worlds_desc w = carom_worlds_desc_default(carom_scene_game(scene));
 *     carom_worlds_create(&w, &worlds);
 *     carom_worlds_step(worlds, 0.1, 10);                         ten ticks of 0.1 s
 *
 * Units are the caller's. Every world of a batch has the scene's bodies, in their order; a body that is not `active` is
 * nowhere: it neither moves nor is met. Adding and removing bodies is to change the field `active`, up to the capacity,
 * which is the number of bodies in the scene.
 *
 * Fields of a world (beside those of worlds.h); n = bodies
 *     x, y, vx, vy   n reals each
 *     user           n x int32: the caller's; carried, saved and hashed, never read. Only if desc.user_words
 *     active         n x int8: 0 or 1
 * Scenes with CAROM_OWN_CLOCK and without slow bodies also have the records from which x and y are computed; see "Time
 * that goes on".
 *     record_x, record_y, record_time     n reals each
 *     record_vx, record_vy                n reals each, if some body is accelerated
 *     record_tick                         n x int32
 *     record_dt                           a real
 *     record_numbers                      an int32, if numbers other than dt may differ by world: a hash of them
 * Between ticks the caller may set them. CAROM_ERROR_VALUE from carom_worlds_set() if a number is not finite, a
 * position beyond CAROM_SCENE_RANGE_F32/_F64 of the origin, a fixed body has a velocity, or an active body's centre is
 * out of a periodic box; from carom_worlds_create() in f32 if a body of the scene starts, or dt is, beyond the range of
 * f32. A
 * world that comes to be so in a tick takes a fault.
 *
 * Worlds that differ. A parameter that has a spread, or is named in desc.varies, may differ from world to world: it
 * becomes a field of role CAROM_ROLE_PARAMETER, which the caller may set between ticks like any other. Everything else
 * in the scene stays the same, and a scene in which nothing differs has none of these fields.
 *     radius, mass, restitution, damping, ax, ay, action_scale    n reals each, if it may differ for any body
 *     wall_ax, wall_ay, wall_bx, wall_by                          a real for each wall
 *     corner_x, corner_y                                          a real for each corner, polygon by polygon
 *     dt                                                          a real
 *     wall_there, polygon_there                                   int8, 0 or 1, for each wall, each polygon
 * Every game draws the parameters that have a spread, by the world's seed, id and episode, and sets the others back to
 * the description. If both ends of a wall, or two neighbouring corners of a polygon, are drawn at the same point, they
 * are drawn again, at most 16 times; after that the world begins frozen, with CAROM_FAULT_RANGE. The field dt is the
 * length of a tick in calls that give none (step.dt = 0). A field refuses the same values as the description; a fixed
 * body stays fixed, the mass of any other body stays finite, and a scene whose ax or ay may differ counts as one with
 * accelerations, whatever the values are. Each world plays, to the bit, like the only world of a scene described with
 * its numbers, with one exception: a sensor that is not there still ends records at each tick (see "Time that goes on"
 * below), so such a world rounds differently from a scene without that sensor.
 *
 * Memory of worlds that the deep engine plays, in bytes for each of its bodies, f64 / f32; beside them it is some
 * kilobytes. A world: 33 / 17, where time goes on 61 / 33, with accelerations 77 / 41, 4 with user_words, and 8 / 4
 * for each parameter of bodies that may differ. A thread, whatever the number of worlds, and the precision: 207, where
 * time goes on 255, with accelerations 259; 8 / 4 for each parameter of bodies that may differ, but for action_scale;
 * where bodies act or there is a speed_limit 16 / 8 more, with a tick hook 37 / 21 more; 256 for each body that acts;
 * where bodies may settle 560 / 308 more. The scene, which all batches share: 230.
 *
 * A tick of length dt
 *   0. The scene's tick hook is called, then the action (see below) is taken.
 *   1. Speeds above speed_limit are brought down to it; a body's direction stays.
 *   2. Bodies move for dt, p(t) = p + v t + a t^2 / 2, and impacts are played in order of time. Which pairs can meet:
 *      both active, category of each in the other's mask, not both fixed; of walls, polygons and solid sides see
 *      carom_scene_wall. Impacts at the same time are played in order of (lower, higher id); ids are bodies 0..n-1,
 *      then the box's sides (left, right, lower, upper), walls, polygons, arcs.
 *   3. A centre that rounding has left beyond a periodic side is put on it. Velocities of bodies are multiplied by
 *      1 - damping.
 * Under CAROM_OWN_CLOCK (the default) a body's record (its place, its velocity, and when it was there) changes only in
 * an impact that it takes part in, and where a periodic side is passed; a time of impact follows from the two records
 * alone, from the later of their times on. Under CAROM_ADVANCE_ALL every body is moved to every impact, as turn-based
 * games have it. Both give the same bits on every instruction set and in both engines; from each other they differ by
 * rounding. Two ticks of one call are the same bits as two calls; a tick of 2 dt differs from two of dt by rounding,
 * and as steps 0, 1 and 3 come once a tick.
 *
 * Time that goes on. Under CAROM_OWN_CLOCK, unless a body is slow, records outlive ticks: the fields x, y (and vx, vy
 * of accelerated bodies) are computed from the record at the end of each tick, and nothing is rounded on the way. With
 * its age = (tick - record_tick) dt - record_time, a body is at record_x + vx age, or at record_x + record_vx age + ax
 * age^2 / 2, or on the periodic side if rounding has left it beyond. A body begins a new record, (tick, 0, x, y, vx,
 * vy), at the start of a tick, after step 1, if its fields disagree with its record: so callers, hooks, actions,
 * damping and speed limits change x, y, vx and vy as in any scene and can ignore records. It also begins one when it
 * becomes active (record_tick of inactive bodies is -1), when dt changes, in every tick if it is a sensor or can meet
 * one, and after 2^20 ticks; in scenes with accelerations also after 256 ticks, or before its way since the
 * record, (|v| + |a| t) t, exceeds 32 radii, but not before the next tick. Bodies that have settled begin one at the
 * end of the tick. All bodies of a world begin one after a change of a number that it has of its own (a radius, a wall,
 * what is there). Records are a part of the state: copy them, too, if you copy a world field by field.
 *
 * Impacts. Let n be the unit normal from the second body, or the wall, to the first, and u = -(v1 - v2).n > 0 the speed
 * of approach; e = e1 e2 the product of the two restitutions.
 *     bodies   impulse j = max((1 + e) u / (1/m1 + 1/m2), least_impulse): v1 += j/m1 n, v2 -= j/m2 n. It is divided
 *              by the square of n as it is rounded, so that the energy of elastic impacts has no trend
 *     walls    v1 += (1 + e) u n
 *     sensors  a body or wall that is a sensor is only noticed: the event is recorded, when a circle comes to touch it
 *              from without, and nothing changes. The same two are noticed again after one of them has had another
 *              impact, or in a later tick.
 *     arcs     as walls. A body that hits an arc from within parts fast enough to meet it next only after 1/512 of its
 *              radius (f32: 1/32; in place of its radius 1/64 of the arc's, if that is greater, but at most the radius
 *              of the circle that its centre stays in). If it came at most twice as fast as that, it keeps its speed:
 *              so it can roll around in an arc for ever, with a bounded number of impacts. Each impact takes back
 *              overlaps as in scenes with accelerations
 * Contact time: what happens sooner than contact_time after the last impact of a body taking part is elastic
 * (e = 1: Luding and McNamara, Granular Matter 1, 1998: the TC model). What is accelerated parts with at least
 * a contact_time / 2, where a is the acceleration with which it leans on the wall, or for two bodies the greater one of
 * theirs: so a body that rests on a floor, with speeds of about a contact_time, has dt / contact_time impacts a tick,
 * and in a pile of L layers about half of L dt / contact_time, unless it settles before.
 *
 * Settling. Impacts of pairs never end among bodies that lean on each other: each takes a share of what is left, and
 * acceleration gives it back. So after a bounded number of short impacts a group of bodies is solved as a whole. This
 * happens in scenes in which an impact may take energy (a body, wall, polygon or solid side has a restitution below
 * 1), or which have a contact_time, unless there are a response_hook or slow bodies. It has no settings, and nothing
 * of it outlives the tick. Below, |v| of a vector is the sum of its components' amounts, r of two bodies the lesser
 * radius, z as under "Overlap" (of two bodies the sum; without the wall's size for a side), and h the rest of the tick.
 *   1. The first min(32 + 2 bodies, 1024) impacts of a world's tick are as said above. From then on each body
 *      that moves counts its short impacts in a row, those before which it has gone no further than max(r/1024, z)
 *      since the last that counted: (|v| + |a| t) t, t the time since. Impacts with e = 1 do not count where there is
 *      no contact_time, nor do sensors. With more than 8 of them the two things settle instead.
 *   2. The group is all bodies that are connected with the two by gaps of at most max(r/1024, z) between bodies that
 *      strike each other; what never moves is in it, but connects nothing. All are moved to the time of the impact.
 *   3. Its touches are its pairs, and each of its bodies with sides, walls and polygons, with gaps of at most
 *      max(r/128, z), in order of (lower, higher id; a polygon's edges in turn); 4 bodies + 16 at most. The cushion of
 *      a touch is c = min(max(r/2^17, 2 z), r/128), in f32 with 2^13 for 2^17.
 *   4. Each body starts from v + a h. The touches get impulses >= 0 after which each parts with at least 0, or where
 *      its gap g is more than c with -(g - c)/h; missing that by c/(2 dt) will do. They are found by accelerated
 *      projected gradients (kernel/scenes/settle.h has the steps), 60 and 16 times the root of the group's size at
 *      most, and are scaled down if that leaves less energy. So velocities come out as after impacts with restitution
 *      0: momentum stays, and relative to v + a h the energy does not grow.
 *   5. Until the end of the tick the bodies have no acceleration. They move with the mean of the velocities before and
 *      after, to which a second search of the same kind adds what the touches need to part with at least -(g - c)/h,
 *      or where g < c with min(c - g, r/64)/max(h, dt/16). At the end of the tick they have the velocities of step 4:
 *      what was added is motion without energy.
 *   6. Settled bodies that meet each other, or what never moves, do so with e = 0, by the velocities of step 4, with
 *      which they then move on. After four times their group is solved again. A body whose meetings have led to that
 *      four times, without a free body joining, is spent, as are all of a group that was not solved within the steps.
 *      A spent body moves as one with what it meets, and with spent bodies that are connected with it and close in:
 *      with the velocity of their centre, less what goes into walls; 0 if it goes into one even so, or if among them
 *      is a fixed body, or one that has met walls or sides more than four times since it moves as one. So does a
 *      whole group that was at rest (|v| <= |a| dt / 16 for each) and was not solved.
 *   7. A free body that meets a settled one with u > 2 |a| dt (here the Euclidean length) and e > 0 bounces: the group
 *      is solved with that touch parting with e u, and the body stays free. Else it joins, at the latest with its
 *      ninth short impact.
 * A settling is recorded, and counts, as one impact of the two that met, with the impulse of their touch. So each tick
 * has a bounded number of short impacts, whatever the geometry.
 *
 * Endless ticks. A world with more than max_events impacts in a tick is put back to the tick's start and frozen with
 * CAROM_FAULT_EVENTS; so is one with more crossings of periodic sides than that, or than 64 times a max_events that is
 * given. The default, a million and a thousand a body, is reached only by what is endless, which is then
 * found out after some tenths of a second: elastic bodies that are too fast for the room they have, wedged bodies with
 * restitution 1 and no contact_time, or a response_hook that lets things collide for ever.
 *
 * Overlap. Sides, walls, polygons and bodies hold. Let z be 2^-18 (f32; f64: 2^-47) times the sum of a circle's |x|,
 * |y|, its way in a tick and the wall's greatest |x| + |y|: some tens of spacings of coordinates. Where time goes on,
 * |x| and |y| are those of its record, and an accelerated body's way is that for which its record lasts.
 *     Rounding leaves overlaps below z, however long things rest on each other. Where nothing is accelerated they may
 *     grow while a body parts so slowly that its coordinates do not change; a centre comes no nearer to a wall than
 *     z/2.
 *     Walls and polygons meet a circle of radius 0, or any below z, as one of radius z.
 *     Things that overlap, at the start or as a caller has put them, meet at once if they come closer, or, if they are
 *     accelerated, as soon as they come closer than they were; if they part they are let go. In scenes with
 *     accelerations an impact takes back 1/64 of the lesser radius, or z, at most; else an overlap ends as the bodies
 *     move.
 * A speed that takes the third power of these lengths beyond the greatest number meets no wall.
 *
 * Slow bodies. Between two slow bodies, and between a slow body and a wall or polygon, the end of the tick decides: an
 * impact is left out if without it they would overlap there by less than the z of each of them together (or half of
 * the radius, if that is less), or by less than 2^-20 of that more than before. All other impacts of slow bodies are
 * played at their times, as those of any other: nothing gets through, at any speed, and overlaps of slow bodies stay
 * below z, for two bodies below the sum of both. What is pushed together so comes to rest after some impacts a tick,
 * whatever its restitution; only what is wedged between several others may still meet them without end. Bodies that
 * move by less than their radius in a tick do what the rule of Cornell's RoboCup simulator says (look at the end of the
 * tick for overlaps, and take them back to their times). A scene with slow bodies has no accelerations and
 * CAROM_OWN_CLOCK.
 *
 * Players. There are 1 to CAROM_MAX_PLAYERS: players 0 to the greatest number that a body has as its `player`. A player
 * acts with those of its bodies that have `acts`; all players act with equally many. Actions of a player, 2 numbers (x,
 * y) for each of these, in the order of bodies:
 *     0 "normalised"   floats in [-1, 1] (clamped; NaN counts as 0), in units of action_scale: what desc.action says
 *     1 "impulse"      doubles: v += impulse / mass
 *     2 "velocity"     doubles: v = what is given; NaN leaves a component alone
 * A body that is not active does not act.
 *
 * Rules (carom_scene_rule) say what is worth something, and what ends a game: that a body meets something, comes nearer
 * to something, is within a zone or acts, how far the nearest body is, or that a tick has passed. A game is over, too,
 * at any sensor if ends_at_sensor says so, and is truncated after last_tick ticks if that is not 0; else it goes on.
 * Rewards (carom_game_reward_kind):
 *     game     desc.reward, and what the rules give to the player's bodies; of the tick that decides a game also the
 *              result: 1 for the winner, -1 / (players - 1) for each other player
 *     result   the result only
 *     own      where there are rules: an agent for each body that acts; what the rules give to it, and its player's
 *              result
 * The result is 0 if nobody wins. desc.reward and the final value of a rollout (desc.final_value) are player 0's; each
 * other player gets them with the sign changed, divided by players - 1: so the sum over players is 0, up to rounding.
 *
 * Observations (carom_game_observation_kind)
 *     raw      one agent a player; all see the same: x, y, vx, vy of bodies 0..min(n, CAROM_SCENE_OBSERVED)-1
 *     ego      where there are views (carom_scene_view): an agent for each view, player 0's first; x, y, vx, vy of its
 *              body, then of each body that it sees x, y, vx, vy less those of its own; in a periodic box of the image
 *              that is nearest along each axis
 *     lidar    where desc.lidar has rays: an agent for each body that acts, player 0's first; see carom_scene_lidar
 * Numbers are FLT_MAX at most, with their signs; 0 where a body is not active (relative ones: either body). The counter
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
    double mass;         /* in [1e-30, 1e30]; INFINITY: fixed, it neither moves nor changes (vx = vy = ax = ay = 0), nor
                            acts */
    double restitution;  /* in [0, 1] */
    double damping;      /* in [0, 1]: the share of the velocity that is lost each tick */
    double ax, ay;       /* a constant acceleration */
    /* Every game starts with x, y, vx and vy drawn evenly from these ranges around them, by the world's seed, id and
     * episode; >= 0, and 0 by default: always the same. A fixed body's velocity has none. Bodies may overlap then. */
    double x_spread, y_spread, vx_spread, vy_spread;
    uint32_t category, mask;
    bool sensor, slow, inactive, acts; /* a fixed body does not act */
    int32_t user;
    uint32_t player;     /* whose it is: below CAROM_MAX_PLAYERS */
    double action_scale; /* multiplies its "normalised" actions, in addition to the scene's; 1 */
    /* As x_spread, for parameters; see "Worlds that differ". Both ends of each range must be valid values of the
     * parameter. */
    double radius_spread, mass_spread, restitution_spread, damping_spread, ax_spread, ay_spread, action_scale_spread;
} carom_scene_body;

/* A segment from a to b, two different points. One-sided: it stops only circles whose centre is to the left, seen from
 * a to b.
 * category and mask are 0 unless they are given: then it is there for every body, whatever that one's own. With a mask
 * it is there only for bodies of one of these categories, with a category only for those that have one of these in
 * their mask; for the others there is no wall, nor a sensor. So of a polygon, and of the solid sides of a box. */
typedef struct carom_scene_wall {
    double ax, ay, bx, by;
    double restitution; /* in [0, 1]; 1 - restitution^2 is the share of the normal part's energy that it absorbs */
    bool one_sided, sensor;
    uint32_t category, mask;                           /* 0: every body meets it */
    double ax_spread, ay_spread, bx_spread, by_spread; /* as those of a body */
} carom_scene_wall;

/* A closed outline of corners, convex or concave, in either direction; circles may be inside or outside. */
typedef struct carom_scene_polygon {
    const double *x, *y; /* [corners] */
    uint32_t corners;    /* 3 at least; neighbours are different points, in f32, too */
    double restitution;
    bool sensor;
    uint32_t category, mask;   /* as of a wall */
    double x_spread, y_spread; /* as those of a body; each corner is drawn by itself */
} carom_scene_polygon;

/* A wall: an arc of the circle around (x, y). It runs counterclockwise from the direction of a to that of b, both
 * seen from (x, y); a and b need not be on the circle, so no angle has to be computed. If a == b (both 0 by default) it
 * is the whole circle. Its ends are where these directions cut the circle; they are met as points. A circle whose
 * radius is not less than the arc's cannot touch it from within. Like a wall, it may stop circles on one side only. */
typedef struct carom_scene_arc {
    double x, y, radius; /* radius > 0 */
    double ax, ay, bx, by;
    double restitution;
    carom_arc_sides sides; /* CAROM_ARC_BOTH by default: which circles it stops */
    bool sensor;
    uint32_t category, mask; /* as of a wall */
} carom_scene_arc;

typedef enum carom_scene_sides {
    CAROM_SIDES_OPEN,    /* there is none */
    CAROM_SIDES_SOLID,   /* circles stay within: centre and radius */
    CAROM_SIDES_PERIODIC /* a centre that leaves by one side comes in by the opposite one */
} carom_scene_sides;

/* Between two sides that are not open there is room for every body, and the centres of active ones are between them.
 * Solid sides are nothing to fixed bodies, nor to those that category and mask let pass. */
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
    CAROM_ENGINE_WIDE, /* lane = world; every pair is looked at */
    CAROM_ENGINE_DEEP  /* lane = pair; a uniform grid and an event queue a world */
} carom_engine;

/* CAROM_ENGINE_AUTO is deep from here on: in f64 bodies + half the walls, arcs and corners of polygons; in f32 half of
 * them all. */
#define CAROM_SCENE_CROSSOVER 192

/* What happened, of carom_event.kind. carom_event.impulse is the impulse between two bodies. Of a side, wall, polygon
 * or arc it is the change of the body's velocity along the normal, as if the mass were 1; but at a settling it is the
 * impulse of the touch. carom_contact.impulse always takes the body's mass into account. */
typedef enum carom_impact_kind {
    CAROM_IMPACT_BODY,    /* second: the other body */
    CAROM_IMPACT_SIDE,    /* second: 0 left, 1 right, 2 lower, 3 upper */
    CAROM_IMPACT_WALL,    /* second: the wall; part: feature as in toi_walls.h */
    CAROM_IMPACT_POLYGON, /* second: the polygon; part: feature as in toi_walls.h */
    CAROM_IMPACT_ARC      /* second: the arc; part: feature as in toi_arcs.h */
} carom_impact_kind;

/* An impact as a response hook sees it, before it takes effect; world, body and second are what carom_event says. */
typedef struct carom_impact {
    uint64_t world_id;
    double time; /* since the start of the tick */
    uint32_t kind, first, second, part;
    double x1, y1, x2, y2; /* centres (of a wall: the centre of the circle) */
    double nx, ny;         /* from the second to the first */
    double inverse_mass1, inverse_mass2;
    double vx1, vy1, vx2, vy2; /* in: velocities before; out: after */
} carom_impact;

/* Worlds [first, first + count) of a batch, all of one tile, none of them frozen (but for a final value), at the start
 * of a tick: fields in place, body e of world first + l at [e * stride + l], where l = 0..count-1. f32 or f64 by
 * precision; the others are NULL. A hook for the tick may change the fields; one for a measure writes value[l] only. */
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
    double *value; /* [count], where a reward or a final value goes; else NULL */
} carom_scene_range;

/* Hooks are called from several threads at a time, for different worlds. They must depend on nothing but what they are
 * given: else results depend on threads.
 * Impacts come as a range, each of another world: up to 16 in the wide engine, which plays worlds side by side, and one
 * in the deep engine. Of one world there is never more than one, for its next impact depends on what this one does. How
 * many come at once depends on the instruction set; no answer may depend on it. */
typedef void carom_response_hook(void *user, size_t count, carom_impact *impacts);
typedef void carom_range_hook(void *user, const carom_scene_range *range);

typedef enum carom_measure_kind {
    CAROM_MEASURE_NONE,     /* 0 */
    CAROM_MEASURE_DISTANCE, /* minus the distance of `body`, active or not, from (x, y) */
    CAROM_MEASURE_ENERGY,   /* kinetic energy of all active bodies with a finite mass */
    CAROM_MEASURE_IMPACTS,  /* impacts of `body` in this tick (as a final value: 0) */
    CAROM_MEASURE_USER      /* hook(user, range) writes range->value */
} carom_measure_kind;

typedef struct carom_scene_measure {
    carom_measure_kind kind;
    uint32_t body;
    double x, y;
    carom_range_hook *hook;
} carom_scene_measure;

/* What a number of the kind of action "normalised" is, times action_scale. */
typedef enum carom_scene_action {
    CAROM_ACTION_IMPULSE,     /* v += number / mass */
    CAROM_ACTION_VELOCITY,    /* v = number */
    CAROM_ACTION_ACCELERATION /* v += number * dt */
} carom_scene_action;

typedef enum carom_rule_kind {
    /* How often `body` meets something in the tick: impacts, and events at sensors. */
    CAROM_RULE_MEETS_BODY,    /* any body of one of the categories in `category` */
    CAROM_RULE_MEETS_SIDE,    /* side `which` of the box, a solid one: 0 left, 1 right, 2 lower, 3 upper */
    CAROM_RULE_MEETS_WALL,    /* wall `which` */
    CAROM_RULE_MEETS_POLYGON, /* polygon `which` */
    CAROM_RULE_MEETS_SENSOR,  /* anything, where it or the other is a sensor */
    /* By how much the distance of its centre became less from the tick's start to its end, in a periodic box that of
     * the nearest image; 0 unless both are active. */
    CAROM_RULE_NEARS_BODY,  /* from body `which` */
    CAROM_RULE_NEARS_POINT, /* from (x, y) */
    /* 1 in a tick at whose end this is so, and the body is active. */
    CAROM_RULE_WITHIN, /* its centre is in the zone x to x1, y to y1, borders included */
    CAROM_RULE_TICK,   /* always */
    /* What it acts with, a^2 + b^2 of its two numbers: of the kind "normalised" as they are clamped, in [0, 2], else as
     * they are given, where NaN is 0; 0 unless it is active at the end of the tick. `body` is one that acts. */
    CAROM_RULE_ACTS,
    /* At the end of the tick the distance of its centre from that of the nearest other active body that has one of the
     * categories in `category` (in a periodic box: its nearest image); 0 without one, or if it is not active. */
    CAROM_RULE_NEAREST,
    CAROM_RULE_MEETS_ARC /* how often `body` meets arc `which` in the tick, as above */
} carom_rule_kind;

typedef struct carom_scene_rule {
    carom_rule_kind kind;
    uint32_t body; /* whom it is about */
    uint32_t category, which;
    double x, y;
    double reward;  /* for each meeting; for each unit of length; for each tick; for a unit of what it acts with */
    int32_t to;     /* the body that gets the reward, one that acts; -1: `body` */
    bool ends;      /* the game is over after a tick in which they meet, or it is within the zone */
    int32_t winner; /* then: the player who has won, or -1. Where rules of one tick name several, nobody has. */
    double x1, y1;  /* of a zone: its corner opposite to (x, y); x <= x1, y <= y1 */
} carom_scene_rule;

/* What an agent of the player whose body it is sees: `count` other bodies relative to `body`. All views have as many of
 * them, and all players as many views. */
typedef struct carom_scene_view {
    uint32_t body;          /* relative to which; whether it acts or not */
    const uint32_t *bodies; /* [count]; none of them twice, nor `body` */
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
    uint32_t tells;     /* categories for which a ray has a number; 0 by default */
    bool sensors;       /* rays meet sensors, too; false by default */
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
    double dt;                /* of a tick in carom_worlds_play() and rollouts; 1. Of worlds in f32 f32 must hold it */
    double speed_limit;       /* INFINITY */
    double least_impulse;     /* 0 */
    double contact_time;      /* 0 */
    uint32_t max_events;      /* of a tick; 0 (default): 1,000,000 + 1,000 a body */
    uint32_t last_tick;       /* 0: none */
    bool ends_at_sensor;      /* a game is over (CAROM_TERMINATED) after a tick with an event at a sensor; false */
    carom_toi_variant solver; /* CAROM_TOI_FAST; any that answers as toi.h says but `normalised` and `backward` */
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
    uint32_t varies;                    /* bits of carom_scene_varies: parameters that the caller sets; 0 */
    double dt_spread;                   /* as those of a body */
} carom_scene_desc;

/* Nothing but defaults: no bodies, no walls, an open box. */
CAROM_API carom_scene_desc carom_scene_desc_default(void);
/* At the origin at rest: radius 1, mass 1, restitution 1, category 1, mask of all ones. */
CAROM_API carom_scene_body carom_scene_body_default(void);
/* Body 0 meets a body of any category: no reward, to itself, and no end; nobody wins. */
CAROM_API carom_scene_rule carom_scene_rule_default(void);

typedef struct carom_scene carom_scene; /* frozen: immutable, shared by any number of batches and threads */

/* Copies and freezes what is described. CAROM_ERROR_VALUE if a number is out of its range, CAROM_ERROR_ARGUMENT for
 * anything else; problem (may be NULL) says which. *scene is the caller's, to be freed by carom_scene_destroy() after
 * the batches that were made from it; NULL after an error. */
CAROM_API carom_status carom_scene_create(const carom_scene_desc *desc, carom_scene **scene, carom_problem *problem);
CAROM_API void carom_scene_destroy(carom_scene *scene); /* NULL is allowed */

/* The scene as a game: for carom_worlds_desc_default() and rollouts. It lives as long as the scene. */
CAROM_API const carom_game *carom_scene_game(const carom_scene *scene);

/* What it was made from; arrays are the scene's own. */
CAROM_API const carom_scene_desc *carom_scene_describe(const carom_scene *scene);

/* The engine that it uses, of CAROM_ENGINE_AUTO that of f64: never CAROM_ENGINE_AUTO. */
CAROM_API carom_engine carom_scene_engine(const carom_scene *scene);

/* A scene as JSON text, see examples/scenes/: an object with the keys of carom_scene_desc (no size, counts, hooks or
 * user); "bodies", "walls", "polygons", "arcs", "rules" and "views" are lists of objects with their keys. What is not
 * given has its default, that of carom_scene_body_default(), carom_scene_rule_default() or restitution 1, or else what
 * the keys "body" and "wall" give for the whole list. Enumerators are "periodic", "advance_all", "deep", "meets_wall",
 * ...; solvers have their names; infinity is "infinite". Shorter: "a" and "b" of a wall or
 * an arc, "at" of an arc, "from" and "to" of a box, "at" of a measure or rule and "corner" of a rule, which is its x1
 * and y1, are [x, y]; "corners" of a polygon are a list of such. "about" is a comment, everywhere.
 * CAROM_ERROR_UNSUPPORTED in a build without a JSON library.
 * read: CAROM_ERROR_FORMAT if the text is no JSON or has an unknown key or a wrong type; else as carom_scene_create().
 * problem (may be NULL) says where: "bodies[3].radius: a number is expected". */
CAROM_API carom_status carom_scene_read_json(const char *text, size_t length, carom_scene **scene,
                                             carom_problem *problem);
/* *text is NUL-terminated, to be freed by carom_text_free(); numbers are exact: what is read from it is the same scene.
 * CAROM_ERROR_ARGUMENT if the scene has hooks, which are no text. */
CAROM_API carom_status carom_scene_write_json(const carom_scene *scene, char **text);
CAROM_API void carom_text_free(char *text);

/* `ticks` ticks of length dt > 0 without actions. Of worlds of a scene; CAROM_ERROR_ARGUMENT for those of a game. The
 * same as carom_worlds_play() with step.dt = dt and step.actions = NULL, by which impacts can be recorded. */
CAROM_API carom_status carom_worlds_step(carom_worlds *worlds, double dt, size_t ticks);

#ifdef __cplusplus
}
#endif
#endif
