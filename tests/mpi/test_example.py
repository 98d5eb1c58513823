"""A program of somebody else's that hands its own communicator to the library."""
import os

from launcher import BUILD, Launched, main


class Example(Launched):
    def test_split(self):
        program = os.path.join(BUILD, "examples", "mpi_search")
        lines = {}
        for processes in (1, 2, 5):
            out, err = self.launch(processes, program)
            self.assertEqual(err, "")
            lines[processes] = out.splitlines()
            self.assertEqual(lines[processes][1], f"{processes} processes go on")
        self.assertRegex(lines[1][0], r"^1 processes reached \d+ vertices$")
        self.assertEqual(lines[5][0], lines[1][0].replace("1", "3", 1))
        self.assertEqual(lines[2][0], lines[1][0])


if __name__ == "__main__":
    main()
