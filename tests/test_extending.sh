#!/usr/bin/env bash
# The program of docs/extending.md compiles without a warning and does what the page says.
# release only
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$LILYAN_SOURCE/docs/extending.md" >"$work/mine.c"
cc -std=c17 -Wall -Wextra -Werror -I"$LILYAN_SOURCE/include" "$work/mine.c" -o "$work/mine" \
    -L"$LILYAN_BUILD" -llilyan -Wl,-rpath,"$LILYAN_BUILD"
"$work/mine" "$LILYAN_SOURCE/scenes/pendulum.yaml" | tee "$work/out"
grep -q '^theta = .* at t = 10, energy band' "$work/out"
# and it refuses what it says it refuses
! "$work/mine" "$LILYAN_SOURCE/scenes/double-pendulum.yaml" >"$work/out"
grep -q 'needs a constant mass' "$work/out"
