# SPDX-License-Identifier: MIT
"""test_site.py FOLDER [UNITTEST'S OPTIONS]: the built site in Chromium, by Playwright.

No page writes to the console, contacts other servers or is wider than 360 pixels; the start page has a race; sketches
show what the same engine computes under Node; without JavaScript there are pictures and text.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import shutil
import subprocess
import sys
import threading
import unittest
from pathlib import Path
from typing import Any, ClassVar

from playwright.sync_api import Browser, Page, sync_playwright

FOLDER: Path
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
SKETCHES = sorted(path.stem for path in (Path(__file__).parents[2] / "site" / "explain").glob("*.md"))
# Elements wider than the window, outside scrolling containers.
WIDE = """() => [...document.querySelectorAll("main *, article *")].filter((element) => {
    const {width, right} = element.getBoundingClientRect();
    if (width === 0 || right <= innerWidth + 1) return false;
    for (let parent = element.parentElement; !parent.matches("body, .content"); parent = parent.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(parent).overflowX)) return false;
    }
    return true;
}).map((element) => element.outerHTML.slice(0, 80))"""
# A checksum of the race's canvas, and its number of colours.
SHOWN = """() => {
    const {canvas} = window.race;
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
    copy.drawImage(canvas, 0, 0);
    const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Uint32Array(data.buffer);
    return [pixels.reduce((sum, pixel) => (Math.imul(sum, 31) + pixel) | 0, 0), new Set(pixels).size];
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A silent file server."""

    extensions_map: ClassVar = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # a page was left before it was whole
            super().handle()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Sites(unittest.TestCase):
    """The site, served, and a browser."""

    browser: Browser
    address: str

    @classmethod
    def setUpClass(cls) -> None:
        handler = functools.partial(Quiet, directory=str(FOLDER))
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.address = f"http://127.0.0.1:{cls.server.server_address[1]}/"
        cls.playwright = sync_playwright().start()
        chromium = shutil.which("chromium")
        cls.browser = cls.playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()
        cls.playwright.stop()
        cls.server.shutdown()
        cls.server.server_close()

    def open(self, **options: Any) -> tuple[Page, list[str]]:
        """A page, and what goes wrong on it: messages, errors, and requests that fail or go elsewhere."""
        page = self.browser.new_page(**options)
        self.addCleanup(page.close)
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on(
            "response", lambda answer: wrong.append(f"{answer.status}: {answer.url}") if answer.status >= 400 else None
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((self.address, "data:", "blob:"))
                else wrong.append(f"asks {request.url}")
            ),
        )
        return page, wrong

    def test_every_page_on_a_phone(self) -> None:
        page, wrong = self.open(viewport=PHONE)
        names = [path.relative_to(FOLDER).as_posix() for path in sorted(FOLDER.rglob("*.html"))]
        self.assertGreater(len(names), 100)
        for name in names:
            with self.subTest(page=name):
                page.goto(self.address + name, wait_until="load")
                width = page.evaluate("document.documentElement.scrollWidth")
                self.assertEqual((width, page.evaluate(WIDE), wrong), (PHONE["width"], [], []))
                wrong.clear()

    def test_race(self) -> None:
        grounds = set()
        for scheme in ("light", "dark"):
            for size in (DESK, PHONE):
                with self.subTest(scheme=scheme, size=size):
                    page, wrong = self.open(viewport=size, color_scheme=scheme)
                    page.goto(self.address + "index.html")
                    page.wait_for_function("window.race !== undefined && window.race.time > 4", timeout=30000)
                    box = page.locator("canvas.race").bounding_box()
                    assert box is not None
                    self.assertLess(box["y"] + box["height"], size["height"], "not in the first screen")
                    self.assertLessEqual(box["x"] + box["width"], size["width"])
                    before, colours = page.evaluate(SHOWN)
                    self.assertGreater(colours, 50)
                    time = page.evaluate("window.race.time")
                    page.wait_for_function(f"window.race.time > {time} + 1")
                    self.assertNotEqual(page.evaluate(SHOWN)[0], before, "nothing moves")
                    grounds.add((scheme, page.evaluate("window.race.theme.ground")))
                    self.assertEqual(wrong, [])
                    page.close()
        self.assertEqual(len({ground for _, ground in grounds}), 2, "the same colours in dark and light")

    def test_race_pauses(self) -> None:
        page, wrong = self.open(viewport=DESK)
        page.goto(self.address + "index.html")
        page.wait_for_function("window.race !== undefined && window.race.time > 3", timeout=30000)
        page.locator("canvas.race").press(" ")
        page.wait_for_timeout(100)
        before, shown = page.evaluate("window.race.time"), page.evaluate(SHOWN)
        page.wait_for_timeout(300)
        self.assertEqual((page.evaluate("window.race.time"), page.evaluate(SHOWN)), (before, shown))
        page.locator("canvas.race").click()
        page.wait_for_function(f"window.race.time > {before}")
        self.assertEqual(wrong, [])

    def test_race_rests_where_less_motion_is_wanted(self) -> None:
        page, _ = self.open(viewport=PHONE, reduced_motion="reduce")
        page.goto(self.address + "index.html")
        page.wait_for_function("window.race !== undefined", timeout=30000)
        self.assertTrue(page.evaluate("window.race.paused"))

    def test_sketches_show_the_engine_s_numbers(self) -> None:
        page, wrong = self.open(viewport=PHONE, reduced_motion="reduce")  # nothing moves by itself meanwhile
        states, shown = {}, {}
        for name in SKETCHES:
            if name == "index":
                continue
            page.goto(f"{self.address}explain/{name}.html")
            page.wait_for_function(f"document.getElementById('{name}').sketch?.ready", timeout=30000)
            state, numbers = page.evaluate(
                f"async () => {{ const {{sketch}} = document.getElementById('{name}'); await sketch.ready;"
                " return [JSON.stringify(sketch.state), JSON.stringify(await sketch.numbers())]; }"
            )
            states[name], shown[name] = json.loads(state), json.loads(numbers)
        self.assertEqual(wrong, [])
        self.assertGreater(len(shown), 10)
        node = ["node", str(Path(__file__).with_name("numbers.mjs")), str(FOLDER)]
        answer = subprocess.run(
            node, input=json.dumps(states), capture_output=True, text=True, timeout=120, check=False
        )
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        found = json.loads(answer.stdout)
        self.assertEqual(found.keys(), shown.keys())
        for name, numbers in found.items():
            with self.subTest(sketch=name):
                self.assertGreater(len(numbers), 0)
                self.assertTrue(shown[name] == numbers, "other numbers than Node's")

    def test_without_javascript(self) -> None:
        context = self.browser.new_context(java_script_enabled=False, viewport=PHONE)
        self.addCleanup(context.close)
        page = context.new_page()
        for name in ["index.html", *(f"explain/{name}.html" for name in SKETCHES)]:
            with self.subTest(page=name):
                page.goto(self.address + name)
                self.assertGreater(len(page.locator("article").inner_text()), 300)
                images = page.locator("article img").all()
                for image in images:
                    self.assertGreater(image.evaluate("image => image.naturalWidth"), 0)
                    self.assertGreater(len(image.get_attribute("alt") or ""), 5)
                if name != "explain/index.html":
                    self.assertGreaterEqual(len(images), 1)


if __name__ == "__main__":
    FOLDER = Path(sys.argv.pop(1)).resolve()
    unittest.main()
