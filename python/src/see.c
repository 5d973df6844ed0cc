/* SPDX-License-Identifier: MIT
 * Pictures of worlds, and replays that are written while a batch plays; replay.c reads them.
 */
#include "binding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- pictures ---- */

/* (batch, world, width, dark, captions, ...): the batch, or NULL with an exception. */
static const carom_worlds *picture_of(PyObject *module, PyObject *arguments, const char *format, size_t *world,
                                      carom_picture_desc *desc, PyObject **more)
{
    PyObject *batch;
    Py_ssize_t index = 0;
    unsigned width = 0;
    int dark = 0, captions = 0;
    if (!PyArg_ParseTuple(arguments, format, &batch, &index, &width, &dark, &captions, more)) {
        return NULL;
    }
    *world = (size_t)index;
    *desc = carom_picture_desc_default();
    desc->width = width;
    desc->dark = dark != 0;
    desc->captions = captions != 0;
    return (const carom_worlds *)handle_object(module, batch, HANDLE_WORLDS);
}

static PyObject *refuse_picture(carom_status status, const carom_picture_desc *desc)
{
    if (status == CAROM_ERROR_VALUE) {
        return PyErr_Format(PyExc_ValueError,
                            "width: %u; an even number of %d to %d pixels is expected, and no more in height",
                            desc->width, CAROM_PICTURE_LEAST, CAROM_PICTURE_MOST);
    }
    return result_of(status, NULL);
}

static PyObject *size(PyObject *module, PyObject *arguments)
{
    size_t world;
    carom_picture_desc desc;
    uint32_t width = 0, height = 0;
    const carom_worlds *worlds = picture_of(module, arguments, "OnIpp", &world, &desc, NULL);
    if (worlds == NULL) {
        return NULL;
    }
    const carom_status status = carom_picture_size(worlds, world, &desc, &width, &height);
    return status == CAROM_OK ? Py_BuildValue("(II)", width, height) : refuse_picture(status, &desc);
}

static PyObject *pixels(PyObject *module, PyObject *arguments)
{
    size_t world;
    carom_picture_desc desc;
    uint32_t width = 0, height = 0;
    PyObject *array;
    Py_buffer view;
    const carom_worlds *worlds = picture_of(module, arguments, "OnIppO", &world, &desc, &array);
    if (worlds == NULL) {
        return NULL;
    }
    carom_status status = carom_picture_size(worlds, world, &desc, &width, &height);
    if (status != CAROM_OK) {
        return refuse_picture(status, &desc);
    }
    if (!buffer_of(array, &view, (size_t)3 * width * height, true, "out")) {
        return NULL;
    }
    status = carom_picture_pixels(worlds, world, &desc, view.buf);
    PyBuffer_Release(&view);
    return result_of(status, NULL);
}

static PyObject *svg(PyObject *module, PyObject *arguments)
{
    size_t world;
    carom_picture_desc desc;
    char *text;
    const carom_worlds *worlds = picture_of(module, arguments, "OnIpp", &world, &desc, NULL);
    if (worlds == NULL) {
        return NULL;
    }
    const carom_status status = carom_picture_svg(worlds, world, &desc, &text);
    if (status != CAROM_OK) {
        return refuse_picture(status, &desc);
    }
    PyObject *result = PyUnicode_FromString(text);
    carom_text_free(text);
    return result;
}

/* ---- replays ---- */

struct recording {
    carom_recorder *recorder;
    FILE *file;
    int failed; /* errno of a write that failed */
};

static bool put(void *user, const void *bytes, size_t count)
{
    recording *r = user;
    errno = 0;
    if (r->failed == 0 && fwrite(bytes, 1, count, r->file) != count) {
        r->failed = errno != 0 ? errno : EIO;
    }
    return r->failed == 0;
}

/* Closes the file; false if not everything reached it. */
static bool finish(recording *r)
{
    carom_recorder_destroy(r->recorder);
    errno = 0;
    if (r->file != NULL && fclose(r->file) != 0 && r->failed == 0) {
        r->failed = errno != 0 ? errno : EIO;
    }
    return r->failed == 0;
}

static PyObject *refuse_file(const recording *r)
{
    errno = r->failed;
    return PyErr_SetFromErrno(PyExc_OSError);
}

void recording_drop(recording *r)
{
    if (r != NULL) {
        finish(r);
        free(r);
    }
}

carom_status recording_play(recording *r, carom_worlds *worlds, const carom_step *step)
{
    return carom_recorder_play(r->recorder, worlds, step);
}

PyObject *recording_problem(const recording *r, carom_status status)
{
    if (r->failed != 0) {
        return refuse_file(r);
    }
    return result_of(status, NULL);
}

/* (batch, descriptor of the file, worlds or None, options or None, keyframe ticks, a scene's text or None). Closes the
 * descriptor at the end of the recording, or on failure. */
static PyObject *begin(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *chosen, *options;
    int descriptor = -1;
    unsigned keyframes = 0;
    const char *scene = NULL;
    const bool understood =
        PyArg_ParseTuple(arguments, "OiOOIz", &batch, &descriptor, &chosen, &options, &keyframes, &scene);
    recording *r = understood ? calloc(1, sizeof *r) : NULL;
    if (r != NULL) {
        r->file = fdopen(descriptor, "wb");
    }
    if (r == NULL || r->file == NULL) {
        if (understood) {
            PyErr_SetFromErrno(PyExc_OSError);
        }
        close(descriptor);
        free(r);
        return NULL;
    }
    const carom_worlds *worlds = handle_object(module, batch, HANDLE_WORLDS);
    Py_buffer list = {0}, made = {0};
    PyObject *result = NULL;
    if (worlds == NULL) {
    } else if (((handle *)batch)->recording != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the batch is recorded already");
    } else if (buffer_of(chosen, &list, 0, false, "worlds") && buffer_of(options, &made, 0, false, "options")) {
        carom_recorder_desc desc = carom_recorder_desc_default();
        carom_problem problem = {""};
        desc.worlds = list.buf;
        desc.count = (size_t)list.len / sizeof(size_t);
        desc.options = made.buf;
        desc.keyframe_ticks = keyframes;
        desc.write = put;
        desc.user = r;
        desc.scene = scene;
        const carom_status status = carom_recorder_create(worlds, &desc, &r->recorder, &problem);
        result = r->failed != 0 ? refuse_file(r) : result_of(status, &problem);
    }
    PyBuffer_Release(&list);
    PyBuffer_Release(&made);
    if (result == NULL) {
        recording_drop(r);
    } else {
        ((handle *)batch)->recording = r;
    }
    return result;
}

/* (batch): whether it is recorded */
static PyObject *is_recorded(PyObject *module, PyObject *batch)
{
    const handle *h = handle_of(module, batch, HANDLE_WORLDS);
    return h == NULL ? NULL : PyBool_FromLong(h->recording != NULL);
}

static PyObject *end(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    if (!PyArg_ParseTuple(arguments, "O", &batch)) {
        return NULL;
    }
    module_state *state = PyModule_GetState(module);
    if (!PyObject_TypeCheck(batch, state->handle_type) || ((handle *)batch)->recording == NULL) {
        Py_RETURN_NONE;
    }
    handle *h = (handle *)batch;
    if (!handle_take(h, false)) {
        return NULL;
    }
    recording *r = h->recording;
    const carom_status status = carom_recorder_end(r->recorder);
    const bool whole = finish(r);
    PyObject *result = whole ? result_of(status, NULL) : refuse_file(r);
    free(r);
    h->recording = NULL;
    h->busy = 0;
    return result;
}

PyMethodDef see_methods[] = {
    {"picture_size", size, METH_VARARGS, "(width, height) of a world's picture."},
    {"picture_pixels", pixels, METH_VARARGS, "A world's picture into an array."},
    {"picture_svg", svg, METH_VARARGS, "A world's picture as text."},
    {"recording_begin", begin, METH_VARARGS, "Starts recording what the batch plays to a file."},
    {"recording_is", is_recorded, METH_O, "Whether the batch is recorded."},
    {"recording_end", end, METH_VARARGS, "Ends the recording; the file is complete."},
    {NULL, NULL, 0, NULL},
};
