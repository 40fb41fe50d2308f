"""`kumihimo.partial`: a few values out of each document, compiled once."""

from __future__ import annotations

from typing import Any, Mapping, Sequence, Union

from ._core import Partial

__all__ = ["Partial", "partial"]


def partial(
    paths: Union[str, Sequence[str], Mapping[str, str]],
    level: str = "strict",
    *,
    decimal: bool = False,
    missing: Any = None,
    raw: bool = False,
    depth: int = 1024,
) -> Partial:
    """Compiles a decoder that reads only the values at `paths`.

    A path is dotted (`last_price.price`, `asks[0][1]`, `trades[*].price`, `"a.b".c` with quotes where a key holds a dot) or a JSON
    Pointer (`/last_price/price`). A list of paths gives a tuple per document, a dict of name: path a dict. A path with `[*]` gives a
    list.

        >>> wanted = partial({"price": "last_price.price", "sold": "trades[*].amount"})
        >>> wanted(b'{"last_price": {"price": 1.5}, "trades": [{"amount": 2}, {"amount": 3}]}')
        {'price': 1.5, 'sold': [2, 3]}

    `wanted.many(documents)` does a whole iterable and lets other threads run meanwhile.

    `level` says what is known about the rest of the document afterwards: 'strict' (all of it is valid JSON, as if it had been read),
    'structural' (valid UTF-8, closed strings, balanced brackets) or 'trusted' (nothing that is skipped is looked at).

    `missing` stands for a value that is not there. `raw=True` gives the values' own bytes. `decimal=True` gives numbers with a fraction as
    `decimal.Decimal`.

    Raises ValueError for a path that is not valid, JSONDecodeError for a document that is not.
    """
    if isinstance(paths, str):
        paths = [paths]
    if isinstance(paths, Mapping):
        return Partial(list(paths.values()), tuple(paths), level, decimal, missing, raw, depth)
    return Partial(list(paths), None, level, decimal, missing, raw, depth)
