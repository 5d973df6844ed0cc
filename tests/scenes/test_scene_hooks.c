/* SPDX-License-Identifier: MIT
 * Scenes with a caller's rules: hooks for ticks and responses, and rollouts on them, against the same futures played by
 * hand.
 */
#include "scene_batch.h"

#define WORLDS 35
#define BODIES 3

/* Two bodies that meet and one that is fixed, in a periodic strip. */
static carom_scene_body bodies[BODIES];

static carom_scene_desc strip(carom_engine engine)
{
    carom_scene_desc desc = carom_scene_desc_default();
    desc.engine = engine;
    bodies[0] = body_at(2, 4, 1, 0.25, 0.5, 1);
    bodies[1] = body_at(8, 4, -1, 0.5, 0.5, 3);
    bodies[2] = body_at(5, 1, 0, 0, 0.5, INFINITY);
    bodies[0].acts = bodies[1].acts = true;
    bodies[0].user = 5;
    desc.bodies = bodies;
    desc.body_count = BODIES;
    desc.box = (carom_scene_box){0, 0, 10, 8, CAROM_SIDES_PERIODIC, CAROM_SIDES_SOLID, 1};
    desc.user_words = true;
    return desc;
}

static int8_t flag(const carom_worlds *worlds, const char *name, size_t world)
{
    int8_t value;
    get_field(worlds, name, world, 1, &value);
    return value;
}

/* ---- the tick's hook ---- */

typedef struct notebook {
    unsigned calls[WORLDS];
    int32_t tick[WORLDS];
    unsigned strange; /* invalid values */
} notebook;

/* x of body i of lane l; NULL pointers of the other precision. */
static double x_of(const carom_scene_range *r, size_t i, size_t l)
{
    return r->precision == CAROM_F64 ? r->x64[i * r->stride + l] : (double)r->x32[i * r->stride + l];
}

/* Body 0 is pushed by its word, which counts up; body 1 goes away in odd worlds at their second tick. */
static void push(void *user, const carom_scene_range *r)
{
    notebook *book = (notebook *)user;
    const bool wide = r->precision == CAROM_F64;
    book->strange += (r->x32 == NULL) != wide || (r->vy32 == NULL) != wide || (r->x64 != NULL) != wide ||
                     (r->vy64 != NULL) != wide || r->value != NULL || r->dt != 0.5 || r->count > CAROM_TILE ||
                     r->first / CAROM_TILE != (r->first + r->count - 1) / CAROM_TILE || r->first + r->count > WORLDS;
    for (size_t l = 0; l < r->count; l++) {
        const size_t world = r->first + l;
        book->calls[world]++;
        book->tick[world] = r->tick[l];
        if (wide)
            r->vx64[l] += 0.125 * r->user[l];
        else
            r->vx32[l] += 0.125f * (float)r->user[l];
        r->user[l]++;
        if (world % 2 == 1 && r->tick[l] == 1)
            r->active[r->stride + l] = 0;
        book->strange += x_of(r, 2, l) != 5 || r->user[2 * r->stride + l] != 0;
    }
}

TEST(test_tick_hook)
{
    for (size_t k = 0; k < 4 * isa_count; k++) {
        static notebook book;
        memset(&book, 0, sizeof book);
        carom_scene_desc desc = strip(k % 4 < 2 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP);
        desc.tick_hook = push;
        desc.user = &book;
        desc.dt = 0.5;
        OWNED(carom_scene) *scene = make_scene(&desc);
        OWNED(carom_worlds) *worlds = scene_worlds(scene, WORLDS, k % 2 == 0 ? CAROM_F32 : CAROM_F64, isas[k / 4], 1);
        const int8_t yes = 1;
        set_field(worlds, "frozen", 7, 1, &yes);
        set_field(worlds, "frozen", 16, 1, &yes);
        PLAY(worlds, .ticks = 2);
        assert_int_equal(book.strange, 0);
        OWNED(scene_state) s = scene_state_new(BODIES);
        for (size_t w = 0; w < WORLDS; w++) {
            const bool frozen = w == 7 || w == 16;
            int32_t user[BODIES];
            scene_get(worlds, w, &s);
            get_field(worlds, "user", w, 1, user);
            assert_int_equal(book.calls[w], frozen ? 0 : 2);
            assert_int_equal(book.tick[w], frozen ? 0 : 1);
            assert_int_equal(user[0], frozen ? 5 : 7);
            assert_true(s.number[2 * BODIES] == (frozen ? 1 : 1 + 0.125 * 11));
            assert_true(s.number[0] == (frozen ? 2 : 2 + 0.5 * (1 + 0.625) + 0.5 * (1 + 1.375)));
            assert_int_equal(s.active[1], frozen || w % 2 == 0);
            assert_true(s.number[1] == (frozen ? 8 : w % 2 == 0 ? 7 : 7.5)); /* it stopped after it had moved */
        }
    }
}

/* Values that carom_worlds_set() would refuse, selected by user. Other fields are changed, too: they must be
 * restored. */
static void spoil(void *user, const carom_scene_range *r)
{
    const int what = *(const int *)user;
    for (size_t l = 0; l < r->count; l++) {
        r->user[l] = 99;
        r->x64[r->stride + l] = 7.5;
        if ((r->first + l) % 3 != 0)
            continue;
        r->active[l] = what == 0 ? 2 : 0;
        if (what == 1)
            r->vy64[2 * r->stride + l] = 1; /* fixed */
        else if (what == 2)
            r->x64[r->stride + l] = 10.5; /* outside */
        else if (what == 3)
            r->y64[l] = NAN;
        else if (what == 4)
            r->vx64[r->stride + l] = -INFINITY;
    }
}

TEST(test_spoiled_states)
{
    for (int k = 0; k < 10; k++) {
        const int what = k / 2;
        carom_scene_desc desc = strip(k % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP);
        desc.tick_hook = spoil;
        desc.user = (void *)(uintptr_t)&what;
        OWNED(carom_scene) *scene = make_scene(&desc);
        OWNED(carom_worlds) *worlds = scene_worlds(scene, WORLDS, CAROM_F64, CAROM_ISA_DEFAULT, 1);
        must(carom_worlds_step(worlds, 0.25, 1), "carom_worlds_step");
        OWNED(scene_state) s = scene_state_new(BODIES);
        for (size_t w = 0; w < WORLDS; w++) {
            const bool bad = w % 3 == 0;
            int32_t user[BODIES];
            get_field(worlds, "user", w, 1, user);
            scene_get(worlds, w, &s);
            assert_int_equal(flag(worlds, "fault", w), !bad ? 0 : what == 3 ? CAROM_FAULT_NAN : CAROM_FAULT_RANGE);
            assert_int_equal(user[0], bad ? 5 : 99);
            assert_int_equal(s.active[0], 1);
            assert_true(s.number[0] == (bad ? 2 : 2.25) && s.number[1] == (bad ? 8 : 7.25));
            assert_true(s.number[2 * BODIES] == 1);
        }
    }
}

/* ---- the hook for responses ---- */

typedef struct meeting {
    unsigned impacts;
    carom_impact last;
} meeting;

/* Colliding bodies exchange their velocities, whatever their masses; at sides they stop. */
static void exchange(void *user, size_t count, carom_impact *impacts)
{
    meeting *met = (meeting *)user;
    for (size_t k = 0; k < count; k++) {
        carom_impact *i = &impacts[k];
        met->impacts++;
        met->last = *i;
        if (i->kind == CAROM_IMPACT_BODY) {
            const double vx = i->vx1, vy = i->vy1;
            i->vx1 = i->vx2, i->vy1 = i->vy2;
            i->vx2 = vx, i->vy2 = vy;
        } else {
            i->vx1 = i->vy1 = 0;
        }
    }
}

TEST(test_response_hook)
{
    for (int k = 0; k < 4; k++) {
        const int bits = k % 2 == 0 ? 32 : 64;
        meeting met = {0};
        carom_scene_desc desc = strip(k < 2 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP);
        bodies[0].vy = bodies[1].vy = 0;
        bodies[2].y = 0.75;
        desc.response_hook = exchange;
        desc.user = &met;
        OWNED(carom_scene) *scene = make_scene(&desc);
        carom_worlds_desc d = WORLDS_DESC(carom_scene_game(scene), .precision = (carom_precision)bits,
                                          .first_id = UINT64_C(0x123456789a));
        OWNED(carom_worlds) *worlds = make_worlds(&d);
        must(carom_worlds_step(worlds, 4, 1), "carom_worlds_step"); /* they meet after 2.5, at 5 */
        assert_int_equal(met.impacts, 1);
        assert_true(met.last.world_id == d.first_id && met.last.time == 2.5);
        assert_true(met.last.first == 0 && met.last.second == 1 && met.last.kind == CAROM_IMPACT_BODY);
        assert_true(met.last.x1 == 4.5 && met.last.x2 == 5.5 && met.last.y1 == 4 && met.last.nx == -1 &&
                    met.last.ny == 0 && met.last.vx1 == 1 && met.last.vx2 == -1 && met.last.inverse_mass1 == 1 &&
                    fabs(met.last.inverse_mass2 - 1.0 / 3) < 1e-7);
        OWNED(scene_state) s = scene_state_new(BODIES);
        scene_get(worlds, 0, &s);
        assert_true(s.number[0] == 3 && s.number[1] == 7 && s.number[2 * BODIES] == -1 &&
                    s.number[2 * BODIES + 1] == 1);
        /* at a side; and a fixed body does not change, whatever the hook returns */
        s.number[BODIES] = 7, s.number[3 * BODIES] = 1; /* y, vy of body 0 */
        s.number[1] = 5, s.number[BODIES + 1] = 3, s.number[2 * BODIES + 1] = 0, s.number[3 * BODIES + 1] = -1;
        scene_put(worlds, 0, &s);
        must(carom_worlds_step(worlds, 1, 1), "carom_worlds_step");
        assert_int_equal(met.impacts, 2);
        assert_true(met.last.kind == CAROM_IMPACT_SIDE && met.last.second == 3 && met.last.ny == -1);
        must(carom_worlds_step(worlds, 1, 1), "carom_worlds_step");
        assert_int_equal(met.impacts, 3);
        assert_true(met.last.first == 1 && met.last.second == 2 && met.last.inverse_mass2 == 0);
        scene_get(worlds, 0, &s);
        assert_true(s.number[BODIES] == 7.5 && s.number[3 * BODIES] == 0);
        assert_true(s.number[3 * BODIES + 1] == 0 && s.number[3 * BODIES + 2] == 0 && s.number[BODIES + 2] == 0.75);
    }
}

/* How many impacts come at once: a register's worlds, or one. No world is there twice. */
typedef struct crowding {
    size_t most;
    bool twice;
} crowding;

static void count_range(void *user, size_t count, carom_impact *impacts)
{
    crowding *seen = (crowding *)user;
    seen->most = count > seen->most ? count : seen->most;
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < k; j++)
            seen->twice = seen->twice || impacts[j].world_id == impacts[k].world_id;
    exchange(&(meeting){0}, count, impacts);
}

TEST(test_ranges)
{
    uint64_t expected[2] = {0, 0};
    for (int k = 0; k < 2 * CAROM_ISA_COUNT; k++) {
        const carom_isa isa = (carom_isa)(k / 2);
        if (isa == CAROM_ISA_DEFAULT || !carom_isa_usable(isa))
            continue;
        for (int f64 = 0; f64 < 2; f64++) {
            crowding seen = {0, false};
            carom_scene_desc desc = strip(k % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP);
            desc.response_hook = count_range;
            desc.user = &seen;
            OWNED(carom_scene) *scene = make_scene(&desc);
            OWNED(carom_worlds) *worlds = scene_worlds(scene, WORLDS, f64 ? CAROM_F64 : CAROM_F32, isa, 1);
            must(carom_worlds_step(worlds, 4, 3), "carom_worlds_step");
            assert_false(seen.twice);
            assert_true(k % 2 == 0 && isa != CAROM_ISA_SCALAR ? seen.most > 1 && seen.most <= CAROM_TILE
                                                              : seen.most == 1);
            const uint64_t digest = digest_of(worlds);
            expected[f64] = expected[f64] == 0 ? digest : expected[f64];
            assert_true(digest == expected[f64]);
        }
    }
}

/* ---- rollouts ---- */

#define ROOTS 5
#define SEQUENCES 7
#define HORIZON 6
#define TOTAL ((size_t)ROOTS * SEQUENCES)
#define NUMBERS 4

/* A hook that depends on the world: a wind. */
static void blow(void *user, const carom_scene_range *r)
{
    (void)user;
    for (size_t l = 0; l < r->count; l++) {
        if (r->precision == CAROM_F64)
            r->vy64[l] += 0.01 * (double)r->user[l];
        else
            r->vy32[l] += 0.01f * (float)r->user[l];
    }
}

static carom_worlds *make_roots(const carom_scene *scene, carom_precision precision, carom_isa isa, unsigned threads)
{
    carom_worlds *roots = MAKE_WORLDS(carom_scene_game(scene), .count = ROOTS, .precision = precision, .isa = isa,
                                      .threads = threads, .first_id = 1000);
    for (size_t w = 0; w < ROOTS; w++) {
        const int32_t user[BODIES] = {(int32_t)w, 0, 0}, tick = w == 3 ? 6 : (int32_t)w;
        set_field(roots, "user", w, 1, user);
        set_field(roots, "tick", w, 1, &tick);
    }
    return roots;
}

/* The returns and the final states of a rollout with given actions, tick by tick. */
static uint64_t play_by_hand(const carom_scene *scene, const carom_worlds *roots, const float *actions,
                             const carom_rollout_desc *d, double *returns)
{
    carom_worlds_desc desc = carom_worlds_describe(roots);
    desc.game = carom_scene_game(scene);
    desc.count = TOTAL;
    desc.at_end = CAROM_FREEZE;
    desc.first_id = 50;
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    for (size_t root = 0; root < ROOTS; root++)
        must(carom_worlds_fork(worlds, root * SEQUENCES, SEQUENCES, roots, root), "carom_worlds_fork");
    memset(returns, 0, TOTAL * sizeof *returns);
    double weight = 1;
    for (size_t t = 0; t < HORIZON; t++) {
        static float now[TOTAL][NUMBERS], rewards[TOTAL];
        for (size_t q = 0; q < TOTAL; q++)
            memcpy(now[q], actions + (q * HORIZON + t) * NUMBERS, sizeof now[q]);
        PLAY(worlds, .action_kind = find_kind(desc.game, "normalised"), .actions = now, .rewards = rewards);
        for (size_t q = 0; q < TOTAL; q++)
            returns[q] += weight * (double)rewards[q];
        weight *= d->discount;
    }
    scene_state s = scene_state_new(BODIES);
    for (size_t q = 0; q < TOTAL; q++) {
        scene_get(worlds, q, &s);
        const double dx = s.number[0] - 5, dy = s.number[BODIES] - 6;
        returns[q] += weight * d->final_weight * -sqrt(dx * dx + dy * dy);
    }
    end_scene_state(&s);
    const uint64_t digest = digest_of(worlds);
    return digest;
}

static carom_scene *make_windy(carom_engine engine)
{
    carom_scene_desc desc = strip(engine);
    desc.action_scale = 0.75;
    desc.last_tick = 8;
    desc.tick_hook = blow;
    desc.reward.kind = CAROM_MEASURE_ENERGY;
    desc.final_value = (carom_scene_measure){CAROM_MEASURE_DISTANCE, 0, 5, 6, NULL};
    return make_scene(&desc);
}

/* Given and drawn actions, on every instruction set, by one thread and by three. */
static void roll_out(carom_engine engine)
{
    static float actions[TOTAL][HORIZON][NUMBERS];
    OWNED(carom_scene) *scene = make_windy(engine);
    const carom_game *game = carom_scene_game(scene);
    carom_rollout_desc d = carom_rollout_desc_default(game);
    d.sequences = SEQUENCES;
    d.horizon = HORIZON;
    d.discount = 0.75;
    d.final_weight = 3;
    d.seed = 11;
    for (size_t root = 0; root < ROOTS; root++)
        for (uint32_t k = 0; k < SEQUENCES; k++)
            for (uint32_t t = 0; t < HORIZON; t++)
                must(carom_rollout_draw(game, d.seed, 1000 + root, k, t, 0, actions[root * SEQUENCES + k][t]), "draw");
    for (int bits = 32; bits <= 64; bits += 32) {
        double expected[TOTAL], returns[TOTAL];
        carom_worlds *first = make_roots(scene, (carom_precision)bits, CAROM_ISA_SCALAR, 1);
        const uint64_t digest = play_by_hand(scene, first, &actions[0][0][0], &d, expected), start = digest_of(first);
        carom_worlds_destroy(first);
        for (size_t k = 0; k < 4 * isa_count; k++) {
            OWNED(carom_worlds) *roots = make_roots(scene, (carom_precision)bits, isas[k / 4], k % 2 == 0 ? 1 : 3);
            carom_worlds_desc all = carom_worlds_describe(roots);
            all.count = TOTAL;
            all.first_id = 50;
            all.at_end = CAROM_FREEZE;
            OWNED(carom_worlds) *finals = make_worlds(&all);
            d.players[0].source = k % 4 < 2 ? CAROM_GIVEN : CAROM_DRAWN;
            d.players[0].actions = k % 4 < 2 ? actions : NULL;
            uint32_t best[ROOTS], again[ROOTS];
            float action[ROOTS][NUMBERS];
            double value[ROOTS];
            must(carom_rollout(roots, &d, returns, best, finals), "carom_rollout");
            assert_memory_equal(returns, expected, sizeof returns);
            assert_true(digest_of(finals) == digest && digest_of(roots) == start);
            must(carom_rollout_best(roots, &d, 0, action, again, value), "carom_rollout_best");
            for (size_t root = 0; root < ROOTS; root++) {
                const size_t q = root * SEQUENCES + best[root];
                for (size_t other = root * SEQUENCES; other < (root + 1) * SEQUENCES; other++)
                    assert_true(returns[q] > returns[other] || other == q ||
                                (returns[q] == returns[other] && q < other));
                assert_int_equal(best[root], again[root]);
                assert_true(value[root] == returns[q]);
                assert_memory_equal(action[root], actions[q][0], sizeof action[root]);
            }
        }
    }
}

TEST(test_rollout)
{
    roll_out(CAROM_ENGINE_WIDE);
    roll_out(CAROM_ENGINE_DEEP);
}

/* A root that faults is the worst of all. */
TEST(test_faulty_rollout)
{
    carom_scene_desc desc = strip(CAROM_ENGINE_WIDE);
    desc.max_events = 1;
    bodies[0].vy = 30;
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *roots = make_roots(scene, CAROM_F64, CAROM_ISA_DEFAULT, 1);
    const int8_t none[BODIES] = {0, 0, 0};
    set_field(roots, "active", 2, 1, none);
    carom_rollout_desc d = carom_rollout_desc_default(carom_scene_game(scene));
    double returns[ROOTS];
    must(carom_rollout(roots, &d, returns, NULL, NULL), "carom_rollout");
    for (size_t w = 0; w < ROOTS; w++)
        assert_true(returns[w] == (w == 2 ? 0 : -INFINITY));
}

/* As many numbers as bodies want, or none. */
TEST(test_many_actors)
{
    enum { CROWD = 45 };
    static carom_scene_body crowd[CROWD];
    for (int acts = 0; acts < 2; acts++) {
        carom_scene_desc desc = carom_scene_desc_default();
        for (int i = 0; i < CROWD; i++) {
            crowd[i] = body_at(10 * i, 0, 0, 0, 1, 1);
            crowd[i].acts = acts != 0;
        }
        desc.bodies = crowd;
        desc.body_count = CROWD;
        desc.reward.kind = CAROM_MEASURE_ENERGY;
        OWNED(carom_scene) *scene = make_scene(&desc);
        const carom_game *game = carom_scene_game(scene);
        OWNED(carom_worlds) *worlds = scene_worlds(scene, 3, CAROM_F64, CAROM_ISA_DEFAULT, 1);
        float action[3][2 * CROWD + 1], drawn[2 * CROWD];
        double values[3];
        memset(action, 0, sizeof action);
        carom_rollout_desc d = carom_rollout_desc_default(game);
        d.sequences = 4;
        uint32_t best[3];
        must(carom_rollout_best(worlds, &d, 0, action, best, values), "carom_rollout_best");
        double energy = 0;
        must(carom_rollout_draw(game, d.seed, 0, best[0], 0, 0, drawn), "carom_rollout_draw");
        for (int k = 0; k < 2 * CROWD && acts != 0; k++) {
            energy += 0.5 * (double)drawn[k] * (double)drawn[k];
            assert_true(action[0][k] == drawn[k]);
        }
        assert_true(fabs(values[0] - energy) < 1e-5);
        carom_step step = STEP_WITH(.actions = drawn);
        step.rows = best; /* anything: rows of no numbers */
        memset(best, 0, sizeof best);
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
    }
}

/* ---- the same bits ---- */

/* A crowded box with walls: the digest does not depend on instruction sets, threads, or how worlds are shared out. */
static void crowd_box(carom_engine engine, uint64_t digests[2])
{
    enum { CROWD = 9, MANY = 50 };
    static carom_scene_body crowd[CROWD];
    static const double x[] = {6, 7, 7, 6}, y[] = {5, 5, 6, 6};
    carom_scene_wall walls[] = {{3, 0, 3, 2, 0.5, false, false}, {0, 6, 2, 7, 1, true, false}};
    carom_scene_polygon block = {x, y, 4, 0.75, false};
    carom_scene_desc desc = carom_scene_desc_default();
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = body_at(1.5 + 3 * (i % 3), 1.3 + 2.7 * (i / 3), 0, 0, 0.4 + 0.05 * i, 1 + i);
        crowd[i].damping = i == 4 ? 0.125 : 0;
        crowd[i].restitution = 1 - 0.05 * i;
        crowd[i].acts = true;
    }
    desc.bodies = crowd;
    desc.body_count = CROWD;
    desc.walls = walls;
    desc.wall_count = 2;
    desc.polygons = &block;
    desc.polygon_count = 1;
    desc.box = (carom_scene_box){0, 0, 9, 8, CAROM_SIDES_SOLID, CAROM_SIDES_PERIODIC, 0.875};
    desc.speed_limit = 4;
    desc.action_scale = 6;
    desc.contact_time = 1e-3;
    desc.engine = engine;
    OWNED(carom_scene) *scene = make_scene(&desc);
    for (int bits = 32; bits <= 64; bits += 32) {
        uint64_t expected = 0;
        for (size_t k = 0; k < 3 * isa_count; k++) {
            uint64_t digest = 0, part, events = 0;
            for (size_t first = 0; first < MANY; first += k % 3 == 2 ? 7 : MANY) {
                OWNED(carom_worlds) *worlds =
                    MAKE_WORLDS(carom_scene_game(scene), .precision = (carom_precision)bits, .isa = isas[k / 3],
                                .threads = k % 3 == 0 ? 1 : 3, .first_id = first,
                                .count = k % 3 < 2          ? MANY
                                         : MANY - first < 7 ? MANY - first
                                                            : 7);
                float actions[MANY * 2 * CROWD];
                for (int tick = 0; tick < 12; tick++) {
                    must(carom_worlds_policy(worlds, 1, 0, actions), "carom_worlds_policy");
                    PLAY(worlds, .actions = actions);
                }
                must(carom_worlds_digest(worlds, &part), "carom_worlds_digest");
                digest += part;
                events += carom_worlds_counters(worlds).events;
                assert_int_equal(carom_worlds_faults(worlds, NULL), 0);
            }
            assert_true(events > 1000);
            expected = k == 0 ? digest : expected;
            assert_true(digest == expected);
        }
        digests[bits == 64] = expected;
    }
}

TEST(test_same)
{
    uint64_t wide[2], deep[2];
    crowd_box(CAROM_ENGINE_WIDE, wide);
    crowd_box(CAROM_ENGINE_DEEP, deep);
    assert_memory_equal(wide, deep, sizeof wide);
}
