"""Files of vertices and of pairs, as people have them: whatever parts columns, with and without a header, quoted,
compressed, from a pipe; the same for every verb that reads such a file."""
import gzip
import json
import lzma
import random

from harness import Case, main

# A path of cities with hostile names: each is one step from the one before.
CITIES = ["New York", "Washington, D.C.", "Saint-Denis; La Réunion", "say \"hi\"", "Köln", "a|b", "12", "x", "#hash",
          "%percent", "//slashes", "'quoted'", "Portland, OR", "Portland", "source", "vertex", "id"]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Lists(Case):
    def setUp(self):
        super().setUp()
        rows = "".join(f"{quoted(a)},{quoted(b)}\n" for a, b in zip(CITIES, CITIES[1:]))
        self.write("g.csv", "source,target\n" + rows)
        self.good("build", "g.csv", "--ids", "string", "-q", "-o", "g.meg")
        self.write("n.el", "".join(f"{i} {i + 1}\n" for i in range(30)))
        self.good("build", "n.el", "-q", "-o", "n.meg")

    def levels(self, graph, name, *words, **more):
        """The sources that a list names, by which vertices are at level 0."""
        result = self.run_it("bfs", graph, "--sources", name, "-q", "-o", "levels.csv", *words, **more)
        said = result.stderr.decode()
        if result.returncode:
            return result.returncode, said
        facts = self.run_it("bfs", graph, "--sources", name, "--json", **more)
        return json.loads(facts.stdout)["source_ids"], said

    def read(self, graph, text, **more):
        return self.levels(graph, self.write("list", text), **more)


class Vertices(Lists):
    def expect(self, graph, text, ids, said=""):
        got, told = self.read(graph, text)
        self.assertEqual(got, ids, (text, told))
        self.assertEqual(bool(self.said(graph)), bool(said), (text, self.said(graph)))
        self.assertIn(said, self.said(graph), text)

    def said(self, graph):
        return self.run_it("bfs", graph, "--sources", "list", "--json").stderr.decode()

    def test_whole_lines(self):
        """As before there were tables: whatever a name has inside, it is a line."""
        for name in CITIES:
            if name[0] != "#":
                self.expect("g.meg", f"{name}\nx\n" if name not in ("source", "vertex", "id") else f"x\n{name}\n",
                            [name, "x"] if name not in ("source", "vertex", "id") else ["x", name])

    def test_quotes(self):
        for name in CITIES:
            self.expect("g.meg", f"x\n{quoted(name)}\n", ["x", name])
            for gap in ",;|\t":
                self.expect("g.meg", f"n{gap}vertex\n1{gap}{quoted(name)}\n2{gap}x\n", [name, "x"])

    def test_headers(self):
        for head in ("vertex", "Vertex", "source", "Source", "from", "node", "node_id", "vertex id", "target", "src"):
            self.expect("n.meg", f"{head}\n5\n7\n", [5, 7])
            self.expect("n.meg", f"{head}\n5\n", [5])
        self.expect("n.meg", "id\n5\n7\n", [5, 7])
        self.expect("n.meg", "Stadt\n5\n7\n", [5, 7], "list:1: 'Stadt' is taken for a header that names no vertex")
        self.expect("g.meg", "vertex\nx\n12\n", ["x", "12"])
        self.expect("g.meg", "u\nx\n12\n", ["x", "12"], "list:1: 'u' is taken for a header; write it in another line")
        self.expect("g.meg", "id\nx\nid\n", ["id", "x", "id"])  # it comes again, so it is one
        self.expect("g.meg", "vertex\nvertex\n", ["vertex"])
        self.assertEqual(self.read("n.meg", "1O\n5\n7\n")[0], 3)
        self.assertEqual(self.read("n.meg", "vertex\n"), (3, "meguri: list has no ids below its header.\n"))

    def test_columns(self):
        for gap in ("\t", ",", ";", "|", ", ", "   "):
            self.expect("n.meg", gap.join(["level", "vertex", "parent"]) + f"\n0{gap}5{gap}1\n1{gap}7{gap}5\n", [5, 7])
            self.expect("n.meg", gap.join(["target", "source"]) + f"\n0{gap}5\n1{gap}7\n", [5, 7])
            self.expect("n.meg", f"5{gap}0.5\n7{gap}1\n", [5, 7], "list: only the first column is read, though 2 lines")
        self.expect("g.meg", "Köln\t5\nx\t6\n", ["Köln", "x"], "only the first column is read, though 2 lines have more")
        self.expect("g.meg", "Portland, OR\nPortland\nWashington, D.C.\n", ["Portland, OR", "Portland", "Washington, D.C."])
        self.expect("g.meg", "Köln,Cologne\nx,y\n", ["Köln", "x"], "only the first column is read, though 2 lines have")

    def test_lines(self):
        self.expect("n.meg", "\n# home\n 5 \n\n\t7\n% KONECT\n// more\n", [5, 7])
        self.expect("n.meg", "5\r\n7\r\n", [5, 7])
        self.expect("n.meg", b"\xef\xbb\xbf5\n7", [5, 7])
        self.expect("n.meg", b"\xef\xbb\xbfvertex;name\r\n5;a\r\n7;b\r\n", [5, 7])
        self.expect("n.meg", 'vertex,note\n5,"two\nlines, ""quoted"""\n7,\n', [5, 7])
        self.expect("g.meg", '%percent\n//slashes\n"#hash"\n', ["%percent", "//slashes", "#hash"])
        for pack in (gzip.compress, lzma.compress):
            self.expect("n.meg", pack(b"vertex,x\n5,1\n7,2\n"), [5, 7])
        for text in ("5\n7\n", "vertex;x\r\n5;1\r\n7;1\r\n"):
            self.assertEqual(self.levels("n.meg", "-", stdin=text.encode())[0], [5, 7])
            self.assertEqual(self.levels("n.meg", "-", stdin=gzip.compress(text.encode()))[0], [5, 7])

    def test_wrong(self):
        for text, part in (("5\n77\n", "list:2: no vertex has the id 77"), ("# x\n\n", "list has no ids; give one a line"),
                           ("vertex,x\n5,1\n,2\n", "list:3: the id is missing"),
                           ('vertex,x\n5,1\n"7,2\n', "list:3: a quoted field does not end"),
                           ('vertex,x\n"5"6,1\n', "list:2: a quoted field does not end"),
                           ("vertex\n5\nvertex,7\n", "list:3: no vertex has the id 'vertex,7'"),
                           ("5\n7 \x00\n", "list:2: there is a zero byte in it"),
                           ("5\n7\n".encode("utf-16"), "list is UTF-16 text"),
                           (gzip.compress(b"5\n7\n" * 90)[:-9], "its gzip data ends too early"),
                           ('vertex,x\n"' + "9" * (1 << 20) + "\n", "is longer than 1 MiB")):
            self.write("list", text)
            for verb, option in (("bfs", "--sources"), ("sssp", "--sources"), ("betweenness", "--source-list")):
                self.bad(3, part, verb, "n.meg", option, "list")
        self.write("list", "Kolm\n")
        self.assertIn("no vertex has the id 'Kolm'", self.run_it("bfs", "g.meg", "--sources", "list").stderr.decode())

    def test_every_verb(self):
        self.write("list", b"\xef\xbb\xbfname;vertex\r\na;5\r\nb;7\r\n")
        self.write("plain", "5\n7\n")
        for words in (["sssp", "n.meg", "-q", "-o", "o.tsv", "--sources"], ["betweenness", "n.meg", "-q", "-o", "o.tsv", "--source-list"],
                      ["sssp", "n.meg", "--sources", "plain", "-q", "-o", "o.tsv", "--targets"],
                      ["path", "n.meg", "--from", 1, "-q", "-o", "o.tsv", "--to-file"]):
            found = []
            for name in ("plain", "list"):
                self.good(*words, name)
                with open(self.path("o.tsv"), "rb") as file:
                    found.append(file.read())
            self.assertEqual(*found, words)
        # One table of pairs serves both ends of a matrix; its column names are the ids.
        self.write("both.csv", "source,target\n1,5\n3,7\n")
        self.good("sssp", "n.meg", "--sources", "both.csv", "--targets", "both.csv", "-q", "-o", "o.csv")
        with open(self.path("o.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "source,5,7\n1,4,6\n3,2,4\n")
        for head in ("src;dst", "u;v", "parent;child", "from;to"):
            self.write("both.csv", head + "\n1;5\n3;7\n")
            self.good("sssp", "n.meg", "--sources", "both.csv", "--targets", "both.csv", "-q", "-o", "o.tsv")
            with open(self.path("o.tsv"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "source\t5\t7\n1\t4\t6\n3\t2\t4\n")


class Pairs(Lists):
    def pairs(self, graph, text, *words, **more):
        """The ends of each question, its answer's cost, and what is said."""
        name = "-" if more else self.write("pairs", text)
        result = self.run_it("path", graph, "--pairs", name, "--costs", "--json", *words, **more)
        if result.returncode:
            return result.returncode, result.stderr.decode()
        found = [json.loads(line) for line in result.stdout.splitlines()]
        return [(row["from"], row["to"], row["cost"]) for row in found], result.stderr.decode()

    def test_forms(self):
        want = [(1, 5, 4), (3, 7, 4), (7, 1, None)]
        for gap in (" ", "\t", ",", ";", "|", " , ", "   "):
            rows = "".join(f"{a}{gap}{b}\n" for a, b, _ in want)
            for head in ("", *(f"{a}{gap}{b}\n" for a, b in (("from", "to"), ("source", "target"), ("Source", "Target"),
                                                             ("u", "v"), ("node_1", "node_2"), ("origin", "destination")))):
                text = "# pairs\n" + head + rows
                self.assertEqual(self.pairs("n.meg", text), (want, ""), text)
                self.assertEqual(self.pairs("n.meg", text.replace("\n", "\r\n"))[0], want)
                self.assertEqual(self.pairs("n.meg", "\ufeff" + text)[0], want)
                self.assertEqual(self.pairs("n.meg", gzip.compress(text.encode()))[0], want)
                self.assertEqual(self.pairs("n.meg", "", stdin=text.encode())[0], want)
            found, said = self.pairs("n.meg", f"Von{gap}Nach\n" + rows)
            self.assertEqual(found, want)
            self.assertIn("is taken for a header that names no from and to; ids are read from the first columns.", said)
        self.assertEqual(self.pairs("n.meg", "k,target,source\n,5,1\n,7,3\n,1,7\n")[0], want)
        self.assertEqual(self.pairs("n.meg", ",from,to\n0,1,5\n1,3,7\n2,7,1\n")[0], want)
        self.assertEqual(self.pairs("n.meg", "\n".join(json.dumps({"from": a, "to": b}) for a, b, _ in want))[0], want)
        self.assertEqual(self.pairs("n.meg", gzip.compress(b'{"from": 1, "to": 5}\r\n'))[0], want[:1])

    def test_names(self):
        rng = random.Random(3)
        for gap in (" ", "\t", ",", ";", "|"):
            chosen = [rng.sample(range(len(CITIES)), 2) for _ in range(20)]
            text = "".join(f"{quoted(CITIES[a])}{gap}{quoted(CITIES[b])}\n" for a, b in chosen)
            want = [(CITIES[a], CITIES[b], b - a if b > a else None) for a, b in chosen]
            self.assertEqual(self.pairs("g.meg", text), (want, ""), gap)
            self.assertEqual(self.pairs("g.meg", f"to{gap}from\n" + text), ([(b, a, None if (CITIES.index(a) < CITIES.index(b)) else
                             CITIES.index(a) - CITIES.index(b)) for a, b, _ in want], ""), gap)
        self.assertEqual(self.pairs("g.meg", "New York\tKöln\nx\tvertex\n")[0], [("New York", "Köln", 4), ("x", "vertex", 8)])

    def test_limits(self):
        self.write("d.wel", "1 2 9\n1 3 1\n3 2 1\n")
        for gap in (" ", "\t", ",", ";", "|"):
            want = [(1, 2, 9), (1, 2, 2), (1, 2, None)]
            settings = "".join(f"1{gap}2{gap}{more}\n" for more in ("max-hops=1", f"max-hops=2{gap}k=1 algorithm=dijkstra".replace("k=1 ", ""),
                                                                   f"max-cost=1{gap}timeout=9"))
            self.assertEqual(self.pairs("d.wel", settings)[0], want, settings)
            if gap == " ":
                continue
            rows = "".join(f"1{gap}2{gap}{more}\n" for more in (f"1{gap}", f"2{gap}", f"{gap}1"))
            self.assertEqual(self.pairs("d.wel", f"from{gap}to{gap}max_hops{gap}max-cost\n" + rows)[0], want)

    def test_wrong(self):
        for text, part in (("1\n", "pairs:1: give two ids a line, with a tab"), ("1,2,3\n", "pairs:1: give two ids a line"),
                           ("1;\n", "pairs:1: give two ids a line"), ("from;to\n1;\n", "pairs:2: give both ids, from and to"),
                           ("source,target,len\n1,2,3\n", 'pairs:1: pairs have no "len"'),
                           ('from,to\n"1,2\n', "pairs:2: a quoted field does not end"),
                           ("1 2 hops=3\n", 'pairs:1: pairs have no "hops"'), ("1 2 k=1 k=2\n", "pairs:1: k comes twice"),
                           ("1 2 max-hops=" + "9" * 50 + "\n", "pairs:1: max-hops is longer than any value is"),
                           ("1\t2\n1\t99\n", "pairs:2: no vertex has the id 99"), ("a,b\n", "pairs:1: no vertex has the id 'a'"),
                           ("from,to," + ",".join(["k"] * 90) + "\n1,2\n", "pairs:1: there are 92 columns")):
            self.assertEqual(self.pairs("n.meg", text)[0], 3, text)
            self.assertIn(part, self.pairs("n.meg", text)[1], text)


if __name__ == "__main__":
    main()
