/* SPDX-License-Identifier: MIT
 * What tick/checked.h declares, for the host's side of a game from outside, where its trial is played (kit/trial.h).
 */
#ifndef CAROM_KIT_ENGINE_CHECKED_H
#define CAROM_KIT_ENGINE_CHECKED_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHECKED_SPARE 16 /* rows and numbers beyond an array's end that are watched */

typedef struct checked_notes {
    char text[192];   /* what is wrong first; "": nothing */
    uint8_t *seen;    /* [number of an observation]: has it been set? NULL: it is not asked */
    uint32_t numbers; /* of an action, all players */
    unsigned bits;    /* of each */
} checked_notes;

static __thread checked_notes checked;

/* Notes what is wrong, unless something was before. */
#define CHECKED_WRONG(...)                                                                                             \
    do {                                                                                                               \
        if (checked.text[0] == '\0') {                                                                                 \
            snprintf(checked.text, sizeof checked.text, __VA_ARGS__);                                                  \
        }                                                                                                              \
    } while (0)

/* `format` has the place of the number and then that of `count`. */
#define CHECKED_INDEX(index, count, format)                                                                            \
    do {                                                                                                               \
        if ((uint64_t)(index) >= (uint64_t)(count)) {                                                                  \
            CHECKED_WRONG(format, (int)(index), (int)(count));                                                         \
            (index) = 0;                                                                                               \
        }                                                                                                              \
    } while (0)

/* Is the action's number e, of `width` bits, one that there is? */
#define CHECKED_ACTION(e, width)                                                                                       \
    do {                                                                                                               \
        if (checked.bits != (width)) {                                                                                 \
            CHECKED_WRONG("the rules read a kind of action of F%u by number_f%d()", checked.bits, width);              \
        }                                                                                                              \
        CHECKED_INDEX(e, checked.numbers, "the rules read number %d of an action of %d, all players");                 \
    } while (0)

#define CHECKED_SEEN(number)                                                                                           \
    do {                                                                                                               \
        if (checked.seen != NULL) {                                                                                    \
            checked.seen[number] = 1;                                                                                  \
        }                                                                                                              \
    } while (0)

/* An array that is longer than the rules know: what is beyond `count` is filled, and must be found unchanged. */
#define CHECKED_ROOM(count) ((count) + CHECKED_SPARE)
#define CHECKED_FILL(array, count) memset((array) + (count), 0xA5, CHECKED_SPARE * sizeof *(array))
#define CHECKED_HELD(array, count, format)                                                                             \
    do {                                                                                                               \
        for (unsigned char *spare = (unsigned char *)((array) + (count)), *end_of = spare;                             \
             spare < end_of + CHECKED_SPARE * sizeof *(array); spare++) {                                              \
            if (*spare != 0xA5) {                                                                                      \
                CHECKED_WRONG(format, (int)((count) + (spare - end_of) / (int)sizeof *(array)), (int)(count));         \
                break;                                                                                                 \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

#endif
