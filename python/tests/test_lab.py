# SPDX-License-Identifier: MIT
"""Laboratories and gases that are watched, saved, copied and written to files."""

import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import carom


def mixture(**options: object) -> carom.Lab:
    radii = np.where(np.arange(200) % 4 == 0, 1.0, 0.5)
    return carom.Lab(radii=radii, masses=4 * radii**2, packing=0.6, aspect=2, vertical="solid", **options)


# ---- saves ----


@pytest.mark.parametrize("of", [lambda: carom.Gas(300, seed=5), lambda: carom.Lab(300, seed=5), mixture])
def test_copies_go_on_alike(of: object) -> None:
    lab = of()
    lab.run(8)
    others = [lab.copy(), copy.copy(lab), copy.deepcopy(lab), pickle.loads(pickle.dumps(lab))]
    lab.run(8)
    for other in others:
        assert other.time == 8
        other.run(8)
        assert other.digest() == lab.digest()
        assert np.array_equal(other.unwrapped(), lab.unwrapped())


def test_save_is_restored() -> None:
    gas = carom.Gas(300, 0.6, box="solid", restitution=0.9, seed=3, precision="f32")
    gas.run(4)
    save = gas.save()
    other = carom.Gas.restore(save, isa="scalar")
    assert (other.isa, other.bodies, other.digest()) == ("scalar", 300, gas.digest())
    assert other.measure() == gas.measure()
    with pytest.raises(ValueError, match="buffer"):
        carom.Gas.restore(save[:-1])
    lab = mixture()
    with pytest.raises(ValueError, match="buffer"):
        lab.load(save)


# ---- watching ----


def test_watching_changes_nothing() -> None:
    gas, alone = carom.Gas(300, box="solid"), carom.Gas(300, box="solid")
    frames: list[carom.Frame] = []
    pieces: list[np.ndarray] = []
    assert gas.run(12, interval=0.5, sample=frames.append, events=pieces.append)
    alone.run(12)
    assert gas.digest() == alone.digest()
    assert [f.time for f in frames] == [0.5 * k for k in range(1, 25)]
    assert np.array_equal(frames[-1].state, gas.state())

    events = np.concatenate(pieces)
    measures = alone.measure()
    assert (np.diff(events["time"]) >= 0).all()
    assert (events["kind"] == 0).sum() == measures.collisions
    assert (events["kind"] == 1).sum() == measures.sides > 0

    # The sides' impulses equal the change of momentum.
    given = [events["impulse_x"][events["kind"] == 1].sum(), events["impulse_y"][events["kind"] == 1].sum()]
    assert np.allclose(given, gas.state()[2:].sum(1), atol=1e-9)


def test_window_of_events() -> None:
    gas = carom.Gas(300)
    pieces: list[np.ndarray] = []
    gas.run(16, interval=4, events=pieces.append, window=0.25)
    times = np.concatenate(pieces)["time"]
    assert (times % 4 < 0.25).all()
    assert len(np.unique(times // 4)) == 4


def test_watchers_end_a_run() -> None:
    lab = mixture()
    assert lab.run(10, interval=0.5, sample=lambda frame: frame.step < 3) is False
    assert lab.time == 1.5

    def fails(frame: carom.Frame) -> None:
        raise KeyError(frame.step)

    with pytest.raises(KeyError, match="4"):
        lab.run(10, interval=0.5, sample=fails)
    assert lab.time == 2
    assert lab.run(1)
    with pytest.raises(ValueError, match="interval"):
        lab.run(1, sample=fails)
    with pytest.raises(ValueError, match="interval"):
        lab.run(1, sample=fails, interval=-1)


def test_a_watcher_may_not_touch_what_runs() -> None:
    gas = carom.Gas(300)
    with pytest.raises(RuntimeError):
        gas.run(8, interval=1, sample=lambda frame: gas.run(1))


def test_table_of_events() -> None:
    arrow = pytest.importorskip("pyarrow")
    pieces: list[np.ndarray] = []
    carom.Gas(300, box="solid").run(4, events=pieces.append)
    events = np.concatenate(pieces)
    table = carom.event_table(events)
    assert isinstance(table, arrow.Table)
    assert table.column_names == list(carom.LAB_EVENT.names)
    assert set(table["kind"].to_pylist()) == {"disk", "side"}
    assert np.array_equal(table["impulse_x"].to_numpy(), events["impulse_x"])


# ---- the laboratory ----


def test_what_a_lab_is() -> None:
    lab = mixture(field=(0, -0.1))
    assert lab.bodies == 200
    assert lab.periodic == (True, False)
    assert math.isclose(lab.size[0], 2 * lab.size[1])
    assert math.isclose((math.pi * lab.radii**2).sum() / math.prod(lab.size), 0.6)
    state = lab.state()
    assert math.isclose((lab.masses * (state[2:] ** 2).sum(0)).sum() / 2, 200)
    lab.run(2)
    assert lab.collisions > 200
    assert not lab.fault
    lab.set_state(state)
    assert lab.time == 0
    assert np.array_equal(lab.state(), state)
    assert carom.Lab(100, 0.4).size == (carom.Gas(100, 0.4).side,) * 2


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"radii": [1.0, 0.0]}, "radius 1: 0"),
        ({"radii": [1.0], "masses": [1.0, 2.0]}, "masses"),
        ({"start": "lattice", "aspect": 2}, "a lattice is for"),
        ({"packing": 0.95}, "packing: 0.95"),
        ({"start": "hot"}, "start: 'hot'"),
        ({"bodies": 5, "packing": 0.6, "aspect": 1.5}, "do not reach packing 0.6"),
    ],
)
def test_refused(options: dict[str, object], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        carom.Lab(**options)


@pytest.mark.parametrize("of", [lambda: carom.Gas(300, 0.7), mixture])
def test_pictures(of: object) -> None:
    lab = of()
    lab.run(4)
    text = lab.svg(width=320, dark=True)
    assert text.startswith("<svg")
    assert text.count("<circle") == lab.bodies
    assert 'width="320"' in text
    assert lab._repr_svg_().startswith("<svg")
    with pytest.raises(ValueError, match="width: 3; a picture needs an even number"):
        lab.svg(width=3)


# ---- trajectories ----


def frames_in(path: Path, lab: carom.Lab) -> list[carom.Frame]:
    frames: list[carom.Frame] = []
    with carom.Trajectory(path, lab) as file:
        lab.run(3, interval=1, sample=lambda frame: (file(frame), frames.append(frame)))
    return frames


def test_gsd(tmp_path: Path) -> None:
    hoomd = pytest.importorskip("gsd.hoomd")
    lab = mixture()
    lab.run(20)
    frames, size = frames_in(tmp_path / "a.gsd", lab), np.array(lab.size)
    with hoomd.open(str(tmp_path / "a.gsd")) as file:
        assert len(file) == 3
        for frame, read in zip(frames, file, strict=True):
            disks = read.particles
            assert read.configuration.dimensions == 2
            assert read.configuration.step == frame.step
            assert np.allclose(read.configuration.box[:2], size)
            assert np.allclose(disks.position[:, :2] + size / 2, frame.state[:2].T, atol=1e-5)
            assert np.allclose(
                disks.position[:, :2] + size / 2 + disks.image[:, :2] * size, frame.unwrapped.T, atol=1e-4
            )
            assert np.allclose(disks.velocity[:, :2], frame.state[2:].T, atol=1e-5)
            assert np.array_equal(disks.diameter, 2 * lab.radii)
            assert np.array_equal(disks.mass, lab.masses)
            assert abs(disks.image[:, 0]).max() > 0


@pytest.mark.parametrize("name", ["a.xyz", "a.dump"])
def test_texts_read_by_ase(tmp_path: Path, name: str) -> None:
    ase = pytest.importorskip("ase.io")
    lab = mixture()
    frames = frames_in(tmp_path / name, lab)
    read = ase.read(tmp_path / name, index=":", format="extxyz" if name == "a.xyz" else "lammps-dump-text")
    assert len(read) == 3
    for frame, atoms in zip(frames, read, strict=True):
        assert np.array_equal(atoms.positions[:, :2], frame.state[:2].T)
        assert np.allclose(np.diag(atoms.cell)[:2], lab.size)
        assert tuple(atoms.pbc[:2]) == (True, False)
        if name == "a.xyz":
            assert atoms.info["Time"] == frame.time
            assert np.array_equal(atoms.arrays["velo"][:, :2], frame.state[2:].T)
            assert np.array_equal(atoms.arrays["unwrapped"][:, :2], frame.unwrapped.T)
            assert np.array_equal(atoms.arrays["radius"], lab.radii)


def test_unknown_trajectory(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ends with none of"):
        carom.Trajectory(tmp_path / "a.txt", carom.Gas(300))
