#!/usr/bin/env python3
"""tools/build.sh: what is missing is said in one line that names it and how to get it, before CMake is asked."""

import os
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "build.sh")
ALWAYS = ("bash", "dirname", "mkdir", "cat", "rm", "env")


class Build(unittest.TestCase):
    def build(self, *words, tools=(), **variables):
        """Runs a copy of the script where there are no other programs than these, which only say that they were called."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bin")
            os.mkdir(path)
            os.mkdir(os.path.join(folder, "tools"))
            shutil.copy(SCRIPT, os.path.join(folder, "tools"))
            for name in ALWAYS:
                os.symlink(shutil.which(name), os.path.join(path, name))
            for name in tools:
                with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                    file.write(f'#!/bin/bash\necho "{name} $*"\n')
                os.chmod(os.path.join(path, name), 0o755)
            done = subprocess.run(["bash", os.path.join(folder, "tools", "build.sh"), *words], env={"PATH": path, **variables},
                                  capture_output=True, text=True, timeout=60, check=False)
            return done.returncode, done.stdout, done.stderr

    def refused(self, parts, *words, **more):
        code, out, err = self.build(*words, **more)
        self.assertEqual((code, out, err.count("\n")), (1, "", 1), err)
        for part in parts:
            self.assertIn(part, err)
        return err

    def test_no_clang(self):
        for preset in ("asan", "tsan"):
            err = self.refused(["clang", preset, "tools/setup.sh test", "MEGURI_CLANG"], preset, tools=["cmake", "ninja"])
            self.assertNotIn("inja", err)
        self.refused(["clang-99", "MEGURI_CLANG"], "asan", tools=["cmake", "ninja", "clang"], MEGURI_CLANG="clang-99")

    def test_no_tools(self):
        self.refused(["ninja-build", "tools/setup.sh build"], "release", tools=["cmake"])
        self.refused(["cmake", "tools/setup.sh build"], "release", tools=["ninja"])

    def test_all_there(self):
        self.assertEqual(self.build("release", "-D", "X=1", tools=["cmake", "ninja"]), (0, "cmake --build --preset release\n", ""))
        for clang, variables in (("clang-14", {}), ("clang", {}), ("mine", {"MEGURI_CLANG": "mine"})):
            done = self.build("tsan", tools=["cmake", "ninja", clang], **variables)
            self.assertEqual(done, (0, "cmake --build --preset tsan\n", ""))

    def test_usage(self):
        code, _, err = self.build(tools=["cmake", "ninja"])
        self.assertEqual(code, 2)
        self.assertIn("release|debug|asan|tsan", err)


if __name__ == "__main__":
    unittest.main()
