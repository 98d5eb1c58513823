#!/usr/bin/env bash
# large.sh COMMAND SCALE: a Kronecker graph made in memory, and made again on one thread within a budget that is far too
# small for it, are the same file; written as text and read back within the budget it has the same numbers.
set -euo pipefail
meguri=$1 scale=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# Four bytes for each edge; one takes eight on its way in, and as much again in the graph.
budget=$((16 * (1 << scale) * 4))

"$meguri" gen kronecker --scale "$scale" --quiet -o whole.meg
"$meguri" gen kronecker --scale "$scale" --threads 1 --memory $budget --quiet -o spilled.meg
cmp whole.meg spilled.meg || { echo "The graph made within $budget bytes is another one." && exit 1; }
rm spilled.meg
"$meguri" info whole.meg --check --json >whole.json

# As text, both ways of every edge; the vertices without an edge have no line.
"$meguri" convert whole.meg --quiet -o whole.el
rm whole.meg
"$meguri" build whole.el --directed --memory $budget --quiet -o back.meg
"$meguri" info back.meg --check --json >back.json
python3 - <<'END'
import json

whole, back = json.load(open("whole.json")), json.load(open("back.json"))
assert back["arcs"] == whole["arcs"], (whole, back)
assert back["vertices"] == whole["vertices"] - whole["isolated"], (whole, back)
assert back["degrees"]["max"] == whole["degrees"]["max"], (whole, back)
END
echo "scale $scale: the same within $budget bytes"
