"""What a file's name says about what is in it."""

from __future__ import annotations

import os
from typing import Optional

from . import _core


def format_of_path(path: str) -> Optional[str]:
    """The format by the file's ending, behind which a frame's may stand."""
    name = os.path.basename(path).lower()
    for frame in _core.frames():
        if name.endswith(frame["ending"]):
            name = name.removesuffix(frame["ending"])
            break
    return _core.format_of_path(name)
