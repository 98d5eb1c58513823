#!/usr/bin/env python3
"""Writes the tables of docs/map.md: every file, and the first sentence of its first comment.

    map.py            says whether the tables are those of the files, and fails if not
    map.py --write    makes them so (as `make format` does)
"""
import os
import re
import sys

START = "## Every file\n"
NOTE = ("\nMade by `tools/map.py` from the first sentence of each file: mend it there, and say `make format`.\n")
# Folders, in this order; those below src/algo/, and of cli/, follow by name.
FOLDERS = ["include/meguri", "src/base", "src/par", "src/policy", "src/graph", "src/io", "src/gen", "src/net",
           "src/net/mpi", "src/shards", "src/algo", "src/graph500", "src/report", "cli", "bench", "tools", "tests/support", "tests/attack"]
SUFFIXES = (".c", ".h", ".cl", ".py", ".sh", ".js", ".css")


def first_comment(text):
    """The text of the comment that a file begins with, in one line."""
    text = re.sub(r"\A#!.*\n", "", text)
    for pattern in (r'\A\s*"""(.*?)"""', r"\A\s*/\*(.*?)\*/", r"\A((?:#(?!define|if|include).*\n)+)", r"\A((?://.*\n)+)"):
        match = re.match(pattern, text, re.DOTALL)
        if match:
            lines = [re.sub(r"^\s*(\*|#|//)?\s?", "", line).strip() for line in match.group(1).strip().split("\n")]
            if "" in lines:
                lines = lines[: lines.index("")]
            return " ".join(lines)
    return ""


def sentence(path):
    """What a file is about: its first sentence, without the full stop."""
    with open(path, encoding="utf-8") as stream:
        text = first_comment(stream.read())
    if not text:
        return "the same hot loops, for one target" if re.search(r"_(base|avx2|avx512|bmi2|one|four|eight)\.c$", path) else ""
    end = re.search(r"[.:](?= |$)(?<!e\.g\.)", text) if len(text) > 100 else None
    full = re.search(r"\.(?= [A-Z]|$)", text)
    cut = full.start() if full and full.start() <= 160 else end.start() if end else len(text)
    return text[:cut].rstrip(".").replace("|", "\\|")


def folders(root):
    for folder in FOLDERS:
        yield folder
        if folder in ("src/algo", "cli"):
            for name in sorted(os.listdir(os.path.join(root, folder))):
                if os.path.isdir(os.path.join(root, folder, name)):
                    yield f"{folder}/{name}"


def tables(root):
    out = [START, NOTE]
    for folder in folders(root):
        files = sorted(f for f in os.listdir(os.path.join(root, folder)) if f.endswith(SUFFIXES))
        # The header that others include comes first.
        files.sort(key=lambda f: f != os.path.basename(folder) + ".h")
        if not files:
            continue
        out.append(f"\n### {folder}/\n\n| file | about |\n|---|---|\n")
        for file in files:
            about = sentence(os.path.join(root, folder, file))
            if not about:
                sys.exit(f"{folder}/{file} does not begin with a comment that says what it is about.")
            out.append(f"| `{file}` | {about} |\n")
    return "".join(out)


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    path = os.path.join(root, "docs", "map.md")
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    new = text[: text.index(START)] + tables(root)
    if new == text:
        return 0
    if "--write" in sys.argv[1:]:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(new)
        return 0
    print("docs/map.md: the tables are not those of the files; make format writes them.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
