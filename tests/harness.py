"""What tests of the command share: each test in a folder of its own, what is on a page, and what a test of pages needs to run at all."""

import base64
import json
import os
import re
import shutil
import sys
import tempfile
import time
import traceback


SMALL = "LIL_TEST_SMALL" in os.environ


def release_only(test):
    """Marks a test that is left out under sanitizers: another test of its file goes the same way through the code, with less work."""
    test.release_only = True
    return test


def run(tests):
    """Calls each, says how it went, and ends with the exit code of that."""
    failed = 0
    for test in tests:
        if SMALL and hasattr(test, "release_only"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            began = time.monotonic()
            try:
                test()
                print(f"ok     {test.__name__}, {time.monotonic() - began:.2f} s", flush=True)
            except Exception:
                failed += 1
                traceback.print_exc(file=sys.stdout)
                print("FAILED", test.__name__)
            os.chdir("/")
    sys.exit(1 if failed else 0)


def read_page(path):
    """Its header, and a function that reads a block of numbers."""
    import numpy as np  # which not every test needs
    with open(path) as file:
        text = file.read()
    blocks = dict(re.findall(r'<script type="text/plain" id="lilyan-(\d+)">([^<]*)</script>', text))
    header = json.loads(re.search(r'<script type="application/json" id="lilyan">(.*)</script>', text)[1])
    return header, lambda i, kind: np.frombuffer(base64.b64decode(blocks[str(i)], validate=True), kind)


def node_for_pages(build):
    """The path of node; skips the test where something is missing that looks at pages."""
    node = shutil.which("node") or shutil.which("nodejs")
    for what, there in (("chromium", shutil.which("chromium") or shutil.which("chromium-browser")), ("node", node),
                        ("playwright-core", os.path.exists(os.path.join(build, "viewer/node_modules/playwright-core")))):
        if not there:
            print(f"skipped: {what} is missing")
            sys.exit(77)
    return node
