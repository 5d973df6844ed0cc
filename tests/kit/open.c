/* SPDX-License-Identifier: MIT
 * A program that plays a plug-in game: open GAME.so, or with ADOPT the air hockey that is linked in. Eight threads open
 * it at once and must all get the same game; its worlds are played, forked, saved, restored and rolled out.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/carom.h>

#define THREADS 8
#define WORLDS 50
#define SEQUENCES 20

#define DEMAND(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("open.c:%d: %s\n", __LINE__, #condition);                                                           \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#if defined(ADOPT)
extern const carom_kit_entry carom_air_hockey_entry;
#endif

static const char *path;

static void *get(void *unused)
{
    const carom_game *game = NULL;
    carom_problem problem;
    (void)unused;
#if defined(ADOPT)
    DEMAND(carom_game_adopt(&carom_air_hockey_entry, &game, &problem) == CAROM_OK);
#else
    DEMAND(carom_game_open(path, &game, &problem) == CAROM_OK);
#endif
    DEMAND(problem.text[0] == '\0' && carom_game_find("air_hockey") == game);
    return (void *)(uintptr_t)game;
}

static void refusals(const carom_game *game)
{
    const carom_game *none = game;
    carom_problem problem;
    DEMAND(carom_game_open("air_hockey.so", &none, &problem) == CAROM_ERROR_ARGUMENT && none == NULL);
    DEMAND(strstr(problem.text, "slash") != NULL);
    none = game;
    DEMAND(carom_game_open("./missing.so", &none, NULL) == CAROM_ERROR_FORMAT && none == NULL);
    DEMAND(carom_game_open(NULL, &none, &problem) == CAROM_ERROR_ARGUMENT);
    DEMAND(carom_game_open("./missing.so", NULL, &problem) == CAROM_ERROR_ARGUMENT);
    DEMAND(carom_game_adopt(NULL, &none, &problem) == CAROM_ERROR_ARGUMENT);
}

static uint64_t digest_of(const carom_worlds *worlds)
{
    uint64_t digest;
    DEMAND(carom_worlds_digest(worlds, &digest) == CAROM_OK);
    return digest;
}

static void play(const carom_game *game)
{
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    carom_worlds *worlds, *other;
    float actions[WORLDS * 2 * 2];
    carom_step step = carom_step_default();
    desc.count = WORLDS;
    DEMAND(carom_worlds_create(&desc, &worlds) == CAROM_OK && carom_worlds_create(&desc, &other) == CAROM_OK);
    const uint64_t start = digest_of(worlds);
    step.actions = actions;
    for (int tick = 0; tick < 100; tick++) {
        DEMAND(carom_worlds_policy(worlds, 0, 0, actions) == CAROM_OK);
        DEMAND(carom_worlds_play(worlds, &step) == CAROM_OK);
    }
    DEMAND(carom_worlds_counters(worlds).events > 0 && digest_of(worlds) != start);
    /* save and restore */
    const size_t size = carom_worlds_save_size(worlds);
    void *save = malloc(size);
    DEMAND(save != NULL && carom_worlds_save(worlds, save, size) == CAROM_OK);
    DEMAND(carom_worlds_load(other, save, size) == CAROM_OK && digest_of(other) == digest_of(worlds));
    free(save);
    /* fork */
    uint64_t root, fork;
    DEMAND(carom_worlds_fork(other, 1, WORLDS - 1, worlds, 0) == CAROM_OK);
    DEMAND(carom_worlds_hash(worlds, 0, 1, &root) == CAROM_OK);
    DEMAND(carom_worlds_hash(other, WORLDS - 1, 1, &fork) == CAROM_OK && fork == root);
    /* roll out */
    carom_rollout_desc rollout = carom_rollout_desc_default(game);
    double *returns = malloc(WORLDS * SEQUENCES * 2 * sizeof *returns);
    rollout.sequences = SEQUENCES;
    rollout.horizon = 30;
    rollout.final_weight = 1;
    DEMAND(returns != NULL && carom_rollout(worlds, &rollout, returns, NULL, NULL) == CAROM_OK);
    DEMAND(returns[0] == -returns[1] && returns[0] != returns[2]); /* what one wins the other loses */
    free(returns);
    carom_worlds_destroy(worlds);
    carom_worlds_destroy(other);
}

/* Options by their names, for the game's structure is in no header: a game to one goal ends at the first. */
static void options(const carom_game *game)
{
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    carom_step step = carom_step_default();
    carom_problem problem;
    carom_option option;
    carom_worlds *worlds;
    const size_t size = carom_game_options_size(game);
    double room[32];
    DEMAND(size != 0 && size <= sizeof room && carom_game_options_default(game, room) == CAROM_OK);
    DEMAND(carom_game_option(game, 0, &option) == CAROM_OK && strcmp(option.name, "goals") == 0 && option.value == 7);
    DEMAND(carom_game_set_option(game, room, "goals", 1, &problem) == CAROM_OK);
    DEMAND(carom_game_set_option(game, room, "bounce", 1.5, &problem) == CAROM_ERROR_VALUE);
    DEMAND(strcmp(problem.text, "bounce: 1.5 is not between 0 and 1") == 0);
    desc.count = WORLDS;
    desc.at_end = CAROM_RESET;
    desc.options = room;
    DEMAND(carom_worlds_create(&desc, &worlds) == CAROM_OK);
    step.ticks = 1000;
    step.players[0].source = step.players[1].source = CAROM_POLICY;
    DEMAND(carom_worlds_play(worlds, &step) == CAROM_OK);
    const carom_counters counters = carom_worlds_counters(worlds);
    DEMAND(counters.goals > 0 && counters.goals == counters.games);
    carom_worlds_destroy(worlds);
    const uint32_t goals = 101; /* past carom_game_set_option() */
    memcpy((char *)room + option.offset, &goals, sizeof goals);
    DEMAND(carom_worlds_create(&desc, &worlds) == CAROM_ERROR_ARGUMENT && worlds == NULL);
    DEMAND(carom_worlds_bytes(&desc) == 0);
    DEMAND(carom_game_check_options(&desc, &problem) == CAROM_ERROR_ARGUMENT);
    DEMAND(strcmp(problem.text, "goals: 101 is not between 1 and 100") == 0);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    const carom_game *game = NULL;
    const size_t before = carom_game_count();
    path = argc > 1 ? argv[1] : NULL;
    for (int k = 0; k < THREADS; k++) {
        DEMAND(pthread_create(&threads[k], NULL, get, NULL) == 0);
    }
    for (int k = 0; k < THREADS; k++) {
        void *got;
        DEMAND(pthread_join(threads[k], &got) == 0 && (game == NULL || game == got));
        game = (const carom_game *)got;
    }
    DEMAND(carom_game_count() == before + 1 && carom_game_at(before) == game && carom_game_at(before + 1) == NULL);
    refusals(game);
    play(game);
    options(game);
    return 0;
}
