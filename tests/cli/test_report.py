"""meguri report: what the page says, that it is sound HTML that needs nothing else, and what becomes of bad traces."""
import html.parser
import json
import os
import random
import re
import resource
import signal
import stat
import subprocess
import time

from harness import Case, MEGURI, SANITIZED, default_signals, main

WAYS = ["push", "push", "pull", "pull", "pull", "push"]
FRONTIERS = [1, 30, 20000, 400000, 180000, 500]
VOID = {"meta", "link", "br", "hr", "img", "input"}


def search(scale=1, at=0, run="bfs"):
    """One search of a Kronecker graph, as the trace has it; times 100 to 600 µs, times `scale`."""
    lines = []
    for step, (frontier, way) in enumerate(zip(FRONTIERS, WAYS)):
        us = 100 * (step + 1) * scale
        at += us
        lines.append({"at_us": at, "run": run, "step": step, "frontier": frontier, "edges": frontier * 7, "way": way,
                      "engine": "host", "threads": 2, "us": us})
    return lines


def phase(run, name, us, at=0, **more):
    return {"at_us": at + us, "run": run, "phase": name, "engine": "host", "threads": 2, "us": us, **more}


def as_text(lines):
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


class Page(html.parser.HTMLParser):
    """The page as a flat list of elements, each with its attributes and the text right inside it; checks nesting."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.faults = [], [], []
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f"never closed: {[e['tag'] for e in self.open]}")

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.faults.append(f"an attribute twice: {tag} {attrs}")
        element = {"tag": tag, "text": "", "parent": self.open[-1] if self.open else None, **dict(attrs)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1]["tag"] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1]['tag'] if self.open else 'nothing'} at {self.getpos()}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.open[-1]["text"] += data

    def all(self, tag=None, **wanted):
        """Elements of that tag whose class has all words of `class_`, and whose other attributes are as wanted."""
        words = set(wanted.pop("class_", "").split())
        return [e for e in self.elements
                if (tag is None or e["tag"] == tag) and words <= set((e.get("class") or "").split())
                and all(e.get(k) == v for k, v in wanted.items())]

    def inside(self, element, outer):
        while element is not None and element is not outer:
            element = element["parent"]
        return element is outer


class Report(Case):
    def page(self, lines, *words):
        text = lines if isinstance(lines, (str, bytes)) else as_text(lines)
        self.write("trace.json", text)
        self.good("report", "trace.json", "-o", "page.html", "--quiet", *words)
        return self.look("page.html")

    def look(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            self.text = file.read()
        page = Page(self.text)
        self.assertEqual(page.faults, [])
        ids = [e["id"] for e in page.elements if "id" in e]
        self.assertEqual(len(ids), len(set(ids)))
        for element in page.elements:
            for name in ["aria-labelledby", "aria-describedby"]:
                if name in element:
                    self.assertIn(element[name], ids)
            if "href" in element:
                self.assertTrue(element["href"] == "data:," or element["href"][1:] in ids, element)
            self.assertNotIn("src", element)
            for name in element:
                self.assertFalse(name.startswith("on"), element)
        for number in re.findall(r'="(-?[\d.]+|-?nan|-?inf)%?"', self.text):
            self.assertRegex(number, r"^-?\d+(\.\d+)?$")
        without = self.text.replace("http-equiv", "")
        self.assertNotRegex(without, r"https?:|//[a-z]+\.|@import|url\(")
        return page

    def cells(self, page, run):
        """The row of a run in the summary, by the names of its columns."""
        table = page.all("table", class_="runs")[0]
        for row in page.all("tr"):
            head = [e for e in page.all("th", scope="row") if e["parent"] is row]
            if page.inside(row, table) and head and head[0]["text"] == run:
                found = {}
                for cell in page.all("td"):
                    if cell["parent"] is row:
                        spans = [e["text"] for e in page.all("span") if e["parent"] is cell]
                        found[cell["data-l"]] = (cell["text"] + "".join(spans)).replace("\xa0", " ")
                return found
        self.fail(f"no row for {run}")


class Facts(Report):
    def test_one_search(self):
        page = self.page(search())
        self.assertEqual(self.cells(page, "bfs"), {
            "times": "1", "steps": "6", "edges": "4,203,717", "time": "2.10 ms", "share": "100 %", "edges/s": "2.00 G/s",
            "bytes": "–", "bytes/s": "–", "threads": "2", "engine": "host"})
        self.assertEqual([e["text"] for e in page.all("h1")], ["trace.json"])
        self.assertIn("Breadth-first search", [e["text"].strip() for e in page.all("h2")])
        figures = page.all("div", class_="search")
        self.assertEqual([("hidden" in f) for f in figures], [False])
        svg, = page.all("svg", class_="steps")
        self.assertEqual(svg["role"], "img")
        self.assertTrue(page.all("title", id=svg["aria-labelledby"])[0]["text"])
        self.assertTrue(page.all("desc", id=svg["aria-describedby"])[0]["text"])
        heads = [e["text"].strip() for e in page.all("text", class_="head") if page.inside(e, svg)]
        self.assertEqual(heads, ["Frontier, vertices", "Edges looked at", "Time"])
        # Time: a bar for each step, its height proportional; blue pushes, orange pulls.
        bars = [e for e in page.all("rect", class_="bar") if page.inside(e, svg)]
        self.assertEqual([b["class"] for b in bars], [f"bar p{'push pull'.split().index(w)}" for w in WAYS])
        heights = [float(b["height"]) for b in bars]
        for step, height in enumerate(heights):
            self.assertAlmostEqual(height, heights[5] * (step + 1) / 6, delta=0.1)
        # Frontier and edges: a mark each, higher for more; its shape is that of the way.
        marks = [e for e in page.all("use") if page.inside(e, svg) and "mini" not in e["class"]]
        self.assertEqual([m["href"] for m in marks], 2 * [f"#s{'push pull'.split().index(w)}" for w in WAYS])
        above = [float(m["y"]) for m in marks[:6]]
        self.assertEqual(sorted(range(6), key=lambda i: above[i]), sorted(range(6), key=lambda i: -FRONTIERS[i]))
        ways = [e["text"] for e in page.all("text", class_="word")]
        self.assertEqual(ways, WAYS)
        numbers = [e["text"] for e in page.all("text", class_="number") if page.inside(e, svg)]
        self.assertEqual(numbers[:6], ["0", "1", "2", "3", "4", "5"])
        told = [e["text"].replace("\xa0", " ") for e in page.all("title") if e["parent"].get("class") == "hit"]
        self.assertEqual(len(told), 6)
        self.assertEqual(told[3], "Step 3, pull\nFrontier\t400,000 vertices\nEdges looked at\t2,800,000\nTime\t400 µs\n"
                                  "Edges per second\t7.00 G/s")
        self.assertEqual(len(page.all("details")), 1)
        self.assertNotIn("open", page.all("details")[0])
        rows = [e for e in page.all("tr") if page.inside(e, page.all("table", class_="all")[0])]
        self.assertEqual(len(rows), 1 + 6)
        self.assertIn("400,000", [e["text"] for e in page.all("td") if e["parent"] is rows[4]])

    def test_many_searches(self):
        lines, at = [], 0
        for number in range(64):
            lines += search(scale=1 + (number * 37) % 64, at=at)
            at = lines[-1]["at_us"]
            lines.append(phase("bfs", "fill", 50, at))
            at += 50
        page = self.page(lines)
        self.assertEqual(self.cells(page, "bfs")["times"], "64")
        self.assertEqual(self.cells(page, "bfs")["steps"], "448")
        figures = page.all("div", class_="search")
        self.assertEqual(len(figures), 64)
        self.assertEqual(len([f for f in figures if "hidden" not in f]), 1)
        picks = page.all("rect", class_="pick")
        self.assertEqual(len(picks), 64)
        times = [1 + (int(p["data-s"]) * 37) % 64 for p in picks]
        self.assertEqual(times, sorted(times), "from the fastest to the slowest")
        shown, = [f for f in figures if "hidden" not in f]
        self.assertEqual(shown["data-s"], picks[31]["data-s"], "the median")
        options = page.all("option")
        self.assertEqual(len(options), 64)
        self.assertEqual([o["value"] for o in options if "selected" in o], [shown["data-s"]])
        text = self.text.replace("\xa0", " ")
        self.assertIn("<dt>Fastest</dt><dd>2.15 ms</dd>", text)  # 2100 + 50 µs
        self.assertIn("<dt>Median</dt><dd>68.3 ms</dd>", text)   # 32.5 × 2100 + 50 µs
        self.assertIn("<dt>Slowest</dt><dd>134 ms</dd>", text)
        for plot, lines_drawn in [("frontier", 64), ("edges", 64), ("time", 64)]:
            svg = page.all("svg", **{"aria-labelledby": f"k0-{plot}-t"})[0]
            drawn = [e for e in page.all("polyline") if page.inside(e, svg)]
            self.assertEqual(len([e for e in drawn if e["class"] == "line"]), lines_drawn)
            self.assertEqual([len(e["points"].split()) for e in drawn if e["class"] == "median"], [6])
        svg, = page.all("svg", **{"aria-labelledby": "k0-ways-t"})
        self.assertEqual([e["class"] for e in page.all("rect", class_="bar") if page.inside(e, svg)],
                         [f"bar p{'push pull'.split().index(w)}" for w in WAYS])
        # The fill after the steps is a column of its own.
        figure = [e for e in page.all("text", class_="word") if page.inside(e, shown)]
        self.assertEqual([e["text"] for e in figure], WAYS + ["fill"])

    def test_phases(self):
        lines, at = [], 0
        for name, us in [("ids", 1000), ("count", 3000), ("sort", 6000)]:
            lines.append(phase("build", name, us, at, edges=6000000))
            at += us
        lines.append(phase("save", "write", 2000, at, bytes=8000000))
        lines += search(at=at + 2000)
        page = self.page(lines)
        self.assertEqual(self.cells(page, "build")["time"], "10.0 ms")
        self.assertEqual(self.cells(page, "build")["edges/s"], "1.80 G/s")
        self.assertEqual(self.cells(page, "save")["bytes/s"], "4.00 GB/s")
        stack = page.all("svg", class_="stack")[0]
        bars = [(e["x"], e["width"]) for e in page.all("rect") if page.inside(e, stack)]
        self.assertEqual(bars, [("0.00%", "10.00%"), ("10.00%", "30.00%"), ("40.00%", "60.00%")])
        self.assertEqual(len(page.all("svg", class_="stack")), 2)
        timeline, = page.all("svg", class_="timeline")
        pieces = [e for e in page.all("rect", class_="piece") if page.inside(e, timeline)]
        self.assertEqual(len(pieces), 3 + 1 + 6)
        whole = 12000 + 2100
        self.assertEqual(pieces[3]["x"], f"{100 * 10000 / whole:.2f}%")
        self.assertEqual(pieces[3]["width"], f"{100 * 2000 / whole:.2f}%")
        lanes = [e["text"] for e in page.all("text", class_="head") if page.inside(e, timeline)]
        self.assertEqual(lanes, ["build", "save", "bfs"])

    def test_preparation_is_part_of_no_search(self):
        lines = [phase("bfs", "blocks", 5000)] + search() + search() + [phase("bfs", "blocks", 5000)] + search()
        page = self.page(lines)
        self.assertEqual(self.cells(page, "bfs")["times"], "3")
        self.assertIn("<dt>Slowest</dt><dd>2.10\xa0ms</dd>", self.text)
        self.assertIn("preparation", self.text)
        legends = page.all("ul", class_="legend")
        self.assertEqual(len([e for e in page.all("li") if e["parent"] is legends[0]]), 2)

    def test_how_often(self):
        one, many = phase("open", "map", 5), [phase("build", "count", 5), phase("build", "sort", 5)]
        for lines, times in [
            ([{"run": "x", "step": 0}] * 3, 3),
            ([{"run": "x", "step": n} for n in [0, 1, 2, 0, 1, 0]], 3),
            ([{"run": "x", "step": n // 2, "phase": ["light", "heavy"][n % 2]} for n in [0, 1, 2, 3, 0, 1, 2, 3]], 2),
            ([{"run": "x", "frontier": 3}, {"run": "x", "frontier": 4}, {"run": "y"}, {"run": "x", "frontier": 1}], 2),
        ]:
            self.assertEqual(self.cells(self.page(lines), "x")["times"], str(times), lines)
        self.assertEqual(self.cells(self.page(many + many + [one] + many), "build")["times"], "3")
        self.assertEqual(self.cells(self.page([one, one] + many + [one]), "open")["times"], "2")

    def test_other_names_appear(self):
        lines = []
        for step, way in enumerate(["list", "bitmap", "selection", "all", "sendall", "copy", "ghost", "normal", "a", "b", "c"]):
            lines.append({"at_us": 10 * step, "run": "walk", "step": step, "frontier": 5, "way": way, "us": 3})
        lines.append({"at_us": 500, "run": "rank", "step": 0, "edges": 77, "us": 9, "engine": "device"})
        lines.append({"at_us": 600, "run": "rank", "step": 1, "edges": 77, "us": 9, "engine": "host"})
        page = self.page(lines)
        svg = page.all("svg", class_="steps")
        self.assertEqual(len(svg), 2)
        shapes = {e["href"] for e in page.all("use") if page.inside(e, svg[0])}
        self.assertEqual(len(shapes), 8)  # seven colours and shapes are free beside push, pull and fill; then a dot
        self.assertEqual(self.cells(page, "rank")["engine"], "device, host")
        self.assertIn("no way named", self.text)

    def test_units(self):
        page = self.page([{"run": "x", "step": 0, "frontier": 2 ** 63 - 1, "edges": 2 ** 63 - 1, "us": 2 ** 63 - 1,
                           "bytes": 2 ** 63 - 1, "at_us": 2 ** 63 - 1, "threads": 2 ** 63 - 1}] * 3)
        self.assertEqual(self.cells(page, "x")["edges"], "18,446,744,073,709,551,615")
        for us, shown in [(0, "0 µs"), (999, "999 µs"), (1000, "1.00 ms"), (12345, "12.3 ms"), (999600, "1.00 s"),
                          (59_940_000, "59.9 s"), (3_599_000_000, "59 min 59 s"), (40 * 3600 * 10 ** 6, "40 h")]:
            page = self.page([{"run": "x", "phase": "p", "us": us}])
            self.assertEqual(self.cells(page, "x")["time"], shown)
        page = self.page([{"run": "x", "step": 0, "us": 10.7, "edges": 1e3, "way": None, "frontier": None}])
        self.assertEqual(self.cells(page, "x")["edges/s"], "100 M/s")

    def test_no_times(self):
        page = self.page([{"run": "bfs", "step": n % 4, "frontier": n, "way": "push"} for n in range(12)])
        self.assertEqual(len(page.all("div", class_="search")), 3)
        self.assertEqual(page.all("rect", class_="pick"), [])
        self.assertEqual(page.all("svg", class_="timeline"), [])

    def test_text_is_escaped(self):
        evil = "<script>alert('1')</script>&amp;\"><img src=x onerror=alert(2)>"
        lines = search(run=evil) + [{"run": "bfs", "step": 0, "frontier": 1, "way": evil, "engine": evil, "phase": evil, "us": 5}]
        lines += [phase(evil + "2", evil, 10), {"run": "\u202e]]>\u0001\u007f", "step": 0}, {"run": "", "way": "", "phase": ""}]
        lines.append({"run": "x" * 5000 + "<b>", "step": 1})
        name = "<b>&'\".json"
        self.write(name, as_text(lines))
        self.good("report", name, "-o", "page.html", "-q")
        page = self.look("page.html")
        self.assertEqual(len(page.all("script")), 1)
        self.assertEqual(page.all("img") + page.all("b"), [])
        self.assertNotIn("\x01", self.text)
        self.assertNotIn("\u202e", self.text)
        self.assertNotIn("x" * 100, self.text)
        self.assertEqual(page.all("h1")[0]["text"], name)


class Large(Report):
    def test_many_searches_are_thinned(self):
        lines = []
        for number in range(1000):
            lines += search(scale=1 + number)[:3]
        page = self.page(lines)
        picks = [int(e["data-s"]) for e in page.all("rect", class_="pick")]
        self.assertEqual((len(picks), picks[0], picks[-1]), (64, 0, 999))
        self.assertIn("64 of 1,000 searches are drawn", self.text)
        self.assertIn("The first 2,000 of 3,000 steps.", self.text)
        rows = [e for e in page.all("tr") if page.inside(e, page.all("table", class_="all")[0])]
        self.assertEqual(len(rows), 1 + 2000)

    def test_long_searches_are_grouped(self):
        lines = [{"at_us": 9 * n, "run": "bfs", "step": n, "frontier": 1 + n, "edges": 2, "way": "push", "us": 5}
                 for n in range(4000)]
        page = self.page(lines)
        self.assertIn("Each column stands for 20 steps", self.text)
        svg, = page.all("svg", class_="steps")
        told = [e["text"].replace("\xa0", " ") for e in page.all("title")
                if e["parent"].get("class") == "hit" and page.inside(e, svg)]
        self.assertEqual(len(told), 200)
        self.assertTrue(told[1].startswith("Steps 20 to 39, mostly push\nLargest frontier\t40 vertices\nEdges looked at\t40\n"
                                           "Time\t100 µs\n"), told[1])
        numbers = [e["text"] for e in page.all("text", class_="number") if page.inside(e, svg)]
        self.assertEqual(numbers[:3], ["0", "500", "1000"])

    def test_a_million_lines(self):
        block = as_text(search()).encode() * 500
        count = 20 if SANITIZED else 334  # times 3000 lines
        summary = json.loads(self.good("report", "-", "-o", "page.html", "--json", stdin=block * count))
        self.assertEqual(summary["steps"], 3000 * count)
        self.assertEqual(summary["runs"][0]["times"], 500 * count)
        self.assertLess(summary["file_bytes"], 3_000_000)
        self.assertEqual(summary["file_bytes"], os.path.getsize(self.path("page.html")))
        self.look("page.html")

    def test_many_names(self):
        chance = random.Random(5)
        lines = [{"at_us": n, "run": f"run{n % 300}", "step": n // 300, "frontier": n, "edges": n, "us": chance.randrange(99),
                  "way": f"way{chance.randrange(70)}", "phase": f"phase{chance.randrange(200)}",
                  "engine": f"engine{chance.randrange(30)}"} for n in range(3000 if SANITIZED else 30000)]
        page = self.page(lines)
        self.assertIn("others", self.text)
        self.assertLess(len(self.text), 5_000_000)
        self.assertLessEqual(len(page.all("section", class_="kind")), 64)


class Files(Report):
    def test_summary(self):
        self.write("t.json", as_text([phase("open", "map", 7)] + search() * 2))
        text = self.good("report", "t.json", "-o", "page.html")
        size = os.path.getsize(self.path("page.html"))
        self.assertEqual(text, f"13 steps: open, bfs 2 times\n{size / 1000:.1f} kB → page.html\n")
        self.assertEqual(self.good("report", "t.json", "-o", "page.html", "--quiet"), "")
        summary = self.json("report", "t.json", "-o", "page.html")
        self.assertEqual(summary, {
            "trace": "t.json", "steps": 13, "cut_off": False, "file": "page.html", "file_bytes": size,
            "runs": [{"run": "open", "times": 1, "steps": 1, "edges": 0, "bytes": 0, "seconds": 7e-06},
                     {"run": "bfs", "times": 2, "steps": 12, "edges": 8407434, "bytes": 0, "seconds": 0.0042}]})

    def test_same_page_every_time(self):
        self.write("t.json", as_text(search() * 5))
        pages = set()
        for name in ["a.html", "b.htm", "C.HTML"]:
            self.good("report", "t.json", "-o", name, "-q", env={"LC_ALL": "de_DE.UTF-8"} if name == "C.HTML" else None)
            with open(self.path(name)) as file:
                pages.add(file.read())
        self.assertEqual(len(pages), 1)

    def test_places(self):
        self.write("t.json", as_text(search()))
        self.bad(2, "needs -o FILE", "report", "t.json")
        self.bad(2, "needs TRACE", "report", "-o", "page.html")
        for name in ["t.json", "./t.json", self.path("t.json")]:
            self.bad(2, "would be overwritten", "report", "t.json", "-o", name)
        self.bad(4, "no folder nowhere", "report", "t.json", "-o", "nowhere/page.html")
        self.bad(2, "is a folder", "report", "t.json", "-o", ".")
        self.bad(3, "missing.json", "report", "missing.json", "-o", "page.html")
        self.bad(3, "cannot read .", "report", ".", "-o", "page.html")
        os.symlink("nowhere/page.html", self.path("lost.html"))
        self.bad(4, "cannot write lost.html: there is no folder nowhere", "report", "t.json", "-o", "lost.html")
        self.assertEqual(self.names(), ["lost.html", "t.json"])

    def test_written_whole_or_not_at_all(self):
        self.write("t.json", as_text(search()))
        self.write("real.html", "old")
        os.chmod(self.path("real.html"), 0o640)
        os.symlink("real.html", self.path("page.html"))

        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        self.bad(4, "no room to write page.html", "report", "t.json", "-o", "page.html", preexec_fn=little_room)
        with open(self.path("page.html")) as file:
            self.assertEqual(file.read(), "old")
        self.good("report", "t.json", "-o", "page.html")
        self.assertTrue(os.path.islink(self.path("page.html")))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("real.html")).st_mode), 0o640)
        self.assertEqual(self.names(), ["page.html", "real.html", "t.json"])
        self.look("real.html")
        self.assertEqual(self.good("report", "t.json", "-o", "/dev/stdout", "-q"), self.text)
        self.bad(4, "/dev/full", "report", "t.json", "-o", "/dev/full")

    def test_bad_traces(self):
        good = as_text(search())
        for text, part in [
            ("", "t.json is empty"),
            ("\n \r\n\t\n", "t.json is empty"),
            (good + "{\"run\":\"bfs\",\n" + good, "t.json:7: this is not a step"),
            (good + "[1, 2]\n", "t.json:7: this is not a step of a trace: it is not a JSON object"),
            (good + "{\"at_us\":5}\n", "t.json:7: this is not a step of a trace: its field \"run\" is missing"),
            ("{\"run\":\"x\",\"step\":\"one\"}\n", "field \"step\" is of another kind"),
            ("{\"run\":\"x\",\"us\":-1}\n", "field \"us\" is of another kind"),
            ("{\"run\":\"x\",\"edges\":1e300}\n", "field \"edges\" is of another kind"),
            ("{\"run\":\"x\",\"edges\":99999999999999999999}\n", "t.json:1: this is not a step"),
            ("{\"run\":\"x\",\"split_us\":7}\n", "field \"split_us\" is of another kind"),
            ("{\"run\":\"x\",\"sent_bytes\":{\"a\":-1}}\n", "field \"sent_bytes\" is of another kind"),
            ("{\"run\":[]}\n", "field \"run\" is of another kind"),
            ("{\"run\":\"a\\u0000b\"}\n", "t.json:1: this is not a step"),
            ("{\"run\":\"" + "x" * 270000 + "\"}\n", "the line is too long"),
            ("[" * 60000 + "\n", "t.json:1: this is not a step"),
            ("{\"run\":\"bfs\"", "t.json:1: this is not a step"),
            ("1 2\n2 3\n", "t.json:1: this is not a step"),
            (b"\x89MEG\r\n\x1a\n" + bytes(5000), "t.json:1: this is not a step"),
            (b"{\"run\":\"\xff\"}\n", "t.json:1: this is not a step"),
            (b"\x1b[31m\x1b]0;x\x07\n", "t.json:1: this is not a step"),
            (b"\x1f\x8b" + bytes(100000), "t.json:1: this is not a step"),
        ]:
            self.write("t.json", text)
            self.assertNotIn("\x1b", self.bad(3, part, "report", "t.json", "-o", "page.html"))
        self.assertEqual(self.names(), ["t.json"])

    def test_cut_off(self):
        """A program that was stopped leaves half a line; what came before it is shown."""
        text = as_text(search())
        self.write("t.json", text[:-20])
        result = self.run_it("report", "t.json", "-o", "page.html", "--json")
        self.assertEqual(result.returncode, 0)
        self.assertIn("warning: the last line of t.json is cut off", result.stderr.decode())
        summary = json.loads(result.stdout)
        self.assertEqual((summary["steps"], summary["cut_off"]), (5, True))
        self.look("page.html")
        self.assertIn("is cut off", self.text)
        self.good("report", "t.json", "-o", "page.html", "-q")
        self.write("t.json", text[:-1])  # only the end of the line is missing
        self.assertEqual(self.json("report", "t.json", "-o", "page.html")["cut_off"], False)

    def test_interrupted(self):
        """While it waits for more of the trace."""
        process = subprocess.Popen([MEGURI, "report", "-", "-o", "page.html"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=self.folder, preexec_fn=default_signals)
        try:
            process.stdin.write(as_text(search()).encode())
            process.stdin.flush()
            deadline = time.monotonic() + 60
            while not self.catches(process.pid, signal.SIGINT):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 130)
            self.assertEqual(process.stderr.read(), b"meguri: interrupted.\n")
        finally:
            process.kill()
            process.wait()
            for stream in [process.stdin, process.stdout, process.stderr]:
                stream.close()
        self.assertEqual(self.names(), [])

    def catches(self, process, number):
        with open(f"/proc/{process}/status") as file:
            caught = re.search(r"^SigCgt:\s*([0-9a-f]+)$", file.read(), re.MULTILINE)
        return int(caught.group(1), 16) >> (number - 1) & 1

    def test_real_trace(self):
        self.good("gen", "kronecker", "--scale", "8", "-o", "g.meg", "--trace", "t.json")
        with open(self.path("t.json")) as file:
            page = self.page(file.read())
        for run in ["gen", "build", "save"]:
            self.assertEqual(self.cells(page, run)["times"], "1")
        self.assertEqual(self.cells(page, "gen")["edges"], "4,096")
        self.good("bfs", "g.meg", "--source", "1", "--trace", "t.json", "--quiet")
        with open(self.path("t.json")) as file:
            text = file.read()
        steps = [line for line in map(json.loads, text.splitlines()) if line["run"] == "bfs" and "frontier" in line]
        page = self.page(text)
        self.assertEqual(self.cells(page, "bfs")["times"], "1")
        told = [e["text"] for e in page.all("title") if e["parent"].get("class") == "hit"]
        self.assertEqual([f"Step {n}, {line['way']}" for n, line in enumerate(steps)],
                         [t.split("\n")[0] for t in told if t.startswith("Step")])  # phases come among them


class Mutations(Report):
    """Random damage: a page that is sound, or one sentence; never anything else."""

    def damage(self, chance, data):
        data = bytearray(data)
        for _ in range(chance.choice([1, 1, 2, 5])):
            at = chance.randrange(len(data))
            kind = chance.randrange(6)
            if kind == 0:
                data[at] = chance.randrange(256)
            elif kind == 1:
                del data[at:at + chance.choice([1, 3, 40])]
            elif kind == 2:
                data[at:at] = chance.choice([b"\n", b"{}\n", b"null", b"-", b"9" * 18, b"\"", b"\\u0000", b"}", b"<", b"1e308"])
            elif kind == 3:
                other = chance.randrange(len(data))
                data[at:at] = data[other:other + chance.randrange(200)]
            elif kind == 4:
                number = chance.choice([b"0", b"1", b"9223372036854775807", b"-1", b"0.5", b"null", b"\"x\""])
                place = data.find(b":", at)
                end = min((e for e in [data.find(b",", place), data.find(b"}", place)] if e > 0), default=-1)
                if 0 < place < end:
                    data[place + 1:end] = number
            else:
                del data[at:]
            if not data:
                break
        return bytes(data)

    def test_mutations(self):
        chance = random.Random(20)
        seed = as_text([phase("build", "sort", 70, edges=5, bytes=6)] + search() + [phase("bfs", "fill", 3)] + search(3)).encode()
        codes = {0: 0, 3: 0}
        for turn in range(120 if SANITIZED else 300):
            data = self.damage(chance, seed)
            result = self.run_it("report", "-", "-o", "page.html", "-q", stdin=data)
            self.assertIn(result.returncode, codes, (turn, data, result.stderr))
            codes[result.returncode] += 1
            if result.returncode == 0:
                self.assertEqual(result.stderr, b"", data)
                self.look("page.html")
            else:
                self.assertRegex(result.stderr, rb"\Ameguri: standard input[^\n]*\.\n\Z")
        self.assertTrue(all(codes.values()), codes)


if __name__ == "__main__":
    main()
