"""Forms of the command line: help, options in every place and spelling, and a sentence for every mistake."""
import os
import re

from harness import LEAVES, ROOT, VERBS, Case, main


class Help(Case):
    def test_fits_a_screen(self):
        for verb in ["", "gen", *LEAVES]:
            text = self.good(*verb.split(), "--help")
            lines = text.split("\n")
            self.assertEqual(lines[-1], "")
            self.assertLessEqual(len(lines) - 1, 24, verb)
            for line in lines:
                self.assertLessEqual(len(line), 80, line)
                self.assertEqual(line, line.rstrip())
            self.assertTrue(text.startswith("Usage: meguri"), text)

    def test_shared_options_are_explained_once(self):
        text = self.good("help", "options")
        self.assertLessEqual(len(text.split("\n")) - 1, 24)
        for verb in ["", *LEAVES]:
            names = self.good(*verb.split(), "--help").split("(meguri help options):")[1].split(".\n")[0]
            for option in re.findall(r"--[\w-]+", names):
                self.assertIn(option, text, verb)

    def test_help_verb_says_the_same(self):
        for verb in ["", "gen", *LEAVES]:
            text = self.good(*verb.split(), "--help")
            if verb:
                self.assertEqual(self.good("help", *verb.split()), text)
            self.assertEqual(self.good(*verb.split(), "-h"), text)
        self.bad(2, "frob", "help", "frob")
        self.bad(2, "did you mean 'options'?", "help", "optoins")
        self.bad(2, "frob", "help", "gen", "frob")

    def test_help_names_every_binding_option(self):
        binding = {
            "gen kronecker": "--scale --edgefactor --seed --weights --order --directed --undirected --keep-duplicates --keep-loops",
            "gen rmat": "--scale --a --b --c --noise --edgefactor --seed --weights",
            "gen uniform": "--vertices --edges --seed --weights",
            "gen grid": "--width --height --links --seed",
            "build": "--directed --undirected --format --ids --weights --coords --order --keep-duplicates --keep-loops --path-index",
            "convert": "--format",
            "index": "",
            "partition": "--parts --cut --seed",
            "pull": "--refresh --estimate --key --proxy --labels --types --weight --default-weight --password-file",
            "write-back": "--result --property --column --columns --key --username --password-file --ca-file",
            "info": "--check",
            "overview": "--top",
            "betweenness": "--sources --seed --source-list --check",
            "communities": "--iterations --check",
            "triangles": "--check",
            "clustering": "--check",
            "pagerank": "--damping --iterations --tolerance --check --device --device-memory",
            "bfs": "--source --sources --max-depth --policy --alpha --beta --parents --check --device --device-memory",
            "sssp": "--source --sources --delta --check",
            "path": "--from --to --pairs --index --no-index --algorithm --k --max-hops --max-cost --limit --timeout --direction --metric --lines --csv --geojson --check",
            "components": "--check --device --device-memory",
            "run": "--delivery --workers --max-supersteps --checkpoint --every --resume --check",
            "graph500": "--scale --edgefactor --roots --seed --kernels --no-validation",
        }
        for verb in LEAVES:
            options = binding.get(verb, "--check" if verb not in ("devices", "selftest", "report", "help") else None)
            if options is None:
                continue
            text = self.good(*verb.split(), "--help")
            common = ["--threads", "--memory", "--trace", "--json", "--quiet", "--help", "--version"]
            for option in options.split() + common + (["-o"] if verb not in ["info", "triangles", "graph500"] else []):
                self.assertRegex(text, rf"(?<![\w-]){option}(?![\w-])", verb)

    def test_verbs_by_task(self):
        """--help has a line for each task; help says what each verb does; each verb has one task."""
        tasks = ["make", "inspect", "search", "rank", "group", "paths", "databases", "cluster and device", "benchmark"]
        short = re.findall(r"^  (\w[\w ]*?) {2,}(\w[\w, -]*)$", self.good("--help"), re.M)
        self.assertEqual([task for task, _ in short], tasks)
        found = {verb: task for task, names in short for verb in names.split(", ")}
        self.assertEqual(sorted(found), sorted(VERBS))
        task, said = None, {}
        for line in self.good("help").split("\n")[3:]:
            match = re.match(r"  ([\w-]+) +(\S.*)", line)
            if match:
                said[match[1]] = (task, match[2])
            elif line in tasks:
                task = line
        self.assertEqual({verb: of for verb, (of, _) in said.items()}, found)
        for verb, (_, about) in said.items():
            first = self.good("help", verb).split("\n")[1]
            self.assertEqual(first, about[0].upper() + about[1:] + ".", verb)

    def test_version(self):
        self.assertRegex(self.good("--version"), r"^meguri \d+\.\d+\.\d+\n$")
        self.assertEqual(self.good("info", "--version"), self.good("--version"))

    def test_no_arguments(self):
        result = self.run_it()
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, b"")
        self.assertIn(b"Usage: meguri VERB", result.stderr)
        self.bad(2, "verb", "--json")


class Mistakes(Case):
    def test_verbs(self):
        self.bad(2, "did you mean 'build'?", "biuld")
        self.bad(2, "did you mean 'info'?", "inf")
        self.bad(2, "--help", "frobnicate")
        self.bad(2, "--help lists", "gen")
        self.bad(2, "did you mean 'kronecker'?", "gen", "kroneker", "--scale", 3, "-o", "x")
        self.bad(2, "has no verb", "")

    def test_unknown_options(self):
        self.bad(2, "did you mean --scale?", "gen", "kronecker", "--scael", 3)
        self.bad(2, "did you mean --keep-duplicates?", "build", "x", "--keep-dup")
        self.bad(2, "did you mean --format?", "build", "x", "--formt=el")
        self.bad(2, "has no option --frobnicate;", "build", "x", "--frobnicate")
        self.bad(2, "has no option -Z", "info", "-Z")
        self.bad(2, "has no option --scale", "gen", "grid", "--scale", 3)
        self.bad(2, "has no option", "info", "--" + "x" * 5000)

    def test_missing_and_extra(self):
        self.bad(2, "needs --scale N", "gen", "kronecker", "-o", "x.meg")
        self.bad(2, "needs -o FILE", "gen", "kronecker", "--scale", 3)
        self.bad(2, "needs -o FILE", "build", "x.el")
        self.bad(2, "needs -o FILE", "convert", "x.el")
        self.bad(2, "needs INPUT", "build", "-o", "x.meg")
        self.bad(2, "needs GRAPH", "info")
        self.bad(2, "needs GRAPH", "convert", "-o", "x.el")
        self.bad(2, "too many", "convert", "a", "b", "-o", "x.el")
        self.bad(2, "too many", "gen", "grid", "a", "--width", 2, "--height", 2, "-o", "x.meg")
        self.bad(2, "--scale needs a value", "gen", "kronecker", "--scale")
        self.bad(2, "--json takes no value", "info", "--json=yes", "x")
        self.bad(2, "is empty", "build", "x", "-o", "")

    def test_values(self):
        kronecker = ["gen", "kronecker", "-o", "x.meg", "--scale"]
        for value in ["0", "32", "99", "-1", "1.5", "ten", "", "0x10", "18446744073709551616", " 7", "7 "]:
            self.bad(2, "from 1 to 31: a .meg file has no numbers for more vertices.", *kronecker, value)
        self.bad(2, "--scale 99:", *kronecker, "99")
        self.bad(2, "give none, u32 or f32", *kronecker, 4, "--weights", "u8")
        self.bad(2, "give auto, degree, bfs or none", *kronecker, 4, "--order", "fast")
        self.bad(2, "give auto, el, csv", "build", "x", "-o", "y", "--format", "xml")
        self.bad(2, "from 1 to", "gen", "kronecker", "--scale", 4, "--edgefactor", 0, "-o", "x")
        for value in ["2", "-0.1", "nan", "inf", "0x1", "a", "", ".", "1e", "0,5"]:
            self.bad(2, "number from 0 to 1", "gen", "rmat", "--scale", 3, "-o", "x", "--a", value)
        self.bad(2, "all 0", "gen", "rmat", "--scale", 3, "--a", 0, "--b", 0, "--c", 0, "-o", "x.meg")
        self.assertEqual(self.run_it("gen", "rmat", "--scale", 3, "--a", ".9", "--b", ".9", "-o", "x.meg").returncode, 2)
        for value in ["lots", "-1", "0", "1X", "1GG", "G", "1e30", "1.5.5G", "99999999999999999999", "nan"]:
            self.bad(2, "give a size such as", "info", "x", "--memory", value)
        for value in ["0", "1025", "-2", "two"]:
            self.bad(2, "from 1 to 1024", "info", "x", "--threads", value)
        self.bad(2, "contradict", "build", "x", "--directed", "--undirected", "-o", "y")

    def test_engines(self):
        self.bad(5, "device", "info", "--engine", "device", "x")
        self.bad(5, "cluster", "info", "--engine=cluster", "x")
        self.bad(2, "give auto, host, cluster or device", "info", "--engine", "quantum", "x")
        self.assertEqual(self.names(), [])

    def test_output(self):
        self.write("g.el", "1 2\n")
        self.bad(2, "no format has this suffix", "build", "g.el", "-o", "g.xyz")
        self.bad(2, "cannot be compressed", "build", "g.el", "-o", "g.meg.gz")
        self.bad(4, "no folder nowhere", "build", "g.el", "-o", "nowhere/g.meg")
        self.bad(4, "no folder nowhere", "gen", "grid", "--width", 3, "--height", 3, "-o", "nowhere/deep/g.el")
        os.mkdir(self.path("folder"))
        self.bad(2, "is a folder", "build", "g.el", "-o", "folder")
        self.bad(2, "is a folder", "build", "g.el", "-o", "folder/")
        self.assertEqual(self.names(), ["folder", "g.el"])

    def test_input_is_never_destroyed(self):
        self.write("g.el", "1 2\n")
        os.link(self.path("g.el"), self.path("hard.el"))
        os.symlink("g.el", self.path("soft.el"))
        self.write("g.co", "v 1 1 1\n")
        for name in ["g.el", "./g.el", "hard.el", "soft.el", self.path("g.el")]:
            self.bad(2, "would be overwritten", "build", "g.el", "-o", name)
            self.bad(2, "would be overwritten", "convert", "g.el", "-o", name)
            self.bad(2, "is an input", "build", "g.el", "-o", "x.meg", "--trace", name)
        os.rename(self.path("g.co"), self.path("co.el"))
        self.bad(2, "would be overwritten", "build", "g.el", "--coords", "co.el", "-o", "co.el")
        self.write("roads.co", "v 1 1 1\n")
        self.bad(2, "roads.co is an input", "build", "g.el", "--coords", "roads.co", "-o", "roads.gr")
        self.bad(2, "name the same file", "build", "g.el", "-o", "t.meg", "--trace", "./t.meg")
        with open(self.path("g.el")) as file:
            self.assertEqual(file.read(), "1 2\n")
        self.assertNotIn("t.meg", self.names())

    def test_bad_input(self):
        self.bad(3, "missing.el", "build", "missing.el", "-o", "g.meg")
        self.bad(3, "missing.meg", "info", "missing.meg")
        self.bad(3, "missing.meg", "convert", "missing.meg", "-o", "g.el")
        self.write("g.el", "1 2\n3 x\n")
        self.bad(3, "g.el", "build", "g.el", "--ids", "integer", "-o", "g.meg")
        self.write("t.el", "1 2\n")
        self.bad(3, "t.el", "info", "t.el")
        self.bad(2, "only once", "build", "-", "-", "-o", "g.meg")
        self.assertEqual(self.names(), ["g.el", "t.el"])


class Spellings(Case):
    def edges(self, *words):
        self.good(*words)
        with open(self.path("out.el")) as file:
            lines = [line for line in file if line[0] not in "#%"]
        os.remove(self.path("out.el"))
        return sorted(lines)

    def test_options_stand_anywhere(self):
        want = self.edges("gen", "kronecker", "--scale", 5, "--seed", 9, "-o", "out.el")
        self.assertGreater(len(want), 20)
        for words in ["gen kronecker --scale=5 --seed=9 --output=out.el", "gen --seed 9 kronecker -oout.el --scale 5",
                      "--threads 2 gen --scale 5 kronecker --output out.el --seed=9",
                      "-o out.el --memory 1GiB gen kronecker --scale 5 --seed 9 --quiet",
                      "gen kronecker --seed 3 --scale 5 --seed 9 -q -o out.el"]:
            words = words.split()
            if "-q" not in words and "--quiet" not in words:
                words.append("--quiet")
            self.assertEqual(self.edges(*words), want, words)

    def test_double_dash_ends_options(self):
        self.write("--json", "1 2\n2 3\n")
        self.assertEqual(self.edges("build", "-o", "out.el", "--format", "el", "--", "--json"), ["1 2\n", "2 3\n"])

    def test_sizes(self):
        self.write("g.el", "1 2\n")
        self.good("build", "g.el", "-o", "g.meg")
        for size in ["2G", "500M", "1.5GiB", "100000000", "0.5g", "64 MiB", "1T", "300mb", "90000K", "1e9"]:
            self.good("info", "g.meg", "--memory", size)


class Nouns(Case):
    """A count agrees with its noun: all verbs on graphs of one edge, of one vertex, and with lists of one line."""

    def test_one_of_each(self):
        self.write("edge.el", "7 9\n")
        self.good("gen", "grid", "--width", 1, "--height", 1, "-q", "-o", "vertex.meg")
        self.good("build", "edge.el", "-q", "-o", "edge.meg")
        runs = [("gen", "grid", "--width", 1, "--height", 1, "-o", "x.meg"), ("build", "edge.el", "-o", "x.meg"),
                ("convert", "edge.el", "-o", "x.csv"), ("partition", "edge.el", "--parts", 1, "-o", "one"),
                ("partition", "edge.el", "--parts", 2, "-o", "two"), ("devices",)]
        for graph, ids in (("edge.meg", (7, 9)), ("vertex.meg", (0, 0))):
            source, target = ids
            runs += [(verb, graph) for verb in VERBS if verb in (
                "info", "index", "overview", "pagerank", "components", "communities", "cores", "triangles", "clustering",
                "betweenness")]
            self.write("list", f"{source}\n")
            self.write("pairs", f"{source} {target}\n")
            runs += [("bfs", graph, "--source", source), ("bfs", graph, "--sources", "list"),
                     ("sssp", graph, "--source", source), ("sssp", graph, "--sources", "list", "--targets", "list"),
                     ("path", graph, "--from", source, "--to", target), ("path", graph, "--pairs", "pairs", "--costs"),
                     ("path", graph, "--from", source, "--to", target, "--algorithm", "all", "--limit", 1),
                     ("run", os.path.join(ROOT, "examples", "pregel", "bfs.c"), graph, "--", source)]
            for words in runs:
                result = self.run_it(*words)
                text = (result.stdout + result.stderr).decode()
                self.assertEqual(result.returncode, 0, (words, text))
                self.assertIsNone(re.search(r"(?<![\d.,])1 (vertices|[a-z]*[a-rt-z]s)\b", text), (words, text))
            runs = []
        said = self.run_it("bfs", "edge.el", "--sources", "edge.el").stderr.decode()
        self.assertIn("though 1 line has more", said)


if __name__ == "__main__":
    main()
