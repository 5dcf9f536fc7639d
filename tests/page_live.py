"""The live page of a run that goes on: a test that tests/test_page.py calls with its browser."""
import os
import re
import signal
import subprocess

import h5py
import numpy as np

__all__ = ["test_live"]


def test_live(browser):
    """The page of a run that goes on gets new frames without being loaded again, draws them, and learns that the run has ended."""
    with open("live.yaml", "w") as file:
        file.write("bodies: {block: {shape: {type: box, cells: [1, 1, 1]}, at: [0, 0, 2], material: rubber}}\nobstacles: {floor: {plane: {}}}\n"
                   "gravity: 9.81\ntime: {step: 1e-5, until: 1000}\nrecord: {every: 4000}\nintegrator: stormer-verlet\ncontact: {method: penalty}\n")
    process = subprocess.Popen([os.environ["LILYAN"], "run", "live.yaml", "--live", "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        browser("open", path=re.fullmatch(r"live page: (\S+)\n", process.stderr.readline())[1])
        browser("evaluate", js="window.loadedOnce = true")
        state = "[lilyan.page.runs[0].frames, lilyan.clock.end, lilyan.page.runs[0].status, lilyan.plots.list[0].uplot.data[0].length]"
        first, now = browser.js(state), [0, 0, "", 0]
        for _ in range(100):
            now = browser.js(state)
            if now[0] > first[0]:
                break
            browser("wait", ms=100)
        assert now[0] > first[0] and now[1] > first[1] and now[2] == "running" and now[3] > first[3], (first, now)
        browser("key", key="End")
        with h5py.File("live.h5", swmr=True) as file:
            k, q = now[0] - 1, file["q"][now[0] - 1].reshape(-1, 3)
        shown = browser.js(f"(() => {{ const run = lilyan.page.runs[0], x = new Float32Array(3 * run.places); run.positions(run.times[{k}], [0, 0, 0], x); return [...x] }})()")
        assert np.abs(np.array(shown).reshape(-1, 3) - q).max() < 1e-4
        process.send_signal(signal.SIGINT)
        for _ in range(100):
            if browser.js("lilyan.page.runs[0].status") != "running":
                break
            browser("wait", ms=100)
        assert browser.js("lilyan.page.runs[0].status") != "running" and browser.js("document.getElementById('live').hidden && window.loadedOnce")
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.communicate()
    browser.quiet()
