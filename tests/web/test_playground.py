#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The playground in a real, headless Chromium.

usage: test_playground.py CAROM FOLDER [unittest options]

CAROM is the command, FOLDER the output of site/playground/assemble. Without Chromium or Playwright the test is skipped
(exit status 77). bench/page measures the cost of its frames.
"""
import functools
import http.server
import json
import math
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

    def open(self, hash_="", width=1200, height=800, at=None, ready="window.carom?.viewer != null",
             clock=False, **options):
        self.said, self.asked = [], []
        at = at or self.address + "playground/"
        origin = at[:at.index("/", len("http://"))]
        page = self.browser.new_page(viewport={"width": width, "height": height}, **options)
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        if clock:
            page.clock.install()
        page.goto(at + hash_)
        until(page, ready)
        self.addCleanup(self.check, page, origin, self.said, self.asked)
        return page

    def check(self, page, origin, said, asked):
        """Nothing is written to the console, and no other host is contacted."""
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

    def human(self, game, seats=None):
        """A game in which a person plays the first side; seats: the players of further sides."""
        page = self.open("#" + game)
        for seat, who in {**(seats or {}), "0": "human"}.items():
            page.select_option(f"[data-seat='{seat}']", who)
            page.evaluate("carom.idle()")
        until(page, "carom.bench.side !== null && carom.viewer.film.frames.length > 1")
        return page

    def point(self, page, x, y, world=0):
        """The position in the window of a point of a world."""
        return page.evaluate("""async ([world, x, y]) => {
            const {cellsOf, toX, toY} = await import(new URL("../viewer/draw.js", location.href));
            const canvas = document.getElementById("moving");
            const box = canvas.getBoundingClientRect();
            const cell = cellsOf(carom.viewer.film, carom.viewer.state, canvas.clientWidth, canvas.clientHeight)
                .find((one) => one.world === world);
            return [box.left + toX(cell, x), box.top + toY(cell, y)];
        }""", [world, x, y])

    def body(self, page, body, world=0):
        """A body at the frame that is shown: x, y, vx, vy."""
        return page.evaluate("""([world, body]) => {
            const {x, y, vx, vy} = carom.viewer.film.body(carom.frame, world, body);
            return [x, y, vx, vy];
        }""", [world, body])

    def drag(self, page, body, to):
        """From a body to a point."""
        x, y, *_ = self.body(page, body)
        page.mouse.move(*self.point(page, x, y))
        page.mouse.down()
        page.mouse.move(*self.point(page, *to), steps=4)
        page.mouse.up()

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
            self.assertEqual(self.command_digest(path, ticks), mine)
        self.assertEqual(scene["bodies"][3]["restitution"], 0.75)

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
        kept = page.evaluate("carom.viewer.film.state(carom.frame, 1).hash")
        page.click("#keep-1")
        until(page, "carom.viewer.film.worlds === 1")
        self.assertEqual(page.evaluate("carom.viewer.film.state(0, 0).hash"), kept)

    def test_a_human_plays_csb(self):
        page = self.open()
        self.pause(page)
        page.select_option("[data-seat='0']", "human")
        until(page, "carom.bench.side !== null && carom.frame > 3")
        page.keyboard.press("2")
        page.click("[data-does='1 shield']")
        until(page, "carom.viewer.film.frames.length > 8")
        self.assertEqual(page.evaluate("carom.bench.side.active"), 1)

    def test_throws_and_moves_with_the_pointer(self):
        page = self.open()
        self.choose(page, "scene arena")
        frame, (x, y, *_), dt = page.evaluate("carom.frame"), self.body(page, 3), page.evaluate("carom.bench.dt()")
        page.keyboard.press("v")
        self.drag(page, 3, (x + 2, y + 1))
        until(page, f"carom.viewer.film.body({frame}, 0, 3).vx > {1.5 / (10 * dt)}")
        now = self.body(page, 3)
        for found, wanted in zip(now, (x, y, 2 / (10 * dt), 1 / (10 * dt)), strict=True):
            self.assertAlmostEqual(found, wanted, delta=0.01 + 0.1 * abs(wanted))
        page.keyboard.press("m")
        self.drag(page, 3, (x + 0.5, y))
        until(page, f"carom.viewer.film.body({frame}, 0, 3).x > {x + 0.3}")
        self.assertEqual(self.body(page, 3)[2:], now[2:])
        page.keyboard.press("u")
        until(page, f"carom.viewer.film.body({frame}, 0, 3).x < {x + 0.1}")
        self.assertEqual(self.body(page, 3), now)
        page.keyboard.press(" ")
        until(page, f"carom.frame > {frame + 3}")
        self.assertGreater(math.dist(self.body(page, 3)[:2], (x, y)), 0.1)

    def test_flicks_a_stone(self):
        page = self.human("stones")
        x, y, *_ = self.body(page, 0)
        self.drag(page, 0, (x - 100, y + 40))
        until(page, "carom.viewer.film.body(carom.frame, 0, 0).vx > 0")
        _, _, vx, vy = self.body(page, 0)
        self.assertAlmostEqual(vy / vx, -0.4, delta=0.1)
        self.pause(page)
        page.click("text=Push the selected stone")
        self.assertEqual(page.evaluate("carom.bench.side.push.speed"), 20)
        page.evaluate("carom.viewer.setPlaying(true)")  # a key would press the button again
        until(page, "carom.bench.side.push === null")

    def test_wizards_throw_and_cast_spells(self):
        page = self.human("fantastic_bits", seats={"1": "zero"})
        page.select_option("#speed", "20")
        for _ in range(200):
            snaffle, x, y, held = page.evaluate("""() => {
                const {film} = carom.viewer;
                const [wizard, , , , ...rest] = film.about.map((_, k) => film.body(film.frames.length - 1, 0, k));
                const far = ({x, y, there}) => (there ? Math.hypot(x - wizard.x, y - wizard.y) : Infinity);
                const distances = rest.slice(0, 7).map(far);
                const nearest = distances.indexOf(Math.min(...distances));
                if (distances[nearest] === 0) {
                    carom.viewer.setPlaying(false);
                }
                return [4 + nearest, rest[nearest].x, rest[nearest].y, distances[nearest] === 0];
            }""")
            page.keyboard.press("1")
            page.mouse.click(*self.point(page, 15000 if held else x, y))
            if held:
                break
            page.wait_for_timeout(50)
        page.keyboard.press("1")
        page.keyboard.press("s")
        page.evaluate("carom.viewer.setPlaying(true)")
        until(page, f"carom.viewer.film.frames.some((_, k) => carom.viewer.film.body(k, 0, {snaffle}).vx > 300)")
        page.select_option("#speed", "60")
        mana = "carom.viewer.film.values(carom.frame, 0)[2]"
        until(page, f"{mana} >= 20")
        self.pause(page)
        page.evaluate("carom.viewer.show(0, 2)")  # an opponent
        page.keyboard.press("j")
        self.assertEqual(page.get_attribute("[data-does='0 flipendo']", "aria-pressed"), "true")
        page.keyboard.press(" ")
        spent = "carom.viewer.film.values(k, 0)[2] < carom.viewer.film.values(k - 1, 0)[2]"
        until(page, f"carom.viewer.film.frames.some((_, k) => k > 0 && {spent})")

    def test_plays_soccer(self):
        page = self.human("soccer")
        page.keyboard.press("2")
        x, y, *_ = self.body(page, 1)
        page.mouse.click(*self.point(page, x - 1, y + 1))
        page.keyboard.press("x")
        until(page, f"carom.viewer.film.body(carom.frame, 0, 1).x < {x - 0.4}")
        self.assertGreater(self.body(page, 1)[1], y + 0.2)
        self.assertEqual(page.evaluate("carom.bench.side.unit.does"), "dribble")  # continues
        page.keyboard.press("s")
        until(page, "carom.bench.side.unit.does === ''")

    def test_a_result_and_a_rematch(self):
        page = self.human("csb")
        self.pause(page)
        page.fill("[data-option=ticks]", "12")
        page.press("[data-option=ticks]", "Tab")
        page.evaluate("carom.idle()")
        page.select_option("#speed", "60")
        page.keyboard.press(" ")
        until(page, "!document.getElementById('verdict').hidden")
        self.assertRegex(page.inner_text("#verdict-text"),
                         r"^(You win|Player 2 wins|Nobody wins), .* : .*, after 12 ticks")
        page.click("#rematch")
        until(page, "document.getElementById('verdict').hidden && carom.viewer.film.frames.length < 10")
        self.assertEqual(page.input_value("#seed"), "2")
        self.assertEqual(page.input_value("[data-option=ticks]"), "12")
        until(page, "!document.getElementById('verdict').hidden")

    def test_plays_against_a_planner_and_shows_what_it_looks_at(self):
        page = self.human("csb")
        self.assertFalse(page.is_visible("#generation"))
        page.select_option("[data-seat='1']", "cem:200")
        until(page, "carom.viewer.frames > 6 && carom.viewer.film.frames[3].ghosts[0]?.length > 2")
        page.evaluate("carom.viewer.goTo(3)")
        until(page, "!document.getElementById('at-search').hidden")
        self.assertRegex(page.inner_text("#search"), r"player 1, generation\s+(\d+) of \1\b")
        self.assertTrue(page.is_visible("#ghosts"))
        page.keyboard.press("h")  # in turn
        page.keyboard.press("h")
        until(page, "/generation\\s+1 of/.test(document.getElementById('search').innerText)")
        shown = page.screenshot()
        page.keyboard.press("g")
        page.wait_for_timeout(100)
        self.assertNotEqual(page.screenshot(), shown)

    def test_touch(self):
        page = self.open(width=360, height=760, has_touch=True, is_mobile=True)
        self.choose(page, "scene arena")
        page.tap("[data-tool=throw]")
        x, y, *_ = self.body(page, 3)
        devtools = page.context.new_cdp_session(page)
        for kind, to in ("Start", (x, y)), ("Move", (x + 1, y)), ("Move", (x + 2, y)), ("End", None):
            points = [] if to is None else [dict(zip("xy", self.point(page, *to), strict=True))]
            devtools.send("Input.dispatchTouchEvent", {"type": "touch" + kind, "touchPoints": points})
        speed = 2 / (10 * page.evaluate("carom.bench.dt()"))
        until(page, f"Math.abs(carom.viewer.film.body(carom.frame, 0, 3).vx - {speed}) < {0.1 * speed}")

    def test_keyboard(self):
        page = self.human("csb")
        until(page, "carom.frame > 2")
        self.pause(page)
        page.keyboard.press("2")
        unit = "carom.bench.side.units[1]"
        x, y = page.evaluate(f"[{unit}.x, {unit}.y]")
        for key in "ArrowLeft", "ArrowLeft", "ArrowDown", "s":
            page.keyboard.press(key)
        self.assertLess(page.evaluate(f"{unit}.x"), x)
        self.assertGreater(page.evaluate(f"{unit}.y"), y)  # y grows downwards
        self.assertEqual(page.get_attribute("[data-does='1 shield']", "aria-pressed"), "true")
        page.keyboard.press("l")
        self.assertEqual(page.get_attribute("[data-tool=look]", "aria-pressed"), "true")
        page.keyboard.press("ArrowLeft")  # of the viewer again: to the start of the tick, and one further
        frame = page.evaluate("carom.frame")
        page.keyboard.press("ArrowLeft")
        self.assertEqual(page.evaluate("carom.frame"), frame - 1)
        page.keyboard.press("r")
        until(page, f"carom.viewer.film.frames.length > {frame + 2}")

    def test_scene_as_text(self):
        page = self.open("#fall")
        self.choose(page, "scene arena")
        page.click("text=Edit the JSON")
        text = json.loads(page.input_value("#text"))
        text["bodies"] = text["bodies"][:5]
        page.fill("#text", json.dumps(text))
        page.click("#take-text")
        until(page, "carom.viewer.film.bodies === 5")
        page.fill("#text", "{")
        page.click("#take-text")
        self.assertIn("not JSON", page.inner_text("#status"))

    def test_dark(self):
        page = self.open("#fall", color_scheme="dark")
        ground = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(page.evaluate(ground), "rgb(16, 21, 28)")
        names = ["#begin", "#what", "#seed", "[data-tool=look]", ".help", "#digest"]
        shades = page.evaluate("""(names) => names.map((name) => {
            const style = getComputedStyle(document.querySelector(name));
            const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).reduce((sum, c) => sum + Number(c), 0);
            return [name, style.backgroundColor, Math.abs(light(style.color) - light(style.backgroundColor))];
        })""", names)
        for name, ground_of, contrast in shades:
            if ground_of != "rgba(0, 0, 0, 0)":
                self.assertGreater(contrast, 300, name)
        page.keyboard.press("d")
        until(page, "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'")

    def test_an_engine_that_does_not_answer_is_ended(self):
        page = self.open("#fall", clock=True)
        self.pause(page)
        page.evaluate("""() => {
            window.post = Worker.prototype.postMessage;
            Worker.prototype.postMessage = () => {};
        }""")
        page.evaluate("document.getElementById('count-digest').click()")  # page.click() waits for a clock that is real
        page.clock.fast_forward(19000)
        self.assertNotIn("stopped", page.inner_text("#status"))
        page.clock.fast_forward(2000)
        until(page, "document.getElementById('status').textContent.includes('The engine was stopped')")
        page.evaluate("() => { Worker.prototype.postMessage = window.post; }")
        page.evaluate("document.getElementById('begin').click()")
        until(page, "carom.viewer.state.playing && carom.frame > 2")

    def test_damaged_addresses_are_refused(self):
        for hash_, said in (("#scene=***", "not base64"), ("#scene=AAAA", "damaged")):
            page = self.open(hash_)
            self.assertIn(said, page.inner_text("#status"))

    def view(self, *arguments):
        """`carom view` with the playground installed next to it: the address that it prints."""
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

    def test_a_scene_in_the_address_is_the_one_that_was_edited(self):
        page = self.open()
        self.choose(page, "scene arena")
        page.click("[data-tool=polygon]")
        x, y = self.point(page, 8, 6)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 20, y, steps=3)
        page.mouse.up()
        until(page, "carom.bench.scenes.at(-1).scene.polygons?.at(-1).corners.length === 6")
        page.click("#link")
        until(page, "location.hash.startsWith('#scene=')")
        text = page.input_value("#text")
        other = self.open(page.evaluate("location.hash"))
        until(other, "carom.frame > 5")
        self.pause(other)
        self.assertEqual(other.evaluate("carom.bench.scenes[0].scene"), json.loads(text))
        ticks = other.evaluate("carom.frame")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scene.json"
            path.write_text(text)
            self.assertEqual(self.digest(other), self.command_digest(path, ticks))

    def command_digest(self, path, ticks):
        ran = subprocess.run([CAROM, "run", path, "--ticks", str(ticks), "--seed", "1"], capture_output=True, text=True,
                             check=True)
        return re.search(r"digest +([0-9a-f]{16})", ran.stdout)[1]

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
