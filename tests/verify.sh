#!/bin/sh
# SPDX-License-Identifier: MIT
# verify.sh CAROM ISA GAME TRACE...: the command replays the traces on that instruction set without a difference. Exits
# with 77 where this machine cannot run it.
set -eu
carom=$1 isa=$2 game=$3
shift 3
if ! $RUNNER "$carom" info | grep -q "^  $isa .* usable"; then
    echo "$isa: not usable here"
    exit 77
fi
$RUNNER "$carom" verify "$game" --isa "$isa" "$@"
