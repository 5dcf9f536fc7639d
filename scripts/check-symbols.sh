#!/usr/bin/env bash
# What the libraries in a build folder (default: build) define begins with lil_, so that nothing collides with a user's
# names; and what the shared one exports is exactly what the headers mark LIL_API. No two types share a name.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}

status=0
report() { # what is wrong, names one per line
    [ -z "$2" ] && return
    sed "s|^|$1: |" <<<"$2"
    status=1
}

defined=$(nm -g --defined-only -P "$build/liblilyan.a" | awk 'NF > 1 { print $1 }' | sort -u)
exported=$(nm -D --defined-only -P "$build/liblilyan.so" | awk 'NF > 1 { print $1 }' | sort -u)
# a library that was built with LILYAN_CORE_ONLY lacks what stands between LIL_CORE_ONLY
core=''
grep -q '^LILYAN_CORE_ONLY:BOOL=ON$' "$build/CMakeCache.txt" 2>/dev/null && core='/^#ifndef LIL_CORE_ONLY/,/^#endif/d'
# comments away, one line, then the name between LIL_API and its parenthesis
declared=$(cat include/lilyan/*.h | gcc -fpreprocessed -dD -E -P -x c - | sed "$core" | grep -v "^ *#" | tr "\n" " " |
    grep -oP '\bLIL_API\b[^;({]*?\K\blil_\w+(?=\s*[(\[;])' | sort -u)

report 'liblilyan.a defines a name without lil_' "$(grep -v '^lil_' <<<"$defined" || true)"
report 'LIL_API in a header, but not exported' "$(comm -23 <(echo "$declared") <(echo "$exported"))"
report 'exported, but not LIL_API in a header' "$(comm -13 <(echo "$declared") <(echo "$exported"))"
report 'two types have this name' "$(find src include -name "*.[ch]" -exec cat {} + | sed -nE \
    's/^(typedef )?(struct|enum|union) (lil_[a-z0-9_]+) \{$/\3/p' | sort | uniq -d)"
exit $status
