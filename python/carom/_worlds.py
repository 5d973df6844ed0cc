# SPDX-License-Identifier: MIT
"""Worlds: a batch of independent worlds of a game or a scene.

More than 800 lines, for it is one class, half of it what its users read.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from . import _carom
from ._arrays import known, output, taken, whole
from ._device import HOST, Cuda, number_of_stream, on_device, place_of
from ._games import Game, games, open_game, options_record
from ._options import Made, Options
from ._play import Played, Playing, played_inputs, played_outputs
from ._query import Asking, cast, nearest, within
from ._see import NOTEBOOK_BODIES, WIDTH, Recording, rgb_array
from ._structs import Array, dtype

if TYPE_CHECKING:
    from ._scene import Scene

PRECISIONS = {"f32": 32, "f64": 64}
THREADS = (1 << 32) - 1  # and SIZE: the largest numbers that the extension accepts
SIZE = (1 << 63) - 1
AT_END = ("play_on", "freeze", "reset")
ROLES = ("state", "parameter", "identity", "derived")
FAULTS = {1: "events", 2: "nan", 4: "range"}
RESULT = dtype("result")

# None: the caller gives `actions`. Or a player's text: "zero", a built-in policy, or a planner, "cem:1000".
Seat = str | None


class Field(NamedTuple):
    """A field of every world: `elements` numbers of type `dtype`.

    `role` is state, parameter, identity (not hashed) or derived (computed from the others, and cannot be set). The rest
    is its layout: see `Worlds.view`.
    """

    name: str
    dtype: np.dtype[Any]
    role: str
    elements: int
    number: int
    address: int
    strides: tuple[int, int, int]
    lanes: int


def fields_of(batch: _carom.Handle, precision: str) -> dict[str, Field]:
    """The fields of a batch by name."""
    real = np.dtype(np.float32 if precision == "f32" else np.float64)
    kinds = (real, np.dtype(np.int32), np.dtype(np.int16), np.dtype(np.int8))
    found = _carom.worlds_fields(batch)
    return {
        name: Field(name, kinds[kind], ROLES[role], count, index, at, strides, lanes)
        for index, (name, kind, role, count, _, at, strides, lanes) in enumerate(found)
    }


class Counters(NamedTuple):
    """Totals of a batch: world-ticks played, impacts, games that ended (other than by a fault), what `Game.counts`
    names, and faults.
    """  # fmt: skip

    ticks: int
    events: int
    games: int
    goals: int
    faults: int


class Faults(NamedTuple):
    """How many worlds have a fault now, and which kinds of faults."""

    worlds: int
    kinds: tuple[str, ...]


class _FieldMemory:
    """A field in place, for NumPy: arrays made of it keep it alive, and it keeps the batch alive."""

    def __init__(self, handle: _carom.Handle, field: Field, tiles: int) -> None:
        self.handle = handle
        self.__array_interface__ = {
            "version": 3,
            "data": (field.address, True),
            "typestr": field.dtype.str,
            "shape": (tiles, field.elements, field.lanes),
            "strides": field.strides,
        }


class Worlds:
    """A batch of `count` independent worlds of a game or scene.

    Args:
        game: a name ("csb"), a `Game`, a `Scene`, or the path of a scene ("pins.json") or of a plug-in game
            ("./air_hockey.so").
        count: how many worlds.
        seed: for all random numbers of the game.
        precision: "f32" or "f64" (default). In f64, published games match their referees bit for bit.
        device: where the worlds live: "cpu" (default), or a GPU, "cuda" or "cuda:1", in which case all arrays below are
            `DeviceArray`s on it; see docs/device.md. Results are the same bits.
        isa: an instruction set, such as "avx2"; None: the fastest. Results are the same bits.
        threads: the most threads for a call; 0: all that the machine has.
        affinity: the processors on which its calls run, by the system's numbers, such as [0, 2]; `threads` then
            defaults to their number. Each call restores the calling thread's affinity. Linux only.
        first_id: the id of world 0. A world's random numbers depend on the seed and its id, not on its index.
        at_end: what a world does when its game is over: "play_on", "freeze" or "reset".
        players: an entry for each player: None, the caller gives its `actions`; "zero"; a built-in policy's name; or a
            planner, "cem:1000" (`carom.Player`), which acts once a step. None: the caller gives all actions.
        opponent: short for `players`: the caller plays the first player, and this one all others.
        action_kind: how actions are read; see `Game.action_kinds`.
        observation: what is observed; see `Game.observation_kinds`. "ego": each body that players act with observes
            separately.
        observed: numbers of the agents that observe, in ascending order; None: all.
        reward: what is rewarded; see `Game.reward_kinds`.
        repeat: ticks of a step, during which its actions are held.
        check_actions: check every step's actions for NaN (and raise ValueError).
        options: options of the game by keyword, as in its C header (csb: rules, map_count, maps, laps; ...).

    Actions and results of `step` are arrays that are made once and then updated in place, 64-byte aligned:

        actions            [world, player, number]   of the players whose actions the caller gives
        observations       [world, agent, number]    float32, after the step (and after a reset)
        last_observations  the same; written where a game ended in the step: how it ended, before the reset
        rewards            [world, agent]            float32, the sum over the step's ticks
        ends               [world]                   uint8: 0 running, 1 terminated, 2 truncated (also by a fault)
        results            [world]                   records of type carom.RESULT, written where a game ended: winner,
                                                     ticks, score, fault (1 events, 2 nan, 4 range), returns; recorded
                                                     from the first time they are read

    Agents are players or, for some kinds of observations and rewards, the bodies that they act with: with n bodies a
    player, agent p * n + i is body i of player p.

    Only one call at a time may use a batch: a second thread gets a RuntimeError. Calls release the interpreter's lock.

    """

    def __init__(
        self,
        game: str | os.PathLike[str] | Game | Scene,
        count: int = 1,
        *,
        seed: int = 0,
        precision: str = "f64",
        device: Any = None,
        isa: str | None = None,
        threads: int = 0,
        affinity: Sequence[int] | None = None,
        first_id: int = 0,
        at_end: str = "play_on",
        players: Sequence[Seat] | None = None,
        opponent: str | None = None,
        action_kind: str = "normalised",
        observation: str = "raw",
        observed: Sequence[int] | None = None,
        reward: str = "game",
        repeat: int = 1,
        check_actions: bool = False,
        **options: Unpack[Options],
    ) -> None:
        keep: list[Array] = []
        self._scene: Scene | None = None
        scene_handle: _carom.Handle | None = None
        game = opened(game)
        if isinstance(game, Game):
            self.game = game
        else:
            self._scene = game
            self.game, scene_handle = game.game, game._handle
        if opponent is not None:
            if players is not None:
                raise ValueError("opponent, players: one of the two is expected")
            players = (None, *(opponent,) * (self.game.players - 1))
        known("precision", precision, PRECISIONS)
        known("at_end", at_end, AT_END)
        filled = options_record(self.game, options, keep)
        self._place = place_of(device)
        if check_actions and self._place is not HOST:
            raise NotImplementedError("check_actions: not for actions on a device")
        self._made = {
            "game": game,
            "seed": whole("seed", seed),
            "precision": precision,
            "device": self._place.name,
            "isa": isa,
            "threads": whole("threads", threads, 0, THREADS),
            "first_id": whole("first_id", first_id),
            "at_end": at_end,
            "players": None if players is None else tuple(players),
            "action_kind": action_kind,
            "observation": observation,
            "observed": None if observed is None else tuple(observed),
            "reward": reward,
            "repeat": repeat,
            "check_actions": check_actions,
            **options,
        }
        self.players = self._players(players)
        self._kind = self.game.kind_index(action_kind)
        self._seen = self.game.observation_index(observation)
        self._rewarded = self.game.reward_index(reward)
        self._observed = self.game.observed_bits(self._seen, observed)
        self._repeat = whole("repeat", repeat, 1, SIZE)
        if isa is not None:
            known("isa", isa, _carom.info()["isas"])
        self._affinity = None if affinity is None else tuple(whole("affinity", p, 0, THREADS) for p in affinity)
        if self._affinity is not None and not self._affinity:
            raise ValueError("affinity: no processor is listed")
        self._made["affinity"] = self._affinity
        processors = None if self._affinity is None else np.array(self._affinity, np.uintc)
        self._create = (
            self.game._address, filled, whole("count", count, 1, SIZE), PRECISIONS[precision], isa,
            self._made["threads"], processors, self._made["seed"], self._made["first_id"], AT_END.index(at_end),
            scene_handle, self._place.number,
        )  # fmt: skip
        self._keep = keep  # what `filled` points to
        self._handle: _carom.Handle = _carom.worlds_create(*self._create, False)
        self._planners: dict[tuple[int, str], _carom.Handle] = {}  # by player and text
        self._codes(self.players)  # creates the batch's planners; refuses invalid players
        self._count = int(count)
        self._check = check_actions
        self._fields: dict[str, Field] | None = None
        self._arrays: dict[str, Array] = {}
        self._step: _carom.Step | None = None
        self._given: Any = None  # actions of a queued step

    # ---- properties ----

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        where = "" if self._place is HOST else f" {self.device}"
        return f"<Worlds {self.game.name} count={self._count} {self.precision} seed={self.seed}{where}>"

    @property
    def precision(self) -> str:
        """`"f32"` or `"f64"`."""
        return str(self._made["precision"])

    @property
    def device(self) -> str:
        """Where the worlds live: `"cpu"`, `"cuda:0"`, ..."""
        return self._place.name

    @property
    def stream(self) -> int | None:
        """The device's stream for all calls, as a number; None (default): the current one.

        That is the current stream of PyTorch or CuPy if they are in use, else the device's default stream. Set it to a
        number, or to a stream of theirs.
        """
        return self._place.fixed if isinstance(self._place, Cuda) else None

    @stream.setter
    def stream(self, stream: Any) -> None:
        if not isinstance(self._place, Cuda):
            raise ValueError("stream: the worlds are on this processor")
        self._place.fixed = number_of_stream(stream)

    @property
    def seed(self) -> int:
        """The seed; `load` replaces it by the saved one."""
        return _carom.worlds_describe(self._handle)[4]

    @property
    def isa(self) -> str:
        """The instruction set that it runs on."""
        return _carom.worlds_describe(self._handle)[2]

    @property
    def threads(self) -> int:
        """The most threads for a call."""
        return _carom.worlds_describe(self._handle)[3]

    @property
    def affinity(self) -> tuple[int, ...] | None:
        """The processors on which its calls run; None: wherever the calling thread may."""
        return self._affinity

    @property
    def nbytes(self) -> int:
        """Bytes that the library has allocated for it."""
        return int(_carom.worlds_create(*self._create, True))

    @property
    def at_end(self) -> str:
        """What a world does when its game is over."""
        return str(self._made["at_end"])

    @property
    def action_kind(self) -> str:
        """How actions are read."""
        return self.game.action_kinds[self._kind].name

    def close(self) -> None:
        """Closes it; any later use raises an error. Its memory is freed once no view of it is left."""
        self._handle.close()
        self._step = None

    def __enter__(self) -> Worlds:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---- playing ----

    def _players(self, players: Sequence[Seat] | None) -> tuple[Seat, ...]:
        if players is None:
            return (None,) * self.game.players
        if isinstance(players, str) or len(players) != self.game.players:
            raise ValueError(f"players: an entry for each of {self.game.players} players is expected, not {players!r}")
        for name in players:
            if name is not None and name != "zero" and name not in self.game.policies:
                _carom.player_check(self.game._address, name)  # refuses invalid players
        return tuple(players)

    def _codes(self, players: tuple[Seat, ...], own: Mapping[int, tuple[int, Array]] | None = None) -> tuple[Any, ...]:
        """The players as arguments of the extension's steps: see python/src/play.c."""

        def code(seat: int, name: Seat) -> Any:
            if name is None:
                return (own or {}).get(seat)
            if name == "zero":
                return -1
            if name in self.game.policies:
                return self.game.policy_index(name)
            return self._planner(seat, name)

        return tuple(code(seat, name) for seat, name in enumerate(players))

    def _planner(self, seat: int, text: str) -> _carom.Handle:
        """A planner; it is kept, with its plans."""
        if (seat, text) not in self._planners:
            self._planners[seat, text] = _carom.player_create(self._handle, seat, text)
        return self._planners[seat, text]

    def _forget(self) -> None:
        """Resets planners, after all worlds have changed at once."""
        for planner in self._planners.values():
            _carom.player_forget(planner)

    def _shapes(
        self, players: tuple[Seat, ...], kind: int, own: Collection[int] = ()
    ) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
        g, given = self.game, sum(p is None and k not in own for k, p in enumerate(players))
        seen = g.seen_shape(self._seen, self._observed)
        f32 = np.dtype(np.float32)
        return {
            "actions": ((self._count, given, g.action_kinds[kind].size), g.action_kinds[kind].dtype),
            "observations": ((self._count, *seen), f32),
            "last_observations": ((self._count, *seen), f32),
            "rewards": ((self._count, g.players * g.reward_kinds[self._rewarded].agents), f32),
            "ends": ((self._count,), np.dtype(np.uint8)),
            "results": ((self._count,), RESULT),
            "skip": ((self._count,), np.dtype(np.uint8)),
        }

    def _array(self, name: str) -> Array:
        if name not in self._arrays:
            self._arrays[name] = self._place.zeros(*self._shapes(self.players, self._kind)[name])
        return self._arrays[name]

    @property
    def actions(self) -> Array:
        """[world, player, number]: the actions of the next step, for the players whose actions the caller gives."""
        return self._array("actions")

    @property
    def observations(self) -> Array:
        """[world, agent, number], float32."""
        return self._array("observations")

    @property
    def last_observations(self) -> Array:
        """[world, agent, number], float32; written where a game has ended: its last state."""
        return self._array("last_observations")

    @property
    def rewards(self) -> Array:
        """[world, agent], float32."""
        return self._array("rewards")

    @property
    def ends(self) -> Array:
        """[world], uint8: 1 where a game was decided in the step, 2 where its ticks ran out, else 0."""
        return self._array("ends")

    @property
    def results(self) -> Array:
        """[world], records of type carom.RESULT: how each world's last game ended, the same for every game.

        Winner (-1: a draw, or no game has ended yet), ticks, and the score and return of each player, with room for
        four. Recording starts the first time you read this, or with `bind(results=True)`.
        """
        if "results" not in self._arrays:
            self.bind(results=True)
        return self._arrays["results"]

    def bind(self, **arrays: Any) -> Worlds:
        """Lets steps read and write arrays of the caller's: actions, observations, last_observations, rewards, ends,
        results, skip.

        `skip` [world], uint8: worlds where it is not 0 are not played. Arrays are held, never copied. For an output,
        None turns it off at no cost, and True makes an array.
        """
        shapes = self._shapes(self.players, self._kind)
        found = dict(self._arrays)
        for name, array in arrays.items():
            shape, kind = shapes[known("array", name, shapes)]
            if array is None:
                if name == "actions":
                    raise ValueError("actions: an array is expected; use `players` for players that do not act")
                found[name] = np.empty(0, kind)
            elif array is True:
                values = np.zeros(shape, kind)
                if name == "results":
                    values["winner"] = -1
                found[name] = self._place.filled(values)
            else:
                self._place.stream(array)
                found[name] = self._place.taken(name, array, shape, kind, written=name not in ("actions", "skip"))
        self._arrays = found
        self._step = None
        return self

    def _made_step(
        self, arrays: tuple[Array | None, ...], *, ticks: int = 1, kind: int, players: tuple[Seat, ...],
        dt: float = 0.0, action_rows: int = 0, capacity: int = 0, first: int = 0, count: int = 0, at_end: int = -1,
        repeat: int, own: Mapping[int, tuple[int, Array]] | None = None, seen: int | None = None,
        observed: int | None = None, seen_rows: int = 0,
    ) -> _carom.Step:  # fmt: skip
        seen = self._seen if seen is None else seen
        observed = self._observed if observed is None else observed
        if self._place is not HOST:
            arrays = tuple(map(self._place.raw, arrays))
            own = {player: (index, self._place.raw(array)) for player, (index, array) in (own or {}).items()}
        return _carom.step(
            self._handle, self.game._address, ticks, kind, dt, self._codes(players, own), action_rows, capacity,
            self._check, first, count, repeat, at_end, seen, self._rewarded, observed, seen_rows, arrays,
        )  # fmt: skip

    def _bound(self) -> _carom.Step:
        actions, *outputs = (
            array if array.size or name == "actions" else None
            for name in ("actions", "observations", "last_observations", "rewards", "ends")
            for array in (self._array(name),)
        )
        skip, results = (a if a is not None and a.size else None for a in map(self._arrays.get, ("skip", "results")))
        arrays = (actions, None, skip, None, *outputs, None, None, None, results, None)
        self._step = self._made_step(arrays, kind=self._kind, players=self.players, repeat=self._repeat)
        return self._step

    def step(self, actions: Any = None) -> None:
        """Plays one tick: reads `actions`, writes observations, last_observations, rewards and ends in place.

        Args:
            actions: [world, player, number], or broadcastable to it; copied into `self.actions` first. On a device: an
                array on it of exactly this shape, which is read in place and must not change until the step is done.
                The step is queued on the current stream.

        """
        if self._place is not HOST:
            self._queue_step(actions)
            return
        if actions is not None:
            np.copyto(self.actions, actions)
        (self._step or self._bound()).play()

    def _queue_step(self, actions: Any) -> None:
        stream = self._place.stream(actions)
        step = self._step or self._bound()
        if actions is None or actions is self._arrays.get("actions"):
            step.play_on(stream, None)
            return
        shape, kind = self._shapes(self.players, self._kind)["actions"]
        given = self._place.taken("actions", actions, shape, kind, written=False)
        step.play_on(stream, self._place.raw(given))
        self._given = given  # keep them alive: on another stream the step may not have begun

    def wait(self) -> None:
        """Waits until the device has finished all queued work, and raises its errors."""
        _carom.worlds_wait(self._handle)

    def play(
        self,
        ticks: int = 1,
        *,
        actions: Any = None,
        players: Sequence[Seat] | None = None,
        action_kind: str | None = None,
        own: Mapping[int, tuple[str, Any]] | None = None,
        dt: float = 0.0,
        repeat: int | None = None,
        rows: Any = None,
        skip: Any = None,
        first: int = 0,
        count: int | None = None,
        at_end: str | None = None,
        observations: Any = False,
        last_observations: Any = False,
        places: Any = None,
        rewards: Any = False,
        ends: Any = False,
        results: Any = False,
        events: int = 0,
        contacts: Any = False,
        moved: Any = False,
    ) -> Played:
        """Plays `ticks` steps in one call and writes the requested outputs: True for a new array, or an array.

        Args:
            ticks: how many steps; one is one tick, unless `repeat` says more.
            actions: [step, row, player, number], of the players whose actions are given; None: all numbers are 0.
            players: as in the constructor, whose entries are the default.
            action_kind, repeat, at_end: as in the constructor.
            own: {player: (kind, actions)}: players with a different kind of action, [step, row, number]. `actions` then
                leaves them out.
            dt: length of a tick, for scenes; 0: the scene's.
            rows: [world], uint32: world w acts as row rows[w] of the actions; None: as row w.
            skip: [world], uint8: worlds where it is not 0 are not played.
            first, count: the worlds to play, which [world] means here; None: all from `first` on.
            observations, last_observations, rewards, ends, results: outputs, [step, world, ...].
            places: [world], uint32, all different: the observations of world w go to row places[w] of their arrays,
                which may have more rows. None: row w.
            events: record up to this many impacts of each tick and world; `Played.impacts` lists them.
            contacts: [step, world, events], `carom.CONTACT`: point, normal, impulse, centres and velocities.
            moved: [step, world, body, 4], float64: x, y, vx, vy after the motion, before the end-of-tick rules.

        KeyboardInterrupt stops a long call; worlds have then played different numbers of complete steps.

        """
        step, found = self._asked(
            ticks, actions=actions, players=players, action_kind=action_kind, own=own, dt=dt, repeat=repeat, rows=rows,
            skip=skip, first=first, count=count, at_end=at_end, observations=observations,
            last_observations=last_observations, places=places, rewards=rewards, ends=ends, results=results,
            events=events, contacts=contacts, moved=moved,
        )  # fmt: skip
        if step is None:
            return found
        if self._place is HOST:
            step.play()
        else:
            step.play_on(self._place.stream(), None)
        return found

    def expand(self, parents: Worlds, ticks: int = 1, *, worlds: Any = None, **playing: Unpack[Playing]) -> Played:
        """Copies worlds and plays them in one call, for tree search.

        World w becomes a copy of world worlds[w] of `parents`, keeps its own id and seed, and then plays as in `play`.

        Args:
            parents: another batch with the same game, options and precision; it does not change.
            ticks: as in `play`.
            worlds: [world], whole numbers (on a device: int64): the parent of each world; None: world w copies world w.
                As in `play`, [world] counts the worlds selected by `first` and `count`.
            playing: as in `play`.

        """
        for name in playing:
            known("argument", name, Playing.__annotations__)
        step, found = self._asked(ticks, **playing)
        if step is not None:
            n = self._range(playing.get("first", 0), playing.get("count"))
            if self._place is not HOST:
                listed = None if worlds is None else self._place.taken("worlds", worlds, (n,), np.int64, written=False)
                step.expand(parents._handle, self._place.raw(listed), self._place.stream())
                return found
            chosen = None if worlds is None else indices("worlds", worlds, len(parents))
            if chosen is not None and len(chosen) != n:
                raise ValueError(f"worlds: {n} entries are expected, not {len(chosen)}")
            step.expand(parents._handle, chosen, 0)
        return found

    def _asked(self, ticks: int, **playing: Unpack[Playing]) -> tuple[_carom.Step | None, Played]:
        """A prepared call of `play`, and the arrays that it will fill. None instead of a call if no world is
        selected.
        """
        given = playing.get("players")
        who = self.players if given is None else self._players(given)
        named = playing.get("action_kind")
        kind = self._kind if named is None else self.game.kind_index(named)
        ticks, events = whole("ticks", ticks, 1, SIZE), whole("events", playing.get("events", 0), 0, SIZE)
        often = playing.get("repeat")
        repeat = self._repeat if often is None else whole("repeat", often, 1, SIZE)
        first = playing.get("first", 0)
        n = self._range(first, playing.get("count"))
        apart = self._own(who, playing.get("own") or {})
        self._place.stream(playing.get("actions"), *(array for _, array in apart.values()))
        shapes = self._shapes(who, kind, apart)
        inputs = played_inputs(self._place, self.game, shapes, ticks, n, apart, playing)
        outputs, seen_rows = played_outputs(self._place, self.game, shapes, ticks, n, events, inputs.places, playing)
        end = playing.get("at_end")
        code = -1 if end is None else AT_END.index(known("at_end", end, AT_END))
        if n == 0:  # the library reads a count of 0 as all worlds
            return None, Played(*outputs)
        step = self._made_step(
            (inputs.actions, inputs.rows, inputs.skip, inputs.places, *outputs), ticks=ticks, kind=kind, players=who,
            dt=playing.get("dt", 0.0), action_rows=inputs.action_rows, capacity=events, first=first, count=n,
            at_end=code, repeat=repeat, own=apart, seen_rows=seen_rows,
        )  # fmt: skip
        return step, Played(*outputs)

    def _own(self, players: tuple[Seat, ...], own: Mapping[int, tuple[str, Any]]) -> dict[int, tuple[int, Any]]:
        for player in own:
            if not 0 <= player < len(players) or players[player] is not None:
                raise ValueError(f"own: player {player} is not one whose actions are given")
        return {player: (self.game.kind_index(kind), actions) for player, (kind, actions) in own.items()}

    def observe(self, out: Any = None, *, observation: str | None = None) -> Array:
        """Observations of the current state, [world, agent, number], into `out` or `self.observations`.

        Args:
            out: an array for them.
            observation: another kind of observation than the batch's, for all agents; into `out` or a new array.

        """
        if observation is None and out is None and self.observations.size:
            step = self._step or self._bound()
            if self._place is HOST:
                step.observe()
            else:
                step.observe_on(self._place.stream())
            return self.observations
        shape, kind = self._shapes(self.players, self._kind)["observations"]
        seen, observed = self._seen, self._observed
        if observation is not None:
            seen, observed = self.game.observation_index(observation), 0
            shape = (self._count, *self.game.seen_shape(seen, 0))
        stream = self._place.stream(out)
        array: Array = self._place.output("out", out, shape, kind)
        arrays = (None,) * 4 + (array,) + (None,) * 8
        step = self._made_step(arrays, kind=self._kind, players=self.players, repeat=1, seen=seen, observed=observed)
        if self._place is HOST:
            step.observe()
        else:
            step.observe_on(stream)
        return array

    def policy(self, name: str, *, action_kind: str | None = None, out: Any = None) -> Array:
        """Actions [world, player, number] that a built-in policy would play, for all players."""
        index = self.game.policy_index(name)
        kind = self._kind if action_kind is None else self.game.kind_index(action_kind)
        numbers = self.game.action_kinds[kind]
        array = output("out", out, (self._count, self.game.players, numbers.size), numbers.dtype)
        _carom.worlds_policy(self._handle, index, kind, array, array.nbytes)
        return array

    def reset(self) -> None:
        """Resets all worlds to the start of their first game, ids to first_id + index, and counters to zero."""
        _carom.worlds_reset(self._handle)
        self._forget()

    def restart(self, mask: Any = None, *, ids: Any = None, seeds: Any = None) -> None:
        """Starts a new game in worlds whose mask is not 0; None: in all.

        Args:
            mask: [world], bool or uint8.
            ids, seeds: [world], new ids and seeds for those worlds, or one number for all. A world that gets either
                starts with episode 0, others with their next episode.

        On a device all three may be arrays on it (ids and seeds uint64 or int64): the restart is then queued on the
        current stream. Otherwise the call waits for the device.

        """
        if self._place is not HOST and any(on_device(array) for array in (mask, ids, seeds)):
            self._queue_restart(mask, ids, seeds)
            return

        def column(name: str, values: Any, kind: Any) -> Array | None:
            if values is None:
                return None
            array = np.asarray(values)
            if array.dtype.kind not in "iub" or (array.dtype.kind == "i" and array.size and array.min() < 0):
                raise TypeError(f"{name}: whole numbers from 0 on are expected")
            return np.ascontiguousarray(np.broadcast_to(array, (self._count,)).astype(kind))

        chosen = None if mask is None else taken_mask(mask, self._count)
        _carom.worlds_restart(self._handle, chosen, column("ids", ids, np.uint64), column("seeds", seeds, np.uint64))
        if mask is None:
            self._forget()

    def _queue_restart(self, mask: Any, ids: Any, seeds: Any) -> None:
        stream = self._place.stream(mask, ids, seeds)

        def there(name: str, array: Any, *kinds: str) -> Any:
            if array is None:
                return None
            kind = next((kind for kind in kinds if str(getattr(array, "dtype", "")).endswith(kind)), kinds[0])
            return self._place.raw(self._place.taken(name, array, (self._count,), kind, written=False))

        whole_numbers = ("uint64", "int64")  # torch has little use for the former
        found = (there("mask", mask, "uint8"), there("ids", ids, *whole_numbers), there("seeds", seeds, *whole_numbers))
        _carom.worlds_restart_queued(self._handle, *found, stream)

    def reseed(self, seed: int) -> None:
        """Sets the batch's seed, which all worlds use from now on; games continue."""
        _carom.worlds_reseed(self._handle, whole("seed", seed))

    def seeds(self) -> Array:
        """Each world's seed, [world], uint64."""
        array = output("seeds", None, (self._count,), np.uint64)
        _carom.worlds_seeds(self._handle, array)
        return array

    # ---- fields ----

    @property
    def fields(self) -> Mapping[str, Field]:
        """Fields by name: id, episode, tick, end, fault, frozen, then the game's own."""
        if self._fields is None:
            self._fields = fields_of(self._handle, self.precision)
        return self._fields

    def _field(self, name: str) -> Field:
        return self.fields[known(f"field of {self.game.name}", name, self.fields)]

    def _range(self, first: int, count: int | None) -> int:
        n = self._count - first if count is None else count
        if not (0 <= first <= self._count and 0 <= n <= self._count - first):
            raise IndexError(f"worlds {first} to {first + n} of {self._count}")
        return n

    def view(self, name: str) -> Array:
        """A read-only view of a field, [tile, element, lane], without a copy: world w is tile w // 16, lane w % 16.

        It changes as the batch plays. The deep engine's tiles have one lane; in other batches the last lanes may be
        unused.
        """
        field = self._field(name)
        if self._place is not HOST:
            raise NotImplementedError("view: the worlds are on a device; get() copies a field")
        _carom.worlds_describe(self._handle)  # refuses a closed batch
        return np.asarray(_FieldMemory(self._handle, field, -(-self._count // field.lanes)))

    def get(self, name: str, *, first: int = 0, count: int | None = None, out: Any = None) -> Array:
        """A copy of a field, [world, element]."""
        field, n = self._field(name), self._range(first, count)
        array = output("out", out, (n, field.elements), field.dtype)
        _carom.worlds_get(self._handle, field.number, first, n, array)
        return array

    def set(self, name: str, values: Any, *, first: int = 0, count: int | None = None) -> None:
        """Sets a field from [world, element], or an array broadcastable to it; all or nothing.

        ValueError if the game does not allow a value.
        """
        field, n = self._field(name), self._range(first, count)
        array = np.ascontiguousarray(np.broadcast_to(np.asarray(values), (n, field.elements)))
        if not np.can_cast(array.dtype, field.dtype, "same_kind"):
            exact = array.astype(field.dtype)
            if not np.array_equal(exact, array):
                raise TypeError(f"field {name}: numbers of type {field.dtype} are expected, not {array.dtype}")
        cast = array.astype(field.dtype, copy=False)
        if field.dtype.kind == "i" and not np.array_equal(cast, array):
            raise ValueError(f"field {name}: a number does not fit into {field.dtype}")
        _carom.worlds_set(self._handle, field.number, first, n, cast)

    def __getitem__(self, name: str) -> Array:
        return self.get(name)

    def __setitem__(self, name: str, values: Any) -> None:
        self.set(name, values)

    def __contains__(self, name: object) -> bool:
        return name in self.fields

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def record(self, world: int) -> bytes:
        """A complete world as a value, for any batch of the same game, options and precision."""
        self._world(world)
        return _carom.worlds_get_world(self._handle, world)

    def records(self, worlds: Any = None, *, out: Any = None) -> Array:
        """Records of worlds [n] (None: all), [n, byte], uint8."""
        chosen = indices("worlds", np.arange(self._count) if worlds is None else worlds, self._count)
        array = output("out", out, (len(chosen), _carom.worlds_record_size(self._handle)), np.uint8)
        _carom.worlds_get_records(self._handle, chosen, len(chosen), array)
        return array

    def put_records(self, records: Any, worlds: Any = None) -> None:
        """Sets worlds [n] (None: all) from records [n, byte], all or nothing."""
        chosen = indices("worlds", np.arange(self._count) if worlds is None else worlds, self._count)
        shape = (len(chosen), _carom.worlds_record_size(self._handle))
        array = taken("records", records, shape, np.uint8, written=False)
        _carom.worlds_set_records(self._handle, chosen, len(chosen), array)

    def put(self, world: int, record: bytes) -> None:
        """Sets `world` from a record."""
        self._world(world)
        _carom.worlds_set_world(self._handle, world, record)

    def _world(self, world: int) -> None:
        if not 0 <= world < self._count:
            raise IndexError(f"world {world} of {self._count}")

    # ---- copy and fork ----

    def _like(self, count: int, **changes: Any) -> Worlds:
        made = {**self._made, "seed": self.seed, **changes}
        if changes.get("opponent") is not None:
            made["players"] = changes.get("players")
        return Worlds(made.pop("game"), count, **made)

    def copy(self) -> Worlds:
        """An independent copy in the same state, including counters."""
        twin = self._like(self._count)
        twin.load(self.save())
        return twin

    def __copy__(self) -> Worlds:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Worlds:
        return self.copy()

    def to(self, device: Any) -> Worlds:
        """The batch on a device ("cuda") or this processor ("cpu"): itself if it is already there, else a copy of its
        state.

        Counters are copied, too; arrays are not.
        """
        if place_of(device).name == self.device:
            return self
        twin = self._like(self._count, device=device)
        twin.load(self.save())
        return twin

    def fork(self, count: int, world: int = 0, **changes: Unpack[Made]) -> Worlds:
        """A new batch of `count` worlds, each in the state of `world` but with its own id.

        Args:
            changes: keywords of the constructor that differ (threads, players, ...).

        """
        self._world(world)
        twin = self._like(count, **changes)
        twin.fork_from(self, world)
        return twin

    def copy_from(self, source: Worlds, *, to: Any = None, worlds: Any = None) -> None:
        """World to[i] becomes world worlds[i] of `source`, id included; None: 0, 1, ...

        All worlds are read before any is written: `w.copy_from(w, worlds=order)` permutes the worlds of a batch.
        """
        lists: list[Array | None] = []
        for name, given, batch in (("to", to, self), ("worlds", worlds, source)):
            if given is None:
                lists.append(None)
                continue
            lists.append(indices(name, given, len(batch)))
        given_to, given_from = lists
        lengths = {len(i) for i in lists if i is not None}
        if len(lengths) > 1:
            raise ValueError("to and worlds: as many entries are expected in both")
        n = lengths.pop() if lengths else min(len(self), len(source))
        if n > (len(self) if given_to is None else n) or n > (len(source) if given_from is None else n):
            raise IndexError("copy_from: more worlds than there are")
        handle = source._handle
        plain = np.arange(n)
        ends = (plain if given_to is None else given_to, plain if given_from is None else given_from)
        if handle is self._handle and np.intersect1d(*ends).size:
            between = self._like(n, seed=self._made["seed"], device="cpu")
            between.play(skip=np.ones(n, np.uint8), results=True)  # makes room for the sums of rewards
            _carom.worlds_copy(between._handle, None, handle, given_from, n)
            handle, given_from = between._handle, None
        _carom.worlds_copy(self._handle, given_to, handle, given_from, n)

    def fork_from(self, source: Worlds, world: int = 0, *, first: int = 0, count: int | None = None) -> None:
        """Worlds [first, first + count) become copies of `world` of `source`, and keep their ids."""
        source._world(world)
        _carom.worlds_fork(self._handle, first, self._range(first, count), source._handle, world)

    # ---- hash, save, load ----

    def hashes(self, out: Any = None) -> Array:
        """A 64-bit hash of each world's state and parameters, without its id, [world], uint64."""
        array = output("out", out, (self._count,), np.uint64)
        _carom.worlds_hash(self._handle, array)
        return array

    def digest(self) -> int:
        """One number for all worlds; those of parts add up (modulo 2^64) to that of the whole."""
        return _carom.worlds_digest(self._handle)

    def save(self) -> bytes:
        """The batch as bytes, the same on every machine, without planners' plans."""
        return _carom.worlds_save(self._handle)

    def load(self, saved: Any) -> None:
        """Loads a save of a batch of the same game, options, precision and count."""
        _carom.worlds_load(self._handle, saved)
        self._forget()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickled, (self._made, self._count, self.save()))

    # ---- spatial queries ----

    def cast(self, x: Any, y: Any, dx: Any, dy: Any, *, out: Any = None, **asking: Unpack[Asking]) -> Array:
        """The first thing met by rays, or by moving circles, from (x, y) along (dx, dy), which may have any length.

        All arguments are numbers or arrays, which are broadcast: put many queries into one call. Everything else stands
        still. A circle of radius `radius` starts with its centre at (x, y).

        Args:
            x: where they start.
            y: the same.
            dx: where to.
            dy: the same.
            out: an array for the result.
            world: 0; the world of the batch for each query.
            radius: 0; the radius of a circle that moves along the ray.
            range: infinite; the greatest distance.
            category: all bits; as for a body of a scene (in games, 1 << a thing's style in `carom/look.h`).
            mask: all bits; as for a body of a scene.
            ignore: a body to skip, such as the one at the origin of the ray.
            sensors: False; whether sensors are met.

        Returns:
            Records with the fields `kind` (an index into `carom.FOUND_KINDS`; 0: nothing), `index`, `part`, `inside`
            (it starts inside, distance 0), `distance` (for nothing: the range), `x`, `y` (the point that is met), and
            `nx`, `ny` (the unit normal there).

        """
        return cast(self._handle, x, y, dx, dy, out, asking)

    def nearest(self, x: Any, y: Any, *, out: Any = None, **asking: Unpack[Asking]) -> Array:
        """The nearest thing to a point, or to a circle with a `radius`; arguments and result as for `cast`."""
        return nearest(self._handle, x, y, out, asking)

    def within(self, x: Any, y: Any, *, capacity: int = 16, **asking: Unpack[Asking]) -> tuple[Array, Array]:
        """Everything within `range` (default 0) of a point or circle; with range 0 everything that a circle of `radius`
        overlaps.

        Returns:
            Records as for `cast`, [..., capacity], in order of kind and index; and the number of things for each query,
            which may be more than `capacity`.

        """
        return within(self._handle, x, y, capacity, asking)

    # ---- pictures and recordings ----

    def rgb_array(
        self, world: int = 0, *, width: int = WIDTH, dark: bool = False, captions: bool = False, out: Any = None
    ) -> Array:
        """A picture of a world's current state, [height, width, 3], uint8.

        It shows bodies with their numbers, walls, goals and checkpoints; the height follows from the game's field.

        Args:
            world: which one.
            width: in pixels, an even number.
            dark: light on dark.
            captions: game, tick, hash and numbers (scores, ...) in two lines below.
            out: an array to draw into.

        """
        self._world(world)
        handle, world = self._seen_here(world)
        return rgb_array(handle, world, width, dark, captions, out)

    def _seen_here(self, world: int) -> tuple[_carom.Handle, int]:
        """A batch on this processor, and the index of the world in it."""
        if self._place is HOST:
            return self._handle, world
        twin = self._like(1, device="cpu")
        twin.copy_from(self, worlds=[world])
        return twin._handle, 0

    def svg(self, world: int = 0, *, width: int = WIDTH, dark: bool = False, captions: bool = True) -> str:
        """The same picture as SVG text. Notebooks show a batch as the picture of world 0."""
        self._world(world)
        handle, world = self._seen_here(world)
        return _carom.picture_svg(handle, world, width, dark, captions)

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg() if self.game.bodies <= NOTEBOOK_BODIES else None
        except ValueError:  # closed, or without anything to draw
            return None

    def recording(
        self, path: str | os.PathLike[str], *, worlds: Sequence[int] | None = None, keyframe_ticks: int = 256
    ) -> Recording:
        """Records what the batch plays from now on as a replay, for `carom replay`, `carom render` and `carom view`.

            with w.recording("race.carom", worlds=[0, 5]):
                for _ in range(300):
                    w.step(...)

        Worlds that a call leaves out (`skip`, `first`, `count`) stand still in the replay, too. Recording slows a batch
        down; it has one recording at a time. Until the recording is closed, ".part" is appended to the file's name; a
        device or a pipe is written to directly.

        Args:
            path: the file; its name usually ends in ".carom".
            worlds: which ones; None: all.
            keyframe_ticks: ticks between complete states in the file.

        Raises:
            ValueError: a scene with hooks, which a file cannot hold.
            OSError: the file cannot be written; later also from `step` and `play`.
            RuntimeError: the batch is recorded already.

        """
        if worlds is not None:
            for world in worlds:
                self._world(world)
        return Recording(self, path, worlds, keyframe_ticks)

    # ---- faults and counters ----

    def faults(self) -> Faults:
        """Worlds with a fault, which stay frozen in their state at the start of the tick in which it arose. With at_end
        "reset" there are none: `counters().faults` counts them.
        """  # fmt: skip
        worlds, bits = _carom.worlds_faults(self._handle)
        return Faults(worlds, tuple(name for bit, name in FAULTS.items() if bits & bit))

    def counters(self) -> Counters:
        """Totals since the batch's creation or `reset`."""
        return Counters(*_carom.worlds_counters(self._handle))

    def csb_map(self, index: int) -> tuple[int, Array]:
        """Laps and checkpoints [n, 2] of a map of a batch of csb; the field `map` is the map of each world."""
        laps, points = _carom.csb_get_map(self._handle, index)
        return laps, np.frombuffer(points, np.int32).reshape(-1, 2).copy()


def indices(name: str, given: Any, count: int) -> Array:
    """Indices of worlds, [n], as the library takes them."""
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"{name}: whole numbers [n] are expected")
    if array.size and not (0 <= array.min() and array.max() < count):
        raise IndexError(f"{name}: a world outside the {count} that there are")
    return np.ascontiguousarray(array, np.uintp)


def taken_mask(mask: Any, count: int) -> Array:
    """A mask of worlds as bytes."""
    array = np.asarray(mask)
    if array.dtype not in (np.dtype(bool), np.dtype(np.uint8)) or array.shape != (count,):
        raise ValueError(f"mask: bool or uint8 of shape {(count,)} is expected, not {array.dtype} of {array.shape}")
    return np.ascontiguousarray(array).view(np.uint8)


def _unpickled(made: dict[str, Any], count: int, saved: bytes) -> Worlds:
    made = dict(made)
    twin = Worlds(made.pop("game"), count, **made)
    twin.load(saved)
    return twin


def opened(game: str | os.PathLike[str] | Game | Scene) -> Game | Scene:
    """The game of a name or path, or the scene of a path."""
    if not isinstance(game, str | os.PathLike):
        return game
    name = os.fspath(game)
    if name.endswith(".json"):
        from ._scene import Scene

        return Scene.from_file(name)
    if "/" in name:
        return open_game(name)
    if name not in games:
        raise ValueError(
            f"game: {name!r} is unknown; there are {', '.join(games)}; the path of a scene ends in .json, the path of "
            "a plug-in game contains a slash"
        )
    return games[name]
