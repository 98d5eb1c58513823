"""components from end to end, against a textbook union-find written here, known answers for real graphs, and every
sentence it has for wrong input."""
import json
import os
import random
import shutil
import struct
import subprocess
import tempfile

from harness import Case, DATA, ROOT, SANITIZED, main

TOWN = "7 1\n1 3\n5 4\n9 4\n8 9\n2 6\n"  # directed: 1 3 7, 2 6, 4 5 8 9

LIE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <meguri.h>
#include <string.h>
meguri_status meguri_components(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_components_options *options) {
    meguri_status (*honest)(meguri_result **, meguri_ctx *, const meguri_graph *, const meguri_components_options *);
    void *found = dlsym(RTLD_NEXT, "meguri_components");
    memcpy(&honest, &found, sizeof honest);
    meguri_status status = honest(out, ctx, graph, options);
    meguri_column column = {.size = sizeof column};
    if (status == MEGURI_OK && meguri_result_column(&column, *out, "component") == MEGURI_OK)
        ((uint32_t *)column.data)[1] = ((uint32_t *)column.data)[5] = 0;
    return status;
}
"""


def components_of(vertices, edges):
    """Vertex to first member, by the textbook; `vertices` in the user's order."""
    place, above = {v: i for i, v in enumerate(vertices)}, {v: v for v in vertices}

    def top(v):
        while above[v] != v:
            above[v] = above[above[v]]
            v = above[v]
        return v

    for a, b in edges:
        a, b = sorted((top(a), top(b)), key=place.get)
        above[b] = a
    return {v: top(v) for v in vertices}


class Components(Case):
    def rows(self, name):
        with open(self.path(name), encoding="utf-8", newline="\n") as file:
            lines = [line.rstrip("\n").split("\t") for line in file]
        self.assertEqual(lines[0], ["vertex", "component"])
        return [tuple(line) for line in lines[1:]]


class Results(Components):
    def setUp(self):
        super().setUp()
        self.write("town.el", TOWN)
        self.good("build", "town.el", "-q", "-o", "town.meg")

    def test_table(self):
        self.good("components", "town.meg", "-o", "out.tsv")
        self.assertEqual(self.rows("out.tsv"), [("1", "1"), ("2", "2"), ("3", "1"), ("4", "4"), ("5", "4"), ("6", "2"),
                                                ("7", "1"), ("8", "4"), ("9", "4")])

    def test_binary(self):
        self.good("components", "town.meg", "-q", "-o", "out.bin")
        with open(self.path("out.bin"), "rb") as file:
            self.assertEqual(struct.unpack("<9Q9q", file.read()), (*range(1, 10), 1, 2, 1, 4, 4, 2, 1, 4, 4))
        self.good("components", "town.meg", "-q", "-o", "out.npy")
        with open(self.path("out.npy"), "rb") as file:
            self.assertIn(b"[('vertex', '<u8'), ('component', '<i8'), ]", file.read())

    def test_json(self):
        facts = self.json("components", "town.meg", "--check", "-o", "out.tsv")
        want = dict(graph="town.meg", vertices=9, edges=6, arcs=6, directed=True, components=3, largest=4, checked=True,
                    file="out.tsv", columns=[dict(name="component", type="vertex")])
        self.assertEqual({key: facts[key] for key in want}, want)
        self.assertEqual(set(facts["seconds"]), {"open", "prepare", "search", "check", "write", "total"})
        self.assertGreater(facts["edges_looked_at"], 0)
        facts = self.json("components", "town.meg")
        self.assertEqual((facts["components"], facts["checked"]), (3, False))
        self.assertNotIn("file", facts)

    def test_for_people(self):
        text = self.good("components", "town.meg")
        self.assertIn("3 weak components, the largest has 4 of 9 vertices\n", text)
        self.assertRegex(text, r"looked at \d+ edges in .*s\n")
        self.assertIn("checked: the answer is right", self.good("components", "town.meg", "--check"))
        self.good("build", "town.el", "--undirected", "-q", "-o", "both.meg")
        self.assertIn("3 components, the", self.good("components", "both.meg"))
        self.assertIn("1 weak component, the", self.good("components", "-", stdin=b"1 2\n"))
        self.assertEqual(self.good("components", "town.meg", "-q"), "")

    def test_nothing(self):
        facts = self.json("components", "-", "-q", "--check", "-o", "out.tsv", stdin=b"# no edges\n")
        self.assertEqual((facts["components"], facts["largest"]), (0, 0))
        self.assertEqual(self.rows("out.tsv"), [])

    def test_names_and_signed_ids(self):
        self.write("g.csv", "from,to\nOsaka,Nara\nTokyo,Chiba\nKyoto,Nara\n")
        self.good("components", "g.csv", "--check", "-o", "out.tsv")
        self.assertEqual(self.rows("out.tsv"), [("Osaka", "Osaka"), ("Nara", "Osaka"), ("Tokyo", "Tokyo"),
                                                ("Chiba", "Tokyo"), ("Kyoto", "Osaka")])
        self.good("components", "-", "--check", "-o", "out.tsv", stdin=b"5 -3\n-7 2\n")
        self.assertEqual(self.rows("out.tsv"), [("-7", "-7"), ("-3", "-3"), ("2", "-7"), ("5", "-3")])

    def test_random_graphs(self):
        noise = random.Random(6)
        for size, count in [(30, 20), (300, 200), (3000, 5000)]:
            ids = sorted(noise.sample(range(10 ** 6), size))
            edges = [noise.sample(ids, 2) for _ in range(count)]
            present = sorted({v for edge in edges for v in edge})
            want = components_of(present, edges)
            self.write("g.el", "".join(f"{a} {b}\n" for a, b in edges))
            for direction in ["--directed", "--undirected"]:
                for order in ["degree", "bfs", "none"]:
                    self.good("build", "g.el", direction, "--order", order, "-q", "-o", "g.meg")
                    for threads in [1, 3]:
                        facts = self.json("components", "g.meg", "--threads", threads, "--check", "-o", "out.tsv")
                        self.assertEqual(facts["components"], len(set(want.values())))
                        self.assertEqual(self.rows("out.tsv"), [(str(v), str(want[v])) for v in present])

    def test_trace(self):
        for direction, way in [("--directed", "filter"), ("--undirected", "skip")]:
            self.good("build", "town.el", direction, "-q", "-o", "g.meg")
            self.good("components", "g.meg", "--check", "--trace", "t.json")
            with open(self.path("t.json")) as file:
                lines = [json.loads(line) for line in file]
            steps = [line for line in lines if line["run"] == "components"]
            self.assertEqual([step["step"] for step in steps], list(range(len(steps))))
            self.assertEqual([step["phase"] for step in steps], ["sample", "compress", "link", "compress", "write"])
            self.assertEqual((steps[0]["way"], steps[2]["way"]), ("first", way))
            self.assertIn(("check", "components"), {(line["run"], line.get("phase")) for line in lines})
            self.good("report", "t.json", "-q", "-o", "r.html")


class Known(Components):
    """Real graphs with known answers."""

    def setUp(self):
        super().setUp()
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")

    def test_reference(self):
        with open(os.path.join(DATA, "REFERENCE.json")) as file:
            reference = json.load(file)
        seen = 0
        for name, facts in reference.items():
            if "wcc" not in facts or (SANITIZED and os.path.getsize(os.path.join(DATA, name)) > 300_000):
                continue
            direction = ["--undirected"] if facts["kind"] == "snapu" else []
            self.good("build", os.path.join(DATA, name), *direction, "-q", "-o", "g.meg")
            for threads in [1, 2]:
                found = self.json("components", "g.meg", "--threads", threads, "--check")
                missing = facts["n"] - found["vertices"]  # ids that do not occur count there
                self.assertEqual({"count": found["components"] + missing, "largest": found["largest"]}, facts["wcc"], name)
            seen += 1
        self.assertGreater(seen, 3)

    def test_ldbc(self):
        folder = os.path.join(DATA, "ldbc/validation-graphs")
        for edges, output, options in [
                ("wcc/dir-input", "wcc/dir-output", ["--format", "adj", "--directed"]),
                ("wcc/undir-input", "wcc/undir-output", ["--format", "adj", "--undirected"]),
                ("example/example-directed.e", "example/example-directed-WCC", ["--directed"]),
                ("example/example-undirected.e", "example/example-undirected-WCC", ["--undirected"])]:
            self.good("build", os.path.join(folder, edges), *options, "-q", "-o", "g.meg")
            self.good("components", "g.meg", "--check", "-q", "-o", "out.tsv")
            with open(os.path.join(folder, output)) as file:
                wanted = dict(line.split() for line in file)
            found, first = dict(self.rows("out.tsv")), {}
            for vertex in sorted(wanted, key=int):  # the names of components are the solver's own there
                first.setdefault(wanted[vertex], vertex)
            self.assertEqual(found, {vertex: first[name] for vertex, name in wanted.items()}, edges)

    def test_lagraph(self):
        with open(os.path.join(DATA, "lagraph/EXPECTED.json")) as file:
            known = json.load(file)["connected_components_count"]
        self.assertIn("ldbc-wcc-example.mtx", known)
        for name, count in known.items():
            path = os.path.join(DATA, "lagraph/data", name)
            if os.path.exists(path):
                facts = self.json("components", path, "--check", "-q")
                self.assertEqual(facts["components"], count, name)


class Wrong(Components):
    def setUp(self):
        super().setUp()
        self.write("town.el", TOWN)
        self.good("build", "town.el", "-q", "-o", "g.meg")

    def tearDown(self):
        self.assertEqual(self.names(), ["g.meg", "town.el"])

    def test_usage(self):
        self.bad(2, "components needs GRAPH", "components")
        self.bad(2, "one argument too many", "components", "g.meg", "town.el")
        self.bad(3, "missing.meg", "components", "missing.meg")
        self.bad(2, "--source", "components", "g.meg", "--source", 1)
        self.bad(2, "o.png", "components", "g.meg", "-o", "o.png")
        self.bad(4, "there is no folder nowhere", "components", "g.meg", "-o", "nowhere/o.tsv")
        self.bad(2, "is an input and would be overwritten", "components", "g.meg", "-o", "g.meg")
        self.bad(4, "not enough memory", "components", "g.meg", "--memory", 100)

    def test_wrong_answer(self):
        """One component put to another: exit code 1, the checker's sentence, and no file."""
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
            self.bad(1, "the answer is wrong: vertex 2 is said to be in the component 1, but no edges join them.",
                     "components", "g.meg", "--check", "-o", "o.tsv", env={"LD_PRELOAD": library})


if __name__ == "__main__":
    main()
