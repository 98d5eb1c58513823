"""meguri overview: every number beside one that is worked out here, the first screen, the page as text."""
import collections
import csv
import gzip
import io
import json
import math
import os
import random
import re
import statistics
import subprocess

from harness import Case, DATA, MEGURI, SANITIZED, main
from test_report import Report
from test_report_map import points_of

HOSTILE = ["<script>alert(1)</script>", "\"q'uote\"", "\u202eevil", "\u2066isolate", "x" * 300, "日本語の駅名前がとても長い名前です", "e\u0301clair",
           "a&b;", "$(touch hacked)", "\u009b31mred", "</title>", "😀😀", "שלום"]


class Model:
    """A graph as lists of arcs, in the order of its ids, and what an overview should say of it."""

    def __init__(self, edges, directed, ids=None):
        """`edges`: (from, to, weight or None), simple or not; ids in the user's order, or integers that are sorted."""
        self.ids = ids or sorted({v for edge in edges for v in edge[:2]})
        place = {v: i for i, v in enumerate(self.ids)}
        self.directed, self.edges = directed, [(place[a], place[b], w) for a, b, w in edges]
        self.n = len(self.ids)
        self.out, self.into = [[] for _ in self.ids], [[] for _ in self.ids]
        for a, b, _ in self.edges:
            self.out[a].append(b)
            self.into[b].append(a)
            if not directed and a != b:
                self.out[b].append(a)
                self.into[a].append(b)
        self.around = [set(out) | set(into) - {v} for v, (out, into) in enumerate(zip(self.out, self.into))]
        for v, around in enumerate(self.around):
            around.discard(v)

    def pagerank(self):
        rank = [1 / self.n] * self.n
        for _ in range(200):
            dangling = sum(r for r, out in zip(rank, self.out) if not out)
            rank = [0.15 / self.n + 0.85 * (sum(rank[u] / len(self.out[u]) for u in self.into[v]) + dangling / self.n)
                    for v in range(self.n)]
        return rank

    def labels(self):
        """LDBC's CDLP, ten iterations; and how many changed in the last."""
        label, changed = list(range(self.n)), 0
        for _ in range(10):
            after = []
            for v in range(self.n):
                counts = collections.Counter(label[u] for u in (self.out[v] + self.into[v] if self.directed else self.out[v]))
                after.append(min((-count, u) for u, count in counts.items())[1] if counts else label[v])
            changed = sum(a != b for a, b in zip(label, after))
            label = after
        return label, changed

    def components(self):
        first = [None] * self.n
        for start in range(self.n):
            stack = [start] if first[start] is None else []
            while stack:
                v = stack.pop()
                if first[v] is None:
                    first[v] = start
                    stack += [u for u in self.around[v] if first[u] is None]
        return first

    def levels(self, source):
        level, queue = {source: 0}, collections.deque([source])
        while queue:
            v = queue.popleft()
            for u in self.out[v]:
                if u not in level:
                    level[u] = level[v] + 1
                    queue.append(u)
        return level

    def modularity(self, label):
        """(share of edges inside, modularity), each undirected edge as two arcs, a loop as well."""
        arcs = [(a, b) for a, b, _ in self.edges] + ([] if self.directed else [(b, a) for a, b, _ in self.edges])
        out, into = collections.Counter(label[a] for a, _ in arcs), collections.Counter(label[b] for _, b in arcs)
        inside = sum(label[a] == label[b] for a, b in arcs) / len(arcs)
        return inside, inside - sum(out[c] * into[c] for c in out) / len(arcs) ** 2

    def triangles(self):
        """(triangles, transitivity, mean coefficient) of the simple undirected graph."""
        closed, paths, mean = 0, 0, 0
        for around in self.around:
            pairs = len(around) * (len(around) - 1) // 2
            joined = sum(len(self.around[u] & around) for u in around) // 2
            closed, paths, mean = closed + joined, paths + pairs, mean + (joined / pairs if pairs else 0)
        return closed // 3, closed / paths if paths else 0, mean / self.n


class Overview(Case):
    look = Report.look

    def page_text(self):
        with open(self.path("page.html"), encoding="utf-8") as file:
            return file.read()

    def near(self, got, want, what):
        self.assertTrue(math.isclose(got, want, rel_tol=1e-6, abs_tol=1e-9), f"{what}: {got} instead of {want}")

    def numbers(self, got, values, things, what, counted=True):
        """A distribution: minimum, median, mean, maximum, and the bins."""
        self.assertEqual((got["min"], got["max"]), (min(values), max(values)), what)
        self.near(got["median"], statistics.median(values), what)
        self.near(got["mean"], sum(values) / len(values), what)
        self.assertEqual(sum(b[things] for b in got["histogram"]), len(values), what)
        for b in got["histogram"] if counted else []:
            self.assertEqual(b[things], sum(b["from"] <= value <= b["to"] for value in values), (what, b))

    def list(self, model, got, values, key, value, what):
        """The ten highest, equal ones in the user's order. Real values that are almost equal may come in any order."""
        want = sorted((-x, v) for v, x in enumerate(values) if x > 0)[:10]
        self.assertEqual(len(got), len(want), what)
        for row, (x, v) in zip(got, want):
            self.near(row[value], -x, what)
            place = model.ids.index(row[key])
            self.assertTrue(place == v or (isinstance(x, float) and math.isclose(values[place], -x, rel_tol=1e-6)), (what, row))

    def degrees(self, got, model, rows, what):
        values = [len(row) for row in rows]
        self.numbers(got, values, "vertices", what)
        self.list(model, got["top"], values, "vertex", "degree", what)
        top = sorted(values)[model.n - (model.n + 99) // 100:]
        self.near(got["share_of_top_percent"], sum(top) / sum(values) if sum(values) else 0, what)

    def compare(self, got, model):
        """Everything in the JSON beside the model."""
        distinct = {(a, b) for a, b, _ in model.edges if a != b}
        pairs = {(min(a, b), max(a, b)) for a, b in distinct}
        self.assertEqual((got["vertices"], got["edges"], got["directed"]), (model.n, len(model.edges), model.directed))
        self.assertEqual((got["first_id"], got["last_id"]), (model.ids[0], model.ids[-1]))
        self.assertEqual(got["self_loops"], sum(a == b for a, b, _ in model.edges))
        kinds = collections.Counter((a, b) if model.directed else (min(a, b), max(a, b)) for a, b, _ in model.edges)
        self.assertEqual(got["parallel_edges"], sum(count - 1 for count in kinds.values()))
        self.assertEqual(got["pairs"], len(pairs))
        self.assertEqual("reciprocity" in got, model.directed)
        if model.directed:
            self.near(got["reciprocity"], sum((b, a) in distinct for a, b in distinct) / max(1, len(distinct)), "reciprocity")
            self.assertEqual((got["sources"], got["sinks"]), tuple(sum(bool(x) and not y for x, y in zip(*sides)) for sides in
                                                                  [(model.out, model.into), (model.into, model.out)]))
            self.degrees(got["out_degree"], model, model.out, "out-degree")
            self.degrees(got["in_degree"], model, model.into, "in-degree")
        else:
            self.degrees(got["degree"], model, model.out, "degree")
        weights = [w for _, _, w in model.edges if w is not None]
        self.assertEqual(got["weight"] is None, not weights)
        if weights:
            self.assertEqual((got["weight"]["count"], got["weight"]["negative"], got["weight"]["zero"]),
                             (len(weights), sum(w < 0 for w in weights), sum(w == 0 for w in weights)))
            self.numbers(got["weight"], weights, "edges", "weight", counted=False)
        self.compare_groups(got, model, len(pairs))
        self.compare_distances(got["distances"], model)
        triangles, transitivity, mean = model.triangles()
        self.assertEqual((got["clustering"]["skipped"], got["clustering"]["triangles"]), (None, triangles))
        self.near(got["clustering"]["transitivity"], transitivity, "transitivity")
        self.near(got["clustering"]["mean_coefficient"], mean, "mean coefficient")

    def compare_groups(self, got, model, pairs):
        first = model.components()
        sizes = collections.Counter(first)
        self.assertEqual(got["components"]["count"], len(sizes))
        self.near(got["components"]["largest_share"], max(sizes.values()) / model.n, "largest_share")
        self.numbers(got["components"], list(sizes.values()), "components", "components")
        self.list(model, got["components"]["top"], [sizes[v] for v in range(model.n)], "component", "size", "components")
        self.assertEqual(got["forest"], pairs + len(sizes) == model.n)
        rank = model.pagerank()
        self.list(model, got["pagerank"]["top"], rank, "vertex", "rank", "pagerank")
        label, changed = model.labels()
        linked = [v for v in range(model.n) if model.out[v] or model.into[v]]
        sizes = collections.Counter(label[v] for v in linked)
        c = got["communities"]
        self.assertEqual((c["method"], c["count"]), ("lpa", len(sizes)))
        if not linked:
            return
        self.numbers(c, list(sizes.values()), "communities", "communities")
        self.list(model, c["top"], [sizes[v] for v in range(model.n)], "label", "size", "communities")
        inside, modularity = model.modularity(label)
        self.near(c["inside"], inside, "inside")
        self.near(c["modularity"], modularity, "modularity")
        self.near(c["unsettled"], changed / len(linked), "unsettled")
        for row in c["top"]:
            members = [rank[v] for v in range(model.n) if label[v] == model.ids.index(row["label"])]
            self.near(rank[model.ids.index(row["leader"])], max(members), "leader")

    def compare_distances(self, got, model):
        first = model.components()
        largest = max(collections.Counter(first).items(), key=lambda item: (item[1], -item[0]))[0]
        source = max((v for v in range(model.n) if first[v] == largest), key=lambda v: (len(model.out[v]), -v))
        self.assertEqual(got["source"], model.ids[source])
        levels = model.levels(source)
        depth = max(levels.values())
        far = min(v for v, level in levels.items() if level == depth)
        again = max(model.levels(far).values())
        self.assertEqual((got["farthest"], got["reached"], got["longest"]), (model.ids[far], len(levels), max(depth, again)))
        self.assertEqual(got["diameter_at_most"], None if model.directed else 2 * min(depth, again))
        if depth:
            self.numbers(got, [level for level in levels.values() if level], "vertices", "levels")

    def table(self, edges, weighted, name="g.csv"):
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["source", "target"] + ["weight"] * weighted)
        writer.writerows([a, b] + [w] * weighted for a, b, w in edges)
        return self.write(name, out.getvalue())

    # ---- numbers -----------------------------------------------------------------------------------------------------

    def test_random_graphs(self):
        rng = random.Random(7)
        for turn in range(8 if SANITIZED else 24):
            n, weighted, directed = rng.randint(2, 120), turn % 2, bool(turn & 2)
            names = rng.sample(range(10**6), n) if turn % 3 else [f"v {i}" for i in range(n)]
            draw = [lambda: rng.randint(1, 9), lambda: rng.choice([-2.5, 0, 1e6, 0.125]), lambda: rng.random()][turn % 3]
            edges = [(names[int(n * rng.random() ** 2)], rng.choice(names), draw() if weighted else None)
                     for _ in range(rng.randint(1, 4 * n))]
            keep = turn % 4 == 0
            if not keep:
                kept = {}
                for a, b, w in edges:
                    key = (a, b) if directed or a <= b else (b, a)
                    if a != b and (key not in kept or (weighted and w < kept[key])):
                        kept[key] = w
                simple = [(a, b, w) for (a, b), w in kept.items()]
            else:
                simple = edges
            order = list(dict.fromkeys(v for edge in edges for v in edge[:2]))
            ids = order if isinstance(names[0], str) else sorted(order)
            flags = ["--directed" if directed else "--undirected"] + ["--keep-duplicates", "--keep-loops"] * keep
            got = self.json("overview", self.table(edges, weighted), *flags, "--threads", 1 + turn % 3)
            self.compare(got, Model(simple, directed, ids))

    def test_shapes(self):
        """A cycle, a path, a star, a tree, cliques that are joined, a complete graph."""
        cliques = [(10 * c + a, 10 * c + b, None) for c in range(4) for a in range(8) for b in range(a)]
        shapes = [[(i, (i + 1) % 9, None) for i in range(9)], [(i, i + 1, None) for i in range(300)], [(0, i, None) for i in range(1, 130)],
                  [((i - 1) // 2, i, None) for i in range(1, 64)], cliques + [(10 * c, 10 * c + 10, None) for c in range(3)],
                  [(a, b, None) for a in range(12) for b in range(a)]]
        for edges in shapes:
            for directed in (False, True):
                got = self.json("overview", self.table(edges, False), "--directed" if directed else "--undirected")
                self.compare(got, Model(edges, directed))
        self.assertEqual(got["communities"]["division"], "one")

    def test_real_graphs(self):
        path = os.path.join(DATA, "social", "lesmis.graph")
        self.need(os.path.exists(path), "the graph lesmis")
        with open(path, encoding="utf-8") as file:
            lines = [line.split() for line in file if not line.startswith("%")][1:]
        edges = {}
        for v, line in enumerate(lines, 1):
            for u, w in zip(map(int, line[::2]), map(int, line[1::2])):
                edges[min(u, v), max(u, v)] = w
        got = self.json("overview", path)
        self.compare(got, Model([(a, b, w) for (a, b), w in edges.items()], False))
        self.assertEqual(got["clustering"]["triangles"], 467)
        path = os.path.join(DATA, "social", "snap-facebook_combined.txt.gz")
        self.need(os.path.exists(path), "the graph of facebook")
        got = self.json("overview", path, "--undirected")  # as SNAP's page has it
        self.assertEqual((got["vertices"], got["edges"], got["clustering"]["triangles"]), (4039, 88234, 1612010))
        self.assertEqual(round(got["clustering"]["mean_coefficient"], 4), 0.6055)
        self.assertTrue(got["distances"]["longest"] <= 8 <= got["distances"]["diameter_at_most"])
        self.assertTrue(self.json("overview", path)["seems_undirected"])

    def test_the_same_at_any_number_of_threads(self):
        self.good("gen", "rmat", "--scale", 13, "-q", "-o", "g.meg")
        self.good("gen", "grid", "--width", 60, "--height", 50, "--links", 40, "-q", "-o", "town.meg")
        for graph in ("g.meg", "town.meg"):
            answers, pages = [], []
            for threads in (1, 2, 5):
                got = self.json("overview", graph, "--threads", threads, "-o", "page.html")
                for key in ("seconds", "threads", "memory_peak_bytes"):
                    del got[key]
                answers.append(got)
                pages.append(self.page_text())
            self.assertEqual(answers[1:], answers[:1] * 2)
            self.assertEqual(pages[1:], pages[:1] * 2)
            self.assertEqual("id=\"map\"" in pages[0], graph == "town.meg")

    def test_a_direction_that_means_nothing(self):
        both = self.json("overview", self.write("both.el", "1 2\n2 1\n2 3\n3 2\n"))
        self.assertEqual((both["reciprocity"], both["seems_undirected"]), (1, True))
        self.assertIn("note: every edge has its reverse; --undirected", self.good("overview", "both.el"))
        self.assertNotIn("in-degree", self.good("overview", "both.el"))
        self.assertTrue(self.json("overview", self.write("up.el", "1 2\n2 3\n1 5\n"))["seems_undirected"])
        self.assertIn("if edges have no direction, read them with --undirected", self.good("overview", "up.el"))
        for name, text in [("down.el", "1 2\n3 2\n"), ("mixed.el", "1 2\n2 1\n2 3\n"), ("words.csv", "a,b\nb,c\n")]:
            self.write(name, text)
            flags = ["--no-header"] * name.endswith("csv")
            self.assertFalse(self.json("overview", name, *flags)["seems_undirected"], name)
            self.assertNotIn("note:", self.good("overview", name, *flags))
        self.assertNotIn("seems_undirected", self.json("overview", "both.el", "--undirected"))

    # ---- what goes in ------------------------------------------------------------------------------------------------

    def test_all_that_build_reads(self):
        edges = [(i, (i * i + 1) % 97, i % 5 + 1) for i in range(97)]
        self.table(edges, True)
        with open(self.path("g.csv"), "rb") as file:
            text = file.read()
        self.write("g.csv.gz", gzip.compress(text))
        self.good("build", "g.csv", "-q", "-o", "g.meg")
        want = self.json("overview", "g.csv")

        def told(*words, **more):
            got = self.json("overview", *words, **more)
            return {key: got[key] for key in got if key not in ("graph", "seconds", "memory_peak_bytes", "threads")}
        want = {key: want[key] for key in told("g.csv")}
        for words, more in [(["g.meg"], {}), (["g.csv.gz"], {}), (["-"], {"stdin": text}), (["-"], {"stdin": gzip.compress(text)})]:
            self.assertEqual(told(*words, **more), want, words)
        self.bad(2, "--undirected is for text input", "overview", "g.meg", "--undirected")

    def test_reading_options(self):
        self.write("t.txt", "who|whom|when\nann|bob|3\nbob|cy|4\ncy|ann|\n")
        got = self.json("overview", "t.txt", "--format", "csv", "--separator", "|", "--source-column", "who", "--target-column", "whom",
                        "--weight-column", "when", "--default-weight", "7", "--undirected")
        self.assertEqual((got["vertices"], got["weight"]["max"], got["directed"]), (3, 7, False))
        text = self.good("overview", "t.txt", "--format", "csv", "--separator", "|", "--no-header", "--weights", "none", "--undirected")
        self.assertIn("meguri build t.txt --undirected --format csv --no-header --separator '|' --weights none -o t.meg\n", text)

    def test_next_commands_run(self):
        """What is proposed does what it says, whatever the file is called."""
        for name in ["g.csv", "two words.csv", "it's; $(touch hacked) `x` \"y\".el", "-dash.el"]:
            self.write(name, "1 2\n2 3\n3 1\n")
            text = self.good("overview", "./" + name, "--undirected")
            commands = re.findall(r"^(?:next:|     ) (meguri .*)$", text, re.M)
            self.assertEqual(len(commands), 2, text)
            for command in commands:
                done = subprocess.run(["sh", "-c", command.replace("meguri", f"'{MEGURI}'", 1)], cwd=self.folder, capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, b""), command)
            self.assertIn("page.html", self.names())
        self.assertNotIn("hacked", self.names())
        self.assertNotIn("next:", self.good("overview", "-", stdin=b"1 2\n"))
        self.assertNotIn("next:", self.good("overview", self.write("line\nend.el", "1 2\n")))
        self.good("build", "g.csv", "-q", "-o", "g.meg")
        self.assertIn("next: meguri overview g.meg -o page.html\n", self.good("overview", "g.meg"))
        self.assertNotIn("next:", self.good("overview", "g.meg", "-o", "p.html"))

    def test_nothing_much(self):
        for name, text, vertices in [("empty.el", "", 0), ("iso.gr", "p sp 5 0\n", 5), ("one.gr", "p sp 1 0\n", 1)]:
            self.write(name, text)
            result = self.run_it("overview", name, "--json", "-o", "page.html")
            self.assertEqual(result.returncode, 0, result.stderr)
            got = json.loads(result.stdout)
            self.assertEqual((got["vertices"], got["edges"], got["components"]["count"]), (vertices, 0, vertices))
            self.assertEqual((got["communities"]["count"], got["clustering"]["triangles"], got["pagerank"]["top"] != []),
                             (0, 0, vertices > 0))
            self.assertEqual((got["weight"], got["bounds"], got["distances"] is None), (None, None, vertices == 0))
            self.look("page.html")
            self.assertIn("isolated" if vertices else "the graph is empty", self.run_it("overview", name).stdout.decode())
        loop = self.json("overview", self.write("loop.el", "4 4\n"), "--keep-loops")
        self.assertEqual((loop["self_loops"], loop["pairs"], loop["communities"]["modularity"]), (1, 0, 0))
        self.assertIn("1 self-loop, no parallel edges", self.good("overview", "loop.el", "--keep-loops"))

    def test_large_and_negative_ids(self):
        big = 2**64 - 1
        got = self.json("overview", self.write("big.el", f"{big} 0\n5 {big}\n"))
        self.assertEqual((got["last_id"], got["out_degree"]["top"][1]["vertex"]), (big, big))
        self.assertIn(str(big), self.good("overview", "big.el"))
        got = self.json("overview", self.write("signed.el", f"-5 3\n3 {-2**63}\n"))
        self.assertEqual((got["first_id"], got["ids"]), (-2**63, "signed"))

    # ---- what comes out ----------------------------------------------------------------------------------------------

    def test_first_screen(self):
        """40 lines of 80 columns hold it, and they agree with the JSON."""
        rng = random.Random(3)
        edges = [(int(3000 * rng.random() ** 3), rng.randrange(3000), rng.randint(1, 5000)) for _ in range(20000)]
        self.table(edges, True)
        for flags in (["--undirected"], [], ["--keep-duplicates", "--keep-loops"]):
            text, got = self.good("overview", "g.csv", *flags), self.json("overview", "g.csv", *flags)
            lines = text.split("\n")
            self.assertLessEqual(len(lines) - 1, 40)
            for line in lines:
                self.assertLessEqual(len(line), 80, line)
            self.assertTrue(text.startswith(f"g.csv: {got['vertices']:,} vertices, {got['edges']:,} edges, "), text)
            self.assertIn(f"{got['clustering']['triangles']:,} triangles", text)
            ids = [re.split(r"\s{2,}", line.strip())[1] for line in lines if re.match(r" ?\d+  \d", line)]
            self.assertEqual(ids, [str(row["vertex"]) for row in got["pagerank"]["top"]])
        self.assertIn(f"{got['self_loops']} self-loops, {got['parallel_edges']:,} parallel edges\n", text)

    def test_names_cannot_steer_the_terminal(self):
        edges = [(a, b, None) for i, a in enumerate(HOSTILE) for b in HOSTILE[i + 1:]]
        text = self.good("overview", self.table(edges, False), "--undirected")
        for character in "\u202e\u2066\u009b\x1b":
            self.assertNotIn(character, text)
        self.assertIn("\\u202Eevil", text)
        self.assertIn("日本", text)
        rows = [re.match(r"[ 1]\d  .* 0\.0\d+", line) for line in text.split("\n")]
        widths = {sum(2 if ord(c) > 0x2e80 else 0 if c == "\u0301" else 1 for c in row.group()) for row in rows if row}
        self.assertEqual((len(widths), sum(map(bool, rows))), (1, 10), text)  # the columns are aligned
        got = self.json("overview", "g.csv", "--undirected")
        self.assertEqual({row["vertex"] for row in got["degree"]["top"]} - set(HOSTILE), set())

    def test_top(self):
        self.good("gen", "uniform", "--vertices", 50, "--edges", 400, "-q", "-o", "g.meg")
        for top in (1, 3, 1000):
            got = self.json("overview", "g.meg", "--top", top)
            self.assertEqual([len(got["pagerank"]["top"]), len(got["in_degree"]["top"])], [min(top, 50)] * 2)
        self.assertIn("\n50  ", self.good("overview", "g.meg", "--top", 99))
        self.bad(2, "from 1 to 1000", "overview", "g.meg", "--top", 0)

    def test_output(self):
        self.write("g.el", "1 2\n2 3\n")
        for name in ("map.png", "page.htm", "page", "page.html.gz", "g.meg", "page.HTML", ".html"):
            self.bad(2, "use .html, or - for standard output", "overview", "g.el", "-o", name)
        self.assertEqual(self.names(), ["g.el"])
        self.bad(4, "there is no folder", "overview", "g.el", "-o", "no/page.html")
        self.bad(2, "would be overwritten", "overview", self.write("in.html", "1 2\n"), "-o", "in.html")
        result = self.run_it("overview", "g.el", "-o", "-")
        self.assertTrue(result.stdout.startswith(b"<!doctype html>"))
        self.assertIn(b"3 vertices, 2 edges", result.stderr)
        text = self.good("overview", "g.el", "-o", "page.html")
        self.assertRegex(text, r" → page.html, \d")
        with open(self.path("page.html"), "rb") as file:
            self.assertEqual(file.read(), result.stdout)
        self.assertEqual(self.good("overview", "g.el", "-q", "-o", "again.html"), "")
        got = self.json("overview", "g.el", "-o", "page.html")
        self.assertEqual((got["file"], got["file_bytes"]), ("page.html", os.path.getsize(self.path("page.html"))))

    def test_failures(self):
        self.bad(2, "overview needs INPUT", "overview")
        self.bad(2, "one argument too many", "overview", "a", "b")
        self.bad(3, "no.csv", "overview", "no.csv", "-o", "page.html")
        self.bad(5, "cluster", "overview", self.write("g.el", "1 2\n"), "--engine", "cluster")
        self.bad(3, "bad.el:2", "overview", self.write("bad.el", "1 2\nx\n"), "-o", "page.html")
        self.assertNotIn("page.html", self.names())
        self.good("gen", "rmat", "--scale", 12, "-q", "-o", "g.meg")
        self.bad(4, "budget", "overview", "g.meg", "--memory", "200k")

    def test_trace(self):
        self.good("overview", self.write("g.el", "1 2\n2 3\n"), "-q", "--trace", "t.json")
        with open(self.path("t.json"), encoding="utf-8") as file:
            phases = [line["phase"] for line in map(json.loads, file) if line["run"] == "overview"]
        self.assertEqual(phases, ["edges", "weights", "degrees", "coordinates", "components", "distances", "pagerank", "communities",
                                  "triangles"])

    def test_first_example(self):
        self.assertIn("Example: meguri overview edges.csv\n", self.good("--help"))

    # ---- the page ----------------------------------------------------------------------------------------------------

    def test_page_is_well_formed(self):
        edges = [(a, b, i) for i, a in enumerate(HOSTILE) for b in HOSTILE[i + 1:]]
        self.table(edges, True, "<b>&.csv")
        for flags in ([], ["--undirected"]):
            self.good("overview", "<b>&.csv", *flags, "-q", "-o", "page.html")
            page, text = self.look("page.html"), self.text
            self.assertEqual((page.all("img"), len(page.all("script"))), ([], 1))
            self.assertNotIn("<script>alert", text)
            for character in "\u202e\u2066\u009b":
                self.assertNotIn(character, text)
            self.assertIn(">&lt;script&gt;alert(1)&lt;/script&gt;</bdi>", text)
            self.assertIn("<title>&lt;b&gt;&amp;.csv", text)
            self.assertIn(">שלום</bdi>", text)
            self.assertNotIn("x" * 60, text)

    def test_across_the_date_line(self):
        """Places on both sides of 180 degrees lie beside each other."""
        places = [(179.5, -17.5), (-179.75, -17.25), (179.75, -16.5), (-179.5, -16.25)]
        self.write("fiji.gr", "p sp 4 3\na 1 2 5\na 2 4 5\na 3 4 5\n")
        self.write("fiji.co", "p aux sp co 4\n" + "".join(f"v {i} {round(x * 1e6)} {round(y * 1e6)}\n" for i, (x, y) in enumerate(places, 1)))
        self.good("build", "fiji.gr", "--coords", "fiji.co", "-q", "-o", "fiji.meg")
        self.good("overview", "fiji.meg", "-q", "-o", "page.html")
        data = re.findall(r'<path class="net[^>]* d="([^"]*)"', self.page_text())
        lines = [line for path in data for line in points_of(path)]
        across = [x for line in lines for x, _ in line]
        self.assertEqual(sum(len(line) - 1 for line in lines), 3)  # no edge goes round the earth, or is left out
        self.assertTrue(max(across) - min(across) > 4000, across)


if __name__ == "__main__":
    main()
