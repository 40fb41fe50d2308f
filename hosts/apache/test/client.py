"""HTTP as the tests speak it: requests over a new connection, a kept one, or HTTP/2 (by curl), and bytes over a bare socket."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

PROTOCOLS = ("close", "keep-alive", "h2c")
TIMEOUT = 60  # seconds until a server that does not answer fails the test; no test judges time


class Response:
    def __init__(self, status: int, fields: list[tuple[str, str]], body: bytes) -> None:
        self.status, self.fields, self.body = status, fields, body

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self):
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        values = self.headers(name)
        return values[0] if values else None

    def headers(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def __repr__(self) -> str:
        return f"<{self.status} {self.fields} {self.body[:2000]!r}>"


class Client:
    """Speaks one of PROTOCOLS to a server. A kept connection that the server has closed is opened again, as browsers do."""

    def __init__(self, port: int, protocol: str = "close", host: str = "127.0.0.1") -> None:
        assert protocol in PROTOCOLS
        self.host, self.port, self.protocol = host, port, protocol
        self._kept: http.client.HTTPConnection | None = None

    def request(self, method: str, path: str, body: bytes | str | None = None, headers: dict | None = None, timeout: float = TIMEOUT) -> Response:
        if isinstance(body, str):
            body = body.encode()
        if self.protocol == "h2c":
            return self._curl(method, path, body, headers or {}, timeout)
        if self.protocol == "close":
            connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
            try:
                return self._exchange(connection, method, path, body, {"Connection": "close", **(headers or {})})
            finally:
                connection.close()
        for attempt in (1, 2):
            fresh = self._kept is None
            if fresh:
                self._kept = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
            try:
                response = self._exchange(self._kept, method, path, body, headers or {})
            except (http.client.RemoteDisconnected, ConnectionError):
                self.close()
                if fresh or attempt == 2:
                    raise
                continue
            if (response.header("Connection") or "").lower() == "close":
                self.close()
            return response
        raise AssertionError

    @staticmethod
    def _exchange(connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, headers: dict) -> Response:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        return Response(answer.status, answer.getheaders(), answer.read())

    def _curl(self, method: str, path: str, body: bytes | None, headers: dict, timeout: float) -> Response:
        if not shutil.which("curl"):
            pytest.skip("not proven: HTTP/2 needs curl")
        with tempfile.TemporaryDirectory() as at:
            got = Path(at, "body")
            command = ["curl", "-sS", "--path-as-is", "--http2-prior-knowledge", "-m", str(timeout), "-D", str(Path(at, "head")), "-o", str(got)]
            command += ["-I"] if method == "HEAD" else ["-X", method]
            for name, value in headers.items():
                command += ["-H", f"{name}: {value}"]
            if body is not None:
                command += ["--data-binary", "@-"]
                if not any(name.lower() == "content-type" for name in headers):
                    command += ["-H", "Content-Type:"]
            done = subprocess.run([*command, f"http://{self.host}:{self.port}{path}"], input=body or b"", capture_output=True, timeout=timeout + 10)
            if done.returncode:
                raise ConnectionError(f"curl: {done.stderr.decode(errors='replace')}")
            blocks = Path(at, "head").read_bytes().decode("latin-1").strip().split("\r\n\r\n")
            lines = blocks[-1].split("\r\n")  # those before are interim responses
            assert lines[0].startswith("HTTP/2 "), f"not answered in HTTP/2: {lines[0]}"
            fields = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:]]
            content = b"" if method == "HEAD" or not got.exists() else got.read_bytes()
            return Response(int(lines[0].split()[1]), fields, content)

    def get(self, path: str, **more) -> Response:
        return self.request("GET", path, **more)

    def post(self, path: str, body: bytes | str, **more) -> Response:
        return self.request("POST", path, body=body, **more)

    def close(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None


class Raw:
    """A bare connection: `send` bytes, `read_all` until the server closes, `read_until` a mark, `response` parses one answer."""

    def __init__(self, port: int, host: str = "127.0.0.1", timeout: float = TIMEOUT) -> None:
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pending = b""

    def send(self, data: bytes | str) -> Raw:
        self.socket.sendall(data.encode() if isinstance(data, str) else data)
        return self

    def _more(self) -> bool:
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        self.pending += data
        return bool(data)

    def read_all(self) -> bytes:
        while self._more():
            pass
        data, self.pending = self.pending, b""
        return data

    def read_until(self, mark: bytes) -> bytes:
        while mark not in self.pending:
            if not self._more():
                raise EOFError(f"closed before {mark!r}: {self.pending!r}")
        head, found, self.pending = self.pending.partition(mark)
        return head + found

    def response(self, head_only: bool = False) -> Response:
        """One final answer, with Content-Length, chunked, or until the end; interim answers (1xx) before it are skipped."""
        while True:
            head = self.read_until(b"\r\n\r\n").decode("latin-1")
            status = int(head.split(" ", 2)[1])
            if status >= 200:
                break
        fields = [tuple(part.strip() for part in line.split(":", 1)) for line in head.split("\r\n")[1:] if line]
        named = {name.lower(): value for name, value in fields}
        if head_only or status in (204, 304):
            return Response(status, fields, b"")
        if named.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(self.read_until(b"\r\n").split(b";")[0], 16):
                body += self._exactly(size)
                self._exactly(2)
            while self.read_until(b"\r\n") != b"\r\n":
                pass
        elif "content-length" in named:
            body = self._exactly(int(named["content-length"]))
        else:
            body = self.read_all()
        return Response(status, fields, body)

    def _exactly(self, size: int) -> bytes:
        while len(self.pending) < size:
            if not self._more():
                raise EOFError(f"closed after {len(self.pending)} of {size} bytes")
        data, self.pending = self.pending[:size], self.pending[size:]
        return data

    def reset(self) -> None:
        """Closes with RST: what a client that crashed looks like."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_) -> None:
        self.close()
