#!/bin/sh
# Compiles a program with the library, in a folder of its own, and runs it: build.sh COMPILER SOURCE BUILD INCLUDE [OPTIONS…]
set -eu
compiler=$1 source=$2 build=$3 include=$4
shift 4
command -v "$compiler" >/dev/null || { echo "skipped: no compiler $compiler"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$compiler" "$@" -g -O1 -Wall -Wextra -Werror -I "$include" "$source" -o "$folder/program" -L "$build" -lmeguri -pthread \
    -Wl,-rpath,"$build"
"$folder/program"
