"""Every allocation of a pull and of a write-back made to fail (fault_probe.c), beside databases that the test plays."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402
from databases import PLAIN, Databases  # noqa: E402


class Memory(Databases):
    def fail_each(self, verb):
        nodes = [{"id": i, "uid": f"key {i}"} for i in range(5)]
        rows = [(i, i % 5, (i * 3) % 5, "AB"[i % 2], 1.5) for i in range(12)]
        database = self.database(nodes, rows, key="uid", weight="w")
        self.pull(database.uri(), "--key", "uid", "--weight", "w")
        done = subprocess.run([os.environ["MEGURI_FAULT_PROBE"], verb, database.uri()], cwd=self.folder, capture_output=True,
                              timeout=600, env=dict(os.environ, **PLAIN), check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        tried, failed = map(int, done.stdout.split())
        self.assertGreater(tried, 20)
        self.assertGreater(failed, 20)
        self.assertEqual(self.names(), ["c.meg"])
        return database

    def test_pull(self):
        self.fail_each("pull")
        self.assertEqual(self.json("info", "c.meg", "--check")["vertices"], 5)

    def test_write_back(self):
        database = self.fail_each("write-back")
        self.assertTrue(all(isinstance(node["p"], float) for node in database.nodes))


if __name__ == "__main__":
    harness.main()
