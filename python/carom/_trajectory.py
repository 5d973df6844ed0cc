# SPDX-License-Identifier: MIT
"""Trajectories of a gas or laboratory: GSD, extended XYZ, LAMMPS dumps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._gas import Gas
    from ._lab import Frame, Lab

FORMATS = {".gsd": "gsd", ".xyz": "xyz", ".extxyz": "xyz", ".dump": "lammps", ".lammpstrj": "lammps"}


class Trajectory:
    """A file of frames, filled by a run:

        with carom.Trajectory("path.gsd", gas) as path:
            gas.run(100, interval=1, sample=path)

    The suffix chooses the format: .gsd (HOOMD's, needs the package gsd; positions in f32, relative to the middle of the
    box), .xyz or .extxyz (extended XYZ), .dump or .lammpstrj (LAMMPS); the last two store exact numbers. All have
    positions in the box, unwrapped ones (GSD: as images), velocities, and radii or diameters. Disks lie in the plane z
    = 0.
    """

    def __init__(self, path: str | Path, of: Gas | Lab) -> None:
        suffix = Path(path).suffix
        if suffix not in FORMATS:
            raise ValueError(f"path: {str(path)!r} ends with none of {', '.join(FORMATS)}")
        self._format = FORMATS[suffix]
        self._radii, self._masses = of.radii, of.masses
        self._size, self._periodic = of.size, of.periodic
        self._file: Any
        if self._format == "gsd":
            import gsd.hoomd

            self._file = gsd.hoomd.open(str(path), "w")
        else:
            self._file = Path(path).open("w", encoding="ascii")  # noqa: SIM115

    def __call__(self, frame: Frame) -> None:
        """Writes a frame."""
        getattr(self, f"_write_{self._format}")(frame)

    def _write_gsd(self, frame: Frame) -> None:
        import gsd.hoomd

        size, kinds = np.array(self._size), np.unique(self._radii)
        made = gsd.hoomd.Frame()
        made.configuration.step = frame.step
        made.configuration.dimensions = 2
        made.configuration.box = [size[0], size[1], 0, 0, 0, 0]

        disks, flat = made.particles, np.zeros((len(self._radii), 1))
        disks.N = len(self._radii)
        disks.types = [f"D{k}" for k in range(len(kinds))] if len(kinds) <= 64 else ["D"]
        disks.typeid = np.searchsorted(kinds, self._radii) if len(kinds) <= 64 else None
        disks.position = np.hstack([frame.state[:2].T - size / 2, flat])
        disks.velocity = np.hstack([frame.state[2:].T, flat])
        disks.image = np.hstack([np.rint((frame.unwrapped - frame.state[:2]).T / size), flat]).astype(np.int32)
        disks.diameter = 2 * self._radii
        disks.mass = self._masses
        self._file.append(made)

    def _write_xyz(self, frame: Frame) -> None:
        (width, height), (x, y) = self._size, ("FT"[p] for p in self._periodic)
        self._file.write(
            f'{len(self._radii)}\nLattice="{width!r} 0 0 0 {height!r} 0 0 0 1" '
            "Properties=species:S:1:pos:R:3:unwrapped:R:2:velo:R:3:radius:R:1 "
            f'Time={frame.time!r} pbc="{x} {y} F"\n'
        )
        for a, b, vx, vy, ux, uy, radius in self._lines(frame):
            self._file.write(f"H {a!r} {b!r} 0 {ux!r} {uy!r} {vx!r} {vy!r} 0 {radius!r}\n")

    def _write_lammps(self, frame: Frame) -> None:
        (width, height), (x, y) = self._size, ("fp"[p] * 2 for p in self._periodic)
        self._file.write(
            f"ITEM: TIMESTEP\n{frame.step}\nITEM: TIME\n{frame.time!r}\n"
            f"ITEM: NUMBER OF ATOMS\n{len(self._radii)}\n"
            f"ITEM: BOX BOUNDS {x} {y} pp\n0 {width!r}\n0 {height!r}\n-0.5 0.5\n"
            "ITEM: ATOMS id type x y z xu yu vx vy vz radius\n"
        )
        for i, (a, b, vx, vy, ux, uy, radius) in enumerate(self._lines(frame), 1):
            self._file.write(f"{i} 1 {a!r} {b!r} 0 {ux!r} {uy!r} {vx!r} {vy!r} 0 {radius!r}\n")

    def _lines(self, frame: Frame) -> list[list[float]]:
        rows: list[list[float]] = np.vstack([frame.state, frame.unwrapped, self._radii]).T.tolist()
        return rows

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
