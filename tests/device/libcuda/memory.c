/* SPDX-License-Identifier: MIT
 * The tests' own libcuda: device memory, which the process cannot touch, and pinned memory, which it can.
 *
 * Device memory is one reserved range of addresses. Every allocation has its own pages, followed by one that is never
 * accessible. It ends as close to that page as its alignment allows; the bytes left at both ends are set to a pattern,
 * which kernels must leave as it is. Addresses are never used twice.
 */
#include "inside.h"

#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 256, FRESH = 0xA5, EDGE = 0x5C };

#define ARENA ((size_t)1 << 38)

typedef struct piece {
    context_t *context;
    char *pages, *start; /* its pages, and what the caller knows */
    size_t room, bytes;  /* of the pages, and as asked for */
    struct piece *next;
} piece;

typedef struct pinned {
    char *start;
    size_t bytes;
    struct pinned *next;
} pinned;

static char *arena, *unused;
static piece *pieces;
static pinned *pins;
static int opened;

static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- opened and closed ---- */

static void protect(const piece *each, int how)
{
    if (mprotect(each->pages, each->room, how) != 0) {
        abort();
    }
}

void open_memory(void)
{
    if (opened++ == 0) {
        for (const piece *each = pieces; each != NULL; each = each->next) {
            protect(each, PROT_READ | PROT_WRITE);
        }
    }
}

void close_memory(void)
{
    if (--opened == 0) {
        for (const piece *each = pieces; each != NULL; each = each->next) {
            protect(each, PROT_NONE);
        }
    }
}

/* ---- addresses ---- */

bool in_arena(const void *at)
{
    return arena != NULL && (const char *)at >= arena && (const char *)at < arena + ARENA;
}

static piece *piece_at(const void *at)
{
    for (piece *each = pieces; each != NULL; each = each->next) {
        if ((const char *)at >= each->start && (const char *)at < each->start + each->bytes) {
            return each;
        }
    }
    return NULL;
}

bool is_device(const context_t *context, const void *at, size_t bytes)
{
    const piece *each = piece_at(at);
    return each != NULL && each->context == context && bytes <= (size_t)(each->start + each->bytes - (const char *)at);
}

bool is_pinned(const void *at, size_t bytes)
{
    for (const pinned *each = pins; each != NULL; each = each->next) {
        if ((const char *)at >= each->start && (const char *)at + bytes <= each->start + each->bytes) {
            return true;
        }
    }
    return false;
}

static bool is_mapped(uintptr_t at)
{
    unsigned char in_memory;
    const uintptr_t start = at & ~(uintptr_t)(page() - 1);
    void *address;
    memcpy(&address, &start, sizeof address);
    return mincore(address, 1, &in_memory) == 0;
}

const void *host_address(const void *data, size_t bytes)
{
    for (size_t at = 0; at + sizeof(uintptr_t) <= bytes; at += sizeof(uintptr_t)) {
        uintptr_t word;
        void *address;
        memcpy(&word, (const char *)data + at, sizeof word);
        memcpy(&address, &word, sizeof address);
        if (word >= (uintptr_t)1 << 40 && word < (uintptr_t)1 << 47 && !in_arena(address) && !is_pinned(address, 1) &&
            is_mapped(word)) {
            return address;
        }
    }
    return NULL;
}

/* ---- allocations ---- */

static bool is_edge(const char *from, const char *to)
{
    for (; from < to; from++) {
        if (*from != EDGE) {
            return false;
        }
    }
    return true;
}

CUresult check_edges(const char *whose)
{
    for (piece *each = pieces; each != NULL; each = each->next) {
        char *end = each->start + each->bytes, *last = each->pages + each->room;
        if (!is_edge(each->pages, each->start) || !is_edge(end, last)) {
            memset(each->pages, EDGE, (size_t)(each->start - each->pages)); /* told once */
            memset(end, EDGE, (size_t)(last - end));
            return misuse(CUDA_ERROR_ILLEGAL_ADDRESS, "%s has written beside an allocation of %zu bytes", whose,
                          each->bytes);
        }
    }
    return CUDA_SUCCESS;
}

static bool reserve(void)
{
    if (arena != NULL) {
        return true;
    }
    void *range = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        return false;
    }
    arena = unused = range;
    return true;
}

static void fill_new(const piece *made)
{
    if (opened == 0) {
        protect(made, PROT_READ | PROT_WRITE);
    }
    memset(made->pages, EDGE, made->room);
    memset(made->start, FRESH, made->bytes);
    if (opened == 0) {
        protect(made, PROT_NONE);
    }
}

static CUresult allocate(context_t *context, CUdeviceptr *address, size_t bytes)
{
    if (bytes == 0) {
        return misuse(CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
    }
    if (bytes > device_memory || context->bytes > device_memory - bytes) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const size_t aligned = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t room = (aligned + page() - 1) / page() * page();
    piece *made = calloc(1, sizeof *made);
    if (made == NULL || !reserve() || (size_t)(arena + ARENA - unused) < room + page()) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }

    *made = (piece){context, unused, unused + room - aligned, room, bytes, pieces};
    unused += room + page();
    pieces = made;
    fill_new(made);
    context->bytes += bytes;
    counted.bytes += bytes;
    counted.allocations++;
    counted.allocated++;
    *address = (CUdeviceptr)(uintptr_t)made->start;
    return CUDA_SUCCESS;
}

/* Bytes that are never used again cost no memory. */
static CUresult release(context_t *context, const void *address)
{
    for (piece **at = &pieces; *at != NULL; at = &(*at)->next) {
        piece *each = *at;
        if (each->start == address && each->context == context) {
            *at = each->next;
            madvise(each->pages, each->room, MADV_DONTNEED);
            context->bytes -= each->bytes;
            counted.bytes -= each->bytes;
            counted.allocations--;
            free(each);
            return CUDA_SUCCESS;
        }
    }
    return misuse(CUDA_ERROR_INVALID_VALUE, "cuMemFree of what was not allocated in this context");
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : allocate(current(), address, bytes));
}

/* Waits for the device first, as drivers do. */
CUresult cuMemFree_v2(CUdeviceptr address)
{
    CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    if (result != CUDA_SUCCESS) {
        return leave(result);
    }
    result = wait_for_all(current());
    const CUresult freed = release(current(), (void *)(uintptr_t)address);
    return leave(freed != CUDA_SUCCESS ? freed : result);
}

CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    if (result == CUDA_SUCCESS) {
        const size_t used = current()->bytes;
        *total = device_memory;
        *available = used < device_memory ? device_memory - used : 0;
    }
    return leave(result);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr address)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    const piece *each = piece_at((void *)(uintptr_t)address);
    if (result != CUDA_SUCCESS || each == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_NOT_FOUND);
    }
    if (start != NULL) {
        *start = (CUdeviceptr)(uintptr_t)each->start;
    }
    if (bytes != NULL) {
        *bytes = each->bytes;
    }
    return leave(CUDA_SUCCESS);
}

/* ---- pinned memory ---- */

static CUresult pin(void **memory, size_t bytes)
{
    pinned *made = malloc(sizeof *made);
    char *start = bytes > 0 ? malloc(bytes) : NULL;
    if (made == NULL || start == NULL) {
        free(made);
        free(start);
        return bytes > 0 ? CUDA_ERROR_OUT_OF_MEMORY : misuse(CUDA_ERROR_INVALID_VALUE, "0 bytes of pinned memory");
    }
    *made = (pinned){start, bytes, pins};
    pins = made;
    counted.host_allocations++;
    *memory = memset(start, FRESH, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    (void)flags;
    return leave(result != CUDA_SUCCESS ? result : pin(memory, bytes));
}

CUresult cuMemAllocHost_v2(void **memory, size_t bytes)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : pin(memory, bytes));
}

CUresult cuMemFreeHost(void *memory)
{
    CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    if (result != CUDA_SUCCESS) {
        return leave(result);
    }
    result = wait_for_all(current());
    for (pinned **at = &pins; *at != NULL; at = &(*at)->next) {
        pinned *each = *at;
        if (each->start == memory) {
            *at = each->next;
            free(each->start);
            free(each);
            counted.host_allocations--;
            return leave(result);
        }
    }
    return leave(misuse(CUDA_ERROR_INVALID_VALUE, "cuMemFreeHost of what is not pinned"));
}

/* ---- what an address is ---- */

static CUresult attribute_of(const piece *each, bool is_pin, CUpointer_attribute attribute, void *value)
{
    if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
        *(unsigned *)value = is_pin ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    }
    if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED) {
        *(unsigned *)value = 0;
        return CUDA_SUCCESS;
    }
    if (each == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)value = each->context;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = each->context->device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)value = (CUdeviceptr)(uintptr_t)each->start;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)value = each->bytes;
        return CUDA_SUCCESS;
    default:
        return misuse(CUDA_ERROR_INVALID_VALUE, "attribute %d of a pointer is not known here", (int)attribute);
    }
}

/* A driver does not know memory that is neither on a device nor pinned: CUDA_ERROR_INVALID_VALUE, on which programs may
 * rely. */
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    const CUresult result = enter(__func__, STARTED);
    const void *at = (void *)(uintptr_t)address;
    const piece *each = piece_at(at);
    const bool is_pin = is_pinned(at, 1);
    if (result != CUDA_SUCCESS || (each == NULL && !is_pin)) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE);
    }
    return leave(attribute_of(each, is_pin, attribute, value));
}

/* The same for several; unknown attributes are 0 here. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values, CUdeviceptr address)
{
    CUresult result = enter(__func__, STARTED);
    const void *at = (void *)(uintptr_t)address;
    const piece *each = piece_at(at);
    const bool is_pin = is_pinned(at, 1);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        if (each != NULL || is_pin) {
            result = attribute_of(each, is_pin, attributes[i], values[i]);
        } else {
            const bool wide = attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT ||
                              attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                              attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE;
            memset(values[i], 0, wide ? sizeof(uint64_t) : sizeof(unsigned));
        }
    }
    return leave(result);
}
