/* SPDX-License-Identifier: MIT
 * Reads the commands' --json output. It reads only their own output, so it is small: other files are refused, never
 * misread.
 */
#ifndef CAROM_TOOLS_COMMAND_JSON_READ_H
#define CAROM_TOOLS_COMMAND_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json_value {
    json_kind kind;
    const char *key;          /* in an object; else NULL */
    const char *text;         /* number, bool and null: as written; string: unescaped */
    struct json_value *first; /* of an array's or object's values, in order */
    struct json_value *next;  /* the next one in the same array or object */
} json_value;

/* An array with the file's single value; free it with carom_json_free(). Dies unless there is exactly one. */
json_value *carom_json_read(const char *path);
void carom_json_free(json_value *value);

/* A member of an object; NULL if there is none, or `object` is not an object. */
const json_value *carom_json_find(const json_value *object, const char *key);

#endif
