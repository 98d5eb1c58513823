"""Breadth-first search of the folder of real graphs: known digests, the expected outputs of LDBC and LAGraph, and every
other graph there against a textbook search (which the probe does for all of them)."""
import array
import hashlib
import json
import os
import re
import subprocess
import sys

PROBE = sys.argv[1]
SANITIZED = len(sys.argv) > 3 and sys.argv[3]
# Under a sanitizer large files take minutes and show nothing that small ones do not.
LARGEST = 100_000 if SANITIZED else 1 << 40
THREADS = "2" if SANITIZED else "1,2,5"
DATA = os.environ.get("MEGURI_DATA") or os.path.join(sys.argv[2], "..", "shared", "data")
UNDIRECTED = "2"
UNREACHED = 9223372036854775807  # as LDBC writes it
failures = []


def probe(name, *sources, format="auto", direction="0"):
    result = subprocess.run([PROBE, format, direction, THREADS, os.path.join(DATA, name), *map(str, sources)],
                            capture_output=True, timeout=300)
    text = result.stdout.decode("utf-8")
    if result.returncode:
        failures.append(f"{name}: {result.returncode} {text[-500:]} {result.stderr.decode()[-2000:]}")
        return []
    return text.splitlines()


def answers(name, *sources, **how):
    """One for each source: None if there is no such vertex, else (reached, depth, {id: (level, parent)})."""
    lines, found = probe(name, *sources, **how), []
    for line in lines:
        words = line.split()
        if words[0] != "source":
            found[-1][2][int(words[0])] = int(words[1]), int(words[2])
        else:
            found.append(None if words[2] == "none" else (int(words[2]), int(words[3]), {}))
    if len(found) != len(sources):
        failures.append(f"{name}: {len(found)} answers to {len(sources)} sources: {lines[:1]}")
    return found


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: {found} instead of {wanted}")


def check_digests(name, facts):
    """The levels of the vertices 0 … n-1 as int32; ids that do not occur count as unreached."""
    first = 1 if facts["kind"] in ("gr", "tw") else 0
    sources = list(facts["bfs"])
    how = {"direction": UNDIRECTED} if facts["kind"] == "snapu" else {}
    for source, answer in zip(sources, answers(name, *(int(s) + first for s in sources), **how)):
        levels = array.array("i", [-1]) * facts["n"]
        if answer:
            for vertex, (level, _) in answer[2].items():
                levels[vertex - first] = level
        else:  # a search from a vertex that no edge touches
            answer = 1, 0, {}
            levels[int(source)] = 0
        if sys.byteorder == "big":
            levels.byteswap()
        found = {"reached": answer[0], "depth": answer[1], "sha256": hashlib.sha256(levels.tobytes()).hexdigest()}
        expect(f"{name} from {source}", found, facts["bfs"][source])


def properties(name):
    with open(os.path.join(DATA, "ldbc/config-template/graphs", name + ".properties")) as file:
        return dict(map(str.strip, line.split("=", 1)) for line in file if "=" in line and not line.startswith("#"))


def check_ldbc():
    graphs = [("test-bfs-directed", "bfs/dir-input", "bfs/dir-output", "adj"),
              ("test-bfs-undirected", "bfs/undir-input", "bfs/undir-output", "adj"),
              ("example-directed", "example/example-directed.e", "example/example-directed-BFS", "ldbc"),
              ("example-undirected", "example/example-undirected.e", "example/example-undirected-BFS", "ldbc")]
    for name, edges, output, format in graphs:
        settings = properties(name)
        source = settings[f"graph.{name}.bfs.source-vertex"]
        direction = "1" if settings[f"graph.{name}.directed"] == "true" else UNDIRECTED
        folder = "ldbc/validation-graphs/"
        with open(os.path.join(DATA, folder + output)) as file:
            wanted = {int(vertex): int(level) for vertex, level in map(str.split, file)}
        for answer in answers(folder + edges, source, format=format, direction=direction):
            levels = {v: level if level >= 0 else UNREACHED for v, (level, _) in answer[2].items()}
            expect(name, levels, wanted)


def check_lagraph():
    with open(os.path.join(DATA, "lagraph/EXPECTED.json")) as file:
        known = json.load(file)["bfs_karate_source30"]
    for _, _, rows in answers("lagraph/data/karate.mtx", 31):  # matrices count from 1
        expect("karate", [rows[v + 1][0] for v in range(len(rows))], known["levels"])
        for v, parents in enumerate(known["valid_parents"]):
            if rows[v + 1][1] - 1 not in parents:
                failures.append(f"karate: {v} has the parent {rows[v + 1][1] - 1}, none of {parents}")


# Not meant as graphs.
IGNORED = r".*(README.md|LICENSE.*|\.json|\.m|\.md5|\.pbf|\.co\.gz|stations\.csv\.gz|comments\.txt)|gap/reference/.*|" \
          r"ldbc/(config-template|matching)/.*|ldbc/.*(-output|-(BFS|CDLP|LCC|PR|SSSP|WCC)|\.v)|cugraph/ref/.*"


def check_all_others(done):
    names = sorted(os.path.relpath(os.path.join(folder, file), DATA) for folder, _, files in os.walk(DATA) for file in files)
    compared = 0
    for name in names:
        if name in done or re.fullmatch(IGNORED, name) or os.path.getsize(os.path.join(DATA, name)) > LARGEST:
            continue
        format = "ldbc" if name.endswith(".e") else "adj" if name.startswith("ldbc/") else "auto"
        lines = probe(name, format=format)
        if lines and not lines[0].startswith(("compared", "refused 3 ")):
            failures.append(f"{name}: {lines[:1]}")
        compared += bool(lines) and lines[0].startswith("compared")
    return compared


def main():
    if not os.path.isdir(DATA):
        print(f"skipped: {DATA} is missing")
        sys.exit(1 if os.environ.get("MEGURI_REQUIRE_ALL") == "1" else 77)
    with open(os.path.join(DATA, "REFERENCE.json")) as file:
        reference = {name: facts for name, facts in json.load(file).items() if "bfs" in facts}
    small = {n: facts for n, facts in reference.items() if os.path.getsize(os.path.join(DATA, n)) <= LARGEST}
    for name, facts in small.items():
        check_digests(name, facts)
    check_ldbc()
    check_lagraph()
    compared = check_all_others(reference)
    print(f"{len(small)} graphs with digests, {compared} others, {len(failures)} wrong")
    for failure in failures:
        print(failure)
    if compared < 60 or not small:
        failures.append("too few graphs were seen")
    sys.exit(1 if failures else 0)


main()
