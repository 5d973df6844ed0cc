# SPDX-License-Identifier: MIT
"""test_sketches.py HTML: the sketches of a built site (scripts/site), in Chromium.

Each sketch is moved by mouse, finger and keyboard, on a phone's width, dark and light; its numbers must equal those of the
library, which Python asks. It needs Chromium (Debian: chromium), Playwright (PyPI: playwright) and the package carom;
without them it skips itself (exit status 77), and tests/skips.txt lists the reason.
"""

from __future__ import annotations

import functools
import http.server
import math
import shutil
import sys
import threading
import unittest
from pathlib import Path
from typing import Any

try:
    import numpy as np

    import carom
    from carom import measures
except ImportError:
    carom = None  # type: ignore[assignment]
try:
    from playwright.sync_api import Page, sync_playwright
except ImportError:
    sync_playwright = None  # type: ignore[assignment]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = (
    "Chromium is missing (Debian: chromium)" if CHROMIUM is None
    else "Playwright is missing (pip install playwright)" if sync_playwright is None
    else "the package carom is missing" if carom is None
    else None
)  # fmt: skip
NAMES = (
    "overlap", "swept", "both", "chain", "bounce", "wall", "kick", "fall", "quartic", "polygon", "formula", "disks",
    "lanes",
)  # fmt: skip
HTML = Path(sys.argv[1] if len(sys.argv) > 1 else "build-site/html")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site, with the types that modules need, and without a word."""

    extensions_map = {  # noqa: RUF012
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: Any) -> None:
        pass


class Browser(unittest.TestCase):
    """A browser with the site; every page must be silent and ask no other host."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=str(HTML))
        )
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()
        cls.playwright.stop()
        cls.server.shutdown()
        cls.server.server_close()

    def open(self, name: str, *, width: int = 1200, dark: bool = False, **options: Any) -> Page:
        """A page with a sketch that runs; animations rest, so that nothing moves by itself."""
        context = self.browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light",
            reduced_motion="reduce", **options,
        )  # fmt: skip
        self.addCleanup(context.close)
        page = context.new_page()
        self.said: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda problem: self.said.append(str(problem)))
        page.on("requestfailed", lambda request: self.said.append(f"failed: {request.url}"))
        host = f"http://127.0.0.1:{self.server.server_port}"
        page.on("request", lambda request: request.url.startswith((host, "data:")) or self.said.append(request.url))
        page.goto(f"{host}/explain/{name}.html")
        if options.get("java_script_enabled", True):
            page.wait_for_function("name => document.getElementById(name).sketch?.numbers", arg=name)
            page.locator(f"#{name} .stage").scroll_into_view_if_needed()
            page.wait_for_function("name => document.querySelector(`#${name} .words`).textContent", arg=name)
        return page

    def numbers(self, page: Page, name: str, changes: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the sketch computes after changes of its state; typed arrays come as lists."""
        return page.evaluate(  # type: ignore[no-any-return]
            """([name, changes]) => {
                const { sketch } = document.getElementById(name);
                sketch.set(changes);
                const plain = (value) => ArrayBuffer.isView(value) ? Array.from(value)
                    : Array.isArray(value) ? value.map(plain)
                    : value && typeof value === "object"
                        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
                    : value;
                return plain(sketch.numbers());
            }""",
            [name, changes or {}],
        )

    def state(self, page: Page, name: str) -> dict[str, Any]:
        """The sketch's state."""
        return page.evaluate("name => structuredClone(document.getElementById(name).sketch.state)", name)  # type: ignore[no-any-return]


class Moving(Browser):
    """Mouse, finger, keyboard; sizes and colours; readers without JavaScript."""

    def test_drawn_on_a_phone_in_the_dark(self) -> None:
        for name in NAMES:
            with self.subTest(name=name):
                page = self.open(name, width=360, dark=True)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
                shades = page.evaluate(
                    """name => {
                        const canvas = document.querySelector(`#${name} canvas`);
                        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
                        return new Set(new Uint32Array(data.buffer)).size;
                    }""",
                    name,
                )
                self.assertGreater(shades, 20, "nothing is drawn")
                self.assertEqual(self.said, [])

    def test_handles_by_mouse_and_keyboard(self) -> None:
        for name in NAMES:
            page = self.open(name)
            handles = page.locator(f"#{name} .handle")
            if name == "lanes":
                self.assertEqual(handles.count(), 0)
                continue
            for index in range(handles.count()):
                with self.subTest(name=name, handle=index):
                    before = self.state(page, name)
                    handles.nth(index).focus()
                    page.keyboard.press("ArrowUp")
                    page.keyboard.press("Shift+ArrowLeft")
                    after = self.state(page, name)
                    self.assertNotEqual(before, after)

            with self.subTest(name=name, by="mouse"):
                page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                last = handles.nth(handles.count() - 1)
                box = last.bounding_box()
                assert box
                x, y, before = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, self.state(page, name)
                page.mouse.move(x, y)
                page.mouse.down()
                page.mouse.move(x - 40, y - 30, steps=3)
                page.mouse.up()
                self.assertNotEqual(before, self.state(page, name))
            self.assertEqual(self.said, [])

    def test_handles_by_finger(self) -> None:
        for name in ("overlap", "polygon", "chain"):
            with self.subTest(name=name):
                page = self.open(name, width=360, has_touch=True, is_mobile=True)
                handle = page.locator(f"#{name} .handle").first
                box = handle.bounding_box()
                assert box
                self.assertGreaterEqual(min(box["width"], box["height"]), 36, "too small for a finger")
                x, y, before = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, self.state(page, name)
                session = page.context.new_cdp_session(page)
                for kind, places in (
                    ("touchStart", [{"x": x, "y": y}]),
                    ("touchMove", [{"x": x + 20, "y": y + 15}]),
                    ("touchEnd", []),
                ):
                    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
                self.assertNotEqual(before, self.state(page, name))

    def test_a_drag_moves_the_body_as_far_as_the_mouse(self) -> None:
        page = self.open("overlap")
        handle = page.locator("#overlap .handle").first
        box, width = handle.bounding_box(), page.evaluate("document.querySelector('#overlap .stage').clientWidth")
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + width / 16, y - width / 8, steps=2)
        page.mouse.up()
        state = self.state(page, "overlap")
        self.assertAlmostEqual(state["ax"], 6, delta=0.05)
        self.assertAlmostEqual(state["ay"], 4, delta=0.05)

    def test_sliders_choices_and_buttons(self) -> None:
        for name in NAMES:
            page = self.open(name)
            for kind, act in (
                ("input[type=range]", lambda one: one.press(
                    "ArrowRight" if one.input_value() == one.get_attribute("min") else "ArrowLeft")),
                ("input[type=checkbox]", lambda one: one.click()),
                ("select", lambda one: one.select_option(value=one.evaluate(
                    "(one) => [...one.options].find(({ value }) => value !== one.value).value"))),
            ):
                for control in page.locator(f"#{name} .controls {kind}").all():
                    if not control.is_visible():
                        continue
                    with self.subTest(name=name, kind=kind):
                        before = self.state(page, name)
                        act(control)
                        self.assertNotEqual(before, self.state(page, name))
                page.get_by_role("button", name="start again").click()
            self.assertEqual(self.said, [])

    def test_plays_only_in_sight(self) -> None:
        page = self.open("disks")
        before = self.state(page, "disks")["time"]
        page.get_by_role("button", name="play", exact=True).click()
        page.wait_for_function("before => document.getElementById('disks').sketch.state.time > before", arg=before)
        page.evaluate("document.body.style.paddingBottom = '3000px'; scrollTo(0, document.body.scrollHeight)")
        page.wait_for_timeout(300)
        resting = self.state(page, "disks")["time"]
        page.wait_for_timeout(400)
        self.assertEqual(self.state(page, "disks")["time"], resting)

    def test_measures_in_the_browser(self) -> None:
        page = self.open("formula")
        page.get_by_role("button", name="measure in this browser").click()
        page.wait_for_function("document.getElementById('formula').sketch.state.measured.length > 0")
        measured = self.state(page, "formula")["measured"]
        self.assertEqual(len(measured), 8)
        for name, ns in measured:
            self.assertTrue(0 < ns < 1e5, name)

    def test_still_pictures_and_words_without_javascript(self) -> None:
        for name in NAMES:
            with self.subTest(name=name):
                page = self.open(name, java_script_enabled=False)
                picture = page.locator(f"#{name} img")
                self.assertGreater(len(picture.get_attribute("alt") or ""), 40)
                self.assertTrue(picture.is_visible())
                drawn = (HTML / "explain" / f"{name}.svg").read_text(encoding="utf-8")
                self.assertIn("<title>", drawn)
                self.assertGreater(drawn.count("<circle") + drawn.count("<path"), 5)
                self.assertNotIn("<!-- figure", page.content())


def near(test: unittest.TestCase, one: Any, two: Any, tolerance: float = 1e-9) -> None:
    """Numbers, or lists of them, that are the same but for rounding."""
    np.testing.assert_allclose(np.asarray(one, float), np.asarray(two, float), rtol=tolerance, atol=tolerance)
    test.assertTrue(np.all(np.isfinite(np.asarray(one, float))))


def contact(p: Any, v: Any, r: float, solver: str = "fast") -> Any:
    return carom.toi.contacts(tuple(p), tuple(v), r, solver=solver)


class Numbers(Browser):
    """The numbers of every sketch are those of the library."""

    def test_overlap(self) -> None:
        page = self.open("overlap")
        for changes in ({}, {"ax": 9.3, "ay": 3.1}, {"ax": 4, "ay": 6, "ar": 3, "bx": 8, "by": 3, "br": 2}):
            n = self.numbers(page, "overlap", changes)
            t = contact((n["dx"], n["dy"]), (-n["dx"], -n["dy"]), n["sum"]).t[0]
            self.assertEqual(n["t"], t)
            self.assertEqual(n["overlap"], t == 0)

    def test_swept_and_both(self) -> None:
        for name, all_changes in (
            ("swept", ({}, {"ax": 3, "ay": 6, "tx": 13, "ty": 6, "ar": 1, "bx": 9, "by": 3, "br": 2}, {"by": 0.4})),
            ("both", ({}, {"ax": 2, "ay": 5, "ex": 14, "ey": 5, "bx": 6, "by": 5, "fx": 11, "fy": 5}, {"fx": 2})),
        ):
            page = self.open(name)
            for changes in all_changes:
                with self.subTest(name=name, changes=changes):
                    n = self.numbers(page, name, changes)
                    solver = "fast" if name == "swept" else "normalised"
                    found = contact(n["p"], n["v"], n["r"], solver)
                    self.assertEqual((n["entry"], n["exit"]), (found.entry[0], found.exit[0]))
                    self.assertEqual(n["t"], contact(n["p"], n["v"], n["r"], "normalised").t[0])

    def test_chain(self) -> None:
        page = self.open("chain")
        for changes in ({}, {"vx": 9, "vy": 0.3}, {"vx": 4}):
            n, s = self.numbers(page, "chain", changes), self.state(page, "chain")
            velocities = [(s["vx"], s["vy"]), (0, 0), (0, 0), (0, 0)]
            bodies = [
                {"x": x, "y": y, "vx": vx, "vy": vy, "radius": 0.6, "restitution": 1}
                for (x, y), (vx, vy) in zip(s["stones"], velocities, strict=True)
            ]
            worlds = carom.Scene(bodies).worlds(1)
            impacts = worlds.play(1, events=16).impacts()
            near(self, n["ends"], np.stack([worlds.get(f)[0][:4] for f in ("x", "y", "vx", "vy")], axis=1))
            self.assertEqual([(hit["i"], hit["j"]) for hit in n["impacts"]],
                             [tuple(sorted((e["first"], e["second"]))) for e in impacts])  # fmt: skip
            self.assertGreater(len(impacts), 0)

    def test_bounce_by_newton(self) -> None:
        page = self.open("bounce")
        for changes in ({}, {"ma": 2.5, "e": 0.5}, {"turn": -0.9, "mb": 4, "e": 0}):
            n, s = self.numbers(page, "bounce", changes), self.state(page, "bounce")
            direction = np.array([math.cos(s["turn"]), math.sin(s["turn"])])
            centres = np.array([[0.0, 0.0], 2.4 * direction]) - 0.5 * np.array([n["va"], n["vb"]])
            bodies = [
                {"x": x, "y": y, "vx": v[0], "vy": v[1], "radius": 1.2, "mass": mass, "restitution": e}
                for (x, y), v, mass, e in zip(
                    centres, (n["va"], n["vb"]), (n["ma"], n["mb"]), (s["e"], 1.0), strict=True
                )
            ]
            worlds = carom.Scene(bodies).worlds(1)
            worlds.play(1)
            near(self, [n["after"]["va"], n["after"]["vb"]],
                 np.stack([worlds.get(f)[0][:2] for f in ("vx", "vy")], axis=1))  # fmt: skip

    def test_bounce_by_coders_strike_back(self) -> None:
        page = self.open("bounce")
        for changes in (
            {"law": "csb", "turn": 0.6, "vax": 3, "vay": 0.6, "vbx": -1.6, "vby": 0.4},
            {"vax": 0.5, "vbx": 0},
            {"shieldA": True, "vax": 4},
        ):
            n, s = self.numbers(page, "bounce", changes), self.state(page, "bounce")
            before = 100 * np.array([n["va"], n["vb"]])
            worlds = carom.Worlds("csb", 1)
            direction = np.array([math.cos(s["turn"]), math.sin(s["turn"])])
            centres = np.array([[8000.0, 4500.0], [8000.0, 4500.0] + 800 * direction]) - 0.25 * before
            far = np.array([[200.0, 200.0], [200.0, 8800.0]])
            for field, column in (("x", 0), ("y", 1)):
                worlds.set(field, [[*centres[:, column], *far[:, column]]])
            for field, column in (("vx", 0), ("vy", 1)):
                worlds.set(field, [[*before[:, column], 0, 0]])
            actions = np.zeros((1, 1, 2, 6), np.float32)  # turn, thrust, shield of two pods; no thrust
            actions[..., [1, 4]] = -1
            actions[0, 0, 0, [2, 5]] = (-s["shieldA"], -s["shieldB"])
            played = worlds.play(1, actions=actions, action_kind="normalised_full", events=8, contacts=True)
            hit = played.contacts[0, 0, 0]
            self.assertEqual(played.event_counts[0, 0], 1)
            order = slice(None, None, -1) if played.events[0, 0, 0]["first"] == 1 else slice(None)
            near(self, 100 * np.array([n["after"]["va"], n["after"]["vb"]]), hit["after"][order], 1e-6)

    def test_bounce_of_stones(self) -> None:
        page = self.open("bounce")
        start = {"law": "stones", "turn": 0.6, "vax": 3, "vay": 0.6, "vbx": 0, "vby": 0}
        for changes in (start, {"pa": 3}, {"turn": -0.5, "pb": 2, "vbx": -1.6, "vby": 0.4}):
            n, s = self.numbers(page, "bounce", changes), self.state(page, "bounce")
            before, worlds = np.array([n["va"], n["vb"]]), carom.Worlds("stones", 1)
            direction = np.array([math.cos(s["turn"]), math.sin(s["turn"])])
            count = worlds.fields["px"].elements
            # So near that moving them apart after the hit, a rule of the game, does not turn the normal.
            radius, near_hit = worlds.get("radius")[0][0], 1e-3
            centres = np.array([[300.0, 300.0], [300.0, 300.0] + 2 * radius * direction]) - near_hit * before
            for field, column in (("px", 0), ("py", 1)):
                far = 5000.0 + 200 * np.arange(count - 2)
                worlds.set(field, [[*(centres[:, column] - radius), *far]])
            speeds, courses = np.hypot(*before.T), np.arctan2(before[:, 1], before[:, 0])
            worlds.set("speed", [[*speeds, *np.zeros(count - 2)]])
            worlds.set("course", [[*courses, *np.zeros(count - 2)]])
            power = worlds.get("power")
            power[0, :2] = (s["pa"], s["pb"])
            worlds.set("power", power)
            played = worlds.play(1, events=8, contacts=True, players=["zero"] * worlds.game.players)
            self.assertGreater(played.event_counts[0, 0], 0)
            hit = played.contacts[0, 0, 0]
            order = slice(None, None, -1) if played.events[0, 0, 0]["first"] == 1 else slice(None)
            near(self, [n["after"]["va"], n["after"]["vb"]], hit["after"][order], 1e-4)

    def test_wall(self) -> None:
        page = self.open("wall")
        for changes, finds in (
            ({"method": "discrete", "dt": 0.4}, False),
            ({"dt": 0.05}, True),
            ({"method": "swept", "dt": 0.4}, True),
            ({"obstacle": "circle"}, True),
            ({"method": "discrete", "dt": 0.05}, True),
        ):
            with self.subTest(changes=changes):
                n, s = self.numbers(page, "wall", changes), self.state(page, "wall")
                self.assertEqual(bool(n["hits"]), finds)
                self.assertEqual(n["missed"], not finds)
                for hit in n["hits"][:1]:
                    start = n["places"][hit["tick"] - 1]
                    self.check_hit(hit, s, start)

    def check_hit(self, hit: dict[str, Any], s: dict[str, Any], start: Any) -> None:
        """The first impact, asked from the state at the start of its tick."""
        v, radius = (s["vx"], s["vy"]), s["r"]
        late = s["method"] == "discrete"
        p = (start[0] + s["dt"] * v[0], start[1] + s["dt"] * v[1]) if late else tuple(start)
        if s["obstacle"] == "wall":
            found = carom.toi.segment(p, v, radius, (s["ax"], s["ay"]), (s["bx"], s["by"]), limit=s["dt"],
                                      detection="discrete" if late else "continuous")  # fmt: skip
            normal = (found.nx[0], found.ny[0])
        else:
            found = contact((s["cx"] - p[0], s["cy"] - p[1]), (-v[0], -v[1]), radius + s["cr"],
                            "backward" if late else "fast")  # fmt: skip
            normal = (-found.nx[0], -found.ny[0])
        near(self, hit["t"], found.t[0] + (s["dt"] if late else 0), 1e-12)
        near(self, hit["n"], normal, 1e-9)
        along = v[0] * hit["n"][0] + v[1] * hit["n"][1]
        near(self, hit["after"], [v[k] - (1 + s["e"]) * along * hit["n"][k] for k in (0, 1)], 1e-12)

    def test_kick_and_dribble(self) -> None:
        page = self.open("kick")
        options = {"league": "original", "robots": 1, "length": 2, "width": 1.8, "arc": 40, "kick_reset": 0.5,
                   "ticks": 1 << 30, "goals": 10000}  # fmt: skip
        near_ball = {"robot": [-0.42, 0.16], "target": [0.3, -0.2]}
        held = {"holder": 0, "hold": [0.113, 0.01], "robotV": [0.5, -0.2], "spin": 1.5, "now": 40}
        for changes in ({}, near_ball, {**near_ball, "kick": True}, {**near_ball, **held}):
            with self.subTest(changes=changes):
                n = self.numbers(page, "kick", {"kick": False, **changes})["next"]
                s = self.state(page, "kick")
                worlds = carom.Worlds("soccer", 1, action_kind="metric", **options)
                self.fill_soccer(worlds, s)
                dx, dy = s["target"][0] - s["robot"][0], s["target"][1] - s["robot"][1]
                turn = math.atan2(dy, dx) - s["angle"]
                spin = 8 * math.atan2(math.sin(turn), math.cos(turn)) if math.hypot(dx, dy) > 0.02 else 0
                actions = np.zeros((1, 1, 2, 55), np.float32)
                actions[0, 0, 0, :5] = (4 * dx, 4 * dy, spin, s["speed"] if s["kick"] else 0, s["dribble"])
                worlds.play(1, actions=actions)
                x, y, vx, vy = (worlds.get(f)[0] for f in ("x", "y", "vx", "vy"))
                near(self, [*n["robot"], *n["ball"], *n["ballV"], n["angle"]],
                     [x[0], y[0], x[2], y[2], vx[2], vy[2], worlds.get("angle")[0][0]], 1e-12)  # fmt: skip
                self.assertEqual((n["ready"], n["holder"]), (worlds.get("ready")[0][0], worlds.get("holder")[0][0]))

    def fill_soccer(self, worlds: Any, s: dict[str, Any]) -> None:
        """Puts a world where the sketch is."""
        for field, column in (("x", 0), ("y", 1)):
            values = np.zeros((1, 26))
            values[0, :3] = (s["robot"][column], s["other"][column], s["ball"][column])
            worlds.set(field, values)
            values[0, :3] = (s["robotV"][column], 0, s["ballV"][column])
            worlds.set(f"v{field}", values)
            hold = np.zeros((1, 4))
            hold[0, 0] = s["hold"][column]
            worlds.set(f"hold_{field}", hold)
        for field in ("angle", "spin", "ready"):
            values = np.zeros((1, 22), np.int32 if field == "ready" else float)
            values[0, 0] = s[field]
            worlds.set(field, values)
        worlds.set("holder", np.array([[s["holder"], -1, -1, -1]], np.int8))
        worlds.set("tick", np.full((1, 1), s["now"], np.int32))

    def test_fall(self) -> None:
        page = self.open("fall")
        for changes in ({}, {"u": -4}, {"h": 2.2, "a": 3.7, "u": 1.5}):
            n, s = self.numbers(page, "fall", changes), self.state(page, "fall")
            roots, count = carom.toi.accelerated_line_roots(
                (0.0, 0.0), (0.0, s["u"]), (0.0, s["a"]), 0.0, (-1.0, s["h"]), (1.0, s["h"])
            )
            self.assertEqual(n["roots"], list(roots[: count[0], 0]))
            near(self, n["t"], (-s["u"] + math.sqrt(s["u"] ** 2 + 2 * s["a"] * s["h"])) / s["a"], 1e-12)

    def test_quartic(self) -> None:
        page = self.open("quartic")
        for changes in ({}, {"bx": 9, "by": 4}, {"bay": 2}, {"ar": 0.3, "br": 0.4}):
            n = self.numbers(page, "quartic", changes)
            p, v, a, r = tuple(n["p"]), tuple(n["v"]), tuple(n["a"]), n["r"]
            roots, count = carom.toi.accelerated_roots(p, v, a, r)
            self.assertEqual(n["roots"], list(roots[: count[0], 0]))
            self.assertEqual(n["t"], carom.toi.accelerated(p, v, a, r)[0])
            for root in n["roots"]:
                self.assertLess(abs(np.polyval(n["quartic"], root)), 1e-9 * (1 + abs(root)) ** 4 * 100)

    def test_polygon(self) -> None:
        page = self.open("polygon")
        features = set()
        for changes in (
            {}, {"x": 2.2, "y": 1.2, "vx": 9, "vy": 0}, {"x": 12.4, "y": 8.2, "vx": -2.6, "vy": -4.2, "r": 0.5},
            {"x": 2, "y": 8.5, "vx": 0, "vy": -1},
        ):  # fmt: skip
            n, s = self.numbers(page, "polygon", changes), self.state(page, "polygon")
            found = carom.toi.polygon((s["x"], s["y"]), (s["vx"], s["vy"]), s["r"], np.array(s["corners"], float))
            self.assertEqual([n["t"], n["nx"], n["ny"], n["feature"]],
                             [found.t[0], found.nx[0], found.ny[0], found.feature[0]])  # fmt: skip
            features.add(n["feature"] // len(s["corners"]))
        self.assertEqual(features, {-1, 0, 1})  # nothing, an edge, a corner

    def test_formula(self) -> None:
        page = self.open("formula")
        for changes in ({}, {"h": 0.9, "missing": True}):
            n, s = self.numbers(page, "formula", changes), self.state(page, "formula")
            turns = [
                turn for a, b, c in ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25))
                for turn in ((a / c, b / c), (b / c, -a / c), (-a / c, -b / c), (-b / c, a / c))
            ]  # fmt: skip
            u, far = np.array(turns), np.array(n["distances"])[:, None]
            p = (far * u[:, 0] - s["h"] * u[:, 1], far * u[:, 1] + s["h"] * u[:, 0])
            v = np.broadcast_to(-u, (len(far), *u.shape))

            def times(solver: str, r: float = 1.0, p: Any = p, v: Any = v) -> Any:
                flat = carom.toi.circles(
                    (p[0].ravel(), p[1].ravel()), (v[..., 0].ravel(), v[..., 1].ravel()), r, solver=solver
                )
                return flat.reshape(p[0].shape)

            right = times("accurate")
            for solver, errors in n["error"].items():
                found = times("components", 0.0) if solver == "missing" else times(solver)
                self.assertEqual(errors, list(np.abs(found - right).max(axis=1)), solver)
            self.assertGreater(n["error"]["components"][20], 1e3 * n["error"]["fast"][20])

    def test_disks(self) -> None:
        page = self.open("disks")
        for packing, time in ((0.55, 0.5), (0.74, 2)):
            n = self.numbers(page, "disks", {"packing": packing, "time": time})
            gas = carom.Gas(340, packing)
            gas.run(8)
            gas.forget()
            gas.run(time)
            found, side = gas.measure(), gas.side
            self.assertEqual((n["pressure"], n["collisions"]), (found.compressibility, found.collisions))
            psi = measures.bond_order(gas.state(), (side, side))
            near(self, n["strength"], np.abs(psi), 1e-12)
            near(self, n["order"], abs(psi.mean()), 1e-12)

    def test_lanes(self) -> None:
        page = self.open("lanes")
        for policy, lanes, tick in (("ram", 8, 60), ("race", 4, 10), ("random", 2, 150)):
            n = self.numbers(page, "lanes", {"policy": policy, "lanes": lanes, "tick": tick})
            worlds = carom.Worlds("csb", 32, seed=1, players=[policy, policy])
            impacts = worlds.play(200, events=32).impacts()
            counts = np.zeros((200, 32), int)
            np.add.at(counts, (impacts["tick"], impacts["world"]), 1)
            self.assertEqual(n["counts"], counts[tick].tolist())
            groups = counts.reshape(200, 32 // lanes, lanes)
            near(self, n["meanWaiting"], (1 + groups.max(axis=2)).sum(axis=1).mean())
            rounds = [-(-(counts >= k).sum(axis=1) // lanes) for k in range(counts.max() + 1)]
            near(self, n["meanPacked"], np.sum(rounds, axis=0).mean())


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: {MISSING}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
