"""The page of meguri overview in a browser: Chromium opens it and looks at it, on a desk and on a phone, light and dark."""
import csv
import html
import io
import json
import random
import re

from harness import main
from test_overview import HOSTILE
from test_report_page import Browser

PROBE = """
<script>
setTimeout(function () {
  'use strict';
  var found = {}, tip = document.getElementById('tip');
  function seen(selector, least) {
    return Array.from(document.querySelectorAll(selector)).filter(function (one) {
      var box = one.getBoundingClientRect();
      return box.width > least && box.height > least;
    }).length;
  }
  found.plots = seen('svg[role=img]', 40);
  found.bars = seen('.bar', 0.5);
  found.points = seen('.chart circle', 2);
  found.rows = document.querySelectorAll('.top tbody tr').length;
  found.map = seen('svg.map .lines path', 100);
  found.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  found.background = getComputedStyle(document.body).backgroundColor;
  found.labels = Array.from(document.querySelectorAll('.chart')).every(function (chart) {
    var end = -1;
    return Array.from(chart.querySelectorAll('.number')).every(function (label) {
      var box = label.getBoundingClientRect(), good = box.left > end;
      end = box.right;
      return good;
    });
  });
  var mark = document.querySelector('.chart .hit'), box = mark.getBoundingClientRect();
  mark.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: box.left + 1, clientY: box.top + 1 }));
  found.tip = tip.hidden ? null : tip.innerText;
  var out = document.createElement('pre');
  out.id = 'probe';
  out.textContent = JSON.stringify(found);
  document.body.append(out);
}, 50);
</script>
"""


class Pages(Browser):
    def page(self, *words):
        self.good("overview", *words, "-q", "-o", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        self.write("probed.html", text.replace("</body>", PROBE + "</body>"))

    def probe(self, **more):
        output, log = self.chromium("probed.html", "--dump-dom", **more)
        self.assertEqual([line for line in log.split("\n") if "CONSOLE" in line], [])
        return json.loads(html.unescape(re.search(r'<pre id="probe">(.*?)</pre>', output, re.DOTALL).group(1)))

    def test_page(self):
        """A directed graph with weights and hostile ids: everything is seen, on a desk and on a phone, light and dark."""
        rng = random.Random(5)
        names = HOSTILE + [f"v{i}" for i in range(800)]
        edges = [(names[int(800 * rng.random() ** 3)], rng.choice(names), rng.randint(1, 10**6)) for _ in range(5000)]
        edges += [(f"pair {i}", f"other {i}", 1) for i in range(9)]
        out = io.StringIO()
        csv.writer(out).writerows([("source", "target", "weight")] + edges)
        self.page(self.write("g.csv", out.getvalue()))
        wide, narrow = self.probe(), self.probe(width=390, height=800, dark=True)
        for found in (wide, narrow):
            self.assertEqual(found["plots"], 5)  # degrees, distances, communities, components, weights
            self.assertGreater(found["bars"], 20)
            self.assertGreater(found["points"], 20)
            self.assertEqual((found["rows"], found["overflow"], found["labels"]), (50, 0, True), found)
            self.assertIn("Degree 1", found["tip"])
        self.assertNotEqual(wide["background"], narrow["background"])

    def test_map(self):
        self.good("gen", "grid", "--width", 40, "--height", 30, "-q", "-o", "town.meg")
        self.page("town.meg")
        found = self.probe(width=700)
        self.assertEqual((found["map"], found["overflow"]), (3, 0))
        for dark in (False, True):
            seen = self.colours(self.shot(dark=dark, width=700, height=900))
            paper = max(seen, key=seen.get)
            self.assertTrue(sum(paper) / 3 < 60 if dark else sum(paper) / 3 > 230, paper)
            self.assertGreater(len(seen), 50)


if __name__ == "__main__":
    main()
