/* SPDX-License-Identifier: MIT
 * A gas of hard disks.
 */
#include "binding.h"

#include <string.h>

static PyObject *create(PyObject *module, PyObject *arguments)
{
    Py_ssize_t bodies = 0;
    double packing = 0, restitution = 1;
    int box = 0, precision = 64;
    unsigned long long seed = 0;
    const char *isa_name = NULL;
    if (!PyArg_ParseTuple(arguments, "ndidKiz", &bodies, &packing, &box, &restitution, &seed, &precision, &isa_name)) {
        return NULL;
    }
    carom_gas_desc desc = carom_gas_desc_default();
    desc.bodies = (size_t)bodies;
    desc.packing = packing;
    desc.box = (carom_gas_box)box;
    desc.restitution = restitution;
    desc.seed = seed;
    desc.precision = (carom_precision)precision;
    if (isa_name != NULL) {
        const carom_status status = carom_isa_from_name(isa_name, &desc.isa);
        if (status != CAROM_OK) {
            return result_of(status, NULL);
        }
    }
    carom_gas *gas = NULL;
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_gas_create(&desc, &gas);
    Py_END_ALLOW_THREADS;
    return status != CAROM_OK ? result_of(status, NULL) : handle_new(module, HANDLE_GAS, gas, NULL);
}

/* The gas, for calls whose only argument it is; NULL with an exception. */
static carom_gas *the_gas(PyObject *module, PyObject *arguments)
{
    PyObject *gas_handle;
    return PyArg_ParseTuple(arguments, "O", &gas_handle) ? handle_object(module, gas_handle, HANDLE_GAS) : NULL;
}

static PyObject *describe(PyObject *module, PyObject *arguments)
{
    const carom_gas *gas = the_gas(module, arguments);
    if (gas == NULL) {
        return NULL;
    }
    const carom_gas_desc desc = carom_gas_describe(gas);
    return Py_BuildValue("(nsdKn)", (Py_ssize_t)desc.bodies, carom_isa_name(desc.isa), carom_gas_side(gas),
                         (unsigned long long)carom_gas_digest(gas), (Py_ssize_t)carom_gas_bytes(&desc));
}

/* (gas, [4][N] doubles) */
static PyObject *transfer(PyObject *module, PyObject *arguments, bool set)
{
    PyObject *gas_handle, *array;
    if (!PyArg_ParseTuple(arguments, "OO", &gas_handle, &array)) {
        return NULL;
    }
    carom_gas *gas = handle_object(module, gas_handle, HANDLE_GAS);
    if (gas == NULL) {
        return NULL;
    }
    const size_t n = carom_gas_describe(gas).bodies;
    Py_buffer view;
    if (!buffer_of(array, &view, 4 * n * sizeof(double), !set, "state")) {
        return NULL;
    }
    double *rows = view.buf;
    const carom_status status = set ? carom_gas_set(gas, rows, rows + n, rows + 2 * n, rows + 3 * n)
                                    : carom_gas_get(gas, rows, rows + n, rows + 2 * n, rows + 3 * n);
    PyBuffer_Release(&view);
    if (status == CAROM_ERROR_VALUE) {
        PyErr_SetString(PyExc_ValueError,
                        "state: a number is not finite, a centre is outside the box, or two disks overlap");
        return NULL;
    }
    return result_of(status, NULL);
}

static PyObject *get(PyObject *module, PyObject *arguments)
{
    return transfer(module, arguments, false);
}
static PyObject *set(PyObject *module, PyObject *arguments)
{
    return transfer(module, arguments, true);
}

static PyObject *run(PyObject *module, PyObject *arguments)
{
    PyObject *gas_handle;
    double time = 0;
    if (!PyArg_ParseTuple(arguments, "Od", &gas_handle, &time)) {
        return NULL;
    }
    handle *h = handle_of(module, gas_handle, HANDLE_GAS);
    if (h == NULL || !handle_take(h, true)) {
        return NULL;
    }
    interrupt ctrl_c = interrupt_begin(module, true, NULL);
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_gas_run(h->object, time, ctrl_c.flag, NULL);
    Py_END_ALLOW_THREADS;
    interrupt_end(&ctrl_c);
    h->busy = 0;
    return result_of(status, NULL);
}

static PyObject *measure(PyObject *module, PyObject *arguments)
{
    const carom_gas *gas = the_gas(module, arguments);
    carom_gas_measures m;
    if (gas == NULL) {
        return NULL;
    }
    const carom_status status = carom_gas_measure(gas, &m);
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    return Py_BuildValue("(dKKKdddddddO)", m.time, (unsigned long long)m.collisions, (unsigned long long)m.sides,
                         (unsigned long long)m.crossings, m.energy, m.energy_drift, m.momentum_x, m.momentum_y,
                         m.momentum_drift, m.compressibility, m.compressibility_error, m.fault ? Py_True : Py_False);
}

static PyObject *forget(PyObject *module, PyObject *arguments)
{
    carom_gas *gas = the_gas(module, arguments);
    if (gas == NULL) {
        return NULL;
    }
    carom_gas_forget(gas);
    Py_RETURN_NONE;
}

static PyObject *unwrapped(PyObject *module, PyObject *arguments)
{
    PyObject *gas_handle, *array;
    if (!PyArg_ParseTuple(arguments, "OO", &gas_handle, &array)) {
        return NULL;
    }
    const carom_gas *gas = handle_object(module, gas_handle, HANDLE_GAS);
    const size_t n = carom_gas_describe(gas).bodies;
    Py_buffer view;
    if (gas == NULL || !buffer_of(array, &view, 2 * n * sizeof(double), true, "out")) {
        return NULL;
    }
    double *rows = view.buf;
    const carom_status status = carom_gas_unwrapped(gas, rows, rows + n);
    PyBuffer_Release(&view);
    return result_of(status, NULL);
}

static PyObject *clock_of(PyObject *module, PyObject *arguments)
{
    const carom_gas *gas = the_gas(module, arguments);
    return gas == NULL ? NULL : PyFloat_FromDouble(carom_gas_clock(gas));
}

static PyObject *save(PyObject *module, PyObject *arguments)
{
    const carom_gas *gas = the_gas(module, arguments);
    if (gas == NULL) {
        return NULL;
    }
    const size_t size = carom_gas_save_size(gas);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes == NULL) {
        return NULL;
    }
    const carom_status status = carom_gas_save(gas, PyBytes_AsString(bytes), size);
    if (status != CAROM_OK) {
        Py_DECREF(bytes);
        return result_of(status, NULL);
    }
    return bytes;
}

static PyObject *load(PyObject *module, PyObject *arguments)
{
    PyObject *gas_handle;
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "Oy#", &gas_handle, &bytes, &size)) {
        return NULL;
    }
    carom_gas *gas = handle_object(module, gas_handle, HANDLE_GAS);
    return gas == NULL ? NULL : result_of(carom_gas_load(gas, bytes, (size_t)size), NULL);
}

/* The arguments of a saved gas: (bodies, packing, box, restitution, seed, precision). */
static PyObject *saved(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *bytes;
    Py_ssize_t size;
    carom_gas_desc d;
    if (!PyArg_ParseTuple(arguments, "y#", &bytes, &size)) {
        return NULL;
    }
    const carom_status status = carom_gas_saved(bytes, (size_t)size, &d);
    return status != CAROM_OK ? result_of(status, NULL)
                              : Py_BuildValue("(ndidKi)", (Py_ssize_t)d.bodies, d.packing, (int)d.box, d.restitution,
                                              (unsigned long long)d.seed, (int)d.precision);
}

PyMethodDef gas_methods[] = {
    {"gas_create", create, METH_VARARGS, "A gas."},
    {"gas_describe", describe, METH_VARARGS, "(bodies, isa, side, digest, bytes)"},
    {"gas_get", get, METH_VARARGS, "Positions and velocities into [4][N]."},
    {"gas_set", set, METH_VARARGS, "Positions and velocities from [4][N]."},
    {"gas_run", run, METH_VARARGS, "Runs for a time."},
    {"gas_measure", measure, METH_VARARGS, "The measures, in the order of their struct."},
    {"gas_forget", forget, METH_VARARGS, "Resets the measures."},
    {"gas_unwrapped", unwrapped, METH_VARARGS, "Unwrapped positions into [2][N]."},
    {"gas_clock", clock_of, METH_VARARGS, "Time since it was made or set."},
    {"gas_save", save, METH_VARARGS, "The gas as bytes."},
    {"gas_load", load, METH_VARARGS, "The gas from bytes."},
    {"gas_saved", saved, METH_VARARGS, "The arguments of a saved gas."},
    {NULL, NULL, 0, NULL},
};
