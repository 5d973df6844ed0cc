/* SPDX-License-Identifier: MIT
 * The tables of keys: see json.h.
 */
#include "scenes/json.h"

#include <string.h>

#define KEY(type, member, kind) {#member, kind, offsetof(type, member), NULL, NULL, NULL, NULL}
#define NAME(type, member, names) {#member, VALUE_NAME, offsetof(type, member), names, NULL, NULL, NULL}
#define POINT(name, first, second) {name, VALUE_POINT, 0, NULL, first, second, NULL}
#define MEMBERS(type, member, table) {#member, VALUE_MEMBERS, offsetof(type, member), NULL, NULL, NULL, &(table)}
#define APART(name) {name, VALUE_APART, 0, NULL, NULL, NULL, NULL}
#define TABLE(keys) {keys, sizeof keys / sizeof keys[0]}

static const char *const sides_names[] = {"open", "solid", "periodic", NULL};
static const char *const advance_names[] = {"own_clock", "advance_all", NULL};
static const char *const engine_names[] = {"auto", "wide", "deep", NULL};
static const char *const action_names[] = {"impulse", "velocity", "acceleration", NULL};
static const char *const rule_names[] = {"meets_body",   "meets_side", "meets_wall",  "meets_polygon",
                                         "meets_sensor", "nears_body", "nears_point", "within",
                                         "tick",         "acts",       NULL};
static const char *const measure_names[] = {"none", "distance", "energy", "impacts", NULL}; /* a hook is no text */

static const scene_key body_keys[] = {
    KEY(carom_scene_body, x, VALUE_REAL),           KEY(carom_scene_body, y, VALUE_REAL),
    KEY(carom_scene_body, vx, VALUE_REAL),          KEY(carom_scene_body, vy, VALUE_REAL),
    KEY(carom_scene_body, x_spread, VALUE_REAL),    KEY(carom_scene_body, y_spread, VALUE_REAL),
    KEY(carom_scene_body, vx_spread, VALUE_REAL),   KEY(carom_scene_body, vy_spread, VALUE_REAL),
    KEY(carom_scene_body, radius, VALUE_REAL),      KEY(carom_scene_body, mass, VALUE_EXTENT),
    KEY(carom_scene_body, restitution, VALUE_REAL), KEY(carom_scene_body, damping, VALUE_REAL),
    KEY(carom_scene_body, ax, VALUE_REAL),          KEY(carom_scene_body, ay, VALUE_REAL),
    KEY(carom_scene_body, category, VALUE_WORD),    KEY(carom_scene_body, mask, VALUE_WORD),
    KEY(carom_scene_body, sensor, VALUE_BOOLEAN),   KEY(carom_scene_body, slow, VALUE_BOOLEAN),
    KEY(carom_scene_body, inactive, VALUE_BOOLEAN), KEY(carom_scene_body, acts, VALUE_BOOLEAN),
    KEY(carom_scene_body, user, VALUE_WHOLE),       KEY(carom_scene_body, player, VALUE_WORD),
};

static const scene_key wall_keys[] = {
    POINT("a", "ax", "ay"),
    POINT("b", "bx", "by"),
    KEY(carom_scene_wall, ax, VALUE_REAL),
    KEY(carom_scene_wall, ay, VALUE_REAL),
    KEY(carom_scene_wall, bx, VALUE_REAL),
    KEY(carom_scene_wall, by, VALUE_REAL),
    KEY(carom_scene_wall, restitution, VALUE_REAL),
    KEY(carom_scene_wall, one_sided, VALUE_BOOLEAN),
    KEY(carom_scene_wall, sensor, VALUE_BOOLEAN),
    KEY(carom_scene_wall, category, VALUE_WORD),
    KEY(carom_scene_wall, mask, VALUE_WORD),
};

static const scene_key polygon_keys[] = {
    APART("corners"), /* [[x, y], ...] */
    KEY(carom_scene_polygon, restitution, VALUE_REAL),
    KEY(carom_scene_polygon, sensor, VALUE_BOOLEAN),
    KEY(carom_scene_polygon, category, VALUE_WORD),
    KEY(carom_scene_polygon, mask, VALUE_WORD),
};

static const scene_key box_keys[] = {
    POINT("from", "x0", "y0"),
    POINT("to", "x1", "y1"),
    KEY(carom_scene_box, x0, VALUE_REAL),
    KEY(carom_scene_box, y0, VALUE_REAL),
    KEY(carom_scene_box, x1, VALUE_REAL),
    KEY(carom_scene_box, y1, VALUE_REAL),
    NAME(carom_scene_box, horizontal, sides_names),
    NAME(carom_scene_box, vertical, sides_names),
    KEY(carom_scene_box, restitution, VALUE_REAL),
    KEY(carom_scene_box, category, VALUE_WORD),
    KEY(carom_scene_box, mask, VALUE_WORD),
};

static const scene_key measure_keys[] = {
    NAME(carom_scene_measure, kind, measure_names), KEY(carom_scene_measure, body, VALUE_WORD), POINT("at", "x", "y"),
    KEY(carom_scene_measure, x, VALUE_REAL),        KEY(carom_scene_measure, y, VALUE_REAL),
};

static const scene_key rule_keys[] = {
    NAME(carom_scene_rule, kind, rule_names),
    KEY(carom_scene_rule, body, VALUE_WORD),
    KEY(carom_scene_rule, category, VALUE_WORD),
    KEY(carom_scene_rule, which, VALUE_WORD),
    POINT("at", "x", "y"),
    KEY(carom_scene_rule, x, VALUE_REAL),
    KEY(carom_scene_rule, y, VALUE_REAL),
    POINT("corner", "x1", "y1"),
    KEY(carom_scene_rule, x1, VALUE_REAL),
    KEY(carom_scene_rule, y1, VALUE_REAL),
    KEY(carom_scene_rule, reward, VALUE_REAL),
    KEY(carom_scene_rule, to, VALUE_WHOLE),
    KEY(carom_scene_rule, ends, VALUE_BOOLEAN),
    KEY(carom_scene_rule, winner, VALUE_WHOLE),
};

static const scene_key view_keys[] = {
    KEY(carom_scene_view, body, VALUE_WORD), APART("bodies"), /* a list of their numbers */
};

static const scene_key_table box_table = TABLE(box_keys), measure_table = TABLE(measure_keys);

static const scene_key top_keys[] = {
    KEY(carom_scene_desc, dt, VALUE_REAL),
    KEY(carom_scene_desc, speed_limit, VALUE_EXTENT),
    KEY(carom_scene_desc, least_impulse, VALUE_REAL),
    KEY(carom_scene_desc, contact_time, VALUE_REAL),
    KEY(carom_scene_desc, max_events, VALUE_WORD),
    KEY(carom_scene_desc, last_tick, VALUE_WORD),
    KEY(carom_scene_desc, ends_at_sensor, VALUE_BOOLEAN),
    KEY(carom_scene_desc, solver, VALUE_SOLVER),
    NAME(carom_scene_desc, advance, advance_names),
    NAME(carom_scene_desc, engine, engine_names),
    KEY(carom_scene_desc, action_scale, VALUE_REAL),
    NAME(carom_scene_desc, action, action_names),
    KEY(carom_scene_desc, user_words, VALUE_BOOLEAN),
    MEMBERS(carom_scene_desc, reward, measure_table),
    MEMBERS(carom_scene_desc, final_value, measure_table),
    MEMBERS(carom_scene_desc, box, box_table),
    APART("body"), /* what every item of "bodies" begins as */
    APART("bodies"),
    APART("wall"), /* likewise */
    APART("walls"),
    APART("polygons"),
    APART("rules"),
    APART("views"),
};

const scene_key_table carom_scene_keys = TABLE(top_keys), carom_scene_body_keys = TABLE(body_keys),
                      carom_scene_wall_keys = TABLE(wall_keys), carom_scene_polygon_keys = TABLE(polygon_keys),
                      carom_scene_rule_keys = TABLE(rule_keys), carom_scene_view_keys = TABLE(view_keys);

_Static_assert(sizeof(carom_scene_sides) == sizeof(int) && sizeof(carom_toi_variant) == sizeof(int) &&
                   sizeof(carom_advance) == sizeof(int) && sizeof(carom_engine) == sizeof(int) &&
                   sizeof(carom_measure_kind) == sizeof(int) && sizeof(carom_scene_action) == sizeof(int) &&
                   sizeof(carom_rule_kind) == sizeof(int),
               "enumerators are read and written as int");

const scene_key *carom_scene_find_key(const scene_key_table *table, const char *name)
{
    for (size_t k = 0; k < table->count; k++) {
        if (strcmp(table->keys[k].name, name) == 0) {
            return &table->keys[k];
        }
    }
    return NULL;
}

carom_scene_wall carom_scene_usual_wall(void)
{
    const carom_scene_wall wall = {.restitution = 1};
    return wall;
}

carom_scene_polygon carom_scene_usual_polygon(void)
{
    const carom_scene_polygon polygon = {.restitution = 1};
    return polygon;
}
