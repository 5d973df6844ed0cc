/* SPDX-License-Identifier: MIT
 * The gas as one writes it down: at every event all pairs and all sides are asked anew. The rules are those at the head
 * of kernel/deep/kernel.h. Included once for a precision, with PLAIN(name) and `plain_real` defined.
 */
typedef struct PLAIN(body) {
    plain_real x, y, vx, vy, t;
} PLAIN(body);

typedef struct PLAIN(gas) {
    size_t n;
    bool periodic;
    plain_real side, restitution;
    PLAIN(body) * bodies;
    size_t collisions;
} PLAIN(gas);

static plain_real PLAIN(image)(const PLAIN(gas) * g, plain_real p)
{
    if (g->periodic && p > g->side / 2) {
        return p - g->side;
    }
    if (g->periodic && p < -(g->side / 2)) {
        return p + g->side;
    }
    return p;
}

/* j is seen shifted by a whole box or none. */
static plain_real PLAIN(image_time)(const PLAIN(body) * i, const PLAIN(body) * j, plain_real shift_x,
                                    plain_real shift_y)
{
    const plain_real start = i->t > j->t ? i->t : j->t, di = start - i->t, dj = start - j->t;
    const plain_real px = (j->x + j->vx * dj) - (i->x + i->vx * di) + shift_x;
    const plain_real py = (j->y + j->vy * dj) - (i->y + i->vy * di) + shift_y;
    const plain_real vx = j->vx - i->vx, vy = j->vy - i->vy;
    const plain_real b = px * vx + py * vy, c = (px * px + py * py) - 1;
    if (b >= 0) {
        return (plain_real)INFINITY;
    }
    if (c <= 0) {
        return start;
    }
    const plain_real cross = px * vy - py * vx, d = (vx * vx + vy * vy) - cross * cross;
    return d < 0 ? (plain_real)INFINITY : start + c / ((plain_real)sqrt((double)d) - b);
}

/* The earliest over all images. */
static plain_real PLAIN(pair_time)(const PLAIN(gas) * g, const PLAIN(body) * i, const PLAIN(body) * j)
{
    plain_real best = PLAIN(image_time)(i, j, 0, 0);
    for (int k = 0; k < 9 && g->periodic; k++) {
        const plain_real time =
            PLAIN(image_time)(i, j, (plain_real)(k / 3 - 1) * g->side, (plain_real)(k % 3 - 1) * g->side);
        best = time < best ? time : best;
    }
    return best;
}

static plain_real PLAIN(side_time)(const PLAIN(gas) * g, const PLAIN(body) * b, int side)
{
    const plain_real x = side < 2 ? b->x : b->y, v = side < 2 ? b->vx : b->vy;
    const plain_real margin = g->periodic ? 0 : (plain_real)0.5, edge = side % 2 != 0 ? g->side - margin : margin;
    const bool towards = side % 2 != 0 ? v > 0 : v < 0;
    return towards ? b->t + (edge - x) / v : (plain_real)INFINITY;
}

static void PLAIN(move)(PLAIN(body) * b, plain_real time)
{
    b->x = b->x + b->vx * (time - b->t);
    b->y = b->y + b->vy * (time - b->t);
    b->t = time;
}

static void PLAIN(collide)(PLAIN(gas) * g, PLAIN(body) * i, PLAIN(body) * j, plain_real time)
{
    const bool elastic = time - i->t < (plain_real)1e-5 || time - j->t < (plain_real)1e-5;
    PLAIN(move)(i, time);
    PLAIN(move)(j, time);
    g->collisions++;
    const plain_real px = PLAIN(image)(g, j->x - i->x), py = PLAIN(image)(g, j->y - i->y);
    const plain_real approach = px * (j->vx - i->vx) + py * (j->vy - i->vy), pp = px * px + py * py;
    if (approach < 0) {
        const plain_real half = (plain_real)((1 + (double)g->restitution) / 2),
                         part = (elastic ? 1 : half) * (approach / pp);
        i->vx += part * px;
        i->vy += part * py;
        j->vx -= part * px;
        j->vy -= part * py;
    }
}

static void PLAIN(hit_side)(const PLAIN(gas) * g, PLAIN(body) * b, int side, plain_real time)
{
    PLAIN(move)(b, time);
    plain_real *x = side < 2 ? &b->x : &b->y, *v = side < 2 ? &b->vx : &b->vy;
    const bool up = side % 2 != 0;
    if (g->periodic) {
        *x = up ? 0 : g->side;
    } else {
        *x = up ? g->side - (plain_real)0.5 : (plain_real)0.5;
        *v = -*v;
    }
}

/* An epoch of some length. */
static void PLAIN(epoch)(PLAIN(gas) * g, plain_real length)
{
    for (;;) {
        plain_real best = length;
        size_t first = 0, second = 0;
        for (size_t i = 0; i < g->n; i++) {
            for (size_t j = i + 1; j < g->n + 4; j++) { /* in order of pairs: the first of equal times counts */
                const plain_real time = j < g->n ? PLAIN(pair_time)(g, &g->bodies[i], &g->bodies[j])
                                                 : PLAIN(side_time)(g, &g->bodies[i], (int)(j - g->n));
                if (time < best) {
                    best = time;
                    first = i;
                    second = j;
                }
            }
        }
        if (second == 0) {
            break;
        }
        if (second < g->n) {
            PLAIN(collide)(g, &g->bodies[first], &g->bodies[second], best);
        } else {
            PLAIN(hit_side)(g, &g->bodies[first], (int)(second - g->n), best);
        }
    }
    for (size_t i = 0; i < g->n; i++) {
        PLAIN(move)(&g->bodies[i], length);
        g->bodies[i].t = 0;
    }
}

/* Continues a gas from where it is; its state then, in doubles. Collisions. */
static size_t PLAIN(run)(const carom_gas *from, double time, double *state)
{
    const carom_gas_desc desc = carom_gas_describe(from);
    const size_t n = desc.bodies;
    PLAIN(gas)
    g = {n,
         desc.box == CAROM_GAS_PERIODIC,
         (plain_real)carom_gas_side(from),
         (plain_real)desc.restitution,
         calloc(n, sizeof(PLAIN(body))),
         0};
    g.restitution = (plain_real)desc.restitution;
    assert_int_equal(carom_gas_get(from, state, state + n, state + 2 * n, state + 3 * n), CAROM_OK);
    for (size_t i = 0; i < n; i++) {
        g.bodies[i] = (PLAIN(body)){(plain_real)state[i], (plain_real)state[n + i], (plain_real)state[2 * n + i],
                                    (plain_real)state[3 * n + i], 0};
    }
    for (; time >= CAROM_GAS_EPOCH; time -= CAROM_GAS_EPOCH) {
        PLAIN(epoch)(&g, CAROM_GAS_EPOCH);
    }
    if (time > 0) {
        PLAIN(epoch)(&g, (plain_real)time);
    }
    for (size_t i = 0; i < n; i++) {
        state[i] = (double)g.bodies[i].x;
        state[n + i] = (double)g.bodies[i].y;
        state[2 * n + i] = (double)g.bodies[i].vx;
        state[3 * n + i] = (double)g.bodies[i].vy;
    }
    free(g.bodies);
    return g.collisions;
}
