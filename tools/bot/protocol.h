/* SPDX-License-Identifier: MIT
 * The protocol between a game's referee and its bots: lines of text.
 *
 * The referee greets a player once, before the first turn. Then, in every turn, it writes what the player sees, and the
 * player answers in PROTOCOL_LINES lines, one per pod or wizard.
 */
#ifndef CAROM_TOOLS_BOT_PROTOCOL_H
#define CAROM_TOOLS_BOT_PROTOCOL_H

#include <carom/carom.h>

#define PROTOCOL_LINES 2
#define PROTOCOL_LINE 256   /* the most bytes of a player's line, including its end */
#define PROTOCOL_NUMBERS 4  /* the most numbers of a line */
#define PROTOCOL_TEXT 65536 /* more than a referee writes in one turn */

/* Text that grows; what does not fit is left out. */
typedef struct protocol_text {
    size_t length;
    char bytes[PROTOCOL_TEXT];
} protocol_text;

void carom_protocol_add(protocol_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct protocol {
    const char *game;
    unsigned numbers; /* of a line: a part of an action of the kind `referee` */
    /* Append the input of player `player` of world 0, before the first turn and in every turn. `scores`: include the
     * players' scores and mana in games whose protocol has such a form. */
    void (*greet)(const carom_worlds *worlds, unsigned player, protocol_text *text);
    void (*tell)(const carom_worlds *worlds, unsigned player, bool scores, protocol_text *text);
    /* Reads the numbers of a line without its end; false if the line is not valid. */
    bool (*read)(const char *line, double *numbers);
    /* Writes the line for these numbers of a plan. */
    void (*write)(const double *numbers, char line[PROTOCOL_LINE]);
} protocol;

/* NULL: bots cannot play this game. */
const protocol *carom_protocol_find(const char *game);

/* Field `name` of a world into values, whose type is the field's; dies if there is none. */
void carom_protocol_get(const carom_worlds *worlds, size_t world, const char *name, void *values);

extern const protocol carom_csb_protocol;
extern const protocol carom_fantastic_bits_protocol;

#endif
