/* SPDX-License-Identifier: MIT
 * The best sequences of every root, and the distribution of their numbers.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "rollout/rollout.h"
#include "worlds/worlds.h"

#define SAMPLE 64 /* returns of a root that find_bar() samples */
#define COLUMNS 4 /* numbers that are fitted together; csb's actions have four */

/* Does a come before b? Branch-free: `|` and `&` evaluate both sides. */
static inline bool is_before(rollout_rank a, rollout_rank b)
{
    return (a.value > b.value) | ((a.value == b.value) & (a.sequence < b.sequence));
}

/* Copies member by member, since ranks are read that way elsewhere. A wide copy of both would break store-to-load
 * forwarding, which is fast only for a load of the same size as the store. */
static inline void put(rollout_rank *to, const rollout_rank *from)
{
    to->value = from->value;
    to->sequence = from->sequence;
}

/* Partitions around the pivot ranks[at], as in quicksort, and returns the pivot's final index. Lomuto's scheme with an
 * unconditional swap, so that no branch depends on the data. */
static size_t part(rollout_rank *ranks, size_t count, size_t at)
{
    const rollout_rank pivot = ranks[at];
    size_t before = 0;

    /* Keep the last element free for the pivot; ranks[0 .. before - 1] come before it. */
    put(&ranks[at], &ranks[count - 1]);
    for (size_t k = 0; k + 1 < count; k++) {
        const rollout_rank now = ranks[k];
        put(&ranks[k], &ranks[before]);
        put(&ranks[before], &now);
        before += is_before(now, pivot);
    }

    put(&ranks[count - 1], &ranks[before]);
    put(&ranks[before], &pivot);
    return before;
}

/* The index of the median of three. */
static size_t middle_of(const rollout_rank *ranks, size_t a, size_t b, size_t c)
{
    if (is_before(ranks[b], ranks[a])) {
        const size_t swapped = a;
        a = b;
        b = swapped;
    }
    return is_before(ranks[c], ranks[a]) ? a : is_before(ranks[c], ranks[b]) ? c : b;
}

/* Partial quicksort: sorts only the first `wanted`. */
static void sort_first(rollout_rank *ranks, size_t count, size_t wanted)
{
    /* Recurse into the right part only if it has wanted ranks; continue with the left one. */
    while (count > 8 && wanted > 0) {
        const size_t at = part(ranks, count, middle_of(ranks, 0, count / 2, count - 1));
        if (at + 1 < wanted) {
            sort_first(ranks + at + 1, count - at - 1, wanted - at - 1);
        }
        count = at;
    }

    /* Insertion sort for the rest. */
    for (size_t k = 1; k < count; k++) {
        const rollout_rank now = ranks[k];
        size_t at = k;
        for (; at > 0 && is_before(now, ranks[at - 1]); at--) {
            put(&ranks[at], &ranks[at - 1]);
        }
        put(&ranks[at], &now);
    }
}

/* Collects the returns that are at least `bar` in ranks, and returns their number. Branch-free: writes every rank, and
 * advances only past those to keep. */
static size_t take_from(const double *returns, size_t stride, size_t sequences, double bar, rollout_rank *ranks)
{
    size_t taken = 0;
    for (size_t k = 0; k < sequences; k++) {
        const double value = returns[k * stride];
        ranks[taken].value = value > -INFINITY ? value : -INFINITY; /* NaN: the worst */
        ranks[taken].sequence = (uint32_t)k;
        taken += ranks[taken].value >= bar;
    }
    return taken;
}

/* Estimates, from SAMPLE of the returns, a value that slightly more than `count` of all reach, so that only these need
 * sorting. -INFINITY if there are too few sequences or too many are wanted for this to pay. */
static double find_bar(const double *returns, size_t stride, size_t sequences, size_t count, rollout_rank *ranks)
{
    const size_t at = count * SAMPLE / sequences + 6; /* 6: above one deviation, sqrt(SAMPLE p (1 - p)) <= 4 */
    if (sequences / 4 < SAMPLE || at > SAMPLE / 2) {
        return -INFINITY;
    }
    (void)take_from(returns, stride * (sequences / SAMPLE), SAMPLE, -INFINITY, ranks);
    sort_first(ranks, SAMPLE, at + 1);
    return ranks[at].value;
}

void carom_rollout_select(const double *returns, size_t stride, size_t sequences, size_t count, rollout_rank *ranks)
{
    /* Sort only the returns above an estimated bar, or all if the estimate was too high. */
    const double bar = find_bar(returns, stride, sequences, count, ranks);
    size_t taken = take_from(returns, stride, sequences, bar, ranks);
    if (taken < count) { /* about once in a hundred calls */
        taken = take_from(returns, stride, sequences, -INFINITY, ranks);
    }
    sort_first(ranks, taken, count);
}

/* Fits some columns, whose number is a constant after inlining so that their sums stay in registers. Two passes, in
 * double: first the mean, then squared deviations from it. */
static inline __attribute__((always_inline)) void fit_columns(const float *rows, const double *weights, size_t count,
                                                              size_t series, size_t columns, double whole, float *mean,
                                                              float *sigma)
{
    double centre[COLUMNS] = {0}, spread[COLUMNS] = {0};
    for (size_t i = 0; i < count; i++) {
        const double weight = weights != NULL ? weights[i] : 1;
        for (size_t n = 0; n < columns; n++) {
            centre[n] += weight * (double)rows[i * series + n];
        }
    }
    for (size_t n = 0; n < columns; n++) {
        centre[n] /= whole;
        mean[n] = (float)centre[n];
    }

    for (size_t i = 0; i < count && sigma != NULL; i++) {
        const double weight = weights != NULL ? weights[i] : 1;
        for (size_t n = 0; n < columns; n++) {
            const double far = (double)rows[i * series + n] - centre[n];
            spread[n] += weight * (far * far);
        }
    }
    for (size_t n = 0; n < columns && sigma != NULL; n++) {
        sigma[n] = (float)__builtin_sqrt(spread[n] / whole);
    }
}

void carom_rollout_fit(const float *rows, const double *weights, size_t count, size_t series, float *mean, float *sigma)
{
    double whole = 0;
    for (size_t i = 0; i < count; i++) {
        whole += weights != NULL ? weights[i] : 1;
    }

    size_t n = 0;
    for (; n + COLUMNS <= series; n += COLUMNS) {
        fit_columns(rows + n, weights, count, series, COLUMNS, whole, mean + n, sigma != NULL ? sigma + n : NULL);
    }
    for (; n < series; n++) {
        fit_columns(rows + n, weights, count, series, 1, whole, mean + n, sigma != NULL ? sigma + n : NULL);
    }
}

/* ---- the elites of every root ---- */

/* A thread's working memory while it fits a root. */
typedef struct elites_room {
    rollout_rank *ranks; /* [sequences] */
    float *draws;        /* for carom_rollout_sequences() */
    float *mean;         /* [series] */
    float *rows;         /* [elites][series]: their numbers */
} elites_room;

/* Computes the addresses of the parts in a thread's room and returns their size; with NULL only the size. */
static size_t lay_out(const rollout *r, unsigned char *at, elites_room *room)
{
    const size_t series = r->rows[r->desc.elites.player] * r->kind.size;
    size_t used = 0;
    room->ranks = (rollout_rank *)memory_part(at, &used, r->desc.sequences * sizeof(rollout_rank));
    room->draws = (float *)memory_part(at, &used, 4 * carom_rollout_row_room(r));
    room->mean = (float *)memory_part(at, &used, series * sizeof(float));
    room->rows = (float *)memory_part(at, &used, r->desc.elites.count * series * sizeof(float));
    return used;
}

/* The argument of fit_root(). */
typedef struct elites {
    const rollout *r;
    unsigned char *room; /* [thread][room_bytes] */
    size_t room_bytes;
} elites;

/* Selects a root's elites and, if requested, fits their distribution. */
static void fit_root(void *argument, size_t root, unsigned thread)
{
    const elites *e = (const elites *)argument;
    const rollout *r = e->r;
    const carom_rollout_desc *desc = &r->desc;
    const unsigned player = desc->elites.player;
    const size_t sequences = desc->sequences, count = desc->elites.count;
    const size_t series = r->rows[player] * r->kind.size;
    uint32_t *best = desc->elites.best + root * count;
    elites_room room;
    (void)lay_out(r, e->room + thread * e->room_bytes, &room);

    carom_rollout_select(r->returns + root * sequences * r->players + player, r->players, sequences, count, room.ranks);
    for (size_t i = 0; i < count; i++) {
        best[i] = room.ranks[i].sequence;
    }
    if (desc->elites.mean == NULL && desc->elites.sigma == NULL) {
        return;
    }

    /* Draw the elites' numbers again. The mean is computed in working memory, because desc.elites.mean may be the array
     * that they are drawn from. */
    float *sigma = desc->elites.sigma != NULL ? desc->elites.sigma + root * series : NULL;
    carom_rollout_sequences(r, player, (uint32_t)root, best, count, room.rows, room.draws);
    carom_rollout_fit(room.rows, NULL, count, series, room.mean, sigma);
    if (desc->elites.mean != NULL) {
        memcpy(desc->elites.mean + root * series, room.mean, series * sizeof *room.mean);
    }
}

carom_status carom_rollout_elites(const rollout *r)
{
    /* Check that the sizes fit before adding them up. */
    const size_t series = r->rows[r->desc.elites.player] * r->kind.size;
    size_t numbers, bytes;
    if (!size_multiply(r->desc.elites.count + 1, series, &numbers) || !size_multiply(numbers, sizeof(float), &bytes) ||
        bytes > SIZE_MAX / 2048) {
        return CAROM_ERROR_MEMORY;
    }

    const size_t roots = r->roots->desc.count;
    const unsigned threads = roots < r->roots->desc.threads ? (unsigned)roots : r->roots->desc.threads;
    elites_room room;
    elites e = {r, NULL, lay_out(r, NULL, &room)};
    e.room = (unsigned char *)carom_memory_take(threads * e.room_bytes);
    if (e.room == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    carom_parallel_for(threads, r->roots->where, roots, fit_root, &e);
    carom_memory_release(e.room);
    return CAROM_OK;
}
