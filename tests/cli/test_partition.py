"""meguri partition: every vertex in one part, every edge once, a proxy for every end elsewhere, few edges cut."""
import csv
import os
import resource

from harness import Case, main


class Partition(Case):
    def parts(self, folder, count):
        """Vertices, proxies and relationships of each part."""
        found = []
        self.assertEqual(sorted(os.listdir(self.path(folder))), sorted(f"part-{k}" for k in range(count)))
        for k in range(count):
            place = self.path(f"{folder}/part-{k}")
            self.assertEqual(sorted(os.listdir(place)), ["nodes.csv", "relationships.csv"])
            rows = []
            for name in ("nodes.csv", "relationships.csv"):
                with open(os.path.join(place, name), encoding="utf-8", newline="") as file:
                    rows.append(list(csv.DictReader(file)))
            nodes = {row["uid:ID"]: row for row in rows[0]}
            self.assertEqual(len(nodes), len(rows[0]), "an id twice in one database")
            vertices = {i for i, row in nodes.items() if row[":LABEL"] == "Vertex"}
            proxies = {i for i, row in nodes.items() if row[":LABEL"] == "Proxy"}
            self.assertEqual(vertices | proxies, set(nodes))
            found.append((vertices, proxies, rows[1], nodes))
        return found

    def check(self, folder, count, info):
        """What holds for all; returns all relationships."""
        parts = self.parts(folder, count)
        everything = [i for vertices, _, _, _ in parts for i in vertices]
        self.assertEqual(len(everything), len(set(everything)), "a vertex in two parts")
        cut = 0
        for vertices, proxies, rows, _ in parts:
            ends = {row[":END_ID"] for row in rows}
            self.assertLessEqual({row[":START_ID"] for row in rows}, vertices)
            self.assertLessEqual(ends, vertices | proxies)
            self.assertEqual(ends - vertices, proxies)
            cut += sum(row[":END_ID"] in proxies for row in rows)
        sizes = [len(part[0]) for part in parts]
        self.assertEqual((info["least_vertices"], info["most_vertices"]), (min(sizes), max(sizes)))
        self.assertEqual(info["cut_edges"], cut)
        self.assertEqual(info["proxies"], sum(len(part[1]) for part in parts))
        rows = [row for part in parts for row in part[2]]
        self.assertEqual(info["edges"], len(rows))
        return set(everything), rows

    def test_many_parts_are_read_back(self):
        """Whether the nodes beside a file are named, too, is not asked of each file for each other."""
        count = 3000
        for part in range(count):
            os.mkdir(self.path(f"part-{part}"))
            self.write(f"part-{part}/nodes.csv", f"uid:ID,:LABEL\n{part},Vertex\n")
            self.write(f"part-{part}/relationships.csv", f":START_ID,:END_ID,:TYPE\n{part},{part},R\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = self.json("build", *(f"part-{part}/relationships.csv" for part in range(count)), "--keep-loops", "-o", "p.meg")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual((found["vertices"], found["edges"]), (count, count))
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 4)  # 10 and more before
        self.write("more.csv", "uid:ID,:LABEL\n5000,Vertex\n")
        found = self.json("build", "part-1/relationships.csv", "part-1/nodes.csv", "part-2/relationships.csv", "more.csv", "--format", "neo4j",
                          "--keep-loops", "-o", "p.meg")  # what is named is read once
        self.assertEqual((found["vertices"], found["edges"]), (3, 2))

    def test_a_grid_is_cut_at_few_edges(self):
        self.good("gen", "grid", "--width", 60, "--height", 50, "-o", "g.meg", "--quiet")
        self.good("convert", "g.meg", "-o", "g.wel", "--quiet")
        with open(self.path("g.wel"), encoding="utf-8") as file:
            arcs = [line.split() for line in file]
        edges = sorted((a, b, float(w)) for a, b, w in arcs if int(a) <= int(b))
        cut = {}
        for way in ("locality", "random"):
            info = self.json("partition", "g.meg", "--parts", 4, "--cut", way, "-o", way)
            vertices, rows = self.check(way, 4, info)
            self.assertEqual(len(vertices), 3000)
            got = sorted((r[":START_ID"], r[":END_ID"], float(next(v for k, v in r.items() if k.startswith("weight")))) for r in rows)
            self.assertEqual(got, edges)
            self.assertEqual({row[":TYPE"] for row in rows}, {"EDGE"})
            self.assertLess(info["most_vertices"], 3000 / 4 * 1.06)
            cut[way] = info["cut_edges"]
        self.assertLess(cut["locality"], len(edges) * 0.12)
        self.assertGreater(cut["random"], len(edges) * 0.6)
        with open(self.path("locality/part-0/nodes.csv"), encoding="utf-8") as file:
            self.assertEqual(file.readline(), "uid:ID,:LABEL,x:double,y:double\n")

    def test_columns_types_and_names_that_need_quotes(self):
        self.write("t.csv", 'source,target,weight,id,type,toll\n"a, b",c,1,7,ROAD,0.5\nc,"say ""x""",2,8,RAIL,\n"a, b",c,1,9,ROAD,2\n'
                            'c,c,0,10,RAIL,1\n')
        self.good("build", "t.csv", "--columns", "id:id,type:type,toll", "--keep-duplicates", "--keep-loops", "-o", "t.meg", "--quiet")
        info = self.json("partition", "t.meg", "--parts", 3, "-o", "p")
        vertices, rows = self.check("p", 3, info)
        self.assertEqual(vertices, {"a, b", "c", 'say "x"'})
        got = sorted((int(r["id:long"]), r[":START_ID"], r[":END_ID"], r[":TYPE"], r["toll:double"]) for r in rows)
        self.assertEqual(got, [(7, "a, b", "c", "ROAD", "0.5"), (8, "c", 'say "x"', "RAIL", ""), (9, "a, b", "c", "ROAD", "2"),
                               (10, "c", "c", "RAIL", "1")])

    def test_one_part_and_more_parts_than_vertices(self):
        self.write("g.el", "1 2\n2 3\n9 9\n")
        self.assertEqual(self.json("partition", "g.el", "--parts", 1, "-o", "one")["cut_edges"], 0)
        info = self.json("partition", "g.el", "--parts", 9, "-o", "nine")
        vertices, _ = self.check("nine", 9, info)
        self.assertEqual(vertices, {"1", "2", "3"} if len(vertices) == 3 else {"1", "2", "3", "9"})

    def test_the_relationships_can_be_built_again(self):
        self.good("gen", "uniform", "--vertices", 50, "--edges", 300, "--weights", "u32", "-o", "u.meg", "--quiet")
        self.good("partition", "u.meg", "--parts", 2, "-o", "p", "--quiet")
        files = [f"p/part-{k}/relationships.csv" for k in range(2)]
        found = self.json("build", *files, "--columns", ":TYPE:type", "-o", "b.meg")
        self.assertEqual(found["edges"], self.json("info", "u.meg")["edges"])

    def cut(self, name, at):
        """A CSV file as three: its header, and the lines before and behind one; their names."""
        with open(self.path(name), encoding="utf-8") as file:
            head, *lines = file.readlines()
        base = name.replace("/", "-")[:-4]
        return [self.write(f"{base}{what}.csv", text) for what, text in
                (("-header", head), ("-1", "".join(lines[:at])), ("-2", "".join(lines[at:])))]

    def test_headers_in_files_of_their_own(self):
        """As neo4j-admin reads them: HEADER,FILE,FILE, or one after another."""
        self.good("gen", "grid", "--width", 12, "--height", 9, "-q", "-o", "g.meg")
        self.good("partition", "g.meg", "--parts", 1, "-q", "-o", "p")
        files = ["p/part-0/nodes.csv", "p/part-0/relationships.csv"]
        self.good("build", *files, "-q", "-o", "whole.csv.meg")
        nodes, roads = (self.cut(name, 40) for name in files)
        with open(self.path(roads[0]), encoding="utf-8") as head, open(self.path(roads[1]), encoding="utf-8") as first:
            self.write("roads.csv", head.read() + first.read())
        for words in ([",".join(nodes), ",".join(roads)], [*nodes, *roads], [",".join(roads), *nodes],
                      [",".join(nodes), f"roads.csv,{roads[2]}"]):
            self.good("build", *words, "-q", "-o", "b.meg")
            with open(self.path("b.meg"), "rb") as one, open(self.path("whole.csv.meg"), "rb") as other:
                self.assertEqual(one.read(), other.read(), words)
        self.write("a,b.csv", ":START_ID,:END_ID\n1,2\n")  # a comma in a name is none of a list
        self.assertEqual(self.json("build", "a,b.csv", "-o", "c.meg")["edges"], 1)
        self.good("convert", ",".join(roads), "-q", "-o", "r.wel")
        self.bad(2, "names none before or behind a comma", "build", "x.csv,", "-o", "c.meg")
        self.bad(2, "--format el", "build", ",".join(roads), "--format", "el", "-o", "c.meg")
        self.bad(3, "nowhere.csv", "build", f"{roads[0]},nowhere.csv", "-o", "c.meg")
        self.bad(2, f"{roads[2]} is an input", "build", ",".join(roads), "-o", roads[2])

    def test_refusals(self):
        self.write("g.el", "1 2\n")
        os.mkdir(self.path("full"))
        self.write("full/x", "")
        self.bad(2, "is not empty", "partition", "g.el", "--parts", 2, "-o", "full")
        self.bad(4, "cannot be used", "partition", "g.el", "--parts", 2, "-o", "g.el")
        self.bad(4, "cannot be made", "partition", "g.el", "--parts", 2, "-o", "no/where")
        self.bad(2, "--parts", "partition", "g.el", "--parts", 0, "-o", "p")
        self.bad(2, "--parts", "partition", "g.el", "-o", "p")
        self.assertNotIn("p", self.names())

    def test_failures(self):
        """Some parts are none: they are taken back, and the folder with them where it is new."""
        self.good("gen", "grid", "--width", 60, "--height", 60, "-q", "-o", "g.meg")
        os.mkdir(self.path("there"))
        self.good("partition", "g.meg", "--parts", 4, "-q", "-o", "whole")
        sizes = [os.path.getsize(self.path(f"whole/part-{k}/relationships.csv")) for k in range(4)]
        self.assertGreater(max(sizes), sizes[0])  # so that the last limit is met after a part was written
        for limit in (0, 4096, max(sizes) - 1):
            for folder in ("new", "there"):
                self.bad(4, "there is no room to write", "partition", "g.meg", "--parts", 4, "-o", folder,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertNotIn("new", self.names())
                self.assertEqual(os.listdir(self.path("there")), [])
        self.good("partition", "g.meg", "--parts", 4, "-q", "-o", "there")
        self.assertEqual(sorted(os.listdir(self.path("there"))), [f"part-{k}" for k in range(4)])


if __name__ == "__main__":
    main()
