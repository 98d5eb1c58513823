"""communities from end to end: against the definition written here, the expected outputs of LDBC and LAGraph, and every
sentence it has for wrong input."""
import json
import os
import random
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict

from harness import Case, DATA, ROOT, SANITIZED, main

TOWN = "1 2\n1 3\n2 3\n4 5\n4 6\n5 6\n3 4\n8 9\n"  # two triangles joined, and a pair

LIE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <meguri.h>
#include <string.h>
meguri_status meguri_communities(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_communities_options *options) {
    meguri_status (*honest)(meguri_result **, meguri_ctx *, const meguri_graph *, const meguri_communities_options *);
    void *found = dlsym(RTLD_NEXT, "meguri_communities");
    memcpy(&honest, &found, sizeof honest);
    meguri_status status = honest(out, ctx, graph, options);
    meguri_column column = {.size = sizeof column};
    if (status == MEGURI_OK && meguri_result_column(&column, *out, "label") == MEGURI_OK)
        ((uint32_t *)column.data)[1] = 6;
    return status;
}
"""


def labels_of(edges, iterations, vertices=(), key=int):
    """Label by vertex, by the definition; every edge counts in both directions."""
    around = defaultdict(list)
    for a, b in edges:
        around[a].append(b)
        around[b].append(a)
    label = {v: v for v in [*around, *vertices]}
    for _ in range(iterations):
        new = {}
        for v in label:
            counts = Counter(label[w] for w in around[v])
            new[v] = min(counts, key=lambda l: (-counts[l], key(l))) if counts else label[v]
        label = new
    return label


class Communities(Case):
    def table(self, name):
        with open(self.path(name), encoding="utf-8", newline="\n") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        self.assertEqual(rows[0], ["vertex", "label"])
        return rows[1:]

    def run_and_read(self, *words):
        self.good("communities", *words, "--check", "-q", "-o", "out.tsv")
        return dict(self.table("out.tsv"))


class OneGraph(Communities):
    def setUp(self):
        super().setUp()
        self.write("town.el", TOWN)
        self.good("build", "town.el", "--undirected", "-q", "-o", "town.meg")
        self.edges = [tuple(line.split()) for line in TOWN.splitlines()]

    def test_table(self):
        for iterations in [1, 2, 3, 4, 5, 10, 1000]:
            got = self.run_and_read("town.meg", "--iterations", iterations)
            self.assertEqual(got, labels_of(self.edges, iterations))
        self.assertEqual(self.run_and_read("town.meg"), labels_of(self.edges, 10))

    def test_json(self):
        facts = self.json("communities", "town.meg", "--iterations", 20, "--check", "-o", "out.tsv")
        right, before = labels_of(self.edges, 20), labels_of(self.edges, 19)
        want = dict(graph="town.meg", vertices=8, edges=8, arcs=16, directed=False, ids="unsigned", max_iterations=20,
                    labels=len(set(right.values())), changed=sum(right[v] != before[v] for v in right), checked=True,
                    file="out.tsv", columns=[dict(name="label", type="vertex")])
        self.assertEqual({key: facts[key] for key in want}, want)
        self.assertIn(facts["iterations"], range(2, 20))
        self.assertEqual(set(facts["seconds"]), {"open", "prepare", "search", "check", "write", "total"})
        self.assertGreater(facts["edges_looked_at"], 0)
        self.assertEqual(facts["file_bytes"], os.path.getsize(self.path("out.tsv")))

    def test_for_people(self):
        text = self.good("communities", "town.meg", "--iterations", 1)
        self.assertRegex(text, r"^\d communities of 8 vertices after 1 iteration, \d changed in the last\n")
        self.assertRegex(text, r"looked at 16 edges in .*s, .*/s\n")
        self.assertNotIn("checked", text)
        text = self.good("communities", "town.meg", "--check", "-o", "out.npy")
        self.assertIn("checked: the answer is right", text)
        self.assertRegex(text, r"→ out\.npy, \d+ bytes\n$")
        self.assertEqual(self.good("communities", "town.meg", "--quiet"), "")

    def test_trace(self):
        facts = self.json("communities", "town.meg", "--trace", "t.json")
        with open(self.path("t.json")) as file:
            steps = [step for step in map(json.loads, file) if step["run"] == "communities"]
        self.assertEqual([step["step"] for step in steps], list(range(facts["iterations"])))
        self.assertEqual(sum(step["edges"] for step in steps), facts["edges_looked_at"])
        self.assertLessEqual({step["way"] for step in steps}, {"all", "changed"})
        self.good("report", "t.json", "-q", "-o", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("Communities", file.read())

    def test_ids(self):
        """Ties go to what comes first in the user's order: the smallest number, the first name in the input."""
        self.write("g.el", "-5 3\n-5 7\n7 -9\n")
        edges = [("-5", "3"), ("-5", "7"), ("7", "-9")]
        for iterations in [1, 2, 3]:
            self.assertEqual(self.run_and_read("g.el", "--iterations", iterations), labels_of(edges, iterations))
        names = "Tokyo,Yokohama\nYokohama,Chiba\nTokyo,Abiko\nAbiko,Chiba\n"
        order = ["Tokyo", "Yokohama", "Chiba", "Abiko"]
        self.write("g.csv", "from,to\n" + names)
        edges = [tuple(line.split(",")) for line in names.splitlines()]
        for iterations in [1, 2, 3]:
            self.assertEqual(self.run_and_read("g.csv", "--iterations", iterations),
                             labels_of(edges, iterations, key=order.index))

    def test_random_graphs(self):
        noise = random.Random(7)
        for size, count in [(30, 60), (300, 2000)]:
            ids = [str(v) for v in sorted(noise.sample(range(10 ** 6), size))]
            edges = {tuple(noise.sample(ids, 2)) for _ in range(count)}
            for direction in ["--directed", "--undirected"]:
                self.write("g.el", "".join(f"{a} {b}\n" for a, b in edges))
                self.good("build", "g.el", direction, "-q", "-o", "g.meg")
                once = edges if direction == "--directed" else {tuple(sorted(edge)) for edge in edges}
                for threads in [1, 3]:
                    got = self.run_and_read("g.meg", "--threads", threads, "--iterations", 7)
                    self.assertEqual(got, labels_of(once, 7))


class Wrong(Communities):
    def setUp(self):
        super().setUp()
        self.write("town.el", TOWN)
        self.good("build", "town.el", "-q", "-o", "g.meg")

    def tearDown(self):
        self.assertEqual(self.names(), ["g.meg", "town.el"])

    def test_usage(self):
        for value in ["0", "-1", "1.5", "x", "", "4294967296"]:
            self.bad(2, "--iterations", "communities", "g.meg", "--iterations", value)
        self.bad(2, "communities needs GRAPH", "communities")
        self.bad(2, "one argument too many", "communities", "g.meg", "town.el")
        self.bad(2, "has no option --source", "communities", "g.meg", "--source", 1)
        self.bad(3, "missing.meg", "communities", "missing.meg")
        self.bad(2, "o.png", "communities", "g.meg", "-o", "o.png")
        self.bad(2, "is an input and would be overwritten", "communities", "g.meg", "-o", "g.meg")
        self.bad(4, "there is no folder nowhere", "communities", "g.meg", "-o", "nowhere/o.tsv")
        self.bad(5, "does not run on the engine", "communities", "g.meg", "--engine", "device")

    def test_empty(self):
        facts = self.json("communities", "-", "--check", "-q", stdin=b"# empty\n")
        self.assertEqual((facts["vertices"], facts["labels"], facts["changed"]), (0, 0, 0))

    def test_wrong_answer(self):
        """A run that lies about one label: exit code 1, the checker's sentence, and no file."""
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
            self.bad(1, "the answer is wrong: the label of vertex 2 is 8, but 10 iterations give ",
                     "communities", "g.meg", "--check", "-o", "o.tsv", env={"LD_PRELOAD": library})


class RealGraphs(Communities):
    def setUp(self):
        super().setUp()
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")

    def build(self, name, *options):
        self.good("build", os.path.join(DATA, name), *options, "-q", "-o", "g.meg")

    def expected(self, name):
        with open(os.path.join(DATA, "ldbc/validation-graphs", name)) as file:
            return dict(line.split() for line in file if line.strip())

    def test_ldbc(self):
        for direction, short in [("directed", "dir"), ("undirected", "undir")]:
            for name, edges, output, format in [
                    (f"test-cdlp-{direction}", f"cdlp/{short}-input", f"cdlp/{short}-output", "adj"),
                    (f"example-{direction}", f"example/example-{direction}.e", f"example/example-{direction}-CDLP", "ldbc")]:
                with open(os.path.join(DATA, "ldbc/config-template/graphs", name + ".properties")) as file:
                    settings = dict(map(str.strip, line.split("=", 1)) for line in file if "=" in line)
                iterations = settings[f"graph.{name}.cdlp.max-iterations"]
                self.build("ldbc/validation-graphs/" + edges, "--" + direction, "--format", format)
                for threads in [1, 2, 5]:
                    got = self.run_and_read("g.meg", "--iterations", iterations, "--threads", threads)
                    self.assertEqual(got, self.expected(output), name)

    def test_lagraph(self):
        """The same two graphs as matrices; and a mesh whose labels LAGraph's own test lists, counted from 0."""
        for name, output in [("directed", "dir"), ("undirected", "undir")]:
            self.build(f"lagraph/data/ldbc-cdlp-{name}-example.mtx")
            self.assertEqual(self.run_and_read("g.meg", "--iterations", 5), self.expected(f"cdlp/{output}-output"))
        with open(os.path.join(DATA, "lagraph/EXPECTED.json")) as file:
            known = json.load(file)["cdlp_jagmesh7"]
        self.build("lagraph/data/jagmesh7.mtx", "--keep-loops")
        got = self.run_and_read("g.meg", "--iterations", 100)
        self.assertEqual([int(got[str(v + 1)]) - 1 for v in range(len(known))], known)

    def test_checker_agrees(self):
        names = ["osm/monaco-d.gr.gz", "social/snap-wiki-Vote.txt", "rail/japan-rail.gr.gz",
                 "social/snap-facebook_combined.txt.gz", "lagraph/data/karate.mtx"]
        for name in names[:1] if SANITIZED else names:
            for direction in ["--directed", "--undirected"]:
                if name.endswith(".mtx") and direction == "--directed":
                    continue
                self.build(name, direction)
                found = {json.dumps(self.run_and_read("g.meg", "--threads", threads)) for threads in [1, 2, 5]}
                self.assertEqual(len(found), 1, name)


if __name__ == "__main__":
    main()
