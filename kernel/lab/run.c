/* SPDX-License-Identifier: MIT
 * Running a laboratory: a gas in epochs, a scene tick by tick, both with stops where a watcher wants a sample. Times
 * are those of the laboratory's clock.
 */
#include "lab/lab.h"

#include "base/fpenv.h"
#include "base/memory.h"
#include "base/progress.h"
#include "games/game.h"

#include <math.h>
#include <stdlib.h>

#define SAME 1e-12      /* relative: samples and ticks whose times differ by less coincide */
#define LOG_EVENTS 4096 /* initial room for the events of a tick */

/* ---- watchers ---- */

static double sample_time(const lab_watch *w, uint64_t index)
{
    return index == 0 ? 0 : (double)index * w->watcher.interval;
}

static bool wants_events(const lab_watch *w)
{
    return w->used && w->watcher.events != NULL && w->watcher.window > 0;
}

/* The end of the window at the start of the watcher's current interval. */
static double window_end(const lab_watch *w)
{
    return sample_time(w, w->due - 1) + w->watcher.window;
}

carom_status carom_lab_watch(carom_lab *lab, const carom_lab_watcher *watcher, unsigned *number)
{
    if (lab == NULL || watcher == NULL || number == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const double ticks = watcher->interval / lab->world.tick;
    if (!(watcher->interval > 0) || !(watcher->window >= 0) ||
        (lab->info.gas == NULL && !isinf(ticks) && !(ticks > 0.5 && fabs(ticks - round(ticks)) < ticks * SAME))) {
        return CAROM_ERROR_VALUE;
    }
    for (unsigned k = 0; k < CAROM_LAB_WATCHERS; k++) {
        if (!lab->watches[k].used) {
            lab->watches[k] = (lab_watch){.watcher = *watcher, .used = true};
            *number = k;
            return CAROM_OK;
        }
    }
    return CAROM_ERROR_SIZE;
}

carom_status carom_lab_unwatch(carom_lab *lab, unsigned number)
{
    if (lab == NULL || number >= CAROM_LAB_WATCHERS || !lab->watches[number].used) {
        return CAROM_ERROR_ARGUMENT;
    }
    lab->watches[number].used = false;
    return CAROM_OK;
}

/* Starts a run: the next sample of each watcher is the first one after the clock. */
static void begin_watching(carom_lab *lab)
{
    lab->reached = carom_lab_clock(lab);
    for (unsigned k = 0; k < CAROM_LAB_WATCHERS; k++) {
        lab_watch *w = &lab->watches[k];
        const double index = floor(lab->reached / w->watcher.interval);
        w->due = w->used && index < 0x1p53 ? (uint64_t)index : 0;
        while (w->used && sample_time(w, w->due) <= lab->reached * (1 + SAME)) {
            w->due++;
        }
    }
}

/* The next change in watching: a sample is due, or a window ends. */
static double next_stop(const carom_lab *lab)
{
    double next = INFINITY;
    for (unsigned k = 0; k < CAROM_LAB_WATCHERS; k++) {
        const lab_watch *w = &lab->watches[k];
        if (w->used) {
            const double end = wants_events(w) ? window_end(w) : 0;
            next = fmin(next, sample_time(w, w->due));
            next = end > lab->reached ? fmin(next, end) : next;
        }
    }
    return next;
}

/* Does any watcher want events after the time reached, before the next stop? */
static bool is_window(const carom_lab *lab)
{
    for (unsigned k = 0; k < CAROM_LAB_WATCHERS; k++) {
        const lab_watch *w = &lab->watches[k];
        if (wants_events(w) && lab->reached < window_end(w)) {
            return true;
        }
    }
    return false;
}

/* Calls the watchers whose sample is due at `time`; false if one wants the run to end. */
static bool tell_samples(carom_lab *lab, double time)
{
    bool is_read = false, goes_on = true;
    lab->reached = time;
    for (unsigned k = 0; k < CAROM_LAB_WATCHERS; k++) {
        lab_watch *w = &lab->watches[k];
        if (!w->used || sample_time(w, w->due) > time * (1 + SAME)) {
            continue;
        }
        if (w->watcher.sample != NULL) {
            if (!is_read) {
                carom_lab_read(lab);
                is_read = true;
            }
            const lab_rows *r = &lab->now;
            const carom_lab_frame frame = {lab, sample_time(w, w->due), w->due, r->x, r->y, r->vx, r->vy, r->ux, r->uy};
            goes_on = w->watcher.sample(w->watcher.user, &frame) && goes_on;
        }
        w->due++;
    }
    return goes_on;
}

/* Passes each watcher the events within its window; they are in order of time. */
static bool tell_events(carom_lab *lab, const carom_lab_event *events, size_t count)
{
    bool goes_on = true;
    for (unsigned k = 0; k < CAROM_LAB_WATCHERS; k++) {
        const lab_watch *w = &lab->watches[k];
        if (!wants_events(w)) {
            continue;
        }
        size_t within = 0;
        const double end = window_end(w);
        while (within < count && events[within].time < end) {
            within++;
        }
        if (within > 0) {
            goes_on = w->watcher.events(w->watcher.user, events, within) && goes_on;
        }
    }
    return goes_on;
}

/* ---- a gas ---- */

/* Data of one call of carom_lab_run(). */
typedef struct gas_run {
    carom_lab *lab;
    gas_watch watch;
    carom_lab_event told[256];
} gas_run;

static double next_of_gas(void *user)
{
    return next_stop(((const gas_run *)user)->lab);
}

static bool stop_gas(void *user, double clock)
{
    gas_run *run = user;
    const bool goes_on = tell_samples(run->lab, clock);
    run->watch.logs = is_window(run->lab);
    return goes_on;
}

static bool events_of_gas(void *user, const gas_event *events, size_t count, double begin)
{
    gas_run *run = user;
    const uint32_t bodies = (uint32_t)run->lab->info.bodies;
    bool goes_on = true;
    for (size_t done = 0; done < count;) {
        size_t n = 0;
        for (; n < sizeof run->told / sizeof *run->told && done < count; n++, done++) {
            const gas_event *e = &events[done];
            const bool side = e->second >= bodies;
            run->told[n] = (carom_lab_event){.time = begin + e->time,
                                             .x = e->x,
                                             .y = e->y,
                                             .jx = e->jx,
                                             .jy = e->jy,
                                             .first = e->first,
                                             .second = side ? e->second - bodies : e->second,
                                             .kind = (uint32_t)(side ? CAROM_IMPACT_SIDE : CAROM_IMPACT_BODY)};
        }
        goes_on = tell_events(run->lab, run->told, n) && goes_on;
    }
    return goes_on;
}

static carom_status run_gas(carom_lab *lab, double time, const volatile int *cancel, uint64_t *progress)
{
    gas_run run = {.lab = lab, .watch = {.next = next_of_gas, .stop = stop_gas}};
    for (unsigned k = 0; k < CAROM_LAB_WATCHERS; k++) {
        run.watch.events = wants_events(&lab->watches[k]) ? events_of_gas : run.watch.events;
    }
    run.watch.user = &run;
    run.watch.logs = is_window(lab);
    return carom_gas_run_watched(lab->info.gas, time, &run.watch, cancel, progress);
}

/* ---- a scene ---- */

/* Counts the periodic sides that bodies have crossed in a tick, from their old positions (lab->now) and the new ones in
 * ux and uy. No body moves half the box in a tick: see may_tick(). */
static void count_images(carom_lab *lab)
{
    const lab_rows *r = &lab->now;
    const double half_x = lab->info.width / 2, half_y = lab->info.height / 2;
    for (size_t i = 0; i < lab->info.bodies; i++) {
        const double dx = r->ux[i] - r->x[i], dy = r->uy[i] - r->y[i];
        if (lab->info.periodic_x) {
            lab->world.images[2 * i] += dx < -half_x ? 1 : dx > half_x ? -1 : 0;
        }
        if (lab->info.periodic_y) {
            lab->world.images[2 * i + 1] += dy < -half_y ? 1 : dy > half_y ? -1 : 0;
        }
    }
}

/* Is every body slow enough that a tick moves it less than a quarter of a periodic box? */
static bool may_tick(const carom_lab *lab)
{
    const double x = lab->info.periodic_x ? lab->info.width / (4 * lab->world.tick) : INFINITY;
    const double y = lab->info.periodic_y ? lab->info.height / (4 * lab->world.tick) : INFINITY;
    bool slow = true;
    for (size_t i = 0; i < lab->info.bodies; i++) {
        slow = slow && fabs(lab->now.vx[i]) < x && fabs(lab->now.vy[i]) < y;
    }
    return slow;
}

/* Makes room for `events` of a tick. */
static bool take_log(carom_lab *lab, size_t events)
{
    if (lab->world.room >= events) {
        return true;
    }
    carom_event *log = carom_memory_take(events * sizeof *log);
    if (log == NULL) {
        return false;
    }
    carom_memory_release(lab->world.log);
    lab->world.log = log;
    lab->world.room = events;
    return true;
}

/* Plays a tick with its events logged. If there is not enough room for them, it plays the tick again from its start,
 * which `record` has. */
static carom_status play_logged(carom_lab *lab, const volatile int *cancel, void *record, size_t record_size,
                                uint32_t *count)
{
    carom_worlds *worlds = lab->info.worlds;
    carom_status status = carom_worlds_get_world(worlds, 0, record, record_size);
    for (size_t room = LOG_EVENTS; status == CAROM_OK; room = *count) {
        if (!take_log(lab, room)) {
            return CAROM_ERROR_MEMORY;
        }
        carom_step step = carom_step_default();
        step.dt = lab->world.tick;
        step.cancel = cancel;
        step.events = lab->world.log;
        step.event_counts = count;
        step.event_capacity = lab->world.room;
        status = carom_worlds_play(worlds, &step);
        if (status != CAROM_OK || *count <= lab->world.room) {
            return status;
        }
        status = carom_worlds_set_world(worlds, 0, record, record_size);
    }
    return status;
}

/* Passes on the events of the tick that began at `begin`. */
static bool tell_logged(carom_lab *lab, double begin, uint32_t count)
{
    carom_lab_event told[256];
    bool goes_on = true;
    for (uint32_t done = 0; done < count;) {
        size_t n = 0;
        for (; n < sizeof told / sizeof *told && done < count; n++, done++) {
            const carom_event *e = &lab->world.log[done];

            /* For a wall a scene records the change of the velocity. */
            const double impulse = e->impulse * (e->kind == CAROM_IMPACT_BODY ? 1 : lab->info.masses[e->first]);
            told[n] = (carom_lab_event){.time = begin + (1 - e->left) * lab->world.tick,
                                        .x = e->x,
                                        .y = e->y,
                                        .jx = e->nx * impulse,
                                        .jy = e->ny * impulse,
                                        .first = e->first,
                                        .second = e->second,
                                        .kind = e->kind,
                                        .part = e->part};
        }
        goes_on = tell_events(lab, told, n) && goes_on;
    }
    return goes_on;
}

/* One tick, from the state in lab->now. *goes_on: watchers want to continue. */
static carom_status play_tick(carom_lab *lab, const volatile int *cancel, void *record, size_t record_size,
                              bool *goes_on)
{
    const double begin = carom_lab_clock(lab);
    const uint64_t before = carom_worlds_counters(lab->info.worlds).events;
    const bool logs = is_window(lab);
    uint32_t count = 0;
    carom_step step = carom_step_default();
    step.dt = lab->world.tick;
    step.cancel = cancel;

    const carom_status status =
        logs ? play_logged(lab, cancel, record, record_size, &count) : carom_worlds_play(lab->info.worlds, &step);
    if (status != CAROM_OK) {
        return status;
    }
    lab->world.events += logs ? count : carom_worlds_counters(lab->info.worlds).events - before;
    carom_lab_read_places(lab, lab->now.ux, lab->now.uy);
    count_images(lab);
    lab->world.ticks++;

    *goes_on = tell_logged(lab, begin, count);
    const double now = carom_lab_clock(lab);
    if (next_stop(lab) <= now * (1 + SAME)) {
        *goes_on = tell_samples(lab, now) && *goes_on;
    } else {
        lab->reached = now;
    }
    return CAROM_OK;
}

static carom_status run_world(carom_lab *lab, double time, const volatile int *cancel, uint64_t *progress)
{
    const double ticks = round(time / lab->world.tick);
    if (!(fabs(ticks * lab->world.tick - time) <= time * SAME) || !(ticks < 0x1p53)) {
        return CAROM_ERROR_VALUE;
    }
    const size_t size = carom_worlds_record_size(lab->info.worlds);
    void *record = carom_memory_take(size);
    carom_status status = record != NULL ? CAROM_OK : CAROM_ERROR_MEMORY;
    bool goes_on = true;

    for (uint64_t k = 0; k < (uint64_t)ticks && status == CAROM_OK; k++) {
        if (!goes_on || progress_cancelled(cancel)) {
            status = CAROM_ERROR_CANCELLED;
            break;
        }
        if (carom_worlds_faults(lab->info.worlds, NULL) != 0) {
            break;
        }
        carom_lab_read(lab);
        status = may_tick(lab) ? play_tick(lab, cancel, record, size, &goes_on) : CAROM_ERROR_VALUE;
        progress_set(progress, (uint64_t)((double)(k + 1) / ticks * 1e6));
    }
    carom_memory_release(record);
    return status == CAROM_OK && !goes_on ? CAROM_ERROR_CANCELLED : status;
}

carom_status carom_lab_run(carom_lab *lab, double time, const volatile int *cancel, uint64_t *progress)
{
    if (lab == NULL || !(time >= 0) || !(time <= 1e15)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    begin_watching(lab);
    const carom_status status =
        lab->info.gas != NULL ? run_gas(lab, time, cancel, progress) : run_world(lab, time, cancel, progress);
    fp_end(caller);
    return status;
}
