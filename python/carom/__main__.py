# SPDX-License-Identifier: MIT
"""`python -m carom`, and the console script `carom`: the commands of Carom (rollout, record, render, view, ...).

They are in the extension, as one function that the process becomes: it may end the process itself.
"""

from __future__ import annotations

import signal
import sys

from . import _carom


def main() -> int:
    """Runs the command that the process's arguments name; gives its exit code."""
    # As in any program that is not Python: Ctrl-C and a closed pipe end it, unless the command says otherwise.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return _carom.command(["carom", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
