"""sssp from end to end, against Dijkstra's search written here, LDBC's answers and known digests, and every sentence it
has for wrong input."""
import array
import csv
import glob
import gzip
import hashlib
import heapq
import json
import lzma
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import defaultdict

from harness import Case, DATA, MEGURI, ROOT, SANITIZED, default_signals, main

TOWN = "1 2 5\n1 3 2\n3 2 1\n2 4 7\n7 1 1\n8 9 2\n"  # directed: from 1 all but 7, 8 and 9 are reached

LIE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <meguri.h>
#include <string.h>
static void lie(const meguri_result *result) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, "distance") == MEGURI_OK) ((uint64_t *)column.data)[1] = 4;
}
meguri_status meguri_sssp(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t source,
                          const meguri_sssp_options *options) {
    meguri_status (*honest)(meguri_result **, meguri_ctx *, const meguri_graph *, uint64_t, const meguri_sssp_options *);
    void *found = dlsym(RTLD_NEXT, "meguri_sssp");
    memcpy(&honest, &found, sizeof honest);
    meguri_status status = honest(out, ctx, graph, source, options);
    if (status == MEGURI_OK) lie(*out);
    return status;
}
meguri_status meguri_sssp_many(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources, uint64_t count,
                               const meguri_sssp_options *options, meguri_result_take take, void *user) {
    for (uint64_t i = 0; i < count; i++) {
        meguri_result *result;
        meguri_status status = meguri_sssp(&result, ctx, graph, sources[i], options);
        if (status == MEGURI_OK) status = take(user, i, result);
        meguri_result_free(result);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}
"""


def distances_of(arcs, source):
    """Distance by vertex; arcs are (from, to, weight)."""
    out = defaultdict(list)
    for a, b, weight in arcs:
        out[a].append((b, weight))
    distance, heap = {}, [(0, source)]
    while heap:
        far, a = heapq.heappop(heap)
        if a in distance:
            continue
        distance[a] = far
        for b, weight in out[a]:
            if b not in distance:
                heapq.heappush(heap, (far + weight, b))
    return distance


class Sssp(Case):
    def table(self, name):
        """Header and rows of a .tsv file."""
        opener = gzip.open if name.endswith(".gz") else lzma.open if name.endswith(".xz") else open
        with opener(self.path(name), "rt", encoding="utf-8", newline="\n") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        return rows[0], rows[1:]

    def check_rows(self, rows, arcs, source, read=int, none="-1"):
        """Distances are those of Dijkstra, every parent is joined by an edge that adds up, and all lead to the source."""
        want, weights, parents = distances_of(arcs, source), defaultdict(set), {}
        for a, b, weight in arcs:
            weights[a, b].add(weight)
        for vertex, distance, parent in rows:
            if vertex not in want:
                self.assertEqual((distance, parent), ("inf", none), vertex)
                continue
            self.assertEqual(read(distance), want[vertex], vertex)
            parents[vertex] = parent
            if vertex == source:
                self.assertEqual(parent, source)
            else:
                self.assertTrue(any(want[parent] + w == want[vertex] for w in weights[parent, vertex]), vertex)
        for vertex in parents:
            steps = 0
            while vertex != source:
                vertex, steps = parents[vertex], steps + 1
                self.assertLess(steps, len(parents) + 1)


class Some(Sssp):
    """Distances to some vertices, and up to some distance."""

    def setUp(self):
        super().setUp()
        self.write("town.wel", TOWN)
        self.good("build", "town.wel", "-q", "-o", "town.meg")
        self.write("from", "1\n8\n3\n1\n")
        self.write("to", "4\n9\n1\n")
        self.want = [[10, None, 0], [None, 2, None], [8, None, None], [10, None, 0]]

    def test_matrix(self):
        words = ["sssp", "town.meg", "--sources", "from", "--targets", "to"]
        for name, gap in (("m.csv", ","), ("m.tsv", "\t"), ("m.tsv.gz", "\t")):
            self.good(*words, "-q", "-o", name)
            with (gzip.open if name.endswith("gz") else open)(self.path(name), "rt", encoding="utf-8") as file:
                rows = [line.rstrip("\n").split(gap) for line in file]
            self.assertEqual(rows[0], ["source", "4", "9", "1"])
            self.assertEqual([row[0] for row in rows[1:]], ["1", "8", "3", "1"])
            self.assertEqual([[None if cell == "inf" else int(cell) for cell in row[1:]] for row in rows[1:]], self.want, name)
        for name in ("m.npy", "m.bin"):
            self.good(*words, "-q", "--check", "-o", name)
            with open(self.path(name), "rb") as file:
                data = file.read()
            if name == "m.npy":
                self.assertIn(b"{'descr': '<u8', 'fortran_order': False, 'shape': (4, 3), }", data)
                data = data[10 + data[8] + 256 * data[9]:]
            cells = struct.unpack("<12Q", data)
            self.assertEqual([[None if x == 2**64 - 1 else x for x in cells[i:i + 3]] for i in range(0, 12, 3)], self.want, name)
        self.assertEqual(self.run_it(*words, "-o", "-").stdout.decode().splitlines()[1], "1\t10\tinf\t0")
        facts = self.json(*words, "-o", "m.csv", "--check")
        self.assertEqual((facts["sources"], facts["targets"], facts["mean_reached"], facts["farthest"], facts["checked"]), (4, 3, 1.5, 10, True))
        self.good("sssp", "town.meg", "--source", 3, "--targets", "to", "-q", "-o", "m.csv")
        with open(self.path("m.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "source,4,9,1\n3,8,inf,inf\n")

    def test_real_weights_and_names(self):
        self.write("n.csv", 'from,to,cost\n"a,b",c,0.25\nc,d\\e,0.5\n')
        self.write("all", "a,b\nc\nd\\e\n")
        self.good("sssp", "n.csv", "--sources", "all", "--targets", "all", "-q", "-o", "m.csv")
        with open(self.path("m.csv"), newline="", encoding="utf-8") as file:
            self.assertEqual(list(csv.reader(file)), [["source", "a,b", "c", "d\\e"], ["a,b", "0", "0.25", "0.75"],
                                                      ["c", "inf", "0", "0.5"], ["d\\e", "inf", "inf", "0"]])
        self.good("sssp", "n.csv", "--sources", "all", "--targets", "all", "-q", "-o", "m.npy")
        with open(self.path("m.npy"), "rb") as file:
            data = file.read()
        self.assertIn(b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }", data)
        self.assertEqual(struct.unpack("<9d", data[-72:]), (0, 0.25, 0.75, float("inf"), 0, 0.5, float("inf"), float("inf"), 0))

    def test_maximum(self):
        for most, want in ((10, "0 3 2 10"), (9.9, "0 3 2 inf"), (2, "0 inf 2 inf"), (0, "0 inf inf inf"), ("1e300", "0 3 2 10")):
            for more in ([], ["--threads", 3], ["--delta", 1]):
                self.good("sssp", "town.meg", "--source", 1, "--max-cost", most, *more, "--check", "-q", "-o", "out.tsv")
                _, rows = self.table("out.tsv")
                self.assertEqual([row[1] for row in rows], want.split() + ["inf"] * 3, most)
        facts = self.json("sssp", "town.meg", "--sources", "from", "--targets", "to", "--max-cost", 8)
        self.assertEqual(facts["mean_reached"], 1)
        self.write("zero.wel", "1 2 0\n2 3 0\n3 4 1\n")
        self.assertEqual(self.json("sssp", "zero.wel", "--source", 1, "--max-cost", 0, "--check")["reached"], 3)
        self.write("steps.el", "1 2\n2 3\n3 4\n4 5\n")
        self.assertEqual(self.json("sssp", "steps.el", "--source", 1, "--max-cost", 2.5, "--check")["reached"], 3)

    def test_wrong(self):
        words = ["sssp", "town.meg", "--source", 1]
        self.bad(2, "--max-cost -1: give a number, not negative", *words, "--max-cost=-1")
        self.bad(3, "wrong:2: no vertex has the id 99", *words, "--targets", self.write("wrong", "1\n99\n"))
        self.bad(2, "this table is written as .tsv or .csv", *words, "--targets", "to", "-o", "x.jsonl")
        self.bad(5, "does not run on a device", *words, "--targets", "to", "--engine", "device")


class OneSource(Sssp):
    def setUp(self):
        super().setUp()
        self.write("town.wel", TOWN)
        self.good("build", "town.wel", "-q", "-o", "town.meg")

    def test_table(self):
        self.good("sssp", "town.meg", "--source", 1, "-o", "out.tsv")
        head, rows = self.table("out.tsv")
        self.assertEqual(head, ["vertex", "distance", "parent"])
        self.assertEqual(rows, [["1", "0", "1"], ["2", "3", "3"], ["3", "2", "1"], ["4", "10", "2"], ["7", "inf", "-1"],
                                ["8", "inf", "-1"], ["9", "inf", "-1"]])

    def test_json(self):
        facts = self.json("sssp", "town.meg", "--source", 1, "--check", "-o", "out.tsv")
        want = dict(graph="town.meg", vertices=7, edges=6, arcs=6, directed=True, weights="u8", source=1, reached=4,
                    farthest=10, checked=True, file="out.tsv",
                    columns=[dict(name="distance", type="u64"), dict(name="parent", type="vertex")])
        self.assertEqual({key: facts[key] for key in want}, want)
        self.assertEqual(facts["file_bytes"], os.path.getsize(self.path("out.tsv")))
        self.assertEqual(set(facts["seconds"]), {"open", "prepare", "search", "check", "write", "total"})
        self.assertGreater(facts["seconds"]["search"], 0)
        self.assertGreater(facts["edges_looked_at"], 0)
        self.assertGreater(facts["delta"], 0)
        self.assertGreater(facts["memory_peak_bytes"], 0)

    def test_for_people(self):
        text = self.good("sssp", "town.meg", "--source", 1)
        self.assertRegex(text, r"^reached 4 of 7 vertices from 1, the farthest at distance 10, buckets \S+ wide\n"
                               r"looked at \d+ edges in .*s, .*/s\n.* search .*\n$")
        self.assertNotIn("checked", text)
        text = self.good("sssp", "town.meg", "--source", 1, "--check", "-o", "out.npy")
        self.assertIn("checked: the answer is right", text)
        self.assertRegex(text, r"→ out\.npy, \d+ bytes\n$")
        self.assertTrue(all(len(line) <= 120 for line in text.split("\n")))
        self.assertEqual(self.good("sssp", "town.meg", "--source", 1, "--quiet", "-o", "out.tsv"), "")
        self.write("one.wel", "1 2 3\n")
        self.assertRegex(self.good("sssp", "one.wel", "--source", 1), "looked at 1 edge in ")

    def test_without_o_only_the_summary(self):
        before = self.names()
        facts = self.json("sssp", "town.meg", "--source", 1)
        self.assertTrue({"file", "file_bytes", "columns"}.isdisjoint(facts))
        self.assertEqual(self.names(), before)

    def test_widths(self):
        arcs = [(a, b, int(w)) for a, b, w in map(str.split, TOWN.splitlines())]
        for delta in ["1", "0.001", "1e9", "2.5"]:
            facts = self.json("sssp", "town.meg", "--source", 7, "--delta", delta, "--check", "-o", "out.tsv")
            self.assertEqual(facts["reached"], 5)
            self.check_rows(self.table("out.tsv")[1], arcs, "7")

    def test_random_graphs(self):
        draw = random.Random(5)
        kinds = [lambda: draw.randrange(4), lambda: draw.randrange(1 << 32), lambda: draw.randrange(64) / 4, draw.random]
        for turn, weight in enumerate(kinds):
            ids = [str(v) for v in sorted(draw.sample(range(10 ** 6), 150))]
            edges = [(*draw.sample(ids, 2), weight()) for _ in range(500)]
            self.write("g.wel", "".join(f"{a} {b} {w!r}\n" for a, b, w in edges))
            for direction in "--directed", "--undirected":
                keep = ["--keep-duplicates"] if turn % 2 else []
                self.good("build", "g.wel", direction, *keep, "-q", "-o", "g.meg")
                both = edges + [(b, a, w) for a, b, w in edges] if direction == "--undirected" else edges
                for threads in 1, 2, 5:
                    self.good("sssp", "g.meg", "--source", ids[3], "--threads", threads, "--check", "-o", "out.tsv")
                    self.check_rows(self.table("out.tsv")[1], both, ids[3], int if turn < 2 else float)

    def test_formats(self):
        for name in ["o.tsv", "o.npy", "o.bin", "o.tsv.gz", "o.tsv.xz"]:
            self.good("sssp", "town.meg", "--source", 1, "-o", name)
        rows = self.table("o.tsv")[1]
        self.assertEqual(self.table("o.tsv.gz")[1], rows)
        self.assertEqual(self.table("o.tsv.xz")[1], rows)
        with open(self.path("o.bin"), "rb") as file:
            raw = file.read()
        columns = [struct.unpack_from(f"<7{code}", raw, at) for code, at in [("Q", 0), ("Q", 56), ("q", 112)]]
        text = [[str(v), "inf" if d == 2 ** 64 - 1 else str(d), str(p)] for v, d, p in zip(*columns)]
        self.assertEqual(text, rows)
        with open(self.path("o.npy"), "rb") as file:
            raw = file.read()
        self.assertEqual(list(struct.iter_unpack("<QQq", raw[-7 * 24:])), list(zip(*columns)))
        self.assertIn(b"('vertex', '<u8'), ('distance', '<u8'), ('parent', '<i8')", raw)

    def test_names_and_signs(self):
        self.write("g.csv", "from,to,weight\nNew York,Ōsaka,1.5\nfar,away,2\n")
        facts = self.json("sssp", "g.csv", "--source", "New York", "--check", "-o", "o.tsv")
        self.assertEqual((facts["source"], facts["farthest"], facts["reached"]), ("New York", 1.5, 2))
        self.assertEqual(self.table("o.tsv")[1], [["New York", "0", "New York"], ["Ōsaka", "1.5", "New York"],
                                                  ["far", "inf", ""], ["away", "inf", ""]])
        self.assertIn('from "New York", the farthest at distance 1.5,', self.good("sssp", "g.csv", "--source", "New York"))
        self.write("g.wel", "-5 -1 4\n-1 3 4\n8 -5 1\n")
        self.good("sssp", "g.wel", "--source", -5, "--check", "-o", "o.tsv")
        self.assertEqual(self.table("o.tsv")[1], [["-5", "0", "-5"], ["-1", "4", "-5"], ["3", "8", "-1"], ["8", "inf", ""]])

    def test_without_weights_edges_count_one(self):
        self.write("g.el", "1 2\n2 3\n1 4\n")
        facts = self.json("sssp", "g.el", "--source", 1, "--check", "-o", "o.tsv")
        self.assertEqual((facts["weights"], facts["farthest"]), ("none", 2))
        self.assertEqual([row[1] for row in self.table("o.tsv")[1]], ["0", "1", "2", "1"])

    def test_isolated_source(self):
        self.write("three.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 0.5\n")
        facts = self.json("sssp", "three.mtx", "--source", 3, "--check", "-o", "o.tsv")
        self.assertEqual((facts["reached"], facts["farthest"]), (1, 0))
        self.assertEqual(self.table("o.tsv")[1], [["1", "inf", "-1"], ["2", "inf", "-1"], ["3", "0", "3"]])

    def test_trace(self):
        self.good("sssp", "town.meg", "--source", 1, "--check", "--trace", "t.json", "-o", "o.tsv")
        with open(self.path("t.json")) as file:
            runs = {step["run"] for step in map(json.loads, file)}
        self.assertLessEqual({"check", "write"}, runs)
        self.good("report", "t.json", "-q", "-o", "t.html")


class ManySources(Sssp):
    def setUp(self):
        super().setUp()
        draw = random.Random(11)
        ids = [str(3 * v) for v in range(60)]
        self.arcs = [(*draw.sample(ids, 2), draw.randrange(100)) for _ in range(150)]
        self.write("g.wel", "".join(f"{a} {b} {w}\n" for a, b, w in self.arcs))
        self.good("build", "g.wel", "-q", "-o", "g.meg")
        self.vertices = sorted({v for arc in self.arcs for v in arc[:2]}, key=int)

    def list(self, sources):
        return self.write("ids", "# sources\n" + "".join(f"{source}\n\n" for source in sources))

    def check_table(self, rows, sources, arcs):
        n = len(self.vertices)
        self.assertEqual(len(rows), n * len(sources))
        for i, source in enumerate(sources):
            part = rows[i * n:(i + 1) * n]
            self.assertEqual({row[0] for row in part}, {source})
            self.assertEqual([row[1] for row in part], self.vertices)
            self.check_rows([row[1:] for row in part], arcs, source)

    def test_tables(self):
        for count in 1, 2, 50:
            sources = (self.vertices * 2)[:count] + [self.vertices[0]]
            for name in "o.tsv", "o.tsv.gz", "o.tsv.xz":
                threads = 1 + count % 3
                self.good("sssp", "g.meg", "--sources", self.list(sources), "--check", "--threads", threads, "-o", name)
                head, rows = self.table(name)
                self.assertEqual(head, ["source", "vertex", "distance", "parent"])
                self.check_table(rows, sources, self.arcs)
        if shutil.which("zstd"):
            self.good("sssp", "g.meg", "--sources", "ids", "-q", "-o", "o.tsv.zst")
            self.good("sssp", "g.meg", "--sources", "ids", "-q", "-o", "plain.tsv")
            subprocess.run(["zstd", "-dqf", "o.tsv.zst"], cwd=self.folder, check=True)
            self.check_table(self.table("o.tsv")[1], sources, self.arcs)

    def test_array(self):
        sources = self.vertices[:20]
        self.good("sssp", "g.meg", "--sources", self.list(sources), "-o", "o.npy")
        with open(self.path("o.npy"), "rb") as file:
            raw = file.read()
        head = 10 + struct.unpack_from("<H", raw, 8)[0]
        self.assertIn(b"[('source', '<u8'), ('vertex', '<u8'), ('distance', '<u8'), ('parent', '<i8'), ]", raw[:head])
        self.assertIn(f"'shape': ({20 * len(self.vertices)},)".encode(), raw[:head])
        rows = [[str(s), str(v), "inf" if d == 2 ** 64 - 1 else str(d), str(p)]
                for s, v, d, p in struct.iter_unpack("<QQQq", raw[head:])]
        self.check_table(rows, sources, self.arcs)

    def test_json(self):
        sources = self.vertices[:10]
        want = [distances_of(self.arcs, source) for source in sources]
        facts = self.json("sssp", "g.meg", "--sources", self.list(sources), "--check")
        self.assertEqual((facts["sources"], facts["source_ids"]), (10, [int(s) for s in sources]))
        self.assertEqual(facts["reached"], sum(map(len, want)))
        self.assertAlmostEqual(facts["mean_reached"], sum(map(len, want)) / 10)
        self.assertEqual(facts["farthest"], max(max(d.values()) for d in want))
        times = facts["search_seconds"]
        self.assertTrue(0 <= times["min"] <= times["mean"] <= times["max"])
        self.assertIs(facts["checked"], True)
        self.assertNotIn("columns", facts)
        facts = self.json("sssp", "g.meg", "--sources", "ids", "-o", "o.tsv")
        self.assertEqual([column["name"] for column in facts["columns"]], ["distance", "parent"])
        self.assertEqual(facts["file_bytes"], os.path.getsize(self.path("o.tsv")))
        facts = self.json("sssp", "g.meg", "--sources", self.list(self.vertices * 3))
        self.assertEqual(facts["sources"], 3 * len(self.vertices))
        self.assertNotIn("source_ids", facts)

    def test_for_people(self):
        text = self.good("sssp", "g.meg", "--sources", self.list(self.vertices[:5]))
        self.assertRegex(text, r"^reached \d+ of \d+ vertices on average from 5 sources, the farthest at distance \d+, "
                               r"buckets \S+ wide\na search took .*s on average, the fastest .*s, the slowest .*s\n")
        self.assertIn("vertices from 1 source, ", self.good("sssp", "g.meg", "--sources", self.list(self.vertices[:1])))

    def test_from_standard_input_and_to_a_pipe(self):
        ids = "".join(f"{v}\n" for v in self.vertices).encode()
        self.good("sssp", "g.meg", "--sources", "-", "-q", "--threads", 1, "-o", "o.tsv", stdin=ids)
        os.symlink("/dev/stdout", self.path("pipe.tsv"))
        result = self.run_it("sssp", "g.meg", "--sources", "-", "-q", "--threads", 1, "-o", "pipe.tsv", stdin=ids)
        with open(self.path("o.tsv"), "rb") as file:
            self.assertEqual((result.returncode, result.stdout), (0, file.read()))

    def test_what_does_not_fit_is_refused_with_the_figure(self):
        """Before any work: rows of 32 bytes and the head, or of as many characters as there are at least."""
        vertices, count = 4000000, 60000
        self.good("gen", "uniform", "--vertices", vertices, "--edges", 10, "-q", "-o", "wide.meg")
        self.write("ids", "0\n" * count)
        room = os.statvfs(self.folder)
        self.need(room.f_bavail * room.f_frsize < count * vertices * 8, "a disk that is small enough")
        began = time.monotonic()
        text = self.bad(4, "at least, and there is room for", "sssp", "wide.meg", "--sources", "ids", "-o", "o.npy")
        self.assertRegex(text, rf"o\.npy would have \S+ TB \({count * vertices * 32 + 192} bytes\) at least")
        text = self.bad(4, "at least, and there is room for", "sssp", "wide.meg", "--sources", "ids", "-o", "o.tsv")
        self.assertLess(time.monotonic() - began, 60)
        self.assertNotIn("o.npy", self.names())
        self.assertNotIn("o.tsv", self.names())

    def test_interrupt(self):
        """Exit code 130, and nothing is left."""
        self.good("gen", "grid", "--width", 200, "--height", 200, "-q", "-o", "grid.meg")
        self.write("ids", "0\n" * 20000)
        before = self.names()
        process = subprocess.Popen([MEGURI, "sssp", "grid.meg", "--sources", "ids", "-o", "o.tsv.gz"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=default_signals)
        time.sleep(0.7)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (130, b"", b"meguri: interrupted.\n"))
        self.assertEqual(self.names(), before)

    def test_bad_lists(self):
        self.write("ids", f"{self.vertices[0]}\n# and\n1\n")
        self.bad(3, "ids:3: no vertex has the id 1; the nearest ids are 0 and 3.", "sssp", "g.meg", "--sources", "ids")
        self.bad(3, "ids has no ids", "sssp", "g.meg", "--sources", self.write("ids", "# nothing\n\n"))
        self.bad(2, "standard input (-) can be read only once", "sssp", "-", "--sources", "-")
        self.bad(2, "a table of many results is written as .tsv or .csv", "sssp", "g.meg", "--sources", self.list(["0"]), "-o", "o.bin")
        self.bad(2, "is an input", "sssp", "g.meg", "--sources", "ids", "--trace", "ids")
        self.assertNotIn("o.bin", self.names())


class Wrong(Sssp):
    def setUp(self):
        super().setUp()
        self.write("town.wel", TOWN)
        self.good("build", "town.wel", "-q", "-o", "g.meg")
        self.write("ids", "1\n7\n")

    def tearDown(self):
        self.assertEqual(self.names(), ["g.meg", "ids", "town.wel"])

    def test_usage(self):
        self.bad(2, "needs --source ID or --sources FILE", "sssp", "g.meg")
        self.bad(2, "--source and --sources contradict each other", "sssp", "g.meg", "--source", 1, "--sources", "ids")
        self.bad(2, "sssp needs GRAPH", "sssp", "--source", 1)
        self.bad(3, "missing.meg", "sssp", "missing.meg", "--source", 1)
        self.bad(3, "no vertex has the id 6; the nearest ids are 4 and 7.", "sssp", "g.meg", "--source", 6, "-o", "o.tsv")
        for delta in "0", "nan", "inf", "1e999":
            self.bad(2, f"--delta {delta}: ", "sssp", "g.meg", "--source", 1, "--delta", delta)
        for delta in "-1", "x", "":
            self.bad(2, "--delta", "sssp", "g.meg", "--source", 1, f"--delta={delta}")
        self.bad(2, ".tsv", "sssp", "missing.meg", "--source", 1, "-o", "o.png")
        self.bad(4, "there is no folder nowhere", "sssp", "g.meg", "--source", 1, "-o", "nowhere/o.tsv")
        self.bad(4, "not enough memory", "sssp", "g.meg", "--source", 1, "--memory", "1500")
        for option in "--strategy=all", "--all-above=3", "--selected-below=3":
            self.bad(2, "is about the engine device", "sssp", "g.meg", "--source", 1, option)
        on_device = ("sssp", "g.meg", "--source", 1, "--engine", "device")
        self.bad(2, "--all-above is about --strategy adaptive", *on_device, "--all-above", 3)
        self.bad(2, "--all-above 0: ", *on_device, "--strategy", "adaptive", "--all-above", 0)
        self.bad(2, "--strategy selected has none", *on_device, "--strategy", "selected", "--delta", 3)
        self.bad(2, "--strategy", *on_device, "--strategy", "some")

    def test_weights(self):
        for weight in "-1", "-0.5", "-inf", "inf", "nan":
            self.write("bad.wel", f"1 2 0.5\n2 3 {weight}\n")
            for words in ["--source", 1], ["--sources", "ids"]:
                result = self.run_it("sssp", "bad.wel", *words, "-o", "o.tsv")
                self.assertEqual((result.returncode, result.stdout), (3, b""), weight)
                self.assertRegex(result.stderr.decode(), r"^meguri: .*[^.]\.\n$")
            os.remove(self.path("bad.wel"))

    def test_full_disk(self):
        self.need(os.path.exists("/dev/full"), "/dev/full")
        for suffix in "tsv", "npy":
            os.symlink("/dev/full", self.path("full." + suffix))
            for words in ["--source", 1], ["--sources", "ids"]:
                self.bad(4, "no room to write full." + suffix, "sssp", "g.meg", *words, "-o", "full." + suffix)
            os.remove(self.path("full." + suffix))

    def test_wrong_answer(self):
        """A search that lies about one distance: exit code 1, the checker's sentence, and no file."""
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
            self.bad(1, "the answer is wrong: an edge of weight 1 leads from vertex 3 at distance 2 to vertex 2 at distance 4",
                     "sssp", "g.meg", "--source", 1, "-o", "o.tsv", "--check", env=env)
            self.bad(1, "the answer from source 1 is wrong: an edge of weight 1 leads from vertex 3",
                     "sssp", "g.meg", "--sources", "ids", "-o", "o.tsv", "--check", env=env)


class RealGraphs(Sssp):
    def setUp(self):
        super().setUp()
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")

    def test_reference(self):
        """Distances against digests that two other programs agreed on; ids that do not occur count there as unreached."""
        path = os.path.join(DATA, "REFERENCE.json")
        self.need(os.path.exists(path), "REFERENCE.json")
        with open(path) as file:
            reference = {name: facts for name, facts in json.load(file).items() if "sssp" in facts}
        self.assertGreater(len(reference), 5)
        for name, facts in reference.items():
            if SANITIZED and facts["n"] > 20000:
                continue
            first = 0 if facts["kind"] == "gr0" else 1
            self.good("build", os.path.join(DATA, name), "--directed", "-q", "-o", "g.meg")
            for source, want in facts["sssp"].items():
                got = self.json("sssp", "g.meg", "--source", int(source) + first, "--check", "-o", "o.bin")
                self.assertEqual((got["reached"], got["farthest"]), (want["reached"], want["max"]), (name, source))
                with open(self.path("o.bin"), "rb") as file:
                    columns = array.array("Q", file.read())
                if sys.byteorder == "big":
                    columns.byteswap()
                n = got["vertices"]
                distance, total = array.array("I", [0xffffffff]) * facts["n"], 0
                for vertex, far in zip(columns[:n], columns[n:2 * n]):
                    if far != 2 ** 64 - 1:
                        distance[vertex - first] = far
                        total += far
                self.assertEqual(total, want["sum"], (name, source))
                if sys.byteorder == "big":
                    distance.byteswap()
                self.assertEqual(hashlib.sha256(distance.tobytes()).hexdigest(), want["sha256"], (name, source))

    def test_ldbc(self):
        graphs = [("test-sssp-directed", "sssp/dir-input.e", "sssp/dir-output"),
                  ("test-sssp-undirected", "sssp/undir-input.e", "sssp/undir-output"),
                  ("example-directed", "example/example-directed.e", "example/example-directed-SSSP"),
                  ("example-undirected", "example/example-undirected.e", "example/example-undirected-SSSP")]
        for name, edges, output in graphs:
            with open(os.path.join(DATA, "ldbc/config-template/graphs", name + ".properties")) as file:
                known = dict(map(str.strip, line.split("=", 1)) for line in file if "=" in line and line[0] != "#")
            direction = "--directed" if known[f"graph.{name}.directed"] == "true" else "--undirected"
            self.good("build", os.path.join(DATA, "ldbc/validation-graphs", edges), direction, "-q", "-o", "g.meg")
            with open(os.path.join(DATA, "ldbc/validation-graphs", output)) as file:
                wanted = {vertex: float(distance) for vertex, distance in map(str.split, file)}
            source = known[f"graph.{name}.sssp.source-vertex"]
            for threads in 1, 2, 5:
                self.good("sssp", "g.meg", "--source", source, "--threads", threads, "--check", "-o", "o.tsv")
                found = {vertex: float(distance) for vertex, distance, _ in self.table("o.tsv")[1]}
                self.assertEqual(set(found), set(wanted))
                for vertex, distance in wanted.items():
                    self.assertTrue(found[vertex] == distance or abs(found[vertex] - distance) <= 1e-12 * distance, vertex)

    def test_lagraph(self):
        """Matrices of all kinds; those with negative numbers have no shortest paths."""
        done = refused = 0
        for path in sorted(glob.glob(os.path.join(DATA, "lagraph/data", "*.mtx"))):
            if os.path.getsize(path) > (30000 if SANITIZED else 100000) or "mangled" in path:
                continue
            if self.run_it("build", path, "-q", "-o", "g.meg").returncode:
                continue
            if self.json("info", "g.meg")["edges"] == 0:
                continue
            self.good("convert", "g.meg", "-q", "-o", "g.wel")
            with open(self.path("g.wel")) as file:
                arcs = [(a, b, float(w)) for a, b, w in (line.split() for line in file if not line.startswith("#"))]
            facts = self.json("info", "g.meg")
            if not facts["directed"]:
                arcs += [(b, a, w) for a, b, w in arcs]
            source = arcs[0][0]
            result = self.run_it("sssp", "g.meg", "--source", source, "--check", "-q", "-o", "o.tsv")
            if any(not 0 <= weight < float("inf") for _, _, weight in arcs):
                self.assertEqual(result.returncode, 3, path)
                refused += 1
                continue
            self.assertEqual((result.returncode, result.stderr), (0, b""), path)
            self.check_rows(self.table("o.tsv")[1], arcs, source, float)
            done += 1
        self.assertGreater(done, 5)
        self.assertGreater(refused, 0)


if __name__ == "__main__":
    main()
