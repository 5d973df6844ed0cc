/* SPDX-License-Identifier: MIT
 * Players acting with different kinds in one step (carom_step.players): for every pair of kinds of every two-player
 * game, and of scenes, on every instruction set and in both precisions. In a tick without impacts, a player's bodies
 * move as if both acted with its kind; equal kinds, and a policy on the other side, equal one array.
 */
#include "batch.h"

#define WORLDS 37
#define TICKS 12
#define MOST 256 /* numbers of a player */

typedef struct subject {
    const carom_game *game;
    carom_game_info info;
    carom_precision precision;
    carom_isa isa;
} subject;

static uint64_t seed;

static void for_game(const carom_game *game, void (*test)(const subject *s))
{
    for (size_t k = 0; k < 2 * isa_count; k++) {
        subject s = {.game = game, .isa = isas[k / 2], .precision = k % 2 ? CAROM_F64 : CAROM_F32};
        s.info = carom_game_describe(s.game);
        if (s.info.players == 2)
            test(&s);
    }
}

/* A body for each player, in a box, played by either engine. */
static carom_scene *two_bodies(carom_engine engine)
{
    carom_scene_body bodies[2] = {carom_scene_body_default(), carom_scene_body_default()};
    bodies[0].acts = bodies[1].acts = true;
    bodies[1].x = 10;
    bodies[1].player = 1;
    carom_scene_desc desc = carom_scene_desc_default();
    desc.engine = engine;
    desc.bodies = bodies;
    desc.body_count = 2;
    desc.dt = 0.1;
    return make_scene(&desc);
}

static void for_all(void (*test)(const subject *s))
{
    for (size_t g = 0; carom_game_at(g) != NULL; g++)
        for_game(carom_game_at(g), test);
    static const carom_engine engines[] = {CAROM_ENGINE_WIDE, CAROM_ENGINE_DEEP};
    for (size_t k = 0; k < 2; k++) {
        OWNED(carom_scene) *scene = two_bodies(engines[k]);
        for_game(carom_scene_game(scene), test);
    }
}

static carom_worlds *make(const subject *s)
{
    return MAKE_WORLDS(s->game, .count = WORLDS, .precision = s->precision, .isa = s->isa, .seed = 9, .threads = 1);
}

/* Does `player` move body i? */
static bool moves(const subject *s, int player, size_t i)
{
    if (strcmp(s->info.name, "soccer") == 0) {
        const size_t team = carom_soccer_options_default().robots;
        return i / team == (size_t)player;
    }
    if (strcmp(s->info.name, "stones") == 0)
        return i % 2 == (size_t)player;
    return strcmp(s->info.name, "scene") == 0 ? i == (size_t)player : i < 4 && i / 2 == (size_t)player;
}

/* Possible actions of a player, in its kind, that affect the other side's bodies only through impacts. */
static double number_of(const subject *s, const char *kind, int player, size_t e)
{
    const bool stones = strcmp(s->info.name, "stones") == 0;
    if (strcmp(kind, "referee") == 0 && strcmp(s->info.name, "csb") == 0)
        return e % 3 == 0 ? rng_in(&seed, 0, 16000) : e % 3 == 1 ? rng_in(&seed, 0, 9000) : rng_below(&seed, 201);
    if (strcmp(kind, "referee") == 0) /* of fantastic_bits: a move */
        return e % 4 == 0 ? 0 : e % 4 == 3 ? rng_below(&seed, 151) : rng_in(&seed, 0, 7500);
    if (stones && strcmp(kind, "normalised") != 0)
        return e % 4 == 0 ? player + 2 * rng_below(&seed, 4) : rng_in(&seed, -1, 1);
    if (strcmp(s->info.name, "fantastic_bits") == 0 && e % 5 == 3)
        return rng_in(&seed, -1, 0.19); /* no spell */
    if (strcmp(kind, "relative") == 0)
        return e % 2 == 0 ? rng_in(&seed, -0.4, 0.4) : rng_in(&seed, 0, 200);
    return rng_in(&seed, -1, 1);
}

typedef struct numbers {
    carom_action_kind kind;
    size_t bytes; /* of all that a player does */
    unsigned char *one[2], *both;
} numbers;

/* Actions of both players in a kind: each in its own array, and side by side. */
static numbers make_numbers(const subject *s, size_t kind)
{
    numbers n;
    must(carom_game_action_kind(s->game, kind, &n.kind), "carom_game_action_kind");
    const size_t width = n.kind.precision / 8, row = n.kind.size * width;
    assert_true(n.kind.size <= MOST);
    n.bytes = row * WORLDS;
    n.both = (unsigned char *)malloc(2 * n.bytes);
    assert_non_null(n.both);
    for (int player = 0; player < 2; player++) {
        n.one[player] = (unsigned char *)malloc(n.bytes);
        assert_non_null(n.one[player]);
        for (size_t w = 0; w < WORLDS; w++) {
            for (size_t e = 0; e < n.kind.size; e++) {
                const double wide = number_of(s, n.kind.name, player, e);
                const float narrow = (float)wide;
                memcpy(n.one[player] + w * row + e * width, width == sizeof(float) ? (const void *)&narrow : &wide,
                       width);
            }
            memcpy(n.both + (2 * w + (size_t)player) * row, n.one[player] + w * row, row);
        }
    }
    return n;
}

static void end_numbers(numbers *n)
{
    free(n->one[0]);
    free(n->one[1]);
    free(n->both);
}

static carom_step apart(const numbers *first, size_t first_kind, const numbers *second, size_t second_kind)
{
    carom_step step = STEP_WITH(.players[0].actions = first->one[0], .players[0].action_kind = first_kind,
                                .players[1].actions = second->one[1], .players[1].action_kind = second_kind);
    return step;
}

static double real_at(const subject *s, const void *values, size_t k)
{
    return s->precision == CAROM_F64 ? ((const double *)values)[k] : (double)((const float *)values)[k];
}

/* Worlds without an impact: the player's bodies are where they are in `other`. Returns how many worlds these are. */
static size_t compare(const subject *s, const carom_worlds *mixed, const carom_worlds *other, int player,
                      const uint32_t *impacts, const uint32_t *impacts_too)
{
    static double one[WORLDS * 64], two[WORLDS * 64];
    const bool stones = strcmp(s->info.name, "stones") == 0;
    const char *const names[] = {stones ? "px" : "x", stones ? "py" : "y"};
    size_t looked = 0;
    for (size_t n = 0; n < 2; n++) {
        carom_field field;
        must(carom_worlds_field(mixed, field_index(mixed, names[n]), &field), names[n]);
        assert_true(field.count <= 64);
        get_field(mixed, names[n], 0, WORLDS, one);
        get_field(other, names[n], 0, WORLDS, two);
        for (size_t w = 0; w < WORLDS; w++) {
            looked += impacts[w] + impacts_too[w] == 0;
            for (size_t i = 0; i < field.count && impacts[w] + impacts_too[w] == 0; i++) {
                const size_t at = w * field.count + i;
                if (moves(s, player, i) && real_at(s, one, at) != real_at(s, two, at))
                    fail_msg("%s f%d %s: %s[%zu] of world %zu: %.17g, not %.17g", s->info.name, (int)s->precision,
                             carom_isa_name(s->isa), names[n], i, w, real_at(s, one, at), real_at(s, two, at));
            }
        }
    }
    return looked / 2;
}

/* ---- kinds that differ ---- */

static void check_pair(const subject *s, size_t first, size_t second)
{
    OWNED(carom_worlds) *mixed = make(s), *as_first = make(s), *as_second = make(s);
    uint32_t counts[3][WORLDS];
    size_t looked = 0;
    for (int tick = 0; tick < TICKS; tick++) {
        OWNED(numbers) one = make_numbers(s, first), two = make_numbers(s, second);
        must(carom_worlds_copy(as_first, NULL, mixed, NULL, WORLDS), "carom_worlds_copy");
        must(carom_worlds_copy(as_second, NULL, mixed, NULL, WORLDS), "carom_worlds_copy");
        carom_step step = apart(&one, first, &two, second);
        step.event_counts = counts[0];
        play_worlds(mixed, &step);
        step = carom_step_default();
        step.action_kind = first;
        step.actions = one.both;
        step.event_counts = counts[1];
        play_worlds(as_first, &step);
        step.action_kind = second;
        step.actions = two.both;
        step.event_counts = counts[2];
        play_worlds(as_second, &step);
        looked += compare(s, mixed, as_first, 0, counts[0], counts[1]);
        looked += compare(s, mixed, as_second, 1, counts[0], counts[2]);
    }
    assert_true(looked > WORLDS * TICKS / 8);
    assert_true(carom_worlds_faults(mixed, NULL) == 0);
}

static void check_pairs(const subject *s)
{
    for (size_t first = 0; first < s->info.action_kinds; first++)
        for (size_t second = 0; second < s->info.action_kinds; second++)
            check_pair(s, first, second);
}

TEST(test_pairs)
{
    seed = 1;
    for_all(check_pairs);
}

/* ---- the same by one array ---- */

static void check_same(const subject *s)
{
    OWNED(carom_worlds) *own = make(s), *half = make(s), *plain = make(s);
    for (int tick = 0; tick < TICKS; tick++)
        for (size_t kind = 0; kind < s->info.action_kinds; kind++) {
            OWNED(numbers) n = make_numbers(s, kind);
            carom_step step = apart(&n, kind, &n, kind);
            play_worlds(own, &step);
            step.action_kind = kind; /* the other player's are the only ones in the common array */
            step.actions = n.one[tick % 2];
            step.players[tick % 2].actions = NULL;
            play_worlds(half, &step);
            step = carom_step_default();
            step.action_kind = kind;
            step.actions = n.both;
            play_worlds(plain, &step);
        }
    assert_true(digest_of(own) == digest_of(plain));
    assert_true(digest_of(half) == digest_of(plain));
}

TEST(test_same)
{
    seed = 2;
    for_all(check_same);
}

/* A policy on one side, in another kind than the given actions of the other. */
static void check_policy(const subject *s)
{
    for (size_t kind = 0; kind < s->info.action_kinds; kind++)
        for (int player = 0; player < 2; player++) {
            OWNED(carom_worlds) *within = make(s), *asked = make(s);
            const size_t other = (kind + 1) % s->info.action_kinds, policy = s->info.policies - 1;
            for (int tick = 0; tick < TICKS; tick++) {
                OWNED(numbers) mine = make_numbers(s, kind), theirs = make_numbers(s, other);
                must(carom_worlds_policy(asked, policy, other, theirs.both), "carom_worlds_policy");
                const size_t row = theirs.bytes / WORLDS;
                for (size_t w = 0; w < WORLDS; w++)
                    memcpy(theirs.one[!player] + w * row, theirs.both + (2 * w + !player) * row, row);
                carom_step step = player == 0 ? apart(&mine, kind, &theirs, other) : apart(&theirs, other, &mine, kind);
                play_worlds(asked, &step);
                step.action_kind = other;
                step.players[!player].source = CAROM_POLICY;
                step.players[!player].policy = policy;
                play_worlds(within, &step);
            }
            assert_true(digest_of(within) == digest_of(asked));
        }
}

TEST(test_policy)
{
    seed = 3;
    for_all(check_policy);
}

/* ---- arguments ---- */

TEST(test_refused)
{
    const subject s = {.game = carom_game_find("csb"), .precision = CAROM_F64, .isa = CAROM_ISA_SCALAR};
    OWNED(carom_worlds) *worlds = make(&s);
    const uint64_t digest = digest_of(worlds);
    static const float none[WORLDS * 8] = {0};
    carom_step step =
        STEP_WITH(.players[1].actions = none, .players[1].action_kind = carom_game_describe(s.game).action_kinds);
    assert_int_equal(carom_worlds_play(worlds, &step), CAROM_ERROR_ARGUMENT);
    carom_problem problem = {""};
    must(carom_worlds_problem(worlds, &problem), "carom_worlds_problem");
    assert_non_null(strstr(problem.text, "kind of action"));
    assert_true(digest_of(worlds) == digest);
    step.players[1].source = CAROM_ZERO; /* then it is not read */
    play_worlds(worlds, &step);
    assert_true(digest_of(worlds) != digest);
}
