/* SPDX-License-Identifier: MIT
 * Rollouts, and the numbers that they draw.
 */
#include "binding.h"

#include <string.h>

/* A player: (source, actions or None, policy). */
static bool read_player(PyObject *entry, carom_rollout_desc *desc, uint32_t p, size_t bytes_given,
                        size_t bytes_broadcast, Py_buffer *view)
{
    int source = 0;
    PyObject *actions;
    Py_ssize_t policy = 0;
    if (!PyArg_ParseTuple(entry, "iOn", &source, &actions, &policy)) {
        return false;
    }
    desc->players[p].source = (carom_source)source;
    desc->players[p].policy = (size_t)policy;
    const size_t bytes = source == CAROM_BROADCAST ? bytes_broadcast : bytes_given;
    if (!buffer_of(actions, view, bytes, false, "actions")) {
        return false;
    }
    desc->players[p].actions = view->buf;
    return true;
}

/* (roots, game, sequences, horizon, kind, seed, discount, final_weight, players, returns, best, finals) */
static PyObject *rollout(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *players, *returns_out, *best_out, *finals_batch;
    unsigned long long game_address = 0, seed = 0;
    Py_ssize_t sequences = 0, horizon = 0, kind_index = 0;
    double discount = 1, final_weight = 1;
    if (!PyArg_ParseTuple(arguments, "OKnnnKddO!OOO", &batch, &game_address, &sequences, &horizon, &kind_index, &seed,
                          &discount, &final_weight, &PyTuple_Type, &players, &returns_out, &best_out, &finals_batch)) {
        return NULL;
    }
    handle *roots = handle_of(module, batch, HANDLE_WORLDS);
    if (roots == NULL) {
        return NULL;
    }
    handle *finals = NULL;
    if (finals_batch != Py_None) {
        finals = handle_of(module, finals_batch, HANDLE_WORLDS);
        if (finals == NULL) {
            return NULL;
        }
    }
    if (sequences < 1 || horizon < 1) {
        PyErr_SetString(PyExc_ValueError, "k and horizon: at least 1 is expected");
        return NULL;
    }
    const carom_game *game = (const carom_game *)(uintptr_t)game_address;
    const uint32_t count = carom_game_describe(game).players;
    carom_action_kind kind;
    carom_status status = carom_game_action_kind(game, (size_t)kind_index, &kind);
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    carom_rollout_desc desc = carom_rollout_desc_default(game);
    desc.sequences = (size_t)sequences;
    desc.horizon = (size_t)horizon;
    desc.action_kind = (size_t)kind_index;
    desc.seed = seed;
    desc.discount = discount;
    desc.final_weight = final_weight;
    const size_t worlds = carom_worlds_count(roots->object);
    const size_t row = (size_t)horizon * kind.size * ((size_t)kind.precision / 8);
    if (PyTuple_Size(players) != (Py_ssize_t)count) {
        PyErr_Format(PyExc_ValueError, "players: an entry for each of %u players is expected", count);
        return NULL;
    }
    Py_buffer views[CAROM_MAX_PLAYERS + 2];
    memset(views, 0, sizeof views);
    Py_buffer *returns = &views[CAROM_MAX_PLAYERS], *best = returns + 1;
    bool good = true;
    for (uint32_t p = 0; good && p < count; p++) {
        good = read_player(PyTuple_GetItem(players, p), &desc, p, worlds * (size_t)sequences * row, worlds * row,
                           &views[p]);
    }
    good = good &&
           buffer_of(returns_out, returns, worlds * (size_t)sequences * count * sizeof(double), true, "returns") &&
           buffer_of(best_out, best, worlds * count * sizeof(uint32_t), true, "best") && handle_take(roots);
    if (good && finals != NULL && !handle_take(finals)) {
        roots->busy = false;
        good = false;
    }
    if (good) {
        interrupt ctrl_c = interrupt_begin(module, (double)worlds * (double)sequences * (double)horizon > 20000);
        desc.cancel = ctrl_c.flag;
        Py_BEGIN_ALLOW_THREADS;
        status = carom_rollout(roots->object, &desc, returns->buf, best->buf, finals == NULL ? NULL : finals->object);
        Py_END_ALLOW_THREADS;
        interrupt_end(&ctrl_c);
        roots->busy = false;
        if (finals != NULL) {
            finals->busy = false;
        }
    }
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++) {
        PyBuffer_Release(&views[k]);
    }
    return good ? result_of(status, NULL) : NULL;
}

/* (game, seed, ids, sequences, horizon, player, out): draws of all roots and sequences, [root][k][tick][number] */
static PyObject *draw(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    unsigned long long game_address = 0, seed = 0;
    PyObject *ids_in, *out;
    Py_ssize_t sequences = 0, horizon = 0;
    unsigned player = 0;
    if (!PyArg_ParseTuple(arguments, "KKOnnIO", &game_address, &seed, &ids_in, &sequences, &horizon, &player, &out)) {
        return NULL;
    }
    const carom_game *game = (const carom_game *)(uintptr_t)game_address;
    size_t index = 0;
    carom_action_kind kind;
    carom_status status = carom_game_find_action_kind(game, "normalised", &index);
    if (status == CAROM_OK) {
        status = carom_game_action_kind(game, index, &kind);
    }
    Py_buffer ids, actions;
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    if (sequences < 0 || horizon < 0 || !buffer_of(ids_in, &ids, 0, false, "ids")) {
        return NULL;
    }
    const size_t roots = (size_t)ids.len / sizeof(uint64_t), ticks = (size_t)sequences * (size_t)horizon;
    if (!buffer_of(out, &actions, roots * ticks * kind.size * sizeof(float), true, "actions")) {
        PyBuffer_Release(&ids);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    for (size_t root = 0; root < roots && status == CAROM_OK; root++) {
        for (size_t at = 0; at < ticks && status == CAROM_OK; at++) {
            status = carom_rollout_draw(game, seed, ((const uint64_t *)ids.buf)[root], (uint32_t)(at / (size_t)horizon),
                                        (uint32_t)(at % (size_t)horizon), player,
                                        (float *)actions.buf + (root * ticks + at) * kind.size);
        }
    }
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&ids);
    PyBuffer_Release(&actions);
    return result_of(status, NULL);
}

PyMethodDef rollout_methods[] = {
    {"rollout", rollout, METH_VARARGS, "From every root, sequences of actions to their returns."},
    {"rollout_draw", draw, METH_VARARGS, "The actions that a rollout draws."},
    {NULL, NULL, 0, NULL},
};
