"""What the tests of pull and of write-back share: databases that they make up, and a cache of them."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402
from fake import Fake  # noqa: E402

PLAIN = {"NEO4J_USERNAME": "", "NEO4J_PASSWORD": ""}


class Databases(harness.Case):
    def database(self, nodes, relationships, **more):
        database = Fake(nodes, relationships, **more)
        self.addCleanup(database.close)
        return database

    def random_database(self, nodes=40, relationships=300, seed=1, **more):
        draw = random.Random(seed)
        ids = draw.sample(range(3 * nodes), nodes)
        rows = [(i, draw.choice(ids), draw.choice(ids), draw.choice("AB"), draw.choice((0, 1, 2.5, 7)))
                for i in range(relationships)]
        return self.database([{"id": i} for i in ids], rows, weight="w", **more)

    def pull(self, *words, **more):
        return self.json("pull", *words, "-o", "c.meg", env=dict(PLAIN, **more))

    def edges(self):
        """Edges of the cache as sorted texts: from, to, weight, and the columns."""
        self.good("convert", "c.meg", "-o", "c.csv", "--quiet")
        with open(self.path("c.csv"), encoding="utf-8") as file:
            return sorted(line.rstrip("\n") for line in file.readlines()[1:])

    def two(self, kind=str, **more):
        key = (lambda i: f"k{i}") if kind is str else (lambda i: i - 3)
        one = self.database([{"id": 0, "uid": key(0)}, {"id": 1, "uid": key(1)},
                             {"id": 2, "uid": key(5), "labels": ["Proxy"]}],
                            [(0, 0, 1, "R", 1), (1, 1, 2, "R", 2)], key="uid", proxy="Proxy", mark="one", weight="w")
        two = self.database([{"id": 0, "uid": key(5)}, {"id": 1, "uid": key(0), "labels": ["Proxy"]}],
                            [(0, 0, 1, "S", 3), (1, 0, 0, "S", 0)], key="uid", proxy="Proxy", mark="two", weight="w", **more)
        return one, two
