"""The report page in a browser: Chromium opens it, without a screen and without a network, and looks at it."""
import html
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import zlib

from harness import Case, SANITIZED, main
from test_report import as_text, phase, search

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 240 if SANITIZED else 120  # seconds

# Looks at the page from inside, uses it, and leaves what it found as JSON in the document.
PROBE = """
<script>
(function () {
  'use strict';
  var found = { errors: [] };
  window.addEventListener('error', function (event) { found.errors.push(event.message); });
  function count(selector, least) {
    return Array.from(document.querySelectorAll(selector)).filter(function (one) {
      var box = one.getBoundingClientRect();
      return box.width > least && box.height > least;
    }).length;
  }
  function shown() {
    return Array.from(document.querySelectorAll('.search')).filter(function (one) { return !one.hidden; })
      .map(function (one) { return one.dataset.s; });
  }
  function move(mark) {
    var box = mark.getBoundingClientRect();
    mark.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: box.left + 1, clientY: box.top + 1 }));
  }
  setTimeout(function () {
    var tip = document.getElementById('tip');
    found.plots = count('svg[role=img]', 10);
    found.bars = count('.search:not([hidden]) .bar', 0);
    found.marks = count('.search:not([hidden]) use:not(.mini)', 3);
    found.lines = count('.line', 0);
    found.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    found.background = getComputedStyle(document.body).backgroundColor;
    found.push = getComputedStyle(document.querySelector('.p0')).fill;
    found.font = getComputedStyle(document.querySelector('.tick')).fontSize;
    found.before = shown();
    found.tipAtFirst = !tip.hidden;
    document.querySelector('.search:not([hidden])').scrollIntoView();
    move(document.querySelectorAll('.search:not([hidden]) .hit')[3]);
    found.tip = tip.hidden ? null : tip.innerText;
    var box = tip.getBoundingClientRect();
    found.tipInside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    move(document.body);
    found.tipGone = tip.hidden;
    var picks = document.querySelectorAll('.pick'), next = document.querySelector('[data-go="1"]');
    if (picks.length) {
      picks[0].dispatchEvent(new MouseEvent('click', { bubbles: true }));
      found.picked = shown();
      found.fastest = picks[0].dataset.s;
      next.click();
      found.next = shown();
      found.second = picks[1].dataset.s;
      found.highlighted = Array.from(document.querySelectorAll('.line.on')).map(function (one) { return one.dataset.s; });
    }
    var plot = document.querySelector('.search:not([hidden]) svg.steps');
    plot.focus();
    plot.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    plot.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    found.byKeyboard = tip.hidden ? null : tip.innerText;
    found.labelled = Array.from(document.querySelectorAll('svg[role=img]')).every(function (one) {
      return one.getAttribute('aria-label') && document.getElementById(one.getAttribute('aria-describedby'));
    });
    var out = document.createElement('pre');
    out.id = 'probe';
    out.textContent = JSON.stringify(found);
    document.body.append(out);
  }, 50);
})();
</script>
"""


def decode_png(data):
    """(width, height, rows of pixels as bytes, bytes of a pixel): enough of PNG for a screenshot."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    assert depth == 8 and colour in (2, 6) and not interlaced
    size = 3 if colour == 2 else 4
    raw, stride = zlib.decompress(packed), width * size
    rows, before = [], bytes(stride)
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride if kind else 0):
            a, b, c = row[i - size] if i >= size else 0, before[i], before[i - size] if i >= size else 0
            if kind == 1:
                row[i] = (row[i] + a) & 255
            elif kind == 2:
                row[i] = (row[i] + b) & 255
            elif kind == 3:
                row[i] = (row[i] + (a + b) // 2) & 255
            else:
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                row[i] = (row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        before = bytes(row)
        rows.append(before)
    return width, height, rows, size


class Browser(Case):
    def setUp(self):
        super().setUp()
        self.need(CHROMIUM, "chromium")

    def chromium(self, page, *words, dark=False, width=1200, height=800):
        """Runs Chromium in a session of its own, which is ended whatever happens; returns (standard output, its log)."""
        folder = tempfile.mkdtemp(prefix="mg-", dir="/tmp")  # a short path: its sockets allow 107 characters
        env = {k: v for k, v in os.environ.items() if not k.startswith(("DBUS", "DISPLAY", "WAYLAND", "XDG", "LD_", "ASAN", "UBSAN"))}
        env.update(HOME=folder, TMPDIR=folder, LC_ALL="C.UTF-8")
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-breakpad",
                   "--disable-crash-reporter", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
                   "--disable-component-update", "--disable-sync", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND",
                   "--hide-scrollbars", "--force-device-scale-factor=1", "--enable-logging=stderr", "--virtual-time-budget=3000",
                   f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--window-size={width},{height}",
                   f"--user-data-dir={folder}/profile", *words, "file://" + self.path(page)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                                   env=env, start_new_session=True)
        try:
            output, log = process.communicate(timeout=PATIENCE)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            self.nothing_runs(folder)
            shutil.rmtree(folder, ignore_errors=True)
        self.assertEqual(process.returncode, 0, log.decode(errors="replace"))
        return output.decode(), log.decode(errors="replace")

    def nothing_runs(self, folder):
        """Processes that Chromium started end with it; those of the crash handler leave its session."""
        deadline = time.monotonic() + 20
        while True:
            left = []
            for name in os.listdir("/proc"):
                if name.isdigit():
                    try:
                        with open(f"/proc/{name}/cmdline", "rb") as file:
                            if folder.encode() in file.read():
                                left.append(int(name))
                    except OSError:
                        pass
            if not left:
                return
            if time.monotonic() > deadline:
                for number in left:
                    os.kill(number, signal.SIGKILL)
                self.fail(f"the browser left processes behind: {left}")
            time.sleep(0.05)

    def make(self, lines):
        self.write("trace.json", as_text(lines))
        self.good("report", "trace.json", "-o", "page.html", "-q")
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        self.write("probed.html", text.replace("</body>", PROBE + "</body>"))

    def probe(self, **more):
        output, log = self.chromium("probed.html", "--dump-dom", **more)
        console = [line for line in log.split("\n") if "CONSOLE" in line]
        self.assertEqual(console, [])
        match = re.search(r'<pre id="probe">(.*?)</pre>', output, re.DOTALL)
        self.assertTrue(match, output[-2000:] + log)
        found = json.loads(html.unescape(match.group(1)))
        self.assertEqual(found["errors"], [])
        return found

    def shot(self, **more):
        self.chromium("page.html", f"--screenshot={self.path('shot.png')}", **more)
        with open(self.path("shot.png"), "rb") as file:
            return decode_png(file.read())

    def colours(self, shot):
        width, height, rows, size = shot
        seen = {}
        for row in rows:
            for x in range(0, width * size, size):
                pixel = row[x:x + 3]
                seen[pixel] = seen.get(pixel, 0) + 1
        return seen


class Pages(Browser):
    def test_one_search(self):
        self.make([phase("open", "map", 500)] + search(at=500))
        found = self.probe()
        self.assertEqual(found["plots"], 3)      # timeline, the search, the phases of open
        self.assertEqual(found["bars"], 6)       # time
        self.assertEqual(found["marks"], 12)     # frontier and edges
        self.assertEqual(found["before"], ["0"])
        self.assertEqual(found["overflow"], 0)
        self.assertFalse(found["tipAtFirst"])
        self.assertIn("Step 3, pull", found["tip"])
        self.assertIn("400,000 vertices", found["tip"])
        self.assertTrue(found["tipInside"] and found["tipGone"] and found["labelled"])
        self.assertIn("Step 1, push", found["byKeyboard"])

    def test_many_searches(self):
        lines = []
        for number in range(64):
            lines += search(scale=1 + (number * 37) % 64)
        self.make(lines)
        found = self.probe()
        self.assertEqual(found["plots"], 1 + 1 + 4 + 1)  # timeline, times, four by step, the search that is shown
        self.assertEqual(found["lines"], 3 * 64)
        self.assertEqual(found["bars"], 6)
        self.assertEqual(len(found["before"]), 1)
        self.assertEqual(found["picked"], [found["fastest"]])
        self.assertEqual(found["next"], [found["second"]])
        self.assertEqual(found["highlighted"], 3 * [found["second"]])

    def test_strategies(self):
        """Plots of strategies are seen, told about, labelled, and fit a phone."""
        lines = []
        for strategy, scale in [("all", 1), ("selected", 2)]:
            for source in (1, 2):
                steps = search(scale, run="sssp")
                steps[0].update(strategy=strategy, vertices=400000, source=source)
                lines += steps
        self.make(lines)
        for width in (1200, 390):
            found = self.probe(width=width)
            self.assertEqual(found["plots"], 1 + 1 + 4 + 1 + 4)  # as for many searches, and means, times, changed, distribution
            self.assertEqual(found["overflow"], 0)
            self.assertTrue(found["labelled"])

    def test_phone_and_dark(self):
        self.make([phase("read", "parse", 900, bytes=12345678)] + search(at=900) + search(at=3000))
        wide, narrow = self.probe(), self.probe(width=390, height=800, dark=True)
        for found in [wide, narrow]:
            self.assertEqual(found["overflow"], 0)
            self.assertEqual(found["plots"], 8)
            self.assertTrue(found["tipInside"])
        self.assertEqual(wide["font"], narrow["font"], "text of plots must not shrink with them")
        self.assertNotEqual(wide["background"], narrow["background"])
        self.assertNotEqual(wide["push"], narrow["push"])

    def test_screenshots(self):
        self.make(search())
        for dark in [False, True]:
            shot = self.shot(dark=dark, width=700, height=900)
            seen = self.colours(shot)
            self.assertEqual(shot[:2], (700, 900))
            self.assertGreater(len(seen), 50)
            paper = max(seen, key=seen.get)
            self.assertLess(seen[paper], 0.95 * 700 * 900)
            brightness = sum(paper) / 3
            self.assertTrue(brightness < 60 if dark else brightness > 230, paper)
            if not dark:
                for paint in [b"\x0b\x6c\xbd", b"\xd9\x66\x0a"]:  # of push and pull, as report.css has them
                    self.assertGreater(seen.get(paint, 0), 20, paint)

    def test_would_see_an_error(self):
        """The probe and the log do notice what they are there to notice."""
        self.write("bad.html", "<!doctype html><title>x</title><p>x<script>console.error('oh no'); missing();</script>")
        _, log = self.chromium("bad.html", "--dump-dom")
        console = [line for line in log.split("\n") if "CONSOLE" in line]
        self.assertTrue(any("oh no" in line for line in console), log)
        self.assertTrue(any("missing" in line for line in console), log)


if __name__ == "__main__":
    main()
