/* SPDX-License-Identifier: MIT
 * Ghosts: see ghosts.h. A search gives the numbers of the sequences that it rolls out, and their returns. The bodies'
 * paths are found here by playing some of the sequences again, tick by tick.
 */
#include "ghosts.h"

#include <carom/rollout.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_IMPACTS 256 /* of a future in a tick; beyond them its paths are straight */

void carom_ghosts_free(ghost_list *list)
{
    for (size_t k = 0; k < list->count; k++) {
        free(list->all[k].legs);
        free(list->all[k].first_leg);
        free(list->all[k].returns);
    }
    free(list->all);
    *list = (ghost_list){NULL, 0, 0};
}

bool carom_ghosts_show(const film *f, unsigned player, size_t body)
{
    bool owned = false;
    const int style = CAROM_LOOK_FIRST + (int)player;
    for (size_t b = 0; b < f->bodies; b++) {
        owned = owned || (int)f->about[b].style == style;
    }
    return (!owned || (int)f->about[body].style == style) && !isinf(f->about[body].mass);
}

/* Adds ghosts without their paths and returns. */
static film_ghosts *add(ghost_list *to, const film_ghosts *made)
{
    to->all = carom_widen(to->all, to->count, &to->room, sizeof *to->all);
    film_ghosts *g = &to->all[to->count++];
    *g = *made;
    g->first_leg = carom_allocate(g->count * g->bodies + 1, sizeof *g->first_leg);
    g->first_leg[0] = 0;
    g->returns = carom_allocate(g->count, sizeof *g->returns);
    return g;
}

/* Adds the path of a body in world `i` of the film of some futures, as the next body of the next future. */
static void add_way(film_ghosts *g, const film *seen, size_t i, size_t body, size_t *ways)
{
    size_t count = g->first_leg[*ways];
    for (size_t tick = 0; tick < g->horizon; tick++) {
        const size_t legs = carom_film_goes_on(seen, tick, i, body) ? carom_film_legs(seen, tick, i, body) : 0;
        for (size_t n = 0; n < legs; n++) {
            g->legs = carom_widen(g->legs, count, &g->leg_room, sizeof *g->legs);
            film_leg *leg = &g->legs[count++];
            *leg = carom_film_leg(seen, tick, i, body, n);
            leg->from += (double)tick;
            leg->to += (double)tick;
        }
    }
    g->first_leg[++*ways] = count;
}

/* Worlds like those of `like`, to play futures in: `count` for a game, the same number for a replay. As in a rollout, a
 * game that ends is frozen. */
static carom_worlds *make_futures(const film *f, const carom_worlds *like, size_t count)
{
    carom_worlds *worlds;
    carom_worlds_desc desc = carom_worlds_describe(like);
    if (f->from.replay.replay != NULL) {
        carom_demand(carom_replay_worlds(f->from.replay.replay, desc.isa, desc.threads, &worlds),
                     "create worlds for ghosts");
        return worlds;
    }
    desc.options = f->from.set;
    desc.count = count;
    desc.at_end = CAROM_FREEZE;
    carom_demand(carom_worlds_create(&desc, &worlds), "create worlds for ghosts");
    return worlds;
}

/* Writes the actions of futures [first, first + n) in one of their ticks: actions[future][number]. */
typedef void give_actions(void *user, size_t first, size_t n, size_t tick, float *actions);

/* Plays all futures from `root` of `roots` in `futures`, as many at once as there are worlds. */
static void play_futures(const film *f, film_ghosts *g, carom_worlds *futures, const carom_worlds *roots, size_t root,
                         const carom_step *who, size_t row, give_actions *give, void *user)
{
    const size_t at_once = carom_worlds_count(futures);
    float *actions = carom_allocate(at_once * row, sizeof *actions);
    bool *shown = carom_allocate(f->bodies, sizeof *shown);
    for (size_t b = 0; b < f->bodies; b++) {
        shown[b] = carom_ghosts_show(f, g->player, b);
    }
    carom_step step = *who;
    step.actions = actions;
    step.at_end = CAROM_FREEZE;
    size_t ways = 0;
    for (size_t first = 0; first < g->count; first += at_once) {
        const size_t n = g->count - first < at_once ? g->count - first : at_once;
        for (size_t i = 0; i < at_once; i++) {
            carom_demand(carom_worlds_copy(futures, &i, roots, &root, 1), "copy a world");
        }
        film seen = carom_film_beside(f, futures, MOST_IMPACTS);
        for (size_t tick = 0; tick < g->horizon; tick++) {
            give(user, first, n, tick, actions);
            carom_film_play(&seen, &step);
        }
        for (size_t way = 0; way < n * f->bodies; way++) {
            if (shown[way % f->bodies]) {
                add_way(g, &seen, way / f->bodies, way % f->bodies, &ways);
            } else {
                g->first_leg[ways + 1] = g->first_leg[ways];
                ways++;
            }
        }
        carom_film_close_beside(&seen);
    }
    free(shown);
    free(actions);
}

/* ---- drawn actions ---- */

typedef struct drawn_actions {
    const carom_game *game;
    uint64_t seed, id;
    size_t size; /* numbers of an action */
} drawn_actions;

static void give_drawn(void *user, size_t first, size_t n, size_t tick, float *actions)
{
    const drawn_actions *drawn = user;
    for (size_t i = 0; i < n; i++) {
        carom_rollout_draw(drawn->game, drawn->seed, drawn->id, (uint32_t)(first + i), (uint32_t)tick, 0,
                           actions + i * drawn->size);
    }
}

void carom_ghosts_draw(film *f, size_t world, size_t count, size_t horizon, uint64_t seed, ghost_list *to)
{
    const uint32_t players = f->from.about.players;
    carom_rollout_desc search = carom_rollout_desc_default(f->from.game);
    carom_action_kind kind;
    carom_demand(carom_game_action_kind(f->from.game, search.action_kind, &kind), "draw actions");
    carom_step step = carom_step_default();
    step.action_kind = search.action_kind;
    search.sequences = count;
    search.horizon = horizon;
    search.seed = seed;
    for (uint32_t p = 1; p < players; p++) {
        step.players[p].source = search.players[p].source = CAROM_POLICY;
        step.players[p].policy = search.players[p].policy = f->from.step.players[p].policy;
    }

    const film_ghosts made = {.frame = f->count - 1,
                              .world = world,
                              .generation = GHOSTS_DRAWN,
                              .count = count,
                              .horizon = horizon,
                              .bodies = f->bodies};
    film_ghosts *g = add(to, &made);
    double *all = carom_allocate(f->worlds * count * players, sizeof *all);
    carom_demand(carom_rollout(f->from.worlds, &search, all, NULL, NULL), "roll out");
    for (size_t k = 0; k < count; k++) {
        g->returns[k] = all[(world * count + k) * players];
    }
    free(all);

    drawn_actions drawn = {f->from.game, seed, f->frames[f->count - 1].states[world].id, kind.size};
    carom_worlds *futures = make_futures(f, f->from.worlds, count);
    play_futures(f, g, futures, f->from.worlds, world, &step, kind.size, give_drawn, &drawn);
    carom_worlds_destroy(futures);
}

/* ---- searches ---- */

/* The kept part of a generation, for the watched worlds. */
typedef struct kept_generation {
    size_t sequences, count; /* sequences of a world: rolled out, kept */
    float *numbers;          /* [world][count][series] */
    double *returns;         /* [world][count] */
    float *others;           /* [world][player][series], for players that follow a plan */
} kept_generation;

typedef struct watcher {
    ghost_watch *watch;
    carom_player *planner;
    unsigned player;
    carom_search_desc asked; /* known, with the following members, once a search was seen */
    carom_candidate other;   /* the assumed play of the other players: the first of several candidates */
    size_t size, series;     /* numbers of an action, of a sequence */
    carom_worlds *roots;     /* [watched worlds]: the roots of the search */
    carom_worlds *futures;   /* [count] */
    kept_generation *kept;   /* [generations] of the current search */
    size_t generations, room;
} watcher;

struct ghost_watch {
    film *f;
    size_t first, worlds, count;
    watcher of[CAROM_MAX_PLAYERS]; /* planner NULL: that player is not a planner */
};

static void forget(watcher *w)
{
    for (size_t k = 0; k < w->generations; k++) {
        free(w->kept[k].numbers);
        free(w->kept[k].returns);
        free(w->kept[k].others);
    }
    w->generations = 0;
}

/* Selects the best sequence of a world, then the first ones: which = [count]. */
static void choose(const carom_search *search, size_t world, const kept_generation *kept, uint32_t *which)
{
    double *returns = carom_allocate(kept->sequences, sizeof *returns);
    uint32_t best = 0;
    carom_demand(carom_search_sequences(search, world, NULL, kept->sequences, NULL, returns), "look at a search");
    for (uint32_t k = 1; k < kept->sequences; k++) {
        best = returns[k] > returns[best] ? k : best;
    }
    which[0] = best;
    for (uint32_t k = 0, n = 1; n < kept->count; k++) {
        if (k != best) {
            which[n++] = k;
        }
    }
    free(returns);
}

/* The plans of the other players, for the watched worlds: others[world][player][series]. */
static void keep_others(const watcher *w, const carom_search *search, float *others)
{
    const ghost_watch *watch = w->watch;
    const size_t players = watch->f->from.about.players;
    float *all = carom_allocate(watch->f->worlds * w->series, sizeof *all);
    for (unsigned p = 0; p < players && w->other.other >= CAROM_OTHER_PLAN; p++) {
        if (p == w->player) {
            continue;
        }
        carom_demand(carom_search_plan(search, p, all), "look at a plan");
        for (size_t k = 0; k < watch->worlds; k++) {
            memcpy(others + (k * players + p) * w->series, all + (watch->first + k) * w->series,
                   w->series * sizeof *all);
        }
    }
    free(all);
}

/* Keeps the parameters and the roots of the search, made by the planner from the film's worlds. */
static void keep_roots(watcher *w, const carom_search_desc *asked, const carom_worlds *roots)
{
    const ghost_watch *watch = w->watch;
    const plan_options *options = &watch->f->from.planned[w->player].options;
    carom_action_kind kind;
    w->asked = *asked;
    w->other =
        options->search.candidate_count > 0 ? options->candidates[0] : (carom_candidate){asked->other, asked->policy};
    carom_demand(carom_game_action_kind(watch->f->from.game, asked->action_kind, &kind), "look at a search");
    w->size = kind.size;
    w->series = ((asked->horizon - 1) / asked->hold + 1) * kind.size;
    if (w->roots == NULL) {
        w->roots = make_futures(watch->f, roots, watch->worlds);
        w->futures = make_futures(watch->f, roots, watch->count);
    }
    for (size_t k = 0; k < watch->worlds; k++) {
        const size_t world = watch->first + k;
        carom_demand(carom_worlds_copy(w->roots, &k, roots, &world, 1), "copy a world");
    }
}

/* A carom_search_watch. It only copies numbers, since a search may have a budget in time. */
static void see(void *user, const carom_search *search, const carom_search_drawn *drawn)
{
    watcher *w = user;
    const ghost_watch *watch = w->watch;
    if (drawn->player != w->player) {
        return; /* the others' plans are searched for */
    }
    if (w->generations == 0) {
        keep_roots(w, drawn->desc, drawn->roots);
    }
    w->kept = carom_widen(w->kept, w->generations, &w->room, sizeof *w->kept);
    kept_generation *kept = &w->kept[w->generations++];
    kept->sequences = drawn->sequences;
    kept->count = drawn->sequences < watch->count ? drawn->sequences : watch->count;
    kept->numbers = carom_allocate(watch->worlds * kept->count * w->series, sizeof *kept->numbers);
    kept->returns = carom_allocate(watch->worlds * kept->count, sizeof *kept->returns);
    kept->others = carom_allocate(watch->worlds * watch->f->from.about.players * w->series, sizeof *kept->others);
    uint32_t *which = carom_allocate(kept->count, sizeof *which);
    for (size_t k = 0; k < watch->worlds; k++) {
        choose(search, watch->first + k, kept, which);
        carom_demand(carom_search_sequences(search, watch->first + k, which, kept->count,
                                            kept->numbers + k * kept->count * w->series,
                                            kept->returns + k * kept->count),
                     "look at a search");
    }
    free(which);
    keep_others(w, search, kept->others);
}

ghost_watch *carom_ghosts_watch(film *f, size_t first, size_t end, size_t count)
{
    ghost_watch *watch = carom_allocate(1, sizeof *watch);
    watch->f = f;
    watch->first = first;
    watch->worlds = end - first;
    watch->count = count;
    for (unsigned p = 0; p < f->from.about.players; p++) {
        const source_planner *planned = &f->from.planned[p];
        watcher *w = &watch->of[p];
        if (planned->planner == NULL || carom_player_search(planned->planner) == NULL) { /* a network's policy */
            continue;
        }
        w->watch = watch;
        w->planner = planned->planner;
        w->player = p;
        carom_demand(carom_search_set_watch(carom_player_search(w->planner), see, w), "watch a search");
    }
    return watch;
}

void carom_ghosts_end(ghost_watch *watch)
{
    if (watch == NULL) {
        return;
    }
    for (unsigned p = 0; p < CAROM_MAX_PLAYERS; p++) {
        watcher *w = &watch->of[p];
        if (w->planner != NULL) {
            carom_demand(carom_search_set_watch(carom_player_search(w->planner), NULL, NULL), "watch a search");
            forget(w);
            free(w->kept);
            carom_worlds_destroy(w->roots);
            carom_worlds_destroy(w->futures);
        }
    }
    free(watch);
}

/* The players that act in the futures of a search, and their numbers. */
typedef struct planned_actions {
    const watcher *w;
    const float *numbers;  /* [future][series] */
    const float *others;   /* [player][series] */
    size_t players, given; /* given: players that act by numbers */
} planned_actions;

static void give_planned(void *user, size_t first, size_t n, size_t tick, float *actions)
{
    const planned_actions *planned = user;
    const watcher *w = planned->w;
    const size_t at = tick / w->asked.hold * w->size;
    for (size_t i = 0; i < n; i++) {
        for (unsigned p = 0; p < planned->players; p++) {
            const bool own = p == w->player;
            if (own || w->other.other >= CAROM_OTHER_PLAN) {
                const float *from = own ? planned->numbers + (first + i) * w->series : planned->others + p * w->series;
                memcpy(actions, from + at, w->size * sizeof *actions);
                actions += w->size;
            }
        }
    }
}

/* Adds `made`, whose futures have these numbers and returns, in watched world `k`. */
static void add_planned(const watcher *w, const film_ghosts *made, size_t k, const float *numbers,
                        const double *returns, const float *others, ghost_list *to)
{
    const size_t players = w->watch->f->from.about.players;
    const bool follow = w->other.other >= CAROM_OTHER_PLAN;
    planned_actions planned = {w, numbers, others, players, follow ? players : 1};
    carom_step step = carom_step_default();
    step.action_kind = w->asked.action_kind;
    for (unsigned p = 0; p < players; p++) {
        step.players[p].source = p == w->player || follow               ? CAROM_GIVEN
                                 : w->other.other == CAROM_OTHER_POLICY ? CAROM_POLICY
                                                                        : CAROM_ZERO;
        step.players[p].policy = w->other.policy;
    }
    film_ghosts *g = add(to, made);
    memcpy(g->returns, returns, g->count * sizeof *returns);
    play_futures(w->watch->f, g, w->futures, w->roots, k, &step, planned.given * w->size, give_planned, &planned);
}

/* Adds the futures of a planner in watched world `k`. */
static void add_search(const watcher *w, size_t k, size_t most, ghost_list *to)
{
    const ghost_watch *watch = w->watch;
    const carom_search *search = carom_player_search(w->planner);
    const size_t players = watch->f->from.about.players, worlds = watch->f->worlds, all = w->generations;
    film_ghosts made = {.frame = watch->f->count - 1,
                        .world = watch->first + k,
                        .player = w->player,
                        .generations = all,
                        .horizon = w->asked.horizon,
                        .bodies = watch->f->bodies};
    const size_t shown = all < most ? all : most;
    for (size_t i = 0; i < shown; i++) {
        const size_t generation = shown > 1 ? i * (all - 1) / (shown - 1) : 0;
        const kept_generation *kept = &w->kept[generation];
        made.generation = (int64_t)generation;
        made.sequences = kept->sequences;
        made.count = kept->count;
        add_planned(w, &made, k, kept->numbers + k * kept->count * w->series, kept->returns + k * kept->count,
                    kept->others + k * players * w->series, to);
    }
    if (all == 0) {
        return; /* the time was too short for a generation */
    }

    float *plans = carom_allocate(worlds * w->series, sizeof *plans);
    double *returns = carom_allocate(worlds, sizeof *returns);
    carom_demand(carom_search_plan(search, w->player, plans), "look at a plan");
    carom_demand(carom_search_returns(search, returns), "look at a plan");
    made.generation = GHOSTS_PLAN;
    made.sequences = 0;
    made.count = 1;
    add_planned(w, &made, k, plans + made.world * w->series, returns + made.world,
                w->kept[all - 1].others + k * players * w->series, to);
    free(plans);
    free(returns);
}

void carom_ghosts_think(ghost_watch *watch, size_t most, ghost_list *to)
{
    carom_played_think(&watch->f->from);
    for (unsigned p = 0; p < CAROM_MAX_PLAYERS; p++) {
        watcher *w = &watch->of[p];
        for (size_t k = 0; k < watch->worlds && w->planner != NULL; k++) {
            add_search(w, k, most, to);
        }
        forget(w);
    }
}
