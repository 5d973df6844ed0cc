/* SPDX-License-Identifier: MIT
 * The extension module `carom._carom`: handles, errors, interrupts, and information about the library.
 */
#include "binding.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

/* ---- handles ---- */

static void destroy(handle_kind kind, void *object)
{
    switch (kind) {
    case HANDLE_WORLDS:
        carom_worlds_destroy(object);
        break;
    case HANDLE_SCENE:
        carom_scene_destroy(object);
        break;
    case HANDLE_GAS:
        carom_gas_destroy(object);
        break;
    case HANDLE_SEARCH:
        carom_search_destroy(object);
        break;
    case HANDLE_REPLAY:
        carom_replay_close(object);
        break;
    case HANDLE_LAB:
        carom_lab_destroy(object);
        break;
    case HANDLE_PLAYER:
        carom_player_destroy(object);
        break;
    case HANDLE_NETWORK:
        carom_network_destroy(object);
        break;
    }
}

/* ---- use by one call at a time ---- */

static unsigned process = 1; /* grows in every child */

#if defined(_WIN32)

static bool count_forks(void)
{
    return true; /* there are none */
}

#else

static void on_fork(void)
{
    process++;
}

static bool count_forks(void)
{
    return pthread_atfork(NULL, NULL, on_fork) == 0;
}

#endif

/* True if no call is using it; otherwise false with an exception. A call that was running when the process was forked
 * continues only in the parent. */
static bool is_idle(const handle *h)
{
    if (h->busy == 0 || (h->busy != process && !h->changing)) {
        return true;
    }
    if (h->busy == process) {
        PyErr_SetString(PyExc_RuntimeError, "it is in use by another thread");
    } else if (h->kind == HANDLE_WORLDS) {
        PyErr_SetString(PyExc_RuntimeError, "another thread was playing it when this process was forked, so this "
                                            "copy is incomplete; call reset() or load() first");
    } else {
        PyErr_SetString(PyExc_RuntimeError, "another thread was running it when this process was forked, so this "
                                            "copy is incomplete");
    }
    return false;
}

bool handle_take(handle *h, bool changes)
{
    if (!is_idle(h)) {
        return false;
    }
    h->busy = process;
    h->changing = changes;
    return true;
}

unsigned handle_mend(handle *h)
{
    const unsigned mark = h->busy == process ? 0 : h->busy;
    h->busy -= mark;
    return mark;
}

/* ---- the type ---- */

static void handle_free(PyObject *self)
{
    handle *h = (handle *)self;
    recording_drop(h->recording);
    destroy(h->kind, h->object);
    Py_XDECREF(h->keep);
    Py_XDECREF(h->network);
    Py_XDECREF(h->roots);
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *handle_close(PyObject *self, PyObject *Py_UNUSED(unused))
{
    handle *h = (handle *)self;
    if (h->busy == process && !is_idle(h)) {
        return NULL;
    }
    h->closed = true;
    Py_RETURN_NONE;
}

static PyMethodDef handle_methods[] = {
    {"close", handle_close, METH_NOARGS, "Refuses further use; the memory is freed with the last array that views it."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, handle_free},
    {Py_tp_methods, handle_methods},
    {Py_tp_doc, "An object of the library."},
    {0, NULL},
};

static PyType_Spec handle_spec = {
    .name = "carom._carom.Handle",
    .basicsize = sizeof(handle),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = handle_slots,
};

PyObject *handle_new(PyObject *module, handle_kind kind, void *object, PyObject *keep)
{
    module_state *state = PyModule_GetState(module);
    handle *h = PyObject_New(handle, state->handle_type);
    if (h == NULL) {
        destroy(kind, object);
        return NULL;
    }
    h->kind = kind;
    h->closed = h->changing = false;
    h->busy = 0;
    h->cancel = 0;
    h->object = object;
    h->keep = Py_XNewRef(keep);
    h->network = h->roots = NULL;
    h->recording = NULL;
    h->watching = NULL;
    return (PyObject *)h;
}

handle *handle_of(PyObject *module, PyObject *object, handle_kind kind)
{
    static const char *const names[] = {"batch", "scene", "gas", "search", "replay", "laboratory", "player", "network"};
    module_state *state = PyModule_GetState(module);
    if (!PyObject_TypeCheck(object, state->handle_type) || ((handle *)object)->kind != kind) {
        PyErr_Format(PyExc_TypeError, "the handle of a %s is expected", names[kind]);
        return NULL;
    }
    handle *h = (handle *)object;
    if (h->closed) {
        PyErr_Format(PyExc_ValueError, "the %s is closed", names[kind]);
        return NULL;
    }
    return h;
}

void *handle_object(PyObject *module, PyObject *object, handle_kind kind)
{
    handle *h = handle_of(module, object, kind);
    if (h == NULL) {
        return NULL;
    }
    return is_idle(h) ? h->object : NULL;
}

/* ---- errors and buffers ---- */

PyObject *result_of(carom_status status, const carom_problem *problem)
{
    PyObject *type = PyExc_ValueError;
    switch (status) {
    case CAROM_OK:
        Py_RETURN_NONE;
    case CAROM_ERROR_MEMORY:
        type = PyExc_MemoryError;
        break;
    case CAROM_ERROR_UNSUPPORTED:
        type = PyExc_NotImplementedError;
        break;
    case CAROM_ERROR_DEVICE:
        type = PyExc_RuntimeError;
        break;
    case CAROM_ERROR_CANCELLED:
        /* The interpreter's handler has also run. */
        if (PyErr_CheckSignals() != 0) {
            return NULL;
        }
        type = PyExc_KeyboardInterrupt;
        break;
    case CAROM_ERROR_ARGUMENT:
    case CAROM_ERROR_VALUE:
    case CAROM_ERROR_SIZE:
    case CAROM_ERROR_FORMAT:
        break;
    }
    if (problem != NULL && problem->text[0] != 0) {
        PyErr_SetString(type, problem->text);
    } else {
        PyErr_SetString(type, carom_status_string(status));
    }
    return NULL;
}

PyObject *result_of_worlds(carom_status status, const carom_worlds *worlds)
{
    carom_problem problem = {""};
    if (status != CAROM_OK && status != CAROM_ERROR_CANCELLED) {
        carom_worlds_problem(worlds, &problem);
    }
    return result_of(status, &problem);
}

bool buffer_of(PyObject *object, Py_buffer *view, size_t bytes, bool writable, const char *name)
{
    memset(view, 0, sizeof *view);
    if (object == Py_None) {
        return true;
    }
    if (PyObject_GetBuffer(object, view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) {
        return false;
    }
    if ((size_t)view->len < bytes) {
        PyErr_Format(PyExc_ValueError, "%s: %zd bytes are given, %zu are needed", name, view->len, bytes);
        PyBuffer_Release(view);
        return false;
    }
    return true;
}

/* ---- Ctrl-C ---- */

#if defined(_WIN32)

/* Windows runs handlers on threads that it makes for them: a call plays to its end, and Python then sees the signal. */
interrupt interrupt_begin(PyObject *module, bool long_call, volatile int *flag)
{
    (void)module, (void)long_call, (void)flag;
    return (interrupt){false, NULL};
}

void interrupt_end(interrupt *i)
{
    (void)i;
}

#else

/* Only one interrupt is active: only calls on the main thread can be stopped. */
static volatile int interrupted;
static volatile int *volatile raised = &interrupted;
static struct sigaction python_action;

static void on_interrupt(int signal_number)
{
    *raised = 1;
    if (python_action.sa_handler != SIG_DFL && python_action.sa_handler != SIG_IGN) {
        python_action.sa_handler(signal_number);
    }
}

static bool on_main_thread(void)
{
#if defined(__linux__)
    return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__)
    return pthread_main_np() != 0;
#else
    return false;
#endif
}

interrupt interrupt_begin(PyObject *module, bool long_call, volatile int *flag)
{
    interrupt i = {false, NULL};
    if (!long_call || !on_main_thread()) {
        return i;
    }
    module_state *state = PyModule_GetState(module);
    PyObject *handler = PyObject_CallFunction(state->getsignal, "i", SIGINT);
    const bool usual = handler == state->default_interrupt;
    Py_XDECREF(handler);
    PyErr_Clear();
    if (!usual) {
        return i;
    }
    interrupted = 0;
    raised = flag != NULL ? flag : &interrupted;
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = on_interrupt;
    sigemptyset(&ours.sa_mask);
    i.on = sigaction(SIGINT, NULL, &python_action) == 0 && (python_action.sa_flags & SA_SIGINFO) == 0 &&
           sigaction(SIGINT, &ours, NULL) == 0;
    i.flag = i.on ? raised : NULL;
    return i;
}

void interrupt_end(interrupt *i)
{
    if (i->on) {
        sigaction(SIGINT, &python_action, NULL);
        i->on = false;
    }
}

#endif

/* ---- the library as a whole ---- */

static PyObject *info(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyObject *isas = PyDict_New();
    if (isas == NULL) {
        return NULL;
    }
    for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        if (!carom_isa_built((carom_isa)isa)) {
            continue;
        }
        PyObject *entry = Py_BuildValue(
            "{s:O,s:I,s:I}", "usable", carom_isa_usable((carom_isa)isa) ? Py_True : Py_False, "lanes_f32",
            carom_isa_lanes((carom_isa)isa, CAROM_F32), "lanes_f64", carom_isa_lanes((carom_isa)isa, CAROM_F64));
        if (entry == NULL || PyDict_SetItemString(isas, carom_isa_name((carom_isa)isa), entry) != 0) {
            Py_XDECREF(entry);
            Py_DECREF(isas);
            return NULL;
        }
        Py_DECREF(entry);
    }
    carom_isa current = CAROM_ISA_DEFAULT;
    const carom_status status = carom_isa_current(&current);
    if (status != CAROM_OK) {
        Py_DECREF(isas);
        return result_of(status, NULL);
    }
    /* Can it read and write scenes as JSON text? */
    carom_scene *scene;
    const bool json = carom_scene_read_json("{}", 2, &scene, NULL) != CAROM_ERROR_UNSUPPORTED;
    carom_scene_destroy(scene);
    return Py_BuildValue("{s:s,s:s,s:s,s:I,s:O,s:N}", "version", carom_version(), "build", carom_build_info(), "isa",
                         carom_isa_name(current), "threads", carom_threads(), "json", json ? Py_True : Py_False, "isas",
                         isas);
}

static PyObject *version(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyUnicode_FromString(carom_version());
}

static PyObject *isa_force(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *name = NULL;
    if (!PyArg_ParseTuple(arguments, "s", &name)) {
        return NULL;
    }
    carom_isa isa;
    carom_status status = carom_isa_from_name(name, &isa);
    if (status == CAROM_OK) {
        status = carom_isa_force(isa);
    }
    return result_of(status, NULL);
}

static PyMethodDef module_methods[] = {
    {"info", info, METH_NOARGS, "Version, build, instruction sets, threads."},
    {"version", version, METH_NOARGS, "major.minor.patch"},
    {"isa_force", isa_force, METH_VARARGS, "Sets the instruction set that `default` means."},
    {NULL, NULL, 0, NULL},
};

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = PyModule_GetState(module);
    Py_VISIT(state->handle_type);
    Py_VISIT(state->step_type);
    Py_VISIT(state->memory_type);
    Py_VISIT(state->default_interrupt);
    Py_VISIT(state->getsignal);
    return 0;
}

static int module_clear(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->handle_type);
    Py_CLEAR(state->step_type);
    Py_CLEAR(state->memory_type);
    Py_CLEAR(state->default_interrupt);
    Py_CLEAR(state->getsignal);
    return 0;
}

static int module_fill(PyObject *module)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "carom can only be imported in the main interpreter: NumPy does not support subinterpreters, "
                        "and interrupts reach one interpreter only");
        return -1;
    }
    static bool watching;
    if (!watching) {
        watching = count_forks();
    }
    module_state *state = PyModule_GetState(module);
    state->handle_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &handle_spec, NULL);
    state->step_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &step_spec, NULL);
    state->memory_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &memory_spec, NULL);
    PyObject *signals = PyImport_ImportModule("_signal"); /* part of the interpreter */
    if (signals == NULL) {
        return -1;
    }
    state->default_interrupt = PyObject_GetAttrString(signals, "default_int_handler");
    state->getsignal = PyObject_GetAttrString(signals, "getsignal");
    Py_DECREF(signals);
    if (state->handle_type == NULL || state->step_type == NULL || state->memory_type == NULL ||
        state->default_interrupt == NULL || state->getsignal == NULL ||
        PyModule_AddType(module, state->handle_type) != 0 || PyModule_AddType(module, state->step_type) != 0 ||
        PyModule_AddType(module, state->memory_type) != 0) {
        return -1;
    }
    PyMethodDef *const tables[] = {module_methods, games_methods, worlds_methods, play_methods,     rollout_methods,
                                   scene_methods,  gas_methods,   toi_methods,    layout_methods,   search_methods,
                                   jax_methods,    see_methods,   replay_methods, recipe_methods,   command_methods,
                                   device_methods, query_methods, lab_methods,    measures_methods, player_methods};
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
        if (PyModule_AddFunctions(module, tables[k]) != 0) {
            return -1;
        }
    }
    return 0;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_fill},
    {0, NULL},
};

static PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,          .m_name = "carom._carom", .m_doc = "The library, for the package carom.",
    .m_size = sizeof(module_state), .m_slots = module_slots,  .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__carom(void);
PyMODINIT_FUNC PyInit__carom(void)
{
    return PyModuleDef_Init(&module_def);
}
