# SPDX-License-Identifier: MIT
"""Data sets: written as they were played, read back to the bit, continued after kill -9, and turned into others'."""

from __future__ import annotations

import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom.blocks import BlockError
from carom.recipe import Recipe

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

import carom.dataset  # noqa: E402

SHORT = bool(os.environ.get("CAROM_TEST_SHORT"))
MADE: dict[str, Any] = {"players": ["race", "random"], "observation": "ego", "precision": "f32", "at_end": "reset"}


def races(**more: Any) -> carom.Worlds:
    return carom.Worlds("csb", seed=5, **{**MADE, "ticks": 60, **more})


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.*"))}


def same(one: Any, other: Any) -> bool:
    """Equal to the bit."""
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


# ---- files contain the steps played ----


def test_a_million_transitions_are_what_was_stepped(tmp_path: Path) -> None:
    """Three blocks of uneven size, against one batch that the library plays by its built-in policies."""
    count, ticks = 2500, 400
    worlds = races(observed=[0, 3], ticks=150, first_id=7)
    data = carom.dataset.write(worlds, tmp_path / "d", count=count, ticks=ticks, block=1000, threads=2)
    assert len(data) == count * ticks == 1_000_000
    assert data.complete
    assert data.verify() is None
    batch = carom.Worlds("csb", count, seed=5, first_id=7, **{**MADE, "observed": [0, 3], "ticks": 150})
    batch.bind(results=True)
    batch.observe()
    blocks = [data.block(k) for k in range(3)]
    at = [0, 1000, 2000, 2500]
    for tick in range(ticks):
        seen, acted = (
            batch.observations.copy(),
            np.stack([batch.policy(p)[:, k] for k, p in enumerate(MADE["players"])], 1),
        )
        episode, now = batch["episode"][:, 0], batch["tick"][:, 0]
        batch.step()
        over = batch.ends != 0
        after = np.where(over[:, None, None], batch.last_observations, batch.observations)
        ids = np.arange(7, 7 + count, dtype=np.uint64)
        expected = (seen, acted, batch.rewards, batch.ends, after, ids, episode, now)
        for k, block in enumerate(blocks):
            worlds_of, n = slice(at[k], at[k + 1]), at[k + 1] - at[k]
            rows = slice(tick * n, (tick + 1) * n)
            for name, found, wanted in zip(block._fields, block, expected, strict=True):
                assert same(found[rows], np.ascontiguousarray(wanted[worlds_of])), (tick, k, name)
    ended, at_the_end = sum((b.ends != 0).sum() for b in blocks), (batch.ends != 0).sum()
    assert data.games().num_rows == ended + count - at_the_end


def test_batches_for_numpy_torch_and_jax(tmp_path: Path) -> None:
    data = carom.dataset.write(races(), tmp_path / "d", count=70, ticks=90, block=32)
    all_of = [np.concatenate(parts) for parts in zip(*(data.block(k) for k in range(3)), strict=True)]
    plain = list(data.batches(1000))
    assert [len(b.ends) for b in plain] == [1000] * 6 + [300]
    assert len(list(data.batches(1000, drop_last=True))) == 6
    for name, parts, wanted in zip(carom.dataset.Batch._fields, zip(*plain, strict=True), all_of, strict=True):
        assert same(np.concatenate(parts), wanted), name
    shuffled = list(data.batches(1000, shuffle_seed=3))
    again, other = list(data.batches(1000, shuffle_seed=3)), next(data.batches(1000, shuffle_seed=4))
    assert all(same(a, b) for one, two in zip(shuffled, again, strict=True) for a, b in zip(one, two, strict=True))
    assert not same(shuffled[0].ticks, other.ticks)
    # Every transition is there once, with what belongs to it.
    mixed = [np.concatenate(parts) for parts in zip(*shuffled, strict=True)]
    old, new = (np.lexsort((rows[7], rows[6], rows[5])) for rows in (all_of, mixed))
    assert all(same(a[old], b[new]) for a, b in zip(all_of, mixed, strict=True))
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    for as_, kind in (("torch", torch.Tensor), ("jax", jax.Array)):
        for wanted, found in zip(shuffled, data.batches(1000, shuffle_seed=3, as_=as_), strict=True):
            for name, array, value in zip(found._fields, wanted, found, strict=True):
                assert isinstance(value, kind)
                assert np.array_equal(np.asarray(value), array), name
                assert name == "worlds" or same(np.asarray(value), array), name


def test_whole_games(tmp_path: Path) -> None:
    """Every world plays two games; games are those that a batch plays, and no row belongs to another."""
    count = 40
    data = carom.dataset.write(
        races(players=["race", "zero"]), tmp_path / "d", count=count, ticks=1000, games=2, block=25
    )
    assert data.verify() is None
    told = {(row["world"], row["episode"]): row for row in data.games().to_pylist()}
    assert len(told) == 2 * count
    games = {(g.world, g.episode): g for g in data.episodes()}
    assert len(data) == sum(len(g.rewards) for g in games.values())
    batch = carom.Worlds("csb", count, seed=5, **{**MADE, "players": ["race", "zero"], "ticks": 60}).bind(results=True)
    batch.observe()
    step = np.zeros(count, int)
    while (batch["episode"] < 2).any():
        episode, seen = batch["episode"][:, 0], batch.observations.copy()
        batch.step()
        for w in range(count):
            game = games.get((w, int(episode[w])))
            if game is None:
                assert episode[w] >= 2
                continue
            assert same(game.observations[step[w]], seen[w])
            assert same(game.rewards[step[w]], batch.rewards[w])
            step[w] += 1
            if batch.ends[w]:
                row, result = told[w, int(episode[w])], batch.results[w]
                assert len(game.rewards) == step[w] == row["ticks"] == result["ticks"]
                assert same(game.observations[step[w]], batch.last_observations[w])
                assert game.end == row["end"] == batch.ends[w]
                assert game.winner == row["winner"] == result["winner"]
                assert list(game.score) == [row["score.0"], row["score.1"]] == list(result["score"][:2])
                assert list(game.returns) == [row["return.0"], row["return.1"]] == list(result["returns"][:2])
                step[w] = 0


def test_games_that_the_end_cuts_off(tmp_path: Path) -> None:
    data = carom.dataset.write(races(), tmp_path / "d", count=3, ticks=70)
    rows = data.games().to_pylist()
    assert [row["end"] for row in rows] == [2, 2, 2, 0, 0, 0]
    assert all((row["winner"] is None) == (row["end"] == 0) for row in rows)
    assert [row["ticks"] for row in rows] == [60] * 3 + [10] * 3
    cut = [g for g in data.episodes() if g.end == 0]
    assert [len(g.rewards) for g in cut] == [10] * 3
    assert all(g.winner is None and g.observations.shape == (11, 4, 38) for g in cut)


def drives(seen: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """A custom policy with noise."""
    return np.tanh(seen[:, :1, :4] + generator.normal(0, 0.1, (len(seen), 1, 4))).astype(np.float32)


def test_a_policy_of_ones_own(tmp_path: Path) -> None:
    worlds = races(players=[None, "race"])
    data = carom.dataset.write(worlds, tmp_path / "a", count=20, ticks=50, policy=drives, label="v1", block=8)
    for index, block in enumerate(data.block(k) for k in range(3)):
        generator, n = np.random.default_rng([5, index]), len(np.unique(block.worlds))
        for tick in range(50):
            rows = slice(tick * n, (tick + 1) * n)
            assert same(block.actions[rows, :1], drives(block.observations[rows], generator))
    again = carom.dataset.write(worlds, tmp_path / "b", count=20, ticks=50, policy=drives, label="v1", block=8)
    assert files(again.path) == files(data.path)
    with pytest.raises(ValueError, match="label 'v1', not 'v2'"):
        carom.dataset.write(worlds, tmp_path / "a", count=20, ticks=50, policy=drives, label="v2", block=8)


def test_a_policy_cannot_change_what_is_recorded(tmp_path: Path) -> None:
    def careless(seen: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        seen *= 2
        return drives(seen, generator)

    with pytest.raises(BlockError, match="read-only"):
        carom.dataset.write(races(players=[None, "race"]), tmp_path / "d", count=2, ticks=5, policy=careless)


def test_a_job_says_nothing_about_a_machine() -> None:
    """Worlds that are bound to a processor can be sent to a machine that has other ones."""
    one = os.sched_getaffinity(0).pop()
    bound = races(affinity=[one], isa="scalar", threads=1)
    job = pickle.loads(pickle.dumps(carom.dataset.Write(bound, "d", ticks=5)))
    made = job.worlds._made
    assert (made["affinity"], made["isa"], made["threads"]) == (None, None, 0)
    assert job.description() == carom.dataset.Write(races(), "d", ticks=5).description()


@pytest.mark.parametrize("game", ["csb", "fantastic_bits", "soccer", "stones", "fall"])
def test_every_game_and_a_scene(game: str, tmp_path: Path) -> None:
    policy = carom.games[game].policies[-1]
    worlds = carom.Worlds(game, players=[policy] * carom.games[game].players, at_end="reset")
    data = carom.dataset.write(worlds, tmp_path / "d", count=5, ticks=30)
    assert data.verify() is None
    assert len(data) == 150
    assert (
        data.block(0).actions.dtype == carom.games[game].action_kinds[carom.games[game].kind_index("normalised")].dtype
    )


def test_a_scene(tmp_path: Path) -> None:
    scene = carom.Scene(
        [carom.Body(x=2, y=5, radius=0.5, acts=True, x_spread=1), carom.Body(x=7, y=5, mass=float("inf"))],
        box=((0, 0), (10, 10)), dt=0.1, last_tick=20,
    )  # fmt: skip
    worlds = scene.worlds(4, at_end="reset")
    data = carom.dataset.write(worlds, tmp_path / "d", ticks=50, policy=lambda seen, rng: rng.uniform(-1, 1, (4, 1, 2)))
    assert data.verify() is None
    assert carom.Scene.from_json(__import__("json").dumps(data.description["scene"])).worlds(1).game == scene.game


# ---- what others see ----


def test_columns_have_names_and_units(tmp_path: Path) -> None:
    data = carom.dataset.write(races(), tmp_path / "d", count=8, ticks=20)
    numbers = carom.games["csb"].observations["ego"]
    table = pq.read_table(tmp_path / "d" / "transitions")
    assert table.schema.remove_metadata() == data.schema
    assert table.num_columns == 3 + 4 * 38 + 2 * 4 + 2 + 1
    field = table.schema.field("observation.2." + numbers[0].name)
    assert field.metadata[b"unit"] == b'"' + numbers[0].unit.encode() + b'"'
    assert float(field.metadata[b"scale"]) == numbers[0].scale
    block = data.block(0)
    assert same(table["observation.2." + numbers[5].name].to_numpy(), np.ascontiguousarray(block.observations[:, 2, 5]))
    assert same(table["action.1.2"].to_numpy(), np.ascontiguousarray(block.actions[:, 1, 2]))
    about = data.description
    assert (about["game"], about["seed"], about["version"]) == ("csb", 5, carom.__version__)
    assert about["options"] == {"ticks": 60}
    assert about["numbers"][0] == {**numbers[0]._asdict()}


# ---- damage is detected ----


def test_one_changed_number_is_seen(tmp_path: Path) -> None:
    data = carom.dataset.write(races(), tmp_path / "d", count=24, ticks=40, block=8)
    block = data.block(1)
    path = tmp_path / "d" / "transitions" / "000001.parquet"
    whole = path.read_bytes()
    column = np.ascontiguousarray(block.observations[:, 3, 7])
    at = whole.index(column.tobytes()) + 4 * 123
    changed = bytearray(whole)
    changed[at] ^= 1
    path.write_bytes(changed)
    assert carom.dataset.Dataset(tmp_path / "d").verify() == (1, "transitions")
    ticks = np.ascontiguousarray(block.ticks)
    changed = bytearray(whole)
    changed[whole.index(ticks.tobytes()) + 40] ^= 1
    path.write_bytes(changed)
    assert data.verify() == (1, "rest")
    path.write_bytes(whole[:-9])
    assert data.verify() == (1, "files")
    path.unlink()
    assert data.verify() == (1, "files")
    path.write_bytes(whole)
    assert data.verify() is None
    games = tmp_path / "d" / "games" / "000002.parquet"
    table = pq.read_table(games)
    place = table.schema.get_field_index("ticks")
    ticks = pa.array(table["ticks"].to_numpy() ^ 1)
    pq.write_table(table.set_column(place, table.schema.field(place), ticks), games)
    assert data.verify() == (2, "rest")


@pytest.mark.filterwarnings("error")  # of numbers that overflow
def test_a_data_set_and_a_recipe_of_the_same(tmp_path: Path) -> None:
    """Digests are those of the recipe, although its blocks have other borders; a changed number names the recipe's
    block.
    """
    made = {"players": ["race", "ram"], "seed": 9, "precision": "f32", "observation": "ego", "ticks": 70}
    options = {"players": made["players"], "seed": 9, "precision": "f32", "observation": "ego"}
    recipe = Recipe("csb", worlds=50, blocks=7, action_kind="normalised", **made).make()
    worlds = carom.Worlds("csb", at_end="reset", **options)
    data = carom.dataset.write(worlds, tmp_path / "d", count=50, ticks=70, block=16)
    assert data.digest == sum(recipe.digests) % 2**64
    assert data.verify(recipe) is None
    other = recipe.filled({4: recipe.digests[4] ^ 1})
    assert data.verify(other) == (4, "recipe")
    with pytest.raises(ValueError, match="recipe: ticks is 70 in the data set, and 71 in the recipe"):
        data.verify(Recipe("csb", worlds=50, action_kind="normalised", **{**made, "ticks": 71}))
    with pytest.raises(ValueError, match="it has no digests yet"):
        data.verify(Recipe("csb", worlds=50, action_kind="normalised", **made))
    with pytest.raises(ValueError, match="the data set has other options or another scene"):
        data.verify(Recipe("csb", worlds=50, blocks=1, action_kind="normalised", options={"ticks": 60}, **made).make())


def test_a_scene_and_its_recipe(tmp_path: Path) -> None:
    def scene(radius: float) -> carom.Scene:
        return carom.Scene([carom.Body(x=2, y=5, vx=3, radius=radius)], box=((0, 0), (10, 10)), dt=0.1, last_tick=9)

    data = carom.dataset.write(
        scene(0.5).worlds(6, at_end="reset", players=["zero"]), tmp_path / "d", ticks=20, block=4
    )
    about = {name: data.description[name] for name in ("players", "action_kind", "observation", "reward", "precision")}
    assert data.verify(Recipe(scene(0.5), worlds=6, ticks=20, **about).make()) is None
    with pytest.raises(ValueError, match="the data set has other options or another scene"):
        data.verify(Recipe(scene(0.25), worlds=6, ticks=20, **about).make())


def test_files_of_another_data_set_are_not_taken(tmp_path: Path) -> None:
    for name, seed in (("d", 1), ("e", 2)):
        worlds = carom.Worlds("csb", seed=seed, **MADE)
        carom.dataset.write(worlds, tmp_path / name, count=6, ticks=20, block=3)
    expected = files(tmp_path / "e")
    (tmp_path / "d" / "manifest.json").unlink()
    carom.dataset.write(carom.Worlds("csb", seed=2, **MADE), tmp_path / "d", count=6, ticks=20, block=3)
    assert files(tmp_path / "d") == expected


def test_bad_arguments(tmp_path: Path) -> None:
    write = carom.dataset.write
    path = tmp_path / "d"
    for match, worlds, more in (
        ("ticks: 0", races(), {"ticks": 0}),
        ("games: 0", races(), {"ticks": 5, "games": 0}),
        ("block: -1", races(), {"ticks": 5, "block": -1}),
        ("at_end 'reset' is expected, not 'freeze'", races(at_end="freeze"), {"ticks": 5}),
        ("repeat 1 is expected", races(repeat=2), {"ticks": 5}),
        ("policy: one is expected", races(players=[None, "race"]), {"ticks": 5}),
        ("policy: none is expected", races(), {"ticks": 5, "policy": drives}),
    ):
        with pytest.raises(ValueError, match=match):
            write(worlds, path, **more)
    assert not path.exists()
    with pytest.raises(BlockError, match=r"block 0 .*shape \(3, 1, 4\) are expected, not \(3, 4\)"):
        write(races(players=[None, "race"]), path, count=3, ticks=5, policy=lambda seen, rng: np.zeros((3, 4)))
    assert not list(path.rglob("*.part*"))
    with pytest.raises(ValueError, match="it holds another data set: ticks 5, not 6"):
        write(races(players=[None, "race"]), path, count=3, ticks=6, policy=drives)
    with pytest.raises(FileNotFoundError, match="not a data set"):
        carom.dataset.Dataset(tmp_path / "nowhere")
    data = write(races(), tmp_path / "e", count=3, ticks=5)
    with pytest.raises(IndexError, match="block 99 is missing"):
        data.block(99)
    with pytest.raises(ValueError, match="as_: 'numpi' is unknown; there are numpy, torch, jax"):
        data.batches(3, as_="numpi")
    text = (tmp_path / "e" / "manifest.json").read_text()
    (tmp_path / "e" / "manifest.json").write_text(text.replace('"seed": 5', '"seed": 6'))
    with pytest.raises(ValueError, match="its description has been changed"):
        carom.dataset.Dataset(tmp_path / "e")


# ---- a full disk, kill -9, Ctrl-C ----


@pytest.mark.parametrize("share", [0, 0.5, 0.999])  # the last: all but the footer
def test_a_full_disk_leaves_no_halves(share: float, tmp_path: Path) -> None:
    """Files cannot grow beyond that share of their final size."""
    made = {"count": 100, "ticks": 20}
    data = carom.dataset.write(races(), tmp_path / "d", **made)  # and the manifest, which need not be written again
    room = int(share * (tmp_path / "d" / "transitions" / "000000.parquet").stat().st_size)
    (tmp_path / "d" / "games" / "000000.parquet").unlink()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        with pytest.raises(BlockError, match="too large"):
            carom.dataset.write(races(), data.path, **made)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(data.path.rglob("*.part"))
    assert carom.dataset.write(races(), data.path, **made).verify() is None


def test_a_file_that_cannot_be_closed_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Like a full network disk, which reports it at the end."""

    def fails(writer: pq.ParquetWriter) -> None:
        writer.is_open = False
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "close", fails)
    with pytest.raises(BlockError, match="No space left"):
        carom.dataset.write(races(), tmp_path / "d", count=3, ticks=5)
    assert [path.name for path in (tmp_path / "d").rglob("*.*")] == ["manifest.json"]


def test_what_killed_workers_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "d" / "games").mkdir(parents=True)
    left = [tmp_path / "d" / name for name in ("manifest.json.there.17.part", "games/000000.parquet.there.17.part")]
    for path in left:
        path.touch()
    carom.dataset.write(races(), tmp_path / "d", count=3, ticks=5)
    assert not any(path.exists() for path in left)


KILLED = """
import sys, carom, carom.dataset
w = carom.Worlds(
    "csb", seed=5, players=["race", "random"], observation="ego", precision="f32", at_end="reset", ticks=60
)
print("begun", flush=True)
try:
    carom.dataset.write(w, sys.argv[1], count=int(sys.argv[2]), ticks=60, block=500, threads=2)
except KeyboardInterrupt:
    sys.exit(3)
"""


def begun(folder: Path, count: int = 3000) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", KILLED, str(folder), str(count)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    return child


def there(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*.*") if path.suffix != ".part"]


def test_kill_9_at_random_moments(tmp_path: Path) -> None:
    """Files with their final names are complete and correct, and resuming gives the files of one run."""
    for name in ("cold", "one"):  # the first reads programs from the disk, which the others find in memory
        child, start = begun(tmp_path / name), time.monotonic()
        child.wait()
        lasted = time.monotonic() - start
    one = files(tmp_path / "one")
    assert len(one) == 1 + 2 * 6
    assert files(tmp_path / "cold") == one
    whole = carom.dataset.Dataset(tmp_path / "one")
    generator, within = random.Random(1), 0
    kills = 3 if SHORT else 20
    for kill in range(kills):
        folder = tmp_path / str(kill)
        child = begun(folder)
        time.sleep(generator.uniform(0, lasted))
        child.send_signal(signal.SIGKILL)
        child.wait()
        names = there(folder)
        within += 1 <= len(names) < len(one)
        for name in names:
            if name != "manifest.json":
                pq.ParquetFile(folder / name).read()
                assert (folder / name).read_bytes() == one[name], (kill, name)
        if "manifest.json" in names:
            part = carom.dataset.Dataset(folder)
            assert part.verify() is None
            assert set(part.parts) <= set(whole.parts)
            assert part.complete == (len(part.parts) == 6)
        begun(folder).wait()
        assert files(folder) == one
        assert carom.dataset.Dataset(folder).verify() is None
        for path in folder.rglob("*"):
            if path.is_file():
                path.unlink()
    assert within >= kills // 3, "the moments missed the run"


def test_ctrl_c_leaves_whole_blocks_and_nothing_else(tmp_path: Path) -> None:
    folder, count, blocks = tmp_path / "d", 10_000, 20
    child = begun(folder, count)
    deadline = time.monotonic() + 60
    while len(there(folder)) < 4 and time.monotonic() < deadline:
        time.sleep(0.005)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 3
    part = carom.dataset.Dataset(folder)
    assert 1 <= len(part.parts) < blocks
    assert not part.complete
    assert part.verify() is None
    assert len(files(folder)) <= 1 + 2 * len(part.parts) + 1
    assert not list(folder.rglob("*.part*"))
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")}
    begun(folder, count).wait()
    assert all(path.stat().st_mtime_ns == then for path, then in before.items() if path.parent.name == "transitions")
    assert carom.dataset.Dataset(folder).complete


# ---- Minari ----


@pytest.fixture
def minari(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return pytest.importorskip("minari")


def test_minari_from_a_data_set(minari: Any, tmp_path: Path) -> None:
    data = carom.dataset.write(races(players=["race", "ram"]), tmp_path / "d", count=4, ticks=150)
    carom.dataset.to_minari(data, "carom/csb-race-v0", player=1, author="nobody")
    loaded = minari.load_dataset("carom/csb-race-v0")
    games = list(data.episodes())
    assert loaded.total_episodes == len(games) == 12
    assert loaded.total_steps == len(data)
    for game, episode in zip(games, loaded.iterate_episodes(), strict=True):
        assert np.array_equal(episode.observations, game.observations[:, 2:].reshape(-1, 76))
        assert np.array_equal(episode.actions, game.actions[:, 1])
        assert np.array_equal(episode.rewards, game.rewards[:, 1])
        assert not episode.terminations[:-1].any()
        assert not episode.truncations[:-1].any()
        assert (episode.terminations[-1], episode.truncations[-1]) == (game.end == 1, game.end != 1)
    # The environment is the one that was played: the same start, the same actions, the same game.
    env = loaded.recover_environment()
    assert env.observation_space == loaded.observation_space
    assert env.action_space == loaded.action_space


@pytest.mark.parametrize("name", ["CodersStrikeBack", "FantasticBits", "Soccer", "Stones", "Fall", "Scene"])
def test_minari_from_any_environment(name: str, minari: Any) -> None:
    import gymnasium

    import carom.gymnasium

    env = gymnasium.make(f"Carom/{name}-v0", max_episode_steps=30)
    carom.dataset.to_minari(env, f"carom/{name.lower()}-v0", episodes=2, seed=3)
    loaded = minari.load_dataset(f"carom/{name.lower()}-v0")
    assert loaded.total_episodes == 2
    again = gymnasium.make(f"Carom/{name}-v0", max_episode_steps=30)
    for seed, episode in enumerate(loaded.iterate_episodes(), 3):
        seen, _ = again.reset(seed=seed)
        assert np.array_equal(seen, episode.observations[0])
        for step, action in enumerate(episode.actions):
            seen, reward, *_ = again.step(action)
            assert np.array_equal(seen, episode.observations[step + 1])
            assert reward == episode.rewards[step]


# ---- output of the commands ----


def command(*arguments: str | Path) -> str:
    return subprocess.run(
        [sys.executable, "-m", "carom", *map(str, arguments)], check=True, capture_output=True, text=True
    ).stdout


def test_impacts_of_the_command(tmp_path: Path) -> None:
    scene = carom.Scene([carom.Body(x=2, y=5, vx=3), carom.Body(x=6, y=5.5, vx=-2)], box=((0, 0), (10, 10)), dt=0.1)
    (tmp_path / "s.json").write_text(scene.to_json())
    command("run", tmp_path / "s.json", "--worlds", "2", "--ticks", "100", "--events", tmp_path / "e.csv")
    table = carom.dataset.from_events(tmp_path / "e.csv", parquet=tmp_path / "e.parquet")
    assert pq.read_table(tmp_path / "e.parquet").equals(table)
    played = scene.worlds(2).play(100, events=64).impacts()
    assert table.num_rows == len(played) > 10
    for name in ("tick", "world", "first", "second", "x", "y", "nx", "ny", "impulse"):
        assert np.array_equal(table[name].to_numpy(), played[name]), name
    assert set(table["kind"].to_pylist()) == {"body", "side"}
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"bad.csv: columns tick,world,"):
        carom.dataset.from_events(tmp_path / "bad.csv")
    (tmp_path / "e.csv").write_text((tmp_path / "e.csv").read_text() + "5,x,\n")
    with pytest.raises(ValueError, match=r"e.csv: not a list of impacts"):
        carom.dataset.from_events(tmp_path / "e.csv")


def test_replays(tmp_path: Path) -> None:
    worlds = carom.Worlds("csb", 3, seed=1, players=["race", "ram"])
    kept, acted = [worlds["x"]], []
    with worlds.recording(tmp_path / "r.carom"):
        for _ in range(20):
            acted.append(worlds.policy("race")[:, 0])
            worlds.step()
            kept.append(worlds["x"])
    table = carom.dataset.from_replay(tmp_path / "r.carom", parquet=tmp_path / "r.parquet")
    assert pq.read_table(tmp_path / "r.parquet").equals(table)
    assert table.num_rows == 21 * 3
    assert table["ticks"].to_pylist()[::3] == list(range(21))
    for k in range(4):
        assert same(table[f"x.{k}"].to_numpy(), np.concatenate(kept)[:, k].copy())
    assert table["action.0.0"].null_count == 3
    assert same(table["action.0.1"].slice(3).to_numpy(), np.concatenate(acted)[:, 1].copy())
    few = carom.dataset.from_replay(tmp_path / "r.carom", fields=["tick"])
    assert few["tick"].to_pylist() == few["ticks"].to_pylist()
    with pytest.raises(ValueError, match="field: 'z' is unknown"):
        carom.dataset.from_replay(tmp_path / "r.carom", fields=["z"])


def test_results_of_the_arena(tmp_path: Path) -> None:
    sides = ["--a", "carom:race", "--b", "carom:random"]
    one = command("arena", "csb", *sides, "--games", "4", "--json")
    two = command("arena", "csb", *sides, "--side", "carom:ram", "--games", "6", "--set", "ticks=50", "--json")
    tested = command("arena", "csb", *sides, "--sprt", "0", "400", "--protocol", "carom", "--json")
    (tmp_path / "a.jsonl").write_text(tested)
    found = carom.dataset.from_arena(tmp_path / "a.jsonl")
    assert (found.runs["accepted"].to_pylist(), found.runs["protocol"].to_pylist()) == ([400.0], ["carom"])
    (tmp_path / "a.jsonl").write_text(one + two)
    found = carom.dataset.from_arena(tmp_path / "a.jsonl", parquet=tmp_path / "arena")
    assert found.runs["games"].to_pylist() == [4, 6]
    assert found.runs["options"].to_pylist() == [None, "ticks=50"]
    assert found.sides["text"].to_pylist() == [f"carom:{n}" for n in ("race", "random", "race", "random", "ram")]
    assert found.runs["accepted"].to_pylist() == [None, None]
    sides_of = found.sides.to_pylist()
    assert all(side["rating_low"] < side["rating"] < side["rating_high"] for side in sides_of)
    assert found.pairings["run"].to_pylist() == [0, 1, 1, 1]
    row = found.pairings.to_pylist()[0]
    assert row["wins_a"] + row["wins_b"] + row["draws"] == row["games"] == 4
    assert row["wins_a"] == 4
    assert row["score_a"] == 1
    assert row["elo"] is None
    assert f'"digest": "{row["digest"]}"' in one
    assert pq.read_table(tmp_path / "arena" / "pairings.parquet").equals(found.pairings)
    (tmp_path / "a.jsonl").write_text(one + '{"command": "rollout"}\n')
    with pytest.raises(ValueError, match=r"a.jsonl:2: not a result of carom arena"):
        carom.dataset.from_arena(tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl").write_text(one + two.replace('"draws"', '"drawn"'))
    with pytest.raises(ValueError, match=r"a.jsonl:2: .*pairings have drawn, draws only in some lines"):
        carom.dataset.from_arena(tmp_path / "a.jsonl")
