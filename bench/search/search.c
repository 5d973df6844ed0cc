/* SPDX-License-Identifier: MIT
 * Planners of csb: rollouts a second in a search of one root, compared with carom_rollout() of the same shape in the
 * same run, with the planning player's actions drawn uniformly and the returns written.
 *
 * A run uses ROOTS states in the middle of races; every search starts without a plan. A planner's progress changes its
 * rollouts: pods that drive well pass checkpoints and collide more or less often than pods with drawn actions. The
 * other player does nothing (`zero`), follows a plan (`plan`: that of `race` if no one reacts), or is `race` itself,
 * which reacts. Baselines: the rollout with the same other player on one thread; the search against a plan, for `race`;
 * one thread.
 */
#include "bench/common/harness.h"
#include "bench/games/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOTS 16
#define HORIZON 6
#define MOST 96 /* cases */

typedef struct searching {
    recording *recordings; /* f32, f64 */
    carom_precision precision;
    size_t sequences, generations;
    int other; /* 0, 1, 2: an index into others */
    carom_planner planner;
    unsigned threads;
} searching;

static const char *const other_names[] = {"zero", "plan", "race"};
static const carom_other others[] = {CAROM_OTHER_ZERO, CAROM_OTHER_PLAN, CAROM_OTHER_POLICY};
static const carom_source sources[] = {CAROM_ZERO, CAROM_BROADCAST, CAROM_POLICY};
static const char *const planner_names[] = {"shooting", "cem", "genetic", "mppi"};

static size_t race_policy(void)
{
    size_t race;
    carom_bench_demand(carom_game_find_policy(carom_game_find("csb"), "race", &race), "find a policy");
    return race;
}

static recording *recording_of(const searching *what)
{
    recording *r = &what->recordings[what->precision == CAROM_F64];
    carom_recording_make(r);
    return r;
}

static carom_worlds *make_root(const searching *what)
{
    carom_worlds_desc desc = carom_recording_desc(recording_of(what));
    desc.count = 1;
    desc.threads = what->threads;
    carom_worlds *root;
    carom_bench_demand(carom_worlds_create(&desc, &root), "create a root");
    return root;
}

static void set_root(const searching *what, carom_worlds *root, uint64_t number)
{
    const size_t from = number % ROOTS;
    carom_bench_demand(carom_worlds_copy(root, NULL, recording_of(what)->at[MARK_MIDDLE], &from, 1), "copy a root");
}

/* What player 1 does from here on if both drive like `race`: plan[tick][number]. */
static void foresee(const searching *what, const carom_worlds *root, float plan[HORIZON][4])
{
    carom_worlds *scout = make_root(what);
    carom_step step = carom_step_default();
    float actions[2][4];
    carom_bench_demand(carom_worlds_copy(scout, NULL, root, NULL, 1), "copy a root");
    carom_bench_demand(carom_game_find_action_kind(carom_game_find("csb"), "normalised", &step.action_kind), "find");
    step.actions = actions;
    for (size_t tick = 0; tick < HORIZON; tick++) {
        carom_bench_demand(carom_worlds_policy(scout, race_policy(), step.action_kind, actions), "ask a policy");
        memcpy(plan[tick], actions[1], sizeof actions[1]);
        carom_bench_demand(carom_worlds_play(scout, &step), "play");
    }
    carom_worlds_destroy(scout);
}

static void run_search(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const searching *what = argument;
    carom_search_desc desc = carom_search_desc_default(carom_game_find("csb"));
    carom_worlds *root = make_root(what);
    carom_search *search;
    desc.planner = what->planner;
    desc.sequences = what->sequences;
    desc.rollouts = what->sequences * what->generations;
    desc.horizon = HORIZON;
    desc.other = others[what->other];
    desc.policy = race_policy();
    carom_bench_demand(carom_search_create(root, &desc, &search), "create a search");
    sample->threaded = what->threads > 1;
    for (uint64_t i = 0; i < iterations; i++) {
        set_root(what, root, i);
        carom_bench_demand(carom_search_set_plan(search, 0, NULL), "forget plans");
        if (desc.other == CAROM_OTHER_PLAN) {
            float plan[HORIZON][4];
            foresee(what, root, plan);
            carom_bench_demand(carom_search_set_plan(search, 1, plan[0]), "set a plan");
        }
        carom_bench_start(sample);
        carom_status status = carom_search_run(search, root);
        carom_bench_stop(sample);
        carom_bench_demand(status, "search");
        const carom_search_report report = carom_search_last(search);
        if (report.rollouts != desc.rollouts || report.generations != what->generations) {
            carom_bench_die("%llu rollouts in %zu generations", (unsigned long long)report.rollouts,
                            report.generations);
        }
        sample->items += (double)report.rollouts;
    }
    carom_search_destroy(search);
    carom_worlds_destroy(root);
}

static void run_rollouts(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const searching *what = argument;
    carom_rollout_desc desc = carom_rollout_desc_default(carom_game_find("csb"));
    carom_worlds *root = make_root(what);
    double *returns = carom_bench_take(what->sequences * 2, sizeof *returns);
    desc.sequences = what->sequences;
    desc.horizon = HORIZON;
    float plan[HORIZON][4];
    desc.players[1].source = sources[what->other];
    desc.players[1].actions = plan;
    desc.players[1].policy = race_policy();
    sample->threaded = what->threads > 1;
    for (uint64_t i = 0; i < iterations; i++) {
        set_root(what, root, i);
        foresee(what, root, plan);
        for (size_t generation = 0; generation < what->generations; generation++) {
            desc.seed = generation;
            carom_bench_start(sample);
            carom_status status = carom_rollout(root, &desc, returns, NULL, NULL);
            carom_bench_stop(sample);
            carom_bench_demand(status, "roll out");
        }
        sample->items += (double)(what->sequences * what->generations);
    }
    free(returns);
    carom_worlds_destroy(root);
}

typedef struct plan {
    bench *bench;
    searching arguments[MOST];
    size_t used;
} plan;

static size_t add(plan *p, const searching *what, const char *planner, const size_t baselines[BENCH_BASELINES])
{
    if (p->used == MOST) {
        carom_bench_die("more than %d cases", MOST);
    }
    p->arguments[p->used] = *what;
    bench_case c = carom_bench_case(planner == NULL ? run_rollouts : run_search, &p->arguments[p->used]);
    p->used++;
    c.threads = what->threads;
    memcpy(c.baselines, baselines, sizeof c.baselines);
    carom_bench_name(&c, "search/%s/%zux%d/%s/f%d/threads:%u", planner == NULL ? "rollout" : planner, what->sequences,
                     HORIZON, other_names[what->other], (int)what->precision, what->threads);
    return carom_bench_add(p->bench, &c);
}

static void add_shape(plan *p, searching what)
{
    size_t planned[CAROM_MPPI + 1] = {0}; /* of each planner, against a plan */
    for (int other = 0; other < 3; other++) {
        const size_t none[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, BENCH_NONE};
        what.other = other;
        what.threads = 1;
        const size_t rollout = add(p, &what, NULL, none);
        for (int planner = CAROM_SHOOTING; planner <= CAROM_MPPI; planner++) {
            size_t baselines[BENCH_BASELINES] = {rollout, other == 2 ? planned[planner] : BENCH_NONE, BENCH_NONE};
            what.planner = (carom_planner)planner;
            what.threads = 1;
            const size_t one = add(p, &what, planner_names[planner], baselines);
            planned[planner] = one;
            if (planner == CAROM_CEM && other != 1 && carom_threads() > 1) {
                what.threads = 2;
                const size_t two[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, one};
                add(p, &what, planner_names[planner], two);
            }
        }
    }
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Planners of Coders Strike Back, one root, SEQUENCES x HORIZON a generation",
                                          "M rollouts/s",
                                          1e-6,
                                          {"x rollout", "x plan", "x 1 thread"},
                                          {{NULL, NULL, 0}}};
    static recording recordings[2];
    static plan p;
    p.bench = carom_bench_create(argc, argv, &program);
    for (int f64 = 0; f64 < 2; f64++) {
        recordings[f64] =
            (recording){.games = GAMES, .policy = race_policy(), .kind = 0, .precision = f64 ? CAROM_F64 : CAROM_F32};
    }
    for (int f64 = 1; f64 >= 0; f64--) {
        searching what = {.recordings = recordings, .precision = f64 ? CAROM_F64 : CAROM_F32};
        what.sequences = 1024;
        what.generations = 8;
        add_shape(&p, what);
        what.sequences = 64;
        what.generations = 32;
        add_shape(&p, what);
    }
    return carom_bench_run(p.bench);
}
