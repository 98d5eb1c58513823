"""The map of meguri report: paths of a trace or of GeoJSON as a picture, looked at as XML and in a browser."""
import json
import math
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as tree

from harness import MEGURI, SANITIZED, Case, default_signals, main
from test_report import Page
from test_report_page import Browser

SVG = "{http://www.w3.org/2000/svg}"

# A ladder of two streets in degrees near Heidelberg; the names want escaping.
PLACES = {"A & <b>": (8.60, 49.40), "up 1": (8.64, 49.43), "up 2": (8.70, 49.43), "\"B\" 駅": (8.75, 49.41), "low": (8.68, 49.38)}
EDGES = [("A & <b>", "up 1", 4), ("up 1", "up 2", 5), ("up 2", "\"B\" 駅", 3), ("A & <b>", "low", 7), ("low", "\"B\" 駅", 6.5),
         ("up 1", "low", 2)]


def haversine(points):
    """Kilometres along points of (longitude, latitude)."""
    total = 0
    for (x1, y1), (x2, y2) in zip(points, points[1:]):
        x1, y1, x2, y2 = map(math.radians, (x1, y1, x2, y2))
        h = math.sin((y2 - y1) / 2) ** 2 + math.cos(y1) * math.cos(y2) * math.sin((x2 - x1) / 2) ** 2
        total += 2 * 6371.0088 * math.asin(math.sqrt(h))
    return total


def feature(points, **properties):
    geometry = None if points is None else {"type": "LineString", "coordinates": points}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(*features):
    return json.dumps({"type": "FeatureCollection", "features": list(features)})


def points_of(data):
    """The points of the data of a path, of M and l alone, one list for each M."""
    lines = []
    for kind, numbers in re.findall(r"([Ml])([^Ml]*)", data):
        values = [int(n) for n in re.findall(r"-?\d+", numbers)]
        pairs = list(zip(values[::2], values[1::2]))
        assert len(values) % 2 == 0, data
        if kind == "M":
            lines.append(pairs)
        else:
            for x, y in pairs:
                lines[-1].append((lines[-1][-1][0] + x, lines[-1][-1][1] + y))
    return lines


class Maps(Case):
    def picture(self, name="map.svg"):
        """The picture as XML; its lines by class, each a list of lists of points."""
        self.root = tree.parse(self.path(name)).getroot()
        inner = self.root.find(f".//{SVG}svg[@class='lines']")
        self.width, self.height = map(int, inner.get("viewBox").split()[2:]) if inner is not None else (0, 0)
        lines = {}
        for path in self.root.iter(SVG + "path"):
            if path.get("class") != "needle":
                lines.setdefault(path.get("class"), []).append(points_of(path.get("d")))
        self.lines = lines
        self.ways = [line for name, found in sorted(lines.items()) if name.startswith("way") for line in found]
        return self.root

    def texts(self):
        return ["".join(text.itertext()) for text in self.root.iter(SVG + "text")]

    def grid(self):
        """A town of 20 x 15 crossings whose coordinates are planar."""
        self.good("gen", "grid", "--width", 20, "--height", 15, "-q", "-o", "grid.meg")
        return "grid.meg"

    def degrees(self, places, edges, name="d"):
        """A graph of integers with places in millionths of degrees."""
        self.write(name + ".gr", f"p sp {len(places)} {len(edges)}\n" + "".join(f"a {a} {b} {w}\n" for a, b, w in edges))
        self.write(name + ".co", f"p aux sp co {len(places)}\n"
                   + "".join(f"v {i + 1} {round(x * 1e6)} {round(y * 1e6)}\n" for i, (x, y) in enumerate(places)))
        self.good("build", name + ".gr", "--coords", name + ".co", "--undirected", "-q", "-o", name + ".meg")
        return name + ".meg"

    def inside(self, lines):
        for line in lines:
            for x, y in line:
                self.assertTrue(0 <= x <= self.width and 0 <= y <= self.height, (x, y))

    # ---- traces ----

    def test_trace_of_a_path(self):
        places = list(PLACES.values())
        ids = {name: i + 1 for i, name in enumerate(PLACES)}
        graph = self.degrees(places, [(ids[a], ids[b], int(10 * w)) for a, b, w in EDGES])
        self.good("path", graph, "--from", 1, "--to", 4, "--k", 2, "--trace", "t.json", "-q")
        with open(self.path("t.json")) as file:
            lines = [json.loads(line) for line in file]
        routes = [line for line in lines if "path" in line]
        self.assertEqual([(r["path"], r["from"], r["to"], r["run"], r["metric"]) for r in routes],
                         [(0, "1", "4", "path", "great-circle"), (1, "1", "4", "path", "great-circle")])
        self.assertEqual([(r["cost"], r["hops"], r["points"]) for r in routes], [(120, 3, 4), (125, 3, 4)])
        best = [places[i] for i in (0, 1, 2, 3)]
        for i, place in enumerate(best):
            self.assertAlmostEqual(routes[0]["line"][2 * i], place[0], 4)
            self.assertAlmostEqual(routes[0]["line"][2 * i + 1], place[1], 4)
        self.assertAlmostEqual(routes[0]["length"] / 1000, haversine(best), 2)

        found = self.json("report", "t.json", "-o", "page.html")
        self.assertEqual((found["paths"], found["paths_shown"], found["map"], found["network_edges_shown"]), (2, 2, True, 0))
        self.assertEqual(found["steps"], len(lines) - 2)  # paths are no steps
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        page = Page(text)
        self.assertEqual(page.faults, [])
        maps = [e for e in page.elements if e["tag"] == "svg" and e.get("class") == "map"]
        self.assertEqual(len(maps), 1)
        self.assertEqual(len([e for e in page.elements if e["tag"] == "g" and e.get("class") == "route"]), 2)
        self.assertIn("2 paths from 1 to 4.", text)
        self.assertIn(f"cost 120, 3 hops, {haversine(best):.1f}\u00a0km", text)
        self.assertNotIn("http:", text.replace("http://www.w3.org/2000/svg", ""))
        self.assertIn("Runs", text)

    def test_network(self):
        places = list(PLACES.values())
        ids = {name: i + 1 for i, name in enumerate(PLACES)}
        graph = self.degrees(places, [(ids[a], ids[b], int(10 * w)) for a, b, w in EDGES])
        self.good("path", graph, "--from", 1, "--to", 4, "--trace", "t.json", "-q")
        found = self.json("report", "t.json", "--graph", graph, "-o", "map.svg")
        self.assertEqual(found["network_edges_shown"], len(EDGES))
        self.picture()
        streets = [line for name, found in self.lines.items() if name.startswith("net") for path in found for line in path]
        self.assertEqual(sum(len(line) - 1 for line in streets), len(EDGES))
        self.assertEqual(len(self.ways), 1)
        self.inside(self.ways[0])
        # The path runs along streets: its points are ends of streets.
        ends = {point for line in streets for point in line}
        for x, y in self.ways[0][0]:
            self.assertTrue(any(abs(x - a) <= 1 and abs(y - b) <= 1 for a, b in ends), (x, y, ends))
        # Shapes are true in the middle: across and down by the same scale.
        (x1, y1), (x2, y2) = self.ways[0][0][0], self.ways[0][0][-1]
        (lon1, lat1), (lon2, lat2) = places[0], places[3]
        low, high = min(p[1] for p in places[:4]), max(p[1] for p in places[:4])
        wide = (lon2 - lon1) * math.cos(math.radians((low + high) / 2))
        self.assertAlmostEqual((x2 - x1) / wide / ((y1 - y2) / (lat2 - lat1)), 1, 1)
        self.assertLess(y2, y1)  # north is up
        # The scale is what it says.
        bar = self.root.find(f".//{SVG}line[@class='bar-line']")
        said = next(t for t in self.texts() if re.fullmatch("[0-9.]+\u00a0k?m", t)).split("\u00a0")
        metres = float(said[0]) * (1000 if said[1] == "km" else 1)
        per_unit = haversine([places[0], (lon2, lat1)]) * 1000 / ((x2 - x1) / 10)
        self.assertAlmostEqual((float(bar.get("x2")) - float(bar.get("x1"))) * per_unit / metres, 1, 2)
        self.assertIn("N", self.texts())

    def test_planar(self):
        graph = self.grid()
        self.good("path", graph, "--from", 0, "--to", 299, "--trace", "t.json", "-q")
        self.good("report", "t.json", "--graph", graph, "-o", "map.svg", "-q")
        self.picture()
        self.assertTrue(any(text.endswith("units") for text in self.texts()))
        self.assertNotIn("N", self.texts())
        with open(self.path("t.json")) as file:
            route = next(json.loads(line) for line in file if '"path":' in line)
        (x1, y1), (x2, y2) = self.ways[0][0][0], self.ways[0][0][-1]
        dx, dy = route["line"][-2] - route["line"][0], route["line"][-1] - route["line"][1]
        self.assertAlmostEqual((x2 - x1) / dx / ((y1 - y2) / dy), 1, 2)

    def test_large_network_is_thinned(self):
        self.good("gen", "grid", "--width", 330, "--height", 300, "-q", "-o", "grid.meg")
        self.good("path", "grid.meg", "--from", 0, "--to", 98999, "--trace", "t.json", "-q")
        found = self.json("report", "t.json", "--graph", "grid.meg", "-o", "page.html")
        self.assertLessEqual(found["network_edges_shown"], 80000)
        self.assertGreater(found["network_edges_shown"], 50000)
        self.assertLess(found["file_bytes"], 2500000)
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("that shortest paths use most", file.read())
        with open(self.path("t.json")) as file:
            route = next(json.loads(line) for line in file if '"path":' in line)
        self.assertLessEqual(len(route["line"]), 4000)
        self.assertEqual(route["points"], route["hops"] + 1)
        again = self.path("again.html")
        self.good("report", "t.json", "--graph", "grid.meg", "-o", again, "-q")
        with open(again, "rb") as a, open(self.path("page.html"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_many_paths(self):
        graph = self.grid()
        self.good("path", graph, "--from", 0, "--to", 44, "--k", 80, "--trace", "t.json", "-q")
        found = self.json("report", "t.json", "-o", "page.html")
        self.assertEqual((found["paths"], found["paths_shown"]), (80, 50))
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("These are the first 50 of 80 paths.", file.read())
        self.good("report", "t.json", "-o", "map.svg", "-q")
        self.picture()
        self.assertEqual(len(self.ways), 50)
        self.assertIn("and 68 more", self.texts())

    def test_pairs_and_points(self):
        graph = self.grid()
        self.write("pairs", "0 30\n7 7\n100 250\n")
        self.good("path", graph, "--pairs", "pairs", "--trace", "t.json", "-q")
        self.good("report", "t.json", "-o", "map.svg", "-q")
        self.picture()
        self.assertEqual(len(self.ways), 2)
        for name in ["0", "30", "7", "100", "250"]:
            self.assertIn(name, self.texts())
        marks = [c.get("class") for c in self.root.iter(SVG + "circle")]
        self.assertEqual((marks.count("start"), marks.count("end")), (3, 3))
        # One vertex alone is a picture, too.
        self.good("path", graph, "--from", 7, "--to", 7, "--trace", "t.json", "-q")
        self.good("report", "t.json", "--graph", graph, "-o", "map.svg", "-q")
        self.picture()
        self.assertEqual(self.ways, [])
        circle = next(self.root.iter(SVG + "circle"))
        self.assertAlmostEqual(float(circle.get("cx")), 500, 0)
        self.assertAlmostEqual(float(circle.get("cy")), self.height / 20, 0)

    def test_no_path_and_no_coordinates(self):
        self.write("two.el", "1 2\n3 4\n")
        self.good("build", "two.el", "--undirected", "-q", "-o", "two.meg")
        self.good("path", "two.meg", "--from", 1, "--to", 4, "--trace", "t.json", "-q")
        found = self.json("report", "t.json", "-o", "page.html")
        self.assertEqual((found["paths"], found["map"]), (0, False))
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("No path was found.", file.read())
        self.good("path", "two.meg", "--from", 1, "--to", 2, "--trace", "t.json", "-q")
        self.assertEqual(self.json("report", "t.json", "--graph", "two.meg", "-o", "page.html")["map"], False)
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(Page(text).faults, [])
        self.assertIn("There is no map of these paths, because their vertices have no coordinates.", text)
        self.assertNotIn('<svg class="map"', text)
        self.good("report", "t.json", "-o", "map.svg", "-q")
        self.picture()
        self.assertIn("There is no map of these paths, because their vertices have no coordinates.", self.texts())
        # A graph without coordinates behind paths that have some.
        self.write("p.geojson", collection(feature([[8.5, 49.5], [8.6, 49.6]])))
        self.good("report", "p.geojson", "--graph", "two.meg", "-o", "page.html", "-q")
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("The graph has no coordinates", file.read())

    # ---- GeoJSON ----

    def test_geojson(self):
        names = list(PLACES)
        line = [list(PLACES[name]) for name in names[:4]]
        self.write("ways.geojson", collection(feature(line, **{"from": names[0], "to": names[3], "path": 0, "hops": 3, "cost": 12}),
                                              feature(line[:2], **{"from": names[0], "to": names[1], "path": 0})))
        text = self.good("report", "ways.geojson", "-o", "page.html")
        self.assertIn("2 paths", text)
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(Page(text).faults, [])
        self.assertNotIn("<b>&", text)
        self.assertIn("A &amp; &lt;b&gt; → &quot;B&quot; 駅", text)
        self.assertNotIn("Runs", text)
        self.good("report", "ways.geojson", "-o", "map.svg", "-q")
        self.picture()
        self.assertIn("A & <b>", self.texts())
        self.assertIn("\"B\" 駅", self.texts())
        self.assertEqual(len(self.ways), 2)
        for way in self.ways:
            self.inside(way)

    def test_geojson_is_what_path_writes(self):
        graph = self.grid()
        self.good("path", graph, "--from", 0, "--to", 299, "--k", 3, "--geojson", "ways.geojson", "--trace", "t.json", "-q")
        os.rename(self.path("ways.geojson"), self.path("ways.json"))  # known by its content as well
        self.good("report", "ways.json", "--graph", graph, "-o", "a.svg", "-q")
        self.good("report", "t.json", "--graph", graph, "-o", "b.svg", "-q")
        self.picture("a.svg")
        a = self.ways
        self.picture("b.svg")
        self.assertEqual([len(way[0]) for way in a], [len(way[0]) for way in self.ways])
        for one, other in zip(a, self.ways):
            for (x1, y1), (x2, y2) in zip(one[0], other[0]):
                self.assertTrue(abs(x1 - x2) <= 5 and abs(y1 - y2) <= 5)

    def test_large_ids(self):
        self.write("p.geojson", '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"from":18446744073709551615,'
                   '"to":5,"hops":1,"cost":2},"geometry":{"type":"LineString","coordinates":[[1.5,2],[3,4]]}}]}')
        self.good("report", "p.geojson", "-o", "map.svg", "-q")
        self.picture()
        self.assertIn("5", self.texts())
        self.write("big.el", "18446744073709551615 5\n")
        self.good("build", "big.el", "-q", "-o", "big.meg")
        self.good("path", "big.meg", "--from", "18446744073709551615", "--to", 5, "--trace", "t.json", "-q")
        self.good("report", "t.json", "-o", "page.html", "-q")
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("18446744073709551615", file.read())

    def test_date_line(self):
        fiji = [(177.4, -17.6), (179.2, -16.6), (-179.9, -16.8), (-178.8, -17.2)]
        for way in [fiji, fiji[::-1]]:
            self.write("p.geojson", collection(feature([list(p) for p in way], **{"from": 1, "to": 2})))
            found = self.json("report", "p.geojson", "-o", "map.svg")
            self.assertTrue(found["map"])
            self.picture()
            self.inside(self.ways[0])
            xs = [x for x, _ in self.ways[0][0]]
            self.assertGreater(max(xs) - min(xs), self.width / 2)
            self.assertEqual(xs, sorted(xs, reverse=way is not fiji))  # westwards is left, all the way
        # The network and a path on the other side of the line lie beside it.
        graph = self.degrees(fiji, [(1, 2, 1), (2, 3, 1), (3, 4, 1)])
        self.write("p.geojson", collection(feature([list(p) for p in fiji[:2]]), feature([list(p) for p in fiji[2:]])))
        self.good("report", "p.geojson", "--graph", graph, "-o", "map.svg", "-q")
        self.picture()
        self.assertLess(max(x for x, _ in self.ways[0][0]), min(x for x, _ in self.ways[1][0]))
        self.assertEqual(sum(len(line) - 1 for name, found in self.lines.items() if name.startswith("net")
                             for path in found for line in path), 3)
        self.good("path", graph, "--from", 1, "--to", 4, "--trace", "t.json", "-q")
        self.good("report", "t.json", "--graph", graph, "-o", "map.svg", "-q")
        self.picture()
        self.inside(self.ways[0])

    def test_metric(self):
        self.write("p.geojson", collection(feature([[1.5, 2], [30, 40]])))
        self.good("report", "p.geojson", "-o", "map.svg", "-q")
        self.picture()
        self.assertIn("N", self.texts())
        self.good("report", "p.geojson", "-o", "map.svg", "--metric", "planar", "-q")
        self.picture()
        self.assertNotIn("N", self.texts())
        self.write("p.geojson", collection(feature([[1, 2], [30, 40]])))  # whole numbers: a grid
        self.good("report", "p.geojson", "-o", "map.svg", "-q")
        self.picture()
        self.assertNotIn("N", self.texts())

    def test_others_and_nothing(self):
        self.write("p.geojson", collection(feature(None, **{"from": 1, "to": 2, "cost": 7}),
                                           {"type": "Feature", "properties": None,
                                            "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}}))
        self.good("report", "p.geojson", "-o", "page.html", "-q")
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("no coordinates", text)
        self.assertIn("1 more thing,", text)
        self.write("p.geojson", collection())
        found = self.json("report", "p.geojson", "-o", "page.html")
        self.assertEqual((found["paths"], found["map"]), (0, False))
        self.good("report", "p.geojson", "-o", "map.svg", "-q")
        self.picture()
        self.assertIn("No path was found.", self.texts())

    def test_a_signal_ends_it(self):
        """While a large file is parsed; what was parsed takes time to free, too."""
        one = json.dumps(feature([[1.5, 2], [3, 4]]))
        self.write("p.geojson", '{"type": "FeatureCollection", "features": [' + ",".join([one] * 300000) + "]}")
        process = subprocess.Popen([MEGURI, "report", "p.geojson", "-o", "page.html"], cwd=self.folder, stderr=subprocess.PIPE,
                                   preexec_fn=default_signals)

        def used():
            with open(f"/proc/{process.pid}/stat", encoding="ascii", errors="replace") as file:
                return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

        limit = time.monotonic() + 60
        while used() < 0.2 and time.monotonic() < limit:
            time.sleep(0.005)
        before = used()
        process.send_signal(signal.SIGTERM)
        text = process.stderr.read()
        process.stderr.close()
        _, status, spent = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((process.returncode, text), (130, b"meguri: interrupted.\n"))
        self.assertLess(spent.ru_utime + spent.ru_stime - before, 3 if SANITIZED else 0.3)  # of the processor
        self.assertEqual(self.names(), ["p.geojson"])

    def test_damaged(self):
        whole = collection(feature([[1.5, 2], [3, 4]]))
        for text, part in [
            ("", "this is not JSON"),
            (whole[:-9], "this is not JSON"),
            (whole + "x", "this is not JSON"),
            (b"\x1b[31m", "this is not JSON"),
            ("[]", "not a FeatureCollection"),
            ("{}", "not a FeatureCollection"),
            ('{"type":"FeatureCollection"}', "not a FeatureCollection"),
            ('{"type":"FeatureCollection","features":true}', "not a FeatureCollection"),
            ('{"type":"FeatureCollection","features":[', "this is not JSON"),
            (whole[:-1] + ',"a":1', "this is not JSON"),
            ('{"type":\n"Feature",\n\n"a" 5}', "p.geojson:4: this is not JSON: ':' expected"),
            ('{"type":"FeatureCollection",\n"features":[\n{"type":\n!}]}', "p.geojson:4: this is not JSON"),
            ('{"type":"FeatureCollection","features":[7]}', "feature 1 is not a feature"),
            (collection(feature([[1.5, 2], [3, 4]]), feature([[1, 2], [3]])), "feature 2 has a place that is not two numbers"),
            (collection(feature([[1, 2], [3, "4"]])), "feature 1 has a place"),
            (collection(feature([[1, 2], [3, 1e300]])), "feature 1 has a place"),
            (collection(feature([])), "feature 1 has no coordinates"),
            (collection({"type": "Feature", "geometry": {"type": "LineString"}}), "feature 1 has no coordinates"),
            (collection({"type": "Feature", "geometry": {"coordinates": [1, 2]}}), "a geometry without a type"),
        ]:
            self.write("p.geojson", text)
            self.assertIn("p.geojson", self.bad(3, part, "report", "p.geojson", "-o", "page.html"))
            self.assertEqual(self.names(), ["p.geojson"])
        self.bad(3, "cannot open gone.geojson: no such file.", "report", "gone.geojson", "-o", "page.html")
        step = '{"at_us":1,"run":"open","us":1}\n'
        for line in ['"path":0,"line":[1]', '"path":0,"line":7', '"path":0,"line":[1,"x"]', '"path":0,"line":[1,1e99]',
                     '"paths_left_out":"x"']:
            self.write("t.json", step + '{"at_us":2,"run":"path",' + line + "}\n")
            self.bad(3, "t.json:2: this is not a step of a trace: its field \"", "report", "t.json", "-o", "page.html")

    def test_what_is_missing(self):
        self.write("t.json", '{"at_us":1,"run":"open","us":1}\n')
        self.bad(3, "t.json has no paths for a map", "report", "t.json", "-o", "map.svg")
        self.bad(3, "or leave --graph out", "report", "t.json", "--graph", "x.meg", "-o", "page.html")
        self.write("p.geojson", collection(feature([[1.5, 2], [3, 4]])))
        self.bad(3, "x.meg", "report", "p.geojson", "--graph", "x.meg", "-o", "page.html")
        self.good("gen", "grid", "--width", 3, "--height", 3, "-q", "-o", "grid.meg")
        self.bad(2, "is an input", "report", "p.geojson", "--graph", "grid.meg", "-o", "grid.meg")
        with open(self.path("t.json"), "a") as file:
            file.write('{"at_us":2,"run":"path","path":0,"line":[1,2]}\n{"at_us":2,"run":"path","pa')
        result = self.run_it("report", "t.json", "-o", "page.html")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"cut off", result.stderr)


class Pictures(Browser):
    """In a browser: the path has its colour, and ids can be read beside each other."""

    def look(self, text, **more):
        self.write("p.geojson", text)
        self.good("report", "p.geojson", "-o", "page.html", "-q")
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        self.write("probed.html", page.replace("</body>", """<script>setTimeout(function () {
          var map = document.querySelector('svg.map'), frame = map.getBoundingClientRect();
          function box(one) { var b = one.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }
          var out = document.createElement('pre');
          out.id = 'probe';
          out.textContent = JSON.stringify({
            errors: [], frame: box(map), overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            names: Array.from(map.querySelectorAll('text')).map(function (t) { return [t.textContent].concat(box(t)); }),
            ways: Array.from(map.querySelectorAll('.way')).map(function (w) {
              return [getComputedStyle(w).stroke, w.getBoundingClientRect().width]; }),
            sheet: getComputedStyle(map.querySelector('.sheet')).fill });
          document.body.append(out);
        }, 50);</script></body>"""))
        return self.probe(**more)

    def test_map_in_a_browser(self):
        text = collection(feature([[8.60, 49.40], [8.64, 49.43], [8.75, 49.41]], **{"from": "Here", "to": "There", "cost": 1}),
                          feature([[8.60, 49.40], [8.68, 49.38], [8.75, 49.41]], **{"from": "Here", "to": "There", "path": 1, "cost": 2}))
        sheets = []
        for more in [{}, {"dark": True}, {"width": 500}]:
            found = self.look(text, **more)
            sheets.append(found["sheet"])
            self.assertLessEqual(found["overflow"], 0)
            left, top, right, bottom = found["frame"]
            self.assertGreater(right - left, 300 if "width" in more else 800)
            self.assertGreater(bottom - top, 100)
            self.assertEqual({name[0] for name in found["names"]} - {"N"} - {n[0] for n in found["names"] if "km" in n[0]},
                             {"Here", "There"})
            for name, a, b, c, d in found["names"]:
                self.assertTrue(left <= a and top <= b and c <= right and d <= bottom, (name, a, b, c, d, found["frame"]))
                for other, e, f, g, h in found["names"]:
                    self.assertTrue(name == other or c <= e or g <= a or d <= f or h <= b, (name, other))
            self.assertEqual(len({stroke for stroke, _ in found["ways"]}), 2)
            for _, width in found["ways"]:
                self.assertGreater(width, (right - left) / 2)
        self.assertNotEqual(sheets[0], sheets[1])


if __name__ == "__main__":
    main()
