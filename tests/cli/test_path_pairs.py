"""Many questions of path: several targets, and files of pairs in all their forms, each pair with limits of its own."""
import ast
import csv
import gzip
import io
import json
import random
import struct

from harness import Case, main

# Directed, weighted. From 1 to 4: by 2 for 5, by 3 and 8 for 6, by 6 and 9 for 3; then on to 5.
TOWN = "1 2 4\n1 3 1\n2 4 1\n3 8 3\n8 4 2\n4 5 1\n1 6 1\n6 9 1\n9 4 1\n7 1 1\n"


class Many(Case):
    def setUp(self):
        super().setUp()
        self.write("town.wel", TOWN)
        self.good("build", "town.wel", "-q", "-o", "town.meg")

    def lines(self, *words, **more):
        return [json.loads(line, parse_constant=self.fail) for line in self.good("path", *words, **more).splitlines()]

    def ways(self, *words, **more):
        return [[path["vertices"] for path in line["paths"]] for line in self.lines("town.meg", *words, "--json", **more)]

    def pairs(self, text, *words):
        return self.ways("--pairs", self.write("pairs", text), *words)


class Costs(Many):
    PAIRS = "1 4\n1 7\n4 1\n1 5\n7 5\n1 4\n6 6\n"
    WANT = [["1", "4", "3"], ["1", "7", "inf"], ["4", "1", "inf"], ["1", "5", "4"], ["7", "5", "5"], ["1", "4", "3"], ["6", "6", "0"]]

    def rows(self, text, gap="\t"):
        head, *rows = [line.split(gap) for line in text.splitlines()]
        self.assertEqual(head, ["from", "to", "cost"])
        return rows

    def test_forms(self):
        self.write("pairs", self.PAIRS)
        words = ["path", "town.meg", "--pairs", "pairs", "--costs"]
        self.assertEqual(self.rows(self.run_it(*words).stdout.decode()), self.WANT)
        for more in ([], ["--index"], ["--threads", 3], ["--algorithm", "dijkstra"], ["--algorithm", "bidirectional"], ["--check"]):
            self.good(*words, *more, "-q", "-o", "c.csv")
            with open(self.path("c.csv"), encoding="utf-8") as file:
                self.assertEqual(self.rows(file.read(), ","), self.WANT, more)
        facts = self.json(*words, "-o", "c.npy")
        self.assertEqual((facts["questions"], facts["without_path"], facts["file"]), (7, 2, "c.npy"))
        with open(self.path("c.npy"), "rb") as file:
            data = file.read()
        head = ast.literal_eval(data[10:10 + data[8] + 256 * data[9]].decode())
        self.assertEqual(head, {"descr": [("from", "<u8"), ("to", "<u8"), ("cost", "<u8")], "fortran_order": False, "shape": (7,)})
        found = struct.unpack("<21Q", data[10 + data[8] + 256 * data[9]:])
        self.assertEqual([str(x) for x in found], [cell.replace("inf", str(2**64 - 1)) for row in self.WANT for cell in row])
        lines = [json.loads(line) for line in self.good(*words, "--json").splitlines()]
        self.assertEqual([(line["from"], line["to"], line["cost"]) for line in lines],
                         [(int(a), int(b), None if c == "inf" else int(c)) for a, b, c in self.WANT])
        self.assertRegex(self.good(*words, "-o", "c.tsv"), "^5 costs for 7 pairs, 2 without one by ")

    def test_limits_and_targets(self):
        self.write("pairs", "1 4 max-hops=2\n1 4 max-cost=2.5\n1 4\n1 5 algorithm=tree\n")
        text = self.run_it("path", "town.meg", "--pairs", "pairs", "--costs", "-q").stdout.decode()
        self.assertEqual([row[2] for row in self.rows(text)], ["5", "inf", "3", "4"])
        text = self.run_it("path", "town.meg", "--from", 1, "--to", 4, "--to", 7, "--costs").stdout.decode()
        self.assertEqual(self.rows(text), [["1", "4", "3"], ["1", "7", "inf"]])

    def test_names_and_fractions(self):
        self.write("n.csv", 'from,to,cost\n"a,b","New York",0.25\n"New York",c\\d,0.5\n')
        self.write("pairs.csv", 'from,to\n"a,b",c\\d\nc\\d,"a,b"\n')
        self.good("path", "n.csv", "--pairs", "pairs.csv", "--costs", "-q", "-o", "c.csv")
        with open(self.path("c.csv"), newline="", encoding="utf-8") as file:
            self.assertEqual(list(csv.reader(file)), [["from", "to", "cost"], ["a,b", "c\\d", "0.75"], ["c\\d", "a,b", "inf"]])
        self.good("path", "n.csv", "--pairs", "pairs.csv", "--costs", "-q", "-o", "c.tsv.gz")
        with gzip.open(self.path("c.tsv.gz"), "rt", encoding="utf-8") as file:
            self.assertEqual(self.rows(file.read()), [["a,b", "c\\\\d", "0.75"], ["c\\\\d", "a,b", "inf"]])
        self.good("path", "n.csv", "--pairs", "pairs.csv", "--costs", "-q", "-o", "c.npy")
        with open(self.path("c.npy"), "rb") as file:
            self.assertTrue(file.read().endswith(struct.pack("<8s8sd8s8sd", b"a,b", b"c\\d", 0.75, b"c\\d", b"a,b", float("inf"))))

    def test_wrong(self):
        self.write("pairs", "1 4\n")
        words = ["path", "town.meg", "--pairs", "pairs", "--costs"]
        self.bad(2, "--lines is about paths, and --costs gives none", *words, "--lines")
        self.bad(2, "--geojson is about paths", *words, "--geojson", "x.geojson")
        self.bad(2, "--costs is for one cheapest path: --algorithm simple is not one of", *words, "--algorithm", "simple")
        self.bad(2, "this table is written as .tsv or .csv", *words, "-o", "x.jsonl")
        self.bad(2, "this table is written as .tsv or .csv", *words, "-o", "x.bin")
        self.bad(3, "more:1: the algorithm yens: costs alone are those of one cheapest path",
                 "path", "town.meg", "--costs", "--pairs", self.write("more", "1 4 algorithm=yens k=2\n"))


class Targets(Many):
    def test_several(self):
        found = self.lines("town.meg", "--from", 1, "--to", 4, "--to", 7, "--to", 5, "--to", 1, "--json")
        self.assertEqual([(line["question"], line["from"], line["to"], line["path_count"]) for line in found],
                         [(0, 1, 4, 1), (1, 1, 7, 0), (2, 1, 5, 1), (3, 1, 1, 1)])
        self.assertEqual(found[2]["paths"][0]["vertices"], [1, 6, 9, 4, 5])
        text = self.good("path", "town.meg", "--from", 1, "--to", 4, "--to", 7)
        self.assertIn("1 → 6 → 9 → 4 (cost 3, 3 hops)\nno path from 1 to 7\n1 path for 2 pairs, 1 without one by ", text)

    def test_one_is_one(self):
        facts = self.json("path", "town.meg", "--from", 1, "--to", 4)
        self.assertEqual(facts["graph"], "town.meg")
        self.assertNotIn("question", facts)

    def test_file(self):
        self.write("targets", "# home\n 4 \n\n5\n")
        self.assertEqual(self.ways("--from", 1, "--to-file", "targets"), [[[1, 6, 9, 4]], [[1, 6, 9, 4, 5]]])
        self.assertEqual(self.ways("--from", 1, "--to", 3, "--to-file", "-", stdin=b"2\n"), [[[1, 3]], [[1, 2]]])
        self.bad(3, "targets:2: no vertex has the id 77", "path", "town.meg", "--from", 1, "--to-file", self.write("targets", "4\n77\n"))
        self.bad(2, "leave --to-file out", "path", "town.meg", "--pairs", "p", "--to-file", "targets")
        self.bad(2, "path needs --to ID, --to-file FILE or --pairs FILE", "path", "town.meg", "--from", 1)
        self.bad(2, "only once", "path", "-", "--from", 1, "--to-file", "-")

    def test_limits_hold_for_each(self):
        self.assertEqual(self.ways("--from", 1, "--to", 4, "--to", 5, "--max-hops", 2), [[[1, 2, 4]], []])
        self.assertEqual(self.ways("--from", 1, "--to", 4, "--to", 5, "--k", 2),
                         [[[1, 6, 9, 4], [1, 2, 4]], [[1, 6, 9, 4, 5], [1, 2, 4, 5]]])

    def test_tree(self):
        """Every target of a street grid, by one tree: the costs of sssp, and checked."""
        self.good("gen", "grid", "--width", 30, "--height", 30, "-q", "-o", "grid.meg")
        self.good("sssp", "grid.meg", "--source", 17, "-q", "-o", "far.tsv")
        with open(self.path("far.tsv")) as file:
            far = {int(row["vertex"]): row["distance"] for row in csv.DictReader(file, delimiter="\t")}
        ids = list(far)
        random.Random(2).shuffle(ids)
        self.write("targets", "".join(f"{v}\n" for v in ids))
        for words in [[], ["--algorithm", "tree"], ["--threads", 1]]:
            found = self.lines("grid.meg", "--from", 17, "--to-file", "targets", "--json", *words)
            self.assertEqual([line["to"] for line in found], ids)
            self.assertEqual({line["algorithm"] for line in found}, {"tree"})
            for line in found:
                self.assertEqual([path["cost"] for path in line["paths"]], [] if far[line["to"]] == "inf" else [int(far[line["to"]])])
        text = self.good("path", "grid.meg", "--from", 17, "--to-file", "targets", "--check", "--max-cost", 900000, "-o", "o.csv")
        self.assertIn(" by tree: ", text)
        self.assertIn("checked", text)
        # The same source, line after line; then others, one by one.
        self.write("pairs", "".join(f"17 {v}\n" for v in ids) + "".join(f"{v} 17\n" for v in ids[:20]))
        found = self.lines("grid.meg", "--pairs", "pairs", "--json")
        self.assertEqual({line["algorithm"] for line in found[:len(ids)]}, {"tree"})
        self.assertNotIn("tree", {line["algorithm"] for line in found[len(ids):]})
        self.assertIn(" by several algorithms: ", self.good("path", "grid.meg", "--pairs", "pairs", "-o", "o.csv"))
        self.assertEqual(self.json("path", "grid.meg", "--pairs", "pairs", "-o", "o.csv")["algorithm"], "several")


class OwnLimits(Many):
    WANT = [[[1, 6, 9, 4]], [[1, 2, 4]], [], [[1, 6, 9, 4, 5], [1, 2, 4, 5]], [[1, 2, 4]]]

    def test_header(self):
        for gap in ["\t", ",", " , "]:
            rows = [["from", "to", "max-hops", "max_cost", "k", "algorithm"], ["1", "4", "", "", "", ""], ["1", "4", "2", "", "", ""],
                    ["1", "4", "2", "4.5", "", ""], ["1", "5", "", "", "2", "yens"], ["1", "4", "", "", "", "shortest"]]
            self.assertEqual(self.pairs("# all of it\n\n" + "\n".join(gap.join(row) for row in rows)), self.WANT, gap)
        self.assertEqual(self.pairs("\ufefffrom,to,limit,algorithm\r\n1,4,1,simple\r\n1,5\r\n"), [[[1, 2, 4]], [[1, 6, 9, 4, 5]]])
        self.assertEqual(self.pairs("from to k\n1 5 1\n1  4\n"), [[[1, 6, 9, 4, 5]], [[1, 6, 9, 4]]])

    def test_words(self):
        text = "1\t4\n1 4 max-hops=2\n1\t4\tmax-hops=2 max_cost=4.5\n1 5 k=2\n 1  4   algorithm=shortest  \n"
        self.assertEqual(self.pairs(text), self.WANT)

    def test_objects(self):
        text = ('{"from": 1, "to": 4}\n{"from": "1", "to": 4, "max_hops": 2}\n{"from": 1, "to": 4, "max_hops": "2", "max-cost": 4.5, "k": null}\n'
                '{"from": 1, "to": 5, "k": 2}\n{"to": 4, "from": 1, "algorithm": "shortest"}\n')
        self.assertEqual(self.pairs(text), self.WANT)

    def test_large_ids(self):
        """Whole numbers that readers of JSON cannot hold are ids, to the last digit; others are not there."""
        top = 2**64 - 1
        self.write("large.el", f"{top} {top - 1}\n{top - 1} {2**63}\n{2**63} {2**63 - 1}\n{2**63 - 1} 5\n")
        self.good("build", "large.el", "-q", "-o", "large.meg")
        for start, end in [(top, 5), (top, 2**63), (2**63, 2**63 - 1), (2**63 - 1, 5)]:
            for text in [f'{{"from": {start}, "to": {end}}}', f'{{"from":"{start}","to":{end},"limit":{top}}}']:
                line, = self.lines("large.meg", "--pairs", self.write("pairs", text + "\n"), "--json")
                self.assertEqual((line["from"], line["to"], line["path_count"]), (start, end, 1))
        self.write("signed.el", f"{-2**63} -1\n-1 {2**63 - 1}\n")
        self.good("build", "signed.el", "-q", "-o", "signed.meg")
        line, = self.lines("signed.meg", "--pairs", self.write("pairs", f'{{"from": {-2**63}, "to": {2**63 - 1}}}\n'), "--json")
        self.assertEqual(line["paths"][0]["vertices"], [-2**63, -1, 2**63 - 1])
        # Names of any length, also such as look like numbers between quotes, keep theirs.
        self.write("names.el", f'x"{top}\t{10**40}\n')
        self.good("build", "names.el", "-q", "-o", "names.meg")
        line, = self.lines("names.meg", "--pairs", self.write("pairs", f'{{"from": "x\\"{top}", "to": {10**40}}}\n'), "--json")
        self.assertEqual((line["from"], line["to"]), (f'x"{top}', str(10**40)))
        for graph, wrong in [("large.meg", -1), ("large.meg", -2**63), ("large.meg", 2**64), ("large.meg", 10**30), ("large.meg", -10**30),
                             ("signed.meg", 2**63), ("signed.meg", top), ("signed.meg", -2**63 - 1)]:
            for text in [f'{{"from": {wrong}, "to": 5}}', f'{{"from": {5 if graph == "large.meg" else -1}, "to": {wrong}}}']:
                sentence = self.bad(3, f"{wrong}", "path", graph, "--pairs", self.write("pairs", text + "\n"))
                self.assertIn("pairs:1: ", sentence)
        for text in ["0" * 25, "-" + "0" * 25, "1" * 25 + "x", "1" * 20 + ".", "1-" + "1" * 20]:
            self.bad(3, "pairs:1: this is no JSON object", "path", "large.meg", "--pairs", self.write("pairs", f'{{"from": {text}, "to": 5}}\n'))

    def test_own_ones_come_first(self):
        self.assertEqual(self.pairs("1 4\n1 4 max-hops=3\n", "--max-hops", 2), [[[1, 2, 4]], [[1, 6, 9, 4]]])
        self.assertEqual(self.pairs("1 4\n1 4 k=1\n1 4 algorithm=shortest\n", "--k", 2), [[[1, 6, 9, 4], [1, 2, 4]], [[1, 6, 9, 4]], [[1, 2, 4]]])
        text = self.good("path", "town.meg", "--max-cost", 99, "--pairs", self.write("pairs", "1 5 max-hops=2 max-cost=1.5\n"), "-q")
        self.assertEqual(text, "no path from 1 to 5 of at most 2 hops and a cost of at most 1.5\n")

    def test_time(self):
        self.write("clique.el", "".join(f"{a} {b}\n" for a in range(30) for b in range(30) if a != b))
        self.write("pairs", "0 1 timeout=0.03\n0 1 max-hops=1\n0 1 limit=2\n")
        found = self.lines("clique.el", "--algorithm", "simple", "--pairs", "pairs", "--json")
        self.assertEqual([line["end"] for line in found], ["timeout", "complete", "limit"])
        text = self.good("path", "clique.el", "--algorithm", "simple", "--pairs", "pairs", "-q")
        self.assertIn("\nthere may be more paths from 0 to 1: the time of 0.03 s is over\n0 → 1 (1 hop)\n", text)

    def test_names(self):
        names = ["New York", 'a "b"', "c,d", "from", "to=x"]
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["from", "to"])
        writer.writerows(zip(names, names[1:]))
        self.write("n.csv", text.getvalue())
        self.good("build", "n.csv", "--ids", "string", "-q", "-o", "n.meg")
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerows([["from", "to", "max-hops"], [names[0], names[2], 5], [names[1], names[3], ""], [names[3], names[4], 1]])
        want = [[names[:3]], [names[1:4]], [names[3:]]]
        tabs = "from\tto\n" + "\t".join(names[0:3:2]) + "\n" + f'"a ""b"""\tfrom\nfrom\tto=x\n'
        objects = "".join(json.dumps({"from": a, "to": b}) + "\n" for a, b in [(names[0], names[2]), (names[1], names[3]), (names[3], names[4])])
        for form in [text.getvalue(), tabs, objects, "New York\tc,d\tmax-hops=9\na \"b\"\tfrom\nfrom to=x\n"]:
            found = self.lines("n.meg", "--pairs", self.write("pairs", form), "--json")
            self.assertEqual([[path["vertices"] for path in line["paths"]] for line in found], want, form)

    def test_wrong(self):
        head = "from,to,max-hops\n"
        for text, part in [
                ("1 2 3\n", "pairs:1: give two ids a line, with a tab"), ("1\t\tk=3\n", "pairs:1: give two ids"), ("\t1\n", "pairs:1: give two ids"),
                ("1 4 hops=3\n", 'pairs:1: pairs have no "hops"; they have from, to, algorithm, k, max-hops'),
                ("1 4 from=3\n", "pairs:1: from comes twice"), ("1 4 k=1 k=2\n", "pairs:1: k comes twice"),
                ("1 4\n1 4 max-hops=x\n", "pairs:2: max-hops x: give a whole number of at least 1"),
                ("1 4 max-cost=-1\n", "pairs:1: max-cost -1: give a number, not negative"),
                ("1 4 timeout=0\n", "pairs:1: timeout 0: give a number of seconds above 0"), ("1 4 limit=0\n", "pairs:1: limit 0: give"),
                ("1 4 algorithm=magic\n", "pairs:1: algorithm magic: give auto, dijkstra"),
                ("1 4 algorithm=simple k=2\n", "pairs:1: k is for algorithm yens"),
                ("1 4 k=1\n1 4 algorithm=all\n", "pairs:2: all paths can be more than anyone can wait for: give max-hops"),
                (head, "pairs has no pairs below its header"), (head + "1,4,1,9\n", "pairs:2: there are more fields"),
                (head + ",4,1\n", "pairs:2: give both ids"), (head + "1\n", "pairs:2: give both ids"),
                (head + '"1,4\n', "pairs:2: a quoted field does not end"), (head + '"1"2,4\n', "pairs:2: a quoted field does not end"),
                (head + "\n1,99\n", "pairs:3: no vertex has the id 99"), ("from,to,speed\n1,4,3\n", 'pairs:1: pairs have no "speed"'),
                ("from,to,k,k\n", "pairs:1: k comes twice"), ('{"from": 1}\n', "pairs:1: give both ids"),
                ('{"from": 1, "to": 4}\n1 4\n', "pairs:2: this is no JSON object"), ('{"from": 1, "to": 4\n', "pairs:1: this is no JSON object"),
                ('{"from": 1, "to": [4]}\n', "pairs:1: to is neither a text nor a number"), ('{"from": 1, "from": 1}\n', "pairs:1: this is no JSON object"),
                ('{"from": 1, "to": 4, "max_hops": 1, "max-hops": 2}\n', "pairs:1: max-hops comes twice"),
                ('{"from": 1, "to": 4, "hops": 2}\n', 'pairs:1: pairs have no "hops"'), ('{"from": 1, "to": 4, "k": -2}\n', "pairs:1: k -2: give")]:
            self.bad(3, part, "path", "town.meg", "--pairs", self.write("pairs", text))
        self.bad(3, "pairs:1: k is for algorithm yens", "path", "town.meg", "--algorithm", "simple", "--limit", 3, "--pairs",
                 self.write("pairs", "1 4 k=2\n"))


if __name__ == "__main__":
    main()
