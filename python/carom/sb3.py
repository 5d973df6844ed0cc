# SPDX-License-Identifier: MIT
"""Stable-Baselines3: worlds as its VecEnv.

import carom.sb3, stable_baselines3

env = carom.sb3.VecEnv("csb", 1024, opponent="race", per="body", observation="ego", precision="f32")
stable_baselines3.PPO("MlpPolicy", env, n_steps=64, batch_size=4096).learn(1_000_000)
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from stable_baselines3.common.vec_env import VecEnv as Base

from ._options import Vectored
from ._structs import Array
from .gymnasium import VectorEnv


class VecEnv(Base):
    """`carom.gymnasium.VectorEnv`, with the same arguments, as a VecEnv of Stable-Baselines3.

    A world whose game ends starts the next one in the same step. The row's info then has `terminal_observation`,
    `TimeLimit.truncated`, `result` (winner, score, r, l, fault) and `episode` (r, l, t), from which Stable-Baselines3
    computes ep_rew_mean and ep_len_mean. A fault truncates a game.
    """

    def __init__(self, game: Any, num_envs: int = 1, **made: Unpack[Vectored]) -> None:
        self.vector = VectorEnv(game, num_envs, autoreset_mode="same_step", copy=True, **made)
        self.worlds = self.vector.worlds
        self.render_mode = self.vector.render_mode
        super().__init__(num_envs, self.vector.single_observation_space, self.vector.single_action_space)
        self._chosen: Array | None = None
        self._began = time.time()

    def reset(self) -> Array:
        """Starts new games in all rows: those of the seeds set by `seed`, or the next ones."""
        seeds = None if all(s is None for s in self._seeds) else self._seeds
        seen, _ = self.vector.reset(seed=seeds)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return seen

    def step_async(self, actions: Array) -> None:
        """Sets the actions of the next step."""
        self._chosen = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Plays it."""
        seen, rewards, terminated, truncated, info = self.vector.step(self._chosen)
        over = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        now = round(time.time() - self._began, 6)
        for row in np.flatnonzero(over):
            infos[row]["terminal_observation"] = info["final_obs"][row]
            infos[row]["TimeLimit.truncated"] = bool(truncated[row] and not terminated[row])
            result = {name: values[row].item() for name, values in info["result"].items()}
            infos[row]["result"] = result
            infos[row]["episode"] = {"r": result["r"], "l": result["l"], "t": now}
        return seen, rewards, over, infos

    def get_images(self) -> Sequence[Array | None]:
        """A picture for each row, if `render_mode` is "rgb_array"; `render()` tiles them."""
        return self.vector.render() or [None] * self.num_envs

    def close(self) -> None:
        """Closes the batch."""
        self.vector.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The vector environment's attribute, for each row."""
        return [getattr(self.vector, attr_name)] * len(self._rows_of(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Rows have no attributes."""
        raise AttributeError(f"rows of a batch have no attribute {attr_name!r} of their own")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Rows have no methods."""
        raise AttributeError(f"rows of a batch have no method {method_name!r} of their own")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No row is wrapped."""
        return [False] * len(self._rows_of(indices))

    def _rows_of(self, indices: Any) -> Sequence[int]:
        return range(self.num_envs) if indices is None else [indices] if isinstance(indices, int) else list(indices)
