"""Every verb under ulimit -v and ulimit -u: it is done, on fewer threads if need be, or says what is missing."""
import os
import resource

from harness import Case, main

NOBODY = 65534
VERBS = [
    ["gen", "kronecker", "--scale", 13, "-o", "new.meg"], ["gen", "rmat", "--scale", 12, "-o", "new.meg"],
    ["gen", "uniform", "--vertices", 3000, "--edges", 90000, "-o", "new.meg"],
    ["gen", "grid", "--width", 90, "--height", 90, "-o", "new.meg"],
    ["build", "k.wel", "-o", "new.meg"], ["convert", "k.meg", "-o", "new.el"], ["convert", "k.meg", "-o", "new.mtx.gz"],
    ["info", "k.meg", "--check"], ["bfs", "k.meg", "--source", 1, "--check", "-o", "new.tsv"],
    ["bfs", "k.meg", "--source", 1, "--source", 2, "-o", "new.tsv"],
    ["sssp", "k.meg", "--source", 1, "--check", "-o", "new.npy"], ["pagerank", "k.meg", "--iterations", 5, "--check"],
    ["components", "k.meg", "--check"], ["triangles", "k.meg", "--check"], ["clustering", "k.meg"],
    ["betweenness", "k.meg", "--sources", 8], ["communities", "k.meg", "--check"], ["index", "g.meg", "-o", "new.meg"],
    ["path", "g.meg", "--from", 0, "--to", 800], ["path", "g.meg", "--pairs", "pairs", "--json"],
    ["graph500", "--scale", 10, "--roots", 4, "--kernels", "bfs,sssp"], ["report", "t.json", "-o", "new.html"],
]


class Limits(Case):
    def setUp(self):
        super().setUp()
        self.good("gen", "kronecker", "--scale", 13, "--weights", "u32", "-q", "-o", "k.meg")
        self.good("convert", "k.meg", "-q", "-o", "k.wel")
        self.good("gen", "grid", "--width", 30, "--height", 30, "-q", "-o", "g.meg")
        self.good("bfs", "k.meg", "--source", 1, "-q", "--trace", "t.json")
        self.write("pairs", "".join(f"{i} {899 - i}\n" for i in range(50)))

    def sweep(self, limits, limit):
        """Every verb under every limit, which `limit` sets; returns the warnings and how often there was no memory."""
        warnings, short = 0, 0
        for verb in VERBS:
            for value in limits:
                threads = [] if verb[0] == "report" else ["--threads", 4]
                result = self.run_it(*verb, *threads, preexec_fn=lambda: limit(value))
                text = result.stderr.decode()
                self.assertIn(result.returncode, (0, 4), f"{verb} under {value}: {result.returncode} {text}")
                lines = text.splitlines()
                warned = [line for line in lines if " threads could be made: " in line]
                failed = [line for line in lines if line.startswith("meguri: ") and line not in warned]
                self.assertLessEqual(len(warned), 1, text)
                self.assertEqual(len(failed), 1 if result.returncode == 4 else 0, f"{verb} under {value}: {text}")
                warnings += len(warned)
                short += result.returncode == 4
        return warnings, short

    def test_address_space(self):
        def limit(kilobytes):
            resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))
        # From where the loader itself finds room for the libraries.
        least = next(k for k in range(4000, 60000, 250) if self.run_it("--version", preexec_fn=lambda: limit(k)).returncode == 0) + 1500
        limits = [*range(least, least + 12000, 1777), *range(least + 12000, least + 60000, 6131)]
        warnings, short = self.sweep(limits, limit)
        self.assertGreater(warnings, 20)
        self.assertGreater(short, 5)

    def test_threads(self):
        self.need(os.geteuid() == 0, "root, who can become somebody else")
        os.chmod(self.folder, 0o777)

        def limit(count):
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
        try:
            there = self.run_it("--version", preexec_fn=lambda: limit(99)).returncode == 0
        except OSError:
            there = False
        if not there:
            return print("not tried: this build is in a folder that other users may not enter")
        warnings, short = self.sweep([1, 2, 3], limit)
        self.assertGreater(warnings, 20)
        self.assertEqual(short, 0)


if __name__ == "__main__":
    main()
