"""Outputs that are inputs, too: of the same run, or of the next one with the same words."""

from __future__ import annotations

import fnmatch
import glob
import os
import stat
from typing import Any, Iterator, Optional, Sequence

from . import _core


def identity(name: str) -> Any:
    """Equal for two names of one file, also of one that does not exist yet; None for pipes and devices, which may be shared."""
    try:
        at = os.stat(name)
    except (OSError, ValueError):
        return os.path.realpath(name)
    return (at.st_dev, at.st_ino) if stat.S_ISREG(at.st_mode) else None


def refuse_clashes(given: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Optional[str]], match: Optional[Sequence[str]] = None) -> None:
    """ValueError when a file that is written is one that is read, would be read by the next run, or is written twice.

    `inputs` are the `given` ones with their globs expanded. Folders are read where there is a `match`, which may be empty.
    """
    names = [os.fsdecode(name) for name in inputs if name not in ("-", b"-")]
    read = {same for name in names if (same := identity(name)) is not None}
    folders = [name for name in names if os.path.isdir(name)] if match is not None else []
    globs = [text for text in map(os.fsdecode, given) if glob.has_magic(text) and not os.path.lexists(text)]
    written: dict[Any, str] = {}
    for name in outputs:
        if name is None or (same := identity(name)) is None:
            continue
        if same in read:
            raise ValueError(f"{name} is also an input: name another file to write to")
        for where in _reads(name, folders, globs, match or ()):
            if os.path.exists(name):
                raise ValueError(f"{name} is also an input, by {where}: name a file elsewhere to write to")
            raise ValueError(f"{name} is also an input of the next run, by {where}: name a file elsewhere to write to")
        if same in written:
            raise ValueError(f"{written[same]} would be written twice: name another file")
        written[same] = name


def _reads(name: str, folders: Sequence[str], globs: Sequence[str], match: Sequence[str]) -> Iterator[str]:
    """Those of the inputs that this file is a part of, whether it exists or not."""
    for folder in folders:
        if any(not match or any(_core.glob_matches(os.fsencode(one), os.fsencode(path)) for one in match) for path in _below(name, folder)):
            yield f"the folder {folder}"
    for pattern in globs:
        if _matches(name, pattern):
            yield f"the pattern {pattern}"


def _below(name: str, folder: str) -> Iterator[str]:
    """The paths that a file has below a folder: its own, and that of what it links to. An extraction passes over names with a dot in front."""
    top = os.path.realpath(folder)
    for full in {os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name)), os.path.realpath(name)}:
        path = os.path.relpath(full, top)
        if not any(part.startswith(".") for part in path.split(os.sep)):
            yield path


def _matches(name: str, pattern: str) -> bool:
    """Whether glob.glob() would find a file of this name, whose folder exists."""
    before, last = os.path.split(pattern)
    own = os.path.basename(name)
    if own.startswith(".") and not last.startswith("."):
        return False
    if last == "**":
        before = pattern
    elif not fnmatch.fnmatch(own, last):
        return False
    folder = os.path.realpath(os.path.dirname(name))
    return any(os.path.realpath(one) == folder for one in (glob.iglob(os.path.join(before, ""), recursive=True) if before else ["."]))
