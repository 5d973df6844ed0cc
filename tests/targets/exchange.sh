#!/bin/sh
# SPDX-License-Identifier: MIT
# exchange.sh PROGRAM: what the program writes it loads; and of a file with one changed byte it says which part differs.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086 # a runner may be several words
$RUNNER "$1" write "$work/file"
# shellcheck disable=SC2086
$RUNNER "$1" check "$work/file"

# A byte of a world's position in the records of a game.
python3 - "$work/file" <<'PYTHON'
import sys

path = sys.argv[1]
content = bytearray(open(path, "rb").read())
at = content.index(b"csb.f64.records ")
at = content.index(b"\n", at) + 1 + 40
content[at] ^= 1
open(path, "wb").write(content)
PYTHON
status=0
# shellcheck disable=SC2086
said=$($RUNNER "$1" check "$work/file" 2>&1) || status=$?
[ "$status" != 0 ] && echo "$said" | grep -q "csb.f64.records"
