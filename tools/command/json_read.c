/* SPDX-License-Identifier: MIT
 * Reads JSON written by the commands: see json_read.h.
 */
#include "json_read.h"
#include "command.h"
#include "out_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 16
#define MOST_MEMBERS 256 /* in an object: more than any command writes */

/* The text is parsed in place: strings and keys stay where they are, terminated by a 0. */
typedef struct reader {
    const char *path;
    char *at;
    char *text;
} reader;

_Noreturn static void refuse(const reader *r, const char *what)
{
    carom_die("%s: byte %zu: %s", r->path, (size_t)(r->at - r->text), what);
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

/* Starts after the first quotation mark. The commands write only control characters as \uXXXX. */
static char *read_string(reader *r)
{
    char *const start = r->at, *to = r->at;
    for (; *r->at != '"'; r->at++) {
        if ((unsigned char)*r->at < ' ') {
            refuse(r, "a string has no end");
        }
        if (*r->at != '\\') {
            *to++ = *r->at;
            continue;
        }
        r->at++;
        if (*r->at == '"' || *r->at == '\\') {
            *to++ = *r->at;
        } else if (*r->at == 'u' && strspn(r->at + 1, "0123456789abcdef") >= 4 && r->at[1] == '0' && r->at[2] == '0') {
            const char digits[3] = {r->at[3], r->at[4], '\0'};
            *to++ = (char)strtol(digits, NULL, 16);
            r->at += 4;
        } else {
            refuse(r, "an escape that carom does not write");
        }
    }
    *to = '\0';
    r->at++;
    return start;
}

/* A finite number as JSON writes them: strtod() also takes "nan", "inf" and "0x1". */
static bool is_number(const char *text)
{
    const char *digits = text[0] == '-' ? text + 1 : text;
    char *end;
    const double value = strtod(text, &end);
    return *digits >= '0' && *digits <= '9' && strspn(digits, "0123456789.eE+-") == strlen(digits) && *end == '\0' &&
           isfinite(value);
}

/* A number, true, false or null, copied, since a terminating 0 would overwrite the next character. */
static void read_word(reader *r, json_value *made)
{
    const size_t length = strcspn(r->at, ",]} \t\r\n");
    char *text = carom_allocate(1, length + 1);
    memcpy(text, r->at, length);
    made->text = text;
    if (strcmp(text, "null") == 0) {
        made->kind = JSON_NULL;
    } else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        made->kind = JSON_BOOL;
    } else {
        if (!is_number(text)) {
            refuse(r, "not a value");
        }
        made->kind = JSON_NUMBER;
    }
    r->at += length;
}

/* A key of `object` and its colon; dies if the object already has it. */
static const char *read_key(reader *r, const json_value *object)
{
    size_t members = 0;
    if (*r->at++ != '"') {
        refuse(r, "not a key");
    }
    const char *key = read_string(r);
    for (const json_value *at = object->first; at != NULL; at = at->next, members++) {
        if (strcmp(at->key, key) == 0) {
            refuse(r, "a duplicate key");
        }
    }
    if (members >= MOST_MEMBERS) {
        refuse(r, "more members than carom writes");
    }
    skip_blanks(r);
    if (*r->at++ != ':') {
        refuse(r, "no colon after a key");
    }
    return key;
}

static json_value *read_value(reader *r, int depth)
{
    json_value *made = carom_allocate(1, sizeof *made);
    skip_blanks(r);
    if (depth > MOST_DEPTH) {
        refuse(r, "too deep");
    }
    if (*r->at == '"') {
        r->at++;
        made->kind = JSON_STRING;
        made->text = read_string(r);
        return made;
    }
    if (*r->at != '{' && *r->at != '[') {
        read_word(r, made);
        return made;
    }
    const char end = *r->at == '{' ? '}' : ']';
    made->kind = *r->at == '{' ? JSON_OBJECT : JSON_ARRAY;
    r->at++;
    skip_blanks(r);
    json_value **last = &made->first;
    while (*r->at != end) {
        const char *key = made->kind == JSON_OBJECT ? read_key(r, made) : NULL;
        *last = read_value(r, depth + 1);
        (*last)->key = key;
        last = &(*last)->next;
        skip_blanks(r);
        if (*r->at == ',') {
            r->at++;
            skip_blanks(r);
        } else if (*r->at != end) {
            refuse(r, "no comma between values");
        }
    }
    r->at++;
    return made;
}

json_value *carom_json_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        carom_die("%s: %s", path, strerror(errno));
    }
    size_t length;
    char *text = carom_file_read(file, path, NULL, &length);
    reader r = {path, text, text};
    json_value *root = carom_allocate(1, sizeof *root); /* the text belongs to it */
    root->kind = JSON_ARRAY;
    root->text = text;
    root->first = read_value(&r, 0);
    skip_blanks(&r);
    if (*r.at != '\0') {
        refuse(&r, "more than one value");
    }
    return root;
}

static void free_values(json_value *value)
{
    while (value != NULL) {
        json_value *next = value->next;
        free_values(value->first);
        if (value->kind <= JSON_NUMBER) {
            free((char *)value->text);
        }
        free(value);
        value = next;
    }
}

void carom_json_free(json_value *value)
{
    free((char *)value->text);
    value->text = NULL;
    free_values(value);
}

const json_value *carom_json_find(const json_value *object, const char *key)
{
    if (object == NULL || object->kind != JSON_OBJECT) {
        return NULL;
    }
    for (const json_value *at = object->first; at != NULL; at = at->next) {
        if (strcmp(at->key, key) == 0) {
            return at;
        }
    }
    return NULL;
}
