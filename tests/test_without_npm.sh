#!/usr/bin/env bash
# Where there is no npm everything but the page is built and works, and `lilyan report` says how to get it.
# release only
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cmake -S "$LILYAN_SOURCE" -B "$dir" -DLILYAN_NPM=OFF -DCMAKE_C_FLAGS_RELEASE=-O0 >/dev/null
cmake --build "$dir" --target lilyan_command >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
grep -q 'lilyan report will not work: npm is missing' "$dir/log"

cd "$dir"
./lilyan run "$LILYAN_SOURCE/scenes/pendulum.yaml" --until 1 -o p.h5 >/dev/null
./lilyan plot p.h5 -o p.svg >/dev/null
./lilyan export p.h5 --to vtu >/dev/null
if ./lilyan report p.h5 2>message; then echo 'lilyan report made a page of nothing'; exit 1; fi
cat message
[ "$(wc -l <message)" = 1 ]
grep -q 'install npm, then run make again' message
[ ! -e p.html ]
