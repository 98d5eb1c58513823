"""The command under mpirun: the same files as on one machine, one summary, one sentence about what is wrong."""
import json
import os
import random
import shlex

from launcher import Launched, MEGURI, ROOT, main

PROCESSES = (1, 2, 4)


class Command(Launched):
    def rows(self, name):
        with open(self.path(name), encoding="utf-8", newline="\n") as file:
            return [line.rstrip("\n").split("\t") for line in file]

    def words_graph(self):
        """Directed, with names for ids and real weights."""
        chance = random.Random(5)
        names = ["ä" * (1 + i % 3) + f"v{i}" for i in range(200)]
        lines = [f"{chance.choice(names)} {chance.choice(names)} {chance.random():.3f}\n" for _ in range(900)]
        return self.write("words.wel", "".join(lines))

    def graphs(self):
        self.good("gen", "kronecker", "--scale", 9, "--weights", "u32", "-o", "k.meg")
        self.good("gen", "grid", "--width", 30, "--height", 20, "-o", "roads.meg")
        chance = random.Random(6)
        self.write("signed.el", "".join(f"{chance.randrange(-90, 90)} {chance.randrange(-90, 90)}\n" for _ in range(250)))
        return [("k.meg", 7), ("roads.meg", 3), ("signed.el", None), (self.words_graph(), None)]

    def tree_is_right(self, rows, step):
        """Parents of a search: one step nearer to the source, which is its own."""
        far = {row[0]: row[1] for row in rows[1:]}
        for vertex, distance, parent in rows[1:]:
            if distance in ("-1", "inf"):
                self.assertIn(parent, ("", "-1"))
            elif vertex != parent:
                self.assertTrue(step(float(far[parent]), float(distance)), (vertex, parent))
            else:
                self.assertEqual(float(distance), 0)

    def pair(self, one, other, **more):
        """Two processes that are told different things; returns our sentences, and standard output."""
        first, second = ("exec " + shlex.join(map(str, (MEGURI, *words))) for words in (one, other))
        out, err = self.launch_pair(first, second, seconds=60, **more)
        return [line for line in err.splitlines() if line.startswith("meguri: ")], out

    def test_different_arguments(self):
        """One sentence that says what differs, and exit code 2; nobody waits for ever."""
        self.good("gen", "kronecker", "--scale", 6, "-o", "k.meg")
        bfs = ["bfs", "k.meg", "--source", 1]
        host = [*bfs, "--engine", "host"]
        told, given = "process 1 was told {}, and process 0 something else; all", "process {}, and process {} was not; all"
        for one, other, sentence in [
                (bfs, ["sssp", "k.meg", "--source", 1], told.format("sssp")),
                (bfs, ["bfs", "k.meg", "--source", 2], given.format("1 was given --source 2", 0)),
                (bfs, ["bfs", "l.meg", "--source", 1], "process 1 was given l.meg, and process 0 something else; all"),
                (bfs, [*bfs, "--json"], given.format("1 was given --json", 0)),
                # Those that need nobody: the others do not wait for them.
                (bfs, host, given.format("1 was given --engine host", 0)),
                (host, bfs, given.format("0 was given --engine", 1)),
                (bfs, ["--help"], told.format("--help")),
                (bfs, ["bfs", "--help"], told.format("--help")),
                (bfs, ["--version"], told.format("--version")),
                (["--version"], bfs, told.format("bfs")),
                (bfs, ["report", "x.json", "-o", "x.html"], told.format("report")),
                (bfs, ["info", "k.meg"], told.format("info")),
                (bfs, ["info", "k.meg", "--engine", "host"], told.format("info")),
                # Wrong usage, by one of them.
                (bfs, ["bfs", "k.meg", "--sorce", 1], "process 1: bfs has no option --sorce; did you mean --source?"),
                (["bfs", "k.meg"], bfs, "process 0: bfs needs --source"),
                (host, ["frobnicate"], "process 1: meguri has no verb 'frobnicate'"),
                (bfs, [], "process 1: say what to do")]:
            with self.subTest(one=one, other=other):
                ours, out = self.pair(one, other, code=2)
                self.assertEqual((len(ours), out), (1, ""))
                self.assertTrue(ours[0].startswith("meguri: " + sentence), ours[0])
        self.assertEqual(self.names(), ["k.meg", "tmp"])

    def test_what_may_differ(self):
        self.good("gen", "kronecker", "--scale", 6, "-o", "k.meg")
        bfs = ["bfs", "k.meg", "--source", 1]
        self.assertIn("2 processes", self.pair([*bfs, "--memory", "1G"], [*bfs, "--threads", 1])[1])
        ours, out = self.pair([*bfs, "--engine", "host", "-q"], ["info", "k.meg", "--engine", "host", "--json"])
        self.assertEqual((ours, json.loads(out)["vertices"]), ([], 64))

    def test_in_a_script(self):
        """MPI lets a process join once, and a script may call the command often, or in one process only."""
        self.good("gen", "kronecker", "--scale", 6, "-o", "k.meg")
        self.write("script", f"{MEGURI} --version\n{MEGURI} info k.meg --json --engine host\n"
                   f"[ $OMPI_COMM_WORLD_RANK = 1 ] || {MEGURI} --version\n{MEGURI} components k.meg -q\ntrue\n")
        out, err = self.launch(2, "sh", "script", seconds=60)
        self.assertEqual((out.count("meguri 0"), out.count("\"vertices\": 64"), err), (2, 2, ""))

    def test_other_files(self):
        """A rank with a stale copy: files of equal size, and texts of other sizes, under one name."""
        os.mkdir(self.path("stale"))
        program = "#include <meguri/pregel.h>\nMEGURI_VERTEX(p, int32_t, meguri_none, meguri_none);\n" \
                  "static inline void p_compute(p_vertex *v, int32_t *x) {{ *x = {}; p_halt(v); }}\n" \
                  "MEGURI_PROGRAM(p);\nMEGURI_RUN(&p_program);\n"
        for folder, seed, edges in ((".", 1, 900), ("stale", 2, 500)):
            self.good("gen", "uniform", "--vertices", 300, "--edges", 900, "--seed", seed, "-q", "-o", f"{folder}/u.meg")
            self.write(f"{folder}/g.el", "".join(f"{i * seed % 301} {i * i % 299}\n" for i in range(edges)))
            self.write(f"{folder}/p.c", program.format(seed))
        sizes = [os.path.getsize(self.path(name)) for name in ("u.meg", "stale/u.meg")]
        self.assertEqual(sizes[0], sizes[1])
        same = "is not the same file on all ranks: rank "
        for rank, part, *words in (
                (1, f"u.meg {same}1 differs from rank 0 in content ({sizes[0]} bytes)", "bfs", "u.meg", "--source", 1,
                 "--check", "-o", "o.tsv"),
                (0, f"g.el {same}0 differs from rank 1 (rank 0: ", "build", "g.el", "-o", "o.meg"),
                (2, f"p.c {same}2 differs from rank 0 in content", "run", "p.c", "u.meg")):
            with self.subTest(words=words):
                self.fails_once(3, part, self.except_for(rank, "cd stale", *words), XDG_CACHE_HOME=self.path("cache"))
        self.assertEqual([n for n in self.names() if n.startswith(("o.", ".o"))], [])

    def test_long_ids_and_weights(self):
        name = "é" * 300
        self.write("long.wel", f"{name} b 3\nb c 200\n")
        out, _ = self.meguri(2, "sssp", "long.wel", "--source", name, "--json")
        facts = json.loads(out)
        self.assertEqual((facts["source"], facts["weights"]), (name, "u8"))
        out, _ = self.meguri(2, "components", "long.wel", "--json")
        self.assertEqual(json.loads(out)["top"], [{"component": name, "size": 3}])

    def test_same_files(self):
        for graph, source in self.graphs():
            if source is None:
                with open(self.path(graph), encoding="utf-8") as file:
                    source = file.readline().split()[0]
            search = ["--source", source]
            self.good("bfs", graph, *search, "-o", "bfs.tsv")
            self.good("sssp", graph, *search, "-o", "sssp.tsv")
            self.good("pagerank", graph, "-o", "rank.tsv")
            for suffix in ("tsv", "npy", "bin"):
                self.good("components", graph, "-o", f"parts.{suffix}")
            for n in PROCESSES if graph == "k.meg" else (3,):
                with self.subTest(graph=graph, processes=n):
                    self.meguri(n, "bfs", graph, *search, "-o", "bfs2.tsv", "--exchange", "packed", "--check")
                    rows = self.rows("bfs2.tsv")
                    self.assertEqual([r[:2] for r in rows], [r[:2] for r in self.rows("bfs.tsv")])
                    self.tree_is_right(rows, lambda a, b: a + 1 == b)
                    self.meguri(n, "sssp", graph, *search, "-o", "sssp2.tsv", "--check")
                    rows = self.rows("sssp2.tsv")
                    self.assertEqual([r[:2] for r in rows], [r[:2] for r in self.rows("sssp.tsv")])
                    self.tree_is_right(rows, lambda a, b: a <= b)
                    self.meguri(n, "pagerank", graph, "-o", "rank2.tsv", "--check")
                    for mine, theirs in zip(self.rows("rank2.tsv"), self.rows("rank.tsv"), strict=True):
                        self.assertEqual(mine[0], theirs[0])
                        if mine[1] != "rank":
                            self.assertAlmostEqual(float(mine[1]) / float(theirs[1]), 1, 6)
                    suffix = ("tsv", "npy", "bin")[n // 2]
                    self.meguri(n, "components", graph, "-o", f"parts2.{suffix}", "--check")
                    with open(self.path(f"parts.{suffix}"), "rb") as a, open(self.path(f"parts2.{suffix}"), "rb") as b:
                        self.assertEqual(a.read(), b.read())

    def test_vertex_programs(self):
        """The processes are the workers: the same bytes as alone, whichever the delivery; a crash ends all of them."""
        cache, examples = self.path("cache"), os.path.join(ROOT, "examples", "pregel")
        self.good("gen", "kronecker", "--scale", 8, "--weights", "u32", "-q", "-o", "k.meg")
        words_graph = self.words_graph()
        self.good("build", words_graph, "--ids", "string", "-q", "-o", "words.meg")
        self.good("components", "words.meg", "-q", "-o", "ids.tsv")
        first = self.rows("ids.tsv")[1][0]
        self.write("jobs.el", "".join(f"l{7 * i % 31} r{i * i % 29}\n" for i in range(150)))
        self.good("build", "jobs.el", "-q", "-o", "jobs.meg")
        runs = [("pagerank", "k.meg", [9]), ("sssp", "k.meg", [7]), ("bfs", "k.meg", [7]), ("components", "words.meg", []),
                ("labels", "k.meg", [3]), ("cores", "k.meg", []), ("matching", "jobs.meg", []),
                ("walks", "k.meg", [7, 200]), ("forest", "k.meg", []), ("bfs", "words.meg", [first])]
        deliveries = ["auto", "normal", "sendall", "sendall-sopt", "ghost", "list", "mirror"]
        for number, (program, graph, arguments) in enumerate(runs):
            words = ["run", os.path.join(examples, program + ".c"), graph, "-q", "-o", "out.tsv"]
            self.good(*words, "--", *arguments, env={"XDG_CACHE_HOME": cache})
            want = self.rows("out.tsv")
            for turn in range(2):
                processes, how = 2 + (number + turn) % 3, deliveries[(3 * number + turn) % len(deliveries)]
                owner = ["position", "auto", "degree", "blocks"][(number + turn) % 4]
                os.unlink(self.path("out.tsv"))
                out, err = self.meguri(processes, *words, "--delivery", how, "--owner", owner, "--", *arguments,
                                       XDG_CACHE_HOME=cache)
                self.assertEqual((out, err), ("", ""))
                self.assertEqual(self.rows("out.tsv"), want, (program, processes, how, owner))
        self.vertex_programs_in_parts(cache, examples)
        self.write("crash.c", """#include <meguri/pregel.h>
MEGURI_VERTEX(bad, int32_t, meguri_none, meguri_none);
static inline void bad_compute(bad_vertex *v, int32_t *x) {
    if (bad_superstep(v) == 2 && bad_id(v) == 3) *(volatile int *)8 = 1;
    *x = 1;
}
MEGURI_PROGRAM(bad, .max_supersteps = 5);
MEGURI_RUN(&bad_program);
""")
        _, err = self.meguri(2, "run", "crash.c", "k.meg", code=5, XDG_CACHE_HOME=cache)
        self.assertIn("the program bad crashed in superstep 2: it used memory that is not its own.", err)

    def vertex_programs_in_parts(self, cache, examples):
        """A process has its share of the rows; columns of edges; what some processes began others end."""
        environment = {"XDG_CACHE_HOME": cache}
        rows = {}
        for processes in (1, 2, 4):
            out, _ = self.meguri(processes, "run", os.path.join(examples, "sssp.c"), "k.meg", "--json", "--", 7,
                                 **environment)
            rows[processes] = json.loads(out)["most_row_bytes"]
        self.assertLess(rows[2], 0.6 * rows[1])
        self.assertLess(rows[4], 0.33 * rows[1])
        self.write("tolls.csv", "source,target,toll\n" + "".join(f"{i % 40},{i * i % 37},{i % 90}\n" for i in range(400)))
        self.good("build", "tolls.csv", "--columns", "toll", "-q", "-o", "tolls.meg")
        self.write("tolls.c", """#include <meguri/pregel.h>
MEGURI_VERTEX(tolls, double, uint32_t, double);
static inline void tolls_compute(tolls_vertex *v, double *paid) {
    MEGURI_EACH_MESSAGE(tolls, m, v) *paid += m.value * m.edge;
    MEGURI_EACH_OUT_EDGE(tolls, e, v) *paid = *paid * 1.01 + 1000.0 * e.value;
    if (tolls_superstep(v) == 9) tolls_halt(v);
    else tolls_send_all(v, 1.0 / (1 + tolls_id(v)));
}
static const meguri_output columns[] = {MEGURI_OUTPUT("paid", double)};
MEGURI_PROGRAM(tolls, .outputs = columns, .output_count = 1, .edge_column = "toll");
MEGURI_RUN(&tolls_program);
""")
        self.good("run", "tolls.c", "tolls.meg", "-q", "-o", "want.npy", env=environment)
        with open(self.path("want.npy"), "rb") as file:
            want = file.read()
        for processes, words in [(3, []), (2, ["--owner", "degree"]), (4, ["--grid", "1x4"])]:
            self.meguri(processes, "run", "tolls.c", "tolls.meg", "-q", "-o", "out.npy", *words, **environment)
            with open(self.path("out.npy"), "rb") as file:
                self.assertEqual(file.read(), want, (processes, words))
        for before, after in [(3, 2), (1, 4), (2, 1)]:
            stop = ["run", "tolls.c", "tolls.meg", "-q", "--checkpoint", "kept", "--every", 2, "--max-supersteps", 6]
            self.meguri(before, *stop, code=5, **environment)
            self.meguri(after, "run", "tolls.c", "tolls.meg", "-q", "--resume", "kept", "-o", "out.npy", **environment)
            with open(self.path("out.npy"), "rb") as file:
                self.assertEqual(file.read(), want, (before, after))
        self.checkpoints_of_others(environment, examples)

    def checkpoints_of_others(self, environment, examples):
        """The last checkpoint is of one process: another graph is refused on any number, and text is the same graph."""
        with open(self.path("tolls.csv"), encoding="utf-8") as file:
            text = file.read()
        self.write("tolls.csv", text.replace("\n2,4,2\n", "\n2,4,3\n"))
        self.good("build", "tolls.csv", "--columns", "toll", "-q", "-o", "others.meg")
        for processes in (1, 3):
            _, err = self.meguri(processes, "run", "tolls.c", "others.meg", "-q", "--resume", "kept", "-o", "none.npy",
                                 code=3, **environment)
            self.assertEqual(err.count("another graph: the columns of its edges differ"), 1, err)
        self.assertFalse(os.path.exists(self.path("none.npy")))
        program = os.path.join(examples, "sssp.c")
        self.good("gen", "grid", "--width", 15, "--height", 15, "-q", "-o", "grid.meg")
        self.good("convert", "grid.meg", "-q", "-o", "grid.wel")
        self.good("run", program, "grid.meg", "-q", "-o", "want.tsv", "--", 3, env=environment)
        begin = ["--checkpoint", "text", "--every", 2, "--max-supersteps", 9, "--", 3]
        for before, after in [((1, "grid.wel", "--undirected"), (3, "grid.meg")), ((2, "grid.meg"), (1, "grid.wel", "--undirected")),
                              ((2, "grid.wel", "--undirected"), (3, "grid.wel", "--undirected"))]:
            self.meguri(before[0], "run", program, *before[1:], "-q", *begin, code=5, **environment)
            self.meguri(after[0], "run", program, *after[1:], "-q", "--resume", "text", "-o", "out.tsv", "--", 3, **environment)
            self.assertEqual(self.rows("out.tsv"), self.rows("want.tsv"), (before, after))

    def test_graphs_made(self):
        """The graphs that one process makes."""
        makings = [["gen", "kronecker", "--scale", 9, "--weights", "f32"], ["gen", "rmat", "--scale", 8],
                   ["gen", "uniform", "--vertices", 300, "--edges", 900, "--undirected"],
                   ["build", self.words_graph(), "--ids", "string"], ["build", self.write("few.el", "1 2\n")]]
        for making in makings:
            self.good(*making, "--order", "degree", "-o", "alone.meg")
            self.good("convert", "alone.meg", "-o", "alone.wel")
            for n in PROCESSES if "kronecker" in making else (3,):
                with self.subTest(making=making, processes=n):
                    self.meguri(n, *making, "-o", "together.meg")
                    self.good("convert", "together.meg", "-o", "together.wel")
                    with open(self.path("alone.wel"), "rb") as a, open(self.path("together.wel"), "rb") as b:
                        self.assertEqual(a.read(), b.read())
        self.fails(2, "write graphs as .meg", "gen", "kronecker", "--scale", 5, "-o", "x.el")
        self.fails(2, "--path-index is made on one machine", "build", "few.el", "--path-index", "-o", "x.meg")
        _, err = self.meguri(2, "gen", "grid", "--width", 5, "--height", 5, "-o", "grid.meg")
        self.assertIn("without coordinates", err)

    def test_summary(self):
        self.good("gen", "kronecker", "--scale", 8, "-o", "k.meg")
        alone = self.json("bfs", "k.meg", "--source", 1)
        for grid, said in ((None, "3x2"), ("2x3", "2x3"), ("1x6", "1x6")):
            out, err = self.meguri(6, "bfs", "k.meg", "--source", 1, "--json", *(["--grid", grid] if grid else []))
            self.assertEqual((out.count("\n"), err), (1, ""))
            told = json.loads(out)
            for key in ("vertices", "edges", "arcs", "directed", "source", "reached", "depth", "ids", "isolated"):
                self.assertEqual(told[key], alone[key], key)
            cluster = told["cluster"]
            self.assertEqual((cluster["processes"], cluster["grid"]), (6, said))
            self.assertGreater(cluster["messages"], 6)
            self.assertGreaterEqual(cluster["bytes"], told["bytes"])
            self.assertGreaterEqual(cluster["most_arcs"], cluster["mean_arcs"])
            self.assertAlmostEqual(cluster["mean_arcs"], told["arcs"] / 6)
            self.assertEqual(told["threads"], 1)
        self.good("gen", "grid", "--width", 30, "--height", 20, "-o", "roads.meg")
        for graph, owner, said in (("k", None, ("degree", "2x1")), ("roads", None, ("blocks", "1x2")),
                                   ("roads", "degree", ("degree", "2x1")), ("k", "position", ("position", "2x1"))):
            out, _ = self.meguri(2, "components", f"{graph}.meg", "--json", *(["--owner", owner] if owner else []))
            self.assertEqual((json.loads(out)["cluster"]["owner"], json.loads(out)["cluster"]["grid"]), said)
        self.fails(2, "owners by blocks need a grid", "components", "k.meg", "--grid", "pairs", "--owner", "blocks")
        cores = len(os.sched_getaffinity(0))
        for n in (1, 2):  # processes that are not bound share the cores
            out, _ = self.meguri(n, "components", "k.meg", "--json", options=("--bind-to", "none"))
            self.assertEqual(json.loads(out)["threads"], max(1, cores // n))
        out, _ = self.meguri(2, "pagerank", "k.meg", "--grid", "pairs", "--threads", 2)
        self.assertIn("2 processes, blocks in symmetric pairs, vertices by degree: the fullest has ", out)
        self.assertIn("2 threads each", out)
        self.assertEqual(self.meguri(2, "components", "k.meg", "-q"), ("", ""))
        out, _ = self.meguri(2, "graph500", "--scale", 7, "--roots", 2, "--json")
        told = json.loads(out)
        self.assertEqual((told["num_mpi_processes"], told["grid"], told["validated"]), (2, "2x1", True))
        self.fails(4, "not enough memory for the edge list: 550 GB asked", "graph500", "--scale", 32)

    def test_trace(self):
        self.good("gen", "kronecker", "--scale", 8, "-o", "k.meg")
        self.meguri(2, "bfs", "k.meg", "--source", 1, "--trace", "steps.json")
        with open(self.path("steps.json"), encoding="utf-8") as file:
            steps = [line for line in map(json.loads, file) if line.get("run") == "bfs" and "step" in line]
        self.assertEqual([s["step"] for s in steps], list(range(len(steps))))
        self.assertEqual({s["engine"] for s in steps}, {"cluster"})

    def test_devices(self):
        """A device for each process: the levels of threads, and lanes in the trace."""
        self.need(json.loads(self.good("devices", "--json"))["devices"], "an OpenCL device")
        self.good("gen", "kronecker", "--scale", 8, "-q", "-o", "k.meg")
        self.good("bfs", "k.meg", "--source", 1, "-q", "-o", "host.tsv")
        out, _ = self.meguri(2, "bfs", "k.meg", "--source", 1, "--engine", "device", "--device", "0,0", "--check", "--json",
                             "-o", "d.tsv", "--trace", "steps.json")
        told = json.loads(out)
        self.assertEqual((told["engine"], told["checked"]), ("device", True))
        levels = []
        for name in ("host.tsv", "d.tsv"):
            with open(self.path(name), encoding="utf-8") as file:
                levels.append([line.split("\t")[:2] for line in file])
        self.assertEqual(levels[0], levels[1])
        with open(self.path("steps.json"), encoding="utf-8") as file:
            lanes = {(s["phase"], s["lane"]) for s in map(json.loads, file) if s.get("lane")}
        self.assertTrue({("search (2)", 1), ("reached (3)", 2), ("states (7)", 3)} <= lanes, lanes)
        self.fails(2, "--split is about one process", "bfs", "k.meg", "--source", 1, "--engine", "device", "--split", "0:1")
        for verb, *words in (("components",), ("pagerank",), ("sssp", "--source", 1), ("path", "--from", 1, "--to", 2)):
            self.fails(5, f'{verb} on the engine "device" is one process with its device', verb, "k.meg", *words, "--engine", "device")

    def fails(self, code, part, *words, processes=2, **more):
        """One sentence of ours, among what the launcher has to say."""
        out, err = self.meguri(processes, *words, code=code, **more)
        ours = [line for line in err.splitlines() if line.startswith("meguri: ")]
        self.assertEqual((out, len(ours)), ("", 1), err)
        self.assertIn(part, ours[0])
        self.assertNotIn("process 0 of", ours[0])

    def test_failures(self):
        self.good("gen", "kronecker", "--scale", 5, "-o", "k.meg")
        self.fails(2, "no verb", "frobnicate")
        self.fails(2, "needs --source", "bfs", "k.meg")
        self.fails(2, "contradict", "bfs", "k.meg", "--source", 1, "--sources", "x")
        self.fails(2, "does not fit 2 processes", "bfs", "k.meg", "--source", 1, "--grid", "3x3")
        self.fails(2, "--sources is for one machine", "sssp", "k.meg", "--sources", "k.meg")
        self.fails(3, "no vertex has the id", "bfs", "k.meg", "--source", 4000000)
        self.fails(3, "cannot open gone.meg: no such file", "bfs", "gone.meg", "--source", 1)
        self.fails(3, "gone.el", "components", "gone.el")
        self.write("town.el", "1 x\n2\n")  # a guess about the ids is not told before the failure
        self.fails(3, "town.el:2", "components", "town.el")
        os.remove(self.path("town.el"))
        self.fails(4, "no folder", "components", "k.meg", "-o", "gone/x.tsv")
        self.fails(5, "does not run on a cluster, and 2 processes", "info", "k.meg")
        self.fails(5, "does not run on the engine", "info", "k.meg", "--engine", "cluster")
        self.write("bad.meg", b"\x89MEG\r\n\x1a\n" + bytes(4000))
        self.fails(3, "bad.meg", "pagerank", "bad.meg", processes=3)
        self.write("T.e", "1 2\n")
        self.write("T.v", "1\n2\n")
        self.fails(2, "T.v is read with T.e and would be overwritten", "bfs", "T.e", "--source", 1, "--trace", "T.v")
        self.assertEqual(os.path.getsize(self.path("T.v")), 4)
        self.fails(2, "standard output does not allow", "components", "k.meg", "-o", "-")
        self.assertEqual(self.names(), ["T.e", "T.v", "bad.meg", "k.meg", "tmp"])

    def test_lonely_copies(self):
        self.good("gen", "kronecker", "--scale", 5, "-o", "k.meg")
        out, _ = self.meguri(2, "info", "k.meg", "--engine", "host", "--json")
        self.assertEqual(len([json.loads(line) for line in out.splitlines()]), 2)
        out, _ = self.meguri(3, "--version")
        self.assertEqual(out.count("meguri"), 1)
        out, _ = self.meguri(2, "bfs", "--help")
        self.assertEqual(out.count("Usage"), 1)

    def test_no_plugin(self):
        self.good("gen", "kronecker", "--scale", 5, "-o", "k.meg")
        _, err = self.meguri(2, "components", "k.meg", code=5, MEGURI_MPI_PLUGIN="/gone/plugin.so")
        self.assertIn("of 2: there is no MPI here", err)
        for words in (["--version"], ["info", "k.meg", "--engine", "host"]):  # needs none
            self.assertEqual(self.meguri(2, *words, MEGURI_MPI_PLUGIN="/gone/plugin.so")[1], "")

    def test_foreign_launcher(self):
        """One that starts copies which its MPI knows, and ours does not."""
        self.good("gen", "kronecker", "--scale", 5, "-o", "k.meg")
        self.bad(5, "the launcher started 4 processes, but MPI knows of 1", "components", "k.meg",
                 env={"PMI_SIZE": "4", "PMI_RANK": "1", "TMPDIR": self.sessions})


if __name__ == "__main__":
    main()
