"""`kumihimo.partial`: a few values out of each document, compiled once."""

from __future__ import annotations

from typing import Any, Iterable, Literal, Mapping, Optional, Sequence, Union, overload

from ._core import Partial, lazy

__all__ = ["AnyPartial", "Partial", "partial"]


class AnyPartial:
    """What Partial is, for formats that have no projector of their own: the document is read whole, and only the wanted values are built."""

    def __init__(
        self, paths: list[str], names: Optional[tuple[str, ...]], format: str, dialect: Optional[str], decimal: bool, missing: Any, raw: bool, depth: Optional[int]
    ) -> None:
        self.paths, self.names, self.format, self.dialect = paths, names, format, dialect
        self.decimal, self.missing, self.raw, self.depth = decimal, missing, raw, depth
        # What is wrong with a path or a name is said now, not at the first document.
        probe = lazy(b"null")
        for path in paths:
            probe.pick(path)
        try:
            lazy(b"", format=format, dialect=dialect, decimal=decimal, depth=depth)
        except ValueError as wrong:
            if not hasattr(wrong, "offset"):
                raise

    @property
    def level(self) -> str:
        """'strict': the whole document is read."""
        return "strict"

    def __call__(self, document: Any) -> Any:
        """The wanted values of one document: a tuple, or a dict if there are names."""
        root = lazy(document, format=self.format, dialect=self.dialect, decimal=self.decimal, depth=self.depth)
        values = tuple(root.pick(path, self.missing, self.raw) for path in self.paths)
        return values if self.names is None else dict(zip(self.names, values))

    def many(self, documents: Iterable[Any]) -> list[Any]:
        """A list with one result per document. An error's `index` says which document was bad."""
        out: list[Any] = []
        for document in documents:
            try:
                out.append(self(document))
            except ValueError as error:
                error.index = len(out)  # type: ignore[attr-defined]
                raise
        return out

    def __len__(self) -> int:
        return len(self.paths)

    def __reduce__(self) -> tuple[Any, ...]:
        return AnyPartial, (self.paths, self.names, self.format, self.dialect, self.decimal, self.missing, self.raw, self.depth)

    def __repr__(self) -> str:
        return f"<kumihimo.Partial {self.names or self.paths} format={self.format!r}>"


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
    format: Literal["json"] = "json",
    dialect: None = None,
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
    format: Literal["json"] = "json",
    dialect: None = None,
) -> Partial[tuple[Any, ...]]: ...
@overload
def partial(
    paths: Union[str, Sequence[str], Mapping[str, str]],
    level: Literal["strict"] = "strict",
    *,
    decimal: bool = False,
    missing: Any = None,
    raw: bool = False,
    unique_keys: bool = False,
    depth: Optional[int] = 1024,
    format: str,
    dialect: Optional[str] = None,
) -> Union[Partial[Any], AnyPartial]: ...
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
) -> Union[Partial[Any], AnyPartial]:
    """Compiles a decoder that reads only the values at `paths`.

    A path is dotted (`last_price.price`, `asks[0][1]`, `trades[*].price`, `"a.b".c` with quotes where a key holds a dot) or a JSON
    Pointer (`/last_price/price`). A list of paths gives a tuple per document, a dict of name: path a dict. A path with `[*]` gives a
    list.

        >>> wanted = partial({"price": "last_price.price", "sold": "trades[*].amount"})
        >>> wanted(b'{"last_price": {"price": 1.5}, "trades": [{"amount": 2}, {"amount": 3}]}')
        {'price': 1.5, 'sold': [2, 3]}

    `wanted.many(documents)` does a whole iterable and lets other threads run meanwhile. The result can be pickled and copied.

    level: what is known about the rest of the document afterwards: 'strict' (all of it is what loads() would take), 'structural' (valid
    UTF-8, closed strings, balanced brackets) or 'trusted' (nothing that is skipped is looked at).
    decimal: numbers with a fraction or an exponent become Decimal; else float, and one beyond the largest float is an error, in 'strict'
    anywhere in the document.
    missing: what stands for a value that is not there.
    raw: the values' own bytes in place of objects.
    unique_keys: a key that comes twice in an object, anywhere, is an error ('strict' only); else the last one counts.
    depth: containers in one another, at most.
    format: a name of formats(); the documents of others than JSON are read whole, so their only level is 'strict'.
    dialect: what is granted, by name; then and in other formats unique_keys is the dialect's question.

    Raises ValueError for a path that is not valid, JSONDecodeError or DecodeError for a document that is not.
    """
    wanted: list[str]
    names: Optional[tuple[str, ...]] = None
    if isinstance(paths, Mapping):
        wanted, names = list(paths.values()), tuple(paths)
    else:
        wanted = [paths] if isinstance(paths, str) else list(paths)
    if format != "json" or dialect is not None:
        if level != "strict":
            raise ValueError("the levels are those of JSON's projector: other formats, and dialects by name, have 'strict' only")
        if unique_keys:
            raise ValueError("unique_keys is a dialect's question here: name one that refuses equal keys")
        return AnyPartial(wanted, names, format, dialect, decimal, missing, raw, depth)
    return Partial(wanted, names, level, decimal, missing, raw, depth, unique_keys)
