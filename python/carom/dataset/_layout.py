# SPDX-License-Identifier: MIT
"""The layout of a data set: files, columns, and the manifest that describes them."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import _carom
from .._structs import Array
from .._worlds import Worlds
from ..recipe import digest

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:  # pragma: no cover - the test environment has it
    raise ImportError("carom.dataset needs pyarrow: pip install 'carom[dataset]'") from error

FORMAT = "carom dataset 1"
MANIFEST = "manifest.json"
FOOTER = b"carom"  # key of a block's entry in the footers of its files


class Column(NamedTuple):
    """A group of columns that form one array: `shape` numbers a row, with column k named `names[k]`."""

    names: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class Layout:
    """Columns of the transitions and games of given worlds."""

    transitions: Mapping[str, Column]
    games: Mapping[str, Column]
    numbers: tuple[Mapping[str, Any], ...]  # of an agent's observation: name, unit, low, high, scale

    @property
    def row_bytes(self) -> int:
        """Bytes of a transition."""
        return sum(math.prod(c.shape) * c.dtype.itemsize for c in self.transitions.values())

    def schema(self, part: str) -> pa.Schema:
        """The Arrow schema of "transitions" or "games". Columns of observations have their unit and scale as
        metadata.
        """
        units = {number["name"]: number for number in self.numbers}
        fields = []
        for group, column in getattr(self, part).items():
            for name in column.names:
                about = units.get(name.split(".", 2)[-1]) if "observation" in group else None
                meta = None if about is None else {k: json.dumps(about[k]) for k in ("unit", "scale")}
                kind = pa.from_numpy_dtype(column.dtype)
                fields.append(pa.field(name, kind, nullable=group in RESULTS, metadata=meta))
        return pa.schema(fields)


RESULTS = ("winner", "score", "return", "fault")  # null for a game that had not ended


def layout_of(worlds: Worlds) -> Layout:
    """The columns for these worlds."""
    game = worlds.game
    seen = game.observation_kinds[worlds._seen]
    agents, size = game.seen_shape(worlds._seen, worlds._observed)
    shown = [a for a in range(game.players * seen.agents) if not worlds._observed or worlds._observed >> a & 1]
    numbers = game.observations[seen.name]
    action = game.action_kinds[worlds._kind]
    rewarded = game.players * game.reward_kinds[worlds._rewarded].agents
    u8, i32, u32, u64 = (np.dtype(name) for name in ("u1", "i4", "u4", "u8"))
    f32, f64 = np.dtype("f4"), np.dtype("f8")

    def single(name: str, kind: np.dtype[Any]) -> Column:
        return Column((name,), (), kind)

    def observed(what: str) -> Column:
        names = tuple(f"{what}.{a}.{number.name}" for a in shown for number in numbers)
        return Column(names, (agents, size), f32)

    def each(what: str, count: int, kind: np.dtype[Any]) -> Column:
        return Column(tuple(f"{what}.{k}" for k in range(count)), (count,), kind)

    acts = tuple(f"action.{p}.{k}" for p in range(game.players) for k in range(action.size))
    return Layout(
        {
            "world": single("world", u64),
            "episode": single("episode", i32),
            "tick": single("tick", i32),
            "observation": observed("observation"),
            "action": Column(acts, (game.players, action.size), action.dtype),
            "reward": each("reward", rewarded, f32),
            "end": single("end", u8),
        },
        {
            "world": single("world", u64),
            "episode": single("episode", i32),
            "row": single("row", np.dtype("i8")),
            "ticks": single("ticks", u32),
            "end": single("end", u8),
            "winner": single("winner", i32),
            "score": each("score", game.players, i32),
            "return": each("return", game.players, f64),
            "fault": single("fault", u32),
            "final_observation": observed("final_observation"),
        },
        tuple(
            {k: v if not isinstance(v, float) or math.isfinite(v) else None for k, v in number._asdict().items()}
            for number in numbers
        ),
    )


# ---- files ----


@dataclass(frozen=True)
class Part:
    """A block in the manifest: its worlds, its numbers of rows and games, and digests as 16 hexadecimal digits.

    `digest` is that of the transitions, as in recipes: of observations, actions, rewards and ends. `rest` is the digest
    of everything else in the block's files.
    """

    index: int
    first: int
    count: int
    rows: int
    games: int
    digest: str
    rest: str


def name_of(part: str, index: int) -> Path:
    """The file of a block within the data set's folder."""
    return Path(part) / f"{index:06d}.parquet"


def read_part(folder: Path, index: int, mark: str) -> Part | None:
    """The description of a block from its files; None if one is missing, or belongs to another data set."""
    found = set()
    for part in ("games", "transitions"):
        try:
            footer = pq.read_metadata(folder / name_of(part, index)).metadata or {}
            about = json.loads(footer[FOOTER])
            if about.pop("data set") != mark:
                return None
            found.add(Part(**about))
        except (FileNotFoundError, KeyError, TypeError, ValueError, pa.ArrowInvalid):
            return None
    return found.pop() if len(found) == 1 else None


def unfinished(path: Path) -> Path:
    """The name of a file until it is complete, unique to this process among all machines."""
    return path.with_name(f"{path.name}.{socket.gethostname()}.{os.getpid()}.part")


def replace(path: Path, text: str) -> None:
    """Writes a text file, completely or not at all."""
    part = unfinished(path)
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


# ---- the manifest ----


def described(worlds: Worlds, layout: Layout, more: Mapping[str, Any]) -> dict[str, Any]:
    """The description of a data set: everything that its numbers depend on, and what they mean."""
    made = worlds._made
    scene = worlds._scene
    known = ("precision", "at_end", "players", "action_kind", "observation", "observed", "reward", "repeat", "seed",
             "first_id")  # fmt: skip
    left_out = (*known, "game", "isa", "threads", "affinity", "device", "check_actions")
    game = worlds.game
    found = {
        "format": FORMAT,
        "version": _carom.version(),
        "game": game.name,
        "path": game.path if scene is None else None,
        "scene": None if scene is None else json.loads(scene.to_json()),
        "options": {name: value for name, value in made.items() if name not in left_out},
        **{name: made[name] for name in known},
        "players": list(worlds.players),
        **more,
        "agents": game.observation_kinds[worlds._seen].agents,  # of a player
        "numbers": list(layout.numbers),
        "schema": {part: _columns(getattr(layout, part)) for part in ("transitions", "games")},
    }
    return dict(json.loads(as_text(found)))  # as it will be read


def _columns(columns: Mapping[str, Column]) -> dict[str, Any]:
    return {name: {"columns": c.names, "shape": c.shape, "dtype": c.dtype.name} for name, c in columns.items()}


def layout_from(description: Mapping[str, Any]) -> Layout:
    """The columns listed by a manifest."""
    transitions, games = (
        {name: Column(tuple(c["columns"]), tuple(c["shape"]), np.dtype(c["dtype"])) for name, c in columns.items()}
        for columns in (description["schema"]["transitions"], description["schema"]["games"])
    )
    return Layout(transitions, games, tuple(description["numbers"]))


def as_text(value: Any) -> str:
    """JSON text; arrays as lists."""
    return json.dumps(value, default=lambda found: np.asarray(found).tolist(), indent=1, allow_nan=False)


def mark_of(description: Mapping[str, Any]) -> str:
    """The mark that the files of a data set carry."""
    return hashlib.sha256(as_text(description).encode()).hexdigest()


def write_manifest(folder: Path, description: Mapping[str, Any], parts: Sequence[Part]) -> None:
    """Writes the manifest with the existing blocks."""
    total = sum(int(part.digest, 16) for part in parts) % 2**64
    blocks = re.sub(r"\n +(?=[^ {])", " ", as_text([asdict(part) for part in parts]))  # a line each
    rest = {
        "mark": mark_of(description),
        "rows": sum(part.rows for part in parts),
        "episodes": sum(part.games for part in parts),
        "digest": f"{total:016x}",
    }
    head = as_text({**description, **rest})
    replace(folder / MANIFEST, f'{head[:-2]},\n "blocks": {blocks}\n}}\n')


def read_manifest(folder: Path) -> tuple[dict[str, Any], list[Part]]:
    """The description of a data set, and its blocks."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise ValueError(f"format {found['format']!r}; this version reads {FORMAT!r}")
        parts = [Part(**part) for part in found.pop("blocks")]
        for name in ("rows", "episodes", "digest"):
            del found[name]
        if mark_of({k: v for k, v in found.items() if k != "mark"}) != found["mark"]:
            raise ValueError("its description has been changed")
    except FileNotFoundError:
        raise FileNotFoundError(f"{folder}: not a data set: it has no {MANIFEST}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder / MANIFEST}: not the manifest of a data set: {error}") from None
    return found, parts


def flat(array: Array) -> Array:
    """[row, ...] as [row, number]."""
    return array.reshape(len(array), -1)


# ---- digests ----


def digest_of(step: int, rows: Mapping[str, Array]) -> int:
    """The digest of the transitions of a step, as in recipes; digests of parts add up modulo 2^64."""
    arrays = (rows[name][None] for name in ("observation", "action", "reward", "end"))
    return digest(*arrays, ids=rows["world"], first_tick=step)


def rest_of(step: int, rows: Mapping[str, Array]) -> int:
    """The digest of the columns that a recipe does not cover."""
    return digest(np.column_stack([rows["episode"], rows["tick"]])[None], ids=rows["world"], first_tick=step)


def games_of(games: Mapping[str, Array]) -> int:
    """The digest of a block's games."""
    table = [np.ascontiguousarray(flat(games[name])).view(np.uint8) for name in games if name != "final_observation"]
    return digest(games["final_observation"][None], np.hstack(table)[None], ids=games["world"])
