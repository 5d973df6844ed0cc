/* SPDX-License-Identifier: MIT
 * Bots infer hidden state: the trackers of tools/bot/track.h get whole recorded games as a referee sends them, from
 * both sides, and their states are compared with the recorded ones.
 */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "../tools/bot/track.h"
#include "../tools/verify/csb_trace.h"
#include "../tools/verify/fantastic_bits_trace.h"

#include <dirent.h>

/* What the tools end with; a test fails by it. */
_Noreturn void carom_die(const char *format, ...);
void *carom_allocate(size_t count, size_t size);
_Noreturn void carom_die(const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fail_msg("%s", text);
    abort();
}

void *carom_allocate(size_t count, size_t size)
{
    return calloc(count, size);
}

/* ---- traces ---- */

typedef void (*on_trace)(const char *path);

/* Follows the recorded games of a folder, in the short form each third one; how many there are. */
static size_t each_trace(const char *folder, on_trace act)
{
    struct dirent **names;
    const int count = scandir(folder, &names, NULL, alphasort);
    size_t traces = 0;
    for (int i = 0; i < count; i++) {
        if (strncmp(names[i]->d_name, "trace_", 6) == 0) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
            if (traces++ % (size_t)unless_short(1, 3) == 0) {
                act(path);
            }
        }
        free(names[i]);
    }
    free(names);
    return traces;
}

static void hear(tracker *tracked, const protocol_text *text, bool (*listen)(tracker *, FILE *))
{
    char copy[PROTOCOL_TEXT];
    memcpy(copy, text->bytes, text->length);
    FILE *stream = fmemopen(copy, text->length, "r");
    assert_non_null(stream);
    assert_true(listen(tracked, stream));
    fclose(stream);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* ---- csb ---- */

static struct {
    size_t turns, shields; /* of pods of the other side: seen; with a shield that is not as it was */
} csb_doubts;

/* A boost under a shield is used up invisibly. */
static bool has_wasted_boost(const csb_trace *trace, size_t turns, int pod)
{
    for (size_t t = 1; t < turns; t++) {
        if (trace->turns[t].actions[pod][2] == CAROM_CSB_BOOST && trace->turns[t - 1].state.shield[pod] > 0) {
            return true;
        }
    }
    return false;
}

static void compare_csb(const char *path, const csb_trace *trace, size_t turn, const tracker *tracked, unsigned player)
{
    const csb_trace_state *pods = turn == 0 ? &trace->start : &trace->turns[turn - 1].state;
    double x[4], y[4], vx[4], vy[4], angle[4];
    int16_t next[4], timeout[2];
    int8_t shield[4], boosted[4];
    const carom_worlds *world = carom_track_world(tracked);
    carom_protocol_get(world, 0, "x", x);
    carom_protocol_get(world, 0, "y", y);
    carom_protocol_get(world, 0, "vx", vx);
    carom_protocol_get(world, 0, "vy", vy);
    carom_protocol_get(world, 0, "angle", angle);
    carom_protocol_get(world, 0, "next", next);
    carom_protocol_get(world, 0, "timeout", timeout);
    carom_protocol_get(world, 0, "shield", shield);
    carom_protocol_get(world, 0, "boosted", boosted);
    for (int i = 0; i < 4; i++) {
        const bool own = i / 2 == (int)player;
        if (x[i] != pods->x[i] || y[i] != pods->y[i] || vx[i] != pods->vx[i] || vy[i] != pods->vy[i] ||
            next[i] != pods->next[i] ||
            (own && (!same_bits(angle[i], pods->angle[i]) || shield[i] != pods->shield[i] ||
                     boosted[i] != pods->boosted[i])) ||
            fabs(angle[i] - pods->angle[i]) > 0.0175) {
            fail_msg("%s, turn %zu, player %u: pod %d: angle %.17g, not %.17g; next %d, not %d; shield %d, not %d; "
                     "boosted %d, not %d",
                     path, turn, player, i, angle[i], pods->angle[i], next[i], pods->next[i], shield[i],
                     pods->shield[i], boosted[i], pods->boosted[i]);
        }
        if (!own) {
            csb_doubts.turns++;
            csb_doubts.shields += shield[i] != pods->shield[i];
            if (boosted[i] != pods->boosted[i] && !has_wasted_boost(trace, turn, i)) {
                fail_msg("%s, turn %zu: pod %d: boosted %d, not %d", path, turn, i, boosted[i], pods->boosted[i]);
            }
        }
    }
    if (turn > 0) {
        for (int p = 0; p < 2; p++) {
            if (timeout[p] != trace->turns[turn - 1].state.timeout[p]) {
                fail_msg("%s, turn %zu, player %u: timeout %d, not %d", path, turn, player, timeout[p],
                         trace->turns[turn - 1].state.timeout[p]);
            }
        }
    }
}

static void follow_csb(const char *path)
{
    csb_trace trace;
    char message[4096 + TRACE_MESSAGE];
    if (!trace_read(&csb_trace_format, path, &trace, message, sizeof message)) {
        fail_msg("%s", message);
    }
    const carom_game *csb = carom_game_find("csb");
    const carom_csb_map map = {(const int32_t(*)[2])trace.checkpoints, trace.n, trace.laps};
    carom_csb_options options = carom_csb_options_default();
    options.rules = CAROM_CSB_TEST;
    options.maps = &map;
    options.map_count = 1;
    carom_worlds_desc desc = WORLDS_DESC(csb, .options = &options);
    carom_step step = carom_step_default();
    assert_int_equal(carom_game_find_action_kind(csb, "referee", &step.action_kind), CAROM_OK);
    for (unsigned player = 0; player < 2; player++) {
        static protocol_text text;
        carom_csb_options rules = carom_csb_options_default();
        rules.rules = CAROM_CSB_TEST;
        tracker *tracked = carom_track_create("csb", &rules);
        OWNED(carom_worlds) *referee = make_worlds(&desc);
        text.length = 0;
        carom_csb_protocol.greet(referee, player, &text);
        hear(tracked, &text, carom_track_begin);
        for (size_t t = 0; t <= trace.base.turn_count; t++) {
            double actions[4][3];
            text.length = 0;
            carom_csb_protocol.tell(referee, player, false, &text);
            hear(tracked, &text, carom_track_turn);
            assert_int_equal(carom_track_player(tracked), player);
            compare_csb(path, &trace, t, tracked, player);
            if (t < trace.base.turn_count) {
                memcpy(actions, trace.turns[t].actions, sizeof trace.turns[t].actions);
                carom_track_answer(tracked, actions[2 * player]);
                step.actions = actions;
                assert_int_equal(carom_worlds_play(referee, &step), CAROM_OK);
            }
        }
        carom_track_destroy(tracked);
    }
    trace_free(&trace);
}

TEST(test_csb)
{
    assert_true(each_trace(CAROM_TEST_DATA "/csb", follow_csb) >= 40);
    /* Shields without an impact are inferred from missing thrust: bots that give none are misleading. */
    printf("csb, the other side's pods: %zu of %zu shields are not what they were\n", csb_doubts.shields,
           csb_doubts.turns);
    assert_true(csb_doubts.shields * (size_t)unless_short(20, 15) < csb_doubts.turns);
}

/* ---- fantastic_bits ---- */

enum { FB_HOLD, FB_WAIT, FB_IGNORES, FB_LAST, FB_SCORE, FB_MANA, FB_SPELLS, FB_DOUBTS };
static const char *const fb_doubt_names[FB_DOUBTS] = {"hold", "wait", "ignores", "last", "score", "mana", "spells"};
static size_t fb_turns, fb_doubts[FB_DOUBTS];
static bool fb_scores; /* today's form of the input */

typedef struct fb_known {
    double x[13], y[13], vx[13], vy[13];
    int8_t hold[4], wait[4], countdown[16], target[16], cast[4], cast_target[4], alive[7], ignores[7], last[2],
        score[2], mana[2];
} fb_known;

static fb_known get_fb(const carom_worlds *world)
{
    fb_known k;
    memset(&k, 0, sizeof k);
    carom_protocol_get(world, 0, "x", k.x);
    carom_protocol_get(world, 0, "y", k.y);
    carom_protocol_get(world, 0, "vx", k.vx);
    carom_protocol_get(world, 0, "vy", k.vy);
    carom_protocol_get(world, 0, "hold", k.hold);
    carom_protocol_get(world, 0, "wait", k.wait);
    carom_protocol_get(world, 0, "countdown", k.countdown);
    carom_protocol_get(world, 0, "target", k.target);
    carom_protocol_get(world, 0, "cast", k.cast);
    carom_protocol_get(world, 0, "cast_target", k.cast_target);
    carom_protocol_get(world, 0, "alive", k.alive);
    carom_protocol_get(world, 0, "ignores", k.ignores);
    carom_protocol_get(world, 0, "last", k.last);
    carom_protocol_get(world, 0, "score", k.score);
    carom_protocol_get(world, 0, "mana", k.mana);
    return k;
}

/* A bad command loses: the referee says -1, and the other does not see it. */
static bool same_scores(const int8_t *a, const int8_t *b)
{
    return (a[0] == b[0] || b[0] < 0) && (a[1] == b[1] || b[1] < 0);
}

/* Which of two wizards has cast Obliviate makes no difference to anything. */
static bool same_spells(const fb_known *a, const fb_known *b, size_t first)
{
    for (size_t k = 4 * first; k < 4 * first + 8; k++) {
        if (k % 4 != 0 && (a->countdown[k] != b->countdown[k] || a->target[k] != b->target[k])) {
            return false;
        }
    }
    for (int8_t bludger = 11; bludger < 13; bludger++) {
        int left[2] = {0, 0};
        for (size_t w = first; w < first + 2; w++) {
            left[0] = a->target[4 * w] == bludger && a->countdown[4 * w] > left[0] ? a->countdown[4 * w] : left[0];
            left[1] = b->target[4 * w] == bludger && b->countdown[4 * w] > left[1] ? b->countdown[4 * w] : left[1];
        }
        if (left[0] != left[1]) {
            return false;
        }
    }
    return true;
}

static void compare_fb(const char *path, size_t turn, const tracker *tracked, const carom_worlds *referee)
{
    static const int costs[4] = {5, 10, 20, 20};
    const fb_known is = get_fb(carom_track_world(tracked)), be = get_fb(referee);
    const unsigned player = carom_track_player(tracked), other = 1 - player;
    const size_t own = 2 * player, others = 2 * other;
    for (int i = 0; i < 13; i++) {
        if (i < 4 || i > 10 || be.alive[i - 4]) {
            assert_true(is.x[i] == be.x[i] && is.y[i] == be.y[i] && is.vx[i] == be.vx[i] && is.vy[i] == be.vy[i]);
        }
    }
    assert_memory_equal(is.alive, be.alive, 7);
    if (is.mana[player] != be.mana[player] || memcmp(is.countdown + 4 * own, be.countdown + 4 * own, 8) != 0 ||
        memcmp(is.target + 4 * own, be.target + 4 * own, 8) != 0 || memcmp(is.cast + own, be.cast + own, 2) != 0 ||
        memcmp(is.cast_target + own, be.cast_target + own, 2) != 0 || memcmp(is.hold + own, be.hold + own, 2) != 0) {
        fail_msg("%s, turn %zu, player %u: its own side is not known: mana %d, not %d; hold %d %d, not %d %d", path,
                 turn, player, is.mana[player], be.mana[player], is.hold[own], is.hold[own + 1], be.hold[own],
                 be.hold[own + 1]);
    }
    /* The other side's casts are known a tick later. */
    int mana = be.mana[other];
    for (size_t i = others; i < others + 2; i++) {
        mana += be.cast[i] >= 0 ? costs[be.cast[i]] : 0;
    }
    const bool wrong[FB_DOUBTS] = {
        [FB_HOLD] = memcmp(is.hold, be.hold, 4) != 0,
        [FB_WAIT] = memcmp(is.wait, be.wait, 4) != 0,
        [FB_IGNORES] = memcmp(is.ignores, be.ignores, 7) != 0,
        [FB_LAST] = memcmp(is.last, be.last, 2) != 0,
        [FB_SCORE] = !same_scores(is.score, be.score),
        [FB_MANA] = is.mana[other] != (fb_scores    ? be.mana[other]
                                       : mana > 100 ? 100
                                                    : mana),
        [FB_SPELLS] = !same_spells(&is, &be, others),
    };
    fb_turns++;
    for (int d = 0; d < FB_DOUBTS; d++) {
        fb_doubts[d] += wrong[d];
    }
}

static void follow_fb(const char *path)
{
    fb_trace trace;
    char message[4096 + 512];
    if (!trace_read(&fb_trace_format, path, &trace, message, sizeof message)) {
        fail_msg("%s", message);
    }
    const carom_game *game = carom_game_find("fantastic_bits");
    carom_fantastic_bits_options options = carom_fantastic_bits_options_default();
    options.seeds = &trace.seed;
    options.seed_count = 1;
    carom_worlds_desc desc = WORLDS_DESC(game, .options = &options);
    carom_step step = carom_step_default();
    assert_int_equal(carom_game_find_action_kind(game, "referee", &step.action_kind), CAROM_OK);
    for (unsigned player = 0; player < 2; player++) {
        static protocol_text text;
        tracker *tracked = carom_track_create("fantastic_bits", NULL);
        OWNED(carom_worlds) *referee = make_worlds(&desc);
        text.length = 0;
        carom_fantastic_bits_protocol.greet(referee, player, &text);
        hear(tracked, &text, carom_track_begin);
        /* Traces continue after the end; by then dead, invisible snaffles have moved bludgers. */
        for (size_t t = 0; t == 0 || (t <= trace.base.turn_count && !trace.turns[t - 1].state.over[0]); t++) {
            double actions[4][4];
            text.length = 0;
            carom_fantastic_bits_protocol.tell(referee, player, fb_scores, &text);
            hear(tracked, &text, carom_track_turn);
            assert_int_equal(carom_track_player(tracked), player);
            compare_fb(path, t, tracked, referee);
            if (t < trace.base.turn_count) {
                memcpy(actions, trace.turns[t].actions, sizeof trace.turns[t].actions);
                carom_track_answer(tracked, actions[2 * player]);
                step.actions = actions;
                assert_int_equal(carom_worlds_play(referee, &step), CAROM_OK);
            }
        }
        carom_track_destroy(tracked);
    }
    trace_free(&trace);
}

static void follow_all_fb(bool scores)
{
    memset(fb_doubts, 0, sizeof fb_doubts);
    fb_turns = 0;
    fb_scores = scores;
    assert_true(each_trace(CAROM_TEST_DATA "/fantastic_bits", follow_fb) >= 20);
    printf("fantastic_bits, %zu turns; not as it was:", fb_turns);
    for (int d = 0; d < FB_DOUBTS; d++) {
        printf(" %s %zu%s", fb_doubt_names[d], fb_doubts[d], d + 1 < FB_DOUBTS ? "," : "\n");
    }
    assert_true(fb_doubts[FB_HOLD] + fb_doubts[FB_WAIT] + fb_doubts[FB_IGNORES] + fb_doubts[FB_SCORE] <=
                fb_turns / 1000);
}

TEST(test_fantastic_bits)
{
    follow_all_fb(false);
    /* Spells without effect are invisible, and so is their cost. Some of these bots cast all the time. */
    assert_true(fb_doubts[FB_LAST] <= fb_turns / 10 && fb_doubts[FB_SPELLS] <= fb_turns / 5);
}

TEST(test_fantastic_bits_scores)
{
    follow_all_fb(true);
    assert_int_equal(fb_doubts[FB_MANA] + fb_doubts[FB_SCORE], 0);
    assert_true(fb_doubts[FB_LAST] <= fb_turns / 10 && fb_doubts[FB_SPELLS] <= fb_turns / 10);
}
