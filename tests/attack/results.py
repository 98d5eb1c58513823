"""Files of results as docs/results.md describes them: .tsv, .csv, .npy, .bin, and compressed text, read back as rows of values.

A row is a list: ids are integers or strings, None where there is no vertex, distances may be infinite."""
import ast
import csv
import gzip
import io
import lzma
import math
import shutil
import struct
import subprocess

from session import Wrong

FORMS = {"i1": "b", "i2": "h", "i4": "i", "i8": "q", "u8": "Q", "f8": "d"}
INFINITE = 2**64 - 1
SUFFIXES = ["tsv", "tsv", "csv", "csv", "csv.gz", "npy", "bin", "tsv.gz", "tsv.xz"] + ["tsv.zst"] * bool(shutil.which("zstd"))
ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "\\": "\\"}


def unescape(text):
    out, parts = [], iter(text)
    for letter in parts:
        out.append(ESCAPES[next(parts)] if letter == "\\" else letter)
    return "".join(out)


def unpack(data, name):
    if name.endswith(".gz"):
        return gzip.decompress(data)
    if name.endswith(".xz"):
        return lzma.decompress(data)
    if name.endswith(".zst"):
        return subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=True).stdout
    return data


def from_text(text, kind, ids, name=unescape):
    if kind in ("vertex", "id"):
        if ids == "string":
            return name(text) or (None if kind == "vertex" else "")
        if kind == "vertex" and text == ("" if ids == "signed" else "-1"):
            return None
        return int(text)
    if kind == "f64":
        return float(text)
    return math.inf if text == "inf" else int(text)


def from_bytes(value, kind, ids):
    if kind in ("vertex", "id"):
        if isinstance(value, bytes):
            return value.decode() or (None if kind == "vertex" else "")
        none = -2**63 if ids == "signed" else -1
        return None if kind == "vertex" and value in (none, INFINITE if ids == "unsigned" else none) else value
    return math.inf if kind == "u64" and value == INFINITE else value


def read_tsv(data, columns, ids):
    lines = data.decode().split("\n")
    if lines.pop() != "":
        raise Wrong("a .tsv file that does not end with a line")
    if lines[0].split("\t") != [name for name, _ in columns]:
        raise Wrong(f"header {lines[0]!r} where {columns} were expected")
    kinds = [kind for _, kind in columns]
    return [[from_text(text, kind, ids) for text, kind in zip(line.split("\t"), kinds, strict=True)] for line in lines[1:]]


def read_csv(data, columns, ids):
    if b"\r" not in data and not data.endswith(b"\n"):
        raise Wrong("a .csv file that does not end with a line")
    head, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    if head != [name for name, _ in columns]:
        raise Wrong(f"header {head} where {columns} were expected")
    kinds = [kind for _, kind in columns]
    return [[from_text(text, kind, ids, str) for text, kind in zip(row, kinds, strict=True)] for row in rows]


def read_npy(data, columns, ids):
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise Wrong("no .npy file of version 1.0")
    end = 10 + struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:end].decode())
    if end % 64 or head["fortran_order"] or [name for name, _ in head["descr"]] != [name for name, _ in columns]:
        raise Wrong(f"head {head}")
    form = "<" + "".join(FORMS[kind[1:]] if kind[1] != "S" else kind[2:] + "s" for _, kind in head["descr"])
    if head["shape"] != ((len(data) - end) // max(struct.calcsize(form), 1),) or (len(data) - end) % struct.calcsize(form):
        raise Wrong(f"shape {head['shape']} and {len(data) - end} bytes of {form}")
    strip = [lambda v: v.rstrip(b"\0") if isinstance(v, bytes) else v for _ in columns]
    return [[from_bytes(f(v), kind, ids) for f, v, (_, kind) in zip(strip, row, columns)]
            for row in struct.iter_unpack(form, data[end:])]


def read_bin(data, columns, ids, rows, large):
    """`large`: whether an id is 2^63 or more, which makes columns of vertices unsigned."""
    place, out = 0, []
    for _, kind in columns:
        if kind in ("vertex", "id") and ids == "string":
            places = struct.unpack_from(f"<{rows + 1}Q", data, place)
            place += 8 * (rows + 1)
            values = [data[place + a:place + b] for a, b in zip(places, places[1:])]
            place += places[-1]
        else:
            form = {"i8": "b", "i16": "h", "i32": "i", "u64": "Q", "f64": "d", "vertex": "Q" if large else "q",
                    "id": "q" if ids == "signed" else "Q"}[kind]
            values = struct.unpack_from(f"<{rows}{form}", data, place)
            place += rows * struct.calcsize("<" + form)
        out.append([from_bytes(value, kind, ids) for value in values])
    if place != len(data):
        raise Wrong(f"{len(data)} bytes where the columns have {place}")
    return [list(row) for row in zip(*out)]


def read(session, name, facts, model, first=(("vertex", "id"),)):
    """The rows of a file of results; `facts` is the JSON that the verb printed, which lists the columns."""
    data = unpack(session.read(name), name)
    columns = [*first, *((column["name"], column["type"]) for column in facts["columns"])]
    if name.endswith(".npy"):
        return read_npy(data, columns, model.kind)
    if name.endswith(".bin"):
        large = model.kind == "unsigned" and any(i >= 2**63 for i in model.ids)
        return read_bin(data, columns, model.kind, len(model.ids), large)
    return (read_csv if ".csv" in name else read_tsv)(data, columns, model.kind)
