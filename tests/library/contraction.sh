#!/bin/sh
# SPDX-License-Identifier: MIT
# contraction.sh LIBRARY: no instruction of the library fuses a multiplication with an addition, except for the error
# terms of products in the solvers fma-kahan and accurate, which are the same without fusing. Some compilers fuse
# whatever their options say, and results would then depend on the instruction set.
set -eu
code=$("$OBJDUMP" -d --no-show-raw-insn "$1")
count=$(echo "$code" | wc -l)
if [ "$count" -lt 1000 ]; then
    echo "objdump gave only $count lines: wrong file or wrong tool?"
    exit 1
fi
# x86: vfmadd, vfmsub, vfnmadd, vfnmsub (all forms). AArch64: fmadd, fmsub, fnmadd, fnmsub, fmla, fmls, fmlal, fcmla.
fused=$(echo "$code" | awk '/^[0-9a-f]+ <.*>:$/ {name = $2} {print name, $0}' |
    grep -vE '^<(toi|scene_solve)_(fma_kahan|accurate)[_.>]' |
    grep -E '[[:space:]](vfn?m(add|sub)|fn?m(add|sub)|fml[as]|fcmla)[a-z0-9]*[[:space:]]') || exit 0
echo "fused operations:"
echo "$fused" | head -n 20
exit 1
