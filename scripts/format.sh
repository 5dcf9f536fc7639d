#!/usr/bin/env bash
# Formats all C files in place; with --check, only says what is not formatted. Version 14, because versions differ.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
[ "${1:-}" != --check ] || mode=(--dry-run -Werror)
find include src cli tests bench examples -name '*.[ch]' -print0 2>/dev/null | xargs -0r -n 50 -P "$(nproc)" clang-format-14 "${mode[@]}"
