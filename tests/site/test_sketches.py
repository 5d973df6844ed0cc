# SPDX-License-Identifier: MIT
"""test_sketches.py HTML [UNITTEST'S OPTIONS]: the sketches of a built site (scripts/site), in Chromium.

Each sketch is moved by mouse, finger and keyboard, wide and on a phone's width, dark and light. Its numbers must equal
those of the library built for this machine, through its Python package. Every page is loaded once; the tests check the
visits' results. Needs Chromium (Debian: chromium), Playwright (PyPI: playwright) and the package carom.
"""

from __future__ import annotations

import asyncio
import functools
import html.parser
import http.server
import math
import shutil
import sys
import threading
import unittest
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from playwright.async_api import BrowserContext, Locator, Page, async_playwright

import carom
from carom import measures

HTML = Path("build-site/html")
BROWSERS = 3  # at work side by side
SLOWEST = 120_000  # milliseconds that a page may take for anything, on a machine with other work

# Inputs of each sketch: changes of its initial state.
NEAR_BALL = {"robot": [-0.42, 0.16], "target": [0.3, -0.2]}
HELD = {"holder": 0, "hold": [0.113, 0.01], "robotV": [0.5, -0.2], "spin": 1.5, "now": 40}
STRIKE = {"law": "csb", "turn": 0.6, "vax": 3, "vay": 0.6, "vbx": -1.6, "vby": 0.4}
STONES = {"law": "stones", "turn": 0.6, "vax": 3, "vay": 0.6, "vbx": 0, "vby": 0}
CASES: dict[str, list[dict[str, Any]]] = {
    "overlap": [{}, {"ax": 9.3, "ay": 3.1}, {"ax": 4, "ay": 6, "ar": 3, "bx": 8, "by": 3, "br": 2}],
    "swept": [
        {}, {"ax": 3, "ay": 6, "tx": 13, "ty": 6, "ar": 1, "bx": 9, "by": 3, "br": 2}, {"by": 0.4}, {"tx": 1, "ty": 8},
        {"bx": 3, "by": 6.5},
    ],
    "both": [{}, {"ax": 2, "ay": 5, "ex": 14, "ey": 5, "bx": 6, "by": 5, "fx": 11, "fy": 5}, {"fx": 2}],
    "chain": [{}, {"vx": 9, "vy": 0.3}, {"vx": 4}, {"limit": 2}, {"limit": 0}],
    "bounce": [
        {}, {"ma": 2.5, "e": 0.5}, {"turn": -0.9, "mb": 4, "e": 0}, {"vax": -3},
        STRIKE, {**STRIKE, "vax": 0.5, "vbx": 0}, {**STRIKE, "shieldA": True, "vax": 4},
        STONES, {**STONES, "pa": 3}, {**STONES, "turn": -0.5, "pb": 2, "vbx": -1.6, "vby": 0.4},
        {**STONES, "vax": 0.5, "vay": 0, "vbx": -2, "vby": 0.1},
    ],
    "wall": [
        {}, {"dt": 0.05}, {"method": "swept"}, {"method": "swept", "obstacle": "circle"},
        {"method": "discrete", "obstacle": "circle", "dt": 0.05}, {"method": "swept", "e": 0.3, "vy": -1, "dt": 0.2},
    ],
    "kick": [{}, NEAR_BALL, {**NEAR_BALL, "kick": True}, {**NEAR_BALL, **HELD}],
    "fall": [{}, {"u": -4}, {"h": 2.2, "a": 3.7, "u": 1.5}],
    "quartic": [{}, {"bx": 9, "by": 4}, {"bay": 2}, {"ar": 0.3, "br": 0.4}],
    "polygon": [
        {}, {"x": 2.2, "y": 1.2, "vx": 9, "vy": 0}, {"x": 12.4, "y": 8.2, "vx": -2.6, "vy": -4.2, "r": 0.5},
        {"x": 2, "y": 8.5, "vx": 0, "vy": -1},
    ],
    "formula": [{}, {"h": 0.9, "missing": True}],
    "disks": [{"packing": 0.55, "time": 0.5}, {"packing": 0.55, "time": 0.75}, {"packing": 0.74, "time": 2}],
    "lanes": [
        {"policy": policy, "lanes": lanes, "tick": tick}
        for policy, lanes, tick in (("ram", 8, 60), ("race", 4, 10), ("random", 2, 150))
    ],
}  # fmt: skip


@dataclass
class Visit:
    """The results of a visit of a sketch's page: its numbers, and its errors."""

    shown: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)  # states and numbers
    wrong: list[str] = field(default_factory=list)
    measured: list[Any] = field(default_factory=list)

    def expect(self, right: bool, what: str) -> None:
        if not right:
            self.wrong.append(what)


class Visitor:
    """Goes to the page of a sketch, and tries all there is to move."""

    def __init__(self, name: str, page: Page, host: str) -> None:
        self.name, self.page, self.host, self.visit = name, page, host, Visit()
        wrong = self.visit.wrong
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda problem: wrong.append(f"error: {problem}"))
        page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
        page.on("request", lambda request: request.url.startswith((host, "data:")) or wrong.append(request.url))

    async def go(self) -> Visit:
        page, name = self.page, self.name
        await page.goto(f"{self.host}/explain/{name}.html")
        await page.wait_for_function("name => document.getElementById(name).sketch?.numbers", arg=name)
        await page.locator(f"#{name} .stage").scroll_into_view_if_needed()
        await page.wait_for_function("name => document.querySelector(`#${name} .words`).textContent", arg=name)

        await self.ask()
        self.visit.expect(await self.drawn(dark=False), "nothing is drawn, or not in the light colours")
        self.visit.expect(await self.equation("beside"), "the equation is not beside the picture")
        await self.keyboard()
        await self.mouse()
        await self.controls()
        if name == "formula":
            await self.measure()
        if name == "disks":
            await self.rests()
        await self.phone()
        return self.visit

    async def ask(self) -> None:
        """All cases, in one call; typed arrays come as lists."""
        self.visit.shown = await self.page.evaluate(
            """([name, cases]) => {
                const { sketch } = document.getElementById(name), start = structuredClone(sketch.state);
                const plain = (value) => ArrayBuffer.isView(value) ? Array.from(value)
                    : Array.isArray(value) ? value.map(plain)
                    : value && typeof value === "object"
                        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
                    : value;
                const shown = cases.map((changes) => {
                    sketch.set({ ...structuredClone(start), ...changes });
                    return [structuredClone(sketch.state), plain(sketch.numbers())];
                });
                sketch.set(start);
                return shown;
            }""",
            [self.name, CASES[self.name]],
        )
        await self.settle()

    async def settle(self, frames: int = 2) -> None:
        """Waits until the page has drawn."""
        await self.page.evaluate(
            "async (frames) => { while (frames--) await new Promise((done) => requestAnimationFrame(done)); }", frames
        )

    async def state(self) -> dict[str, Any]:
        found: dict[str, Any] = await self.page.evaluate(
            "name => structuredClone(document.getElementById(name).sketch.state)", self.name
        )
        return found

    async def drawn(self, dark: bool) -> bool:
        """Is there a picture, and more of it in the colours that it should have than in the others?"""
        right: bool = await self.page.evaluate(
            """async ([name, dark]) => {
                const { COLOURS } = await import(new URL("sketch.js", location.href).href);
                const number = (colour) => parseInt(colour.slice(1), 16), { ground, ...inks } = COLOURS;
                const [light, night] = [0, 1].map((k) => new Set(Object.values(inks).map((pair) => number(pair[k]))));
                const canvas = document.querySelector(`#${name} canvas`), { width, height } = canvas;
                const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
                copy.drawImage(canvas, 0, 0);
                const { data } = copy.getImageData(0, 0, width, height);
                let balance = 0;
                for (let k = 0; k < data.length; k += 4) {
                    const colour = (data[k] << 16) + (data[k + 1] << 8) + data[k + 2];
                    if (data[k + 3] === 255) balance += night.has(colour) - light.has(colour);
                }
                return new Set(new Uint32Array(data.buffer)).size > 20 && (dark ? balance > 50 : balance < -50);
            }""",
            [self.name, dark],
        )
        return right

    async def equation(self, where: str) -> bool:
        """Is the equation next to the picture, or below it, and not cut off?"""
        right: bool = await self.page.evaluate(
            """([name, where]) => {
                const picture = document.querySelector(`#${name} .stage`).getBoundingClientRect();
                const equation = document.querySelector(".equation"), box = equation.getBoundingClientRect();
                const shown = (one) => one.getClientRects().length > 0;
                const formulas = [...equation.querySelectorAll("math")].filter(shown);
                const whole = formulas.length > 0 && formulas.every((one) =>
                    one.getBoundingClientRect().height > 10 && one.scrollWidth <= one.clientWidth + 1);
                return whole && equation.scrollWidth <= equation.clientWidth && (where === "beside"
                    ? box.left >= picture.right && box.top < picture.bottom : box.top >= picture.bottom);
            }""",
            [self.name, where],
        )
        return right

    def handles(self) -> Locator:
        return self.page.locator(f"#{self.name} .handle")

    async def keyboard(self) -> None:
        """Every handle responds to arrow keys."""
        handles, page = self.handles(), self.page
        self.visit.expect(await handles.count() > 0, "there is nothing to drag")
        for index in range(await handles.count()):
            before = await self.state()
            await handles.nth(index).focus()
            await page.keyboard.press("ArrowUp")
            await page.keyboard.press("Shift+ArrowLeft")
            self.visit.expect(before != await self.state(), f"handle {index} takes no arrow keys")
        await self.again()
        if self.name == "overlap":
            await self.arrows()

    async def arrows(self) -> None:
        """Each arrow key moves a circle in its direction by 1/160 of the picture, with shift by ten times that."""
        await self.handles().first.focus()
        for key, x, y in (
            ("ArrowUp", 0, -0.1), ("ArrowDown", 0, 0.1), ("ArrowRight", 0.1, 0), ("ArrowLeft", -0.1, 0),
            ("Shift+ArrowUp", 0, -1), ("Shift+ArrowDown", 0, 1), ("Shift+ArrowRight", 1, 0), ("Shift+ArrowLeft", -1, 0),
        ):  # fmt: skip
            before = await self.state()
            await self.page.keyboard.press(key)
            after = await self.state()
            far = math.hypot(after["ax"] - before["ax"] - x, after["ay"] - before["ay"] - y)
            self.visit.expect(far < 1e-9, f"{key} moves the circle by something else")
        await self.again()

    async def again(self) -> None:
        """Back to the start."""
        await self.page.get_by_role("button", name="start again").click()
        await self.settle()

    async def middle(self, handle: Locator) -> tuple[float, float]:
        box = await handle.bounding_box()
        assert box
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    async def mouse(self) -> None:
        """The last handle, by mouse; it moves as far as the mouse."""
        page, handle, before = self.page, self.handles().last, await self.state()
        x, y = await self.middle(handle)
        await page.mouse.move(x, y)
        await page.mouse.down()
        await page.mouse.move(x - 40, y - 30, steps=3)
        await page.mouse.up()
        self.visit.expect(before != await self.state(), "the last handle does not follow the mouse")
        if self.name in ("overlap", "swept", "both", "polygon"):
            await self.settle()
            now = await self.middle(handle)
            far = math.hypot(now[0] - x + 40, now[1] - y + 30)
            self.visit.expect(far < 2, f"the last handle is {far} pixels away from the mouse")
        await self.again()

    async def finger(self) -> None:
        """The first handle, by a finger that moves up, as for scrolling down; the page must not scroll."""
        page, handle, before = self.page, self.handles().first, await self.state()
        await handle.scroll_into_view_if_needed()
        box = await handle.bounding_box()
        assert box
        self.visit.expect(min(box["width"], box["height"]) >= 36, "a handle is too small for a finger")
        x, y = await self.middle(handle)
        session = await page.context.new_cdp_session(page)
        scrolled = await page.evaluate("scrollY")

        async def touch(kind: str, *points: dict[str, float]) -> None:
            await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        await touch("touchStart", {"x": x, "y": y})
        for step in range(1, 5):
            await touch("touchMove", {"x": x + 5 * step, "y": y - 8 * step})
        await touch("touchEnd")
        await self.settle()
        self.visit.expect(before != await self.state(), "the first handle does not follow a finger")
        self.visit.expect(await page.evaluate("scrollY") == scrolled, "a finger on a handle moves the page")

    async def controls(self) -> None:
        """Sliders by keys, boxes by a finger's tap, choices, and buttons by mouse."""
        controls = self.page.locator(f"#{self.name} .controls")
        for kind in ("input[type=range]", "input[type=checkbox]", "select"):
            for index, control in enumerate(await controls.locator(kind).all()):
                if not await control.is_visible():
                    continue
                before = await self.state()
                if kind == "select":
                    other = "(one) => [...one.options].find(({ value }) => value !== one.value).value"
                    await control.select_option(value=await control.evaluate(other))
                elif kind == "input[type=checkbox]":
                    await control.tap()
                else:
                    least = await control.input_value() == await control.get_attribute("min")
                    await control.press("ArrowRight" if least else "ArrowLeft")
                self.visit.expect(before != await self.state(), f"{kind} {index} changes nothing")
        await self.again()
        for button in await controls.locator("button").all():
            if await button.is_visible() and "measure" not in (await button.text_content() or ""):
                await button.click()
        if await controls.get_by_role("button", name="pause", exact=True).count():
            await controls.get_by_role("button", name="pause", exact=True).click()
        await self.again()

    async def measure(self) -> None:
        """Measurements by the reader's own browser."""
        await self.page.get_by_role("button", name="measure in this browser").click()
        await self.page.wait_for_function("document.getElementById('formula').sketch.state.measured.length > 0")
        self.visit.measured = (await self.state())["measured"]

    async def rests(self) -> None:
        """A sketch that plays rests while it is out of sight."""
        page, before = self.page, (await self.state())["time"]
        await page.get_by_role("button", name="play", exact=True).click()
        moved = "before => document.getElementById('disks').sketch.state.time > before"
        await page.wait_for_function(moved, arg=before)
        await page.evaluate("document.body.style.paddingBottom = '3000px'; scrollTo(0, document.body.scrollHeight)")
        await self.settle(3)
        resting = (await self.state())["time"]
        await self.settle(5)
        self.visit.expect((await self.state())["time"] == resting, "it plays out of sight")
        await page.evaluate("document.body.style.paddingBottom = ''")
        await page.get_by_role("button", name="pause", exact=True).click()

    async def phone(self) -> None:
        """Narrow and dark, by a finger."""
        page = self.page
        await page.set_viewport_size({"width": 360, "height": 740})
        await page.emulate_media(color_scheme="dark")
        await page.locator(f"#{self.name} .stage").scroll_into_view_if_needed()
        await self.settle(3)
        self.visit.expect(await page.evaluate("document.documentElement.scrollWidth") <= 360, "wider than a phone")
        self.visit.expect(await self.drawn(dark=True), "nothing is drawn on a phone, or not in the dark colours")
        self.visit.expect(await self.equation("below"), "on a phone the equation is not below the picture, or cut")
        await self.finger()


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site, with the types that modules need, and without a word."""

    extensions_map = {  # noqa: RUF012
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: Any) -> None:
        pass


async def visit(name: str, context: BrowserContext, host: str) -> Visit:
    """Visits one sketch; errors are reported, and the other sketches are still visited."""
    page = await context.new_page()
    visitor = Visitor(name, page, host)
    try:
        return await visitor.go()
    except Exception as problem:
        visitor.visit.wrong.append(f"{type(problem).__name__}: {problem}")
        return visitor.visit
    finally:
        await page.close()


async def visit_all(host: str) -> dict[str, Visit]:
    """Visits all sketches with several browsers, one page each at a time.

    Background pages draw once a second. Animations are paused, so that nothing moves by itself.
    """
    waiting, visits = list(CASES), {}

    async with async_playwright() as playwright:

        async def work() -> None:
            browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            context = await browser.new_context(
                viewport={"width": 1200, "height": 800}, has_touch=True, reduced_motion="reduce", color_scheme="light"
            )
            context.set_default_timeout(SLOWEST)
            while waiting:
                name = waiting.pop()
                visits[name] = await visit(name, context, host)
            await browser.close()

        await asyncio.gather(*(work() for _ in range(BROWSERS)))
    return visits


VISITS: dict[str, Visit] = {}


def setUpModule() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(HTML)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    VISITS.update(asyncio.run(visit_all(f"http://127.0.0.1:{server.server_port}")))
    server.shutdown()
    server.server_close()


class Pages(unittest.TestCase):
    """Mouse, finger, keyboard; sizes and colours; readers without JavaScript."""

    def test_every_sketch_is_here(self) -> None:
        pages = {path.stem for path in (HTML / "explain").glob("*.html")} - {"index"}
        self.assertEqual(pages, set(CASES))

    def test_moved(self) -> None:
        for name, visit in VISITS.items():
            with self.subTest(name=name):
                self.assertEqual(visit.wrong, [])

    def test_measured_in_the_browser(self) -> None:
        measured = VISITS["formula"].measured
        self.assertEqual(len(measured), 10)
        for name, ns in measured:
            self.assertTrue(0 < ns < 1e5, name)

    def test_still_pictures_and_equations_without_javascript(self) -> None:
        for name in CASES:
            with self.subTest(name=name):
                parts = Parts()
                parts.feed((HTML / "explain" / f"{name}.html").read_text(encoding="utf-8"))
                self.assertGreater(len(parts.still[f"{name}.svg"]), 40)
                self.assertGreater(parts.formulas, 1)
                drawn = (HTML / "explain" / f"{name}.svg").read_text(encoding="utf-8")
                self.assertIn("<title>", drawn)
                self.assertGreater(drawn.count("<circle") + drawn.count("<path"), 5)


class Parts(html.parser.HTMLParser):
    """Still pictures of a page with their texts, and its number of formulas; no placeholder is left."""

    def __init__(self) -> None:
        super().__init__()
        self.still: dict[str, str] = {}
        self.formulas = 0

    def handle_starttag(self, tag: str, given: list[tuple[str, str | None]]) -> None:
        about = dict(given)
        if tag == "img":
            self.still[about.get("src") or ""] = about.get("alt") or ""
        self.formulas += tag == "math"

    def handle_comment(self, text: str) -> None:
        if text.strip().startswith("figure"):
            raise ValueError(f"a figure is not filled in: {text}")


def near(test: unittest.TestCase, one: Any, two: Any, tolerance: float = 1e-9) -> None:
    """Numbers, or lists of them, that are equal up to rounding."""
    np.testing.assert_allclose(np.asarray(one, float), np.asarray(two, float), rtol=tolerance, atol=tolerance)
    test.assertTrue(np.all(np.isfinite(np.asarray(one, float))))


def contact(p: Any, v: Any, r: float, solver: str = "fast") -> Any:
    return carom.toi.contacts(tuple(p), tuple(v), r, solver=solver)


class Numbers(unittest.TestCase):
    """The numbers of every sketch are those of the library."""

    def cases(self, name: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """States and numbers of a sketch, all of them."""
        shown = VISITS[name].shown
        self.assertEqual(len(shown), len(CASES[name]), VISITS[name].wrong)
        return [(state, numbers) for state, numbers in shown]

    def test_overlap(self) -> None:
        found = set()
        for s, n in self.cases("overlap"):
            p, r = (s["bx"] - s["ax"], s["by"] - s["ay"]), s["ar"] + s["br"]
            t = contact(p, (-p[0], -p[1]), r).t[0]
            self.assertEqual((n["t"], n["overlap"]), (t, t == 0))
            near(self, [n["squared"], n["limit"]], [math.hypot(*p) ** 2, r**2])
            found.add(n["overlap"])
        self.assertEqual(found, {True, False})

    def test_swept(self) -> None:
        counts = set()
        for s, n in self.cases("swept"):
            p, v = (s["bx"] - s["ax"], s["by"] - s["ay"]), (s["ax"] - s["tx"], s["ay"] - s["ty"])
            found = contact(p, v, s["ar"] + s["br"])
            self.assertEqual((n["entry"], n["exit"]), (found.entry[0], found.exit[0]))
            self.assertEqual(n["t"], contact(p, v, s["ar"] + s["br"], "normalised").t[0])
            roots = np.roots([n["a"], 2 * n["b"], n["c"]])
            if n["d"] > 1e-9:
                near(self, sorted(roots), [n["entry"], n["exit"]])
            counts.add(int(np.sign(n["d"])))
        self.assertEqual(counts, {-1, 0, 1})  # no root, one, two

    def test_both(self) -> None:
        for s, n in self.cases("both"):
            p = (s["bx"] - s["ax"], s["by"] - s["ay"])
            v = ((s["fx"] - s["bx"]) - (s["ex"] - s["ax"]), (s["fy"] - s["by"]) - (s["ey"] - s["ay"]))
            found = contact(p, v, s["ar"] + s["br"], "normalised")
            self.assertEqual([n["t"], n["entry"], n["exit"]], [found.t[0], found.entry[0], found.exit[0]])

    def test_chain(self) -> None:
        for s, n in self.cases("chain"):
            velocities = [(s["vx"], s["vy"]), (0, 0), (0, 0), (0, 0)]
            bodies = [
                {"x": x, "y": y, "vx": vx, "vy": vy, "radius": 0.6, "restitution": 1}
                for (x, y), (vx, vy) in zip(s["stones"], velocities, strict=True)
            ]
            worlds = carom.Scene(bodies).worlds(1)
            impacts = worlds.play(1, events=16).impacts()
            self.assertGreater(len(impacts), 0)
            kept = impacts[: s["limit"]]
            self.assertEqual([(hit["i"], hit["j"]) for hit in n["impacts"]],
                             [(e["first"], e["second"]) for e in kept])  # fmt: skip
            near(self, [hit["t"] for hit in n["impacts"]], 1 - kept["left"])
            if len(kept) == len(impacts):
                near(self, n["ends"], np.stack([worlds.get(f)[0][:4] for f in ("x", "y", "vx", "vy")], axis=1))
            for knots, (x, y, *_) in zip(n["knots"], n["ends"], strict=True):
                self.assertEqual((knots[-1], len(knots) >= 2), ([1, x, y], True))
            if s["limit"] == 0:
                near(self, n["ends"][0], [s["stones"][0][0] + s["vx"], s["stones"][0][1] + s["vy"], s["vx"], s["vy"]])

    def bounces(self, law: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        return [(s, n) for s, n in self.cases("bounce") if s["law"] == law]

    def test_bounce_by_newton(self) -> None:
        parting = 0
        for s, n in self.bounces("newton"):
            v, e = np.array([[s["vax"], s["vay"]], [s["vbx"], s["vby"]]]), s["e"]
            direction = np.array([math.cos(s["turn"]), math.sin(s["turn"])])
            closing = (v[0] - v[1]) @ direction
            if closing <= 0:
                parting += 1
                self.assertEqual((n["after"]["va"], n["after"]["vb"]), (v[0].tolist(), v[1].tolist()))
                continue
            centres = np.array([[0.0, 0.0], 2.4 * direction]) - 0.5 * v
            bodies = [
                {"x": x, "y": y, "vx": w[0], "vy": w[1], "radius": 1.2, "mass": mass, "restitution": restitution}
                for (x, y), w, mass, restitution in zip(centres, v, (s["ma"], s["mb"]), (e, 1.0), strict=True)
            ]
            worlds = carom.Scene(bodies).worlds(1)
            worlds.play(1)
            after = np.array([n["after"]["va"], n["after"]["vb"]])
            near(self, after, np.stack([worlds.get(f)[0][:2] for f in ("vx", "vy")], axis=1))
            near(self, (after[0] - after[1]) @ direction, -e * closing)
            near(self, n["after"]["impulse"], (1 + e) * closing / (1 / s["ma"] + 1 / s["mb"]))
        self.assertEqual(parting, 1)

    def test_bounce_by_coders_strike_back(self) -> None:
        added = 0
        for s, n in self.bounces("csb"):
            before = 100 * np.array([[s["vax"], s["vay"]], [s["vbx"], s["vby"]]])
            worlds = carom.Worlds("csb", 1)
            direction = np.array([math.cos(s["turn"]), math.sin(s["turn"])])
            centres = np.array([[8000.0, 4500.0], [8000.0, 4500.0] + 800 * direction]) - 0.25 * before
            far = np.array([[200.0, 200.0], [200.0, 8800.0]])
            for axis, column in (("x", 0), ("y", 1)):
                worlds.set(axis, [[*centres[:, column], *far[:, column]]])
                worlds.set(f"v{axis}", [[*before[:, column], 0, 0]])
            actions = np.zeros((1, 1, 2, 6), np.float32)  # turn, thrust, shield of two pods; no thrust
            actions[..., [1, 4]] = -1
            actions[0, 0, 0, [2, 5]] = (-s["shieldA"], -s["shieldB"])
            played = worlds.play(1, actions=actions, action_kind="normalised_full", events=8, contacts=True)
            assert played.contacts is not None
            assert played.events is not None
            assert played.event_counts is not None
            hit = played.contacts[0, 0, 0]
            self.assertEqual(played.event_counts[0, 0], 1)
            order = slice(None, None, -1) if played.events[0, 0, 0]["first"] == 1 else slice(None)
            near(self, 100 * np.array([n["after"]["va"], n["after"]["vb"]]), hit["after"][order], 1e-9)
            half = (before[0] - before[1]) @ direction / (1 / (1 + 9 * s["shieldA"]) + 1 / (1 + 9 * s["shieldB"]))
            near(self, 100 * n["after"]["impulse"], half + max(half, 120), 1e-6)
            added += half < 120
        self.assertEqual(added, 1)

    def test_bounce_of_stones(self) -> None:
        strikers = set()
        for s, n in self.bounces("stones"):
            before, worlds = np.array([n["va"], n["vb"]]), carom.Worlds("stones", 1)
            direction = np.array([math.cos(s["turn"]), math.sin(s["turn"])])
            count = worlds.fields["px"].elements
            # So near that moving them apart after the hit, a rule of the game, does not turn the normal.
            radius, near_hit = worlds.get("radius")[0][0], 1e-3
            centres = np.array([[300.0, 300.0], [300.0, 300.0] + 2 * radius * direction]) - near_hit * before
            for axis, column in (("px", 0), ("py", 1)):
                worlds.set(axis, [[*(centres[:, column] - radius), *(5000.0 + 200 * np.arange(count - 2))]])
            worlds.set("speed", [[*np.hypot(*before.T), *np.zeros(count - 2)]])
            worlds.set("course", [[*np.arctan2(before[:, 1], before[:, 0]), *np.zeros(count - 2)]])
            power = worlds.get("power")
            power[0, :2] = (s["pa"], s["pb"])
            worlds.set("power", power)
            played = worlds.play(1, events=8, contacts=True, players=["zero"] * worlds.game.players)
            assert played.contacts is not None
            assert played.events is not None
            assert played.event_counts is not None
            hit = played.contacts[0, 0, 0]
            order = slice(None, None, -1) if played.events[0, 0, 0]["first"] == 1 else slice(None)
            near(self, [n["after"]["va"], n["after"]["vb"]], hit["after"][order], 1e-4)

            speeds, striker = np.hypot(*before.T), int(np.hypot(*before.T).argmax())
            strikers.add(striker)
            self.assertEqual(n["after"]["aStrikes"], striker == 0)
            sine = abs(before[striker] @ (direction[1], -direction[0])) / speeds[striker]
            near(self, n["after"]["kept"], sine, 1e-4)
            angle, kept, passed = np.array(n["shares"]).T
            near(self, kept, np.sin(np.radians(angle)), 1e-4)
            near(self, passed, 1 - np.sin(np.radians(angle)), 1e-4)
        self.assertEqual(strikers, {0, 1})

    def test_wall(self) -> None:
        finds = []
        for s, n in self.cases("wall"):
            v, hits = np.array([s["vx"], s["vy"]], float), {hit["tick"]: hit for hit in n["hits"]}
            self.assertEqual(n["places"][0], [s["x"], s["y"]])
            for tick, (p, then) in enumerate(zip(n["places"], n["places"][1:], strict=False), 1):
                t, normal = self.wall_impact(s, np.array(p), v)
                self.assertEqual(t <= s["dt"], tick in hits, f"tick {tick}")
                if t > s["dt"]:
                    near(self, then, p + s["dt"] * v, 1e-12)
                    continue
                after = v - (1 + s["e"]) * (v @ normal) * normal
                near(self, [hits[tick]["t"], *hits[tick]["n"], *hits[tick]["after"]], [t, *normal, *after], 1e-12)
                near(self, then, p + t * v + (s["dt"] - t) * after, 1e-12)
                v = after
            finds.append((bool(hits), n["missed"]))
        self.assertEqual(finds, [(False, True)] + 5 * [(True, False)])

    def wall_impact(self, s: dict[str, Any], start: Any, v: Any) -> tuple[float, Any]:
        """When in a tick the ball meets the obstacle, by the library: from the tick's start, or back from its end."""
        late = s["method"] == "discrete"
        p = start + s["dt"] * v if late else start
        if s["obstacle"] == "wall":
            found = carom.toi.segment(tuple(p), tuple(v), s["r"], (s["ax"], s["ay"]), (s["bx"], s["by"]),
                                      limit=s["dt"], detection="discrete" if late else "continuous")  # fmt: skip
            return found.t[0] + late * s["dt"], np.array([found.nx[0], found.ny[0]])
        relative, r = np.array([s["cx"], s["cy"]]) - p, s["r"] + s["cr"]
        if late and relative @ relative >= r * r:
            return math.inf, None
        found = contact(relative, -v, r, "backward" if late else "fast")
        t = found.t[0] + late * s["dt"]
        return (t if 0 <= t <= s["dt"] else math.inf), -np.array([found.nx[0], found.ny[0]])

    def test_signs_at_the_wall(self) -> None:
        s, n = self.cases("wall")[0]
        a, b, v = np.array([s["ax"], s["ay"]]), np.array([s["bx"], s["by"]]), np.array([s["vx"], s["vy"]])
        normal = np.array([(b - a)[1], -(b - a)[0]]) / math.hypot(*(b - a))
        normal *= np.sign((np.array(n["places"][0]) - a) @ normal)
        end = np.array(n["places"][n["signs"]["tick"]])
        near(self, [n["signs"]["d"], n["signs"]["vn"]], [(end - a) @ normal - s["r"], v @ normal])
        self.assertTrue(n["signs"]["vn"] * s["dt"] <= n["signs"]["d"] <= 0, "the impact is not in this tick")

    def test_kick_and_dribble(self) -> None:
        options: dict[str, Any] = {
            "league": "original", "robots": 1, "length": 2, "width": 1.8, "arc": 40, "kick_reset": 0.5,
            "ticks": 1 << 30, "goals": 10000,
        }  # fmt: skip
        for case, (s, numbers) in enumerate(self.cases("kick")):
            with self.subTest(case=case):
                n = numbers["next"]
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
        for name, column in (("x", 0), ("y", 1)):
            values = np.zeros((1, 26))
            values[0, :3] = (s["robot"][column], s["other"][column], s["ball"][column])
            worlds.set(name, values)
            values[0, :3] = (s["robotV"][column], 0, s["ballV"][column])
            worlds.set(f"v{name}", values)
            hold = np.zeros((1, 4))
            hold[0, 0] = s["hold"][column]
            worlds.set(f"hold_{name}", hold)
        for name in ("angle", "spin", "ready"):
            values = np.zeros((1, 22), np.int32 if name == "ready" else float)
            values[0, 0] = s[name]
            worlds.set(name, values)
        worlds.set("holder", np.array([[s["holder"], -1, -1, -1]], np.int8))
        worlds.set("tick", np.full((1, 1), s["now"], np.int32))

    def test_fall(self) -> None:
        for s, n in self.cases("fall"):
            roots, count = carom.toi.accelerated_line_roots(
                (0.0, 0.0), (0.0, s["u"]), (0.0, s["a"]), 0.0, (-1.0, s["h"]), (1.0, s["h"])
            )
            self.assertEqual(n["roots"], list(roots[: count[0], 0]))
            near(self, n["t"], (-s["u"] + math.sqrt(s["u"] ** 2 + 2 * s["a"] * s["h"])) / s["a"], 1e-12)

    def test_quartic(self) -> None:
        for s, n in self.cases("quartic"):
            p, v, a = (tuple(s[f"b{kind}{axis}"] - s[f"a{kind}{axis}"] for axis in "xy") for kind in ("", "v", "a"))
            r = s["ar"] + s["br"]
            roots, count = carom.toi.accelerated_roots(p, v, a, r)
            self.assertEqual(n["roots"], list(roots[: count[0], 0]))
            self.assertEqual(n["t"], carom.toi.accelerated(p, v, a, r)[0])
            mistaken, many = carom.toi.accelerated_roots(p, v, a, r * r)
            self.assertEqual(n["wrong"], list(mistaken[: many[0], 0]))
            for root in n["roots"]:
                self.assertLess(abs(np.polyval(n["quartic"], root)), 1e-9 * (1 + abs(root)) ** 4 * 100)

    def test_polygon(self) -> None:
        features = set()
        for s, n in self.cases("polygon"):
            found = carom.toi.polygon((s["x"], s["y"]), (s["vx"], s["vy"]), s["r"], np.array(s["corners"], float))
            self.assertEqual([n["t"], n["nx"], n["ny"], n["feature"]],
                             [found.t[0], found.nx[0], found.ny[0], found.feature[0]])  # fmt: skip
            features.add(n["feature"] // len(s["corners"]))
        self.assertEqual(features, {-1, 0, 1})  # nothing, an edge, a corner

    def test_formula(self) -> None:
        for s, n in self.cases("formula"):
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
        gas, packing, time = None, 0.0, 0.0
        for s, n in self.cases("disks"):
            if gas is None or s["packing"] != packing:
                gas, packing, time = carom.Gas(340, s["packing"]), s["packing"], 0.0
                gas.run(8)
                gas.forget()
            gas.run(s["time"] - time)
            time = s["time"]
            found, side = gas.measure(), gas.side
            self.assertEqual((n["pressure"], n["collisions"]), (found.compressibility, found.collisions))
            psi = measures.bond_order(gas.state(), (side, side))
            near(self, n["strength"], np.abs(psi), 1e-12)
            near(self, n["order"], abs(psi.mean()), 1e-12)

    def test_lanes(self) -> None:
        for s, n in self.cases("lanes"):
            lanes, tick = s["lanes"], s["tick"]
            worlds = carom.Worlds("csb", 32, seed=1, players=2 * [s["policy"]])
            impacts = worlds.play(200, events=32).impacts()
            counts = np.zeros((200, 32), int)
            np.add.at(counts, (impacts["tick"], impacts["world"]), 1)
            self.assertEqual(n["counts"], counts[tick].tolist())
            self.assertEqual(n["impacts"], counts.sum(axis=1).tolist())
            groups = counts.reshape(200, 32 // lanes, lanes)
            near(self, n["waiting"], (1 + groups[tick].max(axis=1)).sum())
            near(self, n["meanWaiting"], (1 + groups.max(axis=2)).sum(axis=1).mean())
            rounds = [-(-(counts >= k).sum(axis=1) // lanes) for k in range(counts.max() + 1)]
            near(self, n["packed"], sum(one[tick] for one in rounds))
            near(self, n["meanPacked"], np.sum(rounds, axis=0).mean())


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        HTML = Path(sys.argv.pop(1))
    unittest.main()
