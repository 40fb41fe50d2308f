"""HTTP/2 over cleartext with prior knowledge, frame by frame: requests, and what a slow or broken client does.

    with Connection(port) as connection:
        stream = connection.open("POST", "/a.mrb", {"x-a": "1"})
        stream.send(b"body", end=True)
        stream.until(lambda: b"half" in stream.body)     # what has come so far
        stream.response()                                # the whole of it; Reset when it was broken off

A frame: 3 bytes length, 1 type, 1 flags, 4 stream number, then so many bytes. Fields are packed by HPACK: ours as plain literals, httpd's are
unpacked by the library that its mod_http2 uses itself.
"""

from __future__ import annotations

import ctypes
import socket
import struct

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM = ACK = 1
END_HEADERS, PADDED = 4, 8
NO_ERROR, CANCEL = 0, 8
MOST = (1 << 31) - 1  # of a window


class Pair(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("value", ctypes.c_void_p), ("name_size", ctypes.c_size_t), ("value_size", ctypes.c_size_t), ("flags", ctypes.c_uint8)]


class Unpacker:
    """nghttp2_hd_inflater: one for each connection, as it remembers fields."""

    FINAL, EMIT = 1, 2

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libnghttp2.so.14")
        self.library.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t
        self.library.nghttp2_hd_inflate_hd2.argtypes = [ctypes.c_void_p, ctypes.POINTER(Pair), ctypes.POINTER(ctypes.c_int), ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
        self.library.nghttp2_hd_inflate_end_headers.argtypes = self.library.nghttp2_hd_inflate_del.argtypes = [ctypes.c_void_p]
        self.state = ctypes.c_void_p()
        self.library.nghttp2_hd_inflate_new(ctypes.byref(self.state))

    def __call__(self, block: bytes) -> list[tuple[str, str]]:
        fields, pair, flags = [], Pair(), ctypes.c_int()
        while True:
            taken = self.library.nghttp2_hd_inflate_hd2(self.state, ctypes.byref(pair), ctypes.byref(flags), block, len(block), 1)
            if taken < 0:
                raise ConnectionError(f"no HPACK: {block!r}")
            block = block[taken:]
            if flags.value & self.EMIT:
                fields.append(tuple(ctypes.string_at(at, size).decode("latin-1") for at, size in ((pair.name, pair.name_size), (pair.value, pair.value_size))))
            if flags.value & self.FINAL:
                self.library.nghttp2_hd_inflate_end_headers(self.state)
                return fields

    def __del__(self) -> None:
        self.library.nghttp2_hd_inflate_del(self.state)


def packed(fields) -> bytes:
    """Each field as a literal that nobody remembers: 0, the name's length, the name, the value's length, the value."""

    def text(data: bytes) -> bytes:
        if len(data) < 127:
            return bytes([len(data)]) + data
        head, rest = b"\x7f", len(data) - 127  # 7 bits are full: the rest in groups of 7, lowest first
        while rest > 127:
            head, rest = head + bytes([rest % 128 + 128]), rest // 128
        return head + bytes([rest]) + data

    def raw(value) -> bytes:
        try:
            return value.encode("latin-1")
        except UnicodeEncodeError:
            return value.encode()

    return b"".join(b"\0" + text(raw(name)) + text(raw(value)) for name, value in fields)


class Reset(ConnectionError):
    """The stream alone: the connection goes on."""


class Stream:
    def __init__(self, connection: Connection, number: int) -> None:
        self.connection, self.number, self.window = connection, number, connection.initial
        self.heads: list[list[tuple[str, str]]] = []  # interim answers, the answer's own, trailers
        self.body, self.ended, self.error = b"", False, None

    @property
    def over(self) -> bool:
        return self.ended or self.error is not None

    def send(self, data: bytes, end: bool = False) -> Stream:
        """As fast as httpd takes it; what it does not want any more is not sent."""
        connection, at = self.connection, 0
        while at < len(data) or (end and not data):
            size = min(len(data) - at, self.window, connection.window, connection.largest)
            if size <= 0 and data:
                connection.turn()
                if self.over:
                    return self
                continue
            connection.write(DATA, END_STREAM if end and at + size == len(data) else 0, self.number, data[at : at + size])
            at, self.window, connection.window = at + size, self.window - size, connection.window - size
            if not data:
                break
        return self

    def until(self, true) -> Stream:
        while not true():
            if self.over:
                raise EOFError(f"over, error {self.error}: {self.heads} {self.body[:2000]!r}")
            self.connection.turn()
        return self

    def response(self):
        """(status, fields, body), once all of it is there. A stream that ends with an error is a response that was broken off."""
        while not self.over:
            self.connection.turn()
        if not self.ended:
            raise Reset(f"stream {self.number} was reset: error {self.error}")
        head = next(fields for fields in self.heads if not fields[0][1].startswith("1"))
        return int(head[0][1]), [field for field in head if field[0] != ":status"], self.body

    def reset(self, error: int = CANCEL) -> None:
        self.connection.write(RST_STREAM, 0, self.number, struct.pack(">I", error))
        self.error = error

    def take(self, size: int) -> None:
        """Lets httpd send so many bytes more: for connections that began with a small window."""
        for number in (0, self.number):
            self.connection.write(WINDOW_UPDATE, 0, number, struct.pack(">I", size))


class Connection:
    """`window`: the bytes that httpd may send for each stream before it is asked for more."""

    def __init__(self, port: int, host: str = "127.0.0.1", timeout: float = 60, window: int = MOST) -> None:
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.authority = f"{host}:{port}"
        self.pending, self.unpack, self.streams, self.next, self.gone = b"", Unpacker(), {}, 1, False
        self.window, self.initial, self.largest = 65535, 65535, 16384
        settings = struct.pack(">HIHI", 2, 0, 4, window)  # no pushes; each stream's window
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self._frame(SETTINGS, 0, 0, settings) + self._frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", MOST - 65535)))

    @staticmethod
    def _frame(kind: int, flags: int, number: int, data: bytes) -> bytes:
        return struct.pack(">I", len(data))[1:] + bytes([kind, flags]) + struct.pack(">I", number) + data

    def write(self, kind: int, flags: int, number: int, data: bytes) -> None:
        self.socket.sendall(self._frame(kind, flags, number, data))

    def open(self, method: str, path: str, headers: dict | None = None, end: bool = False) -> Stream:
        named = {name.lower(): value for name, value in (headers or {}).items()}
        fields = [(":method", method), (":scheme", "http"), (":authority", named.pop("host", self.authority)), (":path", path), *named.items()]
        stream = self.streams[self.next] = Stream(self, self.next)
        self.next += 2
        block = packed(fields)
        self.write(HEADERS, (END_STREAM if end else 0) | (END_HEADERS if len(block) <= self.largest else 0), stream.number, block[: self.largest])
        for at in range(self.largest, len(block), self.largest):
            self.write(CONTINUATION, END_HEADERS if at + self.largest >= len(block) else 0, stream.number, block[at : at + self.largest])
        return stream

    def _exactly(self, size: int) -> bytes:
        while len(self.pending) < size:
            data = self.socket.recv(1 << 18)
            if not data:
                self.gone = True
                raise ConnectionResetError(f"httpd closed the connection: {self.pending!r}")
            self.pending += data
        data, self.pending = self.pending[:size], self.pending[size:]
        return data

    def read(self) -> tuple[int, int, int, bytes]:
        head = self._exactly(9)
        return head[3], head[4], struct.unpack(">I", head[5:])[0] & MOST, self._exactly(int.from_bytes(head[:3], "big"))

    def turn(self) -> None:
        """Takes one frame."""
        kind, flags, number, data = self.read()
        stream = self.streams.get(number)
        if kind == HEADERS:
            while not flags & END_HEADERS:
                _, more, _, rest = self.read()
                flags, data = flags | more & END_HEADERS, data + rest
            fields = self.unpack(data)
            if stream:
                stream.heads.append(fields)
        elif kind == DATA and stream:
            stream.body += data[1 : len(data) - data[0]] if flags & PADDED else data
        elif kind == RST_STREAM and stream:
            stream.error = struct.unpack(">I", data)[0]
        elif kind == SETTINGS and not flags & ACK:
            for at in range(0, len(data), 6):
                name, value = struct.unpack(">HI", data[at : at + 6])
                if name == 4:
                    for one in self.streams.values():
                        one.window += value - self.initial
                    self.initial = value
                elif name == 5:
                    self.largest = value
            self.write(SETTINGS, ACK, 0, b"")
        elif kind == PING and not flags & ACK:
            self.write(PING, ACK, 0, data)
        elif kind == WINDOW_UPDATE:
            more = struct.unpack(">I", data)[0]
            if number == 0:
                self.window += more
            elif stream:
                stream.window += more
        elif kind == GOAWAY:
            self.gone = True
            last, error = struct.unpack(">II", data[:8])
            for one in self.streams.values():
                if one.number > last and not one.over:
                    one.error = error
        if stream and kind in (DATA, HEADERS) and flags & END_STREAM:
            stream.ended = True

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_) -> None:
        self.close()
