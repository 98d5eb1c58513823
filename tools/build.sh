#!/usr/bin/env bash
# Configures and builds one preset on all processors: build.sh release|debug|asan|tsan [MORE CMAKE ARGUMENTS]. Quiet unless
# something is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
log=build/configure-$1.log
if ! cmake --preset "$@" >"$log" 2>&1; then
    cat "$log"
    # What a first, failed attempt noted about the compiler would spoil the next one.
    if [ ! -e "build/$1/build.ninja" ]; then rm -rf "build/${1:?}"; fi
    exit 1
fi
cmake --build --preset "$1"
