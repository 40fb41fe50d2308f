"""URLs among the inputs, by fsspec. When an extraction comes to one, what is wanted of it is fetched into a temporary file without a name, which
is then read as any other, and gone when it was read.

Of a Zip that is its directory and the entries whose paths match, each by the bytes that it occupies; the rest of the file is a hole. All
else is fetched whole.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
import threading
import time
import zipfile
from typing import Any, BinaryIO, Callable, Iterator, Optional, Sequence, Union

from . import _core

Name = Union[str, bytes]
WHOLE = 256 << 10  # as small a file is fetched with one request
GAP = 64 << 10  # less than this between two wanted stretches is fetched, too: a request costs more
PIECE = 8 << 20  # of a request
THREADS = 4  # that fetch
PAUSE = 0.1  # seconds at most between two looks whether something is wanted


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
    try:
        found = sorted(system.unstrip_protocol(one) for one in system.glob(path))
    except Exception as error:  # each file system has errors of its own
        if isinstance(error, FileNotFoundError):
            raise FileNotFoundError(f"{public(url)}: there is no such place to look for files in, or it is not shown to you; check its name and your access") from None
        raise OSError(f"{public(url)}: the files there cannot be listed: {said(error, url)}") from None
    if not found:
        raise FileNotFoundError(f"{public(url)}: no file there matches; * stays within a folder and ** does not, and capitals matter")
    return found


def said(error: BaseException, url: str) -> str:
    """What is at the bottom of an error, as one line without secrets."""
    while error.__cause__ is not None:
        error = error.__cause__
    return " ".join(str(error).replace(url, public(url)).split()) or type(error).__name__


class Fetcher:
    """Brings what an extraction asks for. Its threads end with the extraction, or with the process."""

    def __init__(self, urls: Sequence[str], match: Sequence[bytes], nested: int) -> None:
        self.count, self.match, self.nested = len(urls), match, nested

    def __call__(self, wanted: Any) -> None:
        for _ in range(min(THREADS, self.count)):
            threading.Thread(target=self.serve, args=(wanted,), name="kumihimo-fetch", daemon=True).start()

    def serve(self, wanted: Any) -> None:
        pause = 0.0
        while (url := wanted.next()) is not None:
            if not url:
                pause = min(PAUSE, pause * 2 or PAUSE / 64)
                time.sleep(pause)
                continue
            pause = 0.0
            try:
                with Remote(url, wanted.over) as remote:
                    remote.fetch(self.match, self.nested)
                    wanted.give(url, os.dup(remote.file.fileno()))
            except BaseException as error:  # whatever it is, somebody waits
                wanted.refuse(url, str(error) or type(error).__name__)


class Remote:
    """A file behind a URL, and the temporary file that gets what is wanted of it. Its errors do not name it."""

    def __init__(self, url: str, over: Callable[[], bool] = lambda: False) -> None:
        self.url, self.over = url, over
        self.folder = os.environ.get("TMPDIR") or "/var/tmp"
        try:
            self.file: BinaryIO = tempfile.TemporaryFile(dir=self.folder if os.path.isdir(self.folder) else None)  # type: ignore[assignment]
        except OSError as error:
            raise self.no_room(error) from None
        self.web = url.lower().startswith(("http:", "https:"))

    def __enter__(self) -> Remote:
        self.system, self.path = file_system(self.url)
        about = self.asked(lambda: self.system.info(self.path))
        self.parts = about.get("partial") is not False
        size = about.get("size")
        self.size: Optional[int] = size if isinstance(size, int) else None
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def asked(self, question: Any) -> Any:
        if self.over():
            raise OSError("nobody waits for it any more")
        try:
            return question()
        except Exception as error:  # each file system has errors of its own
            # Some say so of a server that does not answer.
            bottom: BaseException = error
            while bottom.__cause__ is not None:
                bottom = bottom.__cause__
            if isinstance(error, FileNotFoundError) and (isinstance(bottom, FileNotFoundError) or not isinstance(bottom, OSError)):
                raise FileNotFoundError("there is no such file, or it is not shown to you; check the URL and your access") from None
            raise OSError(said(error, self.url)) from None

    def no_room(self, error: OSError) -> OSError:
        return OSError(f"what is fetched cannot be written to a temporary file in {self.folder}: {error.strerror}; TMPDIR names another folder")

    def resize(self, size: int) -> None:
        try:
            os.ftruncate(self.file.fileno(), size)
        except OSError as error:
            raise self.no_room(error) from None

    def keep(self, data: bytes, at: int) -> None:
        view = memoryview(data)
        try:
            while view:
                n = os.pwrite(self.file.fileno(), view, at)
                view, at = view[n:], at + n
        except OSError as error:
            raise self.no_room(error) from None

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
            self.keep(data, start)
            start = piece
        return True

    def fetch(self, match: Sequence[bytes], nested: int) -> None:
        if self.size is None or not (self.size > WHOLE and self.gives_parts() and self.fetch_zip(match, nested)):
            self.fetch_whole()

    def fetch_whole(self) -> None:
        self.resize(0)
        got = 0
        in_order = self.size is None or self.web
        source = self.asked(lambda: self.system.open(self.path, "rb", **({"cache_type": "none", "block_size": 0} if in_order else {})))
        with source:
            while piece := self.asked(lambda: source.read(PIECE)):
                self.keep(piece, got)
                got += len(piece)
        if self.size is not None and got != self.size:
            raise OSError(f"{got} bytes came of {self.size}; try it again")

    def fetch_zip(self, match: Sequence[bytes], nested: int) -> bool:
        """False: it is no Zip, or cannot be read in parts."""
        assert self.size is not None
        self.resize(self.size)
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
        return any(_core.glob_matches(one, path) for one in match) or (nested > 0 and _core.names_archive(path))


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
                raise NoParts
            self.have.append((start, stop))
        data = os.pread(self.of.file.fileno(), end - self.at, self.at)
        self.at = end
        return data


def fetching(names: Sequence[Name], match: Sequence[Name], nested: int) -> dict[str, Any]:
    """The parameters of an extraction with URLs among its inputs. ImportError or OSError where nothing reads such URLs."""
    urls = [name for name in names if is_url(name)]
    for one in {str(url).split("://", 1)[0]: str(url) for url in urls}.values():
        file_system(one)
    shown = [name for url in urls for name in (url, public(str(url)))]
    return {"fetched": urls, "shown": shown, "fetcher": Fetcher([str(url) for url in urls], [os.fsencode(one) for one in match], nested)}
