/* SPDX-License-Identifier: MIT
 * One world at a time (kernel/tick/one_driver.h) plays the recorded games: every state of every turn is that of the
 * trace. Sixteen traces are played side by side, each in its own lane, from the recorded actions. There are no
 * recordings in f32: the same actions must lead to the library's states.
 */
#include "../batch.h"

#include "../../tools/verify/csb_trace.h"
#include "../../tools/verify/fall_trace.h"
#include "../../tools/verify/fantastic_bits_trace.h"
#include "../../tools/verify/stones_trace.h"
#include "../../tools/verify/trace_format.h"
#include "games/game.h"
#include "ports/programs.h"
#include "tick/tick.h"

#include <dirent.h>

#define DECLARE(name) extern const one_kernel carom_##name##_one_f32, carom_##name##_one_f64;
DECLARE(csb)
DECLARE(fall)
DECLARE(fantastic_bits)
DECLARE(stones)

/* Traces that are played in one batch. */
typedef struct batch_of {
    const trace_format *format;
    const one_kernel *kernel;
    carom_precision precision;
    char *files[CAROM_TILE];
    void *traces[CAROM_TILE];
    size_t count;
    carom_worlds *worlds;  /* world i plays traces[i] */
    carom_worlds *library; /* in f32: the library's states */
    carom_action_kind kind;
    size_t kind_index, players;
    size_t played, turns; /* of all batches: traces, turns */
} batch_of;

static void create(batch_of *b)
{
    const carom_game *game = carom_game_find(b->format->game);
    carom_worlds_desc desc =
        WORLDS_DESC(game, .count = b->count, .precision = b->precision, .threads = 1, .at_end = CAROM_PLAY_ON);
    b->format->describe((const void *const *)b->traces, b->count, &desc);
    b->worlds = make_worlds(&desc);
    b->players = game->info.players;
    b->kind_index = b->format->kind != NULL ? find_kind(game, b->format->kind) : 0;
    assert_int_equal(carom_game_action_kind(game, b->kind_index, &b->kind), CAROM_OK);
    if (b->precision == CAROM_F32) {
        b->library = make_worlds(&desc);
        return; /* from the game's own start */
    }
    for (size_t w = 0; w < b->count && b->format->begin != NULL; w++) {
        assert_null(b->format->begin(b->traces[w], b->worlds, w));
    }
}

/* One turn of one world, out of its tile and back. */
static void play(const batch_of *b, size_t world, const void *actions)
{
    one_task task;
    memset(&task, 0, sizeof task);
    task.tile = carom_worlds_tile(b->worlds, world / CAROM_TILE);
    task.lane = (unsigned)(world % CAROM_TILE);
    task.context = b->worlds->context;
    task.seed = b->worlds->desc.seed;
    task.at_end = CAROM_PLAY_ON;
    task.kind = (uint32_t)b->kind_index;
    task.action_bytes = b->players * b->kind.size * (b->kind.precision / 8);
    task.ticks = 1;
    task.actions = actions;
    task.discount = 1;
    b->kernel->play(&task);
}

/* The position of a number, for messages. */
typedef struct place {
    const char *file;
    size_t turn;
} place;

static void differs(void *of, const char *who, double expected, double found)
{
    const place *at = (const place *)of;
    fail_msg("%s, turn %zu, %s: %.17g instead of %.17g", at->file, at->turn, who, found, expected);
}

static void play_trace(batch_of *b, size_t w)
{
    const trace_format *format = b->format;
    const void *trace = b->traces[w];
    place at = {b->files[w], 0};
    if (format->start != 0) {
        trace_compare(trace, (const char *)trace + format->start, true, b->worlds, w, NULL, differs, &at);
    }
    for (size_t t = 0; t < ((const trace_base *)trace)->turn_count; t++, b->turns++) {
        const char *turn = (const char *)trace_turn_at(trace, t);
        int8_t fault = 0;
        at.turn = t + format->first_turn;
        play(b, w, turn + format->actions);
        get_field(b->worlds, "fault", w, 1, &fault);
        assert_int_equal(fault, 0);
        trace_compare(trace, turn + format->state, false, b->worlds, w, NULL, differs, &at);
    }
}

/* ---- fall: its traces have frames instead of turns; a scene each, to 1e-9 ---- */

#define CLOSE 1e-9

/* Two circles touch with so small a relative acceleration that the original engine missed it (trace_20): the rest of
 * the trace does not follow the rules. */
static bool has_missed(const fall_trace *trace, const double (*now)[4])
{
    const carom_fall_body *circles[CAROM_FALL_CIRCLES];
    size_t count = 0;
    for (uint32_t k = 0; k < trace->body_count; k++) {
        if (trace->bodies[k].corner_count == 0) {
            circles[count++] = &trace->bodies[k];
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const double a = hypot(circles[i]->ax - circles[j]->ax, circles[i]->ay - circles[j]->ay);
            const double apart = hypot(now[i][0] - now[j][0], now[i][1] - now[j][1]);
            if (a > 0 && a < 1e-3 && apart < circles[i]->radius + circles[j]->radius + 1e-6) {
                return true;
            }
        }
    }
    return false;
}

static void play_fall(batch_of *b, size_t w)
{
    static const char *const names[] = {"x", "y", "vx", "vy"};
    static const float still[2];
    const fall_trace *trace = (const fall_trace *)b->traces[w];
    uint32_t frame = 0;
    for (size_t r = 0; r < trace->base.turn_count; r++) {
        const fall_trace_record *record = &trace->records[r];
        if (record->collision) {
            continue;
        }
        if (has_missed(trace, record->circles)) {
            assert_in_range(frame, 100, 1000);
            return;
        }
        for (; frame < record->frame; frame++, b->turns++) {
            play(b, w, still);
        }
        for (size_t d = 0; d < 4; d++) {
            double found[CAROM_FALL_CIRCLES];
            get_field(b->worlds, names[d], w, 1, found);
            for (uint32_t k = 0; k < trace->circle_count; k++) {
                if (!(fabs(found[k] - record->circles[k][d]) <= CLOSE)) {
                    fail_msg("%s, frame %u, circle %u, %s: %.17g instead of %.17g", b->files[w], frame, k, names[d],
                             found[k], record->circles[k][d]);
                }
            }
        }
    }
}

/* ---- in f32 ---- */

/* A turn of a batch of one world, by the program and by the library. */
static void play_both(batch_of *b, size_t turn, const void *actions)
{
    unsigned char one[4096], library[4096];
    const size_t bytes = carom_worlds_record_size(b->library);
    assert_in_range(bytes, 1, sizeof one);
    play(b, 0, actions);
    PLAY(b->library, .action_kind = b->kind_index, .actions = actions);
    assert_int_equal(carom_worlds_get_world(b->worlds, 0, one, bytes), CAROM_OK);
    assert_int_equal(carom_worlds_get_world(b->library, 0, library, bytes), CAROM_OK);
    if (memcmp(one, library, bytes) != 0) {
        fail_msg("%s, turn %zu: not the state of the library in f32", b->files[0], turn);
    }
    b->turns++;
}

static void play_narrow(batch_of *b)
{
    static const float still[2];
    const trace_format *format = b->format;
    const trace_base *trace = (const trace_base *)b->traces[0];
    for (size_t t = 0; t < trace->turn_count && format->kind != NULL; t++) {
        play_both(b, t, (const char *)trace_turn_at(trace, t) + format->actions);
    }
    if (format->kind == NULL) {
        const fall_trace *fall = (const fall_trace *)b->traces[0];
        for (uint32_t frame = 0; frame < fall->records[trace->turn_count - 1].frame; frame++) {
            play_both(b, frame, still);
        }
    }
}

/* ---- all traces of a game ---- */

static void play_batch(batch_of *b)
{
    if (b->count > 0) {
        create(b);
    }
    if (b->count > 0 && b->precision == CAROM_F32) {
        play_narrow(b);
        carom_worlds_destroy(b->library);
    }
    for (size_t w = 0; w < b->count && b->precision == CAROM_F64; w++) {
        (b->format->kind != NULL ? play_trace : play_fall)(b, w);
    }
    if (b->count > 0) {
        carom_worlds_destroy(b->worlds);
    }
    b->played += b->count;
    for (; b->count > 0; b->count--) {
        trace_free(b->traces[b->count - 1]);
        free(b->traces[b->count - 1]);
        free(b->files[b->count - 1]);
    }
}

static void add(batch_of *b, char *path)
{
    const size_t most = b->format->kind != NULL && b->precision == CAROM_F64 ? CAROM_TILE : 1;
    char message[4096 + TRACE_MESSAGE];
    trace_base *trace = (trace_base *)take(b->format->trace_size);
    if (!trace_read(b->format, path, trace, message, sizeof message)) {
        fail_msg("%s", message);
    }
    if (trace->unplayable != NULL) {
        trace_free(trace);
        free(trace);
        free(path);
        return;
    }
    if (b->count == most || (b->count > 0 && trace->batch != ((const trace_base *)b->traces[0])->batch)) {
        play_batch(b);
    }
    b->files[b->count] = path;
    b->traces[b->count++] = trace;
}

/* At least this many traces. */
static void play_in(carom_precision precision, const trace_format *format, const one_kernel *kernel, size_t least)
{
    if (!program_is_asked(format->game, precision == CAROM_F64)) {
        return;
    }
    batch_of b = {.format = format, .kernel = kernel, .precision = precision};
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/%s", CAROM_TEST_DATA, format->game);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const size_t length = strlen(entry->d_name), size = strlen(folder) + length + 2;
        if (length > 4 && strcmp(entry->d_name + length - 4, ".txt") == 0) {
            char *path = take(size);
            snprintf(path, size, "%s/%s", folder, entry->d_name);
            add(&b, path);
        }
    }
    closedir(dir);
    play_batch(&b);
    print_message("%s, f%d: %zu traces, %zu turns\n", format->game, (int)precision, b.played, b.turns);
    assert_true(b.played >= least);
}

#define PLAY_ALL(format, name, least)                                                                                  \
    play_in(CAROM_F64, format, &carom_##name##_one_f64, least);                                                        \
    play_in(CAROM_F32, format, &carom_##name##_one_f32, least)

TEST(test_csb)
{
    PLAY_ALL(&csb_trace_format, csb, 40);
}

TEST(test_fall)
{
    PLAY_ALL(&fall_trace_format, fall, 11);
}

TEST(test_fantastic_bits)
{
    PLAY_ALL(&fb_trace_format, fantastic_bits, 17);
}

TEST(test_stones)
{
    PLAY_ALL(&stones_trace_format, stones, 12);
}
