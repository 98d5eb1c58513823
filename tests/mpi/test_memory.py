"""Ranks without memory: by their budget, by a limit of the system, by a cgroup that kills. All ranks end soon, with one
sentence and nothing half written."""
import os
import re
import resource

from launcher import Launched, MEGURI, SANITIZED, main

OWN_CGROUP = [line.split(":") for line in open("/proc/self/cgroup", encoding="utf-8").read().split()]


def memory_cgroup():
    """The folder of this process's cgroup that limits memory, and the name of the limit; None where there is none."""
    for number, controllers, path in (entry for entry in OWN_CGROUP if len(entry) == 3):
        if "memory" in controllers.split(","):
            return "/sys/fs/cgroup/memory" + path, "memory.limit_in_bytes"
        if number == "0" and os.path.exists(f"/sys/fs/cgroup{path}/memory.max"):
            return "/sys/fs/cgroup" + path, "memory.max"
    return None


class Memory(Launched):
    def setUp(self):
        super().setUp()
        self.good("gen", "kronecker", "--scale", 8, "--weights", "u32", "-q", "-o", "k.meg")
        self.before = self.names()

    def ends(self, code, part, words, **more):
        sentence = self.fails_once(code, part, words, **more)
        self.assertEqual(self.names(), self.before)
        return sentence

    def test_budgets(self):
        """From what is not enough to join with: the sentence about the budget, exit code 4."""
        search = ("bfs", "k.meg", "--source", 1, "-o", "out.tsv")
        for budget in ("1k", "256k"):
            with self.subTest(budget=budget):
                said = self.ends(4, "not enough memory for ", (MEGURI, *search, "--memory", budget))
                self.assertNotIn("rank", said)
        self.ends(4, "not enough memory for ", (MEGURI, "gen", "kronecker", "--scale", 8, "-o", "g.meg", "--memory", "1k"))
        self.meguri(3, *search, "--memory", "16M", "-q")

    def test_budget_of_one_rank(self):
        for rank, budget in ((1, "1k"), (0, "1M")):
            with self.subTest(rank=rank, budget=budget):
                words = self.except_for(rank, ":", "sssp", "k.meg", "--source", 1, "-o", "out.tsv",
                                        more=("--memory", budget))
                self.ends(4, f"meguri: rank {rank}: not enough memory for ", words)

    def test_limit_of_the_system(self):
        """Whatever has no memory first, MPI or the library: the run ends soon, and somebody says why."""
        self.need(not SANITIZED, "room for a limited address space, which a sanitizer needs much of")
        for megabytes in (20, 300):
            with self.subTest(megabytes=megabytes):
                words = self.except_for(1, f"ulimit -v {megabytes << 10}", "gen", "kronecker", "--scale", 21, "--threads", 1,
                                        "--memory", "64G", "-o", "out.meg")
                code, out, err = self.finish(self.start(2, *words), 30)
                said = re.findall("^meguri: .*", err, re.M)
                self.assertEqual((code == 0, out, bool(err)), (False, "", True))
                self.assertLessEqual(len(said), 1, err)
                if megabytes == 300:  # enough for MPI
                    self.assertEqual(code, 4)
                    self.assertIn("meguri: rank 1: the system has no memory for ", said[0])
                self.assertEqual(self.names(), self.before)

    def test_killed_by_the_system(self):
        """A cgroup that is too small for what the budget allows: the system kills the rank, the launcher the others."""
        around = memory_cgroup()
        if SANITIZED or not around or not os.access(around[0], os.W_OK):
            return  # only who may make a cgroup can try
        group = os.path.join(around[0], f"meguri-{os.getpid()}")
        try:
            os.mkdir(group)
        except OSError:
            return
        self.addCleanup(os.rmdir, group)
        try:
            with open(os.path.join(group, around[1]), "w", encoding="utf-8") as limit:
                limit.write(str(24 << 20))
        except OSError:
            return  # the memory of groups below is not limited here
        words = self.except_for(1, f"echo $$ > {group}/cgroup.procs", "graph500", "--scale", 18, "--roots", 2,
                                "--no-validation", "--memory", "8G", "--threads", 1)
        code, out, err = self.finish(self.start(2, *words), 60)
        self.assertEqual((code, out), (137, ""), err)
        self.assertLessEqual(err.count("meguri: "), 1, err)  # that the launcher ends it
        self.assertIn("signal 9", err)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
