# SPDX-License-Identifier: MIT
"""stage.py SOURCE PARTS: gathers what Sphinx makes the site of into SOURCE, and what is copied as it is into PARTS.

Pages keep their places in the repository, so their links to each other hold. Everything else that a page links to
becomes a page, too: a header its reference, any other file its text with the syntax in colours, a folder a list. So
the site has the whole of what it speaks of, and no link leaves it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import deque
from pathlib import Path, PurePosixPath

import api_c
import api_javascript
import api_python
from text import posix_relative

sys.path.append(str(Path(__file__).resolve().parent / "explain"))
from figures import fill  # what the sketches' pages quote of the benchmarks

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "site"
DIST = ROOT / "build-web" / "javascript" / "dist"

# The side bar, group by group; what is not in it is reached by links alone.
GUIDES = ["python", "command", "scenes", "games", "search", "bots", "training", "viewer", "gas", "scale", "device"]
GUIDES += ["replay", "recipes", "packages", "targets"]
BARS = {
    "Guides": [f"docs/{name}" for name in GUIDES],
    "Live": ["explain/index", "playground"],
    "Reference": ["api/c/index", "api/python/index", "api/javascript"],
    "Performance": ["bench/README", "bench/SOLVERS"],
    "Project": ["CONTRIBUTING", "kernel/README", "examples/README", "CHANGELOG"],
}
HEADERS = {PurePosixPath(path.relative_to(ROOT)) for path in api_c.headers(ROOT)}
LANGUAGES = {".c": "c", ".h": "c", ".cc": "cpp", ".py": "python", ".json": "json", ".js": "javascript", ".sh": "bash"}
# The start page's live race, in place of its first picture.
LIVE = '\n```{raw} html\n<script type="module" src="_static/start.js"></script>\n```\n'
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^( *)(```+|~~~+)")


def page_of(path: PurePosixPath) -> PurePosixPath:
    """Where the page of a file or folder of the repository lies among the site's sources."""
    if path == PurePosixPath("README.md"):
        return PurePosixPath("index.md")
    if path.parts[0] == "site":
        return path.relative_to("site")
    if path in HEADERS:
        return PurePosixPath("api/c") / path.relative_to("include/carom").with_suffix(".rst")
    if path.suffix in (".md", ".svg", ".png", ".gif"):
        return path
    return PurePosixPath("source") / f"{path}.md"


def outside_code(text: str, change: re.Pattern[str], by: object) -> str:
    """Replaces what `change` finds by `by`, but not in fenced code."""
    parts: list[tuple[bool, str]] = []
    part: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        found = FENCE.match(line)
        if found and not fence:
            parts.append((False, "".join(part)))
            part, fence = [line], found[2]
        elif found and line.strip() == fence:
            part.append(line)
            parts.append((True, "".join(part)))
            part, fence = [], ""
        else:
            part.append(line)
    parts.append((bool(fence), "".join(part)))
    return "".join(piece if code else change.sub(by, piece) for code, piece in parts)  # type: ignore[call-overload]


class Stage:
    """The folder of sources, and the pages that are still to be written there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.queue: deque[PurePosixPath] = deque()
        self.seen: set[PurePosixPath] = set()

    def ask(self, path: PurePosixPath) -> PurePosixPath:
        """Sees to it that a file or folder of the repository gets its page, and says where."""
        folder = ROOT / path
        if folder.is_dir():
            for name in ("README.md", "RULES.md", "index.md"):
                if (folder / name).is_file():
                    return self.ask(path / name)
        if path not in self.seen:
            self.seen.add(path)
            self.queue.append(path)
        return page_of(path)

    def write(self, path: PurePosixPath, text: str) -> None:
        """Writes a source unless it is there already: Sphinx reads again what has changed."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")

    def linked(self, path: PurePosixPath, text: str) -> str:
        """The text of a page, each link to a file of the repository pointing to that file's page."""

        def there(found: re.Match[str]) -> str:
            name, _, place = found[2].partition("#")
            if re.match(r"[a-z]+:", found[2]) or not name:
                return found[0]
            target = posix_relative(path.parent, name)
            if not (ROOT / target).exists():
                raise SystemExit(f"{path}: links to {name}, which is not there")
            page = self.ask(target)
            way = posix_relative(None, page, page_of(path).parent)
            return f"{found[1]}{way}{'#' + place if place else ''}{found[3]}"

        return outside_code(text, LINK, there)

    def play_queue(self) -> None:
        """Writes all pages that are asked for, and those that these ask for."""
        while self.queue:
            path = self.queue.popleft()
            source = ROOT / path
            if path in HEADERS:
                continue  # api_c writes all of them
            if source.is_dir():
                self.write(page_of(path), self.listing(path))
            elif path.suffix == ".md":
                self.write(page_of(path), self.page(path))
            elif page_of(path) == path:
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, self.folder / path)
            elif path.suffix == ".ipynb":
                self.write(page_of(path), self.notebook(path))
            else:
                self.write(page_of(path), listed_source(path))

    def notebook(self, path: PurePosixPath) -> str:
        """A notebook as a page: its text and its programs."""
        pieces = []
        for cell in json.loads((ROOT / path).read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            pieces.append(self.linked(path, text) if cell["cell_type"] == "markdown" else fenced(text, "python"))
        return "---\norphan: true\n---\n" + "\n\n".join(pieces) + "\n"

    def page(self, path: PurePosixPath) -> str:
        read = (ROOT / path).read_text(encoding="utf-8")
        text = self.linked(path, fill(read) if path.parts[0] == "site" else read)
        if path == PurePosixPath("README.md"):
            return text + LIVE + self.side_bar()
        page = str(page_of(path).with_suffix(""))
        in_bar = any(page in pages for pages in BARS.values()) or path.parts[0] == "site"
        return text if in_bar else "---\norphan: true\n---\n" + text

    def side_bar(self) -> str:
        bars = ""
        for caption, pages in BARS.items():
            bars += "\n```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(pages) + "\n```\n"
        return bars

    def listing(self, path: PurePosixPath) -> str:
        """A page for a folder: its files, each with a page of its own, and folders that have a page to begin with."""
        text = f"---\norphan: true\n---\n# `{path}/`\n\n"
        for entry in sorted((ROOT / path).iterdir()):
            inside = path / entry.name
            if entry.is_dir() and not any((entry / name).is_file() for name in ("README.md", "RULES.md")):
                continue
            way = posix_relative(None, self.ask(inside), page_of(path).parent)
            text += f"- [{entry.name}{'/' if entry.is_dir() else ''}]({way})\n"
        return text


def fenced(text: str, language: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def listed_source(path: PurePosixPath) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    language = LANGUAGES.get(path.suffix, "")
    if not language and text.startswith("#!"):
        first = text.partition("\n")[0]
        language = "python" if "python" in first else "bash" if "sh" in first else ""
    return f"---\norphan: true\n---\n# `{path}`\n\n" + fenced(text, language)


def copy_parts(parts: Path) -> None:
    """What pages load and Sphinx does not touch: the engine, the viewer's modules, the sketches, the playground."""
    shutil.rmtree(parts, ignore_errors=True)
    kept_back = shutil.ignore_patterns("*.md", "*.mjs", "*.py", "__pycache__", "tests")
    shutil.copytree(SITE / "explain", parts / "explain", ignore=kept_back)
    subprocess.run([SITE / "playground" / "assemble", parts, DIST], check=True)
    still = [SITE / "explain" / "still.mjs", DIST / "carom.js", parts / "explain"]
    subprocess.run(["node", *map(str, still)], check=True)


def main() -> None:
    folder, parts = map(Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    stage = Stage(folder)
    for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]:
        stage.ask(PurePosixPath(name))
    for pages in BARS.values():
        for page in pages:
            if (ROOT / f"{page}.md").is_file():
                stage.ask(PurePosixPath(f"{page}.md"))
    for live in [SITE / "playground.md", *sorted((SITE / "explain").glob("*.md"))]:
        stage.ask(PurePosixPath(live.relative_to(ROOT)))
    stage.play_queue()
    for write in (api_c.pages, api_python.pages, api_javascript.pages):
        for path, text in write(ROOT):
            stage.write(PurePosixPath("api") / path, text)
    copy_parts(parts)


if __name__ == "__main__":
    main()
