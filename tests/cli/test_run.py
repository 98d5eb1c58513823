"""run from end to end: the examples beside the verbs that are built in, every snippet of the tutorial, the cache, and
every sentence for programs that are wrong."""
import atexit
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from harness import Case, MEGURI, ROOT, SANITIZED, default_signals, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from troubled import PROGRAM as TROUBLED, WAYS, processes_in  # noqa: E402

EXAMPLES = os.path.join(ROOT, "examples", "pregel")
DELIVERIES = ["auto", "normal", "sendall", "sendall-sopt", "ghost", "list", "mirror"][::3 if SANITIZED else 1]

PROGRAM = """
#include <meguri/pregel.h>
#include <stdlib.h>
MEGURI_VERTEX(small, uint64_t, meguri_none, uint64_t);
static inline void small_compute(small_vertex *v, uint64_t *x) { %s }
static const meguri_output columns[] = {MEGURI_OUTPUT("x", uint64_t)};
MEGURI_PROGRAM(small, .outputs = columns, .output_count = 1);
MEGURI_RUN(&small_program);
"""


COMPILED = tempfile.mkdtemp(prefix="meguri-cli-")
atexit.register(shutil.rmtree, COMPILED)


class Run(Case):
    def setUp(self):
        super().setUp()
        self.cache = {"XDG_CACHE_HOME": COMPILED}  # for all: an example is compiled once

    def rows(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [line.rstrip("\n").split("\t") for line in file]

    def run_program(self, name, graph, *words, arguments=()):
        path = name if name.endswith((".c", ".so")) else os.path.join(EXAMPLES, name + ".c")
        self.good("run", path, graph, "-q", "-o", "out.tsv", *words, "--", *arguments, env=self.cache)
        return self.rows("out.tsv")

    def built_in(self, *words):
        self.good(*words, "-q", "-o", "want.tsv")
        return self.rows("want.tsv")


class Examples(Run):
    def setUp(self):
        super().setUp()
        self.good("gen", "kronecker", "--scale", 9, "--weights", "u32", "-q", "-o", "k.meg")
        self.good("gen", "rmat", "--scale", 9, "--a", ".45", "--b", ".15", "--c", ".15", "-q", "-o", "r.meg")
        self.good("gen", "grid", "--width", 20, "--height", 15, "-q", "-o", "roads.meg")

    def everywhere(self, name, graph, *words, **more):
        """The same bytes whatever the delivery, the workers and the threads."""
        want = self.run_program(name, graph, *words, **more)
        for number, how in enumerate(DELIVERIES):
            for workers in (1, 2 + number):
                got = self.run_program(name, graph, *words, "--delivery", how, "--workers", workers, "--threads",
                                       1 + number % 2, **more)
                self.assertEqual(got, want, (how, workers))
        return want

    def test_pagerank(self):
        for graph in ("r.meg", "k.meg"):
            want = self.built_in("pagerank", graph, "--iterations", 20)
            for got, right in zip(self.everywhere("pagerank", graph, arguments=[20]), want):
                self.assertEqual(got[0], right[0])
                if got[0] != "vertex":
                    self.assertAlmostEqual(float(got[1]), float(right[1]), delta=1e-15)
        combined = self.run_program("pagerank", "r.meg", "--delivery", "combine", "--workers", 5, arguments=[20])
        for got, right in zip(combined[1:], self.run_program("pagerank", "r.meg", arguments=[20])[1:]):
            self.assertAlmostEqual(float(got[1]), float(right[1]), delta=1e-15)

    def test_bfs(self):
        for graph in ("k.meg", "roads.meg"):
            got = self.everywhere("bfs", graph, arguments=[7])
            want = self.built_in("bfs", graph, "--source", 7)
            self.assertEqual([row[:2] for row in got], [row[:2] for row in want])
            level = {row[0]: int(row[1]) for row in want[1:]}
            for vertex, far, parent in got[1:]:
                if int(far) > 0:
                    self.assertEqual(level[parent], int(far) - 1)

    def test_sssp(self):
        for graph in ("k.meg", "roads.meg"):
            got = self.everywhere("sssp", graph, arguments=[7])
            want = self.built_in("sssp", graph, "--source", 7)
            self.assertEqual([(row[0], row[1]) for row in got[1:]],
                             [(row[0], row[1]) for row in want[1:]])

    def test_components(self):
        for graph in ("k.meg", "roads.meg"):
            want = self.built_in("components", graph)
            self.assertEqual(self.everywhere("components", graph), want)
            self.assertEqual(self.run_program("components", graph, "--delivery", "combine", "--workers", 3), want)

    def test_cores(self):
        self.assertEqual(self.everywhere("cores", "k.meg"), self.built_in("cores", "k.meg"))
        self.assertEqual(self.run_program("cores", "roads.meg"), self.built_in("cores", "roads.meg"))

    def test_labels(self):
        self.assertEqual(self.everywhere("labels", "k.meg"), self.built_in("communities", "k.meg"))
        want = self.built_in("communities", "roads.meg", "--iterations", 4)
        self.assertEqual(self.run_program("labels", "roads.meg", arguments=[4]), want)

    def test_walks(self):
        ranks = {row[0]: float(row[1]) for row in self.everywhere("walks", "r.meg", arguments=[0, 20000])[1:]}
        self.assertAlmostEqual(sum(ranks.values()), 1, delta=1e-9)
        self.assertEqual(max(ranks, key=ranks.get), "0")
        # By the definition: from the source, an end with a chance of 0.15 at each vertex, or where no edge leaves.
        self.good("convert", "r.meg", "-q", "-o", "r.el")
        out = {vertex: [] for vertex in ranks}
        with open(self.path("r.el"), encoding="utf-8") as file:
            for line in file:
                if not line.startswith("#"):
                    out[line.split()[0]].append(line.split()[1])
        at, want = {"0": 1.0}, dict.fromkeys(ranks, 0.0)
        for _ in range(100):
            then = {}
            for vertex, share in at.items():
                want[vertex] += share * (0.15 if out[vertex] else 1)
                for target in out[vertex]:
                    then[target] = then.get(target, 0) + 0.85 * share / len(out[vertex])
            at = then
        for vertex, share in want.items():
            self.assertAlmostEqual(ranks[vertex], share, delta=0.015)  # five standard deviations of 20,000 walkers

    def test_matching(self):
        chance = random.Random(2)
        edges = {(f"l{chance.randrange(60)}", f"r{chance.randrange(50)}") for _ in range(150)}
        self.write("jobs.el", "".join(f"{a} {b}\n" for a, b in sorted(edges)))
        mates = {row[0]: row[1] for row in self.everywhere("matching", "jobs.el")[1:]}
        pairs = {(a, b) for a, b in mates.items() if b and a.startswith("l")}
        self.assertTrue(pairs and pairs <= edges)
        self.assertEqual({(b, a) for a, b in mates.items() if b and a.startswith("r")}, pairs)
        for a, b in edges:
            self.assertTrue(mates[a] or mates[b], (a, b))
        self.write("line.el", "1 2\n2 3\n")
        self.bad(5, "at vertex 2: it is on both sides", "run", os.path.join(EXAMPLES, "matching.c"), "line.el",
                 env=self.cache)

    def test_forest(self):
        """Beside Kruskal's, which takes edges of the same weight in the same order: it is the same forest."""
        for graph in ("k.meg", "roads.meg"):
            self.good("convert", graph, "-q", "-o", "g.wel")
            edges = set()
            with open(self.path("g.wel"), encoding="utf-8") as file:
                for line in file:
                    if not line.startswith("#"):
                        a, b, weight = line.split()
                        edges.add((float(weight), min(int(a), int(b)), max(int(a), int(b))))
            rows = self.everywhere("forest", graph)[1:]
            above, want = {row[0]: row[0] for row in rows}, set()

            def root(vertex):
                while above[vertex] != vertex:
                    above[vertex] = vertex = above[above[vertex]]
                return vertex

            for weight, a, b in sorted(edges):
                one, other = root(str(a)), root(str(b))
                if one != other:
                    above[one] = other
                    want.add((weight, a, b))
            taken = [(float(row[4]), min(int(row[2]), int(row[3])), max(int(row[2]), int(row[3])))
                     for row in rows if row[2] != "-1"]
            self.assertEqual(len(taken), len(set(taken)))
            self.assertEqual(set(taken), want)
            self.assertEqual(len({(row[1], root(row[0])) for row in rows}), len({row[1] for row in rows}))
            self.assertEqual(len({row[1] for row in rows}), len(rows) - len(want))

    def test_summary(self):
        facts = json.loads(self.good("run", os.path.join(EXAMPLES, "pagerank.c"), "r.meg", "--workers", 4, "--delivery",
                                     "sendall", "--json", "--", 3, env=self.cache))
        self.assertEqual((facts["graph"], facts["supersteps"], facts["workers"], facts["engine"]),
                         ("r.meg", 4, 4, "cluster"))
        self.assertEqual(facts["computed"], 4 * facts["vertices"])
        self.assertEqual(facts["messages"], 3 * facts["edges"])
        self.assertEqual(facts["model_bytes"], 3 * facts["vertices"] * 4 // 8 + 8 * facts["delivered"])
        text = self.good("run", os.path.join(EXAMPLES, "bfs.c"), "r.meg", "--trace", "t.json", "--check", "--", 0,
                         env=self.cache)
        self.assertIn("checked: the answer is right", text)
        self.assertRegex(text, r"^\d+ supersteps, compute was called [\d,]+ times\n[\d,]+ messages sent, ")

    def test_counts(self):
        """What the trace has by superstep adds up to the summary; bytes by kind add up to all; a report shows it."""
        for program, arguments, graph in (("forest", [], "k.meg"), ("pagerank", [5], "r.meg")):
            for workers, how in ((1, "auto"), (3, "auto"), (3, "normal"), (4, "sendall"), (2, "list"), (3, "mirror")):
                facts = json.loads(self.good("run", os.path.join(EXAMPLES, program + ".c"), graph, "--workers", workers,
                                             "--delivery", how, "--trace", "t.json", "--json", "--", *arguments,
                                             env=self.cache))
                with open(self.path("t.json"), encoding="utf-8") as file:
                    steps = [step for step in map(json.loads, file) if step["run"] == "run"]
                self.assertEqual(len(steps), facts["supersteps"])
                self.assertEqual(sum(step["frontier"] for step in steps), facts["computed"])
                self.assertEqual(sum(step["messages"] for step in steps), facts["delivered"])
                self.assertEqual(steps[-1]["active"], 0 if program == "pagerank" else facts["vertices"])
                for whole, group in (("model_bytes", "model_bytes"), ("bytes", "sent_bytes")):
                    kinds = steps[0].get(group, {})
                    self.assertEqual(bool(kinds), whole != "bytes" or workers > 1)
                    slack = len(steps) if whole == "model_bytes" else 0  # bits that fill no byte
                    for kind in kinds:
                        self.assertAlmostEqual(sum(step[group][kind] for step in steps), facts[f"{whole}_{kind}"],
                                               delta=slack)
                    self.assertAlmostEqual(sum(facts[f"{whole}_{kind}"] for kind in kinds), facts[whole],
                                           delta=4 if slack else 0)
                self.assertEqual(facts["model_bytes_ids"] > 0, how in ("normal", "list", "mirror") or program == "forest")
                self.assertEqual(facts["model_bytes_questions"] > 0, program == "forest")
                self.assertEqual(facts["bytes_sendall"] > 0, workers > 1 and how != "normal")
                for part in ("compute", "before", "communication", "after"):
                    self.assertLess(abs(sum(step["split_us"][part] for step in steps) / 1e6
                                        - facts["seconds_" + part]), 1 if workers > 1 else 1e-4)
                self.assertEqual(facts["memory_ghosts"] > 0, workers > 1)
        self.good("report", "t.json", "-q", "-o", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        for title in ("Parts of the time", "Bytes on the network", "communication"):
            self.assertIn(title, page)


class Tutorial(Run):
    def test_snippets(self):
        self.good("gen", "grid", "--width", 5, "--height", 4, "-q", "-o", "g.meg")
        with open(os.path.join(ROOT, "docs", "vertex-programs.md"), encoding="utf-8") as file:
            snippets = re.findall(r"^```c\n(.*?)^```", file.read(), re.M | re.S)
        self.assertGreaterEqual(len(snippets), 5)
        for number, text in enumerate(snippets):
            self.write(f"s{number}.c", text)
            arguments = [3] if "begin" in text else []
            rows = self.run_program(f"s{number}.c", "g.meg", "--workers", 1 + number % 2, arguments=arguments)
            self.assertEqual(len(rows), 21, text)
            if "least" in text:
                self.assertEqual({row[1] for row in rows[1:]}, {"0"})
            if "(far," in text:
                want = self.built_in("sssp", "g.meg", "--source", 3)
                self.assertEqual([float(row[1]) for row in rows[1:]], [float(row[1]) for row in want[1:]])


class Troubled(Run):
    """Programs that end the process, or a part of it, in whatever way: one line, code 5, and nothing stays behind."""

    def setUp(self):
        super().setUp()
        self.write("t.c", TROUBLED)
        self.write("g.el", "".join(f"{i} {(i + 1) % 2000}\n" for i in range(2000)))  # enough for two threads

    def start(self, how, **more):
        """Until the program waits in its superstep 2."""
        job = subprocess.Popen([MEGURI, "run", "t.c", "g.el", "-q", "--threads", "1", "--", how], cwd=self.folder,
                               env=dict(os.environ, **self.cache), stderr=subprocess.PIPE, start_new_session=True,
                               preexec_fn=default_signals, **more)
        self.addCleanup(job.stderr.close)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        end = time.monotonic() + 60

        def waits(pid):
            with open(f"/proc/{pid}/syscall", encoding="utf-8") as file:
                return file.read().split()[0] == "34"  # pause

        def child():
            """The process that works: the other one waits for it."""
            return next((pid for pid in processes_in(self.folder) if pid != job.pid), None)

        while time.monotonic() < end:
            try:
                if child() and waits(child()):
                    return job, child()
            except (OSError, IndexError):
                pass
            time.sleep(0.01)
        self.fail("it does not come to superstep 2")

    def test_eight_ways(self):
        for how, sentence in WAYS.items():
            for threads in (1, 2):
                with self.subTest(how=how, threads=threads):
                    self.bad(5, sentence, "run", "t.c", "g.el", "-o", "o.tsv", "--threads", threads, "--", how,
                             env=self.cache)
                    self.assertFalse(os.path.exists(self.path("o.tsv")))
                    self.assertEqual(processes_in(self.folder), [])
        self.bad(5, WAYS["pthread_exit"], "run", "t.c", "g.el", "--workers", 2, "--", "pthread_exit", env=self.cache)

    def test_left_behind(self):
        self.bad(5, "the program small has started processes that did not end", "run", "t.c", "g.el", "-q", "--",
                 "leave", env=self.cache)
        self.assertEqual(processes_in(self.folder), [])

    def test_loading(self):
        self.write("l.c", TROUBLED + "__attribute__((constructor)) static void load(void) { _exit(0); }\n")
        self.bad(5, "ended before its work was done", "run", "l.c", "g.el", "--", "none", env=self.cache)

    def test_signals(self):
        """A signal for the group counts once; one for either process alone ends both."""
        job, child = self.start("wait")
        os.killpg(job.pid, signal.SIGINT)  # as the keyboard does
        time.sleep(0.5)
        self.assertIsNone(job.poll())
        os.killpg(job.pid, signal.SIGTERM)
        self.assertEqual(job.wait(30), -signal.SIGTERM)
        self.assertEqual(job.stderr.read(), b"meguri: the program small was still in superstep 2.\n")
        job, child = self.start("wait")
        for number in (signal.SIGINT, signal.SIGTERM):  # both arrive while it does not run: as one
            os.kill(child, signal.SIGSTOP)
            os.killpg(job.pid, number)
            time.sleep(0.3)
            os.kill(child, signal.SIGCONT)
            time.sleep(0.2)
        self.assertEqual(job.wait(30), -signal.SIGTERM)
        job, child = self.start("wait")
        job.send_signal(signal.SIGKILL)
        job.wait()
        end = time.monotonic() + 5
        while processes_in(self.folder) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(processes_in(self.folder), [])
        job, child = self.start("wait")
        os.kill(child, signal.SIGKILL)
        self.assertEqual(job.wait(30), 5)
        self.assertIn(b"was ended in superstep 2 by signal 9", job.stderr.read())

    def test_streams(self):
        """What stands in standard input and output is what it was without a supervisor."""
        with open(self.path("g.el"), "rb") as file:
            edges = file.read()
        rows = self.run_it("run", "t.c", "-", "-q", "-o", "-", "--", "none", stdin=edges, env=self.cache)
        self.assertEqual((rows.returncode, rows.stderr, rows.stdout.count(b"\n")), (0, b"", 2001))
        done = subprocess.run(["sh", "-c", f"{MEGURI} run t.c g.el -q -o - -- none | head -1"], cwd=self.folder,
                              env=dict(os.environ, **self.cache), capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b"vertex\tx\n"))


class Programs(Run):
    def setUp(self):
        super().setUp()
        self.write("g.el", "1 2\n2 3\n3 1\n7 8\n")

    def program(self, body):
        return self.write("p.c", PROGRAM % body)

    def test_cache(self):
        self.cache = {"XDG_CACHE_HOME": self.path("cache")}
        self.program("*x = 5; small_halt(v);")
        self.assertEqual(self.run_program("p.c", "g.el")[1], ["1", "5"])
        folder = os.path.join(self.cache["XDG_CACHE_HOME"], "meguri", "programs")
        made = os.listdir(folder)
        self.assertEqual(len(made), 1)
        path = os.path.join(folder, made[0])
        before = os.stat(path).st_mtime_ns
        self.assertEqual(self.run_program("p.c", "g.el")[1], ["1", "5"])
        self.assertEqual(os.stat(path).st_mtime_ns, before)  # not compiled again
        for damage in (lambda data: data[:1000], lambda data: data[:3000] + b"x" + data[3001:], lambda data: b""):
            with open(path, "rb") as file:
                whole = file.read()
            os.unlink(path)  # another process may have the old one mapped
            with open(path, "wb") as file:
                file.write(damage(whole))
            self.assertEqual(self.run_program("p.c", "g.el")[1], ["1", "5"])
        self.program("*x = 6; small_halt(v);")
        self.assertEqual(self.run_program("p.c", "g.el")[1], ["1", "6"])
        self.assertEqual(len(os.listdir(folder)), 2)

    def test_killed_while_compiling(self):
        """What it leaves in the cache is removed by the next, and in nobody's way."""
        self.cache = {"XDG_CACHE_HOME": self.path("cache"), "CC": "./kills"}
        self.write("kills", '#!/bin/sh\ncase "$*" in *" -E "*) ;; *) test -e spare || { kill -9 $PPID; exit; } ;; esac\nexec cc "$@"\n')
        os.chmod(self.path("kills"), 0o755)
        self.program("*x = 5; small_halt(v);")
        for _ in range(2):
            self.assertEqual(self.run_it("run", "p.c", "g.el", env=self.cache).returncode, -signal.SIGKILL)
        self.write("spare", "")
        self.assertEqual(self.run_program("p.c", "g.el")[1], ["1", "5"])
        made = os.listdir(os.path.join(self.path("cache"), "meguri", "programs"))
        self.assertEqual([os.path.splitext(name)[1] for name in made], [".so"])

    def test_shared_object(self):
        self.cache = {"XDG_CACHE_HOME": self.path("cache")}
        self.program("*x = small_out_degree(v); small_halt(v);")
        subprocess.run(["cc", "-shared", "-fPIC", "-I", os.path.join(ROOT, "include"), "p.c", "-o", "p.so"], check=True,
                       cwd=self.folder)
        self.assertEqual([row[1] for row in self.run_program("p.so", "g.el")[1:]], ["1", "1", "1", "1", "0"])
        self.assertFalse(os.path.exists(self.path("cache")))
        with open(os.path.join(ROOT, "include", "meguri", "extra", "pregel_abi.h"), encoding="utf-8") as file:
            header = file.read()
        os.makedirs(self.path("old/meguri/extra"))
        for other in glob.glob(os.path.join(ROOT, "include", "meguri", "**", "*.h"), recursive=True):
            os.symlink(other, self.path(os.path.join("old", os.path.relpath(other, os.path.join(ROOT, "include")))))
        os.unlink(self.path("old/meguri/extra/pregel_abi.h"))
        self.write("old/meguri/extra/pregel_abi.h", re.sub("MEGURI_PREGEL_ABI [0-9]+", "MEGURI_PREGEL_ABI 999", header))
        subprocess.run(["cc", "-shared", "-fPIC", "-I", "old", "p.c", "-o", "old.so"], check=True, cwd=self.folder)
        self.bad(3, "version 999", "run", "old.so", "g.el")
        self.write("none.c", "int nothing;\n")
        self.bad(3, "has no vertex program", "run", "none.c", "g.el", env=self.cache)
        self.write("text.so", "no object")
        self.bad(3, "cannot be loaded", "run", "text.so", "g.el")

    def test_compiler(self):
        self.program("*x = nonsense;")
        result = self.run_it("run", "p.c", "g.el", env=self.cache)
        self.assertEqual(result.returncode, 3)
        self.assertIn("does not compile", result.stderr.decode())
        self.assertRegex(result.stderr.decode(), r"p\.c:5:\d+: error: .*nonsense")  # the compiler's words
        for body, said in (("*x = undeclared(1); small_halt(v);", "undeclared"),
                           ("const char *text = 5; *x = *text; small_halt(v);", "pointer")):
            self.program(body)  # what older C allowed, with the line of it
            result = self.run_it("run", "p.c", "g.el", env=self.cache)
            self.assertEqual(result.returncode, 3)
            self.assertRegex(result.stderr.decode(), r"p\.c:5:\d+: error: .*" + said)
        self.program("*x = 1; small_halt(v);")
        self.write("killed", "#!/bin/sh\nkill -TERM $$\n")
        os.chmod(self.path("killed"), 0o755)
        self.bad(5, "the compiler ./killed was ended by signal 15", "run", "p.c", "g.el", env=dict(self.cache, CC="./killed"))
        self.bad(5, "no-such-compiler", "run", "p.c", "g.el", env=dict(self.cache, CC="no-such-compiler"))
        self.assertEqual(self.good("run", "p.c", "g.el", "-q", env=dict(self.cache, CC="cc -DMORE=1")), "")
        self.assertEqual(self.good("run", "p.c", "g.el", "-q", env={"HOME": "/nowhere", "XDG_CACHE_HOME": ""}), "")
        for limit in (0, 1):  # what the compiler makes is larger; at 0 it cannot even say so
            done = subprocess.run(["sh", "-c", f'ulimit -f {limit}; exec "$0" run p.c g.el', MEGURI], cwd=self.folder,
                                  env=dict(os.environ, XDG_CACHE_HOME=self.path("limited")), capture_output=True,
                                  check=False)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(b"no room to write", done.stderr)
        self.bad(3, "missing.c", "run", "missing.c", "g.el", env=self.cache)
        self.bad(3, "a file in C, .c, or compiled, .so", "run", "g.el", "p.c", env=self.cache)
        os.mkdir(self.path("folder.c"))
        self.bad(3, "no file", "run", "folder.c", "g.el", env=self.cache)

    def test_wrong_programs(self):
        self.program("*x = 0; small_send(v, 77, 1);")
        self.bad(5, "small failed in superstep 0: the vertex 1 sends to or asks vertex number 77, but there are only 5", "run",
                 "p.c", "g.el", "--threads", 1, env=self.cache)
        self.program("*x = 0; small_send_all(v, 1);")
        self.bad(5, "not ended after 12 supersteps", "run", "p.c", "g.el", "--max-supersteps", 12, env=self.cache)
        self.bad(2, "has no combiner", "run", "p.c", "g.el", "--delivery", "combine", env=self.cache)
        self.bad(4, "memory", "run", "p.c", "g.el", "--memory", "4K", env=self.cache)

    def test_check(self):
        """A value that depends on how often it is computed at all."""
        self.program("static uint64_t calls; *x = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED); small_halt(v);")
        self.bad(1, "the deliveries auto and normal come to different results", "run", "p.c", "g.el", "--check",
                 env=self.cache)

    def test_crash(self):
        self.program("*x = 0; if (small_superstep(v) == 3) *(volatile int *)8 = 1; small_send_all(v, 1);")
        for workers in (1, 3):
            self.bad(5, "the program small crashed in superstep 3: it used memory that is not its own.", "run", "p.c",
                     "g.el", "--workers", workers, env=self.cache)
        for body, sentence in (
                ("if (small_superstep(v) == 1) abort(); *x = 0;", "small crashed in superstep 1: it has called abort."),
                ("volatile int zero = 0; *x = 5 / zero;", "small crashed in superstep 0: a division by zero"),
                ("if (small_superstep(v) == 2) __builtin_trap(); *x = 0;", "small crashed in superstep 2: illegal instruction."),
                ("if (small_superstep(v) == 2) exit(0); *x = 0;", "small has called exit in superstep 2: ")):
            self.program(body)
            for workers in (1, 3):
                self.bad(5, sentence, "run", "p.c", "g.el", "-o", "o.tsv", "--workers", workers, env=self.cache)
                self.assertFalse(os.path.exists(self.path("o.tsv")))
        for _ in range(10):  # all threads at once, with the last program
            self.bad(5, sentence, "run", "p.c", "g.el", "--workers", 8, env=self.cache)

    def test_crash_elsewhere(self):
        """In whatever the program has written: hooks, combiner, answers, folds of its own."""
        self.write("p.c", """
#include <meguri/pregel.h>
#include <stdlib.h>
MEGURI_VERTEX(small, uint64_t, meguri_none, uint64_t);
MEGURI_ASKS(small, uint64_t);
static inline uint64_t small_respond(const uint64_t *x) { if (WHERE == 3) abort(); return *x; }
static inline void small_compute(small_vertex *v, uint64_t *x) {
    uint64_t one = *x = 1;
    small_ask(v, 0);
    small_own(v, 0, &one);
    if (small_superstep(v)) small_send(v, 0, 1);
}
static int begin(meguri_master *m, void *globals, int argc, const char *const *argv) {
    if (WHERE == 1) exit(3);
    return 0;
}
static void between(meguri_master *m, void *globals) { if (WHERE == 2 && m->superstep == 2) abort(); }
static inline void small_combine(uint64_t *into, const uint64_t *from) { if (WHERE == 4) abort(); }
MEGURI_COMBINES(small);
static void fold(void *mine, const void *more, uint64_t count) { if (WHERE == 5) abort(); }
static const meguri_aggregator totals[] = {{.name = "own", .kind = MEGURI_OWN, .bytes = 8, .fold = fold}};
MEGURI_PROGRAM(small, .begin = begin, .between = between, MEGURI_ANSWERS(small), MEGURI_COMBINED(small),
               .aggregators = totals, .aggregator_count = 1);
MEGURI_RUN(&small_program);
""")
        for where, sentence in enumerate(("has called exit in superstep 0", "crashed in superstep 1",
                                          "crashed in superstep 0", "crashed in superstep 1", "crashed in superstep 0"), 1):
            for workers in (1, 2):
                self.bad(5, "the program small " + sentence, "run", "p.c", "g.el", "--delivery", "combine", "--workers",
                         workers, env=dict(self.cache, CC=f"cc -DWHERE={where}"))

    def test_endless(self):
        """A program that never comes back: the first signal asks for an end, the second makes one and says where."""
        self.program("""*x = 0; if (small_superstep(v) == 2) { (void)!write(2, "!", 1); for (volatile int i = 0;;) (void)i; }""")
        with open(self.path("p.c"), encoding="utf-8") as file:
            text = file.read()
        self.write("p.c", "#include <unistd.h>\n" + text)
        job = subprocess.Popen([MEGURI, "run", "p.c", "g.el", "--threads", "1"], cwd=self.folder,
                               env=dict(os.environ, **self.cache), stderr=subprocess.PIPE)
        self.assertEqual(job.stderr.read(1), b"!")
        job.send_signal(signal.SIGINT)
        end = time.monotonic() + 60
        while job.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
            job.send_signal(signal.SIGTERM)
        job.wait()
        self.assertEqual(job.returncode, -signal.SIGTERM)
        self.assertEqual(job.stderr.read(), b"meguri: the program small was still in superstep 2.\n")
        job.stderr.close()

    def test_checkpoint(self):
        """Killed at any moment, it goes on to the same bytes; what is damaged or of another run is refused."""
        self.good("gen", "grid", "--width", 40, "--height", 40, "-q", "-o", "roads.meg")
        program = os.path.join(EXAMPLES, "sssp.c")
        want = self.run_program("sssp", "roads.meg", arguments=[3])
        words = [MEGURI, "run", program, "roads.meg", "-q", "--checkpoint", "cp", "--every", "2", "--workers", "2"]
        chance, resumed = random.Random(8), 0
        for trial in range(3 if SANITIZED else 20):
            shutil.rmtree(self.path("cp"), ignore_errors=True)
            job = subprocess.Popen([*words, "--", "3"], cwd=self.folder, env=dict(os.environ, **self.cache))
            end = time.monotonic() + 60
            while not os.path.exists(self.path("cp/checkpoint")) and time.monotonic() < end:
                time.sleep(0.001)
            time.sleep(chance.random() * 0.15)
            resumed += job.poll() is None
            job.kill()
            job.wait()
            got = self.run_program("sssp", "roads.meg", "--resume", "cp", "--workers", 1 + trial % 3, arguments=[3])
            self.assertEqual(got, want)
        self.assertGreater(resumed, 0)
        self.bad(3, "of another list of arguments", "run", program, "roads.meg", "--resume", "cp", "--", 4,
                 env=self.cache)
        self.bad(3, "of another graph", "run", program, "g.el", "--resume", "cp", "--", 3, env=self.cache)
        self.bad(3, "of another program", "run", os.path.join(EXAMPLES, "bfs.c"), "roads.meg", "--resume", "cp", "--", 3,
                 env=self.cache)
        self.bad(3, "no checkpoint to resume from", "run", program, "roads.meg", "--resume", "none", "--", 3,
                 env=self.cache)
        os.symlink("cp/checkpoint", self.path("link"))
        for trace in ("cp/checkpoint", "cp/checkpoint.new", "cp/part-2-0", "./cp/../cp/checkpoint", "link"):
            for option in ("--resume", "--checkpoint"):
                self.bad(2, "name of a file of checkpoints in cp", "run", program, "roads.meg", option, "cp", "--trace", trace,
                         "--", 3, env=self.cache)
        self.good("run", program, "roads.meg", "-q", "--resume", "cp", "--trace", "cp/trace", "-o", "cp/part-2.tsv", "--", 3,
                  env=self.cache)
        self.bad(2, "--every", "run", program, "roads.meg", "--every", 3, "--", 3, env=self.cache)
        self.bad(4, "cannot be made", "run", program, "roads.meg", "--checkpoint", "g.el/x", "--", 3, env=self.cache)

    def test_checkpoint_of_another(self):
        """Each thing that a program can see is flipped alone: the run says which, and writes nothing."""
        program = """#include <meguri/pregel.h>
#include "rate.h"
MEGURI_VERTEX(flow, double, uint32_t, double);
static inline void flow_compute(flow_vertex *v, double *x) {
    /* NOTE */
    MEGURI_EACH_MESSAGE(flow, m, v) *x = *x * RATE + m.value * m.edge;
    if (flow_superstep(v) == 9) flow_halt(v);
    else flow_send_all(v, *x + 1.0 / (1 + flow_id(v)));
}
static const meguri_output columns[] = {MEGURI_OUTPUT("x", double)};
MEGURI_PROGRAM(flow, .outputs = columns, .output_count = 1, .edge_column = "toll");
MEGURI_RUN(&flow_program);
"""
        rate = "#define RATE 0.5\n"
        rows = [(10 * (i % 40), 10 * (i * i % 37), 1 + i % 7, i % 90) for i in range(300)]
        options = ["--weight-column", "weight", "--columns", "toll:u32", "--keep-duplicates"]

        def graph(name, rows, header="source,target,weight,toll", change=options, *more):
            self.write("t.csv", header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
            self.good("build", "t.csv", *change, *more, "-q", "-o", name)

        def changed(column, by):
            return [row if i != 123 else (*row[:column], row[column] + by, *row[column + 1:]) for i, row in enumerate(rows)]

        self.write("flow.c", program)
        self.write("rate.h", rate)
        graph("base.meg", rows)
        graph("weights.meg", changed(2, 1))
        graph("tolls.meg", changed(3, 1))
        graph("arcs.meg", changed(1, 10 if rows[123][1] < 360 else -10))
        graph("ids.meg", [(a + 1 if a == 390 else a, b + 1 if b == 390 else b, c, d) for a, b, c, d in rows])
        graph("order.meg", rows, "source,target,weight,toll", options, "--order", "degree")
        self.good("run", "flow.c", "base.meg", "-q", "-o", "want.npy", env=self.cache)
        self.run_it("run", "flow.c", "base.meg", "-q", "--checkpoint", "cp", "--every", 2, "--max-supersteps", 5, env=self.cache)

        def files():
            found = {}
            for name in os.listdir(self.path("cp")):
                with open(self.path(os.path.join("cp", name)), "rb") as file:
                    found[name] = file.read()
            return found

        before, names = files(), self.names()

        def refused(what, *words, env=None):
            for more in ([], ["--checkpoint", "cp"], ["--checkpoint", "new"]):
                self.bad(3, what, "run", *words[:2], "-q", "--resume", "cp", *more, "-o", "out.npy", *words[2:],
                         env=dict(self.cache, **(env or {})))
                self.assertEqual((files(), sorted(set(self.names()) - {"other"})), (before, names))

        def taken(*words):
            self.good("run", *words, "-q", "--resume", "cp", "-o", "out.npy", env=self.cache)
            with open(self.path("out.npy"), "rb") as out, open(self.path("want.npy"), "rb") as want:
                self.assertEqual(out.read(), want.read())
            os.unlink(self.path("out.npy"))

        refused("another graph: its weights differ", "flow.c", "weights.meg")
        refused("another graph: the columns of its edges differ", "flow.c", "tolls.meg")
        refused("another graph: its arcs differ", "flow.c", "arcs.meg")
        refused("another graph: the ids of its vertices differ", "flow.c", "ids.meg")
        refused("another list of arguments", "flow.c", "base.meg", "--", "7")
        refused("another program: the compiler or its options differ", "flow.c", "base.meg", env={"CC": "cc -O1"})
        self.write("flow.c", program.replace("m.value * m.edge", "m.value * m.edge * 1.0"))
        refused("another program: its text", "flow.c", "base.meg")
        self.write("flow.c", program.replace("MEGURI_RUN", "#pragma GCC optimize(\"O1\")\nMEGURI_RUN"))
        refused("another program: its text", "flow.c", "base.meg")
        self.write("flow.c", program)
        self.write("rate.h", "#define RATE 0.85\n")
        refused("another program: its text", "flow.c", "base.meg")
        self.write("rate.h", rate)
        # What the program does not see: where its file is, its comments; how the graph is stored, and in what.
        os.mkdir(self.path("other"))
        self.write("other/rate.h", "\n\n" + rate)
        self.write("other/moved.c", program.replace("NOTE", "another\n\n\nnote"))
        taken("other/moved.c", "base.meg")
        taken("flow.c", "order.meg")
        graph("base.meg", rows)
        taken("flow.c", "t.csv", *options)
        taken("flow.c", "base.meg", "--workers", 3, "--delivery", "list")

    def test_usage(self):
        self.bad(2, "run needs PROGRAM", "run")
        self.bad(2, "needs", "run", "p.c")
        self.bad(2, "--delivery", "run", "p.c", "g.el", "--delivery", "pigeon")
        self.bad(2, "--workers", "run", "p.c", "g.el", "--workers", 257)
        self.bad(2, "give the vertex to start from", "run", os.path.join(EXAMPLES, "bfs.c"), "g.el", env=self.cache)
        self.bad(2, "no such vertex", "run", os.path.join(EXAMPLES, "bfs.c"), "g.el", "--", 99, env=self.cache)


if __name__ == "__main__":
    main()
