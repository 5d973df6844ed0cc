# SPDX-License-Identifier: MIT
"""test_reference.py FOLDER [UNITTEST'S OPTIONS]: the built site's reference is complete.

Each public function, type, member, value and macro of the headers, each public name of the Python package and of the
JavaScript package has its place on a page of the site, and each of their comments its text. Public names are found here
by other, coarser means than the site's own. Needs no browser.
"""

from __future__ import annotations

import ast
import html
import re
import sys
import tempfile
import unittest
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "site"))

import api_c  # noqa: E402
import check_links  # noqa: E402
import stage  # noqa: E402

FOLDER: Path
PUBLIC = [path for path in sorted((ROOT / "include" / "carom").glob("*.h")) if path.name != "carom.h"]
PUBLIC += [ROOT / "include" / "carom" / "kit" / "rules.h"]
PACKAGE = ROOT / "python" / "carom"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
HEADINGS = {"Args:", "Returns:", "Raises:", "Yields:"}


def letters(text: str) -> str:
    """The letters and digits of a text in lower case, which neither markup nor line breaks change."""
    return re.sub(r"[\W_]+", "", text).lower()


@cache
def page(name: str) -> tuple[set[str], str]:
    """The anchors of a reference page, and the letters of its text."""
    text = (FOLDER / "api" / name).read_text(encoding="utf-8")
    body = text[text.index("<article") : text.index("</article>")]
    body = re.sub(r'<a class="headerlink".*?</a>', "", body)
    return set(re.findall(r'\bid="([^"]+)"', body)), letters(html.unescape(re.sub(r"<[^>]+>", "", body)))


# ---- C ----


def names_inside(body: str) -> set[str]:
    """The members of a struct, including nested structs, or the values of an enum."""
    names = set()
    for one in re.split(r"[;{},]", COMMENT.sub("", body)):
        code = one.partition("=")[0].strip()
        found = re.search(r"\(\*(\w+)\)\(", code) or re.search(r"(\w+)(?:\[[^\]]*\])*$", code)
        if found and found[1] not in ("struct", "union"):
            names.add(found[1])
    return names


def declared(text: str) -> Iterator[tuple[str, set[str]]]:
    """The public names of a header with those within them."""
    code = COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for name in re.findall(r"^CAROM_API\b[^;{]*?\b(carom_\w+)\(", code, re.MULTILINE):
        yield name, set()
    for name in re.findall(r"^#define (CAROM_(?!\w+_H\n)(?!API\b)\w+)", code, re.MULTILINE):
        yield name, set()
    for body, name in re.findall(
        r"^typedef (?:struct|enum|union) \w+ \{\n(.*?)\n\} (\w+);", code, re.DOTALL | re.MULTILINE
    ):
        yield name, names_inside(re.sub(r"(\([^()]*\))\(.*?\)", r"\1()", body.replace("\n", " ")))


class C(unittest.TestCase):
    """The headers."""

    def test_names(self) -> None:
        count = 0
        for path in PUBLIC:
            places, _ = page(f"c/{path.relative_to(ROOT / 'include' / 'carom').with_suffix('.html')}")
            for name, inside in declared(path.read_text(encoding="utf-8")):
                with self.subTest(header=path.name, name=name):
                    self.assertIn(f"c.{name}", places)
                    shown = {place.rpartition(".")[2] for place in places if place.startswith(f"c.{name}.")} | places
                    self.assertEqual({one for one in inside if one not in shown and f"c.{one}" not in shown}, set())
                count += 1 + len(inside)
        self.assertGreater(count, 1000)

    def test_comments(self) -> None:
        count = 0
        for path in PUBLIC:
            _, text = page(f"c/{path.relative_to(ROOT / 'include' / 'carom').with_suffix('.html')}")
            for comment in COMMENT.findall(path.read_text(encoding="utf-8").partition("#ifndef")[2]):
                said = letters(re.sub(r"(?m)^\s*\*? {1,3}\d+\. ", "", comment))
                with self.subTest(header=path.name, comment=comment):
                    self.assertTrue(said in text)
                count += 1
        self.assertGreater(count, 900)

    def test_declarations(self) -> None:
        """Text like the headers': none of it is lost, and each remark is next to its subject."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "some.h")
            path.write_text(SOME, encoding="utf-8")
            header = api_c.read(path, "some")
        self.assertEqual(header.about, ["What the header is about.", ""])
        told = [(entry.code, " ".join(entry.comment)) for entry in header.entries if entry.code or entry.comment]
        self.assertEqual(told, [
            ("#define CAROM_MOST 8", "the most"),
            ("", "---- a part ----"),
            ("struct carom_thing", "A thing."),
            ("enum carom_kind", ""),
            ("int carom_one(const carom_thing *thing, int count)", "Counts. Gives a number."),
            ("int carom_two(void)\nint carom_three(void)", "Both."),
        ])  # fmt: skip
        (thing,) = (entry for entry in header.entries if entry.code == "struct carom_thing")
        self.assertEqual([(one.code, " ".join(one.comment)) for one in thing.inside], [
            ("double x, *y", "places; in pixels"), ("int (*call)(void *with, int k)", "or NULL"), ("", "From here on:"),
            ("struct @deep deep[2]", ""), ("int last", ""),
        ])  # fmt: skip
        lines = "\n".join(api_c.entry_lines(thing, api_c.Names([header])))
        for word in (
            "member:: double x",
            "double *y",
            "int (*call)(void *with, int k)",
            "member:: int inner",
            "int last",
        ):
            self.assertIn(word, lines)


SOME = """\
/* SPDX-License-Identifier: MIT
 * What the header is about.
 */
#ifndef CAROM_SOME_H
#define CAROM_SOME_H
#include <stddef.h>

#define CAROM_MOST 8 /* the most */

/* ---- a part ---- */

/* A thing. */
typedef struct carom_thing {
    double x, *y;                   /* places;
                                       in pixels */
    int (*call)(void *with, int k); /* or NULL */
    /* From here on: */
    struct {
        int inner; /* deep */
    } deep[2];
    int last;
} carom_thing;

typedef enum carom_kind { CAROM_A, CAROM_B } carom_kind;

/* Counts.
 * Gives a number. */
CAROM_API int carom_one(const carom_thing *thing,
                        int count);

/* Both. */
CAROM_API int carom_two(void);
CAROM_API int carom_three(void);

#endif
"""

# ---- Python ----


def public(path: Path) -> list[str]:
    """The names of a module that are for its users."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    for item in module.body:
        if isinstance(item, ast.Assign) and ast.unparse(item.targets[0]) == "__all__":
            return list(ast.literal_eval(item.value))
    return [
        item.name for item in module.body if isinstance(item, ast.ClassDef | ast.FunctionDef) and item.name[0] != "_"
    ]


def documented(path: Path, wanted: set[str]) -> Iterator[tuple[str, str]]:
    """The names and docstrings of a module's public definitions, and of their public members."""
    for item in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(item, ast.ClassDef | ast.FunctionDef) and item.name in wanted:
            yield item.name, ast.get_docstring(item) or ""
            for inner in item.body if isinstance(item, ast.ClassDef) else []:
                if isinstance(inner, ast.FunctionDef) and inner.name[0] != "_":
                    marks = {ast.unparse(mark).rpartition(".")[2] for mark in inner.decorator_list}
                    if not marks & {"setter", "overload"}:
                        yield f"{item.name}.{inner.name}", ast.get_docstring(inner) or ""


class Python(unittest.TestCase):
    """The package."""

    def test_names_and_docstrings(self) -> None:
        places: set[str] = set()
        text = ""
        for path in sorted((FOLDER / "api" / "python").glob("*.html")):
            found, said = page(f"python/{path.name}")
            places |= found
            text += said
        whole = set(public(PACKAGE / "__init__.py"))
        for name in whole - {"__version__"}:
            with self.subTest(name=name):
                self.assertTrue(f"carom.{name}" in places or (PACKAGE / f"{name}.py").is_file())
        count = 0
        for path in sorted([*PACKAGE.glob("*.py"), *PACKAGE.glob("[a-z]*/__init__.py")]):
            module = path.stem if path.name != "__init__.py" else path.parent.name
            own = module != "carom" and not module.startswith("_")
            if own and path.name == "__init__.py":
                self.assertEqual({one for one in public(path) if f"carom.{module}.{one}" not in places}, set())
            for name, doc in documented(path, set(public(path)) if own else whole):
                with self.subTest(module=module, name=name):
                    self.assertIn(f"carom.{module}.{name}" if own else f"carom.{name}", places)
                    for line in doc.splitlines():
                        if line.strip() not in HEADINGS:
                            self.assertTrue(letters(line) in text, line)
                count += 1
        self.assertGreater(count, 250)


# ---- JavaScript ----


class JavaScript(unittest.TestCase):
    """The declarations of carom.d.ts."""

    def test_names_and_comments(self) -> None:
        source = (ROOT / "javascript" / "carom.d.ts").read_text(encoding="utf-8")
        places, text = page("javascript.html")
        names = re.findall(r"^export (?:declare )?(?:interface|class|function|type|const) (\w+)", source, re.MULTILINE)
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertIn(name, places)
        for member in re.findall(r"^ {2}(?:readonly )?(\w+)\??[(:<]", source, re.MULTILINE):
            self.assertTrue(letters(member) in text, member)
        for comment in COMMENT.findall(source):
            said = letters(re.sub(r"\{@link (\S+?)\}", r"\1", comment))
            with self.subTest(comment=comment):
                self.assertTrue(said in text)


# ---- what the site is made with ----


class Links(unittest.TestCase):
    """The check of links, and how links to files of the repository become links to pages."""

    def wrong(self, text: str, style: str = "") -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "index.html").write_text(text, encoding="utf-8")
            Path(folder, "other.html").write_text('<p id="here"></p><a name="old"></a>', encoding="utf-8")
            Path(folder, "site.css").write_text(style, encoding="utf-8")
            site = check_links.Site(Path(folder).resolve())
            site.check_all()
            return site.wrong

    def test_good(self) -> None:
        for text in (
            '<a href="other.html#here">', '<a href="other.html#old">', '<p id="x"><a href="#x">', '<a href=".">',
            '<a href="https://example.org/">', '<img src="data:image/png;base64,AA==">', '<img src="site.css?1">',
        ):  # fmt: skip
            self.assertEqual(self.wrong(text, "a { background: url(other.html) }"), [], text)

    def test_bad(self) -> None:
        for text in (
            '<a href="none.html">', '<a href="other.html#there">', '<a href="#x">', '<a href="../x.html">',
            '<script src="https://example.org/a.js">', '<link href="//example.org/a.css">', '<img src="none.png">',
            '<img srcset="site.css 1x, none.png 2x">', '<iframe src="https://example.org/">',
        ):  # fmt: skip
            self.assertEqual(len(self.wrong(text)), 1, text)
        for style in ("a { background: url(none.png) }", "@import 'none.css';", "a { src: url('https://e.org/f') }"):
            self.assertEqual(len(self.wrong("", style)), 1, style)

    def test_of_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            staged = stage.Stage(Path(folder))
            path = stage.PurePosixPath("docs/x.md")
            for link, page_link in {
                "../README.md#use-it": "../index.md#use-it",
                "python.md": "python.md",
                "../include/carom/worlds.h": "../api/c/worlds.rst",
                "../scripts/test": "../source/scripts/test.md",
                "pictures/race.gif": "pictures/race.gif",
                "../kernel/": "../kernel/README.md",
                "https://example.org/": "https://example.org/",
            }.items():
                self.assertEqual(staged.linked(path, f"[a]({link})"), f"[a]({page_link})")
            self.assertEqual(staged.linked(path, "```c\n[a](none)\n```\n"), "```c\n[a](none)\n```\n")
            with self.assertRaises(SystemExit):
                staged.linked(path, "[a](none.md)")

    def test_readme_links_to_the_repository(self) -> None:
        for link in re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
            self.assertNotRegex(link, r"^[a-z]+:", "a host that may be gone tomorrow")
            self.assertTrue((ROOT / link.partition("#")[0]).exists(), link)


if __name__ == "__main__":
    FOLDER = Path(sys.argv.pop(1)).resolve()
    unittest.main()
