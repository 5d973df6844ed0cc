#!/bin/bash
# SPDX-License-Identifier: MIT
# carom-kit build --device, as installed: plug-in games compiled for GPUs by nvcc and by clang, where found, still play
# on this processor, and their device code passes the lint. The policies of wrestle run one world per SIMD lane.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR=$work/root meson install -C "$BUILD" --no-rebuild --quiet
bin=$(dirname "$(find "$work/root" -path '*/bin/carom')")
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

kit=$(dirname "$(find "$work/root" -path '*/kit/rules.h')")
lint() # COMPILER GAME.c MODULE FLAGS...
{
    "$bin/carom-device-module" ptx "$1" "$kit/engine" "$2" "$work/$3.ptx" "-I$(dirname "$(dirname "$kit")")" "${@:4}"
    python3 "$SOURCE/tests/device/lint.py" "$work/$3.ptx" || wrong "$1, $3: lint"
}

compilers=0
for CUDA_CC in nvcc clang clang-19; do
    command -v $CUDA_CC >/dev/null || continue
    compilers=$((compilers + 1))
    for game in "$SOURCE/examples/air_hockey/game.c" "$SOURCE/tests/kit/wrestle.c"; do
        "$bin/carom-kit" build "$game" -o "$work/plain.so"
        "$bin/carom-kit" build --device "$game" -o "$work/game.so" -- -DUNUSED=1 -Wall ||
            { wrong "$CUDA_CC cannot build it" && continue; }
        [[ $(plays "$work/game.so") = "$(plays "$work/plain.so")" ]] || wrong "$CUDA_CC: it plays other games"

        name=$(sed -n 's/^#define RULES_NAME //p' "$game")
        modules=("${name}_f32" "${name}_f64")
        lint $CUDA_CC "$game" "${name}_f32" -DCAROM_REAL_BITS=32
        lint $CUDA_CC "$game" "${name}_f64" -DCAROM_REAL_BITS=64
        if grep -q '^#define RULES_POLICY_LANES' "$game"; then
            modules+=("${name}_policy")
            lint $CUDA_CC "$game" "${name}_policy" -DCAROM_REAL_BITS=64 -DCAROM_KIT_POLICIES
        fi
        for module in "${modules[@]}"; do
            grep -q "$module" "$work/game.so" || wrong "$CUDA_CC: $module is not in it"
            [[ $module = *_policy ]] || # the name of a function, too
                ! grep -q "$module" "$work/plain.so" || wrong "$module is in what was built without --device"
        done
    done
    [[ -z ${CAROM_TEST_SHORT:-} ]] || break
done
((compilers)) || wrong "no compiler"

game=$SOURCE/examples/air_hockey/game.c
CUDA_CC=no-such-compiler
if "$bin/carom-kit" build --device "$game" -o "$work/none.so" 2>"$work/said"; then
    wrong "it builds without a compiler"
fi
grep -q 'needs nvcc, or clang' "$work/said" || wrong "what it says without a compiler: $(cat "$work/said")"
exit $status
