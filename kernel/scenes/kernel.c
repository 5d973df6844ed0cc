/* SPDX-License-Identifier: MIT
 * Scenes for one instruction set and precision: everything in a tick except the impacts.
 *
 *     before_impacts()  saves the state, in case a world faults (tile.h); calls the caller's hook; takes actions;
 *                       limits speeds
 *     engine->tick()    plays the impacts: step 2 of carom/scene.h (engine.h)
 *     after_impacts()   faults, damping, clock, counters, rewards (outputs.h), and games that are over
 */
#include "scenes/freeze.h"
#include "scenes/outputs.h"
#include "scenes/own.h"
#include "scenes/tile.h"

static const scene_engine *engine_of(const scene_frozen *s)
{
    return s->deep ? &CAROM_KERNEL(scene_deep) : &CAROM_KERNEL(scene_wide);
}

static size_t engine_bytes(const scene_frozen *s)
{
    return (engine_of(s)->scratch_bytes(s) + 63) / 64 * 64;
}

/* The size of scene_tick.met for one tile. */
static size_t met_bytes(const scene_frozen *s)
{
    return s->counts ? s->rule_count * CAROM_TILE * sizeof(uint32_t) : 0;
}

/* ---- actions and the speed limit ---- */

/* A component of the velocity `v` after an action of the given kind, whose numbers are in `numbers`. */
CAROM_LANE vreal act_on(const scene_run *run, uint32_t body, unsigned at, uint32_t kind, const void *numbers, vreal v)
{
    const vreal one = v_set1(1);
    const vreal inverse = row_inverse_mass(run, body, at);

    /* Normalised actions come from policies: any float, even NaN, must give a valid action. */
    if (kind == SCENE_NORMALISED) {
        vreal a = v_load_f32((const float *)numbers);
        a = v_select(v_eq(a, a), v_min(v_max(a, -one), one), v_set1(0));
        a = a * row_action_scale(run, body, at);
        switch (run->s->desc->action) {
        case CAROM_ACTION_VELOCITY:
            return a;
        case CAROM_ACTION_ACCELERATION:
            return v + a * row_dt(run, at);
        default:
            return v + a * inverse;
        }
    }

    const vreal a = v_load_f64((const double *)numbers);
    return kind == SCENE_IMPULSE ? v + a * inverse : v_select(v_eq(a, a), a, v);
}

static void act(const scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;
    const game_tick *tick = run->tick;

    for (uint32_t k = 0; k < s->actor_count; k++) {
        /* Actors are sorted by player, and every player has equally many. */
        const uint32_t body = s->actors[k], player = k / (s->actor_count / s->players);
        const uint32_t kind = tick->kind != TICK_MIXED ? tick->kind : tick->kinds[player];
        const size_t bytes = kind == SCENE_NORMALISED ? sizeof(float) : sizeof(double);
        const unsigned char *numbers = act_numbers(run, k, player, kind);

        real *vx = row_of(run, s->vx) + body * run->stride, *vy = row_of(run, s->vy) + body * run->stride;
        EACH_GROUP (lanes) {
            const vmask active = row_active(run, body, at, group);
            const vreal x = act_on(run, body, at, kind, numbers + at * bytes, row_load(run, vx + at));
            const vreal y = act_on(run, body, at, kind, numbers + (CAROM_TILE + at) * bytes, row_load(run, vy + at));
            row_store(run, vx + at, x, active);
            row_store(run, vy + at, y, active);
        }
    }
}

static void limit_speeds(const scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;

    for (uint32_t i = 0; i < s->bodies && s->speed_limit < SCENE_NEVER; i++) {
        EACH_GROUP (lanes) {
            real *px = row_of(run, s->vx) + i * run->stride + at;
            real *py = row_of(run, s->vy) + i * run->stride + at;
            const vreal vx = row_load(run, px), vy = row_load(run, py), most = v_set1(s->speed_limit);

            /* Scaling by a power of two is exact, and protects the squares from overflow and underflow. */
            const vreal scale = v_scale(v_max(v_abs(vx), v_abs(vy))), x = vx * scale, y = vy * scale;
            const vreal speed = v_sqrt(x * x + y * y);
            const vmask fast = m_and(v_gt(speed, most * scale), row_active(run, i, at, group));

            if (m_any(fast)) {
                row_store(run, px, x / speed * most, fast);
                row_store(run, py, y / speed * most, fast);
            }
        }
    }
}

/* ---- after the impacts ---- */

CAROM_LANE void stay_in(const scene_run *run, real *row, real low, real high, vmask active)
{
    row_store(run, row, scene_clamped(row_load(run, row), low, high), active);
}

/* Rounding may leave a centre just outside a periodic box: moves it onto the side. */
static void stay_in_box(const scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;
    for (uint32_t i = 0; i < s->bodies; i++) {
        const size_t row = i * run->stride;
        EACH_GROUP (lanes) {
            const vmask active = row_active(run, i, at, group);
            if (s->horizontal == CAROM_SIDES_PERIODIC) {
                stay_in(run, row_of(run, s->x) + row + at, s->x0, s->x1, active);
            }
            if (s->vertical == CAROM_SIDES_PERIODIC) {
                stay_in(run, row_of(run, s->y) + row + at, s->y0, s->y1, active);
            }
        }
    }
}

static void damp(const scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;
    for (uint32_t i = 0; i < s->bodies && s->damped; i++) {
        real *vx = row_of(run, s->vx) + i * run->stride, *vy = row_of(run, s->vy) + i * run->stride;
        if (s->own[SCENE_OWN_DAMPING] != 0 || s->keep[i] != 1) {
            EACH_GROUP (lanes) {
                const vreal keep = row_keep(run, i, at);
                const vmask active = row_active(run, i, at, group);
                row_store(run, vx + at, row_load(run, vx + at) * keep, active);
                row_store(run, vy + at, row_load(run, vy + at) * keep, active);
            }
        }
    }
}

/* Writes the bodies' positions and velocities for the recording: [body][x, y, vx, vy], while rows are [field][body]. */
static void record_moved(const scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;
    const size_t n = s->bodies;
    const real *rows = row_of(run, s->x);
    EACH_LANE (l, lanes) {
        double *to = run->tick->moved + (run->number * run->stride + l) * n * 4;
        for (size_t k = 0; k < 4 * n; k++) {
            to[k] = (double)rows[(k % 4 * n + k / 4) * run->stride + l];
        }
    }
}

/* ---- the end of a tick ---- */

/* Counts the tick; returns the worlds that have reached the scene's last tick. */
CAROM_LANE unsigned clock_group(const scene_run *run, unsigned at, unsigned group)
{
    const scene_frozen *s = run->s;
    int32_t *ticks = row32_of(run, s->tick) + at;
    const vint number = outcome_next_tick(row_load32(run, ticks));
    row_store32(run, ticks, number, group);
    if (s->desc->last_tick == 0) {
        return 0;
    }
    const vint last = i_set1(s->desc->last_tick > INT32_MAX ? INT32_MAX : (int32_t)s->desc->last_tick);
    return group & ~m_bits(i_gt(last, number));
}

/* The hooks that tick/end.h calls. Its run is a single tile here: a scene's layout is known only at run time. */
typedef scene_run tick_run;
typedef struct tick_world {
    const scene_run *run;
    unsigned lane;
} tick_world;
#define RULES_PLAYERS (run->s->players) /* also known only at run time */
#define TILE_LANES CAROM_TILE

CAROM_LANE tick_world run_world(const tick_run *run, unsigned home)
{
    const tick_world w = {run, home % CAROM_TILE};
    return w;
}

CAROM_LANE int8_t *world_end(tick_world w)
{
    return row8_of(w.run, w.run->s->end) + w.lane;
}

CAROM_LANE int8_t *world_fault(tick_world w)
{
    return row8_of(w.run, w.run->s->fault) + w.lane;
}

CAROM_LANE int8_t *world_frozen(tick_world w)
{
    return row8_of(w.run, w.run->s->frozen) + w.lane;
}

CAROM_LANE int32_t *world_episode_at(tick_world w)
{
    return row32_of(w.run, w.run->s->episode) + w.lane;
}

/* Only for worlds that have reached the last tick or a sensor, or in which a rule has decided the game. */
CAROM_LANE tick_verdict end_decide(tick_run *run, unsigned home, tick_world w)
{
    (void)home;
    unsigned won = 0; /* bit p: player p has won */
    for (uint32_t player = 0; player < run->s->players; player++) {
        won |= (run->won[player] >> w.lane & 1) << player;
    }
    return verdict_of((run->decided >> w.lane & 1) != 0 ? CAROM_TERMINATED : CAROM_TRUNCATED,
                      __builtin_popcount(won) == 1 ? __builtin_ctz(won) : -1);
}

CAROM_LANE int32_t end_score(tick_world w, int player)
{
    (void)w, (void)player;
    return 0;
}

CAROM_LANE int32_t world_tick_of(tick_world w)
{
    return row32_of(w.run, w.run->s->tick)[w.lane];
}

CAROM_LANE unsigned end_rewarded(const tick_run *run)
{
    return rewarded_agents(run);
}

CAROM_LANE void end_observe(tick_run *run, unsigned tile, unsigned lanes)
{
    (void)tile;
    observe_tile(run, lanes, observations_at(run, run->tick->last));
}

CAROM_LANE void end_restart(tick_run *run, unsigned home, tick_world w)
{
    const game_tick *tick = run->tick;
    row32_of(run, run->s->tick)[w.lane] = 0;
    scene_start(run->s, tick->seeds != NULL ? tick->seeds[home] : tick->seed, run->tile, w.lane);
}

#include "tick/end.h"

/* ---- some tiles ---- */

/* The arrays of scene_tick for the worlds of one tile. */
typedef struct scene_outcome {
    /* Set to 0 before each tick, then written by the engine. */
    uint32_t impacts[CAROM_TILE], sensed[CAROM_TILE], watched[CAROM_TILE];
    uint32_t counts[CAROM_TILE];     /* of recorded events */
    uint8_t fault[CAROM_TILE];       /* carom_fault */
    uint64_t ids[CAROM_TILE];        /* in: of worlds, for the response hook; not set without one */
    carom_event *events[CAROM_TILE]; /* in: destination of each world's events; not set unless recording */
    carom_contact *contacts[CAROM_TILE];
} scene_outcome;

/* A tile whose worlds are played. */
typedef struct scene_turn {
    scene_run run;
    unsigned played; /* the worlds to play, as bits: all that are not frozen */
    unsigned lanes;  /* of these, the ones without a fault so far */
    scene_outcome outcome;
} scene_turn;

/* Sets the engine's destination for events. Without a buffer it still counts them. */
static void record_events(const scene_run *run, unsigned lanes, scene_tick *k, scene_outcome *outcome)
{
    static carom_event nowhere; /* never written: the capacity is 0 then */
    const game_tick *tick = run->tick;
    k->events = outcome->events;
    k->event_counts = outcome->counts;
    k->event_capacity = tick->events != NULL ? tick->event_capacity : 0;
    k->contacts = tick->contacts != NULL ? outcome->contacts : NULL;
    EACH_LANE (l, lanes) {
        const size_t world = run->number * CAROM_TILE + l;
        outcome->events[l] = tick->events != NULL ? &tick->events[world * tick->event_capacity] : &nowhere;
        outcome->contacts[l] = tick->contacts != NULL ? &tick->contacts[world * tick->event_capacity] : NULL;
    }
}

/* Is the engine the only reader of bodies during ticks, unless the call wants their state? */
static bool may_lag(const scene_frozen *s)
{
    return s->deep && s->goes_on && s->desc->tick_hook == NULL && s->actor_count == 0 && !s->damped &&
           !(s->speed_limit < SCENE_NEVER) && s->rule_count == 0;
}

/* Fills in the engine's input. */
static void prepare_impacts(scene_turn *turn, scene_tick *k)
{
    const scene_run *run = &turn->run;
    const scene_frozen *s = run->s;
    const carom_scene_measure *reward = &s->desc->reward;
    scene_outcome *outcome = &turn->outcome;

    /* The engine counts from 0. ids and events, at the end, are written below if they are used at all. */
    __builtin_memset(outcome, 0, offsetof(scene_outcome, ids));
    __builtin_memset(k, 0, sizeof *k);

    k->scene = s;
    k->tile = run->tile;
    k->scratch = run->scratch;
    k->dt = run->dt;
    k->dts = run->own_dt ? row_of(run, s->own[SCENE_OWN_DT]) : NULL;
    k->worlds = turn->lanes;
    k->world_id = outcome->ids;
    k->cancel = run->tick->cancel;
    k->behind = run->tick->behind && may_lag(s);
    k->again = run->tick->continues;

    /* Counters for the end of the tick. */
    k->watched = reward->kind == CAROM_MEASURE_IMPACTS ? reward->body : UINT32_MAX;
    k->impacts = outcome->impacts;
    k->sensed = outcome->sensed;
    k->watched_impacts = outcome->watched;
    k->met = run->met;
    if (k->met != NULL) {
        __builtin_memset(k->met, 0, met_bytes(s));
    }
    k->fault = outcome->fault;

    /* A response hook gets 64-bit world ids; the tile has their halves in two rows. */
    if (s->desc->response_hook != NULL) {
        const int32_t *id = row32_of(run, s->id);
        EACH_LANE (l, turn->lanes) {
            outcome->ids[l] = (uint64_t)(uint32_t)id[run->stride + l] << 32 | (uint32_t)id[l];
        }
    }

    if (run->tick->record) {
        record_events(run, turn->lanes, k, outcome);
    }
}

/* Restores and freezes the worlds in which the engine has found a fault. */
static void take_faults(scene_turn *turn)
{
    uint64_t words[2]; /* fault[] in two pieces: worlds rarely fault */
    __builtin_memcpy(words, turn->outcome.fault, sizeof words);
    if ((words[0] | words[1]) != 0) {
        EACH_LANE (l, turn->lanes) {
            if (turn->outcome.fault[l] != 0) {
                put_back(&turn->run, l, turn->outcome.fault[l]);
                turn->lanes &= ~(1u << l);
            }
        }
    }
}

static void count(scene_run *run, unsigned lanes, const scene_outcome *outcome)
{
    uint64_t impacts = 0, sensed = 0;
    for (unsigned l = 0; l < CAROM_TILE; l++) {
        const uint32_t kept = 0 - (lanes >> l & 1);
        impacts += outcome->impacts[l] & kept;
        sensed += outcome->sensed[l] & kept;
    }
    run->tick->counters.ticks += (unsigned)__builtin_popcount(lanes);
    run->tick->counters.events += impacts;
    run->tick->counters.goals += sensed;
}

/* Steps 0 and 1 of a tick (see carom/scene.h): the caller's hook, actions, the speed limit. */
static void before_impacts(scene_turn *turn, unsigned lanes, scene_tick *k)
{
    const scene_run *run = &turn->run;
    const scene_frozen *s = run->s;
    const bool hooked = s->desc->tick_hook != NULL;

    /* Keep the state from before the tick: a world that faults returns to it. */
    turn->played = lanes;
    move_state(run, false, (unsigned)__builtin_ctz(lanes));

    if (hooked) {
        call_hook(run, s->desc->tick_hook, lanes, NULL);
    }
    if (s->actor_count > 0) {
        act(run, lanes);
    }

    /* The caller's hook and actions may have written anything; engines rely on valid states. */
    if (hooked || s->actor_count > 0) {
        lanes = find_faults(run, lanes, hooked);
    }

    limit_speeds(run, lanes);
    turn->lanes = lanes;
    prepare_impacts(turn, k);
}

/* Makes the engine write what it has omitted: see scene_tick.behind. */
static void catch_up(const scene_run *run)
{
    scene_tick k;
    if (run->tick->continues) {
        __builtin_memset(&k, 0, sizeof k);
        k.scene = run->s;
        k.tile = run->tile;
        k.scratch = run->scratch;
        run->engine->catch_up(&k);
        run->tick->continues = false;
    }
}

/* Step 3 of a tick, and its consequences: faults, recording, damping, rewards, and the end of games. */
static void after_impacts(scene_turn *turn)
{
    scene_run *run = &turn->run;
    const scene_frozen *s = run->s;
    const scene_outcome *outcome = &turn->outcome;
    game_tick *tick = run->tick;

    /* Worlds that the engine abandoned, or that have left the valid range, return to the tick's start. The deep engine
     * has checked its world before writing it. */
    take_faults(turn);
    unsigned lanes = turn->lanes;
    if (!run->alone) {
        if (s->horizontal == CAROM_SIDES_PERIODIC || s->vertical == CAROM_SIDES_PERIODIC) {
            stay_in_box(run, lanes);
        }
        lanes = find_faults(run, lanes, false);
    }

    /* Recordings show the speeds before damping. */
    if (tick->record) {
        const size_t first = run->number * CAROM_TILE;
        EACH_LANE (l, tick->event_counts != NULL ? turn->played : 0) {
            tick->event_counts[first + l] = outcome->counts[l];
        }
        if (tick->moved != NULL) {
            record_moved(run, turn->played);
        }
    }

    damp(run, lanes);
    count(run, lanes, outcome);
    unsigned ended = 0; /* worlds that have reached the last tick */
    EACH_GROUP (lanes) {
        ended |= clock_group(run, at, group) << at;
    }

    /* Rules about states are counted after those about impacts, which the engine has counted. Rewards and the end of a
     * game follow from both. */
    if (run->met != NULL) {
        count_states(run, lanes, run->met);
    }
    if (tick->rewards != NULL && tick->reward_kind != REWARD_RESULT) {
        reward_tile(run, lanes, run->met, outcome->watched);
    }
    run->decided = run->met != NULL ? decide_by_rules(run, lanes, run->met) : 0;
    EACH_LANE (l, s->desc->ends_at_sensor ? lanes : 0) {
        run->decided |= (unsigned)(outcome->sensed[l] != 0) << l;
    }

    const unsigned over = ended | run->decided, faulty = turn->played & ~lanes;
    if ((over | faulty) != 0) {
        catch_up(run);
        tick_end_tile(run, (unsigned)run->number, over, faulty);
    }
}

/* The worlds of the tile that are not frozen. */
static unsigned awake(const scene_run *run)
{
    const int8_t *frozen = row8_of(run, run->s->frozen);
    unsigned lanes = 0;
    EACH_LANE (l, run->tick->plays[run->number]) {
        lanes |= (unsigned)(frozen[l] == 0) << l;
    }
    return lanes;
}

/* Frozen worlds have no events and do not move. */
static void record_frozen(const scene_run *run, unsigned lanes)
{
    const game_tick *tick = run->tick;
    const size_t first = run->number * CAROM_TILE;
    EACH_LANE (l, lanes) {
        if (first + l < tick->worlds && tick->event_counts != NULL) {
            tick->event_counts[first + l] = 0;
        }
        if (first + l < tick->worlds && tick->moved != NULL) {
            record_moved(run, 1u << l);
        }
    }
}

/* Begins a tile's tick: gives frozen worlds their outputs, and returns the worlds to play. */
static unsigned open_tile(const scene_run *run)
{
    game_tick *tick = run->tick;
    const unsigned lanes = awake(run);

    const size_t rewards = (size_t)run->s->players * rewarded_agents(run) * CAROM_TILE;
    for (size_t k = 0; k < rewards && tick->rewards != NULL; k++) {
        tick->rewards[run->number * rewards + k] = 0;
    }

    if (tick->record) {
        record_frozen(run, ALL_LANES & ~lanes);
    }
    return lanes;
}

/* Undoes a tick that was cancelled part-way. */
static void undo_tick(const scene_turn *turn)
{
    EACH_LANE (l, turn->lanes) {
        move_state(&turn->run, true, l);
    }
}

/* A tick of one tile for the deep engine, where a tile is one world. */
static void play_alone(scene_turn *turn)
{
    scene_run *run = &turn->run;
    EACH_LANE (l, open_tile(run)) {
        scene_tick k;
        before_impacts(turn, 1u << l, &k);
        run->engine->tick(&k, 1);
        run->tick->continues = k.behind;
        if (k.cancelled) {
            undo_tick(turn);
        } else {
            after_impacts(turn);
        }
    }
}

/* A tick of some tiles for the wide engine, which plays the impacts of all of them together. */
static void play_tiles(scene_turn *turns, size_t count)
{
    scene_tick ticks[SCENE_TILES];
    size_t used = 0;

    /* Skip tiles whose worlds are all frozen. */
    for (size_t t = 0; t < count; t++) {
        const unsigned lanes = open_tile(&turns[t].run);
        turns[t].played = lanes;
        if (lanes != 0) {
            before_impacts(&turns[t], lanes, &ticks[used++]);
        }
    }

    ticks[0].cancelled = false;
    if (used != 0) {
        turns[0].run.engine->tick(ticks, used);
    }

    /* A cancelled call leaves the worlds of all tiles at arbitrary times within the tick. */
    for (size_t t = 0; t < count; t++) {
        if (turns[t].played != 0 && ticks[0].cancelled) {
            undo_tick(&turns[t]);
        } else if (turns[t].played != 0) {
            after_impacts(&turns[t]);
        }
    }
}

/* ---- the functions of game_kernel ---- */

static scene_run begin(const carom_scene *scene)
{
    scene_run run;
    __builtin_memset(&run, 0, sizeof run);
    run.s = (const scene_frozen *)scene->frozen[CAROM_REAL_BITS == 64];
    run.engine = engine_of(run.s);
    run.alone = run.s->deep;
    run.stride = run.s->lanes;
    return run;
}

static size_t tile_bytes(const scene_frozen *s)
{
    return s->tile_bytes;
}

static void scene_tick_run(game_tick *tick)
{
    const carom_scene *scene = (const carom_scene *)tick->context;
    scene_turn turns[SCENE_TILES];
    scene_run run = begin(scene);

    /* After the engine's scratch come, for each tile of a turn, its counts of met rules and its saved state. */
    const size_t bytes = tile_bytes(run.s), met = met_bytes(run.s), kept = met + saved_bytes(run.s);
    const size_t most = run.alone ? 1 : run.engine->tiles(run.s);

    run.tick = tick;
    run.dt = (real)(tick->dt > 0 ? tick->dt : scene->desc.dt);
    run.own_dt = !(tick->dt > 0) && run.s->own[SCENE_OWN_DT] != 0;
    run.scratch = tick->scratch;
    for (size_t count = 0; run.number < tick->tile_count;) {
        run.tile = tick->tiles + run.number * bytes;
        run.met = (uint32_t *)(void *)((unsigned char *)tick->scratch + engine_bytes(run.s) + count * kept);
        run.saved = (unsigned char *)run.met + met;
        run.met = met != 0 ? run.met : NULL;
        turns[count++].run = run;
        run.number++;

        /* Play when the engine has as many tiles as it works best with, or when none is left. */
        if (count == most || run.number == tick->tile_count) {
            if (run.alone) {
                play_alone(&turns[0]);
            } else {
                play_tiles(turns, count);
            }
            count = 0;
        }
    }
}

static void scene_catch_up(game_tick *tick)
{
    scene_run run = begin((const carom_scene *)tick->context);
    run.tick = tick;
    run.tile = tick->tiles;
    run.scratch = tick->scratch;
    catch_up(&run);
}

static void scene_observe(const game_tick *tick, size_t tile, float *seen)
{
    scene_run run = begin((const carom_scene *)tick->context);
    game_tick copy = *tick; /* a run may write to its tick */
    run.tick = &copy;
    run.tile = tick->tiles + tile * tile_bytes(run.s);
    observe_tile(&run, ALL_LANES, seen);
}

static void scene_value(const game_tick *tick, double *values)
{
    scene_run run = begin((const carom_scene *)tick->context);
    const size_t bytes = tile_bytes(run.s);
    game_tick copy = *tick; /* a run may write to its tick */
    run.tick = &copy;
    run.dt = (real)(tick->dt > 0 ? tick->dt : run.s->desc->dt);
    run.own_dt = !(tick->dt > 0) && run.s->own[SCENE_OWN_DT] != 0;

    for (run.number = 0; run.number < tick->tile_count; run.number++) {
        const size_t first = run.number * CAROM_TILE, room = tick->worlds > first ? tick->worlds - first : 0;
        run.tile = tick->tiles + run.number * bytes;

        /* The other players lose what player 0 gains, in equal shares. */
        double *value = values + first * run.s->players;
        measure(&run, &run.s->desc->final_value, room < CAROM_TILE ? (1u << room) - 1 : ALL_LANES, NULL, value);
        for (uint32_t player = 1; player < run.s->players; player++) {
            for (unsigned l = 0; l < CAROM_TILE; l++) {
                value[player * CAROM_TILE + l] = (0 - value[l]) / (double)(run.s->players - 1);
            }
        }
    }
}

static size_t scene_scratch(const scene_frozen *s)
{
    return engine_bytes(s) + engine_of(s)->tiles(s) * (met_bytes(s) + saved_bytes(s));
}

/* ---- single worlds ---- */

static const scene_frozen *frozen_of(const void *context)
{
    return (const scene_frozen *)((const carom_scene *)context)->frozen[CAROM_REAL_BITS == 64];
}

static void start_world(const void *context, uint64_t seed, void *tile, unsigned lane)
{
    scene_start(frozen_of(context), seed, tile, lane);
}

static bool check_world(const void *context, const void *tile, unsigned lane)
{
    return scene_check(frozen_of(context), tile, lane);
}

static void derive_world(const void *context, void *tile, unsigned lane)
{
    (void)context, (void)tile, (void)lane; /* scenes have no derived fields */
}

CAROM_EXTERN const scene_kernel CAROM_KERNEL(scene);
const scene_kernel CAROM_KERNEL(scene) = {
    {{start_world, check_world, derive_world}, scene_tick_run, scene_observe, scene_value, 0, scene_catch_up},
    freeze_bytes,
    freeze,
    scene_scratch};
