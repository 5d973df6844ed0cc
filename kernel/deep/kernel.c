/* SPDX-License-Identifier: MIT
 * The deep engine's loop: see deep/kernel.h. Compiled once for every instruction set and precision.
 *
 * A body waits in the queue for the earlier of its meeting and the time at which it leaves its cell. An entry of the
 * queue is valid if its key is one of the two, and a meeting if the partner has not changed since. After a collision
 * only the two predict anew; others that waited for one of them find out when their entry comes up, which is in time:
 * whatever they do instead is later. A cell is at least a diameter wide, so a body can meet only those of the nine
 * cells around it before it, or they, leave a cell; entering a cell it looks at the three that come within reach.
 */
#include "deep/kernel.h"

#include "deep/body.h"
#include "events/queue.h"
#include "grid/grid.h"

#define CELL_LEAST 1.0001  /* diameters: what rounding does to a body's cell is far less */
#define CELLS_PER_BODY 1.3 /* at most, but for the least grid: fewer make fewer crossings, more make fewer pairs */
#define PERIODIC_LEAST 5   /* cells a side: two neighbours are then nearer than half the box */
#define CANDIDATES 64      /* collected before they are looked at */
#define STALL_LIMIT 1000   /* events a body without time going on, that are a fault */
#define FETCH_LEAST 20000  /* bodies from which on a world is larger than the near caches */
#define FETCH_AHEAD 3      /* buckets */
#define PARTNERS_MOST 36   /* bodies on the places of nine cells; the list is written up to 16 beyond */

typedef struct deep_world {
    deep_totals totals;
    deep_scene scene;
    grid cells;
    queue events;
    deep_body *bodies; /* in order of cells */
    int32_t *ids;      /* [body] */
    real *edges;       /* [side of the grid + 1]: where columns, and rows, of cells end */
    real side, low, high, inverse_cell, contact, epoch;
    double response;  /* (1 + restitution) / 2 */
    uint64_t still;   /* events since time went on */
    bool fetches;     /* what the next buckets need */
    uint32_t fetched; /* buckets of this window that were looked at ahead of time */
} deep_world;

/* ---- memory ---- */

static uint32_t side_of(const deep_scene *scene)
{
    const double widest = scene->side / CELL_LEAST;
    uint32_t side = widest < GRID_MOST ? (uint32_t)widest : GRID_MOST;
    const uint64_t most = (uint64_t)(scene->bodies * CELLS_PER_BODY);
    if ((uint64_t)side * side > most) {
        uint32_t root = (uint32_t)__builtin_sqrt((double)most);
        side = root < PERIODIC_LEAST ? (side < PERIODIC_LEAST ? side : PERIODIC_LEAST) : root;
    }
    return side > 0 ? side : 1;
}

typedef struct layout {
    size_t bodies, lines, places, ids, next, edges, end;
} layout;

CAROM_LANE size_t aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

static layout layout_of(const deep_scene *scene)
{
    layout at;
    const uint32_t n = scene->bodies;
    at.bodies = aligned(sizeof(deep_world));
    at.lines = at.bodies + (size_t)n * sizeof(deep_body);
    at.places = at.lines + ((size_t)queue_buckets(n) + queue_pool(n)) * sizeof(queue_line);
    at.ids = at.places + aligned(grid_places(side_of(scene), side_of(scene)) * sizeof(int32_t));
    at.next = at.ids + aligned((size_t)n * sizeof(int32_t));
    at.edges = at.next + aligned((size_t)n * sizeof(int32_t));
    at.end = at.edges + aligned((side_of(scene) + 1) * sizeof(real));
    return at;
}

static size_t bytes(const deep_scene *scene)
{
    return layout_of(scene).end;
}

static void create(const deep_scene *scene, void *memory)
{
    deep_world *w = (deep_world *)memory;
    unsigned char *base = (unsigned char *)memory;
    const layout at = layout_of(scene);
    w->scene = *scene;
    w->bodies = (deep_body *)(void *)(base + at.bodies);
    w->ids = (int32_t *)(void *)(base + at.ids);
    w->cells.places = (int32_t *)(void *)(base + at.places);
    w->cells.next = (int32_t *)(void *)(base + at.next);
    w->edges = (real *)(void *)(base + at.edges);
    grid_size(&w->cells, side_of(scene), side_of(scene), scene->periodic, scene->periodic);
    queue_create(&w->events, (queue_line *)(void *)(base + at.lines), scene->bodies);
    w->side = (real)scene->side;
    w->low = scene->periodic ? 0 : REAL(0.5);
    w->high = scene->periodic ? w->side : w->side - REAL(0.5);
    for (uint32_t k = 1; k < w->cells.columns; k++) {
        w->edges[k] = (real)(scene->side / w->cells.columns * k);
    }
    w->edges[0] = w->low;
    w->edges[w->cells.columns] = w->high;
    w->inverse_cell = (real)(w->cells.columns / scene->side);
    w->contact = (real)scene->contact;
    w->epoch = (real)scene->epoch;
    w->events.last = w->epoch;
    w->response = (1 + scene->restitution) / 2;
    w->fetches = scene->bodies >= FETCH_LEAST;
}

static void put(void *memory, const double *x, const double *y, const double *vx, const double *vy)
{
    deep_world *w = (deep_world *)memory;
    for (uint32_t i = 0; i < w->scene.bodies; i++) {
        deep_body *b = &w->bodies[i];
        w->ids[i] = (int32_t)i;
        b->x = (real)x[i];
        b->y = (real)y[i];
        b->vx = (real)vx[i];
        b->vy = (real)vy[i];
        b->t = 0;
    }
    w->events.length = 0;
}

static void get(const void *memory, double *x, double *y, double *vx, double *vy)
{
    const deep_world *w = (const deep_world *)memory;
    for (uint32_t k = 0; k < w->scene.bodies; k++) {
        const deep_body *b = &w->bodies[k];
        const int32_t i = w->ids[k];
        x[i] = (double)b->x;
        y[i] = (double)b->y;
        vx[i] = (double)b->vx;
        vy[i] = (double)b->vy;
    }
}

/* ---- cells ---- */

/* Directions are numbered like the sides of the box: left, right, lower, upper. */
typedef struct departure {
    real time;
    int direction;
} departure;

/* Edges of cells from tables: the outermost are the sides of the box. */
CAROM_LANE real leaves_at(const real *edges, uint32_t index, real x, real v, real t)
{
    const real time = t + (edges[index - (v > 0 ? 0 : 1)] - x) / v;
    return v != 0 ? time : DEEP_NEVER;
}

/* When a body leaves its cell, by its record alone. */
CAROM_LANE departure departure_of(const deep_world *w, const deep_body *b)
{
    const real x = leaves_at(w->edges, grid_column(b->cell), b->x, b->vx, b->t);
    const real y = leaves_at(w->edges, grid_row(b->cell), b->y, b->vy, b->t);
    departure d;
    d.time = x <= y ? x : y;
    d.direction = x <= y ? (b->vx > 0 ? 1 : 0) : (b->vy > 0 ? 3 : 2);
    return d;
}

/* Does the body leave the box with its cell? */
CAROM_LANE bool is_at_side(const deep_world *w, const deep_body *b, int direction)
{
    const uint32_t index = direction < 2 ? grid_column(b->cell) : grid_row(b->cell);
    return index == ((direction & 1) != 0 ? w->cells.columns : 1);
}

/* ---- prediction ---- */

/* From where a body of cell `there` is to where a body of the neighbouring cell `here` sees it, in one direction. */
CAROM_LANE real shift_of(const deep_world *w, uint32_t here, uint32_t there)
{
    const uint32_t last = w->cells.columns;
    return here == 1 && there == last ? -w->side : here == last && there == 1 ? w->side : 0;
}

/* Meetings with LANES bodies. Only at the sides of a periodic box the next box is in sight. */
CAROM_LANE vreal meetings(const deep_world *w, const deep_body *b, deep_records self, bool near_side,
                          const int32_t *which)
{
    vreal shift_x = v_set1(0), shift_y = shift_x;
    if (near_side) {
        real x[LANES], y[LANES];
        for (int l = 0; l < LANES; l++) {
            const uint32_t there = w->bodies[which[l]].cell;
            x[l] = shift_of(w, grid_column(b->cell), grid_column(there));
            y[l] = shift_of(w, grid_row(b->cell), grid_row(there));
        }
        shift_x = v_loadu(x);
        shift_y = v_loadu(y);
    }
    return deep_meeting(self, deep_gather(w->bodies, which), shift_x, shift_y);
}

/* Makes the earliest meeting with a body of list[0..n) that of body i, if it comes before the one it has. The list may
 * be written up to LANES beyond n. */
CAROM_LANE void consider(deep_world *w, int32_t i, int32_t *list, uint32_t n)
{
    deep_body *b = &w->bodies[i];
    const deep_records self = deep_repeat(b);
    const uint32_t row = grid_row(b->cell), column = grid_column(b->cell), last = w->cells.columns;
    const bool near_side = w->scene.periodic && (row == 1 || row == last || column == 1 || column == last);
    real meeting = b->meeting;
    int32_t partner = GRID_NONE;
    /* A body never meets itself. */
    i_compress(list + n, m_below(LANES), i_set1(i));
    for (uint32_t k = 0; k < n; k += LANES) {
        const vreal time = meetings(w, b, self, near_side, list + k);
        const real least = v_least(time);
        if (least > meeting || least == DEEP_NEVER) {
            continue;
        }
        const int32_t best = partner != GRID_NONE ? partner : b->partner;
        unsigned bits = m_bits(v_eq(time, v_set1(least)));
        int32_t other = list[k + (unsigned)__builtin_ctz(bits)];
        for (bits &= bits - 1; bits != 0; bits &= bits - 1) {
            const int32_t next = list[k + (unsigned)__builtin_ctz(bits)];
            other = w->ids[next] < w->ids[other] ? next : other;
        }
        if (least < meeting || w->ids[other] <= w->ids[best]) {
            meeting = least;
            partner = other;
        }
    }
    if (partner != GRID_NONE) {
        b->meeting = meeting;
        b->partner = partner;
        b->partner_changes = w->bodies[partner].changes;
    }
}

/* The bodies behind the heads of chains in rows x columns cells from (row, column) on. */
static void consider_chained(deep_world *w, int32_t i, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns)
{
    int32_t list[CANDIDATES + LANES];
    for (uint32_t r = row; r < row + rows; r++) {
        for (uint32_t c = column; c < column + columns; c++) {
            const int32_t head = grid_at(&w->cells, r, c)[GRID_PLACES - 1];
            uint32_t n = 0;
            for (int32_t k = head == GRID_NONE ? GRID_NONE : w->cells.next[head]; k != GRID_NONE;
                 k = w->cells.next[k]) {
                list[n++] = k;
                if (n == CANDIDATES || w->cells.next[k] == GRID_NONE) {
                    consider(w, i, list, n);
                    n = 0;
                }
            }
        }
    }
}

CAROM_LANE void look(deep_world *w, int32_t i, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns)
{
    int32_t list[PARTNERS_MOST + 2 * 16];
    uint32_t n = 0;
    for (uint32_t r = 0; r < rows; r++) {
        n += i_pack16(list + n, grid_at(&w->cells, row + r, column), columns * GRID_PLACES, i);
    }
    consider(w, i, list, n);
    if (w->cells.chained != 0) {
        consider_chained(w, i, row, column, rows, columns);
    }
}

/* The earliest meeting of body i from its record on. */
static void predict(deep_world *w, int32_t i)
{
    deep_body *b = &w->bodies[i];
    b->meeting = DEEP_NEVER;
    look(w, i, grid_row(b->cell) - 1, grid_column(b->cell) - 1, 3, 3);
}

/* ---- the queue ---- */

CAROM_LANE real key_of(const deep_world *w, const deep_body *b)
{
    const real x = leaves_at(w->edges, grid_column(b->cell), b->x, b->vx, b->t);
    const real y = leaves_at(w->edges, grid_row(b->cell), b->y, b->vy, b->t), leaves = x <= y ? x : y;
    return b->meeting < leaves ? b->meeting : leaves;
}

/* A new window from `begin` on. */
static void refill(deep_world *w, real begin)
{
    queue *q = &w->events;
    queue_clear(q, begin);
    w->fetched = 0;
    for (uint32_t i = 0; i < w->scene.bodies; i++) {
        const real key = key_of(w, &w->bodies[i]);
        if (key < q->end) {
            queue_insert(q, key, (int32_t)i);
        }
    }
}

CAROM_LANE void enter(deep_world *w, int32_t i)
{
    const real key = key_of(w, &w->bodies[i]);
    if (key < w->events.end && !queue_insert(&w->events, key, i)) {
        refill(w, w->events.begin + (real)w->events.bucket / w->events.inverse_width);
    }
}

#define SAMPLE 255

/* A first window that half of the bodies' events are in, by a sample of them. */
static real first_length(const deep_world *w)
{
    real sample[SAMPLE];
    const uint32_t n = w->scene.bodies, count = n < SAMPLE ? n : SAMPLE;
    for (uint32_t s = 0; s < count; s++) {
        const real key = key_of(w, &w->bodies[(uint64_t)s * n / count]);
        uint32_t k = s;
        for (; k > 0 && sample[k - 1] > key; k--) {
            sample[k] = sample[k - 1];
        }
        sample[k] = key;
    }
    const real median = sample[count / 2];
    return median < w->epoch ? median : w->epoch;
}

/* ---- begin and end of an epoch ---- */

/* Bodies in order of cells. */
static void sort(deep_world *w)
{
    const uint32_t n = w->scene.bodies;
    int32_t *order = (int32_t *)(void *)w->events.lines; /* both are out of use now */
    uint32_t *starts = (uint32_t *)(void *)w->cells.places;
    for (uint32_t i = 0; i < n; i++) {
        deep_body *b = &w->bodies[i];
        b->cell = grid_name(grid_index(w->cells.rows, b->y, w->inverse_cell),
                            grid_index(w->cells.columns, b->x, w->inverse_cell));
    }
    grid_order(&w->cells, n, &w->bodies[0].cell, sizeof(deep_body), starts, order);
    for (uint32_t first = 0; first < n; first++) {
        const deep_body body = w->bodies[first];
        const int32_t id = w->ids[first];
        uint32_t to = first;
        for (uint32_t from; order[to] != -1; to = from) {
            from = (uint32_t)order[to];
            order[to] = -1;
            w->bodies[to] = from == first ? body : w->bodies[from];
            w->ids[to] = from == first ? id : w->ids[from];
        }
    }
}

static void begin(void *memory)
{
    deep_world *w = (deep_world *)memory;
    const uint32_t n = w->scene.bodies;
    sort(w);
    grid_clear(&w->cells);
    for (uint32_t i = 0; i < n; i++) {
        w->bodies[i].changes = 0;
        grid_insert(&w->cells, w->bodies[i].cell, (int32_t)i);
    }
    for (uint32_t i = 0; i < n; i++) {
        predict(w, (int32_t)i);
    }
    if (!(w->events.length > 0)) {
        w->events.length = first_length(w);
    }
    w->totals.now = 0;
    w->still = 0;
    refill(w, 0);
}

CAROM_LANE void move_to(deep_body *b, real time)
{
    const real wait = time - b->t;
    b->x = b->x + b->vx * wait;
    b->y = b->y + b->vy * wait;
    b->t = time;
    b->changes++;
}

static void end(void *memory, double at)
{
    deep_world *w = (deep_world *)memory;
    for (uint32_t i = 0; i < w->scene.bodies; i++) {
        move_to(&w->bodies[i], (real)at);
        w->bodies[i].t = 0;
    }
}

/* ---- events ---- */

CAROM_LANE real nearest(const deep_world *w, real p)
{
    const real half = w->side * REAL(0.5);
    return !w->scene.periodic ? p : p > half ? p - w->side : p < -half ? p + w->side : p;
}

/* Equal masses: the change of velocity is along the line of centres, (1 + e) / 2 of what approaches. */
CAROM_LANE void collide(deep_world *w, deep_body *i, deep_body *j, real time)
{
    const bool elastic = time - i->t < w->contact || time - j->t < w->contact;
    move_to(i, time);
    move_to(j, time);
    const real px = nearest(w, j->x - i->x), py = nearest(w, j->y - i->y);
    const real approach = px * (j->vx - i->vx) + py * (j->vy - i->vy), pp = px * px + py * py;
    w->totals.collisions++;
    if (approach < 0) {
        const real part = (elastic ? 1 : (real)w->response) * (approach / pp), ux = part * px, uy = part * py;
        i->vx = i->vx + ux;
        i->vy = i->vy + uy;
        j->vx = j->vx - ux;
        j->vy = j->vy - uy;
        w->totals.virial -= (double)(part * pp);
    }
}

/* A body enters through the opposite side, or turns back. */
CAROM_LANE void pass_side(deep_world *w, int32_t who, int direction, real time)
{
    deep_body *b = &w->bodies[who];
    const bool up = (direction & 1) != 0;
    move_to(b, time);
    w->totals.sides++;
    if (w->scene.periodic) {
        const uint32_t row = grid_row(b->cell), column = grid_column(b->cell), far = up ? 1 : w->cells.columns;
        grid_remove(&w->cells, b->cell, who);
        b->cell = direction < 2 ? grid_name(row, far) : grid_name(far, column);
        *(direction < 2 ? &b->x : &b->y) = up ? 0 : w->side;
        grid_insert(&w->cells, b->cell, who);
    } else {
        real *v = direction < 2 ? &b->vx : &b->vy;
        w->totals.push += 2 * (double)(up ? *v : -*v);
        *(direction < 2 ? &b->x : &b->y) = up ? w->high : w->low;
        *v = -*v;
    }
}

/* Into the next cell; the record stays. */
CAROM_LANE void cross(deep_world *w, int32_t who, int direction)
{
    deep_body *b = &w->bodies[who];
    uint32_t row = grid_row(b->cell), column = grid_column(b->cell);
    grid_remove(&w->cells, b->cell, who);
    row = direction == 2 ? row - 1 : direction == 3 ? row + 1 : row;
    column = direction == 0 ? column - 1 : direction == 1 ? column + 1 : column;
    b->cell = grid_name(row, column);
    grid_insert(&w->cells, b->cell, who);
    if (direction < 2) {
        look(w, who, row - 1, direction == 0 ? column - 1 : column + 1, 3, 1);
    } else {
        look(w, who, direction == 2 ? row - 1 : row + 1, column - 1, 1, 3);
    }
}

/* ---- fetching ahead ---- */

/* Worlds larger than the caches wait for memory, so the buckets to come ask for their lines beforehand, in three steps
 * that lie a bucket apart: the body; its partner and the places of its nine cells; the bodies there. */
CAROM_LANE void fetch_body(const deep_world *w, int32_t i)
{
    __builtin_prefetch(&w->bodies[i], 1);
}

CAROM_LANE void fetch_places(const deep_world *w, int32_t i)
{
    const deep_body *b = &w->bodies[i];
    const uint32_t row = grid_row(b->cell), column = grid_column(b->cell);
    __builtin_prefetch(grid_at(&w->cells, row - 1, column), 0);
    __builtin_prefetch(grid_at(&w->cells, row, column), 1);
    __builtin_prefetch(grid_at(&w->cells, row + 1, column), 0);
    if (b->meeting < DEEP_NEVER) {
        __builtin_prefetch(&w->bodies[b->partner], 1);
    }
}

CAROM_LANE void fetch_around(const deep_world *w, int32_t i)
{
    const deep_body *b = &w->bodies[i];
    int32_t list[PARTNERS_MOST + 16];
    uint32_t n = 0;
    for (uint32_t r = 0; r < 3; r++) {
        n += i_pack16(list + n, grid_at(&w->cells, grid_row(b->cell) + r - 1, grid_column(b->cell) - 1),
                      3 * GRID_PLACES, i);
    }
    for (uint32_t l = 0; l < n; l++) {
        __builtin_prefetch(&w->bodies[list[l]], 0);
    }
}

CAROM_LANE void fetch_neighbours(const deep_world *w, int32_t i)
{
    fetch_around(w, i);
    if (w->bodies[i].meeting < DEEP_NEVER) {
        fetch_around(w, w->bodies[i].partner);
    }
}

static void fetch(deep_world *w)
{
    const queue *q = &w->events;
    const uint32_t to = q->bucket + 1;
    for (w->fetched = w->fetched < q->bucket ? q->bucket : w->fetched; w->fetched < to; w->fetched++) {
        const uint32_t b = w->fetched;
        if (b + FETCH_AHEAD < q->buckets) {
            QUEUE_EACH(q, b + 3, who, fetch_body(w, who))
            QUEUE_EACH(q, b + 2, who, fetch_places(w, who))
            QUEUE_EACH(q, b + 1, who, fetch_neighbours(w, who))
        }
    }
}

/* ---- the loop ---- */

/* Where an event of body i at `key` stands among those of the same time: pairs of ids, crossings first. */
static uint64_t rank_of(const deep_world *w, int32_t i, real key)
{
    const deep_body *b = &w->bodies[i];
    uint64_t low = (uint64_t)w->ids[i], high;
    if (key == b->meeting) {
        high = (uint64_t)w->ids[b->partner];
    } else {
        const departure d = departure_of(w, b);
        if (!is_at_side(w, b, d.direction)) {
            return 0;
        }
        high = (uint64_t)w->scene.bodies + (unsigned)d.direction;
    }
    return low < high ? low << 32 | high : high << 32 | low;
}

/* Brings the first of several events of one time to the end of the agenda. */
static void order_equals(deep_world *w)
{
    queue *q = &w->events;
    const uint32_t last = q->count - 1;
    const real key = q->key[last];
    uint64_t least = rank_of(w, q->who[last], key);
    for (uint32_t k = last; k-- > 0 && q->key[k] == key;) {
        const uint64_t rank = rank_of(w, q->who[k], key);
        if (rank < least) {
            const int32_t who = q->who[k];
            q->who[k] = q->who[last];
            q->who[last] = who;
            least = rank;
        }
    }
}

static void meet(deep_world *w, int32_t i, real time)
{
    const int32_t j = w->bodies[i].partner;
    if (w->bodies[j].changes == w->bodies[i].partner_changes) {
        collide(w, &w->bodies[i], &w->bodies[j], time);
        predict(w, i);
        predict(w, j);
        enter(w, i);
        enter(w, j);
    } else {
        w->totals.stale++;
        predict(w, i);
        enter(w, i);
    }
}

static void leave(deep_world *w, int32_t i, real time)
{
    const departure d = departure_of(w, &w->bodies[i]);
    if (d.time != time) {
        return; /* an entry out of date */
    }
    if (is_at_side(w, &w->bodies[i], d.direction)) {
        pass_side(w, i, d.direction, time);
        predict(w, i);
    } else {
        w->totals.crossings++;
        cross(w, i, d.direction);
    }
    enter(w, i);
}

/* Counts events since time went on; false if they are too many. */
CAROM_LANE bool goes_on(deep_world *w, real time)
{
    if ((double)time > w->totals.now) {
        w->totals.now = (double)time;
        w->still = 0;
    } else if (++w->still > STALL_LIMIT * ((uint64_t)w->scene.bodies + 10)) {
        w->totals.fault |= DEEP_FAULT_STALLED;
        return false;
    }
    return true;
}

static bool run(void *memory, double until_given, uint64_t most)
{
    deep_world *w = (deep_world *)memory;
    queue *q = &w->events;
    const real until = (real)until_given;
    for (uint64_t k = 0; k < most && w->totals.fault == 0; k++) {
        const queue_state state = queue_advance(q);
        if (state == QUEUE_AT_END) {
            if (q->end >= until) {
                return true;
            }
            queue_tune(q);
            refill(w, q->end);
            continue;
        }
        if (state == QUEUE_FULL) {
            refill(w, (real)w->totals.now);
            continue;
        }
        if (w->fetches && w->fetched <= q->bucket) {
            fetch(w);
        }
        if (q->count > 1 && q->key[q->count - 2] == q->key[q->count - 1]) {
            order_equals(w);
        }
        const real time = q->key[q->count - 1];
        const int32_t i = q->who[q->count - 1];
        if (time >= until) {
            return true;
        }
        q->count--;
        w->totals.events++;
        if (!goes_on(w, time)) {
            return true;
        }
        if (time == w->bodies[i].meeting) {
            meet(w, i, time);
        } else {
            leave(w, i, time);
        }
    }
    return w->totals.fault != 0;
}

CAROM_EXTERN const deep_kernel CAROM_KERNEL(deep);
const deep_kernel CAROM_KERNEL(deep) = {bytes, create, put, get, begin, run, end};
