#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A player of Coders Strike Back for the tests of `carom arena`: it drives at its checkpoints, or misbehaves.

usage: arena_player.py GOOD|FAULT [TURN [GROUP]]     the fault happens in that turn, 3 by default
"""
import os
import signal
import subprocess
import sys
import time

fault = sys.argv[1]
when = int(sys.argv[2]) if len(sys.argv) > 2 else 3
ESCAPES = b"\x1b[2J\x1b]0;mine\x07 \xc3\xb6 \x9b31m \xc2\x9b31m \x7f \xff\r"
ANSWERS = {"rubbish": "go go go\ngo go go", "fast": "0 0 201\n0 0 100", "three": "0 0 0\n" * 2 + "0 0 0"}


def misbehave():
    if fault == "exit":
        sys.exit(7)
    if fault == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "close":
        os.close(1)
        time.sleep(1000)
    if fault == "hang":
        time.sleep(1000)
    if fault == "children":  # and the child of the shell does not read our input
        subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000"])
        time.sleep(1000)
    if fault == "group":  # moves into a process group of somebody else
        try:
            os.setpgid(0, int(sys.argv[3]))
        except PermissionError:
            pass
        time.sleep(1000)
    if fault == "stop":  # and so does the one who started it
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(1000)
    if fault in ("session", "orphan"):  # children that are in no process group of ours
        subprocess.Popen(["sleep", "1000"], start_new_session=True, stdout=subprocess.DEVNULL)
        subprocess.run(["sh", "-c", "setsid sh -c 'setsid sleep 1000 & sleep 1000' > /dev/null 2>&1 < /dev/null &"])
        if fault == "orphan":
            sys.exit(7)
        time.sleep(1000)
    if fault == "escapes":
        sys.stdout.buffer.write(ESCAPES + b"\n" + ESCAPES + b"\n")
        sys.stdout.flush()
        time.sleep(1000)
    if fault == "late":
        time.sleep(0.3)
    if fault == "flood":
        while True:
            print("1 2 3 " * 1000, end="")


def main():
    input()
    checkpoints = [input() for _ in range(int(input()))]
    turn = 0
    while True:
        pods = [input().split() for _ in range(4)]
        if turn == when:
            misbehave()
        if fault == "speak":
            texts = {2: "x" * 24575, 3: "y" * 299999}  # the latter is more than a pipe holds
            print(texts.get(turn, f"turn {turn}"), file=sys.stderr, flush=True)
        turn += 1
        if turn - 1 == when and fault in ANSWERS:
            print(ANSWERS[fault], flush=True)
            continue
        for k, pod in enumerate(pods[:2]):
            thrust = -100 if fault == "brake" else int(sys.argv[3]) if fault == "flee" and k == 1 else 100
            print(checkpoints[int(pod[5])], thrust, "hello")
        sys.stdout.flush()


if fault == "deaf":  # reads nothing at all
    time.sleep(1000)
if fault == "early":
    print("Player 1 is ready.", flush=True)
try:
    main()
except EOFError:
    sys.exit(3)
