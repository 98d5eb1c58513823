"""Random graphs of many shapes, ids and weights, and files of them in every format that is read.

`Shape` is what somebody might have: vertices 0 … n−1, edges between them, names and weights for these. `write_input` puts
it into a file, whose format decides what is left of it, and returns an `Input`, from which `Input.model` makes the graph
that the command should build under some flags."""
import csv
import gzip
import io
import lzma
import shutil
import struct
import subprocess

from reference import Model

# Names that no reader could take for a keyword, a number or a comment.
WORDS = ["Tokyo", "Osaka", "München", "東京", "naïve", "Ωmega", "🚲", "o'clock", "x-1", "a.b", "q_7", "Zürich@CH", "été", "@home"]
ODD = ["New York", "Paris, Texas", 'the "old" mill', "semi;colon", "a|b", "two  blanks", "=1+1", "'quoted'"]
INTEGERS = {  # kind: a place of a vertex becomes an id
    "small": lambda rng, i: i + 1, "zero": lambda rng, i: i, "spread": lambda rng, i: i * 1000003 + 7,
    "huge": lambda rng, i: 2**64 - 2 - i * rng.randint(1, 9) * 2**40, "middle": lambda rng, i: 2**63 - 3 + i,
    "mixed": lambda rng, i: rng.choice([i, 2**32 + i, 2**48 + i, 2**63 + i]),
    "signed": lambda rng, i: (i + 1) * rng.choice([-1, 1]), "low": lambda rng, i: -2**63 + 1 + i * rng.choice([1, 2**50]),
}


class Shape:
    def __init__(self, rng):
        self.rng = rng
        self.n = rng.choice([0, 1, 2, 3, 5, 8, 12, 20, 40, 80, 150, 300]) if rng.random() < 0.97 else 5000
        self.edges = list(self.ends())
        if rng.random() < 0.25:
            self.edges += [rng.choice(self.edges) for _ in range(len(self.edges) // 4)] if self.edges else []
        if rng.random() < 0.2 and self.n:
            self.edges += [(v, v) for v in rng.choices(range(self.n), k=1 + self.n // 10)]
        if rng.random() < 0.3:
            self.edges = [(b, a) if rng.random() < 0.5 else (a, b) for a, b in self.edges]
        if rng.random() < 0.7:
            rng.shuffle(self.edges)
        self.weigh()

    def ends(self):
        rng, n = self.rng, self.n
        kinds = ["sparse", "dense", "path", "star", "grid", "clique", "parts", "tree", "layers"]
        kind = rng.choice(kinds[:1] + kinds[2:5] + kinds[6:8] if n > 300 else kinds)
        if n == 0:
            return []
        if kind in ("sparse", "dense"):
            return [(rng.randrange(n), rng.randrange(n)) for _ in range(min(n * (rng.randint(0, 3) if kind == "sparse" else 12), 4000))]
        if kind == "path":
            return [(i, i + 1) for i in range(n - 1)] + [(n - 1, 0)] * (rng.random() < 0.3)
        if kind == "star":
            hub = rng.randrange(n)
            return [(hub, i) if rng.random() < 0.7 else (i, hub) for i in range(n) if i != hub]
        if kind == "grid":
            wide = max(1, int(n**0.5))
            return [(i, i + 1) for i in range(n - 1) if (i + 1) % wide] + [(i, i + wide) for i in range(n - wide)]
        if kind == "clique":
            size = min(n, 40)
            return [(a, b) for a in range(size) for b in range(a)] + [(i, i - 1) for i in range(size, n)]
        if kind == "tree":
            return [(rng.randrange(i), i) for i in range(1, n)]
        if kind == "layers":  # diamonds: many shortest paths
            return [(i, j) for i in range(n) for j in range((i // 3 + 1) * 3, min(n, (i // 3 + 2) * 3))]
        size = rng.randint(1, 6)  # parts
        return [(i, i - i % size + rng.randrange(size)) for i in range(n - n % size) for _ in range(2)]

    def weigh(self):
        rng = self.rng
        self.kind = rng.choice(["none", "none", "ties", "bytes", "zeros", "wide", "limits", "quarters", "floats", "sizes", "negative"])
        draw = {"none": lambda: None, "ties": lambda: rng.randint(1, 3), "bytes": lambda: rng.randint(0, 255), "zeros": lambda: rng.choice([0, 0, 1, 7]),
                "wide": lambda: rng.randint(0, 2**32 - 1), "limits": lambda: rng.choice([1, 2**32 - 1, 2**32, 2**53, 2**53 - 1, 2**60, 2**64]),
                "quarters": lambda: rng.randint(0, 40) / 4, "floats": rng.random, "sizes": lambda: rng.random() * 10.0**rng.randint(-6, 9),
                "negative": lambda: rng.randint(-3, 9)}[self.kind]
        if self.kind == "negative" and rng.random() < 0.7:  # searches refuse it: now and then is enough
            self.kind, draw = "ties", lambda: rng.randint(1, 3)
        self.edges = [(a, b, draw()) for a, b in self.edges]


class Input:
    """Files that were written, and what is in them: ids in the order of their first appearance, edges between ids."""

    def __init__(self, form, directed):
        self.form, self.directed = form, directed
        self.words, self.flags, self.stdin = [], [], None
        self.names, self.edges = {}, []  # names: a dict for its order
        self.symmetric = False  # both halves of a symmetric matrix, for --directed
        self.both_ends = False  # every edge stands at both its ends
        self.real = False  # the file says that its weights are, whatever their values
        self.weighted = False
        self.coords = {}

    def add(self, a, b, weight=None):
        self.names[a] = self.names[b] = None
        self.edges.append((a, b, weight))

    def model(self, directed=None, duplicates="min", keep_loops=False, weights=True):
        directed = self.directed if directed is None else directed
        names = list(self.names)
        kind = "string"
        if all(isinstance(name, int) for name in names):
            names.sort()
            kind = "signed" if names and names[0] < 0 else "unsigned"
        place = {name: i for i, name in enumerate(names)}
        edges = [(place[a], place[b], weight if weights else None) for a, b, weight in self.edges]
        if directed and (self.symmetric or self.both_ends):
            edges += [(b, a, weight) for a, b, weight in edges if a != b]
        made = Model(names, kind, edges, directed, duplicates, keep_loops)
        if self.real and weights and duplicates != "count":
            made.weights, made.exact = "f64", False
        return made


def number(rng, weight):
    """A weight as people write it."""
    if isinstance(weight, int):
        return str(weight)
    return repr(weight) if rng.random() < 0.8 or not 1e-3 < weight < 1e6 else f"{weight:.17e}"


def name_vertices(rng, n, odd):
    """Ids for the vertices: integers of one kind, or strings; `odd` ones need quotes or tabs."""
    kind = rng.choice([*INTEGERS, "string", "string", "string", "long"])
    if kind in INTEGERS:
        ids, used = [], set()
        for i in range(n):
            name = INTEGERS[kind](rng, i)
            while name in used or not -2**63 <= name < 2**64:
                name = abs(name) % 2**62 + 1
            used.add(name)
            ids.append(name)
        if min(ids, default=0) < 0:  # all fit signed ones, then
            ids = [i if i < 2**63 else i % 2**40 - 2**50 for i in ids]
        rng.shuffle(ids)
        return (ids if len(set(ids)) == n else list(range(n))), kind
    base = WORDS + ODD * odd
    ids = [base[i] if i < len(base) else f"{base[i % len(base)]}{i}" for i in range(n)]
    if kind == "long":
        ids = [name + "長x" * rng.choice([1, 50, 300]) for name in ids]
    rng.shuffle(ids)
    return ids, kind


def decorate(rng, lines, comments, ends=True):
    """Comments, blank lines, line ends."""
    if comments and rng.random() < 0.3:
        lines = lines[:1] + [part for line in lines[1:] for part in ([rng.choice(comments)] * (rng.random() < 0.1) + [line])]
    text = "\n".join(lines) + "\n" if lines else ""
    if ends and rng.random() < 0.15:
        text = text.replace("\n", "\r\n")
    if rng.random() < 0.1:
        text = text.rstrip("\r\n")
    return text


def quoted(rng, fields, gap):
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if rng.random() < 0.1 else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=gap, lineterminator="\n", quoting=quoting).writerow(fields)
    return text.getvalue()[:-1]


def edgelist(rng, shape, made):
    gap = rng.choice([" ", "\t", ",", ";", "  "])
    ids, kind = name_vertices(rng, shape.n, gap in "\t,;")
    lines = []
    for a, b, weight in shape.edges:
        made.add(ids[a], ids[b], weight)
        fields = [str(ids[a]), str(ids[b])] + ([number(rng, weight)] if weight is not None else [])
        lines.append(quoted(rng, fields, gap) if gap in ",;" else gap.join(fields))
    if kind in INTEGERS and lines and rng.random() < 0.3:
        for v in range(shape.n):
            if rng.random() < 0.2:
                made.names[ids[v]] = None
                lines.append(str(ids[v]))
    if rng.random() < 0.2 or kind not in INTEGERS:
        made.flags += ["--format", "el"]
    return {"g.el": decorate(rng, lines, ["# note", "% note", "// note", "", "   "])}


def table(rng, shape, made):
    gap = rng.choice([",", ",", ";", "|", "\t"])
    ids, _ = name_vertices(rng, shape.n, gap != "\t")
    columns = ["a", "b", "w"][:2 + (shape.kind != "none")] + ["x"] * (rng.random() < 0.4)
    rng.shuffle(columns)
    heads = {"a": rng.choice(["source", "From", "src", ":START_ID"]), "b": rng.choice(["target", "To", "dst", ":END_ID"]),
             "w": rng.choice(["weight", "Cost", "length"]), "x": "remark"}
    lines = [quoted(rng, [heads[c] for c in columns], gap) if gap != "\t" else gap.join(heads[c] for c in columns)]
    for a, b, weight in shape.edges:
        made.add(ids[a], ids[b], weight)
        fields = {"a": str(ids[a]), "b": str(ids[b]), "w": number(rng, weight) if weight is not None else "", "x": "yes"}
        if len(lines) > 1:  # mostly words: a column of numbers would be the weight
            fields["x"] = rng.choice(["", "yes", "7 or 8"])
        fields = [fields[c] for c in columns]
        lines.append(quoted(rng, fields, gap) if gap != "\t" else gap.join(fields))
    if rng.random() < 0.2 or not shape.edges:
        made.flags += ["--format", "csv"]
    return {"g.csv": decorate(rng, lines, [])}


def numbered(made, shape):
    """For formats whose ids are 1 … n, all of them vertices."""
    made.names = dict.fromkeys(range(1, shape.n + 1))
    for a, b, weight in shape.edges:
        made.edges.append((a + 1, b + 1, weight))


def dimacs(rng, shape, made):
    numbered(made, shape)
    made.flags += ["--format", "gr"] * (rng.random() < 0.3 or not shape.edges)
    if shape.kind == "none" and rng.random() < 0.4:
        made.directed = False
        lines = [f"p {rng.choice(['edge', 'col'])} {shape.n} {len(shape.edges)}"] + [f"e {a} {b}" for a, b, _ in made.edges]
    else:
        lines = [f"p sp {shape.n} {len(shape.edges)}"]
        lines += [f"a {a} {b}" + (f" {number(rng, weight)}" if weight is not None else "") for a, b, weight in made.edges]
    return {"g.gr": decorate(rng, ["c a graph"] + lines, ["c more", ""])}


def pace(rng, shape, made):
    shape.edges = [(a, b, None) for a, b, _ in shape.edges]
    numbered(made, shape)
    made.flags += ["--format", "pace"]
    return {"g.gr": decorate(rng, [f"p tw {shape.n} {len(shape.edges)}"] + [f"{a} {b}" for a, b, _ in made.edges], ["c more"])}


def metis(rng, shape, made):
    shape.edges = [(a, b, None if w is None else int(abs(w)) % 1000 + 1) for a, b, w in shape.edges if a != b]
    numbered(made, shape)
    rows = [[] for _ in range(shape.n)]
    for a, b, weight in made.edges:
        for v, u in ((a, b), (b, a)):
            rows[v - 1].append(f"{u}" if weight is None else f"{u} {weight}")
    made.both_ends = True
    made.flags += ["--format", "metis"] * (rng.random() < 0.3)
    weighted = bool(shape.edges) and shape.edges[0][2] is not None
    head = f"{shape.n} {len(shape.edges)}" + (" 001" if weighted else rng.choice(["", " 0", " 000"]))
    return {"g.graph": "\n".join([head] + [" ".join(row) for row in rows]) + "\n"}


def matrix(rng, shape, made):
    symmetric = rng.random() < 0.4
    numbered(made, shape)
    whole = all(isinstance(weight, int) and weight < 2**53 for _, _, weight in shape.edges)
    value = "pattern" if shape.kind == "none" else "integer" if whole else "real"
    made.real = value == "real" and bool(made.edges)
    if symmetric:
        made.directed, made.symmetric = False, True
        made.edges = [(max(a, b), min(a, b), weight) for a, b, weight in made.edges]
    lines = [f"%%MatrixMarket matrix coordinate {value} {'symmetric' if symmetric else 'general'}", f"{shape.n} {shape.n} {len(made.edges)}"]
    lines += [f"{a} {b}" + (f" {number(rng, weight)}" if weight is not None else "") for a, b, weight in made.edges]
    return {"g.mtx": decorate(rng, lines, ["% more"], ends=False)}


def adjacency(rng, shape, made):
    gap = rng.choice([" ", "\t"])
    ids, _ = name_vertices(rng, shape.n, gap == "\t")
    rows = {}
    for a, b, _ in shape.edges:
        rows.setdefault(a, []).append(b)
    for v in range(shape.n):
        if rng.random() < 0.3:
            rows.setdefault(v, [])
    lines = []
    for a, row in rows.items():
        made.names[ids[a]] = None
        for b in row:
            made.add(ids[a], ids[b])
        lines.append(gap.join(str(ids[v]) for v in [a, *row]))
    made.flags += ["--format", "adj"]
    if gap == "\t" and len(rows) and len(lines[0].split("\t")) == 1 and " " in lines[0]:
        return adjacency_again(made, ids, rows)
    return {"g.adj": decorate(rng, lines, ["# note"])}


def adjacency_again(made, ids, rows):
    """The first line alone says what parts columns: a name with blanks must not stand there alone."""
    order = sorted(rows, key=lambda a: not rows[a])
    made.names, made.edges = {}, []
    for a in order:
        made.names[ids[a]] = None
        for b in rows[a]:
            made.add(ids[a], ids[b])
    if not rows[order[0]]:
        made.names = {}
        return {"g.adj": ""}
    return {"g.adj": "".join("\t".join(str(ids[v]) for v in [a, *rows[a]]) + "\n" for a in order)}


def ldbc(rng, shape, made):
    ids, _ = name_vertices(rng, shape.n, False)
    made.names = dict.fromkeys(ids)
    lines = []
    for a, b, weight in shape.edges:
        made.add(ids[a], ids[b], weight)
        lines.append(f"{ids[a]} {ids[b]}" + (f" {number(rng, weight)}" if weight is not None else ""))
    made.flags += ["--format", "ldbc"] * (rng.random() < 0.3)
    return {"g.e": decorate(rng, lines, []), "g.v": "".join(f"{name}\n" for name in ids)}


def neo4j(rng, shape, made):
    """Nodes and relationships as Neo4j imports them, columns in any order, others between them."""
    gap = rng.choice([",", ";", "|"])
    ids, _ = name_vertices(rng, shape.n, False)
    made.names = dict.fromkeys(ids)
    space = rng.choice(["", "(Place)"])
    lines = [quoted(rng, [f"uid:ID{space}", ":LABEL", "name"], gap)]
    lines += [quoted(rng, [str(i), rng.choice(["A", "A:B", ""]), rng.choice(["", "two words"])], gap) for i in ids]
    columns = ["a", "b", "t", "x"] + ["w"] * (shape.kind != "none")
    rng.shuffle(columns)
    heads = {"a": f":START_ID{space}", "b": f":END_ID{space}", "t": ":TYPE", "x": "note:string[]", "w": rng.choice(["weight:double", "cost"])}
    rows = [quoted(rng, [heads[c] for c in columns], gap)]
    for a, b, weight in shape.edges:
        made.add(ids[a], ids[b], weight)
        fields = {"a": str(ids[a]), "b": str(ids[b]), "t": rng.choice("KLM"), "x": rng.choice(["", "line\nend", "7"]),
                  "w": number(rng, weight) if weight is not None else ""}
        rows.append(quoted(rng, [fields[c] for c in columns], gap))
    made.flags += ["--format", "neo4j"] * (rng.random() < 0.3)
    return {"g-relationships.csv": decorate(rng, rows, []), "g-nodes.csv": "".join(f"{line}\n" for line in lines)}


def binary(rng, shape, made):
    bits = rng.choice([32, 48, 64])
    ids = [rng.choice([i, 2**bits - 1 - i]) for i in range(shape.n)]
    if len(set(ids)) < shape.n:
        ids = list(range(shape.n))
    out = []
    for a, b, _ in shape.edges:
        a, b = ids[a], ids[b]
        made.add(a, b)
        out.append(struct.pack("<IIHH", a % 2**32, b % 2**32, a >> 32, b >> 32) if bits == 48 else struct.pack("<II" if bits == 32 else "<QQ", a, b))
    made.flags += ["--format", f"bin{bits}"]
    return {f"g.bin{bits}": b"".join(out)}


FORMATS = {  # how it is written, and whether it is directed unless told otherwise
    "el": (edgelist, True), "csv": (table, True), "gr": (dimacs, True), "pace": (pace, False), "metis": (metis, False), "mtx": (matrix, True),
    "adj": (adjacency, True), "ldbc": (ldbc, True), "bin": (binary, True), "neo4j": (neo4j, True),
}


def pack(rng, data):
    kind = rng.choice(["", "", "", ".gz", ".xz", ".zst" if shutil.which("zstd") else ".gz"])
    if kind == ".gz":
        return kind, gzip.compress(data, 1, mtime=0)
    if kind == ".xz":
        return kind, lzma.compress(data, preset=0)
    if kind == ".zst":
        return kind, subprocess.run(["zstd", "-1", "-c"], input=data, capture_output=True, check=True).stdout
    return kind, data


def write_input(session, shape, form=None):
    """Writes a graph in a random format; coordinates beside it now and then."""
    rng = session.rng
    form = form or rng.choices(list(FORMATS), [5, 4, 4, 2, 2, 3, 2, 2, 2, 2])[0]
    write, directed = FORMATS[form]
    made = Input(form, directed)
    files = {name: text if isinstance(text, bytes) else text.encode() for name, text in write(rng, shape, made).items()}
    made.weighted = any(weight is not None for _, _, weight in made.edges)
    first = True
    for name, data in files.items():
        suffix, data = pack(rng, data)
        if first and form not in ("ldbc", "metis", "neo4j") and rng.random() < 0.15:
            made.words, made.stdin = ["-"], data
        else:
            session.write(name + suffix, data)
            if first:
                made.words = [name + suffix]
        first = False
    whole = all(isinstance(name, int) and name >= 0 for name in made.names)
    if whole and made.names and rng.random() < 0.25:
        wide = rng.choice([1, 100, 10**6, 10**8])
        made.coords = {v: (rng.randint(-wide, wide), rng.randint(-wide, wide)) for v in made.names if rng.random() < 0.97 or len(made.names) < 9}
        if form not in ("gr", "pace", "metis", "mtx") and rng.random() < 0.5:  # a vertex that only this file names
            made.coords[max(made.names) % 2**40 + 3] = (0, 0)
            made.names.update(dict.fromkeys(made.coords))
        lines = [f"v {v} {x} {y}" for v, (x, y) in made.coords.items()]
        lines = [f"p aux sp co {len(lines)}"] * (rng.random() < 0.5) + lines
        made.flags += ["--coords", session.write("g.co", "".join(line + "\n" for line in lines))]
    return made
