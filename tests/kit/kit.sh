#!/bin/bash
# SPDX-License-Identifier: MIT
# Plug-in games as a user builds them: Carom is installed into its own folder; there air hockey, sumo and the skeleton
# of new_game are built with every compiler, played on every instruction set, forked, restored, rolled out, opened and
# adopted by programs, and played in the arena; objects that are not such games are refused in one line, with exit code
# 2.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR=$work/root meson install -C "$BUILD" --no-rebuild --quiet
carom=$(find "$work/root" -path '*/bin/carom')
prefix=$(dirname "$(dirname "$carom")")
library=$(dirname "$(find "$prefix" -name libcarom.so)")
kit=$prefix/bin/carom-kit
cp -R "$SOURCE/examples/air_hockey" "$work/hockey"
cp -R "$SOURCE/examples/sumo" "$work/sumo"
cp -R "$SOURCE/tests/kit" "$work/bad"
cd "$work"
status=0
trios=0

wrong()
{
    echo "kit.sh: $*"
    status=1
}

level=(${CAROM_TEST_SHORT:+-O1}) # of optimisation; the kit's own is -O3

# ---- air hockey, by both compilers ----

read -ra cc <<<"$CC"
compilers=("$CC")
for other in gcc clang clang-19; do
    if [[ ! " ${cc[*]} " = *" $other "* ]] && command -v $other >/dev/null; then
        compilers+=("$other")
        break
    fi
done
isas=$("$carom" info --json | python3 -c '
import json, sys
print(*(i["name"] for i in json.load(sys.stdin)["instruction_sets"] if i["usable"]))')

digests() # OBJECT WHAT: of games on every instruction set, in both precisions, in which WHAT happens
{
    for isa in $isas; do
        for precision in f32 f64; do
            "$carom" rollout "$1" --isa "$isa" --precision $precision --worlds 200 --ticks 2000 --json |
                python3 -c '
import json, sys
said = json.load(sys.stdin)
assert said["faults"] == 0 and said["goals"] > 100 and said["games"] > 0, said
print(said["precision"], said["digest"])'
        done
    done
}

number=0
for compiler in "${compilers[@]}"; do
    object=./air_hockey_$number.so
    CC=$compiler "$kit" build hockey/game.c -o $object -- -Wall -Wextra -Wshadow -Werror "${level[@]}"
    "$carom" check $object
    digests $object >>digests
    number=$((number + 1))
done
sort -u digests
[[ $(sort -u digests | wc -l) = 2 ]] || wrong "the digests of compilers or instruction sets differ"
"$carom" info ./air_hockey_0.so | grep -q 'air_hockey' || wrong "carom info does not know the game that it was given"

# It is drawn from its own description (the puck has the colour of a ball), and its replay plays.
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

read -ra flags <<<"-std=c17 -Wall -Wextra -Werror -I$prefix/include"

# ---- sumo, and a game with all that such a game may have: results worked out by hand ----

CC=${compilers[-1]} "$kit" build sumo/game.c -o sumo.so -- -Wall -Wextra -Wshadow -Werror "${level[@]}"
"$carom" check ./sumo.so
digests ./sumo.so >sumo.digests
[[ $(sort -u sumo.digests | wc -l) = 2 ]] || wrong "sumo's digests differ"
"$carom" render ./sumo.so --tick 20 --out sumo.svg && [[ $(grep -o '<circle' sumo.svg | wc -l) -ge 5 ]] ||
    wrong "sumo's discs and ring are not drawn"
"${cc[@]}" "${flags[@]}" bad/push.c -o push "-L$library" "-Wl,-rpath,$library" -lcarom -lm
./push ./sumo.so || wrong "sumo does not come out as worked out by hand"
CC=$CC "$kit" build bad/wrestle.c -o wrestle.so -- -Wall -Wextra -Wshadow -Werror "${level[@]}"
"$carom" check ./wrestle.so
"${cc[@]}" "${flags[@]}" -DWRESTLE bad/push.c -o push_wrestle "-L$library" "-Wl,-rpath,$library" -lcarom -lm
./push_wrestle ./wrestle.so || wrong "wrestle does not come out as worked out by hand"
# Policies in lanes and one world at a time are the same.
digests ./wrestle.so >wrestle.digests
sed '/^#define RULES_POLICY_LANES/d' bad/wrestle.c >apart.c
CC=$CC "$kit" build apart.c -o apart.so -- -O1
digests ./apart.so >>wrestle.digests
[[ $(sort -u wrestle.digests | wc -l) = 2 ]] || wrong "policies in lanes play otherwise"
refuse_wrong() # words, sed's expression: wrestle with something wrong is refused
{
    sed "$2" bad/wrestle.c >wrestle_bad.c
    ! cmp -s wrestle_bad.c bad/wrestle.c || wrong "nothing is changed by $2"
    CC=$CC "$kit" build wrestle_bad.c -o wrestle_bad.so -- -O0
    if "$carom" rollout ./wrestle_bad.so >/dev/null 2>err || ! grep -q "$1" err; then
        wrong "'$1' wanted: $(cat err)"
    fi
}
refuse_wrong 'rules_observe_ego() does not set number 15 of what body 0' \
    's/view_put_ego(view, agent, k,/view_put_ego(view, agent, k % 15,/'
refuse_wrong 'rules_lidar() does not set number 0 of RULES_LIDAR_SEEN of body 0, of 1' '/lidar_own(lidar, own_out/d'
refuse_wrong 'rules_lidar() names a thing of kind 3, of 3' \
    's/lidar_wall(lidar, thing_line/lidar_wall(lidar, thing_line + 1/'
refuse_wrong 'rules_features() sets feature 2, of 2' 's/features\[0\] + in;/features[2] = &/'
refuse_wrong 'a number of an observation has a bad name or range' \
    's/thing##_y, "the ring", -4, 4/thing##_y, "the ring", 4, -4/'

# ---- a game of three players in the arena: on all seats in turn, by a policy and by a program ----

CC=$CC "$kit" build bad/trio.c -o trio.so -- -Wall -Wextra -Wshadow -Werror "${level[@]}"
"$carom" check ./trio.so
# shellcheck disable=SC2016 # the arena's shell expands it
program='while read -r line; do [ "$line" != go ] || echo 1; done' # does as the policy `run`
for side in carom:run "$program"; do
    "$carom" arena ./trio.so --a "$side" --b carom:random --games 12 --ms 9000 --first-ms 9000 --json \
        --results "trio_$((++trios)).jsonl"
done >trio.json
python3 - trio.json trio_1.jsonl trio_2.jsonl <<'END' || wrong "three players do not play on all seats in turn"
import json
import sys

runs, within, told = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
digests = {run["pairings"][0]["digest"] for run in runs}
assert len(digests) == 1 and [run["pairings"][0]["wins_a"] for run in runs] == [12, 12], runs
for games in within, told:
    runner = games[0]["seats"][0]
    seats = [[k for k in range(3) if game["seats"][k] == runner] for game in games]
    assert seats == 2 * [[0], [1], [2], [1, 2], [0, 2], [0, 1]], seats
    assert all(game["seats"][game["seat"]] == game["winner"] == runner for game in games), games
END

# ---- programs: one opens the game, one links it in ----

"${cc[@]}" "${flags[@]}" bad/open.c -o open "-L$library" "-Wl,-rpath,$library" -lcarom -pthread
./open ./air_hockey_0.so || wrong "a program cannot use the shared object"
CC=$CC "$kit" build hockey/game.c -o air_hockey.a -- "${level[@]}"
"${cc[@]}" "${flags[@]}" -DADOPT bad/open.c air_hockey.a -o adopt "-L$library" "-Wl,-rpath,$library" -lcarom -pthread
./adopt || wrong "a program cannot use the game that is linked in"

# As C++, at width 1, for other compilers.
for bits in 32 64; do
    # shellcheck disable=SC2086 # a compiler may be several words
    [[ -z ${CXX:-} ]] || $CXX -x c++ -std=c++17 -fsyntax-only -ffp-contract=off "-I$prefix/include" \
        "-I$prefix/include/carom/kit/engine" -DTILE_LANES=1 -DCAROM_ISA_SCALAR=CAROM_ISA_SCALAR \
        -DCAROM_REAL_BITS=$bits \
        hockey/game.c || wrong "air hockey is no C++"
done

# carom check detects a game in which gliding depends on the lanes; one that calls the library is not built at all.
sed 's/#define HOCKEY_GLIDE .*/#define HOCKEY_GLIDE (LANES == 1 ? 0.98 : 0.97)/' \
    hockey/game.c >crooked.c
CC=$CC "$kit" build crooked.c -o crooked.so -- -O1
code=0
"$carom" check ./crooked.so >crooked || code=$?
if [[ $code != 1 ]] || ! grep -q 'other states' crooked; then
    wrong "carom check takes a crooked game: exit code $code"
    cat crooked
fi
sed 's/^CAROM_LANE void rules_policy.*/const char *calls(void) { return carom_version(); }\n&/' hockey/game.c >calls.c
if CC=$CC "$kit" build calls.c -o calls.so -- -O1 2>err || ! grep -q "wants 'carom_version '" err ||
    [[ -e calls.so ]]; then
    wrong "carom-kit builds a game that wants a function of the library: $(cat err)"
fi

# A game may not include or name the engine's internals, except in comments and strings; its own names are free.
refuse_to_build() # words, sed's expression
{
    sed "$2" hockey/game.c >face.c
    if CC=$CC "$kit" build face.c -o face.so -- -O0 2>err || [[ $(wc -l <err) != 1 || -e face.so ]] ||
        ! grep -q "$1" err; then
        wrong "carom-kit build, '$1' wanted: $(cat err)"
    fi
}
refuse_to_build "carom-kit: face.c:[0-9]*: includes 'tick/worklist.h'" \
    's/^#include <carom.kit.rules.h>/&\n#include "tick\/worklist.h"/'
refuse_to_build "includes 'carom/kit/engine/words.h'" \
    's/^#include <carom.kit.rules.h>/&\n#include <carom\/kit\/engine\/words.h>/'
refuse_to_build "face.c:[0-9]*: names 'run_overrun'" 's/^    reward\[0\] = /    (void)run_overrun;\n&/'
echo '#define FOUR RULES_OBSERVATION' >own.h
refuse_to_build "own.h:1: names 'RULES_OBSERVATION'" '1i #include "own.h"'
echo '/* run_overrun() "tick/run.h" */ static const char text[] = "run_overrun(\"tick_run\")"; // motion_open' >own.h
sed '1i #include "own.h"' hockey/game.c >face.c
CC=$CC "$kit" build face.c -o face.so -- -O0 || wrong "comments and strings are taken for names"

# ---- the skeleton ----

"$prefix/bin/carom-new-game" toy_box skeleton
CAROM=$carom CAROM_KIT=$kit CC=${cc[-1]} skeleton/test || wrong "the skeleton's own test fails"
if "$prefix/bin/carom-new-game" Toy again 2>/dev/null || "$prefix/bin/carom-new-game" toy_box skeleton 2>/dev/null; then
    wrong "new_game takes a bad name, or a folder that is there"
fi

# ---- docs/games.md: its game and its shell commands, as printed (python/tests/test_games_page.py: Python) ----

mkdir page
python3 - "$SOURCE/docs/games.md" page <<'END'
import re
import sys
from pathlib import Path

text = Path(sys.argv[1]).read_text(encoding="utf-8").partition("\n## Lidar\n")[0]
assert set(re.findall(r"^```(\w+)$", text, re.MULTILINE)) == {"c", "shell", "python"}
for kind, name in (("c", "game.c"), ("shell", "commands")):
    blocks = re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)
    Path(sys.argv[2], name).write_text("".join(blocks), encoding="utf-8")
END
(cd page && CC=$CC PATH=$prefix/bin:$PATH bash -eu commands >said) || wrong "what docs/games.md says does not work"
for words in 'the same bits' 'ticks of a game' 'faults  *0$' '200 of 200 ticks: the same'; do
    grep -q "$words" page/said || { wrong "docs/games.md: '$words' is not said" && cat page/said; }
done
grep -q '<circle' page/fetch.svg || wrong "docs/games.md: nothing is drawn"
CC=$CC "$kit" build page/game.c -o page/again.so -- -O1 -Wall -Wextra -Wshadow -Werror || wrong "the page's game warns"

# ---- objects that are not games of this version ----

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
    "${cc[@]}" -std=c17 -shared -fPIC "-I$prefix/include" "-I$prefix/include/carom/kit/engine" "${@:2}" bad/bad.c \
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
refuse 'already a field x' rollout ./doubled.so
bad players -DPLAYERS
refuse '5 players: there may be 1 to 4' rollout ./players.so
bad kinds -DKINDS
refuse 'normalised' rollout ./kinds.so
bad trial -DTRIAL
refuse 'no game' rollout ./trial.so
bad taken -DTAKEN
refuse 'already a game named csb' rollout ./taken.so
bad badname -DBADNAME
refuse 'lower-case letters' rollout ./badname.so
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

# ---- names of numbers that do not exist: refused when it is opened, by every command ----

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
numbers 'sets number 15 of what a player sees, of RULES_OBSERVATION 15' 's/p, seen_tick,/p, seen_tick + 1,/'
numbers 'rules_observe() does not set number 15 of what player 0' '
    s/^    HOCKEY_THING(X, puck) X/    HOCKEY_THING(X, puck) X(more, "", 0, 1) X/
    s/p, seen_score + k/p, seen_more + k/; s/p, seen_tick/p, seen_score_other/'
numbers 'element 3 of the field x, which has 3' 's/get_x(w, bodies\[k\])/get_x(w, bodies[k] + 1)/'
numbers 'element -1 of the field vy, which has 3' 's/\*at_vy(w, i) =/*at_vy(w, i - 1) =/'
numbers 'element 2 of the field score, which has 2' 's/numbers\[0\] = /&see_score(w, 2) + /'
numbers 'the rules set vx of body 3, of RULES_BODIES 3' 's/b->vx\[PUCK\] = vx/b->vx[PUCK + 1] = vx/'
numbers 'scored\[1\], a note that has 1' 's/b->scored\[0\] = v_select/b->scored[1] = v_select/'
numbers 'impact of body 3, of RULES_BODIES 3' 's/HOCKEY_END), PUCK, WALL/HOCKEY_END), PUCK + 1, WALL/'
numbers "number 2 of a player's action normalised, which has 2" \
    's/action_unit(actions, i, 1)/action_unit(actions, i, 2)/'
numbers 'actions of player 2, of RULES_PLAYERS 2' 's/action_unit(actions, i, 1)/action_unit(actions, i + 1, 1)/'
numbers 'rules_settle() sets reward\[2\], of RULES_PLAYERS 2' 's/reward\[1\] =/reward[2] = reward[1] =/'
numbers 'rules_policy() sets number 2 of .* normalised, which has 2' 's/numbers\[0\] =/numbers[2] = numbers[0] =/'
numbers 'rules_policy() does not set number 1' 's/k < 2; k++) {$/k < 1; k++) {/; s/numbers\[1\] =/double other =/'
numbers 'value for player 2, of RULES_PLAYERS 2' 's/value\[1\] =/value[2] = value[1] =/'

# What comes late is found by carom check.
changed 's/^    reward\[0\] = /    if (world_tick(w) > 150) {\n        (void)*at_score(w, 2);\n    }\n&/'
code=0
"$carom" check ./numbers.so >late || code=$?
if [[ $code != 1 ]] || ! grep -q 'element 2 of the field score' late; then
    wrong "carom check takes a game that uses an element that there is not: exit code $code"
    cat late
fi

cp air_hockey_0.so air_hockey_again.so
refuse 'already a game named air_hockey' info ./air_hockey_0.so ./air_hockey_again.so
"$carom" info ./air_hockey_0.so ./air_hockey_0.so >/dev/null || wrong "the same file twice is refused"
echo 'int nothing;' >nothing.c
"${cc[@]}" -shared -fPIC nothing.c -o nothing.so
refuse 'no game in it' rollout ./nothing.so
cp hockey/game.c text.so
refuse 'not a shared object' rollout ./text.so
: >empty.so
refuse 'not a shared object' rollout ./empty.so
"${cc[@]}" -c nothing.c -fPIC -o relocatable.so
refuse 'not a shared object' rollout ./relocatable.so
size=$(stat -c %s air_hockey_0.so)
for part in 1 20 64 100 4096 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 1)); do
    head -c $part air_hockey_0.so >short.so
    refuse 'not a shared object\|cut short' rollout ./short.so
done
refuse 'No such file' rollout ./missing.so
refuse 'a slash' rollout air_hockey_0.so
mkdir folder.so
refuse 'not a file' rollout ./folder.so
mkfifo pipe.so
refuse 'not a file' rollout ./pipe.so
exit $status
