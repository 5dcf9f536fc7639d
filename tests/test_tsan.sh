#!/usr/bin/env bash
# Threads race nowhere: elements, bodies, slices of hair and the search for contact under the thread sanitizer, at small sizes.
# What runs in threads is compiled with it, the rest is this build's library. With clang it starts and runs the pool of threads:
# functions that are compiled twice (LIL_KERNEL in src/math/lanes.h) are chosen before main, when the sanitizer is not up yet.
# 'make tsan' compiles everything with it and runs more.
# release only
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$LILYAN_SOURCE"
export LIL_TEST_SMALL=1 TSAN_OPTIONS=halt_on_error=1
libraries=$(PKG_CONFIG_PATH=$LILYAN_BUILD pkg-config --static --libs lilyan | sed 's/-llilyan //')
flags=(-std=c17 -O1 -g1 -fsanitize=thread -D_POSIX_C_SOURCE=200809L '-DLILYAN_VERSION="0"' -Isrc -Iinclude -Itests
    -I/usr/include/suitesparse -ffp-contract=off -fno-math-errno -fvisibility=hidden -Wno-psabi)
pool=$(echo src/core/*.c src/math/*.c src/materials/*.c)
parallel=$(grep -rlE 'lil_parallel|_slice\(' --include='*.c' src | grep -vE '^src/(core|math|materials|record)/')\ src/terms/bending.c\ src/terms/twisting.c

# what uses threads most, in a second or two each; the rest of these files is the same code once more
export LIL_TEST_ONLY='numbers_of_threads every_piece_is_done_once terms_give_the_same_bits_on_any_number_of_threads
 runs_give_the_same_bits_on_any_number_of_threads momenta_of_every_method constant_loads_are_conservative stiff_bodies_step
 a_violent_start_never_inverts short_steps_of_the_papers_damping the_same_bits_on_any_number_of_threads
 a_longer_way_keeps_the_order contact_has_the_same_bits_on_any_number_of_threads'
LIL_TEST_ONLY=${LIL_TEST_ONLY//$'\n'/}

# try COMPILER TESTS FILES: these tests as one program (tests/tests.c), its objects before those of the library
try() {
    local compiler=$1 tests=$2 files=$3 test file objects
    objects=$dir/$compiler
    "$compiler" -fsanitize=thread -x c - -o "$dir/empty" <<<'int main(void) { return 0; }' 2>/dev/null || return 77
    "$dir/empty" || return 77 # the sanitizer itself does not run here
    mkdir "$objects"
    for file in $files; do
        "$compiler" "${flags[@]}" -c "$file" -o "$objects/${file//\//_}.o" || return 1
    done
    for test in $tests; do
        echo "X(test_$test)"
        "$compiler" "${flags[@]}" -O0 "-Dmain=test_$test" -c "tests/test_$test.c" -o "$objects/test_$test.o" || return 1
    done >"$objects/list_of_tests.h"
    # shellcheck disable=SC2086
    "$compiler" "${flags[@]}" "-I$objects" tests/tests.c "$objects"/*.o "$LILYAN_BUILD/liblilyan.a" -o "$objects/tests" $libraries ||
        return 1
    for test in $tests; do
        ln -s tests "$objects/test_$test"
        "$objects/test_$test" | tee "$dir/log" && grep -q '^ok' "$dir/log" || return 1
    done
}

clang=clang-14
command -v $clang >/dev/null || clang=clang
tried=0
for compiler in gcc $clang; do
    command -v $compiler >/dev/null || continue
    rc=0
    if [ $compiler = gcc ]; then
        try gcc 'threads kernels solids strands neighbours' "$pool $parallel" || rc=$?
    else
        try $clang threads "$pool" || rc=$?
    fi
    case $rc in 0) tried=$((tried + 1)) ;; 77) ;; *) echo "$compiler: failed"; exit 1 ;; esac
    echo "$compiler: $([ $rc -eq 0 ] && echo ok || echo 'has no thread sanitizer')"
done
[ $tried -gt 0 ] || exit 77
