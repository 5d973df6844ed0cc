# SPDX-License-Identifier: MIT
"""Tests with real engines: `scripts/test scale`. Each file skips itself where its engine is not installed.

With CAROM_TEST_SHORT=1 they are shorter: of each engine one worker is killed.
"""

from __future__ import annotations

import os
from pathlib import Path

# Programs that the tests start find jobs.py.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
