"""The man page and the completion of bash, both made from the option table."""
import os
import re
import shutil
import subprocess

from harness import LEAVES, VERBS, Case, MEGURI, main

COMPLETE = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(( $# - 1 ))
_meguri
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Man(Case):
    def setUp(self):
        super().setUp()
        self.page = self.good("print-man")
        self.write("meguri.1", self.page)

    def test_formats_without_warning(self):
        self.need(shutil.which("groff"), "groff")
        result = subprocess.run(["groff", "-man", "-ww", "-Tutf8", self.path("meguri.1")], capture_output=True)
        self.assertEqual((result.returncode, result.stderr.decode()), (0, ""))
        text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", result.stdout.decode())
        for part in ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "TMPDIR", "130", "interrupted", "--keep-loops"]:
            self.assertIn(part, text)

    def test_man_itself_is_content(self):
        self.need(shutil.which("man"), "man")
        env = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80")
        result = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", self.path("meguri.1")], capture_output=True, env=env)
        self.assertEqual((result.returncode, result.stderr.decode()), (0, ""))

    def test_names_what_help_names(self):
        plain = self.page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
        for verb in [leaf for leaf in LEAVES if leaf != "help"]:
            self.assertIn(f".SS meguri {verb}\n", plain)
            for option in re.findall(r"--[a-z][a-z-]*", self.good("help", *verb.split())):
                self.assertIn(option, plain)


class Completion(Case):
    def setUp(self):
        super().setUp()
        self.write("meguri.bash", self.good("print-completion"))
        self.write("test.sh", COMPLETE)

    def complete(self, line):
        """What bash would offer; words as bash splits them, = apart; a space at the end starts a new word."""
        words = re.sub("=", " = ", line.rstrip()).split(" ") if line.strip() else []
        words = [word for word in words if word]
        if line.endswith(" "):
            words.append("")
        result = subprocess.run(["bash", "--norc", self.path("test.sh"), self.path("meguri.bash"), *words],
                                capture_output=True, cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr.decode()), (0, ""), line)
        return sorted(word for word in result.stdout.decode().split("\n") if word)

    def test_verbs(self):
        self.assertEqual(self.complete("meguri "), sorted(VERBS))
        self.assertEqual(self.complete("meguri co"), sorted(verb for verb in VERBS if verb.startswith("co")))
        self.assertEqual(self.complete("meguri gen "), sorted("kronecker rmat uniform grid".split()))
        self.assertEqual(self.complete("meguri --threads 2 gen k"), ["kronecker"])
        self.assertEqual(self.complete("meguri help b"), ["betweenness", "bfs", "build"])

    def test_options(self):
        self.assertEqual(self.complete("meguri build --keep-"), ["--keep-duplicates", "--keep-loops"])
        self.assertEqual(self.complete("meguri gen grid --he"), ["--height", "--help"])
        self.assertIn("--scale", self.complete("meguri gen kronecker "))
        self.assertNotIn("--scale", self.complete("meguri gen grid -"))
        self.assertEqual(self.complete("meguri info --ch"), ["--check"])
        self.assertIn("--version", self.complete("meguri --"))

    def test_everything_help_names_is_offered(self):
        for verb in [leaf for leaf in LEAVES if leaf != "help"]:
            text = self.good("help", *verb.split()).split("Example:")[0]
            if "meguri help reading" in text:
                text += self.good("help", "reading")
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
            self.assertEqual(set(self.complete(f"meguri {verb} --")), named, verb)

    def test_choices(self):
        self.assertEqual(self.complete("meguri build x --order "), ["auto", "bfs", "degree", "none"])
        self.assertEqual(self.complete("meguri build x --order=d"), ["degree"])
        self.assertEqual(self.complete("meguri build x --order="), ["auto", "bfs", "degree", "none"])
        self.assertEqual(self.complete("meguri gen rmat --weights u"), ["u32"])
        self.assertEqual(self.complete("meguri build --weights n"), ["none"])
        self.assertEqual(self.complete("meguri info --engine "), ["auto", "cluster", "device", "host"])
        self.assertIn("bin48", self.complete("meguri convert x --format "))
        self.assertEqual(self.complete("meguri bfs g.meg --policy pu"), ["pull", "push"])
        self.assertEqual(self.complete("meguri bfs g.meg --source "), [])
        self.assertEqual(self.complete("meguri gen grid --width "), [])

    def test_files(self):
        self.write("with space.el", "1 2\n")
        self.write("other.co", "")
        self.assertEqual(self.complete("meguri build with"), ["with space.el"])
        self.assertEqual(self.complete("meguri build --order auto oth"), ["other.co"])
        self.assertEqual(self.complete("meguri build --coords oth"), ["other.co"])
        self.assertEqual(self.complete("meguri build --coords=oth"), ["other.co"])
        self.assertEqual(self.complete("meguri gen grid -o oth"), ["other.co"])
        self.assertEqual(self.complete("meguri info --trace oth"), ["other.co"])
        self.assertEqual(self.complete("meguri bfs --sources oth"), ["other.co"])

    def test_is_registered(self):
        script = f'source "{self.path("meguri.bash")}"; complete -p meguri'
        result = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True)
        self.assertEqual(result.stdout, "complete -F _meguri meguri\n")


class Files(Case):
    def test_build_made_them(self):
        """What is installed is what the command prints."""
        for name, verb in [("meguri.1", "print-man"), ("meguri.bash", "print-completion")]:
            with open(os.path.join(os.path.dirname(MEGURI), "cli", name)) as file:
                self.assertEqual(file.read(), self.good(verb))


if __name__ == "__main__":
    main()
