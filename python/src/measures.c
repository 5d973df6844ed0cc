/* SPDX-License-Identifier: MIT
 * Measures of disks, as functions of arrays.
 */
#include "binding.h"

/* A region, (x0, y0, width, height, periodic_x, periodic_y), and positions [2][n]. */
typedef struct points {
    carom_region region;
    size_t n;
    Py_buffer view;
    const double *x, *y;
} points;

static bool points_of(PyObject *region, Py_ssize_t n, PyObject *array, points *p)
{
    int periodic_x, periodic_y;
    carom_region *r = &p->region;
    if (!PyArg_ParseTuple(region, "ddddpp", &r->x0, &r->y0, &r->width, &r->height, &periodic_x, &periodic_y)) {
        return false;
    }
    r->periodic_x = periodic_x != 0;
    r->periodic_y = periodic_y != 0;
    p->n = (size_t)n;
    if (!buffer_of(array, &p->view, 2 * p->n * sizeof(double), false, "positions")) {
        return false;
    }
    p->x = p->view.buf;
    p->y = p->x + p->n;
    return true;
}

/* (region, n, positions, range, bins, counts u64 [bins], expected [bins]) */
static PyObject *pairs(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *region, *array, *counts, *expected;
    Py_ssize_t n, bins;
    double range;
    points p;
    if (!PyArg_ParseTuple(arguments, "O!nOdnOO", &PyTuple_Type, &region, &n, &array, &range, &bins, &counts,
                          &expected) ||
        !points_of(region, n, array, &p)) {
        return NULL;
    }
    Py_buffer c, e;
    if (!buffer_of(counts, &c, (size_t)bins * sizeof(uint64_t), true, "counts")) {
        PyBuffer_Release(&p.view);
        return NULL;
    }
    if (!buffer_of(expected, &e, (size_t)bins * sizeof(double), true, "expected")) {
        PyBuffer_Release(&p.view);
        PyBuffer_Release(&c);
        return NULL;
    }
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_measure_pairs_expected(&p.region, p.n, range, (size_t)bins, e.buf);
    if (status == CAROM_OK) {
        status = carom_measure_pairs(&p.region, p.n, p.x, p.y, range, (size_t)bins, c.buf, NULL, NULL, NULL);
    }
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&p.view);
    PyBuffer_Release(&c);
    PyBuffer_Release(&e);
    return result_of(status, NULL);
}

/* (region, n, positions, weighted, psi [2][n]) */
static PyObject *order(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *region, *array, *psi;
    Py_ssize_t n;
    int weighted;
    points p;
    if (!PyArg_ParseTuple(arguments, "O!nOpO", &PyTuple_Type, &region, &n, &array, &weighted, &psi) ||
        !points_of(region, n, array, &p)) {
        return NULL;
    }
    Py_buffer out;
    if (!buffer_of(psi, &out, 2 * p.n * sizeof(double), true, "psi")) {
        PyBuffer_Release(&p.view);
        return NULL;
    }
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_measure_order(&p.region, p.n, p.x, p.y, weighted != 0, out.buf, (double *)out.buf + p.n, NULL);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&p.view);
    PyBuffer_Release(&out);
    return result_of(status, NULL);
}

/* (region, n, positions, greatest, bins, directions, k and values [bins * directions]): the number of waves */
static PyObject *structure(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *region, *array, *k, *values;
    Py_ssize_t n, bins, directions;
    double greatest;
    points p;
    if (!PyArg_ParseTuple(arguments, "O!nOdnnOO", &PyTuple_Type, &region, &n, &array, &greatest, &bins, &directions, &k,
                          &values) ||
        !points_of(region, n, array, &p)) {
        return NULL;
    }
    const size_t most = (size_t)bins * (size_t)directions;
    carom_wave *waves = PyMem_Malloc(most * sizeof *waves + 1);
    Py_buffer lengths, sums;
    if (waves == NULL || !buffer_of(k, &lengths, most * sizeof(double), true, "k")) {
        PyMem_Free(waves);
        PyBuffer_Release(&p.view);
        return waves == NULL ? PyErr_NoMemory() : NULL;
    }
    if (!buffer_of(values, &sums, most * sizeof(double), true, "values")) {
        PyMem_Free(waves);
        PyBuffer_Release(&p.view);
        PyBuffer_Release(&lengths);
        return NULL;
    }
    size_t count = 0;
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_measure_waves(&p.region, greatest, (size_t)bins, (size_t)directions, waves, &count);
    for (size_t w = 0; w < count; w++) {
        ((double *)lengths.buf)[w] = waves[w].k;
    }
    if (status == CAROM_OK) {
        status = carom_measure_structure(&p.region, p.n, p.x, p.y, count, waves, sums.buf);
    }
    Py_END_ALLOW_THREADS;
    PyMem_Free(waves);
    PyBuffer_Release(&p.view);
    PyBuffer_Release(&lengths);
    PyBuffer_Release(&sums);
    return status != CAROM_OK ? result_of(status, NULL) : PyLong_FromSize_t(count);
}

/* (n, values): (mean, error, block, drift, stationary) */
static PyObject *series(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *array;
    Py_ssize_t n;
    Py_buffer view;
    if (!PyArg_ParseTuple(arguments, "nO", &n, &array) ||
        !buffer_of(array, &view, (size_t)n * sizeof(double), false, "values")) {
        return NULL;
    }
    carom_series s;
    const carom_status status = carom_measure_series((size_t)n, view.buf, &s);
    PyBuffer_Release(&view);
    return status != CAROM_OK
               ? result_of(status, NULL)
               : Py_BuildValue("(ddddO)", s.mean, s.error, s.block, s.drift, s.stationary ? Py_True : Py_False);
}

PyMethodDef measures_methods[] = {
    {"measure_pairs", pairs, METH_VARARGS, "Adds pairs by distance, and the numbers expected without order."},
    {"measure_order", order, METH_VARARGS, "psi6 of each disk."},
    {"measure_structure", structure, METH_VARARGS, "Adds to the structure factor of waves; returns their number."},
    {"measure_series", series, METH_VARARGS, "(mean, error, block, drift, stationary)"},
    {NULL, NULL, 0, NULL},
};
