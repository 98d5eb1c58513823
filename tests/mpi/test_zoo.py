"""The zoo on real processes: one launch for each number of them and each layout. Every graph on up to 4 processes; on
more, each graph in one of three launches, or with the argument `all` in every one."""
import os
import sys

from launcher import BUILD, Launched, main

FEW = [(1, "auto"), (2, "auto"), (3, "auto"), (4, "auto"), (4, "1x4"), (4, "4x1"), (2, "pairs")]
MANY = [(6, "auto"), (6, "2x3"), (6, "3x2"), (8, "auto"), (9, "auto"), (8, "pairs")]
EVERYTHING = "all" in sys.argv
if EVERYTHING:
    sys.argv.remove("all")


class Zoo(Launched):
    def tried(self, processes, layout, every, first):
        """What is left of the line after the number of processes: graphs and items."""
        out, _ = self.launch(processes, os.path.join(BUILD, "tests", "zoo_ranks"), layout, every, first, seconds=500)
        self.assertTrue(out.startswith(f"{processes} processes, "), out)
        return out.split(", ", 1)[1]

    def test_few(self):
        self.assertEqual(len({self.tried(*launch, 1, 0) for launch in FEW}), 1)

    def test_many(self):
        every = 1 if EVERYTHING else 3
        for first, launch in enumerate(MANY):
            self.assertNotIn(" 0 graphs", self.tried(*launch, every, first % every))


if __name__ == "__main__":
    main()
