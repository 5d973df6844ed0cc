/* SPDX-License-Identifier: MIT
 * The tests' own libcuda: begin and end of every call, counters, errors that tests inject, random draws.
 */
#include "inside.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { ASKED = 32, LINE = 400 };

/* An error asked for: the nth call of `name`. */
typedef struct asked {
    char name[64];
    unsigned nth;
    CUresult code;
} asked;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static asked failures[ASKED];
static size_t failure_count;
static char told[LINE];
static uint64_t state = 1;
static pid_t process; /* that has called cuInit() */
static bool strict;

fake_cuda_stats counted;
int device_count = 1, driver_version = CUDA_VERSION;
size_t device_memory = (size_t)1 << 30;
bool started;

/* splitmix64 */
uint64_t drawn(uint64_t n)
{
    uint64_t x = state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (x ^ (x >> 31)) % n;
}

CUresult misuse(CUresult result, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(told, sizeof told, format, list);
    va_end(list);
    counted.misuse++;
    fprintf(stderr, "libcuda of the tests: %s\n", told);
    if (strict) {
        abort();
    }
    return result;
}

CUresult asked_failure(const char *name)
{
    for (size_t i = 0; i < failure_count; i++) {
        asked *failure = &failures[i];
        if (strcmp(failure->name, name) == 0 && failure->nth > 0 && --failure->nth == 0) {
            return failure->code;
        }
    }
    return CUDA_SUCCESS;
}

/* What is wrong with calling this now? */
static CUresult check(const char *name, int needs)
{
    if (needs == ANY_TIME) {
        return CUDA_SUCCESS;
    }
    if (!started) {
        return misuse(CUDA_ERROR_NOT_INITIALIZED, "%s before cuInit", name);
    }
    if (process != getpid()) {
        return misuse(CUDA_ERROR_NOT_INITIALIZED, "%s in a forked child", name);
    }
    if ((needs & IN_CONTEXT) != 0 && current() == NULL) {
        return misuse(CUDA_ERROR_INVALID_CONTEXT, "%s without a current context", name);
    }
    if ((needs & IN_CONTEXT) != 0 && current()->error != CUDA_SUCCESS) {
        return current()->error;
    }
    if ((needs & NOT_CAPTURED) != 0 && capture_forbids()) {
        return misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "%s while a stream is captured", name);
    }
    return CUDA_SUCCESS;
}

CUresult enter(const char *name, int needs)
{
    pthread_mutex_lock(&lock);
    counted.calls++;
    const CUresult wrong = check(name, needs);
    return wrong != CUDA_SUCCESS ? wrong : asked_failure(name);
}

CUresult leave(CUresult result)
{
    pthread_mutex_unlock(&lock);
    return result;
}

/* The child of a fork gets an unlocked lock, and the error that a driver returns there. */
static void in_child(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

static void ask(const char *name, size_t length, unsigned nth, int code)
{
    if (failure_count == ASKED || length >= sizeof failures[0].name) {
        fprintf(stderr, "libcuda of the tests: too many errors, or too long a name: %s\n", name);
        abort();
    }
    asked *failure = &failures[failure_count++];
    memset(failure, 0, sizeof *failure);
    memcpy(failure->name, name, length);
    failure->nth = nth;
    failure->code = (CUresult)code;
}

/* CAROM_FAKE_FAIL: "CALL:NTH:CODE,..." */
static void ask_as_told(const char *text)
{
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, ":");
        unsigned nth = 0;
        int code = 0;
        if (sscanf(text + length, ":%u:%d", &nth, &code) != 2) {
            fprintf(stderr, "libcuda of the tests: CAROM_FAKE_FAIL is CALL:NTH:CODE,...\n");
            abort();
        }
        ask(text, length, nth, code);
        text = strchr(text, ',');
        text += text != NULL;
    }
}

void read_environment(void)
{
    if (started) {
        return;
    }
    const uint64_t devices = number_of("CAROM_FAKE_DEVICES", 1);
    device_count = devices < DEVICES ? (int)devices : DEVICES;
    driver_version = (int)number_of("CAROM_FAKE_VERSION", CUDA_VERSION);
    device_memory = number_of("CAROM_FAKE_MEMORY", device_memory);
    state = number_of("CAROM_FAKE_SEED", state);
    strict = getenv("CAROM_FAKE_STRICT") != NULL;
    ask_as_told(getenv("CAROM_FAKE_FAIL"));
    process = getpid();
    pthread_atfork(NULL, NULL, in_child);
    started = true;
}

/* ---- what tests call ---- */

static uint64_t count_pending(void)
{
    uint64_t pending = 0;
    for (const stream_t *stream = streams; stream != NULL; stream = stream->next) {
        for (const op *each = stream->first; each != NULL; each = each->next) {
            pending++;
        }
    }
    return pending;
}

fake_cuda_stats fake_cuda_count(void)
{
    pthread_mutex_lock(&lock);
    counted.pending = count_pending();
    counted.pushed = depth();
    counted.retains = 0;
    for (int i = 0; i < DEVICES; i++) {
        counted.retains += contexts[i].retains;
    }
    const fake_cuda_stats stats = counted;
    pthread_mutex_unlock(&lock);
    return stats;
}

const char *fake_cuda_misuse(void)
{
    return told;
}

void fake_cuda_start(uint64_t seed)
{
    pthread_mutex_lock(&lock);
    counted.calls = counted.launches = counted.kernels = counted.copies = counted.waits = 0;
    counted.allocated = counted.loads = counted.misuse = 0;
    told[0] = '\0';
    failure_count = 0;
    state = seed;
    pthread_mutex_unlock(&lock);
}

void fake_cuda_fail(const char *name, unsigned nth, int code)
{
    pthread_mutex_lock(&lock);
    ask(name, strlen(name), nth, code);
    pthread_mutex_unlock(&lock);
}

void fake_cuda_memory(size_t bytes)
{
    pthread_mutex_lock(&lock);
    device_memory = bytes;
    pthread_mutex_unlock(&lock);
}

void fake_cuda_heal(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < DEVICES; i++) {
        contexts[i].error = CUDA_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
}
