#!/usr/bin/env bash
# Builds the fuzzers in build-asan/, beside the tests under sanitizers, and runs those named (default: all), FUZZ_SECONDS each;
# with --built it runs what is there. tests/fuzz_scene.c starts from tests/corpus/scene/ and from scenes/; what it learns and
# finds goes to build-asan/, never to the source tree.
# FUZZ_SEED makes a run repeatable, as far as time allows: `make test` fixes it, so that a commit is judged by its own changes; `make fuzz` does not.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-15}
build=build-asan

if [ "${1:-}" = --built ]; then
    shift
else
    CC=clang-14 cmake -S . -B $build -DLILYAN_TESTS=ON -DLILYAN_WERROR=ON -DLILYAN_FUZZ=ON >/dev/null
    cmake --build $build -j "$(nproc)" --target fuzz
fi

[ $# -gt 0 ] || set -- $(find tests -maxdepth 1 -name 'fuzz_*.c' -printf '%f\n' | sed 's/\.c$//' | sort)
status=0
for fuzzer; do
    learned=$build/corpus/$fuzzer found=$build/findings/$fuzzer
    mkdir -p "$learned" "$found"
    corpus=("$learned")
    [ ! -d "tests/corpus/${fuzzer#fuzz_}" ] || corpus+=("tests/corpus/${fuzzer#fuzz_}")
    [ "$fuzzer" != fuzz_scene ] || [ ! -d scenes ] || corpus+=(scenes)
    words=tests/corpus/${fuzzer#fuzz_}.dict
    [ ! -f "$words" ] || corpus+=("-dict=$words")

    # new inputs go to the first folder of the corpus
    log=$build/$fuzzer.log
    if $build/tests/"$fuzzer" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -timeout=30 -rss_limit_mb=2048 \
        -artifact_prefix="$found/" "${corpus[@]}" >"$log" 2>&1; then
        echo "$fuzzer: $(tail -n 1 "$log")"
    else
        grep -v '^#[0-9]' "$log" | tail -n 100
        input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
        echo "$fuzzer failed. ${input:+Again with: $build/tests/$fuzzer $input}"
        status=1
    fi
done
exit $status
