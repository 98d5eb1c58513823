"""The engine cluster without a launcher: a cluster of one process, which needs no MPI."""
from harness import Case, main


class Alone(Case):
    def setUp(self):
        super().setUp()
        self.good("gen", "kronecker", "--scale", 8, "--weights", "u32", "-o", "k.meg")

    def same(self, a, b, columns=None):
        with open(self.path(a), encoding="utf-8") as first, open(self.path(b), encoding="utf-8") as second:
            for one, other in zip(first, second, strict=True):
                self.assertEqual(one.split("\t")[:columns], other.split("\t")[:columns])

    def test_same_answers(self):
        for verb, more, columns in (("bfs", ["--source", 1, "--check"], 2), ("sssp", ["--source", 1, "--check"], 2),
                                    ("components", ["--check"], 2)):
            self.good(verb, "k.meg", *more, "-o", "host.tsv")
            self.good(verb, "k.meg", *more, "-o", "cluster.tsv", "--engine", "cluster")
            self.same("host.tsv", "cluster.tsv", columns)
        self.good("pagerank", "k.meg", "--check", "--engine", "cluster")
        self.good("bfs", "k.meg", "--source", 1, "--max-depth", 2, "--check", "--engine", "cluster")

    def test_graphs(self):
        self.good("convert", "k.meg", "-o", "k.wel")
        self.good("build", "k.wel", "-o", "host.meg")
        self.good("build", "k.wel", "-o", "cluster.meg", "--engine", "cluster")
        for name in ("host", "cluster"):
            self.good("convert", f"{name}.meg", "-o", f"{name}.wel")
        self.same("host.wel", "cluster.wel")

    def test_summary(self):
        told = self.json("bfs", "k.meg", "--source", 1, "--engine", "cluster", "--grid", "1x1")
        self.assertEqual({k: told["cluster"][k] for k in ("processes", "grid", "messages", "bytes")},
                         {"processes": 1, "grid": "1x1", "messages": 0, "bytes": 0})
        told = self.json("graph500", "--scale", 6, "--roots", 2, "--engine", "cluster")
        self.assertEqual((told["num_mpi_processes"], told["validated"]), (1, True))
        for scale, size in ((32, "1.10 TB"), (47, "36.0 PB")):  # memory is the limit, not the number of a vertex
            self.bad(4, f"not enough memory for the edge list: {size} asked", "graph500", "--scale", scale, "--engine", "cluster")

    def test_wrong_use(self):
        search = ("bfs", "k.meg", "--source", 1)
        self.bad(2, "start the command with mpirun", *search, "--grid", "1x1")
        self.bad(2, "start the command with mpirun", *search, "--exchange", "packed")
        self.bad(2, "start the command with mpirun", *search, "--owner", "degree")
        self.bad(2, "--owner", *search, "--engine", "cluster", "--owner", "nobody")
        for grid in ("2", "x", "2x", "0x1", "2x2x2", "-1x1", "1x-1", "two", "99999999999x1", "1x 1", ""):
            self.bad(2, "--grid", *search, "--engine", "cluster", "--grid", grid)
        self.bad(2, "does not fit 1 process:", *search, "--engine", "cluster", "--grid", "2x2")
        self.bad(2, "", *search, "--engine", "cluster", "--grid", "pairs")
        self.bad(5, "does not run on the engine", "info", "k.meg", "--engine", "cluster")
        self.bad(2, "--path-index", "build", "k.meg", "--path-index", "-o", "x.meg", "--engine", "cluster")
        self.assertEqual(self.names(), ["k.meg"])

    def test_launcher_that_does_not_count(self):
        """prterun's processes know their rank only; they are not to become so many lonely copies."""
        env = {"PMIX_RANK": "1", "PMIX_NAMESPACE": "prterun-host-1@1"}
        for words in (("components", "k.meg"), ("info", "k.meg"), ("bfs", "k.meg", "--source", 1)):
            self.bad(5, "does not say how many", *words, env=env)
        self.good("components", "k.meg", "--engine", "host", env=env)
        self.good("components", "k.meg", "--engine", "cluster", env=env)


if __name__ == "__main__":
    main()
