/* SPDX-License-Identifier: MIT
 * Playing: a step holds its batch and its arrays, so that a call of it has nothing left to look up or check.
 */
#include "binding.h"

#include <math.h>
#include <string.h>

enum { ACTIONS, ROWS, OBSERVATIONS, LAST_OBSERVATIONS, REWARDS, ENDS, EVENTS, EVENT_COUNTS, MOVED, ARRAYS };

typedef struct step_object {
    PyObject_HEAD PyObject *batch, *module;
    carom_step step;
    Py_buffer arrays[ARRAYS];
    size_t numbers; /* of all actions of a call */
    bool doubles;   /* the actions are doubles */
    bool look;      /* for NaN among the actions */
    bool long_call;
} step_object;

static void step_free(PyObject *self)
{
    step_object *s = (step_object *)self;
    for (int k = 0; k < ARRAYS; k++) {
        PyBuffer_Release(&s->arrays[k]);
    }
    Py_XDECREF(s->batch);
    Py_XDECREF(s->module);
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* players: None, or for each player None (given), "zero" as -1, or a policy's number. */
static bool read_players(PyObject *players, carom_step *step, uint32_t count, uint32_t *given)
{
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
        const long policy = PyLong_AsLong(entry);
        if (policy == -1 && PyErr_Occurred()) {
            return false;
        }
        step->players[p].source = policy < 0 ? CAROM_ZERO : CAROM_POLICY;
        step->players[p].policy = policy < 0 ? 0 : (size_t)policy;
        --*given;
    }
    return true;
}

/* (batch, game, ticks, kind, dt, players, action_rows, event_capacity, look, arrays...) */
static PyObject *step_new(PyObject *module, PyObject *arguments)
{
    module_state *state = PyModule_GetState(module);
    PyObject *batch, *players, *arrays[ARRAYS];
    unsigned long long game_address = 0;
    Py_ssize_t ticks = 0, kind_index = 0, action_rows = 0, capacity = 0;
    double dt = 0;
    int look = 0;
    if (!PyArg_ParseTuple(arguments, "OKnndOnnpOOOOOOOOO", &batch, &game_address, &ticks, &kind_index, &dt, &players,
                          &action_rows, &capacity, &look, &arrays[0], &arrays[1], &arrays[2], &arrays[3], &arrays[4],
                          &arrays[5], &arrays[6], &arrays[7], &arrays[8])) {
        return NULL;
    }
    handle *h = handle_of(module, batch, HANDLE_WORLDS);
    if (h == NULL) {
        return NULL;
    }
    if (ticks < 1) {
        PyErr_Format(PyExc_ValueError, "ticks: %zd; at least 1 is expected", ticks);
        return NULL;
    }
    const carom_game *game = (const carom_game *)(uintptr_t)game_address;
    const carom_game_info info = carom_game_describe(game);
    carom_action_kind kind;
    const carom_status status = carom_game_action_kind(game, (size_t)kind_index, &kind);
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
    memset(s->arrays, 0, sizeof s->arrays);
    uint32_t given = 0;
    if (!read_players(players, &s->step, info.players, &given)) {
        Py_DECREF(s);
        return NULL;
    }
    const size_t count = carom_worlds_count(h->object), all = (size_t)ticks * count;
    const size_t rows = action_rows > 0 ? (size_t)action_rows : count;
    const size_t seen = all * info.players * info.observation_size * sizeof(float);
    s->doubles = kind.precision == CAROM_F64;
    s->numbers = (size_t)ticks * rows * given * kind.size;
    s->look = look != 0;
    s->long_call = (double)all * info.bodies > 200000;
    static const char *const names[ARRAYS] = {
        "actions", "rows", "observations", "last_observations", "rewards", "ends", "events", "event_counts", "moved"};
    const size_t bytes[ARRAYS] = {s->numbers * (s->doubles ? sizeof(double) : sizeof(float)),
                                  count * sizeof(uint32_t),
                                  seen,
                                  seen,
                                  all * info.players * sizeof(float),
                                  all,
                                  all * (size_t)capacity * sizeof(carom_event),
                                  all * sizeof(uint32_t),
                                  all * info.bodies * 4 * sizeof(double)};
    for (int k = 0; k < ARRAYS; k++) {
        if (!buffer_of(arrays[k], &s->arrays[k], bytes[k], k >= OBSERVATIONS, names[k])) {
            Py_DECREF(s);
            return NULL;
        }
    }
    s->step.ticks = (size_t)ticks;
    s->step.action_kind = (size_t)kind_index;
    s->step.dt = dt;
    s->step.actions = s->arrays[ACTIONS].buf;
    s->step.action_rows = (size_t)action_rows;
    s->step.rows = s->arrays[ROWS].buf;
    s->step.observations = s->arrays[OBSERVATIONS].buf;
    s->step.last_observations = s->arrays[LAST_OBSERVATIONS].buf;
    s->step.rewards = s->arrays[REWARDS].buf;
    s->step.ends = s->arrays[ENDS].buf;
    s->step.events = s->arrays[EVENTS].buf;
    s->step.event_counts = s->arrays[EVENT_COUNTS].buf;
    s->step.event_capacity = (size_t)capacity;
    s->step.moved = s->arrays[MOVED].buf;
    return (PyObject *)s;
}

static bool any_nan(const step_object *s)
{
    if (s->step.actions == NULL) {
        return false;
    }
    bool nan = false;
    for (size_t k = 0; k < s->numbers; k++) {
        nan |= s->doubles ? isnan(((const double *)s->step.actions)[k]) : isnan(((const float *)s->step.actions)[k]);
    }
    return nan;
}

static PyObject *step_play(PyObject *self, PyObject *Py_UNUSED(unused))
{
    step_object *s = (step_object *)self;
    handle *h = (handle *)s->batch;
    if (h->closed) {
        PyErr_SetString(PyExc_ValueError, "the batch is closed");
        return NULL;
    }
    if (s->look && any_nan(s)) {
        PyErr_SetString(PyExc_ValueError, "actions: there is a NaN");
        return NULL;
    }
    if (!handle_take(h)) {
        return NULL;
    }
    interrupt ctrl_c = interrupt_begin(s->module, s->long_call);
    carom_step step = s->step;
    step.cancel = ctrl_c.flag;
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_worlds_play(h->object, &step);
    Py_END_ALLOW_THREADS;
    interrupt_end(&ctrl_c);
    h->busy = false;
    if (status == CAROM_OK) {
        Py_RETURN_NONE;
    }
    return result_of(status, NULL);
}

static PyMethodDef step_methods[] = {
    {"play", step_play, METH_NOARGS, "Plays."},
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

static PyObject *observe(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *observations;
    Py_ssize_t bytes = 0;
    if (!PyArg_ParseTuple(arguments, "OOn", &batch, &observations, &bytes)) {
        return NULL;
    }
    handle *h = handle_of(module, batch, HANDLE_WORLDS);
    Py_buffer view;
    if (h == NULL || !buffer_of(observations, &view, (size_t)bytes, true, "observations")) {
        return NULL;
    }
    carom_status status = CAROM_OK;
    const bool mine = handle_take(h);
    if (mine) {
        Py_BEGIN_ALLOW_THREADS;
        status = carom_worlds_observe(h->object, view.buf);
        Py_END_ALLOW_THREADS;
        h->busy = false;
    }
    PyBuffer_Release(&view);
    return mine ? result_of(status, NULL) : NULL;
}

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
    const bool mine = handle_take(h);
    if (mine) {
        Py_BEGIN_ALLOW_THREADS;
        status = carom_worlds_policy(h->object, (size_t)index, (size_t)kind, view.buf);
        Py_END_ALLOW_THREADS;
        h->busy = false;
    }
    PyBuffer_Release(&view);
    return mine ? result_of(status, NULL) : NULL;
}

PyMethodDef play_methods[] = {
    {"step", step_new, METH_VARARGS, "A step with its batch and its arrays."},
    {"worlds_observe", observe, METH_VARARGS, "Observations of the state as it is."},
    {"worlds_policy", policy, METH_VARARGS, "What a built-in policy would do."},
    {NULL, NULL, 0, NULL},
};
