"""What the tests of the command share: running it in a folder of its own, and skipping with a reason."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

MEGURI = os.environ.get("MEGURI", "build/release/meguri")
ROOT = os.environ.get("MEGURI_ROOT", os.getcwd())
DATA = os.environ.get("MEGURI_DATA") or os.path.join(ROOT, "..", "shared", "data")
REQUIRE_ALL = os.environ.get("MEGURI_REQUIRE_ALL") == "1"
SANITIZED = bool(os.environ.get("MEGURI_SANITIZED"))
MEGURI = os.path.abspath(MEGURI)

# The verbs, as the source lists them; and with the models of gen in its place.
with open(os.path.join(ROOT, "cli", "verbs.c"), encoding="utf-8") as stream:
    VERBS = [name.replace("_", "-") for name in re.findall(r'^    X\((\w+), "[^"]+"\)', stream.read(), re.M)]
LEAVES = [f"gen {model}" for model in ("kronecker", "rmat", "uniform", "grid")] + [verb for verb in VERBS if verb != "gen"]

skipped = []


def default_signals():
    """A test run in the background may have SIGINT ignored, or SIGHUP under nohup, which children inherit."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Case(unittest.TestCase):
    place = None  # where the folders of tests are made; None: where TMPDIR says

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="meguri-cli-", dir=self.place)
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def run_it(self, *words, stdin=b"", env=None, command=MEGURI, **more):
        """Runs meguri in the test's folder; `words` are its arguments."""
        whole = dict(os.environ, **(env or {}))
        if not env or "TMPDIR" not in env:
            whole.pop("TMPDIR", None)
        return subprocess.run([command, *map(str, words)], input=stdin, capture_output=True, cwd=self.folder, env=whole,
                              timeout=300, **more)

    def good(self, *words, **more):
        """Runs it, expects success and no complaint, returns its standard output."""
        result = self.run_it(*words, **more)
        self.assertEqual((result.returncode, result.stderr.decode()), (0, ""), words)
        return result.stdout.decode()

    def json(self, *words, **more):
        return json.loads(self.good(*words, "--json", **more), parse_constant=self.fail)

    def bad(self, code, part, *words, **more):
        """Expects an exit code and one sentence that contains `part`; returns the sentence."""
        result = self.run_it(*words, **more)
        text = result.stderr.decode()
        self.assertEqual(result.returncode, code, f"{words}: {text}")
        self.assertEqual(result.stdout, b"", words)
        self.assertTrue(text.startswith("meguri: "), text)
        self.assertEqual(text.count("\n"), 1, text)
        self.assertIn(text[-2], ".?", text)
        self.assertIn(part, text)
        return text

    def names(self):
        return sorted(os.listdir(self.folder))

    def need(self, there, what):
        """Skips the test where something is missing, unless everything is required."""
        if there:
            return
        if REQUIRE_ALL:
            self.fail(f"{what} is missing, and MEGURI_REQUIRE_ALL is set")
        skipped.append(what)
        self.skipTest(f"{what} is missing")


def main():
    """As unittest.main; exit code 77 if nothing failed and something was skipped."""
    program = unittest.main(module="__main__", exit=False, verbosity=1)
    if not program.result.wasSuccessful():
        sys.exit(1)
    if program.result.skipped:
        print("skipped:", "; ".join(sorted(set(reason for _, reason in program.result.skipped))))
        sys.exit(77)
