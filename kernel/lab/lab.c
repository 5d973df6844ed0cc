/* SPDX-License-Identifier: MIT
 * Laboratories from a gas or a scene's world: their state, saves and digests. carom/lab.h describes them.
 */
#include "lab/lab.h"

#include "base/fpenv.h"
#include "base/hash.h"
#include "base/memory.h"
#include "scenes/scenes.h"
#include "worlds/worlds.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define TICK_MOST 1e6 /* the longest tick of a scene */

/* ---- making one ---- */

/* Memory that both kinds need; the engine is not known yet. */
static carom_lab *make(size_t bodies)
{
    carom_lab *lab = carom_memory_take(sizeof *lab);
    double *rows = carom_memory_take(8 * bodies * sizeof *rows);
    if (lab == NULL || rows == NULL) {
        carom_memory_release(lab);
        carom_memory_release(rows);
        return NULL;
    }
    lab->traits = rows;
    lab->info.bodies = bodies;
    lab->info.radii = rows;
    lab->info.masses = rows + bodies;
    lab->now = (lab_rows){rows + 2 * bodies, rows + 3 * bodies, rows + 4 * bodies,
                          rows + 5 * bodies, rows + 6 * bodies, rows + 7 * bodies};
    return lab;
}

carom_status carom_lab_of_gas(carom_gas *gas, carom_lab **lab)
{
    if (lab == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *lab = NULL;
    if (gas == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    carom_lab *made = make(gas->desc.bodies);
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    for (size_t i = 0; i < gas->desc.bodies; i++) {
        made->traits[i] = 0.5;
        made->traits[gas->desc.bodies + i] = 1;
    }
    carom_lab_info *info = &made->info;
    info->gas = gas;
    info->width = info->height = gas->side;
    info->periodic_x = info->periodic_y = gas->desc.box == CAROM_GAS_PERIODIC;
    info->precision = gas->desc.precision;
    info->isa = gas->desc.isa;
    *lab = made;
    return CAROM_OK;
}

/* Fills in the description's bodies and box. */
static void take_scene(carom_lab *lab, const carom_scene_desc *desc)
{
    carom_lab_info *info = &lab->info;
    for (uint32_t i = 0; i < desc->body_count; i++) {
        lab->traits[i] = desc->bodies[i].radius;
        lab->traits[desc->body_count + i] = desc->bodies[i].mass;
    }
    const carom_scene_box *box = &desc->box;
    const bool wide = box->horizontal != CAROM_SIDES_OPEN, high = box->vertical != CAROM_SIDES_OPEN;
    info->x0 = wide ? box->x0 : 0;
    info->y0 = high ? box->y0 : 0;
    info->width = wide ? box->x1 - box->x0 : 0;
    info->height = high ? box->y1 - box->y0 : 0;
    info->periodic_x = box->horizontal == CAROM_SIDES_PERIODIC;
    info->periodic_y = box->vertical == CAROM_SIDES_PERIODIC;
}

carom_status carom_lab_of_worlds(carom_worlds *worlds, double tick, carom_lab **lab)
{
    if (lab == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *lab = NULL;
    const carom_worlds_desc of = carom_worlds_describe(worlds);
    if (worlds == NULL || !of.game->any_dt || of.count != 1 || of.device != 0) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!(tick > 0 && tick <= TICK_MOST)) {
        return CAROM_ERROR_VALUE;
    }

    const carom_scene_desc *desc = &((const carom_scene *)worlds->context)->desc;
    carom_lab *made = make(desc->body_count);
    int32_t *images = carom_memory_take((size_t)desc->body_count * 2 * sizeof *images);
    if (made == NULL || images == NULL) {
        carom_memory_release(images);
        carom_lab_destroy(made);
        return CAROM_ERROR_MEMORY;
    }
    made->world.desc = desc;
    made->world.tick = tick;
    made->world.images = images;
    static const char *const names[] = {"x", "y", "vx", "vy"};
    for (size_t k = 0; k < 4; k++) {
        (void)carom_worlds_find_field(worlds, names[k], &made->world.fields[k]);
    }
    made->info.worlds = worlds;
    made->info.precision = of.precision;
    made->info.isa = of.isa;
    take_scene(made, desc);
    *lab = made;
    return CAROM_OK;
}

void carom_lab_destroy(carom_lab *lab)
{
    if (lab == NULL) {
        return;
    }
    if (lab->owns) {
        carom_gas_destroy(lab->info.gas);
        carom_worlds_destroy(lab->info.worlds);
        carom_scene_destroy(lab->world.scene);
    }
    carom_memory_release(lab->world.log);
    carom_memory_release(lab->world.images);
    carom_memory_release(lab->traits);
    carom_memory_release(lab);
}

/* ---- state ---- */

double carom_lab_clock(const carom_lab *lab)
{
    return lab->info.gas != NULL ? lab->info.gas->clock : (double)lab->world.ticks * lab->world.tick;
}

carom_status carom_lab_describe(const carom_lab *lab, carom_lab_info *info)
{
    if (lab == NULL || info == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    carom_lab_info now = lab->info;
    now.time = carom_lab_clock(lab) + (now.gas != NULL ? now.gas->within : 0);
    if (now.gas != NULL) {
        now.events = now.gas->collisions;
        now.fault = now.gas->fault;
        const gas_totals *t = now.gas->world; /* not yet added by a running gas */
        now.virial[0] = now.gas->virial_xx + t->virial_xx;
        now.virial[1] = now.gas->virial_xy + t->virial_xy;
        now.virial[2] = now.gas->virial_yy + t->virial - t->virial_xx;
    } else {
        now.events = lab->world.events;
        now.fault = carom_worlds_faults(now.worlds, NULL) != 0;
        now.virial[0] = now.virial[1] = now.virial[2] = NAN;
    }
    *info = now;
    fp_end(caller);
    return CAROM_OK;
}

/* Field k (x, y, vx, vy) of a scene's world, as doubles. */
static void read_field(const carom_lab *lab, size_t k, double *to)
{
    const size_t n = lab->info.bodies;
    if (lab->info.precision == CAROM_F64) {
        (void)carom_worlds_get(lab->info.worlds, lab->world.fields[k], 0, 1, to);
        return;
    }

    /* Read into the upper half, then widen from the lower end on: each number is read before it is overwritten. */
    float *narrow = (float *)(void *)to + n;
    (void)carom_worlds_get(lab->info.worlds, lab->world.fields[k], 0, 1, narrow);
    for (size_t i = 0; i < n; i++) {
        float number;
        memcpy(&number, &narrow[i], sizeof number);
        to[i] = (double)number;
    }
}

static void unwrap(const carom_lab *lab, const double *x, const double *y, double *ux, double *uy)
{
    for (size_t i = 0; i < lab->info.bodies; i++) {
        ux[i] = x[i] + lab->world.images[2 * i] * lab->info.width;
        uy[i] = y[i] + lab->world.images[2 * i + 1] * lab->info.height;
    }
}

void carom_lab_read_places(carom_lab *lab, double *x, double *y)
{
    read_field(lab, 0, x);
    read_field(lab, 1, y);
}

void carom_lab_read(carom_lab *lab)
{
    const lab_rows *r = &lab->now;
    if (lab->info.gas != NULL) {
        carom_gas_look(lab->info.gas, r->x, r->y, r->vx, r->vy, r->ux, r->uy);
        return;
    }
    double *const rows[] = {r->x, r->y, r->vx, r->vy};
    for (size_t k = 0; k < 4; k++) {
        read_field(lab, k, rows[k]);
    }
    unwrap(lab, r->x, r->y, r->ux, r->uy);
}

/* Copies rows that are wanted. */
static void give(const carom_lab *lab, size_t count, double *const *to, const double *const *from)
{
    for (size_t k = 0; k < count; k++) {
        if (to[k] != NULL) {
            memcpy(to[k], from[k], lab->info.bodies * sizeof(double));
        }
    }
}

carom_status carom_lab_get(carom_lab *lab, double *x, double *y, double *vx, double *vy)
{
    if (lab == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    carom_lab_read(lab);
    fp_end(caller);
    const lab_rows *r = &lab->now;
    give(lab, 4, (double *const[]){x, y, vx, vy}, (const double *const[]){r->x, r->y, r->vx, r->vy});
    return CAROM_OK;
}

carom_status carom_lab_unwrapped(carom_lab *lab, double *x, double *y)
{
    if (lab == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    carom_lab_read(lab);
    fp_end(caller);
    give(lab, 2, (double *const[]){x, y}, (const double *const[]){lab->now.ux, lab->now.uy});
    return CAROM_OK;
}

/* Writes a row of doubles as a field of the world; fails if it is not allowed, or if out of memory. */
static carom_status write_field(carom_lab *lab, size_t k, const double *from)
{
    const size_t n = lab->info.bodies;
    if (lab->info.precision == CAROM_F64) {
        return carom_worlds_set(lab->info.worlds, lab->world.fields[k], 0, 1, from);
    }
    float *narrow = carom_memory_take(n * sizeof *narrow);
    if (narrow == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        narrow[i] = (float)from[i];
    }
    const carom_status status = carom_worlds_set(lab->info.worlds, lab->world.fields[k], 0, 1, narrow);
    carom_memory_release(narrow);
    return status;
}

/* Sets all four rows, or none: on failure it restores the old state. */
static carom_status set_world(carom_lab *lab, const double *const *rows)
{
    const size_t size = carom_worlds_record_size(lab->info.worlds);
    void *before = carom_memory_take(size);
    if (before == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    carom_status status = carom_worlds_get_world(lab->info.worlds, 0, before, size);
    for (size_t k = 0; k < 4 && status == CAROM_OK; k++) {
        status = write_field(lab, k, rows[k]);
    }
    if (status != CAROM_OK) {
        (void)carom_worlds_set_world(lab->info.worlds, 0, before, size);
    }
    carom_memory_release(before);
    return status;
}

carom_status carom_lab_set(carom_lab *lab, const double *x, const double *y, const double *vx, const double *vy)
{
    if (lab == NULL || x == NULL || y == NULL || vx == NULL || vy == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (lab->info.gas != NULL) {
        return carom_gas_set(lab->info.gas, x, y, vx, vy);
    }
    const fp_environment caller = fp_begin();
    const carom_status status = set_world(lab, (const double *const[]){x, y, vx, vy});
    fp_end(caller);
    if (status == CAROM_OK) {
        lab->world.ticks = lab->world.events = 0;
        memset(lab->world.images, 0, lab->info.bodies * 2 * sizeof *lab->world.images);
    }
    return status;
}

uint64_t carom_lab_digest(carom_lab *lab)
{
    if (lab == NULL) {
        return 0;
    }
    if (lab->info.gas != NULL) {
        return carom_gas_digest(lab->info.gas);
    }
    uint64_t hash = 0;
    (void)carom_worlds_hash(lab->info.worlds, 0, 1, &hash);
    return hash;
}

/* ---- saves ---- */

/* A scene's world: a header, how often bodies have crossed the sides, a checksum of both, and the save of the batch. */
typedef struct save_header {
    unsigned char magic[8];
    uint64_t version, bodies;
    double tick;
    uint64_t ticks, events;
} save_header;

static_assert(sizeof(save_header) == 48, "the header has no padding");

static const little_part header_parts[] = {{1, 8}, {8, 5}};
#define HEADER_PARTS (sizeof header_parts / sizeof header_parts[0])

#define SAVE_VERSION 1

/* The line end reveals a transfer that treated the buffer as text and changed it. */
static const unsigned char save_magic[8] = {'C', 'A', 'R', 'O', 'M', 'L', '\r', '\n'};

static size_t images_bytes(const carom_lab *lab)
{
    return lab->info.bodies * 2 * sizeof(int32_t);
}

/* Bytes before the batch's save. */
static size_t head_bytes(const carom_lab *lab)
{
    return sizeof(save_header) + images_bytes(lab) + sizeof(uint64_t);
}

size_t carom_lab_save_size(const carom_lab *lab)
{
    if (lab == NULL || lab->info.gas != NULL) {
        return lab != NULL ? carom_gas_save_size(lab->info.gas) : 0;
    }
    return head_bytes(lab) + carom_worlds_save_size(lab->info.worlds);
}

carom_status carom_lab_save(const carom_lab *lab, void *buffer, size_t size)
{
    if (lab == NULL || buffer == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (lab->info.gas != NULL) {
        return carom_gas_save(lab->info.gas, buffer, size);
    }
    if (size < carom_lab_save_size(lab)) {
        return CAROM_ERROR_SIZE;
    }

    save_header h = {.version = SAVE_VERSION,
                     .bodies = lab->info.bodies,
                     .tick = lab->world.tick,
                     .ticks = lab->world.ticks,
                     .events = lab->world.events};
    memcpy(h.magic, save_magic, sizeof h.magic);
    unsigned char *bytes = buffer;
    const size_t head = head_bytes(lab), hashed = head - sizeof(uint64_t);
    little_parts(bytes, &h, header_parts, HEADER_PARTS);
    little_copy(bytes + sizeof h, lab->world.images, 2 * lab->info.bodies, sizeof(int32_t));
    const uint64_t checksum = hash_bytes(SAVE_VERSION, bytes, hashed);
    little_copy(bytes + hashed, &checksum, 1, sizeof checksum);
    return carom_worlds_save(lab->info.worlds, bytes + head, size - head);
}

carom_status carom_lab_load(carom_lab *lab, const void *buffer, size_t size)
{
    if (lab == NULL || buffer == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (lab->info.gas != NULL) {
        return carom_gas_load(lab->info.gas, buffer, size);
    }

    const unsigned char *bytes = buffer;
    const size_t head = head_bytes(lab), hashed = head - sizeof(uint64_t);
    save_header h = {0};
    if (size < head) {
        return CAROM_ERROR_FORMAT;
    }
    little_parts(&h, bytes, header_parts, HEADER_PARTS);
    const uint64_t checksum = little_read(bytes + hashed, sizeof checksum);
    if (memcmp(h.magic, save_magic, sizeof save_magic) != 0 || h.version != SAVE_VERSION ||
        h.bodies != lab->info.bodies || h.tick != lab->world.tick ||
        checksum != hash_bytes(SAVE_VERSION, bytes, hashed)) {
        return CAROM_ERROR_FORMAT;
    }

    const carom_status status = carom_worlds_load(lab->info.worlds, bytes + head, size - head);
    if (status == CAROM_OK) {
        little_copy(lab->world.images, bytes + sizeof h, 2 * lab->info.bodies, sizeof(int32_t));
        lab->world.ticks = h.ticks;
        lab->world.events = h.events;
    }
    return status;
}
