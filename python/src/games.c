/* SPDX-License-Identifier: MIT
 * Games by name or path, and their descriptions. The package gets a game as its address: shipped and plug-in games live
 * as long as the process, a scene's game as long as the scene's handle.
 */
#include "binding.h"

static PyObject *find(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *name = NULL;
    if (!PyArg_ParseTuple(arguments, "s", &name)) {
        return NULL;
    }
    return PyLong_FromVoidPtr((void *)(uintptr_t)carom_game_find(name));
}

static PyObject *names(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    const size_t count = carom_game_count();
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < count; k++) {
        PyObject *name = PyUnicode_FromString(carom_game_describe(carom_game_at(k)).name);
        if (name == NULL || PyList_Append(list, name) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *open_game(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *path = NULL;
    if (!PyArg_ParseTuple(arguments, "s", &path)) {
        return NULL;
    }
    const carom_game *game = NULL;
    carom_problem problem = {""};
    const carom_status status = carom_game_open(path, &game, &problem);
    if (status != CAROM_OK) {
        return result_of(status, &problem);
    }
    return PyLong_FromVoidPtr((void *)(uintptr_t)game);
}

static const carom_game *game_of(PyObject *arguments)
{
    unsigned long long address = 0;
    if (!PyArg_ParseTuple(arguments, "K", &address)) {
        return NULL;
    }
    if (address == 0) {
        PyErr_SetString(PyExc_ValueError, "no game");
    }
    return (const carom_game *)(uintptr_t)address;
}

/* {name of a feature: its weight by default} of a final value. */
static PyObject *weights_of(const carom_game *game, size_t kind, size_t count)
{
    PyObject *weights = PyDict_New();
    for (size_t k = 0; weights != NULL && k < count; k++) {
        carom_value_weight weight;
        carom_game_value_weight(game, kind, k, &weight);
        PyObject *number = PyFloat_FromDouble(weight.weight);
        if (number == NULL || PyDict_SetItemString(weights, weight.name, number) != 0) {
            Py_CLEAR(weights);
        }
        Py_XDECREF(number);
    }
    return weights;
}

static PyObject *describe(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const carom_game *game = game_of(arguments);
    if (game == NULL) {
        return NULL;
    }
    const carom_game_info info = carom_game_describe(game);
    PyObject *kinds = PyList_New(0), *policies = PyList_New(0), *seen = PyList_New(0), *rewards = PyList_New(0);
    PyObject *values = PyList_New(0);
    bool good = kinds != NULL && policies != NULL && seen != NULL && rewards != NULL && values != NULL;
    for (size_t k = 0; good && k < info.action_kinds; k++) {
        carom_action_kind kind;
        carom_game_action_kind(game, k, &kind);
        PyObject *entry = Py_BuildValue("(siI)", kind.name, (int)kind.precision, kind.size);
        good = entry != NULL && PyList_Append(kinds, entry) == 0;
        Py_XDECREF(entry);
    }
    for (size_t k = 0; good && k < info.policies; k++) {
        PyObject *entry = PyUnicode_FromString(carom_game_policy_name(game, k));
        good = entry != NULL && PyList_Append(policies, entry) == 0;
        Py_XDECREF(entry);
    }
    for (size_t k = 0; good && k < info.observation_kinds; k++) {
        carom_observation_kind kind;
        carom_game_observation_kind(game, k, &kind);
        PyObject *entry = Py_BuildValue("(sII)", kind.name, kind.agents, kind.size);
        good = entry != NULL && PyList_Append(seen, entry) == 0;
        Py_XDECREF(entry);
    }
    for (size_t k = 0; good && k < info.reward_kinds; k++) {
        carom_reward_kind kind;
        carom_game_reward_kind(game, k, &kind);
        PyObject *entry = Py_BuildValue("(sI)", kind.name, kind.agents);
        good = entry != NULL && PyList_Append(rewards, entry) == 0;
        Py_XDECREF(entry);
    }
    carom_value_kind value;
    for (size_t k = 0; good && carom_game_value_kind(game, k, &value) == CAROM_OK; k++) {
        PyObject *weights = weights_of(game, k, value.weights);
        PyObject *entry = weights == NULL ? NULL : Py_BuildValue("(sN)", value.name, weights);
        good = entry != NULL && PyList_Append(values, entry) == 0;
        Py_XDECREF(entry);
    }
    if (!good) {
        Py_XDECREF(kinds);
        Py_XDECREF(policies);
        Py_XDECREF(seen);
        Py_XDECREF(rewards);
        Py_XDECREF(values);
        return NULL;
    }
    return Py_BuildValue("(ssIIINNNNNz)", info.name, info.title, info.players, info.bodies, info.max_events, kinds,
                         seen, rewards, values, policies, info.counts);
}

static PyObject *numbers(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    unsigned long long address = 0;
    Py_ssize_t index = 0;
    if (!PyArg_ParseTuple(arguments, "Kn", &address, &index)) {
        return NULL;
    }
    const carom_game *game = (const carom_game *)(uintptr_t)address;
    carom_observation_kind kind;
    const carom_status status = carom_game_observation_kind(game, (size_t)index, &kind);
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < kind.size; k++) {
        carom_number number;
        carom_game_observation_number(game, (size_t)index, k, &number);
        PyObject *entry = Py_BuildValue("(ssdd)", number.name, number.unit, (double)number.low, (double)number.high);
        if (entry == NULL || PyList_Append(list, entry) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(entry);
    }
    return list;
}

/* (defaults, [(name, type, offset, bytes, default, low, high, below, choices, meaning, offset of the length)]) */
static PyObject *options(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const carom_game *game = game_of(arguments);
    if (game == NULL) {
        return NULL;
    }
    PyObject *list = PyList_New(0);
    carom_option o;
    for (size_t k = 0; list != NULL && carom_game_option(game, k, &o) == CAROM_OK; k++) {
        PyObject *choices = PyList_New(0);
        for (size_t c = 0; choices != NULL && o.choices != NULL && c <= (size_t)o.high; c++) {
            PyObject *choice = PyUnicode_FromString(o.choices[c]);
            if (choice == NULL || PyList_Append(choices, choice) != 0) {
                Py_CLEAR(choices);
            }
            Py_XDECREF(choice);
        }
        PyObject *entry = choices == NULL
                              ? NULL
                              : Py_BuildValue("(sinndddONsn)", o.name, (int)o.type, (Py_ssize_t)o.offset,
                                              (Py_ssize_t)o.bytes, o.value, o.low, o.high, o.below ? Py_True : Py_False,
                                              choices, o.meaning, (Py_ssize_t)o.count_offset);
        if (entry == NULL || PyList_Append(list, entry) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(entry);
    }
    const size_t size = carom_game_options_size(game);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (list == NULL || bytes == NULL) {
        Py_XDECREF(list);
        Py_XDECREF(bytes);
        return NULL;
    }
    (void)carom_game_options_default(game, PyBytes_AsString(bytes));
    return Py_BuildValue("(NN)", bytes, list);
}

static PyObject *set_option(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    unsigned long long address = 0;
    PyObject *record;
    const char *name = NULL;
    double value = 0;
    Py_buffer view;
    if (!PyArg_ParseTuple(arguments, "KOsd", &address, &record, &name, &value)) {
        return NULL;
    }
    const carom_game *game = (const carom_game *)(uintptr_t)address;
    if (!buffer_of(record, &view, carom_game_options_size(game), true, "options")) {
        return NULL;
    }
    carom_problem problem = {""};
    const carom_status status = carom_game_set_option(game, view.buf, name, value, &problem);
    PyBuffer_Release(&view);
    return result_of(status, &problem);
}

PyMethodDef games_methods[] = {
    {"game_find", find, METH_VARARGS, "The game of a name; 0: none."},
    {"game_names", names, METH_NOARGS, "Names of all games."},
    {"game_open", open_game, METH_VARARGS, "The game of a shared object."},
    {"game_describe", describe, METH_VARARGS,
     "(name, title, players, bodies, max_events, kinds of action, of observation, of reward, of final value, policies, "
     "counts)"},
    {"game_options", options, METH_VARARGS, "(defaults, [description of an option])"},
    {"game_set_option", set_option, METH_VARARGS, "Sets an option in a record."},
    {"game_numbers", numbers, METH_VARARGS, "[(name, unit, low, high)] of a kind of observation"},
    {NULL, NULL, 0, NULL},
};
