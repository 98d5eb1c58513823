#!/usr/bin/env python3
"""A reader of .meg files written from docs/meg-format.md alone, with nothing but the standard library.

read_meg.py MEG_CORPUS has that program make files of all kinds, reads them, and compares what is in them with what the
library says is in them. It also follows the page's rules on layout (alignment, order, padding, sizes)."""

import os
import struct
import subprocess
import sys
import tempfile

MAGIC = b"\x89MEG\r\n\x1a\n"
HEADER = struct.Struct("<8sHHIQQQQQQQQQQQIBBBBIIB7x")
ENTRY = struct.Struct("<IIIIQQQ")
OFFSETS, NEIGHBOURS, WEIGHTS, TO_USER, TO_INTERNAL, IDS, NAME_OFFSETS, NAMES, NAME_INDEX, COORDINATES = range(1, 11)
WEIGHT_FORMATS = [None, "B", "H", "I", "f", "d"]


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
        self.weights = array(code, self.section.get(WEIGHTS, b"")) if code else [1] * self.arcs
        identity = list(range(self.vertices))
        self.to_user = array("I", self.section[TO_USER]) if TO_USER in self.section else identity
        self.to_internal = array("I", self.section[TO_INTERNAL]) if TO_INTERNAL in self.section else identity

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


def main(maker):
    count = 0
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
            count += 1
    print(count, "files read")
    return 0 if count == 24 + 6 * 6 * 16 else 1


sys.exit(main(sys.argv[1]))
