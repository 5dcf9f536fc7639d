"""lilyan run --profile: where the time went, printed, in JSON and in the file, which has the same bits otherwise."""
import json
import re
import subprocess
import sys

import harness
from command import LILYAN, lilyan, run, write

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PHASES = ["evaluate", "assemble", "linear_solve", "line_search", "contact_search", "kicks", "watch", "record", "other"]
JELLY = """
gravity: 9.81
bodies:
  jelly:
    shape: {type: box, size: [0.2, 0.2, 0.3], cells: [2, 2, 3]}
    material: jelly
    damping: 0.01
    fixed: top
integrator: midpoint
time: {step: 0.01, until: 0.5}
record: {every: 5}
variants: {fine: {time: {step: 0.005}}, coarse: {time: {step: 0.02}}}
"""


def numbers(path):
    """All that is in a file, by name."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, one: found.update({name: one[()]}) if isinstance(one, h5py.Dataset) else None)
    return found


def stored(path):
    with h5py.File(path) as file:
        group = file["profile"]
        assert sorted(group) == sorted([*PHASES, "seconds", "steps"]), list(group)
        return {key: float(group[key][()]) for key in ("seconds", "steps")} | \
               {name: {key: float(group[name][key][()]) for key in ("seconds", "whole", "calls")} for name in PHASES}


def adds_up(profile, phases):
    """Sums of nanoseconds, each rounded to a double once."""
    total = sum(phase["seconds"] for phase in phases.values())
    assert abs(total - profile["seconds"]) <= 1e-14 * profile["seconds"], (total, profile["seconds"])
    assert all(0 <= phase["seconds"] <= phase["whole"] * (1 + 1e-14) for name, phase in phases.items()), phases


def test_file():
    plain = run(JELLY)
    assert "profile" not in plain
    before = numbers("out.h5")
    assert not any(name.startswith("profile") for name in before), "what nobody asked for is not in the file"
    result = run(JELLY, "--profile")
    after, profile = numbers("out.h5"), result["profile"]
    for name, value in before.items():
        same = np.array_equal(value, after[name], equal_nan=value.dtype.kind == "f")
        assert same, f"/{name} differs"
    assert all(name.startswith("profile/") for name in set(after) - set(before))
    assert list(profile["phases"]) == PHASES and profile["steps"] == 50
    adds_up(profile, profile["phases"])
    assert profile["seconds"] <= result["wall_seconds"], "steps are part of the run"
    assert profile["phases"]["kicks"]["calls"] == 100, "before and after each step"
    assert profile["phases"]["record"]["calls"] == result["frames"] - 1, "the first frame comes before the first step"
    assert stored("out.h5") == {"seconds": profile["seconds"], "steps": 50.0} | \
        {name: {key: float(value) for key, value in phase.items()} for name, phase in profile["phases"].items()}


def test_printed():
    write(JELLY)
    text = lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--profile").stdout
    assert text.index("newton_iterations") < text.index("profile") < text.index("wrote out.h5"), text
    lines = [line for line in text.splitlines() if re.match(r"    \w", line)]
    shares = [float(re.search(r"([\d.]+) %", line).group(1)) for line in lines]
    assert lines[-1].split()[:2] == ["all", "steps"] and shares[-1] == 100
    assert abs(sum(shares[:-1]) - 100) <= 0.05 * len(shares), "each is rounded to a tenth"
    assert not any("contact search" in line for line in lines), "what did not happen has no line"
    table = text[text.index("  profile"):text.index("  wrote")]
    assert lilyan("info", "out.h5").stdout.endswith(table), "the file says the same"


def test_variants():
    write(JELLY)
    text = lilyan("run", "scene.yaml", "-o", "all.h5", "--force", "--profile", "--variants").stdout
    assert text.count("  profile ") == 2 and text.startswith("fine\n") and "\ncoarse\n  profile" in text, text
    results = json.loads(lilyan("run", "scene.yaml", "-o", "all.h5", "--force", "--profile", "--variants", "--json").stdout)
    assert [result["profile"]["steps"] for result in results] == [100, 25]


def test_resume():
    """Of the steps since; a file that was begun without one has no room."""
    run(JELLY, "--profile", "--until", "0.2")
    assert stored("out.h5")["steps"] == 20
    write(JELLY)
    arguments = ["run", "scene.yaml", "-o", "out.h5", "--resume", "--json"]
    result = json.loads(lilyan(*arguments, "--profile", "--until", "0.3").stdout)
    assert result["steps"] == 30 and result["profile"]["steps"] == 10 == stored("out.h5")["steps"]
    lilyan(*arguments)
    assert np.isnan(stored("out.h5")["steps"]), "the latest part was not measured"
    assert "profile" not in lilyan("info", "out.h5").stdout
    whole = numbers("out.h5")
    run(JELLY, "--until", "0.3")
    write(JELLY)
    done = lilyan(*arguments, "--profile")
    assert json.loads(done.stdout)["profile"]["steps"] == 20
    assert "out.h5: was begun without a profile" in done.stderr, done.stderr
    resumed = numbers("out.h5")
    for name in ("t", "q", "p", "v", "energy"):
        assert np.array_equal(resumed[name], whole[name]), f"/{name} differs"


def test_bad_options():
    write(JELLY)
    for options in (["--profile=yes"], ["--profil"]):
        done = subprocess.run([LILYAN, "run", "scene.yaml", *options], capture_output=True, text=True)
        assert done.returncode == 2 and f"unknown option '{options[0]}'" in done.stderr, done.stderr


harness.run([test_file, test_printed, test_variants, test_resume, test_bad_options])
