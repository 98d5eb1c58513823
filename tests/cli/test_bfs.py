"""bfs from end to end, against a textbook search written here, and every sentence it has for wrong input."""
import gzip
import hashlib
import json
import lzma
import os
import random
import shutil
import struct
import subprocess
import tempfile
from collections import defaultdict

from harness import Case, DATA, ROOT, SANITIZED, main

TOWN = "1 2\n1 3\n2 4\n3 4\n4 5\n7 1\n8 9\n"  # directed: from 1 all but 7, 8 and 9 are reached


LIE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <meguri.h>
#include <string.h>
meguri_status meguri_bfs(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t source,
                         const meguri_bfs_options *options) {
    meguri_status (*honest)(meguri_result **, meguri_ctx *, const meguri_graph *, uint64_t, const meguri_bfs_options *);
    void *found = dlsym(RTLD_NEXT, "meguri_bfs");
    memcpy(&honest, &found, sizeof honest);
    meguri_status status = honest(out, ctx, graph, source, options);
    meguri_column column = {.size = sizeof column};
    if (status == MEGURI_OK && meguri_result_column(&column, *out, "level") == MEGURI_OK)
        ((int32_t *)column.data)[1] = 3;
    return status;
}
"""


def levels_of(edges, source, most=None):
    """Level by vertex, by the textbook."""
    out = defaultdict(list)
    for a, b in edges:
        out[a].append(b)
    level, frontier = {source: 0}, [source]
    while frontier and (most is None or level[frontier[0]] < most):
        new = []
        for a in frontier:
            for b in out[a]:
                if b not in level:
                    level[b] = level[a] + 1
                    new.append(b)
        frontier = new
    return level


def unescape(text):
    return text.replace("\\\\", "\0").replace("\\t", "\t").replace("\\n", "\n").replace("\0", "\\")


class Bfs(Case):
    def table(self, name):
        """Header and rows of a .tsv file."""
        opener = gzip.open if name.endswith(".gz") else lzma.open if name.endswith(".xz") else open
        with opener(self.path(name), "rt", encoding="utf-8", newline="\n") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        return rows[0], rows[1:]

    def graph(self, edges, *options, name="g"):
        self.write(name + ".el", "".join(f"{a} {b}\n" for a, b in edges))
        self.good("build", name + ".el", *options, "-q", "-o", name + ".meg")

    def check_rows(self, rows, edges, source, most=None, none="-1"):
        """Levels are those of the textbook, and every parent is joined by an edge, one level nearer."""
        want, edges = levels_of(edges, source, most), set(edges)
        for vertex, level, parent in rows:
            self.assertEqual(int(level), want.get(vertex, -1), vertex)
            if vertex not in want:
                self.assertEqual(parent, none)
            elif vertex == source:
                self.assertEqual(parent, source)
            else:
                self.assertIn((parent, vertex), edges)
                self.assertEqual(want[parent] + 1, want[vertex])


class OneSource(Bfs):
    def setUp(self):
        super().setUp()
        self.write("town.el", TOWN)
        self.good("build", "town.el", "-q", "-o", "town.meg")

    def test_table(self):
        self.good("bfs", "town.meg", "--source", 1, "-o", "out.tsv")
        head, rows = self.table("out.tsv")
        self.assertEqual(head, ["vertex", "level", "parent"])
        self.assertIn(rows[3], (["4", "2", "2"], ["4", "2", "3"]))
        self.assertEqual(rows[:3] + rows[4:], [["1", "0", "1"], ["2", "1", "1"], ["3", "1", "1"], ["5", "3", "4"],
                                               ["7", "-1", "-1"], ["8", "-1", "-1"], ["9", "-1", "-1"]])

    def test_json(self):
        facts = self.json("bfs", "town.meg", "--source", 1, "--check", "-o", "out.tsv")
        want = dict(graph="town.meg", vertices=8, edges=7, arcs=7, directed=True, ids="unsigned", source=1, policy="auto",
                    max_depth=None, reached=5, depth=3, checked=True, file="out.tsv",
                    columns=[dict(name="level", type="i32"), dict(name="parent", type="vertex")])
        self.assertEqual({key: facts[key] for key in want}, want)
        self.assertEqual(facts["file_bytes"], os.path.getsize(self.path("out.tsv")))
        self.assertEqual(set(facts["seconds"]), {"open", "prepare", "search", "check", "write", "total"})
        self.assertGreaterEqual(facts["seconds"]["total"], sum(facts["seconds"][k] for k in ["open", "search", "check", "write"]))
        self.assertGreater(facts["seconds"]["search"], 0)
        self.assertGreaterEqual(facts["edges_looked_at"], 0)
        self.assertAlmostEqual(facts["edges_per_second"], facts["edges_looked_at"] / facts["seconds"]["search"])
        self.assertGreater(facts["threads"], 0)
        self.assertGreater(facts["memory_peak_bytes"], 0)

    def test_without_o_only_the_summary(self):
        before = self.names()
        facts = self.json("bfs", "town.meg", "--source", 1)
        self.assertEqual((facts["reached"], facts["depth"], facts["checked"]), (5, 3, False))
        self.assertTrue({"file", "file_bytes", "columns"}.isdisjoint(facts))
        self.assertEqual(facts["seconds"]["write"], 0)
        self.assertEqual(self.names(), before)

    def test_for_people(self):
        text = self.good("bfs", "town.meg", "--source", 1)
        self.assertIn("reached 5 of 8 vertices from 1, depth 3\n", text)
        self.assertRegex(text, r"looked at \d+ edges in .*s, .*/s\n")
        self.assertNotIn("checked", text)
        self.assertNotIn("→", text)
        text = self.good("bfs", "town.meg", "--source", 1, "--check", "-o", "out.npy")
        self.assertIn("checked: the answer is right", text)
        self.assertRegex(text, r"→ out\.npy, \d+ bytes\n$")
        self.assertTrue(all(len(line) <= 120 for line in text.split("\n")))
        self.assertEqual(self.good("bfs", "town.meg", "--source", 1, "--quiet", "-o", "out.tsv"), "")
        self.assertEqual(len(self.table("out.tsv")[1]), 8)

    def test_max_depth(self):
        for depth, reached in [(0, 1), (1, 3), (2, 4), (3, 5), (4, 5), (4294967294, 5)]:
            facts = self.json("bfs", "town.meg", "--source", 1, "--max-depth", depth, "--check", "-o", "out.tsv")
            self.assertEqual((facts["reached"], facts["depth"], facts["max_depth"]), (reached, min(depth, 3), depth))
            self.assertEqual(sum(row[1] != "-1" for row in self.table("out.tsv")[1]), reached)

    def test_policies(self):
        edges = [tuple(line.split()) for line in TOWN.splitlines()]
        for policy in [[], ["auto"], ["p1"], ["push"], ["pull"], ["p1", "--alpha", "2.5", "--beta", "100"]]:
            words = ["--policy", *policy] if policy else []
            facts = self.json("bfs", "town.meg", "--source", 1, "--check", "-o", "out.tsv", *words)
            self.assertEqual(facts["policy"], policy[0] if policy else "auto")
            self.check_rows(self.table("out.tsv")[1], edges, "1")

    def test_isolated_source_and_dead_end(self):
        self.write("three.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n")
        self.good("build", "three.mtx", "-q", "-o", "three.meg")
        for source, level in [(3, {"3": "0"}), (2, {"2": "0"}), (1, {"1": "0", "2": "1"})]:
            facts = self.json("bfs", "three.meg", "--source", source, "--check", "-o", "out.tsv")
            self.assertEqual((facts["reached"], facts["depth"]), (len(level), len(level) - 1))
            for vertex, got, parent in self.table("out.tsv")[1]:
                self.assertEqual(got, level.get(vertex, "-1"))
                self.assertEqual(parent, "-1" if vertex not in level else str(source))

    def test_random_graphs(self):
        noise = random.Random(5)
        for size, count in [(30, 40), (300, 900)]:
            ids = [str(v) for v in sorted(noise.sample(range(10 ** 6), size))]
            edges = {tuple(noise.sample(ids, 2)) for _ in range(count)}
            for options in [["--directed"], ["--undirected"]]:
                self.graph(edges, *options)
                both = edges | {(b, a) for a, b in edges} if options == ["--undirected"] else edges
                for threads in [1, 3]:
                    source = min(edges)[0]
                    self.good("bfs", "g.meg", "--source", source, "--threads", threads, "--check", "-o", "out.tsv")
                    self.check_rows(self.table("out.tsv")[1], both, source)

    def test_trace(self):
        self.good("bfs", "town.meg", "--source", 1, "-o", "out.tsv", "--trace", "t.json")
        with open(self.path("t.json")) as file:
            steps = [json.loads(line) for line in file]
        search = [step for step in steps if step["run"] == "bfs"]
        self.assertGreater(len(search), 0)
        self.assertTrue(all(step["step"] >= 0 for step in search if "step" in step))
        self.assertIn("write", {step["run"] for step in steps})

    def test_text_is_read_as_build_reads_it(self):
        self.assertEqual(self.json("bfs", "town.el", "--source", 1)["reached"], 5)
        self.assertEqual(self.json("bfs", "-", "--source", 1, stdin=TOWN.encode())["reached"], 5)
        self.write("town.el.gz", gzip.compress(TOWN.encode()))
        self.assertEqual(self.json("bfs", "town.el.gz", "--source", 7, "--check")["reached"], 6)
        self.bad(3, "town.el:2", "bfs", self.write("town.el", "1 x\n2\n"), "--source", 1)

    def test_locale(self):
        self.json("bfs", "town.meg", "--source", 1, "--policy", "p1", "--alpha", "2.5", env={"LC_ALL": "de_DE.UTF-8"})


class Formats(Bfs):
    """The same search in all three formats, and in all kinds of ids."""

    def test_unsigned(self):
        self.write("g.el", TOWN)
        for name in ["o.tsv", "o.npy", "o.bin", "o.tsv.gz", "o.tsv.xz", "o.tsv.zst"]:
            self.good("bfs", "g.el", "--source", 1, "--threads", 1, "-o", name)
        rows = self.table("o.tsv")[1]
        self.assertEqual(self.table("o.tsv.gz")[1], rows)
        self.assertEqual(self.table("o.tsv.xz")[1], rows)
        with open(self.path("o.bin"), "rb") as file:
            raw = file.read()
        n = len(raw) // 20
        columns = [struct.unpack_from(f"<{n}{code}", raw, at) for code, at in [("Q", 0), ("i", 8 * n), ("q", 12 * n)]]
        self.assertEqual([[str(item) for item in row] for row in zip(*columns)], rows)
        with open(self.path("o.npy"), "rb") as file:
            raw = file.read()
        body = raw[10 + struct.unpack_from("<H", raw, 8)[0]:]
        self.assertEqual([[str(item) for item in row] for row in struct.iter_unpack("<Qiq", body)], rows)

    def test_pipes(self):
        """What cannot be replaced is written as the bytes come, and they are the same."""
        self.good("gen", "kronecker", "--scale", 15, "-q", "-o", "g.meg")
        for name in ["o.tsv", "o.npy", "o.bin", "o.tsv.gz"]:
            words = ["bfs", "g.meg", "--source", 1, "--threads", 1, "-q", "-o"]
            self.good(*words, name)
            os.symlink("/dev/stdout", self.path("pipe-" + name))
            result = self.run_it(*words, "pipe-" + name)
            self.assertEqual((result.returncode, result.stderr), (0, b""), name)
            with open(self.path(name), "rb") as file:
                self.assertEqual(result.stdout, file.read(), name)

    def test_signed(self):
        self.write("g.el", "-5 -1\n-1 3\n8 -5\n")
        facts = self.json("bfs", "g.el", "--source", -5, "--check", "-o", "o.tsv")
        self.assertEqual((facts["source"], facts["ids"]), (-5, "signed"))
        self.assertEqual(self.table("o.tsv")[1], [["-5", "0", "-5"], ["-1", "1", "-5"], ["3", "2", "-1"], ["8", "-1", ""]])
        self.good("bfs", "g.el", "--source=-5", "-o", "o.bin")
        with open(self.path("o.bin"), "rb") as file:
            raw = file.read()
        self.assertEqual(struct.unpack_from("<4q", raw, 48), (-5, -5, -1, -2 ** 63))

    def test_large(self):
        self.write("g.el", f"{2 ** 64 - 2} 3\n3 4\n5 3\n")
        facts = self.json("bfs", "g.el", "--source", 2 ** 64 - 2, "-o", "o.bin")
        self.assertEqual(facts["source"], 2 ** 64 - 2)
        with open(self.path("o.bin"), "rb") as file:
            raw = file.read()
        self.assertEqual(struct.unpack_from("<4Q", raw, 48), (2 ** 64 - 2, 3, 2 ** 64 - 1, 2 ** 64 - 2))

    def test_strings(self):
        self.write("g.csv", 'from,to\nNew York,Ōsaka\nŌsaka,"C:\\temp"\nfar,away\n')
        self.good("build", "g.csv", "-q", "-o", "g.meg")
        facts = self.json("bfs", "g.meg", "--source", "New York", "--check", "-o", "o.tsv")
        self.assertEqual((facts["source"], facts["ids"], facts["reached"]), ("New York", "string", 3))
        self.assertEqual(self.table("o.tsv")[1],
                         [["New York", "0", "New York"], ["Ōsaka", "1", "New York"], ["C:\\\\temp", "2", "Ōsaka"],
                          ["far", "-1", ""], ["away", "-1", ""]])
        self.assertIn('reached 3 of 5 vertices from "New York"', self.good("bfs", "g.meg", "--source", "New York"))
        self.bad(3, "no vertex has the id '7'", "bfs", "g.meg", "--source", 7)
        self.bad(3, "no vertex has the id 'osaka'; did you mean 'Ōsaka'?", "bfs", "g.meg", "--source", "osaka")

    def test_names_cannot_steer_the_terminal(self):
        self.write("evil.csv", "from,to\n\x1b[31mred,blue\n")
        self.good("build", "evil.csv", "--ids", "string", "-q", "-o", "g.meg")
        self.assertNotIn("\x1b", self.good("bfs", "g.meg", "--source", "\x1b[31mred"))


class ManySources(Bfs):
    def setUp(self):
        super().setUp()
        noise = random.Random(11)
        self.ids = [str(3 * v) for v in range(400)]
        self.edges = {tuple(noise.sample(self.ids, 2)) for _ in range(900)}
        self.graph(self.edges)
        self.present = sorted({v for edge in self.edges for v in edge}, key=int)

    def check_columns(self, sources, most=None, parents=False, *options):
        facts = self.json("bfs", "g.meg", "--sources", "ids", "--check", "-o", "o.tsv", *options)
        self.assertEqual((facts["sources"], facts["source_ids"]), (len(sources), [int(s) for s in sources]))
        self.assertTrue(facts["checked"])
        head, rows = self.table("o.tsv")
        n = len(sources)
        self.assertEqual(head, ["vertex"] + [f"level_{i}" for i in range(n)] + [f"parent_{i}" for i in range(n)] * parents)
        self.assertEqual([column["name"] for column in facts["columns"]], head[1:])
        reached = deepest = 0
        for i, source in enumerate(sources):
            want = levels_of(self.edges, source, most)
            reached, deepest = reached + len(want), max(deepest, *want.values())
            if parents:
                self.check_rows([(row[0], row[1 + i], row[1 + n + i]) for row in rows], self.edges, source, most)
            else:
                self.assertEqual([int(row[1 + i]) for row in rows], [want.get(row[0], -1) for row in rows])
        self.assertEqual((facts["reached"], facts["depth"]), (reached, deepest))

    def test_columns(self):
        for count in [1, 2, 4, 5, 64]:
            sources = self.present[:count]
            self.write("ids", "\n".join(sources))
            self.check_columns(sources, None, False)
            self.check_columns(sources, None, True, "--parents")
        self.check_columns(sources, 2, True, "--parents", "--max-depth", 2)
        self.check_columns(sources, 0, False, "--max-depth", 0)

    def test_the_list(self):
        a, b = self.present[:2]
        self.write("ids", f"# a comment\n\n  {a}  \r\n\t{b}\n#{b}\n{a}\n\n")
        self.check_columns([a, b, a])  # also twice the same
        facts = self.json("bfs", "g.meg", "--sources", "-", stdin=f"{b}\n".encode())
        self.assertEqual(facts["source_ids"], [int(b)])
        text = self.good("bfs", "g.meg", "--sources", "ids")
        self.assertRegex(text, r"reached [\d,]+ of [\d,]+ vertices on average from 3 sources, depth \d+\n")

    def test_names(self):
        self.write("g.csv", "from,to\nNew York,b\nb,c d\n")
        self.write("ids", "New York\nc d\n")
        facts = self.json("bfs", "g.csv", "--sources", "ids", "--parents", "-o", "o.tsv")
        self.assertEqual(facts["source_ids"], ["New York", "c d"])
        self.assertEqual(self.table("o.tsv")[1], [["New York", "0", "-1", "New York", ""], ["b", "1", "-1", "New York", ""],
                                                  ["c d", "2", "0", "b", "c d"]])

    def test_more_than_one_pass(self):
        sources = (self.present * 2)[:150]
        self.write("ids", "\n".join(sources))
        facts = self.json("bfs", "g.meg", "--sources", "ids", "--check")
        want = [levels_of(self.edges, source) for source in sources]
        self.assertEqual((facts["sources"], facts["reached"], facts["depth"]),
                         (150, sum(map(len, want)), max(max(level.values()) for level in want)))
        self.assertTrue(facts["checked"])
        self.assertNotIn("source_ids", facts)
        self.bad(2, "ids has 150 ids, and a file of results has columns for at most 64",
                 "bfs", "g.meg", "--sources", "ids", "-o", "o.tsv")
        self.assertNotIn("o.tsv", self.names())

    def test_bad_lists(self):
        self.write("ids", f"{self.present[0]}\n# and\n1\n")
        self.bad(3, "ids:3: no vertex has the id 1; the nearest ids are 0 and 3.", "bfs", "g.meg", "--sources", "ids")
        self.bad(3, "ids has no ids", "bfs", "g.meg", "--sources", self.write("ids", "# nothing\n\n"))
        self.bad(3, "standard input has no ids", "bfs", "g.meg", "--sources", "-")
        self.bad(3, "cannot open missing: no such file.", "bfs", "g.meg", "--sources", "missing")
        self.bad(3, ". is a folder", "bfs", "g.meg", "--sources", ".")
        self.bad(3, "ids:1: there is a zero byte", "bfs", "g.meg", "--sources", self.write("ids", b"3\0\n"))
        self.bad(3, "ids:2: this line is longer than 1 MiB", "bfs", "g.meg", "--sources", self.write("ids", b"3\n" + b"9" * 1100000))
        self.bad(2, "standard input (-) can be read only once", "bfs", "-", "--sources", "-")


class Wrong(Bfs):
    def setUp(self):
        super().setUp()
        self.write("town.el", TOWN)
        self.good("build", "town.el", "-q", "-o", "g.meg")
        self.write("ids", "1\n")

    def tearDown(self):
        self.assertEqual(self.names(), ["g.meg", "ids", "town.el"])

    def test_vertices(self):
        self.bad(3, "no vertex has the id 6; the nearest ids are 5 and 7.", "bfs", "g.meg", "--source", 6, "-o", "o.tsv")
        self.bad(3, "no vertex has the id 'x'", "bfs", "g.meg", "--source", "x")
        self.bad(3, "unsigned integers", "bfs", "g.meg", "--source", -1)
        self.bad(3, "no vertex has the id ''", "bfs", "g.meg", "--source", "")
        self.bad(3, "no vertex has the id 1.", "bfs", "-", "--source", 1, "-q", stdin=b"# empty\n")

    def test_sources(self):
        self.bad(2, "needs --source ID or --sources FILE", "bfs", "g.meg")
        self.bad(2, "--source and --sources contradict each other", "bfs", "g.meg", "--source", 1, "--sources", "ids")
        self.bad(2, "--source needs a value", "bfs", "g.meg", "--source")

    def test_operands(self):
        self.bad(2, "bfs needs GRAPH", "bfs", "--source", 1)
        self.bad(2, "one argument too many", "bfs", "g.meg", "town.el", "--source", 1)
        self.bad(3, "missing.meg", "bfs", "missing.meg", "--source", 1)

    def test_numbers(self):
        for value in ["-1", "1.5", "x", "", "4294967295"]:
            self.bad(2, "--max-depth", "bfs", "g.meg", "--source", 1, "--max-depth", value)
        self.bad(2, "auto, p1, push or pull", "bfs", "g.meg", "--source", 1, "--policy", "best")
        for name in ["--alpha", "--beta"]:
            self.bad(2, "above 0", "bfs", "g.meg", "--source", 1, "--policy", "p1", name, 0)
            self.bad(2, "not negative", "bfs", "g.meg", "--source", 1, "--policy", "p1", name, "-3")
            self.bad(2, "give --policy p1 with it", "bfs", "g.meg", "--source", 1, name, 3)
            self.bad(2, "give --policy p1 with it", "bfs", "g.meg", "--source", 1, "--policy", "push", name, 3)
        for words in [["--policy", "p1"], ["--alpha", 3], ["--beta", 3]]:
            self.bad(2, f"{words[0]} is for one --source", "bfs", "g.meg", "--sources", "ids", *words)

    def test_files(self):
        for name in ["o.png", "o", "o.meg", "o.npz", "o.tsv.bz2"]:
            # before any work is done: the graph is not even there
            text = self.bad(2, name, "bfs", "missing.meg", "--source", 1, "-o", name)
            for suffix in [".tsv", ".npy", ".bin"]:
                self.assertIn(suffix, text)
        for name in ["o.npy.gz", "o.bin.xz"]:
            self.bad(2, "not compressed", "bfs", "missing.meg", "--source", 1, "-o", name)
        self.bad(4, "there is no folder nowhere", "bfs", "g.meg", "--source", 1, "-o", "nowhere/o.tsv")
        self.bad(2, "it is a folder", "bfs", "g.meg", "--source", 1, "-o", "./")
        self.bad(2, "is an input and would be overwritten", "bfs", "g.meg", "--source", 1, "-o", "g.meg")
        self.bad(2, "is an input", "bfs", "g.meg", "--sources", "ids", "--trace", "ids")
        os.rename(self.path("ids"), self.path("ids.tsv"))
        self.bad(2, "is an input and would be overwritten", "bfs", "g.meg", "--sources", "ids.tsv", "-o", "ids.tsv")
        os.rename(self.path("ids.tsv"), self.path("ids"))
        self.bad(2, "name the same file", "bfs", "g.meg", "--source", 1, "-o", "o.tsv", "--trace", "o.tsv")

    def test_full_disk(self):
        self.need(os.path.exists("/dev/full"), "/dev/full")
        for suffix in ["tsv", "npy", "bin"]:
            os.symlink("/dev/full", self.path("full." + suffix))
            self.bad(4, "no room to write full." + suffix, "bfs", "g.meg", "--source", 1, "-o", "full." + suffix)
            os.remove(self.path("full." + suffix))

    def test_wrong_answer(self):
        """A search that lies about one level: exit code 1, the checker's sentence, and no file."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        self.need(compiler, "a C compiler")
        if SANITIZED:
            return  # a sanitizer wants to be loaded first
        with tempfile.TemporaryDirectory(prefix="meguri-cli-") as folder:
            code, library = os.path.join(folder, "lie.c"), os.path.join(folder, "lie.so")
            with open(code, "w") as file:
                file.write(LIE)
            subprocess.run([compiler, "-shared", "-fPIC", "-I", os.path.join(ROOT, "include"), "-o", library, code, "-ldl"],
                           check=True)
            env = {"LD_PRELOAD": library}
            words = ["bfs", "g.meg", "--source", 1, "-o", "o.tsv"]
            self.bad(1, "the answer is wrong: vertex 2 is at level 3", *words, "--check", env=env)
            self.assertNotIn("o.tsv", self.names())
            self.good(*words, env=env)
            self.assertEqual(self.table("o.tsv")[1][1][1], "3")  # the lie, unchecked
            os.remove(self.path("o.tsv"))


class RealGraphs(Bfs):
    def setUp(self):
        super().setUp()
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")

    def test_railways_by_name(self):
        """Stations have names, of which some are the same: the code makes them differ."""
        with gzip.open(os.path.join(DATA, "rail/japan-rail-stations.csv.gz"), "rt", encoding="utf-8") as file:
            names = {row[0]: f"{row[2]} {row[1]}" for row in (line.rstrip("\n").split(",") for line in list(file)[1:])}
        with gzip.open(os.path.join(DATA, "rail/japan-rail.gr.gz"), "rt", encoding="utf-8") as file:
            arcs = [line.split() for line in file if line.startswith("a ")]
        edges = {(names[a], names[b]) for _, a, b, _ in arcs}
        self.write("rail.csv", "from,to\n" + "".join(f"{names[a]},{names[b]}\n" for _, a, b, _ in arcs))
        self.good("build", "rail.csv", "-q", "-o", "rail.meg")
        tokyo = next(name for name in names.values() if name.startswith("東京 "))
        for name in ["o.tsv", "o.npy", "o.bin"]:
            self.good("bfs", "rail.meg", "--source", tokyo, "--check", "--threads", 1, "-o", name)
        rows = [[unescape(field) for field in row] for row in self.table("o.tsv")[1]]
        self.check_rows(rows, edges, tokyo, none="")
        self.assertGreater(sum(row[1] != "-1" for row in rows), 1000)
        n, texts = len(rows), [row[0].encode() for row in rows]
        with open(self.path("o.bin"), "rb") as file:
            raw = file.read()
        at, columns = 0, []
        for kind in "sis":
            if kind == "i":
                columns.append([str(level) for level in struct.unpack_from(f"<{n}i", raw, at)])
                at += 4 * n
                continue
            places = struct.unpack_from(f"<{n + 1}Q", raw, at)
            at += 8 * (n + 1)
            columns.append([raw[at + places[i]:at + places[i + 1]].decode() for i in range(n)])
            at += places[n]
        self.assertEqual(at, len(raw))
        self.assertEqual([list(row) for row in zip(*columns)], rows)
        with open(self.path("o.npy"), "rb") as file:
            raw = file.read()
        width = max(map(len, texts))
        body = raw[10 + struct.unpack_from("<H", raw, 8)[0]:]
        got = [(a.rstrip(b"\0").decode(), str(level), b.rstrip(b"\0").decode())
               for a, level, b in struct.iter_unpack(f"<{width}si{width}s", body)]
        self.assertEqual([list(row) for row in got], rows)

    def test_reference(self):
        """Levels against digests that two other programs agreed on; ids that do not occur count there as unreached."""
        path = os.path.join(DATA, "REFERENCE.json")
        self.need(os.path.exists(path), "REFERENCE.json")
        with open(path) as file:
            reference = json.load(file)
        for name, first in [("osm/monaco-d.gr.gz", 1), ("social/snap-wiki-Vote.txt", 0), ("rail/japan-rail.gr.gz", 1),
                            ("social/snap-facebook_combined.txt.gz", 0), ("road/dimacs9-NY-topology.gr.xz", 1)]:
            facts = reference[name]
            direction = "--directed" if facts["directed"] else "--undirected"
            self.good("build", os.path.join(DATA, name), direction, "-q", "-o", "g.meg")
            for source, want in facts["bfs"].items():
                result = self.run_it("bfs", "g.meg", "--source", int(source) + first, "--json", "-o", "o.bin")
                if result.returncode == 3:  # the id does not occur, so it reaches itself alone
                    self.assertEqual((want["reached"], want["depth"]), (1, 0), name)
                    continue
                self.assertEqual((result.returncode, result.stderr), (0, b""), name)
                got = json.loads(result.stdout)
                self.assertEqual((got["reached"], got["depth"]), (want["reached"], want["depth"]), (name, source))
                with open(self.path("o.bin"), "rb") as file:
                    raw = file.read()
                n = got["vertices"]
                level = [-1] * facts["n"]
                for vertex, value in zip(struct.unpack_from(f"<{n}Q", raw), struct.unpack_from(f"<{n}i", raw, 8 * n)):
                    level[vertex - first] = value
                digest = hashlib.sha256(struct.pack(f"<{len(level)}i", *level)).hexdigest()
                self.assertEqual(digest, want["sha256"], (name, source))


if __name__ == "__main__":
    main()
