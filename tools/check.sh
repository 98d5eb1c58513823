#!/usr/bin/env bash
# Builds and runs all tests (check.sh), the long ones (check.sh long), or those that are quick, in the release build alone
# (check.sh fast), and ends with one line that adds them up.
#
# Three builds, three questions: release (is it right as shipped?), asan (does it touch what it must not, also when
# fed nonsense?), tsan (do its threads race?). What this machine lacks is skipped with a reason, unless
# MEGURI_REQUIRE_ALL=1, which makes a skip a failure.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
reports=$PWD/build/check
passed=0 failed=0 skipped=0

fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
}

# Names and sizes of all files outside build/: a test that leaves something behind, or changes a file, shows here.
tree() { find . \( -path ./build -o -path ./.git \) -prune -o -type f -printf '%p %s\n' | LC_ALL=C sort; }
before=$(tree)
mkdir -p "$reports"
TMPDIR=$(mktemp -d "$reports/tmp.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# Sanitizers of clang 14 fail at random under the strong address randomisation of newer kernels: without it, then.
calm() { if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi; }

build() {
    echo "=== building: $1"
    tools/build.sh "$1" </dev/null || { fail "the build of $1" && return 1; }
}

# tests NAME CTEST-ARGUMENTS… runs ctest and adds its numbers to the sums.
tests() {
    local report=$reports/$1.xml code ran=0 bad=0 omitted=0
    echo "=== testing: $1"
    rm -f "$report"
    calm ctest "${@:2}" --output-junit "$report" -j "$jobs" </dev/null
    code=$?
    if ! read -r ran bad omitted < <(tools/junit.py "$report") || [ "$((ran + bad + omitted))" = 0 ]; then
        fail "the tests of $1 did not run (ctest ended with $code)"
        return
    fi
    passed=$((passed + ran)) failed=$((failed + bad))
    if [ "${MEGURI_REQUIRE_ALL:-}" = 1 ]; then
        for ((; omitted > 0; omitted--)); do fail "a test of $1 was skipped, which MEGURI_REQUIRE_ALL=1 forbids"; done
    fi
    skipped=$((skipped + omitted))
    if [ "$code" != 0 ] && [ "$bad" = 0 ]; then fail "ctest ended with $code in $1"; fi
}

if [ "${1:-}" = long ]; then
    build release && tests long-release --preset release-long
    build asan && tests long-asan --preset asan-long
elif [ "${1:-}" = fast ]; then
    build release && tests fast --preset release-fast
else
    build release && tests release --preset release
    build asan && tests asan --preset asan
    build tsan && tests tsan --preset tsan
fi

echo "=== leftovers"
left=$(diff <(echo "$before") <(tree) | grep '^[<>]'; find "$TMPDIR" -mindepth 1)
if [ -z "$left" ]; then
    passed=$((passed + 1))
else
    fail "the tests left or changed files: $left"
fi

echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
