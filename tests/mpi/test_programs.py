"""Vertex programs that end one of several processes, in whatever way: all end soon, one line names program and superstep,
and nothing stays behind."""
import time

from launcher import Launched, MEGURI, main
from troubled import PROGRAM, WAYS, processes_in

SOON = 5  # seconds, once it has come so far


class Programs(Launched):
    def test_eight_ways(self):
        self.write("t.c", PROGRAM)
        self.write("g.el", "".join(f"{i} {(i + 1) % 2000}\n" for i in range(2000)))
        cache = self.path("cache")
        words = [MEGURI, "run", "t.c", "g.el", "-q", "-o", "o.tsv", "--"]
        since = time.monotonic()
        self.launch(2, *words, "none", XDG_CACHE_HOME=cache)
        usual = time.monotonic() - since
        before = self.names()
        for how, sentence in WAYS.items():
            with self.subTest(how=how):
                since = time.monotonic()
                out, err = self.launch(2, *words, how, code=5, seconds=60, XDG_CACHE_HOME=cache)
                self.assertLess(time.monotonic() - since, usual + SOON)
                self.assertEqual(out, "")
                lines = [line for line in err.splitlines() if line.startswith("meguri: ")]
                self.assertEqual(len(lines), 1, err)
                self.assertIn(sentence, lines[0])
                self.wait_for(lambda: not processes_in(self.folder), SOON)
                self.assertEqual(self.names(), before)


if __name__ == "__main__":
    main()
