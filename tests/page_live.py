"""The live page of a run that goes on: a test that tests/test_page.py calls with its browser."""
import os
import re
import signal
import subprocess

import h5py
import numpy as np
from page_browser import wait_for

__all__ = ["test_live"]


def colours(browser):
    """The scale of the colours grows with the motion; what the page can no longer show goes, and the focus stays where it is."""
    choose = "(() => { const select = document.getElementById('colours'); select.value = '%s'; select.dispatchEvent(new Event('change')); })()"
    browser.js(choose % "speed")
    # the longer it falls the faster it is: until it is twice as fast as at first
    wait_for(browser, "lilyan.stage.shade.top > 1")
    shown = browser.js("[document.getElementById('shades').children[3].textContent, lilyan.stage.shade.top]")
    assert float(shown[0]) == shown[1], shown
    browser.js(choose % "stress")
    browser.js("document.querySelector('#toggles input').focus(), window.focussed = document.activeElement")
    assert browser.js("focussed.type") == "checkbox" and browser.js("lilyan.stage.shade.kind") == "stress"
    assert "Stress" not in browser.js("document.getElementById('thinned').textContent")
    # as if the page were too long for them from now on
    browser.js("""(() => { const load = window.fetch; window.fetch = async (...asked) => {
        const answer = await load(...asked);
        return answer.status === 200 ? new Response((await answer.text()).replace('"shades":', '"gone":')) : answer; }; })()""")
    wait_for(browser, "!lilyan.page.runs[0].shades")
    assert browser.js("lilyan.stage.shade === null && document.getElementById('shades').hidden && document.getElementById('colours').value === ''")
    assert browser.js("Array.from(document.getElementById('colours').options, (o) => o.value)") == ["", "speed"]
    assert "Stress and strain are left out" in browser.js("document.getElementById('thinned').textContent")
    assert browser.js("document.activeElement === focussed")
    browser.js("document.querySelectorAll('.panel .chip')[1].focus(), window.focussed = document.activeElement")
    wait_for(browser, "!focussed.isConnected")  # drawn anew
    assert browser.js("document.activeElement === document.querySelectorAll('.panel .chip')[1]")
    many = [browser.js("(lilyan.stage.renew(), lilyan.stage.touch(), lilyan.stage.draw(), lilyan.stage.renderer.info.memory.geometries)") for _ in range(3)]
    assert many[0] == many[1] == many[2], many


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
        assert browser.js("document.getElementById('live').textContent").startswith("Running: ")
        colours(browser)
        process.send_signal(signal.SIGINT)
        wait_for(browser, "lilyan.page.runs[0].status !== 'running'")
        assert browser.js("document.getElementById('live').hidden && window.loadedOnce")
        assert process.wait(60) == 130
    finally:
        process.kill()
        process.communicate()
    browser.quiet()
    # a command that does not answer
    process = subprocess.Popen([os.environ["LILYAN"], "run", "live.yaml", "--live", "--force"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    browser("open", path=re.fullmatch(r"live page: (\S+)\n", process.stderr.readline())[1])
    wait_for(browser, "document.getElementById('live').textContent.startsWith('Running: ')")
    process.kill()
    process.communicate()
    wait_for(browser, "document.getElementById('live').textContent.startsWith('The command does not answer.')")
