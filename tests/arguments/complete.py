"""Every function of the public headers has calls with wrong arguments: a new one without is a failure."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECLARED = re.compile(r"^[\w ]+[ *](meguri_\w+)\(", re.M)
headers = [ROOT / "include/meguri.h", *sorted((ROOT / "include/meguri").glob("*.h"))]
public = {name for header in headers for name in DECLARED.findall(header.read_text()) if "typedef" not in name}
tests = [path.read_text() for path in sorted((ROOT / "tests/arguments").glob("test_*.c"))]
tried = [name for text in tests for name in re.findall(r"^CALLS\((\w+)\)", text, re.M)]
listed = [name for text in tests for name in re.findall(r"\bROW\((\w+)\)", text)]
faults = [f"{name} is not tried" for name in sorted(public - set(tried))]
faults += [f"{name} is tried, but in no header" for name in sorted(set(tried) - public)]
faults += [f"{name} is tried, but not in one list" for name in tried if listed.count(name) != 1]
if len(public) < 100:
    faults.append(f"only {len(public)} functions were found in the headers")
print("\n".join(faults) or f"{len(public)} functions")
sys.exit(1 if faults else 0)
