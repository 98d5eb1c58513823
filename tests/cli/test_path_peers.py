"""Paths on real roads and railways against igraph and NetworkX: what they cost, how many hops they have, how many there
are, and which. The graph is read here from the same file, by a few lines of Python."""
import gzip
import itertools
import json
import os
import random
import sys

from harness import Case, DATA, SANITIZED, main

try:
    import igraph
    import networkx
except ImportError:
    # The packages of the distribution belong to its own interpreter, which may not be the one that runs this.
    igraph = networkx = None
    own = "/usr/bin/python3"
    if os.path.exists(own) and "MEGURI_TRIED_PYTHON" not in os.environ:
        os.environ["MEGURI_TRIED_PYTHON"] = sys.executable
        os.execv(own, [own, "-B", *sys.argv])

ROADS = {  # file, coordinates; small ones are asked more
    "monaco-d": ("osm/monaco-d.gr.gz", "osm/monaco.co.gz"),
    "andorra-t": ("osm/andorra-t.gr.gz", "osm/andorra.co.gz"),
    "heidelberg-t": ("osm/heidelberg-t.gr.gz", "osm/heidelberg.co.gz"),
    "rail": ("rail/japan-rail.gr.gz", "rail/japan-rail.co.gz"),
    "ballard": ("road/fastpaths-graph_ballard.gr", None),
    "bremen": ("road/fastpaths-bremen_dist.gr", None),
}
SMALL = ["rail", "ballard", "monaco-d"]
if SANITIZED:
    SMALL = ["rail"]
    ROADS = {name: ROADS[name] for name in SMALL}


def read_arcs(path):
    """The lightest of parallel arcs, as the command merges them; no loops."""
    arcs = {}
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:
        for line in file:
            if line.startswith("a "):
                _, a, b, weight = line.split()
                key = int(a), int(b)
                if key[0] != key[1]:
                    arcs[key] = min(arcs.get(key, int(weight)), int(weight))
    return arcs


class Peers(Case):
    def setUp(self):
        super().setUp()
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")
        self.need(igraph and networkx, "igraph and NetworkX for Python (python3-igraph, python3-networkx)")

    def get(self, name):
        """Builds the graph; its arcs and the ids that have any, in order."""
        edges, coordinates = ROADS[name]
        words = ["--coords", os.path.join(DATA, coordinates)] if coordinates else []
        self.good("build", os.path.join(DATA, edges), *words, "-q", "-o", "g.meg")
        arcs = read_arcs(os.path.join(DATA, edges))
        return arcs, sorted({v for arc in arcs for v in arc})

    def ask(self, pairs, *words):
        """The paths of each pair."""
        self.write("pairs", "".join(f"{a} {b}{''.join(' ' + word for word in more)}\n" for a, b, *more in pairs))
        found = [json.loads(line) for line in self.good("path", "g.meg", "--pairs", "pairs", "--json", *words).splitlines()]
        self.assertEqual([(line["from"], line["to"]) for line in found], [(a, b) for a, b, *_ in pairs])
        return [line["paths"] for line in found]

    def check_path(self, arcs, path):
        steps = list(zip(path["vertices"], path["vertices"][1:]))
        self.assertEqual(path["cost"], sum(arcs[step] for step in steps))
        self.assertEqual((path["hops"], path["costs"]), (len(steps), [0, *itertools.accumulate(arcs[step] for step in steps)]))

    def near(self, graph, noise, count, hops):
        """Pairs at most so many hops apart, and how far they are."""
        pairs = []
        while len(pairs) < count:
            start = noise.choice(list(graph))
            around = networkx.single_source_shortest_path_length(graph, start, cutoff=hops)
            goal = noise.choice(sorted(around))
            if goal != start:
                pairs.append((start, goal, around[goal]))
        return pairs


class Cheapest(Peers):
    def test_costs_and_hops(self):
        """200 pairs each; those of a source are asked one after another by the tree and in any order by the others."""
        for name in ROADS:
            arcs, ids = self.get(name)
            place = {v: i for i, v in enumerate(ids)}
            graph = igraph.Graph(n=len(ids), edges=[(place[a], place[b]) for a, b in arcs], directed=True)
            noise = random.Random(name)
            sources, targets = noise.sample(ids, 20), [noise.sample(ids, 10) for _ in range(20)]
            pairs = [(a, b) for a, row in zip(sources, targets) for b in row]
            weights = list(arcs.values())
            cost, hops = {}, {}
            for known, given in [(cost, weights), (hops, None)]:
                far = graph.distances(source=[place[a] for a in sources], weights=given)
                known.update(((a, b), far[i][place[b]]) for i, a in enumerate(sources) for b in targets[i])
            self.assertGreater(sum(value != float("inf") for value in cost.values()), 100)
            ways = [["--algorithm", way] for way in ["dijkstra", "bidirectional", "tree", "auto"]]
            ways += [["--algorithm", "astar"]] * bool(ROADS[name][1]) + [["--index"]] * (not SANITIZED)
            for way in ways:
                if way[-1] != "tree":
                    noise.shuffle(pairs)
                for pair, paths in zip(pairs, self.ask(pairs, *way)):
                    self.assertEqual([path["cost"] for path in paths], [cost[pair]] * (cost[pair] != float("inf")), (name, way, pair))
                    for path in paths:
                        self.check_path(arcs, path)
                pairs.sort(key=lambda pair: sources.index(pair[0]))
            for pair, paths in zip(pairs, self.ask(pairs, "--algorithm", "shortest")):
                self.assertEqual([path["hops"] for path in paths], [hops[pair]] * (hops[pair] != float("inf")), (name, pair))
            # Against the direction of the edges the way back is what was the way there.
            back = [(b, a) for a, b in pairs]
            for pair, paths in zip(pairs, self.ask(back, "--direction", "in")):
                self.assertEqual([path["cost"] for path in paths], [cost[pair]] * (cost[pair] != float("inf")), (name, pair))


class Several(Peers):
    def graphs(self):
        for name in SMALL:
            arcs, _ = self.get(name)
            graph = networkx.DiGraph()
            graph.add_weighted_edges_from((a, b, weight) for (a, b), weight in arcs.items())
            yield name, arcs, graph, random.Random(name)

    def test_all_shortest(self):
        for name, _, graph, noise in self.graphs():
            pairs = [(a, b) for a, b, _ in self.near(graph, noise, 40, 25)]
            for (a, b), paths in zip(pairs, self.ask(pairs, "--algorithm", "all-shortest")):
                want = sorted(networkx.all_shortest_paths(graph, a, b))
                self.assertEqual(sorted(path["vertices"] for path in paths), want, (name, a, b))

    def test_simple(self):
        """All of them up to a number of hops, each pair with its own."""
        for name, _, graph, noise in self.graphs():
            pairs = [(a, b, f"max-hops={far + 3}") for a, b, far in self.near(graph, noise, 40, 9)]
            for (a, b, most), paths in zip(pairs, self.ask(pairs, "--algorithm", "simple")):
                want = sorted(networkx.all_simple_paths(graph, a, b, cutoff=int(most.split("=")[1])))
                self.assertEqual(sorted(path["vertices"] for path in paths), want, (name, a, b, most))

    def test_simple_shortest_first(self):
        """With nothing but a number of paths: as many of the shortest as that."""
        for name, _, graph, noise in self.graphs():
            pairs = [(a, b) for a, b, _ in self.near(graph, noise, 12, 9)]
            for (a, b), paths in zip(pairs, self.ask(pairs, "--algorithm", "simple", "--limit", 6)):
                want = [len(path) - 1 for path in itertools.islice(networkx.shortest_simple_paths(graph, a, b), 6)]
                self.assertEqual([path["hops"] for path in paths], want, (name, a, b))

    def test_yens(self):
        for name, arcs, graph, noise in self.graphs():
            pairs = [(a, b) for a, b, _ in self.near(graph, noise, 8, 9)]
            for (a, b), paths in zip(pairs, self.ask(pairs, "--k", 8)):
                want = [sum(arcs[step] for step in zip(path, path[1:]))
                        for path in itertools.islice(networkx.shortest_simple_paths(graph, a, b, weight="weight"), 8)]
                self.assertEqual([path["cost"] for path in paths], want, (name, a, b))
                self.assertEqual(len({tuple(path["vertices"]) for path in paths}), len(want))
                for path in paths:
                    self.check_path(arcs, path)
                    self.assertEqual(len(set(path["vertices"])), path["hops"] + 1)


if __name__ == "__main__":
    main()
