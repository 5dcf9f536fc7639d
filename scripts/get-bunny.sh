#!/usr/bin/env bash
# Brings the Stanford bunny, as the npm package `bunny` has it (public domain, 1,839 vertices, y up), as an OBJ file for
# scenes/hopping-bunny.yaml: get-bunny.sh [OUT.obj], by default scenes/bunny.obj. Needs npm, and a network once.
set -euo pipefail
version=1.0.1
sum=e5d2c9a33e68d5a841bf9f1f472de1bff55a70c206c5d9302846660d321e883c
out=${1:-$(dirname "$0")/../scenes/bunny.obj}
command -v npm >/dev/null || { echo "get-bunny.sh: npm is missing ('scripts/deps.sh build' installs it)" >&2; exit 1; }
same() { [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$sum" ]; }
if [ -e "$out" ] && same "$out"; then
    echo "$out is there"
    exit
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm pack --silent "bunny@$version" >/dev/null && tar -xzf bunny-*.tgz) ||
    { echo "get-bunny.sh: npm does not bring bunny@$version" >&2; exit 1; }
node -e '
    const { positions, cells } = require(process.argv[1]);
    console.log("# The Stanford bunny; y up");
    for (const x of positions) console.log("v " + x.join(" "));
    for (const face of cells) console.log("f " + face.map((v) => v + 1).join(" "));
' "$folder/package" >"$folder/bunny.obj"
same "$folder/bunny.obj" || { echo "get-bunny.sh: bunny@$version is not what it was" >&2; exit 1; }
mv "$folder/bunny.obj" "$out"
echo "wrote $out"
