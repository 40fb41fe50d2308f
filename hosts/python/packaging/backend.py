"""The build backend: scikit-build-core, plus the copy of the C++ sources that makes an sdist whole.

In the repository the engine lives two folders up and is compiled from there. An sdist has no repository around it, so
`build_sdist` first copies `engine/`, `extract/`, `cmake/`, the license and the docs of what the package does into `carried/`, and removes the copy afterwards.
"""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import Any, Iterator

from scikit_build_core import build as _inner
from scikit_build_core.build import *  # noqa: F401,F403  (the other hooks of PEP 517 and PEP 660, as they are)

_HERE = Path(__file__).resolve().parent.parent
_CARRIED = _HERE / "carried"
_PARTS = ("engine", "extract", "cmake")
_DOCS = ("extract.md", "convert.md", "repack.md", "formats.md")


@contextlib.contextmanager
def _carrying() -> Iterator[None]:
    repository = _HERE.parent.parent
    if not (repository / "engine" / "core" / "sink.hpp").is_file():
        # An sdist made from an unpacked sdist: what it carries is what it passes on.
        if not _CARRIED.is_dir():
            raise RuntimeError(f"no engine sources: neither {repository / 'engine'} nor {_CARRIED} exists")
        yield
        return
    shutil.rmtree(_CARRIED, ignore_errors=True)
    try:
        for part in _PARTS:
            shutil.copytree(
                repository / part,
                _CARRIED / part,
                ignore=shutil.ignore_patterns("__pycache__", "*.o", "*.so", ".*"),
            )
        shutil.copy2(repository / "LICENSE", _CARRIED / "LICENSE")
        (_CARRIED / "docs").mkdir()
        for name in _DOCS:
            shutil.copy2(repository / "docs" / name, _CARRIED / "docs" / name)
        yield
    finally:
        shutil.rmtree(_CARRIED, ignore_errors=True)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    with _carrying():
        return _inner.build_sdist(sdist_directory, config_settings)
