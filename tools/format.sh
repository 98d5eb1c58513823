#!/usr/bin/env bash
# Lays out all C files as .clang-format says, and writes the tables of docs/map.md; with --check only says which ones differ. The layout is that of
# clang-format 14: another version is fine for writing, but not for checking, so the check is skipped (77) there.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=clang-format-14
if ! command -v $tool >/dev/null; then
    if [ "${1:-}" = --check ]; then echo "skipped: no clang-format-14 here" && exit 77; fi
    tool=clang-format
    command -v $tool >/dev/null || { echo "Install clang-format-14 first: tools/setup.sh test does." >&2 && exit 1; }
fi
mapfile -t files < <(find include src db cli tests bench examples -name '*.[ch]' 2>/dev/null | sort)
if [ "${1:-}" = --check ]; then
    $tool --dry-run --Werror "${files[@]}" || { echo "Run make format." >&2 && exit 1; }
else
    $tool -i "${files[@]}"
    tools/map.py --write
fi
