"""`meguri path`: every algorithm, limit, direction and form of output, beside enumerations that follow the definition."""
import csv
import io
import json
import math

import reference
from graphs import Input
from session import Wrong
from verbs import Graph

CHEAPEST = ["auto", "dijkstra", "bidirectional", "tree", "astar"]
MOST = 3000  # steps of the reference for a question


class Question:
    """One pair with its algorithm and limits, and the words of the command or the settings of a line that ask it."""

    def __init__(self, session, graph, algorithm):
        rng, model = session.rng, graph.model
        self.graph, self.algorithm = graph, algorithm
        self.source, self.target = graph.any(), graph.any()
        self.hops = rng.choice([1, 2, 3, 4, 6, 12]) if session.maybe(0.35) else None
        self.cost = self.some_cost(session) if session.maybe(0.25) else math.inf
        self.k = rng.randint(1, 6) if algorithm == "yens" else None
        self.limit = rng.randint(1, 12) if session.maybe(0.3) else None
        if algorithm in ("all", "simple") and self.hops is None and self.limit is None and self.cost == math.inf:
            self.hops = rng.randint(1, 4)
        self.exact = model.exact

    def some_cost(self, session):
        """Away from what sums can be, where these are rounded."""
        model = self.graph.model
        if not model.edges:
            return 1.0
        weights = [1 if w is None else w for _, _, w in model.edges]
        cost = session.rng.choice(weights) * session.rng.choice([1, 2, 3])
        return max(0, cost) if model.exact else max(0.0, float(cost) * 1.00001)

    def settings(self):
        out = {"algorithm": self.algorithm} if self.algorithm != "auto" else {}
        if self.hops is not None:
            out["max-hops"] = self.hops
        if self.cost != math.inf:
            out["max-cost"] = repr(self.cost)
        if self.k is not None:
            out["k"] = self.k
        if self.limit is not None:
            out["limit"] = self.limit
        return out

    def words(self):
        return [f"--{name}={value}" for name, value in self.settings().items()]


def ends(question):
    return question.graph.model.ids[question.source], question.graph.model.ids[question.target]


def check_answer(session, question, answer, direction):
    """`answer` is the object of a question: paths, path_count, end."""
    q, model = question, question.graph.model
    session.same((answer["from"], answer["to"]), ends(q), "ends")
    found = [([model.place[name] for name in path["vertices"]], path["costs"]) for path in answer["paths"]]
    session.same(answer["path_count"], len(found), "number of paths")
    check_paths(session, q, answer["paths"], found, direction)
    cost, hops = reference.cheapest(model, q.source, q.target, direction, q.hops, q.cost)
    if q.algorithm in CHEAPEST:
        session.same(len(found), int(cost is not None), "paths of one cheapest")
        if found and not same_cost(q, found[0][1][-1], cost):
            raise Wrong(f"cost {found[0][1][-1]} where the cheapest has {cost}")
    elif q.algorithm == "shortest":
        session.same([len(path[0]) - 1 for path in found], [hops] * (hops is not None), "hops of the shortest")
    elif q.algorithm == "yens":
        most = q.k if q.limit is None else min(q.k, q.limit)
        want = reference.yens(model, q.source, q.target, direction, most, q.hops, q.cost, MOST)
        if len(found) != len(want) or not all(same_cost(q, path[1][-1], w) for path, w in zip(found, want)):
            raise Wrong(f"costs {[path[1][-1] for path in found]} of the cheapest paths where {want} were expected")
    else:
        want, limited = reference.paths(model, q.source, q.target, direction, q.algorithm, q.hops, q.cost, q.limit, MOST)
        session.same(found, [(vertices, costs) for vertices, costs in want], "paths")
        session.same(answer["end"], "limit" if limited else "complete", "end")


def same_cost(q, a, b):
    return a == b if q.exact else abs(a - b) <= 1e-12 * max(abs(b), 1e-300)


def check_paths(session, q, paths, found, direction):
    """Every path is one: arcs of the graph, costs that add up, within its limits, nothing twice that must not come twice."""
    model, rows = q.graph.model, q.graph.model.rows(direction)
    edges = {}
    for path, (vertices, costs) in zip(paths, found):
        session.same((vertices[0], vertices[-1]), (q.source, q.target), "ends of a path")
        session.same((path["hops"], path["cost"], len(costs)), (len(vertices) - 1, costs[-1], len(vertices)), "hops, cost of a path")
        if (q.hops is not None and path["hops"] > q.hops) or path["cost"] > q.cost:
            raise Wrong(f"a path of {path['hops']} hops and a cost of {path['cost']} beyond its limits")
        for step, (a, b) in enumerate(zip(vertices, vertices[1:])):
            weights = [weight for u, weight, _ in rows[a] if u == b and costs[step] + weight == costs[step + 1]]
            if not weights:
                raise Wrong(f"no edge from {model.ids[a]} to {model.ids[b]} costs {costs[step + 1]} - {costs[step]}")
            pair = (min(a, b), max(a, b))
            session.same(edges.setdefault(path["edges"][step], pair), pair, f"ends of edge {path['edges'][step]}")
        if q.algorithm != "all" and len(set(vertices)) < len(vertices):
            raise Wrong(f"a vertex comes twice: {path['vertices']}")
        if len(set(path["edges"])) < len(path["edges"]):
            raise Wrong(f"an edge comes twice: {path['edges']}")
    if len({tuple(path["edges"]) for path in paths}) < len(paths):
        raise Wrong("a path comes twice")


def affordable(session, question, direction):
    """Whether the reference can answer it."""
    q, model = question, question.graph.model
    try:
        if q.algorithm == "yens":
            reference.yens(model, q.source, q.target, direction, q.k, q.hops, q.cost, MOST)
        elif q.algorithm in ("all", "simple", "all-shortest"):
            reference.paths(model, q.source, q.target, direction, q.algorithm, q.hops, q.cost, q.limit, MOST)
        return True
    except (reference.TooMany, RecursionError):
        session.count("path too many")
        return False


def choose(session, graph):
    algorithms = CHEAPEST[:4] + ["shortest", "all-shortest", "all", "simple", "yens"] * 2
    if graph.coords and len(graph.coords) == len(graph.model):
        algorithms += ["astar"] * 4
    return session.rng.choice(algorithms)


def flags(session, graph, direction):
    rng = session.rng
    words = ["--direction", direction] * (direction != "out") + ["--threads", rng.randint(1, 4)] * session.maybe(0.5)
    words += [rng.choice(["--index", "--no-index"])] * session.maybe(0.3)
    return words + ["--check"] * session.maybe(0.4)


def on_device(session, q, direction):
    """Words for a question that devices answer, as a rule none."""
    limits = {"dijkstra": q.hops, "shortest": None if q.cost == math.inf else q.cost}
    if limits.get(q.algorithm, 0) is not None:
        return []
    words = session.device(len(q.graph.model))
    return [*words, "--direction", direction, "--check"] if words else []


def path(session, graph):
    rng, model = session.rng, graph.model
    if not len(model) or graph.negative:
        name = graph.show(0) if len(model) else 1
        session.bad({3}, "path", *graph.words, f"--from={name}", f"--to={name}") if not len(model) else None
        return
    direction = rng.choice(["out", "out", "in", "both"])
    way = rng.choice(["one", "one", "one", "targets", "pairs", "pairs", "forms"])
    if way in ("one", "forms"):
        q = Question(session, graph, choose(session, graph))
        if not affordable(session, q, direction):
            return
        session.count(f"path {q.algorithm}")
        words = ["path", *graph.words, f"--from={graph.show(q.source)}", f"--to={graph.show(q.target)}", *q.words()]
        words += on_device(session, q, direction) or flags(session, graph, direction)
        answer = session.json(*words)
        check_answer(session, q, answer, direction)
        if way == "forms":
            check_forms(session, graph, q, words, answer)
    elif way == "targets":
        ask_targets(session, graph, direction)
    else:
        ask_pairs(session, graph, direction)


def ask_targets(session, graph, direction):
    first = Question(session, graph, choose(session, graph))
    questions = []
    for _ in range(session.rng.randint(1, 12)):
        other = Question(session, graph, first.algorithm)
        target, other.__dict__ = other.target, dict(first.__dict__)
        other.target = target
        questions.append(other)
    if not all(affordable(session, q, direction) for q in questions):
        return
    session.count(f"path {first.algorithm} to many", len(questions))
    session.write("targets", "".join(f"{graph.show(q.target)}\n" for q in questions))
    out = session.good("path", *graph.words, f"--from={graph.show(first.source)}", "--to-file", "targets", *first.words(),
                       *flags(session, graph, direction), "--json")
    check_lines(session, questions, out, direction)


def ask_pairs(session, graph, direction):
    questions = [Question(session, graph, choose(session, graph)) for _ in range(session.rng.randint(1, 15))]
    questions = [q for q in questions if affordable(session, q, direction)]
    if not questions:
        return
    if session.maybe(0.3):  # of the same source, one after another: a tree may answer them
        for q in questions:
            q.source, q.algorithm, q.k = questions[0].source, "auto", None
    for q in questions:
        session.count(f"path {q.algorithm} pairs")
    objects = [{"from": ends(q)[0], "to": ends(q)[1], **{key: str(value) for key, value in q.settings().items()}} for q in questions]
    form = session.rng.choice(["tabs", "table", "objects"])
    large = any(isinstance(name, int) and abs(name) > 2**53 for q in questions for name in ends(q))
    if form == "objects" and not large:
        text = "".join(json.dumps(o, ensure_ascii=session.maybe(0.5)) + "\n" for o in objects)
    elif form == "table":
        sheet = io.StringIO()
        writer = csv.DictWriter(sheet, ["from", "to", "algorithm", "k", "max-hops", "max-cost", "limit"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(objects)
        text = sheet.getvalue()
    else:
        text = "".join(f"{o['from']}\t{o['to']}" + "".join(f"\t{key}={value}" for key, value in q.settings().items()) + "\n"
                       for o, q in zip(objects, questions))
    session.write("pairs", text)
    if all(q.algorithm in CHEAPEST for q in questions) and session.maybe(0.5):
        check_costs(session, graph, questions, direction)
        return
    out = session.good("path", *graph.words, "--pairs", "pairs", *flags(session, graph, direction), "--json")
    check_lines(session, questions, out, direction)


def check_costs(session, graph, questions, direction):
    """The costs alone, as a table."""
    session.count("path costs", len(questions))
    session.good("path", *graph.words, "--pairs", "pairs", "--costs", *flags(session, graph, direction), "-q", "-o", "costs.csv")
    with open(session.path("costs.csv"), newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    session.same(head, ["from", "to", "cost"], "head of costs")
    session.same([tuple(row[:2]) for row in rows], [(graph.show(q.source), graph.show(q.target)) for q in questions], "pairs of costs")
    for q, row in zip(questions, rows):
        cost, _ = reference.cheapest(graph.model, q.source, q.target, direction, q.hops, q.cost)
        cost = math.inf if cost is None or q.limit == 0 else cost
        if not same_cost(q, float(row[2]), cost) and not float(row[2]) == cost:
            raise Wrong(f"cost {row[2]} from {row[0]} to {row[1]} where {cost} was expected")


def check_lines(session, questions, out, direction):
    answers = [json.loads(line) for line in out.splitlines()]
    session.same(len(answers), len(questions), "answers")
    for number, (q, answer) in enumerate(zip(questions, answers)):
        if len(questions) > 1:
            session.same(answer["question"], number, "question")
        check_answer(session, q, answer, direction)


def check_forms(session, graph, question, words, answer):
    """The same paths as lines of JSON, as a table, on a map."""
    lines = [json.loads(line) for line in session.good(*words, "--lines").splitlines()]
    session.same([(line["vertices"], line["costs"]) for line in lines if "path" in line],
                 [(path["vertices"], path["costs"]) for path in answer["paths"]], "paths of --lines")
    suffix = session.rng.choice(["csv", "tsv"])
    session.good(*words, "-q", "-o", f"paths.{suffix}")
    with open(session.path(f"paths.{suffix}"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="," if suffix == "csv" else "\t", quoting=csv.QUOTE_MINIMAL if suffix == "csv" else csv.QUOTE_NONE))
    want = [(i, step, str(vertex), float(cost)) for i, path in enumerate(answer["paths"])
            for step, (vertex, cost) in enumerate(zip(path["vertices"], path["costs"]))]
    session.same([(int(row["path"]), int(row["step"]), row["vertex"], float(row["cost"])) for row in rows], want, f"rows of .{suffix}")
    if graph.coords and all(name in graph.coords for path in answer["paths"] for name in path["vertices"]):
        session.good(*words, "-q", "--geojson", "paths.geojson")
        shapes = json.loads(session.read("paths.geojson"))["features"]
        got = [len(s["geometry"]["coordinates"]) if s["geometry"]["type"] == "LineString" else 1 for s in shapes]
        session.same(got, [len(path["vertices"]) for path in answer["paths"]], "places of lines on the map")
        session.count("path geojson")


def places(rng, n):
    """Coordinates of vertices: in the plane, in degrees or millionths of them, in one point, on a line, unrelated to anything."""
    kind = rng.choice(["plane", "plane", "far", "degrees", "millionths", "point", "line"])
    wide = {"plane": 1000, "far": 10**12, "degrees": 90, "millionths": 90 * 10**6, "point": 0, "line": 1000}[kind]
    draw = (lambda: round(rng.uniform(-wide, wide), 4)) if kind in ("degrees", "plane") else (lambda: rng.randint(-wide, wide))
    return [(draw(), 7 if kind == "line" else draw()) for _ in range(n)]


def guided(session):
    """A* on random graphs with coordinates that tell much, little, nothing or the wrong thing about the weights."""
    rng = session.rng
    n = rng.choice([2, 6, 40, 300])
    xy = places(rng, n)
    tells, factor = rng.choice(["all", "all", "some", "nothing", "zeros"]), rng.choice([1, 0.001, 3.7, 1000])
    made = Input("el", True)
    for _ in range(rng.choice([1, 3, 6]) * n):
        a, b = rng.randrange(n), rng.randrange(n)
        if tells == "all" and rng.random() < 0.8:  # to somewhere near
            b = min(rng.sample(range(n), min(n, 12)), key=lambda v, a=a: math.dist(xy[a], xy[v]) if v != a else math.inf)
        line = math.dist(xy[a], xy[b]) * factor
        weight = {"all": line * rng.choice([1, 1, 1.3]), "some": line * (1 + 5 * rng.random()), "nothing": rng.random() * 100,
                  "zeros": rng.choice([0, line])}[tells]
        made.add(a + 1, b + 1, weight)
    if session.maybe(0.5):  # whole numbers
        made.edges = [(a, b, min(int(weight), 2**32 - 1)) for a, b, weight in made.edges]
    directed = session.maybe(0.5)
    model = made.model(directed)
    session.write("g.wel", "".join(f"{a} {b} {weight!r}\n" for a, b, weight in made.edges))
    lost = rng.choice(model.ids) if session.maybe(0.1) else None
    there = [v for v in model.ids if v != lost]
    session.write("g.co", "".join(f"v {v} {xy[v - 1][0]} {xy[v - 1][1]}\n" for v in there))
    session.good("build", "g.wel", "--coords", "g.co", "--directed" if directed else "--undirected", "-q", "-o", "g.meg",
                 *["--order", rng.choice(["degree", "bfs", "none"])] * session.maybe(0.5))
    graph = Graph(session, ["g.meg"], model, coords=dict(zip(model.ids, xy)))
    if lost is not None:
        v = model.place[lost]
        if model.out[v] or model.into[v]:
            session.bad({2, 3}, "path", "g.meg", f"--from={model.ids[0]}", f"--to={model.ids[-1]}", "--algorithm", "astar")
        return
    direction = rng.choice(["out", "out", "in", "both"])
    questions = [Question(session, graph, "astar") for _ in range(rng.choice([1, 30]))]
    session.count("astar", len(questions))
    if len(questions) == 1:
        words = ["path", "g.meg", f"--from={graph.show(questions[0].source)}", f"--to={graph.show(questions[0].target)}", *questions[0].words()]
        check_answer(session, questions[0], session.json(*words, *flags(session, graph, direction)), direction)
        return
    session.write("pairs", "".join(f"{graph.show(q.source)}\t{graph.show(q.target)}" +
                                   "".join(f"\t{key}={value}" for key, value in q.settings().items()) + "\n" for q in questions))
    out = session.good("path", "g.meg", "--pairs", "pairs", *flags(session, graph, direction), "--json")
    check_lines(session, questions, out, direction)


def ties(rng):
    """Ends of edges between some hundred vertices, most of which several ways join that cost the same."""
    n, kind = rng.choice([200, 600, 1500]), rng.choice(["grid", "grid", "diagonals", "layers", "sparse"])
    if kind == "sparse":
        return [(rng.randrange(n), rng.randrange(n)) for _ in range(2 * n)]
    if kind == "layers":
        return [(i, j) for i in range(n) for j in range((i // 3 + 1) * 3, min(n, (i // 3 + 2) * 3))]
    wide = int(n**0.5)
    grid = [(i, i + 1) for i in range(n - 1) if (i + 1) % wide] + [(i, i + wide) for i in range(n - wide)]
    return grid + [(i, i + wide + 1) for i in range(n - wide - 1) if kind == "diagonals" and (i + 1) % wide and rng.random() < 0.5]


def index_of_ties(session):
    """A path index takes many vertices out at once. Where ways cost the same, each of two such vertices may pass for a way
    around the other, and both be lost: only a graph with room for that, and many pairs, show it."""
    rng = session.rng
    weights = rng.choice([(1,), (1, 2), (1, 2, 3), (3, 5, 8), (0, 1), (0.5, 0.25)])
    made = Input("el", True)
    for a, b in ties(rng):
        made.add(a, b, rng.choice(weights))
    model = made.model(directed=session.maybe(0.4))
    session.write("g.wel", "".join(f"{a} {b} {weight}\n" for a, b, weight in made.edges))
    session.good("build", "g.wel", "--directed" if model.directed else "--undirected", "--path-index", "-q",
                 *["--threads", rng.randint(1, 4)] * session.maybe(0.5), "-o", "g.meg")
    sources = rng.sample(range(len(model)), 5)
    far = {source: reference.distances(model, source) for source in sources}
    # Never the same source twice in a row: a tree would answer that, not the index.
    questions = [(source, rng.randrange(len(model))) for _ in range(200) for source in sources]
    session.write("pairs", "".join(f"{model.ids[a]}\t{model.ids[b]}\n" for a, b in questions))
    out = session.good("path", "g.meg", "--pairs", "pairs", "--index", "--json")
    answers = [json.loads(line) for line in out.splitlines()]
    session.same(len(answers), len(questions), "answers")
    for (source, target), answer in zip(questions, answers):
        session.same(answer["algorithm"], "indexed", "algorithm")
        right = [] if far[source][target] == math.inf else [far[source][target]]
        session.same([path["cost"] for path in answer["paths"]], right, f"cost from {model.ids[source]} to {model.ids[target]}")
