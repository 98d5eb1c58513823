#!/usr/bin/env bash
# The main job on built-in data: generates the Graph500 graph of a million vertices, shows what it is.
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

cat <<END

That was a graph like those of the Graph500 benchmark, generated, sorted into rows and written as one file.
Try next:
  build/release/meguri --help
  build/release/meguri gen grid --width 500 --height 500 --links 100 -o build/demo/town.meg
  build/release/meguri convert build/demo/town.meg -o build/demo/town.gr.gz
  build/release/meguri build YOUR-EDGES.txt -o build/demo/yours.meg
  make check
END
