/* SPDX-License-Identifier: MIT
 * A film of a source, tick by tick: see film.h.
 */
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_IMPACTS 65536 /* kept for a tick, in all worlds */

static int64_t whole_number(const carom_worlds *worlds, const char *name, size_t world)
{
    size_t index;
    carom_field field;
    int32_t value[2] = {0, 0};
    carom_demand(carom_worlds_find_field(worlds, name, &index), "read a field");
    carom_worlds_field(worlds, index, &field);
    carom_worlds_get(worlds, index, world, 1, value);
    if (field.bytes == 1) {
        int8_t narrow;
        memcpy(&narrow, value, sizeof narrow);
        return narrow;
    }
    return field.count == 1 ? value[0] : (int64_t)((uint64_t)(uint32_t)value[1] << 32 | (uint32_t)value[0]);
}

/* ---- sceneries ---- */

static void note_scenery(film *f, size_t frame, size_t world)
{
    f->sceneries = carom_widen(f->sceneries, f->scenery_count, &f->scenery_room, sizeof *f->sceneries);
    film_scenery *scenery = &f->sceneries[f->scenery_count++];
    scenery->frame = frame;
    scenery->world = world;
    carom_look_shapes(f->from.worlds, world, NULL, 0, &scenery->count);
    scenery->shapes = carom_allocate(scenery->count, sizeof *scenery->shapes);
    carom_look_shapes(f->from.worlds, world, scenery->shapes, scenery->count, &scenery->count);
}

const film_scenery *carom_film_scenery(const film *f, size_t frame, size_t world)
{
    const film_scenery *found = NULL;
    for (size_t k = 0; k < f->scenery_count && f->sceneries[k].frame <= frame; k++) {
        found = f->sceneries[k].world == world ? &f->sceneries[k] : found;
    }
    return found;
}

/* ---- frames ---- */

film_body carom_film_seen(const carom_look_body *b, double dt)
{
    const film_body body = {.x = b->x,
                            .y = b->y,
                            .vx = b->vx,
                            .vy = b->vy,
                            .facing = b->facing,
                            .radius = b->radius,
                            .ax = b->ax * dt * dt,
                            .ay = b->ay * dt * dt,
                            .there = b->there && isfinite(b->x) && isfinite(b->y)};
    return body;
}

static double energy_of(const carom_look_body *bodies, size_t count)
{
    double energy = 0;
    for (size_t k = 0; k < count; k++) {
        const carom_look_body *b = &bodies[k];
        energy += b->there && isfinite(b->mass) ? 0.5 * b->mass * (b->vx * b->vx + b->vy * b->vy) : 0;
    }
    return energy;
}

static film_state state_of(const film *f, size_t world)
{
    const carom_worlds *worlds = f->from.worlds;
    film_state state;
    memset(&state, 0, sizeof state);
    carom_worlds_hash(worlds, world, 1, &state.hash);
    state.id = (uint64_t)whole_number(worlds, "id", world);
    state.tick = (int32_t)whole_number(worlds, "tick", world);
    state.episode = (int32_t)whole_number(worlds, "episode", world);
    state.end = (uint8_t)whole_number(worlds, "end", world);
    state.fault = (uint8_t)whole_number(worlds, "fault", world);
    state.frozen = (uint8_t)whole_number(worlds, "frozen", world);
    return state;
}

/* Adds a frame of the worlds' current state. */
static film_frame *add_frame(film *f)
{
    f->frames = carom_widen(f->frames, f->count, &f->room, sizeof *f->frames);
    film_frame *frame = &f->frames[f->count];
    memset(frame, 0, sizeof *frame);
    frame->bodies = carom_allocate(f->worlds * f->bodies, sizeof *frame->bodies);
    frame->states = carom_allocate(f->worlds, sizeof *frame->states);
    frame->numbers = carom_allocate(f->worlds * f->numbers, sizeof *frame->numbers);
    carom_look_body *bodies = carom_allocate(f->bodies, sizeof *bodies);
    carom_look_number *numbers = carom_allocate(f->numbers, sizeof *numbers);
    size_t count;
    for (size_t w = 0; w < f->worlds; w++) {
        carom_look_view view;
        carom_demand(carom_look_view_of(f->from.worlds, w, &view), "look at the worlds");
        carom_demand(carom_look_bodies(f->from.worlds, w, bodies, f->bodies, &count), "look at the bodies");
        for (size_t k = 0; k < f->bodies; k++) {
            frame->bodies[w * f->bodies + k] = carom_film_seen(&bodies[k], view.dt);
        }
        frame->states[w] = state_of(f, w);
        frame->states[w].energy = energy_of(bodies, f->bodies);
        carom_demand(carom_look_numbers(f->from.worlds, w, numbers, f->numbers, &count), "look at the numbers");
        for (size_t k = 0; k < f->numbers; k++) {
            frame->numbers[w * f->numbers + k] = numbers[k].value;
        }
        if (f->count > 0) {
            const film_state *before = &f->frames[f->count - 1].states[w];
            memcpy(frame->states[w].score, before->score, sizeof before->score);
            if (before->episode != frame->states[w].episode) {
                note_scenery(f, f->count, w);
            }
        } else {
            note_scenery(f, 0, w);
        }
    }
    free(bodies);
    free(numbers);
    f->count++;
    return frame;
}

/* ---- impacts ---- */

static int32_t body_named(const film *f, uint32_t id)
{
    return id < f->ids ? f->body_of[id] : -1;
}

/* A time within the tick, or NAN. */
static double within(double time)
{
    return time >= 0 && time <= 1 ? time : (double)NAN;
}

/* The position of body k at `time` of the tick that led to the last frame. */
static void place_at(const film *f, size_t world, int32_t k, double time, double *x, double *y)
{
    const film_body *before = &f->frames[f->count - 2].bodies[world * f->bodies + (size_t)k];
    const film_body *after = &f->frames[f->count - 1].bodies[world * f->bodies + (size_t)k];
    const double t = isnan(time) ? 1 : time;
    *x = before->x + t * (after->x - before->x);
    *y = before->y + t * (after->y - before->y);
}

/* The position of an impact that the game does not report: between the two bodies. */
static void guess_place(const film *f, film_impact *impact)
{
    const film_body *at = &f->frames[f->count - 1].bodies[impact->world * f->bodies];
    place_at(f, impact->world, impact->body, impact->time[0], &impact->x, &impact->y);
    if (impact->other >= 0) {
        double x, y;
        place_at(f, impact->world, impact->other, impact->time[0], &x, &y);
        const double r1 = at[impact->body].radius, r2 = at[impact->other].radius;
        const double share = r1 + r2 > 0 ? r1 / (r1 + r2) : 0.5;
        impact->x += share * (x - impact->x);
        impact->y += share * (y - impact->y);
    }
}

/* An impact from its contact, which has everything that an event may have. */
static void take_contact(film_impact *impact, const carom_contact *contact)
{
    impact->time[0] = within(contact->time[0]);
    impact->time[1] = within(contact->time[1]);
    impact->x = contact->x;
    impact->y = contact->y;
    impact->nx = 0 - contact->nx;
    impact->ny = 0 - contact->ny;
    impact->impulse = contact->impulse;
    memcpy(impact->centre, contact->centre, sizeof impact->centre);
    memcpy(impact->before, contact->before, sizeof impact->before);
    memcpy(impact->after, contact->after, sizeof impact->after);
}

static film_impact impact_of(const film *f, size_t world, const carom_event *event, const carom_contact *contact)
{
    film_impact impact;
    memset(&impact, 0xff, sizeof impact); /* every number NAN */
    impact.world = (uint32_t)world;
    impact.first = event->first;
    impact.second = event->second;
    impact.part = event->part;
    impact.kind = event->kind;
    impact.body = body_named(f, event->first);
    impact.other = event->kind != 0 ? -1 : body_named(f, event->second); /* kind 0: a body, if there are kinds */
    if (!isnan(contact->time[0])) {
        take_contact(&impact, contact);
    } else {
        impact.time[0] = impact.time[1] = f->view.timed ? within(1 - event->left) : (double)NAN;
        impact.x = f->view.placed ? event->x : (double)NAN;
        impact.y = f->view.placed ? event->y : (double)NAN;
    }
    if ((isnan(impact.x) || isnan(impact.y)) && impact.body >= 0) {
        guess_place(f, &impact);
    }
    return impact;
}

static void keep_impacts(film *f, film_frame *frame)
{
    size_t room = 0;
    for (size_t w = 0; w < f->worlds; w++) {
        const uint32_t count = f->event_counts[w] < f->capacity ? f->event_counts[w] : f->capacity;
        carom_contact *contacts = f->contacts + w * f->capacity;
        for (uint32_t k = 0; k < count; k++) {
            frame->impacts = carom_widen(frame->impacts, frame->impact_count, &room, sizeof *frame->impacts);
            frame->impacts[frame->impact_count++] = impact_of(f, w, &f->events[w * f->capacity + k], &contacts[k]);
        }
        memset(contacts, 0xff, count * sizeof *contacts);
    }
    carom_film_tie(f);
}

/* Plays one tick and records it. */
static carom_step recording(film *f, const carom_step *who)
{
    carom_step wanted = *who;
    wanted.ticks = 1;
    wanted.events = f->events;
    wanted.contacts = f->contacts;
    wanted.event_counts = f->event_counts;
    wanted.event_capacity = f->capacity;
    wanted.rewards = f->rewards;
    wanted.results = f->results;
    memset(f->event_counts, 0, f->worlds * sizeof *f->event_counts);
    memset(f->rewards, 0, f->worlds * f->from.about.players * sizeof *f->rewards);
    memset(f->results, 0, f->worlds * sizeof *f->results);
    return wanted;
}

/* Adds the frame after a recorded tick. */
static void add_played(film *f)
{
    film_frame *frame = add_frame(f);
    for (size_t w = 0; w < f->worlds; w++) {
        frame->states[w].fault |= (uint8_t)f->results[w].fault; /* also if the next game has begun */
        for (uint32_t p = 0; p < f->from.about.players; p++) {
            frame->states[w].score[p] += (double)f->rewards[w * f->from.about.players + p];
        }
    }
    keep_impacts(f, frame);
}

void carom_film_play(film *f, const carom_step *who)
{
    const carom_step wanted = recording(f, who);
    carom_demand(carom_worlds_play(f->from.worlds, &wanted), "play");
    add_played(f);
}

bool carom_film_next_with(film *f, const carom_step *who)
{
    if (f->from.tick >= f->from.ticks) {
        f->whole = true;
        return false;
    }
    if (who != NULL) {
        carom_played_think(&f->from);
        carom_film_play(f, who);
        f->from.thought = false;
        f->from.tick++;
        return true;
    }
    const carom_step nothing = carom_step_default(), wanted = recording(f, &nothing);
    carom_demand(carom_played_tick(&f->from, &wanted), "play");
    add_played(f);
    return true;
}

bool carom_film_next(film *f)
{
    return carom_film_next_with(f, NULL);
}

/* ---- films ---- */

static void list_ids(film *f)
{
    for (size_t k = 0; k < f->bodies; k++) {
        f->ids = f->about[k].id >= f->ids ? f->about[k].id + 1 : f->ids;
    }
    f->body_of = carom_allocate(f->ids, sizeof *f->body_of);
    for (uint32_t id = 0; id < f->ids; id++) {
        f->body_of[id] = -1;
    }
    for (size_t k = 0; k < f->bodies; k++) {
        f->body_of[f->about[k].id] = (int32_t)k;
    }
}

/* Allocates the outputs of a tick, with at most `most` impacts of a world. */
static void make_room(film *f, size_t most)
{
    const size_t events = f->from.about.max_events;
    f->capacity = (uint32_t)(events < most ? events : most);
    f->events = carom_allocate(f->worlds * f->capacity, sizeof *f->events);
    f->contacts = carom_allocate(f->worlds * f->capacity, sizeof *f->contacts);
    memset(f->contacts, 0xff, f->worlds * f->capacity * sizeof *f->contacts);
    f->event_counts = carom_allocate(f->worlds, sizeof *f->event_counts);
    f->rewards = carom_allocate(f->worlds * f->from.about.players, sizeof *f->rewards);
    f->results = carom_allocate(f->worlds, sizeof *f->results);
}

static void go_to(film *f, uint64_t first)
{
    if (f->from.replay.replay != NULL) {
        if (first > f->from.ticks) {
            carom_die("the replay has %llu ticks", (unsigned long long)f->from.ticks);
        }
        carom_demand(carom_replay_seek(f->from.replay.replay, f->from.worlds, first), "go to that tick");
        f->from.tick = first;
        return;
    }
    const carom_step nothing = carom_step_default();
    while (f->from.tick < first) {
        carom_demand(carom_played_tick(&f->from, &nothing), "play");
    }
}

film carom_film_open(const played_options *options, uint64_t first)
{
    film f;
    size_t count;
    memset(&f, 0, sizeof f);
    f.from = carom_played_open(options, true);
    f.worlds = carom_worlds_count(f.from.worlds);
    f.first = first;
    go_to(&f, first);
    carom_demand(carom_look_view_of(f.from.worlds, 0, &f.view), "look at the worlds");
    carom_demand(carom_look_bodies(f.from.worlds, 0, NULL, 0, &f.bodies), "look at the bodies");
    carom_demand(carom_look_numbers(f.from.worlds, 0, NULL, 0, &f.numbers), "look at the numbers");
    f.about = carom_allocate(f.bodies, sizeof *f.about);
    f.named = carom_allocate(f.numbers, sizeof *f.named);
    carom_look_bodies(f.from.worlds, 0, f.about, f.bodies, &count);
    carom_look_numbers(f.from.worlds, 0, f.named, f.numbers, &count);
    list_ids(&f);
    const size_t most = MOST_IMPACTS / f.worlds;
    make_room(&f, most > 16 ? most : 16);
    const film_frame *frame = add_frame(&f);
    for (size_t k = 0; k < f.worlds * f.bodies; k++) {
        f.accelerated = f.accelerated || frame->bodies[k].ax != 0 || frame->bodies[k].ay != 0;
    }
    return f;
}

film carom_film_beside(const film *f, carom_worlds *worlds, uint32_t most)
{
    film beside;
    memset(&beside, 0, sizeof beside);
    beside.from.worlds = worlds;
    beside.from.about = f->from.about;
    beside.worlds = carom_worlds_count(worlds);
    beside.bodies = f->bodies;
    beside.view = f->view;
    beside.about = f->about;
    beside.body_of = f->body_of;
    beside.ids = f->ids;
    make_room(&beside, most);
    add_frame(&beside);
    return beside;
}

void carom_film_close_beside(film *f)
{
    for (size_t k = 0; k < f->count; k++) {
        free(f->frames[k].bodies);
        free(f->frames[k].states);
        free(f->frames[k].numbers);
        free(f->frames[k].impacts);
        free(f->frames[k].knots);
        free(f->frames[k].first_knot);
    }
    for (size_t k = 0; k < f->scenery_count; k++) {
        free(f->sceneries[k].shapes);
    }
    free(f->frames);
    free(f->sceneries);
    free(f->events);
    free(f->contacts);
    free(f->event_counts);
    free(f->rewards);
    free(f->results);
}

void carom_film_close(film *f)
{
    carom_film_close_beside(f);
    free(f->about);
    free(f->named);
    free(f->body_of);
    carom_played_close(&f->from);
}
