"""Names of files that are written: every verb takes the same suffixes, compressed ones included; one that a verb cannot
write is refused with the list of those it can before any work is done. And results as .csv, read back as docs/results.md
says."""
import csv
import gzip
import lzma
import os
import re

from harness import LEAVES, ROOT, SANITIZED, Case, main

ROWS = {".tsv", ".csv", ".npy", ".bin"}
STREAM = {".tsv", ".csv", ".npy"}
PATHS = {".tsv", ".csv", ".jsonl", ".geojson"}
PAGES = {".html", ".htm", ".svg"}
TEXT = {".tsv", ".csv", ".jsonl", ".geojson"}  # may be compressed
PACKED = [".gz", ".zst", ".xz"]
OTHERS = [".png", ".parquet", ".json", ".xlsx", ".html", ".svg", ".csv.bz2", ".csv.zip", ".csv.gz.gz", ".npz", ".txt", ".meg", ".csv~", ""]

# Verb, its words, what it writes.
WRITERS = [
    ("bfs", ["--source", "1"], ROWS), ("bfs", ["--sources", "ids"], ROWS), ("sssp", ["--source", "1"], ROWS),
    ("sssp", ["--sources", "ids"], STREAM), ("sssp", ["--sources", "ids", "--targets", "ids"], ROWS), ("components", [], ROWS),
    ("pagerank", [], ROWS), ("betweenness", [], ROWS), ("communities", [], ROWS), ("cores", [], ROWS), ("clustering", [], ROWS),
    ("path", ["--from", "1", "--to", "3"], PATHS), ("path", ["--pairs", "pairs"], PATHS), ("path", ["--pairs", "pairs", "--costs"], STREAM),
    ("report", [], PAGES),
]
GRAPHS = [("gen grid", ["--width", "3", "--height", "3"]), ("build", []), ("convert", []), ("index", []), ("pull", [])]
# Verbs that write nothing, or a folder; run compiles its program first of all (test_run.py).
NOTHING = {"info", "triangles", "graph500", "devices", "selftest", "help", "partition", "write-back", "run", "overview"}


class Suffixes(Case):
    def setUp(self):
        super().setUp()
        self.write("g.wel", "1 2 3\n2 3 4\n3 1 5\n")
        self.write("g.co", "v 1 1 1\nv 2 2 2\nv 3 3 1\n")
        self.write("ids", "1\n2\n")
        self.write("pairs", "1 3\n2 1\n")
        self.good("build", "g.wel", "--coords", "g.co", "-q", "-o", "g.meg")
        self.good("path", "g.meg", "--from", 1, "--to", 3, "-q", "--trace", "t.json")

    def test_list_is_complete(self):
        known = {verb for verb, *_ in WRITERS + GRAPHS} | NOTHING | {f"gen {model}" for model in ("kronecker", "rmat", "uniform")}
        self.assertEqual(set(LEAVES) - known, set())

    def test_accepted(self):
        tried = []  # one verb of each kind is tried with all
        for verb, words, suffixes in WRITERS:
            operand = "t.json" if verb == "report" else "g.meg"
            first = suffixes not in tried
            tried.append(suffixes)
            for suffix in sorted(suffixes):
                for packed in ["", *(PACKED if suffix in TEXT and first else [])]:
                    for name in ["o" + suffix + packed, ("o" + suffix + packed).upper()][:2 if first and not SANITIZED else 1]:
                        self.good(verb, operand, *words, "-q", "-o", name)
                        with open(self.path(name), "rb") as file:
                            data = file.read()
                        os.remove(self.path(name))
                        if name.islower() and packed == ".gz":
                            data = gzip.decompress(data)
                        if name.islower() and packed == ".xz":
                            data = lzma.decompress(data)
                        if name.islower() and packed in (".gz", ".xz"):
                            self.good(verb, operand, *words, "-q", "-o", "plain" + suffix)
                            with open(self.path("plain" + suffix), "rb") as file:
                                plain = file.read()
                            if b'"seconds"' in plain:  # which differ
                                data, plain = (re.sub(rb'"seconds": [^,}]*', b"", text) for text in (data, plain))
                            self.assertEqual(data, plain, (verb, name))
                            os.remove(self.path("plain" + suffix))

    def test_refused(self):
        """The graph is not even there; nothing is made; the sentence lists all that can be written."""
        before = self.names()
        for verb, words, suffixes in WRITERS:
            packed = [s + ".gz" for s in (".npy", ".bin", ".html", ".svg") if s in suffixes]
            wrong = [s for s in OTHERS + sorted((ROWS | PATHS | PAGES) - suffixes) + packed if s not in suffixes]
            for suffix in wrong:
                text = self.bad(2, f"cannot write o{suffix}: ", verb, "missing.meg", *words, "-o", "o" + suffix)
                listed = set(re.findall(r"\.(?:tsv|csv|npy|bin|jsonl|geojson|html|svg)\b", text.split(": ", 2)[2]))
                self.assertEqual(listed, suffixes - {".htm"}, text)
                self.assertEqual("with .gz, .zst or .xz after it" in text, bool(suffixes & TEXT), text)
                self.assertIn("- for ", text)
        for verb, words in GRAPHS:
            for suffix in [".png", ".csvx", ".html", ".npy", ".meg.gz", ".graphml", ".tsv"]:
                operand = [] if verb == "gen grid" else ["missing.meg"]
                text = self.bad(2, f"o{suffix}: ", *verb.split(), *operand, *words, "-o", "o" + suffix)
                self.assertRegex(text, r"use \.meg, or \.el |cannot be compressed|\.meg", text)
        self.assertEqual(self.names(), before)

    def test_an_older_file_stays(self):
        for name in ["o.png", "o", "o.npy.gz"]:
            self.write(name, "precious")
            for verb, words, _ in WRITERS:
                self.bad(2, f"cannot write {name}: ", verb, "t.json" if verb == "report" else "g.meg", *words, "-o", name)
            with open(self.path(name)) as file:
                self.assertEqual(file.read(), "precious")

    def test_nothing_found_is_a_file(self):
        """Compressed, too: no bytes at all would be no gzip."""
        self.good("build", self.write("far.el", "1 2\n3 4\n"), "-q", "-o", "far.meg")
        for name in ["o.csv.gz", "o.jsonl.gz"]:
            self.good("path", "far.meg", "--from", 1, "--to", 4, "-q", "-o", name)
            with gzip.open(self.path(name), "rt") as file:
                self.assertNotIn("path\": 0", file.read())


# Ids that tables, terminals and programs get wrong; tabs and line ends, which no text file gives, are in tests/result.
HOSTILE = ["plain", "007", "1e5", "NA", "null", "None", "nan", "-", "TRUE", "1,5", "a,b", 'say "so"', '"', '""', ",", ";", " before",
            "behind ", "  ", "#hash", "=1+1", "@x", "+1", "-1", "0x10", "inf", "日本橋", "naïve", "🚉",
           "'single'", "back\\slash", "\\n", "a|b", "%s", "\ufeffbom", "long" * 200, "N/A", "<NA>", "vertex", "1 2", "\x0b", "\x1b[31m"]


class Pandas(Case):
    """pandas.read_csv(f, dtype={'vertex': str}, keep_default_na=False) is RFC 4180 with all fields kept as they are, which
    the module csv is, too: it is emulated by that where pandas is not installed."""

    def read(self, name, ids):
        try:
            import pandas
        except ImportError:
            with open(self.path(name), encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file, strict=True))
            return rows[0], rows[1:]
        table = pandas.read_csv(self.path(name), dtype={column: str for column in ids}, keep_default_na=False)
        return list(table.columns), [[str(value) for value in row] for row in table.values.tolist()]

    def setUp(self):
        super().setUp()
        with open(self.path("e.csv"), "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow(["source", "target"])
            self.edges = [(a, b) for a, b in zip(HOSTILE, HOSTILE[1:] + HOSTILE[:1])]
            writer.writerows(self.edges)
        self.good("build", "e.csv", "--format", "csv", "--header", "--ids", "string", "-q", "-o", "g.meg")

    def test_text_ids(self):
        self.good("bfs", "g.meg", "--source", "plain", "-q", "-o", "b.csv")
        head, rows = self.read("b.csv", ["vertex", "parent"])
        self.assertEqual(head, ["vertex", "level", "parent"])
        names = [row[0] for row in rows]
        self.assertEqual(len(set(names)), len(rows))
        self.assertEqual(names, HOSTILE)
        for row, before in zip(rows, [rows[0], *rows]):
            self.assertEqual(row[2], before[0])  # the edges are a cycle
        verbs = {"components": "component", "communities": "label"}
        for verb, column in verbs.items():
            self.good(verb, "g.meg", "-q", "-o", "o.csv")
            head, rows = self.read("o.csv", ["vertex", column])
            self.assertEqual((head, [row[0] for row in rows]), (["vertex", column], names), verb)
            self.assertLessEqual({row[1] for row in rows}, set(names))
        for verb in ("pagerank", "cores", "clustering", "betweenness"):
            self.good(verb, "g.meg", "-q", "-o", "o.csv")
            self.assertEqual([row[0] for row in self.read("o.csv", ["vertex"])[1]], names, verb)
        with open(self.path("ids"), "w", encoding="utf-8") as file:
            file.write("plain\n007\n")
        self.good("sssp", "g.meg", "--sources", "ids", "-q", "-o", "s.csv")
        head, rows = self.read("s.csv", ["source", "vertex", "parent"])
        self.assertEqual(head, ["source", "vertex", "distance", "parent"])
        self.assertEqual([row[1] for row in rows], names * 2)

    def test_integer_ids(self):
        self.good("build", self.write("i.el", "7 18446744073709551615\n18446744073709551615 0\n"), "-q", "-o", "i.meg")
        self.good("components", "i.meg", "-q", "-o", "o.csv")
        self.assertEqual(self.read("o.csv", []), (["vertex", "component"], [["0", "0"], ["7", "0"], ["18446744073709551615", "0"]]))

    def test_the_page_says_so(self):
        with open(os.path.join(ROOT, "docs", "results.md"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("pandas.read_csv(f, dtype={'vertex': str}, keep_default_na=False)", page)
        self.assertIn("encoding_errors='surrogateescape'", page)


if __name__ == "__main__":
    main()
