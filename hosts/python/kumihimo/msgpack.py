"""MessagePack: `packb` and `unpackb`, under the names `dumps` and `loads` too.

    >>> from kumihimo import msgpack
    >>> msgpack.packb({"a": [1, 2.5, b"raw"]})
    b'\\x81\\xa1a\\x93\\x01\\xcb@\\x04\\x00\\x00\\x00\\x00\\x00\\x00\\xc4\\x03raw'
    >>> msgpack.unpackb(_)
    {'a': [1, 2.5, b'raw']}

A datetime with a zone becomes a timestamp (its moment is kept, its offset is not) and comes back in UTC; a date, a time or a
datetime without a zone becomes RFC 3339 text. Timestamps that a datetime cannot hold come back as `Ext(-1, ...)`, whole.
"""

from __future__ import annotations

from typing import Any

from ._core import packb, unpackb
from .errors import DecodeError, EncodeError

__all__ = ["DecodeError", "EncodeError", "Ext", "dumps", "loads", "packb", "unpackb"]

dumps = packb
loads = unpackb


class Ext(tuple):
    """An extension value: `type` from -128 to 127, and its `data`. Equal to another Ext with the same two."""

    __slots__ = ()

    def __new__(cls, type: int, data: bytes) -> Ext:
        if not isinstance(type, int) or not -128 <= type <= 127:
            raise ValueError("the type of an Ext is an int from -128 to 127")
        return super().__new__(cls, (type, bytes(data)))

    @property
    def type(self) -> int:
        """The application's number for this kind of data; negative ones belong to the specification."""
        return self[0]

    @property
    def data(self) -> bytes:
        """The bytes, as they are."""
        return self[1]

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self[0], self[1]

    def __repr__(self) -> str:
        return f"Ext({self[0]}, {self[1]!r})"
