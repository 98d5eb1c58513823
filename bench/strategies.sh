#!/usr/bin/env bash
# Figures 4 to 8 of paper P3 from runs of our own: searches by every strategy in turn on road-like grids of 310 thousand and 1.43 million vertices,
# and on the larger one adaptive with a range of thresholds; then the page that `meguri report` makes of them.
#
#     bench/strategies.sh [SOURCES [FOLDER [BUILD]]]
#
# SOURCES: searches of each kind (20; the paper's 1000 take hours on two cores). FOLDER: where graphs, traces and strategies.html go (a new one in
# $TMPDIR). BUILD: folder of the programs (build/release). THRESHOLDS: upwards, in microseconds; down is a twentieth less.
set -euo pipefail
sources=${1:-20} folder=${2:-$(mktemp -d)} build=${3:-build/release}
thresholds=${THRESHOLDS:-500 1000 2000 4000 8000 16000 32000}
mkdir -p "$folder"
make_graph() { # NAME SIDE LINKS
    [ -e "$folder/$1.meg" ] || "$build/meguri" gen grid --width "$2" --height "$2" --links "$3" --quiet -o "$folder/$1.meg"
}
measure() { # NAME STRATEGY…
    echo "$1:"
    MEGURI_TRACE=$folder/$1.json "$build/bench_strategies" "$folder/$1.meg" "$sources" "${@:2}"
}
make_graph 310k 557 4352
make_graph 1430k 1195 20000
sweep=()
for up in $thresholds; do sweep+=("adaptive@$up:$((up - up / 20))"); done
measure 310k all selected adaptive near-far
measure 1430k all selected adaptive near-far "${sweep[@]}"
"$build/meguri" report "$folder/310k.json" "$folder/1430k.json" -o "$folder/strategies.html"
