"""`run --resume` on what the run was begun with, in another form, and on what differs in one thing: either the answer is
that of a run from the beginning on the same input, or the run is refused and the checkpoint stays as it was."""
import os

from session import COMPILED

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "pregel")


def program_in(folder):
    """Shortest paths that read messages by source: how the graph is stored makes no difference."""
    path = os.path.join(folder, "by_source.c")
    if not os.path.exists(path):
        with open(os.path.join(EXAMPLES, "sssp.c"), encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(".any_order = 1", ".any_order = 0"))
    return path


def write(session, name, rows, form):
    """The edges as text, or as a graph of some order: nothing that a program sees differs."""
    rows = list(rows)
    if form["shuffled"]:
        session.rng.shuffle(rows)  # ids are integers: their order is not that of the file
    session.write(f"{name}.wel", "".join(f"{a} {b} {weight}\n" for a, b, weight in rows))
    words = ["--directed" if form["directed"] else "--undirected", "--keep-duplicates"]
    if form["text"]:
        return [f"{name}.wel", *words]
    order = ["--order", session.rng.choice(["degree", "bfs", "none"])]
    session.good("build", f"{name}.wel", *words, *order, "-q", "-o", f"{name}.meg")
    return [f"{name}.meg"]


def change(rng, rows, form, source):
    """One thing, which may come to nothing, as where two edges change places."""
    rows, at = list(rows), rng.randrange(len(rows))
    a, b, weight = rows[at]
    kind = rng.choice(["weight", "target", "swap", "id", "edge", "direction", "argument"])
    if kind == "weight":
        rows[at] = (a, b, weight + rng.choice([1, 0.5]))
    elif kind == "target":
        rows[at] = (a, rng.choice(rows)[1], weight)
    elif kind == "swap":
        other = rng.randrange(len(rows))
        rows[at], rows[other] = (a, rows[other][1], weight), (rows[other][0], b, rows[other][2])
    elif kind == "id":
        last = max(max(row[:2]) for row in rows)
        rows = [tuple(x + 1 if x == last else x for x in row[:2]) + row[2:] for row in rows]
        source += source == last
    elif kind == "edge":
        rows.append(rng.choice(rows))
    elif kind == "direction":
        form = dict(form, directed=not form["directed"])
    else:
        source = rng.choice(rows)[0]
    return rows, form, source


def kept(session):
    return {name: session.read(os.path.join("kept", name)) for name in os.listdir(session.path("kept"))}


def resumed(session):
    rng, program = session.rng, program_in(COMPILED)
    vertices, step = rng.choice([5, 20, 60]), rng.choice([1, 10])
    rows = [(step * rng.randrange(vertices), step * rng.randrange(vertices), rng.choice([1, 2, 7, 0.25]))
            for _ in range(rng.randint(1, 4 * vertices))]
    form = {"directed": session.maybe(0.5), "shuffled": False, "text": session.maybe(0.5)}
    source = rows[0][0]
    first = write(session, "first", rows, form)
    begin = ["--checkpoint", "kept", "--every", rng.randint(1, 3), "--max-supersteps", rng.randint(1, 6)]
    workers = ["--workers", rng.randint(1, 4)]
    session.bad({0, 5}, "run", program, *first, "-q", *begin, *workers, "--", source)
    before = kept(session)
    if len(before) == 0:
        return
    for _ in range(3):
        same = session.maybe(0.4)
        form = dict(form, shuffled=session.maybe(0.5), text=session.maybe(0.5))
        again, changed, start = (rows, form, source) if same else change(rng, rows, form, source)
        words = write(session, "again", again, changed)
        processes = session.processes()
        how = [] if processes else ["--workers", rng.randint(1, 4)]
        code, _, err = session.run("run", program, *words, "-q", "--resume", "kept", *how, "-o", "out.tsv", "--", start,
                                   processes=processes)
        session.same(kept(session), before, "the checkpoint")
        session.count("resumed" if code == 0 else "not resumed")
        if code == 0:
            session.good("run", program, *words, "-q", "-o", "want.tsv", "--", start)
            session.same(session.read("out.tsv"), session.read("want.tsv"), "the answer")
            os.unlink(session.path("out.tsv"))
        elif same or code != 3 or "this checkpoint is of another " not in err:
            session.same((code, err), (0, ""), "resuming with the same" if same else "resuming with another")
