"""The rules of a time zone for the engine, out of the files that `zoneinfo` reads (TZif, RFC 8536)."""

from __future__ import annotations

import struct
from pathlib import Path

__all__ = ["rules"]


def _file(name: str) -> bytes:
    parts = name.split("/")
    if not name or name.startswith("/") or any(p in ("", ".", "..") or "\\" in p or "\0" in p for p in parts):
        raise ValueError(f"{name!r} is not a time zone's name: write one like 'Asia/Tokyo'")
    from zoneinfo import TZPATH

    for folder in TZPATH:
        candidate = Path(folder, *parts)
        if candidate.is_file():
            return candidate.read_bytes()
    try:
        from importlib import resources

        return resources.files("tzdata").joinpath("zoneinfo", *parts).read_bytes()
    except (ImportError, OSError):
        raise ValueError(f"there is no time zone {name!r} on this machine (looked in {', '.join(TZPATH) or 'no folder'}; `pip install tzdata` brings them all)") from None


def rules(name: str) -> tuple[int, list[tuple[int, int]], str]:
    """The offset before the first transition (seconds east of UTC), the transitions as (UTC second, offset), and the POSIX rule for all later
    times ('' for none). Raises ValueError for a zone that this machine does not know."""
    data = _file(name)
    if data[:4] != b"TZif":
        raise ValueError(f"the file of the time zone {name!r} is not in TZif format")

    def header(at: int) -> tuple[int, ...]:
        return struct.unpack_from(">6l", data, at + 20)

    version = data[4:5]
    at, width = 0, 4
    isutc, isstd, leap, times, types, chars = header(0)
    if version >= b"2":
        # The first block is for 32-bit readers; the one with 64-bit times follows it.
        at = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isutc
        width = 8
        isutc, isstd, leap, times, types, chars = header(at)
    at += 44
    moments = struct.unpack_from(f">{times}{'q' if width == 8 else 'l'}", data, at)
    at += times * width
    kinds = data[at : at + times]
    at += times
    offsets = [struct.unpack_from(">lbb", data, at + 6 * i)[0] for i in range(types)]
    daylight = [struct.unpack_from(">lbb", data, at + 6 * i)[1] for i in range(types)]
    at += types * 6 + chars + leap * (width + 4) + isstd + isutc
    rule = ""
    if width == 8:
        rule = data[at:].strip(b"\n").split(b"\n")[0].decode("ascii")
    # RFC 8536 3.2: type 0 applies before the first transition; older files put a standard-time type first or later.
    first = next((o for o, d in zip(offsets, daylight) if not d), offsets[0]) if version < b"2" else offsets[0]
    return first, [(moment, offsets[kind]) for moment, kind in zip(moments, kinds)], rule
