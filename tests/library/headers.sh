#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public header compiles alone (and twice) as C17 and as C++17; the headers of lanes, rules and templates compile
# at width 1 as C11 and as C++17, too, for other compilers.
set -eu
cd "$SOURCE"
status=0

compile() # standard header arguments...
{
    standard=$1 header=$2
    shift 2
    case $standard in
    c++*) language=c++ compiler=${CXX:-} ;;
    *) language=c compiler=$CC ;;
    esac
    [ -n "$compiler" ] || return 0
    # shellcheck disable=SC2086 # a compiler may be several words
    if ! messages=$(printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
        $compiler -x $language -std="$standard" -ffp-contract=off -fsyntax-only -I include "$@" - \
            2>&1); then
        echo "$header does not compile alone as $standard with $*:"
        echo "$messages"
        status=1
    fi
}

for header in include/carom/*.h; do
    for standard in c17 c++17; do
        compile $standard "${header#include/}" -Wall -Wextra -Wpedantic -Wshadow -Werror
    done
done

# The backends in simd/ are parts of lanes.h; tick/worklist.h is a part of the driver. Some functions must be defined by
# the including file, of which compilers warn.
for header in kernel/simd/lanes.h kernel/simd/elementary.h kernel/transpose/transpose.h kernel/tick/tick.h \
    kernel/toi/*.h kernel/games/*/*.h kernel/scenes/*.h; do
    for bits in 32 64; do
        for standard in c11 c++17; do
            compile $standard "${header#kernel/}" -I kernel -DCAROM_ISA_SCALAR=CAROM_ISA_SCALAR -DCAROM_REAL_BITS=$bits
        done
    done
done
[ -n "${CXX:-}" ] || echo "no C++ compiler: not tried as C++"
exit $status
