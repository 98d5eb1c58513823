"""Edges with types and columns: paths along some types beside a graph that has no others, paths by another weight beside
a graph that has it as its own, and the graph in parts."""
import csv
import json
import os

import paths
from graphs import Shape, name_vertices, number, quoted
from reference import Model
from session import Wrong
from verbs import Graph

TYPES = ["ROAD", "RAIL", "à pied", "x,y"]


def build(session):
    """The edges with their types, and with the other weight in place of their own."""
    rng = session.rng
    shape = Shape(rng)
    while shape.kind == "negative" or len(shape.edges) > 1500:
        shape = Shape(rng)
    ids, _ = name_vertices(rng, shape.n, True)
    edges = [(ids[a], ids[b], weight, rng.choice(TYPES)) for a, b, weight in shape.edges]
    costs = [rng.randrange(10) for _ in edges]
    columns = ["source", "target", "type", "id", "note", "toll"] + ["weight"] * (shape.kind != "none")
    rng.shuffle(columns)
    rows = [quoted(rng, columns, ",")]
    for number_of, (a, b, weight, kind) in enumerate(edges):
        fields = {"source": str(a), "target": str(b), "type": kind, "id": str(number_of * 3), "note": str(number_of % 7) if number_of % 5 else "", "toll": str(costs[number_of]),
                  "weight": number(rng, weight) if weight is not None else ""}
        rows.append(quoted(rng, [fields[c] for c in columns], ","))
    session.write("g.csv", "\n".join(rows) + "\n")
    return edges, [(a, b, cost, kind) for (a, b, _, kind), cost in zip(edges, costs)]


def model_of(edges, ids, kind, directed):
    place = {name: i for i, name in enumerate(ids)}
    return Model(ids, kind, [(place[a], place[b], weight) for a, b, weight, _ in edges], directed, "keep", True)


def typed(session):
    rng = session.rng
    edges, priced = build(session)
    if not edges:
        return
    ids = list(dict.fromkeys(name for edge in edges for name in edge[:2]))
    kind = "string"
    if all(isinstance(name, int) for name in ids):
        ids.sort()
        kind = "signed" if ids[0] < 0 else "unsigned"
    directed = session.maybe(0.6)
    flags = ["--directed" if directed else "--undirected"] + ["--in-rows"] * (directed and session.maybe(0.5))
    flags += ["--path-index"] * session.maybe(0.3) + ["--order", rng.choice(["degree", "bfs", "none"])] * session.maybe(0.4)
    columns = "id,type,toll:" + rng.choice(["i8", "u16", "i64", "f32"]) + ",note" * session.maybe(0.5)
    session.good("build", "g.csv", "--format", "csv", "--columns", columns, "--keep-duplicates", "--keep-loops", *flags, "-q", "-o", "g.meg")
    session.json("info", "g.meg", "--check")
    whole = model_of(edges, ids, kind, directed)
    for _ in range(4):
        wanted = rng.sample(TYPES[:3], rng.randint(1, 3))  # names with a comma cannot be asked for
        there = [name for name in wanted if any(edge[3] == name for edge in edges)]
        if there != wanted:
            name = Graph(session, ["g.meg"], whole).show(0)
            session.bad({2, 3}, "path", "g.meg", f"--from={name}", f"--to={name}", "--types", ",".join(wanted))
            continue
        model = model_of([edge for edge in edges if edge[3] in wanted], ids, kind, directed)
        model.exact = whole.exact  # whether sums are rounded is a matter of all weights
        ask(session, Graph(session, ["g.meg"], model), ["--types", ",".join(wanted)])
    for _ in range(3):
        ask(session, Graph(session, ["g.meg"], model_of(priced, ids, kind, directed)), ["--weight", "toll"])
    divide(session, whole, edges)


def ask(session, graph, flags):
    direction = session.rng.choice(["out", "out", "in", "both"])
    question = paths.Question(session, graph, session.rng.choice(["auto", "dijkstra", "bidirectional", "shortest", "all-shortest", "simple", "yens"]))
    if not paths.affordable(session, question, direction):
        return
    session.count(f"path {flags[0]}")
    ends = [f"--from={graph.show(question.source)}", f"--to={graph.show(question.target)}"]
    words = [*question.words(), "--direction", direction, *flags, *["--check"] * session.maybe(0.5)]
    code, out, err = session.run("path", "g.meg", *ends, *words, "--json")
    session.same((code, err), (0, ""), f"exit code and complaints of path {flags[0]}")
    paths.check_answer(session, question, json.loads(out), direction)


def divide(session, whole, edges):
    """Every vertex in one part, every edge in that of its source, once, with its type."""
    count = session.rng.randint(1, 5)
    cut = session.rng.choice(["locality", "random"])
    facts = session.json("partition", "g.meg", "--parts", count, "--cut", cut, "-o", "parts")
    session.count("partition")
    vertices, got = [], []
    for part in range(count):
        with open(session.path(f"parts/part-{part}/nodes.csv"), newline="", encoding="utf-8") as file:
            nodes = list(csv.DictReader(file))
        own = {row["uid:ID"] for row in nodes if row[":LABEL"] == "Vertex"}
        proxies = {row["uid:ID"] for row in nodes if row[":LABEL"] == "Proxy"}
        vertices += own
        session.same(len(own) + len(proxies), len(nodes), "nodes of a part, each once")
        with open(session.path(f"parts/part-{part}/relationships.csv"), newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row[":START_ID"] not in own or row[":END_ID"] not in own | proxies:
                    raise Wrong(f"a relationship of part {part} has ends elsewhere: {row}")
                got.append((int(row["id:long"]), row[":START_ID"], row[":END_ID"], row[":TYPE"]))
    session.same(sorted(vertices), sorted(map(str, whole.ids)), "vertices of all parts")
    want = [(3 * i, str(a), str(b), kind) for i, (a, b, _, kind) in enumerate(edges)]
    if not whole.directed:  # the end that comes first is the source there
        want = [(i, *sorted(e, key=lambda name: place(whole, name)), kind) for i, *e, kind in want]
    session.same(sorted(got), sorted(want), "relationships of all parts")
    session.same((facts["edges"], len(os.listdir(session.path("parts")))), (len(edges), count), "edges, parts")


def place(model, name):
    return model.place[name if model.kind == "string" else int(name)]
