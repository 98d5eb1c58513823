#!/usr/bin/env python3
"""check_results.py RESULT_CORPUS: reads what meguri_result_write wrote, as docs/results.md says, and nothing else.

The items of the columns are worked out here again (hand_made.c has the formulas), the ids stand beside the files. A second
corpus, made by another number of threads, must have the same bytes. Where NumPy is there, it reads the arrays, too."""

import ast
import csv
import filecmp
import gzip
import io
import lzma
import os
import re
import struct
import subprocess
import sys
import tempfile

MASK = (1 << 64) - 1
NO_VERTEX = None


def mixed(i):
    z = (i + 1) * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def rank(i, bits):
    if i % 5 == 0:
        return i / 3
    if i % 5 == 1:
        return float("inf") if i % 2 else float("-inf")
    if i % 5 == 2:
        return float(i)
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def signed_byte(i):
    return (mixed(i) & 255 ^ 128) - 128


class Expected:
    """The table as it must be: ids are integers or bytes, no vertex is None, an infinite distance is inf."""

    def __init__(self, path):
        with open(path, encoding="ascii") as stream:
            lines = stream.read().split("\n")
        self.kind, count = lines[0].split()
        self.count = int(count)
        lines = lines[1:1 + self.count]
        self.ids = [bytes.fromhex(line) if self.kind == "string" else int(line) for line in lines]
        n = range(self.count)
        m = [mixed(i) for i in n]
        self.columns = {
            "vertex": ("id", self.ids),
            "small": ("i1", [i * 7 % 120 - 1 for i in n]),
            "middle": ("i2", [i * 31 % 32000 - 1 for i in n]),
            "level": ("i4", [value % 2147483000 - 1 for value in m]),
            "distance": ("u8", [float("inf") if i % 5 == 3 else m[i] >> i % 64 for i in n]),
            "rank": ("f8", [rank(i, m[i]) for i in n]),
            "parent": ("vertex", [NO_VERTEX if i % 4 == 1 else self.ids[m[i] % self.count] for i in n]),
            "side_0": ("i1", [signed_byte(2 * i) for i in n]),
            "side_1": ("i1", [signed_byte(2 * i + 1) for i in n]),
        }
        self.wide = self.kind == "unsigned" and any(v >= 1 << 63 for v in self.ids)

    def type_of(self, kind):
        """The type of a column in binary files."""
        if kind not in ("id", "vertex"):
            return kind
        if self.kind == "string":
            return f"S{max([len(name) for name in self.ids] + [1])}"
        return "i8" if self.kind == "signed" or kind == "vertex" and not self.wide else "u8"

    def stored(self, kind, value):
        """What a binary file has for an item."""
        if value is NO_VERTEX:
            if self.kind == "string":
                return b""
            return -1 << 63 if self.kind == "signed" else MASK if self.wide else -1
        if kind == "u8" and value == float("inf"):
            return MASK
        return value


def same(a, b):
    return a == b or (a != a and b != b)


def compare(got, want, where):
    if len(got) != len(want):
        raise AssertionError(f"{where}: {len(got)} rows instead of {len(want)}")
    for i, (a, b) in enumerate(zip(got, want)):
        if not same(a, b):
            raise AssertionError(f"{where}, row {i}: {a!r} instead of {b!r}")


# ---- text


def unescape(field):
    table = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"0": b"\0", b"\\": b"\\"}
    return re.sub(rb"\\(.)", lambda m: table[m.group(1)], field, flags=re.DOTALL)


def read_id(expected, field):
    return unescape(field) if expected.kind == "string" else int(field)


def shortest(text):
    """True if no decimal with fewer digits is the same double, which is what repr promises."""
    digits = lambda t: len(t.lstrip("-").split("e")[0].replace(".", "").strip("0"))
    return digits(text) == digits(repr(float(text)))


def read_text_item(expected, kind, field):
    if kind == "id":
        return read_id(expected, field)
    if kind == "vertex":
        if field == (b"-1" if expected.kind == "unsigned" else b""):
            return NO_VERTEX
        return read_id(expected, field)
    text = field.decode("ascii")
    if kind == "f8":
        assert text in ("inf", "-inf", "nan") or shortest(text), text
        return float(text)
    return float("inf") if text == "inf" else int(text)


def check_tsv(expected, path):
    with open(path, "rb") as stream:
        data = stream.read()
    for opener, suffix in (gzip.open, ".gz"), (lzma.open, ".xz"):
        with opener(path + suffix, "rb") as stream:
            assert stream.read() == data, path + suffix
    assert data.endswith(b"\n") and b"\r" not in data and b"\0" not in data
    lines = data[:-1].split(b"\n")
    assert lines[0] == b"\t".join(name.encode() for name in expected.columns), lines[0]
    rows = [line.split(b"\t") for line in lines[1:]]
    assert all(len(row) == len(expected.columns) for row in rows)
    for place, (name, (kind, want)) in enumerate(expected.columns.items()):
        got = [read_text_item(expected, kind, row[place]) for row in rows]
        if kind == "vertex" and b"" in expected.ids:  # an empty id is written as none is
            want = [NO_VERTEX if value == b"" else value for value in want]
        compare(got, want, f"{path}: {name}")


FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\n\r]*))([,\n])')


def csv_records(text):
    """RFC 4180, written down once more: the module csv does not tell "" from nothing. Fields that are quoted are pairs
    of the text and True."""
    at, record = 0, []
    for field in FIELD.finditer(text):
        assert field.start() == at, text[at - 20:at + 20]
        at = field.end()
        quoted, plain, end = field.groups()
        record.append((plain, False) if quoted is None else (quoted.replace('""', '"'), True))
        if end == "\n":
            yield record
            record = []
    assert at == len(text) and not record


def csv_item(expected, kind, field):
    field, quoted = field
    if kind == "vertex" and not quoted and field == ("-1" if expected.kind == "unsigned" else ""):
        return NO_VERTEX
    if kind in ("id", "vertex") and expected.kind == "string":
        return field.encode("utf-8", "surrogateescape")
    return read_text_item(expected, kind, field.encode())


def check_csv(expected, path):
    with open(path, "rb") as stream:
        data = stream.read()
    with gzip.open(path + ".gz", "rb") as stream:
        assert stream.read() == data
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
        text = stream.read()
    if "\0" not in text:  # which the module csv takes since Python 3.11
        theirs = list(csv.reader(io.StringIO(text, newline="")))
        assert theirs == [[field for field, _ in record] for record in csv_records(text)], path
    rows = list(csv_records(text))
    assert rows[0] == [(name, False) for name in expected.columns], rows[0]
    assert all(len(row) == len(expected.columns) for row in rows)
    for place, (name, (kind, want)) in enumerate(expected.columns.items()):
        compare([csv_item(expected, kind, row[place]) for row in rows[1:]], want, f"{path}: {name}")


# ---- NumPy's format, by its description

FORMATS = {"i1": "b", "i2": "h", "i4": "i", "i8": "q", "u8": "Q", "f8": "d"}


def check_npy(expected, path):
    with open(path, "rb") as stream:
        data = stream.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length = struct.unpack("<H", data[8:10])[0]
    head = data[10:10 + length]
    assert (10 + length) % 64 == 0 and head.endswith(b"\n")
    literal = ast.literal_eval(head.decode("ascii"))
    assert set(literal) == {"descr", "fortran_order", "shape"}
    assert literal["fortran_order"] is False and literal["shape"] == (expected.count,)
    want = [(name, expected.type_of(kind)) for name, (kind, _) in expected.columns.items()]
    got = [(name, code[1:]) for name, code in literal["descr"]]
    assert got == want, (path, got, want)
    assert all(code[0] == ("|" if code[1] == "S" or code[2:] == "1" else "<") for _, code in literal["descr"])
    layout = struct.Struct("<" + "".join(FORMATS.get(code) or code[1:] + "s" for _, code in want))
    body = data[10 + length:]
    assert len(body) == expected.count * layout.size, path
    rows = list(layout.iter_unpack(body)) if body else []
    for place, (name, (kind, items)) in enumerate(expected.columns.items()):
        column = [row[place] for row in rows]
        items = [expected.stored(kind, value) for value in items]
        if want[place][1][0] == "S":
            column = [value.rstrip(b"\0") for value in column]
            items = [value.rstrip(b"\0") for value in items]
        compare(column, items, f"{path}: {name}")


def check_with_numpy(numpy, expected, path):
    for array in numpy.load(path, allow_pickle=False), numpy.load(path, mmap_mode="r", allow_pickle=False):
        assert array.shape == (expected.count,) and array.dtype.names == tuple(expected.columns)
        for name, (kind, items) in expected.columns.items():
            items = [expected.stored(kind, value) for value in items]
            if array.dtype[name].kind == "S":
                items = [value.rstrip(b"\0") for value in items]
            compare(array[name].tolist(), items, f"numpy, {path}: {name}")


# ---- raw columns


def check_bin(expected, path):
    with open(path, "rb") as stream:
        data = stream.read()
    at, n = 0, expected.count
    for name, (kind, items) in expected.columns.items():
        items = [expected.stored(kind, value) for value in items]
        code = expected.type_of(kind)
        if code[0] == "S":
            places = struct.unpack_from(f"<{n + 1}Q", data, at)
            at += 8 * (n + 1)
            assert places[0] == 0 and list(places) == sorted(places)
            column = [data[at + places[i]:at + places[i + 1]] for i in range(n)]
            at += places[n]
        else:
            column = struct.unpack_from(f"<{n}{FORMATS[code]}", data, at)
            at += n * struct.calcsize("<" + FORMATS[code])
        compare(column, items, f"{path}: {name}")
    assert at == len(data), (path, at, len(data))


def main():
    try:
        import numpy
    except ImportError:
        numpy = None
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # syncing hundreds of files takes long
    with tempfile.TemporaryDirectory(prefix="meguri-result-", dir=memory) as folder:
        folders = [os.path.join(folder, threads) for threads in ("1", "3")]
        for path in folders:
            os.mkdir(path)
            subprocess.run([sys.argv[1], path, os.path.basename(path)], check=True)
        names = sorted(os.listdir(folders[0]))
        assert names == sorted(os.listdir(folders[1]))
        match, mismatch, errors = filecmp.cmpfiles(*folders, names, shallow=False)
        assert not mismatch and not errors, (mismatch, errors)
        bases = [name[:-4] for name in names if name.endswith(".txt")]
        assert len(bases) > 60 and len(match) == 8 * len(bases)
        if sys.argv[2:] > [""]:  # a sanitizer looks at the writers; the bytes are not read again
            return
        for base in bases:
            path = os.path.join(folders[0], base)
            expected = Expected(path + ".txt")
            check_tsv(expected, path + ".tsv")
            check_csv(expected, path + ".csv")
            check_npy(expected, path + ".npy")
            check_bin(expected, path + ".bin")
            if numpy:
                check_with_numpy(numpy, expected, path + ".npy")
        print(f"{len(bases)} graphs in {len(match)} files" + ("" if numpy else "; without NumPy, which is not here"))


if __name__ == "__main__":
    main()
