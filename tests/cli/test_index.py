"""meguri index: a path index in a .meg file, what it costs, and who uses it."""
import os
import random
import signal
import subprocess
import time

from harness import Case, MEGURI, SANITIZED, default_signals, main


class Index(Case):
    def setUp(self):
        super().setUp()
        self.good("gen", "grid", "--width", 30, "--height", 20, "-o", "town.meg")
        self.good("convert", "town.meg", "-o", "town.gr")
        self.good("build", "town.gr", "-o", "streets.meg")  # directed

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def cost(self, graph, a, b, *more):
        facts = self.json("path", graph, "--from", a, "--to", b, *more)
        return facts["algorithm"], [path["cost"] for path in facts["paths"]]

    def test_over_itself_and_beside(self):
        before = self.bytes_of("streets.meg")
        facts = self.json("index", "streets.meg", "-o", "fast.meg")
        self.assertEqual(self.bytes_of("streets.meg"), before)
        self.assertEqual(facts["file"], "fast.meg")
        self.assertEqual(facts["file_bytes"], len(self.bytes_of("fast.meg")))
        index = facts["path_index"]
        self.assertEqual(sorted(index), ["bytes", "edges", "shortcuts", "uncontracted"])
        self.assertGreater(index["shortcuts"], 100)
        self.assertLess(index["bytes"], facts["file_bytes"])
        self.assertEqual(sorted(facts["seconds"]), ["index", "open", "total", "write"])
        text = self.good("index", "streets.meg", "--threads", 1)
        self.assertRegex(text, r"\npath index: [\d,]+ shortcuts, .* \(\d+ % of the file\) in .*s\n")
        self.assertIn("→ streets.meg\n", text)
        self.assertEqual(self.bytes_of("streets.meg"), self.bytes_of("fast.meg"))  # also at another number of threads
        self.good("index", "streets.meg")  # once more
        self.assertEqual(self.bytes_of("streets.meg"), self.bytes_of("fast.meg"))
        self.good("build", "town.gr", "-o", "built.meg", "--path-index")
        self.assertEqual(self.bytes_of("built.meg"), self.bytes_of("fast.meg"))
        self.good("convert", "fast.meg", "-o", "copy.meg")
        self.assertEqual(self.bytes_of("copy.meg"), self.bytes_of("fast.meg"))
        self.assertEqual(self.names(), ["built.meg", "copy.meg", "fast.meg", "streets.meg", "town.co", "town.gr", "town.meg"])

    def test_info(self):
        self.assertIsNone(self.json("info", "streets.meg")["path_index"])
        self.assertNotIn("path index", self.good("info", "streets.meg"))
        made = self.json("build", "town.gr", "-o", "fast.meg", "--path-index")
        self.assertIn("index", made["seconds"])
        self.assertEqual(self.json("info", "fast.meg")["path_index"], made["path_index"])
        self.assertRegex(self.good("info", "fast.meg", "--check"), r"\n  path index [\d,]+ shortcuts, .* of the file\)\n")
        self.assertNotIn("path_index", self.json("build", "town.gr", "-o", "plain.meg"))

    def test_answers(self):
        noise = random.Random(1)
        for graph in ["streets.meg", "town.meg"]:
            self.good("index", graph, "-o", "fast.meg")
            for _ in range(2 if SANITIZED else 8):
                a, b = noise.randrange(600), noise.randrange(600)
                name, right = self.cost(graph, a, b)
                self.assertNotEqual(name, "indexed")
                for direction, ends in [("out", (a, b)), ("in", (b, a))]:
                    found = self.cost("fast.meg", *ends, "--direction", direction, "--check")
                    self.assertEqual(found, ("indexed", right))
                self.assertEqual(self.cost(graph, a, b, "--index"), ("indexed", right))
                name, found = self.cost("fast.meg", a, b, "--no-index")
                self.assertNotEqual(name, "indexed")
                self.assertEqual(found, right)
                self.assertEqual(self.cost("fast.meg", a, b, "--algorithm", "dijkstra"), ("dijkstra", right))
                name, _ = self.cost("fast.meg", a, b, "--direction", "both")
                self.assertEqual(name == "indexed", graph == "town.meg")
        self.write("pairs", "".join(f"{noise.randrange(600)} {noise.randrange(600)}\n" for _ in range(200)))
        answers = [self.good("path", "fast.meg", "--pairs", "pairs", "--csv", "--threads", n) for n in [1, 2]]
        self.assertEqual(answers[0], answers[1])
        self.assertIn("by indexed", self.good("path", "fast.meg", "--pairs", "pairs").splitlines()[-2])

    def test_hubs(self):
        self.good("gen", "kronecker", "--scale", 11, "--weights", "u32", "-o", "hubs.meg")
        facts = self.json("index", "hubs.meg", "-o", "fast.meg")
        self.assertGreater(facts["path_index"]["uncontracted"], 0)
        self.assertIn("vertices uncontracted", self.good("info", "fast.meg"))
        for a, b in [(1, 2), (5, 77), (400, 3)]:
            self.assertEqual(self.cost("fast.meg", a, b)[1], self.cost("hubs.meg", a, b)[1])

    def test_mistakes(self):
        self.bad(3, "cannot open none.meg: no such file.", "index", "none.meg")
        self.bad(3, "town.gr is not a .meg file", "index", "town.gr")
        self.bad(2, "only a .meg file can hold a path index", "index", "town.meg", "-o", "town.el")
        self.bad(2, "would be overwritten", "index", "town.meg", "-o", "town.meg")
        self.bad(2, "only a .meg file can hold", "build", "town.gr", "-o", "x.el", "--path-index")
        self.bad(4, "there is no folder", "index", "town.meg", "-o", "none/x.meg")
        self.bad(2, "--no-index", "path", "town.meg", "--from", 1, "--to", 2, "--index", "--no-index")
        self.write("minus.wel", "1 2 3\n2 3 -4\n")
        self.good("build", "minus.wel", "-o", "minus.meg")
        before = self.bytes_of("minus.meg")
        self.bad(3, "from 2 to 3 is -4", "index", "minus.meg")
        self.bad(4, "memory", "index", "town.meg", "--memory", "100k")
        self.assertEqual(self.bytes_of("minus.meg"), before)
        self.assertFalse(os.path.exists(self.path("x.el")))

    def test_damage(self):
        self.good("index", "streets.meg")
        data = bytearray(self.bytes_of("streets.meg"))
        data[-100] ^= 1  # among the halves, which come last
        self.write("streets.meg", bytes(data))
        self.bad(3, "its path index halves do not match their checksum", "path", "streets.meg", "--from", 1, "--to", 2)
        self.assertEqual(self.cost("streets.meg", 1, 2, "--no-index")[0] != "indexed", True)
        self.good("index", "streets.meg")  # made again
        self.assertEqual(self.cost("streets.meg", 1, 2)[0], "indexed")

    def test_interrupted(self):
        side = 200 if SANITIZED else 700
        self.good("gen", "grid", "--width", side, "--height", side, "-o", "large.meg")
        before = os.stat(self.path("large.meg"))
        process = subprocess.Popen([MEGURI, "index", "large.meg"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=default_signals)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("it was ready before it could be interrupted")
        self.assertEqual((process.returncode, output), (130, b""))
        self.assertIn(b"interrupted", errors)
        after = os.stat(self.path("large.meg"))
        self.assertEqual((before.st_ino, before.st_size), (after.st_ino, after.st_size))
        self.assertIsNone(self.json("info", "large.meg")["path_index"])


if __name__ == "__main__":
    main()
