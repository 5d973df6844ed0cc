/* SPDX-License-Identifier: MIT
 * The tests' own libcuda does what fake_cuda.h promises. Its programs are a few lines of C here.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../child.h"
#include "../test.h"

#include "libcuda/api.h"
#include "libcuda/fake_cuda.h"
#include "ptx_module.h"

#define CU(call) assert_int_equal(call, CUDA_SUCCESS)

enum { N = 256, BLOCKS = 4, THREADS = 64 };

/* ---- a module ---- */

typedef struct add_task {
    uint64_t threads;
    int32_t *numbers;
    const int32_t *terms; /* NULL: 1 each */
    int32_t *order;       /* [threads]: numbers of the threads in the order in which they ran; NULL: not wanted */
} add_task;

static size_t thread_of(const ptx_place *place)
{
    return (size_t)place->ctaid[0] * place->ntid[0] + place->tid[0];
}

static int32_t ran;

static void add(const void *params, const ptx_place *place)
{
    const add_task *task = params;
    const size_t thread = thread_of(place);
    if (thread >= task->threads) {
        return;
    }
    task->numbers[thread] += task->terms != NULL ? task->terms[thread] : 1;
    if (task->order != NULL) {
        task->order[ran++ % N] = (int32_t)thread;
    }
}

/* numbers = 2 * numbers, so that its place in the order of programs is seen. */
static void twice(const void *params, const ptx_place *place)
{
    const add_task *task = params;
    if (thread_of(place) < task->threads) {
        task->numbers[thread_of(place)] *= 2;
    }
}

static const ptx_entry entries[] = {
    {"add", add, sizeof(add_task), 0, 128},
    {"twice", twice, sizeof(add_task), 0, 0},
    {"large", add, sizeof(add_task), 40000, 0}, /* much local memory */
};
static const ptx_module programs = {"programs", entries, 3, NULL, 0};
static const char image[] = "programs";

/* ---- setup ---- */

typedef struct device {
    CUcontext context;
    CUmodule module;
    CUfunction add, twice, large;
    CUdeviceptr numbers; /* [N] int32_t, 0 */
    CUstream stream;
} device;

static device made(void)
{
    device d;
    fake_cuda_use(image, &programs);
    CU(cuInit(0));
    fake_cuda_heal();
    fake_cuda_start(1);
    CU(cuDevicePrimaryCtxRetain(&d.context, 0));
    CU(cuCtxPushCurrent_v2(d.context));
    CU(cuModuleLoadData(&d.module, image));
    CU(cuModuleGetFunction(&d.add, d.module, "add"));
    CU(cuModuleGetFunction(&d.twice, d.module, "twice"));
    CU(cuModuleGetFunction(&d.large, d.module, "large"));
    CU(cuMemAlloc_v2(&d.numbers, N * sizeof(int32_t)));
    CU(cuMemsetD8_v2(d.numbers, 0, N * sizeof(int32_t)));
    CU(cuStreamCreate(&d.stream, CU_STREAM_NON_BLOCKING));
    CU(cuCtxSynchronize());
    return d;
}

static void unmade(device *d)
{
    CUcontext popped;
    CU(cuStreamDestroy_v2(d->stream));
    CU(cuMemFree_v2(d->numbers));
    CU(cuModuleUnload(d->module));
    CU(cuCtxPopCurrent_v2(&popped));
    assert_ptr_equal(popped, d->context);
    CU(cuDevicePrimaryCtxRelease_v2(0));
    const fake_cuda_stats stats = fake_cuda_count();
    assert_int_equal(stats.allocations + stats.bytes + stats.streams + stats.modules + stats.retains + stats.pushed, 0);
}

static CUresult launch_at(CUfunction function, CUdeviceptr numbers, CUstream stream)
{
    add_task task = {N, (int32_t *)(uintptr_t)numbers, NULL, NULL};
    void *params[] = {&task};
    return cuLaunchKernel(function, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, params, NULL);
}

static int32_t first_number(const device *d)
{
    int32_t numbers[N];
    CU(cuMemcpyDtoHAsync_v2(numbers, d->numbers, sizeof numbers, d->stream));
    for (size_t i = 1; i < N; i++) {
        assert_int_equal(numbers[i], numbers[0]);
    }
    return numbers[0];
}

static uint64_t misuses(void)
{
    return fake_cuda_count().misuse;
}

/* ---- memory ---- */

static device child_device;

static bool reads_device_memory(void)
{
    volatile const int32_t *at = (const int32_t *)(uintptr_t)child_device.numbers;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka has a handler */
        _exit(*at == 0 ? 0 : 1);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

TEST(test_device_memory_cannot_be_read)
{
    device d = made();
    child_device = d;
    assert_child(reads_device_memory);
    unmade(&d);
}

TEST(test_memory_is_not_zero_and_runs_out)
{
    device d = made();
    CUdeviceptr memory;
    unsigned char bytes[16];
    CU(cuMemAlloc_v2(&memory, sizeof bytes));
    CU(cuMemcpyDtoH_v2(bytes, memory, sizeof bytes));
    assert_int_not_equal(bytes[0], 0);

    fake_cuda_memory(4096);
    CUdeviceptr more;
    assert_int_equal(cuMemAlloc_v2(&more, 4096), CUDA_ERROR_OUT_OF_MEMORY);
    fake_cuda_memory((size_t)1 << 30);
    CU(cuMemFree_v2(memory));
    assert_int_equal(misuses(), 0);
    assert_int_equal(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(misuses(), 1);
    unmade(&d);
}

TEST(test_copies_of_the_wrong_kind_or_size_are_errors)
{
    device d = made();
    int32_t numbers[N + 1] = {0};
    assert_int_equal(cuMemcpyHtoD_v2(d.numbers, numbers, sizeof numbers), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH_v2(numbers, (CUdeviceptr)(uintptr_t)numbers, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoD_v2(d.numbers, d.numbers + 4, N * sizeof(int32_t)), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD8_v2(d.numbers, 0, sizeof numbers), CUDA_ERROR_INVALID_VALUE);
    const void *address = numbers;
    assert_int_equal(cuMemcpyHtoD_v2(d.numbers, &address, sizeof address), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(misuses(), 5);
    unmade(&d);
}

/* ---- launches ---- */

TEST(test_a_launch_runs_when_something_waits_for_its_stream)
{
    device d = made();
    CUstream other;
    CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    CU(launch_at(d.add, d.numbers, d.stream));
    assert_int_equal(fake_cuda_count().kernels, 0);
    assert_int_equal(fake_cuda_count().pending, 1);
    CU(cuStreamSynchronize(other));
    CU(cuStreamSynchronize(d.stream));
    assert_int_equal(fake_cuda_count().kernels, 1);
    assert_int_equal(first_number(&d), 1);
    CU(cuStreamDestroy_v2(other));
    assert_int_equal(misuses(), 0);
    unmade(&d);
}

/* In order within a stream, whatever the seed; between two streams in both orders, by the seed. */
TEST(test_streams_run_in_any_order)
{
    device d = made();
    CUstream other;
    CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    bool seen[8] = {false};
    for (uint64_t seed = 0; seed < 40; seed++) {
        fake_cuda_start(seed);
        CU(cuMemsetD8Async(d.numbers, 0, N * sizeof(int32_t), d.stream));
        CU(cuStreamSynchronize(d.stream));
        CU(launch_at(d.add, d.numbers, d.stream));
        CU(launch_at(d.add, d.numbers, d.stream));
        CU(launch_at(d.twice, d.numbers, other));
        CU(cuCtxSynchronize());
        const int32_t number = first_number(&d);
        assert_in_range(number, 2, 4); /* twice was first, second or last */
        seen[number] = true;
    }
    assert_true(seen[2] && seen[3] && seen[4]);
    CU(cuStreamDestroy_v2(other));
    unmade(&d);
}

TEST(test_events_order_streams)
{
    device d = made();
    CUstream other;
    CUevent event;
    CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (uint64_t seed = 0; seed < 20; seed++) {
        fake_cuda_start(seed);
        CU(cuMemsetD8Async(d.numbers, 0, N * sizeof(int32_t), d.stream));
        CU(launch_at(d.add, d.numbers, d.stream));
        CU(cuEventRecord(event, d.stream));
        CU(cuStreamWaitEvent(other, event, 0));
        CU(launch_at(d.twice, d.numbers, other));
        CU(cuStreamSynchronize(other));
        assert_int_equal(first_number(&d), 2);
    }
    CU(cuEventDestroy_v2(event));
    CU(cuStreamDestroy_v2(other));
    assert_int_equal(cuEventRecord(event, d.stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(launch_at(d.add, d.numbers, other), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(misuses(), 2);
    unmade(&d);
}

/* A wait is for the record that was the last when it was queued. */
TEST(test_an_event_is_recorded_again_before_anything_has_run)
{
    device d = made();
    CUstream other;
    CUevent event;
    CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (uint64_t seed = 0; seed < 20; seed++) {
        int32_t expected = 0;
        fake_cuda_start(seed);
        CU(cuMemsetD8Async(d.numbers, 0, N * sizeof(int32_t), d.stream));
        for (size_t i = 0; i < 6; i++) {
            const bool adds = i % 2 == 0;
            CU(launch_at(adds ? d.add : d.twice, d.numbers, adds ? d.stream : other));
            CU(cuEventRecord(event, adds ? d.stream : other));
            CU(cuStreamWaitEvent(adds ? other : d.stream, event, 0));
            expected = adds ? expected + 1 : expected * 2;
        }
        CU(cuStreamSynchronize(d.stream));
        assert_int_equal(first_number(&d), expected);
    }
    CU(cuEventDestroy_v2(event));
    CU(cuStreamDestroy_v2(other));
    unmade(&d);
}

/* The default stream waits for streams that are not CU_STREAM_NON_BLOCKING. */
TEST(test_the_default_stream_is_ordered_with_blocking_streams)
{
    device d = made();
    CUstream blocking;
    CU(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    for (uint64_t seed = 0; seed < 20; seed++) {
        fake_cuda_start(seed);
        CU(cuMemsetD8Async(d.numbers, 0, N * sizeof(int32_t), NULL));
        CU(launch_at(d.add, d.numbers, blocking));
        CU(launch_at(d.twice, d.numbers, NULL));
        CU(launch_at(d.add, d.numbers, blocking));
        CU(cuStreamSynchronize(blocking));
        assert_int_equal(first_number(&d), 3);
    }
    CU(cuStreamDestroy_v2(blocking));
    unmade(&d);
}

TEST(test_threads_run_once_each_in_an_order_that_the_seed_draws)
{
    device d = made();
    CUdeviceptr order;
    int32_t numbers[2][N];
    CU(cuMemAlloc_v2(&order, sizeof numbers[0]));
    for (uint64_t seed = 0; seed < 2; seed++) {
        bool seen[N] = {false};
        fake_cuda_start(seed);
        ran = 0;
        add_task task = {N, (int32_t *)(uintptr_t)d.numbers, NULL, (int32_t *)(uintptr_t)order};
        void *params[] = {&task};
        CU(cuLaunchKernel(d.add, BLOCKS, 1, 1, THREADS, 1, 1, 0, d.stream, params, NULL));
        memset(&task, 0xFF, sizeof task); /* parameters have been copied */
        CU(cuMemcpyDtoHAsync_v2(numbers[seed], order, sizeof numbers[0], d.stream));
        for (size_t i = 0; i < N; i++) {
            seen[numbers[seed][i]] = true;
        }
        for (size_t i = 0; i < N; i++) {
            assert_true(seen[i]);
        }
    }
    assert_memory_not_equal(numbers[0], numbers[1], sizeof numbers[0]);
    CU(cuMemFree_v2(order));
    unmade(&d);
}

TEST(test_launches_of_a_wrong_size_or_with_memory_of_the_process_are_errors)
{
    device d = made();
    int32_t numbers[N];
    assert_int_equal(launch_at(d.add, (CUdeviceptr)(uintptr_t)numbers, d.stream), CUDA_ERROR_INVALID_VALUE);
    add_task task = {N, (int32_t *)(uintptr_t)d.numbers, NULL, NULL};
    size_t bytes = sizeof task - 8;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &task, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    assert_int_equal(cuLaunchKernel(d.add, 1, 1, 1, 64, 1, 1, 0, d.stream, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    bytes = sizeof task;
    CU(cuLaunchKernel(d.add, BLOCKS, 1, 1, THREADS, 1, 1, 0, d.stream, NULL, extra));
    void *params[] = {&task};
    assert_int_equal(cuLaunchKernel(d.add, 0, 1, 1, 64, 1, 1, 0, d.stream, params, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(d.add, 1, 1, 1, 129, 1, 1, 0, d.stream, params, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(misuses(), 4);
    assert_int_equal(first_number(&d), 1);
    unmade(&d);
}

/* Beyond an allocation, and in one that was freed: the error stays, until the process begins again. */
TEST(test_a_kernel_that_leaves_its_memory_ends_its_context)
{
    device d = made();
    CU(launch_at(d.add, d.numbers + 4096, d.stream));
    assert_int_equal(cuStreamSynchronize(d.stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(launch_at(d.add, d.numbers, d.stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(misuses(), 1);
    fake_cuda_heal();

    CUdeviceptr memory;
    CU(cuMemAlloc_v2(&memory, N * sizeof(int32_t) - 4));
    CU(launch_at(d.add, memory, d.stream));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    fake_cuda_heal();
    CU(cuMemFree_v2(memory));
    CU(launch_at(d.add, memory, d.stream));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(misuses(), 3);
    fake_cuda_heal();
    unmade(&d);
}

/* ---- capture ---- */

TEST(test_a_graph_replays_what_was_captured)
{
    device d = made();
    CUstream other;
    CUevent begun, done;
    CUgraph graph;
    CUgraphExec exec;
    CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&begun, 0));
    CU(cuEventCreate(&done, 0));
    CU(launch_at(d.add, d.numbers, d.stream));
    CU(launch_at(d.twice, d.numbers, d.stream));

    CU(cuStreamBeginCapture_v2(d.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(launch_at(d.add, d.numbers, d.stream));
    CU(cuEventRecord(begun, d.stream));
    CU(cuStreamWaitEvent(other, begun, 0));
    CU(launch_at(d.twice, d.numbers, other));
    CU(cuEventRecord(done, other));
    CU(cuStreamWaitEvent(d.stream, done, 0));
    CU(launch_at(d.add, d.numbers, d.stream));
    CU(cuStreamEndCapture(d.stream, &graph));
    assert_int_equal(first_number(&d), 2); /* nothing of the capture has run */

    CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CU(cuGraphDestroy(graph));
    for (int32_t i = 0, expected = 2; i < 5; i++) {
        CU(cuGraphLaunch(exec, d.stream));
        expected = (expected + 1) * 2 + 1;
        assert_int_equal(first_number(&d), expected);
    }
    CU(cuGraphExecDestroy(exec));
    CU(cuEventDestroy_v2(begun));
    CU(cuEventDestroy_v2(done));
    CU(cuStreamDestroy_v2(other));
    assert_int_equal(misuses(), 0);
    unmade(&d);
}

/* Each call ends its own capture, which is then invalid. */
static void assert_forbidden(device *d, CUresult (*call)(device *d))
{
    CUgraph graph;
    CU(cuStreamBeginCapture_v2(d->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    const uint64_t before = misuses();
    assert_int_equal(call(d), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(misuses(), before + 1);
    assert_int_equal(cuStreamEndCapture(d->stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static CUresult allocate(device *d)
{
    (void)d;
    CUdeviceptr memory;
    return cuMemAlloc_v2(&memory, 16);
}

static CUresult release(device *d)
{
    return cuMemFree_v2(d->numbers);
}

static CUresult wait_stream(device *d)
{
    return cuStreamSynchronize(d->stream);
}

static CUresult wait_all(device *d)
{
    (void)d;
    return cuCtxSynchronize();
}

static CUresult load(device *d)
{
    (void)d;
    CUmodule module;
    return cuModuleLoadData(&module, image);
}

static CUresult copy_at_once(device *d)
{
    int32_t number = 0;
    return cuMemcpyHtoDAsync_v2(d->numbers, &number, sizeof number, d->stream);
}

static CUresult launch_for_the_first_time(device *d)
{
    return launch_at(d->twice, d->numbers, d->stream);
}

static CUresult launch_large(device *d)
{
    return launch_at(d->large, d->numbers, d->stream);
}

TEST(test_what_waits_or_allocates_ends_a_capture)
{
    device d = made();
    CUresult (*const calls[])(device *) = {
        allocate, release, wait_stream, wait_all, load, launch_for_the_first_time, copy_at_once, launch_large, NULL};
    for (size_t i = 0; calls[i] != NULL; i++) {
        assert_forbidden(&d, calls[i]);
    }

    /* Loaded, but without local memory; then with both. */
    CUgraph graph;
    CU(cuFuncLoad(d.large));
    assert_forbidden(&d, launch_large);
    CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 40000));
    CU(cuStreamBeginCapture_v2(d.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(launch_large(&d));
    CU(cuStreamEndCapture(d.stream, &graph));
    CU(cuGraphDestroy(graph));
    unmade(&d);
}

/* ---- contexts, errors, forks ---- */

TEST(test_without_a_context_calls_fail)
{
    device d = made();
    CUcontext popped;
    CUdeviceptr memory;
    CU(cuCtxPopCurrent_v2(&popped));
    assert_int_equal(cuMemAlloc_v2(&memory, 16), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(misuses(), 2);
    CU(cuCtxPushCurrent_v2(d.context));
    unmade(&d);
}

TEST(test_an_error_comes_when_it_is_asked_for)
{
    device d = made();
    CUdeviceptr memory;
    fake_cuda_fail("cuMemAlloc_v2", 2, CUDA_ERROR_OUT_OF_MEMORY);
    CU(cuMemAlloc_v2(&memory, 16));
    CU(cuMemFree_v2(memory));
    assert_int_equal(cuMemAlloc_v2(&memory, 16), CUDA_ERROR_OUT_OF_MEMORY);
    CU(cuMemAlloc_v2(&memory, 16));
    CU(cuMemFree_v2(memory));

    fake_cuda_fail("kernel", 1, CUDA_ERROR_LAUNCH_FAILED);
    CU(launch_at(d.add, d.numbers, d.stream));
    assert_int_equal(cuStreamSynchronize(d.stream), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cuMemAlloc_v2(&memory, 16), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(misuses(), 0);
    fake_cuda_heal();
    unmade(&d);
}

static bool fails_in_a_child(void)
{
    CUdeviceptr memory;
    int count;
    return cuMemAlloc_v2(&memory, 16) == CUDA_ERROR_NOT_INITIALIZED && cuDeviceGetCount(&count) != CUDA_SUCCESS &&
           fake_cuda_count().misuse == 2;
}

TEST(test_a_forked_child_has_no_driver)
{
    device d = made();
    assert_child(fails_in_a_child);
    unmade(&d);
}
