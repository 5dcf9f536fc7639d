#!/usr/bin/env bash
# Compilers and -O levels do not change bits: the hashes that tests/test_bits.c prints of a body, of contact, of constraints and of
# keys are the same from this build (gcc -O3) and where clang -O3 has compiled the elements, gcc -O1 the other terms. Under
# sanitizers test_bits compares the whole library as clang -O1 makes it.
# release only
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$LILYAN_SOURCE"
libraries=$(PKG_CONFIG_PATH=$LILYAN_BUILD pkg-config --static --libs lilyan | sed 's/-llilyan //')
flags=(-std=c17 -DNDEBUG -D_POSIX_C_SOURCE=200809L '-DLILYAN_VERSION="0"' -Isrc -Iinclude -Itests -I/usr/include/suitesparse
    -ffp-contract=off -fno-math-errno -fvisibility=hidden -Wno-psabi)
scenes=(contact-knot elastic-rod elastic-rod-damped keys-throw rope-bridge)
elements=$(echo src/math/*.c src/materials/*.c src/terms/tet*.c)
others=$(find src/terms src/constraints -name '*.c' ! -name 'tet*')

"$LILYAN_BUILD/tests/test_bits" --print "${scenes[@]}" >"$dir/expected"
for scene in "${scenes[@]}"; do grep -q "^$scene " "$dir/expected"; done
clang=$(command -v clang-14 || echo clang)
tried=0
for how in "gcc -O1 $others" "$clang -O3 $elements"; do
    read -rd '' compiler level files <<<"$how" || true
    command -v "$compiler" >/dev/null || continue
    objects=$dir/${compiler##*/}
    mkdir "$objects"
    for file in $files; do
        "$compiler" "$level" "${flags[@]}" -c "$file" -o "$objects/${file//\//_}.o"
    done
    # these objects come before those of the library
    # shellcheck disable=SC2086
    "$compiler" "${flags[@]}" tests/test_bits.c "$objects"/*.o "$LILYAN_BUILD/liblilyan.a" -o "$dir/bits" $libraries
    "$dir/bits" --print "${scenes[@]}" >"$dir/found"
    diff "$dir/expected" "$dir/found" || { echo "$compiler $level gives other bits"; exit 1; }
    echo "$compiler $level: the same bits"
    tried=$((tried + 1))
done
[ $tried -gt 0 ]
