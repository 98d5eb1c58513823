#!/usr/bin/env python3
"""Adds up a report of ctest --output-junit: prints "passed failed skipped", and who was skipped why on stderr."""

import sys
import xml.etree.ElementTree

passed = failed = skipped = 0
for case in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
    status = case.get("status")
    if status == "run":
        passed += 1
    elif status == "fail":
        failed += 1
    else:  # notrun: it asked to be skipped; disabled; or its program is not there, which is a failure
        message = case.find("skipped").get("message", "") if case.find("skipped") is not None else ""
        if status == "disabled" or message.startswith("SKIP_"):
            skipped += 1
            lines = (case.findtext("system-out") or "").strip().splitlines()
            print(f"skipped {case.get('name')}: {lines[-1] if lines else message}", file=sys.stderr)
        else:
            failed += 1
            print(f"not run {case.get('name')}: {message}", file=sys.stderr)
print(passed, failed, skipped)
