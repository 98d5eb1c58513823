#!/usr/bin/env bash
# fuzz.sh FUZZER SEEDS ARTIFACTS short|long: runs a fuzzer on a copy of its seeds (short: about five seconds, long: for
# FUZZ_SECONDS), removes it. An input that breaks something stays in the folder ARTIFACTS.
set -euo pipefail
fuzzer=$1 seeds=$2 artifacts=$3
case $4 in
short) seconds=5 ;;
long) seconds=${FUZZ_SECONDS:-600} ;;
esac
corpus=$(mktemp -d "${TMPDIR:-/tmp}/meguri-fuzz.XXXXXX")
trap 'rm -rf "$corpus"' EXIT
mkdir -p "$artifacts"
cp "$seeds"/* "$corpus"
"$fuzzer" -seed=1 -max_len=4096 -timeout=20 -rss_limit_mb=4096 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="$artifacts/" -max_total_time="$seconds" "$corpus"
