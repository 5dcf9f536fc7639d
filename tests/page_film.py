"""Films of a page, from its own encoders: tests that tests/test_page.py calls with its browser."""
import base64
import os
import signal
import subprocess
import time

from command import call
import numpy as np
from page_browser import SOURCE, lilyan, picture, wait_for

__all__ = ["test_film_of_a_page", "test_film_command", "test_film_refused"]

# what the browser's own decoder makes of it: each picture's seconds, and its red, green and blue
DECODE = """(async () => {
    const data = Uint8Array.from(atob("%s"), (c) => c.charCodeAt(0)), decoder = new ImageDecoder({ data, type: "image/gif" }), list = [];
    await decoder.tracks.ready;
    await decoder.completed;
    for (let i = 0; i < decoder.tracks.selectedTrack.frameCount; i++) {
        const { image } = await decoder.decode({ frameIndex: i }), canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight), context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const about = [image.duration / 1e6, canvas.width, canvas.height];
        image.close();
        const bytes = context.getImageData(0, 0, canvas.width, canvas.height).data;
        list.push([...about, btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))]);
    }
    return list;
})()"""
CUBE = """\
bodies:
  cube: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}, material: jelly, at: {floor: 0.03}, start: {spin: [2, 0, 3]}, color: "#c8102e", opacity: 0.4}
obstacles: {floor: {plane: {}}}
gravity: 9.81
time: {step: 1/60, until: 0.4}
record: {every: 1}
"""
FILM = """(async () => {
    const bytes = new Uint8Array(await (await lilyan.film("%s", %s)).arrayBuffer());
    return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
})()"""


def pixels(rgba, width, height):
    return np.frombuffer(base64.b64decode(rgba), np.uint8).reshape(height, width, 4)[..., :3].astype(int)


def decode_gif(browser, data):
    pictures = browser.js(DECODE % base64.b64encode(data).decode())
    return [seconds for seconds, *_ in pictures], [pixels(rgba, w, h) for _, w, h, rgba in pictures]


def test_film_of_a_page(browser):
    """GIF and MP4 play, last as long as they should, and show what the page shows at their times."""
    with open("cube.yaml", "w") as file:
        file.write(CUBE)
    lilyan("run", "cube.yaml", "-o", "cube.h5")
    lilyan("report", "cube.h5")
    browser.open("cube.html", width=160, height=100)
    browser.js("document.documentElement.dataset.film = ''")
    browser("wait", ms=200)
    there = browser.js("(lilyan.setTime(0.3), lilyan.time)")
    gif = base64.b64decode(browser.js(FILM % ("gif", "{ frames: 4, fps: 12 }")))
    mp4 = base64.b64decode(browser.js(FILM % ("mp4", "{ frames: 4, fps: 30 }")))
    assert browser.js("lilyan.time") == there and not browser.js("lilyan.clock.playing"), "the page is as it was"
    start, end = browser.js("[lilyan.clock.start, lilyan.clock.end]")
    browser.js("""document.head.insertAdjacentHTML("beforeend", "<style>#axes, #scale { visibility: hidden }</style>")""")  # not in films
    pages = []
    for t in np.linspace(start, end, 4):
        browser.js(f"lilyan.setTime({t})")
        browser("wait", ms=100)
        pages.append(picture(browser)[:100, :160])
    assert np.abs(pages[0] - pages[-1]).mean() > 3, "something moves"
    seconds, pictures = decode_gif(browser, gif)
    assert [round(100 * s) for s in seconds] == [8, 9, 8, 8], seconds  # k/12 s, in whole hundredths
    played = browser("watch", data=base64.b64encode(mp4).decode(), times=[(i + 0.5) / 30 for i in range(4)])
    assert abs(played["duration"] - 4 / 30) < 1e-3, played["duration"]
    films = [pixels(rgba, played["width"], played["height"]) for rgba in played["pictures"]]
    # colours are chosen from bins of 4 levels, so the mean error is at most 1; H.264 also halves the resolution of colours, and rounds
    for kind, frames, most in (("gif", pictures, 1), ("mp4", films, 4)):
        assert len(frames) == 4
        for i, (got, page) in enumerate(zip(frames, pages)):
            assert got.shape == page.shape == (100, 160, 3), (got.shape, page.shape)
            off = [np.abs(got - other).mean() for other in pages]
            assert off[i] < most and off[i] == min(off), f"{kind} {i}: {off}"
    # pages that draw no space: the phase portrait
    lilyan("run", os.path.join(SOURCE, "scenes/oscillator.yaml"), "--until", "1", "-o", "portrait.h5", "--force")
    lilyan("report", "portrait.h5", "--force")
    browser.open("portrait.html", width=300, height=200)
    assert len(decode_gif(browser, base64.b64decode(browser.js(FILM % ("gif", "{ frames: 2 }"))))[1]) == 2
    # the next film begins when the one that was stopped has ended
    browser.js("for (const kind of ['gif', 'gif', 'png']) document.getElementById(`save-${kind}`).click()")
    wait_for(browser, "/^Saved .*\\.png/.test(document.getElementById('saving').textContent)")
    assert browser.js("['gif', 'png'].map((kind) => document.getElementById(`save-${kind}`).textContent)") == ["GIF", "Picture"]
    browser.quiet()


def test_film_command(browser):
    """A film from the command: the right size, number and length of pictures, and nothing is left behind. A link stays."""
    os.mkdir("tmp")
    os.mkdir("films")
    with open("cube.gif.part", "w") as file:
        file.write("mine")
    with open("films/cube.gif", "w") as file:
        file.write("old")
    os.symlink("films/cube.gif", "cube.gif")
    os.environ["TMPDIR"] = os.path.abspath("tmp")
    try:
        lilyan("film", "cube.h5", "-o", "cube.gif", "--size", "97x64", "--frames", "3", "--fps", "10", "--force")
    finally:
        del os.environ["TMPDIR"]
    assert os.path.islink("cube.gif") and os.listdir("films") == ["cube.gif"] and open("cube.gif.part").read() == "mine"
    with open("films/cube.gif", "rb") as file:
        seconds, pictures = decode_gif(browser, file.read())
    assert [round(s, 9) for s in seconds] == [0.1] * 3 and pictures[0].shape == (64, 97, 3), (seconds, pictures[0].shape)
    assert np.abs(pictures[0] - pictures[2]).mean() > 3, "something moves"
    assert os.listdir("tmp") == []


def test_film_refused(browser):
    """Without Chromium, with one that hangs and one that dies: a sentence, and no file. A folder is no Chromium."""
    def fake(name, text):
        os.mkdir(name)
        with open(f"{name}/chromium", "w") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(f"{name}/chromium", 0o755)
        return f"{os.path.abspath(name)}:/usr/bin:/bin"

    path = os.environ["PATH"]
    os.makedirs("folder/chromium")
    cases = [(os.path.abspath("folder"), "which is not installed"), ("/nonexistent", "Chromium, which is not installed (Debian's package is 'chromium')"),
             (fake("hangs", "sleep 60\n"), "Chromium has not answered for 0.2 s"),
             (fake("dies", "echo fine; echo no luck >&2; exit 3\n"), "Chromium has ended: no luck")]
    try:
        for folders, message in cases:
            os.environ["PATH"] = folders
            done = call(["film", "cube.h5", "-o", "new.mp4", "--timeout", "0.2"])
            assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
            assert not any(name.startswith("new") for name in os.listdir("."))
        os.environ["PATH"] = cases[2][0]  # it hangs
        for name, number in (("SIGHUP", signal.SIGHUP), ("SIGTERM", signal.SIGTERM)):
            os.environ["TMPDIR"] = os.path.abspath("tmp")
            film = subprocess.Popen([os.environ["LILYAN"], "film", "cube.h5", "-o", "new.mp4"], stderr=subprocess.PIPE, text=True)
            while not any(os.path.exists(f"tmp/{folder}/log") for folder in os.listdir("tmp")):
                time.sleep(0.02)
            film.send_signal(number)
            assert film.communicate()[1] == "lilyan: interrupted, nothing was written\n" and film.returncode == 130, name
            assert os.listdir("tmp") == [] and not any(name.startswith("new") for name in os.listdir("."))
            del os.environ["TMPDIR"]
    finally:
        os.environ["PATH"] = path
    for arguments, message, code in (
            (["-o", "cube.h5"], "ends in neither .mp4 nor .gif nor .png", 2), (["-o", "cube.gif"], "cube.gif: exists already (--force replaces it)", 1),
            (["-o", "none/cube.gif"], "No such file", 1), (["-o", "x.gif", "--size", "5x5"], "--size is '5x5'", 2),
            (["-o", "x.gif", "--fps", "60"], "a number from 1 to 50", 2), (["-o", "x.gif", "--frames", "2.5"], "not a whole number", 2),
            (["-o", "x.gif", "--at", "1"], "--at is for a picture", 2), (["-o", "x.png", "--fps", "10"], "--fps is for a film", 2),
            (["-o", "x.png", "--frames", "10"], "--frames is for a film", 2), (["-o", "x.mp4", "--size", "97x64"], "even numbers of pixels", 2),
            (["-o", "x.mp4", "--size", "4096x4096"], "at most as many pixels as 4096x2304", 2), (["-o", "x.png", "--at", "100"], "--at is 100, but the motion lasts from 0 to 0.4", 1),
            (["-o", "x.png", "--at", "-1e-3"], "--at is -1e-3, but", 1)):
        done = call(["film", "cube.h5", *arguments])
        assert done.returncode == code and message in done.stderr, done.stderr
    assert not any(name.startswith("x.") for name in os.listdir("."))
