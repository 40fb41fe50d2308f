"""What `kumihimo convert` does once the command line is understood (cli.py)."""

from __future__ import annotations

import contextlib
import os
import re
import select
import stat
import sys
import time
from typing import Any, BinaryIO, Callable, Iterator, Optional, Sequence

import click

from kumihimo import _core
from kumihimo.endings import format_of_path
from kumihimo.errors import DecodeError, JSONDecodeError
from kumihimo.extraction import expand
from kumihimo.job import by_options, refuse, tell
from kumihimo.output import Files, Whole, naming, open_part, write_all
from kumihimo.progress import Bar
from kumihimo.wording import counted, size_of

CHUNK = 1 << 20
PACKED = 1 << 14  # a piece of packed data may become a thousand times as large


# What a program is told to pass to the library; no command has such a parameter.
REMEDY = re.compile(r"^([^:]*): pass \w+=[^:]*")


class Refused(Exception):
    """A document or an input that ends the work; the message names the place."""


def read(file: BinaryIO) -> bytes:
    """Up to CHUNK bytes; b"" at the end only. A pipe that somebody made non-blocking is waited for."""
    while (chunk := file.read(CHUNK)) is None:
        select.select([file], [], [])
    return chunk


def place(shown: str, number: int, bad: Exception) -> str:
    """Where a document is that cannot be read or written."""
    why = REMEDY.sub(r"\1", str(bad))
    return f"{shown}: document {number:,} (from byte {getattr(bad, 'start', 0):,}): {why}"


def head(file: BinaryIO) -> bytes:
    """Enough to tell a frame by; a pipe may give it in pieces."""
    first = read(file)
    while 0 < len(first) < 4 and (more := read(file)):
        first += more
    return first


def content(name: str, shown: str, count: Callable[[int], None]) -> Iterator[bytes]:
    """The content of an input in pieces, unpacked where it is in a frame; count is told how many bytes were read."""
    with contextlib.ExitStack() as opened:
        file: Any = opened.enter_context(open(0, "rb", buffering=0, closefd=False) if name == "-" else open(name, "rb", buffering=0))
        with naming(name):
            chunk = head(file)
            frame = _core.frame_of_bytes(chunk)
            unpack = _core.Unpacker(frame) if frame is not None else None
            try:
                while chunk:
                    count(len(chunk))
                    if unpack is None:
                        yield chunk
                    else:
                        for at in range(0, len(chunk), PACKED):
                            if plain := unpack.feed(chunk[at : at + PACKED]):
                                yield plain
                    chunk = read(file)
                if unpack is not None:
                    unpack.finish()
            except DecodeError as bad:
                raise Refused(f"{shown}: {frame}: {bad}") from None


def bytes_of(inputs: Sequence[str]) -> Optional[int]:
    """The size of all inputs together; None where one has none, such as a pipe."""
    sizes = [os.stat(name) for name in inputs if name != "-"] if "-" not in inputs else []
    return sum(s.st_size for s in sizes) if sizes and all(stat.S_ISREG(s.st_mode) for s in sizes) else None


class Packed:
    """A file that what is written goes into in a frame."""

    def __init__(self, file: BinaryIO, frame: str, level: Optional[int]) -> None:
        self.file, self.packer = file, _core.Packer(frame, level)

    def write(self, data: memoryview) -> int:
        write_all(self.file, memoryview(self.packer.feed(data)))
        return len(data)

    def finish(self) -> None:
        write_all(self.file, memoryview(self.packer.finish()))


class Convert:
    """`kumihimo convert`, from understood options to an exit status."""

    def __init__(self, *, inputs: Sequence[str], output: str, source: Optional[str], target: Optional[str], source_dialect: Optional[str], target_dialect: Optional[str],
                 frame: Optional[str], frame_level: Optional[int], max_size: int, max_depth: int, quiet: bool) -> None:  # fmt: skip
        try:
            self.inputs = expand(inputs)
        except FileNotFoundError as nothing:
            raise click.UsageError(str(nothing)) from None
        if self.inputs.count("-") > 1:
            raise click.UsageError("standard input (-) can be read once only")
        self.output, self.source, self.source_dialect, self.target_dialect = output, source, source_dialect, target_dialect
        self.depth, self.size, self.quiet = max_depth, max_size, quiet
        given = target or (format_of_path(output) if output != "-" else None)
        if given is None:
            raise click.UsageError("name the format to write: --to, or an ending of the output such as " + ", ".join(row["endings"][0] for row in _core.formats()))
        self.target = given
        self.frame = (frame if frame != "none" else None) if frame is not None else _core.frame_of_path(output) if output != "-" else None
        if frame_level is not None and self.frame is None:
            raise click.UsageError("--frame-level is the level of a frame: name one with --frame, or by the output's ending")
        self.frame_level = frame_level
        refuse(inputs, self.inputs, [output])
        self.check_dialects()
        self.documents = self.read = self.written = 0

    def check_dialects(self) -> None:
        """Names that are wrong are known before anything is read or written."""
        try:
            _core.Converter(self.source or self.target, self.target, self.source_dialect if self.source else None, self.target_dialect)
            known = {name for row in _core.formats() for name in row["read_dialects"]}
            if self.source_dialect is not None and self.source_dialect not in known:
                raise ValueError(f"--from-dialect is one of {', '.join(sorted(known))}")
            if self.frame is not None:
                _core.Packer(self.frame, self.frame_level)
        except ValueError as wrong:
            raise click.UsageError(by_options(wrong)) from None

    def run(self) -> int:
        started = time.perf_counter()
        try:
            with Files() as files:
                part = files.enter_context(Whole(self.output)) if self.output != "-" else None
                bar = files.enter_context(Bar(False if self.quiet or (part is None and sys.stdout.isatty()) else None))
                file: BinaryIO = files.enter_context(open_part(part) if part is not None else open(1, "wb", buffering=0, closefd=False))
                with naming(self.output):
                    sink: Any = Packed(file, self.frame, self.frame_level) if self.frame is not None else file
                for name in self.inputs:
                    self.one(name, sink, bar)
                if self.frame is not None:
                    with naming(self.output):
                        sink.finish()
        except (Refused, OSError, ImportError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            tell(f"kumihimo: {error}")
            return 1
        if not self.quiet:
            wall = time.perf_counter() - started
            tell(f"{counted(self.documents, 'document')}, {size_of(self.read)} into {size_of(self.written)} in {wall:.2f} s")
        return 0

    def one(self, name: str, sink: Any, bar: Bar) -> None:
        shown = "standard input" if name == "-" else name
        total = bytes_of(self.inputs)
        converter: Any = None
        for chunk in content(name, shown, self.count):
            if converter is None:
                converter = self.converter_for(name, shown, chunk)
            self.give(sink, self.fed(shown, converter, converter.feed, chunk))
            bar.update(self.read, total, self.documents + converter.documents, 0)
        if converter is not None:
            self.give(sink, self.fed(shown, converter, converter.finish))
            self.documents += converter.documents

    def count(self, size: int) -> None:
        self.read += size

    def give(self, sink: Any, made: bytes) -> None:
        self.written += len(made)
        if made:
            with naming(self.output):
                write_all(sink, memoryview(made))

    def fed(self, shown: str, converter: Any, work: Any, *chunk: bytes) -> bytes:
        try:
            return work(*chunk)
        except (DecodeError, JSONDecodeError) as bad:
            document = self.documents + getattr(bad, "document", 0) + 1
            remedy = ""
            if bad.code == "unsupported":
                remedy = " (--to-dialect says what to do with it; --list-formats names the dialects)"
            elif bad.code == "range" and REMEDY.search(str(bad)):
                remedy = " (--from-dialect exact_decimals reads its exact value; --to-dialect says what to do where the format to write has none)"
            raise Refused(place(shown, document, bad) + remedy) from None

    def converter_for(self, name: str, shown: str, first: bytes) -> Any:
        source = self.source or (format_of_path(name) if name != "-" else None) or _core.format_of_bytes(first)
        if source is None:
            raise Refused(f"{shown}: neither its name nor its bytes tell its format: name it with --from")
        try:
            return _core.Converter(source, self.target, self.source_dialect, self.target_dialect, self.depth, self.size)
        except ValueError as wrong:
            raise Refused(f"{shown}: {by_options(wrong)}") from None
