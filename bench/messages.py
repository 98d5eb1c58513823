#!/usr/bin/env python3
"""Figures 10 to 18 of paper P4 (SendAll), from our counts and runs. Figures 14 to 17 are counts; of the others only what
is marked "measured" has been measured: beyond two workers, times are those of a MODEL that is fed with counts.

    bench_messages rmat 26 > rmat.tsv                    # counts, and the same for uniform
    messages.py measure --meguri PATH --scale 20 --graphs FOLDER --program pagerank --graph rmat >> runs.jsonl
    messages.py draw --rmat rmat.tsv --uniform uniform.tsv --runs runs.jsonl --svg docs

`measure` runs a program with two workers of one thread each, by each of the paper's deliveries, and prints the fastest
of some runs by its parts; graphs are made in FOLDER where they are not there yet (--only-graphs: nothing else).

The model, for weak scaling: a worker has as many edges as in the measured run, and computes as long. Each message of
normal delivery, and each before combining, takes as long as measured; after combining, the share that the counts say;
SendAll takes before and after an exchange the time of its bytes, bits included. Communication is bytes over bandwidth
(--bandwidth, assumed). Counts for each edge do not depend on the scale by more than their third digit."""
import argparse
import json
import os
import subprocess
import sys

from plot import bars, plot

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = {"pagerank": "examples/pregel/pagerank.c", "bfs": "bench/paper_search.c"}
DELIVERIES = {"normal": "Naive", "combine": "Combiner", "sendall": "SendAll", "sendall-sopt": "SendAll+Sopt"}
PARTS = ("compute", "before", "communication", "after")
WORKERS = (2, 4, 8, 16, 32, 64)


# ---- runs -----------------------------------------------------------------------------------------------------------
def graph_of(options, graph, program):
    """Duplicates and loops kept; doubled for the search."""
    path = os.path.join(options.graphs, f"{graph}-{program}-{options.scale}.meg")
    if not os.path.exists(path):
        kind = ["uniform", "--vertices", str(1 << options.scale), "--edges", str(16 << options.scale)]
        if graph == "rmat":
            kind = ["rmat", "--scale", str(options.scale), "--a", ".45", "--b", ".15", "--c", ".15", "--scramble"]
        way = "--undirected" if program == "bfs" else "--directed"
        subprocess.run([options.meguri, "gen", *kind, way, "--keep-duplicates", "--keep-loops", "-q", "-o", path], check=True)
    return path


def measure(options):
    path = graph_of(options, options.graph, options.program)
    if options.only_graphs:
        return
    for delivery in DELIVERIES:
        runs = []
        for _ in range(options.times):
            command = [options.meguri, "run", os.path.join(ROOT, PROGRAMS[options.program]), path, "--workers", "2",
                       "--threads", "2", "--delivery", delivery, "--json", "--", "3" if options.program == "pagerank" else "1"]
            facts = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            runs.append({part: facts["seconds_" + part] for part in PARTS})
        line = {"program": options.program, "graph": options.graph, "scale": options.scale, "delivery": delivery}
        line.update(min(runs, key=lambda run: sum(run.values())))
        print(json.dumps(line), flush=True)


# ---- counts ---------------------------------------------------------------------------------------------------------
class Counts:
    """What bench_messages has counted of a graph: messages and bytes by program, delivery and workers."""

    def __init__(self, path):
        self.rows = {}
        with open(path, encoding="utf-8") as file:
            names = next(file).rstrip("\n").split("\t")
            for text in file:
                row = dict(zip(names, text.rstrip("\n").split("\t")))
                self.rows[row["program"], int(row["workers"])] = {k: int(v) for k, v in row.items() if k != "program"}
        self.edges = self.rows["pagerank", 1]["normal_messages"]
        self.scale = self.edges.bit_length() - 5

    def line(self, program, delivery, what):
        """Points by workers, from 2 on."""
        return [(w, row[f"{delivery}_{what}"]) for (p, w), row in sorted(self.rows.items()) if p == program and w > 1]

    def of_edge(self, program, delivery, workers, what):
        return self.rows[program, workers][f"{delivery}_{what}"] / self.edges


# ---- the model ------------------------------------------------------------------------------------------------------
def seconds(counts, run, workers, bandwidth):
    """The parts of a run's time on more workers, each with as many edges as one of the measured two."""
    if workers == 2:
        return [run[part] for part in PARTS]
    program, delivery = run["program"], run["delivery"]

    def grown(what):
        return counts.of_edge(program, delivery, workers, what) / counts.of_edge(program, delivery, 2, what)
    before, after = {"normal": (1, 1), "combine": (1, grown("messages"))}.get(delivery, (grown("bytes"),) * 2)
    edges = (16 << run["scale"]) / 2
    exchanges = 3 if program == "pagerank" else 1  # a search was counted whole
    sent = counts.of_edge(program, delivery, workers, "bytes") * edges * exchanges * (workers - 1) / workers
    return [run["compute"], run["before"] * before, sent / bandwidth, run["after"] * after]


def draw_times(options, counts, runs):
    names = {"pagerank": "PageRank, 3 iterations", "bfs": "Breadth-first search"}
    for number, program, graph in ((10, "pagerank", "rmat"), (11, "pagerank", "uniform"), (12, "bfs", "rmat"), (13, "bfs", "uniform")):
        chosen = [r for r in runs if (r["program"], r["graph"]) == (program, graph)]
        if not chosen or graph not in counts:
            continue
        lines = [(DELIVERIES[r["delivery"]], [(w, sum(seconds(counts[graph], r, w, options.bandwidth))) for w in WORKERS], False)
                 for r in chosen]
        plot(os.path.join(options.svg, f"pregel-{number}.svg"), f"{names[program]}, {graph.replace('rmat', 'R-MAT')} (P4, figure {number})",
             f"seconds, weak scaling from scale {chosen[0]['scale']}", lines, [line[1][0] for line in lines],
             note="from 4 on a model", over="workers")


def draw_counts(options, counts):
    for number, program, what in ((14, "bfs", "messages"), (15, "bfs", "bytes"), (16, "pagerank", "messages"), (17, "pagerank", "bytes")):
        names = dict(DELIVERIES, ghost="ghosts (ours)", mirror="mirrors")
        if what == "messages":  # of ghosts as many as of SendAll
            del names["sendall-sopt"], names["ghost"]
        lines = [(name, counts.line(program, delivery, what), False) for delivery, name in names.items()]
        if lines[0][1]:
            title = "Search" if program == "bfs" else "PageRank"
            plot(os.path.join(options.svg, f"pregel-{number}.svg"), f"{title}, R-MAT (P4, figure {number})",
                 f"{what} of {'a search' if program == 'bfs' else 'a superstep'}, scale {counts.scale}", lines, note="counted",
                 over="workers")


def draw(options):
    counts = {name: Counts(path) for name, path in (("rmat", options.rmat), ("uniform", options.uniform)) if path}
    with open(options.runs, encoding="utf-8") as file:
        runs = [json.loads(text) for text in file]
    draw_times(options, counts, runs)
    draw_counts(options, counts["rmat"])
    rows = []
    for workers in (2, 32):
        for run in runs:
            if run["program"] == "pagerank" and run["graph"] == "rmat" and run["delivery"] != "sendall-sopt":
                rows.append((f"{DELIVERIES[run['delivery']]}, {workers}", seconds(counts["rmat"], run, workers, options.bandwidth)))
    if rows:
        bars(os.path.join(options.svg, "pregel-18.svg"), "Where the time of PageRank goes, R-MAT (P4, figure 18)",
             f"seconds of 3 iterations by delivery and workers, weak scaling; {options.bandwidth / 1e9:g} GB/s a worker assumed",
             PARTS, rows, "2: measured; 32: a model")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    one = verbs.add_parser("measure")
    one.add_argument("--meguri", required=True)
    one.add_argument("--scale", type=int, default=20)
    one.add_argument("--graphs", required=True, metavar="FOLDER")
    one.add_argument("--program", choices=PROGRAMS, required=True)
    one.add_argument("--graph", choices=("rmat", "uniform"), required=True)
    one.add_argument("--times", type=int, default=2)
    one.add_argument("--only-graphs", action="store_true")
    one.set_defaults(work=measure)
    two = verbs.add_parser("draw")
    two.add_argument("--rmat", metavar="TSV", required=True)
    two.add_argument("--uniform", metavar="TSV")
    two.add_argument("--runs", metavar="JSONL", required=True)
    two.add_argument("--svg", metavar="FOLDER", required=True)
    two.add_argument("--bandwidth", type=float, default=2e9, help="bytes a second of a worker (2e9)")
    two.set_defaults(work=draw)
    options = parser.parse_args()
    options.work(options)


if __name__ == "__main__":
    sys.exit(main())
