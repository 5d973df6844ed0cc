# SPDX-License-Identifier: MIT
"""The page of `carom view`, for replays and for the future of batches."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ._replay import Replay
from ._structs import Array
from ._worlds import Worlds

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = (sys.executable, "-m", "carom", "view")
MOST_WORLDS = 16  # of a batch, unless the caller names more


class Viewer:
    """A page served on this machine at `address`, until the program ends, `close()`, or a minute after the page was
    closed.
    """  # fmt: skip

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self._process = process
        self.address = address
        atexit.register(self.close)

    def __repr__(self) -> str:
        return f"<Viewer {self.address}>"

    def wait(self) -> None:
        """Waits until the page has been closed for a minute."""
        self._process.wait()
        self.close()

    def close(self) -> None:
        """Stops it."""
        atexit.unregister(self.close)
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def view(
    what: Worlds | Replay | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    ticks: int = 300,
    worlds: Sequence[int] | None = None,
    policy: Callable[[Array], Any] | None = None,
    show: bool = True,
) -> Path | Viewer:
    """Shows a replay, or a batch from its current state on, in a page where you can play, step, zoom and measure.

        carom.view("race.carom", "race.html")                       # one file that holds everything
        carom.view(w, policy=lambda seen: net(seen)).wait()         # in the browser

    Args:
        what: a `Replay` or its path; or a batch, of which a copy is played.
        out: a file for the page; None: serve it on this machine, and open it in the browser.
        ticks: for a batch, how many steps to play.
        worlds: for a batch, which worlds; None: the first 16.
        policy: for a batch, a function from `Worlds.observations` of those worlds to the actions for `Worlds.step`, of
            the players whose actions the caller gives; None: all their numbers are 0.
        show: open the browser.

    Returns:
        The path of the page, or a `Viewer` that serves it.

    """
    from pathlib import Path  # imported late: it takes longer than all of carom

    if not isinstance(what, Worlds):
        return _page(what.path if isinstance(what, Replay) else os.fspath(what), out, show)
    chosen = list(range(min(len(what), MOST_WORLDS))) if worlds is None else list(worlds)
    if ticks < 1:
        raise ValueError(f"ticks: {ticks}; at least 1 is expected")
    twin = what._like(len(chosen)) if chosen else what
    with tempfile.TemporaryDirectory(prefix="carom-") as folder:
        path = Path(folder, f"{what.game.name}.carom")
        if chosen:
            twin.copy_from(what, worlds=chosen)
        with twin.recording(path, worlds=range(len(chosen))):
            if policy is None:
                twin.play(ticks)
            else:
                twin.observe()
                for _ in range(ticks):
                    twin.step(policy(twin.observations))
        return _page(str(path), out, show)


def _page(replay: str, out: str | os.PathLike[str] | None, show: bool) -> Path | Viewer:
    from pathlib import Path

    if out is not None:
        done = subprocess.run([*COMMAND, replay, "--out", os.fspath(out)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise _error(done.stderr)
        return Path(out)
    words = [*COMMAND, replay, *([] if show else ["--no-open"])]
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.startswith("http://"):
        raise _error(process.communicate()[1])
    return Viewer(process, line.split()[0])


def _error(said: str) -> Exception:
    """The command's error message."""
    text = said.strip().removeprefix("carom: ")
    return NotImplementedError(text) if "has no server" in text or "has no command" in text else OSError(text)
