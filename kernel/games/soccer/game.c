/* SPDX-License-Identifier: MIT
 * The game's table: kinds of actions and observations, names and ranges of their numbers, and the hooks.
 */
#include "games/soccer/soccer.h"

#include <assert.h>
#include <math.h>

static const field_spec fields[] = WORLD_FIELD_TABLE(SOCCER_FIELDS);

static const carom_action_kind kinds[SOCCER_KINDS] = {
    [SOCCER_NORMALISED] = {"normalised", CAROM_F32, SOCCER_TEAM *SOCCER_NUMBERS},
    [SOCCER_METRIC] = {"metric", CAROM_F32, SOCCER_TEAM *SOCCER_NUMBERS},
};

static const char *const policies[] = {"striker", "random"}; /* in the order of policy_kernel.c */

/* ---- observations ----
 *
 * The ranges follow from those of the state: positions within 2^10 m, velocities within 2^17 m/s. They are divided by
 * options: lengths, which are at least 1 m, and speeds, which have no such bound. */

#define ANY INFINITY          /* no bound: depends on the options */
#define COUNTED 2147483648.0f /* 2^31, above any count of ticks */

static const char *const robots[SOCCER_ROBOTS] = {
    "own0",   "own1",   "own2",   "own3",   "own4",   "own5",   "own6",   "own7",   "own8",   "own9",   "own10",
    "other0", "other1", "other2", "other3", "other4", "other5", "other6", "other7", "other8", "other9", "other10"};
static const char *const balls[SOCCER_BALLS] = {"ball0", "ball1", "ball2", "ball3"};
static const observation_number raw_robot[] = {
    {"x", "half the length", -2048, 2048},
    {"y", "half the width", -2048, 2048},
    {"vx", "max_speed", -ANY, ANY},
    {"vy", "max_speed", -ANY, ANY},
    {"cos_angle", "", -1, 1},
    {"sin_angle", "", -1, 1},
    {"spin", "max_spin", -ANY, ANY},
    {"may_kick", "", 0, 1},
};
static const observation_number raw_ball[] = {
    {"x", "half the length", -2048, 2048},
    {"y", "half the width", -2048, 2048},
    {"vx", "kick_speed", -ANY, ANY},
    {"vy", "kick_speed", -ANY, ANY},
    {"held_by", "", -1, 1},
};
static const observation_number raw_rest[] = {
    {"score", "goals", 0, 32767}, {"score_other", "goals", 0, 32767}, {"tick", "a game's ticks", 0, COUNTED}};
static const observation_block raw[] = {
    {robots, SOCCER_ROBOTS, raw_robot, 8}, {balls, SOCCER_BALLS, raw_ball, 5}, {NULL, 1, raw_rest, 3}};

static const observation_number ego_own[CAROM_SOCCER_EGO_OWN] = {
    {"v_ahead", "max_speed", -ANY, ANY},
    {"v_aside", "max_speed", -ANY, ANY},
    {"spin", "max_spin", -ANY, ANY},
    {"may_kick", "", 0, 1},
    {"x", "half the length", -2048, 2048},
    {"y", "half the width", -2048, 2048},
    {"cos_angle", "", -1, 1},
    {"sin_angle", "", -1, 1},
    {"goal_ahead", "", -1, 1},
    {"goal_aside", "", -1, 1},
    {"goal_distance", "the length", 0, 2048},
    {"own_goal_ahead", "", -1, 1},
    {"own_goal_aside", "", -1, 1},
    {"own_goal_distance", "the length", 0, 2048},
    {"score", "goals", 0, 32767},
    {"score_other", "goals", 0, 32767},
    {"tick", "a game's ticks", 0, COUNTED},
};
static const observation_number ego_ball[CAROM_SOCCER_EGO_BALL] = {
    {"ahead", "the length", -4096, 4096},
    {"aside", "the length", -4096, 4096},
    {"v_ahead", "kick_speed", -ANY, ANY},
    {"v_aside", "kick_speed", -ANY, ANY},
    {"mine", "", 0, 1},
    {"held_by", "", -1, 1},
};
static const char *const others[SOCCER_ROBOTS - 1] = {
    "mate0",  "mate1",  "mate2",  "mate3",  "mate4",  "mate5",  "mate6",  "mate7",  "mate8",  "mate9",  "other0",
    "other1", "other2", "other3", "other4", "other5", "other6", "other7", "other8", "other9", "other10"};
static const observation_number ego_robot[CAROM_SOCCER_EGO_ROBOT] = {
    {"ahead", "the length", -4096, 4096}, {"aside", "the length", -4096, 4096}, {"v_ahead", "max_speed", -ANY, ANY},
    {"v_aside", "max_speed", -ANY, ANY},  {"cos_heading", "", -1, 1},           {"sin_heading", "", -1, 1},
};
static const observation_block ego[] = {{NULL, 1, ego_own, CAROM_SOCCER_EGO_OWN},
                                        {balls, SOCCER_BALLS, ego_ball, CAROM_SOCCER_EGO_BALL},
                                        {others, SOCCER_ROBOTS - 1, ego_robot, CAROM_SOCCER_EGO_ROBOT}};
static_assert(CAROM_SOCCER_EGO_OWN + SOCCER_BALLS * CAROM_SOCCER_EGO_BALL +
                      (SOCCER_ROBOTS - 1) * CAROM_SOCCER_EGO_ROBOT ==
                  CAROM_SOCCER_EGO,
              "every number");

/* `raw_body`: the numbers of `raw` as seen by each robot, its own first and its mates' next. */
static const char *const body_robots[SOCCER_ROBOTS] = {
    "own",    "mate0",  "mate1",  "mate2",  "mate3",  "mate4",  "mate5",  "mate6",  "mate7",  "mate8",  "mate9",
    "other0", "other1", "other2", "other3", "other4", "other5", "other6", "other7", "other8", "other9", "other10"};
static const observation_block raw_body[] = {
    {body_robots, SOCCER_ROBOTS, raw_robot, 8}, {balls, SOCCER_BALLS, raw_ball, 5}, {NULL, 1, raw_rest, 3}};

/* Where the rows that the kernel writes for `raw` belong for robot k of a player: its own 8 numbers go first, the k
 * robots before it move up by 8, and the rest stays. */
#define ROW CAROM_SOCCER_OBSERVATION
#define ROBOT(player, k)                                                                                               \
    {(player) * ROW + 8 * (k), 8, {(player) * SOCCER_TEAM + (k), -1}, {0, 0}},                                         \
        {(player) * ROW, 8 * (k), {(player) * SOCCER_TEAM + (k), -1}, {8, 0}},                                         \
        {(player) * ROW + 8 * (k) + 8, ROW - 8 - 8 * (k), {(player) * SOCCER_TEAM + (k), -1}, {8 + 8 * (k), 0}},
#define ROBOTS(player)                                                                                                 \
    ROBOT(player, 0)                                                                                                   \
    ROBOT(player, 1)                                                                                                   \
    ROBOT(player, 2)                                                                                                   \
    ROBOT(player, 3)                                                                                                   \
    ROBOT(player, 4)                                                                                                   \
    ROBOT(player, 5) ROBOT(player, 6) ROBOT(player, 7) ROBOT(player, 8) ROBOT(player, 9) ROBOT(player, 10)
static const observation_piece raw_body_pieces[] = {ROBOTS(0) ROBOTS(1)};
static_assert(sizeof raw_body_pieces / sizeof raw_body_pieces[0] <= OBSERVATION_PIECES,
              "not more than a call has room for");

/* `lidar`: a robot's own numbers as in `ego`, then its rays. */
static const char *const rays[CAROM_SOCCER_LIDAR_RAYS] = {"ray0",  "ray1",  "ray2",  "ray3", "ray4",  "ray5",
                                                          "ray6",  "ray7",  "ray8",  "ray9", "ray10", "ray11",
                                                          "ray12", "ray13", "ray14", "ray15"};
static const observation_number ray[3 + SOCCER_LIDAR_THINGS] = {
    {"distance", "the length", 0, 1},
    {"mate", "", 0, 1},
    {"other", "", 0, 1},
    {"ball", "", 0, 1},
    {"wall", "", 0, 1},
    {"goal", "", 0, 1},
    {"own_goal", "", 0, 1},
    {"away", "max_speed", -ANY, ANY},
    {"aside", "max_speed", -ANY, ANY},
};
static const observation_block lidar[] = {{NULL, 1, ego_own, CAROM_SOCCER_EGO_OWN},
                                          {rays, CAROM_SOCCER_LIDAR_RAYS, ray, 3 + SOCCER_LIDAR_THINGS}};
static_assert(CAROM_SOCCER_EGO_OWN + CAROM_SOCCER_LIDAR_RAYS * (3 + SOCCER_LIDAR_THINGS) == CAROM_SOCCER_LIDAR,
              "every number");

static const observation_kind observations[] = {
    {{"raw", 1, CAROM_SOCCER_OBSERVATION}, raw, 3, 0, false, NULL, 0},
    {{"ego", SOCCER_TEAM, CAROM_SOCCER_EGO}, ego, 3, 1, false, NULL, 0},
    {{"raw_body", SOCCER_TEAM, CAROM_SOCCER_OBSERVATION},
     raw_body,
     3,
     0,
     false,
     raw_body_pieces,
     sizeof raw_body_pieces / sizeof raw_body_pieces[0]},
    {{"lidar", SOCCER_TEAM, CAROM_SOCCER_LIDAR}, lidar, 2, GAME_VIEW_LIDAR, false, NULL, 0},
};

/* The named final value, as weights of features. */
static const carom_value_weight value_match[CAROM_SOCCER_VALUE_WEIGHTS] = {
    GAME_WEIGHT("ball", 2, "the ball's position towards the other's goal, in lengths of the field"),
    GAME_WEIGHT("speed", 1, "its speed towards it, in the speed of a kick"),
    GAME_WEIGHT("near", 1, "distance of the own robot nearest to the ball, in lengths"),
    GAME_WEIGHT("rivals", 0.3, "distance of the other's robot nearest to it"),
    GAME_WEIGHT("held", 0.1, "1 if an own robot dribbles the ball, -1 if one of the other's does"),
    GAME_WEIGHT("behind", 0.1, "whether that robot is behind the ball, seen from the other's goal: -1 to 1"),
};
static const game_value values[] = {{"match", value_match, CAROM_SOCCER_VALUE_WEIGHTS}};

CAROM_KERNEL_OF(game_kernel, soccer)
CAROM_KERNELS(policy_kernels, policy_kernel, soccer_policy, );

static size_t context_image(const void *context, void *to, uint64_t address)
{
    (void)address;
    return world_flat_image(context, to, sizeof(soccer_context));
}

const carom_game carom_game_soccer = {
    .type =
        {
            .name = "soccer",
            .fields = fields,
            .field_count = sizeof fields / sizeof fields[0],
            .context_bytes = carom_soccer_context_bytes,
            .context_create = carom_soccer_context_create,
            .context_destroy = carom_soccer_context_destroy,
            .context_hash = carom_soccer_context_hash,
            .context_image = context_image,
            .ops = GAME_OPS(soccer),
            .scratch_bytes = carom_game_scratch_bytes,
        },
    .info =
        {
            .name = "soccer",
            .title = "Robot soccer",
            .players = 2,
            .bodies = SOCCER_BODIES,
            .max_events = CAROM_SOCCER_EVENTS - 1,
            .observation_size = CAROM_SOCCER_OBSERVATION,
            .action_kinds = SOCCER_KINDS,
            .policies = sizeof policies / sizeof policies[0],
            .observation_kinds = sizeof observations / sizeof observations[0],
            .counts = "goals",
        },
    .kinds = kinds,
    .policies = policies,
    .kernel = kernel_of,
    .observations = observations,
    .agents = SOCCER_TEAM,
    .mixes = true,
    .look = &carom_soccer_look,
    .values = values,
    .value_kinds = sizeof values / sizeof values[0],
    .lane_policies = policy_kernels,
    .options = &carom_soccer_table,
};
