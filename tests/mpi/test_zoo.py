"""Every graph of the zoo on real processes: one launch for each number of them and each layout."""
import os

from launcher import BUILD, Launched, main

LAYOUTS = [(1, "auto"), (2, "auto"), (3, "auto"), (4, "auto"), (6, "auto"), (8, "auto"), (9, "auto"), (4, "1x4"),
           (4, "4x1"), (6, "2x3"), (2, "pairs"), (8, "pairs")]


class Zoo(Launched):
    def test_layouts(self):
        tried = set()
        for processes, layout in LAYOUTS:
            with self.subTest(processes=processes, layout=layout):
                out, _ = self.launch(processes, os.path.join(BUILD, "tests", "zoo_ranks"), layout, seconds=500)
                self.assertTrue(out.startswith(f"{processes} processes, "), out)
                tried.add(out.split(", ", 1)[1])
        self.assertEqual(len(tried), 1, tried)  # the same graphs, as many items compared


if __name__ == "__main__":
    main()
