"""Ranks that are killed at a place, not at a moment: at the end of a phase, in a step, before a file gets its name. The
others end within seconds, with one sentence at most beside what the launcher says, and leave nothing half written.

`all`: at every line of the trace and every call that writes, at each rank."""
import os
import re
import shutil
import signal
import sys
import time
from collections import Counter

from launcher import BUILD, Launched, MEGURI, ROOT, main

HOOK = os.path.join(BUILD, "tests", "libstop_there.so")
RANKS, SOON = 3, 5
ALL = "all" in sys.argv
CALLS = ("fsync", "rename", "pwrite", "unlink")

RUNS = {
    "build": ("build", "g.el", "-o", "out.meg"),
    "bfs": ("bfs", "g.meg", "--source", 1, "-o", "out.tsv"),
    "sssp": ("sssp", "g.meg", "--source", 1, "-o", "out.tsv"),
    "run": ("run", os.path.join(ROOT, "examples", "pregel", "pagerank.c"), "g.meg", "-o", "out.tsv", "--checkpoint", "kept",
            "--every", 5, "--", 20),
}
# Of each run: where, how often it is passed before, at which rank.
PLACES = [("build", "line", '"phase":"sort"', 1, 2), ("build", "call", "rename", 1, 0), ("bfs", "line", '"run":"bfs"', 2, 1),
          ("sssp", "line", '"phase":"push"', 3, 0), ("run", "call", "fsync", 5, 2), ("run", "call", "rename", 2, 0)]


class Stopped(Launched):
    def setUp(self):
        super().setUp()
        self.need(os.path.exists(HOOK), "the library that stops processes")
        self.good("gen", "kronecker", "--scale", 8, "--weights", "u32", "-q", "-o", "g.meg")
        self.good("convert", "g.meg", "-q", "-o", "g.wel")
        os.rename(self.path("g.wel"), self.path("g.el"))
        self.environment = {"XDG_CACHE_HOME": self.path("cache")}
        os.mkdir(self.path("cache"))
        self.before = self.names()

    def compile(self):
        """Once, and the result of a run that is not stopped."""
        self.good(*RUNS["run"], "-q", env=self.environment)
        os.rename(self.path("out.tsv"), self.path("ranks.tsv"))
        shutil.rmtree(self.path("kept"))
        self.before = self.names()

    def hooked(self, words, **hook):
        """Under the launcher, with the library in each process."""
        options = [word for name, value in {"LD_PRELOAD": HOOK, **hook}.items() for word in ("-x", f"{name}={value}")]
        return self.start(RANKS, MEGURI, *words, options=options, **self.environment)

    def stop_at(self, name, kind, what, count, rank):
        """Kills the rank there; what is left is as it was, or, after a rename, whole."""
        self.clean(set(self.names()) - set(self.before))
        since = time.monotonic()
        hook = {"STOP_LINE" if kind == "line" else "STOP_CALL": what}
        code, out, err = self.finish(self.hooked(RUNS[name], STOP_RANK=rank, STOP_COUNT=count, **hook), 60)
        self.assertLess(time.monotonic() - since, 2 * SOON, err)
        self.assertEqual(code, 128 + signal.SIGKILL, err)
        self.assertLessEqual(len(re.findall("^meguri: ", err, re.M)), 1, err)
        self.assertEqual(os.listdir(self.sessions), [])
        left = set(self.names()) - set(self.before)
        self.assertEqual({n for n in left if n.startswith(".")}, set(), err)
        return left, out

    def resume(self):
        """A checkpoint is there from the first superstep on, and goes on to the result of a run that was not stopped."""
        words = [*RUNS["run"]]
        words[words.index("--checkpoint"):words.index("--checkpoint") + 4] = ["--resume", "kept", "-q"]
        self.meguri(2, *words, **self.environment)
        self.assertEqual(self.content("out.tsv"), self.content("ranks.tsv"))

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def clean(self, left):
        for name in left:
            path = self.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def test_places(self):
        self.compile()
        for place in PLACES:
            with self.subTest(place=place):
                left, out = self.stop_at(*place)
                self.assertEqual((left, out), ({"kept"} if place[0] == "run" else set(), ""))
                if left:
                    self.resume()

    def passed(self, name, rank):
        """The lines and calls of a whole run, at a rank, by what they are told apart; and the result."""
        code, _, err = self.finish(self.hooked(RUNS[name], STOP_RANK=rank, STOP_TELL=self.path("told")), 60)
        self.assertEqual(code, 0, err)
        places = Counter()
        for line in self.content("told").decode().splitlines():
            keys = re.findall('"(?:run|phase)":"[^"]*"', line)
            places["call " + line if line in CALLS else "line " + keys[-1]] += 1
        self.assertEqual([n for n in self.names() if n.startswith(".")], [])
        whole = self.content(RUNS[name][RUNS[name].index("-o") + 1])
        self.clean(set(self.names()) - set(self.before))
        return places, whole

    def every_place(self):
        self.compile()
        for name, rank in ((name, rank) for name in RUNS for rank in range(RANKS)):
            places, whole = self.passed(name, rank)
            self.assertGreater(len(places), 8)
            for number, (place, times) in enumerate(sorted(places.items())):
                kind, what = place.split(" ", 1)
                count = (1, (times + 1) // 2, times)[(number + rank) % 3]
                with self.subTest(run=name, place=place, count=count, rank=rank):
                    left, out = self.stop_at(name, kind, what, count, rank)
                    results = left - {"kept"}
                    self.assertTrue(results or not out, "the summary of what is not there")
                    for result in results:
                        self.assertEqual(self.content(result), whole)
                    if os.path.exists(self.path("kept/checkpoint")):
                        self.resume()

    if ALL:
        test_every_place = every_place

    def test_versions(self):
        """Ranks with different versions of the library: both are named, before anything else is compared."""
        for verb, words in (("gen", ("gen", "kronecker", "--scale", 6, "-o", "out.meg")), ("bfs", RUNS["bfs"])):
            with self.subTest(verb=verb):
                code, out, err = self.finish(self.hooked(words, STOP_RANK=1, OTHER_VERSION="0.9.7"), 60)
                self.assertEqual((code, out), (2, ""), err)
                ours = re.findall("^meguri: .*", err, re.M)
                self.assertEqual(len(ours), 1, err)
                self.assertRegex(ours[0], "^meguri: rank 0 runs libmeguri [0-9.]+ and rank 1 runs libmeguri 0.9.7; install")
                self.assertEqual(self.names(), self.before)
        code, out, err = self.finish(self.hooked(("--version",), STOP_RANK=1, OTHER_VERSION="0.9.7"), 60)
        self.assertEqual((code, err), (0, ""))


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "all"]
    main()
