/* SPDX-License-Identifier: MIT
 * What a world looks like: its view, the shapes that stand there, its bodies and its numbers, in the game's own units.
 * Whoever draws worlds (the commands `carom render` and `carom view`, say) needs to know no game.
 *
 * Every game has a description beside its rules (kernel/games/NAME/look.c; kit/rules.h says how a game from outside
 * gives one). A game without one is drawn by its fields x and y, if it has them. Colours are the drawer's: the
 * description names styles.
 *
 * All functions only read; CAROM_ERROR_ARGUMENT for NULL or a world that is not there. Those with a capacity write at
 * most so many things and give how many there are in *count; NULL with capacity 0 asks for that alone.
 */
#ifndef CAROM_LOOK_H
#define CAROM_LOOK_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_look_style {
    CAROM_LOOK_PLAIN,  /* a body of nobody */
    CAROM_LOOK_FIRST,  /* player 0's */
    CAROM_LOOK_SECOND, /* player 1's */
    CAROM_LOOK_THIRD,  /* player 2's */
    CAROM_LOOK_FOURTH, /* player 3's */
    CAROM_LOOK_BALL,   /* what all players want */
    CAROM_LOOK_DANGER, /* what nobody wants to meet */
    CAROM_LOOK_FIXED,  /* a body that does not move */
    CAROM_LOOK_SENSOR, /* noticed, not hit */
    CAROM_LOOK_WALL,
    CAROM_LOOK_FIELD,  /* painted on the ground: without effect */
    CAROM_LOOK_TARGET, /* where to go: a checkpoint, a goal */
    CAROM_LOOK_STYLES
} carom_look_style;

/* "plain", "first", ...; NULL outside the enumeration. */
CAROM_API const char *carom_look_style_name(carom_look_style style);

/* What a picture should show: x0 < x1, y0 < y1. Bodies may leave it. And what impacts and velocities tell in this
 * game. */
typedef struct carom_look_view {
    double x0, y0, x1, y1;
    bool y_down; /* the game's y grows downwards on the screen */
    bool timed;  /* carom_event.left is the time left in the tick, as game.h says */
    bool placed; /* carom_event.x and .y are the place of the impact */
    double dt;   /* length of a tick in the unit of time that velocities have: 1 where they are distances a tick */
    double wrap_x,
        wrap_y; /* width and height of a box with periodic sides, which lies in the middle; 0: no such sides */
} carom_look_view;

CAROM_API carom_status carom_look_view_of(const carom_worlds *worlds, size_t world, carom_look_view *view);

typedef enum carom_look_kind {
    CAROM_LOOK_LINE,   /* from (x, y) to (x2, y2) */
    CAROM_LOOK_CIRCLE, /* around (x, y) */
    CAROM_LOOK_TEXT    /* at (x, y), centred; `radius` is half the height that it should have */
} carom_look_kind;

typedef struct carom_look_shape {
    carom_look_kind kind;
    carom_look_style style;
    double x, y, x2, y2, radius;
    char text[16];
} carom_look_shape;

/* What stands still in a world; it may change from game to game (csb: the map). */
CAROM_API carom_status carom_look_shapes(const carom_worlds *worlds, size_t world, carom_look_shape *shapes,
                                         size_t capacity, size_t *count);

typedef struct carom_look_body {
    const char *name; /* "pod": with its number, what a user calls it */
    uint32_t number;
    uint32_t id;     /* what carom_event calls it */
    bool there;      /* false: not in play, not to be drawn */
    bool has_facing; /* it shows where it faces: */
    carom_look_style style;
    double x, y, vx, vy; /* of the centre */
    double radius, mass; /* mass: INFINITY if it does not move */
    double facing;       /* radians, from +x towards +y */
    double ax, ay;       /* acceleration during a tick: distance / time^2, with the view's dt; 0: it moves straight */
} carom_look_body;

/* All bodies, in the same order in every tick. */
CAROM_API carom_status carom_look_bodies(const carom_worlds *worlds, size_t world, carom_look_body *bodies,
                                         size_t capacity, size_t *count);

typedef struct carom_look_number {
    const char *name; /* "score" */
    int32_t player;   /* whose it is; -1: nobody's */
    double value;
} carom_look_number;

/* What a spectator wants to know beside: scores, checkpoints, mana. */
CAROM_API carom_status carom_look_numbers(const carom_worlds *worlds, size_t world, carom_look_number *numbers,
                                          size_t capacity, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
