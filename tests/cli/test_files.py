"""Files that are read stay as they are, whatever else is named; what cannot be written says so and leaves nothing."""
import gzip
import hashlib
import itertools
import os
import random
import re
import resource
import signal
import subprocess
import time

from harness import Case, MEGURI, SANITIZED, default_signals, main
from test_usage import LEAVES

READ, WRITTEN = "read", "written"
# Every option that names a file, by verb; the last test of Inputs looks that none is missing.
FILES = {
    "build": {"--coords": READ, "--output": WRITTEN},
    "convert": {"--coords": READ, "--output": WRITTEN},
    "bfs": {"--sources": READ, "--output": WRITTEN},
    "sssp": {"--sources": READ, "--targets": READ, "--output": WRITTEN},
    "path": {"--to-file": READ, "--pairs": READ, "--output": WRITTEN, "--geojson": WRITTEN},
    "betweenness": {"--source-list": READ, "--output": WRITTEN},
    "pull": {"--password-file": READ, "--ca-file": READ, "--output": WRITTEN},
    "report": {"--graph": READ, "--output": WRITTEN},
    "write-back": {"--result": READ, "--password-file": READ, "--ca-file": READ},
}
for verb in set(LEAVES) - set(FILES) - {"info", "triangles", "graph500", "devices", "selftest", "help",
                                            "partition"}:  # which writes a folder
    FILES[verb] = {"--output": WRITTEN}

# Runs with all kinds of inputs: words before the outputs, the files that are read, the options that write.
RUNS = [
    (["build", "g.wel"], ["g.wel"], ["-o", "--trace"]),
    (["build", "a.el", "b.el"], ["a.el", "b.el"], ["-o", "--trace"]),
    (["build", "g.wel", "--coords", "g.co"], ["g.wel", "g.co"], ["-o", "--trace"]),
    (["build", "T.e"], ["T.e", "T.v"], ["-o", "--trace"]),
    (["build", "a.el", "U.e.gz"], ["a.el", "U.e.gz", "U.v"], ["-o", "--trace"]),
    (["convert", "V.e", "--format", "ldbc"], ["V.e", "V.v.gz"], ["-o", "--trace"]),
    (["convert", "g.meg"], ["g.meg"], ["-o", "--trace"]),
    (["index", "g.meg", "-o", "new.meg"], ["g.meg"], ["--trace"]),
    (["index", "g.meg"], ["g.meg"], ["--trace"]),
    (["info", "g.meg"], ["g.meg"], ["--trace"]),
    (["triangles", "T.e"], ["T.e", "T.v"], ["--trace"]),
    (["overview", "T.e"], ["T.e", "T.v"], ["-o", "--trace"]),
    (["bfs", "g.meg", "--source", "1"], ["g.meg"], ["-o", "--trace"]),
    (["bfs", "T.e", "--sources", "ids.tsv"], ["T.e", "T.v", "ids.tsv"], ["-o", "--trace"]),
    (["sssp", "g.meg", "--sources", "ids.tsv"], ["g.meg", "ids.tsv"], ["-o", "--trace"]),
    (["sssp", "g.meg", "--sources", "ids.tsv", "--targets", "more.tsv"], ["g.meg", "ids.tsv", "more.tsv"], ["-o", "--trace"]),
    (["betweenness", "U.e.gz", "--source-list", "ids.tsv"], ["U.e.gz", "U.v", "ids.tsv"], ["-o", "--trace"]),
    (["pagerank", "T.e"], ["T.e", "T.v"], ["-o", "--trace"]),
    (["components", "g.meg"], ["g.meg"], ["-o", "--trace"]),
    (["communities", "g.meg"], ["g.meg"], ["-o", "--trace"]),
    (["clustering", "g.meg"], ["g.meg"], ["-o", "--trace"]),
    (["path", "g.meg", "--from", "1", "--to-file", "ids.tsv"], ["g.meg", "ids.tsv"], ["-o", "--geojson", "--trace"]),
    (["path", "g.meg", "--pairs", "pairs.tsv"], ["g.meg", "pairs.tsv"], ["-o", "--geojson", "--trace"]),
    (["build", "w-relationships.csv"], ["w-relationships.csv", "w-nodes.csv"], ["-o", "--trace"]),
    (["path", "T.e", "--from", "1", "--to", "2"], ["T.e", "T.v"], ["-o", "--trace"]),
    (["report", "t.json", "--graph", "g.meg"], ["t.json", "g.meg"], ["-o"]),
    (["report", "t.json", "--graph", "T.e"], ["t.json", "T.e", "T.v"], ["-o"]),
]


class Files(Case):
    def setUp(self):
        super().setUp()
        self.write("g.wel", "1 2 5\n2 3 4\n3 1 2\n2 4 1\n")
        self.write("g.co", "v 1 0 0\nv 2 1 0\nv 3 1 1\nv 4 2 1\n")
        self.good("build", "g.wel", "--coords", "g.co", "-q", "-o", "g.meg")
        for name in ["a.el", "b.el", "T.e", "V.e"]:
            self.write(name, "1 2\n2 3\n")
        self.write("U.e.gz", gzip.compress(b"1 2\n2 3\n", mtime=0))
        self.write("T.v", "1\n2\n3\n4\n")
        self.write("U.v", "1\n2\n3\n4\n")
        self.write("V.v.gz", gzip.compress(b"1\n2\n3\n4\n", mtime=0))
        self.write("w-relationships.csv", ":START_ID,:END_ID,:TYPE\n1,2,A\n2,3,B\n")
        self.write("w-nodes.csv", "uid:ID\n1\n4\n")
        self.write("ids.tsv", "1\n2\n")
        self.write("more.tsv", "2\n3\n")
        self.write("pairs.tsv", "1 2\n2 3\n")
        self.good("path", "g.meg", "--from", 1, "--to", 3, "-q", "--trace", "t.json")

    def content(self):
        """Everything in the folder, by name."""
        found = {}
        for name in self.names():
            with open(self.path(name), "rb") as file:
                found[name] = hashlib.sha256(file.read()).hexdigest()
        return found

    def other_names(self, name, suffix):
        """Names of a file by all kinds of links, each with a suffix of our own."""
        hard, soft, chain = f"hard{suffix}", f"soft{suffix}", f"chain{suffix}"
        for link in [hard, soft, chain]:
            if os.path.lexists(self.path(link)):
                os.remove(self.path(link))
        os.link(self.path(name), self.path(hard))
        os.symlink(name, self.path(soft))
        os.symlink("./" + soft, self.path(chain))
        return [hard, soft, chain, "./" + chain, os.path.join("..", os.path.basename(self.folder), soft)]


def suffix_for(words, option):
    """One that the option takes, of a format that is written to one file."""
    if option != "-o":
        return ".any"
    return {"build": ".el", "convert": ".el", "path": ".jsonl", "report": ".svg", "overview": ".html"}.get(words[0], ".tsv")


class Inputs(Files):
    def test_what_was_found(self):
        for words, part in [
            (["path", "g.meg", "--from", 1, "--to-file", "ids.tsv", "-o", "ids.tsv"], "ids.tsv is an input and would be overwritten; name another file after -o."),
            (["path", "g.meg", "--from", 1, "--to-file", "ids.tsv", "--geojson", "ids.tsv"], "name another file after --geojson."),
            (["path", "g.meg", "--from", 1, "--to-file", "ids.tsv", "--trace", "ids.tsv"], "name another file after --trace."),
            (["bfs", "T.e", "--source", 1, "--trace", "T.v"], "T.v is read with T.e and would be overwritten; name another file after --trace."),
            (["convert", "U.e.gz", "-o", "U.e"], "U.v is read with U.e.gz and would be overwritten, because it is written beside U.e; name another"),
            (["convert", "V.e", "-o", "V.e.gz"], "V.v.gz is read with V.e and would be overwritten, because it is written beside V.e.gz; name"),
            (["build", "g.wel", "--coords", "g.co", "-o", "g.gr"], "g.co is an input and would be overwritten, because it is written beside g.gr; name"),
        ]:
            before = self.content()
            self.bad(2, part, *words)
            self.assertEqual(self.content(), before, words)

    def test_every_input_and_every_output(self):
        """By all kinds of links."""
        for words, inputs, outputs in RUNS:
            for name, option in itertools.product(inputs, outputs):
                needed = ["-o", "needed.meg"] if words[0] in ["build", "convert"] and option != "-o" else []
                links = self.other_names(name, suffix_for(words, option))
                for output in links[::2] if SANITIZED else links:
                    before = self.content()
                    text = self.bad(2, "would be overwritten", *words, *needed, option, output)
                    self.assertIn(f"after {option}.", text)
                    self.assertIn(name, text)
                    self.assertEqual(self.content(), before, (words, option, output))

    def test_random_links(self):
        """Several outputs at once, of which one leads to an input, or two to one file, there or not."""
        draw = random.Random(12)
        for _ in range(60 if SANITIZED else 150):
            words, inputs, outputs = draw.choice(RUNS)
            aimed = draw.randrange(len(outputs))
            names = {}
            for i, option in enumerate(outputs):
                suffix = suffix_for(words, option)
                names[option] = f"fresh{i}{suffix}"
                if i == aimed:
                    names[option] = draw.choice(self.other_names(draw.choice(inputs), suffix))
            if len(outputs) > 1 and draw.random() < 0.5:  # to each other instead
                first, second = draw.sample(outputs, 2)
                target = f"target{suffix_for(words, first)}"
                names[first] = draw.choice([target, "./" + target])
                link = f"link{suffix_for(words, second)}"
                if os.path.lexists(self.path(link)):
                    os.remove(self.path(link))
                os.symlink(draw.choice([target, self.path(target)]), self.path(link))
                names[second] = link
                if draw.random() < 0.3:
                    self.write(target, "precious")
            before = {name: os.lstat(self.path(name)).st_mtime_ns for name in self.names()}
            result = self.run_it(*words, *itertools.chain(*names.items()))
            self.assertEqual((result.returncode, result.stdout), (2, b""), (words, names, result.stderr))
            self.assertRegex(result.stderr.decode(), "would be overwritten|name the same file", (words, names))
            self.assertEqual({name: os.lstat(self.path(name)).st_mtime_ns for name in self.names()}, before)
            for name in self.names():
                if name.startswith("target"):
                    os.remove(self.path(name))

    def test_beside_each_other(self):
        os.symlink("roads.gr", self.path("roads.co"))
        self.bad(2, "roads.co, which is written beside roads.gr, is the same file", "convert", "g.meg", "-o", "roads.gr")
        self.bad(2, "-o and --trace name the same file h.co (h.co is written beside h.gr)", "convert", "g.meg", "-o", "h.gr", "--trace", "h.co")
        self.bad(2, "name the same file", "convert", "g.meg", "-o", "h.e", "--trace", "h.v")
        self.assertFalse(os.path.exists(self.path("h.co")))

    def test_standard_streams(self):
        before = self.content()
        with open(self.path("a.el"), "rb") as file:
            result = subprocess.run([MEGURI, "build", "-", "-o", "a.el"], stdin=file, capture_output=True, cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"the file behind standard input is an input and would be overwritten by a.el;", result.stderr)
        with open(self.path("ids.tsv"), "ab") as file:
            result = subprocess.run([MEGURI, "bfs", "g.meg", "--sources", "ids.tsv", "-o", "-"], stdout=file,
                                    stderr=subprocess.PIPE, cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"ids.tsv is an input and would be overwritten by standard output;", result.stderr)
        self.assertEqual(self.content(), before)

    def test_no_false_alarm(self):
        """The same runs with files of their own, devices, and what only looks like an input."""
        for words, _, outputs in RUNS:
            names = [(option, f"fresh{i}{suffix_for(words, option)}") for i, option in enumerate(outputs)]
            self.assertEqual(self.run_it(*words, *itertools.chain(*names)).returncode, 0, words)
        self.good("bfs", "g.meg", "--source", 1, "-q", "--trace", "/dev/null")
        self.good("build", "T.e", "--format", "el", "-q", "-o", "new.meg", "--trace", "T.v")  # not read then
        self.good("convert", "g.meg", "-q", "-o", "T.el", "--trace", "T.co")
        self.good("index", "g.meg", "-q")
        self.assertEqual(self.json("info", "g.meg")["path_index"]["uncontracted"], 0)

    def test_list_is_complete(self):
        for verb in LEAVES:
            text = self.good(*verb.split(), "--help")
            named = set(re.findall(r"(--[\w-]+) FILE", text))
            self.assertEqual(named - {"--trace"}, set(FILES.get(verb, {})), verb)


class StandardOutput(Files):
    RESULTS = [["bfs", "g.meg", "--source", "1"], ["bfs", "g.meg", "--sources", "ids.tsv"], ["sssp", "g.meg", "--source", "1"],
               ["sssp", "g.meg", "--sources", "ids.tsv"], ["components", "g.meg"], ["pagerank", "g.meg"], ["betweenness", "g.meg"],
               ["communities", "g.meg"], ["clustering", "g.meg"], ["path", "g.meg", "--from", "1", "--to", "3"]]

    def test_tables(self):
        for words in self.RESULTS:
            self.good(*words, "-q", "--threads", 1, "-o", "o.tsv")
            with open(self.path("o.tsv"), "rb") as file:
                want = file.read()
            result = self.run_it(*words, "--threads", 1, "-o", "-")
            self.assertEqual((result.returncode, result.stdout), (0, want), words)
            self.assertRegex(result.stderr.decode(), r" → standard output\n$", words)
            result = self.run_it(*words, "--threads", 1, "-q", "-o", "-")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, want, b""), words)
            result = self.run_it(*words, "--threads", 1, "--json", "-o-")
            self.assertEqual((result.returncode, result.stdout), (0, want), words)
            self.assertRegex(result.stderr.decode(), r'^\{.*"file": "-", "file_bytes": null.*\}\n$', words)
        self.assertNotIn("-", self.names())

    def test_appends_to_a_file(self):
        script = f'echo before; "{MEGURI}" components g.meg -q -o -; echo after'
        with open(self.path("all"), "wb") as file:
            subprocess.run(["sh", "-c", script], stdout=file, cwd=self.folder, check=True)
        with open(self.path("all")) as file:
            self.assertEqual(file.read().split("\n")[:2] + ["after"], ["before", "vertex\tcomponent", "after"])

    def test_other_forms(self):
        ends = ["path", "g.meg", "--from", 1, "--to", 3]
        self.assertEqual(self.good(*ends, "-q", "-o", "-", "--csv"), self.good(*ends, "--csv"))
        self.assertTrue(self.good(*ends, "-q", "-o", "-", "--lines").startswith('{"from": 1,'))
        self.assertTrue(self.good("report", "t.json", "-q", "-o", "-").lower().startswith("<!doctype html>"))
        for words in [["gen", "grid", "--width", 3, "--height", 3, "-o", "-"], ["convert", "g.meg", "-o", "-"],
                      ["index", "g.meg", "-o", "-"], [*ends, "--geojson", "-"], [*ends, "--trace", "-"]]:
            self.bad(2, "not written to standard output", *words)
        self.bad(2, "name the same file standard output", *ends, "-o", "-", "--geojson", "-")
        self.bad(2, "processes of a cluster", "bfs", "g.meg", "--source", 1, "--engine", "cluster", "-o", "-")
        self.assertNotIn("-", self.names())

    def test_full_and_closed(self):
        for words in self.RESULTS:
            with open("/dev/full", "wb") as full:
                result = subprocess.run([MEGURI, *words, "-o", "-"], stdout=full, stderr=subprocess.PIPE, cwd=self.folder)
            self.assertEqual(result.returncode, 4, words)
            self.assertIn(b"there is no room to write standard output (No space left on device)", result.stderr, words)
        result = subprocess.run(["sh", "-c", '"$0" components g.meg -o - >&-', MEGURI], cwd=self.folder, capture_output=True)
        self.assertEqual((result.returncode, result.stdout), (4, b""))
        result = subprocess.run(["sh", "-c", '"$0" components g.meg -o - 2>&-', MEGURI], cwd=self.folder, capture_output=True)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_reader_that_does_not_read(self):
        """A signal ends the wait for it, also where a thread of the library waits."""
        self.good("gen", "kronecker", "--scale", 16, "-q", "-o", "k.meg")
        self.write("many", "1 2\n3 4\n" * 20000)
        for words in [["pagerank", "k.meg", "--threads", "1"], ["pagerank", "k.meg", "--threads", "4"],
                      ["bfs", "k.meg", "--sources", "ids.tsv", "--threads", "2"], ["path", "k.meg", "--pairs", "many"]]:
            process = self.start(*words, "-q", "-o", "-")
            process.stdout.read(1)  # it is writing
            self.interrupt(process)

    def test_pipe_that_nobody_opens(self):
        for words, name in [(["pagerank", "g.meg"], "p.tsv"), (["path", "g.meg", "--from", "1", "--to", "3"], "p.csv"),
                            (["report", "t.json"], "p.html"), (["convert", "g.meg"], "p.el")]:
            os.mkfifo(self.path(name))
            self.interrupt(self.start(*words, "-q", "-o", name))
            process = self.start(*words, "-q", "-o", name)
            with open(self.path(name), "rb") as reader:
                self.assertGreater(len(reader.read()), 10)
            self.assertEqual(process.communicate(), (b"", b""))
            self.assertEqual(process.returncode, 0)

    def start(self, *words):
        return subprocess.Popen([MEGURI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                preexec_fn=default_signals)

    def interrupt(self, process):
        """One that waits; it must not go on waiting."""
        time.sleep(1 if SANITIZED else 0.3)
        self.assertIsNone(process.poll(), process.args)
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        try:
            process.wait(timeout=20)
        finally:
            process.kill()
            lasted = time.monotonic() - started
            _, text = process.communicate()
        self.assertEqual((process.returncode, text), (130, b"meguri: interrupted.\n"), process.args)
        self.assertLess(lasted, 10 if SANITIZED else 1, process.args)


class Limits(Files):
    """Sizes of files and of disks: exit code 4, which file, how much; and what was there before."""
    BIG = ["gen", "kronecker", "--scale", "12"]

    def setUp(self):
        super().setUp()
        self.good(*self.BIG, "-q", "-o", "k.meg")
        self.write("many", "1 2\n3 4\n" * 20000)
        self.write("few", "1\n3\n" * 20)

    def runs(self, folder=""):
        """Every writer, with the file that it cannot write."""
        for words, name in [
            ([*self.BIG, "-o"], "o.meg"), ([*self.BIG, "-o"], "o.el"), ([*self.BIG, "-o"], "o.csv"), ([*self.BIG, "-o"], "o.bin32"), ([*self.BIG, "-o"], "o.e"),
            (["build", "k.meg.el", "-o"], "o.meg"), (["index", "k.meg", "-o"], "o.meg"),
            (["pagerank", "k.meg", "-o"], "o.tsv"), (["pagerank", "k.meg", "-o"], "o.npy"), (["pagerank", "k.meg", "-o"], "o.bin"),
            (["sssp", "k.meg", "--sources", "few", "-o"], "o.tsv"), (["sssp", "k.meg", "--sources", "few", "-o"], "o.npy"),
            (["path", "k.meg", "--pairs", "many", "-o"], "o.csv"), (["path", "k.meg", "--pairs", "many", "-o"], "o.jsonl"),
            (["graph500", "--scale", "10", "--roots", "500", "--no-validation", "-q", "--trace"], "t.json.new"),
        ]:
            yield [*words, folder + name], folder + name

    def test_limit_on_the_size_of_files(self):
        self.good("convert", "k.meg", "-q", "-o", "k.meg.el")

        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))

        for words, name in self.runs():
            self.write(name, "precious")
            before = self.names()
            result = self.run_it(*words, preexec_fn=limited)
            text = result.stderr.decode()
            self.assertEqual(result.returncode, 4, (words, text))
            self.assertRegex(text, rf"^meguri: .*{name}.*(no file may have more than|there is room for) 16\.4 kB[^\n]*\.\n$", words)
            self.assertEqual(self.names(), before, words)
            if "--trace" not in words:
                with open(self.path(name)) as file:
                    self.assertEqual(file.read(), "precious", words)
            os.remove(self.path(name))
        before = self.content()
        self.bad(4, "no room to write k.meg ", "index", "k.meg", preexec_fn=limited)
        self.assertEqual(self.content(), before)
        with open(self.path("page"), "wb") as file:
            result = subprocess.run([MEGURI, "path", "k.meg", "--pairs", "many"], stdout=file, stderr=subprocess.PIPE, cwd=self.folder,
                                    preexec_fn=limited)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn(b"limit", result.stderr)

    def test_temporary_files(self):
        """What does not fit in memory, either."""
        self.good("gen", "kronecker", "--scale", 14, "-q", "-o", "big.el")
        result = self.run_it("build", "big.el", "--memory", "3M", "-o", "o.meg",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384)))
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertRegex(result.stderr.decode(), r"^meguri: there is no room to write a temporary file of edges in .*16\.4 kB.*TMPDIR[^\n]*\.\n$")
        self.assertNotIn("o.meg", self.names())

    def test_full_disk(self):
        """On a disk of 64 kB, where this user may make one."""
        os.mkdir(self.path("disk"))
        self.good("convert", "k.meg", "-q", "-o", "k.meg.el")
        script = 'mount -t tmpfs -o size=64k none disk || exit 99; echo precious > "$1"; shift; "$@"; code=$?; ls -A disk; exit $code'
        for words, name in self.runs("disk/"):
            result = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", name, MEGURI, *words], cwd=self.folder, capture_output=True)
            self.need(result.returncode not in (1, 99, 127) or b"meguri" in result.stderr, "the right to mount a file system")
            text = result.stderr.decode()
            self.assertEqual(result.returncode, 4, (words, text))
            self.assertRegex(text, rf"^meguri: .*{name}.*( are (needed|written), and .* are free|would have .*there is room for)[^\n]*\.\n$", words)
            self.assertEqual(result.stdout.decode().split(), [os.path.basename(name)], words)

    def test_killed(self):
        """kill -9 leaves nothing of what path was writing, as of everything else."""
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_RDWR, 0o600))
        except OSError:
            self.need(False, "a file system with files that have no name")
        self.write("clique.el", "".join(f"{a} {b}\n" for a in range(40) for b in range(40) if a != b))
        self.good("build", "clique.el", "-q", "-o", "c.meg")
        self.write("o.csv", "precious")
        for name in ["o.csv", "new.jsonl"]:
            before = self.names()
            process = subprocess.Popen([MEGURI, "path", "c.meg", "--from", "0", "--to", "1", "--algorithm", "simple", "--max-hops", "39", "-o", name],
                                       cwd=self.folder, stdout=subprocess.DEVNULL)
            links = f"/proc/{process.pid}/fd"
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and process.poll() is None:
                targets = [os.readlink(os.path.join(links, fd)) for fd in os.listdir(links) if os.path.lexists(os.path.join(links, fd))]
                if any(target.startswith(self.folder) and "(deleted)" in target for target in targets):
                    break
                time.sleep(0.01)
            time.sleep(0.1)
            process.send_signal(signal.SIGKILL)
            self.assertEqual(process.wait(), -signal.SIGKILL)
            self.assertEqual(self.names(), before, name)
        with open(self.path("o.csv")) as file:
            self.assertEqual(file.read(), "precious")


if __name__ == "__main__":
    main()
