/* SPDX-License-Identifier: MIT
 * The protocols of the games that bots play: see protocol.h.
 */
#include "protocol.h"
#include "../command/command.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void carom_protocol_add(protocol_text *text, const char *format, ...)
{
    const size_t room = sizeof text->bytes - text->length;
    va_list list;
    va_start(list, format);
    const int written = vsnprintf(text->bytes + text->length, room, format, list);
    va_end(list);
    text->length += written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
}

void carom_protocol_get(const carom_worlds *worlds, size_t world, const char *name, void *values)
{
    size_t field;
    if (carom_worlds_find_field(worlds, name, &field) != CAROM_OK ||
        carom_worlds_get(worlds, field, world, 1, values) != CAROM_OK) {
        carom_die("the game has no field %s", name);
    }
}

/* ---- csb ---- */

static void csb_greet(const carom_worlds *worlds, unsigned player, protocol_text *text)
{
    int32_t map, checkpoints[1024][2];
    uint32_t n = 0, laps = 0;
    (void)player;
    carom_protocol_get(worlds, 0, "map", &map);
    carom_csb_get_map(worlds, (uint32_t)map, &n, &laps, checkpoints, 1024);
    carom_protocol_add(text, "%u\n%u\n", laps, n);
    for (uint32_t i = 0; i < n; i++) {
        carom_protocol_add(text, "%d %d\n", checkpoints[i][0], checkpoints[i][1]);
    }
}

static void csb_tell(const carom_worlds *worlds, unsigned player, bool scores, protocol_text *text)
{
    double x[4], y[4], vx[4], vy[4], angle[4];
    int16_t next[4];
    int32_t map;
    uint32_t n = 1;
    (void)scores;
    carom_protocol_get(worlds, 0, "x", x);
    carom_protocol_get(worlds, 0, "y", y);
    carom_protocol_get(worlds, 0, "vx", vx);
    carom_protocol_get(worlds, 0, "vy", vy);
    carom_protocol_get(worlds, 0, "angle", angle);
    carom_protocol_get(worlds, 0, "next", next);
    carom_protocol_get(worlds, 0, "map", &map);
    carom_csb_get_map(worlds, (uint32_t)map, &n, NULL, NULL, 0);
    for (unsigned k = 0; k < 4; k++) {
        const unsigned pod = k ^ (2 * player); /* the player's own first */
        carom_protocol_add(text, "%.0f %.0f %.0f %.0f %.0f %d\n", x[pod] + 0.0, y[pod] + 0.0, vx[pod] + 0.0,
                           vy[pod] + 0.0, floor(angle[pod] * 57.29577951308232 + 0.5) + 0.0, next[pod] % (int)n);
    }
}

/* Reads a word of the line and moves *at past it; false if there is none that fits. */
static bool take_word(const char **at, char *word, size_t size)
{
    while (isspace((unsigned char)**at)) {
        (*at)++;
    }
    size_t length = 0;
    while ((*at)[length] != '\0' && !isspace((unsigned char)(*at)[length])) {
        length++;
    }
    if (length == 0 || length >= size) {
        return false;
    }
    memcpy(word, *at, length);
    word[length] = '\0';
    *at += length;
    return true;
}

#define CSB_MOST_THRUST 200
#define CSB_LEAST_THRUST (-9999)

/* "x y thrust message". A thrust above 200 loses the game, like a missing number. One below 0 is accepted, since the
 * referee checks the upper bound only: it pushes the pod away from its target. The lower limit here keeps pods from
 * leaving the range of the world within a game, after which the game could not be decided. */
static bool csb_read_line(const char *line, double *numbers)
{
    char word[64], *end;
    for (int k = 0; k < 2; k++) {
        if (!take_word(&line, word, sizeof word)) {
            return false;
        }
        numbers[k] = strtod(word, &end);
        if (*end != '\0' || !isfinite(numbers[k])) {
            return false;
        }
    }
    if (!take_word(&line, word, sizeof word)) {
        return false;
    }
    if (strcmp(word, "SHIELD") == 0 || strcmp(word, "BOOST") == 0) {
        numbers[2] = word[0] == 'S' ? (double)CAROM_CSB_SHIELD : (double)CAROM_CSB_BOOST;
        return true;
    }
    const char *digits = word[0] == '-' ? word + 1 : word;
    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits)) {
        return false;
    }
    numbers[2] = strtod(word, NULL);
    return numbers[2] >= CSB_LEAST_THRUST && numbers[2] <= CSB_MOST_THRUST;
}

static void csb_write(const double *numbers, char line[PROTOCOL_LINE])
{
    const char *word = numbers[2] == (double)CAROM_CSB_SHIELD  ? "SHIELD"
                       : numbers[2] == (double)CAROM_CSB_BOOST ? "BOOST"
                                                               : "%.0f";
    const int length = snprintf(line, PROTOCOL_LINE, "%.0f %.0f ", numbers[0], numbers[1]);
    snprintf(line + length, (size_t)(PROTOCOL_LINE - length), word, numbers[2]);
}

const protocol carom_csb_protocol = {"csb", 3, csb_greet, csb_tell, csb_read_line, csb_write};

/* ---- fantastic_bits ---- */

#define FB_SNAFFLE CAROM_FANTASTIC_BITS_SNAFFLE
#define FB_BLUDGER CAROM_FANTASTIC_BITS_BLUDGER
#define FB_BODIES CAROM_FANTASTIC_BITS_POST

static void fantastic_bits_greet(const carom_worlds *worlds, unsigned player, protocol_text *text)
{
    (void)worlds;
    carom_protocol_add(text, "%u\n", player);
}

static void fantastic_bits_tell(const carom_worlds *worlds, unsigned player, bool scores, protocol_text *text)
{
    double x[FB_BODIES], y[FB_BODIES], vx[FB_BODIES], vy[FB_BODIES];
    int8_t hold[4], alive[7], score[2], mana[2], snaffles;
    carom_protocol_get(worlds, 0, "x", x);
    carom_protocol_get(worlds, 0, "y", y);
    carom_protocol_get(worlds, 0, "vx", vx);
    carom_protocol_get(worlds, 0, "vy", vy);
    carom_protocol_get(worlds, 0, "hold", hold);
    carom_protocol_get(worlds, 0, "alive", alive);
    carom_protocol_get(worlds, 0, "score", score);
    carom_protocol_get(worlds, 0, "mana", mana);
    carom_protocol_get(worlds, 0, "snaffles", &snaffles);
    if (scores) {
        carom_protocol_add(text, "%d %d\n%d %d\n", score[player], mana[player], score[1 - player], mana[1 - player]);
    }
    int shown = 4 + 2;
    for (int k = 0; k < snaffles; k++) {
        shown += alive[k] != 0;
    }
    carom_protocol_add(text, "%d\n", shown);
    for (int k = 0; k < FB_BODIES; k++) {
        const int slot = k < 4 ? k ^ (2 * (int)player) : k; /* the player's own first */
        const bool snaffle = slot >= FB_SNAFFLE && slot < FB_BLUDGER;
        if (snaffle && (slot - FB_SNAFFLE >= snaffles || alive[slot - FB_SNAFFLE] == 0)) {
            continue;
        }
        const int id = slot < FB_BLUDGER ? slot : slot - FB_BLUDGER + FB_SNAFFLE + snaffles;
        const char *type = slot >= FB_BLUDGER ? "BLUDGER" : snaffle ? "SNAFFLE" : k < 2 ? "WIZARD" : "OPPONENT_WIZARD";
        carom_protocol_add(text, "%d %s %.0f %.0f %.0f %.0f %d\n", id, type, x[slot] + 0.0, y[slot] + 0.0,
                           vx[slot] + 0.0, vy[slot] + 0.0, slot < 4 && hold[slot] >= 0);
    }
}

static bool fantastic_bits_read(const char *line, double *numbers)
{
    return carom_fantastic_bits_read_line(line, numbers) == CAROM_OK;
}

static void fantastic_bits_write(const double *numbers, char line[PROTOCOL_LINE])
{
    static const char *const verbs[] = {"MOVE", "THROW", "OBLIVIATE", "PETRIFICUS", "ACCIO", "FLIPENDO"};
    const int verb = (int)numbers[0], spell = (int)CAROM_FANTASTIC_BITS_OBLIVIATE;
    snprintf(line, PROTOCOL_LINE, verb < spell ? "%s %.0f %.0f %.0f" : "%s %.0f", verbs[verb], numbers[1], numbers[2],
             numbers[3]);
}

const protocol carom_fantastic_bits_protocol = {
    "fantastic_bits", 4, fantastic_bits_greet, fantastic_bits_tell, fantastic_bits_read, fantastic_bits_write};

const protocol *carom_protocol_find(const char *game)
{
    static const protocol *const all[] = {&carom_csb_protocol, &carom_fantastic_bits_protocol};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i]->game, game) == 0) {
            return all[i];
        }
    }
    return NULL;
}
