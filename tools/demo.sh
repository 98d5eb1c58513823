#!/usr/bin/env bash
# The main job on built-in data: generates the Graph500 graph of a million vertices, shows what it is, searches it from 64
# vertices, validates every tree, and writes a page that shows each step.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/demo
graph=build/demo/kronecker20.meg

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}
show build/release/meguri gen kronecker --scale 20 -o $graph
show build/release/meguri info $graph
show build/release/meguri graph500 --scale 20 --roots 64 --trace build/demo/trace.json
show build/release/meguri report build/demo/trace.json -o build/demo/report.html

cat <<END

That was a graph of the Graph500 benchmark: generated, sorted into rows, searched from 64 vertices, every tree validated.
The page build/demo/report.html shows each step of each search; open it in a browser.
Try next:
  build/release/meguri --help
  build/release/meguri bfs $graph --source 42 --check -o build/demo/steps.tsv
  build/release/meguri gen grid --width 500 --height 500 --links 100 -o build/demo/town.meg
  build/release/meguri build YOUR-EDGES.txt -o build/demo/yours.meg
  make check
END
