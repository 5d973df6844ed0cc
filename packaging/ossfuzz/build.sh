#!/bin/bash -eu
# SPDX-License-Identifier: MIT
# build.sh: as OSS-Fuzz runs it, in the folder of the source: builds the targets of tests/fuzz into $OUT, each with its
# corpus. CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE and OUT are set by OSS-Fuzz. To try it without:
#     export CC=clang-19 CXX=clang++-19 CFLAGS="-O1 -fsanitize=address,fuzzer-no-link" OUT=$PWD/build-ossfuzz/out
#     CXXFLAGS=$CFLAGS LIB_FUZZING_ENGINE=-fsanitize=fuzzer packaging/ossfuzz/build.sh
folder=build-ossfuzz
mkdir -p "$OUT"
CFLAGS="$CFLAGS -DCAROM_LANES_APART=1" # with sanitizers, lane functions that are all inlined take minutes
export CFLAGS
# Jansson is linked statically: the machine that fuzzes has only $OUT.
[ -f "$folder/build.ninja" ] || meson setup "$folder" -Dfuzz=true -Dtests=enabled -Disas=scalar -Dthreads=none \
    -Ddevice=disabled -Dports=false --buildtype=plain -Db_lundef=false -Dprefer_static=true \
    -Dfuzz_engine="$LIB_FUZZING_ENGINE"
mapfile -t targets < <(scripts/fuzz --list)
meson compile -C "$folder" "${targets[@]/#/tests/fuzz/fuzz_}"
for target in "${targets[@]}"; do
    cp "$folder/tests/fuzz/fuzz_$target" "$OUT/"
    (cd tests/fuzz/corpus && python3 -m zipfile -c "$OUT/fuzz_${target}_seed_corpus.zip" "$target"/*)
    printf '[libfuzzer]\nmax_len = 20000\ntimeout = 20\n' >"$OUT/fuzz_$target.options"
done
for target in $(scripts/fuzz --list-leaking); do echo 'detect_leaks = 0' >>"$OUT/fuzz_$target.options"; done
