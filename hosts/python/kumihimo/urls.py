"""URLs among the inputs, by fsspec. What is wanted of one is fetched into a temporary file without a name, which is then read as any other.

Of a Zip that is its directory and the entries whose paths match, each by the bytes that it occupies; the rest of the file is a hole. All
else is fetched whole.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
import zipfile
from typing import Any, BinaryIO, Iterator, Optional, Sequence, Union

from . import _core

Name = Union[str, bytes]
WHOLE = 256 << 10  # as small a file is fetched with one request
GAP = 64 << 10  # less than this between two wanted stretches is fetched, too: a request costs more
PIECE = 8 << 20  # of a request
ARCHIVES = re.compile(rb"\.(zip|jar|whl|tar|tgz|tbz2|txz|tzst|(tar|zip)\.(gz|zst|lz4|xz|bz2))$", re.I)


def is_url(name: Any) -> bool:
    return isinstance(name, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", name) is not None and not os.path.lexists(name)


def public(url: str) -> str:
    """A URL without what may be secret: passwords, and the signatures in a web address's query."""
    url = re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@", r"\1", url)
    return re.split(r"[?#]", url, maxsplit=1)[0] if url.lower().startswith(("http:", "https:")) else url


def file_system(url: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise ImportError(f"reading {public(url)} needs fsspec: pip install fsspec") from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as missing:  # the package for that kind of URL
        raise ImportError(f"reading {public(url)} needs another package: {missing}") from None
    except ValueError as unknown:
        raise OSError(f"{public(url)}: {unknown}") from None
    return system, path


def expand_url(url: str) -> list[str]:
    """The URLs that a pattern stands for, sorted. A web server lists nothing, and its addresses may have question marks."""
    if "*" not in url or url.lower().startswith(("http:", "https:")):
        return [url]
    system, path = file_system(url)
    found = sorted(system.unstrip_protocol(one) for one in system.glob(path))
    if not found:
        raise FileNotFoundError(f"nothing matches {url}")
    return found


class Remote:
    """A file behind a URL, and the temporary file that gets what is wanted of it."""

    def __init__(self, url: str) -> None:
        self.whole, self.url = url, public(url)
        self.system, self.path = file_system(url)
        folder = os.environ.get("TMPDIR") or "/var/tmp"
        self.file: BinaryIO = tempfile.TemporaryFile(dir=folder if os.path.isdir(folder) else None)  # type: ignore[assignment]
        about = self.asked(lambda: self.system.info(self.path))
        self.web = url.lower().startswith(("http:", "https:"))
        self.parts = about.get("partial") is not False
        size = about.get("size")
        self.size: Optional[int] = size if isinstance(size, int) else None

    @property
    def name(self) -> str:
        return f"/proc/self/fd/{self.file.fileno()}"

    def asked(self, question: Any) -> Any:
        try:
            return question()
        except Exception as error:  # each file system has errors of its own
            missing = isinstance(error, FileNotFoundError)
            while error.__cause__ is not None:
                error = error.__cause__  # type: ignore[assignment]
            # Some say so of a server that does not answer.
            if missing and (isinstance(error, FileNotFoundError) or not isinstance(error, OSError)):
                raise FileNotFoundError(f"{self.url}: there is no such file") from None
            raise OSError(f"{self.url}: {' '.join(str(error).replace(self.whole, self.url).split()) or type(error).__name__}") from None

    def range(self, start: int, end: int) -> Optional[bytes]:
        """Those bytes; None where the other side does not give parts of a file."""
        data = self.asked(lambda: self.system.cat_file(self.path, start=start, end=end))
        return bytes(data) if len(data) == end - start else None

    def gives_parts(self) -> bool:
        """A web server that gives none would send the whole file for each: it is asked for four bytes, and no more than five are taken."""
        if not self.web or not self.parts:
            return self.parts

        def some() -> bytes:
            with self.system.open(self.path, "rb", cache_type="none", block_size=0, headers={"Range": "bytes=0-3"}) as source:
                return bytes(source.read(5))

        return len(self.asked(some)) == 4

    def put(self, start: int, end: int) -> bool:
        while start < end:
            piece = min(end, start + PIECE)
            data = self.range(start, piece)
            if data is None:
                return False
            os.pwrite(self.file.fileno(), data, start)
            start = piece
        return True

    def fetch(self, match: Sequence[bytes], nested: int) -> None:
        if self.size is None or not (self.size > WHOLE and self.gives_parts() and self.fetch_zip(match, nested)):
            self.fetch_whole()

    def fetch_whole(self) -> None:
        def copy() -> int:
            self.file.seek(0)
            self.file.truncate()
            with self.system.open(self.path, "rb", cache_type="none", block_size=0) if self.size is None or self.web else self.system.open(self.path, "rb") as source:
                while piece := source.read(PIECE):
                    self.file.write(piece)
            self.file.flush()
            return self.file.tell()

        got = self.asked(copy)
        if self.size is not None and got != self.size:
            raise OSError(f"{self.url}: {got} bytes came of {self.size}")

    def fetch_zip(self, match: Sequence[bytes], nested: int) -> bool:
        """False: it is no Zip, or cannot be read in parts."""
        assert self.size is not None
        self.file.truncate(self.size)
        try:
            with zipfile.ZipFile(Window(self)) as archive:
                entries, begin = archive.infolist(), archive.start_dir
        except (zipfile.BadZipFile, NoParts, NotImplementedError, ValueError, EOFError):
            return False
        starts = sorted({one.header_offset for one in entries} | {begin})
        following = dict(zip(starts, starts[1:]))
        wanted = sorted(one.header_offset for one in entries if self.wanted(one, match, nested))
        if any(start not in following for start in wanted):
            return False
        # The first bytes say what the file is.
        return all(self.put(start, end) for start, end in joined([(0, 4), *((start, following[start]) for start in wanted)]))

    @staticmethod
    def wanted(entry: zipfile.ZipInfo, match: Sequence[bytes], nested: int) -> bool:
        if not match:
            return True
        path = entry.orig_filename.encode("utf-8" if entry.flag_bits & 0x800 else "cp437", "surrogateescape")
        try:
            path.decode()
        except UnicodeDecodeError:
            path = path.decode("cp437").encode()
        return any(_core.glob_matches(one, path) for one in match) or (nested > 0 and ARCHIVES.search(path) is not None)


def joined(stretches: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Stretches in order, those close to one another as one."""
    last: Optional[tuple[int, int]] = None
    for start, end in stretches:
        if last is not None and start - last[1] < GAP:
            last = (last[0], max(last[1], end))
            continue
        if last is not None:
            yield last
        last = (start, end)
    if last is not None:
        yield last


class NoParts(OSError):
    """The other side gives whole files only."""


class Window(io.RawIOBase):
    """A remote file as zipfile reads it; what it reads is in the temporary file then."""

    def __init__(self, of: Remote) -> None:
        self.of, self.at = of, 0
        self.have: list[tuple[int, int]] = []

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int, whence: int = 0) -> int:
        at = offset + (0, self.at, self.of.size or 0)[whence]
        if at < 0:
            raise ValueError("before the file")
        self.at = at
        return at

    def read(self, size: int = -1) -> bytes:
        assert self.of.size is not None
        end = self.of.size if size is None or size < 0 else min(self.of.size, self.at + size)
        if end <= self.at:
            return b""
        if not any(a <= self.at and end <= b for a, b in self.have):
            # The end of the file, with the directory's end in it, by one request.
            start = min(self.at, max(0, self.of.size - GAP)) if end > self.of.size - GAP else self.at
            stop = self.of.size if start >= self.of.size - GAP else end
            if not self.of.put(start, stop):
                raise NoParts(self.of.url)
            self.have.append((start, stop))
        data = os.pread(self.of.file.fileno(), end - self.at, self.at)
        self.at = end
        return data


def fetch(names: Sequence[Name], match: Sequence[Name], nested: int) -> tuple[list[Name], list[str], list[Any]]:
    """The inputs with URLs replaced by files, pairs of such a file and its URL one behind the other, and what keeps the files."""
    out, shown, kept = [], [], []
    patterns = [os.fsencode(one) for one in match]
    for name in names:
        if not is_url(name):
            out.append(name)
            continue
        assert isinstance(name, str)
        remote = Remote(name)
        remote.fetch(patterns, nested)
        out.append(remote.name)
        shown += [remote.name, remote.url]
        kept.append(remote.file)
    return out, shown, kept
