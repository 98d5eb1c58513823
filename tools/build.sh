#!/usr/bin/env bash
# Configures and builds one preset on all processors: build.sh release|debug|asan|tsan [MORE CMAKE ARGUMENTS]. Quiet unless
# something is wrong; what is missing is said before CMake, whose last words about it are of something else.
set -euo pipefail
cd "$(dirname "$0")/.."

missing() {
    echo "tools/build.sh: $1 is missing; $2." >&2
    exit 1
}
is_there() { command -v "$1" >/dev/null; }

is_there cmake || missing cmake "tools/setup.sh build installs it"
is_there ninja || missing "ninja (package ninja-build)" "tools/setup.sh build installs it"
case "${1:-}" in
asan | tsan) # as cmake/clang.cmake looks for it
    if [ -n "${MEGURI_CLANG:-}" ]; then
        is_there "$MEGURI_CLANG" || missing "$MEGURI_CLANG, which MEGURI_CLANG names," "name a clang that is there, or unset MEGURI_CLANG"
    elif ! is_there clang-14 && ! is_there clang; then
        missing "clang, which the preset $1 needs," "tools/setup.sh test installs it; MEGURI_CLANG names one under another name"
    fi
    ;;
release | debug) ;;
*) echo "usage: tools/build.sh release|debug|asan|tsan [MORE CMAKE ARGUMENTS]" >&2 && exit 2 ;;
esac

mkdir -p build
log=build/configure-$1.log
if ! cmake --preset "$@" >"$log" 2>&1; then
    cat "$log"
    # What a first, failed attempt noted about the compiler would spoil the next one.
    if [ ! -e "build/$1/build.ninja" ]; then rm -rf "build/${1:?}"; fi
    exit 1
fi
cmake --build --preset "$1"
