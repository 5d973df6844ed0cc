/* SPDX-License-Identifier: MIT
 * Writes scenes as JSON text: everything that differs from the default. A text that is read and written again stays the
 * same; 17 digits keep every number exactly.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "scenes/json.h"

/* Whole numbers are written without a point. */
static json_t *number(double value)
{
    const bool is_whole = value == floor(value) && fabs(value) < 1e15 && !(value == 0 && signbit(value));
    return is_whole ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *pair(double x, double y)
{
    return json_pack("[o, o]", number(x), number(y));
}

static size_t value_size(const scene_key *k)
{
    switch (k->kind) {
    case VALUE_REAL:
    case VALUE_EXTENT:
        return sizeof(double);
    case VALUE_BOOLEAN:
        return sizeof(bool);
    default:
        return sizeof(int);
    }
}

static int get_int(const void *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* A list of the names of the bits that are set. */
static json_t *write_bits(const char *const *names, uint32_t bits)
{
    json_t *list = json_array();
    for (int k = 0; names[k] != NULL && list != NULL; k++) {
        if ((bits >> k & 1) != 0 && json_array_append_new(list, json_string(names[k])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* The value of a member that is a single value. */
static json_t *write_value(const scene_key *k, const unsigned char *from)
{
    double real;

    switch (k->kind) {
    case VALUE_REAL:
    case VALUE_EXTENT:
        memcpy(&real, from, sizeof real);
        return isinf(real) ? json_string("infinite") : number(real);
    case VALUE_WORD:
        return json_integer((uint32_t)get_int(from));
    case VALUE_WHOLE:
        return json_integer(get_int(from));
    case VALUE_BOOLEAN:
        return json_boolean(*(const bool *)(const void *)from);
    case VALUE_BITS:
        return write_bits(k->names, (uint32_t)get_int(from));
    case VALUE_NAME:
        return json_string(k->names[get_int(from)]);
    default:
        return json_string(carom_toi_variant_describe(get_int(from))->name);
    }
}

/* Is a key written as part of a point? */
static bool is_coordinate(const scene_key_table *table, const scene_key *k)
{
    for (size_t n = 0; n < table->count; n++) {
        const scene_key *point = &table->keys[n];
        if (point->kind == VALUE_POINT && (strcmp(k->name, point->first) == 0 || strcmp(k->name, point->second) == 0)) {
            return true;
        }
    }
    return false;
}

static json_t *write_object(const scene_key_table *table, const void *from, const void *usual);

/* A member's value; NULL if memory runs out. *skip is set if the member is not to be written: it has its default, taken
 * from `usual`, or is written elsewhere. */
static json_t *write_member(const scene_key_table *table, const scene_key *k, const unsigned char *from,
                            const unsigned char *usual, bool *skip)
{
    json_t *made;
    *skip = false;

    switch (k->kind) {
    case VALUE_APART:
        *skip = true;
        return NULL;
    case VALUE_MEMBERS:
        made = write_object(k->table, from + k->offset, usual + k->offset);
        *skip = made != NULL && json_object_size(made) == 0;
        break;
    case VALUE_POINT: {
        const size_t first = carom_scene_find_key(table, k->first)->offset;
        const size_t second = carom_scene_find_key(table, k->second)->offset;
        double x, y;
        memcpy(&x, from + first, sizeof x);
        memcpy(&y, from + second, sizeof y);
        *skip =
            memcmp(from + first, usual + first, sizeof x) == 0 && memcmp(from + second, usual + second, sizeof y) == 0;
        made = *skip ? NULL : pair(x, y);
        break;
    }
    default:
        *skip = is_coordinate(table, k) || memcmp(from + k->offset, usual + k->offset, value_size(k)) == 0;
        made = *skip ? NULL : write_value(k, from + k->offset);
    }
    if (*skip) {
        json_decref(made);
        made = NULL;
    }
    return made;
}

/* Members other than the defaults; NULL if memory runs out. */
static json_t *write_object(const scene_key_table *table, const void *from, const void *usual)
{
    json_t *object = json_object();
    for (size_t n = 0; n < table->count && object != NULL; n++) {
        bool skip;
        json_t *made = write_member(table, &table->keys[n], from, usual, &skip);
        if (!skip && json_object_set_new(object, table->keys[n].name, made) != 0) { /* also if made is NULL */
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

static json_t *write_polygon(const carom_scene_polygon *polygon)
{
    const carom_scene_polygon usual = carom_scene_usual_polygon();
    json_t *object = write_object(&carom_scene_polygon_keys, polygon, &usual), *corners = json_array();
    bool good = object != NULL && corners != NULL;
    for (uint32_t k = 0; k < polygon->corners && good; k++) {
        good = json_array_append_new(corners, pair(polygon->x[k], polygon->y[k])) == 0;
    }
    if (!good || json_object_set(object, "corners", corners) != 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(corners);
    return object;
}

static json_t *write_rule(const carom_scene_rule *rule)
{
    carom_scene_rule usual = carom_scene_rule_default();
    usual.kind = rule->kind != usual.kind ? usual.kind : CAROM_RULE_MEETS_SIDE; /* the kind is always written */
    return write_object(&carom_scene_rule_keys, rule, &usual);
}

static json_t *write_view(const carom_scene_view *view)
{
    json_t *bodies = json_array();
    bool good = bodies != NULL;
    for (uint32_t k = 0; k < view->count && good; k++) {
        good = json_array_append_new(bodies, json_integer(view->bodies[k])) == 0;
    }
    json_t *object = good ? json_pack("{s: I, s: O}", "body", (json_int_t)view->body, "bodies", bodies) : NULL;
    json_decref(bodies);
    return object;
}

/* The text so far. */
typedef struct writer {
    char *text; /* ends with a zero byte once there is any */
    size_t length, capacity;
    bool failed; /* memory has run out */
} writer;

/* Appends text; a json_dump_callback_t. */
static int add(const char *text, size_t length, void *any)
{
    writer *w = any;
    if (w->capacity - w->length < length + 1) {
        const size_t capacity = 2 * w->capacity + length + 1;
        char *more = realloc(w->text, capacity);
        if (more == NULL) {
            w->failed = true;
            return -1;
        }
        w->text = more;
        w->capacity = capacity;
    }
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = '\0';
    return 0;
}

static void add_text(writer *w, const char *text)
{
    add(text, strlen(text), w);
}

/* Appends a value, which it releases. */
static void add_json(writer *w, json_t *value)
{
    if (value == NULL || json_dump_callback(value, add, w, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) != 0) {
        w->failed = true;
    }
    json_decref(value);
}

static void begin_key(writer *w, const char *name)
{
    add_text(w, w->length > 1 ? ",\n  \"" : "\n  \"");
    add_text(w, name);
    add_text(w, "\": ");
}

static void begin_item(writer *w, uint32_t index)
{
    add_text(w, index > 0 ? ",\n    " : "[\n    ");
}

/* One line for each key, and in lists for each item. */
static void write_scene(writer *w, const carom_scene_desc *desc)
{
    const carom_scene_desc usual = carom_scene_desc_default();
    const carom_scene_body usual_body = carom_scene_body_default();
    carom_scene_wall usual_wall = carom_scene_usual_wall();
    usual_wall.ax = usual_wall.bx = NAN; /* both ends are always written */

    add_text(w, "{");
    json_t *object = write_object(&carom_scene_keys, desc, &usual), *value;
    const char *name;
    w->failed |= object == NULL;
    json_object_foreach(object, name, value)
    {
        begin_key(w, name);
        add_json(w, json_incref(value));
    }
    json_decref(object);

    begin_key(w, "bodies");
    for (uint32_t k = 0; k < desc->body_count && !w->failed; k++) {
        begin_item(w, k);
        add_json(w, write_object(&carom_scene_body_keys, &desc->bodies[k], &usual_body));
    }
    add_text(w, "\n  ]");

    if (desc->wall_count > 0) {
        begin_key(w, "walls");
        for (uint32_t k = 0; k < desc->wall_count && !w->failed; k++) {
            begin_item(w, k);
            add_json(w, write_object(&carom_scene_wall_keys, &desc->walls[k], &usual_wall));
        }
        add_text(w, "\n  ]");
    }
    if (desc->polygon_count > 0) {
        begin_key(w, "polygons");
        for (uint32_t k = 0; k < desc->polygon_count && !w->failed; k++) {
            begin_item(w, k);
            add_json(w, write_polygon(&desc->polygons[k]));
        }
        add_text(w, "\n  ]");
    }
    if (desc->arc_count > 0) {
        const carom_scene_arc usual_arc = carom_scene_usual_arc();
        begin_key(w, "arcs");
        for (uint32_t k = 0; k < desc->arc_count && !w->failed; k++) {
            begin_item(w, k);
            add_json(w, write_object(&carom_scene_arc_keys, &desc->arcs[k], &usual_arc));
        }
        add_text(w, "\n  ]");
    }
    if (desc->rule_count > 0) {
        begin_key(w, "rules");
        for (uint32_t k = 0; k < desc->rule_count && !w->failed; k++) {
            begin_item(w, k);
            add_json(w, write_rule(&desc->rules[k]));
        }
        add_text(w, "\n  ]");
    }
    if (desc->view_count > 0) {
        begin_key(w, "views");
        for (uint32_t k = 0; k < desc->view_count && !w->failed; k++) {
            begin_item(w, k);
            add_json(w, write_view(&desc->views[k]));
        }
        add_text(w, "\n  ]");
    }

    add_text(w, "\n}\n");
}

carom_status carom_scene_write_json(const carom_scene *scene, char **text)
{
    if (scene == NULL || text == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* Functions cannot be written. */
    const carom_scene_desc *desc = carom_scene_describe(scene);
    if (desc->tick_hook != NULL || desc->response_hook != NULL || desc->reward.kind == CAROM_MEASURE_USER ||
        desc->final_value.kind == CAROM_MEASURE_USER) {
        return CAROM_ERROR_ARGUMENT;
    }

    const fenv_t caller = fp_begin_text();
    writer w = {0};
    write_scene(&w, desc);
    fp_end_text(caller);
    if (w.failed) {
        free(w.text);
        return CAROM_ERROR_MEMORY;
    }
    *text = w.text;
    return CAROM_OK;
}

void carom_text_free(char *text)
{
    free(text);
}
