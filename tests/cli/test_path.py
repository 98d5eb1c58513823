"""path from end to end: every form of the answer, limits, pairs, names that are nearly right, and every sentence for wrong
input; against paths found here by trying all."""
import contextlib
import csv
import gzip
import io
import itertools
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time

from harness import Case, DATA, MEGURI, ROOT, SANITIZED, default_signals, main

# A finder that sees no edge as light as it is: it asks for paths that are dear, and calls them the cheapest.
LIE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <meguri.h>
#include <string.h>
struct second { meguri_path_take take; void *user; };
static int only_dear(void *user, const meguri_path *path) {
    struct second *s = user;
    meguri_path first = *path;
    first.index = 0;
    return path->hops > 3 ? s->take(s->user, &first) : 0;
}
meguri_status meguri_path_search_run(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_search *search,
                               const meguri_path_query *query, meguri_path_take take, void *user) {
    meguri_status (*honest)(meguri_path_answer *, meguri_ctx *, meguri_path_search *, const meguri_path_query *,
                            meguri_path_take, void *);
    void *found = dlsym(RTLD_NEXT, "meguri_path_search_run");
    memcpy(&honest, &found, sizeof honest);
    struct second s = {take, user};
    meguri_path_query all = *query;
    all.algorithm = MEGURI_PATH_SIMPLE, all.limit = 100;
    return honest(answer, ctx, search, &all, only_dear, &s);
}
"""

# Every cost but the first one unit in the last place too large.
LAST_BIT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <meguri.h>
#include <string.h>
struct second { meguri_path_take take; void *user; };
static int dearer(void *user, const meguri_path *path) {
    struct second *s = user;
    meguri_path lie = *path;
    double costs[64];
    memcpy(costs, path->costs, (path->hops + 1) * sizeof *costs);
    for (uint64_t i = 1; i <= path->hops; i++) costs[i] = nextafter(costs[i], INFINITY);
    lie.costs = costs, lie.cost = costs[path->hops];
    return s->take(s->user, &lie);
}
meguri_status meguri_path_search_run(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_search *search,
                               const meguri_path_query *query, meguri_path_take take, void *user) {
    meguri_status (*honest)(meguri_path_answer *, meguri_ctx *, meguri_path_search *, const meguri_path_query *,
                            meguri_path_take, void *);
    void *found = dlsym(RTLD_NEXT, "meguri_path_search_run");
    memcpy(&honest, &found, sizeof honest);
    struct second s = {take, user};
    return honest(answer, ctx, search, query, dearer, &s);
}
"""

TOWN = "1 2 4\n1 3 1\n2 4 1\n3 4 4\n4 5 1\n7 1 1\n8 9 1\n"  # directed, weighted; two ways from 1 to 4 cost 5


def simple_paths(edges, start, goal, path=None):
    """All paths without a vertex twice, as lists of vertices, in the order of the ids."""
    path = path or [start]
    if start == goal:
        yield path
        return
    for a, b in sorted(edges, key=lambda edge: int(edge[1])):
        if a == start and b not in path:
            yield from simple_paths(edges, b, goal, path + [b])


class Path(Case):
    def setUp(self):
        super().setUp()
        self.write("town.wel", TOWN)
        self.good("build", "town.wel", "-q", "-o", "town.meg")

    def lines(self, *words, **more):
        return [json.loads(line, parse_constant=self.fail) for line in self.good("path", *words, **more).splitlines()]


class One(Path):
    def test_for_people(self):
        text = self.good("path", "town.meg", "--from", 1, "--to", 5)
        self.assertIn(text.split("\n")[0], ("1 → 2 → 4 → 5 (cost 6, 3 hops)", "1 → 3 → 4 → 5 (cost 6, 3 hops)"))
        self.assertRegex(text, r"\n1 path by \w+: settled [\d,]+ vertices, looked at [\d,]+ edges\n.*prepare.*search.*thread")
        quiet = self.good("path", "town.meg", "--from", 1, "--to", 5, "-q")
        self.assertEqual(quiet, text.split("\n")[0] + "\n")

    def test_every_algorithm(self):
        for algorithm in ["auto", "dijkstra", "bidirectional", "shortest"]:
            facts = self.json("path", "town.meg", "--from", 1, "--to", 5, "--algorithm", algorithm)
            self.assertEqual((facts["path_count"], facts["end"], len(facts["paths"])), (1, "complete", 1))
            self.assertEqual((facts["paths"][0]["cost"], facts["paths"][0]["hops"]), (6, 3))
            self.assertNotEqual(facts["algorithm"], "auto")
        for algorithm in ["all-shortest", "all", "simple", "yens"]:
            words = ["--k", 9] if algorithm == "yens" else ["--max-hops", 9]
            facts = self.json("path", "town.meg", "--from", 1, "--to", 5, "--algorithm", algorithm, *words)
            self.assertEqual(sorted(path["vertices"] for path in facts["paths"]), [[1, 2, 4, 5], [1, 3, 4, 5]])
            self.assertEqual((facts["algorithm"], facts["path_count"], facts["end"]), (algorithm, 2, "complete"))

    def test_json(self):
        facts = self.json("path", "town.meg", "--from", 1, "--to", 5, "--algorithm", "all-shortest")
        want = dict(graph="town.meg", vertices=8, edges=7, directed=True, ids="unsigned", to=5, path_count=2)
        self.assertEqual({key: facts[key] for key in want}, want)
        self.assertEqual(facts["from"], 1)
        first = facts["paths"][0]
        self.assertEqual((first["vertices"], first["costs"], first["cost"], first["hops"]), ([1, 2, 4, 5], [0, 4, 5, 6], 6, 3))
        self.assertEqual(len(set(first["edges"])), 3)
        self.assertEqual(first["edges"][2], facts["paths"][1]["edges"][2])
        self.assertEqual(set(facts["seconds"]), {"open", "prepare", "search", "total"})
        self.assertGreater(facts["memory_peak_bytes"], 0)

    def test_no_path(self):
        for algorithm in ["auto", "dijkstra", "bidirectional", "shortest", "all-shortest", "all", "simple", "yens"]:
            words = ["path", "town.meg", "--from", 1, "--to", 9, "--algorithm", algorithm, "--limit", 5]
            self.assertIn("no path from 1 to 9\n", self.good(*words))
            facts = self.json(*words)
            self.assertEqual((facts["from"], facts["to"], facts["paths"], facts["path_count"], facts["end"]), (1, 9, [], 0, "complete"))
        text = self.good("path", "town.meg", "--from", 1, "--to", 5, "--max-hops", 2, "--max-cost", 4)
        self.assertIn("no path from 1 to 5 of at most 2 hops and a cost of at most 4\n", text)
        self.assertEqual(self.good("path", "town.meg", "--from", 1, "--to", 9, "--csv"), "question,path,step,vertex,edge,cost\n")

    def test_to_itself(self):
        for algorithm in ["auto", "dijkstra", "bidirectional", "shortest", "all-shortest", "simple", "yens", "all"]:
            facts = self.json("path", "town.meg", "--from", 1, "--to", 1, "--algorithm", algorithm, "--limit", 5)
            self.assertEqual([(path["vertices"], path["cost"], path["edges"]) for path in facts["paths"]], [([1], 0, [])])
        self.write("loop.el", "1 2\n2 1\n1 1\n")
        facts = self.json("path", "loop.el", "--from", 1, "--to", 1, "--algorithm", "all", "--max-hops", 9)
        self.assertEqual([path["vertices"] for path in facts["paths"]], [[1], [1, 2, 1]])

    def test_directions(self):
        self.assertEqual(self.json("path", "town.meg", "--from", 5, "--to", 1)["paths"], [])
        for direction in ["in", "both"]:
            facts = self.json("path", "town.meg", "--from", 5, "--to", 1, "--direction", direction)
            self.assertEqual(facts["paths"][0]["cost"], 6)
        facts = self.json("path", "town.meg", "--from", 5, "--to", 7, "--direction", "both")
        self.assertEqual(facts["paths"][0]["cost"], 7)

    def test_limits(self):
        facts = self.json("path", "town.meg", "--from", 1, "--to", 5, "--algorithm", "simple", "--limit", 1)
        self.assertEqual((facts["path_count"], facts["end"]), (1, "limit"))
        text = self.good("path", "town.meg", "--from", 1, "--to", 5, "--algorithm", "simple", "--limit", 1)
        self.assertIn("there may be more: the limit of 1 path is reached\n", text)
        facts = self.json("path", "town.meg", "--from", 1, "--to", 4, "--algorithm", "all", "--max-cost", 4)
        self.assertEqual(facts["paths"], [])
        self.assertEqual(len(self.json("path", "town.meg", "--from", 1, "--to", 4, "--k", 1)["paths"]), 1)

    def test_random_against_trying_all(self):
        noise = random.Random(4)
        for directed in ["--directed", "--undirected"]:
            ids = [str(v) for v in noise.sample(range(100), 8)]
            edges = sorted(noise.sample(list(itertools.permutations(ids, 2)), 16))
            self.write("g.el", "".join(f"{a} {b}\n" for a, b in edges))
            self.good("build", "g.el", directed, "-q", "-o", "g.meg")
            both = set(edges) | ({(b, a) for a, b in edges} if directed == "--undirected" else set())
            for start, goal in itertools.product(ids[:4], ids[4:]):
                if not {start, goal} <= {v for edge in edges for v in edge}:
                    continue
                want = [[int(v) for v in path] for path in simple_paths(both, start, goal)]
                got = self.json("path", "g.meg", "--from", start, "--to", goal, "--algorithm", "simple", "--max-hops", 8)
                self.assertEqual([path["vertices"] for path in got["paths"]], want)
                got = self.json("path", "g.meg", "--from", start, "--to", goal, "--k", 1000)
                self.assertEqual([path["cost"] for path in got["paths"]], sorted(len(path) - 1 for path in want))

    def test_check(self):
        for start, goal, direction in [(1, 5, "out"), (5, 1, "in"), (1, 9, "out"), (5, 7, "both"), (4, 4, "out")]:
            for algorithm in ["auto", "dijkstra", "shortest", "all-shortest", "all", "simple", "yens"]:
                words = ["path", "town.meg", "--from", start, "--to", goal, "--direction", direction, "--algorithm", algorithm, "--limit", 9]
                self.assertTrue(self.json(*words, "--check")["checked"])
                self.assertFalse(self.json(*words)["checked"])
        self.assertIn("checked: the answer is right\n", self.good("path", "town.meg", "--from", 1, "--to", 5, "--check"))
        self.assertIn("not whether there is a better one\n", self.good("path", "town.meg", "--from", 1, "--to", 5, "--max-hops", 9, "--check"))

    def test_check_of_sums(self):
        """Weights of very different sizes: no false alarm, whichever way an algorithm adds them up."""
        self.write("g.wel", "1 2 1000000\n2 3 0.0001\n")
        self.assertIn("checked: the answer is right\n", self.good("path", "g.wel", "--from", 1, "--to", 3, "--check"))
        algorithms = "auto dijkstra astar bidirectional tree shortest all-shortest all simple yens".split()
        noise = random.Random(12)
        for narrow, options in itertools.product([False, True], [[], ["--path-index"], ["--undirected"]]):
            arcs = noise.sample(list(itertools.permutations(range(8), 2)), 24)
            weights = [noise.uniform(1, 2) * 2.0 ** noise.choice([-40, -13, 0, 40, noise.randint(-40, 40)]) for _ in arcs]
            if narrow:
                weights = [struct.unpack("f", struct.pack("f", w))[0] for w in weights]
            self.write("g.wel", "".join(f"{a} {b} {w!r}\n" for (a, b), w in zip(arcs, weights)))
            self.write("g.co", "".join(f"v {v} {noise.randint(0, 99)} {noise.randint(0, 99)}\n" for v in range(8)))
            self.good("build", "g.wel", "--coords", "g.co", *options, "-q", "-o", "g.meg")
            self.assertEqual(self.json("info", "g.meg")["weights"], "f32" if narrow else "f64")
            pairs = [f"{a}\t{b}\t{how}\t{limit}\n" for a, b in itertools.permutations(range(8), 2) for how in algorithms
                     for limit in ["", noise.choice(weights)]]
            self.write("pairs.tsv", "from\tto\talgorithm\tmax-cost\n" + "".join(pairs))
            for direction in ["out", "in", "both"]:
                words = ["path", "g.meg", "--pairs", "pairs.tsv", "--direction", direction, "--k", 5, "--limit", 5]
                self.good(*words, "--check", "-o", "o.csv")
                self.good(*words, "--max-hops", 4, "--check", "-o", "o.csv")

    def test_wrong_answer(self):
        """A library that lies about one cost: exit code 1, the sentence of the check, and no file."""
        self.write("long.wel", TOWN + "2 6 9\n6 4 9\n")
        self.write("real.wel", "1 2 1000000\n2 3 0.0001\n")
        with self.library(LIE) as lie:
            words = ["path", "long.wel", "--from", 1, "--to", 5, "--algorithm", "yens", "--k", 2, "-o", "o.csv"]
            if lie:
                self.bad(1, "the answer is wrong: question 0, path 0: there is a better one", *words, "--check", env=lie)
            self.assertNotIn("o.csv", self.names())
        with self.library(LAST_BIT) as lie:
            for words in [["real.wel", "--from", 1, "--to", 3], ["real.wel", "--from", 2, "--to", 3], ["long.wel", "--from", 1, "--to", 5]]:
                if lie:
                    self.bad(1, "the answer is wrong: question 0, path 0: there is no such edge, or it has another weight",
                             "path", *words, "--check", env=lie)

    @contextlib.contextmanager
    def library(self, text):
        """The environment in which a library of that text stands before the real one; None where that cannot be."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        self.need(compiler, "a C compiler")
        if SANITIZED:
            yield None  # a sanitizer wants to be loaded first
            return
        with tempfile.TemporaryDirectory(prefix="meguri-cli-") as folder:
            code, library = os.path.join(folder, "lie.c"), os.path.join(folder, "lie.so")
            with open(code, "w") as file:
                file.write(text)
            subprocess.run([compiler, "-shared", "-fPIC", "-I", os.path.join(ROOT, "include"), "-o", library, code, "-ldl", "-lm"],
                           check=True)
            yield {"LD_PRELOAD": library}

    def test_text_is_read_as_build_reads_it(self):
        facts = json.loads(self.good("path", "-", "--from", 1, "--to", 5, "--json", stdin=TOWN.encode()))
        self.assertEqual(facts["path_count"], 1)


class Forms(Path):
    ASK = ["town.meg", "--from", 1, "--to", 5, "--algorithm", "all-shortest"]

    def rows(self, text, **how):
        return list(csv.DictReader(io.StringIO(text), **how))

    def test_lines(self):
        found = self.lines(*self.ASK, "--lines")
        self.assertEqual([line.get("path") for line in found], [0, 1, None])
        self.assertEqual([line["vertices"] for line in found[:2]], [[1, 2, 4, 5], [1, 3, 4, 5]])
        self.assertEqual((found[2]["end"], found[2]["path_count"], found[2]["from"], found[2]["to"]), ("complete", 2, 1, 5))

    def test_csv(self):
        rows = self.rows(self.good("path", *self.ASK, "--csv"))
        self.assertEqual([row["vertex"] for row in rows if row["path"] == "1"], ["1", "3", "4", "5"])
        self.assertEqual([row["cost"] for row in rows if row["path"] == "0"], ["0", "4", "5", "6"])
        self.assertEqual([row["edge"] == "" for row in rows], [row["step"] == "0" for row in rows])

    def test_files(self):
        on_screen = self.good("path", *self.ASK, "--csv")
        summary = self.good("path", *self.ASK, "-o", "o.csv")
        self.assertIn("2 paths by all-shortest", summary)
        self.assertRegex(summary, r"→ o\.csv, \d+ bytes\n$")
        with open(self.path("o.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), on_screen)
        self.assertEqual(self.good("path", *self.ASK, "-q", "-o", "o.tsv"), "")
        with open(self.path("o.tsv"), encoding="utf-8") as file:
            self.assertEqual(self.rows(file.read(), delimiter="\t"), self.rows(on_screen))
        facts = self.json("path", *self.ASK, "-o", "o.jsonl")
        self.assertEqual((facts["path_count"], facts["file"]), (2, "o.jsonl"))
        self.assertEqual(facts["file_bytes"], os.path.getsize(self.path("o.jsonl")))
        with open(self.path("o.jsonl"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line).get("path") for line in file], [0, 1, None])
        self.assertEqual([name for name in self.names() if name.startswith(".")], [])

    def test_names_in_tables(self):
        names = ["New York", 'a "b"', "c,d", "C:\\temp"]
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["from", "to"])
        writer.writerows(zip(names, names[1:]))
        self.write("n.csv", text.getvalue())
        self.good("build", "n.csv", "--ids", "string", "-q", "-o", "n.meg")
        words = ["n.meg", "--from", names[0], "--to", names[-1]]
        self.assertEqual([row["vertex"] for row in self.rows(self.good("path", *words, "--csv"))], names)
        self.good("path", *words, "-q", "-o", "o.tsv")
        with open(self.path("o.tsv"), encoding="utf-8") as file:
            self.assertEqual([line.split("\t")[3] for line in list(file)[1:]], names[:3] + ["C:\\\\temp"])
        self.assertEqual(self.lines(*words, "--lines")[0]["vertices"], names)
        self.assertIn('New York → a "b" → c,d → C:\\temp (3 hops)\n', self.good("path", *words))

    def test_geojson(self):
        self.good("gen", "grid", "--width", 6, "--height", 5, "-q", "-o", "grid.meg")
        ends = ["--from", 0, "--to", 29] if self.run_it("path", "grid.meg", "--from", 0, "--to", 29).returncode == 0 else \
            ["--from", 1, "--to", 30]
        facts = self.json("path", "grid.meg", *ends, "--k", 3, "--geojson", "ways.geojson")
        with open(self.path("ways.geojson")) as file:
            page = json.load(file)
        self.assertEqual(page["type"], "FeatureCollection")
        self.assertEqual([feature["geometry"]["type"] for feature in page["features"]], ["LineString"] * 3)
        for feature, path in zip(page["features"], facts["paths"]):
            self.assertEqual(len(feature["geometry"]["coordinates"]), path["hops"] + 1)
            self.assertEqual(feature["properties"]["cost"], path["cost"])
        self.good("path", "grid.meg", "--from", ends[1], "--to", ends[1], "-q", "-o", "point.geojson")
        with open(self.path("point.geojson")) as file:
            self.assertEqual(json.load(file)["features"][0]["geometry"]["type"], "Point")
        self.bad(3, "no coordinates", "path", *self.ASK, "--geojson", "ways.geojson")
        astar = self.json("path", "grid.meg", *ends, "--algorithm", "astar")
        self.assertEqual(astar["paths"][0]["cost"], facts["paths"][0]["cost"])

    def test_names_cannot_steer_the_terminal(self):
        self.write("evil.csv", "from,to\n\x1b[31mred,blue\n")
        self.good("build", "evil.csv", "--ids", "string", "-q", "-o", "g.meg")
        self.assertNotIn("\x1b", self.good("path", "g.meg", "--from", "\x1b[31mred", "--to", "blue"))
        self.assertNotIn("\x1b", self.bad(3, "did you mean", "path", "g.meg", "--from", "[31mred", "--to", "blue"))


class Pairs(Path):
    def test_in_order(self):
        noise = random.Random(8)
        ids = [1, 2, 3, 4, 5, 7, 8, 9]
        pairs = [(noise.choice(ids), noise.choice(ids)) for _ in range(300)]
        self.write("pairs", "# from to\n\n" + "".join(f"{a}{noise.choice([' ', chr(9), '  '])}{b}\n" for a, b in pairs))
        want = {(a, b): self.json("path", "town.meg", "--from", a, "--to", b) for a, b in sorted(set(pairs))}
        for threads in [1, 2]:
            found = self.lines("town.meg", "--pairs", "pairs", "--json", "--threads", threads)
            self.assertEqual([(line["question"], line["from"], line["to"]) for line in found],
                             [(i, a, b) for i, (a, b) in enumerate(pairs)])
            for line in found:
                facts = want[line["from"], line["to"]]
                self.assertEqual([path["cost"] for path in line["paths"]], [path["cost"] for path in facts["paths"]])
                self.assertEqual((line["path_count"], line["end"]), (facts["path_count"], "complete"))
        found = self.lines("town.meg", "--pairs", "pairs", "--json", "--index")
        self.assertEqual([line["path_count"] for line in found], [want[pair]["path_count"] for pair in pairs])
        self.assertTrue(all(line["paths"][0]["cost"] == want[pair]["paths"][0]["cost"] for line, pair in zip(found, pairs) if line["paths"]))
        text = self.good("path", "town.meg", "--pairs", "-", stdin=b"1 5\n1 9\n5 5\n")
        self.assertIn("\nno path from 1 to 9\n5 (cost 0, 0 hops)\n2 paths for 3 pairs, 1 without one by", text)

    def test_several_paths_each(self):
        self.write("pairs", "1\t4\n8\t1\n1\t5\n")
        found = self.lines("town.meg", "--pairs", "pairs", "--algorithm", "simple", "--limit", 9, "--json")
        self.assertEqual([[path["vertices"] for path in line["paths"]] for line in found],
                         [[[1, 2, 4], [1, 3, 4]], [], [[1, 2, 4, 5], [1, 3, 4, 5]]])
        found = self.lines("town.meg", "--pairs", "pairs", "--algorithm", "simple", "--limit", 9, "--lines")
        self.assertEqual([(line["question"], line.get("path")) for line in found],
                         [(0, 0), (0, 1), (0, None), (1, None), (2, 0), (2, 1), (2, None)])
        rows = list(csv.DictReader(io.StringIO(self.good("path", "town.meg", "--pairs", "pairs", "--csv"))))
        self.assertEqual({row["question"] for row in rows}, {"0", "2"})

    def test_names_with_blanks(self):
        self.write("n.csv", "from,to\nNew York,San Jose\nSan Jose,Rome\n")
        self.write("pairs", "New York\tSan Jose\nNew York \t Rome\n")
        found = self.lines("n.csv", "--pairs", "pairs", "--json")
        self.assertEqual([line["paths"][0]["vertices"] for line in found], [["New York", "San Jose"], ["New York", "San Jose", "Rome"]])
        self.bad(3, "pairs:1: give two ids a line, with a tab", "path", "n.csv", "--pairs", self.write("pairs", "New York San Jose\n"))

    def test_wrong(self):
        for text, part in [("1\n", "pairs:1: give two ids a line"), ("1 2\n\n3 x\n", "pairs:3: no vertex has the id 'x'"),
                           ("1 2\n1 99\n", "pairs:2: no vertex has the id 99"), ("# nothing\n", "pairs has no ids; give two a line"),
                           ("1 2 3\n", "pairs:1: give two ids a line"), ("1 \0\n", "give two ids a line, as text")]:
            self.bad(3, part, "path", "town.meg", "--pairs", self.write("pairs", text))
        self.bad(3, "cannot open gone: no such file.", "path", "town.meg", "--pairs", "gone")
        self.bad(2, "leave --from out", "path", "town.meg", "--pairs", "pairs", "--from", 1, "--to", 2)
        self.bad(2, "only once", "path", "-", "--pairs", "-")


class Wrong(Path):
    def test_unknown_vertex(self):
        self.bad(3, "no vertex has the id 6; the nearest ids are 5 and 7.", "path", "town.meg", "--from", 6, "--to", 1)
        self.bad(3, "no vertex has the id 'x'", "path", "town.meg", "--from", 1, "--to", "x")

    def test_names_that_are_nearly_right(self):
        self.write("n.csv", "from,to\nTokyo,Ōsaka\nŌsaka,Kyoto\nKyoto,Nara Station\nNara Station,Tokushima\n")
        self.good("build", "n.csv", "-q", "-o", "n.meg")
        for typed, meant in [("tokyo", "'Tokyo'"), ("Tokio", "'Tokyo'"), ("Osaka", "'Ōsaka'"), ("nara", "'Nara Station'"),
                             ("station", "'Nara Station'"), ("Toku", "'Tokushima'"), ("Oskaa", "'Ōsaka'")]:
            text = self.bad(3, f"no vertex has the id '{typed}'; did you mean ", "path", "n.meg", "--from", typed, "--to", "Kyoto")
            self.assertIn("did you mean " + meant, text)
        text = self.bad(3, "no vertex has the id 'Reykjavik'.", "path", "n.meg", "--from", "Reykjavik", "--to", "Kyoto")
        self.assertNotIn("mean", text)

    def test_usage(self):
        self.bad(2, "--from", "path", "town.meg")
        self.bad(2, "--to", "path", "town.meg", "--from", 1)
        ends = ["path", "town.meg", "--from", 1, "--to", 5]
        self.bad(2, "algorithm", *ends, "--algorithm", "magic")
        self.bad(2, "--k is for --algorithm yens", *ends, "--algorithm", "simple", "--k", 3)
        for algorithm in ["all", "simple"]:
            self.bad(2, "give a maximum of edges", *ends, "--algorithm", algorithm)
        self.bad(2, "two forms", *ends, "--json", "--csv")
        self.bad(2, "leave one of them out", *ends, "--lines", "-o", "o.csv")
        self.bad(2, "not negative", *ends, "--max-cost=-1")
        self.bad(2, "above 0", *ends, "--timeout", 0)
        self.bad(2, ".csv, .tsv, .jsonl or .geojson", *ends, "-o", "o.npy")
        self.bad(2, "would be overwritten", "path", "town.csv", "--from", 1, "--to", 5, "-o", self.write("town.csv", "1,2\n"))
        self.bad(2, "is an input", *ends, "--geojson", "town.meg")
        self.bad(4, "no folder", *ends, "-o", "gone/o.csv")
        self.bad(5, "does not run on the engine", *ends, "--engine", "cluster")
        self.bad(5, "the path algorithm yens does not run on a device", *ends, "--algorithm", "yens", "--engine", "device")
        self.assertEqual(self.names(), ["town.csv", "town.meg", "town.wel"])

    def test_what_the_graph_lacks(self):
        self.bad(3, "coordinates", "path", "town.meg", "--from", 1, "--to", 5, "--algorithm", "astar")
        self.write("minus.wel", "1 2 -4\n2 3 1\n")
        result = self.run_it("path", "minus.wel", "--from", 1, "--to", 3)
        self.assertEqual((result.returncode, result.stdout), (3, b""), result.stderr)
        self.assertIn(b"from 1 to 2 is -4", result.stderr)

    def test_full_disk(self):
        self.need(os.path.exists("/dev/full"), "/dev/full")
        for name in ["full.csv", "full.jsonl", "full.geojson"]:
            os.symlink("/dev/full", self.path(name))
        self.bad(4, "no room to write full.csv", "path", "town.meg", "--from", 1, "--to", 5, "-o", "full.csv")
        self.bad(4, "no room to write full.jsonl", "path", "town.meg", "--from", 1, "--to", 5, "-o", "full.jsonl")


class Endless(Case):
    """More paths than anyone can wait for."""

    def setUp(self):
        super().setUp()
        self.write("clique.el", "".join(f"{a} {b}\n" for a in range(40) for b in range(40) if a != b))
        self.good("build", "clique.el", "-q", "-o", "g.meg")

    def test_timeout(self):
        for algorithm in ["all", "simple"]:
            started = time.monotonic()
            facts = self.json("path", "g.meg", "--from", 0, "--to", 1, "--algorithm", algorithm, "--timeout", 0.1)
            self.assertEqual(facts["end"], "timeout")
            self.assertEqual(len(facts["paths"]), facts["path_count"])
            self.assertGreaterEqual(facts["seconds"]["search"], 0.1)
            if not SANITIZED:
                self.assertLess(time.monotonic() - started, 10)
        text = self.good("path", "g.meg", "--from", 0, "--to", 1, "--algorithm", "all", "--timeout", 0.05)
        self.assertIn("\nthere may be more paths from 0 to 1: the time of 0.05 s is over\n", text)
        self.write("pairs", "0 1\n2 3\n")
        text = self.good("path", "g.meg", "--pairs", "pairs", "--algorithm", "simple", "--timeout", 0.05, "-o", "o.csv")
        self.assertRegex(text, "paths for 2 pairs,( [12] without one,)? 2 out of time by simple")  # a busy machine

    def test_a_table_that_is_not_complete(self):
        words = ["path", "g.meg", "--from", 0, "--to", 1, "--algorithm", "simple", "--csv"]
        for limit, part in [(["--timeout", 0.05], b"the time is over"), (["--limit", 3], b"the limit is reached")]:
            result = self.run_it(*words, *limit)
            self.assertEqual((result.returncode, result.stderr), (0, b"meguri: there may be more paths: " + part + b".\n"))
            self.assertEqual(self.run_it(*words, *limit, "-q").stderr, b"")

    def test_interrupt(self):
        for words, whole in [(["--json"], True), (["--csv"], False), (["-o", "o.csv"], False)]:
            process = subprocess.Popen([MEGURI, "path", "g.meg", "--from", "0", "--to", "1", "--algorithm", "simple", "--max-hops", "30",
                                        *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       bufsize=0, preexec_fn=default_signals)
            if words[0] == "-o":
                time.sleep(0.5)
                start = b""
            else:
                start = process.stdout.read(1000)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, errors)
            self.assertEqual(errors.count(b"\n"), 1)
            if whole:
                self.assertEqual(json.loads(start + output)["end"], "failed")
        self.assertEqual(self.names(), ["clique.el", "g.meg"])


class LongWay(Case):
    def test_interrupt(self):
        """One path that is longer than a pipe holds, of which the reader has seen enough."""
        self.write("long.el", "".join(f"{v} {v + 1}\n" for v in range(100000)))
        self.good("build", "long.el", "-q", "-o", "g.meg")
        for words in [["--json"], ["--lines"], ["--csv"], []]:
            process = subprocess.Popen([MEGURI, "path", "g.meg", "--from", "0", "--to", "100000", *words], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, preexec_fn=default_signals)
            start = process.stdout.read(1000)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
            text = (start + output).decode()
            self.assertEqual((process.returncode, errors.count(b"\n")), (130, 1), errors)
            self.assertLess(len(text), 400000)
            if words == ["--json"]:
                facts = json.loads(text)
                self.assertEqual((facts["end"], [path["cut"] for path in facts["paths"]]), ("failed", [True]))
                self.assertLess(len(facts["paths"][0]["vertices"]), 100001)
            if words == ["--lines"]:
                self.assertTrue(json.loads(text.splitlines()[0])["cut"])
            if not words:
                self.assertTrue(text.endswith(" …\n"))


class RealGraphs(Path):
    def test_railways_by_name(self):
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")
        with gzip.open(os.path.join(DATA, "rail/japan-rail-stations.csv.gz"), "rt", encoding="utf-8") as file:
            names = {row[0]: f"{row[2]} {row[1]}" for row in (line.rstrip("\n").split(",") for line in list(file)[1:])}
        with gzip.open(os.path.join(DATA, "rail/japan-rail.gr.gz"), "rt", encoding="utf-8") as file:
            arcs = [line.split() for line in file if line.startswith("a ")]
        weight = {(names[a], names[b]): int(w) for _, a, b, w in arcs}
        self.write("rail.csv", "from,to,weight\n" + "".join(f"{a},{b},{w}\n" for (a, b), w in weight.items()))
        self.good("build", "rail.csv", "-q", "-o", "rail.meg")
        tokyo, osaka = (next(name for name in names.values() if name.startswith(city)) for city in ["東京 ", "新大阪 "])
        facts = self.json("path", "rail.meg", "--from", tokyo, "--to", osaka, "--k", 20)
        costs = [path["cost"] for path in facts["paths"]]
        self.assertEqual((len(costs), costs), (20, sorted(costs)))
        self.assertEqual(len({tuple(path["vertices"]) for path in facts["paths"]}), 20)
        for path in facts["paths"]:
            self.assertEqual((path["vertices"][0], path["vertices"][-1]), (tokyo, osaka))
            self.assertEqual(path["cost"], sum(weight[edge] for edge in zip(path["vertices"], path["vertices"][1:])))
            self.assertEqual(len(set(path["vertices"])), path["hops"] + 1)
        one = self.json("path", "rail.meg", "--from", tokyo, "--to", osaka)
        self.assertEqual(one["paths"][0]["cost"], costs[0])
        self.assertIn(tokyo, self.bad(3, "did you mean", "path", "rail.meg", "--from", "東京", "--to", osaka))


if __name__ == "__main__":
    main()
