/* SPDX-License-Identifier: MIT
 * Tracking csb. The referee does not reveal: angles to better than a degree, shields, boosts used, laps, timeouts.
 *
 * For a pod of the other side without impacts, position - (last position + last velocity) is the thrust, to half a
 * unit. A pod that collides may have had a shield; the guesses show where it would be with and without. A shield
 * without an impact looks like no thrust: a pod that had a thrust before and has none now is assumed to have a shield,
 * until it has a thrust too soon for that.
 */
#include "../command/command.h"
#include "track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PODS 4
#define TRIALS 64
#define GUESSES 7 /* of a pod; the square of them is at most TRIALS */
#define TURN 6.2831853071795862
#define DEGREE (TURN / 360)

typedef struct csb_track {
    uint32_t n, laps;
    bool idle[PODS]; /* of the other side: no thrust in the last turn, except because of a new shield */
} csb_track;

static csb_track *own_of(const tracker *tracked)
{
    return (csb_track *)tracked->own;
}

/* All pods of one state, in the game's order. */
typedef struct csb_state {
    double x[PODS], y[PODS], vx[PODS], vy[PODS], angle[PODS];
    int16_t next[PODS], timeout[2];
    int8_t shield[PODS], boosted[PODS];
} csb_state;

/* The referee's input: angles in degrees, `next` modulo the number of checkpoints. */
typedef struct csb_sight {
    double x[PODS], y[PODS], vx[PODS], vy[PODS], degrees[PODS];
    int next[PODS];
} csb_sight;

/* A possible command of a pod, and whether its assumed shield turns out to be none. */
typedef struct csb_guess {
    double angle, thrust;
    bool unshield;
} csb_guess;

static void get_state(const carom_worlds *worlds, csb_state *s)
{
    carom_track_get(worlds, "x", 1, s->x);
    carom_track_get(worlds, "y", 1, s->y);
    carom_track_get(worlds, "vx", 1, s->vx);
    carom_track_get(worlds, "vy", 1, s->vy);
    carom_track_get(worlds, "angle", 1, s->angle);
    carom_track_get(worlds, "next", 1, s->next);
    carom_track_get(worlds, "timeout", 1, s->timeout);
    carom_track_get(worlds, "shield", 1, s->shield);
    carom_track_get(worlds, "boosted", 1, s->boosted);
}

/* ---- reading ---- */

static double whole(const char *line, double value, double least, double most)
{
    if (value != floor(value) || value < least || value > most) {
        carom_track_refuse(line);
    }
    return value;
}

static bool csb_begin(tracker *tracked, FILE *input)
{
    char line[TRACK_LINE];
    double numbers[2];
    static int32_t checkpoints[1024][2];
    csb_track *own = (csb_track *)carom_allocate(1, sizeof *own);
    tracked->own = own;
    memset(own->idle, true, sizeof own->idle);
    if (!carom_track_line(input, line)) {
        return false;
    }
    carom_track_numbers(line, 1, numbers);
    own->laps = (uint32_t)whole(line, numbers[0], 1, 31);
    if (!carom_track_line(input, line)) {
        return false;
    }
    carom_track_numbers(line, 1, numbers);
    own->n = (uint32_t)whole(line, numbers[0], 2, 1024);
    for (uint32_t i = 0; i < own->n; i++) {
        if (!carom_track_line(input, line)) {
            return false;
        }
        carom_track_numbers(line, 2, numbers);
        checkpoints[i][0] = (int32_t)whole(line, numbers[0], -65536, 65536);
        checkpoints[i][1] = (int32_t)whole(line, numbers[1], -65536, 65536);
    }
    const carom_csb_map map = {(const int32_t(*)[2])checkpoints, own->n, own->laps};
    carom_csb_options options = carom_csb_options_default();
    if (tracked->options != NULL) {
        options = *(const carom_csb_options *)tracked->options;
    }
    options.maps = &map;
    options.map_count = 1;
    carom_track_make(tracked, &options, TRIALS);
    return true;
}

/* Reads four pods as a player sees them, its own first. */
static bool read_sight(const csb_track *own, FILE *input, csb_sight *seen)
{
    for (int i = 0; i < PODS; i++) {
        char line[TRACK_LINE];
        double numbers[6];
        if (!carom_track_line(input, line)) {
            return false;
        }
        carom_track_numbers(line, 6, numbers);
        seen->x[i] = whole(line, numbers[0], -67108864, 67108864);
        seen->y[i] = whole(line, numbers[1], -67108864, 67108864);
        seen->vx[i] = whole(line, numbers[2], -67108864, 67108864);
        seen->vy[i] = whole(line, numbers[3], -67108864, 67108864);
        seen->degrees[i] = whole(line, numbers[4], -1e6, 1e6);
        seen->next[i] = (int)whole(line, numbers[5], 0, own->n - 1);
    }
    return true;
}

/* Converts to the game's order of the pods. */
static csb_sight ordered(const csb_sight *seen, unsigned player)
{
    csb_sight s;
    for (unsigned k = 0; k < PODS; k++) {
        const unsigned i = k ^ (2 * player);
        s.x[i] = seen->x[k];
        s.y[i] = seen->y[k];
        s.vx[i] = seen->vx[k];
        s.vy[i] = seen->vy[k];
        s.degrees[i] = seen->degrees[k];
        s.next[i] = seen->next[k];
    }
    return s;
}

/* ---- guessing ---- */

/* `angle` plus the number of turns that brings it nearest to `degrees`. */
static double near_told(double angle, double degrees)
{
    return angle + TURN * floor((degrees * DEGREE - angle) / TURN + 0.5);
}

/* Lists the possible commands of pod i of the other side, the likeliest first. */
static size_t list_guesses(const csb_track *own, const csb_state *was, const csb_sight *seen, int i,
                           csb_guess list[GUESSES])
{
    const double shield = (double)CAROM_CSB_SHIELD, boost = (double)CAROM_CSB_BOOST;
    const double dx = seen->x[i] - was->x[i] - was->vx[i], dy = seen->y[i] - was->y[i] - was->vy[i];
    const double length = sqrt(dx * dx + dy * dy), told = seen->degrees[i] * DEGREE;
    const double flown = length > 0 ? near_told(atan2(dy, dx), seen->degrees[i]) : told;
    /* Each coordinate is known to half a unit, the angle to half a degree. */
    const bool freely = length < 1.5 || fabs(flown - told) < 0.51 * DEGREE + 1 / length;
    const double angle = freely && length > 20 ? fmin(fmax(flown, told - DEGREE / 2), told + DEGREE / 2) : told;
    const double thrust = floor(fmin(fmax(dx * cos(angle) + dy * sin(angle), 0), 200) + 0.5);
    const bool may_boost = was->boosted[i] == 0, shielded = was->shield[i] > 0;
    size_t count = 0;
    if (shielded) {
        list[count++] = (csb_guess){angle, 0, false};
        list[count++] = (csb_guess){angle, shield, false};
        if (length < 1.5) {
            return count;
        }
    } else if (freely && length < 1.5) {
        list[count++] = (csb_guess){angle, own->idle[i] ? 0 : shield, false};
        list[count++] = (csb_guess){angle, own->idle[i] ? shield : 0, false};
        return count;
    }
    if (freely && may_boost && length > 640) {
        list[count++] = (csb_guess){angle, boost, shielded};
    }
    list[count++] = (csb_guess){angle, thrust, shielded};
    if (!shielded) {
        list[count++] = (csb_guess){angle, shield, false};
    }
    list[count++] = (csb_guess){angle, 200, shielded};
    list[count++] = (csb_guess){angle, 100, shielded};
    if (!shielded) {
        list[count++] = (csb_guess){angle, 0, false};
    }
    if (may_boost && count < GUESSES) {
        list[count++] = (csb_guess){angle, boost, shielded};
    }
    return count;
}

/* The command as the referee reads it: a distant target in that direction. */
static void command_of(const csb_state *was, int i, csb_guess guess, double numbers[3])
{
    numbers[0] = was->x[i] + 1e6 * cos(guess.angle);
    numbers[1] = was->y[i] + 1e6 * sin(guess.angle);
    numbers[2] = guess.thrust;
}

/* Plays all guesses and returns the one nearest to what is seen. */
static size_t find_best(const tracker *tracked, const csb_state *was, const csb_sight *seen)
{
    static double actions[TRIALS][PODS][3], angles[TRIALS][PODS];
    static int8_t shields[TRIALS][PODS];
    static double x[TRIALS][PODS], y[TRIALS][PODS], vx[TRIALS][PODS], vy[TRIALS][PODS];
    csb_guess lists[2][GUESSES];
    size_t counts[2];
    const int own = 2 * (int)tracked->player, others = 2 - own;
    for (int k = 0; k < 2; k++) {
        counts[k] = list_guesses(own_of(tracked), was, seen, others + k, lists[k]);
    }
    const size_t trials = counts[0] * counts[1];
    for (size_t t = 0; t < TRIALS; t++) {
        const csb_guess guesses[2] = {lists[0][t % trials / counts[1]], lists[1][t % trials % counts[1]]};
        memcpy(angles[t], was->angle, sizeof angles[t]);
        memcpy(shields[t], was->shield, sizeof shields[t]);
        for (int k = 0; k < 2; k++) {
            memcpy(actions[t][own + k], tracked->answer + 3 * (size_t)k, sizeof actions[t][0]);
            command_of(was, others + k, guesses[k], actions[t][others + k]);
            angles[t][others + k] = guesses[k].angle; /* without a turn limit: the angle before is not known well */
            shields[t][others + k] = (int8_t)(guesses[k].unshield ? 0 : was->shield[others + k]);
        }
    }
    carom_worlds_fork(tracked->trials, 0, TRIALS, tracked->world, 0);
    carom_track_set(tracked->trials, "angle", TRIALS, angles);
    carom_track_set(tracked->trials, "shield", TRIALS, shields);
    carom_track_play(tracked, tracked->trials, actions[0][0]);
    carom_track_get(tracked->trials, "x", TRIALS, x);
    carom_track_get(tracked->trials, "y", TRIALS, y);
    carom_track_get(tracked->trials, "vx", TRIALS, vx);
    carom_track_get(tracked->trials, "vy", TRIALS, vy);
    size_t best = 0;
    double least = INFINITY;
    for (size_t t = 0; t < trials; t++) {
        double miss = 0;
        for (int i = 0; i < PODS; i++) {
            miss += fabs(x[t][i] - seen->x[i]) + fabs(y[t][i] - seen->y[i]) + fabs(vx[t][i] - seen->vx[i]) +
                    fabs(vy[t][i] - seen->vy[i]);
        }
        if (miss < least - 4) { /* a less likely guess must be clearly better */
            least = miss;
            best = t;
        }
    }
    for (int i = others; i < others + 2; i++) {
        own_of(tracked)->idle[i] = shields[best][i] > 0 || actions[best][i][2] == 0;
    }
    return best;
}

/* Adopts what the referee reports. `next` is given modulo n: corrects the guess if that differs. */
static void correct(tracker *tracked, const csb_state *was, const csb_sight *seen)
{
    const int n = (int)own_of(tracked)->n, laps = (int)own_of(tracked)->laps;
    const int others = 2 - 2 * (int)tracked->player;
    csb_state s;
    get_state(tracked->world, &s);
    bool wrong = false;
    for (int i = 0; i < PODS; i++) {
        wrong |= s.next[i] % n != seen->next[i];
    }
    for (int i = 0; i < PODS && wrong; i++) {
        int next = was->next[i];
        while (next % n != seen->next[i] && next < laps * n) {
            next++;
        }
        s.next[i] = (int16_t)next;
    }
    for (size_t p = 0; p < 2 && wrong; p++) {
        const bool passed = s.next[2 * p] != was->next[2 * p] || s.next[2 * p + 1] != was->next[2 * p + 1];
        s.timeout[p] = (int16_t)(passed ? 99 : was->timeout[p] - 1);
    }
    for (int i = others; i < others + 2; i++) {
        const double angle = near_told(s.angle[i], seen->degrees[i]), told = seen->degrees[i] * DEGREE;
        s.angle[i] = fmin(fmax(angle, told - DEGREE / 2), told + DEGREE / 2);
    }
    carom_track_set(tracked->world, "x", 1, seen->x);
    carom_track_set(tracked->world, "y", 1, seen->y);
    carom_track_set(tracked->world, "vx", 1, seen->vx);
    carom_track_set(tracked->world, "vy", 1, seen->vy);
    carom_track_set(tracked->world, "angle", 1, s.angle);
    carom_track_set(tracked->world, "next", 1, s.next);
    carom_track_set(tracked->world, "timeout", 1, s.timeout);
}

static bool csb_turn(tracker *tracked, FILE *input)
{
    csb_sight read;
    csb_state was;
    if (!read_sight(own_of(tracked), input, &read)) {
        return false;
    }
    get_state(tracked->world, &was);
    if (tracked->turn == 0) {
        tracked->player =
            read.x[0] == was.x[2] && read.y[0] == was.y[2] && read.x[1] == was.x[3] && read.y[1] == was.y[3];
    }
    const csb_sight seen = ordered(&read, tracked->player);
    if (tracked->turn > 0) {
        const size_t best = find_best(tracked, &was, &seen);
        carom_worlds_copy(tracked->world, NULL, tracked->trials, &best, 1);
    }
    correct(tracked, &was, &seen);
    return true;
}

static void csb_free(tracker *tracked)
{
    free(tracked->own);
}

const track_game carom_track_csb = {"csb", csb_begin, csb_turn, csb_free};
