/* SPDX-License-Identifier: MIT
 * The engine of searches on a device: each function queues programs of tick/one_search.h and tick/one_plan.h on the
 * search's stream. The budget is in rollouts, so the host knows without asking the device how many generations a run
 * has and how large they are, and queues a whole run without waiting.
 */
#include "device/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "device/batch.h"
#include "device/rollout.h"

#define LOG 1024 /* generations that the device notes before they must be read */

/* A search's part on its device, in addition to the arrays of search.h. */
struct device_search {
    float *low, *high; /* [series] */
    uint32_t *depths;  /* [2]: cut_after and the horizon, where leaves are observed */
    uint32_t *lengths; /* [root][sequence]: ticks of a rollout's worlds */
    uint64_t *ticks;   /* [root]: of a generation */
    uint32_t *best;    /* [root][elites]: sequences, best first */
    double *values;    /* [root][elites]: their returns */
    float *fitted;     /* [root][series]: the deviation of the sequences learnt from */
    uint32_t *places;  /* [root][sequence]: before a cut ranks, after it places */
    uint32_t *ranks;   /* [root][sequence]; with a cut */
    double *packed;    /* [root][sequence][player]; with a cut */
    double *scales;    /* [root]; MPPI */
    double *weights;   /* [root][sequence]; MPPI */
    one_log *log;      /* [LOG] */
    size_t read;       /* entries of the run's log already read */
    size_t noted;      /* entries that the device will note */
};

/* ---- queueing ---- */

/* Queues a program, unless an earlier one has failed. */
static void queue(carom_search *search, const char *entry, void *task, size_t bytes, size_t threads)
{
    if (search->failed == CAROM_OK) {
        search->failed =
            carom_device_launch_common(search->home, search->fixed.desc.stream, entry, task, bytes, threads);
    }
}

#define QUEUE(search, entry, task, threads) queue(search, entry, &(task), sizeof(task), threads)

static void *device_take(carom_search *search, size_t bytes)
{
    void *memory = NULL;
    return carom_device_take(search->home, bytes, &memory) == CAROM_OK ? memory : NULL;
}

static void device_release(carom_search *search, void *memory)
{
    carom_device_give(search->home, memory);
}

static void device_copy(carom_search *search, void *to, const void *from, size_t bytes)
{
    if (search->failed == CAROM_OK) {
        search->failed = carom_device_move(search->home, search->fixed.desc.stream, to, from, bytes);
    }
}

/* ---- creation ---- */

carom_status carom_device_search_create(carom_search *search, const carom_worlds *roots)
{
    const search_fixed *fixed = &search->fixed;
    const carom_search_desc *desc = &fixed->desc;
    const size_t all = fixed->roots * desc->sequences;
    const bool cuts = desc->cut_after > 0, weighs = desc->planner == CAROM_MPPI;
    struct device_search *own = (struct device_search *)calloc(1, sizeof *own);
    if (own == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    search->device = own;

    const struct {
        void **to;
        size_t bytes;
    } blocks[] = {
        {(void **)&own->low, fixed->series * sizeof(float)},
        {(void **)&own->high, fixed->series * sizeof(float)},
        {(void **)&own->depths, 2 * sizeof(uint32_t)},
        {(void **)&own->lengths, all * sizeof(uint32_t)},
        {(void **)&own->ticks, fixed->roots * sizeof(uint64_t)},
        {(void **)&own->best, fixed->roots * fixed->elites * sizeof(uint32_t)},
        {(void **)&own->values, fixed->roots * fixed->elites * sizeof(double)},
        {(void **)&own->fitted, fixed->roots * fixed->series * sizeof(float)},
        {(void **)&own->places, cuts ? all * sizeof(uint32_t) : 0},
        {(void **)&own->ranks, cuts ? all * sizeof(uint32_t) : 0},
        {(void **)&own->packed, cuts ? all * fixed->players * sizeof(double) : 0},
        {(void **)&own->scales, weighs ? fixed->roots * sizeof(double) : 0},
        {(void **)&own->weights, weighs ? all * sizeof(double) : 0},
        {(void **)&own->log, LOG * sizeof(one_log)},
    };
    carom_status status = CAROM_OK;
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0] && status == CAROM_OK; k++) {
        if (blocks[k].bytes > 0) {
            status = carom_device_take(roots, blocks[k].bytes, blocks[k].to);
        }
    }

    /* Write what does not change. */
    const uint32_t depths[2] = {(uint32_t)desc->cut_after, (uint32_t)desc->horizon};
    status = status == CAROM_OK ? carom_device_upload(roots, own->low, fixed->low, blocks[0].bytes) : status;
    status = status == CAROM_OK ? carom_device_upload(roots, own->high, fixed->high, blocks[1].bytes) : status;
    status = status == CAROM_OK ? carom_device_upload(roots, own->depths, depths, sizeof depths) : status;
    return status == CAROM_OK ? carom_device_clear(roots, desc->stream, search->past.values,
                                                   fixed->roots * sizeof *search->past.values)
                              : status;
}

void carom_device_search_destroy(carom_search *search)
{
    struct device_search *own = search->device;
    if (own == NULL) {
        return;
    }
    void *const blocks[] = {own->low,    own->high,   own->depths, own->lengths, own->ticks,  own->best,    own->values,
                            own->fitted, own->places, own->ranks,  own->packed,  own->scales, own->weights, own->log};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        carom_device_give(search->home, blocks[k]);
    }
    free(own);
    search->device = NULL;
}

/* ---- plans ---- */

static one_plans plans_of(const carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    one_plans of;
    memset(&of, 0, sizeof of);
    for (size_t p = 0; p < fixed->players; p++) {
        of.plans[p] = search->past.plans[p];
    }
    of.moments = search->past.moments;
    of.low = search->device->low;
    of.high = search->device->high;
    of.series = fixed->series;
    of.players = (uint32_t)fixed->players;
    of.size = fixed->kind.size;
    of.rows = (uint32_t)fixed->rows;
    of.uneven = fixed->uneven;
    of.hold = fixed->desc.hold < UINT32_MAX ? (uint32_t)fixed->desc.hold : UINT32_MAX;
    return of;
}

static void device_start_plans(carom_search *search)
{
    one_start_task task = {0, plans_of(search)};
    QUEUE(search, "start", task, search->fixed.roots * search->fixed.series);
}

static void device_move_plans(carom_search *search, const carom_worlds *roots)
{
    one_move_task task = {0, plans_of(search), carom_device_plan_roots(roots)};
    QUEUE(search, "move", task, search->fixed.roots * search->fixed.kind.size);
    one_moments_task now = {0, task.roots, search->past.moments};
    QUEUE(search, "moments", now, search->fixed.roots);

    /* A new run starts a new log. */
    search->device->read = search->device->noted = 0;
}

static void write_plan(carom_search *search, const float *plan, void *to)
{
    one_write_task task = {0, plan, to, search->fixed.kind.precision == CAROM_F64};
    QUEUE(search, "write", task, search->fixed.roots * search->fixed.series);
}

static void device_keep_found(carom_search *search, unsigned round)
{
    const search_fixed *fixed = &search->fixed;
    const size_t bytes = fixed->roots * fixed->series * (fixed->kind.precision / 8);
    for (unsigned p = 0; p < fixed->players; p++) {
        if (search->phase.found[p] != NULL) {
            write_plan(search, search->past.plans[p], search->phase.found[p] + round * bytes);
        }
    }
}

static void device_take_plans(carom_search *search, unsigned rounds)
{
    const search_phase *phase = &search->phase;
    for (unsigned p = 0; p < search->fixed.players; p++) {
        if (p != phase->player) {
            write_plan(search, search->past.plans[p], phase->broadcast[p]);
        }
    }
    if (phase->player == search->fixed.desc.player && search->fixed.a_round > 0) {
        device_keep_found(search, rounds);
    }
}

static void device_actions(carom_search *search, unsigned player, bool zero, void *actions)
{
    const search_fixed *fixed = &search->fixed;
    one_first_task task = {0,
                           zero ? NULL : search->past.plans[player],
                           actions,
                           fixed->series,
                           fixed->kind.size,
                           fixed->kind.precision == CAROM_F64};
    QUEUE(search, "first", task, fixed->roots * fixed->kind.size);
}

static carom_status device_set_plan(carom_search *search, unsigned player, const float *plan)
{
    one_set_task task = {0, plans_of(search), player, plan};
    QUEUE(search, "set", task, search->fixed.roots * search->fixed.series);
    return search->failed;
}

/* ---- generations ---- */

static void device_open(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const search_distribution *distribution = &search->distribution;
    search->phase.generations = 0;
    search->distribution.pooled = 1;
    one_open_task task = {0,
                          fixed->series,
                          search->past.plans[search->phase.player],
                          search->device->low,
                          search->device->high,
                          fixed->desc.planner == CAROM_GENETIC ? fixed->desc.mutation_spread : fixed->desc.sigma,
                          distribution->mean,
                          distribution->sigma,
                          search->phase.reached};
    QUEUE(search, "open", task, fixed->roots * fixed->series);
}

static void device_sample(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const search_generation *generation = &search->generation;
    rollout *r = &search->generation.r;
    const bool bred = carom_search_draw(search);

    /* The bounds are also on the device. */
    r->desc.players[search->phase.player].low = fixed->bounded ? search->device->low : NULL;
    r->desc.players[search->phase.player].high = fixed->bounded ? search->device->high : NULL;
    one_origins_task task = {0,
                             carom_device_plan_roots(search->run.from),
                             r->desc.seed,
                             generation->count,
                             search->distribution.pooled,
                             search->phase.player,
                             (uint32_t)fixed->rows,
                             bred,
                             generation->exact,
                             generation->origins};
    QUEUE(search, "origins", task, fixed->roots * generation->count);
}

static void device_roll(carom_search *search, size_t candidate)
{
    const search_fixed *fixed = &search->fixed;
    struct device_search *own = search->device;
    search_generation *generation = &search->generation;
    rollout *r = &generation->r;
    if (search->failed != CAROM_OK) {
        return;
    }
    r->desc.stream = fixed->desc.stream;
    r->desc.depths = own->depths + (generation->depth == fixed->desc.horizon);
    search->failed = carom_device_roll(r, own->lengths);

    /* A generation's ticks are those of all candidates and of both parts of a cut. */
    const bool second = generation->kept < generation->count && !generation->first_part;
    one_ticks_task task = {0, r->desc.sequences, own->lengths, own->ticks, candidate == 0 && !second};
    QUEUE(search, "ticks", task, fixed->roots);
}

static void device_add_values(carom_search *search, const double *values, double weight)
{
    const search_generation *generation = &search->generation;
    const size_t players = search->fixed.players, leaves = search->phase.facing * generation->r.total;
    one_value_task task = {0, players, weight, (const uint8_t *)generation->valued, values, generation->returns};
    QUEUE(search, "value", task, leaves * players);
}

static void device_combine(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const search_generation *generation = &search->generation;
    one_combine_task task = {0,
                             generation->r.total * fixed->players,
                             fixed->players,
                             search->phase.player,
                             search->phase.facing,
                             fixed->desc.against == CAROM_AGAINST_WORST,
                             generation->returns};
    QUEUE(search, "combine", task, generation->r.total);
}

static void device_choose(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const search_generation *generation = &search->generation;
    struct device_search *own = search->device;

    /* Sequence 0 may be the current plan or the mean itself: it must get a full return. */
    one_rank_task ranked;
    memset(&ranked, 0, sizeof ranked);
    ranked.sequences = generation->count;
    ranked.stride = fixed->players;
    ranked.first_best = generation->exact;
    ranked.returns = generation->returns + search->phase.player;
    ranked.ranks = own->ranks;
    QUEUE(search, "rank", ranked, fixed->roots * generation->count);

    one_choose_task task = {0, generation->count, generation->kept, own->ranks, generation->chosen, own->places};
    QUEUE(search, "choose", task, fixed->roots * generation->count);
}

static void device_spread(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const search_generation *generation = &search->generation;
    struct device_search *own = search->device;
    device_copy(search, own->packed, generation->returns,
                fixed->roots * generation->kept * fixed->players * sizeof(double));
    one_spread_task task = {0,           generation->count, generation->kept,   fixed->players, search->phase.player,
                            own->places, own->packed,       generation->returns};
    QUEUE(search, "spread", task, fixed->roots * generation->count);
}

/* Queues the ranking of the generation and, for the genetic planner, of the old parents. Returns how many of a root are
 * ranked. */
static size_t rank_generation(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const search_generation *generation = &search->generation;
    const bool genetic = fixed->desc.planner == CAROM_GENETIC;
    const size_t others = genetic && search->phase.generations > 0 ? search->distribution.pooled : 0;
    const size_t all = generation->count + others;
    one_rank_task task;
    memset(&task, 0, sizeof task);
    task.sequences = generation->count;
    task.stride = fixed->players;
    task.others = others;
    task.other_stride = fixed->elites;
    task.count = fixed->elites < all ? fixed->elites : all;
    task.returns = generation->returns + search->phase.player;
    task.other_values = search->distribution.values;
    task.best = search->device->best;
    task.values = search->device->values;
    QUEUE(search, "rank", task, fixed->roots * all);
    return task.count;
}

/* Queues the weights of MPPI. */
static void weigh(carom_search *search, size_t ranked)
{
    const search_generation *generation = &search->generation;
    const size_t roots = search->fixed.roots, players = search->fixed.players;
    const double *returns = generation->returns + search->phase.player;
    struct device_search *own = search->device;
    one_scale_task scale = {0, generation->count, players, search->fixed.desc.temperature, returns, own->scales};
    QUEUE(search, "scale", scale, roots);
    one_weigh_task task = {0, generation->count, players, ranked, returns, own->scales, own->best, own->weights};
    QUEUE(search, "weigh", task, roots * generation->count);
}

/* Queues learning of all numbers of plan and distribution. */
static void learn_numbers(carom_search *search, size_t ranked)
{
    const search_fixed *fixed = &search->fixed;
    const search_distribution *distribution = &search->distribution;
    const search_generation *generation = &search->generation;
    struct device_search *own = search->device;
    static_assert((int)ONE_CEM == CAROM_CEM && (int)ONE_GENETIC == CAROM_GENETIC && (int)ONE_MPPI == CAROM_MPPI,
                  "the same planners");
    one_learn_task task;
    memset(&task, 0, sizeof task);
    task.roots = carom_device_plan_roots(search->run.from);
    carom_device_numbers(&generation->r, search->phase.player, &task.numbers);
    task.planner = (uint32_t)fixed->desc.planner;
    task.count = generation->count;
    task.ranked = ranked;
    task.best = own->best;
    task.values = own->values;
    task.weights = own->weights;
    task.reached = search->phase.reached;
    task.low = own->low;
    task.high = own->high;
    task.keep = fixed->desc.keep;
    task.sigma_least = fixed->desc.sigma_least;
    task.elites = fixed->elites;
    task.pooled = distribution->pooled;
    task.plan = search->past.plans[search->phase.player];
    task.mean = distribution->mean;
    task.sigma = distribution->sigma;
    task.fitted = own->fitted;
    task.next_parents = distribution->next_parents;
    QUEUE(search, "learn", task, fixed->roots * fixed->series);
}

static void device_learn(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const bool genetic = fixed->desc.planner == CAROM_GENETIC;
    search_distribution *distribution = &search->distribution;
    struct device_search *own = search->device;
    const size_t ranked = rank_generation(search);
    if (fixed->desc.planner == CAROM_MPPI) {
        weigh(search, ranked);
    }
    learn_numbers(search, ranked);

    one_note_task note = {0,
                          ranked,
                          fixed->series,
                          fixed->elites,
                          own->values,
                          own->fitted,
                          own->low,
                          own->high,
                          search->phase.reached,
                          genetic ? distribution->values : NULL,
                          search->generation.results};
    QUEUE(search, "note", note, fixed->roots);
    if (genetic) {
        distribution->pooled = ranked;
        one_parents_task parents = {
            0, ranked, fixed->elites, fixed->series, distribution->next_parents, distribution->mean};
        QUEUE(search, "parents", parents, fixed->roots * ranked * fixed->series);
    }
    search->phase.generations++;
}

/* ---- the log ---- */

/* Waits for the device, and reads what it has noted since the last time. After an error nothing counts as read. */
static carom_status read_log(carom_search *search)
{
    struct device_search *own = search->device;
    const size_t count = own->noted - own->read;
    if (count == 0) {
        return CAROM_OK;
    }
    one_log *entries = (one_log *)malloc(count * sizeof *entries);
    if (entries == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    carom_status status = carom_device_wait(search->home);
    status =
        status == CAROM_OK ? carom_device_download(search->home, entries, own->log, count * sizeof *entries) : status;
    for (size_t k = 0; k < count && status == CAROM_OK; k++) {
        carom_search_generation *told = &search->run.log[own->read + k];
        told->best = entries[k].result.best;
        told->mean = entries[k].result.mean;
        told->spread = entries[k].result.spread;
        told->ticks = entries[k].ticks;
        search->run.report.ticks += told->ticks;
    }
    free(entries);
    own->read = status == CAROM_OK ? own->noted : own->read;
    return status;
}

static void device_read_log(carom_search *search)
{
    (void)read_log(search);
}

static void device_tell(carom_search *search, size_t index)
{
    struct device_search *own = search->device;
    if (own->noted - own->read == LOG && search->failed == CAROM_OK) {
        search->failed = read_log(search); /* it waits, but only once per LOG generations */
    }
    if (search->failed != CAROM_OK) {
        return;
    }
    one_tell_task task = {0, search->fixed.roots, search->generation.results, own->ticks,
                          own->log + (index - own->read)};
    QUEUE(search, "tell", task, 4);
    own->noted = index + 1;
}

static void device_keep_values(carom_search *search)
{
    device_copy(search, search->past.values, search->phase.reached, search->fixed.roots * sizeof *search->past.values);
}

/* ---- saves ---- */

/* Copies the whole past to the device or from it. */
static carom_status copy_past(carom_search *search, search_past *here, bool back)
{
    const search_fixed *fixed = &search->fixed;
    const search_past *there = &search->past;
    const struct {
        void *here, *there;
        size_t bytes;
    } fixed_parts[] = {{here->moments, there->moments, fixed->roots * sizeof *here->moments},
                       {here->values, there->values, fixed->roots * sizeof *here->values}};
    carom_status status = carom_device_wait(search->home);
    for (size_t k = 0; k < 2 + fixed->players && status == CAROM_OK; k++) {
        void *mine = k < 2 ? fixed_parts[k].here : here->plans[k - 2];
        void *its = k < 2 ? fixed_parts[k].there : there->plans[k - 2];
        const size_t bytes = k < 2 ? fixed_parts[k].bytes : fixed->roots * fixed->series * sizeof(float);
        status = back ? carom_device_upload(search->home, its, mine, bytes)
                      : carom_device_download(search->home, mine, its, bytes);
    }
    return status;
}

static void forget_past(search_past *past)
{
    for (size_t p = 0; past != NULL && p < CAROM_MAX_PLAYERS; p++) {
        free(past->plans[p]);
    }
    if (past != NULL) {
        free(past->moments);
        free(past->values);
    }
    free(past);
}

static search_past *device_read_past(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    search_past *here = (search_past *)calloc(1, sizeof *here);
    bool whole = here != NULL;
    search->failed = CAROM_ERROR_MEMORY;
    if (whole) {
        here->moments = (search_moment *)malloc(fixed->roots * sizeof *here->moments);
        here->values = (double *)malloc(fixed->roots * sizeof *here->values);
        whole = here->moments != NULL && here->values != NULL;
    }
    for (size_t p = 0; p < fixed->players && whole; p++) {
        here->plans[p] = (float *)malloc(fixed->roots * fixed->series * sizeof(float));
        whole = here->plans[p] != NULL;
    }
    if (whole) {
        search->failed = copy_past(search, here, false);
    }
    if (search->failed != CAROM_OK) {
        forget_past(here);
        return NULL;
    }
    return here;
}

static void device_write_past(carom_search *search, search_past *past, bool changed)
{
    search->failed = changed ? copy_past(search, past, true) : CAROM_OK;
    forget_past(past);
}

const struct search_engine carom_device_search = {
    .take = device_take,
    .release = device_release,
    .start_plans = device_start_plans,
    .move_plans = device_move_plans,
    .keep_found = device_keep_found,
    .take_plans = device_take_plans,
    .open = device_open,
    .sample = device_sample,
    .roll = device_roll,
    .add_values = device_add_values,
    .combine = device_combine,
    .choose = device_choose,
    .spread = device_spread,
    .learn = device_learn,
    .tell = device_tell,
    .read_log = device_read_log,
    .keep_values = device_keep_values,
    .actions = device_actions,
    .copy = device_copy,
    .set_plan = device_set_plan,
    .read_past = device_read_past,
    .write_past = device_write_past,
};
