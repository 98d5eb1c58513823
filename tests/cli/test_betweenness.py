"""betweenness from end to end: against the definition written here, LAGraph's and NetworkX's known values, and every
sentence it has for wrong input."""
import json
import os
import random
from collections import defaultdict
from fractions import Fraction

from harness import Case, DATA, main

# What NetworkX 3.1 gives for its karate_club_graph() with normalized=False: the vertices 0, 33, 32, 2, 31.
KARATE = {1: 231.0714285714286, 34: 160.5515873015873, 33: 76.6904761904762, 3: 75.8507936507937, 32: 73.0095238095238}


def ways_from(out, source):
    level, ways, frontier = {source: 0}, defaultdict(int, {source: 1}), [source]
    while frontier:
        new = []
        for a in frontier:
            for b in out[a]:
                if b not in level:
                    level[b] = level[a] + 1
                    new.append(b)
                if level[b] == level[a] + 1:
                    ways[b] += ways[a]
        frontier = new
    return level, ways


def scores_of(edges, sources, both):
    """By the definition, in exact fractions."""
    out, score = defaultdict(list), defaultdict(Fraction)
    for a, b in edges:
        out[a].append(b)
        if both:
            out[b].append(a)
    vertices = {v for edge in edges for v in edge}
    known = {v: ways_from(out, v) for v in vertices}
    for s in sources:
        level, ways = known[s]
        for v in level:
            for t, rest in known[v][0].items():
                if len({s, v, t}) == 3 and level[v] + rest == level[t]:
                    score[v] += Fraction(ways[v] * known[v][1][t], ways[t])
    return {v: float(score[v]) for v in vertices}


class Betweenness(Case):
    def scores(self, *words):
        self.good("betweenness", *words, "--check", "-q", "-o", "out.tsv")
        with open(self.path("out.tsv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        self.assertEqual(rows[0], ["vertex", "score"])
        return {vertex: float(score) for vertex, score in rows[1:]}

    def same(self, got, want):
        self.assertEqual(set(got), set(want))
        for vertex in want:
            self.assertAlmostEqual(got[vertex], want[vertex], delta=1e-9 * max(1, want[vertex]))


class Scores(Betweenness):
    def test_random_graphs(self):
        noise = random.Random(3)
        for size, count in [(12, 20), (40, 90)]:
            ids = [str(v) for v in sorted(noise.sample(range(10 ** 6), size))]
            edges = {tuple(noise.sample(ids, 2)) for _ in range(count)}
            edges = {(a, b) for a, b in edges if (b, a) not in edges or a < b}
            self.write("g.el", "".join(f"{a} {b}\n" for a, b in edges))
            vertices = sorted({v for edge in edges for v in edge}, key=int)
            listed = [vertices[0], vertices[3], vertices[5], vertices[3]]
            self.write("list", "\n".join(listed))
            for direction in ["directed", "undirected"]:
                both = direction == "undirected"
                self.good("build", "g.el", "--" + direction, "-q", "-o", "g.meg")
                want = scores_of(edges, vertices, both)
                want = {v: score / 2 for v, score in want.items()} if both else want
                for threads in [1, 3]:
                    self.same(self.scores("g.meg", "--threads", threads), want)
                self.same(self.scores("g.meg", "--sources", "all"), want)
                self.same(self.scores("g.meg", "--sources", 1000), want)
                self.same(self.scores("g.meg", "--source-list", "list"), scores_of(edges, listed, both))

    def test_samples(self):
        self.good("gen", "kronecker", "--scale", 8, "-q", "-o", "g.meg")
        one = self.scores("g.meg", "--sources", 5)
        self.assertEqual(self.scores("g.meg", "--sources", 5, "--seed", 1, "--threads", 5), one)
        self.assertNotEqual(self.scores("g.meg", "--sources", 5, "--seed", 2), one)

    def test_json(self):
        self.write("g.el", "1 2\n2 3\n")
        facts = self.json("betweenness", "g.el", "--check", "-o", "out.tsv")
        want = dict(vertices=3, sources=2, depth=2, checked=True, columns=[dict(name="score", type="f64")])
        self.assertEqual({key: facts[key] for key in want}, want)
        self.assertNotIn("seed", facts)
        facts = self.json("betweenness", "g.el", "--sources", 1, "--seed", 9)
        self.assertEqual((facts["sources"], facts["seed"]), (1, 9))
        text = self.good("betweenness", "g.el")
        self.assertRegex(text, r"^scores of 3 vertices from 2 sources, depth 2\nlooked at \d+ edges in ")

    def test_trace(self):
        self.good("gen", "kronecker", "--scale", 8, "-q", "-o", "g.meg")
        for sources, ways in [(1, ["single"]), (19, ["together"] * 3)]:
            facts = self.json("betweenness", "g.meg", "--sources", sources, "--trace", "t.json")
            with open(self.path("t.json")) as file:
                steps = [step for step in map(json.loads, file) if step["run"] == "betweenness"]
            self.assertEqual([step["step"] for step in steps], list(range(len(ways))))
            self.assertEqual([step["way"] for step in steps], ways)
            self.assertEqual(sum(step["frontier"] for step in steps), sources)
            self.assertEqual(sum(step["edges"] for step in steps), facts["edges_looked_at"])


class Wrong(Betweenness):
    def test_usage(self):
        self.write("g.el", "1 2\n2 3\n")
        self.write("list", "1\n7\n")
        for value in ["0", "-1", "1.5", "x", "", "some", "99999999999999999999"]:
            self.bad(2, "--sources", "betweenness", "g.el", "--sources", value)
        for value in ["0", "-1", "x"]:
            self.bad(2, "--seed", "betweenness", "g.el", "--seed", value)
        self.bad(2, "contradict each other", "betweenness", "g.el", "--sources", 1, "--source-list", "list")
        self.bad(3, "list:2: no vertex has the id 7; the ids of this graph go from 1 to 3.", "betweenness", "g.el", "--source-list", "list")
        self.bad(3, "cannot open missing: no such file.", "betweenness", "g.el", "--source-list", "missing")
        self.bad(2, "standard input (-) can be read only once", "betweenness", "-", "--source-list", "-")
        self.bad(2, "is an input", "betweenness", "g.el", "--source-list", "list", "--trace", "list")
        self.bad(2, "betweenness needs GRAPH", "betweenness")
        self.bad(2, "o.png", "betweenness", "g.el", "-o", "o.png")
        self.write("1", "not an input")
        self.good("betweenness", "g.el", "--sources", 1, "--trace", "1", "-q")

    def test_empty(self):
        facts = self.json("betweenness", "-", "--check", "-q", stdin=b"# empty\n")
        self.assertEqual((facts["vertices"], facts["sources"], facts["depth"]), (0, 0, 0))


class Known(Betweenness):
    def setUp(self):
        super().setUp()
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")

    def test_lagraph(self):
        """Four sources of two matrices; numbers have six digits there and count vertices from 0."""
        with open(os.path.join(DATA, "lagraph/EXPECTED.json")) as file:
            known = json.load(file)["betweenness_batch4"]
        for name, facts in known.items():
            self.good("build", os.path.join(DATA, "lagraph/data", name), "-q", "-o", "g.meg")
            self.write("list", "".join(f"{v + 1}\n" for v in facts["sources"]))
            got = self.scores("g.meg", "--source-list", "list")
            for v, score in enumerate(facts["bc"]):
                self.assertAlmostEqual(got[str(v + 1)], score, delta=1e-5 * max(1, score), msg=name)

    def test_networkx(self):
        self.good("build", os.path.join(DATA, "lagraph/data/karate.mtx"), "-q", "-o", "g.meg")
        got = self.scores("g.meg")
        for vertex, score in KARATE.items():
            self.assertAlmostEqual(got[str(vertex)], score, places=9)


if __name__ == "__main__":
    main()
