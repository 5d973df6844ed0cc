/* SPDX-License-Identifier: MIT
 * Shared by the files of the extension module: handles, buffers, errors, and calls that run without the interpreter's
 * lock.
 *
 * The module is private: only the classes of the package `carom` use it. They check arrays by name, shape and type; the
 * module checks sizes in bytes again, so that no mistake of theirs can write out of bounds.
 */
#ifndef CAROM_PYTHON_SRC_BINDING_H
#define CAROM_PYTHON_SRC_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <carom/carom.h>

/* An object of the library, freed together with its handle, not earlier: arrays that view its memory hold the
 * handle. */
typedef enum handle_kind {
    HANDLE_WORLDS,
    HANDLE_SCENE,
    HANDLE_GAS,
    HANDLE_SEARCH,
    HANDLE_REPLAY,
    HANDLE_LAB,
    HANDLE_PLAYER,
    HANDLE_NETWORK
} handle_kind;

typedef struct recording recording;
struct watching; /* of search.c */

typedef struct handle {
    PyObject_HEAD handle_kind kind;
    bool closed;   /* by its user: further use is refused */
    unsigned busy; /* the process, counted by forks, in which a call uses it; 0: none. Guarded by the interpreter's
                      lock */
    bool changing; /* that call changes the object */
    void *object;
    PyObject *keep;            /* kept alive for the object: the scene or replay of worlds, the bytes of a replay */
    PyObject *network;         /* of a search: freed after it; NULL: none */
    PyObject *roots;           /* the batch that a search in steps starts from; NULL: none */
    recording *recording;      /* of worlds: the recording in progress, or NULL */
    volatile int cancel;       /* the cancel flag of an object that gets it only at its creation: a search */
    struct watching *watching; /* of a search: the watch of the current call, or NULL */
} handle;

typedef struct module_state {
    PyTypeObject *handle_type, *step_type, *memory_type;
    PyObject *default_interrupt; /* signal.default_int_handler */
    PyObject *getsignal;         /* signal.getsignal */
} module_state;

/* A new handle that owns `object`; destroys it if there is no memory for the handle. */
PyObject *handle_new(PyObject *module, handle_kind kind, void *object, PyObject *keep);

/* The handle, if it is of this kind and open; else NULL with an exception. */
handle *handle_of(PyObject *module, PyObject *object, handle_kind kind);

/* The object of a handle, for a call that only reads it or is short; refused while a long call changes it. */
void *handle_object(PyObject *module, PyObject *object, handle_kind kind);

/* Marks a handle as in use by a long call that changes or only reads the object; false with an exception if it is
 * already in use. Set `busy` to 0 after the call. */
bool handle_take(handle *h, bool changes);

/* For calls that replace an object's whole state: releases a handle whose object was being changed when the process was
 * forked. Returns the mark; add it to `busy` again if the call fails. */
unsigned handle_mend(handle *h);

/* Raises the exception of a status and returns NULL; None if it is CAROM_OK. `problem` may be NULL or empty. */
PyObject *result_of(carom_status status, const carom_problem *problem);

/* The same for a call that changes a batch, which supplies the message. */
PyObject *result_of_worlds(carom_status status, const carom_worlds *worlds);

/* A contiguous buffer of at least `bytes`. None gives an empty one. False with an exception. */
bool buffer_of(PyObject *object, Py_buffer *view, size_t bytes, bool writable, const char *name);

/* ---- devices (device.c) ---- */

/* The batch's device, as in carom_worlds_desc.device. */
unsigned device_of(const handle *batch);

/* As buffer_of(), for arrays of a call on a batch of this device: a Memory of it, whose address must not be
 * dereferenced here. device 0: a buffer. Release the view in the same way. */
bool span_of(PyObject *module, unsigned device, PyObject *object, Py_buffer *view, size_t bytes, bool writable,
             const char *name);

/* ---- Ctrl-C ----
 *
 * While a long call runs on the main thread, an interrupt raises a flag that the call reads as its `cancel`; the
 * interpreter's own handler runs, too, so that KeyboardInterrupt follows after the call. This applies only with
 * Python's default handler: a handler installed by the program runs after the call, as usual. */
typedef struct interrupt {
    bool on;
    volatile int *flag; /* for `cancel`; NULL if off */
} interrupt;

/* flag: the flag to raise, which must be 0; NULL: one of this module. */
interrupt interrupt_begin(PyObject *module, bool long_call, volatile int *flag);
void interrupt_end(interrupt *i);

/* ---- agents that are observed ---- */

static inline size_t bits_in(uint64_t word)
{
    size_t count = 0;
    for (; word != 0; word &= word - 1) {
        count++;
    }
    return count;
}

/* ---- replays that are being written (see.c) ---- */

/* As carom_recorder_play(). */
carom_status recording_play(recording *r, carom_worlds *worlds, const carom_step *step);

/* Raises the error of a failed write; returns NULL. */
PyObject *recording_problem(const recording *r, carom_status status);

/* Frees it without completing the file, for example with its batch. NULL is allowed. */
void recording_drop(recording *r);

/* Methods defined in the other files. */
extern PyMethodDef games_methods[], worlds_methods[], play_methods[], rollout_methods[], scene_methods[], gas_methods[],
    toi_methods[], layout_methods[], search_methods[], jax_methods[], see_methods[], replay_methods[], recipe_methods[],
    command_methods[], device_methods[], query_methods[], lab_methods[], measures_methods[], player_methods[];
extern PyType_Spec step_spec, memory_spec;

#endif
