/* SPDX-License-Identifier: MIT
 * The maps of csb: the real game's thirteen, the maps that a batch draws from them, and the caller's own. Also the
 * game's options, most of which are about maps.
 */
#include "games/csb/csb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/problem.h"
#include "base/random.h"

#define SHIFT 30 /* a drawn map shifts coordinates by at most this, in either direction */
#define DRAWN_LAPS 3
#define MOST_CHECKPOINTS 1024
#define MOST_LAPS 31

/* The checkpoints of the base maps, in the referee's order, map after map. */
static const int32_t base_points[][2] = {
    {12460, 1350}, {10540, 5980}, {3580, 5180},  {13580, 7600},                               /* 0 */
    {3600, 5280},  {13840, 5080}, {10680, 2280}, {8700, 7460},  {7200, 2160},                 /* 1 */
    {4560, 2180},  {7350, 4940},  {3320, 7230},  {14580, 7700}, {10560, 5060}, {13100, 2320}, /* 2 */
    {5010, 5260},  {11480, 6080}, {9100, 1840},                                               /* 3 */
    {14660, 1410}, {3450, 7220},  {9420, 7240},  {5970, 4240},                                /* 4 */
    {3640, 4420},  {8000, 7900},  {13300, 5540}, {9560, 1400},                                /* 5 */
    {4100, 7420},  {13500, 2340}, {12940, 7220}, {5640, 2580},                                /* 6 */
    {14520, 7780}, {6320, 4290},  {7800, 860},   {7660, 5970},  {3140, 7540},  {9520, 4380},  /* 7 */
    {10040, 5970}, {13920, 1940}, {8020, 3260},  {2670, 7020},                                /* 8 */
    {7500, 6940},  {6000, 5360},  {11300, 2820},                                              /* 9 */
    {4060, 4660},  {13040, 1900}, {6560, 7840},  {7480, 1360},  {12700, 7100},                /* 10 */
    {3020, 5190},  {6280, 7760},  {14100, 7760}, {13880, 1220}, {10240, 4920}, {6100, 2200},  /* 11 */
    {10323, 3366}, {11203, 5425}, {7259, 6656},  {5425, 2838},                                /* 12 */
};
static const uint8_t base_counts[CAROM_CSB_BASE_MAPS] = {4, 5, 6, 3, 4, 4, 4, 6, 4, 3, 5, 6, 4};

const int32_t (*carom_csb_base_map(size_t index, uint32_t *count))[2]
{
    if (index >= CAROM_CSB_BASE_MAPS) {
        return NULL;
    }
    size_t first = 0;
    for (size_t k = 0; k < index; k++) {
        first += base_counts[k];
    }
    if (count != NULL) {
        *count = base_counts[index];
    }
    return &base_points[first];
}

/* Is this map valid? In f32 coordinates must be smaller, and no leg may have length 0. */
static bool map_is_valid(const carom_csb_map *map, carom_precision precision)
{
    if (map->count < 2 || map->count > MOST_CHECKPOINTS || map->laps < 1 || map->laps > MOST_LAPS ||
        map->count * map->laps >= INT16_MAX) {
        return false;
    }

    const int32_t most = precision == CAROM_F64 ? 1 << 24 : 1 << 16;
    for (uint32_t k = 0; k < map->count; k++) {
        const int32_t *here = map->checkpoints[k], *next = map->checkpoints[(k + 1) % map->count];
        if (here[0] < -most || here[0] > most || here[1] < -most || here[1] > most ||
            (here[0] == next[0] && here[1] == next[1])) {
            return false;
        }
    }
    return true;
}

static const char *const rules[] = {"full", "test"};

#define ROW(member, kind, ...) OPTION(carom_csb_options, member, kind, __VA_ARGS__)
static const carom_option table[] = {
    {ROW(rules, CHOICE, CAROM_CSB_FULL, 0, 1, "the real game, or the referee's test mode, which accepts any thrust"),
     .choices = rules},
    {ROW(map_count, COUNT, 1024, 1, 1 << 24, "maps drawn for the batch")},
    {OPTION_LIST(carom_csb_options, maps, map_count, 1 << 24, "maps instead of drawn ones")},
    {ROW(map_seed, SEED, 0, 0, 0, "seed of the maps, instead of the batch's")},
    {ROW(ticks, COUNT, CSB_LAST_TICK, 1, 1 << 30, "ticks after which a game is cut off")},
    {ROW(fair_timeouts, FLAG, 0, 0, 1, "if both run out of time in a tick, the score decides")},
    {ROW(alone, FLAG, 0, 0, 1, "a time trial: player 1's pods are far off the board")},
    {ROW(progress_reward, NUMBER, 1, -1e6, 1e6, "reward for the change of progress")},
    {ROW(checkpoint_reward, NUMBER, 0, -1e6, 1e6, "reward for each checkpoint that a pod passes")},
    {ROW(result_reward, NUMBER, 1, -1e6, 1e6, "reward for the end of a game")},
};

/* An upper bound on the points of all expanded lists. No base map has more than 6 checkpoints. */
static size_t count_points(const carom_csb_options *options)
{
    size_t points = 0;
    for (uint32_t k = 0; k < options->map_count && options->maps != NULL; k++) {
        points += (size_t)options->maps[k].count * options->maps[k].laps + 1;
    }
    return options->maps != NULL ? points : (size_t)options->map_count * (6 * DRAWN_LAPS + 1);
}

/* The checks that the table cannot express: the caller's maps, and that indices of points fit int32. */
static carom_status check(const carom_worlds_desc *desc, carom_problem *problem)
{
    const carom_csb_options *o = (const carom_csb_options *)desc->options;
    for (uint32_t k = 0; k < o->map_count && o->maps != NULL; k++) {
        if (o->maps[k].checkpoints == NULL) {
            return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "maps: number %u has no checkpoints", k);
        }
        if (!map_is_valid(&o->maps[k], desc->precision)) {
            return carom_wrong(problem, CAROM_ERROR_VALUE, "maps: number %u is not valid", k);
        }
    }
    return count_points(o) <= INT32_MAX ? CAROM_OK
                                        : carom_wrong(problem, CAROM_ERROR_VALUE, "maps: too many checkpoints");
}

const game_options carom_csb_table = {sizeof(carom_csb_options), table, sizeof table / sizeof table[0],
                                      CAROM_ERROR_ARGUMENT,      check, NULL};

carom_csb_options carom_csb_options_default(void)
{
    carom_csb_options options;
    (void)carom_game_options_default(&carom_game_csb, &options);
    return options;
}

size_t carom_csb_context_bytes(const carom_worlds_desc *desc)
{
    carom_csb_options options;
    return carom_options_read(desc, &options) != CAROM_OK
               ? 0
               : sizeof(csb_context) + options.map_count * (sizeof(csb_course) + sizeof(int32_t[2])) +
                     count_points(&options) * sizeof(int32_t[2]);
}

/* Writes a map's expanded list, every checkpoint of every lap and the first once more, and the start positions. Returns
 * the number of points. */
static size_t expand(const int32_t (*checkpoints)[2], uint32_t n, uint32_t laps, size_t first, int32_t (*points)[2],
                     csb_course *course)
{
    static const double offsets[CSB_PODS][2] = {{500, -500}, {-500, 500}, {1500, -1500}, {-1500, 1500}};

    size_t count = (size_t)n * laps + 1;
    for (size_t k = 0; k < count; k++) {
        memcpy(points[first + k], checkpoints[k % n], sizeof points[0]);
    }
    course->n = (int32_t)n;
    course->last = (int32_t)(count - 1);
    course->first = (int32_t)first;

    /* Pods start in a row across the line to checkpoint 1, rounded as the referee rounds. */
    double ex = checkpoints[1][0] - checkpoints[0][0], ey = checkpoints[1][1] - checkpoints[0][1];
    double length = sqrt(ex * ex + ey * ey);
    double ux = ex / length, uy = ey / length;
    for (int i = 0; i < CSB_PODS; i++) {
        course->start_x[i] = floor((checkpoints[0][0] + uy * offsets[i][0]) + 0.5);
        course->start_y[i] = floor((checkpoints[0][1] + ux * offsets[i][1]) + 0.5);
    }
    return count;
}

/* Draws map number `index` of a seed, and returns its number of checkpoints: a base map, then a shift of each
 * coordinate, then a cyclic permutation of the checkpoints (Sattolo's algorithm). */
static uint32_t draw_map(uint64_t seed, uint32_t index, int32_t (*checkpoints)[2])
{
    random_stream stream = random_begin(seed, index, CSB_DRAW_MAP, 0);
    uint32_t n;
    const int32_t(*base)[2] = carom_csb_base_map(random_below(&stream, CAROM_CSB_BASE_MAPS), &n);
    for (uint32_t k = 0; k < n; k++) {
        for (int axis = 0; axis < 2; axis++) {
            checkpoints[k][axis] = base[k][axis] + (int32_t)random_below(&stream, 2 * SHIFT + 1) - SHIFT;
        }
    }

    for (uint32_t k = n - 1; k >= 1; k--) {
        uint32_t other = random_below(&stream, k);
        int32_t kept[2];
        memcpy(kept, checkpoints[k], sizeof kept);
        memcpy(checkpoints[k], checkpoints[other], sizeof kept);
        memcpy(checkpoints[other], kept, sizeof kept);
    }
    return n;
}

/* Creates a batch's maps and options. */
carom_status carom_csb_context_create(const carom_worlds_desc *desc, void **result)
{
    carom_csb_options options;
    const carom_status status = carom_options_read(desc, &options);
    if (status != CAROM_OK) {
        return status;
    }

    const size_t points = count_points(&options);
    csb_context *context = (csb_context *)calloc(1, sizeof *context);
    csb_course *courses = (csb_course *)calloc(options.map_count, sizeof *courses);
    int32_t(*spans)[2] = (int32_t(*)[2])calloc(options.map_count, sizeof *spans);
    int32_t(*all)[2] = (int32_t(*)[2])calloc(points, sizeof *all);
    if (context == NULL || courses == NULL || spans == NULL || all == NULL) {
        free(context);
        free(courses);
        free(spans);
        free(all);
        return CAROM_ERROR_MEMORY;
    }

    /* Start positions must not depend on the caller's rounding mode. */
    const fp_environment caller = fp_begin();
    size_t used = 0;
    for (uint32_t k = 0; k < options.map_count; k++) {
        if (options.maps != NULL) {
            const carom_csb_map *map = &options.maps[k];
            used += expand(map->checkpoints, map->count, map->laps, used, all, &courses[k]);
        } else {
            int32_t drawn[8][2];
            uint32_t n = draw_map(options.map_seed != NULL ? *options.map_seed : desc->seed, k, drawn);
            used += expand((const int32_t(*)[2])drawn, n, DRAWN_LAPS, used, all, &courses[k]);
        }
        spans[k][0] = courses[k].first;
        spans[k][1] = courses[k].last;
    }
    fp_end(caller);

    context->rules = options.rules;
    context->ticks = (int32_t)options.ticks;
    context->fair = options.fair_timeouts != 0;
    context->alone = options.alone != 0;
    context->weights[CSB_FOR_PROGRESS] = options.progress_reward;
    context->weights[CSB_FOR_CHECKPOINT] = options.checkpoint_reward;
    context->weights[CSB_FOR_RESULT] = options.result_reward;
    context->drawn = options.maps == NULL;
    context->map_count = options.map_count;
    context->courses = courses;
    context->spans = spans;
    context->points = all;
    context->point_count = used;

    *result = context;
    return CAROM_OK;
}

void carom_csb_context_destroy(void *any)
{
    csb_context *context = (csb_context *)any;
    if (context != NULL) {
        free(context->courses);
        free(context->spans);
        free(context->points);
        free(context);
    }
}

/* Is this the referee's own game, without training options? Then its hash leaves the options out, so that records made
 * before they existed still match. */
static bool is_referees(const csb_context *context)
{
    return context->ticks == CSB_LAST_TICK && !context->fair && !context->alone &&
           context->weights[CSB_FOR_PROGRESS] == 1 && context->weights[CSB_FOR_CHECKPOINT] == 0 &&
           context->weights[CSB_FOR_RESULT] == 1;
}

uint64_t carom_csb_context_hash(const void *any)
{
    const csb_context *context = (const csb_context *)any;
    uint64_t hash = hash_step(context->rules, context->drawn);
    for (uint32_t k = 0; k < context->map_count; k++) {
        hash = hash_step(hash_step(hash, (uint64_t)context->courses[k].n), (uint64_t)context->courses[k].last);
    }
    hash = hash_array(hash, context->points, 2 * (size_t)context->point_count, sizeof context->points[0][0]);
    if (is_referees(context)) {
        return hash;
    }

    hash = hash_step(hash, (uint64_t)context->ticks << 2 | (uint64_t)context->fair << 1 | (uint64_t)context->alone);
    return hash_array(hash, context->weights, CSB_WEIGHTS, sizeof context->weights[0]);
}

size_t carom_csb_context_image(const void *any, void *to, uint64_t address)
{
    /* The context is followed in memory by courses, spans and points. */
    const csb_context *context = (const csb_context *)any;
    const size_t courses = memory_aligned(sizeof *context);
    const size_t spans = courses + memory_aligned(context->map_count * sizeof context->courses[0]);
    const size_t points = spans + memory_aligned(context->map_count * sizeof context->spans[0]);
    const size_t bytes = points + memory_aligned(context->point_count * sizeof context->points[0]);
    if (to == NULL) {
        return bytes;
    }

    unsigned char *image = (unsigned char *)to;
    memset(image, 0, bytes);
    csb_context head = *context;
    head.courses = (csb_course *)(uintptr_t)(address + courses);
    head.spans = (int32_t(*)[2])(uintptr_t)(address + spans);
    head.points = (int32_t(*)[2])(uintptr_t)(address + points);
    memcpy(image, &head, sizeof head);
    memcpy(image + courses, context->courses, context->map_count * sizeof context->courses[0]);
    memcpy(image + spans, context->spans, context->map_count * sizeof context->spans[0]);
    memcpy(image + points, context->points, context->point_count * sizeof context->points[0]);
    return bytes;
}

carom_status carom_csb_get_map(const carom_worlds *worlds, uint32_t map, uint32_t *n, uint32_t *laps, int32_t (*xy)[2],
                               size_t capacity)
{
    if (worlds == NULL || worlds->desc.game != &carom_game_csb) {
        return CAROM_ERROR_ARGUMENT;
    }
    const csb_context *context = (const csb_context *)worlds->context;
    if (map >= context->map_count) {
        return CAROM_ERROR_ARGUMENT;
    }

    const csb_course *course = &context->courses[map];
    if (n != NULL) {
        *n = (uint32_t)course->n;
    }
    if (laps != NULL) {
        *laps = (uint32_t)(course->last / course->n);
    }
    if (xy != NULL && capacity != 0) {
        size_t count = capacity < (size_t)course->n ? capacity : (size_t)course->n;
        memcpy(xy, context->points[course->first], count * sizeof xy[0]);
    }
    return CAROM_OK;
}
