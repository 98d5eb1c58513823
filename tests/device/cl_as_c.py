"""Turns the text of a program of kernels into C and compiles it: cl_as_c.py TEXT LIBRARY CLANG OPTION…

The C is that of clang, whose vectors are those of OpenCL, with opencl_c.h before it. What differs is written anew here:
vectors that are made of their parts, and local memory, which is static: groups run one after another. Every kernel gets
a function call_NAME that takes its arguments as an array of pointers."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def as_c(text):
    text = re.sub(r"\(((?:u?(?:char|short|int|long)|float|double)[248])\)\(", r"make_\1(", text)
    text = re.sub(r"(?m)^(\s*)local (?=\w+ \w+(?:\[|,|;| =))", r"\1static ", text)
    calls = []
    for name, parameters in re.findall(r"\bkernel\b[^{};]*?\bvoid\s+(\w+)\s*\(([^)]*)\)\s*\{", text):
        types = [re.match(r"(.*?)\w+$", p.strip(), re.S).group(1) for p in parameters.split(",")]
        given = ", ".join(f"*({kind} *)a[{i}]" for i, kind in enumerate(types))
        calls.append(f"void call_{name}(void **a);\nvoid call_{name}(void **a) {{ {name}({given}); }}\n")
    return '#include "opencl_c.h"\n' + text + "\n" + "".join(calls)


def main():
    source, library, clang, *options = sys.argv[1:]
    defines = [f"-D{b}" for a, b in zip(options, options[1:]) if a == "-D"]
    others = [option for option in options if option.startswith("-f")]
    expanded = subprocess.run([clang, "-E", "-P", "-x", "c", *defines, source], check=True, capture_output=True,
                              text=True).stdout
    code = library + ".c"
    with open(code, "w", encoding="utf-8") as file:
        file.write(as_c(expanded))
    subprocess.run([clang, "-std=gnu11", "-g", "-O1", "-shared", "-fPIC", "-I", HERE, "-Wno-everything", *others, "-o", library, code],
                   check=True)


if __name__ == "__main__":
    main()
