#!/usr/bin/env bash
# The folders of src/ depend on each other in one direction: each level below sees only the levels before it and its own
# folder. cli/ sees <lilyan/lilyan.h> and its own headers; the public header sees nothing of ours. Only scene/ itself includes a
# header of scene/, also among tests, benchmarks and examples.
set -euo pipefail
cd "$(dirname "$0")/.."

levels='
core
math
solvers expr geometry
mesh materials
constraints
terms
model
world
discrete
integrators
sim
keyframes
record
run
scene
'

status=0
violation() { # file:line, what
    printf '%s: %s\n' "$1" "$2"
    status=1
}

declare -A level
n=0
while read -r -a folders; do
    for folder in "${folders[@]}"; do level[$folder]=$n; done
    n=$((n + 1))
done <<<"$levels"

check() { # file, line, header
    local at=$1:$2 header=$3 here=${1%/*} there=${3%%/*}
    case $header in
    *..*) violation "$at" "'$header' climbs out of its folder"; return ;;
    */*) ;;
    *) return ;; # the C library, another library, or a neighbour in the same folder
    esac
    if [ "$there" = scene ] && [[ $here != src/scene* ]]; then
        violation "$at" "nothing outside src/scene may include '$header'"
        return
    fi
    case $here in
    cli | include/*)
        [ -z "${level[$there]:-}" ] || violation "$at" "${here%%/*} may not include '$header' of src"
        ;;
    src/*)
        here=${here#src/} here=${here%%/*}
        if [ -z "${level[$here]:-}" ]; then
            violation "$at" "src/$here has no level in scripts/check-includes.sh"
        elif [ -n "${level[$there]:-}" ] && [ "$here" != "$there" ] && [ "${level[$there]}" -ge "${level[$here]}" ]; then
            violation "$at" "$here may not include '$header': $there does not come before $here"
        fi
        ;;
    esac
}

while IFS=: read -r file line text; do
    [[ $text =~ [\<\"]([^\>\"]+) ]] && check "$file" "$line" "${BASH_REMATCH[1]}"
done < <(grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include' include src cli tests bench examples)

exit $status
