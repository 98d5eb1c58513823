"""Real graphs on a compute device: every answer as on the host, which other tests set beside references."""
import array
import os

from harness import Case, DATA, SANITIZED, main

# Name, direction, a memory of the device that holds a part of the graph alone, vertices.
GRAPHS = [
    ("osm/monaco-d.gr.gz", "--directed", "450K", 15712),
    ("rail/japan-rail.gr.gz", "--undirected", "300K", 9372),
    ("social/snap-facebook_combined.txt.gz", "--undirected", "400K", 4039),
    ("social/snap-wiki-Vote.txt", "--directed", "500K", 7115),
    ("osm/heidelberg-t.gr.gz", "--directed", None, 57000),
    ("social/snap-soc-Slashdot0902.txt.gz", "--directed", None, 82168),
    ("road/dimacs9-NY-topology.gr.xz", "--undirected", None, 264346),
    ("web/snap-web-NotreDame.txt.gz", "--directed", None, 325729),
]


class DeviceData(Case):
    def setUp(self):
        super().setUp()
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")
        self.need(self.json("devices")["devices"], "an OpenCL device")

    def columns(self, *call):
        """What a run writes, as bytes: the columns one after another, 8 bytes for each vertex in the first."""
        facts = self.json(*call, "-o", "o.bin", "-q")
        with open(self.path("o.bin"), "rb") as file:
            return facts, file.read()

    def same(self, bytes_each, here, *call):
        """The first columns, so many bytes a vertex, are the host's; the rest (parents) satisfies the checker."""
        facts, there = self.columns(*call, "--check")
        self.assertEqual(facts["engine"], "device", call)
        n = facts["vertices"]
        self.assertEqual(there[:bytes_each * n], here[:bytes_each * n], call)
        return facts

    def searches(self, name, memory):
        source = ("--source", self.json("info", "g.meg")["first_id"])
        device = (*source, "--engine", "device")
        _, levels = self.columns("bfs", "g.meg", *source)
        _, far = self.columns("sssp", "g.meg", *source)
        self.same(12, levels, "bfs", "g.meg", *device)
        self.assertEqual(self.same(12, levels, "bfs", "g.meg", *device, "--split", "0:1")["host_edges"], 0, name)
        for strategy in "near-far", "adaptive":
            self.same(16, far, "sssp", "g.meg", *device, "--strategy", strategy)
        if not memory:
            return
        small = (*device, "--device-memory", memory, "--split", "0:1")
        self.assertGreater(self.same(12, levels, "bfs", "g.meg", *small)["parts"], 1, name)
        for strategy in "near-far", "settle":
            self.assertGreater(self.same(16, far, "sssp", "g.meg", *small, "--strategy", strategy)["parts"], 1, name)

    def ranks(self, name):
        facts, here = self.columns("pagerank", "g.meg", "--iterations", 20)
        _, there = self.columns("pagerank", "g.meg", "--iterations", 20, "--engine", "device", "--check")
        n = facts["vertices"]
        for a, b in zip(array.array("d", here[8 * n:16 * n]), array.array("d", there[8 * n:16 * n])):
            self.assertLessEqual(abs(a - b), 1e-12, name)

    def test_graphs(self):
        for name, direction, memory, vertices in GRAPHS:
            if SANITIZED and vertices > 10000:
                continue
            self.good("build", os.path.join(DATA, name), direction, "-q", "-o", "g.meg")
            self.searches(name, memory)
            _, components = self.columns("components", "g.meg")
            self.same(16, components, "components", "g.meg", "--engine", "device")
            self.ranks(name)


if __name__ == "__main__":
    main()
