# SPDX-License-Identifier: MIT
"""The package in Chromium: both modules, in the page and in a worker, with nothing on the console.

    python javascript/tests/test_page.py build-web/javascript/dist

Needs Playwright and a Chromium: `chromium` in the path, or the one that Playwright has installed.
"""

from __future__ import annotations

import functools
import http.server
import json
import shutil
import sys
import threading
import unittest
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

EXPECTED = json.loads((Path(__file__).parent / "expected.json").read_text(encoding="utf-8"))
DIST = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build-web/javascript/dist")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the package, and an empty page beside it that may run nothing but what comes from here."""

    def do_GET(self) -> None:
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", "default-src 'self' 'wasm-unsafe-eval'; img-src data:")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>carom</title><link rel=icon href='data:,'>")

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


PLAY = """async ([simd, game]) => {
  const { load } = await import("/carom.js");
  const carom = await load(simd === null ? {} : { simd });
  const worlds = new carom.Worlds(game.game, game.count, game.options);
  worlds.play(game.ticks);
  return { isas: carom.info().isas, digest: String(worlds.digest()) };
}"""
REMOTE = """async (game) => {
  const { Remote } = await import("/worker.js");
  const remote = await Remote.start({ limit: 20000, memory: 256 << 20 });
  const worlds = await remote.call("make", "Worlds", game.game, game.count, game.options);
  const played = await remote.call("on", worlds, "play", game.ticks, { rewards: true, events: 4 });
  const digest = String(await remote.call("on", worlds, "digest"));
  const refused = await remote.call("make", "Worlds", "chess").catch((error) => [error.name, error.status]);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  remote.limit = 500;
  const late = await remote.call("on", worlds, "play", 1e9).catch((error) => [error.status, error.message]);
  clearInterval(timer);
  const after = await remote.call("info").catch((error) => error.status);
  return { digest, impacts: played.events.length, shape: played.rewards.shape, refused, late, ticks, after };
}"""


class PageTest(unittest.TestCase):
    """Each test has its own page."""

    page: Page

    @classmethod
    def setUpClass(cls) -> None:
        handler = functools.partial(Handler, directory=str(DIST.resolve()))
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()
        cls.playwright.stop()
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self) -> None:
        self.page = self.browser.new_page()
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.asked: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.page.goto(f"{self.origin}/")

    def tearDown(self) -> None:
        self.page.close()
        self.assertEqual(self.said, [])
        for url in self.asked:
            self.assertTrue(url.startswith((self.origin, "data:")), url)

    def test_both_modules_play_to_the_same_bits(self) -> None:
        for game in EXPECTED["games"]:
            for simd, isa in ((None, "wasm128"), (True, "wasm128"), (False, "scalar")):
                with self.subTest(game=game["game"], simd=simd):
                    found = self.page.evaluate(PLAY, [simd, game])
                    self.assertEqual(found, {"isas": [isa], "digest": game["digest"]})
        loaded = [url.rsplit("/", 1)[1] for url in self.asked if url.endswith(".wasm")]
        self.assertEqual(set(loaded), {"carom.wasm", "carom-scalar.wasm"})

    def test_a_page_loads_one_module(self) -> None:
        self.page.evaluate(PLAY, [None, EXPECTED["games"][0]])
        self.assertEqual([url.rsplit("/", 1)[1] for url in self.asked if url.endswith(".wasm")], ["carom.wasm"])

    def test_a_worker_answers_and_has_a_limit_of_time(self) -> None:
        game = EXPECTED["games"][0]
        found = self.page.evaluate(REMOTE, game)
        self.assertEqual(found["digest"], game["digest"])
        self.assertEqual(found["impacts"], game["impacts"])
        self.assertEqual(found["shape"], [game["ticks"], game["count"], 2])
        self.assertEqual(found["refused"], ["CaromError", "argument"])
        self.assertEqual(found["late"], ["cancelled", "no answer within 500 milliseconds"])
        self.assertGreater(found["ticks"], 10, "the page is not frozen meanwhile")
        self.assertEqual(found["after"], "cancelled")


if __name__ == "__main__":
    unittest.main()
