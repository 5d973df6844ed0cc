/* SPDX-License-Identifier: MIT
 * The best sequences of every root, and what their numbers have in common.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "rollout/rollout.h"
#include "worlds/worlds.h"

/* Does sequence a rank behind b? */
static bool is_worse(const double *returns, size_t stride, uint32_t a, uint32_t b)
{
    const double x = returns[a * stride], y = returns[b * stride];
    return x < y || (x == y && a > b);
}

/* Restores a heap whose least is at the top, after heap[at] was replaced. */
static void sift(const double *returns, size_t stride, uint32_t *heap, size_t count, size_t at)
{
    const uint32_t moved = heap[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && is_worse(returns, stride, heap[child + 1], heap[child]);
        if (!is_worse(returns, stride, heap[child], moved)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

void carom_rollout_select(const double *returns, size_t stride, size_t sequences, size_t count, uint32_t *best)
{
    for (size_t k = 0; k < count; k++) {
        best[k] = (uint32_t)k;
    }
    for (size_t at = count / 2; at-- > 0;) {
        sift(returns, stride, best, count, at);
    }
    for (size_t k = count; k < sequences; k++) {
        if (is_worse(returns, stride, best[0], (uint32_t)k)) {
            best[0] = (uint32_t)k;
            sift(returns, stride, best, count, 0);
        }
    }
    for (size_t left = count; left > 1; left--) { /* the worst goes to the end */
        const uint32_t worst = best[0];
        best[0] = best[left - 1];
        best[left - 1] = worst;
        sift(returns, stride, best, left - 1, 0);
    }
}

void carom_rollout_fit(const float *rows, const double *weights, size_t count, size_t size, float *mean, float *sigma,
                       double *room)
{
    double *centre = room, *spread = room + size, whole = 0;
    memset(room, 0, 2 * size * sizeof *room);
    for (size_t i = 0; i < count; i++) {
        const double weight = weights != NULL ? weights[i] : 1;
        whole += weight;
        for (size_t n = 0; n < size; n++) {
            centre[n] += weight * (double)rows[i * size + n];
        }
    }
    for (size_t n = 0; n < size; n++) {
        centre[n] /= whole;
        mean[n] = (float)centre[n];
    }
    for (size_t i = 0; i < count && sigma != NULL; i++) {
        const double weight = weights != NULL ? weights[i] : 1;
        for (size_t n = 0; n < size; n++) {
            const double far = (double)rows[i * size + n] - centre[n];
            spread[n] += weight * (far * far);
        }
    }
    for (size_t n = 0; n < size && sigma != NULL; n++) {
        sigma[n] = (float)__builtin_sqrt(spread[n] / whole);
    }
}

typedef struct elites {
    const rollout *r;
    unsigned char *room; /* of a thread: four rows, two doubles and a float for each number, the elites' numbers */
    size_t room_bytes;
} elites;

static void fit_root(void *argument, size_t root, unsigned thread)
{
    const elites *e = (const elites *)argument;
    const rollout *r = e->r;
    const unsigned player = r->desc.elites.player;
    const size_t sequences = r->desc.sequences, count = r->desc.elites.count;
    const size_t size = r->rows[player] * r->kind.size;
    uint32_t *best = r->desc.elites.best + root * count;
    carom_rollout_select(r->returns + root * sequences * r->players + player, r->players, sequences, count, best);
    if (r->desc.elites.mean == NULL && r->desc.elites.sigma == NULL) {
        return;
    }
    double *sums = (double *)(void *)(e->room + thread * e->room_bytes);
    float *room = (float *)(sums + 2 * ((size + 7) / 8 * 8)); /* 8 doubles are 64 bytes */
    float *mean = room + 4 * (size_t)r->kind.size * CAROM_TILE, *rows = mean + size;
    for (size_t i = 0; i < count; i += CAROM_TILE) {
        const size_t some = count - i < CAROM_TILE ? count - i : CAROM_TILE;
        carom_rollout_sequences(r, player, (uint32_t)root, best + i, some, rows + i * size, room);
    }
    carom_rollout_fit(rows, NULL, count, size, mean,
                      r->desc.elites.sigma != NULL ? r->desc.elites.sigma + root * size : NULL, sums);
    if (r->desc.elites.mean != NULL) {
        memcpy(r->desc.elites.mean + root * size, mean, size * sizeof *mean);
    }
}

carom_status carom_rollout_elites(const rollout *r)
{
    const size_t size = r->rows[r->desc.elites.player] * r->kind.size, count = r->desc.elites.count;
    const size_t roots = r->roots->desc.count;
    const unsigned threads = roots < r->roots->desc.threads ? (unsigned)roots : r->roots->desc.threads;
    elites e = {r, NULL, 0};
    size_t numbers, bytes;
    if (!size_multiply(count + 1, size, &numbers) || !size_multiply(numbers, sizeof(float), &bytes) ||
        bytes > SIZE_MAX / 2048) {
        return CAROM_ERROR_MEMORY;
    }
    e.room_bytes = memory_aligned(2 * memory_aligned(size * sizeof(double)) + 4 * carom_rollout_row_room(r) + bytes);
    e.room = (unsigned char *)carom_memory_take(threads * e.room_bytes);
    if (e.room == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    carom_parallel_for(threads, roots, fit_root, &e);
    carom_memory_release(e.room);
    return CAROM_OK;
}
