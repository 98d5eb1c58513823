#!/usr/bin/env python3
"""bench_pull.py GRAPH.meg [TIMES [PULL'S OPTIONS…]]: how fast `meguri pull` gets relationships out of a real Neo4j that the
batch importer has filled, and who works meanwhile: processor time of the server and of our process as shares of the
time that the relationships took. MEGURI names the command."""
import json
import os
import subprocess
import sys
import tempfile
import time

import databases


def pull(meguri, words, server):
    """Seconds, and processor seconds of both, of one pull; what it says of itself."""
    before, start = databases.processor_seconds(server.process.pid), time.monotonic()
    process = subprocess.Popen([meguri, "pull", *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=databases.account())
    out = process.stdout.read()
    _, code, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    if code:
        sys.exit("pull failed")
    return seconds, databases.processor_seconds(server.process.pid) - before, usage.ru_utime + usage.ru_stime, json.loads(out)


def main():
    graph, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    meguri = os.environ.get("MEGURI", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "release", "meguri"))
    with tempfile.TemporaryDirectory(prefix="meguri-bench-") as folder:
        loading = databases.load(meguri, graph, folder)
        server = databases.serve(folder)
        try:
            print(f"loaded in {loading:.1f} s")
            for _ in range(times):
                words = [*databases.uris(server), "--weight", "weight", "-o", os.path.join(folder, "c.meg"), *sys.argv[3:]]
                seconds, theirs, ours, info = pull(meguri, words, server)
                phase = info["relationship_seconds"]
                print(f"{info['edges']} relationships in {phase:.2f} s, {info['edges'] / phase / 1e6:.2f} M/s; whole pull {seconds:.2f} s, "
                      f"processors: Neo4j {theirs:.2f} s, meguri {ours:.2f} s; {info['file_bytes'] / info['edges']:.1f} bytes an edge", flush=True)
        finally:
            server.close()


if __name__ == "__main__":
    main()
