/* SPDX-License-Identifier: MIT
 * A bot for Coders Strike Back by random shooting: every turn it tries many short futures and plays the first action of
 * the best one.
 *
 * Player 0 races against the built-in driver `race` on every base map of the game; the same races with `race` as both
 * players are the benchmark. Prints the mean number of ticks until a pod of player 0 finishes, and fails unless the bot
 * finishes every race and is faster on every map. All races run at once: they are the worlds of one batch, and the
 * roots of one rollout a turn.
 *
 * Usage: csb_bot [RACES]   on each map, 1 to 8; without a number: 8.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/carom.h>

#define MAPS CAROM_CSB_BASE_MAPS
#define MOST_STARTS 8
#define MOST_RACES (MAPS * MOST_STARTS)
#define SEQUENCES 64
#define HORIZON 6
#define LIMIT 500

typedef float action[2][2]; /* one player's, of the kind "relative": [pod](turn in radians, thrust) */

static size_t starts = MOST_STARTS; /* races on each map */
static size_t race_count = (size_t)MAPS * MOST_STARTS;
static carom_worlds *races, *scouts;
static size_t race_policy, relative;
static action played[MOST_RACES][2];               /* [race][player], in this turn */
static action expected[HORIZON][MOST_RACES][2];    /* the predicted actions of two race drivers */
static action own[MOST_RACES][SEQUENCES][HORIZON]; /* the futures to try */
static action rival[MOST_RACES][HORIZON];          /* and the other player's predicted actions meanwhile */
static action plan[MOST_RACES][HORIZON];           /* the best future of the last turn */

/* Every call of the library returns a status. */
static void check(carom_status status)
{
    if (status != CAROM_OK) {
        fprintf(stderr, "csb_bot: %s\n", carom_status_string(status));
        exit(2);
    }
}

/* Uniform in [-1, 1): a linear congruential generator is random enough here. */
static float uniform(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(state >> 40) / 8388608.0f - 1.0f;
}

/* Each base map several times: with another start, in either direction, shifted a little as in the real game. */
static void make_races(void)
{
    static int32_t checkpoints[MOST_RACES][6][2];
    static carom_csb_map maps[MOST_RACES];
    for (size_t r = 0; r < race_count; r++) {
        const size_t start = r % starts;
        uint32_t n;
        const int32_t(*base)[2] = carom_csb_base_map(r / starts, &n);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t from = start % 2 == 0 ? i : n - 1 - i;
            for (int axis = 0; axis < 2; axis++) {
                checkpoints[r][(i + start / 2) % n][axis] = base[from][axis] + (int32_t)(30 * uniform());
            }
        }
        maps[r] = (carom_csb_map){(const int32_t(*)[2])checkpoints[r], n, 3};
    }
    carom_csb_options options = carom_csb_options_default();
    options.map_count = (uint32_t)race_count;
    options.maps = maps; /* world w plays the first game on map w */
    const carom_game *csb = carom_game_find("csb");
    carom_worlds_desc desc = carom_worlds_desc_default(csb);
    desc.options = &options;
    desc.count = race_count;
    check(carom_worlds_create(&desc, &races));
    check(carom_worlds_create(&desc, &scouts));
    check(carom_game_find_policy(csb, "race", &race_policy));
    check(carom_game_find_action_kind(csb, "relative", &relative));
}

static void play(carom_worlds *worlds, const void *actions)
{
    carom_step step = carom_step_default();
    step.action_kind = relative;
    step.actions = actions;
    check(carom_worlds_play(worlds, &step));
}

/* Scouts ahead: the next turns if both players drove like `race`. */
static void look_ahead(void)
{
    check(carom_worlds_copy(scouts, NULL, races, NULL, race_count));
    for (int tick = 0; tick < HORIZON; tick++) {
        check(carom_worlds_policy(scouts, race_policy, relative, expected[tick]));
        play(scouts, expected[tick]);
        for (size_t r = 0; r < race_count; r++) {
            memcpy(rival[r][tick], expected[tick][r][1], sizeof(action));
        }
    }
}

/* Future 0 is the driver's, future 1 the last turn's plan. The others are one of these two with one change of turn and
 * thrust up to some tick, and another from there on: smooth changes get further than independent ones. The game clamps
 * excessive values. */
static void make_futures(size_t r)
{
    for (int k = 0; k < SEQUENCES; k++) {
        for (int pod = 0; pod < 2; pod++) {
            const int change = (int)((uniform() + 1) / 2 * HORIZON);
            const float turn[2] = {0.6f * uniform(), 0.6f * uniform()};
            const float thrust[2] = {300 * uniform(), 300 * uniform()};
            for (int tick = 0; tick < HORIZON; tick++) {
                const float *like = k % 2 == 0 ? expected[tick][r][0][pod] : plan[r][tick][pod];
                float *to = own[r][k][tick][pod];
                memcpy(to, like, 2 * sizeof *to);
                if (k > 1) {
                    to[0] += turn[tick < change];
                    to[1] += thrust[tick < change];
                }
            }
        }
    }
}

/* One turn of the bot in every race. */
static void search(void)
{
    static uint32_t best[MOST_RACES][2];
    for (size_t r = 0; r < race_count; r++) {
        make_futures(r);
    }
    carom_rollout_desc desc = carom_rollout_desc_default(carom_game_find("csb"));
    desc.sequences = SEQUENCES;
    desc.horizon = HORIZON;
    desc.action_kind = relative;
    desc.final_weight = 0; /* own progress alone; the final value would also make the bot block the rival */
    desc.players[0].source = CAROM_GIVEN;
    desc.players[0].actions = own;
    desc.players[1].source = CAROM_BROADCAST;
    desc.players[1].actions = rival;
    check(carom_rollout(races, &desc, NULL, *best, NULL));
    for (size_t r = 0; r < race_count; r++) {
        action *chosen = own[r][best[r][0]];
        memcpy(played[r][0], chosen[0], sizeof(action));
        memcpy(plan[r], chosen + 1, (HORIZON - 1) * sizeof(action)); /* the last tick keeps its action */
    }
}

/* Results on one map: the mean over the finished races, and the number not finished within the limit. */
typedef struct result {
    double ticks;
    int unfinished;
} result;

static void run_races(int bot, result results[MAPS])
{
    static int8_t won[MOST_RACES][4];
    static int time[MOST_RACES];
    size_t field;
    size_t running = race_count;
    check(carom_worlds_find_field(races, "won", &field));
    check(carom_worlds_reset(races));
    memset(time, 0, sizeof time);
    for (int tick = 1; tick <= LIMIT && running > 0; tick++) {
        look_ahead();
        memcpy(played, expected[0], sizeof played);
        if (bot) {
            search();
        }
        play(races, played);
        check(carom_worlds_get(races, field, 0, race_count, won));
        for (size_t r = 0; r < race_count; r++) {
            if (time[r] == 0 && (won[r][0] || won[r][1])) {
                time[r] = tick;
                running--;
            }
        }
    }
    for (size_t map = 0; map < MAPS; map++) {
        int sum = 0, finished = 0;
        for (size_t r = map * starts; r < (map + 1) * starts; r++) {
            sum += time[r];
            finished += time[r] != 0;
        }
        results[map] = (result){finished != 0 ? (double)sum / finished : LIMIT, (int)starts - finished};
    }
}

int main(int argc, char **argv)
{
    result race[MAPS], bot[MAPS];
    if (argc > 1) {
        starts = strtoul(argv[1], NULL, 10);
        race_count = MAPS * starts;
    }
    if (argc > 2 || starts < 1 || starts > MOST_STARTS) {
        fprintf(stderr, "csb_bot [RACES]: on each map, 1 to %d\n", MOST_STARTS);
        return 2;
    }
    make_races();
    run_races(0, race);
    run_races(1, bot);
    int slower = 0;
    printf("Ticks to the finish, mean of %zu races (not finished within %d, left out)\nmap        race         bot\n",
           starts, LIMIT);
    for (int map = 0; map < MAPS; map++) {
        const int faster = bot[map].unfinished == 0 && bot[map].ticks < race[map].ticks;
        slower += !faster;
        printf("%3d %7.1f (%d) %7.1f (%d)%s\n", map, race[map].ticks, race[map].unfinished, bot[map].ticks,
               bot[map].unfinished, faster ? "" : "   not faster");
    }
    carom_worlds_destroy(races);
    carom_worlds_destroy(scouts);
    return slower != 0;
}
