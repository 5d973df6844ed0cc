# SPDX-License-Identifier: MIT
"""Devices: arrays in their memory, and streams.

All arrays of a batch are either in host memory (`HOST`) or on a device (a `Cuda`, one for each batch). Both classes
make arrays and accept the caller's, so that callers need not know which it is.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import aligned, output, taken, whole

if TYPE_CHECKING:
    from typing import Protocol

    import numpy.typing as npt

    from ._structs import Array

    class Place(Protocol):
        """Where the arrays of a batch are."""

        name: str
        number: int  # as carom_worlds_desc.device

        def zeros(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Any:
            """A new array of zeros."""

        def filled(self, values: Array) -> Any:
            """A new array with these values."""

        def taken(self, name: str, array: Any, shape: tuple[int, ...], dtype: npt.DTypeLike, *, written: bool) -> Any:
            """The caller's array, sharing its memory."""

        def output(self, name: str, array: Any, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Any:
            """The caller's array for a result, or a new one for None."""

        def raw(self, array: Any) -> Any:
            """An array as the extension takes it."""

        def stream(self, *arrays: Any) -> int:
            """The stream for a call with these arrays; 0 for this processor."""


CUDA, CUDA_MANAGED = 2, 13  # kinds of device in DLPack
LEGACY = 1  # the default stream, as DLPack names it; Carom and CUDA call it 0, too
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}  # of DLPack


class Device(NamedTuple):
    """A device: `name` is what `device=` takes ("cuda:0"); `memory` in bytes; `driver`: the newest CUDA it supports."""

    name: str
    model: str
    memory: int
    processors: int
    capability: tuple[int, int]
    driver: tuple[int, int]


def devices() -> list[Device]:
    """All devices on which batches can live. If there are none, `carom.Worlds(..., device="cuda")` says why."""
    found = []
    for index in range(_carom.device_count()[0]):
        _, model, memory, processors, major, minor, driver = _carom.device_describe(index)
        version = (driver // 1000, driver % 1000 // 10)
        found.append(Device(f"cuda:{index}", model, memory, processors, (major, minor), version))
    return found


class _Host:
    """The memory of this processor."""

    name = "cpu"
    number = 0

    zeros = staticmethod(aligned)
    taken = staticmethod(taken)
    output = staticmethod(output)

    def filled(self, values: Array) -> Array:
        array = aligned(values.shape, values.dtype)
        array[...] = values
        return array

    def raw(self, array: Any) -> Any:
        return array

    def stream(self, *arrays: Any) -> int:
        return 0


HOST: Place = _Host()


class DeviceArray:
    """An array in device memory, for other libraries: `torch.from_dlpack(array)`, `jax.dlpack.from_dlpack(array)`,
    `cupy.asarray(array)` share its memory.

    Later work of those libraries on the stream that they name waits for what Carom has queued.
    """  # fmt: skip

    __slots__ = ("_memory", "_place", "dtype", "shape", "strides")

    def __init__(
        self,
        place: Cuda,
        memory: _carom.Memory,
        shape: tuple[int, ...],
        dtype: npt.DTypeLike,
        strides: tuple[int, ...] | None = None,
    ) -> None:
        self._place, self._memory = place, memory
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self.strides = _contiguous(self.shape, self.dtype.itemsize) if strides is None else strides

    @property
    def device(self) -> str:
        """Such as `"cuda:0"`."""
        return self._place.name

    @property
    def size(self) -> int:
        """How many elements."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of its elements."""
        return self.size * self.dtype.itemsize

    @property
    def contiguous(self) -> bool:
        """Is it contiguous, in C order?"""
        return self.size == 0 or self.strides == _contiguous(self.shape, self.dtype.itemsize)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<DeviceArray {self.shape} {self.dtype} on {self.device}>"

    def __getitem__(self, name: str) -> DeviceArray:
        """A member of records, such as `worlds.results["winner"]`, sharing their memory."""
        if not isinstance(name, str):
            raise TypeError(
                "a member's name is expected; other indexing is up to a library: torch.from_dlpack(array)[...]"
            )
        if self.dtype.fields is None or name not in self.dtype.fields:
            raise KeyError(name)
        kind, offset = self.dtype.fields[name][:2]
        base, inner = kind.subdtype or (kind, ())
        _, total, _ = _carom.device_place(self._memory)
        memory = _carom.device_part(self._memory, offset, max(total - offset, 0))
        strides = self.strides + _contiguous(inner, base.itemsize)
        return DeviceArray(self._place, memory, self.shape + inner, base, strides)

    def numpy(self) -> Array:
        """A copy in host memory, made once the device has finished all queued work."""
        if not self.contiguous:
            raise ValueError(
                "numpy: members of records are not copied alone; take the records: results.numpy()['score']"
            )
        array = aligned(self.shape, self.dtype)
        _carom.device_read(self._memory, array.view(np.uint8) if array.dtype.fields else array)
        return array

    def set(self, values: Any) -> None:
        """Copies values from host memory, once the device has finished all queued work.

        Args:
            values: of the same shape, or broadcastable to it.

        """
        if not self.contiguous:
            raise ValueError("set: members of records cannot be set")
        array = aligned(self.shape, self.dtype)
        array[...] = values
        _carom.device_write(self._memory, array.view(np.uint8) if array.dtype.fields else array)

    def __dlpack_device__(self) -> tuple[int, int]:
        """(kDLCUDA, index)."""
        return CUDA, self._place.index

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule for `from_dlpack` of another library.

        Args:
            stream: the consumer's, whose later work waits for what Carom has queued. None or 1: the default stream; -1:
                do not wait.
            max_version: the newest DLPack version that the consumer supports.
            dl_device: (1, 0) for a copy in host memory; otherwise it must be the array's own device.
            copy: True for a copy.

        """
        if dl_device is not None and tuple(dl_device) == (1, 0) and copy is not False:
            return self.numpy().__dlpack__()
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"dl_device: {dl_device}; the array is on {self.__dlpack_device__()}")
        if self.dtype.kind not in _CODES:
            raise BufferError(f"records have no type in DLPack; take their members, such as array[{self._a_name()!r}]")
        if stream == 0:
            raise BufferError("stream: 0 has two meanings; 1 is the default stream, 2 that of the thread")
        if stream != -1:
            self._place.order(LEGACY if stream is None else stream)
        source = self
        if copy:
            source = self._place.filled(self.numpy())
        size = self.dtype.itemsize
        return _carom.device_lend(
            source._memory, self._place.index, _CODES[self.dtype.kind], 8 * size, self.shape,
            tuple(stride // size for stride in source.strides), max_version is not None and max_version[0] >= 1,
        )  # fmt: skip

    def _a_name(self) -> str:
        return next(iter(self.dtype.fields or {"": None}))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3, for Numba and other libraries without DLPack."""
        address, _, read_only = _carom.device_place(self._memory)
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr if self.dtype.fields else [("", self.dtype.str)],
            "data": (address, read_only),
            "strides": None if self.contiguous else self.strides,
            "stream": self._place.last or LEGACY,
        }


def _contiguous(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides = []
    for extent in reversed(shape):
        strides.append(itemsize)
        itemsize *= extent
    return tuple(reversed(strides))


class Cuda:
    """A device, for one batch. `last`: the stream on which the batch last queued work; `fixed`: the stream that the
    user set for all its work, if any.
    """  # fmt: skip

    def __init__(self, index: int) -> None:
        self.index = index
        self.name = f"cuda:{index}"
        self.number: int = _carom.device_describe(index)[0]
        self.last = 0
        self.fixed: int | None = None

    # ---- streams ----

    def stream(self, *arrays: Any) -> int:
        """Chooses the stream for the next call: the current one of the library that the arrays come from; else that of
        PyTorch or CuPy, if either is in use; else the default stream. It waits for what the batch has queued on
        another.
        """  # fmt: skip
        stream = self._current(arrays) if self.fixed is None else self.fixed
        self.turn_to(stream)
        return stream

    def turn_to(self, stream: int) -> None:
        """Queues the batch's next work on this stream, after what it has queued on another."""
        if stream != self.last:
            if not _captured():
                self.order(stream)
            self.last = stream

    def _current(self, arrays: tuple[Any, ...]) -> int:
        names = [type(array).__module__.partition(".")[0] for array in arrays if array is not None]
        for name in (*names, "torch", "cupy"):
            module = sys.modules.get(name)
            if module is None:
                continue
            if name == "torch" and module.cuda.is_initialized():
                return int(module.cuda.current_stream(self.index).cuda_stream)
            if name == "cupy":
                return int(module.cuda.get_current_stream(self.index).ptr)
        return 0

    def order(self, later: int) -> None:
        """Makes later work on stream `later` wait for the batch's."""
        if (self.last or LEGACY) != (later or LEGACY):
            _carom.device_order(self.number, self.last, later)

    # ---- arrays ----

    def zeros(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> DeviceArray:
        """A new array of zeros."""
        return self.filled(np.zeros(shape, dtype))

    def filled(self, values: Array) -> DeviceArray:
        """A new array with these values."""
        found = DeviceArray(self, _carom.device_allocate(self.number, values.nbytes), values.shape, values.dtype)
        if values.size:
            found.set(values)
        return found

    def taken(
        self, name: str, array: Any, shape: tuple[int, ...], dtype: npt.DTypeLike, *, written: bool
    ) -> DeviceArray:
        """The caller's array, sharing its memory: from PyTorch, CuPy or JAX on this device, or from Carom.

        Raises:
            TypeError: not such an array, on another device, or of another element type.
            ValueError: wrong shape or strides, or read-only memory for results.

        """
        found = array if isinstance(array, DeviceArray) else self._borrowed(name, array)
        kind = np.dtype(dtype)
        if found._place.number != self.number:
            raise TypeError(f"{name}: an array on {self.name} is expected, not one on {found.device}")
        if found.dtype != kind and not (kind == np.uint8 and found.dtype == np.bool_ and not written):
            raise TypeError(f"{name}: numbers of type {kind} are expected, not {found.dtype}")
        if found.shape != shape:
            raise ValueError(f"{name}: shape {shape} is expected, not {found.shape}")
        if not found.contiguous:
            raise ValueError(f"{name}: a contiguous array is expected; its strides are {found.strides}")
        if written and _carom.device_place(found._memory)[2]:
            raise ValueError(f"{name}: the array is read-only")
        return found

    def output(self, name: str, array: Any, shape: tuple[int, ...], dtype: npt.DTypeLike) -> DeviceArray:
        """The caller's array for a result, or a new one for None."""
        return self.zeros(shape, dtype) if array is None else self.taken(name, array, shape, dtype, written=True)

    def raw(self, array: Any) -> Any:
        """An array as the extension takes it."""
        return array._memory if isinstance(array, DeviceArray) else array

    def _borrowed(self, name: str, array: Any) -> DeviceArray:
        if not hasattr(array, "__dlpack__") or not hasattr(array, "__dlpack_device__"):
            raise TypeError(f"{name}: an array on {self.name} is expected, not {type(array).__name__}")
        kind, index = (int(number) for number in array.__dlpack_device__())
        if kind not in (CUDA, CUDA_MANAGED) or index != self.index:
            where = f"cuda:{index}" if kind in (CUDA, CUDA_MANAGED) else "cpu" if kind == 1 else f"device {kind}"
            raise TypeError(f"{name}: an array on {self.name} is expected, not one on {where}")
        stream = self.last or LEGACY
        try:
            capsule = array.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:  # a library from before DLPack 1
            capsule = array.__dlpack__(stream=stream)
        memory, _, (code, bits, lanes), shape, strides = _carom.device_borrow(capsule, self.number)
        names = {number: letter for letter, number in _CODES.items()}
        if lanes != 1 or code not in names or bits not in (8, 16, 32, 64):
            raise TypeError(f"{name}: elements of type {code} with {bits} bits of DLPack are not known here")
        dtype = np.dtype(np.bool_) if code == _CODES["b"] else np.dtype(f"{names[code]}{bits // 8}")
        steps = None if strides is None else tuple(step * dtype.itemsize for step in strides)
        return DeviceArray(self, memory, shape, dtype, steps)


def _captured() -> bool:
    """Is PyTorch capturing a graph? It waits for all work before a capture; during one nothing may wait for that
    work.
    """
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_initialized() and bool(torch.cuda.is_current_stream_capturing())


def on_device(array: Any) -> bool:
    """Is it an array in device memory rather than in host memory?"""
    if isinstance(array, DeviceArray):
        return True
    place = getattr(array, "__dlpack_device__", None)
    return place is not None and not isinstance(array, np.ndarray) and int(place()[0]) in (CUDA, CUDA_MANAGED)


def number_of_stream(stream: Any) -> int | None:
    """A stream as a number, from an int or a stream of PyTorch or CuPy; None stays None."""
    if stream is None:
        return None
    return whole("stream", getattr(stream, "cuda_stream", getattr(stream, "ptr", stream)))


def place_of(device: Any) -> Place:
    """The memory that `device=` names: None or "cpu", "cuda", "cuda:1", or a torch.device."""
    text = "cpu" if device is None else str(device)
    kind, colon, number = text.partition(":")
    if text == "cpu":
        return HOST
    if kind != "cuda" or (colon and not number.isdecimal()):
        raise ValueError(f"device: {device!r} is unknown; there are cpu, cuda, cuda:0, cuda:1, ...")
    count, reason = _carom.device_count()
    if count == 0:
        raise RuntimeError(f"device: {text!r}: {reason}")
    index = whole("device: cuda", int(number or 0), 0, count - 1)
    return Cuda(index)
