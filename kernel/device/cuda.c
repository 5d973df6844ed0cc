/* SPDX-License-Identifier: MIT
 * Opens NVIDIA's driver, once per process, and reports its errors as text.
 */
#include "device/cuda.h"

#include "base/problem.h"

#ifdef CAROM_HAVE_DLOPEN

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libcuda.so.1"

/* The driver's state in this process. Written once, by open_driver(). */
static struct {
    pthread_once_t once;
    cuda_driver functions;
    carom_status status; /* CAROM_OK: the driver is usable */
    carom_problem problem;
    pid_t owner; /* the process that initialised it; 0: none */
} driver = {.once = PTHREAD_ONCE_INIT};

static const struct {
    const char *symbol;
    size_t offset; /* in cuda_driver */
} functions[] = {
#define FUNCTION_ROW(name, symbol, parameters) {symbol, offsetof(cuda_driver, name)},
    CUDA_FUNCTIONS(FUNCTION_ROW)
#undef FUNCTION_ROW
};

/* Finds all functions in the library. A driver that lacks one is older than any that Carom supports. */
static carom_status find_functions(void *library, carom_problem *problem)
{
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        void *found = dlsym(library, functions[k].symbol);
        if (found == NULL) {
            return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "the driver is too old: it lacks %s",
                               functions[k].symbol);
        }
        memcpy((unsigned char *)&driver.functions + functions[k].offset, (const void *)&found, sizeof found);
    }
    return CAROM_OK;
}

static void open_driver(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        driver.status = carom_wrong(&driver.problem, CAROM_ERROR_UNSUPPORTED, "no driver: %s",
                                    why != NULL ? why : LIBRARY " cannot be loaded");
        return;
    }

    driver.status = find_functions(library, &driver.problem);
    if (driver.status != CAROM_OK) {
        return;
    }

    driver.owner = getpid();
    const cuda_result result = driver.functions.init(0);
    if (result == CUDA_NO_DEVICE) {
        driver.status = carom_wrong(&driver.problem, CAROM_ERROR_UNSUPPORTED, "the driver finds no device");
    } else if (result != 0) {
        driver.status = carom_cuda_failed(&driver.functions, result, "cuInit", &driver.problem);
    }
}

bool carom_cuda_is_lost(void)
{
    return driver.owner != 0 && driver.owner != getpid();
}

const cuda_driver *carom_cuda(carom_status *status, carom_problem *problem)
{
    (void)pthread_once(&driver.once, open_driver);

    carom_status found = driver.status;
    if (problem != NULL) {
        *problem = driver.problem;
    }
    if (found == CAROM_OK && carom_cuda_is_lost()) {
        found = carom_wrong(problem, CAROM_ERROR_DEVICE,
                            "devices cannot be used in a child process that was forked after its parent used them: "
                            "use the start method spawn");
    }

    if (status != NULL) {
        *status = found;
    }
    return found == CAROM_OK ? &driver.functions : NULL;
}

carom_status carom_cuda_failed(const cuda_driver *cuda, cuda_result result, const char *what, carom_problem *problem)
{
    const char *name = NULL, *text = NULL;
    (void)cuda->error_name(result, &name);
    (void)cuda->error_string(result, &text);
    const carom_status status = result == CUDA_OUT_OF_MEMORY ? CAROM_ERROR_MEMORY : CAROM_ERROR_DEVICE;
    return carom_wrong(problem, status, "%s: %s: %s", what, name != NULL ? name : "an unknown error",
                       text != NULL ? text : "the driver gives no description");
}

#else

const cuda_driver *carom_cuda(carom_status *status, carom_problem *problem)
{
    const carom_status found =
        carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "no driver: this system or build cannot load shared objects");
    if (status != NULL) {
        *status = found;
    }
    return NULL;
}

bool carom_cuda_is_lost(void)
{
    return false;
}

carom_status carom_cuda_failed(const cuda_driver *cuda, cuda_result result, const char *what, carom_problem *problem)
{
    (void)cuda;
    return carom_wrong(problem, CAROM_ERROR_DEVICE, "%s: error %d", what, result);
}

#endif
