/* SPDX-License-Identifier: MIT
 * Random scenes in both engines: every state after every tick, every recorded event and every fault equals the
 * reference's, to the bit, on every instruction set, at every index of a batch.
 *
 * In the environment: CAROM_TEST_SEED=N plays scene N alone and prints it; CAROM_TEST_COUNT=N plays N scenes,
 * CAROM_TEST_FIRST=N from seed N on; CAROM_TEST_ONLY=test_crowds (test_random_scenes, test_many_scenes) one of the
 * tests; CAROM_TEST_SHORT makes them fewer.
 */
#include "scene_batch.h"
#include "scene_samples.h"

#include <inttypes.h>

#define MOST_WORLDS 19
#define TICKS 10
#define MANY_EVENTS 200 /* of a tick, of one of many scenes: the reference looks at all pairs for each */
#define VARIANTS 5      /* at most; world w has state w % variants */

/* A state's results, tick by tick. */
typedef struct history {
    scene_state start, after[TICKS];
    unsigned fault[TICKS];
    carom_event *events[TICKS];
    carom_contact *contacts[TICKS];
    uint32_t impacts[TICKS];
    uint64_t all_impacts, all_sensed; /* of ticks without a fault */
} history;

typedef struct subject {
    uint64_t seed;
    scene_sample *sample;
    const carom_scene_desc *desc; /* with its defaults filled in */
    uint32_t capacity;            /* of events */
    carom_precision precision;
    size_t worlds, variants;
    history of[VARIANTS];
} subject;

/* Half of the scenes are played in small steps: most records then outlive several ticks. */
static double dt_of(const subject *s)
{
    return s->seed / 2 % 2 == 0 ? s->sample->dt : s->sample->dt / 8;
}

/* The current case, for messages. */
typedef struct setting {
    carom_engine engine;
    carom_isa isa;
} setting;

static uint64_t chosen_seed(void)
{
    const char *text = getenv("CAROM_TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 0) : 0;
}

static uint64_t first_seed(void)
{
    const char *text = getenv("CAROM_TEST_FIRST");
    return text != NULL ? strtoull(text, NULL, 0) : 1000;
}

/* ---- the reference ---- */

static void write_history(const subject *s, history *h, uint64_t variant)
{
    const uint32_t n = s->desc->body_count;
    double *v;
    h->start = scene_state_new(n);
    v = h->start.number;
    scene_sample_state(s->sample, s->seed, variant, v, v + n, v + 2 * n, v + 3 * n, h->start.active);
    const scene_state *before = &h->start;
    bool frozen = false;
    for (int t = 0; t < TICKS; t++) {
        h->after[t] = scene_state_new(n);
        h->events[t] = calloc(s->capacity, sizeof *h->events[t]);
        h->contacts[t] = calloc(s->capacity, sizeof *h->contacts[t]);
        scene_state_copy(&h->after[t], before);
        if (!frozen) {
            scene_ref_record record = {h->events[t], s->capacity, 0, 0, h->contacts[t]};
            h->fault[t] = scene_reference_tick(s->desc, s->precision, dt_of(s), &h->after[t], &record);
            h->impacts[t] = record.impacts;
            if (h->fault[t] == 0) {
                h->all_impacts += record.impacts;
                h->all_sensed += record.sensed;
            }
        } else {
            h->fault[t] = h->fault[t - 1];
        }
        frozen = h->fault[t] != 0;
        before = &h->after[t];
    }
}

static void free_history(history *h)
{
    end_scene_state(&h->start);
    for (int t = 0; t < TICKS; t++) {
        end_scene_state(&h->after[t]);
        free(h->events[t]);
        free(h->contacts[t]);
    }
}

/* ---- comparing ---- */

#define TELL(...)                                                                                                      \
    do {                                                                                                               \
        print_error(__VA_ARGS__);                                                                                      \
        print_error("\n");                                                                                             \
    } while (0)

static void tell(const subject *s, const setting *k, size_t world, int tick)
{
    TELL("seed %" PRIu64 " f%d, %s engine, %s, world %zu (state %zu), tick %d", s->seed, (int)s->precision,
         k->engine == CAROM_ENGINE_WIDE ? "wide" : "deep", carom_isa_name(k->isa), world, world % s->variants, tick);
    if (chosen_seed() != 0) {
        scene_sample_print(s->sample);
    }
}

static bool same_event(const carom_event *a, const carom_event *b)
{
    return a->left == b->left && a->first == b->first && a->second == b->second && a->part == b->part &&
           a->kind == b->kind && a->x == b->x && a->y == b->y && a->nx == b->nx && a->ny == b->ny &&
           a->impulse == b->impulse;
}

static bool check_contact(const subject *s, const setting *k, size_t world, int tick, const carom_contact *got,
                          const carom_contact *want)
{
    const size_t n = contact_difference(got, want);
    if (n < CONTACT_NUMBERS) {
        tell(s, k, world, tick);
        TELL("    number %zu of the contact at (%.17g, %.17g): %.17g, want %.17g", n, want->x, want->y,
             contact_number(got, n), contact_number(want, n));
    }
    return n == CONTACT_NUMBERS;
}

static void tell_event(const char *who, const subject *s, const carom_event *e)
{
    TELL("    %s: time %.17g kind %u: %u, %u part %u at (%.17g, %.17g) n (%.17g, %.17g) impulse %.17g", who,
         (1 - e->left) * dt_of(s), e->kind, e->first, e->second, e->part, e->x, e->y, e->nx, e->ny, e->impulse);
}

static bool check_events(const subject *s, const setting *k, size_t world, int tick, const carom_event *events,
                         const carom_contact *contacts, uint32_t count)
{
    const history *h = &s->of[world % s->variants];
    const uint32_t want = h->impacts[tick], most = want < count ? want : count;
    for (uint32_t e = 0; e < most && e < s->capacity; e++) {
        if (!same_event(&events[e], &h->events[tick][e])) {
            tell(s, k, world, tick);
            TELL("    event %u of %u (want %u)", e, count, want);
            tell_event("got ", s, &events[e]);
            tell_event("want", s, &h->events[tick][e]);
            return false;
        }
        if (!check_contact(s, k, world, tick, &contacts[e], &h->contacts[tick][e])) {
            tell_event("of", s, &events[e]);
            return false;
        }
    }
    if (count != want) {
        tell(s, k, world, tick);
        TELL("    %u events, want %u", count, want);
        if (most < s->capacity) {
            tell_event(count > want ? "got " : "want", s, count > want ? &events[most] : &h->events[tick][most]);
        }
        return false;
    }
    return true;
}

static bool check_state(const subject *s, const setting *k, size_t world, int tick, const carom_worlds *worlds)
{
    const history *h = &s->of[world % s->variants];
    const scene_state *want = &h->after[tick];
    OWNED(scene_state) got = scene_state_new(want->n);
    int8_t fault = 0, end = 0;
    bool same = true;
    scene_get(worlds, world, &got);
    get_field(worlds, "fault", world, 1, &fault);
    get_field(worlds, "end", world, 1, &end);
    if (fault != 0 && end == CAROM_RUNNING) {
        tell(s, k, world, tick);
        TELL("    a fault has not ended the game");
        same = false;
    }
    if ((unsigned)fault != h->fault[tick]) {
        tell(s, k, world, tick);
        TELL("    fault %d, want %u", fault, h->fault[tick]);
        same = false;
    }
    for (size_t f = 0; f < 4 * (size_t)want->n && same; f++) {
        if (memcmp(&got.number[f], &want->number[f], sizeof(double)) != 0) {
            tell(s, k, world, tick);
            TELL("    %s of body %zu: %.17g, want %.17g", scene_numbers[f / want->n], f % want->n, got.number[f],
                 want->number[f]);
            same = false;
        }
    }
    if (same && memcmp(got.active, want->active, want->n) != 0) {
        tell(s, k, world, tick);
        TELL("    active differs");
        same = false;
    }
    return same;
}

/* ---- playing ---- */

static bool check_counters(const subject *s, const setting *k, const carom_worlds *worlds)
{
    const carom_counters counters = carom_worlds_counters(worlds);
    uint64_t impacts = 0, sensed = 0, faults = 0;
    for (size_t w = 0; w < s->worlds; w++) {
        faults += s->of[w % s->variants].fault[TICKS - 1] != 0;
        impacts += s->of[w % s->variants].all_impacts;
        sensed += s->of[w % s->variants].all_sensed;
    }
    if (counters.events != impacts || counters.goals != sensed || counters.faults != faults) {
        tell(s, k, 0, TICKS - 1);
        TELL("    counted %" PRIu64 " events, %" PRIu64 " goals, %" PRIu64 " faults, want %" PRIu64 ", %" PRIu64
             ", %" PRIu64,
             counters.events, counters.goals, counters.faults, impacts, sensed, faults);
        return false;
    }
    return true;
}

/* Tick by tick with events recorded. */
static bool play_recorded(const subject *s, const setting *k, carom_worlds *worlds)
{
    FREED carom_event *events = calloc(s->worlds * (size_t)s->capacity, sizeof *events);
    FREED carom_contact *contacts = calloc(s->worlds * (size_t)s->capacity, sizeof *contacts);
    uint32_t counts[MOST_WORLDS];
    bool same = true;
    for (int tick = 0; tick < TICKS && same; tick++) {
        PLAY(worlds, .dt = dt_of(s), .events = events, .event_capacity = s->capacity, .event_counts = counts,
             .contacts = contacts);
        for (size_t w = 0; w < s->worlds && same; w++) {
            same = check_events(s, k, w, tick, events + w * s->capacity, contacts + w * s->capacity, counts[w]) &&
                   check_state(s, k, w, tick, worlds);
        }
    }
    same = same && check_counters(s, k, worlds);
    return same;
}

/* All ticks in one call. */
static bool play_at_once(const subject *s, const setting *k, carom_worlds *worlds)
{
    bool same = true;
    must(carom_worlds_step(worlds, dt_of(s), TICKS), "carom_worlds_step");
    for (size_t w = 0; w < s->worlds && same; w++) {
        same = check_state(s, k, w, TICKS - 1, worlds);
    }
    return same && check_counters(s, k, worlds);
}

static bool play_setting(const subject *s, const setting *k, const carom_scene *scene, bool recorded)
{
    OWNED(carom_worlds) *worlds = scene_worlds(scene, s->worlds, s->precision, k->isa, recorded ? 1 : 2);
    bool same;
    for (size_t w = 0; w < s->worlds; w++) {
        scene_put(worlds, w, &s->of[w % s->variants].start);
    }
    same = recorded ? play_recorded(s, k, worlds) : play_at_once(s, k, worlds);
    return same;
}

/* How many histories were compared, and of what kind: a test that plays nothing proves nothing. */
static struct {
    uint64_t impacts, sensed, faults;
} seen;

static void write_histories(subject *s)
{
    for (size_t v = 0; v < s->variants; v++) {
        write_history(s, &s->of[v], v);
        seen.impacts += s->of[v].all_impacts;
        seen.sensed += s->of[v].all_sensed;
        seen.faults += s->of[v].fault[TICKS - 1] != 0;
    }
}

static void free_histories(subject *s)
{
    for (size_t v = 0; v < s->variants; v++) {
        free_history(&s->of[v]);
    }
}

/* On every instruction set. */
static bool play_thoroughly(subject *s, carom_scene *const scenes[2])
{
    bool same = true;
    write_histories(s);
    for (int engine = 0; engine < 2 && same; engine++) {
        for (size_t i = 0; i < isa_count && same; i++) {
            const setting k = {engine == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP, isas[i]};
            same = play_setting(s, &k, scenes[engine], true) &&
                   ((s->seed + i) % 3 != 0 || play_setting(s, &k, scenes[engine], false));
        }
    }
    free_histories(s);
    return same;
}

/* On one instruction set. */
static bool play_briefly(subject *s, carom_scene *const scenes[2])
{
    bool same = true;
    write_histories(s);
    for (int engine = 0; engine < 2 && same; engine++) {
        const setting k = {engine == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP, isas[(s->seed / 2) % isa_count]};
        same = play_setting(s, &k, scenes[engine], true);
    }
    free_histories(s);
    return same;
}

typedef enum scene_kind { FEW_BODIES, CROWDS, MANY_SCENES } scene_kind;

static bool play_seed(uint64_t seed, scene_kind kind)
{
    FREED scene_sample *sample = malloc(sizeof *sample);
    carom_scene *scenes[2];
    bool same = true;
    scene_sample_make(sample, seed, kind == CROWDS);
    if (seed / 2 % 3 == 1) {
        scene_sample_add_arcs(sample, seed);
    }
    if (seed % 3 == 0) {
        scene_sample_let_pass(sample, seed);
    }
    if (kind == MANY_SCENES && (sample->desc.max_events == 0 || sample->desc.max_events > MANY_EVENTS)) {
        sample->desc.max_events = MANY_EVENTS;
    }
    for (int engine = 0; engine < 2; engine++) {
        sample->desc.engine = engine == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        scenes[engine] = make_scene(&sample->desc);
        assert_int_equal(carom_scene_engine(scenes[engine]), sample->desc.engine);
    }
    for (int bits = 32; bits <= 64 && same; bits += 32) {
        subject s;
        if (kind == MANY_SCENES && (seed % 2 == 0) != (bits == 64)) {
            continue;
        }
        memset(&s, 0, sizeof s);
        s.seed = seed;
        s.sample = sample;
        s.desc = carom_scene_describe(scenes[0]);
        s.capacity = seed % 7 == 0 ? 3 : 64 + 16 * sample->desc.body_count; /* now and then it does not suffice */
        s.precision = (carom_precision)bits;
        s.worlds = kind == MANY_SCENES ? 1 : kind == CROWDS ? 3 : MOST_WORLDS;
        s.variants = kind == MANY_SCENES ? 1 : kind == CROWDS ? 2 : VARIANTS;
        same = kind == MANY_SCENES ? play_briefly(&s, scenes) : play_thoroughly(&s, scenes);
    }
    carom_scene_destroy(scenes[0]);
    carom_scene_destroy(scenes[1]);
    return same;
}

static uint64_t scenes_of(int few, int many)
{
    const char *asked = getenv("CAROM_TEST_COUNT");
    return asked != NULL ? strtoull(asked, NULL, 0) : (uint64_t)unless_short(many, few);
}

static void play_scenes(uint64_t count, scene_kind kind)
{
    uint64_t failed = 0;
    memset(&seen, 0, sizeof seen);
    if (chosen_seed() != 0) {
        assert_true(play_seed(chosen_seed(), kind));
        return;
    }
    for (uint64_t k = 0; k < count && failed < 20; k++) {
        failed += !play_seed(first_seed() + k, kind);
    }
    print_message("%" PRIu64 " scenes from seed %" PRIu64 ": %" PRIu64 " impacts, %" PRIu64 " sensed, %" PRIu64
                  " faults\n",
                  count, first_seed(), seen.impacts, seen.sensed, seen.faults);
    assert_int_equal(failed, 0);
    assert_true(seen.impacts > (kind == MANY_SCENES ? 2 : 20) * count && seen.sensed + seen.faults > count / 10);
}

TEST(test_random_scenes)
{
    play_scenes(scenes_of(12, 100), FEW_BODIES);
}

/* Enough bodies for the deep engine's grid to have cells. */
TEST(test_crowds)
{
    play_scenes(scenes_of(2, 6), CROWDS);
}

/* A description and a state a scene, in f32 and in f64 by turns, on each instruction set by turns. */
TEST(test_many_scenes)
{
    assert_true(play_seed(466709, MANY_SCENES)); /* a body that an impact leaves at a speed of 1e-38 */
    play_scenes(scenes_of(300, 20000), MANY_SCENES);
}
