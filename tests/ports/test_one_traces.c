/* SPDX-License-Identifier: MIT
 * One world at a time (kernel/tick/one_driver.h) plays the recorded games: every state of every turn is that of the
 * trace. Sixteen traces are played side by side, each in a lane of its own, from the recorded actions.
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

extern const one_kernel carom_csb_one_f64, carom_fall_one_f64, carom_fantastic_bits_one_f64, carom_stones_one_f64;

/* Traces that are played in one batch. */
typedef struct batch_of {
    const trace_format *format;
    const one_kernel *kernel;
    char *files[CAROM_TILE];
    void *traces[CAROM_TILE];
    size_t count;
    carom_worlds *worlds; /* world i plays traces[i] */
    carom_action_kind kind;
    size_t kind_index, players;
    size_t played, turns; /* of all batches: traces, turns */
} batch_of;

static void create(batch_of *b)
{
    const carom_game *game = carom_game_find(b->format->game);
    carom_worlds_desc desc = WORLDS_DESC(game, .count = b->count, .threads = 1, .at_end = CAROM_PLAY_ON);
    b->format->describe((const void *const *)b->traces, b->count, &desc);
    b->worlds = make_worlds(&desc);
    b->players = game->info.players;
    b->kind_index = b->format->kind != NULL ? find_kind(game, b->format->kind) : 0;
    assert_int_equal(carom_game_action_kind(game, b->kind_index, &b->kind), CAROM_OK);
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

/* Where a number stands, for messages. */
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

/* ---- fall, whose traces have frames, not turns: a scene each, to 1e-9 ---- */

#define CLOSE 1e-9

/* Two circles touch whose relative acceleration is so small that the engine has missed it (trace_20): what follows in
 * the trace is not what the rules say. */
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

/* ---- all traces of a game ---- */

static void play_batch(batch_of *b)
{
    if (b->count > 0) {
        create(b);
    }
    for (size_t w = 0; w < b->count; w++) {
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
    const size_t most = b->format->kind != NULL ? CAROM_TILE : 1;
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

/* At least so many traces. */
static void play_all(const trace_format *format, const one_kernel *kernel, size_t least)
{
    if (!program_is_asked(format->game, true)) {
        return;
    }
    batch_of b = {.format = format, .kernel = kernel};
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
    print_message("%s: %zu traces, %zu turns\n", format->game, b.played, b.turns);
    assert_true(b.played >= least);
}

TEST(test_csb)
{
    play_all(&csb_trace_format, &carom_csb_one_f64, 40);
}

TEST(test_fall)
{
    play_all(&fall_trace_format, &carom_fall_one_f64, 11);
}

TEST(test_fantastic_bits)
{
    play_all(&fb_trace_format, &carom_fantastic_bits_one_f64, 17);
}

TEST(test_stones)
{
    play_all(&stones_trace_format, &carom_stones_one_f64, 12);
}
