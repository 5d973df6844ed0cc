/* SPDX-License-Identifier: MIT
 * Batches: create, fields, copy and fork, hash, save and load, faults and counters.
 */
#include "binding.h"

static PyObject *create(PyObject *module, PyObject *arguments)
{
    unsigned long long game = 0, seed = 0, first_id = 0;
    PyObject *options, *keep, *affinity;
    Py_ssize_t count = 0;
    int precision = 0, at_end = 0, only_bytes = 0;
    const char *isa_name = NULL;
    unsigned threads = 0, device = 0;
    if (!PyArg_ParseTuple(arguments, "KOnizIOKKiOIp", &game, &options, &count, &precision, &isa_name, &threads,
                          &affinity, &seed, &first_id, &at_end, &keep, &device, &only_bytes)) {
        return NULL;
    }
    if (count < 1) {
        PyErr_Format(PyExc_ValueError, "count: %zd worlds; at least one is expected", count);
        return NULL;
    }
    carom_worlds_desc desc = carom_worlds_desc_default((const carom_game *)(uintptr_t)game);
    desc.count = (size_t)count;
    desc.precision = (carom_precision)precision;
    desc.threads = threads;
    desc.seed = seed;
    desc.first_id = first_id;
    desc.at_end = (carom_at_end)at_end;
    desc.device = device;
    if (isa_name != NULL) {
        const carom_status status = carom_isa_from_name(isa_name, &desc.isa);
        if (status != CAROM_OK) {
            return result_of(status, NULL);
        }
    }
    Py_buffer view, list;
    if (!buffer_of(options, &view, 0, false, "options")) {
        return NULL;
    }
    if (!buffer_of(affinity, &list, 0, false, "affinity")) {
        PyBuffer_Release(&view);
        return NULL;
    }
    desc.options = view.buf;
    if (affinity != Py_None) { /* an empty list differs from None */
        desc.affinity = list.buf;
        desc.affinity_count = (size_t)list.len / sizeof *desc.affinity;
    }
    carom_worlds *worlds = NULL;
    size_t bytes = 0;
    carom_status status = CAROM_OK;
    Py_BEGIN_ALLOW_THREADS;
    if (only_bytes) {
        bytes = carom_worlds_bytes(&desc);
    } else {
        status = carom_worlds_create(&desc, &worlds);
    }
    Py_END_ALLOW_THREADS;
    carom_problem problem = {""};
    if (status != CAROM_OK) { /* the option or processor at fault, or why the device cannot be used */
        (void)carom_game_check_options(&desc, &problem);
    }
    if (status != CAROM_OK && affinity != Py_None && problem.text[0] == '\0') {
        (void)carom_affinity_check(desc.affinity, desc.affinity_count, &problem);
    }
    if (status != CAROM_OK && problem.text[0] == '\0') {
        (void)carom_device_check(&desc, &problem);
    }
    PyBuffer_Release(&list);
    PyBuffer_Release(&view);
    if (only_bytes) {
        return PyLong_FromSize_t(bytes);
    }
    return status != CAROM_OK ? result_of(status, &problem) : handle_new(module, HANDLE_WORLDS, worlds, keep);
}

static carom_worlds *worlds_of(PyObject *module, PyObject *batch)
{
    return (carom_worlds *)handle_object(module, batch, HANDLE_WORLDS);
}

/* The batch, for calls whose only argument it is. */
static carom_worlds *only_worlds(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    return PyArg_ParseTuple(arguments, "O", &batch) ? worlds_of(module, batch) : NULL;
}

static PyObject *describe(PyObject *module, PyObject *arguments)
{
    const carom_worlds *worlds = only_worlds(module, arguments);
    if (worlds == NULL) {
        return NULL;
    }
    const carom_worlds_desc desc = carom_worlds_describe(worlds);
    return Py_BuildValue("(nisIKKi)", (Py_ssize_t)desc.count, (int)desc.precision, carom_isa_name(desc.isa),
                         desc.threads, (unsigned long long)desc.seed, (unsigned long long)desc.first_id,
                         (int)desc.at_end);
}

static PyObject *reset(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    handle *h = PyArg_ParseTuple(arguments, "O", &batch) ? handle_of(module, batch, HANDLE_WORLDS) : NULL;
    if (h == NULL) {
        return NULL;
    }
    (void)handle_mend(h);
    carom_worlds *worlds = worlds_of(module, batch);
    return worlds == NULL ? NULL : result_of(carom_worlds_reset(worlds), NULL);
}

/* (batch, mask, ids, seeds): arrays in host memory, or None */
static PyObject *restart(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *objects[3];
    if (!PyArg_ParseTuple(arguments, "OOOO", &batch, &objects[0], &objects[1], &objects[2])) {
        return NULL;
    }
    carom_worlds *worlds = worlds_of(module, batch);
    if (worlds == NULL) {
        return NULL;
    }
    static const char *const names[] = {"mask", "ids", "seeds"};
    const size_t count = carom_worlds_count(worlds);
    Py_buffer views[3];
    int held = 0;
    while (held < 3 &&
           buffer_of(objects[held], &views[held], held == 0 ? count : count * sizeof(uint64_t), false, names[held])) {
        held++;
    }
    PyObject *result = NULL;
    if (held == 3) {
        result = result_of_worlds(carom_worlds_restart(worlds, views[0].buf, views[1].buf, views[2].buf), worlds);
    }
    while (held > 0) {
        PyBuffer_Release(&views[--held]);
    }
    return result;
}

/* (batch, mask, ids, seeds, stream): the same, queued, with arrays in memory of the batch's device */
static PyObject *restart_queued(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *objects[3];
    unsigned long long stream = 0;
    if (!PyArg_ParseTuple(arguments, "OOOOK", &batch, &objects[0], &objects[1], &objects[2], &stream)) {
        return NULL;
    }
    handle *h = handle_of(module, batch, HANDLE_WORLDS);
    if (h == NULL || !handle_take(h, true)) {
        return NULL;
    }
    static const char *const names[] = {"mask", "ids", "seeds"};
    const size_t count = carom_worlds_count(h->object);
    const unsigned device = device_of(h);
    Py_buffer views[3];
    int held = 0;
    while (held < 3 && span_of(module, device, objects[held], &views[held],
                               held == 0 ? count : count * sizeof(uint64_t), false, names[held])) {
        held++;
    }
    PyObject *result = NULL;
    if (held == 3) {
        result = result_of_worlds(
            carom_worlds_restart_queued(h->object, views[0].buf, views[1].buf, views[2].buf, (void *)(uintptr_t)stream),
            h->object);
    }
    while (held > 0) {
        PyBuffer_Release(&views[--held]);
    }
    h->busy = 0;
    return result;
}

/* Waits for all work queued on the batch's device. */
static PyObject *wait(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    handle *h = PyArg_ParseTuple(arguments, "O", &batch) ? handle_of(module, batch, HANDLE_WORLDS) : NULL;
    if (h == NULL || !handle_take(h, false)) {
        return NULL;
    }
    carom_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = carom_worlds_wait(h->object);
    Py_END_ALLOW_THREADS;
    h->busy = 0;
    return result_of_worlds(status, h->object);
}

static PyObject *reseed(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    unsigned long long seed = 0;
    if (!PyArg_ParseTuple(arguments, "OK", &batch, &seed)) {
        return NULL;
    }
    carom_worlds *worlds = worlds_of(module, batch);
    return worlds == NULL ? NULL : result_of_worlds(carom_worlds_reseed(worlds, seed), worlds);
}

static PyObject *seeds(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *out;
    if (!PyArg_ParseTuple(arguments, "OO", &batch, &out)) {
        return NULL;
    }
    const carom_worlds *worlds = worlds_of(module, batch);
    Py_buffer view;
    if (worlds == NULL || !buffer_of(out, &view, carom_worlds_count(worlds) * sizeof(uint64_t), true, "seeds")) {
        return NULL;
    }
    const carom_status status = carom_worlds_seeds(worlds, 0, carom_worlds_count(worlds), view.buf);
    PyBuffer_Release(&view);
    return result_of(status, NULL);
}

static PyObject *fields(PyObject *module, PyObject *arguments)
{
    const carom_worlds *worlds = only_worlds(module, arguments);
    if (worlds == NULL) {
        return NULL;
    }
    PyObject *list = PyList_New(0);
    const size_t count = carom_worlds_field_count(worlds);
    for (size_t k = 0; list != NULL && k < count; k++) {
        carom_field field;
        carom_view view = {0}; /* not for a batch on a device */
        carom_worlds_field(worlds, k, &field);
        carom_worlds_view(worlds, k, &view);
        PyObject *entry =
            Py_BuildValue("(siiIIK(nnn)n)", field.name, (int)field.type, (int)field.role, field.count, field.bytes,
                          (unsigned long long)(uintptr_t)view.data, (Py_ssize_t)view.tile_stride,
                          (Py_ssize_t)view.element_stride, (Py_ssize_t)view.lane_stride, (Py_ssize_t)view.lanes);
        if (entry == NULL || PyList_Append(list, entry) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(entry);
    }
    return list;
}

/* get and set: (batch, field, first, count, values) */
static PyObject *transfer(PyObject *module, PyObject *arguments, bool set)
{
    PyObject *batch, *values;
    Py_ssize_t index = 0, first = 0, count = 0;
    if (!PyArg_ParseTuple(arguments, "OnnnO", &batch, &index, &first, &count, &values)) {
        return NULL;
    }
    carom_worlds *worlds = worlds_of(module, batch);
    if (worlds == NULL) {
        return NULL;
    }
    carom_field field;
    carom_status status = carom_worlds_field(worlds, (size_t)index, &field);
    const size_t all = carom_worlds_count(worlds);
    if (status == CAROM_OK && (first < 0 || count < 0 || (size_t)first > all || (size_t)count > all - (size_t)first)) {
        status = CAROM_ERROR_ARGUMENT;
    }
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    Py_buffer view;
    if (!buffer_of(values, &view, (size_t)count * field.count * field.bytes, !set, field.name)) {
        return NULL;
    }
    status = set ? carom_worlds_set(worlds, (size_t)index, (size_t)first, (size_t)count, view.buf)
                 : carom_worlds_get(worlds, (size_t)index, (size_t)first, (size_t)count, view.buf);
    PyBuffer_Release(&view);
    if (status == CAROM_ERROR_VALUE) {
        carom_problem problem = {""};
        carom_worlds_problem(worlds, &problem);
        PyErr_Format(PyExc_ValueError, "field %s: %s", field.name,
                     problem.text[0] != 0 ? problem.text : "the game does not allow a value");
        return NULL;
    }
    return result_of_worlds(status, worlds);
}

static PyObject *get(PyObject *module, PyObject *arguments)
{
    return transfer(module, arguments, false);
}
static PyObject *set(PyObject *module, PyObject *arguments)
{
    return transfer(module, arguments, true);
}

static PyObject *get_world(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    Py_ssize_t world = 0;
    if (!PyArg_ParseTuple(arguments, "On", &batch, &world)) {
        return NULL;
    }
    const carom_worlds *worlds = worlds_of(module, batch);
    if (worlds == NULL) {
        return NULL;
    }
    const size_t size = carom_worlds_record_size(worlds);
    PyObject *record = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (record == NULL) {
        return NULL;
    }
    const carom_status status = carom_worlds_get_world(worlds, (size_t)world, PyBytes_AsString(record), size);
    if (status != CAROM_OK) {
        Py_DECREF(record);
        return result_of(status, NULL);
    }
    return record;
}

static PyObject *set_world(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    Py_ssize_t world = 0;
    Py_buffer record;
    if (!PyArg_ParseTuple(arguments, "Ony*", &batch, &world, &record)) {
        return NULL;
    }
    carom_worlds *worlds = worlds_of(module, batch);
    PyObject *result = NULL;
    if (worlds != NULL) {
        result =
            result_of_worlds(carom_worlds_set_world(worlds, (size_t)world, record.buf, (size_t)record.len), worlds);
    }
    PyBuffer_Release(&record);
    return result;
}

/* Records of a list of worlds: (batch, list of size_t, n, records) */
static PyObject *transfer_records(PyObject *module, PyObject *arguments, bool set)
{
    PyObject *batch, *list, *array;
    Py_ssize_t n = 0;
    if (!PyArg_ParseTuple(arguments, "OOnO", &batch, &list, &n, &array)) {
        return NULL;
    }
    carom_worlds *worlds = worlds_of(module, batch);
    Py_buffer indices, records;
    if (worlds == NULL || n < 0 || !buffer_of(list, &indices, (size_t)n * sizeof(size_t), false, "worlds")) {
        return NULL;
    }
    const size_t bytes = (size_t)n * carom_worlds_record_size(worlds);
    if (!buffer_of(array, &records, bytes, !set, "records")) {
        PyBuffer_Release(&indices);
        return NULL;
    }
    const carom_status status = set ? carom_worlds_set_records(worlds, indices.buf, (size_t)n, records.buf, bytes)
                                    : carom_worlds_get_records(worlds, indices.buf, (size_t)n, records.buf, bytes);
    PyBuffer_Release(&indices);
    PyBuffer_Release(&records);
    return result_of_worlds(status, worlds);
}

static PyObject *get_records(PyObject *module, PyObject *arguments)
{
    return transfer_records(module, arguments, false);
}

static PyObject *set_records(PyObject *module, PyObject *arguments)
{
    return transfer_records(module, arguments, true);
}

static PyObject *record_size(PyObject *module, PyObject *arguments)
{
    const carom_worlds *worlds = only_worlds(module, arguments);
    return worlds == NULL ? NULL : PyLong_FromSize_t(carom_worlds_record_size(worlds));
}

static PyObject *copy(PyObject *module, PyObject *arguments)
{
    PyObject *dst_batch, *to_list, *src_batch, *from_list;
    Py_ssize_t n = 0;
    if (!PyArg_ParseTuple(arguments, "OOOOn", &dst_batch, &to_list, &src_batch, &from_list, &n)) {
        return NULL;
    }
    carom_worlds *dst = worlds_of(module, dst_batch);
    const carom_worlds *src = dst == NULL ? NULL : worlds_of(module, src_batch);
    Py_buffer to, from;
    if (src == NULL || n < 0 || !buffer_of(to_list, &to, (size_t)n * sizeof(size_t), false, "to")) {
        return NULL;
    }
    if (!buffer_of(from_list, &from, (size_t)n * sizeof(size_t), false, "from")) {
        PyBuffer_Release(&to);
        return NULL;
    }
    const carom_status status = carom_worlds_copy(dst, to.buf, src, from.buf, (size_t)n);
    PyBuffer_Release(&to);
    PyBuffer_Release(&from);
    return result_of_worlds(status, dst);
}

static PyObject *fork_worlds(PyObject *module, PyObject *arguments)
{
    PyObject *dst_batch, *src_batch;
    Py_ssize_t first = 0, n = 0, from = 0;
    if (!PyArg_ParseTuple(arguments, "OnnOn", &dst_batch, &first, &n, &src_batch, &from)) {
        return NULL;
    }
    carom_worlds *dst = worlds_of(module, dst_batch);
    const carom_worlds *src = dst == NULL ? NULL : worlds_of(module, src_batch);
    if (src == NULL) {
        return NULL;
    }
    return result_of_worlds(carom_worlds_fork(dst, (size_t)first, (size_t)n, src, (size_t)from), dst);
}

static PyObject *hash(PyObject *module, PyObject *arguments)
{
    PyObject *batch, *hashes;
    if (!PyArg_ParseTuple(arguments, "OO", &batch, &hashes)) {
        return NULL;
    }
    const carom_worlds *worlds = worlds_of(module, batch);
    Py_buffer view;
    if (worlds == NULL || !buffer_of(hashes, &view, carom_worlds_count(worlds) * sizeof(uint64_t), true, "hashes")) {
        return NULL;
    }
    const carom_status status = carom_worlds_hash(worlds, 0, carom_worlds_count(worlds), view.buf);
    PyBuffer_Release(&view);
    return result_of(status, NULL);
}

static PyObject *digest(PyObject *module, PyObject *arguments)
{
    const carom_worlds *worlds = only_worlds(module, arguments);
    uint64_t value = 0;
    if (worlds == NULL) {
        return NULL;
    }
    const carom_status status = carom_worlds_digest(worlds, &value);
    return status != CAROM_OK ? result_of(status, NULL) : PyLong_FromUnsignedLongLong(value);
}

static PyObject *save(PyObject *module, PyObject *arguments)
{
    const carom_worlds *worlds = only_worlds(module, arguments);
    if (worlds == NULL) {
        return NULL;
    }
    const size_t size = carom_worlds_save_size(worlds);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes == NULL) {
        return NULL;
    }
    const carom_status status = carom_worlds_save(worlds, PyBytes_AsString(bytes), size);
    if (status != CAROM_OK) {
        Py_DECREF(bytes);
        return result_of(status, NULL);
    }
    return bytes;
}

static PyObject *load(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    Py_buffer bytes;
    if (!PyArg_ParseTuple(arguments, "Oy*", &batch, &bytes)) {
        return NULL;
    }
    handle *h = handle_of(module, batch, HANDLE_WORLDS);
    PyObject *result = NULL;
    if (h != NULL) {
        const unsigned mark = handle_mend(h);
        carom_worlds *worlds = worlds_of(module, batch);
        if (worlds != NULL) {
            result = result_of_worlds(carom_worlds_load(worlds, bytes.buf, (size_t)bytes.len), worlds);
        }
        if (result == NULL) {
            h->busy += mark;
        }
    }
    PyBuffer_Release(&bytes);
    return result;
}

static PyObject *faults(PyObject *module, PyObject *arguments)
{
    const carom_worlds *worlds = only_worlds(module, arguments);
    if (worlds == NULL) {
        return NULL;
    }
    unsigned bits = 0;
    const size_t faulty = carom_worlds_faults(worlds, &bits);
    return Py_BuildValue("(nI)", (Py_ssize_t)faulty, bits);
}

static PyObject *counters(PyObject *module, PyObject *arguments)
{
    const carom_worlds *worlds = only_worlds(module, arguments);
    if (worlds == NULL) {
        return NULL;
    }
    const carom_counters c = carom_worlds_counters(worlds);
    return Py_BuildValue("(KKKKK)", (unsigned long long)c.ticks, (unsigned long long)c.events,
                         (unsigned long long)c.games, (unsigned long long)c.goals, (unsigned long long)c.faults);
}

PyMethodDef worlds_methods[] = {
    {"worlds_create", create, METH_VARARGS, "A batch, or (last argument) the bytes that it would take."},
    {"worlds_describe", describe, METH_VARARGS, "(count, precision, isa, threads, seed, first_id, at_end)"},
    {"worlds_reset", reset, METH_VARARGS, "Resets all worlds to their first start."},
    {"worlds_restart", restart, METH_VARARGS, "Starts a new game in worlds of a mask."},
    {"worlds_restart_queued", restart_queued, METH_VARARGS, "The same on a stream of a device."},
    {"worlds_wait", wait, METH_VARARGS, "Waits for a batch's device."},
    {"worlds_reseed", reseed, METH_VARARGS, "Sets the seed."},
    {"worlds_seeds", seeds, METH_VARARGS, "The seed of each world."},
    {"worlds_fields", fields, METH_VARARGS, "[(name, type, role, count, bytes, address, strides, lanes)]"},
    {"worlds_get", get, METH_VARARGS, "Copies a field into an array."},
    {"worlds_set", set, METH_VARARGS, "Sets a field from an array."},
    {"worlds_get_world", get_world, METH_VARARGS, "A world as a record."},
    {"worlds_set_world", set_world, METH_VARARGS, "Sets a world from a record."},
    {"worlds_get_records", get_records, METH_VARARGS, "Worlds of a list as records."},
    {"worlds_set_records", set_records, METH_VARARGS, "Sets worlds of a list from records."},
    {"worlds_record_size", record_size, METH_VARARGS, "Bytes of a world's record."},
    {"worlds_copy", copy, METH_VARARGS, "Copies worlds of one batch into another."},
    {"worlds_fork", fork_worlds, METH_VARARGS, "Copies one world into a range."},
    {"worlds_hash", hash, METH_VARARGS, "A hash of each world."},
    {"worlds_digest", digest, METH_VARARGS, "One number for all."},
    {"worlds_save", save, METH_VARARGS, "The batch as bytes."},
    {"worlds_load", load, METH_VARARGS, "The batch from bytes."},
    {"worlds_faults", faults, METH_VARARGS, "(faulty worlds, union of their bits)"},
    {"worlds_counters", counters, METH_VARARGS, "(ticks, events, games, goals, faults)"},
    {NULL, NULL, 0, NULL},
};
