#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A player of Coders Strike Back for the tests of `carom arena`: it drives at its checkpoints, or misbehaves.

usage: arena_player.py GOOD|FAULT [TURN]     the fault happens in that turn, 3 by default
"""
import os
import signal
import subprocess
import sys
import time

fault = sys.argv[1]
when = int(sys.argv[2]) if len(sys.argv) > 2 else 3
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
        turn += 1
        if turn - 1 == when and fault in ANSWERS:
            print(ANSWERS[fault], flush=True)
            continue
        for pod in pods[:2]:
            print(checkpoints[int(pod[5])], "100 hello")
        sys.stdout.flush()


if fault == "deaf":  # reads nothing at all
    time.sleep(1000)
if fault == "early":
    print("Player 1 is ready.", flush=True)
try:
    main()
except EOFError:
    sys.exit(3)
