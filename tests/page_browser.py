"""A real browser for tests of pages (tests/page_driver.mjs), and what they see in its pictures."""
import base64
import json
import os
import subprocess
import sys

import harness
from command import call

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SOURCE, BUILD = os.environ["LILYAN_SOURCE"], os.environ["LILYAN_BUILD"]
NODE = harness.node_for_pages(BUILD)


class Browser:
    def __init__(self):
        self.process = subprocess.Popen([NODE, os.path.join(SOURCE, "tests/page_driver.mjs"), BUILD],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, op, **options):
        self.process.stdin.write(json.dumps({"op": op, **options}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the browser is gone"
        answer = json.loads(line)
        assert "error" not in answer, f"{op}: {answer['error']}"
        return answer["result"]

    def js(self, text):
        return self("evaluate", js=text)

    def open(self, path, width=900, height=600, **options):
        self("open", path=os.path.abspath(path), width=width, height=height, **options)

    def quiet(self):
        complaints = self("complaints")
        assert not complaints, complaints

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)


def lilyan(*arguments):
    done = call(arguments, timeout=120)
    assert done.returncode == 0, done.stderr


def wait_for(browser, js):
    for _ in range(300):
        if browser.js(js):
            return
        browser("wait", ms=100)
    raise AssertionError(f"never within 30 s: {js}")


def picture(browser):
    got = browser("picture", selector="#view")
    return np.frombuffer(base64.b64decode(got["rgb"]), np.uint8).reshape(got["height"], got["width"], 3).astype(int)


def prepare(browser, time):
    """Only the motion, at a time: nothing is laid over it, no trails."""
    browser.js("""document.head.insertAdjacentHTML("beforeend",
        "<style>#labels,#legend,#axes,#scale { visibility: hidden }</style>"); lilyan.stage.setShown("trails", false)""")
    browser.js(f"lilyan.setTime({time!r})")
    browser("wait", ms=150)


def coloured(image):
    """What moves has a colour; ground, shadow and background are grey."""
    return image.max(axis=2) - image.min(axis=2) > 45


def project(camera, run, x):
    """Pixels of places, by the page's camera."""
    m = np.array(camera["matrix"]).reshape(4, 4).T
    x = np.asarray(x, float).reshape(-1, 3) - camera["anchors"][run] + camera["offsets"][run]
    clip = np.column_stack([x, np.ones(len(x))]) @ m.T
    ndc = clip[:, :2] / clip[:, 3:]
    return np.column_stack([(ndc[:, 0] + 1) / 2 * camera["width"], (1 - ndc[:, 1]) / 2 * camera["height"]])


def fill(points, faces, shape):
    """Pixels whose centre is inside one of the triangles."""
    mask = np.zeros(shape, bool)
    for face in faces:
        a, b, c = points[face]
        low = np.maximum(np.floor(np.min([a, b, c], axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(np.max([a, b, c], axis=0)).astype(int) + 1, shape[::-1])
        if (low >= high).any():
            continue
        x, y = np.meshgrid(np.arange(low[0], high[0]) + 0.5, np.arange(low[1], high[1]) + 0.5)
        side = [(q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) for p, q in ((a, b), (b, c), (c, a))]
        inside = np.all([s >= 0 for s in side], axis=0) | np.all([s <= 0 for s in side], axis=0)
        mask[low[1]:high[1], low[0]:high[0]] |= inside
    return mask


def agree(seen, expected):
    both, either = (seen & expected).sum(), (seen | expected).sum()
    assert expected.sum() > 2000, f"only {expected.sum()} pixels are expected"
    # of a shape of A pixels the rim, some 4 sqrt(A) of them, may differ by one pixel through rounding
    least = 1 - 6 * np.sqrt(expected.sum()) / expected.sum()
    assert both / either > least, f"silhouettes agree by {both / either:.4f}, not {least:.4f}"
