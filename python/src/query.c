/* SPDX-License-Identifier: MIT
 * Spatial queries: the first thing met, the nearest thing, everything within a distance.
 */
#include "binding.h"

/* The kinds of queries, in the order of carom._query. */
enum { CAST, NEAREST, WITHIN };

/* (batch, what, n, queries, capacity, found, counts or None): records of carom_query and carom_found. */
static PyObject *query(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *queries, *found, *counts;
    Py_ssize_t n, capacity;
    int what;
    if (!PyArg_ParseTuple(arguments, "OinOnOO", &batch, &what, &n, &queries, &capacity, &found, &counts)) {
        return NULL;
    }
    handle *h = handle_of(module, batch, HANDLE_WORLDS);
    Py_buffer asked, answers, numbers;
    const size_t count = (size_t)n, most = (size_t)capacity;
    if (h == NULL || !buffer_of(queries, &asked, count * sizeof(carom_query), false, "queries")) {
        return NULL;
    }
    if (!buffer_of(found, &answers, count * most * sizeof(carom_found), true, "out")) {
        PyBuffer_Release(&asked);
        return NULL;
    }

    PyObject *result = NULL;
    if (buffer_of(counts, &numbers, counts != Py_None ? count * sizeof(size_t) : 0, true, "counts")) {
        if (handle_take(h, true)) { /* the batch keeps the error message */
            carom_status status;
            Py_BEGIN_ALLOW_THREADS;
            status = what == WITHIN ? carom_worlds_within(h->object, count, asked.buf, most, answers.buf, numbers.buf)
                     : what == NEAREST ? carom_worlds_nearest(h->object, count, asked.buf, answers.buf)
                                       : carom_worlds_cast(h->object, count, asked.buf, answers.buf);
            Py_END_ALLOW_THREADS;
            h->busy = 0;
            result = result_of_worlds(status, h->object);
        }
        PyBuffer_Release(&numbers);
    }
    PyBuffer_Release(&answers);
    PyBuffer_Release(&asked);
    return result;
}

PyMethodDef query_methods[] = {
    {"worlds_query", query, METH_VARARGS, "The first thing met, the nearest, or all within a distance."},
    {NULL, NULL, 0, NULL},
};
