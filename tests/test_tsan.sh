#!/usr/bin/env bash
# The thread sanitizer starts, with gcc and with clang: functions that are compiled twice (LIL_KERNEL in src/math/lanes.h) are
# chosen before main, when it is not up yet. It runs the pool of threads, and finds nothing. 'make tsan' runs much more.
# release only
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$LILYAN_SOURCE"

# try COMPILER: test_threads on what it needs, and the materials, which have such functions
try() {
    "$1" -fsanitize=thread -x c - -o "$dir/empty" <<<'int main(void) { return 0; }' 2>/dev/null || return 77
    "$dir/empty" || return 77 # the sanitizer itself does not run here
    "$1" -std=c17 -O1 -fsanitize=thread -D_POSIX_C_SOURCE=200809L -DLILYAN_VERSION='"0"' -Isrc -Iinclude -Itests \
        -ffp-contract=off -fno-math-errno -Wno-psabi tests/test_threads.c src/core/*.c src/math/*.c src/materials/*.c \
        -o "$dir/threads-$1" -lm -pthread
    TSAN_OPTIONS=halt_on_error=1 "$dir/threads-$1"
}

tried=0
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    rc=0
    try $compiler || rc=$?
    case $rc in 0) tried=$((tried + 1)) ;; 77) ;; *) echo "$compiler: failed"; exit 1 ;; esac
    echo "$compiler: $([ $rc -eq 0 ] && echo ok || echo 'has no thread sanitizer')"
done
[ $tried -gt 0 ] || exit 77
