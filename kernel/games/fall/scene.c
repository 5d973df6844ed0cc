/* SPDX-License-Identifier: MIT
 * The options of fall, and the scene of a batch: from the caller's list of bodies to the kernels' tables.
 */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/hash.h"
#include "base/problem.h"
#include "games/fall/fall.h"

#define WALL 0.01 /* thickness of the box's walls, m */

uint32_t carom_fall_box(carom_fall_body bodies[8])
{
    /* Walls as (left, low, right, high), and the centres of the balls. */
    static const double walls[4][4] = {{0, 0, 1, WALL}, {0, 0, WALL, 1}, {1 - WALL, 0, 1, 1}, {0, 1 - WALL, 1, 1}};
    static const double balls[4][2] = {{0.2, 0.5}, {0.4, 0.8}, {0.6, 0.6}, {0.8, 0.9}};
    if (bodies == NULL) {
        return 0;
    }

    memset(bodies, 0, 8 * sizeof *bodies);
    for (int k = 0; k < 4; k++) {
        const double *w = walls[k];
        const double corners[4][2] = {{w[0], w[1]}, {w[2], w[1]}, {w[2], w[3]}, {w[0], w[3]}};
        bodies[k].fixed = 1;
        bodies[k].corner_count = 4;
        memcpy(bodies[k].corners, corners, sizeof corners);
        bodies[4 + k].x = balls[k][0];
        bodies[4 + k].y = balls[k][1];
        bodies[4 + k].radius = 0.05;
        bodies[4 + k].mass = 1;
    }
    return 8;
}

static bool is_in_range(double a, double least, double most)
{
    return a >= least && a <= most; /* false for NaN */
}

static bool is_moderate(double a)
{
    return is_in_range(a, -1000, 1000);
}

/* Is this body valid? Polygons must be fixed. */
static bool body_is_valid(const carom_fall_body *body)
{
    if (body->corner_count == 0) {
        return is_moderate(body->x) && is_moderate(body->y) && is_moderate(body->vx) && is_moderate(body->vy) &&
               is_moderate(body->ax) && is_moderate(body->ay) && is_in_range(body->radius, 1e-3, 1000) &&
               (body->fixed != 0 || is_in_range(body->mass, 1e-6, 1e6));
    }

    bool good = body->fixed != 0 && body->corner_count >= 3 && body->corner_count <= CAROM_FALL_CORNERS;
    for (uint32_t k = 0; k < body->corner_count && good; k++) {
        const double *a = body->corners[k], *b = body->corners[(k + 1) % body->corner_count];
        good = is_moderate(a[0]) && is_moderate(a[1]) && is_moderate(b[0]) && is_moderate(b[1]) &&
               fabs(a[0] - b[0]) + fabs(a[1] - b[1]) >= FALL_LEAST_EDGE;
    }
    return good;
}

#define ROW(member, kind, ...) OPTION(carom_fall_options, member, kind, __VA_ARGS__)
static const carom_option table[] = {
    {OPTION_LIST(carom_fall_options, bodies, body_count, CAROM_FALL_BODIES, "your own scene, with at least one circle"),
     .item_bytes = sizeof(carom_fall_body)},
    {ROW(scatter, NUMBER, -1, -1, 1000, "largest random change of start velocities; -1: 1 in the box, otherwise 0")},
    {ROW(gravity, NUMBER, -9.81, -1000, 1000, "added to every ay")},
    {ROW(keep, NUMBER, 0.98, 0, 1, "share of its velocity that a circle keeps in an impact")},
    {ROW(cutoff, NUMBER, 0.01, 0, 1000, "components of a velocity below it become 0 after an impact, m/s")},
    {ROW(kick, NUMBER, 0.5, 0, 1000, "the largest change of a velocity by an action, m/s")},
    {ROW(last_tick, COUNT, 1000, 1, INT32_MAX, "ticks after which a game is cut off")},
};

/* The checks that the table cannot express: the list of bodies, and a scatter between -1 and 0. */
static carom_status check(const carom_worlds_desc *desc, carom_problem *problem)
{
    const carom_fall_options *o = (const carom_fall_options *)desc->options;
    if ((o->bodies == NULL) != (o->body_count == 0) || o->body_count > CAROM_FALL_BODIES) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "bodies: either none, or 1 to %d", CAROM_FALL_BODIES);
    }
    if (o->scatter < 0 && o->scatter != -1) {
        return carom_wrong(problem, CAROM_ERROR_VALUE, "scatter: %.10g is neither -1 nor at least 0", o->scatter);
    }

    uint32_t circles = 0;
    for (uint32_t k = 0; k < o->body_count; k++) {
        if (!body_is_valid(&o->bodies[k])) {
            return carom_wrong(problem, CAROM_ERROR_VALUE, "bodies: number %u is not valid", k);
        }
        circles += o->bodies[k].corner_count == 0;
    }
    if (o->bodies != NULL && (circles < 1 || circles > FALL_CIRCLES)) {
        return carom_wrong(problem, CAROM_ERROR_VALUE, "bodies: %u circles, not 1 to %d", circles, FALL_CIRCLES);
    }
    return CAROM_OK;
}

const game_options carom_fall_table = {sizeof(carom_fall_options), table, sizeof table / sizeof table[0],
                                       CAROM_ERROR_VALUE,          check, NULL};

carom_fall_options carom_fall_options_default(void)
{
    carom_fall_options options;
    (void)carom_game_options_default(&carom_game_fall, &options);
    return options;
}

/* Reads the options and fills in those that depend on others. The default scene's bodies go to `box`. */
static carom_status read_options(const carom_worlds_desc *desc, carom_fall_options *options, carom_fall_body box[8])
{
    const carom_status status = carom_options_read(desc, options);
    if (status == CAROM_OK && options->scatter < 0) {
        options->scatter = options->bodies == NULL ? 1 : 0;
    }
    if (status == CAROM_OK && options->bodies == NULL) {
        options->body_count = carom_fall_box(box);
        options->bodies = box;
    }
    return status;
}

size_t carom_fall_context_bytes(const carom_worlds_desc *desc)
{
    return carom_game_check_options(desc, NULL) == CAROM_OK ? sizeof(fall_context) : 0;
}

/* Adds a circle to the scene. Actions kick the first free one. */
static void add_circle(fall_context *context, const carom_fall_body *body, double gravity, int32_t number)
{
    const int32_t k = context->circle_count++;
    fall_circle *circle = &context->circles[k];
    context->circle_of[number] = k;
    circle->body = number;
    circle->x = body->x;
    circle->y = body->y;
    circle->radius = body->radius;
    circle->fixed = body->fixed != 0;
    if (circle->fixed == 0) {
        circle->vx = body->vx;
        circle->vy = body->vy;
        circle->ax = body->ax;
        circle->ay = body->ay + gravity;
        circle->share = 1 / body->mass;
        context->kicked = context->kicked < 0 ? k : context->kicked;
    }
}

/* A coordinate of corner k, counted round the polygon; one near 0 becomes 0. */
static double corner_of(const carom_fall_body *body, uint32_t k, int axis)
{
    const double a = body->corners[k % body->corner_count][axis];
    return fabs(a) < FALL_NEAR_SCENE ? 0 : a;
}

/* Adds a polygon and its edges to the scene. */
static void add_polygon(fall_context *context, const carom_fall_body *body, int32_t number)
{
    fall_polygon *polygon = &context->polygons[context->polygon_count];
    context->polygon_of[number] = context->polygon_count++;

    polygon->body = number;
    polygon->first = context->edge_count;
    polygon->count = (int32_t)body->corner_count;
    polygon->left = polygon->right = corner_of(body, 0, 0);
    polygon->low = polygon->high = corner_of(body, 0, 1);
    for (uint32_t k = 0; k < body->corner_count; k++) {
        fall_edge *edge = &context->edges[context->edge_count++];
        edge->x = corner_of(body, k, 0);
        edge->y = corner_of(body, k, 1);
        edge->to_x = corner_of(body, k + 1, 0);
        edge->to_y = corner_of(body, k + 1, 1);

        /* The line starts at the smaller end. */
        const bool back = edge->x > edge->to_x || (edge->x == edge->to_x && edge->y > edge->to_y);
        const double dx = edge->to_x - edge->x, dy = edge->to_y - edge->y;
        edge->length = sqrt(dx * dx + dy * dy);
        edge->px = back ? edge->to_x : edge->x;
        edge->py = back ? edge->to_y : edge->y;
        edge->ux = (back ? -dx : dx) / edge->length;
        edge->uy = (back ? -dy : dy) / edge->length;

        edge->left = fmin(edge->x, edge->to_x);
        edge->right = fmax(edge->x, edge->to_x);
        edge->low = fmin(edge->y, edge->to_y);
        edge->high = fmax(edge->y, edge->to_y);
        polygon->left = fmin(polygon->left, edge->x);
        polygon->right = fmax(polygon->right, edge->x);
        polygon->low = fmin(polygon->low, edge->y);
        polygon->high = fmax(polygon->high, edge->y);
    }
}

/* Adds bodies i < j to the pairs if they can collide: at least one of them is a free circle. */
static void add_pair(fall_context *context, int32_t i, int32_t j)
{
    const int32_t a = context->circle_of[i], b = context->circle_of[j];
    fall_pair *pair = &context->pairs[context->pair_count];
    if ((a < 0 || context->circles[a].fixed != 0) && (b < 0 || context->circles[b].fixed != 0)) {
        return;
    }

    pair->polygon = a < 0 || b < 0;
    pair->a = a < 0 ? b : a;
    pair->first = a < 0 ? j : i;
    pair->second = a < 0 ? i : j;
    pair->b = pair->polygon != 0 ? context->polygon_of[pair->second] : b;
    if (pair->polygon == 0) {
        pair->ax = context->circles[b].ax - context->circles[a].ax;
        pair->ay = context->circles[b].ay - context->circles[a].ay;
    }
    context->pair_count++;
}

/* Builds the scene of a batch. Its numbers must not depend on the caller's rounding mode. */
carom_status carom_fall_context_create(const carom_worlds_desc *desc, void **result)
{
    carom_fall_options options;
    carom_fall_body box[8];
    const fp_environment caller = fp_begin();
    carom_status status = read_options(desc, &options, box);
    fall_context *context = status == CAROM_OK ? (fall_context *)calloc(1, sizeof *context) : NULL;
    if (status == CAROM_OK && context == NULL) {
        status = CAROM_ERROR_MEMORY;
    }
    if (status == CAROM_OK) {
        const int32_t count = (int32_t)options.body_count;
        context->body_count = count;
        context->kicked = -1;
        context->last_tick = options.last_tick;
        context->scatter = options.scatter;
        context->keep = options.keep;
        context->cutoff = options.cutoff;
        context->kick = options.kick;

        for (int32_t k = 0; k < count; k++) {
            context->circle_of[k] = context->polygon_of[k] = -1;
            if (options.bodies[k].corner_count == 0) {
                add_circle(context, &options.bodies[k], options.gravity, k);
            } else {
                add_polygon(context, &options.bodies[k], k);
            }
        }

        /* Pairs in the engine's order; then those with a polygon, circle by circle. */
        for (int32_t j = count - 1; j >= 1; j--) {
            for (int32_t i = j - 1; i >= 0; i--) {
                add_pair(context, i, j);
            }
        }
        for (int32_t k = 0; k < context->circle_count; k++) {
            for (int32_t p = 0; p < context->pair_count; p++) {
                if (context->pairs[p].polygon != 0 && context->pairs[p].a == k) {
                    context->obstacles[context->obstacle_count++] = p;
                }
            }
        }

        *result = context;
    }
    fp_end(caller);
    return status;
}

void carom_fall_context_destroy(void *any)
{
    free(any);
}

/* The numbers of a context in memory, padding counted as integers; every part fills whole words. */
typedef struct context_part {
    size_t items, ints, reals, ints_after;
} context_part;

#define LAST_INTS ((sizeof(fall_context) - offsetof(fall_context, obstacle_count)) / sizeof(int32_t))

static const context_part context_parts[] = {
    {1, 8, 4, 0},                                               /* the counts, and the options */
    {FALL_CIRCLES, 0, 8, 2},                                    /* circles */
    {CAROM_FALL_BODIES, 4, 4, 0},                               /* polygons */
    {(size_t)CAROM_FALL_BODIES * CAROM_FALL_CORNERS, 0, 13, 0}, /* edges */
    {CAROM_FALL_BODIES * (CAROM_FALL_BODIES - 1) / 2, 6, 2, 0}, /* pairs */
    {1, LAST_INTS, 0, 0},
};

static_assert(offsetof(fall_context, circles) == 64 && sizeof(fall_circle) == 72 && sizeof(fall_polygon) == 48 &&
                  sizeof(fall_edge) == 104 && sizeof(fall_pair) == 40 && LAST_INTS % 2 == 0,
              "context_parts has the whole structure");

uint64_t carom_fall_context_hash(const void *any)
{
    /* A context has no pointers, and is 0 wherever nothing was written, padding included. */
    const unsigned char *at = (const unsigned char *)any;
    uint64_t hash = 0;
    for (size_t k = 0; k < sizeof context_parts / sizeof context_parts[0]; k++) {
        const context_part *part = &context_parts[k];
        for (size_t item = 0; item < part->items; item++) {
            hash = hash_words(hash, at, part->ints, sizeof(int32_t));
            at += part->ints * sizeof(int32_t);
            hash = hash_words(hash, at, part->reals, sizeof(double));
            at += part->reals * sizeof(double);
            hash = hash_words(hash, at, part->ints_after, sizeof(int32_t));
            at += part->ints_after * sizeof(int32_t);
        }
    }
    return hash_end(hash_step(hash_step(hash, 0), sizeof(fall_context)));
}
