# SPDX-License-Identifier: MIT
"""check_links.py FOLDER: every link of the built site leads somewhere, and no page requests anything from another host.

Checked are href, src, srcset and the like of every page, url() of every style sheet, and the place (#...) of a link.
Links of text to other hosts are listed and allowed; what a browser would load from one is an error.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads without being asked to: attributes of elements.
LOADED = {
    ("link", "href"),
    ("script", "src"),
    ("img", "src"),
    ("img", "srcset"),
    ("source", "src"),
    ("source", "srcset"),
    ("iframe", "src"),
    ("video", "src"),
    ("audio", "src"),
    ("object", "data"),
    ("use", "href"),
    ("image", "href"),
}


class Page(HTMLParser):
    """The places of a page, and what it links to and loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif (tag, name) in LOADED:
                self.loads += [part.split()[0] for part in value.split(",")] if name == "srcset" else [value]
            elif tag == "a" and name == "href":
                self.links.append(value)


class Site:
    """A built site, and what is wrong with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
        self.wrong: list[str] = []
        self.checked = 0

    def check(self, page: Path, link: str, loads: bool) -> None:
        """Takes down what is wrong with a link of a page or style sheet."""
        where = page.relative_to(self.folder)
        parts = urlsplit(link)
        self.checked += 1
        if parts.scheme in ("data", "mailto"):
            return
        if parts.scheme or parts.netloc:
            if loads:
                self.wrong.append(f"{where}: asks another host: {link}")
            return
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if target.is_dir():
            target /= "index.html"
        if not target.is_file() or not target.is_relative_to(self.folder):
            self.wrong.append(f"{where}: there is no {link}")
        elif parts.fragment and target in self.pages and unquote(parts.fragment) not in self.pages[target].places:
            self.wrong.append(f"{where}: {link}: there is no such place on that page")

    def check_all(self) -> None:
        for path, page in self.pages.items():
            for link in page.links:
                self.check(path, link, loads=False)
            for link in page.loads:
                self.check(path, link, loads=True)
        for path in sorted(self.folder.rglob("*.css")):
            text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            for link in re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(r"@import\s+['\"]([^'\"]+)", text):
                if not link.startswith("#"):
                    self.check(path, link, loads=True)


def main() -> int:
    site = Site(Path(sys.argv[1]).resolve())
    site.check_all()
    for line in site.wrong:
        print(line)
    print(f"links: {site.checked} of {len(site.pages)} pages, {len(site.wrong)} wrong")
    return 1 if site.wrong or not site.pages else 0


if __name__ == "__main__":
    sys.exit(main())
