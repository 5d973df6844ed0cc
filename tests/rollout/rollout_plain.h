/* SPDX-License-Identifier: MIT
 * The plain rollout with which carom_rollout() is compared: fork, play tick by tick with carom_worlds_play(), add up
 * the rewards and the final value of csb.h. Also the roots: states in the middle of races, near their end, about to
 * time out, over, and near a fault. Include cmocka.h first. */
#ifndef CAROM_TESTS_ROLLOUT_ROLLOUT_PLAIN_H
#define CAROM_TESTS_ROLLOUT_ROLLOUT_PLAIN_H

#include "test.h"

#define PLAYERS 2
#define ROOTS 40 /* at most */
#define SEED 77  /* of the draws of actions */
#define MAPS 16

enum { RELATIVE, REFEREE, NORMALISED, KINDS };

static const carom_game *csb;
static carom_worlds *samples[2]; /* ROOTS states to take roots from, f32 and f64 */

static inline carom_worlds *make(carom_precision precision, carom_isa isa, unsigned threads, size_t count,
                                 carom_at_end at_end)
{
    carom_csb_options options = carom_csb_options_default();
    options.map_count = MAPS;
    return MAKE_WORLDS(csb, .options = &options, .count = count, .precision = precision, .isa = isa, .threads = threads,
                       .seed = 5, .first_id = UINT64_C(0x100000000), .at_end = at_end);
}

/* ---- fields ---- */

static inline void get(const carom_worlds *worlds, const char *name, size_t world, void *values)
{
    OK(carom_worlds_get(worlds, field_index(worlds, name), world, 1, values));
}

static inline void set(carom_worlds *worlds, const char *name, size_t world, const void *values)
{
    OK(carom_worlds_set(worlds, field_index(worlds, name), world, 1, values));
}

/* Four reals, in the batch's precision there and in double here. */
static inline void get_reals(const carom_worlds *worlds, const char *name, size_t world, double values[4])
{
    float narrow[4];
    if (carom_worlds_describe(worlds).precision == CAROM_F64) {
        get(worlds, name, world, values);
        return;
    }
    get(worlds, name, world, narrow);
    for (int i = 0; i < 4; i++) {
        values[i] = (double)narrow[i];
    }
}

static inline void set_reals(carom_worlds *worlds, const char *name, size_t world, const double values[4])
{
    const float narrow[4] = {(float)values[0], (float)values[1], (float)values[2], (float)values[3]};
    set(worlds, name, world, carom_worlds_describe(worlds).precision == CAROM_F64 ? (const void *)values : narrow);
}

/* A world's map: n, laps, checkpoints. */
static inline void map_of(const carom_worlds *worlds, size_t world, uint32_t *n, uint32_t *laps, int32_t xy[8][2])
{
    int32_t map;
    get(worlds, "map", world, &map);
    OK(carom_csb_get_map(worlds, (uint32_t)map, n, laps, xy, 8));
}

static inline uint64_t id_of(const carom_worlds *worlds, size_t world)
{
    int32_t words[2];
    get(worlds, "id", world, words);
    return (uint32_t)words[0] | (uint64_t)(uint32_t)words[1] << 32;
}

/* ---- roots ---- */

/* A pod of player 0 is three ticks or so from the end of its race, and the others are out of its way. */
static inline void near_the_end(carom_worlds *worlds, size_t world)
{
    uint32_t n, laps;
    int32_t xy[8][2];
    int16_t next[4];
    double x[4], y[4], vx[4], vy[4];
    map_of(worlds, world, &n, &laps, xy);
    get(worlds, "next", world, next);
    get_reals(worlds, "x", world, x);
    get_reals(worlds, "y", world, y);
    get_reals(worlds, "vx", world, vx);
    get_reals(worlds, "vy", world, vy);
    for (int i = 0; i < 4; i++) {
        y[i] = xy[0][1] + 3000.0 * (i + 1);
    }
    next[1] = (int16_t)(n * laps);
    x[1] = xy[0][0] + 1300;
    y[1] = xy[0][1];
    vx[1] = -500;
    vy[1] = 0;
    set(worlds, "next", world, next);
    set_reals(worlds, "x", world, x);
    set_reals(worlds, "y", world, y);
    set_reals(worlds, "vx", world, vx);
    set_reals(worlds, "vy", world, vy);
}

/* Pod 3 leaves the range of csb.h if it keeps moving to the right. */
static inline void near_a_fault(carom_worlds *worlds, size_t world)
{
    const bool f64 = carom_worlds_describe(worlds).precision == CAROM_F64;
    double x[4], vx[4];
    get_reals(worlds, "x", world, x);
    get_reals(worlds, "vx", world, vx);
    x[3] = (f64 ? 67108864.0 : 131072.0) - 300;
    vx[3] = 60;
    set_reals(worlds, "x", world, x);
    set_reals(worlds, "vx", world, vx);
}

static inline carom_worlds *make_samples(carom_precision precision)
{
    carom_worlds *worlds = make(precision, CAROM_ISA_SCALAR, 1, ROOTS, CAROM_RESET);
    static float actions[ROOTS][PLAYERS][4];
    size_t race;
    OK(carom_game_find_policy(csb, "race", &race));
    for (int tick = 0; tick < 45; tick++) {
        carom_step step = STEP_WITH(.actions = actions);
        OK(carom_worlds_policy(worlds, race, RELATIVE, actions));
        OK(carom_worlds_play(worlds, &step));
    }
    for (size_t w = 0; w < ROOTS; w++) {
        const int16_t timeout[2] = {3, 90};
        const int8_t one = 1;
        switch (w % 8) {
        case 3:
            set(worlds, "timeout", w, timeout);
            break;
        case 4:
            near_the_end(worlds, w);
            break;
        case 5:
            near_a_fault(worlds, w);
            break;
        case 6: /* over, and played on */
            set(worlds, "end", w, &one);
            break;
        case 7: /* over and frozen */
            set(worlds, "end", w, &one);
            set(worlds, "frozen", w, &one);
            break;
        default:
            break;
        }
    }
    return worlds;
}

/* For groups of tests: csb and the samples. */
static inline void set_up_samples(void)
{
    csb = carom_game_find("csb");
    samples[0] = make_samples(CAROM_F32);
    samples[1] = make_samples(CAROM_F64);
}

TEAR_DOWN
{
    carom_worlds_destroy(samples[0]);
    carom_worlds_destroy(samples[1]);
}

/* Roots: samples `first`, first + 1, ..., ids included. */
static inline carom_worlds *make_roots(carom_precision precision, carom_isa isa, unsigned threads, size_t first,
                                       size_t count)
{
    carom_worlds *roots = make(precision, isa, threads, count, CAROM_RESET);
    size_t from[ROOTS];
    for (size_t k = 0; k < count; k++) {
        from[k] = (first + k) % ROOTS;
    }
    OK(carom_worlds_copy(roots, NULL, samples[precision == CAROM_F64], from, count));
    return roots;
}

/* ---- actions ---- */

typedef struct scenario {
    size_t roots, sequences, horizon;
    carom_source sources[PLAYERS];
    size_t kind;
    double discount, final_weight;
} scenario;

static inline carom_action_kind kind_of(size_t index)
{
    carom_action_kind kind;
    OK(carom_game_action_kind(csb, index, &kind));
    return kind;
}

static inline size_t row_bytes(size_t kind)
{
    const carom_action_kind k = kind_of(kind);
    return (size_t)k.size * (k.precision / 8);
}

/* Numbers from the middle of a kind's range, drawn from an unrelated seed. */
static inline void *make_rows(size_t kind, size_t rows, uint32_t player)
{
    const carom_action_kind k = kind_of(kind);
    void *all = take(rows * row_bytes(kind));
    for (size_t row = 0; row < rows; row++) {
        float drawn[8];
        OK(carom_rollout_draw(csb, 1234, 0, (uint32_t)row, 0, player, drawn));
        OK(carom_rollout_draw(csb, 1234, 1, (uint32_t)row, 0, player, drawn + 4));
        for (size_t e = 0; e < k.size; e++) {
            if (kind == REFEREE) {
                ((double *)all)[row * k.size + e] =
                    e % 3 == 2 ? 100 + 100 * (double)drawn[e] : 8000 + 9000 * (double)drawn[e];
            } else {
                const float scale = kind == NORMALISED ? 1.0f : e % 2 == 0 ? 0.5f : 250.0f;
                ((float *)all)[row * k.size + e] = scale * drawn[e];
            }
        }
    }
    return all;
}

static inline carom_rollout_desc desc_of(const scenario *s, void *owned[PLAYERS])
{
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    desc.sequences = s->sequences;
    desc.horizon = s->horizon;
    desc.action_kind = s->kind;
    desc.seed = SEED;
    desc.discount = s->discount;
    desc.final_weight = s->final_weight;
    for (uint32_t p = 0; p < PLAYERS; p++) {
        const size_t rows = s->roots * s->horizon * (s->sources[p] == CAROM_GIVEN ? s->sequences : 1);
        owned[p] = s->sources[p] == CAROM_DRAWN ? NULL : make_rows(s->kind, rows, p);
        desc.players[p].source = s->sources[p];
        desc.players[p].actions = owned[p];
    }
    return desc;
}

/* What one player does at one tick of sequence k from a root. */
static inline void action_of(const carom_rollout_desc *desc, size_t root, uint64_t id, size_t k, size_t tick,
                             uint32_t player, void *to)
{
    const size_t bytes = row_bytes(desc->action_kind);
    const unsigned char *all = desc->players[player].actions;
    switch (desc->players[player].source) {
    case CAROM_DRAWN:
        OK(carom_rollout_draw(csb, desc->seed, id, (uint32_t)k, (uint32_t)tick, player, to));
        break;
    case CAROM_GIVEN:
        memcpy(to, all + ((root * desc->sequences + k) * desc->horizon + tick) * bytes, bytes);
        break;
    default:
        memcpy(to, all + (root * desc->horizon + tick) * bytes, bytes);
    }
}

/* ---- the plain rollout ---- */

/* Progress of a pod, in the batch's precision. */
static inline double progress_of(bool f64, double next, double dx, double dy)
{
    if (f64) {
        const double far = sqrt(dx * dx + dy * dy) / 20000;
        return next - (far < 1 ? far : 1);
    }
    const float fx = (float)dx, fy = (float)dy;
    const float far = sqrtf(fx * fx + fy * fy) / 20000;
    return (double)((float)next - (far < 1 ? far : 1));
}

/* V of csb.h for player 0, from the fields. Player 1's is its negative. */
static inline double final_value(const carom_worlds *worlds, size_t world)
{
    const bool f64 = carom_worlds_describe(worlds).precision == CAROM_F64;
    uint32_t n, laps;
    int32_t xy[8][2];
    int16_t next[4];
    int8_t won[4];
    double x[4], y[4], best[PLAYERS] = {-INFINITY, -INFINITY};
    map_of(worlds, world, &n, &laps, xy);
    get(worlds, "next", world, next);
    get(worlds, "won", world, won);
    get_reals(worlds, "x", world, x);
    get_reals(worlds, "y", world, y);
    for (int i = 0; i < 4; i++) {
        const int32_t *to = xy[(uint32_t)next[i] % n];
        double dx = to[0] - x[i], dy = to[1] - y[i];
        if (!f64) {
            dx = (double)((float)to[0] - (float)x[i]);
            dy = (double)((float)to[1] - (float)y[i]);
        }
        const double progress = won[i] ? n * laps + 1.0 : progress_of(f64, next[i], dx, dy);
        best[i / 2] = progress > best[i / 2] ? progress : best[i / 2];
    }
    return f64 ? best[0] - best[1] : (double)((float)best[0] - (float)best[1]);
}

typedef struct plain {
    carom_worlds *finals; /* [root][k] */
    double *returns;      /* [root][k][player] */
    size_t over, faults;  /* games that ended on the way; sequences with a fault */
} plain;

static inline plain roll_plainly(const carom_worlds *roots, const carom_rollout_desc *desc)
{
    const size_t count = carom_worlds_count(roots), total = count * desc->sequences;
    const size_t bytes = row_bytes(desc->action_kind);
    plain result = {make(carom_worlds_describe(roots).precision, CAROM_ISA_SCALAR, 1, total, CAROM_FREEZE),
                    take(total * PLAYERS * sizeof(double)), 0, 0};
    unsigned char *actions = take(total * PLAYERS * bytes);
    FREED float *rewards = take(total * PLAYERS * sizeof *rewards);
    for (size_t root = 0; root < count; root++) {
        OK(carom_worlds_fork(result.finals, root * desc->sequences, desc->sequences, roots, root));
    }
    double weight = 1;
    for (size_t tick = 0; tick < desc->horizon; tick++) {
        for (size_t q = 0; q < total; q++) {
            const size_t root = q / desc->sequences;
            for (uint32_t p = 0; p < PLAYERS; p++) {
                action_of(desc, root, id_of(roots, root), q % desc->sequences, tick, p,
                          actions + (q * PLAYERS + p) * bytes);
            }
        }
        PLAY(result.finals, .action_kind = desc->action_kind, .actions = actions, .rewards = rewards);
        for (size_t k = 0; k < total * PLAYERS; k++) {
            result.returns[k] += weight * (double)rewards[k];
        }
        weight *= desc->discount;
    }
    for (size_t q = 0; q < total; q++) {
        int8_t fault;
        get(result.finals, "fault", q, &fault);
        const double value = final_value(result.finals, q);
        for (int p = 0; p < PLAYERS; p++) {
            double *to = &result.returns[q * PLAYERS + (size_t)p];
            *to = fault ? -INFINITY : *to + weight * desc->final_weight * (p == 0 ? value : -value);
        }
        result.faults += fault != 0;
    }
    result.over = carom_worlds_counters(result.finals).games;
    free(actions);
    return result;
}

static inline void plain_free(plain *p)
{
    carom_worlds_destroy(p->finals);
    free(p->returns);
}

#endif
