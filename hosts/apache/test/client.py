"""HTTP as the tests speak it: requests over a new connection, a kept one, or streams of a kept HTTP/2 one, and bytes over a bare socket."""

from __future__ import annotations

import http.client
import json
import socket

import h2

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
        self._kept: http.client.HTTPConnection | h2.Connection | None = None

    def request(self, method: str, path: str, body: bytes | str | None = None, headers: dict | None = None, timeout: float = TIMEOUT) -> Response:
        if isinstance(body, str):
            body = body.encode()
        if self.protocol == "h2c":
            return self._stream(method, path, body, headers or {}, timeout)
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

    def _stream(self, method: str, path: str, body: bytes | None, headers: dict, timeout: float) -> Response:
        for attempt in (1, 2):
            fresh = self._kept is None
            if fresh:
                self._kept = h2.Connection(self.port, self.host)
            connection = self._kept
            connection.socket.settimeout(timeout)
            try:
                stream = connection.open(method, path, headers if body is None else {"content-length": str(len(body)), **headers}, body is None)
                if body is not None:
                    stream.send(body, end=True)
                response = Response(*stream.response())
            except OSError as error:
                if connection.gone or not isinstance(error, h2.Reset):
                    self.close()
                    if not fresh and attempt == 1 and not isinstance(error, TimeoutError):
                        continue
                raise
            if connection.gone:
                self.close()
            return response
        raise AssertionError

    def get(self, path: str, **more) -> Response:
        return self.request("GET", path, **more)

    def post(self, path: str, body: bytes | str, **more) -> Response:
        return self.request("POST", path, body=body, **more)

    def close(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_) -> None:
        self.close()


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
