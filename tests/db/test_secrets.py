"""Passwords: whatever fails, no message, trace, spool, cache, process list or page that a core dump would have has one. A
configuration that is not JSON is not quoted; certificates to trust are not ignored."""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402
from databases import PLAIN, Databases  # noqa: E402
from fake import Fake, pack  # noqa: E402

CANARY = "c4n\tary-\u00e9-5e\"s\\ame"
PIECES = ("c4n", "5e\"s", "s\\ame", "s\\\\ame")


class Echo(Fake):
    """Repeats what it was sent: in failures, names and values."""

    def log_in(self, connection, fields, decides):
        if decides and self.faults.get("refuse") and fields.get("credentials"):
            text = self.faults["refuse"].replace("PASSWORD", fields["credentials"])
            self.send(connection, self.framed(0x7F, {"code": "Neo.ClientError.Security.Unauthorized", "message": text}))
            raise EOFError
        super().log_in(connection, fields, decides)


class Secrets(Databases):
    def echo(self, nodes=None, relationships=None, **more):
        database = Echo(nodes or [{"id": i} for i in range(3)], relationships or [(0, 0, 1, "R", 1), (1, 1, 2, "R", 2)], weight="w", **more)
        self.addCleanup(database.close)
        return database

    def logins(self, uri, scheme="bolt"):
        """The ways to give a password: operands, the environment, and files that have it."""
        self.write("word", CANARY + "\nsecond line\n")
        self.write("own.json", json.dumps({"databases": [{"uri": uri, "username": "u", "password": CANARY}]}))
        self.write("all.json", json.dumps({"databases": [uri], "password": CANARY}, ensure_ascii=False))
        self.write("file.json", json.dumps({"databases": [{"uri": uri, "username": "u", "password_file": "word"}]}))
        return (((uri,), dict(PLAIN, NEO4J_PASSWORD=CANARY)), ((uri, "--password-file", "word"), PLAIN), (("own.json",), PLAIN),
                (("all.json",), PLAIN), (("file.json",), PLAIN))

    def check_clean(self, *texts):
        for text in texts:
            text = text if isinstance(text, bytes) else text.encode()
            for piece in (CANARY, *PIECES):
                self.assertNotIn(piece.encode(), text)

    def check_files(self):
        for name in self.names():
            if name not in ("word", "own.json", "all.json", "file.json"):
                with open(self.path(name), "rb") as file:
                    self.check_clean(file.read())

    def fails(self, code, part, *words, **more):
        """It fails with a sentence and a trace, which have no password in them."""
        result = self.run_it(*words, "--trace", "trace.json", **more)
        text = result.stderr.decode()
        self.check_clean(result.stdout, result.stderr)
        self.check_files()
        self.assertEqual((result.returncode, text.count("\n")), (code, 1), text)
        self.assertIn(part, text)
        return text


class Configurations(Secrets):
    def test_what_is_no_json_is_not_quoted(self):
        word = json.dumps(CANARY)
        for text in (f'{{"databases": ["bolt://h"], "password": {word}', f'{{"databases": ["bolt://h"], "password": {word} "x"}}',
                     f'{{"databases": ["bolt://h"], "password": {word[:-1]}', f'{{"databases": ["bolt://h"], "password": {word[1:]}}}',
                     f'{{"databases": ["bolt://h"] "password": {word}}}', f'{{"password" {word}}}', f"{{'password': '{CANARY}'}}",
                     f'{{"databases": ["bolt://h"], "password": "\\q" {word}}}', f'{{"password": {word}, "password": {word}}}',
                     f'{{"databases": [{{"uri": "bolt://h", "password": {word}}}], }}', f'{{"databases": [{{"password": {word}}}'):
            self.write("c.json", text)
            for words in (("pull", "c.json", "-o", "c.meg"), ("write-back", "c.meg", "--result", "r.tsv", "--property", "p", "c.json")):
                result = self.run_it(*words, env=PLAIN)
                self.check_clean(result.stdout, result.stderr)
                self.assertIn(result.returncode, (2, 3))
                self.assertRegex(result.stderr.decode(), r"^meguri: c\.json:[0-9]+: this is no JSON: .*\.\n$|must be a text")

    def test_passwords_of_every_form(self):
        database = self.random_database(password=CANARY)
        self.write("word", CANARY + "\n")
        for text in (json.dumps(CANARY), json.dumps(CANARY, ensure_ascii=False), json.dumps(CANARY).replace("c4n", "\\u00634n")):
            for config in (f'{{"databases": ["{database.uri()}"], "password": {text}, "where": {{"password": "a", "databases": 1}}}}',
                           f'{{"where": {{"password": {text}}}, "databases": [{{"uri": "{database.uri()}", "pass\\u0077ord" : \n {text}}}]}}'):
                self.write("c.json", config)
                self.pull("c.json", "--labels", "none")
                self.assertEqual(database.seen[-1], ("neo4j", CANARY))
                self.assertEqual(database.parameters["nodes"]["password"], "a" if '"a"' in config else CANARY)

    def test_uris(self):
        for uri in ("bolt://u:SECRET@h/", "u:SECRET@h", "bolt://neo4j:SECRET", "bolt://neo4j:SECRET/db", "bolt://h/db?password=SECRET",
                    "bolt://h/db#SECRET", "s3://u:SECRET@h/x", "bolt://[::1]:SECRET/", "bolt://u:SE@CRET@h:1/"):
            for words in ((uri,), ("bolt://127.0.0.1:1", uri), (uri, "bolt://127.0.0.1:1")):
                result = self.run_it("pull", *words, "-o", "c.meg", env=PLAIN)
                text = result.stderr.decode()
                self.assertIn(result.returncode, (2, 3), text)
                self.assertNotIn("SECRET", text)
                self.assertNotIn("CRET", text)
            self.write("c.json", json.dumps({"databases": ["bolt://127.0.0.1:1", uri]}))
            self.assertNotIn("CRET", self.bad(2, "the URI", "pull", "c.json", "-o", "c.meg", env=PLAIN))

    def test_certificates_are_not_ignored(self):
        database = self.random_database()
        for scheme in ("bolt", "neo4j", "bolt+ssc", "neo4j+ssc"):
            part = "in the clear" if "ssc" not in scheme else "takes any certificate"
            words = ("--ca-file", "word", "-o", "c.meg")
            self.write("word", "x")
            self.assertIn(part, self.bad(2, "contradict each other", "pull", database.uri(scheme), *words, env=PLAIN))
            self.write("c.json", json.dumps({"databases": ["bolt+s://127.0.0.1:1", {"uri": database.uri(scheme), "ca_file": "word"}]}))
            self.bad(2, "contradict each other", "pull", "c.json", "-o", "c.meg", env=PLAIN)
            self.write("c.json", json.dumps({"databases": [database.uri(scheme)], "ca_file": "word"}))
            self.bad(2, "contradict each other", "pull", "c.json", "--estimate", env=PLAIN)
            self.bad(2, "contradict each other", "write-back", "c.meg", "--result", "r.tsv", "--property", "p", "--ca-file", "word",
                     database.uri(scheme), env=PLAIN)
        self.assertFalse(database.greeted)


class Failures(Secrets):
    turn = 0

    def every(self, code, part, database, *words, all_ways=False):
        """By every way to give a password, or by the next one."""
        Failures.turn += 1
        for operands, env in self.logins(database.uri())[slice(None) if all_ways else slice(Failures.turn % 5, Failures.turn % 5 + 1)]:
            self.fails(code, part, "pull", *operands, "--weight", "w", "-o", "c.meg", *words, env=env)

    def test_refusals_that_repeat_it(self):
        for text, shown in (("no PASSWORD here", "no *"), ("PASSWORDPASSWORD", "**"), ("x" * 375 + "PASSWORD", "xxx*"), ("PASSWORD\0\x1b PASSWORD", r"*\x00\x1B *")):
            self.every(5, shown, self.echo(refuse=text), all_ways=text == "no PASSWORD here")

    def test_what_databases_do(self):
        for code, part, faults in ((5, "refuses: unauthorized", {"password": "another"}), (5, "nobody answers", {"die_after": 3}),
                                   (5, "no answer in time", {"hang_after": 3}), (5, "nothing came that is Bolt", {"silent": True}),
                                   (5, "closed the connection", {"half_after": 2}), (5, "do not fit together", {"lists": True}),
                                   (5, "not one of Bolt", {"raw_after": 2, "raw": b"\0\1\x2A\0\0"}), (5, "refuses: *", {"fail": ("c", CANARY)}),
                                   (5, "not one of Bolt", {"handshake": b"SSH-2.0"})):
            silence = "hang_after" in faults or "silent" in faults  # all others end by themselves, late on a busy machine
            self.every(code, part, self.echo(**faults), "--timeout", 0.4 if silence else 30)

    def test_data_that_repeats_it(self):
        for part, nodes, rows in (("as w, which", None, [(0, 0, 1, "R", CANARY)]), ("is called '*", None, [(0, 0, 1, CANARY + "\n", 1)])):
            self.every(3, part, self.echo(nodes, rows))
        self.every(3, "('*", self.echo([{"id": 0, "x": CANARY, "y": 1}]), "--x", "x", "--y", "y")
        self.every(3, "a tab or a zero byte", self.echo([{"id": 0, "uid": CANARY}], key="uid"), "--key", "uid")

    def test_write_back(self):
        database = self.echo()
        self.pull(database.uri())
        self.good("pagerank", "c.meg", "-o", "r.tsv", "--quiet")
        for code, part, faults in ((5, "unauthorized", {"password": "another"}), (5, "refuses: no *", {"refuse": "no PASSWORD"}),
                                   (5, "no answer in time", {"hang_after": 1}), (5, "does not say how many", {"count": "many"})):
            for operands, env in self.logins(database.uri()):
                database.faults = dict(faults, **({"hang_after": database.queries + 1} if "hang_after" in faults else {}))
                self.fails(code, part, "write-back", "c.meg", "--result", "r.tsv", "--property", "p", *operands, "--timeout",
                           0.4 if "hang_after" in faults else 30, env=env)

    def test_certificates(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "k", "-out",
                        "c", "-days", "2", "-subj", "/CN=x", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=self.folder, capture_output=True, check=True)
        database = self.echo(tls=(self.path("c"), self.path("k")))
        for operands, env in self.logins(database.uri("bolt+s")):
            text = self.fails(5, "not to be trusted", "pull", *operands, "-o", "c.meg", env=env)
            self.assertIn("(--ca-file); bolt+ssc:// takes any certificate, so that whoever answers gets the password", text)
        self.assertFalse(database.seen)


class Running(Secrets):
    """What others may see of a process at work: its arguments, its environment, and what a core dump would have."""

    def dumped(self, pid):
        """Where the password is in memory that a core dump would have."""
        found, keep, name = [], None, None
        with open(f"/proc/{pid}/smaps", encoding="ascii", errors="replace") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in maps:
                head = re.match(r"([0-9a-f]+)-([0-9a-f]+) r", line)
                if head:
                    keep, name = (int(head[1], 16), int(head[2], 16)), line.split()[-1]
                elif re.match(r"[0-9a-f]+-", line):
                    keep = None
                elif line.startswith("VmFlags") and keep and " dd" not in line and not name.startswith("[v"):
                    memory.seek(keep[0])
                    try:
                        data = memory.read(keep[1] - keep[0])
                    except OSError:
                        continue
                    if any(piece.encode() in data for piece in (CANARY, *PIECES)):
                        found.append(name)
        return found

    def watch(self, words, env, ready):
        with subprocess.Popen([harness.MEGURI, *map(str, words)], cwd=self.folder, env=dict(os.environ, **env), stderr=subprocess.PIPE,
                              preexec_fn=harness.default_signals) as process:
            try:
                limit = time.monotonic() + 60
                while not ready() and time.monotonic() < limit:
                    time.sleep(0.01)
                time.sleep(0.1)
                for name in ("cmdline", "environ"):
                    with open(f"/proc/{process.pid}/{name}", "rb") as file:
                        self.check_clean(file.read())
                if not harness.SANITIZED:
                    self.assertEqual(self.dumped(process.pid), [])
            finally:
                process.send_signal(signal.SIGINT)
                _, text = process.communicate(timeout=60)
        self.check_clean(text)
        self.assertEqual(process.returncode, 130, text)

    def test_the_scan_finds_a_password(self):
        with subprocess.Popen(["sleep", "100"], env={"WORD": CANARY}) as process:
            try:
                time.sleep(0.1)
                self.assertIn("[stack]", self.dumped(process.pid))
            finally:
                process.kill()

    def test_pull(self):
        for faults, asked, numbers in (({"silent": True}, 0, range(5)), ({"hang_after": 0}, 1, (0,)), ({"hang_after": 3}, 4, range(5)),
                                       ({"hang_after": 3, "version": (4, 4)}, 4, (0, 3))):
            for number in numbers:
                database = self.echo(**faults)
                operands, env = self.logins(database.uri())[number]
                self.watch(("pull", *operands, "--weight", "w", "-o", "c.meg"), env, lambda: database.greeted and database.queries >= asked)

    def test_tls(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "k", "-out",
                        "c", "-days", "2", "-subj", "/CN=x", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=self.folder, capture_output=True, check=True)
        database = self.echo(tls=(self.path("c"), self.path("k")), hang_after=3)
        for operands, env in self.logins(database.uri("bolt+ssc")):
            database.queries = 0
            self.watch(("pull", *operands, "-o", "c.meg"), env, lambda: database.queries >= 4)

    def test_write_back(self):
        database = self.echo()
        self.pull(database.uri())
        self.good("pagerank", "c.meg", "-o", "r.tsv", "--quiet")
        for operands, env in self.logins(database.uri()):
            before = database.queries
            database.faults["hang_after"] = before + 1
            self.watch(("write-back", "c.meg", "--result", "r.tsv", "--property", "p", *operands), env, lambda: database.queries >= before + 2)


if __name__ == "__main__":
    harness.main()
