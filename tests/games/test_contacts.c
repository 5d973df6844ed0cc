/* SPDX-License-Identifier: MIT
 * Contacts of the games, which a recording adds to the events of impacts. Bodies are on their paths, circles touch,
 * momentum is conserved; the numbers are the same on every instruction set, and recording them changes nothing else.
 * Radii and masses are those used for drawing (carom/look.h), not the kernels' own.
 */
#include "test.h"

#include "tests/replay/replay_stream.h"

#include <carom/look.h>

#define BATCH 40
#define EVENTS 24
#define BODIES 64
#define NUMBERS (CAROM_MAX_PLAYERS * 64)

/* The path of a body between its impacts: a straight line, a parabola, or a line with only its direction known, since
 * stones on paths and after hits cover other distances than their speed says. */
typedef enum way { STRAIGHT, FALLING, DIRECTED } way;

/* Invariants of a game's contacts. */
typedef struct subject {
    const char *name, *kind;
    double crowd;  /* bodies start in a square of this size; 0: where the game puts them */
    double length; /* of a tick, in the game's unit of time */
    way way;
    bool ends;      /* `moved` is where paths lead */
    bool exchanges; /* two bodies keep the sum of their momenta */
    double reach;   /* how far within the sum of radii bodies may meet (snaffles are grabbed, pods overlap) */
    double fine[2]; /* accuracy of positions: f32, f64 */
    unsigned ticks;
} subject;

static const subject subjects[] = {
    {"csb", "normalised_full", 3000, 1, STRAIGHT, true, true, 800, {0.1, 1e-4}, 30},
    {"fantastic_bits", "normalised", 0, 1, STRAIGHT, true, true, 551, {0.1, 1e-4}, 40},
    {"soccer", "normalised", 1.5, 1.0 / 60, STRAIGHT, true, true, 1, {1e-4, 1e-9}, 60},
    {"stones", "normalised", 0, 1, DIRECTED, false, false, 1e-3, {1e-3, 1e-9}, 12},
    {"fall", "normalised", 0, 0.01, FALLING, false, false, 0.1, {1e-3, 1e-9}, 60},
};

/* Of all counts and contacts of test_same_everywhere, game by game: f32, f64. */
static const uint64_t digests[][2] = {
    {UINT64_C(0x61ca1261a0ffcf17), UINT64_C(0x4e6f235d25e6c230)},
    {UINT64_C(0xb79126ba0c985bea), UINT64_C(0xee86617d583ccbce)},
    {UINT64_C(0xc86e8851e5469b8b), UINT64_C(0xc2948e1db936d243)},
    {UINT64_C(0x71d49ca55ee15afd), UINT64_C(0xd59609923084ee3e)},
    {UINT64_C(0x3652358596242c8e), UINT64_C(0xd651c386bc0c32ac)},
};

/* All outputs of a run of a game. */
typedef struct outputs {
    carom_event events[BATCH][EVENTS];
    carom_contact contacts[BATCH][EVENTS];
    uint32_t counts[BATCH];
    double moved[BATCH][BODIES][4];
} outputs;

static outputs one, other;
static unsigned char actions[BATCH * NUMBERS * sizeof(double)];
static carom_look_body before[BATCH][BODIES];
static int8_t shot[BATCH][BODIES]; /* of stones: they are on the path of a push */

/* ---- playing ---- */

static carom_worlds *make_subject(const subject *s, carom_precision precision, carom_isa isa)
{
    carom_worlds *worlds = MAKE_WORLDS(carom_game_find(s->name), .count = BATCH, .seed = 5, .at_end = CAROM_RESET,
                                       .precision = precision, .isa = isa, .threads = 1);
    uint64_t random = 77;
    for (size_t w = 0; w < BATCH && s->crowd > 0; w++) {
        for (unsigned axis = 0; axis < 2; axis++) {
            double numbers[BODIES] = {0};
            float narrow[BODIES] = {0};
            size_t bodies = 0;
            OK(carom_look_bodies(worlds, w, NULL, 0, &bodies));
            for (size_t k = 0; k < bodies; k++) {
                numbers[k] = rng_in(&random, 0, s->crowd);
                narrow[k] = (float)numbers[k];
            }
            set_field(worlds, axis == 0 ? "x" : "y", w, 1,
                      precision == CAROM_F64 ? (const void *)numbers : (const void *)narrow);
        }
    }
    return worlds;
}

static void draw_actions(const subject *s, uint64_t *random)
{
    const carom_game *game = carom_game_find(s->name);
    carom_action_kind kind;
    OK(carom_game_action_kind(game, find_kind(game, s->kind), &kind));
    const size_t numbers = BATCH * (size_t)carom_game_describe(game).players * kind.size;
    assert_true(numbers * (kind.precision / 8) <= sizeof actions);
    for (size_t k = 0; k < numbers; k++) {
        const double number = s->way == FALLING ? 0 : rng_in(random, -1, 1); /* a kick is not seen */
        const float narrow = (float)number;
        if (kind.precision == CAROM_F64)
            memcpy(actions + k * sizeof number, &number, sizeof number);
        else
            memcpy(actions + k * sizeof narrow, &narrow, sizeof narrow);
    }
}

static void play(const subject *s, carom_worlds *worlds, outputs *out, bool contacts)
{
    const carom_game *game = carom_game_find(s->name);
    FREED double *moved = take(sizeof out->moved);
    const size_t bodies = carom_game_describe(game).bodies;
    assert_true(bodies <= BODIES);
    memset(out, 0, sizeof *out);
    PLAY(worlds, .action_kind = find_kind(game, s->kind), .actions = actions, .events = out->events[0],
         .event_counts = out->counts, .event_capacity = EVENTS, .moved = moved,
         .contacts = contacts ? out->contacts[0] : NULL);
    for (size_t w = 0; w < BATCH; w++)
        memcpy(out->moved[w], moved + w * bodies * 4, bodies * 4 * sizeof *moved);
}

/* ---- invariants ---- */

/* The body that events call `id`, or NULL. */
static const carom_look_body *body_of(size_t world, uint32_t id)
{
    for (size_t k = 0; k < BODIES && before[world][k].name != NULL; k++) {
        if (before[world][k].there && before[world][k].id == id)
            return &before[world][k];
    }
    return NULL;
}

static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

#define NEAR(a, b, within, ...)                                                                                        \
    do {                                                                                                               \
        if (!(fabs((a) - (b)) <= (within)))                                                                            \
            fail_msg(__VA_ARGS__);                                                                                     \
    } while (0)

/* How many contacts were checked: a test that sees none proves nothing. */
static struct {
    size_t contacts, pairs, walls, legs, ends, free;
} looked;

/* The position, the normal and the distance of the two. */
static void check_place(const subject *s, const carom_event *e, const carom_contact *c, const carom_look_body *a,
                        const carom_look_body *b, double fine)
{
    const double dx = c->centre[1][0] - c->centre[0][0], dy = c->centre[1][1] - c->centre[0][1];
    const double far = length_of(dx, dy),
                 reach = strcmp(s->name, "fantastic_bits") == 0 && e->second >= 21 ? 0 : a->radius;
    NEAR(length_of(c->nx, c->ny), 1, 1e-9, "%s: a normal of length %.17g", s->name, length_of(c->nx, c->ny));
    NEAR(c->centre[0][0] + reach * c->nx, c->x, fine, "%s: %u meets %u at x %.17g", s->name, e->first, e->second, c->x);
    NEAR(c->centre[0][1] + reach * c->ny, c->y, fine, "%s: %u meets %u at y %.17g", s->name, e->first, e->second, c->y);
    if (b != NULL) {
        const double sum = a->radius + b->radius;
        const bool back = signbit(e->left) != 0; /* a stone that was pulled back */
        assert_true((back || far <= sum + fine) && far >= sum - s->reach - fine);
        NEAR(dx / far, c->nx, 1e-9, "%s: normal", s->name);
        NEAR(dy / far, c->ny, 1e-9, "%s: normal", s->name);
        looked.pairs++;
    } else if (strcmp(s->name, "fantastic_bits") != 0 || e->second >= 17) { /* a post has a radius */
        assert_true(c->centre[1][0] == c->x && c->centre[1][1] == c->y);
        assert_true(c->before[1][0] == 0 && c->before[1][1] == 0 && c->after[1][0] == 0 && c->after[1][1] == 0);
        looked.walls++;
    }
}

/* Is the impulse m times what body k gains along the normal? */
static bool gives(const carom_contact *c, unsigned k, double m, double impulse)
{
    const double gx = m * (c->after[k][0] - c->before[k][0]), gy = m * (c->after[k][1] - c->before[k][1]);
    const double within = 1e-3 * (1 + fabs(impulse));
    return fabs(gx - impulse * c->nx) <= within && fabs(gy - impulse * c->ny) <= within;
}

/* Momentum is exchanged: the masses of pods are 1, or 10 with a shield. */
static void check_momentum(const subject *s, const carom_contact *c, const carom_look_body *a, const carom_look_body *b)
{
    bool held = false;
    for (int heavy = 0; heavy < (strcmp(s->name, "csb") == 0 ? 4 : 1); heavy++) {
        const double first = a->mass * (heavy % 2 == 0 ? 1 : 10), second = heavy / 2 == 0 ? 1 : 10;
        held = held || (gives(c, 0, first, -c->impulse) && (b == NULL || gives(c, 1, second * b->mass, c->impulse)));
    }
    if (!held)
        fail_msg("%s: the impulse %.17g is not what bodies exchange: (%.17g, %.17g) to (%.17g, %.17g)", s->name,
                 c->impulse, c->before[0][0], c->before[0][1], c->after[0][0], c->after[0][1]);
    /* Pods that touch meet even if they part. */
    const double closing = (c->before[0][0] - c->before[1][0]) * c->nx + (c->before[0][1] - c->before[1][1]) * c->ny;
    assert_true(closing < 0 || c->impulse >= -1e-9);
}

/* Where a body is, by its own recordings. */
typedef struct knot {
    double time, x, y, vx, vy;
    bool begun; /* it has had an impact: vx and vy are known */
    bool moved; /* and that has moved it, as it overlapped another body or a wall: the next leg begins elsewhere */
    bool free;  /* a stone that moves, and is on no path */
} knot;

/* Contact c is a body's k-th; the path from its last impact leads there. */
static void check_leg(const subject *s, const carom_contact *c, unsigned k, knot *at, bool overlaps, double fine)
{
    const double gone = (c->time[k] - at->time) * s->length;
    const double vx = s->way == FALLING ? (at->vx + c->before[k][0]) / 2 : c->before[k][0];
    const double vy = s->way == FALLING ? (at->vy + c->before[k][1]) / 2 : c->before[k][1];
    if (s->way == DIRECTED && !at->free) {
        const double dx = c->centre[k][0] - at->x, dy = c->centre[k][1] - at->y;
        NEAR(dx * vy, dy * vx, fine * (1 + length_of(vx, vy)), "%s: body at (%.17g, %.17g) did not come along (%g, %g)",
             s->name, c->centre[k][0], c->centre[k][1], vx, vy);
        assert_true(dx * vx + dy * vy >= -fine * length_of(vx, vy));
        assert_true(c->time[k] >= at->time);
        looked.legs++;
    } else if (!at->moved) {
        looked.free += at->free;
        NEAR(at->x + gone * vx, c->centre[k][0], fine, "%s: a way leads to x %.17g, not %.17g", s->name,
             at->x + gone * vx, c->centre[k][0]);
        NEAR(at->y + gone * vy, c->centre[k][1], fine, "%s: a way leads to y %.17g, not %.17g", s->name,
             at->y + gone * vy, c->centre[k][1]);
        looked.legs++;
    }
    if (at->begun && s->way != FALLING) {
        assert_true(at->vx == c->before[k][0] && at->vy == c->before[k][1]);
    }
    *at = (knot){c->time[k], c->centre[k][0], c->centre[k][1], c->after[k][0], c->after[k][1], true, overlaps, false};
}

/* Is the snaffle or ball carried at some time of the tick? It then follows its carrier's path. */
static bool is_carried(const subject *s, const outputs *out, size_t world, uint32_t id)
{
    for (uint32_t e = 0; e < out->counts[world] && strcmp(s->name, "fantastic_bits") == 0; e++) {
        const carom_event *event = &out->events[world][e];
        if (event->first < 4 && event->second == id)
            return true;
    }
    return false;
}

static void check_world(const subject *s, const outputs *out, size_t world, double fine)
{
    knot knots[BODIES];
    for (size_t k = 0; k < BODIES && before[world][k].name != NULL; k++) {
        const carom_look_body *b = &before[world][k];
        knots[k] =
            (knot){0, b->x, b->y, b->vx, b->vy, false, false, s->way == DIRECTED && !shot[world][k] && b->vx != 0};
    }
    for (uint32_t e = 0; e < out->counts[world]; e++) {
        const carom_event *event = &out->events[world][e];
        const carom_contact *c = &out->contacts[world][e];
        const carom_look_body *a = body_of(world, event->first), *b = body_of(world, event->second);
        assert_non_null(a);
        looked.contacts++;
        check_place(s, event, c, a, b, fine);
        knots[a - before[world]].free &= !signbit(event->left); /* it was not pulled back */
        for (unsigned k = 0; k < 2; k++)
            assert_true(c->time[k] >= 0 && c->time[k] <= 1);
        const double sum = b != NULL ? a->radius + b->radius : 0;
        const double far = length_of(c->centre[1][0] - c->centre[0][0], c->centre[1][1] - c->centre[0][1]);
        const bool overlaps = far < sum - fine, grabbed = is_carried(s, out, world, event->second);
        if (s->exchanges && !grabbed)
            check_momentum(s, c, a, b);
        if (!is_carried(s, out, world, event->first))
            check_leg(s, c, 0, &knots[a - before[world]], overlaps, fine);
        if (b != NULL && !grabbed)
            check_leg(s, c, 1, &knots[b - before[world]], overlaps, fine);
    }
    for (size_t k = 0; k < BODIES && before[world][k].name != NULL && s->ends; k++) {
        const double *end = out->moved[world][before[world][k].id], left = (1 - knots[k].time) * s->length;
        if (knots[k].begun && !is_carried(s, out, world, before[world][k].id)) {
            const double within = knots[k].moved ? s->reach : fine;
            NEAR(knots[k].x + left * knots[k].vx, end[0], within, "%s: body %zu ends at x %.17g", s->name, k, end[0]);
            NEAR(knots[k].y + left * knots[k].vy, end[1], within, "%s: body %zu ends at y %.17g", s->name, k, end[1]);
            assert_true(knots[k].vx == end[2] && knots[k].vy == end[3]);
            looked.ends++;
        }
    }
}

static void look_around(const subject *s, const carom_worlds *worlds)
{
    memset(before, 0, sizeof before);
    for (size_t w = 0; w < BATCH; w++) {
        size_t count = 0;
        OK(carom_look_bodies(worlds, w, before[w], BODIES - 1, &count));
        assert_true(count < BODIES);
        if (s->way == DIRECTED)
            get_field(worlds, "shot", w, 1, shot[w]);
    }
}

static void check_subject(const subject *s, carom_precision precision)
{
    OWNED(carom_worlds) *worlds = make_subject(s, precision, CAROM_ISA_SCALAR);
    uint64_t random = 3;
    memset(&looked, 0, sizeof looked);
    for (unsigned tick = 0; tick < s->ticks; tick++) {
        draw_actions(s, &random);
        look_around(s, worlds);
        play(s, worlds, &one, true);
        for (size_t w = 0; w < BATCH; w++) {
            if (one.counts[w] <= EVENTS)
                check_world(s, &one, w, s->fine[precision == CAROM_F64]);
        }
    }
    print_message("%s, f%d: %zu contacts, %zu of two bodies, %zu with something else, %zu legs, %zu ends\n", s->name,
                  (int)precision, looked.contacts, looked.pairs, looked.walls, looked.legs, looked.ends);
    assert_true(looked.contacts > 50 && (looked.free > 10 || s->way != DIRECTED));
}

TEST(test_what_they_say)
{
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) {
        check_subject(&subjects[k], CAROM_F64);
        check_subject(&subjects[k], CAROM_F32);
    }
}

/* In a scene, too, an impulse is mass times the change of velocity, also at walls, where events leave out the mass. */
TEST(test_impulses_of_a_scene)
{
    static carom_event events[64];
    static carom_contact contacts[64];
    for (int k = 0; k < 4; k++) {
        carom_scene_body bodies[2] = {carom_scene_body_default(), carom_scene_body_default()};
        carom_scene_desc desc = carom_scene_desc_default();
        size_t sides = 0, pairs = 0;
        bodies[0].mass = 3, bodies[0].x = 3, bodies[0].y = 2.5, bodies[0].vx = 5, bodies[0].vy = 1;
        bodies[1].mass = 0.25, bodies[1].x = 7, bodies[1].y = 3, bodies[1].vx = -4, bodies[1].restitution = 0.75;
        desc.bodies = bodies, desc.body_count = 2, desc.dt = 0.5;
        desc.box.horizontal = desc.box.vertical = CAROM_SIDES_SOLID, desc.box.x1 = 10, desc.box.y1 = 5;
        desc.engine = k / 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        OWNED(carom_scene) *scene = NULL;
        OK(carom_scene_create(&desc, &scene, NULL));
        OWNED(carom_worlds) *worlds =
            MAKE_WORLDS(carom_scene_game(scene), .precision = k % 2 == 0 ? CAROM_F32 : CAROM_F64, .threads = 1);
        for (int tick = 0; tick < 60; tick++) {
            uint32_t count = 0;
            PLAY(worlds, .events = events, .event_counts = &count, .event_capacity = 64, .contacts = contacts);
            assert_true(count <= 64);
            for (uint32_t e = 0; e < count; e++) {
                const carom_contact *c = &contacts[e];
                const double mass = bodies[events[e].first].mass;
                assert_true(c->impulse > 0 && gives(c, 0, mass, -c->impulse));
                if (events[e].kind == CAROM_IMPACT_BODY) {
                    assert_true(c->impulse == events[e].impulse && gives(c, 1, bodies[1].mass, c->impulse));
                    pairs++;
                } else {
                    assert_true(fabs(c->impulse - mass * events[e].impulse) < 1e-4);
                    sides++;
                }
            }
        }
        assert_true(sides > 20 && pairs > 3);
    }
}

/* ---- the same everywhere, and without effect ---- */

/* The numbers are the same bits on every machine: so are the counts. */
static void add_to_digest(uint64_t *digest, const outputs *out)
{
    for (size_t w = 0; w < BATCH; w++) {
        *digest = (*digest ^ out->counts[w]) * UINT64_C(0x100000001b3);
        for (size_t e = 0; e < out->counts[w] && e < EVENTS; e++) {
            for (size_t k = 0; k < CONTACT_NUMBERS; k++) {
                const double number = contact_number(&out->contacts[w][e], k);
                uint64_t word;
                memcpy(&word, &number, sizeof word);
                *digest = (*digest ^ word ^ word >> 32) * UINT64_C(0x100000001b3);
            }
        }
    }
}

TEST(test_same_everywhere)
{
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) {
        for (unsigned bits = 32; bits <= 64; bits += 32) {
            const subject *s = &subjects[k];
            const carom_precision precision = bits == 32 ? CAROM_F32 : CAROM_F64;
            OWNED(carom_worlds) *worlds = make_subject(s, precision, CAROM_ISA_SCALAR);
            OWNED(carom_worlds) *plain = make_subject(s, precision, CAROM_ISA_SCALAR);
            carom_worlds *wide[CAROM_ISA_COUNT];
            uint64_t random = 8, digest = UINT64_C(0xcbf29ce484222325);
            for (size_t i = 0; i < isa_count; i++)
                wide[i] = make_subject(s, precision, isas[i]);
            for (unsigned tick = 0; tick < s->ticks; tick++) {
                draw_actions(s, &random);
                play(s, worlds, &one, true);
                add_to_digest(&digest, &one);
                play(s, plain, &other, false);
                assert_memory_equal(one.counts, other.counts, sizeof one.counts);
                assert_memory_equal(one.events, other.events, sizeof one.events);
                assert_memory_equal(one.moved, other.moved, sizeof one.moved);
                for (size_t i = 0; i < isa_count; i++) {
                    play(s, wide[i], &other, true);
                    assert_memory_equal(&one, &other, sizeof one);
                }
            }
            assert_true(digest_of(worlds) == digest_of(plain));
            if (digest != digests[k][bits == 64])
                fail_msg("%s, f%u: the digest of contacts is 0x%016llx", s->name, bits, (unsigned long long)digest);
            for (size_t i = 0; i < isa_count; i++)
                carom_worlds_destroy(wide[i]);
        }
    }
}

/* A recorder plays the steps of a call one by one, and a replay is played tick by tick: both give the same contacts. */
TEST(test_replayed)
{
    enum { TICKS = 5 };
    const subject *s = &subjects[0];
    const carom_game *game = carom_game_find(s->name);
    static carom_event events[2][TICKS][BATCH][EVENTS];
    static carom_contact contacts[2][TICKS][BATCH][EVENTS], played[BATCH][EVENTS];
    static uint32_t counts[2][TICKS][BATCH];
    OWNED(carom_worlds) *worlds = make_subject(s, CAROM_F64, isas[0]);
    OWNED(carom_worlds) *plain = make_subject(s, CAROM_F64, isas[0]);
    static stream to;
    carom_recorder_desc desc = describe(&to);
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
    carom_step step = STEP_WITH(.ticks = TICKS, .event_capacity = EVENTS);
    size_t met = 0;
    for (int p = 0; p < 2; p++)
        step.players[p].source = CAROM_POLICY;
    for (int k = 0; k < 2; k++) {
        step.events = events[k][0][0], step.contacts = contacts[k][0][0], step.event_counts = counts[k][0];
        OK(k == 0 ? carom_worlds_play(plain, &step) : carom_recorder_play(recorder, worlds, &step));
    }
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    assert_memory_equal(contacts[0], contacts[1], sizeof contacts[0]);
    OK(carom_recorder_end(recorder));

    OWNED(carom_replay) *replay = open_stream(&to);
    OWNED(carom_worlds) *again = worlds_of(replay);
    step.ticks = 1, step.events = events[1][0][0], step.event_counts = counts[1][0], step.contacts = played[0];
    assert_true(carom_replay_describe(replay).game == game);
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        memset(played, 0, sizeof played);
        OK(carom_replay_play(replay, again, tick, &step));
        assert_memory_equal(played, contacts[0][tick], sizeof played);
        for (size_t w = 0; w < BATCH; w++)
            met += counts[1][0][w];
    }
    assert_true(met > 10);
}

/* Entries beyond the capacity, and those of other worlds, are not written. */
TEST(test_room)
{
    const subject *s = &subjects[0];
    const carom_game *game = carom_game_find(s->name);
    static carom_event events[BATCH];
    static carom_contact contacts[BATCH + 1], guard;
    OWNED(carom_worlds) *worlds = make_subject(s, CAROM_F64, isas[0]);
    OWNED(carom_worlds) *whole = make_subject(s, CAROM_F64, isas[0]);
    uint64_t random = 12;
    size_t met = 0;
    memset(&guard, 0x5a, sizeof guard);
    for (int tick = 0; tick < 6; tick++) {
        for (size_t w = 0; w <= BATCH; w++)
            contacts[w] = guard;
        draw_actions(s, &random);
        PLAY(worlds, .action_kind = find_kind(game, s->kind), .actions = actions, .events = events, .event_capacity = 1,
             .contacts = contacts);
        play(s, whole, &one, true);
        for (size_t w = 0; w < BATCH; w++) {
            met += one.counts[w] > 1;
            assert_memory_equal(&contacts[w], one.counts[w] != 0 ? &one.contacts[w][0] : &guard, sizeof guard);
        }
        assert_memory_equal(&contacts[BATCH], &guard, sizeof guard);
    }
    assert_true(met > 0);
}

TEST(test_refused)
{
    OWNED(carom_worlds) *worlds = make_subject(&subjects[0], CAROM_F64, isas[0]);
    carom_step step = carom_step_default();
    carom_problem problem;
    step.contacts = one.contacts[0];
    step.event_capacity = EVENTS;
    assert_int_equal(carom_worlds_play(worlds, &step), CAROM_ERROR_ARGUMENT);
    OK(carom_worlds_problem(worlds, &problem));
    assert_string_equal(problem.text, "csb: `contacts` need `events`");
    step.events = one.events[0];
    step.repeat = 2;
    assert_int_equal(carom_worlds_play(worlds, &step), CAROM_ERROR_ARGUMENT);
}
