/* SPDX-License-Identifier: MIT
 * What a game's referee and its bots say to each other, as lines of text.
 *
 * The referee tells a player something once, before the first turn; then, every turn, it tells what the player sees,
 * and the player answers in PROTOCOL_LINES lines, one a pod or wizard.
 */
#ifndef CAROM_TOOLS_BOT_PROTOCOL_H
#define CAROM_TOOLS_BOT_PROTOCOL_H

#include <carom/carom.h>

#define PROTOCOL_LINES 2
#define PROTOCOL_LINE 256   /* bytes of a line that a player may write, its end included */
#define PROTOCOL_NUMBERS 4  /* most numbers that a line stands for */
#define PROTOCOL_TEXT 65536 /* more than a referee tells in one turn */

/* Text that grows; what does not fit is left out. */
typedef struct protocol_text {
    size_t length;
    char bytes[PROTOCOL_TEXT];
} protocol_text;

void carom_protocol_add(protocol_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct protocol {
    const char *game;
    unsigned numbers; /* that a line stands for: a part of an action of the kind `referee` */
    /* Both append what player `player` of world 0 is told, before the first turn and in every turn. `scores`: tell the
     * players' scores and mana, too, where the game has such a form. */
    void (*greet)(const carom_worlds *worlds, unsigned player, protocol_text *text);
    void (*tell)(const carom_worlds *worlds, unsigned player, bool scores, protocol_text *text);
    /* The numbers of a line without its end; false if the rules' syntax forbids it. */
    bool (*read)(const char *line, double *numbers);
    /* The line for these numbers, which a plan gives. */
    void (*write)(const double *numbers, char line[PROTOCOL_LINE]);
} protocol;

/* NULL: bots cannot play this game. */
const protocol *carom_protocol_find(const char *game);

/* Field `name` of a world into values, whose type is the field's; dies if there is none. */
void carom_protocol_get(const carom_worlds *worlds, size_t world, const char *name, void *values);

extern const protocol carom_csb_protocol;
extern const protocol carom_fantastic_bits_protocol;

#endif
