"""The promise of the public interface, as a list (interface.txt) and a check: abi.py COMPILER [--write].

The list has what a program that was compiled against the headers of meguri.h depends on: the declaration of each
function, the value of each enumerator, and for each struct the offset and type of each member. The check compiles the
headers as they are and compares. Functions, enumerators and members may be added (members at the end of a struct that
begins with its size); nothing of the list may go or change. What is in meguri/extra/, and vertex programs, is not promised.
`make interface` (--write) adds what is new to the list; it refuses to drop anything unless --break is given, too, which
takes a new SOVERSION."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = pathlib.Path(__file__).resolve().parent / "interface.txt"
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def preprocessed(compiler):
    """All declarations of meguri.h, macros expanded, without those of the system."""
    source = "#include <meguri.h>\n"
    out = subprocess.run([compiler, "-E", "-I", str(ROOT / "include"), "-x", "c", "-"], input=source, text=True,
                         capture_output=True, check=True).stdout
    kept, ours = [], False
    for line in out.split("\n"):
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            ours = str(ROOT / "include") in mark.group(1)
        elif ours:
            kept.append(line)
    return COMMENT.sub("", "\n".join(kept))


def squeezed(text):
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r" ?([(),*;\[\]]) ?", lambda m: {",": ", ", "*": " *"}.get(m.group(1), m.group(1)), text).strip()


def declarations(code):
    """Functions and types of functions with their declarations, enums with their constants, structs with their members."""
    functions, enums, structs = {}, {}, {}
    for body, name in re.findall(r"typedef enum \w* ?\{(.*?)\} (\w+);", code, re.S):
        enums[name] = re.findall(r"\b(MEGURI_\w+)\b(?=\s*(?:=|,|$))", body.strip())
    for tag, body in re.findall(r"\bstruct (meguri_\w+) \{(.*?)\n?\}", code, re.S):
        members = []
        for declaration in filter(None, (squeezed(part) for part in body.split(";"))):
            pointer = re.match(r".*\(\s*\*\s*(\w+)\)\(.*\)$", declaration)
            if pointer:
                members.append((pointer.group(1), declaration))
                continue
            first, *others = declaration.split(", ")
            kind = re.sub(r"\s*\*?\w+(\[\w+\])?$", "", first)
            for item in [first, *others]:
                name = re.search(r"(\w+)(\[\w+\])?$", item).group(1)
                members.append((name, item if item is first else f"{kind} {item}"))
        structs[tag] = members
    plain = re.sub(r"\b(?:typedef )?(?:struct|enum) \w*\s*\{.*?\}[^;]*;", "", code, flags=re.S)
    for statement in plain.split(";"):
        text = squeezed(re.sub(r'extern "C" \{', "", statement))
        found = re.match(r"(?:typedef [\w *]+\( ?\*|(?!typedef)[\w ]+[ *]+)(meguri_\w+)\)?\(", text)
        if found:
            functions[found.group(1)] = text
    return functions, enums, structs


def measured(compiler, enums, structs):
    """Values and offsets, as the compiler has them."""
    lines = ["#include <meguri.h>", "#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
    for name, constants in sorted(enums.items()):
        lines += [f'printf("enum {name} {c} = %d\\n", (int){c});' for c in constants]
    for tag, members in sorted(structs.items()):
        for member, text in members:
            lines.append(f'printf("struct {tag} %zu %s\\n", offsetof(struct {tag}, {member}), "{text}");')
    lines.append("return 0; }")
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "measure"
        subprocess.run([compiler, "-I", str(ROOT / "include"), "-x", "c", "-", "-o", str(program)], input="\n".join(lines),
                       text=True, check=True)
        return subprocess.run([str(program)], text=True, capture_output=True, check=True).stdout.split("\n")[:-1]


def interface(compiler):
    functions, enums, structs = declarations(preprocessed(compiler))
    lines = [f"function {text}" for _, text in sorted(functions.items())] + measured(compiler, enums, structs)
    return lines, functions, structs


def faults(old, new, structs):
    """What a program of before would stumble over, and what the list does not have yet."""
    here = set(new)
    for line in old:
        if line not in here:
            yield f"gone or changed: {line}"
    listed, last = set(old), {}
    for line in old:
        word = line.split(" ", 3)
        if word[0] == "struct":
            last[word[1]] = max(last.get(word[1], 0), int(word[2]))
    for line in new:
        if line in listed:
            continue
        yield f"not in the list yet (make interface): {line}"
        word = line.split(" ", 3)
        if word[0] == "struct" and word[1] in last:
            if int(word[2]) <= last[word[1]]:
                yield f"a new member is not at the end: {line}"
            if structs[word[1]][0][1] != "size_t size":
                yield f"a struct without a size has grown: {line}"


def main():
    compiler, flags = sys.argv[1], sys.argv[2:]
    new, functions, structs = interface(compiler)
    if len(functions) < 80 or len(structs) < 30:
        sys.exit(f"only {len(functions)} functions and {len(structs)} structs were found in the headers")
    old = LIST.read_text().split("\n")[:-1] if LIST.exists() else []
    found = list(faults(old, new, structs))
    if "--write" in flags:
        broken = [fault for fault in found if not fault.startswith("not in the list")]
        if broken and "--break" not in flags:
            sys.exit("\n".join(broken))
        LIST.write_text("\n".join(new) + "\n")
        return
    print("\n".join(found) or f"{len(functions)} functions, {len(structs)} structs: as promised")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
