"""Several hosts: network namespaces joined by a pair of virtual cables, each of which the launcher takes for a machine,
so that searches go over real TCP. Needs the right to make namespaces; removes them whatever happens."""
import os
import shutil
import signal
import subprocess
import time

from launcher import Launched, MEGURI, main

ADDRESSES = ("10.211.7.1", "10.211.7.2")
CABLE = "meg0"


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, timeout=60)


class Hosts(Launched):
    def setUp(self):
        super().setUp()
        self.need(shutil.which("ip"), "the program ip (iproute2)")
        self.hosts = [f"meguri-{os.getpid()}-{i}" for i in range(2)]
        for host in self.hosts:
            self.need(ip("netns", "add", host, check=False).returncode == 0, "the right to make network namespaces")
            self.addCleanup(self.remove, host)
        cables = [f"mg{os.getpid()}x{i}" for i in range(2)]
        self.need(ip("link", "add", cables[0], "type", "veth", "peer", "name", cables[1], check=False).returncode == 0,
                  "the right to make virtual cables")
        self.addCleanup(ip, "link", "del", cables[0], check=False)  # gone with its namespace, if it got there
        for host, cable, address in zip(self.hosts, cables, ADDRESSES):
            ip("link", "set", cable, "netns", host)
            ip("-n", host, "link", "set", cable, "name", CABLE)
            ip("-n", host, "addr", "add", address + "/24", "dev", CABLE)
            ip("-n", host, "link", "set", CABLE, "up")
            ip("-n", host, "link", "set", "lo", "up")
        agent = self.write("agent", "#!/bin/sh\n# How the launcher gets to a host: its address, then a command.\nhost=$1\n"
                           f"shift\n[ \"$host\" = {ADDRESSES[0]} ] && place={self.hosts[0]} || place={self.hosts[1]}\n"
                           "exec ip netns exec \"$place\" sh -c \"$*\"\n")
        os.chmod(self.path(agent), 0o755)

    def remove(self, host):
        for pid in ip("netns", "pids", host, check=False).stdout.split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        ip("netns", "del", host, check=False)

    def command(self, processes, words, options=()):
        each = (processes + 1) // 2
        hosts = ",".join(f"{address}:{each}" for address in ADDRESSES)
        # Where processes may outnumber slots, Open MPI 5 puts all of them on the first host unless told how many go on each.
        places = ["--map-by", f"ppr:{each}:node:OVERSUBSCRIBE"]
        more = ["--host", hosts, "--mca", "plm_rsh_agent", self.path("agent"), "--mca", "btl", "tcp,self",
                "--mca", "btl_tcp_if_include", CABLE, "--mca", "oob_tcp_if_include", CABLE, *options]
        return ["ip", "netns", "exec", self.hosts[0], *super().command(processes, words, more, places)]

    def sent(self):
        """Bytes that have left the first host."""
        file = f"/sys/class/net/{CABLE}/statistics/tx_bytes"
        return int(subprocess.run(["ip", "netns", "exec", self.hosts[0], "cat", file], check=True, capture_output=True,
                                  timeout=60).stdout)

    def levels(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [line.split("\t")[:2] for line in file]

    def test_search(self):
        self.good("gen", "kronecker", "--scale", 13, "-o", "k.meg")
        self.good("bfs", "k.meg", "--source", 1, "-o", "alone.tsv")
        self.good("components", "k.meg", "-o", "parts.tsv")
        for processes in (2, 4):
            before = self.sent()
            self.meguri(processes, "bfs", "k.meg", "--source", 1, "-o", "far.tsv", "--trace", "trace")
            with open(self.path("trace"), encoding="utf-8") as file:  # between machines sets are packed
                self.assertIn('"exchange":"packed"', file.read())
            self.assertGreater(self.sent() - before, 100000)
            self.assertEqual(self.levels("far.tsv"), self.levels("alone.tsv"))
        self.meguri(4, "components", "k.meg", "-o", "far.tsv", "--check")
        self.assertEqual(self.levels("far.tsv"), self.levels("parts.tsv"))

    def test_killed_far_away(self):
        before = self.sent()
        job = self.start(2, MEGURI, "graph500", "--scale", 16, "--roots", 60000, "--no-validation")
        far = []

        def there():
            pids = [int(pid) for pid in ip("netns", "pids", self.hosts[1]).stdout.split()]
            far[:] = [pid for pid in pids if self.is_meguri(pid)]
            return far or job.poll() is not None

        self.wait_for(there)
        self.wait_for(lambda: self.sent() > before + 1000000 or job.poll() is not None)  # it works, and is not just there
        since = time.monotonic()
        os.kill(far[0], signal.SIGKILL)
        code, _, err = self.finish(job, 30)
        self.assertLess(time.monotonic() - since, 5)
        self.assertNotEqual(code, 0)
        self.assertTrue(err.strip())

    def is_meguri(self, pid):
        try:
            return os.path.samefile(f"/proc/{pid}/exe", MEGURI)
        except OSError:
            return False


if __name__ == "__main__":
    main()
