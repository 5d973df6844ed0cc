/* SPDX-License-Identifier: MIT
 * The game's table: kinds of actions and observations, names and ranges of their numbers, final values, and the hooks.
 */
#include "games/csb/csb.h"

#include <assert.h>

static const field_spec fields[] = WORLD_FIELD_TABLE(CSB_FIELDS);

static const carom_action_kind kinds[CSB_KINDS] = {
    [CSB_RELATIVE] = {"relative", CAROM_F32, 4},
    [CSB_REFEREE] = {"referee", CAROM_F64, 6},
    [CSB_NORMALISED] = {"normalised", CAROM_F32, 4},
    [CSB_FULL] = {"normalised_full", CAROM_F32, 6},
};

static const char *const policies[] = {"race", "random", "ram", "pile", "drive"}; /* in the order of policy_kernel.c */

/* ---- observations ----
 *
 * The ranges follow from those of the state: in f64 positions within 2^26 and velocities within 2^27; checkpoints
 * within 2^24; timeouts are any int16. */

#define X_MOST 4194.304f         /* 2^26 / 16000 */
#define Y_MOST 7456.5405f        /* 2^26 / 9000 */
#define V_MOST 134217.73f        /* 2^27 / 1000 */
#define FAR_X 5242.88f           /* (2^26 + 2^24) / 16000, of a difference of two positions */
#define CLOCK_MOST 2147483648.0f /* 2^31, above any count of ticks */
#define TIME_MOST 327.68f        /* 2^15 / 100 */

static const char *const raw_pods[] = {"own0", "own1", "other0", "other1"};
static const observation_number raw_pod[CAROM_CSB_OBSERVATION_POD] = {
    {"x", "16000 units", -X_MOST, X_MOST},
    {"y", "9000 units", -Y_MOST, Y_MOST},
    {"vx", "1000 units a tick", -V_MOST, V_MOST},
    {"vy", "1000 units a tick", -V_MOST, V_MOST},
    {"cos_angle", "", -1, 1},
    {"sin_angle", "", -1, 1},
    {"next_dx", "16000 units", -FAR_X, FAR_X},
    {"next_dy", "16000 units", -FAR_X, FAR_X},
    {"after_dx", "16000 units", -FAR_X, FAR_X},
    {"after_dy", "16000 units", -FAR_X, FAR_X},
    {"next", "all checkpoints", 0, 1},
    {"shield", "3 ticks", 0, 1},
    {"boosted", "", 0, 1},
};
static const observation_number raw_rest[] = {
    {"timeout", "100 ticks", -TIME_MOST, TIME_MOST},
    {"timeout_other", "100 ticks", -TIME_MOST, TIME_MOST},
    {"tick", "a game's ticks", 0, CLOCK_MOST},
};
static const observation_block raw[] = {{raw_pods, CSB_PODS, raw_pod, CAROM_CSB_OBSERVATION_POD},
                                        {NULL, 1, raw_rest, 3}};

static const observation_number ego_own[CAROM_CSB_EGO_OWN] = {
    {"v_ahead", "1000 units a tick", -190000, 190000},
    {"v_aside", "1000 units a tick", -190000, 190000},
    {"next_ahead", "", -1, 1},
    {"next_aside", "", -1, 1},
    {"next_distance", "20000 units", 0, 6000},
    {"after_ahead", "", -1, 1},
    {"after_aside", "", -1, 1},
    {"after_distance", "20000 units", 0, 6000},
    {"shield", "3 ticks", 0, 1},
    {"boosted", "", 0, 1},
    {"next", "all checkpoints", 0, 1},
    {"timeout", "100 ticks", -TIME_MOST, TIME_MOST},
    {"timeout_other", "100 ticks", -TIME_MOST, TIME_MOST},
    {"tick", "a game's ticks", 0, CLOCK_MOST},
};
static const char *const ego_pods[] = {"mate", "other0", "other1"};
static const observation_number ego_pod[CAROM_CSB_EGO_POD] = {
    {"ahead", "16000 units", -12000, 12000},
    {"aside", "16000 units", -12000, 12000},
    {"v_ahead", "1000 units a tick", -380000, 380000},
    {"v_aside", "1000 units a tick", -380000, 380000},
    {"cos_heading", "", -1, 1},
    {"sin_heading", "", -1, 1},
    {"shield", "3 ticks", 0, 1},
    {"progress", "a checkpoint", -32768, 32768},
};

/* Final values, as weights of features: a runner's and a guard's, set by hand; both, as found by `carom tune`; and both
 * minus the gain of the other side's guard (docs/notes/search.md, "Weights"). */
#define CSB_VALUE(name, progress, speed, facing, guard, rival, gate, near, watch, won, at_own_gate, at_own)            \
    static const carom_value_weight name[CAROM_CSB_VALUE_WEIGHTS] = {                                                  \
        GAME_WEIGHT("progress", progress, "of the own runner, the pod ahead, in checkpoints; the other is the guard"), \
        GAME_WEIGHT("speed", speed, "its speed towards its checkpoint, in 1000 units a turn"),                         \
        GAME_WEIGHT("facing", facing, "whether it looks at its checkpoint: -1 to 1"),                                  \
        GAME_WEIGHT("guard_progress", guard, "progress of the guard"),                                                 \
        GAME_WEIGHT("rival_progress", rival, "progress of the other side's runner, the rival"),                        \
        GAME_WEIGHT("guard_at_gate", gate,                                                                             \
                    "how near the guard is to the rival's checkpoint: 1 there, 0 at 16000 units"),                     \
        GAME_WEIGHT("guard_at_rival", near, "how near it is to the rival"),                                            \
        GAME_WEIGHT("guard_facing", watch, "whether it looks at the rival: -1 to 1"),                                  \
        GAME_WEIGHT("won", won, "1 if the game is won, -1 if it is lost"),                                             \
        GAME_WEIGHT("gate_guarded", at_own_gate, "how near the other side's guard is to the own runner's checkpoint"), \
        GAME_WEIGHT("runner_guarded", at_own, "how near it is to the own runner")};
CSB_VALUE(value_race, 1, 0.05, 0.02, 0, 0, 0, 0, 0, 10, 0, 0)
CSB_VALUE(value_block, 0, 0, 0, 0, -1, 0.5, 0.2, 0.02, 10, 0, 0)
CSB_VALUE(value_both, 1.15, 0.0214, 0.0261, 0, -0.846, 0.499, 0.297, 0.0138, 11.8, 0, 0)
CSB_VALUE(value_duel, 1.08, 0.026, 0.0742, 0, -1.1, 0.443, 0.299, 0.0186, 16.7, -0.694, -0.157)
#undef CSB_VALUE
static const game_value csb_values[] = {{"race", value_race, CAROM_CSB_VALUE_WEIGHTS},
                                        {"block", value_block, CAROM_CSB_VALUE_WEIGHTS},
                                        {"both", value_both, CAROM_CSB_VALUE_WEIGHTS},
                                        {"duel", value_duel, CAROM_CSB_VALUE_WEIGHTS}};

static const observation_block ego[] = {{NULL, 1, ego_own, CAROM_CSB_EGO_OWN},
                                        {ego_pods, 3, ego_pod, CAROM_CSB_EGO_POD}};
static_assert(CAROM_CSB_EGO_OWN + 3 * CAROM_CSB_EGO_POD == CAROM_CSB_EGO, "every number");

/* Where the rows that the kernel writes for both players at once belong in a view of `raw`: each player's own pods come
 * first. See CSB_SHARED_PODS in csb.h. */
#define HALF (CSB_SHARED_PODS / 2)
#define END (CAROM_CSB_OBSERVATION - CSB_SHARED_END) /* where the last part of a view begins */
static const observation_piece raw_pieces[] = {
    {0, HALF, {0, 1}, {0, HALF}},
    {HALF, HALF, {0, 1}, {HALF, 0}},
    {END, CSB_SHARED_END, {0, -1}, {END, 0}},
    {CSB_SHARED_PODS + CSB_SHARED_REST, CSB_SHARED_END, {1, -1}, {END, 0}},
};

/* `raw_body`: the numbers of `raw` as seen by each pod, its own first and its mate's next. */
static const char *const body_pods[] = {"own", "mate", "other0", "other1"};
static const observation_block raw_body[] = {{body_pods, CSB_PODS, raw_pod, CAROM_CSB_OBSERVATION_POD},
                                             {NULL, 1, raw_rest, 3}};
#define POD CAROM_CSB_OBSERVATION_POD
static const observation_piece raw_body_pieces[] = {
    {0, CAROM_CSB_OBSERVATION, {0, -1}, {0, 0}},
    {POD, POD, {1, -1}, {0, 0}},
    {0, POD, {1, -1}, {POD, 0}},
    {HALF, HALF + CSB_SHARED_REST, {1, -1}, {HALF, 0}},
    {HALF, HALF, {2, -1}, {0, 0}},
    {HALF + POD, POD, {3, -1}, {0, 0}},
    {HALF, POD, {3, -1}, {POD, 0}},
    {0, HALF, {2, 3}, {HALF, HALF}},
    {CSB_SHARED_PODS + CSB_SHARED_REST, CSB_SHARED_END, {2, 3}, {END, END}},
};

/* `lidar`: a pod's own numbers as in `ego`, then its rays. */
static const char *const rays[CAROM_CSB_LIDAR_RAYS] = {"ray0",  "ray1",  "ray2",  "ray3", "ray4",  "ray5",
                                                       "ray6",  "ray7",  "ray8",  "ray9", "ray10", "ray11",
                                                       "ray12", "ray13", "ray14", "ray15"};
static const observation_number ray[3 + CSB_LIDAR_THINGS] = {
    {"distance", "8000 units", 0, 1},
    {"mate", "", 0, 1},
    {"other", "", 0, 1},
    {"away", "1000 units a tick", -380000, 380000},
    {"aside", "1000 units a tick", -380000, 380000},
};
static const observation_block lidar[] = {{NULL, 1, ego_own, CAROM_CSB_EGO_OWN},
                                          {rays, CAROM_CSB_LIDAR_RAYS, ray, 3 + CSB_LIDAR_THINGS}};
static_assert(CAROM_CSB_EGO_OWN + CAROM_CSB_LIDAR_RAYS * (3 + CSB_LIDAR_THINGS) == CAROM_CSB_LIDAR, "every number");

static const observation_kind observations[] = {
    {{"raw", 1, CAROM_CSB_OBSERVATION}, raw, 2, 0, true, raw_pieces, sizeof raw_pieces / sizeof raw_pieces[0]},
    {{"ego", CSB_PODS / 2, CAROM_CSB_EGO}, ego, 2, 1, false, NULL, 0},
    {{"raw_body", CSB_PODS / 2, CAROM_CSB_OBSERVATION},
     raw_body,
     2,
     0,
     true,
     raw_body_pieces,
     sizeof raw_body_pieces / sizeof raw_body_pieces[0]},
    {{"lidar", CSB_PODS / 2, CAROM_CSB_LIDAR}, lidar, 2, GAME_VIEW_LIDAR, false, NULL, 0},
};

CAROM_KERNEL_OF(game_kernel, csb)
CAROM_KERNELS(policy_kernels, policy_kernel, csb_policy, );

const carom_game carom_game_csb = {
    .type =
        {
            .name = "csb",
            .fields = fields,
            .field_count = sizeof fields / sizeof fields[0],
            .context_bytes = carom_csb_context_bytes,
            .context_create = carom_csb_context_create,
            .context_destroy = carom_csb_context_destroy,
            .context_hash = carom_csb_context_hash,
            .context_image = carom_csb_context_image,
            .ops = GAME_OPS(csb),
            .scratch_bytes = carom_game_scratch_bytes,
        },
    .info =
        {
            .name = "csb",
            .title = "Coders Strike Back",
            .players = 2,
            .bodies = CSB_PODS,
            .max_events = CSB_SUBSTEPS - 1,
            .observation_size = CAROM_CSB_OBSERVATION,
            .action_kinds = CSB_KINDS,
            .policies = sizeof policies / sizeof policies[0],
            .observation_kinds = sizeof observations / sizeof observations[0],
            .counts = "checkpoints passed",
        },
    .kinds = kinds,
    .policies = policies,
    .kernel = kernel_of,
    .lane_policies = policy_kernels,
    .observations = observations,
    .agents = CSB_PODS / 2,
    .mixes = true,
    .look = &carom_csb_look,
    .values = csb_values,
    .value_kinds = sizeof csb_values / sizeof csb_values[0],
    .options = &carom_csb_table,
};
