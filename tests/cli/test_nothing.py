"""Endless nothing on standard input and in compressed files: a signal ends the command soon; and what it says about guesses."""
import gzip
import signal
import subprocess
import sys
import threading
import unittest

from harness import MEGURI, Case, default_signals, main

SOON = 20  # seconds: generous, a busy machine is slow; without an end it would take minutes

KINDS = {"empty lines": b"\n", "blanks": b"  \t \n", "comments": b"# nothing\n", "Windows": b"\r\n",
         "DIMACS comments": b"c nothing\n", "digits": b"7", "letters": b"x", "spaces": b" ", "commas": b","}
EDGES = {"auto": b"1 2\n", "csv": b"source,target\n1,2\n", "gr": b"p sp 2 1\na 1 2 3\n", "adj": b"1 2\n",
         "mtx": b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n", "metis": b"2 1\n2\n1\n", "el": b"x\ty\n"}


class Signals(Case):
    def feed(self, process, first, unit):
        """Writes without end, and lets go of `started` when the command has taken some."""
        piece = unit * (65536 // len(unit))
        try:
            process.stdin.write(first)
            for number in range(1 << 40):
                process.stdin.write(piece)
                if number == 40:
                    self.started.set()
        except (BrokenPipeError, ValueError):
            pass
        self.started.set()

    def stop(self, words, first=None, unit=b""):
        self.started = threading.Event()
        stdin = subprocess.PIPE if first is not None else subprocess.DEVNULL
        process = subprocess.Popen([MEGURI, *words], stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   cwd=self.folder, preexec_fn=default_signals)
        feeder = threading.Thread(target=self.feed, args=(process, first, unit)) if first is not None else None
        try:
            if feeder:
                feeder.start()
                self.started.wait(SOON)
            else:
                threading.Event().wait(0.3)
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            text = process.stderr.read().decode()
            process.wait(SOON)
        finally:
            process.kill()
            process.wait()
            if feeder:
                feeder.join()
                try:
                    process.stdin.close()
                except BrokenPipeError:
                    pass
            process.stderr.close()
        # Stopped; or refused before, as a line without end is; or killed before it caught signals.
        self.assertIn(process.returncode, (130, 3, -signal.SIGTERM), f"{words}: {text}")

    def test_pipes(self):
        for number, (kind, unit) in enumerate(KINDS.items()):
            for place, (name, edge) in enumerate(EDGES.items()):
                if (number + place) % 2:
                    continue
                with self.subTest(kind=kind, format=name):
                    words = ["build", "-", "-o", "g.meg"]
                    if name != "auto":
                        words += ["--format", name]
                    self.stop(words, edge if (number + place) % 4 else b"", unit)
                    self.assertEqual(self.names(), [])

    def test_compressed(self):
        """Some gigabytes out of a few kilobytes."""
        for name, unit in (("a.txt.gz", b"\n"), ("b.el.gz", b"# \n"), ("c.adj.gz", b" ")):
            member = gzip.compress(unit * (16 << 20), 9)
            self.write(name, gzip.compress(b"1 2\n") + member * 400)
            self.stop(["build", name, "-o", "g.meg"] + (["--format", "adj"] if "adj" in name else []))
            self.assertEqual([found for found in self.names() if not found.endswith(".gz")], [])


class Guesses(Case):
    def said(self, text, *words, name="a.txt"):
        self.write(name, text)
        result = self.run_it("build", name, *words, "-o", "g.meg")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr.decode()

    def test_warnings(self):
        for text, part in (("e 1 2\n", "a.txt has no 'p' line; it is read as DIMACS"),
                           ("a\tb\n#love\tc\nb\ta\n", "a.txt:2: lines that start with #"),
                           ("1 2\n3 x\n", "a.txt:2: the id 'x' is not a plain integer"),
                           ("\n" * (2 << 20) + "1 2\n", "a.txt: its first MiB holds only blanks and comments, so it is "
                            "taken for an edge list; the option format says what it is.")):
            said = self.said(text)
            self.assertTrue(said.startswith("meguri: warning: "), said)
            self.assertIn(part, said)
            self.assertEqual(said.count("\n"), 1, said)

    def test_coordinates(self):
        self.write("none.co", "")
        self.assertIn("none.co names no vertex", self.said("1 2\n", "--coords", "none.co"))

    def test_vertices(self):
        self.write("a.v", "1 7\n2 8\n")
        self.assertIn("a.v:1: lines with more than an id (2,", self.said("1 2\n", name="a.e"))
        self.write("a.v", "1\nx\n")
        self.bad(3, "a.v:2: the id 'x' is not an integer", "build", "a.e", "-o", "h.meg")

    def test_refused(self):
        for text, part in (("1 2 1,5\n", "a.txt:1: the weight '1,5' has a decimal comma"),
                           ("source,source,target\n1,2,3\n", "a.txt:1: columns 1 and 2 have the same name"),
                           ("1\t\t2\n", "a.txt:1: a column is empty"),
                           ("7" * (2 << 20), "a.txt:1: this line is longer than 1 MiB")):
            self.write("a.txt", text)
            self.bad(3, part, "build", "a.txt", "-o", "g.meg")


if __name__ == "__main__":
    main()
