"""--duplicates: every choice on every verb that reads text, with columns, from several files, in parts, beside a model that
sorts all edges."""
import csv
import itertools
import math
import os
import random
import shutil
import subprocess
import sys

from harness import MEGURI, SANITIZED, Case, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import plain_environment  # noqa: E402

CHOICES = ("min", "max", "sum", "first", "count", "keep")
WEIGHTS = {"none": lambda rng: None, "bytes": lambda rng: rng.randrange(256), "words": lambda rng: rng.randrange(2**32),
           "quarters": lambda rng: rng.randrange(-400, 400) / 4, "tenths": lambda rng: rng.randrange(1000) / 10}
MPIRUN = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
PLUGIN = os.path.join(os.path.dirname(MEGURI), "libmeguri_mpi.so")


def merged(edges, how):
    """What is left of parallel edges (weight, place): weight and the place of the edge whose columns are kept."""
    first = min(edges, key=lambda edge: edge[1])
    if how == "min":
        return min(edges, key=lambda edge: (edge[0] or 0, edge[1]))
    if how == "max":
        return min(edges, key=lambda edge: (-(edge[0] or 0), edge[1]))
    if how == "sum" and first[0] is not None:
        return math.fsum(weight for weight, _ in edges), first[1]
    return (len(edges), first[1]) if how == "count" else first


def model(edges, how, directed, loops=False):
    """(source, target, weight, place) of every arc, in order."""
    arcs = []
    for place, (a, b, weight) in enumerate(edges):
        if a != b or loops:
            arcs += [(a, b, weight, place)] + [(b, a, weight, place)] * (not directed and a != b)
    arcs.sort(key=lambda arc: (arc[0], arc[1], arc[2] or 0, arc[3]))
    if how == "keep":
        return arcs
    groups = itertools.groupby(arcs, key=lambda arc: arc[:2])
    return [(*ends, *merged([arc[2:] for arc in group], how)) for ends, group in groups]


def smallest(weights):
    if all(w >= 0 and float(w).is_integer() and w < 2**32 for w in weights):
        return "u8" if max(weights, default=0) < 2**8 else "u16" if max(weights) < 2**16 else "u32"
    return None  # a type of floats


class Duplicates(Case):
    def edges(self, rng, kind, count=150, vertices=6):
        return [(rng.randrange(vertices), rng.randrange(vertices), WEIGHTS[kind](rng)) for _ in range(count)]

    def put(self, name, edges, first=0):
        with open(self.path(name), "w", newline="", encoding="utf-8") as stream:
            table = csv.writer(stream)
            weighted = edges[0][2] is not None
            table.writerow(["source", "target"] + ["weight"] * weighted + ["id", "kind"])
            for place, (a, b, weight) in enumerate(edges, first):
                table.writerow([f"v{a}", f"v{b}"] + [repr(weight)] * weighted + [place + 2**40, f"type {place % 7}"])

    def arcs(self, file):
        with open(self.path(file), newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                yield (int(row["source"][1:]), int(row["target"][1:]), float(row["weight"]) if "weight" in row else None,
                       int(row["id"]) - 2**40 if "id" in row else None, row.get("kind"))

    def compare(self, edges, how, directed, loops, weighted, columns):
        want = [(a, b, None if not weighted else float(w), place if columns else None, f"type {place % 7}" if columns else None)
                for a, b, w, place in model(edges, how, directed, loops)]
        key = lambda arc: (arc[0], arc[1], arc[2] or 0, arc[3] or 0)  # noqa: E731
        self.assertEqual(sorted(self.arcs("out.csv"), key=key), sorted(want, key=key))

    def test_every_choice(self):
        rng = random.Random(28)
        for kind in WEIGHTS:
            edges = self.edges(rng, kind)
            half = rng.randrange(1, len(edges))
            self.put("a.csv", edges[:half])
            self.put("b.csv", edges[half:], half)
            for how, directed in itertools.product(CHOICES, (True, False)):
                columns, loops = rng.random() < 0.5, rng.random() < 0.5
                with self.subTest(kind=kind, how=how, directed=directed, columns=columns):
                    flags = ["--duplicates", how] + ["--undirected"] * (not directed) + ["--keep-loops"] * loops
                    flags += ["--columns", "id:id,kind:type"] * columns
                    facts = self.json("build", "a.csv", "b.csv", *flags, "--threads", rng.choice("125"), "-o", "g.meg")
                    weighted = kind != "none" or how == "count"
                    arcs = model(edges, how, directed, loops)
                    left = len(arcs) if directed else len([arc for arc in arcs if arc[0] <= arc[1]])
                    drops = 0 if loops else sum(a == b for a, b, _ in edges)
                    self.assertEqual((facts["edges"], facts["dropped_loops"], facts["dropped_duplicates"], facts["duplicates"]),
                                     (left, drops, len(edges) - drops - left, how))
                    self.assertEqual(facts["weights"] != "none", weighted)
                    if weighted and smallest([arc[2] for arc in arcs]):
                        self.assertEqual(facts["weight_storage"], smallest([arc[2] for arc in arcs]))
                    if columns:
                        self.good("info", "--check", "g.meg")
                    self.good("convert", "g.meg", "-q", "-o", "out.csv")
                    self.compare(edges, how, directed, loops, weighted, columns)

    def test_in_little_memory(self):
        rng = random.Random(3)
        edges = self.edges(rng, "words", 60000, 90)
        self.put("a.csv", edges)
        for how, columns in (("first", False), ("sum", True), ("max", True)):
            flags = ["--duplicates", how, "--undirected"] + ["--columns", "id:id,kind:type"] * columns
            self.good("build", "a.csv", *flags, "--memory", "6M" if columns else "4M", "-q", "-o", "g.meg")
            self.good("convert", "g.meg", "-q", "-o", "out.csv")
            self.compare(edges, how, False, False, True, columns)

    def test_verbs_that_read_text(self):
        self.write("e.wel", "1 2 5\n1 2 3\n2 1 4\n2 3 1\n")
        far = lambda *words: self.good("sssp", "e.wel", "--source", 1, *words, "-q", "-o", "-").splitlines()[1:]  # noqa: E731
        self.assertEqual([line.split("\t")[1] for line in far()], ["0", "3", "4"])
        self.assertEqual([line.split("\t")[1] for line in far("--duplicates", "sum")], ["0", "8", "9"])
        self.assertEqual([line.split("\t")[1] for line in far("--duplicates", "first", "--undirected")], ["0", "5", "6"])
        self.assertEqual([line.split("\t")[1] for line in far("--duplicates", "count", "--undirected")], ["0", "3", "4"])
        self.assertEqual(self.json("cores", "e.wel", "--undirected", "--duplicates", "keep")["degeneracy"], 3)
        self.good("convert", "e.wel", "--duplicates", "max", "-q", "-o", "out.wel")
        with open(self.path("out.wel"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "1 2 5\n2 1 4\n2 3 1\n")

    def test_what_the_summary_says(self):
        self.write("e.el", "1 2 5\n1 2 3\n2 2 1\n")
        texts = {"min": "smallest weight", "max": "largest weight", "sum": "weights added", "first": "first edge kept",
                 "count": "counted as weights"}
        for how, text in texts.items():
            self.assertIn(f"input: 3 edges; 1 parallel edge merged ({text}), 1 self-loop dropped\n",
                          self.good("build", "e.el", "--duplicates", how, "-o", "g.meg"))
        self.assertIn("input: 3 edges; 1 self-loop dropped\n", self.good("build", "e.el", "--duplicates", "keep", "-o", "k.meg"))
        self.assertIn("  input      3 edges; 1 parallel edge merged, 1 self-loop dropped\n", self.good("info", "g.meg"))
        self.assertNotIn("(", self.good("convert", "g.meg", "-o", "o.el").splitlines()[1])
        self.assertIn("1 parallel edge merged,", self.good("build", "e.el", "--weights", "none", "-o", "g.meg"))
        self.assertIn("parallel edges merged (weights added)",
                      self.good("gen", "uniform", "--vertices", 5, "--edges", 90, "--weights", "u32", "--duplicates", "sum", "-o", "u.meg"))

    def test_refusals(self):
        self.write("e.wel", "Nara Kobe 9007199254740992\nKobe Nara 3\nNara Kobe 1\n")
        self.bad(3, "the parallel edges from \"Nara\" to \"Kobe\" have a sum that no weight holds", "build", "e.wel",
                 "--duplicates", "sum", "-o", "g.meg")
        self.assertEqual(self.names(), ["e.wel"])
        self.bad(2, "give min, max, sum, first, count or keep", "build", "e.wel", "--duplicates", "mean", "-o", "g.meg")
        self.bad(2, "--duplicates and --keep-duplicates contradict each other", "build", "e.wel", "--duplicates", "sum",
                 "--keep-duplicates", "-o", "g.meg")
        self.good("build", "e.wel", "-q", "-o", "g.meg")
        self.bad(2, "--duplicates is for text input", "bfs", "g.meg", "--source", "Nara", "--duplicates", "sum")

    def launch(self, processes, *words):
        result = subprocess.run([MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", str(processes), MEGURI, *map(str, words)],
                                cwd=self.folder, env=plain_environment(), capture_output=True, timeout=120, check=False)
        return result.returncode, result.stdout.decode(), result.stderr.decode()

    def test_in_parts(self):
        if SANITIZED:  # MPI itself is full of reports
            return
        self.need(bool(MPIRUN) and os.path.exists(PLUGIN), "mpirun")
        rng = random.Random(9)
        edges = self.edges(rng, "tenths")
        self.put("a.csv", edges[:50])
        self.put("b.csv", edges[50:], 50)
        for how, processes in zip(CHOICES, (3, 2, 3, 3, 2, 2)):
            directed = how in ("max", "first")
            flags = ["--duplicates", how] + ["--undirected"] * (not directed)
            code, _, err = self.launch(processes, "build", "a.csv", "b.csv", *flags, "-q", "-o", "g.meg")
            self.assertEqual(code, 0, err)
            self.good("convert", "g.meg", "-q", "-o", "out.csv")
            self.compare(edges, how, directed, False, True, False)
        self.write("e.wel", "-4 7 9007199254740992\n5 6 3\n-4 7 1\n")
        code, _, err = self.launch(2, "bfs", "e.wel", "--duplicates", "sum", "--source", 7)
        self.assertEqual(code, 3)
        self.assertIn("the parallel edges from -4 to 7 have a sum that no weight holds", err)


if __name__ == "__main__":
    main()
