"""meguri write-back, to databases that the test makes up (fake.py): every value in its node, once, whatever the file,
the ids and the partitions; and what of nodes, databases and results that are not those of the cache."""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402
from databases import PLAIN, Databases  # noqa: E402


class WriteBack(Databases):
    def write_back(self, *words, **more):
        return self.json("write-back", "c.meg", *words, env=dict(PLAIN, **more))

    def refused(self, code, part, *words):
        return self.bad(code, part, "write-back", "c.meg", *words, env=PLAIN)

    def column(self, path, place):
        """A column of a .tsv by the ids of its rows."""
        with open(self.path(path), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file][1:]
        return {row[0]: row[place] for row in rows}


class Values(WriteBack):
    def test_ranks_in_every_format(self):
        database = self.random_database()
        self.pull(database.uri(), "--weight", "w")
        self.good("pagerank", "c.meg", "-o", "wanted.tsv", "--quiet")
        wanted = {int(k): float(v) for k, v in self.column("wanted.tsv", 1).items()}
        for number, name in enumerate(("r.tsv", "r.tsv.gz", "r.tsv.zst", "r.tsv.xz", "r.npy", "r.bin")):
            self.good("pagerank", "c.meg", "-o", name, "--quiet")
            more = ("--columns", "rank:f64") if name == "r.bin" else ()
            found = self.write_back("--result", name, "--property", f"odd `{number}", database.uri(), *more)
            self.assertEqual((found["written"], found["missing"], found["databases"]), (40, 0, 1))
            self.assertEqual({n["id"]: n[f"odd `{number}"] for n in database.nodes}, wanted)
        self.assertEqual(set(database.writes.values()), {6})
        self.assertEqual([name for name in self.names() if "written" in name], [])

    def test_distances_parents_and_components(self):
        database = self.random_database(relationships=30)
        for node in database.nodes:
            node["far"] = "old"
        self.pull(database.uri(), "--weight", "w")
        source = database.relationships[0][1]
        self.good("sssp", "c.meg", "--source", source, "-o", "d.tsv", "--quiet")
        self.write_back("--result", "d.tsv", "--property", "far", database.uri())
        wanted = {int(k): float(v) for k, v in self.column("d.tsv", 1).items() if v != "inf"}
        self.assertEqual({n["id"]: n["far"] for n in database.nodes if "far" in n}, wanted)
        self.assertTrue(0 < len(wanted) < 40)  # those that are not reached have no such property any more
        self.write_back("--result", "d.tsv", "--property", "via", "--column", "parent", database.uri())
        wanted = {int(k): int(v) for k, v in self.column("d.tsv", 2).items() if v != "-1"}
        self.assertEqual({n["id"]: n["via"] for n in database.nodes if "via" in n}, wanted)
        self.good("components", "c.meg", "-o", "c.npy", "--quiet")
        self.write_back("--result", "c.npy", "--property", "part", database.uri())
        self.good("components", "c.meg", "-o", "c.tsv", "--quiet")
        self.assertEqual({str(n["id"]): str(n["part"]) for n in database.nodes}, self.column("c.tsv", 1))

    def test_columns_of_a_program(self):
        database = self.random_database()
        self.pull(database.uri())
        self.write("p.tsv", "vertex\tone\ttwo\n" + "".join(f"{i}\t{i}\t{i / 2}\n" for i in sorted(n["id"] for n in database.nodes)))
        self.refused(2, "has 2 columns; name the one", "--result", "p.tsv", "--property", "p", database.uri())
        self.refused(2, "no column 'three'", "--result", "p.tsv", "--property", "p", "--column", "three", database.uri())
        self.write_back("--result", "p.tsv", "--property", "p", "--column", "two", database.uri())
        self.assertTrue(all(n["p"] == n["id"] / 2 for n in database.nodes))

    def test_partitions(self):
        for kind, ids in ((str, ["k0", "k1", "k5"]), (int, ["-3", "-2", "2"])):
            one, two = self.two(kind)
            self.pull(one.uri(), two.uri(), "--key", "uid", "--proxy", "Proxy", "--weight", "w")
            self.good("components", "c.meg", "-o", "c.tsv", "--quiet")
            # in any order
            found = self.write_back("--result", "c.tsv", "--property", "part", two.uri(), one.uri(), "--key", "uid")
            self.assertEqual((found["written"], found["databases"]), (3, 2))
            wanted = kind(ids[0])
            self.assertEqual([n.get("part") for n in one.nodes], [wanted, wanted, None])  # the last is a proxy
            self.assertEqual([n.get("part") for n in two.nodes], [wanted, None])
            self.assertEqual((dict(one.writes), dict(two.writes)), ({0: 1, 1: 1}, {0: 1}))
            self.refused(2, "which is not named: name all", "--result", "c.tsv", "--property", "part", one.uri())
        one.key = two.key = one.proxy = two.proxy = None  # without a key
        self.pull(one.uri(), two.uri())
        self.good("bfs", "c.meg", "--source", "0:0", "-o", "b.tsv", "--quiet")
        self.write_back("--result", "b.tsv", "--property", "level", one.uri(), two.uri())
        self.assertEqual([n["level"] for n in one.nodes + two.nodes], [0, 1, 2, -1, -1])


class Refusals(WriteBack):
    def test_what_does_not_belong_together(self):
        database, other = self.random_database(), self.random_database(seed=2, mark="another")
        words = ("--result", "r.tsv", "--property", "rank")
        self.pull(database.uri())
        self.good("pagerank", "c.meg", "-o", "r.tsv", "--quiet")
        self.refused(2, "none of the databases that the cache was pulled from", *words, other.uri())
        self.pull(other.uri())  # another cache: the ids differ
        self.refused(3, "r.tsv:", *words, other.uri())
        self.good("gen", "grid", "--width", 4, "--height", 4, "-o", "c.meg", "--quiet")
        self.good("pagerank", "c.meg", "-o", "r.tsv", "--quiet")
        self.refused(3, "only what was pulled from a database", *words, database.uri())
        self.refused(3, "cannot open none.tsv: no such file", "--result", "none.tsv", "--property", "p", database.uri())
        self.refused(2, "not that of a result", "--result", "c.meg", "--property", "p", database.uri())
        self.refused(2, "--columns a", "--columns", "a", *words, database.uri())
        self.refused(2, "--columns a:f32", "--columns", "a:f32", *words, database.uri())
        self.refused(2, "--property", "--result", "r.tsv", database.uri())
        self.assertFalse(database.writes or other.writes)

    def test_numbers_that_no_database_has(self):
        database = self.database([{"id": 0}], [])
        self.pull(database.uri())
        self.write("d.tsv", f"vertex\tdistance\n0\t{2**63}\n")
        self.refused(3, "above 2^63 - 1", "--result", "d.tsv", "--property", "p", database.uri())
        self.write("d.tsv", f"vertex\tdistance\n0\t{2**63 - 1}\n")
        self.write_back("--result", "d.tsv", "--property", "p", database.uri())
        self.assertEqual(database.nodes[0]["p"], 2**63 - 1)
        self.refused(2, "is the key", "--result", "d.tsv", "--property", "p", "--key", "p", database.uri())

    def test_nodes_that_are_gone(self):
        nodes = [{"id": i, "uid": 10 * i} for i in range(5)]
        database = self.database(nodes, [(0, 0, 1, "R", 1)], key="uid")
        self.pull(database.uri(), "--key", "uid")
        self.good("pagerank", "c.meg", "-o", "r.tsv", "--quiet")
        del database.nodes[4]
        database.nodes[2]["uid"] = 7  # the id of a node that was deleted, and is another one's now
        words = ("write-back", "c.meg", "--result", "r.tsv", "--property", "rank", database.uri())
        for more, missing in (((), 1), (("--key", "uid"), 2)):
            result = self.run_it(*words, *more, "--json", env=PLAIN)
            self.assertEqual(result.returncode, 0)
            self.assertIn(f"{missing} of 5 nodes are not there any more".encode(), result.stderr)
            self.assertIn(f'"missing": {missing}'.encode(), result.stdout)
        self.assertEqual(database.writes[2], 1)

    def test_passwords(self):
        database = self.random_database(password="open sesame")
        self.write("word", "open sesame\n")
        login = ("--password-file", "word")
        self.pull(database.uri(), *login)
        self.good("pagerank", "c.meg", "-o", "r.tsv", "--quiet")
        words = ("--result", "r.tsv", "--property", "rank", database.uri())
        self.refused(5, "unauthorized", *words)
        self.assertEqual(self.write_back(*words, *login)["written"], 40)
        self.assertEqual(self.write_back(*words, NEO4J_PASSWORD="open sesame")["written"], 40)

    def test_an_answer_that_is_none(self):
        database = self.random_database()
        self.pull(database.uri())
        self.good("pagerank", "c.meg", "-o", "r.tsv", "--quiet")
        for count in (41, -1, "many", None):
            database.faults["count"] = count
            self.refused(5, "does not say how many", "--result", "r.tsv", "--property", "rank", database.uri())


class Interruptions(WriteBack):
    def many(self, **faults):
        database = self.database([{"id": i} for i in range(40000)], [], **faults)
        self.pull(database.uri())
        self.good("components", "c.meg", "-o", "c.npy", "--quiet")
        return database, ("--result", "c.npy", "--property", "part", database.uri())

    def check(self, database):
        self.assertTrue(all(n["part"] == n["id"] for n in database.nodes))
        self.assertEqual([name for name in self.names() if "written" in name], [])

    def test_a_database_that_dies(self):
        database, words = self.many()
        database.faults["die_after"] = database.queries + 4  # one question, three batches
        self.refused(5, "nobody answers", *words, "--connections", 1)
        self.assertIn("c.npy.written", self.names())
        before = len(database.writes)
        self.assertEqual(before, 3 * 8192)
        database.come_back()
        found = self.write_back(*words)
        self.assertEqual((found["resumed"], found["written"]), (before, 40000 - before))
        self.assertEqual(set(database.writes.values()), {1})
        self.check(database)

    def test_another_work_begins_anew(self):
        database, words = self.many()
        database.faults["die_after"] = database.queries + 2
        self.refused(5, "nobody answers", *words, "--connections", 1)
        database.come_back()
        found = self.write_back("--result", "c.npy", "--property", "other", database.uri())
        self.assertEqual((found["resumed"], found["written"]), (0, 40000))

    def test_interrupted(self):
        database, words = self.many()
        database.faults["hang_after"] = database.queries + 3
        process = subprocess.Popen([harness.MEGURI, "write-back", "c.meg", *map(str, words)], cwd=self.folder,
                                   env=dict(os.environ, **PLAIN), stderr=subprocess.PIPE,
                                   preexec_fn=harness.default_signals)
        deadline = time.monotonic() + 60
        while not database.writes and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, text = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, text)
        database.faults.pop("hang_after")
        found = self.write_back(*words)
        self.assertEqual(found["resumed"] + found["written"], 40000)
        self.check(database)

    def test_silence_and_half_an_answer(self):
        database, words = self.many()
        database.faults["hang_after"] = database.queries + 2
        self.refused(5, "no answer in time", *words, "--timeout", 0.3)
        database.faults.pop("hang_after")
        database.faults["half_after"] = database.queries + 2
        self.refused(5, "closed the connection", *words)
        database.faults.pop("half_after")
        found = self.write_back(*words)
        self.assertEqual(found["resumed"] + found["written"], 40000)
        self.check(database)


if __name__ == "__main__":
    harness.main()
