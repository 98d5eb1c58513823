"""Every file of the folder of real graphs: read by meguri, and by the plain readers below, arc for arc."""
import gzip
import json
import lzma
import os
import re
import subprocess
import sys

PROBE = sys.argv[1]
# Under a sanitizer large files take minutes and show nothing that small ones do not.
LARGEST = 100_000 if len(sys.argv) > 3 and sys.argv[3] else 1 << 40
DATA = os.environ.get("MEGURI_DATA") or os.path.join(sys.argv[2], "..", "shared", "data")


def lines_of(path):
    opener = gzip.open if path.endswith(".gz") else lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


class Graph:
    """Vertices in the user's order, edges as they are listed."""

    def __init__(self, directed):
        self.directed, self.weighted, self.named, self.edges = directed, False, [], []

    def rows(self):
        strings = any(type(u) is str or type(v) is str for u, v, _ in self.edges)
        order = dict.fromkeys(self.named)
        for u, v, _ in self.edges:
            order[u] = order[v] = None
        vertices = list(order) if strings else sorted(order)
        place = {v: i for i, v in enumerate(vertices)}
        table = {v: {} for v in vertices}
        for u, v, w in self.edges:
            if u != v:
                row = table[u]
                row[v] = min(w, row.get(v, w))
                if not self.directed:
                    row = table[v]
                    row[u] = min(w, row.get(u, w))
        for u in vertices:
            row = table[u]
            ends = sorted(row, key=place.get if strings else None)
            yield u, [(v, row[v]) for v in ends]


def edge_list(path):
    graph = Graph(True)
    for line in lines_of(path):
        words = line.split()
        if words and words[0][0] not in "#%":
            graph.weighted = len(words) == 3
            graph.edges.append((words[0], words[1], float(words[2]) if graph.weighted else 1.0))
    whole = re.compile(r"-?\d+").fullmatch
    if all(whole(end) for end in {end for u, v, _ in graph.edges for end in (u, v)}):
        graph.edges = [(int(u), int(v), w) for u, v, w in graph.edges]
    return graph


def matrix(path):
    lines = lines_of(path)
    banner = lines[0].lower().split() if lines[0].startswith("%%") else "x matrix coordinate real general".split()
    kind = next((line.split()[2] for line in lines if line.lower().startswith("%%graphblas type")), None)
    body = [line.split() for line in lines if line.strip() and line[0] != "%"]
    assert len(body) - 1 == int(body[0][2])
    graph = Graph(banner[4] == "general")
    graph.named = range(1, int(body[0][0]) + 1)
    graph.weighted = banner[3] != "pattern"
    for words in body[1:]:
        value = float(words[2]) if graph.weighted else 1.0
        if kind == "bool":
            value = float(value != 0)
        graph.edges.append((int(words[0]), int(words[1]), value))
    return graph


def dimacs(path):
    graph = Graph(True)
    for line in lines_of(path):
        words = line.split()
        if words and words[0] == "p":
            graph.named = range(1, int(words[2]) + 1)
            graph.directed = words[1] == "sp"
        elif words and words[0] == "a":
            graph.weighted = True
            graph.edges.append((int(words[1]), int(words[2]), float(words[3])))
        elif words and words[0] != "c":
            graph.edges.append((int(words[0]), int(words[1]), 1.0))
    return graph


def metis(path):
    lines = [line for line in lines_of(path) if not line.startswith("%")]
    header = lines[0].split()
    count, promised = int(header[0]), int(header[1])
    graph = Graph(False)
    graph.weighted = len(header) > 2 and header[2][-1] == "1"
    graph.named = range(1, count + 1)
    for vertex, line in enumerate(lines[1:count + 1], 1):
        words = line.split()
        step = 2 if graph.weighted else 1
        for i in range(0, len(words), step):
            graph.edges.append((vertex, int(words[i]), float(words[i + 1]) if graph.weighted else 1.0))
    assert len(graph.edges) in (promised, 2 * promised), path
    if len(graph.edges) == 2 * promised:
        assert {e for e in graph.edges} == {(v, u, w) for u, v, w in graph.edges}
        graph.edges = [e for e in graph.edges if e[0] < e[1]]
    return graph


def adjacency(path):
    graph = Graph(True)
    for line in lines_of(path):
        words = [int(word) for word in line.split()]
        graph.named += words[:1]
        graph.edges += [(words[0], word, 1.0) for word in words[1:]]
    return graph


def ldbc(path):
    graph = edge_list(path)
    graph.named = [int(line) for line in lines_of(path[:-1] + "v")]
    return graph


def coordinates(path):
    return {int(w[1]): (float(w[2]), float(w[3])) for w in map(str.split, lines_of(path)) if w and w[0] == "v"}


def reader_of(name):
    base = os.path.basename(name)
    if name.startswith("ldbc/"):
        return ("ldbc", ldbc) if name.endswith(".e") else ("adj", adjacency)
    if base in ("karate_str.mtx",):
        return "auto", edge_list
    if base == "karate_mod.mtx":
        return "auto", adjacency # its last lines name vertices without edges
    if ".mtx" in base:
        return "auto", matrix
    if ".graph" in base:
        return "auto", metis
    if ".gr" in base:
        return "auto", dimacs
    return "auto", edge_list


# What cannot be a graph (or not with weights), and what the sentence must say.
REFUSED = {
    r"lagraph/data/mangled([1-9]|1\d)\.mtx": "",
    r"lagraph/data/mangled_(format|skew)\.mtx": "",
    r"lagraph/data/(comments_full|full|full_symmetric|complex)\.mtx": "an array is a full matrix",
    r"lagraph/data/full_noheader\.mtx": ":2: 1 column found",
    r"lagraph/data/(empty|lp_afiro|lp_afiro_structure|sources_7)\.mtx": "is not square",
    r"lagraph/data/(comments_west0067|matrix_fp32|matrix_fp64|skew_fp32|skew_fp64)\.mtx": "is not finite",
    r"lagraph/data/(matrix_int64|matrix_uint64|skew_int64)\.mtx": "cannot hold exactly",
    r"cugraph/ref/katz/.*": ":1: 1 column found",
    r".*\.co\.gz": "is a file of coordinates",
    r".*\.pbf": "is OSM PBF, which is not read",
    r"rail/japan-rail-stations\.csv\.gz": "no columns are named source and target among the 6",
}
# Not meant as graphs at all.
IGNORED = r"README.md|REFERENCE.json|.*LICENSE.*|.*EXPECTED.json|.*/pushpull.m|.*/comments.txt|gap/reference/.*|" \
          r"ldbc/(config-template|matching)/.*|ldbc/.*(-output|-(BFS|CDLP|LCC|PR|SSSP|WCC)|\.v)|.*\.gr\.md5"

failures, edges_read = [], {}


def probe(*words):
    result = subprocess.run([PROBE, *map(str, words)], capture_output=True, timeout=300)
    if result.returncode:
        raise RuntimeError(f"probe {words}: {result.returncode} {result.stderr.decode()[-2000:]}")
    return result.stdout.decode("utf-8").splitlines()


def text_of(graph, coords):
    arcs, edges, isolated, count, out = 0, 0, 0, 0, []
    place, touched = {}, set()
    rows = list(graph.rows())
    for i, (u, _) in enumerate(rows):
        place[u] = i
    for u, ends in rows:
        words = [str(u)]
        if coords:
            words.append("@%.17g,%.17g" % coords.get(u, (float("nan"), float("nan"))))
        words += ["%s(%.17g)" % end for end in ends] if graph.weighted else [str(v) for v, _ in ends]
        arcs += len(ends)
        edges += len(ends) if graph.directed else sum(place[u] < place[v] for v, _ in ends)
        if ends:
            touched.add(u)
            touched.update(v for v, _ in ends)
        out.append(" ".join(words))
        count += 1
    isolated = count - len(touched)
    head = f"graph {int(graph.directed)} {count} {arcs} {edges} {len(graph.edges)} {isolated} {int(bool(coords))}"
    return [head] + out


def check(name, threads, coords_name=None):
    path = os.path.join(DATA, name)
    kind, read = reader_of(name)
    graph = read(path)
    coords = coordinates(os.path.join(DATA, coords_name)) if coords_name else {}
    found = probe(kind, 0, 1, threads, path, *([os.path.join(DATA, coords_name)] if coords_name else []))
    want = text_of(graph, coords)
    edges_read[name] = int(found[0].split()[5])
    if found != want:
        different = next((i for i, (a, b) in enumerate(zip(found, want)) if a != b), min(len(found), len(want)))
        failures.append(f"{name}: line {different}: {found[different:different + 1]} instead of {want[different:different + 1]}")


def main():
    if not os.path.isdir(DATA):
        print(f"skipped: {DATA} is missing")
        sys.exit(1 if os.environ.get("MEGURI_REQUIRE_ALL") == "1" else 77)
    names = sorted(os.path.relpath(os.path.join(folder, file), DATA) for folder, _, files in os.walk(DATA) for file in files)
    read = refused = 0
    for turn, name in enumerate(names):
        if re.fullmatch(IGNORED, name) or os.path.getsize(os.path.join(DATA, name)) > LARGEST:
            continue
        part = next((text for pattern, text in REFUSED.items() if re.fullmatch(pattern, name)), None)
        if part is not None:
            found = probe("auto", 0, 1, 2, os.path.join(DATA, name))
            if len(found) != 1 or not found[0].startswith("failed 3 ") or part not in found[0]:
                failures.append(f"{name}: {found[:1]} instead of a refusal with '{part}'")
            refused += 1
            if "finite" in part or "exactly" in part: # without weights they are graphs
                if not probe("auto", 0, 0, 2, os.path.join(DATA, name))[0].startswith("graph"):
                    failures.append(f"{name}: refused without weights")
            continue
        check(name, 1 + turn % 3)
        read += 1
    for name, coords in [("osm/monaco-d.gr.gz", "osm/monaco.co.gz"), ("rail/japan-rail.gr.gz", "rail/japan-rail.co.gz"),
                         ("osm/heidelberg-t.gr.gz", "osm/heidelberg.co.gz")]:
        if os.path.getsize(os.path.join(DATA, name)) <= LARGEST:
            check(name, 2, coords)
    with open(os.path.join(DATA, "REFERENCE.json")) as file:
        for name, facts in json.load(file).items():
            if edges_read.get(name, facts["m_lines"]) != facts["m_lines"]:
                failures.append(f"{name}: {edges_read[name]} edges instead of {facts['m_lines']}")
    print(f"{read} files read arc for arc, {refused} refused, {len(failures)} wrong")
    for failure in failures:
        print(failure)
    if read < 100 or refused < 30:
        failures.append("too few files were seen")
    sys.exit(1 if failures else 0)


main()
