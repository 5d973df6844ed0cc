# SPDX-License-Identifier: MIT
"""Data sets for Minari, from data sets and environments."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._arrays import whole
from .._rows import ENVIRONMENTS
from ._layout import flat
from ._read import Dataset


def to_minari(
    source: Any,
    dataset_id: str,
    *,
    player: int = 0,
    episodes: int | None = None,
    policy: Callable[[Any], Any] | None = None,
    seed: int = 0,
    data_format: str = "arrow",
    **about: Any,
) -> Any:
    """Makes a data set for `minari.load_dataset(dataset_id)`, in the folder MINARI_DATASETS_PATH.

    An episode is a game; one cut off by the end of the data counts as truncated.

    Args:
        source: a `Dataset`, from one player's view: the concatenated observations of its bodies, its actions, and the
            sum of its bodies' rewards; or a Gymnasium environment to play, such as gymnasium.make("Carom/Soccer-v0").
        dataset_id: such as "carom/csb-race-v0".
        player: for a `Dataset`, the player whose view is taken.
        episodes: how many; None: all of a `Dataset`. An environment needs a number.
        policy: for an environment, a function from an observation to an action; None: random actions.
        seed: for an environment, the seed of its first episode; later ones have consecutive seeds.
        data_format: "arrow" or "hdf5" (which needs h5py).
        about: algorithm_name, author, description, ..., as for minari.create_dataset_from_buffers.

    Returns:
        the minari.MinariDataset. Its recover_environment() works if Gymnasium can make the environment.

    """
    try:
        import minari
    except ImportError as error:
        raise ImportError("carom.dataset.to_minari needs minari: pip install 'carom[minari]'") from error
    made = {"data_format": data_format, **about}
    if isinstance(source, Dataset):
        observation_space, action_space = _spaces(source, player)
        return minari.create_dataset_from_buffers(
            dataset_id, list(_buffers(source, player, episodes)), env=_environment(source, player),
            observation_space=observation_space, action_space=action_space, **made,
        )  # fmt: skip
    if episodes is None:
        raise ValueError("episodes: a number is expected for an environment")
    env = minari.DataCollector(source, data_format=data_format)
    try:
        for episode in range(whole("episodes", episodes, 1)):
            seen, _ = env.reset(seed=seed + episode)
            over = False
            while not over:
                seen, _, terminated, truncated, _ = env.step(policy(seen) if policy else env.action_space.sample())
                over = terminated or truncated
        return env.create_dataset(dataset_id, **about)
    finally:
        env.close()


def _own(source: Dataset, player: int) -> tuple[list[int], int, int]:
    """The observed agents of the player, the first of its rewards, and their number."""
    columns = source._layout.transitions
    players = columns["action"].shape[0]
    if not 0 <= player < players:
        raise ValueError(f"player: {player}; 0 to {players - 1} are expected")
    size = columns["observation"].shape[1]
    agents = [int(name.split(".")[1]) for name in columns["observation"].names[::size]]
    each = source.description["agents"]
    own = [place for place, agent in enumerate(agents) if agent // each == player]
    if not own:
        raise ValueError(f"player: the data set has no observations of player {player}")
    rewards = columns["reward"].shape[0] // players
    return own, player * rewards, rewards


def _buffers(source: Dataset, player: int, most: int | None) -> Iterator[Any]:
    from minari.data_collector import EpisodeBuffer

    own, first, count = _own(source, player)
    for k, game in enumerate(source.episodes()):
        if k == most:
            return
        length = len(game.rewards)
        terminations, truncations = np.zeros(length, bool), np.zeros(length, bool)
        (terminations if game.end == 1 else truncations)[-1] = True
        yield EpisodeBuffer(
            observations=flat(game.observations[:, own]), actions=game.actions[:, player],
            rewards=game.rewards[:, first : first + count].sum(1).tolist(), terminations=terminations.tolist(),
            truncations=truncations.tolist(),
        )  # fmt: skip


def _spaces(source: Dataset, player: int) -> tuple[Any, Any]:
    from gymnasium.spaces import Box

    agents = len(_own(source, player)[0])
    low, high = (
        np.tile(
            np.array([n[side] if n[side] is not None else inf for n in source.description["numbers"]], "f4"), agents
        )
        for side, inf in (("low", -np.inf), ("high", np.inf))
    )
    action = source._layout.transitions["action"]
    kind: Any = action.dtype
    bound = kind.type(1 if source.description["action_kind"].startswith("normalised") else np.inf)
    return Box(low, high, dtype=np.float32), Box(-bound, bound, (action.shape[1],), dtype=kind)


def _environment(source: Dataset, player: int) -> Any:
    """The environment that the player played in, or None if it has no name."""
    import gymnasium

    importlib.import_module("carom.gymnasium")  # registers the environments

    about = source.description
    ids = [f"Carom/{name}-v0" for name, game in ENVIRONMENTS.items() if game == about["game"]]
    others = {name for side, name in enumerate(about["players"]) if side != player}
    if not ids or about["path"] is not None or about["observed"] is not None or None in others or len(others) > 1:
        return None
    made = {name: about[name] for name in ("observation", "reward", "action_kind", "repeat", "precision")}
    opponent = {"opponent": others.pop(), "seat": player} if others else {}
    if about["game"] == "csb":
        made["map_seed"] = None
    return gymnasium.make(ids[0], **opponent, **{**made, **about["options"]})
