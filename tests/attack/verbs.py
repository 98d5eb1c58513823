"""One function for each verb: random flags, the command, its answer beside the reference."""
import collections
import csv
import json
import math
import os
import statistics

import networkx

import reference
import results
from graphs import Input, Shape, write_input
from session import Wrong, has_device


VERBS = {}  # name → the function and how often it comes
PLAIN = []  # names of those that need nothing but a graph


def verb(often, of_any_graph=False):
    """A verb of the command that is tried on a graph."""
    def add(function):
        VERBS[function.__name__] = function, often
        if of_any_graph:
            PLAIN.append(function.__name__)
        return function
    return add


class Graph:
    """A graph that was built: words that name it for a verb, and what it should be."""

    def __init__(self, session, words, model, stdin=None, coords=None):
        self.session, self.words, self.model, self.stdin, self.coords = session, words, model, stdin, coords or {}
        self.negative = model.weights in ("f32", "f64") and any(weight < 0 for _, _, weight in model.edges)

    def show(self, v):
        return str(self.model.ids[v])

    def any(self):
        return self.session.rng.randrange(len(self.model))


def common(session):
    """Options that change nothing about an answer."""
    words = ["--threads", session.rng.randint(1, 4)] if session.maybe(0.6) else []
    return words + ["--memory", session.rng.choice(["1M", "5M", "30M", "1GiB"])] * session.maybe(0.1) + ["--check"] * session.maybe(0.3)


def output(session):
    return "out." + session.rng.choice(results.SUFFIXES)


def build(session):
    """Makes a graph in a random format, builds it under random flags, and looks at what the summary says."""
    rng = session.rng
    shape = Shape(rng)
    made = write_input(session, shape)
    directed = rng.choice([None, None, True, False])
    duplicates = rng.choices(["min", "keep", "max", "sum", "first", "count"], [4, 3, 1, 1, 1, 1])[0]
    loops, weights = session.maybe(0.3), not session.maybe(0.1)
    model = made.model(directed, duplicates, loops, weights)
    reading = [*made.flags, *([] if directed is None else ["--directed" if directed else "--undirected"])]
    reading += ["--keep-loops"] * loops + ["--weights", "none"] * (not weights)
    short = {"min": [], "keep": ["--keep-duplicates"]}
    reading += short[duplicates] if duplicates in short and session.maybe(0.5) else ["--duplicates", duplicates]
    session.count(f"duplicates {duplicates}")
    flags = list(reading)
    flags += ["--order", rng.choice(["auto", "degree", "bfs", "none"])] if session.maybe(0.4) else []
    flags += ["--threads", rng.randint(1, 4)] if session.maybe(0.5) else []
    negative = any(weight is not None and weight < 0 for _, _, weight in model.edges)
    flags += ["--path-index"] if session.maybe(0.15) and not negative else []
    small = ["--memory", rng.choice(["600k", "1M", "2M", "4M"])] if session.maybe(0.15) else []
    session.count(f"build {made.form}")
    alone = made.stdin is not None or made.form == "metis" or made.coords or "--path-index" in flags or small  # not on a cluster
    processes = 0 if alone else session.processes()
    if model.no_sum:
        err = session.bad({3, 4} if small else {3}, "build", *made.words, *flags, *small, "-o", "g.meg", stdin=made.stdin, processes=processes)
        if "a sum that no weight holds" not in err and not small:
            raise Wrong(f"another complaint about a sum: {err}")
        session.count("no sum")
        return build(session)
    facts = session.json("build", *made.words, *flags, *small, "-o", "g.meg", stdin=made.stdin, processes=processes)
    check_facts(session, facts, made, model)
    graph = Graph(session, ["g.meg"], model, coords=made.coords)
    alone = made.stdin is not None or made.form == "metis" or "--coords" in reading
    if not alone and session.maybe(0.2):
        graph.words = [*made.words, *reading]
        session.count("read by verbs")
    return graph


def large(session):
    """So many edges that searches work in other ways than on small graphs: pulls, horizons, several threads in a step."""
    rng = session.rng
    n, weight = rng.choice([2000, 9000]), rng.choice([rng.random, lambda: rng.randint(0, 255), lambda: rng.randint(1, 10**6)])
    ends = [(int(n * rng.random()**3), int(n * rng.random()**2)) for _ in range(160000)]
    made = Input("el", True)
    made.edges = [(a, b, weight()) for a, b in ends if a != b]
    made.names = dict.fromkeys(v for edge in made.edges for v in edge[:2])
    session.write("g.wel", "".join(f"{a} {b} {w}\n" for a, b, w in made.edges))
    directed = session.maybe(0.3)
    model = made.model(directed)
    facts = session.json("build", "g.wel", "--directed" if directed else "--undirected", "-o", "g.meg")
    check_facts(session, facts, made, model)
    graph = Graph(session, ["g.meg"], model)
    sssp(session, graph)
    bfs(session, graph)
    components(session, graph)


def scrambled(session):
    """R-MAT with permuted labels is the same graph under other names: what degrees say of each edge is the same."""
    rng = session.rng
    words = ["gen", "rmat", "--scale", rng.randint(3, 9), "--seed", rng.randrange(10**6), "--edgefactor", rng.randint(1, 9)]
    words += [["--keep-duplicates"], ["--keep-loops"], ["--undirected"], []][rng.randrange(4)]
    seen = []
    for more in ([], ["--scramble"]):
        session.good(*words, *more, "-q", "-o", "g.meg", processes=session.processes())
        session.good("convert", "g.meg", "-q", "-o", "g.el")
        with open(os.path.join(session.folder, "g.el"), encoding="utf-8") as file:
            ends = [tuple(line.split()[:2]) for line in file if not line.startswith("#")]
        out, into = collections.Counter(a for a, _ in ends), collections.Counter(b for _, b in ends)
        if "--undirected" in words:
            out = into = out + into
            seen.append(sorted(sorted((out[a], out[b])) for a, b in ends))
        else:
            seen.append(sorted((out[a], into[a], out[b], into[b], a == b) for a, b in ends))
    session.same(seen[1], seen[0], "degrees of the ends of all edges")


def check_facts(session, facts, made, model):
    want = {"vertices": len(model), "edges": len(model.edges), "arcs": model.arcs, "directed": model.directed, "weights": model.weights,
            "ids": model.kind, "isolated": sum(not a and not b for a, b in zip(model.out, model.into)), "coordinates": bool(made.coords)}
    if not (made.both_ends or made.symmetric or made.form == "adj"):  # what counts as an edge of the input there is another matter
        want.update(input_edges=model.input_edges, dropped_duplicates=model.dropped_duplicates, dropped_loops=model.dropped_loops)
    session.same({name: facts[name] for name in want}, want, "facts")


def split(session):
    """Host and device, or the strategies of shortest paths, share the work of a search: the answer is the same."""
    if not has_device():
        return
    rng = session.rng
    n = rng.choice([300, 2000, 6000])
    made = Input("el", True)
    draw = rng.choice([lambda: rng.randint(0, 255), lambda: rng.randint(1, 9), rng.random])
    for _ in range(rng.choice([2, 8]) * n):
        made.add(int(n * rng.random()**2), rng.randrange(n), draw())
    session.write("g.wel", "".join(f"{a} {b} {weight}\n" for a, b, weight in made.edges))
    directed = session.maybe(0.4)
    model = made.model(directed)
    session.good("build", "g.wel", "--directed" if directed else "--undirected", "-q", "-o", "g.meg")
    for _ in range(3):
        source, device = rng.randrange(len(model)), ["--engine", "device"]
        if session.maybe(0.5):
            verb, want, shares = "bfs", reference.levels(model, source), rng.choice(["0:1", "1:0", "1:1", "1:7", "9:2", "1:1000", "auto"])
        else:
            verb, want, shares = "sssp", reference.distances(model, source), rng.choice(["0:1", "auto"])
            device += ["--strategy", rng.choice(["auto", "near-far", "settle"])]
        device += ["--device-memory", 2**17 + 80 * n] * session.maybe(0.3)
        session.count(f"{verb} --split {shares}")
        file = output(session)
        facts = session.json(verb, "g.meg", f"--source={model.ids[source]}", *device, "--split", shares, *["--check"] * session.maybe(0.5), "-o", file)
        rows = results.read(session, file, facts, model)
        session.same([row[1] for row in rows], want, f"answers of {verb} --split {shares}")


@verb(2)
def info(session, graph):
    if graph.words != ["g.meg"]:
        return
    model = graph.model
    facts = session.json("info", "g.meg", *["--check"] * session.maybe(0.7))
    session.same((facts["vertices"], facts["edges"], facts["arcs"], facts["ids"]), (len(model), len(model.edges), model.arcs, model.kind), "info")
    if len(model):
        session.same((facts["first_id"], facts["last_id"]), (model.ids[0], model.ids[-1]), "first and last id")
        degrees = [len(row) for row in model.out]
        got = facts["degrees"]
        session.same((got["min"], got["max"]), (min(degrees), max(degrees)), "degrees")
        for part in got["histogram"]:
            session.same(part["vertices"], sum(part["from"] <= d <= part["to"] for d in degrees), f"vertices of degree {part['from']}")


def check_tree(session, graph, far, parents, source, step):
    """`far`: the right distances by vertex; `step`: whether an arc of this weight may lead from one to the other."""
    model = graph.model
    for v, parent in enumerate(parents):
        if far[v] in (-1, math.inf):
            session.same(parent, None, f"parent of {graph.show(v)}, which is not reached")
            continue
        if parent is None:  # or the very id that stands for none
            parent = {"signed": -2**63, "unsigned": 2**64 - 1}.get(model.kind, "")
        if v == source:
            session.same(parent, model.ids[v], "parent of the source")
        else:
            p = model.place.get(parent)
            if p is None or not any(u == p and step(far[p], weight, far[v]) for u, weight, _ in model.into[v]):
                raise Wrong(f"parent {parent} of {graph.show(v)} (at {far[v]}) is none")
    for v in range(len(model)):  # no circles
        seen, at = 0, v
        while at is not None and at != source and seen <= len(model):
            at, seen = model.place.get(parents[at]), seen + 1
        if seen > len(model):
            raise Wrong(f"the parents of {graph.show(v)} go round in a circle")
        if len(model) > 300:
            break


def sources_file(session, graph, most):
    chosen = [graph.any() for _ in range(session.rng.randint(1, most if len(graph.model) < 1000 else 4))]
    chosen = list(dict.fromkeys(chosen))
    lines = ["# where to begin", ""] * session.maybe(0.3) + [graph.show(v) for v in chosen]
    return chosen, session.write("sources", "".join(line + "\n" for line in lines))


@verb(4)
def bfs(session, graph):
    rng, model = session.rng, graph.model
    if not len(model):
        session.bad({3}, "bfs", *graph.words, "--source", 1)
        return
    depth = rng.choice([0, 1, 2, 3, 10]) if session.maybe(0.3) else None
    words = ["--max-depth", depth] * (depth is not None)
    file = output(session)
    if session.maybe(0.7):
        words += ["--policy", rng.choice(["auto", "p1", "push", "pull"])] * session.maybe(0.5)
        source = graph.any()
        processes = session.processes()
        device = session.device(len(model)) if not processes else []
        words += device + ["--split", rng.choice(["0:1", "1:0", "1:1", "1:3", "auto"])] * (bool(device) and session.maybe(0.7))
        facts = session.json("bfs", *graph.words, f"--source={graph.show(source)}", *words, *common(session), "-o", file, processes=processes)
        rows = results.read(session, file, facts, model)
        want = reference.levels(model, source, depth)
        session.same([row[0] for row in rows], model.ids, "vertices")
        session.same([row[1] for row in rows], want, "levels")
        check_tree(session, graph, want, [row[2] for row in rows], source, lambda a, _, b: a + 1 == b)
        session.same((facts["reached"], facts["depth"]), (sum(level >= 0 for level in want), max(want)), "reached, depth")
        return
    chosen, name = sources_file(session, graph, 70)
    parents = session.maybe(0.5)
    words += session.device(len(model), parts=False)
    if len(chosen) > 64:
        facts = session.json("bfs", *graph.words, "--sources", name, *words, *common(session))
    else:
        facts = session.json("bfs", *graph.words, "--sources", name, *words, *["--parents"] * parents, *common(session), "-o", file)
    wanted = [reference.levels(model, source, depth) for source in chosen]
    session.same((facts["reached"], facts["depth"]), (sum(level >= 0 for want in wanted for level in want), max(map(max, wanted))), "pairs reached, depth")
    if len(chosen) > 64:
        return
    rows = results.read(session, file, facts, model)
    names = [column["name"] for column in facts["columns"]]
    for i, want in enumerate(wanted):
        session.same([row[1 + names.index(f"level_{i}")] for row in rows], want, f"levels of source {i}")
        if parents:
            check_tree(session, graph, want, [row[1 + names.index(f"parent_{i}")] for row in rows], chosen[i], lambda a, _, b: a + 1 == b)


def routing(session, vertices):
    """Words for shortest paths on devices, as a rule none. The strategies of paper P3 need one that has the whole graph."""
    strategy = session.rng.choice(["auto", "near-far", "settle", "all", "selected", "adaptive"])
    ours = strategy in ("auto", "near-far", "settle")
    words = session.device(vertices, several=ours, parts=ours)
    if not words:
        return []
    words += ["--split", "0:1"] * (ours and session.maybe(0.6))
    words += ["--all-above", 50, "--selected-below", 40] * (strategy == "adaptive" and session.maybe(0.7))
    return words + ["--strategy", strategy]


def some_distance(session, model):
    """A maximum: a distance of this graph, or a little less."""
    far = [d for d in reference.distances(model, session.rng.randrange(len(model))) if d != math.inf]
    return session.rng.choice(far) * session.rng.choice([1, 1, 1, 0.5])


def nearer(distances, most):
    return [d if d <= most else math.inf for d in distances]


def matrix(session, graph, chosen, most, words):
    """Distances from some vertices to some others as a table of text."""
    model = graph.model
    targets = [graph.any() for _ in range(session.rng.randint(1, 9))]
    session.write("targets", "".join(graph.show(v) + "\n" for v in targets))
    if "device" in words:  # which has no matrix
        words = ["--sources", "sources", *[f"--max-cost={most!r}"] * (most != math.inf)]
    session.json("sssp", *graph.words, *words, "--targets", "targets", "-o", "m.csv")
    with open(session.path("m.csv"), newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    session.same(head, ["source", *map(graph.show, targets)], "head of a matrix")
    session.same([row[0] for row in rows], [graph.show(v) for v in chosen], "sources of a matrix")
    for source, row in zip(chosen, rows):
        want = nearer(reference.distances(model, source), most)
        session.same([math.inf if cell == "inf" else float(cell) for cell in row[1:]], [want[v] for v in targets], "row of a matrix")


@verb(4)
def sssp(session, graph):
    rng, model = session.rng, graph.model
    if not len(model) or graph.negative:
        session.bad({3}, "sssp", *graph.words, f"--source={graph.show(0) if len(model) else 1}")
        return
    processes = session.processes()
    words = [] if processes else routing(session, len(model))
    words = words or ["--delta", rng.choice([1, 2, 100, 0.5, 1e6])] * session.maybe(0.3)
    one = session.maybe(0.7)
    file = output(session)
    if not one and file.endswith(".bin"):
        file = "out.npy"
    chosen, name = ([graph.any()], None) if one else sources_file(session, graph, 12)
    words += [f"--source={graph.show(chosen[0])}"] if one else ["--sources", name]
    most = some_distance(session, model) if session.maybe(0.3) else math.inf
    words += [f"--max-cost={most!r}"] * (most != math.inf)
    if not one and session.maybe(0.5):
        matrix(session, graph, chosen, most, [*words, *common(session)])
        return
    facts = session.json("sssp", *graph.words, *words, *common(session), "-o", file, processes=processes if one else 0)
    rows = results.read(session, file, facts, model, (("vertex", "id"),) if one else (("source", "id"), ("vertex", "id")))
    session.same(facts["columns"][0]["type"], "u64" if model.exact else "f64", "type of distances")
    n, skip = len(model), 0 if one else 1
    session.same(len(rows), n * len(chosen), "rows")
    for i, source in enumerate(chosen):
        part, want = rows[i * n:(i + 1) * n], nearer(reference.distances(model, source), most)
        session.same([row[:1 + skip] for row in part], [[model.ids[source], name][1 - skip:] for name in model.ids], "vertices")
        session.same([row[1 + skip] for row in part], want, "distances")
        check_tree(session, graph, want, [row[2 + skip] for row in part], source, lambda a, weight, b: a + weight == b)


def close(session, got, want, what, relative=1e-9, least=1e-12):
    for v, (a, b) in enumerate(zip(got, want, strict=True)):
        if not abs(a - b) <= max(relative * abs(b), least):
            raise Wrong(f"{what} of vertex {v}: {a} where {b} was expected")


def columns(session, graph, verb, *words, processes=0):
    """Runs a verb with one column of results; the facts and that column."""
    file = output(session)
    device = session.device(len(graph.model)) if verb in ("components", "pagerank") and not processes else []
    facts = session.json(verb, *graph.words, *words, *device, *common(session), "-o", file, processes=processes)
    rows = results.read(session, file, facts, graph.model)
    session.same([row[0] for row in rows], graph.model.ids, "vertices")
    return facts, [row[1] for row in rows]


@verb(2, of_any_graph=True)
def components(session, graph):
    facts, got = columns(session, graph, "components", processes=session.processes())
    want = reference.components(graph.model)
    ids = graph.model.ids
    none = {"signed": -2**63, "unsigned": 2**64 - 1, "string": ""}[graph.model.kind]
    session.same([none if name is None else name for name in got], [ids[v] for v in want], "components")
    session.same((facts["components"], facts["largest"]), (len(set(want)), max((want.count(c) for c in set(want)), default=0)), "how many, largest")


@verb(2, of_any_graph=True)
def pagerank(session, graph):
    rng = session.rng
    damping = rng.choice([0.85, 0.85, 0.5, 0.99, 0.1])
    words = ["--damping", damping] * (damping != 0.85)
    if session.maybe(0.5):
        count = rng.choice([1, 2, 3, 4, 5, 20])
        _, got = columns(session, graph, "pagerank", *words, "--iterations", count, processes=session.processes())
        close(session, got, reference.pagerank(graph.model, damping, iterations=count), "rank")
        return
    tolerance = rng.choice([1e-9, 1e-6, 1e-12])
    words += ["--tolerance", tolerance] * (tolerance != 1e-9)
    facts, got = columns(session, graph, "pagerank", *words, processes=session.processes())
    if len(graph.model) > 300 and damping > 0.9:
        return
    want = reference.pagerank(graph.model, damping)
    error = sum(abs(a - b) for a, b in zip(got, want, strict=True))
    if error > tolerance * damping / (1 - damping) + 1e-11:
        raise Wrong(f"ranks differ from the limit by {error} in all, iterations {facts['iterations']}")


@verb(2, of_any_graph=True)
def overview(session, graph):
    """The measures of an overview, and a page."""
    rng, model = session.rng, graph.model
    words = ["--threads", rng.randint(1, 4)] * session.maybe(0.6) + ["--memory", rng.choice(["1M", "5M", "1GiB"])] * session.maybe(0.1)
    top = rng.choice([10, 10, 1, 3, 1000])
    words += ["--top", top] * (top != 10)
    facts = session.json("overview", *graph.words, *words, *["-o", "page.html"] * session.maybe(0.5))
    if "file" in facts and not session.read("page.html").decode().endswith("</html>\n"):
        raise Wrong("the page does not end")
    undirected, n = reference.joined(model), len(model)
    first, labels = reference.components(model), reference.communities(model, 10)
    sizes = collections.Counter(first)
    linked = [v for v in range(n) if model.out[v] or model.into[v]]
    groups = collections.Counter(labels[v] for v in linked)
    weights = [float(w) for _, _, w in model.edges if w is not None]
    session.same({key: facts[key] for key in ("vertices", "edges", "pairs", "self_loops", "forest")},
                 {"vertices": n, "edges": len(model.edges), "pairs": undirected.number_of_edges(), "self_loops": sum(a == b for a, b, _ in model.edges),
                  "forest": n == 0 or networkx.is_forest(undirected)}, "facts")
    session.same((facts["components"]["count"], facts["components"]["max"]), (len(sizes), max(sizes.values(), default=0)), "components")
    session.same((facts["communities"]["count"], facts["communities"]["max"]), (len(groups), max(groups.values(), default=0)), "communities")
    session.same(facts["clustering"]["triangles"], reference.triangles(model)[0], "triangles")
    for name, rows in [("out_degree", model.out), ("in_degree", model.into)] if model.directed else [("degree", model.out)]:
        degrees = [len(row) for row in rows]
        highest = sorted((-degree, v) for v, degree in enumerate(degrees) if degree)[:top]
        session.same([(-row["degree"], row["vertex"]) for row in facts[name]["top"]], [(d, model.ids[v]) for d, v in highest], name)
        session.same(facts[name]["median"], statistics.median(degrees or [0]), f"median {name}")
    if n:
        close(session, [facts["clustering"]["transitivity"], facts["clustering"]["mean_coefficient"]],
              [networkx.transitivity(undirected), networkx.average_clustering(undirected)], "clustering")
        ranks = sorted(reference.pagerank(model, 0.85), reverse=True)
        close(session, [row["rank"] for row in facts["pagerank"]["top"]], ranks[:top], "rank", 1e-6, 1e-8)
        distances(session, model, facts["distances"])
    if linked:
        network = networkx.MultiDiGraph() if model.directed else networkx.MultiGraph()
        network.add_nodes_from(range(n))
        network.add_edges_from((a, b) for a, b, _ in model.edges)
        parts = [{v for v in range(n) if labels[v] == label} for label in set(labels)]
        close(session, [facts["communities"]["modularity"]], [networkx.community.modularity(network, parts, weight=None)], "modularity", 1e-9, 1e-9)
    if weights:
        got = facts["weight"]
        session.same((got["min"], got["max"], got["count"]), (min(weights), max(weights), len(weights)), "weights")
        close(session, [got["median"]], [statistics.median(weights)], "median weight")


def distances(session, model, facts):
    """Of an overview: two searches, and the bounds that they give."""
    source, farthest = model.place[facts["source"]], model.place[facts["farthest"]]
    first, second = reference.levels(model, source), reference.levels(model, farthest)
    session.same((facts["reached"], facts["max"]), (sum(level >= 0 for level in first), max(first)), "reached, eccentricity")
    session.same((first[farthest], facts["longest"]), (max(first), max(*first, *second)), "farthest, longest")
    session.same(facts["diameter_at_most"], None if model.directed else 2 * min(max(first), max(second)), "bound of the diameter")


@verb(1, of_any_graph=True)
def triangles(session, graph):
    facts = session.json("triangles", *graph.words, *common(session))
    session.same((facts["triangles"], facts["simple_edges"]), reference.triangles(graph.model), "triangles, simple edges")


@verb(1, of_any_graph=True)
def clustering(session, graph):
    facts, got = columns(session, graph, "clustering")
    want = reference.clustering(graph.model)
    close(session, got, want, "coefficient", 1e-15)
    if want:
        close(session, [facts["mean"]], [math.fsum(want) / len(want)], "mean", 1e-12)


@verb(2, of_any_graph=True)
def communities(session, graph):
    count = session.rng.choice([1, 2, 3, 7, 10, 50])
    _, got = columns(session, graph, "communities", *["--iterations", count] * (count != 10))
    want = reference.communities(graph.model, count)
    none = {"signed": -2**63, "unsigned": 2**64 - 1, "string": ""}[graph.model.kind]
    session.same([none if name is None else name for name in got], [graph.model.ids[v] for v in want], "labels")


@verb(2, of_any_graph=True)
def cores(session, graph):
    """NetworkX takes simple graphs alone; others are peeled here."""
    model = graph.model
    facts, got = columns(session, graph, "cores")
    if model.simple:
        network = networkx.DiGraph() if model.directed else networkx.Graph()
        network.add_nodes_from(range(len(model)))
        network.add_edges_from((a, b) for a, b, _ in model.edges)
        number = networkx.core_number(network)
    else:
        number = peeled(model)
    want = [number[v] for v in range(len(model))]
    session.same(got, want, "core numbers")
    session.same((facts["degeneracy"], facts["innermost"]), (max(want, default=0), want.count(max(want, default=0))), "degeneracy, innermost")


def peeled(model):
    """Core numbers by the definition, parallel edges counted each and loops not at all."""
    near = [[u for u, _, _ in model.out[v] if u != v] + [u for u, _, _ in model.into[v] if u != v and model.directed] for v in range(len(model))]
    number, left, level = {}, list(map(len, near)), 0
    while len(number) < len(model):
        least = min((v for v in range(len(model)) if v not in number), key=left.__getitem__)
        number[least] = level = max(level, left[least])
        for u in near[least]:
            left[u] -= 1
    return number


def run_program(session, graph, program, *arguments):
    """An example of a vertex program, with any delivery, workers and processes; the rows of its columns."""
    rng, file, processes = session.rng, output(session), session.processes()
    how = rng.choice(["auto", "auto", "normal", "sendall", "sendall-sopt", "ghost", "list", "mirror"])
    words = ["--delivery", how]
    if processes:
        words += ["--owner", rng.choice(["position", "degree", "blocks"])] * session.maybe(0.5)
    else:
        words += ["--workers", rng.choice([1, 2, 3, 7, 20])] * session.maybe(0.5)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "pregel", program + ".c")
    words += [*common(session), "-o", file, "--json", "--", *arguments]
    facts = json.loads(session.good("run", path, *graph.words, *words, processes=processes))
    rows = results.read(session, file, facts, graph.model)
    session.same([row[0] for row in rows], graph.model.ids, "vertices")
    return rows


@verb(3)
def run(session, graph):
    """The examples beside the same references as the verbs that are built in."""
    rng, model = session.rng, graph.model
    if not len(model):
        return
    programs = ["bfs", "pagerank"] + ["sssp"] * (not graph.negative) + ["components", "labels"] * (not model.directed)
    program, source = rng.choice(programs), graph.any()
    none = {"signed": -2**63, "unsigned": 2**64 - 1, "string": ""}[model.kind]
    if program == "bfs":
        rows, want = run_program(session, graph, "bfs", graph.show(source)), reference.levels(model, source)
        session.same([row[1] for row in rows], want, "levels")
        check_tree(session, graph, want, [row[2] for row in rows], source, lambda a, _, b: a + 1 == b)
    elif program == "sssp":
        rows, want = run_program(session, graph, "sssp", graph.show(source)), reference.distances(model, source)
        session.same([row[1] for row in rows], [float(far) for far in want], "distances")
        check_tree(session, graph, want, [row[2] for row in rows], source, lambda a, weight, b: a + weight == b)
    elif program == "pagerank":
        count = rng.choice([1, 2, 5, 20])
        rows = run_program(session, graph, "pagerank", count)
        close(session, [row[1] for row in rows], reference.pagerank(model, 0.85, iterations=count), "rank")
    else:
        count = rng.choice([1, 2, 5])
        rows = run_program(session, graph, program, *[count] * (program == "labels"))
        want = reference.communities(model, count) if program == "labels" else reference.components(model)
        session.same([none if row[1] is None else row[1] for row in rows], [model.ids[v] for v in want], program)


@verb(2, of_any_graph=True)
def betweenness(session, graph):
    model, way = graph.model, session.rng.random()
    if len(model) > 300:
        chosen, name = sources_file(session, graph, 5)
        _, got = columns(session, graph, "betweenness", "--source-list", name)
        close(session, got, reference.betweenness(model, chosen), "score", 1e-9, 1e-9)
    elif way < 0.5 or not len(model):
        _, got = columns(session, graph, "betweenness", *["--sources", "all"] * session.maybe(0.3))
        close(session, got, reference.betweenness(model), "score", 1e-9, 1e-9)
    elif way < 0.75:
        chosen, name = sources_file(session, graph, 20)
        _, got = columns(session, graph, "betweenness", "--source-list", name)
        close(session, got, reference.betweenness(model, chosen), "score", 1e-9, 1e-9)
    else:
        betweenness_sample(session, graph)


def betweenness_sample(session, graph):
    """Whoever is drawn: a sample of one more has one more vertex, which edges leave and which was not there before."""
    model = graph.model
    leaves = [v for v in range(len(model)) if model.out[v]]
    if len(leaves) < 3:
        return
    seed = ["--seed", session.rng.randint(1, 99)] * session.maybe(0.7)
    before, left = [0.0] * len(model), {v: reference.dependencies(model, v) for v in leaves}
    _, got = columns(session, graph, "betweenness", "--sources", len(leaves) - 1, *seed)
    rest = [math.fsum(score[v] for score in left.values()) - got[v] for v in range(len(model))]
    if not any(all(abs(a - b) <= 1e-9 * max(1.0, *got) for a, b in zip(rest, score)) for score in left.values()):
        raise Wrong("a sample of all but one is not what all have without one")
    for count in range(1, min(4, len(leaves))):
        facts, got = columns(session, graph, "betweenness", "--sources", count, *seed)
        session.same(facts["sources"], count, "sources")
        scale = 1e-9 * max(1.0, *got)
        fits = [v for v, score in left.items() if all(abs(g - b - s) <= scale for g, b, s in zip(got, before, score))]
        if not fits:
            raise Wrong(f"a sample of {count} does not differ from one of {count - 1} by any source's scores")
        if len(fits) == 1:  # others cannot be told apart
            del left[fits[0]]
        before = got


@verb(3)
def convert(session, graph):
    """To another format and back: the same graph, as far as the format holds it."""
    model, rng = graph.model, session.rng
    suffix = rng.choice(["el", "wel", "csv", "mtx", "gr", "graph", "adj", "e", "bin32", "bin48", "bin64", "meg"])
    loops = any(a == b for a, b, _ in model.edges)
    doubled = not model.simple or loops
    numbered = suffix in ("mtx", "gr", "graph")
    file = f"to.{suffix}" + rng.choice(["", "", ".gz", ".zst", ".xz"] if suffix not in ("meg",) else [""])
    code, _, text = session.run("convert", *graph.words, "-q", "-o", file, *["--threads", rng.randint(1, 4)] * session.maybe(0.5))
    if code:
        session.same(code, 2, "exit code of convert")
        session.same(os.path.exists(session.path(file)), False, "a file after a refusal")
        large = suffix.startswith("bin") and (model.kind != "unsigned" or any(i >= 2**int(suffix[3:]) for i in model.ids))
        real = suffix in ("gr", "graph") and not all(w is None or (float(w).is_integer() and w >= 0) for _, _, w in model.edges)
        odd = suffix in ("adj", "e", "el", "wel") and model.kind == "string"
        zero = suffix == "graph" and any(w is not None and w < 1 for _, _, w in model.edges)
        if not (large or real or odd or zero or (suffix == "graph" and (model.directed or doubled)) or (suffix in ("gr", "graph") and not model.exact)):
            raise Wrong(f"refused for no reason that is known here: {text}")
        session.count("convert refused")
        return
    stem = file[:file.index(f".{suffix}")]
    numbered &= not any(name.startswith(f"{stem}.names.csv") for name in os.listdir(session.path("")))
    flags = ["--directed" if model.directed else "--undirected"] + ["--ids", "string"] * (model.kind == "string" and suffix not in ("mtx", "gr", "graph"))
    flags += ["--keep-loops"] if loops else []
    flags += ["--keep-duplicates"] if not model.simple and model.directed else []
    flags += {"adj": ["--format", "adj"], "bin": ["--format", suffix], "el": ["--format", "el"], "wel": ["--format", "el"]}.get(suffix[:3], [])
    if suffix != "meg":
        session.good("build", file, *flags, "-q", "-o", "back.meg")
    compare_back(session, model, "to.meg" if suffix == "meg" else "back.meg", suffix, numbered)
    session.count(f"convert {suffix}")


def compare_back(session, model, file, suffix, numbered):
    """Reads the graph back as an edge list of all arcs, which was tested above."""
    session.good("convert", file, "-q", "-o", "again.csv")
    weighted = suffix not in ("el", "adj", "bin32", "bin48", "bin64")
    got, want = [], []
    with open(session.path("again.csv"), newline="", encoding="utf-8") as text:
        for row in csv.DictReader(text):
            a, b = row["source"], row["target"]
            if model.kind != "string" or numbered:
                a, b = int(a), int(b)
            got.append((a, b, float(row["weight"]) if "weight" in row and weighted else 1.0))
    for v in range(len(model)):
        for u, weight, _ in model.out[v]:
            ends = (v + 1, u + 1) if numbered else (model.ids[v], model.ids[u])
            want.append((*ends, float(weight) if weighted else 1.0))
    if not model.simple and not (model.directed or suffix == "meg"):  # built by the smallest weights: arcs of an edge stand at both ends
        best = {}
        for a, b, weight in want:
            best[a, b] = min(weight, best.get((a, b), weight))
        want = [(a, b, weight) for (a, b), weight in best.items()]
    session.same(sorted(got, key=repr), sorted(want, key=repr), "arcs after a way through " + suffix)
    facts = session.json("info", file)
    keeps = suffix in ("mtx", "gr", "graph", "e", "meg")
    if keeps:
        session.same(facts["vertices"], len(model), "vertices after a way through " + suffix)


@verb(1)
def index(session, graph):
    """A path index changes no answer: paths are asked afterwards."""
    if graph.words != ["g.meg"]:
        return
    if graph.negative:
        session.bad({3}, "index", "g.meg")
        return
    before = session.read("g.meg")
    if session.maybe(0.5):
        session.good("index", "g.meg", "-q", "-o", "i.meg")
        session.same(session.read("g.meg") == before, True, "the graph is as it was")
        os.replace(session.path("i.meg"), session.path("g.meg"))
    else:
        session.good("index", "g.meg", "-q", *["--threads", session.rng.randint(1, 4)] * session.maybe(0.5))
    facts = session.json("info", "g.meg", "--check")
    session.same(facts["path_index"] is not None, True, "path index")


@verb(1)
def report(session, graph):
    """A trace is lines of JSON, and becomes a page."""
    name = session.rng.choice([*PLAIN, "bfs"])
    if name == "bfs" and not len(graph.model):
        return
    words = [f"--source={graph.show(graph.any())}"] if name == "bfs" else []
    session.good(name, *graph.words, *words, "-q", "--trace", "trace.json")
    for line in session.read("trace.json").decode().splitlines():
        json.loads(line)
    session.json("report", "trace.json", "-o", "report.html")
    page = session.read("report.html").decode()
    if not page.rstrip().endswith("</html>"):
        raise Wrong("the report does not end")
