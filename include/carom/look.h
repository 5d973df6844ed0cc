/* SPDX-License-Identifier: MIT
 * What a world looks like: its view, its fixed shapes, its bodies and its numbers, in the game's own units. A program
 * that draws worlds, such as `carom render` and `carom view`, need not know the game.
 *
 * Each game defines how it is drawn (kernel/games/NAME/look.c; kit/rules.h for plug-in games). A game that does not is
 * drawn by its fields x and y, if it has them. The description names styles; the drawing program chooses colours.
 *
 * All functions only read. CAROM_ERROR_ARGUMENT for NULL or a world that does not exist. Functions with a capacity
 * write at most that many things and store the total number in *count; pass NULL and capacity 0 to get only that.
 */
#ifndef CAROM_LOOK_H
#define CAROM_LOOK_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_look_style {
    CAROM_LOOK_PLAIN,  /* a body without an owner */
    CAROM_LOOK_FIRST,  /* player 0's */
    CAROM_LOOK_SECOND, /* player 1's */
    CAROM_LOOK_THIRD,  /* player 2's */
    CAROM_LOOK_FOURTH, /* player 3's */
    CAROM_LOOK_BALL,   /* what all players want */
    CAROM_LOOK_DANGER, /* what all players avoid */
    CAROM_LOOK_FIXED,  /* a body that does not move */
    CAROM_LOOK_SENSOR, /* detects bodies, without a collision */
    CAROM_LOOK_WALL,
    CAROM_LOOK_FIELD,  /* painted on the ground: without effect */
    CAROM_LOOK_TARGET, /* where to go: a checkpoint, a goal */
    CAROM_LOOK_STYLES
} carom_look_style;

/* "plain", "first", ...; NULL outside the enumeration. */
CAROM_API const char *carom_look_style_name(carom_look_style style);

/* The area that a picture should show, x0 < x1, y0 < y1, which bodies may leave; and what events and velocities mean in
 * this game. */
typedef struct carom_look_view {
    double x0, y0, x1, y1;
    bool y_down; /* the game's y grows downwards on the screen */
    bool timed;  /* carom_event.left is the time left in the tick, as in game.h */
    bool placed; /* carom_event.x and .y are the place of the impact */
    double dt;   /* length of a tick in the velocities' unit of time: 1 if they are distances per tick */
    double wrap_x,
        wrap_y; /* width and height of a box with periodic sides, in the middle of the area; 0: no such sides */
} carom_look_view;

CAROM_API carom_status carom_look_view_of(const carom_worlds *worlds, size_t world, carom_look_view *view);

typedef enum carom_look_kind {
    CAROM_LOOK_LINE,   /* from (x, y) to (x2, y2) */
    CAROM_LOOK_CIRCLE, /* around (x, y) */
    CAROM_LOOK_TEXT    /* centred at (x, y); `radius` is half its height */
} carom_look_kind;

typedef struct carom_look_shape {
    carom_look_kind kind;
    carom_look_style style;
    double x, y, x2, y2, radius;
    char text[16];
} carom_look_shape;

/* Everything in a world that does not move; it may change from game to game (csb: the map). */
CAROM_API carom_status carom_look_shapes(const carom_worlds *worlds, size_t world, carom_look_shape *shapes,
                                         size_t capacity, size_t *count);

typedef struct carom_look_body {
    const char *name; /* "pod": shown to users with its number */
    uint32_t number;
    uint32_t id;     /* its number in carom_event */
    bool there;      /* false: not in play, do not draw it */
    bool has_facing; /* whether `facing` should be shown */
    carom_look_style style;
    double x, y, vx, vy; /* of the centre */
    double radius, mass; /* a mass of INFINITY: it does not move */
    double facing;       /* radians, from +x towards +y */
    double ax, ay;       /* acceleration during a tick: distance / time^2, with the view's dt; 0: it moves straight */
} carom_look_body;

/* All bodies, in the same order in every tick. */
CAROM_API carom_status carom_look_bodies(const carom_worlds *worlds, size_t world, carom_look_body *bodies,
                                         size_t capacity, size_t *count);

typedef struct carom_look_number {
    const char *name; /* "score" */
    int32_t player;   /* its owner; -1: none */
    double value;
} carom_look_number;

/* Other numbers that a spectator wants to see: scores, checkpoints, mana. */
CAROM_API carom_status carom_look_numbers(const carom_worlds *worlds, size_t world, carom_look_number *numbers,
                                          size_t capacity, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
