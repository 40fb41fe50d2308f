"""Files that appear whole or not at all.

What is written goes to a hidden neighbour of the wanted name and takes that name at the end, in one rename. An error or Ctrl-C
removes it, so nobody downstream sees half a file. Ctrl-C can strike between any two instructions, so what is open is known from
before it exists, and the interpreter's end looks again.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Callable, Iterator, Optional, Type, Union

from .ending_signals import raise_late

opened: set[Path] = set()  # files and folders that the interpreter's end removes
os.register_at_fork(after_in_child=opened.clear)  # they are the parent's


def remove(path: Path) -> None:
    """A file, or a folder with all that is in it; nothing where there is neither."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@atexit.register
def _remove_opened() -> None:
    while opened:
        remove(opened.pop())


class Files(contextlib.ExitStack):
    """Files that take their names together: a signal that came within an import ends the work here, before the first name is taken."""

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> bool:
        if kind is None:
            try:
                raise_late()
            except BaseException as late:
                super().__exit__(type(late), late, late.__traceback__)
                raise
        return bool(super().__exit__(kind, error, trace))


class Whole:
    """`with Whole(path) as part:` gives the path to write to; leaving without an exception gives it its name.

    A name that is not a regular file (a pipe, /dev/null) is written to directly.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        try:
            self.direct = not stat.S_ISREG(os.stat(self.path).st_mode)
        except FileNotFoundError:
            self.direct = False
        if self.path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; name a file in it")
        # A link keeps pointing where it points: the file behind it is replaced.
        self.final = self.path if self.direct else Path(os.path.realpath(self.path))
        self.dropped = False
        self.sealed: Optional[Callable[[Path, Path], None]] = None  # called with the complete part and the name that it takes next
        self.part = self.final if self.direct else self.final.with_name(f".{self.final.name}.part-{os.getpid()}")

    def __enter__(self) -> Path:
        if not self.direct:
            # Made now, so that a folder that is missing or closed is known before the work and not after it.
            opened.add(self.part)
            try:
                with open(self.part, "wb"):
                    pass
            except OSError as error:
                raise type(error)(error.errno, error.strerror, str(self.path)) from None
            if self.final.exists():
                os.chmod(self.part, stat.S_IMODE(self.final.stat().st_mode))
        return self.part

    def drop(self) -> None:
        """Leaving will not give the file its name: it could not be written, and what else is written does not need it."""
        self.dropped = True

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if self.direct:
            return
        try:
            if kind is None and not self.dropped:
                if self.sealed is not None:
                    self.sealed(self.part, self.final)
                try:
                    os.replace(self.part, self.final)
                except OSError as failed:
                    raise type(failed)(failed.errno, failed.strerror, str(self.path)) from None
            else:
                self.part.unlink(missing_ok=True)
        except BaseException:
            self.part.unlink(missing_ok=True)
            raise
        finally:
            opened.discard(self.part)


@contextlib.contextmanager
def naming(path: Optional[str]) -> Iterator[None]:
    """Errors of writing name no file; inside of this they name `path`."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None or isinstance(error, BrokenPipeError):
            raise
        raise type(error)(error.errno, error.strerror, "standard output" if path in (None, "-") else path) from None


def open_part(part: Path) -> BinaryIO:
    """The part for writing chunks of a megabyte or so: no second buffer in between."""
    return open(part, "wb", buffering=0)


def begin_again(file: Optional[BinaryIO]) -> None:
    """Throws away what another attempt writes again; what went into a pipe or a device is gone."""
    if file is not None and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.seek(0)
        file.truncate()


def write_all(file: BinaryIO, data: memoryview) -> None:
    """A raw write may take less than it was given (a pipe); this gives it all."""
    while data:
        data = data[file.write(data) :]


def aside(run: Any, to: Optional[BinaryIO], path: Union[None, str, "os.PathLike[str]"]) -> None:
    """Writes what a run has put aside of bad records to the file of that name, where there is one."""
    if to is not None and (records := run.take_quarantine()):
        with naming(None if path is None else os.fspath(path)):
            write_all(to, memoryview(records))
