/* SPDX-License-Identifier: MIT
 * `carom prove`: plays courses in all ways that must not matter, and compares every result with recorded digests.
 */
#include "../command/command.h"
#include "course.h"
#include "digests.h"
#include "figures.h"

#include "base/parallel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define SHOWN 3   /* differences of a claim */
#define CLAIMS 32 /* at most */

typedef enum verdict { PROVEN, FAILED, NOT_HERE, VERDICTS } verdict;
static const char *const verdict_names[VERDICTS] = {"proven", "FAILED", "not proven here"};

typedef struct claim {
    char text[64];
    verdict verdict;
    char detail[128];
    char wrong[SHOWN][160];
    size_t wrong_count;
} claim;

typedef struct prove_options {
    const char *digests;
    bool table, no_figures, json;
} prove_options;

typedef struct proof {
    prove_options options;
    digest_table table;
    course courses[COURSES];
    claim claims[CLAIMS];
    size_t count;
    bool interrupted;
} proof;

#define OPTIONS prove_options
static const argument_row rows[] = {
    TEXT("--digests FILE", digests, NULL, "compare with the digests of this file; with the command's own by default"),
    FLAG("--table", table, "write this machine's digests as such a file to the standard output, and prove nothing"),
    FLAG("--no-figures", no_figures, "measure no speeds: for emulated processors"), JSON, END};

/* ---- claims ---- */

static claim *begin(proof *p, const char *text)
{
    claim *c = &p->claims[p->count];
    memset(c, 0, sizeof *c);
    snprintf(c->text, sizeof c->text, "%s", text);
    return c;
}

__attribute__((format(printf, 4, 5))) static void finish(proof *p, claim *c, verdict v, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->detail, sizeof c->detail, format, list);
    va_end(list);
    c->verdict = v;
    p->count++;
    if (p->options.json) {
        return;
    }
    carom_progress_erase();
    printf("%-15s  %-44s  %s\n", verdict_names[v], c->text, c->detail);
    for (size_t k = 0; k < c->wrong_count && k < SHOWN; k++) {
        printf("    %s\n", c->wrong[k]);
    }
    fflush(stdout);
}

/* ---- digests ---- */

/* "avx2, 7 threads, batches of 16, saved" */
static const char *describe(const way *w, char text[96])
{
    static const char *const middles[] = {"", ", saved", ", forked", ", copied", ", as records", ", restarted"};
    int length = snprintf(text, 96, "%s", carom_isa_name(w->isa != CAROM_ISA_DEFAULT ? w->isa : carom_chosen_isa()));
    if (w->threads > 1) {
        length += snprintf(text + length, 96 - (size_t)length, ", %u threads", w->threads);
    }
    if (w->first > 0) {
        length += snprintf(text + length, 96 - (size_t)length, ", %zu worlds, then", w->first);
    }
    if (w->batch > 0) {
        length += snprintf(text + length, 96 - (size_t)length, ", batches of %zu", w->batch);
    }
    if (w->ticks > 0) {
        length += snprintf(text + length, 96 - (size_t)length, ", calls of %zu ticks", w->ticks);
    }
    snprintf(text + length, 96 - (size_t)length, "%s", middles[w->middle]);
    return text;
}

static void add_difference(claim *c, const course *what, unsigned sum, carom_precision precision, const way *w,
                           uint64_t is, uint64_t wanted)
{
    char text[96];
    if (c->wrong_count < SHOWN) {
        snprintf(c->wrong[c->wrong_count], sizeof c->wrong[0],
                 "%s.%s, f%d, %s: 0x%016" PRIx64 ", recorded is 0x%016" PRIx64, what->name, carom_sum_names[sum],
                 (int)precision, describe(w, text), is, wanted);
    }
    c->wrong_count++;
}

/* Plays a course in both precisions, and compares; returns the number of sums. */
static size_t compare(const proof *p, claim *c, const course *what, const way *w)
{
    for (int k = 0; k < 2; k++) {
        const carom_precision precision = k == 0 ? CAROM_F32 : CAROM_F64;
        uint64_t sums[SUMS];
        carom_play_course(what, precision, w, sums);
        for (unsigned s = 0; s < what->sums; s++) {
            const uint64_t wanted = carom_find_digest(&p->table, what->name, carom_sum_names[s], precision);
            if (sums[s] != wanted) {
                add_difference(c, what, s, precision, w, sums[s], wanted);
            }
        }
    }
    return (size_t)2 * what->sums;
}

/* Plays all courses in these ways. */
static void prove_ways(proof *p, const char *text, const way *ways, size_t count)
{
    claim *c = begin(p, text);
    size_t compared = 0;
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < COURSES; i++) {
            carom_progress_draw((double)(k * COURSES + i) / (double)(count * COURSES), text);
            if (carom_interrupted()) {
                p->interrupted = true;
                return;
            }
            if (carom_course_has(&p->courses[i], &ways[k])) {
                compared += compare(p, c, &p->courses[i], &ways[k]);
            }
        }
    }
    if (c->wrong_count > 0) {
        finish(p, c, FAILED, "%zu of %zu digests differ", c->wrong_count, compared);
    } else {
        finish(p, c, PROVEN, "%zu digests", compared);
    }
}

static void prove_isa(proof *p, carom_isa isa)
{
    char text[64];
    const way w = {.isa = isa};
    snprintf(text, sizeof text, "the recorded bits on %s", carom_isa_name(isa));
    if (carom_isa_usable(isa)) {
        prove_ways(p, text, &w, 1);
    } else {
        finish(p, begin(p, text), NOT_HERE, carom_isa_built(isa) ? "this processor does not have it" : "not built in");
    }
}

static void prove_threads(proof *p)
{
    static const char text[] = "the same on any number of threads";
    const unsigned all = carom_threads();
    const way ways[] = {{.threads = 2}, {.threads = 3}, {.threads = 7}, {.threads = all}};
    if (carom_parallel_limit() == 1) {
        finish(p, begin(p, text), NOT_HERE, "this build has no threads");
        return;
    }
    prove_ways(p, text, ways, all == 1 || all == 2 || all == 3 || all == 7 ? 3 : 4);
}

/* World by world, and every world in each of a tile's lanes. */
static void prove_places(proof *p)
{
    const way alone = {.batch = 1};
    way ways[CAROM_TILE + 1] = {{.batch = CAROM_TILE + 1}, {.batch = CAROM_TILE - 1}};
    for (size_t k = 1; k < CAROM_TILE; k++) {
        ways[k + 1] = (way){.first = k, .batch = 3 * (size_t)CAROM_TILE};
    }
    prove_ways(p, "the same world alone and in a batch", &alone, 1);
    if (!p->interrupted) {
        prove_ways(p, "in every lane, in batches of any size", ways, CAROM_TILE + 1);
    }
}

static void prove_middles(proof *p)
{
    static const struct {
        const char *text;
        middle middle;
    } all[] = {{"after a save and a restore", MIDDLE_SAVED},
               {"after a fork", MIDDLE_FORKED},
               {"after a copy to other places", MIDDLE_COPIED},
               {"through records", MIDDLE_RECORDS},
               {"after other games and a restart", MIDDLE_RESTARTED}};
    for (size_t k = 0; k < sizeof all / sizeof all[0] && !p->interrupted; k++) {
        const way ways[] = {{.middle = all[k].middle},
                            {.isa = CAROM_ISA_SCALAR, .threads = 2, .middle = all[k].middle}};
        prove_ways(p, all[k].text, ways, 2);
    }
}

/* ---- figures ---- */

static void prove_figure(proof *p, const char *text, const char *policy)
{
    const carom_isa isa = carom_chosen_isa();
    claim *c = begin(p, text);
    if (p->options.no_figures || isa == CAROM_ISA_SCALAR) {
        finish(p, c, NOT_HERE, p->options.no_figures ? "--no-figures" : "scalar is the only instruction set");
        return;
    }
    carom_progress_draw(0.5, text);
    const double ratio = carom_measure_lanes(policy, isa), least = carom_least_ratio(isa);
    p->interrupted = carom_interrupted();
    if (!p->interrupted) {
        finish(p, c, ratio >= least ? PROVEN : FAILED, "csb %s, f32: %s %.1f times as fast as scalar; at least %.1f",
               policy, carom_isa_name(isa), ratio, least);
    }
}

/* ---- the command ---- */

static void prove_all(proof *p)
{
    static const way calls[] = {{.ticks = 1}, {.ticks = 1000}};
    for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT && !p->interrupted; isa++) {
        prove_isa(p, (carom_isa)isa);
    }
    if (!p->interrupted) {
        prove_threads(p);
    }
    if (!p->interrupted) {
        prove_places(p);
    }
    if (!p->interrupted) {
        prove_ways(p, "in calls of one tick, or of all ticks", calls, 2);
    }
    if (!p->interrupted) {
        prove_middles(p);
    }
    if (!p->interrupted) {
        prove_figure(p, "one world a lane is faster", "race");
    }
    if (!p->interrupted) {
        prove_figure(p, "worlds with impacts are packed", "ram");
    }
}

static void print_table(const proof *p)
{
    puts(
        "# SPDX-License-Identifier: MIT\n"
        "# What `carom prove` compares with, on any machine: COURSE.SUM, its digest in f32, in f64 "
        "(tools/prove/course.h).\n"
        "# `carom prove --table` writes it. A digest changes only with a stated change of rules: see CONTRIBUTING.md.");
    for (size_t i = 0; i < COURSES; i++) {
        uint64_t sums[2][SUMS];
        const way w = {.isa = CAROM_ISA_SCALAR};
        carom_play_course(&p->courses[i], CAROM_F32, &w, sums[0]);
        carom_play_course(&p->courses[i], CAROM_F64, &w, sums[1]);
        for (unsigned s = 0; s < p->courses[i].sums; s++) {
            char name[64];
            snprintf(name, sizeof name, "%s.%s", p->courses[i].name, carom_sum_names[s]);
            printf("%-34s 0x%016" PRIx64 " 0x%016" PRIx64 "\n", name, sums[0][s], sums[1][s]);
        }
    }
}

static void print_json(const proof *p, const size_t counts[VERDICTS])
{
    static const char *const names[VERDICTS] = {"proven", "failed", "not proven here"};
    carom_json("{'version': %s, 'compiler': %s, 'isa': %s, 'threads': %u, 'claims': [", carom_version(),
               carom_build_info(), carom_isa_name(carom_chosen_isa()), carom_threads());
    for (size_t k = 0; k < p->count; k++) {
        const claim *c = &p->claims[k];
        carom_json(k > 0 ? ", {'claim': %s, 'result': %s, 'detail': %s, 'differences': ["
                         : "{'claim': %s, 'result': %s, 'detail': %s, 'differences': [",
                   c->text, names[c->verdict], c->detail);
        for (size_t i = 0; i < c->wrong_count && i < SHOWN; i++) {
            carom_json(i > 0 ? ", %s" : "%s", c->wrong[i]);
        }
        carom_json("]}");
    }
    carom_json("], 'proven': %zu, 'failed': %zu, 'not_proven_here': %zu, 'interrupted': %i}\n", counts[PROVEN],
               counts[FAILED], counts[NOT_HERE], p->interrupted);
}

static int report(const proof *p)
{
    size_t counts[VERDICTS] = {0};
    for (size_t k = 0; k < p->count; k++) {
        counts[p->claims[k].verdict]++;
    }
    if (p->options.json) {
        print_json(p, counts);
    } else {
        printf("%zu proven, %zu failed, %zu not proven here%s\n", counts[PROVEN], counts[FAILED], counts[NOT_HERE],
               p->interrupted ? "; interrupted" : "");
    }
    return p->interrupted ? EXIT_INTERRUPTED : counts[FAILED] > 0 ? EXIT_MISMATCH : 0;
}

static int run(arguments *args)
{
    static proof p;
    int code = 0;
    carom_read_arguments(args, rows, &p.options);
    carom_read_digests(p.options.digests, &p.table);
    carom_open_courses(p.courses);
    if (p.options.table) {
        print_table(&p);
    } else {
        carom_catch_interrupt();
        if (!p.options.json) {
            printf("carom %s, %s; %s, %u threads\n", carom_version(), carom_build_info(),
                   carom_isa_name(carom_chosen_isa()), carom_threads());
        }
        prove_all(&p);
        carom_progress_erase();
        code = report(&p);
    }
    carom_close_courses(p.courses);
    return code;
}

const command_row carom_prove_command = {
    .name = "prove",
    .usage = "[options]",
    .summary = "prove on this machine that results are the same bits everywhere",
    .about =
        "Plays every game, two scenes and a gas, with rollouts and searches from their last states, and compares "
        "states, observations, rewards, ends, returns and plans with the digests recorded in the command: on every "
        "instruction set, with several threads, with each world alone and in every lane of a batch, and after "
        "saves, restores, forks, copies and restarts. Then it measures what the lanes gain. A claim that this "
        "machine cannot prove is listed with the reason. Exit code 1 if a claim fails. In a checkout scripts/prove "
        "proves the other claims of README, too.",
    .rows = rows,
    .run = run};
