/* SPDX-License-Identifier: MIT
 * The checks of tick/checked.h as the host's side of a plug-in game compiles them, for its trial (trial.h).
 */
#ifndef CAROM_KIT_ENGINE_CHECKED_H
#define CAROM_KIT_ENGINE_CHECKED_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHECKED_SPARE 16 /* elements past an array's end, watched for writes */

/* The state of a trial. A thread plays one trial at a time. */
typedef struct checked_notes {
    char text[192];   /* describes the first error; "" if there is none */
    uint8_t *seen;    /* [number of an observation]: 1 once the rules have set it; NULL: not tracked */
    uint32_t numbers; /* numbers of an action, all players */
    unsigned bits;    /* bits of each of these: 32 or 64 */
} checked_notes;

static __thread checked_notes checked;

/* Notes an error, unless there is one already: later errors may be consequences of the first. */
#define CHECKED_WRONG(...)                                                                                             \
    do {                                                                                                               \
        if (checked.text[0] == '\0') {                                                                                 \
            snprintf(checked.text, sizeof checked.text, __VA_ARGS__);                                                  \
        }                                                                                                              \
    } while (0)

/* Checks that index < count; otherwise notes an error and sets index to 0. format: for printf, of index and count. */
#define CHECKED_INDEX(index, count, format)                                                                            \
    do {                                                                                                               \
        if ((uint64_t)(index) >= (uint64_t)(count)) {                                                                  \
            CHECKED_WRONG(format, (int)(index), (int)(count));                                                         \
            (index) = 0;                                                                                               \
        }                                                                                                              \
    } while (0)

/* Checks that number e of an action exists and has `width` bits. */
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

/* Detect writes past the end of an array: allocate spare elements (ROOM), fill them before a call to the rules (FILL),
 * and check afterwards that they are unchanged (HELD). format: for printf, of the element written and count. */
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
