/* SPDX-License-Identifier: MIT
 * An exact engine in plain C, the reference for the peers: every impact moves all circles to its time and recomputes
 * all times of impact. It shares no code with the library.
 */
#include "bench/common/harness.h"
#include "peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WALL (-1)

typedef struct plain_worlds {
    peer_scene scene;
    peer_circle *circles; /* [worlds][circles] */
} plain_worlds;

typedef struct next_impact {
    double time;
    int first, second; /* second: WALL; `vertical` is then the coordinate that is reflected */
    int vertical;
} next_impact;

/* When two circles of radius r touch that approach each other; one that is there already is due at once. */
static double meeting(const peer_circle *i, const peer_circle *j, double r)
{
    const double px = j->x - i->x, py = j->y - i->y, vx = j->vx - i->vx, vy = j->vy - i->vy;
    const double a = vx * vx + vy * vy, b = px * vx + py * vy, c = px * px + py * py - 4 * r * r;
    const double d = b * b - a * c;
    return b >= 0 || (c > 0 && d < 0) ? INFINITY : c <= 0 ? 0 : c / (-b + sqrt(d));
}

/* When a coordinate leaves [low, high]. */
static double leaving(double at, double velocity, double low, double high)
{
    if (velocity == 0) {
        return INFINITY;
    }
    const double time = ((velocity < 0 ? low : high) - at) / velocity;
    return time > 0 ? time : 0;
}

static void take(next_impact *best, double time, int first, int second, int vertical)
{
    if (time < best->time) {
        *best = (next_impact){time, first, second, vertical};
    }
}

static next_impact find(const peer_scene *s, const peer_circle *c)
{
    next_impact best = {INFINITY, 0, 0, 0};
    for (int i = 0; i < (int)s->circles; i++) {
        for (int j = i + 1; j < (int)s->circles; j++) {
            take(&best, meeting(&c[i], &c[j], s->radius), i, j, 0);
        }
        take(&best, leaving(c[i].x, c[i].vx, s->radius, s->width - s->radius), i, WALL, 0);
        take(&best, leaving(c[i].y, c[i].vy, s->radius, s->height - s->radius), i, WALL, 1);
    }
    return best;
}

static void resolve(peer_circle *c, const next_impact *at)
{
    peer_circle *i = &c[at->first];
    if (at->second == WALL) {
        *(at->vertical ? &i->vy : &i->vx) *= -1;
        return;
    }
    peer_circle *j = &c[at->second];
    const double nx = j->x - i->x, ny = j->y - i->y;
    const double share = ((j->vx - i->vx) * nx + (j->vy - i->vy) * ny) / (nx * nx + ny * ny);
    i->vx += share * nx;
    i->vy += share * ny;
    j->vx -= share * nx;
    j->vy -= share * ny;
}

size_t carom_peer_plain_tick(void *worlds, peer_impact *impacts, size_t room)
{
    const plain_worlds *all = worlds;
    const peer_scene *s = &all->scene;
    size_t count = 0;
    for (size_t w = 0; w < s->worlds; w++) {
        peer_circle *c = all->circles + w * s->circles;
        double left = 1;
        for (;;) {
            const next_impact at = find(s, c);
            const double wait = at.time < left ? at.time : left;
            for (size_t i = 0; i < s->circles; i++) {
                c[i].x += c[i].vx * wait;
                c[i].y += c[i].vy * wait;
            }
            if (at.time >= left) {
                break;
            }
            left -= wait;
            resolve(c, &at);
            if (count < room) {
                impacts[count] = (peer_impact){w, at.first, at.second};
            }
            count++;
        }
    }
    return count;
}

static void *create(const peer *self, const peer_scene *scene)
{
    (void)self;
    const size_t count = scene->worlds * scene->circles;
    plain_worlds *all = carom_bench_take(1, sizeof *all);
    all->scene = *scene;
    all->circles = carom_bench_take(count, sizeof *all->circles);
    memcpy(all->circles, scene->start, count * sizeof *all->circles);
    return all;
}

/* Exact whatever the parts: it takes the tick as one. */
static void step(void *worlds, unsigned ticks, unsigned sub_ticks)
{
    (void)sub_ticks;
    for (unsigned t = 0; t < ticks; t++) {
        carom_peer_plain_tick(worlds, NULL, 0);
    }
}

static void read(const void *worlds, peer_circle *circles)
{
    const plain_worlds *all = worlds;
    memcpy(circles, all->circles, all->scene.worlds * all->scene.circles * sizeof *circles);
}

static void destroy(void *worlds)
{
    plain_worlds *all = worlds;
    free(all->circles);
    free(all);
}

const peer carom_peer_plain = {"plain_c", NULL, 0, 0, create, step, read, destroy, NULL};
