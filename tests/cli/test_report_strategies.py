"""meguri report: searches that say their strategy, drawn beside each other (figures 4 to 8 of paper P3)."""
import json
import math
import random
import re

from harness import SANITIZED, main
from test_report import Report, as_text, search

CHANGED = [1, 40, 900, 20000, 7000, 300, 9]  # vertices that have changed in the phases of a search


def phases(strategy, source, vertices=50000, scale=1, at=0, changed=CHANGED, **more):
    """A search on a device as its trace has it: the first line says how it goes about it. Times depend on the source."""
    lines = []
    for step, frontier in enumerate(changed):
        us = round((100 + frontier / 10 + 10 * source) * scale)
        at += us
        lines.append({"at_us": at, "run": "sssp", "step": step, "phase": "phase", "frontier": frontier,
                      "way": "all" if strategy == "all" else "selected", "engine": "device", "us": us, "bytes": 44})
    lines[0].update({"strategy": strategy, "vertices": vertices, "source": source, "searches": 1}, **more)
    return lines


def given(above, below):
    return {"thresholds": "given", "all_above_us": above, "selected_below_us": below}


MEASURED = {"thresholds": "measured", "all_above_us": 900, "selected_below_us": 850}


class Strategies(Report):
    def rows(self, page):
        """The table of strategies: (name, cells by their labels)."""
        found = []
        for row in page.all("tr"):
            cells = {c["data-l"]: c for c in page.all("td") if c["parent"] is row and "data-l" in c}
            if "mean time" in cells:
                head, = [e for e in page.all("th", scope="row") if e["parent"] is row]
                spans = [e["text"] for e in page.all("span") if e["parent"] is cells["thresholds"]]
                texts = {name: cell["text"].replace("\xa0", " ").strip() for name, cell in cells.items()}
                texts["thresholds"] = " ".join([texts["thresholds"]] + spans)
                found.append((head["text"], texts))
        return found

    def figure(self, page, part):
        """The drawing whose title begins so; None: there is none."""
        for svg in page.all("svg", role="img"):
            if any(t["text"].startswith(part) for t in page.all("title", id=svg["aria-labelledby"])):
                return svg
        return None

    def titles(self, page, svg):
        return [t["text"].replace("\xa0", " ") for t in page.all("title")
                if t["parent"] is not svg and page.inside(t, svg)]

    def trace(self):
        lines = []
        for source in (3, 8, 5):
            lines += phases("all", source) + phases("selected", source, scale=1.5)
            lines += phases("adaptive", source, scale=0.5, **MEASURED)
            for above in (200, 1000, 4000):
                lines += phases("adaptive", source, scale=0.5 + above / 10000, **given(above, above - 10))
        for source in (1, 2):
            lines += phases("all", source, vertices=900, changed=[1, 30, 4])
        return lines

    def test_table(self):
        lines = self.trace()
        page = self.page(lines)
        totals, setting = {}, None
        for line in lines:  # what the page should say, by other means
            if "strategy" in line:
                setting = (line["vertices"], line["strategy"], line.get("thresholds"),
                           line.get("all_above_us") if line.get("thresholds") == "given" else None)
                totals.setdefault(setting, []).append(0)
            totals[setting][-1] += line["us"]
        rows = self.rows(page)
        self.assertEqual([(name, cells["vertices"].replace(",", "")) for name, cells in rows],
                         [(s[1], str(s[0])) for s in sorted(totals, key=lambda s: s[0])])
        for (name, cells), key in zip(rows, sorted(totals, key=lambda s: s[0])):
            times = totals[key]
            number, unit = cells["mean time"].split()
            mean = float(number) * {"µs": 1, "ms": 1000, "s": 1e6}[unit]
            self.assertAlmostEqual(mean / (sum(times) / len(times)), 1, delta=0.006)
            self.assertEqual(cells["searches"], str(len(times)))
            self.assertEqual(cells["phases"], "3" if key[0] == 900 else "7")
            base = totals[key[0], "all", None, None]
            self.assertAlmostEqual(float(cells["speed"][:-1]), sum(base) / sum(times), delta=0.006)
        self.assertEqual(rows[3][1]["thresholds"], "900 µs, 850 µs measured")
        self.assertEqual(rows[4][1]["thresholds"], "200 µs, 190 µs")

    def test_figures(self):
        page = self.page(self.trace())
        means = self.figure(page, "Mean time of a search")
        bars = [e for e in page.all("rect", class_="bar") if page.inside(e, means)]
        self.assertEqual([b["class"] for b in bars], ["bar p0", "bar p0", "bar p1", "bar p2"])  # small graph first, no sweep
        heights = [float(b["height"]) for b in bars]
        self.assertAlmostEqual(heights[2] / heights[1], 1.5, delta=0.01)
        self.assertAlmostEqual(heights[3] / heights[1], 0.5, delta=0.01)
        times = self.figure(page, "Time of each phase")
        told = self.titles(page, times)
        self.assertEqual(len(told), len(CHANGED))
        self.assertEqual(told[3], "Phase 3\nall\t2.13 ms\nselected\t3.19 ms\nadaptive\t1.06 ms\nChanged\t20,000 vertices")
        self.assertEqual(len([e for e in page.all("polyline", class_="curve") if page.inside(e, times)]), 4)
        changed = self.figure(page, "Changed vertices in each phase")
        told = self.titles(page, changed)
        self.assertEqual(told[2], "Phase 2\nfrom 3\t900\nfrom 8\t900\nfrom 5\t900")
        sweep = self.figure(page, "Mean time of a search, by threshold")
        told = self.titles(page, sweep)
        self.assertEqual([re.search(r"Up\t(.*)\n", t).group(1) for t in told], ["900 µs", "200 µs", "1.00 ms", "4.00 ms"])
        self.assertEqual([e["class"] for e in page.all("line", class_="rule") if page.inside(e, sweep)], ["rule c0", "rule c1"])
        self.assertIn("measured", [e["text"] for e in page.all("text", class_="word") if page.inside(e, sweep)])

    def test_distribution(self):
        """The curve and the sentence, beside a count of our own."""
        chance = random.Random(7)
        changed = [round(10 ** chance.uniform(0, 5.5)) for _ in range(400)] + [10, 100, 1000, 10000, 0]
        page = self.page(phases("all", 1, changed=changed) + phases("all", 2, changed=changed))
        most = max(changed)
        self.assertGreater(most, 100000)
        share = 100 * sum(c < 10000 for c in changed) / len(changed)
        self.assertIn(f"In {share:.0f}\xa0% of the phases fewer than 10,000 vertices had changed; the most were {most:,} "
                      f"(all, {2 * len(changed)} phases of 2 searches).", self.text)
        svg = self.figure(page, "Phases with fewer")
        curve, = [e for e in page.all("polyline", class_="curve") if page.inside(e, svg)]
        points = [tuple(map(float, p.split(","))) for p in curve["points"].split()]
        decades = math.log10(most) + 0.1
        for x, y in points[::7]:
            limit = 10 ** (x / 1000 * decades)
            self.assertAlmostEqual(170 * (1 - sum(c < limit * (1 - 1e-4) for c in changed) / len(changed) / 1.12), y, delta=2)

    def test_several_traces(self):
        """A file for each strategy is as good as one for all; times follow each other."""
        for name in ("all", "selected"):
            self.write(name + ".json", as_text(phases(name, 4) + phases(name, 6)))
        found = self.json("report", "all.json", "selected.json", "-o", "page.html")
        self.assertEqual([(r["run"], r["times"], r["steps"]) for r in found["runs"]], [("sssp", 4, 4 * len(CHANGED))])
        page = self.look("page.html")
        self.assertEqual([(name, cells["searches"]) for name, cells in self.rows(page)], [("all", "2"), ("selected", "2")])
        self.assertEqual([e["text"] for e in page.all("h1")], ["all.json and selected.json"])
        lasts = 2 * max(line["at_us"] for line in phases("all", 4) + phases("all", 6)) / 1000
        tile, = [e["parent"] for e in page.all("dt") if e["text"] == "Trace lasts"]
        value, = [e["text"] for e in page.all("dd") if e["parent"] is tile]
        self.assertEqual(value, f"{lasts:.2f}\xa0ms" if lasts < 9.995 else f"{lasts:.1f}\xa0ms")
        with open(self.path("selected.json"), "rb") as file:
            self.good("report", "all.json", "-", "-o", "page.html", stdin=file.read())
        self.assertEqual(len(self.rows(self.look("page.html"))), 2)
        self.write("b.json", as_text(search()))
        self.good("report", "b.json", "all.json", "b.json", "-o", "page.html")
        page = self.look("page.html")
        for name in ["bfs · b.json", "bfs · b.json (2)"]:
            self.assertEqual(self.cells(page, name)["times"], "1")
        self.write("empty.json", "")
        self.write("bad.json", as_text(search()) + "no\n")
        self.write("g.geojson", '{"type":"FeatureCollection","features":[]}')
        for part, *files in [("empty.json is empty", "all.json", "empty.json"), ("bad.json:7: this is not a step", "all.json", "bad.json"),
                             ("cannot open none.json: no such file.", "all.json", "none.json"), ("GeoJSON, which is read alone", "g.geojson", "all.json")]:
            self.bad(3, part, "report", *files, "-o", "new.html")
        self.bad(2, "all.json", "report", "selected.json", "all.json", "-o", "all.json")
        self.assertNotIn("new.html", self.names())

    def test_searches_side_by_side(self):
        """Steps that several searches share are divided among them; parents, found at the end, are no phase."""
        lines = phases("near-far", 1, searches=8) + phases("near-far", 2)
        parents = {"run": "sssp", "step": 7, "phase": "parents", "frontier": 50000, "way": "all", "us": 800}
        page = self.page(lines + [parents])
        (_, cells), = self.rows(page)
        self.assertEqual((cells["searches"], cells["phases"]), ("9", "7"))
        us = sum(line["us"] for line in lines) + 800
        self.assertEqual(cells["mean time"], f"{us / 9:.0f} µs" if us / 9 < 999.5 else f"{us / 9000:.2f} ms")
        self.assertIn("the most were 20,000", self.text)

    def test_other_phases_are_not_compared(self):
        page = self.page(phases("all", 1) + phases("near-far", 1, changed=[1, 5, 7] * 30) + phases("selected", 1))
        self.assertIn("near-far has 90 phases of another kind", self.text)
        told = self.titles(page, self.figure(page, "Time of each phase"))
        self.assertEqual(len(told), len(CHANGED))
        self.assertNotIn("near-far", told[0])

    def test_never_and_missing(self):
        """Infinite thresholds, a search alone, names that are no names, more settings than are kept."""
        never = {"thresholds": "measured", "all_above_us": None, "selected_below_us": None}
        page = self.page(phases("adaptive", 1, **never) + phases("adaptive", 2, **never))
        self.assertEqual(self.rows(page)[0][1]["thresholds"], "never, always measured")
        self.assertIsNone(self.figure(page, "Mean time of a search, by"))
        self.assertEqual(self.rows(self.page(phases("all", 1))), [])  # nothing to compare
        evil = "<b>&\"'" + "x" * 300
        page = self.page(phases(evil, 1) + phases("\x1b[31m", 2, vertices=None))
        self.assertEqual(len(self.rows(page)), 2)
        many = sum((phases("adaptive", 1, **given(above, 1)) for above in range(1, 80)), [])
        page = self.page(many)
        self.assertEqual(len(self.rows(page)), 64)
        self.assertIn("15 searches with further strategies or thresholds are left out", self.text)
        for field, value in [("strategy", 5), ("vertices", "many"), ("searches", -1), ("thresholds", {}), ("all_above_us", "x")]:
            lines = phases("all", 1)
            lines[0][field] = value
            self.write("t.json", as_text(lines))
            self.bad(3, f"field \"{field}\" is of another kind", "report", "t.json", "-o", "p.html")
        self.page([{"run": "mine", "step": 0, "vertices": "many", "us": 5}])  # somebody else's field

    def test_damaged(self):
        chance = random.Random(4)
        seed = self.trace()
        for _ in range(8 if SANITIZED else 25):
            lines = json.loads(json.dumps(seed))
            for _ in range(chance.randint(1, 12)):
                line = chance.choice(lines)
                key = chance.choice(list(line))
                line[key] = chance.choice([0, 1, 2**62, None, 7.5, line[key]] if isinstance(line[key], (int, float))
                                          else [line[key], "phase", "all", "given"])
                if chance.random() < 0.3:
                    lines.remove(line)
            result = self.run_it("report", "-", "-o", "page.html", "-q", stdin=as_text(lines).encode())
            self.assertIn(result.returncode, (0, 3), result.stderr)
            if result.returncode == 0:
                self.look("page.html")


if __name__ == "__main__":
    main()
