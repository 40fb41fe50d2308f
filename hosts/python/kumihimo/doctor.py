"""What `kumihimo doctor` says: this installation, and what is missing for which option."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import sys
import tempfile
from typing import Iterator, NamedTuple

from kumihimo import __version__, _core


class Package(NamedTuple):
    name: str
    wanted_for: str


PACKAGES = (
    Package("click", "the command itself"),
    Package("rich", "the progress bar on a terminal"),
    Package("pyarrow", "--to arrow, parquet, sqlite and duckdb"),
    Package("duckdb", "--to duckdb"),
    Package("matplotlib", "--chart FILE.png and FILE.svg"),
    Package("fsspec", "URLs among the inputs"),
    Package("aiohttp", "URLs that begin with http"),
    Package("s3fs", "URLs that begin with s3"),
)
LIBRARIES = {"gzip": "zlib1g", "zstd": "libzstd1", "lz4": "liblz4-1", "xz": "liblzma5", "bzip2": "libbz2-1.0"}


def state_of(package: str) -> tuple[bool, str]:
    """Whether it can be imported, and its version or why not."""
    try:
        importlib.import_module(package)
    except ImportError as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == package
        return False, "not installed" if absent else f"broken: {error}"
    except Exception as error:  # a package may fail in any way
        return False, f"broken: {type(error).__name__}: {error}"
    try:
        return True, importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return True, "of an unknown version"


def zones() -> tuple[bool, str]:
    from kumihimo.zones import rules

    try:
        rules("Asia/Tokyo")
    except ValueError as missing:
        return False, str(missing)
    return True, "found"


def lines() -> Iterator[tuple[bool, str]]:
    """Whether all is well there, and the line."""
    yield True, f"kumihimo {__version__}, {os.path.dirname(_core.__file__ or '')}"
    yield True, f"python {platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    yield True, f"system {platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} processors"
    yield True, f"kernel {_core.kernel()}, of {', '.join(_core.kernels())}"
    yield True, f"inflate {_core.inflate_library()}"
    yield True, "formats " + ", ".join(row["name"] for row in _core.formats())
    written = {row["name"] for row in _core.frames()}
    for row in _core.readable_frames():
        what = f"{row['name']}: {'inputs and --compress' if row['name'] in written else 'inputs'} in {row['ending']}"
        yield row["available"], what if row["available"] else f"{what}: its library is missing: apt install {LIBRARIES.get(row['name'], 'it')}"
    sealed = _core.has_libarchive()
    yield sealed, "libarchive: --password-file, and Zip entries in PPMd" + ("" if sealed else ": the library is missing: apt install libarchive13")
    for package in PACKAGES:
        there, state = state_of(package.name)
        remedy = "" if there else f": pip install {package.name}"
        yield there, f"{package.name} {state}, for {package.wanted_for}{remedy}"
    found, state = zones()
    yield found, f"time zones {state}, for timestamp[Zone]"
    folder = os.environ.get("TMPDIR") or "/var/tmp"
    try:
        with tempfile.TemporaryFile(dir=folder):
            yield True, f"temporary files in {folder}, for standard input that is read twice, URLs, and Zips that come through pipes or lie in archives"
    except OSError as error:
        yield False, f"no temporary file can be made in {folder} ({error.strerror}), for standard input that is read twice, URLs, and Zips that come through pipes or lie in archives: set TMPDIR"


def report() -> str:
    return "".join(f"{'ok' if well else 'missing':8}{line}\n" for well, line in lines())
