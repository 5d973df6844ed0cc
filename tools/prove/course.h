/* SPDX-License-Identifier: MIT
 * Courses for `carom prove`: a game, a scene or a gas, always played from the same start by the same players. There are
 * many ways to play a course; each must give the same sums.
 */
#ifndef CAROM_TOOLS_PROVE_COURSE_H
#define CAROM_TOOLS_PROVE_COURSE_H

#include "../command/command.h"

/* What is summed up, over all worlds of a course. */
enum {
    SUM_STATES,   /* after the last tick: carom_worlds_digest(), or carom_gas_digest() */
    SUM_OUTPUTS,  /* observations, rewards and ends of every tick */
    SUM_ROLLOUTS, /* returns of rollouts from the last states */
    SUM_PLANS,    /* plans of a search from there */
    SUMS
};
extern const char *const carom_sum_names[SUMS];

typedef struct course {
    const char *name;       /* "csb.race": the game and the policy of all players */
    const carom_game *game; /* NULL: a gas, which has states only */
    carom_scene *scene;     /* of the game, or NULL */
    size_t policy, worlds;
    unsigned sums; /* how many of the sums it has */
} course;

#define COURSES 10

/* Opens all courses, COURSES of them; dies on failure. */
void carom_open_courses(course courses[COURSES]);
void carom_close_courses(course courses[COURSES]);

/* In the middle of a course another batch, on another instruction set and with other threads, takes over. */
typedef enum middle {
    MIDDLE_NONE,
    MIDDLE_SAVED,    /* from a save */
    MIDDLE_FORKED,   /* world by world */
    MIDDLE_COPIED,   /* in another order */
    MIDDLE_RECORDS,  /* as one record a world */
    MIDDLE_RESTARTED /* at the start: the worlds have played other games before, under other ids */
} middle;

/* How to play. 0 is the default of all members. */
typedef struct way {
    carom_isa isa;
    unsigned threads;    /* 0: one */
    size_t first, batch; /* worlds of the first batch, and of each later one; 0: all worlds are one batch */
    size_t ticks;        /* of a call; 0: 7 */
    middle middle;
} way;

/* A gas is one world, on one thread, whose calls are whole epochs. */
bool carom_course_has(const course *c, const way *w);

void carom_play_course(const course *c, carom_precision precision, const way *w, uint64_t sums[SUMS]);

#endif
