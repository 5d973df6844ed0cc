#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The playground in a real, headless Chromium.

usage: test_playground.py CAROM FOLDER [unittest options]

CAROM is the command, FOLDER what site/playground/assemble has written. Without Chromium or Playwright the test skips
itself (exit status 77). bench/page measures what a frame of it costs.
"""
import functools
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None
MISSING = ("Chromium is missing (Debian: chromium)" if CHROMIUM is None else
           "Playwright is missing (pip install playwright)" if sync_playwright is None else None)
CAROM, FOLDER = sys.argv[1], sys.argv[2]


class Files(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                      ".js": "text/javascript"}

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=FOLDER))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def until(page, what, seconds=20):
    for _ in range(seconds * 20):
        if page.evaluate(what):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {what}")


@unittest.skipIf(MISSING is not None, MISSING or "")
class Playground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.address = serve()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def open(self, hash_="", width=1200, height=800, at=None, ready="window.carom?.viewer != null", **options):
        self.said, self.asked = [], []
        at = at or self.address + "playground/"
        origin = at[:at.index("/", len("http://"))]
        page = self.browser.new_page(viewport={"width": width, "height": height}, **options)
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(at + hash_)
        until(page, ready)
        self.addCleanup(self.check, page, origin, self.said, self.asked)
        return page

    def check(self, page, origin, said, asked):
        """The console is silent, and nothing is asked of another host."""
        page.close()
        self.assertEqual(said, [])
        self.assertEqual([url for url in asked if not url.startswith((origin, "data:", "blob:"))], [])

    def pause(self, page):
        page.evaluate("carom.viewer.setPlaying(false)")
        page.wait_for_timeout(200)

    def choose(self, page, what):
        page.select_option("#what", what)
        page.wait_for_timeout(100)
        page.evaluate("carom.idle()")
        until(page, "carom.frame > 5")
        self.pause(page)

    def digest(self, page):
        page.click("#count-digest")
        until(page, "document.getElementById('digest').textContent.length === 16")
        return page.inner_text("#digest")

    def test_edits_saves_reloads_and_replays_like_the_command(self):
        page = self.open()
        self.choose(page, "scene arena")
        page.fill("#sliders input[type=number][data-parameter=restitution]", "0.75")
        page.press("#sliders input[type=number][data-parameter=restitution]", "Tab")
        page.evaluate("carom.idle()")
        until(page, "carom.bench.scenes.at(-1).scene.bodies[0].restitution === 0.75")
        page.click("[data-tool=wall]")
        box = page.locator("#moving").bounding_box()
        page.mouse.move(box["x"] + 0.45 * box["width"], box["y"] + 0.1 * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"] + 0.55 * box["width"], box["y"] + 0.1 * box["height"], steps=4)
        page.mouse.up()
        until(page, "carom.bench.scenes.at(-1).scene.walls.length === 2")
        with page.expect_download() as waiting, tempfile.TemporaryDirectory() as folder:
            page.click("#save")
            path = pathlib.Path(folder) / "scene.json"
            waiting.value.save_as(path)
            scene = json.loads(path.read_text())
            page.set_input_files("#file", path)
            until(page, "document.getElementById('what').value === 'scene file'")
            until(page, "carom.frame > 60 && carom.bench.scenes.at(-1).scene.walls.length === 2")
            self.pause(page)
            ticks = page.evaluate("carom.frame")
            mine = self.digest(page)
            ran = subprocess.run([CAROM, "run", path, "--ticks", str(ticks), "--seed", "1"], capture_output=True,
                                 text=True, check=True)
        self.assertEqual(scene["bodies"][3]["restitution"], 0.75)
        self.assertEqual(re.search(r"digest +([0-9a-f]{16})", ran.stdout)[1], mine)

    def test_throws_forks_and_marks_the_first_difference(self):
        page = self.open()
        self.choose(page, "scene arena")
        frame = page.evaluate("carom.frame")
        page.keyboard.press("c")
        until(page, "carom.viewer.film.worlds === 2")
        page.fill("#place [name=vx]", "9")
        page.click("#place button")
        until(page, "carom.viewer.film.body(0, 1, carom.viewer.state.body).vx === 9")
        page.evaluate("carom.viewer.setPlaying(true)")
        until(page, "carom.frame > 5")
        self.pause(page)
        self.assertEqual(page.inner_text("#difference"), f"First difference: tick {frame}, body 0.")
        page.click("#keep-1")
        until(page, "carom.viewer.film.worlds === 1")

    def test_a_human_plays_csb(self):
        page = self.open()
        self.pause(page)
        page.select_option("[data-seat='0']", "human")
        until(page, "carom.bench.side !== null && carom.frame > 3")
        page.keyboard.press("2")
        page.click("[data-does='1 shield']")
        until(page, "carom.viewer.film.frames.length > 8")
        self.assertEqual(page.evaluate("carom.bench.side.active"), 1)

    def test_damaged_addresses_are_refused(self):
        for hash_, said in (("#scene=***", "not base64"), ("#scene=AAAA", "damaged")):
            page = self.open(hash_)
            self.assertIn(said, page.inner_text("#status"))

    def view(self, *arguments):
        """`carom view` with the playground installed beside it: the address that it prints."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        (root / "bin").mkdir()
        (root / "share" / "carom").mkdir(parents=True)
        shutil.copy(CAROM, root / "bin" / "carom")
        (root / "share" / "carom" / "web").symlink_to(pathlib.Path(FOLDER).resolve())
        process = subprocess.Popen([root / "bin" / "carom", "view", *arguments, "--no-open"], stdout=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        return process.stdout.readline().split()[0]

    def test_carom_view_links_to_it(self):
        page = self.open(at=self.view("fall", "--worlds", "1"), ready="window.carom != null")
        page.click("text=Playground")
        until(page, "window.carom?.bench !== undefined && carom.frame > 5")
        self.assertEqual(page.evaluate("carom.viewer.film.game"), "fall")

    def test_carom_view_gives_it_a_scene(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "mine.json"
            scene.write_text('{"dt": 0.1, "bodies": [{"vx": 1}, {"x": 5}, {"x": 9}]}')
            page = self.open(at=self.view(scene, "--playground"))
            until(page, "carom.frame > 5")
        self.assertEqual(page.evaluate("[carom.viewer.film.game, carom.viewer.film.bodies]"), ["scene", 3])
        self.assertTrue(any(url.endswith("/alive") for url in self.asked))

    def test_phone(self):
        page = self.open(width=360, height=760)
        self.assertLessEqual(page.evaluate("document.scrollingElement.scrollWidth"), 360)
        nameless = page.evaluate("""() => [...document.querySelectorAll("button, input, select, textarea")].filter(e =>
            !(e.getAttribute("aria-label") || e.closest("label") || e.textContent.trim())).map(e => e.outerHTML)""")
        self.assertEqual(nameless, [])


if __name__ == "__main__":
    result = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False).result
    if MISSING:
        print(f"test_playground: the page was not tested: {MISSING}", file=sys.stderr)
    sys.exit(77 if MISSING else 0 if result.wasSuccessful() else 1)
