"""Every graph of the zoo on real processes: one launch for each number of them and each layout. Where there are few of
them they have one thread each and then two; many are busy enough with one."""
import os

from launcher import BUILD, Launched, main

LAYOUTS = [(1, "auto"), (2, "auto"), (3, "auto"), (4, "auto"), (6, "auto"), (8, "auto"), (9, "auto"), (4, "1x4"),
           (4, "4x1"), (6, "2x3"), (2, "pairs"), (8, "pairs")]


class Zoo(Launched):
    def test_layouts(self):
        tried = set()
        for processes, layout in LAYOUTS:
            with self.subTest(processes=processes, layout=layout):
                threads = 2 if processes <= 4 else 1
                out, _ = self.launch(processes, os.path.join(BUILD, "tests", "zoo_ranks"), layout, threads, seconds=500)
                self.assertTrue(out.startswith(f"{processes} processes, "), out)
                tried.add((threads, out.split(", ", 1)[1]))
        self.assertEqual(len(tried), 2, tried)  # the same graphs, as many items compared


if __name__ == "__main__":
    main()
