#!/bin/sh
# SPDX-License-Identifier: MIT
# foreign.sh installed | by_cmake | subproject: programs of another project use the library, in C and in C++: as it is
# installed, shared and static, found by pkg-config; in C found by CMake, from a folder that was moved; or as a meson
# subproject.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
foreign=$SOURCE/tests/foreign

# shellcheck disable=SC2086 # a compiler may be several words, and pkg-config prints several
installed()
{
    DESTDIR=$work/root meson install -C "$BUILD" --no-rebuild --quiet
    pc=$(find "$work/root" -name carom.pc)
    library=$(dirname "$(dirname "$pc")")
    # Before the system's, where the library's own needs are.
    export PKG_CONFIG_PATH="$library/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work/root"
    # An installation into /usr is as good as any other.
    export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1

    for source in main.c main.cc; do
        case $source in
        *.c) compile="$CC -std=c17" ;;
        *) [ -n "${CXX:-}" ] || continue; compile="$CXX -std=c++17" ;;
        esac
        compile="$compile -Wall -Wextra -Wpedantic -Werror"
        $compile "$foreign/$source" -o "$work/shared" $(pkg-config --cflags --libs carom)
        $compile "$foreign/$source" -o "$work/static" \
            $(pkg-config --cflags --libs --static carom | sed 's/-lcarom/-l:libcarom.a/')
        LD_LIBRARY_PATH=$library run "$work/shared"
        run "$work/static"
        if "$OBJDUMP" -p "$work/static" | grep -q 'NEEDED.*libcarom'; then
            echo "the static program wants the shared library"
            exit 1
        fi
    done

    command=$(find "$work/root" -path '*/bin/carom')
    run "$command" info
}

by_cmake()
{
    if ! command -v cmake >/dev/null; then
        echo "no CMake"
        exit 77
    fi
    DESTDIR=$work/root meson install -C "$BUILD" --no-rebuild --quiet --tags devel,runtime
    mv "$work/root" "$work/moved"
    folder=$(dirname "$(find "$work/moved" -name carom-config.cmake)")
    cp -R "$foreign/cmake" "$work/project"
    cp "$foreign/main.c" "$work/project"
    # shellcheck disable=SC2086 # a compiler may be several words, which CMake takes as a list
    if ! { cmake -S "$work/project" -B "$work/build" "-Dcarom_DIR=$folder" \
        "-DCMAKE_C_COMPILER=$(echo $CC | tr ' ' ';')" &&
        cmake --build "$work/build"; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
    for program in main_shared main_static; do
        run "$work/build/$program"
        echo "$program $("$OBJDUMP" -p "$work/build/$program" | grep -c 'NEEDED.*libcarom\.so\.0$')"
    done >"$work/needed"
    printf 'main_shared 1\nmain_static 0\n' | diff - "$work/needed"
}

subproject()
{
    cp -R "$foreign/subproject" "$work/project"
    cp "$foreign/main.c" "$work/project"
    mkdir "$work/project/subprojects"
    ln -s "$SOURCE" "$work/project/subprojects/carom"
    # One instruction set, hardly optimised: it is the build that is on trial.
    if ! { meson setup "$work/build" "$work/project" -Dbuildtype=debug -Dcarom:isas=scalar \
        -Dcarom:device=disabled &&
        meson compile -C "$work/build"; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
    "$work/build/main"
}

run()
{
    # shellcheck disable=SC2086 # an emulator and its arguments, or nothing
    $RUNNER "$@"
}

"$1"
