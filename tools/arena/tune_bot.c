/* SPDX-License-Identifier: MIT
 * Tuning programs by playing: see tune_bot.h.
 */
#include "tune_bot.h"
#include "../command/state_file.h"
#include "../source/scene_file.h"
#include "seats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chosen with bots whose strength is a known function: nearly always within a tenth of the best after 2,000 games. */
#define POPULATION 12
#define ELITES 4
#define GENERATIONS 14 /* planned with the budget */
#define SHRINK 0.85    /* few elites underestimate the spread: limits its shrinking */
#define SPSA_REACH 0.2 /* how far from the mean the two candidates are in the first step, */
#define SPSA_STEP 1.0  /* and how far a win moves it, before */
#define SPSA_DELAY 0.1 /* this share of all steps damps it */
#define COMMAND_BYTES 4096

/* One number of the command. */
typedef struct tuned {
    const char *name;
    double low, high;
    bool whole;
} tuned;

typedef struct bot_run {
    const tune_options *options;
    const tune_bot_options *bot;
    tuned numbers[TUNE_NUMBERS];
    size_t count;
    uint64_t games; /* of a candidate and generation */
    size_t population, elites;
    arena_options arena;
} bot_run;

/* What is kept between generations. */
typedef struct bot_state {
    uint64_t generation, games;
    double mean[TUNE_NUMBERS], spread[TUNE_NUMBERS]; /* in the unit cube */
} bot_state;

/* ---- the command ---- */

static double value_of(const tuned *number, double place)
{
    if (!number->whole) {
        return number->low + place * (number->high - number->low);
    }
    const double value = floor(number->low + place * (number->high - number->low + 1));
    return value > number->high ? number->high : value;
}

static void write_value(const tuned *number, double place, char text[32])
{
    snprintf(text, 32, number->whole ? "%.0f" : "%.6g", value_of(number, place));
}

/* Writes the command with the numbers of a place; other names in braces stay as they are. */
static void write_command(const bot_run *run, const double *place, char to[COMMAND_BYTES])
{
    size_t length = 0;
    for (const char *at = run->bot->command; *at != '\0';) {
        char text[32] = {*at, '\0'};
        size_t taken = 1;
        for (size_t k = 0; k < run->count && *at == '{'; k++) {
            const size_t name = strlen(run->numbers[k].name);
            if (strncmp(at + 1, run->numbers[k].name, name) == 0 && at[1 + name] == '}') {
                write_value(&run->numbers[k], place[k], text);
                taken = name + 2;
            }
        }
        length += (size_t)snprintf(to + length, COMMAND_BYTES - length, "%s", text);
        if (length >= COMMAND_BYTES) {
            carom_die("--bot: a command of %d bytes or more is no side", COMMAND_BYTES);
        }
        at += taken;
    }
}

/* ---- options ---- */

/* "NAME=LOW:HIGH" or "NAME=LOW:HIGH:int" */
static tuned parse_range(const char *text)
{
    char *copy = carom_allocate(1, strlen(text) + 1); /* stays until the process ends */
    memcpy(copy, text, strlen(text) + 1);
    char *low = strchr(copy, '='), *high = low != NULL ? strchr(low, ':') : NULL;
    if (high == NULL || low == copy) {
        carom_die("--range: '%s' is not NAME=LOW:HIGH or NAME=LOW:HIGH:int", text);
    }
    *low++ = '\0';
    *high++ = '\0';
    char *kind = strchr(high, ':');
    if (kind != NULL) {
        *kind++ = '\0';
    }
    tuned number = {copy, carom_parse_number("--range", low, -1e12, 1e12),
                    carom_parse_number("--range", high, -1e12, 1e12), kind != NULL};
    if (kind != NULL && strcmp(kind, "int") != 0) {
        carom_die("--range: '%s' in '%s' is not int", kind, text);
    }
    if (number.low >= number.high) {
        carom_die("--range: %s is not below %s in '%s'", low, high, text);
    }
    if (number.whole && (number.low != floor(number.low) || number.high != floor(number.high))) {
        carom_die("--range: the ends of '%s' are not whole", text);
    }
    return number;
}

static void read_ranges(bot_run *run)
{
    for (size_t k = 0; k < run->bot->range_count; k++) {
        char mark[COMMAND_BYTES];
        run->numbers[k] = parse_range(run->bot->ranges[k]);
        for (size_t j = 0; j < k; j++) {
            if (strcmp(run->numbers[j].name, run->numbers[k].name) == 0) {
                carom_die("--range: %s has two ranges", run->numbers[k].name);
            }
        }
        snprintf(mark, sizeof mark, "{%s}", run->numbers[k].name);
        if (strstr(run->bot->command, mark) == NULL) {
            carom_die("--range: there is no %s in '%s'", mark, run->bot->command);
        }
    }
    run->count = run->bot->range_count;
    if (run->count == 0) {
        carom_die("--bot: no number to tune: --range NAME=LOW:HIGH");
    }
}

/* The start of the search: the middle, or --start. */
static void read_starts(const bot_run *run, bot_state *s)
{
    for (size_t k = 0; k < run->count; k++) {
        s->mean[k] = 0.5;
        s->spread[k] = run->options->spread;
    }
    for (size_t i = 0; i < run->bot->start_count; i++) {
        const char *text = run->bot->starts[i], *equals = strchr(text, '=');
        size_t k = 0;
        while (k < run->count && (equals == NULL || strlen(run->numbers[k].name) != (size_t)(equals - text) ||
                                  memcmp(run->numbers[k].name, text, (size_t)(equals - text)) != 0)) {
            k++;
        }
        if (k == run->count) {
            carom_die("--start: '%s' is not NAME=VALUE of a name that has a range", text);
        }
        const tuned *number = &run->numbers[k];
        const double value = carom_parse_number("--start", equals + 1, number->low, number->high);
        s->mean[k] = number->whole ? (value - number->low + 0.5) / (number->high - number->low + 1)
                                   : (value - number->low) / (number->high - number->low);
    }
}

/* ---- the file ---- */

static void write_run(FILE *file, const void *of)
{
    const bot_run *run = (const bot_run *)of;
    const tune_bot_options *bot = run->bot;
    fprintf(file, "carom tune %s bot %s\n", run->options->name, bot->command);
    fprintf(file, "method %d seed %" PRIu64 " budget %" PRIu64 " games %" PRIu64 " population %zu %zu spread %.17g\n",
            bot->method, run->options->seed, bot->budget, run->games, run->population, run->elites,
            run->options->spread);
    fprintf(file, "ms %.17g %.17g protocol %d set %s\n", bot->first_ms, bot->ms, bot->language,
            run->options->settings.all);
    fprintf(file, "against %s\n", bot->against != NULL ? bot->against : "itself");
    for (size_t k = 0; k < bot->range_count; k++) {
        fprintf(file, "range %s\n", bot->ranges[k]);
    }
    for (size_t k = 0; k < bot->start_count; k++) {
        fprintf(file, "start %s\n", bot->starts[k]);
    }
}

static void save(const bot_run *run, const bot_state *s)
{
    if (run->options->state == NULL) {
        return;
    }
    FILE *file = carom_state_begin(run->options->state);
    write_run(file, run);
    fprintf(file, "generation %" PRIu64 " games %" PRIu64 "\n", s->generation, s->games);
    for (size_t k = 0; k < run->count; k++) {
        fprintf(file, "%.17g %.17g\n", s->mean[k], s->spread[k]);
    }
    carom_state_end(file, run->options->state);
}

static void load(const bot_run *run, bot_state *s)
{
    FILE *file = run->options->state != NULL ? carom_state_open(run->options->state) : NULL;
    if (file == NULL) {
        return;
    }
    carom_state_check(file, run->options->state, write_run, run, "carom tune with this bot and these options");
    bool good = fscanf(file, "generation %" SCNu64 " games %" SCNu64, &s->generation, &s->games) == 2;
    for (size_t k = 0; k < run->count && good; k++) {
        good = fscanf(file, "%lf %lf", &s->mean[k], &s->spread[k]) == 2 && s->mean[k] >= 0 && s->mean[k] <= 1 &&
               s->spread[k] >= 0 && s->spread[k] <= 10;
    }
    if (!good) {
        carom_state_refuse(run->options->state, "tune");
    }
    fclose(file);
}

/* ---- games ---- */

static arena_side side_of(const char *command)
{
    return (arena_side){.text = command, .command = command};
}

/* Plays `count` candidates against the bot at `mean`, or against --against if that is NULL; gives their points, two for
 * a win. first: the first start. False if interrupted. */
static bool play(bot_run *run, const double (*places)[TUNE_NUMBERS], size_t count, const double *mean, uint64_t first,
                 uint64_t *points)
{
    static char commands[ARENA_SIDES][COMMAND_BYTES];
    arena_options *arena = &run->arena;
    arena_result result;
    arena->first = first;
    arena->side_count = count + 1;
    if (mean != NULL) {
        write_command(run, mean, commands[0]);
        arena->sides[0] = side_of(commands[0]);
    }
    for (size_t c = 0; c < count; c++) {
        write_command(run, places[c], commands[1 + c]);
        arena->sides[1 + c] = side_of(commands[1 + c]);
    }
    carom_arena_play(arena, &result);
    for (size_t c = 0; c < count; c++) {
        const arena_pairing *pairing = &result.pairings[c];
        points[c] = 2 * pairing->wins[1] + pairing->draws;
        for (int k = 0; k < 2 && !result.interrupted; k++) {
            if (pairing->conduct[k].first != UINT64_MAX) {
                fprintf(stderr, "trouble: '%s': %s\n", arena->sides[pairing->sides[k]].text, pairing->conduct[k].why);
            }
        }
    }
    free(result.pairings);
    return !result.interrupted;
}

/* Reflects a coordinate back into the unit cube. */
static double within(double place)
{
    place = fabs(place);
    place = 1 - fabs(1 - place);
    return place < 0 ? 0 : place;
}

/* ---- the two ways ---- */

static bool improve_by_cem(bot_run *run, bot_state *s, double *best)
{
    static double places[TUNE_CANDIDATES][TUNE_NUMBERS];
    uint64_t points[TUNE_CANDIDATES] = {0};
    size_t order[TUNE_CANDIDATES] = {0};
    for (size_t c = 0; c < run->population; c++) {
        for (size_t k = 0; k < run->count; k++) {
            places[c][k] =
                within(s->mean[k] + s->spread[k] * carom_tune_normal(run->options->seed, s->generation, c, k));
        }
    }
    if (!play(run, (const double(*)[TUNE_NUMBERS])places, run->population, run->bot->against == NULL ? s->mean : NULL,
              s->games, points)) {
        return false;
    }
    for (size_t c = 0; c < run->population; c++) {
        size_t at = c; /* insertion sort; equal ones keep their order */
        for (; at > 0 && points[order[at - 1]] < points[c]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = c;
    }
    for (size_t k = 0; k < run->count; k++) {
        double sum = 0, squares = 0;
        for (size_t e = 0; e < run->elites; e++) {
            sum += places[order[e]][k];
        }
        s->mean[k] = sum / (double)run->elites;
        for (size_t e = 0; e < run->elites; e++) {
            squares += (places[order[e]][k] - s->mean[k]) * (places[order[e]][k] - s->mean[k]);
        }
        s->spread[k] = fmax(sqrt(squares / (double)run->elites), SHRINK * s->spread[k]);
    }
    *best = (double)points[order[0]] / (2 * (double)run->games);
    return true;
}

static bool improve_by_spsa(bot_run *run, bot_state *s, double *best)
{
    static double places[2][TUNE_NUMBERS];
    double signs[TUNE_NUMBERS] = {0}, share;
    uint64_t points[2] = {0};
    const double step = (double)s->generation + 1;
    const double steps = (double)run->bot->budget / (double)(run->games * (run->bot->against == NULL ? 1 : 2));
    const double reach = SPSA_REACH / pow(step, 0.101), gain = SPSA_STEP / pow(step + SPSA_DELAY * steps, 0.602);
    for (size_t k = 0; k < run->count; k++) {
        signs[k] = carom_tune_normal(run->options->seed, s->generation, 0, k) < 0 ? -1 : 1;
        places[0][k] = fmin(fmax(s->mean[k] + reach * signs[k], 0), 1);
        places[1][k] = fmin(fmax(s->mean[k] - reach * signs[k], 0), 1);
    }
    if (run->bot->against == NULL) { /* the second plays the first */
        if (!play(run, (const double(*)[TUNE_NUMBERS])places, 1, places[1], s->games, points)) {
            return false;
        }
        share = (double)points[0] / (2 * (double)run->games);
    } else {
        if (!play(run, (const double(*)[TUNE_NUMBERS])places, 2, NULL, s->games, points)) {
            return false;
        }
        share = 0.5 + ((double)points[0] - (double)points[1]) / (4 * (double)run->games);
    }
    for (size_t k = 0; k < run->count; k++) {
        s->mean[k] = fmin(fmax(s->mean[k] + gain * (2 * share - 1) * signs[k], 0), 1);
    }
    *best = fmax(share, 1 - share);
    return true;
}

/* ---- the run ---- */

/* Games of a generation. */
static uint64_t games_of(const bot_run *run)
{
    const bool spsa = run->bot->method == TUNE_SPSA;
    return run->games * (spsa ? run->bot->against == NULL ? 1 : 2 : run->population);
}

static void tell(const bot_run *run, const bot_state *s)
{
    for (size_t k = 0; k < run->count; k++) {
        char text[32];
        write_value(&run->numbers[k], s->mean[k], text);
        printf("%s%s=%s", k > 0 ? " " : "", run->numbers[k].name, text);
    }
}

/* Defaults for how to use the budget. */
static void choose_sizes(const arguments *args, bot_run *run)
{
    const tune_options *options = run->options;
    const unsigned rounds = run->arena.rounds;
    const bool spsa = run->bot->method == TUNE_SPSA;
    run->population = carom_was_given(args, "--population") ? options->population : POPULATION;
    run->elites = carom_was_given(args, "--elites") ? options->elites : ELITES;
    run->elites = run->elites < run->population ? run->elites : run->population;
    run->games = options->games;
    if (!carom_was_given(args, "--games")) {
        const double each = spsa ? 1 : (double)run->bot->budget / (double)(GENERATIONS * run->population);
        run->games = (uint64_t)fmax(floor(each / rounds + 0.5), 1) * rounds;
    }
    if (run->games % rounds != 0) {
        carom_die("--games: %" PRIu64 " is no multiple of %u, and so often every start is played", run->games, rounds);
    }
    if (games_of(run) > run->bot->budget) {
        carom_die("--budget: %" PRIu64 " games are less than a generation has, %" PRIu64, run->bot->budget,
                  games_of(run));
    }
}

static void prepare(bot_run *run, carom_scene **scene)
{
    const scene_changes changes = {-1, -1};
    const tune_options *options = run->options;
    const tune_bot_options *bot = run->bot;
    arena_options *arena = &run->arena;
    arena->game = carom_load_played(options->name, "game", changes, scene);
    arena->name = options->name;
    arena->settings = options->settings;
    arena->set = carom_set_options(arena->game, &options->settings);
    arena->rounds = arena_rounds(carom_game_describe(arena->game).players);
    arena->gauntlet = true;
    arena->seed = options->seed;
    arena->threads = options->threads;
    arena->concurrency = options->threads > 0 ? options->threads : carom_threads();
    arena->ms = bot->ms;
    arena->first_ms = bot->first_ms;
    arena->patience = 1e-3 * fmax(bot->first_ms, bot->ms) + 5;
    arena->language = bot->language;
    if (bot->against != NULL) {
        arena->sides[0] = carom_arena_side(arena, bot->against);
    }
}

int carom_tune_bot(const arguments *args, const tune_options *options)
{
    static bot_run run; /* large */
    carom_scene *scene;
    bot_state s = {.generation = 0};
    run.options = options;
    run.bot = &options->bot;
    prepare(&run, &scene);
    choose_sizes(args, &run);
    read_ranges(&run);
    read_starts(&run, &s);
    load(&run, &s);
    run.arena.games = run.games;
    run.arena.end = run.games / run.arena.rounds;
    while (s.games + games_of(&run) <= run.bot->budget) {
        double best = 0;
        const bool whole =
            run.bot->method == TUNE_SPSA ? improve_by_spsa(&run, &s, &best) : improve_by_cem(&run, &s, &best);
        if (!whole) {
            return EXIT_INTERRUPTED;
        }
        s.generation++;
        s.games += games_of(&run);
        save(&run, &s);
        printf("generation %" PRIu64 ": %" PRIu64 " of %" PRIu64 " games; best %.1f%%; ", s.generation, s.games,
               run.bot->budget, 100 * best);
        tell(&run, &s);
        printf("\n");
        fflush(stdout);
    }
    char command[COMMAND_BYTES];
    write_command(&run, s.mean, command);
    printf("\n");
    tell(&run, &s);
    printf("\n");
    carom_print_plain(command);
    printf("\n");
    carom_scene_destroy(scene);
    return 0;
}
