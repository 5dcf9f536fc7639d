#!/usr/bin/env python3
"""hertz.py LILYAN [--short]: scenes/contact-hertz.yaml on three meshes against Hertz' force, and what each of its errors is. Needs h5py. Prints the tables of
docs/contact.md; with --short without the finest mesh."""
import json
import math
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes", "contact-hertz.yaml")
E, NU, R = 1e6, 0.3, 1  # of the scene


class Press:
    """One run: tets, and at each depth the contact force (upwards on the ball) with where it acts."""

    def __init__(self, lilyan, **parameters):
        model = parameters.pop("model", None)
        sets = [f"parameters.{name}={value}" for name, value in parameters.items()] + ([f"bodies.block.material.model={model}"] if model else [])
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.h5")
            words = [lilyan, "run", SCENE, "-o", out, "--force", "--json"] + [word for each in sets for word in ("--set", each)]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            self.told = json.loads(done.stdout)
            with h5py.File(out) as file:
                self.tets = len(file["bodies/block/tets"])
                end = [int(x) for x in file["contacts/end"][()]]
                slices = [slice(a, b) for a, b in zip(end, end[1:])]
                self.force = [-file["contacts/force"][s, 2] for s in slices]
                self.radius = [np.hypot(*file["contacts/point"][s, :2].T) for s in slices]
        a = parameters.get("a", 0.025)
        self.depth = [a * a / R * (k + 1) / len(self.force) for k in range(len(self.force))]

    def ratio(self, k):
        """The force over Hertz' at depth k + 1 of 8."""
        return self.force[k].sum() / (4 / 3 * E / (1 - NU**2) * math.sqrt(R) * self.depth[k] ** 1.5)

    def within(self, k, share):
        """The share of the force within share times the radius of contact: 1 - (1 - share^2)^(3/2) by Hertz."""
        return self.force[k][self.radius[k] < share * math.sqrt(R * self.depth[k])].sum() / self.force[k].sum()


def percent(x):
    return f"{100 * x:+.1f} %"


def main():
    lilyan, short = sys.argv[1], "--short" in sys.argv
    print("| a/h | tets | depth d/8 | d/4 | d/2 | d | order | cpu, s |\n|---|---|---|---|---|---|---|---|")
    last = None
    for n in (3, 6) if short else (3, 6, 12):
        press = Press(lilyan, n=n)
        error = press.ratio(7) - 1
        order = f"{math.log2(last / error):.2f}" if last else ""
        row = [n, f"{press.tets:,}", *(percent(press.ratio(k) - 1) for k in (0, 1, 3, 7)), order, f"{press.told['cpu_seconds']:.0f}"]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        assert press.told["certificate"]["intersections"] == 0
        last, finest = error, press
    print("\npressure: share of the force within r, computed and by Hertz:",
          ", ".join(f"r = {x} a: {finest.within(7, x):.3f}, {1 - (1 - x * x) ** 1.5:.3f}" for x in (0.25, 0.5, 0.75, 0.9)), "\n")
    plain = Press(lilyan, n=6).ratio(7)
    print("| what is changed, a/h = 6 | force |\n|---|---|")
    for name, change in {
        "sides stay, B = 16 a": {"P": 0, "B": "16*a"},
        "sides stay, B = 64 a": {"P": 0, "B": "64*a"},
        "sides as in a half-space, B = 16 a": {"B": "16*a"},
        "d_hat 4 times as large, d/120": {"gap": "d/(20*n)"},
        "d_hat 16 times as large, d/30": {"gap": "d/(5*n)"},
        "d_hat a fourth, d/1920": {"gap": "d/(320*n)"},
        "a/R = 0.05": {"a": 0.05},
        "a/R = 0.1": {"a": 0.1},
        "linear elasticity": {"model": "linear"},
    }.items():
        print(f"| {name} | {percent(Press(lilyan, n=6, **change).ratio(7) / plain - 1)} |", flush=True)


if __name__ == "__main__":
    main()
