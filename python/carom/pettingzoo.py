# SPDX-License-Identifier: MIT
"""A parallel environment for PettingZoo: the sides of a game, or all their bodies, as agents.

import carom.pettingzoo

env = carom.pettingzoo.ParallelEnv("csb", observation="ego", per="body")
seen, info = env.reset(seed=1)
seen, rewards, terminated, truncated, info = env.step({agent: env.action_space(agent).sample() for agent in env.agents})
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pettingzoo
from gymnasium.spaces import Box
from gymnasium.utils import seeding

from ._arrays import whole
from ._options import Common
from ._rows import Rows, bounds, normal
from ._see import RENDER_MODES, WIDTH, Renderer
from ._structs import Array

if TYPE_CHECKING:
    from ._games import Game
    from ._scene import Scene

By = dict[str, Any]


class ParallelEnv(pettingzoo.ParallelEnv[str, Any, Any]):
    """One world; agents are `player_0`, `player_1`, ..., or with `per="body"` `player_0_body_0`, ...

    Args:
        game: a game's name, a `Game`, a `Scene`, or the path of a scene ("pins.json") or of a plug-in game.
        per: "player" or "body": what an agent is.
        opponent: the player of every other side, as for `carom.gymnasium.VectorEnv`; those sides then have no agents.
            None: all sides act.
        render_mode: "rgb_array": `render()` draws the field with its bodies, walls, goals and checkpoints.
        render_width: in pixels, an even number.
        seat, observation, normalised, mirrored, reward: as for `carom.gymnasium.VectorEnv`; others as for
            `carom.Worlds`.

    `state()` is the `raw` observation of all players, concatenated. All agents end together; each agent's info then has
    `result`: winner, score, r, l, fault. A fault (such as a position out of range) truncates a game: then the infos
    have `fault`, too.

    """

    def __init__(
        self,
        game: str | os.PathLike[str] | Game | Scene,
        *,
        per: str = "player",
        opponent: str | None = None,
        seat: int = 0,
        observation: str = "raw",
        normalised: bool = False,
        mirrored: bool = False,
        reward: str | None = None,
        render_mode: str | None = None,
        render_width: int = WIDTH,
        **made: Unpack[Common],
    ) -> None:
        made.setdefault("threads", 1)
        self._rows = Rows(
            game, worlds=1, players="one" if opponent is not None else "all", per=per, opponent=opponent, seat=seat,
            observation=observation, normalised=normalised, mirrored=mirrored, reward=reward, at_end="freeze", **made,
        )  # fmt: skip
        self.worlds = self._rows.worlds.bind(last_observations=None)
        self._renderer = Renderer(self.worlds, render_mode, render_width)
        self.render_mode = render_mode
        name = f"carom_{self.worlds.game.name}_v0"
        self.metadata = {"name": name, "render_modes": RENDER_MODES, "render_fps": 20, "is_parallelizable": True}
        bodies = [""] if per == "player" else [f"_body_{k}" for k in range(self._rows.bodies)]
        self.possible_agents = [f"player_{side}{body}" for side in self._rows.acting for body in bodies]
        self.agents: list[str] = []
        bound = np.float32(self._rows.action_bound)
        kind: Any = self._rows.action_dtype
        self.observation_spaces = {
            agent: Box(self._rows.low, self._rows.high, dtype=np.float32) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: Box(-bound, bound, (self._rows.action_size,), dtype=kind) for agent in self.possible_agents
        }
        sides = self.worlds.game.players
        low, high, self._state_scale = bounds(self.worlds.game.observations["raw"], sides, normalised)
        self.state_space = Box(low, high, dtype=np.float32)
        self._started = False

    def state(self) -> Array:
        """The `raw` observations of all players, [number], float32, within `state_space`."""
        seen = self.worlds.observe(observation="raw").reshape(-1)
        return seen if self._state_scale is None else normal(seen, self._state_scale)

    def observation_space(self, agent: str) -> Box:
        """The observation space of `agent`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Box:
        """The action space of `agent`."""
        return self.action_spaces[agent]

    def _by(self, values: Any) -> By:
        return dict(zip(self.possible_agents, values, strict=True))

    def reset(self, seed: int | None = None, options: By | None = None) -> tuple[dict[str, Array], By]:
        """Starts a new game: that of the seed, or the next one."""
        if seed is None and not self._started:
            seed = int(seeding.np_random(None)[0].integers(1 << 62))
        if seed is None:
            self.worlds.restart()
        else:
            self.worlds.restart(ids=0, seeds=whole("seed", seed))
        self._started = True
        self.agents = list(self.possible_agents)
        self.worlds.observe()
        return self._by(self._rows.seen().copy()), {agent: {} for agent in self.agents}

    def step(self, actions: By) -> tuple[dict[str, Array], By, By, By, dict[str, By]]:
        """One step of all agents."""
        if not self.agents:
            raise RuntimeError("step: the game is over, or has not begun; reset() comes first")
        self._rows.act(np.stack([np.asarray(actions[agent]) for agent in self.possible_agents]))
        self.worlds.step()
        end = int(self.worlds.ends[0])
        info: dict[str, By] = {agent: {} for agent in self.possible_agents}
        if end:
            results = self._rows.results()
            for row, agent in enumerate(self.possible_agents):
                info[agent]["result"] = {name: values[row].item() for name, values in results.items()}
                if info[agent]["result"]["fault"]:
                    info[agent]["fault"] = True
            self.agents = []
        terminated, truncated = end == 1, end == 2
        n = len(self.possible_agents)
        rewards = [float(r) for r in self._rows.rewards()]
        return (
            self._by(self._rows.seen().copy()),
            self._by(rewards),
            self._by([terminated] * n),
            self._by([truncated] * n),
            info,
        )

    def render(self) -> Array | None:
        """A picture of the world, [height, width, 3], uint8; None without a mode."""
        return self._renderer.frame()

    def close(self) -> None:
        """Closes the batch."""
        self.worlds.close()
