/* SPDX-License-Identifier: MIT
 * The policy `drive` of csb decides in lanes; here is what plain C decides in the same worlds, from its description: in
 * the middle of races, on every instruction set, in both precisions, for each player.
 */
#include "test.h"

enum { WORLDS = 37, PODS = 4 };

typedef struct pod {
    double x, y, vx, vy, angle, cx, cy, after_x, after_y, progress;
    bool boosted;
} pod;

static void read_reals(const carom_worlds *worlds, size_t w, const char *name, double values[PODS])
{
    float singles[PODS];
    const bool narrow = carom_worlds_describe(worlds).precision == CAROM_F32;
    get_field(worlds, name, w, 1, narrow ? (void *)singles : (void *)values);
    for (int i = 0; i < PODS && narrow; i++) {
        values[i] = (double)singles[i];
    }
}

static void read_pods(const carom_worlds *worlds, size_t w, pod pods[PODS])
{
    double x[PODS], y[PODS], vx[PODS], vy[PODS], angle[PODS];
    int16_t next[PODS];
    int8_t boosted[PODS];
    int32_t map, points[16][2];
    uint32_t n, laps;
    read_reals(worlds, w, "x", x);
    read_reals(worlds, w, "y", y);
    read_reals(worlds, w, "vx", vx);
    read_reals(worlds, w, "vy", vy);
    read_reals(worlds, w, "angle", angle);
    get_field(worlds, "next", w, 1, next);
    get_field(worlds, "boosted", w, 1, boosted);
    get_field(worlds, "map", w, 1, &map);
    OK(carom_csb_get_map(worlds, (uint32_t)map, &n, &laps, points, 16));
    for (int i = 0; i < PODS; i++) {
        const uint32_t at = (uint32_t)next[i], last = n * laps, after = at < last ? at + 1 : last;
        pods[i] = (pod){x[i],
                        y[i],
                        vx[i],
                        vy[i],
                        angle[i],
                        points[at % n][0],
                        points[at % n][1],
                        points[after % n][0],
                        points[after % n][1],
                        0,
                        boosted[i] != 0};
        pods[i].progress = next[i] - fmin(hypot(pods[i].cx - x[i], pods[i].cy - y[i]) / 20000, 1);
    }
}

typedef struct wish {
    double turn, thrust;
} wish;

static wish steer(const pod *p, double dx, double dy, double thrust)
{
    const wish w = {remainder(atan2(dy, dx) - p->angle, 6.283185307179586), thrust};
    return (wish){w.turn, floor(fabs(w.turn) > 1.2 ? thrust * 0.1 : thrust)};
}

/* The pod ahead. */
static wish run(const pod *p)
{
    const double dx = p->cx - p->x, dy = p->cy - p->y, speed = hypot(p->vx, p->vy) + 1e-9;
    const double along = (dx * p->vx + dy * p->vy) / speed, aside = (dx * p->vy - dy * p->vx) / speed;
    const bool passing = fabs(aside) < 450 && along > 0 && along < 4 * speed + 400;
    const double drift = passing ? 1 : 3, to_x = passing ? p->after_x : p->cx, to_y = passing ? p->after_y : p->cy;
    wish w = steer(p, to_x - p->x - drift * p->vx, to_y - p->y - drift * p->vy, passing ? 120 : 200);
    if (!passing && hypot(dx, dy) > 5000 && fabs(w.turn) < 0.1 && !p->boosted) {
        w.thrust = (double)CAROM_CSB_BOOST;
    }
    return w;
}

/* The other one. */
static wish guard(const pod *p, const pod *rival)
{
    const bool late =
        hypot(rival->cx - p->x, rival->cy - p->y) > hypot(rival->cx - rival->x, rival->cy - rival->y) + 1500;
    const double gate_x = late ? rival->after_x : rival->cx, gate_y = late ? rival->after_y : rival->cy;
    const double from_x = (late ? rival->cx : rival->x) - gate_x, from_y = (late ? rival->cy : rival->y) - gate_y;
    const double share = 900 / (hypot(from_x, from_y) + 900), apart = hypot(rival->x - p->x, rival->y - p->y);
    if (apart < 3500 && !late) {
        const double ticks = fmin(apart / 800, 6);
        return steer(p, rival->x + ticks * rival->vx - p->x - ticks * p->vx * 0.7,
                     rival->y + ticks * rival->vy - p->y - ticks * p->vy * 0.7, 200);
    }
    const double dx = gate_x + share * from_x - p->x - 3 * p->vx, dy = gate_y + share * from_y - p->y - 3 * p->vy;
    return steer(p, dx, dy, fmin(hypot(dx, dy) * 0.2, 200));
}

static bool is_struck(const pod *p, const pod *other)
{
    const double dx = other->x - p->x, dy = other->y - p->y, vx = other->vx - p->vx, vy = other->vy - p->vy;
    return hypot(dx + vx, dy + vy) < 830 && (dx * vx + dy * vy) / (hypot(dx, dy) + 1e-9) < -350;
}

static wish drive(const pod pods[PODS], int i)
{
    const pod *own = &pods[i / 2 * 2], *other = &pods[2 - i / 2 * 2];
    const pod *rival = other[0].progress >= other[1].progress ? &other[0] : &other[1];
    const int ahead = own[0].progress >= own[1].progress ? 0 : 1;
    wish w = i % 2 == ahead ? run(&pods[i]) : guard(&pods[i], rival);
    w.thrust = is_struck(&pods[i], &other[0]) || is_struck(&pods[i], &other[1]) ? (double)CAROM_CSB_SHIELD : w.thrust;
    return w;
}

TEST(drive_is_what_plain_c_decides)
{
    const carom_game *csb = carom_game_find("csb");
    size_t policy, shields = 0, boosts = 0, waits = 0;
    OK(carom_game_find_policy(csb, "drive", &policy));
    for (size_t k = 0; k < 2 * isa_count; k++) {
        OWNED(carom_worlds) *worlds = MAKE_WORLDS(csb, .count = WORLDS, .seed = 9, .isa = isas[k / 2],
                                                  .precision = k % 2 == 0 ? CAROM_F64 : CAROM_F32);
        for (int turn = 0; turn < 60; turn++) {
            float relative[WORLDS][PODS][2];
            OK(carom_worlds_policy(worlds, policy, find_kind(csb, "relative"), relative));
            for (size_t w = 0; w < WORLDS && turn > 0; w++) {
                pod pods[PODS];
                read_pods(worlds, w, pods);
                for (int i = 0; i < PODS; i++) {
                    const wish want = drive(pods, i);
                    const double turned = fmin(fmax(want.turn, -0.31415926535897931), 0.31415926535897931);
                    assert_true(fabs((double)relative[w][i][0] - turned) < 1e-6);
                    assert_true(fabs((double)relative[w][i][1] - want.thrust) <= 1);
                    shields += want.thrust == (double)CAROM_CSB_SHIELD;
                    boosts += want.thrust == (double)CAROM_CSB_BOOST;
                    waits += want.thrust < 100;
                }
            }
            carom_step step = STEP_WITH(.ticks = 2);
            step.players[0].source = step.players[1].source = CAROM_POLICY;
            step.players[0].policy = step.players[1].policy = policy;
            play_worlds(worlds, &step);
        }
    }
    assert_true(shields > 20 && boosts > 20 && waits > 100);
}
