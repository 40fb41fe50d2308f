"""Random and hostile values for the differential tests."""

from __future__ import annotations

import random
import struct
from typing import Any

TEXTS = ["", "a", "key", '"', "\\", "\n\t\b\f\r", "\x00\x1f\x7f", "é", "ÿ" * 17, "日本語", "\u2028\u2029", "😀" * 5, "a" * 15, "b" * 16, "c" * 17, "d" * 300 + '"', "mixed é 日 😀 \" \\", "</script>"]  # fmt: skip
INTS = [0, 1, -1, 9, 10, 99, 100, 2**30 - 1, 2**30, -(2**30), 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 10**8, 10**9 - 1, 10**16, 10**18]
FLOATS = [0.0, -0.0, 1.0, 1e16, 1e22, 1e-7, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, 123456789.125, 2.2250738585072014e-308, 1e15, 123456789012345680.0]


def number(r: random.Random) -> float:
    while True:
        x = struct.unpack("<d", r.randbytes(8))[0]
        if x == x and abs(x) != float("inf"):
            return x


def text(r: random.Random) -> str:
    if r.random() < 0.5:
        return r.choice(TEXTS)
    top = r.choice([0x7F, 0xFF, 0xFFFF, 0x10FFFF])
    points = (r.randrange(top + 1) for _ in range(r.randrange(40)))
    return "".join(chr(c) for c in points if not 0xD800 <= c <= 0xDFFF)


def value(r: random.Random, depth: int = 0) -> Any:
    pick = r.randrange(8 if depth < 5 else 6)
    if pick == 0:
        return r.choice(INTS) if r.random() < 0.5 else r.randrange(-(2 ** r.randrange(1, 63)), 2 ** r.randrange(1, 63))
    if pick == 1:
        return r.choice(FLOATS) if r.random() < 0.3 else number(r)
    if pick == 2 or pick == 3:
        return text(r)
    if pick == 4:
        return r.choice([None, True, False])
    if pick == 5:
        return r.choice([[], {}])
    if pick == 6:
        return [value(r, depth + 1) for _ in range(r.randrange(6))]
    return {text(r): value(r, depth + 1) for _ in range(r.randrange(6))}
