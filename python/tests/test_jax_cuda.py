# SPDX-License-Identifier: MIT
"""carom.jax for CUDA: the functions that XLA would call, called with device arrays, give the same as on this processor.

No JAX runs on the device here: the functions are called as XLA calls them, by structures of its interface.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
import pytest

from carom import _carom
from carom._device import Cuda, DeviceArray

jax = pytest.importorskip("jax")

U64, I64, I32, P = ctypes.c_uint64, ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p
KINDS = {"int32": 4, "uint8": 6, "uint32": 8, "float32": 11}  # of XLA


def structure(*members: tuple[str, Any]) -> Any:
    return type("structure", (ctypes.Structure,), {"_fields_": [("size", U64), ("extensions", P), *members]})


BUFFER = structure(("type", I32), ("data", P), ("rank", I64), ("dims", P))
LIST = structure(("count", I64), ("types", P), ("items", P))
ATTRIBUTES = structure(("count", I64), ("types", P), ("names", P), ("values", P))
VERSION = structure(("major", I32), ("minor", I32))
ERROR = structure(("message", ctypes.c_char_p), ("code", I32))
STREAM = structure(("context", P), ("stream", P))
MAKE_ERROR = ctypes.CFUNCTYPE(P, ctypes.POINTER(ERROR))
GIVE_STREAM = ctypes.CFUNCTYPE(P, ctypes.POINTER(STREAM))
API = structure(("version", VERSION), ("inside", P), ("error", MAKE_ERROR), ("others", P * 3), ("stream", GIVE_STREAM))
CALL = structure(("api", P), ("context", P), ("stage", I32), ("arguments", LIST), ("results", LIST),
                 ("attributes", ATTRIBUTES))  # fmt: skip


class Text(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char_p), ("length", U64)]


class Calls:
    """Imitates XLA towards a function that it calls."""

    def __init__(self) -> None:
        self.problem = ""
        self.streams = 0
        self.error = MAKE_ERROR(self._error)
        self.stream = GIVE_STREAM(self._stream)
        self.api = API(version=VERSION(major=0, minor=3), error=self.error, stream=self.stream)

    def _error(self, arguments: Any) -> int:
        self.problem = arguments.contents.message.decode()
        return 1

    def _stream(self, arguments: Any) -> None:
        assert arguments.contents.context == 99
        self.streams += 1
        arguments.contents.stream = 1  # the default stream

    def call(self, name: str, made: str, arguments: list[Any], results: list[Any]) -> None:
        ctypes.pythonapi.PyCapsule_GetPointer.restype = P
        ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        address = ctypes.pythonapi.PyCapsule_GetPointer(_carom.jax_target(name), None)
        keep: list[Any] = []

        def pointer(what: Any) -> int:
            keep.append(what)
            return ctypes.addressof(what)

        def listed(arrays: list[Any]) -> Any:
            items = []
            for array in arrays:
                data = _carom.device_place(array._memory)[0] if isinstance(array, DeviceArray) else array.ctypes.data
                dims = (I64 * len(array.shape))(*array.shape)
                kind = KINDS[str(array.dtype)]
                items.append(pointer(BUFFER(type=kind, data=data, rank=len(dims), dims=pointer(dims))))
            return LIST(count=len(items), items=pointer((P * len(items))(*items)))

        texts = [Text(text, len(text)) for text in (b"made", made.encode())]
        names, values = (pointer((P * 1)(pointer(text))) for text in texts)
        attributes = ATTRIBUTES(count=1, types=pointer((I32 * 1)(4)), names=names, values=values)
        frame = CALL(api=ctypes.addressof(self.api), context=99, stage=3, arguments=listed(arguments),
                     results=listed(results), attributes=attributes)  # fmt: skip
        self.problem = ""
        failed = ctypes.CFUNCTYPE(P, P)(address)(ctypes.addressof(frame))
        assert bool(failed) == bool(self.problem)


def test_targets_are_registered() -> None:
    import carom.jax

    assert carom.jax.Env
    for name in ("reset", "step", "reset_cuda", "step_cuda"):
        assert "capsule" in repr(_carom.jax_target(name))
    with pytest.raises(ValueError, match="no such target"):
        _carom.jax_target("stop")


def test_without_a_device_the_reason_is_told() -> None:
    import carom.jax

    if _carom.device_count()[0]:
        pytest.skip("there is a device")
    env, calls = carom.jax.Env("csb"), Calls()
    seeds = np.zeros((2, 1), np.uint32)
    results = [np.zeros((2, env.state_size), np.uint8), np.zeros((2, env._seen), np.float32)]
    calls.call("reset", env._text, [seeds], results)
    assert not calls.problem
    assert results[0].any()
    assert calls.streams == 0
    calls.call("reset_cuda", env._text, [seeds], results)
    assert "no device" in calls.problem
    assert calls.streams == 1


def test_the_same_bits_on_a_device() -> None:
    import carom.jax

    found, reason = _carom.device_count()
    if not found:
        assert os.environ.get("CAROM_REQUIRE_DEVICE") != "1", reason
        pytest.skip("there is no device")
    env, calls, place = (
        carom.jax.Env("csb", opponent="random", per="body", observation="ego", ticks=6),
        Calls(),
        Cuda(0),
    )
    n = 5
    rng = np.random.default_rng(1)

    def both(name: str, arguments: list[Any], results: list[Any]) -> list[Any]:
        calls.call(name, env._text, arguments, results)
        assert not calls.problem
        there = [place.filled(array) for array in results]
        calls.call(f"{name}_cuda", env._text, [place.filled(array) for array in arguments], there)
        assert not calls.problem
        for k, (mine, theirs) in enumerate(zip(results, there, strict=True)):
            assert np.array_equal(theirs.numpy(), mine), (name, k)
        return results

    state_shape = (n, env.state_size)
    state, _ = both("reset", [rng.integers(1 << 32, size=(n, 1), dtype=np.uint32)],
                    [np.zeros(state_shape, np.uint8), np.zeros((n, env._seen), np.float32)])  # fmt: skip
    ended = 0
    for _ in range(15):
        actions = rng.uniform(-1, 1, (n, env._acted)).astype(np.float32)
        shapes = [(state_shape, np.uint8), ((n, env._seen), np.float32), ((n, env._seen), np.float32),
                  ((n, env._gained), np.float32), ((n,), np.uint8), ((n, 3 + 2), np.int32)]  # fmt: skip
        state, *_, ends, _ = both("step", [state, actions], [np.zeros(*shape) for shape in shapes])
        ended += int(ends.any())
    assert ended == 2
    calls.call("step_cuda", env._text, [place.filled(state), place.zeros((n, 1), np.float32)],
               [place.zeros(*shape) for shape in shapes])  # fmt: skip
    assert calls.problem
