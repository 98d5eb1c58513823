#!/usr/bin/env python3
"""Checks that the source keeps to the map (docs/map.md): arrows.py [FOLDER]; one line for each fault, exit code 1.

The table below is the map. Includes point left only; everything outside the library sees include/ alone.
"""

import os
import re
import sys

# The rooms of src/, from left to right. A room includes rooms left of its bracket, never its neighbours in it.
BRACKETS = [
    ["base"],
    ["par"],
    ["policy", "graph"],
    ["io", "gen"],
    ["device", "net"],
    ["shards"],
    ["algo", "pregel"],
    ["graph500", "report"],
]
# Takes only numbers and names, so anyone may call it. (So does the trace, which is part of base.)
FREE = ["policy"]
# These see the public headers and their own folder.
OUTSIDE = ["cli", "db", "bindings", "bench", "examples"]
# … and a single file a header of another: a benchmark asks databases by the client that pulls from them, one times the
# sort.
ALSO = {"bench/uncached.h": ["bolt/bolt.h"], "bench/bench_sort.c": ["par/par.h"]}
# Public headers that meguri.h leaves out, as it does include/meguri/extra/: vertex programs are compiled against the
# library that runs them.
UNPROMISED = ["include/meguri/pregel.h", "include/meguri/run.h"]
# Headers that one folder alone may include (examples and tests are programs of others).
RESERVED = {"mpi.h": "src/net/mpi", "CL/cl.h": "src/device", "openssl/ssl.h": "db/bolt"}
# The rooms of db/, which is a library of its own, from left to right.
DB_ROOMS = ["bolt", "source"]
# Not in the library: it ends no process and prints nothing.
FORBIDDEN = [
    (re.compile(r"\b(exit|_exit|_Exit|quick_exit|abort)\s*\("), "the library ends no process"),
    (re.compile(r"\b(printf|vprintf|puts|putchar|perror)\s*\(|\b(stdout|stderr)\b"), "the library prints nothing"),
    (re.compile(r"#[ \t]*pragma[ \t]+omp\b"), "loops run on the team of the context (par/team.h)"),
]
# Files are created, or opened for writing, in one place, which follows no symbolic link of another user; folders beside
# it. Elsewhere they are opened for reading, which must be seen: O_RDONLY, or "r".
CREATORS = {
    "file": ["src/base/create.c"],
    "folder": ["src/base/create.c", "src/base/walk.c", "src/base/cache_folder.c"],
}
NEVER = "creat creat64 mkstemp mkstemp64 mkostemp mkostemp64 mkstemps mkostemps mktemp tmpfile tmpfile64 tmpnam tempnam shm_open mknod mknodat mkfifo mkfifoat symlink symlinkat"
OPENERS = {name: "file" for name in "open open64 openat openat64 openat2 fopen fopen64 freopen freopen64 posix_spawn_file_actions_addopen".split()}
OPENERS.update({name: "file" for name in NEVER.split()})
OPENERS.update({name: "folder" for name in "mkdir mkdirat mkdtemp".split()})
OPENER = re.compile(r"(?<![\w.>])(" + "|".join(OPENERS) + r")\s*\(")
WRITES = re.compile(r"\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE|EXCL)\b")
# A path of somebody's machine, anywhere.
MACHINE_PATH = re.compile(r"(?<![\w.~$}])/(?:work|home|root)/\w")
# The files of these folders are named, each in backquotes, in docs/map.md.
MAPPED = ["include", "src", "db", "cli", "bench", "tools"]
# Names that are not ours to read.
SKIPPED = {".git", "build", "__pycache__"}  # in a worktree of git .git is a file

CODE = (".c", ".h", ".cl", ".py", ".sh")
SOURCE = (".c", ".h", ".cl", ".cc", ".cpp", ".hpp")
LEVEL = {room: level for level, bracket in enumerate(BRACKETS) for room in bracket}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*")|(\'(?:\\.|[^\'\\\n])*\')', re.DOTALL)


def without_comments(text):
    """The text with comments blanked, in the same lines; strings stay."""
    return COMMENT.sub(lambda m: m.group(0) if m.group(1) or m.group(2) else re.sub(r"[^\n]", " ", m.group(0)), text)


def without_strings(text):
    return COMMENT.sub(lambda m: '""' if m.group(1) or m.group(2) else m.group(0), text)


def room_of(path):
    """src/graph/csr.c → graph; src/algo/bfs/bfs.c → algo/bfs; None outside src."""
    parts = path.split("/")
    if parts[0] != "src" or len(parts) < 3:
        return None
    return "/".join(parts[1:3]) if parts[1] == "algo" and len(parts) > 3 else parts[1]


def front_of(room):
    """The one header through which others enter a room."""
    return f"{room}/{room.split('/')[-1]}.h"


def may_enter(room, other):
    here, there = room.split("/")[0], other.split("/")[0]
    if room == other or there in FREE:
        return True
    if here == there:  # two algorithms
        return True
    return LEVEL[there] < LEVEL[here]


def include_fault(root, path, quote, name):
    """What is wrong with one include, or None."""
    folder = os.path.dirname(path)
    foreign = path.split("/")[0] in ("examples", "tests")
    if name in RESERVED and not foreign and not (folder + "/").startswith(RESERVED[name] + "/"):
        return f"only {RESERVED[name]} may include {name}"
    if ".." in name.split("/"):
        return f"{name}: includes name the room, they do not climb"
    public = name == "meguri.h" or name.startswith("meguri/")
    if quote == '"' and public:
        return f"{name}: public headers are included in angle brackets"
    if quote == "<":
        return None
    top = path.split("/")[0]
    if top == "include":
        return f"{name}: a public header includes public and system headers only"
    if top in OUTSIDE:
        near = os.path.isfile(os.path.join(root, folder, name)) or os.path.isfile(os.path.join(root, top, name))
        here, there = path.split("/")[1], name.split("/")[0]
        if near and top == "db" and here in DB_ROOMS and there in DB_ROOMS and DB_ROOMS.index(there) > DB_ROOMS.index(here):
            return f"{name}: the arrows do not lead from db/{here} to db/{there}"
        near = near or name in ALSO.get(path, [])
        return None if near else f"{name}: {top} sees include/ and its own folder alone"
    room = room_of(path)
    if room is None:
        return None  # tests and tools see everything
    target = "src/" + name
    if not os.path.isfile(os.path.join(root, target)):
        if os.path.isfile(os.path.join(root, folder, name)):
            return f"{name}: write the room too, as {room}/{name}"
        return None  # made by the build, or the compiler will say
    other = room_of(target)
    if other.split("/")[0] not in LEVEL:
        return None  # said once for the folder
    if not may_enter(room, other):
        return f"{name}: the arrows do not lead from {room} to {other}"
    if other != room and name != front_of(other):
        return f"{name}: others enter {other} through {front_of(other)}"
    return None


def is_definition(code, start):
    """Whether a name at this place is declared there: a type is before it."""
    before = re.search(r"(\w+)[\s*]+$", code[:start])
    return bool(before) and before.group(1) not in ("return", "else", "do")


def arguments_of(code, start):
    """What is between the parenthesis at `start` and the one that closes it."""
    depth = 0
    for end in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[end], 0)
        if not depth:
            return code[start + 1 : end]
    return code[start + 1 :]


def only_reads(name, arguments):
    if "open" not in name or name in NEVER.split():
        return False
    if name.startswith(("fopen", "freopen")):
        return bool(re.search(r',\s*"r[be]*"\s*(?:,|$)', arguments.strip()))
    if arguments.lstrip().startswith('"/dev/null"'):
        return True
    return bool(re.search(r"\bO_RDONLY\b", arguments)) and not WRITES.search(arguments)


def check_creation(path, code):
    """Calls that create a file or a folder, or open one for writing, where that is not done."""
    calls = [(m.group(1), m) for m in OPENER.finditer(code)]
    own = {name for name, m in calls if is_definition(code, m.start())}  # functions of the file's own
    for name, match in calls:
        kind = OPENERS[name]
        if name in own or path in CREATORS[kind] or only_reads(name, arguments_of(code, match.end() - 1)):
            continue
        where = "mg_create and its like" if kind == "file" else "mg_create_folder"
        yield code.count("\n", 0, match.start()) + 1, f"{name}(: {kind}s are created by {where} (src/base/create.c)"


def check_source(root, path, text):
    code = without_comments(text)
    for match in INCLUDE.finditer(code):
        fault = include_fault(root, path, match.group(1), match.group(2))
        if fault:
            yield code.count("\n", 0, match.start()) + 1, fault
    if path.startswith(("src/", "db/", "cli/")):
        yield from check_creation(path, code)
    if not path.startswith("src/"):
        return
    bare = without_strings(code)
    for pattern, why in FORBIDDEN:
        for match in pattern.finditer(bare):
            yield bare.count("\n", 0, match.start()) + 1, f"{match.group(0)}: {why}"


def check_document(text):
    """Lines that are too long to be read in a terminal; tables and what is shown as it is (four blanks) apart."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 120 and not line.startswith(("|", "    ")):
            yield number, f"a line of {len(line)} columns: 120 at most"


def check(root):
    """All faults as (path, line, text)."""
    public, mapped = [], []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        for file in sorted(set(files) - SKIPPED):
            full = os.path.join(folder, file)
            path = os.path.relpath(full, root).replace(os.sep, "/")
            if os.path.islink(full) or not os.path.isfile(full):
                continue
            with open(full, encoding="utf-8", errors="replace") as stream:
                text = stream.read()
            for number, line in enumerate(text.split("\n"), 1):
                if MACHINE_PATH.search(line):
                    yield path, number, "this is a path of one machine"
            if path.endswith(".md"):
                for number, fault in check_document(text):
                    yield path, number, fault
            if path.endswith(SOURCE):
                for number, fault in check_source(root, path, text):
                    yield path, number, fault
            if path.split("/")[0] in MAPPED and path.endswith(CODE) and path != "include/meguri.h":
                mapped.append(path)
            if re.fullmatch(r"include/meguri/[\w.-]+\.h", path) and path not in UNPROMISED:
                public.append(path[len("include/") :])
    try:
        with open(os.path.join(root, "include/meguri.h"), encoding="utf-8") as stream:
            main = stream.read()
    except OSError:
        main = ""
    for header in public:
        if f"#include <{header}>" not in main:
            yield "include/meguri.h", 0, f"it leaves out {header}"
    try:
        with open(os.path.join(root, "docs/map.md"), encoding="utf-8") as stream:
            names = set(re.findall(r"`([\w.-]+)`", stream.read()))
    except OSError:
        names = set()
    for path in mapped:
        if os.path.basename(path) not in names:
            yield path, 0, "docs/map.md does not name this file"
    sources = os.path.join(root, "src")
    for room in sorted(os.listdir(sources)) if os.path.isdir(sources) else []:
        if os.path.isdir(os.path.join(sources, room)) and room not in LEVEL:
            yield "src/" + room, 0, "this room is not on the map (the table of tools/arrows.py, docs/map.md)"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    faults = list(check(root))
    for path, line, text in faults:
        print(f"{path}:{line}: {text}" if line else f"{path}: {text}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
