/* SPDX-License-Identifier: MIT
 * The plain game fall: see fall_reference.h.
 */
#include "fall_reference.h"

#include <math.h>
#include <string.h>

#define NEAR 1e-6
#define FRAME 0.01

static bool is_near(double a, double b)
{
    return fabs(a - b) < NEAR;
}

static double without_near(double a)
{
    return fabs(a) < NEAR ? 0 : a;
}

static bool is_circle(const carom_fall_body *b)
{
    return b->corner_count == 0;
}

/* ---- roots ---- */

static long double polynomial(const long double *c, int degree, long double t)
{
    long double sum = 0;
    for (int k = degree; k >= 0; k--)
        sum = sum * t + c[k];
    return sum;
}

/* The real roots of c[0] + c[1] t + ..., ascending: one between each two turning points, by bisection. */
static int real_roots(const long double *c, int degree, long double *roots)
{
    long double slope[5], turns[8];
    int count = 0, turn_count = 0;
    while (degree > 0 && c[degree] == 0)
        degree--;
    if (degree == 0)
        return 0;
    if (degree == 1) {
        roots[0] = -c[0] / c[1];
        return 1;
    }
    for (int k = 1; k <= degree; k++)
        slope[k - 1] = k * c[k];
    long double bound = 0;
    for (int k = 0; k < degree; k++)
        bound = fmaxl(bound, fabsl(c[k] / c[degree]));
    turns[turn_count++] = -1 - bound;
    turn_count += real_roots(slope, degree - 1, turns + 1);
    turns[turn_count++] = 1 + bound;
    for (int k = 0; k + 1 < turn_count; k++) {
        long double lo = turns[k], hi = turns[k + 1], at_lo = polynomial(c, degree, lo);
        if (k > 0 && at_lo == 0) {
            roots[count++] = lo;
            continue;
        }
        if ((at_lo < 0) == (polynomial(c, degree, hi) < 0))
            continue;
        for (int i = 0; i < 300; i++) {
            long double mid = (lo + hi) / 2;
            if (mid <= lo || mid >= hi)
                break;
            if ((polynomial(c, degree, mid) < 0) == (at_lo < 0))
                lo = mid;
            else
                hi = mid;
        }
        roots[count++] = (lo + hi) / 2;
    }
    return count;
}

/* ---- prediction ---- */

static bool is_duplicate(const fall_ref_world *w, const fall_ref_hit *hit)
{
    for (int k = 0; k < w->past_count; k++) {
        const fall_ref_hit *p = &w->pasts[k];
        if (p->first == hit->first && p->second == hit->second && is_near(p->time, hit->time) &&
            is_near(p->x, hit->x) && is_near(p->y, hit->y))
            return true;
    }
    return false;
}

static void take(fall_ref_world *w, const fall_ref_hit *hit)
{
    if ((!w->queued || hit->time < w->next.time) && !is_duplicate(w, hit)) {
        w->queued = true;
        w->next = *hit;
    }
}

static double place(double p, double v, double a, double t)
{
    return p + v * t + a * (t * t) / 2;
}

/* a's centre against b's; a corner is a circle of radius 0 that stays where it is. */
static void predict_circles(fall_ref_world *w, const carom_fall_body *a, const carom_fall_body *b, fall_ref_hit hit,
                            bool corner)
{
    const long double px = (long double)b->x - a->x, py = (long double)b->y - a->y;
    const long double vx = (long double)b->vx - a->vx, vy = (long double)b->vy - a->vy;
    const long double ax = (long double)b->ax - a->ax, ay = (long double)b->ay - a->ay;
    const long double r = (long double)a->radius + b->radius;
    const long double c[5] = {4 * (px * px + py * py - r * r), 8 * (px * vx + py * vy),
                              4 * (px * ax + py * ay) + 4 * (vx * vx + vy * vy), 4 * (vx * ax + vy * ay),
                              ax * ax + ay * ay};
    long double roots[8];
    const int count = real_roots(c, 4, roots);
    for (int k = 0; k < count; k++) {
        const double t = without_near((double)roots[k]);
        if (t < 0)
            continue;
        const double x1 = place(a->x, a->vx, a->ax, t), y1 = place(a->y, a->vy, a->ay, t);
        const double x2 = place(b->x, b->vx, b->ax, t), y2 = place(b->y, b->vy, b->ay, t);
        if (is_near(sqrt((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2)), (double)r)) {
            const double share = corner ? 1 : a->radius / (a->radius + b->radius);
            hit.time = w->clock + t;
            hit.x = x2 + (x1 - x2) * share;
            hit.y = y2 + (y1 - y2) * share;
            take(w, &hit);
        }
        return;
    }
}

/* The circle's centre against the edge moved by its radius along the normal. */
static void predict_line(fall_ref_world *w, const carom_fall_body *circle, const double *p, const double *q,
                         double side, fall_ref_hit hit)
{
    if (p[0] > q[0] || (p[0] == q[0] && p[1] > q[1])) {
        const double *other = p;
        p = q;
        q = other;
    }
    const double length = hypot(q[0] - p[0], q[1] - p[1]), ux = (q[0] - p[0]) / length, uy = (q[1] - p[1]) / length;
    const double dx = circle->x - p[0], dy = circle->y - p[1];
    const double y = without_near(dy * ux - dx * uy - side * circle->radius), x = dx * ux + dy * uy;
    const double vy = without_near(circle->vy * ux - circle->vx * uy);
    const double vx = without_near(circle->vx * ux + circle->vy * uy);
    const double ay = without_near(circle->ay * ux - circle->ax * uy);
    const double ax = without_near(circle->ax * ux + circle->ay * uy);
    double root[2];
    int count = 0;
    if (fabs(ay / 2) < NEAR) {
        if (fabs(vy) >= NEAR)
            root[count++] = -y / vy;
    } else {
        const double d = vy * vy - 2 * ay * y;
        if (d > 0) {
            const double s = sqrt(d);
            root[count++] = fmin((-vy - s) / ay, (-vy + s) / ay);
            root[count++] = fmax((-vy - s) / ay, (-vy + s) / ay);
        } else if (fabs(d) < NEAR) {
            root[count++] = -vy / ay;
        }
    }
    for (int k = 0; k < count; k++) {
        const double t = root[k], along = place(x, vx, ax, t);
        if (t >= 0 && along >= 0 && along <= length) {
            hit.time = w->clock + t;
            hit.x = place(circle->x, circle->vx, circle->ax, t);
            hit.y = place(circle->y, circle->vy, circle->ay, t);
            take(w, &hit);
        }
    }
}

static void predict_polygon(fall_ref_world *w, int circle, int polygon)
{
    const carom_fall_body *c = &w->bodies[circle], *p = &w->bodies[polygon];
    const int n = (int)p->corner_count;
    fall_ref_hit hit = {0, circle, polygon, 0, 0, 0};
    for (int k = 0; k < n; k++) {
        for (int end = 0; end < 2; end++) {
            const int corner = (k + end) % n;
            carom_fall_body point;
            memset(&point, 0, sizeof point);
            point.x = p->corners[corner][0];
            point.y = p->corners[corner][1];
            hit.part = CAROM_FALL_CORNER + corner;
            predict_circles(w, &point, c, hit, true);
        }
        hit.part = CAROM_FALL_EDGE + k;
        predict_line(w, c, p->corners[k], p->corners[(k + 1) % n], 1, hit);
        predict_line(w, c, p->corners[k], p->corners[(k + 1) % n], -1, hit);
    }
}

static void predict(fall_ref_world *w)
{
    for (int j = w->count - 1; j >= 1; j--) {
        for (int i = j - 1; i >= 0; i--) {
            const carom_fall_body *a = &w->bodies[i], *b = &w->bodies[j];
            const fall_ref_hit hit = {0, i, j, CAROM_FALL_CIRCLE, 0, 0};
            if (a->fixed && b->fixed)
                continue;
            if (is_circle(a) && is_circle(b))
                predict_circles(w, a, b, hit, false);
            else if (is_circle(a) != is_circle(b))
                predict_polygon(w, is_circle(a) ? i : j, is_circle(a) ? j : i);
        }
    }
}

/* ---- motion, bounce, separation ---- */

static void advance(fall_ref_world *w, double dt)
{
    for (int i = 0; i < w->count; i++) {
        carom_fall_body *b = &w->bodies[i];
        if (!is_circle(b) || b->fixed)
            continue;
        b->x += b->vx * dt + b->ax * (dt * dt) / 2;
        b->y += b->vy * dt + b->ay * (dt * dt) / 2;
        b->vx += b->ax * dt;
        b->vy += b->ay * dt;
    }
    w->clock += dt;
}

static void damp(const fall_ref_world *w, carom_fall_body *b)
{
    b->vx *= w->keep;
    b->vy *= w->keep;
    b->vx = fabs(b->vx) < w->cutoff ? 0 : b->vx;
    b->vy = fabs(b->vy) < w->cutoff ? 0 : b->vy;
}

/* Turns the velocity round along (nx, ny). */
static void reflect(carom_fall_body *b, double nx, double ny)
{
    const double across = b->vx * nx + b->vy * ny;
    b->vx -= 2 * across * nx;
    b->vy -= 2 * across * ny;
}

static void bounce(fall_ref_world *w, const fall_ref_hit *hit)
{
    carom_fall_body *a = &w->bodies[hit->first], *b = &w->bodies[hit->second];
    if (hit->part == CAROM_FALL_CIRCLE) {
        const double dx = a->x - b->x, dy = a->y - b->y, d = hypot(dx, dy), nx = dx / d, ny = dy / d;
        const double share_a = a->fixed ? 0 : 1 / a->mass, share_b = b->fixed ? 0 : 1 / b->mass;
        const double j = -2 * ((a->vx - b->vx) * nx + (a->vy - b->vy) * ny) / (share_a + share_b);
        a->vx += j * share_a * nx;
        a->vy += j * share_a * ny;
        b->vx -= j * share_b * nx;
        b->vy -= j * share_b * ny;
        if (!b->fixed)
            damp(w, b);
    } else if (hit->part >= CAROM_FALL_CORNER) {
        const double *p = b->corners[hit->part - CAROM_FALL_CORNER];
        const double d = hypot(a->x - p[0], a->y - p[1]);
        reflect(a, (a->x - p[0]) / d, (a->y - p[1]) / d);
    } else {
        const int k = hit->part - CAROM_FALL_EDGE;
        const double *p = b->corners[k], *q = b->corners[(k + 1) % (int)b->corner_count];
        const double d = hypot(q[0] - p[0], q[1] - p[1]);
        reflect(a, -(q[1] - p[1]) / d, (q[0] - p[0]) / d);
    }
    if (!a->fixed)
        damp(w, a);
}

static double clamp(double a, double low, double high)
{
    return a < low ? low : a > high ? high : a;
}

/* Puts the circle back on the edges that it is in; true if it was moved. */
static bool leave_polygon(carom_fall_body *c, const carom_fall_body *p)
{
    bool moved = false;
    for (uint32_t k = 0; k < p->corner_count; k++) {
        const double *a = p->corners[k], *b = p->corners[(k + 1) % p->corner_count];
        const double ex = b[0] - a[0], ey = b[1] - a[1], length = hypot(ex, ey);
        const double along = ((c->x - a[0]) * ex + (c->y - a[1]) * ey) / length;
        if (along < 0 || along > length)
            continue;
        const double nx = a[0] + ex * (along / length), ny = a[1] + ey * (along / length);
        const double d = hypot(c->x - nx, c->y - ny);
        if (c->radius - d >= NEAR && d > 0) {
            c->x = nx + (c->x - nx) * c->radius / d;
            c->y = ny + (c->y - ny) * c->radius / d;
            moved = true;
        }
    }
    c->x = clamp(c->x, c->radius, 1 - c->radius);
    c->y = clamp(c->y, c->radius, 1 - c->radius);
    return moved;
}

static bool leave_circle(carom_fall_body *a, carom_fall_body *b)
{
    const double dx = b->x - a->x, dy = b->y - a->y, d = sqrt(dx * dx + dy * dy), overlap = a->radius + b->radius - d;
    if (!(overlap > 0) || !(d > 0))
        return false;
    const double nx = dx / d, ny = dy / d;
    if (!b->fixed) {
        b->x = a->x + nx * (a->radius + b->radius);
        b->y = a->y + ny * (a->radius + b->radius);
        b->vx += nx * overlap;
        b->vy += ny * overlap;
    } else {
        a->x = b->x - nx * (a->radius + b->radius);
        a->y = b->y - ny * (a->radius + b->radius);
        a->vx -= nx * overlap;
        a->vy -= ny * overlap;
    }
    return true;
}

static void separate(fall_ref_world *w)
{
    for (int circles = 0; circles < 2; circles++) {
        bool again = true;
        for (int round = 0; round < w->count && again; round++) {
            again = false;
            for (int i = 0; i < w->count; i++) {
                for (int j = i + 1; j < w->count; j++) {
                    carom_fall_body *a = &w->bodies[i], *b = &w->bodies[j];
                    if (a->fixed && b->fixed)
                        continue;
                    if (circles && is_circle(a) && is_circle(b))
                        again |= leave_circle(a, b);
                    if (!circles && is_circle(a) != is_circle(b))
                        again |= leave_polygon(is_circle(a) ? a : b, is_circle(a) ? b : a);
                }
            }
        }
    }
}

/* ---- the game ---- */

void fall_ref_start(fall_ref_world *w, const carom_fall_options *options)
{
    memset(w, 0, sizeof *w);
    w->count = (int)options->body_count;
    w->keep = options->keep;
    w->cutoff = options->cutoff;
    w->frame = FRAME;
    for (int i = 0; i < w->count; i++) {
        carom_fall_body *b = &w->bodies[i];
        *b = options->bodies[i];
        if (!is_circle(b)) {
            w->any_polygon = true;
            for (uint32_t k = 0; k < b->corner_count; k++)
                for (int axis = 0; axis < 2; axis++)
                    b->corners[k][axis] = without_near(b->corners[k][axis]);
        } else if (b->fixed) {
            b->vx = b->vy = b->ax = b->ay = 0;
        } else {
            b->ay += options->gravity;
        }
    }
}

/* Drops entries that are too old to matter. */
static void forget(fall_ref_world *w)
{
    int kept = 0;
    for (int k = 0; k < w->past_count; k++)
        if (w->clock - w->pasts[k].time <= NEAR)
            w->pasts[kept++] = w->pasts[k];
    w->past_count = kept;
}

int fall_ref_tick(fall_ref_world *w, fall_ref_hit *hits, int capacity)
{
    int events = 0;
    for (;;) {
        if (!w->queued)
            predict(w);
        if (!w->queued || w->next.time >= w->frame || events == FALL_REF_EVENTS)
            break;
        advance(w, w->next.time - w->clock);
        w->clock = w->next.time;
        forget(w);
        if (events < capacity)
            hits[events] = w->next;
        events++;
        if (w->past_count < FALL_REF_PASTS)
            w->pasts[w->past_count++] = w->next;
        bounce(w, &w->next);
        w->queued = false;
        predict(w);
        separate(w);
    }
    advance(w, w->frame - w->clock);
    w->clock = w->frame;
    w->frame = w->clock + FRAME;
    separate(w);
    return events;
}
