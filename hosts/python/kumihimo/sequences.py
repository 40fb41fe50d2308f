"""Files that are the parts of one: part.000, part.001 and so on, or part.aa, part.ab, as `split` writes them."""

from __future__ import annotations

import os
import re
from typing import Optional, Sequence

PART = re.compile(r"(.*?)([0-9]+|(?<=\.)[a-z]{2,}|(?<=x)[a-z]{2,})$", re.S)


def number_of(mark: str) -> int:
    number = 0
    for c in mark:
        number = number * 26 + ord(c) - ord("a")
    return int(mark) if mark.isdecimal() else number


def mark_of(number: int, like: str) -> str:
    if like.isdecimal():
        return f"{number:0{len(like)}}"
    letters = ""
    for _ in like:
        number, letter = divmod(number, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def fault_of(names: Sequence[str | bytes]) -> Optional[str]:
    """What is wrong with the parts: one is missing, or they are in another order. Names without a common mark are taken as they come."""
    found = [PART.match(os.fsdecode(name)) for name in names]
    parts = [one for one in found if one is not None]
    if len(parts) != len(names) or len({one[1] for one in parts}) != 1 or len({one[2].isdecimal() for one in parts}) != 1:
        return None
    for before, after in zip(parts, parts[1:]):
        was, now = number_of(before[2]), number_of(after[2])
        if now <= was:
            return f"{after[0]} comes behind {before[0]}: name the parts in their order"
        if now != was + 1:
            return f"{before[1]}{mark_of(was + 1, before[2])}, a part between {before[0]} and {after[0]}, is missing"
    return None
