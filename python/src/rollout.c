/* SPDX-License-Identifier: MIT
 * Rollouts, and the numbers that they draw.
 */
#include "binding.h"

#include <string.h>

enum { ACTIONS, MEAN, SIGMA, LOW, HIGH, PLAYER_ARRAYS };
enum { RETURNS, BEST, HORIZONS, REWARDS, LENGTHS, DEPTHS, OBSERVATIONS, ELITES, ELITE_MEAN, ELITE_SIGMA, ARRAYS };

typedef struct rollout_arrays {
    Py_buffer players[CAROM_MAX_PLAYERS][PLAYER_ARRAYS];
    Py_buffer others[ARRAYS];
    Py_buffer weights;
} rollout_arrays;

static void release(rollout_arrays *arrays)
{
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        for (int k = 0; k < PLAYER_ARRAYS; k++) {
            PyBuffer_Release(&arrays->players[p][k]);
        }
    }
    for (int k = 0; k < ARRAYS; k++) {
        PyBuffer_Release(&arrays->others[k]);
    }
    PyBuffer_Release(&arrays->weights);
}

/* A player: (source, policy, hold, actions, mean, sigma, low, high); arrays or None. */
static bool read_player(PyObject *module, PyObject *entry, carom_rollout_desc *desc, uint32_t p, const handle *roots,
                        const carom_action_kind *kind, Py_buffer *views)
{
    int source = 0;
    Py_ssize_t policy = 0, hold = 0;
    PyObject *objects[PLAYER_ARRAYS];
    if (!PyArg_ParseTuple(entry, "innOOOOO", &source, &policy, &hold, &objects[ACTIONS], &objects[MEAN],
                          &objects[SIGMA], &objects[LOW], &objects[HIGH])) {
        return false;
    }
    if (hold < 1) {
        PyErr_SetString(PyExc_ValueError, "hold: at least 1 is expected");
        return false;
    }
    const size_t rows = (desc->horizon + (size_t)hold - 1) / (size_t)hold, numbers = rows * kind->size;
    const size_t worlds = carom_worlds_count(roots->object), given = worlds * numbers * ((size_t)kind->precision / 8);
    const unsigned device = device_of(roots);
    const size_t bytes[PLAYER_ARRAYS] = {source == CAROM_BROADCAST ? given : given * desc->sequences,
                                         worlds * numbers * sizeof(float), worlds * numbers * sizeof(float),
                                         numbers * sizeof(float), numbers * sizeof(float)};
    static const char *const names[PLAYER_ARRAYS] = {"actions", "mean", "sigma", "low", "high"};
    for (int k = 0; k < PLAYER_ARRAYS; k++) {
        if (!span_of(module, device, objects[k], &views[k], bytes[k], false, names[k])) {
            return false;
        }
    }
    desc->players[p].source = (carom_source)source;
    desc->players[p].policy = (size_t)policy;
    desc->players[p].hold = (size_t)hold;
    desc->players[p].actions = views[ACTIONS].buf;
    desc->players[p].mean = views[MEAN].buf;
    desc->players[p].sigma = views[SIGMA].buf;
    desc->players[p].low = views[LOW].buf;
    desc->players[p].high = views[HIGH].buf;
    return true;
}

/* Shared by rollouts and draws: (game, sequences, horizon, kind, seed, players). */
static bool read_common(PyObject *module, PyObject *common, carom_rollout_desc *desc, carom_action_kind *kind,
                        const carom_game **game, const handle *roots, rollout_arrays *arrays)
{
    unsigned long long address = 0, seed = 0;
    Py_ssize_t sequences = 0, horizon = 0, kind_index = 0;
    PyObject *players;
    if (!PyArg_ParseTuple(common, "KnnnKO!", &address, &sequences, &horizon, &kind_index, &seed, &PyTuple_Type,
                          &players)) {
        return false;
    }
    if (sequences < 1 || horizon < 1) {
        PyErr_SetString(PyExc_ValueError, "k and horizon: at least 1 is expected");
        return false;
    }
    *game = (const carom_game *)(uintptr_t)address;
    const carom_status status = carom_game_action_kind(*game, (size_t)kind_index, kind);
    if (status != CAROM_OK) {
        result_of(status, NULL);
        return false;
    }
    *desc = carom_rollout_desc_default(*game);
    desc->sequences = (size_t)sequences;
    desc->horizon = (size_t)horizon;
    desc->action_kind = (size_t)kind_index;
    desc->seed = seed;
    const uint32_t count = carom_game_describe(*game).players;
    if (PyTuple_Size(players) != (Py_ssize_t)count) {
        PyErr_Format(PyExc_ValueError, "players: an entry for each of %u players is expected", count);
        return false;
    }
    for (uint32_t p = 0; p < count; p++) {
        if (!read_player(module, PyTuple_GetItem(players, p), desc, p, roots, kind, arrays->players[p])) {
            return false;
        }
    }
    return true;
}

/* (roots, common, discount, final weight, reward weight, value at end, elites, elites' player, arrays, finals, value,
 * its weights or None, kind of observation, agents observed, kind of reward, stream of a device) */
static PyObject *rollout(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *common, *objects, *finals_batch, *weights;
    double discount = 1, final_weight = 1, reward_weight = 1;
    int value_at_end = 1;
    Py_ssize_t elites = 0, value = 0, seen_kind = 0, reward_kind = 0;
    unsigned elites_player = 0;
    unsigned long long observed = 0, stream = 0;
    if (!PyArg_ParseTuple(arguments, "OO!dddpnIO!OnOnKnK", &batch, &PyTuple_Type, &common, &discount, &final_weight,
                          &reward_weight, &value_at_end, &elites, &elites_player, &PyTuple_Type, &objects,
                          &finals_batch, &value, &weights, &seen_kind, &observed, &reward_kind, &stream)) {
        return NULL;
    }
    handle *roots = handle_of(module, batch, HANDLE_WORLDS), *finals = NULL;
    if (roots == NULL ||
        (finals_batch != Py_None && (finals = handle_of(module, finals_batch, HANDLE_WORLDS)) == NULL)) {
        return NULL;
    }
    rollout_arrays arrays;
    memset(&arrays, 0, sizeof arrays);
    carom_rollout_desc desc;
    carom_action_kind kind;
    const carom_game *game;
    const size_t worlds = carom_worlds_count(roots->object);
    const unsigned device = device_of(roots);
    if (!read_common(module, common, &desc, &kind, &game, roots, &arrays)) {
        release(&arrays);
        return NULL;
    }
    const carom_game_info info = carom_game_describe(game);
    desc.discount = discount;
    desc.final_weight = final_weight;
    desc.reward_weight = reward_weight;
    desc.value_at_end = value_at_end != 0;
    desc.observation_kind = (size_t)seen_kind;
    desc.observed = observed;
    desc.reward_kind = (size_t)reward_kind;
    carom_observation_kind seen = {NULL, 0, 0}; /* carom_rollout() refuses invalid kinds */
    carom_reward_kind reward = {NULL, 0};
    (void)carom_game_observation_kind(game, desc.observation_kind, &seen);
    (void)carom_game_reward_kind(game, desc.reward_kind, &reward);
    const size_t agents = observed != 0 ? bits_in(observed) : (size_t)info.players * seen.agents;
    if (PyTuple_Size(objects) != ARRAYS || elites < 0 || elites_player >= info.players) {
        PyErr_SetString(PyExc_ValueError, "elites or arrays: out of range");
        release(&arrays);
        return NULL;
    }
    PyObject *depths = PyTuple_GetItem(objects, DEPTHS);
    if (!span_of(module, device, depths, &arrays.others[DEPTHS], 0, false, "depths")) {
        release(&arrays);
        return NULL;
    }
    desc.depth_count = (size_t)arrays.others[DEPTHS].len / sizeof(uint32_t);
    const size_t hold = desc.players[elites_player].hold, rows = (desc.horizon + hold - 1) / hold;
    const size_t all = worlds * desc.sequences, fitted = worlds * rows * kind.size * sizeof(float);
    const size_t bytes[ARRAYS] = {
        [RETURNS] = all * info.players * sizeof(double),
        [BEST] = worlds * info.players * sizeof(uint32_t),
        [HORIZONS] = worlds * sizeof(uint32_t),
        [REWARDS] = all * desc.horizon * info.players * reward.agents * sizeof(float),
        [LENGTHS] = all * sizeof(uint32_t),
        [OBSERVATIONS] = all * desc.depth_count * agents * seen.size * sizeof(float),
        [ELITES] = worlds * (size_t)elites * sizeof(uint32_t),
        [ELITE_MEAN] = fitted,
        [ELITE_SIGMA] = fitted,
    };
    static const char *const names[ARRAYS] = {"returns", "best",         "horizons", "rewards",    "lengths",
                                              "depths",  "observations", "elites",   "elite mean", "elite sigma"};
    carom_value_kind valued = {NULL, 0};
    (void)carom_game_value_kind(game, (size_t)value, &valued); /* carom_rollout() refuses an invalid one */
    bool good = span_of(module, device, weights, &arrays.weights, valued.weights * sizeof(double), false, "weights");
    for (int k = 0; good && k < ARRAYS; k++) {
        good = k == DEPTHS || span_of(module, device, PyTuple_GetItem(objects, k), &arrays.others[k], bytes[k],
                                      k != HORIZONS, names[k]);
    }
    good = good && handle_take(roots, false);
    if (good && finals != NULL && !handle_take(finals, true)) {
        roots->busy = 0;
        good = false;
    }
    carom_status status = CAROM_OK;
    if (good) {
        desc.value = (size_t)value;
        desc.weights = arrays.weights.buf;
        desc.horizons = arrays.others[HORIZONS].buf;
        desc.rewards = arrays.others[REWARDS].buf;
        desc.lengths = arrays.others[LENGTHS].buf;
        desc.depths = arrays.others[DEPTHS].buf;
        desc.observations = arrays.others[OBSERVATIONS].buf;
        desc.elites.count = (size_t)elites;
        desc.elites.player = elites_player;
        desc.elites.best = arrays.others[ELITES].buf;
        desc.elites.mean = arrays.others[ELITE_MEAN].buf;
        desc.elites.sigma = arrays.others[ELITE_SIGMA].buf;
        desc.stream = (void *)(uintptr_t)stream;
        interrupt ctrl_c = interrupt_begin(module, device == 0 && (double)all * (double)desc.horizon > 20000, NULL);
        desc.cancel = ctrl_c.flag;
        Py_BEGIN_ALLOW_THREADS;
        status = carom_rollout(roots->object, &desc, arrays.others[RETURNS].buf, arrays.others[BEST].buf,
                               finals == NULL ? NULL : finals->object);
        Py_END_ALLOW_THREADS;
        interrupt_end(&ctrl_c);
        roots->busy = 0;
        if (finals != NULL) {
            finals->busy = 0;
        }
    }
    release(&arrays);
    return good ? result_of(status, NULL) : NULL;
}

/* (roots, common, player, sequences [root][count] or None, count, out): the actions that a player draws */
static PyObject *draws(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *common, *chosen, *out;
    unsigned player = 0;
    Py_ssize_t count = 0;
    if (!PyArg_ParseTuple(arguments, "OO!IOnO", &batch, &PyTuple_Type, &common, &player, &chosen, &count, &out)) {
        return NULL;
    }
    const carom_worlds *roots = handle_object(module, batch, HANDLE_WORLDS);
    if (roots == NULL) {
        return NULL;
    }
    if (device_of((handle *)batch) != 0) {
        PyErr_SetString(PyExc_NotImplementedError, "draws: on this processor only; call it with roots.to('cpu')");
        return NULL;
    }
    rollout_arrays arrays;
    memset(&arrays, 0, sizeof arrays);
    carom_rollout_desc desc;
    carom_action_kind kind;
    const carom_game *game;
    PyObject *result = NULL;
    const size_t worlds = carom_worlds_count(roots);
    if (read_common(module, common, &desc, &kind, &game, (handle *)batch, &arrays)) {
        if (player >= carom_game_describe(game).players || count < 0) {
            PyErr_SetString(PyExc_ValueError, "player or count: out of range");
        } else {
            const size_t hold = desc.players[player].hold, rows = (desc.horizon + hold - 1) / hold;
            const size_t all = worlds * (size_t)count;
            if (buffer_of(chosen, &arrays.others[0], all * sizeof(uint32_t), false, "sequences") &&
                buffer_of(out, &arrays.others[1], all * rows * kind.size * ((size_t)kind.precision / 8), true, "out")) {
                result = result_of(carom_rollout_draws(roots, &desc, player, arrays.others[0].buf, (size_t)count,
                                                       arrays.others[1].buf),
                                   NULL);
            }
        }
    }
    release(&arrays);
    return result;
}

PyMethodDef rollout_methods[] = {
    {"rollout", rollout, METH_VARARGS, "Rolls out sequences of actions from every root."},
    {"rollout_draws", draws, METH_VARARGS, "The actions that a player of a rollout draws."},
    {NULL, NULL, 0, NULL},
};
