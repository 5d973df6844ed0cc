/* SPDX-License-Identifier: MIT
 * `carom check`: does a game keep Carom's guarantees? With every policy, kind of action and precision it is played once
 * at width 1, and the results are compared with every other instruction set, with one world at a time (for plug-in
 * games), and with play after a save, a restore and a fork.
 */
#include "../source/game_file.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "games/entry.h"
#include "worlds/worlds.h"

#define WORLDS 100 /* not a multiple of the tile */
#define TICKS 100  /* of a part; the second begins at the end of the first */

/* The game and how it is played. */
typedef struct course {
    const carom_game *game;
    const void *options; /* the game's, or NULL */
    carom_game_info about;
    carom_precision precision;
    size_t kind, policy;
    carom_action_kind actions;
    size_t row, seen; /* bytes of a world's actions; floats of its observations */
} course;

/* The results of two parts of TICKS ticks. */
typedef struct record {
    unsigned char *actions; /* [tick][world][row] */
    float *observations;    /* [tick][world][seen] */
    float *rewards;         /* [tick][world][player] */
    uint8_t *ends;          /* [tick][world] */
    unsigned faults;        /* their bits */
    uint64_t digest[2];     /* after each part */
    unsigned char *save;    /* after the first */
    size_t save_size;
} record;

static int failures;

__attribute__((format(printf, 2, 3))) static void fail(const course *c, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    failures++;
    printf("%s, f%d, policy %s, %s actions: %s\n", c->about.name, (int)c->precision,
           carom_game_policy_name(c->game, c->policy), c->actions.name, text);
}

static carom_worlds *make(const course *c, carom_isa isa)
{
    carom_worlds_desc desc = carom_worlds_desc_default(c->game);
    carom_worlds *worlds;
    desc.options = c->options;
    desc.count = WORLDS;
    desc.precision = c->precision;
    desc.isa = isa;
    desc.seed = 7;
    desc.at_end = CAROM_RESET;
    carom_demand(carom_worlds_create(&desc, &worlds), "create the worlds");
    return worlds;
}

static record begin(const course *c)
{
    const size_t all = (size_t)2 * TICKS * WORLDS;
    record r;
    memset(&r, 0, sizeof r);
    r.actions = carom_allocate(1, all * c->row);
    r.observations = carom_allocate(1, all * c->seen * sizeof(float));
    r.rewards = carom_allocate(1, all * c->about.players * sizeof(float));
    r.ends = carom_allocate(1, all);
    return r;
}

static void end(record *r)
{
    free(r->actions);
    free(r->observations);
    free(r->rewards);
    free(r->ends);
    free(r->save);
}

/* Plays part `part` with the actions of `told`, or by the policy, to record them, if told == r. */
static void play(const course *c, carom_worlds *worlds, int part, const record *told, record *r)
{
    carom_result results[WORLDS];
    carom_step step = carom_step_default();
    step.action_kind = c->kind;
    step.results = results;
    for (size_t tick = (size_t)part * TICKS; tick < (size_t)(part + 1) * TICKS; tick++) {
        step.actions = told->actions + tick * WORLDS * c->row;
        step.observations = r->observations + tick * WORLDS * c->seen;
        step.rewards = r->rewards + tick * WORLDS * c->about.players;
        step.ends = r->ends + tick * WORLDS;
        if (told == r) {
            carom_demand(carom_worlds_policy(worlds, c->policy, c->kind, r->actions + tick * WORLDS * c->row),
                         "ask the policy");
        }
        carom_demand(carom_worlds_play(worlds, &step), "play");
        for (size_t w = 0; w < WORLDS; w++) {
            r->faults |= step.ends[w] != 0 ? results[w].fault : 0;
        }
    }
    carom_demand(carom_worlds_digest(worlds, &r->digest[part]), "digest");
}

static void compare(const course *c, int first_part, const record *a, const record *b, const char *what)
{
    const size_t from = (size_t)first_part * TICKS * WORLDS, all = (size_t)(2 - first_part) * TICKS * WORLDS;
    const size_t players = c->about.players;
    if (a->digest[1] != b->digest[1]) {
        fail(c, "%s: other states", what);
    }
    if (memcmp(a->observations + from * c->seen, b->observations + from * c->seen, all * c->seen * sizeof(float)) !=
        0) {
        fail(c, "%s: other observations", what);
    }
    if (memcmp(a->rewards + from * players, b->rewards + from * players, all * players * sizeof(float)) != 0) {
        fail(c, "%s: other rewards", what);
    }
    if (memcmp(a->ends + from, b->ends + from, all) != 0) {
        fail(c, "%s: other ends", what);
    }
}

/* The first recording, at width 1. */
static record play_first(const course *c)
{
    record r = begin(c);
    carom_worlds *worlds = make(c, CAROM_ISA_SCALAR);
    play(c, worlds, 0, &r, &r);
    r.save_size = carom_worlds_save_size(worlds);
    r.save = carom_allocate(1, r.save_size);
    carom_demand(carom_worlds_save(worlds, r.save, r.save_size), "save");
    play(c, worlds, 1, &r, &r);
    if (r.faults != 0) {
        char names[32];
        fail(c, "%llu games of %d worlds have ended by a fault%s",
             (unsigned long long)carom_worlds_counters(worlds).faults, WORLDS, carom_fault_names(r.faults, names));
    }
    carom_worlds_destroy(worlds);
    return r;
}

static void check_isa(const course *c, const record *first, carom_isa isa)
{
    char text[64];
    record r = begin(c);
    carom_worlds *worlds = make(c, isa);
    play(c, worlds, 0, first, &r);
    play(c, worlds, 1, first, &r);
    snprintf(text, sizeof text, "%s is not scalar", carom_isa_name(isa));
    compare(c, 0, first, &r, text);
    carom_worlds_destroy(worlds);
    end(&r);
}

/* The second part, from the save. */
static void check_restore(const course *c, const record *first)
{
    record r = begin(c);
    carom_worlds *worlds = make(c, CAROM_ISA_DEFAULT);
    const carom_status status = carom_worlds_load(worlds, first->save, first->save_size);
    if (status != CAROM_OK) {
        fail(c, "a batch that was saved cannot be restored: %s", carom_status_string(status));
    } else {
        play(c, worlds, 1, first, &r);
        compare(c, 1, first, &r, "after a restore");
    }
    carom_worlds_destroy(worlds);
    end(&r);
}

/* Do all worlds equal world 0 of the roots? */
static bool alike(const course *c, const carom_worlds *roots, const carom_worlds *worlds, const char *what, size_t tick)
{
    uint64_t root, hashes[WORLDS];
    carom_demand(carom_worlds_hash(roots, 0, 1, &root), "hash");
    carom_demand(carom_worlds_hash(worlds, 0, WORLDS, hashes), "hash");
    for (size_t w = 0; w < WORLDS; w++) {
        if (hashes[w] != root) {
            fail(c, "%s %zu is not its root after tick %zu", what, w, tick);
            return false;
        }
    }
    return true;
}

/* A fork has its root's state. A copy also has its id: with the root's actions it stays equal to the root, including
 * random numbers of the game. */
static void check_fork(const course *c, const record *first)
{
    carom_worlds *roots = make(c, CAROM_ISA_DEFAULT), *worlds = make(c, CAROM_ISA_DEFAULT);
    carom_step step = carom_step_default();
    const size_t from[WORLDS] = {0};
    uint32_t rows[WORLDS];
    memset(rows, 0, sizeof rows);
    if (carom_worlds_load(roots, first->save, first->save_size) == CAROM_OK) {
        carom_demand(carom_worlds_fork(worlds, 0, WORLDS, roots, 0), "fork");
        bool same = alike(c, roots, worlds, "fork", TICKS);
        carom_demand(carom_worlds_copy(worlds, NULL, roots, from, WORLDS), "copy");
        step.action_kind = c->kind;
        step.rows = rows;
        step.action_rows = WORLDS;
        for (size_t tick = TICKS; same && tick < (size_t)2 * TICKS; tick++) {
            step.actions = first->actions + tick * WORLDS * c->row;
            carom_demand(carom_worlds_play(roots, &step), "play");
            carom_demand(carom_worlds_play(worlds, &step), "play");
            same = alike(c, roots, worlds, "copy", tick);
        }
    }
    carom_worlds_destroy(roots);
    carom_worlds_destroy(worlds);
}

/* Plays every world again, alone. */
static void check_one(const course *c, const record *first, const one_kernel *kernel)
{
    record r = begin(c);
    carom_worlds *worlds = make(c, CAROM_ISA_SCALAR);
    const size_t ticks = (size_t)2 * TICKS, players = c->about.players;
    unsigned char *actions = carom_allocate(1, ticks * c->row);
    float *observations = carom_allocate(1, ticks * c->seen * sizeof(float)),
          *rewards = carom_allocate(1, ticks * players * sizeof(float));
    uint8_t *ends = carom_allocate(1, ticks);
    for (size_t w = 0; w < WORLDS; w++) {
        one_task task;
        memset(&task, 0, sizeof task);
        for (size_t tick = 0; tick < ticks; tick++) {
            memcpy(actions + tick * c->row, first->actions + (tick * WORLDS + w) * c->row, c->row);
        }
        task.tile = carom_worlds_tile(worlds, w / CAROM_TILE);
        task.lane = (unsigned)(w % CAROM_TILE);
        task.context = worlds->context;
        task.seed = worlds->desc.seed;
        task.at_end = worlds->desc.at_end;
        task.ticks = ticks;
        task.kind = (uint32_t)c->kind;
        task.action_bytes = c->row;
        task.actions = actions;
        task.observations = observations;
        task.rewards = rewards;
        task.ends = ends;
        task.discount = 1;
        kernel->play(&task);
        for (size_t tick = 0; tick < ticks; tick++) {
            const size_t at = tick * WORLDS + w;
            memcpy(r.observations + at * c->seen, observations + tick * c->seen, c->seen * sizeof(float));
            memcpy(r.rewards + at * players, rewards + tick * players, players * sizeof(float));
            r.ends[at] = ends[tick];
        }
    }
    carom_demand(carom_worlds_digest(worlds, &r.digest[1]), "digest");
    compare(c, 0, first, &r, "one world at a time");
    carom_worlds_destroy(worlds);
    free(actions);
    free(observations);
    free(rewards);
    free(ends);
    end(&r);
}

/* For a plug-in game: checks the indices that its rules use, before its kernels, which do not check them, are
 * played. */
static bool check_numbers(const carom_game *game, const void *options)
{
    const carom_kit_entry *entry = carom_game_entry_of(game);
    carom_problem problem;
    const carom_status status =
        entry != NULL ? carom_game_try(entry, options, WORLDS, (size_t)2 * TICKS, &problem) : CAROM_OK;
    if (status == CAROM_ERROR_FORMAT) {
        printf("%s: %s\n", carom_game_describe(game).name, problem.text);
        failures++;
        return false;
    }
    carom_demand(status, "try the game");
    return true;
}

static void check_course(const course *c)
{
    const carom_kit_entry *entry = carom_game_entry_of(c->game);
    record first = play_first(c);
    for (int isa = CAROM_ISA_SCALAR + 1; isa < CAROM_ISA_COUNT; isa++) {
        if (carom_isa_usable((carom_isa)isa)) {
            check_isa(c, &first, (carom_isa)isa);
        }
    }
    check_restore(c, &first);
    check_fork(c, &first);
    if (entry != NULL) {
        check_one(c, &first, entry->one[c->precision == CAROM_F64]);
    }
    end(&first);
}

typedef struct check_options {
    const char *name;
    game_settings settings;
} check_options;

#define OPTIONS check_options
static const argument_row rows[] = {WORD("game", name), SET, END};

static int run(arguments *args)
{
    check_options options;
    memset(&options, 0, sizeof options);
    carom_read_arguments(args, rows, &options);
    course c;
    memset(&c, 0, sizeof c);
    c.game = carom_load_game(options.name);
    if (c.game == NULL) {
        carom_die("unknown game '%s': neither one that carom info lists nor a shared object", options.name);
    }
    c.about = carom_game_describe(c.game);
    c.options = carom_set_options(c.game, &options.settings);
    size_t courses = 0;
    if (!check_numbers(c.game, c.options)) {
        return EXIT_MISMATCH;
    }
    for (int f64 = 0; f64 < 2; f64++) {
        for (c.kind = 0; c.kind < c.about.action_kinds; c.kind++) {
            for (c.policy = 0; c.policy < c.about.policies; c.policy++) {
                c.precision = f64 != 0 ? CAROM_F64 : CAROM_F32;
                carom_demand(carom_game_action_kind(c.game, c.kind, &c.actions), "check");
                c.row = (size_t)c.about.players * c.actions.size * (c.actions.precision / 8);
                c.seen = (size_t)c.about.players * c.about.observation_size;
                check_course(&c);
                courses++;
            }
        }
    }
    if (failures == 0) {
        printf("%s: the same bits %s (%zu ways to play it)\n", c.about.name,
               carom_game_entry_of(c.game) != NULL ? "from every instruction set and one world at a time"
                                                   : "from every instruction set",
               courses);
    }
    return failures == 0 ? 0 : EXIT_MISMATCH;
}

const command_row carom_check_command = {
    .name = "check",
    .usage = "GAME [options]",
    .summary = "compare a game's results between instruction sets, and after saves, restores and forks",
    .about = "GAME is a game's name, or the path of a plug-in game built by carom-kit (its code is run): ./GAME.so. "
             "With every "
             "policy, kind of action and precision it is played on every instruction set that this machine has, "
             "restored from a save, forked and, for a plug-in game, played one world at a time. States, "
             "observations, rewards and ends must be the same bits, and no world may fault. For a plug-in game it also "
             "checks every index that its rules use for a field's element, a number of an observation "
             "or an action, a player or a row. Exit code 1 if that fails.",
    .rows = rows,
    .run = run};
