#!/bin/sh
# SPDX-License-Identifier: MIT
# verify.sh CAROM ISA GAME: the command replays all recorded games on that instruction set without a difference. Exits
# with 77 where this machine cannot run it.
set -eu
carom=$1 isa=$2 game=$3
if ! $RUNNER "$carom" info | grep -q "^  $isa .*[0-9]  *usable"; then
    echo "$isa: not usable here"
    exit 77
fi
$RUNNER "$carom" verify "$game" --isa "$isa" "$DATA/$game"/*.txt
