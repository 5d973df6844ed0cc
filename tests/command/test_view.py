#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`carom view`: its server over HTTP, and its page in a headless Chromium.

usage: test_view.py CAROM DATA [--rates | unittest options]

It needs Chromium (Debian: chromium) and Playwright (PyPI: playwright); without them everything that needs a browser is
skipped (exit status 77). --rates measures pictures a second and asserts nothing. Set the environment variable
CAROM_PICTURES_WRITE=1 to rewrite the stored pictures. More than 800 lines: server and page are tested together.
"""
import base64
import html
import http.client
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from command_tests import CAROM, ENVIRONMENT, Command, carom  # noqa: E402
from test_command_see import (  # noqa: E402
    BOUNCING, FINE, RESTING, SAME, SCENES, STORED, apart, bouncing, read_png, without_circle)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None
MISSING = ("Chromium is missing (Debian: chromium)" if CHROMIUM is None else
           "Playwright is missing (pip install playwright)" if sync_playwright is None else None)


def film_of(page):
    return json.loads(re.search(r'<script type="application/json" id="film">(.*?)</script>', page, re.S)[1])


def ways_of(film, ghosts):
    """The legs of a set of ghosts: [future][body][leg], each (from, to, x0, y0, x1, y1, ax, ay)."""
    stride = 8 if film["stride"] > 6 else 6
    numbers, counts = numbers_of("f", ghosts["ways"]), numbers_of("I", ghosts["legs"])
    legs = [(*numbers[k:k + stride], 0, 0)[:8] for k in range(0, len(numbers), stride)]
    assert len(legs) == sum(counts) and len(counts) == ghosts["count"] * film["bodies"]
    ways = []
    for count in counts:
        ways.append(legs[:count])
        legs = legs[count:]
    return [ways[k:k + film["bodies"]] for k in range(0, len(ways), film["bodies"])]


def place_on(legs, time_of):
    """The position on a path at a time: on a line, or on the parabola of its acceleration."""
    begin, end, x0, y0, x1, y1, ax, ay = next((leg for leg in legs if leg[1] >= time_of), legs[-1])
    share = min(max((time_of - begin) / (end - begin), 0), 1) if end > begin else 1
    bow = (end - begin) ** 2 * share * (1 - share) / 2
    return x0 + share * (x1 - x0) - bow * ax, y0 + share * (y1 - y0) - bow * ay


def numbers_of(kind, text):
    data = base64.b64decode(text)
    return struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data)


class Server:
    """A running `carom view`."""

    def __init__(self, *arguments, program=CAROM):
        self.process = subprocess.Popen([program, "view", *map(str, arguments), "--no-open"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.line = self.process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/(\S*) shows ", self.line)
        self.port, self.token, self.start = int(found[1]), found[2], found[3]
        self.address = f"http://127.0.0.1:{self.port}/{self.token}/"

    def ask(self, method, path, host=None, token=None, **headers):
        """`path` is what follows the token, which `token` replaces, with the slash before it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.putrequest(method, (f"/{self.token}" if token is None else token) + path, skip_host=True)
        for name, value in {"Host": host or f"127.0.0.1:{self.port}", "Content-Length": "0", **headers}.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body, answer

    def send(self, *pieces, ends=False):
        """The server's answer to bytes, until it closes or is silent for a while."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            answer = b""
            try:
                for piece in pieces:
                    connection.sendall(piece)
                if ends:
                    connection.shutdown(socket.SHUT_WR)
                while (got := connection.recv(65536)) != b"":
                    answer += got
            except (ConnectionResetError, BrokenPipeError):
                pass
        return answer

    def end(self):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=10)
        return self.process.returncode, out, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Files(Command):
    def test_arguments(self):
        for arguments in ((), ("chess",), ("csb", "--fly"), ("csb", "csb"), ("csb", "--port", 0),
                          ("csb", "--ticks", -1), ("csb", "--human", "--out", "x.html"), ("soccer", "--human"),
                          ("csb", "--human", "--worlds", 2), ("csb", "--idle", 0), ("csb", "--policy", "sleep"),
                          ("csb", "--playground", "--human"), ("csb", "--playground", "--seed", 2),
                          ("csb", "--playground", "--out", "x.html"), ("gas", "--playground")):
            self.assert_refused(carom("view", *arguments))
        with tempfile.TemporaryDirectory() as folder:
            self.assert_refused(carom("view", "csb", "--out", f"{folder}/no/x.html"), "cannot write")
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_page_into_a_pipe(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder) / "pipe"
            os.mkfifo(pipe)
            read = pathlib.Path(folder) / "read.html"  # not a pipe, which would fill up before it is read
            with read.open("w") as to, subprocess.Popen(["cat", pipe], stdout=to) as reader:
                self.assertEqual(carom("view", "fall", "--worlds", 1, "--out", pipe).returncode, 0)
                if not pipe.is_fifo():
                    reader.kill()
            self.assertIn('<script type="application/json" id="film">', read.read_text())
            self.assertEqual([path for path in pathlib.Path(folder).iterdir() if path.is_fifo()], [pipe])

    def test_page_is_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "x.html"
            scene = pathlib.Path(folder) / "<b>.json"
            shutil.copy(SCENES / "arena.json", scene)
            self.assertEqual(carom("view", scene, "--out", page, "--ticks", 5).returncode, 0)
            text = page.read_text()
        self.assertNotRegex(text, r"(src|href)=\"(?!data:)|@import|url\((?!data:)|<b>")
        told = film_of(text)
        self.assertEqual((told["count"], told["live"], told["whole"]), (6, False, True))


    def test_ghosts(self):
        """For the requested world, or for all: they start at its bodies."""
        def told(*arguments):
            with tempfile.TemporaryDirectory() as folder:
                page = pathlib.Path(folder) / "x.html"
                done = carom("view", "csb", "--worlds", 3, "--ticks", 4, "--ghosts", 5, "--horizon", 6, "--out", page,
                             *arguments)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                text = page.read_text()
            return film_of(text)

        for arguments, worlds in ((), [0]), (("--ghosts-of", 2), [2]), (("--ghosts-of", "all"), [0, 1, 2]):
            film = told(*arguments)
            ghosts = film["ghosts"]
            self.assertEqual([(g["frame"], g["world"]) for g in ghosts], [(f, w) for f in range(5) for w in worlds])
            places, found = numbers_of("d", film["places"]), []
            for g in ghosts:
                returns = numbers_of("d", g["returns"])
                self.assertEqual((g["count"], g["horizon"], len(set(returns))), (5, 6, 5))
                ways = ways_of(film, g)
                for way in ways:
                    for body in range(4):
                        at = ((g["frame"] * 3 + g["world"]) * 4 + body) * film["stride"]
                        if film["about"][body][3] == film["styles"].index("first"):
                            self.assertEqual((way[body][0][0], way[body][-1][1]), (0, 6))
                            self.assertLess(math.dist(place_on(way[body], 0), places[at:at + 2]), 0.01)
                        else:
                            self.assertEqual(way[body], [])
                found += [g["ways"], g["returns"]]
            self.assertEqual(len(set(found)), len(found))
        for wrong in (3, -1, "every"):
            self.assert_refused(carom("view", "csb", "--worlds", 3, "--ghosts-of", wrong), "--ghosts-of")

    def planned(self, game, *arguments):
        """The film of a game, and its ghosts with their numbers as lists: paths[future][tick][body], or None where a
        body is not shown."""
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "x.html"
            done = carom("view", game, "--out", page, *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            film = film_of(page.read_text())
        for g in film["ghosts"]:
            g["returns"] = numbers_of("d", g["returns"])
            g["paths"] = [[[place_on(legs, t) if legs else None for legs in way] for t in range(g["horizon"] + 1)]
                          for way in ways_of(film, g)]
        return film

    def test_what_a_search_looks_at(self):
        """Each generation's best and first candidates, and the plan: it is the best of them all, and is played."""
        seen, begun = 0, set()
        for game, policy, close in (("soccer", "cem:rollouts=512,horizon=4,cut=0,other-side=random,random", None),
                                    ("csb", "genetic:rollouts=512,horizon=4,other-side=race,race", 5),
                                    (SCENES / "air_hockey.json", "mppi:rollouts=512,horizon=5,cut=0,other-side=zero",
                                     0.01)):
            film = self.planned(game, "--worlds", 2, "--ticks", 3, "--policy", policy, "--ghosts", 6, "--ghosts-of", 1,
                                "--seed", 4)
            places, stride = numbers_of("d", film["places"]), film["stride"]
            players, first = {g["player"] for g in film["ghosts"]}, film["styles"].index("first")
            for frame in range(4):
                for player in players:
                    sets = [g for g in film["ghosts"] if g["frame"] == frame and g["player"] == player]
                    *generations, plan = sets
                    self.assertEqual({g["world"] for g in sets}, {1})
                    self.assertEqual([g["generation"] for g in sets], [*range(len(generations)), -1])
                    self.assertEqual({g["generations"] for g in sets}, {len(generations)})
                    self.assertGreater(len(generations), 1)
                    for g in generations:
                        self.assertTrue(6 == g["count"] <= g["sequences"] and g["returns"][0] == max(g["returns"]))
                    self.assertEqual(sum(g["sequences"] for g in generations), 512)
                    self.assertEqual((plan["count"], plan["sequences"]), (1, 0))
                    self.assertEqual(plan["returns"][0], max(g["returns"][0] for g in generations))
                    best = max(generations, key=lambda g: g["returns"][0])
                    self.assertEqual(best["paths"][0], plan["paths"][0])
                    for way in (way for g in sets for way in g["paths"]):
                        for body in range(film["bodies"]):
                            at = ((frame * 2 + 1) * film["bodies"] + body) * stride
                            if way[0][body] is not None:
                                self.assertAlmostEqual(way[0][body][0], places[at], delta=0.01)
                                begun.add((player, body))
                    if frame < 3 and close is not None:  # its own bodies moved as planned, up to rounded commands
                        for body in (b for b, about in enumerate(film["about"]) if about[3] == first + player):
                            at = (((frame + 1) * 2 + 1) * film["bodies"] + body) * stride
                            for n in range(2):
                                self.assertAlmostEqual(plan["paths"][0][1][body][n], places[at + n], delta=close)
                                seen += 1
        self.assertGreater(seen, 20)
        self.assertGreater(len(begun), 3)

    def test_ghosts_go_true_ways(self):
        """Without actions a predicted future comes true, also within ticks: bodies are where shorter ticks put them."""
        for name, how in BOUNCING.items():
            with tempfile.TemporaryDirectory() as folder:
                for which, dt in ("coarse", 1), ("fine", 1 / FINE):
                    (pathlib.Path(folder) / f"{which}.json").write_text(json.dumps(bouncing(dt, **how)))
                count = min(SAME.get(name, 80), 48)
                fine = self.planned(f"{folder}/fine.json", "--worlds", 1, "--ticks", count)
                coarse = self.planned(f"{folder}/coarse.json", "--worlds", 1, "--ticks", 0, "--ghosts", 2)
            places, ghosts = numbers_of("d", fine["places"]), coarse["ghosts"][0]
            for way in ways_of(coarse, ghosts):
                for body, legs in enumerate(way):
                    self.assertGreater(len(legs), 12 if name == "straight" else 11)
                    for tick in range(count):
                        x, y = place_on(legs, tick / FINE)
                        at = (tick * 9 + body) * fine["stride"]
                        apart = [abs(x - places[at]), abs(y - places[at + 1])]
                        for n, period in enumerate(coarse["wrap"]):
                            apart[n] = min(apart[n], abs(apart[n] - period)) if period > 0 else apart[n]
                        self.assertLess(math.hypot(*apart), 1e-4, (name, tick, body))

    def test_rows_are_held(self):
        """A future plays each row of its sequence for as many ticks as the search does: here a row is a velocity."""
        film = self.planned(SCENES / "air_hockey.json", "--worlds", 1, "--ticks", 0, "--ghosts", 40, "--policy",
                            "shooting:rollouts=64,horizon=6,hold=3,other-side=zero")
        first, turns = film["styles"].index("first"), 0
        for g in film["ghosts"]:
            body = next(b for b, about in enumerate(film["about"]) if about[3] == first + g["player"])
            for way in g["paths"]:
                steps = [(b[body][0] - a[body][0], b[body][1] - a[body][1]) for a, b in zip(way, way[1:])]
                for tick in 1, 2, 4, 5:
                    self.assertLess(math.dist(steps[tick], steps[tick - 1]), 1e-5)
                turns += math.dist(steps[3], steps[2]) > 1e-3
        self.assertGreater(turns, 40)

    def test_many_generations(self):
        """Of many generations twelve are reported, including the first and the last; of random ones none."""
        film = self.planned("stones", "--worlds", 1, "--ticks", 0, "--policy",
                            "cem:rollouts=640,sequences=16", "--ghosts", 3)
        for player in {g["player"] for g in film["ghosts"]}:
            told = [g for g in film["ghosts"] if g["player"] == player]
            self.assertEqual(len(told), 13)
            self.assertEqual((told[0]["generation"], told[11]["generation"]), (0, told[0]["generations"] - 1))
            self.assertEqual(len({g["generation"] for g in told}), 13)
        film = self.planned("csb", "--worlds", 1, "--ticks", 1, "--policy", "cem:rollouts=64", "--ghosts", 0)
        self.assertEqual(film["ghosts"], [])
        film = self.planned("csb", "--worlds", 1, "--ticks", 1, "--ghosts", 2)
        self.assertEqual({(g["generation"], g["generations"]) for g in film["ghosts"]}, {(-2, 0)})

    def test_planners_that_are_refused(self):
        for arguments, words in {("csb", "--policy", "cem:fly=1"): ["fly"],
                                 ("csb", "--policy", "cem:rollouts=100,horizon=3,race,race"): ["each player"],
                                 ("csb", "--policy", "cem:rollouts=100,horizon=3,"): ["each player"],
                                 ("gas", "--policy", "cem"): ["no player acts"],
                                 ("csb", "--against", "race"): ["--human"],
                                 ("csb", "--human", "--against", "race", "--policy", "race"): ["same player"],
                                 ("csb", "--human", "--against", "fly"): ["fly"]}.items():
            self.assert_refused(carom("view", *arguments), *words)

    def test_who_plays_and_what_is_said(self):
        film = self.planned("csb", "--worlds", 1, "--ticks", 1, "--policy", "cem:rollouts=64,horizon=3,race")
        self.assertEqual(film["names"], [[-1, 0, "cem:rollouts=64,horizon=3"], [-1, 1, "race"]])
        self.assertEqual(film["notes"], [])
        with tempfile.TemporaryDirectory() as folder:
            replay = pathlib.Path(folder) / "r.carom"
            done = carom("record", "csb", "--policy", "race,ram", "--ticks", 3, "--worlds", 2, "--out", replay)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            film = self.planned(replay, "--ticks", 1)
        self.assertEqual(film["names"], [[0, 0, "race"], [0, 1, "ram"], [1, 0, "race"], [1, 1, "ram"]])


class Serving(Command):
    def test_answers_its_own_page_only(self):
        with Server("csb", "--ticks", 3, "--worlds", 1) as server:
            status, page, answer = server.ask("GET", "/")
            self.assertEqual(status, 200)
            self.assertIn(b"<title>Carom</title>", page)
            self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
            self.assertEqual(server.ask("GET", "/", host=f"localhost:{server.port}")[0], 200)
            for host in ("example.org", f"example.org:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port + 1}",
                         "a b"):
                self.assertEqual(server.ask("GET", "/film", host=host)[0], 403, host)
            self.assertEqual(server.ask("POST", "/more?since=4&ticks=1", Origin="http://example.org")[0], 403)
            for path in ("/x", "/../film", "/film/", "//film", "/%2e%2e/etc/passwd", "/film/../film",
                         "/more?since=0&ticks=1"):
                self.assertEqual(server.ask("GET", path)[0], 404, path)
            self.assertEqual(server.ask("DELETE", "/film")[0], 405)
            for wrong in ("", "?since=4", "?since=x&ticks=1", "?since=4&ticks=0", "?since=4&ticks=1001",
                          "?since=-1&ticks=1"):
                self.assertEqual(server.ask("POST", "/more" + wrong)[0], 400, wrong)
            self.assertEqual(server.ask("POST", "/more?since=99&ticks=1")[0], 410)
            told = json.loads(server.ask("GET", "/film")[1])
            self.assertEqual((told["count"], told["live"]), (4, True))
            told = json.loads(server.ask("POST", "/more?since=4&ticks=7")[1])
            self.assertEqual((told["from"], told["count"]), (4, 7))
            with open("/proc/net/tcp") as sockets:
                here = [line.split()[1] for line in sockets if f":{server.port:04X} " in line and " 0A " in line]
            self.assertEqual(here, [f"0100007F:{server.port:04X}"])
            self.assert_refused(carom("view", "csb", "--no-open", "--port", server.port), "cannot listen")
            self.assertEqual(server.end()[::2], (0, ""))

    def test_token(self):
        """Requests without the secret address get nothing; the address differs each time."""
        with Server("csb", "--ticks", 3, "--worlds", 1) as server, Server("fall", "--worlds", 1) as other:
            token = server.token
            self.assertNotEqual(token, other.token)
            for wrong in ("", "/" + other.token, "/" + token[:-1], "/" + token[1:], "/" + token.upper() + "0",
                          f"/{token}0", f"//{token}", f"/./{token}", f"/x/{token}", "/" + token[:-1] + "%61",
                          "/" + ("0" if token[0] != "0" else "1") + token[1:],
                          "/" + token[:-1] + ("0" if token[-1] != "0" else "1")):
                for method, path in ("GET", "/"), ("GET", "/film"), ("POST", "/more?since=4&ticks=1"), ("GET", ""):
                    if wrong + path != "":
                        self.assertEqual(server.ask(method, path, token=wrong)[0], 404, (wrong, path))
            self.assertEqual(server.ask("GET", "", token=f"/{token}")[0], 404)
            self.assertNotIn(token, server.ask("GET", "/")[1].decode())
            told = json.loads(server.ask("GET", "/film")[1])
            self.assertEqual(told["count"], 4)  # nothing has been played
            self.assertNotIn(token.encode(), pathlib.Path(f"/proc/{server.process.pid}/cmdline").read_bytes())

    def test_requests_that_do_not_end(self):
        """Connections on which half a request has come keep none of ours from an answer, however many there are."""
        with Server("csb", "--ticks", 3, "--worlds", 1) as server:
            kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
            kept.request("GET", f"/{server.token}/alive")
            self.assertEqual(kept.getresponse().read(), b"")
            for number in 40, 300:
                half = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(number)]
                for k, connection in enumerate(half):
                    try:
                        connection.sendall((b"", b"GET ", b"POST /x HTTP/1.1\r\nHost: 127", b"\r\n\r")[k % 4])
                    except OSError:  # it had to make room
                        pass
                start = time.monotonic()
                self.assertEqual(server.ask("GET", "/film")[0], 200)
                self.assertLess(time.monotonic() - start, 4)
                kept.request("GET", f"/{server.token}/alive")  # this one had not to
                self.assertEqual(kept.getresponse().read(), b"")
                for connection in half:
                    connection.close()
            kept.close()

    def test_many_arguments(self):
        with Server("csb", "--ticks", 3, "--worlds", 1) as server:
            for number in 1, 100, 500, 700, 1000, 5000, 100000:
                more = "&".join(["a=1"] * number)
                self.assertIn(server.ask("GET", "/film?" + more)[0], [200] if number <= 1000 else [414], number)
                self.assertIn(server.ask("POST", "/more?" + more + "&since=4&ticks=1")[0],
                              [200] if number <= 1000 else [414], number)

    def test_what_is_no_request(self):
        """Each gets an error, and the server keeps running."""
        with Server("csb", "--ticks", 3, "--worlds", 1) as server:
            good = f"GET /{server.token}/alive HTTP/1.1\r\nHost: localhost:{server.port}\r\n".encode()
            for code, request in {
                400: [b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET x HTTP/1.1\r\n\r\n",
                      good + b"Host: x\r\n\r\n", good + b"nothing\r\n\r\n", good + b" x: y\r\n\r\n",
                      good + b": y\r\n\r\n", good + b"x: \0\r\n\r\n", good + b"Content-Length: -1\r\n\r\n",
                      good + b"Content-Length: 1x\r\n\r\n", good + b"Content-Length:\r\n\r\n",
                      b"GET  / HTTP/1.1\r\n\r\n"],
                413: [good + b"Content-Length: 65537\r\n\r\n", good + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n"],
                414: [b"GET /" + b"x" * 20000], 431: [good + b"x: y\r\n" * 3000, good + b"x: " + b"y" * 20000],
                501: [good + b"Transfer-Encoding: chunked\r\n\r\n"],
                403: [f"GET /{server.token}/ HTTP/1.0\r\n\r\n".encode()],
                200: [good + b"Connection: close\r\n\r\n",
                      good + b"cOnnection:\tCLOSE \r\nContent-Length: 2\r\n\r\nok"],
            }.items():
                for text in request:
                    self.assertEqual(server.send(text)[:12], f"HTTP/1.1 {code}".encode(), text[:99])
            # One byte at a time; bodies that are ignored; two requests in one packet.
            whole = good + b"Content-Length: 3\r\n\r\nabc" + good + b"Connection: close\r\n\r\n"
            for pieces in [whole], [bytes([byte]) for byte in whole]:
                self.assertEqual(server.send(*pieces).count(b"HTTP/1.1 200 OK\r\n"), 2)
            # Damaged at random: whatever comes back is an answer, and the next request has its own.
            draw = random.Random(26)
            for _ in range(300):
                text = bytearray(whole)
                for _ in range(draw.randint(1, 4)):
                    at = draw.randrange(len(text))
                    new = bytes(draw.choices(b"\0\r\n :/?&%\xff9aA", k=draw.randint(0, 9)))
                    text[at:at + draw.choice((0, 1, 1, 9))] = new
                answer = server.send(bytes(text), ends=True)
                self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 "), answer[:99])
            self.assertEqual(server.ask("GET", "/alive")[0], 200)
            self.assertEqual(server.end()[::2], (0, ""))

    def test_memory(self):
        """A full page says so, and is not larger than requested."""
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "x.html"
            done = carom("view", "csb", "--worlds", 3000, "--ticks", 100, "--memory", 8, "--out", page)
            self.assertEqual(done.returncode, 0)
            told = json.loads(re.search(r'id="film">(.*?)</script>', page.read_text(), re.S)[1])
            self.assertEqual(done.stderr, f"carom: the page is full after {told['count'] - 1} ticks: it keeps 8 MiB "
                                          "(see --memory)\n")
            self.assertTrue(told["full"])
            self.assertTrue(4 << 20 < page.stat().st_size < 11 << 20, page.stat())
        with Server("csb", "--worlds", 3000, "--ticks", 1, "--memory", 8) as server:
            count, told = 2, {"whole": False}
            while not told["whole"]:
                told = json.loads(server.ask("POST", f"/more?since={count}&ticks=3")[1])
                count += told["count"]
                self.assertLess(count, 100)
            self.assertTrue(told["full"])
            self.assertEqual(json.loads(server.ask("POST", f"/more?since={count}&ticks=3")[1])["count"], 0)
            self.assertIn(f"full after {count - 1} ticks", server.end()[2])
        self.assert_refused(carom("view", "csb", "--memory", 449), "--memory")

    def test_wizards_are_steered(self):
        """Both fly to where the user points."""
        with Server("fantastic_bits", "--human", "--seed", 2, "--policy", "random") as server:
            film = json.loads(server.ask("GET", "/film")[1])
            wide, stride, since = film["bodies"] * film["stride"], film["stride"], film["count"]
            for x, sign in (15000, 1), (500, -1):
                told = json.loads(server.ask("POST", f"/more?since={since}&ticks=12&x={x}&y=3750&press=1")[1])
                self.assertEqual((told["from"], told["count"]), (since, 12))
                since += 12
                data = base64.b64decode(told["places"])
                places = struct.unpack(f"<{len(data) // 8}d", data)
                for body in 0, 1:
                    self.assertGreater(sign * (places[body * stride - wide] - places[body * stride]), 500)

    def test_ends_when_the_page_has_gone(self):
        with Server("fall", "--worlds", 1, "--idle", 1) as server:
            time.sleep(1.3)  # no visitor yet: it waits
            self.assertEqual(server.ask("GET", "/alive")[0], 200)
            start = time.monotonic()
            self.assertEqual(server.process.wait(timeout=10), 0)
            self.assertGreater(time.monotonic() - start, 0.5)

    def test_opens_the_browser(self):
        with tempfile.TemporaryDirectory() as folder:
            program, asked = pathlib.Path(folder) / "xdg-open", pathlib.Path(folder) / "asked"
            program.write_text(f'#!/bin/sh\necho "$1" >{asked}.part\nmv {asked}.part {asked}\n')
            program.chmod(0o755)
            env = {**ENVIRONMENT, "PATH": f"{folder}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": folder}
            process = subprocess.Popen([CAROM, "view", "fall", "--worlds", "1", "--ticks", "1"],
                                       stdout=subprocess.PIPE, text=True, env=env)
            try:
                address = process.stdout.readline().split()[0]
                end = time.monotonic() + 10
                while not asked.exists() and time.monotonic() < end:
                    time.sleep(0.05)
                # Command lines can be read by all users: it is given a page that only this one can read.
                page = pathlib.Path(asked.read_text().strip())
                self.assertEqual(page.parent.parent, pathlib.Path(folder))
                self.assertEqual(page.parent.stat().st_mode & 0o777, 0o700)
                self.assertIn(f'content="0; url={address}"', page.read_text())
            finally:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=10)
            self.assertEqual(process.returncode, 0)
            self.assertFalse(page.parent.exists())

    def install(self, folder, *lacking):
        """A command with a playground next to it that lacks some files; returns its path."""
        root = pathlib.Path(folder) / "a <b> & c"
        (root / "bin").mkdir(parents=True)
        shutil.copy(CAROM, root / "bin" / "carom")
        files = {"playground/index.html": "<title>P</title>", "playground/playground.js": "1", "viewer/main.js": "2",
                 "viewer/style.css": "3", "carom/carom.js": "4", "carom/carom.wasm": "\0asm", "carom/.x.js": "5",
                 "playground/scenes/arena.json": "{}", "carom/carom.d.ts": "6", "other/x.js": "7"}
        for name, text in files.items():
            path = root / "share" / "carom" / "web" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if name not in lacking:
                path.write_text(text)
        (root / "share" / "carom" / "web" / "carom" / "folder.js").mkdir()
        return root / "bin" / "carom"

    def test_serves_the_playground_beside_it(self):
        with tempfile.TemporaryDirectory() as folder, \
                Server("csb", "--playground", program=self.install(folder)) as server:
            self.assertEqual(server.start, "playground/?served#csb")
            for path, kind, body in (("/playground/?served", "text/html; charset=utf-8", b"<title>P</title>"),
                                     ("/playground/playground.js", "text/javascript; charset=utf-8", b"1"),
                                     ("/viewer/style.css", "text/css; charset=utf-8", b"3"),
                                     ("/playground/scenes/arena.json", "application/json", b"{}"),
                                     ("/carom/carom.wasm", "application/wasm", b"\0asm")):
                status, told, answer = server.ask("GET", path)
                self.assertEqual((status, answer.headers["Content-Type"], told), (200, kind, body), path)
                self.assertIn("'wasm-unsafe-eval'", answer.headers["Content-Security-Policy"])
                self.assertNotIn("unsafe-inline", answer.headers["Content-Security-Policy"])
            for path in ("/playground", "/carom/", "/carom/../carom/carom.js", "/carom/.x.js", "/carom//carom.js",
                         "/carom/%2e/carom.js", "/carom/carom.d.ts", "/carom/x.js", "/other/x.js", "/carom/folder.js",
                         "/scene", "/carom/../../../../bin/carom", "/carom/" + 2000 * "x" + ".js"):
                self.assertEqual(server.ask("GET", path)[0], 404, path)
            self.assertEqual(server.ask("POST", "/playground/")[0], 404)
            self.assertEqual(server.ask("GET", "/playground/", token="/" + "0" * 32)[0], 404)
            self.assertEqual(server.ask("GET", "/playground/", Origin="http://example.org")[0], 403)
            self.assertNotIn("wasm", server.ask("GET", "/")[2].headers["Content-Security-Policy"])
            self.assertEqual(server.end()[::2], (0, ""))

    def test_playground_of_a_scene(self):
        scene = SCENES / "arena.json"
        with tempfile.TemporaryDirectory() as folder, \
                Server(scene, "--playground", program=self.install(folder)) as server:
            self.assertEqual(server.start, "playground/?served#given")
            self.assertEqual(server.ask("GET", "/scene")[1], scene.read_bytes())
            self.assertEqual(server.end()[::2], (0, ""))

    def test_says_what_the_playground_lacks(self):
        """Reported on stderr and in the page, with the commands that build it, and only if the playground is
        requested."""
        for lacking in "playground/index.html", "carom/carom.wasm":
            with tempfile.TemporaryDirectory() as folder, \
                    Server("csb", "--playground", program=self.install(folder, lacking)) as server:
                status, page, answer = server.ask("GET", "/playground/")
                self.assertEqual((status, answer.headers["Content-Type"]), (404, "text/html; charset=utf-8"))
                said = server.end()
                self.assertEqual(said[0], 0)
                self.assertIn(b"a &#60;b&#62; &#38; c", page)
                for text in html.unescape(page.decode()).replace("</code>", ""), said[2]:
                    self.assertIn(f"share/carom/web/{lacking} is missing", text)
                    self.assertIn(f"--prefix '{folder}/a <b> & c'", text)
                    self.assertIn("ninja -C build-web javascript", text)
                    self.assertIn("meson install -C build-web --no-rebuild --tags playground", text)
        with tempfile.TemporaryDirectory() as folder, \
                Server("csb", program=self.install(folder, "carom/carom.wasm")) as server:
            self.assertNotIn(b"<b>", server.ask("GET", "/playground/")[1])
            self.assertEqual(server.end()[2], "")

    def test_waits_longer_for_a_page_that_is_hidden(self):
        with Server("fall", "--worlds", 1, "--idle", 1) as server:
            self.assertEqual(server.ask("GET", "/alive?silent=60")[0], 200)
            time.sleep(2.5)
            self.assertIsNone(server.process.poll())
            for wrong in "silent=-1", "silent=601", "silent=x":
                self.assertEqual(server.ask("GET", "/alive?" + wrong)[0], 400, wrong)
            self.assertEqual(server.ask("GET", "/alive?silent=60")[0], 200)
            self.assertEqual(server.ask("POST", "/gone")[0], 200)
            self.assertEqual(server.process.wait(timeout=10), 0)


class Against(Command):
    def test_a_planner_plays_against_a_person(self):
        """It plans again in every requested tick, and the plans that it considers are drawn."""
        with Server("csb", "--human", "--against", "cem:rollouts=64,horizon=3", "--ghosts", 4) as server:
            status, body, _ = server.ask("POST", "/more?since=1&ticks=3&x=5000&y=5000")
            film = json.loads(body)
            self.assertEqual((status, film["count"]), (200, 3))
            self.assertEqual({g["player"] for g in film["ghosts"]}, {1})
            self.assertEqual({g["frame"] for g in film["ghosts"]}, {1, 2, 3})
            told = json.loads(server.ask("GET", "/film")[1])
            self.assertEqual(told["names"], [[-1, 1, "cem:rollouts=64,horizon=3"]])
            places, stride = numbers_of("d", told["places"]), told["stride"]
            moved = [places[(3 * 4 + body) * stride] != places[body * stride] for body in range(4)]
            self.assertEqual(moved, [True] * 4)


@unittest.skipIf(MISSING, MISSING)
class Page(Command):
    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.replay = cls.path / "race.carom"
        done = carom("record", "csb", "--worlds", 64, "--ticks", 120, "--keyframes", 1, "--out", cls.replay)
        assert done.returncode == 0, done
        done = carom("view", cls.replay, "--out", cls.path / "race.html", "--ghosts", 5)
        assert done.returncode == 0, done
        done = carom("view", "csb", "--worlds", 4, "--ticks", 20, "--ghosts", 9, "--ghosts-of", 3, "--out",
                     cls.path / "ghosts.html")
        assert done.returncode == 0, done
        done = carom("view", "csb", "--worlds", 2, "--ticks", 6, "--policy", "cem:rollouts=1024,horizon=5,race",
                     "--ghosts", 7, "--ghosts-of", "all", "--out", cls.path / "search.html")
        assert done.returncode == 0, done

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.folder.cleanup()

    def open(self, address, width=1100, height=760, **options):
        """A page; its console output and requests are asserted when the test ends."""
        page = self.browser.new_page(viewport={"width": width, "height": height}, **options)
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(str(address))
        self.until(page, "window.carom !== undefined")

        def at_end():
            if page.is_closed():
                return
            page.close()
            self.assertEqual(said, [])
            base = address if str(address).startswith("http") else "file:"
            self.assertEqual([url for url in asked if not url.startswith((base, "data:"))], [])
        self.addCleanup(at_end)
        page.shut = at_end  # to be called before a server ends
        return page

    def until(self, page, expression):
        """Waits until an expression is true. (What Playwright has for that is not allowed by the page's policy.)"""
        end = time.monotonic() + 20
        while not page.evaluate(expression):
            self.assertLess(time.monotonic(), end, expression)
            page.wait_for_timeout(20)

    def open_file(self, **options):
        return self.open((self.path / "race.html").as_uri(), **options)

    def frame(self, page):
        return page.evaluate("carom.frame")

    def settle(self, page):
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def table(self, page, name):
        self.settle(page)
        return page.evaluate("name => [...document.querySelectorAll(`#${name} tbody tr`)].map("
                             "row => [...row.cells].map(cell => cell.textContent))", name)

    def record_of(self, tick, world):
        """x, y, vx, vy and id of a world of the replay, out of its keyframe: see docs/replay.md."""
        data = self.replay.read_bytes()
        head, = struct.unpack_from("<I", data, 12)
        size, worlds, length = struct.unpack_from("<III", data, 40)
        self.assertEqual((worlds, data[52:52 + length]), (64, b"csb"))
        at = head
        while data[at:at + 1] == b"N":  # names of the players, which are short
            at += 4 + data[at + 3]
        for _ in range(tick):
            at += 30 + worlds * (8 + size)
            self.assertEqual(data[at:at + 1], b"T")
            at += 1
            for _ in range(worlds):
                at += 1 + 4 * bin(data[at]).count("1")
            at += 8 * worlds
        self.assertEqual(data[at:at + 1], b"K")
        at += 22 + 8 * worlds + world * size
        numbers = struct.unpack_from("<16d", data, at + 8 + 4 + 4 + 3)
        return [numbers[k:k + 4] for k in range(0, 16, 4)], struct.unpack_from("<Q", data, at)[0]

    def check_numbers(self, page):
        for tick, world, body in (0, 0, 0), (37, 5, 3), (90, 63, 1):
            page.fill("#world", str(world))
            page.press("#world", "Tab")
            page.select_option("#body", str(body))
            page.evaluate("tick => { const s = document.getElementById('scrub'); s.value = tick;"
                          "s.dispatchEvent(new Event('input')); }", tick)
            shown = dict(self.table(page, "body-numbers"))
            fields, identity = self.record_of(tick, world)
            for name, values in zip(("x", "y", "vx", "vy"), fields):
                self.assertEqual(float(shown[name]), values[body], (tick, world, name))
            of_world = {row[0]: row[-1] for row in self.table(page, "world-numbers")}
            self.assertEqual((int(of_world["id"]), int(of_world["tick"])), (identity, tick))
            self.assertRegex(of_world["hash"], r"\A[0-9a-f]{16}\Z")
            self.assertEqual(page.inner_text("#tick"), str(tick))

    def test_numbers_from_the_file(self):
        self.check_numbers(self.open_file())

    def test_numbers_from_the_server(self):
        with Server(self.replay) as server:
            page = self.open(server.address)
            self.check_numbers(page)
            page.shut()

    def test_hash_is_the_library_s(self):
        """Sum over worlds of a mix of (id, hash), which is what carom rollout gives as its digest."""
        mask, golden = (1 << 64) - 1, 0x9e3779b97f4a7c15

        def mix(x, first, second, shifts):
            x = (x ^ x >> shifts[0]) * first & mask
            x = (x ^ x >> shifts[1]) * second & mask
            return x ^ x >> shifts[2]
        page = self.open_file()
        page.press("#moving", "End")
        total = 0
        for world in range(8):
            page.fill("#world", str(world))
            page.press("#world", "Tab")
            row = {row[0]: row[-1] for row in self.table(page, "world-numbers")}
            other = mix(int(row["id"]) + golden & mask, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53, (33, 33, 33))
            total += mix(other ^ int(row["hash"], 16), 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, (30, 27, 31))
        done = carom("rollout", "csb", "--worlds", 8, "--ticks", 120, "--at-end", "freeze", "--json")
        self.assertEqual(json.loads(done.stdout)["digest"], f"{total & mask:016x}")

    def test_controls(self):
        page = self.open_file()
        self.assertEqual(self.frame(page), 0)
        page.click("#step")
        page.click("#step")
        self.assertEqual(self.frame(page), 2)
        page.click("#back")
        self.assertEqual(self.frame(page), 1)
        page.select_option("#speed", "60")
        page.click("#play")
        self.assertEqual(page.get_attribute("#play", "aria-label"), "Pause")
        self.until(page, "carom.frame > 20")
        page.click("#play")
        paused = self.frame(page)
        page.wait_for_timeout(100)
        self.assertEqual(self.frame(page), paused)
        page.click("#start")
        self.assertEqual(self.frame(page), 0)
        page.click("#play")
        self.until(page, "carom.frame === 120")  # and stops there
        self.until(page, "document.getElementById('play').getAttribute('aria-label') === 'Play'")
        page.focus("#scrub")
        page.press("#scrub", "Home")
        self.assertEqual(self.frame(page), 0)
        page.press("#scrub", "ArrowRight")
        self.assertEqual(self.frame(page), 1)

    def test_keyboard(self):
        page = self.open_file()
        page.focus("#moving")
        for key, frame in ("ArrowRight", 1), ("End", 120), ("ArrowLeft", 119), ("Home", 0):
            page.keyboard.press(key)
            self.assertEqual(self.frame(page), frame, key)
        page.keyboard.press("Space")
        self.until(page, "carom.frame > 0")
        page.keyboard.press("Space")
        zoom = page.evaluate("carom.view.zoom")
        page.keyboard.press("+")
        self.assertGreater(page.evaluate("carom.view.zoom"), zoom)
        page.keyboard.press("0")
        self.assertEqual(page.evaluate("carom.view.zoom"), 1)
        page.keyboard.press("n")
        page.keyboard.press("w")
        self.assertEqual((page.input_value("#body"), page.input_value("#world")), ("1", "1"))
        for key, name in ("f", "follow"), ("t", "trails"), ("i", "marks"), ("g", "ghosts"):
            before = page.is_checked("#" + name)
            page.keyboard.press(key)
            self.assertNotEqual(page.is_checked("#" + name), before)
        dark = page.evaluate("document.documentElement.className")
        page.keyboard.press("d")
        self.assertNotEqual(page.evaluate("document.documentElement.className"), dark)

    def stage(self, page):
        self.settle(page)
        return page.locator("#stage").screenshot()

    def test_pictures_change_as_they_should(self):
        page = self.open_file()
        page.press("#moving", "End")
        seen = [self.stage(page)]

        def differs(does):
            does()
            seen.append(self.stage(page))
            self.assertNotEqual(seen[-1], seen[-2])
        for name in "ghosts", "trails":
            differs(lambda name=name: page.click("#" + name))
        differs(lambda: page.click("#theme"))
        for grid in "4", "16", "64":
            differs(lambda grid=grid: page.select_option("#grid", grid))
        page.select_option("#grid", "1")
        differs(lambda: page.click("#in"))
        differs(lambda: page.click("#out"))
        differs(lambda: page.click("#follow"))
        page.select_option("#body", "2")
        x, y = (float(dict(self.table(page, "body-numbers"))[name]) for name in "xy")
        self.assertEqual(page.evaluate("[carom.view.cx, carom.view.cy]"), [x, y])
        page.click("#fit")
        self.assertEqual(page.evaluate("[carom.view.cx, carom.view.cy]"), [8000, 4500])
        self.assertFalse(page.is_checked("#follow"))

    def test_ghosts_are_drawn_in_their_world(self):
        page = self.open((self.path / "ghosts.html").as_uri(), width=640, height=480)
        page.select_option("#grid", "4")
        page.press("#moving", "End")
        width, height, here = read_png(self.stage(page))
        page.keyboard.press("g")
        there = read_png(self.stage(page))[2]
        cells = set()
        for k in range(0, 3 * width * height, 3):
            if here[k:k + 3] != there[k:k + 3]:
                cells.add((k // 3 % width * 2 // width, k // 3 // width * 2 // height))
        self.assertEqual(cells, {(1, 1)})

    def test_generations_of_a_search(self):
        """The last one is shown, the others by the list and its keys; the panel shows its numbers."""
        page = self.open((self.path / "search.html").as_uri())
        film = film_of((self.path / "search.html").read_text())
        page.press("#moving", "End")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("w")
        sets = [g for g in film["ghosts"] if (g["frame"], g["world"]) == (5, 1)]
        plan = max(numbers_of("d", sets[-1]["returns"]))
        self.assertEqual([option.inner_text() for option in page.query_selector_all("#generation option")],
                         ["the last", "in turn", *map(str, range(1, len(sets)))])
        seen = {}
        for choice in ["last", "turn", *map(str, range(1, len(sets)))]:
            self.assertEqual(page.input_value("#generation"), choice)
            g = sets[-2 if choice == "last" else 0 if choice == "turn" else int(choice) - 1]
            self.until(page, f"document.querySelector('#search').innerText.includes('{g['generation'] + 1} of')")
            rows = [line.split("\t") for line in page.inner_text("#search").splitlines()]
            self.assertEqual([row[0] for row in rows],
                             ["player 0, generation", "shown", "best return", "player 0, plan's return"])
            self.assertEqual([row[1] for row in rows[:2]],
                             [f"{g['generation'] + 1} of {g['generations']}", f"7 of {g['sequences']}"])
            self.assertEqual([float(row[1]) for row in rows[2:]], [max(numbers_of("d", g["returns"])), plan])
            seen[choice] = bytes(read_png(self.stage(page))[2])
            page.keyboard.press("h")
        self.assertEqual(page.input_value("#generation"), "last")
        page.keyboard.press("Shift+H")
        self.assertEqual(page.input_value("#generation"), str(len(sets) - 1))
        self.assertEqual(seen["last"], seen[str(len(sets) - 1)])
        self.assertEqual(seen["turn"], seen["1"])
        self.assertNotEqual(seen["1"], seen["2"])
        page.keyboard.press("g")
        self.assertNotEqual(bytes(read_png(self.stage(page))[2]), seen["last"])

    def test_who_plays_and_what_is_said(self):
        """Names, messages and standard error of bots, in their ticks; as text, whatever it holds."""
        player = f"{sys.executable} -S -E {pathlib.Path(__file__).resolve().parent / 'arena_player.py'} speak"
        done = carom("arena", "csb", "--a", player, "--b", "carom:race", "--games", 2, "--record", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = carom("view", self.path / "1-2-1.carom", "--ticks", 9, "--out", self.path / "said.html")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = self.open((self.path / "said.html").as_uri())
        world = page.inner_text("#world-numbers")
        self.assertIn("player 0\tcarom:race\n", world)
        self.assertIn(f"player 1\t{player}\n", world)
        page.press("#moving", "Home")
        self.assertTrue(page.is_hidden("#at-said"))
        for turn in range(2):
            page.keyboard.press("ArrowRight")
            self.until(page, f"document.querySelector('#said').innerText.includes('turn {turn}')")
            rows = page.eval_on_selector_all("#said tr", "rows => rows.map(r => [...r.cells].map(c => c.textContent))")
            self.assertEqual(rows, [["player 1 writes", f"turn {turn}\n"], ["player 1 says", "hello\nhello"]])
        page.keyboard.press("ArrowRight")
        self.until(page, "document.querySelector('#said').innerText.includes('xxx')")
        self.assertEqual(len(page.text_content("#said td")), 2000 + len(" ..."))

    def test_charts(self):
        """Energy and score are the world's, speed is the body's: the lines go through the numbers of the film, the
        least at the bottom and the greatest at the top; all have a mark at the tick that is shown."""
        page = self.open_file()
        film = film_of((self.path / "race.html").read_text())
        worlds, bodies, stride, count = (film[name] for name in ("worlds", "bodies", "stride", "count"))
        places, states = (numbers_of("d", film[name]) for name in ("places", "states"))
        self.assertEqual((len(places), len(states)), (count * worlds * bodies * stride, count * worlds * 8))

        def speed(frame, world, body):
            return math.hypot(*places[((frame * worlds + world) * bodies + body) * stride + 2:][:2])

        def state(frame, world):
            return states[(frame * worlds + world) * 8:][:8]

        def energy(frame, world):
            return sum(about[6] * speed(frame, world, body) ** 2 / 2 for body, about in enumerate(film["about"]))
        page.evaluate("""() => {
            window.drawn = {};
            const kind = CanvasRenderingContext2D.prototype;
            for (const name of ["beginPath", "moveTo", "lineTo"]) {
                const before = kind[name];
                kind[name] = function (...at) {
                    const lines = window.drawn[this.canvas.id] ||= [];
                    name === "beginPath" ? lines.push([]) : lines[lines.length - 1]?.push(at);
                    return before.apply(this, at);
                };
            }
        }""")

        def check(frame, world, body, does):
            page.evaluate("window.drawn = {}")
            does()
            self.settle(page)
            page.wait_for_timeout(50)
            wanted = {"energy": [[energy(k, world) for k in range(count)]],
                      "score": [[state(k, world)[5 + player] for k in range(count)] for player in (0, 1)],
                      "speed": [[speed(k, world, body) for k in range(count)]]}
            for name, lines in wanted.items():
                width, height = page.evaluate("name => { const c = document.getElementById(`chart-${name}`);"
                                              "return [c.clientWidth, c.clientHeight]; }", name)
                drawn = page.evaluate("name => window.drawn[`chart-${name}`]", name)[-len(lines) - 1:]
                least, greatest = min(map(min, lines)), max(map(max, lines))
                self.assertGreater(greatest, least, name)
                self.assertEqual([len(line) for line in drawn], [count] * len(lines) + [2], name)
                for line, values in zip(drawn, lines):
                    for k, (x, y) in enumerate(line):
                        at = (name, world, body, k)
                        self.assertAlmostEqual(x, 1 + k / (count - 1) * (width - 2), delta=0.01, msg=at)
                        share = (values[k] - least) / (greatest - least)
                        self.assertAlmostEqual(y, height - 2 - share * (height - 4), delta=0.01, msg=at)
                now = 1 + frame / (count - 1) * (width - 2)
                for (x, y), end in zip(drawn[-1], (0, height)):
                    self.assertAlmostEqual(x, now, delta=0.01)
                    self.assertEqual(y, end)

        check(count - 1, 0, 0, lambda: page.press("#moving", "End"))
        check(count - 1, 0, 2, lambda: page.select_option("#body", "2"))
        check(count - 1, 5, 2, lambda: (page.fill("#world", "5"), page.press("#world", "Tab")))
        check(0, 5, 2, lambda: page.press("#moving", "Home"))

    def test_mouse_and_touch(self):
        page = self.open_file(has_touch=True)
        box = page.locator("#moving").bounding_box()
        page.mouse.move(box["x"] + 300, box["y"] + 200)
        page.mouse.wheel(0, -300)
        self.until(page, "carom.view.zoom > 1.2")
        before = page.evaluate("carom.view.cx")
        page.mouse.down()
        page.mouse.move(box["x"] + 360, box["y"] + 200, steps=3)
        page.mouse.up()
        self.assertLess(page.evaluate("carom.view.cx"), before)
        page.click("#fit")
        page.press("#moving", "End")
        fields, _ = self.record_of(120 - 1, 0)
        page.click("#back")
        self.settle(page)
        width, height = box["width"], box["height"]
        scale = min(width / 17600, height / 9900) * 0.98
        for body in (3, 1):
            x = box["x"] + width / 2 + (fields[0][body] - 8000) * scale
            y = box["y"] + height / 2 + (fields[1][body] - 4500) * scale
            if box["x"] < x < box["x"] + width and box["y"] < y < box["y"] + height:
                page.touchscreen.tap(x, y)
                self.settle(page)
                self.assertEqual(page.input_value("#body"), str(body))
        page.select_option("#grid", "4")
        self.settle(page)
        page.touchscreen.tap(box["x"] + 0.75 * width, box["y"] + 0.25 * height)
        self.settle(page)
        self.assertEqual(page.input_value("#world"), "1")
        page.click("#fit")
        devtools = page.context.new_cdp_session(page)
        x, y = box["x"] + width / 2, box["y"] + height / 2
        for kind, apart in ("Start", 40), ("Move", 80), ("Move", 120):  # two fingers go apart
            points = [{"x": x + sign * apart, "y": y, "id": k} for k, sign in enumerate((-1, 1))]
            devtools.send("Input.dispatchTouchEvent", {"type": "touch" + kind, "touchPoints": points})
        devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self.assertAlmostEqual(page.evaluate("carom.view.zoom"), 3, delta=0.2)

    def test_impacts_and_faults(self):
        page = self.open_file()
        found = 0
        for _ in range(60):
            page.keyboard.press("ArrowRight")
            rows = self.table(page, "impacts")
            for time_of, first, second, _, _ in rows:
                self.assertTrue(0 <= float(time_of) <= 1)
                self.assertRegex(first + second, r"\Apod [0-3]pod [0-3]\Z")
            found += len(rows)
        self.assertGreater(found, 0)
        self.assertTrue(page.is_hidden("#fault"))

    def test_fault_is_told(self):
        """A ball that bounces more often than max_events causes a fault; a scene has normals and impulses, too."""
        scene = {
            "max_events": 3,
            "bodies": [{"x": 0, "y": 3, "ay": -1}],
            "walls": [{"a": [-5, 0], "b": [5, 0], "restitution": 0.1}],
        }
        (self.path / "drop.json").write_text(json.dumps(scene))
        page = self.path / "drop.html"
        self.assertEqual(carom("view", self.path / "drop.json", "--out", page, "--ticks", 30).returncode, 0)
        page = self.open(page.as_uri())
        impulses = 0
        while page.is_hidden("#fault") and self.frame(page) < 30:
            page.keyboard.press("ArrowRight")
            for row in self.table(page, "impacts"):
                self.assertEqual(row[3], "0, 1")
                impulses += float(row[4]) > 0
        self.assertIn("too many impacts", page.inner_text("#fault"))
        self.assertGreater(impulses, 0)

    def test_stored_picture(self):
        """The arena, without text, so that no font matters."""
        page = self.path / "arena.html"
        # Named without its folder: the page shows the name, and the picture takes the rest of the window.
        ran = carom("view", "arena.json", "--out", page, "--ticks", 50, cwd=SCENES)
        self.assertEqual(ran.returncode, 0)
        page = self.open(page.as_uri(), width=640, height=480)
        page.press("#moving", "End")
        picture = self.stage(page)
        if os.environ.get("CAROM_PICTURES_WRITE") is not None:
            (STORED / "view.png").write_bytes(picture)
        here, stored = read_png(picture), read_png((STORED / "view.png").read_bytes())
        self.assertLess(apart(here, stored, 12), 12)

        # A body that is missing would be seen.
        cell = page.evaluate("({zoom: carom.view.zoom, cx: carom.view.cx, cy: carom.view.cy, view: carom.film.view,"
                             " bodies: carom.film.about.map((_, k) => carom.between(carom.time, 0, k))})")
        x0, y0, x1, y1 = cell["view"]
        scale = min(here[0] / (x1 - x0), here[1] / (y1 - y0)) * 0.98
        self.assertEqual(len(cell["bodies"]), 12)
        for body in cell["bodies"]:
            x, y = (body["x"] - cell["cx"]) * scale + here[0] / 2, (cell["cy"] - body["y"]) * scale + here[1] / 2
            gone = without_circle(here, x, y, body["radius"] * scale)
            self.assertGreater(apart(gone, stored, 12), 20)

    def film(self, name, *arguments):
        page = self.path / (name + ".html")
        self.assertEqual(carom("view", self.path / (name + ".json"), "--out", page, *arguments).returncode, 0)
        return page

    def test_true_motion(self):
        """Within a tick bodies are where a scene with shorter ticks has them, impacts or not."""
        for name, how in BOUNCING.items():
            (self.path / "coarse.json").write_text(json.dumps(bouncing(1, **how)))
            (self.path / "fine.json").write_text(json.dumps(bouncing(1 / FINE, **how)))
            count = SAME.get(name, 80)
            fine = film_of(self.film("fine", "--ticks", count).read_text())
            places = numbers_of("d", fine["places"])
            page = self.open(self.film("coarse", "--ticks", 11).as_uri())
            here = page.evaluate("""([count, fine]) =>
                Array.from({length: count}, (_, tick) => Array.from({length: 9}, (_, body) => {
                    const at = carom.between(tick / fine, 0, body);
                    return [at.x, at.y, at.vx, at.vy];
                }))""", [count, FINE])
            for tick, bodies in enumerate(here):
                for body, (x, y, vx, vy) in enumerate(bodies):
                    at = (tick * 9 + body) * fine["stride"]
                    with self.subTest(name=name, tick=tick, body=body):
                        self.assertLess(math.dist((x, y), places[at:at + 2]), 1e-6)
                        self.assertLess(math.dist((vx, vy), places[at + 2:at + 4]), 1e-5)

    def test_what_rests_does_not_tremble(self):
        """A ball that leans on the floor is not drawn on a parabola."""
        (self.path / "rest.json").write_text(json.dumps(RESTING))
        page = self.open(self.film("rest", "--ticks", 42).as_uri())
        for part in 0.2, 0.5, 0.7:
            for body in 0, 1:
                y = page.evaluate("([time, body]) => carom.between(time, 0, body).y", [40 + part, body])
                self.assertAlmostEqual(y, 0.5, delta=1e-3)

    def test_to_the_next_impact(self):
        """The key stops at each impact's time, where the two touch; thousandths of a tick; slow motion."""
        (self.path / "coarse.json").write_text(json.dumps(bouncing(1)))
        page = self.film("coarse", "--ticks", 8)
        film = film_of(page.read_text())
        rows = numbers_of("d", film["impacts"])
        rows = [rows[k:k + 27] for k in range(0, len(rows), 27)]
        wanted = sorted({row[0] - 1 + row[8] for row in rows})
        self.assertGreater(len(wanted), 12)
        page = self.open(page.as_uri())
        for time_of in wanted:
            page.keyboard.press("x")
            self.assertAlmostEqual(page.evaluate("carom.time"), time_of, delta=1e-9)
            here = [row for row in rows if row[0] - 1 + row[8] == time_of]
            self.settle(page)
            told = dict(self.table(page, "instant"))
            self.assertIn(f"body {int(here[-1][6])}", told["impact"])
            for row in here:
                for side, body in enumerate(row[6:8]):
                    if body >= 0:
                        at = page.evaluate("([time, body]) => carom.between(time, 0, body)", [time_of, body])
                        self.assertLess(math.dist((at["x"], at["y"]), row[15 + 2 * side:17 + 2 * side]), 1e-9)
        self.assertAlmostEqual(float(told["impulse"]), here[-1][13], delta=0.01 * here[-1][13])
        page.keyboard.press("Shift+X")
        self.assertAlmostEqual(page.evaluate("carom.time"), wanted[-2], delta=1e-9)
        page.keyboard.press("Home")
        self.settle(page)
        self.assertTrue(page.is_hidden("#at-instant"))
        for key, at in (".", 0.001), (".", 0.002), (",", 0.001):
            page.keyboard.press(key)
            self.assertAlmostEqual(page.evaluate("carom.time"), at, delta=1e-12)
        self.settle(page)
        self.assertEqual(page.inner_text("#tick"), "0.001")
        page.select_option("#speed", "0.001")
        page.click("#play")
        page.wait_for_timeout(300)
        self.assertTrue(0.001 < page.evaluate("carom.time") < 0.005)
        page.keyboard.press("]")
        self.assertEqual(page.input_value("#speed"), "0.01")

    def test_instant_is_drawn(self):
        """Two outlines at the centres, arrows for the velocities, the normal: only at the impact."""
        bodies = [{"x": 0, "y": 0, "vx": 3}, {"x": 4, "y": 1, "vx": -1}]
        (self.path / "two.json").write_text(json.dumps({"bodies": bodies}))
        page = self.open(self.film("two", "--ticks", 3).as_uri())
        page.evaluate("""() => {
            window.arcs = [];
            const kind = CanvasRenderingContext2D.prototype, {arc, beginPath, stroke} = kind;
            kind.beginPath = function () { this.last = null; return beginPath.apply(this); };
            kind.arc = function (...at) { this.last = at; return arc.apply(this, at); };
            kind.stroke = function () { if (this.last) arcs.push(this.last); return stroke.apply(this); };
        }""")

        def outlines():
            page.evaluate("arcs.length = 0; carom.redraw()")
            self.settle(page)
            page.wait_for_timeout(50)
            return page.evaluate("arcs")
        beside = len(outlines())
        page.keyboard.press("x")
        found = outlines()
        self.assertEqual(len(found), beside + 2)
        (x1, y1, r1, *_), (x2, y2, r2, *_) = found[:2]
        self.assertAlmostEqual(math.dist((x1, y1), (x2, y2)), r1 + r2, delta=1e-6)
        self.assertNotAlmostEqual(y1, y2, delta=1)
        page.keyboard.press("i")
        self.assertEqual(len(outlines()), beside)
        page.keyboard.press("i")
        page.keyboard.press(".")
        self.assertEqual(len(outlines()), beside)

    def test_ghosts_begin_at_the_moment_shown(self):
        """Within a tick lines of ghosts start at the bodies, since there are no actions here."""
        (self.path / "coarse.json").write_text(json.dumps(bouncing(1)))
        page = self.open(self.film("coarse", "--ticks", 5, "--ghosts", 1, "--horizon", 3).as_uri())
        page.keyboard.press("t")
        page.evaluate("""() => {
            window.begins = [];
            const kind = CanvasRenderingContext2D.prototype, {moveTo} = kind;
            kind.moveTo = function (...at) { begins.push(at); return moveTo.apply(this, at); };
        }""")
        for key in "End", "ArrowLeft", "x":
            page.keyboard.press(key)
            page.evaluate("begins.length = 0; carom.redraw()")
            self.settle(page)
            begins, cell, bodies = page.evaluate("""() => {
                const stage = document.getElementById("moving");
                const cell = {width: stage.clientWidth, height: stage.clientHeight, cx: carom.view.cx,
                              cy: carom.view.cy, view: carom.film.view};
                return [begins, cell, carom.film.about.map((_, k) => carom.between(carom.time, 0, k))];
            }""")
            x0, y0, x1, y1 = cell["view"]
            scale = min(cell["width"] / (x1 - x0), cell["height"] / (y1 - y0)) * 0.98
            self.assertGreaterEqual(len(begins), 9)
            for body in bodies:
                at = ((body["x"] - cell["cx"]) * scale + cell["width"] / 2,
                      (cell["cy"] - body["y"]) * scale + cell["height"] / 2)
                self.assertLess(min(math.dist(at, begin) for begin in begins), 0.01, key)
        self.assertNotEqual(page.evaluate("carom.time % 1"), 0)

    def test_phone_and_screen_reader(self):
        page = self.open_file(width=390, height=800)
        self.assertLessEqual(page.evaluate("document.scrollingElement.scrollWidth"), 390)
        self.assertGreater(page.locator("#stage").bounding_box()["height"], 200)
        for name in "play", "scrub", "grid", "theme":  # without scrolling
            box = page.locator("#" + name).bounding_box()
            self.assertLessEqual(box["y"] + box["height"], 800, name)
        nameless = page.evaluate("""() =>
            [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden])")]
                .filter(e => !(e.getAttribute("aria-label") || e.closest("label"))).map(e => e.outerHTML)""")
        self.assertEqual(nameless, [])

    def test_live(self):
        with Server("csb", "--policy", "race", "--ticks", 20, "--worlds", 4) as server:
            page = self.open(server.address)
            page.select_option("#speed", "60")
            self.until(page, "carom.frame > 60")
            page.click("#play")
            count = page.evaluate("carom.frames")
            page.press("#moving", "End")
            page.click("#step")  # beyond the end: one more is requested
            self.until(page, f"carom.frame >= {count}")
            self.assertIn("live", page.inner_text("#status"))
            page.shut()

    def test_tells_that_it_is_full(self):
        with Server("csb", "--worlds", 3000, "--ticks", 2, "--memory", 2) as server:
            page = self.open(server.address)
            self.until(page, "document.getElementById('status').textContent.includes('the page is full')")
            page.shut()

    def test_says_that_it_is_there(self):
        with Server("fall", "--worlds", 1, "--idle", 2) as server:
            page = self.open(server.address)
            asked = []
            page.on("request", lambda request: asked.append((request.method, request.url[len(server.address) - 1:])))
            page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
                          "document.dispatchEvent(new Event('visibilitychange'))")
            page.wait_for_timeout(3000)
            self.assertIsNone(server.process.poll())
            self.assertIn(("GET", "/alive?silent=180"), asked)
            page.shut()  # it says that it goes
            self.assertEqual(server.process.wait(timeout=20), 0)

    def test_a_game_against_a_policy(self):
        with Server("csb", "--human", "--policy", "race", "--seed", 5) as server:
            page = self.open(server.address)
            page.select_option("#speed", "20")
            box = page.locator("#moving").bounding_box()
            x = ("Number([...document.querySelectorAll('#body-numbers tbody tr')]"
                 ".find(row => row.cells[0].textContent === 'x').cells[1].textContent)")
            for share, there in (0.97, "> 12000"), (0.03, "< 4000"):
                page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
                self.until(page, f"{x} {there}")
            page.shut()


def rates():
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        print("chromium", browser.version)

        def gas(bodies):
            side = int((bodies * 2.0) ** 0.5) + 1
            scene = {"body": {"radius": 0.5}, "box": {"from": [0, 0], "to": [1.25 * side, 1.25 * side],
                                                     "horizontal": "solid", "vertical": "solid"},
                     "bodies": [{"x": 1 + k % side * 1.2, "y": 1 + k // side * 1.2} for k in range(bodies)], "dt": 0.05}
            path = pathlib.Path(folder) / f"gas{bodies}.json"
            path.write_text(json.dumps(scene))
            return path
        for name, what, grid in (("64 worlds of csb", ("csb", "--worlds", 64, "--ticks", 150), "64"),
                                 ("gas of 2,000 disks", (gas(2000), "--scatter", 2, "--ticks", 60), "1"),
                                 ("gas of 20,000 disks", (gas(20000), "--scatter", 2, "--ticks", 30), "1")):
            path = pathlib.Path(folder) / "x.html"
            assert carom("view", *what, "--out", path).returncode == 0
            page = browser.new_page(viewport={"width": 1200, "height": 800})
            page.goto(path.as_uri(), timeout=60000)
            page.wait_for_function("window.carom !== undefined")
            page.select_option("#grid", grid)
            page.select_option("#speed", "10" if grid == "1" else "20")
            page.click("#play")
            page.wait_for_timeout(2600)
            print(f"{name}: {page.evaluate('carom.rate'):.1f} pictures a second")
            page.close()
        browser.close()


if __name__ == "__main__":
    if "--rates" in sys.argv:
        rates()
    else:
        result = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False).result
        if MISSING:
            print(f"test_view: the page was not tested: {MISSING}", file=sys.stderr)
        sys.exit(0 if result.wasSuccessful() and not MISSING else 77 if result.wasSuccessful() else 1)
