"""gen, build, convert and info from end to end, against facts counted here by other means."""
import gzip
import json
import random
import lzma
import os
import re
import shutil
import struct
import subprocess

from harness import Case, MEGURI, main

TINY = "1 2\n2 3\n1 2\n3 3\n10 20\n"  # one duplicate, one self-loop, a gap in the ids


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.split() for line in file if line.strip() and line[0] not in "#%c"]


class Reader:
    """Independent readers of what meguri writes: each gives the set of (from, to) or (from, to, weight)."""

    @staticmethod
    def el(path):
        return sorted(tuple(row[:2]) for row in lines(path))

    @staticmethod
    def wel(path):
        return sorted((a, b, float(w)) for a, b, w in lines(path))

    @staticmethod
    def csv(path):
        with open(path) as file:
            return sorted(tuple(line.strip().split(",")[:2]) for line in list(file)[1:])

    @staticmethod
    def mtx(path):
        return sorted(tuple(row[:2]) for row in lines(path)[1:])

    @staticmethod
    def gr(path):
        return sorted((row[1], row[2]) for row in lines(path) if row[0] == "a")

    @staticmethod
    def graph(path):
        with open(path) as file:
            rows = [line for line in file if not line.startswith("%")]
        vertices, _, *kind = rows[0].split()
        step = 2 if kind and kind[0].endswith("1") else 1
        rows = rows[1:int(vertices) + 1]
        return sorted((str(i + 1), n) for i, row in enumerate(rows) for n in row.split()[::step])

    @staticmethod
    def adj(path):
        return sorted((row[0], n) for row in lines(path) for n in row[1:])

    @staticmethod
    def binary(path, bits):
        with open(path, "rb") as file:
            data = file.read()
        if bits == 48:  # Graph500: low halves of both ends, then their high 16 bits
            triples = struct.iter_unpack("<III", data)
            return sorted((str(a | (h & 0xFFFF) << 32), str(b | h >> 16 << 32)) for a, b, h in triples)
        return sorted((str(a), str(b)) for a, b in struct.iter_unpack("<II" if bits == 32 else "<QQ", data))


class Build(Case):
    def setUp(self):
        super().setUp()
        self.write("tiny.el", TINY)

    def test_directed(self):
        facts = self.json("build", "tiny.el", "-o", "g.meg")
        want = dict(vertices=5, edges=3, arcs=3, directed=True, weights="none", isolated=0, input_edges=5,
                    dropped_duplicates=1, dropped_loops=1, file="g.meg", coordinates=False)
        self.assertEqual({key: facts[key] for key in want}, want)
        self.assertEqual(facts["file_bytes"], os.path.getsize(self.path("g.meg")))
        self.assertAlmostEqual(facts["bytes_per_arc"], facts["file_bytes"] / 3)
        self.assertEqual(set(facts["seconds"]), {"read", "write", "total"})
        self.assertGreaterEqual(facts["seconds"]["total"], facts["seconds"]["read"])
        self.assertGreater(facts["threads"], 0)
        self.assertGreater(facts["memory_peak_bytes"], 0)
        self.assertIn(facts["order"], ["degree", "bfs", "none"])

    def test_undirected(self):
        facts = self.json("build", "tiny.el", "--undirected", "-o", "g.meg")
        self.assertEqual((facts["edges"], facts["arcs"], facts["directed"]), (3, 6, False))

    def test_keeping(self):
        facts = self.json("build", "tiny.el", "--keep-duplicates", "-o", "g.meg")
        self.assertEqual((facts["edges"], facts["dropped_duplicates"], facts["dropped_loops"]), (4, 0, 1))
        facts = self.json("build", "tiny.el", "--keep-loops", "-o", "g.meg")
        self.assertEqual((facts["edges"], facts["dropped_duplicates"], facts["dropped_loops"]), (4, 1, 0))
        facts = self.json("build", "tiny.el", "--keep-loops", "--keep-duplicates", "--undirected", "-o", "g.meg")
        self.assertEqual((facts["edges"], facts["arcs"]), (5, 9))  # an undirected loop is one arc

    def test_summary_for_people(self):
        text = self.good("build", "tiny.el", "-o", "g.meg")
        self.assertIn("5 vertices, 3 edges, directed\n", text)
        self.assertIn("input: 5 edges; 1 parallel edge merged, 1 self-loop dropped\n", text)
        self.assertRegex(text, r"→ g\.meg\n$")
        self.assertEqual(self.good("build", "tiny.el", "-o", "g.meg", "--quiet"), "")

    def test_several_inputs_and_orders(self):
        self.write("more.el", "20 30\n1 2\n")
        for order in ["auto", "degree", "bfs", "none"]:
            facts = self.json("build", "tiny.el", "more.el", "--order", order, "-o", "g.meg")
            self.assertEqual((facts["vertices"], facts["edges"], facts["dropped_duplicates"]), (6, 4, 2))
            if order != "auto":
                self.assertEqual(facts["order"], order)
            self.good("convert", "g.meg", "-o", "g.el")
            self.assertEqual(Reader.el(self.path("g.el")), [("1", "2"), ("10", "20"), ("2", "3"), ("20", "30")])

    def test_standard_input_and_compression(self):
        text = TINY.encode()
        for data in [text, gzip.compress(text), lzma.compress(text)]:
            facts = self.json("build", "-", "-o", "g.meg", stdin=data)
            self.assertEqual((facts["vertices"], facts["edges"]), (5, 3))
        self.write("t.el.gz", gzip.compress(text))
        self.write("t.el.xz", lzma.compress(text))
        self.good("convert", "tiny.el", "-o", "t.el.zst")
        with open(self.path("t.el.zst"), "rb") as file:
            self.assertEqual(file.read(4), b"\x28\xb5\x2f\xfd")
        for name in ["t.el.gz", "t.el.xz", "t.el.zst"]:
            self.assertEqual(self.json("build", name, "-o", "g.meg")["edges"], 3, name)

    def test_weights(self):
        self.write("w.wel", "1 2 7\n2 3 70000\n1 2 5\n")
        self.assertEqual(self.json("build", "w.wel", "-o", "g.meg")["weights"], "u32")
        self.good("convert", "g.meg", "-o", "x.wel")
        self.assertEqual(Reader.wel(self.path("x.wel")), [("1", "2", 5.0), ("2", "3", 70000.0)])
        self.assertEqual(self.json("build", "w.wel", "--weights", "none", "-o", "g.meg")["weights"], "none")

    def test_ids(self):
        self.write("names.csv", "from,to\nTōkyō,Ōsaka\nŌsaka,New York\n")
        self.assertEqual(self.json("build", "names.csv", "-o", "g.meg")["ids"], "string")
        facts = self.json("info", "g.meg")
        self.assertEqual((facts["first_id"], facts["last_id"]), ("Tōkyō", "New York"))
        self.assertIn('"Tōkyō" … "New York"', self.good("info", "g.meg"))
        self.write("signed.el", "-5 3\n3 9\n")
        self.assertEqual(self.json("build", "signed.el", "-o", "g.meg")["ids"], "signed")
        facts = self.json("info", "g.meg")
        self.assertEqual((facts["first_id"], facts["last_id"]), (-5, 9))
        self.write("large.el", f"{2**64 - 1} 3\n")
        self.good("build", "large.el", "-o", "g.meg")
        self.assertEqual(self.json("info", "g.meg")["last_id"], 2**64 - 1)
        self.assertEqual(self.json("build", "tiny.el", "--ids", "string", "-o", "g.meg")["ids"], "string")

    def test_coordinates(self):
        self.write("g.gr", "p sp 3 2\na 1 2 5\na 2 3 6\n")
        self.write("g.co", "p aux sp co 3\nv 1 10 20\nv 2 30 40\nv 3 50 60\n")
        self.assertTrue(self.json("build", "g.gr", "--coords", "g.co", "-o", "g.meg")["coordinates"])
        self.assertTrue(self.json("info", "g.meg")["coordinates"])

    def test_formats_by_name(self):
        self.write("x.txt", "1 2 3\n4 1\n")
        self.assertEqual(self.json("build", "x.txt", "--format", "adj", "-o", "g.meg")["edges"], 3)
        self.write("x.bin", struct.pack("<6I", 1, 2, 2, 3, 3, 1))
        self.assertEqual(self.json("build", "x.bin", "--format=bin32", "-o", "g.meg")["edges"], 3)

    def test_output_without_suffix_is_meg(self):
        self.good("build", "tiny.el", "-o", "plain")
        self.assertEqual(self.json("info", "plain")["edges"], 3)
        self.good("convert", "plain", "-o", "x.el")
        self.assertEqual(len(Reader.el(self.path("x.el"))), 3)

    def test_edges_beyond_the_memory_go_to_a_temporary_file(self):
        self.write("big.el", "".join(f"{i * 7919 % 100003} {i * 104729 % 99991}\n" for i in range(1200000)))
        want = self.json("build", "big.el", "-o", "g.meg")
        facts = self.json("build", "big.el", "--memory", "20M", "-o", "small.meg")
        self.assertLessEqual(facts["memory_peak_bytes"], 20000000)
        for key in ["vertices", "edges", "dropped_duplicates", "file_bytes"]:
            self.assertEqual(facts[key], want[key])
        self.bad(4, "missing", "build", "big.el", "--memory", "20M", "-o", "other.meg", env={"TMPDIR": self.path("missing")})
        self.assertEqual(self.names(), ["big.el", "g.meg", "small.meg", "tiny.el"])

    def test_rows_backwards(self):
        rng = random.Random(3)
        edges = [(rng.randrange(50), rng.randrange(50), rng.randrange(9)) for _ in range(400)]
        self.write("a.wel", "".join(f"{a} {b} {w}\n" for a, b, w in edges))
        for flags, kept in ([], True), (["--undirected"], False):
            self.good("build", "a.wel", "-o", "plain.meg", *flags)
            self.good("build", "a.wel", "--in-rows", "-o", "g.meg", *flags)
            self.assertEqual((self.json("info", "g.meg")["in_rows"], self.json("info", "plain.meg")["in_rows"]),
                             (kept, False))
            self.assertEqual("backwards  rows are kept" in self.good("info", "--check", "g.meg"), kept)
            for words in ["pagerank", "--iterations", "9"], ["bfs", "--source", "7"], ["components"]:
                self.good(words[0], "g.meg", *words[1:], "-o", "a.tsv")
                self.good(words[0], "plain.meg", *words[1:], "-o", "b.tsv")
                with open(self.path("a.tsv"), "rb") as one, open(self.path("b.tsv"), "rb") as other:
                    self.assertEqual(one.read(), other.read(), words)
        self.bad(2, "only a .meg file can hold", "build", "a.wel", "--in-rows", "-o", "out.el")

    def test_trace(self):
        self.good("build", "tiny.el", "-o", "g.meg", "--trace", "t.json")
        with open(self.path("t.json")) as file:
            steps = [json.loads(line) for line in file]
        self.assertGreater(len(steps), 0)
        self.bad(4, "nowhere", "build", "tiny.el", "-o", "g.meg", "--trace", "nowhere/t.json")


class Gen(Case):
    def test_kronecker(self):
        facts = self.json("gen", "kronecker", "--scale", 10, "-o", "g.meg")
        self.assertEqual((facts["vertices"], facts["input_edges"], facts["directed"]), (1024, 16384, False))
        self.assertEqual(facts["edges"] + facts["dropped_duplicates"] + facts["dropped_loops"], 16384)
        self.assertEqual(facts["arcs"], 2 * facts["edges"])
        self.assertEqual(set(facts["seconds"]), {"generate", "write", "total"})
        self.assertEqual(self.json("gen", "kronecker", "--scale", 8, "--edgefactor", 4, "-o", "g.meg")["input_edges"], 1024)

    def test_same_seed_same_graph_at_any_number_of_threads(self):
        for model in ["kronecker --scale 11 --weights u32", "rmat --scale 11 --noise .1",
                      "uniform --vertices 3000 --edges 20000", "grid --width 60 --height 50 --links 100"]:
            digests = set()
            for threads in [1, 2, 7]:
                self.good("gen", *model.split(), "--threads", threads, "-q", "-o", "g.el")
                with open(self.path("g.el"), "rb") as file:
                    digests.add(hash(file.read()))
            self.assertEqual(len(digests), 1, model)
            self.good("gen", *model.split(), "--seed", 2, "-q", "-o", "g.el")
            with open(self.path("g.el"), "rb") as file:
                self.assertNotIn(hash(file.read()), digests, model)

    def test_weights(self):
        self.good("gen", "kronecker", "--scale", 8, "--weights", "f32", "-o", "f.wel")
        weights = [w for _, _, w in Reader.wel(self.path("f.wel"))]
        self.assertTrue(all(0 <= w < 1 for w in weights) and len(set(weights)) > 100)
        self.good("gen", "uniform", "--vertices", 50, "--edges", 500, "--weights", "u32", "-o", "u.wel")
        weights = [w for _, _, w in Reader.wel(self.path("u.wel"))]
        self.assertTrue(all(w == int(w) and 1 <= w <= 255 for w in weights))

    def test_rmat(self):
        facts = self.json("gen", "rmat", "--scale", 9, "--a", ".45", "--b", ".15", "--c", ".15", "--noise", "0.05", "-o", "g.meg")
        self.assertEqual((facts["vertices"], facts["directed"], facts["input_edges"]), (512, True, 8192))
        self.assertFalse(self.json("gen", "rmat", "--scale", 9, "--undirected", "-o", "g.meg")["directed"])

    def test_uniform(self):
        facts = self.json("gen", "uniform", "--vertices", 1000, "--edges", 5000, "--keep-duplicates", "--keep-loops", "-o", "g.meg")
        self.assertEqual((facts["vertices"], facts["edges"], facts["directed"]), (1000, 5000, True))

    def test_grid(self):
        facts = self.json("gen", "grid", "--width", 100, "--height", 80, "-o", "g.meg")
        self.assertEqual((facts["vertices"], facts["directed"], facts["coordinates"]), (8000, False, True))
        self.assertNotEqual(facts["weights"], "none")
        self.assertAlmostEqual(facts["arcs"] / 8000, 3.2, delta=0.15)
        more = self.json("gen", "grid", "--width", 100, "--height", 80, "--links", 500, "-o", "g.meg")
        self.assertTrue(0 < more["edges"] - facts["edges"] <= 500)

    def test_text_output(self):
        self.good("gen", "kronecker", "--scale", 6, "-o", "g.mtx.gz")
        with gzip.open(self.path("g.mtx.gz"), "rt") as file:
            self.assertTrue(file.readline().startswith("%%MatrixMarket matrix coordinate"))

    def test_memory_budget(self):
        text = self.bad(4, "budget", "gen", "kronecker", "--scale", 18, "--memory", "1M", "-o", "g.meg")
        self.assertRegex(text, r"[\d.]+ (kB|MB|GB) asked")
        self.assertIn("1.00 MB", text)
        self.assertEqual(self.names(), [])

    def test_replaces_an_older_file_only_on_success(self):
        self.write("g.meg", "precious")
        self.bad(4, "", "gen", "kronecker", "--scale", 18, "--memory", "1M", "-o", "g.meg")
        with open(self.path("g.meg")) as file:
            self.assertEqual(file.read(), "precious")
        self.good("gen", "kronecker", "--scale", 4, "-o", "g.meg")
        self.assertEqual(self.json("info", "g.meg")["vertices"], 16)


class Convert(Case):
    def setUp(self):
        super().setUp()
        # ids 1 … 6 so that formats that count from one keep them
        self.edges = sorted([("1", "2"), ("2", "3"), ("3", "1"), ("4", "5"), ("5", "6"), ("6", "4"), ("1", "6")])
        self.write("in.el", "".join(f"{a} {b}\n" for a, b in self.edges))
        self.both = sorted(self.edges + [(b, a) for a, b in self.edges])

    def test_directed(self):
        self.good("build", "in.el", "-o", "g.meg")
        for suffix in ["el", "csv", "mtx", "gr", "adj", "e"]:
            self.good("convert", "g.meg", "-o", "out." + suffix)
            read = getattr(Reader, suffix if suffix != "e" else "el")
            self.assertEqual(read(self.path("out." + suffix)), self.edges, suffix)
        for bits in [32, 48, 64]:
            self.good("convert", "g.meg", "-o", f"out.bin{bits}")
            self.assertEqual(Reader.binary(self.path(f"out.bin{bits}"), bits), self.edges, bits)

    def test_undirected(self):
        self.good("build", "in.el", "--undirected", "-o", "g.meg")
        self.good("convert", "g.meg", "-o", "out.graph")
        self.assertEqual(Reader.graph(self.path("out.graph")), self.both)

    def test_and_back(self):
        """What convert writes, build reads as the same graph."""
        for direction in ["--directed", "--undirected"]:
            self.good("build", "in.el", direction, "-o", "g.meg")
            want = self.json("info", "g.meg")
            for suffix in ["el", "wel", "csv", "mtx", "gr", "e", "el.gz", "mtx.xz", "csv.zst"] + ["graph"] * (direction == "--undirected"):
                self.good("convert", "g.meg", "-o", "out." + suffix)
                back = self.json("build", "out." + suffix, direction, "-o", "back.meg")
                for key in ["vertices", "edges", "arcs", "directed"]:
                    self.assertEqual(back[key], want[key], (suffix, key))
                for name in self.names():
                    if name.startswith("out."):
                        os.remove(self.path(name))

    def test_from_text(self):
        facts = self.json("convert", "in.el", "--undirected", "-o", "out.graph")
        self.assertEqual((facts["edges"], facts["directed"]), (7, False))
        self.assertEqual(Reader.graph(self.path("out.graph")), self.both)
        facts = self.json("convert", "-", "-o", "out.mtx", stdin=b"1 2\n2 3\n")
        self.assertEqual(facts["edges"], 2)

    def test_reading_options_have_no_meaning_for_meg(self):
        self.good("build", "in.el", "-o", "g.meg")
        self.bad(2, "--undirected is for text input", "convert", "g.meg", "--undirected", "-o", "x.el")
        self.bad(2, "--format is for text input", "convert", "g.meg", "--format", "el", "-o", "x.el")

    def test_meg_to_meg(self):
        self.good("build", "in.el", "-o", "g.meg")
        self.good("convert", "g.meg", "-o", "h.meg")
        a, b = self.json("info", "g.meg"), self.json("info", "h.meg")
        self.assertEqual({**a, "file": ""}, {**b, "file": ""})


class Info(Case):
    def test_facts(self):
        star = "".join(f"0 {i}\n" for i in range(1, 101)) + "200 201\n"
        self.write("star.el", star)
        self.good("build", "star.el", "--undirected", "-o", "g.meg")
        facts = self.json("info", "g.meg")
        want = dict(vertices=103, edges=101, arcs=202, directed=False, isolated=0, first_id=0, last_id=201, ids="unsigned",
                    input_edges=101, dropped_duplicates=0, dropped_loops=0, checked=False, file="g.meg", weights="none")
        self.assertEqual({key: facts[key] for key in want}, want)
        self.assertEqual(facts["degrees"]["min"], 1)
        self.assertEqual(facts["degrees"]["max"], 100)
        self.assertAlmostEqual(facts["degrees"]["mean"], 202 / 103)
        self.assertEqual({(b["from"], b["to"]): b["vertices"] for b in facts["degrees"]["histogram"] if b["vertices"]},
                         {(1, 1): 102, (64, 127): 1})
        self.assertEqual(facts["file_bytes"], os.path.getsize(self.path("g.meg")))
        self.assertAlmostEqual(facts["bytes_per_edge"], facts["file_bytes"] / 101)

    def test_for_people(self):
        self.good("gen", "kronecker", "--scale", 12, "-q", "-o", "g.meg")
        facts = self.json("info", "g.meg")
        text = self.good("info", "g.meg")
        self.assertIn(f"{facts['vertices']:,}", text)
        self.assertIn(f"{facts['edges']:,} undirected, stored as {facts['arcs']:,} arcs", text)
        self.assertIn(f"max {facts['degrees']['max']:,}", text)
        bars = re.findall(r"^ +[\d,]+(?: to [\d,]+)? +([\d,]+)(?: (#+))?$", text, re.M)
        self.assertEqual(sum(int(count.replace(",", "")) for count, _ in bars), facts["vertices"])
        self.assertEqual(max(len(bar) for _, bar in bars), 30)
        for count, bar in bars:
            self.assertEqual(bool(bar), count != "0")
        self.assertTrue(all(len(line) <= 80 for line in text.split("\n")))
        self.assertEqual(self.good("info", "g.meg", "--quiet"), "")

    def test_small_graphs(self):
        self.write("empty.el", "# nothing\n")
        self.good("build", "empty.el", "-q", "-o", "g.meg")
        facts = self.json("info", "g.meg")
        self.assertEqual((facts["vertices"], facts["edges"], facts["first_id"]), (0, 0, None))
        self.assertEqual((facts["bytes_per_arc"], facts["degrees"]["mean"], facts["degrees"]["histogram"]), (None, None, []))
        self.assertIn("vertices   0", self.good("info", "g.meg"))
        self.good("gen", "uniform", "--vertices", 1, "--edges", 0, "-o", "g.meg")
        facts = self.json("info", "g.meg")
        self.assertEqual((facts["vertices"], facts["isolated"], facts["degrees"]["max"]), (1, 1, 0))
        self.good("info", "g.meg", "--check")

    def test_several_files(self):
        self.good("gen", "kronecker", "--scale", 4, "-o", "a.meg")
        self.good("gen", "kronecker", "--scale", 5, "-o", "b.meg")
        objects = [json.loads(line) for line in self.good("info", "--json", "a.meg", "b.meg").splitlines()]
        self.assertEqual([o["vertices"] for o in objects], [16, 32])
        result = self.run_it("info", "a.meg", "missing.meg", "b.meg")
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"missing.meg", result.stderr)
        self.assertEqual(result.stderr.count(b"\n"), 1)
        self.assertIn(b"b.meg\n", result.stdout)

    def test_check_finds_damage(self):
        self.good("gen", "kronecker", "--scale", 10, "-o", "g.meg")
        self.assertIn("checked, whole", self.good("info", "--check", "g.meg"))
        self.assertTrue(self.json("info", "--check", "g.meg")["checked"])
        self.good("gen", "kronecker", "--scale", 10, "--order", "none", "-o", "g.meg")
        with open(self.path("g.meg"), "r+b") as file:
            file.seek(os.path.getsize(self.path("g.meg")) * 2 // 3)
            byte = file.read(1)
            file.seek(-1, 1)
            file.write(bytes([byte[0] ^ 0x10]))
        self.bad(3, "g.meg", "info", "--check", "g.meg")

    def test_a_text_file_is_refused_with_advice(self):
        self.write("g.el", "1 2\n")
        text = self.bad(3, "g.el", "info", "g.el")
        self.assertIn("meguri build", text)

    def test_names_cannot_steer_the_terminal(self):
        self.write("evil.csv", 'from,to\n\x1b[31mred,"say ""hi"" \\"\n')
        self.good("build", "evil.csv", "--ids", "string", "-o", "g.meg")
        self.assertNotIn(b"\x1b", self.run_it("info", "g.meg").stdout)
        facts = self.json("info", "g.meg")
        self.assertEqual(facts["first_id"], "\x1b[31mred")
        self.assertEqual(facts["last_id"], 'say "hi" \\')
        self.write("turned.csv", "from,to\n\u202egnp.exe,\u2066\u009b1m\n")  # that text runs backwards; a control of 8 bits
        self.good("build", "turned.csv", "-o", "g.meg")
        for words in (["info"], ["components"], ["pagerank"]):
            text = self.good(*words, "g.meg")
            self.assertEqual([c for c in text if c in "\u202e\u2066\u009b"], [], words)
            self.assertIn('"\\u202Egnp.exe"', text)
        self.assertEqual(self.json("info", "g.meg")["first_id"], "\u202egnp.exe")

    def test_json_is_utf8_whatever_the_name_of_the_file(self):
        self.good("gen", "kronecker", "--scale", 3, "-o", "g.meg")
        os.rename(self.path("g.meg"), os.path.join(self.folder.encode(), b"\xff\xc0\xaf\xed\xa0\x80 \xc3\xa9.meg"))
        result = subprocess.run([MEGURI, "info", "--json", b"\xff\xc0\xaf\xed\xa0\x80 \xc3\xa9.meg"], capture_output=True, cwd=self.folder)
        self.assertEqual(json.loads(result.stdout)["file"], "\ufffd" * 6 + " é.meg")

    def test_other_locales_change_nothing(self):
        self.good("gen", "kronecker", "--scale", 6, "--weights", "f32", "-o", "g.meg")
        plain = self.run_it("info", "g.meg").stdout
        self.assertEqual(self.run_it("info", "g.meg", env={"LC_ALL": "de_DE.UTF-8"}).stdout, plain)
        self.json("gen", "rmat", "--scale", 5, "--a", "0.5", "-o", "h.meg", env={"LC_ALL": "de_DE.UTF-8"})


class Installed(Case):
    def test_runs_from_where_it_is_copied(self):
        """The command finds its library relative to itself, not by a path of the build."""
        self.need(shutil.which("readelf"), "readelf")
        text = subprocess.run(["readelf", "-d", MEGURI], capture_output=True, text=True).stdout
        self.assertRegex(text, r"R(UN)?PATH.*\[\$ORIGIN")
        self.assertNotRegex(text, r"PATH.*(::|:\])", "an empty entry is the current folder")


if __name__ == "__main__":
    main()
