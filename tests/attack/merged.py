"""Tables in which most edges are parallel to others: each choice of --duplicates, with columns, in several files, in parts."""
import csv
import gzip
import itertools

from graphs import quoted
from reference import NO_SUM, merged as merged_weight
from session import Wrong

KINDS = ["ROAD", "RAIL", "", "à pied", "x,y"]


def rows_of(session):
    """Source, target, weight and kind of every edge; the row is the edge's id."""
    rng = session.rng
    n, count = rng.randint(1, 12), rng.choice([1, 5, 60, 400, 3000])
    names = [f"v{i}" for i in range(n)] if session.maybe(0.4) else [i * rng.choice([1, 2**33]) for i in range(n)]
    draw = rng.choice([lambda: None, lambda: rng.randint(0, 255), lambda: rng.randint(0, 3), lambda: rng.randrange(2**32), rng.random,
                       lambda: rng.randint(-40, 40) / 8, lambda: rng.random() * 10.0**rng.randint(-9, 9), lambda: rng.choice([1, 2**52, 2**53])])
    return [(rng.choice(names), rng.choice(names), draw(), rng.choice(KINDS)) for _ in range(count)]


def expected(rows, how, directed, loops):
    """(source, target, weight, id) of every arc; None where a sum is refused."""
    bundles = {}
    for number, (a, b, weight, _) in enumerate(rows):
        if a != b or loops:
            key = (a, b) if directed else tuple(sorted((a, b), key=str))
            bundles.setdefault(key, []).append((weight, number))
    out = []
    for (a, b), edges in bundles.items():
        left = edges
        if how != "keep":
            weight = merged_weight([weight for weight, _ in edges], how)
            if weight is NO_SUM:
                return None
            of = [number for w, number in edges if how not in ("min", "max") or w == weight]
            left = [(weight, min(of))]
        for weight, number in left:
            out += [(a, b, weight, number)] + [(b, a, weight, number)] * (not directed and a != b)
    return out


def merged(session):
    rng = session.rng
    rows = rows_of(session)
    weighted = rows[0][2] is not None
    columns = ["source", "target", "id", "kind"] + ["weight"] * weighted
    rng.shuffle(columns)
    cuts = sorted(rng.choices(range(len(rows) + 1), k=rng.choice([0, 0, 1, 3])))
    files, first = [], 0
    for number, end in enumerate([*cuts, len(rows)]):
        lines = [quoted(rng, columns, ",")]
        for place, (a, b, weight, kind) in enumerate(rows[first:end], first):
            fields = {"source": str(a), "target": str(b), "id": str(place + 2**50), "kind": kind, "weight": repr(weight)}
            lines.append(quoted(rng, [fields[c] for c in columns], ","))
        text = ("\n".join(lines) + "\n").encode()
        packed = session.maybe(0.3)
        if end > first or number == 0:
            files.append(session.write(f"part-{number}.csv" + ".gz" * packed, gzip.compress(text, 1) if packed else text))
        first = end
    for how in rng.sample(["min", "max", "sum", "first", "count", "keep"], 3):
        directed, loops = session.maybe(0.5), session.maybe(0.5)
        processes = session.processes()
        kept = not processes and session.maybe(0.7)
        flags = ["--format", "csv", "--duplicates", how, "--directed" if directed else "--undirected"] + ["--keep-loops"] * loops
        flags += ["--ids", "string"] * isinstance(rows[0][0], str) + ["--columns", "id:id,kind:type"] * kept
        flags += ["--threads", rng.randint(1, 4)] * session.maybe(0.5)
        want = expected(rows, how, directed, loops)
        session.count(f"merged {how}")
        if want is None:
            session.count("no sum")
            session.bad({3}, "build", *files, *flags, "-q", "-o", "g.meg", processes=processes)
            continue
        session.good("build", *files, *flags, "-q", "-o", "g.meg", processes=processes)
        session.good("convert", "g.meg", "-q", "-o", "out.csv")
        compare(session, rows, want, weighted or how == "count", kept)


def compare(session, rows, want, weighted, kept):
    with open(session.path("out.csv"), newline="", encoding="utf-8") as file:
        got = [(row["source"], row["target"], float(row["weight"]) if "weight" in row else None,
                int(row["id"]) - 2**50 if kept else None, row["kind"] if kept else None) for row in csv.DictReader(file)]
    want = [(str(a), str(b), float(weight) if weighted else None, number if kept else None, rows[number][3] if kept else None)
            for a, b, weight, number in want]
    for one, other in itertools.zip_longest(sorted(got, key=repr), sorted(want, key=repr)):
        if one != other:
            raise Wrong(f"an arc {one} where {other} was expected")
