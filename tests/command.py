"""$LILYAN as a test drives it: a scene is written, run, and its trajectory checked, in the test's own folder."""
import atexit
import json
import os
import select
import signal
import subprocess
import tempfile

LILYAN = os.environ["LILYAN"]


class _Server:
    """tests/command_server.c: each command in a process of its own, without the time to start one."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.files = [os.path.join(self.folder.name, name) for name in ("stdout", "stderr")]
        self.process = subprocess.Popen([os.path.join(os.environ["LILYAN_BUILD"], "tests/command_server")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd="/")
        self.environment = dict(os.environ)
        atexit.register(self.stop)

    def stop(self):
        atexit.unregister(self.stop)
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def read_line(self):
        line = b""
        while not line.endswith(b"\n"):
            byte = self.process.stdout.read(1)
            assert byte, "command_server has ended"
            line += byte
        return line.split()

    def call(self, arguments, folder, timeout):
        strings = [folder, *self.files, LILYAN, *arguments]
        request = b"%d\n" % len(strings) + b"".join(os.fsencode(s) + b"\0" for s in strings)
        while request:
            request = request[self.process.stdin.write(request):]
        child = int(self.read_line()[0])
        late = not select.select([self.process.stdout], [], [], timeout)[0]
        if late:
            os.kill(child, signal.SIGKILL)
        code, seconds = self.read_line()
        if late:
            raise subprocess.TimeoutExpired([LILYAN, *arguments], timeout)
        output = []
        for path in self.files:
            with open(path, "rb") as file:
                output.append(file.read())
        return int(code), *output, float(seconds)


_server = None


def call(arguments, cwd=None, timeout=300, text=True, check=False):
    """What subprocess.run([LILYAN, *arguments], capture_output=True) returns, and the CPU seconds of the command."""
    global _server
    if _server and _server.environment != os.environ:
        _server.stop()  # the next one has what is set now
        _server = None
    _server = _server or _Server()
    code, out, err, seconds = _server.call([str(a) for a in arguments], os.path.abspath(cwd or "."), timeout)
    if text:
        out, err = (s.decode("utf-8") for s in (out, err))  # raises where a sentence is not UTF-8
    done = subprocess.CompletedProcess([LILYAN, *arguments], code, out, err)
    done.cpu_seconds = seconds
    if check:
        done.check_returncode()
    return done


def lilyan(*arguments, code=0, timeout=300):
    done = call(arguments, timeout=timeout)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def write(text, name="scene.yaml"):
    with open(name, "w") as file:
        file.write(text)


def run(text, *options):
    write(text)
    return json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json", *options).stdout)


def free_of_intersections():
    assert "no intersection" in lilyan("check", "out.h5", "--paths").stdout
