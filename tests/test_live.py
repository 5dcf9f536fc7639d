"""lilyan run --live from outside: the page of a run that goes on, for this machine and who has the address, whatever is sent to its port."""
import json
import os
import re
import signal
import time

from command import call
from harness import SMALL, run
from live_client import Live

ENDLESS = """\
lagrangian: 1/2*dx^2 - 1/2*x^2
start: {x: 1}
draw: {points: {bob: [x, 0, 0]}}
integrator: midpoint
time: {step: 0.01, until: 1e7}
record: {every: 5000}
"""


# fails at t = 2000 or 5000, after hundreds of thousands of steps, where the root of a negative number is asked for
FAILS = ENDLESS.replace("- 1/2*x^2", "- x*sqrt(%d - t)" % (2000 if SMALL else 5000))


def start(scene=ENDLESS):
    with open("endless.yaml", "w") as file:
        file.write(scene)
    return Live("run", "endless.yaml")


def hostile(live):
    """What is refused, and how."""
    ours, secret = f"Host: 127.0.0.1:{live.port}\r\n", live.secret
    other = ("0" if secret[0] != "0" else "1") + secret[1:]
    requests = [
        (f"GET / HTTP/1.1\r\n{ours}\r\n", 404), (f"GET /{other}/ HTTP/1.1\r\n{ours}\r\n", 404), (f"GET /{secret} HTTP/1.1\r\n{ours}\r\n", 404),
        (f"GET /{secret[:-1]}/ HTTP/1.1\r\n{ours}\r\n", 404), (f"GET //{secret}/ HTTP/1.1\r\n{ours}\r\n", 404),
        (f"GET /{secret}/../../etc/passwd HTTP/1.1\r\n{ours}\r\n", 404), (f"GET /{secret}/endless.h5 HTTP/1.1\r\n{ours}\r\n", 404),
        *((f"GET /{secret}/frames/{n} HTTP/1.1\r\n{ours}\r\n", 404) for n in ("", "-1", "x", "1e3", "9" * 16, "%31", "1/", "1?")),
        (f"GET http://127.0.0.1:{live.port}/{secret}/ HTTP/1.1\r\n{ours}\r\n", 404),
        (f"GET /{secret}/ HTTP/1.1\r\nHost: evil.example:{live.port}\r\n\r\n", 403), (f"GET /{secret}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 403),
        (f"GET /{secret}/ HTTP/1.1\r\nHost: localhost:{live.port}.evil.example\r\n\r\n", 403), (f"GET /{secret}/ HTTP/1.1\r\nHost:\r\n\r\n", 403),
        (f"GET /{secret}/ HTTP/1.1\r\n\r\n", 400), (f"GET /{secret}/ HTTP/1.1\r\n{ours}Host: evil.example\r\n\r\n", 400),
        (f"POST /{secret}/ HTTP/1.1\r\n{ours}\r\n", 405), (f"get /{secret}/ HTTP/1.1\r\n{ours}\r\n", 405), (f"GET /{secret}/\r\n{ours}\r\n", 400),
        (f"GET /{secret}/ HTTP/2\r\n{ours}\r\n", 400), (f"GET /{secret}/ HTTP/1.1\r\n{ours}Content-Length: 5\r\n\r\nhello", 400),
        (f"GET /{secret}/ HTTP/1.1\r\n{ours}TRANSFER-ENCODING: chunked\r\n\r\n", 400), (f"GET /{secret}/ HTTP/1.1\n{ours}\r\n", 400),
        (f"GET /{secret}/ HTTP/1.1\r\nX: a\0b\r\n{ours}\r\n", 400), ("\r\n\r\n", 400), ("\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\n", 400),
        ("\n", 400), ("GET /" + 9000 * "a", 431), (f"GET /{secret}/ HTTP/1.1\r\n{ours}" + 900 * "X: 12345678\r\n", 431),
    ]
    for request, status in requests:
        answer = live.send(request.encode("latin-1"))
        assert answer.startswith(f"HTTP/1.1 {status} ".encode()) and answer.endswith(b"\r\n\r\n"), (request[:100], status, answer[:100])


def crowd(live):
    """More connections than it has room for: those that say nothing make room; others say half a request, or leave before the answer."""
    idle = [live.connect() for _ in range(100)]
    assert live.page()[0] == 200
    for s in idle:
        s.close()
    idle = [live.connect() for _ in range(30)]
    for i, s in enumerate(idle):
        try:
            s.sendall([b"", b"GET /", f"GET /{live.secret}/ HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\n\r\n".encode()][i % 3])
        except OSError:  # closed at once: there was no room
            pass
    for s in idle:
        s.close()
    for _ in range(100):  # until it has seen that they are closed
        try:
            if live.page()[0] == 200:
                return
        except (IndexError, OSError):
            time.sleep(0.02)
    raise AssertionError("it answers no more")


def test_run():
    """New frames, all that is refused, then Ctrl-C: who looks on gets the last frames, and the server ends."""
    live = start()
    head, body, header = live.wait_for_page()
    assert header["live"] is True and header["runs"][0]["status"] == "running" and "no-store" in head
    assert "default-src 'none'; connect-src 'self';" in body
    with open("/proc/net/tcp") as file:
        listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
    assert f"0100007F:{live.port:04X}" in listening and f"00000000:{live.port:04X}" not in listening
    frames = header["runs"][0]["frames"]
    assert live.page("frames/999999999")[0] == 204
    hostile(live)
    crowd(live)
    until, more = time.monotonic() + 30, None
    while not more and time.monotonic() < until:
        more = live.page(f"frames/{frames}")[3]
        time.sleep(0.05)
    assert more["runs"][0]["frames"] > frames
    assert live.get(f"/{live.secret}/", f"localhost:{live.port}")[0] == 200
    looks = [live.watch() for _ in range(2)]
    os.killpg(live.process.pid, signal.SIGTERM)  # as a system does that shuts down; the server ends with the command all the same
    for s in looks:
        assert s.recv(1000).startswith(b"HTTP/1.1 204 ")
    for _ in looks:  # each gets the last frames, whenever it asks
        last = live.page(f"frames/{more['runs'][0]['frames']}")[3]["runs"][0]
        assert last["status"] != "running" and last["frames"] >= more["runs"][0]["frames"]
    out, err = live.process.communicate(timeout=60)
    assert live.process.returncode == 130 and err == "lilyan: interrupted\n" and "wrote endless.h5" in out, (out, err)
    assert live.is_gone()


def test_failed():
    """A run that fails: who watches gets what it has recorded, and how it ended."""
    live = start(FAILS)
    look = live.watch()  # before anything else: the run fails at once where nothing else is computed
    assert look.recv(1000).startswith(b"HTTP/1.1 204 ")
    run = live.page("frames/0")[3]["runs"][0]
    out, err = live.process.communicate(timeout=60)
    assert live.process.returncode == 1 and run["status"].startswith("failed") and f"{run['frames']} frames" in err, (run["status"], err)
    assert live.is_gone()


def test_no_page():
    """A file that no page can be made of: the page says so, and so does what a page gets that is open."""
    live = start()
    head, body, header = live.wait_for_page()
    os.rename("endless.h5", "elsewhere.h5")
    look = live.watch()
    live.process.send_signal(signal.SIGINT)
    assert look.recv(1000).startswith(b"HTTP/1.1 204 ")
    status, _, body = live.get(f"/{live.secret}/frames/1")
    assert status == 500 and "endless.h5: No such file" in body, (status, body)
    live.process.communicate(timeout=60)
    assert live.is_gone()


def desktop(script):
    """An xdg-open of our own, that all commands find from now on."""
    with open("xdg-open", "w") as file:
        file.write(f"#!/bin/sh\ncd '{os.getcwd()}'\n{script}\n")
    os.chmod("xdg-open", 0o755)
    os.environ["PATH"] = f"{os.getcwd()}:/usr/bin:/bin"


def test_drop():
    """What is opened leads to the page, and only its user can read it. Ctrl-C is not for the browser. Files are whole in the end.
    A plate of steel takes long enough to be interrupted."""
    usual = os.environ["PATH"]
    with open("box.obj", "w") as file:
        file.write("".join(f"v {i & 1} {0.2 * (i >> 1 & 1)} {i >> 2}\n" for i in range(8)) +
                   "".join(f"f {face}\n" for face in ("1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6")))
    try:
        desktop('echo "$@" > asked; stat -c %a "$1" > mode; cp "$1" copy; echo $$ > pid; exec sleep 300')
        live = Live("drop", "box.obj", "--material", "steel", "--open")
        until = time.monotonic() + 60
        while not (os.path.exists("pid") and open("pid").read().endswith("\n")) and time.monotonic() < until:
            time.sleep(0.02)
        browser = int(open("pid").read())
        assert open("mode").read() == "600\n" and f"url=http://127.0.0.1:{live.port}/{live.secret}/" in open("copy").read()
        assert live.secret not in open("asked").read() and re.fullmatch(r".*/box\.live-.{6}\.html\n", open("asked").read())
        live.wait_for_page()
        look = live.watch()
        os.killpg(live.process.pid, signal.SIGINT)  # as a terminal does
        assert look.recv(1000).startswith(b"HTTP/1.1 204 ") and live.page("frames/0")[3]["runs"][0]["status"] != "running"
        out, err = live.process.communicate(timeout=60)
        assert live.process.returncode == 130 and err.startswith("lilyan: interrupted\n") and "--open" not in err, (out, err)
        os.kill(browser, signal.SIGKILL)  # still there
        assert sorted(name for name in os.listdir() if name.startswith("box")) == ["box.h5", "box.html", "box.obj", "box.yaml"]
        # a desktop without a browser
        desktop("echo > failed; exit 3")
        live = Live("drop", "box.obj", "--material", "steel", "--open")
        while not os.path.exists("failed") and time.monotonic() < until:
            time.sleep(0.02)
        live.process.send_signal(signal.SIGINT)
        out, err = live.process.communicate(timeout=60)
        assert f"--open: xdg-open has failed: open http://127.0.0.1:{live.port}/{live.secret}/ in a browser\n" in err, err
    finally:
        os.environ["PATH"] = usual


def test_kill():
    """A command that is killed takes its server along."""
    live = start()
    live.process.kill()
    live.process.communicate()
    assert live.is_gone()


def test_unseen():
    """Nobody looks on: the command waits for nobody. Not of several runs, and not of a shot."""
    with open("short.yaml", "w") as file:
        file.write(ENDLESS.replace("1e7", "1").replace("5000", "1") + "variants: {a: {}}\n")
    done = call(["run", "short.yaml", "--live", "--json"])
    assert done.returncode == 0 and json.loads(done.stdout)["steps"] == 100 and done.stderr.startswith("live page: http://127.0.0.1:")
    done = call(["run", "short.yaml", "--live"])
    assert done.returncode == 1 and "exists already" in done.stderr and "live page" not in done.stderr
    assert call(["run", "short.yaml", "--live", "--variants"]).returncode == 2
    with open("shot.yaml", "w") as file:
        file.write("lagrangian: 1/2*dx^2\nstart: {x: 0}\nkeys: [{at: 0, q: [0]}, {at: 1, q: [1]}]\nshot: {frames: 8}\n")
    done = call(["run", "shot.yaml", "--live"])
    assert done.returncode == 1 and "is a shot" in done.stderr and not os.path.exists("shot.h5"), done.stderr


run([test_run, test_failed, test_no_page, test_drop, test_kill, test_unseen])
