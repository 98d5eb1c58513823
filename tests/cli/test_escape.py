"""Text from outside on a terminal: names of files, ids, columns, labels, phases and messages that would steer it are escaped,
whichever verb tells them. Results in files and pipes keep their bytes, and JSON stays JSON."""
import json
import os
import pty
import re
import select
import subprocess
import time
import unittest

from harness import MEGURI, Case, main

# C0 (but the line end, the tab and what a terminal and the progress line make of it), DEL, C1, bidirectional controls.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
EVIL = "e\x1b[31m\x07\x9b2J\u202edlrow\u2066\u200f\u061c"
ESCAPED = r"e\x1B[31m\x07\u009B2J\u202Edlrow\u2066\u200F\u061C"
INVALID = b"i\xff\xfe\xc0\xaf"
NAME = f"f{EVIL}.meg"


class Terminal(Case):
    def setUp(self):
        super().setUp()
        rows = f'source,target,weight,"c{EVIL}"\n"{EVIL}","b",1,2\n"b","c",2,3\n"c","{EVIL}",1,4\n'.encode()
        self.write("g.csv", rows)
        self.good("build", "g.csv", "--columns", f"c{EVIL}", "-o", NAME, "-q")

    def on_terminal(self, *words):
        """All that a terminal gets on both streams."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([MEGURI, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            data, limit = b"", time.monotonic() + 100
            while time.monotonic() < limit:
                ready, _, _ = select.select([ours], [], [], 1)
                try:
                    more = os.read(ours, 65536) if ready else b"-"
                except OSError:  # the other end is closed
                    break
                data += more if ready else b""
            os.close(ours)
            process.wait(timeout=10)
        return data

    def check(self, *words, shows=None):
        data = self.on_terminal(*words)
        self.assertNotEqual(data, b"", words)
        text = data.decode()  # it is UTF-8
        self.assertIsNone(FORBIDDEN.search(text), (words, text))
        self.assertNotIn("\nend", text, words)
        if shows:
            self.assertIn(shows, text, words)

    def test_summaries_and_tables(self):
        self.check("info", NAME, shows=ESCAPED)
        self.check("info", NAME, "--json")
        self.check("build", "g.csv", "-o", "h\nend.meg")
        self.check("build", "g.csv", "-o", NAME, shows="f" + ESCAPED)
        self.check("convert", NAME, "-o", f"c{EVIL}.csv")
        for verb in ("pagerank", "components", "communities", "cores", "betweenness", "clustering"):
            self.check(verb, NAME, shows=ESCAPED if verb in ("pagerank", "components") else None)
            self.check(verb, NAME, "-o", f"r{EVIL}.tsv", shows="r" + ESCAPED)
        for verb in ("bfs", "sssp"):
            self.check(verb, NAME, "--source", EVIL, shows=ESCAPED)
        self.check("path", NAME, "--from", EVIL, "--to", "c", shows=ESCAPED)
        self.check("path", NAME, "--from", EVIL, "--to", "c", "--json", shows=r"\u001b[31m")
        self.check("partition", NAME, "--parts", 2, "-o", f"d{EVIL}", shows="d" + ESCAPED)
        self.check("index", NAME, "-o", f"i{EVIL}.meg", shows="i" + ESCAPED)

    def test_results(self):
        for words in (("bfs", NAME, "--source", EVIL), ("path", NAME, "--from", EVIL, "--to", "c"), ("pagerank", NAME)):
            self.check(*words, "-o", "-", shows=ESCAPED)
            piped = self.run_it(*words, "-o", "-")
            self.assertEqual(piped.returncode, 0, piped.stderr)
            self.assertIn(EVIL.encode(), piped.stdout)
            self.assertNotIn(b"\x1b", piped.stderr)
            self.good(*words, "-o", "r.tsv", "-q")
            with open(self.path("r.tsv"), "rb") as file:
                self.assertEqual(piped.stdout, file.read())

    def test_json(self):
        for words in (("info", NAME), ("path", NAME, "--from", EVIL, "--to", "c"), ("bfs", NAME, "--source", EVIL),
                      ("components", NAME), ("partition", NAME, "--parts", 2, "-o", f"d{EVIL}")):
            text = self.good(*words, "--json")
            self.assertIsNone(FORBIDDEN.search(text), words)
            json.loads(text)
        found = json.loads(self.good("path", NAME, "--from", EVIL, "--to", "c", "--json"))
        self.assertEqual(found["paths"][0]["vertices"][0], EVIL)

    def test_messages(self):
        for words, shows in ((("info", f"none{EVIL}"), "none" + ESCAPED), (("info", "none\nend"), r"none\nend"),
                             ((EVIL,), None), (("info", f"--{EVIL}"), None), (("bfs", NAME, "--source", f"none{EVIL}"), ESCAPED),
                             (("bfs", NAME, "--source", 1, "--threads", EVIL), None), (("bfs", NAME, "--source", 1, "-o", f"x{EVIL}"), None),
                             (("build", "g.csv", "-o", f"none{EVIL}/g.meg"), None), (("build", "g.csv", "--columns", f"d{EVIL}", "-o", "h.meg"), None),
                             (("report", f"none{EVIL}", "-o", "p.html"), None), (("pagerank", NAME, "--trace", f"none{EVIL}/t"), None)):
            self.check(*words, shows=shows)
            told = self.run_it(*words)  # not only where it is a terminal
            self.assertNotIn(b"\x1b", told.stderr + told.stdout, words)
            self.assertIsNone(FORBIDDEN.search((told.stderr + told.stdout).decode()), words)

    def test_traces(self):
        name = json.dumps(EVIL)
        self.write("t.json", f'{{"run":{name},"step":0,"phase":{name},"way":{name},"engine":{name},"us":5}}\n')
        self.check("report", "t.json", "-o", f"p{EVIL}.html", shows=ESCAPED)
        with open(self.path(f"p{EVIL}.html"), encoding="utf-8") as file:
            self.assertIsNone(FORBIDDEN.search(file.read()))
        self.write("t.json", f'{{"run":"a","step":0}}\n{{"run":{name},"st'.encode() + INVALID + b"\n")
        self.check("report", "t.json", "-o", "p.html")
        self.write(f"cut{EVIL}.json", '{"run":"a","step":0}\n{"run":')
        self.check("report", f"cut{EVIL}.json", "-o", "p.html", shows="cut" + ESCAPED)

    def test_programs(self):
        """A message of a compiler keeps its lines; what a program prints on a terminal is escaped."""
        self.write(f"p{EVIL}.c", "this is no program\n")
        self.check("run", f"p{EVIL}.c", NAME)
        self.assertGreater(self.run_it("run", f"p{EVIL}.c", NAME).stderr.count(b"\n"), 1)


if __name__ == "__main__":
    main()
