/* SPDX-License-Identifier: MIT
 * Moving worlds: lanes, whole tiles, copies by index lists, forks. */
#include "worlds/device.h"
#include "worlds/layout.h"

void carom_tile_copy_lane(const world_layout *layout, void *to, unsigned to_lane, const world_layout *from_layout,
                          const void *from, unsigned from_lane)
{
    if (layout->lanes == 1 && from_layout->lanes == 1) {
        memmove(to, from, layout->tile_bytes);
        return;
    }

    for (size_t i = 0; i < layout->count; ++i) {
        const carom_field *field = &layout->fields[i], *from_field = &from_layout->fields[i];
        field_copy(field, field_at(field, to, to_lane), field_stride(layout, field),
                   field_in(from_field, from, from_lane), field_stride(from_layout, from_field));
    }
}

void carom_tile_gather(const world_layout *layout, void *to, unsigned chosen, const world_layout *from_layout,
                       const void *const *from, const unsigned *from_lanes)
{
    /* Some lanes only, or tiles of another width: copy world by world. */
    if (chosen != (1u << CAROM_TILE) - 1 || layout->lanes != from_layout->lanes) {
        for (unsigned lane = 0; lane < layout->lanes; ++lane) {
            if ((chosen >> lane & 1) != 0) {
                carom_tile_copy_lane(layout, to, lane, from_layout, from[lane], from_lanes[lane]);
            }
        }
        return;
    }

    /* If the lanes are those of one tile, in order, copy the whole tile. */
    bool whole = true;
    for (unsigned lane = 0; lane < CAROM_TILE; ++lane) {
        whole &= from[lane] == from[0] && from_lanes[lane] == lane;
    }
    if (whole) {
        memcpy(to, from[0], layout->tile_bytes);
        return;
    }

    /* Otherwise copy row by row. Every row of elements of 1, 2, 4 or 8 bytes is at the same offset in all tiles, so a
     * lane's source address differs from the row's offset by a constant for each size. */
    const unsigned char *base[4][CAROM_TILE];
    for (unsigned lane = 0; lane < CAROM_TILE; ++lane) {
        for (unsigned k = 0; k < 4; ++k) {
            base[k][lane] = (const unsigned char *)from[lane] + ((size_t)from_lanes[lane] << k);
        }
    }

    for (size_t i = 0; i < layout->count; ++i) {
        const carom_field *field = &layout->fields[i];
        const size_t end = field->offset + field->count * field_stride(layout, field);
        for (size_t row = field->offset; row < end; row += field_stride(layout, field)) {
            unsigned char *target = (unsigned char *)to + row;
#define GATHER_ROW(k, bytes)                                                                                           \
    for (unsigned lane = 0; lane < CAROM_TILE; ++lane) {                                                               \
        memcpy(target + (size_t)lane * bytes, base[k][lane] + row, bytes);                                             \
    }                                                                                                                  \
    break
            switch (field->bytes) {
            case 1:
                GATHER_ROW(0, 1);
            case 2:
                GATHER_ROW(1, 2);
            case 4:
                GATHER_ROW(2, 4);
            default:
                GATHER_ROW(3, 8);
            }
#undef GATHER_ROW
        }
    }
}

void carom_tile_broadcast(const world_layout *layout, void *to, const world_layout *from_layout, const void *from,
                          unsigned from_lane)
{
    if (layout->lanes == 1) {
        carom_tile_copy_lane(layout, to, 0, from_layout, from, from_lane);
        return;
    }

    for (size_t i = 0; i < layout->count; ++i) {
        const carom_field *field = &layout->fields[i], *from_field = &from_layout->fields[i];
        const unsigned char *source = (const unsigned char *)field_in(from_field, from, from_lane);
        unsigned char *row = (unsigned char *)field_at(field, to, 0);
        for (uint32_t e = 0; e < field->count; ++e) {
/* Reads the value before it writes the row: `to` may be `from`. */
#define FILL_ROW(type)                                                                                                 \
    do {                                                                                                               \
        type value, filled[CAROM_TILE];                                                                                \
        memcpy(&value, source, sizeof value);                                                                          \
        for (unsigned lane = 0; lane < CAROM_TILE; ++lane) {                                                           \
            filled[lane] = value;                                                                                      \
        }                                                                                                              \
        memcpy(row, filled, sizeof filled);                                                                            \
    } while (0)
            switch (field->bytes) {
            case 1:
                FILL_ROW(uint8_t);
                break;
            case 2:
                FILL_ROW(uint16_t);
                break;
            case 4:
                FILL_ROW(uint32_t);
                break;
            default:
                FILL_ROW(uint64_t);
                break;
            }
#undef FILL_ROW
            source += field_stride(from_layout, from_field);
            row += field_stride(layout, field);
        }
    }
}

uint64_t carom_tile_get_id(const world_layout *layout, const void *tile, unsigned lane)
{
    const uint32_t *words = (const uint32_t *)field_in(&layout->fields[FIELD_id], tile, lane);
    return words[0] | (uint64_t)words[layout->lanes] << 32;
}

void carom_tile_set_id(const world_layout *layout, void *tile, unsigned lane, uint64_t id)
{
    uint32_t *words = (uint32_t *)field_at(&layout->fields[FIELD_id], tile, lane);
    words[0] = (uint32_t)id;
    words[layout->lanes] = (uint32_t)(id >> 32);
}

void carom_tile_freeze(const world_layout *layout, void *tile, unsigned lane)
{
    *(int8_t *)field_at(&layout->fields[FIELD_frozen], tile, lane) = 1;
}

/* Batches are alike if a record means the same in both; their tiles then have the same fields, too. Two scenes with
 * equal descriptions are alike, although each is a separate type, and although tiles may hold 16 worlds in one batch
 * and one large world in the other. */
bool carom_worlds_are_alike(carom_worlds *dst, const carom_worlds *src)
{
    if (dst->content == src->content && dst->desc.precision == src->desc.precision &&
        dst->layout.count == src->layout.count && dst->layout.record_bytes == src->layout.record_bytes) {
        return true;
    }

    /* They are not alike: report the first difference that a user will recognise. */
    if (strcmp(dst->type->name, src->type->name) != 0) {
        (void)carom_worlds_refuse(dst, CAROM_OK, "the worlds are from a batch of %s, but this is a batch of %s",
                                  src->type->name, dst->type->name);
    } else if (dst->desc.precision != src->desc.precision) {
        (void)carom_worlds_refuse(dst, CAROM_OK, "the worlds are from a batch in f%d, but this is a batch in f%d",
                                  (int)src->desc.precision, (int)dst->desc.precision);
    } else if (dst->desc.seed != src->desc.seed) {
        (void)carom_worlds_refuse(dst, CAROM_OK,
                                  "the worlds are from a batch of %s with other options, or whose random data, such as "
                                  "maps, was drawn with another seed: %llu there, %llu here",
                                  src->type->name, (unsigned long long)src->desc.seed,
                                  (unsigned long long)dst->desc.seed);
    } else {
        (void)carom_worlds_refuse(dst, CAROM_OK, "the worlds are from a batch of %s with other options",
                                  src->type->name);
    }
    return false;
}

/* The mirror of src could not be opened: note the reason in dst, too, the batch that was to be changed. */
static carom_status blame(carom_worlds *dst, const carom_worlds *src)
{
    dst->problem = src->problem;
    return CAROM_ERROR_DEVICE;
}

static bool indices_valid(const carom_worlds *worlds, const size_t *indices, size_t n)
{
    if (!indices) {
        return n <= worlds->desc.count;
    }
    for (size_t i = 0; i < n; ++i) {
        if (indices[i] >= worlds->desc.count) {
            return false;
        }
    }
    return true;
}

/* Are indices i, i + 1, ... (of n) all worlds of one tile, in order? */
static bool is_whole_tile(const carom_worlds *worlds, const size_t *indices, size_t i, size_t n)
{
    const size_t first = indices ? indices[i] : i, lanes = worlds->layout.lanes;
    if (first % lanes != 0 || n - i < lanes) {
        return false;
    }
    for (size_t lane = 1; indices && lane < lanes; ++lane) {
        if (indices[i + lane] != first + lane) {
            return false;
        }
    }
    return true;
}

carom_status carom_worlds_copy(carom_worlds *dst, const size_t *to, const carom_worlds *src, const size_t *from,
                               size_t n)
{
    if (!dst || !src || !carom_worlds_are_alike(dst, src)) {
        return CAROM_ERROR_ARGUMENT;
    }

    if (!indices_valid(dst, to, n) || !indices_valid(src, from, n)) {
        return carom_worlds_refuse(dst, CAROM_ERROR_ARGUMENT, "the list has a world that the batch does not have");
    }

    /* Seeds and sums are allocated only when needed, which is now if the source has them. */
    if ((dst->desc.seed != src->desc.seed || src->seeds) && carom_worlds_take_seeds(dst) != CAROM_OK) {
        return CAROM_ERROR_MEMORY;
    }
    if (src->sums && carom_worlds_take_sums(dst, src->players) != CAROM_OK) {
        return CAROM_ERROR_MEMORY;
    }

    if (!carom_mirror_open_list(src, from, n)) {
        return blame(dst, src);
    }
    if (!carom_mirror_open_list(dst, to, n)) {
        return carom_mirror_close_list(src, from, n, 0, CAROM_ERROR_DEVICE);
    }

    /* Copy a whole tile where both lists name one, otherwise world by world. */
    for (size_t i = 0; i < n;) {
        const size_t t = to ? to[i] : i;
        const size_t f = from ? from[i] : i;
        void *target = carom_worlds_tile_of(dst, t);
        const void *source = carom_worlds_tile_of(src, f);
        if (dst->layout.lanes == src->layout.lanes && is_whole_tile(dst, to, i, n) && is_whole_tile(src, from, i, n)) {
            memmove(target, source, dst->layout.tile_bytes);
            i += dst->layout.lanes;
        } else {
            carom_tile_copy_lane(&dst->layout, target, carom_worlds_lane_of(dst, t), &src->layout, source,
                                 carom_worlds_lane_of(src, f));
            ++i;
        }
    }

    /* Seeds and sums of rewards belong to a world, but are stored outside its tile. */
    for (size_t i = 0; i < n && (dst->seeds || dst->sums); ++i) {
        const size_t t = to ? to[i] : i;
        const size_t f = from ? from[i] : i;
        if (dst->seeds) {
            dst->seeds[t] = carom_worlds_seed(src, f);
        }
        for (size_t p = 0; p < dst->players && dst->sums; ++p) {
            dst->sums[t * dst->players + p] = src->sums ? src->sums[f * dst->players + p] : 0;
        }
    }
    return carom_mirror_close_list(src, from, n, 0, carom_mirror_close_list(dst, to, n, MIRROR_WORLDS, CAROM_OK));
}

typedef struct fork_job {
    const carom_worlds *dst;
    const void *filled; /* a tile with the source in every lane */
    size_t first, n;    /* the worlds to write */
} fork_job;

/* Overwrites worlds of one tile with the source. They keep their ids. */
static void fork_tile(void *argument, size_t tile, unsigned thread)
{
    (void)thread;
    const fork_job *job = (const fork_job *)argument;
    const world_layout *layout = &job->dst->layout;
    void *target = carom_worlds_tile(job->dst, tile);
    const lane_span lanes = lanes_within(layout, tile, job->first, job->n);

    /* Copy a whole tile at once, then restore the two rows of ids. */
    if (lanes.end - lanes.begin == layout->lanes) {
        uint32_t ids[2 * CAROM_TILE];
        void *rows = field_at(&layout->fields[FIELD_id], target, 0);
        memcpy(ids, rows, (size_t)2 * layout->lanes * sizeof ids[0]);
        memcpy(target, job->filled, layout->tile_bytes);
        memcpy(rows, ids, (size_t)2 * layout->lanes * sizeof ids[0]);
        return;
    }

    for (unsigned lane = lanes.begin; lane < lanes.end; ++lane) {
        const uint64_t id = carom_tile_get_id(layout, target, lane);
        carom_tile_copy_lane(layout, target, lane, layout, job->filled, lane);
        carom_tile_set_id(layout, target, lane, id);
    }
}

carom_status carom_worlds_fork(carom_worlds *dst, size_t first, size_t n, const carom_worlds *src, size_t from)
{
    if (!dst || !src || !carom_worlds_are_alike(dst, src)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!in_range(dst, first, n) || from >= src->desc.count) {
        return carom_worlds_refuse(dst, CAROM_ERROR_ARGUMENT, "the call names a world that the batch does not have");
    }

    /* Copy the source out first: it may be among the worlds to write. */
    if (!carom_mirror_open(src, from, 1, MIRROR_TILES)) {
        return blame(dst, src);
    }
    memset(dst->scratch, 0, dst->layout.tile_bytes);
    carom_tile_broadcast(&dst->layout, dst->scratch, &src->layout, carom_worlds_tile_of(src, from),
                         carom_worlds_lane_of(src, from));
    (void)carom_mirror_close(src, from, 1, 0, CAROM_OK);

    if (!carom_mirror_open(dst, first, n, MIRROR_TILES)) {
        return CAROM_ERROR_DEVICE;
    }
    fork_job job = {dst, dst->scratch, first, n};
    carom_worlds_each_tile(dst, first, n, fork_tile, &job);
    return carom_mirror_close(dst, first, n, MIRROR_TILES, CAROM_OK);
}
