/* SPDX-License-Identifier: MIT
 * Playing: a step holds its batch and checked arrays, so that calling it needs no further look-ups or checks.
 */
#include "binding.h"

#include <math.h>
#include <string.h>

enum {
    ACTIONS,
    ROWS,
    SKIP,
    PLACES,
    OBSERVATIONS, /* outputs from here on */
    LAST_OBSERVATIONS,
    REWARDS,
    ENDS,
    EVENTS,
    EVENT_COUNTS,
    MOVED,
    RESULTS,
    CONTACTS,
    ARRAYS
};

typedef struct step_object {
    PyObject_HEAD PyObject *batch, *module;
    PyObject *players[CAROM_MAX_PLAYERS]; /* handles of planners; NULL for other players */
    bool searches;                        /* there is a planner */
    size_t bytes[ARRAYS];                 /* of each array, for a step */
    carom_step step;
    Py_buffer arrays[ARRAYS];
    Py_buffer own[CAROM_MAX_PLAYERS];      /* actions of players with a separate array */
    size_t numbers[CAROM_MAX_PLAYERS + 1]; /* of the actions of a call: the common ones, then those */
    bool doubles[CAROM_MAX_PLAYERS + 1];   /* they are doubles */
    bool look;                             /* check actions for NaN */
    bool long_call;
    unsigned device; /* of the batch and all arrays; 0: host memory */
} step_object;

static void step_free(PyObject *self)
{
    step_object *s = (step_object *)self;
    for (int k = 0; k < ARRAYS; k++) {
        PyBuffer_Release(&s->arrays[k]);
    }
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        PyBuffer_Release(&s->own[p]);
        Py_XDECREF(s->players[p]);
    }
    Py_XDECREF(s->batch);
    Py_XDECREF(s->module);
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* A player's separate actions: (kind, array), with `turns` rows. */
static bool read_own(step_object *s, const carom_game *game, uint32_t p, PyObject *entry, size_t turns)
{
    Py_ssize_t index = 0;
    PyObject *array;
    carom_action_kind kind;
    if (!PyArg_ParseTuple(entry, "nO", &index, &array)) {
        return false;
    }
    if (carom_game_action_kind(game, (size_t)index, &kind) != CAROM_OK || array == Py_None) {
        PyErr_SetString(PyExc_ValueError, "own: a kind of action and an array are expected");
        return false;
    }
    s->numbers[1 + p] = turns * kind.size;
    s->doubles[1 + p] = kind.precision == CAROM_F64;
    if (!span_of(s->module, s->device, array, &s->own[p], s->numbers[1 + p] * (kind.precision / 8), false, "own")) {
        return false;
    }
    s->step.players[p].actions = s->own[p].buf;
    s->step.players[p].action_kind = (size_t)index;
    return true;
}

/* players: None, or for each player None (given), (kind, array) (given in a separate array), -1 (zero), a policy's
 * number, or the handle of a planner. */
static bool read_players(step_object *s, PyObject *players, const carom_game *game, size_t turns, uint32_t *given)
{
    carom_step *step = &s->step;
    const uint32_t count = carom_game_describe(game).players;
    *given = count;
    if (players == Py_None) {
        return true;
    }
    if (!PyTuple_Check(players) || PyTuple_Size(players) != (Py_ssize_t)count) {
        PyErr_Format(PyExc_ValueError, "players: an entry for each of %u players is expected", count);
        return false;
    }
    for (uint32_t p = 0; p < count; p++) {
        PyObject *entry = PyTuple_GetItem(players, p);
        if (entry == Py_None) {
            continue;
        }
        --*given;
        if (PyTuple_Check(entry)) {
            if (!read_own(s, game, p, entry, turns)) {
                return false;
            }
            continue;
        }
        if (!PyLong_Check(entry)) {
            if (handle_of(s->module, entry, HANDLE_PLAYER) == NULL) {
                return false;
            }
            s->players[p] = Py_NewRef(entry);
            s->searches = true;
            continue;
        }
        const long policy = PyLong_AsLong(entry);
        if (policy == -1 && PyErr_Occurred()) {
            return false;
        }
        step->players[p].source = policy < 0 ? CAROM_ZERO : CAROM_POLICY;
        step->players[p].policy = policy < 0 ? 0 : (size_t)policy;
    }
    return true;
}

/* (batch, game, ticks, action kind, dt, players, action rows, event capacity, check for NaN, first, count, repeat,
 * at_end, observation kind, reward kind, observed, observation rows, arrays) */
static PyObject *step_new(PyObject *module, PyObject *arguments)
{
    module_state *state = PyModule_GetState(module);
    PyObject *batch, *players, *arrays;
    unsigned long long game_address = 0, observed = 0;
    Py_ssize_t ticks = 0, kind_index = 0, action_rows = 0, capacity = 0, first = 0, count_given = 0, repeat = 1;
    Py_ssize_t seen_index = 0, reward_index = 0, observation_rows = 0;
    double dt = 0;
    int look = 0, at_end = 0;
    if (!PyArg_ParseTuple(arguments, "OKnndOnnpnnninnKnO!", &batch, &game_address, &ticks, &kind_index, &dt, &players,
                          &action_rows, &capacity, &look, &first, &count_given, &repeat, &at_end, &seen_index,
                          &reward_index, &observed, &observation_rows, &PyTuple_Type, &arrays)) {
        return NULL;
    }
    handle *h = handle_of(module, batch, HANDLE_WORLDS);
    if (h == NULL) {
        return NULL;
    }
    const size_t worlds = carom_worlds_count(h->object);
    if (ticks < 1 || repeat < 1 || first < 0 || count_given < 0 || (size_t)first >= worlds ||
        (size_t)count_given > worlds - (size_t)first || action_rows < 0 || observation_rows < 0 || capacity < 0) {
        PyErr_SetString(PyExc_ValueError, "ticks, repeat, first, count: out of range");
        return NULL;
    }
    const carom_game *game = (const carom_game *)(uintptr_t)game_address;
    const carom_game_info info = carom_game_describe(game);
    carom_action_kind kind;
    carom_observation_kind seen;
    carom_reward_kind reward;
    carom_status status = carom_game_action_kind(game, (size_t)kind_index, &kind);
    status = status == CAROM_OK ? carom_game_observation_kind(game, (size_t)seen_index, &seen) : status;
    status = status == CAROM_OK ? carom_game_reward_kind(game, (size_t)reward_index, &reward) : status;
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    step_object *s = PyObject_New(step_object, state->step_type);
    if (s == NULL) {
        return NULL;
    }
    s->batch = Py_NewRef(batch);
    s->module = Py_NewRef(module);
    s->step = carom_step_default();
    s->device = device_of(h);
    memset(s->arrays, 0, sizeof s->arrays);
    memset(s->own, 0, sizeof s->own);
    memset(s->players, 0, sizeof s->players);
    s->searches = false;
    memset(s->numbers, 0, sizeof s->numbers);
    const size_t count = count_given != 0 ? (size_t)count_given : worlds - (size_t)first, all = (size_t)ticks * count;
    const size_t rows = action_rows > 0 ? (size_t)action_rows : count;
    uint32_t given = 0;
    if (!read_players(s, players, game, (size_t)ticks * rows, &given)) {
        Py_DECREF(s);
        return NULL;
    }
    const size_t seen_rows = (size_t)ticks * (observation_rows > 0 ? (size_t)observation_rows : count);
    const size_t agents = observed != 0 ? (size_t)bits_in(observed) : (size_t)info.players * seen.agents;
    const size_t seen_bytes = seen_rows * agents * seen.size * sizeof(float);
    s->doubles[0] = kind.precision == CAROM_F64;
    s->numbers[0] = (size_t)ticks * rows * given * kind.size;
    s->look = look != 0;
    s->long_call = s->device == 0 && (double)all * (double)repeat * info.bodies > 200000;
    static const char *const names[ARRAYS] = {
        "actions", "rows",   "skip",         "places", "observations", "last_observations", "rewards",
        "ends",    "events", "event_counts", "moved",  "results",      "contacts"};
    const size_t bytes[ARRAYS] = {s->numbers[0] * (kind.precision / 8),
                                  count * sizeof(uint32_t),
                                  count,
                                  count * sizeof(uint32_t),
                                  seen_bytes,
                                  seen_bytes,
                                  all * info.players * reward.agents * sizeof(float),
                                  all,
                                  all * (size_t)capacity * sizeof(carom_event),
                                  all * sizeof(uint32_t),
                                  all * info.bodies * 4 * sizeof(double),
                                  all * sizeof(carom_result),
                                  all * (size_t)capacity * sizeof(carom_contact)};
    if (PyTuple_Size(arrays) != ARRAYS) {
        PyErr_SetString(PyExc_TypeError, "another number of arrays is expected");
        Py_DECREF(s);
        return NULL;
    }
    for (int k = 0; k < ARRAYS; k++) {
        if (!span_of(module, s->device, PyTuple_GetItem(arrays, k), &s->arrays[k], bytes[k], k >= OBSERVATIONS,
                     names[k])) {
            Py_DECREF(s);
            return NULL;
        }
        s->bytes[k] = k == ROWS || k == SKIP || k == PLACES ? 0 : bytes[k] / (size_t)ticks;
    }
    s->step.ticks = (size_t)ticks;
    s->step.action_kind = (size_t)kind_index;
    s->step.dt = dt;
    s->step.actions = s->arrays[ACTIONS].buf;
    s->step.action_rows = (size_t)action_rows;
    s->step.rows = s->arrays[ROWS].buf;
    s->step.skip = s->arrays[SKIP].buf;
    s->step.places = s->arrays[PLACES].buf;
    s->step.observations = s->arrays[OBSERVATIONS].buf;
    s->step.last_observations = s->arrays[LAST_OBSERVATIONS].buf;
    s->step.rewards = s->arrays[REWARDS].buf;
    s->step.ends = s->arrays[ENDS].buf;
    s->step.events = s->arrays[EVENTS].buf;
    s->step.event_counts = s->arrays[EVENT_COUNTS].buf;
    s->step.event_capacity = (size_t)capacity;
    s->step.moved = s->arrays[MOVED].buf;
    s->step.results = s->arrays[RESULTS].buf;
    s->step.contacts = s->arrays[CONTACTS].buf;
    s->step.first = (size_t)first;
    s->step.count = (size_t)count_given;
    s->step.repeat = (size_t)repeat;
    s->step.at_end = at_end < 0 ? CAROM_AS_MADE : (carom_at_end)at_end;
    s->step.observation_kind = (size_t)seen_index;
    s->step.reward_kind = (size_t)reward_index;
    s->step.observed = observed;
    s->step.observation_rows = (size_t)observation_rows;
    return (PyObject *)s;
}

static bool any_nan(const step_object *s)
{
    bool nan = false;
    for (int of = 0; of <= CAROM_MAX_PLAYERS; of++) {
        const void *actions = of == 0 ? s->arrays[ACTIONS].buf : s->own[of - 1].buf;
        for (size_t k = 0; actions != NULL && k < s->numbers[of]; k++) {
            nan |= s->doubles[of] ? isnan(((const double *)actions)[k]) : isnan(((const float *)actions)[k]);
        }
    }
    return nan;
}

/* The kind of call; EXPAND copies the parents' worlds and plays the copies. */
typedef enum purpose { PLAY, OBSERVE, EXPAND } purpose;

static carom_status step_call(handle *h, const carom_step *step, purpose p, const carom_worlds *parents,
                              const size_t *from)
{
    switch (p) {
    case OBSERVE:
        return carom_worlds_observe_step(h->object, step);
    case EXPAND:
        return carom_worlds_expand(h->object, parents, from, step);
    case PLAY:
        break;
    }
    return h->recording != NULL ? recording_play(h->recording, h->object, step) : carom_worlds_play(h->object, step);
}

/* Releases the planners among the first `count` players. */
static void players_release(const step_object *s, int count)
{
    for (int p = 0; p < count; p++) {
        if (s->players[p] != NULL) {
            ((handle *)s->players[p])->busy = 0;
        }
    }
}

/* Marks the planners as in use; false with an exception. */
static bool players_take(const step_object *s)
{
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        handle *player = s->players[p] == NULL ? NULL : handle_of(s->module, s->players[p], HANDLE_PLAYER);
        if (s->players[p] != NULL && (player == NULL || !handle_take(player, true))) {
            players_release(s, p);
            return false;
        }
    }
    return true;
}

/* The address plus `bytes`; NULL stays NULL. */
static void *moved_by(const void *address, size_t bytes)
{
    return address == NULL ? NULL : (unsigned char *)(uintptr_t)address + bytes;
}

/* Plays step by step, since planners search before each step. */
static carom_status play_searched(const step_object *s, handle *h, const carom_step *all)
{
    carom_status status = CAROM_OK;
    for (size_t t = 0; t < all->ticks && status == CAROM_OK; t++) {
        carom_step step = *all;
        step.ticks = 1;
        step.actions = moved_by(all->actions, t * s->bytes[ACTIONS]);
        step.observations = moved_by(all->observations, t * s->bytes[OBSERVATIONS]);
        step.last_observations = moved_by(all->last_observations, t * s->bytes[LAST_OBSERVATIONS]);
        step.rewards = moved_by(all->rewards, t * s->bytes[REWARDS]);
        step.ends = moved_by(all->ends, t * s->bytes[ENDS]);
        step.events = moved_by(all->events, t * s->bytes[EVENTS]);
        step.event_counts = moved_by(all->event_counts, t * s->bytes[EVENT_COUNTS]);
        step.moved = moved_by(all->moved, t * s->bytes[MOVED]);
        step.results = moved_by(all->results, t * s->bytes[RESULTS]);
        step.contacts = moved_by(all->contacts, t * s->bytes[CONTACTS]);
        for (int p = 0; p < CAROM_MAX_PLAYERS && status == CAROM_OK; p++) {
            const size_t own = s->numbers[1 + p] / all->ticks * (s->doubles[1 + p] ? sizeof(double) : sizeof(float));
            step.players[p].actions = moved_by(all->players[p].actions, t * own);
            if (s->players[p] != NULL) {
                status = carom_player_take(((handle *)s->players[p])->object, h->object, &step);
            }
        }
        status = status == CAROM_OK ? step_call(h, &step, PLAY, NULL, NULL) : status;
    }
    return status;
}

static PyObject *step_do(step_object *s, purpose p, handle *parents, const size_t *from)
{
    const bool play = p != OBSERVE;
    handle *h = (handle *)s->batch;
    if (h->closed) {
        PyErr_SetString(PyExc_ValueError, "the batch is closed");
        return NULL;
    }
    if (play && s->look && any_nan(s)) {
        PyErr_SetString(PyExc_ValueError, "actions: there is a NaN");
        return NULL;
    }
    if (p == EXPAND && h->recording != NULL) {
        PyErr_SetString(PyExc_NotImplementedError, "expand: not while the batch is recorded");
        return NULL;
    }
    if (p == EXPAND && s->searches) {
        PyErr_SetString(PyExc_NotImplementedError, "expand: not with a planner");
        return NULL;
    }
    const bool searches = p == PLAY && s->searches;
    if (!handle_take(h, play)) {
        return NULL;
    }
    if (searches && !players_take(s)) {
        h->busy = 0;
        return NULL;
    }
    if (parents != NULL && parents != h && !handle_take(parents, false)) {
        h->busy = 0;
        return NULL;
    }
    interrupt ctrl_c = interrupt_begin(s->module, s->long_call || searches, NULL);
    carom_step step = s->step;
    step.cancel = ctrl_c.flag;
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status =
        searches ? play_searched(s, h, &step) : step_call(h, &step, p, parents == NULL ? NULL : parents->object, from);
    Py_END_ALLOW_THREADS;
    interrupt_end(&ctrl_c);
    h->busy = 0;
    if (searches) {
        players_release(s, CAROM_MAX_PLAYERS);
    }
    if (parents != NULL) {
        parents->busy = 0;
    }
    if (status == CAROM_OK) {
        Py_RETURN_NONE;
    }
    if (play && h->recording != NULL && status == CAROM_ERROR_CANCELLED) {
        return recording_problem(h->recording, status);
    }
    return result_of_worlds(status, h->object);
}

static PyObject *step_play(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return step_do((step_object *)self, PLAY, NULL, NULL);
}

/* (stream, actions): plays on a stream of the batch's device; actions: memory instead of the bound one, or None */
static PyObject *step_play_on(PyObject *self, PyObject *arguments)
{
    step_object *s = (step_object *)self;
    unsigned long long stream = 0;
    PyObject *actions;
    Py_buffer view;
    if (!PyArg_ParseTuple(arguments, "KO", &stream, &actions) ||
        !span_of(s->module, s->device, actions, &view, s->arrays[ACTIONS].len > 0 ? (size_t)s->arrays[ACTIONS].len : 0,
                 false, "actions")) {
        return NULL;
    }
    const float *bound = s->step.actions;
    s->step.stream = (void *)(uintptr_t)stream;
    s->step.actions = actions == Py_None ? bound : view.buf;
    PyObject *result = step_do(s, PLAY, NULL, NULL);
    s->step.actions = bound;
    PyBuffer_Release(&view);
    return result;
}

static PyObject *step_observe(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return step_do((step_object *)self, OBSERVE, NULL, NULL);
}

static PyObject *step_observe_on(PyObject *self, PyObject *arguments)
{
    step_object *s = (step_object *)self;
    unsigned long long stream = 0;
    if (!PyArg_ParseTuple(arguments, "K", &stream)) {
        return NULL;
    }
    s->step.stream = (void *)(uintptr_t)stream;
    return step_do(s, OBSERVE, NULL, NULL);
}

/* (parents, from, stream): the batch to copy from, and its worlds, an array of size_t or None */
static PyObject *step_expand(PyObject *self, PyObject *arguments)
{
    step_object *s = (step_object *)self;
    PyObject *batch, *list;
    unsigned long long stream = 0;
    if (!PyArg_ParseTuple(arguments, "OOK", &batch, &list, &stream)) {
        return NULL;
    }
    s->step.stream = (void *)(uintptr_t)stream;
    handle *parents = handle_of(s->module, batch, HANDLE_WORLDS);
    const handle *children = (handle *)s->batch;
    const size_t count = s->step.count != 0 ? s->step.count : carom_worlds_count(children->object) - s->step.first;
    Py_buffer from;
    if (parents == NULL || !span_of(s->module, s->device, list, &from, count * sizeof(size_t), false, "from")) {
        return NULL;
    }
    PyObject *result = step_do(s, EXPAND, parents, from.buf);
    PyBuffer_Release(&from);
    return result;
}

static PyMethodDef step_methods[] = {
    {"play", step_play, METH_NOARGS, "Plays."},
    {"play_on", step_play_on, METH_VARARGS, "Plays on a stream of the batch's device."},
    {"observe", step_observe, METH_NOARGS, "Writes the observations of the current state."},
    {"observe_on", step_observe_on, METH_VARARGS, "The same on a stream of the batch's device."},
    {"expand", step_expand, METH_VARARGS, "Copies worlds of another batch and plays them."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot step_slots[] = {
    {Py_tp_dealloc, step_free},
    {Py_tp_methods, step_methods},
    {Py_tp_doc, "A call of carom_worlds_play() with everything bound."},
    {0, NULL},
};

PyType_Spec step_spec = {
    .name = "carom._carom.Step",
    .basicsize = sizeof(step_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = step_slots,
};

static PyObject *policy(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *actions;
    Py_ssize_t index = 0, kind = 0, bytes = 0;
    if (!PyArg_ParseTuple(arguments, "OnnOn", &batch, &index, &kind, &actions, &bytes)) {
        return NULL;
    }
    handle *h = handle_of(module, batch, HANDLE_WORLDS);
    Py_buffer view;
    if (h == NULL || !buffer_of(actions, &view, (size_t)bytes, true, "actions")) {
        return NULL;
    }
    carom_status status = CAROM_OK;
    const bool mine = handle_take(h, false);
    if (mine) {
        Py_BEGIN_ALLOW_THREADS;
        status = carom_worlds_policy(h->object, (size_t)index, (size_t)kind, view.buf);
        Py_END_ALLOW_THREADS;
        h->busy = 0;
    }
    PyBuffer_Release(&view);
    return mine ? result_of(status, NULL) : NULL;
}

PyMethodDef play_methods[] = {
    {"step", step_new, METH_VARARGS, "A step with its batch and its arrays."},
    {"worlds_policy", policy, METH_VARARGS, "The actions of a built-in policy."},
    {NULL, NULL, 0, NULL},
};
