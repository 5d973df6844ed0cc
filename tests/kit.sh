#!/bin/bash
# SPDX-License-Identifier: MIT
# Games from outside, as a user has them: Carom is installed into a folder of its own; there air hockey and the skeleton
# of new_game are built with every compiler, played on every instruction set, forked, restored, rolled out, opened and
# adopted by programs; and objects that are no such game are refused in one line, with exit code 2.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR=$work/root meson install -C "$BUILD" --no-rebuild --quiet
carom=$(find "$work/root" -path '*/bin/carom')
prefix=$(dirname "$(dirname "$carom")")
library=$(dirname "$(find "$prefix" -name libcarom.so)")
kit=$prefix/bin/carom-kit
cp -R "$SOURCE/examples/air_hockey" "$work/hockey"
cp -R "$SOURCE/tests/kit" "$work/bad"
cd "$work"
status=0

wrong()
{
    echo "kit.sh: $*"
    status=1
}

# ---- air hockey, by both compilers ----

read -ra cc <<<"$CC"
compilers=("$CC")
for other in gcc clang clang-19; do
    if [[ ! " ${cc[*]} " = *" $other "* ]] && command -v $other >/dev/null; then
        compilers+=("$other")
        break
    fi
done
number=0
for compiler in "${compilers[@]}"; do
    object=./air_hockey_$number.so
    CC=$compiler "$kit" build hockey/game.c -o $object -- -Wall -Wextra -Wshadow -Werror
    "$carom" check $object
    for isa in $("$carom" info --json | python3 -c '
import json, sys
print(*(i["name"] for i in json.load(sys.stdin)["instruction_sets"] if i["usable"]))'); do
        for precision in f32 f64; do
            "$carom" rollout $object --isa "$isa" --precision $precision --worlds 200 --ticks 2000 --json |
                python3 -c '
import json, sys
said = json.load(sys.stdin)
assert said["faults"] == 0 and said["goals"] > 100 and said["games"] > 0, said
print(said["precision"], said["digest"])' >>digests
        done
    done
    number=$((number + 1))
done
sort -u digests
[[ $(sort -u digests | wc -l) = 2 ]] || wrong "the digests of compilers or instruction sets differ"
"$carom" info ./air_hockey_0.so | grep -q 'air_hockey' || wrong "carom info does not know the game that it was given"

# Its own description is what is drawn (the puck has the colour of a ball), and a replay of it plays anew.
"$carom" render ./air_hockey_0.so --tick 100 --out hockey.svg && grep -q '<circle[^>]*fill="#e0a100"' hockey.svg ||
    wrong "carom render does not draw the game that it was given"
"$carom" record ./air_hockey_0.so --ticks 300 --out hockey.carom >/dev/null &&
    "$carom" replay hockey.carom --game ./air_hockey_0.so >/dev/null ||
    wrong "a replay of the game from outside does not play anew"

# Its options are as those of any game: listed, set, checked, in replays.
"$carom" info ./air_hockey_0.so | grep -A1 '^  goals  *7  *1 to 100$' | grep -q 'goals to win' ||
    wrong "carom info does not list the options of the game that it was given"
"$carom" rollout ./air_hockey_0.so --set goals=1 --set ticks=500 --worlds 200 --ticks 1500 --json | python3 -c '
import json, sys
said = json.load(sys.stdin)
assert said["games"] >= 600 and said["goals"] <= said["games"], said' || wrong "--set does not reach the game"
"$carom" check ./air_hockey_0.so --set goals=2 --set bounce=0.5 >/dev/null || wrong "other options, other bits"
"$carom" record ./air_hockey_0.so --ticks 300 --set bounce=0.25 --out set.carom >/dev/null &&
    "$carom" replay set.carom --game ./air_hockey_0.so >/dev/null ||
    wrong "a replay does not keep the options of the game from outside"
if cmp -s set.carom hockey.carom; then
    wrong "the option bounce changes nothing"
fi

# ---- programs: one opens it, one has it linked in ----

read -ra flags <<<"-std=c17 -Wall -Wextra -Werror -I$prefix/include"
"${cc[@]}" "${flags[@]}" bad/open.c -o open "-L$library" "-Wl,-rpath,$library" -lcarom -pthread
./open ./air_hockey_0.so || wrong "a program cannot use the shared object"
CC=$CC "$kit" build hockey/game.c -o air_hockey.a
"${cc[@]}" "${flags[@]}" -DADOPT bad/open.c air_hockey.a -o adopt "-L$library" "-Wl,-rpath,$library" -lcarom -pthread
./adopt || wrong "a program cannot use the game that is linked in"

# As C++, at width 1: other compilers will be given the rules.
for bits in 32 64; do
    # shellcheck disable=SC2086 # a compiler may be several words
    [[ -z ${CXX:-} ]] || $CXX -x c++ -std=c++17 -fsyntax-only -ffp-contract=off "-I$prefix/include" \
        "-I$prefix/include/carom/kit" -DTILE_LANES=1 -DCAROM_ISA_SCALAR=CAROM_ISA_SCALAR -DCAROM_REAL_BITS=$bits \
        hockey/game.c || wrong "air hockey is no C++"
done

# A game whose glide depends on the lanes is found out by carom check; one that calls the library is not built at all.
sed 's/#define HOCKEY_GLIDE .*/#define HOCKEY_GLIDE (TILE_LANES == 1 ? 0.99 : LANES == 1 ? 0.98 : 0.97)/' \
    hockey/game.c >crooked.c
CC=$CC "$kit" build crooked.c -o crooked.so -- -O1
code=0
"$carom" check ./crooked.so >crooked || code=$?
if [[ $code != 1 ]] || ! grep -q 'one world at a time: other states' crooked; then
    wrong "carom check takes a crooked game: exit code $code"
    cat crooked
fi
sed 's/^static void rules_policy.*/const char *calls(void) { return carom_version(); }\n&/' hockey/game.c >calls.c
if CC=$CC "$kit" build calls.c -o calls.so -- -O1 2>err || ! grep -q "wants 'carom_version '" err ||
    [[ -e calls.so ]]; then
    wrong "carom-kit builds a game that wants a function of the library: $(cat err)"
fi

# ---- the skeleton ----

"$prefix/bin/carom-new-game" toy_box skeleton
CAROM=$carom CAROM_KIT=$kit CC=${cc[-1]} skeleton/test || wrong "the skeleton's own test fails"
if "$prefix/bin/carom-new-game" Toy again 2>/dev/null || "$prefix/bin/carom-new-game" toy_box skeleton 2>/dev/null; then
    wrong "new_game takes a bad name, or a folder that is there"
fi

# ---- what is no game of this version ----

refuse() # words arguments...: one line with these words on stderr, exit code 2
{
    local words=$1 code=0
    shift
    timeout 60 "$carom" "$@" >out 2>err || code=$?
    if [[ $code != 2 || -s out || $(wc -l <err) != 1 ]] || ! grep -q "^carom: .*$words" err; then
        wrong "carom $*: exit code $code, '$words' wanted: $(cat out err)"
    fi
}

bad() # name flags...: tests/kit/bad.c, which makes an entry with one thing wrong in it
{
    "${cc[@]}" -std=c17 -shared -fPIC "-I$prefix/include" "-I$prefix/include/carom/kit" "${@:2}" bad/bad.c \
        ./air_hockey.a -o "$1.so"
}

bad version -DVERSION
refuse 'built with version 99' rollout ./version.so
bad layout -DLAYOUT
refuse 'other headers of the kit' rollout ./layout.so
bad sizes -DSIZES
refuse 'other headers of the kit' rollout ./sizes.so
bad fields -DFIELDS
refuse 'fields does not fit' rollout ./fields.so
bad doubled -DDOUBLED
refuse 'a field puck already' rollout ./doubled.so
bad players -DPLAYERS
refuse '5 players: there may be 1 to 4' rollout ./players.so
bad kinds -DKINDS
refuse 'normalised' rollout ./kinds.so
bad trial -DTRIAL
refuse 'no game' rollout ./trial.so
bad taken -DTAKEN
refuse 'name csb already' rollout ./taken.so
bad badname -DBADNAME
refuse 'small letters' rollout ./badname.so
bad isa -DISA
refuse 'not built for scalar' rollout ./isa.so
for what in NAME DEFAULT PLACE; do
    bad "option_${what,,}" "-DOPTION_$what"
    refuse 'option 0 has a bad name, type or default' rollout "./option_${what,,}.so"
done
bad option_twice -DOPTION_TWICE
refuse 'an option twice' rollout ./option_twice.so
refuse 'goals: 101 is not between 1 and 100' rollout ./air_hockey_0.so --set goals=101
refuse "unknown option 'goal' (air_hockey has goals, ticks, bounce)" rollout ./air_hockey_0.so --set goal=3

# ---- what names a number that there is not: refused when it is opened, by every command ----

changed() # sed's expression: numbers.so, air hockey with something changed, of which only the host's side is new
{
    sed "$1" hockey/game.c >numbers.c
    ! cmp -s numbers.c hockey/game.c || wrong "nothing is changed by $1"
    # shellcheck disable=SC2046 # they are words
    "${cc[@]}" $("$kit" flags) -O0 "${built[@]}" -DCAROM_KIT_HOST -DCAROM_ISA_SCALAR=CAROM_ISA_SCALAR \
        -DCAROM_REAL_BITS=64 -c numbers.c -o numbers.o
    "${cc[@]}" -shared numbers.o ./air_hockey.a -o numbers.so
}

numbers() # words, sed's expression
{
    changed "$2"
    refuse "air_hockey: .*$1" rollout ./numbers.so
    refuse "air_hockey: .*$1" check ./numbers.so
}

built=()
for isa in $(ar t air_hockey.a | sed -n 's/32\.o$//p' | grep -v one); do
    built+=("-DCAROM_BUILT_${isa^^}=1")
done
numbers 'sets number 13 of what a player sees, of RULES_OBSERVATION 13' 's/OBSERVATION 15/OBSERVATION 13/'
numbers 'sets number 2 of what a player sees, of RULES_OBSERVATION 2' 's/OBSERVATION 15/OBSERVATION 2/'
numbers 'rules_observe() does not set number 15 of what player 0' 's/OBSERVATION 15/OBSERVATION 16/'
numbers 'RULES_DRAWN is 1, and .* normalised has 2' 's/DRAWN 2/DRAWN 1/'
numbers 'RULES_DRAWN is 3, and .* normalised has 2' 's/DRAWN 2/DRAWN 3/'
numbers 'element 2 of the field mallet_x, which has 2' 's/set_mallet_x(w, i,/set_mallet_x(w, i + 1,/'
numbers 'element -1 of the field puck_v, which has 2' 's/\*at_puck_v(w, i) =/*at_puck_v(w, i - 1) =/'
numbers 'element 2 of the field score, which has 2' 's/numbers\[0\] = /&see_score(w, 2) + /'
numbers 'row 17 of a motion, of MOTION_ROWS 17' 's/#define MOTION_ROWS ROWS/#define MOTION_ROWS (ROWS - 1)/
    s/MOTION_GIVEN_END LEFT/MOTION_GIVEN_END WHAT/; s/enum { SCORED,/enum { SCORED, SPARE,/'
numbers 'number 4 of an action of 4' 's/number_f32(numbers, /&1 + /'
numbers 'F32 by number_f64()' 's/number_f32(numbers, /number_f64(numbers, /'
numbers 'rules_settle() sets reward\[2\], of RULES_PLAYERS 2' 's/reward\[1\] =/reward[2] = reward[1] =/'
numbers 'rules_policy() sets number 2 of .* normalised, which has 2' 's/numbers\[0\] =/numbers[2] = numbers[0] =/'
numbers 'rules_policy() does not set number 1' 's/k < 2; k++) {$/k < 1; k++) {/; s/numbers\[1\] =/double other =/'
numbers 'value to player 2, of RULES_PLAYERS 2' 's/value_put(values, 1,/value_put(values, 2,/'

# What comes late is found by carom check.
changed 's/^    if (reward != NULL) {/    if (world_tick(w) > 150) {\n        (void)*at_score(w, 2);\n    }\n&/'
code=0
"$carom" check ./numbers.so >late || code=$?
if [[ $code != 1 ]] || ! grep -q 'element 2 of the field score' late; then
    wrong "carom check takes a game that uses an element that there is not: exit code $code"
    cat late
fi

cp air_hockey_0.so air_hockey_again.so
refuse 'air_hockey already' info ./air_hockey_0.so ./air_hockey_again.so
"$carom" info ./air_hockey_0.so ./air_hockey_0.so >/dev/null || wrong "the same file twice is refused"
echo 'int nothing;' >nothing.c
"${cc[@]}" -shared -fPIC nothing.c -o nothing.so
refuse 'no game in it' rollout ./nothing.so
cp hockey/game.c text.so
refuse 'no shared object' rollout ./text.so
: >empty.so
refuse 'no shared object' rollout ./empty.so
"${cc[@]}" -c nothing.c -fPIC -o relocatable.so
refuse 'no shared object' rollout ./relocatable.so
size=$(stat -c %s air_hockey_0.so)
for part in 1 20 64 100 4096 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 1)); do
    head -c $part air_hockey_0.so >short.so
    refuse 'no shared object\|cut short' rollout ./short.so
done
refuse 'No such file' rollout ./missing.so
refuse 'a slash' rollout air_hockey_0.so
mkdir folder.so
refuse 'no file' rollout ./folder.so
mkfifo pipe.so
refuse 'no file' rollout ./pipe.so
exit $status
