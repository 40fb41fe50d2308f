"""Files that are the parts of one: part.000, part.001 and so on, or part.aa, part.ab, as `split` writes them."""

from __future__ import annotations

import os
import re
from typing import Optional, Sequence

PART = re.compile(r"(.*?)([0-9]+|(?<=[.x])[a-z]{2,})$", re.S)


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


def follows(before: str, after: str) -> bool:
    """Whether `split` goes on so where marks of one length end: x9000 comes behind x89, xzaaa behind xyz."""
    last, first = ("9", "0") if before.isdecimal() else ("z", "a")
    head = mark_of(number_of(before[:-1]) + 1, before[:-1]) if len(before) > 1 else ""
    return head != "" and len(after) > len(before) and before[-1] == last and after == head + first * (len(after) - len(head))


def fault_of(names: Sequence[str | bytes]) -> Optional[str]:
    """What is wrong with the parts: one is missing, or they are in another order. Names without a common mark are taken as they come."""
    found = [PART.match(os.fsdecode(name)) for name in names]
    parts = [one for one in found if one is not None]
    if len(parts) != len(names) or len({one[1] for one in parts}) != 1 or len({one[2].isdecimal() for one in parts}) != 1:
        return None
    if any("." + one[2] in endings() for one in parts):
        return None
    for before, after in zip(parts, parts[1:]):
        if follows(before[2], after[2]):
            continue
        if len(before[2]) != len(after[2]) and not before[2].isdecimal():
            return None  # words
        was, now = number_of(before[2]), number_of(after[2])
        if now <= was:
            return f"{after[0]} comes behind {before[0]}: name the parts in their order"
        if now != was + 1:
            return f"{before[1]}{mark_of(was + 1, before[2])}, a part between {before[0]} and {after[0]}, is missing"
    return None


def endings() -> set[str]:
    """The endings of formats and of what compresses them: such letters count nothing."""
    from . import _core

    return {ending for row in _core.formats() for ending in row["endings"]} | {row["ending"] for row in _core.frames()} | {".xz", ".bz2", ".zip", ".tar"}
