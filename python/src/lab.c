/* SPDX-License-Identifier: MIT
 * Laboratories: mixtures and grown gases, and watched runs of a laboratory or gas.
 */
#include "binding.h"

#include <string.h>

/* (bodies, radii | None, masses | None, packing, aspect, horizontal, vertical, restitution, ax, ay, start, growth,
 * tick, seed, precision, isa | None); radii and masses are [bodies] doubles. */
static PyObject *create(PyObject *module, PyObject *arguments)
{
    carom_lab_desc desc = carom_lab_desc_default();
    Py_ssize_t bodies = 0;
    PyObject *radii, *masses;
    int horizontal = 0, vertical = 0, start = 0, precision = 64;
    unsigned long long seed = 0;
    const char *isa_name = NULL;
    if (!PyArg_ParseTuple(arguments, "nOOddiidddiddKiz", &bodies, &radii, &masses, &desc.packing, &desc.aspect,
                          &horizontal, &vertical, &desc.restitution, &desc.ax, &desc.ay, &start, &desc.growth,
                          &desc.tick, &seed, &precision, &isa_name)) {
        return NULL;
    }
    desc.bodies = (size_t)bodies;
    desc.horizontal = (carom_gas_box)horizontal;
    desc.vertical = (carom_gas_box)vertical;
    desc.start = (carom_lab_start)start;
    desc.seed = seed;
    desc.precision = (carom_precision)precision;
    if (isa_name != NULL) {
        const carom_status status = carom_isa_from_name(isa_name, &desc.isa);
        if (status != CAROM_OK) {
            return result_of(status, NULL);
        }
    }

    Py_buffer r, m;
    if (!buffer_of(radii, &r, desc.bodies * sizeof(double), false, "radii")) {
        return NULL;
    }
    if (!buffer_of(masses, &m, desc.bodies * sizeof(double), false, "masses")) {
        PyBuffer_Release(&r);
        return NULL;
    }
    desc.radii = radii != Py_None ? r.buf : NULL;
    desc.masses = masses != Py_None ? m.buf : NULL;

    carom_lab *lab = NULL;
    carom_problem problem;
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_lab_create(&desc, &lab, &problem);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&r);
    PyBuffer_Release(&m);
    return status != CAROM_OK ? result_of(status, &problem) : handle_new(module, HANDLE_LAB, lab, NULL);
}

/* The laboratory, for calls whose only argument is its handle. */
static carom_lab *only(PyObject *module, PyObject *arguments)
{
    PyObject *lab_handle;
    return PyArg_ParseTuple(arguments, "O", &lab_handle) ? handle_object(module, lab_handle, HANDLE_LAB) : NULL;
}

static PyObject *describe(PyObject *module, PyObject *arguments)
{
    carom_lab *lab = only(module, arguments);
    carom_lab_info i;
    if (lab == NULL) {
        return NULL;
    }
    const carom_status status = carom_lab_describe(lab, &i);
    return status != CAROM_OK
               ? result_of(status, NULL)
               : Py_BuildValue("(nsddOOdKO(ddd)O)", (Py_ssize_t)i.bodies, carom_isa_name(i.isa), i.width, i.height,
                               i.periodic_x ? Py_True : Py_False, i.periodic_y ? Py_True : Py_False, i.time,
                               (unsigned long long)i.events, i.fault ? Py_True : Py_False, i.virial[0], i.virial[1],
                               i.virial[2], i.gas != NULL ? Py_True : Py_False);
}

static PyObject *digest(PyObject *module, PyObject *arguments)
{
    carom_lab *lab = only(module, arguments);
    return lab == NULL ? NULL : PyLong_FromUnsignedLongLong(carom_lab_digest(lab));
}

/* (lab, [rows][bodies] doubles): calls `which` with them. */
enum { ROWS_GET, ROWS_SET, ROWS_UNWRAPPED };

static PyObject *transfer(PyObject *module, PyObject *arguments, int which)
{
    PyObject *lab_handle, *array;
    if (!PyArg_ParseTuple(arguments, "OO", &lab_handle, &array)) {
        return NULL;
    }
    carom_lab *lab = handle_object(module, lab_handle, HANDLE_LAB);
    carom_lab_info info;
    Py_buffer view;
    if (lab == NULL || carom_lab_describe(lab, &info) != CAROM_OK ||
        !buffer_of(array, &view, (which == ROWS_UNWRAPPED ? 2 : 4) * info.bodies * sizeof(double), which != ROWS_SET,
                   "state")) {
        return NULL;
    }
    const size_t n = info.bodies;
    double *rows = view.buf;
    const carom_status status = which == ROWS_SET   ? carom_lab_set(lab, rows, rows + n, rows + 2 * n, rows + 3 * n)
                                : which == ROWS_GET ? carom_lab_get(lab, rows, rows + n, rows + 2 * n, rows + 3 * n)
                                                    : carom_lab_unwrapped(lab, rows, rows + n);
    PyBuffer_Release(&view);
    return result_of(status, NULL);
}

static PyObject *get(PyObject *module, PyObject *arguments)
{
    return transfer(module, arguments, ROWS_GET);
}

static PyObject *set(PyObject *module, PyObject *arguments)
{
    return transfer(module, arguments, ROWS_SET);
}

static PyObject *unwrapped(PyObject *module, PyObject *arguments)
{
    return transfer(module, arguments, ROWS_UNWRAPPED);
}

static PyObject *traits(PyObject *module, PyObject *arguments)
{
    carom_lab *lab = only(module, arguments);
    carom_lab_info info;
    if (lab == NULL || carom_lab_describe(lab, &info) != CAROM_OK) {
        return NULL;
    }
    const Py_ssize_t bytes = (Py_ssize_t)(info.bodies * sizeof(double));
    return Py_BuildValue("(y#y#)", (const char *)info.radii, bytes, (const char *)info.masses, bytes);
}

static PyObject *save(PyObject *module, PyObject *arguments)
{
    const carom_lab *lab = only(module, arguments);
    if (lab == NULL) {
        return NULL;
    }
    const size_t size = carom_lab_save_size(lab);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes == NULL) {
        return NULL;
    }
    const carom_status status = carom_lab_save(lab, PyBytes_AsString(bytes), size);
    if (status != CAROM_OK) {
        Py_DECREF(bytes);
        return result_of(status, NULL);
    }
    return bytes;
}

static PyObject *load(PyObject *module, PyObject *arguments)
{
    PyObject *lab_handle;
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "Oy#", &lab_handle, &bytes, &size)) {
        return NULL;
    }
    carom_lab *lab = handle_object(module, lab_handle, HANDLE_LAB);
    return lab == NULL ? NULL : result_of(carom_lab_load(lab, bytes, (size_t)size), NULL);
}

/* ---- watching ---- */

/* The watchers of a run, called on the calling thread, which takes the interpreter's lock for that. */
typedef struct watching {
    PyThreadState *state;
    PyObject *sample, *events; /* NULL: none */
    size_t bodies;
} watching;

/* Calls a watcher; true unless it raises (the exception stays set) or returns False. */
static bool call(PyObject *function, PyObject *arguments)
{
    PyObject *answer = arguments != NULL ? PyObject_Call(function, arguments, NULL) : NULL;
    const bool goes_on = answer != NULL && answer != Py_False;
    Py_XDECREF(arguments);
    Py_XDECREF(answer);
    return goes_on;
}

/* (time, index, bytes of [6][bodies] doubles: x, y, vx, vy, unwrapped x and y) */
static bool on_sample(void *user, const carom_lab_frame *f)
{
    watching *w = user;
    const double *rows[] = {f->x, f->y, f->vx, f->vy, f->ux, f->uy};
    const size_t bytes = w->bodies * sizeof(double);
    PyEval_RestoreThread(w->state);
    bool goes_on = PyErr_Occurred() == NULL;
    PyObject *memory = goes_on ? PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(6 * bytes)) : NULL;
    if (memory != NULL) {
        for (size_t k = 0; k < 6; k++) {
            memcpy(PyByteArray_AsString(memory) + k * bytes, rows[k], bytes);
        }
    }
    goes_on = memory != NULL && call(w->sample, Py_BuildValue("(dKN)", f->time, (unsigned long long)f->index, memory));
    w->state = PyEval_SaveThread();
    return goes_on;
}

/* (bytes of events) */
static bool on_events(void *user, const carom_lab_event *events, size_t count)
{
    watching *w = user;
    PyEval_RestoreThread(w->state);
    bool goes_on = PyErr_Occurred() == NULL;
    goes_on = goes_on &&
              call(w->events, Py_BuildValue("(N)", PyByteArray_FromStringAndSize(
                                                       (const char *)events, (Py_ssize_t)(count * sizeof *events))));
    w->state = PyEval_SaveThread();
    return goes_on;
}

/* Runs without the interpreter's lock. */
static carom_status run_watched(carom_lab *lab, double time, watching *w, const carom_lab_watcher *watcher,
                                const volatile int *cancel)
{
    unsigned number = 0;
    const bool watches = w->sample != NULL || w->events != NULL;
    carom_status status = watches ? carom_lab_watch(lab, watcher, &number) : CAROM_OK;
    if (status == CAROM_OK) {
        status = carom_lab_run(lab, time, cancel, NULL);
    }
    if (watches) {
        (void)carom_lab_unwatch(lab, number);
    }
    return status;
}

/* (gas or lab, time, interval, sample | None, window, events | None) */
static PyObject *run(PyObject *module, PyObject *arguments)
{
    PyObject *object, *sample, *events;
    double time = 0, interval = 0, window = 0;
    int of_gas = 0;
    if (!PyArg_ParseTuple(arguments, "OpddOdO", &object, &of_gas, &time, &interval, &sample, &window, &events)) {
        return NULL;
    }
    handle *h = handle_of(module, object, of_gas ? HANDLE_GAS : HANDLE_LAB);
    carom_lab *lab = NULL;
    if (h == NULL || !handle_take(h, true)) {
        return NULL;
    }
    carom_status status = of_gas ? carom_lab_of_gas(h->object, &lab) : CAROM_OK;
    if (status != CAROM_OK) {
        h->busy = 0;
        return result_of(status, NULL);
    }
    lab = of_gas ? lab : h->object;

    carom_lab_info info;
    (void)carom_lab_describe(lab, &info);
    watching w = {.sample = sample != Py_None ? sample : NULL,
                  .events = events != Py_None ? events : NULL,
                  .bodies = info.bodies};
    const carom_lab_watcher watcher = {.interval = interval,
                                       .sample = w.sample != NULL ? on_sample : NULL,
                                       .window = window,
                                       .events = w.events != NULL ? on_events : NULL,
                                       .user = &w};
    interrupt ctrl_c = interrupt_begin(module, true, NULL);
    w.state = PyEval_SaveThread();
    status = run_watched(lab, time, &w, &watcher, ctrl_c.flag);
    PyEval_RestoreThread(w.state);
    const bool interrupted = ctrl_c.flag != NULL && *ctrl_c.flag != 0;
    interrupt_end(&ctrl_c);
    h->busy = 0;
    if (of_gas) {
        carom_lab_destroy(lab);
    }
    if (PyErr_Occurred() != NULL) {
        return NULL;
    }

    /* A watcher that returned False is not an error. */
    return status == CAROM_ERROR_CANCELLED && !interrupted ? PyBool_FromLong(0)
           : status == CAROM_OK                            ? PyBool_FromLong(1)
                                                           : result_of(status, NULL);
}

/* (gas or lab, of_gas, width, dark, captions) */
static PyObject *svg(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    int of_gas = 0, dark = 0, captions = 0;
    carom_picture_desc desc = carom_picture_desc_default();
    if (!PyArg_ParseTuple(arguments, "OpIpp", &object, &of_gas, &desc.width, &dark, &captions)) {
        return NULL;
    }
    void *found = handle_object(module, object, of_gas ? HANDLE_GAS : HANDLE_LAB);
    carom_lab *lab = of_gas ? NULL : found;
    carom_status status = found != NULL && of_gas ? carom_lab_of_gas(found, &lab) : CAROM_OK;
    if (found == NULL || status != CAROM_OK) {
        return found == NULL ? NULL : result_of(status, NULL);
    }
    char *text = NULL;
    desc.dark = dark != 0;
    desc.captions = captions != 0;
    status = carom_lab_picture_svg(lab, &desc, &text);
    if (of_gas) {
        carom_lab_destroy(lab);
    }
    if (status == CAROM_ERROR_VALUE) {
        return PyErr_Format(PyExc_ValueError,
                            "width: %u; a picture needs an even number of %d to %d pixels, no more in height, "
                            "a closed box, and enough disks for psi6",
                            desc.width, CAROM_PICTURE_LEAST, CAROM_PICTURE_MOST);
    }
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    PyObject *result = PyUnicode_FromString(text);
    carom_text_free(text);
    return result;
}

PyMethodDef lab_methods[] = {
    {"lab_create", create, METH_VARARGS, "A laboratory."},
    {"lab_describe", describe, METH_VARARGS,
     "(bodies, isa, width, height, periodic_x, periodic_y, time, events, fault, virial, is_gas)"},
    {"lab_traits", traits, METH_VARARGS, "Radii and masses as bytes of doubles."},
    {"lab_digest", digest, METH_VARARGS, "A hash of the state."},
    {"lab_get", get, METH_VARARGS, "Positions and velocities into [4][N]."},
    {"lab_set", set, METH_VARARGS, "Positions and velocities from [4][N]."},
    {"lab_unwrapped", unwrapped, METH_VARARGS, "Unwrapped positions into [2][N]."},
    {"lab_save", save, METH_VARARGS, "The state as bytes."},
    {"lab_load", load, METH_VARARGS, "The state from bytes."},
    {"lab_svg", svg, METH_VARARGS, "A picture of a gas or a laboratory as text."},
    {"lab_run", run, METH_VARARGS, "Runs a gas or a laboratory for a time, watched; False if a watcher ended it."},
    {NULL, NULL, 0, NULL},
};
