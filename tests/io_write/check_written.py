#!/usr/bin/env python3
"""check_written.py WRITE_CORPUS [SANITIZER]: reads what meguri_write wrote with readers of its own, format by format.

Everything is compared with the plain numbers beside it: the arcs, their order, the ids, the weights to the last bit,
and that every weight is printed in its shortest form (that of Python's repr). A second corpus, made by another number
of threads, must have the same bytes. A refusal is right only if the format cannot hold the graph. Under a sanitizer,
which looks at the writers, the bytes are not read again."""

import csv
import decimal
import filecmp
import gzip
import lzma
import os
import struct
import subprocess
import sys
import tempfile


class Graph:
    """What the library says the graph is."""

    def __init__(self, path):
        with open(path, encoding="ascii") as stream:
            lines = stream.read().splitlines()
        self.vertices, self.arc_count, self.edges, self.directed, self.signed, self.weight_type = map(
            int, lines[0].split())
        self.ids = [int(line) for line in lines[1:1 + self.vertices]]
        self.arcs = []
        for line in lines[1 + self.vertices:]:
            u, v, bits = line.split()
            self.arcs.append((int(u), int(v), struct.unpack(">d", bytes.fromhex(bits))[0]))
        assert len(self.arcs) == self.arc_count

    def rows(self):
        rows = [[] for _ in range(self.vertices)]
        for u, v, w in self.arcs:
            rows[u].append((v, w))
        return rows

    def lower(self):
        return [(u, v, w) for u, v, w in self.arcs if v <= u]


def number(text):
    value = float(text)
    assert "," not in text
    shortest = decimal.Decimal(repr(value))
    assert decimal.Decimal(text) == shortest, text
    significant = text.lstrip("-").split("e")[0].replace(".", "").strip("0")
    assert len(significant) <= 17 and ("." not in text or not text.endswith("0")), text
    return value


def text_lines(path):
    opener = gzip.open if path.endswith(".gz") else lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="ascii", newline="") as stream:
        text = stream.read()
    assert text == "" or text.endswith("\n")
    return text.split("\n")[:-1]


def check_lines(graph, lines, ids, weighted, arcs, prefix=""):
    assert len(lines) == len(arcs), (len(lines), len(arcs))
    for line, (u, v, w) in zip(lines, arcs):
        start = "%s%s %s" % (prefix, ids[u], ids[v])
        if weighted:
            head, tail = line.rsplit(" ", 1)
            assert head == start and number(tail) == w, (line, u, v, w)
        else:
            assert line == start, (line, start)


def check_el(graph, path):
    check_lines(graph, text_lines(path), graph.ids, False, graph.arcs)


def check_wel(graph, path):
    check_lines(graph, text_lines(path), graph.ids, True, graph.arcs)


def check_csv(graph, path):
    with open(path, encoding="ascii", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["source", "target"] + (["weight"] if graph.weight_type else [])
    assert len(rows) - 1 == len(graph.arcs)
    for row, (u, v, w) in zip(rows[1:], graph.arcs):
        assert int(row[0]) == graph.ids[u] and int(row[1]) == graph.ids[v]
        assert not graph.weight_type or number(row[2]) == w


def check_mtx(graph, path):
    lines = text_lines(path)
    field = "pattern" if not graph.weight_type else "real" if graph.weight_type in (9, 10) else "integer"
    symmetry = "general" if graph.directed else "symmetric"
    arcs = graph.arcs if graph.directed else graph.lower()
    assert lines[0] == "%%MatrixMarket matrix coordinate {} {}".format(field, symmetry)
    assert lines[1] == "{0} {0} {1}".format(graph.vertices, len(arcs))
    check_lines(graph, lines[2:], range(1, graph.vertices + 1), graph.weight_type, arcs)


def check_gr(graph, path):
    lines = text_lines(path)
    assert lines[0] == "p sp %d %d" % (graph.vertices, len(graph.arcs))
    check_lines(graph, lines[1:], range(1, graph.vertices + 1), True, graph.arcs, "a ")


def check_pace(graph, path):
    lines = text_lines(path)
    assert lines[0] == "p tw %d %d" % (graph.vertices, graph.edges)
    check_lines(graph, lines[1:], range(1, graph.vertices + 1), False, graph.lower())


def check_graph(graph, path):
    lines = text_lines(path)
    assert lines[0] == "%d %d%s" % (graph.vertices, graph.edges, " 1" if graph.weight_type else "")
    assert len(lines) == 1 + graph.vertices
    for line, row in zip(lines[1:], graph.rows()):
        words = [int(word) for word in line.split()]
        expected = []
        for v, w in row:
            expected += [v + 1, w] if graph.weight_type else [v + 1]
        assert words == expected


def check_adj(graph, path):
    lines = text_lines(path)
    expected = [[graph.ids[u]] + [graph.ids[v] for v, _ in row] for u, row in enumerate(graph.rows())]
    assert [[int(word) for word in line.split(" ")] for line in lines] == expected


def check_e(graph, path):
    check_lines(graph, text_lines(path), graph.ids, graph.weight_type, graph.arcs)
    assert [int(line) for line in text_lines(path[:-2] + ".v")] == graph.ids


def check_binary(graph, path, record, decode):
    with open(path, "rb") as stream:
        data = stream.read()
    found = [decode(*words) for words in struct.iter_unpack(record, data)]
    assert found == [(graph.ids[u], graph.ids[v]) for u, v, _ in graph.arcs]


def check_bin32(graph, path):
    check_binary(graph, path, "<II", lambda u, v: (u, v))


def check_bin48(graph, path):
    check_binary(graph, path, "<III", lambda u, v, high: (u | (high & 0xFFFF) << 32, v | (high >> 16) << 32))


def check_bin64(graph, path):
    check_binary(graph, path, "<QQ", lambda u, v: (u, v))


CHECKS = {"el": check_el, "wel": check_wel, "csv": check_csv, "mtx": check_mtx, "gr": check_gr, "pace": check_pace,
          "graph": check_graph, "adj": check_adj, "e": check_e, "bin32": check_bin32, "bin48": check_bin48,
          "bin64": check_bin64, "el.gz": check_el, "wel.xz": check_wel}


def should_refuse(graph, suffix):
    loops = any(u == v for u, v, _ in graph.arcs)
    whole = all(w == int(w) for _, _, w in graph.arcs)
    least = min((w for _, _, w in graph.arcs), default=1)
    if suffix == "pace":
        return graph.directed
    if suffix == "graph":
        return graph.directed or loops or not whole or least < 1
    if suffix == "gr":
        return not whole
    if suffix.startswith("bin"):
        return any(not 0 <= i < 1 << int(suffix[3:]) for i in graph.ids)
    return False


def main(maker, sanitizer=""):
    done = refusals = 0
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # syncing thousands of files takes a minute
    with tempfile.TemporaryDirectory(dir=memory) as one, tempfile.TemporaryDirectory(dir=memory) as five:
        subprocess.run([maker, one, "1"], check=True)
        subprocess.run([maker, five, "5"], check=True)
        names = sorted(os.listdir(one))
        assert names == sorted(os.listdir(five))
        same, different, odd = filecmp.cmpfiles(one, five, names, shallow=False)
        refused = [name for name in different if name.endswith(".refused")]  # these name the folder
        assert not odd and sorted(different) == sorted(refused), (different, odd)
        if sanitizer:
            return 0 if len(same) > 400 else 1
        for name in names:
            if not name.endswith(".txt"):
                continue
            base = os.path.join(one, name[:-4])
            graph = Graph(base + ".txt")
            for suffix, check in CHECKS.items():
                path = base + "." + suffix
                if should_refuse(graph, suffix):
                    with open(path + ".refused", encoding="utf-8") as stream:
                        text = stream.read()
                    assert path in text and text.endswith(".\n") and not os.path.exists(path), text
                    refusals += 1
                else:
                    assert not os.path.exists(path + ".refused"), path
                    check(graph, path)
                    done += 1
    print(done, "files read,", refusals, "refused")
    return 0 if done > 400 and refusals > 50 else 1


sys.exit(main(*sys.argv[1:]))
