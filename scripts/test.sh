#!/usr/bin/env bash
# Everything `make test` checks. A failing part does not stop the next one. The last line is
# 'N passed, N failed, N skipped'; the status is non-zero if something failed, with CI=true also if something was skipped.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
jobs=$(nproc)
mkdir -p build/test-logs
results=$PWD/build/test-logs/results.tsv # status, seconds, name, reason
: >"$results"
tree_before=$(git status --porcelain 2>&1)

# part NAME COMMAND...: one test. Its output is shown only if it fails; 77 means skipped.
part() {
    local name=$1 log="build/test-logs/${1//[^a-z0-9_]/-}.log" start=$EPOCHREALTIME rc=0 status=failed seconds
    shift
    "$@" >"$log" 2>&1 </dev/null || rc=$?
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')
    case $rc in 0) status=passed ;; 77) status=skipped ;; *) cat "$log" ;; esac
    printf '%s\t%s\t%s\t%s\n' "$status" "$seconds" "$name" "$([ $status = skipped ] && tail -n 1 "$log")" >>"$results"
    printf '%-8s%8s s  %s\n' "$status" "$seconds" "$name"
    [ $rc -eq 0 ]
}

# build FOLDER NICENESS OPTION...: everything, with warnings as errors
build() {
    local folder=$1 niceness=$2
    shift 2
    nice -n "$niceness" cmake -S . -B "$folder" -DLILYAN_TESTS=ON -DLILYAN_WERROR=ON "$@" &&
        nice -n "$niceness" cmake --build "$folder" -j "$jobs"
}

# tests FOLDER PREFIX OPTION...: ctest, each of its tests counted
tests() {
    local junit="$PWD/build/test-logs/$1.xml" folder=$1 prefix=$2
    shift 2
    rm -f "$junit"
    ctest --test-dir "$folder" -j "$jobs" --timeout 600 --no-tests=error --output-on-failure --no-label-summary \
        --output-junit "$junit" "$@" </dev/null
    scripts/junit.py "$junit" "$prefix" >>"$results" || part "${prefix}ctest" false
}

not_run() {
    echo 'not run: the build failed'
    return 77
}

# A clean clone should take six minutes on two cores, and takes eight: "The slowest" below is where to look.
part 'format' scripts/format.sh --check
part 'includes' scripts/check-includes.sh

# One build with clang for the sanitizers and the fuzzers: it takes what the other build and its tests leave of the processors.
CC=clang-14 part 'asan: build' build build-asan 19 -DLILYAN_FUZZ=ON &
sanitized=$!
part 'build' build build 0
built=$?
if [ $built -eq 0 ]; then
    part 'symbols' scripts/check-symbols.sh build
    tests build ''
else
    part 'symbols and tests' not_run
fi

if wait $sanitized; then
    LIL_TEST_SMALL=1 ASAN_OPTIONS=detect_leaks=1:malloc_context_size=8 UBSAN_OPTIONS=print_stacktrace=1 \
        tests build-asan 'asan: ' --label-exclude release-only
    # two seconds each, enough to run all that is in the corpus; `make fuzz` takes longer
    for fuzzer in tests/fuzz_*.c; do
        fuzzer=$(basename "$fuzzer" .c)
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
        FUZZ_SEED=1 FUZZ_SECONDS=2 part "fuzz: $fuzzer" scripts/fuzz.sh --built "$fuzzer" &
    done
    wait
else
    part 'asan: tests and fuzzers' not_run
fi

# only in CI: elsewhere someone may be editing
tree_unchanged() { diff <(printf '%s' "$tree_before") <(printf '%s' "$(git status --porcelain 2>&1)"); }
[ "${CI:-}" != true ] || part 'source tree unchanged' tree_unchanged

# -- what came of it

list() { awk -F '\t' -v status="$1" '$1 == status { printf "  %s%s\n", $3, $4 == "" ? "" : ": " $4 }' "$results"; }
count() { awk -F '\t' -v status="$1" '$1 == status { n++ } END { print n + 0 }' "$results"; }
passed=$(count passed) failed=$(count failed) skipped=$(count skipped)

printf '\nThe ten slowest:\n'
sort -t $'\t' -k 2,2 -gr "$results" | head -n 10 | awk -F '\t' '{ printf "%8.2f s  %s\n", $2, $3 }'
if [ "$failed" -gt 0 ]; then printf '\nFailed:\n%s\n' "$(list failed)"; fi
if [ "$skipped" -gt 0 ]; then printf '\nSkipped:\n%s\n' "$(list skipped)"; fi
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"

[ "$failed" -eq 0 ] && { [ "${CI:-}" != true ] || [ "$skipped" -eq 0 ]; }
