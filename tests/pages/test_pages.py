# SPDX-License-Identifier: MIT
"""test_pages.py ROOT [UNITTEST'S OPTIONS]: runs the code blocks of all pages of the site.

ROOT is the folder into which Carom was installed (DESTDIR). Blocks name their languages; `text` and `math` are not run:

    shell       with the installed command, in a folder that looks like a checkout
    c           built against the installed library, with all warnings, and run; wrapped in main() if it has none
    json        parsed; a scene, or a part of one, is played
    javascript  each a module, by Node, next to the files of build-web/javascript/dist
    python      all blocks of a page as one program, by this interpreter

A comment right before a block changes this. Comments are not shown on the page:

    <!-- not run (WHY) -->                  the block is not run, but counted and listed with its reason. Programs of a
                                            shell block must still exist and have the options
    <!-- run by: FILE (WORDS) -->           another test runs it, in a file that has these words
    <!-- not run (WHY): COMMAND -->         commands of the block with this beginning are not run
    <!-- smaller (LONG -> SHORT; ...) -->   LONG is replaced before it is run
    <!-- first: COMMAND -->                 run before the block
    <!-- within: FILE -->                   C: a program; the block's parts replace its `/* directives */` and
                                            `/* the rest */`; JSON: a scene; the block's members replace its own
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "build-web" / "javascript" / "dist"
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in ROOT.rglob("*.md")
    if not path.relative_to(ROOT).parts[0].startswith(("build", ".", "subprojects"))
)

# Blocks that other tests run, which know the page and check the results.
ELSEWHERE = {
    ("README.md", "python"): "python/tests/test_docs.py",
    ("docs/bots.md", "python"): "tests/command/test_bots_page.py",
    ("docs/bots.md", "c"): "tests/command/test_bots_page.py",
    ("docs/bots.md", "shell"): "tests/command/test_bots_page.py",
    ("docs/python.md", "python"): "python/tests/test_docs.py",
    ("docs/python.md", "shell"): "python/tests/test_hour.py",
    ("docs/scenes.md", "python"): "python/tests/test_docs.py",
    ("docs/gas.md", "python"): "python/tests/test_docs.py",
    ("docs/device.md", "python"): "python/tests/test_docs.py",
    ("docs/games.md", "python"): "python/tests/test_games_page.py",
    ("docs/games.md", "c"): "tests/kit/kit.sh",
    ("docs/games.md", "shell"): "tests/kit/kit.sh",
    ("docs/scale.md", "python"): "python/tests/scale/test_page.py",
    ("docs/recipes.md", "python"): "python/tests/scale/test_page.py",
}
NOT_RUN = {"text", "math"}
LANGUAGES = {"python", "c", "shell", "json", "javascript"} | NOT_RUN
SECONDS = 300  # after which a block hangs

PROGRAM = """\
#include <carom/carom.h>
#include <stdio.h>
/* directives */
int main(void)
{
/* the rest */
    return 0;
}
"""
# Interrupts a viewer, which serves until then, once it prints its address. (Without set -m it would ignore that.)
SHELL = """\
carom()
{
    case " $* " in
    " view "*" --out "*) ;;
    " view "*)
        : >view.log # not that of the viewer before it
        set -m
        command carom "$@" >view.log 2>&1 &
        set +m
        for _ in {1..300}; do
            ! grep -q http://127.0.0.1 view.log || break
            sleep 0.1
        done
        kill -INT $!
        wait $! || [ $? = 130 ]
        grep http://127.0.0.1 view.log
        return
        ;;
    esac
    command carom "$@"
}
"""


@dataclass
class Block:
    """A code block of a page: its language and text, its first line, and the marks before it."""

    language: str
    text: str
    line: int
    marks: list[str]

    def mark(self, word: str) -> list[str]:
        """The contents of marks that start with a word."""
        return [mark.removeprefix(word).strip() for mark in self.marks if mark.startswith(word)]

    def smaller(self) -> str:
        """The text as it is run: with less of everything, and without the commands that are not run."""
        text = self.text
        for mark in self.mark("smaller"):
            for pair in mark.strip("()").split(";"):
                long, _, short = (part.strip() for part in pair.partition("->"))
                if long not in text:
                    raise ValueError(f"line {self.line}: `{long}` is not in the block")
                text = text.replace(long, short)
        for start in filter(None, (mark.partition("):")[2].strip() for mark in self.mark("not run"))):
            less = re.sub(rf"^{re.escape(start)}(?:\\\n|[^\n])*\n", "", text, flags=re.MULTILINE)
            if less == text:
                raise ValueError(f"line {self.line}: no command begins with `{start}`")
            text = less
        return text

    def omitted(self) -> list[str]:
        """Blocks and commands that are not run, and why."""
        return [mark.lstrip("(").replace("):", ":").rstrip(")") for mark in self.mark("not run")]

    def left_out(self) -> bool:
        return any(mark.endswith(")") for mark in self.mark("not run"))

    def elsewhere(self, page: str) -> tuple[str, str] | None:
        """The file of the test that runs this block instead of these tests, and words that it must have."""
        for mark in self.mark("run by"):
            file, _, words = mark.partition(" ")
            return file, words.strip("()")
        file = None if self.mark("within") else ELSEWHERE.get((page, self.language))
        return (file, Path(page).name) if file else None


def blocks_of(text: str) -> list[Block]:
    """The blocks of a page; ValueError for one that names no language we know."""
    found: list[Block] = []
    marks: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        fence = re.match(r"(`{3,})\s*(.*?)\s*$", line)
        mark = re.match(r"<!-- (not run|run by|smaller|first|within)\b(.*)-->$", line)
        if fence:
            first = at
            while lines[at].rstrip() != fence[1]:
                at += 1
            at += 1
            if fence[2].startswith("{"):
                continue  # a directive of the site
            if fence[2] not in LANGUAGES:
                known = ", ".join(sorted(LANGUAGES))
                raise ValueError(f"line {first}: a block of language `{fence[2]}`; known are {known}")
            found.append(Block(fence[2], "\n".join([*lines[first : at - 1], ""]), first, marks))
            marks = []
        elif mark:
            marks.append(f"{mark[1]} {mark[2].lstrip(':').strip()}")
        elif re.match(r"    \S", line) and (at < 2 or not lines[at - 2].strip()) and not in_list(lines[: at - 1]):
            raise ValueError(f"line {at}: an indented block; fence it, and name its language")
        elif line.strip() and marks:
            raise ValueError(f"line {at}: a mark without a block after it")
    return found


def in_list(before: list[str]) -> bool:
    """Does the text before an indented line belong to a list item that continues on that line?"""
    texts = (line for line in reversed(before) if line.strip() and not line.startswith(" "))
    return re.match(r"(-|\d+\.) ", next(texts, "")) is not None


def check_commands(text: str) -> None:
    """For commands that are not run: ValueError if a program of the repository is missing or lacks an option."""
    for line in re.sub(r"\\\n", " ", text).splitlines():
        words = shlex.split(line, comments=True)
        while words and re.match(r"\w+=", words[0]):
            words.pop(0)
        if not words or "/" not in words[0] or words[0].startswith("build"):
            continue
        program = ROOT / words[0]
        if not program.is_file():
            raise ValueError(f"there is no program {words[0]}")
        for option in (word for word in words[1:] if word.startswith("--")):
            if option not in program.read_text(encoding="utf-8"):
                raise ValueError(f"{words[0]} says nothing of {option}")


def parts_of(text: str) -> dict[str, str]:
    """The directives of C text, and the rest of it."""
    parts = {"directives": "", "the rest": ""}
    for line in re.findall(r"(?:[^\n]*\\\n)*[^\n]*\n", text):
        parts["directives" if line.startswith("#") else "the rest"] += line
    return parts


class Scratch:
    """A folder that looks like a checkout, in which commands may write, and an environment with Carom installed."""

    def __init__(self, installed: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pages-"))
        for entry in ROOT.iterdir():
            if entry.name in ("docs", "examples"):
                shutil.copytree(entry, self.folder / entry.name)
            elif not entry.name.startswith(".") and (not entry.name.startswith("build") or entry.name == "build"):
                (self.folder / entry.name).symlink_to(entry)
        prefix = next(installed.rglob("bin/carom")).parents[1]
        libraries = next(prefix.rglob("libcarom.so")).parent
        self.environment = {name: text for name, text in os.environ.items() if not name.startswith("CAROM_")} | {
            "PATH": f"{self.folder}:{prefix / 'bin'}:{os.environ['PATH']}",
            "LD_LIBRARY_PATH": str(libraries),
            "PKG_CONFIG_PATH": str(libraries / "pkgconfig"),
            "PKG_CONFIG_SYSROOT_DIR": str(installed.resolve()),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
        }

    def run(self, words: list[str]) -> str:
        """Runs a command; RuntimeError with its output if it fails."""
        done = subprocess.run(
            words, cwd=self.folder, env=self.environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"exit status {done.returncode}\n{done.stdout}")
        return done.stdout

    def shell(self, text: str) -> None:
        self.run(["bash", "-euo", "pipefail", "-c", SHELL + text])

    def c(self, block: Block) -> None:
        within = block.mark("within")
        program = (ROOT / within[0]).read_text(encoding="utf-8") if within else PROGRAM
        text = block.smaller()
        if "int main(" in text:
            program = text
        for name, part in parts_of(text).items():
            if not within and name == "the rest" and "int main(" in text:
                break
            put = f'#line 1 "{name}"\n{part}'
            program = re.sub(rf"^ */\* {name} \*/\n", lambda _, put=put: put, program, flags=re.MULTILINE)
        (self.folder / "block.c").write_text(program, encoding="utf-8")
        if "carom/kit/rules.h" in program:
            self.shell("carom-kit build block.c -o block.so -- -Wall -Wextra -Werror\ncarom check ./block.so")
        else:
            self.shell(
                "${CC:-cc} -std=c17 -Wall -Wextra -Werror block.c -o block $(pkg-config --cflags --libs carom) -lm\n"
                "./block"
            )

    def json(self, block: Block) -> None:
        text = block.smaller().strip()
        read = json.loads(text if text.startswith(("{", "[")) else f"{{{text}}}")
        within = block.mark("within")
        if within:
            read = json.loads((ROOT / within[0]).read_text(encoding="utf-8")) | read
        if "bodies" in read:
            (self.folder / "block.json").write_text(json.dumps(read), encoding="utf-8")
            self.run(["carom", "run", "block.json", "--ticks", "50"])

    def javascript(self, block: Block) -> None:
        package = self.folder / "package"
        if not package.is_dir():
            shutil.copytree(DIST, package, ignore=shutil.ignore_patterns("*.a", "*.p"))
        (package / "block.mjs").write_text(block.smaller(), encoding="utf-8")
        self.run(["node", str(Path(__file__).with_name("browser.mjs")), str(package / "block.mjs")])

    def python(self, text: str) -> None:
        (self.folder / "page.py").write_text(text, encoding="utf-8")
        self.run([sys.executable, "page.py"])


class Pages(unittest.TestCase):
    """A test for each page; the end lists what they have run."""

    installed: Path
    counts: ClassVar = {"run": 0, "by other tests": 0, "not run": 0}
    omitted: ClassVar[list[str]] = []

    @classmethod
    def tearDownClass(cls) -> None:
        for line in cls.omitted:
            print(f"not run  {line}")
        print("blocks: " + ", ".join(f"{count} {what}" for what, count in cls.counts.items()))

    def play_page(self, page: str) -> None:
        text = (ROOT / page).read_text(encoding="utf-8")
        blocks = [block for block in blocks_of(text) if block.language not in NOT_RUN]
        scratch = Scratch(self.installed)
        try:
            program = ""
            for block in blocks:
                self.omitted.extend(f"{page}:{block.line}: {why}" for why in block.omitted())
                elsewhere = block.elsewhere(page)
                with self.subTest(line=block.line):
                    if block.left_out():
                        self.counts["not run"] += 1
                        if block.language == "shell":
                            check_commands(block.text)
                    elif elsewhere:
                        self.counts["by other tests"] += 1
                        self.assertIn(elsewhere[1], (ROOT / elsewhere[0]).read_text(encoding="utf-8"))
                    else:
                        self.counts["run"] += 1
                        for command in block.mark("first"):
                            scratch.shell(command)
                        if block.language == "python":
                            program += block.smaller()
                        elif block.language == "shell":
                            scratch.shell(block.smaller())
                        else:
                            getattr(scratch, block.language)(block)
            if program:
                with self.subTest(language="python"):
                    scratch.python(program)
        finally:
            shutil.rmtree(scratch.folder)


def add_pages() -> None:
    for page in PAGES:
        name = "test_" + re.sub(r"\W", "_", page.removesuffix(".md"))
        setattr(Pages, name, lambda self, page=page: self.play_page(page))


class Failing(unittest.TestCase):
    """Blocks that fail are seen to fail."""

    def test_failing_blocks(self) -> None:
        scratch = Scratch(Pages.installed)
        try:
            for language, good, bad in (
                ("c", "carom_game_find(\"csb\");\n", "if (carom_game_find(\"no\") == NULL) return 1;\n"),
                ("c", "int x = 1;\n(void)x;\n", "int x = 1;\n"),
                ("json", '{"bodies": [{}]}\n', '{"bodies": [{"radius": -1}]}\n'),
                ("json", '"a": 1\n', '"a": 1,\n'),
                ("javascript", 'import { load } from "carom";\nawait load();\n', 'import { no } from "carom";\n'),
                ("javascript", "1;\n", 'throw new Error("x");\n'),
            ):
                run = getattr(scratch, language)
                run(Block(language, good, 1, []))
                with self.assertRaises((RuntimeError, ValueError), msg=bad):
                    run(Block(language, bad, 1, []))
            for run_text, good, bad in (
                (scratch.shell, "carom info\n", "carom infos\ntrue\n"),
                (scratch.python, "1\n", "1 / 0\n"),
            ):
                run_text(good)
                with self.assertRaises(RuntimeError, msg=bad):
                    run_text(bad)
        finally:
            shutil.rmtree(scratch.folder)


class Reading(unittest.TestCase):
    """Errors in a page."""

    def test_pages(self) -> None:
        for page in ("README.md", "CONTRIBUTING.md", "docs/search.md", "docs/javascript.md", "site/explain/wall.md"):
            self.assertIn(page, PAGES)

    def test_refused(self) -> None:
        for text in ("```\nx\n```", "```lua\nx\n```", "text\n\n    indented", "<!-- first: x -->\ntext"):
            with self.assertRaises(ValueError, msg=text):
                blocks_of(text)
        self.assertEqual(blocks_of("- an item\n\n    goes on"), [])

    def test_directives(self) -> None:
        page = "```{raw} html\n<b>\n```\n```text\na\n```\n"
        self.assertEqual([block.line for block in blocks_of(page)], [4])

    def test_marks(self) -> None:
        marks = "<!-- smaller (10 -> 1; b -> c) -->\n<!-- not run (why): carom x -->\n<!-- first: true -->\n"
        (block,) = blocks_of(marks + "```shell\ncarom x \\\n  y\na 10 b\n```\n")
        self.assertEqual(block.smaller(), "a 1 c\n")
        self.assertEqual((block.mark("first"), block.omitted(), block.left_out()), (["true"], ["why: carom x"], False))
        (block,) = blocks_of("<!-- not run (why) -->\n```c\nint x;\n```\n")
        self.assertEqual((block.omitted(), block.left_out()), (["why"], True))
        (block,) = blocks_of("<!-- run by: tests/a.py (b c) -->\n```python\n1\n```\n")
        self.assertEqual(block.elsewhere("docs/python.md"), ("tests/a.py", "b c"))
        for mark in ("smaller (z -> y)", "not run (why): z"):
            (block,) = blocks_of(f"<!-- {mark} -->\n```shell\na\n```\n")
            with self.assertRaises(ValueError):
                block.smaller()

    def test_commands_that_are_not_run(self) -> None:
        check_commands("A=1 scripts/test python  # all\nbench/strength \\\n  --json F\npip install x --user\n")
        for text in ("scripts/tset\n", "bench/strength --jsonify\n"):
            with self.assertRaises(ValueError, msg=text):
                check_commands(text)

    def test_other_tests(self) -> None:
        for page, language in ELSEWHERE:
            blocks = blocks_of((ROOT / page).read_text(encoding="utf-8"))
            self.assertIn(language, {block.language for block in blocks}, page)


if __name__ == "__main__":
    Pages.installed = Path(sys.argv.pop(1)).resolve()
    add_pages()
    unittest.main()
