/* SPDX-License-Identifier: MIT
 * Scenes: the library checks and freezes a description given as bytes and arrays.
 */
#include "binding.h"

#include <string.h>

/* polygons: a list of (x, y, restitution, sensor, category, mask, x_spread, y_spread); x and y are arrays of doubles.
 * Arrays are held in `views`. */
static bool read_polygons(PyObject *list, carom_scene_polygon *polygons, Py_buffer *views, Py_ssize_t count)
{
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *x, *y;
        int sensor = 0;
        if (!PyArg_ParseTuple(PyList_GetItem(list, k), "OOdpIIdd", &x, &y, &polygons[k].restitution, &sensor,
                              &polygons[k].category, &polygons[k].mask, &polygons[k].x_spread, &polygons[k].y_spread) ||
            !buffer_of(x, &views[2 * k], 0, false, "corners") ||
            !buffer_of(y, &views[2 * k + 1], (size_t)views[2 * k].len, false, "corners")) {
            return false;
        }
        polygons[k].sensor = sensor != 0;
        polygons[k].x = views[2 * k].buf;
        polygons[k].y = views[2 * k + 1].buf;
        polygons[k].corners = (uint32_t)((size_t)views[2 * k].len / sizeof(double));
    }
    return true;
}

/* views: a list of (body, bodies); bodies is an array of whole numbers. */
static bool read_views(PyObject *list, carom_scene_view *seen, Py_buffer *views, Py_ssize_t count)
{
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *bodies;
        if (!PyArg_ParseTuple(PyList_GetItem(list, k), "IO", &seen[k].body, &bodies) ||
            !buffer_of(bodies, &views[k], 0, false, "bodies")) {
            return false;
        }
        seen[k].bodies = views[k].buf;
        seen[k].count = (uint32_t)((size_t)views[k].len / sizeof(uint32_t));
    }
    return true;
}

static void release(Py_buffer *views, Py_ssize_t count)
{
    for (Py_ssize_t k = 0; views != NULL && k < count; k++) {
        PyBuffer_Release(&views[k]);
    }
    PyMem_Free(views);
}

static PyObject *freeze(PyObject *module, const carom_scene_desc *desc)
{
    carom_scene *scene = NULL;
    carom_problem problem = {""};
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_scene_create(desc, &scene, &problem);
    Py_END_ALLOW_THREADS;
    return status != CAROM_OK ? result_of(status, &problem) : handle_new(module, HANDLE_SCENE, scene, NULL);
}

/* (record, bodies, walls, polygons, rules, views, arcs) */
static PyObject *create(PyObject *module, PyObject *arguments)
{
    Py_buffer record, bodies, walls, rules, arcs;
    PyObject *list, *seen;
    if (!PyArg_ParseTuple(arguments, "y*y*y*O!y*O!y*", &record, &bodies, &walls, &PyList_Type, &list, &rules,
                          &PyList_Type, &seen, &arcs)) {
        return NULL;
    }
    const Py_ssize_t count = PyList_Size(list), view_count = PyList_Size(seen);
    carom_scene_polygon *polygons = PyMem_Calloc((size_t)count + 1, sizeof *polygons);
    carom_scene_view *views = PyMem_Calloc((size_t)view_count + 1, sizeof *views);
    Py_buffer *corners = PyMem_Calloc(2 * (size_t)count + 1, sizeof *corners);
    Py_buffer *others = PyMem_Calloc((size_t)view_count + 1, sizeof *others);
    PyObject *result = NULL;
    if (polygons == NULL || views == NULL || corners == NULL || others == NULL) {
        PyErr_NoMemory();
    } else if (record.len != (Py_ssize_t)sizeof(carom_scene_desc)) {
        PyErr_SetString(PyExc_ValueError, "the description has the wrong size");
    } else if (read_polygons(list, polygons, corners, count) && read_views(seen, views, others, view_count)) {
        carom_scene_desc desc;
        memcpy(&desc, record.buf, sizeof desc);
        desc.bodies = bodies.buf;
        desc.body_count = (uint32_t)((size_t)bodies.len / sizeof(carom_scene_body));
        desc.walls = walls.len != 0 ? walls.buf : NULL;
        desc.wall_count = (uint32_t)((size_t)walls.len / sizeof(carom_scene_wall));
        desc.polygons = count != 0 ? polygons : NULL;
        desc.polygon_count = (uint32_t)count;
        desc.arcs = arcs.len != 0 ? arcs.buf : NULL;
        desc.arc_count = (uint32_t)((size_t)arcs.len / sizeof(carom_scene_arc));
        desc.rules = rules.len != 0 ? rules.buf : NULL;
        desc.rule_count = (uint32_t)((size_t)rules.len / sizeof(carom_scene_rule));
        desc.views = view_count != 0 ? views : NULL;
        desc.view_count = (uint32_t)view_count;
        result = freeze(module, &desc);
    }
    release(corners, 2 * count);
    release(others, view_count);
    PyMem_Free(polygons);
    PyMem_Free(views);
    PyBuffer_Release(&record);
    PyBuffer_Release(&bodies);
    PyBuffer_Release(&walls);
    PyBuffer_Release(&rules);
    PyBuffer_Release(&arcs);
    return result;
}

static PyObject *describe(PyObject *module, PyObject *arguments)
{
    PyObject *scene_handle;
    if (!PyArg_ParseTuple(arguments, "O", &scene_handle)) {
        return NULL;
    }
    const carom_scene *scene = handle_object(module, scene_handle, HANDLE_SCENE);
    if (scene == NULL) {
        return NULL;
    }
    return Py_BuildValue("(Ki)", (unsigned long long)(uintptr_t)carom_scene_game(scene),
                         (int)carom_scene_engine(scene));
}

PyMethodDef scene_methods[] = {
    {"scene_create", create, METH_VARARGS, "Checks and freezes a description."},
    {"scene_describe", describe, METH_VARARGS, "(its game, its engine)"},
    {NULL, NULL, 0, NULL},
};
