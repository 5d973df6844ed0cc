/* SPDX-License-Identifier: MIT
 * Tracking fantastic_bits. The referee does not reveal: which snaffle a wizard holds, when it may grab again, spells
 * and their targets, whom the bludgers hit last, what ignores what and, except on today's site, scores and mana.
 *
 * The other side's commands follow from the positions of its wizards, or of what they throw: the tick is played without
 * commands, and the difference is the thrust. A wizard without thrust may have cast a spell. The spell's effect shows a
 * tick later, so casts of the other side are known a tick late: until then `cast` is none.
 */
#include "../command/command.h"
#include "track.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BODIES CAROM_FANTASTIC_BITS_POST
#define SNAFFLE CAROM_FANTASTIC_BITS_SNAFFLE
#define BLUDGER CAROM_FANTASTIC_BITS_BLUDGER
#define SPELLS 4
#define CASTS 48   /* guesses for one wizard */
#define VICTIMS 10 /* guesses of whom a bludger hit last */
#define PAIRED 10  /* guesses of each wizard that are tried with those of the other */
#define TRIALS ((size_t)2 * CASTS + VICTIMS)
#define DOUBT 6.0 /* units, see find_best() */
#define STILL 1.5 /* smaller thrusts count as none: positions are given as integers */
static_assert((size_t)PAIRED * PAIRED <= TRIALS, "pairs are tried at once");
static const int costs[SPELLS] = {5, 10, 20, 20};

typedef struct fb_state {
    double x[BODIES], y[BODIES], vx[BODIES], vy[BODIES];
    int8_t hold[4], wait[4], cast[4], cast_target[4], alive[7], score[2], mana[2], last[2];
} fb_state;

/* The referee's input. */
typedef struct fb_sight {
    double x[BODIES], y[BODIES], vx[BODIES], vy[BODIES];
    bool seen[BODIES], holds[4];
    bool scored; /* scores and mana are given, own first */
    double score[2], mana[2];
    int snaffles; /* in this turn */
} fb_sight;

/* A spell that a wizard may have cast; spell -1: none. */
typedef struct fb_cast {
    int8_t spell, target;
} fb_cast;

typedef struct fb_track {
    carom_worlds *one; /* the trial of a single guess */
    int8_t snaffles;
    bool suspect[4];      /* of the other side: it may have cast a spell in the last tick */
    int spent;            /* what it cost, if known; else -1 */
    int8_t mana_before;   /* the other side's, at that time */
    fb_state was;         /* the state before the commands to guess */
    double apart[TRIALS]; /* how far a guess is from what is seen */
    double trial_x[TRIALS][BODIES], trial_y[TRIALS][BODIES], trial_vx[TRIALS][BODIES], trial_vy[TRIALS][BODIES];
    double actions[TRIALS][4][4];
    fb_cast guesses[TRIALS][2];
    int8_t last[TRIALS][2]; /* whom the bludgers hit last: part of the guess */
    int8_t casts[TRIALS][4], targets[TRIALS][4], mana[TRIALS][2];
} fb_track;

static void get_state(const carom_worlds *worlds, fb_state *s)
{
    carom_track_get(worlds, "x", 1, s->x);
    carom_track_get(worlds, "y", 1, s->y);
    carom_track_get(worlds, "vx", 1, s->vx);
    carom_track_get(worlds, "vy", 1, s->vy);
    carom_track_get(worlds, "hold", 1, s->hold);
    carom_track_get(worlds, "wait", 1, s->wait);
    carom_track_get(worlds, "cast", 1, s->cast);
    carom_track_get(worlds, "cast_target", 1, s->cast_target);
    carom_track_get(worlds, "alive", 1, s->alive);
    carom_track_get(worlds, "score", 1, s->score);
    carom_track_get(worlds, "mana", 1, s->mana);
    carom_track_get(worlds, "last", 1, s->last);
}

/* ---- reading ---- */

static bool fb_begin(tracker *tracked, FILE *input)
{
    char line[TRACK_LINE];
    double team;
    tracked->own = carom_allocate(1, sizeof(fb_track));
    if (!carom_track_line(input, line)) {
        return false;
    }
    carom_track_numbers(line, 1, &team);
    if (team != 0 && team != 1) {
        carom_track_refuse(line);
    }
    tracked->player = (unsigned)team;
    return true;
}

/* "id TYPE x y vx vy state" */
static void read_entity(const char *line, unsigned player, fb_sight *seen, int *bludgers)
{
    char type[32];
    int id, taken = 0;
    double numbers[5];
    if (sscanf(line, "%d %31s %n", &id, type, &taken) != 2 || taken == 0) {
        carom_track_refuse(line);
    }
    carom_track_numbers(line + taken, 5, numbers);
    const bool own = strcmp(type, "WIZARD") == 0, other = strcmp(type, "OPPONENT_WIZARD") == 0;
    int slot = -1;
    if ((own || other) && id >= 0 && id < 4 && (id / 2 == (int)player) == own) {
        slot = id;
        seen->holds[id] = numbers[4] != 0;
    } else if (strcmp(type, "SNAFFLE") == 0 && id >= SNAFFLE && id < BLUDGER) {
        slot = id;
        seen->snaffles++;
    } else if (strcmp(type, "BLUDGER") == 0 && *bludgers < 2) {
        slot = BLUDGER + (*bludgers)++;
    }
    if (slot < 0 || seen->seen[slot]) {
        carom_track_refuse(line);
    }
    seen->seen[slot] = true;
    seen->x[slot] = numbers[0];
    seen->y[slot] = numbers[1];
    seen->vx[slot] = numbers[2];
    seen->vy[slot] = numbers[3];
}

/* Reads both forms: on today's site lines "score mana", own and the other's, precede the number of entities. */
static bool read_sight(unsigned player, FILE *input, fb_sight *seen)
{
    char line[TRACK_LINE];
    double numbers[2], count;
    int bludgers = 0;
    memset(seen, 0, sizeof *seen);
    if (!carom_track_line(input, line)) {
        return false;
    }
    seen->scored =
        strchr(line, ' ') != NULL && line[strcspn(line, " ") + strspn(line + strcspn(line, " "), " ")] != '\0';
    for (unsigned side = 0; side < 2 && seen->scored; side++) {
        carom_track_numbers(line, 2, numbers);
        seen->score[side ^ player] = numbers[0];
        seen->mana[side ^ player] = numbers[1];
        if (!carom_track_line(input, line)) {
            return false;
        }
    }
    carom_track_numbers(line, 1, &count);
    if (count < 6 || count > BODIES) {
        carom_track_refuse(line);
    }
    for (int k = 0; k < (int)count; k++) {
        if (!carom_track_line(input, line)) {
            return false;
        }
        read_entity(line, player, seen, &bludgers);
    }
    for (int i = 0; i < 4; i++) {
        if (!seen->seen[i]) {
            carom_die("the referee has not given the position of wizard %d", i);
        }
    }
    if (bludgers != 2) {
        carom_die("the referee has given %d bludgers, not 2", bludgers);
    }
    return true;
}

/* ---- guessing ---- */

static int cost_of(fb_cast cast)
{
    return cast.spell < 0 ? 0 : costs[cast.spell];
}

/* Lists no spell first, then all spells that this wizard may have cast. */
static size_t list_casts(const fb_track *own, int wizard, fb_cast list[CASTS])
{
    const int most = own->spent >= 0 ? own->spent : own->mana_before;
    size_t count = 0;
    list[count++] = (fb_cast){-1, -1};
    for (int spell = 0; spell < SPELLS && own->suspect[wizard]; spell++) {
        for (int slot = 0; slot < BODIES && costs[spell] <= most; slot++) {
            const bool bludger = slot >= BLUDGER, snaffle = slot >= SNAFFLE && !bludger;
            const bool there = snaffle ? slot < SNAFFLE + own->snaffles && own->was.alive[slot - SNAFFLE] : true;
            const bool allowed =
                bludger || (spell > 0 && snaffle) || (spell % 2 == 1 && slot < 4 && slot / 2 != wizard / 2);
            if (there && allowed && count < CASTS) {
                list[count++] = (fb_cast){(int8_t)spell, (int8_t)slot};
            }
        }
    }
    return count;
}

/* Sets worlds [0, count) of `trials` to the known state, each with one of the guesses. */
static void set_trials(tracker *tracked, carom_worlds *trials, size_t count)
{
    fb_track *own = (fb_track *)tracked->own;
    const int others = 2 - 2 * (int)tracked->player;
    for (size_t t = 0; t < count; t++) {
        int mana = (int)own->mana_before;
        memcpy(own->casts[t], own->was.cast, 4);
        memcpy(own->targets[t], own->was.cast_target, 4);
        memcpy(own->mana[t], own->was.mana, 2);
        bool any = false;
        for (int k = 0; k < 2; k++) {
            const fb_cast guess = own->guesses[t][k];
            if (guess.spell >= 0) {
                own->casts[t][others + k] = guess.spell;
                own->targets[t][others + k] = guess.target;
                mana -= cost_of(guess);
                any = own->spent < 0; /* else the mana is given */
            }
        }
        if (any) { /* paid before the tick of the cast added one */
            own->mana[t][1 - tracked->player] = (int8_t)(mana < 0 ? 0 : mana + 1);
        }
    }
    carom_worlds_fork(trials, 0, count, tracked->world, 0);
    carom_track_set(trials, "last", count, own->last);
    carom_track_set(trials, "cast", count, own->casts);
    carom_track_set(trials, "cast_target", count, own->targets);
    carom_track_set(trials, "mana", count, own->mana);
}

static void play_trials(tracker *tracked, carom_worlds *trials, size_t count)
{
    fb_track *own = (fb_track *)tracked->own;
    carom_track_play(tracked, trials, own->actions[0][0]);
    carom_track_get(trials, "x", count, own->trial_x);
    carom_track_get(trials, "y", count, own->trial_y);
    carom_track_get(trials, "vx", count, own->trial_vx);
    carom_track_get(trials, "vy", count, own->trial_vy);
}

/* A command with the thrust (dx, dy), or none. */
static void thrust_of(const fb_state *was, int wizard, double verb, double dx, double dy, double most,
                      double numbers[4])
{
    const double power = sqrt(dx * dx + dy * dy);
    numbers[0] = power < STILL ? CAROM_FANTASTIC_BITS_MOVE : verb;
    numbers[1] = power < STILL ? was->x[wizard] : was->x[wizard] + 1000 * dx;
    numbers[2] = power < STILL ? was->y[wizard] : was->y[wizard] + 1000 * dy;
    numbers[3] = power < STILL ? 0 : fmin(power, most);
}

/* Guesses the other side's commands from where it would be without any. */
static void guess_commands(tracker *tracked, const fb_sight *seen, size_t count)
{
    fb_track *own = (fb_track *)tracked->own;
    const int others = 2 - 2 * (int)tracked->player;
    for (size_t t = 0; t < count; t++) {
        for (int i = others; i < others + 2; i++) {
            const int held = (int)own->was.hold[i];
            double *numbers = own->actions[t][i];
            double dx = seen->x[i] - own->trial_x[t][i], dy = seen->y[i] - own->trial_y[t][i];
            if (held >= 0 && seen->seen[held] && sqrt(dx * dx + dy * dy) < STILL) {
                /* Its mass is half a wizard's. */
                dx = (seen->x[held] - own->trial_x[t][held]) / 2;
                dy = (seen->y[held] - own->trial_y[t][held]) / 2;
                thrust_of(&own->was, i, CAROM_FANTASTIC_BITS_THROW, dx, dy, 500, numbers);
            } else {
                thrust_of(&own->was, i, CAROM_FANTASTIC_BITS_MOVE, dx, dy, 150, numbers);
            }
        }
    }
}

/* Plays `count` guesses without the other side's commands, then with the commands that follow from the difference;
 * returns the guess nearest to what is seen, and its distance. */
static size_t find_best(tracker *tracked, carom_worlds *trials, size_t count, const fb_sight *seen, double *miss)
{
    fb_track *own = (fb_track *)tracked->own;
    const int mine = 2 * (int)tracked->player;
    for (size_t t = 0; t < count; t++) {
        for (int i = 0; i < 4; i++) {
            thrust_of(&own->was, i, CAROM_FANTASTIC_BITS_MOVE, 0, 0, 0, own->actions[t][i]);
        }
        memcpy(own->actions[t][mine], tracked->answer, 2 * sizeof own->actions[t][mine]);
    }
    set_trials(tracked, trials, count);
    play_trials(tracked, trials, count);
    guess_commands(tracked, seen, count);
    set_trials(tracked, trials, count);
    play_trials(tracked, trials, count);
    size_t best = 0;
    *miss = INFINITY;
    for (size_t t = 0; t < count; t++) {
        double sum = 0;
        for (int i = 0; i < BODIES; i++) {
            if (seen->seen[i]) {
                sum += fabs(own->trial_x[t][i] - seen->x[i]) + fabs(own->trial_y[t][i] - seen->y[i]) +
                       fabs(own->trial_vx[t][i] - seen->vx[i]) + fabs(own->trial_vy[t][i] - seen->vy[i]);
            }
        }
        own->apart[t] = sum;

        /* After impacts a good match may be chance: a cast must explain more than it costs. */
        const int spent = cost_of(own->guesses[t][0]) + cost_of(own->guesses[t][1]);
        const double untold = own->spent >= 0 && own->spent != spent ? 1e6 : 0;
        const double doubt = untold + DOUBT * ((own->guesses[t][0].spell >= 0) + (own->guesses[t][1].spell >= 0) +
                                               (memcmp(own->last[t], own->was.last, 2) != 0));
        if (sum + doubt < *miss) {
            *miss = sum + doubt;
            best = t;
        }
    }
    return best;
}

/* The guess without any assumption. */
static void guess_nothing(fb_track *own, size_t t)
{
    own->guesses[t][0] = own->guesses[t][1] = (fb_cast){-1, -1};
    memcpy(own->last[t], own->was.last, 2);
}

/* Guesses of one spell, or of one bludger that hit another wizard than assumed: an impact with a wizard whose thrust is
 * a guess may have been different. */
static void guess_one(fb_track *own, fb_cast lists[2][CASTS], const size_t counts[2])
{
    for (size_t t = 0; t < TRIALS; t++) {
        guess_nothing(own, t);
        if (t < counts[0]) {
            own->guesses[t][0] = lists[0][t];
        } else if (t < counts[0] + counts[1]) {
            own->guesses[t][1] = lists[1][t - counts[0]];
        } else if (t < counts[0] + counts[1] + VICTIMS) {
            const size_t victim = t - counts[0] - counts[1];
            own->last[t][victim / 5] = (int8_t)((int)(victim % 5) - 1);
        }
    }
}

/* Moves the guesses that came nearest, each alone, to the front of a list; the first, no spell, stays where it is. */
static void put_best_first(fb_cast list[CASTS], size_t count, double *apart)
{
    for (size_t k = 1; k < count && k < PAIRED; k++) {
        size_t best = k;
        for (size_t t = k + 1; t < count; t++) {
            best = apart[t] < apart[best] ? t : best;
        }
        const fb_cast cast = list[k];
        const double its = apart[k];
        list[k] = list[best];
        apart[k] = apart[best];
        list[best] = cast;
        apart[best] = its;
    }
}

/* Guesses of a spell of each wizard, after guess_one(): the most promising of one with those of the other. Trying all
 * pairs takes too much of the turn. */
static void guess_two(fb_track *own, fb_cast lists[2][CASTS], const size_t counts[2])
{
    put_best_first(lists[0], counts[0], own->apart);
    put_best_first(lists[1], counts[1], own->apart + counts[0]);
    for (size_t t = 0; t < TRIALS; t++) {
        const size_t first = t / PAIRED, second = t % PAIRED;
        guess_nothing(own, t);
        if (t < (size_t)PAIRED * PAIRED && first < counts[0] && second < counts[1]) {
            own->guesses[t][0] = lists[0][first];
            own->guesses[t][1] = lists[1][second];
        }
    }
}

/* Advances to the state after the tick by the best guess, preferring guesses with few assumptions if they explain what
 * is seen. */
static void advance(tracker *tracked, const fb_sight *seen)
{
    fb_track *own = (fb_track *)tracked->own;
    const int others = 2 - 2 * (int)tracked->player;
    double miss;
    carom_worlds *trials = own->one;
    guess_nothing(own, 0);
    size_t best = find_best(tracked, trials, 1, seen, &miss);
    if (miss > DOUBT || own->spent > 0) {
        fb_cast lists[2][CASTS];
        const size_t counts[2] = {list_casts(own, others, lists[0]), list_casts(own, others + 1, lists[1])};
        guess_one(own, lists, counts);
        trials = tracked->trials;
        best = find_best(tracked, trials, TRIALS, seen, &miss);
        if (miss > 2 * DOUBT && counts[0] > 1 && counts[1] > 1) {
            guess_two(own, lists, counts);
            best = find_best(tracked, trials, TRIALS, seen, &miss);
        }
    }
    for (int i = others; i < others + 2; i++) {
        const double off = fabs(own->trial_x[best][i] - seen->x[i]) + fabs(own->trial_y[best][i] - seen->y[i]);
        own->suspect[i] = own->actions[best][i][3] < STILL || off > 2;
    }
    carom_worlds_copy(tracked->world, NULL, trials, &best, 1);
    own->mana_before = own->mana[best][1 - tracked->player];
}

/* The snaffle at the wizard's position, or -1. */
static int8_t held_by(const fb_sight *seen, int wizard)
{
    for (int s = SNAFFLE; s < BLUDGER; s++) {
        if (seen->seen[s] && seen->x[s] == seen->x[wizard] && seen->y[s] == seen->y[wizard] &&
            seen->vx[s] == seen->vx[wizard] && seen->vy[s] == seen->vy[wizard]) {
            return (int8_t)s;
        }
    }
    return -1;
}

/* Adopts what the referee reports. */
static void correct(tracker *tracked, const fb_sight *seen)
{
    fb_track *own = (fb_track *)tracked->own;
    fb_state s;
    get_state(tracked->world, &s);
    for (int i = 0; i < BODIES; i++) {
        if (seen->seen[i]) {
            s.x[i] = seen->x[i];
            s.y[i] = seen->y[i];
            s.vx[i] = seen->vx[i];
            s.vy[i] = seen->vy[i];
        }
    }
    for (int i = 0; i < own->snaffles; i++) {
        const bool there = seen->seen[SNAFFLE + i];
        const int scorer = s.x[SNAFFLE + i] > 8000 ? 0 : 1;
        if (there != (s.alive[i] != 0)) {
            s.score[scorer] = (int8_t)(s.score[scorer] + (there ? -1 : 1));
            s.alive[i] = (int8_t)there;
        }
    }
    for (int i = 0; i < 4; i++) {
        if (seen->holds[i] != (s.hold[i] >= 0) || (s.hold[i] >= 0 && !seen->seen[s.hold[i]])) {
            s.hold[i] = (int8_t)(seen->holds[i] ? held_by(seen, i) : -1);
        }
    }
    const unsigned other = 1 - tracked->player;
    own->spent = -1;
    if (seen->scored && tracked->turn > 0) {
        const double full = fmin(own->mana_before + 1, 100);
        own->spent = (int)(full - seen->mana[other]);
        /* At 100 the point that the tick adds is lost. */
        own->spent -= own->spent % 5 == 4 && own->mana_before == 100 ? -1 : 0;
    }
    for (int p = 0; p < 2; p++) {
        if (seen->scored) {
            s.score[p] = (int8_t)fmin(fmax(seen->score[p], -1), 7);
            s.mana[p] = (int8_t)fmin(fmax(seen->mana[p], 0), 100);
        }
        s.score[p] = (int8_t)(s.score[p] < -1 ? -1 : s.score[p] > 7 ? 7 : s.score[p]);
    }
    carom_track_set(tracked->world, "x", 1, s.x);
    carom_track_set(tracked->world, "y", 1, s.y);
    carom_track_set(tracked->world, "vx", 1, s.vx);
    carom_track_set(tracked->world, "vy", 1, s.vy);
    carom_track_set(tracked->world, "hold", 1, s.hold);
    carom_track_set(tracked->world, "alive", 1, s.alive);
    carom_track_set(tracked->world, "score", 1, s.score);
    carom_track_set(tracked->world, "mana", 1, s.mana);
}

static bool fb_turn(tracker *tracked, FILE *input)
{
    fb_track *own = (fb_track *)tracked->own;
    fb_sight seen;
    if (!read_sight(tracked->player, input, &seen)) {
        return false;
    }
    if (tracked->turn == 0) {
        carom_fantastic_bits_options options = carom_fantastic_bits_options_default();
        own->snaffles = seen.snaffles > 5 ? 7 : 5;
        options.snaffles = (uint32_t)own->snaffles;
        carom_track_make(tracked, &options, TRIALS);
        carom_worlds_desc desc = carom_worlds_describe(tracked->world);
        desc.options = &options;
        desc.threads = 1;
        if (carom_worlds_create(&desc, &own->one) != CAROM_OK) {
            carom_die("no memory");
        }
    } else {
        advance(tracked, &seen);
    }
    correct(tracked, &seen);
    get_state(tracked->world, &own->was);
    return true;
}

static void fb_free(tracker *tracked)
{
    fb_track *own = (fb_track *)tracked->own;
    if (own != NULL) {
        carom_worlds_destroy(own->one);
    }
    free(own);
}

const track_game carom_track_fantastic_bits = {"fantastic_bits", fb_begin, fb_turn, fb_free};
