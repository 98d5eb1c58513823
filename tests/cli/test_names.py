"""Names of vertices beside formats that number them: written, read back, and refused where they belong to another file."""
import os
import random

from harness import Case, main

HOSTILE = ["Tokyo", "a,b", 'say "x"', "#hash", " lead", "trail ", "é日本", "007", "-1", "%", "//c", "vertex", "name", "NA",
           "'", '"', '""', ";", "\x7f", "\u202e", "1,2", "a;b|c", "x" * 5000, "\\", "0"]
FORMATS = {"mtx": (), "mtx.gz": (), "gr": (), "gr.zst": (), "graph": ("--undirected",), "bin32": (), "bin48": (), "bin64.xz": ()}


class Names(Case):
    def content(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def table(self, names, rng):
        """Edges between them, each name at least once."""
        def field(text):
            return '"' + text.replace('"', '""') + '"'
        pairs = [(name, rng.choice(names)) for name in names] + [tuple(rng.sample(names, 2)) for _ in range(len(names))]
        return "source,target\n" + "".join(f"{field(a)},{field(b)}\n" for a, b in pairs if a != b)

    def test_round_trips(self):
        rng = random.Random(5)
        for names in (HOSTILE, HOSTILE[::-1], ["one", "two"], [f"v {i}" for i in range(3000)]):
            self.write("in.csv", self.table(names, rng))
            for suffix, options in FORMATS.items():
                with self.subTest(suffix=suffix, names=len(names)):
                    binary = ("--format", suffix.split(".")[0]) if suffix.startswith("bin") else ()
                    weights = ("--weights", "none") if suffix.startswith("gr") else ()
                    facts = self.json("convert", "in.csv", *options, "-o", f"x.{suffix}")
                    base, _, packed = suffix.partition(".")
                    self.assertEqual(facts["file_names"], "x.names.csv" + ("." + packed if packed else ""))
                    self.good("convert", "in.csv", "-q", *options, "-o", "want.csv")
                    for threads in (1, 2):
                        self.good("convert", f"x.{suffix}", "-q", *binary, *weights, "--threads", threads, "-o", "back.csv")
                        self.assertEqual(self.content("back.csv"), self.content("want.csv"))
                    self.good("convert", f"x.{suffix}", "-q", *binary, *weights, "--ids", "integer", "-o", "numbers.csv")
                    self.assertRegex(self.content("numbers.csv"), r"^source,target\n\d+,\d+\n")
                    os.unlink(self.path(f"x.{suffix}"))
                    os.unlink(self.path(facts["file_names"]))

    def test_coordinates_besides(self):
        self.write("nodes.csv", "id:ID,x:double,y:double\nTokyo,1,2\nOsaka,3,4\n")
        self.write("relationships.csv", ":START_ID,:END_ID,:TYPE\nTokyo,Osaka,RAIL\n")
        self.good("convert", "relationships.csv", "-q", "-o", "x.gr")
        self.assertTrue({"x.gr", "x.co", "x.names.csv"} <= set(self.names()))
        self.good("build", "x.gr", "--coords", "x.co", "-q", "-o", "x.meg")
        self.assertEqual(self.json("info", "x.meg")["coordinates"], True)
        self.assertEqual(self.good("bfs", "x.meg", "--source", "Tokyo", "-q", "-o", "-").split("\n")[2].split()[:2], ["Osaka", "1"])

    def test_tables_of_others(self):
        self.write("in.csv", "source,target\nTokyo,Osaka\nOsaka,Kobe\n")
        self.good("convert", "in.csv", "-q", "-o", "x.mtx")
        whole = self.content("x.names.csv")
        search = ("bfs", "x.mtx", "--source", "Tokyo", "-q", "-o", "-")
        want = self.good(*search)
        self.assertIn("Kobe\t2\tOsaka\n", want)
        for text, part in ((whole.replace("3,Kobe\n", ""), "it belongs to another file"),
                           (whole + "4,Nara\n", "it belongs to another file"),
                           ("vertex,name\n", "it belongs to another file"),
                           (whole.replace("Kobe", "Tokyo"), "x.names.csv:4: the name 'Tokyo' is that of vertex 1, too"),
                           (whole.replace("3,Kobe", "4,Kobe"), "x.names.csv:4: vertex 3 and its name are expected"),
                           (whole.replace("3,Kobe", "3,Kobe,"), "x.names.csv:4: vertex 3 and its name are expected"),
                           (whole.replace("3,Kobe", "3"), "x.names.csv:4: vertex 3 and its name are expected"),
                           (whole.encode().replace(b"Kobe", b"\xff"), "x.names.csv:4: the name is not UTF-8 text"),
                           (whole.replace("Kobe", '"Ko\nbe"'), "x.names.csv:4: the name is not UTF-8 text, or holds a line"),
                           (whole.replace("Kobe", '"Kobe'), "a quoted field does not end")):
            with self.subTest(text=text):
                self.write("x.names.csv", text)
                self.bad(3, part, *search)
        self.write("x.names.csv", whole.replace("\n", "\r\n"))
        self.assertEqual(self.good(*search), want)
        self.write("x.names.csv", "id;label\n1;Tokyo\n")
        result = self.run_it("bfs", "x.mtx", "--source", 1, "-o", "-", "-q")
        self.assertEqual(result.returncode, 0)
        result = self.run_it("bfs", "x.mtx", "--source", 1)
        self.assertEqual(result.stderr.decode().count("x.names.csv is not read: tables of names of vertices begin"), 1)

    def test_what_stays_behind(self):
        self.write("in.csv", "source,target\nTokyo,Osaka\n")
        self.write("numbers.csv", "source,target\n1,2\n")
        self.good("convert", "in.csv", "-q", "-o", "x.mtx")
        before = self.content("x.mtx")
        self.bad(2, "x.names.csv beside it would give its vertices names", "convert", "numbers.csv", "-q", "-o", "x.mtx")
        self.assertEqual(self.content("x.mtx"), before)
        self.bad(2, "x.names.csv is an input and would be overwritten", "convert", "x.names.csv", "-o", "x.gr")
        self.bad(2, "x.names.csv is read with x.mtx and would be overwritten", "convert", "x.mtx", "-o", "x.names.csv")
        self.good("convert", "in.csv", "-q", "-o", "y.gr")
        self.bad(3, "which works for one file", "build", "x.mtx", "y.gr", "-o", "z.meg")
        self.good("build", "x.mtx", "y.gr", "--ids", "integer", "--weights", "none", "-q", "-o", "z.meg")
        self.good("convert", "numbers.csv", "-q", "-o", "n.mtx")
        self.assertNotIn("n.names.csv", self.names())

    def test_names_that_no_table_holds(self):
        self.write("g.el", "a\tb\n")
        self.good("build", "g.el", "--ids", "string", "-q", "-o", "g.meg")
        self.good("convert", "g.meg", "-q", "-o", "g.bin32")
        self.assertEqual(self.content("g.names.csv"), "vertex,name\n1,a\n2,b\n")
        with open(self.path("g.bin32"), "rb") as file:
            self.assertEqual(file.read(), bytes([1, 0, 0, 0, 2, 0, 0, 0]))


if __name__ == "__main__":
    main()
