#!/usr/bin/env bash
# Puts the tables of a complete run of bench_table between the markers in docs/benchmarks.md; those of any other are left
# where they are. bench-docs.sh TABLE.md
set -euo pipefail
page=$(dirname "$0")/../docs/benchmarks.md
if [ "$(head -n 1 "$1")" != '<!-- a complete run of bench_table -->' ]; then
    echo "docs/benchmarks.md stays as it is: this run was not complete"
    exit
fi
awk -v tables="$1" '
    /^<!-- bench_table: end -->$/ { skip = 0 }
    !skip { print }
    /^<!-- bench_table: begin -->$/ { skip = 1; print ""; getline line < tables
        while ((getline line < tables) > 0) print line }
' "$page" >"$page.part"
mv "$page.part" "$page"
echo 'wrote docs/benchmarks.md'
