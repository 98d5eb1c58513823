"""The model of bench/replay.py: its bytes stay near those that bench_traffic counts on up to 16 processes; it finds a
trace that is not what it says; its plots are XML and say that they are a model; a foreign file gets one sentence."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TRAFFIC, ROOT = os.environ["BENCH_TRAFFIC"], os.environ["MEGURI_ROOT"]
REPLAY = [sys.executable, "-B", os.path.join(ROOT, "bench", "replay.py")]


def replay(*words):
    return subprocess.run([*REPLAY, *words], capture_output=True, text=True, timeout=120)


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        prefix = os.path.join(cls.folder.name, "t")
        out = subprocess.run([TRAFFIC, "fixed", "16", "2", "--json", "--trace", prefix], capture_output=True, text=True,
                             check=True, timeout=200).stdout
        cls.rows = [json.loads(line) for line in out.splitlines()]
        cls.traces = sorted(glob.glob(prefix + "-*.jsonl"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_traces_have_the_bytes_of_the_results(self):
        self.assertEqual(len(self.rows), 18)
        for row in self.rows:
            name = f"t-16-{row['rows']}x{row['columns']}-{row['exchange']}.jsonl"
            searches = []
            with open(os.path.join(self.folder.name, name), encoding="utf-8") as file:
                for line in map(json.loads, file):
                    if "step" not in line:
                        continue  # a phase of what searches stand on
                    if line["step"] == 0:
                        searches.append([])
                    searches[-1].append(line)
            searches = [s for s in searches if s[-1]["frontier"] > 656]
            for kind, fact in (("expand", "expand"), ("fold", "fold"), ("settle", "settle"), ("parents", "parent")):
                mean = sum(line["sent"][kind]["bytes"] for s in searches for line in s) / len(searches)
                self.assertAlmostEqual(mean, row[fact + "_bytes"], delta=1)
            for line in (line for s in searches for line in s):
                for kind, most in line["sent_most"].items():
                    if kind != "process":
                        self.assertLessEqual(most["bytes"], line["sent"][kind]["bytes"])

    def test_figures_of_the_layouts(self):
        table = {(r["processes"], r["layout"], r["exchange"]): r for r in self.rows}
        for p in (4, 9, 16):
            for exchange in ("plain", "packed"):
                self.assertLess(table[p, "2-D", exchange]["bytes"], table[p, "simple", exchange]["bytes"])
            self.assertEqual(table[p, "replicated", "plain"]["fold_bytes"], 0)
            self.assertEqual(table[p, "simple", "plain"]["expand_bytes"], 0)
        self.assertLessEqual(table[4, "2-D", "packed"]["levels_of_shortest_percent"], 70)

    def test_the_model_is_near(self):
        result = replay(*self.traces, "--check", "0.35")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        plain = replay(*[t for t in self.traces if "plain" in t], "--check", "0.2")
        self.assertEqual(plain.returncode, 0, plain.stdout + plain.stderr)

    def test_the_check_can_fail(self):
        self.assertEqual(replay(*self.traces, "--check", "0.0001").returncode, 1)

    def test_plots(self):
        result = replay(*self.traces, "--svg", self.folder.name)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("a model", result.stdout)
        plots = glob.glob(os.path.join(self.folder.name, "*.svg"))
        self.assertEqual(len(plots), 5)
        for plot in plots:
            self.assertIn("a model", "".join(xml.etree.ElementTree.parse(plot).getroot().itertext()))

    def test_a_foreign_file(self):
        path = os.path.join(self.folder.name, "foreign")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"run":"build"}\n')
        result = replay(path)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(result.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
