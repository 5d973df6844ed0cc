/* SPDX-License-Identifier: MIT
 * The programs of a game's device module, translated from PTX by ptx2c.py, behind the tables by which tests play those
 * of this processor: `program` of tests/ports/programs.h, and one_kernel. A test that is linked with this file instead
 * of the processor's programs plays those of devices.
 *
 * Compiled once for each module, with PTX_GAME, such as csb, and CAROM_REAL_BITS, or PTX_POLICY for the module of the
 * game's policies. CAROM_TEST_MODULES names the folder of the translated modules; otherwise they are where the build
 * has put them, in PTX_FOLDER.
 */
#include "device/ptx_module.h"
#include "games/game.h"
#include "ports/programs.h"
#include "tick/one_rollout_task.h"
#include "tick/tick.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128 };

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define PASTE_OF(name, what, bits) carom_##name##_##what##_f##bits
#define PASTE(name, what, bits) PASTE_OF(name, what, bits)
#if defined(PTX_POLICY)
#define MODULE TEXT(PTX_GAME) "_policy"
#else
#define MODULE TEXT(PTX_GAME) "_f" TEXT(CAROM_REAL_BITS)
#endif

/* All entries that such a module has. */
#if defined(PTX_POLICY)
#define ENTRIES(X) X(act)
#else
#define ENTRIES(X) X(play) X(step) X(staged) X(observe) X(restart) X(roll) X(rollout)
#endif

#define NUMBER(entry) ENTRY_##entry,
enum { ENTRIES(NUMBER) ENTRY_COUNT };

static const ptx_module *load(void)
{
    const char *folder = getenv("CAROM_TEST_MODULES");
    char path[4096];
    snprintf(path, sizeof path, "%s/ptx_%s.so", folder != NULL ? folder : PTX_FOLDER, MODULE);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const ptx_module *module = library != NULL ? dlsym(library, "ptx_module_loaded") : NULL;
    if (module == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return module;
}

/* An entry by its name. Tests play in one thread, so that loading needs no lock. */
static const ptx_entry *find(int number, const char *name)
{
    static const ptx_module *module;
    static const ptx_entry *found[ENTRY_COUNT];
    if (module == NULL) {
        module = load();
    }
    for (size_t k = 0; k < module->entry_count && found[number] == NULL; k++) {
        if (strcmp(module->entries[k].name, name) == 0) {
            found[number] = &module->entries[k];
        }
    }
    if (found[number] == NULL) {
        fprintf(stderr, "%s has no entry %s\n", module->name, name);
        exit(1);
    }
    return found[number];
}

/* Runs one thread of a launch with a block for every 128 threads that the task has. */
static void run(const ptx_entry *entry, const void *task, size_t thread)
{
    uint64_t threads;
    memcpy(&threads, task, sizeof threads);
    const ptx_place place = {
        {(uint32_t)(thread / BLOCK), 0, 0},
        {BLOCK, 1, 1},
        {(uint32_t)(thread % BLOCK), 0, 0},
        {(uint32_t)((threads + BLOCK - 1) / BLOCK), 1, 1},
    };
    entry->thread(task, &place);
}

#define RUN(entry)                                                                                                     \
    static void run_##entry(const void *task, size_t thread)                                                           \
    {                                                                                                                  \
        run(find(ENTRY_##entry, "carom_entry_" #entry), task, thread);                                                 \
    }
ENTRIES(RUN)

#if defined(PTX_POLICY)

#define ACT_OF(name) carom_##name##_act
#define ACT(name) ACT_OF(name)
extern const program ACT(PTX_GAME);
const program ACT(PTX_GAME) = {"act", run_act};

#else

#define ROW(entry) {#entry, run_##entry},
extern const program PASTE(PTX_GAME, programs, CAROM_REAL_BITS)[];
const program PASTE(PTX_GAME, programs, CAROM_REAL_BITS)[] = {ENTRIES(ROW){NULL, NULL}};

/* ---- one_kernel ---- */

/* A batch of the one tile that holds the world. */
static one_batch batch_of(const one_task *task, carom_counters *counters, uint32_t *wrong)
{
    const one_batch batch = {task->tile, task->context, NULL, task->seed, CAROM_TILE, NULL, counters, wrong};
    return batch;
}

/* A step of the world, or of as many ticks as the task has. */
static void play_steps(const one_task *task, const carom_game_info *game)
{
    static carom_counters counters[ONE_SLOTS];
    uint32_t wrong = 0;
    one_step_task step;
    memset(&step, 0, sizeof step);
    step.threads = 1;
    step.batch = batch_of(task, counters, &wrong);
    step.first = task->lane;
    step.end = task->ticks;
    step.repeat = 1;
    step.at_end = task->at_end;
    step.kind = task->kind;
    step.actions = (const unsigned char *)task->actions;
    step.action_rows = 1;
    step.action_bytes = task->action_bytes;
    step.rewarded = game->players;
    step.observations = task->observations;
    step.width = (uint64_t)game->players * game->observation_size;
    step.observation_rows = 1;
    step.rewards = task->rewards;
    step.ends = task->ends;
    step.part = ONE_FIRST | ONE_LAST;
    const bool silent = task->observations == NULL && task->rewards == NULL && task->ends == NULL;
    (silent ? run_play : run_step)(&step, 0);
}

/* The rollout of one sequence: the world is root `lane` of those in its tile. */
static void roll_out(const one_task *task, const carom_game *game)
{
    const carom_action_kind kind = game->kinds[task->kind];
    const uint32_t players = game->info.players;
    one_rollout_task rollout;
    memset(&rollout, 0, sizeof rollout);
    rollout.threads = 1;
    rollout.sequences = (uint64_t)task->sequence + 1;
    rollout.first = task->lane * rollout.sequences + task->sequence;
    rollout.horizon = rollout.ticks = (uint32_t)task->ticks;
    rollout.forks = rollout.ends = rollout.value_at_end = 1;
    rollout.kind = task->kind;
    rollout.action_bytes = players * kind.size * (uint32_t)kind.precision / 8;
    rollout.rewarded = players;
    rollout.context = task->context;
    rollout.roots = task->tile;
    rollout.seed = task->seed;
    rollout.discount = task->discount;
    rollout.reward_weight = 1;
    rollout.final_weight = task->final_weight;
    for (uint32_t player = 0; player < players; player++) {
        one_numbers *numbers = &rollout.players[player];
        numbers->source = CAROM_DRAWN;
        numbers->player = player;
        numbers->size = kind.size;
        numbers->rows = rollout.horizon;
        numbers->hold = 1;
        numbers->wide = kind.precision == CAROM_F64;
        numbers->seed = task->draw_seed;
        numbers->pool = 1;
    }

    /* Returns are indexed by the number of root and sequence. */
    double *returns = (double *)malloc((rollout.first + 1) * players * sizeof *returns);
    if (returns == NULL) {
        exit(1);
    }
    rollout.returns = returns;
    run_rollout(&rollout, 0);
    memcpy(task->returns, returns + rollout.first * players, players * sizeof *returns);
    free(returns);
}

static void play_task(const one_task *task)
{
    const carom_game *game = carom_game_find(TEXT(PTX_GAME));
    if (task->returns != NULL) {
        roll_out(task, game);
    } else {
        play_steps(task, &game->info);
    }
}

extern const one_kernel PASTE(PTX_GAME, one, CAROM_REAL_BITS);
const one_kernel PASTE(PTX_GAME, one, CAROM_REAL_BITS) = {play_task, 1};

#endif
