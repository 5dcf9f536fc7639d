#!/usr/bin/env bash
# Where there is no npm everything but the page is built and works, and `lilyan report` says how to get it. The page is one
# object: the others are those of this build.
# release only
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cmake -S "$LILYAN_SOURCE" -B "$dir" -DLILYAN_NPM=OFF >/dev/null
cmake --build "$dir" --target lilyan_viewer >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
grep -q 'lilyan report will not work: npm is missing' "$dir/log"
grep -q '/viewer/page.c' "$dir/compile_commands.json" # which is what that target has written

cc -std=c17 -fPIC -fvisibility=hidden -I"$LILYAN_SOURCE/src" -I"$LILYAN_SOURCE/include" -c "$dir/viewer/page.c" -o "$dir/page.o"
objects=$(find "$LILYAN_BUILD/CMakeFiles/lilyan_objects.dir" "$LILYAN_BUILD/CMakeFiles/lilyan_command.dir" \
    "$LILYAN_BUILD/CMakeFiles/lilyan_command_objects.dir" -name '*.o' ! -path '*/viewer/page.c.o')
libraries=$(PKG_CONFIG_PATH=$LILYAN_BUILD pkg-config --static --libs lilyan | sed 's/-llilyan //')
# shellcheck disable=SC2086
cc $objects "$dir/page.o" -o "$dir/lilyan" $libraries

cd "$dir"
./lilyan run "$LILYAN_SOURCE/scenes/pendulum.yaml" --until 1 -o p.h5 >/dev/null
./lilyan plot p.h5 -o p.svg >/dev/null
./lilyan export p.h5 --to vtu >/dev/null
if ./lilyan report p.h5 2>message; then echo 'lilyan report made a page of nothing'; exit 1; fi
cat message
[ "$(wc -l <message)" = 1 ]
grep -q 'install npm, then run make again' message
[ ! -e p.html ]
