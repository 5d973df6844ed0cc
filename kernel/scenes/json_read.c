/* SPDX-License-Identifier: MIT
 * Scenes from JSON text: Jansson parses it, the tables of keys define its meaning, and carom_scene_create() gets the
 * description. json_write.c follows the same tables, by json.h.
 */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "scenes/json.h"

/* ---- the tables of keys ---- */

#define KEY(type, member, kind) {#member, kind, offsetof(type, member), NULL, NULL, NULL, NULL}
#define NAME(type, member, names) {#member, VALUE_NAME, offsetof(type, member), names, NULL, NULL, NULL}
#define BITS(type, member, names) {#member, VALUE_BITS, offsetof(type, member), names, NULL, NULL, NULL}
#define POINT(name, first, second) {name, VALUE_POINT, 0, NULL, first, second, NULL}
#define MEMBERS(type, member, table) {#member, VALUE_MEMBERS, offsetof(type, member), NULL, NULL, NULL, &(table)}
#define APART(name) {name, VALUE_APART, 0, NULL, NULL, NULL, NULL}
#define TABLE(keys) {keys, sizeof keys / sizeof keys[0]}

static const char *const sides_names[] = {"open", "solid", "periodic", NULL};
static const char *const advance_names[] = {"own_clock", "advance_all", NULL};
static const char *const engine_names[] = {"auto", "wide", "deep", NULL};
static const char *const action_names[] = {"impulse", "velocity", "acceleration", NULL};
static const char *const rule_names[] = {"meets_body", "meets_side",  "meets_wall", "meets_polygon", "meets_sensor",
                                         "nears_body", "nears_point", "within",     "tick",          "acts",
                                         "nearest",    "meets_arc",   NULL};
static const char *const arc_sides_names[] = {"both", "within", "without", NULL};
static const char *const varies_names[] = {"radius",       "mass",  "restitution", "damping", "ax",    "ay",
                                           "action_scale", "walls", "corners",     "dt",      "there", NULL};
static const char *const measure_names[] = {"none", "distance", "energy", "impacts", NULL}; /* a hook cannot be text */

static const scene_key body_keys[] = {
    KEY(carom_scene_body, x, VALUE_REAL),
    KEY(carom_scene_body, y, VALUE_REAL),
    KEY(carom_scene_body, vx, VALUE_REAL),
    KEY(carom_scene_body, vy, VALUE_REAL),
    KEY(carom_scene_body, x_spread, VALUE_REAL),
    KEY(carom_scene_body, y_spread, VALUE_REAL),
    KEY(carom_scene_body, vx_spread, VALUE_REAL),
    KEY(carom_scene_body, vy_spread, VALUE_REAL),
    KEY(carom_scene_body, radius, VALUE_REAL),
    KEY(carom_scene_body, mass, VALUE_EXTENT),
    KEY(carom_scene_body, restitution, VALUE_REAL),
    KEY(carom_scene_body, damping, VALUE_REAL),
    KEY(carom_scene_body, ax, VALUE_REAL),
    KEY(carom_scene_body, ay, VALUE_REAL),
    KEY(carom_scene_body, category, VALUE_WORD),
    KEY(carom_scene_body, mask, VALUE_WORD),
    KEY(carom_scene_body, sensor, VALUE_BOOLEAN),
    KEY(carom_scene_body, slow, VALUE_BOOLEAN),
    KEY(carom_scene_body, inactive, VALUE_BOOLEAN),
    KEY(carom_scene_body, acts, VALUE_BOOLEAN),
    KEY(carom_scene_body, user, VALUE_WHOLE),
    KEY(carom_scene_body, player, VALUE_WORD),
    KEY(carom_scene_body, action_scale, VALUE_REAL),
    KEY(carom_scene_body, radius_spread, VALUE_REAL),
    KEY(carom_scene_body, mass_spread, VALUE_REAL),
    KEY(carom_scene_body, restitution_spread, VALUE_REAL),
    KEY(carom_scene_body, damping_spread, VALUE_REAL),
    KEY(carom_scene_body, ax_spread, VALUE_REAL),
    KEY(carom_scene_body, ay_spread, VALUE_REAL),
    KEY(carom_scene_body, action_scale_spread, VALUE_REAL),
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
    KEY(carom_scene_wall, ax_spread, VALUE_REAL),
    KEY(carom_scene_wall, ay_spread, VALUE_REAL),
    KEY(carom_scene_wall, bx_spread, VALUE_REAL),
    KEY(carom_scene_wall, by_spread, VALUE_REAL),
};

static const scene_key polygon_keys[] = {
    APART("corners"), /* [[x, y], ...] */
    KEY(carom_scene_polygon, restitution, VALUE_REAL),
    KEY(carom_scene_polygon, sensor, VALUE_BOOLEAN),
    KEY(carom_scene_polygon, category, VALUE_WORD),
    KEY(carom_scene_polygon, mask, VALUE_WORD),
    KEY(carom_scene_polygon, x_spread, VALUE_REAL),
    KEY(carom_scene_polygon, y_spread, VALUE_REAL),
};

static const scene_key arc_keys[] = {
    POINT("at", "x", "y"),
    POINT("a", "ax", "ay"),
    POINT("b", "bx", "by"),
    KEY(carom_scene_arc, x, VALUE_REAL),
    KEY(carom_scene_arc, y, VALUE_REAL),
    KEY(carom_scene_arc, radius, VALUE_REAL),
    KEY(carom_scene_arc, ax, VALUE_REAL),
    KEY(carom_scene_arc, ay, VALUE_REAL),
    KEY(carom_scene_arc, bx, VALUE_REAL),
    KEY(carom_scene_arc, by, VALUE_REAL),
    KEY(carom_scene_arc, restitution, VALUE_REAL),
    NAME(carom_scene_arc, sides, arc_sides_names),
    KEY(carom_scene_arc, sensor, VALUE_BOOLEAN),
    KEY(carom_scene_arc, category, VALUE_WORD),
    KEY(carom_scene_arc, mask, VALUE_WORD),
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

static const scene_key lidar_keys[] = {
    KEY(carom_scene_lidar, rays, VALUE_WORD),       KEY(carom_scene_lidar, range, VALUE_REAL),
    KEY(carom_scene_lidar, first, VALUE_REAL),      KEY(carom_scene_lidar, step, VALUE_REAL),
    KEY(carom_scene_lidar, mask, VALUE_WORD),       KEY(carom_scene_lidar, tells, VALUE_WORD),
    KEY(carom_scene_lidar, sensors, VALUE_BOOLEAN),
};

static const scene_key_table box_table = TABLE(box_keys), measure_table = TABLE(measure_keys),
                             lidar_table = TABLE(lidar_keys);

static const scene_key top_keys[] = {
    KEY(carom_scene_desc, dt, VALUE_REAL),
    KEY(carom_scene_desc, dt_spread, VALUE_REAL),
    BITS(carom_scene_desc, varies, varies_names),
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
    MEMBERS(carom_scene_desc, lidar, lidar_table),
    APART("body"), /* the defaults of every item of "bodies" */
    APART("bodies"),
    APART("wall"), /* the same for "walls" */
    APART("walls"),
    APART("polygons"),
    APART("arcs"),
    APART("rules"),
    APART("views"),
};

const scene_key_table carom_scene_keys = TABLE(top_keys), carom_scene_body_keys = TABLE(body_keys),
                      carom_scene_wall_keys = TABLE(wall_keys), carom_scene_polygon_keys = TABLE(polygon_keys),
                      carom_scene_arc_keys = TABLE(arc_keys), carom_scene_rule_keys = TABLE(rule_keys),
                      carom_scene_view_keys = TABLE(view_keys);

_Static_assert(sizeof(carom_scene_sides) == sizeof(int) && sizeof(carom_toi_variant) == sizeof(int) &&
                   sizeof(carom_advance) == sizeof(int) && sizeof(carom_engine) == sizeof(int) &&
                   sizeof(carom_measure_kind) == sizeof(int) && sizeof(carom_scene_action) == sizeof(int) &&
                   sizeof(carom_rule_kind) == sizeof(int) && sizeof(carom_arc_sides) == sizeof(int),
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

carom_scene_arc carom_scene_usual_arc(void)
{
    const carom_scene_arc arc = {.restitution = 1};
    return arc;
}

/* ---- positions in the text ---- */

/* The position in the text, for sentences: "bodies[3].radius". A long path is cut off. */
typedef struct reader {
    carom_problem *problem; /* where to write a sentence, or NULL */
    char path[128];
    size_t length; /* of path */
} reader;

/* Adds a name to the path. Returns the argument for leave(). */
static size_t enter(reader *r, const char *name)
{
    const size_t was = r->length, size = sizeof r->path;
    snprintf(r->path + was, size - was, "%s%s", was > 0 ? "." : "", name);
    r->length += strlen(r->path + was);
    return was;
}

static size_t enter_item(reader *r, size_t index)
{
    const size_t was = r->length, size = sizeof r->path;
    snprintf(r->path + was, size - was, "[%zu]", index);
    r->length += strlen(r->path + was);
    return was;
}

static void leave(reader *r, size_t was)
{
    r->length = was;
    r->path[was] = '\0';
}

/* Writes a sentence: "bodies[3].radius: a number is expected". Control characters, which quoted text may have, become
 * question marks, so that it is one line. */
__attribute__((format(printf, 2, 3))) static carom_status refuse(const reader *r, const char *format, ...)
{
    if (r->problem != NULL) {
        char *text = r->problem->text;
        const size_t size = sizeof r->problem->text;
        const size_t used = r->length > 0 ? (size_t)snprintf(text, size, "%s: ", r->path) : 0;
        va_list list;
        va_start(list, format);
        vsnprintf(text + used, size - used, format, list);
        va_end(list);

        for (char *c = text; *c != '\0'; c++) {
            if ((unsigned char)*c < ' ' || *c == 0x7f) {
                *c = '?';
            }
        }
    }
    return CAROM_ERROR_FORMAT;
}

static carom_status read_real(const reader *r, const json_t *value, double *number)
{
    if (!json_is_number(value)) {
        return refuse(r, "a number is expected");
    }
    *number = json_number_value(value);
    return CAROM_OK;
}

static carom_status read_whole(const reader *r, const json_t *value, json_int_t least, json_int_t most,
                               json_int_t *number)
{
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= least && *number <= most
               ? CAROM_OK
               : refuse(r, "a whole number from %lld to %lld is expected", (long long)least, (long long)most);
}

static carom_status read_name(const reader *r, const json_t *value, const char *const *names, int *number)
{
    const char *text = json_string_value(value);
    char list[128] = "";
    for (int k = 0; names[k] != NULL; k++) {
        if (text != NULL && strcmp(text, names[k]) == 0) {
            *number = k;
            return CAROM_OK;
        }
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", k > 0 ? ", " : "", names[k]);
    }
    return text == NULL ? refuse(r, "a name is expected (%s)", list) : refuse(r, "unknown name '%s' (%s)", text, list);
}

/* A list of names; the number of each is a bit. */
static carom_status read_bits(reader *r, const json_t *value, const char *const *names, uint32_t *bits)
{
    carom_status status = CAROM_OK;
    *bits = 0;
    if (!json_is_array(value)) {
        return refuse(r, "a list of names is expected");
    }
    for (size_t k = 0; k < json_array_size(value) && status == CAROM_OK; k++) {
        const size_t was = enter_item(r, k);
        int number = 0;
        status = read_name(r, json_array_get(value, k), names, &number);
        *bits |= 1u << number;
        leave(r, was);
    }
    return status;
}

static carom_status read_solver(const reader *r, const json_t *value, int *variant)
{
    const char *text = json_string_value(value);
    if (text == NULL) {
        return refuse(r, "the name of a solver is expected");
    }
    return carom_toi_variant_find(text, variant) == CAROM_OK ? CAROM_OK : refuse(r, "unknown solver '%s'", text);
}

static carom_status read_pair(const reader *r, const json_t *value, double *x, double *y)
{
    const json_t *const first = json_array_get(value, 0), *const second = json_array_get(value, 1);
    if (json_array_size(value) != 2 || !json_is_number(first) || !json_is_number(second)) {
        return refuse(r, "[x, y] is expected");
    }
    *x = json_number_value(first);
    *y = json_number_value(second);
    return CAROM_OK;
}

static carom_status read_object(reader *r, json_t *from, const scene_key_table *table, void *to);

/* Reads the value of key k of an object into its member of the structure at `to`. */
static carom_status read_value(reader *r, json_t *object, json_t *value, const scene_key *k,
                               const scene_key_table *table, unsigned char *to)
{
    json_int_t whole;
    int number;
    carom_status status;

    switch (k->kind) {
    case VALUE_EXTENT:
        if (json_is_string(value)) {
            const double infinite = INFINITY;
            memcpy(to + k->offset, &infinite, sizeof infinite);
            return strcmp(json_string_value(value), "infinite") == 0
                       ? CAROM_OK
                       : refuse(r, "a number or \"infinite\" is expected");
        }
        return read_real(r, value, (double *)(void *)(to + k->offset));
    case VALUE_REAL:
        return read_real(r, value, (double *)(void *)(to + k->offset));
    case VALUE_WORD:
        status = read_whole(r, value, 0, UINT32_MAX, &whole);
        if (status == CAROM_OK) {
            *(uint32_t *)(void *)(to + k->offset) = (uint32_t)whole;
        }
        return status;
    case VALUE_WHOLE:
        status = read_whole(r, value, INT32_MIN, INT32_MAX, &whole);
        if (status == CAROM_OK) {
            *(int32_t *)(void *)(to + k->offset) = (int32_t)whole;
        }
        return status;
    case VALUE_BOOLEAN:
        *(bool *)(void *)(to + k->offset) = json_is_true(value);
        return json_is_boolean(value) ? CAROM_OK : refuse(r, "true or false is expected");
    case VALUE_NAME:
    case VALUE_SOLVER:
        status = k->kind == VALUE_NAME ? read_name(r, value, k->names, &number) : read_solver(r, value, &number);
        if (status == CAROM_OK) {
            memcpy(to + k->offset, &number, sizeof number);
        }
        return status;
    case VALUE_BITS:
        return read_bits(r, value, k->names, (uint32_t *)(void *)(to + k->offset));
    case VALUE_POINT:
        if (json_object_get(object, k->first) != NULL || json_object_get(object, k->second) != NULL) {
            return refuse(r, "it stands for %s and %s, of which one is given, too", k->first, k->second);
        }
        return read_pair(r, value, (double *)(void *)(to + carom_scene_find_key(table, k->first)->offset),
                         (double *)(void *)(to + carom_scene_find_key(table, k->second)->offset));
    case VALUE_MEMBERS:
        return read_object(r, value, k->table, to + k->offset);
    case VALUE_APART:
        break;
    }
    return CAROM_OK;
}

/* Reads an object into the structure at `to`. Members whose keys are missing keep their values. */
static carom_status read_object(reader *r, json_t *from, const scene_key_table *table, void *to)
{
    if (!json_is_object(from)) {
        return refuse(r, "an object {...} is expected");
    }

    const char *name;
    json_t *value;
    carom_status status = CAROM_OK;
    json_object_foreach(from, name, value)
    {
        if (strcmp(name, COMMENT_KEY) == 0) {
            continue;
        }

        const size_t was = enter(r, name);
        const scene_key *k = carom_scene_find_key(table, name);
        status = k != NULL ? read_value(r, from, value, k, table, to) : refuse(r, "unknown key");
        leave(r, was);
        if (status != CAROM_OK) {
            break;
        }
    }
    return status;
}

/* Reads the list `many` ("bodies") of objects. *item has their defaults, which the object `one` ("body"; or NULL) may
 * change. The caller frees *items. */
static carom_status read_list(reader *r, const json_t *root, const char *one, const char *many,
                              const scene_key_table *table, void *item, size_t size, void **items, uint32_t *count)
{
    json_t *const defaults = one != NULL ? json_object_get(root, one) : NULL;
    json_t *const list = json_object_get(root, many);
    carom_status status = CAROM_OK;

    if (defaults != NULL) {
        const size_t was = enter(r, one);
        status = read_object(r, defaults, table, item);
        leave(r, was);
    }
    if (status != CAROM_OK || list == NULL) {
        return status;
    }

    const size_t was = enter(r, many);
    const size_t length = json_array_size(list);
    if (!json_is_array(list)) {
        status = refuse(r, "a list [...] is expected");
    } else if (length > CAROM_SCENE_BODIES) {
        status = refuse(r, "%zu, at most %d", length, CAROM_SCENE_BODIES);
    } else if (length > 0 && (*items = malloc(length * size)) == NULL) {
        status = CAROM_ERROR_MEMORY;
    }

    for (size_t k = 0; *items != NULL && k < length && status == CAROM_OK; k++) {
        void *to = (unsigned char *)*items + k * size;
        memcpy(to, item, size);

        const size_t before = enter_item(r, k);
        status = read_object(r, json_array_get(list, k), table, to);
        leave(r, before);
    }
    leave(r, was);

    *count = *items != NULL ? (uint32_t)length : 0;
    return status;
}

/* Reads the corners of all polygons into one block, for each polygon x before y. The caller frees *corners. */
static carom_status read_corners(reader *r, const json_t *root, carom_scene_polygon *polygons, uint32_t count,
                                 double **corners)
{
    const json_t *const list = json_object_get(root, "polygons");

    size_t total = 0;
    for (uint32_t k = 0; k < count; k++) {
        total += json_array_size(json_object_get(json_array_get(list, k), "corners"));
    }
    if ((*corners = malloc((2 * total + 1) * sizeof **corners)) == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    double *to = *corners;
    carom_status status = CAROM_OK;
    const size_t was = enter(r, "polygons");
    for (uint32_t k = 0; k < count && status == CAROM_OK; k++) {
        const size_t item = enter_item(r, k);
        enter(r, "corners");
        const json_t *const own = json_object_get(json_array_get(list, k), "corners");
        const size_t length = json_array_size(own);

        if (!json_is_array(own)) {
            status = refuse(r, "a list of [x, y] is expected");
        } else if (length > CAROM_SCENE_BODIES) {
            status = refuse(r, "%zu, at most %d", length, CAROM_SCENE_BODIES);
        }
        for (size_t c = 0; c < length && status == CAROM_OK; c++) {
            const size_t before = enter_item(r, c);
            status = read_pair(r, json_array_get(own, c), &to[c], &to[length + c]);
            leave(r, before);
        }

        polygons[k].x = to;
        polygons[k].y = to + length;
        polygons[k].corners = (uint32_t)length;
        to += 2 * length;
        leave(r, item);
    }
    leave(r, was);
    return status;
}

/* Reads the bodies of all views into one block. The caller frees *seen. */
static carom_status read_seen(reader *r, const json_t *root, carom_scene_view *views, uint32_t count, uint32_t **seen)
{
    const json_t *const list = json_object_get(root, "views");

    size_t total = 0;
    for (uint32_t k = 0; k < count; k++) {
        total += json_array_size(json_object_get(json_array_get(list, k), "bodies"));
    }
    if ((*seen = malloc((total + 1) * sizeof **seen)) == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    uint32_t *to = *seen;
    carom_status status = CAROM_OK;
    const size_t was = enter(r, "views");
    for (uint32_t k = 0; k < count && status == CAROM_OK; k++) {
        const size_t item = enter_item(r, k);
        enter(r, "bodies");
        const json_t *const own = json_object_get(json_array_get(list, k), "bodies");
        const size_t length = json_array_size(own);

        if (own != NULL && !json_is_array(own)) {
            status = refuse(r, "a list of bodies is expected");
        } else if (length > CAROM_SCENE_BODIES) {
            status = refuse(r, "%zu, at most %d", length, CAROM_SCENE_OBSERVED - 1);
        }
        for (size_t b = 0; b < length && status == CAROM_OK; b++) {
            const size_t before = enter_item(r, b);
            json_int_t number;
            status = read_whole(r, json_array_get(own, b), 0, UINT32_MAX, &number);
            to[b] = status == CAROM_OK ? (uint32_t)number : 0;
            leave(r, before);
        }

        views[k].bodies = to;
        views[k].count = (uint32_t)length;
        to += length;
        leave(r, item);
    }
    leave(r, was);
    return status;
}

static carom_status read_scene(reader *r, json_t *root, carom_scene **scene)
{
    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene_body body = carom_scene_body_default();
    carom_scene_wall wall = carom_scene_usual_wall();
    carom_scene_polygon polygon = carom_scene_usual_polygon();
    carom_scene_arc arc = carom_scene_usual_arc();
    carom_scene_rule rule = carom_scene_rule_default();
    carom_scene_view view = {0};
    void *bodies = NULL, *walls = NULL, *polygons = NULL, *arcs = NULL, *rules = NULL, *views = NULL;
    double *corners = NULL;
    uint32_t *seen = NULL;

    carom_status status = read_object(r, root, &carom_scene_keys, &desc);
    if (status == CAROM_OK) {
        status =
            read_list(r, root, "body", "bodies", &carom_scene_body_keys, &body, sizeof body, &bodies, &desc.body_count);
    }
    if (status == CAROM_OK) {
        status =
            read_list(r, root, "wall", "walls", &carom_scene_wall_keys, &wall, sizeof wall, &walls, &desc.wall_count);
    }
    if (status == CAROM_OK) {
        status = read_list(r, root, NULL, "polygons", &carom_scene_polygon_keys, &polygon, sizeof polygon, &polygons,
                           &desc.polygon_count);
    }
    if (status == CAROM_OK && polygons != NULL) {
        status = read_corners(r, root, polygons, desc.polygon_count, &corners);
    }
    if (status == CAROM_OK) {
        status = read_list(r, root, NULL, "arcs", &carom_scene_arc_keys, &arc, sizeof arc, &arcs, &desc.arc_count);
    }
    if (status == CAROM_OK) {
        status =
            read_list(r, root, NULL, "rules", &carom_scene_rule_keys, &rule, sizeof rule, &rules, &desc.rule_count);
    }
    if (status == CAROM_OK) {
        status =
            read_list(r, root, NULL, "views", &carom_scene_view_keys, &view, sizeof view, &views, &desc.view_count);
    }
    if (status == CAROM_OK && views != NULL) {
        status = read_seen(r, root, views, desc.view_count, &seen);
    }

    /* The scene has copies of all lists. */
    if (status == CAROM_OK) {
        desc.rules = rules;
        desc.views = views;
        desc.bodies = bodies;
        desc.walls = walls;
        desc.polygons = polygons;
        desc.arcs = arcs;
        status = carom_scene_create(&desc, scene, r->problem);
    }

    free(bodies);
    free(walls);
    free(polygons);
    free(arcs);
    free(rules);
    free(views);
    free(corners);
    free(seen);
    return status;
}

/* Did Jansson fail because memory ran out? It reports this only in some places. In others it gives no line, or claims
 * that a string is missing although the last character read is a closing quotation mark. */
static bool is_memory_lacking(const json_error_t *error, const char *text)
{
    const bool no_string =
        strncmp(error->text, "invalid token", 13) == 0 || strncmp(error->text, "string or '}' expected", 22) == 0;
    return json_error_code(error) == json_error_out_of_memory || error->line < 0 ||
           (no_string && text != NULL && error->position > 0 && text[error->position - 1] == '"');
}

carom_status carom_scene_read_json(const char *text, size_t length, carom_scene **scene, carom_problem *problem)
{
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    if (scene == NULL || (text == NULL && length > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    *scene = NULL;

    const fenv_t caller = fp_begin_text();
    reader r = {.problem = problem};
    json_error_t error;
    json_t *root = json_loadb(text != NULL ? text : "", length, JSON_REJECT_DUPLICATES, &error);
    carom_status status;
    if (root != NULL) {
        status = read_scene(&r, root, scene);
        json_decref(root);
    } else {
        status = is_memory_lacking(&error, text)
                     ? CAROM_ERROR_MEMORY
                     : refuse(&r, "line %d, column %d: %s", error.line, error.column, error.text);
    }
    fp_end_text(caller);
    return status;
}
