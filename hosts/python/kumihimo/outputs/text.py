"""Rows as text, and what is made of their lines: an array, the documents of a binary format; in a frame or not."""

from __future__ import annotations

from typing import Any, BinaryIO, Callable, Optional, Protocol

from .. import _core
from ..output import write_all

NO_LIMIT = (1 << 63) - 1


class Shape(Protocol):
    def begin(self) -> bytes: ...
    def feed(self, lines: bytes) -> bytes: ...
    def finish(self) -> bytes: ...


class Lines:
    """The engine's own text, below its header."""

    def __init__(self, header: bytes = b"") -> None:
        self.header = header

    def begin(self) -> bytes:
        return self.header

    def feed(self, lines: bytes) -> bytes:
        return lines

    def finish(self) -> bytes:
        return b""


class Array:
    """Lines of NDJSON as one array, a row a line."""

    def __init__(self) -> None:
        self.any = False

    def begin(self) -> bytes:
        return b""

    def feed(self, lines: bytes) -> bytes:
        if not lines:
            return b""
        before = b",\n" if self.any else b"[\n"
        self.any = True
        return before + lines[:-1].replace(b"\n", b",\n")

    def finish(self) -> bytes:
        return b"\n]\n" if self.any else b"[]\n"


class Documents:
    """Lines of NDJSON as documents of a binary format, one a row. What it has no number for is the number's digits, as a text."""

    def __init__(self, format: str) -> None:
        self.format = format
        dialects = next(row["write_dialects"] for row in _core.formats() if row["name"] == format)
        # Rows come out of documents within the limits, in an object of their own.
        self.converter = _core.Converter("json", format, None, "lenient" if "lenient" in dialects else None, NO_LIMIT, NO_LIMIT)

    def begin(self) -> bytes:
        return b""

    def feed(self, lines: bytes) -> bytes:
        return self.told(self.converter.feed, lines)

    def finish(self) -> bytes:
        return self.told(self.converter.finish)

    def told(self, work: Callable[..., bytes], *lines: bytes) -> bytes:
        try:
            return work(*lines)
        except ValueError as wrong:
            row = self.converter.documents + 1
            raise OSError(f"row {row:,} cannot be written as {self.format}: {getattr(wrong, 'msg', wrong)} at {getattr(wrong, 'path', '$')}; with the type string it can (-f PATH:string)") from None


def shape_of(form: str, header: bytes) -> Shape:
    """`header` is the line of names, which CSV and TSV begin with."""
    if form in ("csv", "tsv"):
        return Lines(header)
    return Lines() if form == "ndjson" else Array() if form == "json" else Documents(form)


class TextWriter:
    """Lines into a file. `live`: what is written can be read at once, also out of a frame."""

    def __init__(self, file: BinaryIO, shape: Shape, frame: Optional[str] = None, level: Optional[int] = None, live: bool = False) -> None:
        self.file, self.shape, self.live, self.written = file, shape, live, 0
        self.packer: Any = _core.Packer(frame, level) if frame is not None else None
        self._put(shape.begin())

    def write(self, lines: bytes) -> None:
        self._put(self.shape.feed(lines))
        if self.live and self.packer is not None and lines:
            self._raw(self.packer.flush())

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """Only after all went well: what is not closed is not complete."""
        self._put(self.shape.finish())
        if self.packer is not None:
            self._raw(self.packer.finish())

    def _put(self, made: bytes) -> None:
        if made:
            self._raw(made if self.packer is None else self.packer.feed(made))

    def _raw(self, data: bytes) -> None:
        if data:
            write_all(self.file, memoryview(data))
            self.written += len(data)
