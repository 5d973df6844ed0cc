/* SPDX-License-Identifier: MIT
 * A bot for Coders Strike Back as people publish them: one C++ file, an exact engine of its own that plays one world at
 * a time, and a genetic algorithm. It knows nothing of Carom; it is the yardstick for `carom bot`.
 *
 *     plain_bot [MS]          plays on standard input and output, MS milliseconds a turn (70), 900 the first
 *     plain_bot rollouts N    N rollouts a turn instead
 *     plain_bot bench         how fast its engine is: ticks a second
 */
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

namespace
{

constexpr double pi = 3.141592653589793, most_turn = pi / 10, never = 1e9;
constexpr int horizon = 6, population = 32, parents = 10;

struct Point {
    double x, y;
};

struct Pod {
    double x, y, vx, vy, angle;
    int next, shield; /* next: index of the checkpoint in the list of all laps */
    bool boosted;
};

struct State {
    Pod pods[4];
    int timeout[2];
    bool over;
    int winner;
};

enum Special { drive, shield, boost };

struct Move {
    double turn, thrust;
    Special special;
};

std::vector<Point> checkpoints; /* all laps, and the first one again */
int on_the_map;

/* ---- the engine: the referee's rules ---- */

double contact(const Pod &a, const Pod &b)
{
    const double px = b.x - a.x, py = b.y - a.y, p2 = px * px + py * py;
    if (p2 <= 640000) {
        return 0;
    }
    const double wx = b.vx - a.vx, wy = b.vy - a.vy, dot = px * wx + py * wy;
    if (dot >= 0) {
        return never;
    }
    const double w2 = wx * wx + wy * wy, disc = dot * dot - w2 * (p2 - 640000);
    return disc < 0 ? never : (-dot - std::sqrt(disc)) / w2;
}

void bounce(Pod &a, Pod &b)
{
    double nx = b.x - a.x, ny = b.y - a.y;
    const double d = std::sqrt(nx * nx + ny * ny), ma = a.shield == 4 ? 0.1 : 1, mb = b.shield == 4 ? 0.1 : 1;
    nx /= d;
    ny /= d;
    double f = (nx * (a.vx - b.vx) + ny * (a.vy - b.vy)) / (ma + mb);
    f += std::max(f, 120.0);
    a.vx -= nx * f * ma;
    a.vy -= ny * f * ma;
    b.vx += nx * f * mb;
    b.vy += ny * f * mb;
    if (d <= 800) {
        const double apart = (800 - d) / 2 + 1e-5;
        a.x -= nx * apart;
        a.y -= ny * apart;
        b.x += nx * apart;
        b.y += ny * apart;
    }
}

bool crosses(Point p, Point q, Point c)
{
    const double dx = q.x - p.x, dy = q.y - p.y, l2 = dx * dx + dy * dy;
    Point z = p;
    if (l2 != 0) {
        const double u = ((c.x - p.x) * dx + (c.y - p.y) * dy) / l2;
        z = u > 1 ? q : u > 0 ? Point{p.x + u * dx, p.y + u * dy} : p;
    }
    return (z.x - c.x) * (z.x - c.x) + (z.y - c.y) * (z.y - c.y) < 360000;
}

void pass(State &s, int i, Point from)
{
    Pod &p = s.pods[i];
    if (!crosses(from, {p.x, p.y}, checkpoints[static_cast<size_t>(p.next)])) {
        return;
    }
    s.timeout[i / 2] = 100;
    if (++p.next == static_cast<int>(checkpoints.size())) {
        p.next--;
        s.over = true;
        s.winner = i / 2;
    }
}

double length(double x, double y)
{
    return std::sqrt(x * x + y * y);
}

/* The angle between -pi and pi that looks the same. */
double wrapped(double angle)
{
    return angle - 2 * pi * std::floor(angle / (2 * pi) + 0.5);
}

void command(Pod &p, const Move &m)
{
    double thrust = m.thrust;
    if (m.special == shield) {
        p.shield = 4;
    } else if (m.special == boost) {
        thrust = p.boosted ? 200 : 650;
        p.boosted = true;
    }
    p.angle += m.turn;
    if (p.shield == 0) {
        p.vx += std::cos(p.angle) * thrust;
        p.vy += std::sin(p.angle) * thrust;
    }
}

void tick(State &s, const Move *moves)
{
    Point from[4];
    for (int i = 0; i < 4; i++) {
        command(s.pods[i], moves[i]);
        from[i] = {s.pods[i].x, s.pods[i].y};
    }
    for (double left = 1; left > 0;) {
        double first = left;
        int a = -1, b = -1;
        for (int i = 3; i > 0; i--) {
            for (int j = i - 1; j >= 0; j--) {
                const double t = contact(s.pods[i], s.pods[j]);
                if (t <= first) {
                    first = t;
                    a = i;
                    b = j;
                }
            }
        }
        for (Pod &p : s.pods) {
            p.x += p.vx * first;
            p.y += p.vy * first;
        }
        left -= first;
        if (a >= 0) {
            bounce(s.pods[a], s.pods[b]);
        }
        for (int i = 0; i < 4 && left > 0; i++) {
            pass(s, i, from[i]);
            from[i] = {s.pods[i].x, s.pods[i].y};
        }
    }
    for (int i = 0; i < 4; i++) {
        Pod &p = s.pods[i];
        p.vx = std::trunc(p.vx * 0.85);
        p.vy = std::trunc(p.vy * 0.85);
        p.x = std::floor(p.x + 0.5);
        p.y = std::floor(p.y + 0.5);
        p.shield -= p.shield > 0;
        pass(s, i, from[i]);
    }
    for (int player = 0; player < 2; player++) {
        if (--s.timeout[player] <= 0 && !s.over) {
            s.over = true;
            s.winner = 1 - player;
        }
    }
}

/* ---- what a state is worth to player 0, who is us: the value of `carom bot` ---- */

Point target(const Pod &p)
{
    return checkpoints[static_cast<size_t>(p.next)];
}

double progress(const Pod &p)
{
    const Point c = target(p);
    return p.next - std::min(length(c.x - p.x, c.y - p.y) / 20000, 1.0);
}

double value(const State &s)
{
    const bool r = progress(s.pods[1]) > progress(s.pods[0]), o = progress(s.pods[3]) > progress(s.pods[2]);
    const Pod &runner = s.pods[r], &guard = s.pods[!r], &rival = s.pods[2 + o], &rival_guard = s.pods[2 + !o];
    const Point c = target(runner), g = target(rival);
    const double dx = c.x - runner.x, dy = c.y - runner.y, far = length(dx, dy) + 1e-9;
    const double ox = rival.x - guard.x, oy = rival.y - guard.y, away = length(ox, oy) + 1e-9;
    const double win = s.over ? (s.winner == 0 ? 16.7 : -16.7) : 0;
    return win + 1.08 * progress(runner) - 1.1 * progress(rival) +
           0.026 * (runner.vx * dx + runner.vy * dy) / far / 1000 +
           0.0742 * (std::cos(runner.angle) * dx + std::sin(runner.angle) * dy) / far -
           0.443 * length(g.x - guard.x, g.y - guard.y) / 16000 - 0.299 * away / 16000 +
           0.0186 * (std::cos(guard.angle) * ox + std::sin(guard.angle) * oy) / away +
           0.694 * length(c.x - rival_guard.x, c.y - rival_guard.y) / 16000 +
           0.157 * length(runner.x - rival_guard.x, runner.y - rival_guard.y) / 16000;
}

/* ---- genetic search ---- */

uint64_t seed = 1;

double uniform() /* [0, 1) */
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return static_cast<double>(seed >> 11) / 9007199254740992.0;
}

struct Gene {
    double turn, thrust; /* [-1, 1] */
};

struct Plan {
    std::array<std::array<Gene, 2>, horizon> genes;
    double worth;
};

Move move_of(const Gene &g, const Pod &p)
{
    const bool hits = g.thrust <= -0.95, jumps = g.thrust >= 0.95 && !p.boosted;
    return {g.turn * most_turn, std::round(100 * (g.thrust + 1)), hits ? shield : jumps ? boost : drive};
}

/* What the other side is taken to do: drive at its checkpoint, less its drift. */
Move race(const Pod &p)
{
    const Point c = target(p);
    const double wanted = std::atan2(c.y - 3 * p.vy - p.y, c.x - 3 * p.vx - p.x);
    const double turn = wrapped(wanted - p.angle);
    return {std::max(-most_turn, std::min(most_turn, turn)), std::fabs(turn) < pi / 2 ? 200.0 : 0.0, drive};
}

long rollouts, ticks;

void judge(const State &root, Plan &plan)
{
    State s = root;
    for (int t = 0; t < horizon && !s.over; t++) {
        const auto &genes = plan.genes[static_cast<size_t>(t)];
        const Move moves[4] = {move_of(genes[0], s.pods[0]), move_of(genes[1], s.pods[1]), race(s.pods[2]),
                               race(s.pods[3])};
        tick(s, moves);
        ticks++;
    }
    plan.worth = value(s);
    rollouts++;
}

double clipped(double x)
{
    return std::max(-1.0, std::min(1.0, x));
}

Plan child_of(const std::vector<Plan> &all, double spread)
{
    const auto pick = [&] { return static_cast<size_t>(uniform() * uniform() * parents); };
    const Plan &a = all[pick()], &b = all[pick()];
    Plan child = a;
    for (auto &row : child.genes) {
        const auto &other = b.genes[static_cast<size_t>(&row - child.genes.data())];
        for (size_t k = 0; k < 2; k++) {
            row[k] = uniform() < 0.5 ? row[k] : other[k];
            if (uniform() < 0.25) {
                row[k].turn = clipped(row[k].turn + spread * (2 * uniform() - 1));
            }
            if (uniform() < 0.25) {
                row[k].thrust = clipped(row[k].thrust + 2 * spread * (2 * uniform() - 1));
            }
        }
    }
    return child;
}

using Clock = std::chrono::steady_clock;

/* Until the end of the time, or of the rollouts if most > 0. The last turn's plan is moved on. */
Plan search(const State &root, Plan last, Clock::time_point start, double milliseconds, long most)
{
    std::vector<Plan> all(population);
    const long from = rollouts;
    double used = 0;
    std::rotate(last.genes.begin(), last.genes.begin() + 1, last.genes.end());
    for (Plan &plan : all) {
        plan = last;
        for (auto &row : plan.genes) {
            for (Gene &g : row) {
                if (&plan != &all[0]) {
                    g = {2 * uniform() - 1, 2 * uniform() - 1};
                }
            }
        }
        judge(root, plan);
    }
    while (used < 1) {
        std::sort(all.begin(), all.end(), [](const Plan &a, const Plan &b) { return a.worth > b.worth; });
        for (size_t k = parents; k < population; k++) {
            all[k] = child_of(all, std::max(1 - used, 0.1));
            judge(root, all[k]);
        }
        const double passed = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        used = most > 0 ? static_cast<double>(rollouts - from) / static_cast<double>(most) : passed / milliseconds;
    }
    return *std::max_element(all.begin(), all.end(), [](const Plan &a, const Plan &b) { return a.worth < b.worth; });
}

/* ---- the protocol ---- */

State state; /* the whole state, with what the referee hides */

/* The referee rounds angles to degrees: those of our own pods are known exactly. */
bool read_turn(int turn)
{
    for (int i = 0; i < 4; i++) {
        Pod &p = state.pods[i];
        double degrees;
        int next;
        if (!(std::cin >> p.x >> p.y >> p.vx >> p.vy >> degrees >> next)) {
            return false;
        }
        const double told = degrees * pi / 180;
        if (turn == 0) { /* pods turn freely now: all at their checkpoint */
            p.next = 1;
            p.angle = std::atan2(target(p).y - p.y, target(p).x - p.x);
            state.timeout[0] = state.timeout[1] = 100;
        } else {
            p.angle = i > 1 || std::fabs(wrapped(told - p.angle)) > 0.02 ? told : p.angle;
            while (p.next % on_the_map != next && p.next + 1 < static_cast<int>(checkpoints.size())) {
                p.next++;
                state.timeout[i / 2] = 100;
            }
        }
    }
    return true;
}

void answer(const Plan &plan)
{
    for (int i = 0; i < 2; i++) {
        Pod &p = state.pods[i];
        const Move m = move_of(plan.genes[0][static_cast<size_t>(i)], p);
        p.angle += m.turn;
        std::printf("%.0f %.0f ", p.x + 100000 * std::cos(p.angle), p.y + 100000 * std::sin(p.angle));
        std::printf(m.special == shield ? "SHIELD\n" : m.special == boost ? "BOOST\n" : "%.0f\n", m.thrust);
        p.shield = m.special == shield ? 3 : p.shield - (p.shield > 0);
        p.boosted |= m.special == boost;
    }
    std::fflush(stdout);
    state.timeout[0]--;
    state.timeout[1]--;
}

void bench()
{
    checkpoints = {{12460, 1350}, {10540, 5980}, {3580, 5180}, {13580, 7600}, {12460, 1350}, {10540, 5980}};
    State root = {};
    for (int i = 0; i < 4; i++) {
        root.pods[i] = {11000.0 + 1000 * i, 1500.0 + 500 * (i % 2), 0, 0, 2, 1, 0, false};
    }
    root.timeout[0] = root.timeout[1] = 100;
    const auto start = Clock::now();
    search(root, {}, start, 1000, 0);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::printf("%.2f M ticks/s\n", 1e-6 * static_cast<double>(ticks) / seconds);
}

} // namespace

int main(int argc, char **argv)
{
    const bool counts = argc > 2 && std::strcmp(argv[1], "rollouts") == 0;
    const long most = counts ? std::atol(argv[2]) : 0;
    if (argc > 1 && std::strcmp(argv[1], "bench") == 0) {
        bench();
        return 0;
    }
    const double milliseconds = argc > 1 && !counts ? std::atof(argv[1]) : 70;
    int laps;
    if (!(std::cin >> laps >> on_the_map)) {
        return 1;
    }
    std::vector<Point> map(static_cast<size_t>(on_the_map));
    for (Point &c : map) {
        std::cin >> c.x >> c.y;
    }
    for (int lap = 0; lap < laps; lap++) {
        checkpoints.insert(checkpoints.end(), map.begin(), map.end());
    }
    checkpoints.push_back(map[0]);
    Plan plan = {};
    for (int turn = 0; read_turn(turn); turn++) {
        plan = search(state, plan, Clock::now(), turn == 0 ? 900 : milliseconds, most);
        answer(plan);
    }
    return 0;
}
