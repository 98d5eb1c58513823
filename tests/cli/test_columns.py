"""Columns of edges from CSV: random tables are built into graphs, and what convert writes is compared with a slow model;
types, names, sentences."""
import csv
import itertools
import json
import random
import struct

from harness import Case, main

TYPES = ["ROAD", "RAIL", "a \"quoted\", name", "", "東"]
HEADER = ["toll", "source", "lanes", "weight", "id", "target", "kind", "note:string"]


def table(rng, vertices, edges, strings):
    rows = []
    for i in range(edges):
        ends = [rng.randrange(vertices) for _ in range(2)]
        if rng.random() < 0.1:
            ends[1] = ends[0]
        ends = [f"v {e}" if strings else str(e) for e in ends]
        rows.append([rng.choice(["", "1.5", "3", "0.1"]), ends[0], str(rng.randrange(256)), str(rng.randrange(4)),
                     str(2**64 - 1 - i), ends[1], rng.choice(TYPES), "x"])
    return rows


def model(rows, directed, keep_duplicates, keep_loops):
    """The arcs with their columns as convert writes them: sorted by ends, weight and place in the input."""
    arcs = []
    for i, (toll, source, lanes, weight, number, target, kind, _) in enumerate(rows):
        if source == target and not keep_loops:
            continue
        carried = (int(weight), i, [number, kind, lanes, toll])
        arcs.append((source, target, *carried))
        if not directed and source != target:
            arcs.append((target, source, *carried))
    arcs.sort(key=lambda arc: arc[:4])
    if not keep_duplicates:
        arcs = [next(group) for _, group in itertools.groupby(arcs, key=lambda arc: arc[:2])]
    return sorted((a, b, str(w), *carried) for a, b, w, _, carried in arcs)


class Columns(Case):
    def put(self, name, rows, header=HEADER):
        with open(self.path(name), "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([header, *rows])

    def text_of(self, name):
        with open(self.path(name), encoding="utf-8") as stream:
            return stream.read()

    def test_tables_come_back(self):
        rng = random.Random(5)
        for case in range(24):
            vertices, edges = rng.choice([(1, 3), (4, 60), (30, 200), (200, 9000)])
            rows = table(rng, vertices, edges, case % 3 == 0)
            half = rng.randrange(1, len(rows))
            self.put("a.csv", rows[:half])
            self.put("b.csv", rows[half:])
            flags = {"--undirected": case % 2, "--keep-duplicates": case // 2 % 2, "--keep-loops": case // 4 % 2}
            self.good("build", "a.csv", "b.csv", "--columns", "id:id,kind:type,lanes:u8,toll", "-o", "g.meg",
                        "--ids", "string" if case % 3 == 0 else "integer", "--threads", rng.choice("125"),
                        "--order", rng.choice(["degree", "bfs", "none"]), *[f for f, on in flags.items() if on])
            self.good("info", "--check", "g.meg")
            self.good("convert", "g.meg", "-o", "out.csv")
            with open(self.path("out.csv"), newline="", encoding="utf-8") as stream:
                header, *found = csv.reader(stream)
            self.assertEqual(header, ["source", "target", "weight", "id", "kind", "lanes", "toll"])
            on = list(flags.values())
            self.assertEqual(sorted(map(tuple, found)), model(rows, not on[0], on[1], on[2]), f"case {case}")

    def test_names_in_quotes(self):
        self.write("h.csv", 'source,target,"a,b",cost,"say ""x"":u8",weight\n1,2,3,4,5,6\n2,3,1,1,1,7\n')
        names = '"a,b":u16,"say ""x"":u8",weight'
        listed = [("a,b", "u16"), ('say "x":u8', "u8"), ("weight", "u8")]
        self.good("build", "h.csv", "--columns", names, "-q", "-o", "h.meg")
        self.assertEqual([(c["name"], c["type"]) for c in self.json("info", "h.meg")["columns"]], listed)
        for file, called in (("o.csv", "weight"), ("relationships.csv", "edge_weight")):
            result = self.run_it("convert", "h.meg", "-q", "-o", file)
            self.assertEqual(result.returncode, 0)
            self.good("build", file, "--columns", names.replace("weight", called), "-q", "-o", "back.meg")
            got = [(c["name"], c["type"]) for c in self.json("info", "back.meg")["columns"]]
            self.assertEqual(got[:3], listed[:2] + [(called, "u8")])
        self.assertIn('the column "weight" is called "weight:column" there', self.run_it("convert", "h.meg", "-o", "o.csv").stderr.decode())
        for wrong in ('"a,b', '"a,b"x', '"a,b":x', 'a,"b', '"'):
            self.bad(2, "double quotes go around a whole name", "build", "h.csv", "--columns", wrong, "-o", "x.meg")
        self.bad(2, "a name is missing", "build", "h.csv", "--columns", '""', "-o", "x.meg")

    def test_info_lists_them(self):
        self.put("a.csv", table(random.Random(1), 20, 500, False))
        self.good("build", "a.csv", "--columns", "id:id,kind:type,lanes,toll", "-o", "g.meg")
        facts = self.json("info", "g.meg")
        self.assertEqual([(c["name"], c["type"], c["kind"], c["names"]) for c in facts["columns"]],
                         [("id", "u64", "ids", 0), ("kind", "u8", "types", 5), ("lanes", "u8", "values", 0),
                          ("toll", "f64", "values", 0)])
        self.assertIn("columns    id (u64, ids), kind (u8, types, 5 names)", self.good("info", "g.meg"))

    def test_paths_show_them(self):
        rng = random.Random(9)
        rows = table(rng, 30, 70, False)
        self.put("a.csv", rows)
        for flags in [], ["--undirected"]:
            self.good("build", "a.csv", "--columns", "id:id,kind:type,toll", "-o", "g.meg", *flags)
            arcs = {arc[:2]: arc for arc in model(rows, not flags, False, False)}
            shown = 0
            for source, target in itertools.product(["0", "7", "13"], ["5", "22", "29"]):
                for path in self.json("path", "g.meg", "--from", source, "--to", target)["paths"]:
                    expected = [arcs[str(a), str(b)] for a, b in zip(path["vertices"], path["vertices"][1:])]
                    self.assertEqual(path["columns"], {"id": [int(arc[3]) for arc in expected],
                                                       "kind": [arc[4] for arc in expected],
                                                       "toll": [float(arc[6]) if arc[6] else None for arc in expected]})
                    lines = list(csv.reader(self.good("path", "g.meg", "--from", source, "--to", target,
                                                      "--csv").splitlines()))
                    self.assertEqual(lines[0][6:], ["id", "kind", "toll"])
                    self.assertEqual([line[6:8] for line in lines[1:]], [["", ""]] + [list(a[3:5]) for a in expected])
                    text = self.good("path", "g.meg", "--from", source, "--to", target)
                    for arc in expected:
                        self.assertIn(f"–[{arc[4]} {arc[3]}]→ {arc[1]}", text)
                    shown += path["hops"]
            self.assertGreater(shown, 5)

    def test_paths_show_those_that_are_chosen(self):
        self.write("a.csv", 'source,target,weight,road name,toll,kind,id,"a,b"\n'
                            '1,2,5,"Old ""High"" St",,RAIL,70,1\n2,3,1,"x,y",2.5,ROAD,71,2\n1,3,9,z,1,ROAD,72,3\n')
        self.good("build", "a.csv", "--columns", 'road name:type,toll,id:id,"a,b"', "--coords", self.write(
            "a.co", "v 1 0 0\nv 2 1 0\nv 3 2 0\n"), "-o", "g.meg")
        ask = ["path", "g.meg", "--from", "1", "--to", "3", "--with"]
        chosen = {"toll": [None, 2.5], "a,b": [1, 2]}
        self.assertEqual(list(self.json(*ask, 'toll,"a,b"')["paths"][0]["columns"].items()), list(chosen.items()))
        self.assertEqual(self.json(*ask, "id")["paths"][0]["columns"], {"id": [70, 71]})
        self.assertEqual(self.good(*ask, 'a,b'.join('""')).split(" (")[0], "1 –[a,b=1]→ 2 –[a,b=2]→ 3")
        self.assertEqual(self.good(*ask, "id,toll,road name").split(" (")[0],
                         '1 –[70 toll= Old "High" St]→ 2 –[71 toll=2.5 x,y]→ 3')
        self.good(*ask, "road name,toll", "-o", "p.csv", "--geojson", "p.geojson")
        rows = list(csv.reader(self.text_of("p.csv").splitlines()))
        self.assertEqual([row[6:] for row in rows], [["road name", "toll"], ["", ""], ['Old "High" St', ""],
                                                     ["x,y", "2.5"]])
        shape = json.loads(self.text_of("p.geojson"))["features"][0]["properties"]
        self.assertEqual(shape["columns"], {"road name": ['Old "High" St', "x,y"], "toll": [None, 2.5]})
        self.good(*ask, "id", "-o", "p.jsonl")
        self.assertEqual(json.loads(self.text_of("p.jsonl").splitlines()[0])["columns"], {"id": [70, 71]})
        self.bad(3, "have no column 'tol'; did you mean 'toll'", *ask, "tol")
        self.bad(2, "the column 'toll' is named twice", *ask, "toll,toll")
        self.bad(2, "a double quote is missing", *ask, '"toll')
        self.bad(2, "double quotes go around a whole name", *ask, '"to"ll')
        self.bad(2, "--with is about paths", *ask, "toll", "--costs")

    def test_paths_along_some_types(self):
        rng = random.Random(11)
        rows = table(rng, 25, 160, False)
        header = ["type" if name == "kind" else name for name in HEADER]
        self.put("a.csv", rows, header)
        self.good("build", "a.csv", "--columns", "id,type", "--keep-duplicates", "-o", "g.meg")
        self.assertEqual([(c["kind"], c["type"]) for c in self.json("info", "g.meg")["columns"]],
                         [("ids", "u64"), ("types", "u8")])
        found = 0
        for types in (["ROAD"], ["RAIL", ""], ["東", "ROAD", "RAIL"]):
            self.put("b.csv", [row for row in rows if row[6] in types] + [[*row[:6], "none", "x"] for row in
                     [["", str(v), "0", "0", "0", str(v), "", ""] for v in range(25)]], header)
            self.good("build", "b.csv", "--columns", "id,type", "--keep-duplicates", "-o", "some.meg")
            for algorithm in ("dijkstra", "bidirectional", "shortest", "all-shortest", "simple", "yens"):
                words = ["--from", "3", "--to", str(rng.randrange(25)), "--algorithm", algorithm]
                words += ["--max-hops", "3"] if algorithm == "simple" else []
                got = self.json("path", "g.meg", "--types", ",".join(types), "--check", *words)
                expected = self.json("path", "some.meg", *words)
                self.assertEqual(got["types"], types)
                self.assertEqual(len(got["paths"]), len(expected["paths"]))
                if algorithm in ("all-shortest", "simple"):
                    self.assertEqual(sorted(p["columns"]["id"] for p in got["paths"]),
                                     sorted(p["columns"]["id"] for p in expected["paths"]))
                for path in got["paths"]:
                    self.assertLessEqual(set(path["columns"]["type"]), set(types))
                    found += path["hops"]
        self.assertGreater(found, 20)
        self.good("index", "g.meg")
        run = self.run_it("path", "g.meg", "--from", "3", "--to", "4", "--types", "ROAD")
        self.assertEqual(run.returncode, 0)
        self.assertIn(b"the path index of the graph is for edges of all types, so it is not used", run.stderr)
        self.bad(3, "the type 'TRAM'; its types are '", "path", "g.meg", "--from", "3", "--to", "4", "--types",
                 "ROAD,TRAM")
        self.put("plain.csv", rows, header)
        self.bad(3, "have no types", "path", "plain.csv", "--from", "3", "--to", "4", "--types", "ROAD")

    def test_damage_is_called_so(self):
        """Not a graph without coordinates, which only maps need."""
        self.put("a.csv", table(random.Random(3), 25, 100, False))
        self.good("build", "a.csv", "--columns", "kind:type", "-o", "g.meg")
        with open(self.path("g.meg"), "rb") as file:
            data = bytearray(file.read())
        (sections,) = struct.unpack_from("<I", data, 112)
        table_of = {struct.unpack_from("<I", data, at)[0]: at for at in range(128, 128 + 40 * sections, 40)}
        (offset,) = struct.unpack_from("<Q", data, table_of[256] + 16)
        data[offset + 5] ^= 0xFF
        self.write("bad.meg", bytes(data))
        for form in ([], ["--json"], ["--lines"], ["-o", "p.csv"]):
            self.bad(3, "bad.meg is damaged", "path", "bad.meg", "--from", "3", "--to", "4", *form)
        self.bad(3, "no coordinates", "path", "g.meg", "--from", "3", "--to", "4", "--geojson", "p.geojson")

    def test_sentences(self):
        rows = table(random.Random(2), 5, 9, False)
        self.put("a.csv", rows)
        rows[4][2] = "300"
        rows[5][0] = "much"
        self.put("bad.csv", rows)
        with open(self.path("a.el"), "w", encoding="ascii") as stream:
            stream.write("0 1\n1 2\n")
        for words, code, piece in [
                (["a.csv", "--columns", "nothing"], 3, "there is no column 'nothing' among the 8 of the header."),
                (["a.csv", "--columns", "id:id,lanes:id"], 2, "both the ids of the edges"),
                (["a.csv", "--columns", "id,,kind"], 2, "a name is missing"),
                (["a.csv", "--columns", "id,id"], 2, "two columns of the edges have the name"),
                (["bad.csv", "--columns", "lanes:u8"], 3, "bad.csv:6: the value '300' of the column \"lanes\""),
                (["bad.csv", "--columns", "toll"], 3, "bad.csv:7: the value 'much' of the column \"toll\" is no number"),
                (["a.csv", "--columns", "kind:u8"], 3, "is no whole number"),
                (["a.el", "--columns", "id"], 3, "there is no column 'id'")]:
            self.bad(code, piece, "build", *words, "-o", "no.meg")

    def test_many_names(self):
        rows = [[str(i % 90), str(i % 89), f"n{i}"] for i in range(70000)]
        self.put("a.csv", rows, ["source", "target", "kind"])
        self.good("build", "a.csv", "--columns", "kind:type", "--keep-duplicates", "--keep-loops", "-o", "g.meg")
        self.good("info", "--check", "g.meg")
        self.assertEqual([(c["type"], c["names"]) for c in self.json("info", "g.meg")["columns"]], [("u32", 70000)])
        self.good("convert", "g.meg", "-o", "out.csv")
        with open(self.path("out.csv"), newline="", encoding="utf-8") as stream:
            self.assertEqual(sorted(row for row in csv.reader(stream)), sorted([["source", "target", "kind"], *rows]))

    def test_columns_as_weights(self):
        self.write("a.csv", "source,target,weight,minutes,toll,kind\n1,2,1,10,0.5,A\n2,3,1,10,0.5,B\n1,3,5,3,,A\n")
        self.good("build", "a.csv", "--columns", "minutes,toll,kind:type", "-o", "g.meg")
        for flags, distances in (([], "012"), (["--weight", "minutes"], ["0", "10", "3"])):
            self.good("sssp", "g.meg", "--source", "1", "--check", "-o", "d.csv", *flags)
            with open(self.path("d.csv"), newline="", encoding="utf-8") as stream:
                self.assertEqual([row[1] for row in csv.reader(stream)][1:], list(distances))
        path = ["path", "g.meg", "--from", "1", "--to", "3", "--check"]
        self.assertIn("(cost 2, 2 hops)", self.good(*path))
        self.assertIn("(cost 3, 1 hop)", self.good(*path, "--weight", "minutes"))
        self.good(*path[:-1], "--costs", "--weight", "minutes", "-o", "costs.csv")
        self.assertEqual(self.text_of("costs.csv").split(",")[-1].strip(), "3")
        self.bad(3, "the edges of this graph have no column 'minute'; did you mean 'minutes'?", *path, "--weight", "minute")
        self.bad(3, "of the edge from 1 to 3 it is missing", *path, "--weight", "toll")
        self.bad(2, "its values are not numbers", *path, "--weight", "kind")

    def test_types_and_missing_values(self):
        rng = random.Random(12)
        makers = {"i8": lambda: str(rng.randrange(-128, 128)), "i16": lambda: str(rng.randrange(-2**15, 2**15)),
                  "i32": lambda: str(rng.randrange(-2**31, 2**31)), "i64": lambda: str(rng.choice([-2**63, 2**63 - 1, -1])),
                  "u8": lambda: str(rng.randrange(256)), "u64": lambda: str(2**64 - 1 - rng.randrange(9)),
                  "boolean": lambda: rng.choice(["true", "false"]), "text": lambda: rng.choice(["a", "x, y", 'say "x"', "東"]),
                  "found": lambda: str(rng.randrange(1000, 2000))}
        for missing in (0, 0.3, 1):
            rows = [[str(i), str(i + 1), *[make() if rng.random() >= missing else "" for make in makers.values()]]
                    for i in range(700)]
            self.put("a.csv", rows, ["source", "target", *makers])
            names = ",".join(name if name == "found" else f"{name}:{name}" for name in makers)
            self.good("build", "a.csv", "--columns", names, "-o", "g.meg", "--threads", "2", "--order", "none")
            self.good("info", "--check", "g.meg")
            listed = [c["type"] for c in self.json("info", "g.meg")["columns"]]
            self.assertEqual(listed, [*list(makers)[:-1], "u8" if missing == 1 else "u16"])
            self.good("convert", "g.meg", "-o", "out.csv")
            with open(self.path("out.csv"), newline="", encoding="utf-8") as stream:
                _, *found = csv.reader(stream)
            self.assertEqual(found, rows)
            path = self.json("path", "g.meg", "--from", "3", "--to", "9")["paths"][0]["columns"]
            for place, name in enumerate(makers):
                kept = [row[2 + place] for row in rows[3:9]]
                real = [None if not v else v if name == "text" else json.loads(v) for v in kept]
                self.assertEqual(path[name], real, name)
        for kind, value in (("i8", "128"), ("i8", "-129"), ("u8", "-1"), ("i64", str(2**63)), ("boolean", "2"),
                            ("i32", "1.5")):
            self.write("b.csv", f"source,target,x\n1,2,{value}\n")
            self.bad(3, f"the value '{value}' of the column \"x\" is", "build", "b.csv", "--columns", f"x:{kind}", "-o", "x.meg")
        self.write("b.csv", "source,target,x\n1,2,4\n2,3,\n3,1,-6\n")
        self.good("build", "b.csv", "--columns", "x:i32", "-o", "g.meg")
        self.bad(3, "of the edge from 2 to 3 it is missing", "sssp", "g.meg", "--source", "1", "--weight", "x")

    def test_many_columns(self):
        rng = random.Random(3)
        names = [f"c{i}" for i in range(300)]
        rows = [[str(i), str(i + 1), *[str(rng.randrange(10**(c % 19))) for c in range(300)]] for i in range(40)]
        self.put("a.csv", rows, ["source", "target", *names])
        self.good("build", "a.csv", "--columns", ",".join(names), "-o", "g.meg")
        self.good("info", "--check", "g.meg")
        self.assertEqual([c["name"] for c in self.json("info", "g.meg")["columns"]], names)
        self.good("convert", "g.meg", "-o", "out.csv")
        with open(self.path("out.csv"), newline="", encoding="utf-8") as stream:
            header, *found = csv.reader(stream)
        self.assertEqual(header, ["source", "target", *names])
        self.assertEqual(sorted(found), sorted(rows))


if __name__ == "__main__":
    main()
