"""Text tables as people have them: options of reading, which every verb has that reads text itself."""
import json

from harness import Case, main

# Verbs that open a graph, with what they need besides.
READERS = {
    "bfs": ["--source", "a"],
    "sssp": ["--source", "a"],
    "path": ["--from", "a", "--to", "c"],
    "components": [],
    "pagerank": [],
    "betweenness": [],
    "communities": [],
    "cores": [],
    "triangles": [],
    "clustering": [],
}


class ReadingOptions(Case):
    def test_every_verb_has_them(self):
        self.write("g.el", "a b\nb c\n")
        self.good("build", "g.el", "-o", "g.meg")
        for verb, words in READERS.items():
            self.assertEqual(self.json(verb, "g.el", *words)["directed"], True, verb)
            self.assertEqual(self.json(verb, "g.el", *words, "--undirected")["directed"], False, verb)
            self.bad(2, "--undirected is for text input, and g.meg is a graph already", verb, "g.meg", *words,
                     "--undirected")
            self.assertIn("meguri help reading", self.good(verb, "--help"))
        self.good("partition", "g.el", "--parts", 1, "-o", "parts", "--undirected", "-q")
        self.bad(2, "--ids is for text input", "partition", "g.meg", "--parts", 1, "-o", "p2", "--ids", "string")
        self.bad(2, "--ids is for text input", "convert", "g.meg", "-o", "x.el", "--ids", "string")

    def test_help(self):
        text = self.good("help", "reading")
        self.assertLessEqual(len(text.split("\n")) - 1, 24)
        for verb in ("build", "convert"):
            help_text = self.good(verb, "--help")
            for option in ("--directed", "--undirected", "--format", "--columns", "--ids", "--weights",
                           "--keep-duplicates", "--keep-loops"):
                self.assertIn(option, text)
                self.assertIn(option, help_text)

    def test_binary_edges_that_begin_as_something_else(self):
        """Their first id may have the bits of any magic number."""
        for first in (0x8b1f, 0x088b1f, 0xfd2fb528, 0x587a37fd, 0x47454d89):
            for bits in (32, 48, 64):
                self.write("g.el", f"{first} 1\n{first} 90\n{first} 7\n")
                name = f"g.bin{bits}"
                self.good("convert", "g.el", "-q", "-o", name)
                for more in ([], ["--engine", "cluster"]):
                    self.assertEqual(self.json("components", name, "--format", f"bin{bits}", *more)["edges"], 3, first)
                with open(self.path(name), "rb") as file:
                    data = file.read()
                self.write("g.meg.dat", data)
                for words, stdin in (("g.meg.dat", b""), ("-", data)):
                    result = self.run_it("components", words, "--format", f"bin{bits}", "--json", stdin=stdin)
                    self.assertEqual(json.loads(result.stdout)["edges"], 3)
                    self.assertEqual("which a name that ends in .bin" in result.stderr.decode(), first in (0x8b1f, 0x088b1f, 0xfd2fb528))


if __name__ == "__main__":
    main()
