# SPDX-License-Identifier: MIT
"""An exact, event-driven gas of hard disks in one box."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import known, output, taken, whole
from ._lab import BOXES, run_watched
from ._see import NOTEBOOK_BODIES
from ._structs import Array
from ._worlds import PRECISIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._lab import Frame


class Measures(NamedTuple):
    """Measures since the gas was made, or since `Gas.forget`."""

    time: float
    collisions: int
    sides: int
    crossings: int
    energy: float
    energy_drift: float
    momentum_x: float
    momentum_y: float
    momentum_drift: float
    compressibility: float
    compressibility_error: float
    fault: bool


class Gas:
    """Up to millions of equal hard disks in a square box.

    Units: diameter 1, mass 1, temperature 1 at the start. It starts on a lattice: run it until the lattice has melted,
    then call `forget()` before you measure. That takes 16 units of time up to packing 0.6, 32 up to 0.65, 64 up to
    0.68, about 100 at 0.69, and 1000 from 0.70 on, where the lattice melts slowly; large gases take longer.

    Args:
        bodies: how many disks, 1 to 2^26.
        packing: the share of the box that they cover; 0.7 fits for any number from 32 on.
        box: "periodic" or "solid".
        restitution: 0 to 1; below 1 the gas cools.

    """

    def __init__(
        self,
        bodies: int = 1000,
        packing: float = 0.5,
        *,
        box: str = "periodic",
        restitution: float = 1.0,
        seed: int = 1,
        precision: str = "f64",
        isa: str | None = None,
    ) -> None:
        known("box", box, BOXES)
        known("precision", precision, PRECISIONS)
        whole("bodies", bodies, 1, 1 << 26)
        whole("seed", seed)
        if not (math.isfinite(packing) and packing > 0):
            raise ValueError(f"packing: {packing} is not above 0")
        if not 0 <= restitution <= 1:
            raise ValueError(f"restitution: {restitution} is not in [0, 1]")
        self._made = (bodies, packing, BOXES.index(box), restitution, seed, PRECISIONS[precision], isa)
        try:
            self._handle = _carom.gas_create(*self._made)
        except ValueError:
            raise ValueError(
                f"bodies, packing: {bodies} disks do not fit into a {box} box at packing {packing}"
            ) from None

    @property
    def bodies(self) -> int:
        """How many disks."""
        return _carom.gas_describe(self._handle)[0]

    @property
    def isa(self) -> str:
        """The instruction set that it runs on."""
        return _carom.gas_describe(self._handle)[1]

    @property
    def side(self) -> float:
        """Of the box, in diameters."""
        return _carom.gas_describe(self._handle)[2]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes in total."""
        return _carom.gas_describe(self._handle)[4]

    def digest(self) -> int:
        """A hash of the state by disk, the same on every instruction set."""
        return _carom.gas_describe(self._handle)[3]

    def run(
        self,
        time: float,
        *,
        interval: float | None = None,
        sample: Callable[[Frame], object] | None = None,
        events: Callable[[Array], object] | None = None,
        window: float = math.inf,
    ) -> bool:
        """Runs for `time` >= 0 and calls watchers, as `Lab.run` does. They do not change the motion.

        KeyboardInterrupt, or an exception in a watcher, ends the run early, with the gas in a valid state at the time
        reached. So does a watcher that returns False; the result is then False.
        """
        return run_watched(self._handle, True, self.bodies, time, interval, sample, events, window)

    def forget(self) -> None:
        """Resets all measures."""
        _carom.gas_forget(self._handle)

    def measure(self) -> Measures:
        """Collisions, energy, compressibility and so on."""
        return Measures(*_carom.gas_measure(self._handle))

    def state(self, out: Any = None) -> Array:
        """Positions and velocities by disk, [4, disk]: x, y, vx, vy, float64."""
        array = output("out", out, (4, self.bodies), np.float64)
        _carom.gas_get(self._handle, array)
        return array

    def set_state(self, state: Any) -> None:
        """Sets positions and velocities, [4, disk], and clears the fault; ValueError if the state is impossible."""
        _carom.gas_set(self._handle, taken("state", state, (4, self.bodies), np.float64, written=False))

    @property
    def time(self) -> float:
        """The clock: time since the gas was made, or since `set_state`."""
        return _carom.gas_clock(self._handle)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the box."""
        return self.side, self.side

    @property
    def periodic(self) -> tuple[bool, bool]:
        """Along x and along y."""
        return (self._made[2] == 0,) * 2

    @property
    def radii(self) -> Array:
        """[disk]: 0.5 each."""
        return np.full(self.bodies, 0.5)

    @property
    def masses(self) -> Array:
        """[disk]: 1 each."""
        return np.ones(self.bodies)

    def unwrapped(self, out: Any = None) -> Array:
        """Unwrapped positions in a periodic box, [2, disk]."""
        array = output("out", out, (2, self.bodies), np.float64)
        _carom.gas_unwrapped(self._handle, array)
        return array

    def svg(self, *, width: int = 640, dark: bool = False, captions: bool = True) -> str:
        """A picture of the disks, coloured by psi6: the hue is its direction, and grey means no order."""
        return _carom.lab_svg(self._handle, True, width, dark, captions)

    def _repr_svg_(self) -> str | None:
        return self.svg() if self.bodies <= NOTEBOOK_BODIES else None

    def save(self) -> bytes:
        """The gas as bytes: arguments, state, clock and measures."""
        return _carom.gas_save(self._handle)

    @classmethod
    def restore(cls, save: bytes, *, isa: str | None = None) -> Gas:
        """The gas that was saved. It continues as the original would, bit for bit, on any instruction set."""
        bodies, packing, box, restitution, seed, precision = _carom.gas_saved(save)
        names = {number: name for name, number in PRECISIONS.items()}
        gas = cls(
            bodies, packing, box=BOXES[box], restitution=restitution, seed=seed, precision=names[precision], isa=isa
        )
        _carom.gas_load(gas._handle, save)
        return gas

    def copy(self) -> Gas:
        """A copy in the same state."""
        return Gas.restore(self.save(), isa=self.isa)

    def __copy__(self) -> Gas:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Gas:
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return Gas.restore, (self.save(),)

    def close(self) -> None:
        """Closes it; any later use raises an error."""
        self._handle.close()

    def __enter__(self) -> Gas:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
