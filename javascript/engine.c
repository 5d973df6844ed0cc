/* SPDX-License-Identifier: MIT
 * The parts of the WebAssembly module in addition to the library's functions: the layout of structures, which
 * JavaScript reads and fills, and hooks that call back into JavaScript. exports.txt lists the library functions that
 * the module exports.
 */
#include <carom/carom.h>

#include "picture/picture.h"

#define EXPORT __attribute__((visibility("default"))) /* see also exports.txt */

/* ---- structures ---- */

/* The type of a member, as a letter. */
#define LETTER(member)                                                                                                 \
    _Generic((member),                                                                                                 \
        bool: 'b',                                                                                                     \
        char *: 't',                                                                                                   \
        int8_t: 'c',                                                                                                   \
        int32_t: 'i',                                                                                                  \
        uint32_t: 'u',                                                                                                 \
        size_t: 'u',                                                                                                   \
        uint64_t: 'w',                                                                                                 \
        float: 'f',                                                                                                    \
        double: 'd',                                                                                                   \
        const char *: 's',                                                                                             \
        default: 'u') /* pointers */

typedef struct member {
    const char *name;
    uint32_t offset, bytes;
    char letter;
} member;

/* A line of the table: a structure (with an empty member name), then its members. */
#define STRUCTURE(type) {#type, 0, sizeof(type), '{'}
#define MEMBER(type, name) {#name, offsetof(type, name), sizeof(((type *)0)->name), LETTER(((type *)0)->name)}

/* An array of numbers of one kind. */
#define ARRAY(type, name, letter) {#name, offsetof(type, name), sizeof(((type *)0)->name), letter}

/* The elements of a structure's array of players, as a separate structure. */
#define PLAYER(type, name)                                                                                             \
    {#name, offsetof(type, players[0].name) - offsetof(type, players), sizeof(((type *)0)->players[0].name),           \
     LETTER(((type *)0)->players[0].name)}

#define ELITE(name)                                                                                                    \
    {"elites." #name, offsetof(carom_rollout_desc, elites.name), sizeof(((carom_rollout_desc *)0)->elites.name),       \
     LETTER(((carom_rollout_desc *)0)->elites.name)}

static const member members[] = {
    STRUCTURE(carom_problem),
    MEMBER(carom_problem, text),

    STRUCTURE(carom_worlds_desc),
    MEMBER(carom_worlds_desc, game),
    MEMBER(carom_worlds_desc, options),
    MEMBER(carom_worlds_desc, count),
    MEMBER(carom_worlds_desc, precision),
    MEMBER(carom_worlds_desc, isa),
    MEMBER(carom_worlds_desc, threads),
    MEMBER(carom_worlds_desc, seed),
    MEMBER(carom_worlds_desc, first_id),
    MEMBER(carom_worlds_desc, at_end),

    STRUCTURE(carom_field),
    MEMBER(carom_field, name),
    MEMBER(carom_field, type),
    MEMBER(carom_field, role),
    MEMBER(carom_field, count),
    MEMBER(carom_field, bytes),

    STRUCTURE(carom_view),
    MEMBER(carom_view, data),
    MEMBER(carom_view, type),
    MEMBER(carom_view, worlds),
    MEMBER(carom_view, elements),
    MEMBER(carom_view, lanes),
    MEMBER(carom_view, tile_stride),
    MEMBER(carom_view, element_stride),
    MEMBER(carom_view, lane_stride),

    STRUCTURE(carom_counters),
    MEMBER(carom_counters, ticks),
    MEMBER(carom_counters, events),
    MEMBER(carom_counters, games),
    MEMBER(carom_counters, goals),
    MEMBER(carom_counters, faults),

    STRUCTURE(carom_game_info),
    MEMBER(carom_game_info, name),
    MEMBER(carom_game_info, title),
    MEMBER(carom_game_info, players),
    MEMBER(carom_game_info, bodies),
    MEMBER(carom_game_info, max_events),
    MEMBER(carom_game_info, action_kinds),
    MEMBER(carom_game_info, policies),
    MEMBER(carom_game_info, observation_kinds),
    MEMBER(carom_game_info, reward_kinds),
    MEMBER(carom_game_info, counts),

    STRUCTURE(carom_option),
    MEMBER(carom_option, name),
    MEMBER(carom_option, meaning),
    MEMBER(carom_option, type),
    MEMBER(carom_option, offset),
    MEMBER(carom_option, bytes),
    MEMBER(carom_option, value),
    MEMBER(carom_option, low),
    MEMBER(carom_option, high),
    MEMBER(carom_option, below),
    MEMBER(carom_option, choices),
    MEMBER(carom_option, count_offset),
    MEMBER(carom_option, item_bytes),

    STRUCTURE(carom_action_kind),
    MEMBER(carom_action_kind, name),
    MEMBER(carom_action_kind, precision),
    MEMBER(carom_action_kind, size),

    STRUCTURE(carom_observation_kind),
    MEMBER(carom_observation_kind, name),
    MEMBER(carom_observation_kind, agents),
    MEMBER(carom_observation_kind, size),

    STRUCTURE(carom_number),
    MEMBER(carom_number, name),
    MEMBER(carom_number, unit),
    MEMBER(carom_number, low),
    MEMBER(carom_number, high),

    STRUCTURE(carom_reward_kind),
    MEMBER(carom_reward_kind, name),
    MEMBER(carom_reward_kind, agents),

    STRUCTURE(carom_value_kind),
    MEMBER(carom_value_kind, name),
    MEMBER(carom_value_kind, weights),

    STRUCTURE(carom_value_weight),
    MEMBER(carom_value_weight, name),
    MEMBER(carom_value_weight, weight),
    MEMBER(carom_value_weight, meaning),

    STRUCTURE(carom_csb_map),
    MEMBER(carom_csb_map, checkpoints),
    MEMBER(carom_csb_map, count),
    MEMBER(carom_csb_map, laps),

    STRUCTURE(carom_fall_body),
    MEMBER(carom_fall_body, x),
    MEMBER(carom_fall_body, y),
    MEMBER(carom_fall_body, vx),
    MEMBER(carom_fall_body, vy),
    MEMBER(carom_fall_body, ax),
    MEMBER(carom_fall_body, ay),
    MEMBER(carom_fall_body, radius),
    MEMBER(carom_fall_body, mass),
    MEMBER(carom_fall_body, fixed),
    MEMBER(carom_fall_body, corner_count),
    ARRAY(carom_fall_body, corners, 'd'),

    STRUCTURE(carom_event),
    MEMBER(carom_event, left),
    MEMBER(carom_event, first),
    MEMBER(carom_event, second),
    MEMBER(carom_event, part),
    MEMBER(carom_event, kind),
    MEMBER(carom_event, x),
    MEMBER(carom_event, y),
    MEMBER(carom_event, nx),
    MEMBER(carom_event, ny),
    MEMBER(carom_event, impulse),

    STRUCTURE(carom_contact),
    MEMBER(carom_contact, x),
    MEMBER(carom_contact, y),
    MEMBER(carom_contact, nx),
    MEMBER(carom_contact, ny),
    MEMBER(carom_contact, impulse),
    ARRAY(carom_contact, time, 'd'),
    ARRAY(carom_contact, centre, 'd'),
    ARRAY(carom_contact, before, 'd'),
    ARRAY(carom_contact, after, 'd'),

    STRUCTURE(carom_result),
    MEMBER(carom_result, winner),
    MEMBER(carom_result, ticks),
    ARRAY(carom_result, score, 'i'),
    MEMBER(carom_result, fault),
    ARRAY(carom_result, returns, 'd'),

    STRUCTURE(carom_step),
    MEMBER(carom_step, ticks),
    MEMBER(carom_step, action_kind),
    MEMBER(carom_step, dt),
    MEMBER(carom_step, actions),
    MEMBER(carom_step, action_rows),
    MEMBER(carom_step, rows),
    MEMBER(carom_step, observations),
    MEMBER(carom_step, last_observations),
    MEMBER(carom_step, rewards),
    MEMBER(carom_step, ends),
    MEMBER(carom_step, events),
    MEMBER(carom_step, event_counts),
    MEMBER(carom_step, event_capacity),
    MEMBER(carom_step, contacts),
    MEMBER(carom_step, moved),
    ARRAY(carom_step, players, 'p'),
    MEMBER(carom_step, first),
    MEMBER(carom_step, count),
    MEMBER(carom_step, skip),
    MEMBER(carom_step, repeat),
    MEMBER(carom_step, at_end),
    MEMBER(carom_step, observation_kind),
    MEMBER(carom_step, reward_kind),
    MEMBER(carom_step, observed),
    MEMBER(carom_step, observation_rows),
    MEMBER(carom_step, places),
    MEMBER(carom_step, results),
    MEMBER(carom_step, played),

    {"carom_step.players", 0, sizeof(((carom_step *)0)->players[0]), '{'},
    PLAYER(carom_step, source),
    PLAYER(carom_step, policy),
    PLAYER(carom_step, actions),
    PLAYER(carom_step, action_kind),

    STRUCTURE(carom_rollout_desc),
    MEMBER(carom_rollout_desc, sequences),
    MEMBER(carom_rollout_desc, horizon),
    MEMBER(carom_rollout_desc, action_kind),
    MEMBER(carom_rollout_desc, seed),
    MEMBER(carom_rollout_desc, discount),
    MEMBER(carom_rollout_desc, final_weight),
    ARRAY(carom_rollout_desc, players, 'p'),
    MEMBER(carom_rollout_desc, reward_weight),
    MEMBER(carom_rollout_desc, value_at_end),
    MEMBER(carom_rollout_desc, value),
    MEMBER(carom_rollout_desc, weights),
    MEMBER(carom_rollout_desc, horizons),
    MEMBER(carom_rollout_desc, observation_kind),
    MEMBER(carom_rollout_desc, reward_kind),
    MEMBER(carom_rollout_desc, observed),
    MEMBER(carom_rollout_desc, rewards),
    MEMBER(carom_rollout_desc, lengths),
    MEMBER(carom_rollout_desc, depths),
    MEMBER(carom_rollout_desc, depth_count),
    MEMBER(carom_rollout_desc, observations),
    ELITE(count),
    ELITE(player),
    ELITE(best),
    ELITE(mean),
    ELITE(sigma),

    {"carom_rollout_desc.players", 0, sizeof(((carom_rollout_desc *)0)->players[0]), '{'},
    PLAYER(carom_rollout_desc, source),
    PLAYER(carom_rollout_desc, actions),
    PLAYER(carom_rollout_desc, policy),
    PLAYER(carom_rollout_desc, hold),
    PLAYER(carom_rollout_desc, mean),
    PLAYER(carom_rollout_desc, sigma),
    PLAYER(carom_rollout_desc, low),
    PLAYER(carom_rollout_desc, high),

    STRUCTURE(carom_search_desc),
    MEMBER(carom_search_desc, planner),
    MEMBER(carom_search_desc, player),
    MEMBER(carom_search_desc, action_kind),
    MEMBER(carom_search_desc, sequences),
    MEMBER(carom_search_desc, horizon),
    MEMBER(carom_search_desc, hold),
    MEMBER(carom_search_desc, low),
    MEMBER(carom_search_desc, high),
    MEMBER(carom_search_desc, seed),
    MEMBER(carom_search_desc, rollouts),
    MEMBER(carom_search_desc, milliseconds),
    MEMBER(carom_search_desc, generations),
    MEMBER(carom_search_desc, discount),
    MEMBER(carom_search_desc, reward_weight),
    MEMBER(carom_search_desc, final_weight),
    MEMBER(carom_search_desc, value_at_end),
    MEMBER(carom_search_desc, value_kind),
    MEMBER(carom_search_desc, weights),
    MEMBER(carom_search_desc, observation_kind),
    MEMBER(carom_search_desc, reward_kind),
    MEMBER(carom_search_desc, observed),
    MEMBER(carom_search_desc, elites),
    MEMBER(carom_search_desc, sigma),
    MEMBER(carom_search_desc, sigma_least),
    MEMBER(carom_search_desc, keep),
    MEMBER(carom_search_desc, mutation),
    MEMBER(carom_search_desc, mutation_spread),
    MEMBER(carom_search_desc, temperature),
    MEMBER(carom_search_desc, other_share),
    MEMBER(carom_search_desc, other_rounds),
    MEMBER(carom_search_desc, candidates),
    MEMBER(carom_search_desc, candidate_count),
    MEMBER(carom_search_desc, against),
    MEMBER(carom_search_desc, cut_after),
    MEMBER(carom_search_desc, cut_keep),
    MEMBER(carom_search_desc, cancel),

    STRUCTURE(carom_candidate),
    MEMBER(carom_candidate, other),
    MEMBER(carom_candidate, policy),

    STRUCTURE(carom_search_report),
    MEMBER(carom_search_report, rollouts),
    MEMBER(carom_search_report, ticks),
    MEMBER(carom_search_report, generations),
    MEMBER(carom_search_report, seconds),
    MEMBER(carom_search_report, cut),
    MEMBER(carom_search_report, pause),

    STRUCTURE(carom_search_generation),
    MEMBER(carom_search_generation, player),
    MEMBER(carom_search_generation, rollouts),
    MEMBER(carom_search_generation, ticks),
    MEMBER(carom_search_generation, best),
    MEMBER(carom_search_generation, mean),
    MEMBER(carom_search_generation, spread),
    MEMBER(carom_search_generation, seconds),
    MEMBER(carom_search_generation, cut),

    STRUCTURE(carom_search_drawn),
    MEMBER(carom_search_drawn, generation),
    MEMBER(carom_search_drawn, player),
    MEMBER(carom_search_drawn, sequences),

    STRUCTURE(carom_look_view),
    MEMBER(carom_look_view, x0),
    MEMBER(carom_look_view, y0),
    MEMBER(carom_look_view, x1),
    MEMBER(carom_look_view, y1),
    MEMBER(carom_look_view, y_down),
    MEMBER(carom_look_view, timed),
    MEMBER(carom_look_view, placed),
    MEMBER(carom_look_view, dt),
    MEMBER(carom_look_view, wrap_x),
    MEMBER(carom_look_view, wrap_y),

    STRUCTURE(carom_look_shape),
    MEMBER(carom_look_shape, kind),
    MEMBER(carom_look_shape, style),
    MEMBER(carom_look_shape, x),
    MEMBER(carom_look_shape, y),
    MEMBER(carom_look_shape, x2),
    MEMBER(carom_look_shape, y2),
    MEMBER(carom_look_shape, radius),
    MEMBER(carom_look_shape, text),

    STRUCTURE(carom_look_body),
    MEMBER(carom_look_body, name),
    MEMBER(carom_look_body, number),
    MEMBER(carom_look_body, id),
    MEMBER(carom_look_body, there),
    MEMBER(carom_look_body, has_facing),
    MEMBER(carom_look_body, style),
    MEMBER(carom_look_body, x),
    MEMBER(carom_look_body, y),
    MEMBER(carom_look_body, vx),
    MEMBER(carom_look_body, vy),
    MEMBER(carom_look_body, radius),
    MEMBER(carom_look_body, mass),
    MEMBER(carom_look_body, facing),
    MEMBER(carom_look_body, ax),
    MEMBER(carom_look_body, ay),

    STRUCTURE(theme),
    MEMBER(theme, name),
    MEMBER(theme, ground),
    MEMBER(theme, text),
    MEMBER(theme, faint),
    MEMBER(theme, impact),
    ARRAY(theme, ghost, 'u'),
    ARRAY(theme, style, 'u'),

    STRUCTURE(carom_look_number),
    MEMBER(carom_look_number, name),
    MEMBER(carom_look_number, player),
    MEMBER(carom_look_number, value),

    STRUCTURE(carom_picture_desc),
    MEMBER(carom_picture_desc, width),
    MEMBER(carom_picture_desc, dark),
    MEMBER(carom_picture_desc, captions),

    STRUCTURE(carom_query),
    MEMBER(carom_query, world),
    MEMBER(carom_query, x),
    MEMBER(carom_query, y),
    MEMBER(carom_query, dx),
    MEMBER(carom_query, dy),
    MEMBER(carom_query, radius),
    MEMBER(carom_query, range),
    MEMBER(carom_query, category),
    MEMBER(carom_query, mask),
    MEMBER(carom_query, ignore),
    MEMBER(carom_query, sensors),

    STRUCTURE(carom_found),
    MEMBER(carom_found, kind),
    MEMBER(carom_found, index),
    MEMBER(carom_found, part),
    MEMBER(carom_found, inside),
    MEMBER(carom_found, distance),
    MEMBER(carom_found, x),
    MEMBER(carom_found, y),
    MEMBER(carom_found, nx),
    MEMBER(carom_found, ny),

    STRUCTURE(carom_replay_info),
    MEMBER(carom_replay_info, game),
    MEMBER(carom_replay_info, scene),
    MEMBER(carom_replay_info, precision),
    MEMBER(carom_replay_info, at_end),
    MEMBER(carom_replay_info, seed),
    MEMBER(carom_replay_info, worlds),
    MEMBER(carom_replay_info, ticks),
    MEMBER(carom_replay_info, whole),
    MEMBER(carom_replay_info, keyframes),
    MEMBER(carom_replay_info, notes),

    STRUCTURE(carom_replay_note),
    MEMBER(carom_replay_note, kind),
    MEMBER(carom_replay_note, tick),
    MEMBER(carom_replay_note, world),
    MEMBER(carom_replay_note, player),
    ARRAY(carom_replay_note, text, 'u'),
    MEMBER(carom_replay_note, length),

    STRUCTURE(carom_replay_difference),
    MEMBER(carom_replay_difference, found),
    MEMBER(carom_replay_difference, ticks),
    MEMBER(carom_replay_difference, world),
    MEMBER(carom_replay_difference, id),
    MEMBER(carom_replay_difference, field),
    MEMBER(carom_replay_difference, values),
    MEMBER(carom_replay_difference, element),
    MEMBER(carom_replay_difference, was),
    MEMBER(carom_replay_difference, is),

    STRUCTURE(carom_recorder_desc),
    MEMBER(carom_recorder_desc, worlds),
    MEMBER(carom_recorder_desc, count),
    MEMBER(carom_recorder_desc, options),
    MEMBER(carom_recorder_desc, keyframe_ticks),
    MEMBER(carom_recorder_desc, write),
    MEMBER(carom_recorder_desc, user),

    STRUCTURE(carom_gas_desc),
    MEMBER(carom_gas_desc, bodies),
    MEMBER(carom_gas_desc, packing),
    MEMBER(carom_gas_desc, box),
    MEMBER(carom_gas_desc, restitution),
    MEMBER(carom_gas_desc, seed),
    MEMBER(carom_gas_desc, precision),
    MEMBER(carom_gas_desc, isa),

    STRUCTURE(carom_gas_measures),
    MEMBER(carom_gas_measures, time),
    MEMBER(carom_gas_measures, collisions),
    MEMBER(carom_gas_measures, sides),
    MEMBER(carom_gas_measures, crossings),
    MEMBER(carom_gas_measures, energy),
    MEMBER(carom_gas_measures, energy_drift),
    MEMBER(carom_gas_measures, momentum_x),
    MEMBER(carom_gas_measures, momentum_y),
    MEMBER(carom_gas_measures, momentum_drift),
    MEMBER(carom_gas_measures, compressibility),
    MEMBER(carom_gas_measures, compressibility_error),
    MEMBER(carom_gas_measures, fault),

    STRUCTURE(carom_lab_desc),
    MEMBER(carom_lab_desc, bodies),
    MEMBER(carom_lab_desc, radii),
    MEMBER(carom_lab_desc, masses),
    MEMBER(carom_lab_desc, packing),
    MEMBER(carom_lab_desc, aspect),
    MEMBER(carom_lab_desc, horizontal),
    MEMBER(carom_lab_desc, vertical),
    MEMBER(carom_lab_desc, restitution),
    MEMBER(carom_lab_desc, ax),
    MEMBER(carom_lab_desc, ay),
    MEMBER(carom_lab_desc, start),
    MEMBER(carom_lab_desc, growth),
    MEMBER(carom_lab_desc, tick),
    MEMBER(carom_lab_desc, seed),
    MEMBER(carom_lab_desc, precision),
    MEMBER(carom_lab_desc, isa),

    STRUCTURE(carom_lab_info),
    MEMBER(carom_lab_info, bodies),
    MEMBER(carom_lab_info, radii),
    MEMBER(carom_lab_info, masses),
    MEMBER(carom_lab_info, width),
    MEMBER(carom_lab_info, height),
    MEMBER(carom_lab_info, periodic_x),
    MEMBER(carom_lab_info, periodic_y),
    MEMBER(carom_lab_info, isa),
    MEMBER(carom_lab_info, time),
    MEMBER(carom_lab_info, events),
    MEMBER(carom_lab_info, fault),
    MEMBER(carom_lab_info, gas),

    STRUCTURE(carom_lab_watcher),
    MEMBER(carom_lab_watcher, interval),
    MEMBER(carom_lab_watcher, sample),
    MEMBER(carom_lab_watcher, window),
    MEMBER(carom_lab_watcher, events),
    MEMBER(carom_lab_watcher, user),

    STRUCTURE(carom_lab_frame),
    MEMBER(carom_lab_frame, time),
    MEMBER(carom_lab_frame, index),
    MEMBER(carom_lab_frame, x),
    MEMBER(carom_lab_frame, y),
    MEMBER(carom_lab_frame, vx),
    MEMBER(carom_lab_frame, vy),
    MEMBER(carom_lab_frame, ux),
    MEMBER(carom_lab_frame, uy),

    STRUCTURE(carom_lab_event),
    MEMBER(carom_lab_event, time),
    MEMBER(carom_lab_event, x),
    MEMBER(carom_lab_event, y),
    MEMBER(carom_lab_event, jx),
    MEMBER(carom_lab_event, jy),
    MEMBER(carom_lab_event, first),
    MEMBER(carom_lab_event, second),
    MEMBER(carom_lab_event, kind),
    MEMBER(carom_lab_event, part),

    STRUCTURE(carom_impact),
    MEMBER(carom_impact, world_id),
    MEMBER(carom_impact, time),
    MEMBER(carom_impact, kind),
    MEMBER(carom_impact, first),
    MEMBER(carom_impact, second),
    MEMBER(carom_impact, part),
    MEMBER(carom_impact, x1),
    MEMBER(carom_impact, y1),
    MEMBER(carom_impact, x2),
    MEMBER(carom_impact, y2),
    MEMBER(carom_impact, nx),
    MEMBER(carom_impact, ny),
    MEMBER(carom_impact, inverse_mass1),
    MEMBER(carom_impact, inverse_mass2),
    MEMBER(carom_impact, vx1),
    MEMBER(carom_impact, vy1),
    MEMBER(carom_impact, vx2),
    MEMBER(carom_impact, vy2),

    STRUCTURE(carom_scene_range),
    MEMBER(carom_scene_range, first),
    MEMBER(carom_scene_range, count),
    MEMBER(carom_scene_range, stride),
    MEMBER(carom_scene_range, dt),
    MEMBER(carom_scene_range, tick),
    MEMBER(carom_scene_range, x64),
    MEMBER(carom_scene_range, y64),
    MEMBER(carom_scene_range, vx64),
    MEMBER(carom_scene_range, vy64),
    MEMBER(carom_scene_range, active),
    MEMBER(carom_scene_range, user),
    MEMBER(carom_scene_range, value),

    STRUCTURE(carom_series),
    MEMBER(carom_series, mean),
    MEMBER(carom_series, error),
    MEMBER(carom_series, block),
    MEMBER(carom_series, drift),
    MEMBER(carom_series, stationary),

    STRUCTURE(carom_wave),
    MEMBER(carom_wave, m),
    MEMBER(carom_wave, n),
    MEMBER(carom_wave, k),

    STRUCTURE(carom_region),
    MEMBER(carom_region, x0),
    MEMBER(carom_region, y0),
    MEMBER(carom_region, width),
    MEMBER(carom_region, height),
    MEMBER(carom_region, periodic_x),
    MEMBER(carom_region, periodic_y),

    STRUCTURE(carom_toi_variant_info),
    MEMBER(carom_toi_variant_info, name),
    MEMBER(carom_toi_variant_info, summary),
    MEMBER(carom_toi_variant_info, lanes),
    MEMBER(carom_toi_variant_info, exact),
};

/* The table above: *count lines of {name, offset, bytes, letter}, four words each. */
EXPORT const member *engine_members(uint32_t *count);

const member *engine_members(uint32_t *count)
{
    *count = sizeof members / sizeof members[0];
    return members;
}

/* The colours of pictures, light and dark. */
EXPORT const theme *engine_themes(void);

const theme *engine_themes(void)
{
    return carom_themes;
}

/* The start of the heap. Static data, including texts, comes before it. */
EXPORT const void *engine_heap(void);

const void *engine_heap(void)
{
    extern const char __heap_base;
    return &__heap_base;
}

/* ---- hooks ---- */

/* Imported from JavaScript: takes the next bytes of recording number `user`; 0 on failure. */
extern int engine_write(void *user, const void *bytes, size_t size);

static bool write_on(void *user, const void *bytes, size_t size)
{
    return engine_write(user, bytes, size) != 0;
}

/* Imported from JavaScript: passes a generation of search number `user` to its watch. */
extern void engine_watch(void *user, const carom_search *search, const carom_search_drawn *drawn);

static void watch_by(void *user, const carom_search *search, const carom_search_drawn *drawn)
{
    engine_watch(user, search, drawn);
}

/* The address of a carom_search_watch that calls engine_watch(). */
EXPORT carom_search_watch *engine_watcher(void);

carom_search_watch *engine_watcher(void)
{
    return watch_by;
}

/* The address of a carom_replay_write that calls engine_write(). */
EXPORT carom_replay_write *engine_writer(void);

carom_replay_write *engine_writer(void)
{
    return write_on;
}

/* Imported from JavaScript: the watchers of run number `user` of a laboratory; returning 0 ends it. */
extern int engine_sample(void *user, const carom_lab_frame *frame);
extern int engine_events(void *user, const carom_lab_event *events, size_t count);

static bool sample_by(void *user, const carom_lab_frame *frame)
{
    return engine_sample(user, frame) != 0;
}

static bool events_by(void *user, const carom_lab_event *events, size_t count)
{
    return engine_events(user, events, count) != 0;
}

/* Sets a watcher's functions: calls of engine_sample() and engine_events(), or none. */
EXPORT void engine_lab_watcher(carom_lab_watcher *watcher, bool samples, bool events);

void engine_lab_watcher(carom_lab_watcher *watcher, bool samples, bool events)
{
    watcher->sample = samples ? sample_by : NULL;
    watcher->events = events ? events_by : NULL;
}

/* Imported from JavaScript: hooks of scene number `user`; `what` is one of the bits below. */
extern void engine_respond(void *user, size_t count, carom_impact *impacts);
extern void engine_range(void *user, unsigned what, const carom_scene_range *range);

enum { HOOK_TICK = 1, HOOK_RESPONSE = 2, HOOK_REWARD = 4, HOOK_FINAL_VALUE = 8 };

static void respond_by(void *user, size_t count, carom_impact *impacts)
{
    engine_respond(user, count, impacts);
}

static void tick_by(void *user, const carom_scene_range *range)
{
    engine_range(user, HOOK_TICK, range);
}

static void reward_by(void *user, const carom_scene_range *range)
{
    engine_range(user, HOOK_REWARD, range);
}

static void final_value_by(void *user, const carom_scene_range *range)
{
    engine_range(user, HOOK_FINAL_VALUE, range);
}

/* A new scene: `plain` with the hooks whose bits are set in `hooks`. */
EXPORT carom_status engine_hook(const carom_scene *plain, unsigned hooks, void *user, carom_scene **scene,
                                carom_problem *problem);

carom_status engine_hook(const carom_scene *plain, unsigned hooks, void *user, carom_scene **scene,
                         carom_problem *problem)
{
    carom_scene_desc desc = *carom_scene_describe(plain);
    desc.user = user;
    if (hooks & HOOK_TICK) {
        desc.tick_hook = tick_by;
    }
    if (hooks & HOOK_RESPONSE) {
        desc.response_hook = respond_by;
    }
    if (hooks & HOOK_REWARD) {
        desc.reward.kind = CAROM_MEASURE_USER;
        desc.reward.hook = reward_by;
    }
    if (hooks & HOOK_FINAL_VALUE) {
        desc.final_value.kind = CAROM_MEASURE_USER;
        desc.final_value.hook = final_value_by;
    }
    return carom_scene_create(&desc, scene, problem);
}
