/* SPDX-License-Identifier: MIT
 * Search: planners over rollouts.
 */
#include "binding.h"

#include <string.h>

/* (text): a network for searches */
static PyObject *network(PyObject *module, PyObject *arguments)
{
    const char *text;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(arguments, "s#", &text, &length)) {
        return NULL;
    }
    carom_network *made = NULL;
    carom_problem problem = {""};
    const carom_status status = carom_network_read(text, (size_t)length, &made, &problem);
    return status == CAROM_OK ? handle_new(module, HANDLE_NETWORK, made, NULL) : result_of(status, &problem);
}

/* The description: a record, bounds that are read at creation, and a network or None. */
static PyObject *create(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *low, *high, *network_given;
    Py_buffer record;
    if (!PyArg_ParseTuple(arguments, "Oy*OOO", &batch, &record, &low, &high, &network_given)) {
        return NULL;
    }
    const carom_worlds *roots = handle_object(module, batch, HANDLE_WORLDS);
    const carom_network *asked =
        roots != NULL && network_given != Py_None ? handle_object(module, network_given, HANDLE_NETWORK) : NULL;
    roots = network_given == Py_None || asked != NULL ? roots : NULL;
    PyObject *result = NULL;
    Py_buffer bounds[2];
    memset(bounds, 0, sizeof bounds);
    if (roots != NULL && record.len == (Py_ssize_t)sizeof(carom_search_desc)) {
        const carom_worlds_desc made = carom_worlds_describe(roots);
        carom_search_desc desc;
        memcpy(&desc, record.buf, sizeof desc);
        carom_action_kind kind;
        carom_status status = carom_game_action_kind(made.game, desc.action_kind, &kind);
        const size_t rows = desc.hold > 0 ? (desc.horizon + desc.hold - 1) / desc.hold : 0;
        const size_t bytes = status == CAROM_OK ? rows * kind.size * sizeof(float) : 0;
        if (buffer_of(low, &bounds[0], bytes, false, "low") && buffer_of(high, &bounds[1], bytes, false, "high")) {
            desc.low = bounds[0].buf;
            desc.high = bounds[1].buf;
            result = handle_new(module, HANDLE_SEARCH, NULL, batch);
        }
        if (result != NULL) {
            handle *h = (handle *)result;
            carom_search *search = NULL;
            desc.cancel = &h->cancel;
            desc.network = asked;
            h->network = asked != NULL ? Py_NewRef(network_given) : NULL;
            status = carom_search_create(roots, &desc, &search);
            h->object = search;
            if (status != CAROM_OK) {
                Py_CLEAR(result);
                result_of(status, NULL);
            }
        }
    }
    PyBuffer_Release(&bounds[0]);
    PyBuffer_Release(&bounds[1]);
    PyBuffer_Release(&record);
    return result;
}

/* ---- watching ---- */

/* The watch of a call. */
struct watching {
    PyObject *call;       /* called with (generation, player, sequences); or None */
    PyThreadState *state; /* of the call, while it has released the interpreter's lock; else NULL */
    bool shows;           /* the watch is running, and no other thread changes the search */
};

/* A carom_search_watch. An exception stays set and ends the run. */
static void show(void *user, const carom_search *search, const carom_search_drawn *drawn)
{
    (void)search;
    handle *h = user;
    struct watching *w = h->watching;
    if (w == NULL || w->call == Py_None) {
        return;
    }
    const bool unlocked = w->state != NULL;
    if (unlocked) {
        PyEval_RestoreThread(w->state);
    }
    if (PyErr_Occurred() == NULL) {
        w->shows = true;
        PyObject *answer = PyObject_CallFunction(w->call, "nIn", (Py_ssize_t)drawn->generation, drawn->player,
                                                 (Py_ssize_t)drawn->sequences);
        w->shows = false;
        if (answer == NULL) {
            h->cancel = 1;
        }
        Py_XDECREF(answer);
    }
    if (unlocked) {
        w->state = PyEval_SaveThread();
    }
}

/* (search, whether following runs are watched) */
static PyObject *set_watch(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle;
    int is_watched = 0;
    if (!PyArg_ParseTuple(arguments, "Op", &search_handle, &is_watched)) {
        return NULL;
    }
    carom_search *search = handle_object(module, search_handle, HANDLE_SEARCH);
    if (search == NULL) {
        return NULL;
    }
    const carom_status status = carom_search_set_watch(search, is_watched ? show : NULL, search_handle);
    const carom_problem problem = {"watch: a run is in progress"};
    return result_of(status, status == CAROM_ERROR_ARGUMENT ? &problem : NULL);
}

/* (search, root, numbers of sequences | None, how many, numbers, their bytes, returns): only during a watch, while the
 * search is in use and does not change. */
static PyObject *sequences(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle, *chosen, *numbers, *returns;
    Py_ssize_t root = 0, count = 0, bytes = 0;
    if (!PyArg_ParseTuple(arguments, "OnOnOnO", &search_handle, &root, &chosen, &count, &numbers, &bytes, &returns)) {
        return NULL;
    }
    const handle *h = handle_of(module, search_handle, HANDLE_SEARCH);
    if (h == NULL) {
        return NULL;
    }
    if (h->watching == NULL || !h->watching->shows) {
        PyErr_SetString(PyExc_RuntimeError, "sequences: the watch has returned");
        return NULL;
    }
    Py_buffer views[3];
    memset(views, 0, sizeof views);
    PyObject *result = NULL;
    if (buffer_of(chosen, &views[0], (size_t)count * sizeof(uint32_t), false, "chosen") &&
        buffer_of(numbers, &views[1], (size_t)bytes, true, "numbers") &&
        buffer_of(returns, &views[2], (size_t)count * sizeof(double), true, "returns")) {
        result = result_of(
            carom_search_sequences(h->object, (size_t)root, views[0].buf, (size_t)count, views[1].buf, views[2].buf),
            &(carom_problem){"root, chosen: a root or a sequence out of range"});
    }
    for (size_t k = 0; k < 3; k++) {
        PyBuffer_Release(&views[k]);
    }
    return result;
}

/* ---- running ---- */

/* Ctrl-C stops a search through the handle's flag. */
static interrupt stoppable(PyObject *module, handle *search)
{
    search->cancel = 0;
    return interrupt_begin(module, true, &search->cancel);
}

/* (search, roots, watch | None) */
static PyObject *run(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle, *batch, *watch;
    if (!PyArg_ParseTuple(arguments, "OOO", &search_handle, &batch, &watch)) {
        return NULL;
    }
    handle *search = handle_of(module, search_handle, HANDLE_SEARCH);
    handle *roots = search == NULL ? NULL : handle_of(module, batch, HANDLE_WORLDS);
    if (roots == NULL || !handle_take(search, true)) {
        return NULL;
    }
    carom_status status = CAROM_OK;
    const bool mine = handle_take(roots, false);
    if (mine) {
        interrupt ctrl_c = stoppable(module, search);
        Py_CLEAR(search->roots); /* ends a search in steps */
        struct watching watching = {.call = watch};
        search->watching = &watching;
        watching.state = PyEval_SaveThread();
        status = carom_search_run(search->object, roots->object);
        PyEval_RestoreThread(watching.state);
        search->watching = NULL;
        interrupt_end(&ctrl_c);
        roots->busy = 0;
    }
    search->busy = 0;
    return mine && PyErr_Occurred() == NULL ? result_of(status, NULL) : NULL;
}

static PyObject *begin(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle, *batch;
    if (!PyArg_ParseTuple(arguments, "OO", &search_handle, &batch)) {
        return NULL;
    }
    carom_search *search = handle_object(module, search_handle, HANDLE_SEARCH);
    const carom_worlds *roots = search == NULL ? NULL : handle_object(module, batch, HANDLE_WORLDS);
    if (roots == NULL) {
        return NULL;
    }
    const carom_status status = carom_search_begin(search, roots);
    if (status == CAROM_OK) {
        handle *h = (handle *)search_handle;
        Py_XDECREF(h->roots);
        h->roots = Py_NewRef(batch);
    }
    return result_of(status, NULL);
}

/* (search, rollouts, milliseconds) */
static PyObject *set_budget(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle;
    unsigned long long rollouts = 0;
    double milliseconds = 0;
    if (!PyArg_ParseTuple(arguments, "OKd", &search_handle, &rollouts, &milliseconds)) {
        return NULL;
    }
    carom_search *search = handle_object(module, search_handle, HANDLE_SEARCH);
    return search == NULL ? NULL : result_of(carom_search_set_budget(search, rollouts, milliseconds), NULL);
}

/* (leaves, address of their observations) */
static PyObject *leaves(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle;
    if (!PyArg_ParseTuple(arguments, "O", &search_handle)) {
        return NULL;
    }
    handle *search = handle_of(module, search_handle, HANDLE_SEARCH);
    /* Also locks the roots, which must not change during the call. */
    handle *roots = NULL;
    if (search == NULL ||
        (search->roots != NULL && (roots = handle_of(module, search->roots, HANDLE_WORLDS)) == NULL) ||
        !handle_take(search, true)) {
        return NULL;
    }
    if (roots != NULL && !handle_take(roots, false)) {
        search->busy = 0;
        return NULL;
    }
    const float *observations = NULL;
    size_t count = 0;
    carom_status status;
    interrupt ctrl_c = stoppable(module, search);
    Py_BEGIN_ALLOW_THREADS;
    status = carom_search_leaves(search->object, &observations, &count);
    Py_END_ALLOW_THREADS;
    interrupt_end(&ctrl_c);
    search->busy = 0;
    if (roots != NULL) {
        roots->busy = 0;
    }
    if (count == 0) {
        Py_CLEAR(search->roots);
    }
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    return Py_BuildValue("(nK)", (Py_ssize_t)count, (unsigned long long)(uintptr_t)observations);
}

/* (search, values of the leaves, bytes, watch | None) */
static PyObject *values(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle, *array, *watch;
    Py_ssize_t bytes = 0;
    if (!PyArg_ParseTuple(arguments, "OOnO", &search_handle, &array, &bytes, &watch)) {
        return NULL;
    }
    handle *search = handle_of(module, search_handle, HANDLE_SEARCH);
    Py_buffer view;
    if (search == NULL || !buffer_of(array, &view, (size_t)bytes, false, "values")) {
        return NULL;
    }
    PyObject *result = NULL;
    if (handle_take(search, true)) {
        struct watching watching = {.call = watch};
        search->watching = &watching;
        const carom_status status = carom_search_values(search->object, view.buf);
        search->watching = NULL;
        search->busy = 0;
        result = PyErr_Occurred() == NULL ? result_of(status, NULL) : NULL;
    }
    PyBuffer_Release(&view);
    return result;
}

/* Calls with a search and an array of given size: what, search, player, array, bytes. */
static PyObject *transfer(PyObject *module, PyObject *arguments)
{
    const char *what = NULL;
    PyObject *search_handle, *array;
    unsigned player = 0;
    Py_ssize_t bytes = 0;
    if (!PyArg_ParseTuple(arguments, "sOIOn", &what, &search_handle, &player, &array, &bytes)) {
        return NULL;
    }
    carom_search *search = handle_object(module, search_handle, HANDLE_SEARCH);
    Py_buffer view;
    const bool in = strcmp(what, "set_plan") == 0;
    const unsigned device = search == NULL ? 0 : device_of((handle *)((handle *)search_handle)->keep);
    if (search == NULL || !span_of(module, device, array, &view, (size_t)bytes, !in, what)) {
        return NULL;
    }
    carom_status status = CAROM_ERROR_ARGUMENT;
    if (in) {
        status = carom_search_set_plan(search, player, view.buf);
    } else if (strcmp(what, "plan") == 0) {
        status = carom_search_plan(search, player, view.buf);
    } else if (strcmp(what, "actions") == 0) {
        status = carom_search_actions(search, player, view.buf);
    } else if (strcmp(what, "returns") == 0) {
        status = carom_search_returns(search, view.buf);
    }
    PyBuffer_Release(&view);
    return result_of(status, NULL);
}

/* (search, first, count): bytes */
static PyObject *save(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle;
    Py_ssize_t first = 0, count = 0;
    if (!PyArg_ParseTuple(arguments, "Onn", &search_handle, &first, &count)) {
        return NULL;
    }
    const carom_search *search = handle_object(module, search_handle, HANDLE_SEARCH);
    if (search == NULL) {
        return NULL;
    }
    const size_t size = carom_search_save_size(search, (size_t)count);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes == NULL) {
        return NULL;
    }
    const carom_status status = carom_search_save(search, (size_t)first, (size_t)count, PyBytes_AsString(bytes), size);
    if (status != CAROM_OK) {
        Py_DECREF(bytes);
        const carom_problem problem = {"a run is in progress"}; /* the range is valid */
        return result_of(status, &problem);
    }
    return bytes;
}

/* (search, first, bytes) */
static PyObject *load(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle;
    Py_ssize_t first = 0;
    Py_buffer bytes;
    if (!PyArg_ParseTuple(arguments, "Ony*", &search_handle, &first, &bytes)) {
        return NULL;
    }
    carom_search *search = handle_object(module, search_handle, HANDLE_SEARCH);
    PyObject *result = NULL;
    if (search != NULL) {
        carom_problem problem = {""};
        const carom_status status = carom_search_load(search, (size_t)first, bytes.buf, (size_t)bytes.len, &problem);
        result = result_of(status, &problem);
    }
    PyBuffer_Release(&bytes);
    return result;
}

static PyObject *report(PyObject *module, PyObject *arguments)
{
    PyObject *search_handle;
    if (!PyArg_ParseTuple(arguments, "O", &search_handle)) {
        return NULL;
    }
    const carom_search *search = handle_object(module, search_handle, HANDLE_SEARCH);
    if (search == NULL) {
        return NULL;
    }
    const carom_search_report last = carom_search_last(search);
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < last.generations; k++) {
        carom_search_generation g;
        carom_search_generation_at(search, k, &g);
        PyObject *entry =
            Py_BuildValue("(IKKddddK)", g.player, (unsigned long long)g.rollouts, (unsigned long long)g.ticks, g.best,
                          g.mean, g.spread, g.seconds, (unsigned long long)g.cut);
        if (entry == NULL || PyList_Append(list, entry) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(entry);
    }
    if (list == NULL) {
        return NULL;
    }
    return Py_BuildValue("(KKdNKd)", (unsigned long long)last.rollouts, (unsigned long long)last.ticks, last.seconds,
                         list, (unsigned long long)last.cut, last.pause);
}

PyMethodDef search_methods[] = {
    {"search_network", network, METH_VARARGS, "A network for searches, from its text."},
    {"search_create", create, METH_VARARGS, "A search for such worlds."},
    {"search_run", run, METH_VARARGS, "Searches from every world."},
    {"search_begin", begin, METH_VARARGS, "Begins a search in steps."},
    {"search_set_budget", set_budget, METH_VARARGS, "Sets the budget of the following runs."},
    {"search_leaves", leaves, METH_VARARGS, "Rolls out a generation: (leaves, address of observations)."},
    {"search_values", values, METH_VARARGS, "Takes the values of the leaves."},
    {"search_set_watch", set_watch, METH_VARARGS, "Sets whether the following runs are watched."},
    {"search_sequences", sequences, METH_VARARGS, "During a watch: sequences and their returns."},
    {"search_transfer", transfer, METH_VARARGS, "set_plan, plan, actions, returns: an array in or out."},
    {"search_save", save, METH_VARARGS, "Its state for some roots, as bytes."},
    {"search_load", load, METH_VARARGS, "Sets its state for some roots from bytes."},
    {"search_report", report, METH_VARARGS, "(rollouts, ticks, seconds, generations, cut, pause)"},
    {NULL, NULL, 0, NULL},
};
