"""`kumihimo.partial`: a few values out of each document, compiled once."""

from __future__ import annotations

from typing import Any, Literal, Mapping, Optional, Sequence, Union, overload

from ._core import Partial

__all__ = ["Partial", "partial"]


@overload
def partial(
    paths: Mapping[str, str],
    level: Literal["strict", "structural", "trusted"] = "strict",
    *,
    decimal: bool = False,
    missing: Any = None,
    raw: bool = False,
    unique_keys: bool = False,
    depth: Optional[int] = 1024,
    format: str = "json",
    dialect: Optional[str] = None,
) -> Partial[dict[str, Any]]: ...
@overload
def partial(
    paths: Union[str, Sequence[str]],
    level: Literal["strict", "structural", "trusted"] = "strict",
    *,
    decimal: bool = False,
    missing: Any = None,
    raw: bool = False,
    unique_keys: bool = False,
    depth: Optional[int] = 1024,
    format: str = "json",
    dialect: Optional[str] = None,
) -> Partial[tuple[Any, ...]]: ...
def partial(
    paths: Union[str, Sequence[str], Mapping[str, str]],
    level: Literal["strict", "structural", "trusted"] = "strict",
    *,
    decimal: bool = False,
    missing: Any = None,
    raw: bool = False,
    unique_keys: bool = False,
    depth: Optional[int] = 1024,
    format: str = "json",
    dialect: Optional[str] = None,
) -> Partial[Any]:
    """Compiles a decoder that reads only the values at `paths`.

    A path is dotted (`last_price.price`, `asks[0][1]`, `trades[*].price`, `"a.b".c` with quotes where a key holds a dot) or a JSON
    Pointer (`/last_price/price`). A list of paths gives a tuple per document, a dict of name: path a dict. A path with `[*]` gives a
    list.

        >>> wanted = partial({"price": "last_price.price", "sold": "trades[*].amount"})
        >>> wanted(b'{"last_price": {"price": 1.5}, "trades": [{"amount": 2}, {"amount": 3}]}')
        {'price': 1.5, 'sold': [2, 3]}

    `wanted.many(documents)` does a whole iterable and lets other threads run meanwhile. The result can be pickled and copied.

    level: what is promised at least about the rest of the document: 'strict' (all of it is what loads() would take), 'structural'
    (JSON: valid UTF-8, closed strings, balanced brackets; binary formats: their headers) or 'trusted' (you vouch for the document). What
    has to be read whole, for its format or its dialect, is checked as by 'strict' whatever the level.
    decimal: numbers with a fraction or an exponent become Decimal; else float, and one beyond the largest float is an error, in 'strict'
    anywhere in the document.
    missing: what stands for a value that is not there.
    raw: the values' own bytes in place of objects.
    unique_keys: a key that comes twice in an object, anywhere, is an error, at every level; else the last one counts.
    depth: containers in one another, at most.
    format: a name of formats().
    dialect: what is granted, by name; then and in other formats unique_keys is the dialect's question.

    Raises ValueError for a path that is not valid, JSONDecodeError or DecodeError for a document that is not.
    """
    wanted: list[str]
    names: Optional[tuple[str, ...]] = None
    if isinstance(paths, Mapping):
        wanted, names = list(paths.values()), tuple(paths)
    else:
        wanted = [paths] if isinstance(paths, str) else list(paths)
    return Partial(wanted, names, level, decimal, missing, raw, depth, unique_keys, format, dialect)
