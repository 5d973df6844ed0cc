/* SPDX-License-Identifier: MIT
 * The commands of `carom` (tools/), for `python -m carom`.
 */
#include "binding.h"

#if !defined(CAROM_PYTHON_COMMAND)
#include <stdio.h>

/* Arenas and the viewer need Linux. */
static int carom_command(int argc, char **argv)
{
    (void)argc, (void)argv;
    fputs("carom: this package has no command: it is a part of the packages for Linux\n", stderr);
    return 2;
}
#else
/* Declared here, since tools/command/command.h has many more names. */
int carom_command(int argc, char **argv);
#endif

/* A list of str: the arguments, starting with the program's name. Returns the exit code, unless the command ends the
 * process. */
static PyObject *command(PyObject *Py_UNUSED(module), PyObject *list)
{
    const Py_ssize_t count = PyList_Check(list) ? PyList_Size(list) : 0;
    PyObject *result = NULL;
    char **argv = PyMem_Calloc((size_t)count + 1, sizeof *argv);
    PyObject **bytes = PyMem_Calloc((size_t)count + 1, sizeof *bytes);
    bool good = argv != NULL && bytes != NULL && count > 0;
    for (Py_ssize_t k = 0; good && k < count; k++) {
        good = PyUnicode_FSConverter(PyList_GetItem(list, k), &bytes[k]) != 0;
        argv[k] = good ? PyBytes_AsString(bytes[k]) : NULL;
    }
    if (good) {
        result = PyLong_FromLong(carom_command((int)count, argv));
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "a list of str is expected, starting with the program's name");
    }
    for (Py_ssize_t k = 0; bytes != NULL && k < count; k++) {
        Py_XDECREF(bytes[k]);
    }
    PyMem_Free(bytes);
    PyMem_Free(argv);
    return result;
}

PyMethodDef command_methods[] = {
    {"command", command, METH_O, "Runs a command of `carom`."},
    {NULL, NULL, 0, NULL},
};
