#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts faults into the library's calls on devices, one at a time, and lists those that the tests do not detect.

usage: mutate_loader.py BUILD [NUMBER...]

BUILD is a build folder of this tree with device modules. Each fault replaces a text in kernel/device; then the tests of
batches, queued calls and searches are built and run. A test that fails, crashes or hangs has detected the fault. The
text is restored afterwards. Exit status 1 if a fault was not detected. With numbers: only these faults.
"""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TESTS = ["test_device_batch", "test_device_play", "test_device_search"]
SECONDS = 180

# (file, text, what replaces it): what becomes wrong is in the text.
FAULTS = [
    # Contexts.
    ("device", "const cuda_result result = cuda->context_push(unit->context);", "const cuda_result result = 0;"),
    ("device", "    (void)unit->cuda->context_pop(&popped);\n}", "    (void)popped;\n}"),
    ("cuda", "return driver.owner != 0 && driver.owner != getpid();", "return false;"),
    ("batch", "if (!carom_cuda_is_lost() && carom_batch_enter(worlds) == CAROM_OK) {\n        const cuda_driver *cuda",
     "{\n        (void)carom_batch_enter(worlds);\n        const cuda_driver *cuda"),
    # Memory.
    ("device", "        (void)unit->cuda->memory_give((cuda_address)(uintptr_t)memory);\n", ""),
    ("batch", "            (void)cuda->memory_give((cuda_address)(uintptr_t)batch->tiles);\n", ""),
    ("batch", "            (void)cuda->stream_destroy(batch->mirror->stream);\n", ""),
    ("batch", "add_part(&plan->end, worlds->tiles, worlds->layout",
     "add_part(&plan->end, worlds->tiles - 1, worlds->layout"),
    ("batch", "add_part(&plan->end, plan->scratch_bytes, 1, &plan->scratch)",
     "add_part(&plan->end, 1, 1, &plan->scratch)"),
    ("batch", "carom_device_upload(worlds, batch->seeds, worlds->seeds, places * sizeof *worlds->seeds)", "CAROM_OK"),
    ("batch", "carom_device_upload(worlds, batch->sums, worlds->sums, places * batch->players * sizeof *worlds->sums)",
     "CAROM_OK"),
    ("batch", "carom_device_upload(worlds, batch->wrong, &right, sizeof right)", "CAROM_OK + 0 * (int)right"),
    ("batch", "worlds->desc.count, MIRROR_TILES | MIRROR_COUNTERS)", "worlds->desc.count, MIRROR_COUNTERS)"),
    ("batch", "worlds->desc.count, MIRROR_TILES | MIRROR_COUNTERS)", "worlds->desc.count, MIRROR_TILES)"),
    ("batch", "image, (uint64_t)(uintptr_t)batch->context)", "image, (uint64_t)(uintptr_t)worlds->context)"),
    ("batch", "image, (uint64_t)(uintptr_t)batch->context)", "image, (uint64_t)(uintptr_t)batch->context + 4096)"),
    ("cuda", "result == CUDA_OUT_OF_MEMORY ? CAROM_ERROR_MEMORY : CAROM_ERROR_DEVICE", "CAROM_ERROR_DEVICE"),
    # What waits, and for what.
    ("device", "    cuda_result result = cuda->context_wait();\n    if (result == 0 && bytes > 0) {",
     "    cuda_result result = 0;\n    if (result == 0 && bytes > 0) {"),
    ("device", "        result = result == 0 ? cuda->stream_wait(unit->transfers) : result;\n", ""),
    ("mirror", "    cuda_result result = worlds->device->unit->cuda->context_wait();\n",
     "    cuda_result result = 0;\n"),
    ("mirror", "return result == 0 && count > 0 ? cuda->stream_wait(stream) : result;", "return result;"),
    ("mirror", "carom_batch_leave(worlds, worlds->device->unit->cuda->context_wait(), ",
     "carom_batch_leave(worlds, 0, "),
    ("device", "cuda->event_record(unit->order, (cuda_stream *)earlier)",
     "cuda->event_record(unit->order, (cuda_stream *)later)"),
    ("device", "cuda->stream_wait_event((cuda_stream *)later, unit->order, 0)", "0"),
    ("queue", "    uint64_t blocks = (count",
     "    (void)worlds->device->unit->cuda->context_wait();\n    uint64_t blocks = (count"),
    ("queue", "    uint64_t blocks = (count",
     "    cuda_address more;\n    (void)worlds->device->unit->cuda->memory_take(&more, 16);\n"
     "    uint64_t blocks = (count"),
    ("programs", "        result = result == 0 ? warm(unit, entry) : result;\n", "        (void)warm;\n"),
    # Launches.
    ("queue", "1, 1, 0, (cuda_stream *)stream, parameters, NULL);", "1, 1, 0, NULL, parameters, NULL);"),
    ("queue", "(count - 1) / DEVICE_BLOCK + 1;", "(count - 1) / DEVICE_BLOCK;"),
    ("queue", "const uint64_t count = threads;", "const uint64_t count = threads - 1;"),
    ("queue", "void *parameters[] = {task};", "void *parameters[] = {&task};"),
    ("queue", "(unsigned)blocks, 1, 1, DEVICE_BLOCK,", "(unsigned)blocks, 1, 1, 1025,"),
    ("programs", "    while (found != NULL && strcmp(found->name, name) != 0) {\n        found = found->next;\n    }\n",
     "    found = NULL;\n"),
    # Errors.
    ("mirror", "    carom_device_leave(unit);\n    if (result == 0) {",
     "    carom_device_leave(unit);\n    if (true) {"),
    ("mirror", "    status = carom_device_upload(worlds, worlds->device->wrong, &wrong, sizeof wrong);\n", ""),
    ("mirror", "if (status != CAROM_OK || wrong == 0) {", "if (true) {"),
    ("play", "    carom_status status = refuse_recording(worlds, step);",
     "    (void)refuse_recording;\n    carom_status status = CAROM_OK;"),
    # The mirror.
    ("mirror", "worlds->data + tile * tile_bytes, batch->tiles + tile * tile_bytes", "worlds->data, batch->tiles"),
    ("mirror", "(first + count - 1) / lanes + 1 - tile;", "(first + count - 1) / lanes - tile;"),
    ("mirror", "(unsigned char *)(batch->seeds + first)", "(unsigned char *)(batch->seeds)"),
    ("mirror", "(unsigned char *)(batch->sums + first * players)", "(unsigned char *)(batch->sums)"),
    ("mirror", "    if ((parts & MIRROR_COUNTERS) != 0) {\n        sum_slots(worlds->device->mirror);\n    }\n", ""),
    ("mirror", "    if ((changed & MIRROR_COUNTERS) != 0) {\n        fill_slots(worlds->device->mirror);\n    }\n", ""),
    ("mirror", "k < ONE_SLOTS", "k < ONE_SLOTS / 2"),
    # Tasks.
    ("play", "parents != NULL ? parents->device->tiles : NULL", "NULL"),
    ("play", "{worlds->desc.count, target.batch, mask, ids, seeds, worlds->device->seeds}",
     "{worlds->desc.count, target.batch, mask, ids, seeds, worlds->seeds}"),
    ("rollout", "task->context = batch->context;", "task->context = roots->context;"),
    ("rollout", "r->finals->device->tiles", "r->finals->data"),
    ("rollout", "task->seed = roots->desc.seed;", ""),
    ("rollout", "task->lengths = lengths;", "task->lengths = NULL;"),
]


def is_seen(build: pathlib.Path) -> str:
    """How the tests see the fault; empty: they do not."""
    targets = [f"tests/device/libcuda/{test}" for test in TESTS]
    built = subprocess.run(["ninja", "-C", str(build), *targets], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        return "DOES NOT COMPILE: " + built.stdout[-600:]
    folder = build / "tests/device/libcuda"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "CAROM_FAKE_MODULES": str(folder / "index.txt"),
                   "CAROM_REQUIRE_DEVICE": "1"}
    for test in TESTS:
        try:
            run = subprocess.run([str(folder / test)], capture_output=True, text=True, errors="replace", check=False,
                                 env=environment, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"{test} hangs"
        if run.returncode != 0:
            lines = (run.stdout + run.stderr).splitlines()
            failed = [line.split("]")[1].strip() for line in lines if "FAILED  ]" in line]
            return f"{test}: " + (failed[0] if failed else f"exit status {run.returncode}")
    return ""


def main() -> int:
    """Try all faults, or those with the given numbers."""
    build = pathlib.Path(sys.argv[1]).resolve()
    numbers = [int(each) for each in sys.argv[2:]] or range(len(FAULTS))
    if is_seen(build):
        print("the tests fail without a fault")
        return 1
    unseen = 0
    for number in numbers:
        name, text, fault = FAULTS[number]
        path = ROOT / "kernel/device" / f"{name}.c"
        right = path.read_text(encoding="utf-8")
        if right.count(text) != 1:
            print(f"{number}: {name}.c has this text {right.count(text)} times: {text.strip()}")
            unseen += 1
            continue
        try:
            path.write_text(right.replace(text, fault), encoding="utf-8")
            seen = is_seen(build)
        finally:
            path.write_text(right, encoding="utf-8")
        unseen += seen == "" or seen.startswith("DOES NOT")
        print(f"{number} {name}.c: {seen or 'NOT SEEN: ' + fault.strip() + ' for ' + text.strip()}", flush=True)
    print(f"{unseen} of {len(numbers)} not seen")
    return unseen > 0


if __name__ == "__main__":
    sys.exit(main())
