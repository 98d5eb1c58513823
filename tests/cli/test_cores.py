"""cores from end to end: against the definition written here, real graphs by the checker, and every sentence for wrong
input."""
import json
import os
import random
import shutil
import subprocess
import tempfile
from collections import Counter

from harness import Case, DATA, ROOT, SANITIZED, main

TOWN = "1 2\n1 3\n2 3\n4 5\n4 6\n5 6\n3 4\n6 7\n8 9\n"  # two triangles joined, one with a tail, and a pair

LIE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <meguri.h>
#include <string.h>
meguri_status meguri_cores(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                           const meguri_cores_options *options) {
    meguri_status (*honest)(meguri_result **, meguri_ctx *, const meguri_graph *, const meguri_cores_options *);
    void *found = dlsym(RTLD_NEXT, "meguri_cores");
    memcpy(&honest, &found, sizeof honest);
    meguri_status status = honest(out, ctx, graph, options);
    meguri_column column = {.size = sizeof column};
    if (status == MEGURI_OK && meguri_result_column(&column, *out, "core") == MEGURI_OK)
        ((int32_t *)column.data)[6] = 2;
    return status;
}
"""


def cores_of(edges):
    """Core number by vertex: whoever has fewest edges left goes first."""
    left = Counter()
    for a, b in edges:
        left[a] += 1
        left[b] += 1
    core, level = {}, 0
    while len(core) < len(left):
        least = min((v for v in left if v not in core), key=left.get)
        level = max(level, left[least])
        core[least] = level
        for a, b in edges:
            if least in (a, b):
                left[b if a == least else a] -= 1
    return core


class Cores(Case):
    def rows(self, *words):
        self.good("cores", *words, "--check", "-q", "-o", "out.tsv")
        with open(self.path("out.tsv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        self.assertEqual(rows[0], ["vertex", "core"])
        return {vertex: int(core) for vertex, core in rows[1:]}


class OneGraph(Cores):
    def setUp(self):
        super().setUp()
        self.write("town.el", TOWN)
        self.good("build", "town.el", "--undirected", "-q", "-o", "town.meg")

    def test_table(self):
        want = {"1": 2, "2": 2, "3": 2, "4": 2, "5": 2, "6": 2, "7": 1, "8": 1, "9": 1}
        self.assertEqual(self.rows("town.meg"), want)
        self.assertEqual(self.rows("town.el"), want)  # directed: the same edges

    def test_json(self):
        facts = self.json("cores", "town.meg", "--check", "-o", "out.tsv", "--top", 2)
        want = dict(graph="town.meg", vertices=9, edges=9, degeneracy=2, innermost=6, checked=True, file="out.tsv",
                    columns=[dict(name="core", type="i32")], top=[dict(vertex=1, core=2), dict(vertex=2, core=2)],
                    engine="host")
        self.assertEqual({key: facts[key] for key in want}, want)
        self.assertEqual(set(facts["seconds"]), {"open", "prepare", "search", "check", "write", "total"})

    def test_for_people(self):
        text = self.good("cores", "town.meg", "--check")
        self.assertRegex(text, r"^degeneracy 2: the innermost core has 6 vertices\nlooked at \d+ edges in ")
        self.assertIn("checked: the answer is right", text)
        self.assertIn("         core  vertex\n            2  1\n", text)
        self.assertEqual(self.good("cores", "town.meg", "--quiet"), "")

    def test_trace(self):
        self.good("cores", "town.meg", "-q", "--trace", "t.json")
        with open(self.path("t.json")) as file:
            steps = [step for step in map(json.loads, file) if step["run"] == "cores"]
        self.assertEqual({step["step"]: step["frontier"] for step in steps if step["frontier"]}, {1: 3, 2: 6})
        self.good("report", "t.json", "-q", "-o", "page.html")

    def test_random_graphs(self):
        noise = random.Random(14)
        for size, count in [(20, 60), (60, 500)]:
            ids = [f"town {i}" for i in range(size)]
            edges = [tuple(noise.sample(ids, 2)) for _ in range(count)]
            self.write("g.tsv", "from\tto\n" + "".join(f"{a}\t{b}\n" for a, b in edges))
            for direction in ["--directed", "--undirected"]:
                for keep in [[], ["--keep-duplicates"]]:
                    self.good("build", "g.tsv", "--format", "csv", direction, *keep, "-q", "-o", "g.meg")
                    once = edges if direction == "--directed" else [tuple(sorted(edge)) for edge in edges]
                    want = cores_of(once if keep else sorted(set(once)))
                    for threads in [1, 3]:
                        self.assertEqual(self.rows("g.meg", "--threads", threads), want)


class Wrong(Cores):
    def setUp(self):
        super().setUp()
        self.write("town.el", TOWN)
        self.good("build", "town.el", "-q", "-o", "g.meg")

    def tearDown(self):
        self.assertEqual(self.names(), ["g.meg", "town.el"])

    def test_usage(self):
        self.bad(2, "cores needs GRAPH", "cores")
        self.bad(2, "one argument too many", "cores", "g.meg", "town.el")
        self.bad(2, "has no option --source", "cores", "g.meg", "--source", 1)
        self.bad(3, "missing.meg", "cores", "missing.meg")
        self.bad(2, "o.png", "cores", "g.meg", "-o", "o.png")
        self.bad(2, "is an input and would be overwritten", "cores", "g.meg", "-o", "g.meg")
        self.bad(5, "does not run on the engine", "cores", "g.meg", "--engine", "device")

    def test_empty(self):
        facts = self.json("cores", "-", "--check", "-q", stdin=b"# empty\n")
        self.assertEqual((facts["vertices"], facts["degeneracy"], facts["innermost"]), (0, 0, 0))

    def test_wrong_answer(self):
        """A run that lies about one number: exit code 1, the checker's sentence, and no file."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        self.need(compiler, "a C compiler")
        if SANITIZED:
            return  # a sanitizer wants to be loaded first
        with tempfile.TemporaryDirectory(prefix="meguri-cli-") as folder:
            code, library = os.path.join(folder, "lie.c"), os.path.join(folder, "lie.so")
            with open(code, "w") as file:
                file.write(LIE)
            subprocess.run([compiler, "-shared", "-fPIC", "-I", os.path.join(ROOT, "include"), "-o", library, code, "-ldl"],
                           check=True)
            self.bad(1, "the answer is wrong: vertex 7 has core number 2, but fewer edges ",
                     "cores", "g.meg", "--check", "-o", "o.tsv", env={"LD_PRELOAD": library})


class RealGraphs(Cores):
    def test_checker_agrees(self):
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")
        # Known degeneracies: SNAP's facebook_combined has 115, a karate club 4.
        names = {"social/snap-facebook_combined.txt.gz": 115, "lagraph/data/karate.mtx": 4, "osm/monaco-d.gr.gz": None,
                 "rail/japan-rail.gr.gz": None}
        for name, known in list(names.items())[: 2 if SANITIZED else None]:
            self.good("build", os.path.join(DATA, name), "--undirected", "-q", "-o", "g.meg")
            for threads in [1, 2, 5]:
                facts = self.json("cores", "g.meg", "--check", "--threads", threads)
                self.assertEqual(facts["degeneracy"], known or facts["degeneracy"], name)


if __name__ == "__main__":
    main()
