# SPDX-License-Identifier: MIT
"""A laboratory: runs and watches one large system of disks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import known, output, taken, whole
from ._see import NOTEBOOK_BODIES
from ._structs import Array
from ._worlds import PRECISIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

BOXES = ("periodic", "solid")
STARTS = ("lattice", "grown")
KINDS = ("disk", "side", "wall", "polygon", "arc")

LAB_EVENT = np.dtype(
    [
        ("time", np.float64),
        ("x", np.float64),
        ("y", np.float64),
        ("impulse_x", np.float64),
        ("impulse_y", np.float64),
        ("first", np.uint32),
        ("second", np.uint32),
        ("kind", np.uint32),
        ("part", np.uint32),
    ]
)
"""An event: when and where `first` and `second` touch, and the impulse that the first gets. kind 0: the second is a
disk, 1: side 0 to 3 of a solid box (left, right, lower, upper)."""


class Frame(NamedTuple):
    """The system at one time, as passed to a watcher. The watcher may keep the arrays."""

    time: float
    """Of the clock."""
    step: int
    """time = step * interval"""
    state: Array
    """[4, disk]: x, y, vx, vy"""
    unwrapped: Array
    """[2, disk]: unwrapped positions in a periodic box"""


def event_table(events: Array) -> pa.Table:
    """Events as a table of Apache Arrow, with `kind` by name. Needs pyarrow."""
    import pyarrow as pa

    columns: dict[str, Any] = {name: np.ascontiguousarray(events[name]) for name in events.dtype.names or ()}
    kinds = pa.array(columns["kind"].astype(np.int32))
    columns["kind"] = pa.DictionaryArray.from_arrays(kinds, pa.array(KINDS))
    return pa.table(columns)


def run_watched(
    handle: _carom.Handle,
    of_gas: bool,
    bodies: int,
    time: float,
    interval: float | None,
    sample: Callable[[Frame], object] | None,
    events: Callable[[Array], object] | None,
    window: float,
) -> bool:
    """`Gas.run` and `Lab.run`."""
    if not (math.isfinite(time) and time >= 0):
        raise ValueError(f"time: {time} is not a time")
    if sample is not None and interval is None:
        raise ValueError("interval: required with sample")
    if interval is not None and not interval > 0:
        raise ValueError(f"interval: {interval} is not above 0")
    if not window > 0:
        raise ValueError(f"window: {window} is not above 0")

    def on_sample(at: float, index: int, rows: bytearray) -> object:
        numbers = np.frombuffer(rows, np.float64).reshape(6, bodies)
        return sample(Frame(at, index, numbers[:4], numbers[4:])) if sample is not None else True

    def on_events(rows: bytearray) -> object:
        return events(np.frombuffer(rows, LAB_EVENT)) if events is not None else True

    return _carom.lab_run(
        handle,
        of_gas,
        time,
        math.inf if interval is None else interval,
        None if sample is None else on_sample,
        0.0 if events is None else window,
        None if events is None else on_events,
    )


class Lab:
    """An exact, event-driven system of disks of any radii and masses in a box.

    Without radii, masses and a field, and in a square box with sides of one kind, it is a `Gas`; otherwise it is a
    scene of the deep engine, which runs in ticks. The temperature at the start is 1.

    Args:
        bodies: the number of disks; by default that of the radii.
        radii, masses: [disk]; 0.5 and 1 by default.
        packing: the share of the box that they cover.
        aspect: width / height of the box, 1/64 to 64.
        horizontal, vertical: "periodic" or "solid": left and right sides, lower and upper sides.
        restitution: 0 to 1, between two disks.
        field: (ax, ay), a constant acceleration of all disks.
        start: "lattice", for a gas only, or "grown": disks grow from random positions.
        growth: the growth rate of their mean radius, 1e-4 to 1: slower growth ends nearer to equilibrium.
        tick: for a scene, the length of its ticks.

    """

    def __init__(
        self,
        bodies: int | None = None,
        packing: float = 0.5,
        *,
        radii: Any = None,
        masses: Any = None,
        aspect: float = 1.0,
        horizontal: str = "periodic",
        vertical: str = "periodic",
        restitution: float = 1.0,
        field: tuple[float, float] = (0.0, 0.0),
        start: str = "grown",
        growth: float = 0.05,
        tick: float = 0.125,
        seed: int = 1,
        precision: str = "f64",
        isa: str | None = None,
    ) -> None:
        given = {"radii": radii, "masses": masses}
        arrays = {k: None if a is None else np.ascontiguousarray(a, np.float64) for k, a in given.items()}
        sizes = [a.shape for a in arrays.values() if a is not None]
        count = bodies if bodies is not None else sizes[0][0] if sizes and len(sizes[0]) == 1 else 1000
        whole("bodies", count, 1, 1 << 26)
        for name, array in arrays.items():
            if array is not None and array.shape != (count,):
                raise ValueError(f"{name}: shape {(count,)} is expected, not {array.shape}")
        known("start", start, STARTS)
        known("precision", precision, PRECISIONS)
        whole("seed", seed)
        self._made = (
            count,
            arrays["radii"],
            arrays["masses"],
            float(packing),
            float(aspect),
            BOXES.index(known("horizontal", horizontal, BOXES)),
            BOXES.index(known("vertical", vertical, BOXES)),
            float(restitution),
            float(field[0]),
            float(field[1]),
            STARTS.index(start),
            float(growth),
            float(tick),
            seed,
            PRECISIONS[precision],
            isa,
        )
        self._handle = _carom.lab_create(*self._made)

    def _describe(
        self,
    ) -> tuple[int, str, float, float, bool, bool, float, int, bool, tuple[float, float, float], bool]:
        return _carom.lab_describe(self._handle)

    @property
    def bodies(self) -> int:
        """How many disks."""
        return self._describe()[0]

    @property
    def isa(self) -> str:
        """The instruction set that it runs on."""
        return self._describe()[1]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the box."""
        return self._describe()[2:4]

    @property
    def periodic(self) -> tuple[bool, bool]:
        """Along x and along y."""
        return self._describe()[4:6]

    @property
    def time(self) -> float:
        """The clock; 0 at creation and after `set_state`."""
        return self._describe()[6]

    @property
    def collisions(self) -> int:
        """Impacts since the clock was 0."""
        return self._describe()[7]

    @property
    def fault(self) -> bool:
        """Has it stopped because time did not advance?"""
        return self._describe()[8]

    @property
    def radii(self) -> Array:
        """[disk]"""
        return np.frombuffer(_carom.lab_traits(self._handle)[0], np.float64)

    @property
    def masses(self) -> Array:
        """[disk]"""
        return np.frombuffer(_carom.lab_traits(self._handle)[1], np.float64)

    def digest(self) -> int:
        """A hash of the state by disk, the same on every instruction set."""
        return _carom.lab_digest(self._handle)

    def run(
        self,
        time: float,
        *,
        interval: float | None = None,
        sample: Callable[[Frame], object] | None = None,
        events: Callable[[Array], object] | None = None,
        window: float = math.inf,
    ) -> bool:
        """Runs for `time` >= 0 and calls watchers. They do not change the motion.

        KeyboardInterrupt, or an exception in a watcher, ends the run early, with the disks in a valid state at the time
        reached. So does a watcher that returns False; the result is then False.

        Args:
            interval: `sample` is called with a `Frame` at each multiple of it; for a scene it must be a multiple of its
                tick.
            events: called with arrays of `LAB_EVENT` in order of time.
            window: only events of the first `window` units of time of each interval.

        """
        return run_watched(self._handle, False, self.bodies, time, interval, sample, events, window)

    def state(self, out: Any = None) -> Array:
        """Positions and velocities by disk, [4, disk]: x, y, vx, vy, float64."""
        array = output("out", out, (4, self.bodies), np.float64)
        _carom.lab_get(self._handle, array)
        return array

    def set_state(self, state: Any) -> None:
        """Sets positions and velocities, [4, disk]; the clock starts at 0. ValueError if the state is impossible."""
        _carom.lab_set(self._handle, taken("state", state, (4, self.bodies), np.float64, written=False))

    def unwrapped(self, out: Any = None) -> Array:
        """Unwrapped positions in a periodic box, [2, disk]."""
        array = output("out", out, (2, self.bodies), np.float64)
        _carom.lab_unwrapped(self._handle, array)
        return array

    def svg(self, *, width: int = 640, dark: bool = False, captions: bool = True) -> str:
        """A picture of the disks, coloured by psi6: the hue is its direction, and grey means no order."""
        return _carom.lab_svg(self._handle, False, width, dark, captions)

    def _repr_svg_(self) -> str | None:
        return self.svg() if self.bodies <= NOTEBOOK_BODIES else None

    def save(self) -> bytes:
        """The state as bytes, complete: a load continues bit for bit."""
        return _carom.lab_save(self._handle)

    def load(self, save: bytes) -> None:
        """Continues as the saved one would, bit for bit, on any instruction set. Both must have been made with the same
        arguments.
        """
        _carom.lab_load(self._handle, save)

    def copy(self) -> Lab:
        """A copy in the same state. A scene first grows its disks again, which takes as long as before."""
        return _made_again(self._recipe(), self.save())

    def _recipe(self) -> tuple[Any, ...]:
        """The arguments for a copy. A gas need not grow again, since `load` replaces its start."""
        return (*self._made[:10], 0, *self._made[11:]) if self._describe()[10] else self._made

    def __copy__(self) -> Lab:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Lab:
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return _made_again, (self._recipe(), self.save())

    def close(self) -> None:
        """Closes it; any later use raises an error."""
        self._handle.close()

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _made_again(made: Any, save: bytes) -> Lab:
    lab = Lab.__new__(Lab)
    lab._made = made
    lab._handle = _carom.lab_create(*lab._made)
    lab.load(save)
    return lab
