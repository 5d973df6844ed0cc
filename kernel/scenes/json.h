/* SPDX-License-Identifier: MIT
 * The keys of a scene as JSON text.
 *
 * Tables list the keys of an object, the kinds of their values, and the corresponding members of the structures of
 * scene.h. Reading (json_read.c, which has them), writing (json_write.c) and the message about an unknown key all
 * follow them.
 */
#ifndef CAROM_SCENES_JSON_H
#define CAROM_SCENES_JSON_H

#include <stddef.h>

#include "scenes/scenes.h"

typedef enum value_kind {
    VALUE_REAL,
    VALUE_EXTENT, /* a number or "infinite" */
    VALUE_WORD,   /* uint32_t */
    VALUE_WHOLE,  /* int32_t */
    VALUE_BOOLEAN,
    VALUE_NAME,    /* an enumerator, which has the size of an int */
    VALUE_BITS,    /* a list of names; the number of each is a bit of a uint32_t */
    VALUE_SOLVER,  /* a carom_toi_variant by its name */
    VALUE_POINT,   /* [x, y] for two keys of numbers */
    VALUE_MEMBERS, /* an object */
    VALUE_APART    /* a list, or defaults for one: read and written by separate code */
} value_kind;

typedef struct scene_key_table scene_key_table;

typedef struct scene_key {
    const char *name;
    value_kind kind;
    size_t offset;                /* of the member in its structure */
    const char *const *names;     /* VALUE_NAME, VALUE_BITS: by number, NULL at the end */
    const char *first, *second;   /* VALUE_POINT: the keys of x and y */
    const scene_key_table *table; /* VALUE_MEMBERS */
} scene_key;

struct scene_key_table {
    const scene_key *keys;
    size_t count;
};

extern const scene_key_table carom_scene_keys, carom_scene_body_keys, carom_scene_wall_keys, carom_scene_polygon_keys,
    carom_scene_arc_keys, carom_scene_rule_keys, carom_scene_view_keys;

#define COMMENT_KEY "about" /* allowed in every object, and ignored */

/* NULL if the table has no such key. */
const scene_key *carom_scene_find_key(const scene_key_table *table, const char *name);

/* The defaults of walls, polygons and arcs. */
carom_scene_wall carom_scene_usual_wall(void);
carom_scene_polygon carom_scene_usual_polygon(void);
carom_scene_arc carom_scene_usual_arc(void);

#endif
