"""What tests of bad input share: how the command is called, and what a sentence must be."""

import subprocess
import sys
import tempfile

from command import LILYAN, call

SANITIZED = "build-asan" in LILYAN  # slower, and its memory limit is another
SECONDS = 240 if SANITIZED else 120  # what hangs; the slow ones have their own limit
failures = 0
checks = 0


def fail(name, text):
    global failures
    failures += 1
    print(f"FAILED {name}: {text}")


def lilyan(*args, cwd=None, seconds=SECONDS):
    """Exit code, standard output in bytes, standard error, CPU seconds: a clock would measure what else the machine does."""
    try:
        done = call(args, cwd=cwd, timeout=seconds, text=False)
    except subprocess.TimeoutExpired:
        return None, b"", f"no answer after {seconds} s", seconds
    return done.returncode, done.stdout, done.stderr.decode("utf-8"), done.cpu_seconds  # raises where it is not UTF-8


def check_sentence(name, code, error, place, piece, lines=1, codes=(1,)):
    """Exit code, one line (or one and what was kept), the place, and a piece of the sentence."""
    global checks
    checks += 1
    got = [line for line in error.splitlines() if not line.startswith("lilyan: warning: ")]
    if code not in codes:
        fail(name, f"exit code {code}, not {codes}: {error!r}")
    elif not 1 <= len(got) <= lines or not got[0].startswith("lilyan") or not error.isprintable() and "\n" not in error:
        fail(name, f"not one sentence: {error!r}")
    elif place and f"{place}: " not in got[0]:
        fail(name, f"not at {place}: {got[0]}")
    elif piece not in got[0]:
        fail(name, f"does not say {piece!r}: {got[0]}")
    elif len(got) == 2 and "recorded until then" not in got[1]:
        fail(name, f"a second line that is something else: {got[1]!r}")


def run(parts):
    """Each part in one folder, one after the other; ends with the exit code of all."""
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            part(folder)
    print(f"{checks} checks, {failures} failures")
    sys.exit(failures > 0)
