/* SPDX-License-Identifier: MIT
 * One world at a time (kernel/tick/one_driver.h) plays the referees' recorded games: every state of every turn is that
 * of the trace. Sixteen traces are played side by side, each in a lane of its own, from the referees' actions.
 */
#include "../batch.h"

#include "../../tools/verify/csb_trace.h"
#include "../../tools/verify/fantastic_bits_trace.h"
#include "games/game.h"
#include "tick/one.h"

#include <dirent.h>

extern const one_kernel carom_csb_one_f64, carom_fantastic_bits_one_f64;

enum { FEW = CAROM_TILE };

typedef struct batch_of {
    const char *game;
    const one_kernel *kernel;
    carom_worlds *worlds;
    size_t action_bytes, kind;
} batch_of;

static batch_of create(const char *name, const one_kernel *kernel, const void *options, size_t count, size_t bytes)
{
    const carom_game *game = carom_game_find(name);
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    batch_of b = {name, kernel, NULL, bytes, find_kind(game, "referee")};
    desc.options = options;
    desc.count = count;
    desc.threads = 1;
    desc.at_end = CAROM_PLAY_ON;
    assert_int_equal(carom_worlds_create(&desc, &b.worlds), CAROM_OK);
    return b;
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
    task.kind = (uint32_t)b->kind;
    task.action_bytes = b->action_bytes;
    task.ticks = 1;
    task.actions = actions;
    task.discount = 1;
    b->kernel->play(&task);
}

/* A field of one world is what the trace has; -0 is 0, as the traces print whole numbers. */
static void same_reals(const batch_of *b, size_t world, size_t turn, const char *field, const double *want,
                       size_t count)
{
    double found[FB_TRACE_BODIES];
    get_field(b->worlds, field, world, 1, found);
    for (size_t k = 0; k < count; k++) {
        if (found[k] + 0.0 != want[k] + 0.0) {
            fail_msg("%s, trace %zu of its batch, turn %zu: %s[%zu] is %.17g, not %.17g", b->game, world, turn, field,
                     k, found[k], want[k]);
        }
    }
}

static void same_bytes(const batch_of *b, size_t world, size_t turn, const char *field, const int8_t *want,
                       size_t count)
{
    int8_t found[16];
    get_field(b->worlds, field, world, 1, found);
    if (memcmp(found, want, count) != 0) {
        fail_msg("%s, trace %zu of its batch, turn %zu: %s differs", b->game, world, turn, field);
    }
}

/* Paths of the traces of a game, [count]; to be freed one by one. */
static size_t paths_of(const char *game, char *paths[256])
{
    char folder[1024];
    size_t count = 0;
    snprintf(folder, sizeof folder, "%s/%s", CAROM_TEST_DATA, game);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL && count < 256; entry = readdir(dir)) {
        if (strncmp(entry->d_name, "trace_", 6) == 0) {
            const size_t size = strlen(folder) + strlen(entry->d_name) + 2;
            paths[count] = malloc(size);
            assert_non_null(paths[count]);
            snprintf(paths[count++], size, "%s/%s", folder, entry->d_name);
        }
    }
    closedir(dir);
    assert_true(count > FEW);
    return count;
}

/* ---- csb ---- */

static void check_csb(const batch_of *b, size_t world, size_t turn, const csb_trace_state *pods)
{
    double numbers[5][CSB_TRACE_PODS];
    int8_t small[2][CSB_TRACE_PODS];
    for (size_t i = 0; i < CSB_TRACE_PODS; i++) {
        numbers[0][i] = pods->x[i], numbers[1][i] = pods->y[i];
        numbers[2][i] = pods->vx[i], numbers[3][i] = pods->vy[i];
        numbers[4][i] = pods->angle[i];
        small[0][i] = pods->shield[i], small[1][i] = pods->won[i];
    }
    static const char *const names[] = {"x", "y", "vx", "vy", "angle"};
    for (size_t k = 0; k < 5; k++) {
        same_reals(b, world, turn, names[k], numbers[k], CSB_TRACE_PODS);
    }
    same_bytes(b, world, turn, "shield", small[0], CSB_TRACE_PODS);
    same_bytes(b, world, turn, "won", small[1], CSB_TRACE_PODS);
}

static size_t play_csb(csb_trace *traces, size_t count)
{
    carom_csb_map maps[FEW];
    size_t turns = 0;
    for (size_t w = 0; w < count; w++) {
        maps[w] = (carom_csb_map){(const int32_t(*)[2])traces[w].checkpoints, traces[w].n, traces[w].laps};
    }
    carom_csb_options options = carom_csb_options_default();
    options.rules = CAROM_CSB_TEST;
    options.maps = maps;
    options.map_count = (uint32_t)count;
    double actions[CSB_TRACE_PODS][3];
    const batch_of b = create("csb", &carom_csb_one_f64, &options, count, sizeof actions);
    for (size_t w = 0; w < count; w++) {
        check_csb(&b, w, 0, &traces[w].start);
        for (size_t t = 0; t < traces[w].base.turn_count; t++, turns++) {
            memcpy(actions, traces[w].turns[t].actions, sizeof traces[w].turns[t].actions);
            play(&b, w, actions);
            check_csb(&b, w, t + 1, &traces[w].turns[t].state);
        }
    }
    carom_worlds_destroy(b.worlds);
    return turns;
}

static void test_csb(void **state)
{
    (void)state;
    char *paths[256], message[TRACE_MESSAGE];
    csb_trace traces[FEW];
    const size_t count = paths_of("csb", paths);
    size_t turns = 0;
    for (size_t from = 0; from < count; from += FEW) {
        const size_t few = count - from < FEW ? count - from : FEW;
        for (size_t k = 0; k < few; k++) {
            assert_true(trace_read(&csb_trace_format, paths[from + k], &traces[k], message, sizeof message));
            free(paths[from + k]);
        }
        turns += play_csb(traces, few);
        for (size_t k = 0; k < few; k++) {
            trace_free(&traces[k]);
        }
    }
    print_message("csb: %zu traces, %zu turns\n", count, turns);
}

/* ---- fantastic_bits ---- */

static void check_fb(const batch_of *b, size_t world, size_t turn, const fb_trace *trace, const fb_trace_state *s)
{
    static const char *const names[] = {"x", "y", "vx", "vy"};
    const double *const numbers[] = {s->x, s->y, s->vx, s->vy};
    const size_t before = CAROM_FANTASTIC_BITS_SNAFFLE + (size_t)trace->snaffles; /* snaffles that are not there */
    for (size_t k = 0; k < 4; k++) {
        double want[FB_TRACE_BODIES], found[FB_TRACE_BODIES];
        memcpy(want, numbers[k], sizeof want);
        get_field(b->worlds, names[k], world, 1, found);
        for (size_t i = before; i < CAROM_FANTASTIC_BITS_BLUDGER; i++) {
            want[i] = found[i];
        }
        same_reals(b, world, turn, names[k], want, FB_TRACE_BODIES);
    }
    same_bytes(b, world, turn, "hold", s->hold, 4);
    same_bytes(b, world, turn, "wait", s->wait, 4);
    same_bytes(b, world, turn, "countdown", s->countdown, 16);
    same_bytes(b, world, turn, "score", s->score, 2);
    same_bytes(b, world, turn, "mana", s->mana, 2);
}

static size_t play_fb(fb_trace *traces, size_t count)
{
    int64_t seeds[FEW];
    size_t turns = 0;
    for (size_t w = 0; w < count; w++) {
        seeds[w] = traces[w].seed;
    }
    carom_fantastic_bits_options options = carom_fantastic_bits_options_default();
    options.seeds = seeds;
    options.seed_count = (uint32_t)count;
    double actions[4][4];
    const batch_of b = create("fantastic_bits", &carom_fantastic_bits_one_f64, &options, count, sizeof actions);
    for (size_t w = 0; w < count; w++) {
        check_fb(&b, w, 0, &traces[w], &traces[w].start);
        for (size_t t = 0; t < traces[w].base.turn_count; t++, turns++) {
            memcpy(actions, traces[w].turns[t].actions, sizeof traces[w].turns[t].actions);
            play(&b, w, actions);
            check_fb(&b, w, t + 1, &traces[w], &traces[w].turns[t].state);
        }
    }
    carom_worlds_destroy(b.worlds);
    return turns;
}

static void test_fantastic_bits(void **state)
{
    (void)state;
    char *paths[256], message[512];
    fb_trace traces[FEW];
    const size_t count = paths_of("fantastic_bits", paths);
    size_t turns = 0;
    for (size_t from = 0; from < count; from += FEW) {
        const size_t few = count - from < FEW ? count - from : FEW;
        for (size_t k = 0; k < few; k++) {
            assert_true(trace_read(&fb_trace_format, paths[from + k], &traces[k], message, sizeof message));
            free(paths[from + k]);
        }
        turns += play_fb(traces, few);
        for (size_t k = 0; k < few; k++) {
            trace_free(&traces[k]);
        }
    }
    print_message("fantastic_bits: %zu traces, %zu turns\n", count, turns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csb),
        cmocka_unit_test(test_fantastic_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
