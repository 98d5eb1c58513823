"""Databases that are played (tests/db/fake.py), pulled into a cache as one graph, searched, and written back to: what each
database has then, beside a search of the edges as they were made up."""
import csv
import heapq
import io
import os
import sys

from session import MEGURI, Wrong

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "db"))
from fake import Fake  # noqa: E402

LIBRARY = os.path.exists(os.path.join(os.path.dirname(MEGURI), "libmeguri_db.so"))


def partitions(rng, parts, keys, edges):
    """Every vertex is a node of one database, where its edges begin; their ends elsewhere are proxies there."""
    home = [rng.randrange(parts) for _ in keys]
    out = []
    for part in range(parts):
        here = [v for v in range(len(keys)) if home[v] == part]
        mine = [edge for edge in edges if home[edge[0]] == part]
        away = sorted({b for _, b, _ in mine} - set(here))
        ids = dict(zip(here + away, rng.sample(range(3 * len(keys) + 1), len(here) + len(away))))
        nodes = [{"id": ids[v], "uid": keys[v], "labels": [] if v in here else ["Proxy"]} for v in here + away]
        numbers = rng.sample(range(4 * len(mine) + 1), len(mine))
        rows = [(i, ids[a], ids[b], rng.choice("AB"), weight) for i, (a, b, weight) in zip(numbers, mine)]
        out.append(Fake(nodes, rows, key="uid", proxy="Proxy", weight="w", mark=f"mark {part}",
                        **rng.choice(({}, {"alive": True, "chunk": 5}, {"pull": 2}, {"version": (4, 4)}))))
    return out


def distances(count, edges, source):
    rows, far, heap = [[] for _ in range(count)], {}, [(0, source)]
    for a, b, weight in edges:
        rows[a].append((b, weight))
    while heap:
        distance, v = heapq.heappop(heap)
        if v not in far:
            far[v] = distance
            for b, weight in rows[v]:
                heapq.heappush(heap, (distance + weight, b))
    return far


def check_written(session, databases, keys, far):
    """Every vertex once, at its own node, and proxies never."""
    wanted = {keys[v]: distance for v, distance in far.items()}
    got = {}
    for database in databases:
        for node in database.nodes:
            proxy = "Proxy" in node["labels"]
            session.same(database.writes[node["id"]], 0 if proxy else 1, "times that a node was written")
            if "far" in node:
                got[node["uid"]] = node["far"]
    session.same(got, wanted, "distances in the databases")


def search_and_write_back(session, databases, keys, edges, uris):
    rng = session.rng
    source = rng.randrange(len(keys))
    result = "far" + rng.choice((".tsv", ".npy", ".csv", ".csv.gz"))
    session.good("sssp", "c.meg", f"--source={keys[source]}", "-o", result, "-q")
    found = session.json("write-back", "c.meg", "--result", result, "--property", "far", *rng.sample(uris, len(uris)),
                         *(("--key", "uid") if session.maybe(0.5) else ()), "--connections", rng.randint(1, 3))
    session.same((found["written"], found["missing"]), (len(keys), 0), "nodes that were written")
    check_written(session, databases, keys, distances(len(keys), edges, source))


def pulled(session):
    if not LIBRARY:
        return
    rng = session.rng
    count = rng.choice((1, 2, 5, 20, 60))
    texts = session.maybe(0.5)
    keys = [f"k {i} é" if texts else rng.choice((1, 1000003)) * 2 * count + i * 7919 - 5 for i in range(count)]
    edges = [(rng.randrange(count), rng.randrange(count), rng.choice((0, 1, 2, 300, 0.5))) for _ in range(rng.choice((0, 3, 4 * count)))]
    databases = partitions(rng, rng.randint(1, 3), keys, edges)
    try:
        uris = [database.uri() for database in databases]
        if any(not database.nodes for database in databases) and len(databases) > 1:
            return  # two without nodes could not tell who they are
        words = ("pull", *uris, "--key", "uid", "--proxy", "Proxy", "--weight", "w", "-o", "c.meg", "--connections", rng.randint(1, 3))
        session.json(*words[:-4], "--estimate")
        found = session.json(*words)
        session.same((found["vertices"], found["edges"]), (count, len(edges)), "vertices and edges")
        session.good("convert", "c.meg", "-o", "c.csv", "-q")
        table = list(csv.DictReader(io.StringIO(session.read("c.csv").decode())))
        got = sorted((row["source"], row["target"], float(row.get("weight") or 1)) for row in table)
        session.same(got, sorted((str(keys[a]), str(keys[b]), float(weight)) for a, b, weight in edges), "edges of the cache")
        search_and_write_back(session, databases, keys, edges, uris)
        left = [name for name in os.listdir(session.folder) if name.endswith((".pull", ".written"))]
        if left:
            raise Wrong(f"left behind: {left}")
    finally:
        for database in databases:
            database.close()
