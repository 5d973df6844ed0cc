#!/bin/bash
# SPDX-License-Identifier: MIT
# carom-kit build --device, as a user has it: a game from outside, compiled for GPUs by nvcc and by clang, whichever is
# there, still plays on this processor, and what GPUs would run passes the lint.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR=$work/root meson install -C "$BUILD" --no-rebuild --quiet
bin=$(dirname "$(find "$work/root" -path '*/bin/carom')")
game=$SOURCE/examples/air_hockey/game.c
export CUDA_CC LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$(find "$work/root" -name libcarom.so)")
status=0

wrong()
{
    echo "kit.sh: $*"
    status=1
}

plays() # OBJECT: what its games come to
{
    "$bin/carom" rollout "$1" --worlds 64 --ticks 200 --json | grep -o '"digest": "[^"]*"'
}

"$bin/carom-kit" build "$game" -o "$work/plain.so"
compilers=0
for CUDA_CC in nvcc clang clang-19; do
    command -v $CUDA_CC >/dev/null || continue
    compilers=$((compilers + 1))
    "$bin/carom-kit" build --device "$game" -o "$work/$CUDA_CC.so" -- -DUNUSED=1 -Wall ||
        { wrong "$CUDA_CC cannot build it" && continue; }
    for module in air_hockey_f32 air_hockey_f64; do
        grep -q $module "$work/$CUDA_CC.so" || wrong "$CUDA_CC: $module is not in it"
        ! grep -q $module "$work/plain.so" || wrong "$module is in what was built without --device"
    done
    [[ $(plays "$work/$CUDA_CC.so") = "$(plays "$work/plain.so")" ]] || wrong "$CUDA_CC: it plays other games"

    kit=$(dirname "$(find "$work/root" -path '*/kit/rules.h')")
    for bits in 32 64; do
        "$bin/carom-device-module" ptx $CUDA_CC "$kit/engine" "$game" "$work/air_hockey_f$bits.ptx" \
            "-I$(dirname "$(dirname "$kit")")" -DCAROM_REAL_BITS=$bits
        python3 "$SOURCE/tests/device/lint.py" "$work/air_hockey_f$bits.ptx" || wrong "$CUDA_CC, f$bits: lint"
    done
    [[ -z ${CAROM_TEST_SHORT:-} ]] || break
done
((compilers)) || wrong "no compiler"

CUDA_CC=no-such-compiler
if "$bin/carom-kit" build --device "$game" -o "$work/none.so" 2>"$work/said"; then
    wrong "it builds without a compiler"
fi
grep -q 'needs nvcc, or clang' "$work/said" || wrong "what it says without a compiler: $(cat "$work/said")"
exit $status
