/* SPDX-License-Identifier: MIT
 * The numbers of a rollout's sequences: given, broadcast or drawn, one row of one player for 16 sequences at a time.
 */
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "rollout/rollout.h"
#include "worlds/device.h"

size_t carom_rollout_row_room(const rollout *r)
{
    return (size_t)r->kind.size * CAROM_TILE * sizeof(float);
}

/* Looks up the parents of the bred player's sequences; rows then only add an offset. */
static void find_parents(const rollout *r, rollout_lanes *lanes)
{
    const size_t series = r->rows[r->bred.player] * r->kind.size;
    lanes->one_parent = lanes->one_root;

    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        const size_t root = lanes->root[lane];
        const one_origin *origin = &r->bred.origins[root * r->bred.named + lanes->sequence[lane]];
        const float *pool = r->desc.players[r->bred.player].mean + root * r->bred.pool * series;
        lanes->parents[0][lane] = pool + origin->first * series;
        lanes->parents[1][lane] = pool + origin->second * series;
        lanes->cut[lane] = origin->cut;
        lanes->exact |= (unsigned)(origin->exact != 0) << lane;
        lanes->one_parent &= origin->cut == 0 && lanes->parents[1][lane] == lanes->parents[1][0];
    }
}

void carom_rollout_name(const rollout *r, rollout_lanes *lanes)
{
    /* Adjacent sequences mostly share a root, so look its id up once. */
    uint64_t ids[CAROM_TILE];
    lanes->one_root = true;
    lanes->exact = 0;
    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        const uint32_t root = lanes->root[lane];
        const bool same = lane > 0 && root == lanes->root[lane - 1];
        ids[lane] = same ? ids[lane - 1]
                         : carom_tile_get_id(&r->roots->layout, carom_worlds_tile_of(r->roots, root),
                                             carom_worlds_lane_of(r->roots, root));
        lanes->one_root &= root == lanes->root[0];
        lanes->exact |= (unsigned)(r->bred.exact && lanes->sequence[lane] == 0) << lane;
    }

    transpose_name(&lanes->names, r->desc.seed, ids, lanes->sequence);
    if (r->bred.origins != NULL) {
        find_parents(r, lanes);
    }
}

/* Does this player have sequences with origins? */
static bool is_bred(const rollout *r, uint32_t player)
{
    return r->bred.origins != NULL && player == r->bred.player;
}

/* The row of the mean about which a lane's sequence is drawn: that of its root, or of either parent. */
static const float *mean_row(const rollout *r, uint32_t player, const rollout_lanes *lanes, size_t lane, size_t row)
{
    const size_t size = r->kind.size;
    const float *mean = is_bred(r, player) ? lanes->parents[row >= lanes->cut[lane]][lane]
                                           : r->desc.players[player].mean + lanes->root[lane] * r->rows[player] * size;
    return mean + row * size;
}

/* Writes a row of Gaussian numbers: mean + sigma * z, clipped to the bounds. Means and deviations shared by all lanes
 * are read in place; others are first packed into lanes, in `room`. */
static void blend_row(const rollout *r, uint32_t player, size_t row, rollout_lanes *lanes, float *to, float *room)
{
    const uint32_t size = r->kind.size;
    const size_t series = r->rows[player] * size;
    const float *sigma = r->desc.players[player].sigma + row * size;
    const float *low = r->desc.players[player].low, *high = r->desc.players[player].high;
    const bool bred = is_bred(r, player);
    float *means = room, *sigmas = room + (size_t)size * CAROM_TILE;
    transpose_blend how = {means,
                           sigmas,
                           bred ? lanes->one_parent : lanes->one_root,
                           lanes->one_root,
                           low != NULL ? low + row * size : NULL,
                           high != NULL ? high + row * size : NULL,
                           bred ? r->bred.threshold : 0.0f,
                           player == r->bred.player ? lanes->exact : 0};

    /* The mean: of the root, or of each sequence for a bred player. */
    const void *from[CAROM_TILE];
    if (how.mean_alike) {
        how.mean = mean_row(r, player, lanes, 0, row);
    } else {
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            from[lane] = mean_row(r, player, lanes, lane, row);
        }
        r->d.transpose->pack(means, from, size, sizeof(float));
    }

    /* The deviation: of the root. */
    if (how.sigma_alike) {
        how.sigma = sigma + lanes->root[0] * series;
    } else {
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            from[lane] = sigma + lanes->root[lane] * series;
        }
        r->d.transpose->pack(sigmas, from, size, sizeof(float));
    }

    r->d.transpose->blend(to, lanes->normals[player], &lanes->names, &how, (uint32_t)row, player, size);
}

/* Writes a row of uniform numbers, mapped to the bounds if there are any. */
static void spread_row(const rollout *r, uint32_t player, size_t row, const rollout_lanes *lanes, float *to)
{
    const uint32_t size = r->kind.size;
    r->d.transpose->draw(to, &lanes->names, (uint32_t)row, player, size);
    if (r->desc.players[player].source == CAROM_UNIFORM && r->desc.players[player].low != NULL) {
        r->d.transpose->spread(to, r->desc.players[player].low + row * size, r->desc.players[player].high + row * size,
                               size);
    }

    /* Sequences that are the mean itself: overwrite what was drawn. */
    for (unsigned left = player == r->bred.player ? lanes->exact : 0; left != 0; left &= left - 1) {
        const size_t lane = (size_t)__builtin_ctz(left);
        const float *mean = mean_row(r, player, lanes, lane, row);
        for (size_t e = 0; e < size; e++) {
            to[e * CAROM_TILE + lane] = mean[e];
        }
    }
}

/* Writes a row of drawn numbers, as floats. */
static void draw_row(const rollout *r, uint32_t player, size_t row, rollout_lanes *lanes, float *to, float *room)
{
    if (r->desc.players[player].source == CAROM_GAUSSIAN) {
        blend_row(r, player, row, lanes, to, room);
    } else {
        spread_row(r, player, row, lanes, to);
    }
}

/* Does the rollout draw the player's numbers, or read them? */
static bool is_drawn(const rollout *r, uint32_t player)
{
    const carom_source source = r->desc.players[player].source;
    return source == CAROM_DRAWN || source == CAROM_UNIFORM || source == CAROM_GAUSSIAN;
}

void carom_rollout_keep(const rollout *r, size_t tile, size_t row, const unsigned char *drawn)
{
    if (r->numbers == NULL) {
        return;
    }
    const size_t count = (size_t)r->kind.size * CAROM_TILE;
    float *to = r->numbers + (tile * r->rows[r->bred.player] + row) * count;
    if (r->kind.precision == CAROM_F32) {
        memcpy(to, drawn, count * sizeof *to);
    } else {
        const double *wide = (const double *)(const void *)drawn; /* floats, widened */
        for (size_t k = 0; k < count; k++) {
            to[k] = (float)wide[k];
        }
    }
}

bool carom_rollout_kept(const rollout *r, size_t root, const uint32_t *sequences, size_t count, float *out)
{
    const size_t series = r->rows[r->bred.player] * r->kind.size;
    for (size_t i = 0; i < count && r->numbers != NULL; i++) {
        const size_t q = root * r->desc.sequences + sequences[i];
        const float *from = r->numbers + q / CAROM_TILE * series * CAROM_TILE + q % CAROM_TILE;
        for (size_t n = 0; n < series; n++) {
            out[i * series + n] = from[n * CAROM_TILE];
        }
    }
    return r->numbers != NULL;
}

void carom_rollout_row(const rollout *r, uint32_t player, size_t row, rollout_lanes *lanes, unsigned char *to,
                       float *room)
{
    const size_t size = r->kind.size, number_bytes = r->kind.precision / 8;

    /* Given and broadcast numbers already have the kind's precision. */
    if (!is_drawn(r, player)) {
        const unsigned char *actions = (const unsigned char *)r->desc.players[player].actions;
        const bool given = r->desc.players[player].source == CAROM_GIVEN;
        const void *rows[CAROM_TILE];
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            const size_t root = lanes->root[lane];
            const size_t series = given ? root * r->desc.sequences + lanes->sequence[lane] : root;
            rows[lane] = actions + (series * r->rows[player] + row) * size * number_bytes;
        }
        r->d.transpose->pack(to, rows, r->kind.size, (uint32_t)number_bytes);
    } else if (number_bytes == sizeof(float)) {
        draw_row(r, player, row, lanes, (float *)(void *)to, room);
    } else {
        /* Numbers are drawn as floats, and widened for kinds in double precision. */
        float *narrow = room + 2 * size * CAROM_TILE;
        draw_row(r, player, row, lanes, narrow, room);
        double *wide = (double *)(void *)to;
        for (size_t k = 0; k < size * CAROM_TILE; k++) {
            wide[k] = (double)narrow[k];
        }
    }
}

/* Reads all rows of some sequences of a root from the caller's numbers: see carom_rollout_sequences(). */
static void read_sequences(const rollout *r, uint32_t player, uint32_t root, const uint32_t *sequences, size_t count,
                           float *out)
{
    const size_t series = r->rows[player] * r->kind.size;
    const bool given = r->desc.players[player].source == CAROM_GIVEN;
    for (size_t i = 0; i < count; i++) {
        const size_t from = given ? root * r->desc.sequences + sequences[i] : root;
        const float *floats = (const float *)r->desc.players[player].actions + from * series;
        const double *doubles = (const double *)r->desc.players[player].actions + from * series;
        for (size_t n = 0; n < series; n++) {
            out[i * series + n] = r->kind.precision == CAROM_F32 ? floats[n] : (float)doubles[n];
        }
    }
}

void carom_rollout_sequences(const rollout *r, uint32_t player, uint32_t root, const uint32_t *sequences, size_t count,
                             float *out, float *room)
{
    if (!is_drawn(r, player)) {
        read_sequences(r, player, root, sequences, count, out);
        return;
    }

    /* Put the sequences into sixteen lanes, repeating the last one, and draw row by row, in the order that Gaussian
     * rows need. */
    const size_t size = r->kind.size, series = r->rows[player] * size;
    float *numbers = room + 3 * size * CAROM_TILE;
    for (size_t first = 0; first < count; first += CAROM_TILE) {
        rollout_lanes lanes;
        transpose_normals normals[CAROM_MAX_PLAYERS];
        lanes.normals = normals;
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            lanes.root[lane] = root;
            lanes.sequence[lane] = sequences[first + lane < count ? first + lane : count - 1];
        }
        carom_rollout_name(r, &lanes);

        for (size_t row = 0; row < r->rows[player]; row++) {
            float *to[CAROM_TILE];
            for (size_t lane = 0; lane < CAROM_TILE; lane++) {
                to[lane] = first + lane < count ? out + (first + lane) * series + row * size : NULL;
            }
            draw_row(r, player, row, &lanes, numbers, room);
            r->d.transpose->unpack(to, numbers, r->kind.size);
        }
    }
}

/* ---- carom_rollout_draws ---- */

/* The argument of draw_block(). */
typedef struct draws {
    const rollout *r;
    unsigned player;
    const uint32_t *sequences; /* [root][count]; NULL: 0 ... count - 1 */
    size_t count, blocks;      /* of a root: sequences, and blocks of up to 16 of them */
    unsigned char *out;        /* [root][count][row][number], in the kind's precision */
    unsigned char *room; /* [thread][room_bytes]: room for carom_rollout_sequences(), then 16 sequences as floats */
    size_t room_bytes;   /* of one thread */
} draws;

/* Draws a block of sequences of one root. */
static void draw_block(void *argument, size_t item, unsigned thread)
{
    const draws *d = (const draws *)argument;
    const rollout *r = d->r;
    const size_t root = item / d->blocks, first = item % d->blocks * CAROM_TILE;
    const size_t count = d->count - first < CAROM_TILE ? d->count - first : CAROM_TILE;
    const size_t series = r->rows[d->player] * r->kind.size, at = (root * d->count + first) * series;

    /* Its sequences: those that the caller lists, or the first ones. */
    float *room = (float *)(void *)(d->room + thread * d->room_bytes);
    uint32_t sequences[CAROM_TILE] = {0};
    for (size_t i = 0; i < count; i++) {
        sequences[i] = d->sequences != NULL ? d->sequences[root * d->count + first + i] : (uint32_t)(first + i);
    }

    if (r->kind.precision == CAROM_F32) {
        carom_rollout_sequences(r, d->player, (uint32_t)root, sequences, count, (float *)(void *)d->out + at, room);
        return;
    }

    /* Numbers are drawn as floats, and widened for kinds in double precision. */
    float *narrow = room + 4 * (size_t)r->kind.size * CAROM_TILE;
    double *wide = (double *)(void *)d->out + at;
    carom_rollout_sequences(r, d->player, (uint32_t)root, sequences, count, narrow, room);
    for (size_t n = 0; n < count * series; n++) {
        wide[n] = (double)narrow[n];
    }
}

carom_status carom_rollout_draws(const carom_worlds *roots, const carom_rollout_desc *desc, unsigned player,
                                 const uint32_t *sequences, size_t count, void *actions)
{
    size_t total;
    const carom_status status = carom_rollout_check(roots, desc, NULL, &total);
    if (status != CAROM_OK) {
        return status;
    }

    rollout r;
    carom_rollout_describe(&r, roots, desc);
    if (player >= r.players || !is_drawn(&r, player) || actions == NULL || count < 1 || count > UINT32_MAX ||
        !size_multiply(roots->desc.count, count, &total) || total > SIZE_MAX / 1024) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (carom_is_on_device(roots)) {
        return carom_device_ops.draws(roots, desc, player, sequences, count, actions);
    }

    /* Each block of sixteen sequences is a work item. */
    draws d = {&r, player, sequences, count, (count + CAROM_TILE - 1) / CAROM_TILE, (unsigned char *)actions, NULL, 0};
    const size_t items = roots->desc.count * d.blocks;
    const unsigned threads = items < roots->desc.threads ? (unsigned)items : roots->desc.threads;
    const size_t wide = r.kind.precision == CAROM_F64 ? CAROM_TILE * r.rows[player] * r.kind.size * sizeof(float) : 0;
    d.room_bytes = memory_aligned(4 * carom_rollout_row_room(&r) + wide);
    d.room = (unsigned char *)carom_memory_take(threads * d.room_bytes);
    if (d.room == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    carom_parallel_for(threads, roots->where, items, draw_block, &d);
    carom_memory_release(d.room);
    return CAROM_OK;
}
