#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh SHARED STATIC: both libraries export only names that start with carom_.
set -eu

foreign() # names on stdin that are not ours
{
    grep -Ev '^(carom_|$)' | sort -u
}

# Sections and absolute symbols of the linker (_init, _fini, ...) are not defined in the dynamic table of current tools.
shared=$("$NM" --dynamic --defined-only --format=posix "$1" | cut -d ' ' -f 1)
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

# The shared library exports exactly the functions that headers declare as API.
declared=$(sed -n 's/^CAROM_API .*[ *(]\(carom_[a-z0-9_]*\)(.*/\1/p' "$SOURCE"/include/carom/*.h | sort -u)
exported=$(echo "$shared" | sort -u)
if [ "$declared" != "$exported" ]; then
    echo "declared with CAROM_API but not exported, or the other way round:"
    { echo "$declared" | sed 's/^/declared /'; echo "$exported" | sed 's/^/exported /'; } |
        sort -k 2 | uniq -u -f 1
    status=1
fi
exit $status
