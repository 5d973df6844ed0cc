/* SPDX-License-Identifier: MIT
 * Players, made from a text.
 */
#include "binding.h"

/* (game, text): raises if the text is not a player of the game */
static PyObject *check(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    unsigned long long game = 0;
    const char *text = NULL;
    if (!PyArg_ParseTuple(arguments, "Ks", &game, &text)) {
        return NULL;
    }
    carom_problem problem = {""};
    return result_of(carom_player_check((const carom_game *)(uintptr_t)game, text, &problem), &problem);
}

/* (batch, seat, text) */
static PyObject *create(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    unsigned seat = 0;
    const char *text = NULL;
    if (!PyArg_ParseTuple(arguments, "OIs", &batch, &seat, &text)) {
        return NULL;
    }
    const carom_worlds *worlds = handle_object(module, batch, HANDLE_WORLDS);
    if (worlds == NULL) {
        return NULL;
    }
    carom_player *player = NULL;
    carom_problem problem = {""};
    const carom_status status = carom_player_create(worlds, seat, text, &player, &problem);
    return status == CAROM_OK ? handle_new(module, HANDLE_PLAYER, player, NULL) : result_of(status, &problem);
}

/* (player): the kind of its actions */
static PyObject *kind(PyObject *module, PyObject *handle_given)
{
    const carom_player *player = handle_object(module, handle_given, HANDLE_PLAYER);
    return player == NULL ? NULL : PyLong_FromSize_t(carom_player_action_kind(player));
}

/* (player, batch, actions, bytes) */
static PyObject *act(PyObject *module, PyObject *arguments)
{
    PyObject *player_handle, *batch, *array;
    Py_ssize_t bytes = 0;
    Py_buffer view;
    if (!PyArg_ParseTuple(arguments, "OOOn", &player_handle, &batch, &array, &bytes)) {
        return NULL;
    }
    handle *player = handle_of(module, player_handle, HANDLE_PLAYER);
    handle *worlds = player == NULL ? NULL : handle_of(module, batch, HANDLE_WORLDS);
    if (worlds == NULL || !buffer_of(array, &view, (size_t)bytes, true, "actions")) {
        return NULL;
    }
    carom_status status = CAROM_OK;
    const bool mine = handle_take(player, true), both = mine && handle_take(worlds, true);
    if (both) {
        Py_BEGIN_ALLOW_THREADS;
        status = carom_player_act(player->object, worlds->object, view.buf, 0);
        Py_END_ALLOW_THREADS;
        worlds->busy = 0;
    }
    if (mine) {
        player->busy = 0;
    }
    PyBuffer_Release(&view);
    return both ? result_of(status, NULL) : NULL;
}

/* (player) */
static PyObject *forget(PyObject *module, PyObject *handle_given)
{
    carom_player *player = handle_object(module, handle_given, HANDLE_PLAYER);
    return player == NULL ? NULL : result_of(carom_player_forget(player), NULL);
}

/* (game): the texts of its ladder */
static PyObject *ladder(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    unsigned long long game = 0;
    const char *const *names;
    if (!PyArg_ParseTuple(arguments, "K", &game)) {
        return NULL;
    }
    const size_t count = carom_ladder((const carom_game *)(uintptr_t)game, &names);
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < count; k++) {
        PyObject *name = PyUnicode_FromString(names[k]);
        if (name == NULL || PyList_Append(list, name) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(name);
    }
    return list;
}

/* () -> [(name, meaning)] */
static PyObject *keys(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyObject *list = PyList_New(0);
    const char *name, *meaning;
    for (size_t k = 0; list != NULL && (name = carom_player_key(k, &meaning)) != NULL; k++) {
        PyObject *entry = Py_BuildValue("(ss)", name, meaning);
        if (entry == NULL || PyList_Append(list, entry) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(entry);
    }
    return list;
}

PyMethodDef player_methods[] = {
    {"player_check", check, METH_VARARGS, "Checks that the text is a player of the game."},
    {"player_create", create, METH_VARARGS, "A player for one side of such worlds."},
    {"player_kind", kind, METH_O, "The kind of its actions."},
    {"player_act", act, METH_VARARGS, "Its next action in every world."},
    {"player_forget", forget, METH_O, "Resets it."},
    {"player_ladder", ladder, METH_VARARGS, "The texts of a game's ladder."},
    {"player_keys", keys, METH_NOARGS, "The keys of planners, with their meanings."},
    {NULL, NULL, 0, NULL},
};
