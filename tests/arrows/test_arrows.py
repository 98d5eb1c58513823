#!/usr/bin/env python3
"""tools/arrows.py on made-up trees: a good one passes, and each bad file gives its own complaint and no other."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import arrows  # noqa: E402

GOOD = {
    "include/meguri.h": "#include <meguri/context.h>\n#include <meguri/graph.h>\n",
    "include/meguri/context.h": "#include <stddef.h>\n",
    "include/meguri/graph.h": "#include <meguri/context.h>\n",
    "src/base/base.h": "#include <meguri/context.h>\n",
    "src/base/inner.h": '#include "base/base.h"\n',
    "src/base/memory.c": '#include "base/inner.h"\n#include "policy/policy.h"\nvoid mg_exit(void) { at_exit(1); }\n',
    "src/par/par.h": '#include "base/base.h"\n',
    "src/policy/policy.h": "#include <stdint.h>\n",
    "src/graph/graph.h": '#include "par/par.h"\n',
    "src/graph/csr.c": '#include "graph/graph.h"\n/* no exit(1), no\n * #include "io/io.h" here */\n'
    '// #include "io/io.h"\nconst char *text = "exit(1) and stderr";\n',
    "src/io/io.h": '#include "graph/graph.h"\n',
    "src/gen/gen.h": '#include "graph/graph.h"\n',
    "src/net/net.h": '#include "par/par.h"\n',
    "src/net/mpi/mpi_send.c": "#include <mpi.h>\n",
    "src/shards/shards.h": '#include "io/io.h"\n#include "gen/gen.h"\n#include "net/net.h"\n',
    "src/algo/bfs/bfs.h": '#include "shards/shards.h"\n',
    "src/algo/path/path.h": '#include "algo/bfs/bfs.h"\n',
    "src/graph500/graph500.h": '#include "algo/bfs/bfs.h"\n',
    "db/bolt/bolt.h": "#include <meguri.h>\n",
    "db/server/server.h": '#include "bolt/bolt.h"\n',
    "cli/cli.h": "#include <meguri.h>\n",
    "cli/main.c": '#include "cli.h"\nint main(void) { exit(0); }\n',
    "bench/bench.c": "#include <meguri/graph.h>\n#include <stdio.h>\n",
    "bench/uncached.h": '#include "bolt/bolt.h"\n',
    "bench/bench_sort.c": '#include "par/par.h"\n',
    "src/base/create.c": "int f(void) { return openat(d, n, O_RDWR | O_CREAT, 0666) + mkdirat(d, n, 0700); }\n",
    "src/io/reading.c": 'int f(void) { return open(p, O_RDONLY | O_CLOEXEC) + open("/dev/null", O_WRONLY); }\n'
    'FILE *g(void) { file->open(x, O_WRONLY); return fopen(p, "rb"); }\n',
    "src/io/own.c": "static int open(int ctx) { return ctx; }\nint f(void) { return open(1); }\n",
    "tests/graph/writes.c": 'FILE *f(void) { return fopen(p, "w"); }\n',
    "tests/graph/csr_test.c": '#include "graph/graph.h"\n#include "base/inner.h"\n',
    "README.md": "https://example.org/home/page, ../shared/data, $ROOT/work/file\n",
    "build/release/junk.c": '#include "../x.h"\n',
}

# Every file of the library and the command is on the map, the bad ones below too, but for one.
GOOD["docs/map.md"] = "".join(f"`{os.path.basename(path)}`\n" for path in GOOD)

# path, content, a piece of the one complaint
BAD = [
    ("src/base/up.c", '#include "par/par.h"\n', "do not lead from base to par"),
    ("src/par/up.c", '\n#include "graph/graph.h"\n', "src/par/up.c:2: graph/graph.h: the arrows do not lead"),
    ("src/policy/side.c", '#include "graph/graph.h"\n', "do not lead from policy to graph"),
    ("src/io/side.c", '#  include "gen/gen.h"\n', "do not lead from io to gen"),
    ("src/gen/up.c", '#include "algo/bfs/bfs.h"\n', "do not lead from gen to algo/bfs"),
    ("src/algo/bfs/up.c", '#include "graph500/graph500.h"\n', "do not lead from algo/bfs to graph500"),
    ("db/server/peek.c", '#include "graph/graph.h"\n', "db sees include/"),
    ("src/graph/door.c", '#include "base/inner.h"\n', "enter base through base/base.h"),
    ("src/graph/climb.c", '#include "../io/io.h"\n', "do not climb"),
    ("src/graph/near.c", '#include "graph.h"\n', "as graph/graph.h"),
    ("src/graph/quote.c", '#include "meguri/graph.h"\n', "angle brackets"),
    ("src/net/cluster.c", "#include <mpi.h>\n", "only src/net/mpi may include mpi.h"),
    ("src/net/up.c", '#include "shards/shards.h"\n', "do not lead from net to shards"),
    ("src/graph/end.c", "void f(void) { exit (1); }\n", "ends no process"),
    ("src/graph/end2.c", "void f(void) { abort(); }\n", "ends no process"),
    ("src/graph/print.c", "void f(void) { fputs(x, stderr); }\n", "prints nothing"),
    ("src/graph/threads.c", "#  pragma omp parallel for\n", "loops run on the team"),
    ("src/io/made.c", "int f(void) {\n    return open(p, O_RDWR\n | O_CREAT, 0666); }\n", "src/io/made.c:2: open(: files are"),
    ("src/io/made2.c", "int f(void) { return open(p, flags); }\n", "files are created by mg_create"),
    ("src/io/made3.c", "int f(void) { return openat(d, p, O_RDONLY | O_TRUNC); }\n", "files are created by mg_create"),
    ("src/io/made4.c", "int f(void) { return mkostemp(p, O_RDONLY); }\n", "files are created by mg_create"),
    ("src/io/made5.c", "int f(void) { return mkdir(p, 0700); }\n", "folders are created by mg_create_folder"),
    ("db/source/made.c", 'FILE *f(void) { return fopen(p, "r+b"); }\n', "files are created by mg_create"),
    ("cli/made.c", "FILE *f(void) { return fopen(p, mode); }\n", "files are created by mg_create"),
    ("docs/wide.md", "| " + 130 * "x" + " |\n" + 121 * "y" + "\n", "docs/wide.md:2: a line of 121 columns"),
    ("src/attic/attic.h", "#include <stdint.h>\n", "not on the map"),
    ("include/meguri/new.h", "#include <stdint.h>\n", "leaves out meguri/new.h"),
    ("cli/peek.c", '#include "graph/graph.h"\n', "cli sees include/"),
    ("bench/peek.c", '#include "par/par.h"\n', "bench sees include/"),
    ("bench/ask.c", '#include "bolt/bolt.h"\n', "bench sees include/"),
    ("cli/ask.c", '#include "bolt/bolt.h"\n', "cli sees include/"),
    ("examples/peek.c", '#include "base/base.h"\n', "examples sees include/"),
    ("bindings/python/peek.c", '#include "base/base.h"\n', "bindings sees include/"),
    ("src/graph/lost.c", "int lost;\n", "src/graph/lost.c:0: docs/map.md does not name this file"),
    ("docs/page.md", "see /" + "home/me/notes\n", "path of one machine"),
    ("tests/data.txt", "see /" + "work/notes\n", "path of one machine"),
]


UNNAMED = ["src/graph/lost.c"]


def run(files, look):
    """Makes the tree in a temporary folder and looks at it."""
    with tempfile.TemporaryDirectory() as root:
        for path, content in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as stream:
                stream.write(content)
        return look(root)


def faults(root):
    return [f"{path}:{line}: {text}" for path, line, text in arrows.check(root)]


def as_command(root):
    done = subprocess.run([sys.executable, "-B", arrows.__file__, root], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Arrows(unittest.TestCase):
    def test_good_tree_passes(self):
        self.assertEqual(run(GOOD, faults), [])
        self.assertEqual(run(GOOD, as_command), (0, "", ""))

    def test_each_bad_file_is_named(self):
        for path, content, complaint in BAD:
            with self.subTest(path=path):
                on_map = GOOD["docs/map.md"] + ("" if path in UNNAMED else f"`{os.path.basename(path)}`")
                lines = run({**GOOD, "docs/map.md": on_map, path: content}, faults)
                self.assertEqual(len(lines), 1, lines)
                self.assertIn(complaint, lines[0])

    def test_public_header_that_looks_inside(self):
        lines = run({**GOOD, "include/meguri/graph.h": '#include "graph/graph.h"\n'}, faults)
        self.assertIn("public and system headers only", lines[0])

    def test_exit_code(self):
        code, output, errors = run({**GOOD, "cli/main.c": '#include "io/io.h"\n'}, as_command)
        self.assertEqual((code, errors), (1, ""))
        self.assertIn("cli/main.c:1: io/io.h: cli sees include/", output)


if __name__ == "__main__":
    unittest.main()
