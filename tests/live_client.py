"""A command with --live, and requests to its server."""
import json
import os
import re
import socket
import subprocess
import time


class Live:
    def __init__(self, *command):
        self.process = subprocess.Popen([os.environ["LILYAN"], *command, "--live", "--force", "--threads", "1"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        line = self.process.stderr.readline()
        found = re.fullmatch(r"live page: http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n", line)
        assert found, line + self.process.stderr.read()
        self.port, self.secret = int(found[1]), found[2]

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def send(self, request):
        with self.connect() as s:
            s.sendall(request)
            answer = b""
            while True:
                try:
                    part = s.recv(1 << 16)
                except ConnectionResetError:  # it refused before all was read
                    break
                if not part:
                    break
                answer += part
        return answer

    def get(self, path, host=None):
        head, _, body = self.send(f"GET {path} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{self.port}'}\r\n\r\n".encode()).partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode(), body.decode()

    def page(self, path=""):
        status, head, body = self.get(f"/{self.secret}/{path}")
        found = re.search(r'<script type="application/json" id="lilyan">(.*)</script>', body)
        return status, head, body, json.loads(found[1]) if found else None

    def wait_for_page(self):
        until = time.monotonic() + 30
        while time.monotonic() < until:
            status, head, body, header = self.page()
            assert status == 200
            if header:
                return head, body, header
            assert "The first frames are being computed" in body
            time.sleep(0.1)
        raise AssertionError("no page within 30 s")

    def watch(self):
        """As a page does that is open: answered when the run ends."""
        s = self.connect()
        s.sendall(f"GET /{self.secret}/end HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        return s

    def is_gone(self):
        until = time.monotonic() + 20
        while time.monotonic() < until:
            try:
                self.connect().close()
            except ConnectionRefusedError:
                return True
            except ConnectionResetError:  # it ends just now
                pass
            time.sleep(0.05)
        return False
