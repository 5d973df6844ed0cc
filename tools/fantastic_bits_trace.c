/* SPDX-License-Identifier: MIT
 * The reader of fantastic_bits traces: lines cut into words, checked numbers, and the order of the records.
 */
#define _POSIX_C_SOURCE 200809L

#include "fantastic_bits_trace.h"

#include <carom/fantastic_bits.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 8192 /* a line of steps grows with them */
#define MAX_WORDS 320
#define MAX_STEPS CAROM_FANTASTIC_BITS_STEPS
#define POSITION_LIMIT 16777216.0

typedef struct reader {
    FILE *stream;
    const char *name;
    unsigned line; /* number of the current line, from 1 */
    char text[LINE_SIZE], cut[LINE_SIZE];
    char *words[MAX_WORDS]; /* of the current line, within cut */
    size_t count, at;       /* words; the next one */
    bool ended;             /* there is no current line */
    char *message;
    size_t message_size;
    fb_trace *trace;
    size_t turn_room, hit_room, step_room;
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
fail(reader *r, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (r->message_size > 0)
        snprintf(r->message, r->message_size, "%s:%u: %s", r->name, r->line, what);
    return false;
}

/* ---- lines and words ---- */

static bool read_line(reader *r)
{
    size_t length = 0;
    int c;
    r->line++;
    while ((c = getc(r->stream)) != EOF && c != '\n') {
        if (length == LINE_SIZE - 1)
            return fail(r, "the line has more than %d characters", LINE_SIZE - 1);
        if ((c < ' ' || c > '~') && c != '\r' && c != '\t')
            return fail(r, "byte 0x%02x is not part of a text", (unsigned)c);
        r->text[length++] = (char)c;
    }
    if (ferror(r->stream))
        return fail(r, "cannot read the file: %s", strerror(errno));
    if (c == EOF && length > 0)
        return fail(r, "the file ends within the line");
    if (length > 0 && r->text[length - 1] == '\r')
        length--;
    r->text[length] = '\0';
    r->ended = c == EOF;
    memcpy(r->cut, r->text, length + 1);
    r->count = r->at = 0;
    char *rest = r->cut;
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        if (r->count == MAX_WORDS)
            return fail(r, "the line has more than %d words", MAX_WORDS);
        r->words[r->count++] = word;
    }
    return true;
}

static bool is_next(const reader *r, const char *word)
{
    return !r->ended && r->at < r->count && strcmp(r->words[r->at], word) == 0;
}

/* Takes one word, which must be this. */
static bool take(reader *r, const char *word)
{
    if (!is_next(r, word))
        return fail(r, "'%s' was expected here, not '%.40s'", word,
                    r->ended           ? "the end of the file"
                    : r->at < r->count ? r->words[r->at]
                                       : "the end of the line");
    r->at++;
    return true;
}

static bool take_end(reader *r)
{
    return r->at == r->count ? read_line(r) : fail(r, "'%.40s' is one word too many", r->words[r->at]);
}

static const char *take_word(reader *r)
{
    return r->at < r->count ? r->words[r->at++] : "";
}

static bool take_integer(reader *r, int64_t low, int64_t high, int64_t *value)
{
    const char *word = take_word(r);
    char *end;
    errno = 0;
    *value = strtoll(word, &end, 10);
    if (end == word || *end != '\0' || errno != 0 || *value < low || *value > high)
        return fail(r, "'%.40s' is not an integer within %lld .. %lld", word, (long long)low, (long long)high);
    return true;
}

static bool take_small(reader *r, int64_t low, int64_t high, int8_t *value)
{
    int64_t number;
    if (!take_integer(r, low, high, &number))
        return false;
    *value = (int8_t)number;
    return true;
}

static bool take_real(reader *r, double limit, double *value)
{
    const char *word = take_word(r);
    char *end;
    *value = strtod(word, &end);
    if (end == word || *end != '\0' || strspn(word, "+-.0123456789eE") != strlen(word) || !(fabs(*value) <= limit))
        return fail(r, "'%.40s' is not a decimal number within +-%.10g", word, limit);
    return true;
}

static bool take_reals(reader *r, size_t count, double *values)
{
    for (size_t k = 0; k < count; k++)
        if (!take_real(r, POSITION_LIMIT, &values[k]))
            return false;
    return true;
}

/* The slot of an entity or, if allowed, a post; or -1 for -1. */
static bool take_slot(reader *r, int64_t low, int64_t high, int8_t *slot)
{
    int64_t id, snaffles_end = CAROM_FANTASTIC_BITS_SNAFFLE + r->trace->snaffles;
    if (!take_integer(r, -1, snaffles_end + 5, &id))
        return false;
    *slot = (int8_t)(id < snaffles_end ? id : id - snaffles_end + CAROM_FANTASTIC_BITS_BLUDGER);
    return (*slot >= low && *slot <= high) || fail(r, "entity %lld may not stand here", (long long)id);
}

static bool grow(reader *r, void **array, size_t count, size_t *room, size_t element)
{
    if (count < *room)
        return true;
    *room = *room == 0 ? 256 : 2 * *room;
    void *grown = realloc(*array, *room * element);
    if (grown == NULL)
        return fail(r, "out of memory");
    *array = grown;
    return true;
}

/* ---- records ---- */

static bool read_head(reader *r)
{
    int64_t number;
    if (!read_line(r) || !take(r, "#") || (take_word(r), !take(r, "seed")) ||
        !take_integer(r, INT64_MIN, INT64_MAX, &r->trace->seed))
        return false;
    r->at = r->count; /* the bots' names */
    if (!take_end(r) || !take(r, "snaffles") || !take_small(r, 5, 7, &r->trace->snaffles))
        return false;
    const int64_t win = r->trace->snaffles / 2 + 1;
    if (r->trace->snaffles == 6)
        return fail(r, "there are 5 or 7 snaffles");
    if (!take(r, "bludgers") || !take_integer(r, 2, 2, &number) || !take(r, "posts") ||
        !take_integer(r, 4, 4, &number) || !take(r, "towin") || !take_integer(r, win, win, &number) || !take_end(r))
        return false;
    for (int k = 0; k < 4; k++) {
        double place[2];
        int8_t slot;
        if (!take(r, "post") || !take_slot(r, 13 + k, 13 + k, &slot) || !take_reals(r, 2, place) || !take_end(r))
            return false;
    }
    return true;
}

static bool read_ignores(reader *r, int8_t *set)
{
    *set = 0;
    if (is_next(r, "-"))
        return take(r, "-");
    while (r->at < r->count && !is_next(r, "|")) {
        char *rest = r->words[r->at++];
        for (char *word; (word = strtok_r(rest, ",", &rest)) != NULL;) {
            long id = strtol(word, NULL, 10);
            if (id < CAROM_FANTASTIC_BITS_SNAFFLE || id >= CAROM_FANTASTIC_BITS_SNAFFLE + r->trace->snaffles)
                return fail(r, "'%.40s' is no snaffle", word);
            *set |= (int8_t)(1 << (id - CAROM_FANTASTIC_BITS_SNAFFLE));
        }
    }
    return true;
}

static bool read_rest(reader *r, fb_trace_state *s, int slot, bool start)
{
    return (start || (take(r, "|") && take_reals(r, 4, s->moved[slot]))) && take_end(r);
}

/* "pod 3 x y vx vy" of the body in `slot`. */
static bool read_body(reader *r, fb_trace_state *s, const char *tag, int slot)
{
    int8_t found;
    return take(r, tag) && take_slot(r, slot, slot, &found) && take_reals(r, 1, &s->x[slot]) &&
           take_reals(r, 1, &s->y[slot]) && take_reals(r, 1, &s->vx[slot]) && take_reals(r, 1, &s->vy[slot]);
}

static bool read_state(reader *r, fb_trace_state *s, bool start)
{
    static const char *const spells[4] = {"o", "p", "a", "f"};
    memset(s, 0, sizeof *s);
    if (!take(r, "players") || !take_small(r, -1, 7, &s->score[0]) || !take_small(r, 0, 100, &s->mana[0]) ||
        !take_small(r, -1, 7, &s->score[1]) || !take_small(r, 0, 100, &s->mana[1]) || !take_end(r))
        return false;
    for (int i = 0; i < 4; i++) {
        if (!read_body(r, s, "pod", i) || !take(r, "hold") || !take_slot(r, -1, 10, &s->hold[i]) || !take(r, "wait") ||
            !take_small(r, 0, 3, &s->wait[i]))
            return false;
        for (int k = 0; k < 4; k++)
            if (!take(r, spells[k]) || !take_small(r, 0, 6, &s->countdown[4 * i + k]) ||
                !take_slot(r, -1, 12, &s->target[4 * i + k]))
                return false;
        if (!read_rest(r, s, i, start))
            return false;
    }
    for (int k = 0; k < r->trace->snaffles; k++) {
        int8_t held;
        int slot = CAROM_FANTASTIC_BITS_SNAFFLE + k;
        if (!read_body(r, s, "snaffle", slot) || !take(r, "alive") || !take_small(r, 0, 1, &s->alive[k]) ||
            !take(r, "held") || !take_small(r, 0, 1, &held) || !take(r, "ignores") ||
            !read_ignores(r, &s->ignores[k]) || !read_rest(r, s, slot, start))
            return false;
    }
    for (int k = 0; k < 2; k++) {
        int slot = CAROM_FANTASTIC_BITS_BLUDGER + k;
        if (!read_body(r, s, "bludger", slot) || !take(r, "last") || !take_slot(r, -1, 3, &s->last[k]) ||
            !read_rest(r, s, slot, start))
            return false;
    }
    return true;
}

static bool take_side(reader *r, uint8_t *side)
{
    static const char *const sides[4] = {"RIGHT", "LEFT", "BOTTOM", "TOP"};
    for (int k = 0; k < 4; k++) {
        if (is_next(r, sides[k])) {
            *side = (uint8_t)(CAROM_FANTASTIC_BITS_WALL + k);
            return take(r, sides[k]);
        }
    }
    return fail(r, "a wall's side was expected here");
}

static bool read_hit(reader *r, fb_trace_hit *hit)
{
    static const char *const kinds[5] = {"WALL", "POST", "PAIR", "GRAB", "GOAL"};
    int kind = 0;
    int8_t first, second = 0;
    memset(hit, 0, sizeof *hit);
    while (kind < 5 && !is_next(r, kinds[kind]))
        kind++;
    if (kind == 5)
        return fail(r, "no such hit");
    r->at++;
    hit->kind = (fb_trace_kind)kind;
    if (!take_real(r, 1, &hit->time) || !take_slot(r, 0, 12, &first))
        return false;
    hit->first = (uint8_t)first;
    if (kind == FB_TRACE_WALL)
        return take_side(r, &hit->second) && take_reals(r, 1, &hit->x1) && take_reals(r, 1, &hit->y1) &&
               take_reals(r, 1, &hit->impulse);
    if (kind == FB_TRACE_GOAL) {
        if (!take_small(r, 0, 1, &second))
            return false;
        hit->second = (uint8_t)(CAROM_FANTASTIC_BITS_GOAL + second);
        return true;
    }
    if (!take_slot(r, 0, 16, &second) || !take_reals(r, 1, &hit->x1) || !take_reals(r, 1, &hit->y1) ||
        !take_reals(r, 1, &hit->x2) || !take_reals(r, 1, &hit->y2))
        return false;
    hit->second = (uint8_t)second;
    return kind == FB_TRACE_GRAB || take_reals(r, 1, &hit->impulse);
}

static bool read_turn(reader *r, size_t number)
{
    fb_trace *trace = r->trace;
    int64_t found;
    if (trace->turn_count == FB_TRACE_MAX_TURNS)
        return fail(r, "more than %d turns", FB_TRACE_MAX_TURNS);
    if (!grow(r, (void **)&trace->turns, trace->turn_count, &r->turn_room, sizeof *trace->turns) || !take(r, "turn") ||
        !take_integer(r, (int64_t)number, (int64_t)number, &found) || !take_end(r))
        return false;
    fb_trace_turn *turn = &trace->turns[trace->turn_count++];
    memset(turn, 0, sizeof *turn);
    for (int i = 0; i < 4; i++) {
        if (!take(r, "cmd") || !take_integer(r, i, i, &found))
            return false;
        if (strlen(r->text) < 6 || strlen(r->text) - 6 >= FB_TRACE_COMMAND)
            return fail(r, "the command is empty or has more than %d characters", FB_TRACE_COMMAND - 1);
        memcpy(turn->commands[i], r->text + 6, strlen(r->text) - 6 + 1);
        if (!read_line(r))
            return false;
    }
    turn->first_hit = trace->hit_count;
    while (is_next(r, "hit")) {
        if (turn->hit_count == FB_TRACE_MAX_HITS)
            return fail(r, "more than %d hits in a turn", FB_TRACE_MAX_HITS);
        if (!grow(r, (void **)&trace->hits, trace->hit_count, &r->hit_room, sizeof *trace->hits) || !take(r, "hit") ||
            !read_hit(r, &trace->hits[trace->hit_count]) || !take_end(r))
            return false;
        trace->hit_count++;
        turn->hit_count++;
    }
    if (!take(r, "steps") || !take_integer(r, 1, MAX_STEPS, &found))
        return false;
    turn->first_step = trace->step_count;
    for (turn->step_count = 0; turn->step_count < (size_t)found; turn->step_count++) {
        if (!grow(r, (void **)&trace->steps, trace->step_count, &r->step_room, sizeof *trace->steps) ||
            !take_real(r, 1, &trace->steps[trace->step_count]))
            return false;
        trace->step_count++;
    }
    if (!take_end(r) || !take(r, "over") || !take_integer(r, 0, 1, &found) || !take_end(r))
        return false;
    turn->over = found != 0;
    return read_state(r, &turn->state, false);
}

static bool read_all(reader *r)
{
    int64_t zero;
    if (!read_head(r) || !take(r, "turn") || !take_integer(r, 0, 0, &zero) || !take_end(r) ||
        !read_state(r, &r->trace->start, true))
        return false;
    size_t number = 0;
    do {
        if (!read_turn(r, ++number))
            return false;
    } while (!r->ended);
    return true;
}

/* ---- traces ---- */

bool fb_trace_read_stream(FILE *stream, const char *name, fb_trace *trace, char *message, size_t size)
{
    reader *r = calloc(1, sizeof *r);
    memset(trace, 0, sizeof *trace);
    if (r == NULL) {
        if (size > 0)
            snprintf(message, size, "%s:1: out of memory", name);
        return false;
    }
    r->stream = stream;
    r->name = name;
    r->message = message;
    r->message_size = size;
    r->trace = trace;
    bool good = read_all(r);
    free(r);
    if (!good)
        fb_trace_free(trace);
    return good;
}

bool fb_trace_read(const char *path, fb_trace *trace, char *message, size_t size)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        if (size > 0)
            snprintf(message, size, "%s:1: cannot open the file: %s", path, strerror(errno));
        memset(trace, 0, sizeof *trace);
        return false;
    }
    bool good = fb_trace_read_stream(stream, path, trace, message, size);
    fclose(stream);
    return good;
}

void fb_trace_free(fb_trace *trace)
{
    free(trace->turns);
    free(trace->hits);
    free(trace->steps);
    memset(trace, 0, sizeof *trace);
}

void fb_trace_actions(const fb_trace_turn *turn, double actions[4][4])
{
    for (int i = 0; i < 4; i++)
        (void)carom_fantastic_bits_read_line(turn->commands[i], actions[i]); /* a bad line is an action, too */
}
