# SPDX-License-Identifier: MIT
"""The tests of the Python package. They test the installed wheel, never the checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "2")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def scenes() -> Path:
    """The folder of the example scenes."""
    return ROOT / "examples" / "scenes"
