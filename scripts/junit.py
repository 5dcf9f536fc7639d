#!/usr/bin/python3
"""ctest's JUnit file as one line a test: status, seconds, name, and the last line that a skipped test printed."""
import sys
import xml.etree.ElementTree as ET

file, prefix = sys.argv[1:]
for case in ET.parse(file).getroot().iter("testcase"):
    skip = case.find("skipped")
    status = "passed" if case.get("status") == "run" else "failed"
    # ctest also calls 'skipped' what it could not start; only the test itself may say so
    if skip is not None and skip.get("message", "").startswith("SKIP_RETURN_CODE"):
        status = "skipped"
    output = (case.findtext("system-out") or "").strip().splitlines()
    reason = output[-1].replace("\t", " ") if status == "skipped" and output else ""
    print(status, case.get("time", "0"), prefix + case.get("name"), reason, sep="\t")
