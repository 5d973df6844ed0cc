/* SPDX-License-Identifier: MIT
 * Times of impact over arrays: one entry point for all functions of toi.h, toi_walls.h and toi_accelerated.h. Their
 * structs hold only pointers, in the order of the arrays here.
 */
#include "binding.h"

#include <string.h>

/* The letters are types of arrays: r reals, i int32 (n of each); R reals (m); s one real; w words of a mask of n bits.
 */
typedef struct toi_function {
    const char *name, *in, *out;
} toi_function;

enum {
    CIRCLES,
    INDEXED,
    ONE,
    FIRST,
    WITHIN,
    LINE,
    SEGMENT,
    POINT,
    BOX,
    POLYGON,
    ACCELERATED,
    ROOTS,
    LINE_ROOTS,
    ACCELERATED_POINT,
    ACCELERATED_SEGMENT,
    ACCELERATED_BOX,
    FUNCTIONS
};

static const toi_function functions[FUNCTIONS] = {
    [CIRCLES] = {"circles", "rrrrr", "rrrrrrrrr"},
    [INDEXED] = {"circles_indexed", "iiRRRRR", "rrrrrrrrr"},
    [ONE] = {"circles_one", "sssssrrrrr", "rrrrrrrrr"},
    [FIRST] = {"circles_first", "rrrrrRRRRR", "ri"},
    [WITHIN] = {"circles_within", "rrrrr", "w"},
    [LINE] = {"line", "rrrrrrrrr", "rrri"},
    [SEGMENT] = {"segment", "rrrrrrrrr", "rrri"},
    [POINT] = {"point", "rrrrrrr", "rrri"},
    [BOX] = {"box", "rrrrrrrrr", "rrri"},
    [POLYGON] = {"polygon", "rrrrrRR", "rrri"},
    [ACCELERATED] = {"accelerated", "rrrrrrr", "r"},
    [ROOTS] = {"accelerated_roots", "rrrrrrr", "rrrri"},
    [LINE_ROOTS] = {"accelerated_line_roots", "rrrrrrrrrrr", "rrrri"},
    [ACCELERATED_POINT] = {"accelerated_point", "rrrrrrrrr", "rrri"},
    [ACCELERATED_SEGMENT] = {"accelerated_segment", "rrrrrrrrrrr", "rrri"},
    [ACCELERATED_BOX] = {"accelerated_box", "rrrrrrrrrrr", "rrri"},
};

#define MOST 11 /* input and output arrays */

/* Fills a struct of pointers of `type` from arrays[first] on. */
#define POINTERS(type, name, arrays, first)                                                                            \
    type name;                                                                                                         \
    memcpy(&name, (arrays) + (first), sizeof name)

#define CALL(bits, real)                                                                                               \
    static carom_status call_f##bits(int function, int variant, size_t n, size_t m, double limit, void **in,           \
                                     void **out)                                                                       \
    {                                                                                                                  \
        POINTERS(carom_toi_pairs_f##bits, pairs, in, 0);                                                               \
        POINTERS(carom_toi_bodies_f##bits, bodies, in, 0);                                                             \
        POINTERS(carom_toi_bodies_f##bits, others, in, 5);                                                             \
        POINTERS(carom_toi_bodies_f##bits, indexed, in, 2);                                                            \
        POINTERS(carom_toi_segments_f##bits, segments, in, 5);                                                         \
        POINTERS(carom_toi_points_f##bits, points, in, 5);                                                             \
        POINTERS(carom_toi_boxes_f##bits, boxes, in, 5);                                                               \
        POINTERS(carom_toi_motion_f##bits, motion, in, 0);                                                             \
        POINTERS(carom_toi_segments_f##bits, far_segments, in, 7);                                                     \
        POINTERS(carom_toi_points_f##bits, far_points, in, 7);                                                         \
        POINTERS(carom_toi_boxes_f##bits, far_boxes, in, 7);                                                           \
        POINTERS(carom_toi_contacts_f##bits, contacts, out, 0);                                                        \
        POINTERS(carom_toi_hits_f##bits, hits, out, 0);                                                                \
        real *const roots[4] = {out[0], out[1], out[2], out[3]};                                                       \
        const carom_detection detection = (carom_detection)variant;                                                    \
        const real l = (real)limit;                                                                                    \
        switch (function) {                                                                                            \
        case CIRCLES:                                                                                                  \
            return carom_toi_circles_f##bits(variant, n, &pairs, &contacts);                                           \
        case INDEXED:                                                                                                  \
            return carom_toi_circles_indexed_f##bits(variant, n, m, &indexed, in[0], in[1], &contacts);                \
        case ONE: {                                                                                                    \
            const carom_toi_body_f##bits one = {*(const real *)in[0], *(const real *)in[1], *(const real *)in[2],      \
                                                *(const real *)in[3], *(const real *)in[4]};                           \
            return carom_toi_circles_one_f##bits(variant, &one, n, &others, &contacts);                                \
        }                                                                                                              \
        case FIRST:                                                                                                    \
            return carom_toi_circles_first_f##bits(variant, n, &bodies, m, &others, out[0], out[1]);                   \
        case WITHIN:                                                                                                   \
            return carom_toi_circles_within_f##bits(n, &pairs, l, out[0]);                                             \
        case LINE:                                                                                                     \
            return carom_toi_line_f##bits(detection, n, &bodies, &segments, l, &hits);                                 \
        case SEGMENT:                                                                                                  \
            return carom_toi_segment_f##bits(detection, n, &bodies, &segments, l, &hits);                              \
        case POINT:                                                                                                    \
            return carom_toi_point_f##bits(detection, n, &bodies, &points, l, &hits);                                  \
        case BOX:                                                                                                      \
            return carom_toi_box_f##bits(detection, n, &bodies, &boxes, l, &hits);                                     \
        case POLYGON:                                                                                                  \
            return carom_toi_polygon_f##bits(detection, n, &bodies, m, in[5], in[6], l, &hits);                        \
        case ACCELERATED:                                                                                              \
            return carom_toi_accelerated_f##bits((carom_toi_quartic)variant, n, &motion, l, out[0]);                   \
        case ROOTS:                                                                                                    \
            return carom_toi_accelerated_roots_f##bits(n, &motion, roots, out[4]);                                     \
        case LINE_ROOTS:                                                                                               \
            return carom_toi_accelerated_line_roots_f##bits(n, &motion, &far_segments, roots, out[4]);                 \
        case ACCELERATED_POINT:                                                                                        \
            return carom_toi_accelerated_point_f##bits(n, &motion, &far_points, l, &hits);                             \
        case ACCELERATED_SEGMENT:                                                                                      \
            return carom_toi_accelerated_segment_f##bits(n, &motion, &far_segments, l, &hits);                         \
        case ACCELERATED_BOX:                                                                                          \
            return carom_toi_accelerated_box_f##bits(n, &motion, &far_boxes, l, &hits);                                \
        default:                                                                                                       \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
    }

CALL(32, float)
CALL(64, double)

static size_t bytes_of(char letter, size_t n, size_t m, size_t real)
{
    switch (letter) {
    case 'r':
        return n * real;
    case 'R':
        return m * real;
    case 's':
        return real;
    case 'i':
        return n * sizeof(int32_t);
    default:
        return (n + 63) / 64 * sizeof(uint64_t);
    }
}

/* Holds the arrays of a tuple, one for each letter; None: no array. */
static bool hold(PyObject *tuple, const char *letters, size_t n, size_t m, size_t real, bool writable, Py_buffer *views,
                 void **pointers)
{
    if (PyTuple_Size(tuple) != (Py_ssize_t)strlen(letters)) {
        PyErr_SetString(PyExc_TypeError, "another number of arrays is expected");
        return false;
    }
    for (Py_ssize_t k = 0; letters[k] != 0; k++) {
        if (!buffer_of(PyTuple_GetItem(tuple, k), &views[k], bytes_of(letters[k], n, m, real), writable, "array")) {
            return false;
        }
        pointers[k] = views[k].buf;
    }
    return true;
}

/* (name, bits, variant or detection, n, m, limit, input arrays, output arrays) */
static PyObject *toi(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *name = NULL;
    int bits = 0, variant = 0;
    Py_ssize_t n = 0, m = 0;
    double limit = 0;
    PyObject *in_tuple, *out_tuple;
    if (!PyArg_ParseTuple(arguments, "siinndO!O!", &name, &bits, &variant, &n, &m, &limit, &PyTuple_Type, &in_tuple,
                          &PyTuple_Type, &out_tuple)) {
        return NULL;
    }
    int function = 0;
    while (function < FUNCTIONS && strcmp(functions[function].name, name) != 0) {
        function++;
    }
    if (function == FUNCTIONS || n < 0 || m < 0) {
        PyErr_SetString(PyExc_ValueError, "no such function");
        return NULL;
    }
    Py_buffer in_views[MOST], out_views[MOST];
    void *in[MOST + 5] = {NULL}, *out[MOST] = {NULL};
    memset(in_views, 0, sizeof in_views);
    memset(out_views, 0, sizeof out_views);
    const size_t real = (size_t)bits / 8;
    PyObject *result = NULL;
    if (hold(in_tuple, functions[function].in, (size_t)n, (size_t)m, real, false, in_views, in) &&
        hold(out_tuple, functions[function].out, (size_t)n, (size_t)m, real, true, out_views, out)) {
        carom_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = (bits == 32 ? call_f32 : call_f64)(function, variant, (size_t)n, (size_t)m, limit, in, out);
        Py_END_ALLOW_THREADS;
        result = result_of(status, NULL);
    }
    for (size_t k = 0; k < MOST; k++) {
        PyBuffer_Release(&in_views[k]);
        PyBuffer_Release(&out_views[k]);
    }
    return result;
}

static PyObject *variants(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyObject *list = PyList_New(0);
    for (int v = 0; list != NULL && v < CAROM_TOI_VARIANTS; v++) {
        const carom_toi_variant_info *info = carom_toi_variant_describe(v);
        PyObject *entry = Py_BuildValue("(ssOO)", info->name, info->summary, info->lanes ? Py_True : Py_False,
                                        info->exact ? Py_True : Py_False);
        if (entry == NULL || PyList_Append(list, entry) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *variant_find(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *name = NULL;
    int variant = 0;
    if (!PyArg_ParseTuple(arguments, "s", &name)) {
        return NULL;
    }
    return PyLong_FromLong(carom_toi_variant_find(name, &variant) == CAROM_OK ? variant : -1);
}

PyMethodDef toi_methods[] = {
    {"toi", toi, METH_VARARGS, "A function of toi.h, toi_walls.h or toi_accelerated.h."},
    {"toi_variants", variants, METH_NOARGS, "[(name, summary, lanes, exact)]"},
    {"toi_variant_find", variant_find, METH_VARARGS, "The variant of a name; -1: none."},
    {NULL, NULL, 0, NULL},
};
