/* SPDX-License-Identifier: MIT
 * A gas in a buffer: a header with its parameters and measurements, then x, y, vx and vy by disk, the sides that each
 * disk has crossed, and a checksum of all of these. Little-endian. Between two runs a gas has no other state: cells and
 * queue are built at the start of each epoch.
 */
#include "deep/gas.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>

#define SAVE_VERSION 1

/* The line end reveals a transfer that treated the buffer as text and changed it. */
static const unsigned char save_magic[8] = {'C', 'A', 'R', 'O', 'M', 'G', '\r', '\n'};

typedef struct save_header {
    unsigned char magic[8];
    uint32_t version;
    uint32_t precision;
    uint64_t bodies;
    double packing;
    double restitution;
    uint64_t seed;
    uint32_t box;
    uint32_t fault;
    double clock;
    double virial_xx, virial_xy, virial_yy;
    double time;
    uint64_t collisions, sides, crossings;
    gas_sums start;
    double virial, push;
    double block_time;
    uint64_t blocks;
    double block_sum[GAS_BLOCKS];
    double block_part[GAS_BLOCKS];
} save_header;

static_assert(sizeof(save_header) == 56 + 15 * 8 + 16 * GAS_BLOCKS, "the header has no padding");

static const little_part header_parts[] = {{1, 8}, {4, 2}, {8, 4}, {4, 2}, {8, 15 + 2 * GAS_BLOCKS}};
#define HEADER_PARTS (sizeof header_parts / sizeof header_parts[0])

/* Bytes of a disk: four numbers and two counts. */
#define DISK_BYTES (4 * sizeof(double) + 2 * sizeof(int32_t))

static size_t size_for(uint64_t bodies)
{
    return sizeof(save_header) + (size_t)bodies * DISK_BYTES + sizeof(uint64_t);
}

size_t carom_gas_save_size(const carom_gas *gas)
{
    return gas != NULL ? size_for(gas->desc.bodies) : 0;
}

static save_header header_of(const carom_gas *gas)
{
    save_header h = {.version = SAVE_VERSION,
                     .precision = (uint32_t)gas->desc.precision,
                     .bodies = gas->desc.bodies,
                     .packing = gas->desc.packing,
                     .restitution = gas->desc.restitution,
                     .seed = gas->desc.seed,
                     .box = (uint32_t)gas->desc.box,
                     .fault = gas->world->fault,
                     .clock = gas->clock,
                     .virial_xx = gas->virial_xx,
                     .virial_xy = gas->virial_xy,
                     .virial_yy = gas->virial_yy,
                     .time = gas->time,
                     .collisions = gas->collisions,
                     .sides = gas->sides,
                     .crossings = gas->crossings,
                     .start = gas->start,
                     .virial = gas->virial,
                     .push = gas->push,
                     .block_time = gas->block_time,
                     .blocks = gas->blocks};
    memcpy(h.magic, save_magic, sizeof h.magic);
    memcpy(h.block_sum, gas->block_sum, gas->blocks * sizeof h.block_sum[0]);
    memcpy(h.block_part, gas->block_part, gas->blocks * sizeof h.block_part[0]);
    return h;
}

/* Restores the fields written by header_of(). */
static void take_header(carom_gas *gas, const save_header *h)
{
    gas->desc.seed = h->seed;
    gas->world->fault = h->fault;
    gas->fault = h->fault != 0;
    gas->clock = h->clock;
    gas->virial_xx = h->virial_xx;
    gas->virial_xy = h->virial_xy;
    gas->virial_yy = h->virial_yy;
    gas->time = h->time;
    gas->collisions = h->collisions;
    gas->sides = h->sides;
    gas->crossings = h->crossings;
    gas->start = h->start;
    gas->virial = h->virial;
    gas->push = h->push;
    gas->block_time = h->block_time;
    gas->blocks = (size_t)h->blocks;
    memcpy(gas->block_sum, h->block_sum, sizeof gas->block_sum);
    memcpy(gas->block_part, h->block_part, sizeof gas->block_part);
}

carom_status carom_gas_save(const carom_gas *gas, void *buffer, size_t size)
{
    if (gas == NULL || buffer == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (size < carom_gas_save_size(gas)) {
        return CAROM_ERROR_SIZE;
    }

    const size_t n = gas->desc.bodies;
    double *rows = carom_memory_take(4 * n * sizeof *rows);
    if (rows == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    gas->kernel->get(gas->world, rows, rows + n, rows + 2 * n, rows + 3 * n);

    unsigned char *bytes = buffer;
    const save_header header = header_of(gas);
    const size_t body = size_for(n) - sizeof(uint64_t);
    little_parts(bytes, &header, header_parts, HEADER_PARTS);
    little_copy(bytes + sizeof header, rows, 4 * n, sizeof *rows);
    little_copy(bytes + sizeof header + 4 * n * sizeof *rows, gas->world->images, 2 * n, sizeof(int32_t));
    carom_memory_release(rows);

    const uint64_t checksum = hash_bytes(SAVE_VERSION, bytes, body);
    little_copy(bytes + body, &checksum, 1, sizeof checksum);
    return CAROM_OK;
}

/* Is this a complete save of a gas? */
static bool is_save(const void *buffer, size_t size, save_header *h)
{
    if (size < size_for(1)) {
        return false;
    }
    little_parts(h, buffer, header_parts, HEADER_PARTS);
    if (memcmp(h->magic, save_magic, sizeof save_magic) != 0 || h->version != SAVE_VERSION ||
        h->bodies > CAROM_GAS_MAX_BODIES || h->blocks > GAS_BLOCKS || size != size_for(h->bodies)) {
        return false;
    }
    const size_t body = size - sizeof(uint64_t);
    const uint64_t checksum = little_read((const unsigned char *)buffer + body, sizeof checksum);
    return checksum == hash_bytes(SAVE_VERSION, buffer, body);
}

/* ---- could a run have left these numbers? The checksum shows damage, but not a save that somebody made up, and the
 * engine relies on them ---- */

#define FAR 1.0         /* diameters outside the box: more than rounding */
#define FAST 1e12       /* the energy of 10^6 disks of the highest speed, in one */
#define LEAST_APART 0.5 /* diameters between centres; rounding leaves almost 1 */
#define MOST_IMAGES (INT32_C(1) << 30)

/* Clocks that are numbers, and blocks that cover the time measured. */
static bool are_times_sound(const save_header *h)
{
    return isfinite(h->clock) && h->clock >= 0 && isfinite(h->block_time) && h->block_time > 0 && h->time >= 0 &&
           h->time <= (1 + 1e-9) * GAS_BLOCKS * h->block_time;
}

/* rows: x, y, vx, vy of n disks. */
static bool is_state_sound(const carom_gas *gas, const double *rows, const int32_t *images)
{
    const size_t n = gas->desc.bodies;
    for (size_t i = 0; i < 2 * n; i++) {
        if (!(rows[i] >= -FAR && rows[i] <= gas->side + FAR) || !(fabs(rows[2 * n + i]) <= FAST) ||
            images[i] < -MOST_IMAGES || images[i] > MOST_IMAGES) {
            return false;
        }
    }
    return true;
}

/* ---- load ---- */

carom_status carom_gas_saved(const void *buffer, size_t size, carom_gas_desc *desc)
{
    save_header h;
    if (buffer == NULL || desc == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!is_save(buffer, size, &h)) {
        return CAROM_ERROR_FORMAT;
    }
    *desc = carom_gas_desc_default();
    desc->bodies = (size_t)h.bodies;
    desc->packing = h.packing;
    desc->box = (carom_gas_box)h.box;
    desc->restitution = h.restitution;
    desc->seed = h.seed;
    desc->precision = (carom_precision)h.precision;
    return CAROM_OK;
}

carom_status carom_gas_load(carom_gas *gas, const void *buffer, size_t size)
{
    save_header h;
    if (gas == NULL || buffer == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_gas_desc *d = &gas->desc;
    if (!is_save(buffer, size, &h) || h.bodies != d->bodies || h.packing != d->packing || h.box != (uint32_t)d->box ||
        h.restitution != d->restitution || h.precision != (uint32_t)d->precision || !are_times_sound(&h)) {
        return CAROM_ERROR_FORMAT;
    }

    const size_t n = d->bodies, images_size = 2 * n * sizeof(int32_t);
    double *rows = carom_memory_take(4 * n * sizeof *rows + images_size);
    if (rows == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    int32_t *images = (int32_t *)(void *)(rows + 4 * n);
    const unsigned char *state = (const unsigned char *)buffer + sizeof h;
    little_copy(rows, state, 4 * n, sizeof *rows);
    little_copy(images, state + 4 * n * sizeof *rows, 2 * n, sizeof *images);
    carom_status status = CAROM_ERROR_FORMAT;
    if (is_state_sound(gas, rows, images)) { /* disks at one place would have no normal */
        status = carom_gas_check_apart(gas, rows, rows + n, LEAST_APART);
    }
    if (status == CAROM_OK) {
        gas->kernel->put(gas->world, rows, rows + n, rows + 2 * n, rows + 3 * n);
        memcpy(gas->world->images, images, images_size);
        take_header(gas, &h);
    }
    carom_memory_release(rows);
    return status == CAROM_ERROR_VALUE ? CAROM_ERROR_FORMAT : status;
}

carom_status carom_gas_copy(carom_gas *to, const carom_gas *from)
{
    if (to == NULL || from == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const size_t size = carom_gas_save_size(from);
    void *buffer = carom_memory_take(size);
    if (buffer == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    carom_status status = carom_gas_save(from, buffer, size);
    status = status == CAROM_OK ? carom_gas_load(to, buffer, size) : status;
    carom_memory_release(buffer);
    return status == CAROM_ERROR_FORMAT ? CAROM_ERROR_ARGUMENT : status;
}
