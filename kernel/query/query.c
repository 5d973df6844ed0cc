/* SPDX-License-Identifier: MIT
 * The functions of carom/query.h: checks questions, sorts them by world, and shares them among threads.
 *
 * Worlds of few things are read by the thread that answers, one after the other. A world of many things is read once,
 * and all threads answer from it.
 */
#include <carom/query.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "dispatch/dispatch.h"
#include "query/space.h"
#include "scenes/scenes.h"

#define FARTHEST 0x1p100 /* the greatest coordinate or radius: its third power is far from overflow */
#define BLOCK 256        /* questions that a thread takes at a time */
#define GRID_QUESTIONS 4 /* from this many questions about one world on, a grid pays off */

CAROM_KERNELS(kernels, query_kernel, query, _f64);

typedef enum query_kind { CAST, NEAREST, WITHIN } query_kind;

/* A thread's results for a question with a list of answers. */
typedef struct query_list {
    space_hit *hits;
    size_t room;
} query_list;

/* A call in progress. */
typedef struct query_call {
    const query_kernel *kernel;
    query_kind kind;
    carom_worlds *worlds;
    size_t count;
    const carom_query *queries;
    size_t *order; /* questions by world; NULL: they already are in order */
    size_t capacity;
    carom_found *found;
    size_t *counts;
    space_reader *readers; /* [threads] */
    query_list *lists;     /* [threads], of `within` */
    unsigned threads;
    space_reader *large; /* NULL, or what all threads read from: reader 0, with the current world */
    size_t first, last;  /* the questions about it, by world */
    bool out_of_memory;  /* set by any thread */
} query_call;

carom_query carom_query_default(void)
{
    return (carom_query){0, 0, 0, 1, 0, 0, INFINITY, UINT32_MAX, UINT32_MAX, CAROM_QUERY_NOBODY, false};
}

/* ---- checks ---- */

static bool is_place(double a)
{
    return fabs(a) <= FARTHEST;
}

/* The longest range in these worlds; INFINITY: no limit. */
static double longest_range(const space *s)
{
    const double x = s->horizontal == CAROM_SIDES_PERIODIC ? s->x1 - s->x0 : INFINITY;
    const double y = s->vertical == CAROM_SIDES_PERIODIC ? s->y1 - s->y0 : INFINITY;
    return CAROM_QUERY_BOXES * fmin(x, y);
}

static carom_status check(const query_call *call, size_t k, double longest)
{
    const carom_query *q = &call->queries[k];
    carom_worlds *worlds = call->worlds;
    if (q->world >= worlds->desc.count) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_ARGUMENT, "query %zu: world %zu of a batch of %zu", k, q->world,
                                   worlds->desc.count);
    }
    if (q->ignore != CAROM_QUERY_NOBODY && q->ignore >= call->readers[0].bodies) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_ARGUMENT, "query %zu: ignore: there is no body %u", k,
                                   (unsigned)q->ignore);
    }
    if (!is_place(q->x) || !is_place(q->y)) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_VALUE, "query %zu: (%g, %g) is not a position", k, q->x, q->y);
    }
    if (!(q->radius >= 0) || !is_place(q->radius)) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_VALUE, "query %zu: radius %g", k, q->radius);
    }
    if (!(q->range >= 0)) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_VALUE, "query %zu: range %g", k, q->range);
    }
    if (call->kind != CAST) {
        return CAROM_OK;
    }
    if (!isfinite(q->dx) || !isfinite(q->dy) || (q->dx == 0 && q->dy == 0)) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_VALUE, "query %zu: (%g, %g) is not a direction", k, q->dx,
                                   q->dy);
    }
    if (q->range > longest) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_VALUE,
                                   "query %zu: range %g, but rays in this periodic box may have %g at most", k,
                                   q->range, longest);
    }
    return CAROM_OK;
}

/* ---- one answer ---- */

/* Of any vector of finite numbers. Unlike hypot(), the same on every machine. */
static double length_of(double x, double y)
{
    const double size = fmax(fabs(x), fabs(y)), a = x / size, b = y / size;
    return size > 0 ? size * sqrt(a * a + b * b) : 0;
}

/* Maps a coordinate into a periodic box. */
static double into(double a, carom_scene_sides sides, double low, double high)
{
    const double size = high - low;
    if (sides != CAROM_SIDES_PERIODIC || (a >= low && a <= high)) {
        return a;
    }
    const double in = a - size * floor((a - low) / size);
    return fmin(fmax(in, low), high);
}

static space_question question_of(const space *s, const carom_query *q)
{
    const space_question question = {
        .x = into(q->x, s->horizontal, s->x0, s->x1),
        .y = into(q->y, s->vertical, s->y0, s->y1),
        .dx = q->dx,
        .dy = q->dy,
        .radius = q->radius,
        .range = q->range,
        .category = (int32_t)q->category,
        .mask = (int32_t)q->mask,
        .ignore = q->ignore != CAROM_QUERY_NOBODY ? (int32_t)q->ignore : -1,
        .sensors = q->sensors,
    };
    return question;
}

static double nearest_image(double d, carom_scene_sides sides, double size)
{
    return sides == CAROM_SIDES_PERIODIC ? d - size * floor(d / size + 0.5) : d;
}

/* The vector from a thing's nearest point to the circle's centre, with the point in (x, y) of the answer. */
typedef struct query_arm {
    double x, y;
} query_arm;

/* Of a circle: the arm is along the line of centres. */
static query_arm disc_arm(const space *s, double x, double y, const double disc[3], carom_found *found)
{
    const double px = nearest_image(x - disc[0], s->horizontal, s->x1 - s->x0);
    const double py = nearest_image(y - disc[1], s->vertical, s->y1 - s->y0);
    const double length = length_of(px, py);
    const double share = length > 0 ? disc[2] / length : 0;
    found->x = disc[0] + px * share;
    found->y = disc[1] + py * share;
    return (query_arm){px, py};
}

/* Of an edge: its nearest point, and its part. corners: of the polygon, or 0 for a wall. */
static query_arm edge_arm(double x, double y, const double e[4], bool touches, uint32_t corners, carom_found *found)
{
    const double ex = e[2] - e[0], ey = e[3] - e[1], square = ex * ex + ey * ey;
    const double foot = square > 0 ? ((x - e[0]) * ex + (y - e[1]) * ey) / square : 0;
    const double at = fmin(fmax(foot, 0), 1);
    found->x = at < 1 ? e[0] + at * ex : e[2];
    found->y = at < 1 ? e[1] + at * ey : e[3];

    /* A ray ends on the edge: only circles distinguish the ends from the points between them. */
    if (!touches && (foot <= 0 || foot >= 1)) {
        const uint32_t end = foot <= 0 ? 0 : 1;
        found->part = corners == 0 ? 1 + end : corners + (found->part + end) % corners;
    }
    return (query_arm){x - found->x, y - found->y};
}

/* The normal of an edge at which a ray, whose centre ends on it, arrives. */
static query_arm edge_normal(const double e[4], double ux, double uy)
{
    const double nx = e[1] - e[3], ny = e[2] - e[0], fall = nx * ux + ny * uy;
    if (fall == 0) {
        return (query_arm){-ux, -uy};
    }
    return fall > 0 ? (query_arm){-nx, -ny} : (query_arm){nx, ny};
}

/* Of an arc. on_it: a ray ends on the curve; it has come along (ux, uy). */
static query_arm arc_arm(double x, double y, const double arc[SPACE_NUMBERS], bool on_it, double ux, double uy,
                         carom_found *found)
{
    const double px = x - arc[0], py = y - arc[1], length = length_of(px, py), radius = arc[2];
    double ends[2][2];
    for (int k = 0; k < 2; k++) {
        const double ex = arc[3 + 2 * k] - arc[0], ey = arc[4 + 2 * k] - arc[1], grow = radius / length_of(ex, ey);
        ends[k][0] = ex * grow, ends[k][1] = ey * grow;
    }
    const bool ring = arc[3] == arc[5] && arc[4] == arc[6];
    const bool past_a = ends[0][0] * py - ends[0][1] * px >= 0, before_b = px * ends[1][1] - py * ends[1][0] >= 0;
    const bool major = ends[0][0] * ends[1][1] - ends[0][1] * ends[1][0] < 0;
    const bool over = ring || (major ? past_a || before_b : past_a && before_b);

    if (on_it || over) {
        const double nx = length > 0 ? px / length : 1, ny = length > 0 ? py / length : 0;
        const bool within = on_it ? px * ux + py * uy > 0 : length < radius;
        const double away = !on_it ? length - radius : found->inside ? 0 : within ? -1 : 1;
        found->x = arc[0] + nx * radius;
        found->y = arc[1] + ny * radius;
        found->part = within ? 3 : 0;
        return (query_arm){nx * away, ny * away};
    }

    const double to_a = length_of(px - ends[0][0], py - ends[0][1]), to_b = length_of(px - ends[1][0], py - ends[1][1]);
    const int end = to_b < to_a;
    found->x = arc[0] + ends[end][0];
    found->y = arc[1] + ends[end][1];
    found->part = 1 + (uint32_t)end;
    return (query_arm){px - ends[end][0], py - ends[end][1]};
}

static carom_found found_of(const space_reader *r, const space_question *q, bool cast, space_hit hit)
{
    const space *s = &r->held;
    carom_found found = {.kind = CAROM_FOUND_NONE, .distance = hit.distance};
    if (hit.id == SPACE_NOTHING) {
        return found;
    }
    found.inside = hit.distance <= 0;

    /* The circle's position then. */
    const double longer = fmax(fabs(q->dx), fabs(q->dy)), dx = q->dx / longer, dy = q->dy / longer;
    const double length = length_of(dx, dy), go = cast ? hit.distance : 0;
    const double ux = cast ? dx / length : 0, uy = cast ? dy / length : 0;
    const double x = into(q->x + ux * go, s->horizontal, s->x0, s->x1);
    const double y = into(q->y + uy * go, s->vertical, s->y0, s->y1);

    query_arm arm;
    if (hit.set < 0) {
        const uint32_t side = (uint32_t)(hit.id - s->first_side);
        found.kind = CAROM_FOUND_SIDE;
        found.index = side;
        found.x = side == 0 ? s->x0 : side == 1 ? s->x1 : x;
        found.y = side == 2 ? s->y0 : side == 3 ? s->y1 : y;
        found.nx = side == 0 ? 1 : side == 1 ? -1 : 0;
        found.ny = side == 2 ? 1 : side == 3 ? -1 : 0;
        return found;
    }

    const space_set *set = &s->sets[hit.set];
    double numbers[SPACE_NUMBERS] = {0};
    for (int n = 0; n < space_numbers(set->kind); n++) {
        numbers[n] = set->v[n][hit.at];
    }
    const bool body = hit.id < s->first_side;
    const space_name name =
        body ? (space_name){CAROM_FOUND_BODY, (uint32_t)hit.id, 0} : r->names[hit.id - s->first_side - 4];
    found.kind = name.kind;
    found.index = name.index;
    found.part = name.part;
    if (set->kind == SPACE_DISCS) {
        arm = disc_arm(s, x, y, numbers, &found);
    } else if (set->kind == SPACE_ARCS) {
        arm = arc_arm(x, y, numbers, cast && q->radius == 0, ux, uy, &found);
    } else {
        const uint32_t corners = name.kind == CAROM_FOUND_POLYGON ? r->scene->desc.polygons[name.index].corners : 0;
        const bool ends_on_it = cast && q->radius == 0 && !found.inside;
        arm = edge_arm(x, y, numbers, cast && q->radius == 0, corners, &found);
        arm = ends_on_it ? edge_normal(numbers, ux, uy) : arm;
    }

    const double arm_length = length_of(arm.x, arm.y);
    found.nx = arm_length > 0 ? arm.x / arm_length : 0;
    found.ny = arm_length > 0 ? arm.y / arm_length : 0;
    return found;
}

/* ---- lists ---- */

static int by_id(const void *a, const void *b)
{
    const space_hit *x = a, *y = b;
    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return (x->distance > y->distance) - (x->distance < y->distance);
}

/* Answers with a list: each thing once, polygons with their nearest edge. False if out of memory. */
static bool answer_list(query_call *call, const space_reader *r, size_t k, unsigned thread)
{
    const size_t room = space_elements(&r->held);
    query_list *own = &call->lists[thread];
    if (room > own->room) {
        space_hit *hits = realloc(own->hits, room * sizeof *hits);
        if (hits == NULL) {
            return false;
        }
        own->hits = hits;
        own->room = room;
    }

    const space_question q = question_of(&r->held, &call->queries[k]);
    space_hit *list = own->hits;
    const size_t count = call->kernel->within(&r->held, &q, list);
    qsort(list, count, sizeof *list, by_id);

    size_t things = 0;
    carom_found last = {.kind = CAROM_FOUND_NONE};
    for (size_t i = 0; i < count; i++) {
        const carom_found found = found_of(r, &q, false, list[i]);
        const bool same = things > 0 && found.kind == last.kind && found.index == last.index;
        things += !same;
        last = same && last.distance <= found.distance ? last : found;
        if (things <= call->capacity) {
            call->found[k * call->capacity + things - 1] = last;
        }
    }
    call->counts[k] = things;
    return true;
}

static bool answer(query_call *call, const space_reader *r, size_t k, unsigned thread)
{
    if (call->kind == WITHIN) {
        return answer_list(call, r, k, thread);
    }
    const space_question q = question_of(&r->held, &call->queries[k]);
    const space_hit hit = call->kind == CAST ? call->kernel->cast(&r->held, &q) : call->kernel->nearest(&r->held, &q);
    call->found[k] = found_of(r, &q, call->kind == CAST, hit);
    return true;
}

/* ---- all answers ---- */

/* The i-th question by world. */
static size_t question_at(const query_call *call, size_t i)
{
    return call->order != NULL ? call->order[i] : i;
}

/* Some of the questions from call->first to call->last, by one thread. */
static void answer_block(void *argument, size_t item, unsigned thread)
{
    query_call *call = argument;
    const size_t first = call->first + item * BLOCK;
    const size_t last = first + BLOCK < call->last ? first + BLOCK : call->last;
    bool good = true;

    for (size_t i = first; good && i < last; i++) {
        const size_t k = question_at(call, i), world = call->queries[k].world;
        space_reader *own = &call->readers[thread];
        if (call->large == NULL && own->world != world) {
            good = carom_space_read(own, world, false) == CAROM_OK;
        }
        good = good && answer(call, call->large != NULL ? call->large : own, k, thread);
    }
    if (!good) {
        __atomic_store_n(&call->out_of_memory, true, __ATOMIC_RELAXED);
    }
}

static void answer_span(query_call *call, size_t first, size_t last)
{
    call->first = first;
    call->last = last;
    carom_parallel_for(call->threads, call->worlds->where, (last - first + BLOCK - 1) / BLOCK, answer_block, call);
}

/* World by world, each read once for all threads. */
static void answer_large(query_call *call)
{
    for (size_t first = 0, last; first < call->count && !call->out_of_memory; first = last) {
        const size_t world = call->queries[question_at(call, first)].world;
        last = first + 1;
        while (last < call->count && call->queries[question_at(call, last)].world == world) {
            last++;
        }
        if (carom_space_read(&call->readers[0], world, last - first >= GRID_QUESTIONS) != CAROM_OK) {
            call->out_of_memory = true;
            return;
        }
        call->large = &call->readers[0];
        answer_span(call, first, last);
    }
}

/* Sorts the questions by world. Nearly always they are in order. */
static bool put_in_order(query_call *call)
{
    bool sorted = true;
    for (size_t k = 1; k < call->count; k++) {
        sorted = sorted && call->queries[k - 1].world <= call->queries[k].world;
    }
    if (sorted) {
        return true;
    }

    /* A counting sort. */
    const size_t worlds = call->worlds->desc.count;
    size_t *next = calloc(worlds + 1, sizeof *next);
    call->order = malloc(call->count * sizeof *call->order);
    if (next == NULL || call->order == NULL) {
        free(next);
        return false;
    }
    for (size_t k = 0; k < call->count; k++) {
        next[call->queries[k].world + 1]++;
    }
    for (size_t w = 0; w < worlds; w++) {
        next[w + 1] += next[w];
    }
    for (size_t k = 0; k < call->count; k++) {
        call->order[next[call->queries[k].world]++] = k;
    }
    free(next);
    return true;
}

static carom_status answer_all(query_call *call)
{
    carom_status status = carom_space_open(&call->readers[0], call->worlds);
    if (status == CAROM_ERROR_ARGUMENT) {
        return carom_worlds_refuse(call->worlds, status, "worlds of %s have no positions", call->worlds->type->name);
    }
    const double longest = longest_range(&call->readers[0].held);
    for (size_t k = 0; status == CAROM_OK && k < call->count; k++) {
        status = check(call, k, longest);
    }
    if (status != CAROM_OK) {
        return status;
    }

    const space_reader *r = &call->readers[0];
    const bool large = r->bodies + r->edges.count + r->arcs.count > CAROM_QUERY_SMALL;
    for (unsigned t = 1; t < call->threads && !large && status == CAROM_OK; t++) {
        status = carom_space_open(&call->readers[t], call->worlds);
    }
    if (status != CAROM_OK || !put_in_order(call)) {
        return CAROM_ERROR_MEMORY;
    }
    if (large) {
        answer_large(call);
    } else {
        answer_span(call, 0, call->count);
    }
    return call->out_of_memory ? CAROM_ERROR_MEMORY : CAROM_OK;
}

static carom_status ask(query_call call)
{
    carom_isa isa;
    if (call.worlds == NULL || (call.count > 0 && call.queries == NULL)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_status status = carom_isa_resolve(call.worlds->desc.isa, &isa);
    if (status != CAROM_OK || call.count == 0) {
        return status;
    }

    const size_t blocks = (call.count + BLOCK - 1) / BLOCK;
    call.kernel = kernels[isa];
    call.threads = call.worlds->desc.threads < blocks ? call.worlds->desc.threads : (unsigned)blocks;
    call.threads = call.threads > 0 ? call.threads : 1;
    call.readers = calloc(call.threads, sizeof *call.readers);
    call.lists = calloc(call.threads, sizeof *call.lists);

    carom_status answered = CAROM_ERROR_MEMORY;
    if (call.readers != NULL && call.lists != NULL) {
        const fp_environment caller = fp_begin();
        answered = answer_all(&call);
        fp_end(caller);
        for (unsigned t = 0; t < call.threads; t++) {
            carom_space_close(&call.readers[t]);
            free(call.lists[t].hits);
        }
    }
    free(call.readers);
    free(call.lists);
    free(call.order);
    return answered;
}

carom_status carom_worlds_cast(carom_worlds *worlds, size_t count, const carom_query *queries, carom_found *found)
{
    if (count > 0 && found == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    return ask((query_call){.kind = CAST, .worlds = worlds, .count = count, .queries = queries, .found = found});
}

carom_status carom_worlds_nearest(carom_worlds *worlds, size_t count, const carom_query *queries, carom_found *found)
{
    if (count > 0 && found == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    return ask((query_call){.kind = NEAREST, .worlds = worlds, .count = count, .queries = queries, .found = found});
}

carom_status carom_worlds_within(carom_worlds *worlds, size_t count, const carom_query *queries, size_t capacity,
                                 carom_found *found, size_t *counts)
{
    if (count > 0 && (counts == NULL || (found == NULL && capacity > 0))) {
        return CAROM_ERROR_ARGUMENT;
    }
    return ask((query_call){.kind = WITHIN,
                            .worlds = worlds,
                            .count = count,
                            .queries = queries,
                            .capacity = capacity,
                            .found = found,
                            .counts = counts});
}
