/* SPDX-License-Identifier: MIT
 * `carom verify fall`: every trace has its own scene, and is played in its own batch, by all worlds of a tile, so that
 * every lane is used; they must agree to the bit.
 */
#include "verify.h"

#include <math.h>
#include <string.h>

#define WORLDS CAROM_TILE
#define EVENTS 256
#define CLOSE 1e-9
#define ENOUGH 50  /* collisions that must agree: each multiplies the rounding differences */
#define SMALL 1e-6 /* the square of a relative acceleration that defeats the engine's solver */

static void compare(const place *at, const char *field, double expected, double found)
{
    if (!(fabs(expected - found) <= CLOSE)) {
        verify_compare(at, field, expected, found);
    }
}

static void compare_circles(place *at, const fall_trace *trace, const double (*expected)[4],
                            double (*found)[CAROM_FALL_CIRCLES][4])
{
    static const char *const names[] = {"x", "y", "vx", "vy"};
    for (uint32_t k = 0; k < trace->circle_count; k++) {
        snprintf(at->who, sizeof at->who, "circle %u", k);
        for (size_t d = 0; d < 4; d++) {
            compare(at, names[d], expected[k][d], found[0][k][d]);
        }
    }
    snprintf(at->who, sizeof at->who, "world");
    for (size_t w = 1; w < WORLDS; w++) {
        const unsigned char *first = (const unsigned char *)found[0], *other = (const unsigned char *)found[w];
        const bool same = memcmp(first, other, sizeof found[0]) == 0; /* bits, not values: -0 is not 0 */
        verify_compare(at, "that differs from world 0", 0, same ? 0 : (double)w);
    }
}

static void compare_event(place *at, const fall_trace_record *expected, const carom_event *found, double time)
{
    compare(at, "time", expected->time, time);
    verify_compare(at, "first", expected->event.first, found->first);
    verify_compare(at, "second", expected->event.second, found->second);
    verify_compare(at, "part", expected->event.part, found->part);
    compare(at, "x", expected->event.x, found->x);
    compare(at, "y", expected->event.y, found->y);
}

/* A collision missed by the engine: of circles with a small relative acceleration. */
static bool is_missed(const fall_trace *trace, const carom_event *event)
{
    const carom_fall_body *a = &trace->bodies[event->first], *b = &trace->bodies[event->second];
    const double ax = a->ax - b->ax, ay = a->ay - b->ay, square = ax * ax + ay * ay;
    return event->part == CAROM_FALL_CIRCLE && square > 0 && square < SMALL;
}

void verify_fall(const char *file, const fall_trace *trace, carom_worlds *worlds, tally *count)
{
    static carom_event events[WORLDS][EVENTS];
    static double moved[WORLDS][CAROM_FALL_CIRCLES][4];
    const float still[2] = {0, 0};
    const uint32_t rows[WORLDS] = {0};
    uint32_t event_counts[WORLDS];
    size_t at_record = 0, collisions = 0;
    carom_step step = carom_step_default();
    step.actions = still;
    step.action_rows = 1;
    step.rows = rows;
    step.events = events[0];
    step.event_counts = event_counts;
    step.event_capacity = EVENTS;
    step.moved = moved[0][0];
    const uint32_t frames = trace->records[trace->base.turn_count - 1].frame;
    place at = {.count = count, .file = file};
    for (uint32_t frame = 1; frame <= frames; frame++) {
        const size_t before = count->mismatches;
        size_t agreed = collisions;
        carom_demand(carom_worlds_play(worlds, &step), "play");
        for (uint32_t k = 0; k < event_counts[0] && k < EVENTS; k++, at_record++, collisions++) {
            const fall_trace_record *record = &trace->records[at_record];
            const double time = (frame - events[0][k].left) * 0.01;
            if (is_missed(trace, &events[0][k]) && !(record->collision && fabs(record->time - time) < CLOSE)) {
                printf(
                    "%s: the engine misses the collision of bodies %u and %u at %.9g s, whose relative acceleration\n"
                    "    is small; compared until then: %zu collisions, %u frames\n",
                    file, events[0][k].first, events[0][k].second, time, collisions, frame - 1);
                count->turns += frame - 1;
                return;
            }
            snprintf(at.when, sizeof at.when, "collision %zu", collisions + 1);
            snprintf(at.who, sizeof at.who, "at %.9g s", time);
            if (!record->collision) {
                verify_compare(&at, "which the trace does not have: time", record->time, time);
                break;
            }
            compare_event(&at, record, &events[0][k], time);
            agreed += count->mismatches == before;
        }
        const fall_trace_record *record = &trace->records[at_record];
        snprintf(at.when, sizeof at.when, "frame %u", frame);
        snprintf(at.who, sizeof at.who, "the next collision");
        if (record->collision && record->time < frame * 0.01 - CLOSE) {
            verify_compare(&at, "which carom does not have: time", record->time, frame * 0.01);
        }
        if (!record->collision && record->frame == frame) {
            compare_circles(&at, trace, record->circles, moved);
            at_record += at_record + 1 < trace->base.turn_count;
        }
        if (count->mismatches != before) { /* later differences would only repeat it */
            printf("%s: %zu collisions agree; %d must\n", file, agreed, ENOUGH);
            count->mismatches = agreed >= ENOUGH ? before : count->mismatches;
            return;
        }
    }
    count->turns += frames;
}
