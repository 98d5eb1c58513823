"""meguri pull from a real Neo4j, and write-back to it: the answers of its own path finders, partitions, TLS, queries that
do not scan, results read back. One start of Java for all of it."""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import fake  # noqa: E402
import harness  # noqa: E402
import neo4j  # noqa: E402

server = None
trouble = None

TYPES = 60000 if "MEGURI_MANY_TYPES" in os.environ else 500  # Neo4j has 65,536 at most, and takes minutes to make them


def setUpModule():
    global server, trouble
    folder = tempfile.mkdtemp(prefix="meguri-neo4j-")
    harness.unittest.addModuleCleanup(harness.shutil.rmtree, folder, ignore_errors=True)
    os.mkdir(os.path.join(folder, "tls"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "private.key", "-out", "public.crt",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
                   cwd=os.path.join(folder, "tls"), capture_output=True, check=True)
    try:
        server = neo4j.Neo4j(folder)
        harness.unittest.addModuleCleanup(server.close)
    except neo4j.Missing as missing:
        trouble = str(missing)


class Real(harness.Case):
    def setUp(self):
        super().setUp()
        self.need(server is not None, trouble)
        server.empty()
        self.env = {"NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": neo4j.PASSWORD}

    def uri(self, database, scheme="bolt"):
        return f"{scheme}://127.0.0.1:{server.ports[database]}/neo4j"

    def pull(self, *words):
        return self.json("pull", *words, "-o", "c.meg", env=self.env)

    def load(self, database, nodes, rows):
        """Nodes are labels and maps in Cypher, by number; rows (from, to, type, map)."""
        texts = [f"(n{i}:{label} {values})" for i, (label, values) in nodes.items()]
        texts += [f"(n{a})-[:{kind} {values}]->(n{b})" for a, b, kind, values in rows]
        ids = ", ".join(f"id(n{i})" for i in nodes)
        return dict(zip(nodes, server.run(database, f"CREATE {', '.join(texts)} RETURN {ids}")[0]))

    def cost(self, start, end, graph="c.meg", algorithm="auto"):
        paths = self.json("path", graph, f"--from={start}", f"--to={end}", "--algorithm", algorithm)["paths"]
        return paths[0]["cost"] if paths else None

    def count(self, algorithm, start, end, most):
        found = self.json("path", "c.meg", f"--from={start}", f"--to={end}", "--algorithm", algorithm, "--max-hops", most)
        return len(found["paths"])

    def test_answers_of_its_own_path_finders(self):
        for seed in range(2):
            server.empty()
            draw = random.Random(seed)
            # parallel edges, loops, weights that are zero, missing or texts; a part that nothing leads to
            # (Neo4j's path finders fail at texts: their weight is `o`)
            rows = [(draw.randrange(12), draw.randrange(10), draw.choice("AB"),
                     draw.choice(("{w: 0, o: 0}", "{w: 1, o: 1}", "{w: 2.5, o: 2.5}", "{w: '1.25', o: 1.25}", "{}",
                                  "{w: null, o: 3}", "{w: 7, o: 7}"))) for _ in range(26)]
            ids = self.load(1, {i: ("N", f"{{key: {i}, name: 'node \"{i}\" ü'}}") for i in range(12)}, rows)
            named = seed % 2 == 1  # texts as keys
            found = self.pull(self.uri(1), "--weight", "w", "--default-weight", 3, *(["--key", "name"] if named else []))
            self.assertEqual((found["vertices"], found["edges"]), (12, 26))
            for _ in range(5):
                start, end = draw.sample(range(12), 2)
                a, b = ids[start], ids[end]
                theirs = server.path(1, "dijkstra", a, b, "o", 3)[0]
                counts = [int(server.path(1, kind, a, b, most)[0]) for kind, most in (("shortest", 20), ("all", 4), ("simple", 4))]
                if named:
                    a, b = f'node "{start}" ü', f'node "{end}" ü'
                ours = self.cost(a, b)
                self.assertEqual(None if theirs == "none" else float(theirs), ours)
                self.assertEqual(counts, [self.count(kind, a, b, most)
                                          for kind, most in (("all-shortest", 20), ("all", 4), ("simple", 4))])

    def test_a_star_beside_its_own(self):
        """Weights are at least the straight line; texts as keys, parallel edges, a part that nothing leads to."""
        draw = random.Random(5)
        at = [(draw.uniform(0, 9), draw.uniform(0, 9)) for _ in range(16)]
        rows = []
        for _ in range(45):
            a, b = draw.randrange(16), draw.randrange(14)
            rows.append((a, b, "R", f"{{w: {math.dist(at[a], at[b]) * draw.choice((1, 1, 1.5, 3)) + 1e-9}}}"))
        ids = self.load(2, {i: ("N", f"{{name: 'k{i}', x: {x}, y: {y}}}") for i, (x, y) in enumerate(at)}, rows)
        self.pull(self.uri(2), "--weight", "w", "--key", "name", "--x", "x", "--y", "y")
        for start, end in [draw.sample(range(16), 2) for _ in range(8)]:
            theirs = [server.path(2, *kind, ids[start], ids[end], "w", 1, *more)[0]
                      for kind, more in ((["astar"], ("x", "y", 1)), (["dijkstra"], ()))]
            ours = self.cost(f"k{start}", f"k{end}", algorithm="astar")
            for cost in theirs:
                if ours is None:
                    self.assertEqual(cost, "none")
                else:
                    self.assertAlmostEqual(ours, float(cost), places=9)

    def test_ids_of_relationships_are_those_of_the_database(self):
        self.load(2, {0: ("N", "{}"), 1: ("N", "{}"), 2: ("M", "{}")},
                  [(0, 1, "ROAD", "{}"), (0, 1, "RAIL", "{}"), (1, 2, "ROAD", "{}"), (2, 0, "`odd ``name`", "{}")])
        self.pull(self.uri(2))
        self.good("convert", "c.meg", "-o", "c.csv", "--quiet")
        with open(self.path("c.csv"), encoding="utf-8") as file:
            ours = sorted((r["source"], r["target"], r["id"], r["type"]) for r in csv.DictReader(file))
        theirs = sorted(map(tuple, server.run(2, "MATCH (a)-[r]->(b) RETURN id(a), id(b), id(r), type(r)")))
        self.assertEqual(ours, theirs)
        found = self.pull(self.uri(2), "--types", "ROAD", "--labels", "N")
        self.assertEqual((found["vertices"], found["edges"]), (2, 1))
        found = self.pull(self.uri(2), "--types", "odd `name")
        self.assertEqual((found["vertices"], found["edges"]), (3, 1))

    def test_filters_points_and_texts_as_keys(self):
        self.load(1, {0: ("N", "{name: 'a\"b', up: true, at: point({x: 1.5, y: 2})}"), 1: ("N", "{name: 'ü', up: true}"),
                      2: ("N", "{name: 'c', up: false}")}, [(0, 1, "R", "{}"), (1, 2, "R", "{}")])
        found = self.pull(self.uri(1), "--key", "name", "--where", "up=true", "--point", "at")
        self.assertEqual((found["vertices"], found["edges"]), (2, 1))
        self.assertEqual(self.cost('a"b', "ü"), 1)

    def load_parts(self, text=False):
        """g.meg in three databases, and their configuration; with texts as keys, or integers."""
        self.good("gen", "grid", "--width", 9, "--height", 8, "-o", "g.meg", "--quiet")
        if text:
            self.good("convert", "g.meg", "-o", "g.csv", "--quiet")
            with open(self.path("g.csv"), encoding="utf-8") as file:
                rows = list(csv.reader(file))
            self.write("named.csv", "".join(",".join([f"v{a}", f"v{b}", *more] if i else [a, b, *more]) + "\n"
                                            for i, (a, b, *more) in enumerate(rows)))
            self.good("build", "named.csv", "--undirected", "-o", "g.meg", "--quiet")
        self.good("partition", "g.meg", "--parts", 3, "-o", "parts", "--quiet")
        for part in range(3):
            folder = self.path(f"parts/part-{part}")
            with open(f"{folder}/nodes.csv", encoding="utf-8") as file:
                nodes = {r["uid:ID"]: (r[":LABEL"], f"{{uid: {repr(r['uid:ID']) if text else r['uid:ID']}}}")
                         for r in csv.DictReader(file)}
            with open(f"{folder}/relationships.csv", encoding="utf-8") as file:
                rows = [(r[":START_ID"], r[":END_ID"], r[":TYPE"], f"{{weight: {r.get('weight:double') or r['weight:long']}}}")
                        for r in csv.DictReader(file)]
            self.load(part, nodes, rows)
        config = {"databases": [self.uri(0, "neo4j"), self.uri(1), self.uri(2)], "key": "uid", "proxy": "Proxy",
                  "weight": "weight", "undirected": True}
        return self.write("parts.json", json.dumps(config))

    def test_partitions_with_texts_as_keys(self):
        found = self.pull(self.load_parts(text=True))
        whole = self.json("info", "g.meg")
        self.assertEqual((found["vertices"], found["edges"]), (whole["vertices"], whole["edges"]))
        self.assertGreater(found["proxies"], 0)
        for start, end in (("v5", "v70"), ("v33", "v2"), ("v60", "v12")):
            self.assertIsNotNone(self.cost(start, end))
            self.assertEqual(self.cost(start, end), self.cost(start, end, "g.meg"))

    def test_partitions_become_the_graph_again(self):
        found = self.pull(self.load_parts())
        whole = self.json("info", "g.meg")
        self.assertEqual((found["vertices"], found["edges"]), (72, whole["edges"]))
        self.assertGreater(found["proxies"], 0)
        costs = [self.cost(start, end) for start, end in ((5, 70), (33, 2), (60, 12))]
        self.assertEqual(costs, [self.cost(start, end, "g.meg") for start, end in ((5, 70), (33, 2), (60, 12))])
        self.assertNotEqual(costs, [None] * 3)
        # every step of a path, in the database that it comes from
        path = self.json("path", "c.meg", "--from=5", "--to=70")["paths"][0]
        marks = [server.run(d, "MATCH (n) RETURN split(elementId(n), ':')[1] LIMIT 1")[0][0] for d in range(3)]
        where = [(marks.index(name), node) for name, node in zip(*path["vertex_columns"].values())]
        self.assertEqual(len({database for database, _ in where}), 3)
        for vertex, (database, node) in zip(path["vertices"], where):
            found = server.run(database, f"MATCH (n:Vertex) WHERE elementId(n) = '4:{marks[database]}:{node}' RETURN n.uid")
            self.assertEqual(found, [[str(vertex)]])
        for ends, name, number in zip(zip(path["vertices"], path["vertices"][1:]), path["columns"]["database"],
                                      path["columns"]["id"]):
            found = server.run(marks.index(name), f"MATCH (a)-[r]->(b) WHERE elementId(r) = '5:{name}:{number}' "
                                                  "RETURN a.uid, b.uid")
            self.assertEqual(sorted(map(int, found[0])), sorted(ends))

    def test_searches_without_a_cache(self):
        """bench/bench_uncached.c: the same answers across the databases as on the cache."""
        self.need("BENCH_UNCACHED" in os.environ, "the benchmarks")
        self.load_parts()
        done = subprocess.run([os.environ["BENCH_UNCACHED"], "4", "7", *map(self.uri, range(3))], capture_output=True, text=True,
                              env=dict(os.environ, **self.env), timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("pulling pays from search"), 3)
        self.assertNotIn("DIFFER", done.stdout)
        self.assertNotIn("(0 rounds", done.stdout)

    def column(self, path, place):
        with open(self.path(path), encoding="utf-8") as file:
            return {row[0]: row[place] for row in (line.rstrip("\n").split("\t") for line in list(file)[1:])}

    def test_results_go_back(self):
        self.pull(self.load_parts())
        self.good("pagerank", "c.meg", "-o", "rank.tsv", "--quiet")
        words = ("write-back", "c.meg", "--result", "rank.tsv", "--property", "odd `rank\\u0060")
        found = self.json(*words, "parts.json", env=self.env)
        self.assertEqual((found["written"], found["missing"], found["databases"]), (72, 0, 3))
        rows = [row for d in range(3) for row in server.run(d, "MATCH (n:Vertex) RETURN n.uid, n.`odd ``rank\\u005Cu0060`")]
        self.assertEqual({uid: float(rank) for uid, rank in rows},
                         {uid: float(rank) for uid, rank in self.column("rank.tsv", 1).items()})
        for d in range(3):
            self.assertEqual(server.run(d, "MATCH (n:Proxy) WHERE n.`odd ``rank\\u005Cu0060` IS NOT NULL RETURN count(n)"), [["0"]])
        # a node that is gone, and one that is not the same any more
        server.run(1, "MATCH (n:Vertex) WITH n LIMIT 1 DETACH DELETE n")
        server.run(2, "MATCH (n:Vertex) WITH n LIMIT 1 SET n.uid = 4711")
        result = self.run_it(*words, "parts.json", "--json", env=self.env)
        self.assertEqual(json.loads(result.stdout)["missing"], 2)
        self.assertIn(b"2 of 72 nodes are not there any more", result.stderr)
        self.bad(2, "which is not named", *words, self.uri(1), self.uri(2), env=self.env)

    def test_what_is_not_reached_goes(self):
        self.load(1, {i: ("N", f"{{name: 'n{i}', far: 'old'}}") for i in range(4)}, [(0, 1, "R", "{}"), (1, 2, "R", "{}")])
        self.pull(self.uri(1), "--key", "name")
        self.good("sssp", "c.meg", "--source", "n0", "-o", "d.npy", "--quiet")
        for more in (("--property", "far"), ("--property", "via", "--column", "parent")):
            self.json("write-back", "c.meg", "--result", "d.npy", *more, self.uri(1), "--key", "name", env=self.env)
        rows = server.run(1, "MATCH (n) RETURN n.name, n.far, n.via ORDER BY n.name")
        self.assertEqual(rows, [["n0", "0", "n0"], ["n1", "1", "n0"], ["n2", "2", "n1"], ["n3", "null", "null"]])
        plan = "\n".join(server.request(1, "PROFILE UNWIND [[0, 1]] AS r MATCH (n) WHERE id(n) = r[0] AND n.name = r[2] "
                                           "SET n.far = r[1] RETURN count(n)"))
        self.assertIn("NodeByIdSeek", plan)
        self.assertNotIn("Scan", plan)

    def test_tls_and_passwords(self):
        self.load(0, {0: ("N", "{}"), 1: ("N", "{}")}, [(0, 1, "R", "{}")])
        trusted = os.path.join(server.folder, "tls", "public.crt")
        self.assertEqual(self.pull(self.uri(0, "bolt+s"), "--ca-file", trusted)["edges"], 1)
        self.assertEqual(self.pull(self.uri(0, "neo4j+ssc"))["edges"], 1)
        self.bad(5, "not to be trusted", "pull", self.uri(0, "bolt+s"), "-o", "d.meg", env=self.env)
        self.bad(5, "refuses", "pull", self.uri(0), "-o", "d.meg", env=dict(self.env, NEO4J_PASSWORD="wrong"))
        self.bad(5, "TLS", "pull", self.uri(1, "bolt+s"), "-o", "d.meg", env=self.env)
        self.bad(5, "refuses", "pull", self.uri(1).replace("/neo4j", "/other"), "-o", "d.meg", env=self.env)

    def test_shares_do_not_scan(self):
        self.load(1, {i: ("N", "{}") for i in range(30)}, [(i, (i * 7) % 30, "R", "{}") for i in range(30)])
        for words, seek in (((), "DirectedRelationshipByIdSeek"), (("--labels", "N"), "NodeByIdSeek")):
            for query in self.queries(*words):
                for name, value in {"a": 3, "b": 5, "items": 1024, "groups": 2, "parts": 1, "part": 0}.items():
                    query = query.replace(f"${name} ", f"{value} ").replace(f"${name},", f"{value},").replace(f"${name})", f"{value})")
                plan = "\n".join(server.request(1, f"PROFILE {query}"))
                self.assertIn(seek if "[r" in query else "NodeByIdSeek", plan)
                self.assertNotIn("Scan", plan)

    def queries(self, *words):
        """Those that a pull asks for shares with, as a database that a test plays hears them."""
        database = fake.Fake([{"id": 0}], [(0, 0, 0, "R", 1)], weight="w")
        self.addCleanup(database.close)
        self.pull(database.uri(), "--weight", "w", *words)
        found = {query for query in database.texts if query.startswith("UNWIND")}
        self.assertEqual(len(found), 2)
        return found

    def test_many(self):
        server.run(1, "UNWIND range(0, 19999) AS i CREATE (:N {k: i})")
        first = int(server.run(1, "MATCH (n) RETURN min(id(n))")[0][0])
        server.run(1, f"MATCH (n) WITH n MATCH (m) WHERE id(m) = {first} + (n.k * 31) % 20000 CREATE (n)-[:R {{w: n.k % 5}}]->(m)")
        found = self.pull(self.uri(1), "--weight", "w", "--key", "k", "--connections", 3)
        self.assertEqual((found["vertices"], found["edges"], found["outside"]), (20000, 20000, 0))

    def test_hostile_names(self):
        """Types, keys and values that would end a name or a text, or move a terminal's cursor; many types."""
        names = ["a`b", "`", "``", "a'b", 'a"b', "a\\b", "a b", "a,b", "$x", "{y}", "[:R]", "]->(n) DETACH DELETE n //",
                 "\u202eb", "\x1b[2J", "-- ;", "日本", "type", "id", "R" * 300]
        quoted = ["`" + name.replace("`", "``") + "`" for name in names]
        marks = [json.dumps(f"v{i} {name}") for i, name in enumerate(names)]
        nodes = {i: (quoted[i], f"{{k: {marks[i]}, `w``'x`: {i}}}") for i in range(len(names))}
        rows = [(i, (i + 1) % len(names), quoted[i], f"{{`w``'x`: {i}}}") for i in range(len(names))]
        self.load(1, nodes, rows)
        found = self.pull(self.uri(1), "--key", "k", "--weight", "w`'x")
        self.assertEqual((found["vertices"], found["edges"]), (len(names), len(names)))
        self.good("convert", "c.meg", "-q", "-o", "c.csv")
        with open(self.path("c.csv"), encoding="utf-8", newline="") as file:
            kinds = [edge["type"] for edge in csv.DictReader(file)]
        self.assertEqual(sorted(kinds), sorted(names))
        self.assertEqual(int(server.run(1, "MATCH (n) RETURN count(n)")[0][0]), len(names))
        server.empty()
        server.run(1, "UNWIND range(0, 9) AS i CREATE (:N {k: i})")
        for first in range(0, TYPES, 500):
            edges = ", ".join(f"(n)-[:`t{t}` {{w: {t % 7}}}]->(n)" for t in range(first, first + 500))
            server.run(1, f"MATCH (n:N {{k: {first // 500 % 10}}}) CREATE {edges}")
        found = self.pull(self.uri(1), "--key", "k", "--weight", "w")
        self.assertEqual((found["vertices"], found["edges"]), (10, TYPES))
        self.assertEqual([c["names"] for c in self.json("info", "c.meg")["columns"] if c["name"] == "type"], [TYPES])


if __name__ == "__main__":
    harness.main()
