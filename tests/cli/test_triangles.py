"""triangles and clustering from end to end, against counts made here, known answers, and every sentence for wrong input."""
import itertools
import json
import os
import random
import shutil
import subprocess
import tempfile
from collections import defaultdict

from harness import Case, DATA, ROOT, SANITIZED, main

LIE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <meguri.h>
#include <string.h>
meguri_status meguri_clustering(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_clustering_options *options) {
    meguri_status (*honest)(meguri_result **, meguri_ctx *, const meguri_graph *, const meguri_clustering_options *);
    void *found = dlsym(RTLD_NEXT, "meguri_clustering");
    memcpy(&honest, &found, sizeof honest);
    meguri_status status = honest(out, ctx, graph, options);
    meguri_column column = {.size = sizeof column};
    if (status == MEGURI_OK && meguri_result_column(&column, *out, "coefficient") == MEGURI_OK)
        ((double *)column.data)[1] = 0.125;
    return status;
}
/* The answer for another graph: seven triangles. */
meguri_status meguri_triangles(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                               const meguri_triangles_options *options) {
    meguri_status (*honest)(meguri_result **, meguri_ctx *, const meguri_graph *, const meguri_triangles_options *);
    void *found = dlsym(RTLD_NEXT, "meguri_triangles");
    memcpy(&honest, &found, sizeof honest);
    uint32_t from[21], to[21];
    for (uint32_t i = 0; i < 21; i++) {
        from[i] = i;
        to[i] = i / 3 * 3 + (i + 1) % 3;
    }
    meguri_edge_arrays edges = {.size = sizeof edges, .count = 21, .from = from, .to = to, .id_bytes = 4};
    meguri_build_options build = {.size = sizeof build, .direction = MEGURI_UNDIRECTED};
    meguri_graph *other;
    (void)graph;
    meguri_status status = meguri_graph_from_edges(&other, ctx, &edges, &build);
    if (status == MEGURI_OK) status = honest(out, ctx, other, options);
    meguri_graph_free(other);
    return status;
}
"""


def by_definition(arcs):
    """Triangles and coefficients, straight from the definitions; arcs are pairs of ids, both ways where undirected."""
    arcs = {(a, b) for a, b in arcs if a != b}
    near = defaultdict(set)
    for a, b in arcs:
        near[a].add(b)
        near[b].add(a)
    corners, coefficient = 0, {}
    for v, others in near.items():
        joined = [((a, b) in arcs) + ((b, a) in arcs) for a, b in itertools.combinations(others, 2)]
        corners += sum(map(bool, joined))
        d = len(others)
        coefficient[v] = sum(joined) / (d * (d - 1)) if d > 1 else 0.0
    return corners // 3, coefficient


class Triangles(Case):
    def table(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        self.assertEqual(rows[0], ["vertex", "coefficient"])
        return {vertex: float(value) for vertex, value in rows[1:]}

    def graph(self, edges, *options):
        self.write("g.el", "".join(f"{a} {b}\n" for a, b in edges))
        self.good("build", "g.el", *options, "-q", "-o", "g.meg")


class Answers(Triangles):
    def test_random_graphs(self):
        noise = random.Random(3)
        for turn in range(6):
            ids = [str(5 * v + 1) for v in range(60)]
            edges = [tuple(noise.choices(ids[:30 + turn * 5], k=2)) for _ in range(400)]
            for direction in ["--directed", "--undirected"]:
                arcs = edges if direction == "--directed" else edges + [(b, a) for a, b in edges]
                triangles, coefficient = by_definition(arcs)
                keep = ["--keep-duplicates", "--keep-loops"] if turn % 2 else []
                self.graph(edges, direction, "--order", ["degree", "bfs", "none"][turn % 3], *keep)
                facts = self.json("triangles", "g.meg", "--check", "--threads", 1 + turn % 3)
                self.assertEqual((facts["triangles"], facts["checked"]), (triangles, True))
                facts = self.json("clustering", "g.meg", "--check", "-o", "o.tsv")
                self.assertEqual((facts["checked"], facts["columns"]), (True, [dict(name="coefficient", type="f64")]))
                found = self.table("o.tsv")
                self.assertEqual({v: found[v] for v in coefficient}, coefficient)
                self.assertAlmostEqual(facts["mean"], sum(found.values()) / len(found))

    def test_for_people(self):
        self.graph([(1, 2), (2, 3), (3, 1), (3, 4)], "--undirected")
        text = self.good("triangles", "g.meg")
        self.assertIn("1 triangle in a graph of 4 edges\n", text)
        self.assertNotIn("→", text)
        self.assertIn("checked: the answer is right", self.good("triangles", "g.meg", "--check"))
        self.assertIn("mean coefficient 0.583333 of 4 vertices\n", self.good("clustering", "g.meg"))
        self.assertRegex(self.good("clustering", "g.meg", "-o", "o.npy"), r"→ o\.npy, \d+ bytes\n$")
        self.assertEqual(self.good("triangles", "g.meg", "-q"), "")

    def test_json(self):
        self.graph([(1, 2), (2, 3), (3, 1), (3, 4)])
        facts = self.json("triangles", "g.meg")
        self.assertEqual((facts["triangles"], facts["simple_edges"], facts["edges"], facts["directed"]), (1, 4, 4, True))
        self.assertTrue({"file", "columns"}.isdisjoint(facts))
        self.assertEqual(set(facts["seconds"]), {"open", "prepare", "search", "check", "write", "total"})

    def test_empty(self):
        self.write("g.el", "# nothing\n")
        self.assertEqual(self.json("triangles", "g.el", "--check", "-q")["triangles"], 0)
        self.assertEqual(self.json("clustering", "g.el", "--check", "-q")["mean"], 0)

    def test_trace(self):
        self.graph([(a, b) for a in range(40) for b in range(a)], "--undirected")
        for verb, phases in [("triangles", ["lists", "hubs", "count"]), ("clustering", ["lists", "hubs", "count", "divide"])]:
            self.good(verb, "g.meg", "-q", "--check", "--trace", "t.json")
            with open(self.path("t.json")) as file:
                lines = [json.loads(line) for line in file]
            self.assertEqual([line["phase"] for line in lines if line["run"] == verb], phases)
            self.assertEqual([line["phase"] for line in lines if line["run"] == "check"], [verb])


class Wrong(Triangles):
    def setUp(self):
        super().setUp()
        self.graph([(1, 2), (2, 3), (3, 1), (3, 4)], "--undirected")

    def test_usage(self):
        for verb in ["triangles", "clustering"]:
            self.bad(2, f"{verb} needs GRAPH", verb)
            self.bad(2, "one argument too many", verb, "g.meg", "g.el")
            self.bad(3, "missing.meg", verb, "missing.meg")
            self.bad(5, "does not run on the engine", verb, "g.meg", "--engine", "device")
        self.bad(2, "triangles has no option -o", "triangles", "g.meg", "-o", "o.tsv")
        self.bad(2, "o.png", "clustering", "g.meg", "-o", "o.png")
        self.bad(4, "not enough memory for", "clustering", "g.meg", "--memory", 2000)
        self.assertEqual(self.names(), ["g.el", "g.meg"])

    def test_wrong_answer(self):
        """Answers that lie: exit code 1, the checker's sentence, and no file."""
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
            env = {"LD_PRELOAD": library}
            self.bad(1, "the answer is wrong: the graph has 1 triangles, but the answer says 7.", "triangles", "g.meg",
                     "--check", env=env)
            self.bad(1, "the answer is wrong: the coefficient of vertex 2, about 125000 millionths,", "clustering", "g.meg",
                     "--check", "-o", "o.tsv", env=env)
            self.assertNotIn("o.tsv", self.names())


class RealGraphs(Triangles):
    def setUp(self):
        super().setUp()
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")

    def test_reference(self):
        with open(os.path.join(DATA, "REFERENCE.json")) as file:
            known = {name: facts["triangles"] for name, facts in json.load(file).items() if "triangles" in facts}
        self.assertGreater(len(known), 3)
        for name, triangles in known.items():
            path = os.path.join(DATA, name)
            if SANITIZED and os.path.getsize(path) > 1_000_000:
                continue
            for threads in [1, 2, 5]:
                self.assertEqual(self.json("triangles", path, "--threads", threads)["triangles"], triangles, name)
            self.good("build", path, "--undirected", "--order", "none", "--keep-duplicates", "-q", "-o", "g.meg")
            self.assertEqual(self.json("triangles", "g.meg")["triangles"], triangles, name)

    def test_lagraph(self):
        with open(os.path.join(DATA, "lagraph/EXPECTED.json")) as file:
            known = json.load(file)
        folder = os.path.join(DATA, "lagraph/data")
        for name, triangles in known["triangle_count"].items():
            self.assertEqual(self.json("triangles", os.path.join(folder, name), "--check", "-q")["triangles"], triangles, name)
        for name, values in known["lcc"].items():
            self.good("clustering", os.path.join(folder, name), "--check", "-q", "-o", "o.tsv")
            for found, wanted in zip(self.table("o.tsv").values(), values, strict=True):
                self.assertAlmostEqual(found, wanted, delta=1e-6)

    def test_ldbc(self):
        folder = os.path.join(DATA, "ldbc/validation-graphs")
        graphs = [("lcc/dir-input", "lcc/dir-output", "adj", "--directed"),
                  ("lcc/undir-input", "lcc/undir-output", "adj", "--undirected"),
                  ("example/example-directed.e", "example/example-directed-LCC", "ldbc", "--directed"),
                  ("example/example-undirected.e", "example/example-undirected-LCC", "ldbc", "--undirected")]
        for edges, output, form, direction in graphs:
            with open(os.path.join(folder, output)) as file:
                wanted = {vertex: float(value) for vertex, value in map(str.split, file)}
            self.good("build", os.path.join(folder, edges), "--format", form, direction, "-q", "-o", "g.meg")
            for threads in [1, 2, 5]:
                self.good("clustering", "g.meg", "--check", "--threads", threads, "-q", "-o", "o.tsv")
                found = self.table("o.tsv")
                self.assertEqual(set(found), set(wanted), output)
                for vertex, value in wanted.items():
                    self.assertAlmostEqual(found[vertex], value, delta=1e-9, msg=(output, vertex))


if __name__ == "__main__":
    main()
