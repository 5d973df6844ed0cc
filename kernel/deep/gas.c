/* SPDX-License-Identifier: MIT
 * The public functions of carom/gas.h: a gas is a world of the deep engine, its start, and the measurements of it.
 */
#include <carom/gas.h>

#include "base/fpenv.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/narrow.h"
#include "base/progress.h"
#include "base/random.h"
#include "deep/gas.h"
#include "dispatch/dispatch.h"

#include <math.h>
#include <string.h>

CAROM_KERNEL_OF(gas_kernel, gas)

#define QUARTER_PI 0.78539816339744830962
#define CONTACT 1e-5      /* see carom/gas.h */
#define NARROWEST 5.001   /* side of a periodic box */
#define CALL_EVENTS 20000 /* between two checks of the cancel flag */
#define BLOCK_LEAST 0.125 /* the shortest block, in units of time; epochs end on multiples */
#define PURPOSE_VELOCITY 0x676173u

/* ---- the start ---- */

static double side_of(const carom_gas_desc *desc)
{
    return sqrt((double)desc->bodies * QUARTER_PI / desc->packing);
}

/* A hexagonal lattice of rows x columns sites; every second row is shifted by half a step. */
typedef struct lattice {
    uint64_t rows, columns;
    double step_x, step_y; /* between columns and rows */
    double first;          /* both coordinates of the first site */
    double spacing;        /* the least distance of two sites */
} lattice;

static lattice lattice_of(const carom_gas_desc *desc, double side, uint64_t columns)
{
    const bool periodic = desc->box == CAROM_GAS_PERIODIC;
    const double width = periodic ? side : side - 1;

    /* In a periodic box the last row lies next to the first one, so their number is even. */
    lattice made = {.columns = columns, .rows = (desc->bodies + columns - 1) / columns};
    made.rows += periodic && made.rows % 2 != 0;
    made.first = periodic ? 0 : 0.5;
    made.step_x = width / ((double)columns - (periodic || made.rows == 1 ? 0 : 0.5));
    if (!periodic && made.rows == 1) {
        made.step_x = columns > 1 ? width / (double)(columns - 1) : 2 * side;
    }
    made.step_y = periodic ? width / (double)made.rows : made.rows > 1 ? width / (double)(made.rows - 1) : 2 * side;

    /* The nearest site may be in the same row, in the next one, or in the one after that. */
    const double half = made.step_x / 2, next_row = sqrt(half * half + made.step_y * made.step_y);
    const double row_after = made.rows > 2 ? 2 * made.step_y : next_row;
    made.spacing = columns > 1 ? fmin(made.step_x, next_row) : next_row;
    made.spacing = fmin(made.spacing, row_after);
    return made;
}

/* The lattice with the widest spacing, over all numbers of columns near that of regular triangles. */
static lattice widest_lattice(const carom_gas_desc *desc, double side)
{
    const double ideal = sqrt((double)desc->bodies * 0.8660254);
    lattice best = lattice_of(desc, side, 1);
    const uint64_t from = ideal > 20 ? (uint64_t)(ideal * 0.8) : 1, to = (uint64_t)(ideal * 1.25) + 3;
    for (uint64_t columns = from; columns <= to; columns++) {
        const lattice other = lattice_of(desc, side, columns);
        if (other.spacing > best.spacing) {
            best = other;
        }
    }
    return best;
}

/* Puts disk i on site i * places / bodies of the lattice. */
static void place(const carom_gas_desc *desc, double side, double *x, double *y)
{
    const lattice l = widest_lattice(desc, side);
    const uint64_t places = l.rows * l.columns;
    const double most = desc->box == CAROM_GAS_PERIODIC ? nextafter(side, 0) : side - 0.5;
    for (uint64_t i = 0; i < desc->bodies; i++) {
        const uint64_t k = i * places / desc->bodies, row = k / l.columns, column = k % l.columns;
        x[i] = fmin(l.first + ((double)column + (row % 2 != 0 ? 0.5 : 0)) * l.step_x, most);
        y[i] = fmin(l.first + (double)row * l.step_y, most);
    }
}

/* Draws velocities with zero momentum and an energy of 1 per disk. */
static void give_velocities(const carom_gas_desc *desc, double *vx, double *vy)
{
    const size_t n = desc->bodies;
    random_stream stream = random_begin(desc->seed, 0, PURPOSE_VELOCITY, 0);
    double x = 0, y = 0, energy = 0;

    /* Sums of four uniform numbers are nearly normal; a few collisions do the rest. */
    for (size_t i = 0; i < n; i++) {
        vx[i] = vy[i] = 0;
        for (int k = 0; k < 4; k++) {
            vx[i] += (double)random_word(&stream) * 0x1p-32 - 0.5;
            vy[i] += (double)random_word(&stream) * 0x1p-32 - 0.5;
        }
        x += vx[i];
        y += vy[i];
    }

    for (size_t i = 0; i < n; i++) {
        vx[i] -= n > 1 ? x / (double)n : 0;
        vy[i] -= n > 1 ? y / (double)n : 0;
        energy += (vx[i] * vx[i] + vy[i] * vy[i]) / 2;
    }

    const double scale = energy > 0 ? sqrt((double)n / energy) : 1;
    for (size_t i = 0; i < n; i++) {
        vx[i] *= scale;
        vy[i] *= scale;
    }
}

/* ---- state ---- */

/* A state outside the engine, in one block of memory that starts at x. */
typedef struct columns {
    double *x, *y, *vx, *vy;
} columns;

static bool columns_take(size_t n, columns *c)
{
    c->x = carom_memory_take(4 * n * sizeof(double));
    c->y = c->x + (c->x != NULL ? n : 0);
    c->vx = c->y + (c->x != NULL ? n : 0);
    c->vy = c->vx + (c->x != NULL ? n : 0);
    return c->x != NULL;
}

/* Sums in the order of disks, whatever their order in the engine. NaN for the energy if out of memory. */
static gas_sums sums_of(const carom_gas *gas)
{
    gas_sums s = {0, 0, 0};
    columns c;
    if (!columns_take(gas->desc.bodies, &c)) {
        s.energy = NAN;
        return s;
    }
    gas->kernel->get(gas->world, c.x, c.y, c.vx, c.vy);
    for (size_t i = 0; i < gas->desc.bodies; i++) {
        s.x += c.vx[i];
        s.y += c.vy[i];
        s.energy += (c.vx[i] * c.vx[i] + c.vy[i] * c.vy[i]) / 2;
    }
    carom_memory_release(c.x);
    return s;
}

void carom_gas_begin_measuring(carom_gas *gas)
{
    gas->time = 0;
    gas->collisions = gas->sides = gas->crossings = 0;
    gas->virial = gas->push = 0;
    gas->blocks = 0;
    gas->block_time = BLOCK_LEAST;
    gas->start = sums_of(gas);
}

/* ---- create ---- */

static bool is_valid(const carom_gas_desc *desc)
{
    return desc != NULL && desc->size == sizeof *desc && desc->bodies >= 1 && desc->bodies <= CAROM_GAS_MAX_BODIES &&
           (desc->box == CAROM_GAS_PERIODIC || desc->box == CAROM_GAS_SOLID) &&
           (desc->precision == CAROM_F32 || desc->precision == CAROM_F64);
}

/* Are the values in range, and is the box large enough to begin without overlaps? */
static bool fits(const carom_gas_desc *desc)
{
    if (!(desc->packing > 1e-9 && desc->packing < 0.91) || !(desc->restitution >= 0 && desc->restitution <= 1)) {
        return false;
    }
    const double side = side_of(desc);
    if (desc->box == CAROM_GAS_PERIODIC ? side < NARROWEST : side < 1) {
        return false;
    }
    return desc->bodies == 1 || widest_lattice(desc, side).spacing > (desc->precision == CAROM_F64 ? 1 + 1e-9 : 1.0005);
}

static gas_setup setup_of(const carom_gas_desc *desc)
{
    const gas_setup setup = {.bodies = (uint32_t)desc->bodies,
                             .periodic = desc->box == CAROM_GAS_PERIODIC,
                             .side = desc->precision == CAROM_F64 ? side_of(desc) : narrowed(side_of(desc)),
                             .restitution = desc->restitution,
                             .contact = CONTACT,
                             .epoch = CAROM_GAS_EPOCH};
    return setup;
}

carom_gas_desc carom_gas_desc_default(void)
{
    const carom_gas_desc desc = {sizeof desc, 1000, 0.5, CAROM_GAS_PERIODIC, 1, 1, CAROM_F64, CAROM_ISA_DEFAULT};
    return desc;
}

size_t carom_gas_bytes(const carom_gas_desc *desc)
{
    size_t size = 0;
    if (is_valid(desc) && precision_is_built(desc->precision)) {
        const fp_environment caller = fp_begin();
        if (fits(desc)) {
            const gas_setup setup = setup_of(desc);
            size = memory_aligned(sizeof(carom_gas)) + kernel_of(CAROM_NARROWEST, desc->precision)->bytes(&setup);
        }
        fp_end(caller);
    }
    return size;
}

static carom_status create(const carom_gas_desc *desc, carom_isa isa, carom_gas **made)
{
    if (!fits(desc)) {
        return CAROM_ERROR_VALUE;
    }

    const gas_setup setup = setup_of(desc);
    const gas_kernel *kernel = kernel_of(isa, desc->precision);
    const size_t head = memory_aligned(sizeof(carom_gas)), size = head + kernel->bytes(&setup);
    columns c;
    carom_gas *gas = carom_memory_take(size);
    if (gas == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    if (!columns_take(desc->bodies, &c)) {
        carom_memory_release(gas);
        return CAROM_ERROR_MEMORY;
    }

    gas->desc = *desc;
    gas->desc.isa = isa;
    gas->kernel = kernel;
    gas->side = setup.side;
    gas->bytes = size;
    gas->world = (gas_totals *)(void *)((unsigned char *)gas + head);

    kernel->create(&setup, gas->world);
    place(desc, setup.side, c.x, c.y);
    give_velocities(desc, c.vx, c.vy);
    kernel->put(gas->world, c.x, c.y, c.vx, c.vy);
    carom_memory_release(c.x);

    carom_gas_begin_measuring(gas);
    *made = gas;
    return CAROM_OK;
}

carom_status carom_gas_create(const carom_gas_desc *desc, carom_gas **gas)
{
    carom_isa isa;
    if (gas == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *gas = NULL;
    if (!is_valid(desc)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!precision_is_built(desc->precision)) {
        return CAROM_ERROR_UNSUPPORTED;
    }
    carom_status status = carom_isa_resolve(desc->isa, &isa);
    if (status == CAROM_OK) {
        const fp_environment caller = fp_begin();
        status = create(desc, isa, gas);
        fp_end(caller);
    }
    return status;
}

void carom_gas_destroy(carom_gas *gas)
{
    carom_memory_release(gas);
}

carom_gas_desc carom_gas_describe(const carom_gas *gas)
{
    const carom_gas_desc none = {0};
    return gas != NULL ? gas->desc : none;
}

double carom_gas_side(const carom_gas *gas)
{
    return gas != NULL ? gas->side : 0;
}

/* ---- get and set ---- */

carom_status carom_gas_get(const carom_gas *gas, double *x, double *y, double *vx, double *vy)
{
    if (gas == NULL || x == NULL || y == NULL || vx == NULL || vy == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    gas->kernel->get(gas->world, x, y, vx, vy);
    return CAROM_OK;
}

/* Adds the sides that each disk has crossed. */
static void unwrap(const carom_gas *gas, double *x, double *y)
{
    const int32_t *images = gas->world->images;
    for (size_t i = 0; i < gas->desc.bodies; i++) {
        x[i] += images[2 * i] * gas->side;
        y[i] += images[2 * i + 1] * gas->side;
    }
}

carom_status carom_gas_unwrapped(const carom_gas *gas, double *x, double *y)
{
    columns c;
    if (gas == NULL || x == NULL || y == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!columns_take(gas->desc.bodies, &c)) {
        return CAROM_ERROR_MEMORY;
    }
    gas->kernel->get(gas->world, x, y, c.vx, c.vy);
    carom_memory_release(c.x);
    const fp_environment caller = fp_begin();
    unwrap(gas, x, y);
    fp_end(caller);
    return CAROM_OK;
}

void carom_gas_look(const carom_gas *gas, double *x, double *y, double *vx, double *vy, double *ux, double *uy)
{
    gas->kernel->look(gas->world, gas->within, x, y, vx, vy);
    memcpy(ux, x, gas->desc.bodies * sizeof *ux);
    memcpy(uy, y, gas->desc.bodies * sizeof *uy);
    unwrap(gas, ux, uy);
}

double carom_gas_clock(const carom_gas *gas)
{
    return gas != NULL ? gas->clock : 0;
}

/* The square of a distance, to the nearest image. */
static double distance2(const carom_gas *gas, double dx, double dy)
{
    if (gas->desc.box == CAROM_GAS_PERIODIC) {
        dx = fmin(fabs(dx), gas->side - fabs(dx));
        dy = fmin(fabs(dy), gas->side - fabs(dy));
    }
    return dx * dx + dy * dy;
}

/* Are any two disks nearer than `least`? Each is compared with those before it in the nine cells around its own, which
 * are at least 1 wide. heads[cells * cells], next[n]: scratch, the list of disks in each cell. */
static bool overlaps(const carom_gas *gas, const double *x, const double *y, double least, uint32_t cells,
                     int32_t *heads, int32_t *next)
{
    const double scale = cells / gas->side;

    for (size_t c = 0; c < (size_t)cells * cells; c++) {
        heads[c] = -1;
    }

    for (size_t i = 0; i < gas->desc.bodies; i++) {
        const uint32_t column = (uint32_t)fmin(fmax(x[i], 0) * scale, cells - 1);
        const uint32_t row = (uint32_t)fmin(fmax(y[i], 0) * scale, cells - 1);

        for (uint32_t k = 0; k < 9; k++) {
            const uint32_t r = (row + cells + k / 3 - 1) % cells, c = (column + cells + k % 3 - 1) % cells;
            for (int32_t j = heads[(size_t)r * cells + c]; j >= 0; j = next[j]) {
                if (distance2(gas, x[i] - x[j], y[i] - y[j]) < least * least) {
                    return true;
                }
            }
        }

        int32_t *head = &heads[(size_t)row * cells + column];
        next[i] = *head;
        *head = (int32_t)i;
    }
    return false;
}

carom_status carom_gas_check_apart(const carom_gas *gas, const double *x, const double *y, double least)
{
    const size_t n = gas->desc.bodies;

    /* About two cells for each disk, unless that makes them too narrow. */
    uint32_t cells = (uint32_t)fmin(fmin(gas->side, 1 + sqrt(2.0 * (double)n)), 60000);
    cells = cells > 0 ? cells : 1;
    int32_t *heads = carom_memory_take(((size_t)cells * cells + n) * sizeof *heads);
    if (heads == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    const bool bad = overlaps(gas, x, y, least, cells, heads, heads + (size_t)cells * cells);
    carom_memory_release(heads);
    return bad ? CAROM_ERROR_VALUE : CAROM_OK;
}

static carom_status check_state(const carom_gas *gas, const double *x, const double *y, const double *vx,
                                const double *vy)
{
    const size_t n = gas->desc.bodies;
    const double slack = gas->desc.precision == CAROM_F64 ? 1e-9 : 1e-3;
    const double margin = gas->desc.box == CAROM_GAS_PERIODIC ? 0 : 0.5 - slack;

    for (size_t i = 0; i < n; i++) {
        if (!(x[i] >= margin && x[i] <= gas->side - margin && y[i] >= margin && y[i] <= gas->side - margin) ||
            !(fabs(vx[i]) <= 1e9 && fabs(vy[i]) <= 1e9)) {
            return CAROM_ERROR_VALUE;
        }
    }

    return carom_gas_check_apart(gas, x, y, 1 - slack);
}

carom_status carom_gas_set(carom_gas *gas, const double *x, const double *y, const double *vx, const double *vy)
{
    if (gas == NULL || x == NULL || y == NULL || vx == NULL || vy == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    const carom_status status = check_state(gas, x, y, vx, vy);
    if (status == CAROM_OK) {
        gas->kernel->put(gas->world, x, y, vx, vy);
        gas->world->fault = 0;
        gas->fault = false;
        gas->clock = 0;
        gas->virial_xx = gas->virial_xy = gas->virial_yy = 0;
        carom_gas_begin_measuring(gas);
    }
    fp_end(caller);
    return status;
}

/* ---- run ---- */

/* Adds a sum over the next `time`, which must not extend beyond the end of a block of the shortest length. */
static void add_to_blocks(carom_gas *gas, double sum, double time)
{
    const double before = gas->time;
    const size_t block = (size_t)floor(before / gas->block_time);

    /* All blocks are full: join neighbours, to half as many of twice the length. */
    if (block >= GAS_BLOCKS) {
        for (size_t k = 0; k < GAS_BLOCKS / 2; k++) {
            gas->block_sum[k] = gas->block_sum[2 * k] + gas->block_sum[2 * k + 1];
            gas->block_part[k] = gas->block_part[2 * k] + gas->block_part[2 * k + 1];
        }
        gas->blocks = GAS_BLOCKS / 2;
        gas->block_time *= 2;
        add_to_blocks(gas, sum, time);
        return;
    }

    for (; gas->blocks <= block; gas->blocks++) {
        gas->block_sum[gas->blocks] = gas->block_part[gas->blocks] = 0;
    }
    gas->block_sum[block] += sum;
    gas->block_part[block] += time;
}

/* Moves the engine's totals over the last `time` to the measurements. */
static void take_totals(carom_gas *gas, double time)
{
    gas_totals *t = gas->world;
    const double sum = gas->desc.box == CAROM_GAS_PERIODIC ? t->virial : t->push;

    add_to_blocks(gas, sum, time);
    gas->time += time;
    gas->virial += t->virial;
    gas->virial_xx += t->virial_xx;
    gas->virial_xy += t->virial_xy;
    gas->virial_yy += t->virial - t->virial_xx;
    gas->push += t->push;
    gas->collisions += t->collisions;
    gas->sides += t->sides;
    gas->crossings += t->crossings;
    gas->fault = gas->fault || t->fault != 0;

    t->virial = t->virial_xx = t->virial_xy = t->push = 0;
    t->collisions = t->sides = t->crossings = 0;
}

/* Data that a call of carom_gas_run() shares with its epochs. */
typedef struct gas_call {
    const gas_watch *watch; /* NULL: not watched */
    gas_event *log;         /* [CALL_EVENTS] if its events are wanted, otherwise NULL */
    double time;            /* of the whole call */
    double done;            /* by earlier epochs */
    const volatile int *cancel;
    uint64_t *progress;
} gas_call;

/* Plays events before `stop`, a time within the epoch; false if cancelled, or after a fault. */
static bool play_until(carom_gas *gas, const gas_call *call, double stop)
{
    bool finished = false, goes_on = true;
    while (!finished && goes_on) {
        finished = gas->kernel->run(gas->world, stop, CALL_EVENTS);
        goes_on = !progress_cancelled(call->cancel) && gas->world->fault == 0;

        if (call->log != NULL) {
            const size_t logged = gas->world->logged;
            gas->world->logged = 0;
            goes_on = (logged == 0 || call->watch->events(call->watch->user, call->log, logged, gas->clock)) && goes_on;
        }
    }
    return goes_on;
}

/* Plays events before `end`, a time within the epoch, and stops when the watch wants to. *reached: the time reached. */
static bool play_watched(carom_gas *gas, const gas_call *call, double end, double *reached)
{
    const gas_watch *watch = call->watch;
    bool goes_on = true;
    while (goes_on) {
        const double next = watch != NULL ? watch->next(watch->user) - gas->clock : INFINITY;
        const bool stops = watch != NULL && next <= end;
        gas->world->log = watch != NULL && watch->logs ? call->log : NULL;
        goes_on = play_until(gas, call, stops ? fmax(next, *reached) : end);

        /* A run that was ended early has reached the time of its last event. */
        *reached = goes_on ? fmax(stops ? next : end, *reached) : fmax(*reached, fmin(end, gas->world->now));
        if (!stops) {
            break;
        }
        gas->within = *reached;
        goes_on = goes_on && watch->stop(watch->user, gas->clock + next);
    }
    return goes_on;
}

/* Runs an epoch of `length`; false if cancelled, or after a fault. */
static bool run_epoch(carom_gas *gas, const gas_call *call, double length)
{
    bool goes_on = true;
    gas->kernel->begin(gas->world);
    gas->within = 0;

    /* In steps of the shortest block, as take_totals() demands. */
    double reached = 0;
    while (goes_on && reached < length) {
        double now = reached;
        goes_on = play_watched(gas, call, fmin(reached + BLOCK_LEAST, length), &now);
        take_totals(gas, now - reached);
        reached = now;
        progress_set(call->progress, (uint64_t)((call->done + reached) / call->time * 1e6));
    }

    gas->kernel->end(gas->world, reached);
    gas->clock += reached;
    gas->within = 0;
    return goes_on;
}

static bool run_epochs(carom_gas *gas, gas_call *call)
{
    const uint64_t whole = (uint64_t)(call->time / CAROM_GAS_EPOCH);
    const double rest = call->time - (double)whole * CAROM_GAS_EPOCH;
    bool goes_on = !gas->fault && !progress_cancelled(call->cancel);

    for (uint64_t k = 0; k < whole && goes_on; k++) {
        call->done = (double)k * CAROM_GAS_EPOCH;
        goes_on = run_epoch(gas, call, CAROM_GAS_EPOCH);
    }
    if (rest > 0 && goes_on) {
        call->done = (double)whole * CAROM_GAS_EPOCH;
        goes_on = run_epoch(gas, call, rest);
    }
    gas->world->log = NULL;
    return goes_on;
}

carom_status carom_gas_run_watched(carom_gas *gas, double time, const gas_watch *watch, const volatile int *cancel,
                                   uint64_t *progress)
{
    if (gas == NULL || !(time >= 0) || !(time <= 1e15)) {
        return CAROM_ERROR_ARGUMENT;
    }

    gas_call call = {.watch = watch, .time = time, .cancel = cancel, .progress = progress};
    if (watch != NULL && watch->events != NULL) {
        call.log = carom_memory_take(CALL_EVENTS * sizeof *call.log);
        if (call.log == NULL) {
            return CAROM_ERROR_MEMORY;
        }
    }

    const fp_environment caller = fp_begin();
    const bool goes_on = run_epochs(gas, &call);
    fp_end(caller);
    carom_memory_release(call.log);

    if (goes_on) {
        progress_set(progress, 1000000);
    }
    return goes_on || gas->fault ? CAROM_OK : CAROM_ERROR_CANCELLED;
}

carom_status carom_gas_run(carom_gas *gas, double time, const volatile int *cancel, uint64_t *progress)
{
    return carom_gas_run_watched(gas, time, NULL, cancel, progress);
}

/* ---- measures ---- */

/* The compressibility factor Z, from the sum of virials, or pushes, over a time. */
static double compressibility(const carom_gas *gas, double sum, double time, double energy)
{
    const double n = (double)gas->desc.bodies;
    if (gas->desc.box == CAROM_GAS_PERIODIC) {
        return 1 + sum / (2 * energy * time) * (n - 1) / n;
    }
    return sum * gas->side / (4 * energy * time);
}

/* The standard error of the mean, by blocking: short blocks are not independent, so neighbours are joined repeatedly
 * while at least 16 blocks are left, and the greatest error counts. */
static double block_error(const carom_gas *gas, double energy)
{
    double value[GAS_BLOCKS], greatest = NAN;

    /* Only whole blocks. */
    size_t count = 0;
    while (count < gas->blocks && gas->block_part[count] > gas->block_time * 0.999) {
        value[count] = compressibility(gas, gas->block_sum[count], gas->block_part[count], energy);
        count++;
    }

    for (bool first = true; count >= (first ? 8 : 16); first = false, count /= 2) {
        double mean = 0, square = 0;
        for (size_t k = 0; k < count; k++) {
            mean += value[k] / (double)count;
        }
        for (size_t k = 0; k < count; k++) {
            square += (value[k] - mean) * (value[k] - mean);
        }
        greatest = fmax(sqrt(square / (double)(count - 1) / (double)count), greatest);

        for (size_t k = 0; k + 1 < count; k += 2) {
            value[k / 2] = (value[k] + value[k + 1]) / 2;
        }
    }
    return greatest;
}

carom_status carom_gas_measure(const carom_gas *gas, carom_gas_measures *measures)
{
    if (gas == NULL || measures == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }

    const fp_environment caller = fp_begin();
    const gas_sums now = sums_of(gas);
    const double n = (double)gas->desc.bodies, mean = (now.energy + gas->start.energy) / 2;
    const double dx = now.x - gas->start.x, dy = now.y - gas->start.y;

    carom_gas_measures m;
    memset(&m, 0, sizeof m);
    m.time = gas->time;
    m.collisions = gas->collisions;
    m.sides = gas->sides;
    m.crossings = gas->crossings;

    m.energy = now.energy;
    m.energy_drift = gas->start.energy > 0 ? now.energy / gas->start.energy - 1 : 0;
    m.momentum_x = now.x;
    m.momentum_y = now.y;
    m.momentum_drift = gas->start.energy > 0 ? sqrt(dx * dx + dy * dy) / sqrt(2 * gas->start.energy * n) : 0;

    const double sum = gas->desc.box == CAROM_GAS_PERIODIC ? gas->virial : gas->push;
    const bool passed = gas->time > 0 && mean > 0;
    m.compressibility = passed ? compressibility(gas, sum, gas->time, mean) : NAN;
    m.compressibility_error = passed ? block_error(gas, mean) : NAN;
    m.fault = gas->fault;

    *measures = m;
    fp_end(caller);
    return isnan(now.energy) ? CAROM_ERROR_MEMORY : CAROM_OK;
}

void carom_gas_forget(carom_gas *gas)
{
    if (gas != NULL) {
        const fp_environment caller = fp_begin();
        carom_gas_begin_measuring(gas);
        fp_end(caller);
    }
}

uint64_t carom_gas_digest(const carom_gas *gas)
{
    columns c;
    uint64_t hash = 0;
    if (gas == NULL || !columns_take(gas->desc.bodies, &c)) {
        return 0;
    }
    gas->kernel->get(gas->world, c.x, c.y, c.vx, c.vy);
    for (size_t k = 0; k < 4 * gas->desc.bodies; k++) {
        uint64_t bits;
        memcpy(&bits, &c.x[k], sizeof bits);
        hash = hash_step(hash, hash_canonical_f64(bits));
    }
    carom_memory_release(c.x);
    return hash_end(hash);
}
