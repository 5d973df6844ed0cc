/* SPDX-License-Identifier: MIT
 * The game's table: kinds of actions and observations, names and ranges of their numbers, and the hooks.
 */
#include "games/fantastic_bits/fantastic_bits.h"

static const field_spec fields[] = WORLD_FIELD_TABLE(FB_FIELDS);

static const carom_action_kind kinds[FB_KINDS] = {
    [FB_REFEREE] = {"referee", CAROM_F64, 2 * FB_REFEREE_NUMBERS},
    [FB_NORMALISED] = {"normalised", CAROM_F32, 2 * FB_NORMALISED_NUMBERS},
};

static const char *const policies[] = {"striker", "random"}; /* in the order of policy.c */

/* ---- observations ----
 *
 * The ranges follow from those of the state: positions within 2^24, velocities within 2^25, scores from -1 to 7. */

#define X_MOST 1048.576f  /* 2^24 / 16000 */
#define Y_MOST 2238.0f    /* 2^24 / 7500, rounded up */
#define V_MOST 33554.434f /* 2^25 / 1000 */
#define FAR 2097.152f     /* of a difference of two positions */
#define FAST 67108.87f    /* of a difference of two velocities */
#define TICKS 10737419.0f /* 2^31 / 200 */

static const char *const wizards[] = {"own0", "own1", "other0", "other1"};
static const char *const snaffles[] = {"snaffle0", "snaffle1", "snaffle2", "snaffle3",
                                       "snaffle4", "snaffle5", "snaffle6"};
static const char *const bludgers[] = {"bludger0", "bludger1"};
static const observation_number raw_wizard[] = {
    {"x", "16000 units", -X_MOST, X_MOST},
    {"y", "7500 units", -Y_MOST, Y_MOST},
    {"vx", "1000 units a tick", -V_MOST, V_MOST},
    {"vy", "1000 units a tick", -V_MOST, V_MOST},
    {"holds", "", 0, 1},
};
static const observation_number raw_snaffle[] = {
    {"x", "16000 units", -X_MOST, X_MOST},
    {"y", "7500 units", -Y_MOST, Y_MOST},
    {"vx", "1000 units a tick", -V_MOST, V_MOST},
    {"vy", "1000 units a tick", -V_MOST, V_MOST},
    {"alive", "", 0, 1},
};
static const observation_number raw_rest[] = {
    {"mana", "100", 0, 1},    {"score", "goals to win", -1, 3}, {"score_other", "goals to win", -1, 3},
    {"direction", "", -1, 1}, {"tick", "200 ticks", 0, TICKS},
};
static const observation_block raw[] = {{wizards, FB_WIZARDS, raw_wizard, 5},
                                        {snaffles, FB_SNAFFLES, raw_snaffle, 5},
                                        {bludgers, FB_BLUDGERS, raw_wizard, 4},
                                        {NULL, 1, raw_rest, 5}};

static const observation_number ego_own[CAROM_FANTASTIC_BITS_EGO_OWN] = {
    {"vx", "1000 units a tick", -V_MOST, V_MOST},
    {"vy", "1000 units a tick", -V_MOST, V_MOST},
    {"holds", "", 0, 1},
    {"wait", "3 ticks", 0, 1},
    {"upper_side", "7500 units", -Y_MOST, Y_MOST},
    {"lower_side", "7500 units", -Y_MOST, Y_MOST},
    {"goal_ahead", "", -1, 1},
    {"goal_aside", "", -1, 1},
    {"goal_distance", "16000 units", 0, 1500},
    {"own_goal_ahead", "", -1, 1},
    {"own_goal_aside", "", -1, 1},
    {"own_goal_distance", "16000 units", 0, 1500},
    {"obliviate", "6 ticks", 0, 1},
    {"petrificus", "6 ticks", 0, 1},
    {"accio", "6 ticks", 0, 1},
    {"flipendo", "6 ticks", 0, 1},
    {"mana", "100", 0, 1},
    {"score", "goals to win", -1, 3},
    {"score_other", "goals to win", -1, 3},
    {"tick", "200 ticks", 0, TICKS},
};
static const char *const others[] = {"mate", "other0", "other1"};
static const observation_number ego_body[] = {
    {"x", "16000 units", -FAR, FAR},
    {"y", "16000 units", -FAR, FAR},
    {"vx", "1000 units a tick", -FAST, FAST},
    {"vy", "1000 units a tick", -FAST, FAST},
    {"holds", "", 0, 1},
};
static const observation_number ego_snaffle[CAROM_FANTASTIC_BITS_EGO_SNAFFLE] = {
    {"x", "16000 units", -FAR, FAR},
    {"y", "16000 units", -FAR, FAR},
    {"vx", "1000 units a tick", -FAST, FAST},
    {"vy", "1000 units a tick", -FAST, FAST},
    {"alive", "", 0, 1},
    {"held_by", "", -1, 1},
};
static const observation_block ego[] = {{NULL, 1, ego_own, CAROM_FANTASTIC_BITS_EGO_OWN},
                                        {snaffles, FB_SNAFFLES, ego_snaffle, CAROM_FANTASTIC_BITS_EGO_SNAFFLE},
                                        {others, 3, ego_body, CAROM_FANTASTIC_BITS_EGO_WIZARD},
                                        {bludgers, FB_BLUDGERS, ego_body, CAROM_FANTASTIC_BITS_EGO_BLUDGER}};

/* `raw_body`: the numbers of `raw` as seen by each wizard, its own first and its mate's next. */
static const char *const body_wizards[] = {"own", "mate", "other0", "other1"};
static const observation_block raw_body[] = {{body_wizards, FB_WIZARDS, raw_wizard, 5},
                                             {snaffles, FB_SNAFFLES, raw_snaffle, 5},
                                             {bludgers, FB_BLUDGERS, raw_wizard, 4},
                                             {NULL, 1, raw_rest, 5}};

/* Where the rows that the kernel writes for `raw` belong for each wizard: the first of a player takes them as they are,
 * for the second the two wizards are swapped. */
#define ROW CAROM_FANTASTIC_BITS_OBSERVATION
#define SECOND(agent, row)                                                                                             \
    {(row) + 5, 5, {agent, -1}, {0, 0}}, {(row), 5, {agent, -1}, {5, 0}}, {(row) + 10, ROW - 10, {agent, -1}, {10, 0}},
static const observation_piece raw_body_pieces[] = {
    {0, ROW, {0, -1}, {0, 0}}, SECOND(1, 0){ROW, ROW, {2, -1}, {0, 0}}, SECOND(3, ROW)};

static const observation_kind observations[] = {
    {{"raw", 1, CAROM_FANTASTIC_BITS_OBSERVATION}, raw, 4, 0, false, NULL, 0},
    {{"ego", FB_WIZARDS / 2, CAROM_FANTASTIC_BITS_EGO}, ego, 4, 1, false, NULL, 0},
    {{"raw_body", FB_WIZARDS / 2, CAROM_FANTASTIC_BITS_OBSERVATION},
     raw_body,
     4,
     0,
     false,
     raw_body_pieces,
     sizeof raw_body_pieces / sizeof raw_body_pieces[0]},
};

/* The named final value, as weights of features (docs/notes/search.md, "Weights"). */
static const carom_value_weight value_match[CAROM_FANTASTIC_BITS_VALUE_WEIGHTS] = {
    GAME_WEIGHT("goal", 0.65,
                "how much nearer to the other's goal than to the own the snaffles are in two ticks, in fields"),
    GAME_WEIGHT("near", 0.6, "distance then of each wizard to a snaffle of its own, in 16000 units, summed"),
    GAME_WEIGHT("speed", 0.05, "the snaffles' speed towards the other's goal, in 1000 units a turn, summed"),
    GAME_WEIGHT("held", 0.05, "own wizards that hold a snaffle, minus the other's"),
    GAME_WEIGHT("mana", 1.2, "own mana, in 100"),
    GAME_WEIGHT("danger", 0.1, "a bludger within 2000 units of a wizard: 1 if it touches, 0 at that distance"),
    GAME_WEIGHT("defend", 0.5, "the snaffle nearest to the own goal, in fields"),
    GAME_WEIGHT("rivals", 0.15, "distance of the other's wizards to snaffles of their own, as `near`"),
    GAME_WEIGHT("control", 0.1, "whose wizard is nearer to a snaffle then: -1 to 1, summed"),
    GAME_WEIGHT("majority", 0.5,
                "1 if the own wizards are nearer then to as many snaffles as win, -1 if the other's are"),
};
static const game_value values[] = {{"match", value_match, CAROM_FANTASTIC_BITS_VALUE_WEIGHTS}};

CAROM_KERNEL_OF(game_kernel, fantastic_bits)

const carom_game carom_game_fantastic_bits = {
    .type =
        {
            .name = "fantastic_bits",
            .fields = fields,
            .field_count = sizeof fields / sizeof fields[0],
            .context_bytes = carom_fantastic_bits_context_bytes,
            .context_create = carom_fantastic_bits_context_create,
            .context_destroy = carom_fantastic_bits_context_destroy,
            .context_hash = carom_fantastic_bits_context_hash,
            .context_image = carom_fantastic_bits_context_image,
            .ops = GAME_OPS(fantastic_bits),
            .scratch_bytes = carom_game_scratch_bytes,
        },
    .info =
        {
            .name = "fantastic_bits",
            .title = "Fantastic Bits",
            .players = 2,
            .bodies = FB_BODIES,
            .max_events = FB_EVENTS,
            .observation_size = CAROM_FANTASTIC_BITS_OBSERVATION,
            .action_kinds = FB_KINDS,
            .policies = sizeof policies / sizeof policies[0],
            .observation_kinds = sizeof observations / sizeof observations[0],
            .counts = "goals",
        },
    .kinds = kinds,
    .policies = policies,
    .kernel = kernel_of,
    .observations = observations,
    .agents = FB_WIZARDS / 2,
    .mixes = true,
    .look = &carom_fantastic_bits_look,
    .policy = carom_fantastic_bits_policy,
    .values = values,
    .value_kinds = sizeof values / sizeof values[0],
    .options = &carom_fantastic_bits_table,
};
