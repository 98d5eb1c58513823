#!/usr/bin/env python3
"""bench_uncached.py GRAPH.meg [PARTS [SEARCHES [CUT…]]]: searches across the partitions of a graph, in real Neo4j databases
that the batch importer has filled, with and without a cache (bench_uncached.c): by the locality cut and by the random one.
MEGURI names the command; bench_uncached lies beside it."""
import os
import subprocess
import sys
import tempfile

import databases

HERE = os.path.dirname(os.path.abspath(__file__))


def measure(meguri, folder, parts, searches):
    server = databases.serve(folder, parts)
    try:
        for part in range(parts):
            server.run(part, "CREATE INDEX uid IF NOT EXISTS FOR (n:Vertex) ON (n.uid)")
            server.run(part, "CALL db.awaitIndexes(300)")
        words = [os.path.join(os.path.dirname(os.path.abspath(meguri)), "bench_uncached"), str(searches), "1", *databases.uris(server)]
        for state in ("first, as it comes", "again, warm"):
            print(f"-- {state}", flush=True)
            subprocess.run(words, env=databases.account(), check=True, timeout=900)
    finally:
        server.close()


def main():
    graph, parts, searches = sys.argv[1], *(int(word) for word in (sys.argv[2:4] + ["3", "3"][len(sys.argv[2:4]):]))
    meguri = os.environ.get("MEGURI", os.path.join(HERE, "..", "build", "release", "meguri"))
    for cut in sys.argv[4:] or ("locality", "random"):
        with tempfile.TemporaryDirectory(prefix="meguri-bench-") as folder:
            databases.load(meguri, graph, folder, parts, cut)
            print(f"{parts} parts, {cut} cut", flush=True)
            measure(meguri, folder, parts, searches)


if __name__ == "__main__":
    main()
