#!/usr/bin/env python3
"""A reader of .meg files written from docs/meg-format.md alone, with nothing but the standard library.

read_meg.py MEG_CORPUS has that program make files of all kinds, reads them, and compares what is in them with what the
library says is in them. It also follows the page's rules on layout (alignment, order, padding, sizes)."""

import collections
import heapq
import os
import struct
import subprocess
import sys
import tempfile

MAGIC = b"\x89MEG\r\n\x1a\n"
HEADER = struct.Struct("<8sHHIQQQQQQQQQQQIBBBBIIB7x")
ENTRY = struct.Struct("<IIIIQQQ")
OFFSETS, NEIGHBOURS, WEIGHTS, TO_USER, TO_INTERNAL, IDS, NAME_OFFSETS, NAMES, NAME_INDEX, COORDINATES = range(1, 11)
INDEX_FACTS, INDEX_HEIGHTS, INDEX_ROWS, INDEX_EDGES, INDEX_HALVES = range(11, 16)
COLUMNS, COLUMN_TEXTS, COLUMN = 16, 17, 256
IN_OFFSETS, IN_NEIGHBOURS, IN_WEIGHTS, IN_ARCS = range(18, 22)
WEIGHT_FORMATS = [None, "B", "H", "I", "f", "d"]
VALUE_BYTES = [None, 1, 2, 4, 4, 8, 8]


def array(code, data):
    size = struct.calcsize("<" + code)
    assert len(data) % size == 0
    return list(struct.unpack("<%d%s" % (len(data) // size, code), data))


class Meg:
    def __init__(self, data):
        (magic, major, _minor, header_bytes, _hash, file_bytes, self.vertices, self.rows, self.arcs, self.edges,
         self.isolated, self.id_base, self.input_edges, self.dropped_duplicates, self.dropped_loops, flags, weight_type,
         self.id_kind, self.order, offset_bytes, sections, entry_bytes, chunk_log2) = HEADER.unpack_from(data)
        assert HEADER.size == 128 and ENTRY.size == 40
        assert magic == MAGIC and major == 1 and file_bytes == len(data)
        self.directed = flags & 1
        self.section = {}
        end = header_bytes + sections * entry_bytes
        for i in range(sections):
            number, _flags, item, unused, offset, size, _hash = ENTRY.unpack_from(data, header_bytes + i * entry_bytes)
            assert offset % 4096 == 0 and 0 <= offset - end < 4096 and unused == 0
            assert not any(data[end:offset]), "the gap between sections is zero"
            listed = offset + (size + 7) // 8 * 8
            assert not any(data[offset + size:listed])
            end = listed + 8 * ((size + (1 << chunk_log2) - 1) >> chunk_log2)
            assert item and size % item == 0
            self.section[number] = data[offset:offset + size]
        assert end == len(data)
        self.offsets = array("I" if offset_bytes == 4 else "Q", self.section.get(OFFSETS, b""))
        self.neighbours = array("I", self.section.get(NEIGHBOURS, b""))
        code = WEIGHT_FORMATS[weight_type]
        self.codes = "I" if offset_bytes == 4 else "Q", code
        self.weights = array(code, self.section.get(WEIGHTS, b"")) if code else [1] * self.arcs
        identity = list(range(self.vertices))
        self.to_user = array("I", self.section[TO_USER]) if TO_USER in self.section else identity
        self.to_internal = array("I", self.section[TO_INTERNAL]) if TO_INTERNAL in self.section else identity
        self.read_columns()

    def read_columns(self):
        """Of each column its name, type, kind, the names of its values, and the values as bytes by arc."""
        self.columns = []
        texts = self.section.get(COLUMN_TEXTS, b"")
        assert texts.endswith(b"\0") or COLUMNS not in self.section
        texts = iter(texts.decode().split("\0")[:-1])
        for i, (kind_of_value, kind, unused, labels) in enumerate(struct.iter_unpack("<BBHI", self.section.get(COLUMNS, b""))):
            assert unused == 0
            size = VALUE_BYTES[kind_of_value]
            data = self.section.get(COLUMN + i, b"")
            assert len(data) == self.arcs * size
            values = [data[a * size:(a + 1) * size] for a in range(self.arcs)]
            name = next(texts)
            names = [next(texts) for _ in range(labels)]
            assert not names or all(int.from_bytes(v, "little") < labels for v in values)
            self.columns.append((name, kind_of_value, kind, names, values))
        assert next(texts, None) is None

    def id(self, position):
        if self.id_kind == 2:
            at = array("Q", self.section[NAME_OFFSETS])
            return self.section[NAMES][at[position]:at[position + 1]].hex() + "h"
        if IDS in self.section:
            return str(array("q" if self.id_kind == 1 else "Q", self.section[IDS])[position])
        first = self.id_base - (1 << 64) if self.id_kind == 1 and self.id_base >> 63 else self.id_base
        return str(first + position)

    def row(self, position):
        v = self.to_internal[position]
        if v >= self.rows:
            return []
        arcs = range(self.offsets[v], self.offsets[v + 1])
        return sorted((self.to_user[self.neighbours[a]], a) for a in arcs)

    def check_rules(self):
        """What the page says about rows beyond what their lines show."""
        arcs, filled, weights = collections.Counter(), set(), {}
        for v in range(self.rows):
            begin, end = self.offsets[v], self.offsets[v + 1]
            row = [(self.neighbours[a], self.weights[a]) for a in range(begin, end)]
            assert row == sorted(row) and all(to < self.rows for to, _ in row)
            if self.order == 1 and not self.directed:
                assert len(row) == 1 or (row and (v == 0 or begin - self.offsets[v - 1] > 1))
            arcs.update((v, to) for to, _ in row)
            filled.update([v] * (begin < end), (to for to, _ in row))
            for a, (to, weight) in zip(range(begin, end), row):
                carried = [column[4][a] for column in self.columns]
                weights.setdefault((v, to), []).append((weight, carried))
        assert self.isolated == self.vertices - len(filled)
        self.check_backwards()
        if self.directed:
            assert self.edges == self.arcs
            return
        assert all(arcs[v, to] == arcs[to, v] and weights[v, to] == weights[to, v] for v, to in arcs)
        loops = sum(count for (v, to), count in arcs.items() if v == to)
        assert 2 * self.edges == self.arcs + loops

    def check_backwards(self):
        """Rows backwards are the rows from the other end, parallel arcs by weight and then by place."""
        there = [number in self.section for number in (IN_OFFSETS, IN_NEIGHBOURS, IN_WEIGHTS, IN_ARCS)]
        if not any(there):
            return
        assert there == [True, True, self.codes[1] is not None, bool(self.columns)] and self.directed and self.arcs
        tails = [v for v in range(self.rows) for _ in range(self.offsets[v], self.offsets[v + 1])]
        arcs = sorted(range(self.arcs), key=lambda a: (self.neighbours[a], tails[a], self.weights[a], a))
        heads = collections.Counter(self.neighbours)
        ends = [sum(heads[v] for v in range(end)) for end in range(self.rows + 1)]
        assert array(self.codes[0], self.section[IN_OFFSETS]) == ends
        assert array("I", self.section[IN_NEIGHBOURS]) == [tails[a] for a in arcs]
        if self.codes[1]:
            assert array(self.codes[1], self.section[IN_WEIGHTS]) == [self.weights[a] for a in arcs]
        if self.columns:
            assert array(self.codes[0], self.section[IN_ARCS]) == arcs

    def lines(self):
        yield " ".join(map(str, (self.vertices, self.arcs, self.edges, self.isolated, self.directed, self.order,
                                 self.input_edges, self.dropped_duplicates, self.dropped_loops)))
        for p in range(self.vertices):
            line = self.id(p)
            if COORDINATES in self.section:
                line += " @%016x,%016x" % struct.unpack_from("<QQ", self.section[COORDINATES], 16 * p)
            for neighbour, arc in self.row(p):
                weight = struct.unpack("<Q", struct.pack("<d", self.weights[arc]))[0]
                line += " %d:%016x" % (neighbour, weight)
            yield line
        for name, kind_of_value, kind, names, values in self.columns:
            rows = ["".join(values[arc].hex() for _, arc in self.row(p)) for p in range(self.vertices)]
            yield " ".join([name, str(kind_of_value), str(kind), *names, *rows])


class Index:
    """The path index of a graph."""

    def __init__(self, graph):
        section = graph.section
        self.graph = graph
        self.count, self.shortcuts, self.uncontracted, self.free_arcs, *zeros = array("Q", section[INDEX_FACTS])
        assert zeros == [0, 0, 0, 0]
        self.heights = array("I", section[INDEX_HEIGHTS])
        assert sorted(self.heights) == list(range(graph.vertices))
        self.rows = array("I", section[INDEX_ROWS])
        assert self.rows[0] == 0 and self.rows[-1] == self.count
        self.halves = array("Q", section[INDEX_HALVES])
        real = isinstance(graph.weights[0], float)
        size = len(section[INDEX_EDGES]) // self.count
        code = {12: "<III", 24: "<ddII" if real else "<QQII"}[size]
        self.edges = []
        for fields in struct.iter_unpack(code, section[INDEX_EDGES]):
            to, costs = (fields[0], fields[1:]) if size == 12 else (fields[2], fields[:2])
            absent = 2**32 - 1 if size == 12 else float("inf") if real else 2**62
            self.edges.append((to, [None if cost == absent else cost for cost in costs]))
        self.owners = [h for h in range(graph.vertices) for _ in range(self.rows[h], self.rows[h + 1])]
        self.tails = [v for v in range(graph.rows) for _ in range(graph.offsets[v], graph.offsets[v + 1])]

    def unpack(self, edge, side):
        half = self.halves[2 * edge + side]
        if half >> 63:
            return [half & (1 << 63) - 1]
        first, second = half >> 32, half & (1 << 32) - 1
        assert first > edge and second > edge and self.owners[first] == self.owners[second]
        return self.unpack(first, 1) + self.unpack(second, 0)

    def check_edges(self):
        """Every edge is the way it says, at the cost it says."""
        found = 0
        for i, (to, costs) in enumerate(self.edges):
            assert to < self.owners[i] or (to < self.uncontracted and self.owners[i] < self.uncontracted)
            for side in range(2):
                if costs[side] is None:
                    continue
                arcs = self.unpack(i, side)
                found += len(arcs) > 1
                ends = (self.owners[i], to) if side == 0 else (to, self.owners[i])
                assert self.heights[self.tails[arcs[0]]] == ends[0]
                assert self.heights[self.graph.neighbours[arcs[-1]]] == ends[1]
                for a, b in zip(arcs, arcs[1:]):
                    assert self.graph.neighbours[a] == self.tails[b]
                assert abs(sum(self.graph.weights[a] for a in arcs) - costs[side]) <= 1e-9 * costs[side]
        assert found == self.shortcuts

    def upwards(self, start, side):
        """Costs from (side 0) or to (side 1) a height, going up only."""
        costs = {start: 0}
        queue = [(0, start)]
        while queue:
            cost, h = heapq.heappop(queue)
            if cost > costs[h]:
                continue
            for i in range(self.rows[h], self.rows[h + 1]):
                to, both = self.edges[i]
                if both[side] is not None and cost + both[side] < costs.get(to, float("inf")):
                    costs[to] = cost + both[side]
                    heapq.heappush(queue, (costs[to], to))
        return costs

    def check_distances(self):
        """Up and down is never dearer than any other way."""
        n = self.graph.vertices
        up = [self.upwards(self.heights[v], 0) for v in range(n)]
        down = [self.upwards(self.heights[v], 1) for v in range(n)]
        for v in range(n):
            right = {v: 0}
            queue = [(0, v)]
            while queue:
                cost, u = heapq.heappop(queue)
                if cost > right[u] or u >= self.graph.rows:
                    continue
                for a in range(self.graph.offsets[u], self.graph.offsets[u + 1]):
                    to, further = self.graph.neighbours[a], cost + self.graph.weights[a]
                    if further < right.get(to, float("inf")):
                        right[to] = further
                        heapq.heappush(queue, (further, to))
            for w in range(n):
                least = min((up[v][h] + down[w][h] for h in up[v].keys() & down[w].keys()), default=None)
                expected = right.get(w)
                assert (least is None) == (expected is None)
                assert least is None or abs(least - expected) <= 1e-9 * expected


def main(maker):
    count = indexed = 0
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # syncing hundreds of files takes a while
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        subprocess.run([maker, folder], check=True)
        for name in sorted(os.listdir(folder)):
            base, suffix = os.path.splitext(os.path.join(folder, name))
            if suffix != ".meg":
                continue
            with open(base + ".meg", "rb") as stream:
                graph = Meg(stream.read())
            with open(base + ".txt", encoding="ascii") as stream:
                expected = stream.read().splitlines()
            if list(graph.lines()) != expected:
                print(name, *graph.lines(), "instead of", *expected, sep="\n")
                return 1
            graph.check_rules()
            if INDEX_FACTS in graph.section:
                index = Index(graph)
                index.check_edges()
                if graph.vertices < 80:
                    index.check_distances()
                indexed += 1
            count += 1
    print(count, "files read")
    return 0 if (count, indexed) == (24 + 6 * 6 * 16 + 15 + 48, 15 + 24) else 1


sys.exit(main(sys.argv[1]))
