/* SPDX-License-Identifier: MIT
 * Device memory: allocated here or imported by DLPack, and exported by DLPack.
 *
 * A Memory is a span of bytes on a device. It owns them, or keeps their owner alive. Addresses are never dereferenced
 * here.
 */
#include "binding.h"
#include "dlpack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory {
    PyObject_HEAD unsigned device; /* as in carom_worlds_desc.device */
    bool owned, read_only;
    unsigned char *address;
    size_t bytes;
    PyObject *keep;           /* the Memory that it is a part of, or NULL */
    dlpack_managed *borrowed; /* an import by DLPack, unversioned or versioned; both NULL: none */
    dlpack_versioned *borrowed_versioned;
} memory;

static void memory_free(PyObject *self)
{
    memory *m = (memory *)self;
    if (m->owned) {
        Py_BEGIN_ALLOW_THREADS;
        carom_device_release(m->device, m->address);
        Py_END_ALLOW_THREADS;
    }
    if (m->borrowed != NULL && m->borrowed->deleter != NULL) {
        m->borrowed->deleter(m->borrowed);
    }
    if (m->borrowed_versioned != NULL && m->borrowed_versioned->deleter != NULL) {
        m->borrowed_versioned->deleter(m->borrowed_versioned);
    }
    Py_XDECREF(m->keep);
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, memory_free},
    {Py_tp_doc, "A span of bytes on a device."},
    {0, NULL},
};

PyType_Spec memory_spec = {
    .name = "carom._carom.Memory",
    .basicsize = sizeof(memory),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = memory_slots,
};

static memory *memory_new(PyObject *module, unsigned device, void *address, size_t bytes)
{
    module_state *state = PyModule_GetState(module);
    memory *m = PyObject_New(memory, state->memory_type);
    if (m != NULL) {
        m->device = device;
        m->owned = m->read_only = false;
        m->address = address;
        m->bytes = bytes;
        m->keep = NULL;
        m->borrowed = NULL;
        m->borrowed_versioned = NULL;
    }
    return m;
}

static memory *memory_from(PyObject *module, PyObject *object)
{
    module_state *state = PyModule_GetState(module);
    if (!PyObject_TypeCheck(object, state->memory_type)) {
        PyErr_SetString(PyExc_TypeError, "memory of a device is expected");
        return NULL;
    }
    return (memory *)object;
}

bool span_of(PyObject *module, unsigned device, PyObject *object, Py_buffer *view, size_t bytes, bool writable,
             const char *name)
{
    if (device == 0 || object == Py_None) {
        return buffer_of(object, view, bytes, writable, name);
    }
    memset(view, 0, sizeof *view);
    memory *m = memory_from(module, object);
    if (m == NULL) {
        return false;
    }
    if (m->device != device || (writable && m->read_only) || m->bytes < bytes) {
        PyErr_Format(PyExc_ValueError, "%s: %zu bytes of the batch's device are expected%s", name, bytes,
                     writable ? ", to be written" : "");
        return false;
    }
    /* PyBuffer_Release() only drops the reference: the type has no buffer protocol. */
    view->buf = m->address;
    view->len = (Py_ssize_t)m->bytes;
    view->obj = Py_NewRef(object);
    return true;
}

unsigned device_of(const handle *batch)
{
    return carom_worlds_describe(batch->object).device;
}

/* ---- devices ---- */

/* (their number, why there are none) */
static PyObject *count(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    carom_problem problem = {""};
    unsigned found = 0;
    Py_BEGIN_ALLOW_THREADS;
    found = carom_device_count(&problem);
    Py_END_ALLOW_THREADS;
    return Py_BuildValue("(Is)", found, problem.text);
}

/* index: (its number, name, memory, processors, major, minor, driver) */
static PyObject *describe(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    unsigned index = 0;
    if (!PyArg_ParseTuple(arguments, "I", &index)) {
        return NULL;
    }
    carom_device_info info;
    carom_problem problem = {""};
    const unsigned device = carom_device_cuda(index);
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_device_describe(device, &info, &problem);
    Py_END_ALLOW_THREADS;
    if (status != CAROM_OK) {
        return result_of(status, &problem);
    }
    return Py_BuildValue("(IsKIIII)", device, info.name, (unsigned long long)info.memory, info.processors, info.major,
                         info.minor, info.driver);
}

/* (device, earlier stream, later stream): makes work on the later one wait for that of the earlier one */
static PyObject *order(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    unsigned device = 0;
    unsigned long long earlier = 0, later = 0;
    if (!PyArg_ParseTuple(arguments, "IKK", &device, &earlier, &later)) {
        return NULL;
    }
    carom_problem problem = {""};
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_device_order(device, (void *)(uintptr_t)earlier, (void *)(uintptr_t)later, &problem);
    Py_END_ALLOW_THREADS;
    return result_of(status, &problem);
}

/* ---- memory ---- */

static PyObject *allocate(PyObject *module, PyObject *arguments)
{
    unsigned device = 0;
    Py_ssize_t bytes = 0;
    if (!PyArg_ParseTuple(arguments, "In", &device, &bytes)) {
        return NULL;
    }
    memory *m = memory_new(module, device, NULL, bytes > 0 ? (size_t)bytes : 0);
    if (m == NULL || m->bytes == 0) {
        return (PyObject *)m;
    }
    void *address = NULL;
    carom_problem problem = {""};
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_device_allocate(device, m->bytes, &address, &problem);
    Py_END_ALLOW_THREADS;
    if (status != CAROM_OK) {
        Py_DECREF((PyObject *)m);
        return result_of(status, &problem);
    }
    m->address = address;
    m->owned = true;
    return (PyObject *)m;
}

/* (memory, offset, bytes): a part of it */
static PyObject *part(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    Py_ssize_t offset = 0, bytes = 0;
    memory *m = PyArg_ParseTuple(arguments, "Onn", &object, &offset, &bytes) ? memory_from(module, object) : NULL;
    if (m == NULL) {
        return NULL;
    }
    if (offset < 0 || bytes < 0 || (size_t)offset > m->bytes || (size_t)bytes > m->bytes - (size_t)offset) {
        PyErr_SetString(PyExc_ValueError, "the part is out of range");
        return NULL;
    }
    memory *found = memory_new(module, m->device, m->address + offset, (size_t)bytes);
    if (found != NULL) {
        found->read_only = m->read_only;
        found->keep = Py_NewRef(object);
    }
    return (PyObject *)found;
}

/* (address, bytes, whether it is read-only) */
static PyObject *place(PyObject *module, PyObject *object)
{
    const memory *m = memory_from(module, object);
    return m == NULL ? NULL
                     : Py_BuildValue("(KnO)", (unsigned long long)(uintptr_t)m->address, (Py_ssize_t)m->bytes,
                                     m->read_only ? Py_True : Py_False);
}

/* (memory, buffer): copies the whole buffer to it (write), or fills the buffer from it (read) */
static PyObject *transfer(PyObject *module, PyObject *arguments, bool write)
{
    PyObject *object, *array;
    memory *m = PyArg_ParseTuple(arguments, "OO", &object, &array) ? memory_from(module, object) : NULL;
    Py_buffer view;
    if (m == NULL || !buffer_of(array, &view, 0, !write, "array")) {
        return NULL;
    }
    carom_problem problem = {""};
    carom_status status = (size_t)view.len > m->bytes || (write && m->read_only) ? CAROM_ERROR_SIZE : CAROM_OK;
    if (status == CAROM_OK && view.len > 0) {
        Py_BEGIN_ALLOW_THREADS;
        status = write ? carom_device_write(m->device, m->address, view.buf, (size_t)view.len, &problem)
                       : carom_device_read(m->device, view.buf, m->address, (size_t)view.len, &problem);
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&view);
    return result_of(status, &problem);
}

static PyObject *write_memory(PyObject *module, PyObject *arguments)
{
    return transfer(module, arguments, true);
}

static PyObject *read_memory(PyObject *module, PyObject *arguments)
{
    return transfer(module, arguments, false);
}

/* ---- export ---- */

/* An export: the structure that the consumer reads, and the numbers that this points to. */
typedef struct lent {
    dlpack_managed plain;
    dlpack_versioned versioned;
    PyObject *memory;
    int64_t numbers[]; /* shape, strides */
} lent;

/* A consumer may release it on a thread without the interpreter's lock, or after the interpreter has ended. */
static void give_back(lent *l)
{
    if (Py_IsInitialized()) {
        const PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF(l->memory);
        PyGILState_Release(state);
    }
    free(l);
}

static void plain_deleter(dlpack_managed *managed)
{
    give_back(managed->context);
}

static void versioned_deleter(dlpack_versioned *managed)
{
    give_back(managed->context);
}

static const char plain_name[] = "dltensor", versioned_name[] = "dltensor_versioned";

/* An unused capsule releases the memory itself. */
static void capsule_free(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, plain_name)) {
        plain_deleter(PyCapsule_GetPointer(capsule, plain_name));
    } else if (PyCapsule_IsValid(capsule, versioned_name)) {
        versioned_deleter(PyCapsule_GetPointer(capsule, versioned_name));
    }
}

static bool numbers_of(PyObject *tuple, int64_t *numbers)
{
    const Py_ssize_t count = PyTuple_Size(tuple);
    for (Py_ssize_t k = 0; k < count; k++) {
        numbers[k] = PyLong_AsLongLong(PyTuple_GetItem(tuple, k));
        if (numbers[k] == -1 && PyErr_Occurred()) {
            return false;
        }
    }
    return true;
}

/* (memory, device index, code, bits, shape, strides in elements, with a version): a capsule */
static PyObject *lend(PyObject *module, PyObject *arguments)
{
    PyObject *object, *shape, *strides;
    int index = 0, code = 0, bits = 0, with_version = 0;
    if (!PyArg_ParseTuple(arguments, "OiiiO!O!p", &object, &index, &code, &bits, &PyTuple_Type, &shape, &PyTuple_Type,
                          &strides, &with_version)) {
        return NULL;
    }
    memory *m = memory_from(module, object);
    const Py_ssize_t rank = PyTuple_Size(shape);
    if (m == NULL || PyTuple_Size(strides) != rank) {
        return m == NULL ? NULL : result_of(CAROM_ERROR_SIZE, NULL);
    }
    lent *l = calloc(1, sizeof *l + 2 * (size_t)rank * sizeof l->numbers[0]);
    if (l == NULL) {
        return PyErr_NoMemory();
    }
    if (!numbers_of(shape, l->numbers) || !numbers_of(strides, l->numbers + rank)) {
        free(l);
        return NULL;
    }
    const dlpack_tensor tensor = {
        .data = m->address,
        .device = {DLPACK_CUDA, index},
        .rank = (int32_t)rank,
        .type = {(uint8_t)code, (uint8_t)bits, 1},
        .shape = l->numbers,
        .strides = l->numbers + rank,
    };
    l->memory = Py_NewRef(object);
    l->plain = (dlpack_managed){tensor, l, plain_deleter};
    l->versioned = (dlpack_versioned){
        {DLPACK_MAJOR, DLPACK_MINOR}, l, versioned_deleter, m->read_only ? DLPACK_READ_ONLY : 0, tensor};
    PyObject *capsule = with_version ? PyCapsule_New(&l->versioned, versioned_name, capsule_free)
                                     : PyCapsule_New(&l->plain, plain_name, capsule_free);
    if (capsule == NULL) {
        give_back(l);
    }
    return capsule;
}

/* ---- import ---- */

static PyObject *tuple_of(const int64_t *numbers, int32_t count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int32_t k = 0; tuple != NULL && k < count; k++) {
        PyObject *number = PyLong_FromLongLong(numbers[k]);
        if (number == NULL || PyTuple_SetItem(tuple, k, number) != 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

/* Takes the contents of a capsule; the memory then releases them. */
static bool take_capsule(PyObject *capsule, memory *m, dlpack_tensor *tensor)
{
    if (PyCapsule_IsValid(capsule, versioned_name)) {
        dlpack_versioned *found = PyCapsule_GetPointer(capsule, versioned_name);
        if (found->version.major != DLPACK_MAJOR) {
            PyErr_Format(PyExc_BufferError, "DLPack %u is not supported", (unsigned)found->version.major);
            return false;
        }
        *tensor = found->tensor;
        m->read_only = (found->flags & DLPACK_READ_ONLY) != 0;
        if (PyCapsule_SetName(capsule, "used_dltensor_versioned") != 0) {
            return false;
        }
        m->borrowed_versioned = found;
        return true;
    }
    if (!PyCapsule_IsValid(capsule, plain_name)) {
        PyErr_SetString(PyExc_TypeError, "a DLPack capsule is expected");
        return false;
    }
    dlpack_managed *found = PyCapsule_GetPointer(capsule, plain_name);
    *tensor = found->tensor;
    if (PyCapsule_SetName(capsule, "used_dltensor") != 0) {
        return false;
    }
    m->borrowed = found;
    return true;
}

/* (capsule, device): (memory, (kind of device, index), (code, bits, lanes), shape, strides in elements or None). The
 * memory extends from the first element to the end of a contiguous array. */
static PyObject *borrow(PyObject *module, PyObject *arguments)
{
    PyObject *capsule;
    unsigned device = 0;
    if (!PyArg_ParseTuple(arguments, "OI", &capsule, &device)) {
        return NULL;
    }
    memory *m = memory_new(module, device, NULL, 0);
    dlpack_tensor tensor;
    if (m == NULL || !take_capsule(capsule, m, &tensor)) {
        Py_XDECREF((PyObject *)m);
        return NULL;
    }
    size_t bytes = ((size_t)tensor.type.bits * tensor.type.lanes + 7) / 8;
    for (int32_t k = 0; k < tensor.rank; k++) {
        bytes *= (size_t)tensor.shape[k];
    }
    m->bytes = bytes;
    m->address = tensor.data == NULL ? NULL : (unsigned char *)tensor.data + tensor.byte_offset;
    PyObject *shape = tuple_of(tensor.shape, tensor.rank);
    PyObject *strides = tensor.strides == NULL ? Py_NewRef(Py_None) : tuple_of(tensor.strides, tensor.rank);
    if (shape == NULL || strides == NULL) {
        Py_XDECREF(shape);
        Py_XDECREF(strides);
        Py_DECREF((PyObject *)m);
        return NULL;
    }
    return Py_BuildValue("(N(ii)(iii)NN)", m, (int)tensor.device.kind, (int)tensor.device.index, (int)tensor.type.code,
                         (int)tensor.type.bits, (int)tensor.type.lanes, shape, strides);
}

PyMethodDef device_methods[] = {
    {"device_count", count, METH_NOARGS, "(number of devices, why there are none)"},
    {"device_describe", describe, METH_VARARGS, "(its number, name, memory, processors, major, minor, driver)"},
    {"device_order", order, METH_VARARGS, "Makes work on one stream wait for that on another."},
    {"device_allocate", allocate, METH_VARARGS, "Allocates memory of a device."},
    {"device_part", part, METH_VARARGS, "A part of it."},
    {"device_place", place, METH_O, "(address, bytes, whether it is read-only)"},
    {"device_write", write_memory, METH_VARARGS, "Copies a buffer to it."},
    {"device_read", read_memory, METH_VARARGS, "Copies it into a buffer."},
    {"device_lend", lend, METH_VARARGS, "A DLPack capsule."},
    {"device_borrow", borrow, METH_VARARGS, "The memory of a DLPack capsule, and its layout."},
    {NULL, NULL, 0, NULL},
};
