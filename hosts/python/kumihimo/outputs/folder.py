"""Rows as a folder of files: parts of so many rows, or by the values of columns.

The folder appears whole or not at all, as a file does. Which part a row comes to depends on the rows alone, and not on the pieces that they arrive
in: those differ with the number of threads.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import stat
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Iterator, Optional, Sequence, Type

from .. import _core
from ..forms import FORMS
from ..output import naming, open_part, opened, remove
from .base import Output
from .partition import ColumnSplitter, CsvSplitter, LineSplitter, csv_records_of, keys_of, records_of
from .text import TextWriter, shape_of

BLOCK = 4096  # rows that are sorted into folders at a time
MOST_WAITING = 16 << 20  # bytes of all parts that are not written yet; then the largest is
MOST_OPEN = 16  # files; each may have a compressor of its own
MOST_FOLDERS = 10_000
_ENDINGS = "|".join(re.escape(ending) for form in FORMS.values() if not form.table for ending in form.endings)
_PACKED = "|".join(re.escape(frame["ending"]) for frame in _core.frames())
PART = re.compile(rf"part-[0-9]+({_ENDINGS})({_PACKED})?")
AT_FDCWD, RENAME_EXCHANGE = -100, 2


class _Part:
    """A file of the folder: what waits for it, and its writer once there is one."""

    def __init__(self, number: int) -> None:
        self.number, self.rows, self.size = number, 0, 0
        self.waiting: list[Any] = []
        self.writer: Any = None
        self.file: Any = None


class _Parts:
    """Sorts rows into parts. `kind` knows how to count, cut and join them, `make` opens a part's writer."""

    def __init__(self, kind: Any, splitter: Any, split_rows: Optional[int], path_of: Callable[[str, int], Path], make: Callable[[Any, Path], Any]) -> None:
        self.kind, self.splitter, self.split_rows, self.path_of, self.make = kind, splitter, split_rows, path_of, make
        self.parts: dict[str, _Part] = {}
        self.open: dict[str, None] = {}  # folders whose part has a file, the one that was written to last at the end
        self.counts: dict[str, int] = {}  # of complete parts
        self.size = 0

    def write(self, piece: Any) -> None:
        for block in self.kind.blocks(piece):
            self.sort(block)

    def close(self) -> None:
        for block in self.kind.rest():
            self.sort(block)
        if not self.parts and not self.counts and self.splitter is None:
            self.part("")  # no row is a file, too, with the names of the columns
        while self.parts:
            self.finish(next(iter(self.parts)))  # which may finish another one, too

    def sort(self, block: Any) -> None:
        for folder, rows in self.splitter.split(block) if self.splitter is not None else [("", block)]:
            while (count := self.kind.count(rows)) != 0:
                part = self.part(folder)
                room = count if self.split_rows is None else min(count, self.split_rows - part.rows)
                some, rows = self.kind.cut(rows, room)
                size = self.kind.size(some)
                part.waiting.append(some)
                part.rows += room
                part.size += size
                self.size += size
                if part.rows == self.split_rows:
                    self.finish(folder)
        while self.size > MOST_WAITING:
            self.flush(max(self.parts, key=lambda folder: self.parts[folder].size))

    def part(self, folder: str) -> _Part:
        part = self.parts.get(folder)
        if part is None:
            number = self.counts.get(folder, 0)
            if len(self.counts.keys() | self.parts.keys()) >= MOST_FOLDERS and folder not in self.counts:
                raise OSError(errno.EMFILE, f"more than {MOST_FOLDERS:,} folders would be made; partition by something of fewer values, such as DATE(...)")
            part = self.parts[folder] = _Part(number)
        return part

    def flush(self, folder: str) -> None:
        part = self.parts[folder]
        if part.writer is None:
            if len(self.open) == MOST_OPEN:
                self.finish(next(iter(self.open)))
            path = self.path_of(folder, part.number)
            part.file = open_part(path)
            part.writer = self.make(part.file, path)
        self.open.pop(folder, None)
        self.open[folder] = None
        waiting, part.waiting = part.waiting, []
        self.size -= part.size
        part.size = 0
        if waiting:
            for rows in self.kind.joined(waiting):
                part.writer.write(rows)
            part.writer.flush()

    def finish(self, folder: str) -> None:
        self.flush(folder)
        part = self.parts.pop(folder)
        del self.open[folder]
        self.counts[folder] = part.number + 1
        part.writer.close()
        part.file.close()

    def abandon(self) -> None:
        for part in self.parts.values():
            if part.file is not None:
                with contextlib.suppress(OSError):
                    part.file.close()


class _Text:
    """Lines, as lists of them."""

    def __init__(self, csv: bool) -> None:
        self.records_of = csv_records_of if csv else records_of
        self.waiting: list[bytes] = []

    def blocks(self, text: bytes) -> Iterator[list[bytes]]:
        self.waiting += self.records_of(text) if text else []
        at = 0
        while len(self.waiting) - at >= BLOCK:
            yield self.waiting[at : at + BLOCK]
            at += BLOCK
        self.waiting = self.waiting[at:]

    def rest(self) -> Iterator[list[bytes]]:
        if self.waiting:
            yield self.waiting

    @staticmethod
    def count(lines: Sequence[bytes]) -> int:
        return len(lines)

    @staticmethod
    def size(lines: Sequence[bytes]) -> int:
        return sum(map(len, lines))

    @staticmethod
    def cut(lines: list[bytes], count: int) -> tuple[list[bytes], list[bytes]]:
        return lines[:count], lines[count:]

    @staticmethod
    def joined(waiting: list[list[bytes]]) -> list[bytes]:
        return [b"".join(lines) for lines in waiting]


class _Columns:
    """Record batches."""

    def __init__(self) -> None:
        self.waiting: list[Any] = []
        self.rows = 0

    def blocks(self, batch: Any) -> Iterator[Any]:
        while self.rows + batch.num_rows >= BLOCK:
            room = BLOCK - self.rows
            self.waiting.append(batch.slice(0, room))
            batch = batch.slice(room)
            yield from self.rest()
        if batch.num_rows:
            self.waiting.append(batch)
            self.rows += batch.num_rows

    def rest(self) -> Iterator[Any]:
        import pyarrow

        if self.waiting:
            waiting, self.waiting, self.rows = self.waiting, [], 0
            yield from pyarrow.Table.from_batches(waiting).combine_chunks().to_batches()

    @staticmethod
    def count(batch: Any) -> int:
        return batch.num_rows

    @staticmethod
    def size(batch: Any) -> int:
        return batch.nbytes

    @staticmethod
    def cut(batch: Any, count: int) -> tuple[Any, Any]:
        return batch.slice(0, count), batch.slice(count)

    @staticmethod
    def joined(waiting: list[Any]) -> list[Any]:
        import pyarrow

        return pyarrow.Table.from_batches(waiting).combine_chunks().to_batches()


class Folder(Output):
    """`split_rows`: at most so many rows in a part. `partition_by`: [NAME=]COLUMN or [NAME=]DATE(COLUMN), each a level of folders."""

    def __init__(self, path: str, form: str, frame: Optional[str], ending: str, level: Optional[int], group_rows: Optional[int], split_rows: Optional[int], partition_by: Sequence[str], if_exists: str) -> None:
        self.path, self.form, self.frame, self.level, self.group_rows = path, form, frame, level, group_rows
        self.ending, self.split_rows, self.partition_by, self.if_exists = ending, split_rows, list(partition_by), if_exists
        self.engine = FORMS[form].engine
        self.delimiter = "\t" if form == "tsv" else ","
        # A link keeps pointing where it points.
        self.final = Path(os.path.realpath(path))
        self.part = self.final.with_name(f".{self.final.name}.part-{os.getpid()}")
        self.counts: dict[str, int] = {}

    @property
    def example(self) -> str:
        return os.path.join(self.path, "part-0" + self.ending)

    def __enter__(self) -> Folder:
        self.refuse_existing()
        opened.add(self.part)
        self.make_empty()
        return self

    def refuse_existing(self) -> None:
        if self.final.exists():
            if not self.final.is_dir():
                raise FileExistsError(f"{self.path} is a file; name a folder for the parts")
            if any(self.final.iterdir()):
                if self.if_exists != "replace":
                    raise FileExistsError(f"{self.path}: there is such a folder already: replace it (--if-exists, if_exists), or name another")
                self.refuse_others(self.final)

    def refuse_others(self, top: Path) -> None:
        """A folder that holds anything but parts is not replaced: who names their home by mistake keeps it."""

        def unread(error: OSError) -> None:
            raise error

        for folder, folders, files in os.walk(top, onerror=unread):
            for name in files:
                if not PART.fullmatch(name):
                    raise FileExistsError(f"{self.shown(folder, name, top)} is no part of such a folder: it is not replaced")
            for name in folders:
                if "=" not in name or os.path.islink(os.path.join(folder, name)):
                    raise FileExistsError(f"{self.shown(folder, name, top)} is no folder of parts: nothing is replaced")

    def shown(self, folder: str, name: str, top: Path) -> str:
        return os.path.join(self.path, os.path.relpath(os.path.join(folder, name), top))

    def make_empty(self) -> None:
        remove(self.part)
        try:
            os.mkdir(self.part)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, self.path) from None

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        try:
            if kind is None:
                self.give_numbers()
                self.written = sum(one.stat().st_size for one in self.part.rglob("part-*"))
                if self.sealed is not None:
                    self.sealed(self.part, self.final)
                self.publish()
        finally:
            remove(self.part)
            opened.discard(self.part)

    def give_numbers(self) -> None:
        """part-0 to part-9, or part-00 and so on: as many digits as the names need to be in the order of the rows."""
        for folder, count in self.counts.items():
            digits = len(str(count - 1))
            for number in range(count if digits > 1 else 0):
                os.rename(self.path_of(folder, number), self.path_of(folder, number, digits))

    def publish(self) -> None:
        try:
            os.rename(self.part, self.final)  # over an empty folder, too
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or self.if_exists != "replace":
                raise type(error)(error.errno, error.strerror, self.path) from None
            os.chmod(self.part, stat.S_IMODE(self.final.stat().st_mode))
            exchange(self.part, self.final)
            try:
                self.refuse_others(self.part)  # which is the old one now, into which others may have written meanwhile
            except OSError as error:
                kept = self.final.with_name(f"{self.final.name}.old-{os.getpid()}")
                os.rename(self.part, kept)
                raise OSError(f"{error}; the rows are in {self.path}, and what was there is kept in {kept}") from None

    def path_of(self, folder: str, number: int, digits: int = 1) -> Path:
        inside = self.part / folder
        inside.mkdir(parents=True, exist_ok=True)
        return inside / f"part-{number:0{digits}}{self.ending}"

    @contextlib.contextmanager
    def begin(self, run: Any, schema: Any) -> Iterator[Any]:
        if any(self.part.iterdir()):
            self.make_empty()
        columns = [(name, kind) for name, kind, _ in run.schema] if self.partition_by else []
        keys = keys_of(self.partition_by, [name for name, _ in columns], [kind for _, kind in columns]) if self.partition_by else []
        splitter: Any = None
        if self.engine == "columns":
            from .columns import writer_of

            splitter = ColumnSplitter(keys, schema) if keys else None
            inside = splitter.schema if splitter is not None else schema
            rows: Any = _Columns()

            def make(file: Any, path: Path) -> Any:
                return writer_of(self.form, file, inside, path, self.group_rows)
        else:
            header = run.header() if self.engine == "csv" else b""
            if keys:
                splitter = CsvSplitter(keys, self.delimiter) if self.engine == "csv" else LineSplitter(keys, [name for name, _ in columns])
                header = splitter.header(header) if header else b""
            rows = _Text(self.engine == "csv")

            def make(file: Any, path: Path) -> Any:
                return TextWriter(file, shape_of(self.form, header), self.frame, self.level)

        parts = _Parts(rows, splitter, self.split_rows, self.path_of, make)
        try:
            with naming(self.path):
                yield parts
                parts.close()
        finally:
            parts.abandon()
        self.counts = parts.counts


def exchange(one: Path, other: Path) -> None:
    """Two folders take each other's name, in one step where the file system has it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "renameat2") and libc.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0:
        return
    away = other.with_name(f".{other.name}.old-{os.getpid()}")
    os.rename(other, away)
    os.rename(one, other)
    os.rename(away, one)
