/* SPDX-License-Identifier: MIT
 * Recipes, and the digest of transitions. The package has a recipe as its text, which each call reads.
 */
#include "binding.h"

#include <string.h>

/* The text of a recipe; destroys the recipe. */
static PyObject *text_of(carom_recipe *recipe)
{
    char text[CAROM_RECIPE_BYTES];
    size_t length = 0;
    const carom_status status = carom_recipe_write(recipe, text, &length);
    carom_recipe_destroy(recipe);
    return status == CAROM_OK ? PyBytes_FromStringAndSize(text, (Py_ssize_t)length) : result_of(status, NULL);
}

/* Reads a text; NULL with an exception. */
static carom_recipe *recipe_of(const char *text, Py_ssize_t length)
{
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_recipe_parse(text, (size_t)length, &recipe, &problem);
    Py_END_ALLOW_THREADS;
    return status == CAROM_OK ? recipe : (carom_recipe *)result_of(status, &problem);
}

/* (game, options or None, worlds, ticks, seed, precision, at_end, kinds of action, observation, reward, [player],
 * blocks, the scene's handle or None): the text */
static PyObject *create(PyObject *module, PyObject *arguments)
{
    unsigned long long game = 0, worlds = 0, ticks = 0, seed = 0;
    PyObject *options, *players, *scene;
    int precision = 0, at_end = 0;
    Py_ssize_t acts = 0, seen = 0, rewarded = 0, blocks = 0;
    if (!PyArg_ParseTuple(arguments, "KOKKKiinnnO!nO", &game, &options, &worlds, &ticks, &seed, &precision, &at_end,
                          &acts, &seen, &rewarded, &PyList_Type, &players, &blocks, &scene) ||
        (scene != Py_None && handle_object(module, scene, HANDLE_SCENE) == NULL)) {
        return NULL;
    }
    carom_recipe_desc desc = carom_recipe_desc_default((const carom_game *)(uintptr_t)game);
    Py_buffer view;
    if (!buffer_of(options, &view, carom_game_options_size(desc.game), false, "options")) {
        return NULL;
    }
    desc.options = view.buf;
    desc.worlds = worlds;
    desc.ticks = ticks;
    desc.seed = seed;
    desc.precision = (carom_precision)precision;
    desc.at_end = (carom_at_end)at_end;
    desc.action_kind = (size_t)acts;
    desc.observation_kind = (size_t)seen;
    desc.reward_kind = (size_t)rewarded;
    desc.blocks = (size_t)blocks;

    PyObject *texts[CAROM_MAX_PLAYERS] = {NULL}; /* own the strings of desc.players */
    bool good = PyList_Size(players) <= CAROM_MAX_PLAYERS;
    for (Py_ssize_t p = 0; good && p < PyList_Size(players); p++) {
        texts[p] = PyUnicode_AsUTF8String(PyList_GetItem(players, p));
        desc.players[p] = texts[p] != NULL ? PyBytes_AsString(texts[p]) : NULL;
        good = texts[p] != NULL;
    }

    PyObject *result = NULL;
    if (good) {
        carom_recipe *recipe = NULL;
        carom_problem problem = {""};
        const carom_status status = carom_recipe_create(&desc, &recipe, &problem);
        result = status == CAROM_OK ? text_of(recipe) : result_of(status, &problem);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "players: more than a game has");
    }
    for (size_t p = 0; p < CAROM_MAX_PLAYERS; p++) {
        Py_XDECREF(texts[p]);
    }
    PyBuffer_Release(&view);
    return result;
}

/* (text): (game, worlds, ticks, seed, precision, at_end, kinds of action, observation, reward, [player],
 * [(first world, worlds, digest or None)]) */
static PyObject *describe(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *text;
    Py_ssize_t length = 0;
    carom_recipe *recipe = PyArg_ParseTuple(arguments, "y#", &text, &length) ? recipe_of(text, length) : NULL;
    if (recipe == NULL) {
        return NULL;
    }
    const carom_recipe_desc about = carom_recipe_describe(recipe);
    const carom_game_info info = carom_game_describe(about.game);
    PyObject *players = PyList_New(0), *blocks = PyList_New(0);
    bool good = players != NULL && blocks != NULL;
    for (uint32_t p = 0; good && p < info.players; p++) {
        PyObject *player = PyUnicode_FromString(about.players[p]);
        good = player != NULL && PyList_Append(players, player) == 0;
        Py_XDECREF(player);
    }
    for (size_t b = 0; good && b < about.blocks; b++) {
        uint64_t first = 0, worlds = 0, digest = 0;
        (void)carom_recipe_block(recipe, b, &first, &worlds);
        PyObject *found = carom_recipe_digest(recipe, b, &digest) == CAROM_OK ? PyLong_FromUnsignedLongLong(digest)
                                                                              : Py_NewRef(Py_None);
        PyObject *block = found == NULL ? NULL : Py_BuildValue("(KKN)", first, worlds, found);
        good = block != NULL && PyList_Append(blocks, block) == 0;
        Py_XDECREF(block);
    }
    PyObject *result = NULL;
    if (good) {
        carom_action_kind acts;
        carom_observation_kind seen;
        carom_reward_kind rewarded;
        (void)carom_game_action_kind(about.game, about.action_kind, &acts);
        (void)carom_game_observation_kind(about.game, about.observation_kind, &seen);
        (void)carom_game_reward_kind(about.game, about.reward_kind, &rewarded);
        result = Py_BuildValue("(sKKKiisssOO)", info.name, (unsigned long long)about.worlds,
                               (unsigned long long)about.ticks, (unsigned long long)about.seed, (int)about.precision,
                               (int)about.at_end, acts.name, seen.name, rewarded.name, players, blocks);
    }
    Py_XDECREF(players);
    Py_XDECREF(blocks);
    carom_recipe_destroy(recipe);
    return result;
}

/* (text, block, isa or None, threads, affinity or None): plays the block; its digest */
static PyObject *play(PyObject *module, PyObject *arguments)
{
    const char *text, *isa = NULL;
    Py_ssize_t length = 0, block = 0;
    unsigned threads = 0;
    PyObject *affinity;
    if (!PyArg_ParseTuple(arguments, "y#nzIO", &text, &length, &block, &isa, &threads, &affinity)) {
        return NULL;
    }
    carom_recipe_how how = carom_recipe_how_default();
    how.threads = threads;
    carom_status status = isa != NULL ? carom_isa_from_name(isa, &how.isa) : CAROM_OK;
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    Py_buffer list;
    carom_recipe *recipe = recipe_of(text, length);
    if (recipe == NULL || !buffer_of(affinity, &list, 0, false, "affinity")) {
        carom_recipe_destroy(recipe);
        return NULL;
    }
    if (affinity != Py_None) {
        how.affinity = list.buf;
        how.affinity_count = (size_t)list.len / sizeof *how.affinity;
    }
    uint64_t digest = 0;
    interrupt ctrl_c = interrupt_begin(module, true, NULL);
    how.cancel = ctrl_c.flag;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_recipe_play(recipe, (size_t)block, &how, &digest);
    Py_END_ALLOW_THREADS;
    interrupt_end(&ctrl_c);
    carom_problem problem = {""};
    if (status != CAROM_OK && status != CAROM_ERROR_CANCELLED && affinity != Py_None) {
        (void)carom_affinity_check(how.affinity, how.affinity_count, &problem);
    }
    PyBuffer_Release(&list);
    carom_recipe_destroy(recipe);
    return status == CAROM_OK ? PyLong_FromUnsignedLongLong(digest) : result_of(status, &problem);
}

/* (text, {block: digest}): the text with these digests */
static PyObject *fill(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *text;
    Py_ssize_t length = 0, at = 0;
    PyObject *digests, *block, *digest;
    carom_recipe *recipe =
        PyArg_ParseTuple(arguments, "y#O!", &text, &length, &PyDict_Type, &digests) ? recipe_of(text, length) : NULL;
    if (recipe == NULL) {
        return NULL;
    }
    while (PyDict_Next(digests, &at, &block, &digest)) {
        const size_t index = PyLong_AsSize_t(block);
        const unsigned long long word = PyLong_AsUnsignedLongLong(digest);
        const carom_status status =
            PyErr_Occurred() ? CAROM_ERROR_ARGUMENT : carom_recipe_set_digest(recipe, index, word);
        if (status != CAROM_OK) {
            carom_recipe_destroy(recipe);
            return PyErr_Occurred() ? NULL : result_of(status, NULL);
        }
    }
    return text_of(recipe);
}

/* ((rows of the four kinds, or None), (bytes of a row), ticks, worlds, ids or None, first id, first tick): the digest
 */
static PyObject *digest(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *arrays[4], *ids;
    Py_ssize_t bytes[4], ticks = 0, worlds = 0;
    unsigned long long first_id = 0, first_tick = 0;
    if (!PyArg_ParseTuple(arguments, "(OOOO)(nnnn)nnOKK", &arrays[0], &arrays[1], &arrays[2], &arrays[3], &bytes[0],
                          &bytes[1], &bytes[2], &bytes[3], &ticks, &worlds, &ids, &first_id, &first_tick)) {
        return NULL;
    }
    static const char *const names[] = {"observations", "actions", "rewards", "ends", "ids"};
    Py_buffer views[5];
    memset(views, 0, sizeof views);
    bool good = ticks >= 0 && worlds >= 0;
    for (int k = 0; k < 5 && good; k++) {
        const size_t size =
            k < 4 ? (size_t)ticks * (size_t)worlds * (size_t)bytes[k] : (size_t)worlds * sizeof(uint64_t);
        good = buffer_of(k < 4 ? arrays[k] : ids, &views[k], size, false, names[k]);
    }
    PyObject *result = NULL;
    if (good) {
        carom_transitions t = carom_transitions_default();
        t.ticks = (size_t)ticks;
        t.worlds = (size_t)worlds;
        t.ids = views[4].buf;
        t.first_id = first_id;
        t.first_tick = first_tick;
        t.observations = views[0].buf;
        t.actions = views[1].buf;
        t.rewards = views[2].buf;
        t.ends = views[3].buf;
        t.observation_bytes = (size_t)bytes[0];
        t.action_bytes = (size_t)bytes[1];
        t.reward_bytes = (size_t)bytes[2];
        t.end_bytes = (size_t)bytes[3];
        uint64_t found = 0;
        carom_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = carom_transitions_digest(&t, &found);
        Py_END_ALLOW_THREADS;
        result = status == CAROM_OK ? PyLong_FromUnsignedLongLong(found) : result_of(status, NULL);
    }
    for (int k = 0; k < 5; k++) {
        PyBuffer_Release(&views[k]);
    }
    return result;
}

PyMethodDef recipe_methods[] = {
    {"recipe_create", create, METH_VARARGS, "The text of a recipe without digests."},
    {"recipe_describe", describe, METH_VARARGS, "The contents of a recipe."},
    {"recipe_play", play, METH_VARARGS, "Plays a block; returns its digest."},
    {"recipe_fill", fill, METH_VARARGS, "The text with these digests."},
    {"transitions_digest", digest, METH_VARARGS, "The digest of transitions in memory."},
    {NULL, NULL, 0, NULL},
};
