#!/usr/bin/env python3
"""bench_sizes.py GRAPH.meg [FOLDER]: what a graph takes in Neo4j and as a cache (paper P5, table 2), and paths by Neo4j's own
finders beside ours (section 2.3): the store on disk, the memory of the server's process after everything has been read
once, GDS's projection, the file of the cache by parts, and its resident memory while it is searched. FOLDER has the
database from an earlier run, or keeps it. GDS_JARS names a folder with lib/, the jars of Neo4j and GDS (org.neo4j.gds:proc and
opengds-extension, as `mvn dependency:copy-dependencies` fetches them), and plugins/, those of org.neo4j.gds again;
without it there is no projection. MEGURI names the command."""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

import databases

MEGURI = os.environ.get("MEGURI", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "release", "meguri"))
PAIRS = 10


def show(what, size, edges, note=""):
    print(f"{what:44} {size / 1e6:10.1f} MB {size / edges:8.2f} bytes a relationship {note}", flush=True)


def pull(uri, path, *words):
    return json.loads(databases.command(MEGURI, "pull", uri, "--json", "-o", path, *words, env=databases.account()))


def resident(*words):
    """The most that a process had, which includes what it had mapped and touched."""
    child = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL)
    _, code, usage = os.wait4(child.pid, 0)
    if code:
        sys.exit(f"{words} failed")
    return usage.ru_maxrss << 10


def projection(server, edges):
    server.run(0, "CALL gds.graph.project('g', '*', {EDGE: {properties: 'weight'}}) YIELD graphName RETURN graphName")
    size = int(server.run(0, "CALL gds.graph.list('g') YIELD sizeInBytes RETURN sizeInBytes")[0][0])
    show("GDS's projection, with weights", size, edges)
    server.run(0, "CALL gds.graph.drop('g') YIELD graphName RETURN graphName")


def least_factor(server):
    """What a unit of the coordinates costs at least, so that Neo4j's A* never estimates too much; ours finds that itself."""
    lengths = "sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)"
    return 0.999999 * float(server.run(0, f"MATCH (a)-[r]->(b) WITH r.weight AS w, {lengths} AS l WHERE l > 0 RETURN min(w / l)")[0][0])


def median(values):
    return statistics.median(values)


def paths(server, cache, coordinates):
    """Milliseconds of random pairs, warm: Neo4j's finders in its own process, ours in one process for all pairs."""
    info = json.loads(databases.command(MEGURI, "info", cache, "--json"))
    draw = random.Random(1)
    pairs = [draw.sample(range(info["first_id"], info["last_id"] + 1), 2) for _ in range(PAIRS)]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(f"{a} {b}\n" for a, b in pairs))
        file.flush()
        factor = coordinates and least_factor(server)
        for name, kind, more in (("Dijkstra", "dijkstra", ()), ("A*", "astar", ("x", "y", factor)))[:1 + coordinates]:
            theirs, costs = [], []
            for a, b in pairs[:2] + pairs:  # the first ones warm it up
                cost, microseconds = server.path(0, kind, a, b, "weight", 1, *more)
                theirs.append(float(microseconds) / 1e3)
                costs.append(cost)
            done = [json.loads(line) for line in databases.command(MEGURI, "path", cache, "--pairs", file.name, "--algorithm", kind, "--json",
                                                                   "--threads", 1).splitlines()]
            answers = [a for d in done for a in d.get("answers", [d])]
            ours = [1e3 * a["seconds"] for a in answers]
            found = [a["paths"][0]["cost"] if a["paths"] else None for a in answers]
            same = sum(x == "none" if y is None else abs(float(x) - y) <= 1e-9 * y for x, y in zip(costs[2:], found))
            print(f"{name}: Neo4j {median(theirs[2:]):.2f} ms, meguri {median(ours):.3f} ms (medians of {PAIRS} pairs): "
                  f"{median(theirs[2:]) / median(ours):.1f} times; costs equal in {same}", flush=True)


def measure(folder):
    jars = os.environ.get("GDS_JARS")
    server = databases.serve(folder, jars=jars)
    try:
        uri = databases.uris(server)[0]
        with tempfile.TemporaryDirectory(prefix="meguri-bench-") as here:
            cache = os.path.join(here, "c.meg")
            coordinates = server.run(0, "MATCH (n) WITH n LIMIT 1 RETURN n.x IS NOT NULL")[0][0] == "true"
            found = pull(uri, cache, "--weight", "weight", *(["--x", "x", "--y", "y"] if coordinates else []))
            edges, vertices = found["edges"], found["vertices"]
            print(f"{vertices} nodes, {edges} relationships", flush=True)
            show("Neo4j's store on disk", databases.on_disk(folder)[0], edges)
            show("Neo4j's process, resident", databases.resident(server.process.pid), edges, f"(heap {databases.HEAP} MB, pages {databases.PAGES} MB)")
            if jars:
                projection(server, edges)
            show("the cache, with ids and rows backwards", found["file_bytes"], edges)
            plain = os.path.join(here, "p.meg")
            databases.command(MEGURI, "convert", cache, "-o", os.path.join(here, "p.wel"), "-q")
            databases.command(MEGURI, "build", os.path.join(here, "p.wel"), "--keep-duplicates", "--keep-loops", "-o", plain, "-q")
            show("a graph of ends and weights alone", os.path.getsize(plain), edges, "(like GDS's projection)")
            ids = [0, vertices // 2]
            show("resident while a path is searched", resident(MEGURI, "path", cache, "--from", ids[0], "--to", ids[1], "--algorithm", "dijkstra"), edges)
            show("… in the graph of ends and weights alone", resident(MEGURI, "path", plain, "--from", ids[0], "--to", ids[1], "--algorithm", "dijkstra"), edges)
            show("… a process that searches nothing", resident(MEGURI, "--version"), edges)
            paths(server, cache, coordinates)
    finally:
        server.close()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="meguri-bench-") as folder:
        folder = sys.argv[2] if len(sys.argv) > 2 else folder
        if not os.path.isdir(os.path.join(folder, "home0")):
            print(f"loaded in {databases.load(MEGURI, sys.argv[1], folder):.1f} s")
        measure(folder)


if __name__ == "__main__":
    main()
