#!/usr/bin/env bash
# The programs of examples/ run and print what mechanics says; docs/c.md shows them as they are, and the header begins with the shortest.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
page=$LILYAN_SOURCE/docs/c.md header=$LILYAN_SOURCE/include/lilyan/lilyan.h
block() { awk -v n="$1" '/^```c$/ { on = 1; k++; next } /^```$/ { on = 0 } on && k == n' "$page"; }

shortest=
for source in "$LILYAN_SOURCE"/examples/*.c; do
    lines=$(wc -l <"$source")
    [ "$lines" -lt 80 ] || { echo "$source has $lines lines"; exit 1; }
    [ -n "$shortest" ] && [ "$lines" -ge "$(wc -l <"$shortest")" ] || shortest=$source
    shown=
    for ((k = 1; k <= 30; k++)); do
        ! diff -q <(block $k) "$source" >/dev/null || shown=$k
    done
    [ -n "$shown" ] || { echo "docs/c.md does not show ${source##*/} as it is"; exit 1; }
    name=$(basename "$source" .c)
    echo "== $name"
    "$LILYAN_BUILD/examples/$name" | tee "$name.out"
done

# the header's program is the shortest one
sed -nE 's/^ \*(     |$)//p' "$header" | awk -v n="$(wc -l <"$shortest")" '/^\/\/ A pendulum/ { on = 1 } on && k < n { print; k++ }' >shown.c
diff "$shortest" shown.c

# midpoint keeps the energy within O(h^2): 4.0824 J at the start
grep -q '^theta(10 s) = .*, energy 4.08' pendulum.out
# 1000 steps, every fifth a frame, every fiftieth of those printed; the first at rest: tension g cos(2)
[ "$(wc -l <record.out)" = 5 ]
grep -q '^t =  0.0 s: angle  2.0000, tension -4.0824 N' record.out
"$LILYAN" info pendulum.h5 | grep -q '^frames       201, t = 0 to 10 s'
"$LILYAN" check pendulum.h5 >/dev/null || true # there is nothing to check, and it says so
"$LILYAN" plot pendulum.h5 --what energy,tension -o out.svg
"$LILYAN" export pendulum.h5 --to csv -o out.csv
# without a push the swing comes back to where it began; the others are different
grep -q 'push of +0.0 at t = 0.5 s: up to 0.50' rewind.out
[ "$(sort -u rewind.out | wc -l)" = 5 ]
# small swings grow by (2/1.9)^1.5 each half: p stays when l changes at the bottom; and the books close, to 1e-3 J in 545
grep -q '^t =  1.4 s: turns at -0.324' parameter.out
awk '/^energy/ { d = $2 + $5 - $(NF - 1); ok = d < 0.05 && d > -0.05 && $5 > 500 } END { exit !ok }' parameter.out
# the uniaxial stretch where mu/2 (J^(-2/3) I1 - 3) + kappa/2 (J - 1)^2 has a stress of F/A = 1e4 Pa, free to the sides: 8.0629 mm
grep -q '^t = 20 s: longer by 8.063 mm' bar.out
# its recording is that of any run: a page, 48 tets in 201 files, and nothing of it intersects
"$LILYAN" info bar.h5 | grep -q '^frames       201, t = 0 to 20 s'
"$LILYAN" report bar.h5 -o bar.html
"$LILYAN" export bar.h5 --to vtu -o vtu
[ "$(ls vtu/*.vtu | wc -l)" = 201 ]
grep -q 'NumberOfPoints="36" NumberOfCells="48"' "$(ls vtu/*.vtu | head -1)"
"$LILYAN" check bar.h5 | grep -q "201 frames, 68 triangles and links: no intersection"
grep -q 'as long as they were to 1e-9 m' chain.out
# what energy-momentum loses is what friction takes, to the last printed digit, and the ball never touches the floor itself
awk '/^energy/ { d = $2 - $5 + $7; ok = d < 2e-6 && d > -2e-6 && $7 > 0 && $(NF - 1) > 0 } END { exit !ok }' ball.out
[ "$(sort -u ensemble.out | wc -l)" = 8 ]
# the natural cubic spline through -1.905 m: 6 x 2 x 1.905/4 N at the key, 2/3 of its square as cost, within O(h^2)
grep -q '^t = 1.0 s: x = 4.000 m, z = 3.000 m, ghost force  5.715 N' shot.out
grep -q '^cost 21.77[34], keys missed by 0 m' shot.out
"$LILYAN" info shot.h5 | grep -q '^frames       201, t = 0 to 2 s'
"$LILYAN" plot shot.h5 --what cost -o shot.svg
"$LILYAN" report shot.h5 -o shot.html
