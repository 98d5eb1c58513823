"""meguri graph500 from outside: the official form, the JSON object, refusals, and the figures against python's own."""
import json
import os
import signal
import statistics
import subprocess
import time

from harness import Case, MEGURI, SANITIZED, default_signals, main


ORDER = ["min", "firstquartile", "median", "thirdquartile", "max"]
TIME = [f"{name}_time" for name in [*ORDER, "mean", "stddev"]]
EDGES = [f"{name}_nedge" for name in [*ORDER, "mean", "stddev"]]
TEPS = [f"{name}_TEPS" for name in [*ORDER, "harmonic_mean", "harmonic_stddev"]]
VALIDATE = [f"{name}_validate" for name in [*ORDER, "mean", "stddev"]]
HEAD = ["SCALE", "edgefactor", "NBFS", "graph_generation", "num_mpi_processes", "construction_time"]
EXTRA = ["seed", "num_threads", "memory_peak_bytes"]


def bfs(names):
    return ["bfs  " + name for name in names]


def sssp(names):
    return ["sssp " + name for name in names]


def pairs_of(text):
    """The lines as (key, value); values begin in column 33."""
    pairs = []
    for line in text.splitlines():
        key, _, value = line.partition(":")
        assert line.index(value.strip()) == 32, line
        pairs.append((key, value.strip()))
    return pairs


class Official(Case):
    def test_keys_and_numbers(self):
        pairs = pairs_of(self.good("graph500", "--scale", 10))
        self.assertEqual([key for key, _ in pairs], HEAD + bfs(TIME) + EDGES + bfs(TEPS) + bfs(VALIDATE) + EXTRA)
        values = {key: float(value) for key, value in pairs}
        self.assertEqual((values["SCALE"], values["edgefactor"], values["NBFS"]), (10, 16, 64))
        self.assertEqual((values["num_mpi_processes"], values["seed"]), (1, 1))
        for names in [bfs(TIME), EDGES, bfs(TEPS), bfs(VALIDATE)]:
            five = [values[name] for name in names[:5]]
            self.assertEqual(five, sorted(five))
            self.assertGreater(five[0], 0)
        self.assertLessEqual(values["max_nedge"], 16 << 10)
        self.assertGreater(values["min_nedge"], 15 << 10)

    def test_both_kernels(self):
        for words in ["bfs,sssp", "sssp,bfs"]:
            pairs = pairs_of(self.good("graph500", "--scale", 9, "--kernels", words))
            self.assertEqual([key for key, _ in pairs],
                             HEAD + bfs(TIME) + sssp(TIME) + EDGES + bfs(TEPS) + sssp(TEPS) + bfs(VALIDATE) + sssp(VALIDATE) + EXTRA)
            values = {key: float(value) for key, value in pairs}
            self.assertEqual(values["NBFS"], 64)
            for names in [sssp(TIME), sssp(TEPS), sssp(VALIDATE)]:
                five = [values[name] for name in names[:5]]
                self.assertEqual(five, sorted(five))
                self.assertGreater(five[0], 0)

    def test_shortest_paths_alone(self):
        pairs = pairs_of(self.good("graph500", "--scale", 9, "--roots", 5, "--kernels", "sssp"))
        self.assertEqual([key for key, _ in pairs], HEAD + sssp(TIME) + EDGES + sssp(TEPS) + sssp(VALIDATE) + EXTRA)
        pairs = pairs_of(self.good("graph500", "--scale", 9, "--roots", 5, "--kernels", "sssp", "--no-validation"))
        self.assertEqual([key for key, _ in pairs], HEAD + sssp(TIME) + EDGES + sssp(TEPS) + ["validation"] + EXTRA)

    def test_without_validation_it_says_so(self):
        pairs = pairs_of(self.good("graph500", "--scale", 8, "--no-validation"))
        self.assertEqual([key for key, _ in pairs], HEAD + bfs(TIME) + EDGES + bfs(TEPS) + ["validation"] + EXTRA)
        self.assertRegex(dict(pairs)["validation"], "^skipped: .* no official result$")
        facts = self.json("graph500", "--scale", 8, "--no-validation")
        self.assertIs(facts["validated"], False)
        self.assertNotIn("min_validate", facts["bfs"])
        self.assertTrue(all(row["validation_seconds"] is None for row in facts["bfs"]["searches"]))

    def test_options(self):
        values = dict(pairs_of(self.good("graph500", "--scale", 9, "--edgefactor", 3, "--roots", 5, "--seed", 8, "--kernels",
                                         "bfs", "--threads", 3)))
        self.assertEqual([values[key] for key in ["SCALE", "edgefactor", "NBFS", "seed", "num_threads"]], list("93583"))

    def test_quiet(self):
        self.assertEqual(self.good("graph500", "--scale", 5, "--quiet"), "")
        self.assertEqual(json.loads(self.good("graph500", "--scale", 5, "-q", "--json"))["SCALE"], 5)


class Json(Case):
    def check_numbers(self, found):
        """The statistics of a kernel against those of its rows."""
        rows = found["searches"]
        self.assertEqual(list(found), TIME + EDGES + TEPS + VALIDATE + ["searches"])
        for row in rows:
            self.assertAlmostEqual(row["teps"] * row["seconds"] / row["edges"], 1, places=9)
            self.assertTrue(row["reached"] > 1 and row["validation_seconds"] > 0)

        def check(names, values):
            values = sorted(values)
            n = len(values)
            wanted = [values[0], (values[(n - 1) // 4] + values[n // 4]) / 2, statistics.median(values),
                      (values[-1 - (n - 1) // 4] + values[-1 - n // 4]) / 2, values[-1], statistics.mean(values),
                      statistics.stdev(values)]
            for name, value in zip(names, wanted):
                self.assertAlmostEqual(found[name], value, delta=1e-9 * abs(value) + 1e-15, msg=name)

        check(TIME, [row["seconds"] for row in rows])
        check(EDGES, [row["edges"] for row in rows])
        check(VALIDATE, [row["validation_seconds"] for row in rows])
        teps = [row["teps"] for row in rows]
        self.assertAlmostEqual(found["harmonic_mean_TEPS"] / statistics.harmonic_mean(teps), 1, places=9)
        inverses = [1 / rate for rate in teps]
        mean = statistics.mean(inverses)
        deviation = statistics.stdev(inverses) / mean**2 / (len(teps) - 1) ** 0.5
        self.assertAlmostEqual(found["harmonic_stddev_TEPS"] / deviation, 1, places=6)
        self.assertAlmostEqual(found["median_TEPS"] * statistics.median(inverses), 1, places=9)

    def test_everything(self):
        facts = self.json("graph500", "--scale", 11, "--roots", 30, "--threads", 2)
        self.assertEqual(list(facts), ["SCALE", "edgefactor", "NBFS", "roots_wanted", "seed", "vertices", "input_edges",
                                       "graph_edges", "graph_generation", "num_mpi_processes", "construction_time", "validated",
                                       "bfs", "total_seconds", "threads", "memory_peak_bytes"])
        self.assertEqual((facts["NBFS"], facts["roots_wanted"], facts["threads"]), (30, 30, 2))
        self.assertEqual((facts["vertices"], facts["input_edges"]), (2048, 32768))
        self.assertTrue(0 < facts["graph_edges"] < 32768)
        self.assertIs(facts["validated"], True)
        found = facts["bfs"]
        rows = found["searches"]
        self.assertEqual(len({row["root"] for row in rows}), 30)
        self.assertTrue(all(0 <= row["root"] < 2048 and row["depth"] > 0 for row in rows))
        self.check_numbers(found)

    def test_both_kernels(self):
        facts = self.json("graph500", "--scale", 11, "--roots", 30, "--kernels", "bfs,sssp")
        keys = list(facts)
        self.assertEqual(keys[keys.index("bfs") + 1], "sssp")
        plain = self.json("graph500", "--scale", 11, "--roots", 30)
        for kernel in ["bfs", "sssp"]:
            self.check_numbers(facts[kernel])
            for name in ["root", "edges", "reached"]:
                self.assertEqual([row[name] for row in facts[kernel]["searches"]], [row[name] for row in plain["bfs"]["searches"]])
        for row in facts["sssp"]["searches"]:
            self.assertEqual(list(row), ["root", "seconds", "edges", "teps", "reached", "farthest", "validation_seconds"])
            self.assertTrue(0 < row["farthest"] < 20)
        alone = self.json("graph500", "--scale", 11, "--roots", 30, "--kernels", "sssp", "--no-validation", "--threads", 5)
        self.assertNotIn("bfs", alone)
        self.assertEqual([row["farthest"] for row in alone["sssp"]["searches"]],
                         [row["farthest"] for row in facts["sssp"]["searches"]])

    def test_roots_depend_on_the_seed_alone(self):
        def roots(*words):
            return [row["root"] for row in self.json("graph500", "--scale", 10, *words)["bfs"]["searches"]]

        first = roots("--threads", 1)
        self.assertEqual(roots("--threads", 5), first)
        self.assertEqual(roots("--no-validation"), first)
        self.assertEqual(roots("--roots", 9), first[:9])
        self.assertNotEqual(roots("--seed", 2), first)

    def test_fewer_roots(self):
        result = self.run_it("graph500", "--scale", 2, "--json")
        self.assertEqual(result.returncode, 0)
        facts = json.loads(result.stdout)
        self.assertTrue(facts["NBFS"] <= 4 and facts["roots_wanted"] == 64)
        self.assertRegex(result.stderr.decode(), r"^meguri: warning: only \d vertices have a neighbour, .* instead of 64\.\n$")
        one = self.json("graph500", "--scale", 2, "--roots", 1)["bfs"]
        self.assertEqual((one["stddev_time"], one["harmonic_stddev_TEPS"]), (0, 0))

    def test_trace(self):
        self.good("graph500", "--scale", 8, "--roots", 2, "--kernels", "bfs,sssp", "--trace", "t.json", "--quiet")
        with open(self.path("t.json"), encoding="utf-8") as file:
            steps = [json.loads(line) for line in file]
        own = [(step.get("step"), step["phase"]) for step in steps if step["run"] == "graph500"]
        self.assertEqual(own, [(None, "kernel1"), (None, "pack"), (0, "kernel2"), (0, "validate"), (1, "kernel2"), (1, "validate"),
                               (2, "kernel3"), (2, "validate"), (3, "kernel3"), (3, "validate")])


class Refusals(Case):
    def test_usage(self):
        self.bad(2, "needs --scale S", "graph500")
        for scale in (0, 48):
            self.bad(2, "from 1 to 47", "graph500", "--scale", scale)
        for scale in (32, 47):
            self.bad(2, "give 1 to 31, or start the command with mpirun", "graph500", "--scale", scale)
        self.bad(2, "from 1 to", "graph500", "--scale", 5, "--roots", 0)
        self.bad(2, "options only", "graph500", "--scale", 5, "g.meg")
        self.bad(2, "give bfs", "graph500", "--scale", 5, "--kernels", "dfs")
        for kernels in ["bfs,bfs", "sssp,", ",", "bfs sssp"]:
            self.bad(2, "give bfs, sssp or bfs,sssp", "graph500", "--scale", 5, "--kernels", kernels)
        self.bad(5, "device", "graph500", "--scale", 5, "--engine", "device")

    def test_too_little_memory(self):
        self.bad(4, "budget", "graph500", "--scale", 16, "--memory", "5M")
        self.bad(4, "it takes 275 GB, and", "graph500", "--scale", 31, "--memory", "100M")
        self.bad(4, "it takes 412 GB, and", "graph500", "--scale", 31, "--memory", "100M", "--kernels", "sssp")
        self.bad(4, "EB, and", "graph500", "--scale", 31, "--edgefactor", 2**32 - 1)
        self.assertEqual(self.names(), [])

    def test_interrupt(self):
        command = [MEGURI, "graph500", "--scale", "18" if SANITIZED else "20", "--roots", "100000"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                   preexec_fn=default_signals)
        time.sleep(2)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (130, b"", b"meguri: interrupted.\n"))


if __name__ == "__main__":
    main()
