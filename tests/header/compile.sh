#!/usr/bin/env bash
# compile.sh gcc|clang c11|c++17 INCLUDE-FOLDER: compiles each public header alone, twice over (its guard), strictly.
set -euo pipefail
compiler=$1 language=$2 folder=$3

candidates=("$compiler")
if [ "$compiler" = clang ]; then candidates=(${MEGURI_CLANG:-clang-14 clang}); fi
if [ "$language" = c++17 ]; then candidates=("${candidates[@]/#gcc/g++}") && candidates=("${candidates[@]/#clang/clang++}"); fi
tool=
for candidate in "${candidates[@]}"; do
    if command -v "$candidate" >/dev/null; then tool=$candidate && break; fi
done
if [ -z "$tool" ]; then
    echo "skipped: there is no ${candidates[*]} here"
    exit 77
fi

strict=(-pedantic-errors -Wall -Wextra -Wshadow -Wconversion -Wundef -Werror)
case $language in
c11) strict+=(-x c -std=c11 -Wstrict-prototypes -Wc++-compat) ;;
c++17) strict+=(-x c++ -std=c++17 -Wold-style-cast -Wzero-as-null-pointer-constant) ;;
esac
# The headers are found with -I, not -isystem: warnings in them count. The last line makes the unit non-empty.
compile() { printf '#include <%s>\n#include <%s>\nextern int nothing;\n' "$1" "$1" |
    "$tool" "${strict[@]}" -I "$2" -fsyntax-only -; }

# A header that needs another one first must be refused, else this test says nothing.
bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT
echo 'size_t bad(void);' >"$bad/bad.h"
if compile bad.h "$bad" 2>/dev/null; then
    echo "$tool takes a header that does not stand alone."
    exit 1
fi

count=0
while read -r header; do
    compile "$header" "$folder" || { echo "$header does not compile alone with $tool as $language." && exit 1; }
    count=$((count + 1))
done < <(cd "$folder" && find . -name '*.h' -printf '%P\n' | LC_ALL=C sort)
[ "$count" -ge 2 ] || { echo "Only $count headers were found in $folder." && exit 1; }
echo "$count headers compile alone with $tool as $language."
