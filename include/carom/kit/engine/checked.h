/* SPDX-License-Identifier: MIT
 * The checks of tick/checked.h as they are on the host's side of a game from outside, for its trial (trial.h).
 */
#ifndef CAROM_KIT_ENGINE_CHECKED_H
#define CAROM_KIT_ENGINE_CHECKED_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHECKED_SPARE 16 /* elements beyond an array's end that are watched for writes */

/* The state of a trial, of which a thread plays one at a time. */
typedef struct checked_notes {
    char text[192];   /* describes the first error; "" if there is none */
    uint8_t *seen;    /* [number of an observation]: 1 once the rules have set it; NULL if this is not tracked */
    uint32_t numbers; /* of an action, all players */
    unsigned bits;    /* of each of these: 32 or 64 */
} checked_notes;

static __thread checked_notes checked;

/* Notes an error, unless there is one already: later ones may be consequences. */
#define CHECKED_WRONG(...)                                                                                             \
    do {                                                                                                               \
        if (checked.text[0] == '\0') {                                                                                 \
            snprintf(checked.text, sizeof checked.text, __VA_ARGS__);                                                  \
        }                                                                                                              \
    } while (0)

/* Checks that index < count, else notes an error and sets index to 0. format: for printf, of index and then count. */
#define CHECKED_INDEX(index, count, format)                                                                            \
    do {                                                                                                               \
        if ((uint64_t)(index) >= (uint64_t)(count)) {                                                                  \
            CHECKED_WRONG(format, (int)(index), (int)(count));                                                         \
            (index) = 0;                                                                                               \
        }                                                                                                              \
    } while (0)

/* Checks a read of number e of an action, as one of `width` bits. */
#define CHECKED_ACTION(e, width)                                                                                       \
    do {                                                                                                               \
        if (checked.bits != (width)) {                                                                                 \
            CHECKED_WRONG("the rules read a kind of action of F%u by number_f%d()", checked.bits, width);              \
        }                                                                                                              \
        CHECKED_INDEX(e, checked.numbers, "the rules read number %d of an action of %d, all players");                 \
    } while (0)

/* Notes that the rules have set a number of the observation. */
#define CHECKED_SEEN(number)                                                                                           \
    do {                                                                                                               \
        if (checked.seen != NULL) {                                                                                    \
            checked.seen[number] = 1;                                                                                  \
        }                                                                                                              \
    } while (0)

/* Detect writes beyond the end of an array: give it spare elements (ROOM), fill them (FILL), and check after the rules
 * have had it that they are unchanged (HELD). format: for printf, of the element written and then count. */
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
