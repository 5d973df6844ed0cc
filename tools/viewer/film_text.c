/* SPDX-License-Identifier: MIT
 * A film as JSON. Lists of numbers are the bytes of a little-endian array in base64: exact, and short.
 */
#include "film_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"

#define WIDE_LIMIT 4096 /* up to this many bodies in all worlds are sent in full, in double; above only positions */
#define IMPACT 27       /* numbers of an impact */

/* Makes room for `size` more bytes and a zero. */
static char *reach(text_buffer *to, size_t size)
{
    if (to->room - to->size <= size) {
        to->room = 2 * (to->size + size) + 1024;
        char *more = realloc(to->bytes, to->room);
        if (more == NULL) {
            carom_die("cannot write the page: %s", carom_status_string(CAROM_ERROR_MEMORY));
        }
        to->bytes = more;
    }
    return to->bytes + to->size;
}

void text_put(text_buffer *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    vsnprintf(reach(to, (size_t)length), (size_t)length + 1, format, again);
    to->size += (size_t)length;
    va_end(again);
    va_end(list);
}

/* Quoted. '<' is also escaped, since the text may be part of a page. */
static void put_string(text_buffer *to, const char *text)
{
    text_put(to, "\"");
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == 0x7f) {
            text_put(to, "\\u%04x", c);
        } else {
            text_put(to, "%c", c);
        }
    }
    text_put(to, "\"");
}

/* Bytes of the UTF-8 character at `at`, with `left` bytes left; 0 if it is invalid. */
static size_t character(const char *at, size_t left)
{
    const unsigned char first = (unsigned char)*at;
    const size_t length = first < 0x80   ? 1
                          : first < 0xc2 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf5 ? 4
                                         : 0;
    for (size_t k = 1; k < length; k++) {
        if (k >= left || ((unsigned char)at[k] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

/* The same for a text from programs, which may hold anything. */
static void put_text(text_buffer *to, const char *text, size_t length)
{
    char one[5];
    text_put(to, "\"");
    for (size_t k = 0, bytes; k < length; k += bytes) {
        bytes = character(text + k, length - k);
        if (bytes == 0) {
            text_put(to, "\\ufffd");
            bytes = 1;
        } else if (bytes == 1 && ((unsigned char)text[k] < ' ' || strchr("\"\\<\x7f", text[k]) != NULL)) {
            text_put(to, "\\u%04x", (unsigned char)text[k]);
        } else {
            snprintf(one, sizeof one, "%.*s", (int)bytes, text + k);
            text_put(to, "%s", one);
        }
    }
    text_put(to, "\"");
}

/* Writes `count` numbers of `bytes` bytes each. */
static void put_base64(text_buffer *to, const void *numbers, size_t count, size_t bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t size = count * bytes, reversed = LITTLE_ENDIAN_MACHINE ? 0 : bytes - 1;
    const unsigned char *from = numbers;
    char *at = reach(to, size / 3 * 4 + 8);
    *at++ = '"';
    for (size_t k = 0; k < size; k += 3) {
        const size_t left = size - k;
        const unsigned word = (unsigned)from[k ^ reversed] << 16 |
                              (left > 1 ? (unsigned)from[(k + 1) ^ reversed] << 8 : 0) |
                              (left > 2 ? from[(k + 2) ^ reversed] : 0);
        *at++ = digits[word >> 18];
        *at++ = digits[word >> 12 & 63];
        *at++ = (char)(left > 1 ? digits[word >> 6 & 63] : '=');
        *at++ = (char)(left > 2 ? digits[word & 63] : '=');
    }
    *at++ = '"';
    *at = '\0';
    to->size = (size_t)(at - to->bytes);
}

/* ---- the head ---- */

static void put_colour(text_buffer *to, colour c)
{
    text_put(to, "\"#%06x\"", c >> 8);
}

static void put_theme(text_buffer *to, const theme *t)
{
    text_put(to, "{\"ground\": ");
    put_colour(to, t->ground);
    text_put(to, ", \"text\": ");
    put_colour(to, t->text);
    text_put(to, ", \"faint\": ");
    put_colour(to, t->faint);
    text_put(to, ", \"impact\": ");
    put_colour(to, t->impact);
    text_put(to, ", \"ghost\": [");
    for (int k = 0; k < 5; k++) {
        text_put(to, "%s", k > 0 ? ", " : "");
        put_colour(to, t->ghost[k]);
    }
    text_put(to, "], \"style\": [");
    for (int k = 0; k < CAROM_LOOK_STYLES; k++) {
        text_put(to, "%s", k > 0 ? ", " : "");
        put_colour(to, t->style[k]);
    }
    text_put(to, "]}");
}

static void put_bodies(const film *f, text_buffer *to)
{
    text_put(to, "[");
    for (size_t k = 0; k < f->bodies; k++) {
        const carom_look_body *b = &f->about[k];
        text_put(to, "%s[", k > 0 ? ", " : "");
        put_string(to, b->name);
        text_put(to, ", %" PRIu32 ", %" PRIu32 ", %d, %d, %.17g, %.17g]", b->number, b->id, (int)b->style,
                 b->has_facing, b->radius, isfinite(b->mass) ? b->mass : -1);
    }
    text_put(to, "]");
}

/* The players: [world, player, name]; world -1: in all worlds. */
static void put_names(const film *f, text_buffer *to)
{
    const carom_replay *replay = f->from.replay.replay;
    const char *between = "";
    carom_replay_note note;
    text_put(to, "[");
    for (uint32_t p = 0; p < f->from.about.players; p++) {
        if (f->from.names[p] != NULL) {
            text_put(to, "%s[-1, %" PRIu32 ", ", between, p);
            put_text(to, f->from.names[p], strlen(f->from.names[p]));
            text_put(to, "]");
            between = ", ";
        }
    }
    for (size_t k = 0; replay != NULL && carom_replay_note_at(replay, k, &note) == CAROM_OK; k++) {
        if (note.kind == CAROM_NOTE_NAME) {
            text_put(to, "%s[%zu, %u, ", between, note.world, note.player);
            put_text(to, note.text, note.length);
            text_put(to, "]");
            between = ", ";
        }
    }
    text_put(to, "]");
}

/* Notes of a replay: [tick, world, player, carom_note_kind, text]. */
static void put_notes(const film *f, text_buffer *to)
{
    const carom_replay *replay = f->from.replay.replay;
    const char *between = "";
    carom_replay_note note;
    text_put(to, "[");
    for (size_t k = 0; replay != NULL && carom_replay_note_at(replay, k, &note) == CAROM_OK; k++) {
        if (note.kind != CAROM_NOTE_NAME) {
            text_put(to, "%s[%" PRIu64 ", %zu, %u, %d, ", between, note.tick, note.world, note.player, (int)note.kind);
            put_text(to, note.text, note.length);
            text_put(to, "]");
            between = ", ";
        }
    }
    text_put(to, "]");
}

static bool is_wide(const film *f)
{
    return f->worlds * f->bodies <= WIDE_LIMIT;
}

/* Numbers of a body in a frame: position and velocity; facing and radius; acceleration. */
static size_t stride_of(const film *f)
{
    return f->accelerated ? 8 : is_wide(f) ? 6 : 4;
}

static size_t bytes_of_number(const film *f)
{
    return is_wide(f) ? sizeof(double) : sizeof(float);
}

/* Numbers in base64. Converts doubles to floats in place: each float is before the doubles that are still to be
 * read. */
static void put_numbers(const film *f, double *numbers, size_t count, text_buffer *to)
{
    float *narrow = (float *)(void *)numbers;
    for (size_t k = 0; k < count && !is_wide(f); k++) {
        const double number = numbers[k];
        narrow[k] = (float)number;
    }
    put_base64(to, numbers, count, bytes_of_number(f));
}

void film_text_head(const film *f, const char *name, bool live, bool human, text_buffer *to)
{
    const carom_look_view *v = &f->view;
    text_put(to, "{\"title\": ");
    put_string(to, f->from.about.title);
    text_put(to, ", \"game\": ");
    put_string(to, f->from.about.name);
    text_put(to, ", \"source\": ");
    put_string(to, name);
    text_put(to, ", \"version\": ");
    put_string(to, carom_version());
    text_put(to, ", \"live\": %s, \"human\": %s", live ? "true" : "false", human ? "true" : "false");
    text_put(to, ", \"worlds\": %zu, \"bodies\": %zu, \"players\": %" PRIu32 ", \"first\": %" PRIu64, f->worlds,
             f->bodies, f->from.about.players, f->first);
    text_put(to, ", \"view\": [%.17g, %.17g, %.17g, %.17g], \"down\": %s", v->x0, v->y0, v->x1, v->y1,
             v->y_down ? "true" : "false");
    text_put(to, ", \"dt\": %.17g, \"wrap\": [%.17g, %.17g]", v->dt, v->wrap_x, v->wrap_y);
    text_put(to, ", \"stride\": %zu, \"bits\": %zu, \"styles\": [", stride_of(f), 8 * bytes_of_number(f));
    for (int k = 0; k < CAROM_LOOK_STYLES; k++) {
        text_put(to, "%s\"%s\"", k > 0 ? ", " : "", carom_look_style_name((carom_look_style)k));
    }
    text_put(to, "], \"light\": ");
    put_theme(to, &carom_themes[0]);
    text_put(to, ", \"dark\": ");
    put_theme(to, &carom_themes[1]);
    text_put(to, ", \"numbers\": [");
    for (size_t k = 0; k < f->numbers; k++) {
        text_put(to, "%s[", k > 0 ? ", " : "");
        put_string(to, f->named[k].name);
        text_put(to, ", %" PRId32 "]", f->named[k].player);
    }
    text_put(to, "], \"names\": ");
    put_names(f, to);
    text_put(to, ", \"notes\": ");
    put_notes(f, to);
    text_put(to, ", \"about\": ");
    put_bodies(f, to);
    text_put(to, ", ");
}

/* ---- frames ---- */

static void put_places(const film *f, size_t first, text_buffer *to)
{
    const size_t all = f->worlds * f->bodies, stride = stride_of(f);
    double *numbers = carom_allocate((f->count - first) * all * stride, sizeof *numbers);
    size_t at = 0;
    for (size_t frame = first; frame < f->count; frame++) {
        for (size_t k = 0; k < all; k++, at += stride) {
            const film_body *b = &f->frames[frame].bodies[k];
            const double of[8] = {b->there ? b->x : (double)NAN,
                                  b->there ? b->y : (double)NAN,
                                  b->vx,
                                  b->vy,
                                  b->facing,
                                  b->radius,
                                  b->ax,
                                  b->ay};
            memcpy(numbers + at, of, stride * sizeof *of);
        }
    }
    put_numbers(f, numbers, at, to);
    free(numbers);
}

/* Of each frame and world: tick, episode, end, fault, frozen, the score of each player, energy. */
static void put_states(const film *f, size_t first, text_buffer *to)
{
    text_put(to, "\"states\": ");
    const size_t count = (f->count - first) * f->worlds, players = f->from.about.players, each = 6 + players;
    double *states = carom_allocate(count * each, sizeof *states);
    uint64_t(*keys)[2] = carom_allocate(count, sizeof *keys);
    for (size_t k = 0; k < count; k++) {
        const film_state *s = &f->frames[first + k / f->worlds].states[k % f->worlds];
        const double numbers[5] = {s->tick, s->episode, s->end, s->fault, s->frozen};
        memcpy(states + k * each, numbers, sizeof numbers);
        for (size_t player = 0; player < players; player++) {
            states[k * each + 5 + player] = s->score[player];
        }
        states[k * each + 5 + players] = s->energy;
        keys[k][0] = s->hash;
        keys[k][1] = s->id;
    }
    put_base64(to, states, count * each, sizeof *states);
    text_put(to, ", \"keys\": ");
    put_base64(to, keys, 2 * count, sizeof **keys);
    free(states);
    free(keys);
    text_put(to, ", \"values\": ");
    double *values = carom_allocate(count * f->numbers, sizeof *values);
    for (size_t k = 0; k < f->count - first; k++) {
        memcpy(values + k * f->worlds * f->numbers, f->frames[first + k].numbers,
               f->worlds * f->numbers * sizeof *values);
    }
    put_base64(to, values, count * f->numbers, sizeof *values);
    free(values);
}

/* frame, world, first, second, part, kind, body, other, time of the first, x, y, nx, ny, impulse; time of the second;
 * and of first and second, x and y: centres, velocities before, velocities after. */
static void put_impacts(const film *f, size_t first, text_buffer *to)
{
    size_t count = 0, at = 0;
    for (size_t frame = first; frame < f->count; frame++) {
        count += f->frames[frame].impact_count;
    }
    double(*all)[IMPACT] = carom_allocate(count, sizeof *all);
    for (size_t frame = first; frame < f->count; frame++) {
        for (size_t k = 0; k < f->frames[frame].impact_count; k++, at++) {
            const film_impact *i = &f->frames[frame].impacts[k];
            const double numbers[15] = {(double)frame, i->world, i->first, i->second,  i->part,
                                        i->kind,       i->body,  i->other, i->time[0], i->x,
                                        i->y,          i->nx,    i->ny,    i->impulse, i->time[1]};
            memcpy(all[at], numbers, sizeof numbers);
            memcpy(all[at] + 15, i->centre, sizeof i->centre);
            memcpy(all[at] + 19, i->before, sizeof i->before);
            memcpy(all[at] + 23, i->after, sizeof i->after);
        }
    }
    put_numbers(f, all[0], count * IMPACT, to);
    free(all);
}

static void put_sceneries(const film *f, size_t first, text_buffer *to)
{
    bool begun = false;
    for (size_t k = 0; k < f->scenery_count; k++) {
        const film_scenery *s = &f->sceneries[k];
        if (s->frame < first) {
            continue;
        }
        text_put(to, "%s{\"frame\": %zu, \"world\": %zu, \"shapes\": [", begun ? ", " : "", s->frame, s->world);
        for (size_t n = 0; n < s->count; n++) {
            const carom_look_shape *shape = &s->shapes[n];
            text_put(to, "%s[%d, %d, %.9g, %.9g, %.9g, %.9g, %.9g, ", n > 0 ? ", " : "", (int)shape->kind,
                     (int)shape->style, shape->x, shape->y, shape->x2, shape->y2, shape->radius);
            put_string(to, shape->text);
            text_put(to, "]");
        }
        text_put(to, "]}");
        begun = true;
    }
}

/* Numbers of a leg of a ghost's path: both times and positions; acceleration. */
static size_t leg_stride_of(const film *f)
{
    return f->accelerated ? 8 : 6;
}

/* legs: how many each body of each future has; ways: their numbers. */
static void put_ways(const film *f, const film_ghosts *g, text_buffer *to)
{
    const size_t ways = g->count * g->bodies, legs = g->first_leg[ways], stride = leg_stride_of(f);
    uint32_t *counts = carom_allocate(ways, sizeof *counts);
    float *numbers = carom_allocate(legs * stride, sizeof *numbers);
    for (size_t k = 0; k < ways; k++) {
        counts[k] = (uint32_t)(g->first_leg[k + 1] - g->first_leg[k]);
    }
    for (size_t k = 0; k < legs; k++) {
        const film_leg *l = &g->legs[k];
        const double of[8] = {l->from, l->to, l->x0, l->y0, l->x1, l->y1, l->ax, l->ay};
        for (size_t n = 0; n < stride; n++) {
            numbers[k * stride + n] = (float)of[n];
        }
    }
    text_put(to, ", \"legs\": ");
    put_base64(to, counts, ways, sizeof *counts);
    text_put(to, ", \"ways\": ");
    put_base64(to, numbers, legs * stride, sizeof *numbers);
    free(counts);
    free(numbers);
}

static void put_ghosts(const film *f, const film_ghosts *g, text_buffer *to)
{
    text_put(to, "{\"frame\": %zu, \"world\": %zu, \"player\": %u, \"generation\": %" PRId64 ", \"generations\": %zu",
             g->frame, g->world, g->player, g->generation, g->generations);
    text_put(to, ", \"sequences\": %zu, \"count\": %zu, \"horizon\": %zu, \"returns\": ", g->sequences, g->count,
             g->horizon);
    put_base64(to, g->returns, g->count, sizeof *g->returns);
    put_ways(f, g, to);
    text_put(to, "}");
}

void film_text_frames(const film *f, size_t first, const film_ghosts *ghosts, size_t count, text_buffer *to)
{
    text_put(to, "\"from\": %zu, \"count\": %zu, \"whole\": %s, \"full\": %s, \"places\": ", first, f->count - first,
             f->whole ? "true" : "false", f->full ? "true" : "false");
    put_places(f, first, to);
    text_put(to, ", ");
    put_states(f, first, to);
    text_put(to, ", \"impacts\": ");
    put_impacts(f, first, to);
    text_put(to, ", \"sceneries\": [");
    put_sceneries(f, first, to);
    text_put(to, "], \"ghosts\": [");
    bool begun = false;
    for (size_t k = 0; k < count; k++) {
        if (ghosts[k].frame >= first) {
            text_put(to, "%s", begun ? ", " : "");
            put_ghosts(f, &ghosts[k], to);
            begun = true;
        }
    }
    text_put(to, "]}");
}

size_t film_text_size(const film *f, size_t sceneries, const film_ghosts *ghosts, size_t count)
{
    const size_t body = stride_of(f) * bytes_of_number(f), impact = IMPACT * bytes_of_number(f);
    const size_t world = (8 + 2 + f->numbers) * sizeof(double), shape = 128;
    size_t bytes = f->worlds * (f->bodies * body + world) + f->frames[f->count - 1].impact_count * impact;
    for (size_t k = 0; k < count; k++) {
        const size_t ways = ghosts[k].count * ghosts[k].bodies, legs = ghosts[k].first_leg[ways];
        bytes += ghosts[k].count * sizeof(double) + ways * sizeof(uint32_t) + legs * leg_stride_of(f) * sizeof(float);
    }
    bytes += bytes / 3; /* in base64 */
    for (size_t k = sceneries; k < f->scenery_count; k++) {
        bytes += f->sceneries[k].count * shape;
    }
    return bytes;
}
