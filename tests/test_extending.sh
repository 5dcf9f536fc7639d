#!/usr/bin/env bash
# The programs of docs/extending.md compile without a warning and do what the page says.
# release only
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=$LILYAN_SOURCE/docs/extending.md
fails() { if "$@"; then return 1; fi; } # because 'set -e' does not see '! command'
block() { awk -v n="$1" '/^```c$/ { on = 1; k++; next } /^```$/ { on = 0 } on && k == n' "$page"; }

# an integrator
block 1 >"$work/mine.c"
cc -std=c17 -Wall -Wextra -Werror -I"$LILYAN_SOURCE/include" "$work/mine.c" -o "$work/mine" \
    -L"$LILYAN_BUILD" -llilyan -Wl,-rpath,"$LILYAN_BUILD"
"$work/mine" "$LILYAN_SOURCE/scenes/pendulum.yaml" | tee "$work/out"
grep -q '^theta = .* at t = 10, energy band' "$work/out"
# and it refuses what it says it refuses
fails "$work/mine" "$LILYAN_SOURCE/scenes/double-pendulum.yaml" >"$work/out"
grep -q 'needs a constant mass' "$work/out"

# a material: the file, the line of the list, and the test of all materials, whose objects come before those of this build's library
mkdir "$work/src"
cp -r "$LILYAN_SOURCE"/src/{core,math,materials} "$work/src"
mkdir "$work/objects"
block 2 >"$work/src/materials/simo_pister.c"
block 3 >"$work/line"
[ "$(wc -l <"$work/line")" = 1 ]
sed -i "/X(lil_neo_hookean)/r $work/line" "$work/src/materials/material.h"
flags=(-std=c17 -O1 -pthread -ffp-contract=off -fno-math-errno -Wall -Wextra -Wpedantic -Werror -Wno-psabi
    -D_POSIX_C_SOURCE=200809L '-DLILYAN_VERSION="test"' -I"$work/src" -I"$LILYAN_SOURCE/include" -I"$LILYAN_SOURCE/tests")
# build_test FILE...: compiles these, and links what was compiled before too
build_test() {
    (cd "$work/objects" && cc "${flags[@]}" -c "$@")
    cc "$work"/objects/*.o "$LILYAN_BUILD/liblilyan.a" -o "$work/test_materials" -pthread -lm
}
build_test "$work"/src/materials/*.c "$LILYAN_SOURCE/tests/test_materials.c"
LIL_TEST_SMALL=1 "$work/test_materials"
# it was really among them: with a wrong stress the test fails, and names it
sed -i 's|= m->mu \* F\[i\]|= 1.001 * m->mu * F[i]|' "$work/src/materials/simo_pister.c"
build_test "$work/src/materials/simo_pister.c"
fails env LIL_TEST_SMALL=1 "$work/test_materials" >"$work/out"
grep -q 'so far for simo-pister' "$work/out"
[ "$(grep 'so far for' "$work/out" | grep -vc 'simo-pister')" = 0 ] # and nothing else
