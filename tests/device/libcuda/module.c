/* SPDX-License-Identifier: MIT
 * The tests' own libcuda: modules. Images are not parsed: the hash selects the translated module.
 */
#include "image.h"
#include "inside.h"

#include <dlfcn.h>
#include <stdio.h>

enum { PATH = 1000, USED = 8 };

struct CUmod_st {
    context_t *context;
    const ptx_module *programs;
    function_t *functions; /* [programs->entry_count] */
    bool dead;
    struct CUmod_st *next;
};

static module_t *modules;

/* Images for which a test has its own module. */
static struct {
    const void *image;
    const ptx_module *programs;
} used[USED];

void fake_cuda_use(const void *image, const void *module)
{
    for (size_t i = 0; i < USED; i++) {
        if (used[i].image == NULL || used[i].image == image) {
            used[i].image = image;
            used[i].programs = module;
            return;
        }
    }
    abort();
}

/* ---- an image's module ---- */

static const ptx_module *open_object(const char *path)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        fprintf(stderr, "libcuda of the tests: %s\n", dlerror());
        return NULL;
    }
    return dlsym(object, "ptx_module_loaded");
}

static const ptx_module *find_in_index(uint64_t hash)
{
    const char *told = getenv("CAROM_FAKE_MODULES");
    char path[PATH];
    FILE *index = told != NULL ? fopen(told, "r") : NULL;
    unsigned long long each;
    const ptx_module *found = NULL;
    while (index != NULL && found == NULL && fscanf(index, "%16llx %999s", &each, path) == 2) {
        found = each == hash ? open_object(path) : NULL;
    }
    if (index != NULL) {
        fclose(index);
    }
    return found;
}

static const ptx_module *find_programs(const void *image)
{
    for (size_t i = 0; i < USED; i++) {
        if (used[i].image == image && used[i].programs != NULL) {
            return used[i].programs;
        }
    }
    const uint64_t hash = image_hash(image);
    const ptx_module *found = find_in_index(hash);
    if (found == NULL) {
        fprintf(stderr, "libcuda of the tests: no module for an image of %zu bytes, hash %016llx\n", image_bytes(image),
                (unsigned long long)hash);
    }
    return found;
}

/* ---- loading ---- */

static CUresult load(CUmodule *module, const void *image)
{
    const ptx_module *programs = find_programs(image);
    if (programs == NULL) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    module_t *made = calloc(1, sizeof *made);
    function_t *functions = calloc(programs->entry_count + 1, sizeof *functions);
    if (made == NULL || functions == NULL) {
        free(made);
        free(functions);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *made = (module_t){current(), programs, functions, false, modules};
    for (size_t i = 0; i < programs->entry_count; i++) {
        functions[i].module = made;
        functions[i].entry = &programs->entries[i];
    }
    modules = made;
    counted.modules++;
    counted.loads++;
    *module = made;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : load(module, image));
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    for (unsigned i = 0; i < count && result != CUDA_SUCCESS; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
            memcpy(values[i], "as asked", sizeof "as asked");
        }
    }
    return leave(result != CUDA_SUCCESS ? result : load(module, image));
}

static module_t *module_of(CUmodule handle, const char *name)
{
    for (module_t *each = modules; each != NULL; each = each->next) {
        if (each == handle && !each->dead && each->context == current()) {
            return each;
        }
    }
    misuse(CUDA_SUCCESS, "%s: no module of this context", name);
    return NULL;
}

/* Queued work may still need it: a driver waits. Its memory stays, so that use of its functions is detected. */
CUresult cuModuleUnload(CUmodule handle)
{
    CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    if (result != CUDA_SUCCESS) {
        return leave(result);
    }
    module_t *module = module_of(handle, __func__);
    if (module == NULL) {
        return leave(CUDA_ERROR_INVALID_HANDLE);
    }
    result = wait_for_all(current());
    module->dead = true;
    counted.modules--;
    return leave(result);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule handle, const char *name)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    module_t *module = result == CUDA_SUCCESS ? module_of(handle, __func__) : NULL;
    if (module == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    for (size_t i = 0; i < module->programs->entry_count; i++) {
        if (strcmp(module->programs->entries[i].name, name) == 0) {
            *function = &module->functions[i];
            return leave(CUDA_SUCCESS);
        }
    }
    return leave(CUDA_ERROR_NOT_FOUND);
}

function_t *function_of(CUfunction handle)
{
    for (module_t *each = modules; each != NULL; each = each->next) {
        if (handle >= each->functions && handle < each->functions + each->programs->entry_count) {
            if (each->dead || each->context != current()) {
                break;
            }
            return handle;
        }
    }
    misuse(CUDA_SUCCESS, "no function of a module that is loaded in this context");
    return NULL;
}

/* Asking is enough for a driver to load a function for good. */
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    function_t *function = result == CUDA_SUCCESS ? function_of(handle) : NULL;
    if (function == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    function->ready = true;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = function->entry->max_threads > 0 ? (int)function->entry->max_threads : 1024;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)function->entry->local_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = 255;
        break;
    default:
        *value = 0;
        break;
    }
    return leave(CUDA_SUCCESS);
}

CUresult cuFuncLoad(CUfunction handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    function_t *function = result == CUDA_SUCCESS ? function_of(handle) : NULL;
    if (function == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    function->ready = true;
    return leave(CUDA_SUCCESS);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle, int block, size_t shared)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    (void)shared;
    if (result != CUDA_SUCCESS || function_of(handle) == NULL || block <= 0) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE);
    }
    *blocks = block <= 256 ? 256 / block : 0; /* as with 255 registers a thread */
    return leave(CUDA_SUCCESS);
}
