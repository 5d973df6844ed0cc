# SPDX-License-Identifier: MIT
"""`python -m carom`, and the console script `carom`: the commands of Carom (rollout, record, render, view, ...).

The extension implements them as one function, which takes over the process and may end it.
"""

from __future__ import annotations

import signal
import sys

from . import _carom


def main() -> int:
    """Runs the command named by the process's arguments; returns its exit code."""
    # The system's defaults instead of Python's: Ctrl-C and a closed pipe end the process unless the command handles
    # them.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return _carom.command(["carom", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
