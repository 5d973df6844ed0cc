#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh SHARED STATIC: both libraries export only names that start with carom_; those of the shared library have
# the version of its soname, CAROM_0, and Debian's list of them, packaging/debian/libcarom0.symbols, is complete. With
# CAROM_SYMBOLS_WRITE=1 it adds new functions to that list, as of this version. A DLL has no versions.
set -eu

foreign() # names on stdin that are not ours
{
    grep -Ev '^(carom_|$)' | sort -u
}

# The version's own symbol has its name. Sections and absolute symbols of the linker (_init, _fini, ...) are not defined
# in the dynamic table of current tools. A DLL's table is a part of objdump's text.
case $1 in
*.dll)
    soname=libcarom.so.0
    version=CAROM_0
    versioned=$("$OBJDUMP" -p "$1" | sed -n '/Name Pointer\] Table/,/^$/s/^.*\] //p' | sed "s/\$/@@$version/")
    ;;
*)
    soname=$("$OBJDUMP" -p "$1" | sed -n 's/^ *SONAME *//p')
    version=CAROM_${soname##*.so.}
    versioned=$("$NM" --dynamic --defined-only --format=posix "$1" | cut -d ' ' -f 1 |
        grep -Ev "^$version(@@$version)?\$")
    ;;
esac
shared=$(echo "$versioned" | sed 's/@.*//')
# Archive members' names end in a colon.
static=$("$NM" --extern-only --defined-only --format=posix "$2" 2>/dev/null | grep -v ':$' | cut -d ' ' -f 1)

status=0
for list in shared static; do
    eval "names=\$$list"
    if [ -z "$names" ]; then
        echo "the $list library defines no symbol at all"
        status=1
    fi
    others=$(echo "$names" | foreign) || true
    if [ -n "$others" ]; then
        echo "symbols of the $list library that do not start with carom_:"
        echo "$others"
        status=1
    fi
done
if echo "$versioned" | grep -v "@@$version\$"; then
    echo "these exported symbols do not have the version $version, which $soname needs (kernel/carom.map)"
    status=1
fi

differ() # what is compared, its names, the exported names
{
    [ "$2" = "$3" ] || { echo "$2" | sed "s/^/$1 /"; echo "$3" | sed 's/^/exported /'; } | sort -k 2 | uniq -u -f 1
}

# The shared library exports exactly the functions that headers declare as API.
declared=$(sed -n 's/^CAROM_API .*[ *(]\(carom_[a-z0-9_]*\)(.*/\1/p' "$SOURCE"/include/carom/*.h | sort -u)
exported=$(echo "$shared" | sort -u)
different=$(differ declared "$declared" "$exported")
if [ -n "$different" ]; then
    echo "declared with CAROM_API but not exported, or the other way round:"
    echo "$different"
    status=1
fi

debian=$SOURCE/packaging/debian/libcarom0.symbols
if [ -n "${CAROM_SYMBOLS_WRITE:-}" ]; then
    release=$(sed -n 's/^#define CAROM_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$SOURCE/include/carom/base.h" | paste -s -d .)
    {
        echo "$soname libcarom${version#CAROM_} #MINVER#"
        echo " $version@$version $release"
        for name in $exported; do
            grep "^ $name@" "$debian" 2>/dev/null || echo " $name@$version $release"
        done
    } >"$debian.new"
    mv "$debian.new" "$debian"
fi
listed=$(sed -n "s/^ \(carom_[a-z0-9_]*\)@$version .*/\1/p" "$debian" | sort -u)
different=$(differ listed "$listed" "$exported")
if [ -n "$different" ]; then
    echo "$debian differs: CAROM_SYMBOLS_WRITE=1 adds new functions; one that is gone needs a new soname"
    echo "$different"
    status=1
fi
exit $status
