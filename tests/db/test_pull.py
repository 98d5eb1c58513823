"""meguri pull, from databases that the test makes up (fake.py): what becomes of nodes and relationships, and what of
databases that die, lie or are silent."""
import calendar
import json
import os
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402
from databases import PLAIN, Databases  # noqa: E402

class Whole(Databases):
    def check_random(self, *words, **faults):
        database = self.random_database(**faults)
        found = self.pull(database.uri(), "--weight", "w", *words)
        self.assertEqual((found["vertices"], found["edges"]), (40, 300))
        wanted = sorted(f"{a},{b},{float(w):g},{i},{kind}" for i, a, b, kind, w in database.relationships)
        self.assertEqual(self.edges(), wanted)
        self.assertEqual(self.names(), ["c.csv", "c.meg"])  # nothing else is left
        self.good("info", "c.meg", "--quiet")

    def test_parallel_edges_loops_and_zero_weights_are_kept(self):
        self.check_random()

    def test_versions(self):
        for version in ((4, 1), (4, 3), (4, 4), (5, 0), (5, 1), (5, 4), (5, 8)):
            self.check_random(version=version)

    def test_keep_alives_and_small_chunks(self):
        self.check_random(alive=True, chunk=3)

    def test_a_byte_at_a_time(self):
        self.check_random("--timeout", 5, trickle=True)
        self.check_random("--timeout", 5, trickle=True, alive=True, chunk=7)

    def test_more_connections_and_pulls(self):
        self.check_random("--connections", 5, pull=1)

    def test_weights(self):
        nodes = [{"id": i} for i in range(3)]
        rows = [(0, 0, 1, "R", None), (1, 1, 2, "R", "2.5"), (2, 0, 2, "R", None), (3, 2, 0, "R", 4)]
        database = self.database(nodes, rows, weight="w")
        self.bad(3, "the relationship 0 has no property w", "pull", database.uri(), "--weight", "w", "-o", "c.meg",
                 env=PLAIN)
        self.pull(database.uri(), "--weight", "w", "--default-weight", 9)
        self.assertEqual(self.edges(), ["0,1,9,0,R", "0,2,9,2,R", "1,2,2.5,1,R", "2,0,4,3,R"])
        rows[1] = (1, 1, 2, "R", "far")
        self.bad(3, "has 'far' as w, which is no number", "pull", database.uri(), "--weight", "w", "--default-weight", 1,
                 "-o", "d.meg", env=PLAIN)

    def test_shares_of_many_nodes(self):
        count = 20000
        nodes = [{"id": i, "x": i, "y": i / 2} for i in range(0, count, 2)]
        rows = [(i, n["id"], (7 * n["id"]) % count, "R", 1) for i, n in enumerate(nodes)]
        database = self.database(nodes, rows)
        found = self.pull(database.uri(), "--x", "x", "--y", "y")
        self.assertEqual((found["vertices"], found["edges"]), (count // 2, count // 2))
        self.good("convert", "c.meg", "-o", "c.co", "--quiet")
        with open(self.path("c.co"), encoding="utf-8") as file:
            self.assertIn("\nv 7 12 6\n", file.read())  # the seventh vertex

    def test_generations(self):
        database = self.random_database()
        before = int(time.time())
        for generation in (1, 2, 3):
            found = self.pull(database.uri(), *(["--refresh"] if generation > 1 else []))
            facts = self.json("info", "c.meg", "--check")
            self.assertEqual((found["generation"], facts["generation"]), (generation, generation))
            made = calendar.timegm(time.strptime(facts["extracted"], "%Y-%m-%dT%H:%M:%SZ"))
            self.assertTrue(before <= made <= time.time())
        self.assertIn("generation 3, extracted 2", self.good("info", "c.meg"))
        self.good("index", "c.meg", "-o", "i.meg", "--quiet")  # is still that cache
        self.assertEqual(self.json("info", "i.meg")["generation"], 3)
        self.good("convert", "c.meg", "-o", "c.el", "--quiet")
        self.good("build", "c.el", "-o", "b.meg", "--quiet")  # and this is none
        self.assertNotIn("generation", self.json("info", "b.meg"))
        self.assertEqual(self.json("pull", database.uri(), "--refresh", "-o", "b.meg", env=PLAIN)["generation"], 1)
        self.bad(3, "no cache that could be refreshed", "pull", database.uri(), "--refresh", "-o", "none.meg", env=PLAIN)
        with open(self.path("c.meg"), "r+b") as file:  # damaged: it is not replaced
            file.seek(100)
            file.write(b"damage")
        with open(self.path("c.meg"), "rb") as file:
            damaged = file.read()
        self.bad(3, "c.meg", "pull", database.uri(), "--refresh", "-o", "c.meg", env=PLAIN)
        with open(self.path("c.meg"), "rb") as file:
            self.assertEqual(file.read(), damaged)

    def test_nothing(self):
        self.assertEqual(self.pull(self.database([], []).uri())["vertices"], 0)

    def test_estimate(self):
        database = self.random_database()
        found = self.json("pull", database.uri(), "--estimate", env=PLAIN)
        self.assertEqual((found["vertices"], found["edges"]), (40, 300))
        self.assertEqual(self.names(), [])

    def test_estimates_for_a_device(self):
        none = dict(PLAIN, OCL_ICD_VENDORS="/nonexistent")
        database = self.database([{"id": i} for i in range(6000)], [(i, i * 7 % 6000, i * 31 % 6000, "R", i) for i in range(60000)], weight="w")
        words = ("pull", database.uri(), "--weight", "w", "--estimate")
        self.assertNotIn("device_parts", self.json(*words, env=none))
        self.assertIn("no device here; --device-memory SIZE", self.good(*words, env=none))
        self.assertIn(": it fits\n", self.good(*words, "--device-memory", "1G", env=none))
        guesses = [self.json(*words, "--device-memory", size, env=none)["device_parts"] for size in ("8M", "500K", "250K", "100K", "10K")]
        self.assertEqual(guesses, [1, 3, 6, 46, 0])
        self.assertIn("comes in 3 parts", self.good(*words, "--device-memory", "500K", env=none))
        self.assertIn("too small even for parts", self.good(*words, "--device-memory", "10K", env=none))
        self.bad(5, "there is no device: ", *words, "--device", "gpu", env=none)
        self.bad(2, "say --estimate with it", "pull", database.uri(), "--device-memory", "1G", "-o", "c.meg", env=PLAIN)
        if self.json("devices")["devices"]:  # what it said is what a search does
            guess = self.json(*words, "--device-memory", "400K", env=PLAIN)["device_parts"]
            self.pull(*words[1:-1])
            found = self.json("sssp", "c.meg", "--source", 1, "--engine", "device", "--device-memory", "400K")
            self.assertEqual(found["parts"], guess)

    def test_estimates_beside_the_file(self):
        nodes = [{"id": i, "x": i / 7, "y": i * 3} for i in range(6000)]
        for weights, words in ((lambda i: i % 200, ()), (lambda i: i / 3, ("--x", "x", "--y", "y")), (lambda i: i * 70000, ("--undirected",))):
            database = self.database(nodes, [(i, i * 7 % 6000, i * 31 % 6000, "R", weights(i)) for i in range(20000)], weight="w")
            words = [database.uri(), "--weight", "w", *words]
            guess = self.json("pull", *words, "--estimate", env=PLAIN)["estimated_file_bytes"]
            size = self.pull(*words)["file_bytes"]
            self.assertLess(abs(guess / size - 1), 0.08, (guess, size, words))


class Partitions(Databases):
    def test_proxies_join_them(self):
        for kind, first, last in ((str, "k0", "k5"), (int, "-3", "2")):
            one, two = self.two(kind)
            found = self.pull(one.uri(), two.uri(), "--key", "uid", "--proxy", "Proxy", "--weight", "w")
            self.assertEqual((found["vertices"], found["edges"], found["proxies"]), (3, 4, 2))
            path = self.json("path", "c.meg", f"--from={first}", f"--to={last}")
            self.assertEqual(path["paths"][0]["cost"], 3)
            back = self.json("path", "c.meg", f"--from={last}", f"--to={first}")
            self.assertEqual(back["paths"][0]["cost"], 3)

    def test_an_answer_can_be_used_in_its_source(self):
        for kind, first, last in ((str, "k0", "k5"), (int, "-3", "2")):
            one, two = self.two(kind)
            self.pull(one.uri(), two.uri(), "--key", "uid", "--proxy", "Proxy", "--weight", "w")
            path = self.json("path", "c.meg", f"--from={first}", f"--to={last}")["paths"][0]
            self.assertEqual(path["vertex_columns"], {"database": ["one", "one", "two"], "node": [0, 1, 0]})
            self.assertEqual(path["columns"], {"id": [0, 1], "type": ["R", "R"], "database": ["one", "one"]})
            self.good("path", "c.meg", f"--from={first}", f"--to={last}", "-o", "p.csv", "--quiet")
            with open(self.path("p.csv"), encoding="utf-8") as file:
                rows = [line.rstrip("\n").split(",") for line in file]
            self.assertEqual(rows[0][6:], ["id", "type", "database", "vertex_database", "vertex_node"])
            self.assertEqual([row[6:] for row in rows[1:]], [["", "", "", "one", "0"], ["0", "R", "one", "one", "1"],
                                                             ["1", "R", "one", "two", "0"]])
        facts = self.json("info", "c.meg")
        self.assertEqual([(c["name"], c["type"]) for c in facts["vertex_columns"]], [("database", "u8"), ("node", "u8")])
        self.assertEqual([(c["name"], c["type"]) for c in facts["columns"]],
                         [("id", "u8"), ("type", "u8"), ("database", "u8")])

    def test_databases_without_element_ids(self):
        """Before version 5 a database is known by where it is."""
        one, two = self.two(version=(4, 4))
        one.faults["version"] = (4, 4)
        self.pull(one.uri(), two.uri(), "--key", "uid", "--proxy", "Proxy", "--weight", "w")
        path = self.json("path", "c.meg", "--from=k1", "--to=k5")["paths"][0]
        self.assertEqual(path["vertex_columns"]["database"], [f"127.0.0.1:{d.port}/db" for d in (one, two)])
        self.bad(2, "are the same database", "pull", one.uri(), one.uri(), "--key", "uid", "-o", "d.meg", env=PLAIN)

    def test_configuration(self):
        one, two = self.two(password="open sesame")
        self.write("word", "open sesame\n")
        config = {"databases": [one.uri(), {"uri": two.uri(), "username": "ali", "password_file": self.path("word")}],
                  "key": "uid", "proxy": "Proxy", "weight": "w", "connections": 1}
        self.write("parts.json", json.dumps(config))
        self.assertEqual(self.pull("parts.json")["vertices"], 3)
        self.assertIn(("ali", "open sesame"), two.seen)
        for member, value, part in (("weigth", "w", "there is no member 'weigth'; did you mean 'weight'?"), ("labels", "A", "a list of names"),
                                    ("proxy", 3, "must be a text"), ("databases", [], "one or more URIs")):
            self.write("bad.json", json.dumps(dict(config, **{member: value})))
            self.bad(2, part, "pull", "bad.json", "-o", "d.meg", env=PLAIN)
        self.write("bad.json", "{\n")
        self.bad(3, "bad.json:2: this is no JSON", "pull", "bad.json", "-o", "d.meg", env=PLAIN)
        self.bad(3, "cannot open bda.json: no such file; did you mean 'bad.json'?", "pull", "bda.json", "-o", "d.meg", env=PLAIN)
        self.bad(3, "neither a file that can be read nor a URI such as", "pull", "neo4j:/host", "-o", "d.meg", env=PLAIN)

    def test_what_does_not_fit_is_told_with_examples(self):
        options = ("--key", "uid", "--proxy", "Proxy", "-o", "c.meg")
        one, two = self.two()
        self.write("c.meg", "old")
        self.bad(3, "1 proxies stand for a node that no database has: node 2 of", "pull", one.uri(), *options, env=PLAIN)
        twice = self.database([{"id": 7, "uid": "k1"}], [], key="uid", proxy="Proxy", mark="three")
        self.bad(3, "that another has, too: node 7 of", "pull", one.uri(), two.uri(), twice.uri(), *options, env=PLAIN)
        keyless = self.database([{"id": 8}], [], key="uid", proxy="Proxy", mark="four")
        self.bad(3, "have no property uid, which is to be the key: node 8 of", "pull", one.uri(), two.uri(), keyless.uri(),
                 *options, env=PLAIN)
        for odd in ("", "a\nb", "a\tb", "a\0b"):
            unfit = self.database([{"id": 6, "uid": odd}], [], key="uid", proxy="Proxy", mark="six")
            self.bad(3, "cannot: node 6 of", "pull", one.uri(), two.uri(), unfit.uri(), *options, env=PLAIN)
        mixed = self.database([{"id": 9, "uid": 5}], [], key="uid", proxy="Proxy", mark="five")
        self.bad(3, "an integer here and a text there", "pull", one.uri(), two.uri(), mixed.uri(), *options, env=PLAIN)
        self.bad(2, "are the same database", "pull", one.uri(), one.uri(), *options, env=PLAIN)
        with open(self.path("c.meg"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_without_a_key_ids_tell_the_database(self):
        one, two = self.two()
        one.key = two.key = one.proxy = two.proxy = None
        self.assertEqual(self.pull(one.uri(), two.uri(), "--weight", "w")["vertices"], 5)
        path = self.json("path", "c.meg", "--from", "0:0", "--to", "0:2")["paths"][0]
        self.assertEqual((path["cost"], path["vertex_columns"]), (3, {"database": ["one"] * 3, "node": [0, 1, 2]}))
        self.pull(one.uri(), "--weight", "w")  # one database: the id is the node's
        path = self.json("path", "c.meg", "--from", "0", "--to", "2")["paths"][0]
        self.assertEqual((path["cost"], path["vertex_columns"]), (3, {"database": ["one"] * 3}))


class Failing(Databases):
    def failing(self, code, part, database, *words, scheme="bolt", **env):
        """It fails with a sentence, and the old cache stays as it was."""
        self.write("c.meg", "old")
        text = self.bad(code, part, "pull", database.uri(scheme), "--weight", "w", *words, "-o", "c.meg",
                        env=dict(PLAIN, **env))
        with open(self.path("c.meg"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        os.unlink(self.path("c.meg"))
        return text


class Failures(Failing):
    def test_password(self):
        database = self.random_database(password="right")
        text = self.failing(5, "refuses: unauthorized", database, NEO4J_PASSWORD="wrong-word")
        self.assertNotIn("wrong-word", text)
        self.write("word", "right\n")
        self.assertEqual(self.pull(database.uri(), "--weight", "w", "--password-file", "word")["vertices"], 40)
        self.assertEqual(self.pull(database.uri(), "--weight", "w", NEO4J_USERNAME="u", NEO4J_PASSWORD="right")["edges"], 300)
        self.assertEqual(database.seen[-1], ("u", "right"))
        self.bad(2, "everybody on this machine can see", "pull", "bolt://u:secret@h/", "-o", "c.meg", env=PLAIN)
        self.bad(2, "no password", "pull", database.uri(), "-o", "c.meg", env={"NEO4J_USERNAME": "u", "NEO4J_PASSWORD": ""})

    def test_dies_in_mid_pull_and_goes_on(self):
        nodes = [{"id": i} for i in range(40000)]
        rows = [(i * 8, i, (i * 31) % 40000, "R", 1) for i in range(40000)]
        database = self.database(nodes, rows, weight="w", die_after=12)
        # three questions, five shares of nodes, five of relationships: one of these is missing
        self.failing(5, "nobody answers", database, "--connections", 1)
        self.assertEqual(self.names(), ["c.meg.pull"])
        first = database.sent
        self.assertGreater(first, 20000)
        database.come_back()
        found = self.pull(database.uri(), "--weight", "w")
        self.assertEqual((found["vertices"], found["edges"], found["resumed"]), (40000, 40000, first))
        self.assertLessEqual(database.sent, 40000 * 1.05)
        self.assertEqual([name for name in self.names() if "pull" in name], [])

    def test_what_was_wrong_is_pulled_again(self):
        """Who mends the data and pulls once more gets what is there now, not what was kept for another try."""
        nodes = [{"id": i, "uid": i} for i in range(4)]
        database = self.database(nodes, [(0, 0, 1, "R", "heavy"), (1, 1, 2, "R", 2)], key="uid", weight="w")
        words = ("--key", "uid", "--x", "x", "--y", "y")
        nodes[3]["uid"] = 2
        self.failing(3, "that another has, too: node 3", database, *words)
        nodes[3]["uid"] = [3]
        self.failing(3, "such as node 3", database, *words)
        nodes[3]["uid"] = 3
        for wrong in ("north", [1], True, ""):
            nodes[1].update(x=wrong, y=1)
            self.failing(3, "1 nodes have coordinates that are no numbers: node 1 of", database, *words)
        nodes[1].update(x="1.5", y=2)
        self.failing(3, "'heavy' as w, which is no number", database, *words)
        database.relationships[0] = (0, 0, 1, "R", 7)
        self.assertEqual(self.pull(database.uri(), "--weight", "w", *words)["edges"], 2)
        self.assertEqual([edge.split(",")[2] for edge in self.edges()], ["7", "2"])
        self.good("convert", "c.meg", "-o", "c.csv.co", "-q")
        with open(self.path("c.csv.co"), encoding="utf-8") as file:
            self.assertEqual([line for line in file if line[0] == "v"], ["v 2 1.5 2\n"])

    def test_names_that_end_a_name(self):
        """Cypher reads \\u0060 as a backtick, wherever it stands."""
        database = self.random_database(nodes=2, relationships=3)
        self.pull(database.uri(), "--weight", "w", "--labels", "a`b,\\u0060) DETACH DELETE n //,\\x")
        for query in database.texts[-2:]:
            self.assertIn("`a``b`", query)
            self.assertIn("`\\u005Cu0060) DETACH DELETE n //`", query)
            self.assertIn("`\\x`", query)

    def test_ids_beyond_all_bounds(self):
        for far in (2**45, 2**62, 2**63 - 1):
            for nodes, rows in (([{"id": 0}, {"id": far}], []), ([{"id": 0}], [(far, 0, 0, "R", 1)])):
                database = self.database(nodes, rows, weight="w")
                self.failing(4, f"its highest id is {far}", database, "--memory", "256M")

    def test_a_damaged_spool_is_cut(self):
        database = self.random_database()
        self.pull(database.uri(), "--weight", "w")
        whole = self.edges()
        for content in (b"", b"MEGPULL2", b"MEGPULL2" + bytes(8) + bytes(range(200)), b"MEGPULL2" + bytes(range(256)) * 12):
            self.write("c.meg.pull", content)
            self.pull(database.uri(), "--weight", "w")
            self.assertEqual(self.edges(), whole)

    def test_a_file_of_somebody_else_is_left_alone(self):
        for text in ("notes", "MEGPUL", "MEGPULx and more"):
            self.write("c.meg.pull", text)
            database = self.random_database()
            ours = "MEGPULL".startswith(text)  # a run that ended as it began
            if ours:
                self.pull(database.uri())
                continue
            self.bad(3, "c.meg.pull is where a run notes what it has done", "pull", database.uri(), "-o", "c.meg", env=PLAIN)
            with open(self.path("c.meg.pull")) as file:
                self.assertEqual(file.read(), text)
            os.remove(self.path("c.meg.pull"))

    def test_links_and_second_names(self):
        """What another name leads to is not written to, nor what belongs to another user."""
        database = self.random_database()
        self.write("precious", "")
        for why in ("it is a symbolic link", "it has a second name", "it belongs to another user"):
            if "link" in why:
                os.symlink("precious", self.path("c.meg.pull"))
            elif "second" in why:
                os.link(self.path("precious"), self.path("c.meg.pull"))
            elif os.geteuid() == 0:
                self.write("c.meg.pull", "")
                os.chown(self.path("c.meg.pull"), 54321, 54321)
            else:
                continue
            self.bad(4, f"c.meg.pull cannot be opened: {why}", "pull", database.uri(), "-o", "c.meg", env=PLAIN)
            self.assertEqual(os.path.getsize(self.path("precious")), 0)
            os.unlink(self.path("c.meg.pull"))
        os.symlink("nowhere", self.path("c.meg.pull"))
        self.bad(4, "it is a symbolic link", "pull", database.uri(), "-o", "c.meg", env=PLAIN)
        self.assertEqual(self.names(), ["c.meg.pull", "precious"])

    def test_silence(self):
        start = time.monotonic()
        self.failing(5, "no answer in time", self.random_database(hang_after=2), "--timeout", 0.3)
        self.assertLess(time.monotonic() - start, 20)

    def test_half_closed(self):
        for after in (0, 1, 3):  # the first question, another one, a share
            self.failing(5, "closed the connection", self.random_database(half_after=after))

    def test_malformed(self):
        for raw, part in ((b"\0\1\x2A\0\0", "not one of Bolt"), (b"\0\3\xB1\x71\xD6\0\0", "not one of Bolt"),
                          (b"\0\3\xB1\x7F\xA0\0\0", "not one of Bolt"),  # a FAILURE that does not say why
                          (b"\0\3\xB1\x70\xA0\0\0\0\3\xB1\x70\x05\0\0", "not one of Bolt"),
                          (b"HTTP/1.1 400 Bad Request\r\n\r\n" * 3000, "no answer in time")):
            self.failing(5, part, self.random_database(raw_after=2, raw=raw), "--timeout", 0.5)
        share = b"\0\3\xB1\x70\xA0\0\0\0\4\xB1\x71\x91\x05\0\0\0\3\xB1\x70\xA0\0\0"
        self.failing(5, "do not fit together", self.random_database(raw_after=3, raw=share), "--timeout", 0.5)

    def test_oversized(self):
        chunk = b"\xff\xff" + b"\xD6" * 0xFFFF
        self.failing(5, "larger than", self.random_database(raw_after=2, raw=chunk * 1026))

    def test_lists_that_do_not_fit(self):
        self.failing(5, "lists of a record do not fit together", self.random_database(lists=True))

    def test_handshake(self):
        self.failing(5, "speaks none of Bolt", self.random_database(handshake=bytes(4)))
        self.failing(5, "port for HTTP", self.random_database(handshake=b"HTTP/1.1 400\r\n"))
        self.failing(5, "not one of Bolt", self.random_database(handshake=b"SSH-2.0"))

    def test_the_database_refuses(self):
        database = self.random_database(fail=("Neo.ClientError.Statement.SyntaxError", "no\x1b[31m such thing"))
        text = self.failing(5, "the database refuses: no", database)
        self.assertNotIn("\x1b", text)
        passing = self.random_database(fail=("Neo.TransientError.General.Busy", "busy"))
        self.failing(5, "busy", passing)
        self.assertGreaterEqual(passing.queries, 5)  # it was asked again

    def interrupt(self, number, database, words, ready):
        """A signal at some moment ends it at once, and nothing is left."""
        process = subprocess.Popen([harness.MEGURI, "pull", *words, "--weight", "w", "-o", "c.meg"], cwd=self.folder,
                                   stderr=subprocess.PIPE, env=dict(os.environ, **PLAIN), preexec_fn=harness.default_signals)
        for _ in range(400):
            if ready():
                break
            time.sleep(0.02)
        time.sleep(0.1)
        start = time.monotonic()
        process.send_signal(number)
        _, text = process.communicate(timeout=30)
        took = time.monotonic() - start
        self.assertEqual((process.returncode, text), (130, b"meguri: interrupted.\n"))
        self.assertLess(took, 10)  # of 120 seconds that it would wait; a tenth of one on a machine that has time
        self.assertEqual(self.names(), [])

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for faults, asked in (({"hang_after": 3}, 4), ({"hang_after": 0}, 1), ({"hang_after": 1}, 2)):  # shares, questions
                database = self.random_database(**faults)
                self.interrupt(number, database, [database.uri()], lambda: database.queries >= asked)
            database = self.random_database(silent=True)  # it is connected, and not greeted
            self.interrupt(number, database, [database.uri()], lambda: database.greeted)
        with socket.socket() as full:  # nobody takes the connection
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            others = [socket.socket() for _ in range(4)]
            for other in others:
                self.addCleanup(other.close)
                other.setblocking(False)
                other.connect_ex(full.getsockname())
            self.interrupt(signal.SIGINT, None, [f"bolt://127.0.0.1:{full.getsockname()[1]}/"], lambda: True)

    def test_the_budget_counts_what_databases_send(self):
        nodes = [{"id": i, "uid": f"a key that is long enough to matter {i:020}"} for i in range(30000)]
        database = self.database(nodes, [(i, i, i + 1, "R", 1) for i in range(1000)], key="uid", weight="w")
        words = ("pull", database.uri(), "--key", "uid", "-o", "c.meg")
        text = self.bad(4, "not enough memory for ", *words, "--memory", "1M", env=PLAIN)
        self.assertRegex(text, "[0-9.]+ [kM]B asked, [0-9.]+ .B of the budget of 1.00 MB in use")
        self.assertEqual(self.json(*words, "--memory", "64M", env=PLAIN)["vertices"], 30000)

    def test_nobody(self):
        database = self.random_database()
        database.close()
        self.failing(5, "nobody answers at this port", database)


class Encrypted(Failing):
    def certificate(self, name, subject):
        done = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                               "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.crt", "-days", "2", "-subj", "/CN=test",
                               "-addext", f"subjectAltName={subject}"], cwd=self.folder, capture_output=True, check=False)
        self.need(done.returncode == 0, "openssl, to make certificates")
        return self.path(f"{name}.crt"), self.path(f"{name}.key")

    def test_tls(self):
        right, other = self.certificate("right", "IP:127.0.0.1"), self.certificate("other", "DNS:elsewhere")
        database = self.random_database(tls=right)
        for scheme, more in (("bolt+ssc", ()), ("neo4j+ssc", ()), ("bolt+s", ("--ca-file", right[0]))):
            self.assertEqual(self.pull(database.uri(scheme), "--weight", "w", *more)["edges"], 300)
        self.failing(5, "not to be trusted", database, scheme="bolt+s")
        self.failing(5, "not to be trusted", database, "--ca-file", other[0], scheme="neo4j+s")
        elsewhere = self.random_database(tls=other)
        self.failing(5, "IP address mismatch", elsewhere, "--ca-file", other[0], scheme="bolt+s")
        self.failing(5, "in PEM form", database, "--ca-file", right[1], scheme="bolt+s")
        self.failing(5, "does it want TLS", database)  # without TLS
        self.failing(5, "TLS", self.random_database(), scheme="bolt+s")


if __name__ == "__main__":
    harness.main()
