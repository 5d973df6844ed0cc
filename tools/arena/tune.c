/* SPDX-License-Identifier: MIT
 * `carom tune`: finds the weights of a planner's value by self-play, with the cross-entropy method.
 *
 * A generation has a number of candidates. Each weight of a candidate is the mean's times e^(spread * a normal number),
 * so it keeps its sign. Every candidate plays the mean, on the same starts; the mean moves to the geometric mean of the
 * best. Candidates depend only on the seed, the generation and their number, so that a resumed run gives the same
 * results.
 */
#include "../command/state_file.h"
#include "tune_bot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- draws ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(uint64_t key)
{
    return ((double)(mix(key) >> 11) + 0.5) / 9007199254740992.0;
}

double carom_tune_normal(uint64_t seed, uint64_t generation, size_t candidate, size_t weight)
{
    const uint64_t key =
        mix(seed + UINT64_C(0x9e3779b97f4a7c15)) ^ mix(generation << 32 | candidate << 16 | weight << 1);
    return sqrt(-2 * log(uniform(key))) * cos(6.283185307179586 * uniform(key ^ 1));
}

/* ---- the file ---- */

void carom_tune_save(const tune_options *options, const tune_state *s)
{
    if (options->state == NULL) {
        return;
    }
    size_t count;
    const carom_value_weight *about = carom_plan_weights(options->game, &count);
    FILE *file = carom_state_begin(options->state);
    fprintf(file, "carom tune %s seed %" PRIu64 " generations %" PRIu64 "%s%s\n", options->name, options->seed,
            s->generation, options->settings.count > 0 ? " set " : "", options->settings.all);
    for (size_t k = 0; k < s->weights; k++) {
        fprintf(file, "%s %.17g %.17g\n", about[k].name, s->mean[k], s->spread[k]);
    }
    carom_state_end(file, options->state);
}

/* Leaves the state as it is if the file does not exist yet. */
static void load(const tune_options *options, tune_state *s, const carom_value_weight *about)
{
    char game[64], name[64], set[sizeof options->settings.all + 8] = "", *rest = set;
    tune_state read = *s;
    uint64_t seed;
    FILE *file = options->state != NULL ? carom_state_open(options->state) : NULL;
    if (file == NULL) {
        return;
    }
    bool good =
        fscanf(file, "carom tune %63s seed %" SCNu64 " generations %" SCNu64, game, &seed, &read.generation) == 3 &&
        fgets(set, sizeof set, file) != NULL;
    set[strcspn(set, "\n")] = '\0';
    rest += strncmp(set, " set ", 5) == 0 ? 5 : 0;
    if (good &&
        (strcmp(game, options->name) != 0 || seed != options->seed || strcmp(rest, options->settings.all) != 0)) {
        carom_die("%s is of another run: of %s with seed %" PRIu64 "%s", options->state, game, seed, set);
    }
    for (size_t k = 0; k < s->weights && good; k++) {
        good = fscanf(file, "%63s %lf %lf", name, &read.mean[k], &read.spread[k]) == 3 &&
               strcmp(name, about[k].name) == 0 && fabs(read.mean[k]) < 100 && read.spread[k] >= 0 &&
               read.spread[k] < 100;
    }
    if (!good) {
        carom_state_refuse(options->state, "tune");
    }
    fclose(file);
    *s = read;
}

/* ---- generations ---- */

/* Sets the weights from their logarithms; weights of 0 stay 0. */
static void set_weights(const plan_options *start, const double *logarithms, plan_options *plan)
{
    *plan = *start;
    for (size_t k = 0; k < PLAN_WEIGHTS; k++) {
        plan->weights[k] = start->weights[k] == 0 ? 0 : copysign(exp(logarithms[k]), start->weights[k]);
    }
}

static void play(const tune_options *options, arena_options *arena, size_t sides, uint64_t first, arena_result *result)
{
    arena->game = options->game;
    arena->name = options->name;
    arena->set = options->set;
    arena->gauntlet = true;
    arena->seed = options->seed;
    arena->first = first;
    arena->side_count = sides;
    carom_shard_range(arena->share.part, arena->games / 2, "starts", &arena->begin, &arena->end);
    arena->rounds = 2;
    arena->threads = options->threads;
    arena->concurrency = options->threads > 0 ? options->threads : carom_threads();
    for (size_t i = 0; i < sides; i++) {
        arena->sides[i].text = "a candidate";
        arena->sides[i].searches = true;
        arena->sides[i].plan.search.cancel = &carom_interrupt;
    }
    carom_arena_play(arena, result);
}

/* Draws candidate `c` of the next generation. */
static void draw(const tune_options *options, const tune_state *s, size_t c, double candidate[PLAN_WEIGHTS])
{
    for (size_t k = 0; k < s->weights; k++) {
        candidate[k] = s->mean[k] + s->spread[k] * carom_tune_normal(options->seed, s->generation, c, k);
    }
}

/* Plays the options' part of the next generation's games; false if interrupted. */
static bool play_generation(const tune_options *options, const plan_options *start, const tune_state *s,
                            tune_points *points)
{
    static arena_options arena;
    arena_result result;
    memset(&arena, 0, sizeof arena);
    memset(points, 0, sizeof *points);
    arena.games = options->games;
    arena.share = options->share;
    set_weights(start, s->mean, &arena.sides[0].plan);
    for (size_t c = 0; c < options->population; c++) {
        double candidate[PLAN_WEIGHTS];
        draw(options, s, c, candidate);
        set_weights(start, candidate, &arena.sides[1 + c].plan);
    }
    play(options, &arena, 1 + options->population, s->generation * options->games, &result);
    for (size_t c = 0; c < options->population; c++) {
        points->of[c] = 2 * result.pairings[c].wins[1] + result.pairings[c].draws;
        points->digest += result.pairings[c].digest;
    }
    free(result.pairings);
    return !result.interrupted;
}

void carom_tune_improve(const tune_options *options, tune_state *s, const tune_points *points, char line[TUNE_LINE])
{
    static double candidates[TUNE_CANDIDATES][PLAN_WEIGHTS];
    size_t order[TUNE_CANDIDATES] = {0};
    for (size_t c = 0; c < options->population; c++) {
        draw(options, s, c, candidates[c]);
        size_t at = c; /* insertion sort; equal ones keep their order */
        for (; at > 0 && points->of[order[at - 1]] < points->of[c]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = c;
    }
    for (size_t k = 0; k < s->weights; k++) {
        double sum = 0, squares = 0;
        for (size_t e = 0; e < options->elites; e++) {
            sum += candidates[order[e]][k];
        }
        const double mean = sum / (double)options->elites;
        for (size_t e = 0; e < options->elites; e++) {
            squares += (candidates[order[e]][k] - mean) * (candidates[order[e]][k] - mean);
        }
        s->mean[k] = mean;
        /* Few elites underestimate the spread: it shrinks at most by half. */
        s->spread[k] = fmax(sqrt(squares / (double)options->elites), 0.5 * s->spread[k]);
    }
    s->generation++;
    const double all = 2 * (double)options->games;
    snprintf(line, TUNE_LINE,
             "generation %" PRIu64 ": best %.1f%%, elites from %.1f%% against the weights before; digest %016" PRIx64,
             s->generation, 100 * (double)points->of[order[0]] / all,
             100 * (double)points->of[order[options->elites - 1]] / all, points->digest);
}

/* Prints all that the next state depends on, for merge.c. */
static void print_part(const tune_options *options, const tune_state *s, const tune_points *points, bool whole)
{
    const uint64_t weights = s->weights;
    const shard *part = &options->share.part;
    carom_json("{'command': 'tune', 'shard': [%" PRIu64 ", %" PRIu64 "], 'game': %s", part->index, part->count,
               options->name);
    carom_print_settings(&options->settings);
    carom_json(", 'version': %s, 'plan': %s, 'seed': %" PRIu64 ", 'games': %" PRIu64 ", 'population': %zu",
               carom_version(), options->plan, options->seed, options->games, options->population);
    carom_json(", 'elites': %zu, 'generation': %" PRIu64 ", 'interrupted': %i, 'weights': [", options->elites,
               s->generation, !whole);
    for (uint64_t k = 0; k < 2 * weights; k++) { /* the mean, then the spread */
        printf("%s%.17g", k > 0 ? ", " : "", k < weights ? s->mean[k] : s->spread[k - weights]);
    }
    printf("], \"points\": [");
    for (size_t c = 0; c < options->population; c++) {
        printf("%s%" PRIu64, c > 0 ? ", " : "", points->of[c]);
    }
    printf("], \"digest\": \"%016" PRIx64 "\"}\n", points->digest);
}

static void report(const tune_options *options, const plan_options *start, const tune_state *s)
{
    static arena_options arena;
    arena_result result;
    size_t count;
    const carom_value_weight *about = carom_plan_weights(options->game, &count);
    printf("\nweights ");
    for (size_t k = 0; k < s->weights; k++) {
        const double weight = start->weights[k] == 0 ? 0 : copysign(exp(s->mean[k]), start->weights[k]);
        printf("%s%s=%.4g", k > 0 ? "," : "", about[k].name, weight);
    }
    memset(&arena, 0, sizeof arena);
    arena.games = 10 * options->games;
    arena.share.part = (shard){0, 1};
    set_weights(start, s->mean, &arena.sides[0].plan);
    arena.sides[1].plan = *start;
    play(options, &arena, 2, UINT64_C(1) << 40, &result);
    const arena_pairing *pairing = &result.pairings[0];
    const arena_score score =
        carom_arena_score((double)pairing->wins[0] + 0.5 * (double)pairing->draws, (double)pairing->games);
    printf("\n        %.1f%% (95%%: %.1f .. %.1f) against those of the beginning, in %" PRIu64 " games\n",
           100 * score.score, 100 * score.low, 100 * score.high, pairing->games);
    free(result.pairings);
}

/* ---- the command ---- */

static const char *const method_names[] = {[TUNE_CEM] = "cem", [TUNE_SPSA] = "spsa", NULL};
static const char *const language_names[] = {[ARENA_CONTEST] = "contest", [ARENA_LINES] = "carom", NULL};

static void take_range(const char *name, const char *text, void *to)
{
    tune_bot_options *bot = &((tune_options *)to)->bot;
    if (bot->range_count == TUNE_NUMBERS) {
        carom_die("%s: at most %d numbers are tuned", name, TUNE_NUMBERS);
    }
    bot->ranges[bot->range_count++] = text;
}

static void take_start(const char *name, const char *text, void *to)
{
    tune_bot_options *bot = &((tune_options *)to)->bot;
    if (bot->start_count == TUNE_NUMBERS) {
        carom_die("%s: at most %d numbers are tuned", name, TUNE_NUMBERS);
    }
    bot->starts[bot->start_count++] = text;
}

#define OPTIONS tune_options
static const argument_row rows[] = {
    WORD("game", name),
    TEXT("--bot COMMAND", bot.command, NULL,
         "tune a program instead, in any game: {NAME} in its command stands for a number"),
    CALL_WITH_ALL("--range NAME=LOW:HIGH[:int]", take_range,
                  "of a number; may be repeated. Names without a range stay as they are"),
    CALL_WITH_ALL("--start NAME=VALUE", take_start, "the start of its search; the middle by default"),
    COUNT("--budget N", bot.budget, 1, UINT64_C(1) << 32, 2000, "total games of a program's run"),
    CHOICE("--method", bot.method, method_names, TUNE_CEM, "generations of candidates, or steps between two of them"),
    TEXT("--against SIDE", bot.against, NULL,
         "the opponent of candidates; by default the program with the numbers found so far"),
    NUMBER("--ms T", bot.ms, 0.001, 1e9, 75, "the program's answer is late after T milliseconds"),
    NUMBER("--first-ms T", bot.first_ms, 0.001, 1e9, 1000, "its answer in the first turn"),
    CHOICE("--protocol", bot.language, language_names, ARENA_CONTEST, "as in carom arena"),
    TEXT("--plan PLANNER:KEYS", plan, "cem:rollouts=200",
         "what plays; $ by default. The search begins with its weights"),
    COUNT("--generations N", generations, 1, 100000, 8, "$ by default, including those of the file"),
    COUNT("--population N", population, 2, TUNE_CANDIDATES, 16, "candidates of a generation (12 of a program's)"),
    COUNT("--elites N", elites, 1, TUNE_CANDIDATES, 4, "the best, which the weights move towards"),
    COUNT("--games N", games, 1, 1000000, 40,
          "of each candidate and generation, an even number; for a program enough for 14 generations"),
    NUMBER("--spread S", spread, 1e-6, 10, 0.5,
           "of the first generation: weights are multiplied by e^(S * a normal number), a program's numbers moved by "
           "S * a normal number of their ranges"),
    COUNT("--seed S", seed, 0, UINT64_MAX, 1, "of candidates and starts"),
    TEXT("--state FILE", state, NULL, "saved after every generation; a run continues from the file"),
    SET,
    THREADS,
    GROUP(carom_shard_rows, share),
    END};

static tune_options parse(arguments *args)
{
    tune_options options;
    memset(&options, 0, sizeof options);
    carom_read_arguments(args, rows, &options);
    if (options.elites > options.population) {
        carom_die("--elites: %zu cannot be chosen of %zu", options.elites, options.population);
    }
    if (options.bot.command != NULL) {
        if (carom_resolve_shard(options.share.part).count > 1) {
            carom_die("--bot: a program is tuned in one run: not with --shard");
        }
        carom_shard_output(&options.share);
        return options;
    }
    if (options.bot.range_count > 0) {
        carom_die("--range: of what? (--bot COMMAND)");
    }
    options.game = carom_game_find(options.name);
    if (options.game == NULL || carom_protocol_find(options.name) == NULL) {
        carom_die("'%s' has no weights to tune: csb or fantastic_bits", options.name);
    }
    options.set = carom_set_options(options.game, &options.settings);
    if (options.games % 2 != 0) {
        carom_die("--games: %" PRIu64 " is odd, and every start is played twice", options.games);
    }
    shard *part = &options.share.part;
    options.in_parts = part->count > 0 || options.share.out != NULL;
    *part = carom_resolve_shard(*part);
    options.in_parts |= part->count > 1;
    if (options.games / 2 < part->count) {
        carom_die("%" PRIu64 " shards need at least as many starts, there are %" PRIu64, part->count,
                  options.games / 2);
    }
    carom_shard_output(&options.share);
    return options;
}

static int run(arguments *args)
{
    const tune_options options = parse(args);
    if (options.bot.command != NULL) {
        return carom_tune_bot(args, &options);
    }
    const plan_options start = carom_plan_parse(options.game, options.plan);
    carom_plan_allow(&start, options.set);
    tune_state s = {.generation = 0};
    const carom_value_weight *about = carom_plan_weights(options.game, &s.weights);
    for (size_t k = 0; k < s.weights; k++) {
        s.mean[k] = start.weights[k] == 0 ? 0 : log(fabs(start.weights[k]));
        s.spread[k] = options.spread;
    }
    load(&options, &s, about);
    tune_points points;
    if (options.in_parts) {
        if (s.generation >= options.generations) {
            carom_die("all %" PRIu64 " generations are played", options.generations);
        }
        const bool whole = play_generation(&options, &start, &s, &points);
        print_part(&options, &s, &points, whole);
        return whole ? 0 : EXIT_INTERRUPTED;
    }
    while (s.generation < options.generations) {
        if (!play_generation(&options, &start, &s, &points)) {
            return EXIT_INTERRUPTED;
        }
        char line[TUNE_LINE];
        carom_tune_improve(&options, &s, &points, line);
        carom_tune_save(&options, &s);
        puts(line);
        fflush(stdout);
    }
    report(&options, &start, &s);
    return carom_interrupted() ? EXIT_INTERRUPTED : 0;
}

const command_row carom_tune_command = {
    .name = "tune",
    .usage = "GAME [options]",
    .summary = "find weights for a bot's search by self-play, or numbers for any program",
    .about =
        "Finds weights of a planner's value by self-play: candidates play the weights found so far, which then move "
        "towards the best candidates (cross-entropy method). carom bot --help lists the weights. With --bot it tunes "
        "numbers in the command of any program, in any game: carom tune csb --bot \"./mine {k} {depth}\" --range k=2:4 "
        "--range depth=3:8:int --budget 2000",
    .rows = rows,
    .notes = "A part of a run plays its part of the games of the next generation of the state's file and reports the "
             "points; carom merge updates that file. At the end the weights found play the initial ones on other "
             "starts. Ctrl-C stops; --state resumes.\n"
             "\n"
             "    for generation in 1 2 3 4 5 6 7 8; do    # on four machines, say\n"
             "        mpirun -n 4 carom tune csb --state tuned.txt --out part-%d.json\n"
             "        carom merge part-*.json --state tuned.txt\n"
             "    done\n"
             "    carom tune csb --state tuned.txt         # all played: prints the weights",
    .run = run};
