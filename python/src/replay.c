/* SPDX-License-Identifier: MIT
 * Reading replays: worlds that repeat a recording.
 */
#include "binding.h"

#include <string.h>

/* bytes: (its handle, (game, precision, seed, worlds, ticks, whether it is whole, keyframes, notes)) */
static PyObject *open_replay(PyObject *module, PyObject *bytes)
{
    carom_replay *replay = NULL;
    carom_problem problem = {""};
    if (!PyBytes_Check(bytes)) {
        PyErr_SetString(PyExc_TypeError, "bytes are expected");
        return NULL;
    }
    const char *start = PyBytes_AsString(bytes);
    const size_t size = (size_t)PyBytes_Size(bytes);
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_replay_open(start, size, &replay, &problem);
    Py_END_ALLOW_THREADS;
    if (status != CAROM_OK) {
        return result_of(status, &problem);
    }
    const carom_replay_info info = carom_replay_describe(replay);
    PyObject *held = handle_new(module, HANDLE_REPLAY, replay, bytes);
    return held == NULL
               ? NULL
               : Py_BuildValue("(N(siKnKOnn))", held, carom_game_describe(info.game).name, (int)info.precision,
                               (unsigned long long)info.seed, (Py_ssize_t)info.worlds, (unsigned long long)info.ticks,
                               info.whole ? Py_True : Py_False, (Py_ssize_t)info.keyframes, (Py_ssize_t)info.notes);
}

/* An instruction set by its name; NULL: the default. */
static bool isa_of(const char *name, carom_isa *isa)
{
    *isa = CAROM_ISA_DEFAULT;
    const carom_status status = name != NULL ? carom_isa_from_name(name, isa) : CAROM_OK;
    return status == CAROM_OK || result_of(status, NULL) != NULL;
}

/* (replay, isa or None): None, or (ticks, world, id, field or None, element, (recorded, played again) or None) */
static PyObject *verify(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    const char *isa_name = NULL;
    carom_isa isa;
    if (!PyArg_ParseTuple(arguments, "Oz", &object, &isa_name) || !isa_of(isa_name, &isa)) {
        return NULL;
    }
    const carom_replay *replay = handle_object(module, object, HANDLE_REPLAY);
    if (replay == NULL) {
        return NULL;
    }
    carom_replay_difference difference = {0};
    carom_status status;
    interrupt ctrl_c = interrupt_begin(module, true, NULL);
    Py_BEGIN_ALLOW_THREADS;
    status = carom_replay_verify(replay, isa, 0, ctrl_c.flag, NULL, &difference);
    Py_END_ALLOW_THREADS;
    interrupt_end(&ctrl_c);
    if (status != CAROM_OK || !difference.found) {
        return result_of(status, NULL);
    }
    PyObject *values = difference.values ? Py_BuildValue("(dd)", difference.was, difference.is) : Py_NewRef(Py_None);
    return values == NULL
               ? NULL
               : Py_BuildValue("(KnKzIN)", (unsigned long long)difference.ticks, (Py_ssize_t)difference.world,
                               (unsigned long long)difference.id, difference.field, difference.element, values);
}

/* (replay, isa or None, threads): the handle of worlds before its first tick */
static PyObject *make_worlds(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    const char *isa_name = NULL;
    unsigned threads = 0;
    carom_isa isa;
    if (!PyArg_ParseTuple(arguments, "OzI", &object, &isa_name, &threads) || !isa_of(isa_name, &isa)) {
        return NULL;
    }
    const carom_replay *replay = handle_object(module, object, HANDLE_REPLAY);
    if (replay == NULL) {
        return NULL;
    }
    carom_worlds *worlds = NULL;
    const carom_status status = carom_replay_worlds(replay, isa, threads, &worlds);
    return status != CAROM_OK ? result_of(status, NULL) : handle_new(module, HANDLE_WORLDS, worlds, object);
}

/* (replay, worlds, tick): sets the worlds to the state after that many ticks, or plays the next tick from there
 * (play). */
static PyObject *move(PyObject *module, PyObject *arguments, bool play)
{
    PyObject *object, *batch;
    unsigned long long tick = 0;
    if (!PyArg_ParseTuple(arguments, "OOK", &object, &batch, &tick)) {
        return NULL;
    }
    const carom_replay *replay = handle_object(module, object, HANDLE_REPLAY);
    handle *h = handle_of(module, batch, HANDLE_WORLDS);
    if (replay == NULL || h == NULL || !handle_take(h, true)) {
        return NULL;
    }
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = play ? carom_replay_play(replay, h->object, tick, NULL) : carom_replay_seek(replay, h->object, tick);
    Py_END_ALLOW_THREADS;
    h->busy = 0;
    return result_of(status, NULL);
}

static PyObject *seek(PyObject *module, PyObject *arguments)
{
    return move(module, arguments, false);
}

static PyObject *play(PyObject *module, PyObject *arguments)
{
    return move(module, arguments, true);
}

/* (replay, tick): for each player (numbers, whether they are doubles, bytes [world][number]) */
static PyObject *actions(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    unsigned long long tick = 0;
    if (!PyArg_ParseTuple(arguments, "OK", &object, &tick)) {
        return NULL;
    }
    const carom_replay *replay = handle_object(module, object, HANDLE_REPLAY);
    if (replay == NULL) {
        return NULL;
    }
    const carom_replay_info info = carom_replay_describe(replay);
    const uint32_t players = carom_game_describe(info.game).players;
    size_t kinds[CAROM_MAX_PLAYERS], parts[CAROM_MAX_PLAYERS], row = 0;
    carom_action_kind about[CAROM_MAX_PLAYERS];
    carom_status status = carom_replay_actions(replay, tick, kinds, NULL, 0);
    for (uint32_t p = 0; status == CAROM_OK && p < players; p++) {
        status = carom_game_action_kind(info.game, kinds[p], &about[p]);
        parts[p] = status == CAROM_OK ? (size_t)about[p].size * (about[p].precision / 8) : 0;
        row += parts[p];
    }
    char *all = status == CAROM_OK ? PyMem_Malloc(info.worlds * row + 1) : NULL;
    if (all == NULL) {
        return status == CAROM_OK ? PyErr_NoMemory() : result_of(status, NULL);
    }
    status = carom_replay_actions(replay, tick, NULL, all, info.worlds * row);
    PyObject *result = status == CAROM_OK ? PyList_New(0) : result_of(status, NULL);
    size_t at = 0;
    for (uint32_t p = 0; result != NULL && p < players; p++) {
        PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(info.worlds * parts[p]));
        for (size_t w = 0; bytes != NULL && w < info.worlds; w++) {
            memcpy(PyBytes_AsString(bytes) + w * parts[p], all + w * row + at, parts[p]);
        }
        PyObject *entry = bytes == NULL ? NULL
                                        : Py_BuildValue("(ION)", about[p].size,
                                                        about[p].precision == CAROM_F64 ? Py_True : Py_False, bytes);
        if (entry == NULL || PyList_Append(result, entry) != 0) {
            Py_CLEAR(result);
        }
        Py_XDECREF(entry);
        at += parts[p];
    }
    PyMem_Free(all);
    return result;
}

/* (replay, index): (tick, world, player, kind, bytes) */
static PyObject *note(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    Py_ssize_t index;
    if (!PyArg_ParseTuple(arguments, "On", &object, &index)) {
        return NULL;
    }
    const carom_replay *replay = handle_object(module, object, HANDLE_REPLAY);
    carom_replay_note found;
    if (replay == NULL) {
        return NULL;
    }
    const carom_status status = carom_replay_note_at(replay, (size_t)index, &found);
    return status != CAROM_OK ? result_of(status, NULL)
                              : Py_BuildValue("Kniiy#", (unsigned long long)found.tick, (Py_ssize_t)found.world,
                                              (int)found.player, (int)found.kind, found.text, (Py_ssize_t)found.length);
}

PyMethodDef replay_methods[] = {
    {"replay_open", open_replay, METH_O, "A replay and its description."},
    {"replay_verify", verify, METH_VARARGS, "Whether it plays again to the same bits."},
    {"replay_worlds", make_worlds, METH_VARARGS, "Worlds that repeat a recording."},
    {"replay_seek", seek, METH_VARARGS, "Sets them to the state after a number of ticks."},
    {"replay_play", play, METH_VARARGS, "Plays a tick of it."},
    {"replay_note", note, METH_VARARGS, "A note, by index."},
    {"replay_actions", actions, METH_VARARGS, "All actions of a tick."},
    {NULL, NULL, 0, NULL},
};
