"""The table of the highest, and --top: against the rows of -o, sorted here."""
import collections
import random
import re

from harness import VERBS, Case, main

GROUPS = "components", "communities"


class Top(Case):
    def columns(self):
        """Every verb that has --top, and its column."""
        found = {}
        self.write("one.el", "1 2\n")
        for verb in VERBS:
            if verb != "overview" and re.search(r"--top\b", self.good("help", verb)):  # which has no rows
                [column] = self.json(verb, "one.el", "-o", "one.tsv")["columns"]
                found[verb] = column["name"]
        self.assertGreater(len(found), 4)
        return found

    def want(self, verb, graph, most):
        """Highest first, equal ones in the user's order, which is that of the rows."""
        self.good(verb, graph, "-q", "-o", "all.tsv")
        with open(self.path("all.tsv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file][1:]
        if verb in GROUPS:
            sizes = collections.Counter(row[1] for row in rows)
            found = [(sizes[vertex], vertex) for vertex, _ in rows if vertex in sizes]
        else:
            found = [(float(value), vertex) for vertex, value in rows]
        return sorted(found, key=lambda item: -item[0])[:most]

    def got(self, verb, graph, *words):
        key, value = (self.column[verb], "size") if verb in GROUPS else ("vertex", self.column[verb])
        return [(item[value], str(item[key])) for item in self.json(verb, graph, *words)["top"]]

    def test_against_all_rows(self):
        noise = random.Random(10)
        self.column = self.columns()
        for ids in (range(60), range(-30, 30), [f"town {i}" for i in range(60)]):
            ids = list(ids)
            noise.shuffle(ids)
            lines = [f"{noise.choice(ids)}\t{noise.choice(ids)}\n" for _ in range(70)]
            self.write("g.el", "".join(lines))
            for verb in self.column:
                for most in (1, 3, 7, 30, 1000):
                    with self.subTest(verb=verb, most=most):
                        want = self.want(verb, "g.el", most)
                        self.assertEqual(self.got(verb, "g.el", "--top", most), want)
                self.assertEqual(self.got(verb, "g.el"), self.want(verb, "g.el", 10))
                self.assertEqual(self.got(verb, "g.el", "--top", 0), [])
                if verb in ("pagerank", "components"):
                    self.assertEqual([v for _, v in self.got(verb, "g.el", "--engine", "cluster")],
                                     [v for _, v in self.want(verb, "g.el", 10)])

    def test_screen(self):
        self.write("g.csv", "source,target\nb,a\nc,a\nd\x1b[31m,e\n")
        text = self.good("components", "g.csv", "--top", 9)
        self.assertIn('         size  component\n            3  "b"\n            2  "d\\x1B[31m"\n', text)
        self.assertNotIn("component\n", self.good("components", "g.csv", "--top", 0))
        self.assertEqual(self.good("components", "g.csv", "-q"), "")
        self.write("none.el", "")
        for verb in self.columns():
            self.assertEqual(self.json(verb, "none.el", "-q")["top"], [])


if __name__ == "__main__":
    main()
