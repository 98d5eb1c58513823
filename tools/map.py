#!/usr/bin/env python3
"""Writes the lists that follow from the files.

    map.py            says whether the lists are those of the files, and fails if not
    map.py --write    makes them so (as `make format` does)

docs/map.md: every file, and the first sentence of its first comment. include/meguri.h: every public header. README.md
and docs/command.md: the verbs that have a page of their own, by the table that the page begins with; README.md: the
names of all verbs, by the list of cli/verbs.c.
"""
import os
import re
import sys

START = "## Every file\n"
NOTE = ("\nMade by `tools/map.py` from the first sentence of each file: mend it there, and say `make format`.\n")
# Folders, in this order; those below src/algo/, and of cli/, follow by name.
FOLDERS = ["include/meguri", "include/meguri/extra", "src/base", "src/par", "src/policy", "src/graph", "src/io", "src/gen", "src/device", "src/net",
           "src/net/mpi", "src/shards", "src/algo", "src/pregel", "src/graph500", "src/report", "db/bolt", "db/source", "cli", "bench", "tools", "tests/support", "tests/attack"]
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


def headers(root, text):
    """include/meguri.h with an #include for each header of its folder that is promised: not extra/, not vertex programs."""
    names = sorted(f for f in os.listdir(os.path.join(root, "include/meguri")) if f.endswith(".h") and f not in ("pregel.h", "run.h"))
    lines = "".join(f"#include <meguri/{name}>\n" for name in names)
    return re.sub(r"(#include <meguri/\w+\.h>\n)+", lines, text, count=1)


def pages(root):
    """Pages of docs/ that begin with a table of verbs: name, title, and rows of usage and description."""
    for name in sorted(os.listdir(os.path.join(root, "docs"))):
        with open(os.path.join(root, "docs", name), encoding="utf-8") as stream:
            text = stream.read() if name.endswith(".md") else ""
        match = re.match(r"# (.*)\n\n\| verb \| what it does \|\n\|---\|---\|\n((?:\| `.*\|\n)+)", text)
        if match:
            yield name, match.group(1), re.findall(r"\| (`.*?`) \| (.*) \|\n", match.group(2))


def replaced(text, pattern, rows):
    """All lines that match go, and the rows come where the first of them was."""
    found = re.search(pattern, text, re.M)
    if not found:
        sys.exit(f"there is no line {pattern} to replace.")
    rest = re.sub(pattern, "", text[found.start() :], flags=re.M)
    return text[: found.start()] + "".join(rows) + rest


def command_page(root, text):
    rows, verbs = [], []
    for name, _, verb_rows in pages(root):
        for usage, about in verb_rows:
            verbs.append(re.match(r"`(\w+)", usage).group(1))
            rows.append(f"| {usage} | {about}, see [{name}]({name}) |\n")
    return replaced(text, rf"^\| `(?:{'|'.join(verbs)}) (?:[A-Z]+ )?GRAPH.*\|\n", rows)


def readme(root, text):
    with open(os.path.join(root, "cli/verbs.c"), encoding="utf-8") as stream:
        verbs = re.findall(r'^    X\((\w+), "[^"]+"\)', stream.read(), re.M)
    named = ", ".join(f"`{verb.replace('_', '-')}`" for verb in verbs if verb != "help")
    text = replaced(text, r"^\| the command: .*\n", [f"| the command: {named} |\n"])
    rows = [f"| [{title}](docs/{name}): {'; '.join(about for _, about in verb_rows)} |\n"
            for name, title, verb_rows in pages(root)]
    names = "|".join(name.replace(".", r"\.") for name, _, _ in pages(root))
    return replaced(text, rf"^\| \[[^]]*\]\(docs/(?:{names})\).*\|\n", rows)


def all_files(root, text):
    return text[: text.index(START)] + tables(root)


LISTS = {"docs/map.md": all_files, "include/meguri.h": headers, "docs/command.md": command_page, "README.md": readme}


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    status = 0
    for name, make in LISTS.items():
        path = os.path.join(root, name)
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        new = make(root, text)
        if new == text:
            continue
        if "--write" in sys.argv[1:]:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(new)
        else:
            print(f"{name}: a list in it is not what the files are; make format writes it.")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
