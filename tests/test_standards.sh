#!/usr/bin/env bash
# The headers and the examples compile without a warning: gcc and clang, C99 to C17, and the headers also as C++11 to C++20.
# release only
set -euo pipefail
cd "$LILYAN_SOURCE"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo '#include <lilyan/lilyan.h>
#include <lilyan/lilyan.h>
#include <lilyan/world.h>
int main(void) { return lil_version() == 0; }' >"$dir/program.c"
cat >"$dir/program.cpp" <<'END'
#include <lilyan/lilyan.h>
#include <lilyan/world.h>
static bool energy(const void *, double, const double *x, double *W, double *g) {
    *W = x[0];
    if (g) g[0] = 1;
    return true;
}
int main() { // a table, as C++11 fills one
    lil_term_kind kind = lil_term_kind();
    kind.size = sizeof kind;
    kind.name = "weight";
    kind.coordinates = 1;
    kind.energy = energy;
    lil_separable_def def = lil_separable_def();
    def.parts.term_count = 0;
    return kind.size == 0 || def.parts.term_count || lil_version() == nullptr;
}
END
# each header alone, before any other
for header in include/lilyan/*.h; do
    printf '#include <lilyan/%s>\n#include <lilyan/lilyan.h>\n' "${header##*/}" >"$dir/$(basename "$header" .h)_alone.c"
done
flags=(-Iinclude -fsyntax-only -Wall -Wextra -pedantic -Wshadow -Wconversion -Werror)
compilers=0
for c in gcc clang; do
    command -v $c >/dev/null || continue
    compilers=$((compilers + 1))
    for standard in c99 c11 c17; do
        $c -std=$standard "${flags[@]}" "$dir"/*.c examples/*.c
        $c -std=$standard "${flags[@]}" -DLIL_CORE_ONLY "$dir"/*.c
    done
    for standard in c++11 c++14 c++17 c++20; do
        $c -x c++ -std=$standard "${flags[@]}" "$dir/program.cpp" "$dir"/*_alone.c
    done
    echo "$c: ok"
done
[ $compilers -gt 0 ]
long=$(wc -l examples/*.c | awk '$2 != "total" && $1 >= 80')
[ -z "$long" ] || { echo "an example is not below 80 lines: $long"; exit 1; }
