#!/usr/bin/env python3
"""tools/junit.py, which `make check` counts with: each status of ctest goes into the right sum."""

import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "junit.py")

# As ctest 3.25 writes it.
REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)" tests="6" failures="1" disabled="1" skipped="3">
  <testcase name="good" status="run"><system-out>fine</system-out></testcase>
  <testcase name="also-good" status="run"><system-out></system-out></testcase>
  <testcase name="bad" status="fail"><failure message=""/><system-out></system-out></testcase>
  <testcase name="asked" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>some line
skipped: no data</system-out></testcase>
  <testcase name="off" status="disabled"><skipped message="Disabled"/><system-out>Disabled</system-out></testcase>
  <testcase name="absent" status="notrun"><skipped message="Unable to find executable"/><system-out></system-out></testcase>
</testsuite>
"""


def run(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.xml")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return subprocess.run([sys.executable, "-B", SCRIPT, path], capture_output=True, text=True, check=False)


class Junit(unittest.TestCase):
    def test_sums(self):
        done = run(REPORT)
        self.assertEqual((done.returncode, done.stdout), (0, "2 2 2\n"))
        self.assertIn("skipped asked: skipped: no data\n", done.stderr)
        self.assertIn("not run absent", done.stderr)

    def test_half_a_report_is_an_error(self):
        done = run(REPORT[: len(REPORT) // 2])
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
