"""bench/messages.py: small counts and runs become the nine figures of paper P4, as XML that says what was counted, what
was measured and what is a model; two workers are those of the run, whatever the counts."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

COUNT, COMMAND, ROOT = os.environ["BENCH_MESSAGES"], os.environ["MEGURI_COMMAND"], os.environ["MEGURI_ROOT"]
SCRIPT = os.path.join(ROOT, "bench", "messages.py")


def script(*words):
    return subprocess.run([sys.executable, "-B", SCRIPT, *map(str, words)], capture_output=True, text=True, check=True, timeout=120).stdout


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.runs, cls.counts = cls.path("runs.jsonl"), {}
        with open(cls.runs, "w", encoding="utf-8") as runs:
            for graph in ("rmat", "uniform"):
                cls.counts[graph] = cls.path(graph + ".tsv")
                with open(cls.counts[graph], "w", encoding="utf-8") as file:
                    subprocess.run([COUNT, graph, "9", "64"], stdout=file, stderr=subprocess.DEVNULL, check=True, timeout=60)
                for program in ("pagerank", "bfs"):
                    runs.write(script("measure", "--meguri", COMMAND, "--scale", 8, "--graphs", cls.folder.name, "--program", program,
                                      "--graph", graph, "--times", 1))
        script("draw", "--rmat", cls.counts["rmat"], "--uniform", cls.counts["uniform"], "--runs", cls.runs, "--svg", cls.folder.name)
        sys.path.insert(0, os.path.join(ROOT, "bench"))
        sys.dont_write_bytecode = True
        spec = importlib.util.spec_from_file_location("messages", SCRIPT)
        cls.messages = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(cls.messages)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def lines(self):
        with open(self.runs, encoding="utf-8") as file:
            return [json.loads(text) for text in file]

    def test_all_figures_say_what_they_are(self):
        for number in range(10, 19):
            text = "".join(xml.etree.ElementTree.parse(self.path(f"pregel-{number}.svg")).getroot().itertext())
            self.assertIn(f"figure {number}", text)
            self.assertIn("counted" if 14 <= number <= 17 else "a model", text)
            self.assertEqual("measured" in text, not 14 <= number <= 17)

    def test_two_workers_are_those_of_the_run(self):
        counts = self.messages.Counts(self.counts["rmat"])
        self.assertEqual(counts.scale, 9)
        for run in self.lines():
            self.assertEqual(self.messages.seconds(counts, run, 2, 1e9), [run[part] for part in self.messages.PARTS])

    def test_what_grows_with_workers(self):
        """Normal delivery sends what it sent; the combiner and SendAll more and more, as the counts say."""
        counts = self.messages.Counts(self.counts["rmat"])
        for run in self.lines():
            some, many = (self.messages.seconds(counts, run, w, 1e9) for w in (4, 64))
            self.assertEqual(some[0], many[0])
            if run["delivery"] == "normal":
                self.assertEqual((some[1], some[3]), (many[1], many[3]))
            elif run["delivery"] == "combine":
                self.assertEqual(some[1], many[1])
                self.assertAlmostEqual(many[3] / some[3], counts.rows[run["program"], 64]["combine_messages"]
                                       / counts.rows[run["program"], 4]["combine_messages"], places=6)
            else:
                self.assertGreater(many[1], some[1])
                self.assertGreater(many[3], some[3])

    def test_bytes_over_bandwidth(self):
        counts = self.messages.Counts(self.counts["uniform"])
        run = next(r for r in self.lines() if (r["program"], r["delivery"]) == ("pagerank", "normal"))
        edges = 16 * 2 ** 8 / 2  # of a worker
        self.assertAlmostEqual(self.messages.seconds(counts, run, 4, 1e6)[2], 3 * 16 * edges * 3 / 4 / 1e6)


if __name__ == "__main__":
    unittest.main()
