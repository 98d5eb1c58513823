"""Every function of the public headers has calls with wrong arguments, and every one that takes a graph has calls with
one in parts: a new one without is a failure."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECLARED = re.compile(r"^(?!static |typedef |MEGURI_INLINE )\w[\w ]*[ *](meguri_\w+)\(", re.M)  # inline ones are parts of programs
headers = [ROOT / "include/meguri.h", *sorted((ROOT / "include/meguri").glob("**/*.h"))]
public = {name for header in headers for name in DECLARED.findall(header.read_text()) if "typedef" not in name}
tests = [path.read_text() for path in sorted((ROOT / "tests/arguments").glob("test_*.c"))]
# Those of the list are tried alike: in the same macros, each with its checker.
rows = re.findall(r"^    X\((\w+)\)", (ROOT / "tests/support/algorithms.h").read_text(), re.M)
whole = [f"meguri_{name}{suffix}" for name in rows for suffix in ("", "_check")]
tried = [name for text in tests for name in re.findall(r"^CALLS\((\w+)\)", text, re.M)] + whole
listed = [name for text in tests for name in re.findall(r"\bROW\((\w+)\)", text)] + whole
faults = [f"{name} is not tried" for name in sorted(public - set(tried))]
faults += [f"{name} is tried, but in no header" for name in sorted(set(tried) - public)]
faults += [f"{name} is tried, but not in one list" for name in tried if listed.count(name) != 1]
code = "\n".join(re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S) for header in headers)
takes = {name for name, what in re.findall(r"^[\w ]+[ *](meguri_\w+)\(([^;]*)\);", code, re.M)
         if re.search(r"meguri_graph \*\w", what)}
in_parts = [name for text in tests for name in re.findall(r"^IN_PARTS\((\w+)\)", text, re.M)] + whole
part_rows = [name for text in tests for name in re.findall(r"\bPART_ROW\((\w+)\)", text)] + whole
faults += [f"{name} is not tried with a graph in parts" for name in sorted(takes - set(in_parts))]
faults += [f"{name} is tried with a graph in parts, but takes none" for name in sorted(set(in_parts) - takes)]
faults += [f"{name} is tried with a graph in parts, but not in one list" for name in in_parts
           if part_rows.count(name) != 1]
if len(takes) < 40:
    faults.append(f"only {len(takes)} functions that take a graph were found in the headers")
if len(public) < 100:
    faults.append(f"only {len(public)} functions were found in the headers")
print("\n".join(faults) or f"{len(public)} functions")
sys.exit(1 if faults else 0)
