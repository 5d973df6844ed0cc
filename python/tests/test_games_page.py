# SPDX-License-Identifier: MIT
"""The Python of docs/games.md runs as printed, with the page's own game (tests/kit/kit.sh runs its C and shell)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KIT = ROOT / "include" / "carom" / "kit"


def blocks(kind: str) -> str:
    text = (ROOT / "docs" / "games.md").read_text(encoding="utf-8").partition("\n## Lidar\n")[0]
    found = re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)
    assert found
    return "\n".join(found)


def kit(folder: Path) -> Path:
    """carom-kit with its headers, as include/carom/kit/meson.build installs them."""
    shutil.copytree(ROOT / "include", folder / "include")
    engine = folder / "include" / "carom" / "kit" / "engine"
    table = re.search(r"kit_headers = \{(.*?)\}", (KIT / "meson.build").read_text(encoding="utf-8"), re.DOTALL)
    assert table is not None
    for place, names in re.findall(r"'(\w+)': \[(.*?)\]", table[1], re.DOTALL):
        (engine / place).mkdir()
        for name in re.findall(r"'([\w.]+)'", names):
            shutil.copy(ROOT / "kernel" / place / name, engine / place)
    script = (ROOT / "scripts" / "carom-kit").read_text(encoding="utf-8")
    exact = "-ffp-contract=off -fno-math-errno"
    for name, value in {"TO_PREFIX": ".", "INCLUDE": "include", "SIMDE": "", "EXACT": exact}.items():
        script = script.replace(f"@{name}@", value)
    path = folder / "carom-kit"
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return path


def run(words: list[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "it warns"
    return done.stdout


def test_the_page(tmp_path: Path) -> None:
    (tmp_path / "game.c").write_text(blocks("c"), encoding="utf-8")
    (tmp_path / "page.py").write_text(blocks("python"), encoding="utf-8")
    run([str(kit(tmp_path)), "build", "game.c", "-o", "fetch.so", "--", "-O1"], tmp_path)
    said = run([sys.executable, "page.py"], tmp_path)
    assert "['x', 'y', 'vx', 'vy', 'to_x', 'to_y'] ['ticks', 'bounce']" in said
    numbers = re.search(r"reward of a game: (-?[\d.]+) before, (-?[\d.]+) after", said)
    assert numbers is not None
    untaught, learnt = (float(number) for number in numbers.groups())
    assert untaught < 2
    assert learnt > 8
