#!/usr/bin/env bash
# fuzz.sh FUZZER CORPUS-MAKER ARTIFACTS short|long: makes a small corpus, runs the fuzzer on it (long: for FUZZ_SECONDS),
# removes it. An input that breaks something stays in the folder ARTIFACTS.
set -euo pipefail
fuzzer=$1 maker=$2 artifacts=$3
case $4 in
short) length=-runs=1500 ;;
long) length=-max_total_time=${FUZZ_SECONDS:-600} ;;
esac
corpus=$(mktemp -d "${TMPDIR:-/tmp}/meguri-fuzz.XXXXXX")
trap 'rm -rf "$corpus"' EXIT
mkdir -p "$artifacts"
"$maker" "$corpus" 29
rm "$corpus"/*.txt
"$fuzzer" -seed=1 -max_len=65536 -timeout=20 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$artifacts/" "$length" "$corpus"
