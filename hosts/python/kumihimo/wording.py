"""Numbers of things, as the command says them."""

from __future__ import annotations


def counted(count: int, one: str) -> str:
    """`1 row`, `2 rows`, `1,000 bad records`: the count, and the word in its number."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"


def size_of(count: int) -> str:
    """A number of bytes in the unit that fits."""
    if count < 1000:
        return counted(count, "byte")
    return f"{count / 1e3:,.1f} KB" if count < 999_950 else f"{count / 1e6:,.1f} MB"
