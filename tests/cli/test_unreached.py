"""Summaries of bfs and sssp say where a text file that was taken for directed leaves most of a component unreached."""
import os
import shutil
import subprocess
import sys

from harness import MEGURI, SANITIZED, Case, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import plain_environment  # noqa: E402

HINT = ("hint: more than half of the weakly connected component ({} vertices) is unreached: the edges were read as directed; "
        "--undirected reads them both ways\n")
MPIRUN = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
PLUGIN = os.path.join(os.path.dirname(MEGURI), "libmeguri_mpi.so")


class Unreached(Case):
    def setUp(self):
        super().setUp()
        # A component of 8 whose arcs lead towards 1, and one of 12 that does not matter.
        self.write("in.csv", "source,target\n" + "".join(f"{i},1\n" for i in range(2, 9)) +
                   "".join(f"{i},{i + 1}\n" for i in range(20, 31)))

    def hinted(self, *words):
        return "hint:" in self.good(*words)

    def test_one_source(self):
        for verb in ("bfs", "sssp"):
            self.assertIn(HINT.format(8), self.good(verb, "in.csv", "--source", 1))
            facts = self.json(verb, "in.csv", "--source", 1)
            self.assertEqual((facts["reached"], facts["component_vertices"]), (1, 8))
            self.assertIn("--undirected", facts["hint"])
            self.assertEqual(self.good(verb, "in.csv", "--source", 1, "--quiet"), "")
            self.assertFalse(self.hinted(verb, "in.csv", "--source", 20))  # all of its component
            self.assertTrue(self.hinted(verb, "in.csv", "--source", 30))

    def test_where_somebody_has_said_so(self):
        self.good("build", "in.csv", "-q", "-o", "in.meg")
        for verb in ("bfs", "sssp"):
            self.assertFalse(self.hinted(verb, "in.csv", "--source", 1, "--directed"))
            self.assertFalse(self.hinted(verb, "in.csv", "--source", 1, "--undirected"))
            self.assertFalse(self.hinted(verb, "in.meg", "--source", 1))
        self.assertFalse(self.hinted("bfs", "in.csv", "--source", 1, "--max-depth", 3))
        self.assertFalse(self.hinted("sssp", "in.csv", "--source", 1, "--max-cost", 3))
        self.assertNotIn("hint", self.json("bfs", "in.csv", "--source", 1, "--directed"))

    def test_the_half(self):
        self.write("half.el", "1 2\n3 2\n4 3\n")
        self.assertFalse(self.hinted("bfs", "half.el", "--source", 1))  # 2 of 4
        self.write("less.el", "1 2\n3 2\n4 3\n5 4\n")
        self.assertTrue(self.hinted("bfs", "less.el", "--source", 1))  # 2 of 5
        self.write("alone.el", "1 2\n3 4\n5 6\n7 8\n")
        self.assertFalse(self.hinted("bfs", "alone.el", "--source", 1))  # 2 of 8, but all of its component
        self.write("u.graph", "3 1\n2\n1\n\n")
        self.assertFalse(self.hinted("bfs", "u.graph", "--source", 3))  # METIS is undirected

    def test_many_sources(self):
        self.write("few", "1\n2\n30\n")  # 1, 2 and 1 of 8, 8 and 12
        self.write("most", "20\n21\n1\n")  # 12, 11 and 1 of 12, 12 and 8
        for verb in ("bfs", "sssp"):
            self.assertIn(HINT.format(9), self.good(verb, "in.csv", "--sources", "few"))
            self.assertFalse(self.hinted(verb, "in.csv", "--sources", "most"))
        self.write("to", "20\n")
        self.assertFalse(self.hinted("sssp", "in.csv", "--sources", "few", "--targets", "to", "-o", "m.csv"))

    def test_names_and_no_trace_of_it(self):
        self.write("n.csv", "from,to\nKobe,Nara\nOsaka,Nara\nTsu,Nara\n")
        self.good("bfs", "n.csv", "--source", "Nara", "-q", "--trace", "quiet.json")
        self.assertIn(HINT.format(4), self.good("bfs", "n.csv", "--source", "Nara", "--trace", "trace.json"))
        with open(self.path("trace.json"), encoding="utf-8") as trace, open(self.path("quiet.json"), encoding="utf-8") as quiet:
            self.assertEqual(len(trace.readlines()), len(quiet.readlines()))

    def test_in_parts(self):
        if SANITIZED:  # MPI itself is full of reports
            return
        self.need(bool(MPIRUN) and os.path.exists(PLUGIN), "mpirun")
        for verb in ("bfs", "sssp"):
            words = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", "3", MEGURI, verb, "in.csv", "--source", "1"]
            result = subprocess.run(words, cwd=self.folder, env=plain_environment(), capture_output=True, timeout=120, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(HINT.format(8), result.stdout.decode())


if __name__ == "__main__":
    main()
