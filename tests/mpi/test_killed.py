"""Processes that end in the middle: the others end soon, say so, and leave nothing behind."""
import os
import signal
import time

from launcher import Launched, MEGURI, alive, main

SOON = 5  # seconds


class Killed(Launched):
    def all_end(self, job, ranks, how):
        """`how` ends something; everything else follows."""
        since = time.monotonic()
        how()
        code, out, err = self.finish(job, 30)
        self.assertLess(time.monotonic() - since, SOON)
        self.assertTrue(err.strip(), "nobody said anything")
        self.wait_for(lambda: not any(map(alive, ranks)), SOON)
        self.assertEqual(os.listdir(self.sessions), [])
        return code, out, err

    def test_while_searching(self):
        for victim, number in ((0, signal.SIGKILL), (2, signal.SIGKILL), (1, signal.SIGTERM)):
            with self.subTest(victim=victim, signal=number):
                job = self.start(3, MEGURI, "graph500", "--scale", 16, "--roots", 60000, "--no-validation")
                ranks = self.ranks(job, 3)
                self.assertEqual(len(ranks), 3)
                time.sleep(2)
                code, out, err = self.all_end(job, ranks, lambda: os.kill(ranks[victim], number))
                self.assertEqual((code, out), (128 + number, ""), err)  # who says so: the launcher may kill all others

    def test_before_joining(self):
        """One that never comes: the launcher ends those that wait for it."""
        self.good("gen", "kronecker", "--scale", 6, "-o", "k.meg")
        for last, code in (("kill -9 $$", 128 + signal.SIGKILL), ("exit 7", 7)):
            out, _ = self.launch_pair(f"sleep 1; {last}", f"exec {MEGURI} bfs k.meg --source 1", code=code, seconds=30)
            self.assertEqual(out, "")

    def test_interrupted_launcher(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            job = self.start(2, MEGURI, "graph500", "--scale", 16, "--roots", 60000, "--no-validation")
            ranks = self.ranks(job, 2)
            time.sleep(2)
            code, out, _ = self.all_end(job, ranks, lambda: job.send_signal(number))
            self.assertNotEqual(code, 0)
            self.assertEqual(out, "")

    def test_while_writing(self):
        self.good("gen", "kronecker", "--scale", 17, "--edgefactor", 2, "-o", "k.meg")
        before = self.names()
        for victim in (0, 1):
            with self.subTest(victim=victim):
                job = self.start(2, MEGURI, "bfs", "k.meg", "--source", 1, "-o", "levels.tsv")
                ranks = self.ranks(job, 2)
                self.wait_for(lambda: self.names() != before or job.poll() is not None, every=0)
                new = set(self.names()) - set(before)
                if "levels.tsv" in new:
                    self.fail("the file was written before anybody could look")
                code, _, _ = self.all_end(job, ranks, lambda: os.kill(ranks[victim], signal.SIGKILL))
                self.assertNotEqual(code, 0)
                self.assertEqual(self.names(), before)


if __name__ == "__main__":
    main()
