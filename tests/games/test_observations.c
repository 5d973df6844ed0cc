/* SPDX-License-Identifier: MIT
 * Kinds of observation and of reward: their tables, `ego` against plain C written from the games' headers, `own`
 * against the states of two ticks; the same bits on every instruction set.
 */
#include "batch.h"

#define WORLDS 34
#define MOST_SEEN 4608
#define AGENTS 22
#define CLOSE 2e-6

typedef struct subject {
    const carom_game *game;
    carom_game_info info;
    carom_observation_kind ego;
    size_t agents; /* of all players */
} subject;

/* Fields of a batch for the reference, reals as doubles. */
typedef struct state {
    double x[WORLDS][26], y[WORLDS][26], vx[WORLDS][26], vy[WORLDS][26], angle[WORLDS][22], spin[WORLDS][22];
    double cx[WORLDS][4], cy[WORLDS][4];
    int32_t map[WORLDS], tick[WORLDS], ready[WORLDS][22];
    int16_t next[WORLDS][4], timeout[WORLDS][2], score16[WORLDS][2];
    int8_t shield[WORLDS][4], boosted[WORLDS][4], won[WORLDS][4], holder[WORLDS][4], hold[WORLDS][4], wait[WORLDS][4];
    int8_t countdown[WORLDS][16], alive[WORLDS][7], score8[WORLDS][2], mana[WORLDS][2], snaffles[WORLDS];
} state;

static state now, then;
static float seen[WORLDS * MOST_SEEN], first_seen[WORLDS * MOST_SEEN];

static const char *const games[] = {"csb", "soccer", "fantastic_bits"};

static subject subject_of(const char *name)
{
    subject s = {.game = carom_game_find(name)};
    s.info = carom_game_describe(s.game);
    size_t index = 0;
    must(carom_game_find_observation_kind(s.game, "ego", &index), "ego");
    must(carom_game_observation_kind(s.game, index, &s.ego), "ego");
    assert_int_equal(index, 1);
    s.agents = (size_t)s.ego.agents * s.info.players;
    return s;
}

static void read_reals(const carom_worlds *worlds, const char *name, size_t room, double *to)
{
    static double values[WORLDS * 26];
    carom_field field;
    must(carom_worlds_field(worlds, field_index(worlds, name), &field), name);
    get_field(worlds, name, 0, WORLDS, values);
    for (size_t w = 0; w < WORLDS; w++)
        for (size_t e = 0; e < field.count; e++)
            to[w * room + e] =
                field.bytes == 4 ? (double)((float *)(void *)values)[w * field.count + e] : values[w * field.count + e];
}

static void read_state(const subject *s, const carom_worlds *worlds, state *to)
{
    memset(to, 0, sizeof *to);
    read_reals(worlds, "x", 26, to->x[0]);
    read_reals(worlds, "y", 26, to->y[0]);
    read_reals(worlds, "vx", 26, to->vx[0]);
    read_reals(worlds, "vy", 26, to->vy[0]);
    get_field(worlds, "tick", 0, WORLDS, to->tick);
    if (strcmp(s->info.name, "csb") == 0) {
        read_reals(worlds, "angle", 22, to->angle[0]);
        read_reals(worlds, "cx", 4, to->cx[0]);
        read_reals(worlds, "cy", 4, to->cy[0]);
        get_field(worlds, "map", 0, WORLDS, to->map);
        get_field(worlds, "next", 0, WORLDS, to->next);
        get_field(worlds, "timeout", 0, WORLDS, to->timeout);
        get_field(worlds, "shield", 0, WORLDS, to->shield);
        get_field(worlds, "boosted", 0, WORLDS, to->boosted);
        get_field(worlds, "won", 0, WORLDS, to->won);
    } else if (strcmp(s->info.name, "soccer") == 0) {
        read_reals(worlds, "angle", 22, to->angle[0]);
        read_reals(worlds, "spin", 22, to->spin[0]);
        get_field(worlds, "ready", 0, WORLDS, to->ready);
        get_field(worlds, "score", 0, WORLDS, to->score16);
        get_field(worlds, "holder", 0, WORLDS, to->holder);
    } else {
        get_field(worlds, "hold", 0, WORLDS, to->hold);
        get_field(worlds, "wait", 0, WORLDS, to->wait);
        get_field(worlds, "countdown", 0, WORLDS, to->countdown);
        get_field(worlds, "alive", 0, WORLDS, to->alive);
        get_field(worlds, "score", 0, WORLDS, to->score8);
        get_field(worlds, "mana", 0, WORLDS, to->mana);
        get_field(worlds, "snaffles", 0, WORLDS, to->snaffles);
    }
}

static carom_worlds *make(const subject *s, carom_precision precision, carom_isa isa)
{
    carom_soccer_options soccer = carom_soccer_options_default();
    soccer.balls = 2;
    return MAKE_WORLDS(s->game, .options = strcmp(s->info.name, "soccer") == 0 ? &soccer : NULL, .count = WORLDS,
                       .precision = precision, .isa = isa, .seed = 12, .threads = 2);
}

static carom_step policies(const subject *s, size_t ticks)
{
    carom_step step = STEP_WITH(.ticks = ticks);
    for (uint32_t p = 0; p < s->info.players; p++) {
        step.players[p].source = CAROM_POLICY;
        step.players[p].policy = p % s->info.policies; /* the better one on one side */
    }
    return step;
}

/* ---- ego in plain C ---- */

static double *put;

static void add(double a)
{
    *put++ = a;
}

/* (dx, dy) in the frame of a body that points along `angle`. */
static void add_turned(double dx, double dy, double angle, double scale)
{
    add((dx * cos(angle) + dy * sin(angle)) / scale);
    add((dy * cos(angle) - dx * sin(angle)) / scale);
}

static void add_point(double dx, double dy, double angle, double scale)
{
    const double far = sqrt(dx * dx + dy * dy);
    add_turned(dx, dy, angle, far > 0 ? far : 1);
    add(far / scale);
}

static double csb_progress(const carom_worlds *worlds, const state *of, size_t w, int i)
{
    uint32_t n = 0, laps = 0;
    must(carom_csb_get_map(worlds, (uint32_t)of->map[w], &n, &laps, NULL, 0), "map");
    const double dx = of->cx[w][i] - of->x[w][i], dy = of->cy[w][i] - of->y[w][i];
    const double far = sqrt(dx * dx + dy * dy) / 20000;
    return of->won[w][i] ? n * laps + 1 : of->next[w][i] - (far < 1 ? far : 1);
}

static void csb_ego(const carom_worlds *worlds, const state *s, size_t w, int i)
{
    int32_t xy[8][2];
    uint32_t n = 0, laps = 0;
    must(carom_csb_get_map(worlds, (uint32_t)s->map[w], &n, &laps, xy, 8), "map");
    const uint32_t after = s->next[w][i] + 1u > n * laps ? n * laps : s->next[w][i] + 1u;
    const double angle = s->angle[w][i], x = s->x[w][i], y = s->y[w][i];
    const int others[3] = {i ^ 1, i < 2 ? 2 : 0, i < 2 ? 3 : 1};
    add_turned(s->vx[w][i], s->vy[w][i], angle, 1000);
    add_point(s->cx[w][i] - x, s->cy[w][i] - y, angle, 20000);
    add_point(xy[after % n][0] - x, xy[after % n][1] - y, angle, 20000);
    add(s->shield[w][i] / 3.0);
    add(s->boosted[w][i]);
    add(s->next[w][i] / (double)(n * laps));
    add(s->timeout[w][i / 2] / 100.0);
    add(s->timeout[w][1 - i / 2] / 100.0);
    add(s->tick[w] / 500.0);
    for (int k = 0; k < 3; k++) {
        const int j = others[k];
        add_turned(s->x[w][j] - x, s->y[w][j] - y, angle, 16000);
        add_turned(s->vx[w][j] - s->vx[w][i], s->vy[w][j] - s->vy[w][i], angle, 1000);
        add(cos(s->angle[w][j] - angle));
        add(sin(s->angle[w][j] - angle));
        add(s->shield[w][j] / 3.0);
        add(csb_progress(worlds, s, w, j) - csb_progress(worlds, s, w, i));
    }
}

static void soccer_ego(const state *s, size_t w, int agent)
{
    const carom_soccer_options o = carom_soccer_options_default();
    const int team = (int)o.robots, player = agent / 11, slot = agent % 11, i = player * team + slot;
    const double side = player ? -1 : 1, angle = s->angle[w][i], x = s->x[w][i], y = s->y[w][i];
    if (slot >= team) {
        for (int k = 0; k < CAROM_SOCCER_EGO; k++)
            add(0);
        return;
    }
    add_turned(s->vx[w][i], s->vy[w][i], angle, o.max_speed);
    add(s->spin[w][i] / o.max_spin);
    add(s->ready[w][i] <= s->tick[w]);
    add(side * x / (o.length / 2));
    add(side * y / (o.width / 2));
    add(side * cos(angle));
    add(side * sin(angle));
    add_point(side * o.length / 2 - x, -y, angle, o.length);
    add_point(-side * o.length / 2 - x, -y, angle, o.length);
    add(s->score16[w][player] / (double)o.goals);
    add(s->score16[w][1 - player] / (double)o.goals);
    add(s->tick[w] / (double)o.ticks);
    for (int k = 0; k < 4; k++) {
        const int b = 2 * team + k, holder = s->holder[w][k];
        if (k >= 2) { /* as many as the batch has */
            for (int e = 0; e < CAROM_SOCCER_EGO_BALL; e++)
                add(0);
            continue;
        }
        add_turned(s->x[w][b] - x, s->y[w][b] - y, angle, o.length);
        add_turned(s->vx[w][b] - s->vx[w][i], s->vy[w][b] - s->vy[w][i], angle, o.kick_speed);
        add(holder == i);
        add(holder < 0 ? 0 : holder / team == player ? 1 : -1);
    }
    for (int k = 0; k < 22; k++) {
        const int whose = k < 11 ? player : 1 - player, j = whose * team + k % 11;
        if (k == slot)
            continue;
        if (k % 11 >= team) {
            for (int e = 0; e < CAROM_SOCCER_EGO_ROBOT; e++)
                add(0);
            continue;
        }
        add_turned(s->x[w][j] - x, s->y[w][j] - y, angle, o.length);
        add_turned(s->vx[w][j] - s->vx[w][i], s->vy[w][j] - s->vy[w][i], angle, o.max_speed);
        add(cos(s->angle[w][j] - angle));
        add(sin(s->angle[w][j] - angle));
    }
}

static void bits_body(const state *s, size_t w, int i, int j, double side, bool there)
{
    add(there ? side * (s->x[w][j] - s->x[w][i]) / 16000 : 0);
    add(there ? side * (s->y[w][j] - s->y[w][i]) / 16000 : 0);
    add(there ? side * (s->vx[w][j] - s->vx[w][i]) / 1000 : 0);
    add(there ? side * (s->vy[w][j] - s->vy[w][i]) / 1000 : 0);
}

static void bits_ego(const state *s, size_t w, int i)
{
    const int player = i / 2, others[3] = {i ^ 1, player ? 0 : 2, player ? 1 : 3};
    const double side = player ? -1 : 1, x = s->x[w][i], y = s->y[w][i], win = s->snaffles[w] / 2 + 1;
    const double turned = player ? 7500 - y : y;
    add(side * s->vx[w][i] / 1000);
    add(side * s->vy[w][i] / 1000);
    add(s->hold[w][i] >= 0);
    add(s->wait[w][i] / 3.0);
    add(turned / 7500);
    add((7500 - turned) / 7500);
    add_point(side * ((player ? 0 : 16000) - x), side * (3750 - y), 0, 16000);
    add_point(side * ((player ? 16000 : 0) - x), side * (3750 - y), 0, 16000);
    for (int k = 0; k < 4; k++)
        add(s->countdown[w][4 * i + k] / 6.0);
    add(s->mana[w][player] / 100.0);
    add(s->score8[w][player] / win);
    add(s->score8[w][1 - player] / win);
    add(s->tick[w] / 200.0);
    for (int k = 0; k < 7; k++) {
        double held = 0;
        for (int other = 0; other < 4; other++)
            held = s->hold[w][other] == 4 + k ? (other / 2 == player ? 1 : -1) : held;
        bits_body(s, w, i, 4 + k, side, s->alive[w][k]);
        add(s->alive[w][k]);
        add(s->alive[w][k] ? held : 0);
    }
    for (int k = 0; k < 3; k++) {
        bits_body(s, w, i, others[k], side, true);
        add(s->hold[w][others[k]] >= 0);
    }
    bits_body(s, w, i, 11, side, true);
    bits_body(s, w, i, 12, side, true);
}

static void ego_of(const subject *s, const carom_worlds *worlds, size_t w, int agent, double *to)
{
    put = to;
    if (strcmp(s->info.name, "csb") == 0)
        csb_ego(worlds, &now, w, agent);
    else if (strcmp(s->info.name, "soccer") == 0)
        soccer_ego(&now, w, agent);
    else
        bits_ego(&now, w, agent);
    assert_int_equal(put - to, s->ego.size);
}

static void check_ego(const subject *s, const carom_worlds *worlds, double slack)
{
    double wanted[256];
    carom_number number;
    for (size_t w = 0; w < WORLDS; w++)
        for (size_t agent = 0; agent < s->agents; agent++) {
            const float *row = seen + (w * s->agents + agent) * s->ego.size;
            ego_of(s, worlds, w, (int)agent, wanted);
            for (size_t k = 0; k < s->ego.size; k++) {
                must(carom_game_observation_number(s->game, 1, k, &number), "number");
                if (fabs((double)row[k] - wanted[k]) > slack * (1 + fabs(wanted[k])))
                    fail_msg("%s: world %zu, agent %zu, %s is %.9g, not %.9g", s->info.name, w, agent, number.name,
                             (double)row[k], wanted[k]);
                assert_true(row[k] >= number.low && row[k] <= number.high);
            }
        }
}

/* Both kinds are within their bounds, in play and in extreme states. */
static void check_raw(const subject *s, carom_worlds *worlds)
{
    carom_number number;
    must(carom_worlds_observe(worlds, seen), "carom_worlds_observe");
    for (size_t k = 0; k < (size_t)WORLDS * s->info.players * s->info.observation_size; k++) {
        must(carom_game_observation_number(s->game, 0, k % s->info.observation_size, &number), "number");
        if (!(seen[k] >= number.low && seen[k] <= number.high))
            fail_msg("%s: %s is %g", s->info.name, number.name, (double)seen[k]);
    }
}

static void observe_ego(carom_worlds *worlds, float *to)
{
    carom_step step = STEP_WITH(.observation_kind = 1, .observations = to);
    must(carom_worlds_observe_step(worlds, &step), "carom_worlds_observe_step");
}

/* A body sees what its player sees, except for the order of its own bodies; bodies have `each` numbers. */
static void check_raw_body(const subject *s, carom_worlds *worlds)
{
    static float bodies[WORLDS * MOST_SEEN];
    const size_t each = strcmp(s->info.name, "csb") == 0 ? 13 : strcmp(s->info.name, "soccer") == 0 ? 8 : 5;
    const size_t size = s->info.observation_size, own = s->ego.agents;
    carom_step step = carom_step_default();
    must(carom_worlds_observe(worlds, seen), "carom_worlds_observe");
    must(carom_game_find_observation_kind(s->game, "raw_body", &step.observation_kind), "raw_body");
    step.observations = bodies;
    must(carom_worlds_observe_step(worlds, &step), "carom_worlds_observe_step");
    for (size_t w = 0; w < WORLDS; w++)
        for (size_t p = 0; p < 2; p++)
            for (size_t i = 0; i < own; i++) {
                const float *row = bodies + ((w * 2 + p) * own + i) * size, *of = seen + (w * 2 + p) * size;
                assert_memory_equal(row, of + i * each, each * sizeof(float));
                for (size_t k = 0, place = 1; k < own; k++)
                    if (k != i)
                        assert_memory_equal(row + place++ * each, of + k * each, each * sizeof(float));
                assert_memory_equal(row + own * each, of + own * each, (size - own * each) * sizeof(float));
            }
}

TEST(test_ego)
{
    for (size_t g = 0; g < 3; g++) {
        const subject s = subject_of(games[g]);
        for (int bits = 0; bits < 2; bits++) {
            carom_worlds *batch[CAROM_ISA_COUNT];
            for (size_t k = 0; k < isa_count; k++)
                batch[k] = make(&s, bits ? CAROM_F64 : CAROM_F32, isas[k]);
            for (int round = 0; round < 12; round++) {
                for (size_t k = 0; k < isa_count; k++) {
                    carom_step step = policies(&s, 9);
                    must(carom_worlds_play(batch[k], &step), "play");
                    observe_ego(batch[k], k == 0 ? first_seen : seen);
                    if (k > 0)
                        assert_memory_equal(first_seen, seen, WORLDS * s.agents * s.ego.size * sizeof(float));
                }
                memcpy(seen, first_seen, sizeof seen);
                read_state(&s, batch[0], &now);
                check_ego(&s, batch[0], bits ? CLOSE : 2e-3);
                for (size_t k = 0; k < isa_count; k++) {
                    check_raw(&s, batch[k]);
                    check_raw_body(&s, batch[k]);
                }
            }
            for (size_t k = 0; k < isa_count; k++)
                carom_worlds_destroy(batch[k]);
        }
    }
}

/* A pod on its checkpoint, and at the end of its list; far away and fast. */
TEST(test_extremes)
{
    const subject s = subject_of("csb");
    OWNED(carom_worlds) *worlds = make(&s, CAROM_F64, CAROM_ISA_DEFAULT);
    static double x[WORLDS][4], y[WORLDS][4], v[WORLDS][4];
    static int16_t timeouts[WORLDS][2], next[WORLDS][4];
    read_state(&s, worlds, &now);
    for (size_t w = 0; w < WORLDS; w++)
        for (int i = 0; i < 4; i++) {
            uint32_t n = 0, laps = 0;
            must(carom_csb_get_map(worlds, (uint32_t)now.map[w], &n, &laps, NULL, 0), "map");
            x[w][i] = w % 3 == 0 ? now.cx[w][i] : (i % 2 ? -1 : 1) * 67108864.0;
            y[w][i] = w % 3 == 0 ? now.cy[w][i] : (i < 2 ? -1 : 1) * 67108864.0;
            v[w][i] = (i % 2 ? -1 : 1) * 134217728.0;
            next[w][i] = w % 3 == 2 ? (int16_t)(n * laps) : 1;
            timeouts[w][i / 2] = w % 2 ? INT16_MIN : INT16_MAX;
        }
    set_field(worlds, "next", 0, WORLDS, next);
    set_field(worlds, "x", 0, WORLDS, x);
    set_field(worlds, "y", 0, WORLDS, y);
    set_field(worlds, "vx", 0, WORLDS, v);
    set_field(worlds, "vy", 0, WORLDS, v);
    set_field(worlds, "timeout", 0, WORLDS, timeouts);
    read_state(&s, worlds, &now);
    observe_ego(worlds, seen);
    check_ego(&s, worlds, CLOSE);
    assert_true(seen[2] == 0 && seen[3] == 0 && seen[4] == 0); /* world 0's pod 0 is on its checkpoint */
    check_raw(&s, worlds);
}

/* ---- lidar: the own numbers are those of `ego`; rays in plain C, with hits clear of rims ---- */

typedef struct ray_hit {
    double t, thing, vx, vy;
    bool clear; /* rounding does not change what it hits */
} ray_hit;

static void meet_circle(ray_hit *hit, double px, double py, const double u[2], double r, int thing, double vx,
                        double vy)
{
    const double b = px * u[0] + py * u[1], cross = px * u[1] - py * u[0], d = r * r - cross * cross;
    const double rim = 1e-3 * (r + fabs(cross));
    const bool inside = px * px + py * py <= r * r;
    const double t = inside ? 0 : b > 0 && d >= 0 ? b - sqrt(d) : INFINITY;
    hit->clear = hit->clear && (inside || b < 0 || fabs(fabs(cross) - r) > rim);
    hit->clear = hit->clear && (t == INFINITY || fabs(t - hit->t) > 1e-3 * (1 + hit->t) || t == 0);
    if (t < hit->t) {
        *hit = (ray_hit){t, thing, vx, vy, hit->clear};
    }
}

static void meet_line(ray_hit *hit, double gap, double fall, double place, double slope, const double ends[2],
                      int thing)
{
    const double t = fall > 0 ? gap / fall : INFINITY, at = place + slope * t;
    const double rim = 1e-3 * (1 + fabs(at));
    hit->clear = hit->clear && (!(t < 2 * hit->t) || (fabs(at - ends[0]) > rim && fabs(at - ends[1]) > rim));
    if (t < hit->t && at >= ends[0] && at <= ends[1]) {
        hit->clear = hit->clear && fabs(t - hit->t) > 1e-3 * (1 + hit->t);
        *hit = (ray_hit){t, thing, 0, 0, hit->clear};
    }
}

static ray_hit csb_ray(size_t w, int i, const double u[2])
{
    ray_hit hit = {CAROM_CSB_LIDAR_RANGE, -1, 0, 0, true};
    for (int j = 0; j < 4; j++)
        if (j != i)
            meet_circle(&hit, now.x[w][j] - now.x[w][i], now.y[w][j] - now.y[w][i], u, 400, j == (i ^ 1) ? 0 : 1,
                        now.vx[w][j], now.vy[w][j]);
    return hit;
}

static ray_hit soccer_ray(size_t w, int i, const double u[2])
{
    const carom_soccer_options o = carom_soccer_options_default();
    const int team = (int)o.robots, player = i / team;
    const double end = o.length / 2, side = o.width / 2, mouth = o.mouth / 2, x = now.x[w][i], y = now.y[w][i];
    ray_hit hit = {o.length, -1, 0, 0, true};
    for (int j = 0; j < 2 * team + 2; j++)
        if (j != i)
            meet_circle(&hit, now.x[w][j] - x, now.y[w][j] - y, u, j < 2 * team ? o.robot_radius : o.ball_radius,
                        j >= 2 * team        ? 2
                        : j / team == player ? 0
                                             : 1,
                        now.vx[w][j], now.vy[w][j]);
    for (int half = -1; half <= 1; half += 2) {
        const double all[2] = {-end, end}, low[2] = {-side, -mouth}, goal[2] = {-mouth, mouth}, high[2] = {mouth, side};
        meet_line(&hit, half * (half * side - y), half * u[1], x, u[0], all, 3);
        meet_line(&hit, half * (half * end - x), half * u[0], y, u[1], low, 3);
        meet_line(&hit, half * (half * end - x), half * u[0], y, u[1], goal, (half > 0) == (player == 0) ? 4 : 5);
        meet_line(&hit, half * (half * end - x), half * u[0], y, u[1], high, 3);
    }
    return hit;
}

/* seen: what all see by rays. Returns how many rays were clear. */
static size_t check_lidar(const subject *s, const float *ego_seen, const carom_observation_kind *kind,
                          size_t kind_index, size_t things, size_t own, double slack, size_t met[6])
{
    const bool csb = strcmp(s->info.name, "csb") == 0;
    const carom_soccer_options o = carom_soccer_options_default();
    const double range = csb ? CAROM_CSB_LIDAR_RANGE : o.length, speed = csb ? 1000 : o.max_speed;
    size_t clear = 0;
    carom_number number;
    for (size_t w = 0; w < WORLDS; w++)
        for (size_t agent = 0; agent < s->agents; agent++) {
            const float *row = seen + (w * s->agents + agent) * kind->size;
            assert_memory_equal(row, ego_seen + (w * s->agents + agent) * s->ego.size, own * sizeof(float));
            const int slot = (int)agent % 11, i = csb ? (int)agent : (int)agent / 11 * (int)o.robots + slot;
            for (size_t k = 0; k < kind->size; k++) {
                must(carom_game_observation_number(s->game, kind_index, k, &number), "number");
                assert_true(row[k] >= number.low && row[k] <= number.high);
                assert_true(csb || slot < (int)o.robots || row[k] == 0);
            }
            for (size_t k = 0; k < 16 && (csb || slot < (int)o.robots); k++) {
                const float *ray = row + own + k * (3 + things);
                const double angle = now.angle[w][i] + (double)k * acos(-1) / 8, u[2] = {cos(angle), sin(angle)};
                const ray_hit hit = csb ? csb_ray(w, i, u) : soccer_ray(w, i, u);
                if (!hit.clear)
                    continue;
                clear++;
                const double vx = hit.vx - now.vx[w][i], vy = hit.vy - now.vy[w][i];
                const double wanted[3] = {hit.t / range, hit.thing < 0 ? 0 : (vx * u[0] + vy * u[1]) / speed,
                                          hit.thing < 0 ? 0 : (vy * u[0] - vx * u[1]) / speed};
                bool good = fabs((double)ray[0] - wanted[0]) < slack;
                for (size_t e = 0; e < things; e++) {
                    good = good && ray[1 + e] == (hit.thing == (double)e ? 1.0f : 0.0f);
                    met[e] += ray[1 + e] != 0;
                }
                good = good && fabs((double)ray[1 + things] - wanted[1]) < slack * (1 + fabs(vx) + fabs(vy)) &&
                       fabs((double)ray[2 + things] - wanted[2]) < slack * (1 + fabs(vx) + fabs(vy));
                if (!good)
                    fail_msg("%s: world %zu, agent %zu, ray %zu: %.9g, not %.9g of thing %g", s->info.name, w, agent, k,
                             (double)ray[0], wanted[0], hit.thing);
            }
        }
    return clear;
}

TEST(test_lidar)
{
    for (size_t g = 0; g < 2; g++) {
        const subject s = subject_of(games[g]);
        const size_t things = g == 0 ? 2 : 6, own = g == 0 ? CAROM_CSB_EGO_OWN : CAROM_SOCCER_EGO_OWN;
        size_t met[6] = {0}, clear = 0, all = 0;
        carom_observation_kind kind;
        carom_step step = carom_step_default();
        must(carom_game_find_observation_kind(s.game, "lidar", &step.observation_kind), "lidar");
        must(carom_game_observation_kind(s.game, step.observation_kind, &kind), "lidar");
        assert_int_equal(kind.size, own + 16 * (3 + things));
        for (int bits = 0; bits < 2; bits++) {
            carom_worlds *batch[CAROM_ISA_COUNT];
            for (size_t k = 0; k < isa_count; k++)
                batch[k] = make(&s, bits ? CAROM_F64 : CAROM_F32, isas[k]);
            for (int round = 0; round < 12; round++) {
                for (size_t k = 0; k < isa_count; k++) {
                    const carom_step ticks = policies(&s, 9);
                    must(carom_worlds_play(batch[k], &ticks), "play");
                    step.observations = k == 0 ? first_seen : seen;
                    must(carom_worlds_observe_step(batch[k], &step), "carom_worlds_observe_step");
                    if (k > 0)
                        assert_memory_equal(first_seen, seen, WORLDS * s.agents * kind.size * sizeof(float));
                }
                memcpy(seen, first_seen, sizeof seen);
                observe_ego(batch[0], first_seen);
                read_state(&s, batch[0], &now);
                clear +=
                    check_lidar(&s, first_seen, &kind, step.observation_kind, things, own, bits ? 1e-5 : 2e-3, met);
                all += WORLDS * 16 * (g == 0 ? 4 : 2 * (size_t)carom_soccer_options_default().robots);
            }
            for (size_t k = 0; k < isa_count; k++)
                carom_worlds_destroy(batch[k]);
        }
        assert_true(clear * 10 > all * 8);
        for (size_t e = 0; e < things; e++)
            assert_true(met[e] > 20);
    }
}

/* ---- tables ---- */

TEST(test_tables)
{
    for (size_t g = 0; carom_game_at(g) != NULL; g++) {
        const carom_game *game = carom_game_at(g);
        const carom_game_info info = carom_game_describe(game);
        carom_observation_kind kind;
        carom_reward_kind reward;
        carom_number number, earlier;
        size_t index = 99;
        assert_true(info.observation_kinds >= 1 && info.reward_kinds >= 2);
        for (size_t k = 0; k < info.observation_kinds; k++) {
            must(carom_game_observation_kind(game, k, &kind), "kind");
            must(carom_game_find_observation_kind(game, kind.name, &index), kind.name);
            assert_int_equal(index, k);
            assert_true(k > 0 ||
                        (strcmp(kind.name, "raw") == 0 && kind.agents == 1 && kind.size == info.observation_size));
            for (size_t e = 0; e < kind.size; e++) {
                must(carom_game_observation_number(game, k, e, &number), "number");
                assert_true(number.name[0] != '\0' && number.unit != NULL && number.low < number.high);
                assert_true(strncmp(number.name, "number ", 7) != 0); /* so are those that a game does not name */
                for (size_t before = 0; before < e; before++) {
                    must(carom_game_observation_number(game, k, before, &earlier), "number");
                    assert_string_not_equal(number.name, earlier.name);
                }
            }
            assert_int_equal(carom_game_observation_number(game, k, kind.size, &number), CAROM_ERROR_ARGUMENT);
        }
        for (size_t k = 0; k < info.reward_kinds; k++) {
            must(carom_game_reward_kind(game, k, &reward), "kind");
            must(carom_game_find_reward_kind(game, reward.name, &index), reward.name);
            assert_true(index == k && (k == 2 || reward.agents == 1));
        }
        assert_int_equal(carom_game_observation_kind(game, info.observation_kinds, &kind), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_game_reward_kind(game, info.reward_kinds, &reward), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_game_find_observation_kind(game, "none", &index), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_game_find_reward_kind(game, "none", &index), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_game_observation_kind(game, 0, NULL), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_game_reward_kind(game, 0, NULL), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_game_observation_number(game, 0, 0, NULL), CAROM_ERROR_ARGUMENT);
    }
    assert_int_equal(carom_game_find_observation_kind(NULL, "raw", NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_find_reward_kind(NULL, "game", NULL), CAROM_ERROR_ARGUMENT);
}

/* ---- own ---- */

/* What agent `agent` gained between `then` and `now`, except for the end of the game. */
static double own_of(const subject *s, const carom_worlds *worlds, size_t w, int agent, const float *game)
{
    if (strcmp(s->info.name, "csb") == 0)
        return csb_progress(worlds, &now, w, agent) - csb_progress(worlds, &then, w, agent);
    if (strcmp(s->info.name, "fantastic_bits") == 0) {
        const int held = then.hold[w][agent];
        const double way = held < 0 ? 0 : (now.x[w][held] - then.x[w][held]) / 16000;
        return (double)game[agent / 2] + (agent < 2 ? way : -way);
    }
    const int player = agent / 11, i = player * 6 + agent % 11;
    double sum = (double)game[player];
    for (int k = 0; k < 2 && agent % 11 < 6; k++) {
        const bool kicked = now.ready[w][i] > then.ready[w][i] && now.ready[w][i] > then.tick[w] &&
                            hypot(then.x[w][12 + k] - then.x[w][i], then.y[w][12 + k] - then.y[w][i]) < 0.13;
        if (kicked || now.holder[w][k] == i)
            sum += (player ? -1 : 1) * (now.x[w][12 + k] - then.x[w][12 + k]) / 9;
    }
    return agent % 11 < 6 ? sum : 0;
}

TEST(test_own)
{
    for (size_t g = 0; g < 3; g++) {
        const subject s = subject_of(games[g]);
        for (size_t k = 0; k < isa_count; k++) {
            static float own[WORLDS][AGENTS], game[WORLDS][2];
            OWNED(carom_worlds) *worlds = make(&s, CAROM_F64, isas[k]), *twin = make(&s, CAROM_F64, isas[k]);
            double most = 0;
            for (int t = 0; t < 120; t++) {
                read_state(&s, worlds, &then);
                carom_step step = policies(&s, 1);
                step.reward_kind = 2;
                step.rewards = own[0];
                must(carom_worlds_play(worlds, &step), "play");
                step.reward_kind = 0;
                step.rewards = game[0];
                must(carom_worlds_play(twin, &step), "play");
                read_state(&s, worlds, &now);
                for (size_t w = 0; w < WORLDS; w++)
                    for (size_t agent = 0; agent < s.agents; agent++) {
                        const double got = (double)(&own[0][0])[w * s.agents + agent];
                        const double wanted = own_of(&s, worlds, w, (int)agent, game[w]);
                        if (fabs(game[w][0]) < 0.9F && fabs(got - wanted) > CLOSE) /* no goal, no end */
                            fail_msg("%s: tick %d, world %zu, agent %zu gained %.9g, not %.9g", s.info.name, t, w,
                                     agent, got, wanted);
                        most = fabs(got) > most ? fabs(got) : most;
                    }
            }
            assert_true(most > 1e-3); /* something was gained */
        }
    }
}
